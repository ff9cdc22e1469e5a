"""Sums over hidden categories of products of factors, for many rows at once and in logarithms.

``factors`` does this for networks of tables, which are the same in all rows. Here factors differ between
rows, since they include densities of observed numbers.
"""

from collections.abc import Collection, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from arcwise.distributions import log_sum

__all__ = ["LevelSums", "elimination_order"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


class LevelSums:
    """A product of factors, with hidden categories summed out one after the other.

    Parameters
    ----------
    factors : scopes and log values, (rows or 1, levels of the scope).
    keep : categories that are not summed out.
    sizes : numbers of levels of all categories, by node.

    >>> two = np.log(np.array([[[0.2, 0.3], [0.4, 0.1]]]))
    >>> LevelSums([((0, 1), two)], (1,), {0: 2, 1: 2}).table((1,)).round(3).tolist()
    [[-0.511, -0.916]]
    """

    def __init__(
        self,
        factors: Sequence[tuple[tuple[int, ...], Array]],
        keep: Sequence[int],
        sizes: dict[int, int],
    ) -> None:
        self.sizes, self.steps = sizes, list[tuple[int, tuple[int, ...], Array]]()
        left = list(factors)
        order, _ = elimination_order([scope for scope, _ in factors], keep, sizes)
        for node in order:
            used = [factor for factor in left if node in factor[0]]
            left = [factor for factor in left if node not in factor[0]]
            scope = tuple(sorted({n for members, _ in used for n in members} - {node}))
            product = self._product(used, (*scope, node))
            self.steps.append((node, scope, product))
            left.append((scope, log_sum(product)))
        self.left = left

    def _product(
        self, factors: Sequence[tuple[tuple[int, ...], Array]], scope: tuple[int, ...]
    ) -> Array:
        """Return the product of factors, with one axis per category of the scope."""
        total = np.zeros((1, *(self.sizes[node] for node in scope)))
        for variables, logs in factors:
            order = sorted(range(len(variables)), key=lambda i: scope.index(variables[i]))
            moved = logs.transpose(0, *(1 + i for i in order))
            shape = [self.sizes[node] if node in variables else 1 for node in scope]
            total = total + moved.reshape(len(logs), *shape)
        return total

    def table(self, scope: tuple[int, ...]) -> Array:
        """Return logarithms of the sums, (rows or 1, levels of the scope, in this order)."""
        return self._product(self.left, scope)

    def draw(
        self, codes: dict[int, Codes], which: Codes, rng: np.random.Generator
    ) -> dict[int, Codes]:
        """Draw the categories that were summed out, given the others; `which` is the row of each draw."""
        for node, scope, product in reversed(self.steps):
            row = which if len(product) > 1 else np.zeros(len(which), dtype=np.intp)
            logs = product[(row, *(codes[other] for other in scope))]
            codes[node] = draw_codes(logs, rng)
        return codes


def draw_codes(logs: Array, rng: np.random.Generator) -> Codes:
    """Return a code for each row of log weights."""
    heap = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    codes: Codes = (rng.random((len(logs), 1)) * heap[:, -1:] >= heap[:, :-1]).sum(axis=1)
    return codes


def elimination_order(
    scopes: Sequence[tuple[int, ...]], keep: Collection[int], sizes: dict[int, int]
) -> tuple[list[int], float]:
    """Return the elimination order of categories, and the cells of the largest table.

    The next category is always the one with the smallest table.

    >>> elimination_order([(0, 1), (1, 2)], (2,), {0: 2, 1: 2, 2: 2})
    ([0, 1], 4.0)
    """
    left, order = [set(scope) for scope in scopes], []
    largest = prod([float(sizes[node]) for node in keep])
    hidden = sorted(set().union(*left) - set(keep)) if left else []
    while hidden:
        adjacent = {node: set().union(*(s for s in left if node in s)) for node in hidden}
        cells = {n: prod([float(sizes[other]) for other in adjacent[n]]) for n in hidden}
        node = min(hidden, key=lambda n: (cells[n], n))
        largest = max(largest, cells[node])
        left = [scope for scope in left if node not in scope] + [adjacent[node] - {node}]
        hidden.remove(node)
        order.append(node)
    return order, largest
