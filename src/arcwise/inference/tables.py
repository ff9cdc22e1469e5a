"""Whole tables of questions to networks without a closed form.

Rows in which everything is known that the target's conditional takes are answered by it, exactly;
the others are simulated, all rows and chains together.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data import Table
from arcwise.data.variable import numbers_of
from arcwise.errors import DataError
from arcwise.inference.averaging import chances, refuse_beyond
from arcwise.inference.belief import numbers
from arcwise.inference.chained import chained, expected
from arcwise.inference.gibbs import FAR, Chains, Effort, begin, beside, distances, run
from arcwise.inference.joined import JoinedRows, ModelRows, Part
from arcwise.inference.levels import level_numbers
from arcwise.inference.normal import generator, half_width, standard_quantiles
from arcwise.inference.options import ROWS, TABULATED, Options
from arcwise.inference.product import product_net
from arcwise.inference.quality import HIGHEST_RHAT
from arcwise.inference.rows import Predictions
from arcwise.inference.simulate import answer, field_of, fields, open_rows, row_blocks
from arcwise.inference.stacked import asked, stackable, stacked_parts
from arcwise.networks import BayesNet, MarkovNet, Net, align

__all__ = ["SimulatedPredictions", "point_errors", "simulated_impute", "simulated_predict"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]
Mask = NDArray[np.bool_]

FAR_CELLS = 20_000_000
"""Largest table of distances that is looked at for rows far from all data."""


@dataclass(frozen=True, eq=False)
class SimulatedPredictions(Predictions):
    """Predictions of any shape, one per row.

    Parameters
    ----------
    name, mean, sd, notes : as in Predictions; mean and sd are NaN for levels that are no numbers.
    error : Monte-Carlo standard error of each mean, 0 for rows that are exact.
    law : the laws of the rows.
    rhat, ess : of each row; 1 and infinite where it is exact.
    levels : the levels of a discrete target.
    """

    law: JoinedRows = field(default_factory=lambda: JoinedRows((), 0))
    rhat: Array = field(default_factory=lambda: np.ones(0))
    ess: Array = field(default_factory=lambda: np.zeros(0))
    levels: tuple[Any, ...] | None = None

    def quantiles(self, q: ArrayLike) -> Array:
        """Quantiles of each row: a vector for one share, one column per share for several."""
        standard_quantiles(q)  # refuses what is no share
        found = self.law.quantiles(np.atleast_1d(np.asarray(q, dtype=float)))
        return found[:, 0] if np.ndim(q) == 0 else found

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Lower and upper ends of the central intervals that hold a share ``level``."""
        half_width(level)  # refuses what is no level
        ends = self.law.quantiles(np.array([0.5 - 0.5 * level, 0.5 + 0.5 * level]))
        return ends[:, 0], ends[:, 1]

    def logdensity(self, values: ArrayLike) -> Array:
        """Log density (for levels: log probability) of one value a row; NaN where there is none."""
        found = self._codes(values)
        there = ~np.isnan(found)
        out = self.law.logdensity(np.where(there, found, 0.0))
        return np.where(there, out, np.nan)

    def _codes(self, values: ArrayLike) -> Array:
        """Values as the laws take them: numbers, or codes of levels."""
        if self.levels is None:
            column = numbers(self.name, values)
        else:
            codes: dict[Any, float] = {level: float(i) for i, level in enumerate(self.levels)}
            every: list[Any] = list(np.asarray(values, dtype=object))
            column = np.array([codes.get(value, np.nan) for value in every])
        if column.shape != self.mean.shape:
            raise DataError(
                f"The densities of {len(self)} predictions need as many values, but "
                f"{column.size} came."
            )
        return column

    def __str__(self) -> str:
        if self.levels is None or not len(self):
            return super().__str__()
        likely = np.bincount(self.probabilities.argmax(axis=1), minlength=len(self.levels))
        counts = ", ".join(
            f"{level} {n}" for level, n in zip(self.levels, likely.tolist(), strict=True)
        )
        return f"{self.name}: {len(self)} predictions; most probable levels: {counts}"

    @property
    def probabilities(self) -> Array:
        """Probability of each level (columns) in each row, for a discrete target."""
        if self.levels is None:
            raise DataError(f"{self.name!r} is a number, so it has no levels: ask for quantiles.")
        codes = [np.full(len(self), float(code)) for code in range(len(self.levels))]
        return np.exp(np.stack([self.law.logdensity(code) for code in codes], axis=1))


def simulated_predict(
    net: Net, table: Table, target: str, options: Options
) -> SimulatedPredictions:
    """Predict one variable in every row from all that is known of the others.

    Parameters
    ----------
    net : any network.
    table : the rows; any cells may be missing, columns too. The target's own values are ignored.
    target : the variable to predict.
    options : how to simulate rows with gaps.
    """
    node = net.index(target)
    rows = align(net, table, unread=(target,))
    gaps = rows.missing()
    gaps[:, node] = True
    rng = generator(options.seed)
    effort = _effort(net, options)
    error, rhat = np.zeros(rows.rows), np.ones(rows.rows)
    ess, parts = np.full(rows.rows, np.inf), list[Part]()
    notes = [note for note in rows.notes if note not in table.notes]
    stacks = options.method == "stacked" or (options.method is None and stackable(net))
    if stacks:
        parts = _stacked(asked(net), rows, gaps, node, options.method is None)
        notes += _far_rows(asked(net), rows, gaps, np.arange(rows.rows), node)
    simulated = () if stacks else fields(net, gaps, options, rng, node)
    for model, places in simulated:
        unclear = open_rows(model, gaps[places], node)
        parts.append(_exact(model, rows, places[~unclear], node))
        for part in row_blocks(model, places[unclear], effort.chains):
            columns = [column[part] for column in rows.columns]
            found = answer(model, columns, gaps[part], [node], effort, rng)
            parts.append((part, found.laws[0]))
            error[part], rhat[part], ess[part] = found.mixing[0]
        notes += _far_rows(model, rows, gaps, places, node)
    notes += _unsettled(rhat, ess)
    law = JoinedRows(tuple(parts), rows.rows)
    if net.variables[node].levels is None:
        refuse_beyond(law, target)
    return SimulatedPredictions(
        target, law.mean, law.sd, tuple(dict.fromkeys(notes)), error, law, rhat, ess,
        net.variables[node].levels,
    )  # fmt: skip


def _stacked(net: MarkovNet, rows: Table, gaps: Mask, node: int, exact: bool) -> list[Part]:
    """Laws from stacked conditionals; with `exact`, only of rows that the network's own does not serve."""
    places = np.arange(rows.rows)
    unclear = open_rows(net, gaps, node) if exact else np.ones(rows.rows, dtype=bool)
    columns = [column[unclear] for column in rows.columns]
    found = stacked_parts(net, columns, gaps[unclear], node) if unclear.any() else []
    moved = [(places[unclear][part], law) for part, law in found]
    return [_exact(net, rows, places[~unclear], node), *moved]


def _effort(net: Net, options: Options) -> Effort:
    quick = options.method == "stacked" or field_of(net, options) is not None
    return options.over(ROWS if quick else TABULATED)


def _exact(net: MarkovNet, rows: Table, places: Integers, node: int) -> Part:
    xs = tuple(rows.columns[other][places] for other in net.graph.neighbours[node])
    return places, ModelRows(net.conditionals[node], net.variables[node], xs, len(places))


def _unsettled(rhat: Array, ess: Array) -> list[str]:
    """A sentence about rows whose chains disagree."""
    simulated, count = int(np.isfinite(ess).sum()), int((rhat > HIGHEST_RHAT).sum())
    if not count:
        return []
    return [
        f"In {count} of {simulated} simulated rows the chains disagree (R-hat above "
        f"{HIGHEST_RHAT:g}): take more sweeps."
    ]


def _far_rows(net: MarkovNet, rows: Table, gaps: Mask, places: Integers, node: int) -> list[str]:
    """A sentence about rows that lie far from all the data."""
    if len(places) * len(net.starts[0]) > FAR_CELLS or not len(places):
        return []
    hidden = gaps[places].copy()
    hidden[:, [other for other in range(len(net.names)) if other != node]] = False
    known = beside(net, hidden, gaps[places])
    _, largest = distances(net, [column[places] for column in rows.columns], known)
    count = int((known.any(axis=1) & (largest.min(axis=1) > FAR)).sum())
    if not count:
        return []
    which = "1 row lies" if count == 1 else f"{count} rows lie"
    return [f"{which} more than {FAR:g} standard deviations from all the data: guesses."]


def point_errors(net: Net, table: Table, options: Options) -> Array:
    """Errors of predicting each variable from all the others, in rows without gaps.

    Parameters
    ----------
    net : any network.
    table : rows of exactly the network's variables, without gaps.
    options : which conditionals to take.

    Returns
    -------
    Rows by variables: value minus prediction; NaN for levels that are no numbers.
    """
    model = field_of(net, options)
    if model is None and isinstance(net, BayesNet):
        model = product_net(net, generator(options.seed))
    if model is None:
        raise DataError("There are no conditionals to predict from.")
    found = [_expected(model, table, node) for node in range(len(net.names))]
    return np.stack([_truth(table, node) - each for node, each in enumerate(found)], axis=1)


def _expected(net: MarkovNet, table: Table, node: int) -> Array:
    xs = tuple(table.columns[other] for other in net.graph.neighbours[node])
    variable, model = net.variables[node], net.conditionals[node]
    if not variable.discrete:
        return model.mean(xs, table.rows)
    expected: Array = chances(model, variable, xs, table.rows) @ level_numbers(variable)
    return expected


def _truth(table: Table, node: int) -> Array:
    variable = table.variables[node]
    if variable.discrete and not variable.numeric:
        return np.full(table.rows, np.nan)
    return numbers_of(variable, table.columns[node])


def simulated_impute(
    net: Net, table: Table, rng: np.random.Generator | None, options: Options
) -> Table:
    """Fill the gaps of a table.

    Parameters
    ----------
    net : any network.
    table : the rows; any cells may be missing, columns too.
    rng : None fills in expected values (for levels, the most probable one); with a generator, the
        gaps of a row are drawn together: one state of a chain.
    options : how to simulate.
    """
    rows = align(net, table)
    gaps = rows.missing()
    columns = [column.copy() for column in rows.columns]
    chance = generator(options.seed) if rng is None else rng
    if options.method == "stacked" or (options.method is None and stackable(net)):
        field = asked(net)
        filled = (
            expected(field, columns, gaps) if rng is None else chained(field, columns, gaps, rng)
        )
        return replace(rows, columns=tuple(filled))
    effort = _effort(net, options)
    if rng is not None:
        effort = replace(effort, chains=1, sweeps=1, burn_in=effort.burn_in + effort.sweeps)
    for model, places in fields(net, gaps, options, chance):
        holes = places[gaps[places].any(axis=1)]
        for part in row_blocks(model, holes, effort.chains):
            pieces = _filled(model, rows, gaps, part, effort, chance, rng is None)
            for node, places_, values in pieces:
                columns[node][part[places_]] = values
    return replace(rows, columns=tuple(columns))


def _filled(
    net: MarkovNet,
    rows: Table,
    gaps: Mask,
    part: Integers,
    effort: Effort,
    rng: np.random.Generator,
    expected: bool,
) -> list[tuple[int, Integers, NDArray[Any]]]:
    """What to put into the gaps of some rows: for each variable the rows and the values."""
    hidden = gaps[part]
    columns = [column[part] for column in rows.columns]
    known = beside(net, hidden, hidden)
    chains = begin(net, columns, hidden, known, effort.chains, rng)
    totals: dict[int, NDArray[Any]] = {}

    def watch(now: Chains) -> None:
        for node, places in now.steps:
            value = _point(net, now, node, places) if expected else now.columns[node]
            totals[node] = totals[node] + value if expected and node in totals else value

    run(net, chains, rng, effort, watch)
    return [
        _gathered(net, hidden, node, totals[node], effort, expected) for node, _ in chains.steps
    ]


def _point(net: MarkovNet, now: Chains, node: int, places: Integers | None) -> Array:
    """Expected values, or probabilities of levels, of a variable where it is hidden."""
    inputs = [now.columns[other] for other in net.graph.neighbours[node]]
    xs = tuple(inputs if places is None else [column[places] for column in inputs])
    size = now.size if places is None else len(places)
    variable, model = net.variables[node], net.conditionals[node]
    return chances(model, variable, xs, size) if variable.discrete else model.mean(xs, size)


def _gathered(
    net: MarkovNet, hidden: Mask, node: int, total: NDArray[Any], effort: Effort, expected: bool
) -> tuple[int, Integers, NDArray[Any]]:
    """Averages over chains and sweeps, row by row; or the one state there is."""
    places = np.flatnonzero(hidden[:, node])
    if not expected:
        return node, places, total[places]
    lines = total.reshape(len(places), effort.chains, -1).mean(axis=1) / effort.sweeps
    discrete = net.variables[node].discrete
    return node, places, lines.argmax(axis=1) if discrete else lines[:, 0]
