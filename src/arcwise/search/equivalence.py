"""Greedy equivalence search (GES): steps between classes of equivalent graphs.

Graphs that imply the same independences have equal scores for most criteria, yet a search over graphs
must move among them arc by arc. GES searches over the classes instead. Three phases each
take the best of all steps of their kind as long as the score increases:

- *forward*: an arc is added to some member of the class,
- *backward*: an arc is removed from some member,
- *turning*: an arc of some member is reversed.

Every member of the class is considered, not only one, through the operators Insert(X, Y, T),
Delete(X, Y, H) and Turn(X, Y, C) with every valid set T, H or C. The phases are repeated until none
has a step. With ever more data, forward and backward alone find the true class under a
consistent score (Chickering 2002); the turning phase helps with few data.

Sources: Chickering (2002), Optimal structure identification with greedy search, JMLR 3; Hauser and
Buehlmann (2012), Characterization and greedy learning of interventional Markov equivalence classes,
JMLR 13, for turning and repeating.

Dense graphs. The sets T, H and C are made of cliques among the neighbours of a variable, and a clique
of k has 2^k subsets, each of which costs a row of scores. So `max_clique` bounds the work: all subsets of
cliques of up to this many neighbours are tried, and the default of 12 (4096 subsets, some tens of
milliseconds) is far beyond the cliques of sparse graphs. For a variable with a larger clique, sets are tried
from the smallest size up, at most 2^max_clique of them; the result reports it.

Rules. A class is entered only if one of its members obeys all of them, and a pair with a required
arc stays adjacent; the returned graph obeys them. Rules cost completeness: a good class may be
reachable only through classes that the rules exclude. The largest number of parents is the same in all
members of a class, so a bound on it excludes whole classes.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import graph_moves as kernel
from arcwise.errors import FitError, unknown
from arcwise.graphs import DAG, Limits
from arcwise.results import Result, SearchEnd, Watch
from arcwise.scores import Score
from arcwise.scores.score import Mask
from arcwise.search.run import Run, search_with_restarts

__all__ = ["Phase", "ges", "ges_within"]

Phase = Literal["forward", "backward", "turning"]
PHASES: tuple[Phase, ...] = ("forward", "backward", "turning")
_MAX_CLIQUE = 12  # 4096 subsets

_KINDS = {"forward": kernel.INSERT, "backward": kernel.DELETE, "turning": kernel.TURN}
_WORDS = ("insert", "delete", "turn")
_STOPPED = {
    kernel.DONE: "no step to another class is better",
    kernel.CIRCLE: "revisited an equivalence class: the score is not score-equivalent",
}


def ges(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator | None = None,
    limits: Limits | None = None,
    phases: Sequence[Phase] = PHASES,
    iterate: bool = True,
    max_clique: int | None = _MAX_CLIQUE,
    restarts: int = 0,
    max_steps: int | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Take the best step between equivalence classes until none helps.

    Parameters
    ----------
    score : the score to maximise. Equivalent graphs should have equal scores (`score.equivalent`), as
        with BIC and BGe; otherwise each gain is that of some member of the class, and the scores in the
        trace are only nominal.
    start : graph to start from; the required arcs alone by default.
    rng : random generator of the restarts.
    limits : rules bound to the score's columns.
    phases : the phases, in order.
    iterate : whether to repeat the phases until none has a step.
    max_clique : cliques of up to this many neighbours have every subset tried, larger ones only their
        small subsets (at most 2^max_clique a variable); None for every subset whatever the work.
    restarts : further searches, each from a random graph; the best result counts.
    max_steps : largest number of steps.
    on_step : called with each step, and regularly in between; returning True ends the search with
        the present class.

    Returns
    -------
    Result : a member of the best class (with small numbers first if there is a choice) with its total
        score; the start itself if no step is better.

    Raises
    ------
    FitError, GraphError : rules or start that do not fit the score's variables or each other; a
        negative `max_clique`.
    OptionError : an unknown phase.

    Examples
    --------
    >>> import numpy as np
    >>> from arcwise.conditionals import FAMILIES
    >>> from arcwise.data import Moments
    >>> from arcwise.scores import bic
    >>> cov = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]])
    >>> moments = Moments.given(("a", "b", "c"), 500, np.zeros(3), cov)
    >>> ges(bic(FAMILIES["gaussian"].bind(moments))).graph
    <DAG [a][b][c|a:b]>
    """
    most = _most(max_clique, len(score.nodes))
    run = Run(score, start, limits, on_step, max_steps)
    return search_with_restarts(
        run, lambda inner: _steps(inner, phases, iterate, most), restarts, rng
    )


def _steps(run: Run, phases: Sequence[Phase], iterate: bool, max_clique: int) -> Result:
    """Return the run's steps between classes, from its start."""
    run.refuse_condition("equivalence")
    bounds, careful = run.limits, run.careful
    barred = _barred_parents(bounds)
    mask = None if bounds.free else _needed_parents(barred)
    most = run.p if bounds.max_parents is None else bounds.max_parents

    def sweep(
        children: list[int], bases: list[tuple[int, ...]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        try:
            among = None if mask is None else _needed_toggles(mask[children], bases, most)
            return careful.sweep(children, bases, among)
        except SearchEnd:  # no step is better, and the watcher is asked next
            return np.zeros(len(children)), np.full((len(children), run.p), -np.inf)

    def watch(kind: int, tail: int, head: int, value: float, edges: int) -> bool:
        if kind == kernel.TICK:
            return run.tick("look", value, edges)
        return run.add(_WORDS[kind], value, edges, tail, head)

    parents, before, reason, cut = kernel.ges(
        sweep,
        watch,
        run.start.parents,
        barred,
        bounds.required,
        phases=_numbers(phases),
        iterate=iterate,
        max_parents=most,
        max_clique=max_clique,
        tolerance=run.least,
    )
    graph = run.graph(parents) if run.n_steps else run.start
    after = run.total(graph)
    if not after >= before and run.n_steps:  # only where the score splits classes
        graph, after = run.start, run.total(run.start)
    passed = f"; sets of more than {cut} neighbours were skipped" if cut >= 0 else ""
    return run.result(graph, _STOPPED.get(reason, "") + passed, score=after)


def ges_within(run: Run, graph: DAG, phases: Sequence[Phase] = PHASES) -> tuple[DAG, float]:
    """Return the result of an equivalence search from a graph, and its score, as a step of another search."""
    result = _steps(run.within(graph), phases, True, _most(_MAX_CLIQUE, run.p))
    run.take(result)
    return result.graph, result.score


def _most(max_clique: int | None, p: int) -> int:
    """Return the kernel's bound: no clique has more members than there are variables."""
    if max_clique is not None and max_clique < 0:
        raise FitError(f"max_clique must be a non-negative integer, got {max_clique}.")
    return p if max_clique is None else min(max_clique, p)


def _numbers(phases: Sequence[Phase]) -> list[int]:
    """Return the kernel's numbers of the phases."""
    if isinstance(phases, str) or not phases:
        raise FitError(f"phases must be a list such as ['forward', 'backward'], got {phases!r}.")
    for phase in phases:
        if phase not in _KINDS:
            raise unknown("phase", phase, _KINDS)
    return [_KINDS[phase] for phase in phases]


def _needed_parents(barred: Sequence[tuple[int, ...]]) -> Mask:
    """Mark the parents (columns) of each child that some member of a permitted class may have.

    A class represents all of its members, so a forbidden parent is needed if the opposite arc is free.
    """
    free = np.ones((len(barred), len(barred)), dtype=bool)
    for child, row in enumerate(barred):
        free[child, list(row)] = False
    return free | free.T


def _needed_toggles(mask: Mask, bases: Sequence[tuple[int, ...]], most: int) -> Mask:
    """Return the toggles needed besides bases; for bases at the largest number of parents, only removals."""
    for row, base in zip(mask, bases, strict=True):
        if len(base) >= most:
            row[:] = False
            row[list(base)] = True
    return mask


def _barred_parents(limits: Limits) -> list[tuple[int, ...]]:
    """Return for each column the forbidden parents; a required arc forbids its reversal."""
    rows = [
        set[int]() if limits.barred is None else set(limits.barred[c])
        for c in range(len(limits.nodes))
    ]
    for child, required in enumerate(limits.required):
        for parent in required:
            rows[parent].add(child)
    return [tuple(sorted(row)) for row in rows]
