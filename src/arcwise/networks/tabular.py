r"""The joint distribution behind an undirected discrete network: a product of tables over joined variables.

.. math:: p(x) = \prod_C \psi_C(x_C)

By the factorisation over cliques every variable, given its neighbours, is independent of all others
(Lauritzen 1996, section 3.2), and its local model is the normalised product of the tables that it is in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.junction_tree import JunctionTree, plan
from arcwise.conditionals.discrete import MOST_CELLS, DiscreteConditional
from arcwise.errors import FitError
from arcwise.graphs import UGraph

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TableJoint:
    """A distribution of discrete variables as a product of tables.

    Parameters
    ----------
    levels : number of levels of each variable.
    scopes : the variables of each table, ascending; every variable is in some.
    tables : one axis for each variable of the scope; the product sums to one.
    apart : the largest difference of a fitted frequency to the data's, if fitting stopped before they agreed.

    Raises
    ------
    FitError : scopes and tables that do not fit together, or numbers that are negative or not finite.

    >>> joint = TableJoint((2, 2), ((0, 1),), (np.array([[0.4, 0.1], [0.1, 0.4]]),))
    >>> joint.local(0, (1,)).table.tolist()
    [[0.8, 0.2], [0.2, 0.8]]
    """

    levels: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]
    tables: tuple[Array, ...]
    apart: float = 0.0

    def __post_init__(self) -> None:
        if {v for scope in self.scopes for v in scope} != set(range(len(self.levels))):
            raise FitError("The tables of a joint distribution must be over all of its variables.")
        for scope, table in zip(self.scopes, self.tables, strict=True):
            if list(scope) != sorted(set(scope)) or table.shape != tuple(
                self.levels[v] for v in scope
            ):
                raise FitError(
                    "A table of a joint distribution needs one axis for each variable of its scope."
                )
            if not np.isfinite(table).all() or (table < 0).any() or not table.any():
                raise FitError(
                    "The tables of a joint distribution must hold finite numbers from 0 on."
                )
            table.flags.writeable = False

    def check(self, graph: UGraph) -> None:
        """Refuse another number of variables, or a table that joins a pair which the graph does not."""
        if len(self.levels) != len(graph.nodes):
            raise FitError(
                f"The joint distribution is of {len(self.levels)} variables, but the network has "
                f"{len(graph.nodes)}."
            )
        for scope in self.scopes:
            for one in scope:
                for two in set(scope) - {one, *graph.neighbours[one]}:
                    raise FitError(
                        f"A table joins {graph.nodes[one]!r} and {graph.nodes[two]!r}, but the graph has no "
                        "edge between them."
                    )

    def partial(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """There are no partial correlations of levels."""
        return np.full(len(first), np.nan)

    def points(self) -> Array:
        """Rows in which every level occurs; chains start from them."""
        rows = np.arange(max(self.levels))[:, None]
        points: Array = (rows % np.array(self.levels)).astype(float)
        return points

    def local(self, node: int, inputs: Sequence[int]) -> DiscreteConditional:
        """One variable given its neighbours; even probabilities where these cannot be together."""
        scope = (*inputs, node)
        shape = tuple(self.levels[v] for v in scope)
        if prod(shape) > MOST_CELLS:
            raise FitError(f"The table of variable number {node} has {prod(shape):.3g} cells.")
        product = np.ones(shape)
        for own, table in zip(self.scopes, self.tables, strict=True):
            if node in own:
                order = sorted(range(len(own)), key=lambda i: scope.index(own[i]))
                wide = [self.levels[v] if v in own else 1 for v in scope]
                product *= table.transpose(order).reshape(wide)
        return _rows(product)

    def chain(
        self, graph: UGraph
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[DiscreteConditional, ...]]:
        """The parents and local models of a directed network with this distribution.

        Along an order in which variables can be summed out, backwards: the parents of each are those that are
        summed out later and share a table with it by then.
        """
        order = plan(self.levels, self.scopes).order
        near: list[set[int]] = [set() for _ in self.levels]
        for scope in self.scopes:
            for node in scope:
                near[node] |= set(scope) - {node}
        parents: list[tuple[int, ...]] = [()] * len(near)
        for node in order.tolist():
            parents[node] = tuple(sorted(near[node]))
            for other in near[node]:
                near[other] |= near[node] - {other}
                near[other].discard(node)
        tree = JunctionTree(self.levels, self.scopes, self.tables, order)
        nothing = np.full((1, len(near)), -1)
        asked = [(*row, node) for node, row in enumerate(parents)]
        shares = (each[0] for each in tree.ask(nothing, asked)[1])
        return tuple(parents), tuple(map(_rows, shares))


def _rows(shares: Array) -> DiscreteConditional:
    """The last variable given the others; even probabilities where these cannot be together."""
    sums = shares.sum(axis=-1, keepdims=True)
    even = np.full(shares.shape, 1.0 / shares.shape[-1])
    return DiscreteConditional(np.divide(shares, sums, out=even, where=sums > 0))
