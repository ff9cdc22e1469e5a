"""A graph means the same in every function, whatever its form."""

import networkx
import numpy as np
import pandas as pd
import pytest

import arcwise as aw

ARCS = {("a", "c"), ("b", "c")}
FORMS = [
    [("a", "c"), ("b", "c")],
    {"c": ["a", "b"]},
    "a -> c <- b",
    "a -> c; b -> c",
    "c <- a\nc <- b",
    "[a][b][c|a:b]",
    networkx.DiGraph([("a", "c"), ("b", "c")]),
    pd.DataFrame([[0, 0, 1], [0, 0, 1], [0, 0, 0]], columns=list("abc"), index=list("abc")),
]


@pytest.fixture(scope="module")
def data():
    drawn = np.random.default_rng(1).normal(size=(60, 3))
    drawn[:, 2] += drawn[:, 0] + drawn[:, 1]
    return dict(zip("abc", drawn.T, strict=True))


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_forms_mean_the_same_everywhere(form, data):
    assert set(aw.fit(form, data).graph.arcs) == ARCS
    assert aw.score(form, data) == aw.score(aw.dag(form), data)
    pulled = aw.learn(data, certainty=False, prior=aw.Prior(graph=form, weight=50.0))
    assert set(pulled.graph.arcs) == ARCS
    begun = aw.learn(data, search=aw.Greedy(start=form), certainty=False)
    assert set(begun.specification.start.arcs) == ARCS


@pytest.mark.parametrize("form", FORMS[:5] + FORMS[6:], ids=str)
def test_rules_take_them_too(form, data):
    assert set(aw.learn(data, certainty=False, rules=aw.Rules(required=form)).graph.arcs) >= ARCS
    assert not ARCS & set(
        aw.learn(data, certainty=False, rules=aw.Rules(forbidden=form)).graph.arcs
    )


@pytest.mark.parametrize("form", ["a <-> c", "a => c", ["a", "c"], {"a", "c"}, 3, {"c": "a -> b"}])
def test_what_is_not_a_graph_is_an_error(form, data):
    for call in (
        lambda: aw.fit(form, data),
        lambda: aw.learn(data, prior=aw.Prior(graph=form)),
        lambda: aw.learn(data, search=aw.Auto(start=form)),
    ):
        with pytest.raises(aw.ArcwiseError):
            call()


def test_a_matrix_without_names_says_what_is_lacking(data):
    with pytest.raises(aw.ArcwiseError, match="'x1'"):
        aw.fit(np.array([[0, 1], [0, 0]]), data)
