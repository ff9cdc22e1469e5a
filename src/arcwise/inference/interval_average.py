"""An interval of a number as evidence, in a network with exact inference otherwise.

The answer is an average over the interval, weighted by the density of the number given all other evidence. It
is taken by Gauss-Legendre rules between the centres and some quantiles of the components of that density, so
that each rule integrates a smooth function. The error is the difference to rules of fewer points.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from arcwise.distributions import Categorical, Distribution, Mixture, Normal, log_sum
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import FitError
from arcwise.inference.engine import Answer, Array, Question, Reply
from arcwise.inference.mixture_rows import answers_of
from arcwise.notes import Note, answer_note

__all__ = ["average_over_interval"]

_REACH = 8.5
"""Standard deviations of a component beyond which an interval is truncated."""

_NODES = 24, 16
"""Points of the rules between two adjacent edges: for the answer, and for its error."""

_MOST_EDGES = 64


def average_over_interval(question: Question) -> Reply:
    """Return averages over the points of an interval, weighted by their densities."""
    ((node, limits),) = question.ranges.items()
    plain = replace(question, ranges={})
    groups = [_points(plain, node, limits, count) for count in _NODES]
    answers = [_average(plain, node, target, limits, groups) for target in question.asked]
    count = len(groups[0][0])
    name = question.net.names[node]
    notes: list[Note] = [
        answer_note(f"The interval of {name!r} is integrated with {count} points.", (name,))
    ]
    return Reply(tuple(answers), None, lambda: notes)


def _points(
    question: Question, node: int, limits: tuple[float, float], count: int
) -> tuple[Array, Array]:
    """Return points of an interval and their shares: a rule with nodes between quantiles of the
    components.
    """
    ((_, before),) = answers_of(question, node, np.arange(1), question.known)
    centres, widths = _components(before)
    steps = np.array([-_REACH, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, _REACH])
    edges = np.unique(centres[:, None] + widths[:, None] * steps)
    low, high = max(limits[0], edges[0]), min(limits[1], edges[-1])
    if not low < high:
        low, high = _tail(limits, edges, widths)
    inner = edges[(edges > low) & (edges < high)]
    if len(inner) > _MOST_EDGES:  # components that lie close together need no panels of their own
        inner = inner[np.linspace(0, len(inner) - 1, _MOST_EDGES).astype(int)]
    nodes, weights = np.polynomial.legendre.leggauss(count)
    values, logs = [], []
    for a, b in pairwise([low, *inner.tolist(), high]):
        values.append(0.5 * (a + b) + 0.5 * (b - a) * nodes)
        logs.append(np.log(0.5 * (b - a) * weights))
    points = np.concatenate(values)
    total = np.concatenate(logs) + before.logpdf(points[None])[0]
    if not np.isfinite(total.max()):
        name = question.net.names[node]
        raise FitError(
            f"The evidence is impossible: the interval of {name!r} has probability zero."
        )
    return points, np.exp(total - log_sum(total))


def _components(found: Distribution) -> tuple[Array, Array]:
    """Return centres and widths of the components of a mixture with positive weight."""
    if isinstance(found, Mixture):
        keep = found.weights[0] > 1e-14
        return found.centres[0][keep], found.widths[0][keep]
    return found.mean, found.sd


def _tail(limits: tuple[float, float], edges: Array, widths: Array) -> tuple[float, float]:
    """Return the relevant part of an interval beyond all components: the part nearest to them."""
    reach = float(widths.max())
    if limits[0] >= edges[-1]:
        return limits[0], min(limits[1], limits[0] + reach)
    return max(limits[0], limits[1] - reach), limits[1]


def _average(
    question: Question,
    node: int,
    target: int,
    limits: tuple[float, float],
    groups: list[tuple[Array, Array]],
) -> Answer:
    """Return the average of the answers for a variable at the points of an interval, and its error."""
    averages = [_at_points(question, node, target, *group) for group in groups]
    best, fewer = (_middle(answer) for answer in averages)
    error = abs(best - fewer)
    error = error if error > 1e-9 * max(1e-300, float(np.abs(_spread(averages[0])))) else 0.0
    mixing = Mixing(np.array([error]), np.array([1.0]), np.array([np.inf]))
    return Answer(averages[0], mixing, way="by points in the interval")


def _at_points(
    question: Question, node: int, target: int, points: Array, shares: Array
) -> Distribution:
    """Return the average of the answers for one variable at points of another."""
    columns = tuple(
        points if i == node else np.broadcast_to(column, len(points))
        for i, column in enumerate(question.columns)
    )
    gaps = np.repeat(question.gaps, len(points), axis=0)
    gaps[:, node] = False
    rows = replace(question, columns=columns, gaps=gaps, task="rows")
    known = question.known | {node}
    listed = [answer for _, answer in answers_of(rows, target, np.arange(len(points)), known)]
    if isinstance(listed[0], Categorical):
        chances = np.concatenate([answer.probabilities for answer in listed])  # type: ignore[attr-defined]
        return listed[0].with_shares((shares @ chances)[None])
    if isinstance(listed[0], Normal):
        mean, sd = (np.concatenate([getattr(e, word) for e in listed]) for word in ("mean", "sd"))
        return Mixture(mean[None], np.maximum(sd, 1e-300)[None], shares[None])
    centres, widths, weights = (
        np.concatenate([getattr(answer, word) for answer in listed])
        for word in ("centres", "widths", "weights")
    )
    return Mixture(
        centres.reshape(1, -1), widths.reshape(1, -1), (weights * shares[:, None]).reshape(1, -1)
    )


def _middle(found: Distribution) -> float:
    levels = found.categorical
    return float(found.mean[0]) if levels is None else float(levels.probabilities[0, 0])


def _spread(found: Distribution) -> float:
    return float(found.sd[0]) if found.categorical is None else 1.0
