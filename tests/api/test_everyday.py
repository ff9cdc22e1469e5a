"""Everyday tasks, as users of other packages write them: each line works as it stands."""

import copy
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import arcwise as aw

RNG = np.random.default_rng(0)
X = RNG.normal(size=120)
ROWS = pd.DataFrame({"a": X, "b": X + RNG.normal(size=120), "c": RNG.normal(size=120)})
LINEAR = {"model": "gaussian", "certainty": False}
NET = aw.learn(ROWS, **LINEAR)
ASIA = aw.example("asia", kind="network")
PICTURE = nx.DiGraph([("a", "b")])
PICTURE.add_node("c")
GRAPHS = {
    "DAG": aw.dag("a -> b, c"),
    "networkx": PICTURE,
    "pairs": [("a", "b")],
    "frame": pd.DataFrame({"from": ["a"], "to": ["b"]}),
    "arrow": "a -> b",
    "brackets": "[a][c][b|a]",
    "matrix": pd.DataFrame(np.eye(3, k=1, dtype=int) * [0, 1, 0], index=[*"abc"], columns=[*"abc"]),
}


@pytest.mark.parametrize("form", GRAPHS)
def test_a_graph_is_taken_in_every_form(form):
    graph = GRAPHS[form]
    assert aw.fit(graph, ROWS).arcs == (("a", "b"),)
    search = aw.Greedy(start=graph, max_steps=1)
    assert aw.learn(ROWS, search=search, **LINEAR).graph.n_arcs > 0
    assert aw.learn(ROWS, prior=aw.Prior(graph=graph), **LINEAR).nodes == ("a", "b", "c")
    assert aw.learn(ROWS, rules=aw.Rules(required=graph), **LINEAR).graph.has_arc("a", "b")
    assert aw.random_network(graph, model="gaussian").arcs == (("a", "b"),)
    if form != "frame":  # whose nodes are those of its arcs
        assert aw.compare(NET, graph).nodes == 3


def test_questions_of_several_variables():
    assert set(ASIA.query(["lung", "bronc"]).mode) == {"lung", "bronc"}
    assert list(ASIA.explain({"xray": "yes"}, of=["lung"])) == ["lung"]
    assert NET.explain({"a": 1.0})["b"] == pytest.approx(NET.query("b", {"a": 1.0}).mean)
    assert NET.query(["a", "b"]).covariance.shape == (2, 2)
    assert list(NET.predict(ROWS, ["a", "b"])) == ["a", "b"]


def test_rows_of_frames_are_evidence_everywhere():
    row = ROWS.iloc[0]
    some = row[["b"]]
    for evidence in (some, some.to_dict(), ROWS.iloc[[0]][["b"]]):
        assert NET.query("a", evidence).mean == pytest.approx(NET.query("a", {"b": row["b"]}).mean)
    assert set(NET.marginals(some)) == {"a", "c"}
    assert NET.conflict(row[["b", "c"]]).findings
    assert NET.impact("a", row[["b", "c"]]).findings
    assert float(ASIA.probability(pd.Series({"lung": "yes"}))) == pytest.approx(0.055)
    assert NET.query("a", {"b": (0, 1)}).mean < NET.query("a", {"b": (1, 2)}).mean
    assert NET.predict({"b": 1.0, "c": 0.0}, "a").mean.shape == (1,)


def test_results_are_frames():
    assert list(ASIA["dysp"].to_pandas().columns) == ["bronc", "either", "yes", "no"]
    assert len(ASIA.query(["lung", "bronc"]).to_pandas()) == 4
    assert NET.predict(ROWS.iloc[5:8], "a").to_pandas().index.tolist() == [5, 6, 7]
    assert len(NET.edges.sort("strength", descending=True).filter(present=True)) == NET.graph.n_arcs
    assert NET.edges["b", "a"].strength == NET.edges["a", "b"].strength
    assert list(NET.sample(5, seed=1).to_pandas().columns) == ["a", "b", "c"]
    assert set(aw.compare(NET, "a -> c").to_pandas().columns) == {"change", "graph", "reference"}


def test_networks_are_collections_and_values():
    assert "a" in NET
    assert (len(NET), list(NET)) == (3, ["a", "b", "c"])
    assert NET.to_networkx().edges[NET.arcs[0]]["strength"] > 0
    answers = (NET.query("a", {"b": 1.0}), NET, NET.marginals())
    for again in (pickle.loads(pickle.dumps(answers)), copy.deepcopy(answers)):
        assert str(again[0]) == str(answers[0])
        assert again[1].query("a", {"b": 1.0}).mean == answers[0].mean


def test_graphs_answer_in_names():
    assert ("lung", "either", "tub") in aw.graphs.v_structures(ASIA.graph)
    assert aw.ug("a -- b, b -- c").cliques == (("a", "b"), ("b", "c"))
    tail, head = NET.arcs[0]
    assert NET.graph.reverse(tail, head).has_arc(head, tail)
    assert NET.graph.subgraph(["a", "b"]).nodes == ("a", "b")
    assert "z" in NET.graph.rename({"a": "z"}).nodes
    assert aw.separated(NET, "a", "c", ["b"])
    assert ASIA.entropy("lung") < ASIA.entropy()
    assert ASIA.with_local("smoke", {"yes": 0.3, "no": 0.7}).query("smoke").mode == "no"


def test_levels_stay_levels(tmp_path):
    kind = pd.Categorical(["u", "v", "u"], categories=["u", "v", "w"])
    assert aw.table(pd.DataFrame({"k": kind})).variable("k").levels == ("u", "v", "w")
    assert aw.table({"x": [1, 2, 1]}, kinds={"x": [1, 2, 3]}).variable("x").levels == (1, 2, 3)
    again = aw.load(ASIA.save(tmp_path / "asia.bif"))
    assert float(again.query("lung", {"smoke": "yes"}).probability("yes")) == pytest.approx(0.1)


def test_models_are_validated_in_every_way():
    labels = np.arange(120) % 3
    assert len(aw.validate(ROWS, folds=labels, model="gaussian").edges) == 3
    assert set(aw.validate(ROWS, folds=3, graph="a -> b").edges) == {1}
    assert aw.validate(ROWS, folds=3, target="a", model="gaussian").names == ("a",)


@pytest.mark.parametrize(
    "call",
    [
        lambda: aw.validate(ROWS, folds=[1, 2]),
        lambda: aw.learn(ROWS, model={"x": "parzen"}),
        lambda: NET["z"],
        lambda: NET.query("A"),
        lambda: aw.compare(NET, "x -> y"),
        lambda: NET.save("net.png"),
        lambda: aw.learn("no such file.csv"),
        lambda: NET.predict([[1.0]], "a"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(call):
    with pytest.raises(aw.ArcwiseError) as caught:
        call()
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize(
    ("guess", "said"),
    [
        (lambda: aw.load_data, "it is called example"),
        (lambda: aw.query, "as in net.query"),
        (lambda: aw.lern, "Did you mean 'learn'"),
        (lambda: NET.cpt, "write net[name]"),
        (lambda: NET.bic, "aw.score(net, data, score='bic')"),
        (lambda: NET.pedict, "Did you mean 'predict'"),
    ],
)
def test_guessed_names_are_answered(guess, said):
    with pytest.raises(AttributeError) as caught:
        guess()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: aw.learn(ROWS, random_state=1), "which is called 'seed'"),
        (lambda: aw.learn(ROWS, verbose=True), "which is called 'progress'"),
        (lambda: aw.learn(ROWS, method="hc"), "write search="),
        (lambda: aw.learn(ROWS, columns=["a"]), "select([...])"),
        (lambda: aw.learn(ROWS, black_list=["a -> b"]), "aw.Rules(forbidden=['a -> b'])"),
        (lambda: aw.validate(ROWS, cv=5), "which is called 'folds'"),
        (lambda: NET.save("net.png"), "net.plot().figure.savefig('net.png')"),
    ],
)
def test_guessed_parameters_are_answered(call, said):
    with pytest.raises(aw.ArcwiseError) as caught:
        call()
    assert said in str(caught.value)


def test_columns_of_results_by_name_and_rows_in_turn():
    found = NET.predict(ROWS, "a")
    assert np.array_equal(found["mean"], found.mean)
    assert np.array_equal(np.asarray(found), found.mean)
    assert next(iter(found))["mean"] == found.mean[0]
    assert set(np.asarray(ASIA.predict({"smoke": ["yes"]}, "lung"))) == {"no"}
    with pytest.raises(aw.OptionError, match="no column"):
        found["median"]
