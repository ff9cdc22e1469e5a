"""Values of what is reported: reasons why a run ended."""

import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.api.progress import Progress
from arcwise.notes import NOT_STOPPED, Stop, StopReason
from arcwise.results import ASKED, FULL, Step

EARLY = {StopReason.MAX_STEPS, StopReason.TIME_LIMIT, StopReason.INTERRUPTED, StopReason.CALLBACK}


@pytest.mark.parametrize("reason", list(StopReason))
def test_a_stop_comes_back_from_its_plain_form(reason):
    stop = Stop(reason, "2.5" if reason is StopReason.TIME_LIMIT else "")
    assert Stop.from_dict(stop.to_dict()) == stop
    assert stop.early == (reason in EARLY)


def test_a_sentence_of_an_older_file_is_kept():
    assert Stop.from_dict("proved optimal").reason is StopReason.OPTIMAL
    among = "proved optimal among the graphs that the rules allow"
    assert Stop.from_dict(among) == Stop(StopReason.OPTIMAL, among.removeprefix("proved optimal "))
    assert str(Stop.from_dict("solved at penalty 0.1")) == "solved at penalty 0.1"
    assert Stop.from_dict("") == NOT_STOPPED
    assert Stop.from_dict({"reason": "bored", "detail": ""}) is None
    assert Stop.from_dict(3) is None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"search": "exact"}, StopReason.OPTIMAL),
        ({"search": "greedy"}, StopReason.CONVERGED),
        ({"search": "greedy", "max_steps": 1}, StopReason.MAX_STEPS),
        ({"search": "greedy", "time_limit": 0}, StopReason.TIME_LIMIT),
        ({"graph": "undirected"}, StopReason.CONVERGED),
    ],
)
def test_a_learned_network_carries_its_reason_through_a_file(options, reason, tmp_path):
    net = aw.learn(linear(1, p=4), certainty=False, **options)
    assert net.stopped.reason is reason
    net.save(tmp_path / "net.json")
    assert aw.load(tmp_path / "net.json").stopped == net.stopped
    assert net.to_dict()["stop_reason"] == reason.value


def test_a_watch_says_why_it_stops():
    with Progress("learning", 0.0, show=False) as watch:
        assert not watch.stopped
        assert watch(Step(1, "add", 0, 1, 0.0, 1, 0.0))
        assert watch.stopped == Stop(StopReason.TIME_LIMIT, "0")
    assert (ASKED.early, FULL.early) == (True, True)
