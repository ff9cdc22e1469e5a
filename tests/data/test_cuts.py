"""Cut points against slow twins, and what holds of them whatever the numbers are."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import cutting as naive

from arcwise.data import discretise, read, table
from arcwise.data.cuts import CUTTERS, entropy, kmeans, midpoints, quantiles, width

few = st.lists(st.integers(-30, 30), min_size=2, max_size=24)


def counted(xs):
    values, counts = np.unique(np.array(xs, dtype=float), return_counts=True)
    return values, counts.astype(float)


def by_class(xs, labels):
    values, places = np.unique(np.array(xs, dtype=float), return_inverse=True)
    out = np.zeros((len(values), max(labels) + 1))
    np.add.at(out, (places, labels), 1)
    return values, out


# -- entropy -------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=1, max_size=60))
def test_entropy_is_the_twins(rows):
    xs, labels = zip(*rows, strict=True)
    assert entropy(*by_class(xs, labels)).tolist() == naive.entropy_cuts(xs, labels)


@pytest.mark.parametrize("seed", range(8))
def test_entropy_is_the_twins_where_there_is_something_to_find(seed):
    rng = np.random.default_rng(seed)
    xs = rng.normal(size=300).round(1 + seed % 3)
    labels = (np.digitize(xs, [-1.0, 0.2, 0.9]) % 3 + (rng.random(300) < 0.1)) % 3
    found = entropy(*by_class(xs, labels)).tolist()
    assert found == pytest.approx(naive.entropy_cuts(xs.tolist(), labels.tolist()), rel=1e-15)
    assert len(found) >= 2


@pytest.mark.parametrize("name", ["iris", "glass", "pima"])
def test_entropy_on_real_tables(shared_data, name):
    raw = read(shared_data / "classification" / f"{name}.csv")
    target = raw.order[-1]
    found = discretise(raw, "entropy", target=target)
    labels = raw.column(target).tolist()
    cut = 0
    for variable in raw.variables:
        if not variable.discrete:
            xs = raw.column(variable.name).tolist()
            slow = naive.entropy_cuts(xs, labels)
            whole = all(x == int(x) for x in xs)
            want = [float(np.ceil(c)) for c in slow] if whole else slow
            assert list(found.variable(variable.name).cuts) == pytest.approx(want, rel=1e-15)
            cut += len(want)
    assert cut >= 4


def test_iris_has_the_cuts_of_the_literature(shared_data):
    """As mdlp of R's package discretization prints them."""
    raw = read(shared_data / "classification" / "iris.csv")
    found = discretise(raw, "entropy", target="class")
    cuts = {v.name: tuple(round(c, 2) for c in v.cuts) for v in found.variables if v.cuts}
    assert cuts == {
        "sepallength": (5.55, 6.15),
        "sepalwidth": (2.95, 3.35),
        "petallength": (2.45, 4.75),
        "petalwidth": (0.8, 1.75),
    }


def test_entropy_of_noise_cuts_nothing():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 400).tolist()
    assert not len(entropy(*by_class(rng.normal(size=400), labels)))


def test_entropy_counts_weights_like_copies():
    rng = np.random.default_rng(4)
    xs, labels = rng.integers(0, 9, 80), rng.integers(0, 2, 80)
    labels = np.where(xs > 4, 1, labels)
    values, counts = by_class(xs, labels)
    doubled = by_class(np.repeat(xs, 2), np.repeat(labels, 2))
    assert entropy(values, counts * 2).tolist() == entropy(*doubled).tolist()


def test_entropy_survives_a_thousand_classes():
    values = np.arange(1000.0)
    assert np.isfinite(entropy(values, np.eye(1000))).all()


# -- k-means -------------------------------------------------------------------------------------


@given(few, st.integers(2, 5))
def test_kmeans_is_the_best_of_all_divisions(xs, bins):
    cuts = kmeans(*counted(xs), bins)
    assert len(cuts) == min(bins, len(set(xs))) - 1
    best, found = naive.least_squares(xs, bins), naive.squares(naive.groups_of(xs, cuts))
    assert found == best or float(found) == pytest.approx(float(best), rel=1e-9)


def test_kmeans_sends_a_number_to_the_nearest_mean():
    xs = [1.0, 2.0, 3.0, 20.0, 22.0]
    assert kmeans(*counted(xs), 2) == pytest.approx([11.5])


@pytest.mark.parametrize("bins", [2, 7, 40])
def test_kmeans_of_many_values_is_the_plain_program(bins):
    """The plain O(k n^2) program over all starts."""
    rng = np.random.default_rng(bins)
    values, counts = np.sort(rng.gamma(1.0, size=240)), rng.integers(1, 9, 240).astype(float)
    n = len(values)
    w, x, xx = (np.append(0, np.cumsum(counts * values**p)) for p in range(3))
    ends, starts = np.meshgrid(np.arange(1, n + 1), np.arange(n), indexing="ij")
    with np.errstate(all="ignore"):
        cost = xx[ends] - xx[starts] - (x[ends] - x[starts]) ** 2 / (w[ends] - w[starts])
    cost[starts >= ends] = np.inf
    best = cost[:, 0]
    for _ in range(bins - 1):
        best = (cost + np.append(np.inf, best[:-1])).min(axis=1)
    cuts = kmeans(values, counts, bins)
    groups = np.searchsorted(cuts, values, side="right")
    means = np.bincount(groups, counts * values) / np.bincount(groups, counts)
    assert np.sum(counts * (values - means[groups]) ** 2) == pytest.approx(best[-1], rel=1e-9)


def test_kmeans_is_quick_on_many_values():
    values = np.sort(np.random.default_rng(1).normal(size=100_000))
    assert len(kmeans(values, np.ones(100_000), 8)) == 7


# -- quantiles and width -------------------------------------------------------------------------


@given(few, st.integers(2, 6))
def test_quantiles_are_nearest_to_equal_shares(xs, bins):
    cuts = quantiles(*counted(xs), bins)
    below = [sum(x < cut for x in xs) for cut in cuts]
    if len(set(xs)) > 1:
        for k, least in enumerate(naive.nearest_shares(xs, bins), start=1):
            assert min(abs(b - Fraction(len(xs) * k, bins)) for b in below) == least


def test_quantiles_of_distinct_values_are_even():
    cuts = quantiles(*counted(range(12)), 4)
    assert cuts.tolist() == [2.5, 5.5, 8.5]


def test_a_crowd_of_equal_values_is_one_level():
    assert quantiles(*counted([0] * 90 + list(range(1, 11))), 3).tolist() == [0.5]


def test_width_is_even():
    assert width(*counted([0, 10]), 5).tolist() == [2, 4, 6, 8]


# -- all of them ---------------------------------------------------------------------------------

wild = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("word", CUTTERS)
@given(xs=st.lists(wild, min_size=1, max_size=30), bins=st.integers(2, 6))
def test_cuts_ascend_and_lie_among_the_values(word, xs, bins):
    values, counts = counted(xs)
    with np.errstate(over="ignore"):
        cuts = CUTTERS[word](values, counts, bins)
    assert len(cuts) < bins
    assert (np.diff(cuts) > 0).all()
    assert ((cuts > values[0]) & (cuts <= values[-1])).all()


@pytest.mark.parametrize("word", ["quantiles", "kmeans"])
@given(xs=few, bins=st.integers(2, 5))
def test_every_level_has_a_value(word, xs, bins):
    values, counts = counted(xs)
    used = np.unique(np.searchsorted(CUTTERS[word](values, counts, bins), values, side="right"))
    assert used.tolist() == list(range(len(used)))


@pytest.mark.parametrize("word", [*CUTTERS, "entropy"])
def test_a_shift_moves_the_cuts_and_nothing_else(word):
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=200).round(3), rng.integers(0, 2, 200)
    y = np.where(x > 0.4, 1, y)
    target = {"target": "y"} if word == "entropy" else {}
    here = discretise({"x": x, "y": y.astype(str)}, word, **target)
    there = discretise({"x": x + 1e9, "y": y.astype(str)}, word, **target)
    assert np.array_equal(here.column("x"), there.column("x"))
    moved = np.array(there.variable("x").cuts) - 1e9
    assert moved == pytest.approx(np.array(here.variable("x").cuts), abs=1e-6)


@pytest.mark.parametrize("word", [*CUTTERS, "entropy"])
def test_the_order_of_rows_does_not_matter(word):
    rng = np.random.default_rng(6)
    x, w = rng.normal(size=150).round(1), rng.random(150)
    y = np.where(x > 0.2, "a", "b")
    target = {"target": "y"} if word == "entropy" else {}
    mixed = rng.permutation(150)
    one = discretise(table({"x": x, "y": y}), word, weights=w, **target)
    two = discretise(table({"x": x[mixed], "y": y[mixed]}), word, weights=w[mixed], **target)
    assert one.variable("x") == two.variable("x")
    assert np.array_equal(one.column("x")[mixed], two.column("x"))


@pytest.mark.parametrize("word", CUTTERS)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 3)), min_size=2, max_size=20))
def test_weights_are_copies(word, rows):
    xs, times = (np.array(each) for each in zip(*rows, strict=True))
    if not times.sum():
        return
    weighted = discretise({"x": xs.astype(float)}, word, weights=times)
    copied = discretise({"x": np.repeat(xs.astype(float), times)}, word)
    assert weighted.variable("x") == copied.variable("x")


@given(wild, wild)
def test_between_is_above_the_lower_and_at_most_the_upper(one, two):
    low, high = min(one, two), max(one, two)
    if low < high:
        (middle,) = midpoints(np.array([low]), np.array([high]))
        assert low < middle <= high
