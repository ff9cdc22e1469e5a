"""The score of a whole undirected graph: of its joint distribution where there is one.

A score of local models has two sums on an undirected graph. Summed over an order in which each variable is
given its earlier neighbours only, or taken of the joint distribution of largest likelihood, it is a score of
the joint: it compares with those of directed graphs, and equals that of an equivalent one. Summed over all
variables given *all* their neighbours it belongs to the pseudo-likelihood (Besag 1975), which counts every
edge twice and exceeds any likelihood. The two have different names, such as "bic" and "pseudo-bic".
"""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from arcwise.conditionals import Fits
from arcwise.conditionals.gaussian import GaussianFits
from arcwise.errors import FitError
from arcwise.graphs import DAG, UGraph, cardinality_order, decomposable
from arcwise.networks import MarkovNet, NormalJoint
from arcwise.results import Interrupted
from arcwise.scores import SCORES, Score, total
from arcwise.undirected.contingency import largest_likelihood

__all__ = ["PSEUDO", "Total", "is_pseudo", "pseudo_total", "undirected_total"]

PSEUDO = "pseudo-"
"""What the name of a sum over variables given all their neighbours begins with."""


class Total(NamedTuple):
    """The score of a whole graph, with the name of the score that it is."""

    value: float
    word: str


def is_pseudo(word: object) -> bool:
    """Whether a score's name says that it is a sum over variables given all their neighbours."""
    return str(word).startswith(PSEUDO)


def undirected_total(
    net: MarkovNet,
    fits: Fits,
    score: Score,
    word: str,
    options: Mapping[str, Any] | None = None,
    *,
    check: Callable[[], None] | None = None,
) -> Total:
    """The score of an undirected network: of the joint where it has one, else of its local models.

    Parameters
    ----------
    net : the network.
    fits : what its local models were fitted by.
    score : the score of local models, without priors.
    word, options : its name, and its own options.
    check : called now and then in a long fit; where it raises `Interrupted`, the local models are summed.
    """
    joint = None
    with contextlib.suppress(FitError, Interrupted):
        joint = _joint_total(net, fits, score, word, options or {}, check)
    if joint is not None:
        return Total(joint, word)
    return pseudo_total(net, score, word)


def pseudo_total(net: MarkovNet, score: Score, word: str) -> Total:
    """The sum of local scores of all variables given their neighbours."""
    local = sum(score.local(node, row) for node, row in enumerate(net.inputs))
    return Total(float(local), f"{PSEUDO}{word}")


def _joint_total(
    net: MarkovNet,
    fits: Fits,
    score: Score,
    word: str,
    options: Mapping[str, Any],
    check: Callable[[], None] | None,
) -> float | None:
    """The score of the joint distribution; None where there is none, or the score says nothing of it."""
    graph, charges, known = net.graph, SCORES[word].charges, None
    if net.joint is None:
        return None
    if charges is not None and isinstance(net.joint, NormalJoint) and fits.normal is not None:
        size = 2.0 * len(net.names) + graph.n_edges
        known = _normal_loglik(net.joint, fits.normal), size
    elif score.equivalent and decomposable(graph):
        return total(score, _ordered(graph))
    elif charges is not None and fits.tabular is not None:
        known = largest_likelihood(fits.tabular.table, graph, check=check)
    if charges is None or known is None:
        return None
    loglik, parameters = known
    cost = charges(fits.rows, len(net.names), **options)
    return loglik - cost.per_param * parameters - cost.per_parent * graph.n_edges


def _ordered(graph: UGraph) -> DAG:
    """The directed graph that is equivalent to a decomposable one: along an order of maximum cardinality."""
    place = {node: rank for rank, node in enumerate(cardinality_order(graph))}
    rows = enumerate(graph.neighbours)
    parents = tuple(tuple(x for x in row if place[x] < place[node]) for node, row in rows)
    return DAG.unchecked(graph.nodes, parents)


def _normal_loglik(joint: NormalJoint, fits: GaussianFits) -> float:
    """Log-likelihood of the rows under a normal distribution with their means."""
    rows, size = fits.rows, len(fits.nodes)
    precision = joint.precision * fits.sd[:, None] * fits.sd
    moments = fits.matrix.copy()
    moments[fits.constant, fits.constant] = 0.0  # a column that does not vary is where it should be
    fit = np.linalg.slogdet(precision)[1] - np.sum(precision * moments)
    return float(0.5 * rows * (fit - size * np.log(2 * np.pi)) - rows * np.log(fits.sd).sum())
