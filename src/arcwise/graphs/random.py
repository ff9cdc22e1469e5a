"""Random sparse DAGs, for simulations and tests.

Nodes are put in a random order and each pair is joined, earlier to later, independently with the
same probability (Erdos and Renyi 1959). The distances between present pairs in the list of all
pairs are geometric, so only the arcs that are there cost time (Batagelj and Brandes 2005).
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import check_nodes, numbered_names
from arcwise.graphs.rules import Limits


def random_dag(nodes: int | Iterable[str], degree: float, rng: np.random.Generator) -> DAG:
    """Draw a DAG in which a node has on average `degree` neighbours.

    Parameters
    ----------
    nodes : names, or how many (they are then called x1, x2, ..., padded with zeros).
    degree : expected number of parents and children of a node, from 0 to the nodes less one.
    rng : source of randomness.

    Returns
    -------
    DAG with about degree / 2 arcs per node.

    Raises
    ------
    GraphError : a degree that is negative or more than there are other nodes.

    Examples
    --------
    >>> len(random_dag(20_000, 3, np.random.default_rng(1)).nodes)
    20000
    """
    names = numbered_names(nodes) if isinstance(nodes, int) else check_nodes(nodes)
    count = len(names)
    if not 0 <= degree <= max(count - 1, 0):
        raise GraphError(f"The degree must lie between 0 and {max(count - 1, 0)}, got {degree}.")
    order = rng.permutation(count).tolist()
    rows: list[list[int]] = [[] for _ in names]
    for early, late in zip(*_pairs(count, degree / max(count - 1, 1), rng), strict=True):
        rows[order[late]].append(order[early])
    return DAG.unchecked(names, tuple(tuple(sorted(row)) for row in rows))


def _pairs(count: int, probability: float, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Draw the joined pairs (early, late) of ranks."""
    places = _successes(count * (count - 1) // 2, probability, rng)
    # Pair (i, j), i < j, has place j (j - 1) / 2 + i; the square root may be off by one.
    late = ((1 + np.sqrt(1 + 8 * places.astype(np.float64))) / 2).astype(np.int64)
    late -= late * (late - 1) // 2 > places
    late += late * (late + 1) // 2 <= places
    return (places - late * (late - 1) // 2).tolist(), late.tolist()


def _successes(trials: int, probability: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the places of the successes among independent trials, ascending."""
    if probability <= 0 or trials == 0:
        return np.zeros(0, dtype=np.int64)
    found: list[NDArray[np.int64]] = []
    last = -1
    while last < trials:
        # Some more than expected, so that one round nearly always does.
        size = int(1.1 * (trials - last) * probability) + 20
        gaps = np.minimum(rng.geometric(probability, size), trials + 1)
        found.append(last + np.cumsum(gaps))
        last = int(found[-1][-1])
    places = np.concatenate(found)
    return places[places < trials]


def complete_dag(limits: Limits, rng: np.random.Generator) -> DAG:
    """Draw a complete DAG in random order, as far as rules allow.

    Examples
    --------
    >>> complete_dag(Limits.none(["a", "b", "c"]), np.random.default_rng(1)).n_arcs
    3
    """
    place = {node: i for i, node in enumerate(_order(limits, rng))}
    parents = []
    for child in range(len(limits.nodes)):
        required = limits.required[child]
        earlier = [x for x in limits.candidates(child).tolist() if place[x] < place[child]]
        room = len(earlier) if limits.max_parents is None else limits.max_parents - len(required)
        parents.append(tuple(sorted([*required, *earlier[:room]])))
    return DAG(limits.nodes, tuple(parents))


def _order(limits: Limits, rng: np.random.Generator) -> list[int]:
    """A random order in which required parents come first."""
    key = rng.permutation(len(limits.nodes))
    required, placed = limits.start(), list[int]()
    waiting = [len(row) for row in required.parents]
    ready = [v for v, count in enumerate(waiting) if not count]
    while ready:
        node = min(ready, key=lambda v: key[v])
        ready.remove(node)
        placed.append(node)
        for child in required.children[node]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return placed
