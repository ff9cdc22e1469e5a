r"""One graph that stands for many: the edges whose probability is above a threshold.

The automatic threshold of M. Scutari and R. Nagarajan, "Identifying significant edges in graphical models of
molecular networks", Artificial Intelligence in Medicine 57 (2013): were every edge certain, the distribution
of the probabilities of all pairs would have a step of height t at 0 and the rest at 1. The t that is nearest
to the distribution F that was found minimises

.. math:: L_1(t) = \int_0^1 |F(x) - t| \, dx,

that is, it is the median of F over [0, 1]; a share t of the pairs has no edge, and the threshold is the
smallest probability x with F(x) >= t. Edges have a probability above it.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import WordError
from arcwise.graphs import DAG, Limits, UGraph
from arcwise.graphs.nodes import reach
from arcwise.results import Posterior

Array = NDArray[np.float64]


def inclusion_threshold(probabilities: ArrayLike) -> float:
    """The automatic threshold for probabilities of all pairs.

    >>> inclusion_threshold([0.02, 0.05, 0.1, 0.9, 0.95])
    0.1
    >>> inclusion_threshold([1.0, 1.0])
    0.0
    """
    values = np.sort(np.asarray(probabilities, dtype=float))
    if not len(values):
        return 0.0
    knots = np.concatenate([[0.0], values, [1.0]])
    lengths = np.diff(knots)  # F is k / n on the piece after k values
    heights = np.arange(len(lengths)) / len(values)
    below = np.cumsum(lengths)
    share = float(heights[int(np.searchsorted(below, 0.5))])  # the median of F
    count = round(share * len(values))
    return float(values[count - 1]) if count else 0.0


def threshold_of(posterior: Posterior, threshold: float | str) -> float:
    """A threshold as a number: as given, or the automatic one.

    Raises
    ------
    WordError : neither a share nor "auto".
    """
    if threshold == "auto":
        return inclusion_threshold(posterior.adjacent[np.triu_indices(len(posterior.nodes), 1)])
    number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not number or not 0 <= float(threshold) < 1:
        raise WordError(
            f"The threshold is a probability from 0 to below 1, or 'auto', got {threshold!r}."
        )
    return float(threshold)


def averaged_graph(
    posterior: Posterior, threshold: float, limits: Limits | None = None
) -> tuple[DAG | UGraph, list[tuple[str, str]]]:
    """The graph of all edges whose probability is above a threshold, and the pairs that had to be left out.

    In a directed one each edge has its more probable direction (of equals, that of the most probable graph
    that has it); edges are put in with the most probable direction first, and one that would close a cycle is
    put in the other way round. An edge is left out where rules allow neither.
    """
    if not posterior.directed:
        wanted = (posterior.adjacent > threshold) | _required(posterior, limits)
        np.fill_diagonal(wanted, False)
        rows = tuple(tuple(np.flatnonzero(row).tolist()) for row in wanted)
        return UGraph.unchecked(posterior.nodes, rows), []
    bounds = Limits.none(posterior.nodes) if limits is None else limits
    parents = [set(row) for row in bounds.start().parents]
    left: list[tuple[str, str]] = []
    for tail, head in _by_direction(posterior, threshold):
        if tail in parents[head] or head in parents[tail]:
            continue
        for one, two in ((tail, head), (head, tail)):
            if _fits(parents, one, two, bounds):
                parents[two].add(one)
                break
        else:
            left.append((posterior.nodes[tail], posterior.nodes[head]))
    return DAG(posterior.nodes, tuple(tuple(sorted(row)) for row in parents)), left


def _required(posterior: Posterior, limits: Limits | None) -> NDArray[np.bool_]:
    """Edges that rules ask for."""
    found = np.zeros_like(posterior.adjacent, dtype=bool)
    for node, row in enumerate(() if limits is None else limits.required):
        found[node, list(row)] = found[list(row), node] = True
    return found


def _fits(parents: list[set[int]], tail: int, head: int, limits: Limits) -> bool:
    """Whether an arc may be put in: the rules allow it, and there is no way back."""
    above = reach(parents, [tail])  # type: ignore[arg-type]
    return head not in above and limits.allows(head, tuple(sorted({*parents[head], tail})))


def _by_direction(posterior: Posterior, threshold: float) -> Iterator[tuple[int, int]]:
    """Pairs above the threshold in their more probable direction, the most probable one first."""
    pairs = []
    for a, b in zip(*np.triu_indices(len(posterior.nodes), 1), strict=True):
        if posterior.adjacent[a, b] > threshold:
            forth, back = posterior.arcs[a, b], posterior.arcs[b, a]
            tied = abs(forth - back) <= 1e-12
            forward = _in_best(posterior, int(a), int(b)) if tied else forth > back
            pair = (int(a), int(b)) if forward else (int(b), int(a))
            pairs.append((-max(forth, back), pair))
    return (pair for _, pair in sorted(pairs))


def _in_best(posterior: Posterior, a: int, b: int) -> bool:
    """Whether the most probable graph that joins two variables has the arc from the first."""
    for graph in posterior.graphs:
        if isinstance(graph, DAG) and (a in graph.parents[b] or b in graph.parents[a]):
            return a in graph.parents[b]
    return True
