"""Divergences against enumeration and against the textbook form; parameters that differ; random networks."""

import numpy as np
import pytest
from naive import networks as naive

import arcwise as aw
from arcwise.conditionals import DiscreteConditional
from arcwise.data import Variable
from arcwise.errors import DataError, FitError, GraphError, OptionError
from arcwise.evaluate import divergence
from arcwise.inference import factors, joint
from arcwise.networks import BayesNet, random_graph, random_tables


def drawn(seed, nodes=6, arcs=None, levels=(2, 3), names=None):
    rng = np.random.default_rng(seed)
    graph = random_graph(names or list("abcdefgh"[:nodes]), rng, arcs=arcs)
    return random_tables(graph, levels, rng)


def same_levels(one, seed, arcs):
    """Another network with the levels of the first."""
    other = drawn(seed, len(one.names), arcs, (2, 2))
    rng = np.random.default_rng(seed)
    sizes = [len(v.levels) for v in one.variables]
    models = []
    for node, parents in enumerate(other.graph.parents):
        shape = [sizes[p] for p in parents]
        rows = rng.dirichlet(np.ones(sizes[node]), int(np.prod(shape)))
        models.append(DiscreteConditional(rows.reshape(*shape, sizes[node])))
    return BayesNet(one.variables, other.graph, tuple(models))


@pytest.mark.parametrize("seed", range(12))
def test_tables_are_the_sum_over_all_states(seed):
    one = drawn(seed, arcs=8)
    two = same_levels(one, seed + 100, arcs=seed % 10)
    found = divergence(one, two)
    assert found.nats == pytest.approx(naive.divergence(one, two), rel=1e-10)
    assert found.error == 0
    assert sum(found.terms.values()) == pytest.approx(found.nats)
    assert divergence(one, one).nats == 0


def reordered(net, rng):
    """The same network with levels in another order."""
    orders = [rng.permutation(len(v.levels)) for v in net.variables]
    variables = tuple(
        Variable(v.name, tuple(v.levels[i] for i in order))
        for v, order in zip(net.variables, orders, strict=True)
    )
    models = []
    for node, parents in enumerate(net.graph.parents):
        table = net.conditionals[node].table
        for axis, member in enumerate((*parents, node)):
            table = np.take(table, orders[member], axis=axis)
        models.append(DiscreteConditional(table))
    return BayesNet(variables, net.graph, tuple(models))


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_levels_does_not_matter(seed):
    one, rng = drawn(seed), np.random.default_rng(seed)
    two = reordered(one, rng)
    assert divergence(one, two).nats == pytest.approx(0, abs=1e-12)
    other = same_levels(one, seed + 7, arcs=5)
    assert divergence(two, other).nats == pytest.approx(divergence(one, other).nats)
    assert not [d for d in aw.parameter_differences(one, two) if abs(d.difference) > 1e-15]


def test_numbers_and_words_for_levels_meet(tmp_path):
    one = aw.network("[k]", {"k": {1: 0.25, 2: 0.75}})
    one.save(tmp_path / "k.bif")
    back = aw.load(tmp_path / "k.bif")
    assert back.net.variables[0].levels == ("1", "2")
    assert aw.divergence(one, back).nats == 0
    assert aw.parameter_differences(one, back) == ()


def coin(share, name="coin"):
    return aw.network(f"[{name}]", {name: {"head": share, "tail": 1 - share}})


def test_what_is_impossible_in_the_second_is_infinitely_far():
    assert aw.divergence(coin(0.5), coin(1.0)).nats == np.inf
    assert aw.divergence(coin(1.0), coin(0.5)).nats == pytest.approx(np.log(2))
    assert aw.divergence(coin(1.0), coin(0.5)).bits == pytest.approx(1)
    assert float(aw.divergence(coin(1.0), coin(1.0))) == 0


def closed_form(one, two):
    p, q = joint(one), joint(two)
    inverse = np.linalg.inv(q.covariance)
    off = q.mean - p.mean
    logs = np.linalg.slogdet(q.covariance)[1] - np.linalg.slogdet(p.covariance)[1]
    trace = np.trace(inverse @ p.covariance)
    return 0.5 * (trace + off @ inverse @ off - len(off) + logs)


def test_gaussian_networks_have_the_textbook_form():
    table = aw.example("boston").select(["RM", "AGE", "DIS", "LSTAT", "MEDV"])
    one, two = (
        aw.learn(table, model="gaussian"),
        aw.fit("[RM][AGE][DIS|AGE][LSTAT|RM:AGE][MEDV|LSTAT]", table),
    )
    found = aw.divergence(one, two)
    assert found.nats == pytest.approx(closed_form(one.net, two.net), rel=1e-9)
    assert found.nats > 0
    assert aw.divergence(one, one).nats == 0


def test_undirected_gaussian_networks_are_compared_too():
    table = aw.example("boston").select(["RM", "AGE", "DIS", "LSTAT", "MEDV"])
    one = aw.learn(table, graph="undirected", model="gaussian", penalty=0.2)
    two = aw.learn(table, model="gaussian")
    there = closed_form(one.net.chained, two.net)
    assert aw.divergence(one, two).nats == pytest.approx(there, rel=1e-8)
    assert aw.divergence(two, one).nats == pytest.approx(closed_form(two.net, one.net.chained))


def test_other_networks_are_compared_by_draws():
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    table = aw.table({"x": x, "y": x**2 + rng.normal(size=80)})
    parzen = aw.fit("[x][y|x]", table, model="parzen")
    line = aw.fit("[x][y|x]", table, model="gaussian")
    found = aw.divergence(parzen, line, draws=3000, seed=1)
    assert found.error > 0
    assert found.nats > 3 * found.error
    assert found == aw.divergence(parzen, line, draws=3000, seed=1)
    assert aw.divergence(parzen, parzen, draws=100).nats == 0
    assert "±" in str(found)


def test_networks_that_cannot_be_compared():
    with pytest.raises(DataError, match="'coin' and 'dime' are in one of them only"):
        aw.divergence(coin(0.5), coin(0.5, "dime"))
    other = aw.network("[coin]", {"coin": {"head": 0.5, "edge": 0.5}})
    with pytest.raises(DataError, match="'coin' has other levels"):
        aw.divergence(coin(0.5), other)
    number = aw.network("[coin]", {"coin": {"sd": 1.0}})
    with pytest.raises(DataError, match="'coin' has other levels"):
        aw.divergence(coin(0.5), number)
    rng = np.random.default_rng(1)
    columns = {"x": rng.normal(size=50), "y": rng.normal(size=50)}
    loose = aw.learn(aw.table(columns), graph="undirected", model="parzen")
    with pytest.raises(GraphError, match="no joint density"):
        aw.divergence(loose, loose)


def test_tables_that_do_not_fit_are_rejected_with_their_size_or_drawn_from(monkeypatch):
    monkeypatch.setattr(factors, "MAX_ENTRIES", 10)
    one = drawn(1)
    two = same_levels(one, 2, arcs=4)
    with pytest.raises(FitError, match=r"need tables of .* numbers"):
        divergence(one, two)
    found = divergence(one, two, np.random.default_rng(1), 20_000)
    assert 0 < found.error < 0.02
    assert found.nats == pytest.approx(naive.divergence(one, two), abs=4 * found.error)


# -- parameters ------------------------------------------------------------------------------------


def test_the_largest_differences_of_tables():
    one = aw.network("[a][b|a]", {"a": {"x": 0.5, "y": 0.5}, "b": {
        "x": {"u": 0.1, "v": 0.9}, "y": {"u": 0.3, "v": 0.7}}})  # fmt: skip
    two = aw.network("[a][b|a]", {"a": {"x": 0.6, "y": 0.4}, "b": {
        "x": {"u": 0.1, "v": 0.9}, "y": {"u": 0.8, "v": 0.2}}})  # fmt: skip
    found = aw.parameter_differences(one, two)
    assert [each.number for each in found] == [
        "p(b = u given a = y)", "p(b = v given a = y)", "p(a = x)", "p(a = y)",
    ]  # fmt: skip
    assert found[0].difference == pytest.approx(0.5)
    assert len(aw.parameter_differences(one, two, most=1)) == 1
    assert aw.parameter_differences(one, one) == ()


def test_differences_of_regressions():
    numbers = {"a": {"sd": 1.0}, "b": {"coefficients": {"a": 2.0}, "sd": 0.5}}
    one = aw.network("[a][b|a]", numbers)
    two = aw.network("[a][b|a]", {**numbers, "b": {"coefficients": {"a": -1.0}, "sd": 0.75}})
    found = aw.parameter_differences(one, two)
    assert [(d.variable, d.number, d.difference) for d in found] == [
        ("b", "coefficient of a", -3.0),
        ("b", "sd", 0.25),
    ]


def test_parameters_need_the_same_graph():
    table = aw.example("boston").select(["RM", "LSTAT"])
    one, two = aw.fit("[RM][LSTAT|RM]", table), aw.fit("[LSTAT][RM|LSTAT]", table)
    with pytest.raises(GraphError, match="must have the same graph"):
        aw.parameter_differences(one, two)
    with pytest.raises(FitError, match="no parameters that can be compared"):
        aw.parameter_differences(one, aw.fit("[RM][LSTAT|RM]", table, model="parzen"))


# -- random networks -------------------------------------------------------------------------------


@pytest.mark.parametrize("arcs", [0, 5, 27])
def test_random_networks_have_the_sizes_asked_for(arcs):
    net = aw.random_network(11, levels=(2, 5), arcs=arcs, max_parents=3, seed=4)
    assert net.graph.n_arcs == arcs
    assert max(map(len, net.graph.parents)) <= 3
    assert {len(v.levels) for v in net.net.variables} <= {2, 3, 4, 5}
    again = aw.random_network(11, levels=(2, 5), arcs=arcs, max_parents=3, seed=4)
    assert aw.divergence(net, again).nats == 0
    assert net.graph == again.graph


def test_random_networks_by_names_and_by_default():
    net = aw.random_network(["wet", "rain", "cold"], seed=2)
    assert net.variables == ("wet", "rain", "cold")
    assert net.net.names == ("cold", "rain", "wet")
    assert net.graph.n_arcs == 3
    assert aw.random_network(400, seed=1).graph.n_arcs == 600
    assert aw.random_network(1).graph.n_arcs == 0


@pytest.mark.parametrize("model", ["discrete", "gaussian"])
@pytest.mark.parametrize("form", ["c -> b <- a; b -> d", {"b": ["c", "a"], "d": ["b"]}], ids=str)
def test_random_networks_on_a_graph(form, model):
    net = aw.random_network(form, model=model, seed=3)
    assert net.graph == aw.dag(form)
    assert set(net.net.models) == {model}
    assert aw.divergence(net, aw.random_network(net.graph, model=model, seed=3)).nats == 0
    assert aw.random_network(net, model=model, seed=4).graph == net.graph


def test_random_gaussian_networks_have_variances_of_one():
    net = aw.random_network(12, model="gaussian", arcs=30, seed=5)
    np.testing.assert_allclose(np.diag(net.covariance), 1.0)
    assert np.abs(np.asarray(net.covariance)[np.triu_indices(12, 1)]).max() > 0.3
    drawn = net.sample(4000, seed=1)
    assert aw.compare(aw.fit(net.graph, drawn), net).shd == 0


def test_rows_follow_the_dirichlet():
    net = random_tables(aw.dag("a -> b"), (3, 3), np.random.default_rng(1), alpha=1000.0)
    assert all(np.abs(model.table - 1 / 3).max() < 0.1 for model in net.conditionals)
    graph = random_graph([f"v{i}" for i in range(99)], np.random.default_rng(1))
    sharp = random_tables(graph, (3, 3), np.random.default_rng(1), alpha=0.01)
    top = np.concatenate([m.table.max(axis=-1).ravel() for m in sharp.conditionals])
    assert np.median(top) > 0.99


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"nodes": 3, "arcs": 4}, "must have 0 to 3 arcs"),
        ({"nodes": 3, "arcs": -1}, "must have"),
        ({"nodes": "a -> b", "arcs": 1}, "has its own"),
        ({"nodes": "a -- b"}, "must be a DAG"),
        ({"nodes": 3, "model": "parzen"}, "discrete.*gaussian"),
        ({"nodes": 3, "max_parents": -1}, "non-negative"),
        ({"nodes": 0}, "at least one variable"),
        ({"nodes": 3, "levels": 0}, "positive levels"),
        ({"nodes": 3, "levels": (4, 2)}, "positive levels"),
        ({"nodes": 3, "alpha": 0}, "positive levels and alpha"),
        ({"nodes": 10, "levels": 100, "max_parents": 9, "arcs": 45}, "use fewer of either"),
    ],
)
def test_sizes_that_cannot_be(options, said):
    with pytest.raises((DataError, GraphError, OptionError), match=said):
        aw.random_network(**options)
