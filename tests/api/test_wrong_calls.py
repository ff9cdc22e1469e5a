"""Calls with misspelled, missing or too many parameters are answered in a sentence with the nearest name."""

import pickle

import pytest

import arcwise as aw

ROWS = aw.table({"a": [1.0, 2.0, 3.0, 4.0], "b": [2.0, 1.0, 4.0, 3.0]})
NET = aw.fit("a -> b", ROWS)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: aw.table({"a": [1]}, kind={}), "table has no parameter 'kind'. Did you mean 'kinds'?"),
        (lambda: aw.read("x.csv", weight="w"), "Did you mean 'weights'?"),
        (lambda: aw.Rules(require=["a -> b"]), "Rules has no parameter 'require'. Did you mean 'required'?"),
        (lambda: aw.Rules(1, 2, 3, 4, 5, 6, 7, 8), "got 8 values"),
        (lambda: aw.Prior(weigth=2), "Did you mean 'weight'?"),
        (lambda: aw.Variable("a", level=["x"]), "Did you mean 'levels'?"),
        (lambda: aw.example("boston", knd="table"), "Did you mean 'kind'?"),
        (lambda: aw.dag("a -> b", node=["a"]), "Did you mean 'nodes'?"),
        (lambda: aw.load("x.json", dat=1), "Did you mean 'data'?"),
        (lambda: aw.random_network(3, sed=1), "Did you mean 'seed'?"),
        (lambda: aw.split(ROWS), "must have a value for 'fraction'"),
        (lambda: aw.learn(), "learn must have a value for 'data'"),
        (lambda: aw.divergence(NET, NET, sed=1), "Did you mean 'seed'?"),
        (lambda: aw.plot_graph(NET.graph, titel="x"), "Did you mean 'title'?"),
        (lambda: NET.plot(titel="x"), "plot has no parameter 'titel'. Did you mean 'title'?"),
        (lambda: NET.report("x.html", titel="x"), "Did you mean 'title'?"),
        (lambda: NET.save(), "save must have a value for 'path'"),
        (lambda: NET.query("a", givn={}), "Did you mean 'given'?"),
        (lambda: NET.query("a").draws(3, sed=1), "Did you mean 'seed'?"),
        (lambda: NET.edges.sorted(descend=True), "Did you mean 'descending'?"),
        (lambda: NET.edges.sort("strength", decending=True), "Did you mean 'descending'?"),
        (lambda: ROWS.select(["a"], nam=1), "select has no parameter 'nam'"),
        (lambda: aw.BayesClassifier(structur="tan"), "Did you mean 'structure'?"),
    ],
)  # fmt: skip
def test_the_nearest_parameter_is_named(call, said):
    with pytest.raises(aw.OptionError) as caught:
        call()
    assert said in str(caught.value)


def test_an_error_inside_of_a_function_stays_what_it_is():
    with pytest.raises(TypeError, match="ufunc"):
        NET.query("a").probability(lambda draws: draws["a"] + "text")


def test_functions_stay_what_they_were():
    assert pickle.loads(pickle.dumps(aw.table)) is aw.table
    assert aw.read.__name__ == "read"


def test_the_cause_of_an_error_is_named():
    net = aw.learn(aw.example("boston").select(["RM", "LSTAT"]), model="gaussian", certainty=False)
    with pytest.raises(aw.OptionError, match=r"two names, as in edges\['LSTAT', 'RM'\], got 'RM'"):
        net.edges["RM"]
    with pytest.raises(aw.OptionError, match=r"for directed graphs, only for undirected ones"):
        aw.learn(aw.example("boston"), search="glasso")
    with pytest.raises(aw.DataError, match="path of a file, got Table"):
        aw.moments(aw.example("boston"))
