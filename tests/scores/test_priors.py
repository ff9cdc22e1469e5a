import numpy as np
import pytest

from arcwise.errors import FitError
from arcwise.graphs import DAG, Move
from arcwise.scores import ArcPenalty, ArcProbabilities, ExpertPrior, FairParents, delta, total
from arcwise.scores.score import ALL

NODES = ("a", "b", "c")
EXPERT = DAG.from_arcs(["a -> b", "b -> c"])


def test_every_arc_costs_the_penalty_times_the_rows():
    penalty = ArcPenalty(NODES, 50.0, 0.2)
    assert total(penalty, DAG.empty(NODES)) == 0
    assert total(penalty, EXPERT) == pytest.approx(-2 * 0.2 * 50)


def test_an_experts_graph_counts_differences_and_a_reversal_twice():
    prior = ExpertPrior(EXPERT, 10.0, 0.5)
    assert total(prior, EXPERT) == 0
    assert total(prior, DAG.empty(NODES)) == pytest.approx(-2 * 5.0)
    assert total(prior, EXPERT.with_arc("a", "c")) == pytest.approx(-5.0)
    turned = DAG.from_arcs(["b -> a", "b -> c"])
    assert total(prior, turned) == pytest.approx(-2 * 5.0)
    assert delta(prior, EXPERT, Move("flip", 0, 1)) == pytest.approx(-2 * 5.0)


def test_a_confidence_per_arc_takes_the_weights_place():
    confidence = np.arange(9.0).reshape(3, 3)  # [parent, child]
    prior = ExpertPrior(EXPERT, 2.0, 0.5, confidence)
    without = total(prior, DAG.empty(NODES))
    assert without == pytest.approx(-2.0 * (confidence[0, 1] + confidence[1, 2]))
    assert total(prior, EXPERT.with_arc("a", "c")) == pytest.approx(-2.0 * confidence[0, 2])


@pytest.mark.parametrize("most", [ALL, 2])
def test_an_experts_costs_of_all_subsets_are_those_of_each(most):
    nodes = tuple("abcde")
    expert = DAG.from_arcs(["a -> c", "b -> c", "d -> e"], nodes)
    prior = ExpertPrior(expert, 10.0, 0.5, np.arange(25.0).reshape(5, 5))
    found = prior.subsets(2, (0, 1, 3), (4,), most)
    assert found.shape == (8,)
    for mask, value in enumerate(found.tolist()):
        members = tuple(c for bit, c in enumerate((0, 1, 3)) if mask >> bit & 1)
        fits = len(members) + 1 <= most
        assert value == (pytest.approx(prior.local(2, (*members, 4))) if fits else -np.inf)


@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf])
def test_prices_below_zero_are_rejected(value):
    with pytest.raises(FitError, match="non-negative number"):
        ArcPenalty(NODES, 10.0, value)
    with pytest.raises(FitError, match="non-negative number"):
        ExpertPrior(EXPERT, 10.0, value)


@pytest.mark.parametrize("confidence", [np.ones((2, 3)), -np.ones((3, 3)), np.full((3, 3), np.nan)])
def test_confidences_that_fit_no_graph_are_rejected(confidence):
    with pytest.raises(FitError, match="confidence"):
        ExpertPrior(EXPERT, 10.0, 0.1, confidence)


FIVE = tuple("abcde")
CHANCES = np.random.default_rng(1).uniform(0.1, 0.9, (5, 5))
PRIORS = {"fair": FairParents(FIVE), "arcs": ArcProbabilities(FIVE, CHANCES)}


def test_each_number_of_parents_has_the_same_weight():
    sums = np.zeros(5)
    for mask in range(16):
        members = tuple(u for i, u in enumerate((1, 2, 3, 4)) if mask >> i & 1)
        sums[len(members)] += np.exp(FairParents(FIVE).local(0, members))
    assert np.allclose(sums, 1.0)


def test_probabilities_of_all_parent_sets_sum_to_one():
    prior = PRIORS["arcs"]
    assert np.exp(prior.subsets(2, (0, 1, 3, 4))).sum() == pytest.approx(1.0)
    expected = CHANCES[0, 2] * CHANCES[3, 2] * (1 - CHANCES[1, 2]) * (1 - CHANCES[4, 2])
    assert np.exp(prior.local(2, (0, 3))) == pytest.approx(expected)


@pytest.mark.parametrize("word", PRIORS)
@pytest.mark.parametrize("most", [ALL, 2])
def test_subsets_and_sweeps_are_those_of_each_set(word, most):
    prior = PRIORS[word]
    found = prior.subsets(2, (0, 1, 3), (4,), most)
    for mask, value in enumerate(found.tolist()):
        members = tuple(c for bit, c in enumerate((0, 1, 3)) if mask >> bit & 1)
        fits = len(members) + 1 <= most
        assert value == (pytest.approx(prior.local(2, (*members, 4))) if fits else -np.inf)
    own, rows = prior.sweep((2, 0), ((0, 3), ()))
    assert own[0] == pytest.approx(prior.local(2, (0, 3)))
    assert rows[0, 0] == pytest.approx(prior.local(2, (3,)))
    assert rows[0, 4] == pytest.approx(prior.local(2, (0, 3, 4)))
    assert rows[1, 1] == pytest.approx(prior.local(0, (1,)))
    assert rows[0, 2] == rows[1, 0] == -np.inf
    asked = np.array([[True, False, False, False, True]])
    assert np.isneginf(prior.sweep((2,), ((0, 3),), asked)[1][0, 1])


def test_arcs_that_are_never_or_always_there():
    chances = np.full((5, 5), 0.5)
    chances[0, 1], chances[2, 1] = 0.0, 1.0
    prior = ArcProbabilities(FIVE, chances)
    assert prior.local(1, (0, 2)) == -np.inf
    assert prior.local(1, ()) == -np.inf
    assert prior.local(1, (2,)) == pytest.approx(2 * np.log(0.5))


@pytest.mark.parametrize(
    "chances", [np.ones((2, 3)), np.full((5, 5), 1.5), np.full((5, 5), np.nan)]
)
def test_what_is_no_probability_is_rejected(chances):
    with pytest.raises(FitError, match="between 0 and 1"):
        ArcProbabilities(FIVE, chances)
