"""Judging by rows that were left out: a choice of words, and the inputs of one variable."""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from arcwise.api.learning import settle, specify
from arcwise.api.progress import Progress
from arcwise.data import Moments, any_table, conform
from arcwise.data import folds as cut
from arcwise.errors import DataError, FitError, close_to
from arcwise.evaluate import Validation, validate_folds
from arcwise.evaluate.pruning import Pruning, pruning
from arcwise.learners import Learner, Problem, rows_for
from arcwise.learners.parallel import inside, one_thread, runner
from arcwise.results import Interrupted


def validate(
    data: Any,
    *,
    folds: int = 10,
    seed: int = 0,
    n_jobs: int = 1,
    time_limit: float | None = None,
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    na_values: Iterable[object] = (),
    progress: bool | None = None,
    **words: Any,
) -> Validation:
    """Cross-validate a choice of words: held-out likelihood and prediction errors.

    Parameters
    ----------
    data : as for `learn`, but rows are needed.
    folds : number of parts; each is left out once.
    time_limit : seconds for all folds together; where they do not suffice, it is an error.
    seed, n_jobs, kinds, weights, na_values, progress : as for `learn`.
    words : everything else that `learn` takes: model, score, search, penalty, rules, missing, ...

    Returns
    -------
    Validation : prints as a table.
    """
    source = any_table(data, kinds, weights, na_values)
    if isinstance(source, Moments):
        raise FitError("Cross-validation needs the rows of a table, got moments.")
    spec = specify(seed=seed, **words)
    ready = rows_for(spec, source)
    parts = cut(ready.rows, folds, np.random.default_rng(seed))
    with one_thread(source), Progress("validating", time_limit, progress) as watch:
        away, found = inside(n_jobs, watch), None
        with contextlib.suppress(Interrupted):
            learner = Learner(spec, watch=away, tuning_watch=away)
            found = validate_folds(ready, parts, learner, runner(n_jobs, watch))
    if found is not None and not watch.reason:
        return found
    if "Ctrl-C" in watch.reason:
        raise KeyboardInterrupt  # half a cross-validation has no meaning
    raise FitError(f"Not every fold was done in {time_limit:g} s: give more time, or fewer folds.")


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
    time_limit: float | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Pruning:
    """Take the inputs of one variable away one by one, the least missed first (Hofmann and Tresp 1995).

    Parameters
    ----------
    data : as for `learn`.
    target : the variable to predict from all others.
    test : other rows, to be scored by every model on the way; rows with gaps are left out.
    model, score, kinds, weights, na_values, missing, seed, n_jobs, time_limit, progress,
    options : as for `learn`.

    Returns
    -------
    Pruning : the score, and that of the test rows, against the inputs left; prints as a table.

    >>> import arcwise as aw
    >>> homes = aw.example("boston").select(["RM", "DIS", "LSTAT", "MEDV"])
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
