"""How sure each edge is, as a table: one row a pair of variables, with the meaning of its numbers."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.evaluate.edges import SUPPORTED, EdgeTable, PairRows
from arcwise.graphs import DAG, PDAG, Limits, UGraph, cpdag
from arcwise.results import Posterior, draw_errors, of_draws

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

_SHOWN = 40
"""More rows than this are not printed."""

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

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns that are there."""
        arcs = {"forward", "backward", "forward_error", "backward_error"}
        return tuple(each for each in Pair._fields if self.directed or each not in arcs)

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

    def __str__(self) -> str:
        shown = self.above(_FAINT).sorted().rows
        pairs = [turned_to_likely(row) for row in shown[:_SHOWN]]
        one = max(map(len, ["first", *(row.first for row in pairs)]))
        two = max(map(len, ["second", *(row.second for row in pairs)]))
        arcs = "      ->      <-" if self.directed else ""
        lines = [f"{'first':<{one}}  {'second':<{two}}{arcs}  joined   error"]
        for row in pairs:
            sides = f"  {row.forward:6.3f}  {row.backward:6.3f}" if self.directed else ""
            numbers = f"{sides}  {row.adjacent:6.3f}  {row.error:6.3f}"
            lines.append(f"{row.first:<{one}}  {row.second:<{two}}{numbers}")
        if len(shown) > len(pairs):
            lines.append(f"... and {len(shown) - len(pairs)} more pairs")
        if rest := len(self) - len(shown):
            lines.append(f"{rest} pair{'s' * (rest != 1)} with less than {_FAINT:g}")
        prior = f"; prior: {self.prior}" if self.prior else ""
        return "\n".join([*lines, f"numbers: {self.meaning}{prior}"])


class EdgeShare(NamedTuple):
    """An edge at a penalty, with the share of replicates that have it there."""

    penalty: float
    first: str
    second: str
    probability: float
    error: float


@dataclass(frozen=True, eq=False, repr=False)
class PathCertainty:
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

    def at(self, penalty: float) -> Posterior:
        """The distribution of graphs at a penalty: at the next larger one that was looked at."""
        place = min(int(np.searchsorted(self.penalties, penalty)), len(self.penalties) - 1)
        return of_draws([row[place] for row in self.draws], meaning=self.meaning)

    @cached_property
    def probabilities(self) -> Array:
        """Share of replicates that have each edge (penalties, variables, variables)."""
        return np.stack([self.at(penalty).adjacent for penalty in self.penalties])

    def rows(self) -> list[EdgeShare]:
        """A long table: one row for each penalty and each edge that some replicate has there."""
        names, size, found = self.draws[0][0].nodes, float(len(self.draws)), []
        for place, one, two in np.argwhere(np.triu(self.probabilities) > 0).tolist():
            share = self.probabilities[place, one, two]
            error = float(draw_errors(np.array([share]), size)[0])
            found.append(
                EdgeShare(self.penalties[place], names[one], names[two], float(share), error)
            )
        return found

    def __repr__(self) -> str:
        return f"<PathCertainty: {len(self.draws)} paths, {len(self.penalties)} penalties>"

    def __str__(self) -> str:
        names, most = self.draws[0][0].nodes, np.triu(self.probabilities).max(axis=0)
        pairs = sorted(np.argwhere(most > 0).tolist(), key=lambda pair: -most[pair[0], pair[1]])
        ends = [f"{names[one]} -- {names[two]}" for one, two in pairs[:_SHOWN]]
        places = np.linspace(0, len(self.penalties) - 1, min(6, len(self.penalties))).astype(int)
        wide = max(map(len, ["at penalty", *ends]))
        lines = [
            "  ".join([f"{'at penalty':<{wide}}", *(f"{self.penalties[k]:6.3g}" for k in places)])
        ]
        for name, (one, two) in zip(ends, pairs, strict=False):
            shares = (f"{self.probabilities[k, one, two]:6.3f}" for k in places)
            lines.append("  ".join([f"{name:<{wide}}", *shares]))
        return "\n".join([*lines, f"numbers: {self.meaning}; penalties in {self.unit}"])


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


def with_certainty(table: EdgeTable, found: Posterior, limits: Limits | None = None) -> EdgeTable:
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


def supported_graph(found: Posterior, limits: Limits | None = None) -> DAG | UGraph | PDAG:
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


def compelled_shares(found: Posterior, limits: Limits | None = None) -> Array:
    """The share of graphs whose equivalence class compels the arc from each variable to each other.

    >>> from arcwise.graphs import DAG
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


def pair_table(found: Posterior) -> PairTable:
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
