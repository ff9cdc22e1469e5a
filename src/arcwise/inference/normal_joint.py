"""Joint normal distributions in the form of a root: x = mean + root e with independent standard normal e.

Conditioning uses the root and never forms the covariance of the evidence. With the evidence rows
A_E' = Q R (QR with column pivoting), observing x_E fixes Q'e, hence for the others

    mean_U + A_U Q R^-T (x_E - mean_E),    root A_U (I - Q Q').

A covariance loses half the digits of a nearly deterministic relation, a root does not: relations are
distinguished from noise down to 1e-13 of a standard deviation. Below that, evidence that other evidence
determines either agrees with it and is superfluous, or contradicts it.

Mutual information is -1/2 sum log(1 - r^2) over the canonical correlations r (Kullback 1959); it is infinite
if one side determines a part of the other. Probabilities of boxes are numerical integrals (Genz 1992, as
in SciPy), repeated with shifted points to measure their error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from arcwise.distributions import Normal
from arcwise.errors import DataError, FitError, close_to
from arcwise.frame import Frame, Framed, Series, unused
from arcwise.inference.belief import Probability, share_of

Array = NDArray[np.float64]

# Rounding error of a row that should be zero, relative to the parts that cancelled.
ROUNDING = 1e-14
# Share of its standard deviation that evidence must add to other evidence.
NEW = 1e-13
# Tolerance of evidence that other evidence determines, for typed and rounded numbers.
SLACK = 1e-6

REPEATS = 8
"""Repetitions of a numerical integral with shifted points, for its error."""

POINTS = 200_000
"""Largest number of points of one such integral; the error includes the rest."""


_ANYWHERE = (-math.inf, math.inf)


@dataclass(frozen=True, eq=False)
class GaussianJoint:
    """A joint normal distribution in the form of its root: x = mean + root e.

    Parameters
    ----------
    names : the variables.
    mean : one number per variable.
    root : one row per variable; covariance = root root'.

    >>> GaussianJoint.of(("a", "b"), np.zeros(2), np.eye(2)).covariance.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    names: tuple[str, ...]
    mean: Array
    root: Array
    cells: ClassVar[None] = None

    def __post_init__(self) -> None:
        if self.mean.shape != (len(self.names),) or len(self.root) != len(self.names):
            raise DataError(
                "A joint distribution must have one mean and one row of its root per name."
            )
        self.mean.flags.writeable = False
        self.root.flags.writeable = False

    @classmethod
    def of(cls, names: Sequence[str], mean: Array, covariance: Array) -> GaussianJoint:
        """Return the distribution with a covariance matrix (positive semidefinite)."""
        values, vectors = np.linalg.eigh(covariance)
        # Rounding makes zero eigenvalues slightly negative.
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return cls(tuple(names), np.array(mean, dtype=float), root)

    @cached_property
    def covariance(self) -> Array:
        """The covariance matrix, rows and columns in the order of the names."""
        covariance: Array = self.root @ self.root.T
        covariance.flags.writeable = False
        return covariance

    @cached_property
    def sd(self) -> Array:
        """The standard deviations."""
        sd: Array = np.linalg.norm(self.root, axis=1)
        return sd

    @property
    def mode(self) -> Array:
        """The most probable point: the means."""
        return self.mean

    @property
    def entropy(self) -> float:
        """The differential entropy in nats; minus infinity if variables determine each other."""
        step = eliminate(self.root, range(len(self.names)))
        if len(step.spare):
            return -math.inf
        size = np.log(np.abs(np.diag(step.triangle))).sum() + np.log(step.scale).sum()
        return float(size + 0.5 * len(self.names) * math.log(2 * math.pi * math.e))

    @cached_property
    def correlation(self) -> Array:
        """The correlation matrix; off-diagonal entries of a determined variable are 0."""
        scaled = self.root / np.where(self.sd > 0, self.sd, 1.0)[:, None]
        correlation: Array = np.clip(scaled @ scaled.T, -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        return correlation

    def single(self, index: int) -> Normal:
        """Return the distribution of one variable."""
        return Normal(self.mean[[index]], self.sd[[index]])

    def mutual_information(self, a: Sequence[int], b: Sequence[int]) -> float:
        """Return the mutual information of two groups of variables in nats; infinite if one determines the
        other.

        >>> both = GaussianJoint(("a", "b"), np.zeros(2), np.array([[1.0, 0.0], [0.6, 0.8]]))
        >>> round(both.mutual_information([0], [1]), 4)
        0.2231
        """
        squares = np.linalg.svd(self._basis(a).T @ self._basis(b), compute_uv=False) ** 2
        # Beyond this, 1 - r^2 is rounding and the relation deterministic.
        if (1.0 - squares < 1e-14).any():
            return math.inf
        return float(-0.5 * np.log1p(-squares).sum())

    def _basis(self, places: Sequence[int]) -> Array:
        """Return orthonormal directions of e that some variables depend on."""
        indices = list(places)
        scaled = self.root[indices] / np.where(self.sd > 0, self.sd, 1.0)[indices, None]
        vectors, sizes, _ = np.linalg.svd(scaled.T, full_matrices=False)
        return vectors[:, sizes > 1e-12]

    def logpdf(self, columns: Array) -> Array:
        """Return the log density of rows (rows by variables)."""
        with np.errstate(over="ignore", invalid="ignore"):
            logs = log_normal(columns - self.mean, self.root)
        return np.where(np.isnan(logs), -np.inf, logs)  # too far out for the numbers

    def box(self, limits: Mapping[int, tuple[float, float]]) -> Probability:
        """Return the probability of bounds on some variables; determined variables are inside or outside."""
        moving = {i: pair for i, pair in limits.items() if self.sd[i] > 0 and pair != _ANYWHERE}
        for i, (low, high) in limits.items():
            if i not in moving and not low <= self.mean[i] <= high:
                return Probability(0.0)
        positions = list(moving)
        if len(positions) < 2:
            sure = [self.single(i).probability(pair)[0] for i, pair in moving.items()]
            return Probability(*(sure or [1.0]))
        sides = np.array(list(moving.values())) - self.mean[positions, None]
        return _integral(
            self.correlation[np.ix_(positions, positions)], sides / self.sd[positions, None]
        )

    def share(
        self, holds: Callable[[Array], NDArray[np.bool_]], draws: int, rng: np.random.Generator
    ) -> Probability:
        """Return the probability of an event given as a function of draws (draws by variables)."""
        return share_of(float(holds(self.sample(rng, draws)).mean()), draws)

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Return independent draws (draws by variables)."""
        root = narrow(self.root)
        return self.mean + rng.standard_normal((draws, root.shape[1])) @ root.T

    def take(self, places: Sequence[int]) -> GaussianJoint:
        """Return the distribution of some of the variables, by their positions."""
        indices = list(places)
        names = tuple(self.names[i] for i in indices)
        return GaussianJoint(names, self.mean[indices], narrow(self.root[indices]))


def condition(joint: GaussianJoint, evidence: Mapping[int, float]) -> GaussianJoint:
    """Return the distribution of the other variables given some.

    Parameters
    ----------
    joint : the joint distribution.
    evidence : position of a variable in ``joint.names`` to its value.

    Returns
    -------
    The distribution of the other variables.

    Raises
    ------
    FitError : the evidence violates a deterministic relation.

    >>> covariance = np.array([[1.0, 2.0], [2.0, 5.0]])
    >>> given = condition(GaussianJoint.of(("a", "b"), np.array([1.0, 2.0]), covariance), {1: 4.5})
    >>> given.mean.round(6).tolist(), given.covariance.round(6).tolist()
    ([2.0], [[0.2]])
    """
    indices = list(evidence)
    rest = [i for i in range(len(joint.names)) if i not in evidence]
    off = np.array([[evidence[i] for i in indices]]) - joint.mean[indices]
    step = eliminate(joint.root, indices)
    step.check(joint.root, joint.mean[None, :], off, [joint.names[i] for i in indices])
    mean = joint.mean[rest] + step.shift(joint.root[rest], off)[0]
    return GaussianJoint(tuple(joint.names[i] for i in rest), mean, step.left(joint.root[rest]))


class Projection(NamedTuple):
    """The effect of evidence on some rows of a root on the others.

    `seen` are the observed rows, `kept` and `spare` the positions within `seen` of independent
    and of redundant evidence; `basis` (Q) spans the observed directions of e, and
    `triangle` (R) with `scale` (one standard deviation per kept row) turns evidence into it.
    """

    seen: list[int]
    kept: NDArray[np.intp]
    spare: NDArray[np.intp]
    basis: Array
    triangle: Array
    scale: Array

    def shift(self, rows: Array, off: Array) -> Array:
        """Return the change of the means of some rows (columns of the result) by evidence minus its means."""
        from scipy.linalg import solve_triangular

        if not len(self.kept):
            return np.zeros((len(off), len(rows)))
        whitened = solve_triangular(
            self.triangle, (off[:, self.kept] / self.scale).T, trans="T", check_finite=False
        )
        shift: Array = (rows @ self.basis @ whitened).T
        return shift

    def left(self, rows: Array) -> Array:
        """Return some rows of the root given the evidence."""
        residual: Array = rows - (rows @ self.basis) @ self.basis.T
        # Two passes suffice (Kahan, in Parlett 1980): the second removes the rounding of the first.
        residual -= (residual @ self.basis) @ self.basis.T
        size = np.linalg.norm(rows, axis=1)
        residual[np.linalg.norm(residual, axis=1) <= ROUNDING * size] = 0.0
        return residual

    def excess(self, root: Array, off: Array) -> Array:
        """Return the deviation of redundant evidence from its value given the rest, one column each."""
        rows = root[[self.seen[i] for i in self.spare]]
        return off[:, self.spare] - self.shift(rows, off)

    def check(self, root: Array, mean: Array, off: Array, names: Sequence[str]) -> None:
        """Raise an error for evidence that contradicts other evidence."""
        positions = [self.seen[i] for i in self.spare]
        came = off[:, self.spare] + mean[:, positions]
        size = np.abs(mean[:, positions]) + np.abs(came)
        allowed = SLACK * np.linalg.norm(root[positions], axis=1) + 1e-3 * SLACK * size
        self.refuse(came, self.excess(root, off), allowed, names)

    def refuse(
        self,
        came: Array,
        excess: Array,
        allowed: Array,
        names: Sequence[str],
        constant: Collection[str] = (),
    ) -> None:
        """Raise an error that names redundant evidence beyond its tolerance, and its deviation."""
        for row, column in np.argwhere(np.abs(excess) > allowed)[:1]:
            value, name = came[row, column], names[self.spare[column]]
            text = (
                f"the data, in which {name!r} is always"
                if name in constant
                else f"itself: the other values determine {name!r} as"
            )
            expected = value - excess[row, column]
            raise FitError(
                f"The evidence contradicts {text} {expected:.10g}, but {value:.10g} was given."
            )


def eliminate(root: Array, positions: Sequence[int], new: float = NEW) -> Projection:
    """Split the evidence rows of a root into independent and redundant ones, with a basis of
    the former.
    """
    from scipy.linalg import qr

    rows = root[list(positions)]
    scale = np.linalg.norm(rows, axis=1)
    scaled = rows / np.where(scale > 0, scale, 1.0)[:, None]
    basis, triangle, order = qr(scaled.T, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(triangle))
    rank = int((pivots > new).sum())
    kept, spare = order[:rank].astype(np.intp), np.sort(order[rank:]).astype(np.intp)
    return Projection(
        list(positions), kept, spare, basis[:, :rank], triangle[:rank, :rank], scale[kept]
    )


def narrow(root: Array) -> Array:
    """Return a root of the same covariance with at most as many columns as rows."""
    height, width = root.shape
    if width <= height:
        return root
    upper = np.asarray(np.linalg.qr(root.T, mode="r"))
    return upper.T


def log_normal(off: Array, root: Array) -> Array:
    """Return the log density of rows minus their means (``off``), under a normal with that root.

    A singular root has no density: the result is plus infinity for rows that obey the deterministic
    relations, and minus infinity for the others.

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


def _integral(correlation: Array, sides: Array) -> Probability:
    """Return the probability of a box under a standardised normal, repeated with shifted points."""
    from scipy.stats import multivariate_normal

    values = [
        multivariate_normal(None, correlation, allow_singular=True, seed=seed, maxpts=POINTS).cdf(
            sides[:, 1], lower_limit=sides[:, 0]
        )
        for seed in range(REPEATS)
    ]
    # Two-dimensional integrals need no random points: their error is rounding.
    error = max(float(np.std(values, ddof=1)) / math.sqrt(REPEATS), 1e-12)
    return Probability(float(np.mean(values)), error)


_PRINTED = 10
"""Largest number of printed rows and columns."""


@dataclass(frozen=True, eq=False, repr=False)
class NamedMatrix(Framed):
    """A square matrix whose rows and columns have the names of variables.

    Parameters
    ----------
    names : of rows and columns.
    values : the numbers, in the order of the names.

    >>> found = NamedMatrix(("b", "a"), np.array([[2.0, -0.5], [-0.5, 1.0]]))
    >>> found["a", "b"], found["a"]
    (-0.5, {'b': -0.5, 'a': 1.0})
    >>> print(found)
          b     a
    b     2  -0.5
    a  -0.5     1
    >>> np.linalg.inv(found).shape
    (2, 2)
    """

    names: tuple[str, ...]
    values: Array

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.names),) * 2:
            raise DataError(
                f"A matrix of {len(self.names)} variables must have as many rows and columns, "
                f"got shape {self.values.shape}."
            )
        self.values.flags.writeable = False

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def _place(self, name: object) -> int:
        index = self._places.get(name) if isinstance(name, str) else None
        if index is None:
            raise DataError(f"The matrix has no variable {name!r}. {close_to(name, self.names)}")
        return index

    def __getitem__(self, names: str | tuple[str, str]) -> Any:
        """Return the number of a pair of names; for one name, its row by names."""
        if isinstance(names, tuple):
            if len(names) != 2:
                raise DataError(f"An entry must be two names, got {names!r}.")
            return float(self.values[self._place(names[0]), self._place(names[1])])
        return dict(zip(self.names, self.values[self._place(names)].tolist(), strict=True))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        """Return the numbers alone, for numpy."""
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.names)

    def _summary(self) -> str:
        size = len(self.names)
        return f"{size} x {size}, {', '.join(self.names)}"

    @property
    def frame(self) -> Frame:
        """Return one row and one column per variable."""
        head = Series(unused("variable", self.names), self.names, head=" ")
        columns = (Series(name, self.values[:, i]) for i, name in enumerate(self.names))
        return Frame((head, *columns), index=head.name)

    @property
    def display(self) -> Frame:
        """Return the first rows and columns."""
        frame, size = self.frame.head(_PRINTED), len(self.names)
        notes = (f"... {size} rows and columns",) if size > _PRINTED else ()
        return replace(frame, columns=frame.columns[: _PRINTED + 1], notes=notes)
