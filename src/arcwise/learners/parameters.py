"""Fitting of the local models of a graph, blanket models for inference, and the score of a whole graph.

A directed network of models without closed-form inference has a second network: each variable given its
Markov blanket, its neighbours in the moral graph (Hofmann and Tresp 1995). It is fitted during learning, for
Gibbs sampling of any missing values.

A score of local models has two sums on an undirected graph. In an order in which each variable is given its
earlier neighbours only, or for the joint distribution of largest likelihood, it is a score of the joint: it
is comparable with directed graphs, and equals that of an equivalent one. Summed over all
variables given *all* their neighbours it belongs to the pseudo-likelihood (Besag 1975), which counts every
edge twice and exceeds any likelihood. The two have different names, such as "bic" and "pseudo-bic".
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional, Fits
from arcwise.conditionals.gaussian import GaussianFits
from arcwise.errors import FitError
from arcwise.graphs import (
    DAG,
    Limits,
    UGraph,
    cardinality_order,
    cpdag,
    decomposable,
    members,
    moral,
)
from arcwise.learners.em import fits_on_graph
from arcwise.networks import BayesNet, MarkovNet, Net, NormalJoint, factors_of, normal_of
from arcwise.results import SearchEnd
from arcwise.scores import SCORES, Score, total
from arcwise.undirected.contingency import CLOSE, SWEEPS, fitted_tables, largest_likelihood
from arcwise.undirected.fixed_graph import fixed_graph
from arcwise.undirected.given_matrices import add_noise

_NOISY = 1e-7  # differences to the data's correlations, on edges, that only noise makes
TYPICAL = 512
"""Number of typical rows that are kept as starts of chains."""

MEMBERS = 16
"""Number of members of a class that are averaged."""

Check = Callable[[], None]


def retune(fits: Fits, graph: DAG | UGraph) -> Fits:
    """Return fits with shared parameters, such as one bandwidth for all, tuned to a graph."""
    inputs = graph if graph.directed else DAG.make_unchecked(graph.nodes, graph.neighbours)
    return fits.retuned(inputs) or fits


def directed_net(graph: DAG, fits: Fits, *, check: Check | None = None) -> BayesNet:
    """Fit the local models of a directed graph, and the blanket models if inference needs them.

    There are none if a family has no model of its variable given the blanket: inference then uses the product
    rule.

    Parameters
    ----------
    graph : over the columns of the data.
    fits : a family bound to the data.
    check : called before each blanket model; if it raises `SearchEnd`, there are none.
    """
    fitted, blankets = _local_models(fits_on_graph(graph, fits, _stop(check)), graph.parents), None
    with contextlib.suppress(SearchEnd):
        if not fits.closed and _takes_all(fits, wide := moral(graph)):
            blankets = markov_net(wide, fits, check=check)
    return BayesNet(fits.statistics.variables, graph, fitted, blankets)


def _stop(check: Check | None) -> Callable[[], bool] | None:
    """Return a check as a function that returns whether to end."""
    if check is None:
        return None

    def stop() -> bool:
        try:
            check()
        except SearchEnd:
            return True
        return False

    return stop


def _takes_all(fits: Fits, graph: UGraph) -> bool:
    """Return whether there is a model of each variable given its neighbours."""
    return all(map(fits.takes, range(len(graph.nodes)), graph.neighbours))


def blanket_note(net: BayesNet, fits: Fits) -> str:
    """Return a sentence if a directed network lacks the blanket models that inference would need."""
    late = net.blankets is None and not fits.closed and _takes_all(fits, moral(net.graph))
    if not late:
        return ""
    return (
        "There was no time to fit each variable given its Markov blanket for Gibbs sampling: "
        "queries use the product rule (grid, importance), which is slower."
    )


def markov_net(
    graph: UGraph, fits: Fits, *, joint: bool = True, check: Check | None = None
) -> MarkovNet:
    """Fit each variable given its neighbours; parameters as for `directed_net`.

    If all models are Gaussian, they are those of the normal distribution of largest likelihood on the graph.
    It does not exist if a clique has a singular covariance: columns that depend exactly on others then get a
    little noise (reported by `noise_note`). With too few rows for the graph, or without `joint`, each
    variable is regressed on its neighbours separately, and there is no joint. If all are discrete, they are
    those of tables of largest likelihood on the cliques, unless these are too large. `check` is called before
    each local model, and regularly in a long joint fit; an exception ends the work.
    """
    normal, variables = fits.normal, fits.statistics.variables
    if joint and normal is not None:
        for matrix in _matrices(normal):
            with contextlib.suppress(FitError):
                return normal_net(fixed_graph(matrix, graph, check=check).precision, graph, normal)
    tables = fits.tabular
    if joint and tables is not None:
        with contextlib.suppress(FitError):
            product = fitted_tables(tables.table, graph, tables.smoothing, check=check)
            return MarkovNet.normal(variables, graph, product)
    fitted = _local_models(fits, graph.neighbours, check)
    return MarkovNet(variables, graph, fitted, fits.statistics.typical(TYPICAL))


def _local_models(
    fits: Fits, inputs: Sequence[tuple[int, ...]], check: Check | None = None
) -> tuple[Conditional, ...]:
    """Return the fitted model of each variable given its inputs; `check` is called before each."""
    fitted = []
    for node, row in enumerate(inputs):
        if check is not None:
            check()
        fitted.append(fits.conditional(node, row))
    return tuple(fitted)


def _matrices(fits: GaussianFits) -> Iterator[NDArray[np.float64]]:
    """Yield the correlations, then those with noise if columns depend exactly on others."""
    yield fits.matrix
    steady = add_noise(fits.matrix, fits.rows)
    if steady.columns:
        yield steady.matrix


def noise_note(net: Net, fits: Fits) -> str:
    """Return a sentence if a network with a joint normal distribution was fitted with noise."""
    normal, joint = fits.normal, normal_of(net.joint)
    if normal is None or joint is None:
        return ""
    fitted = joint.covariance / normal.sd[:, None] / normal.sd
    pairs = np.array(net.graph.numbered_edges, dtype=np.intp).reshape(-1, 2).T
    apart = np.abs(fitted - normal.matrix)[pairs[0], pairs[1]]
    noisy = apart.size and apart.max() > _NOISY
    return add_noise(normal.matrix, normal.rows).note(normal.nodes) if noisy else ""


def fitting_note(net: Net) -> str:
    """Return a sentence if proportional fitting ended before its frequencies agreed with the data."""
    product = factors_of(net.joint)
    apart = 0.0 if product is None else product.apart
    if not apart > CLOSE:
        return ""
    return (
        f"Proportional fitting stopped after {SWEEPS} rounds before it converged: a fitted "
        f"frequency differs from the data by {apart:.2g}, so answers and score are approximate."
    )


def normal_net(precision: NDArray[np.float64], graph: UGraph, fits: GaussianFits) -> MarkovNet:
    """Return the network of a precision matrix on the scale of correlations, in the units of the data."""
    joint = NormalJoint(fits.moments.mean.copy(), precision / fits.sd[:, None] / fits.sd)
    return MarkovNet.normal(fits.moments.variables, graph, joint)


def fitted_nets(graphs: Sequence[DAG | UGraph], fits: Fits) -> tuple[Net, ...]:
    """Return a fitted network for each graph; local models that graphs share are fitted once."""
    local = cache(fits.conditional)

    def net(graph: DAG | UGraph) -> Net:
        if not graph.directed:
            return markov_net(graph, fits)
        if not fits.closed:
            return directed_net(graph, fits)
        fitted = tuple(local(child, row) for child, row in enumerate(graph.parents))
        return BayesNet(fits.statistics.variables, graph, fitted)

    return tuple(map(net, graphs))


def alike(fits: Fits, forced: Sequence[int]) -> Callable[[Any], Any] | None:
    """Return what determines the answers of a directed graph: its class, and the parents of what is set.

    None if equivalent graphs have different joint distributions.
    """
    if not fits.closed or not fits.same_joint:
        return None

    def key(graph: Any) -> Any:
        directed = graph.directed
        return (cpdag(graph), *(graph.parents[node] for node in forced)) if directed else graph

    return key


def class_members(
    graphs: Sequence[DAG], weights: NDArray[np.float64], forced: Sequence[int], limits: Limits
) -> tuple[tuple[DAG, ...], NDArray[np.float64], NDArray[np.intp]]:
    """Return members of the classes of weighted graphs, one for each combination of parents of some
    variables.

    The members of a class share its weight; a large class is represented by a few. The last array has the
    number of the class of each.
    """
    selected: list[DAG] = []
    shares: list[float] = []
    classes: list[int] = []
    for number, (graph, weight) in enumerate(zip(graphs, weights.tolist(), strict=True)):
        class_graphs = list(islice(members(cpdag(graph, limits), graph, forced), MEMBERS))
        selected += class_graphs
        shares += [weight / len(class_graphs)] * len(class_graphs)
        classes += [number] * len(class_graphs)
    return tuple(selected), np.array(shares), np.array(classes, dtype=np.intp)


PSEUDO = "pseudo-"
"""Prefix of the name of a sum over variables given all their neighbours."""


class Total(NamedTuple):
    """The score of a whole graph, with the name of the score."""

    value: float
    word: str


def is_pseudo(word: object) -> bool:
    """Return whether a score's name has the prefix of a sum over variables given all their neighbours."""
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
    """Return the score of an undirected network: of the joint if it has one, else of its local models.

    Parameters
    ----------
    net : the network.
    fits : the fits of its local models.
    score : the score of local models, without priors.
    word, options : its name and its options.
    check : called regularly in a long fit; if it raises `SearchEnd`, the local models are summed.
    """
    joint = None
    with contextlib.suppress(FitError, SearchEnd):
        joint = _joint_total(net, fits, score, word, options or {}, check)
    if joint is not None:
        return Total(joint, word)
    return pseudo_total(net, score, word)


def pseudo_total(net: MarkovNet, score: Score, word: str) -> Total:
    """Return the sum of local scores of all variables given their neighbours."""
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
    """Return the score of the joint distribution; None without a joint, or if the score does not apply
    to it.
    """
    graph, charges, measure = net.graph, SCORES[word].charges, None
    if net.joint is None:
        return None
    normal = normal_of(net.joint)
    if charges is not None and normal is not None and fits.normal is not None:
        size = 2.0 * len(net.names) + graph.n_edges
        measure = _normal_loglik(normal, fits.normal), size
    elif score.equivalent and decomposable(graph):
        return total(score, _order_edges(graph))
    elif charges is not None and fits.tabular is not None:
        measure = largest_likelihood(fits.tabular.table, graph, check=check)
    if charges is None or measure is None:
        return None
    loglik, parameters = measure
    cost = charges(fits.rows, len(net.names), **options)
    return loglik - cost.per_param * parameters - cost.per_parent * graph.n_edges


def _order_edges(graph: UGraph) -> DAG:
    """Return the directed graph equivalent to a decomposable one, by an order of maximum cardinality."""
    rank_of = {node: rank for rank, node in enumerate(cardinality_order(graph))}
    rows = enumerate(graph.neighbours)
    parents = tuple(tuple(x for x in row if rank_of[x] < rank_of[node]) for node, row in rows)
    return DAG.make_unchecked(graph.nodes, parents)


def _normal_loglik(joint: NormalJoint, fits: GaussianFits) -> float:
    """Return the log-likelihood of the rows under a normal distribution with their means."""
    rows, size = fits.rows, len(fits.nodes)
    precision = joint.precision * fits.sd[:, None] * fits.sd
    moments = fits.matrix.copy()
    moments[fits.constant, fits.constant] = 0.0  # a column that does not vary is where it should be
    fit = np.linalg.slogdet(precision)[1] - np.sum(precision * moments)
    return float(0.5 * rows * (fit - size * np.log(2 * np.pi)) - rows * np.log(fits.sd).sum())
