"""A graph as a CSV file: the columns parent and child, one arc per row, or first and second for edges.

Spreadsheets, R and people can read and write it. A node without any edge has a row of its own with
an empty second cell, so that nothing is lost on the way there and back.
"""

import csv
import io

from arcwise.data.text import check_quotes
from arcwise.errors import FileError
from arcwise.graphs import DAG, UGraph, named
from arcwise.io.files import Format, Stored

# Column names that other programs give to the two ends of an arc.
HEADERS = {("parent", "child"), ("from", "to"), ("source", "target"), ("tail", "head")}
# The same where an edge has no direction.
EDGES = {("first", "second"), ("one", "two"), ("node1", "node2")}


def read_arcs(content: bytes) -> Stored:
    r"""Read a table of arcs.

    Parameters
    ----------
    content : the bytes of the file; its header is ``parent,child`` (``from,to``,
        ``source,target`` and ``tail,head`` will do, further columns are passed over), or
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
            "a file of arcs starts with the header 'parent,child' (or 'first,second' where edges have "
            "no direction), this one does not"
        )
    pairs = [_pair(number, row) for number, row in enumerate(rows[1:], start=2) if row]
    arcs = [(parent, child) for parent, child in pairs if child]
    nodes = sorted({name for pair in pairs for name in pair if name})
    if header in EDGES:
        return Stored(UGraph.from_edges(arcs, nodes))
    return Stored(DAG.from_arcs(arcs, nodes))


def _pair(number: int, row: list[str]) -> tuple[str, str]:
    if len(row) < 2 or not row[0]:
        raise FileError(f"row {number} should name the two ends of an edge, it has {row}")
    return row[0], row[1]


def write_arcs(stored: Stored) -> bytes:
    r"""Write the arcs of a stored network, or its edges where they have no direction.

    >>> from arcwise.graphs import DAG, UGraph
    >>> write_arcs(Stored(DAG.from_arcs([("a", "b")], nodes=["a", "b", "c"])))
    b'parent,child\na,b\nc,\n'
    """
    undirected = isinstance(stored.graph, UGraph)
    graph = stored.graph if undirected else stored.directed("Arc table")
    pairs = [named(graph, ends) for ends in (*graph.numbered_arcs, *graph.numbered_edges)]
    touched = {name for pair in pairs for name in pair}
    rows = [("first", "second") if undirected else ("parent", "child"), *pairs]
    rows += [(name, "") for name in graph.nodes if name not in touched]
    return "".join(f"{_cell(left)},{_cell(right)}\n" for left, right in rows).encode()


def _cell(text: str) -> str:
    """Quote a cell where it needs it (the standard library forgets a lone carriage return)."""
    if not any(sign in text for sign in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


ARCS = Format("arc table", read_arcs, write_arcs)
