"""The family of conditional Parzen windows: its bandwidths and its checks of tables."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import parzen_sums as kernel
from arcwise.conditionals.base import Array, Columns, Family, Fits
from arcwise.conditionals.parzen.windows import (
    Block,
    ParzenConditional,
    block_of,
    canonical_order,
)
from arcwise.conditionals.refusals import check_sizes
from arcwise.data import Statistics, Table, Variable
from arcwise.data.variable import KINDS, sentence_list
from arcwise.errors import DataError, OptionError, unknown
from arcwise.notes import Fix, Note, NoteKind

__all__ = ["BANDWIDTHS", "CEILING", "MOST_ROWS", "Bandwidths", "ParzenFamily"]

Bandwidths = Literal["two", "one", "shared"]
BANDWIDTHS: tuple[Bandwidths, ...] = ("two", "one", "shared")

CEILING = 30.0
"""Largest bandwidth, in standard deviations; beyond it a kernel is flat."""

MOST_ROWS = 65_536
"""Rows beyond which a sample is used: a local model takes seconds with more."""

_FEWEST = 5  # rows below which leaving one out says nothing
_SINGLETONS = 0.02  # share of values occurring once below which a column counts as tied
_FAR = 30.0  # distance from the median, in interquartile ranges, that deserves a word


@dataclass(frozen=True)
class ParzenFamily(Family):
    """The family of conditional Parzen windows; its fields are the options of `bind`."""

    name = "parzen"
    kinds = frozenset(KINDS)
    conditional = ParzenConditional
    kinds = parent_kinds = frozenset(KINDS)

    bandwidths: Bandwidths = "two"
    min_bandwidth: float = 0.01
    tail_weight: float = 0.0
    width: float | None = None
    threads: int = 1

    def fit(
        self,
        y: NDArray[Any],
        xs: Columns,
        child: Variable,
        parents: tuple[Variable, ...],
        weights: Array | None = None,
    ) -> ParzenConditional:
        """Keep the columns, and choose the bandwidths by leave-one-out likelihood."""
        w = np.ones(len(y)) if weights is None else weights
        # Sums over inputs use the order of their names, so that the given order changes no digit.
        # Sums over rows use the order of their contents.
        order = [0, *sorted(range(1, len(xs) + 1), key=lambda i: parents[i - 1].name)]
        family = (y, *xs)
        rows = canonical_order(tuple(family[i] for i in order), w)
        block = block_of((child, *parents), tuple(column[rows] for column in family), w[rows])
        everything = tuple(range(1, len(xs) + 1))
        columns, apart = np.ascontiguousarray(block.columns[order]), block.apart[order]
        back = np.empty_like(block.columns)
        back[:, rows] = block.columns
        block = block._replace(columns=back)
        arguments = (columns, apart, w[rows], 0, block.levels[0], (everything,))
        if self.width is not None:  # one for the whole network, tuned elsewhere
            bandwidths = np.full((1, 2), self.width)
            value = float(kernel.loo(*arguments, bandwidths).value[0])
            return self.fitted((y, *xs), block, w, bandwidths[0], value)
        fitted = kernel.fit(*arguments, **self.kernel_options)
        return self.fitted((y, *xs), block, w, fitted.bandwidths[0], float(fitted.value[0]))

    @property
    def kernel_options(self) -> dict[str, Any]:
        """Return the options of the kernels."""
        return {"one": self.bandwidths != "two", "floor": self.min_bandwidth, "ceiling": CEILING}

    def fitted(
        self, columns: Columns, block: Block, weights: Array, bandwidths: Array, value: float
    ) -> ParzenConditional:
        """Return the model of the first column given the others, at given bandwidths.

        `value` is its leave-one-out likelihood per row in the columns' scales, without the tail.
        """
        jacobian = 0.0 if block.levels[0] else float(np.log(block.scales[0]))
        used = bandwidths if len(columns) > 1 else bandwidths[1:]
        model = ParzenConditional(
            columns[0],
            tuple(columns[1:]),
            weights,
            block.scales,
            bandwidths,
            block.levels[0],
            tuple(bool(flag) for flag in block.apart[1:]),
            self.tail_weight,
            value - jacobian,
            bool((used <= self.min_bandwidth * (1 + 1e-6)).any()),
        )
        return replace(model, loo=_loo_with_tail(model, block)) if self.tail_weight else model

    def prepare(self, table: Table) -> Table:
        """Check that there are three rows, and not too many for the choice of bandwidths."""
        ready = _sample(table)
        if ready.rows < _FEWEST:
            raise DataError(
                f"Parzen windows need at least {_FEWEST} complete rows, but there are {ready.rows}."
            )
        check_sizes(ready)
        return ready.with_notes(*_copies_notes(table), *_ties_notes(ready), *_outlier_notes(ready))

    def default_penalty(self, columns: int, rows: float) -> float:
        """Return log(n (10 + pairs) / 100) / n for n rows and p (p - 1) / 2 pairs of columns: see
        docs/models.md.

        It is close to log(n) / n for ten columns; with more pairs, more of them look dependent by chance.
        """
        pairs = columns * (columns - 1) / 2
        return float(max(1.0, np.log(rows * (10 + pairs) / 100)) / rows)

    def fits(
        self,
        statistics: Statistics,
        *,
        bandwidths: Bandwidths = "two",
        min_bandwidth: float = 0.01,
        tail_weight: float = 0.0,
        threads: int = 1,
    ) -> Fits:
        """Bind the family to a table.

        Parameters
        ----------
        statistics : with rows.
        bandwidths : "two" (inputs, output), "one" for both, or "shared": one for the whole network.
        min_bandwidth : smallest bandwidth, in standard deviations.
        tail_weight : weight of a wide component in every fitted density, against outlying rows.
        threads : number of threads; results do not depend on it.
        """
        from arcwise.conditionals.parzen.window_fits import ParzenFits

        if bandwidths not in BANDWIDTHS:
            raise unknown("kind of bandwidths", bandwidths, BANDWIDTHS)
        if not 0 < min_bandwidth < CEILING:
            raise OptionError(
                f"min_bandwidth must be above 0 and below {CEILING:g}, in standard deviations, "
                f"got {min_bandwidth}."
            )
        if not 0 <= tail_weight < 1:
            raise OptionError(f"tail_weight must be from 0 to below 1, got {tail_weight}.")
        family = replace(
            self,
            bandwidths=bandwidths,
            min_bandwidth=min_bandwidth,
            tail_weight=tail_weight,
            threads=threads,
        )
        return ParzenFits(family, statistics)


def _sample(table: Table) -> Table:
    """Return a row for each unit, or a sample of very many, whatever their order: all pairs are compared."""
    if table.units <= MOST_ROWS and table.rows <= MOST_ROWS:
        return table.expanded()
    weights = np.ones(table.rows) if table.weights is None else table.weights
    order = canonical_order(table.columns, weights)
    if table.copies == "apart":
        order = np.repeat(order, table.counted_copies()[order])
        table = table.with_weights(None)
    sample = np.argsort(_scatter(len(order)), kind="stable")[:MOST_ROWS]
    return table.take(np.sort(order[sample])).with_notes(
        Note(
            NoteKind.MODEL,
            f"{MOST_ROWS} of {len(order)} rows, drawn at random, represent all: Parzen windows "
            "compare every pair of rows.",
        )
    )


def _scatter(count: int) -> NDArray[np.uint64]:
    """Return fixed pseudo-random numbers for 0, 1, 2, ... (the mix of splitmix64)."""
    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _loo_with_tail(model: ParzenConditional, block: Block) -> float:
    """Return the leave-one-out likelihood per row, with the wide component mixed into each density."""
    h_in, h_out = model.bandwidths.tolist()
    inputs, rows = tuple(range(1, len(block.columns))), np.arange(len(model.output))
    arguments = (block.columns, block.apart, model.weights, 0, model.levels, inputs)
    logs = kernel.loo_rows(*arguments, (h_in, h_out), rows)
    if not model.levels:
        logs = logs - np.log(model.scales[0])
    mixed = np.logaddexp(np.log1p(-model.tail_weight) + logs, model.tail_log(model.output))
    return float(np.average(mixed, weights=model.weights))


def _copies_notes(table: Table) -> list[Note]:
    """Return a note on weights that count copies of rows of numbers."""
    numbers = any(not variable.discrete for variable in table.variables)
    if not numbers or table.copies == "together" or table.units <= table.rows:
        return []
    text = (
        "Weights count copies of rows, and each copy is predicted from the others; if they repeat one "
        "measurement, {copies=} holds them out at once."
    )
    return [Note(NoteKind.MODEL, text, (), (Fix("copies", "together"),))]


def _ties_notes(table: Table) -> list[Note]:
    """Return a note on columns with repeated numbers, for which bandwidths may reach the minimum."""
    tied = []
    for variable, column in zip(table.variables, table.columns, strict=True):
        if variable.levels is None and len(column) > 1:
            counts = np.unique(column, return_counts=True)[1]
            if len(counts) > 1 and (counts == 1).sum() < _SINGLETONS * len(column):
                tied.append(variable.name)
    if not tied:
        return []
    verb, whose = ("has", "its") if len(tied) == 1 else ("have", "their")
    text = (
        f"{sentence_list(tied)} {verb} few values that occur only once, so {whose} bandwidths may end at "
        f"min_bandwidth, and {whose} share of the score then depends on it; "
        "{kinds=} treats the values as levels."
    )
    return [Note(NoteKind.MODEL, text, tuple(tied), (Fix("kinds", {tied[0]: "discrete"}),))]


def _outlier_notes(table: Table) -> list[Note]:
    """Return a note on columns whose standard deviation is dominated by a few values."""
    outlying = []
    for variable, column in zip(table.variables, table.columns, strict=True):
        if variable.levels is None:
            low, middle, high = np.quantile(column, (0.25, 0.5, 0.75))
            if high > low and np.abs(column - middle).max() > _FAR * (high - low):
                outlying.append(variable.name)
    if not outlying:
        return []
    text = (
        f"{sentence_list(outlying)}: some values are more than {_FAR:g} interquartile ranges from the "
        "median. "
        "They dominate the standard deviation, which is the unit of bandwidths: transform the columns "
        "(logarithms), or drop such rows."
    )
    return [Note(NoteKind.MODEL, text, tuple(outlying))]
