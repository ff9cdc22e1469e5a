"""Gibbs sampling against closed forms and brute force, within the error it states."""

from dataclasses import replace

import numpy as np
import pytest
from inference.kernels import (
    bent_points,
    gaussian_markov,
    kernel_answer,
    kernel_bayes,
    kernel_markov,
)
from shared_networks import dense_conditional, linear

from arcwise.data import Variable
from arcwise.distributions import Normal
from arcwise.errors import DataError, OptionError
from arcwise.graphs import UGraph
from arcwise.inference import Effort, query, sample
from arcwise.inference.gibbs_chains import begin, reach_hidden, sweep
from arcwise.networks import MarkovNet

POINTS, BANDWIDTHS = bent_points(), np.array([0.6, 0.7, 0.5])
BENT = kernel_markov(POINTS, BANDWIDTHS)


def brute_force(given_c):
    """Mean of a given c by summing the joint density of three variables on a grid."""
    a, b = np.linspace(-5, 5, 400), np.linspace(-5, 8, 400)
    parts = [
        np.exp(-0.5 * ((x[:, None] - POINTS[i]) / BANDWIDTHS[i]) ** 2) for i, x in ((0, a), (1, b))
    ]
    last = np.exp(-0.5 * ((given_c - POINTS[2]) / BANDWIDTHS[2]) ** 2)
    joint = np.einsum("am,bm,m->ab", parts[0], parts[1], last)
    density = joint.sum(axis=1)
    mean = (a @ density) / density.sum()
    return mean, np.sqrt((a - mean) ** 2 @ density / density.sum())


def test_brute_force_and_closed_form_agree():
    mean, sd, _ = kernel_answer(POINTS, BANDWIDTHS, 0, {2: 0.5})
    assert brute_force(0.5) == (pytest.approx(mean, abs=1e-4), pytest.approx(sd, abs=1e-4))


def test_a_nonlinear_network_agrees_with_brute_force_within_its_error():
    mean, sd = brute_force(0.5)
    answers = [query(BENT, "a", {"c": 0.5}, seed=seed, sweeps=120) for seed in range(25)]
    z = np.array([(answer.mean - mean) / answer.error for answer in answers])
    assert abs(z.mean()) < 0.7
    assert 0.6 < z.std() < 1.5
    assert np.abs(z).max() < 4
    assert max(answer.error for answer in answers) < 0.1
    assert np.mean([answer.sd for answer in answers]) == pytest.approx(sd, abs=0.03)
    shares = np.array([answer.probability((0, None)) for answer in answers])
    errors = np.array([answer.probability((0, None)).error for answer in answers])
    _, _, weights = kernel_answer(POINTS, BANDWIDTHS, 0, {2: 0.5})
    from scipy.special import ndtr

    expected = weights @ ndtr(POINTS[0] / BANDWIDTHS[0])
    assert np.abs((shares - expected) / errors).max() < 4.5
    assert shares.mean() == pytest.approx(expected, abs=0.02)


def test_the_law_of_the_answer_is_right_too():
    _, _, weights = kernel_answer(POINTS, BANDWIDTHS, 0, {2: 0.5})
    answer = query(BENT, "a", {"c": 0.5}, sweeps=600, seed=3)
    x = np.linspace(-3, 3, 13)
    kernels = np.exp(-0.5 * ((x[:, None] - POINTS[0]) / BANDWIDTHS[0]) ** 2)
    expected = kernels @ weights / (BANDWIDTHS[0] * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(answer.density(x), expected, atol=0.03)
    np.testing.assert_allclose(answer.density(x), np.exp(answer.logdensity(x)))


def test_a_known_boundary_needs_no_simulation():
    answer = query(BENT, "a", {"b": 0.2, "c": 0.5})
    mean, sd, _ = kernel_answer(POINTS, BANDWIDTHS, 0, {1: 0.2, 2: 0.5})
    assert answer.mean == pytest.approx(mean)
    assert answer.sd == pytest.approx(sd)
    assert (answer.error, answer.rhat, answer.ess) == (0.0, 1.0, np.inf)
    assert "Gibbs" not in str(answer)


@pytest.fixture(scope="module")
def normal():
    rng = np.random.default_rng(7)
    precision = 2.0 * np.eye(5)
    for i, j, r in ((0, 1, 0.8), (1, 2, -0.7), (2, 3, 0.6), (1, 3, 0.3)):
        precision[i, j] = precision[j, i] = r
    mean = np.arange(5.0)
    return gaussian_markov(precision, mean, rng), mean, np.linalg.inv(precision)


def test_gaussian_markov_networks_agree_with_the_joint(normal):
    net, mean, covariance = normal
    expected, left = dense_conditional(mean, covariance, [0, 3], {2: 3.0})
    both = query(net, ["a", "d"], {"c": 3.0}, seed=1)
    for i, name in enumerate("ad"):
        assert both[name].error > 0
        assert abs(both.mean[i] - expected[i]) < 4 * both[name].error
        assert both[name].sd == pytest.approx(np.sqrt(left[i, i]), rel=0.03)
        assert both[name].rhat < 1.02
    np.testing.assert_allclose(both.covariance, left, atol=0.03)
    low, high = both["a"].interval(0.9)
    spread = 1.6449 * np.sqrt(left[0, 0])
    assert (low, high) == (
        pytest.approx(expected[0] - spread, abs=0.05),
        pytest.approx(expected[0] + spread, abs=0.05),
    )


def test_the_same_seed_gives_the_same_answer():
    one, two = (query(BENT, "a", {"c": 0.5}, seed=5, sweeps=20) for _ in range(2))
    other = query(BENT, "a", {"c": 0.5}, seed=6, sweeps=20)
    assert one.mean == two.mean
    assert one.error == two.error
    assert one.mean != other.mean
    assert (one.draws(5, 1) == two.draws(5, 1)).all()


def test_a_random_scan_gives_the_same_law():
    mean, _ = brute_force(0.5)
    answer = query(BENT, "a", {"c": 0.5}, scan="random", seed=2)
    assert abs(answer.mean - mean) < 4 * answer.error


def chain_net():
    """a - b - c - d - e, every conditional counting its calls."""

    class Counting:
        word = "counting"
        n_params = 0

        def __init__(self):
            self.calls = 0

        def sample(self, xs, rng, size):
            self.calls += 1
            return rng.normal(size=size)

        def distribution(self, xs, size):
            return Normal(np.zeros(size), 1.0)

        def logpdf(self, y, xs):
            return -0.5 * y**2

    graph = UGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    models = tuple(Counting() for _ in range(5))
    rows = tuple(np.linspace(-1, 1, 9) for _ in range(5))
    return MarkovNet(tuple(map(Variable, "abcde")), graph, models, rows)


def test_only_what_matters_is_drawn():
    net = chain_net()
    gaps = np.array([[True, True, False, True, True], [True, True, True, True, False]])
    assert reach_hidden(net, gaps, [0]).tolist() == [
        [True, True, False, False, False],
        [True, True, True, True, False],
    ]
    query(net, "a", {"c": 0.0}, sweeps=10, burn_in=5, chains=4)
    tries = [model.calls for model in net.conditionals]
    assert tries[3] == tries[4] == tries[2] == 0
    assert tries[1] == 15


def test_hidden_values_are_drawn_only_where_they_are_hidden():
    rng = np.random.default_rng(1)
    hidden = np.array([[True, False, True], [True, True, False]])
    columns = [np.array([0.0, 0.0]), np.array([0.3, 0.0]), np.array([0.0, -0.4])]
    chains = begin(BENT, columns, hidden, ~hidden, 4, rng)
    for _ in range(3):
        sweep(BENT, chains, rng)
    assert (chains.columns[1][:4] == 0.3).all()
    assert (chains.columns[2][4:] == -0.4).all()
    assert len(np.unique(chains.columns[0])) == 8


def test_far_evidence_has_a_finite_answer_and_a_note():
    for known in ({"c": 1e6}, {"c": 50.0, "b": -20.0}):
        answer = query(BENT, "a", known, sweeps=20)
        assert np.isfinite([answer.mean, answer.sd, *answer.interval()]).all()
        assert "far from all rows of the data" in str(answer)
        assert "far from all rows of the data" in answer.document()["notes"][0]["text"]
    assert "far" not in str(query(BENT, "a", {"c": 0.5}, sweeps=20))


def test_a_constant_column_never_varies():
    points = POINTS.copy()
    points[2] = 1.0
    net = kernel_markov(points, BANDWIDTHS)
    assert np.isfinite(query(net, "a", sweeps=20).mean)
    assert "'c' never varies" in str(query(net, "a", {"c": 2.0}, sweeps=20))
    assert "note" not in str(query(net, "a", {"c": 1.0}, sweeps=50))


def test_chains_that_disagree_are_said_to():
    points = np.concatenate([POINTS, POINTS + 40], axis=1)
    answer = query(kernel_markov(points, BANDWIDTHS), "a", sweeps=50)
    assert answer.rhat > 1.05
    assert "The chains disagree" in str(answer)
    assert any(
        "effective sample size is only" in note["text"] for note in answer.document()["notes"]
    )


def test_values_that_are_no_numbers_are_rejected():
    class Broken:
        n_params = 0

        def sample(self, xs, rng, size):
            return np.full(size, np.nan)

    models = (BENT.conditionals[0], Broken(), BENT.conditionals[2])
    with pytest.raises(Exception, match="Draws of 'b' are not finite"):
        query(replace(BENT, conditionals=models), "a", sweeps=3, burn_in=1)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"chains": 0}, DataError, "number of chains must be positive"),
        ({"sweeps": 1.5}, DataError, "number of sweeps must be a non-negative integer"),
        ({"burn_in": -1}, DataError, "burn-in must be a non-negative integer"),
        ({"scan": "fix"}, OptionError, "no scan order 'fix'. Did you mean 'fixed'"),
        ({"chain": 3}, OptionError, "no option of a question 'chain'. Did you mean 'chains'"),
        ({"method": "grids"}, OptionError, "no method 'grids'. Did you mean 'grid'"),
        ({"seed": -1}, DataError, "seed must be a non-negative integer"),
    ],
)
def test_bad_options_get_one_sentence(options, error, message):
    with pytest.raises(error, match=message):
        query(BENT, "a", {"c": 0.5}, **options)


def test_effort_says_its_defaults():
    assert (Effort().chains, Effort().sweeps, Effort().burn_in) == (32, 300, 60)


def test_samples_of_a_markov_network_follow_its_joint():
    table = sample(BENT, np.random.default_rng(1), 2500, burn_in=40)
    assert table.names == BENT.names
    matrix = table.matrix()
    np.testing.assert_allclose(matrix.mean(axis=0), POINTS.mean(axis=1), atol=0.15)
    spread = np.cov(POINTS, ddof=0) + np.diag(BANDWIDTHS**2)
    np.testing.assert_allclose(np.cov(matrix.T), spread, atol=0.25)
    again = sample(BENT, np.random.default_rng(1), 2500, burn_in=40)
    assert (again.matrix() == matrix).all()
    assert sample(BENT, np.random.default_rng(1), 0).rows == 0


def test_samples_of_a_directed_network_are_ancestral():
    net = kernel_bayes(POINTS, BANDWIDTHS)
    table = sample(net, np.random.default_rng(1), 3000)
    np.testing.assert_allclose(table.matrix().mean(axis=0), POINTS.mean(axis=1), atol=0.15)


def test_a_variable_without_neighbours_is_its_own_law():
    graph = UGraph.empty(["x", "y"])
    rows = (np.zeros(5), np.arange(5.0))
    models = (linear(1, [], 2), linear(3, [], 1))
    net = MarkovNet((Variable("x"), Variable("y")), graph, models, rows)
    answer = query(net, "x")
    assert (answer.mean, answer.sd, answer.error) == (1.0, 2.0, 0.0)
    assert answer.quantile(0.975) == pytest.approx(1 + 2 * 1.959964)
