"""Cross-validation of a choice of words."""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.api.learning import Plan, plan, settled
from arcwise.api.parallel import inside, one_thread, runner
from arcwise.api.progress import Progress
from arcwise.api.recipe import rows_for
from arcwise.data import Moments, Table
from arcwise.data import folds as cut
from arcwise.errors import FitError
from arcwise.evaluate import Validation, validate_folds
from arcwise.networks import Net
from arcwise.results import Interrupted, Trail, Watch

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
    missing: Iterable[object] = (),
    progress: bool | None = None,
    **words: Any,
) -> Validation:
    """Cross-validate a choice of words: held-out likelihood and prediction errors.

    Parameters
    ----------
    data : as for `learn`, but rows are needed.
    folds : number of parts; each is left out once.
    time : seconds for all folds together; where they do not suffice, it is an error.
    seed, n_jobs, kinds, weights, missing, progress : as for `learn`.
    words : everything else that `learn` takes: model, score, search, penalty, rules, ...

    Returns
    -------
    Validation : prints as a table.
    """
    source = settled(data, kinds, weights, missing)
    if isinstance(source, Moments):
        raise FitError("Cross-validation needs the rows of a table, but moments were given.")
    chosen = plan(seed=seed, **words)
    ready = rows_for(chosen.recipe, source)
    parts = cut(ready.rows, folds, np.random.default_rng(seed))
    with one_thread(source), Progress("validating", time, progress) as watch:
        learner, found = _Learner(chosen, inside(n_jobs, watch)), None
        with contextlib.suppress(Interrupted):
            found = validate_folds(ready, parts, learner, runner(n_jobs, watch))
    if found is not None and not watch.reason:
        return found
    if "Ctrl-C" in watch.reason:
        raise KeyboardInterrupt  # half a cross-validation has no meaning
    raise FitError(f"Not every fold was done in {time:g} s: give more time, or fewer folds.")


@dataclass(frozen=True)
class _Learner:
    """A plan as a learner; a network that was cut short is not worth judging, and ends all."""

    plan: Plan
    watch: Watch | None

    def __call__(self, training: Table) -> Net:
        net = self.plan.run(training, self.watch, self.watch)[0].net
        Trail(self.watch).check()
        return net
