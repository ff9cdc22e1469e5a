"""Graphs as people write them, read into arcs and edges between names.

An arc always runs from parent to child, whatever the form:

- a text: paths of ``a -> b``, ``b <- a`` and, without a direction, ``a -- b`` or ``a - b``; terms such as
  ``c:a:b``; statements are separated by a comma, a semicolon, a plus sign or a new line; or bnlearn's model
  string ``[a][b][c|a:b]`` (Scutari 2010);
- a list of pairs (parent, child), or of texts;
- a mapping from each child to its parents;
- an adjacency matrix, row -> column: an array, a frame, a sparse matrix or nested lists;
- a networkx graph, or a graph of this package.

Every other form raises an error: no text makes a node whose name holds an arrow. Names that hold such
characters are given in pairs or in a mapping, which are taken as they are.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from arcwise.errors import GraphError
from arcwise.graphs.nodes import AnyGraph, check_nodes, numbered_names
from arcwise.graphs.notation import (
    LEFT,
    LINE,
    RIGHT,
    has_links,
    model_string_families,
    names_of,
    path_of,
    plain,
    statements,
)

Pair = tuple[str, str]


@dataclass
class Reading:
    """Names, arcs and edges that were read so far.

    `directed` says what a term ``a:b`` means: parents of its first name (True), edges between all of its
    names (False), or one edge (None, for rules, which may have arcs and edges). `nodes` are all names in
    order if the form gives one.
    """

    directed: bool | None
    names: dict[str, None] = field(default_factory=dict)
    arcs: list[Pair] = field(default_factory=list)
    edges: list[Pair] = field(default_factory=list)
    nodes: tuple[str, ...] | None = None

    def read(self, given: Any) -> None:
        """Read a graph of any form; a list of plain names is one term."""
        if isinstance(given, str):
            self._text(given)
        elif isinstance(given, AnyGraph):
            self._take(given.nodes, getattr(given, "arcs", ()), getattr(given, "edges", ()))
        elif isinstance(given, Mapping):
            self._mapping(given)
        elif hasattr(given, "is_directed") and hasattr(given, "edges"):
            self._networkx(given)
        elif is_matrix(given):
            self.matrix(given, None)
        elif isinstance(given, Iterable):
            self._list(given)
        else:
            raise GraphError(
                "A graph must be a text, a list of pairs (parent, child), a mapping from children to "
                f"parents, a matrix or a networkx graph, got {given!r}."
            )

    def matrix(self, given: Any, nodes: Iterable[str] | None) -> None:
        """Read an adjacency matrix, row -> column; both of (i, j) and (j, i) are an edge."""
        names, ones = ones_of(given, nodes)
        ends = {(names[row], names[column]) for row, column in ones}
        both = {(tail, head) for tail, head in ends if tail != head and (head, tail) in ends}
        edges = sorted((one, two) for one, two in both if one < two)
        self._take(tuple(names), sorted(ends - both), edges)

    def _take(self, nodes: Sequence[str], arcs: Iterable[Pair], edges: Iterable[Pair]) -> None:
        """Add what another graph has, of the kind that is read."""
        self.nodes = tuple(nodes) if self.nodes is None and not self.names else None
        self.names.update(dict.fromkeys(nodes))
        for tail, head in arcs:
            self._arc(tail, head, f"{tail} -> {head}")
        for one, two in edges:
            self._edge(one, two, f"{one} -- {two}")

    def _arc(self, tail: str, head: str, said: object) -> None:
        if self.directed is False:
            raise GraphError(
                f"An undirected graph has no ->, got {said!r}; write one -- other, or one:other."
            )
        if tail == head:
            raise GraphError(f"The arc {said!r} joins a node to itself.")
        self.names.update(dict.fromkeys((tail, head)))
        self.arcs.append((tail, head))

    def _edge(self, one: str, two: str, said: object) -> None:
        if self.directed:
            raise GraphError(
                f"A directed graph has arcs such as a -> b, got the edge {said!r}, which has no direction."
            )
        if one == two:
            raise GraphError(f"The edge {said!r} joins a node to itself.")
        self.names.update(dict.fromkeys((one, two)))
        self.edges.append((one, two))

    def _text(self, text: str) -> None:
        if self.directed and text.lstrip().startswith("["):
            for child, parents in model_string_families(text):
                self._family([child, *parents])
            return
        for statement in statements(text, plus=self.directed is not None):
            if has_links(statement):
                self._path(statement)
            else:
                self._term(statement)

    def _path(self, statement: str) -> None:
        """Read ``a -> b <- c`` or ``a -- b -- c``."""
        names, signs = path_of(statement, terms=self.directed is not None)
        for (left, right), sign in zip(pairwise(names), signs, strict=True):
            if sign == LINE:
                self._edge(left, right, statement)
            elif sign == RIGHT:
                self._arc(left, right, statement)
            elif sign == LEFT:
                self._arc(right, left, statement)
            else:
                raise GraphError(
                    f"An arc has one direction, got {statement!r}: write a -> b or a <- b; an edge "
                    "without a direction, a -- b, is for undirected graphs."
                )

    def _term(self, statement: str) -> None:
        """Read ``c:a:b`` or ``c|a:b``, in rules one edge ``a:b``."""
        names = names_of(statement, bar=self.directed is True)
        if self.directed:
            self._family(names)
        elif self.directed is None and len(names) != 2:
            raise GraphError(
                "Rules have arcs 'tail -> head' and, without a direction, edges 'one -- other', got "
                f"{statement!r}; names that hold such signs go into a pair (tail, head)."
            )
        else:
            self._clique(names, statement)

    def _family(self, names: Sequence[str]) -> None:
        """Read a child and its parents."""
        self.names[names[0]] = None
        for parent in names[1:]:
            self._arc(parent, names[0], f"{parent} -> {names[0]}")

    def _clique(self, names: Sequence[str], said: object) -> None:
        """Join all of some names."""
        self.names.update(dict.fromkeys(names))
        for one, two in combinations(names, 2):
            self._edge(one, two, said)

    def _list(self, given: Iterable[Any]) -> None:
        """Read pairs and texts; of plain names alone, one term."""
        entries = list(given)
        if self.directed is not None and plain_names(entries):
            self._names(given, entries)
            return
        for entry in entries:
            if isinstance(entry, str):
                self._text(entry)
            elif self.directed is False and not isinstance(entry, Mapping):
                self._clique(_distinct(entry), entry)
            else:
                self._arc(*ends_of(entry), entry)

    def _names(self, given: Iterable[Any], names: list[str]) -> None:
        """Read a list of plain names: of an undirected graph all are joined, of a DAG the child is first."""
        if not names:
            return
        if self.directed is False:
            self._clique(_distinct(given), names)
        elif isinstance(given, Set):
            raise GraphError(
                f"A set of names has no order, got {given!r}: write {{child: [parents]}}."
            )
        elif isinstance(given, tuple) and len(names) == 2:
            self._arc(names[0], names[1], given)
        else:
            self._family(_distinct(given))

    def _mapping(self, given: Mapping[Any, Any]) -> None:
        """Read children and their parents."""
        if self.directed is False:
            raise GraphError(
                "A mapping from children to parents is a directed graph, got one for an undirected graph: "
                "give a list of pairs."
            )
        for child, parents in given.items():
            self._family(_distinct([child, *_parents(child, parents)]))

    def _networkx(self, given: Any) -> None:
        """Read a networkx graph; a pair of opposite arcs is an edge."""
        if given.is_multigraph():
            raise GraphError(
                f"A networkx graph must be a Graph or DiGraph, got a {type(given).__name__}."
            )
        ends = [(str(one), str(two)) for one, two in given.edges]
        names = check_nodes(sorted(map(str, given.nodes)))
        loose = ends if not given.is_directed() else [(two, one) for one, two in ends if one != two]
        opposite = set(loose)
        edges = {(min(pair), max(pair)) for pair in ends if pair in opposite}
        self._take(names, (pair for pair in ends if pair not in opposite), sorted(edges))


def plain_names(given: Any) -> bool:
    """Whether a list has plain names only: texts without arrows or lines."""
    return isinstance(given, list | tuple | Set) and all(
        isinstance(entry, str) and not has_links(entry) for entry in given
    )


def ends_of(entry: Any) -> Pair:
    """The two names of a pair (parent, child), taken as they are."""
    if isinstance(entry, Sequence) and len(entry) == 2 and all(isinstance(n, str) for n in entry):
        return str(entry[0]), str(entry[1])
    if isinstance(entry, Sequence) and entry and all(isinstance(n, str) for n in entry):
        raise GraphError(
            f"An arc in a list must be a pair (parent, child), got {entry!r}: write {{child: [parents]}} for "
            "a node with several parents or none."
        )
    raise GraphError(f"An arc must be a pair of names (parent, child), got {entry!r}.")


def _distinct(given: Any) -> list[str]:
    """The names of a term, each of them once; they are taken as they are."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise GraphError(f"A term must be a list of names, got {given!r}.")
    names = sorted(given) if isinstance(given, Set) else list(given)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise GraphError(f"A list of names must hold each name once and no empty one: {names!r}.")
    if len(set(names)) != len(names):
        raise GraphError(f"A list of names must hold each name once and no empty one: {names!r}.")
    return names


def _parents(child: object, given: Any) -> list[Any]:
    """The parents of a child in a mapping: a list of names, or one name."""
    if given is None:
        return []
    if isinstance(given, str):
        if not plain(given):
            raise GraphError(
                f"The parents of {child!r} must be a list of names, got the text {given!r}: write "
                f"[{given!r}] if it is one name."
            )
        return [given]
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise GraphError(f"The parents of {child!r} must be a list of names, got {given!r}.")
    return list(given)


def is_matrix(given: Any) -> bool:
    """Tell whether something is an adjacency matrix: an array, a frame, or nested lists of numbers."""
    return hasattr(given, "shape") or (
        isinstance(given, list)
        and bool(given)
        and all(isinstance(row, list) and len(row) == len(given) for row in given)
        and all(isinstance(cell, int | float) for row in given for cell in row)
    )


def ones_of(matrix: Any, nodes: Iterable[str] | None) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the names and the positions of a square matrix that are not zero.

    The names are `nodes`, or the columns of a frame, whose rows follow its index if that has the same names.
    """
    names = None if nodes is None else list(nodes)
    if hasattr(matrix, "columns"):
        columns = [str(name) for name in matrix.columns]
        names, matrix = names or columns, _aligned(matrix, columns)
    if not hasattr(matrix, "tocoo"):
        matrix = np.asarray(matrix)
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"An adjacency matrix must be square, got one of shape {matrix.shape}.")
    if np.dtype(matrix.dtype).kind not in "biuf":
        raise GraphError(f"An adjacency matrix must hold numbers, got the type {matrix.dtype}.")
    if not np.isfinite(matrix.data if hasattr(matrix, "tocoo") else matrix).all():
        raise GraphError("An adjacency matrix must hold finite numbers, got a missing one.")
    names = list(numbered_names(matrix.shape[0])) if names is None else names
    if len(names) != matrix.shape[0]:
        raise GraphError(
            f"The adjacency matrix has {matrix.shape[0]} rows, got {len(names)} names."
        )
    rows, columns_ = matrix.nonzero()
    return names, list(zip(rows.tolist(), columns_.tolist(), strict=True))


def _aligned(frame: Any, columns: list[str]) -> Any:
    """The numbers of a frame, its rows in the order of its columns."""
    values, index = np.asarray(frame), getattr(frame, "index", None)
    labels = [] if index is None else [str(label) for label in index]
    if labels == columns or labels == [str(number) for number in range(len(labels))]:
        return values
    if sorted(labels) != sorted(columns):
        raise GraphError(
            "The rows of an adjacency matrix must have the names of its columns, got "
            f"{labels[:3]} and {columns[:3]}."
        )
    return values[[labels.index(name) for name in columns]]
