"""Networks on a graph: every local model fitted, and what answers need beside it.

A directed network of models that do not answer in closed form carries a second network: each variable
given its Markov blanket, which are its neighbours in the moral graph (TEXTS, T2). Fitted while the data
are there, it lets Gibbs sampling fill any gap later.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import FAMILIES, Fits
from arcwise.conditionals.gaussian import GaussianFits
from arcwise.data import Moments, Table
from arcwise.data.variable import sentence_list
from arcwise.errors import FitError
from arcwise.graphs import DAG, UGraph, moral
from arcwise.networks import BayesNet, MarkovNet, Net, NormalJoint
from arcwise.results import Interrupted
from arcwise.scores import SCORES
from arcwise.undirected.collinear import NOISE, steadied
from arcwise.undirected.known import known

__all__ = [
    "blanket_note", "directed_net", "followers", "joint_bic", "markov_net", "noise_note", "normal_net",
    "typical_rows",
]  # fmt: skip

_NOISY = 1e-7  # differences to the data's correlations, on edges, that only noise makes
TYPICAL = 512
"""As many rows as are kept for chains to start from."""

Models = Sequence[str]


def directed_net(
    graph: DAG,
    fits: Mapping[str, Fits],
    models: Models,
    data: Table | Moments,
    *,
    check: Callable[[], None] | None = None,
) -> BayesNet:
    """Fit the local models of a directed graph, and the blanket models where answers need them.

    There are none where a family has no model of its variable given the blanket: answers then come from
    the product rule.

    Parameters
    ----------
    graph : over the columns of the data.
    fits : a family tied to the data, by its word.
    models : the family's word for each variable.
    data : what the families were tied to.
    check : called before each blanket model; where it raises `Interrupted`, there are none.
    """
    fitted = tuple(
        fits[model].conditional(child, graph.parents[child]) for child, model in enumerate(models)
    )
    closed, wide = all(FAMILIES[model].closed for model in models), moral(graph)
    possible = (fits[m].takes(i, wide.neighbours[i]) for i, m in enumerate(models))
    blankets = None
    with contextlib.suppress(Interrupted):
        if not closed and all(possible):
            blankets = markov_net(wide, fits, models, data, check=check)
    return BayesNet(data.variables, graph, fitted, blankets)


def blanket_note(net: Net) -> str:
    """A sentence where a directed network lacks the blanket models that its answers would need."""
    if not isinstance(net, BayesNet) or net.blankets is not None:
        return ""
    if all(FAMILIES[model].closed for model in net.models):
        return ""
    return (
        "There was no time to fit each variable given its Markov blanket, which Gibbs sampling and "
        "predictions start from: questions are answered by the product rule (grid, importance), more slowly."
    )


def markov_net(
    graph: UGraph,
    fits: Mapping[str, Fits],
    models: Models,
    data: Table | Moments,
    *,
    joint: bool = True,
    check: Callable[[], None] | None = None,
) -> MarkovNet:
    """Fit each variable given its neighbours; parameters as for `directed_net`.

    Where all models are Gaussian, they are those of the normal distribution of largest likelihood on the
    graph. It does not exist where a clique has a singular covariance. Columns that follow from others then
    get a little noise (`noise_note` says so). With too few rows for the graph each variable is regressed
    on its neighbours by itself, and there is no joint; so it is where no `joint` is wanted. `check` is
    called before each local model, and now and then in a long joint fit; what it raises ends the work.
    """
    own = fits.get("gaussian")
    if joint and isinstance(own, GaussianFits) and set(models) == {"gaussian"}:
        for matrix in _matrices(own):
            try:
                return normal_net(known(matrix, graph, check=check).precision, graph, own, data)
            except FitError:
                continue
    fitted = []
    for node, model in enumerate(models):
        if check is not None:
            check()
        fitted.append(fits[model].conditional(node, graph.neighbours[node]))
    return MarkovNet(data.variables, graph, tuple(fitted), typical_rows(data))


def _matrices(fits: GaussianFits) -> Iterator[NDArray[np.float64]]:
    """Correlations, then those with noise where columns follow from others."""
    yield fits.matrix
    steady = steadied(fits.matrix, fits.rows)
    if steady.columns:
        yield steady.matrix


def noise_note(net: Net, fits: Fits | None) -> str:
    """A sentence where a network with a joint normal distribution was fitted with noise."""
    if not isinstance(net, MarkovNet) or net.joint is None or not isinstance(fits, GaussianFits):
        return ""
    columns = steadied(fits.matrix, fits.rows).columns
    fitted = net.joint.covariance / fits.sd[:, None] / fits.sd
    pairs = np.array(net.graph.numbered_edges, dtype=np.intp).reshape(-1, 2).T
    apart = np.abs(fitted - fits.matrix)[pairs[0], pairs[1]]
    return followers(fits, columns) if apart.size and apart.max() > _NOISY else ""


def followers(fits: GaussianFits, columns: Sequence[int]) -> str:
    """A sentence on columns that got noise."""
    if not columns:
        return ""
    names = sentence_list([fits.nodes[i] for i in columns])
    return (
        f"{names} follow from one another (a copy, a sum, or few distinct rows): each is taken as "
        f"measured with an error of {100 * NOISE**0.5:.1g} % of its standard deviation, as the likelihood "
        "has no maximum otherwise; leave one out to see what the rest depend on."
    )


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
