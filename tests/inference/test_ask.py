"""Which engine answers: closed forms where there are any, simulation elsewhere."""

import numpy as np
import pytest
from inference.kernels import bent_points, gaussian_markov, kernel_bayes, kernel_markov
from shared_networks import gaussian_net

from arcwise.data import Table
from arcwise.distributions import Grid, Normal
from arcwise.errors import DataError, GraphError, OptionError
from arcwise.inference import (
    has_closed_form,
    marginal_log_density,
    predict,
    pseudo_log_density,
    query,
)
from arcwise.networks import cut

POINTS, BANDWIDTHS = bent_points(), np.array([0.6, 0.7, 0.5])
MARKOV, BAYES = kernel_markov(POINTS, BANDWIDTHS), kernel_bayes(POINTS, BANDWIDTHS)
NORMAL = gaussian_net({"a": (1, {}, 2), "b": (0, {"a": 2}, 1)})


def rows_of(net, matrix):
    return Table(net.variables, tuple(np.ascontiguousarray(column) for column in matrix.T))


def test_one_place_decides():
    assert has_closed_form(NORMAL)
    assert has_closed_form(cut(NORMAL, {0: 1.0}))
    assert not has_closed_form(MARKOV)
    assert not has_closed_form(BAYES)
    assert not has_closed_form(gaussian_markov(np.eye(2), np.zeros(2), np.random.default_rng(1)))


def test_gaussian_networks_stay_exact_unless_a_method_is_named():
    def kind(**options):
        return type(query(NORMAL, "a", {"b": 1.0}, **options).distribution)

    assert kind() is kind(chains=4, seed=1) is kind(method="gaussian") is Normal
    assert kind(method="grid") is Grid
    rows = rows_of(NORMAL, np.array([[np.nan, 1.0]]))
    assert type(predict(NORMAL, rows, "a").distribution) is Normal
    assert type(predict(NORMAL, rows, "a", method="grid").distribution) is Grid
    with pytest.raises(OptionError, match="no option of a question 'sweep'"):
        query(NORMAL, "a", {"b": 1.0}, sweep=3)


def test_an_undirected_network_has_no_density_but_a_pseudo_likelihood():
    rows = rows_of(MARKOV, np.array([[0.0, 0.2, 0.5], [1.0, 0.0, 0.3]]))
    with pytest.raises(GraphError, match=r"pseudo-likelihood .* use pseudo_logpdf"):
        marginal_log_density(MARKOV, rows)
    found = pseudo_log_density(MARKOV, rows)
    for row in range(2):
        expected = 0.0
        for node, model in enumerate(MARKOV.conditionals):
            xs = tuple(rows.columns[j][row : row + 1] for j in MARKOV.graph.neighbours[node])
            expected += model.logpdf(rows.columns[node][row : row + 1], xs)[0]
        assert found[row] == pytest.approx(expected)


def test_a_pseudo_likelihood_needs_whole_rows_and_an_undirected_network():
    gappy = rows_of(MARKOV, np.array([[np.nan, 0.2, 0.5]]))
    with pytest.raises(DataError, match="complete rows, and values are missing in 'a'"):
        pseudo_log_density(MARKOV, gappy)
    with pytest.raises(GraphError, match="has a density"):
        pseudo_log_density(BAYES, gappy)


def test_rows_too_far_out_have_no_density():
    far = rows_of(BAYES, np.array([[1e200, 0.0, 0.0]]))
    assert marginal_log_density(BAYES, far).tolist() == [-np.inf]
