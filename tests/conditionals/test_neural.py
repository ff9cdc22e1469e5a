"""Neural networks as local models: their evidence, their invariances, and what training may change."""

import numpy as np
import pytest
from contracts.cases import TABLES, linear, table

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.conditionals.distinct_rows import count_rows
from arcwise.conditionals.neural import hidden_layer, number_evidence, training
from arcwise.conditionals.neural.hidden_layer import LayerInputs
from arcwise.data import Table, Variable

NEURAL = FAMILIES["neural"]
RANDOM = {"model": aw.Neural(trained=False), "certainty": False, "progress": False}


def pair(kind: str, rows: int = 300, seed: int = 1) -> Table:
    """y given x: a sine, a spread that varies, or nothing."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, rows))
    y = {"curve": np.sin(2 * x) + 0.3 * noise, "spread": (0.2 + np.abs(x)) * noise, "none": noise}
    return table({"x": x, "y": y[kind]})


def gain(source: Table) -> float:
    """Evidence of x as a parent of y."""
    without, with_x = NEURAL.bind(source).marginal(1, [(), (0,)])
    return float(with_x - without)


def test_evidence_finds_curves_and_spreads_and_nothing_in_noise():
    assert gain(pair("curve")) > 100
    assert gain(pair("spread")) > 25
    assert max(gain(pair("none", seed=seed)) for seed in range(20)) < 1


@pytest.mark.parametrize("law", ["t", "cauchy-like", "uniform"])
def test_the_shape_of_noise_is_not_taken_for_dependence(law):
    rng = np.random.default_rng(3)
    draws = {"t": lambda: rng.standard_t(3, 300), "cauchy-like": lambda: rng.standard_t(1.5, 300),
             "uniform": lambda: rng.random(300)}[law]  # fmt: skip
    gains = [gain(table({"x": draws(), "y": draws()})) for _ in range(20)]
    assert sum(each > np.log(2) for each in gains) <= 1


def test_the_ridge_evidence_is_the_density_of_a_normal_distribution():
    """Hidden units with random coefficients give a covariance matrix; its density is the evidence."""
    source = count_rows(linear(1, rows=40))
    inputs = LayerInputs(source, 5)
    columns = inputs.columns((1, 2))
    values = inputs.values(columns)
    linear_part = number_evidence._linear(inputs, inputs.centred(values), values[:, 0] ** 2)
    basis = number_evidence._basis(inputs, columns, values, linear_part.functions, 1.5)
    rest = linear_part.rest - linear_part.rest.mean()
    ridge = number_evidence._ridge(inputs, basis, rest, float(rest @ rest))
    units = inputs.centred(basis.layer)
    units -= basis.linear @ (basis.linear.T @ units)
    for size, log in zip(number_evidence._RIDGES, ridge.logs, strict=True):
        shape = np.eye(40) + units @ units.T / size
        scale = rest @ np.linalg.solve(shape, rest) / 40
        expected = -20 * (np.log(2 * np.pi * scale) + 1) - 0.5 * np.linalg.slogdet(shape)[1]
        assert log == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", TABLES)
def test_names_order_and_copies_change_no_score(kind):
    source = TABLES[kind](3, rows=60)
    rng = np.random.default_rng(1)
    turned = source.take(rng.permutation(60))
    named = Table(
        tuple(Variable(f"w{4 - i}", v.levels, v.ordered) for i, v in enumerate(source.variables)),
        source.columns,
    )
    place = [named.names.index(f"w{4 - i}") for i in range(5)]
    for parents in [(), (1,), (1, 3), (1, 2, 3, 4)]:
        value = NEURAL.bind(source).marginal(0, [parents])[0]
        assert NEURAL.bind(turned).marginal(0, [parents])[0] == value
        others = tuple(sorted(place[j] for j in parents))
        assert NEURAL.bind(named).marginal(place[0], [others])[0] == pytest.approx(value, rel=1e-9)


def test_units_and_origins_change_scores_by_their_jacobian():
    source = pair("curve")
    moved = table({"x": source.columns[0] * 100 + 1e9, "y": source.columns[1] / 10 + 3})
    expected = NEURAL.bind(source).marginal(1, [(0,)])[0] + 300 * np.log(10)
    assert NEURAL.bind(moved).marginal(1, [(0,)])[0] == pytest.approx(expected, abs=0.01)


def test_the_slope_of_the_loss_is_its_derivative():
    rng = np.random.default_rng(1)
    weights = training.Weights(rng.normal(size=(2, 3)), rng.normal(size=3), rng.normal(size=(6, 2)))
    codes = rng.integers(0, 2, 20).astype(np.uint8)
    for levels, targets in ((0, rng.normal(size=20)), (2, codes)):
        rows = training._Rows(rng.normal(size=(20, 2)), targets, rng.random(20), levels, (-9, 9))
        flat = weights.flat
        _, slope = training._loss_and_slope(weights, rows)
        for i in range(len(flat)):
            step = np.zeros(len(flat))
            step[i] = 1e-6
            ends = [
                training._loss_and_slope(weights.like(flat + s), rows)[0] for s in (step, -step)
            ]
            assert slope[i] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-6)


def test_training_is_the_same_for_any_order_of_rows_and_beats_random_weights():
    rng = np.random.default_rng(5)
    x, z = rng.normal(size=(2, 400))
    y = np.tanh(3 * x - 1) * np.cos(2 * z) + 0.1 * rng.normal(size=400)
    source = table({"x": x, "y": y, "z": z})
    train, test = source.take(np.arange(300)), source.take(np.arange(300, 400))
    model = NEURAL.bind(train).conditional(1, (0, 2))
    again = NEURAL.bind(train.take(rng.permutation(300))).conditional(1, (0, 2))
    first = NEURAL.bind(train, trained=False).conditional(1, (0, 2))
    xs = test.columns[0], test.columns[2]
    assert model.trained
    assert (model.logpdf(test.columns[1], xs) == again.logpdf(test.columns[1], xs)).all()
    assert model.logpdf(test.columns[1], xs).mean() > first.logpdf(test.columns[1], xs).mean()


def test_a_network_is_learned_asked_and_described(tmp_path):
    net = aw.learn(pair("curve"), model="neural", certainty=False)
    assert net.graph.n_arcs == 1
    assert "neural network with 40" in str(net.local("y" if net.parents("y") else "x"))
    found = aw.fit("x -> y", pair("curve"), model="neural")
    assert found.query("y", given={"x": 0.8}).mean == pytest.approx(np.sin(1.6), abs=0.15)
    found.save(tmp_path / "net.json")
    again = aw.load(tmp_path / "net.json")
    assert (again.logpdf(pair("curve")) == found.logpdf(pair("curve"))).all()


def test_pairs_that_only_help_together_are_tried():
    """Of a product of two signs neither tells anything alone; there are too many columns for a proof."""
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(12, 300))
    columns[:2] = rng.choice([-1.0, 1.0], size=(2, 300))
    columns[2] = columns[0] * columns[1] + 0.2 * columns[2]
    source = table({f"v{i:02}": column for i, column in enumerate(columns)})
    graph = aw.learn(source, rules=aw.Rules(tiers=[["v00", "v01"], ["v02"]]), **RANDOM).graph
    assert set(graph.parents[2]) >= {0, 1}


def test_errors_name_what_is_wrong():
    with pytest.raises(aw.OptionError, match="width must be a positive number"):
        aw.learn(pair("none"), model=aw.Neural(width=0))
    with pytest.raises(aw.FitError, match="model='neural'"):
        aw.learn(pair("none"), model="gaussian", score="marginal")
    with pytest.raises(aw.FitError, match="no number of free parameters"):
        aw.learn(pair("none"), model="neural", score="bic")


def test_constants_of_layers_do_not_depend_on_the_width():
    wide, narrow = hidden_layer._constants(40, 0), hidden_layer._constants(8, 0)
    assert all((a[..., :8] == b).all() for a, b in zip(wide, narrow, strict=True))


def test_the_certainty_of_edges_rests_on_20_replicates_by_default():
    net = aw.learn(pair("curve", rows=60), model=aw.Neural(trained=False), seed=1)
    assert "20 replicates" in net.edges.certainty_meaning
    assert net.certainty("bootstrap").posterior.draws == 20


def test_a_constant_spread_can_be_requested():
    source = pair("spread")
    without, with_x = NEURAL.bind(source, spread=False).marginal(1, [(), (0,)])
    assert with_x - without < 1
    steady = NEURAL.bind(source, spread=False, trained=False).conditional(1, (0,))
    assert not steady.varies
    assert NEURAL.bind(source, trained=False).conditional(1, (0,)).varies
    assert aw.learn(source, model=aw.Neural(spread=False), certainty=False).graph.n_arcs == 0
