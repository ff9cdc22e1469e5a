"""Parallel chains in rounds, continued if they disagree.

Each chain advances by some draws, then all of them are saved. The state of a chain includes its random
generator, so that results depend neither on rounds nor on processes.
"""

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FileError, NoTimeError
from arcwise.learners.parallel import pieces, watch_inside
from arcwise.learners.posteriors.plan import Arrays, Task
from arcwise.learners.posteriors.replicates import child_of
from arcwise.mcmc import Chain, Info, OrderSampler, Sampler, State, run
from arcwise.results import Step, Trail, Watch

LONGER = 4
"""Number of times that chains that disagree are continued, each time with twice as many steps."""

LATE = "Time ran out before the first draw of a chain: allow more."
"""Message if time was up before."""

_DRAWS = 1000  # of each chain
_ROUNDS = 20  # in which these are drawn
_FEW = 50  # draws of the first rounds at most, so that every chain has some when time is up


@dataclass(frozen=True, eq=False)
class Length:
    """The length of chains: steps before the first draw and between two, doubled this many times.

    Chains that disagree are run again at several powers of the score, and then continue with twice as many
    steps between two draws; earlier draws become burn-in. `word` is the name of the sampler.
    """

    sampler: Sampler
    word: str
    thin: int
    burn_in: int
    level: int = 0

    @property
    def every(self) -> int:
        """Return the steps between two draws."""
        return self.thin << self.level

    def doubled(self, chains: Sequence[Chain], watch: Watch | None) -> tuple["Length", list[Chain]]:
        """Return twice the length, and the chains to continue from; none if they start again.

        Raises
        ------
        Interrupted : the callback stopped it.
        """
        sampler = self.sampler if self.level else freer(self.sampler, watch)
        begun = [
            replace(chain, parents=chain.parents[:0], log_scores=chain.log_scores[:0])
            for chain in (chains if sampler is self.sampler else ())
        ]
        return replace(self, sampler=sampler, level=self.level + 1), begun

    @property
    def words(self) -> tuple[str, ...]:
        """Return a sentence on changes of the usual length."""
        if not self.level:
            return ()
        ladder = getattr(self.sampler, "ladder", ())
        also = f", with {len(ladder)} more at lower powers of the score" if ladder else ""
        spent = ", the largest number tried" if self.level == LONGER else ""
        return (
            f"The chains disagreed at first and were run with {1 << self.level} times as many steps between "
            f"two draws{also}{spent}.",
        )


def freer(sampler: Sampler, watch: Watch | None) -> Sampler:
    """Return the sampler with further chains at lower powers of the score, if it supports them.

    Raises
    ------
    Interrupted : the callback stopped it.
    """
    if not isinstance(sampler, OrderSampler) or sampler.bounds.condition is not None:
        return sampler
    freed = copy(sampler)  # with its lists
    freed.check = Trail(watch).check
    freed.ladder = freed.choose_ladder()
    return freed


def fill_chains(
    length: Length,
    begun: Sequence[Chain],
    task: Task,
) -> tuple[list[Chain], bool]:
    """Return chains with all their draws, and whether the callback stopped them before."""
    plan, rng, watch, keep = task.plan, task.rng, task.watch, task.keep
    draws = _DRAWS if plan.draws is None else plan.draws
    away = watch_inside(plan.n_jobs if plan.backend == "joblib" else 0, watch)
    chains, first = list(begun), plan.chains if length.level else 0
    while not chains or min(map(len, chains)) < draws:
        ways = (length.sampler, tuple(chains), rng, draws, length.burn_in, length.every, away)
        numbers = range(plan.chains)
        chains = list(pieces(_Round(*ways, first), numbers, plan.n_jobs, plan.backend))
        if keep is not None:
            keep(partial(pack_chains, chains, length))
        least = min(len(chain) for chain in chains)
        score = float(chains[0].log_scores[-1]) if least else float("nan")
        step = Step(least, f"{least} of {draws} draws", -1, -1, score, 0, 0.0)
        if watch is not None and watch(step):
            return chains, True
    return chains, False


@dataclass(frozen=True, eq=False)
class _Round:
    """Further draws of one chain, by its number: an object that can be sent to other processes."""

    sampler: Sampler
    chains: tuple[Chain, ...]
    rng: np.random.Generator
    draws: int
    burn_in: int
    thin: int
    watch: Watch | None
    first: int = 0

    def __call__(self, number: int) -> Chain:
        begun = number < len(self.chains)
        if not begun and number == 0 and Trail(self.watch).tick("start", math.nan, 0):
            raise NoTimeError(LATE)
        rng = child_of(self.rng, self.first + number)
        before = self.chains[number] if begun else run(self.sampler, None, rng, 0)
        left = self.burn_in - before.state.taken
        if left > 0:  # in one piece: it takes no more than a fifth of a run
            warm = run(self.sampler, before.state, None, 0, burn_in=left, on_step=self.watch)
            before = before.join(warm)
            if warm.stopped:
                return before
        some = min(max(1, self.draws // _ROUNDS), max(_FEW, len(before) // 4))
        more = min(some, self.draws - len(before))
        if more <= 0:
            return before
        return before.join(
            run(self.sampler, before.state, None, more, thin=self.thin, on_step=self.watch)
        )


def pack_chains(chains: Sequence[Chain], length: Length) -> dict[str, NDArray[Any]]:
    """Return chains as arrays of numbers, with the name of their sampler and the number of doublings."""
    arrays: dict[str, NDArray[Any]] = {}
    for number, chain in enumerate(chains):
        state = {f"state_{name}": array for name, array in chain.state.to_arrays().items()}
        entries = {"parents": chain.parents, "log_scores": chain.log_scores, **state}
        # Summed, so that a run in pieces has the same arrays as a single run.
        entries["infos"] = np.array(chain.infos, dtype=np.int64).reshape(-1, 2).sum(axis=0)[None]
        entries |= {"level": np.array(length.level), "sampler": np.array([*length.word.encode()])}
        arrays |= {f"chain_{number}_{name}": array for name, array in entries.items()}
    return arrays


def sampler_of(arrays: Arrays | None) -> str | None:
    """Return the name of the sampler of packed chains; None if it is missing."""
    letters = (arrays or {}).get("chain_0_sampler")
    return None if letters is None else bytes(letters.tolist()).decode()


def unpack_chains(arrays: Arrays, sampler: Sampler) -> list[Chain]:
    """Return chains from arrays; a FileError if they are not of this sampler."""
    try:
        count = 1 + max(int(name.split("_")[1]) for name in arrays)
        chains = [_chain(arrays, f"chain_{number}_", sampler) for number in range(count)]
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError):
        raise FileError(_DAMAGED) from None
    p, words = len(sampler.nodes), (len(sampler.nodes) + 63) // 64
    for chain in chains:
        state, draws = chain.state, len(chain.log_scores)
        whole = chain.parents.shape == (draws, p, words) and state.parents.shape[-2:] == (p, words)
        if not whole or state.generator.shape[-1:] != (4,) or state.taken < 0:
            raise FileError(_DAMAGED)
    return chains


_DAMAGED = "The chains to continue are damaged: start again without them."


def _chain(arrays: Arrays, start: str, sampler: Sampler) -> Chain:
    entries = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
    state = {n.removeprefix("state_"): a for n, a in entries.items() if n.startswith("state_")}
    infos = tuple(Info(int(steps), int(moved)) for steps, moved in entries["infos"])
    parents = np.asarray(entries["parents"], dtype=np.uint64)
    scores = np.asarray(entries["log_scores"], dtype=float)
    ended = State.from_arrays(state)
    return Chain(sampler.nodes, sampler.target, parents, scores, infos, ended)
