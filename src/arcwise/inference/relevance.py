"""What of a network matters for a question.

Once a variable's value is known, its children see a constant: every arc out of a known variable can
be cut, its value put in its place. What is then neither asked, nor known, nor an ancestor of such a
variable integrates to one (it is *barren*), and of the rest only the connected piece around the
question can change the answer. This is the pruning that Bayes-ball finds (Shachter 1998), in linear
time; with everything else known, a question about one variable comes down to its Markov blanket.
"""

from collections.abc import Collection, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs import DAG


def upward(graph: DAG, starts: Iterable[int], known: Collection[int]) -> set[int]:
    """Unknown variables behind the starts, reached by arcs from unknown variables only.

    Parameters
    ----------
    graph : the network's graph.
    starts : where to begin; not part of the answer unless reached.
    known : numbers of the known variables.

    Returns
    -------
    Numbers of the ancestors whose values have to be integrated over.

    >>> sorted(upward(DAG.from_arcs([("a", "b"), ("b", "c"), ("c", "d")]), [3], {1}))
    [2]
    """
    found: set[int] = set()
    stack = list(starts)
    while stack:
        for parent in graph.parents[stack.pop()]:
            if parent not in found and parent not in known:
                found.add(parent)
                stack.append(parent)
    return found


def relevant(graph: DAG, targets: Iterable[int], known: Collection[int]) -> set[int]:
    """Variables whose local models matter for the targets, given what is known.

    Parameters
    ----------
    graph : the network's graph.
    targets : numbers of the variables asked for; none of them known.
    known : numbers of the known variables.

    Returns
    -------
    The targets, the unknown variables to integrate over, and the known ones among their children.

    >>> graph = DAG.from_arcs([("a", "b"), ("b", "c"), ("c", "d")])
    >>> sorted(relevant(graph, [1], {0, 2, 3}))
    [1, 2]
    """
    asked = set(targets)
    hidden = asked | upward(graph, [*asked, *known], known)

    def joined(node: int) -> Iterator[int]:
        yield from (parent for parent in graph.parents[node] if parent in hidden)
        if node in hidden:
            yield from (c for c in graph.children[node] if c in hidden or c in known)

    found, stack = set(asked), list(asked)
    while stack:
        for other in joined(stack.pop()):
            if other not in found:
                found.add(other)
                stack.append(other)
    return found


def patterns(gaps: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.intp], set[int]]]:
    """Groups of rows with the same gaps: the rows' numbers, and the columns they know.

    >>> mask = np.array([[True, False], [False, False], [True, False]])
    >>> [(rows.tolist(), known) for rows, known in patterns(mask)]
    [([1], {0, 1}), ([0, 2], {1})]
    """
    if len(gaps) and (gaps == gaps[:1]).all():
        yield np.arange(len(gaps)), set(np.flatnonzero(~gaps[:1].all(axis=0)).tolist())
        return
    packed = np.packbits(gaps, axis=1)
    _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(group.ravel(), minlength=len(first)))[:-1]
    # Not strict: split makes one (empty) piece of no rows.
    for start, places in zip(first, np.split(order, ends), strict=False):
        yield places, set(np.flatnonzero(~gaps[start]).tolist())
