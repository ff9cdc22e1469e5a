"""Beliefs about a discrete variable: a probability for each level.

Quantiles exist only where the levels are numbers; elsewhere mean and spread are NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.errors import DataError, close_to
from arcwise.inference.belief import Array, Probability, Seed, bounds, box, frequency, sentence
from arcwise.inference.levels import LevelRows, level_numbers
from arcwise.inference.normal import generator, half_width, standard_quantiles
from arcwise.inference.quality import Quality
from arcwise.inference.ranges import Range, plain_range, range_lines
from arcwise.networks import whole

__all__ = ["LevelsBelief"]


@dataclass(frozen=True, eq=False)
class LevelsBelief:
    """A belief about one discrete variable: a probability for each level.

    Parameters
    ----------
    variable : the variable.
    law : its law, one row.
    quality : how it came about.
    by_chain : the laws of the single chains, where it was simulated.
    given, do : the question, for the text.
    range : the answers of equivalent graphs, where data cannot tell what setting a variable does.

    >>> rain = Variable("rain", ("no", "yes"))
    >>> print(LevelsBelief(rain, LevelRows(rain, np.array([[0.8, 0.2]]))))
    rain
      no   0.8
      yes  0.2
    """

    variable: Variable
    law: LevelRows
    quality: Quality = field(default_factory=Quality)
    by_chain: LevelRows | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    do: Mapping[str, Any] = field(default_factory=dict)
    range: Range | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The variable."""
        return self.variable.name

    @property
    def levels(self) -> tuple[Any, ...]:
        """The levels."""
        return self.variable.levels or ()

    @property
    def probabilities(self) -> dict[Any, Probability]:
        """Probability of each level."""
        return {level: self.probability([level]) for level in self.levels}

    @property
    def mode(self) -> Any:
        """The most probable level."""
        return self.levels[int(self.law.chances[0].argmax())]

    def _numbers(self) -> Array:
        """The levels as numbers; text has none."""
        if not self.variable.numeric:
            raise DataError(
                f"The levels of {self.name!r} are no numbers, so it has no quantiles: ask for its "
                "probabilities."
            )
        return level_numbers(self.variable)

    @property
    def mean(self) -> float:
        """Expected value; NaN where levels are no numbers."""
        return float(self.law.mean[0])

    @property
    def sd(self) -> float:
        """Standard deviation; NaN where levels are no numbers."""
        return float(self.law.sd[0])

    @property
    def variance(self) -> float:
        """Square of the standard deviation."""
        return self.sd**2

    @property
    def error(self) -> float:
        """Standard error: of the mean where levels are numbers, else the largest of a probability."""
        if self.variable.numeric or self.quality.exact:
            return self.quality.error
        return max(chance.error for chance in self.probabilities.values())

    @property
    def rhat(self) -> float:
        """Split R-hat of the chains; 1 if exact."""
        return self.quality.rhat

    @property
    def ess(self) -> float:
        """Effective sample size; infinite if exact."""
        return self.quality.ess

    def quantile(self, q: Any) -> Any:
        """Smallest level with at least a share q at or below it, where levels are numbers."""
        self._numbers()
        standard_quantiles(q)
        values = self.law.quantiles(np.atleast_1d(np.asarray(q, dtype=float)))[0]
        return float(values[0]) if np.ndim(q) == 0 else values

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Levels between which at least a share ``level`` of the belief lies."""
        half_width(level)
        low, high = self.quantile([0.5 - 0.5 * level, 0.5 + 0.5 * level]).tolist()
        return low, high

    def density(self, x: Any) -> Any:
        """Probability of a level, or of each of several."""
        if isinstance(x, list | tuple | np.ndarray):
            return np.array([float(self.probability([each])) for each in x])
        return float(self.probability([x]))

    def logdensity(self, x: Any) -> Any:
        """Logarithm of the probability."""
        with np.errstate(divide="ignore"):
            return np.log(self.density(x))

    def probability(self, event: Any, *, draws: int = 100_000, seed: Seed = 0) -> Probability:
        """Probability of an event.

        Parameters
        ----------
        event : a level, a list or set of levels, a pair (low, high) where levels are numbers, any
            of these by name, or a function of draws.
        draws, seed : for an event given as a function.
        """
        if callable(event):
            return frequency(event, {self.name: self.draws(draws, seed)})
        if isinstance(event, Mapping):
            if set(event) != {self.name}:
                box(dict.fromkeys(event, (None, None)), [self.name])
            event = event.get(self.name, list(self.levels))
        chosen = self._chosen(event)
        share = float(self.law.chances[0, chosen].sum())
        return Probability(share, self._spread(share, chosen))

    def _chosen(self, event: Any) -> NDArray[np.bool_]:
        """Which levels an event holds for."""
        if isinstance(event, tuple) and self.variable.numeric:
            low, high = bounds(self.name, event)
            values = self._numbers()
            return (values >= low) & (values <= high)
        wanted = list(event) if isinstance(event, list | set | frozenset | tuple) else [event]
        for level in wanted:
            if level not in self.levels:
                raise DataError(
                    f"{self.name!r} has no level {level!r}. {close_to(level, map(str, self.levels))}"
                )
        return np.array([level in wanted for level in self.levels])

    def _spread(self, share: float, chosen: NDArray[np.bool_]) -> float:
        if self.quality.exact:
            return 0.0
        if self.by_chain is None or len(self.by_chain.chances) < 4:
            return math.sqrt(share * (1 - share) / self.ess)
        parts = self.by_chain.chances[:, chosen].sum(axis=1)
        return float(parts.std(ddof=1) / math.sqrt(len(parts)))

    def draws(self, n: int, seed: Seed = 0) -> NDArray[Any]:
        """Independent levels; the same seed gives the same ones."""
        codes = self.law.sample(generator(seed), whole("number of draws", n))[0].astype(np.intp)
        numeric = self.variable.numeric
        known = level_numbers(self.variable) if numeric else np.array(self.levels, dtype=object)
        drawn: NDArray[Any] = known[codes]
        return drawn

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for machines."""
        numeric = {"mean": self.mean, "sd": self.sd} if self.variable.numeric else {}
        return {
            "name": self.name,
            "given": dict(self.given),
            "do": dict(self.do),
            "probabilities": {
                str(level): float(each) for level, each in self.probabilities.items()
            },
            **numeric,
            **self.quality.to_dict(),
            "error": self.error,
            **plain_range(self.range),
        }

    def __str__(self) -> str:
        width = max(len(str(level)) for level in self.levels)
        rows = [
            f"  {level!s:<{width}}  {float(each):.4g}" for level, each in self.probabilities.items()
        ]
        head = sentence([self.name], self.given, self.do)
        what = "the mean" if self.variable.numeric else "the mean code"
        return "\n".join([head, *rows, *self.quality.lines(what), *range_lines(self.range)])
