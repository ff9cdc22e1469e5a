"""Distances between two graphs.

- *Structural Hamming distance* of DAGs, `shd`: the number of pairs whose relation differs (no arc,
  one direction, the other). A missing, an extra and a reversed arc count one each.
- The same between the classes of equivalent DAGs, `shd_cpdag`: relations are those of the CPDAGs
  (no edge, undirected, one direction, the other), so equivalent graphs have distance zero
  (Tsamardinos, Brown and Aliferis 2006).
- Precision, recall and F1 of the skeleton: of the adjacent pairs, against those of the reference.
- *Difference in undirected edges*: pairs adjacent in exactly one graph, divided by all pairs
  (Hofmann and Tresp 1995).

Graphs are matched by the names of their nodes, whatever the order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from arcwise.errors import GraphError
from arcwise.frame import Frame, Framed, Series
from arcwise.graphs.formula import any_graph
from arcwise.graphs.independence import cpdag, skeleton
from arcwise.graphs.pdag import Graph
from arcwise.values import clear_calls

MOST_LISTED = 10
"""Most differing edges of a kind that are printed."""


class EdgeDifference(NamedTuple):
    """One pair of nodes that differs between two graphs.

    `change` is "extra" or "missing" (adjacent in the graph or in the reference alone), "reversed", or
    "undirected" or "directed" (the graph has no direction, or has one, unlike the reference). `graph` and
    `reference` are the edge in each of the two, empty if there is none.
    """

    change: str
    graph: str
    reference: str


@dataclass(frozen=True)
class Comparison(Framed):
    """All distances between a graph and a reference, and the edges that differ.

    Its frame (`to_pandas`, `to_dict`, ...) has one row for each edge that differs.

    Parameters
    ----------
    nodes : number of nodes.
    common, extra, missing : adjacent pairs in both graphs, only in the first, only in the
        reference.
    reversed : arcs of both graphs that run the other way; None unless both are DAGs.
    shd : distance of DAGs; None unless both are DAGs.
    shd_cpdag : distance of the CPDAGs; None if a graph is undirected.
    precision, recall, f1 : of the skeleton; one if the denominator is zero.
    difference : pairs adjacent in exactly one graph / all pairs.
    differences : the pairs of nodes that differ, those of the same kind side by side.
    """

    nodes: int
    common: int
    extra: int
    missing: int
    reversed: int | None
    shd: int | None
    shd_cpdag: int | None
    precision: float
    recall: float
    f1: float
    difference: float
    differences: tuple[EdgeDifference, ...] = ()

    @property
    def frame(self) -> Frame:
        """Return one row per differing edge: the change, and the edge in the graph and in the reference."""
        columns = zip(*self.differences, strict=True) if self.differences else ((), (), ())
        series = (Series(*values) for values in zip(EdgeDifference._fields, columns, strict=True))
        return Frame(tuple(series), notes=tuple(self.distances))

    def _summary(self) -> str:
        return self.distances[0]

    @property
    def brief(self) -> Frame:
        """The distances, and one line for each kind of change."""
        return Frame((), "\n".join([*self.distances, *self._change_lines()]))

    def _change_lines(self) -> Iterator[str]:
        """Return one line for each kind of change, with its edges."""
        for change in dict.fromkeys(difference.change for difference in self.differences):
            edges = [
                difference.graph or difference.reference
                for difference in self.differences
                if difference.change == change
            ]
            more = f" and {len(edges) - MOST_LISTED} more" * (len(edges) > MOST_LISTED)
            yield f"{change}: {', '.join(edges[:MOST_LISTED])}{more}"

    @property
    def distances(self) -> list[str]:
        """The distances in a few lines."""
        turned = "" if self.reversed is None else f" ({self.reversed} reversed)"
        lines = [
            f"edges in both {self.common}{turned}, extra {self.extra}, missing {self.missing}",
            f"skeleton: precision {self.precision:.3f}, recall {self.recall:.3f}, F1 {self.f1:.3f}",
            f"difference in undirected edges {self.difference:.1%} of all pairs",
        ]
        if self.shd is not None:
            lines.append(f"structural Hamming distance of the DAGs {self.shd}")
        if self.shd_cpdag is not None:
            lines.append(f"structural Hamming distance of the CPDAGs {self.shd_cpdag}")
        return lines


@clear_calls
def compare(graph: Any, reference: Any) -> Comparison:
    """Compare a graph with a reference in every way that makes sense for the two.

    Parameters
    ----------
    graph : for instance what was learned: a network, or a graph in any form that `dag` and `ug` take.
    reference : for instance the true graph. Texts, pairs and mappings may leave out nodes without edges.

    Returns
    -------
    Comparison, with its distances as fields; `print` shows them.

    Raises
    ------
    GraphError : the graphs have different nodes.

    Examples
    --------
    >>> print(compare("a -> b <- c", "a -> b -> c"))
    edges in both 2 (1 reversed), extra 0, missing 0
    skeleton: precision 1.000, recall 1.000, F1 1.000
    difference in undirected edges 0.0% of all pairs
    structural Hamming distance of the DAGs 1
    structural Hamming distance of the CPDAGs 2
    reversed: c -> b
    """
    graph, other = _pair(graph, reference)
    common, extra, missing = _counts(graph, other)
    both = graph.directed and other.directed
    distance = _distance(graph, other) if both else None
    classes = None
    if not (_is_undirected(graph) or _is_undirected(other)):
        classes = shd_cpdag(graph, other)
    precision, recall, f1 = _scores(common, extra, missing)
    return Comparison(
        nodes=len(graph.nodes),
        common=common,
        extra=extra,
        missing=missing,
        reversed=None if distance is None else distance - extra - missing,
        shd=distance,
        shd_cpdag=classes,
        precision=precision,
        recall=recall,
        f1=f1,
        difference=_share(extra + missing, len(graph.nodes)),
        differences=tuple(sorted(_differences(graph, other), key=_rank)),
    )


_CHANGES = ("missing", "extra", "reversed", "undirected", "directed")


def _rank(row: EdgeDifference) -> int:
    return _CHANGES.index(row.change)


def _differences(graph: Graph, reference: Graph) -> Iterator[EdgeDifference]:
    """Return the pairs that differ, by their names; without directions if one of the graphs has none at
    all.
    """
    if _is_undirected(graph) or _is_undirected(reference):
        graph, reference = skeleton(graph), skeleton(reference)
    one, two = _edges(graph), _edges(reference)
    for pair in sorted(one.keys() | two.keys()):
        edges = one.get(pair, ""), two.get(pair, "")
        if edges[0] != edges[1]:
            yield EdgeDifference(_change(*edges), *edges)


def _change(graph: str, reference: str) -> str:
    if not (graph and reference):
        return "extra" if graph else "missing"
    if "--" not in graph + reference:
        return "reversed"
    return "undirected" if "--" in graph else "directed"


def _edges(graph: Graph) -> dict[tuple[str, str], str]:
    """Return each adjacent pair of names in alphabetical order, and the edge between them."""
    nodes = graph.nodes
    arcs = [(nodes[tail], " -> ", nodes[head]) for tail, head in graph.numbered_arcs]
    lines = [(*sorted((nodes[i], nodes[j])), " -- ") for i, j in graph.numbered_edges]
    edges = {(min(a, b), max(a, b)): a + sign + b for a, sign, b in arcs}
    return edges | {(a, b): a + sign + b for a, b, sign in lines}


def shd(graph: Any, reference: Any) -> int:
    """Count the pairs whose relation differs between two DAGs; a reversed arc counts one.

    Raises
    ------
    GraphError : the graphs have different nodes, or are no DAGs.

    Examples
    --------
    >>> shd("a -> b -> c", "b -> a -> c")
    3
    """
    one, two = _pair(graph, reference)
    if not (one.directed and two.directed):
        raise GraphError("shd compares two DAGs; shd_cpdag compares DAGs and PDAGs by their class.")
    return _distance(one, two)


def shd_cpdag(graph: Any, reference: Any) -> int:
    """Count the pairs whose relation differs between two CPDAGs.

    Parameters
    ----------
    graph, reference : DAGs, which are turned into their CPDAGs, or PDAGs, which are taken as they
        are.

    Raises
    ------
    GraphError : the graphs have different nodes, or are undirected.

    Examples
    --------
    >>> shd_cpdag("a -> b -> c", "c -> b -> a")
    0
    """
    graph, other = _pair(graph, reference)
    if _is_undirected(graph) or _is_undirected(other):
        raise GraphError("shd_cpdag compares DAGs or PDAGs, got an undirected graph.")
    one, two = (cpdag(g) if g.directed else g for g in (graph, other))
    return _distance(one, two)


def skeleton_scores(graph: Any, reference: Any) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the adjacent pairs.

    Precision is one for a graph without edges, and recall is one for a reference without edges.

    Raises
    ------
    GraphError : the graphs have different nodes.

    Examples
    --------
    >>> skeleton_scores("a -> b -> c", "b -> a; c")
    (0.5, 1.0, 0.6666666666666666)
    """
    return _scores(*_counts(*_pair(graph, reference)))


def difference(graph: Any, reference: Any) -> float:
    """Return the share of all pairs that are adjacent in exactly one of the graphs.

    Raises
    ------
    GraphError : the graphs have different nodes.

    Examples
    --------
    >>> difference("a -> b -> c", "b -> a -> c")
    0.6666666666666666
    """
    one, two = _pair(graph, reference)
    _, extra, missing = _counts(one, two)
    return _share(extra + missing, len(one.nodes))


def _is_undirected(graph: Graph) -> bool:
    return graph.directed is False


def _pair(graph: Any, reference: Any) -> tuple[Graph, Graph]:
    """Two graphs in any form, the second in the node order of the first."""
    one, two = any_graph(graph), any_graph(reference)
    if _names_links_only(graph) and set(one.nodes) < set(two.nodes):
        one = one.over(two.nodes)
    if _names_links_only(reference) and set(two.nodes) < set(one.nodes):
        two = two.over(one.nodes)
    return one, _align(one, two)


def _names_links_only(form: Any) -> bool:
    """Return whether a form leaves out nodes without edges: a text, pairs or a mapping."""
    return isinstance(form, str | list | tuple | Mapping)


def _align(graph: Graph, reference: Graph) -> Graph:
    """Return the reference with its nodes in the order of the graph."""
    if graph.nodes == reference.nodes:
        return reference
    odd = sorted(set(graph.nodes).symmetric_difference(reference.nodes))
    if odd:
        names = ", ".join(map(repr, odd[:5])) + (" ..." if len(odd) > 5 else "")
        raise GraphError(
            f"Graphs must have the same nodes to be compared; in one of them only: {names}."
        )
    return reference.over(graph.nodes)


def _relations(graph: Graph) -> dict[tuple[int, int], str]:
    """Return the relation of each adjacent pair (smaller, larger): ->, <- or -."""
    relations = {
        (min(arc), max(arc)): "->" if arc[0] < arc[1] else "<-" for arc in graph.numbered_arcs
    }
    return relations | dict.fromkeys(graph.numbered_edges, "-")


def _distance(graph: Graph, other: Graph) -> int:
    """Count the pairs whose relation differs."""
    differing = set(_relations(graph).items()) ^ set(_relations(other).items())
    return len({ends for ends, _ in differing})


def _counts(graph: Graph, other: Graph) -> tuple[int, int, int]:
    """Count the pairs adjacent in both graphs, in the first only, in the second only."""
    one, two = (set(skeleton(g).numbered_edges) for g in (graph, other))
    return len(one & two), len(one - two), len(two - one)


def _scores(common: int, extra: int, missing: int) -> tuple[float, float, float]:
    """Return precision, recall and F1; one where the denominator is zero."""
    pairs = ((common, extra), (common, missing), (2 * common, extra + missing))
    precision, recall, f1 = (hit / (hit + miss) if hit + miss else 1.0 for hit, miss in pairs)
    return precision, recall, f1


def _share(count: int, nodes: int) -> float:
    """Divide a count of pairs by the number of all pairs."""
    pairs = nodes * (nodes - 1) // 2
    return count / pairs if pairs else 0.0
