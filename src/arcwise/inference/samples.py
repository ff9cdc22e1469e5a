"""Joint beliefs from simulated states: draws, covariances, mutual information, events.

States of chains are kept; each variable alone is a Rao-Blackwell average, which is better than its
draws, and the draws say how variables go together. Standard errors of probabilities account for the
dependence of states within a chain (see ``diagnose``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.errors import DataError, close_to
from arcwise.inference.belief import Array, Draws, Event, Probability, Seed, box, sentence
from arcwise.inference.chances import LevelsBelief
from arcwise.inference.diagnose import diagnose
from arcwise.inference.information import mutual_information, scores
from arcwise.inference.levels import level_numbers
from arcwise.inference.mixture import MixtureBelief
from arcwise.inference.normal import SHOWN, generator
from arcwise.inference.quality import Quality
from arcwise.inference.ranges import Range, plain_range, range_lines
from arcwise.networks import whole

__all__ = ["SampleBeliefs"]

NEIGHBOUR_DRAWS = 4000
"""States that mutual information is computed from, evenly taken from all."""


@dataclass(frozen=True, eq=False)
class SampleBeliefs:
    """A joint belief about several variables, from simulated states.

    Parameters
    ----------
    variables : in the order asked for.
    singles : the belief about each variable alone.
    states : variables by sweeps by chains; codes where a variable is discrete.
    given, do : the question, for the text.
    range : the answers of equivalent graphs, where data cannot tell what setting a variable does.
    """

    variables: tuple[Variable, ...]
    singles: tuple[MixtureBelief | LevelsBelief, ...]
    states: Array
    given: Mapping[str, Any] = field(default_factory=dict)
    do: Mapping[str, Any] = field(default_factory=dict)
    range: Range | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.states.flags.writeable = False

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order asked for."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def mean(self) -> Array:
        """Expected values; NaN for levels that are no numbers."""
        return np.array([float(single.law.mean[0]) for single in self.singles])

    @cached_property
    def sd(self) -> Array:
        """Standard deviations; NaN for levels that are no numbers."""
        return np.array([float(single.law.sd[0]) for single in self.singles])

    @property
    def variance(self) -> Array:
        """Squares of the standard deviations."""
        return self.sd**2

    @cached_property
    def correlation(self) -> Array:
        """Correlation matrix of the states; 0 beside the diagonal for a variable that never varies."""
        flat = np.stack([self._numbers(i).ravel() for i in range(len(self.variables))])
        off = flat - flat.mean(axis=1, keepdims=True)
        size = np.linalg.norm(off, axis=1)
        scaled = off / np.where(size > 0, size, 1.0)[:, None]
        correlation: Array = np.clip(scaled @ scaled.T, -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        return correlation

    @cached_property
    def covariance(self) -> Array:
        """Covariance matrix: correlations of the states, spreads of the single beliefs."""
        return self.correlation * np.outer(self.sd, self.sd)

    @property
    def error(self) -> float:
        """Largest standard error of a mean."""
        return max(single.error for single in self.singles)

    @property
    def quality(self) -> Quality:
        """How the whole came about: the worst of its parts."""
        return Quality(self.error, self.rhat, self.ess, self._way)

    @property
    def _way(self) -> str:
        ways = [single.quality.way for single in self.singles if not single.quality.exact]
        return ways[0] if ways else ""

    @property
    def rhat(self) -> float:
        """Largest R-hat."""
        return max(single.rhat for single in self.singles)

    @property
    def ess(self) -> float:
        """Smallest effective sample size."""
        return min(single.ess for single in self.singles)

    def place(self, name: str) -> int:
        """Place of a name here; an unknown one is an error with close matches."""
        if name not in self.names:
            raise DataError(f"{name!r} is not among what was asked. {close_to(name, self.names)}")
        return self.names.index(name)

    def __getitem__(self, name: str) -> MixtureBelief | LevelsBelief:
        single = self.singles[self.place(name)]
        return single if self.range is None else replace(single, range=self.range[name])

    def _numbers(self, place: int) -> Array:
        """States of a variable as numbers (sweeps by chains); NaN for text."""
        variable, states = self.variables[place], self.states[place]
        found: Array = states
        if variable.discrete:
            found = level_numbers(variable)[states.astype(np.intp)]
        return found

    def _values(self, place: int, states: Array) -> NDArray[Any]:
        """States as users know them."""
        variable = self.variables[place]
        if not variable.discrete:
            return states
        numeric = variable.numeric
        known = level_numbers(variable) if numeric else np.array(variable.levels, dtype=object)
        found: NDArray[Any] = known[states.astype(np.intp)]
        return found

    def mutual_information(self, a: str | Sequence[str], b: str | Sequence[str]) -> float:
        """Nats that knowing a tells of b, beyond the evidence.

        Estimated from the states by nearest neighbours (see ``information``): any shape of
        dependence counts, numbers and levels may be mixed. Estimates near zero are noise.

        Parameters
        ----------
        a, b : a name or several names each.
        """
        sides = [[names] if isinstance(names, str) else list(names) for names in (a, b)]
        first, second = (
            np.concatenate([self._scored(self.place(name)) for name in names], axis=1)
            for names in sides
        )
        return mutual_information(first, second)

    def _scored(self, place: int) -> Array:
        flat = self.states[place].ravel()
        every = np.linspace(0, flat.size - 1, min(flat.size, NEIGHBOUR_DRAWS)).astype(np.intp)
        return scores(flat[every, None], self.variables[place].discrete)

    def probability(self, event: Event, *, draws: int = 0, seed: Seed = 0) -> Probability:
        """Probability of an event.

        Parameters
        ----------
        event : (low, high) by name, all of which must hold, or a function of a dict of draws.
        draws, seed : not needed here: the states themselves are counted.

        Returns
        -------
        A number that also has an ``error``, which accounts for the dependence of states.
        """
        if callable(event):
            return self._share(self._asked(event))
        if not isinstance(event, Mapping):
            raise DataError(
                f"An event on several variables must give bounds by name, as in "
                f"{{{self.names[0]!r}: (0, None)}}, but {event!r} came."
            )
        if len(event) == 1:
            name = next(iter(event))
            return self[name].probability(event[name])
        holds = np.ones(self.states.shape[1:], dtype=bool)
        for name, (low, high) in box(event, self.names).items():
            values = self._numbers(self.place(name))
            holds &= (values >= low) & (values <= high)
        return self._share(holds)

    def _asked(self, event: Any) -> NDArray[np.bool_]:
        """Whether an event given as a function holds, state by state."""
        flat = {n: self._values(i, self.states[i].ravel()) for i, n in enumerate(self.names)}
        holds, size = np.asarray(event(flat)), self.states[0].size
        if holds.shape != (size,) or holds.dtype != bool:
            raise DataError(
                f"An event given as a function must return one truth value per draw ({size}), "
                f"but it returned {holds.dtype} of shape {holds.shape}."
            )
        return holds.reshape(self.states.shape[1:])

    def _share(self, holds: NDArray[np.bool_]) -> Probability:
        found = diagnose(holds.astype(float)[:, None, :])
        share, size = float(holds.mean()), float(found.ess[0])
        # With no hit, or no miss, the plain formula would claim certainty: add one of each.
        safe = (share * size + 1) / (size + 2)
        return Probability(share, float(np.sqrt(safe * (1 - safe) / size)))

    def draws(self, n: int, seed: Seed = 0) -> Draws:
        """States by name, chosen at random: each at most once as long as there are enough."""
        size, total = whole("number of draws", n), self.states[0].size
        rng = generator(seed)
        chosen = rng.permutation(total)[:size] if size <= total else rng.integers(0, total, size)
        return {
            name: self._values(i, self.states[i].ravel()[chosen])
            for i, name in enumerate(self.names)
        }

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
            "rhat": self.rhat if np.isfinite(self.rhat) else None,
            "ess": self.ess if np.isfinite(self.ess) else None,
            "notes": self._notes(),
            **plain_range(self.range),
        }

    def _notes(self) -> list[str]:
        said = [note for single in self.singles for note in single.quality.notes]
        return list(dict.fromkeys([*said, *self.quality.warnings()]))

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        lines = [sentence(self.names, self.given, self.do)]
        for name, single in zip(self.names, self.singles, strict=True):
            lines.append(f"  {name:<{width}}  {_numbers_of(single)}")
        if 1 < len(self.names) <= SHOWN:
            lines.append("correlations")
            for i, name in enumerate(self.names):
                cells = " ".join(f"{value:6.2f}" for value in self.correlation[i, : i + 1])
                lines.append(f"  {name:<{width}} {cells}")
        if not self.quality.exact:
            hat = f", R-hat up to {self.rhat:.3f}" if np.isfinite(self.rhat) else ""
            size = f"worth at least {self.ess:.0f} draws"
            lines.append(f"  {self._way}: errors of the means up to {self.error:.2g}{hat}, {size}")
        lines += [f"  note: {note}" for note in self._notes()]
        return "\n".join([*lines, *range_lines(self.range)])


def _numbers_of(single: MixtureBelief | LevelsBelief) -> str:
    """What the text says of one variable."""
    if isinstance(single, LevelsBelief) and not single.variable.numeric:
        return f"most likely {single.mode} ({float(single.probability([single.mode])):.4g})"
    low, high = single.interval()
    middle = f"mean {single.mean:.4g}, sd {single.sd:.4g}"
    return f"{middle}; 95 % between {low:.4g} and {high:.4g}"
