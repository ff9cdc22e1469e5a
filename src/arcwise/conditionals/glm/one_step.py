"""Log-likelihoods of resampled rows, by one step from the estimates of all rows.

A bootstrap replicate is the same table with other weights. For each replicate w and each model with estimates
t and log densities l_i of the rows,

    max_t sum_i w_i l_i(t)  is about  sum_i w_i l_i(t) + g' H^-1 g / 2,    g = sum_i w_i dl_i / dt,

with the information H of all rows (score bootstrap: Kline and Santos 2012). The form of the model stays
that of all rows. One product of matrices gives the values of all replicates. The variance of a regression,
and the shares of a table, are estimated again instead.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dposv

from arcwise.conditionals.base import Array, Conditional, Fits, HeldOutFits, ParentSets, Parts
from arcwise.conditionals.glm.category_forms import table_logs
from arcwise.conditionals.glm.design import Design
from arcwise.conditionals.glm.form_choice import FittedForm
from arcwise.conditionals.glm.further_terms import described_rows
from arcwise.conditionals.glm.multinomial_logit import PSEUDO, information, shares
from arcwise.data import Table

__all__ = ["OneStepFits", "one_step_fits"]

Fitted = Callable[[int, tuple[int, ...]], FittedForm]

_LOG_2PI = float(np.log(2 * np.pi))
_RANGE = 4.0  # times by which the variance of a replicate's configuration may differ from that of all rows


def _resampled_logliks(design: Design, child: int, best: FittedForm, weights: Array) -> Array:
    """Log-likelihoods of a form for each replicate.

    Parameters
    ----------
    design, child, best : the form of the child as it was fitted to all rows.
    weights : (replicates, rows).
    """
    if not design.levels[child]:
        fit = _configurations if best.by else _spreads if best.noise_columns else _regression
    else:
        fit = _table if best.form in ("table", "marginal") else _logit
    return fit(design, child, best, weights)


def _quadratic(gradients: Array, matrix: Array) -> Array:
    """g' M^-1 g for each row g; 0 if M cannot be inverted."""
    _, steps, info = dposv(matrix, gradients.T)
    found: Array = np.zeros(len(gradients)) if info else (gradients.T * steps).sum(axis=0)
    return found


def _normal(rss: Array, rows: Array, low: float, high: float) -> Array:
    """Log-likelihoods of normal residuals whose variance lies between bounds."""
    share = np.maximum(rss, 0.0) / np.maximum(rows, 1.0)
    variance = np.clip(share, low, high)
    found: Array = -0.5 * rows * (_LOG_2PI + np.log(variance) + share / variance)
    return found


def _units(design: Design, child: int, weights: Array) -> Array:
    """The log-likelihood of standardised values minus that of values in units of the data."""
    found: Array = weights.sum(axis=1) * float(np.log(design.scales[child]))
    return found


def _regression(design: Design, child: int, best: FittedForm, weights: Array) -> Array:
    x = described_rows(design, best.columns)
    rest = design.columns[design.number(child)] - best.coefficients[0, :, 0] @ x
    rss = weights @ rest**2 - _quadratic(weights @ (x * rest).T, (x * design.weights) @ x.T)
    values = _normal(rss, weights.sum(axis=1), design.least_variance, np.inf)
    return values - _units(design, child, weights)


def _configurations(design: Design, child: int, best: FittedForm, weights: Array) -> Array:
    known = design.configurations(best.by)
    x, y = described_rows(design, best.columns), design.columns[design.number(child)]
    values = -_units(design, child, weights)
    for k in np.flatnonzero(known.weights).tolist():
        rows = np.flatnonzero(known.places == k)
        part, own = x[:, rows], weights[:, rows]
        rest = y[rows] - best.coefficients[k, :, 0] @ part
        gram = (part * design.weights[rows]) @ part.T
        rss = own @ rest**2 - _quadratic(own @ (part * rest).T, gram)
        variance = float(best.variances[k])
        low = max(variance / _RANGE, design.least_variance)
        values += _normal(rss, own.sum(axis=1), low, variance * _RANGE)
    return values


def _spreads(design: Design, child: int, best: FittedForm, weights: Array) -> Array:
    x = described_rows(design, best.columns)
    v = np.vstack([design.columns[:1], described_rows(design, best.noise_columns)])
    logs = float(np.log(best.variances[0])) + best.noise_slopes @ v[1:]
    rest = design.columns[design.number(child)] - best.coefficients[0, :, 0] @ x
    heavy = design.weights * np.exp(-logs)
    ratio = rest**2 * np.exp(-logs)
    values = weights @ (-0.5 * (_LOG_2PI + logs + ratio)) - _units(design, child, weights)
    slopes = weights @ (x * (rest * np.exp(-logs))).T
    spread = weights @ (v * (ratio - 1.0)).T
    gain = _quadratic(slopes, (x * heavy) @ x.T)
    gain += 0.5 * _quadratic(spread, (v * design.weights) @ v.T)
    found: Array = values + 0.5 * gain
    return found


def _table(design: Design, child: int, best: FittedForm, weights: Array) -> Array:
    known, levels = design.configurations(best.by), design.levels[child]
    cells = known.places * levels + design.table.columns[child]
    order = np.argsort(cells, kind="stable")
    seen, starts = np.unique(cells[order], return_index=True)
    sums = np.add.reduceat(weights[:, order], starts, axis=1)
    total = len(best.coefficients)
    values = np.empty(len(weights))
    for r, row in enumerate(sums):
        counts = np.zeros((total, levels))
        counts.flat[seen] = row
        values[r] = np.vdot(counts, table_logs(counts))
    return values


def _logit(design: Design, child: int, best: FittedForm, weights: Array) -> Array:
    x, codes = described_rows(design, best.columns), design.table.columns[child].astype(np.intp)
    logs = best.coefficients[0].T @ x
    logs -= logs.max(axis=0)
    logs -= np.log(np.exp(logs).sum(axis=0))
    fitted = np.exp(logs)
    levels, size = logs.shape
    share = PSEUDO / (design.total + PSEUDO)
    usual = shares(np.bincount(codes, design.weights, levels).astype(float))
    targets = np.repeat(share * usual[:, None], size, axis=1)
    targets[codes, np.arange(size)] += 1 - share
    values = weights @ logs[codes, np.arange(size)]
    steps = (targets - fitted)[:-1, None, :] * x[None, :, :]
    gradients = weights @ steps.reshape(-1, size).T
    matrix = information(x, fitted * design.weights, design.weights)
    gain = 0.5 * _quadratic(gradients, matrix)
    found: Array = np.minimum(values + gain, 0.0)
    return found


class _Replicates:
    """The log-likelihoods of all replicates, for each child and parent set that one of them meets."""

    def __init__(
        self,
        design: Design,
        fitted: Fitted,
        weights: Array,
        without_gain: tuple[frozenset[int], ...],
    ) -> None:
        self.design, self.fitted, self.weights = design, fitted, weights
        self.without_gain = without_gain
        self.known: dict[tuple[int, tuple[int, ...]], Array] = {}

    def values(self, child: int, parents: tuple[int, ...]) -> Array:
        """One value for each replicate."""
        if (child, parents) not in self.known:
            best = self.fitted(child, parents)
            self.known[child, parents] = _resampled_logliks(self.design, child, best, self.weights)
        return self.known[child, parents]


class OneStepFits(Fits):
    """A family tied to one replicate of the rows; forms and numbers of parameters are those of all rows."""

    def __init__(self, fits: Fits, replicates: _Replicates, number: int) -> None:
        self.base, self.replicates, self.number = fits, replicates, number
        self.statistics, self.nodes, self.rows = fits.statistics, fits.nodes, fits.rows
        self.models, self.closed = fits.models, fits.closed

    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """The model of all rows."""
        return self.base.conditional(child, parents)

    def never(self, child: int) -> frozenset[int]:
        """Variables that are not tried as parents of `child`."""
        return self.base.never(child) | self.replicates.without_gain[child]

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihood of the replicate under the best form, for each parent set."""
        return np.array([self.replicates.values(child, s)[self.number] for s in sets])

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Free parameters of the best form, for each parent set."""
        return self.base.n_params(child, sets)

    def choice(self, child: int, sets: ParentSets) -> Array | None:
        """What choosing the form costs, for each parent set."""
        return self.base.choice(child, sets)

    def seconds(self, inputs: int) -> float:
        """Roughly how long one local model with so many inputs takes."""
        return self.base.seconds(inputs)

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Leave-one-out log-likelihood of all rows."""
        return self.base.loo(child, sets)

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOutFits:
        """Tie the family to parts of all rows."""
        return self.base.held_out(parts, table)


def one_step_fits(
    fits: Fits,
    design: Design,
    fitted: Fitted,
    weights: Array,
    without_gain: tuple[frozenset[int], ...],
) -> tuple[OneStepFits, ...]:
    """The fits of replicates.

    Parameters
    ----------
    fits, design, fitted : of all rows; `fitted` gives the form of a child and its parents.
    weights : (replicates, rows).
    without_gain : for each child the variables that are not tried as parents.
    """
    replicates = _Replicates(design, fitted, weights, without_gain)
    return tuple(OneStepFits(fits, replicates, number) for number in range(len(weights)))
