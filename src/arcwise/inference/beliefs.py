"""What is to be believed of several variables together.

`Beliefs` are the beliefs about each variable and a joint distribution: a normal one in closed form
(``normal``), or `States` of a simulation. Of simulated answers each variable alone is a Rao-Blackwell
average, which is better than its draws, and the draws say how variables go together. Standard errors of
probabilities account for the dependence of states within a chain (see ``diagnose``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data import Variable
from arcwise.data.variable import numbers_of
from arcwise.distributions import no_numbers
from arcwise.distributions.mixing import diagnose
from arcwise.errors import DataError, close_to
from arcwise.inference.base import Joint
from arcwise.inference.belief import (
    Array,
    Belief,
    Draws,
    Event,
    Probability,
    Quality,
    Seed,
    check_names,
    generator,
    sentence,
    share_of,
    truth,
)
from arcwise.inference.cells import Cells
from arcwise.inference.information import mutual_information, scores
from arcwise.inference.ranges import Range, plain_range, range_lines
from arcwise.networks import whole

NEIGHBOUR_DRAWS = 4000
"""States that mutual information is computed from, evenly taken from all."""

SHOWN = 8
"""Correlations of more variables than this are not printed."""


@dataclass(frozen=True, eq=False)
class States:
    """The joint distribution behind simulated states.

    Parameters
    ----------
    variables : in the order asked for.
    values : variables by sweeps by chains; codes where a variable is discrete.
    """

    variables: tuple[Variable, ...]
    values: Array

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    @cached_property
    def _rows(self) -> Array:
        """The states, one a row."""
        return self.values.reshape(len(self.variables), -1).T

    def _numbers(self, place: int, rows: Array) -> Array:
        """States of a variable as numbers; text has none."""
        variable, column = self.variables[place], rows[:, place]
        if variable.discrete and not variable.numeric:
            raise no_numbers(variable.name)
        return numbers_of(variable, column.astype(np.intp) if variable.discrete else column)

    @cached_property
    def correlation(self) -> Array:
        """Correlation matrix of the states; 0 beside the diagonal for a variable that never varies."""
        flat = np.stack([self._numbers(i, self._rows) for i in range(len(self.variables))])
        off = flat - flat.mean(axis=1, keepdims=True)
        size = np.linalg.norm(off, axis=1)
        scaled = off / np.where(size > 0, size, 1.0)[:, None]
        correlation: Array = np.clip(scaled @ scaled.T, -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        return correlation

    def mutual_information(self, a: Sequence[int], b: Sequence[int]) -> float:
        """Nats that knowing some variables tells of others, by nearest neighbours (see ``information``)."""
        first, second = (np.concatenate([self._scored(i) for i in side], axis=1) for side in (a, b))
        return mutual_information(first, second)

    def _scored(self, place: int) -> Array:
        flat = self._rows[:, place]
        every = np.linspace(0, flat.size - 1, min(flat.size, NEIGHBOUR_DRAWS)).astype(np.intp)
        return scores(flat[every, None], self.variables[place].discrete)

    def logpdf(self, columns: Array) -> Array:
        """There is none behind draws."""
        raise DataError(
            "A simulated joint answer has draws but no joint density: ask for the density of each variable."
        )

    def box(self, limits: Mapping[int, Any]) -> Probability:
        """Probability of bounds on several variables; of levels, of those that are marked."""

        def inside(rows: Array) -> NDArray[np.bool_]:
            holds = np.ones(len(rows), dtype=bool)
            for place, limit in limits.items():
                column = rows[:, place]
                if self.variables[place].discrete:
                    holds &= limit[column.astype(np.intp)]
                else:
                    holds &= (column >= limit[0]) & (column <= limit[1])
            return holds

        return self.share(inside, 0, generator(0))

    def share(
        self, holds: Callable[[Array], NDArray[np.bool_]], draws: int, rng: np.random.Generator
    ) -> Probability:
        """Share of the states in which an event holds; no others are drawn."""
        found = holds(self._rows).astype(float).reshape(self.values.shape[1:])
        return share_of(float(found.mean()), float(diagnose(found[:, None, :]).ess[0]))

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """States chosen at random: each at most once as long as there are enough."""
        total = len(self._rows)
        if draws <= total:
            return self._rows[rng.permutation(total)[:draws]]
        return self._rows[rng.integers(0, total, draws)]


@dataclass(frozen=True, eq=False)
class Beliefs:
    """A joint belief about several variables.

    Parameters
    ----------
    singles : the belief about each variable alone, in the order asked for.
    joint : their joint distribution.
    given, do : the question, for the text.
    range : the answers of equivalent graphs, where data cannot tell what setting a variable does.

    >>> from arcwise.inference.normal import GaussianJoint
    >>> root = np.array([[1.0, 0.0], [0.6, 0.8]])
    >>> both = Beliefs.normal(GaussianJoint(("a", "b"), np.zeros(2), root))
    >>> both.correlation.tolist(), round(both.mutual_information("a", "b"), 4)
    ([[1.0, 0.6], [0.6, 1.0]], 0.2231)
    >>> round(both.probability({"a": (0, None), "b": (0, None)}), 4)
    0.3524
    """

    singles: tuple[Belief, ...]
    joint: Joint
    given: Mapping[str, Any] = field(default_factory=dict)
    do: Mapping[str, Any] = field(default_factory=dict)
    range: Range | None = field(default=None, compare=False, repr=False)

    @classmethod
    def normal(cls, joint: Any) -> Beliefs:
        """The belief of a joint normal distribution (a GaussianJoint)."""
        singles = (Belief(name, joint.single(i)) for i, name in enumerate(joint.names))
        return cls(tuple(singles), joint)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order asked for."""
        return tuple(single.name for single in self.singles)

    @property
    def numeric(self) -> bool:
        """Whether all variables have a mean and an sd."""
        return all(single.numeric for single in self.singles)

    @cached_property
    def mean(self) -> Array:
        """Expected values."""
        return np.array([single.mean for single in self.singles])

    @cached_property
    def sd(self) -> Array:
        """Standard deviations."""
        return np.array([single.sd for single in self.singles])

    @property
    def variance(self) -> Array:
        """Squares of the standard deviations."""
        return self.sd**2

    @property
    def correlation(self) -> Array:
        """Correlation matrix; 0 beside the diagonal for a variable that is determined."""
        return self.joint.correlation

    @property
    def covariance(self) -> Array:
        """Covariance matrix; infinite or NaN for a variable without a standard deviation."""
        with np.errstate(invalid="ignore"):
            return self.correlation * np.outer(self.sd, self.sd)

    @property
    def error(self) -> float:
        """Largest standard error of a mean; 0 if exact."""
        return max(single.error for single in self.singles)

    @property
    def rhat(self) -> float:
        """Largest R-hat."""
        return max(single.rhat for single in self.singles)

    @property
    def ess(self) -> float:
        """Smallest effective sample size."""
        return min(single.ess for single in self.singles)

    @property
    def quality(self) -> Quality:
        """How the whole came about: the worst of its parts."""
        each = [single.quality for single in self.singles]
        way = next((quality.way for quality in each if not quality.exact), "")
        notes = dict.fromkeys(note for quality in each for note in quality.notes)
        return Quality(self.error, self.rhat, self.ess, way, tuple(notes))

    def place(self, name: str) -> int:
        """Place of a name here; an unknown one is an error with close matches."""
        if name not in self.names:
            raise DataError(f"{name!r} is not among what was asked. {close_to(name, self.names)}")
        return self.names.index(name)

    def __getitem__(self, name: str) -> Belief:
        single = self.singles[self.place(name)]
        return single if self.range is None else replace(single, range=self.range[name])

    def mutual_information(self, a: str | Sequence[str], b: str | Sequence[str]) -> float:
        """Nats that knowing a tells of b, beyond the evidence.

        Of simulated answers it is estimated from the states by nearest neighbours: any shape of dependence
        counts, numbers and levels may be mixed. Estimates near zero are noise.

        Parameters
        ----------
        a, b : a name or several names each.
        """
        sides = ([names] if isinstance(names, str) else names for names in (a, b))
        first, second = ([self.place(name) for name in names] for names in sides)
        return self.joint.mutual_information(first, second)

    def logdensity(self, values: Mapping[str, ArrayLike]) -> Any:
        """Logarithm of the joint density at a value per name, or at a column of values per name."""
        if not isinstance(values, Mapping):
            raise DataError(f"The joint density needs values by name, got {values!r}.")
        missing = [name for name in self.names if name not in values]
        if missing:
            raise DataError(f"The joint density needs a value for {missing[0]!r} too.")
        columns = [single.codes(values[single.name]) for single in self.singles]
        try:
            rows = np.column_stack(np.broadcast_arrays(*columns))
        except ValueError:
            sizes = ", ".join(str(column.size) for column in columns)
            raise DataError(
                f"The joint density needs as many values for each name, got {sizes}."
            ) from None
        logs = self.joint.logpdf(rows)
        return logs if any(np.ndim(values[name]) for name in self.names) else float(logs[0])

    def probability(self, event: Event, *, draws: int = 100_000, seed: Seed = 0) -> Probability:
        """Probability of an event.

        Parameters
        ----------
        event : (low, high), or levels, by name, all of which must hold, or a function of a dict of draws.
        draws, seed : for an event given as a function of a belief in closed form; of simulated ones the
            states themselves are counted.

        Returns
        -------
        A number that also has an ``error``: that of the belief for bounds on one variable, the measured
        error of the numerical integral or of the simulation for several; and a ``range`` over graphs if the
        belief has one.
        """
        words: dict[str, Any] = {"draws": draws, "seed": seed}
        found = self._chance(event, **words)
        return found.over(self.range, lambda answer: answer.probability(event, **words))

    def _chance(self, event: Event, draws: int, seed: Seed) -> Probability:
        """Probability of an event, without its range."""
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
        return self.joint.box({self.place(n): self[n].limits(each) for n, each in event.items()})

    def _example(self) -> str:
        """An event of the first variable."""
        levels = self.singles[0].levels
        return repr(levels[0]) if levels else "(0, None)"

    def _by_name(self, rows: Array) -> Draws:
        """Draws as users know them, by name."""
        found: Draws = {}
        for i, single in enumerate(self.singles):
            levels = getattr(single.distribution, "values", None)
            found[single.name] = rows[:, i] if levels is None else levels(rows[:, i])
        return found

    def draws(self, n: int, seed: Seed = 0) -> Draws:
        """Values by name; the same seed gives the same ones."""
        return self._by_name(self.joint.sample(generator(seed), whole("number of draws", n)))

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for machines."""
        plain: dict[str, Any] = {
            "names": list(self.names),
            "given": dict(self.given),
            "do": dict(self.do),
        }
        if self.numeric:
            matrices = {"mean": self.mean, "sd": self.sd, "covariance": self.covariance}
            plain |= {name: numbers.tolist() for name, numbers in matrices.items()}
        else:
            plain["variables"] = {single.name: single.to_dict() for single in self.singles}
        if isinstance(self.joint, Cells):
            plain["joint"] = self.joint.table.tolist()
        return {**plain, **self.quality.to_dict(), **plain_range(self.range)}

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        lines = [sentence(self.names, self.given, self.do)]
        lines += [f"  {single.name:<{width}}  {single.words()}" for single in self.singles]
        if 1 < len(self.names) <= SHOWN and self.numeric:
            lines.append("correlations")
            for i, name in enumerate(self.names):
                cells = " ".join(f"{value:6.2f}" for value in self.correlation[i, : i + 1])
                lines.append(f"  {name:<{width}} {cells}")
        if isinstance(self.joint, Cells):
            lines += self.joint.lines()
        said = self.quality.lines("errors of the means", self.error, "up to ")
        return "\n".join([*lines, *said, *range_lines(self.range)])
