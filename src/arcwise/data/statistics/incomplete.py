r"""Statistics of numbers with missing values: moments by EM, counted as fewer complete rows.

All observed values contribute (see `normal_em`). The estimates are less certain than those of as many
complete rows, and a score that counted all rows would take noise for edges. So the moments count as

.. math:: n = \left( \frac{2}{p (p - 1)} \sum_{i < j} \frac{1}{n_{ij}} \right)^{-1}

complete rows, the harmonic mean of the numbers of rows that have both columns of a pair. The number is the
same for all local models. Numbers that differ by local model, such as the mean over the pairs of a family,
reward a fully observed parent for raising the count of what the other parents explain: with a third of the
columns complete they left ten times as many wrong edges (benchmarks/missing.py). One number also keeps
equivalent graphs equal in score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.moments import Moments
from arcwise.data.normal_em import RIDGE, NormalEstimate, StandardRows, maximise_normal
from arcwise.data.statistics.gathered import GatheredMoments
from arcwise.data.statistics.protocol import Statistics
from arcwise.data.table import Table
from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, FitError
from arcwise.notes import Fix, Note, data_note

__all__ = [
    "NOT_CONVERGED",
    "PRIOR",
    "Incomplete",
    "check_pairs",
    "complete_equivalent",
    "gap_notes",
    "pair_counts",
    "pair_notes",
    "share_note",
]

Floats = NDArray[np.float64]

PRIOR = 1.0
"""Rows of unrelated columns added in EM. With 2 of 50 columns observed in a tenth of the rows, one row
removes a fifth of the wrong edges; ten rows remove half, but cost as many right ones in other tables."""

_COSTLY = 0.8  # a column is named if the others alone count as 1 / 0.8 times as many rows


def pair_counts(table: Table) -> Floats:
    """Return the number of rows, copies counted, that have both columns of each pair.

    >>> from arcwise.data.frames import table
    >>> pair_counts(table({"x": [1.5, None, 2.5], "y": [0.5, 1.0, None]}))
    array([[2., 1.],
           [1., 2.]])
    """
    present = (~table.missing()).astype(np.float64)
    weighted = present if table.weights is None else present * table.weights[:, None]
    return weighted.T @ present


def complete_equivalent(counts: Floats) -> float:
    """Return the equivalent number of complete rows: the harmonic mean over pairs of columns, rounded.

    Pairs that are never observed together are ignored; with one column it is the number of its values.

    >>> complete_equivalent(np.array([[4.0, 2.0], [2.0, 3.0]]))
    2.0
    """
    if len(counts) == 1:
        return float(counts[0, 0])
    pairs = counts[np.triu_indices(len(counts), 1)]
    observed = pairs[pairs > 0]
    return (
        max(1.0, float(np.round(len(observed) / np.sum(1.0 / observed)))) if observed.size else 1.0
    )


class Incomplete(Statistics):
    """Continuous columns with missing values.

    >>> from arcwise.data.frames import table
    >>> source = Incomplete(table({"x": [0.5, 1.5, 3.0, None], "y": [1.0, None, 3.5, 4.5]}))
    >>> source.total, source.moments().mean.round(2).tolist()
    (2.0, [1.92, 2.89])
    """

    content = "rows with missing values"

    def __init__(self, table: Table) -> None:
        empty = table.missing().all(axis=1)
        self.table = table.take(~empty) if empty.any() else table
        self.variables, self.names, self.order = table.variables, table.names, table.order
        counts = pair_counts(self.table)
        check_pairs(table.names, counts, table.rows)
        self.total = complete_equivalent(counts)
        self.effective_rows = self.total * self.table.effective_rows / self.table.total
        self.notes = (*table.notes, *gap_notes(table, counts, self.total, "used, by EM,"))

    def moments(self) -> Moments:
        """Return means and scatter matrix by EM, counted as fewer complete rows."""
        return self._moments

    @cached_property
    def _standard(self) -> tuple[StandardRows, NormalEstimate] | None:
        return self._estimate(None)

    def _estimate(
        self, stop: Callable[[], bool] | None
    ) -> tuple[StandardRows, NormalEstimate] | None:
        table = self.table
        weights = np.ones(table.rows) if table.weights is None else table.weights
        standard = StandardRows.of(table.matrix(), weights)
        return None if standard is None else (standard, standard.fit(PRIOR, stop))

    def estimate(self, stop: Callable[[], bool]) -> None:
        """Run EM now instead of at first use; `stop` is asked before each round whether to end.

        A note states if EM ended before it converged.
        """
        result = self.__dict__["_standard"] = self._estimate(stop)
        if result is not None and not result[1].converged:
            self.notes = (*self.notes, NOT_CONVERGED)

    @cached_property
    def _moments(self) -> Moments:
        if self._standard is None:
            mean = np.nanmean(self.table.matrix(), axis=0)
            return self._counted(NormalEstimate(mean, np.zeros((len(mean), len(mean))), (), True))
        standard, fit = self._standard
        return self._counted(standard.in_units(fit))

    def _counted(self, fit: NormalEstimate) -> Moments:
        scatter = fit.covariance * self.total
        return Moments(self.variables, self.total, fit.mean, scatter, self.order, self.notes)

    def moments_of(
        self, project: Callable[[Floats], Floats], stop: Callable[[], bool] | None = None
    ) -> Moments:
        """Return the moments of largest likelihood in a model, such as a graph's.

        Parameters
        ----------
        project : from the covariance of complete data to the one of largest likelihood in the model; the
            columns are those that vary, in standard units.
        stop : asked before each round of EM whether to end.
        """
        if self._standard is None:
            return self._moments
        standard, fit = self._standard
        ridge = RIDGE / standard.patterns.total * np.eye(len(fit.mean))

        def update(mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
            return mean, project(covariance + ridge)

        start = project(fit.covariance)
        own = maximise_normal(standard.patterns, fit.mean, start, update, stop=stop)
        return self._counted(standard.in_units(own))

    @cached_property
    def varying(self) -> NDArray[np.intp]:
        """The numbers of the columns that vary."""
        if self._standard is None:
            return np.zeros(0, dtype=np.intp)
        return np.flatnonzero(self._standard[0].varying)

    def rows(
        self, use: str, otherwise: str = "read the file as a table", fixes: Sequence[Fix] = ()
    ) -> Table:
        """Raise an error that names what needs complete rows."""
        raise FitError(
            f"{use} rows without missing values, and this table has some: {{missing=}} takes the complete "
            "rows; scores such as ebic, bic and bge need none.",
            fixes=[*fixes, Fix("missing", "drop")],
        )

    def cases(
        self, use: str, otherwise: str = "read the file as a table", fixes: Sequence[Fix] = ()
    ) -> Table:
        """Return the rows with their missing values."""
        return self.table

    def typical(self, most: int) -> tuple[NDArray[Any], ...]:
        """Return the means."""
        return tuple(np.array([mean]) for mean in self._moments.mean)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return the columns and the weights."""
        weights = self.table.weights
        return (*self.table.columns, *(() if weights is None else (weights,)))

    def constant(self) -> tuple[str, ...]:
        """Return the names of the columns whose observed values are all equal."""
        columns = zip(self.names, self.table.columns, strict=True)
        return tuple(name for name, column in columns if np.nanmin(column) == np.nanmax(column))

    def select(self, names: Iterable[str]) -> Incomplete:
        """Return these columns only, presented in this order."""
        return Incomplete(self.table.select(names))

    def prepared(self, change: Callable[[Table], Table]) -> Statistics:
        """Return the statistics of the changed table."""
        return Incomplete(change(self.table))

    def reweighted(self, weights: ArrayLike, copies: str | None = None) -> Incomplete:
        """Return the statistics with other row weights, as in replicates."""
        return Incomplete(self.table.with_weights(weights, copies))

    def merged(self, other: Statistics) -> GatheredMoments:
        """Return the moments with other cases added."""
        return GatheredMoments(self.moments()).merged(other)


NOT_CONVERGED = data_note(
    "EM of mean and covariance stopped before it converged: time ran out, or too few values are observed "
    "together."
)


def check_pairs(names: Sequence[str], counts: Floats, rows: int) -> None:
    """Raise an error if a column has no value, or no two columns are observed together."""
    empty = [name for name, many in zip(names, np.diag(counts), strict=True) if not many > 0]
    if empty:
        raise DataError(
            f"{sentence_list(empty)} must have values, got none: leave such columns out."
        )
    if len(counts) > 1 and not counts[np.triu_indices(len(counts), 1)].any():
        raise DataError(f"No row of {rows} has the values of two columns: no pairs to learn from.")


def gap_notes(table: Table, counts: Floats, worth: float, how: str) -> list[Note]:
    """Return notes on the share of missing values, the method (`how`), and the columns that cost most."""
    gaps = table.missing()
    complete = int((~gaps.any(axis=1)).sum())
    note = share_note(table.names, gaps.mean(axis=0), worth, how, complete, table.rows)
    return [note, *pair_notes(table.names, counts, worth)]


def share_note(
    names: Sequence[str], shares: Floats, worth: float, how: str, complete: int, rows: int
) -> Note:
    """Return how much is missing, and `how` observed values are used; the others are numbers of rows."""
    worst = sorted(range(len(shares)), key=lambda i: (-shares[i], names[i]))[:3]
    named = ", ".join(f"{names[i]!r}: {_share(shares[i])}" for i in worst if shares[i] > 0)
    text = (
        f"{_share(shares.mean())} of all values are missing (most in {named}). All observed values are {how} "
        f"and count as {worth:.0f} complete rows; {{missing=}} takes the {complete} complete rows of "
        f"{rows}."
    )
    return data_note(text, tuple(names[i] for i in worst), (Fix("missing", "drop"),))


def _share(share: float) -> str:
    return f"{100 * share:.2g} %"


def pair_notes(names: tuple[str, ...], counts: Floats, worth: float) -> list[Note]:
    """Return notes on pairs never observed together, and on a column that lowers the count of the others."""
    notes, size = [], len(names)
    apart = np.argwhere(np.triu(counts == 0, 1))
    if len(apart):
        pairs = ", ".join(f"{names[i]!r} and {names[j]!r}" for i, j in apart[:3].tolist())
        more = f" and {len(apart) - 3} more pairs" if len(apart) > 3 else ""
        text = (
            f"Never observed in the same row: {pairs}{more}. The data have no information on edges "
            "between these."
        )
        notes.append(data_note(text))
    if size > 2:
        costs = np.divide(1.0, counts, out=np.zeros_like(counts), where=counts > 0)
        np.fill_diagonal(costs, 0.0)
        most = int(costs.sum(axis=0).argmax())
        rest = complete_equivalent(np.delete(np.delete(counts, most, 0), most, 1))
        if worth < _COSTLY * rest:
            text = f"Without {names[most]!r}, the other columns would count as {rest:.0f} complete rows."
            notes.append(data_note(text, (names[most],)))
    return notes
