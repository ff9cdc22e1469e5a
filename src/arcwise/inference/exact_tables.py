"""Exact answers of discrete networks: junction trees, and variable elimination.

The moral graph is triangulated by the best of several elimination orders; its cliques form a tree, each with
a table over its variables, and messages between them give the distribution of each clique given the evidence
(Lauritzen and Spiegelhalter 1988; Jensen, Lauritzen and Olesen 1990). The size of the tables is known before
any is computed. A tree is kept as long as its network, calibrated without evidence: a query then sends
messages only between cliques with evidence and those that are requested, and skips barren variables.

Rows with the same missing columns are answered together, and each combination of levels once.

Variable elimination answers one query with a sum over the relevant variables only. Barren variables (neither
targets nor evidence nor ancestors of these) and those that the evidence separates from the targets are
dropped (Shachter 1998); small sums keep them, to detect impossible evidence. Tables are restricted to the
observed levels before planning, so a query may be feasible in a network whose junction tree is too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.junction_tree import EliminationOrder, JunctionTree, plan
from arcwise.data.variable import code_type, sentence_list
from arcwise.distributions import Categorical
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.engine import EXACT, Answer, Array, Columns, Cost, Engine, Question, Reply
from arcwise.inference.evidence import DistinctRows, patterns, relevant, upward
from arcwise.inference.factors import Potentials, SumPlan, plan_sum, potentials, sum_product
from arcwise.inference.joint_answers import Cells
from arcwise.networks import Net, log_density
from arcwise.notes import Fix, mention

__all__ = [
    "Elimination",
    "Junction",
    "Trees",
    "exact_found",
    "impossible",
    "needs_tables",
    "trees_of",
]


Codes = NDArray[np.int64]

_SLOTS = 1 << 22
"""Values of an answer, or random numbers for draws, that are held at once."""


_KEPT = 4
"""Number of trees for joint queries that are cached besides that of the network."""

_BUILDING = 4.0
"""Work of building a tree, in queries."""


class Trees:
    """The junction trees of a network: one for all queries, and some for joint queries."""

    def __init__(self, product: Potentials) -> None:
        self.product = product
        self._plans: dict[tuple[int, ...], EliminationOrder] = {}
        self._trees: dict[tuple[int, ...], JunctionTree] = {}

    def _key(self, together: tuple[int, ...]) -> tuple[int, ...]:
        """Return variables that must be in one clique; none if they are in one anyway."""
        required = set(together)
        inside = len(required) < 2 or any(required.issubset(scope) for scope in self.product.scopes)
        return () if inside else tuple(sorted(required))

    def plan(self, together: tuple[int, ...] = ()) -> EliminationOrder:
        """Return the elimination order, and the size of all tables."""
        key = self._key(together)
        if key not in self._plans:
            self._forget(self._plans)
            self._plans[key] = plan(self.product.levels, self._scopes(key))
        return self._plans[key]

    def tree(self, together: tuple[int, ...] = ()) -> JunctionTree:
        """Return the tree in which some variables are in one clique."""
        key = self._key(together)
        if key not in self._trees:
            self._forget(self._trees)
            scopes, order = self._scopes(key), self.plan(key).order
            self._trees[key] = JunctionTree(self.product.levels, scopes, self.product.tables, order)
        return self._trees[key]

    def _scopes(self, key: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        return (*self.product.scopes, key) if key else self.product.scopes

    @staticmethod
    def _forget(trees: dict[tuple[int, ...], Any]) -> None:
        """Drop cached trees; the tree of the network stays."""
        while len(trees) > _KEPT:
            del trees[next(key for key in trees if key)]

    def cost(self, together: tuple[int, ...] = ()) -> Cost:
        """Return the cost of an answer, from the plan, without computing a table."""
        size = self.plan(together).entries
        is_built = self._key(together) in self._trees
        return Cost(EXACT, size if is_built else _BUILDING * size, 2.0 * size)


_KNOWN: WeakKeyDictionary[Net, Trees | None] = WeakKeyDictionary()


def trees_of(net: Net) -> Trees | None:
    """Return the trees of a network, cached with it; None if its local models are not tables."""
    if net not in _KNOWN:
        product = potentials(net)
        _KNOWN[net] = None if product is None else Trees(product)
    return _KNOWN[net]


def soft_weights(question: Question, levels: tuple[int, ...]) -> Array | None:
    """Return a weight for each level of each variable, concatenated; None without soft evidence."""
    if not question.soft:
        return None
    weights = [question.soft.get(node, np.ones(size)) for node, size in enumerate(levels)]
    return np.concatenate(weights)


class Junction(Engine):
    """A junction tree of the whole network, cached with it."""

    name = "junction"
    soft = True
    thorough = True

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Accept queries to discrete networks; the cost is that of their tables."""
        trees = trees_of(question.net)
        if trees is None:
            return needs_tables(self.name)
        if _ancestral(question):
            return FitError("Draws of a directed network without evidence need no tree.")
        return trees.cost(question.asked if question.together else ())

    def ask(self, question: Question) -> Reply:
        """Return the tables of the targets, in all rows; joint ones if requested."""
        together = question.asked if question.together else ()
        sets: list[tuple[int, ...]] = [(node,) for node in question.asked]
        sets = [together] if together else sets
        sums = self._sums(question, sets)
        if together:
            return _together(question, sums[0][0])
        return exact_found(question, sums, sums[0][0] if question.task == "belief" else None)

    def _sums(self, question: Question, sets: list[tuple[int, ...]]) -> list[Array]:
        """Return joint distributions of sets of variables, in all rows."""
        rows, levels = question.distinct, _trees(question).product.levels
        shapes = [tuple([levels[node] for node in nodes]) for nodes in sets]
        parts = [part for _, part in self._parts(question, rows, sets)]
        if len(parts) == 1 and question.size == 1:
            return parts[0]
        columns = (
            zip(*parts, strict=True) if parts else ([np.zeros((0, *shape))] for shape in shapes)
        )
        return [np.concatenate(part)[rows.which] for part in columns]

    def _parts(
        self, question: Question, rows: DistinctRows, sets: list[tuple[int, ...]]
    ) -> Iterator[tuple[Array, list[Array]]]:
        """Yield these for each distinct combination, with log probabilities, in batches."""
        trees = _trees(question)
        tree, levels = trees.tree(sets[0] if len(sets) == 1 else ()), trees.product.levels
        soft = soft_weights(question, levels)
        width = sum(prod([levels[node] for node in nodes]) for nodes in sets)
        step = max(1, _SLOTS // max(width, len(levels)))
        for low in range(0, len(rows.codes), step):
            logs, tables = tree.ask(rows.codes[low : low + step], sets, soft)
            if question.task != "density":
                _refuse(question, logs, rows.first[low:])
            yield logs, tables

    def logpdf(self, question: Question) -> Array:
        """Return the log probability of the observed values of each row; minus infinity if impossible."""
        net = question.net
        if net.directed and not question.gaps.any() and not question.soft:
            return log_density(net, question.columns)
        rows = question.distinct
        logs = [part for part, _ in self._parts(question, rows, [])]
        return np.concatenate([*logs, np.zeros(0)])[rows.which]

    def complete(self, question: Question, draw: bool) -> Columns:
        """Return the most probable level of each missing value, or joint draws of those of each row."""
        if draw:
            return self._drawn(question)
        columns, rows = [column.copy() for column in question.columns], question.distinct
        hidden = np.flatnonzero(question.gaps.any(axis=0)).tolist()
        best = [
            np.stack([shares.argmax(axis=1) for shares in tables])
            for _, tables in self._parts(question, rows, [(node,) for node in hidden])
            if hidden
        ]
        if best:
            codes = np.concatenate(best, axis=1)[:, rows.which]
            for node, levels in zip(hidden, codes, strict=True):
                gaps = question.gaps[:, node]
                columns[node][gaps] = levels[gaps]
        return tuple(columns)

    def _drawn(self, question: Question) -> Columns:
        trees = _trees(question)
        tree, soft = trees.tree(), soft_weights(question, trees.product.levels)
        drawn = np.empty((question.size, len(trees.product.levels)), dtype=np.int64)
        step = max(1, _SLOTS // len(trees.product.levels))
        same = question.task == "draws"
        for places, known in patterns(question.gaps):
            seen = sorted(known)
            for low in range(0, len(places), step):
                part = places[low : low + step]
                rows = codes_of(question, seen, part[:1] if same else part)
                times = len(part) if same else 1
                logs, drawn[part] = tree.draw(seen, rows, question.rng, times=times, soft=soft)
                _refuse(question, logs, part)
        types = (code_type(size) for size in trees.product.levels)
        return tuple(column.astype(kind) for column, kind in zip(drawn.T, types, strict=True))

    def explain(self, question: Question) -> tuple[Codes, float, float]:
        """Return the most probable levels of all variables, their log weight, and that of the evidence."""
        trees = _trees(question)
        tree, soft = trees.tree(), soft_weights(question, trees.product.levels)
        row = question.distinct.codes
        observed = np.flatnonzero(row[0] >= 0).tolist()
        levels, log = tree.explain(observed, row[0, observed], soft)
        if np.isneginf(log):
            raise impossible(question, 0)
        return levels, log, float(tree.ask(row, [], soft)[0][0])


def _ancestral(question: Question) -> bool:
    """Return whether plain ancestral draws suffice, and no engine is named."""
    net, observed = question.net, question.known if question.size else set()
    if question.task != "draws" or question.soft or question.options.method is not None:
        return False
    return net.directed and not upward(net.graph, observed, observed)


def _trees(question: Question) -> Trees:
    trees = trees_of(question.net)
    if trees is None:
        raise needs_tables(Junction.name)
    return trees


def _refuse(question: Question, logs: Array, rows: NDArray[np.intp]) -> None:
    """Raise an error for rows whose evidence has probability zero."""
    for number in np.flatnonzero(np.isneginf(logs))[:1].tolist():
        raise impossible(question, int(rows[number]))


def needs_tables(method: str) -> FitError:
    """Return the error of an exact method for discrete networks if the network is not discrete."""
    return FitError(
        "{method=} needs a network of probability tables ({model=}): leave the method out.",
        fixes=[mention("method", method), mention("model", "discrete")],
    )


def codes_of(question: Question, nodes: list[int], places: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the levels of some variables in some rows."""
    codes = np.empty((len(places), len(nodes)), dtype=np.int64)
    for i, node in enumerate(nodes):
        codes[:, i] = question.columns[node][places]
    return codes


def impossible(question: Question, row: int) -> FitError:
    """Return the error for evidence of probability zero, with the level that is impossible, if one is."""
    try:
        question.check_possible()
    except FitError as error:
        return error
    where = "" if question.size == 1 or question.task == "draws" else f" of row {row + 1}"
    observed = [*np.flatnonzero(~question.gaps[row]).tolist(), *question.soft]
    names = sentence_list([question.net.names[node] for node in observed])
    return FitError(
        f"The evidence{where} is impossible: the evidence on {names} has joint probability zero."
    )


def exact_found(question: Question, singles: list[Array], table: Array | None) -> Reply:
    """Return exact answers from the tables of single variables, and the joint table."""
    mixing, answers = Mixing.exact(question.size), []
    for node, shares in zip(question.asked, singles, strict=True):
        variable = question.net.variables[node]
        even = shares / shares.sum(axis=1, keepdims=True)
        answers.append(Answer(Categorical(even, variable.levels, variable.name), mixing))
    if table is None:
        return Reply(tuple(answers))
    variables = tuple(question.net.variables[node] for node in question.asked)
    return Reply(tuple(answers), Cells(variables, table / table.sum()))


def _together(question: Question, table: Array) -> Reply:
    """Return an exact joint answer for several variables from their table."""
    axes = range(table.ndim)
    singles = [table.sum(axis=tuple(j for j in axes if j != i))[None] for i in axes]
    return exact_found(question, singles, table)


_BY_NAME = (Fix("method", "elimination"),)
_OVERHEAD = 1e6
"""Work, in cells, of setting up the sum for a row."""

_PATTERNS = 20
"""Largest number of patterns of missing values for tables of rows by default."""


def _members(question: Question, targets: Iterable[int], observed: set[int]) -> list[int]:
    """Return the relevant tables; for a density, those of the evidence and its ancestors."""
    net = question.net
    if not net.directed:
        return list(range(len(_trees(question).product.scopes)))
    soft = [node for node in question.soft if node not in observed]
    roots = {*targets, *soft}
    if question.task == "density":
        roots |= {p for node in observed for p in net.graph.parents[node] if p not in observed}
        return sorted(relevant(net.graph, roots, observed) | observed)
    return sorted(relevant(net.graph, roots, observed))


def _sum_for(question: Question, targets: tuple[int, ...], observed: set[int]) -> SumPlan:
    """Return the plan of the sum for the targets; with all evidence, if cheap, to detect impossible
    evidence.
    """
    if targets and question.task != "density":
        wider = _sum_for(replace(question, task="density"), targets, observed)
        if wider.plan.entries < _OVERHEAD:
            return wider
    return plan_sum(
        _trees(question).product, _members(question, targets, observed), targets, observed
    )


class Elimination(Engine):
    """Variable elimination for one query, or for each row of a table."""

    name = "elimination"
    soft = True
    thorough = True

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Accept queries to discrete networks; imputation and draws of rows only if it is named."""
        is_named = question.options.method is not None
        if trees_of(question.net) is None:
            return needs_tables(self.name)
        if not question.net.directed and not is_named:
            return FitError(
                "Nothing is barren in an undirected network: name {method=}.", fixes=_BY_NAME
            )
        if question.task in ("completion", "draws", "marginals") and not is_named:
            return FitError(
                "Variable elimination sums for one variable at a time: name {method=}.",
                fixes=_BY_NAME,
            )
        if is_named and question.task in ("completion", "draws", "marginals"):
            return Cost(EXACT, _OVERHEAD)
        rows = list(patterns(question.gaps))
        if len(rows) > _PATTERNS and not is_named:
            return FitError(
                f"Variable elimination plans for each of {len(rows)} patterns of missing values: "
                "name {method=}.",
                fixes=_BY_NAME,
            )
        targets = question.asked if question.task != "density" else ()
        plans = [_sum_for(question, targets, observed).plan for _, observed in rows]
        work = max((summation.entries for summation in plans), default=0.0)
        largest = max((summation.largest for summation in plans), default=0.0)
        return Cost(EXACT, work + _OVERHEAD, 3.0 * largest)

    def ask(self, question: Question) -> Reply:
        """Return the table of the targets, row by row."""
        if question.together:
            return _together(question, self._tables(question, question.asked)[0])
        singles = [self._tables(question, (node,)) for node in question.asked]
        return exact_found(question, singles, singles[0][0] if question.task == "belief" else None)

    def _tables(self, question: Question, targets: tuple[int, ...]) -> Array:
        """Return the joint distribution of some variables in each row."""
        product, tables = _trees(question).product, []
        shape = tuple(product.levels[node] for node in targets)
        for row, (table, log) in self._rows(question, targets):
            if np.isneginf(log):
                raise impossible(question, row)
            tables.append(table)
        return np.array(tables).reshape(-1, *shape)[question.distinct.which]

    def _rows(
        self, question: Question, targets: tuple[int, ...]
    ) -> Iterator[tuple[int, tuple[Array, float]]]:
        """Return the sum for each distinct combination of evidence, and the first row with it."""
        product, rows, before, sum_plan = _trees(question).product, question.distinct, None, None
        for first, codes in zip(rows.first.tolist(), rows.codes.tolist(), strict=True):
            values = {node: code for node, code in enumerate(codes) if code >= 0}
            if sum_plan is None or values.keys() != before:
                sum_plan, before = _sum_for(question, targets, set(values)), values.keys()
            yield first, sum_product(sum_plan, product, values, question.soft)

    def logpdf(self, question: Question) -> Array:
        """Return the log probability of the observed values of each row; minus infinity if impossible."""
        logs = [log for _, (_, log) in self._rows(question, ())]
        return np.array(logs)[question.distinct.which]

    def complete(self, question: Question, draw: bool) -> Columns:
        """Return the most probable level of each missing value, or draws of them one after the other."""
        columns = [column.copy() for column in question.columns]
        for node in np.flatnonzero(question.gaps.any(axis=0)).tolist():
            rows = np.flatnonzero(question.gaps[:, node])
            gaps = question.gaps[rows].copy()
            if draw:  # what was drawn before is known
                gaps[:, :node] = False
            source = columns if draw else question.columns
            part = replace(question, columns=tuple(c[rows] for c in source), gaps=gaps, task="rows")
            shares = self._tables(part, (node,))
            shapes = Categorical(shares / shares.sum(axis=1, keepdims=True))
            codes = shapes.sample(question.rng, 1)[:, 0] if draw else shapes.codes
            columns[node][rows] = codes.astype(columns[node].dtype)
        return tuple(columns)
