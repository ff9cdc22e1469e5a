"""Parallel tempering: chains over graphs at several temperatures that swap their graphs (Geyer 1991).

The chain of power beta samples exp(beta score). Every `period` steps two neighbours, i and j, swap their
graphs with probability min(1, exp((beta_i - beta_j)(score_j - score_i))), which leaves all distributions as
they are. Flat chains cross the valleys between good graphs and hand these on to the cold one, whose graphs
are recorded.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits
from arcwise.mcmc.base import UNIFORM, KernelWatch, State, Visited, generator, joined
from arcwise.mcmc.structure import StructureSampler
from arcwise.scores import Score

__all__ = ["TemperedSampler"]

_LADDER = 0.6  # ratio of neighbouring powers


@dataclass(eq=False)
class TemperedSampler:
    """Structure chains at several temperatures, the coldest of which is recorded.

    Parameters
    ----------
    score : local scores, priors over graphs included.
    limits : rules bound to the score's columns.
    temperatures : how many chains; their powers fall from 1 by a factor of 0.6 each.
    period : steps between two swaps.
    flips, redraws : as in `StructureSampler`.
    """

    score: Score
    limits: Limits | None = None
    temperatures: int = 10
    period: int = 200
    flips: float = 0.0
    redraws: float = 0.0
    target: ClassVar[str] = UNIFORM
    chains: tuple[StructureSampler, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.temperatures < 2 or self.period < 1:
            raise FitError(
                "Tempering needs two temperatures and a period of one step or more, got "
                f"{self.temperatures} and {self.period}."
            )
        first = StructureSampler(self.score, self.limits, self.flips, self.redraws)
        self.chains = (
            first,
            *(
                StructureSampler(
                    self.score, self.limits, self.flips, self.redraws, _LADDER**k, first.lists
                )
                for k in range(1, self.temperatures)
            ),
        )

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.score.nodes

    @property
    def settings(self) -> dict[str, Any]:
        """What it was told."""
        names = ("temperatures", "period", "flips", "redraws")
        return {name: getattr(self, name) for name in names}

    def init(self, rng: np.random.Generator, start: DAG | None = None) -> State:
        """All chains at the start graph, or each at a random one."""
        states = [chain.init(rng, start) for chain in self.chains]
        words = [each.generator for each in states]
        return State(
            np.stack([each.parents for each in states]),
            np.stack([*words, generator(rng)]),
            0,
            np.zeros(0, dtype=np.int64),
        )

    def advance(
        self, state: State, steps: int, *, thin: int = 1, watch: KernelWatch | None = None
    ) -> tuple[State, Visited]:
        """Take steps of every chain, see `Sampler`; an end is possible between swaps only."""
        found: list[Visited] = []
        parents, words, taken = state.parents.copy(), state.generator.copy(), state.taken
        end, ended = taken + steps, False
        while taken < end and not ended:
            piece = min(end, taken - taken % self.period + self.period) - taken
            scores = []
            for k, chain in enumerate(self.chains):
                here = State(parents[k], words[k], taken, state.places)
                there, visited = chain.advance(here, piece, thin=thin if k == 0 else 1 << 62)
                parents[k], words[k] = there.parents, there.generator
                scores.append(chain.log_score())
                if k == 0:
                    found.append(visited)
            taken += piece
            if taken % self.period == 0:
                self._swap(parents, words[-1], scores, taken // self.period)
            ended = watch is not None and bool(watch(taken - state.taken, scores[0]))
        return State(parents, words, taken, state.places), joined(
            found, state.parents.shape[1:], ended
        )

    def _swap(
        self, parents: NDArray[np.uint64], words: NDArray[np.uint64], scores: list[float], turn: int
    ) -> None:
        """Offer a swap to every second pair of neighbours, in turns."""
        for k in range(turn % 2, len(self.chains) - 1, 2):
            gap = self.chains[k].beta - self.chains[k + 1].beta
            if np.log(_uniform(words)) < gap * (scores[k + 1] - scores[k]):
                parents[[k, k + 1]] = parents[[k + 1, k]]


def _uniform(words: NDArray[np.uint64]) -> float:
    """A number in (0, 1]: the first word counts on, and is mixed (Steele, Lea and Flood 2014)."""
    mask = (1 << 64) - 1
    x = (int(words[0]) + 0x9E3779B97F4A7C15) & mask
    words[0] = x
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return float((((x ^ (x >> 31)) >> 11) + 1) * 2.0**-53)
