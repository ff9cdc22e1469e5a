"""One target from fewer and fewer inputs: how many of them matter (TEXTS, T2, fig. 1 right)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from arcwise.api.learning import plan, settled
from arcwise.api.parallel import cores
from arcwise.api.progress import Progress
from arcwise.api.recipe import laid_out
from arcwise.data import conform
from arcwise.errors import DataError, close_to
from arcwise.evaluate.pruning import Pruning, pruning

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
    missing: Iterable[object] = (),
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
    model, score, kinds, weights, missing, seed, n_jobs, time, progress, options : as for `learn`.

    Returns
    -------
    Pruning : the score, and that of the test rows, against the inputs left; prints as a table.

    >>> import arcwise as aw
    >>> homes = aw.shipped("boston").select(["RM", "DIS", "LSTAT", "MEDV"])
    >>> aw.prune(homes, "MEDV", model="gaussian").best.inputs
    ('DIS', 'LSTAT', 'RM')
    """
    source = settled(data, kinds, weights, missing)
    if target not in source.names:
        raise DataError(f"There is no variable {target!r}. {close_to(target, source.names)}")
    recipe = plan(model=model, score=score, penalty=0.0, seed=seed, **options).recipe
    ways = {"auto": pruning}
    bench = laid_out(recipe.but(threads=cores(n_jobs)), source, ways)
    unseen = None if test is None else conform(test, bench.data.variables).complete()
    with Progress("pruning", time, progress) as watch:
        found = pruning(bench.fits, bench.score, bench.data.index(target), unseen, watch)
    return replace(found, stopped=watch.reason) if found.stopped else found
