"""The look of the lines of a graph: width, ink, colour and head of each, decided before drawing.

The width grows with the square root of the strength (nats per row), which for normal variables is
nearly the size of the partial correlation. Weak lines are pale, too: in a dense graph most lines are
weak, and in full ink they would hide the few that matter; sparse graphs fade less. The colour is the
sign of the effect, in two colours that people with red-green blindness can distinguish (Okabe and Ito
2008), and negative lines are dashed. A head is drawn where the direction is known:
by a table of edges a reversible arc has none, because an equivalent graph turns it, and neither has one
whose direction less than half of the replicates support. Where the certainty of edges is known, it is the
ink of their lines, whatever the strength, and the support of the direction is that of their heads.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import expm1, isfinite, log10, sqrt
from typing import TYPE_CHECKING, NamedTuple, Protocol

from arcwise.graphs import Graph
from arcwise.plot.layout import lines_of

if TYPE_CHECKING:
    pass

COLOURS = {"positive": "#0072B2", "negative": "#D55E00", "unknown": "#555555", "other": "#AA3377"}

# Points: thinnest and thickest line, and the line of an edge of unknown strength.
_THIN, _THICK, _PLAIN = 0.5, 5.0, 1.3
# The correlation from which on lines have full ink, and how fast weaker ones fade.
_FULL, _FADING = 0.3, 1.4
# Lines for each node of a sparse and of a dense graph, and the ink of the weakest line of each.
_PALEST = 0.12  # ink of an edge that is not there at all
_DENSITIES, _INKS = (1.5, 3.5), (0.45, 0.18)


class EdgeRow(Protocol):
    """The attributes that a row of a table of edges must have."""

    @property
    def first(self) -> str:
        """One variable."""

    @property
    def second(self) -> str:
        """The other variable."""

    @property
    def present(self) -> bool:
        """Whether there is an edge."""

    @property
    def reversible(self) -> bool:
        """Whether data do not determine the direction."""

    @property
    def strength(self) -> float:
        """Nats per row."""

    @property
    def partial_correlation(self) -> float:
        """Given all other variables."""


Rows = Mapping[frozenset[str], EdgeRow]


class Measure(NamedTuple):
    """Scale of strengths: that of the widest line, and the ink of the weakest one."""

    strongest: float = 0.0
    faint: float = _INKS[0]
    meaning: str = ""  # of certainty, which is the ink where it is known
    unchecked: bool = False  # whether the support of directions is unknown
    directed: bool = False  # whether lines may have heads


@dataclass(frozen=True)
class Line:
    """One line: its ends, whether it has a head, its width in points, its sign, and its ink."""

    tail: int
    head: int
    arrow: bool
    width: float
    sign: str
    strength: float | None
    ink: float = 1.0
    certainty: float | None = None
    head_ink: float = 1.0


def edge_rows(edges: Iterable[EdgeRow] | None) -> dict[frozenset[str], EdgeRow]:
    """Look up rows of present edges by their pair of names."""
    # A table of edges can drop the absent pairs without making their rows.
    present = getattr(edges, "present", edges)
    return {frozenset((row.first, row.second)): row for row in present or () if row.present}


def measure_lines(
    graphs: Sequence[Graph], tables: Sequence[Rows], strongest: float | None = None
) -> Measure:
    """Return the scale of the lines of some graphs; by default relative to the strongest line of all."""
    lines = [lines_of(graph) for graph in graphs]
    if strongest is None:
        strengths = (
            _strength(row) or 0.0
            for graph, pairs, rows in zip(graphs, lines, tables, strict=True)
            for row in (rows.get(names_of(graph, pair)) for pair in pairs)
            if row is not None
        )
        strongest = max(strengths, default=0.0)
    dense = max((len(pairs) / max(len(g.nodes), 1) for g, pairs in zip(graphs, lines, strict=True)))
    part = min(max((dense - _DENSITIES[0]) / (_DENSITIES[1] - _DENSITIES[0]), 0.0), 1.0)
    return Measure(strongest, _INKS[0] + part * (_INKS[1] - _INKS[0]))


def mark_lines(graph: Graph, rows: Rows, measure: Measure | None = None) -> list[Line]:
    """Return the look of every line, in the order of the layout.

    Parameters
    ----------
    graph : the graph of the lines.
    rows : the rows of a table of edges by pair.
    measure : the scale of strengths; by default from the lines of the graph.
    """
    scale = measure_lines([graph], [rows]) if measure is None else measure
    pairs = [(pair, rows.get(names_of(graph, pair))) for pair in lines_of(graph)]
    n_arcs = len(graph.numbered_arcs)
    return [
        _line(pair, i < n_arcs and _has_head(row), row, scale)
        for i, (pair, row) in enumerate(pairs)
    ]


def _has_head(row: EdgeRow | None) -> bool:
    """Return whether an arrow has a head; without this column of the table, whether it is not reversible."""
    return row is None or bool(getattr(row, "head", not row.reversible))


def names_of(graph: Graph, pair: tuple[int, int]) -> frozenset[str]:
    """Return the names of two nodes, the key of their row."""
    return frozenset((graph.nodes[pair[0]], graph.nodes[pair[1]]))


def _line(pair: tuple[int, int], head: bool, row: EdgeRow | None, measure: Measure) -> Line:
    strength = None if row is None else _strength(row)
    width = line_width(strength, measure.strongest)
    sure = _share(row, "certainty")
    dark = ink(strength, measure) if sure is None else sure_ink(sure)
    support = _share(row, "direction_support")
    end = dark if support is None else sure_ink(support)
    return Line(*pair, head, width, _sign(row), strength, dark, sure, end)


def _share(row: EdgeRow | None, name: str) -> float | None:
    """Return the certainty of an edge or of its direction, if known."""
    sure = getattr(row, name, None)
    return float(sure) if sure is not None and isfinite(sure) else None


def sure_ink(certainty: float) -> float:
    """Return the ink of an edge by its certainty, from pale to 1.

    Examples
    --------
    >>> sure_ink(1.0), round(sure_ink(0.5), 2)
    (1.0, 0.56)
    """
    return _PALEST + (1 - _PALEST) * min(max(certainty, 0.0), 1.0)


def _strength(row: EdgeRow) -> float | None:
    """Return a strength that can be drawn: finite, at least zero."""
    return max(float(row.strength), 0.0) if isfinite(row.strength) else None


def _sign(row: EdgeRow | None) -> str:
    """Return the sign of an edge: that of its effect if the table has one, else of the partial
    correlation.
    """
    sign = 0.0 if row is None else getattr(row, "sign", row.partial_correlation)
    if not isfinite(sign) or not sign:
        return "unknown"
    return "positive" if sign > 0 else "negative"


def line_width(strength: float | None, strongest: float) -> float:
    """Return the width of an edge in points, relative to the strongest one.

    Examples
    --------
    >>> line_width(1.0, 1.0), line_width(0.0, 1.0), line_width(None, 1.0)
    (5.0, 0.5, 1.3)
    """
    if strength is None or strongest <= 0:
        return _PLAIN
    return _THIN + (_THICK - _THIN) * sqrt(min(strength / strongest, 1.0))


def ink(strength: float | None, measure: Measure) -> float:
    """Return the ink of an edge by its strength, from pale to 1.

    Strengths are seen as correlations r, strength -1/2 log(1 - r^2). Those of 0.3 and more, or as
    strong as the strongest edge, have full ink; in a dense graph those below 0.05 nearly vanish.

    Examples
    --------
    >>> from math import log
    >>> [round(ink(-0.5 * log(1 - r**2), Measure(0.5, 0.18)), 2) for r in (0.02, 0.05, 0.1, 0.3, 0.6)]
    [0.2, 0.25, 0.36, 1.0, 1.0]
    """
    if strength is None or measure.strongest <= 0:
        return 1.0
    full = min(_FULL, _correlation(measure.strongest))
    share = min(_correlation(strength) / full, 1.0)
    return float(measure.faint + (1 - measure.faint) * share**_FADING)


def _correlation(strength: float) -> float:
    """Return the correlation of two normal variables with this mutual information."""
    return sqrt(-expm1(-2 * strength))


def colour(name: str, part: float) -> str:
    """Return a colour mixed with white.

    Examples
    --------
    >>> colour("#0072B2", 1.0), colour("#0072B2", 0.0)
    ('#0072B2', '#FFFFFF')
    """
    parts = (int(name[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - part * (255 - channel)):02X}" for channel in parts)


def dashes(width: float) -> tuple[float, tuple[float, float]]:
    """Return the pattern of a negative line: dashes and gaps relative to its width, neither too
    fine.

    Examples
    --------
    >>> dashes(1.0), dashes(5.0)
    ((0.0, (5.0, 2.5)), (0.0, (2.0, 0.8)))
    """
    return 0.0, (max(5.0 / width, 2.0), max(2.5 / width, 0.8))


def steps_of(strengths: Sequence[float]) -> list[float]:
    """Return up to three round strengths that span those given, for the legend.

    Examples
    --------
    >>> steps_of([0.004, 0.03, 0.71])
    [0.5, 0.05, 0.002]
    """
    positive = [strength for strength in strengths if strength > 0]
    if not positive:
        return []
    high, low = max(positive), max(min(positive), max(positive) / 1000)
    steps = (_round_down(value) for value in (high, sqrt(high * low), low))
    return list(dict.fromkeys(steps))


def _round_down(value: float) -> float:
    """Return the nearest of 1, 2, 5 times a power of ten that is not above (or just below) the value."""
    power = 10.0 ** int(log10(value) // 1)
    digit = max(
        factor for factor in (1, 2, 5) if factor * power <= value * 1.0000001 or factor == 1
    )
    return float(f"{digit * power:.1g}")


def blanket_of(graph: Graph, target: int) -> set[int]:
    """Return the Markov blanket of a node: neighbours, and other parents of its children."""
    children = {head for tail, head in graph.numbered_arcs if tail == target}
    mates = {tail for tail, head in graph.numbered_arcs if head in children}
    return mates.union(*(pair for pair in lines_of(graph) if target in pair)) - {target}
