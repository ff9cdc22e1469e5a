"""Which way to a posterior over graphs suits a problem."""

from math import comb
from typing import NamedTuple

from arcwise.graphs import HasChild, Limits
from arcwise.mcmc.base import bound
from arcwise.mcmc.exact import exact_memory
from arcwise.scores import Score

__all__ = ["Choice", "choose"]

_EXACT = 16  # variables up to which sums over all graphs take seconds
_FITS = 20_000  # local fits of a dear score that are worth an exact answer
_GIB = 1 << 30


class Choice(NamedTuple):
    """A way, "exact" or a word of `SAMPLERS`, and why in a sentence."""

    word: str
    why: str


def choose(score: Score, limits: Limits | None = None, *, memory: float = 8 * _GIB) -> Choice:
    """Exact sums where they take seconds, else partitions.

    Parameters
    ----------
    score : local scores.
    limits : rules bound to the score's columns.
    memory : bytes that may be used.
    """
    bounds, p = bound(score.nodes, limits), len(score.nodes)
    countable = bounds.condition is None or isinstance(bounds.condition, HasChild)
    if not countable:
        return Choice("structure", "the condition on graphs can only be asked graph by graph")
    if p <= _EXACT and exact_memory(p) <= memory and (score.lattice or _fits(bounds) <= _FITS):
        return Choice("exact", f"all graphs of {p} variables can be summed")
    return Choice("partition", f"{p} variables are too many for sums over all graphs")


def _fits(limits: Limits) -> int:
    """How many local models all parent sets are."""
    most = len(limits.nodes) if limits.max_parents is None else limits.max_parents
    return sum(
        sum(comb(len(limits.candidates(v)), j) for j in range(most + 1))
        for v in range(len(limits.nodes))
    )
