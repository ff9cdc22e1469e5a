"""Class probabilities: one discrete variable in many rows at once, with missing values summed out.

For a complete row the joint log probability with each class is a sum of local ones, one lookup per table. Two
missing features are connected if they are in one local model; a connected set is a *component*, and
p(class, evidence) is a product over components of sums over their states. Rows with the same component are
computed together, and its variables are summed out one at a time, the one with the smallest table first
(variable elimination, Zhang and Poole 1996). Missing features whose descendants are missing, too, are barren
and dropped.

A missing continuous feature is summed over a grid of points (trapezoidal rule).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import table_of
from arcwise.data.variable import gaps_of
from arcwise.errors import FitError
from arcwise.inference.factors import ScaledArray, combine
from arcwise.networks import BayesNet

__all__ = ["class_log_joint", "normalise_logs"]

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Factor = tuple[
    tuple[int, ...], Array | ScaledArray
]  # the variables of the axes after those of rows and classes

_MOST_CELLS = 1 << 24  # of one table for one row
_PIECE = 1 << 22  # cells worked on at a time
_LEAST = 1e-280  # sums of numbers from 0 to 1 below which what underflowed may count


def class_log_joint(
    net: BayesNet,
    target: int,
    columns: Sequence[NDArray[Any]],
    grids: Mapping[int, Array] | None = None,
) -> Array:
    """Return the log probability (density) of the observed values of each row with each class.

    Parameters
    ----------
    net : local models; those of the class and of its children are used.
    target : the number of the class; its column is ignored.
    columns : one array for each variable, in the network's coding; missing values are summed out.
    grids : ascending points for each continuous variable that may be missing.

    Returns
    -------
    Array (rows, classes), in nats.

    Raises
    ------
    FitError : too many connected features are missing for a table.

    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> from arcwise.conditionals import DiscreteConditional
    >>> tables = [0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]
    >>> models = tuple(DiscreteConditional(np.array(each)) for each in tables)
    >>> graph = DAG.from_arcs(["c -> x"])
    >>> net = BayesNet((Variable("c", ("no", "yes")), Variable("x", ("0", "1"))), graph, models)
    >>> logs = class_log_joint(net, 0, (np.zeros(2, np.uint8), np.array([1, 2], np.uint8)))
    >>> np.exp(logs).round(2).tolist()
    [[0.05, 0.4], [0.5, 0.5]]
    """
    return _Question(net, target, tuple(columns), grids or {}).answer()


def normalise_logs(logs: Array) -> Array:
    """Return log probabilities of classes from joint ones; uniform for a row that is impossible with all
    classes.

    >>> np.exp(normalise_logs(np.log([[0.1, 0.3]]))).round(2).tolist()
    [[0.25, 0.75]]
    """
    top = logs.max(axis=1, keepdims=True)
    raised = np.where(np.isneginf(top), 0.0, logs - np.where(np.isneginf(top), 0.0, top))
    out: Array = raised - np.log(np.exp(raised).sum(axis=1, keepdims=True))
    return out


@dataclass(frozen=True, eq=False)
class _Question:
    net: BayesNet
    target: int
    columns: tuple[NDArray[Any], ...]
    grids: Mapping[int, Array]

    @property
    def classes(self) -> int:
        return len(self.net.variables[self.target].levels or ())

    def family(self, node: int) -> tuple[int, ...]:
        """Return a node's parents and itself: the order of the axes of its table."""
        return (*self.net.graph.parents[node], node)

    def _levels(self, node: int) -> int:
        return len(self.net.variables[node].levels or ())

    def answer(self) -> Array:
        missing = self._missing()
        out = np.zeros((len(self.columns[0]), self.classes))
        for node in range(len(self.net.variables)):
            is_complete = ~missing[[m for m in self.family(node) if m != self.target]].any(axis=0)
            if is_complete.all():
                out += self.local(node, None)
            elif is_complete.any():
                rows = np.flatnonzero(is_complete)
                out[rows] += self.local(node, rows)
        for members, rows in self._components(missing):
            out[rows] += self._summed(members, rows)
        return out

    def _missing(self) -> NDArray[np.bool_]:
        """Missing values, variables by rows; the class is never one."""
        pairs = zip(self.net.variables, self.columns, strict=True)
        missing = np.array([gaps_of(variable, column) for variable, column in pairs])
        missing[self.target] = False
        return missing

    # -- what is known ---------------------------------------------------------------------------

    def local(self, node: int, rows: Rows | None) -> Array:
        """Return the log of a local model with observed variables, for each class: (rows, classes or 1)."""
        family, model = self.family(node), self.net.conditionals[node]
        values = {m: self.columns[m] if rows is None else self.columns[m][rows] for m in family}
        size = len(self.columns[0]) if rows is None else len(rows)
        table = table_of(model, self._levels(node))
        if table is not None:
            return _looked_up(table, family, self.target, values, size)
        if self.target not in family:
            xs = tuple(values[m] for m in family[:-1])
            return model.logpdf(values[node], xs)[:, None]
        return self._by_class(node, values, size)

    def _by_class(self, node: int, values: dict[int, NDArray[Any]], size: int) -> Array:
        """Return the log density of a node for each class in turn."""
        out, dtype = np.empty((size, self.classes)), self.columns[self.target].dtype
        for code in range(self.classes):
            values[self.target] = np.full(size, code, dtype=dtype)
            xs = tuple(values[m] for m in self.net.graph.parents[node])
            out[:, code] = self.net.conditionals[node].logpdf(values[node], xs)
        return out

    # -- missing values ------------------------------------------------------------------------------

    def _components(self, missing: NDArray[np.bool_]) -> Iterator[tuple[tuple[int, ...], Rows]]:
        """Yield connected missing variables, each with the rows in which exactly these are missing."""
        rows = np.flatnonzero(missing.any(axis=0))
        if not len(rows):
            return
        gaps = missing[:, rows]
        labels = np.where(gaps, np.arange(len(gaps))[:, None], len(gaps))
        _spread(labels, gaps, self._pairs())
        for root in range(len(gaps)):
            mine = np.flatnonzero(labels[root] == root)
            if not len(mine):
                continue
            sets, where = np.unique((labels[:, mine] == root).T, axis=0, return_inverse=True)
            for number, members in enumerate(sets):
                needed_members = self._not_barren(tuple(np.flatnonzero(members).tolist()))
                if needed_members:
                    yield needed_members, rows[mine[where.ravel() == number]]

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of features in one local model."""
        pairs = set()
        for node in range(len(self.net.variables)):
            family = [m for m in self.family(node) if m != self.target]
            pairs |= {(a, b) for i, a in enumerate(family) for b in family[i + 1 :]}
        return sorted(pairs)

    def _not_barren(self, members: tuple[int, ...]) -> tuple[int, ...]:
        """Return the members that are not barren."""
        children, remaining = self.net.graph.children, set(members)
        while barren := {m for m in remaining if not set(children[m]) - (set(members) - remaining)}:
            remaining -= barren
        return tuple(sorted(remaining))

    def _summed(self, members: tuple[int, ...], rows: Rows) -> Array:
        """Return the log of the sum over all states of the members: (rows, classes)."""
        nodes = self._speaking(members, rows)
        order, largest = self._order(members, nodes)
        step = max(1, int(_PIECE / (largest * self.classes)))
        pieces = [rows[begin : begin + step] for begin in range(0, len(rows), step)]
        return np.concatenate(
            [self._eliminated(members, nodes, order, member) for member in pieces]
        )

    def _speaking(self, members: tuple[int, ...], rows: Rows) -> list[int]:
        """Return the nodes whose local models contain members; missing non-members sum to one."""
        inside, nodes_inside = set(members), []
        for node in range(len(self.net.variables)):
            if inside & set(self.family(node)):
                first = self.columns[node][rows[:1]]  # rows of one component agree about it
                gap = node != self.target and gaps_of(self.net.variables[node], first)[0]
                if node in inside or not gap:
                    nodes_inside.append(node)
        return nodes_inside

    def _order(self, members: tuple[int, ...], nodes: list[int]) -> tuple[list[int], float]:
        """Return the elimination order of the members, and the cells of the largest table."""
        scopes = [frozenset(self.family(node)) & set(members) for node in nodes]
        remaining, order, largest = set(members), [], 1.0
        while remaining:
            scope_of = {m: frozenset().union(*(s for s in scopes if m in s)) for m in remaining}
            sizes = {m: float(np.prod([self._states(k) for k in scope_of[m]])) for m in remaining}
            member = min(remaining, key=lambda m: (sizes[m], m))
            largest = max(largest, sizes[member])
            scopes = [s for s in scopes if member not in s] + [scope_of[member] - {member}]
            remaining.remove(member)
            order.append(member)
        if largest * self.classes > _MOST_CELLS:
            raise FitError(
                f"{len(members)} features are missing together, and summing them out needs a "
                f"table of {largest * self.classes:.3g} cells: impute some of them, or use a "
                "simpler structure."
            )
        return order, largest

    def _eliminated(
        self, members: tuple[int, ...], nodes: list[int], order: list[int], rows: Rows
    ) -> Array:
        """Return the log of the sum over the members, in extended range if doubles may have underflowed."""
        logs, least = self._logs(members, nodes, order, rows, scaled=False)
        if (deep := np.flatnonzero(least < _LEAST)).size:
            logs[deep] = self._logs(members, nodes, order, rows[deep], scaled=True)[0]
        return logs

    def _logs(
        self,
        members: tuple[int, ...],
        nodes: list[int],
        order: list[int],
        rows: Rows,
        *,
        scaled: bool,
    ) -> tuple[Array, Array]:
        """Return the log of the sum, and the least number at its end in each row."""
        logs, least = np.zeros((len(rows), self.classes)), np.ones(len(rows))
        factors: list[Factor] = []
        for node in nodes:
            axes, table, shift = self._factor(node, members, rows, scaled=scaled)
            logs += shift[:, None]
            factors.append((axes, table))
        for member in members:
            if not self._discrete(member):
                weights = _trapezoid(self._grid(member))
                factors.append(((member,), ScaledArray.of(weights) if scaled else weights))
        for member in order:
            factors = _sum_out(member, factors)
        for _, table in factors:
            if isinstance(table, ScaledArray):
                logs += table.log()
            else:
                least = np.minimum(least, table.min(axis=1))
                with np.errstate(divide="ignore"):
                    logs += np.log(table)
        return logs, least

    def _states(self, member: int) -> int:
        levels = self.net.variables[member].levels
        return len(self._grid(member)) if levels is None else len(levels)

    def _grid(self, member: int) -> Array:
        if member not in self.grids:
            name = self.net.variables[member].name
            raise FitError(
                f"{name!r} is continuous and missing, so it cannot be summed out: impute it."
            )
        return self.grids[member]

    def _discrete(self, member: int) -> bool:
        return self.net.variables[member].discrete

    def _factor(
        self, node: int, members: tuple[int, ...], rows: Rows, *, scaled: bool
    ) -> tuple[tuple[int, ...], Array | ScaledArray, Array]:
        """Return a local model as a table (rows or 1, classes or 1, states of members), and each row's
        shift.
        """
        family, model = self.family(node), self.net.conditionals[node]
        inside = tuple(m for m in family if m in members)
        none = np.zeros(len(rows))
        table_values = table_of(model, self._levels(node))
        if table_values is not None:
            table = _slice(table_values, family, self.target, inside, self.columns, rows)
            return inside, ScaledArray.of(table) if scaled else table, none
        shape = (len(rows), self.classes, *(self._states(m) for m in inside))
        values = {m: self._wide(m, inside, rows, shape) for m in family}
        logs = model.logpdf(values[node], tuple(values[m] for m in family[:-1])).reshape(shape)
        if scaled:
            return inside, ScaledArray.of_logs(logs), none
        shift = logs.reshape(len(rows), -1).max(axis=1)
        shift = np.where(np.isfinite(shift), shift, 0.0)
        return inside, np.exp(logs - shift.reshape(-1, *(1,) * (len(shape) - 1))), shift

    def _wide(
        self, member: int, inside: tuple[int, ...], rows: Rows, shape: tuple[int, ...]
    ) -> NDArray[Any]:
        """Return the values of a variable in all cells of a factor."""
        if member in inside:
            states = (
                np.arange(self._states(member)) if self._discrete(member) else self._grid(member)
            )
            axis = inside.index(member) + 2
        elif member == self.target:
            states, axis = np.arange(self.classes), 1
        else:
            states, axis = self.columns[member][rows], 0
        form = [1] * len(shape)
        form[axis] = len(states)
        return np.broadcast_to(states.reshape(form), shape).ravel()


def _looked_up(
    table: Array,
    family: tuple[int, ...],
    target: int,
    values: Mapping[int, NDArray[Any]],
    size: int,
) -> Array:
    """Return the log of a table's cells in each row, for each class: (rows, classes), or (rows, 1)
    without one.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    others = [m for m in family if m != target]
    class_axis = family.index(target) if target in family else None
    logs = logs[..., None] if class_axis is None else np.moveaxis(logs, class_axis, -1)
    shape = logs.shape[:-1]
    flat = np.ascontiguousarray(logs).reshape(-1, logs.shape[-1])
    cell = np.zeros(size, dtype=np.intp)
    for m, length in zip(others, shape, strict=True):
        cell *= length
        cell += values[m]
    return flat.take(cell, axis=0)


def _slice(
    table: Array,
    family: tuple[int, ...],
    target: int,
    inside: tuple[int, ...],
    columns: Sequence[NDArray[Any]],
    rows: Rows,
) -> Array:
    """Return a table at the observed values of each row: (rows or 1, classes or 1, states of `inside`)."""
    known_axes = [axis for axis, m in enumerate(family) if m not in inside and m != target]
    free = [family.index(m) for m in inside]
    class_axis = [family.index(target)] if target in family else []
    turned = table.transpose([*known_axes, *class_axis, *free])
    if known_axes:
        turned = turned[tuple(columns[family[axis]][rows].astype(np.intp) for axis in known_axes)]
    else:
        turned = turned[None]
    return turned if class_axis else turned[:, None]


def _sum_out(member: int, factors: list[Factor]) -> list[Factor]:
    """Multiply the factors of a member, and sum it out."""
    mine = [factor for factor in factors if member in factor[0]]
    rest = [factor for factor in factors if member not in factor[0]]
    if not mine:
        return rest
    axes = tuple(sorted({m for scope, _ in mine for m in scope} - {member}))
    levels = {
        m: size for scope, table in mine for m, size in zip(scope, table.shape[2:], strict=True)
    }
    return [*rest, (axes, combine(mine, (*axes, member), axes, levels, lead=2))]


def _trapezoid(points: Array) -> Array:
    """Return weights of a sum over points that approximates an integral: (1, 1, points)."""
    gaps = np.diff(points)
    weights = np.zeros(len(points))
    weights[:-1] += gaps / 2
    weights[1:] += gaps / 2
    return weights[None, None]


def _spread(
    labels: NDArray[np.intp], gaps: NDArray[np.bool_], pairs: list[tuple[int, int]]
) -> None:
    """Set the labels of connected missing variables to their smallest number, row by row, in place."""
    changed = True
    while changed:
        changed = False
        for one, two in pairs:
            both = gaps[one] & gaps[two] & (labels[one] != labels[two])
            if both.any():
                least = np.minimum(labels[one, both], labels[two, both])
                labels[one, both] = labels[two, both] = least
                changed = True
