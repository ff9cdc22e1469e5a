"""How far apart two graphs are.

- *Structural Hamming distance* of DAGs, `shd`: the number of pairs whose relation differs (no arc,
  one direction, the other). A missing, an extra and a reversed arc count one each.
- The same between the classes of equivalent DAGs, `shd_cpdag`: relations are those of the CPDAGs
  (no edge, undirected, one direction, the other), so equivalent graphs have distance zero
  (Tsamardinos, Brown and Aliferis 2006).
- Precision, recall and F1 of the skeleton: adjacent pairs found among the true ones.
- *Difference in undirected edges*: pairs adjacent in exactly one graph, divided by all pairs
  (Hofmann and Tresp 1995).

Graphs are matched by the names of their nodes, whatever the order.
"""

from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.independence import Graph, cpdag, skeleton

G = TypeVar("G", bound=Graph)


@dataclass(frozen=True)
class Comparison:
    """All distances between a graph and a reference.

    Parameters
    ----------
    nodes : number of nodes.
    common, extra, missing : adjacent pairs in both graphs, only in the first, only in the
        reference.
    reversed : arcs of both graphs that run the other way; None unless both are DAGs.
    shd : distance of DAGs; None unless both are DAGs.
    shd_cpdag : distance of the CPDAGs; None if a graph is undirected.
    precision, recall, f1 : of the skeleton; one where there was nothing to be wrong about.
    difference : pairs adjacent in exactly one graph / all pairs.
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

    def __str__(self) -> str:
        """Write a few lines for people."""
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
        return "\n".join(lines)


class HasGraph(Protocol):
    """Whatever holds a graph, such as a network."""

    @property
    def graph(self) -> Graph:
        """The graph."""
        ...


def compare(graph: Graph | HasGraph, reference: Graph | HasGraph) -> Comparison:
    """Compare a graph with a reference in every way that makes sense for the two.

    Parameters
    ----------
    graph : for instance what was learned; a network stands for its graph.
    reference : for instance the true graph.

    Returns
    -------
    Comparison, with its distances as fields; `print` shows them.

    Raises
    ------
    GraphError : the graphs have different nodes.

    Examples
    --------
    >>> found = DAG.from_arcs(["a -> b", "c -> b"])
    >>> print(compare(found, DAG.from_arcs(["a -> b", "b -> c"])))
    edges in both 2 (1 reversed), extra 0, missing 0
    skeleton: precision 1.000, recall 1.000, F1 1.000
    difference in undirected edges 0.0% of all pairs
    structural Hamming distance of the DAGs 1
    structural Hamming distance of the CPDAGs 2
    """
    graph, known = (each.graph for each in (graph, reference))
    other = _aligned(graph, known)
    common, extra, missing = _counts(graph, other)
    both = graph.directed and other.directed
    distance = _distance(graph, other) if both else None
    classes = None
    if not (_undirected(graph) or _undirected(other)):
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
    )


def shd(graph: DAG, reference: DAG) -> int:
    """Count the pairs whose relation differs between two DAGs; a reversed arc counts one.

    Raises
    ------
    GraphError : the graphs have different nodes, or are no DAGs.

    Examples
    --------
    >>> shd(DAG.from_arcs(["a -> b", "b -> c"]), DAG.from_arcs(["b -> a", "a -> c"]))
    3
    """
    if not (graph.directed and reference.directed):
        raise GraphError("shd compares two DAGs; shd_cpdag compares DAGs and PDAGs by their class.")
    return _distance(graph, _aligned(graph, reference))


def shd_cpdag(graph: Graph, reference: Graph) -> int:
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
    >>> shd_cpdag(DAG.from_arcs(["a -> b", "b -> c"]), DAG.from_arcs(["c -> b", "b -> a"]))
    0
    """
    if _undirected(graph) or _undirected(reference):
        raise GraphError("shd_cpdag compares DAGs or PDAGs, got an undirected graph.")
    one, two = (cpdag(each) if each.directed else each for each in (graph, reference))
    return _distance(one, _aligned(one, two))


def skeleton_scores(graph: Graph, reference: Graph) -> tuple[float, float, float]:
    """Give precision, recall and F1 of the adjacent pairs.

    A graph without edges has precision one, a reference without edges gives recall one: nothing was
    wrong, nothing was overlooked.

    Raises
    ------
    GraphError : the graphs have different nodes.

    Examples
    --------
    >>> found = DAG.from_arcs(["a -> b", "b -> c"])
    >>> skeleton_scores(found, DAG.from_arcs(["b -> a"], nodes=["a", "b", "c"]))
    (0.5, 1.0, 0.6666666666666666)
    """
    return _scores(*_counts(graph, _aligned(graph, reference)))


def difference(graph: Graph, reference: Graph) -> float:
    """Give the share of all pairs that are adjacent in exactly one of the graphs.

    Raises
    ------
    GraphError : the graphs have different nodes.

    Examples
    --------
    >>> difference(DAG.from_arcs(["a -> b", "b -> c"]), DAG.from_arcs(["b -> a", "a -> c"]))
    0.6666666666666666
    """
    _, extra, missing = _counts(graph, _aligned(graph, reference))
    return _share(extra + missing, len(graph.nodes))


def _undirected(graph: Graph) -> bool:
    return graph.directed is False


def _aligned(graph: Graph, reference: G) -> G:
    """Bring the reference into the node order of the graph."""
    if graph.nodes == reference.nodes:
        return reference
    odd = sorted(set(graph.nodes).symmetric_difference(reference.nodes))
    if odd:
        shown = ", ".join(map(repr, odd[:5])) + (" ..." if len(odd) > 5 else "")
        raise GraphError(
            f"Only graphs on the same nodes can be compared; in one of them only: {shown}."
        )
    return cast(G, reference.over(graph.nodes))


def _relations(graph: Graph) -> dict[tuple[int, int], str]:
    """Say of each adjacent pair (smaller, larger) how it is joined: ->, <- or -."""
    joined = {
        (min(arc), max(arc)): "->" if arc[0] < arc[1] else "<-" for arc in graph.numbered_arcs
    }
    return joined | dict.fromkeys(graph.numbered_edges, "-")


def _distance(graph: Graph, other: Graph) -> int:
    """Count the pairs whose relation differs."""
    differing = set(_relations(graph).items()) ^ set(_relations(other).items())
    return len({ends for ends, _ in differing})


def _counts(graph: Graph, other: Graph) -> tuple[int, int, int]:
    """Count the pairs adjacent in both graphs, in the first only, in the second only."""
    one, two = (set(skeleton(each).numbered_edges) for each in (graph, other))
    return len(one & two), len(one - two), len(two - one)


def _scores(common: int, extra: int, missing: int) -> tuple[float, float, float]:
    """Give precision, recall and F1; one where the denominator is zero."""
    pairs = ((common, extra), (common, missing), (2 * common, extra + missing))
    precision, recall, f1 = (hit / (hit + miss) if hit + miss else 1.0 for hit, miss in pairs)
    return precision, recall, f1


def _share(count: int, nodes: int) -> float:
    """Divide by the number of pairs."""
    pairs = nodes * (nodes - 1) // 2
    return count / pairs if pairs else 0.0
