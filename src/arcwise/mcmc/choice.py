"""Which way to a posterior over graphs suits a problem."""

from math import comb
from typing import Any, NamedTuple

from arcwise.graphs import HasChild, Limits
from arcwise.mcmc.base import bound
from arcwise.mcmc.graph_sums import exact_memory
from arcwise.scores import Score

__all__ = ["Choice", "choose"]

_EXACT = 16  # variables up to which sums over all graphs take seconds
_FITS = 20_000  # local fits of a dear score that are worth an exact answer
_GIB = 1 << 30
_TURNING = {"flips": 0.1}  # options of the structure chain: some steps turn arcs


class Choice(NamedTuple):
    """A way, "exact" or a word of `SAMPLERS`, why in a sentence, and options of the sampler."""

    word: str
    why: str
    options: dict[str, Any]


def choose(score: Score, limits: Limits | None = None, *, memory: float = 8 * _GIB) -> Choice:
    """Exact sums where they take seconds, else partitions; graphs one by one where these cannot be had.

    Parameters
    ----------
    score : local scores.
    limits : rules bound to the score's columns.
    memory : bytes that may be used.
    """
    bounds, p = bound(score.nodes, limits), len(score.nodes)
    countable = bounds.condition is None or isinstance(bounds.condition, HasChild)
    few = score.lattice or _fits(bounds) <= _FITS
    if countable and few and p <= _EXACT and exact_memory(p) <= memory:
        return Choice("exact", f"all graphs of {p} variables can be summed", {})
    if not countable:
        return Choice("structure", "the condition has to be asked graph by graph", _TURNING)
    if not few:
        return Choice(
            "structure", "local models are dear, and it fits only those it meets", _TURNING
        )
    return Choice("partition", f"{p} variables are too many for sums over all graphs", {})


def _fits(limits: Limits) -> int:
    """How many local models all parent sets are."""
    most = len(limits.nodes) if limits.max_parents is None else limits.max_parents
    return sum(
        sum(comb(len(limits.candidates(v)), j) for j in range(most + 1))
        for v in range(len(limits.nodes))
    )
