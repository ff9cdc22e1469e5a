"""Whole tables of questions: prediction, completion and densities of rows with any gaps.

Rows with gaps in the same places ask the same question with other numbers: the gain and the spread
are computed once for each pattern of gaps, and all its rows are answered together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data import Table
from arcwise.errors import FitError
from arcwise.inference.belief import numbers
from arcwise.inference.gaussian import log_normal, narrow, posterior
from arcwise.inference.linear import centres, local, roots
from arcwise.inference.normal import half_width, standard_quantiles
from arcwise.inference.relevance import upward
from arcwise.networks import BayesNet, align, log_density

__all__ = ["Predictions", "impute", "marginal_log_density", "predict", "residuals"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Predictions:
    """Normal predictions of one variable, one per row.

    Parameters
    ----------
    name : the variable.
    mean, sd : one number per row each.
    notes : what was ignored or unknown in every row.
    error : standard error of each mean; 0 where it is exact, as here.

    >>> Predictions("y", np.array([1.0, 2.0]), np.array([0.5, 0.5])).quantiles(0.5).tolist()
    [1.0, 2.0]
    """

    name: str
    mean: Array
    sd: Array
    notes: tuple[str, ...] = ()
    error: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if not len(self.error):
            object.__setattr__(self, "error", np.zeros(len(self.mean)))
        self.mean.flags.writeable = False
        self.sd.flags.writeable = False

    def quantiles(self, q: ArrayLike) -> Array:
        """Quantiles of each row: a vector for one share, one column per share for several."""
        z = standard_quantiles(q)
        if z.ndim == 0:
            return self.mean + self.sd * z
        return self.mean[:, None] + self.sd[:, None] * z

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Lower and upper ends of the central intervals that hold a share ``level``."""
        half = self.sd * half_width(level)
        return self.mean - half, self.mean + half

    def logdensity(self, values: ArrayLike) -> Array:
        """Log density of one value a row under its prediction; NaN where there is none.

        >>> Predictions("y", np.zeros(1), np.ones(1)).logdensity([0.0]).round(4).tolist()
        [-0.9189]
        """
        off = numbers(self.name, values) - self.mean
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            logs: Array = -0.5 * (off / self.sd) ** 2 - np.log(self.sd) - 0.5 * np.log(2 * np.pi)
        certain = np.where(off == 0, np.inf, np.where(np.isnan(off), np.nan, -np.inf))
        return np.where(self.sd > 0, logs, certain)

    def to_dict(self) -> dict[str, list[float]]:
        """Mean, sd and the ends of the 95 % interval as plain lists."""
        low, high = self.interval()
        columns = {"mean": self.mean, "sd": self.sd, "low": low, "high": high}
        return {name: column.tolist() for name, column in columns.items()}

    def __len__(self) -> int:
        return len(self.mean)

    def __str__(self) -> str:
        if not len(self):
            return f"{self.name}: no rows to predict"
        low, high = float(self.mean.min()), float(self.mean.max())
        return (
            f"{self.name}: {len(self)} predictions between {low:.4g} and {high:.4g}, "
            f"sd {float(self.sd.min()):.4g} to {float(self.sd.max()):.4g}"
        )


def predict(net: BayesNet, table: Table, target: str) -> Predictions:
    """Predict one variable in every row from all that is known of the others.

    Parameters
    ----------
    net : a network of linear-Gaussian local models.
    table : the rows; any cells may be missing, columns too. The target's own values are ignored.
    target : the variable to predict.

    Returns
    -------
    Predictions, one per row.

    Raises
    ------
    DataError : no column in common, an unknown target, or columns that are no numbers.
    FitError : a row that contradicts a deterministic relation of the network.

    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> a = GaussianConditional(1.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.array([2.0]), 1.0, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> rows = Table((Variable("b"),), (np.array([4.5, np.nan]),))
    >>> predict(net, rows, "a").mean.round(6).tolist()
    [2.0, 1.0]
    """
    node = net.index(target)
    rows = align(net, table, unread=(target,))
    gaps = rows.missing()
    gaps[:, node] = True
    mean, sd = np.empty(rows.rows), np.empty(rows.rows)
    for places, known in patterns(gaps):
        means, root = posterior(net, [node], known, _values(rows, places), rows=len(places))
        mean[places], sd[places] = means[:, 0], np.linalg.norm(root[0])
    notes = tuple(note for note in rows.notes if note not in table.notes)
    return Predictions(target, mean, sd, notes)


def residuals(net: BayesNet, table: Table) -> Array:
    """Errors of predicting each variable from all that is known of the others; NaN in gaps.

    With local errors e, noise variances v and weights w of arcs, the error of variable i is
    (e_i / v_i - sum over children c of w_ci e_c / v_c) / (1 / v_i + sum over c of w_ci^2 / v_c):
    the closed form of `predict` for every variable at once, where there are no gaps.

    Parameters
    ----------
    net : a network of linear-Gaussian local models.
    table : rows of exactly the network's variables.

    Returns
    -------
    Rows by variables: value minus prediction.
    """
    if table.missing().any():
        guesses = (predict(net, table, name).mean for name in net.names)
        return np.column_stack(
            [column - guess for column, guess in zip(table.columns, guesses, strict=True)]
        )
    models = [local(net, node) for node in range(len(net.names))]
    errors, weight = np.zeros((table.rows, len(models))), np.zeros(len(models))
    for node, (intercept, slopes, noise) in enumerate(models):
        parents = list(net.graph.parents[node])
        own = table.columns[node] - intercept
        for parent, slope in zip(parents, slopes, strict=True):
            own = own - slope * table.columns[parent]
        scaled = own / noise**2
        errors[:, node] += scaled
        errors[:, parents] -= np.outer(scaled, slopes)
        weight[node] += noise**-2
        weight[parents] += (slopes / noise) ** 2
    return errors / weight


def impute(net: BayesNet, table: Table, rng: np.random.Generator | None = None) -> Table:
    """Fill the gaps of a table.

    Parameters
    ----------
    net : a network of linear-Gaussian local models.
    table : the rows; any cells may be missing, columns too.
    rng : None fills in expected values given all that is known of a row; with a generator, values
        are drawn from their joint distribution instead, so that spreads and relations stay right.

    Returns
    -------
    A table of the network's variables without gaps; columns the network does not know are left out,
    and the notes say so.

    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> a = GaussianConditional(1.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.array([2.0]), 1.0, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> impute(net, Table((Variable("a"),), (np.array([0.0, 3.0]),))).to_dict()
    {'a': [0.0, 3.0], 'b': [0.0, 6.0]}
    """
    rows = align(net, table)
    gaps = rows.missing()
    columns = [
        column.copy() if gaps[:, i].any() else column for i, column in enumerate(rows.columns)
    ]
    for places, known in patterns(gaps):
        hidden = np.flatnonzero(gaps[places[0]]).tolist()
        if not hidden:
            continue
        filled, root = posterior(net, hidden, known, _values(rows, places), rows=len(places))
        if rng is not None:
            root = narrow(root)
            filled = filled + rng.standard_normal((len(places), root.shape[1])) @ root.T
        for i, node in enumerate(hidden):
            columns[node][places] = filled[:, i]
    return replace(rows, columns=tuple(columns))


def marginal_log_density(net: BayesNet, table: Table) -> Array:
    """Log density of what is known of each row; unknown variables are integrated out exactly.

    Parameters
    ----------
    net : the network; local models of any kind for rows without gaps, linear-Gaussian ones for rows
        with gaps.
    table : the rows; any cells may be missing, columns too.

    Returns
    -------
    One number per row, in nats; 0 for a row of which nothing is known, minus infinity for one that
    is too far out for the numbers of a computer.

    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> a = GaussianConditional(1.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.array([2.0]), 1.0, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> marginal_log_density(net, Table((Variable("b"),), (np.array([2.0]),))).round(4).tolist()
    [-1.7237]
    """
    rows = align(net, table)
    with np.errstate(over="ignore", invalid="ignore"):  # what is too far out has no density
        total = _log_densities(net, rows, rows.missing())
    return np.where(np.isnan(total), -np.inf, total)


def _log_densities(net: BayesNet, rows: Table, gaps: NDArray[np.bool_]) -> Array:
    """Log densities; NaN where infinities met on the way."""
    if not gaps.any():
        return log_density(net, rows.columns)
    _check_numbers(net)
    total = _local_sums(net, rows, gaps)
    for places, known in patterns(gaps):
        hidden = upward(net.graph, known, known)
        if hidden:
            total[places] += _block(net, known, hidden, _values(rows, places), len(places))
    return total


def _check_numbers(net: BayesNet) -> None:
    for variable, model in zip(net.variables, net.models, strict=True):
        if variable.discrete:
            raise FitError(
                f"The density of rows with gaps needs linear-Gaussian local models, and that of "
                f"{variable.name!r} is {model}: leave the rows with gaps out."
            )


def _local_sums(net: BayesNet, rows: Table, gaps: NDArray[np.bool_]) -> Array:
    """Sum of the local log densities of nodes that are known together with all their parents."""
    total = np.zeros(rows.rows)
    for node, conditional in enumerate(net.conditionals):
        parents = net.graph.parents[node]
        xs = tuple(rows.columns[parent] for parent in parents)
        unknown = gaps[:, [node, *parents]].any(axis=1)
        total += np.where(unknown, 0.0, conditional.logpdf(rows.columns[node], xs))
    return total


def _block(
    net: BayesNet,
    known: set[int],
    hidden: set[int],
    value: Callable[[int], Array],
    rows: int,
) -> Array:
    """Log density of the known nodes that have hidden parents, given all other known values."""
    below = {child for node in hidden for child in net.graph.children[node] if child in known}
    nodes = [node for node in net.graph.order() if node in hidden or node in below]
    places = [i for i, node in enumerate(nodes) if node in below]
    mean, root = centres(net, nodes, hidden, value, rows), roots(net, nodes, hidden)
    values = np.column_stack([value(nodes[i]) for i in places])
    return log_normal(values - mean[:, places], root[places])


def patterns(gaps: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.intp], set[int]]]:
    """Groups of rows with the same gaps: the rows' numbers, and the columns they know.

    >>> mask = np.array([[True, False], [False, False], [True, False]])
    >>> [(rows.tolist(), known) for rows, known in patterns(mask)]
    [([1], {0, 1}), ([0, 2], {1})]
    """
    packed = np.packbits(gaps, axis=1)
    _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(group.ravel(), minlength=len(first)))[:-1]
    # Not strict: split makes one (empty) piece of no rows.
    for start, places in zip(first, np.split(order, ends), strict=False):
        yield places, set(np.flatnonzero(~gaps[start]).tolist())


def _values(table: Table, places: NDArray[np.intp]) -> Callable[[int], Array]:
    """Access to the values of some rows, column by column."""

    def value(node: int) -> Any:
        return table.columns[node][places]

    return value
