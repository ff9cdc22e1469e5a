"""Texts of graphs: a CSV table of arcs or edges, and Graphviz DOT for other programs.

A table has the columns parent and child, one arc per row, or first and second for edges. Spreadsheets, R and
people can read and write it. A node without any edge has a row with an empty second cell, so that
nothing is lost on the way there and back.

In DOT arcs are ``->``, undirected edges ``--``; a graph with both kinds is a ``digraph`` whose undirected
edges have no arrow heads. A learned network is written as it is drawn: arcs with a head, other edges
without one, and a caption where heads are unchecked. Every name is quoted: inside quotes only the
quotation mark and the backslash need care, and any other character of any alphabet represents itself.
"""

import csv
import io
from collections.abc import Iterable, Mapping

from arcwise.data.text import check_quotes
from arcwise.errors import FileError, GraphError, close_to
from arcwise.graphs import DAG, Graph, UGraph, node_names
from arcwise.io.files import Format, StoredNet

# Column names that other programs give to the two ends of an arc.
HEADERS = {("parent", "child"), ("from", "to"), ("source", "target"), ("tail", "head")}
# The same where an edge has no direction.
EDGES = {("first", "second"), ("one", "two"), ("node1", "node2")}


def read_arcs(content: bytes) -> StoredNet:
    r"""Read a table of arcs.

    Parameters
    ----------
    content : the bytes of the file; its header is ``parent,child`` (``from,to``,
        ``source,target`` and ``tail,head`` will do, further columns are ignored), or
        ``first,second`` (also ``one,two`` and ``node1,node2``) where edges have no direction.

    Returns
    -------
    Stored with a graph only, nodes sorted by name.

    Raises
    ------
    FileError : another header, a row that is not an arc, or arcs that form a cycle.

    >>> str(read_arcs(b"parent,child\na,b\nc,\n").graph)
    '[a][c][b|a]'
    >>> str(read_arcs(b"first,second\nb,a\nc,\n").graph)
    'a:b + c'
    """
    try:
        text = content.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error):
        raise FileError("it is not CSV text in UTF-8") from None
    check_quotes(io.StringIO(text, newline=None), ",", len(rows[0]) if rows else 0)
    header = tuple(cell.strip().lower() for cell in rows[0][:2]) if rows else ()
    if header not in HEADERS | EDGES:
        raise FileError(
            "a file of arcs must start with the header 'parent,child' ('first,second' for "
            "undirected edges)"
        )
    pairs = [_pair(number, row) for number, row in enumerate(rows[1:], start=2) if row]
    arcs = [(parent, child) for parent, child in pairs if child]
    nodes = sorted({name for pair in pairs for name in pair if name})
    if header in EDGES:
        return StoredNet(UGraph.from_edges(arcs, nodes))
    return StoredNet(DAG.from_arcs(arcs, nodes))


def _pair(number: int, row: list[str]) -> tuple[str, str]:
    if len(row) < 2 or not row[0]:
        raise FileError(f"row {number} must name the two ends of an edge, got {row}")
    return row[0], row[1]


def write_arcs(stored: StoredNet) -> bytes:
    r"""Write the arcs of a stored network, or its edges where they have no direction.

    >>> from arcwise.graphs import DAG, UGraph
    >>> write_arcs(StoredNet(DAG.from_arcs([("a", "b")], nodes=["a", "b", "c"])))
    b'parent,child\na,b\nc,\n'
    """
    undirected = stored.graph.directed is False
    graph = stored.graph if undirected else stored.directed("Arc table")
    pairs = [node_names(graph, ends) for ends in (*graph.numbered_arcs, *graph.numbered_edges)]
    touched = {name for pair in pairs for name in pair}
    rows = [("first", "second") if undirected else ("parent", "child"), *pairs]
    rows += [(name, "") for name in graph.nodes if name not in touched]
    return "".join(f"{_cell(left)},{_cell(right)}\n" for left, right in rows).encode()


def _cell(text: str) -> str:
    """Quote a cell if needed (the standard library forgets a lone carriage return)."""
    if not any(sign in text for sign in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


ARCS = Format("arc table", read_arcs, write_arcs)


# -- Graphviz DOT -----------------------------------------------------------------------------------


def quote_name(name: str) -> str:
    r"""Quote a name for DOT.

    >>> print(quote_name('the "best" a\\b'))
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
    undirected = graph.directed is False
    arcs, edges = (
        [(graph.nodes[one], graph.nodes[two]) for one, two in ends]
        for ends in (graph.numbered_arcs, graph.numbered_edges)
    )
    _check(texts, {*arcs, *edges, *(edge[::-1] for edge in edges)})
    both_ways = texts | {(b, a): text for (a, b), text in texts.items()}
    sign, plain = ("--", "") if undirected else ("->", "dir=none")
    lines = [f"  label={quote_name(caption)};"] if caption else []
    lines += [f"  {quote_name(name)};" for name in graph.nodes]
    lines += _edges(arcs, "->", "", texts) + _edges(edges, sign, plain, both_ways)
    return "\n".join(["graph {" if undirected else "digraph {", *lines, "}"])


def _edges(
    pairs: Iterable[tuple[str, str]], sign: str, style: str, texts: Mapping[tuple[str, str], str]
) -> list[str]:
    lines = []
    for tail, head in pairs:
        label = f"label={quote_name(texts[tail, head])}" if (tail, head) in texts else ""
        options = ", ".join(filter(None, [style, label]))
        end = f" [{options}];" if options else ";"
        lines.append(f"  {quote_name(tail)} {sign} {quote_name(head)}{end}")
    return lines


def _check(texts: Iterable[tuple[str, str]], edges: set[tuple[str, str]]) -> None:
    """Reject labels at pairs that no edge joins."""
    for tail, head in texts:
        if (tail, head) not in edges:
            words = [f"{a} -> {b}" for a, b in sorted(edges)]
            raise GraphError(
                f"A label was given for {tail!r} -> {head!r}, which is not an edge of the graph. "
                + close_to(f"{tail} -> {head}", words)
            )


def write_dot(stored: StoredNet) -> bytes:
    """Write the graph of a stored network, with its caption if it has one."""
    return (dot(stored.graph, caption=str(stored.about.get("caption", ""))) + "\n").encode()


DOT = Format("DOT", None, write_dot)
