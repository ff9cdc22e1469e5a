"""Exact inference in linear-Gaussian networks.

Every node is x_k = b_k + sum_j w_kj x_j + s_k e_k with independent standard normal e, so all
variables together are mean + A e, with one row of A (the *root*, covariance = A A') per variable;
in topological order a row is a sum of earlier rows plus s_k on the diagonal (Shachter and Kenley
1989).

Conditioning works on the root and never forms the covariance of the evidence. With the evidence
rows A_E' = Q R (QR with column pivoting), observing x_E means that Q'e is known, hence for the
others

    mean_U + A_U Q R^-T (x_E - mean_E),    root A_U (I - Q Q').

A covariance loses half the digits of a nearly deterministic relation, a root does not: relations
are told apart from noise down to 1e-13 of a standard deviation. Below that, a piece of evidence
that the others already determine either agrees with them and is superfluous, or contradicts them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError, FitError
from arcwise.inference.linear import ROUNDING, centres, determined, local, own_spread, roots
from arcwise.inference.relevance import relevant, upward
from arcwise.networks import BayesNet

__all__ = ["GaussianJoint", "check_relations", "condition", "joint", "log_normal", "posterior"]

Array = NDArray[np.float64]

# Share of its standard deviation that evidence must add to what other evidence says of it.
NEW = 1e-13
# How far evidence may be off what other evidence determines: typed and rounded numbers are.
SLACK = 1e-6
# The same two for relations that hold in the data only as far as least squares can tell.
NEW_IN_DATA, SLACK_IN_DATA = 1e-6, 1e-3


@dataclass(frozen=True, eq=False)
class GaussianJoint:
    """A joint normal distribution, held by its root: x = mean + root e.

    Parameters
    ----------
    names : the variables.
    mean : one number each.
    root : one row each; covariance = root root'.

    >>> GaussianJoint.of(("a", "b"), np.zeros(2), np.eye(2)).covariance.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    names: tuple[str, ...]
    mean: Array
    root: Array

    def __post_init__(self) -> None:
        if self.mean.shape != (len(self.names),) or len(self.root) != len(self.names):
            raise DataError("A joint distribution needs one mean and one row of its root per name.")
        self.mean.flags.writeable = False
        self.root.flags.writeable = False

    @classmethod
    def of(cls, names: Sequence[str], mean: Array, covariance: Array) -> GaussianJoint:
        """Make it from a covariance matrix (positive semidefinite)."""
        values, vectors = np.linalg.eigh(covariance)
        # Rounding makes eigenvalues that should be zero slightly negative.
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return cls(tuple(names), np.array(mean, dtype=float), root)

    @cached_property
    def covariance(self) -> Array:
        """The covariance matrix, rows and columns in the order of the names."""
        covariance: Array = self.root @ self.root.T
        covariance.flags.writeable = False
        return covariance

    def take(self, places: Sequence[int]) -> GaussianJoint:
        """The distribution of some of the variables, by their places here."""
        chosen = list(places)
        names = tuple(self.names[i] for i in chosen)
        return GaussianJoint(names, self.mean[chosen], narrow(self.root[chosen]))


def joint(net: BayesNet) -> GaussianJoint:
    """The joint distribution of all variables of a linear-Gaussian network.

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
    mean, root = centres(net, order, hidden, _nothing, 1)[0], roots(net, order, hidden)
    places = np.argsort(order)
    return GaussianJoint(net.names, mean[places], root[places])


def condition(joint: GaussianJoint, evidence: Mapping[int, float]) -> GaussianJoint:
    """The distribution of the other variables once some are known.

    Parameters
    ----------
    joint : the distribution before.
    evidence : place of a variable in ``joint.names`` to its value.

    Returns
    -------
    The distribution of the variables that are left.

    Raises
    ------
    FitError : the evidence contradicts a deterministic relation.

    >>> covariance = np.array([[1.0, 2.0], [2.0, 5.0]])
    >>> given = condition(GaussianJoint.of(("a", "b"), np.array([1.0, 2.0]), covariance), {1: 4.5})
    >>> given.mean.round(6).tolist(), given.covariance.round(6).tolist()
    ([2.0], [[0.2]])
    """
    seen = list(evidence)
    rest = [i for i in range(len(joint.names)) if i not in evidence]
    off = np.array([[evidence[i] for i in seen]]) - joint.mean[seen]
    step = eliminate(joint.root, seen)
    step.check(joint.root, joint.mean[None, :], off, [joint.names[i] for i in seen])
    mean = joint.mean[rest] + step.shift(joint.root[rest], off)[0]
    return GaussianJoint(tuple(joint.names[i] for i in rest), mean, step.left(joint.root[rest]))


class Elimination(NamedTuple):
    """What knowing some rows of a root does to the others.

    `seen` are the known rows, `kept` and `spare` the places within `seen` of evidence that says
    something new and of evidence that follows from it; `basis` (Q) spans what is known of e, and
    `triangle` (R) with `scale` (one standard deviation per kept row) turns evidence into it.
    """

    seen: list[int]
    kept: NDArray[np.intp]
    spare: NDArray[np.intp]
    basis: Array
    triangle: Array
    scale: Array

    def shift(self, rows: Array, off: Array) -> Array:
        """Change of the means of some rows (columns of the result) by evidence off its means."""
        from scipy.linalg import solve_triangular

        if not len(self.kept):
            return np.zeros((len(off), len(rows)))
        known = solve_triangular(
            self.triangle, (off[:, self.kept] / self.scale).T, trans="T", check_finite=False
        )
        shift: Array = (rows @ self.basis @ known).T
        return shift

    def left(self, rows: Array) -> Array:
        """What is left of some rows of the root."""
        left: Array = rows - (rows @ self.basis) @ self.basis.T
        # Twice is enough (Kahan, in Parlett 1980): removes what rounding left of the first pass.
        left -= (left @ self.basis) @ self.basis.T
        size = np.linalg.norm(rows, axis=1)
        left[np.linalg.norm(left, axis=1) <= ROUNDING * size] = 0.0
        return left

    def excess(self, root: Array, off: Array) -> Array:
        """How far superfluous evidence is off what the rest says of it, one column each."""
        rows = root[[self.seen[i] for i in self.spare]]
        return off[:, self.spare] - self.shift(rows, off)

    def check(self, root: Array, mean: Array, off: Array, names: Sequence[str]) -> None:
        """Refuse evidence that contradicts other evidence."""
        places = [self.seen[i] for i in self.spare]
        came = off[:, self.spare] + mean[:, places]
        size = np.abs(mean[:, places]) + np.abs(came)
        allowed = SLACK * np.linalg.norm(root[places], axis=1) + 1e-3 * SLACK * size
        self.refuse(came, self.excess(root, off), allowed, names)

    def refuse(
        self,
        came: Array,
        excess: Array,
        allowed: Array,
        names: Sequence[str],
        constant: Collection[str] = (),
    ) -> None:
        """Say which superfluous evidence is off by more than is allowed, and by how much."""
        for row, column in np.argwhere(np.abs(excess) > allowed)[:1]:
            value, name = came[row, column], names[self.spare[column]]
            said = (
                f"the data: there {name!r} is always"
                if name in constant
                else f"itself: in this network the other known values determine {name!r} as"
            )
            expected = value - excess[row, column]
            raise FitError(
                f"The evidence contradicts {said} {expected:.10g}, but {value:.10g} was given."
            )


def eliminate(root: Array, seen: Sequence[int], new: float = NEW) -> Elimination:
    """Split the evidence rows of a root into new and superfluous ones, with a basis of the new."""
    from scipy.linalg import qr

    rows = root[list(seen)]
    scale = np.linalg.norm(rows, axis=1)
    scaled = rows / np.where(scale > 0, scale, 1.0)[:, None]
    basis, triangle, order = qr(scaled.T, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(triangle))
    rank = int((pivots > new).sum())
    kept, spare = order[:rank].astype(np.intp), np.sort(order[rank:]).astype(np.intp)
    return Elimination(
        list(seen), kept, spare, basis[:, :rank], triangle[:rank, :rank], scale[kept]
    )


def _nothing(node: int) -> Array:
    raise AssertionError("without evidence no value is asked for")


def check_relations(
    net: BayesNet, known: Collection[int], value: Callable[[int], Array], rows: int = 1
) -> None:
    """Refuse evidence that breaks a relation which holds without noise in the data.

    Least squares cannot tell such a relation from one with very little noise, and a fitted model
    keeps some (it is `at_floor`). Here that noise counts as none, and a value may miss what the
    other known ones determine by a thousandth of the variable's standard deviation in the data, or
    by as much as a single row of the data may.

    Parameters
    ----------
    net : the network.
    known : numbers of the known variables.
    value : gives the values (one per row) of a known variable.
    rows : how many rows.

    Raises
    ------
    FitError : which variable is determined as what, and what was given.
    """
    behind = upward(net.graph, known, known)
    starts = [node for node in (*known, *behind) if determined(net, node)]
    with np.errstate(over="ignore", invalid="ignore"):  # the answer itself says what is too far out
        if starts:
            _check_exact(net, relevant(net.graph, starts, known), known, value, rows)


def _check_exact(
    net: BayesNet,
    members: Collection[int],
    known: Collection[int],
    value: Callable[[int], Array],
    rows: int,
) -> None:
    """Check evidence within some nodes, the noise of determined ones taken as none."""
    nodes = _sorted(net, members)
    hidden = {node for node in nodes if node not in known}
    seen = [i for i, node in enumerate(nodes) if node in known]
    if not seen or not any(determined(net, node) for node in nodes):
        return
    mean, root = centres(net, nodes, hidden, value, rows), roots(net, nodes, hidden, exact=True)
    came = np.column_stack([value(nodes[i]) for i in seen])
    step = eliminate(root, seen, NEW_IN_DATA)
    excess = step.excess(root, came - mean[:, seen])
    came, spare = came[:, step.spare], [nodes[seen[i]] for i in step.spare]
    spread = np.array([own_spread(net, node, SLACK_IN_DATA) for node in spare])
    names = [net.names[nodes[i]] for i in seen]
    constant = {net.names[node] for node in spare if not local(net, node)[1].any()}
    step.refuse(came, excess, spread + 1e-12 * np.abs(came), names, constant)


def _sorted(net: BayesNet, members: Collection[int]) -> list[int]:
    """Nodes in topological order."""
    rank = {node: i for i, node in enumerate(net.graph.order())}
    return sorted(members, key=rank.__getitem__)


def posterior(
    net: BayesNet,
    targets: Sequence[int],
    known: Collection[int],
    value: Callable[[int], Array],
    rows: int = 1,
) -> tuple[Array, Array]:
    """Distribution of targets for many rows that know the same variables.

    Parameters
    ----------
    net : the network.
    targets : numbers of the variables asked for.
    known : numbers of the known variables.
    value : gives the values (one per row) of a known variable.
    rows : how many rows.

    Returns
    -------
    Means (rows by targets), and the root (targets by anything) that all rows share.

    Raises
    ------
    FitError : a local model that matters is not Gaussian, the evidence contradicts itself, or the
        answer is beyond the largest number.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # said in words below
        mean, root = _posterior(net, targets, known, value, rows)
    if not (np.isfinite(mean).all() and np.isfinite(root).all()):
        raise FitError("The answer is beyond the largest number: the evidence is too extreme.")
    return mean, root


def _posterior(
    net: BayesNet,
    targets: Sequence[int],
    known: Collection[int],
    value: Callable[[int], Array],
    rows: int,
) -> tuple[Array, Array]:
    members = relevant(net.graph, targets, known)
    _check_exact(net, members, known, value, rows)
    nodes = _sorted(net, members)
    hidden = {node for node in nodes if node not in known}
    mean, root = centres(net, nodes, hidden, value, rows), roots(net, nodes, hidden)
    place = {node: i for i, node in enumerate(nodes)}
    asked, seen = [place[node] for node in targets], [place[n] for n in nodes if n in known]
    if not seen:
        return mean[:, asked], root[asked]
    off = np.column_stack([value(nodes[i]) for i in seen]) - mean[:, seen]
    step = eliminate(root, seen)
    if len(step.spare):
        step.check(root, mean, off, [net.names[nodes[i]] for i in seen])
    return mean[:, asked] + step.shift(root[asked], off), step.left(root[asked])


def narrow(root: Array) -> Array:
    """A root of the same covariance that is not wider than it is high."""
    height, width = root.shape
    if width <= height:
        return root
    upper = np.asarray(np.linalg.qr(root.T, mode="r"))
    return upper.T


def log_normal(off: Array, root: Array) -> Array:
    """Log density of rows that are ``off`` their means, under a normal with that root.

    Where the root is singular there is no density: the answer is plus infinity for rows that obey
    the deterministic relations, and minus infinity for the others.

    >>> log_normal(np.zeros((1, 1)), np.ones((1, 1))).round(4).tolist()
    [-0.9189]
    """
    from scipy.linalg import solve_triangular

    step = eliminate(root, range(len(root)))
    z = solve_triangular(
        step.triangle, (off[:, step.kept] / step.scale).T, trans="T", check_finite=False
    )
    logs: Array = -0.5 * (z**2).sum(axis=0) - 0.5 * len(step.kept) * np.log(2 * np.pi)
    logs -= np.log(np.abs(np.diag(step.triangle))).sum() + np.log(step.scale).sum()
    if not len(step.spare):
        return logs
    slack = SLACK * np.linalg.norm(root[step.spare], axis=1)
    obeys = (np.abs(step.excess(root, off)) <= slack).all(axis=1)
    return np.where(obeys, np.inf, -np.inf)
