"""The table of edges as a value: one row a pair of variables, joined or not, with its strength.

Directed and undirected networks have the same table. In a directed one an edge has a direction; in
an undirected one it has two sides, the local models of its two ends, and the strength is that of the
side where the edge counts for more. See `strengths` for their definition.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError, plural, unknown
from arcwise.frame import Frame, Framed, Series
from arcwise.graphs import DAG, PDAG, UGraph
from arcwise.notes import Note

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

_OPTIONAL = (
    "first_side", "second_side", "refit_loss", "certainty_error", "direction_certainty", "direction_support",
    "reversal_loss",
)  # fmt: skip

_ARROW = ("reversible", "head")  # of edges with a direction

SUPPORTED = 0.5
"""The share of graphs that must compel an arrow for its head to be drawn."""

SHAPED_LOSS, SHAPED_SHARE = 4.0, 0.9
"""Nats that the reversal of an arrow must lose, and the share of the graphs with this edge that must have the
arrow, for a head by the shape of the local models. All 44 such arrows of 32 simulated tables were right, and
96 % of 254 compelled ones."""


CERTAINTY = (
    "reversal_loss", "certainty", "certainty_error", "direction_certainty", "direction_support",
)  # fmt: skip
"""Columns of certainty, by the name of their field in `Edge`."""

Row = TypeVar("Row")


class PairRows(Framed, Generic[Row]):
    """What tables with one row a pair of variables share: columns are arrays, rows are made on demand."""

    nodes: tuple[str, ...]
    first: Integers
    second: Integers

    @abstractmethod
    def _row(self, i: int) -> Row:
        """Return the row of a pair by its number."""

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self) -> Iterator[Row]:
        return (self._row(i) for i in range(len(self)))

    def __getitem__(self, pair: tuple[str, str]) -> Row:
        """Return the row of a pair, in either order."""
        if isinstance(pair, str) or len(pair) != 2:
            one, two = self.nodes[:2]
            raise OptionError(
                f"Edges must be indexed by two names, as in edges[{one!r}, {two!r}], got {pair!r}."
            )
        for name in pair:
            if name not in self.nodes:
                raise unknown("variable", name, self.nodes)
        a, b = sorted(self.nodes.index(name) for name in pair)
        matches = np.flatnonzero((self.first == a) & (self.second == b))
        if not len(matches):
            raise unknown("row for the pair", " - ".join(pair), ())
        return self._row(int(matches[0]))

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        return list(self)


class Edge(NamedTuple):
    """One pair of variables.

    `direction` is "first -> second", "second -> first", or "" where there is no edge or where edges
    have no direction; `reversible` means that an equivalent graph has the arc the other way round, so data
    alone do not determine the direction. `sign` is that of the effect in the model of the child, its other
    parents held fixed: 1, -1, or 0 if there is none (`effects`); without directions it is that of the partial
    correlation; `reversal_loss` are the nats that the best equivalent graph with the arrow reversed loses, if
    equivalent graphs differ by the shape of their local models (see `head_origin`); `refit_loss`, where it
    was requested, what the likelihood loses per row without the edge when all others are fitted again. Where
    an undirected graph was found by a score, `first_side` is what the edge does for the local model of
    `first`, `second_side` for that of `second`; `strength` is the larger. `certainty` is the probability of
    an edge between the two, as the table's `certainty_meaning` says, `certainty_error` its Monte-Carlo error,
    `direction_certainty` the probability of the arc as it is, where an edge without a direction counts half
    each way; `direction_support` the share of graphs whose equivalence class compels the arc as it is. `head`
    says whether the arrow has a head in print and in figures: in a learned graph where it is compelled and,
    if certainty is known, has a support of at least one half; in a graph that was given, always.
    """

    first: str
    second: str
    present: bool
    direction: str
    reversible: bool
    strength: float
    total: float
    partial_correlation: float
    sign: int = 0
    certainty: float | None = None
    certainty_error: float | None = None
    direction_certainty: float | None = None
    refit_loss: float | None = None
    first_side: float | None = None
    second_side: float | None = None
    direction_support: float | None = None
    reversal_loss: float | None = None
    head: bool = True
    form: str = ""

    def _repr_html_(self) -> str:
        values = {"edge": self.shown, **self.attributes}
        return Frame(tuple(Series(name, [value]) for name, value in values.items())).to_html()

    @property
    def attributes(self) -> dict[str, Any]:
        """Return what is known of the edge, by name, without its ends and without what is missing."""
        values = self._asdict().items()
        ends = ("first", "second", "present", "direction", *(() if self.direction else _ARROW))
        return {
            name: x for name, x in values if name not in ends and x not in (None, "") and x == x
        }

    @property
    def head_origin(self) -> str:
        """Why the arrow has a head: "class" (equivalent graphs have it), "shape" (of local models), or ""."""
        if not self.direction or not self.head:
            return ""
        return "shape" if self.reversible else "class"

    @property
    def shown(self) -> str:
        """The pair as a person writes it; ``--`` joins a pair whose arrow has no head."""
        if not self.present:
            return f"{self.first}   {self.second}"
        one_way = self.direction and self.head
        return self.direction if one_way else f"{self.first} -- {self.second}"


@dataclass(frozen=True, eq=False)
class EdgeTable(PairRows[Edge]):
    """Edges as columns of arrays; rows are made when requested.

    `joined` marks the pairs that have an edge; `tail` is the number of the parent, or -1 if there
    is none. `meaning` says what the strength is. `more` are columns that not every table has, by the name
    of their field in `Edge`: `first_side` and `second_side`, the strengths at the two ends, where an
    undirected graph was found by a score; `refit_loss` where it was requested; `certainty`,
    `certainty_error`, `direction_certainty` and `direction_support` if known, with their
    `certainty_meaning`. `heads` marks the arrows that have a head, by default those that are compelled;
    `unchecked` says why their support is not known. `forms` are those of the local model of each variable, if
    it was chosen among several. `signs` are those of the effects, by default none.
    """

    nodes: tuple[str, ...]
    first: Integers
    second: Integers
    joined: NDArray[np.bool_]
    tail: Integers
    reversible: NDArray[np.bool_]
    partial: Array
    strength: Array
    count: float = float("nan")
    meaning: str = ""
    directed: bool = True
    more: Mapping[str, Array] = field(default_factory=dict)
    certainty_meaning: str = ""
    heads: NDArray[np.bool_] | None = None
    unchecked: Note | None = None
    signs: NDArray[np.int8] | None = None
    forms: tuple[str, ...] = ()

    def _row(self, i: int) -> Edge:
        a, b = self.nodes[self.first[i]], self.nodes[self.second[i]]
        direction = ""
        if self.tail[i] >= 0:
            direction = f"{a} -> {b}" if self.tail[i] == self.first[i] else f"{b} -> {a}"
        strength = float(self.strength[i])
        return Edge(
            a,
            b,
            bool(self.joined[i]),
            direction,
            bool(self.reversible[i]),
            strength,
            strength * self.count,
            float(self.partial[i]),
            int(self._signs[i]),
            head=bool(self.tail[i] >= 0 and self._heads[i]),
            form=self._form(i),
            **{name: _value(name, float(column[i])) for name, column in self.more.items()},
        )

    def _form(self, i: int) -> str:
        """Return the form of the model of the child."""
        tail = self.tail[i]
        if tail < 0 or not self.forms:
            return ""
        child = self.second[i] if tail == self.first[i] else self.first[i]
        return str(self.forms[child])

    def _summary(self) -> str:
        pairs = plural(len(self), "pair")
        return f"{pairs} of {len(self.nodes)} variables, {int(self.joined.sum())} adjacent"

    @property
    def _heads(self) -> NDArray[np.bool_]:
        return ~self.reversible if self.heads is None else self.heads

    @property
    def _signs(self) -> NDArray[np.int8]:
        return np.zeros(len(self.first), np.int8) if self.signs is None else self.signs

    def drawn(self, graph: DAG | UGraph) -> DAG | UGraph | PDAG:
        """Return a graph with these edges as it is drawn: those whose arrow has no head are undirected."""
        plain = ~self._heads & self.joined
        if graph.directed is False or not plain.any():
            return graph
        free = {
            frozenset((self.nodes[a], self.nodes[b]))
            for a, b in zip(self.first[plain], self.second[plain], strict=True)
        }
        arcs = [arc for arc in graph.arcs if frozenset(arc) not in free]
        edges = [arc for arc in graph.arcs if frozenset(arc) in free]
        return PDAG.from_edges(arcs, edges, graph.nodes)

    def with_columns(self, **columns: Array) -> "EdgeTable":
        """Return the same with further columns, by the name of their field in `Edge`."""
        for name in columns:
            if name not in Edge._field_defaults:
                raise unknown("column of edges", name, Edge._field_defaults)
        return replace(self, more={**self.more, **columns})

    @property
    def sides(self) -> Array | None:
        """Return the strengths at the two ends (pairs, 2); None if there are none."""
        if "first_side" not in self.more:
            return None
        return np.column_stack([self.more["first_side"], self.more["second_side"]])

    @property
    def present(self) -> "EdgeTable":
        """Return only the pairs with an edge."""
        return self._take(np.flatnonzero(self.joined))

    @property
    def absent(self) -> "EdgeTable":
        """Return only the pairs without one."""
        return self._take(np.flatnonzero(~self.joined))

    def where(self, test: Callable[[Edge], bool]) -> "EdgeTable":
        """Return only the rows for which `test` is true."""
        return self._take(np.array([i for i, row in enumerate(self) if test(row)], dtype=np.intp))

    def sorted(self, by: str = "strength", descending: bool = True) -> "EdgeTable":
        """Return the rows in the order of a column: strength, partial_correlation (by size), names, or
        one of `more`.
        """
        if by == "names":
            return self._take(np.lexsort((self.second, self.first)))
        if by == "refit_loss" and by not in self.more:
            raise OptionError(
                "This table has no refit_loss to sort by: use the table of net.refit_losses()."
            )
        keys = {"strength": self.strength, "total": self.strength, **self.more}
        keys["partial_correlation"] = np.abs(self.partial)
        if by not in keys:
            raise unknown("column to sort by", by, [*keys, "refit_loss", "names"])
        return self._take(np.argsort(-keys[by] if descending else keys[by], kind="stable"))

    def _take(self, rows: Integers) -> "EdgeTable":
        columns = ("first", "second", "joined", "tail", "reversible", "partial", "strength")
        values = {name: getattr(self, name)[rows] for name in columns}
        more = {name: c[rows] for name, c in self.more.items()}
        return replace(self, **values, more=more, heads=self._heads[rows], signs=self._signs[rows])

    @property
    def frame(self) -> Frame:
        """All pairs with all that is known of them; `certainty` is there even if it is not known."""
        rows = self.rows
        absent = set(_OPTIONAL) - set(self.more) | (set() if self.directed else {"head"})
        absent |= set() if any(self.forms) else {"form"}
        names_known = [
            name for name in Edge._fields if name not in {"certainty", *self.more, *absent}
        ]
        names = [
            *names_known,
            *(self.more if "certainty" in self.more else ["certainty", *self.more]),
        ]
        columns = (
            Series(name, [getattr(row, name) for row in rows], *self._print(name)) for name in names
        )
        return Frame((Series("edge", [row.shown for row in rows]), *columns))

    @property
    def display(self) -> Frame:
        """The edges, and the pairs whose strength is not zero, the strongest first."""
        strongest = self._take(np.flatnonzero(self.joined | (np.nan_to_num(self.strength) != 0)))
        rest = len(self) - len(strongest)
        notes = [f"{plural(rest, 'pair')} without an edge"] if rest else []
        notes += [f"certainty: {self.certainty_meaning}"] if self.certainty_meaning else []
        notes += [f"certainty: none, {self.unchecked}"] if self.unchecked else []
        return replace(strongest.sorted().frame, notes=tuple(notes))

    def _print(self, name: str) -> tuple[str, str, bool]:
        """How a column is printed: its numbers, its heading, and whether it is."""
        spec, head = _PRINT.get(name, (".4f", name.replace("_", " ")))
        is_printed = name in ("strength", "form") or name in self.more
        if name == "partial_correlation":
            is_printed = bool(np.isfinite(self.partial).any())
        if name == "direction_certainty":
            is_printed = "direction_support" not in self.more
        return spec, head, is_printed


_PRINT = {
    "partial_correlation": (".3f", "partial r"),
    "certainty": (".2f", "certainty"),
    "certainty_error": (".2f", "error"),
    "direction_certainty": (".2f", "direction"),
    "direction_support": (".2f", "direction"),
    "reversal_loss": (".1f", "reversed"),
}


def _value(name: str, value: float) -> float | None:
    """Return a cell of a column; None for the direction of a pair that has none."""
    of_arrows = name.startswith("direction_") or name == "reversal_loss"
    return None if of_arrows and np.isnan(value) else value
