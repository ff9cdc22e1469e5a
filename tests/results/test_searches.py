"""Records of searches, and paths: what a penalty means on one."""

import json

import pytest

from arcwise.errors import FitError
from arcwise.graphs import UGraph
from arcwise.notes import Stop
from arcwise.results import ASKED, Knot, Path, Removal, Trail


def test_steps_are_numbered_and_timed_and_passed_on():
    seen = []
    trail = Trail(seen.append)
    assert not trail.add("add", 1.0, 1, 0, 1)
    assert not trail.tick("cool", 1.0, 1)
    assert not trail.add("drop", 2.0, 0, 0, 1)
    assert [step.number for step in trail.steps] == [1, 2]
    assert [step.what for step in seen] == ["add", "cool", "drop"]
    assert trail.steps[0].elapsed <= trail.steps[1].elapsed


def test_the_wish_to_stop_and_the_bound_on_steps():
    trail = Trail(lambda step: step.number == 2)
    assert [trail.add("add", 0.0, 1), trail.add("add", 0.0, 2)] == [False, True]
    assert trail.stopped == ASKED
    bounded = Trail(None, 2)
    assert [bounded.add("add", 0.0, 1), bounded.add("add", 0.0, 2)] == [False, True]
    assert "number of steps" in str(bounded.stopped)


START = UGraph.complete(["a", "b", "c"])
GONE = (
    Removal(0, 1, (-0.2, -0.1), -0.1, 2),
    Removal(0, 2, (0.3, 0.1), 0.3, 1),
    Removal(1, 2, (0.2, 0.2), 0.3, 0),
)


def path(removals=GONE, **options):
    return Path.of_removals(START, removals, "nats", stopped=Stop.converged("the end"), **options)


def test_a_graph_is_that_before_the_first_removal_that_costs_the_penalty():
    found = path()
    assert found.at(0.0).edges == found.at(0.3).edges == (("a", "c"), ("b", "c"))
    # The last removal costs less than the one before it: both are taken, or none.
    assert found.at(0.300001).edges == ()
    assert found.curve() == [(0.0, 2), (0.3, 0)]
    assert found.last.edges == ()
    assert found.nodes == ("a", "b", "c")


def test_a_removal_that_costs_nothing_needs_no_penalty():
    found = path([Removal(0, 1, (0.0, -0.1), 0.0, 2), Removal(0, 2, (0.1, 0.0), 0.1, 1)])
    assert found.at(0.0).n_edges == 2
    assert found.at(0.1).n_edges == 2
    assert found.at(0.2).n_edges == 1


@pytest.mark.parametrize("penalty", [-0.1, float("nan")])
def test_a_penalty_is_a_number_from_zero_on(penalty):
    with pytest.raises(FitError, match="non-negative number"):
        path().at(penalty)


def test_a_path_cut_short_answers_as_far_as_it_went():
    found = path(GONE[:2], whole=False)
    assert found.reach == 0.3
    assert found.at(0.3).n_edges == 2
    with pytest.raises(FitError, match=r"ended early .the end., and it goes as far as 0.3"):
        found.at(0.31)
    with pytest.raises(FitError, match="no step yet"):
        path(GONE[:1], whole=False).at(0.0)


def test_a_path_is_reported_and_in_plain_values():
    found = path()
    assert repr(found) == "<Path: 3 variables: 2 to 0 edges>"
    lines = str(found).split("\n")
    assert lines[0] == "Path of 3 variables: 2 to 0 edges, penalty in nats; the end"
    assert [line.split() for line in lines[3:]] == [
        ["2", "0.0000", "a", "--", "b", "-0.2000", "-0.1000"],
        ["1", "0.3000", "a", "--", "c", "0.3000", "0.1000"],
        ["0", "0.3000", "b", "--", "c", "0.2000", "0.2000"],
    ]
    assert found.strengths() == {("a", "b"): -0.1, ("a", "c"): 0.3, ("b", "c"): 0.2}
    plain = json.loads(json.dumps(found.document(), allow_nan=False))
    assert plain["knots"][0] == {"penalty": 0.0, "edges": [["a", "c"], ["b", "c"]]}
    assert plain["removals"][1]["losses"] == [0.3, 0.1]
    assert (plain["whole"], plain["reach"]) == (True, None)
    assert path(GONE[:2], whole=False).document()["reach"] == 0.3


def test_a_long_path_shows_the_strongest_edges():
    names = [f"v{i:02}" for i in range(12)]
    start = UGraph.complete(names)
    gone = [Removal(*pair, (0.1, 0.1), 0.1, 65 - i) for i, pair in enumerate(start.numbered_edges)]
    text = str(Path.of_removals(start, gone, "nats"))
    assert "... 26 removals before these" in text
    assert text.endswith(str(gone[-1].losses[1]) + "000")


def test_a_path_without_removals_shows_its_curve():
    knots = (Knot(0.0, START), Knot(0.5, UGraph.empty(START.nodes)))
    text = str(Path(knots, "rho", (), "done"))
    assert text.split("\n")[2:] == [
        "edges left  from penalty",
        "         3        0.0000",
        "         0        0.5000",
    ]
