"""`path`: graphs and networks at every penalty, from one run."""

import json

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.api import PenaltyPath
from arcwise.conditionals import FAMILIES
from arcwise.scores import ebic
from arcwise.undirected import boundary, deletion

SOURCE = linear(1, rows=80, p=5)


@pytest.fixture(scope="module")
def found():
    return aw.path(SOURCE, search="boundary")


def test_a_path_asked_without_a_penalty_says_so():
    for search in ("glasso", "boundary"):
        found = aw.path(SOURCE, search=search)
        for ask in (found.network, found.at, found.edges):
            said = f"for each non-negative penalty: name one, as in {ask.__name__}"
            with pytest.raises(aw.FitError, match=said):
                ask()
        with pytest.raises(
            aw.FitError, match="The penalty must be a non-negative number, got True"
        ):
            found.network(True)


def test_it_is_the_path_of_boundary_learning(found):
    plain = boundary(ebic(FAMILIES["gaussian"].bind(SOURCE)))
    assert isinstance(found, PenaltyPath)
    assert found.curve() == plain.curve()
    assert found.settings["score"] == "ebic"
    assert found.settings["graph"] == "undirected"
    for penalty in (0.0, 0.01, 0.1, 10.0, np.float64(0.3), 1):
        assert found.at(penalty) == plain.at(penalty)
    other = aw.path(SOURCE, search="deletion")
    assert other.curve() == deletion(ebic(FAMILIES["gaussian"].bind(SOURCE))).curve()


@pytest.mark.parametrize("penalty", [0.0, 0.05, 0.5])
def test_its_networks_are_those_that_learn_gives(found, penalty):
    net = found.network(penalty)
    words = {"graph": "undirected", "search": "boundary", "certainty": False}
    wanted = aw.learn(SOURCE, penalty=penalty, **words)
    assert net.graph == wanted.graph == found.at(penalty)
    assert net.score == wanted.score
    assert net.settings == wanted.settings
    assert str(net.edges) == str(found.edges(penalty))
    assert repr(net.edges.rows) == repr(wanted.edges.rows)
    assert net.fingerprint == wanted.fingerprint
    assert found.network(penalty) is net  # fitted once
    assert net.query("v0", given={"v1": 0.0}, sweeps=10, chains=2).mean is not None


def test_it_reads_well(found):
    text = str(found)
    assert "edge removed" in text
    assert "3 to 0 edges" in text
    assert repr(found).startswith("<PenaltyPath: 5 variables:")
    plain = json.loads(json.dumps(found.document()))
    assert plain["settings"]["model"] == "gaussian"
    assert len(plain["removals"]) == 10
    assert found.variables == SOURCE.order
    assert str(found.stopped) == "no edge is left"
    assert found.unit in text
    assert len(found.removals) == 10
    assert found.knots[0].graph == found.at(0)
    assert found.reach == np.inf


def test_it_is_drawn(found):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert found.plot(at=0.1) is not None
    assert aw.plot_path(found) is not None
    assert aw.plot_path(found.path) is not None


@pytest.mark.parametrize("penalty", [-1, np.nan, "0.1", None, True, [0.1]])
def test_a_penalty_that_is_none_is_rejected(found, penalty):
    for ask in (found.at, found.network, found.edges):
        with pytest.raises(aw.FitError, match="non-negative"):
            ask(penalty)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ({"graph": "directed"}, "learn"),
        ({"graph": "undirectd"}, "Did you mean 'undirected'"),
        ({"graph": 3}, "kind of graph"),
        ({"penalty": 0.1}, "every penalty"),
        ({"search": "greedy"}, "no search 'greedy'"),
        ({"search": aw.Auto(start="complete")}, "complete graph"),
        ({"prior": aw.Prior(graph=aw.dag("v0 -> v1"))}, "rules"),
        ({"score": "bicc"}, "Did you mean 'bic'"),
        ({"model": "parzn"}, "Did you mean 'parzen'"),
        ({"steps": 3}, "no parameter 'steps'"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"seed": -1}, "seed"),
        ({"rules": aw.Rules(tiers=[["v0"], ["v1"]])}, "directed"),
    ],
    ids=str,
)
def test_words_that_make_no_sense_are_rejected(words, hint):
    with pytest.raises(aw.ArcwiseError) as caught:
        aw.path(SOURCE, **words)
    assert hint in str(caught.value)


def test_rules_weights_prior_rows_and_moments():
    kept = aw.path(
        SOURCE, search="boundary", rules=aw.Rules(required=["v0 -> v1"], forbidden=["v2 -> v3"])
    )
    assert kept.at(1e9).edges == (("v0", "v1"),)
    assert ("v2", "v3") not in kept.at(0.0).edges
    twice = aw.path(aw.table(SOURCE, weights=np.full(80, 2.0)), score="loglik")
    once = aw.path(SOURCE, score="loglik")
    np.testing.assert_allclose([p for p, _ in twice.curve()], [p for p, _ in once.curve()])
    assert "80 artificial rows count like real ones." in map(
        str, aw.path(SOURCE, prior=aw.Prior(rows=SOURCE)).notes
    )
    assert aw.path(aw.Moments.of(SOURCE), score="bic").at(0.05) == aw.path(SOURCE, score="bic").at(
        0.05
    )


def test_one_column_has_a_path_too():
    alone = aw.path({"a": np.arange(20.0) ** 2}, search="boundary")
    assert alone.curve() == [(0.0, 0)]
    assert all(edges == 0 for _, edges in aw.path({"a": np.arange(20.0) ** 2}).curve())
    assert alone.network(0.1).graph.n_edges == 0
    str(alone)


def test_a_lasso_path_holds_the_partial_correlations_of_the_penalised_solution():
    words = {"graph": "undirected", "model": "gaussian"}
    path = aw.path(SOURCE, search=aw.Glasso(n_penalties=6), **words)
    for knot in path.knots:
        edges = aw.learn(SOURCE, penalty=knot.penalty, search=aw.Glasso(refit=False), **words).edges
        wanted = [edges[pair].partial_correlation for pair in knot.graph.edges]
        np.testing.assert_allclose(knot.partial_correlations, wanted, atol=1e-5)
    plain = json.loads(json.dumps(path.document()))["knots"]
    assert [tuple(knot["partial_correlations"]) for knot in plain] == [
        knot.partial_correlations for knot in path.knots
    ]
    rows = [(row.penalty, (row.first, row.second)) for row in path.edge_rows()]
    assert rows == [(knot.penalty, edge) for knot in path.knots for edge in knot.graph.edges]
