"""Local models, drawn: what the figure shows is what the model says."""

import io
import re
import warnings
from itertools import product

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import GraphError
from arcwise.plot.dependence import MAX_POINTS, plot_local

HOSTILE = "$x_1$ <b>\n" + 40 * "long " + "end"


@pytest.fixture(scope="module")
def boston():
    return aw.fit("[LSTAT][RM][MEDV|LSTAT:RM]", aw.example("boston"))


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(5)
    n = 120
    group, kind = rng.integers(0, 3, n), rng.integers(0, 2, n)
    x = rng.normal(size=n) + group
    y = x * (1 + kind) + rng.normal(size=n)
    table = aw.table(
        {
            "x": x,
            "z": rng.normal(size=n),
            "group": np.array(["a", "b", "c"])[group],
            "kind": np.array(["no", "yes"])[kind],
            "y": y,
            "out": np.where(y + rng.normal(size=n) > 1, "high", "low"),
        }
    )
    return table


def lines_of(ax):
    return {line.get_label(): line for line in ax.lines}


def test_the_mean_and_the_band_are_those_of_the_model(boston):
    ax = boston.plot_local("MEDV", "LSTAT", given={"RM": 7.0})
    mean = lines_of(ax)["mean"]
    for x, y in list(zip(*mean.get_data(), strict=True))[::40]:
        assert y == pytest.approx(boston.query("MEDV", given={"LSTAT": x, "RM": 7.0}).mean)
        low = float(np.interp(x, *lines_of(ax)["90 % of the density"].get_data()))
        assert low == pytest.approx(y - 1.6448536 * boston["MEDV"].sd)
    assert "at RM = 7" in ax.get_title(loc="left")


def test_rows_keep_their_distance_from_the_mean(boston):
    """So that other inputs do not blur what one does."""
    ax = boston.plot_local("MEDV", "LSTAT")
    data, middle = aw.example("boston"), float(np.median(aw.example("boston").column("RM")))
    rows = lines_of(ax)["rows"]
    x, y = rows.get_data()
    np.testing.assert_array_equal(x, data.column("LSTAT"))
    model, count = boston["MEDV"].model, data.rows
    residual = data.column("MEDV") - model.mean((data.column("LSTAT"), data.column("RM")), count)
    there = model.mean((data.column("LSTAT"), np.full(count, middle)), count)
    np.testing.assert_allclose(y - there, residual, atol=1e-9)


def test_by_default_the_input_that_moves_it_most():
    rng = np.random.default_rng(1)
    weak, strong = rng.normal(size=(2, 200))
    table = aw.table({"weak": weak, "strong": strong, "y": 0.1 * weak + 3 * strong})
    net = aw.fit("[weak][strong][y|weak:strong]", table)
    assert net.plot_local("y").get_xlabel() == "strong"
    assert net.plot_local("weak").get_xlabel() == "weak"


@pytest.mark.parametrize("model", ["parzen", "glm"])
@pytest.mark.parametrize("child", ["y", "out"])
def test_every_pair_of_kinds_is_drawn(mixed, model, child):
    """Without a warning, and with text inside the figure."""
    parents = ("x", "z", "group", "kind")
    net = aw.fit(
        aw.dag([(parent, child) for parent in parents], nodes=[*parents, child]), mixed, model=model
    )
    for against in [None, *parents, *product(("x", "group"), ("z", "kind"))]:
        ax = net.plot_local(child, against)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ax.figure.savefig(io.BytesIO(), format="png", dpi=20)
        pairs = (against,) if isinstance(against, str) else against or ()
        assert all(name in (ax.get_xlabel(), ax.get_ylabel(), *_groups(ax)) for name in pairs)


def _groups(ax):
    legend = ax.get_legend()
    return [text.get_text().split(" = ")[0] for text in legend.get_texts()] if legend else []


def test_probabilities_are_those_of_the_table(mixed):
    net = aw.fit("[group][kind][out|group:kind]", mixed.select(["group", "kind", "out"]))
    ax = net.plot_local("out", ["group", "kind"], level="high")
    shown = ax.images[0].get_array()
    for (i, kind), (j, group) in product(enumerate(["no", "yes"]), enumerate("abc")):
        expected = net.query("out", given={"group": group, "kind": kind}).probabilities["high"]
        assert float(shown[i, j]) == pytest.approx(float(expected))
    ax = net.plot_local("out", "group", given={"kind": "yes"})
    assert float(
        ax.images[0].get_array()[0].sum() + ax.images[0].get_array()[1].sum()
    ) == pytest.approx(3.0)


def test_a_network_without_rows_draws_its_own(boston):
    alarm = aw.example("alarm", "network")
    assert alarm.plot_local("CATECHOL").get_ylabel() == "CATECHOL"
    ax = boston.plot_local("MEDV", "LSTAT", rows=False)
    assert "rows" not in lines_of(ax)


def test_many_rows_are_thinned_and_missing_ones_left_out():
    rng = np.random.default_rng(2)
    x = rng.normal(size=9000)
    y = x + rng.normal(size=9000)
    y[:10] = np.nan
    net = aw.fit("x -> y", aw.table({"x": x, "y": y}))
    assert len(lines_of(net.plot_local("y"))["rows"].get_xdata()) == MAX_POINTS


def test_numeric_levels_that_the_model_takes_as_numbers_are_rows():
    rng = np.random.default_rng(4)
    x = rng.normal(size=90)
    table = aw.table({"x": x, "grade": np.clip(np.round(2 * x + 5), 2, 8).astype(int)})
    assert table.variable("grade").discrete
    net = aw.fit("x -> grade", table, model="gaussian")
    rows = lines_of(net.plot_local("grade"))["rows"]
    np.testing.assert_array_equal(rows.get_ydata(), table.values("grade"))


def test_awkward_columns_and_names():
    rng = np.random.default_rng(3)
    x = rng.normal(size=60) + 1e9
    table = aw.table({HOSTILE: x, "$y$": (x - 1e9) * 2 + rng.normal(size=60) + 1e9})
    net = aw.fit(aw.dag([(HOSTILE, "$y$")]), table)
    ax = net.plot_local("$y$")
    ax.figure.savefig(io.BytesIO(), format="png", dpi=40)
    assert len(ax.get_xlabel()) < 40
    assert "\n" not in ax.get_xlabel()
    assert lines_of(ax)["mean"].get_ydata()[0] > 9e8


def test_a_surface_is_pale_where_no_row_is_near(boston):
    ax = boston.plot_local("MEDV", ["LSTAT", "RM"])
    white = np.asarray(ax.images[0].get_array())[..., 3]
    data = aw.example("boston")
    left, right, low, high = ax.images[0].get_extent()
    assert white[-1, -1] == 0.75  # many poor people and large houses: nobody
    i = np.searchsorted(np.linspace(low, high, 60), np.median(data.column("RM")))
    j = np.searchsorted(np.linspace(left, right, 60), np.median(data.column("LSTAT")))
    assert white[i, j] == 0


def test_the_caption_of_many_inputs_stays_inside():
    rng = np.random.default_rng(6)
    columns = {f"a long name {i}": rng.normal(size=50) for i in range(7)}
    table = aw.table({**columns, "y": sum(columns.values()) + rng.normal(size=50)})
    ax = aw.fit(aw.dag([(name, "y") for name in columns]), table).plot_local("y")
    ax.figure.savefig(io.BytesIO(), format="png")
    title = ax._left_title.get_window_extent()
    assert title.x1 <= ax.figure.bbox.x1
    assert "2 more inputs" in ax.get_title(loc="left").replace("\n", " ")


def test_errors_name_the_inputs(boston):
    with pytest.raises(GraphError, match="parents of 'MEDV': LSTAT, RM"):
        boston.plot_local("MEDV", "MEDV")
    with pytest.raises(GraphError, match="one or two"):
        boston.plot_local("MEDV", ["LSTAT", "LSTAT"])
    with pytest.raises(GraphError, match="must be a number"):
        boston.plot_local("MEDV", "LSTAT", given={"RM": "x"})
    with pytest.raises(aw.DataError):
        boston.plot_local("NOPE")
    net = aw.fit("[a][b|a]", aw.table({"a": list("xyxy"), "b": list("uvuv")}))
    with pytest.raises(GraphError, match="no level 'w'"):
        net.plot_local("b", "a", level="w")
    assert plot_local(net.net, "b", "a") is not None


def test_rows_with_weights_have_areas_and_weighted_medians():
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 60))
    weights = np.where(z > 1.0, 50.0, 0.5)
    weights[0] = 0.0
    table = aw.table({"x": x, "y": x + z + rng.normal(size=60), "z": z}).with_weights(weights)
    ax = aw.fit("[x][z][y|x:z]", table, model="gaussian").plot_local("y", "x")
    assert len(ax.collections[-1].get_sizes()) == 59
    held = float(re.search(r"z = (\S+);", ax.get_title(loc="left"))[1])
    assert held > 1.0
    assert "rows (area: weight)" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_an_axis_ends_within_reach_of_the_rows():
    rng = np.random.default_rng(4)
    x = np.append(rng.normal(size=200), 40.0)
    table = aw.table({"x": x, "y": np.append(x[:-1] ** 2, 3.0) + 0.1 * rng.normal(size=201)})
    ax = aw.fit("[x][y|x]", table, model="glm").plot_local("y")
    low, high = table.column("y").min(), table.column("y").max()
    bottom, top = ax.get_ylim()
    assert bottom >= low - 0.9 * (high - low)
    assert top <= high + 0.9 * (high - low)
    assert [text.get_text() for text in ax.texts] == ["the model continues outside of this axis"]
