"""Intervals of numbers as evidence."""

import numpy as np
import pytest
from scipy.stats import truncnorm

import arcwise as aw
from arcwise.errors import DataError, FitError
from arcwise.graphs import DAG
from arcwise.inference import explain, marginals, probability, query, sample
from arcwise.inference.intervals import box_points
from arcwise.inference.linear_gaussian import joint
from arcwise.networks import BayesNet
from arcwise.networks.draws import random_regressions, weighted_draws

GRAPH = DAG.from_arcs(["a -> b", "a -> c", "b -> d", "c -> d", "d -> e", "c -> f"])
NET = random_regressions(GRAPH, np.random.default_rng(4))
DRAWS = sample(NET, np.random.default_rng(5), 400_000)
HOMES = aw.example("boston").select(["RM", "LSTAT", "MEDV", "AGE"])


def moments(target, given):
    """Mean, standard deviation and standard error of draws that lie in the intervals."""
    inside = np.ones(DRAWS.rows, dtype=bool)
    for name, (low, high) in given.items():
        column = DRAWS.column(name)
        inside &= column >= (-np.inf if low is None else low)
        inside &= column <= (np.inf if high is None else high)
    values = DRAWS.column(target)[inside]
    return values.mean(), values.std(), values.std() / np.sqrt(len(values))


@pytest.mark.parametrize(
    "ends", [(0.3, 1.1), (None, -0.5), (0.2, np.inf), (6.0, None), (-9.0, 9.0)]
)
def test_one_interval_has_the_moments_of_a_truncated_normal(ends):
    whole = joint(NET)
    places = [NET.index("d"), NET.index("a")]
    (d, x), covariance = whole.mean[places], whole.covariance[np.ix_(places, places)]
    sd = np.sqrt(covariance[1, 1])
    low, high = (
        fill if end is None else end for end, fill in zip(ends, (-np.inf, np.inf), strict=False)
    )
    cut = truncnorm((low - x) / sd, (high - x) / sd, x, sd)
    slope = covariance[0, 1] / covariance[1, 1]
    left = covariance[0, 0] - slope * covariance[0, 1]
    found = query(NET, "d", {"a": ends})
    assert found.mean == pytest.approx(d + slope * (cut.mean() - x), abs=1e-6)
    assert found.variance == pytest.approx(left + slope**2 * cut.var(), abs=1e-6)
    assert found.error < 1e-6
    assert found.quality.exact


@pytest.mark.parametrize(
    "given",
    [
        {"a": (0.0, 1.0), "e": (0.5, None)},
        {"a": (0.0, 1.0), "e": (0.5, None), "f": (None, 0.4)},
        {"a": (0.0, 1.0), "e": (0.0, None), "f": (None, 0.4), "b": (-1.0, 1.0)},
    ],
    ids=len,
)
def test_several_intervals_agree_with_draws_that_lie_in_them(given):
    mean, sd, error = moments("d", given)
    found = query(NET, "d", given)
    assert abs(found.mean - mean) < 5 * np.hypot(error, found.error)
    assert found.sd == pytest.approx(sd, rel=0.03)
    assert found.quality.exact == (len(given) < 4)
    assert (found.error > 0) == (len(given) == 4)
    assert found.error < 0.01
    other = query(NET, "d", given, method="importance", draws=100_000)
    assert abs(other.mean - found.mean) < 5 * np.hypot(other.error, found.error)


def test_the_error_of_quasi_random_points_is_that_of_repeats():
    limits = [(0.0, 1.0), (0.5, np.inf), (-np.inf, 0.4), (0.3, 0.9)]
    covariance = 0.5 * np.eye(4) + 0.5
    means, errors = [], []
    for seed in range(40):
        rule = box_points(np.zeros(4), covariance, limits, np.random.default_rng(seed))
        means.append(rule.shares @ rule.values)
        errors.append(rule.error(rule.values))
    spread, stated = np.std(means, axis=0), np.sqrt(np.mean(np.square(errors), axis=0))
    assert (spread < 2 * stated).all()
    assert (spread > 0.5 * stated).all()
    far = box_points(np.zeros(4), covariance, [(8.0, np.inf)] * 4, np.random.default_rng(1))
    assert (far.values >= 8.0).all()
    assert np.isfinite(far.shares @ far.values).all()


def test_a_narrow_interval_is_a_value_and_an_open_one_no_evidence():
    point, narrow = query(NET, "d", {"a": 0.7}), query(NET, "d", {"a": (0.7 - 1e-7, 0.7 + 1e-7)})
    assert narrow.mean == pytest.approx(point.mean, abs=1e-6)
    assert narrow.interval() == pytest.approx(point.interval(), abs=1e-2)
    assert query(NET, "d", {"a": (0.7, 0.7)}).mean == point.mean
    assert query(NET, "d", {"a": (None, np.inf)}).mean == query(NET, "d").mean


def test_the_parameters_of_a_fitted_network_stay_uncertain():
    net = aw.learn(HOMES, model="gaussian")
    narrow = net.query("MEDV", {"RM": (6.5 - 1e-7, 6.5 + 1e-7)})
    assert narrow.sd == pytest.approx(net.query("MEDV", {"RM": 6.5}).sd, rel=1e-6)


def test_joint_answers_marginals_and_draws():
    both = query(NET, ["d", "f"], {"a": (0.0, 1.0)})
    inside = (DRAWS.column("a") >= 0) & (DRAWS.column("a") <= 1)
    drawn = np.corrcoef(DRAWS.column("d")[inside], DRAWS.column("f")[inside])[0, 1]
    assert both.correlation[0, 1] == pytest.approx(drawn, abs=0.06)
    assert "4000 draws" in str(both)
    every = marginals(NET, {"a": (0.0, 1.0)})
    assert [*every] == ["b", "c", "d", "e", "f"]
    assert every["d"].mean == pytest.approx(both["d"].mean)
    rows = sample(NET, np.random.default_rng(1), 3000, {"a": (0.0, 1.0)})
    assert rows.column("a").min() >= 0
    assert rows.column("a").max() <= 1
    assert rows.column("d").mean() == pytest.approx(both["d"].mean, abs=5 * both["d"].sd / 50)


def test_probabilities_of_intervals():
    given = {"a": (0.0, 1.0), "e": (0.5, None)}
    inside = (DRAWS.column("a") >= 0) & (DRAWS.column("a") <= 1) & (DRAWS.column("e") >= 0.5)
    found = probability(NET, given)
    assert found == pytest.approx(inside.mean(), abs=0.004)
    assert probability(NET, given, log=True) == pytest.approx(np.log(found))


def test_other_directed_networks_weigh_draws():
    net = aw.learn(HOMES, model="parzen", certainty=False)
    drawn = net.sample(40_000, seed=3)
    inside = (drawn.column("RM") >= 6) & (drawn.column("RM") <= 7)
    found, values = net.query("MEDV", {"RM": (6, 7)}), drawn.column("MEDV")[inside]
    error = values.std() / np.sqrt(len(values))
    assert abs(found.mean - values.mean()) < 5 * np.hypot(found.error, error)
    assert found.error > 0
    undirected = aw.learn(HOMES, model="parzen", graph="undirected")
    with pytest.raises(FitError, match="a directed or a Gaussian network"):
        undirected.query("MEDV", {"RM": (6, 7)})


def test_undirected_networks_averages_and_interventions():
    undirected = aw.learn(HOMES, graph="undirected")
    assert undirected.query("MEDV", {"RM": (6, 7)}).mean == pytest.approx(24.1, abs=0.3)
    answer = aw.posterior(HOMES.select(["RM", "LSTAT", "MEDV"])).query("MEDV", {"RM": (6, 7)})
    assert answer.mean == pytest.approx(24.1, abs=0.3)
    assert "do not change the weights" in str(answer)
    changed = query(NET, "d", {"b": (0.0, 1.0)}, {"c": 1.0})
    parents = tuple(() if n == 2 else p for n, p in enumerate(NET.graph.parents))
    after = BayesNet(NET.variables, DAG(NET.graph.nodes, parents), _without_parents())
    wanted = query(after, "d", {"b": (0.0, 1.0), "c": 1.0}).mean
    assert changed.mean == pytest.approx(wanted)


def _without_parents():
    """The local models with one for c that has no parents."""
    free = random_regressions(DAG.from_arcs([], nodes=["c"]), np.random.default_rng(1))
    return tuple(free.conditionals[0] if n == 2 else m for n, m in enumerate(NET.conditionals))


def test_an_explanation_takes_values():
    with pytest.raises(DataError, match="got an interval"):
        explain(NET, {"a": (0.0, 1.0)})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"a": (2.0, 1.0)}, "must have a lower end below the upper"),
        ({"a": (np.nan, 1.0)}, "must be a finite number"),
        ({"a": ("x", 1.0)}, "must be a finite number"),
        ({"a": [1.0, 2.0]}, "or an interval"),
        ({"d": (1.0, 2.0)}, "is both a target and evidence"),
    ],
)
def test_intervals_that_make_no_sense(given, sentence):
    with pytest.raises(DataError, match=sentence):
        query(NET, "d", given)


def test_draws_outside_an_interval_have_no_weight():
    found = weighted_draws(
        NET, {}, set(range(6)), np.random.default_rng(1), 500, ranges={0: (0.0, 1.0)}
    )
    inside = (found.columns[0] >= 0) & (found.columns[0] <= 1)
    assert ((found.logs[0] == 0) == inside).all()
    assert np.isneginf(found.logs[0][~inside]).all()
