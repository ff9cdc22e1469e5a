"""Beliefs that are normal distributions, in closed form.

For one variable: N(mean, sd^2). For several: mean + root e (see ``gaussian``). Mutual information
is -1/2 sum log(1 - r^2) over the canonical correlations r (Kullback 1959); it is infinite where one
side determines a part of the other. Probabilities of boxes are exact in one dimension and numerical
integrals in more (Genz 1992, as in SciPy), repeated with shifted points to measure their error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import DataError, close_to
from arcwise.inference.belief import (
    Array,
    Draws,
    Event,
    Probability,
    Seed,
    bounds,
    box,
    columns_of,
    frequency,
    numbers,
    sentence,
)
from arcwise.inference.gaussian import log_normal, narrow
from arcwise.inference.ranges import Range, plain_range, range_lines
from arcwise.networks import whole

__all__ = ["NormalBelief", "NormalBeliefs"]

REPEATS = 8
"""How often a numerical integral is repeated with shifted points to measure its error."""

POINTS = 200_000
"""Most points of one such integral: what they leave open shows in the error."""

SHOWN = 8
"""Correlations of more variables than this are not printed."""


@dataclass(frozen=True)
class NormalBelief:
    """A normal belief about one variable.

    Parameters
    ----------
    name : the variable.
    mean, sd : its expected value and standard deviation; sd 0 if it is determined.
    given, do : the question, for the text.
    range : the answers of equivalent graphs, where data cannot tell what setting a variable does.

    >>> print(NormalBelief("quality", 6.0, 0.5, {"alcohol": 11.5}))
    quality given alcohol = 11.5
      mean 6, sd 0.5; 95 % between 5.02 and 6.98
    """

    name: str
    mean: float
    sd: float
    given: Mapping[str, float] = field(default_factory=dict)
    do: Mapping[str, float] = field(default_factory=dict)
    range: Range | None = field(default=None, compare=False, repr=False)

    @property
    def variance(self) -> float:
        """Square of the standard deviation."""
        return self.sd**2

    @property
    def error(self) -> float:
        """The closed form is exact."""
        return 0.0

    @overload
    def quantile(self, q: float) -> float: ...
    @overload
    def quantile(self, q: Sequence[float] | NDArray[Any]) -> Array: ...
    def quantile(self, q: float | Sequence[float] | NDArray[Any]) -> float | Array:
        """Value below which a share q of the belief lies, for one share or several.

        >>> round(NormalBelief("x", 0.0, 1.0).quantile(0.975), 4)
        1.96
        """
        values = self.mean + self.sd * standard_quantiles(q)
        return float(values) if np.ndim(q) == 0 else values

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central interval that holds a share ``level`` of the belief."""
        half = self.sd * half_width(level)
        return self.mean - half, self.mean + half

    def logdensity(self, x: ArrayLike) -> Any:
        """Logarithm of the density, at a value or at each of several.

        >>> round(NormalBelief("x", 0.0, 1.0).logdensity(0.0), 4)
        -0.9189
        """
        off = numbers(self.name, x) - self.mean
        if self.sd == 0:
            logs = np.where(off == 0, np.inf, -np.inf)
        else:
            with np.errstate(over="ignore"):  # minus infinity is right there
                square = (off / self.sd) ** 2
            logs = -0.5 * square - math.log(self.sd) - 0.5 * math.log(2 * math.pi)
        return logs if np.ndim(x) else float(logs)

    def density(self, x: ArrayLike) -> Any:
        """Density, at a value or at each of several; infinite where a value is certain."""
        return np.exp(self.logdensity(x)) if np.ndim(x) else float(np.exp(self.logdensity(x)))

    def probability(self, event: Event, *, draws: int = 100_000, seed: Seed = 0) -> Probability:
        """Probability of an event.

        Parameters
        ----------
        event : (low, high) with None for an open end, such a pair by name, or a function of draws.
        draws, seed : for an event given as a function, which is estimated by simulation.

        Returns
        -------
        A number that also has an ``error``, 0 for a pair.

        >>> NormalBelief("x", 0.0, 1.0).probability((None, 0.0))
        0.5
        """
        if callable(event):
            return frequency(event, {self.name: self.draws(draws, seed)})
        if isinstance(event, Mapping):
            event = box(event, [self.name]).get(self.name, (None, None))
        return Probability(_mass(self.mean, self.sd, *bounds(self.name, event)))

    def draws(self, n: int, seed: Seed = 0) -> Array:
        """Independent values; the same seed gives the same ones."""
        size = whole("number of draws", n)
        return self.mean + self.sd * generator(seed).standard_normal(size)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for machines."""
        low, high = self.interval()
        return {
            "name": self.name,
            "given": dict(self.given),
            "do": dict(self.do),
            "mean": self.mean,
            "sd": self.sd,
            "interval": {"level": 0.95, "low": low, "high": high},
            "error": self.error,
            **plain_range(self.range),
        }

    def __str__(self) -> str:
        head, (low, high) = sentence([self.name], self.given, self.do), self.interval()
        numbers = f"mean {self.mean:.4g}, sd {self.sd:.4g}; 95 % between {low:.4g} and {high:.4g}"
        said = f"certainly {self.mean:.4g}" if self.sd == 0 else numbers
        return "\n".join([head, f"  {said}", *range_lines(self.range)])


@dataclass(frozen=True, eq=False)
class NormalBeliefs:
    """A joint normal belief about several variables.

    Parameters
    ----------
    names : the variables, in the order asked for.
    mean : their expected values.
    root : one row each; covariance = root root'.
    given, do : the question, for the text.
    range : the answers of equivalent graphs, where data cannot tell what setting a variable does.

    >>> both = NormalBeliefs(("a", "b"), np.zeros(2), np.array([[1.0, 0.0], [0.6, 0.8]]))
    >>> both.correlation.tolist(), round(both.mutual_information("a", "b"), 4)
    ([[1.0, 0.6], [0.6, 1.0]], 0.2231)
    """

    names: tuple[str, ...]
    mean: Array
    root: Array
    given: Mapping[str, float] = field(default_factory=dict)
    do: Mapping[str, float] = field(default_factory=dict)
    range: Range | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", narrow(self.root))
        self.mean.flags.writeable = False
        self.root.flags.writeable = False

    @property
    def error(self) -> float:
        """The closed form is exact."""
        return 0.0

    @cached_property
    def sd(self) -> Array:
        """Standard deviations."""
        sd: Array = np.linalg.norm(self.root, axis=1)
        return sd

    @property
    def variance(self) -> Array:
        """Squares of the standard deviations."""
        return self.sd**2

    @cached_property
    def covariance(self) -> Array:
        """Covariance matrix."""
        covariance: Array = self.root @ self.root.T
        return covariance

    @cached_property
    def correlation(self) -> Array:
        """Correlation matrix; 0 beside the diagonal for a variable that is determined."""
        scaled = self.root / np.where(self.sd > 0, self.sd, 1.0)[:, None]
        correlation: Array = np.clip(scaled @ scaled.T, -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        return correlation

    def place(self, name: str) -> int:
        """Place of a name here; an unknown one is an error with close matches."""
        if name not in self.names:
            raise DataError(f"{name!r} is not among what was asked. {close_to(name, self.names)}")
        return self.names.index(name)

    def __getitem__(self, name: str) -> NormalBelief:
        i = self.place(name)
        part = None if self.range is None else self.range[name]
        return NormalBelief(name, float(self.mean[i]), float(self.sd[i]), self.given, self.do, part)

    def mutual_information(self, a: str | Sequence[str], b: str | Sequence[str]) -> float:
        """Nats that knowing a tells of b, beyond the evidence.

        Parameters
        ----------
        a, b : a name or several names each.

        Returns
        -------
        The mutual information; infinite where one determines a part of the other.
        """
        left, right = self._basis(a), self._basis(b)
        squares = np.linalg.svd(left.T @ right, compute_uv=False) ** 2
        # Beyond this, 1 - r^2 is rounding and the relation deterministic.
        if (1.0 - squares < 1e-14).any():
            return math.inf
        return float(-0.5 * np.log1p(-squares).sum())

    def _basis(self, names: str | Sequence[str]) -> Array:
        """Orthonormal directions of e that the named variables depend on."""
        places = [self.place(name) for name in ([names] if isinstance(names, str) else names)]
        scaled = self.root[places] / np.where(self.sd > 0, self.sd, 1.0)[places, None]
        vectors, sizes, _ = np.linalg.svd(scaled.T, full_matrices=False)
        basis: Array = vectors[:, sizes > 1e-12]
        return basis

    def logdensity(self, values: Mapping[str, ArrayLike]) -> Any:
        """Logarithm of the joint density at a value per name, or at a column of values per name."""
        if not isinstance(values, Mapping):
            raise DataError(f"The joint density needs values by name, but {values!r} came.")
        missing = [name for name in self.names if name not in values]
        if missing:
            raise DataError(f"The joint density needs a value for {missing[0]!r} too.")
        columns = columns_of({name: values[name] for name in self.names})
        with np.errstate(over="ignore", invalid="ignore"):
            logs = log_normal(columns - self.mean, self.root)
        logs = np.where(np.isnan(logs), -np.inf, logs)  # too far out for the numbers
        return logs if any(np.ndim(values[name]) for name in self.names) else float(logs[0])

    def probability(self, event: Event, *, draws: int = 100_000, seed: Seed = 0) -> Probability:
        """Probability of an event.

        Parameters
        ----------
        event : (low, high) by name, all of which must hold, or a function of a dict of draws.
        draws, seed : for an event given as a function, which is estimated by simulation.

        Returns
        -------
        A number that also has an ``error``: 0 for bounds on one variable, the measured error of the
        numerical integral for several, the standard error of the simulation for a function.

        >>> both = NormalBeliefs(("a", "b"), np.zeros(2), np.eye(2))
        >>> round(both.probability({"a": (0, None), "b": (0, None)}), 6)
        0.25
        """
        if callable(event):
            return frequency(event, self.draws(draws, seed))
        if not isinstance(event, Mapping):
            raise DataError(
                f"An event on several variables must give bounds by name, as in "
                f"{{{self.names[0]!r}: (0, None)}}, but {event!r} came."
            )
        limits = {name: pair for name, pair in box(event, self.names).items() if _binds(pair)}
        return self._box(limits)

    def _box(self, limits: Mapping[str, tuple[float, float]]) -> Probability:
        """Probability of bounds; variables that are determined hold them or do not."""
        moving = {name: pair for name, pair in limits.items() if self[name].sd > 0}
        for name, (low, high) in limits.items():
            if name not in moving and not low <= self[name].mean <= high:
                return Probability(0.0)
        if len(moving) == 1:
            name = next(iter(moving))
            return self[name].probability(moving[name])
        places = [self.place(name) for name in moving]
        sides = np.array(list(moving.values())).reshape(-1, 2) - self.mean[places, None]
        sides = sides / self.sd[places, None]
        return _integral(self.correlation[np.ix_(places, places)], sides) if moving else _CERTAIN

    def draws(self, n: int, seed: Seed = 0) -> Draws:
        """Independent values by name; the same seed gives the same ones."""
        size = (whole("number of draws", n), self.root.shape[1])
        noise = generator(seed).standard_normal(size)
        values = self.mean + noise @ self.root.T
        return {name: values[:, i] for i, name in enumerate(self.names)}

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for machines."""
        return {
            "names": list(self.names),
            "given": dict(self.given),
            "do": dict(self.do),
            "mean": self.mean.tolist(),
            "sd": self.sd.tolist(),
            "covariance": self.covariance.tolist(),
            "error": self.error,
            **plain_range(self.range),
        }

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        lines = [sentence(self.names, self.given, self.do)]
        for name in self.names:
            low, high = self[name].interval()
            numbers = f"mean {self[name].mean:.4g}, sd {self[name].sd:.4g}"
            lines.append(f"  {name:<{width}}  {numbers}; 95 % between {low:.4g} and {high:.4g}")
        if 1 < len(self.names) <= SHOWN:
            lines.append("correlations")
            for i, name in enumerate(self.names):
                cells = " ".join(f"{value:6.2f}" for value in self.correlation[i, : i + 1])
                lines.append(f"  {name:<{width}} {cells}")
        return "\n".join([*lines, *range_lines(self.range)])


_CERTAIN = Probability(1.0)


def generator(seed: Seed) -> np.random.Generator:
    """Where chance comes from: a generator as it is, or a new one from a whole number."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(whole("seed", seed))


def standard_quantiles(q: ArrayLike) -> Array:
    """Quantiles of the standard normal; shares outside [0, 1] are refused."""
    from scipy.special import ndtri

    try:
        shares = np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        shares = np.array(np.nan)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise DataError(f"A quantile belongs to a share between 0 and 1, but {q!r} came.")
    quantiles: Array = ndtri(shares)
    return quantiles


def half_width(level: float) -> float:
    """Half the width of a central interval, in standard deviations."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise DataError(f"An interval holds a share between 0 and 1, but {level!r} came.")
    return float(standard_quantiles(0.5 + 0.5 * level))


def _binds(pair: tuple[float, float]) -> bool:
    return pair != (-math.inf, math.inf)


def _mass(mean: float, sd: float, low: float, high: float) -> float:
    """Share of N(mean, sd^2) in [low, high]; exact far out in either tail."""
    from scipy.special import ndtr

    if sd == 0:
        return float(low <= mean <= high)
    a, b = (low - mean) / sd, (high - mean) / sd
    return float(ndtr(-a) - ndtr(-b) if a > 0 else ndtr(b) - ndtr(a))


def _integral(correlation: Array, sides: Array) -> Probability:
    """Mass of a standardised normal in a box, repeated with shifted points."""
    from scipy.stats import multivariate_normal

    values = [
        multivariate_normal(None, correlation, allow_singular=True, seed=seed, maxpts=POINTS).cdf(
            sides[:, 1], lower_limit=sides[:, 0]
        )
        for seed in range(REPEATS)
    ]
    # Two-dimensional integrals are done without random points: then rounding is what is left.
    error = max(float(np.std(values, ddof=1)) / math.sqrt(REPEATS), 1e-12)
    return Probability(float(np.mean(values)), error)
