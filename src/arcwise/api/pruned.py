"""One target from fewer and fewer inputs: how many of them matter (Hofmann and Tresp 1995, fig. 1 right)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from arcwise.api.learning import settle
from arcwise.data import conform
from arcwise.errors import DataError, close_to
from arcwise.evaluate.pruning import Pruning, pruning
from arcwise.learners import Problem

__all__ = ["prune"]


def prune(
    data: Any,
    target: str,
    *,
    test: Any = None,
    model: str = "auto",
    score: str | None = None,
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    na_values: Iterable[object] = (),
    missing: str = "drop",
    seed: int = 0,
    n_jobs: int = 1,
    time: float | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Pruning:
    """Take the inputs of one variable away one by one, the least missed first.

    Parameters
    ----------
    data : as for `learn`.
    target : the variable to predict from all others.
    test : other rows, to be scored by every model on the way; rows with gaps are left out.
    model, score, kinds, weights, na_values, missing, seed, n_jobs, time, progress,
    options : as for `learn`.

    Returns
    -------
    Pruning : the score, and that of the test rows, against the inputs left; prints as a table.

    >>> import arcwise as aw
    >>> homes = aw.shipped("boston").select(["RM", "DIS", "LSTAT", "MEDV"])
    >>> aw.prune(homes, "MEDV", model="gaussian").best.inputs
    ('DIS', 'LSTAT', 'RM')
    """
    asked = {**locals(), "penalty": 0.0}
    del asked["target"], asked["test"]
    source, spec, watching = settle("pruning", asked)
    if target not in source.names:
        raise DataError(f"There is no variable {target!r}. {close_to(target, source.names)}")
    problem = Problem.bind(spec, source)
    unseen = None if test is None else conform(test, problem.data.variables).complete()
    with watching as watch:
        found = pruning(problem.fits, problem.score, problem.data.index(target), unseen, watch)
    return replace(found, stopped=watch.reason) if found.stopped else found
