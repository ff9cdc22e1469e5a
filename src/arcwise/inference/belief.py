"""What one believes of variables once a question is answered.

``Belief`` (one variable) and ``Beliefs`` (several) are the faces that every kind of inference
shows: closed forms here, simulation and tables of probabilities elsewhere. Each says how exact it
is: ``error`` is 0 for a closed form and a standard error where numbers were drawn.

An *event* is one of three things: a pair ``(low, high)`` for one variable, where None is an open
end; a mapping from names to such pairs, all of which must hold; or a function that takes a dict of
drawn columns by name and returns a truth value per draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import DataError, close_to
from arcwise.inference.ranges import Range

__all__ = ["Belief", "Beliefs", "Bounds", "Event", "Probability", "box", "frequency", "sentence"]

Array = NDArray[np.float64]
Bounds = tuple[float | None, float | None]
Draws = dict[str, NDArray[Any]]
Event = Bounds | Mapping[str, Bounds] | Callable[[Draws], Any]
Seed = int | np.random.Generator


class Probability(float):
    """A probability that says how exact it is; otherwise a float like any other.

    Parameters
    ----------
    value : the probability.
    error : its standard error; 0 if exact.

    >>> Probability(0.25, 0.001), Probability(0.25) * 2
    (0.25 ± 0.001, 0.5)
    """

    error: float

    def __new__(cls, value: float, error: float = 0.0) -> Probability:
        """Make the number; what rounding puts outside [0, 1] is put back."""
        self = super().__new__(cls, min(max(value, 0.0), 1.0))
        self.error = error
        return self

    def __repr__(self) -> str:
        plain = f"{float(self):.6g}"
        return f"{plain} ± {self.error:.1g}" if self.error else plain

    __str__ = __repr__


@runtime_checkable
class Belief(Protocol):
    """What one believes of one variable."""

    @property
    def name(self) -> str:
        """The variable."""
        ...

    @property
    def mean(self) -> float:
        """Expected value."""
        ...

    @property
    def sd(self) -> float:
        """Standard deviation."""
        ...

    @property
    def variance(self) -> float:
        """Square of the standard deviation."""
        ...

    @property
    def error(self) -> float:
        """Standard error of the mean; 0 if exact."""
        ...

    @property
    def range(self) -> Range | None:
        """The answers of equivalent graphs, where data cannot tell what ``do`` does; else None."""
        ...

    def quantile(self, q: float) -> float:
        """Value below which a share q of the belief lies."""
        ...

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central interval that holds a share ``level`` of the belief."""
        ...

    def density(self, x: Any) -> Any:
        """Density at a value, or at each of several."""
        ...

    def logdensity(self, x: Any) -> Any:
        """Logarithm of the density."""
        ...

    def probability(self, event: Event) -> Probability:
        """Probability of an event."""
        ...

    def draws(self, n: int, seed: Seed = 0) -> NDArray[Any]:
        """Independent values; the same seed gives the same ones."""
        ...


@runtime_checkable
class Beliefs(Protocol):
    """What one believes of several variables together."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order asked for."""
        ...

    @property
    def mean(self) -> Array:
        """Expected values."""
        ...

    @property
    def covariance(self) -> Array:
        """Covariance matrix."""
        ...

    @property
    def correlation(self) -> Array:
        """Correlation matrix."""
        ...

    @property
    def error(self) -> float:
        """Largest standard error of a mean; 0 if exact."""
        ...

    @property
    def range(self) -> Range | None:
        """The answers of equivalent graphs, where data cannot tell what ``do`` does; else None."""
        ...

    def __getitem__(self, name: str) -> Belief: ...

    def mutual_information(self, a: str | Sequence[str], b: str | Sequence[str]) -> float:
        """Nats that knowing a tells of b, beyond the evidence."""
        ...

    def probability(self, event: Event) -> Probability:
        """Probability of an event."""
        ...

    def draws(self, n: int, seed: Seed = 0) -> Draws:
        """Independent values by name; the same seed gives the same ones."""
        ...


def bounds(name: str, pair: object) -> tuple[float, float]:
    """Check a pair (low, high) and replace None by infinity."""
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise DataError(f"The event for {name!r} must be a pair (low, high), but {pair!r} came.")
    try:
        low = -np.inf if pair[0] is None else float(pair[0])
        high = np.inf if pair[1] is None else float(pair[1])
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not low <= high:
        raise DataError(
            f"The event for {name!r} must be a pair (low, high) of numbers with low <= high, "
            f"None for an open end, but {pair!r} came."
        )
    return low, high


def box(event: Mapping[str, Bounds], names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Check an event that bounds variables by name.

    >>> box({"a": (None, 2)}, ["a", "b"])
    {'a': (-inf, 2.0)}
    """
    for name in event:
        if name not in names:
            raise DataError(
                f"The event names {name!r}, which is not asked. {close_to(name, names)}"
            )
    return {name: bounds(name, pair) for name, pair in event.items()}


def frequency(event: Callable[[Draws], Any], drawn: Draws) -> Probability:
    """Share of draws in which an event holds, with its standard error."""
    size = len(next(iter(drawn.values())))
    holds = np.asarray(event(drawn))
    if holds.shape != (size,) or holds.dtype != bool:
        raise DataError(
            f"An event given as a function must return one truth value per draw ({size}), "
            f"but it returned {holds.dtype} of shape {holds.shape}."
        )
    share = float(holds.mean())
    # With no hit, or no miss, the plain formula would claim certainty: add one of each.
    safe = (holds.sum() + 1) / (size + 2)
    return Probability(share, float(np.sqrt(safe * (1 - safe) / size)))


def numbers(name: str, values: ArrayLike) -> Array:
    """Values of a variable as an array of numbers; text is refused."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"The values of {name!r} must be numbers, but {values!r} came.") from None


def columns_of(values: Mapping[str, ArrayLike]) -> Array:
    """Values by name as columns of one length; a single number stands for all rows."""
    columns = [np.atleast_1d(numbers(name, each)) for name, each in values.items()]
    try:
        return np.column_stack(np.broadcast_arrays(*columns))
    except ValueError:
        sizes = ", ".join(str(column.size) for column in columns)
        raise DataError(
            f"The joint density needs as many values for each name, but {sizes} came."
        ) from None


def sentence(names: Sequence[str], given: Mapping[str, object], do: Mapping[str, object]) -> str:
    """Say a question in one line.

    >>> sentence(["y"], {"a": 1.5}, {"b": 2})
    'y given a = 1.5, do b = 2'
    """
    known = ", ".join(f"{name} = {_shown(value)}" for name, value in given.items())
    forced = ", ".join(f"{name} = {_shown(value)}" for name, value in do.items())
    parts = [f"given {known}" if known else "", f"do {forced}" if forced else ""]
    return " ".join([", ".join(names), ", ".join(filter(None, parts))]).strip()


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
