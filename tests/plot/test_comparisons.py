"""Figures that compare: beliefs before and after, two graphs, pairs of variables, missing values, curves."""

import io
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import arcwise as aw
from arcwise.distributions import Normal
from arcwise.errors import DataError, FitError, GraphError
from arcwise.evaluate import search_curve
from arcwise.plot import plot_belief, plot_calibration, plot_differences, plot_missing, plot_pairs
from arcwise.results import Step


@pytest.fixture(scope="module")
def boston():
    return aw.learn(aw.example("boston"), model="gaussian")


def drawn(ax):
    """Draw for good: warnings are errors."""
    ax.figure.savefig(io.BytesIO(), format="png", dpi=40)
    return ax


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# -- beliefs --------------------------------------------------------------------------------------


def test_a_number_has_its_density_before_and_after(boston):
    belief = boston.query("MEDV", given={"LSTAT": 5.0, "RM": 7.0})
    ax = drawn(belief.plot())
    before = boston.query("MEDV")
    assert legend(ax) == [
        f"before: mean {before.mean:.4g}",
        f"after: mean {belief.mean:.4g}",
        "95 %",
    ]
    xs, ys = ax.lines[2].get_data()
    np.testing.assert_allclose(ys, belief.density(xs))
    assert len(legend(drawn(belief.plot(before=False)))) == 2
    assert len(legend(drawn(before.plot()))) == 2  # without evidence there is nothing before


def test_levels_have_bars():
    alarm = aw.example("alarm", "network")
    belief = alarm.query("HR", given={"HRBP": "HIGH"})
    ax = drawn(belief.plot())
    widths = [bar.get_width() for bar in ax.patches]
    assert widths[:3] == pytest.approx([float(x) for x in belief.probabilities.values()])
    assert widths[3:] == pytest.approx([float(x) for x in alarm.query("HR").probabilities.values()])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["LOW", "NORMAL", "HIGH"]


def test_many_levels_are_cut():
    chances = np.linspace(1, 2, 200)[None, :]
    net = aw.network(
        "[a]", {"a": {f"level {i}": p for i, p in enumerate(chances[0] / chances.sum())}}
    )
    ax = drawn(net.query("a").plot())
    assert len(ax.get_yticklabels()) == 20
    assert ax.get_yticklabels()[-1].get_text() == "181 others"


def test_certain_values_are_lines():
    certain = SimpleNamespace(name="b", levels=(), distribution=Normal(3.0, 0.0), given={}, do={})
    assert legend(drawn(plot_belief(certain))) == ["3"]


def test_several_beliefs_are_panels(boston):
    panels = boston.query(["MEDV", "TAX"], given={"RM": 7.0}).plot()
    assert [drawn(ax).get_xlabel() for ax in panels] == ["MEDV", "TAX"]
    assert len(boston.marginals(given={"RM": 7.0}).plot(columns=5)) == 13
    averaged = aw.posterior(aw.example("boston").select(["MEDV", "RM", "LSTAT"]))
    assert len(legend(averaged.query("MEDV", given={"RM": 7.0}).plot())) == 3
    with pytest.raises(DataError, match="no belief"):
        boston.marginals(given=dict.fromkeys(boston.nodes, 1.0)).plot()


def test_beliefs_travel_without_their_network(boston):
    belief = boston.query("MEDV", given={"RM": 7.0})
    assert len(pickle.dumps(belief)) < 5000
    assert len(legend(pickle.loads(pickle.dumps(belief)).plot())) == 2


def test_a_belief_can_be_drawn_against_another(boston):
    one, two = boston.query("MEDV", given={"RM": 5.0}), boston.query("MEDV", given={"RM": 7.0})
    assert legend(plot_belief(two, one))[0] == f"before: mean {one.mean:.4g}"


# -- two graphs -----------------------------------------------------------------------------------


def gids(ax, kind):
    return {
        p.get_gid().removeprefix(f"{kind} ")
        for p in ax.patches
        if (p.get_gid() or "").startswith(kind)
    }


def test_differences_are_counted_and_coloured():
    one = aw.dag(["a -> b", "b -> c", "c -> d"])
    two = aw.dag(["a -> b", "c -> b", "d -> a"])
    ax = drawn(plot_differences(one, two, names=("mine", "yours")))
    counts = [
        "in both: 1 edge",
        "mine only: 1 edge",
        "yours only: 1 edge",
        "in both, direction differs: 1 edge",
    ]
    assert legend(ax) == counts
    assert gids(ax, "head") == {"a -> b", "b -> c", "c -> d", "d -> a"}


def test_differences_take_every_kind_of_graph(boston):
    whole, half = boston.graph, aw.dag(list(boston.graph.arcs)[:20], nodes=boston.nodes)
    for one, two in ((boston.cpdag, whole), (aw.graphs.moral(whole), half), (half, whole)):
        ax = drawn(plot_differences(one, two))
        assert sum(int(text.split(": ")[1].split()[0]) for text in legend(ax)) == len(
            gids(ax, "line")
        )
    assert legend(plot_differences(whole, whole)) == ["in both: 34 edges"]
    assert drawn(plot_differences(aw.ug([], nodes=["a"]), aw.ug([], nodes=["a"]))) is not None
    with pytest.raises(GraphError, match="'z' is in one of them only"):
        plot_differences(aw.dag(["a -> b"]), aw.dag(["a -> z", "z -> b"]))


def test_networks_claim_only_supported_directions(boston):
    """Equivalent graphs do not differ."""
    assert legend(boston.plot_differences(boston)) == ["in both: 34 edges"]
    given = aw.fit(
        boston.graph, aw.example("boston")
    )  # a graph that was given claims all directions
    counts = legend(drawn(boston.plot_differences(given)))
    assert [text.split(":")[0] for text in counts] == ["in both", "in both, direction differs"]


# -- pairs ----------------------------------------------------------------------------------------


def test_pairs_show_the_neighbours_and_frame_the_adjacent(boston):
    panels = boston.plot_pairs("LSTAT", "MEDV", neighbours=2)
    drawn(panels[0])
    count = 4
    names = [panels[i * count].get_ylabel() for i in range(count)]
    assert names[:2] == ["LSTAT", "MEDV"]
    for i in range(count):
        for j in range(i):
            wide = panels[i * count + j].spines["left"].get_linewidth() == 2.0
            assert wide == boston.edges[names[i], names[j]].present
            text = panels[j * count + i].texts[0].get_text()
            assert ("no edge" in text) != wide


def test_pairs_take_levels_and_missing_values():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    level = np.where(x > 0, "$up$", None)
    level[:40] = "down"
    x[5:9] = np.nan
    table = aw.table({"x": x, "level": level})
    assert len(plot_pairs(table, aw.dag(["x -> level"]), ["x", "level"])) == 4
    with pytest.raises(GraphError, match="2 to 10"):
        plot_pairs(table, aw.dag(["x -> level"]), ["x"])
    with pytest.raises(DataError, match="give data="):
        aw.example("alarm", "network").plot_pairs("HR", "CO")


# -- missing values -------------------------------------------------------------------------------


def test_patterns_of_missing_values_are_counted():
    table = aw.table(
        {"a": [1.5, None, None, 4.5], "b": [1.0, None, 3.5, 4.0], "c": [1.5, 2.0, 3.0, 4.0]}
    )
    ax = drawn(plot_missing(table))
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert sorted(rows) == ["1 missing: 1 row", "2 missing: 1 row", "complete: 2 rows"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a (2)", "b (1)"]
    assert ax.get_title(loc="left") == "2 of 4 rows complete"
    heading = ax._left_title.get_window_extent()
    assert heading.x1 <= ax.figure.bbox.x1
    assert len(plot_missing(table, every=True).get_xticklabels()) == 3
    with pytest.raises(DataError, match="no value is missing"):
        plot_missing(table.select(["c"]))


def test_rows_count_by_their_weights():
    table = aw.table({"a": [1.5, None, 2.5], "b": [2.5, None, 4.5]}).with_weights([0.5, 4.0, 3.0])
    ax = drawn(table.plot_missing())
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "2 missing: 4 rows",
        "complete: 3.5 rows",
    ]
    assert ax.get_title(loc="left") == "3.5 of 7.5 rows complete"
    panels = plot_pairs(table, aw.dag(["a -> b"]), ["a", "b"])
    areas = drawn(panels[2]).collections[0].get_sizes()
    np.testing.assert_allclose(areas / areas[0], [1.0, 8.0, 6.0])


def test_many_patterns_and_columns_are_cut():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(300, 90))
    values[rng.random(values.shape) < 0.05] = np.nan
    ax = drawn(plot_missing(aw.table(values)))
    assert len(ax.get_yticklabels()) == 20
    assert len(ax.get_xticklabels()) == 60
    assert "rarer patterns not drawn" in ax.get_title(loc="left")


# -- curves ---------------------------------------------------------------------------------------


def test_curves_are_those_of_the_graphs_along_the_search():
    table = aw.example("boston").select(["MEDV", "LSTAT", "RM", "NOX", "TAX"])
    train, test = table.take(range(0, 506, 2)), table.take(range(1, 506, 2))
    for search in ("greedy", aw.Tabu(restarts=1)):
        net = aw.learn(train, model="gaussian", search=search, certainty=False)
        curve = net.search_curve(test)
        plain = next(i for i, s in enumerate([*net.trace, None]) if s is None or " " in s.what)
        assert len(curve.test) == plain + 1
        assert curve.edges.tolist() == [0, *(step.edges for step in net.trace[:plain])]
        empty = aw.fit(aw.dag([], nodes=net.nodes), train)
        assert curve.test[0] == pytest.approx(empty.logpdf(test).mean())
    greedy = aw.learn(train, model="gaussian", search="greedy", certainty=False)
    curve = greedy.search_curve(test)
    assert curve.test[-1] == pytest.approx(greedy.logpdf(test).mean())
    assert curve.train[-1] == pytest.approx(aw.score(greedy.graph, train, score="loo") / train.rows)
    full = aw.learn(
        train,
        model="gaussian",
        search=aw.Greedy(start="complete"),
        score="loglik",
        penalty=0.02,
        certainty=False,
    )
    assert full.search_curve(test).edges[0] == 10
    ax = drawn(greedy.plot_trace(test))
    assert ax.get_xlabel() == "step of the search"
    assert str(curve).splitlines()[-1].startswith("largest test likelihood after step")


def test_curves_say_what_they_need(boston):
    with pytest.raises(FitError, match="greedy"):
        boston.plot_trace(aw.example("boston"))
    with pytest.raises(FitError, match="directed"):
        aw.example("alarm", "network").search_curve({})


@pytest.mark.parametrize(
    ("steps", "arcs"),
    [
        ([("add", 0, 1, 1), ("drop", 2, 1, 0)], []),  # an arc that is not there
        ([("add", 0, 1, 1), ("add", 1, 2, 3)], [(0, 2), (0, 1), (1, 2)]),  # another end
        ([("drop", 0, 1, 1), ("drop", 2, 1, 1)], [(0, 1)]),  # no way back to the start
    ],
)
def test_steps_of_several_searches_have_no_curve(steps, arcs):
    rng = np.random.default_rng(0)
    net = aw.learn(rng.normal(size=(40, 3)), model="gaussian", search="greedy", certainty=False)
    graph = aw.dag([(net.nodes[a], net.nodes[b]) for a, b in arcs], nodes=net.nodes)
    trace = [Step(k, *step[:3], 0.0, step[3], 0.0) for k, step in enumerate(steps)]
    with pytest.raises(FitError, match="one search from one start"):
        search_curve(net.fits, graph, trace, net.data)


def test_calibration_is_that_of_the_rows():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 200)
    table = aw.table(
        {"x": np.array(["a", "b"])[x], "y": np.where(rng.random(200) < 0.8, x, 1 - x).astype(str)}
    )
    validated = aw.classify(table, "y", structure="naive", folds=4).validated
    ax = drawn(validated.plot())
    points = ax.collections[-1].get_offsets()
    np.testing.assert_allclose(points, [(b.predicted, b.observed) for b in validated.calibration()])
    assert plot_calibration(validated.calibration(5)) is not None
