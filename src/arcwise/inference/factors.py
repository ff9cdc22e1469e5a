"""Sums of products of tables, for exact inference with discrete variables.

A network of tables is a product of factors (`Potentials`). Variables are summed out one at a time (`combine`;
Zhang and Poole 1996; Dechter 1999), along the best of several orders, ending with the targets (`plan_sum`,
`sum_product`). A clique tree keeps the sums for further queries (`tree_with`; Lauritzen and Spiegelhalter
1988). If doubles underflow, the same sums are computed in extended range (`ScaledArray`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.junction_tree import EliminationOrder, JunctionTree, plan
from arcwise.conditionals import table_of
from arcwise.errors import FitError
from arcwise.networks import Net, factors_of

__all__ = [
    "Potentials",
    "ScaledArray",
    "SumPlan",
    "clique_tree",
    "combine",
    "plan_sum",
    "potentials",
    "sum_product",
    "tree_with",
]

Array = NDArray[np.float64]
Scope = tuple[int, ...]

MAX_ENTRIES = 1e8
"""Largest number of values in all cliques of a tree: 800 MB."""

_FAR = -1100  # powers of two that vanish beside one
_LOG_TWO = float(np.log(2.0))


class Potentials(NamedTuple):
    """Tables whose product is the joint distribution.

    `scopes` are the variables of each table, one axis each. In a directed network, table i is that of
    variable i, whose axis is the last.
    """

    levels: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]
    tables: tuple[Array, ...]


def potentials(net: Net) -> Potentials | None:
    """Return the tables of a network; None if it has other local models."""
    product = factors_of(net.joint)
    if product is not None:
        return Potentials(product.levels, product.scopes, product.tables)
    if not net.directed or not all(variable.discrete for variable in net.variables):
        return None
    levels = tuple(len(variable.levels or ()) for variable in net.variables)
    scopes = tuple((*parents, node) for node, parents in enumerate(net.graph.parents))
    tables = tuple(table for table in map(table_of, net.conditionals, levels) if table is not None)
    return Potentials(levels, scopes, tables) if len(tables) == len(levels) else None


# -- tables of extended range ---


class ScaledArray(NamedTuple):
    """The numbers ``digits * 2 ** powers``; digits are 0, or from a half to below one.

    >>> tiny = ScaledArray.of(np.array([1e-200, 3e-200]))
    >>> product = tiny * tiny
    >>> product.sum((0,)).log().round(3).tolist(), product.shares().round(3).tolist()
    (-918.731, [0.1, 0.9])
    """

    digits: Array
    powers: NDArray[np.int64]

    @classmethod
    def of(cls, table: Array) -> ScaledArray:
        """Return a table of these numbers."""
        digits, powers = np.frexp(table)
        return cls(np.asarray(digits), np.asarray(powers, dtype=np.int64))

    @classmethod
    def of_logs(cls, logs: Array) -> ScaledArray:
        """Return a table of numbers given by their natural logarithms; minus infinity is zero."""
        finite = np.isfinite(logs)
        safe = np.where(finite, logs, 0.0)
        powers = np.floor(safe / _LOG_TWO)
        parts = np.where(finite, np.exp(safe - powers * _LOG_TWO), 0.0)
        return cls.of(parts)._shifted(powers.astype(np.int64))

    def _shifted(self, powers: NDArray[np.int64]) -> ScaledArray:
        return ScaledArray(self.digits, np.where(self.digits > 0.0, self.powers + powers, 0))

    def __mul__(self, other: ScaledArray) -> ScaledArray:  # type: ignore[override]
        """Return the product, cell by cell, with broadcasting."""
        return ScaledArray.of(self.digits * other.digits)._shifted(self.powers + other.powers)

    def sum(self, axis: tuple[int, ...]) -> ScaledArray:
        """Return the sums over some axes."""
        if not axis:
            return self
        nonzero = self.digits > 0.0
        top = np.where(nonzero, self.powers, np.iinfo(np.int64).min // 2).max(axis, keepdims=True)
        apart = np.maximum(self.powers - top, _FAR)
        parts = np.where(nonzero, np.ldexp(self.digits, apart.astype(np.int32)), 0.0)
        return ScaledArray.of(parts.sum(axis=axis))._shifted(top.squeeze(axis))

    def transpose(self, axes: list[int]) -> ScaledArray:
        """Return the table with axes in another order."""
        return ScaledArray(self.digits.transpose(axes), self.powers.transpose(axes))

    def reshape(self, shape: list[int]) -> ScaledArray:
        """Return the table in another shape."""
        return ScaledArray(self.digits.reshape(shape), self.powers.reshape(shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.digits.shape

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return self.digits.size

    def log(self) -> Array:
        """Return natural logarithms; minus infinity for zero."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.digits) + self.powers * _LOG_TWO)

    def shares(self) -> Array:
        """Return the numbers divided by their sum; zeros if all are zero."""
        whole = self.sum(tuple(range(self.digits.ndim)))
        if not whole.digits > 0.0:
            return np.zeros(self.digits.shape)
        apart = np.clip(self.powers - whole.powers, _FAR, -_FAR).astype(np.int32)
        return np.asarray(np.ldexp(self.digits / whole.digits, apart))


# -- sums ---


def combine(
    parts: Iterable[tuple[Scope, Any]],
    clique: Scope,
    keep: Scope,
    levels: Sequence[int] | Mapping[int, int],
    lead: int = 0,
) -> Any:
    """Return the product of tables over the variables of a clique, summed over all but `keep`.

    Parameters
    ----------
    parts : variables and table of each; doubles, or all `Scaled`.
    clique, keep : the variables of the product, and of the result, in the order of its axes.
    levels : number of levels of each variable.
    lead : axes before those of the variables, such as rows, which are broadcast.

    >>> one = ((0, 1), np.array([[0.5, 0.5], [0.1, 0.9]]))
    >>> combine([one, ((0,), np.array([0.2, 0.8]))], (0, 1), (1,), (2, 2)).round(2).tolist()
    [0.18, 0.82]
    """
    axis_of, product, covered = {v: i for i, v in enumerate(clique)}, None, set[int]()
    before = list(range(lead))
    for scope, table in parts:
        inside = [axis_of[v] for v in scope]
        axes = sorted(range(len(scope)), key=inside.__getitem__)
        shape = [*table.shape[:lead], *[1] * len(clique)]
        for axis, v in zip(inside, scope, strict=True):
            shape[lead + axis] = levels[v]
        turned = table.transpose([*before, *[lead + axis for axis in axes]]).reshape(shape)
        product = turned if product is None else product * turned
        covered.update(scope)
    if product is None or len(covered) < len(clique):
        sizes = [1] * lead + [1 if v in covered else levels[v] for v in clique]
        ones: Any = np.ones(sizes)
        scaled = isinstance(product, ScaledArray)
        product = ones if product is None else product * (ScaledArray.of(ones) if scaled else ones)
    sums = product.sum(axis=tuple(lead + i for i, v in enumerate(clique) if v not in keep))
    rest = [v for v in clique if v in keep]
    return sums.transpose([*before, *[lead + rest.index(v) for v in keep]])


class SumStep(NamedTuple):
    """A product of tables, summed over all but the `kept` variables.

    `clique` are the variables of the product, `tables` the numbers of its tables, and `after` is the step
    that uses the result, -1 for none.
    """

    clique: tuple[int, ...]
    tables: tuple[int, ...]
    kept: tuple[int, ...]
    after: int


class SumPlan(NamedTuple):
    """The steps of a sum in their order; the last one keeps the targets.

    `constants` are the numbers of tables whose variables are all observed.
    """

    steps: tuple[SumStep, ...]
    constants: tuple[int, ...]
    plan: EliminationOrder


def plan_sum(
    product: Potentials, members: Iterable[int], targets: Scope, observed: Iterable[int]
) -> SumPlan:
    """Return the plan of the sum of a product of tables over all but the targets, given the observed
    variables.
    """
    observed = set(observed)
    scopes = {n: tuple(v for v in product.scopes[n] if v not in observed) for n in members}
    free = sorted({v for scope in scopes.values() for v in scope})
    together = [scope for scope in (*scopes.values(), targets) if scope]
    index_of = {v: i for i, v in enumerate(free)}
    local = [tuple(index_of[v] for v in scope) for scope in together]
    best = plan([product.levels[v] for v in free], local)
    order = [free[i] for i in best.order.tolist()]
    cliques, after = _cliques(order, together)
    when = {v: i for i, v in enumerate(order)}
    entering: list[list[int]] = [[] for _ in cliques]
    for n, scope in scopes.items():
        if scope:
            entering[min(when[v] for v in scope)].append(n)
    constants = tuple(n for n, scope in scopes.items() if not scope)
    last = min((when[v] for v in targets), default=-1)
    return SumPlan(_order_steps(cliques, entering, after, (last, targets)), constants, best)


def _cliques(
    order: Sequence[int], scopes: Iterable[tuple[int, ...]]
) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return for each eliminated variable its clique, and the step that uses the result."""
    near: dict[int, set[int]] = {v: set() for v in order}
    for scope in scopes:
        for v in scope:
            near[v].update(scope)
    when = {v: i for i, v in enumerate(order)}
    cliques, after = [], []
    for v in order:
        others = near[v] - {v}
        for other in others:
            near[other] |= others
            near[other].discard(v)
        cliques.append(tuple(sorted({v, *others})))
        after.append(min((when[other] for other in others), default=-1))
    return cliques, after


def _order_steps(
    cliques: Sequence[tuple[int, ...]],
    entering: Sequence[Sequence[int]],
    after: Sequence[int],
    end: tuple[int, tuple[int, ...]],
) -> tuple[SumStep, ...]:
    """Return the steps in an order that ends at the targets: `end` is that step and the variables it
    keeps.
    """
    last, targets = end
    towards, at = list(after), last
    before = -1
    while at >= 0:  # the way from there to the root is walked backwards
        towards[at], before, at = before, at, after[at]
    rank = {i: n for n, i in enumerate(_leaves_first(towards, last))}
    steps: list[SumStep | None] = [None] * len(cliques)
    for i, to in enumerate(towards):
        keep = tuple(v for v in cliques[i] if v in cliques[to]) if to >= 0 else ()
        keep = targets if i == last else keep
        steps[rank[i]] = SumStep(cliques[i], tuple(entering[i]), keep, rank[to] if to >= 0 else -1)
    return tuple(step for step in steps if step is not None)


def _leaves_first(towards: Sequence[int], last: int) -> list[int]:
    """Return steps in an order in which results come before their use, ending with `last`."""
    inward: list[list[int]] = [[] for _ in towards]
    for i, to in enumerate(towards):
        if to >= 0:
            inward[to].append(i)
    reached = sorted((i for i, to in enumerate(towards) if to < 0), key=lambda i: i != last)
    for i in reached:  # grows on the way
        reached.extend(inward[i])
    return reached[::-1]


def sum_product(
    sum_plan: SumPlan, product: Potentials, values: Mapping[int, int], soft: Mapping[int, Array]
) -> tuple[Array, float]:
    """Return the table of the targets, and the log of the sum over everything; zeros and -inf if it is
    zero.
    """
    try:
        with np.errstate(under="raise"):
            return _sum_plain(sum_plan, product, values, soft)
    except FloatingPointError:  # doubles do not reach
        return _summed_scaled(sum_plan, product, values, soft)


def _sum_plain(
    sum_plan: SumPlan, product: Potentials, values: Mapping[int, int], soft: Mapping[int, Array]
) -> tuple[Array, float]:
    """Return the sum by doubles, with each table divided by its sum."""
    with np.errstate(divide="ignore"):
        logs = [float(np.log(_cut(product, n, values)[1])) for n in sum_plan.constants]
    table = np.ones(())
    for step, parts, waiting in _walk(sum_plan, product, values, soft):
        table = _product(parts, step, product)
        size = float(table.sum())
        if not size > 0.0:
            return np.zeros(table.shape), -np.inf
        table = table / size
        logs.append(float(np.log(size)))
        if waiting is not None:
            waiting.append((step.kept, table))
    return table, fsum(logs) if -np.inf not in logs else -np.inf


def _summed_scaled(
    sum_plan: SumPlan, product: Potentials, values: Mapping[int, int], soft: Mapping[int, Array]
) -> tuple[Array, float]:
    """Return the sum in extended range; tables that no step uses are factors of the whole."""
    whole = ScaledArray.of(np.ones(()))
    for n in sum_plan.constants:
        whole = whole * ScaledArray.of(_cut(product, n, values)[1])
    table = ScaledArray.of(np.ones(()))
    for step, parts, waiting in _walk(sum_plan, product, values, soft, ScaledArray.of):
        table = _product(parts, step, product)
        if waiting is not None:
            waiting.append((step.kept, table))
        else:
            whole = whole * table.sum(tuple(range(table.digits.ndim)))
    return table.shares(), float(whole.log())


def _product(parts: list[tuple[Scope, Any]], step: SumStep, product: Potentials) -> Any:
    """Return the table of a step, small tables first."""
    ordered = sorted(parts, key=lambda part: part[1].size)
    return combine(ordered, step.clique, step.kept, product.levels)


def _walk(
    sum_plan: SumPlan,
    product: Potentials,
    values: Mapping[int, int],
    soft: Mapping[int, Array],
    convert: Callable[[Array], Any] = np.asarray,
) -> Iterator[tuple[SumStep, list[Any], list[Any] | None]]:
    """Yield each step with its tables, and the list of the step that uses its result, if any.

    `convert` converts a table to the array type of the sum.
    """
    waiting: list[list[Any]] = [[] for _ in sum_plan.steps]
    weighed = dict(soft)
    for step, parts in zip(sum_plan.steps, waiting, strict=True):
        parts += [(s, convert(t)) for s, t in (_cut(product, n, values) for n in step.tables)]
        parts += [((v,), convert(weighed.pop(v))) for v in step.clique if v in weighed]
        parts += [] if parts else [((), convert(np.ones(())))]
        yield step, parts, waiting[step.after] if step.after >= 0 else None


def _cut(product: Potentials, number: int, values: Mapping[int, int]) -> tuple[Scope, Array]:
    """Return a table at the observed levels, over its other variables."""
    scope, table = product.scopes[number], product.tables[number]
    at = tuple(values.get(v, slice(None)) for v in scope)
    return tuple(v for v in scope if v not in values), table[at]


# -- trees ---


def clique_tree(
    product: Potentials, together: Sequence[Scope] = ()
) -> tuple[list[Scope], list[int], list[int]]:
    """Return maximal cliques of the best elimination order, the parent of each, and the clique of each table.

    Parents come before their children; roots have the parent -1. Each set of variables in `together` is in
    one clique.

    >>> tables = (np.ones((2, 2)), np.ones((2, 2)))
    >>> clique_tree(Potentials((2, 2, 2), ((0, 1), (1, 2)), tables))
    ([(1, 2), (0, 1)], [-1, 0], [1, 0])
    """
    scopes = (*product.scopes, *together)
    cliques, after = _cliques(plan(product.levels, scopes).order.tolist(), scopes)
    remaining = dict(enumerate(cliques))
    for i, to in enumerate(after):
        if to >= 0 and set(cliques[to]) <= set(cliques[i]):  # the next one lies within this one
            cliques[to] = remaining[to] = remaining.pop(i)
            after = [to if home == i else home for home in after]
    number = {i: n for n, i in enumerate(reversed(remaining))}
    maximal = [cliques[i] for i in number]
    parents = [number.get(after[i], -1) for i in number]
    sizes = [set(clique) for clique in maximal]
    homes = [next(n for n, size in enumerate(sizes) if size >= set(s)) for s in product.scopes]
    return maximal, parents, homes


def tree_with(net: Net, together: Sequence[Scope] = ()) -> JunctionTree:
    """Return the junction tree of a network of tables; each set of variables in `together` is in one clique.

    Raises
    ------
    FitError : other local models, or tables that would not fit into memory.
    """
    product = potentials(net)
    if product is None:
        raise FitError("The local models of this network are not all probability tables.")
    scopes = (*product.scopes, *together)
    order = plan(product.levels, scopes)
    if order.entries > MAX_ENTRIES:
        raise FitError(
            f"Exact answers of this network need tables of {order.entries:.3g} numbers, above "
            f"the {MAX_ENTRIES:.0e} that are stored."
        )
    return JunctionTree(product.levels, scopes, product.tables, order.order)
