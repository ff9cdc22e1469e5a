"""Cross-validation of a choice of words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.api.learning import learn, settled
from arcwise.api.parallel import runner
from arcwise.api.progress import Progress
from arcwise.data import Moments, Table
from arcwise.data import folds as cut
from arcwise.errors import FitError
from arcwise.evaluate import Validation, validate_folds
from arcwise.networks import BayesNet

__all__ = ["validate"]


def validate(
    data: Any,
    *,
    folds: int = 10,
    seed: int = 0,
    n_jobs: int = 1,
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
    seed, n_jobs, kinds, weights, missing, progress : as for `learn`.
    words : everything else that `learn` takes: model, score, search, penalty, rules, ...

    Returns
    -------
    Validation : prints as a table.
    """
    source = settled(data, kinds, weights, missing)
    if isinstance(source, Moments):
        raise FitError("Cross-validation needs the rows of a table, but moments were given.")
    ready = source.continuous().complete()
    parts = cut(ready.rows, folds, np.random.default_rng(seed))
    learner = _Learner({**words, "seed": seed})
    with Progress("validating", None, progress) as watch:
        found = validate_folds(ready, parts, learner, runner(n_jobs, watch))
    if found is None:
        raise KeyboardInterrupt  # half a cross-validation has no meaning
    return found


@dataclass(frozen=True)
class _Learner:
    """`learn` with its words: an object that can be sent to other processes."""

    words: Mapping[str, Any]

    def __call__(self, training: Table) -> BayesNet:
        return learn(training, progress=False, **self.words).net
