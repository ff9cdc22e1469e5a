"""The way of a search, drawn."""

import pytest

import arcwise as aw
from arcwise.errors import FitError
from arcwise.graphs import DAG
from arcwise.plot import plot_trace
from arcwise.results import Result, Step

matplotlib = pytest.importorskip("matplotlib")


def test_every_step_is_drawn_and_the_best_one_marked():
    net = aw.learn(aw.example("boston"), search="tabu")
    ax = plot_trace(net)
    line, best = ax.lines
    assert list(line.get_ydata()) == [step.score for step in net.trace]
    assert list(best.get_ydata()) == [max(step.score for step in net.trace)]
    assert ax.get_ylabel() == "score (ebic)"
    ax.figure.canvas.draw()


def test_one_step_and_given_axes():
    _, ax = matplotlib.pyplot.subplots()
    step = Step(1, "add", 0, 1, -3.5, 1, 0.0)
    result = Result(DAG.from_arcs(["a -> b"]), -3.5, (step,), "no neighbour is better")
    assert plot_trace(result, ax=ax) is ax
    assert ax.get_ylabel() == "score"
    ax.figure.canvas.draw()


def test_no_steps_are_an_error_that_says_why():
    with pytest.raises(FitError, match="no search steps"):
        plot_trace(Result(DAG.empty(["a"]), 0.0, (), ""))
