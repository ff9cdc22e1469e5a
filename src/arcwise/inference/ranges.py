"""The range of an answer over graphs that data cannot distinguish.

The effect of an intervention depends on the parents of the set variable, and data alone do not identify the
direction of every arc. A `Range` has the answers of the equivalent graphs and their bounds: the lowest and
highest mean, probability, and so on (Maathuis, Kalisch and Buehlmann 2009).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from arcwise.notes import Fix, Note, answer_note

Ends = tuple[Any, Any]

_TINY = 1e-12  # an error that is rounding
_ROUNDING = 1e-6  # of a probability


@dataclass(frozen=True)
class Bounds:
    """Lowest and highest value of one number over graphs; iterates over the two.

    Parameters
    ----------
    low, high : the ends; NaN if they are not known.
    over : the name of the graphs.
    notes : further notes.
    graphs : the bounds over the graphs of a certainty; None without one.

    >>> low, high = Bounds(0.2, 0.4)
    >>> Bounds(0.2, 0.4, graphs=Bounds(0.1, 0.4, "30 bootstrap graphs"))
    over equivalent graphs between 0.2 and 0.4, over 30 bootstrap graphs between 0.1 and 0.4
    """

    low: float
    high: float
    over: str = "equivalent graphs"
    notes: tuple[Note, ...] = ()
    graphs: Bounds | None = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    @property
    def widest(self) -> Ends:
        """The ends over all of the graphs."""
        further = [] if self.graphs is None else [self.graphs]
        every = [self, *further]
        return min(bounds.low for bounds in every), max(bounds.high for bounds in every)

    def __str__(self) -> str:
        every = [self] if self.graphs is None else [self, self.graphs]
        apart = [
            bounds for bounds in every if _between(bounds.low, bounds.high).startswith("between")
        ]
        if np.isnan(self.low):
            return f"over {self.over} unknown"
        if not apart:
            return f"the same over {self.over}"
        return ", ".join(
            f"over {bounds.over} {_between(bounds.low, bounds.high)}" for bounds in apart
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the ends as plain values; None if they are not known."""
        is_known = not np.isnan(self.low)
        plain: dict[str, Any] = {"range": [self.low, self.high] if is_known else None}
        if self.graphs is not None:
            plain["range_over_graphs"] = [*self.graphs]
        return plain


@dataclass(frozen=True, eq=False)
class Range:
    """Answers of the graphs that are equivalent to the learned one.

    Parameters
    ----------
    answers : one belief for each combination of parents of the set variables, that of the learned graph
        first; none if they are not known.
    edges : the edges at the set variables whose direction data and rules do not identify.
    complete : whether the answers are those of all equivalent graphs.
    notes : further notes.
    over : the name of the graphs.
    graphs : the range over the graphs of a certainty, such as those of resampled tables, each with its
        equivalent ones; None without one.

    >>> from arcwise.distributions import Normal
    >>> from arcwise.inference import Belief
    >>> beliefs = (Belief("y", Normal(2.0, 1.0)), Belief("y", Normal(0.0, 1.5)))
    >>> found = Range(beliefs, (("x", "y"),))
    >>> found.mean, found.sd, len(found)
    ((0.0, 2.0), (1.0, 1.5), 2)
    >>> found.lines()[0]
    '  over all equivalent graphs: mean between 0 and 2, sd between 1 and 1.5'
    """

    answers: tuple[Any, ...]
    edges: tuple[tuple[str, str], ...]
    complete: bool = True
    notes: tuple[Note, ...] = ()
    over: str = "equivalent graphs"
    graphs: Range | None = None

    def __len__(self) -> int:
        """Return the number of different answers."""
        return len(self.answers)

    def __repr__(self) -> str:
        how = "all" if self.complete else "some"
        return f"<Range of {len(self)} answers, those of {how} {self.over}>"

    def of(self, number: Callable[[Any], Any]) -> Ends:
        """Return the lowest and highest value of a number of a belief; NaN if the answers are not known.

        The number may be an array, as the means of a joint belief are: its ends are arrays, too.
        """
        values = np.array([number(answer) for answer in self.answers], dtype=float)
        if not len(values):
            return float("nan"), float("nan")
        low, high = values.min(axis=0), values.max(axis=0)
        return (float(low), float(high)) if np.ndim(low) == 0 else (low, high)

    @property
    def mean(self) -> Ends:
        """The lowest and highest expected value; for a joint belief, one of each per variable."""
        return self.of(lambda answer: answer.mean)

    @property
    def sd(self) -> Ends:
        """The lowest and highest standard deviation."""
        return self.of(lambda answer: answer.sd)

    @property
    def error(self) -> float:
        """The largest standard error of a mean; 0 if all answers are exact."""
        return max((float(answer.error) for answer in self.answers), default=float("nan"))

    @property
    def same(self) -> bool:
        """Whether mean and sd are the same in all equivalent graphs, up to rounding."""
        if not self.answers or not self.complete or self.error != 0:
            return False
        if not getattr(self.answers[0], "numeric", False):
            return False
        means, spreads = np.array(self.mean), np.array(self.sd)
        slack = 1e-9 * spreads[1] + 1e-13 * np.abs(means).max(axis=0)
        apart = np.maximum(means[1] - means[0], spreads[1] - spreads[0])
        return bool((apart <= slack).all())

    def bounds(self, number: Callable[[Any], Any]) -> Bounds:
        """Return the lowest and highest value of a number of an answer, with the name of the graphs."""
        further = None if self.graphs is None else self.graphs.bounds(number)
        return Bounds(*self.of(number), self._graphs, self.notes, further)

    def probability(self, event: Any, **options: Any) -> Ends:
        """Return the lowest and highest probability of an event; options as for a belief."""
        return self.of(lambda answer: float(answer.probability(event, **options)))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the lowest and the highest end of the central intervals, for one variable."""
        low, _ = self.of(lambda answer: answer.interval(level)[0])
        _, high = self.of(lambda answer: answer.interval(level)[1])
        return low, high

    def __getitem__(self, name: str) -> Range:
        """Return the range of one variable of a joint answer."""
        answers = tuple(answer[name] for answer in self.answers)
        return replace(
            self, answers=answers, graphs=None if self.graphs is None else self.graphs[name]
        )

    @property
    def probabilities(self) -> dict[Any, Ends]:
        """The lowest and highest probability of each level of a discrete variable; else nothing."""
        levels = getattr(self.answers[0], "levels", ()) if self.answers else ()
        return {level: self.probability([level]) for level in levels}

    def _numbers(self) -> dict[str, Any]:
        """Return the ends for one variable as plain values."""
        chances = {str(level): ends for level, ends in self.probabilities.items()}
        if not chances:
            return {"mean": self.mean, "sd": self.sd}
        return {"probabilities": chances}

    def _said(self) -> str:
        """Return the ends for one variable as text."""
        ends = {str(level): interval for level, interval in self.probabilities.items()}
        numbers = ends or {"mean": self.mean, "sd": self.sd}
        return ", ".join(f"{what} {_between(*interval)}" for what, interval in numbers.items())

    def noted(self, text: str, *fixes: Fix) -> Self:
        """Return the range with one more note."""
        return replace(self, notes=(*self.notes, answer_note(text, fixes=fixes)))

    def lines(self) -> list[str]:
        """Return lines for the text of a belief."""
        notes = [f"  note: {note}" for note in self.notes]
        further = [] if self.graphs is None else self.graphs.lines()
        return [*self._ends(), *further, *notes]

    def _ends(self) -> list[str]:
        """Return the lines of the bounds alone."""
        if len(self.answers) < 2 or self.same:
            return []
        head = f"  over {self._graphs}{self._errors}:"
        names = getattr(self.answers[0], "names", None)
        if names is None:
            return [f"{head} {self._said()}"]
        width = max(map(len, names))
        rows = [f"    {name:<{width}}  {self[name]._said()}" for name in names]
        return [head, *rows]

    @property
    def _graphs(self) -> str:
        if self.over != "equivalent graphs":
            return self.over
        return f"{'all' if self.complete else len(self)} {self.over}"

    @property
    def _errors(self) -> str:
        return f" (errors of the means up to {self.error:.2g})" if self.error > _TINY else ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; none if the answers are not known."""
        plain: dict[str, Any] = {
            "over": self.over,
            "edges": [list(edge) for edge in self.edges],
            "graphs": len(self),
            "complete": self.complete,
            "notes": [note.to_dict() for note in self.notes],
            **({} if self.graphs is None else {"over_graphs": self.graphs.to_dict()}),
        }
        if not self.answers:
            return plain
        names = getattr(self.answers[0], "names", None)
        if names is None:
            return {**plain, **self._numbers()}
        return {**plain, "variables": {name: self[name]._numbers() for name in names}}


class Estimate(float):
    """A float with a standard error and a range over graphs.

    Parameters
    ----------
    value : the number.
    error : its standard error; 0 if exact.
    range : its lowest and highest value over graphs, if it answers `do` in a learned network.

    >>> Estimate(-2.5, range=Bounds(-3.0, -2.5))
    -2.5 (over equivalent graphs between -3 and -2.5)
    """

    error: float
    range: Bounds | None

    def __new__(cls, value: float, error: float = 0.0, range: Bounds | None = None) -> Self:
        """Make the number."""
        self = super().__new__(cls, value)
        self.error, self.range = error, range
        return self

    def over(self, found: Range | None, number: Callable[[Any], Any]) -> Self:
        """Return the estimate with its range, if any: `number` extracts it from the answer of a graph."""
        return self if found is None else type(self)(float(self), self.error, found.bounds(number))

    def __repr__(self) -> str:
        plain = f"{float(self):.6g}"
        exact = f"{plain} ± {self.error:.1g}" if self.error else plain
        return exact if self.range is None else f"{exact} ({self.range})"

    __str__ = __repr__


class Probability(Estimate):
    """A probability, clipped to [0, 1] after rounding.

    Parameters
    ----------
    value : the probability; clipped to [0, 1].
    error, range : as of any estimate.

    >>> Probability(0.25, 0.001), Probability(0.25) * 2
    (0.25 ± 0.001, 0.5)
    """

    def __new__(cls, value: float, error: float = 0.0, range: Bounds | None = None) -> Self:
        """Make the number."""
        near = -_ROUNDING <= value <= 1.0 + _ROUNDING
        return super().__new__(cls, min(max(value, 0.0), 1.0) if near else value, error, range)


def range_lines(range_: Range | None) -> list[str]:
    """Return lines on the range for the text of a belief; nothing without one."""
    return [] if range_ is None else range_.lines()


def plain_range(range_: Range | None) -> dict[str, Any]:
    """Return the range as an entry of the plain values of a belief; nothing without one."""
    return {} if range_ is None else {"range": range_.to_dict()}


def _between(low: float, high: float) -> str:
    first, second = f"{low:.4g}", f"{high:.4g}"
    return first if first == second else f"between {first} and {second}"
