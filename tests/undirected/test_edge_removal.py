"""Boundary learning and deletion agree with their plain twins, and ask each question once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import undirected as naive
from undirected.tables import SCORES, Counted, Listed, bound, linear, table

import arcwise as aw
from arcwise.api.choices import specification
from arcwise.errors import FitError, GraphError
from arcwise.graphs import Rules, UGraph
from arcwise.learners import bind
from arcwise.learners import boundary as learner
from arcwise.results import ASKED
from arcwise.undirected import UNDIRECTED, boundary, deletion, edge_limits

PENALTIES = (0.0, 0.003, 0.01, 0.03, 0.05, 0.1, 0.2, 0.5, 2.0, 50.0)


def pairs(graph):
    return set(graph.numbered_edges)


@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from(sorted(SCORES)))
@settings(max_examples=25)
def test_the_path_is_the_plain_algorithm_at_every_penalty(seed, p, word):
    score = bound(word, linear(seed, p=p))
    path = boundary(score)
    # Also just beside the places where the graph changes, but not so near that the twin sees a tie.
    knots = [knot.penalty for knot in path.knots[1:] if 0.001 * knot.penalty > 2 * naive.TIE]
    beside = [k * factor for k in knots[:: max(1, len(knots) // 4)] for factor in (0.999, 1.001)]
    for penalty in (*PENALTIES, *beside):
        assert pairs(path.at(penalty)) == naive.boundary(score, penalty)


@pytest.mark.parametrize("word", SCORES)
def test_knots_bound_the_penalties_of_their_graphs(word):
    path = boundary(bound(word, linear(5)))
    penalties = [knot.penalty for knot in path.knots]
    assert penalties[0] == 0
    assert penalties[1:] == sorted(set(penalties[1:]))
    for before, knot in zip(path.knots, path.knots[1:], strict=False):
        assert path.at(knot.penalty) == before.graph
        assert path.at(np.nextafter(knot.penalty, np.inf)) == knot.graph
    assert path.at(np.inf) == path.last == UGraph.empty(path.nodes)


@pytest.mark.parametrize("p", [1, 2, 3, 7])
def test_no_local_score_is_asked_for_twice_and_some_never(p):
    score = Counted(bound("loo", linear(1, p=p)))
    path = boundary(score)
    assert len(score.asked) == len(set(score.asked)) <= p * (1 + p * (p - 1) // 2) - (p > 2)
    assert len(path.removals) == len(path.trace) == p * (p - 1) // 2


@pytest.mark.parametrize("penalty", [0.0, 0.01, 0.05, 0.5])
def test_a_run_up_to_a_penalty_has_its_graph_and_asks_for_less(penalty):
    few, all_of_it = (Counted(bound("loo", linear(5, p=7))) for _ in range(2))
    short, whole = boundary(few, until=penalty), boundary(all_of_it)
    assert short.at(penalty) == whole.at(penalty)
    assert short.removals == whole.removals[: len(short.removals)]
    assert len(few.asked) < len(all_of_it.asked)


def test_after_a_removal_only_its_two_ends_are_scored_again():
    score = Counted(bound("loo", linear(1, p=6)))
    seen = []

    def watch(step):
        asked = {child for child, _ in score.asked}
        if step.what == "remove":
            seen.append(asked <= {step.tail, step.head})
        score.asked.clear()

    boundary(score, on_step=watch)
    assert seen == [True] * 15


def test_steps_and_removals_tell_what_happened():
    score = bound("loo", linear(3))
    path = boundary(score)
    edges, price = pairs(UGraph.complete(score.nodes)), -np.inf
    for step, removal in zip(path.trace, path.removals, strict=True):
        i, j = removal.first, removal.second
        assert (step.what, step.tail, step.head, step.edges) == ("remove", i, j, removal.edges)
        losses = [-naive.improvement(score, edges, *ends) for ends in ((i, j), (j, i))]
        assert removal.losses == pytest.approx(losses, abs=1e-9)
        assert removal.strength == max(removal.losses)
        price = max(price, removal.strength)
        assert removal.penalty == price
        edges.remove((i, j))
        assert removal.edges == len(edges)
        total = sum(score.local(node, naive.neighbours(edges, node)) for node in range(6))
        assert step.score == pytest.approx(total, abs=1e-6)
        for penalty in PENALTIES:
            assert path.at(penalty).has_edge(i, j) == (not removal.penalty < penalty)


@pytest.mark.parametrize("seed", range(5))
def test_an_edge_that_is_kept_is_at_least_as_strong_as_the_penalty(seed):
    score = bound("loo", linear(seed, p=7))
    path = boundary(score)
    for penalty in PENALTIES:
        edges = pairs(path.at(penalty))
        assert all(-naive.removal_score(score, edges, *pair) >= penalty - 1e-9 for pair in edges)


def test_the_sequence_need_not_be_monotone():
    """Losses of the way may fall again: the rule stops at the first failure, it sorts nothing."""
    found = [boundary(bound("loo", linear(seed))) for seed in range(10)]
    strengths = [[r.strength for r in path.removals] for path in found]
    assert any(each != sorted(each) for each in strengths)
    for path in found:
        first = next((i for i, r in enumerate(path.removals) if r.strength >= 0.05), 15)
        assert path.at(0.05).n_edges == 15 - first


# -- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", UNDIRECTED.values(), ids=UNDIRECTED)
def test_rules_bind_the_edge_whichever_way_they_run(learner):
    score = bound("loo", linear(2))
    rules = Rules(required=["v5 -> v0", "v1 -> v2"], forbidden=["v3 -> v4", "v2 -> v0", "v0 -> v2"])
    path = learner(score, limits=edge_limits(rules, score.nodes))
    assert path.last.edges == (("v0", "v5"), ("v1", "v2"))
    for knot in path.knots:
        assert {("v0", "v5"), ("v1", "v2")} <= set(knot.graph.edges)
        assert {("v3", "v4"), ("v0", "v2")}.isdisjoint(knot.graph.edges)
    assert len(path.removals) == 15 - 4


@pytest.mark.parametrize("seed", range(4))
def test_rules_agree_with_the_plain_algorithm_and_spare_questions(seed):
    score = Counted(bound("bic", linear(seed)))
    rules = Rules(required=["v1 -> v0"], forbidden=["v2 -> v3", "v5 -> v4"])
    path = boundary(score, limits=edge_limits(rules, score.nodes))
    assert len(score.asked) == len(set(score.asked)) < 6 * 16
    for penalty in PENALTIES:
        twin = naive.boundary(score, penalty, {(2, 3), (4, 5)}, {(0, 1)})
        assert pairs(path.at(penalty)) == twin


def test_what_concerns_directions_alone_is_rejected():
    with pytest.raises(GraphError, match="Tiers need directed arcs"):
        edge_limits(Rules(tiers=[["a"], ["b"]]), ["a", "b"])
    with pytest.raises(GraphError, match=r"max_parents .* penalty"):
        edge_limits(Rules(max_parents=2), ["a", "b"])
    with pytest.raises(GraphError, match="a - b is both required and forbidden"):
        edge_limits(Rules(required=["b -> a"], forbidden=["a -> b"]), ["a", "b"])
    with pytest.raises(GraphError, match="'c'"):
        edge_limits(Rules(required=["c -> a"]), ["a", "b"])
    score = bound("bic", linear(1))
    with pytest.raises(GraphError, match="max_parents"):
        boundary(score, limits=Rules(max_parents=2).on(score.nodes))
    with pytest.raises(FitError, match="bound to the variables"):
        boundary(score, limits=Rules().on(["a", "b"]))


# -- order, ties and odd tables --------------------------------------------------------------------


def test_the_order_of_columns_does_not_matter():
    source = linear(4)
    values = dict(zip(source.names, source.columns, strict=True))
    turned = table({name: values[name] for name in reversed(source.names)})
    assert boundary(bound("loo", turned)).removals == boundary(bound("loo", source)).removals


def test_new_names_change_nothing_but_the_names():
    source = linear(4)
    values = dict(zip(source.names, source.columns, strict=True))
    names = dict(zip(source.names, ["q", "c", "x", "a", "k", "b"], strict=True))
    renamed = boundary(bound("loo", table({names[n]: c for n, c in values.items()})))
    own = boundary(bound("loo", source))
    for penalty in PENALTIES:
        expected = {frozenset((names[a], names[b])) for a, b in own.at(penalty).edges}
        assert {frozenset(edge) for edge in renamed.at(penalty).edges} == expected


def test_ties_go_to_the_lowest_column_numbers():
    def flat(child, parents):
        return 1e-12 * sum(parents)  # rounding

    path = boundary(Listed(tuple("abcd"), 1.0, flat))
    assert [(r.first, r.second) for r in path.removals] == [
        (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)
    ]  # fmt: skip
    assert {r.losses for r in path.removals} == {(0.0, 0.0)}


def test_an_edge_that_does_nothing_goes_at_any_penalty():
    path = boundary(Listed(tuple("abc"), 10.0, lambda child, parents: 0.0))
    assert path.at(0.0).n_edges == 0
    assert path.at(1e-300).n_edges == 0
    assert path.curve() == [(0.0, 0)]
    assert len(path.removals) == 3


def test_constant_columns_and_copies():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 40))
    score = bound("bic", table({"a": a, "b": b, "copy": a, "constant": np.full(40, 7.0)}))
    path = boundary(score)
    for penalty in PENALTIES:
        assert pairs(path.at(penalty)) == naive.boundary(score, penalty)
    assert path.at(0.1).edges == (("a", "copy"),)


def test_one_and_two_variables():
    alone = boundary(bound("loo", table({"a": np.arange(5.0)})))
    assert alone.curve() == [(0.0, 0)]
    assert str(alone.stopped) == "no edge is left"
    a, noise = np.random.default_rng(1).normal(size=(2, 80))
    pair = boundary(bound("loo", table({"a": a, "b": a + noise})))
    (removal,) = pair.removals
    assert pair.at(removal.strength).n_edges == 1
    assert pair.at(removal.strength * 1.01).n_edges == 0


def test_a_score_that_is_not_a_number_is_rejected():
    broken = Listed(("a", "b"), 1.0, lambda child, parents: np.nan if parents else 0.0)
    with pytest.raises(FitError, match=r"'a' .* not a number"):
        boundary(broken)


def test_a_score_of_minus_infinity_is_a_price_that_nobody_pays():
    path = boundary(
        Listed(("a", "b", "c"), 1.0, lambda child, parents: 0.0 if parents else -np.inf)
    )
    assert path.at(1e9).n_edges == 2
    assert path.last.n_edges == 0
    assert str(path)


# -- interruption ---------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [1, 4, 9, 14])
def test_a_path_cut_short_says_how_far_it_goes_and_does_not_lie(after):
    score = bound("loo", linear(6))
    whole = boundary(score)
    path = boundary(score, on_step=lambda step: step.what == "remove" and step.number == after)
    assert path.stopped == ASKED
    assert path.removals == whole.removals[:after]
    assert path.last.n_edges == 15 - after
    assert path.reach == path.removals[-1].penalty
    for penalty in (*PENALTIES, max(path.reach, 0)):
        if penalty <= path.reach:
            assert path.at(penalty) == whole.at(penalty)
        else:
            with pytest.raises(FitError, match=r"ended early .asked to stop."):
                path.at(penalty)


@pytest.mark.parametrize("learner", UNDIRECTED.values(), ids=UNDIRECTED)
def test_a_run_stopped_while_it_scores_the_first_time_knows_no_graph(learner):
    seen = []
    path = learner(
        bound("loo", linear(6)), on_step=lambda step: bool(seen.append(step.what)) or True
    )
    assert len(seen) == 1
    assert path.stopped == ASKED
    assert path.last.n_edges == 15
    with pytest.raises(FitError, match="no step yet"):
        path.at(0.0)


def test_the_wish_to_stop_at_the_very_end_comes_too_late():
    path = boundary(bound("loo", linear(6)), on_step=lambda step: step.edges == 0)
    assert str(path.stopped) == "no edge is left"
    assert path.reach == np.inf


TESTED = (0.0, 0.003, 0.01, 0.05, 0.1, 0.3, 5.0)


@pytest.mark.parametrize("word", SCORES)
@pytest.mark.parametrize("seed", range(4))
def test_deletion_is_the_plain_method_at_every_penalty(word, seed):
    score = bound(word, linear(seed))
    path = deletion(score)
    for penalty in TESTED:
        assert set(path.at(penalty).numbered_edges) == naive.deletion(score, penalty)


def test_every_pair_is_tested_once_and_told_in_the_order_of_strength():
    score = Counted(bound("loo", linear(1)))
    path = deletion(score)
    assert len(score.asked) == len(set(score.asked)) == 6 + 30
    strengths = [removal.strength for removal in path.removals]
    assert strengths == sorted(strengths) == [removal.penalty for removal in path.removals]
    assert [removal.edges for removal in path.removals] == list(range(14, -1, -1))
    assert path.trace == ()


def test_deletion_fails_where_either_of_two_edges_would_do_and_boundary_learning_does_not():
    a, blur, noise = np.random.default_rng(3).normal(size=(3, 400))
    score = bound("loo", table({"a": a, "copy": a + 0.01 * blur, "y": a + noise}))
    assert deletion(score).at(0.05).edges == (("a", "copy"),)
    kept = boundary(score).at(0.05).edges
    assert len(kept) == 2
    assert sum("y" in edge for edge in kept) == 1


def curved(rows, seed=1):
    """A chain of curves a - b - c beside two columns of noise."""
    rng = np.random.default_rng(seed)
    a, d, e = rng.standard_normal((3, rows))
    b = np.sin(2 * a) + 0.4 * rng.standard_normal(rows)
    c = b**2 + 0.4 * rng.standard_normal(rows)
    return aw.table({"a": a, "b": b, "c": c, "d": d, "e": e})


def test_a_grown_graph_ends_where_boundary_learning_ends():
    table = curved(300)
    grown, taken = (
        aw.learn(table, model="parzen", graph="undirected", search=word)
        for word in ("grow-shrink", "boundary")
    )
    assert grown.graph.edges == taken.graph.edges == (("a", "b"), ("b", "c"))
    assert grown.score == pytest.approx(taken.score, rel=1e-12)
    assert grown.settings["search"] == "grow-shrink"


def test_large_tables_are_grown_and_it_is_said(monkeypatch):
    table = curved(300)
    monkeypatch.setattr(learner, "_LARGE", 300**2 * 5**3 - 1)
    net = aw.learn(table, model="parzen", graph="undirected")
    assert net.settings["search"] == "grow-shrink"
    assert any("too many rows and columns" in note for note in net.notes)
    monkeypatch.setattr(learner, "_LARGE", 300**2 * 5**3)
    assert aw.learn(table, model="parzen", graph="undirected").settings["search"] == "boundary"
    monkeypatch.setattr(learner, "_LARGE", 0)
    asked = aw.learn(table, model="parzen", graph="undirected", search="boundary")
    assert asked.settings["search"] == "boundary"
    linear = aw.learn(table, model="gaussian", graph="undirected", search="auto", score="bic")
    assert linear.settings["search"] == "boundary"


def test_rules_hold_and_a_stop_is_said():
    table = curved(300)
    words = {"model": "parzen", "graph": "undirected", "search": "grow-shrink"}
    ruled = aw.learn(table, rules=aw.Rules(required=["d -- e"], forbidden=["a -> b"]), **words)
    assert ruled.graph.has_edge("d", "e")
    assert not ruled.graph.has_edge("a", "b")
    stopped = aw.learn(curved(4000), time_limit=0.05, **words)
    assert any("stopped before" in note for note in stopped.notes)


def test_only_what_is_worth_the_penalty_is_taken_in():
    """In noise at a high penalty there is one sweep: p local models without inputs, p (p - 1) with one."""
    problem = bind(
        specification(model="parzen", graph="undirected", search="grow-shrink"), curved(300)
    )
    assert problem.path(until=5.0).at(5.0).n_edges == 0
    assert sorted({len(parents) for _, parents in problem.score.known}) == [0, 1]
    assert len(problem.score.known) == 5 + 5 * 4
