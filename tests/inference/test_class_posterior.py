"""Probabilities of a class with gaps summed out, against sums over all states."""

import numpy as np
import pytest
from naive.classify import enumerated
from scipy.stats import multivariate_normal

from arcwise.conditionals import DiscreteConditional, GaussianConditional
from arcwise.conditionals.clg import ConditionalGaussianModel
from arcwise.data import Variable
from arcwise.errors import FitError
from arcwise.graphs import DAG, random_dag
from arcwise.inference.class_posterior import class_log_joint, normalise_logs
from arcwise.networks import BayesNet, log_density


def random_net(seed, size=6, degree=2.5):
    rng = np.random.default_rng(seed)
    names = tuple("abcdefgh"[:size])
    graph = random_dag(names, degree, rng)
    levels = rng.integers(1, 4, size)
    levels[0] = 3
    variables = tuple(
        Variable(n, tuple(f"l{i}" for i in range(k))) for n, k in zip(names, levels, strict=True)
    )
    models = []
    for node, parents in enumerate(graph.parents):
        shape = [levels[p] for p in parents]
        models.append(DiscreteConditional(rng.dirichlet(np.ones(levels[node]), shape or None)))
    return BayesNet(variables, graph, tuple(models)), levels


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_gaps_are_summed_out(seed, share):
    """Whatever the graph: the class may have parents, too, and features none."""
    net, levels = random_net(seed)
    target = seed % 6
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, k, 40) for k in levels])
    gaps = rng.random(codes.shape) < share
    columns = tuple(np.where(gaps, levels[:, None], codes).astype(np.uint8))
    found = class_log_joint(net, target, columns)
    for row in range(40):
        known = [None if gaps[i, row] else int(codes[i, row]) for i in range(len(levels))]
        wanted = enumerated(lambda s: log_density(net, s), levels, target, known)
        assert found[row] == pytest.approx(wanted, abs=1e-12)


def test_impossible_rows():
    tables = [0.5, 0.5], [[1.0, 0.0], [1.0, 0.0]]
    net = BayesNet(
        (Variable("c", ("no", "yes")), Variable("x", ("0", "1"))),
        DAG.from_arcs(["c -> x"]),
        tuple(DiscreteConditional(np.array(each)) for each in tables),
    )
    logs = class_log_joint(net, 0, (np.zeros(2, np.uint8), np.array([0, 1], np.uint8)))
    assert np.isneginf(logs[1]).all()
    assert np.exp(normalise_logs(logs)).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def gaussian_net():
    """A class, and a chain x -> y -> z of numbers whose regressions differ by class."""
    c = Variable("a", ("no", "yes"))
    variables = (c, Variable("x"), Variable("y"), Variable("z"))
    graph = DAG(("a", "x", "y", "z"), ((), (0,), (0, 1), (0, 2)))
    models = (
        DiscreteConditional(np.array([0.3, 0.7])),
        ConditionalGaussianModel(
            (True,), np.array([0.0, 1.0]), np.zeros((2, 0)), np.array([1.0, 2.0])
        ),
        ConditionalGaussianModel(
            (True, False), np.array([0.5, -0.5]), np.array([[1.0], [-0.5]]), np.array([0.5, 1.5])
        ),
        ConditionalGaussianModel(
            (True, False), np.array([0.0, 0.2]), np.array([[0.8], [1.2]]), np.array([0.7, 0.4])
        ),
    )
    return BayesNet(variables, graph, models)


def normal_of(net, code):
    """Mean and covariance of x, y, z in a class."""
    mean, matrix, noise = np.zeros(3), np.zeros((3, 3)), np.zeros(3)
    for i in range(3):
        model = net.conditionals[i + 1]
        noise[i] = model.variances[code]
        slope = model.slopes[code]
        mean[i] = model.intercepts[code] + (slope[0] * mean[i - 1] if len(slope) else 0.0)
        if len(slope):
            matrix[i, i - 1] = slope[0]
    spread = np.linalg.inv(np.eye(3) - matrix)
    return mean, spread @ np.diag(noise) @ spread.T


@pytest.mark.parametrize("missing", [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_missing_numbers_are_integrated_out(missing):
    net, rng = gaussian_net(), np.random.default_rng(1)
    x = rng.normal(size=(5, 3))
    known = [i for i in range(3) if i not in missing]
    gappy = x.copy()
    gappy[:, missing] = np.nan
    grids = {i: np.linspace(-15, 15, 401) for i in (1, 2, 3)}
    found = class_log_joint(net, 0, (np.zeros(5, np.uint8), *gappy.T), grids)
    for code, prior in enumerate((0.3, 0.7)):
        mean, covariance = normal_of(net, code)
        wanted = np.full(5, np.log(prior))
        if known:
            part = multivariate_normal(mean[known], covariance[np.ix_(known, known)])
            wanted += part.logpdf(x[:, known])
        assert found[:, code] == pytest.approx(wanted, abs=1e-8)


def test_a_missing_number_without_a_grid_is_rejected():
    gappy = (np.zeros(1, np.uint8), np.array([np.nan]), np.zeros(1), np.zeros(1))
    with pytest.raises(FitError, match="'x' is continuous and missing"):
        class_log_joint(gaussian_net(), 0, gappy)


def test_a_feature_beside_the_class():
    """A local model that does not know the class counts in all classes alike."""
    model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    net = BayesNet(
        (Variable("c", ("no", "yes")), Variable("x")),
        DAG.empty(["c", "x"]),
        (DiscreteConditional(np.array([0.2, 0.8])), model),
    )
    logs = class_log_joint(net, 0, (np.zeros(1, np.uint8), np.zeros(1)))
    assert np.exp(normalise_logs(logs))[0] == pytest.approx([0.2, 0.8])


def test_a_table_that_would_not_fit_is_rejected_with_its_size():
    size = 9
    names = tuple(f"x{i}" for i in range(size))
    variables = (Variable("c", ("no", "yes")), *(Variable(n, tuple("abcdefgh")) for n in names))
    parents = ((), *(((0,)) for _ in range(size - 1)), tuple(range(size)))
    models = [DiscreteConditional(np.full(2, 0.5))]
    models += [DiscreteConditional(np.full((2, 8), 1 / 8)) for _ in names[:-1]]
    models += [DiscreteConditional(np.broadcast_to(np.full(8, 1 / 8), (2, *(8,) * (size - 1), 8)))]
    net = BayesNet(variables, DAG(("c", *names), parents), tuple(models))
    columns = [
        np.zeros(1, np.uint8),
        *(np.full(1, 8, np.uint8) for _ in names[:-1]),
        np.zeros(1, np.uint8),
    ]
    with pytest.raises(FitError, match=r"8 features are missing together.*3\.36e\+07 cells"):
        class_log_joint(net, 0, columns)
