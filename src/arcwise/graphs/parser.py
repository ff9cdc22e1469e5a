"""Parser of every form of a graph, into arcs and edges between names.

An arc always runs from parent to child, whatever the form:

- a text: paths of ``a -> b``, ``b <- a`` and, without a direction, ``a -- b`` or ``a - b``; terms such as
  ``c:a:b``; statements are separated by a comma, a semicolon, a plus sign or a new line; or bnlearn's model
  string ``[a][b][c|a:b]`` (Scutari 2010);
- a list of pairs (parent, child), or of texts; a mapping from each child to its parents;
- a frame or array of names with a row (parent, child) per arc; an adjacency matrix, row -> column (see
  ``matrix``); a networkx graph, or a graph of this package.

Every other form raises an error: no text makes a node whose name contains an arrow. Names that contain such
characters are given in pairs or in a mapping, which are taken as they are.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any, TypeAlias

from arcwise.errors import GraphError
from arcwise.graphs.matrix import is_matrix, links_of_matrix, links_of_networkx, table_pairs
from arcwise.graphs.nodes import AnyGraph, Node, unknown_node
from arcwise.notes import Fix
from arcwise.values import are_texts, is_pair, is_several

Arc: TypeAlias = tuple[Node, Node] | str
Pair: TypeAlias = tuple[str, str]

RIGHT, LEFT, LINE, BOTH = "->", "<-", "--", "<->"

# Arrows of any length, an edge, and a dash between spaces; a name may contain a single dash.
_LINK = re.compile(r"<-+>|↔|-+>|→|<-+|←|--+|(?<=\s)-(?=\s)")
# Other arrows, which are mistakes if they remain in a name.
_ARROWS = re.compile(r"[-=~.]>|<[-=~.]|[←-⇿⟵-⟿]|--|\s-\s")
_ENDS = re.compile(r"^[-<>]|[-<>]$")
_SEPARATORS = re.compile(r"[,;\n\r]")
_BRACKET = re.compile(r"\s*\[([^\[\]|:]*)(?:\|([^\[\]|]*))?\]\s*")
_TERM_SIGNS = ":*|~"

FORMULA_SIGNS = (*"+:*|~[{},;\n\r",)
STRING_SIGNS = tuple("[]|:")


def has_links(text: str) -> bool:
    """Return whether a text names arcs or edges by the signs between their ends.

    Examples
    --------
    >>> [has_links(text) for text in ("a -> b", "a <- b", "a - b", "a-b", "a:b")]
    [True, True, True, False, False]
    """
    return _LINK.search(text) is not None


def has_lines(text: str) -> bool:
    """Return whether a text has edges without a direction, a -- b or a - b."""
    return LINE in map(_kind, _LINK.findall(text))


def has_arrow(name: str) -> bool:
    """Return whether a name contains an arrow or an edge, so that a text cannot represent it."""
    return _ARROWS.search(name) is not None or has_links(name)


def plain(name: str) -> bool:
    """Return whether a text can only be one name: no arrow, no separator, no sign of a term."""
    return not (has_arrow(name) or any(sign in name for sign in FORMULA_SIGNS))


def _statements(text: str, *, plus: bool = True) -> list[str]:
    """Split a text at commas, semicolons, new lines and, for formulas, plus signs."""
    bare = text.strip().removeprefix("~")
    lines = [line for line in re.split(r"[;\n\r]", bare) if line.strip()] or [""]
    parts = [part.strip() for line in lines for part in re.split("[+,]" if plus else ",", line)]
    for part in parts:
        if not part:
            raise GraphError(f"The text {text!r} has an empty name: write one next to each sign.")
        if "~" in part and plus:
            raise GraphError(f"The sign ~ must be at the start of a formula, got {part!r}.")
        if any(brace in part for brace in "{}"):
            raise GraphError(
                f"A graph as text must have no braces, got {part!r}: write its arcs only, 'a -> b, b -> c'."
            )
    return parts


def _path_of(statement: str, *, terms: bool = True) -> tuple[list[str], list[str]]:
    """Return the names of a path such as a -> b <- c, and the signs between them."""
    signs_inside = [sign for sign in _TERM_SIGNS if terms and sign in statement]
    if signs_inside:
        raise GraphError(
            f"A term with -> or -- must be a path such as a -> b -> c, got {statement!r} with "
            f"{signs_inside[0]!r}: write parents as [c|a:b], or one arc or edge after the other."
        )
    names = _check_names(_LINK.split(statement), statement)
    wrong = [name for name in names if _ENDS.search(name)]
    if wrong:
        raise GraphError(
            f"The ends of an arc must be names, got {wrong[0]!r} in {statement!r}: write other names as a "
            "pair (parent, child)."
        )
    return names, [_kind(sign) for sign in _LINK.findall(statement)]


def _names_of(statement: str, *, bar: bool) -> list[str]:
    """Return the names of a term such as c:a:b; with a bar, c|a:b means the same."""
    if "|" in statement:
        if not bar:
            raise GraphError(f"An undirected term must have no |, got {statement!r}: use : or --.")
        child, _, parents = statement.partition("|")
        if "|" in parents or ":" in child or "*" in child:
            raise GraphError(f"A term with | must be child|parent:parent, got {statement!r}.")
        return _check_names([child, *re.split(r"[:*]", parents)], statement)
    return _check_names(re.split(r"[:*]", statement), statement)


def _families_of(text: str) -> dict[str, list[str]]:
    """Return the children of a model string such as [A][B|A], each with its parents."""
    families, position = dict[str, list[str]](), 0
    while position < len(text):
        match = _BRACKET.match(text, position)
        if match is None:
            raise GraphError(
                f"A model string must be like [A][B|A], got {text[position : position + 20]!r} at "
                f"character {position + 1}; names must not hold any of [ ] | : there."
            )
        parents = [] if match[2] is None else match[2].split(":")
        child, *rest = _check_names([match[1], *parents], match[0].strip())
        if child in families:
            raise GraphError(f"Node {child!r} has two pairs of brackets in the model string.")
        families[child] = rest
        position = match.end()
    for child, parent in ((child, name) for child, rest in families.items() for name in rest):
        if parent not in families:
            raise GraphError(
                f"{unknown_node(parent, families)} It is a parent of {child!r}, but every node of a model "
                "string needs its own brackets."
            )
    return families


def _kind(sign: str) -> str:
    """Return the kind of a sign of any length."""
    left, right = sign[0] in "<←↔", sign[-1] in ">→↔"
    return {(False, True): RIGHT, (True, False): LEFT, (True, True): BOTH}.get((left, right), LINE)


def _check_names(names: list[str], statement: str) -> list[str]:
    """Strip spaces; reject empty and repeated names, and names that contain an arrow."""
    bare = [name.strip() for name in names]
    if not all(bare):
        raise GraphError(f"The term {statement!r} has an empty name: write one next to each sign.")
    for name in bare:
        if bare.count(name) > 1:
            raise GraphError(f"The term {statement!r} names {name!r} twice.")
        if has_arrow(name):
            raise GraphError(
                f"A name in a text must not contain an arrow, got {name!r}: write arcs as a -> b or b <- "
                "a, edges as a -- b, and other names as a pair (parent, child)."
            )
    return bare


def pair(arc: Arc) -> tuple[Node, Node]:
    """Return the ends (parent, child) of an arc given as a pair, or as a text "a -> b" or "b <- a".

    Examples
    --------
    >>> pair("rain -> wet"), pair("wet <- rain"), pair(("rain", "wet"))
    (('rain', 'wet'), ('rain', 'wet'), ('rain', 'wet'))
    """
    if isinstance(arc, str):
        if (signs := _signs_in(arc)) not in ([RIGHT], [LEFT]):
            raise GraphError(
                f"An arc as text must be 'tail -> head', got {arc!r}: write names with '->' or a comma as "
                "{as a pair()}.",
                fixes=[Fix(verb="as a pair")],
            )
        (left, right), _ = _path_of(arc, terms=False)
        return (left, right) if signs == [RIGHT] else (right, left)
    try:
        # A set has no order, and a mapping is not a pair.
        tail, head = () if isinstance(arc, Set | Mapping) else arc
    except (TypeError, ValueError):
        raise GraphError(f"An arc must be a pair (tail, head), got {arc!r}.") from None
    return tail, head


def edge(form: Arc) -> tuple[Node, Node]:
    """Return the two ends of an edge given as a pair, or as a text "a -- b", "a - b" or "a:b".

    Examples
    --------
    >>> edge("top-down -- bottom-up"), edge("a:b")
    (('top-down', 'bottom-up'), ('a', 'b'))
    """
    if not isinstance(form, str):
        return pair(tuple(form) if isinstance(form, Set) else form)
    if (signs := _signs_in(form)) == [LINE]:
        (left, right), _ = _path_of(form, terms=False)
        return left, right
    ends = [end.strip() for end in form.split(":")]
    if signs != [] or len(ends) != 2 or not all(ends):
        raise GraphError(
            f"An edge as text must be 'one -- other', got {form!r}: write names with '--' or ':' as a pair "
            "(one, other)."
        )
    return ends[0], ends[1]


def _signs_in(text: str) -> list[str] | None:
    """Return the kinds of the signs in one statement; None if there are several statements."""
    return None if _SEPARATORS.search(text) else list(map(_kind, _LINK.findall(text)))


@dataclass
class Parser:
    """The names, arcs and edges parsed so far.

    `directed` is the meaning of a term ``a:b``: parents of its first name (True), edges between all of its
    names (False), or one edge (None, for rules, which may have arcs and edges). `nodes` are all names in
    order if the form gives one.
    """

    directed: bool | None
    names: dict[str, None] = field(default_factory=dict)
    arcs: list[Pair] = field(default_factory=list)
    edges: list[Pair] = field(default_factory=list)
    nodes: tuple[str, ...] | None = None

    def read(self, form: Any) -> None:
        """Read a graph of any form; a list of plain names is one term."""
        if isinstance(form, str):
            self._text(form)
        elif isinstance(form, AnyGraph):
            self.take(form.nodes, getattr(form, "arcs", ()), getattr(form, "edges", ()))
        elif isinstance(form, Mapping):
            self._mapping(form)
        elif hasattr(form, "is_directed") and hasattr(form, "edges"):
            self.take(*links_of_networkx(form))
        elif (pairs := table_pairs(form)) is not None:
            self._list(pairs)
        elif is_matrix(form):
            self.take(*links_of_matrix(form))
        elif isinstance(form, Iterable):
            self._list(form)
        else:
            raise GraphError(
                "A graph must be a text, a list of pairs (parent, child), a mapping from children to "
                f"parents, a matrix or a networkx graph, got {form!r}."
            )

    def take(self, nodes: Sequence[str], arcs: Iterable[Pair], edges: Iterable[Pair]) -> None:
        """Add the nodes, arcs and edges of another graph of the same kind."""
        self.nodes = tuple(nodes) if self.nodes is None and not self.names else None
        self.names.update(dict.fromkeys(nodes))
        for tail, head in arcs:
            self._arc(tail, head, f"{tail} -> {head}")
        for one, two in edges:
            self._edge(one, two, f"{one} -- {two}")

    def _arc(self, tail: str, head: str, source: object) -> None:
        if self.directed is False:
            raise GraphError(
                f"An undirected graph must have no ->, got {source!r}: write one -- other, or one:other."
            )
        if tail == head:
            raise GraphError(f"The arc {source!r} must connect two different nodes.")
        self.names.update(dict.fromkeys((tail, head)))
        self.arcs.append((tail, head))

    def _edge(self, one: str, two: str, source: object) -> None:
        if self.directed:
            raise GraphError(
                f"A directed graph must have arcs such as a -> b, got the edge {source!r}."
            )
        if one == two:
            raise GraphError(f"The edge {source!r} must connect two different nodes.")
        self.names.update(dict.fromkeys((one, two)))
        self.edges.append((one, two))

    def _text(self, text: str) -> None:
        brackets = text.lstrip().startswith("[") and not (has_links(text) and text[-1] != "]")
        if self.directed is not False and brackets:
            return self.model_string(text)
        for statement in _statements(text, plus=self.directed is not None):
            read = self._path if has_links(statement) else self._term
            read(statement)

    def model_string(self, text: str) -> None:
        """Read bnlearn's model string, in which every node has its own brackets."""
        for child, parents in _families_of(text).items():
            self._family([child, *parents])

    def _path(self, statement: str) -> None:
        """Read ``a -> b <- c`` or ``a -- b -- c``."""
        names, signs = _path_of(statement, terms=self.directed is not None)
        for (left, right), sign in zip(pairwise(names), signs, strict=True):
            if sign == LINE:
                self._edge(left, right, statement)
            elif sign == RIGHT:
                self._arc(left, right, statement)
            elif sign == LEFT:
                self._arc(right, left, statement)
            else:
                raise GraphError(
                    f"An arc must have one direction, got {statement!r}: write a -> b or a <- b; an edge "
                    "without a direction, a -- b, is for undirected graphs."
                )

    def _term(self, statement: str) -> None:
        """Read ``c:a:b`` or ``c|a:b``, in rules one edge ``a:b``."""
        names = _names_of(statement, bar=self.directed is True)
        if self.directed:
            self._family(names)
        elif self.directed is None and len(names) != 2:
            raise GraphError(
                f"Rules must have arcs 'tail -> head' or edges 'one -- other', got {statement!r}: write "
                "other names as {as a pair()}.",
                fixes=[Fix(verb="as a pair")],
            )
        else:
            self._clique(names, statement)

    def _family(self, names: Sequence[str]) -> None:
        """Read a child and its parents."""
        self.names[names[0]] = None
        for parent in names[1:]:
            self._arc(parent, names[0], f"{parent} -> {names[0]}")

    def _clique(self, names: Sequence[str], source: object) -> None:
        """Add edges between all pairs of some names."""
        self.names.update(dict.fromkeys(names))
        for one, two in combinations(names, 2):
            self._edge(one, two, source)

    def _list(self, terms: Iterable[Any]) -> None:
        """Read pairs and texts; of plain names alone, one term."""
        entries = list(terms)
        if self.directed is not None and plain_names(entries):
            self._names(terms, entries)
            return
        for entry in entries:
            if isinstance(entry, str):
                self._text(entry)
            elif self.directed is False:
                self._clique(_distinct(entry), entry)
            else:
                self._arc(*_ends_of(entry), entry)

    def _names(self, form: Iterable[Any], names: list[str]) -> None:
        """Read a list of plain names: all adjacent in an undirected graph, the child first in a DAG."""
        if not names:
            return
        if self.directed is False:
            self._clique(_distinct(form), names)
        elif isinstance(form, Set):
            raise GraphError(
                f"A set of names has no order, got {form!r}: write {{child: [parents]}}."
            )
        elif is_pair(form):
            self._arc(names[0], names[1], form)
        else:
            self._family(_distinct(form))

    def _mapping(self, families: Mapping[Any, Any]) -> None:
        """Read children and their parents."""
        if self.directed is False:
            raise GraphError(
                "A mapping from children to parents is a directed graph, got one for an undirected graph: "
                "give a list of pairs."
            )
        for child, parents in families.items():
            self._family(_distinct([child, *_parents(child, parents)]))


def plain_names(form: Any) -> bool:
    """Return whether a list has plain names only: texts without arrows or lines."""
    listed = isinstance(form, list | tuple | Set) and are_texts(form)
    return listed and not any(map(has_links, form))


def _ends_of(entry: Any) -> Pair:
    """Return the two names of a pair (parent, child), taken as they are."""
    names = isinstance(entry, Sequence) and are_texts(entry)
    if names and len(entry) == 2:
        return entry[0], entry[1]
    if names and entry:
        raise GraphError(
            f"An arc in a list must be a pair (parent, child), got {entry!r}: write {{child: [parents]}} "
            "for a node with several parents or none."
        )
    raise GraphError(f"An arc must be a pair of names (parent, child), got {entry!r}.")


def _is_list(value: Any) -> bool:
    return is_several(value) and not isinstance(value, Mapping)


def _distinct(term: Any) -> list[str]:
    """Return the names of a term, each of them once; they are taken as they are."""
    if not _is_list(term):
        raise GraphError(f"A term must be a list of names, got {term!r}.")
    names = sorted(term) if isinstance(term, Set) else list(term)
    whole = bool(names) and are_texts(names) and all(names)
    if not whole or len(set(names)) != len(names):
        raise GraphError(
            f"A list of names must have each name once and no empty one, got {names!r}."
        )
    return names


def _parents(child: object, parents: Any) -> list[Any]:
    """Return the parents of a child in a mapping: a list of names, or one name."""
    if parents is None:
        return []
    if isinstance(parents, str):
        if not plain(parents):
            raise GraphError(
                f"The parents of {child!r} must be a list of names, got the text {parents!r}: write "
                f"[{parents!r}] if it is one name."
            )
        return [parents]
    if not _is_list(parents):
        raise GraphError(f"The parents of {child!r} must be a list of names, got {parents!r}.")
    return list(parents)
