"""One name, one number: the score of an undirected graph is that of its joint, or its name says otherwise."""

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.graphs import UGraph, numbered_cliques
from arcwise.undirected import contingency
from arcwise.undirected.contingency import free_parameters

CHARGED = ("loglik", "aic", "bic", "ebic")
GAUSSIAN = (*CHARGED, "bge", "loo", "kfold", "heldout")
DISCRETE = (*CHARGED, "bdeu", "qnml")
MARKS = "ALG:ANL:STAT + ALG:MECH:VECT"
EQUIVALENT = "[ALG][ANL|ALG][STAT|ALG:ANL][MECH|ALG][VECT|ALG:MECH]"


def square(rows=400, seed=1, levels=3):
    """A ring of four discrete columns: no directed graph has its independences."""
    rng = np.random.default_rng(seed)
    a, c = rng.integers(0, levels, (2, rows))
    b = np.where(rng.random(rows) < 0.5, a, np.where(rng.random(rows) < 0.5, c, 0))
    d = np.where(rng.random(rows) < 0.5, a, np.where(rng.random(rows) < 0.5, c, 1))
    return aw.table(
        {k: np.array(list("xyz"))[v] for k, v in zip("abcd", (a, b, c, d), strict=True)}
    )


def test_the_figures_of_marks_and_lizards(shared_data):
    """BIC of the joint -1731.33; the largest likelihoods -1695.5 and -802.2, which nothing exceeds."""
    marks = aw.read(shared_data / "bnlearn" / "marks.csv")
    for score, figure in (("bic", -1731.33), ("loglik", -1695.51)):
        found = aw.fit(aw.ug(MARKS), marks, score=score)
        assert found.score == pytest.approx(figure, abs=0.005)
        assert found.settings["score"] == score
        assert aw.score(EQUIVALENT, marks, score=score) == pytest.approx(found.score, rel=1e-12)
    assert aw.fit(aw.ug(MARKS), marks).score == pytest.approx(-1731.33, abs=0.005)
    pseudo = aw.fit(aw.ug(MARKS), marks, score="pseudo-bic")
    assert (round(pseudo.score, 2), pseudo.settings["score"]) == (-1687.68, "pseudo-bic")
    lizards = aw.read(shared_data / "bnlearn" / "lizards.csv")
    graph = aw.ug("Diameter:Species + Height:Species")
    assert aw.score(graph, lizards, score="loglik") == pytest.approx(-802.2, abs=0.05)
    assert aw.score(graph, lizards, score="pseudo-loglik") == pytest.approx(-790.0, abs=0.05)


@pytest.mark.parametrize("score", GAUSSIAN)
def test_a_decomposable_gaussian_graph_has_the_score_of_the_equivalent_directed_one(score):
    table = linear(3, rows=60, p=5)
    wanted = aw.score("[v0][v1|v0][v2|v0:v1][v3|v2][v4]", table, score=score, seed=2)
    graph = aw.ug("v0:v1:v2 + v2:v3 + v4")
    assert aw.score(graph, table, score=score, seed=2) == pytest.approx(wanted, rel=1e-10)
    assert aw.fit(graph, table, score=score, seed=2).score == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("score", DISCRETE)
def test_a_decomposable_discrete_graph_has_the_score_of_the_equivalent_directed_one(score):
    graph, directed = aw.ug("a:b:c + c:d"), "[a][b|a][c|a:b][d|c]"
    assert aw.score(graph, square(), score=score) == pytest.approx(
        aw.score(directed, square(), score=score), rel=1e-12
    )


@pytest.mark.parametrize("score", CHARGED)
@pytest.mark.parametrize("source", [square(), square(levels=2, seed=4)], ids=["three", "two"])
def test_a_ring_lies_between_its_decomposable_neighbours(score, source):
    """The likelihood of a ring is between those of a chain inside it and a triangulation around it."""
    ring = aw.ug("a:b + b:c + c:d + a:d")
    inside, around = aw.ug("a:b + b:c + c:d"), aw.ug("a:b:c + a:c:d")
    logs = [aw.score(graph, source, score="loglik") for graph in (inside, ring, around)]
    assert logs == sorted(logs)
    assert logs[0] < logs[1] < logs[2]
    net = aw.fit(
        ring, source, score=score, model=aw.Discrete(alpha=0)
    )  # fitted without smoothing: the same likelihood
    parameters = free_parameters(ring, [len(v.levels) for v in source.variables])
    size = {"loglik": 0, "aic": 1}.get(score, 0.5 * np.log(source.rows)) * parameters
    size += 1.1 * np.log(4) * ring.n_edges if score == "ebic" else 0
    assert net.score == pytest.approx(net.logpdf(source).sum() - size, abs=1e-5)
    assert net.settings["score"] == score


def test_parameters_of_a_graph_are_those_of_its_complete_sets():
    rng = np.random.default_rng(5)
    for _ in range(50):
        p = int(rng.integers(1, 8))
        names = [f"v{i}" for i in range(p)]
        edges = [(a, b) for i, a in enumerate(names) for b in names[:i] if rng.random() < 0.6]
        graph, levels = UGraph.from_edges(edges, nodes=names), rng.integers(1, 5, p).tolist()
        complete = {
            frozenset(c for bit, c in enumerate(clique) if mask >> bit & 1)
            for clique in numbered_cliques(graph)
            for mask in range(1, 1 << len(clique))
        }
        wanted = sum(np.prod([levels[v] - 1.0 for v in each]) for each in complete)
        assert free_parameters(graph, levels) == pytest.approx(wanted)


def test_learned_and_scored_graphs_have_one_number():
    """The number that learning returns is that of `score` under the name in the settings, for any search."""
    table = linear(1, rows=80, p=6)
    for words in (
        {"search": "boundary"},
        {"search": "deletion"},
        {"score": "bic"},
        {"score": "loo"},
        {},
    ):
        net = aw.learn(table, graph="undirected", **words)
        again = aw.score(net.graph, table, score=net.settings["score"])
        assert again == pytest.approx(net.score, rel=1e-10), words
    levels = aw.learn(square(), graph="undirected", score="bic")
    again = aw.score(levels.graph, square(), score=levels.settings["score"])
    assert again == pytest.approx(levels.score, rel=1e-10)


def test_without_a_joint_the_name_says_so():
    table = linear(1, rows=40, p=3)
    graph = aw.ug("v0:v1 + v1:v2")
    net = aw.fit(graph, table, model="parzen")
    assert net.settings["score"] == "pseudo-loo"
    assert "pseudo-loo" in str(net)
    assert (
        "score",
        f"pseudo-loo {net.score:.4f}, summed over all variables given their neighbours",
    ) in (net.describe())
    with pytest.raises(aw.FitError, match="score='pseudo-loo'"):
        aw.score(graph, table, model="parzen")
    assert aw.score(graph, table, model="parzen", score="pseudo-loo") == pytest.approx(net.score)
    few = aw.fit(UGraph.complete(("v0", "v1", "v2")), table.take(np.arange(3)))
    assert few.net.joint is None
    assert few.settings["score"] == "pseudo-bic"
    with pytest.raises(aw.OptionError, match="pseudo-bic"):
        aw.score("v0 -> v1", table, score="pseudo-bic")


def test_proportional_fitting_that_stops_early_says_so(monkeypatch):
    graph = aw.ug("a:b + b:c + c:d + a:d")
    assert not any("Proportional" in note for note in aw.fit(graph, square()).notes)
    monkeypatch.setattr(contingency, "SWEEPS", 2)
    notes = aw.fit(graph, square()).notes
    assert any("before it converged" in note for note in notes)
