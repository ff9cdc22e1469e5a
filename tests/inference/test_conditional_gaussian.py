"""Exact answers of conditional Gaussian networks, next to enumeration and quadrature."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import arcwise as aw
from arcwise.conditionals import DiscreteConditional
from arcwise.conditionals.clg import ConditionalGaussianModel
from arcwise.data import Table, Variable
from arcwise.distributions import Mixture, Normal
from arcwise.graphs import DAG
from arcwise.inference import impute, marginal_log_density, marginals, predict, query, sample
from arcwise.networks import BayesNet, cut

TIGHT = 1e-8


def random_net(seed: int, size: int = 7) -> BayesNet:
    """Half of the variables are categories, which have categories as parents."""
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(size)]
    discrete = rng.permutation(size) < size // 2
    variables = tuple(
        Variable(name, tuple("abc"[: rng.integers(2, 4)]) if flag else None)
        for name, flag in zip(names, discrete, strict=True)
    )
    order, parents, models = rng.permutation(size), [()] * size, [None] * size
    for k, child in enumerate(order.tolist()):
        above = [
            p
            for p in order[:k].tolist()
            if rng.random() < 0.55 and (discrete[p] or not discrete[child])
        ]
        parents[child] = tuple(sorted(above)[:3])
        levels = [len(variables[p].levels) for p in parents[child] if discrete[p]]
        numbers = sum(not discrete[p] for p in parents[child])
        if discrete[child]:
            table = rng.dirichlet(np.ones(len(variables[child].levels)), size=levels or None)
            models[child] = DiscreteConditional(table)
        else:
            models[child] = ConditionalGaussianModel(
                tuple(bool(discrete[p]) for p in parents[child]),
                rng.normal(size=levels) * 2,
                rng.normal(size=(*levels, numbers)),
                rng.uniform(0.2, 1.5, size=levels),
            )
    return BayesNet(variables, DAG(tuple(names), tuple(parents)), tuple(models))


def enumerated(net: BayesNet, given: dict[int, float]) -> tuple[list, dict[int, int], list[int]]:
    """Every configuration of the categories with log weight, mean and covariance of the hidden numbers."""
    kinds = [variable.discrete for variable in net.variables]
    categories = [i for i, flag in enumerate(kinds) if flag]
    numbers = [i for i in net.graph.order() if not kinds[i]]
    seen = [k for k, i in enumerate(numbers) if i in given]
    hidden = [k for k, i in enumerate(numbers) if i not in given]
    found = []
    for codes in itertools.product(*(range(len(net.variables[i].levels)) for i in categories)):
        state = dict(zip(categories, codes, strict=True))
        if any(given.get(i, code) != code for i, code in state.items()):
            continue
        log, mean, cov = 0.0, np.zeros(len(numbers)), np.zeros((len(numbers),) * 2)
        for i in categories:
            xs = tuple(np.array([state[p]]) for p in net.graph.parents[i])
            log += float(net.conditionals[i].logpdf(np.array([state[i]]), xs)[0])
        for k, i in enumerate(numbers):
            model, above = net.conditionals[i], net.graph.parents[i]
            at = tuple(state[p] for p in above if kinds[p])
            slope = np.zeros(len(numbers))
            slope[[numbers.index(p) for p in above if not kinds[p]]] = model.slopes[at]
            mean[k] = model.intercepts[at] + slope @ mean
            cov[k, :k] = cov[:k, k] = (slope @ cov)[:k]
            cov[k, k] = slope @ cov @ slope + model.variances[at]
        if seen:
            values = np.array([given[numbers[k]] for k in seen]) - mean[seen]
            block = cov[np.ix_(seen, seen)]
            log -= 0.5 * (values @ np.linalg.solve(block, values))
            log -= 0.5 * np.linalg.slogdet(2 * np.pi * block)[1]
            gain = np.linalg.solve(block, cov[np.ix_(seen, hidden)]).T
            middle = mean[hidden] + gain @ values
            spread = cov[np.ix_(hidden, hidden)] - gain @ cov[np.ix_(seen, hidden)]
        else:
            middle, spread = mean, cov
        found.append((state, log, middle, spread))
    return found, {numbers[k]: place for place, k in enumerate(hidden)}, categories


def check(net: BayesNet, target: int, given: dict[int, float], answer) -> None:
    """The answer for a variable is that of the enumeration."""
    found, place, _ = enumerated(net, given)
    logs = np.array([log for _, log, _, _ in found])
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    if net.variables[target].discrete:
        expected = np.zeros(len(net.variables[target].levels))
        for (state, *_), weight in zip(found, weights, strict=True):
            expected[state[target]] += weight
        shares = answer.categorical.probabilities[0]
        np.testing.assert_allclose(shares, expected, atol=TIGHT)
        return
    means = np.array([mean[place[target]] for _, _, mean, _ in found])
    sds = np.sqrt([cov[place[target], place[target]] for *_, cov in found])
    exact = Mixture(means[None], sds[None], weights[None])
    np.testing.assert_allclose(answer.mean, exact.mean, atol=TIGHT)
    np.testing.assert_allclose(answer.sd, exact.sd, atol=TIGHT)
    points = np.linspace(exact.mean[0] - 3 * exact.sd[0], exact.mean[0] + 3 * exact.sd[0], 7)[None]
    np.testing.assert_allclose(answer.logpdf(points), exact.logpdf(points), atol=TIGHT)
    np.testing.assert_allclose(answer.cdf(points), exact.cdf(points), atol=TIGHT)


@pytest.mark.parametrize("seed", range(12))
def test_queries_equal_enumeration(seed):
    net = random_net(seed)
    rng = np.random.default_rng(100 + seed)
    rows = sample(net, rng, 4)
    for share in (0.0, 0.4, 0.8):
        known = [i for i in range(len(net.names)) if rng.random() < share]
        given = {i: float(rows.columns[i][0]) for i in known}
        evidence = {
            net.names[i]: x if net.variables[i].levels is None else net.variables[i].levels[int(x)]
            for i, x in given.items()
        }
        for target in set(range(len(net.names))) - set(known):
            belief = query(net, net.names[target], evidence, method="conditional-gaussian")
            assert belief.error == 0.0
            check(net, target, given, belief.distribution)


@pytest.mark.parametrize("seed", range(4))
def test_rows_with_missing_cells_equal_enumeration(seed):
    net, rng = random_net(seed + 50), np.random.default_rng(seed)
    full = sample(net, rng, 30)
    gaps = rng.random((30, len(net.names))) < 0.4
    columns = tuple(
        np.where(gap, variable.gap, column).astype(variable.dtype)
        for gap, variable, column in zip(gaps.T, net.variables, full.columns, strict=True)
    )
    table = Table(net.variables, columns)
    for target in range(len(net.names)):
        answer = predict(net, table, net.names[target], method="conditional-gaussian").distribution
        logs = (
            answer.mean
            if not net.variables[target].discrete
            else answer.chances(len(net.variables[target].levels))
        )
        for row in range(0, 30, 7):
            given = {
                i: float(full.columns[i][row])
                for i in range(len(net.names))
                if i != target and not gaps[row, i]
            }
            single = query(
                net,
                net.names[target],
                {
                    net.names[i]: x
                    if net.variables[i].levels is None
                    else net.variables[i].levels[int(x)]
                    for i, x in given.items()
                },
            ).distribution
            own = (
                single.mean[0]
                if not net.variables[target].discrete
                else single.chances(len(net.variables[target].levels))[0]
            )
            np.testing.assert_allclose(logs[row], own, atol=TIGHT)
    density = marginal_log_density(net, table, method="conditional-gaussian")
    for row in range(0, 30, 5):
        given = {i: float(full.columns[i][row]) for i in range(len(net.names)) if not gaps[row, i]}
        found, *_ = enumerated(net, given)
        total = np.logaddexp.reduce([log for _, log, _, _ in found])
        assert abs(density[row] - total) < TIGHT
    filled = impute(net, table)
    drawn = impute(net, table, np.random.default_rng(1))
    assert not filled.missing().any()
    assert not drawn.missing().any()
    for column, own, again, gap in zip(
        full.columns, filled.columns, drawn.columns, gaps.T, strict=True
    ):
        assert (column[~gap] == own[~gap]).all()
        assert (column[~gap] == again[~gap]).all()


def small_net() -> BayesNet:
    """town -> price <- size, town -> size; price -> sold is a logit."""
    rng = np.random.default_rng(3)
    town = rng.choice(["north", "south"], 600)
    size = 1.5 * (town == "north") + rng.normal(size=600)
    price = size * np.where(town == "north", 2.0, -1.0) + rng.normal(size=600)
    sold = np.where(rng.random(600) < 1 / (1 + np.exp(price - 1)), "yes", "no")
    data = {"town": town, "size": size, "price": price, "sold": sold}
    graph = "[town][size|town][price|size:town][sold|price]"
    return aw.fit(graph, data, model="glm").net


def test_questions_with_observed_numbers_need_no_linear_models():
    net = small_net()
    belief = query(net, "town", {"price": 1.0, "sold": "yes"})
    assert belief.error == 0.0
    same = query(net, "town", {"price": 1.0})
    np.testing.assert_allclose(
        list(belief.probabilities.values()), list(same.probabilities.values()), atol=1e-12
    )
    assert (
        query(net, "size", {"sold": "yes"}, seed=1).error > 0
    )  # the price is hidden above a logit


def test_sets_and_weights_are_evidence():
    net, rng = random_net(5), np.random.default_rng(0)
    target = next(i for i, v in enumerate(net.variables) if not v.discrete)
    levels = {i: len(v.levels) for i, v in enumerate(net.variables) if v.discrete}
    soft = next(i for i, size in levels.items() if size == 3)
    weights = {level: rng.random() for level in net.variables[soft].levels}
    belief = query(net, net.names[target], {net.names[soft]: weights})
    found, place, _ = enumerated(net, {})
    logs = np.array([log for _, log, _, _ in found])
    share = np.exp(logs) * [list(weights.values())[state[soft]] for state, *_ in found]
    means = np.array([mean[place[target]] for _, _, mean, _ in found])
    assert belief.error == 0.0
    assert abs(belief.mean - share @ means / share.sum()) < TIGHT


@pytest.mark.parametrize("limits", [(0.5, 1.5), (None, -1.0), (2.0, None), (9.0, 9.5)])
def test_intervals_equal_quadrature(limits):
    from scipy.integrate import quad

    net = random_net(2)
    numbers = [i for i, v in enumerate(net.variables) if not v.discrete]
    node, target = next(
        (p, c) for c in numbers for p in net.graph.parents[c] if not net.variables[p].discrete
    )
    category = next(i for i, v in enumerate(net.variables) if v.discrete)
    before = query(net, net.names[node]).distribution

    def at(x: float, name: str):
        return query(net, name, {net.names[node]: x}).distribution

    low = limits[0] if limits[0] is not None else before.mean[0] - 12 * before.sd[0]
    high = limits[1] if limits[1] is not None else before.mean[0] + 12 * before.sd[0]
    middle = np.clip(before.mean[0], low, high)

    def integral(function) -> float:
        def weighed(x: float) -> float:
            return float(np.exp(before.logpdf(np.array([x]))[0])) * function(x)

        ends = [low, *np.unique([middle, (low + middle) / 2, (high + middle) / 2]), high]
        pairs = itertools.pairwise(ends)
        return sum(quad(weighed, a, b, epsabs=1e-15, epsrel=1e-11, limit=200)[0] for a, b in pairs)

    mass = integral(lambda _: 1.0)
    mean = integral(lambda x: float(at(x, net.names[target]).mean[0])) / mass
    share = integral(lambda x: float(at(x, net.names[category]).probabilities[0, 0])) / mass
    evidence = {net.names[node]: limits}
    found = query(net, net.names[target], evidence)
    assert abs(found.mean - mean) < TIGHT * max(1, abs(mean))
    assert found.error < 1e-6
    other = query(net, net.names[category], evidence).distribution.probabilities[0, 0]
    assert abs(other - share) < TIGHT


def test_setting_cuts_what_is_above():
    net = random_net(7)
    for node in range(len(net.names)):
        value = 0 if net.variables[node].discrete else 1.25
        shown = net.variables[node].levels[0] if net.variables[node].discrete else value
        for target in set(range(len(net.names))) - {node}:
            belief = query(net, net.names[target], do={net.names[node]: shown})
            cut_net = cut(net, {node: value})
            direct = query(cut_net, net.names[target], {net.names[node]: shown})
            assert belief.error == direct.error == 0.0
            if net.variables[target].discrete:
                a, b = belief.distribution.probabilities, direct.distribution.probabilities
                np.testing.assert_allclose(a, b, atol=TIGHT)
            else:
                assert abs(belief.mean - direct.mean) < TIGHT


def test_draws_have_the_distribution_of_the_answer():
    net = random_net(3)
    numbers = [i for i, v in enumerate(net.variables) if not v.discrete]
    given = {net.names[numbers[-1]]: 0.7}
    table = sample(net, np.random.default_rng(1), 20_000, given, method="conditional-gaussian")
    for i, variable in enumerate(net.variables):
        if variable.name in given:
            assert (table.columns[i] == 0.7).all()
            continue
        belief = query(net, variable.name, given).distribution
        if variable.discrete:
            shares = np.bincount(table.columns[i], minlength=len(variable.levels)) / 20_000
            np.testing.assert_allclose(shares, belief.probabilities[0], atol=0.015)
        else:
            error = belief.sd[0] / np.sqrt(20_000)
            assert abs(table.columns[i].mean() - belief.mean[0]) < 4.5 * error
            assert abs(table.columns[i].std() / belief.sd[0] - 1) < 0.05


def test_shifted_units_change_nothing_but_units():
    rng = np.random.default_rng(4)
    town = rng.choice(["a", "b", "c"], 300)
    x = rng.normal(size=300) + (town == "a")
    y = x * (1 + (town == "b")) + rng.normal(size=300)
    plain = aw.fit("[t][x|t][y|t:x]", {"t": town, "x": x, "y": y}, model="auto")
    moved = aw.fit("[t][x|t][y|t:x]", {"t": town, "x": x + 1e9, "y": y + 1e9}, model="auto")
    a, b = plain.query("x", given={"y": 1.0}), moved.query("x", given={"y": 1e9 + 1.0})
    assert a.error == b.error == 0.0
    assert abs(a.mean - (b.mean - 1e9)) < 1e-5
    assert abs(a.sd - b.sd) < 1e-5
    p, q = plain.query("t", given={"y": 1.0}), moved.query("t", given={"y": 1e9 + 1.0})
    np.testing.assert_allclose(
        list(p.probabilities.values()), list(q.probabilities.values()), atol=1e-5
    )


def test_too_many_configurations_are_simulated():
    parents = tuple(f"c{i:02}" for i in range(18))
    variables = (
        *(Variable(name, ("a", "b")) for name in parents),
        *(Variable(f"z{i}") for i in range(9)),
    )
    coin = DiscreteConditional(np.array([0.5, 0.5]))
    rng = np.random.default_rng(0)
    numbers, arcs = [], [()] * 18
    for i in range(9):  # a chain of numbers, each with two categories of its own
        above = (2 * i, 2 * i + 1, *((18 + i - 1,) if i else ()))
        arcs.append(above)
        kinds = (True, True, *((False,) if i else ()))
        numbers.append(
            ConditionalGaussianModel(
                kinds, rng.normal(size=(2, 2)), np.ones((2, 2, 1 if i else 0)), np.ones((2, 2))
            )
        )
    graph = DAG(tuple(v.name for v in variables), tuple(arcs))
    net = BayesNet(variables, graph, (*[coin] * 18, *numbers))
    assert query(net, "z3").error == 0.0
    wide = query(net, "z8", seed=1)
    assert wide.error > 0.0
    with pytest.raises(aw.ArcwiseError, match="configurations"):
        query(net, "z8", method="conditional-gaussian")


def test_a_network_of_one_kind_keeps_its_engine():
    lines = aw.fit("[x][y|x]", {"x": np.arange(9.0) ** 2, "y": np.arange(9.0)}, model="gaussian")
    plug_in = lines.query("y", given={"x": 3.0}, method="conditional-gaussian")
    assert isinstance(plug_in.distribution, Normal)
    assert abs(lines.query("y", given={"x": 3.0}).mean - plug_in.mean) < TIGHT
    assert (
        lines.query("y", given={"x": 3.0}).sd > plug_in.sd
    )  # uncertain parameters widen an answer


def test_all_marginals_at_once():
    net = random_net(9)
    given = {net.names[0]: net.variables[0].levels[0] if net.variables[0].discrete else 0.3}
    together = marginals(net, given=given)
    for name in net.names[1:]:
        one = query(net, name, given)
        a, b = together[name].distribution, one.distribution
        if a.categorical is None:
            assert abs(a.mean[0] - b.mean[0]) < TIGHT
        else:
            np.testing.assert_allclose(a.probabilities, b.probabilities, atol=TIGHT)


def test_answers_do_not_depend_on_the_number_of_rows_held_at_once(monkeypatch):
    from arcwise.inference import mixture_rows

    net = random_net(11)
    table = sample(net, np.random.default_rng(1), 60)
    blank = replace(table, columns=tuple(table.columns))
    names = [v.name for v in net.variables if not v.discrete]
    wide = predict(net, blank.select(names[1:]), names[0], method="conditional-gaussian").mean
    monkeypatch.setattr(mixture_rows, "SLOTS", 300)
    narrow = predict(net, blank.select(names[1:]), names[0], method="conditional-gaussian").mean
    np.testing.assert_allclose(wide, narrow, atol=1e-12)


@pytest.mark.parametrize("seed", [1, 4, 6, 8])
def test_joint_answers_equal_enumeration(seed):
    net, rng = random_net(seed, 6), np.random.default_rng(seed)
    categories = [i for i, v in enumerate(net.variables) if v.discrete]
    numbers = [i for i, v in enumerate(net.variables) if not v.discrete]
    given = {numbers[0]: 0.4}
    asked = [*numbers[1:], categories[0]]  # other categories are summed out
    both = query(net, [net.names[i] for i in asked], {net.names[numbers[0]]: 0.4})
    found, place, _ = enumerated(net, given)
    logs = np.array([log for _, log, _, _ in found])
    weights = np.exp(logs - np.logaddexp.reduce(logs))
    means = np.array([[mean[place[i]] for i in numbers[1:]] for _, _, mean, _ in found])
    where = [place[i] for i in numbers[1:]]
    covs = np.array([cov[np.ix_(where, where)] for *_, cov in found])
    codes = np.array([state[categories[0]] for state, *_ in found])

    def density(row: np.ndarray) -> float:
        off = row[:-1] - means
        z = np.einsum("mi,mij,mj->m", off, np.linalg.inv(covs), off)
        sizes = np.linalg.slogdet(2 * np.pi * covs)[1]
        return float((weights * np.exp(-0.5 * (z + sizes)))[codes == row[-1]].sum())

    points = both.joint.sample(rng, 20)
    expected = [np.log(density(row)) for row in points]
    np.testing.assert_allclose(both.joint.logpdf(points), expected, atol=TIGHT)
    mode = both.joint.mode
    assert all(density(mode) >= density(row) * (1 - TIGHT) for row in points)
    steps = np.eye(len(mode))[:-1] * 1e-3
    assert all(density(mode) >= density(mode + s) for step in steps for s in (step, -step))
    off = means - weights @ means
    cov = np.einsum("m,mi,mj->ij", weights, off, off) + np.einsum("m,mij->ij", weights, covs)
    if len(where) > 1:
        pair = query(
            net, [net.names[i] for i in numbers[1:]], {net.names[numbers[0]]: 0.4}
        ).correlation
        sd = np.sqrt(np.diag(cov))
        np.testing.assert_allclose(pair, cov / np.outer(sd, sd), atol=TIGHT)
    level = net.variables[categories[0]].levels[0]
    name, middle = net.names[numbers[1]], float(means[:, 0].mean())
    answer = both.probability({net.names[categories[0]]: [level], name: (None, middle)})
    from scipy.special import ndtr

    below = ndtr((middle - means[:, 0]) / np.sqrt(covs[:, 0, 0]))
    assert abs(answer - (weights * below)[codes == 0].sum()) < TIGHT


def test_the_most_probable_explanation_is_that_of_all_configurations():
    from arcwise.inference import explain

    net = random_net(4)
    numbers = [i for i, v in enumerate(net.variables) if not v.discrete]
    answer = explain(net, {net.names[numbers[0]]: 0.4})
    found, place, categories = enumerated(net, {numbers[0]: 0.4})
    peaks = [log - 0.5 * np.linalg.slogdet(2 * np.pi * cov)[1] for _, log, _, cov in found]
    state, _, mean, _ = found[int(np.argmax(peaks))]
    for i in categories:
        assert answer[net.names[i]] == net.variables[i].levels[state[i]]
    for i in numbers[1:]:
        assert abs(answer[net.names[i]] - mean[place[i]]) < TIGHT
    assert abs(answer.log_probability - max(peaks)) < TIGHT
