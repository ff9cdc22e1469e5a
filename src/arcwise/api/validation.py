"""Cross-validation of a choice of words."""

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from arcwise.api.learning import specify, table_of
from arcwise.api.progress import Progress
from arcwise.data import Moments
from arcwise.data import folds as cut
from arcwise.errors import FitError
from arcwise.evaluate import Validation, validate_folds
from arcwise.learners import Learner, rows_for
from arcwise.learners.parallel import inside, one_thread, runner
from arcwise.results import Interrupted

__all__ = ["validate"]


def validate(
    data: Any,
    *,
    folds: int = 10,
    seed: int = 0,
    n_jobs: int = 1,
    time: float | None = None,
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
    time : seconds for all folds together; where they do not suffice, it is an error.
    seed, n_jobs, kinds, weights, na_values, progress : as for `learn`.
    words : everything else that `learn` takes: model, score, search, penalty, rules, missing, ...

    Returns
    -------
    Validation : prints as a table.
    """
    source = table_of(data, kinds, weights, na_values)
    if isinstance(source, Moments):
        raise FitError("Cross-validation needs the rows of a table, but moments were given.")
    spec = specify(seed=seed, **words)
    ready = rows_for(spec, source)
    parts = cut(ready.rows, folds, np.random.default_rng(seed))
    with one_thread(source), Progress("validating", time, progress) as watch:
        away, found = inside(n_jobs, watch), None
        with contextlib.suppress(Interrupted):
            learner = Learner(spec, watch=away, tuning_watch=away)
            found = validate_folds(ready, parts, learner, runner(n_jobs, watch))
    if found is not None and not watch.reason:
        return found
    if "Ctrl-C" in watch.reason:
        raise KeyboardInterrupt  # half a cross-validation has no meaning
    raise FitError(f"Not every fold was done in {time:g} s: give more time, or fewer folds.")
