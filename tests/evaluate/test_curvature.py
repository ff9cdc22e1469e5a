"""Curves that linear models miss: found where they are, not where noise has another shape."""

import numpy as np
import pytest
from naive import parzen as naive

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.evaluate import bends


def linear_rows(rng, rows, columns, noise):
    """A random linear network: each column depends on some of those before it."""
    x = np.zeros((rows, columns))
    for j in range(columns):
        slopes = rng.uniform(0.5, 1.2, j) * rng.choice([-1, 1], j) * (rng.random(j) < 2 / columns)
        x[:, j] = x[:, :j] @ slopes + noise(rng, rows)
    return aw.table({f"x{j}": x[:, j] for j in range(columns)})


NOISE = {
    "normal": lambda rng, rows: rng.normal(size=rows),
    "laplace": lambda rng, rows: rng.laplace(size=rows),
    "heavy tails": lambda rng, rows: rng.standard_t(3, size=rows),
    "cauchy": lambda rng, rows: rng.standard_cauchy(size=rows),
}


def bent(seed=1, rows=300):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, rows))
    y = x + 0.7 * x**2 + z + 0.5 * rng.normal(size=rows)
    return aw.table({"x": x, "y": y, "z": z})


def test_the_curved_input_is_named_and_the_gain_is_the_difference_of_leave_one_out_scores():
    table = bent()
    [found] = bends(table, [(), (0, 2), ()])
    assert (found.child, found.inputs, found.curved, found.missed) == (1, (0, 2), (0,), False)
    linear, windows = (FAMILIES[word].bind(table) for word in ("gaussian", "parzen"))
    by_rows = float(windows.loo(1, [(0, 2)])[0] - linear.loo(1, [(0, 2)])[0]) / table.rows
    assert found.gain == pytest.approx(by_rows, abs=2e-4)
    assert found.gain > 0.3
    assert found.error < found.gain / 5


def test_the_standard_error_is_that_of_paired_differences():
    table = bent(2)
    [found] = bends(table, [(), (0, 2), ()])
    model = FAMILIES["parzen"].bind(table).conditional(1, (0, 2))
    columns = np.stack([column / column.std() for column in table.columns])
    windows = np.array(
        [
            naive.log_density(
                np.delete(columns[[0, 2]], row, axis=1), np.zeros(2), np.ones(299),
                np.delete(columns[1], row), 0, columns[[0, 2]][:, [row]], columns[1][[row]],
                *model.bandwidths,
            )[0]
            for row in range(300)
        ]
    )  # fmt: skip
    linear = np.empty(300)
    for row in range(300):
        rest = np.delete(np.arange(300), row)
        design = np.column_stack([np.ones(300), columns[0], columns[2]])
        slopes, rss = np.linalg.lstsq(design[rest], columns[1][rest], rcond=None)[:2]
        off, variance = columns[1][row] - design[row] @ slopes, rss[0] / 299
        linear[row] = -0.5 * (np.log(2 * np.pi * variance) + off**2 / variance)
    gains = windows - linear
    assert found.gain == pytest.approx(gains.mean(), rel=1e-6)
    assert found.error == pytest.approx(gains.std(ddof=1) / np.sqrt(300), rel=1e-6)


def test_a_curve_without_a_slope_is_found_although_there_is_no_edge():
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 300))
    table = aw.table({"x": x, "y": x**2 + 0.5 * rng.normal(size=300), "z": z})
    [found] = bends(table, [(), (), ()])
    assert (found.child, found.curved, found.inputs, found.missed) == (1, (0,), (0,), True)
    windows = FAMILIES["parzen"].bind(table)
    own = float(windows.loo(1, [(0,)])[0] - windows.loo(1, [()])[0]) / 300
    assert found.gain == pytest.approx(own, abs=2e-4)


def test_units_and_the_origin_change_nothing():
    table = bent(4)
    [plain] = bends(table, [(), (0, 2), ()])
    moved = aw.table({n: 1e3 * c + 1e7 for n, c in zip(table.names, table.columns, strict=True)})
    [found] = bends(moved, [(), (0, 2), ()])
    assert found.gain == pytest.approx(plain.gain, abs=1e-4)


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize(("rows", "columns"), [(100, 10), (300, 5)])
def test_linear_data_are_not_called_curved_whatever_their_noise(noise, rows, columns):
    told = 0
    for seed in range(20):
        table = linear_rows(np.random.default_rng(seed), rows, columns, NOISE[noise])
        told += bool(bends(table, aw.learn(table, model="gaussian").net.inputs))
    assert told <= 1


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("rows", [100, 300, 1000])
@pytest.mark.parametrize("columns", [5, 10])
@pytest.mark.parametrize("graph", ["directed", "undirected"])
def test_linear_data_are_called_curved_in_at_most_five_of_a_hundred_draws(
    noise, rows, columns, graph
):
    told = 0
    for seed in range(100):
        table = linear_rows(np.random.default_rng([seed, 9]), rows, columns, NOISE[noise])
        told += bool(bends(table, aw.learn(table, graph=graph, model="gaussian").net.inputs))
    assert told <= 5


def test_columns_that_repeat_are_no_curves():
    rng = np.random.default_rng(5)
    x = rng.normal(size=300)
    table = aw.table({"x": x, "y": np.round(x + x**2) + 0.5}, kinds={"y": "continuous"})
    assert bends(table, [(), (0,)]) == []


def test_few_rows_weights_and_constant_columns_tell_nothing():
    few = bent(6, rows=50)
    assert bends(few, [(), (0, 2), ()]) == []
    weighted = aw.table({"x": [0.5] * 80, "y": np.arange(80.0)}, weights=np.full(80, 2.0))
    assert bends(weighted, [(), (0,)]) == []
    still = aw.table({"x": np.full(80, 3.5), "y": np.arange(80.0) ** 2}, kinds={"x": "continuous"})
    assert bends(still, [(), (0,)]) == []


def test_many_rows_are_looked_at_in_part():
    many, few = bent(7, rows=20_000), bent(7, rows=20_000)
    chosen = np.unique(np.linspace(0, 19_999, 1000).astype(int))
    assert bends(many, [(), (0, 2), ()]) == bends(few.take(chosen), [(), (0, 2), ()])
