"""Matrices of a joint normal distribution, by names."""

import numpy as np
import pytest

import arcwise as aw

TABLE = aw.example("boston").select(["MEDV", "LSTAT", "AGE", "DIS", "RM"])


@pytest.fixture(scope="module", params=["directed", "undirected"])
def net(request):
    return aw.learn(TABLE, graph=request.param, model="gaussian")


def test_they_are_the_matrices_of_one_distribution(net):
    precision, covariance = map(np.asarray, (net.precision, net.covariance))
    assert net.precision.names == net.covariance.names == net.variables == TABLE.order
    np.testing.assert_allclose(precision @ covariance, np.eye(5), atol=1e-9)
    wide, sd = net.query(list(net.variables)), np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(covariance / sd / sd[:, None], wide.correlation, rtol=1e-9)
    widened = wide.sd / sd  # the uncertainty of the parameters is in answers, not in the matrices
    np.testing.assert_allclose(widened, 1.005 if net.directed else 1.0, atol=0.004)
    for row in net.edges:
        found = net.partial_correlations[row.first, row.second]
        assert found == pytest.approx(row.partial_correlation, abs=1e-12)
        assert net.partial_correlations[row.second, row.first] == found
    assert net.partial_correlations["RM", "RM"] == 1.0


def test_undirected_zeros_are_missing_edges():
    net = aw.fit(aw.ug("MEDV:LSTAT:RM + AGE:DIS"), TABLE)
    assert net.precision["RM", "AGE"] == 0.0
    assert net.precision["RM", "MEDV"] != 0.0
    assert net.graph.cliques == (("AGE", "DIS"), ("LSTAT", "MEDV", "RM"))


def test_entries_rows_and_prints(net):
    found = net.covariance
    assert found["RM"]["AGE"] == found["RM", "AGE"]
    assert found.to_pandas().loc["RM", "AGE"] == found["RM", "AGE"]
    head, first, *_ = str(found).splitlines()
    assert head.split() == list(net.variables)
    assert first.split()[:2] == ["MEDV", f"{found['MEDV', 'MEDV']:.4g}"]
    copy = np.array(found)
    copy[0, 0] = -1.0
    assert found["MEDV", "MEDV"] > 0
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0] = 1.0


def test_many_variables_are_printed_in_part():
    wide = aw.learn(np.random.default_rng(0).normal(size=(50, 12)), graph="undirected")
    text = str(wide.covariance)
    assert text.endswith("... 12 rows and columns")
    assert len(text.splitlines()) == 12


def test_what_is_no_entry_or_no_normal_distribution(net):
    with pytest.raises(aw.DataError, match=r"no variable 'AEG'. Did you mean 'AGE'"):
        net.precision["AEG", "RM"]
    with pytest.raises(aw.DataError, match="must be two names"):
        net.precision["AGE", "RM", "DIS"]
    few = TABLE.select(["RM", "AGE"])
    for graph in (aw.ug("RM:AGE"), aw.dag("RM -> AGE")):
        parzen = aw.fit(graph, few, model="parzen")
        for ask in ("precision", "covariance", "partial_correlations"):
            with pytest.raises(aw.FitError, match=r"joint normal distribution|is parzen"):
                getattr(parzen, ask)
