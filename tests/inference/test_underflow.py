"""Answers whose evidence is far less probable than the smallest double, against sums of logarithms."""

from math import fsum

import numpy as np
import pytest

from arcwise.conditionals import DiscreteConditional
from arcwise.data import Table, Variable
from arcwise.graphs import DAG
from arcwise.inference import explain, predict, probability, query
from arcwise.inference.class_posterior import class_log_joint
from arcwise.inference.factors import ScaledArray
from arcwise.networks import BayesNet


def words(count: int) -> tuple[str, ...]:
    return tuple(f"l{i}" for i in range(count))


def made(tables: list[np.ndarray], parents: list[tuple[int, ...]]) -> BayesNet:
    names = [f"v{i:05d}" for i in range(len(tables))]
    variables = tuple(
        Variable(name, words(table.shape[-1])) for name, table in zip(names, tables, strict=True)
    )
    return BayesNet(variables, DAG(names, parents), tuple(map(DiscreteConditional, tables)))


def star(classes: int, features: int, levels: int, seed: int = 0) -> BayesNet:
    """Naive Bayes: the class is the first variable."""
    rng = np.random.default_rng(seed)
    tables = [rng.dirichlet(np.ones(classes))]
    tables += [rng.dirichlet(np.ones(levels), classes) for _ in range(features)]
    return made(tables, [(), *[(0,)] * features])


def named(net: BayesNet, evidence: dict[int, int]) -> dict[str, str]:
    return {net.names[node]: f"l{level}" for node, level in evidence.items()}


def shares(belief) -> np.ndarray:
    return belief.distribution.probabilities[0]


def class_logs(net: BayesNet, evidence: dict[int, int]) -> np.ndarray:
    """The log probability of each class together with the evidence, each sum exact."""
    tables = [model.table for model in net.conditionals]
    with np.errstate(divide="ignore"):
        return np.array([
            fsum([np.log(own), *(np.log(tables[i][k, level]) for i, level in evidence.items())])
            for k, own in enumerate(tables[0])
        ])  # fmt: skip


def normalised(logs: np.ndarray) -> tuple[np.ndarray, float]:
    total = float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))
    return np.exp(logs - total), total


@pytest.mark.parametrize(("classes", "features"), [(10, 324), (10, 330), (2, 1076), (10, 3000)])
def test_a_hub_without_evidence_has_its_own_probabilities(classes, features):
    net = star(classes, features, 2)
    prior = net.conditionals[0].table
    assert shares(query(net, net.names[0])) == pytest.approx(prior, abs=1e-12)
    child = prior @ net.conditionals[7].table
    assert shares(query(net, net.names[7])) == pytest.approx(child, abs=1e-12)


@pytest.mark.parametrize("method", [None, "junction", "elimination"])
@pytest.mark.parametrize(("classes", "features", "levels"), [(2, 1500, 2), (10, 5000, 4)])
def test_naive_bayes_answers_exactly(classes, features, levels, method):
    net, rng = star(classes, features, levels), np.random.default_rng(1)
    evidence = {i: int(rng.integers(levels)) for i in range(1, features - 3)}
    wanted, total = normalised(class_logs(net, evidence))
    given, options = named(net, evidence), {} if method is None else {"method": method}
    assert shares(query(net, net.names[0], given, **options)) == pytest.approx(wanted, abs=1e-10)
    assert probability(net, given, log=True, **options) == pytest.approx(total, abs=1e-9)
    last = wanted @ net.conditionals[-1].table
    assert shares(query(net, net.names[-1], given, **options)) == pytest.approx(last, abs=1e-10)
    both = query(net, [net.names[0], net.names[-1]], given, **options)
    assert both.joint.table == pytest.approx(
        wanted[:, None] * net.conditionals[-1].table, abs=1e-10
    )


@pytest.mark.parametrize("method", ["junction", "elimination"])
def test_evidence_that_turns_back_and_forth_loses_nothing(method):
    # Half of the features speak for one class by 2 ** 2000, the other half for the other one.
    half = np.array([[2 / 3, 1 / 3], [1 / 3, 2 / 3]])
    tables = [np.array([0.3, 0.7]), *[half] * 2000, *[half[::-1]] * 2000, half]
    net = made(tables, [(), *[(0,)] * 4001])
    given = named(net, dict.fromkeys(range(1, 4002), 0))
    found = shares(query(net, net.names[0], given, method=method))
    assert found == pytest.approx([0.6 / 1.3, 0.7 / 1.3], abs=1e-10)


def test_sets_weights_and_settings_of_levels_are_weighed_exactly():
    net, rng = star(4, 3000, 3, seed=3), np.random.default_rng(2)
    seen = {i: int(rng.integers(3)) for i in range(1, 1001)}
    pairs = {i: [f"l{j}" for j in rng.choice(3, 2, replace=False)] for i in range(1001, 2001)}
    soft = {i: dict(zip(words(3), rng.uniform(0, 1e-3, 3), strict=True)) for i in range(2001, 2900)}
    forced = {2950: 1}
    logs = class_logs(net, seen)
    for i, levels in pairs.items():
        logs += np.log(net.conditionals[i].table[:, [int(each[1]) for each in levels]].sum(axis=1))
    for i, weights in soft.items():
        logs += np.log(net.conditionals[i].table @ np.array(list(weights.values())))
    wanted, total = normalised(logs)
    given = named(net, seen) | {net.names[i]: each for i, each in (pairs | soft).items()}
    do = named(net, forced)
    for method in ("junction", "elimination"):
        found = query(net, net.names[0], given, do, method=method)
        assert shares(found) == pytest.approx(wanted, abs=1e-10)
        log = probability(net, given, do, log=True, method=method)
        assert log == pytest.approx(total, rel=1e-13)


def test_the_most_probable_explanation_of_improbable_evidence():
    net, rng = star(10, 5000, 4), np.random.default_rng(5)
    evidence = {i: int(rng.integers(4)) for i in range(1, 4000)}
    best = class_logs(net, evidence)
    hidden = [model.table.max(axis=1) for model in net.conditionals[4000:]]
    best += np.array([fsum(np.log([row[k] for row in hidden])) for k in range(10)])
    found = explain(net, named(net, evidence))
    assert found[net.names[0]] == f"l{best.argmax()}"
    assert found.log_probability == pytest.approx(best.max(), abs=1e-9)
    tops = [f"l{model.table[best.argmax()].argmax()}" for model in net.conditionals[4000:]]
    assert [found[name] for name in net.names[4000:]] == tops


def test_rows_of_a_table_are_predicted_exactly():
    net, rng = star(5, 1500, 3, seed=4), np.random.default_rng(3)
    codes = rng.integers(0, 3, (6, 1500))
    gaps = rng.random((6, 1500)) < 0.1
    columns = (np.zeros(6, np.uint8), *np.where(gaps, 3, codes).astype(np.uint8).T)
    found = predict(net, Table(net.variables, columns), net.names[0])
    for row in range(6):
        evidence = {i + 1: int(codes[row, i]) for i in range(1500) if not gaps[row, i]}
        wanted, _ = normalised(class_logs(net, evidence))
        assert found.distribution.probabilities[row] == pytest.approx(wanted, abs=1e-10)


def hidden_chain(steps: int, rare: float) -> tuple[BayesNet, list[np.ndarray]]:
    """A chain of hidden states, the even nodes, each with an observation after it."""
    rng = np.random.default_rng(6)
    tables, parents = [rng.dirichlet(np.ones(3))], [()]
    for step in range(steps):
        seen = rng.dirichlet(np.ones(4), 3)
        seen[:, 0] = rare * rng.random(3)
        tables.append(seen / seen.sum(axis=1, keepdims=True))
        parents.append((2 * step,))
        tables.append(rng.dirichlet(np.ones(3), 3))
        parents.append((2 * step,))
    return made(tables, parents), tables


def test_a_long_chain_of_rare_observations():
    steps = 2200
    net, tables = hidden_chain(steps, 1e-20)
    message, total, forward = tables[0], [], []
    for step in range(steps):
        message = message * tables[2 * step + 1][:, 0]
        total.append(np.log(message.sum()))
        message = message / message.sum()
        forward.append(message)
        message = message @ tables[2 * step + 2]
    backward = np.ones(3)
    middle = steps // 2
    for step in range(steps - 1, middle, -1):
        backward = tables[2 * step] @ (tables[2 * step + 1][:, 0] * backward)
        backward /= backward.sum()
    wanted = forward[middle] * backward
    given = {net.names[2 * step + 1]: "l0" for step in range(steps)}
    for method in ("junction", "elimination"):
        log = probability(net, given, log=True, method=method)
        assert log == pytest.approx(fsum(total), rel=1e-13)
        assert log < -1e5
        found = shares(query(net, net.names[2 * middle], given, method=method))
        assert found == pytest.approx(wanted / wanted.sum(), abs=1e-10)


@pytest.mark.parametrize("method", ["junction", "elimination"])
def test_what_is_all_but_impossible_is_possible(method):
    # Each step goes on with a chance of 1e-5: the end has a probability of 1e-400.
    step = np.array([[1.0, 0.0], [1.0 - 1e-5, 1e-5]])
    net = made([np.array([0.5, 0.5]), *[step] * 80], [(), *[(i,) for i in range(80)]])
    given = {net.names[-1]: "l1"}
    log = probability(net, given, log=True, method=method)
    assert log == pytest.approx(np.log(0.5) + 80 * np.log(1e-5), rel=1e-13)
    assert shares(query(net, net.names[0], given, method=method)).tolist() == [0.0, 1.0]


def test_a_missing_feature_with_many_children_is_summed_out_exactly():
    rng, children = np.random.default_rng(7), 2000
    tables = [rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), 3)]
    tables += [rng.dirichlet(np.ones(2), (3, 3)) for _ in range(children)]
    net = made(tables, [(), (0,), *[(0, 1)] * children])
    codes = rng.integers(0, 2, (4, children)).astype(np.uint8)
    columns = (np.zeros(4, np.uint8), np.full(4, 3, np.uint8), *codes.T)
    found = class_log_joint(net, 0, columns)
    for row in range(4):
        logs = np.log(tables[0])[:, None] + np.log(tables[1])
        cells = np.array([np.log(t[..., c]) for t, c in zip(tables[2:], codes[row], strict=True)])
        logs = logs + np.array([[fsum(cells[:, k, m]) for m in range(3)] for k in range(3)])
        top = logs.max(axis=1, keepdims=True)
        wanted = top[:, 0] + np.log(np.exp(logs - top).sum(axis=1))
        assert found[row] == pytest.approx(wanted, abs=1e-10)


def test_scaled_numbers_calculate_as_numbers_do():
    rng = np.random.default_rng(8)
    one, two = rng.random((3, 4, 2)), rng.random((1, 4, 1)) * (rng.random((1, 4, 1)) < 0.7)
    product = ScaledArray.of(one) * ScaledArray.of(two)
    assert np.exp(product.log()) == pytest.approx(one * two, rel=1e-14)
    assert np.exp(product.sum((0, 2)).log()) == pytest.approx((one * two).sum((0, 2)), rel=1e-14)
    assert product.shares() == pytest.approx(one * two / (one * two).sum(), rel=1e-14)
    logs = np.array([-1e6, -1e6 + 1.0, -np.inf])
    assert ScaledArray.of_logs(logs).log()[:2] == pytest.approx(logs[:2], rel=1e-15)
    assert ScaledArray.of_logs(logs).shares() == pytest.approx(
        [1 / (1 + np.e), np.e / (1 + np.e), 0.0]
    )
    assert not ScaledArray.of(np.zeros(3)).shares().any()
