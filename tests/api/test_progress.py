import signal
import time

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.api.progress import Progress
from arcwise.conditionals.parzen import ParzenFamily, ParzenFits
from arcwise.notes import Stop, StopReason
from arcwise.results import Step

STEP = Step(3, "add", 0, 1, -12.5, 4, 0.1)


def test_a_budget_says_stop_when_it_is_used_up():
    with Progress("learning", 0.05, show=False) as watch:
        assert not watch(STEP)
        time.sleep(0.06)
        assert watch(STEP)
    assert str(watch.stopped) == "the time budget of 0.05 s is used up"


def test_what_is_left_of_a_budget():
    assert Progress("learning", None, show=False).left is None
    watch = Progress("learning", 100.0, show=False)
    assert 99 < watch.left <= 100
    watch.began -= 200
    assert watch.left == 0.5
    watch.stopped = Stop(StopReason.INTERRUPTED)
    assert watch.left == 0.5


def test_a_line_is_shown_only_to_those_who_wait(capsys):
    with Progress("learning", None, show=True) as watch:
        watch(STEP)
        assert capsys.readouterr().err == ""
        watch._shown -= 1.0
        watch(STEP)
        assert "learning: add" in capsys.readouterr().err
    assert capsys.readouterr().err.endswith("\x1b[K")  # the line is cleared
    with Progress("learning", None, show=False) as watch:
        watch._shown -= 10.0
        watch(STEP)
    assert capsys.readouterr().err == ""


def test_ctrl_c_asks_for_the_best_so_far_and_twice_interrupts():
    before = signal.getsignal(signal.SIGINT)
    with Progress("learning", None, show=False) as watch:
        signal.raise_signal(signal.SIGINT)
        assert watch(STEP)
        assert watch.stopped == Stop(StopReason.INTERRUPTED)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_learning_interrupted_returns_a_network(monkeypatch):
    def interrupt(self, step):
        self.stopped = Stop(StopReason.INTERRUPTED)
        return True

    monkeypatch.setattr(Progress, "__call__", interrupt)
    net = aw.learn(linear(1, p=6), search="greedy")
    assert str(net.stopped) == "stopped by Ctrl-C"
    assert len(net.trace) == 1
    assert np.isfinite(net.score)


def test_a_long_run_says_beforehand_how_long_it_will_take(monkeypatch, capsys):
    rng = np.random.default_rng(1)
    table = aw.table({"a": rng.normal(size=30), "b": rng.normal(size=30)})
    monkeypatch.setattr(ParzenFits, "seconds", lambda fits, inputs: 40.0)
    aw.learn(table, model="parzen", graph="undirected", progress=True)
    said = capsys.readouterr().err
    assert "learning: about 2 min expected (3 local models, 40 s each)\n" in said
    aw.learn(table, model="parzen", progress=True)
    assert "at least 3 min expected" in capsys.readouterr().err
    aw.learn(table, model="parzen", progress=False)
    assert capsys.readouterr().err == ""


def test_how_long_a_local_model_takes_is_tried_out_where_it_matters():
    rng = np.random.default_rng(1)
    many, few = (ParzenFamily().bind(aw.table(rng.normal(size=(n, 3)))) for n in (1600, 100))
    assert few.seconds(2) == 0.0
    assert 0.0 < many.seconds(2) < 10.0
