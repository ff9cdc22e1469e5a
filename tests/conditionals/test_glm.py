"""Generalised linear models: each form against a plain twin, the choice among them, invariances."""

import numpy as np
import pytest
from naive import glm as naive

import arcwise as aw
from arcwise.conditionals import FAMILIES, table_of
from arcwise.data import Table, Variable
from arcwise.graphs import DAG

GLM = FAMILIES["glm"]


def numbers_and_levels(seed: int, rows: int = 300) -> dict[str, np.ndarray]:
    """Numbers x and z, and categories a (two levels) and b (three), independent of each other."""
    rng = np.random.default_rng(seed)
    return {
        "a": rng.integers(0, 2, rows).astype(np.uint8),
        "b": rng.choice(3, rows, p=[0.5, 0.3, 0.2]).astype(np.uint8),
        "x": rng.normal(size=rows),
        "z": rng.gamma(3.0, size=rows),
    }


def as_table(columns: dict[str, np.ndarray], weights=None) -> Table:
    """Unsigned columns are codes of levels."""
    variables = [
        Variable(name, tuple(f"l{k}" for k in range(int(column.max()) + 1)))
        if column.dtype.kind == "u"
        else Variable(name)
        for name, column in columns.items()
    ]
    return Table(tuple(variables), tuple(columns.values()), weights)


def bound(columns, weights=None):
    source = as_table(columns, weights)
    fits = GLM.bind(source)
    number = {name: j for j, name in enumerate(source.names)}

    def ask(child: str, *parents: str):
        members = tuple(sorted(number[name] for name in parents))
        model = fits.conditional(number[child], members)
        value = fits.loglik(number[child], [members])[0]
        return model, value, fits.n_params(number[child], [members])[0]

    return ask


def drawn(logs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Codes with log odds (rows, levels)."""
    return (logs + rng.gumbel(size=logs.shape)).argmax(axis=1).astype(np.uint8)


def test_main_effects_of_a_number_are_least_squares():
    columns, rng = numbers_and_levels(1), np.random.default_rng(2)
    y = 2.0 * columns["x"] + np.array([0.0, 1.0, -1.0])[columns["b"]] + rng.normal(size=300)
    model, value, count = bound({**columns, "y": y})("y", "b", "x")
    assert (model.form, count) == ("additive", 5)
    assert value == pytest.approx(
        naive.normal_loglik(y, naive.design(columns["b"], columns["x"])), rel=1e-9
    )


def test_weights_are_copies_of_rows():
    columns, rng = numbers_and_levels(1), np.random.default_rng(2)
    y = columns["x"] + columns["a"] + rng.normal(size=300)
    e = drawn(np.column_stack([0 * y, y]), rng)
    weights = rng.integers(0, 4, 300).astype(float)
    for child, parents in (("y", ("a", "x")), ("e", ("y", "a"))):
        counted = bound({**columns, "y": y, "e": e}, weights)(child, *parents)[1]
        copies = np.repeat(np.arange(300), weights.astype(int))
        repeated = {name: column[copies] for name, column in {**columns, "y": y, "e": e}.items()}
        assert counted == pytest.approx(bound(repeated)(child, *parents)[1], rel=1e-8)


def test_a_curve_is_chosen_where_there_is_one():
    columns, rng = numbers_and_levels(3), np.random.default_rng(4)
    z = naive.standardised(columns["x"])
    cut = np.clip(z, -3, 3)
    y = cut**2 + 0.5 * rng.normal(size=300)
    model, value, _ = bound({**columns, "y": y})("y", "x")
    expected = naive.normal_loglik(y, naive.design(z, cut**2 - 1))
    assert model.form == "selected"
    assert value == pytest.approx(expected, rel=1e-9)


def test_a_product_is_chosen_where_effects_exist_only_together():
    columns, rng = numbers_and_levels(5), np.random.default_rng(6)
    sign = 2.0 * columns["a"] - 1
    y = sign * columns["x"] + 0.5 * rng.normal(size=300)
    model, value, _ = bound({**columns, "y": y})("y", "a", "x")
    x = naive.design(columns["a"], columns["x"], columns["a"] * columns["x"])
    assert model.form in ("selected", "configurations")
    assert value >= naive.normal_loglik(y, x) - 1e-6
    e = drawn(np.column_stack([0 * y, 3 * sign * columns["x"]]), rng)
    model, value, count = bound({**columns, "e": e})("e", "a", "x")
    assert (model.form, count) == ("selected", 4)
    assert value == pytest.approx(naive.logit_loglik(e.astype(int), x, 2), rel=1e-6)


def test_spreads_by_configuration_are_separate_regressions():
    columns, rng = numbers_and_levels(7), np.random.default_rng(8)
    spread = np.array([0.2, 1.0, 3.0])[columns["b"]]
    y = columns["x"] * (columns["b"] - 1.0) + spread * rng.normal(size=300)
    model, value, count = bound({**columns, "y": y})("y", "b", "x")
    assert (model.form, count) == ("configurations", 9)
    parts = [
        naive.normal_loglik(y[columns["b"] == k], naive.design(columns["x"][columns["b"] == k]))
        for k in range(3)
    ]
    assert value == pytest.approx(sum(parts), rel=1e-9)


def test_a_spread_that_depends_on_parents_has_the_largest_likelihood():
    columns, rng = numbers_and_levels(13), np.random.default_rng(14)
    z = naive.standardised(columns["x"])
    y = columns["x"] + np.exp(0.6 * np.abs(z)) * rng.normal(size=300)
    model, value, count = bound({**columns, "y": y})("y", "x")
    functions = {3: 0.0, 4: 1.0, 5: -1.0}  # |z|, |z - 1|, |z + 1|
    used = [functions[f] for f in model.noise_columns[:, 1].tolist()]
    v = naive.design([np.abs(np.clip(z, -3, 3) - shift) for shift in used])
    assert (model.form, count) == ("spreads", 3 + len(used))
    assert value == pytest.approx(naive.spread_loglik(y, naive.design(z), v), abs=1e-4)
    assert value == pytest.approx(model.logpdf(y, (columns["x"],)).sum(), rel=1e-9)
    ends = np.array([100.0, 0.0, 1000.0])  # beyond three standard deviations it grows no more
    sds = model.distribution((ends,), 3).sd
    assert sds[0] == pytest.approx(sds[2])
    assert 2.0 < sds[0] / sds[1] < 12.0


def test_a_spread_depends_on_a_category_in_a_plain_regression():
    columns, rng = numbers_and_levels(15), np.random.default_rng(16)
    y = columns["x"] + columns["z"] + np.array([0.3, 1.0, 3.0])[columns["b"]] * rng.normal(size=300)
    model, value, _ = bound({**columns, "y": y})("y", "b", "x", "z")
    x = naive.design(columns["b"], columns["x"], columns["z"])
    assert model.form == "spreads"
    assert value == pytest.approx(naive.spread_loglik(y, x, naive.design(columns["b"])), abs=1e-3)


def test_a_spread_stays_within_that_of_the_rows():
    """A code of two values says nothing of what lies between them; ksl had an sd of 1e9 there."""
    rng = np.random.default_rng(17)
    code, z = rng.choice([1.0, 2.0], 400, p=[0.45, 0.55]), rng.normal(size=400)
    y = z + np.where(code == 1, 0.05, 2.0) * rng.normal(size=400)
    model, _, _ = bound({"y": y, "code": code, "z": z})("y", "code", "z")
    assert model.form == "spreads"
    of_code = model.noise_columns[model.noise_columns[:, 0] == 0]
    assert of_code[:, 1].tolist() == [0]  # linear in the code
    sds = model.distribution((np.linspace(-50, 50, 101), np.zeros(101)), 101).sd
    rows = model.distribution((code, z), 400).sd
    assert (sds >= rows.min() * (1 - 1e-9)).all()
    assert (sds <= rows.max() * (1 + 1e-9)).all()
    assert rows.min() < 0.1 < 1.0 < rows.max()


def test_heavy_tails_are_no_spread():
    rng = np.random.default_rng(17)
    chosen = []
    for _ in range(40):
        x, noise = rng.normal(size=300), rng.standard_t(3, size=300)
        chosen.append(bound({"x": x, "y": x + noise})("y", "x")[0].form)
    assert chosen.count("additive") >= 38


def test_heavy_tails_are_no_spread_by_configuration():
    rng, chosen = np.random.default_rng(18), []
    for _ in range(30):
        b = rng.choice(3, 2000, p=[0.6, 0.3, 0.1]).astype(np.uint8)
        ask = bound({"b": b, "y": rng.standard_t(3, size=2000)})
        model, value, count = ask("y", "b")
        _, alone, fewer = ask("y")
        chosen.append(value - alone - 0.5 * np.log(2000) * (count - fewer) > 0)
        assert model.form in ("additive", "configurations")
    assert sum(chosen) <= 2


@pytest.mark.parametrize("levels", [2, 3])
def test_a_category_with_numeric_parents_is_a_logit(levels):
    columns, rng = numbers_and_levels(9), np.random.default_rng(10)
    slopes = np.arange(levels) - 1.0
    e = drawn(np.outer(columns["x"], slopes) + np.outer(columns["a"], slopes), rng)
    model, value, count = bound({**columns, "e": e})("e", "a", "x")
    assert (model.form, count) == ("additive", 3 * (levels - 1))
    x = naive.design(naive.standardised(columns["x"]), columns["a"])
    assert value == pytest.approx(naive.logit_loglik(e.astype(int), x, levels), rel=1e-6)


def test_categories_alone_have_tables_and_additive_logits():
    columns, rng = numbers_and_levels(11), np.random.default_rng(12)
    a, b = columns["a"].astype(int), columns["b"].astype(int)
    parity = ((a + b + (rng.random(300) < 0.1)) % 2).astype(np.uint8)
    ask = bound({**columns, "e": parity})
    model, value, count = ask("e", "a", "b")
    assert (model.form, count) == ("table", 6)
    places = a * 3 + b
    assert value == pytest.approx(naive.table_loglik(parity.astype(int), places, 2, 6), rel=1e-9)
    logs = np.log(table_of(model, 2)[a, b, parity])
    assert value == pytest.approx(logs.sum(), rel=1e-9)
    alone = drawn(np.column_stack([np.zeros(300), 1.0 * a + b]), rng)
    model, value, count = bound({**columns, "e": alone})("e", "a", "b")
    assert (model.form, count) == ("additive", 4)
    assert value == pytest.approx(
        naive.logit_loglik(alone.astype(int), naive.design(a, b), 2), rel=1e-6
    )


def test_separated_levels_have_finite_coefficients_and_honest_probabilities():
    x = np.linspace(-1, 1, 60)
    e = (x > 0).astype(np.uint8)
    model, value, _ = bound({"x": x, "e": e})("e", "x")
    assert -10 < value < 0
    chances = np.exp(model.logpdf(np.ones(2, int), (np.array([-1.0, 1.0]),)))
    assert 0 < chances[0] < 0.05 < 0.95 < chances[1] < 1


def test_redundant_constant_and_rare_parents_are_not_counted():
    columns, rng = numbers_and_levels(13), np.random.default_rng(14)
    rare = np.zeros(300, dtype=np.uint8)
    rare[:3], rare[3:200] = 2, 1
    y = columns["x"] + rng.normal(size=300)
    e = drawn(np.column_stack([0 * y, columns["x"]]), rng)
    extra = {"copy": 2 * columns["x"] - 7, "flat": np.full(300, 3.0), "rare": rare}
    ask = bound({**columns, **extra, "y": y, "e": e})
    for child in ("y", "e"):
        alone = ask(child, "x")
        assert ask(child, "x", "copy", "flat")[1:] == pytest.approx(alone[1:])
        assert ask(child, "rare", "x")[2] == alone[2] + 1  # three rows of level 2 count as level 1


def test_more_parameters_than_rows_can_carry_are_no_effect():
    rng = np.random.default_rng(15)
    many = rng.permutation(np.arange(40) % 20).astype(np.uint8)
    columns = {f"x{j}": rng.normal(size=40) for j in range(25)} | {"many": many}
    ask = bound(columns)
    assert ask("x0", *(f"x{j}" for j in range(1, 25)))[0].form == "marginal"
    assert ask("many", "x0")[0].form == "marginal"
    pair = bound({"x": np.array([0.0, 1.0]), "y": np.array([0.0, 2.0])})
    assert pair("y", "x")[0].form == "marginal"


def test_names_units_and_order_do_not_matter():
    columns, rng = numbers_and_levels(16), np.random.default_rng(17)
    y = np.sin(2 * columns["x"]) + columns["b"] * columns["z"] / 2 + 0.3 * rng.normal(size=300)
    e = drawn(np.column_stack([0 * y, y, y**2 / 2]), rng)
    own = {**columns, "y": y, "e": e}
    ask = bound(own)
    turned = {
        "p": (2 - columns["b"]).astype(np.uint8),
        "q": -1e3 * columns["x"] + 5,
        "c": columns["z"] * 1e-4,
        "r": 7 * y,
        "d": np.array([2, 0, 1], dtype=np.uint8)[e],
    }
    other = bound(turned)
    model, value, count = ask("y", "b", "x", "z")
    again, moved, counted = other("r", "p", "q", "c")
    assert (model.form, count) == (again.form, counted)
    assert moved == pytest.approx(value - 300 * np.log(7), rel=1e-7)
    assert other("d", "p", "r", "q")[1] == pytest.approx(ask("e", "b", "y", "x")[1], rel=1e-6)


def test_noise_of_mixed_kinds_has_hardly_any_edges():
    edges = columns = 0
    for seed in range(6):
        noise = numbers_and_levels(seed, 100) | {
            f"{name} too": column for name, column in numbers_and_levels(seed + 50, 100).items()
        }
        net = aw.learn(as_table(noise), model="glm", certainty=False)
        edges, columns = edges + net.graph.n_arcs, columns + len(noise)
    assert edges <= 0.05 * columns


def test_a_mixed_table_is_learned_saved_and_asked(tmp_path):
    rng = np.random.default_rng(18)
    town = rng.choice(["a", "b", "c"], 1500)
    size = 2.0 * (town == "a") + rng.normal(size=1500)
    price = size**2 + rng.normal(size=1500)
    chance = 1 / (1 + np.exp(3 - price))
    sold = np.where(rng.random(1500) < chance, "yes", "no")
    rows = {"town": town, "size": size, "price": price, "sold": sold}
    net = aw.learn(rows, model=aw.GLM(), certainty=False)
    assert {frozenset(arc) for arc in net.graph.arcs} == {
        frozenset(pair) for pair in (("town", "size"), ("size", "price"), ("price", "sold"))
    }
    again = aw.load(net.save(tmp_path / "net.json"))
    assert np.array_equal(again.logpdf(rows), net.logpdf(rows))
    assert again.local("price") == net.local("price")
    wide = net.sample(40_000, seed=1)
    for given, kept in (
        ({"sold": "yes"}, wide.values("sold") == "yes"),
        ({"town": "a", "sold": "no"}, (wide.values("town") == "a") & (wide.values("sold") == "no")),
    ):
        belief = net.query("size", given=given, seed=2)
        simulated = wide.values("size")[kept]
        spread = np.hypot(belief.error, simulated.std() / np.sqrt(kept.sum()))
        assert abs(belief.mean - simulated.mean()) < 5 * spread
    belief = net.query("sold", given={"town": "b"}, seed=3)
    share = (wide.values("sold")[wide.values("town") == "b"] == "yes").mean()
    assert float(belief.probability("yes")) == pytest.approx(share, abs=5 * belief.error + 0.02)


def families_of_every_form() -> list[tuple[Table, str, str, tuple[str, ...]]]:
    """Tables with a child and parents whose best form is this one, by a wide margin."""
    columns, rng = numbers_and_levels(20, 400), np.random.default_rng(21)
    x, z, b = columns["x"], columns["z"], columns["b"]
    noise, flat = rng.normal(size=400), np.zeros(400)
    children = {
        "additive": (2 * x + b + noise, ("b", "x")),
        "selected": (x**2 + 0.5 * noise, ("x", "z")),
        "configurations": (x * (b - 1.0) + np.array([0.2, 1.0, 3.0])[b] * noise, ("b", "x")),
        "spreads": (x + np.exp(0.8 * np.abs(x)) * noise, ("x",)),
        "table": (((columns["a"] + b + (rng.random(400) < 0.1)) % 2).astype(np.uint8), ("a", "b")),
        "additive logit": (drawn(np.column_stack([flat, 2 * x, z / 2]), rng), ("x", "z")),
        "selected logit": (drawn(np.column_stack([flat, 2 * x**2 - 2]), rng), ("x",)),
    }
    return [
        (as_table({**columns, "y": y}), form, "y", parents)
        for form, (y, parents) in children.items()
    ]


@pytest.mark.parametrize("case", range(7))
def test_one_step_is_close_to_the_fit_of_resampled_rows(case):
    table, form, child, parents = families_of_every_form()[case]
    number = {name: j for j, name in enumerate(table.names)}
    members = tuple(sorted(number[name] for name in parents))
    fits, rng = GLM.bind(table), np.random.default_rng(22)
    assert fits.conditional(number[child], members).form == form.split()[0]
    weights = rng.multinomial(400, np.full(400, 1 / 400), size=12).astype(float)
    empty = DAG(table.names, ((),) * len(table.names))
    replicates = fits.resampled(np.vstack([np.ones(400), weights]), empty)
    [same] = replicates[0].loglik(number[child], [members])
    assert same == pytest.approx(fits.loglik(number[child], [members])[0], abs=0.1)
    values, differences = [], []
    for row, replicate in zip(weights, replicates[1:], strict=True):
        again = GLM.bind(table.with_weights(row))
        if again.n_params(number[child], [members]) == fits.n_params(number[child], [members]):
            values.append(float(again.loglik(number[child], [members])[0]))
            differences.append(replicate.loglik(number[child], [members])[0] - values[-1])
    assert len(differences) >= 6
    # The median, since a form with as many parameters can still be another one in a replicate.
    assert np.median(np.abs(differences)) < 0.1 * np.std(values)


def test_replicates_pass_over_parents_that_gain_nothing():
    rng = np.random.default_rng(23)
    x = rng.normal(size=(20000, 4))
    y = x[:, 0] + rng.normal(size=20000)
    table = as_table({**{f"x{j}": x[:, j] for j in range(4)}, "y": y})
    fits, child = GLM.bind(table), table.names.index("y")
    empty = DAG(table.names, ((),) * 5)
    weights = np.ones((1, 20000))
    assert fits.resampled(weights, empty)[0].never(child) == frozenset()
    fits.loglik(child, [(), *((j,) for j in range(4))])
    passed = fits.resampled(weights, empty)[0].never(child)
    assert passed
    assert 0 not in passed
    kept = DAG(table.names, ((), (), (), (), tuple(sorted(passed))))
    assert fits.resampled(weights, kept)[0].never(child) == frozenset()


def test_the_runner_up_is_the_best_form_of_another_kind():
    columns, rng = numbers_and_levels(24), np.random.default_rng(25)
    model = bound({**columns, "y": columns["x"] ** 2 + rng.normal(size=300)})("y", "x")[0]
    assert (model.form, model.runner_up) in (("selected", "additive"), ("selected", "spreads"))
    assert model.lead > 4
    net = aw.learn(as_table({**columns, "y": columns["x"] ** 2 + rng.normal(size=300)}))
    assert "closest: " in dict(net.describe())["forms"]
    row = net.edges["x", "y"]
    assert (row.form, net.edges["a", "b"].form) == ("selected", "")
    assert "selected" in str(net.edges)
    numbers = {name: columns[name] for name in "xz"}
    linear = aw.learn(numbers, model="gaussian", certainty=False)
    assert "form" not in linear.edges.to_records()[0]
