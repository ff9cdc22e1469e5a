"""The table of edges as a value: one row a pair of variables, joined or not, with its strength.

Directed and undirected networks have the same table. In a directed one an edge has a direction; in
an undirected one it has two sides, the local models of its two ends, and the strength is that of the
side where the edge counts for more. How strengths are measured is told in `strengths`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import WordError, unknown

__all__ = ["Array", "Edge", "EdgeTable", "Integers"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

# More rows than this are not printed.
_SHOWN = 40


class Edge(NamedTuple):
    """One pair of variables.

    `direction` is "first -> second", "second -> first", or "" where there is no edge or where edges
    have no direction; `reversible` means that an equivalent graph has the arc the other way round, so
    data alone cannot tell the direction. `sign` is that of the partial correlation: 1, -1, or 0 where
    there is none; `refit_loss`, where it was asked for, what the likelihood loses per row without the
    edge when all others are fitted again. Where an undirected graph was found by a score, `first_side` is
    what the edge does for the local model of `first`, `second_side` for that of `second`; `strength` is
    the larger.
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
    refit_loss: float | None = None
    first_side: float | None = None
    second_side: float | None = None

    @property
    def shown(self) -> str:
        """The pair as a person writes it; ``--`` joins a pair whose direction is not known."""
        if not self.present:
            return f"{self.first}   {self.second}"
        one_way = self.direction and not self.reversible
        return self.direction if one_way else f"{self.first} -- {self.second}"


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """Edges as columns of arrays; rows are made when asked for.

    `joined` marks the pairs that have an edge; `tail` is the number of the parent, or -1 where there
    is none. `sides` (pairs, 2) holds the strengths at the two ends in an undirected network and is
    None in a directed one, and where strengths are those of a joint distribution. `losses` after
    refitting are there where they were asked for. `meaning` says what the strength is.
    """

    nodes: tuple[str, ...]
    first: Integers
    second: Integers
    joined: NDArray[np.bool_]
    tail: Integers
    reversible: NDArray[np.bool_]
    partial: Array
    strength: Array
    sides: Array | None = None
    count: float = float("nan")
    meaning: str = ""
    losses: Array | None = None
    directed: bool = True

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
        direction = ""
        if self.tail[i] >= 0:
            direction = f"{a} -> {b}" if self.tail[i] == self.first[i] else f"{b} -> {a}"
        strength = float(self.strength[i])
        one, two = (None, None) if self.sides is None else self.sides[i].tolist()
        return Edge(
            a,
            b,
            bool(self.joined[i]),
            direction,
            bool(self.reversible[i]),
            strength,
            strength * self.count,
            float(self.partial[i]),
            int(np.sign(np.nan_to_num(self.partial[i]))),
            refit_loss=None if self.losses is None else float(self.losses[i]),
            first_side=one,
            second_side=two,
        )

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns; only undirected graphs found by a score have sides."""
        absent = set() if self.sides is not None else {"first_side", "second_side"}
        absent |= set() if self.losses is not None else {"refit_loss"}
        return tuple(name for name in Edge._fields if name not in absent)

    @property
    def rows(self) -> list[Edge]:
        """All rows."""
        return list(self)

    @property
    def present(self) -> "EdgeTable":
        """Only the pairs with an edge."""
        return self._take(np.flatnonzero(self.joined))

    @property
    def absent(self) -> "EdgeTable":
        """Only the pairs without one."""
        return self._take(np.flatnonzero(~self.joined))

    def where(self, test: Callable[[Edge], bool]) -> "EdgeTable":
        """Only the rows for which `test` is true."""
        return self._take(np.array([i for i, row in enumerate(self) if test(row)], dtype=np.intp))

    def sorted(self, by: str = "strength", descending: bool = True) -> "EdgeTable":
        """Rows in the order of one column: strength, partial_correlation (by size), refit_loss, or names."""
        if by not in ("strength", "total", "partial_correlation", "refit_loss", "names"):
            known = ("strength", "partial_correlation", "refit_loss", "names")
            raise unknown("column to sort by", by, known)
        if by == "names":
            return self._take(np.lexsort((self.second, self.first)))
        key = np.abs(self.partial) if by == "partial_correlation" else self.strength
        if by == "refit_loss":
            key = self._after_refitting()
        order = np.argsort(-key if descending else key, kind="stable")
        return self._take(order)

    def _after_refitting(self) -> Array:
        if self.losses is None:
            raise WordError(
                "There is no refit_loss here to sort by: refit_losses() of a network gives a table with it."
            )
        return self.losses

    def _take(self, rows: Integers) -> "EdgeTable":
        columns = ("first", "second", "joined", "tail", "reversible", "partial", "strength")
        taken = {name: getattr(self, name)[rows] for name in columns}
        for name in ("sides", "losses"):
            column = getattr(self, name)
            taken[name] = None if column is None else column[rows]
        return replace(self, **taken)

    def to_dict(self) -> list[dict[str, Any]]:
        """Rows as plain dictionaries, for JSON."""
        return [{name: getattr(row, name) for name in self.fields} for row in self]

    def to_pandas(self) -> Any:
        """Rows as a pandas data frame."""
        import pandas

        return pandas.DataFrame(self.to_dict(), columns=list(self.fields))

    def __str__(self) -> str:
        worth = self._take(np.flatnonzero(self.joined | (np.nan_to_num(self.strength) != 0)))
        shown = worth.sorted().rows[:_SHOWN]
        names = [row.shown for row in shown]
        wide = max(map(len, names), default=4)
        columns = self._printed()
        lines = ["  ".join([f"{'edge':<{wide}}", *(head for head, _ in columns)])]
        for name, row in zip(names, shown, strict=True):
            cells = [write(row).rjust(len(head)) for head, write in columns]
            lines.append("  ".join([f"{name:<{wide}}", *cells]))
        if len(worth) > len(shown):
            lines.append(f"... and {len(worth) - len(shown)} more rows")
        rest = len(self) - len(worth)
        if rest:
            lines.append(f"{rest} pair{'s' * (rest != 1)} without an edge")
        return "\n".join(lines)

    def _printed(self) -> list[tuple[str, Callable[[Edge], str]]]:
        """The columns of numbers that say something, each with how a row is written in it."""
        columns: list[tuple[str, Callable[[Edge], str]]] = [
            ("strength", lambda row: f"{row.strength:.4f}")
        ]
        if np.isfinite(self.partial).any():
            columns.append(("partial r", lambda row: f"{row.partial_correlation:.3f}"))
        if self.losses is not None:
            columns.append(("refit loss", lambda row: f"{row.refit_loss:.4f}"))
        if self.sides is not None:
            columns.append(("first side", lambda row: f"{row.first_side:.4f}"))
            columns.append(("second side", lambda row: f"{row.second_side:.4f}"))
        return columns
