"""The table of edges: one row a pair of variables, present or not, with its strength.

`strength` is (score with the edge - score without it) / rows, the rest of the graph unchanged and any
penalty per arc left out: nats per row. For a pair without an edge it is what the better legal direction
would bring. Without a score (a network made by hand or read from a file without one) it is
-1/2 log(1 - r^2), r the partial correlation of the pair given all others in the fitted joint.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import moves as kernel
from arcwise.conditionals import GaussianConditional
from arcwise.errors import unknown
from arcwise.graphs import DAG, Limits, cpdag
from arcwise.networks import BayesNet
from arcwise.scores import Score
from arcwise.search import Climb

__all__ = ["ALL_PAIRS", "Edge", "EdgeTable", "edge_table", "pack_edges", "unpack_edges"]

ALL_PAIRS = 1000
"""Up to so many variables the table has every pair; beyond, only the edges that are present."""

SAVED_PAIRS = 200
"""Up to so many variables the strengths of all pairs are saved with a network."""

Array = NDArray[np.float64]
Integers = NDArray[np.intp]


class Edge(NamedTuple):
    """One pair of variables.

    `direction` is "first -> second", "second -> first" or "" for no edge; `reversible` means that an
    equivalent graph has the arc the other way round, so data alone cannot tell the direction.
    """

    first: str
    second: str
    present: bool
    direction: str
    reversible: bool
    strength: float
    total: float
    partial_correlation: float
    certainty: float | None = None


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """Edges as columns of arrays; rows are made when asked for.

    `tail` is the number of the parent, or -1 where the pair has no edge. `meaning` says what the
    strength is.
    """

    nodes: tuple[str, ...]
    first: Integers
    second: Integers
    tail: Integers
    reversible: NDArray[np.bool_]
    strength: Array
    partial: Array
    count: float
    meaning: str

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self) -> Iterator[Edge]:
        return (self._row(i) for i in range(len(self)))

    def __getitem__(self, pair: tuple[str, str]) -> Edge:
        """The row of a pair, in either order."""
        for name in pair:
            if name not in self.nodes:
                raise unknown("variable", name, self.nodes)
        a, b = sorted(self.nodes.index(name) for name in pair)
        found = np.flatnonzero((self.first == a) & (self.second == b))
        if not len(found):
            raise unknown("row for the pair", " - ".join(pair), ())
        return self._row(int(found[0]))

    def _row(self, i: int) -> Edge:
        a, b = self.nodes[self.first[i]], self.nodes[self.second[i]]
        present = bool(self.tail[i] >= 0)
        forward = self.tail[i] == self.first[i]
        direction = (f"{a} -> {b}" if forward else f"{b} -> {a}") if present else ""
        strength, partial = float(self.strength[i]), float(self.partial[i])
        reversible = bool(self.reversible[i])
        return Edge(a, b, present, direction, reversible, strength, strength * self.count, partial)

    @property
    def rows(self) -> list[Edge]:
        """All rows."""
        return list(self)

    @property
    def present(self) -> "EdgeTable":
        """Only the pairs with an edge."""
        return self._take(np.flatnonzero(self.tail >= 0))

    @property
    def absent(self) -> "EdgeTable":
        """Only the pairs without one."""
        return self._take(np.flatnonzero(self.tail < 0))

    def where(self, test: Callable[[Edge], bool]) -> "EdgeTable":
        """Only the rows for which `test` is true."""
        return self._take(np.array([i for i, row in enumerate(self) if test(row)], dtype=np.intp))

    def sorted(self, by: str = "strength", descending: bool = True) -> "EdgeTable":
        """Rows in the order of one column: strength, partial_correlation (by size), or names."""
        if by not in ("strength", "total", "partial_correlation", "names"):
            raise unknown("column to sort by", by, ("strength", "partial_correlation", "names"))
        if by == "names":
            return self._take(np.lexsort((self.second, self.first)))
        key = np.abs(self.partial) if by == "partial_correlation" else self.strength
        order = np.argsort(-key if descending else key, kind="stable")
        return self._take(order)

    def _take(self, rows: Integers) -> "EdgeTable":
        columns = ("first", "second", "tail", "reversible", "strength", "partial")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})

    def to_dict(self) -> list[dict[str, Any]]:
        """Rows as plain dictionaries, for JSON."""
        return [row._asdict() for row in self]

    def to_pandas(self) -> Any:
        """Rows as a pandas data frame."""
        import pandas

        return pandas.DataFrame(self.rows, columns=Edge._fields)

    def __str__(self) -> str:
        shown = self.sorted().rows[:40]
        width = max([len(_arrow(row)) for row in shown], default=4)
        lines = [f"{'edge':<{width}}  strength  partial r"]
        for row in shown:
            lines.append(
                f"{_arrow(row):<{width}}  {row.strength:8.4f}  {row.partial_correlation:9.3f}"
            )
        if len(self) > len(shown):
            lines.append(f"... and {len(self) - len(shown)} more rows")
        return "\n".join(lines)


def _arrow(row: Edge) -> str:
    """The pair as a person writes it; ``--`` marks an arc whose direction data cannot tell."""
    if not row.present:
        return f"{row.first}   {row.second}"
    return f"{row.first} -- {row.second}" if row.reversible else row.direction


def edge_table(
    net: BayesNet, score: Score | None = None, limits: Limits | None = None
) -> EdgeTable:
    """Make the table of edges of a directed network.

    Parameters
    ----------
    net : the network.
    score : what strengths are measured by, without penalties; None for the fitted joint alone.
    limits : the rules, which say what is legal for pairs without an edge.

    Returns
    -------
    EdgeTable : every pair up to `ALL_PAIRS` variables, beyond only the edges present.
    """
    graph = net.graph
    first, second, tail = _pairs(graph)
    partial = _partial(net, first, second)
    if score is None:
        strength = -0.5 * np.log1p(-np.minimum(partial**2, 1 - 1e-16))
        count, meaning = float("nan"), "-1/2 log(1 - r^2) of the fitted partial correlation"
    else:
        bounds = Limits.none(score.nodes) if limits is None else limits
        strength = _strengths(Climb(score, graph, bounds), first, second, tail) / score.rows
        count, meaning = score.rows, "score with the edge minus score without it, per row"
    reversible = _reversible(graph, first, second) & _free_to_turn(limits, first, second, tail)
    return EdgeTable(
        graph.nodes, first, second, tail, reversible, strength, partial, count, meaning
    )


def pack_edges(table: EdgeTable) -> dict[str, Any]:
    """Strengths as plain values to be saved with a network, since they need the data.

    Every pair up to `SAVED_PAIRS` variables, beyond only the edges that are present.
    """
    kept = table.present if len(table.nodes) > SAVED_PAIRS else table
    return {
        "first": kept.first.tolist(),
        "second": kept.second.tolist(),
        "strength": kept.strength.tolist(),
        "count": table.count,
        "meaning": table.meaning,
    }


def unpack_edges(net: BayesNet, packed: Mapping[str, Any]) -> EdgeTable | None:
    """The table of edges of a loaded network; None where what was saved does not fit it."""
    try:
        first = np.array(packed["first"], dtype=np.intp)
        second = np.array(packed["second"], dtype=np.intp)
        strength = np.array(packed["strength"], dtype=float)
        count, meaning = float(packed["count"]), str(packed["meaning"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    p = len(net.names)
    fits = first.shape == second.shape == strength.shape and first.ndim == 1
    if not fits or not ((first >= 0) & (first < second) & (second < p)).all():
        return None
    parents = [frozenset(row) for row in net.graph.parents]
    ends = zip(first.tolist(), second.tolist(), strict=True)
    tail = np.array([_tail(parents, a, b) for a, b in ends], dtype=np.intp)
    if (tail >= 0).sum() != net.graph.n_arcs:
        return None
    partial = _partial(net, first, second)
    reversible = _reversible(net.graph, first, second)
    return EdgeTable(net.names, first, second, tail, reversible, strength, partial, count, meaning)


def _tail(parents: Sequence[frozenset[int]], a: int, b: int) -> int:
    return a if a in parents[b] else b if b in parents[a] else -1


def _pairs(graph: DAG) -> tuple[Integers, Integers, Integers]:
    """The pairs of the table, with the parent's number or -1."""
    p = len(graph.nodes)
    arcs = [(t, h) for h, row in enumerate(graph.parents) for t in row]
    if p > ALL_PAIRS:
        ends = np.array([(min(a), max(a), a[0]) for a in sorted(arcs)], dtype=np.intp)
        columns = ends.reshape(-1, 3).T
        return columns[0], columns[1], columns[2]
    first, second = np.triu_indices(p, 1)
    parent = np.full((p, p), -1, dtype=np.intp)
    for t, h in arcs:
        parent[min(t, h), max(t, h)] = t
    return first, second, parent[first, second]


def _strengths(climb: Climb, first: Integers, second: Integers, tail: Integers) -> Array:
    """Loss without a present arc; gain of the better legal direction for an absent one."""
    head = np.where(tail == first, second, first)
    kept = -climb.gains[head, tail]
    out = np.where(tail >= 0, kept, -np.inf)
    for i in np.flatnonzero(tail < 0).tolist():
        a, b = int(first[i]), int(second[i])
        moves = (climb.legal(kernel.ADD, a, b), climb.legal(kernel.ADD, b, a))
        out[i] = max((move.gain for move in moves if move is not None), default=-np.inf)
    return out


def _free_to_turn(
    limits: Limits | None, first: Integers, second: Integers, tail: Integers
) -> NDArray[np.bool_]:
    """Arcs whose opposite the rules allow, too."""
    if limits is None or limits.free:
        return np.ones(len(first), dtype=bool)
    head = np.where(tail == first, second, first)
    masks = [limits.allowed_mask(child) for child in range(len(limits.nodes))]
    ends = zip(tail.tolist(), head.tolist(), strict=True)
    return np.array([t >= 0 and masks[t][h] and t not in limits.required[h] for t, h in ends])


def _reversible(graph: DAG, first: Integers, second: Integers) -> NDArray[np.bool_]:
    """Pairs joined by an undirected edge in the graph's equivalence class."""
    neighbours = [frozenset(row) for row in cpdag(graph).neighbours]
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return np.fromiter((b in neighbours[a] for a, b in pairs), dtype=bool, count=len(first))


def _partial(net: BayesNet, first: Integers, second: Integers) -> Array:
    """Partial correlations of pairs given all others, from K = (I - W)' V^-1 (I - W).

    K_ab = [a = b] / v_a - (w_ba / v_b + w_ab / v_a) + sum over common children c of w_ca w_cb / v_c
    has entries only between neighbours in the moral graph, so it is gathered child by child.
    """
    models = [m for m in net.conditionals if isinstance(m, GaussianConditional)]
    if len(models) < len(net.names):
        return np.full(len(first), np.nan)
    entries: dict[tuple[int, int], float] = defaultdict(float)
    diagonal = np.array([1.0 / model.variance for model in models])
    for child, (parents, model) in enumerate(zip(net.graph.parents, models, strict=True)):
        scaled = model.coefficients / model.variance
        for i, (a, weight) in enumerate(zip(parents, scaled.tolist(), strict=True)):
            entries[min(a, child), max(a, child)] -= weight
            diagonal[a] += weight * model.coefficients[i]
            for b, other in zip(parents[i + 1 :], model.coefficients[i + 1 :], strict=True):
                entries[a, b] += weight * float(other)
    ends = zip(first.tolist(), second.tolist(), strict=True)
    values = np.array([entries.get(pair, 0.0) for pair in ends])
    scale = np.sqrt(diagonal)
    partial: Array = -values / (scale[first] * scale[second])
    return partial
