"""Joint beliefs about several variables.

`Beliefs` are the beliefs about each variable and a joint distribution: a normal one in closed form, cells of
a table, or `States` of a simulation. In simulations the marginal of each variable is a
Rao-Blackwell average, which is better than its draws, and the draws represent the dependence. Standard errors
of probabilities account for the dependence of states within a chain (see ``diagnose``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arcwise.errors import DataError, close_to
from arcwise.frame import Frame, Framed, Series
from arcwise.inference.belief import (
    Array,
    Belief,
    Draws,
    Event,
    Probability,
    Quality,
    Seed,
    belief_frame,
    check_names,
    generator,
    truth,
)
from arcwise.inference.engine import JointAnswer
from arcwise.inference.evidence import sentence
from arcwise.inference.joint_answers import States
from arcwise.inference.ranges import Range, plain_range, range_lines
from arcwise.networks import whole
from arcwise.values import as_tuple
from arcwise.view import figure

SHOWN = 8
"""Largest number of variables whose correlations are printed."""


@dataclass(frozen=True, eq=False)
class Beliefs(Framed):
    """A joint belief about several variables.

    Parameters
    ----------
    singles : the belief about each variable alone, in the order requested.
    joint : their joint distribution.
    given, do : the query, for the text.
    range : the answers of equivalent graphs, if data do not identify the effect of an intervention.
    before : a function that returns the beliefs without the evidence, for figures.

    >>> from arcwise.inference.normal_joint import GaussianJoint
    >>> root = np.array([[1.0, 0.0], [0.6, 0.8]])
    >>> both = Beliefs.normal(GaussianJoint(("a", "b"), np.zeros(2), root))
    >>> both.correlation.tolist(), round(both.mutual_information("a", "b"), 4)
    ([[1.0, 0.6], [0.6, 1.0]], 0.2231)
    >>> round(both.probability({"a": (0, None), "b": (0, None)}), 4)
    0.3524
    """

    singles: tuple[Belief, ...]
    joint: JointAnswer
    given: Mapping[str, Any] = field(default_factory=dict)
    do: Mapping[str, Any] = field(default_factory=dict)
    range: Range | None = field(default=None, compare=False, repr=False)
    before: Callable[[], Beliefs] | None = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return the values alone, for copies in other processes, without the network."""
        return {**self.__dict__, "before": None}

    def plot(self, *, before: bool = True, columns: int = 4, title: str | None = None) -> list[Any]:
        """Draw the belief about each variable alone, and in grey that without the evidence.

        Parameters
        ----------
        before : whether to draw the beliefs without the evidence, too.
        columns : number of panels per row.
        title : a line above all; the evidence by default.
        """
        earlier = self.before().singles if before and self.before is not None else ()
        by_name = {single.name: single for single in earlier}
        singles = [replace(single, given=self.given, do=self.do) for single in self.singles]
        return list(figure("plot_beliefs")(singles, by_name, columns=columns, title=title))

    @classmethod
    def normal(cls, joint: Any) -> Beliefs:
        """Return the belief of a joint normal distribution (a GaussianJoint)."""
        singles = (Belief(name, joint.single(i)) for i, name in enumerate(joint.names))
        return cls(tuple(singles), joint)

    def _summary(self) -> str:
        return sentence(list(self.names), self.given, self.do)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order requested."""
        return tuple(single.name for single in self.singles)

    @property
    def numeric(self) -> bool:
        """Whether all variables have a mean and an sd."""
        return all(single.numeric for single in self.singles)

    @cached_property
    def mean(self) -> Array:
        """The expected values."""
        return np.array([single.mean for single in self.singles])

    @cached_property
    def sd(self) -> Array:
        """The standard deviations."""
        return np.array([single.sd for single in self.singles])

    @property
    def variance(self) -> Array:
        """The variances."""
        return self.sd**2

    @property
    def correlation(self) -> Array:
        """The correlation matrix; off-diagonal entries of a determined variable are 0."""
        return self.joint.correlation

    @property
    def covariance(self) -> Array:
        """The covariance matrix; infinite or NaN for a variable without a standard deviation."""
        with np.errstate(invalid="ignore"):
            return self.correlation * np.outer(self.sd, self.sd)

    @property
    def mode(self) -> dict[str, Any]:
        """The most probable combination: a level or number by name; for simulations, levels only."""
        if len(self.singles) == 1:
            return {single.name: single.mode for single in self.singles}
        rows = self._by_name(self.joint.mode[None, :])
        return {name: values.tolist()[0] for name, values in rows.items()}

    @property
    def entropy(self) -> float:
        """The joint entropy in nats; for numbers, the differential entropy."""
        alone = len(self.singles) == 1 and isinstance(self.joint, States)
        return self.singles[0].entropy if alone else self.joint.entropy

    @property
    def error(self) -> float:
        """The largest standard error of a mean; 0 if exact."""
        return max(single.error for single in self.singles)

    @property
    def rhat(self) -> float:
        """The largest R-hat."""
        return max(single.rhat for single in self.singles)

    @property
    def ess(self) -> float:
        """The smallest effective sample size."""
        return min(single.ess for single in self.singles)

    @property
    def quality(self) -> Quality:
        """The accuracy of the whole: the worst of its parts."""
        qualities = [single.quality for single in self.singles]
        way = next((quality.way for quality in qualities if not quality.exact), "")
        notes = dict.fromkeys(note for quality in qualities for note in quality.notes)
        return Quality(self.error, self.rhat, self.ess, way, tuple(notes))

    def place(self, name: str) -> int:
        """Return the position of a name; an unknown one is an error with close matches."""
        if name not in self.names:
            raise DataError(f"{name!r} is not a target of this query. {close_to(name, self.names)}")
        return self.names.index(name)

    def __getitem__(self, name: str) -> Belief:
        single = self.singles[self.place(name)]
        return single if self.range is None else replace(single, range=self.range[name])

    def mutual_information(self, a: str | Sequence[str], b: str | Sequence[str]) -> float:
        """Return the mutual information of a and b given the evidence, in nats.

        For simulations it is estimated from the states by nearest neighbours, for any shape of dependence
        and for mixed numbers and levels. Estimates near zero are noise.

        Parameters
        ----------
        a, b : one or several names each.
        """
        sides = map(as_tuple, (a, b))
        first, second = ([self.place(name) for name in names] for names in sides)
        return self.joint.mutual_information(first, second)

    def logdensity(self, values: Mapping[str, ArrayLike]) -> Any:
        """Return the log of the joint density at a value per name, or at a column of values per name."""
        if not isinstance(values, Mapping):
            raise DataError(f"The joint density must have values by name, got {values!r}.")
        missing = [name for name in self.names if name not in values]
        if missing:
            raise DataError(
                "The joint density must have a value for every variable, and has none for "
                f"{missing[0]!r}."
            )
        columns = [single.codes(values[single.name]) for single in self.singles]
        try:
            rows = np.column_stack(np.broadcast_arrays(*columns))
        except ValueError:
            sizes = ", ".join(str(column.size) for column in columns)
            raise DataError(
                f"The joint density must have as many values for each name, got {sizes}."
            ) from None
        logs = self.joint.logpdf(rows)
        return logs if any(np.ndim(values[name]) for name in self.names) else float(logs[0])

    def probability(self, event: Event, *, draws: int = 100_000, seed: Seed = 0) -> Probability:
        """Return the probability of an event.

        Parameters
        ----------
        event : (low, high) or levels by name, which must all hold, or a function of a dict of draws.
        draws, seed : for an event given as a function, if the belief has a closed form; for simulations the
            states are counted.

        Returns
        -------
        A number that also has an ``error``: that of the belief for bounds on one variable, the measured
        error of the numerical integral or of the simulation for several; and a ``range`` over graphs if the
        belief has one.
        """
        words: dict[str, Any] = {"draws": draws, "seed": seed}
        chance = self._chance(event, **words)
        return chance.over(self.range, lambda answer: answer.probability(event, **words))

    def _chance(self, event: Event, draws: int, seed: Seed) -> Probability:
        """Return the probability of an event, without its range."""
        if callable(event):
            return self.joint.share(
                lambda rows: truth(event, self._by_name(rows)), draws, generator(seed)
            )
        if not isinstance(event, Mapping):
            raise DataError(
                f"An event on several variables must give bounds or levels by name, as in "
                f"{{{self.names[0]!r}: {self._example()}}}, got {event!r}."
            )
        check_names(event, self.names)
        if len(event) == 1:
            name = next(iter(event))
            return self.singles[self.place(name)].probability(event[name])
        return self.joint.box(
            {self.place(n): self[n].limits(limits) for n, limits in event.items()}
        )

    def _example(self) -> str:
        """Return an event of the first variable."""
        levels = self.singles[0].levels
        return repr(levels[0]) if levels else "(0, None)"

    def _by_name(self, rows: Array) -> Draws:
        """Return draws as users give values, by name."""
        by_name: Draws = {}
        for i, single in enumerate(self.singles):
            levels = getattr(single.distribution, "values", None)
            by_name[single.name] = rows[:, i] if levels is None else levels(rows[:, i])
        return by_name

    def draws(self, n: int, seed: Seed = 0) -> Draws:
        """Return draws by name; the same seed gives the same ones."""
        return self._by_name(self.joint.sample(generator(seed), whole("number of draws", n)))

    def document(self) -> dict[str, Any]:
        """Return the numbers, for machines."""
        plain: dict[str, Any] = {
            "names": list(self.names),
            "given": dict(self.given),
            "do": dict(self.do),
        }
        if self.numeric:
            matrices = {"mean": self.mean, "sd": self.sd, "covariance": self.covariance}
            plain |= {name: numbers.tolist() for name, numbers in matrices.items()}
        else:
            plain["variables"] = {single.name: single.document() for single in self.singles}
        if (cells := self.joint.cells) is not None:
            plain["joint"] = cells.table.tolist()
        return {**plain, **self.quality.to_dict(), **plain_range(self.range)}

    @property
    def frame(self) -> Frame:
        """Return one row per variable with its correlations; for levels, one per combination with its
        probability.
        """
        lines = self.quality.lines("errors of the means", self.error, "up to ")
        notes = tuple(line.strip() for line in (*lines, *range_lines(self.range)))
        title = sentence(self.names, self.given, self.do)
        if (cells := self.joint.cells) is not None:
            return replace(cells.frame, title=title, notes=notes)
        frame = belief_frame(self.singles)
        correlations = self.correlation if self.numeric else np.zeros((0, 0))
        columns = (
            Series(f"correlation with {name}", column, ".2f", f"r {name}", len(self.names) <= SHOWN)
            for name, column in zip(self.names, correlations.T, strict=False)
        )
        return replace(frame, columns=(*frame.columns, *columns), title=title, notes=notes)

    @property
    def brief(self) -> Frame:
        """Return one line per variable, and correlations or probabilities of combinations below."""
        width, lines = max(map(len, self.names)), list[str]()
        rows = Series("variable", self.names), Series("belief", [x.words() for x in self.singles])
        if 1 < len(self.names) <= SHOWN and self.numeric:
            lines.append("correlations")
            for i, name in enumerate(self.names):
                entries = " ".join(f"{value:6.2f}" for value in self.correlation[i, : i + 1])
                lines.append(f"  {name:<{width}} {entries}")
        if (cells := self.joint.cells) is not None:
            lines += [f"  {line}" for line in cells.lines()]
        notes = self.quality.lines("errors of the means", self.error, "up to ")
        below = (*lines, *notes, *range_lines(self.range))
        return Frame(rows, sentence(self.names, self.given, self.do), below, headed=False)
