import numpy as np
import pytest
from contracts.cases import bind, linear, nasty, random_rules
from naive.subsets import best_graph

from arcwise.conditionals import FAMILIES
from arcwise.errors import FitError, GraphError
from arcwise.graphs import DAG, Limits, Rules, cpdag, extension
from arcwise.scores import Score, total
from arcwise.search import exact, exact_memory


class Chance(Score):
    """A random (here and there tied) number for each parent set."""

    def __init__(self, p: int, seed: int) -> None:
        self.nodes, self.rows = tuple("abcde"[:p]), 1.0
        self.table = np.round(np.random.default_rng(seed).normal(size=(p, 1 << p)), 1)

    def many(self, child, sets):
        return self.table[child, [sum(1 << x for x in s) for s in sets]]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("ruled", [False, True])
def test_the_result_is_the_best_of_all_graphs_within_the_rules(seed, ruled):
    score = Chance(4, seed)
    rules = random_rules(score.nodes, np.random.default_rng(seed)) if ruled else Rules()
    limits = rules.on(score.nodes)
    result = exact(score, limits=limits)
    assert result.score == pytest.approx(best_graph(score, limits))
    assert limits.allows_graph(result.graph)
    assert result.optimal


@pytest.mark.parametrize("word", ["bic", "bge", "loglik", "aic"])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_is_the_best_where_columns_determine_each_other(word, seed):
    """Floors split classes there, so that the members of a class do not tie."""
    awkward = nasty(seed).select(["a", "b", "copy", "sum"])
    for source in (awkward, linear(seed, rows=3, p=4), linear(seed, rows=2, p=4)):
        score = bind(word, FAMILIES["gaussian"], source)
        best = best_graph(score)
        assert exact(score).score == pytest.approx(best, rel=1e-9, abs=1e-7)


def test_one_member_stands_for_its_class():
    score = bind("bic", FAMILIES["gaussian"], linear(1, p=5))
    found = exact(score).graph
    assert found == extension(cpdag(found))


def test_parents_that_add_nothing_are_left_out():
    class Flat(Score):
        nodes, rows = ("a", "b", "c"), 1.0

        def many(self, child, sets):
            return np.zeros(len(sets))

    assert exact(Flat()).graph == DAG.empty(("a", "b", "c"))


def test_required_arcs_against_the_data_are_kept():
    score = bind("bic", FAMILIES["gaussian"], linear(1, p=5))
    limits = Rules(required=[("v4", "v0"), ("v0", "v2")], max_parents=1).on(score.nodes)
    result = exact(score, limits=limits)
    assert {("v4", "v0"), ("v0", "v2")} <= set(result.graph.arcs)
    assert max(map(len, result.graph.parents)) == 1
    assert result.score == pytest.approx(best_graph(score, limits))


def test_the_memory_is_reported_before_the_start():
    names = tuple(f"v{i:02d}" for i in range(28))
    limits = Limits.none(names)
    assert exact_memory(limits) == 28 * 8 * 2**27 + 8 * 2**28

    class Never(Score):
        nodes, rows = names, 1.0

        def many(self, child, sets):
            raise AssertionError("nothing may be scored")

    with pytest.raises(FitError, match=r"28 variables needs 30\.0 GiB and may use 8\.0 GiB"):
        exact(Never())
    few = Rules(tiers=[names[:14], names[14:]], forbidden=[]).on(names)
    assert exact_memory(few) < exact_memory(limits)


def test_far_too_many_variables_are_rejected_with_a_message():
    score = bind("bic", FAMILIES["gaussian"], linear(1, rows=30, p=40))
    with pytest.raises(FitError, match="search='auto'"):
        exact(score)


def test_a_stopped_program_hands_back_its_start():
    score = bind("bic", FAMILIES["gaussian"], linear(1, p=5))
    start = DAG.from_arcs([("v0", "v1")], score.nodes)
    result = exact(score, start, on_step=lambda step: step.what.startswith("2 of 5"))
    assert result.graph == start
    assert result.score == pytest.approx(total(score, start))
    assert not result.optimal
    assert str(result.stopped) == "asked to stop"


def test_rules_that_shut_out_every_graph_cannot_be_made():
    with pytest.raises(GraphError):
        Rules(required=[("a", "b"), ("b", "a")])
