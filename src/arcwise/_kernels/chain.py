"""A compiled Markov chain over directed acyclic graphs."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.orders import Compiled, Rows, called

__all__ = ["ChainState", "StructureChain", "Visited", "packed_rows", "unpacked_rows"]

Sets = Sequence[tuple[int, ...]]
Words = NDArray[np.uint64]


class Visited(NamedTuple):
    """States of a run: (draws, p, words) bits of the parents, their scores, how many steps were accepted.

    `steps` were taken; `ended` says that the watcher asked for an end.
    """

    parents: Words
    scores: NDArray[np.float64]
    accepted: int
    steps: int
    ended: bool


class ChainState(NamedTuple):
    """All that the next step needs: bits of the parents (p, words), the generator (4,), steps taken."""

    parents: Words
    generator: Words
    taken: int


class StructureChain:
    """Arcs put in or taken out one at a time, each legal change being proposed with the same probability.

    Parameters
    ----------
    state : where to go on from; `ChainState(packed_rows(start), four random words, 0)` to begin.
    allowed, kept : for each column the parents that it may have, and those that it keeps.
    max_parents : largest number of parents.
    beta : power of the score in the distribution that is sampled.
    """

    def __init__(
        self, state: ChainState, allowed: Sets, kept: Sets, *, max_parents: int, beta: float = 1.0
    ) -> None:
        self._native = _native.StructureChain(
            packed_rows(allowed),
            packed_rows(kept),
            state.parents,
            max_parents,
            beta,
            state.generator,
        )
        self._native.set_taken(state.taken)
        self._shape = state.parents.shape

    def run(
        self, source: Compiled | Rows, steps: int, thin: int, watch: Callable[[int, float], bool]
    ) -> Visited:
        """Take steps, and record the state after every `thin`-th one since the chain began.

        `source` is as for `Orders`; `watch` is told (steps, score) now and then, and True ends the run.
        """
        native = source.native if isinstance(source, Compiled) else called(source)
        states, scores, *rest = self._native.run(native, steps, thin, watch)
        return Visited(states.reshape(-1, *self._shape), scores, *rest)

    @property
    def state(self) -> ChainState:
        """Where the chain is, as plain values."""
        parents, generator, taken = self._native.state()
        return ChainState(parents.reshape(self._shape), generator, int(taken))

    @property
    def legal(self) -> int:
        """How many graphs can be proposed from the present one."""
        return int(self._native.legal)

    @property
    def known(self) -> int:
        """Parent sets whose scores are remembered."""
        return int(self._native.known)


def packed_rows(rows: Sets) -> Words:
    """Sets as bits: (sets, words of 64 columns).

    >>> packed_rows([(0, 2), ()]).tolist()
    [[5], [0]]
    """
    bits = np.zeros((len(rows), max(1, (len(rows) + 63) // 64)), dtype=np.uint64)
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
