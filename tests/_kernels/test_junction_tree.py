import numpy as np
import pytest
from naive import junction as naive

from arcwise._kernels.junction_tree import JunctionTree, plan


def ask(tree, seen, rows, targets, soft=None):
    """Rows of evidence about the same variables."""
    codes = np.full((len(rows), len(tree.levels)), -1)
    codes[:, list(seen)] = rows
    return tree.ask(codes, targets, soft)


def made(seed, p=7, sparse=0.0, together=()):
    levels, scopes, tables = naive.random_factors(np.random.default_rng(seed), p, sparse=sparse)
    scopes = [*scopes, *together]
    tree = JunctionTree(levels, scopes, tables, plan(levels, scopes).order)
    return tree, levels, naive.product(levels, scopes, tables)


@pytest.mark.parametrize("seed", range(20))
def test_marginals_and_the_probability_of_evidence(seed):
    tree, levels, whole = made(seed, sparse=0.3 * (seed % 2))
    rng = np.random.default_rng(seed)
    assert tree.log_total == pytest.approx(np.log(whole.sum()), abs=1e-10)
    for count in (0, 1, 3, 6):
        seen = [int(v) for v in rng.choice(7, count, replace=False)]
        rows = np.array([[rng.integers(levels[v]) for v in seen] for _ in range(5)]).reshape(
            5, count
        )
        targets = [(v,) for v in range(7) if v not in seen]
        logs, answers = ask(tree, seen, rows, targets)
        for i, row in enumerate(rows):
            table = naive.restricted(whole, seen, row)
            if table.sum() == 0:
                assert logs[i] == -np.inf
                assert all(not answer[i].any() for answer in answers)
                continue
            assert logs[i] == pytest.approx(np.log(table.sum()), abs=1e-9)
            for target, answer in zip(targets, answers, strict=True):
                assert np.allclose(answer[i], naive.marginal(table, target), atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_sets_that_lie_together_are_answered_together(seed):
    tree, levels, whole = made(seed, together=[(5, 0, 3)])
    _, (answer,) = ask(tree, [2], np.array([[0]]), [(5, 0, 3)])
    table = naive.restricted(whole, [2], [0])
    assert np.allclose(answer[0], naive.marginal(table, (5, 0, 3)), atol=1e-12)
    assert answer.shape[1:] == tuple(levels[v] for v in (5, 0, 3))


@pytest.mark.parametrize("seed", range(10))
def test_soft_evidence_weighs_levels(seed):
    tree, levels, whole = made(seed)
    soft = np.random.default_rng(seed).random(sum(levels))
    logs, answers = ask(tree, [1], np.array([[0]]), [(0,), (4,), (6,)], soft)
    table = naive.restricted(whole, [1], [0], soft)
    assert logs[0] == pytest.approx(np.log(table.sum()), abs=1e-9)
    for target, answer in zip([(0,), (4,), (6,)], answers, strict=True):
        assert np.allclose(answer[0], naive.marginal(table, target), atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_most_probable_explanation(seed):
    tree, levels, whole = made(seed, sparse=0.3 * (seed % 2))
    table = naive.restricted(whole, [3], [levels[3] - 1])
    found, log = tree.explain([3], [levels[3] - 1])
    if table.sum() == 0:
        assert log == -np.inf
        return
    assert found[3] == levels[3] - 1
    assert log == pytest.approx(np.log(table.max()), abs=1e-9)
    assert table[tuple(found)] == pytest.approx(table.max(), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_draws_have_the_probabilities_of_the_table(seed):
    tree, levels, whole = made(seed, p=5, sparse=0.3 * (seed % 2))
    rng, soft = np.random.default_rng(seed), np.ones(sum(levels))
    soft[: levels[0]] = rng.random(levels[0])
    table = naive.restricted(whole, [3], [levels[3] - 1], soft)
    rows = np.array([[levels[3] - 1]])
    logs, drawn = tree.draw([3], rows, rng, times=20_000, soft=soft)
    if table.sum() == 0:
        assert logs[0] == -np.inf
        return
    assert logs[0] == pytest.approx(np.log(table.sum()), abs=1e-9)
    counts = np.zeros(table.shape)
    np.add.at(counts, tuple(drawn.T), 1)
    expected = 20_000 * table / table.sum()
    assert not counts[expected == 0].any()
    often = expected > 10
    off = (counts[often] - expected[often]) ** 2 / expected[often]
    assert off.sum() < often.sum() + 5 * np.sqrt(2 * often.sum()) + 5


def test_draws_of_many_rows_and_of_impossible_ones():
    levels, scopes = [2, 2], [(0,), (0, 1)]
    tables = [np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.5, 0.5]])]
    tree = JunctionTree(levels, scopes, tables, plan(levels, scopes).order)
    logs, drawn = tree.draw([0, 1], np.array([[0, 0], [0, 1], [1, 1]]), np.random.default_rng(1))
    assert np.allclose(np.exp(logs), [0.5, 0.0, 0.25])
    assert drawn.tolist()[0] == [0, 0]
    assert drawn.tolist()[2] == [1, 1]
    logs, drawn = tree.draw([1], np.array([[1], [0]]), np.random.default_rng(1), times=3)
    assert drawn[:3].tolist() == [[1, 1]] * 3
    assert (drawn[3:, 1] == 0).all()
    assert tree.draw([], np.zeros((0, 0), dtype=int), np.random.default_rng(1))[1].shape == (0, 2)


def test_rows_with_gaps_in_different_places():
    tree, levels, whole = made(3)
    rng = np.random.default_rng(3)
    rows = np.array([[rng.integers(-1, r) for r in levels] for _ in range(40)])
    targets = [(v,) for v in range(7)]
    logs, answers = tree.ask(rows, targets)
    for i, row in enumerate(rows):
        seen = np.flatnonzero(row >= 0).tolist()
        table = naive.restricted(whole, seen, row[seen])
        assert logs[i] == pytest.approx(np.log(table.sum()), abs=1e-9)
        for v, answer in enumerate(answers):
            assert np.allclose(answer[i], naive.marginal(table, (v,)), atol=1e-12)


def test_parts_that_are_not_linked_and_single_variables():
    levels, scopes = [2, 3, 1], [(0,), (1,), (2,)]
    tables = [np.array([0.2, 0.8]), np.array([1.0, 2.0, 1.0]), np.array([3.0])]
    tree = JunctionTree(levels, scopes, tables, plan(levels, scopes).order)
    assert tree.log_total == pytest.approx(np.log(12.0))
    logs, answers = ask(tree, [0], np.array([[1]]), [(1,), (2,)])
    assert logs[0] == pytest.approx(np.log(0.8 * 12))
    assert np.allclose(answers[0][0], [0.25, 0.5, 0.25])


def test_a_long_chain_does_not_underflow():
    p = 3000
    scopes = [(0,)] + [(v - 1, v) for v in range(1, p)]
    row = np.array([[0.6, 0.4], [0.3, 0.7]])
    tables = [np.array([0.5, 0.5])] + [row] * (p - 1)
    tree = JunctionTree([2] * p, scopes, tables, plan([2] * p, scopes).order)
    seen = list(range(1, p, 2))
    logs, _ = ask(tree, seen, np.zeros((1, len(seen)), dtype=int), [(0,)])
    step = row @ row  # two steps on, from a level 0 seen to the next one
    first = np.log((np.array([0.5, 0.5]) @ row)[0])
    assert logs[0] == pytest.approx(first + (len(seen) - 1) * np.log(step[0, 0]), rel=1e-10)
    assert logs[0] < -800


def test_plans_tell_the_size_beforehand():
    grid = [(6 * i + j, 6 * i + j + 1) for i in range(6) for j in range(5)]
    grid += [(6 * i + j, 6 * i + j + 6) for i in range(5) for j in range(6)]
    found = plan([2] * 36, grid)
    assert sorted(found.order) == list(range(36))
    assert 2**7 <= found.largest <= 2**8  # a grid of 6 by 6 has treewidth 6
    assert found.entries < 36 * found.largest


def test_what_does_not_fit_together_is_rejected():
    levels, scopes, tables = [2, 2], [(0,), (0, 1)], [np.ones(2), np.ones((2, 2))]
    order = plan(levels, scopes).order
    with pytest.raises(ValueError, match="fewer numbers"):
        JunctionTree(levels, scopes, [np.ones(2), np.ones(3)], order)
    with pytest.raises(ValueError, match="zero everywhere"):
        JunctionTree(levels, scopes, [np.zeros(2), np.ones((2, 2))], order)
    with pytest.raises(ValueError, match="every variable once"):
        JunctionTree(levels, scopes, tables, order[:1])
    levels, scopes, tables = [2, 2, 2], [(0, 1), (1, 2)], [np.ones((2, 2))] * 2
    tree = JunctionTree(levels, scopes, tables, plan(levels, scopes).order)
    with pytest.raises(ValueError, match="beyond those of its variable"):
        tree.ask(np.array([[0, 2, -1]]), [(0,)])
    with pytest.raises(ValueError, match="for every variable"):
        tree.ask(np.array([[0, 1]]), [(0,)])
    with pytest.raises(ValueError, match="no clique holds"):
        ask(tree, [], np.zeros((1, 0), dtype=int), [(0, 1, 2)])


# -- numbers beyond those of doubles ---------------------------------------------------------------


def log_sums(logs: np.ndarray, kept: tuple[int, ...]) -> np.ndarray:
    """Logarithms of the sums over all variables but some, in their order."""
    rest = tuple(v for v in range(logs.ndim) if v not in kept)
    found = np.logaddexp.reduce(
        logs.transpose(*kept, *rest).reshape(*[logs.shape[v] for v in kept], -1), axis=-1
    )
    return found


def steep(
    seed: int, deepest: float
) -> tuple[list[int], list[tuple[int, ...]], list[np.ndarray], np.ndarray]:
    """Factors whose cells go down to a power of ten, and the log of their product."""
    rng = np.random.default_rng(seed)
    levels, scopes, tables = naive.random_factors(rng, 7, sparse=0.1 * (seed % 2))
    tables = [table * 10.0 ** -rng.uniform(0, deepest, table.shape) for table in tables]
    logs = np.zeros(levels)
    for scope, table in zip(scopes, tables, strict=True):
        wide = [levels[v] if v in scope else 1 for v in range(7)]
        order = sorted(range(len(scope)), key=lambda i: scope[i])
        with np.errstate(divide="ignore"):
            logs = logs + np.log(table.transpose(order).reshape(wide))
    return levels, scopes, tables, logs


@pytest.mark.parametrize("deepest", [60.0, 290.0])
@pytest.mark.parametrize("seed", range(12))
def test_tables_of_any_depth_are_summed_exactly(seed, deepest):
    levels, scopes, tables, logs = steep(seed, deepest)
    tree = JunctionTree(levels, scopes, tables, plan(levels, scopes).order)
    rng = np.random.default_rng(seed)
    assert tree.log_total == pytest.approx(
        np.logaddexp.reduce(logs, axis=None), rel=1e-12, abs=1e-9
    )
    for count in (0, 1, 3):
        seen = sorted(int(v) for v in rng.choice(7, count, replace=False))
        row = [int(rng.integers(levels[v])) for v in seen]
        soft = 10.0 ** -rng.uniform(0, deepest, sum(levels))
        starts = np.cumsum([0, *levels])
        weighed = logs
        for v in range(7):
            own = np.log(soft[starts[v] : starts[v + 1]]) if v not in seen else np.zeros(levels[v])
            if v in seen:
                own = np.where(np.arange(levels[v]) == row[seen.index(v)], 0.0, -np.inf)
            weighed = weighed + own.reshape([-1 if u == v else 1 for u in range(7)])
        total = np.logaddexp.reduce(weighed, axis=None)
        free = [(v,) for v in range(7) if v not in seen]
        found, answers = ask(tree, seen, np.array([row]).reshape(1, count), free, soft)
        if np.isneginf(total):
            assert found[0] == -np.inf
            continue
        assert found[0] == pytest.approx(total, rel=1e-12, abs=1e-9)
        for target, answer in zip(free, answers, strict=True):
            assert answer[0] == pytest.approx(np.exp(log_sums(weighed, target) - total), abs=1e-10)
        best, log = tree.explain(seen, row, soft)
        assert log == pytest.approx(weighed.max(), rel=1e-12, abs=1e-9)
        assert weighed[tuple(best)] == pytest.approx(weighed.max(), rel=1e-12, abs=1e-9)


def test_draws_from_tables_of_any_depth_are_those_of_plain_ones():
    levels, scopes, tables = naive.random_factors(np.random.default_rng(3), 7)
    levels, scopes = list(levels), list(scopes)
    first = levels[0]
    steep_one, cut = np.full(first, 1e-300), np.zeros(first)
    steep_one[1] = cut[1] = 1.0
    order = plan(levels, [*scopes, (0,)]).order
    deep = JunctionTree(levels, [*scopes, *[(0,)] * 5], [*tables, *[steep_one] * 5], order)
    plain = JunctionTree(levels, [*scopes, (0,)], [*tables, cut], order)
    drawn = [
        tree.draw([], np.zeros((1, 0), dtype=int), np.random.default_rng(0), times=2000)
        for tree in (deep, plain)
    ]
    assert drawn[0][0] == pytest.approx(drawn[1][0], abs=1e-12)
    assert (drawn[0][1] == drawn[1][1]).mean() > 0.999  # but for the last digit of a chance
    soft = np.ones(sum(levels))
    soft[1] = 0.0  # what is left has all the chance
    logs, shares = deep.ask(np.full((1, 7), -1), [(0,)], soft)
    assert logs[0] < -3000
    assert shares[0][0, 1] == 0.0
    assert shares[0].sum() == pytest.approx(1.0)
