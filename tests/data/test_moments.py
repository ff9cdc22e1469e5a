"""Moments: accuracy, weights, merging, and the refusal of matrices that do not fit."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.data import Moments, Table, Variable, check_square, table
from arcwise.errors import DataError


def normal(rows: int, columns: int, seed: int = 0, offset: float = 0.0) -> np.ndarray:
    mixing = np.random.default_rng(1).normal(size=(columns, columns))
    return np.random.default_rng(seed).normal(size=(rows, columns)) @ mixing + offset


def of_array(rows: np.ndarray, weights: np.ndarray | None = None) -> Moments:
    return Moments.of(
        table(rows, names=[f"v{i:04d}" for i in range(rows.shape[1])]).with_weights(weights)
    )


def test_agrees_with_numpy() -> None:
    rows = normal(1000, 7)
    moments = of_array(rows)
    np.testing.assert_allclose(moments.covariance, np.cov(rows.T, bias=True), rtol=1e-12)
    np.testing.assert_allclose(moments.mean, rows.mean(axis=0), rtol=1e-12)
    assert moments.n == moments.total == 1000
    np.testing.assert_array_equal(moments.scatter, moments.scatter.T)


def test_huge_offset_does_no_harm() -> None:
    rows = normal(2000, 3, offset=1e9)
    small = rows - 1e9  # exact, because both are multiples of the same power of two
    np.testing.assert_allclose(of_array(rows).covariance, np.cov(small.T, bias=True), rtol=1e-9)


def test_scatter_against_exact_fractions() -> None:
    column = (np.random.default_rng(2).normal(size=50) + 1e9).tolist()
    exact = [Fraction(value) for value in column]
    mean = sum(exact) / len(exact)
    scatter = sum((value - mean) ** 2 for value in exact)
    found = of_array(np.array(column)[:, None])
    assert found.scatter[0, 0] == pytest.approx(float(scatter), rel=1e-9)


def test_drifting_batches_keep_their_digits() -> None:
    """Rows sorted by a trend: later batches lie far from the first batch's mean."""
    trend = np.linspace(0, 1e8, 10_000)[:, None] + normal(10_000, 1)
    pieces = [(piece, None) for piece in np.array_split(trend, 40)]
    found = Moments.from_batches([Variable("x")], pieces)
    assert found.scatter[0, 0] == pytest.approx(float(np.var(trend) * 10_000), rel=1e-11)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.floats(-1e6, 1e6))
def test_batches_do_not_matter(sizes: list[int], offset: float) -> None:
    rows = normal(sum(sizes), 3, offset=offset)
    pieces = np.split(rows, np.cumsum(sizes)[:-1])
    variables = [Variable(name) for name in "abc"]
    split = Moments.from_batches(variables, [(piece, None) for piece in pieces])
    whole = Moments.from_batches(variables, [(rows, None)])
    tolerance = 1e-9 * (1 + abs(offset) * 1e-6)
    np.testing.assert_allclose(split.scatter, whole.scatter, rtol=1e-8, atol=tolerance)
    np.testing.assert_allclose(split.mean, whole.mean, rtol=1e-10, atol=1e-10)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=30).filter(any))
def test_weights_are_repeated_rows(counts: list[int]) -> None:
    rows = normal(len(counts), 3, offset=5.0)
    weighted = of_array(rows, np.array(counts, float))
    repeated = of_array(np.repeat(rows, counts, axis=0))
    assert weighted.n == repeated.n
    np.testing.assert_allclose(weighted.mean, repeated.mean, rtol=1e-10)
    np.testing.assert_allclose(weighted.scatter, repeated.scatter, rtol=1e-9, atol=1e-9)


def test_column_order_is_irrelevant_to_the_last_bit() -> None:
    rows = normal(100, 4)
    one = Moments.of(table(rows, names=["d", "a", "c", "b"]))
    other = Moments.of(table(rows[:, [1, 3, 2, 0]], names=["a", "b", "c", "d"]))
    np.testing.assert_array_equal(one.scatter, other.scatter)
    assert one.order == ("d", "a", "c", "b")
    assert other.names == one.names == ("a", "b", "c", "d")


def test_gaps_are_left_out_and_said() -> None:
    moments = Moments.of(table({"x": [1.5, 2.5, None], "y": [1.0, 2.5, 7.5]}))
    assert moments.n == 2
    assert "1 of 3 rows dropped" in moments.notes[0]


def test_numeric_levels_count_as_numbers_and_text_does_not() -> None:
    moments = Moments.of(table({"x": [1, 2, 2], "y": [0.5, 1.5, 0.0]}))
    assert moments.variables == (Variable("x"), Variable("y"))
    assert moments.mean[0] == pytest.approx(5 / 3)
    with pytest.raises(DataError, match="'city' holds text"):
        Moments.of(table({"city": ["a", "b"], "x": [0.5, 1.5]}))


def test_one_row_and_constants() -> None:
    single = of_array(np.array([[3.0, 4.5]]))
    assert single.n == 1
    assert not single.scatter.any()
    constant = of_array(np.full((100, 2), 0.1))
    np.testing.assert_array_equal(constant.scatter, 0.0)


def test_many_blocks_and_wide_mirror() -> None:
    rows = normal(300, 1500)
    moments = of_array(rows)
    np.testing.assert_allclose(moments.covariance, np.cov(rows.T, bias=True), atol=1e-8)
    np.testing.assert_array_equal(moments.scatter, moments.scatter.T)


def test_given_by_hand_in_any_order() -> None:
    moments = Moments.given(["b", "a"], 50, [2.0, 1.0], [[4.0, 0.5], [0.5, 1.0]])
    assert moments.order == ("b", "a")
    np.testing.assert_allclose(moments.covariance, [[1.0, 0.5], [0.5, 4.0]])


@pytest.mark.parametrize(
    ("mean", "covariance", "said"),
    [
        ([0], [[1, 0], [0, 1]], "2 names need 2 means"),
        ([0, 0], [[1, 0.5], [0.1, 1]], "symmetric"),
        ([0, np.nan], [[1, 0], [0, 1]], "finite"),
        ([0, 0], [[1, 0], [0, -1]], "variance of 'b' is negative"),
        ([0, 0], [[1, 2], [2, 1]], "'a' and 'b' is 2, .* at most 1: a correlation of 2 is"),
        ([0, 0], [[4, -3], [-3, 1]], "is -3, .* variances 4 and 1 .* at least -2: .* of -1.5 is"),
        ([0, 0], [[1, 0.1], [0.1, 0]], "'a' and 'b' is 0.1, .* one of them is constant"),
        ([0, "x"], [[1, 0], [0, 1]], "means must be numbers"),
        ([0, 0], [[1, 0], [0]], "covariances must be numbers"),
    ],
)
def test_impossible_moments(mean: list[float], covariance: list[list[float]], said: str) -> None:
    with pytest.raises(DataError, match=said):
        Moments.given(["a", "b"], 10, mean, covariance)


def test_correlations_that_cannot_all_hold_are_rejected_with_the_variables() -> None:
    matrix = np.eye(4)
    matrix[:3, :3] = [[1, -0.9, 0.9], [-0.9, 1, 0.9], [0.9, 0.9, 1]]
    scale = np.array([1e-3, 1e3, 1.0, 1.0])  # units change nothing
    said = r"correlations of '[acd]', '[acd]' and '[acd]' are impossible together.* eigenvalue .* is -0.8,"
    with pytest.raises(DataError, match=said):
        Moments.given("acdb", 10, np.zeros(4), matrix * np.outer(scale, scale))


def test_singular_and_rounded_covariances_are_those_of_data() -> None:
    rows = normal(3, 6)  # fewer rows than columns
    Moments.given("abcdef", 3, rows.mean(axis=0), np.cov(rows.T, bias=True))
    Moments.given("ab", 3, [0, 0], [[1, 1 + 1e-9], [1 + 1e-9, 1]])
    constant = Moments.given("ab", 3, [0, 0], [[1, 0], [0, 0]])
    assert constant.covariance[1, 1] == 0


@pytest.mark.parametrize("n", ["40", None, True, 0, -3, np.nan, np.inf])
def test_a_number_of_cases_that_is_none(n: object) -> None:
    with pytest.raises(DataError, match="number of cases must be above 0, got"):
        Moments.given(["a"], n, [0], [[1]])


def test_repeated_names_are_said() -> None:
    with pytest.raises(DataError, match="name 'a' occurs more than once"):
        Moments.given(["a", "b", "a"], 9, [0, 0, 0], np.eye(3))


def test_bad_batches() -> None:
    variables = [Variable("a"), Variable("b")]
    with pytest.raises(DataError, match="needs 2 columns"):
        Moments.from_batches(variables, [(np.ones((3, 3)), None)])
    with pytest.raises(DataError, match="missing or infinite"):
        Moments.from_batches(variables, [(np.array([[1.0, np.nan]]), None)])
    with pytest.raises(DataError, match="at least one row"):
        Moments.from_batches(variables, [])
    with pytest.raises(DataError, match="sorted by name"):
        Moments.from_batches(variables[::-1], [(np.ones((3, 2)), None)])


def test_batches_are_not_overwritten() -> None:
    rows = normal(10, 2)
    before = rows.copy()
    Moments.from_batches([Variable("a"), Variable("b")], [(rows, np.full(10, 2.0))])
    np.testing.assert_array_equal(rows, before)


def test_too_many_columns_are_rejected_with_their_size() -> None:
    with pytest.raises(DataError, match=r"100000 columns need 80.0 GB"):
        check_square(100_000, memory=16e9)
    check_square(1000)
    wide = Table(tuple(Variable(f"{i:06d}") for i in range(100)), (np.ones(2),) * 100)
    with pytest.raises(DataError, match=r"100 columns need 80.0 kB .* 1.0 kB of memory"):
        Moments.of(wide, memory=1000)


def test_select_and_read_only() -> None:
    moments = of_array(normal(20, 3))
    part = moments.select(["v0002", "v0000"])
    assert part.names == ("v0000", "v0002")
    assert part.order == ("v0002", "v0000")
    np.testing.assert_array_equal(part.scatter, moments.scatter[np.ix_([0, 2], [0, 2])])
    with pytest.raises(ValueError, match="read-only"):
        moments.scatter[0, 0] = 1.0
    with pytest.raises(DataError, match="no column 'v9'"):
        moments.select(["v9"])


def test_given_numbers_with_names_of_their_own_are_put_in_order():
    import pandas as pd

    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=["a", "b", "c"])
    found = Moments.given(["c", "a", "b"], 20, frame.mean(), frame.cov())
    wanted = Moments.given(["a", "b", "c"], 20, frame.mean().to_numpy(), frame.cov().to_numpy())
    np.testing.assert_array_equal(found.mean, wanted.mean)
    np.testing.assert_array_equal(found.scatter, wanted.scatter)
    with pytest.raises(DataError, match="means have no 'z'"):
        Moments.given(["a", "b", "z"], 20, frame.mean(), frame.cov())
