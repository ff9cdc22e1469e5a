r"""Intervals of numbers as evidence of linear-Gaussian networks.

The variables with intervals as evidence have a normal distribution given all other evidence, truncated to
the intervals. Given their values, every other variable has a closed form, so that an answer
is an average of closed forms over a box, computed variable by variable: with the Cholesky factor L of the
covariances, variable i given those before it is normal with mean :math:`m_i + \sum_{j<i} L_{ij} e_j` and
standard deviation :math:`L_{ii}` (Genz 1992).

Up to three intervals are integrated by nested Gauss-Legendre rules on the part of each interval in which the
density is not negligible. More are integrated by a lattice of quasi-random points with random shifts: each
variable is drawn from its truncated distribution, and the point has the product of the probabilities of the
intervals as weight. The error of a mean is the difference to a rule with two thirds of the points, or the
standard error over the shifts.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from arcwise.data.variable import sentence_list
from arcwise.distributions import Distribution, Normal
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.closed_form import (
    ClosedForm,
    Predictive,
    distributions,
    predictive,
    saturated_note,
)
from arcwise.inference.engine import (
    EXACT,
    SIMULATED,
    Answer,
    Array,
    Columns,
    Cost,
    Engine,
    Question,
    Reply,
)
from arcwise.inference.joint_answers import States
from arcwise.inference.linear_gaussian import KnownRows, check_relations, linear_net
from arcwise.networks import BayesNet
from arcwise.networks.draws import resample
from arcwise.notes import Note, answer_note, mention

_NODES = {1: 64, 2: 40, 3: 24}
"""Points of the rule per interval, for one to three intervals."""

_POINTS, _SHIFTS = 1024, 8
"""Quasi-random points for each of several random shifts."""

_NATS = 40.0
"""Nats below the largest value in the interval at which a density is negligible."""

_FREEDOM = 30.0
"""Degrees of freedom above which a Student distribution is averaged as a normal one of the same sd."""

_DIGITS = 1e-6
"""Errors below this share of the standard deviation over points count as zero."""

_STATES = 4000
"""Draws that represent a joint distribution."""

Limits = Sequence[tuple[float, float]]


class Points(NamedTuple):
    """Values of the variables in a box (points by variables) and their shares, which sum to one.

    `coarse` are the shares of other rules for the same average, one per row, for the error.
    """

    values: Array
    shares: Array
    coarse: Array
    simulated: bool

    def error(self, means: Array) -> Array:
        """Return the error of the average of each column of a function of the points."""
        averages = np.stack([row @ means for row in self.coarse])
        if self.simulated:
            return np.asarray(averages.std(axis=0, ddof=1) / np.sqrt(len(averages)))
        error = np.abs(averages[0] - self.shares @ means)
        spread = np.sqrt(self.shares @ (means - self.shares @ means) ** 2)
        return np.where(error > _DIGITS * spread, error, 0.0)


def box_points(mean: Array, covariance: Array, limits: Limits, rng: np.random.Generator) -> Points:
    """Return points that represent a normal distribution truncated to a box.

    Parameters
    ----------
    mean, covariance : of the normal distribution.
    limits : lower and upper end for each variable; infinite if open.
    rng : random generator of the shifts of a lattice.

    Raises
    ------
    FitError : the box has probability zero.

    >>> rule = box_points(np.zeros(1), np.eye(1), [(0.0, np.inf)], np.random.default_rng(1))
    >>> round(float(rule.shares @ rule.values[:, 0]), 10), round((2 / np.pi) ** 0.5, 10)
    (0.7978845608, 0.7978845608)
    """
    factor = _factor(covariance)
    count = _NODES.get(len(mean))
    if count is None:
        groups = [_lattice(mean, factor, limits, rng) for _ in range(_SHIFTS)]
    else:
        groups = [_nested_rule(mean, factor, limits, group) for group in (count, 2 * count // 3)]
    top = max(float(logs.max()) for _, logs in groups)
    if not np.isfinite(top):
        raise FitError("The evidence is impossible: the intervals have probability zero together.")
    masses = [np.exp(logs - top) for _, logs in groups]
    values = np.concatenate([values for values, _ in groups])
    group_of = np.repeat(np.arange(len(groups)), [len(group) for group in masses])
    mass = np.concatenate(masses)
    coarse = np.stack([np.where(group_of == g, mass, 0.0) for g in range(len(groups))])
    coarse /= np.maximum(coarse.sum(axis=1, keepdims=True), 1e-300)
    if count is None:
        return Points(values, mass / mass.sum(), coarse, True)
    return Points(values, coarse[0], coarse[1:], False)


def _factor(covariance: Array) -> Array:
    """Return the Cholesky factor; a variable determined by those before it has zero on the diagonal."""
    factor = np.zeros_like(covariance)
    for i in range(len(covariance)):
        for j in range(i):
            if factor[j, j] > 0:
                off = covariance[i, j] - factor[i, :j] @ factor[j, :j]
                factor[i, j] = off / factor[j, j]
        residual = covariance[i, i] - factor[i, :i] @ factor[i, :i]
        factor[i, i] = np.sqrt(residual) if residual > 1e-12 * covariance[i, i] else 0.0
    return factor


def _nested_rule(mean: Array, factor: Array, limits: Limits, count: int) -> tuple[Array, Array]:
    """Return values and log weights of nested Gauss-Legendre rules."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    errors, logs = np.zeros((1, 0)), np.zeros(1)
    for i, (low, high) in enumerate(limits):
        middle, sd = mean[i] + errors @ factor[i, :i], factor[i, i]
        if sd == 0:
            inside = (middle >= low) & (middle <= high)
            errors = np.column_stack([errors, np.zeros(len(errors))])
            logs = np.where(inside, logs, -np.inf)
            continue
        a, b = _window((low - middle) / sd, (high - middle) / sd)
        z = 0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * nodes
        with np.errstate(divide="ignore"):
            more = np.log(0.5 * (b - a)[:, None] * weights) - 0.5 * z**2
        errors = np.column_stack([np.repeat(errors, count, axis=0), z.ravel()])
        logs = np.repeat(logs, count) + more.ravel()
    return mean + errors @ factor.T, logs


def _window(low: Array, high: Array) -> tuple[Array, Array]:
    """Return the part of intervals in which the standard normal density is not negligible."""
    nearest = np.clip(0.0, low, high)
    reach = np.sqrt(nearest**2 + 2.0 * _NATS)
    return np.maximum(low, -reach), np.minimum(high, reach)


def _lattice(
    mean: Array, factor: Array, limits: Limits, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return values and log weights of the points of a lattice with a random shift (Richtmyer's
    generator).
    """
    from scipy.special import log_ndtr, ndtri_exp

    steps = np.sqrt(_primes(len(mean)))
    shifted = (np.arange(1, _POINTS + 1)[:, None] * steps + rng.random(len(mean))) % 1.0
    shares = np.clip(np.abs(2.0 * shifted - 1.0), 1e-12, 1.0 - 1e-12)
    errors, logs = np.zeros((_POINTS, 0)), np.zeros(_POINTS)
    for i, (low, high) in enumerate(limits):
        middle, sd = mean[i] + errors @ factor[i, :i], factor[i, i]
        if sd == 0:
            logs = np.where((middle >= low) & (middle <= high), logs, -np.inf)
            errors = np.column_stack([errors, np.zeros(_POINTS)])
            continue
        a, b = (low - middle) / sd, (high - middle) / sd
        turn = a > 0  # the lower tail has more digits than the upper one
        a, b = np.where(turn, -b, a), np.where(turn, -a, b)
        below, above = log_ndtr(a), log_ndtr(b)
        with np.errstate(divide="ignore", invalid="ignore"):
            mass = np.where(above > below, above + np.log1p(-np.exp(below - above)), -np.inf)
            z = ndtri_exp(np.logaddexp(below, np.log(shares[:, i]) + mass))
        z = np.where(np.isfinite(z), np.clip(z, a, b), np.where(np.isfinite(b), b, a))
        errors = np.column_stack([errors, np.where(turn, -z, z)])
        logs = logs + mass
    return mean + errors @ factor.T, logs


def _primes(count: int) -> Array:
    """Return the first primes."""
    primes: list[int] = []
    number = 2
    while len(primes) < count:
        if all(number % prime for prime in primes):
            primes.append(number)
        number += 1
    return np.array(primes, dtype=float)


class Intervals(Engine):
    """Averages of closed forms over intervals as evidence."""

    name = "intervals"
    ranged = True

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Accept queries to linear-Gaussian networks with intervals as evidence."""
        if linear_net(question.net) is None:
            return FitError(
                "{method=} needs linear-Gaussian local models.",
                fixes=[mention("method", "intervals")],
            )
        if question.task in ("rows", "density"):
            return FitError(
                "{method=} answers single queries and draws.",
                fixes=[mention("method", "intervals")],
            )
        if not question.ranges:
            return FitError(
                "{method=} needs an interval as evidence: leave it out.",
                fixes=[mention("method", "intervals")],
            )
        count = len(question.ranges)
        points = _NODES[count] ** count if count in _NODES else _POINTS * _SHIFTS
        error = EXACT if count in _NODES else SIMULATED
        return Cost(error, float(points), float(points * len(question.net.names)))

    def ask(self, question: Question) -> Reply:
        """Return mixtures over the points, and a joint distribution by draws."""
        net, rows, points = _average(question)
        moments = predictive(net, question.asked, rows)
        means, errors = moments.mean, points.error(moments.mean)
        answers = []
        for index in range(len(question.asked)):
            shape = _mixture(moments, index, points.shares)
            size = float(len(points.shares)) if points.simulated else np.inf
            rhat = np.nan if points.simulated else 1.0
            mixing = Mixing(*(np.array([x]) for x in (errors[index], rhat, size)))
            answers.append(Answer(shape, mixing, way="by quasi-random points in the intervals"))
        joint = None
        if question.together:
            variables = tuple(net.variables[node] for node in question.asked)
            picks = resample(points.shares, _STATES, question.rng)
            noise = question.rng.standard_normal((_STATES, moments.root.shape[1]))
            draws = means[picks] + noise @ (moments.root * moments.ratios[:, None]).T
            joint = States(variables, draws.T[:, :, None].copy())
        notes = _notes(question, moments, joint is not None)
        return Reply(tuple(answers), joint, lambda: notes)

    def complete(self, question: Question, draw: bool) -> Columns:
        """Return draws of rows: points by their shares, and the other variables given them."""
        _, rows, points = _average(question)
        picks = resample(points.shares, question.size, question.rng)
        columns, gaps = list(question.columns), question.gaps.copy()
        for node in question.ranges:
            columns[node] = rows.value(node)[picks]
            gaps[:, node] = False
        return ClosedForm().complete(
            replace(question, columns=tuple(columns), gaps=gaps, ranges={}), draw
        )


def _average(question: Question) -> tuple[BayesNet, KnownRows, Points]:
    """Return the directed network, the rows that are computed in closed form, and the points they
    represent.
    """
    net = linear_net(question.net)
    if net is None:
        raise FitError("Closed forms need linear-Gaussian local models.")
    values = {node: float(column[0]) for node, column in question.values(0).items()}
    evidence = KnownRows(values, lambda node: np.array([values[node]]))
    check_relations(net, evidence)
    nodes = tuple(question.ranges)
    before = predictive(net, nodes, evidence)
    root = before.root * before.ratios[:, None]
    limits = [question.ranges[node] for node in nodes]
    points = box_points(before.mean[0], root @ root.T, limits, question.rng)
    count = len(points.shares)
    varying = {n: points.values[:, i] for i, n in enumerate(nodes) if np.linalg.norm(root[i]) > 0}

    def value(node: int) -> Array:
        return varying[node] if node in varying else np.full(count, values[node])

    return net, KnownRows({*values, *varying}, value, count), points


def _mixture(answer: Predictive, index: int, shares: Array) -> Distribution:
    """Return the average of the answers for one variable."""
    mean, scale = answer.mean[:, index], answer.scale[:, index]
    middle = shares @ mean
    # A variable that the intervals determine has no variance given a point: it gets a negligible one.
    least = 1e-3 * np.sqrt(shares @ (mean - middle) ** 2) + 1e-12 * abs(middle)
    freedom = answer.freedom[index]
    if freedom < _FREEDOM and len(shares) == _NODES[1] and (scale > least).all():
        return distributions(mean, scale, np.full(len(mean), freedom)).pool_rows(len(mean), shares)
    wide = np.sqrt(freedom / (freedom - 2.0)) if freedom > 2 else 1.0
    return Normal(mean, np.maximum(scale * wide, least)).pool_rows(len(mean), shares)


def _notes(question: Question, answer: Predictive, is_joint: bool) -> list[Note]:
    """Return notes on the integration over intervals and its limits."""
    names = [question.net.names[node] for node in question.ranges]
    notes = []
    if is_joint:
        text = f"Correlations and joint probabilities are those of {_STATES} draws."
        notes.append(answer_note(text))
    if answer.saturated:
        notes.append(saturated_note([question.net.names[node] for node in answer.saturated]))
    if len(names) in _NODES:
        count = _NODES[len(names)] ** len(names)
        text = f"Intervals of {sentence_list(names)} are integrated with {count} points."
        notes.append(answer_note(text, tuple(names)))
    return notes
