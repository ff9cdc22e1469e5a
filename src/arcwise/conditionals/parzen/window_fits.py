"""Parzen windows bound to a table: bandwidths of many input sets, and their leave-one-out likelihoods.

Every number is a pure function of child and parents. With one bandwidth h shared by the network, let

    J(B) = sum_n w_n log sum_{m != n} w_m exp(-D_B(n, m) / (2 h^2)),

then the leave-one-out likelihood of a child is J(B and child) - J(B) up to a constant, so equivalent
graphs have equal scores, and J is cached by set, for all children.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise._kernels import parzen_sums as kernel
from arcwise.conditionals.base import Array, Fits, HeldOutFits, ParentSets, Parts
from arcwise.conditionals.parzen.window_family import BANDWIDTHS, CEILING, ParzenFamily
from arcwise.conditionals.parzen.windows import Block, ParzenConditional, block_of, canonical_order
from arcwise.conditionals.refusals import no_count
from arcwise.conditionals.rowwise import RowHeldOut
from arcwise.data import Complete, Statistics, Table, Variable
from arcwise.data import Parts as UnitParts

if TYPE_CHECKING:
    from arcwise.graphs import DAG

__all__ = ["ParzenFits", "kept_fits"]

_QUICK = 1_500  # rows up to which a local model takes a few hundredths of a second
_CLOSE = 1e-3  # change of the logarithm of a shared width that is worth another search
_LOG_2PI = float(np.log(2 * np.pi))


class ParzenFits(Fits):
    """The Parzen family bound to a table."""

    def __init__(
        self, family: ParzenFamily, statistics: Statistics, *, width: float | None = None
    ) -> None:
        self.family, self.statistics = family, statistics
        self.table = table = family.rows_of(statistics).expanded()
        self.nodes, self.rows = table.names, table.total
        self.models = family.models_of(self.nodes)
        self.shared, self.threads = family.bandwidths == "shared", family.threads
        self.given = np.ones(table.rows) if table.weights is None else table.weights
        # Sums use the order of the rows' contents, so that the given order changes no digit.
        self.order = canonical_order(table.columns, self.given)
        self.weights = np.ascontiguousarray(self.given[self.order])
        columns = tuple(column[self.order] for column in table.columns)
        self.block = block_of(table.variables, columns, self.weights)
        ordered = any(v.ordered for v in table.variables if v.discrete)
        self.equivalent = family.bandwidths == "shared" and not ordered
        self._found: dict[tuple[int, tuple[int, ...]], tuple[Array, float]] = {}
        self._sums: dict[tuple[int, ...], float] = {}
        self.width = (
            self._first_width() if family.bandwidths == "shared" and width is None else width
        )

    # -- local models -----------------------------------------------------------------------------

    def conditional(self, child: int, parents: tuple[int, ...]) -> ParzenConditional:
        """Return the fitted model of `child` given `parents`, which keeps the table's columns."""
        bandwidths, values = self._fit(child, (parents,))
        members, block = [child, *parents], self.block
        arrays = np.empty((len(members), self.table.rows))
        arrays[:, self.order] = block.columns[members]
        stored = Block(
            arrays,
            block.apart[members],
            block.scales[members],
            tuple(block.levels[j] for j in members),
        )
        columns = tuple(self.table.columns[j] for j in members)
        return self.family.fitted(columns, stored, self.given, bandwidths[0], float(values[0]))

    def _fit(self, child: int, sets: ParentSets) -> tuple[Array, Array]:
        """Return bandwidths (m, 2) and leave-one-out likelihoods per row (m,), in the columns' scales."""
        if self.width is not None:
            return np.full((len(sets), 2), self.width), self._shared(child, sets, self.width)
        missing = [s for s in dict.fromkeys(sets) if (child, s) not in self._found]
        if missing:
            result = kernel.fit(
                self.block.columns,
                self.block.apart,
                self.weights,
                child,
                self.block.levels[child],
                missing,
                threads=self.family.threads,
                **self.family.kernel_options,
            )
            for s, bandwidths, value in zip(missing, result.bandwidths, result.value, strict=True):
                self._found[child, s] = (bandwidths, float(value))
        fits = [self._found[child, s] for s in sets]
        return np.array([bandwidths for bandwidths, _ in fits]), np.array(
            [value for _, value in fits]
        )

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Return leave-one-out log-likelihoods at the best bandwidths."""
        if (
            self.family.tail_weight
        ):  # mixed into the density of each row left out, at the same bandwidths
            return self.rows * np.array([self.conditional(child, s).loo for s in sets])
        _, values = self._fit(child, sets)
        jacobian = 0.0 if self.block.levels[child] else np.log(self.block.scales[child])
        out: Array = self.rows * (values - jacobian)
        return out

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return the log-likelihood of the rows under the fitted models, which include these rows."""
        columns = self.table.columns
        return np.array(
            [
                self.given
                @ self.conditional(child, s).logpdf(columns[child], tuple(columns[j] for j in s))
                for s in sets
            ]
        )

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Raise an error: a model that keeps its rows has no number of parameters."""
        no_count(self.family)

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOutFits:
        """Bind the family to parts of the rows; each is scored by models fitted to the other rows."""
        units, rows = UnitParts(
            table or self.family.rows_of(self.statistics), tuple(parts)
        ).expanded()
        return RowHeldOut(replace(self.family, width=self.width), units, rows)

    def seconds(self, inputs: int) -> float:
        """Return the time of one local model, measured once; 0 for small tables."""
        if self.table.rows <= _QUICK:
            return 0.0
        began = time.perf_counter()
        self._fit(0, (tuple(range(1, min(inputs, len(self.nodes) - 1) + 1)),))
        return (time.perf_counter() - began) / max(self.family.threads, 1)

    # -- one bandwidth for the whole network ------------------------------------------------------

    def _shared(self, child: int, sets: ParentSets, width: float) -> Array:
        """Return leave-one-out likelihoods per row at the shared bandwidth."""
        wider = [tuple(sorted((*s, child))) for s in sets]
        self._keep([*sets, *wider], width)
        sums = [self._sums[w] - self._sums[s] for w, s in zip(wider, sets, strict=True)]
        return np.array(sums) + _normaliser(width, self.block.levels[child])

    def _keep(self, sets: Sequence[tuple[int, ...]], width: float) -> None:
        missing = [s for s in dict.fromkeys(sets) if s not in self._sums]
        if missing:
            sums = self._joint(missing, width)
            self._sums.update(zip(missing, sums.tolist(), strict=True))

    def _joint(self, sets: Sequence[tuple[int, ...]], width: float) -> Array:
        block = self.block
        return kernel.joint(
            block.columns, block.apart, self.weights, sets, width, threads=self.family.threads
        )

    def _first_width(self) -> float:
        """Return the bandwidth of the joint density of all columns: that of any complete graph."""
        everything = tuple(range(len(self.nodes)))
        return self._best_width([(everything, 1), ((), -1)])

    def _best_width(self, terms: Sequence[tuple[tuple[int, ...], int]]) -> float:
        """Return the bandwidth with the largest sum of signed J, with the kernels' constants."""
        from scipy.optimize import minimize_scalar

        sets, signs = [s for s, _ in terms], np.array([sign for _, sign in terms], dtype=float)

        def loss(log_width: float) -> float:
            width = float(np.exp(log_width))
            constants = sum(_normaliser(width, levels) for levels in self.block.levels)
            return -float(signs @ self._joint(sets, width) + constants)

        grid = np.linspace(np.log(self.family.min_bandwidth), np.log(CEILING), 15)
        best = int(np.argmin([loss(float(point)) for point in grid]))
        around = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
        optimum = minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-5})
        return float(np.exp(optimum.x if optimum.fun <= loss(float(grid[best])) else grid[best]))

    def retuned(self, graph: "DAG") -> "ParzenFits | None":
        """Return fits with the shared bandwidth tuned to a graph; None if nothing changes."""
        if self.width is None:
            return None
        terms = [(tuple(sorted((*row, c))), 1) for c, row in enumerate(graph.parents)]
        terms += [(row, -1) for row in graph.parents]
        width = self._best_width(terms)
        if abs(np.log(width / self.width)) < _CLOSE:
            return None
        return ParzenFits(self.family, self.statistics, width=width)


def kept_fits(
    variables: Sequence[Variable], models: Sequence[object], options: Mapping[str, Any]
) -> ParzenFits | None:
    """Return the family bound to the rows that fitted windows keep; None if some model keeps none.

    Parameters
    ----------
    variables, models : of a network, in the same order.
    options : of learning, as read from a file; only those of the family are used.
    """
    windows = [model for model in models if isinstance(model, ParzenConditional)]
    if not windows or len(windows) < len(models):
        return None
    first = windows[0]
    if any(not np.array_equal(window.weights, first.weights) for window in windows):
        return None
    columns = tuple(window.output for window in windows)
    table = Table(tuple(variables), columns, np.array(first.weights), copies="together")
    kind, least = options.get("bandwidths", "two"), options.get("min_bandwidth", 0.01)
    if table.variables != tuple(variables):  # tables are sorted, networks made by hand need not be
        return None
    if kind not in BANDWIDTHS or not isinstance(least, float) or not 0 < least < CEILING:
        return None
    family = ParzenFamily(bandwidths=kind, min_bandwidth=least, tail_weight=first.tail_weight)
    width = float(first.bandwidths[0]) if family.bandwidths == "shared" else None
    return ParzenFits(family, Complete(table), width=width)


def _normaliser(width: float, levels: int) -> float:
    """Return the logarithm of the output kernel's constant."""
    if levels:
        return -float(np.log1p((levels - 1) * np.exp(-0.5 / width**2)))
    return -float(np.log(width)) - 0.5 * _LOG_2PI
