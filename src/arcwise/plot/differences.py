"""Two graphs over the same variables in one figure: common and different edges."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from arcwise.errors import GraphError
from arcwise.graphs import DAG, Graph, UGraph, any_graph
from arcwise.plot.axes import PLAIN, label
from arcwise.plot.drawing import Picture, draw_picture, fit_axes, inches
from arcwise.plot.excerpt import refuse_crowds
from arcwise.plot.graph import layout_of
from arcwise.plot.layout import Layout, Positions
from arcwise.plot.legend import Item, legend_of, write_legend
from arcwise.plot.marks import COLOURS, Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTHS = {"both": 1.4, "first": 2.4, "second": 2.4, "direction": 2.4}
_SIGNS = {"both": "unknown", "first": "positive", "second": "negative", "direction": "other"}


def plot_differences(
    first: Any,
    second: Any,
    *,
    names: tuple[str, str] = ("first", "second"),
    positions: Positions | None = None,
    title: str | None = None,
    legend: bool = True,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw two graphs as one: edges of both in grey, those of one alone in colour.

    An edge whose direction differs, or that only one graph directs, is purple and drawn as in the first.

    Parameters
    ----------
    first, second : graphs over the same variables, in any form that `dag` and `ug` take.
    names : what the legend calls them.
    positions : as for `plot_graph`.
    title : a line above the figure.
    legend : whether to explain the colours and to count the edges.
    ax : the axes to draw on; a new figure that suits the graphs by default.

    Raises
    ------
    GraphError : graphs that do not have the same variables, or too many of them.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> one, two = DAG.from_arcs(["a -> b", "b -> c"]), DAG.from_arcs(["b -> a", "a -> c"])
    >>> [text.get_text() for text in plot_differences(one, two).get_legend().get_texts()]
    ['first only: 1 edge', 'second only: 1 edge', 'in both, direction differs: 1 edge']
    """
    one, two = any_graph(first), any_graph(second)
    if set(one.nodes) != set(two.nodes):
        odd = min(set(one.nodes) ^ set(two.nodes))
        raise GraphError(
            f"Both graphs must have the same variables, but {odd!r} is in one of them only."
        )
    refuse_crowds(one)
    edges = _merge(one, two)
    layout, nodes = _place(one, edges, positions), one.nodes
    lines = [_line(edges[frozenset((nodes[a], nodes[b]))], (a, b)) for a, b in layout.lines]
    kinds = [edge.kind for edge in edges.values()]
    words = legend_of(
        _items(kinds, names) if legend else [], layout.extent, None if ax is None else inches(ax)
    )
    axes, scale = fit_axes(layout.extent, words, ax, title)
    labels, roles = [label(name) for name in nodes], ["plain"] * len(nodes)
    draw_picture(axes, Picture(layout, nodes, labels, lines, roles), scale)
    write_legend(axes, words, scale)
    if title is not None:
        axes.set_title(title, fontsize=11, **PLAIN)
    return axes


Pair = tuple[str, str]


class JointEdge(NamedTuple):
    """An edge of the figure: its ends, whether it is an arc, and which of the graphs have it."""

    ends: Pair
    arrow: bool
    kind: str


def _merge(one: Graph, two: Graph) -> dict[frozenset[str], JointEdge]:
    """Return all edges of two graphs: those of both, first, second, or of another direction in the second."""
    mine, other = _relations(one), _relations(two)
    edges = {}
    for pair in sorted({*mine, *other}, key=sorted):
        ends, arrow = mine[pair] if pair in mine else other[pair]
        kind = "second" if pair not in mine else "first" if pair not in other else "both"
        if kind == "both" and mine[pair] != other[pair]:
            kind = "direction"
        edges[pair] = JointEdge(ends, arrow, kind)
    return edges


def _relations(graph: Graph) -> dict[frozenset[str], tuple[Pair, bool]]:
    """Return for each adjacent pair its ends, in the order of an arc, and whether it is one."""
    names, relations = graph.nodes, dict[frozenset[str], tuple[Pair, bool]]()
    for tail, head in graph.numbered_arcs:
        relations[frozenset((names[tail], names[head]))] = (names[tail], names[head]), True
    for one, two in graph.numbered_edges:
        ends = min(names[one], names[two]), max(names[one], names[two])
        relations[frozenset(ends)] = ends, False
    return relations


def _place(
    one: Graph, edges: dict[frozenset[str], JointEdge], positions: Positions | None
) -> Layout:
    """Return the positions of all nodes and routes of all edges, each from tail to head.

    Two graphs can make a cycle together, which has no layers: edges follow the order of the first graph.
    """
    names, pairs = one.nodes, [edge.ends for edge in edges.values()]
    whole: Graph = UGraph.from_edges(pairs, names)
    if any(edge.arrow for edge in edges.values()):
        arcs = [(names[tail], names[head]) for tail, head in one.numbered_arcs]
        rank = {names[node]: i for i, node in enumerate(DAG.from_arcs(arcs, names).order())}
        downwards = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in pairs]
        whole = DAG.from_arcs(downwards, names)
    layout = layout_of(whole, positions)
    lines, routes = [], []
    for (tail, head), route in zip(layout.lines, layout.routes, strict=True):
        ends = edges[frozenset((names[tail], names[head]))].ends
        turned = ends[0] != names[tail]
        lines.append((head, tail) if turned else (tail, head))
        routes.append(route[::-1].copy() if turned else route)
    return replace(layout, lines=tuple(lines), routes=tuple(routes))


def _line(edge: JointEdge, ends: tuple[int, int]) -> Line:
    """Return the look of an edge."""
    ink = 0.55 if edge.kind == "both" else 1.0
    width, sign = _WIDTHS[edge.kind], _SIGNS[edge.kind]
    return Line(*ends, edge.arrow, width, sign, None, ink, None, ink)


def _items(kinds: list[str], names: tuple[str, str]) -> list[Item]:
    """Return what the colours mean, with the number of edges; only those that occur."""
    words = {
        "both": "in both",
        "first": f"{names[0]} only",
        "second": f"{names[1]} only",
        "direction": "in both, direction differs",
    }
    return [
        Item(
            f"{words[kind]}: {kinds.count(kind)} edge{'s' * (kinds.count(kind) != 1)}",
            COLOURS[_SIGNS[kind]],
            _WIDTHS[kind],
            _SIGNS[kind] == "negative",
        )
        for kind in words
        if kind in kinds
    ]
