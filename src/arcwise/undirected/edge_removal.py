"""Markov boundary learning: remove the weakest edge first, from the complete graph on.

For every edge i - j both reduced models, i without j and j without i, are fitted; the
*edge-removal score* is the smaller of the two improvements, plus a penalty per edge. The
edge with the largest score is removed if that is positive, and so on until none is (Hofmann and Tresp
1997). Any score will do: leave-one-out with Parzen windows is theirs.

The penalty adds the same to every edge-removal score, so it changes only the
end of the removals, not their order. One run from the complete graph to the empty one thus gives the graph at
every penalty: the one before the first step whose improvement without penalty is -penalty or less. An edge
that neither side is better for, such as one of a constant column, goes at every penalty, 0 included.
Later steps may cost less again; they are not taken, since the rule stops at the first failure.

The complete graph may be out of reach: tables of counts given all other variables have more cells than rows
to fill them, and models that look at all pairs of rows are expensive with many inputs. `candidates` then says
where to begin instead: each variable takes others in, one at a time, as long as its score rises by more than
the penalty, and an edge is kept for removal if either end took the other (grow and shrink, Margaritis and
Thrun 1999). Those that would make a table too large do not count.
What shows in three variables together but in no pair of them is missed that way.

In the *edge deletion method* every edge is tested given all other variables, each on its own.

All tests start from the complete graph and are independent of each other. So where either of two edges
would do, both look needless and both go; boundary learning, which scores again after each removal,
keeps one of them. The method is here for comparison (Hofmann and Tresp 1997 name it so).
"""

import contextlib
from dataclasses import replace
from itertools import accumulate

import numpy as np

from arcwise.graphs import Limits
from arcwise.notes import Stop
from arcwise.results import Path, Removal, SearchEnd, Trail, Watch
from arcwise.scores import Score
from arcwise.undirected.edge_losses import ROUNDING, UNIT, Losses, bounds_for, rounding_of
from arcwise.undirected.stepwise import descending_order


def boundary(
    score: Score,
    *,
    limits: Limits | None = None,
    until: float | None = None,
    on_step: Watch | None = None,
) -> Path:
    """Remove edges one at a time, the weakest first, until only the required ones are left.

    Parameters
    ----------
    score : the score of local models; every local score is computed once.
    limits : rules bound by `edge_limits`. Directions are ignored: an arc forbidden in one direction
        forbids the edge, a required one keeps it whichever way it runs.
    until : the largest penalty of interest: the run ends once the graph there is known; None for all.
    on_step : called with each step; returning True ends the run with the path so far.

    Returns
    -------
    Path : the graph at every penalty, in nats per edge and row. Where the run was stopped early, `reach`
        says up to which penalty.

    Raises
    ------
    GraphError : limits that make no sense without directions.
    FitError : limits for other variables, or a score that is not a number.

    Examples
    --------
    >>> import numpy as np
    >>> from arcwise.conditionals import GaussianFamily
    >>> from arcwise.data import Table, Variable
    >>> from arcwise.scores import leave_one_out
    >>> rng = np.random.default_rng(1)
    >>> a, noise, c = rng.normal(size=(3, 200))
    >>> table = Table(tuple(map(Variable, "abc")), (a, a + noise, c))
    >>> boundary(leave_one_out(GaussianFamily().bind(table))).at(0.05)
    <UGraph a:b + c>
    """
    bounds = bounds_for(score.nodes, limits)
    trail, state = Trail(on_step), Losses(score, bounds)
    removals: list[Removal] = []
    if state.enter(trail):
        _take_out(state, trail, removals, until)
    whole = not state.free.any()
    end = "only required edges are left" if bounds.required else "no edge is left"
    early = trail.stopped or Stop.converged(
        "every edge left is worth the largest penalty requested"
    )
    return Path.of_removals(
        bounds.largest,
        removals,
        UNIT,
        trace=trail.steps,
        stopped=Stop.converged(end) if whole else early,
        whole=whole,
    )


def candidates(
    score: Score, limits: Limits, penalty: float = 0.0, on_step: Watch | None = None
) -> Limits:
    """Return limits that forbid the pairs of which neither end selects the other by forward selection.

    Parameters
    ----------
    score : the score of local models.
    limits : rules bound by `edge_limits`; required edges are in from the start.
    penalty : least gain of a selected variable, in nats per row.
    on_step : called with each variable, and between local fits if these are slow.

    Raises
    ------
    Interrupted : the callback wants an end.

    Examples
    --------
    >>> import numpy as np
    >>> from arcwise.conditionals import GaussianFamily
    >>> from arcwise.data import Table, Variable
    >>> from arcwise.scores import bic
    >>> a, noise, c = np.random.default_rng(2).normal(size=(3, 200))
    >>> table = Table(tuple(map(Variable, "abc")), (a, a + noise, c))
    >>> found = candidates(bic(GaussianFamily().bind(table)), Limits.none(["a", "b", "c"]))
    >>> [sorted(row) for row in found.barred]
    [[2], [2], [0, 1]]
    """
    bounds, trail = bounds_for(score.nodes, limits), Trail(on_step)
    watched, rise = score.interruptible(trail.check), penalty * score.rows
    p = len(score.nodes)
    selected = [set(row) for row in bounds.smallest.neighbours]
    for node, allowed in enumerate(bounds.largest.neighbours):
        trail.check()
        selected[node].update(_grow(watched, node, allowed, sorted(selected[node]), rise))
        trail.tick(f"{node + 1} of {p} variables", -np.inf, sum(map(len, selected)))
    allowed_rows = [
        row | {other for other in range(p) if node in selected[other]}
        for node, row in enumerate(selected)
    ]
    for node in range(p):
        _shrink(watched, node, allowed_rows, selected[node])
    every = frozenset(range(p))
    return replace(
        limits, barred=tuple(every - row - {node} for node, row in enumerate(allowed_rows))
    )


def _shrink(score: Score, node: int, rows: list[set[int]], selected: set[int]) -> None:
    """Drop neighbours that a variable did not select itself, until its table is small enough.

    The one with the least loss is dropped first.
    """
    while np.isneginf(score.local(node, tuple(sorted(rows[node])))) and rows[node] - selected:
        others = sorted(rows[node] - selected)
        losses = [
            score.local(other, tuple(sorted(rows[other])))
            - score.local(other, tuple(sorted(rows[other] - {node})))
            for other in others
        ]
        finite = np.nan_to_num(losses, nan=-np.inf)
        tied = finite <= finite.min() + rounding_of(score.local(node, ()), score.rows)
        least = others[int(np.argmax(tied))]  # of those that tie the first column
        rows[node].discard(least)
        rows[least].discard(node)


def _grow(
    score: Score, node: int, allowed: tuple[int, ...], neighbours: list[int], rise: float
) -> list[int]:
    """Return the selected neighbours of a variable, the best first, as long as its score increases enough.

    Differences within rounding count as zero.
    """
    current = score.local(node, tuple(neighbours))
    while others := [other for other in allowed if other not in neighbours]:
        scores = score.toggles(node, tuple(neighbours), others)
        least = rounding_of(current, score.rows)
        best = int(np.argmax(scores >= scores.max() - least))  # of those that tie the first column
        if not scores[best] > current + rise + least:
            break
        neighbours, current = sorted([*neighbours, others[best]]), float(scores[best])
    return neighbours


def _take_out(state: Losses, trail: Trail, removals: list[Removal], until: float | None) -> None:
    """Remove the weakest edge repeatedly, until none is removable or weak enough, or the trail stops."""
    price = -np.inf
    while until is None or price < until or price <= 0:
        pair = state.weakest(trail)
        if pair is None:
            return
        losses = state.remove(*pair)
        price = max(price, *losses)
        removals.append(Removal(*pair, losses, price, state.edges))
        if trail.add("remove", state.total, state.edges, *pair):
            return


def deletion(score: Score, *, limits: Limits | None = None, on_step: Watch | None = None) -> Path:
    """Test every edge given all other variables: those weaker than the penalty are removed.

    Parameters
    ----------
    score : the score of local models.
    limits : rules bound by `edge_limits`, as for `boundary`.
    on_step : called with each variable whose models are scored, and between small batches of local fits if
        these are slow; returning True ends the run, and the graph is then known at no penalty.

    Returns
    -------
    Path : the graph at every penalty; its removals are in the order of strength, with the losses of
        both sides in the complete graph.

    Examples
    --------
    >>> import numpy as np
    >>> from arcwise.conditionals import GaussianFamily
    >>> from arcwise.data import Table, Variable
    >>> from arcwise.scores import leave_one_out
    >>> a, noise, c = np.random.default_rng(1).normal(size=(3, 200))
    >>> copies = Table(tuple(map(Variable, "abc")), (a, a, a + noise))
    >>> deletion(leave_one_out(GaussianFamily().bind(copies))).at(0.05)    # a or b would do for c
    <UGraph a:b + c>
    """
    bounds = bounds_for(score.nodes, limits)
    trail = Trail(on_step)
    state = Losses(score.interruptible(trail.check), bounds)
    whole = not state.free.any()
    with contextlib.suppress(SearchEnd):
        whole = (state.enter(trail) and state.fill(trail)) or whole
    return Path.of_removals(
        bounds.largest,
        _by_strength(state) if whole else (),
        UNIT,
        stopped=Stop.converged("every pair was tested") if whole else trail.stopped,
        whole=whole,
    )


def _by_strength(state: Losses) -> list[Removal]:
    """Return all removable edges, weakest first; ties by column numbers."""
    free = [(one, two) for one, two in np.argwhere(state.free).tolist() if one < two]
    losses = [state.sides(*pair) for pair in free]
    order = descending_order(-np.array([max(both) for both in losses]), ROUNDING).tolist()
    prices = accumulate((max(losses[edge]) for edge in order), max)
    return [
        Removal(free[edge][0], free[edge][1], losses[edge], price, state.edges - gone)
        for gone, (edge, price) in enumerate(zip(order, prices, strict=True), 1)
    ]
