"""One joint distribution for a class: equivalent graphs, names and orders change no fitted number."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.data import Table, Variable
from arcwise.graphs import DAG, UGraph, random_dag

CASES = 200


def random_table(rng, names):
    """Columns of 2 to 4 levels that depend on each other, few rows."""
    n = int(rng.integers(2, 80))
    columns, levels = [rng.integers(0, 4, n)], [4]
    for _ in names[1:]:
        count = int(rng.integers(2, 5))
        copied = columns[int(rng.integers(len(columns)))] % count
        columns.append(np.where(rng.random(n) < 0.5, copied, rng.integers(0, count, n)))
        levels.append(count)
    variables = tuple(
        Variable(name, tuple(f"l{k}" for k in range(count)))
        for name, count in zip(names, levels, strict=True)
    )
    return Table(variables, tuple(column.astype(np.uint8) for column in columns))


def joint(net):
    """The whole table of probabilities, one axis for each variable in the order of names."""
    sizes = [len(variable.levels) for variable in net.net.variables]
    cells = np.indices(sizes).reshape(len(sizes), -1)
    logs = [
        model.logpdf(cells[child], tuple(cells[parent] for parent in parents))
        for child, (model, parents) in enumerate(
            zip(net.net.conditionals, net.graph.parents, strict=True)
        )
    ]
    return np.exp(np.sum(logs, axis=0)).reshape(sizes)


def reversed_arc(graph, rng):
    """The graph with one covered arc reversed: parent and child have the same other parents."""
    covered = [
        (parent, child)
        for parent, child in graph.arcs
        if set(graph.parents_of(child)) - {parent} == set(graph.parents_of(parent))
    ]
    if not covered:
        return graph
    parent, child = covered[int(rng.integers(len(covered)))]
    arcs = [arc for arc in graph.arcs if arc != (parent, child)]
    return DAG.from_arcs([*arcs, (child, parent)], graph.nodes)


@pytest.mark.parametrize(
    "options",
    [{}, {"model": aw.Discrete(equivalent_sample_size=0.3)}, {"model": aw.Discrete(alpha=0.0)}],
)
def test_equivalent_graphs_have_one_joint(options):
    rng, names = np.random.default_rng(22), ["a", "b", "c", "d", "e"]
    reversals = 0
    for _ in range(CASES):
        table = random_table(rng, names)
        first = random_dag(names, 2.5, rng)
        second = first
        for _ in range(3):
            second = reversed_arc(second, rng)
        reversals += first != second
        one, two = (joint(aw.fit(graph, table, **options)) for graph in (first, second))
        np.testing.assert_allclose(one, two, rtol=1e-11, atol=1e-12)
        assert one.sum() == pytest.approx(1.0, abs=1e-12)
    assert reversals > CASES / 4


def renamed(table, rng):
    """The same rows under new names, with columns and levels in another order; and the way back."""
    names = [f"v{k}" for k in rng.permutation(len(table.names))]
    variables, columns = [], []
    for variable, column, name in zip(table.variables, table.columns, names, strict=True):
        order = rng.permutation(len(variable.levels))
        place = np.argsort(order)
        variables.append(Variable(name, tuple(variable.levels[k] for k in order)))
        columns.append(place[column].astype(np.uint8))
    shuffled = rng.permutation(len(names))
    rows = rng.permutation(table.rows)
    other = Table(tuple(variables[k] for k in shuffled), tuple(columns[k][rows] for k in shuffled))
    return other, dict(zip(table.names, names, strict=True))


def test_names_and_orders_change_no_answer():
    rng, names, same = np.random.default_rng(23), ["a", "b", "c", "d"], 0
    for _ in range(40):
        table = random_table(rng, names)
        other, name_of = renamed(table, rng)
        first, second = aw.learn(table, search="exact"), aw.learn(other, search="exact")
        back = {new: old for old, new in name_of.items()}
        arcs = [(back[a], back[b]) for a, b in second.graph.arcs]
        if aw.compare(DAG.from_arcs(arcs, names), first.graph).shd_cpdag:
            continue  # a tie between classes
        same += 1
        for target, given in (("a", "b"), ("c", "d"), ("d", "a")):
            for level in table.variable(given).levels:
                one = first.query(target, given={given: level}).probabilities
                two = second.query(name_of[target], given={name_of[given]: level}).probabilities
                assert one == pytest.approx(two, abs=1e-12)
    assert same > 30


def test_an_undirected_graph_has_the_joint_of_its_equivalent_directed_graph():
    rng, names = np.random.default_rng(24), ["a", "b", "c", "d"]
    chain = UGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d")], names)
    for _ in range(20):
        table = random_table(rng, names)
        directed, undirected = aw.fit("[a][b|a][c|b][d|c]", table), aw.fit(chain, table)
        for level in table.variable("a").levels:
            one, two = (
                net.query("d", given={"a": level}).probabilities for net in (directed, undirected)
            )
            assert one == pytest.approx(two, abs=1e-12)
