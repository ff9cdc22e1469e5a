"""Tables on the cliques of undirected graphs: frequencies, likelihood, exact answers."""

import json

import numpy as np
import pytest
from naive import junction as naive

import arcwise as aw
from arcwise.conditionals.discrete import PseudoCounts
from arcwise.data import Variable
from arcwise.errors import FileError, FitError, GraphError
from arcwise.graphs import Limits, Rules, UGraph, decomposable, moral, numbered_cliques
from arcwise.networks import MarkovNet, TableJoint
from arcwise.scores import Score
from arcwise.undirected import candidates, contingency, edge_bounds, edge_limits
from arcwise.undirected.contingency import fitted_tables

GRAPHS = {
    "chain": "a:b + b:c + c:d",
    "two cliques": "a:b:c + c:d",
    "square": "a:b + b:c + c:d + a:d",
    "wheel": "a:b + b:c + c:d + a:d + a:e + b:e + c:e + d:e",
    "apart": "a:b + c + d:e",
    "empty": "a + b + c",
}


def rows(seed=1, n=300, weights=False):
    """Dependent columns of two and three levels."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.7, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.6, b, rng.integers(0, 3, n))
    d = np.where(rng.random(n) < 0.6, (a + c) % 2, rng.integers(0, 2, n))
    e = np.where(rng.random(n) < 0.6, d, rng.integers(0, 2, n))
    texts = {k: np.array(["x", "y", "z"])[v] for k, v in zip("abcde", (a, b, c, d, e), strict=True)}
    return aw.table({**texts}, weights=rng.integers(1, 4, n) if weights else None)


def whole(joint):
    return naive.product(joint.levels, joint.scopes, joint.tables)


def empirical(table):
    counts = np.zeros([len(v.levels) for v in table.variables])
    weights = np.ones(table.rows) if table.weights is None else table.weights
    np.add.at(counts, tuple(c.astype(int) for c in table.columns), weights)
    return counts / counts.sum()


def of_graph(word, table):
    graph = aw.ug(GRAPHS[word])
    return graph, table.select(list(graph.nodes))


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("word", GRAPHS)
def test_cliques_have_the_frequencies_of_the_data(word, weights):
    graph, table = of_graph(word, rows(weights=weights))
    joint = fitted_tables(table, graph, PseudoCounts(0.0))
    found, data = whole(joint), empirical(table)
    assert found.sum() == pytest.approx(1.0, abs=1e-9)
    for clique in numbered_cliques(graph):
        assert np.allclose(naive.marginal(found, clique), naive.marginal(data, clique), atol=1e-8)
    joint.check(graph)


@pytest.mark.parametrize("word", GRAPHS)
def test_no_other_tables_on_the_cliques_are_more_likely(word):
    graph, table = of_graph(word, rows())
    joint, data, rng = (
        fitted_tables(table, graph, PseudoCounts(0.0)),
        empirical(table),
        np.random.default_rng(1),
    )
    there = data > 0
    best = (data[there] * np.log(whole(joint)[there])).sum()
    for _ in range(50):
        factors = [
            rng.normal(0, 0.1, [joint.levels[v] for v in c]) for c in numbered_cliques(graph)
        ]
        other = whole(joint) * naive.product(
            joint.levels, numbered_cliques(graph), list(map(np.exp, factors))
        )
        assert (data[there] * np.log(other[there] / other.sum())).sum() <= best + 1e-12


@pytest.mark.parametrize(
    "smoothing", [PseudoCounts(1.0, "row"), PseudoCounts(2.0, "table"), PseudoCounts(0.5, "cell")]
)
@pytest.mark.parametrize("word", ["two cliques", "square"])
def test_pseudo_counts_leave_no_zero_and_agree_between_cliques(word, smoothing):
    graph, table = of_graph(word, rows(n=12))
    found = whole(fitted_tables(table, graph, smoothing))
    assert found.sum() == pytest.approx(1.0, abs=1e-9)
    assert (found > 0).all()
    extra = smoothing.size * (
        1
        if smoothing.each != "cell"
        else max(
            np.prod([len(table.variables[v].levels) for v in c]) for c in numbered_cliques(graph)
        )
    )
    cells = found.size
    data = (empirical(table) * table.rows + extra / cells) / (table.rows + extra)
    for clique in numbered_cliques(graph):
        assert np.allclose(naive.marginal(found, clique), naive.marginal(data, clique), atol=1e-8)


def test_both_ways_agree_on_a_decomposable_graph():
    graph, table = of_graph("two cliques", rows())
    closed = fitted_tables(table, graph, PseudoCounts(1.0))
    levels = tuple(len(v.levels) for v in table.variables)
    fitted = contingency._proportional(table, graph, PseudoCounts(1.0), levels, None)
    assert np.allclose(whole(closed), whole(fitted), atol=1e-9)


@pytest.mark.parametrize("word", GRAPHS)
@pytest.mark.parametrize("method", [None, "junction", "elimination"])
def test_answers_are_sums_over_the_whole_table(word, method):
    graph, table = of_graph(word, rows())
    net = aw.fit(graph, table)
    found = whole(net.net.joint)
    seen = np.zeros(found.shape)
    seen[:, 1] = found[:, 1]
    belief = net.query("a", given={"b": "y"}, method=method)
    assert belief.error == 0
    assert np.allclose(belief.distribution.probabilities[0], naive.marginal(seen, (0,)), atol=1e-9)
    last = len(graph.nodes) - 1
    both = net.query(["a", graph.nodes[last]], given={"b": ["x", "y"]}, method=method)
    kept = found.copy()
    kept[:, 2] = 0
    assert np.allclose(both.joint.table, naive.marginal(kept, (0, last)), atol=1e-9)
    assert net.probability({"a": "x"}) == pytest.approx(found[0].sum())


@pytest.mark.parametrize("word", ["two cliques", "square"])
def test_densities_draws_gaps_and_files(word, tmp_path):
    graph, table = of_graph(word, rows())
    net = aw.fit(graph, table)
    found = whole(net.net.joint)
    logs = np.log(found[tuple(c.astype(int) for c in table.columns)])
    assert np.allclose(net.logpdf(table), logs, atol=1e-9)
    part = table.select(["a", "c"])
    sums = np.log(naive.marginal(found, (0, 2)))
    assert np.allclose(
        net.logpdf(part), sums[tuple(c.astype(int) for c in part.columns)], atol=1e-9
    )
    drawn = net.sample(20_000, seed=1)
    assert np.abs(empirical(drawn) - found).max() < 0.02
    best = net.explain()
    cell = tuple(variable.levels.index(best[variable.name]) for variable in net.net.variables)
    assert found[cell] == found.max()
    assert net.predict(part, "b").probabilities.shape == (table.rows, 3)
    net.save(tmp_path / "net.json")
    again = aw.load(tmp_path / "net.json")
    assert np.array_equal(again.logpdf(table), net.logpdf(table))
    assert all(
        np.array_equal(x, y)
        for x, y in zip(again.net.joint.tables, net.net.joint.tables, strict=True)
    )
    document = json.loads((tmp_path / "net.json").read_text())
    document["nodes"][0]["fields"] = document["nodes"][2]["fields"]
    (tmp_path / "broken.json").write_text(json.dumps(document))
    with pytest.raises(FileError):
        aw.load(tmp_path / "broken.json")


def test_local_models_are_those_of_the_joint_and_chains_agree():
    graph, table = of_graph("square", rows(n=2000))
    net = aw.fit(graph, table)
    found = whole(net.net.joint)
    for node, model in enumerate(net.net.conditionals):
        inputs = graph.neighbours[node]
        own = naive.marginal(found, (*inputs, node))
        assert np.allclose(model.table, own / own.sum(axis=-1, keepdims=True), atol=1e-9)
    exact = net.query("a", given={"c": "y"})
    drawn = net.query("a", given={"c": "y"}, method="gibbs", sweeps=500)
    assert abs(drawn.probability("x") - exact.probability("x")) < 5 * drawn.error


@pytest.mark.parametrize("word", GRAPHS)
def test_a_directed_network_has_the_same_joint(word):
    graph, table = of_graph(word, rows())
    net = aw.fit(graph, table).net
    chained = net.chained
    scopes = [(*parents, node) for node, parents in enumerate(chained.graph.parents)]
    tables = [model.table for model in chained.conditionals]
    assert np.allclose(naive.product(net.joint.levels, scopes, tables), whole(net.joint), atol=1e-9)
    if decomposable(graph):
        assert chained.graph.n_arcs == graph.n_edges


def test_boundary_learning_has_a_joint():
    table = rows(n=1000)
    net = aw.learn(table, graph="undirected")
    assert isinstance(net.net.joint, TableJoint)
    assert np.isfinite(net.logpdf(table)).all()
    assert "log density" in str(aw.validate(table, graph="undirected", folds=3))
    with pytest.raises(GraphError, match="do="):
        net.query("a", do={"b": "x"})


def test_impossible_evidence_says_so():
    joint = TableJoint((2, 2), ((0, 1),), (np.array([[0.5, 0.0], [0.0, 0.5]]),))
    variables = (Variable("a", ("n", "y")), Variable("b", ("n", "y")))
    net = MarkovNet.normal(variables, UGraph.from_edges([("a", "b")]), joint)
    with pytest.raises(FitError, match=r"impossible: the evidence on 'a' and 'b'"):
        aw.inference.marginals(net, {"a": "n", "b": "y"})
    assert aw.inference.probability(net, {"a": "n", "b": "y"}) == 0


def test_graphs_whose_tables_are_too_large_keep_their_local_models(monkeypatch):
    graph, table = of_graph("wheel", rows())
    monkeypatch.setattr(contingency, "LARGEST", 10)
    with pytest.raises(FitError, match="no joint distribution"):
        fitted_tables(table, graph, PseudoCounts())
    net = aw.fit(graph, table)
    assert net.net.joint is None
    assert net.query("a", given={"c": "y"}, sweeps=50).error > 0


BAD = [
    ((2, 2), ((0,),), (np.ones(2),), "all of its variables"),
    ((2, 2), ((0, 1),), (np.ones((2, 3)),), "one axis for each"),
    ((2, 2), ((1, 0),), (np.ones((2, 2)),), "one axis for each"),
    ((2, 2), ((0, 1),), (np.array([[1.0, -1.0], [0.0, 1.0]]),), "finite non-negative numbers"),
    ((2, 2), ((0, 1),), (np.array([[1.0, np.nan], [0.0, 1.0]]),), "finite non-negative numbers"),
]


@pytest.mark.parametrize(("levels", "scopes", "tables", "said"), BAD)
def test_bad_tables_are_rejected(levels, scopes, tables, said):
    with pytest.raises(FitError, match=said):
        TableJoint(levels, scopes, tables)


def test_a_table_that_the_graph_denies_is_rejected():
    joint = TableJoint((2, 2), ((0, 1),), (np.ones((2, 2)) / 4,))
    with pytest.raises(FitError, match="no edge between them"):
        joint.check(UGraph.empty(("a", "b")))
    with pytest.raises(FitError, match="has 2 variables"):
        joint.check(UGraph.empty(("a", "b", "c")))
    assert decomposable(aw.ug(GRAPHS["chain"]))
    assert not decomposable(aw.ug(GRAPHS["square"]))


def test_more_columns_than_a_table_can_hold():
    """ALARM has 10^16 cells: edges are taken out of a graph that was grown, not of the complete one."""
    alarm = aw.example("alarm")
    rows = alarm.sample(2000, seed=4)
    found = aw.learn(rows, graph="undirected")
    close = aw.compare(found.graph, moral(alarm.graph))
    assert close.precision > 0.95
    assert close.recall > 0.7
    assert np.isfinite(found.score)
    assert any("forward selection for each variable" in note for note in found.notes)
    shuffled = rows.to_pandas().sample(frac=1, random_state=1)[list(rows.names)[::-1]]
    assert aw.learn(shuffled, graph="undirected").graph == found.graph
    ruled = aw.learn(
        rows,
        graph="undirected",
        rules=aw.Rules(required=["HR -- PAP"], forbidden=["CVP -> LVEDVOLUME"]),
    )
    assert ruled.graph.has_edge("HR", "PAP")
    assert not ruled.graph.has_edge("CVP", "LVEDVOLUME")
    assert aw.learn(rows, graph="undirected", search="deletion").graph.n_edges > 0
    assert aw.path(rows).at(1.0).n_edges == 0


def test_many_independent_columns_have_no_edge():
    rng = np.random.default_rng(0)
    noise = {f"v{i}": rng.choice(list("abc"), 1000) for i in range(12)}
    assert aw.learn(noise, graph="undirected").graph.n_edges == 0


def test_growing_takes_what_either_end_takes():
    """From scores by hand: a takes b, nobody takes c."""
    worth = {(0, 1): 3.0, (1, 0): -1.0}

    class Given(Score):
        nodes, rows = ("a", "b", "c"), 10.0

        def many(self, child, sets):
            return np.array([sum(worth.get((child, x), -1.0) for x in each) for each in sets])

    barred = candidates(Given(), Limits.none(["a", "b", "c"])).barred
    assert [sorted(row) for row in barred] == [[2], [2], [0, 1]]
    kept = candidates(Given(), edge_limits(Rules(required=["c -> a"]), Given.nodes))
    assert edge_bounds(kept).largest.edges == (("a", "b"), ("a", "c"))
