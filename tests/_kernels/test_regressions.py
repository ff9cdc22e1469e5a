"""The compiled regressions against least squares on the rows, on plain and on nasty input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import gaussian as naive

from arcwise._kernels import regressions as kernel

LEAST = 1e-10


def plain(seed: int, n: int, p: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 5 * rng.normal(size=p)


def nasty(seed: int, n: int = 40) -> np.ndarray:
    """Six columns: three free, a copy, a constant, and a sum of two."""
    x = np.random.default_rng(seed).normal(size=(n, 3))
    rows = [x[:, 0], x[:, 1], x[:, 2], x[:, 0], np.full(n, 3.0), x[:, 0] + x[:, 1]]
    return np.column_stack(rows)


def ties(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, size=(25, 5)).astype(float)


TABLES = [plain(1, 30, 6), plain(2, 500, 3), nasty(3), ties(4), plain(5, 12, 1), plain(6, 9, 2)]


def every_set(p: int, child: int):
    return list(naive.parent_sets(p, child))


RANKS: dict[tuple[int, frozenset[int]], bool] = {}


def full_rank(rows, members: frozenset[int]) -> bool:
    """Whether no member is a combination of the others (a constant counts as one that is not)."""
    key = (id(rows), members)
    if key not in RANKS:
        RANKS[key] = _full_rank(rows, members)
    return RANKS[key]


def _full_rank(rows, members) -> bool:
    z = naive.standardised(rows)
    varied = [m for m in sorted(members) if z[:, m].any()]
    return len(naive.independent(z, varied)) == len(varied)


def test_the_naive_twins_agree_with_textbook_formulas():
    rows = plain(7, 50, 4)
    r = np.corrcoef(rows.T)
    inverse = np.linalg.inv(r)
    assert naive.residual(rows, 2, (0, 1, 3)) == pytest.approx(1 / inverse[2, 2])
    assert naive.logdet(rows, (0, 1)) == pytest.approx(np.log(1 - r[0, 1] ** 2))


@pytest.mark.parametrize("rows", TABLES)
def test_many_is_least_squares_for_every_parent_set(rows):
    r, p = naive.correlations(rows), rows.shape[1]
    for child in range(p):
        sets = every_set(p, child)
        residual, logdet = kernel.many(r, child, sets, LEAST, LEAST)
        assert residual == pytest.approx([naive.residual(rows, child, s) for s in sets], abs=1e-9)
        assert logdet == pytest.approx([naive.logdet(rows, s) for s in sets], abs=1e-7)


@pytest.mark.parametrize("rows", TABLES)
def test_sweep_toggles_every_variable_in_every_base(rows):
    r, p = naive.correlations(rows), rows.shape[1]
    asked = [(child, s) for child in range(p) for s in every_set(p, child)]
    children, bases = [c for c, _ in asked], [s for _, s in asked]
    found = kernel.sweep(r, children, bases, LEAST, LEAST)
    assert found.toggled.shape == found.pivots.shape == (len(asked), p)
    for row, (child, base) in enumerate(asked):
        others = [x for x in range(p) if x != child]
        sets = [base, *(naive.toggled(base, x) for x in others)]
        own, det = kernel.many(r, child, sets, LEAST, LEAST)
        np.testing.assert_allclose(found.residual[row], own[0], atol=1e-9)
        np.testing.assert_allclose(found.logdet[row], det[0], atol=1e-7)
        np.testing.assert_allclose(found.toggled[row, others], own[1:], atol=1e-9)
        sign = np.array([-1 if x in base else 1 for x in others])
        change = sign * np.log(found.pivots[row, others])
        # In a set of less than full rank det depends on which member is passed over.
        full = [full_rank(rows, frozenset({*base, x})) for x in others]
        np.testing.assert_allclose(change[full], (det[1:] - det[0])[full], atol=1e-6)


@pytest.mark.parametrize("rows", TABLES)
@pytest.mark.parametrize("most", [0, 1, 2, 99])
def test_subsets_lists_all_parent_sets_by_bit_mask(rows, most):
    r, p = naive.correlations(rows), rows.shape[1]
    for child in range(p):
        others = [x for x in range(p) if x != child][::-1]  # candidates need no order
        for split in {0, min(1, len(others)), len(others) // 2, len(others)}:
            always, candidates = tuple(sorted(others[:split])), others[split:]
            residual, logdet = kernel.subsets(r, child, candidates, always, most, LEAST, LEAST)
            sets = [tuple(sorted([*s, *always])) for s in naive.all_subsets(candidates)]
            own, det = kernel.many(r, child, sets, LEAST, LEAST)
            small = np.array([len(s) <= most for s in sets])
            assert np.isnan(residual[~small]).all()
            assert residual[small] == pytest.approx(own[small], abs=1e-9)
            full = small & [full_rank(rows, frozenset(s)) for s in sets]
            assert logdet[full] == pytest.approx(det[full], abs=1e-6)


@pytest.mark.parametrize("p", [63, 64, 65, 130])
def test_sweep_of_wide_tables_at_the_edges_of_vectors(p):
    rows = plain(p, 2 * p, p)
    r, rng = naive.correlations(rows), np.random.default_rng(p)
    children = [0, p // 2, p - 1]
    bases = [tuple(sorted(rng.choice([x for x in range(p) if x != c], 7, False))) for c in children]
    bases = [tuple(int(x) for x in base) for base in bases]
    found = kernel.sweep(r, children, bases, LEAST, LEAST)
    for row, (child, base) in enumerate(zip(children, bases, strict=True)):
        others = [x for x in range(p) if x != child]
        sets = [naive.toggled(base, x) for x in others]
        own, det = kernel.many(r, child, sets, LEAST, LEAST)
        assert found.toggled[row, others] == pytest.approx(own, rel=1e-8)
        sign = np.array([-1.0 if x in base else 1.0 for x in others])
        change = found.logdet[row] + sign * np.log(found.pivots[row, others])
        assert change == pytest.approx(det, rel=1e-8)
        assert found.residual[row] == pytest.approx(naive.residual(rows, child, base), rel=1e-8)


def test_sweep_of_nothing_is_empty():
    found = kernel.sweep(np.eye(3), [], [], LEAST, LEAST)
    assert found.residual.shape == (0,)
    assert found.toggled.shape == (0, 3)
    assert kernel.many(np.eye(3), 0, [], LEAST, LEAST)[0].shape == (0,)


def test_one_row_explains_nothing_and_divides_by_nothing():
    r = naive.correlations(np.array([[1.0, 2.0, 3.0]]))
    assert kernel.many(r, 0, [(), (1,), (1, 2)], LEAST, LEAST)[0].tolist() == [1.0, 1.0, 1.0]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 30))
def test_removing_what_was_added_changes_nothing(seed, p, n):
    """Whatever the rank: fewer rows than columns make some parents redundant."""
    r = naive.correlations(plain(seed, n, p))
    rng = np.random.default_rng(seed)
    child = int(rng.integers(p))
    base = tuple(x for x in range(p) if x != child and rng.random() < 0.5)
    found = kernel.sweep(r, [child], [base], LEAST, LEAST)
    for x in set(range(p)) - {child}:
        back = kernel.sweep(r, [child], [naive.toggled(base, x)], LEAST, LEAST)
        assert back.toggled[0, x] == pytest.approx(found.residual[0], abs=1e-7)


def products(rows, weights, mean, sd):
    z = np.column_stack([np.ones(len(rows)), (rows - mean) / sd])
    return (z * weights[:, None]).T @ z


@pytest.mark.parametrize("weighted", [False, True])
def test_folds_score_each_part_under_the_fit_of_the_others(weighted):
    rows = plain(8, 60, 4)
    rng = np.random.default_rng(9)
    weights = rng.integers(1, 4, size=60).astype(float) if weighted else np.ones(60)
    parts = np.array_split(rng.permutation(60), 5)
    mean, sd = rows.mean(axis=0), rows.std(axis=0)
    test = np.array([products(rows[p], weights[p], mean, sd) for p in parts])
    train = products(rows, weights, mean, sd) - test
    for child in range(4):
        sets = every_set(4, child)
        found = kernel.folds(train, test, child, sets, LEAST, LEAST)
        found -= weights.sum() * np.log(sd[child])
        expected = [naive.held_out(rows, child, s, parts, weights) for s in sets]
        assert found == pytest.approx(expected, rel=1e-8)


def test_nearly_singular_sets_score_alike_however_they_are_asked_for():
    """Which variable of a singular set is passed over must not depend on the way to the set."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 9))
    x[:, 3] = x[:, 0] + x[:, 1] + 1e-4 * rng.normal(size=300)
    x[:, 4] = x[:, 0] - x[:, 2] + 1e-5 * rng.normal(size=300)
    x[:, 5] = x[:, 3] + x[:, 4] + 1e-6 * rng.normal(size=300)
    x[:, 6] = x[:, 1] + 3e-6 * rng.normal(size=300)
    matrix = np.corrcoef(x.T)
    for child in range(9):
        others = [v for v in range(9) if v != child]
        residual, _ = kernel.subsets(matrix, child, others, (), 9, 1e-10, 1e-10)
        sets = [tuple(v for i, v in enumerate(others) if m >> i & 1) for m in range(256)]
        plain, _ = kernel.many(matrix, child, sets, 1e-10, 1e-10)
        np.testing.assert_allclose(np.log(residual), np.log(plain), atol=1e-8)
        swept = kernel.sweep(matrix, [child] * 256, sets, 1e-10, 1e-10)
        np.testing.assert_allclose(np.log(swept.residual), np.log(plain), atol=1e-8)
        for i, v in enumerate(others):
            toggled = [mask ^ (1 << i) for mask in range(256)]
            np.testing.assert_allclose(
                np.log(swept.toggled[:, v]), np.log(plain[toggled]), atol=1e-8
            )


def test_every_entry_of_a_sweep_is_a_number_even_where_sets_are_singular():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(50, 4))
    matrix = np.corrcoef(np.column_stack([x, x[:, 0], x[:, 0] + x[:, 1]]).T)
    poison = [np.full((6, 6), np.nan) for _ in range(20)]  # what freed memory may hold
    del poison
    for child in range(6):
        base = tuple(i for i in range(6) if i != child)
        found = kernel.sweep(matrix, [child], [base], 1e-10, 0.0)
        assert np.isfinite(found.toggled).all()
        assert np.isfinite(found.pivots).all()
