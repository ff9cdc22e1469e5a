"""Conditional Parzen windows: published numbers, stated rules, awkward columns."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from naive import parzen as naive
from scipy.integrate import quad

import arcwise as aw
from arcwise._kernels import parzen_sums as kernel
from arcwise.conditionals import FAMILIES
from arcwise.conditionals.parzen import ParzenConditional, ParzenFamily
from arcwise.data import Complete, Moments, Table, Variable, standardise
from arcwise.errors import DataError, FitError, OptionError
from arcwise.graphs import DAG, cpdag
from arcwise.graphs.moves import random_dag
from arcwise.networks import BayesNet, log_density
from arcwise.scores import leave_one_out, total


@pytest.fixture(scope="module")
def boston() -> Table:
    return standardise(aw.example("boston").continuous())[0]


def curved(seed: int, rows: int = 120) -> Table:
    rng = np.random.default_rng(seed)
    x, z = rng.uniform(-2, 2, (2, rows))
    y = np.sin(2 * x) + 0.2 * rng.normal(size=rows)
    return aw.table({"x": x, "y": y, "z": z})


def columns_of(table: Table, names) -> tuple:
    return tuple(table.columns[table.index(name)] for name in names)


def test_registered():
    assert isinstance(FAMILIES["parzen"], ParzenFamily)


def test_the_known_score_of_prices_given_status_and_rooms(boston):
    fits = ParzenFamily().bind(boston)
    child = boston.index("MEDV")
    parents = tuple(sorted(map(boston.index, ("LSTAT", "RM"))))
    model = fits.conditional(child, parents)
    assert fits.loo(child, [parents])[0] / boston.rows >= -0.5465
    assert model.loo == pytest.approx(fits.loo(child, [parents])[0] / boston.rows, rel=1e-12)
    assert model.bandwidths[1] == pytest.approx(0.147, abs=0.02)
    assert not model.at_minimum


def test_scores_are_in_the_units_of_the_data():
    table = curved(1)
    stretched = aw.table(
        {"x": table.column("x") * 3, "y": table.column("y") * 10, "z": table.column("z")}
    )
    ours, theirs = ParzenFamily().bind(table), ParzenFamily().bind(stretched)
    y, sets = table.index("y"), [(), (0,), (0, 2)]
    shift = table.rows * np.log(10)
    assert theirs.loo(y, sets) == pytest.approx(ours.loo(y, sets) - shift, rel=1e-7)
    a, b = ours.conditional(y, (0,)), theirs.conditional(y, (0,))
    at = np.array([-1.0, 0.3])
    assert b.mean((3 * at,), 2) == pytest.approx(10 * a.mean((at,), 2), rel=1e-4)


def test_a_curve_is_found_and_noise_is_not():
    fits = ParzenFamily().bind(curved(2))
    x, y, z = 0, 1, 2
    none, curve, noise = fits.loo(y, [(), (x,), (z,)])
    assert curve - none > 50
    assert noise - none < 5


@pytest.mark.parametrize("bandwidths", ["one", "two", "shared"])
def test_kinds_of_widths(bandwidths):
    fits = ParzenFamily().bind(curved(3), bandwidths=bandwidths)
    models = [fits.conditional(1, s) for s in [(), (0,), (0, 2)]]
    same = [model.bandwidths[0] == model.bandwidths[1] for model in models[1:]]
    assert all(same) == (bandwidths != "two")
    outputs = {float(model.bandwidths[1]) for model in models}
    assert (len(outputs) == 1) == (bandwidths == "shared")


def test_two_widths_are_never_worse_than_one(boston):
    sets = [(0,), (3, 7), (1, 5, 9)]
    two, one = ParzenFamily().bind(boston), ParzenFamily().bind(boston, bandwidths="one")
    assert (two.loo(8, sets) >= one.loo(8, sets) - 1e-4 * boston.rows).all()


def test_equivalent_graphs_tie_at_any_shared_width_on_test_rows_too(boston):
    chosen = boston.select(["MEDV", "LSTAT", "RM", "NOX", "DIS"])
    train, test = chosen.take(np.arange(0, 506, 2)), chosen.take(np.arange(1, 506, 2))
    rng = np.random.default_rng(4)
    fits = ParzenFamily().bind(train, bandwidths="shared")
    for width in (0.1, 0.3, 1.0):
        fixed = type(fits)(fits.family, Complete(train), width=width)
        assert fixed.equivalent
        score = leave_one_out(fixed)
        for graph in _some_graphs(chosen.names, rng):
            other = _another_of_the_class(graph, rng)
            assert total(score, other) == pytest.approx(total(score, graph), rel=1e-11)
            ours, theirs = (_net(fixed, g) for g in (graph, other))
            np.testing.assert_allclose(
                log_density(ours, test.columns), log_density(theirs, test.columns), rtol=1e-9
            )


def _some_graphs(names, rng):
    chain = DAG.from_arcs(list(pairwise(names)), names)
    return [chain, *(random_dag(names, 2.0, rng) for _ in range(2))]


def _another_of_the_class(graph: DAG, rng) -> DAG:
    """Turn an arc that the class leaves open."""
    for tail, head in graph.arcs:
        try:
            turned = graph.without_arc(tail, head).with_arc(head, tail)
        except aw.GraphError:
            continue
        if cpdag(turned) == cpdag(graph):
            return turned
    return graph


def _net(fits, graph: DAG) -> BayesNet:
    models = tuple(fits.conditional(c, row) for c, row in enumerate(graph.parents))
    return BayesNet(fits.table.variables, graph, models)


def test_a_shared_width_is_tuned_to_a_graph(boston):
    chosen = boston.select(["MEDV", "LSTAT", "RM", "NOX"])
    fits = ParzenFamily().bind(chosen, bandwidths="shared")
    graph = DAG.from_arcs([("LSTAT", "MEDV"), ("RM", "MEDV")], chosen.names)
    tuned = fits.retuned(graph)
    assert tuned is not None
    assert tuned.retuned(graph) is None
    assert total(leave_one_out(tuned), graph) > total(leave_one_out(fits), graph)
    for factor in (0.9, 1.1):
        near = type(fits)(fits.family, Complete(chosen), width=tuned.width * factor)
        assert total(leave_one_out(near), graph) < total(leave_one_out(tuned), graph)
    assert ParzenFamily().bind(chosen).retuned(graph) is None


def test_densities_are_those_of_the_plain_formula():
    table = curved(5, rows=30)
    model = ParzenFamily().bind(table).conditional(1, (0, 2))
    rng = np.random.default_rng(6)
    y, x, z = rng.normal(size=(3, 20))
    inputs = np.vstack(columns_of(table, ("x", "z"))) / model.scales[1:, None]
    queries = np.vstack([x, z]) / model.scales[1:, None]
    expected = naive.log_density(
        inputs, np.zeros(2), np.ones(30), table.column("y") / model.scales[0], 0,
        queries, y / model.scales[0], *model.bandwidths,
    ) - np.log(model.scales[0])  # fmt: skip
    np.testing.assert_allclose(model.logpdf(y, (x, z)), expected, rtol=1e-9)


def test_mixtures_have_the_density_and_the_mean():
    model = ParzenFamily().bind(curved(7)).conditional(1, (0,))
    x, y = np.array([-1.0, 0.2, 1.4]), np.array([0.1, 0.5, -0.4])
    for each in (model, replace(model, tail_weight=0.1)):
        found = each.distribution((x,), 3)
        (centres,), (sd,), weights = found.centres, found.widths, found.weights
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-9)
        normal = np.exp(-0.5 * ((y[:, None] - centres) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))
        np.testing.assert_allclose(
            (weights * normal).sum(axis=1), np.exp(each.logpdf(y, (x,))), rtol=1e-6
        )
        np.testing.assert_allclose(weights @ centres, each.mean((x,), 3), rtol=1e-6)


def test_far_from_all_data_answers_stay_finite():
    model = ParzenFamily().bind(curved(8)).conditional(1, (0,))
    far = (np.array([1e6, -1e9]),)
    assert np.isfinite(model.mean(far, 2)).all()
    assert np.isfinite(model.sample(far, np.random.default_rng(1), 2)).all()
    assert np.isfinite(model.logpdf(np.zeros(2), far)).all()


def test_a_tail_bounds_the_cost_of_an_outlier():
    plain, safe = (
        ParzenFamily().bind(curved(9), tail_weight=tail).conditional(1, (0,))
        for tail in (0.0, 0.01)
    )
    y, x = np.array([8.0]), (np.array([0.0]),)
    assert plain.logpdf(y, x)[0] < -100
    assert -60 < safe.logpdf(y, x)[0] < -5

    def density(z: float) -> float:
        return float(np.exp(safe.logpdf(np.array([z]), x)[0]))

    whole = quad(density, -40, 40, limit=400, points=[-1, 0, 1])
    assert whole[0] == pytest.approx(1.0, abs=1e-6)


def test_leave_one_out_with_a_tail_is_refitting_at_the_same_widths():
    table = curved(10, rows=25)
    fits = ParzenFamily().bind(table, tail_weight=0.05)
    model, rows = fits.conditional(1, (0,)), np.arange(25)
    wide = np.exp(model.tail_log(table.columns[1]))
    expected = 0.0
    for row in rows:
        rest = np.delete(rows, row)
        without = replace(
            model, output=model.output[rest], inputs=(model.inputs[0][rest],),
            weights=np.ones(24), tail_weight=0.0,
        )  # fmt: skip
        kernel = np.exp(without.logpdf(table.columns[1][[row]], (table.columns[0][[row]],))[0])
        expected += np.log(0.95 * kernel + wide[row])
    assert fits.loo(1, [(0,)])[0] == pytest.approx(expected, rel=1e-9)
    assert 25 * model.loo == pytest.approx(expected, rel=1e-9)
    assert f"leave-one-out {expected / 25:.4f} nats per row with tail weight 0.05" in model.words(
        Variable("y"), [Variable("x")]
    )


@pytest.mark.parametrize("bandwidths", ["two", "shared"])
def test_the_models_figure_is_their_share_of_the_score_with_a_tail_too(bandwidths):
    table = levelled(11).with_weights(np.linspace(0.5, 2.0, 200), "together")
    for tail in (0.0, 0.1):
        fits = ParzenFamily().bind(table, tail_weight=tail, bandwidths=bandwidths)
        for child, parents in ((0, ()), (1, (0, 3)), (2, (1,)), (3, (0, 1, 2))):
            own = fits.conditional(child, parents).loo
            assert fits.rows * own == pytest.approx(fits.loo(child, [parents])[0], rel=1e-12)


# -- levels --------------------------------------------------------------------------------------


def levelled(seed: int, rows: int = 200) -> Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    kind = np.where(x + 0.3 * rng.normal(size=rows) > 0, "up", "down")
    kind[rng.random(rows) < 0.1] = "aside"
    rank = np.clip(np.round(2 + x), 0, 4)
    kinds = {"rank": "discrete"}
    return aw.table(
        {"x": x, "kind": kind, "rank": rank, "y": x**2 + rng.normal(size=rows)}, kinds=kinds
    )


@pytest.mark.parametrize("tail", [0.0, 0.1])
def test_a_discrete_output_has_probabilities(tail):
    table = ParzenFamily().prepare(levelled(1))
    child, parent = table.index("kind"), table.index("x")
    model = ParzenFamily().bind(table, tail_weight=tail).conditional(child, (parent,))
    x = np.array([-2.0, 0.0, 2.0])
    chances = model.distribution((x,), 3).probabilities
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-9)
    for code in range(3):
        logs = model.logpdf(np.full(3, code), (x,))
        np.testing.assert_allclose(np.exp(logs), chances[:, code], rtol=1e-6)
    up = table.variables[child].levels.index("up")
    assert chances[2, up] > 0.6 > 0.3 > chances[0, up]
    drawn = model.sample((np.full(4000, 2.0),), np.random.default_rng(2), 4000)
    shares = np.bincount(drawn, minlength=3) / 4000
    np.testing.assert_allclose(shares, chances[2], atol=0.03)


def test_levels_as_inputs_count_by_rank_or_as_the_same_or_not():
    table = ParzenFamily().prepare(levelled(2))
    kind, rank, y = (table.index(name) for name in ("kind", "rank", "y"))
    model = ParzenFamily().bind(table).conditional(y, tuple(sorted((kind, rank))))
    assert model.unordered == (True, False)
    assert model.scales[1:].tolist() == [1.0, 4.0]


def test_a_tied_column_as_levels_is_off_the_floor(boston):
    raw = aw.example("boston").continuous()
    assert ParzenFamily().bind(raw).conditional(raw.index("RAD"), ()).at_minimum
    levels = ParzenFamily().prepare(aw.table(raw, kinds={"RAD": "discrete"}))
    assert levels.variable("RAD").discrete
    model = ParzenFamily().bind(levels).conditional(levels.index("RAD"), (levels.index("TAX"),))
    assert model.bandwidths[1] > 0.1


# -- weights -------------------------------------------------------------------------------------


def test_all_copies_of_a_row_are_left_out(boston):
    child = boston.index("MEDV")
    parents = tuple(sorted(map(boston.index, ("LSTAT", "RM"))))
    rng = np.random.default_rng(1)
    counts = np.bincount(rng.integers(0, 506, 506), minlength=506).astype(float)
    drawn = boston.take(np.flatnonzero(counts)).with_weights(counts[counts > 0], "together")
    fits = ParzenFamily().bind(drawn)
    assert -0.75 < fits.loo(child, [parents])[0] / 506 < -0.5
    assert fits.conditional(child, parents).bandwidths[1] > 0.1


def test_weights_scale_the_sums():
    table = curved(11)
    once, twice = (
        ParzenFamily().bind(table.with_weights(np.full(120, w), "together")) for w in (1.0, 2.0)
    )
    assert twice.loo(1, [(), (0,)]) == pytest.approx(2 * once.loo(1, [(), (0,)]), rel=1e-9)


# -- many rows -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows",
    [4_000, 5_000, *(pytest.param(n, marks=pytest.mark.slow) for n in (19_000, 21_000, 60_000))],
)
def test_scores_of_many_rows_differ_as_exact_sums_do(rows):
    """One input more, against double-precision sums over all pairs: errors below a tenth of log n / n."""
    x = np.random.default_rng(5).standard_normal((rows, 4))
    x[:, 0] = np.sin(2 * x[:, 1]) + 0.5 * x[:, 2] + 0.5 * x[:, 0]
    fits = ParzenFamily().bind(aw.table(x, names=list("abcd")))
    sets = [(), (3,), (1,), (1, 2), (1, 2, 3)]
    found = fits.loo(0, sets) / rows + np.log(fits.block.scales[0])
    exact = []
    for s in sets:
        at = np.array([fits.conditional(0, s).bandwidths])
        given = (fits.block.columns, fits.block.apart, fits.weights, 0, 0)
        sums = kernel.loo(*given, [s], at)
        slope, bend = sums.gradient[0, 1], sums.hessian[0, 2]
        gain = 0.5 * slope**2 / max(-bend, 1e-9)  # what the best width of the output would add
        exact.append(sums.value[0] + gain)
    errors = np.diff(found) - np.diff(exact)
    assert np.abs(errors).max() < 0.1 * np.log(rows) / rows


def test_more_rows_than_can_be_compared_are_sampled_whatever_their_order(monkeypatch):
    monkeypatch.setattr("arcwise.conditionals.parzen.window_family.MOST_ROWS", 200)
    table = curved(3, rows=500)
    shuffled = table.take(np.random.default_rng(1).permutation(500))
    one, two = ParzenFamily().prepare(table), ParzenFamily().prepare(shuffled)
    assert one.rows == two.rows == 200
    for a, b in zip(one.columns, two.columns, strict=True):
        np.testing.assert_array_equal(np.sort(a), np.sort(b))
    assert any("200 of 500 rows" in note for note in one.notes)
    assert set(one.columns[0]) <= set(table.columns[0])


# -- where columns are counted from, and in which order rows come ----------------------------------


@pytest.mark.parametrize("shift", [1e7, 1e9, -3e9, 1e12])
def test_the_origin_of_the_columns_changes_nothing(shift):
    """Up to what adding the shift has already rounded away in the data themselves."""
    table = curved(4, rows=300)
    moved = Table(table.variables, tuple(column + shift for column in table.columns))
    back = Table(table.variables, tuple(column - shift for column in moved.columns))
    sets = [(), (0,)]
    here, there = ParzenFamily().bind(back), ParzenFamily().bind(moved)
    assert there.loo(1, sets) == pytest.approx(here.loo(1, sets), rel=1e-6)
    one, two = here.conditional(1, (0,)), there.conditional(1, (0,))
    assert two.bandwidths == pytest.approx(one.bandwidths, rel=1e-3)
    xs, y = back.columns[0][:20], back.columns[1][:20]
    assert two.logpdf(y + shift, (xs + shift,)) == pytest.approx(one.logpdf(y, (xs,)), abs=1e-4)
    assert two.mean((xs + shift,), 20) - shift == pytest.approx(one.mean((xs,), 20), abs=1e-3)


def test_the_order_of_rows_changes_no_bit(boston):
    rng = np.random.default_rng(2)
    whole = ParzenFamily().bind(boston)
    other = ParzenFamily().bind(boston.take(rng.permutation(506)))
    for _ in range(12):
        child = int(rng.integers(14))
        rest = [j for j in range(14) if j != child]
        s = tuple(sorted(rng.choice(rest, int(rng.integers(0, 5)), replace=False).tolist()))
        assert whole.loo(child, [s])[0] == other.loo(child, [s])[0]


@pytest.mark.parametrize(
    ("child", "parents"),
    [
        ("ZN", ["B", "CHAS"]),
        ("ZN", ["CHAS", "CRIM"]),
        ("PTRATIO", ["NOX"]),
        ("NOX", ["CHAS", "RAD"]),
        ("NOX", ["INDUS"]),
        ("DIS", ["CHAS", "CRIM", "TAX", "ZN"]),
        ("LSTAT", ["AGE", "CHAS", "NOX", "RAD", "ZN"]),
        ("TAX", ["DIS"]),
        ("RM", ["RAD"]),
        ("PTRATIO", ["TAX", "ZN"]),
    ],
)
def test_on_tied_columns_no_dense_search_finds_much_more(boston, child, parents):
    fits = ParzenFamily().bind(boston)
    node, members = boston.index(child), tuple(sorted(map(boston.index, parents)))
    grid = np.geomspace(0.01, 30.0, 28), np.geomspace(0.01, 3.0, 24)
    at = np.array([(h, g) for h in grid[0] for g in grid[1]])
    given = (fits.block.columns, fits.block.apart, fits.weights, node, 0)
    dense = kernel.loo(*given, [members] * len(at), at, single=True).value.max()
    found = fits.loo(node, [members])[0] / 506 + np.log(fits.block.scales[node])
    assert found > dense - 1e-3


def test_threads_change_nothing(boston):
    sets = [tuple(sorted(np.random.default_rng(s).choice(13, 4, replace=False))) for s in range(8)]
    sets = [tuple(int(j) for j in s) for s in sets]
    one, two = (ParzenFamily().bind(boston, threads=n).loo(13, sets) for n in (1, 2))
    assert (one == two).all()


# -- what is refused, and what is said -------------------------------------------------------------


def test_moments_are_rejected():
    with pytest.raises(FitError, match="needs the rows"):
        ParzenFamily().bind(Moments.of(curved(1)))


def test_counting_scores_are_rejected():
    with pytest.raises(FitError, match="use loo or kfold"):
        aw.learn(curved(1), model="parzen", score="bic")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bandwidths": "tow"}, "two"),
        ({"min_bandwidth": 0.0}, "min_bandwidth"),
        ({"tail_weight": 1.0}, "tail"),
    ],
)
def test_options_are_checked(options, words):
    with pytest.raises(OptionError, match=words):
        ParzenFamily().bind(curved(1), **options)


def test_few_rows_are_rejected():
    with pytest.raises(DataError, match="at least 5 complete rows"):
        ParzenFamily().prepare(aw.table({"x": np.arange(4.0) ** 2, "y": np.ones(4)}))
    assert ParzenFamily().prepare(aw.table({"x": np.arange(5.0) ** 2, "y": np.ones(5)})).rows == 5


@pytest.mark.parametrize(("once", "said"), [(1, True), (2, False)])
def test_columns_are_called_tied_where_fewer_than_one_value_in_fifty_occurs_once(once, said):
    x = np.concatenate([np.repeat(np.arange(10.0, 20.0), 10)[once:], np.linspace(0, 1, once)])
    table = aw.table({"x": x, "u": np.random.default_rng(1).normal(size=100)}).continuous()
    notes = ParzenFamily().prepare(table).notes
    assert any("occur only once" in note for note in notes) is said


@pytest.mark.parametrize(("far", "said"), [(29.0, False), (31.0, True)])
def test_values_beyond_thirty_interquartile_ranges_are_named(far, said):
    x = np.concatenate([np.linspace(-1.0, 1.0, 101), [far * 1.0]])  # quartiles at -0.5 and 0.5
    notes = ParzenFamily().prepare(aw.table({"x": x, "y": x[::-1].copy()})).notes
    assert any("interquartile" in note for note in notes) is said


def test_the_default_penalty_grows_with_pairs_and_falls_with_rows():
    assert ParzenFamily().default_penalty(10, 1000) == pytest.approx(np.log(1000 * 55 / 100) / 1000)
    assert ParzenFamily().default_penalty(2, 500) == pytest.approx(np.log(500 * 11 / 100) / 500)
    assert ParzenFamily().default_penalty(2, 20) == pytest.approx(1 / 20)  # one nat in all at least


@pytest.mark.parametrize("unit", [1e150, 1e-200])
def test_numbers_without_squares_are_rejected(unit):
    table = curved(1)
    wild = replace(table, columns=(unit * table.columns[0], *table.columns[1:]))
    with pytest.raises(DataError, match=f"{table.names[0]!r} .* change the unit"):
        ParzenFamily().prepare(wild)


def test_ties_and_outliers_are_named():
    rng = np.random.default_rng(1)
    x = rng.normal(size=100)
    x[3] = 1e6
    table = aw.table({"x": x, "t": rng.integers(0, 8, size=100) / 4, "u": rng.normal(size=100)})
    notes = ParzenFamily().prepare(table.continuous()).notes
    assert any("'t'" in note and "discrete" in note for note in notes)
    assert any("'x'" in note and "interquartile" in note for note in notes)
    assert not any("'u'" in note for note in notes)
    fits = ParzenFamily().bind(ParzenFamily().prepare(table.continuous()))
    assert np.isfinite(fits.loo(2, [(), (0,), (0, 1)])).all()


def test_copies_and_constants_stay_finite():
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    table = aw.table({"a": x, "b": x, "c": np.full(60, 3.0)})
    fits = ParzenFamily().bind(table)
    assert fits.conditional(0, (1,)).at_minimum
    for child in range(3):
        others = [j for j in range(3) if j != child]
        values = fits.loo(child, [(), (others[0],), tuple(others)])
        assert np.isfinite(values).all()
    constant = fits.loo(2, [(), (0,), (0, 1)])
    assert constant == pytest.approx(np.full(3, constant[0]), rel=1e-12)


def test_a_model_is_checked_when_made():
    x, ones = np.zeros(3), np.ones(2)
    whole = {"output": x, "inputs": (x,), "weights": np.ones(3), "scales": ones, "bandwidths": ones}
    for wrong in (
        {"scales": np.array([1.0, -1.0])},
        {"bandwidths": np.array([0.0, 1.0])},
        {"weights": np.array([1.0, np.nan, 1.0])},
        {"inputs": (np.zeros(2),)},
    ):
        with pytest.raises(FitError):
            ParzenConditional(**{**whole, **wrong})


def test_models_say_what_they_are():
    fits = ParzenFamily().bind(curved(3))
    said = fits.conditional(1, (0, 2)).words(Variable("y"), [Variable("x"), Variable("z")])
    assert "y given x, z: Parzen" in said
    assert "120 rows" in said
    assert fits.conditional(1, ()).words(Variable("y"), []).startswith("y: Parzen windows")


def test_newton_is_no_worse_along_a_path_of_sets(boston):
    fits = ParzenFamily().bind(boston)
    sets = [tuple(range(k)) for k in range(13)]
    found = fits.loo(13, sets) / boston.rows
    block = fits.block
    grid = np.array(
        [(a, b) for a in (0.08, 0.16, 0.3, 0.55, 0.9, 1.6, 3) for b in np.geomspace(0.01, 1, 9)]
    )
    from arcwise._kernels import parzen_sums as kernel

    for value, s in zip(found, sets, strict=True):
        values = kernel.loo(
            block.columns, block.apart, fits.weights, 13, 0, [s] * len(grid), grid
        ).value
        assert value >= values.max() - np.log(block.scales[13]) - 1e-6
    assert all(np.isfinite([a, b]).all() for a, b in pairwise(found))


def test_unknown_columns_types_are_kept_as_levels():
    variables = (Variable("k", levels=("a", "b")), Variable("x"))
    rng = np.random.default_rng(0)
    table = Table(variables, (np.array([0, 1] * 10, dtype=np.uint8), rng.normal(size=20)))
    ready = ParzenFamily().prepare(table)
    assert ready.variable("k").discrete
    assert np.isfinite(ParzenFamily().bind(ready).loo(0, [(), (1,)])).all()


def test_a_variable_with_one_level_is_certain():
    x = np.random.default_rng(1).normal(size=40)
    source = Table((Variable("only", ("yes",)), Variable("x")), (np.zeros(40, dtype=np.uint8), x))
    fits = FAMILIES["parzen"].bind(source)
    assert fits.loo(0, [(), (1,)]) == pytest.approx([0.0, 0.0], abs=1e-12)
    model = fits.conditional(0, (1,))
    assert model.logpdf(source.columns[0], (x,)) == pytest.approx(np.zeros(40), abs=1e-12)
    assert model.sample((x,), np.random.default_rng(1), 40).tolist() == [0] * 40
    assert fits.loo(1, [(0,)]) == pytest.approx(fits.loo(1, [()]), rel=1e-9)  # tells nothing of x
