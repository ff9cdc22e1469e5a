"""Beliefs about a number that were averaged from conditionals, of any shape.

The law is a mixture of normals, or a density on a grid. A belief says how it came about: exact
(everything that the variable's conditional takes was known), or simulated, with the Monte-Carlo
error of the mean, R-hat and the effective sample size of the chains. Errors of probabilities come
from the spread over chains, each of which has its own average.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.inference.belief import (
    Array,
    Event,
    Probability,
    Seed,
    bounds,
    box,
    frequency,
    numbers,
    sentence,
)
from arcwise.inference.laws import RowLaw
from arcwise.inference.normal import generator, half_width, standard_quantiles
from arcwise.inference.quality import Quality
from arcwise.inference.ranges import Range, plain_range, range_lines
from arcwise.networks import whole

__all__ = ["MixtureBelief"]


@dataclass(frozen=True, eq=False)
class MixtureBelief:
    """A belief about one continuous variable, of any shape.

    Parameters
    ----------
    name : the variable.
    law : its law, one row.
    quality : how it came about.
    by_chain : the laws of the single chains, where it was simulated.
    given, do : the question, for the text.
    range : the answers of equivalent graphs, where data cannot tell what setting a variable does.

    >>> from arcwise.inference.laws import MixtureRows
    >>> law = MixtureRows(np.array([[0.0, 4.0]]), np.ones((1, 2)), np.array([[0.5, 0.5]]))
    >>> print(MixtureBelief("y", law, given={"x": 1.5}))
    y given x = 1.5
      mean 2, sd 2.236; 95 % between -1.645 and 5.645
    """

    name: str
    law: RowLaw
    quality: Quality = field(default_factory=Quality)
    by_chain: RowLaw | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    do: Mapping[str, Any] = field(default_factory=dict)
    range: Range | None = field(default=None, compare=False, repr=False)

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self.law.mean[0])

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(self.law.sd[0])

    @property
    def variance(self) -> float:
        """Square of the standard deviation."""
        return self.sd**2

    @property
    def error(self) -> float:
        """Standard error of the mean; 0 if exact."""
        return self.quality.error

    @property
    def rhat(self) -> float:
        """Split R-hat of the chains; 1 if exact."""
        return self.quality.rhat

    @property
    def ess(self) -> float:
        """Effective sample size; infinite if exact."""
        return self.quality.ess

    @overload
    def quantile(self, q: float) -> float: ...
    @overload
    def quantile(self, q: Sequence[float] | NDArray[Any]) -> Array: ...
    def quantile(self, q: float | Sequence[float] | NDArray[Any]) -> float | Array:
        """Value below which a share q of the belief lies, for one share or several."""
        standard_quantiles(q)  # refuses what is no share
        values = self.law.quantiles(np.atleast_1d(np.asarray(q, dtype=float)))[0]
        return float(values[0]) if np.ndim(q) == 0 else values

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central interval that holds a share ``level`` of the belief."""
        half_width(level)  # refuses what is no level
        low, high = self.quantile([0.5 - 0.5 * level, 0.5 + 0.5 * level]).tolist()
        return low, high

    def logdensity(self, x: ArrayLike) -> Any:
        """Logarithm of the density, at a value or at each of several."""
        values = numbers(self.name, x)
        logs = self.law.logdensity(values.reshape(1, -1))[0].reshape(values.shape)
        return logs if values.ndim else float(logs)

    def density(self, x: ArrayLike) -> Any:
        """Density, at a value or at each of several."""
        return np.exp(self.logdensity(x)) if np.ndim(x) else float(np.exp(self.logdensity(x)))

    def probability(self, event: Event, *, draws: int = 100_000, seed: Seed = 0) -> Probability:
        """Probability of an event.

        Parameters
        ----------
        event : (low, high) with None for an open end, such a pair by name, or a function of draws.
        draws, seed : for an event given as a function, which is estimated by more draws.

        Returns
        -------
        A number that also has an ``error``: 0 where the belief is exact and the event a pair.
        """
        if callable(event):
            return frequency(event, {self.name: self.draws(draws, seed)})
        if isinstance(event, Mapping):
            event = box(event, [self.name]).get(self.name, (None, None))
        low, high = bounds(self.name, event)
        share = float(_between(self.law, low, high)[0])
        return Probability(share, self._spread(share, low, high))

    def _spread(self, share: float, low: float, high: float) -> float:
        """Standard error of a probability, from its spread over chains."""
        if self.quality.exact:
            return 0.0
        if self.by_chain is None or len(self.by_chain.mean) < 4:
            return math.sqrt(share * (1 - share) / self.ess)
        parts = _between(self.by_chain, low, high)
        return float(parts.std(ddof=1) / math.sqrt(len(parts)))

    def draws(self, n: int, seed: Seed = 0) -> Array:
        """Independent values; the same seed gives the same ones."""
        drawn: Array = self.law.sample(generator(seed), whole("number of draws", n))[0]
        return drawn

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
            **self.quality.to_dict(),
            **plain_range(self.range),
        }

    def __str__(self) -> str:
        low, high = self.interval()
        head = sentence([self.name], self.given, self.do)
        line = f"  mean {self.mean:.4g}, sd {self.sd:.4g}; 95 % between {low:.4g} and {high:.4g}"
        return "\n".join([head, line, *self.quality.lines(), *range_lines(self.range)])


def _between(law: RowLaw, low: float, high: float) -> Array:
    """Share of each row between two values, either of which may be infinite."""
    rows = len(law.mean)
    top = np.ones(rows) if high == np.inf else law.cdf(np.full(rows, high))
    bottom = np.zeros(rows) if low == -np.inf else law.cdf(np.full(rows, low))
    return np.maximum(top - bottom, 0.0)
