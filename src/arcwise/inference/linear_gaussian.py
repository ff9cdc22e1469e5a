r"""Exact inference in linear-Gaussian networks.

Every node is x_k = b_k + sum_j w_kj x_j + s_k e_k with independent standard normal e, so all
variables together are mean + A e, with one row of A (the *root*, covariance = A A') per variable;
in topological order a row is a sum of earlier rows plus s_k on the diagonal (Shachter and Kenley
1989). Observed variables are replaced by their values; conditioning uses the root (see ``normal_joint``).

Matrices of networks have named rows and columns. An undirected Gaussian network has its
precision matrix :math:`\Theta`; a directed one with coefficients W and noise variances V has

.. math:: \Theta = (I - W)^T V^{-1} (I - W).

Partial correlations given all other variables are :math:`-\theta_{ij} / \sqrt{\theta_{ii} \theta_{jj}}`
(Lauritzen 1996, section 5.1).
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Linear, linear_of
from arcwise.conditionals.gaussian import FLOOR
from arcwise.errors import FitError
from arcwise.inference.evidence import relevant, upward
from arcwise.inference.normal_joint import (
    ROUNDING,
    GaussianJoint,
    NamedMatrix,
    Projection,
    eliminate,
)
from arcwise.networks import BayesNet, MarkovNet, Net, NormalJoint, normal_of

Array = NDArray[np.float64]

# What evidence must add, and by how much it may deviate, for relations that hold in the data only up to
# the rounding of least squares (see ``normal_joint``).
NEW_IN_DATA, SLACK_IN_DATA = 1e-6, 1e-3


def linear_net(net: Net) -> BayesNet | None:
    """Return the linear-Gaussian directed network equal to a network; None if there is none.

    An undirected network with a normal distribution is directed along any order of its variables.
    """
    if any(linear_of(model) is None for model in net.conditionals):
        return None
    return net.chained


def linear_model(net: BayesNet, node: int) -> Linear:
    """Return the local model of one node, which must be linear with normal noise."""
    model = linear_of(net.conditionals[node])
    if model is not None:
        return model
    raise FitError(
        "Exact Gaussian answers need linear-Gaussian local models, but that of "
        f"{net.names[node]!r} is {net.models[node]}."
    )


def is_determined(net: BayesNet, node: int) -> bool:
    """Return whether a variable is a function of its parents in all data; few rows alone prove nothing."""
    model = linear_model(net, node)
    return model.at_floor and not 0 < model.rows <= len(model.coefficients) + 1


def own_spread(net: BayesNet, node: int, share: float) -> float:
    """Return the tolerance of a determined variable: a share of its standard deviation in the data.

    A residual variance at its floor is FLOOR times the variance of the column, so one of n rows may
    deviate by sqrt(n FLOOR) standard deviations. A constant column has a minimal standard deviation.
    """
    model = linear_model(net, node)
    if not is_determined(net, node):
        return np.inf
    sd = model.sd / np.sqrt(FLOOR) if model.coefficients.any() else model.sd
    return float(sd * max(share, np.sqrt(model.rows * FLOOR)))


def roots(
    net: BayesNet, nodes: Sequence[int], hidden: Collection[int], *, exact: bool = False
) -> Array:
    """Return the root of some nodes in topological order, without arcs from nodes that are not hidden.

    With `exact`, a variable that its parents determine in all data has no noise.
    """
    index_of = {node: i for i, node in enumerate(nodes)}
    root, size = np.zeros((len(nodes), len(nodes))), np.zeros(len(nodes))
    for i, node in enumerate(nodes):
        model = linear_model(net, node)
        noise = 0.0 if exact and is_determined(net, node) else model.sd
        pairs = zip(net.graph.parents[node], model.coefficients, strict=True)
        open_ones = [(index_of[parent], weight) for parent, weight in pairs if parent in hidden]
        root[i, i], parts = noise, noise
        if open_ones:
            above, slopes = [j for j, _ in open_ones], np.array([w for _, w in open_ones])
            root[i, :i] = slopes @ root[above, :i]
            parts += float(np.abs(slopes) @ size[above])
        size[i] = np.linalg.norm(root[i, : i + 1])
        if size[i] <= ROUNDING * parts:
            root[i], size[i] = 0.0, 0.0
    return root


class KnownRows(NamedTuple):
    """The evidence of some rows: numbers of variables, their values (one per row), number of rows."""

    known: Collection[int]
    value: Callable[[int], Array]
    rows: int = 1


NOTHING = KnownRows((), dict[int, Array]().__getitem__)


def centres(
    net: BayesNet, nodes: Sequence[int], hidden: Collection[int], evidence: KnownRows
) -> Array:
    """Return means of some nodes (columns) in topological order, for rows of evidence."""
    index_of = {node: i for i, node in enumerate(nodes)}
    out = np.empty((evidence.rows, len(nodes)), order="F")
    for i, node in enumerate(nodes):
        model = linear_model(net, node)
        out[:, i] = model.intercept
        for parent, weight in zip(net.graph.parents[node], model.coefficients, strict=True):
            out[:, i] += weight * (
                out[:, index_of[parent]] if parent in hidden else evidence.value(parent)
            )
    return out


def joint(net: BayesNet) -> GaussianJoint:
    """Return the joint distribution of all variables of a linear-Gaussian network.

    Parameters
    ----------
    net : the network.

    Returns
    -------
    The distribution, names in column-number order.

    Raises
    ------
    FitError : a local model is of another kind.

    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> a = GaussianConditional(1.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.array([2.0]), 1.0, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> both = joint(net)
    >>> both.mean.tolist(), both.covariance.tolist()
    ([1.0, 2.0], [[1.0, 2.0], [2.0, 5.0]])
    """
    order = net.graph.order()
    hidden = set(order)
    mean, root = centres(net, order, hidden, NOTHING)[0], roots(net, order, hidden)
    ranks = np.argsort(order)
    return GaussianJoint(net.names, mean[ranks], root[ranks])


def check_relations(net: BayesNet, evidence: KnownRows) -> None:
    """Raise an error for evidence that violates a relation without noise in the data.

    Least squares cannot distinguish such a relation from one with very little noise, and a fitted model
    has some (it is `at_floor`). Here that noise counts as zero, and a value may deviate from the value
    determined by the others by a thousandth of the variable's standard deviation in the data, or
    by as much as a single row of the data may.

    Parameters
    ----------
    net : the network.
    evidence : the rows.

    Raises
    ------
    FitError : names the variable, its determined value and the given one.
    """
    observed = evidence.known
    behind = upward(net.graph, observed, observed)
    starts = [node for node in (*observed, *behind) if is_determined(net, node)]
    with np.errstate(over="ignore", invalid="ignore"):  # the answer itself says what is too far out
        if starts:
            _check_exact(net, relevant(net.graph, starts, observed), evidence)


def _check_exact(net: BayesNet, members: Collection[int], evidence: KnownRows) -> None:
    """Check evidence within some nodes, with determined ones without noise."""
    nodes = _topological(net, members)
    hidden = {node for node in nodes if node not in evidence.known}
    positions = [i for i, node in enumerate(nodes) if node in evidence.known]
    if not positions or not any(is_determined(net, node) for node in nodes):
        return
    mean, root = centres(net, nodes, hidden, evidence), roots(net, nodes, hidden, exact=True)
    came = np.column_stack([evidence.value(nodes[i]) for i in positions])
    step = eliminate(root, positions, NEW_IN_DATA)
    excess = step.excess(root, came - mean[:, positions])
    came, spare = came[:, step.spare], [nodes[positions[i]] for i in step.spare]
    spread = np.array([own_spread(net, node, SLACK_IN_DATA) for node in spare])
    names = [net.names[nodes[i]] for i in positions]
    constant = {net.names[node] for node in spare if not linear_model(net, node).coefficients.any()}
    step.refuse(came, excess, spread + 1e-12 * np.abs(came), names, constant)


def _topological(net: BayesNet, members: Collection[int]) -> list[int]:
    """Return nodes in topological order."""
    rank = {node: i for i, node in enumerate(net.graph.order())}
    return sorted(members, key=rank.__getitem__)


class ConditionedNodes(NamedTuple):
    """The relevant nodes of a query, in topological order, and the effect of the evidence on them.

    `place` is the index of a node in `nodes`, `hidden` are those without a value, `mean` (rows by nodes) and
    `root` are those without the evidence on the nodes `seen`, which differs by `off` from its means.
    """

    nodes: list[int]
    place: dict[int, int]
    hidden: set[int]
    mean: Array
    root: Array
    seen: list[int]
    off: Array
    step: Projection | None

    def means(self, places: Sequence[int]) -> Array:
        """Return expected values of some nodes (columns) given the evidence."""
        before = self.mean[:, places]
        return (
            before if self.step is None else before + self.step.shift(self.root[places], self.off)
        )

    def left(self, places: Sequence[int]) -> Array:
        """Return the root of some nodes given the evidence."""
        rows = self.root[places]
        return rows if self.step is None else self.step.left(rows)


def posterior(net: BayesNet, targets: Sequence[int], evidence: KnownRows) -> tuple[Array, Array]:
    """Return the distribution of targets for many rows with the same observed variables.

    Parameters
    ----------
    net : the network.
    targets : numbers of the targets.
    evidence : the rows.

    Returns
    -------
    Means (rows by targets), and the root (targets by anything) that all rows share.

    Raises
    ------
    FitError : a relevant local model is not Gaussian, the evidence is contradictory, or the answer overflows.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # said in words below
        conditioned = condition_on(net, targets, evidence)
        positions = [conditioned.place[node] for node in targets]
        mean, root = conditioned.means(positions), conditioned.left(positions)
    refuse_infinite(mean, root)
    return mean, root


def refuse_infinite(mean: Array, root: Array) -> None:
    """Raise an error if an answer is not finite."""
    if not (np.isfinite(mean).all() and np.isfinite(root).all()):
        raise FitError("The answer is beyond the largest number: the evidence is too extreme.")


def condition_on(net: BayesNet, targets: Sequence[int], evidence: KnownRows) -> ConditionedNodes:
    """Condition the relevant part of a network for some targets on the evidence."""
    observed = evidence.known
    members = relevant(net.graph, targets, observed)
    _check_exact(net, members, evidence)
    nodes = _topological(net, members)
    hidden = {node for node in nodes if node not in observed}
    mean, root = centres(net, nodes, hidden, evidence), roots(net, nodes, hidden)
    index_of = {node: i for i, node in enumerate(nodes)}
    positions = [index_of[node] for node in nodes if node in observed]
    if not positions:
        return ConditionedNodes(
            nodes, index_of, hidden, mean, root, positions, np.zeros((len(mean), 0)), None
        )
    off = np.column_stack([evidence.value(nodes[i]) for i in positions]) - mean[:, positions]
    step = eliminate(root, positions)
    if len(step.spare):
        step.check(root, mean, off, [net.names[nodes[i]] for i in positions])
    return ConditionedNodes(nodes, index_of, hidden, mean, root, positions, off, step)


def covariance(net: Net, names: Sequence[str] = ()) -> NamedMatrix:
    """Return the covariance matrix of the variables of a Gaussian network.

    Parameters
    ----------
    net : a network with a joint normal distribution, directed or not.
    names : the order of rows and columns; the network's own by default.

    Raises
    ------
    FitError : the network has no joint normal distribution.
    """
    if not net.directed:
        return _name_matrix(net, _normal(net, "covariance matrix").covariance, names)
    _linear(net, "covariance matrix")
    return _name_matrix(net, joint(net).covariance, names)


def precision(net: Net, names: Sequence[str] = ()) -> NamedMatrix:
    """Return the inverse of the covariance matrix; parameters as for `covariance`.

    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> from arcwise.conditionals import GaussianConditional
    >>> a = GaussianConditional(1.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.array([2.0]), 0.25, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> precision(net).values.tolist()
    [[17.0, -8.0], [-8.0, 4.0]]
    """
    return _name_matrix(net, _precision(net, "precision matrix"), names)


def partial_correlations(net: Net, names: Sequence[str] = ()) -> NamedMatrix:
    """Return correlations of pairs given all other variables, 1 on the diagonal; parameters as for
    `covariance`.
    """
    precision = _precision(net, "matrix of partial correlations")
    scale = 1.0 / np.sqrt(precision.diagonal())
    partial = 0.0 - precision * np.outer(scale, scale)
    np.fill_diagonal(partial, 1.0)
    return _name_matrix(net, partial, names)


def _precision(net: Net, what: str) -> Array:
    if not net.directed:
        return _normal(net, what).precision
    models = _linear(net, what)
    inward = np.eye(len(net.names))
    for child, (parents, model) in enumerate(zip(net.graph.parents, models, strict=True)):
        inward[child, list(parents)] = -model.coefficients
    scaled = inward / np.sqrt([[model.variance] for model in models])
    return scaled.T @ scaled


def _normal(net: MarkovNet, what: str) -> NormalJoint:
    normal = normal_of(net.joint)
    if normal is None:
        raise FitError(
            f"This undirected network has no {what}: its local models have no joint normal "
            "distribution."
        )
    return normal


def _linear(net: BayesNet, what: str) -> list[Linear]:
    """Return the local models, if all are linear with noise."""
    models = []
    for name, kind, local_model in zip(net.names, net.models, net.conditionals, strict=True):
        model = linear_of(local_model)
        if model is None or not model.variance > 0:
            raise FitError(
                f"Only Gaussian networks have a {what}, and the local model of {name!r} is {kind}."
            )
        models.append(model)
    return models


def _name_matrix(net: Net, matrix: Array, names: Sequence[str]) -> NamedMatrix:
    positions = [net.index(name) for name in names or net.names]
    block = matrix[np.ix_(positions, positions)]
    mirrored = 0.5 * (block + block.T)  # rounding apart, it is symmetric
    return NamedMatrix(tuple(names or net.names), mirrored)
