"""Exact search for the best graph, by dynamic programming over subsets (Silander and Myllymaki 2006).

Every DAG has a sink, a variable without children; without it, the rest is a DAG again. So

    best(W) = max over v in W of best(W - v) + (best local score of v with parents inside W - v),

which needs the best parents inside every set (p 2^(p-1) numbers) and one number for each set (2^p).
The memory is known before the start and is checked against a bound.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import sets as kernel
from arcwise.errors import FitError, GraphError
from arcwise.graphs import DAG, Limits, cpdag, extension
from arcwise.notes import Fix
from arcwise.results import Result, SearchEnd, Watch
from arcwise.scores import Score
from arcwise.scores.score import ALL
from arcwise.search.run import Run

__all__ = ["best_known", "exact", "exact_memory", "mask_of"]

Array = NDArray[np.float64]

# Candidates whose subsets are scored at a time, some tens of milliseconds in closed form; fewer if sets
# are slower.
_PIECE = 18
_LIMIT = 29  # one machine word holds the sets; beyond, memory rules it out anyway
_GIB = 1 << 30


def exact_memory(limits: Limits) -> int:
    """Return the bytes that `exact` needs for these variables and rules."""
    return memory_for([limits.candidates(child) for child in range(len(limits.nodes))])


def memory_for(candidates: Sequence[NDArray[np.intp]]) -> int:
    """Return the bytes that `exact` needs for variables with these candidate parents."""
    return sum(8 << len(row) for row in candidates) + (8 << len(candidates))


def exact(
    score: Score,
    start: DAG | None = None,
    *,
    limits: Limits | None = None,
    memory: float = 8 * _GIB,
    on_step: Watch | None = None,
) -> Result:
    """Return a graph with the best score of all that the rules allow.

    Parameters
    ----------
    score : the score to maximise.
    start : only checked, and returned if the search is stopped early.
    limits : rules bound to the score's columns.
    memory : largest number of bytes to use.
    on_step : called after each variable, and between small batches of local fits if the score is
        slow; returning True ends the search with the start graph.

    Returns
    -------
    Result : `optimal` is True if the search was completed: no graph that the rules allow, and whose
        parent sets all have a score, is better.

    Raises
    ------
    FitError : too many variables for the memory; the message has the required amount.
    """
    run = Run(score, start, limits, on_step)
    run.refuse_condition("exact")
    _check_size(run, memory)
    tables = _tables(run.candidates)
    try:
        for child, table in enumerate(tables):
            _score_subsets(run, child, table)
            if run.tick(f"{child + 1} of {run.p} variables", -np.inf, 0):
                raise SearchEnd
        graph = run.graph(_assemble(run, tables, run.check))
    except SearchEnd:
        return run.result(run.start)
    value = run.total(graph)
    if score.equivalent and run.limits.free:
        graph, value = _representative(run, graph, value)
    run.add("optimum", value, sum(map(len, graph.parents)))
    return run.result(graph, score=value, optimal=True)


def _tables(candidates: Sequence[NDArray[np.intp]]) -> list[Array]:
    """Return an array for each variable with an entry for each subset of its candidates; all are views
    of one array.
    """
    sizes = [1 << len(row) for row in candidates]
    return np.split(np.full(sum(sizes), -np.inf), np.cumsum(sizes)[:-1])


def best_known(scored: Sequence[Mapping[tuple[int, ...], float]], run: Run) -> tuple[DAG, float]:
    """Return the best graph whose parent sets are all among known ones, and its score.

    Parameters
    ----------
    scored : local scores by parent set, for each child; those that the rules forbid are ignored.
    run : the run, with rules that some graph of known sets must obey.
    """
    limits, tables = run.limits, _tables(run.candidates)
    for child, table in enumerate(tables):
        bits = {c: 1 << bit for bit, c in enumerate(run.candidates[child].tolist())}
        required = set(limits.required[child])
        for parents, value in scored[child].items():
            if limits.allows(child, parents):
                table[sum(bits[x] for x in parents if x not in required)] = value
    best = _assemble(run, tables)
    return run.graph(best), sum(scored[child][row] for child, row in enumerate(best))


def _representative(run: Run, graph: DAG, value: float) -> tuple[DAG, float]:
    """Return the representative of a graph's class with its score, independent of rounding, unless it is
    worse.

    Members have equal scores except for columns that determine each other, whose variances are at their
    floors.
    """
    member = extension(cpdag(graph))
    score = run.total(member)
    return (member, score) if score >= value - run.least else (graph, value)


def _check_size(run: Run, memory: float) -> None:
    p = run.p
    if p > _LIMIT:
        raise FitError(
            f"The exact search takes at most {_LIMIT} variables, got {p}: use {{search=}}.",
            fixes=[Fix("search", "auto")],
        )
    size = memory_for(run.candidates)
    if size > memory:
        raise FitError(
            f"The exact search over {p} variables needs {size / _GIB:.1f} GiB and may use "
            f"{memory / _GIB:.1f} GiB: use {{search=}}, fewer variables, or rules that forbid "
            "parents (a bound on their number does not help).",
            fixes=[Fix("search", "auto")],
        )


def _score_subsets(run: Run, child: int, table: Array) -> None:
    """Write the local score of `child` with each subset of its candidates as parents.

    Masks that agree in their upper bits are scored together; the callback is called in between.
    """
    limits, candidates = run.limits, run.candidates[child].tolist()
    piece = max(4, _PIECE - int(np.log2(run.score.work.subset)))
    lower, upper = candidates[:piece], candidates[piece:]
    most = ALL if limits.max_parents is None else limits.max_parents
    for high, part in enumerate(table.reshape(1 << len(upper), -1)):
        if high:
            run.check()
        set_members = (c for bit, c in enumerate(upper) if high >> bit & 1)
        always = tuple(sorted((*limits.required[child], *set_members)))
        part[:] = run.careful.subsets(child, lower, always, most)


def _assemble(
    run: Run, tables: list[Array], check: Callable[[], None] | None = None
) -> list[tuple[int, ...]]:
    """Return the smallest best parents of each variable in the best order; ties by column numbers.

    `tables` have the score of each subset, and then the best score inside each.
    """
    p, limits, slack = run.p, run.limits, run.least
    for table in tables:
        if check is not None:
            check()
        kernel.subset_maxima(table)
    offsets = np.cumsum([0, *map(len, tables)], dtype=np.int64)[:-1]
    candidates = [row.tolist() for row in run.candidates]
    masks = np.array([mask_of(c) for c in candidates], dtype=np.uint64)
    needs = np.array([mask_of(r) for r in limits.required], dtype=np.uint64)
    best, order = kernel.best_order(_join_tables(tables), offsets, masks, needs, check, slack)
    if best == -np.inf:
        raise GraphError("No graph obeys all the rules: loosen them.")
    before: set[int] = set()
    parents: list[tuple[int, ...]] = [()] * p
    for child in order.tolist():
        inside = sum(1 << bit for bit, c in enumerate(candidates[child]) if c in before)
        best_mask = _smallest(tables[child], inside, slack)
        free = [c for bit, c in enumerate(candidates[child]) if best_mask >> bit & 1]
        parents[child] = tuple(sorted([*free, *limits.required[child]]))
        before.add(child)
    return parents


def _join_tables(tables: list[Array]) -> Array:
    """Return the one array that all tables are views of."""
    whole = tables[0].base
    return tables[0] if whole is None else whole


def mask_of(members: Sequence[int]) -> int:
    """Return a set as a bit mask."""
    return sum(1 << member for member in members)


def _smallest(table: Array, inside: int, slack: float) -> int:
    """Return a smallest subset with the same best score: drop bits as long as only rounding is lost."""
    mask = inside
    for bit in range(inside.bit_length()):
        if mask >> bit & 1 and table[mask ^ (1 << bit)] >= table[inside] - slack:
            mask ^= 1 << bit
    return mask
