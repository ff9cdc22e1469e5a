"""One document about a network: all that a report, a notebook and a page show, as plain values for JSON.

Variables and edges are named by their numbers in the lists `variables` and `edges`. Nothing in it is a row of
the data: there are summaries, counts in bins, and what the model itself says. docs/report.md describes every
field.
"""

from __future__ import annotations

import math
from base64 import b64decode
from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from arcwise import inference
from arcwise.api.describe import legend
from arcwise.api.predictive import HeldOutSummary, predictive
from arcwise.api.provenance import Provenance, provenance_of
from arcwise.api.remarks import Doubt, doubts, sentences
from arcwise.api.summaries import BinnedPair, Summary, listed_rows, pair, rounded_range, summary
from arcwise.conditionals import linear_of
from arcwise.data import Variable
from arcwise.errors import join_words
from arcwise.evaluate import Edge, Validation
from arcwise.graphs import some_members
from arcwise.inference.export import Answers, answers_of
from arcwise.plot.geometry import Points, geometry
from arcwise.plot.static import width_of
from arcwise.results import Path

if TYPE_CHECKING:
    from arcwise.api.net import Network

__all__ = ["Document", "document"]

Array = NDArray[np.float64]

VERSION = 2
"""Raised when a field changes its meaning or is removed."""

MAX_WITH_BELIEFS = 80
"""Variables up to which each box of the graph shows the whole belief of its variable."""

MAX_LEVELS = 6
"""Levels that a box shows; for a variable with more, its last line counts those that are not shown."""

FAR = 3.0
"""Multiples of the range from the 5 % to the 95 % quantile, from its middle, beyond which a draw is far."""

MAX_FAR = 0.01
"""Share of far draws up to which a report does not doubt them: a normal distribution has none."""

MAX_KNOTS = 200
"""Graphs of a path that a document contains."""

MAX_PAIRS = 300
"""Edges, strongest first, whose child is summarised in bins of its parent."""

MAX_PARENT_SETS = 50
"""Sets of parents of a variable, in equivalent graphs, that a document lists."""

_HEAD, _ROW, _CURVE, _PAD = 24.0, 17.0, 58.0, 6.0  # pixels
_WIDTHS = (148.0, 236.0)
_SIDE, _BAR, _PERCENT, _MAX_LABEL = 9.0, 44.0, 50.0, 120.0
_FONT = 9.0
_MAX_LINES = 40


class DrawnBox(TypedDict):
    """The box of a variable: its centre and size in pixels, and the number of levels that it shows."""

    x: float
    y: float
    width: float
    height: float
    rows: int


class DrawnLine(TypedDict):
    """The line of an edge: points of cubic Bezier pieces, corners of its head, width, ink from 0 to 1."""

    edge: int
    points: Points
    head: Points
    width: float
    ink: float


class GraphDrawing(TypedDict):
    """The graph with the places of its boxes and lines, y growing downwards; one box for each variable."""

    width: float
    height: float
    beliefs: bool
    nodes: list[DrawnBox]
    lines: list[DrawnLine]


class EdgeEntry(TypedDict):
    """An edge: its ends, whether it has an arrow head, and what is known about it.

    `sign` is that of the effect in the model: 1, -1, or 0 where it has none.
    """

    tail: int
    head: int
    arrow: bool
    strength: float | None
    certainty: float | None
    direction_support: float | None
    sign: int
    effect: str
    form: str
    partial_correlation: float | None
    pair: BinnedPair | None


class Local(TypedDict):
    """The local model: its name, and a text for people."""

    form: str
    text: str


class VariableEntry(TypedDict):
    """A variable; `levels` is None for numbers, `axis` the range in which these are drawn."""

    name: str
    levels: list[str] | None
    axis: list[float] | None
    parents: list[int]
    parent_sets: list[list[int]]
    children: list[int]
    neighbours: list[int]
    blanket: list[int]
    local: Local
    summary: Summary | None


class KnotEntry(TypedDict):
    """The edges of the graph from a penalty on, as pairs of variables."""

    penalty: float
    edges: list[list[int]]


class PathEntry(TypedDict):
    """Graphs against the penalty per edge; `at` is the penalty of the network that answers."""

    unit: str
    at: float
    knots: list[KnotEntry]


class Document(TypedDict):
    """All about a network."""

    format: Literal["arcwise-report"]
    version: int
    title: str
    directed: bool
    sentences: list[str]
    order: list[int]
    picture: GraphDrawing
    edges: list[EdgeEntry]
    legend: list[str]
    variables: list[VariableEntry]
    doubts: list[Doubt]
    held_out: HeldOutSummary | None
    path: PathEntry | None
    rows: list[list[float | None]] | None
    making: Provenance
    answers: Answers


def document(
    net: Network,
    title: str = "",
    validation: Validation | None = None,
    graphs: tuple[Path, float] | None = None,
    rows: bool = False,
) -> Document:
    """Describe a network as a document.

    Parameters
    ----------
    net : any network.
    title : the name of the data or of the network.
    validation : a cross-validation of these choices; without one, the parameters alone are validated if that
        is quick.
    graphs : the path over penalties that the network is from, with its own penalty.
    rows : whether the document contains rows of the data.

    >>> import arcwise as aw
    >>> net = aw.learn(aw.example("boston").select(["RM", "LSTAT", "MEDV"]), model="gaussian")
    >>> about = document(net, "boston")
    >>> about["title"], len(about["edges"]), about["answers"]["kind"]
    ('boston', 3, 'regressions')
    """
    answers = answers_of(net.net, np.random.default_rng(net.settings.get("seed") or 0))
    exact = answers["kind"] != "draws"
    edges = list(net.edges.present.sorted())
    variables = [_variable(net, node, exact) for node in range(len(net.net.names))]
    return {
        "format": "arcwise-report",
        "version": VERSION,
        "title": title or "Network",
        "directed": net.directed,
        "sentences": sentences(net),
        "order": [net.net.index(name) for name in net.variables],
        "picture": _picture(net, edges),
        "edges": [_edge(net, row, i < MAX_PAIRS) for i, row in enumerate(edges)],
        "legend": legend(net.edges.present),
        "variables": variables,
        "doubts": [*far_draws(answers, variables), *doubts(net)],
        "held_out": predictive(net, validation),
        "path": None if graphs is None else _path(net, *graphs),
        "rows": listed_rows(net.data, net.net.variables) if rows else None,
        "making": provenance_of(net),
        "answers": answers,
    }


def far_draws(answers: Answers, variables: list[VariableEntry]) -> list[Doubt]:
    """A doubt if many draws of the model lie far outside of the data."""
    if answers["kind"] != "draws":
        return []
    shares = {}
    for column, variable in zip(answers["columns"], variables, strict=True):
        about = variable["summary"]
        if about is not None and about["quantiles"]:
            low, high = about["quantiles"][0], about["quantiles"][-1]
            values = column["centre"] + np.frombuffer(b64decode(column["values"]), "<f4")
            far = np.abs(values - (low + high) / 2) > FAR * (high - low)
            shares[variable["name"]] = float(far.mean())
    worst = sorted(
        (name for name in shares if shares[name] > MAX_FAR), key=lambda name: -shares[name]
    )
    if not worst:
        return []
    names = join_words((f"{name} ({shares[name]:.0%})" for name in worst), 5)
    fix = "Do not rely on answers about them: model='gaussian' has exact answers within reach of the data."
    return [
        {
            "about": "draws",
            "text": f"Draws of the model lie far outside of the data: {names}.",
            "fix": fix,
        }
    ]


def _path(net: Network, path: Path, at: float) -> PathEntry:
    """The graphs of a path, at most `MAX_KNOTS` of them."""
    chosen = np.unique(np.linspace(0, len(path.knots) - 1, MAX_KNOTS).astype(int)).tolist()
    return {
        "unit": path.unit,
        "at": at,
        "knots": [
            {
                "penalty": float(path.knots[k].penalty),
                "edges": [_numbers(net, edge) for edge in path.knots[k].graph.edges],
            }
            for k in chosen
        ],
    }


# -- the graph -----------------------------------------------------------------------------------


def _picture(net: Network, rows: list[Edge]) -> GraphDrawing:
    beliefs = len(net.net.names) <= MAX_WITH_BELIEFS
    shown = [_rows(variable) if beliefs else 0 for variable in net.net.variables]
    sizes = np.array(
        [_box(*each, beliefs) for each in zip(net.net.variables, shown, strict=True)]
    ).reshape(-1, 2)
    graph = net.edges.drawn(net.graph)
    found = geometry(graph, sizes, rows)
    number = {frozenset((row.first, row.second)): i for i, row in enumerate(rows)}
    names = net.net.names
    lines: list[DrawnLine] = [
        {
            "edge": number[frozenset((names[line.tail], names[line.head]))],
            "points": line.points,
            "head": line.corners,
            "width": line.width,
            "ink": line.ink,
        }
        for line in found.lines
    ]
    return {
        "width": round(found.size[0], 1),
        "height": round(found.size[1], 1),
        "beliefs": beliefs,
        "nodes": [
            {"x": x, "y": y, "width": width, "height": height, "rows": count}
            for (x, y, width, height), count in zip(found.boxes, shown, strict=True)
        ],
        "lines": lines,
    }


def _rows(variable: Variable) -> int:
    """Levels of a variable that its box shows."""
    count = len(variable.levels or ())
    return count if count <= MAX_LEVELS else MAX_LEVELS - 1


def _box(variable: Variable, rows: int, beliefs: bool) -> tuple[float, float]:
    """Width and height of a box, pixels."""
    width = 1.1 * width_of([variable.name], _FONT) * 96 + 2 * _SIDE
    if not beliefs:
        return round(float(np.clip(width, 56.0, _WIDTHS[1]))), _HEAD + 8.0
    shown = [str(level) for level in (variable.levels or ())[:rows]]
    if shown:
        labels = min(width_of(shown, _FONT) * 96, _MAX_LABEL)
        width = max(width, labels + _BAR + _PERCENT + 2 * _SIDE)
    hidden = len(variable.levels or ()) > rows
    content = (rows + hidden) * _ROW if variable.discrete else _CURVE
    return round(float(np.clip(width, *_WIDTHS))), _HEAD + content + _PAD


# -- edges ---------------------------------------------------------------------------------------


def _edge(net: Network, row: Edge, detailed: bool) -> EdgeEntry:
    first, second = net.net.index(row.first), net.net.index(row.second)
    backward = row.direction.startswith(f"{row.second} -> ")
    tail, head = (second, first) if backward else (first, second)
    effect = _effect(net, tail, head)
    return {
        "tail": tail,
        "head": head,
        "arrow": bool(row.direction) and row.head,
        "strength": finite(row.strength),
        "certainty": finite(row.certainty),
        "direction_support": finite(row.direction_support),
        "sign": row.sign,
        "effect": effect,
        "form": net.net.models[head] if net.directed else "",
        "partial_correlation": finite(row.partial_correlation),
        "pair": pair(net.data, net.net.variables[head], net.net.variables[tail])
        if detailed
        else None,
    }


def _effect(net: Network, tail: int, head: int) -> str:
    """The coefficient of a parent in the model of its child; nothing where that is not one number."""
    model = linear_of(net.net.conditionals[head])
    if model is None or not net.directed:
        return ""
    return f"{float(model.coefficients[net.net.inputs[head].index(tail)]):+.4g}"


def finite(number: float | None) -> float | None:
    """A number for JSON, which has no NaN."""
    return None if number is None or not math.isfinite(number) else float(f"{number:.6g}")


# -- variables -----------------------------------------------------------------------------------


def _variable(net: Network, node: int, exact: bool) -> VariableEntry:
    variable, name = net.net.variables[node], net.net.names[node]
    about = summary(net.data, variable)
    return {
        "name": name,
        "levels": None if variable.levels is None else [str(level) for level in variable.levels],
        "axis": None if variable.discrete else _axis(net, name, about),
        "parents": _numbers(net, net.parents(name) if net.directed else ()),
        "parent_sets": _parent_sets(net, node, exact),
        "children": _numbers(net, net.children(name) if net.directed else ()),
        "neighbours": _numbers(net, net.neighbours(name)),
        "blanket": _numbers(net, net.blanket(name)),
        "local": {"form": net.net.models[node], "text": _local(net, name)},
        "summary": about,
    }


def _parent_sets(net: Network, node: int, exact: bool) -> list[list[int]]:
    """The sets of parents that a variable can have in equivalent graphs, that of this graph first.

    Without exact answers the page has no interventions, and the others are not needed.
    """
    graph = net.graph
    if not graph.directed:
        return []
    if not exact or "search" not in net.settings or not net.cpdag.neighbours[node]:
        return [list(graph.parents[node])]  # made by hand, or directions that the data tell
    rng = np.random.default_rng(0)
    members = some_members(net.cpdag, graph, (node,), MAX_PARENT_SETS, rng)
    return [list(member.parents[node]) for member in members.graphs]


def _numbers(net: Network, names: tuple[str, ...]) -> list[int]:
    return [net.net.index(name) for name in names]


def _local(net: Network, name: str) -> str:
    """The local model as text; a long one is cut."""
    lines = net.local(name).splitlines()
    more = len(lines) - _MAX_LINES
    return "\n".join([*lines[:_MAX_LINES], *([f"... {more} more lines"] if more > 0 else [])])


def _axis(net: Network, name: str, about: Summary | None) -> list[float]:
    """The range in which a variable's numbers are drawn: of most rows, or of the model."""
    if about is not None and about["histogram"] is not None:
        bounds = about["histogram"]["bounds"]
        return [bounds[0], bounds[-1]]
    belief = inference.query(net.net, name)
    middle, spread = float(belief.mean), float(belief.sd)
    if not math.isfinite(spread):
        middle, spread = 0.0, 1.0
    return list(rounded_range(middle - 3.5 * spread, middle + 3.5 * spread))
