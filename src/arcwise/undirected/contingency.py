"""Maximum likelihood of discrete distributions on a fixed undirected graph.

The fitted distribution has the data's own frequencies on every clique (Lauritzen 1996, theorem 4.8). Of a
decomposable graph it has a closed form: along an order of maximum cardinality the earlier neighbours of each
variable are a clique, and p(x) = prod_i p(x_i | earlier neighbours). Of others it is found by iterative
proportional fitting (Deming and Stephan 1940): each clique's table in turn is multiplied by the data's
frequencies over the fitted ones, which a junction tree gives, until all agree.

Pseudo-counts are spread evenly over all cells of the joint table, so that those of cliques agree where they
overlap (the hyper-Dirichlet law of Dawid and Lauritzen 1993).
"""

from collections.abc import Callable, Iterator, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.junction_tree import JunctionTree, plan
from arcwise.conditionals.discrete import MOST_CELLS, PseudoCounts
from arcwise.data import Table
from arcwise.errors import FitError
from arcwise.graphs import UGraph, cardinality_order, decomposable, numbered_cliques
from arcwise.networks import TableJoint

Array = NDArray[np.float64]

LARGEST = 1e7
"""Most numbers in the junction tree that frequencies are fitted by."""

CLOSE = 1e-10
"""Difference of a fitted frequency to the data's at which fitting ends."""

SWEEPS = 1000
"""Most rounds over all cliques."""


def fitted_tables(
    table: Table, graph: UGraph, smoothing: PseudoCounts, *, check: Callable[[], None] | None = None
) -> TableJoint:
    """Return the distribution of largest likelihood, or with pseudo-counts, on an undirected graph.

    Parameters
    ----------
    table : discrete columns without missing values, in the order of the graph's nodes.
    graph : the graph.
    smoothing : pseudo-counts of each cell of the largest clique's table, or of the joint table.
    check : called regularly; an exception ends the work.

    Raises
    ------
    FitError : tables that would be too large; the message has the size.

    >>> from arcwise.data import table
    >>> rows = table({"a": ["x", "x", "y"], "b": ["u", "v", "v"]})
    >>> graph = UGraph.empty(("a", "b"))
    >>> fitted_tables(rows, graph, PseudoCounts(0.0)).tables[0].round(3).tolist()
    [0.667, 0.333]
    """
    levels = tuple(len(variable.levels or ()) for variable in table.variables)
    if not decomposable(graph):
        return _proportional(table, graph, smoothing, levels, check)
    order = cardinality_order(graph)
    rank_of = {node: rank for rank, node in enumerate(order)}
    before = [[x for x in graph.neighbours[node] if rank_of[x] < rank_of[node]] for node in order]
    scopes = [tuple(sorted([*row, node])) for node, row in zip(order, before, strict=True)]
    tables = []
    for node, scope, shares in zip(order, scopes, _shares(table, scopes, smoothing), strict=True):
        sums = shares.sum(axis=scope.index(node), keepdims=True)
        even = np.full(shares.shape, 1.0 / levels[node])
        tables.append(np.divide(shares, sums, out=even, where=sums > 0))
    return TableJoint(levels, tuple(scopes), tuple(tables))


def largest_likelihood(
    table: Table, graph: UGraph, *, check: Callable[[], None] | None = None
) -> tuple[float, float]:
    """Return the largest log-likelihood of the rows on an undirected graph, and the number of free
    parameters.

    Parameters and errors as for `fitted_tables`.
    """
    joint = fitted_tables(table, graph, PseudoCounts(0.0), check=check)
    logs = np.zeros(table.rows)
    for scope, clique_table in zip(joint.scopes, joint.tables, strict=True):
        logs += np.log(clique_table[tuple(table.columns[v].astype(np.intp) for v in scope)])
    total = float(logs.sum() if table.weights is None else table.weights @ logs)
    return total, free_parameters(graph, joint.levels)


def free_parameters(graph: UGraph, levels: Sequence[int]) -> float:
    """Return the free parameters of tables on cliques: the sum over complete sets of prod (levels - 1).

    >>> free_parameters(UGraph.from_edges([("a", "b"), ("b", "c")]), (2, 3, 2))
    8.0
    """
    near = [frozenset(row) for row in graph.neighbours]

    def weight(nodes: frozenset[int]) -> float:
        """Return the sum over complete subsets, the empty one included; the term of a set is its
        product of levels.
        """
        total, remaining = 0.0, set(nodes)
        while any(len(near[v] & remaining) < len(remaining) - 1 for v in remaining):
            least = min(remaining, key=lambda v: (len(near[v] & remaining), v))
            remaining.discard(least)
            total += (levels[least] - 1.0) * weight(near[least] & remaining)
        return total + float(prod(float(levels[v]) for v in remaining))

    return weight(frozenset(range(len(levels)))) - 1.0


def _shares(
    table: Table, scopes: Sequence[tuple[int, ...]], smoothing: PseudoCounts
) -> Iterator[Array]:
    """Return the shares of the rows in the cells of sets of columns, pseudo-counts included."""
    shapes = [tuple(len(table.variables[v].levels or ()) for v in scope) for scope in scopes]
    largest = max(map(prod, shapes))
    if largest > MOST_CELLS:
        scope = scopes[[prod(shape) for shape in shapes].index(largest)]
        names = ", ".join(repr(table.names[v]) for v in scope)
        raise FitError(
            f"The table of the clique {names} has {largest:.3g} cells, which is too many."
        )
    extra = smoothing.size * (largest if smoothing.each == "cell" else 1.0)
    for scope, shape in zip(scopes, shapes, strict=True):
        codes = tuple(table.columns[v].astype(np.intp) for v in scope)
        places = np.ravel_multi_index(codes, shape)
        counts = np.bincount(places, table.weights, minlength=prod(shape)).reshape(shape)
        shares: Array = (counts + extra / prod(shape)).astype(float) / (table.total + extra)
        yield shares


def _proportional(
    table: Table,
    graph: UGraph,
    smoothing: PseudoCounts,
    levels: tuple[int, ...],
    check: Callable[[], None] | None,
) -> TableJoint:
    """Iterative proportional fitting, each step on a calibrated junction tree."""
    edges = [*graph.numbered_edges, *((node,) for node in range(len(levels)))]
    tree = plan(levels, edges)
    if tree.entries > LARGEST:
        raise FitError(
            f"The junction tree of the graph has {tree.entries:.3g} numbers, above {LARGEST:.3g}: there is "
            "no joint distribution."
        )
    cliques = numbered_cliques(graph)
    targets = list(_shares(table, cliques, smoothing))
    tables = [np.full(shares.shape, 1.0) for shares in targets]
    nothing, apart = np.full((1, len(levels)), -1), 0.0
    for _ in range(SWEEPS):
        apart = 0.0
        for i, (clique, shares) in enumerate(zip(cliques, targets, strict=True)):
            if check is not None:
                check()
            marginal = JunctionTree(levels, cliques, tables, tree.order).ask(nothing, [clique])[1][
                0
            ][0]
            apart = max(apart, float(np.abs(marginal - shares).max()))
            tables[i] = tables[i] * np.divide(
                shares, marginal, out=np.zeros(marginal.shape), where=marginal > 0
            )
            tables[i] /= tables[i].max()
        if apart < CLOSE:
            break
    total = JunctionTree(levels, cliques, tables, tree.order).log_total
    share = np.exp(-total / len(tables))  # each takes its part: of one alone it could overflow
    scaled = tuple(table * share for table in tables)
    return TableJoint(levels, cliques, scaled, 0.0 if apart < CLOSE else apart)
