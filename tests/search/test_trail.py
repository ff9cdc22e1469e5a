from arcwise.results import ASKED
from arcwise.search.trail import Trail


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
    assert "number of steps" in bounded.stopped
