import numpy as np
import pytest

from arcwise.errors import FitError
from arcwise.graphs import DAG, Move
from arcwise.scores import ArcPenalty, ExpertPrior, delta, total
from arcwise.scores.base import ALL

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
def test_prices_below_zero_are_refused(value):
    with pytest.raises(FitError, match="non-negative number"):
        ArcPenalty(NODES, 10.0, value)
    with pytest.raises(FitError, match="non-negative number"):
        ExpertPrior(EXPERT, 10.0, value)


@pytest.mark.parametrize("confidence", [np.ones((2, 3)), -np.ones((3, 3)), np.full((3, 3), np.nan)])
def test_confidences_that_fit_no_graph_are_refused(confidence):
    with pytest.raises(FitError, match="confidence"):
        ExpertPrior(EXPERT, 10.0, 0.1, confidence)
