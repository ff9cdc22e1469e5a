"""Exact posteriors by sums over all graphs: probabilities of arcs, and the log evidence.

With A_v(U) the sum of exp(score(v, S)) over the parent sets S inside U, graphs are enumerated by their sinks
(Robinson 1973; Tian and He 2009),

    R(W) = sum over T in W, not empty, of (-1)^(|T| + 1) R(W - T) prod_{v in T} A_v(W - T),

which takes 3^p terms; the probabilities of all arcs come from the derivatives of log R (Koivisto and Sood
2004 for the order-modular distribution, p 2^p terms, in which a graph counts once for each order that
agrees with it). The tables, of p 2^(p-1) numbers, are known before the start and checked against a bound.

The condition "v has a child" is not a sum over parent sets: graphs in which v has none are subtracted.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import sets as kernel
from arcwise.errors import FitError, GraphError, NoTimeError
from arcwise.graphs import DAG, HasChild, Limits
from arcwise.mcmc.sampler import ORDERS, UNIFORM, bound_limits
from arcwise.notes import Fix
from arcwise.results import SearchEnd, Trail, Watch
from arcwise.scores import Score, total
from arcwise.scores.score import ALL

__all__ = [
    "ExactSums",
    "ScoreTable",
    "Way",
    "choose_way",
    "exact",
    "exact_memory",
    "tabulate_scores",
]

Array = NDArray[np.float64]

_GIB = 1 << 30
_EXACT = 16  # variables up to which sums over all graphs take seconds
_FITS = 20_000  # local fits of a dear score that are worth an exact answer
_TURNING = {"flips": 0.1}  # options of the structure chain: some steps turn arcs
_LIMIT = 26  # one machine word and the kernel; beyond, memory rules it out anyway
# Candidates whose subsets are scored at a time, some tens of milliseconds; fewer if sets are slower.
_PIECE = 18
_LOST = 1e-9  # share of graphs below which a difference of two sums says nothing


def _stopped() -> NoTimeError:
    return NoTimeError(
        "The sums over all graphs were stopped early and have no partial result: allow more time, "
        "or use a sampler ({method=}).",
        fixes=[Fix("method", "mcmc")],
    )


@dataclass(frozen=True)
class ExactSums:
    """The result of the sum over all graphs.

    Parameters
    ----------
    nodes : names of the variables.
    target : the distribution over graphs, as text.
    arcs : (tail, head) probability of each arc.
    log_total : log of the sum over graphs of exp(score), with the target's weight of each graph.
    """

    nodes: tuple[str, ...]
    target: str
    arcs: Array
    log_total: float

    def log_probability(self, score: Score, graph: DAG) -> float:
        """Return the log probability of one graph that obeys the rules, under the uniform target."""
        if self.target != UNIFORM:
            raise FitError("Probabilities of single graphs need the uniform target.")
        return total(score, graph) - self.log_total


class ScoreTable(Score):
    """A table of the local scores of all parent sets.

    `weights` is (p, 2^(p-1)), by masks over the other variables; -inf for forbidden sets.
    """

    lattice = True

    def __init__(self, score: Score, weights: Array) -> None:
        self.nodes, self.rows, self.equivalent = score.nodes, score.rows, score.equivalent
        self.weights = weights

    def many(self, child: int, sets: Sequence[tuple[int, ...]]) -> Array:
        """Return local scores of parent sets."""
        scores: Array = self.weights[child, [_mask(row, child) for row in sets]]
        return scores

    def subsets(
        self, child: int, others: Sequence[int], always: tuple[int, ...] = (), most: int = ALL
    ) -> Array:
        """Return local scores of all subsets of some others."""
        places = _masks(list(others), child)
        scores: Array = self.weights[child, _mask(always, child) + places]
        scores[np.bitwise_count(places) + len(always) > most] = -np.inf
        return scores


def tabulate_scores(
    score: Score,
    limits: Limits | None = None,
    *,
    memory: float = 8 * _GIB,
    on_step: Watch | None = None,
) -> ScoreTable:
    """Return a table of all local scores that the rules allow; parameters and errors as of `exact`."""
    _check_size(len(score.nodes), memory)
    try:
        return ScoreTable(score, _weights(score, bound_limits(score.nodes, limits), Trail(on_step)))
    except SearchEnd:
        raise _stopped() from None


def exact_memory(p: int) -> int:
    """Return the bytes that `exact` needs for this many variables."""
    return 3 * 8 * p * (1 << (p - 1)) + 5 * 8 * (1 << p)


def exact(
    score: Score,
    limits: Limits | None = None,
    *,
    target: str = UNIFORM,
    memory: float = 8 * _GIB,
    on_step: Watch | None = None,
) -> ExactSums:
    """Return the sums over all graphs that the rules allow.

    Parameters
    ----------
    score : local scores, priors over graphs included.
    limits : rules bound to the score's columns; a condition on whole graphs may be one `HasChild`.
    target : `UNIFORM` or `ORDERS`.
    memory : largest number of bytes to use.
    on_step : called after each variable's local scores, and several times a second; True ends it with an
        error.

    Raises
    ------
    FitError : too many variables for the memory, or an unsupported condition.
    NoTimeError : the callback stopped it.
    GraphError : no graph obeys the rules.
    """
    bounds = bound_limits(score.nodes, limits)
    if target not in (UNIFORM, ORDERS):
        raise FitError(f"target must be {UNIFORM!r} or {ORDERS!r}, got {target!r}.")
    _check_size(len(score.nodes), memory)
    condition = bounds.condition
    if condition is not None and not isinstance(condition, HasChild):
        raise FitError(
            "Exact sums support one condition on whole graphs, that a variable has a "
            "child: use a sampler."
        )
    trail, node = Trail(on_step), None if condition is None else condition.node
    try:
        log_total, arcs = _sums(score, bounds, target == ORDERS, node, trail)
    except SearchEnd:
        raise _stopped() from None
    if log_total == -np.inf:
        raise GraphError("No graph obeys all the rules: loosen them.")
    return ExactSums(score.nodes, target, np.clip(arcs, 0.0, 1.0), log_total)


def _check_size(p: int, memory: float) -> None:
    size = exact_memory(p)
    if p > _LIMIT or size > memory:
        raise FitError(
            f"The exact posterior of {p} variables needs {size / _GIB:.3g} GiB and may use "
            f"{memory / _GIB:.3g} GiB (up to {_LIMIT} variables): use a sampler, or fewer "
            "variables."
        )


def _sums(
    score: Score, limits: Limits, orders: bool, node: int | None, trail: Trail
) -> tuple[float, Array]:
    """Return the log of the sum over all graphs, and the share of each arc; of graphs in which `node`
    has a child.
    """
    table = score.weights if isinstance(score, ScoreTable) else None
    weights = _weights(score, limits, trail) if table is None else table
    sums = kernel.dag_posterior(weights, orders=orders, check=_progress_check(trail, len(weights)))
    if node is None or sums.log_total == -np.inf:
        return sums.log_total, sums.arcs
    masks = np.arange(weights.shape[1])
    weights = weights if table is None else weights.copy()
    for child in range(len(weights)):
        if child != node:
            bit = node - (node > child)
            weights[child, masks >> bit & 1 == 1] = -np.inf
    without = kernel.dag_posterior(
        weights, orders=orders, check=_progress_check(trail, len(weights))
    )
    return _less(sums, without)


def _progress_check(trail: Trail, p: int) -> Callable[[], None]:
    """Return a check that reports progress, and raises `SearchEnd` if the callback stops it."""
    times, whole = count(1), kernel.slices(p)

    def check() -> None:
        share = min(next(times) / whole, 0.99)
        if trail.tick(f"sums over all graphs, {share:.0%}", -np.inf, 0):
            raise SearchEnd

    return check


def _weights(score: Score, limits: Limits, trail: Trail) -> Array:
    """Return (p, 2^(p-1)) local scores by masks over the other variables."""
    p = len(score.nodes)
    table = np.full((p, 1 << (p - 1)), -np.inf)
    careful = score if trail.watch is None else score.interruptible(trail.check)
    for child in range(p):
        _fill(careful, limits, child, table[child], trail)
        if trail.tick(f"{child + 1} of {p} variables", -np.inf, 0):
            raise SearchEnd
    return table


def _fill(score: Score, limits: Limits, child: int, row: Array, trail: Trail) -> None:
    required, free = limits.required[child], limits.candidates(child).tolist()
    most = ALL if limits.max_parents is None else limits.max_parents
    piece = max(4, _PIECE - int(np.log2(score.work.subset)))
    lower, upper = free[:piece], free[piece:]
    places = _masks(lower, child)
    for high in range(1 << len(upper)):
        more = [c for bit, c in enumerate(upper) if high >> bit & 1]
        always = tuple(sorted((*required, *more)))
        if len(always) <= most:
            row[_mask(always, child) + places] = score.subsets(child, lower, always, most)
            trail.check()


def _mask(members: Iterable[int], child: int) -> int:
    """Return a set of others of a child as a mask over them."""
    return sum(1 << (u - (u > child)) for u in members)


def _masks(candidates: list[int], child: int) -> NDArray[np.int64]:
    """Return for each mask over the candidates the mask over all others of the child."""
    places = np.zeros(1, dtype=np.int64)
    for u in candidates:
        places = np.concatenate((places, places + (1 << (u - (u > child)))))
    return places


def _less(sums: kernel.GraphSums, without: kernel.GraphSums) -> tuple[float, Array]:
    """Subtract the graphs in which a variable has no child."""
    share = float(np.exp(without.log_total - sums.log_total))
    if share == 0.0:
        return sums.log_total, sums.arcs
    if 1.0 - share < _LOST:
        raise FitError(
            f"Graphs that meet the condition have less than {_LOST:g} of all probability, and "
            "their sum is lost in rounding: use a sampler."
        )
    shares = (sums.arcs - share * without.arcs) / (1.0 - share)
    return sums.log_total + float(np.log1p(-share)), shares


class Way(NamedTuple):
    """A method, "exact" or a name of `SAMPLERS`, the reason as a sentence, and options of the sampler."""

    word: str
    why: str
    options: dict[str, Any]


def choose_way(score: Score, limits: Limits | None = None, *, memory: float = 8 * _GIB) -> Way:
    """Return exact sums if they take seconds, else partitions; structure MCMC if these are impossible.

    Parameters
    ----------
    score : local scores.
    limits : rules bound to the score's columns.
    memory : bytes that may be used.
    """
    bounds, p = bound_limits(score.nodes, limits), len(score.nodes)
    countable = bounds.condition is None or isinstance(bounds.condition, HasChild)
    few = score.lattice or _fits(bounds) <= _FITS
    if countable and few and p <= _EXACT and exact_memory(p) <= memory:
        return Way("exact", f"all graphs of {p} variables can be summed", {})
    if not countable:
        return Way("structure", "the condition is evaluated per graph", _TURNING)
    if not few:
        return Way(
            "structure", "local models are expensive, and it fits only those it visits", _TURNING
        )
    return Way("partition", f"{p} variables are too many for sums over all graphs", {})


def _fits(limits: Limits) -> int:
    """Return the number of local models of all parent sets."""
    most = len(limits.nodes) if limits.max_parents is None else limits.max_parents
    return sum(
        sum(comb(len(limits.candidates(v)), j) for j in range(most + 1))
        for v in range(len(limits.nodes))
    )
