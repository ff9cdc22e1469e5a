import signal
import time

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.api.progress import Progress
from arcwise.results import Step

STEP = Step(3, "add", 0, 1, -12.5, 4, 0.1)


def test_a_budget_says_stop_when_it_is_used_up():
    with Progress("learning", 0.05, show=False) as watch:
        assert not watch(STEP)
        time.sleep(0.06)
        assert watch(STEP)
    assert watch.reason == "the time budget of 0.05 s is used up"


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
        assert watch.reason == "stopped by Ctrl-C"
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_learning_interrupted_returns_a_network(monkeypatch):
    def interrupt(self, step):
        self.reason = "stopped by Ctrl-C"
        return True

    monkeypatch.setattr(Progress, "__call__", interrupt)
    net = aw.learn(linear(1, p=6), search="greedy")
    assert net.stopped == "stopped by Ctrl-C"
    assert len(net.trace) == 1
    assert np.isfinite(net.score)
