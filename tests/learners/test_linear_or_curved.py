"""What `model="auto"` makes of tables of numbers: straight lines stay, other forms replace them."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.learners import linear_or_curved


def linear_table(seed: int, rows: int = 200, columns: int = 6) -> aw.Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns))
    for j in range(1, columns):
        x[:, j] += x[:, rng.integers(j)] * rng.choice([-0.8, 0.8])
    return aw.table({f"x{j}": x[:, j] for j in range(columns)})


def bent_table(rows: int = 300, seed: int = 1) -> aw.Table:
    """y is a parabola of x, w a product of y and z, and the spread of v depends on z."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, rows))
    y = x**2 + 0.5 * rng.normal(size=rows)
    v = np.exp(0.8 * np.abs(z)) * rng.normal(size=rows)
    return aw.table({"x": x, "z": z, "y": y, "v": v, "u": x - z + rng.normal(size=rows)})


@pytest.mark.parametrize("seed", range(12))
def test_linear_tables_have_the_linear_network(seed):
    table = linear_table(seed)
    net = aw.learn(table, certainty=False)
    linear = aw.learn(table, model="gaussian", certainty=False)
    assert net.settings == linear.settings
    assert (net.graph, net.score) == (linear.graph, linear.score)
    assert net.query("x0", given={"x1": 1.0}).error == 0.0


def test_curves_and_spreads_replace_straight_lines_and_a_note_names_them():
    table = bent_table()
    net = aw.learn(table, certainty=False)
    assert net.settings["model"] == "curved"
    assert ("x", "y") in net.graph.arcs
    assert (net["y"].form, net["v"].form) == ("selected", "spreads")
    [note] = [note for note in net.notes if note.kind.value == "model"]
    assert "v and y better than straight lines: +" in str(note)
    assert note.fixes[0].python() == "model='gaussian'"
    assert net.logpdf(table).sum() > aw.learn(table, model="gaussian").logpdf(table).sum() + 200
    again = aw.learn(table, model="curved", certainty=False)
    assert again.graph == net.graph
    assert again.score == pytest.approx(net.score, rel=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"score": "bic"},
        {"search": "ges"},
        {"model": "gaussian"},
        {"penalty": "cv"},
        {"model": {"x": "gaussian"}},
    ],
)
def test_nothing_is_tried_if_a_choice_was_made(options):
    net = aw.learn(bent_table(), certainty=False, **options)
    assert net.settings["model"] == "gaussian"


def test_units_rows_and_order_of_columns_do_not_decide():
    table = bent_table()
    net = aw.learn(table, certainty=False)
    rows = np.random.default_rng(2).permutation(table.rows)
    for changed in (
        aw.table({name: 1e9 + table.values(name) for name in table.order}),
        aw.table({name: -3.5 * table.values(name) for name in reversed(table.order)}),
        table.take(rows),
    ):
        assert aw.learn(changed, certainty=False).graph == net.graph


def test_levels_that_are_numbers_count_as_numbers_in_both():
    rng = np.random.default_rng(3)
    steps = rng.integers(0, 5, 300)
    table = aw.table({"steps": steps, "y": (steps - 2.0) ** 2 + rng.normal(size=300)})
    net = aw.learn(table, certainty=False)
    assert net.settings["model"] == "curved"
    assert not any(variable.discrete for variable in net.net.variables)
    assert net.graph.n_arcs == 1


def test_a_search_that_would_take_long_is_left_to_the_user(monkeypatch):
    monkeypatch.setattr(linear_or_curved, "_MAX_SECONDS", 0.0)
    net = aw.learn(bent_table(), certainty=False)
    assert net.settings["model"] == "gaussian"
    assert any("model='curved' does so" in note for note in net.notes)


def test_rules_hold_for_further_forms():
    rules = aw.Rules(forbidden=[("x", "y"), ("y", "x")])
    net = aw.learn(bent_table(), rules=rules, certainty=False)
    assert not {("x", "y"), ("y", "x")} & set(net.graph.arcs)


@pytest.mark.parametrize("text", [False, True])
def test_networks_with_further_forms_have_a_quick_certainty(text):
    table = bent_table()
    if text:
        town = np.where(table.values("x") > 0, "north", "south")
        table = aw.table({**{name: table.values(name) for name in table.order}, "town": town})
    net = aw.learn(table)
    assert net.settings["model"] == ("glm" if text else "curved")
    assert net.edges.certainty_meaning == "bootstrap frequency, 100 replicates"
    assert all(row.certainty > 0.5 for row in net.edges.present if row.strength > 0.1)
    assert str(aw.learn(table).edges) == str(net.edges)
    rare = net.edges.where(lambda row: row.strength < -0.01)
    assert all(row.certainty < 0.5 for row in rare)


def test_heads_come_from_the_class_or_from_the_shape_of_local_models(tmp_path):
    rng = np.random.default_rng(1)
    x, b = rng.normal(size=(2, 300))
    y = x**2 + 0.5 * rng.normal(size=300)
    chain = {"a": b + rng.normal(size=300), "b": b, "c": b + rng.normal(size=300)}
    net = aw.learn({"x": x, "y": y, "z": y + rng.normal(size=300), **chain})
    shaped, plain = net.edges["x", "y"], net.edges["a", "b"]
    assert (shaped.shown, shaped.head_origin, shaped.reversible) == ("x -> y", "shape", True)
    assert shaped.reversal_loss > 100
    assert shaped.direction_support == shaped.direction_certainty > 0.9
    assert (plain.head, plain.head_origin, plain.present) == (False, "", True)
    assert abs(plain.reversal_loss) < 4
    assert any("of heads by shape" in text for _, text in net.describe())
    again = aw.load(net.save(tmp_path / "net.json"))
    assert str(again.edges) == str(net.edges)
    assert [row.head_origin for row in again.edges] == [row.head_origin for row in net.edges]
    linear = aw.learn(chain)
    assert linear.edges["a", "b"].reversal_loss is None


def test_rows_without_missing_values_decide_about_further_forms():
    table, rng = bent_table(), np.random.default_rng(4)
    columns = {name: table.values(name).copy() for name in table.order}
    columns["y"][rng.random(300) < 0.1] = np.nan
    net = aw.learn(columns, certainty=False)
    assert net.settings["model"] == "curved"
    assert ("x", "y") in net.graph.arcs
    assert any("better than straight lines" in str(note) for note in net.notes)
    line = {name: linear_table(1).values(name).copy() for name in linear_table(1).order}
    line["x0"][rng.random(200) < 0.1] = np.nan
    assert aw.learn(line, certainty=False).settings["model"] == "gaussian"


def test_draws_from_curved_networks_stay_near_the_rows():
    """Products and varying spreads grew along chains: an sd of 10^5 times that of the rows, or no answer."""
    homes = aw.example("boston")
    net = aw.learn(homes, model="curved", certainty=False)
    drawn = net.sample(5000, seed=1)
    ratios = [np.std(drawn.values(name)) / np.std(homes.values(name)) for name in net.variables]
    assert min(ratios) > 0.4
    assert max(ratios) < 2
    few = net.predict({"RM": [6.5, 6.4]}, "MEDV").to_pandas()
    assert few["mean"].between(10, 40).all()


def test_cross_validation_chooses_models_as_learning_does():
    x = np.random.default_rng(3).normal(size=(200, 2))
    rows = {"x": x[:, 0], "y": x[:, 0] ** 2 + 0.3 * x[:, 1]}
    means = {
        model: aw.validate(rows, folds=3, model=model).mean
        for model in ("auto", "gaussian", "curved")
    }
    assert means["auto"] >= means["curved"] > means["gaussian"] + 0.5
