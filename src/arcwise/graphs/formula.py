"""Graphs written as text: formulas and model strings.

A *formula* is a sum of terms, names joined by `:` or `*`, with an optional `~` in front:

- undirected, `ug("a:b:e + a:c")`: all names of a term are joined with each other; where a text holds `--`,
  its terms are edges or paths such as `a -- b -- c`, parted by commas or plus signs;
- directed, `dag("a + b:a + c:a:b")`: the first name of a term is the child, the others are its
  parents; `c|a:b` says the same, and so does `a -> c, b -> c`: where a text holds `->`, its terms
  are arcs or paths, parted by commas or plus signs.

A term may also be given as a list of names, which then may hold any signs but `->` and `--`. These are the
forms of R's gRbase (Dethlefsen and Hojsgaard 2005), but for the arrows. A *model string* such as
`[A][B][C|A:B]` lists every node with its parents, as in R's bnlearn (Scutari 2010).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import TypeAlias

from arcwise.errors import GraphError
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import unknown_node
from arcwise.graphs.ugraph import UGraph

Formula: TypeAlias = str | Sequence[str] | Sequence[Sequence[str]]

# An opening bracket would make a formula look like a model string.
_ARROW, _LINE = "->", "--"
_FORMULA_SIGNS = (*"+:*|~[", _ARROW, _LINE)
_STRING_SIGNS = tuple("[]|:")
_BRACKET = re.compile(r"\s*\[([^\[\]|]*)(?:\|([^\[\]|]*))?\]\s*")


def ug(*formulas: Formula, nodes: Iterable[str] | None = None) -> UGraph:
    """Make an undirected graph from formulas or lists of names.

    Parameters
    ----------
    formulas : texts such as "a:b:e + c" or "a -- b, b -- c", lists of names (one term each), or lists of
        such lists or of edges.
    nodes : all names, in order; the sorted names of the formulas if left out.

    Raises
    ------
    GraphError : a term that is empty or names a node twice, or a name that is not in `nodes`.

    Examples
    --------
    >>> ug("a:b:e + a:c:e + b:d:e + c:d:e + c:g + d:f").n_edges
    10
    >>> ug(["a", "b"], ["b", "c"]) == ug("a*b", "~b:c") == ug(["a -- b", "b -- c"])
    True
    """
    parts = (part for formula in formulas for part in _terms(formula))
    terms = [term for part in parts for term in _undirected(part)]
    names = sorted({name for term in terms for name in term}) if nodes is None else nodes
    graph = UGraph.empty(names)
    for name in (name for term in terms for name in term):
        graph.index(name)
    pairs = [ends for term in terms for ends in combinations(term, 2)]
    return UGraph.from_edges(pairs, graph.nodes)


def dag(*formulas: Formula, nodes: Iterable[str] | None = None) -> DAG:
    """Make a DAG from formulas, lists of names, or a model string.

    Parameters
    ----------
    formulas : texts such as "a + b:a" (child first) or "a -> b, b -> c", lists of names (child
        first), lists of such lists or of arcs, or a model string such as "[a][b|a]".
    nodes : all names, in order; the sorted names of the formulas if left out.

    Raises
    ------
    GraphError : a term that is empty or names a node twice, a cycle, or a name not in `nodes`.

    Examples
    --------
    >>> dag("a + b:a + c:a:b + d:c:e + e:a")
    <DAG [a][b|a][e|a][c|a:b][d|c:e]>
    >>> dag("a -> b -> c, a -> c, d").arcs
    (('a', 'b'), ('a', 'c'), ('b', 'c'))
    >>> dag(["gauge", "fuel", "battery"]).parents_of("gauge")
    ('battery', 'fuel')
    """
    if len(formulas) == 1 and isinstance(formulas[0], str) and formulas[0].lstrip().startswith("["):
        return from_model_string(formulas[0], nodes=nodes)
    parts = (part for formula in formulas for part in _terms(formula))
    terms = [family for part in parts for family in _families(part)]
    names = sorted({name for term in terms for name in term}) if nodes is None else nodes
    graph = DAG.empty(names)
    for term in terms:
        graph.index(term[0])
    return DAG.from_arcs(((parent, term[0]) for term in terms for parent in term[1:]), graph.nodes)


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
    if bare.startswith(("~", "[")) or _ARROW in bare or "|" in bare:
        return False
    terms = [{name.strip() for name in re.split(r"[:*]", term)} for term in bare.split("+")]
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
    _refuse_signs(graph.nodes, _FORMULA_SIGNS, "formula")
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
    _refuse_signs(graph.nodes, _STRING_SIGNS, "model string")
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
    for child, parents in _brackets(text):
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


def _brackets(text: str) -> Iterator[tuple[str, list[str]]]:
    """Go through the bracketed families of a model string."""
    place = 0
    while place < len(text):
        match = _BRACKET.match(text, place)
        if match is None:
            raise GraphError(
                f"A model string looks like [A][B|A], got {text[place : place + 20]!r} "
                f"at sign {place + 1}; names must not hold any of [ ] | : there."
            )
        parents = [] if match[2] is None else match[2].split(":")
        yield _checked([match[1], *parents], match[0].strip())
        place = match.end()


def _checked(names: list[str], term: str) -> tuple[str, list[str]]:
    """Strip blanks and refuse empty or repeated names; return child and parents."""
    bare = [name.strip() for name in names]
    if not all(bare):
        raise GraphError(f"The term {term!r} has an empty name; write names between its signs.")
    if len(set(bare)) != len(bare):
        twice = next(name for name in bare if bare.count(name) > 1)
        raise GraphError(f"The term {term!r} names {twice!r} twice.")
    return bare[0], bare[1:]


def _terms(formula_: Formula) -> Iterator[str | list[str]]:
    """Take a formula apart: texts at their plus signs (and commas, where they hold arcs)."""
    if isinstance(formula_, str):
        yield from re.split("[+,]" if _joining(formula_) else "[+]", _bare(formula_))
    elif not isinstance(formula_, Iterable):
        raise GraphError(f"A formula is a text or a list of names, got {formula_!r}.")
    elif all(isinstance(entry, str) and not _joining(entry) for entry in formula_):
        yield [str(entry) for entry in formula_]
    else:
        for entry in formula_:
            yield from _terms(entry)


def _joining(text: str) -> bool:
    """Whether a text names arcs or edges by the signs between their ends."""
    return _ARROW in text or _LINE in text


def _bare(text: str) -> str:
    """Return a formula without blanks around it and without its leading sign."""
    return text.strip().removeprefix("~")


def _split(term: str | list[str]) -> list[str]:
    """Return the names of a term."""
    if isinstance(term, list):
        # Names in a list are taken as they are, blanks and signs included.
        if not term or not all(term) or len(set(term)) != len(term):
            raise GraphError(
                f"A list of names must hold each name once and no empty one: {term!r}."
            )
        return term
    if "~" in term:
        raise GraphError(f"The sign ~ can only begin a formula, but it is inside {term.strip()!r}.")
    child, others = _checked(re.split(r"[:*]", term), term.strip())
    return [child, *others]


def _undirected(term: str | list[str]) -> Iterator[list[str]]:
    """Go through the sets of names that an undirected term joins: a path has one for each edge."""
    for sign in ("|", _ARROW):
        if isinstance(term, str) and sign in term:
            raise GraphError(
                f"An undirected term has no {sign}, got {term.strip()!r}; use : or * or --."
            )
    if isinstance(term, str) and _LINE in term:
        yield from map(list, pairwise(_path(term, _LINE)))
    else:
        yield _split(term)


def _families(term: str | list[str]) -> Iterator[list[str]]:
    """Go through the families of a directed term, child first: a path has one for each arc."""
    if isinstance(term, str) and _ARROW in term:
        names = _path(term, _ARROW)
        yield from ([head, tail] for tail, head in pairwise(names))
    elif isinstance(term, str) and _LINE in term:
        raise GraphError(f"A directed graph has arcs such as a -> b, got {term.strip()!r}.")
    else:
        yield _child_first(term)


def _path(term: str, sign: str) -> list[str]:
    """Return the names of a path such as a -> b -> c."""
    signs = [each for each in (*":*|~", _ARROW, _LINE) if each in term and each != sign]
    if signs:
        raise GraphError(
            f"A term with {sign} is a path such as a {sign} b {sign} c, but {term.strip()!r} holds "
            f"{signs[0]!r}; give a node's parents as [c|a:b], or one arc or edge after the other."
        )
    first, others = _checked(term.split(sign), term.strip())
    return [first, *others]


def _child_first(term: str | list[str]) -> list[str]:
    """Return the names of a directed term, taking child|parents like child:parents."""
    if isinstance(term, str) and "|" in term:
        child, _, parents = term.partition("|")
        if "|" in parents or ":" in child or "*" in child:
            raise GraphError(f"A term with | is child|parent:parent, got {term.strip()!r}.")
        return _split(f"{child}:{parents}")
    return _split(term)


def _refuse_signs(names: Sequence[str], signs: Sequence[str], form: str) -> None:
    """Refuse names that a text could not give back."""
    for name in names:
        bad = [sign for sign in signs if sign in name]
        if bad:
            raise GraphError(
                f"Node {name!r} holds the sign {bad[0]!r}, which has a meaning in a {form}; "
                "rename it, or save the graph as arcs."
            )
        if name != name.strip():
            raise GraphError(
                f"Node {name!r} begins or ends with a blank, which a {form} would lose."
            )
