"""Structure MCMC, which adds or removes one arc at a time (Madigan and York 1995), and its tempered form.

One of the eta(G) legal graphs that have one arc more or less than G is proposed, each with the same
probability; G' is accepted with probability

    min(1, eta(G) exp(score(G')) / (eta(G') exp(score(G)))),

and a rejected step counts G again. A condition on whole graphs is imposed by rejection: eta counts what the
other rules allow. Some steps may instead

* reverse a random arc (`flips`), accepted by the scores alone, or
* reverse it and draw the parents of both its ends again, from all sets that leave the graph acyclic
  (`redraws`; the new edge reversal of Grzegorczyk and Husmeier 2008), which leads out of local optima.

`beta` is a power of the score: below 1 the chain moves more freely and samples a flatter distribution.

Parallel tempering: chains over graphs at several temperatures that swap their graphs (Geyer 1991).

The chain of power beta samples exp(beta score). Every `period` steps two neighbours, i and j, swap their
graphs with probability min(1, exp((beta_i - beta_j)(score_j - score_i))), which preserves all
distributions. Flat chains cross the valleys between good graphs and pass these on to the cold one, whose
graphs are recorded.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.chain import ChainState, StructureChain
from arcwise._kernels.local_scores import NativeScores
from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits
from arcwise.mcmc.parents import ParentLists, parent_lists
from arcwise.mcmc.sampler import (
    UNIFORM,
    KernelWatch,
    RunStates,
    State,
    bound_limits,
    generator,
    join_pieces,
    pack_rows,
    permits,
    random_start,
)
from arcwise.results import SearchEnd
from arcwise.scores import Score, total
from arcwise.scores.score import toggle

__all__ = ["StructureSampler", "TemperedSampler"]

_NONE = np.zeros(0, dtype=np.int64)
_TRIES = 100


@dataclass(eq=False)
class StructureSampler:
    """A chain over graphs, in which every graph counts once.

    Parameters
    ----------
    score : local scores, priors over graphs included.
    limits : rules bound to the score's columns.
    flips : share of steps that reverse an arc.
    redraws : share of steps that reverse an arc and draw new parents for its ends.
    beta : power of the score.
    lists : parent sets to draw from in such steps; computed if needed.
    """

    score: Score
    limits: Limits | None = None
    flips: float = 0.0
    redraws: float = 0.0
    beta: float = 1.0
    lists: ParentLists | None = None
    target: ClassVar[str] = UNIFORM
    _chain: StructureChain | None = field(default=None, init=False, repr=False)
    _source: NativeScores | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.bounds = bound_limits(self.score.nodes, self.limits)
        if not (self.flips >= 0 and self.redraws >= 0 and self.flips + self.redraws < 1):
            raise FitError(
                "flips and redraws must be shares of the steps with a sum below 1, got "
                f"{self.flips} and {self.redraws}."
            )
        if not 0 < self.beta < np.inf:
            raise FitError(f"beta, the power of the score, must be positive, got {self.beta}.")
        if self.redraws > 0 and self.lists is None:
            self.lists = parent_lists(self.score, self.bounds)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_chain": None, "_source": None}

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.score.nodes

    @property
    def settings(self) -> dict[str, Any]:
        """Return the options."""
        return {"flips": self.flips, "redraws": self.redraws, "beta": self.beta}

    def init(self, rng: np.random.Generator, start: DAG | None = None) -> State:
        """Return the initial state, at a random graph by default."""
        graph = self._random(rng) if start is None else start
        if not self.bounds.allows_graph(graph):
            raise FitError("The start graph of a chain must obey the rules.")
        if total(self.score, graph) == -np.inf:
            raise FitError("The start graph of a chain must have a finite score: give another one.")
        return State(pack_rows(graph), generator(rng), 0, _NONE)

    def _random(self, rng: np.random.Generator) -> DAG:
        """Return a random graph, if possible of finite score; else one without parents that have none."""
        graph = random_start(self.bounds, rng)
        for _ in range(_TRIES):
            if total(self.score, graph) > -np.inf:
                return graph
            graph = random_start(self.bounds, rng)
        rows = [
            self.bounds.required[child] if np.isneginf(self.score.local(child, row)) else row
            for child, row in enumerate(graph.parents)
        ]
        thin = DAG.make_unchecked(graph.nodes, tuple(rows))
        return thin if self.bounds.allows_graph(thin) else graph

    def advance(
        self, state: State, steps: int, *, thin: int = 1, watch: KernelWatch | None = None
    ) -> tuple[State, RunStates]:
        """Advance a state, see `Sampler`."""
        chain, watched = self._ready(), _WatchedScore(self.score, watch)
        chain.go_to(ChainState(state.parents, state.generator, state.taken))
        visited = chain.run(
            self._source or watched.rows, steps, thin, watched, permits(self.bounds)
        )
        parents, words, step = chain.state
        return State(parents, words, step, _NONE), visited

    def transitions(self, graph: DAG) -> dict[DAG, float]:
        """Return the probabilities of the next graph, for a chain that adds and removes single arcs only.

        The entry of the graph itself is the probability of no change.
        """
        if self.flips or self.redraws:
            raise FitError("Transitions need a chain without flips and redraws.")
        chain, permit = self._ready(), permits(self.bounds)
        chain.go_to(ChainState(pack_rows(graph), np.arange(1, 5, dtype=np.uint64), 0))
        tails, heads, ratios = chain.proposals(self._source or _WatchedScore(self.score, None).rows)
        chances = {}
        for tail, head, ratio in zip(tails, heads, ratios.tolist(), strict=True):
            rows = list(graph.parents)
            rows[head] = toggle(rows[head], tail)
            other = DAG.make_unchecked(graph.nodes, tuple(rows))
            if permit is None or permit(pack_rows(other)):
                chances[other] = min(1.0, float(np.exp(min(ratio, 0.0)))) / len(tails)
        chances[graph] = 1.0 - sum(chances.values())
        return chances

    def log_score(self) -> float:
        """Return the score of the graph after the last `advance`."""
        return -np.inf if self._chain is None else self._chain.total

    def _ready(self) -> StructureChain:
        """Return the compiled chain, with its cache."""
        if self._chain is None:
            self._chain, self._source = self._kernel(), self.score.compiled()
        return self._chain

    def _kernel(self) -> StructureChain:
        p, limits = len(self.nodes), self.bounds
        return StructureChain(
            [tuple(np.flatnonzero(limits.allowed_mask(v)).tolist()) for v in range(p)],
            limits.required,
            max_parents=p if limits.max_parents is None else limits.max_parents,
            beta=self.beta,
            flips=self.flips,
            redraws=self.redraws,
            sets=self.lists.kernel(self.beta) if self.lists and self.redraws else None,
            rows=self.score.lattice,
        )


class _WatchedScore:
    """Scores for a compiled chain; the callback is also called between local fits."""

    def __init__(self, score: Score, watch: KernelWatch | None) -> None:
        self.watch, self.steps, self.value = watch, 0, float("nan")
        self.score = score if watch is None else score.interruptible(self._check)

    def __call__(self, steps: int, score: float) -> bool:
        self.steps, self.value = steps, score
        return self.watch is not None and bool(self.watch(steps, score))

    def _check(self) -> None:
        if self(self.steps, self.value):
            raise SearchEnd

    def rows(
        self, child: int, base: tuple[int, ...], among: list[int]
    ) -> NDArray[np.float64] | None:
        """Return scores of a base and of its toggles; None to end the run."""
        try:
            if not among:
                return self.score.many(child, (base,))
            mask = np.zeros((1, len(self.score.nodes)), dtype=bool)
            mask[0, among] = True
            base_score, rows = self.score.sweep((child,), (base,), mask)
        except SearchEnd:
            return None
        return np.append(base_score, rows[0, among])


_LADDER = 0.6  # ratio of neighbouring powers


@dataclass(eq=False)
class TemperedSampler:
    """Structure chains at several temperatures, the coldest of which is recorded.

    Parameters
    ----------
    score : local scores, priors over graphs included.
    limits : rules bound to the score's columns.
    temperatures : number of chains; their powers decrease from 1 by a factor of 0.6 each.
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
                "Tempering needs two temperatures and a positive period, got "
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
        """The names of the variables."""
        return self.score.nodes

    @property
    def settings(self) -> dict[str, Any]:
        """Return the options."""
        names = ("temperatures", "period", "flips", "redraws")
        return {name: getattr(self, name) for name in names}

    def init(self, rng: np.random.Generator, start: DAG | None = None) -> State:
        """Return all chains at the start graph, or each at a random one."""
        states = [chain.init(rng, start) for chain in self.chains]
        words = [state.generator for state in states]
        return State(
            np.stack([state.parents for state in states]),
            np.stack([*words, generator(rng)]),
            0,
            np.zeros(0, dtype=np.int64),
        )

    def advance(
        self, state: State, steps: int, *, thin: int = 1, watch: KernelWatch | None = None
    ) -> tuple[State, RunStates]:
        """Advance every chain, see `Sampler`; the run can end between swaps only."""
        pieces: list[RunStates] = []
        parents, words, step = state.parents.copy(), state.generator.copy(), state.taken
        end, ended = step + steps, False
        while step < end and not ended:
            piece = min(end, step - step % self.period + self.period) - step
            scores = []
            for k, chain in enumerate(self.chains):
                here = State(parents[k], words[k], step, state.places)
                there, visited = chain.advance(here, piece, thin=thin if k == 0 else 1 << 62)
                parents[k], words[k] = there.parents, there.generator
                scores.append(chain.log_score())
                if k == 0:
                    pieces.append(visited)
            step += piece
            if step % self.period == 0:
                self._swap(parents, words[-1], scores, step // self.period)
            ended = watch is not None and bool(watch(step - state.taken, scores[0]))
        return State(parents, words, step, state.places), join_pieces(
            pieces, state.parents.shape[1:], ended
        )

    def _swap(
        self, parents: NDArray[np.uint64], words: NDArray[np.uint64], scores: list[float], turn: int
    ) -> None:
        """Propose a swap to every second pair of neighbours, alternating."""
        for k in range(turn % 2, len(self.chains) - 1, 2):
            gap = self.chains[k].beta - self.chains[k + 1].beta
            if np.log(_uniform(words)) < gap * (scores[k + 1] - scores[k]):
                parents[[k, k + 1]] = parents[[k + 1, k]]


def _uniform(words: NDArray[np.uint64]) -> float:
    """Return a number in (0, 1]: the first word is a counter, which is mixed (Steele, Lea and Flood 2014)."""
    mask = (1 << 64) - 1
    x = (int(words[0]) + 0x9E3779B97F4A7C15) & mask
    words[0] = x
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return float((((x ^ (x >> 31)) >> 11) + 1) * 2.0**-53)
