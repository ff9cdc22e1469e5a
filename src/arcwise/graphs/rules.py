"""Rules: prior knowledge about the arcs of a graph.

`Rules` use names: required arcs, forbidden arcs (in one direction), tiers such as
"causes before effects", and a largest number of parents. A required edge "a -- b" is for undirected graphs
only; a forbidden one excludes both directions.
`Rules.on(nodes)` binds them to the numbers of a table's columns; the resulting `Limits` decide
whether a child may have certain parents, and whether a graph is allowed.
A condition on the graph as a whole, such as "the class has a child", is added by `Limits.where`.

An arc from a later tier into an earlier one is forbidden; arcs inside a tier and of other variables are free.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError
from arcwise.frame import MAX_ROWS, Frame, Series
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import check_nodes, find_node
from arcwise.graphs.parser import Parser
from arcwise.notes import NAME, Fix, mention
from arcwise.values import as_tuple, clear_methods, is_count


@clear_methods
@dataclass(frozen=True, init=False)
class Rules:
    """Prior knowledge about the arcs of a graph, by names.

    Parameters
    ----------
    required : arcs of every permitted graph, in any form of a graph (see `dag`): pairs (parent, child), texts
        "parent -> child", a mapping from children to parents, a matrix, a graph; of undirected graphs also
        edges, "a -- b", "a - b" or "a:b", which are kept in `joined`.
    forbidden : arcs of no permitted graph, in this direction only; "a -- b" in both.
    tiers : lists of names, earliest first.
    max_parents : largest number of parents of a node; None for no bound.
    target : a class: it has no parents and at least one child.

    Raises
    ------
    GraphError : the rules contradict each other.

    Examples
    --------
    >>> rules = Rules(required=["rain -> wet"], tiers=[["rain"], ["wet", "slippery"]])
    >>> rules.required
    (('rain', 'wet'),)
    >>> rules.on(["rain", "slippery", "wet"]).allows(0, (2,))
    False
    >>> edges = Rules(required=["rain -- wet"], forbidden=["rain -- hail"])
    >>> edges.joined, edges.forbidden
    ((('rain', 'wet'),), (('rain', 'hail'), ('hail', 'rain')))
    """

    required: tuple[tuple[str, str], ...] = ()
    forbidden: tuple[tuple[str, str], ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()
    max_parents: int | None = None
    joined: tuple[tuple[str, str], ...] = ()
    target: str | None = None

    def __init__(
        self,
        required: Any = (),
        forbidden: Any = (),
        tiers: Iterable[Iterable[str]] = (),
        max_parents: int | None = None,
        target: str | None = None,
    ) -> None:
        """Convert lists to tuples and check for contradictions."""
        arcs, edges = _read(required, "required")
        barred, pairs = _read(forbidden, "forbidden")
        both = [ends for one, two in pairs for ends in ((one, two), (two, one))]
        object.__setattr__(self, "required", arcs)
        object.__setattr__(self, "joined", edges)
        object.__setattr__(self, "forbidden", tuple(dict.fromkeys((*barred, *both))))
        object.__setattr__(self, "tiers", _tiers(tiers))
        object.__setattr__(self, "max_parents", _check_bound(max_parents))
        object.__setattr__(self, "target", target)
        _check_required(self)

    @property
    def names(self) -> tuple[str, ...]:
        """All names that the rules mention, sorted."""
        pairs = (*self.required, *self.forbidden, *self.joined)
        arcs = {name for pair in pairs for name in pair}
        return tuple(sorted(arcs.union(*self.tiers, () if self.target is None else (self.target,))))

    def _repr_html_(self) -> str:
        rows = [
            *(("required", f"{parent} -> {child}") for parent, child in self.required),
            *(("required", " -- ".join(pair)) for pair in self.joined),
            *(("forbidden", f"{parent} -> {child}") for parent, child in self.forbidden),
            *((f"tier {i}", ", ".join(tier)) for i, tier in enumerate(self.tiers, 1)),
        ]
        single = {"max_parents": self.max_parents, "target": self.target}
        rows += [(name, str(value)) for name, value in single.items() if value is not None]
        texts = Series("value", [text for _, text in rows])
        return Frame((Series("rule", [kind for kind, _ in rows]), texts)).to_html(MAX_ROWS)

    def to_dict(self) -> dict[str, Any]:
        """Return the rules of a directed graph as plain values; ``Rules(**values)`` makes them again.

        Examples
        --------
        >>> Rules(required=["a -> b"]).to_dict()
        {'required': [['a', 'b']], 'forbidden': [], 'tiers': [], 'max_parents': None}
        """
        return {
            "required": [list(arc) for arc in self.required],
            "forbidden": [list(arc) for arc in self.forbidden],
            "tiers": [list(tier) for tier in self.tiers],
            "max_parents": self.max_parents,
            **({} if self.target is None else {"target": self.target}),
        }

    def on(self, nodes: Iterable[str], *, directed: bool = True) -> "Limits":
        """Bind the rules to nodes.

        Parameters
        ----------
        nodes : names, in the order that gives the numbers.
        directed : whether arcs have a direction; False takes required edges as they come.

        Returns
        -------
        Limits, in terms of numbers.

        Raises
        ------
        GraphError : the rules mention a name that is not among the nodes; the message has close names. Or
            an edge without a direction is required in a directed graph.

        Examples
        --------
        >>> Rules(forbidden=[("b", "a")]).on(["a", "b", "c"]).candidates(0)
        array([2])
        """
        names = check_nodes(nodes)
        numbers = {name: number for number, name in enumerate(names)}
        for name in self.names:
            find_node(name, names, numbers)
        if directed and self.joined:
            one, two = self.joined[0]
            raise GraphError(
                f"A directed graph cannot be required to have the edge {one} -- {two} without a direction: "
                f"write '{one} -> {two}' or '{two} -> {one}'."
            )
        rows: list[set[int]] = [set() for _ in names]
        for tail, head in (*self.required, *self.joined):
            rows[numbers[head]].add(numbers[tail])
        required = tuple(tuple(sorted(row)) for row in rows)
        limits = Limits(names, required, _barred_parents(self, numbers), self.max_parents)
        return limits if self.target is None else limits.where(HasChild(numbers[self.target]))


@dataclass(frozen=True)
class Limits:
    """Rules bound to column numbers.

    Parameters
    ----------
    nodes : names.
    required : for each child the parents it must have.
    barred : for each child the parents it must not have; None if there are none at all.
    max_parents : largest number of parents, or None.
    condition : a further condition on the whole graph, or None.

    Examples
    --------
    >>> limits = Rules(required=[("a", "b")], max_parents=1).on(["a", "b", "c"])
    >>> limits.allows(1, (0,)), limits.allows(1, (0, 2)), limits.allows(1, ())
    (True, False, False)
    >>> limits.start()
    <DAG [a][c][b|a]>
    """

    nodes: tuple[str, ...]
    required: tuple[tuple[int, ...], ...]
    barred: tuple[frozenset[int], ...] | None = None
    max_parents: int | None = None
    condition: Callable[[DAG], bool] | None = None

    @classmethod
    def none(cls, nodes: Iterable[str]) -> Self:
        """Make limits that allow every DAG.

        Examples
        --------
        >>> Limits.none(["a", "b"]).free
        True
        """
        names = check_nodes(nodes)
        return cls(names, ((),) * len(names))

    @cached_property
    def free(self) -> bool:
        """True if there is no rule at all."""
        bounds = (self.barred, self.max_parents, self.condition)
        return all(bound is None for bound in bounds) and not any(self.required)

    def where(self, condition: Callable[[DAG], bool]) -> Self:
        """Return the same limits with a condition on the graph as a whole; earlier ones still apply.

        Local searches visit only graphs that meet it, so they must start at one; equivalence search and the
        exact search raise an error.

        Examples
        --------
        >>> limits = Limits.none(["a", "b"]).where(lambda graph: graph.n_arcs == 1)
        >>> limits.allows_graph(DAG.from_arcs(["a -> b"])), limits.allows_graph(limits.start())
        (True, False)
        """
        before = self.condition
        both = condition if before is None else lambda dag: before(dag) and condition(dag)
        return replace(self, condition=both)

    def allows(self, child: int, parents: tuple[int, ...]) -> bool:
        """Return whether a child may have exactly these parents.

        Examples
        --------
        >>> Rules(forbidden=["a -> b"]).on(["a", "b", "c"]).allows(1, (2,))
        True
        """
        if self.max_parents is not None and len(parents) > self.max_parents:
            return False
        if self.barred is not None and not self.barred[child].isdisjoint(parents):
            return False
        return all(parent in parents for parent in self.required[child])

    def allows_graph(self, dag: DAG) -> bool:
        """Return whether a whole graph obeys the rules.

        Raises
        ------
        GraphError : the graph has other nodes.

        Examples
        --------
        >>> limits = Rules(forbidden=["a -> b"]).on(["a", "b"])
        >>> limits.allows_graph(DAG.from_arcs(["a -> b"]))
        False
        """
        if dag.nodes != self.nodes:
            raise GraphError("The rules must be bound to the nodes of the graph: bind them again.")
        return self.free or (
            all(self.allows(child, row) for child, row in enumerate(dag.parents))
            and (self.condition is None or self.condition(dag))
        )

    def allowed_mask(self, child: int) -> NDArray[np.bool_]:
        """Mark the parents that a child may have, the required ones included.

        If the required parents already fill `max_parents`, only they are marked.

        Examples
        --------
        >>> Rules(forbidden=["a -> b"]).on(["a", "b", "c"]).allowed_mask(1)
        array([False, False,  True])
        """
        required = self.required[child]
        full = self.max_parents is not None and len(required) >= self.max_parents
        mask = np.full(len(self.nodes), not full)
        if self.barred is not None:
            mask[list(self.barred[child])] = False
        mask[list(required)] = True
        mask[child] = False
        return mask

    def candidates(self, child: int) -> NDArray[np.intp]:
        """List the parents that a child may have next to its required ones, ascending.

        Computed at each call, so that many columns without rules cost no memory.

        Examples
        --------
        >>> Limits.none(["a", "b", "c"]).candidates(1)
        array([0, 2])
        """
        mask = self.allowed_mask(child)
        mask[list(self.required[child])] = False
        return np.flatnonzero(mask)

    def start(self) -> DAG:
        """Make the smallest permitted graph: the required arcs only.

        Examples
        --------
        >>> Rules(required=["b -> a"]).on(["a", "b"]).start()
        <DAG [b][a|b]>
        """
        return DAG(self.nodes, self.required)

    def start_from(self, graph: DAG | None) -> DAG:
        """Return the graph that a search starts from, by default the required arcs, once it is checked.

        Raises
        ------
        GraphError : the graph breaks the rules, or has other nodes.
        """
        first = self.start() if graph is None else graph
        if self.allows_graph(first):
            return first
        if graph is None:
            alone = "The required arcs alone break the condition on the graph: give {start=}."
            raise GraphError(alone, fixes=[Fix("start")])
        raise GraphError("The start graph must obey the rules: change it, or leave it out.")


@dataclass(frozen=True)
class HasChild:
    """The condition that a node has a child."""

    node: int

    def __call__(self, dag: DAG) -> bool:
        """Return whether it has one in this graph."""
        return bool(dag.children[self.node])


Pairs: TypeAlias = tuple[tuple[str, str], ...]


def _read(form: Any, word: str) -> tuple[Pairs, Pairs]:
    """Return the arcs and the edges of a form as pairs of names, each once, in the given order."""
    parser = Parser(None)
    try:
        parser.read(form)
    except GraphError as error:
        raise error.within(f"{word}: ") from None
    edges: dict[tuple[str, str], None] = {}
    for one, two in parser.edges:
        if (two, one) not in edges:
            edges[one, two] = None
    return tuple(dict.fromkeys(parser.arcs)), tuple(edges)


def _tiers(tiers: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Return tiers as tuples of names, after checking that no name is in two of them."""
    if isinstance(tiers, str):
        raise GraphError(f"tiers must be a list of lists of names, got one text: {tiers!r}.")
    rows = tuple(map(as_tuple, tiers))
    earlier: set[str] = set()
    for name in (name for row in rows for name in row):
        if not isinstance(name, str):
            raise GraphError(f"Tiers must contain names, got {name!r}.")
        if name in earlier:
            raise GraphError(f"Variable {name!r} must be in one tier only.")
        earlier.add(name)
    return rows


def _check_bound(max_parents: int | None) -> int | None:
    """Check the largest number of parents."""
    if max_parents is not None and not is_count(max_parents):
        raise GraphError(
            f"max_parents must be None or a non-negative integer, got {max_parents!r}."
        )
    return None if max_parents is None else int(max_parents)


def _check_required(rules: Rules) -> None:
    """Check that the required arcs can be combined."""
    if clash := sorted(set(rules.required).intersection(rules.forbidden)):
        raise GraphError(f"The arc {clash[0][0]} -> {clash[0][1]} is both required and forbidden.")
    barred = set(rules.forbidden)
    for one, two in rules.joined:
        if {(one, two), (two, one)} <= barred:
            raise GraphError(f"The edge {one} -- {two} is both required and forbidden.")
    if into := [tail for tail, head in rules.required if head == rules.target]:
        raise GraphError(
            f"The arc {into[0]} -> {rules.target} is required, but a target must have no parents."
        )
    tier = {name: level for level, row in enumerate(rules.tiers) for name in row}
    for tail, head in rules.required:
        if tail in tier and head in tier and tier[tail] > tier[head]:
            raise GraphError(
                f"The required arc {tail} -> {head} runs from a later tier into an earlier one."
            )
    try:
        graph = DAG.from_arcs(rules.required)
    except GraphError as error:
        raise GraphError(
            f"The required arcs contradict each other: {error} Edges of undirected graphs are written "
            "'one -- other'."
        ) from None
    _check_counts(graph, rules.max_parents)


def _check_counts(graph: DAG, bound: int | None) -> None:
    """Check that the required arcs give no node too many parents."""
    for child, row in enumerate(graph.parents):
        if bound is not None and len(row) > bound:
            raise GraphError(
                f"Node {graph.nodes[child]!r} has {len(row)} required parents, but {{max_parents=}} "
                f"is {bound}: raise it, or require fewer.",
                fixes=[mention("max_parents", NAME)],
            )


def _barred_parents(rules: Rules, numbers: Mapping[str, int]) -> tuple[frozenset[int], ...] | None:
    """Return for each child the parents excluded by tiers and forbidden arcs; for a target, all."""
    if not rules.forbidden and len(rules.tiers) < 2 and rules.target is None:
        return None
    barred = [frozenset[int]()] * len(numbers)
    later: frozenset[int] = frozenset()
    for tier in reversed(rules.tiers):
        members = frozenset(numbers[name] for name in tier)
        # One set for the whole tier: a copy per child would be quadratic in the columns.
        for child in members:
            barred[child] = later
        later |= members
    by_child: dict[int, set[int]] = {}
    for tail, head in rules.forbidden:
        by_child.setdefault(numbers[head], set()).add(numbers[tail])
    for child, extra in by_child.items():
        barred[child] |= extra
    if rules.target is not None:
        target = numbers[rules.target]
        barred[target] = frozenset(numbers.values()) - {target}
    return tuple(barred)
