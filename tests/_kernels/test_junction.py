import numpy as np
import pytest
from naive import junction as naive

from arcwise._kernels.junction import JunctionTree, plan


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


def test_what_does_not_fit_together_is_refused():
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
