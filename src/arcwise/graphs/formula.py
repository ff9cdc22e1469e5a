"""Graphs made from what people write, and written as texts.

`dag`, `ug` and `graph_of` take every form that ``reading`` knows. A *formula* is a sum of terms, names joined
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
from arcwise.graphs.nodes import AnyGraph, unknown_node
from arcwise.graphs.notation import (
    FORMULA_SIGNS,
    STRING_SIGNS,
    has_arrow,
    has_lines,
    has_links,
    model_string_families,
)
from arcwise.graphs.reading import Reading, is_matrix, plain_names
from arcwise.graphs.ugraph import UGraph


def ug(*given: Any, nodes: Iterable[str] | None = None) -> UGraph:
    """Make an undirected graph from edges, formulas, lists of names, a matrix or a networkx graph.

    Parameters
    ----------
    given : texts such as "a:b:e + c" or "a -- b, b - c"; lists of names (all adjacent), of pairs or of texts;
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
    found, order = _read(given, False, nodes)
    return UGraph.from_edges(found.edges, order)


def dag(*given: Any, nodes: Iterable[str] | None = None) -> DAG:
    """Make a DAG from arcs, formulas, a model string, a mapping, a matrix or a networkx graph.

    An arc runs from parent to child in every form.

    Parameters
    ----------
    given : one of these, or several of the first three:

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
    if len(given) == 1 and isinstance(given[0], str) and given[0].lstrip().startswith("["):
        return from_model_string(given[0], nodes=nodes)
    terms = [term for term in given if not isinstance(term, tuple) and plain_names(term)]
    if terms and all(len(list(term)) == 2 for term in terms):
        child, parent = terms[0]
        raise GraphError(
            f"A list of two names has two meanings, got {[child, parent]!r}: write "
            f"[({parent!r}, {child!r})] for the arc {parent} -> {child}, or {{{child!r}: [{parent!r}]}}."
        )
    found, order = _read(given, True, nodes)
    return DAG.from_arcs(found.arcs, order)


def graph_of(given: Any) -> DAG | UGraph:
    """Make the graph that is given in any form: undirected if it has edges without a direction, else a DAG.

    Raises
    ------
    GraphError : as for `dag` and `ug`; a formula such as "a:b" that does not say which of the two it is.

    Examples
    --------
    >>> graph_of("a -- b"), graph_of({"b": ["a"]})
    (<UGraph a:b>, <DAG [a][b|a]>)
    """
    if isinstance(given, DAG | UGraph):
        return given
    if isinstance(given, AnyGraph):
        raise GraphError(f"A DAG or a UGraph is needed, got a {type(given).__name__}.")
    if isinstance(given, str) and either(given):
        raise GraphError(
            f"The formula {given!r} does not say whether its edges have a direction: write "
            f"ug({given!r}) for an undirected graph; for a directed one arcs such as 'parent -> child', or a "
            "model string such as '[a][b|a]'."
        )
    if is_matrix(given) or hasattr(given, "is_directed"):
        both = Reading(None)
        both.read(given)
        return ug(given) if both.edges and not both.arcs else dag(given)
    texts = [given] if isinstance(given, str) else given if isinstance(given, list | tuple) else []
    return ug(given) if any(isinstance(t, str) and has_lines(t) for t in texts) else dag(given)


def parents_as_written(given: Any) -> dict[str, tuple[str, ...]]:
    """The parents of each child in the order in which a DAG names them; empty for forms without an order.

    >>> parents_as_written("[a][b][c|b:a]")
    {'c': ('b', 'a')}
    """
    ordered = isinstance(given, str | list | tuple | Mapping) and not is_matrix(given)
    if not ordered or (
        isinstance(given, Mapping) and any(isinstance(v, Set) for v in given.values())
    ):
        return {}
    found = Reading(True)
    found.read(given)
    parents: dict[str, dict[str, None]] = {}
    for tail, head in found.arcs:
        parents.setdefault(head, {})[tail] = None
    return {head: tuple(tails) for head, tails in parents.items()}


def _read(
    given: Sequence[Any], directed: bool, nodes: Iterable[str] | None
) -> tuple[Reading, tuple[str, ...]]:
    """Read forms of one graph; return what was read and the names in order."""
    found, names = Reading(directed), None if nodes is None else tuple(nodes)
    for each in given:
        if is_matrix(each):
            found.matrix(each, names)
        else:
            found.read(each)
    if names is None:
        return found, found.nodes or tuple(sorted(found.names))
    graph = UGraph.empty(names)
    for name in found.names:
        graph.index(name)
    return found, graph.nodes


def either(text: str) -> bool:
    """Tell whether a formula alone does not say if its graph is directed.

    An arrow, a bar or a bracket tells, and so do a leading `~` and a single name that is in another
    term, too: in an undirected formula it would say nothing. All that `formula` writes of a DAG does.

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
    joined = set[str]().union(*(term for term in terms if len(term) > 1))
    return bool(joined) and not any(len(term) == 1 and term <= joined for term in terms)


def formula(graph: DAG | UGraph) -> str:
    """Write a graph as a formula that `dag` or `ug` reads back.

    Raises
    ------
    GraphError : a name holds a sign of formulas, or begins or ends with a blank.

    Examples
    --------
    >>> formula(DAG.from_arcs(["a -> c", "b -> c"]))
    'a + b + c:a:b'
    """
    _refuse_signs(graph.nodes, FORMULA_SIGNS, "formula")
    if isinstance(graph, UGraph):
        return str(graph)
    rows = enumerate(graph.nodes)
    return " + ".join(":".join((name, *graph.parents_of(node))) for node, name in rows)


def model_string(graph: DAG) -> str:
    """Write a DAG as bnlearn's model string, roots first.

    Raises
    ------
    GraphError : a name holds one of the signs [ ] | : or begins or ends with a blank.

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
    nodes : all names, in order; the sorted names if left out.

    Raises
    ------
    GraphError : text of another form, a node twice, a parent without brackets of its own, a cycle.

    Examples
    --------
    >>> from_model_string("[A][C|A:B][B]").arcs
    (('A', 'C'), ('B', 'C'))
    """
    families: dict[str, list[str]] = {}
    for child, parents in model_string_families(text):
        if child in families:
            raise GraphError(f"Node {child!r} has two pairs of brackets in the model string.")
        families[child] = parents
    graph = DAG.empty(sorted(families) if nodes is None else nodes)
    for child, parents in families.items():
        graph.index(child)
        for parent in parents:
            if parent not in families:
                raise GraphError(
                    f"{unknown_node(parent, families)} It is named as a parent of {child!r}, "
                    "but every node of a model string needs its own brackets."
                )
    return DAG.from_arcs(((p, child) for child, row in families.items() for p in row), graph.nodes)


def _refuse_signs(names: Sequence[str], signs: Sequence[str], form: str) -> None:
    """Refuse names that a text could not give back."""
    for name in names:
        bad = [sign for sign in signs if sign in name]
        if bad:
            raise GraphError(
                f"Node {name!r} holds the sign {bad[0]!r}, which has a meaning in a {form}; "
                "rename it, or save the graph as arcs."
            )
        if has_arrow(name):
            raise GraphError(
                f"Node {name!r} holds the sign of an arc or edge, which has a meaning in a {form}; "
                "rename it, or save the graph as arcs."
            )
        if name != name.strip():
            raise GraphError(
                f"Node {name!r} begins or ends with a blank, which a {form} would lose."
            )
