"""Read graphs from texts, lists and matrices, and write them as texts.

`dag`, `ug` and `graph_of` take every form that ``parser`` reads. A *formula* is a sum of terms, names joined
by `:` or `*`, with an optional `~` in front: in `ug("a:b:e + a:c")` all names of a term are adjacent; in
`dag("a + b:a + c:a:b")` the first name of a term is the child, the others are its parents. These are the
forms of R's gRbase (Dethlefsen and Hojsgaard 2005). Arrows, `a -> b <- c`, always run from parent to child.
A *model string* such as `[A][B][C|A:B]` lists every node with its parents, as in R's bnlearn (Scutari 2010).
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.matrix import is_matrix, links_of_matrix, links_of_networkx, ones_of
from arcwise.graphs.parser import (
    FORMULA_SIGNS,
    STRING_SIGNS,
    Parser,
    has_arrow,
    has_lines,
    has_links,
    plain_names,
)
from arcwise.graphs.pdag import PDAG, Graph
from arcwise.graphs.ugraph import UGraph
from arcwise.values import clear_calls


@clear_calls
def ug(*forms: Any, nodes: Iterable[str] | None = None) -> UGraph:
    """Make an undirected graph from edges, formulas, lists of names, a matrix or a networkx graph.

    Parameters
    ----------
    forms : texts such as "a:b:e + c" or "a -- b, b - c"; lists of names (all adjacent), of pairs or of texts;
        a symmetric matrix; a networkx Graph; a UGraph.
    nodes : all names, in order; by default the columns of a matrix, else the sorted names.

    Raises
    ------
    GraphError : a form that is none of these, an arrow, a node adjacent to itself, a name not in `nodes`.

    Examples
    --------
    >>> ug("a:b:e + a:c:e + b:d:e + c:d:e + c:g + d:f").n_edges
    10
    >>> ug(["a", "b"], ["b", "c"]) == ug("a*b", "~b:c") == ug("a -- b - c") == ug([("a", "b"), "b -- c"])
    True
    """
    parsed, order = _read(forms, False, nodes)
    return UGraph.from_edges(parsed.edges, order)


@clear_calls
def dag(*forms: Any, nodes: Iterable[str] | None = None) -> DAG:
    """Make a DAG from arcs, formulas, a model string, a mapping, a matrix or a networkx graph.

    An arc runs from parent to child in every form.

    Parameters
    ----------
    forms : one of these, or several of the first three:

        * a text with arrows, "a -> b <- c; c -> d", a formula, "a + b:a" (child first), or a model string,
          "[a][b|a]";
        * a list of pairs (parent, child), or of texts;
        * lists of names, one argument each: the child, then its parents;
        * a mapping from each child to its parents, ``{"b": ["a"]}``;
        * an adjacency matrix, row -> column: array, frame, sparse matrix, nested lists;
        * a networkx DiGraph, or a DAG.
    nodes : all names, in order; by default the columns of a matrix, else the sorted names.

    Raises
    ------
    GraphError : another form, one with two meanings, an edge without a direction, a cycle, a name not
        in `nodes`.

    Examples
    --------
    >>> dag("a + b:a + c:a:b + d:c:e + e:a")
    <DAG [a][b|a][e|a][c|a:b][d|c:e]>
    >>> dag("A -> B <- C") == dag([("A", "B"), ("C", "B")]) == dag({"B": ["A", "C"]}) == dag("B <- A; C -> B")
    True
    >>> dag("a -> b -> c, a -> c, d").arcs
    (('a', 'b'), ('a', 'c'), ('b', 'c'))
    >>> dag(["gauge", "fuel", "battery"]).parents_of("gauge")
    ('battery', 'fuel')
    """
    terms = [term for term in forms if not isinstance(term, tuple) and plain_names(term)]
    if terms and all(len(list(term)) == 2 for term in terms):
        child, parent = terms[0]
        raise GraphError(
            f"A list of two names has two meanings, got {[child, parent]!r}: write "
            f"[({parent!r}, {child!r})] for the arc {parent} -> {child}, or {{{child!r}: [{parent!r}]}}."
        )
    parsed, order = _read(forms, True, nodes)
    return DAG.from_arcs(parsed.arcs, order)


def graph_of(form: Any) -> DAG | UGraph:
    """Make a graph from any form: undirected if all its edges are, else a DAG.

    Raises
    ------
    GraphError : as for `dag` and `ug`; a formula such as "a:b", which fits both kinds; a PDAG.

    Examples
    --------
    >>> graph_of("a -- b"), graph_of({"b": ["a"]})
    (<UGraph a:b>, <DAG [a][b|a]>)
    """
    graph = any_graph(form)
    if graph.directed is None:
        one, two = graph.edges[0] if graph.edges else ("", "")
        raise GraphError(
            "The graph must be a DAG or a UGraph, got a PDAG"
            + (f", where {one} -- {two} has no direction" if one else "")
            + ": use a member of its class, arcwise.graphs.extension(graph)."
        )
    return graph


def any_graph(form: Any) -> Graph:
    """Return the graph of a network, or make a graph from any form; a PDAG if it has arcs and edges.

    Raises
    ------
    GraphError : as for `graph_of`, but for PDAGs.

    Examples
    --------
    >>> any_graph([[0, 1, 0], [0, 0, 1], [0, 1, 0]])
    <PDAG x1 -> x2, x2 - x3>
    """
    if isinstance(form, Graph):
        return form
    if isinstance(getattr(form, "graph", None), Graph):
        return any_graph(form.graph)
    if isinstance(form, str) and either(form):
        raise GraphError(
            f"The formula {form!r} is ambiguous about directions: write ug({form!r}) for an "
            "undirected graph; for a directed one arcs such as 'parent -> child', or a model "
            "string such as '[a][b|a]'."
        )
    if is_matrix(form) or hasattr(form, "is_directed"):
        both = Parser(None)
        both.read(form)
        if both.edges and both.arcs:
            return PDAG.from_edges(both.arcs, both.edges, _order(both, None))
        return ug(form) if both.edges else dag(form)
    texts = [form] if isinstance(form, str) else form if isinstance(form, list | tuple) else []
    return ug(form) if any(isinstance(t, str) and has_lines(t) for t in texts) else dag(form)


def parents_as_written(form: Any) -> dict[str, tuple[str, ...]]:
    """Return the parents of each child in the order in which a DAG lists them; empty for forms without an
    order.

    >>> parents_as_written("[a][b][c|b:a]")
    {'c': ('b', 'a')}
    """
    ordered = isinstance(form, str | list | tuple | Mapping) and not is_matrix(form)
    if not ordered or (
        isinstance(form, Mapping) and any(isinstance(v, Set) for v in form.values())
    ):
        return {}
    parsed = Parser(True)
    parsed.read(form)
    parents: dict[str, dict[str, None]] = {}
    for tail, head in parsed.arcs:
        parents.setdefault(head, {})[tail] = None
    return {head: tuple(tails) for head, tails in parents.items()}


def _read(
    forms: Sequence[Any], directed: bool, nodes: Iterable[str] | None
) -> tuple[Parser, tuple[str, ...]]:
    """Parse forms of one graph; return the parser and the names in order."""
    parsed, names = Parser(directed), None if nodes is None else tuple(nodes)
    for form in forms:
        if is_matrix(form):
            parsed.take(*links_of_matrix(form, names))
        else:
            parsed.read(form)
    return parsed, _order(parsed, names)


def _order(parsed: Parser, nodes: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names of all nodes in order; parsed names must be among the given ones."""
    if nodes is None:
        return parsed.nodes or tuple(sorted(parsed.names))
    graph = UGraph.empty(nodes)
    for name in parsed.names:
        graph.index(name)
    return graph.nodes


def either(text: str) -> bool:
    """Return whether a formula fits both a directed and an undirected graph.

    An arrow, a bar or a bracket decides. So do a leading `~`, and a single name that occurs in another term,
    since it would be redundant in an undirected formula. A formula that `formula` writes for a DAG is never
    ambiguous.

    Examples
    --------
    >>> [either(text) for text in ("a:b + c", "b:a + a", "b|a", "a -> b", "[a][b|a]", "~b:a")]
    [True, False, False, False, False, False]
    """
    bare = text.strip()
    if bare.startswith(("~", "[")) or has_links(bare) or "|" in bare:
        return False
    terms = [
        {name.strip() for name in re.split(r"[:*]", term)} for term in re.split(r"[+,;\n]", bare)
    ]
    adjacent = set[str]().union(*(term for term in terms if len(term) > 1))
    return bool(adjacent) and not any(len(term) == 1 and term <= adjacent for term in terms)


def formula(graph: DAG | UGraph) -> str:
    """Write a graph as a formula that `dag` or `ug` reads back.

    Raises
    ------
    GraphError : a name contains a special character of formulas, or begins or ends with a space.

    Examples
    --------
    >>> formula(DAG.from_arcs(["a -> c", "b -> c"]))
    'a + b + c:a:b'
    """
    _refuse_signs(graph.nodes, FORMULA_SIGNS, "formula")
    if not graph.directed:
        return str(graph)
    rows = enumerate(graph.nodes)
    return " + ".join(":".join((name, *graph.parents_of(node))) for node, name in rows)


def model_string(graph: DAG) -> str:
    """Write a DAG as bnlearn's model string, roots first.

    Raises
    ------
    GraphError : a name contains one of [ ] | : or begins or ends with a space.

    Examples
    --------
    >>> model_string(DAG.from_arcs(["A -> C", "B -> C"]))
    '[A][B][C|A:B]'
    """
    _refuse_signs(graph.nodes, STRING_SIGNS, "model string")
    return str(graph)


def from_model_string(text: str, nodes: Iterable[str] | None = None) -> DAG:
    """Read bnlearn's model string.

    Parameters
    ----------
    text : such as "[A][B][C|A:B]"; every node has its own brackets.
    nodes : all names, in order; the sorted names by default.

    Raises
    ------
    GraphError : text of another form, a node twice, a parent without its own brackets, a cycle.

    Examples
    --------
    >>> from_model_string("[A][C|A:B][B]").arcs
    (('A', 'C'), ('B', 'C'))
    """
    parsed = Parser(True)
    parsed.model_string(text)
    return DAG.from_arcs(parsed.arcs, _order(parsed, nodes))


def dag_from_adjacency(matrix: Any, nodes: Iterable[str] | None = None) -> DAG:
    """Read a DAG from an adjacency matrix, row -> column.

    Parameters
    ----------
    matrix : square; anything but zero is an arc. A nested list, numpy array, pandas frame (its
        columns are the names) or scipy.sparse matrix.
    nodes : names of rows and columns; x1, x2, ... by default.

    Raises
    ------
    GraphError : not square, a wrong number of names, or a cycle.

    Examples
    --------
    >>> dag_from_adjacency([[0, 1], [0, 0]], nodes=["a", "b"])
    <DAG [a][b|a]>
    """
    names, ones = ones_of(matrix, nodes)
    return DAG.from_arcs(ones, names)


def ug_from_adjacency(matrix: Any, nodes: Iterable[str] | None = None) -> UGraph:
    """Read an undirected graph from a symmetric adjacency matrix.

    Parameters
    ----------
    matrix, nodes : as for `dag_from_adjacency`; the diagonal must be zero.

    Raises
    ------
    GraphError : not square, not symmetric, or a wrong number of names.

    Examples
    --------
    >>> ug_from_adjacency([[0, 1], [1, 0]], nodes=["a", "b"])
    <UGraph a:b>
    """
    names, ones = ones_of(matrix, nodes)
    rows: list[list[int]] = [[] for _ in names]
    for one, two in ones:
        rows[one].append(two)
    return UGraph(tuple(names), tuple(map(tuple, rows)))


def pdag_from_adjacency(matrix: Any, nodes: Iterable[str] | None = None) -> PDAG:
    """Read a PDAG: ones at (i, j) and (j, i) are an edge, a single one is an arc.

    Parameters
    ----------
    matrix, nodes : as for `dag_from_adjacency`.

    Raises
    ------
    GraphError : not square, a wrong number of names, or a directed cycle.

    Examples
    --------
    >>> pdag_from_adjacency([[0, 1, 0], [0, 0, 1], [0, 1, 0]], nodes=["a", "b", "c"])
    <PDAG a -> b, b - c>
    """
    names, arcs, edges = links_of_matrix(matrix, nodes)
    return PDAG.from_edges(arcs, edges, names)


def from_networkx(graph: Any, nodes: Iterable[str] | None = None) -> Graph:
    """Read a networkx graph.

    Parameters
    ----------
    graph : Graph (gives a UGraph), or DiGraph (gives a DAG, or a PDAG if some pair has arcs both
        ways). Nodes that are not text are named by their `str`.
    nodes : all names, in order; the sorted names by default.

    Raises
    ------
    GraphError : several edges between two nodes, two nodes of the same name, a loop or a cycle.

    Examples
    --------
    >>> import networkx
    >>> from_networkx(networkx.DiGraph([("a", "b")]))
    <DAG [a][b|a]>
    """
    if not hasattr(graph, "is_directed"):
        raise GraphError(f"The graph must be a networkx Graph or DiGraph, got {type(graph)}.")
    names, arcs, edges = links_of_networkx(graph)
    order = names if nodes is None else list(nodes)
    if not graph.is_directed():
        return UGraph.from_edges(edges, order)
    return PDAG.from_edges(arcs, edges, order) if edges else DAG.from_arcs(arcs, order)


def factorisation(graph: DAG | UGraph) -> str:
    """Return the factorisation of the joint density as text.

    For a DAG, p(x) = prod_i p(x_i | parents of x_i); for an undirected graph, p(x) = (1/Z) prod_c g(x_c)
    over its maximal cliques, with potentials g >= 0 and the partition function Z (Bishop 2006, chapter 8).

    Parameters
    ----------
    graph : DAG, one factor per node in node order; or UGraph, one potential per maximal clique.

    Raises
    ------
    GraphError : another kind of graph; for a PDAG take its `extension` first.

    Examples
    --------
    >>> factorisation(DAG.from_arcs(["fuel -> gauge", "battery -> gauge"]))
    'p(battery)p(fuel)p(gauge|battery,fuel)'
    >>> factorisation(UGraph.from_edges([("a", "b"), ("b", "c")]))
    '(1/Z)g(a,b)g(b,c)'
    """
    if graph.directed:
        return "".join(_factor(graph, node) for node in range(len(graph.nodes)))
    if graph.directed is None:
        raise GraphError(f"The graph must be a DAG or a UGraph, got {type(graph).__name__}.")
    cliques = [",".join(clique) for clique in graph.cliques]
    return "(1/Z)" + "".join(f"g({clique})" for clique in cliques)


def _factor(dag: DAG, node: int) -> str:
    """Write one conditional density."""
    parents = ",".join(dag.parents_of(node))
    return f"p({dag.nodes[node]}|{parents})" if parents else f"p({dag.nodes[node]})"


def _refuse_signs(names: Sequence[str], signs: Sequence[str], form: str) -> None:
    """Raise an error if a name contains a special character of the text form."""
    for name in names:
        bad = [sign for sign in signs if sign in name]
        if bad:
            raise GraphError(
                f"Node {name!r} contains the character {bad[0]!r}, which has a meaning in a "
                f"{form}; rename it, or save the graph as arcs."
            )
        if has_arrow(name):
            raise GraphError(
                f"Node {name!r} contains an arrow or a line, which has a meaning in "
                f"a {form}; rename it, or save the graph as arcs."
            )
        if name != name.strip():
            raise GraphError(
                f"Node {name!r} begins or ends with a space, which a {form} would lose."
            )
