"""The table of probabilities of edges: one row per pair of variables, with both directions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from arcwise.errors import plural
from arcwise.evaluate.edges import Array, Integers, PairRows
from arcwise.frame import MAX_ROWS, Frame, Series
from arcwise.graphs import DAG, UGraph
from arcwise.results import GraphDistribution

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

    def _repr_html_(self) -> str:
        values = {name: value for name, value in self._asdict().items() if value is not None}
        return Frame(tuple(Series(name, [value]) for name, value in values.items())).to_html()


@dataclass(frozen=True, eq=False)
class PairTable(PairRows[Pair]):
    """Probabilities of edges as columns of arrays; rows are made when requested.

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
        """Return the row of a pair, as it is requested: the first is the one that is named first."""
        row = super().__getitem__(pair)
        return row if row.first == pair[0] else _reverse(row)

    def _row(self, i: int) -> Pair:
        forward, backward, adjacent, error, *errors = self.columns[i].tolist()
        names = self.nodes[self.first[i]], self.nodes[self.second[i]]
        if not self.directed:
            return Pair(*names, None, None, adjacent, error)
        return Pair(*names, forward, backward, adjacent, error, *errors)

    def _summary(self) -> str:
        return f"{plural(len(self), 'pair')} of {len(self.nodes)} variables, {self.meaning}"

    def above(self, threshold: float) -> "PairTable":
        """Return only the pairs whose edge is more probable than a threshold."""
        return self._take(np.flatnonzero(self.columns[:, 2] > threshold))

    def sorted(self) -> "PairTable":
        """Return the rows with the most probable edge first."""
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


_HEADS = {"forward": "->", "backward": "<-", "adjacent": "adjacent"}


def turned_to_likely(row: Pair) -> Pair:
    """Return a pair in its more probable direction."""
    turn = row.forward is not None and (row.backward or 0.0) > row.forward + 1e-12
    return _reverse(row) if turn else row


def _reverse(row: Pair) -> Pair:
    return row._replace(
        first=row.second,
        second=row.first,
        forward=row.backward,
        backward=row.forward,
        forward_error=row.backward_error,
        backward_error=row.forward_error,
    )


def pair_table(distribution: GraphDistribution) -> PairTable:
    """Return the table of a distribution over graphs: every pair of variables."""
    first, second = np.triu_indices(len(distribution.nodes), 1)
    columns = [
        distribution.arcs[first, second],
        distribution.arcs[second, first],
        distribution.adjacent[first, second],
        distribution.adjacent_errors[first, second],
        distribution.arc_errors[first, second],
        distribution.arc_errors[second, first],
    ]
    return PairTable(
        distribution.nodes,
        first,
        second,
        np.column_stack(columns),
        distribution.meaning,
        distribution.prior,
        distribution.directed,
    )


class WeightedGraph(NamedTuple):
    """A graph with its probability; of classes, that of all graphs equivalent to it."""

    graph: DAG | UGraph
    probability: float


class WeightedGraphs(list[WeightedGraph]):
    """Graphs with their probabilities, the most probable first; in notebooks a table."""

    def _repr_html_(self) -> str:
        first_rows = self[:MAX_ROWS]
        graphs = [str(row.graph) for row in first_rows]
        columns = (
            Series("probability", [row.probability for row in first_rows], ".3f"),
            Series("graph", graphs),
        )
        more = f"{plural(len(self), 'graph')}, the first {len(first_rows)}" * (
            len(self) > len(first_rows)
        )
        return Frame(columns, title=more).to_html()
