"""Bounds on the number of parents: by rules, of nobody, and by few rows."""

import numpy as np
import pytest
from contracts.cases import levels, linear

import arcwise as aw
from arcwise.search import SEARCHES

NAMES = [f"v{i}" for i in range(12)]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("make", [linear, levels], ids=["numbers", "levels"])
def test_no_parents_at_all(search, make):
    source = make(3, rows=60, p=5)
    net = aw.learn(
        source, score="bic", search=search, certainty=False, rules=aw.Rules(max_parents=0)
    )
    assert net.graph.n_arcs == 0
    assert net.score == pytest.approx(aw.score(net.graph, source, score="bic"))


@pytest.mark.parametrize("method", ["exact", "mcmc", "bootstrap"])
def test_no_parents_in_any_graph(method):
    source = linear(3, rows=60, p=4)
    words = {} if method == "exact" else {"draws": 20}
    post = aw.posterior(source, method=method, score="bge", rules=aw.Rules(max_parents=0), **words)
    assert all(row.adjacent == 0 for row in post.edges)
    assert post.best.graph.n_arcs == 0


def few(rows: int = 9) -> aw.Table:
    """Few rows, of which the last column is the sum of all others, and a bit."""
    x = np.random.default_rng(2).normal(size=(rows, len(NAMES)))
    x[:, -1] = x[:, :-1].sum(axis=1) + 0.1 * x[:, -1]
    return aw.table(dict(zip(NAMES, x.T, strict=True)))


@pytest.mark.parametrize("search", ["greedy", "tabu", "boss"])
def test_required_arcs_and_starts_may_pass_the_bound_of_few_rows(search):
    free = aw.learn(few(), search=search, score="bic", certainty=False)
    said = [note for note in free.notes if str(note).startswith("Rows are few (9)")]
    most = int(str(said[0]).split("may have at most ")[1].split()[0])
    assert max(map(len, free.graph.parents)) <= most < 4
    wanted = [(name, NAMES[-1]) for name in NAMES[: most + 1]]
    net = aw.learn(
        few(), search=search, score="bic", certainty=False, rules=aw.Rules(required=wanted)
    )
    assert set(wanted) <= set(net.graph.arcs)
    assert max(map(len, net.graph.parents)) == most + 1


def test_a_start_may_pass_the_bound_of_few_rows():
    start = " , ".join(f"{name} -> {NAMES[-1]}" for name in NAMES[:5])
    net = aw.learn(few(), search=aw.Greedy(start=start), score="loglik", certainty=False)
    assert max(map(len, net.graph.parents)) <= 5
    assert set(NAMES[:5]) <= set(net.parents(NAMES[-1]))


def test_a_rule_sets_another_bound_than_few_rows():
    net = aw.learn(
        few(), search="greedy", score="loglik", certainty=False, rules=aw.Rules(max_parents=5)
    )
    assert max(map(len, net.graph.parents)) == 5
    assert not [note for note in net.notes if "Rows are few" in note]
