"""Compiled Markov chains over directed acyclic graphs, over orders and over ordered partitions."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.local_scores import NativeScores, Rows, native_of

Array = NDArray[np.float64]
Sets = Sequence[tuple[int, ...]]
Words = NDArray[np.uint64]
Watch = Callable[[int, float], bool]
Permits = Callable[[Words], bool]


class RunStates(NamedTuple):
    """States of a run: (draws, p, words) bits of the parents, their scores, how many steps were accepted.

    `steps` were taken; `ended` says that the callback requested an end.
    """

    parents: Words
    scores: Array
    accepted: int
    steps: int
    ended: bool


class ChainState(NamedTuple):
    """The state of a chain: bits of the parents (p, words), the generator (4,), steps so far."""

    parents: Words
    generator: Words
    taken: int


class PlaceState(NamedTuple):
    """The position of each variable (p,), the last drawn graph (p, words), the generator (4,), steps so
    far.
    """

    places: NDArray[np.int64]
    parents: Words
    generator: Words
    taken: int


class ParentSets:
    """The parent sets of each variable with their log weights, to be summed and drawn from.

    Parameters
    ----------
    sets : for each variable (n, words) bits of its sets.
    logs : for each variable (n,) log weights, none of them -inf.
    """

    def __init__(self, sets: Sequence[Words], logs: Sequence[Array]) -> None:
        orders = [np.argsort(-logs_of_set, kind="stable") for logs_of_set in logs]
        offsets = np.cumsum([0, *map(len, logs)], dtype=np.int64)
        self.native = _native.ParentSets(
            offsets,
            np.concatenate(
                [logs_of_set[order] for logs_of_set, order in zip(sets, orders, strict=True)]
            ),
            np.concatenate(
                [logs_of_set[order] for logs_of_set, order in zip(logs, orders, strict=True)]
            ),
        )


class StructureChain:
    """Arcs added or removed one at a time; all legal changes are proposed with the same probability.

    Parameters
    ----------
    allowed, kept : for each column the parents that it may have, and those that it keeps.
    max_parents : largest number of parents.
    beta : power of the score in the distribution that is sampled.
    flips : share of steps that reverse a random arc.
    redraws : share of steps that turn an arc and draw new parents for both of its ends, from `sets`.
    sets : parent sets whose log weights are `beta` times their scores.
    rows : whether scores come a row at a time, the extensions of a set together; else one at a time.
    """

    def __init__(
        self,
        allowed: Sets,
        required: Sets,
        *,
        max_parents: int,
        beta: float = 1.0,
        flips: float = 0.0,
        redraws: float = 0.0,
        sets: ParentSets | None = None,
        rows: bool = True,
    ) -> None:
        native = None if sets is None else sets.native
        tables = packed_rows(allowed), packed_rows(required)
        self._shape = tables[0].shape
        self._native = _native.StructureChain(
            *tables, max_parents, beta, flips, redraws, rows, native
        )

    def go_to(self, state: ChainState) -> None:
        """Continue from a state; `ChainState(packed_rows(start), four random words, 0)` to begin."""
        self._native.go_to(state.parents, state.generator, state.taken)

    def run(
        self,
        source: NativeScores | Rows,
        steps: int,
        thin: int,
        watch: Watch,
        permits: Permits | None = None,
    ) -> RunStates:
        """Take steps, and record the state after every `thin`-th one since the chain began.

        `source` is as for `Orders`; `watch` is called with (steps, score) regularly, and True ends the run;
        a graph is rejected if `permits`, called with its bits (p x words,), returns False.
        """
        states = self._native.run(native_of(source), steps, thin, watch, permits)
        return _run_states(states, self._shape)

    def proposals(self, source: NativeScores | Rows) -> tuple[list[int], list[int], Array]:
        """Return the tails and heads of all legal changes of one arc, and the logs of their acceptance
        ratios.
        """
        tails, heads, ratios = self._native.proposals(native_of(source))
        return tails.tolist(), heads.tolist(), ratios

    @property
    def state(self) -> ChainState:
        """Where the chain is, as plain values."""
        parents, generator, accepted = self._native.state()
        return ChainState(parents.reshape(self._shape), generator, int(accepted))

    @property
    def total(self) -> float:
        """The score of the present graph, once a step was taken or tried."""
        return float(self._native.total)

    @property
    def legal(self) -> int:
        """How many graphs can be proposed from the present one."""
        return int(self._native.legal)

    @property
    def known(self) -> int:
        """Parent sets whose scores are remembered."""
        return int(self._native.known)


class PlaceChain:
    """Orders of the variables, or ordered partitions, weighted by the sum over their graphs; or graphs.

    Parameters
    ----------
    sets : parent sets of each variable.
    levels : False for orders; True for partitions, in which a variable's place is the number of its element.
    graphs : whether the chain is over graphs; their places are of no account.
    groups : variables that are sometimes moved together.
    """

    def __init__(
        self,
        sets: ParentSets,
        *,
        levels: bool,
        graphs: bool = False,
        groups: Sequence[Sequence[int]] = (),
    ) -> None:
        offsets = np.cumsum([0, *map(len, groups)], dtype=np.int64)
        members = np.array([v for group in groups for v in group], dtype=np.int64)
        self._native = _native.PlaceChain(sets.native, levels, graphs, offsets, members)
        self._shape: tuple[int, ...] = ()

    def go_to(self, state: PlaceState) -> None:
        """Continue from a state."""
        self._shape = state.parents.shape
        self._native.go_to(state.places, state.parents, state.generator, state.taken)

    def run(self, steps: int, thin: int, watch: Watch, permits: Permits | None = None) -> RunStates:
        """Take steps, and record a graph of the present order or partition after every `thin`-th one.

        Otherwise as `StructureChain.run`.
        """
        return _run_states(self._native.run(steps, thin, watch, permits), self._shape)

    def exchange(self, other: "PlaceChain") -> bool:
        """Offer a swap of states to a chain with other powers of the weights; whether it was taken."""
        return bool(self._native.exchange(other._native))

    @property
    def state(self) -> PlaceState:
        """Where the chain is, as plain values."""
        places, parents, generator, accepted = self._native.state()
        return PlaceState(places, parents.reshape(self._shape), generator, int(accepted))

    @property
    def total(self) -> float:
        """Return the log weight of the present order or partition."""
        return float(self._native.total)


def _run_states(result: tuple[Any, ...], shape: tuple[int, ...]) -> RunStates:
    states, scores, *rest = result
    return RunStates(states.reshape(-1, *shape), scores, *rest)


def packed_rows(rows: Sets, size: int | None = None) -> Words:
    """Sets as bits: (sets, words of 64 columns), for `size` columns, by default as many as sets.

    >>> packed_rows([(0, 2), ()]).tolist()
    [[5], [0]]
    """
    size = len(rows) if size is None else size
    bits = np.zeros((len(rows), max(1, (size + 63) // 64)), dtype=np.uint64)
    for number, members in enumerate(rows):
        for member in members:
            bits[number, member // 64] |= np.uint64(1 << (member % 64))
    return bits


def unpacked_rows(bits: Words) -> list[tuple[int, ...]]:
    """Undo `packed_rows`.

    >>> unpacked_rows(packed_rows([(0, 2), (), (1,)]))
    [(0, 2), (), (1,)]
    """
    flat = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")
    return [tuple(np.flatnonzero(row).tolist()) for row in flat]
