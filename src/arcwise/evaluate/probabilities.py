"""How sure each edge is, as a table: one row a pair of variables, with the meaning of its numbers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import plural
from arcwise.evaluate.edges import SUPPORTED, EdgeTable, PairRows
from arcwise.frame import Frame, Framed, Series
from arcwise.graphs import DAG, PDAG, Limits, UGraph, cpdag
from arcwise.results import GraphDistribution, draw_errors, of_draws

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

_CLASSES = 500
"""The number of graphs whose classes are made to count compelled arrows."""

_FAINT = 0.005
"""Pairs less probable than this are counted, and not printed."""


class Pair(NamedTuple):
    """One pair of variables.

    `forward` is the probability of the arc from the first to the second, `backward` that of the other
    direction (None in undirected graphs), `adjacent` that of an edge of whatever direction; `error` is the
    Monte-Carlo error of `adjacent`, `forward_error` and `backward_error` those of the arcs.
    """

    first: str
    second: str
    forward: float | None
    backward: float | None
    adjacent: float
    error: float
    forward_error: float | None = None
    backward_error: float | None = None


@dataclass(frozen=True, eq=False)
class PairTable(PairRows[Pair]):
    """Probabilities of edges as columns of arrays; rows are made when asked for.

    `meaning` says what the probabilities are, `prior` the distribution over graphs before the data.
    """

    nodes: tuple[str, ...]
    first: Integers
    second: Integers
    columns: Array
    meaning: str = ""
    prior: str = ""
    directed: bool = True

    def __getitem__(self, pair: tuple[str, str]) -> Pair:
        """The row of a pair, as it is asked for: the first is the one that is named first."""
        row = super().__getitem__(pair)
        return row if row.first == pair[0] else _turned(row)

    def _row(self, i: int) -> Pair:
        forward, backward, adjacent, error, *errors = self.columns[i].tolist()
        names = self.nodes[self.first[i]], self.nodes[self.second[i]]
        if not self.directed:
            return Pair(*names, None, None, adjacent, error)
        return Pair(*names, forward, backward, adjacent, error, *errors)

    def above(self, threshold: float) -> "PairTable":
        """Only the pairs whose edge is more probable than a threshold."""
        return self._take(np.flatnonzero(self.columns[:, 2] > threshold))

    def sorted(self) -> "PairTable":
        """Rows with the most probable edge first."""
        return self._take(np.argsort(-self.columns[:, 2], kind="stable"))

    def _take(self, rows: Integers) -> "PairTable":
        return replace(
            self, first=self.first[rows], second=self.second[rows], columns=self.columns[rows]
        )

    @property
    def frame(self) -> Frame:
        """All pairs with the probabilities of their edge and, in directed graphs, of both arcs."""
        return self._framed(self.rows)

    @property
    def display(self) -> Frame:
        """The pairs that may have an edge, the most probable first, in their more probable direction."""
        likely = self.above(_FAINT).sorted()
        rest = len(self) - len(likely)
        notes = [f"{plural(rest, 'pair')} with less than {_FAINT:g}"] if rest else []
        prior = f"; prior: {self.prior}" if self.prior else ""
        notes.append(f"numbers: {self.meaning}{prior}")
        return replace(likely._framed(map(turned_to_likely, likely)), notes=tuple(notes))

    def _framed(self, rows: Iterable[Pair]) -> Frame:
        columns = zip(Pair._fields, zip(*rows, strict=True) if len(self) else [()] * 8, strict=True)
        return Frame(
            tuple(
                Series(name, values, "6.3f", _HEADS.get(name, name), not name.endswith("d_error"))
                for name, values in columns
                if self.directed or "ward" not in name
            )
        )


_HEADS = {"forward": "->", "backward": "<-", "adjacent": "joined"}


class EdgeShare(NamedTuple):
    """An edge at a penalty, with the share of replicates that have it there."""

    penalty: float
    first: str
    second: str
    probability: float
    error: float


@dataclass(frozen=True, eq=False, repr=False)
class PathCertainty(Framed):
    """How sure edges are at every penalty: one path for each resampled table.

    Parameters
    ----------
    penalties : ascending.
    draws : for each replicate its graphs, one a penalty.
    unit : the penalty's.
    meaning : what the shares are.
    notes : sentences for the reader.
    """

    penalties: tuple[float, ...]
    draws: tuple[tuple[Any, ...], ...]
    unit: str
    meaning: str
    notes: tuple[str, ...] = ()

    def at(self, penalty: float) -> GraphDistribution:
        """The distribution of graphs at a penalty: at the next larger one that was looked at."""
        place = min(int(np.searchsorted(self.penalties, penalty)), len(self.penalties) - 1)
        return of_draws([row[place] for row in self.draws], meaning=self.meaning)

    @cached_property
    def probabilities(self) -> Array:
        """Share of replicates that have each edge (penalties, variables, variables)."""
        return np.stack([self.at(penalty).adjacent for penalty in self.penalties])

    @property
    def rows(self) -> list[EdgeShare]:
        """One row for each penalty and each edge that some replicate has there."""
        names, size, found = self.draws[0][0].nodes, float(len(self.draws)), []
        for place, one, two in np.argwhere(np.triu(self.probabilities) > 0).tolist():
            share = self.probabilities[place, one, two]
            error = float(draw_errors(np.array([share]), size)[0])
            found.append(
                EdgeShare(self.penalties[place], names[one], names[two], float(share), error)
            )
        return found

    @property
    def frame(self) -> Frame:
        """The rows as a long table."""
        rows = self.rows
        return Frame(
            tuple(Series(name, [getattr(row, name) for row in rows]) for name in EdgeShare._fields)
        )

    @property
    def display(self) -> Frame:
        """The shares of each edge at some of the penalties, the most certain edges first."""
        names, most = self.draws[0][0].nodes, np.triu(self.probabilities).max(axis=0)
        pairs = sorted(np.argwhere(most > 0).tolist(), key=lambda pair: -most[pair[0], pair[1]])
        one, two = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        places = np.linspace(0, len(self.penalties) - 1, min(6, len(self.penalties))).astype(int)
        shares = (
            Series(str(k), self.probabilities[k, one, two], "6.3f", f"{self.penalties[k]:6.3g}")
            for k in places
        )
        edges = [f"{names[a]} -- {names[b]}" for a, b in pairs]
        notes = (f"numbers: {self.meaning}; penalties in {self.unit}",)
        return Frame((Series("edge", edges, head="at penalty"), *shares), notes=notes)

    def __repr__(self) -> str:
        return f"<PathCertainty: {len(self.draws)} paths, {len(self.penalties)} penalties>"


def turned_to_likely(row: Pair) -> Pair:
    """A pair in its more probable direction."""
    turn = row.forward is not None and (row.backward or 0.0) > row.forward + 1e-12
    return _turned(row) if turn else row


def _turned(row: Pair) -> Pair:
    return row._replace(
        first=row.second,
        second=row.first,
        forward=row.backward,
        backward=row.forward,
        forward_error=row.backward_error,
        backward_error=row.forward_error,
    )


def with_certainty(
    table: EdgeTable, found: GraphDistribution, limits: Limits | None = None
) -> EdgeTable:
    """A table of edges with how sure each is, and what that number means.

    `limits` are the rules in force, which compel directions, too.
    """
    first, second = table.first, table.second
    columns = {
        "certainty": found.adjacent[first, second],
        "certainty_error": found.adjacent_errors[first, second],
    }
    if found.directed and table.directed:
        other = np.where(table.tail == first, second, first)
        ways = found.arcs[np.maximum(table.tail, 0), other]
        columns["direction_certainty"] = np.where(table.tail >= 0, ways, np.nan)
        compelled = compelled_shares(found, limits)[np.maximum(table.tail, 0), other]
        columns["direction_support"] = np.where(table.tail >= 0, compelled, np.nan)
    meaning = found.meaning if not found.prior else f"{found.meaning}, prior {found.prior}"
    sure = replace(table.with_columns(**columns), certainty_meaning=meaning)
    return replace(sure, heads=supported_heads(sure))


def supported_heads(table: EdgeTable) -> NDArray[np.bool_]:
    """Which arrows have a head: compelled ones that at least half of the graphs support."""
    support = table.more.get("direction_support")
    if support is None:
        return ~table.reversible
    return ~table.reversible & (np.nan_to_num(support) >= SUPPORTED)


def supported_graph(found: GraphDistribution, limits: Limits | None = None) -> DAG | UGraph | PDAG:
    """The best graph; edges whose direction is not compelled, or too rarely, are undirected."""
    best = found.best
    if not isinstance(best, DAG):
        return best
    shares, essential = compelled_shares(found, limits), cpdag(best, limits)
    pairs = [(tail, head) for head, row in enumerate(best.parents) for tail in row]
    heads = [t in essential.parents[h] and shares[t, h] >= SUPPORTED for t, h in pairs]
    arcs = [pair for pair, head in zip(pairs, heads, strict=True) if head]
    edges = [pair for pair, head in zip(pairs, heads, strict=True) if not head]
    return PDAG.from_edges(arcs, edges, best.nodes) if edges else best


def compelled_shares(found: GraphDistribution, limits: Limits | None = None) -> Array:
    """The share of graphs whose equivalence class compels the arc from each variable to each other.

        >>> from arcwise.frame import Series, Frame, Framed
    from arcwise.graphs import DAG
        >>> from arcwise.results import of_draws
        >>> collider, chain = DAG.from_arcs(["a -> b", "c -> b"]), DAG.from_arcs(["a -> b", "b -> c"])
        >>> compelled_shares(of_draws([collider, chain], meaning="bootstrap frequency")).tolist()
        [[0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 0.5, 0.0]]
    """
    shares = np.zeros((len(found.nodes),) * 2)
    chosen = found.some(_CLASSES)
    for graph, weight in zip(chosen.graphs, chosen.shares, strict=True):
        if isinstance(graph, DAG):
            for head, row in enumerate(cpdag(graph, limits).parents):
                shares[list(row), head] += weight
    return shares


def pair_table(found: GraphDistribution) -> PairTable:
    """The table of a distribution over graphs: every pair of variables."""
    first, second = np.triu_indices(len(found.nodes), 1)
    columns = [
        found.arcs[first, second],
        found.arcs[second, first],
        found.adjacent[first, second],
        found.adjacent_errors[first, second],
        found.arc_errors[first, second],
        found.arc_errors[second, first],
    ]
    return PairTable(
        found.nodes,
        first,
        second,
        np.column_stack(columns),
        found.meaning,
        found.prior,
        found.directed,
    )
