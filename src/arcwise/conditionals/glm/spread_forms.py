"""Regressions whose noise has a spread that depends on the parents.

The log variance is linear in functions v of the parents (Harvey 1976),

    y ~ N(b' x, exp(g_0 + g' v)).

The functions are added one block at a time. A block is tried only if squared residuals depend on it by a
studentised test (Koenker 1981), which noise of any shape passes as long as it is the same for all rows. Both
sets of coefficients are fitted by scoring, whose information matrix for g does not depend on the fit.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from arcwise._kernels.lapack import dposv, dpotrf, dpotrs
from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.design import Design
from arcwise.conditionals.glm.form_choice import FittedForm
from arcwise.conditionals.glm.further_terms import column_of, described_rows
from arcwise.conditionals.glm.least_squares import diagonal_blocks, gains, independent, submatrix

__all__ = ["fit_spread"]

_BLOCKS = 3  # blocks that are added at most
_ROWS_EACH = 10  # rows for each parameter: with fewer, single rows decide about the spread
_ROUNDS = 50
_CLOSE = 1e-10  # nats for each row that a round still gains
_STEP = 1.0  # largest change of a log variance in a round
_RANGE = (
    4.6  # log variances stay within this of that of a single spread: a tenth to ten times the sd
)
_LOG_2PI = float(np.log(2 * np.pi))


class _Fit(NamedTuple):
    """Coefficients of the mean and of the log variance, residuals, log variances, and the likelihood."""

    slopes: Array
    gamma: Array
    residuals: Array
    logs: Array
    value: float


def fit_spread(
    design: Design, child: int, parents: Sequence[int], best: FittedForm, margin: float
) -> FittedForm | None:
    """The same regression with a spread that depends on the parents, if that may gain; else None.

    Parameters
    ----------
    design, child, parents : of the family.
    best : its best form with a single spread.
    margin : nats that a further form has to gain.
    """
    variance = float(best.variances[0])
    few = design.total < _ROWS_EACH * (best.parameters + 1)
    if best.by or few or not variance > design.least_variance:
        return None
    x = described_rows(design, best.columns)
    y = design.columns[design.number(child)]
    slopes = best.coefficients[0, :, 0]
    rest = y - slopes @ x
    fit = _Fit(slopes, np.log([variance]), rest, np.full(design.size, np.log(variance)), -np.inf)
    blocks, members, price = _blocks(design, parents), [0], 0.0
    for _ in range(_BLOCKS):
        chosen = _best_block(design, blocks, members, fit, len(slopes), margin)
        if chosen is None:
            break
        price += float(np.log(len(blocks)))
        members += [c for c in blocks[chosen] if c not in members]
        members = [members[k] for k in independent(_products(design, members)).tolist()]
        fit = _fit_variance(design, x, y, members, fit)
    if len(members) == 1:
        return None
    loglik = fit.value - design.total * float(np.log(design.scales[child]))
    return FittedForm(
        "spreads",
        loglik,
        len(slopes) + len(members),
        best.choice + price + margin,
        best.columns,
        fit.slopes[None, :, None],
        np.exp(fit.gamma[:1]),
        noise_columns=tuple(column_of(design, c) for c in members[1:]),
        noise_slopes=fit.gamma[1:],
        noise_range=np.array([fit.logs.min(), fit.logs.max()]),
    )


def _blocks(design: Design, parents: Sequence[int]) -> list[tuple[int, ...]]:
    """The size of each number, and bends of it to both sides; what tells two values or levels apart."""
    found: list[tuple[int, ...]] = []
    for j in parents:
        block = design.blocks[j]
        if design.levels[j]:
            found += [block] if block else []
        elif design.number(j) in design.binary:
            found += [block[:1]]
        else:
            found += [block[3:4], block[3:6]]
    return found


def _products(design: Design, members: list[int]) -> Array:
    return submatrix(design.products, members, members)


def _best_block(
    design: Design,
    blocks: list[tuple[int, ...]],
    members: list[int],
    fit: _Fit,
    slopes: int,
    margin: float,
) -> int | None:
    """The block on which squared residuals depend most, if that is worth its penalty."""
    if not blocks:
        return None
    ratio = fit.residuals**2 * np.exp(-fit.logs) - 1.0
    weighted = design.weights * ratio
    flat = [c for block in blocks for c in block]
    ends = list(accumulate(len(block) for block in blocks))
    factor, info = dpotrf(_products(design, members), clean=0)
    if info:
        return None
    owns = diagonal_blocks(submatrix(design.products, flat, flat), ends)
    rises = gains(
        factor,
        submatrix(design.products, flat, members),
        owns,
        design.columns[flat] @ weighted,
        ends,
    )
    size = float(weighted @ ratio) / design.total  # 2 for normal noise, more for heavy tails
    log_rows = float(np.log(max(design.total, 2.0)))
    values = [
        0.5 * rise / max(size, 2.0) - 0.5 * log_rows * rank
        if rank and design.total >= _ROWS_EACH * (slopes + len(members) + rank)
        else -np.inf
        for rise, rank in rises
    ]
    best = int(np.argmax(values))
    return best if values[best] > margin + float(np.log(len(blocks))) else None


def _fit_variance(design: Design, x: Array, y: Array, members: list[int], start: _Fit) -> _Fit:
    """The fit of largest likelihood, from the fit with fewer functions in the log variance."""
    v = design.columns[members]
    factor, _ = dpotrf(_products(design, members), clean=0)
    gamma = np.concatenate([start.gamma, np.zeros(len(members) - len(start.gamma))])
    centre = float(start.gamma[0])
    best = _evaluate(design, x, y, v, start.slopes, gamma, centre)
    for _ in range(_ROUNDS):
        slopes = _weighted_slopes(x, y, design.weights * np.exp(-best.logs), best.slopes)
        rest = y - slopes @ x
        ratio = rest**2 * np.exp(-best.logs) - 1.0
        step, _ = dpotrs(factor, v @ (design.weights * ratio))
        largest = float(np.abs(step @ v).max())
        step *= min(1.0, _STEP / max(largest, 1e-300))
        fresh = _evaluate(design, x, y, v, slopes, best.gamma + step, centre)
        gain = fresh.value - best.value
        if gain > 0:
            best = fresh
        if not gain > _CLOSE * design.total:
            break
    return best


def _weighted_slopes(x: Array, y: Array, weights: Array, before: Array) -> Array:
    heavy = x * weights
    _, slopes, info = dposv(heavy @ x.T, heavy @ y)
    return before if info else np.asarray(slopes)


def _evaluate(
    design: Design, x: Array, y: Array, v: Array, slopes: Array, gamma: Array, centre: float
) -> _Fit:
    logs = gamma @ v
    rest = y - slopes @ x
    if not np.abs(logs - centre).max() <= _RANGE or logs.min() < np.log(design.least_variance):
        return _Fit(slopes, gamma, rest, logs, -np.inf)
    each = _LOG_2PI + logs + rest**2 * np.exp(-logs)
    return _Fit(slopes, gamma, rest, logs, -0.5 * float(design.weights @ each))
