"""What the lines of a picture say: width, colour and head of each, decided before drawing.

The width grows with the square root of the strength (nats per row), so that weak edges stay visible
beside strong ones. The colour is the sign of the partial correlation, in two colours that people
who do not tell red from green can tell apart (Okabe and Ito 2008). A head is drawn where the
direction is known: by a table of edges a reversible arc has none, because an equivalent graph turns
it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log10, sqrt
from typing import Protocol

from arcwise.plot.layout import Graph, Pairs, lines_of

__all__ = [
    "COLOURS",
    "EdgeRow",
    "Line",
    "Rows",
    "blanket_of",
    "edge_rows",
    "line_width",
    "marked",
    "steps_of",
]

COLOURS = {"positive": "#0072B2", "negative": "#D55E00", "unknown": "#555555"}

# Points: thinnest and thickest line, and the line of an edge of unknown strength.
_THIN, _THICK, _PLAIN = 0.8, 5.0, 1.3


class EdgeRow(Protocol):
    """What is needed of one row of a table of edges."""

    @property
    def first(self) -> str:
        """One variable."""
        ...

    @property
    def second(self) -> str:
        """The other variable."""
        ...

    @property
    def present(self) -> bool:
        """Whether there is an edge."""
        ...

    @property
    def reversible(self) -> bool:
        """Whether data cannot tell the direction."""
        ...

    @property
    def strength(self) -> float:
        """Nats per row."""
        ...

    @property
    def partial_correlation(self) -> float:
        """Given all other variables."""
        ...


Rows = Mapping[frozenset[str], EdgeRow]


@dataclass(frozen=True)
class Line:
    """One line: its ends, whether it has a head, its width in points, and its sign."""

    tail: int
    head: int
    arrow: bool
    width: float
    sign: str
    strength: float | None


def edge_rows(edges: Iterable[EdgeRow] | None) -> dict[frozenset[str], EdgeRow]:
    """Look up rows of present edges by their pair of names."""
    # A table of edges can leave the absent pairs out by itself, without making their rows.
    present = getattr(edges, "present", edges)
    return {frozenset((row.first, row.second)): row for row in present or () if row.present}


def marked(graph: Graph, rows: Rows) -> list[Line]:
    """Decide on the look of every line, in the order of the layout."""
    arcs, edges = lines_of(graph)
    found = [rows.get(frozenset((graph.nodes[a], graph.nodes[b]))) for a, b in arcs + edges]
    strengths = [None if row is None else _strength(row) for row in found]
    strongest = max((each for each in strengths if each is not None), default=0.0)
    heads = [row is None or not row.reversible for row in found[: len(arcs)]]
    return [
        Line(tail, head, arrow, line_width(strength, strongest), _sign(row), strength)
        for (tail, head), arrow, strength, row in zip(
            arcs + edges, heads + [False] * len(edges), strengths, found, strict=True
        )
    ]


def _strength(row: EdgeRow) -> float | None:
    """A strength that can be drawn: finite, at least zero."""
    return max(float(row.strength), 0.0) if isfinite(row.strength) else None


def _sign(row: EdgeRow | None) -> str:
    if row is None or not isfinite(row.partial_correlation) or not row.partial_correlation:
        return "unknown"
    return "positive" if row.partial_correlation > 0 else "negative"


def line_width(strength: float | None, strongest: float) -> float:
    """Width in points of an edge beside the strongest one.

    Examples
    --------
    >>> line_width(1.0, 1.0), line_width(0.0, 1.0), line_width(None, 1.0)
    (5.0, 0.8, 1.3)
    """
    if strength is None or strongest <= 0:
        return _PLAIN
    return _THIN + (_THICK - _THIN) * sqrt(strength / strongest)


def steps_of(strengths: Sequence[float]) -> list[float]:
    """Up to three round strengths that span those given, for the legend.

    Examples
    --------
    >>> steps_of([0.004, 0.03, 0.71])
    [0.5, 0.05, 0.002]
    """
    positive = [each for each in strengths if each > 0]
    if not positive:
        return []
    high, low = max(positive), max(min(positive), max(positive) / 1000)
    found = (_rounded(each) for each in (high, sqrt(high * low), low))
    return list(dict.fromkeys(found))


def _rounded(value: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten that is not above (or just below) the value."""
    power = 10.0 ** int(log10(value) // 1)
    digit = max(each for each in (1, 2, 5) if each * power <= value * 1.0000001 or each == 1)
    return float(f"{digit * power:.1g}")


def blanket_of(graph: Graph, target: int) -> set[int]:
    """The Markov blanket of a node: neighbours, and other parents of its children."""
    arcs, edges = lines_of(graph)
    return _joined(arcs + edges, target) | _mates(arcs, target)


def _joined(lines: Pairs, target: int) -> set[int]:
    return {a if b == target else b for a, b in lines if target in (a, b)}


def _mates(arcs: Pairs, target: int) -> set[int]:
    children = {head for tail, head in arcs if tail == target}
    return {tail for tail, head in arcs if head in children} - {target}
