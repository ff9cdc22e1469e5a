"""Networks on a graph: every local model fitted, and what answers need beside it.

A directed network of models that do not answer in closed form carries a second network: each variable
given its Markov blanket, which are its neighbours in the moral graph (TEXTS, T2). Fitted while the data
are there, it lets Gibbs sampling fill any gap later.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import FAMILIES, Fits
from arcwise.conditionals.gaussian import GaussianFits
from arcwise.data import Moments, Table
from arcwise.errors import FitError
from arcwise.graphs import DAG, UGraph, moral
from arcwise.networks import BayesNet, MarkovNet, NormalJoint
from arcwise.scores import SCORES
from arcwise.undirected.known import known

__all__ = ["directed_net", "joint_bic", "markov_net", "normal_net", "typical_rows"]

TYPICAL = 512
"""As many rows as are kept for chains to start from."""

Models = Sequence[str]


def directed_net(
    graph: DAG, fits: Mapping[str, Fits], models: Models, data: Table | Moments
) -> BayesNet:
    """Fit the local models of a directed graph, and the blanket models where answers need them.

    Parameters
    ----------
    graph : over the columns of the data.
    fits : a family tied to the data, by its word.
    models : the family's word for each variable.
    data : what the families were tied to.
    """
    fitted = tuple(
        fits[model].conditional(child, graph.parents[child]) for child, model in enumerate(models)
    )
    closed = all(FAMILIES[model].closed for model in models)
    blankets = None if closed else markov_net(moral(graph), fits, models, data)
    return BayesNet(data.variables, graph, fitted, tuple(models), blankets)


def markov_net(
    graph: UGraph,
    fits: Mapping[str, Fits],
    models: Models,
    data: Table | Moments,
    *,
    joint: bool = True,
) -> MarkovNet:
    """Fit each variable given its neighbours; parameters as for `directed_net`.

    Where all models are Gaussian, they are those of the normal distribution of largest likelihood on the
    graph. It does not exist where a clique has a singular covariance (fewer rows than variables, copies
    of columns): then each variable is regressed on its neighbours by itself, and there is no joint. So
    it is where no `joint` is wanted.
    """
    own = fits.get("gaussian")
    if joint and isinstance(own, GaussianFits) and set(models) == {"gaussian"}:
        try:
            return normal_net(known(own.matrix, graph).precision, graph, own, data)
        except FitError:
            pass
    fitted = tuple(
        fits[model].conditional(node, graph.neighbours[node]) for node, model in enumerate(models)
    )
    return MarkovNet(data.variables, graph, fitted, tuple(models), typical_rows(data))


def normal_net(
    precision: NDArray[np.float64], graph: UGraph, fits: GaussianFits, data: Table | Moments
) -> MarkovNet:
    """The network of a precision matrix on the scale of correlations, in the units of the data."""
    joint = NormalJoint(fits.moments.mean.copy(), precision / fits.sd[:, None] / fits.sd)
    return MarkovNet.normal(data.variables, graph, joint)


def joint_bic(net: MarkovNet, fits: GaussianFits) -> float:
    """BIC of a network with a normal distribution: means, variances and edges are its parameters.

    Of one without, that of its local models, summed.
    """
    if net.joint is None:
        return float(
            np.sum([SCORES["bic"].bind(fits).local(i, row) for i, row in enumerate(net.inputs)])
        )
    size, rows = len(net.names), fits.rows
    precision = net.joint.precision * fits.sd[:, None] * fits.sd
    moments = fits.matrix.copy()
    moments[fits.constant, fits.constant] = 0.0  # a column that does not vary is where it should be
    fit = np.linalg.slogdet(precision)[1] - np.sum(precision * moments)
    loglik = 0.5 * rows * (fit - size * np.log(2 * np.pi)) - rows * np.log(fits.sd).sum()
    return float(loglik - 0.5 * (2 * size + net.graph.n_edges) * np.log(rows))


def typical_rows(data: Table | Moments) -> tuple[NDArray[Any], ...]:
    """Rows of the data, evenly spaced where they are many; of moments, the means.

    >>> from arcwise.data import table
    >>> [len(column) for column in typical_rows(table({"x": [0.5, 1.5, 2.5]}))]
    [3]
    """
    if isinstance(data, Moments):
        return tuple(np.array([mean]) for mean in data.mean)
    if data.rows <= TYPICAL:
        return data.columns
    chosen = np.linspace(0, data.rows - 1, TYPICAL).round().astype(np.intp)
    return tuple(column[chosen] for column in data.columns)
