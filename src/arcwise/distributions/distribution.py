"""What every kind of distribution answers, row by row.

Values `x` have one entry a row, or one line of entries a row; the answer has the same shape. Averages over
runs of rows (`pool_rows`) are what Rao-Blackwell averages over states of a chain need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError

if TYPE_CHECKING:
    from arcwise.distributions.categorical import Categorical

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_CELLS = 2_000_000
"""Numbers held at once where rows are looked at in blocks."""


class Readings(Protocol):
    """What a distribution can be converted to; None if it cannot. Each kind overrides its own."""

    tabulated: ClassVar[bool] = False
    """Whether it is known at points only, and expensive to work out."""

    @property
    def categorical(self) -> Categorical | None:
        """Return the probabilities of levels."""
        return None

    @property
    def nominal(self) -> Categorical | None:
        """Return the probabilities of levels that are no numbers, and have no mean."""
        return None

    @property
    def bell(self) -> tuple[Array, Array] | None:
        """Centre and scale of a normal distribution, or of Student's."""
        return None

    @property
    def shares(self) -> Array | None:
        """Return the weights (rows by components) of components that all rows have in common: averages
        sum them.
        """
        return None

    def with_shares(self, shares: Array) -> Distribution:
        """Return the same components with other weights."""
        raise DataError("There are no components in common.")

    def chances(self, levels: int) -> Array:
        """Return the probability of each of this many levels (rows by levels)."""
        raise DataError("A distribution of numbers has no levels.")


class Distribution(Readings, Protocol):
    """A distribution of one variable for each row."""

    @property
    def mean(self) -> Array:
        """Return the expected value of each row."""
        ...

    @property
    def sd(self) -> Array:
        """Return the standard deviation of each row."""
        ...

    def cdf(self, x: Array) -> Array:
        """Return the probability of a value at or below x."""
        ...

    def quantile(self, q: Array) -> Array:
        """Return the quantiles of each row (rows by shares)."""
        ...

    def logpdf(self, x: Array) -> Array:
        """Return the log density at x; for levels the log probability of the codes x."""
        ...

    def probability(self, event: Any) -> Array:
        """Return the probability of an interval (low, high) in each row; of levels, also of a list of
        them.
        """
        ...

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Independent draws of each row (rows by draws); codes, for levels."""
        ...

    def pool_rows(self, size: int, weights: Array | None = None) -> Distribution:
        """Average of each run of `size` rows, evenly or by weights."""
        ...

    def take(self, rows: Any) -> Distribution:
        """Return the distributions of some rows, by their numbers or as a slice."""
        ...


_STEPS = (np.arange(150) + 0.5) / 150
_SHARES = _STEPS**3 * (10 - 15 * _STEPS + 6 * _STEPS**2)  # denser towards 0 and 1


def _values(distribution: Distribution) -> Array:
    """Ascending values of the first row, dense where it has probability."""
    ends = distribution.quantile(_SHARES)[0]
    places = np.linspace(0, len(ends) - 1, 40 * len(ends))
    return np.unique(np.interp(places, np.arange(len(ends)), ends))


def densest(distribution: Distribution) -> float:
    """Return the value of largest density of the first row; that of a normal distribution is its centre.

    >>> from arcwise.distributions import Normal
    >>> densest(Normal(np.array([2.5]), np.array([1.0])))
    2.5
    """
    if distribution.bell is not None:
        return float(np.ravel(distribution.bell[0])[0])
    values = _values(distribution)
    return float(values[distribution.logpdf(values[None, :])[0].argmax()])


def entropy(distribution: Distribution) -> float:
    """Return the entropy of the first row in nats: of the probabilities of levels, or of the density of
    numbers.

    That of a density is an integral over values that are dense where it is large.

    >>> from arcwise.distributions import Normal
    >>> round(entropy(Normal(np.array([0.0]), np.array([1.0]))), 4)
    1.4189
    """
    if (levels := distribution.categorical) is not None:
        shares = levels.probabilities[0]
        return float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
    if distribution.bell is not None and not distribution.sd[0] > 0:
        return -np.inf
    values = _values(distribution)
    logs = distribution.logpdf(values[None, :])[0]
    return float(-np.trapezoid(np.exp(logs) * np.maximum(logs, -700.0), values))


def run_weights(size: int, rows: int, weights: Array | None) -> Array:
    """Return the weights of rows within their runs of `size`, one run a line; each line sums to one."""
    if weights is None:
        return np.full((rows // size, size), 1.0 / size)
    lines = weights.reshape(-1, size)
    share: Array = lines / lines.sum(axis=1, keepdims=True)
    return share


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Return the rows in pieces of at most `_CELLS` numbers, `width` a row."""
    step = max(1, _CELLS // max(width, 1))
    return (slice(low, min(low + step, rows)) for low in range(0, rows, step))


def log_sum(logs: Array) -> Array:
    """Return the logarithm of the sum of exponentials along the last axis.

    >>> log_sum(np.log(np.array([[0.25, 0.75]]))).round(6).tolist()
    [0.0]
    """
    top = logs.max(axis=-1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        out: Array = safe + np.log(np.exp(logs - safe[..., None]).sum(axis=-1))
    return out


def interval(name: str, pair: object) -> tuple[float, float]:
    """Check an event (low, high) on a variable; None is an open end.

    >>> interval("x", (None, 2))
    (-inf, 2.0)
    """
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise DataError(f"The event for {name!r} must be a pair (low, high), got {pair!r}.")
    try:
        low = -np.inf if pair[0] is None else float(pair[0])
        high = np.inf if pair[1] is None else float(pair[1])
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not low <= high:
        raise DataError(
            f"The event for {name!r} must be a pair (low, high) of numbers with low <= high, "
            f"None for an open end, got {pair!r}."
        )
    return low, high


def format_by_spread(x: float, sd: float) -> str:
    """Return a number with as many digits as its spread is worth, four at least.

    >>> format_by_spread(12.34567, 2.0), format_by_spread(1e9 + 0.123, 0.2408), format_by_spread(5.0, 0.0)
    ('12.35', '1000000000.1', '5')
    """
    is_usable = 0 < sd < np.inf and x and np.isfinite(x)
    apart = np.log10(abs(x)) - np.log10(sd) if is_usable else 0.0  # the quotient may overflow
    return f"{x:.{min(17, max(4, int(np.ceil(apart)) + 1))}g}"
