"""Belief: the distribution of one variable given evidence, with its accuracy.

A `Belief` is a distribution of the variable with its `Quality`: exact, or simulated with a standard error of
the mean, R-hat and an effective sample size. Standard errors of probabilities are computed from the averages
of the single chains.

An *event* is one of four things: a pair ``(low, high)``, where None is an open end; for a discrete variable
a level or a list of levels; either of these by name; or a function that takes a dict of drawn columns by
name and returns a boolean per draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.distributions import (
    Categorical,
    Distribution,
    densest,
    entropy,
    format_by_spread,
    interval,
    standard_quantiles,
)
from arcwise.errors import DataError, close_to
from arcwise.frame import Frame, Framed, Series
from arcwise.inference.evidence import sentence
from arcwise.inference.quality import Quality
from arcwise.inference.ranges import Estimate, Probability, Range, plain_range, range_lines
from arcwise.networks import whole
from arcwise.values import as_tuple, is_number, is_several
from arcwise.view import figure

__all__ = ["Belief", "Estimate", "Probability", "Quality"]
Array = NDArray[np.float64]
Axes = Any  # of matplotlib
Draws = dict[str, NDArray[Any]]
Event = Any
Seed = int | np.random.Generator


@dataclass(frozen=True, eq=False)
class Belief(Framed):
    """A belief about one variable.

    Parameters
    ----------
    name : the variable.
    distribution : its distribution, with one row.
    quality : accuracy of the answer.
    by_chain : the distributions of the single chains, if simulated.
    given, do : the query, for the text.
    range : the answers of equivalent graphs, if data do not identify the effect of an intervention.
    before : a function that returns the belief without the evidence, for figures.

    >>> from arcwise.distributions import Normal
    >>> belief = Belief("quality", Normal(6.0, 0.5), given={"alcohol": 11.5})
    >>> print(belief)
    quality given alcohol = 11.5
      mean 6, sd 0.5; 95 % between 5.02 and 6.98
    >>> belief.probability((None, 6.0)), round(belief.quantile(0.975), 4)
    (0.5, 6.98)
    >>> print(Belief("rain", Categorical(np.array([[0.8, 0.2]]), ("no", "yes"), "rain")))
    rain
      no   0.8
      yes  0.2
    """

    name: str
    distribution: Distribution
    quality: Quality = field(default_factory=Quality)
    by_chain: Distribution | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    do: Mapping[str, Any] = field(default_factory=dict)
    range: Range | None = field(default=None, compare=False, repr=False)
    before: Callable[[], Belief] | None = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return the values alone, for copies in other processes, without the network."""
        return {**self.__dict__, "before": None}

    @property
    def levels(self) -> tuple[Any, ...]:
        """The levels of a discrete variable; none for a continuous one."""
        return self._discrete.levels or () if self._discrete else ()

    @property
    def _discrete(self) -> Categorical | None:
        return self.distribution.categorical

    @property
    def numeric(self) -> bool:
        """Whether there are a mean, an sd and quantiles."""
        return self._discrete is None or self._discrete.numeric

    @property
    def mean(self) -> float:
        """The expected value."""
        return float(self.distribution.mean[0])

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return float(self.distribution.sd[0])

    @property
    def variance(self) -> float:
        """The variance."""
        return self.sd**2

    @property
    def error(self) -> float:
        """The standard error of the mean, for text levels the largest of a probability; 0 if exact."""
        if self.numeric or self.quality.exact:
            return self.quality.error
        return max(chance.error for chance in self._chances.values())

    @property
    def rhat(self) -> float:
        """The split R-hat of the chains; 1 if exact."""
        return self.quality.rhat

    @property
    def ess(self) -> float:
        """The effective sample size; infinite if exact."""
        return self.quality.ess

    @property
    def probabilities(self) -> dict[Any, Probability]:
        """The probability of each level of a discrete variable."""
        return {level: self.probability([level]) for level in self._chances}

    @property
    def _chances(self) -> dict[Any, Probability]:
        """The probabilities without ranges."""
        if self._discrete is None:
            raise DataError(f"{self.name!r} is a number and has no levels: use its quantiles.")
        return {level: self._chance([level]) for level in self.levels}

    @property
    def mode(self) -> Any:
        """The most probable level; for a number, the value of largest density."""
        levels = self._discrete
        return densest(self.distribution) if levels is None else self.levels[int(levels.codes[0])]

    @property
    def entropy(self) -> float:
        """The entropy in nats; for a number, the differential entropy."""
        return entropy(self.distribution)

    @overload
    def quantile(self, q: float) -> float: ...
    @overload
    def quantile(self, q: Sequence[float] | NDArray[Any]) -> Array: ...
    def quantile(self, q: float | Sequence[float] | NDArray[Any]) -> float | Array:
        """Return quantiles of the belief, for one probability or several.

        For numeric levels, the smallest level with probability at least q at or below it.
        """
        standard_quantiles(q)  # refuses what is no share
        values = self.distribution.quantile(np.atleast_1d(np.asarray(q, dtype=float)))[0]
        return float(values[0]) if np.ndim(q) == 0 else values

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval with probability ``level``."""
        low, high = self.quantile(central(level)).tolist()
        return low, high

    def logdensity(self, x: Any) -> Any:
        """Return the log density (log probability of a level) at one or several values."""
        if self._discrete is not None:
            with np.errstate(divide="ignore"):
                return np.log(self.density(x))
        values = numbers(self.name, x)
        logs = self.distribution.logpdf(values.reshape(1, -1))[0].reshape(values.shape)
        return logs if values.ndim else float(logs)

    def density(self, x: Any) -> Any:
        """Return the density (probability of a level) at one or several values; infinite if a value is
        certain.
        """
        if self._discrete is None:
            return np.exp(self.logdensity(x)) if np.ndim(x) else float(np.exp(self.logdensity(x)))
        if is_several(x):
            return np.array([float(self._chance([value])) for value in x])
        return float(self._chance([x]))

    def probability(self, event: Event, *, draws: int = 100_000, seed: Seed = 0) -> Probability:
        """Return the probability of an event.

        Parameters
        ----------
        event : (low, high) with None for an open end, a level or several, either by name, or a function of
            draws.
        draws, seed : for an event given as a function, which is estimated by simulation.

        Returns
        -------
        A number that also has an ``error``: 0 if the belief is exact and the event is not a function. If the
        belief has a range over graphs, the number has one, too.
        """
        words: dict[str, Any] = {"draws": draws, "seed": seed}
        chance = self._chance(event, **words)
        return chance.over(self.range, lambda answer: answer.probability(event, **words))

    def _chance(self, event: Event, draws: int = 100_000, seed: Seed = 0) -> Probability:
        """Return the probability of an event, without its range."""
        if callable(event):
            return frequency(event, {self.name: self.draws(draws, seed)})
        if isinstance(event, Mapping):
            check_names(event, [self.name])
            event = event.get(self.name, list(self.levels) or (None, None))
        if self._discrete is None:
            event = self.limits(event)
        share = float(self.distribution.probability(event)[0])
        return Probability(share, self._spread(share, event))

    def codes(self, values: Any) -> Array:
        """Return one or several values as an array of numbers, levels as their codes."""
        if self._discrete is None:
            return np.atleast_1d(numbers(self.name, values))
        every = list(as_tuple(values))
        self._discrete.holds(every)  # refuses what is no level
        return self._discrete.code_of(every)

    def limits(self, event: Any) -> Any:
        """Return a checked event on this variable: its bounds, or a mark for each level."""
        return interval(self.name, event) if self._discrete is None else self._discrete.holds(event)

    def _spread(self, share: float, event: Any) -> float:
        """Return the standard error of a probability, from its spread over chains."""
        if self.quality.exact:
            return 0.0
        parts = () if self.by_chain is None else self.by_chain.probability(event)
        if len(parts) < 4:
            return math.sqrt(share * (1 - share) / self.ess)
        return float(np.std(parts, ddof=1) / math.sqrt(len(parts)))

    def draws(self, n: int, seed: Seed = 0) -> NDArray[Any]:
        """Return independent draws; the same seed gives the same ones."""
        values = self.distribution.sample(generator(seed), whole("number of draws", n))[0]
        return values if self._discrete is None else self._discrete.values(values)

    def document(self) -> dict[str, Any]:
        """Return the numbers, for machines."""
        plain: dict[str, Any] = {"name": self.name, "given": dict(self.given), "do": dict(self.do)}
        if self.levels:
            chances = self._chances.items()
            plain["probabilities"] = {
                str(level): float(probability) for level, probability in chances
            }
        if self.numeric:
            plain |= {"mean": self.mean, "sd": self.sd if math.isfinite(self.sd) else None}
        if not self.levels:
            low, high = self.interval()
            plain["interval"] = {"level": 0.95, "low": low, "high": high}
        return {**plain, **self.quality.to_dict(), "error": self.error, **plain_range(self.range)}

    def plot(
        self, *, before: bool = True, title: str | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draw the belief with matplotlib, and in grey the belief without the evidence.

        Parameters
        ----------
        before : whether to draw the belief without the evidence, too.
        title : a line above the figure; variable and evidence by default.
        ax : matplotlib's axes; a new figure by default.
        """
        earlier = self.before() if before and self.before is not None else None
        return figure("plot_belief")(self, earlier, title=title, ax=ax)

    @property
    def frame(self) -> Frame:
        """Return one row per level with its probability; for a number, one row with mean, sd and a 95 %
        interval.
        """
        lines = *self.quality.lines("standard error", self.error), *range_lines(self.range)
        notes = tuple(map(str.strip, lines))
        frame = belief_frame([self])
        if self.levels:
            chances, simulated = self._chances.values(), not self.quality.exact
            columns = (
                Series("level", list(self.levels), head=self.name),
                Series("probability", [float(chance) for chance in chances]),
                Series("error", [chance.error for chance in chances], ".2g", shown=simulated),
            )
            frame = Frame(columns)
        return replace(frame, title=sentence([self.name], self.given, self.do), notes=notes)

    def _summary(self) -> str:
        return f"{sentence([self.name], self.given, self.do)}: {self.words()}"

    def words(self) -> str:
        """Return the belief in one line."""
        if not self.numeric:
            return f"most likely {self.mode} ({float(self._chance([self.mode])):.4g})"
        if self.sd == 0:
            return f"certainly {self.mean:.4g}"
        mean, low, high = (format_by_spread(x, self.sd) for x in (self.mean, *self.interval()))
        return f"mean {mean}, sd {self.sd:.4g}; 95 % between {low} and {high}"

    @property
    def brief(self) -> Frame:
        """Return one line: mean, sd and a 95 % interval; or one per level with its probability."""
        what = "error of the mean" if self.numeric else "largest standard error of a probability"
        columns = [Series("belief", [self.words()])]
        if self.levels:
            chances = [float(chance) for chance in self._chances.values()]
            columns = [Series("level", list(map(str, self.levels))), Series("probability", chances)]
        notes = *self.quality.lines(what, self.error), *range_lines(self.range)
        head = sentence([self.name], self.given, self.do)
        return Frame(tuple(columns), head, notes, headed=False)


def belief_frame(beliefs: Sequence[Belief]) -> Frame:
    """Return one row per variable: mean, sd and a 95 % interval for numbers, else the most probable level."""
    unknown = [math.nan] * 4
    rows = [(b.mean, b.sd, *b.interval()) if b.numeric else unknown for b in beliefs]
    modes = [
        (b.mode, float(max(b._chances.values()))) if b.levels else (None, None) for b in beliefs
    ]
    numeric, discrete = any(b.numeric for b in beliefs), any(b.levels for b in beliefs)
    moments = zip(("mean", "sd", "low", "high"), np.reshape(rows, (-1, 4)).T, strict=True)
    columns = (
        Series("variable", [b.name for b in beliefs]),
        *(Series(name, values, ".5g", shown=numeric) for name, values in moments),
        Series("level", [level for level, _ in modes], head="most probable", shown=discrete),
        Series("probability", [share for _, share in modes], shown=discrete),
    )
    return Frame(columns, index="variable")


def generator(seed: Seed) -> np.random.Generator:
    """Return a random generator: the given one, or a new one from a non-negative integer."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(whole("seed", seed))


def central(level: float) -> Array:
    """Return the shares below the ends of a central interval."""
    if not is_number(level) or not 0 < level < 1:
        raise DataError(f"The share of an interval must be between 0 and 1, got {level!r}.")
    return np.array([0.5 - 0.5 * level, 0.5 + 0.5 * level])


def check_names(event: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise an error for an event on variables that are not targets."""
    for name in event:
        if name not in names:
            raise DataError(
                f"The event names {name!r}, which is not a target. {close_to(name, names)}"
            )


def truth(event: Callable[[Draws], Any], draws: Draws) -> NDArray[np.bool_]:
    """Return whether an event given as a function holds, for each draw."""
    size = len(next(iter(draws.values())))
    holds = np.asarray(event(draws))
    if holds.shape != (size,) or holds.dtype != bool:
        raise DataError(
            f"An event given as a function must return one boolean per draw ({size}), got "
            f"{holds.dtype} of shape {holds.shape}."
        )
    return holds


def frequency(event: Callable[[Draws], Any], draws: Draws) -> Probability:
    """Return the share of independent draws in which an event holds, with its standard error."""
    holds = truth(event, draws)
    return share_of(float(holds.mean()), len(holds))


def share_of(share: float, size: float) -> Probability:
    """Return a share of `size` independent draws as a probability with its standard error."""
    # Without any hit, or any miss, the plain formula would have error zero: add one of each.
    safe = (share * size + 1) / (size + 2)
    return Probability(share, float(np.sqrt(safe * (1 - safe) / size)))


def numbers(name: str, values: ArrayLike) -> Array:
    """Return values of a variable as an array of numbers; text is an error."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"The values of {name!r} must be numbers, got {values!r}.") from None
