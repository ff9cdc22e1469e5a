"""Graphs as Graphviz DOT text, for drawing elsewhere.

Arcs are ``->``, undirected edges ``--``; a graph with both kinds is a ``digraph`` whose undirected
edges have no arrow heads. A learned network is written as it is drawn: arcs with a head, other edges
without one, and a caption where heads are unchecked. Every name is quoted: inside quotes only the
quotation mark and the backslash need care, and any other character of any alphabet stands for itself.
"""

from collections.abc import Iterable, Mapping

from arcwise.errors import GraphError, close_to
from arcwise.graphs import Graph, UGraph
from arcwise.io.files import Format, Stored


def quoted(name: str) -> str:
    r"""Quote a name for DOT.

    >>> print(quoted('the "best" a\\b'))
    "the \"best\" a\\b"
    """
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\r\n", "\\n").replace("\n", "\\n").replace("\r", "\\n") + '"'


def dot(
    graph: Graph, labels: Mapping[tuple[str, str], object] | None = None, caption: str = ""
) -> str:
    """Write a graph as DOT.

    Parameters
    ----------
    graph : a DAG, UGraph or PDAG.
    labels : texts or numbers to write at edges, by (parent, child) for arcs and by the pair in
        either order for undirected edges.
    caption : a line below the graph.

    Returns
    -------
    The text.

    Raises
    ------
    GraphError : a label belongs to no edge.

    >>> from arcwise.graphs import DAG
    >>> print(dot(DAG.from_arcs([("a", "b")]), {("a", "b"): "0.5"}))
    digraph {
      "a";
      "b";
      "a" -> "b" [label="0.5"];
    }
    """
    texts = {pair: str(label) for pair, label in (labels or {}).items()}
    undirected = isinstance(graph, UGraph)
    arcs, edges = (
        [(graph.nodes[one], graph.nodes[two]) for one, two in ends]
        for ends in (graph.numbered_arcs, graph.numbered_edges)
    )
    _check(texts, {*arcs, *edges, *(edge[::-1] for edge in edges)})
    both_ways = texts | {(b, a): text for (a, b), text in texts.items()}
    sign, plain = ("--", "") if undirected else ("->", "dir=none")
    lines = [f"  label={quoted(caption)};"] if caption else []
    lines += [f"  {quoted(name)};" for name in graph.nodes]
    lines += _edges(arcs, "->", "", texts) + _edges(edges, sign, plain, both_ways)
    return "\n".join(["graph {" if undirected else "digraph {", *lines, "}"])


def _edges(
    pairs: Iterable[tuple[str, str]], sign: str, style: str, texts: Mapping[tuple[str, str], str]
) -> list[str]:
    lines = []
    for tail, head in pairs:
        label = f"label={quoted(texts[tail, head])}" if (tail, head) in texts else ""
        options = ", ".join(filter(None, [style, label]))
        end = f" [{options}];" if options else ";"
        lines.append(f"  {quoted(tail)} {sign} {quoted(head)}{end}")
    return lines


def _check(texts: Iterable[tuple[str, str]], known: set[tuple[str, str]]) -> None:
    """Refuse labels at pairs that no edge joins."""
    for tail, head in texts:
        if (tail, head) not in known:
            words = [f"{a} -> {b}" for a, b in sorted(known)]
            raise GraphError(
                f"A label is given for {tail!r} -> {head!r}, which is not an edge of the graph. "
                + close_to(f"{tail} -> {head}", words)
            )


def write_dot(stored: Stored) -> bytes:
    """Write the graph of a stored network, with its caption if it has one."""
    return (dot(stored.graph, caption=str(stored.about.get("caption", ""))) + "\n").encode()


DOT = Format("DOT", None, write_dot)
