"""Order MCMC: a chain over orders of the variables (Friedman and Koller 2003).

The weight of an order is the sum over all graphs that agree with it, which is a product over the variables:

    prod_v sum_{S before v} exp(score(v, S)).

A step moves a variable to a position drawn in proportion to the weights, or swaps two variables.
For each draw a graph is drawn from the order. Since a graph agrees with many orders, graphs are sampled
from the ORDER-MODULAR distribution, exp(score) times the number of orders that agree with the graph, which
favours graphs with few arcs. `PartitionSampler` counts each graph once.

Single moves rarely lead from one mode to another that differs in many arcs. Two things help. First, several
variables are permuted in one step, in proportion to the weights of all their permutations: a variable with
some of those that it depends on most, or a group of variables whose parents differ between the best graphs of
short chains from random starts. Second, with a `ladder`, chains at lower powers of the score run in parallel
and swap states with the first (parallel tempering; Geyer 1991).

A condition on whole graphs is imposed by rejection: a graph is drawn after every step, and the step is
undone if the graph violates it.

Partition MCMC is a chain over ordered partitions of the variables (Kuipers and Moffa 2017).

A graph has one partition: its roots are the first element, the roots of the remaining graph the
second, and so on. A variable of a later element has a parent in the preceding element, and its other
parents in any earlier one. The weight of a partition is the sum over its graphs, which is a product over the
variables, and since every graph is in one partition, graphs drawn from the visited partitions count once
each.

A step moves a variable into another element, or alone between two, in proportion to the weights of all
such positions; splits an element or merges two; swaps two variables; reverses an arc of a graph
(Grzegorczyk and Husmeier 2008); or moves a variable in an order that agrees with a graph.

Groups of variables, chosen in the same way, also get new parents jointly while all others keep theirs
(Goudie and Mukherjee 2016). The chains of a ladder are over graphs and move in the last three ways.
Conditions on whole graphs are imposed by rejection.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.chain import ParentSets, PlaceChain, PlaceState, unpacked_rows
from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits
from arcwise.mcmc.parents import ParentLists, grow_candidates, parent_lists
from arcwise.mcmc.sampler import (
    ORDERS,
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
from arcwise.scores import Score

__all__ = ["OrderSampler", "PartitionSampler"]

Words = NDArray[np.uint64]

_ROUNDS = 6  # in which lists of candidates may grow
_SETTLING, _DRAWS = 10, 50  # steps for each variable before, and graphs, in each
_APART = 1.2  # standard deviations of the score between the powers of neighbours of a ladder,
_FLAT, _RUNGS = 0.3, 8  # the power that is low enough, and how many chains may be beside the first
_STARTS, _MOVED, _KEPT = 12, 9, 40  # short chains whose ends differ; largest and most groups
_NEVER = 1 << 62  # a thinning that records nothing
_EVERY = 0.1  # seconds between two looks at the clock
_WORDS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 1], dtype=np.uint64)


@dataclass(eq=False)
class OrderSampler:
    """A chain over orders; each draw is a graph drawn from the current order.

    Parameters
    ----------
    score : local scores, priors over graphs included.
    limits : rules bound to the score's columns.
    candidates : for each variable the candidate parents if not all sets can be listed; by default chosen by
        the score, and extended until a chain hardly uses any others.
    ladder : powers of the score of further chains, each of which swaps states with the next; none by
        default, `choose_ladder` chooses some.
    groups : variables to move together; by default those whose parents differ between short chains.
    check : called regularly while candidates and groups are chosen. If it raises `SearchEnd` during the
        choice of groups, there are none, and the sampler is `hurried`.
    """

    score: Score
    limits: Limits | None = None
    candidates: tuple[tuple[int, ...], ...] | None = None
    ladder: tuple[float, ...] = ()
    groups: tuple[tuple[int, ...], ...] | None = None
    check: Callable[[], None] | None = field(default=None, repr=False)
    target: ClassVar[str] = ORDERS
    levels: ClassVar[bool] = False  # whether places are elements of a partition
    _chains: tuple[PlaceChain, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        self.bounds = bound_limits(self.score.nodes, self.limits)
        self.lists = parent_lists(self.score, self.bounds, self.candidates)
        if self.candidates is None:
            self._grow()
        self.hurried = False
        if self.groups is None:
            try:
                self.groups = self._uncertain_groups() if self.bounds.condition is None else ()
            except SearchEnd:
                self.groups, self.hurried = (), True
        if self.ladder and self.bounds.condition is not None:
            raise FitError("A condition on whole graphs allows no ladder of chains: use ladder=().")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_chains": (), "check": None}  # a watcher stays in its process

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.score.nodes

    @property
    def settings(self) -> dict[str, Any]:
        """Return the options, and the chosen candidate parents and groups."""
        return {"candidates": self.candidates, "ladder": self.ladder, "groups": self.groups}

    def init(self, rng: np.random.Generator, start: DAG | None = None) -> State:
        """Return the initial state: the order or partition of a graph, or a random one."""
        if start is not None and not self.bounds.allows_graph(start):
            raise FitError("The start graph of a chain must obey the rules.")
        states = []
        for _ in range(1 + len(self.ladder)):
            graph = random_start(self.bounds, rng, self.candidates) if start is None else start
            inside = self._restrict(graph)
            states.append(PlaceState(self._places(inside), pack_rows(inside), generator(rng), 0))
        return _stack(states)

    def advance(
        self, state: State, steps: int, *, thin: int = 1, watch: KernelWatch | None = None
    ) -> tuple[State, RunStates]:
        """Advance a state, see `Sampler`; states of a ladder are swapped every p / 3 steps."""
        chains, permit = self._ready(state), permits(self.bounds)
        period = max(4, len(self.nodes) // 3) if self.ladder else max(1, steps)
        pieces: list[RunStates] = []
        step, end, reporter = state.taken, state.taken + steps, _PieceReporter(watch)
        while step < end and not reporter.ended:
            piece = min(end, step - step % period + period) - step
            visited = chains[0].run(piece, thin, reporter, permit)
            for chain in chains[1:]:
                chain.run(visited.steps, _NEVER, _go_on)
            pieces.append(visited)
            step += visited.steps
            if self.ladder and step % period == 0:
                for k in range(step // period % 2, len(self.ladder), 2):
                    chains[k].exchange(chains[k + 1])
            reporter.between(visited.steps, chains[0])
        there = _stack([chain.state for chain in chains])
        return there, join_pieces(pieces, state.parents.shape[1:], reporter.ended)

    def _ready(self, state: State) -> tuple[PlaceChain, ...]:
        """Return the compiled chains, at a state."""
        if not self._chains:
            groups = self.groups or ()
            first = PlaceChain(self.lists.kernel(), levels=self.levels, groups=groups)
            beside = [
                PlaceChain(self.lists.kernel(beta), levels=False, graphs=self.levels, groups=groups)
                for beta in self.ladder
            ]
            self._chains = (first, *beside)
        for number, chain in enumerate(self._chains):
            places, parents = state.places[number], state.parents[number]
            chain.go_to(PlaceState(places, parents, state.generator[number], state.taken))
        return self._chains

    def _places(self, graph: DAG) -> NDArray[np.int64]:
        return _order_of(graph)

    def _grow(self) -> None:
        """Add candidates that a short chain often uses."""
        self.candidates = self.lists.candidates
        graph, words = self.bounds.start(), _WORDS
        for _ in range(_ROUNDS if self.candidates is not None else 0):
            visited, last = self._short(self.lists.kernel(), _nearest(self.lists, graph), words)
            p = len(self.nodes)
            flat = np.unpackbits(visited.parents.view(np.uint8), axis=2, bitorder="little")
            wider = grow_candidates(self.lists, flat[:, :, :p].mean(axis=0).T, self.bounds)
            if wider is None:
                break
            self.candidates = wider
            self.lists = parent_lists(self.score, self.bounds, wider, self.lists)
            graph = DAG.make_unchecked(self.nodes, tuple(unpacked_rows(last.parents)))
            words = last.generator

    def choose_ladder(self) -> tuple[float, ...]:
        """Return powers for a `ladder`, each by the variance of the scores of a short chain at the power
        before.

        Raises
        ------
        Interrupted : from `check`.
        """
        powers: list[float] = []
        beta, words = 1.0, _WORDS
        graph = self._restrict(self.bounds.start())
        while beta > _FLAT and len(powers) < _RUNGS:
            visited, last = self._short(self.lists.kernel(beta), graph, words)
            spread = max(float(visited.scores.std()), 2.5 * _APART)
            beta = round(max(beta * (1.0 - _APART / spread), _FLAT), 3)
            powers.append(beta)
            graph = DAG.make_unchecked(self.nodes, tuple(unpacked_rows(last.parents)))
            words = last.generator
        return tuple(powers)

    def _uncertain_groups(self) -> tuple[tuple[int, ...], ...]:
        """Return groups of variables whose parents differ between the best graphs of short chains."""
        kernel, ends = self.lists.kernel(), []
        rng = np.random.default_rng(0)  # no user's: the groups belong to the problem
        for _ in range(_STARTS):
            graph = self._restrict(random_start(self.bounds, rng, self.candidates))
            visited, _ = self._short(kernel, graph, generator(rng))
            best = visited.parents[int(np.argmax(visited.scores))]
            ends.append(tuple(unpacked_rows(best)))
        counts = Counter(
            group for one, two in combinations(ends, 2) for group in _differences(one, two)
        )
        return tuple(group for group, _ in counts.most_common(_KEPT))

    def _restrict(self, graph: DAG) -> DAG:
        """Return the graph without parents whose sets are not listed or have no score."""
        scores = (self.score.local(child, row) for child, row in enumerate(graph.parents))
        whole = self.candidates is None and not any(map(np.isneginf, scores))
        return graph if whole else _nearest(self.lists, graph)

    def _short(self, sets: ParentSets, graph: DAG, words: Words) -> tuple[RunStates, PlaceState]:
        """Return the draws of a short chain, and its final state."""
        self._asking(0, 0.0)
        chain, p = PlaceChain(sets, levels=self.levels), len(self.nodes)
        chain.go_to(PlaceState(self._places(graph), pack_rows(graph), words, 0))
        chain.run(_SETTLING * p, _NEVER, self._asking)
        return chain.run(_DRAWS * p, p, self._asking), chain.state

    def _asking(self, steps: int, score: float) -> bool:
        if self.check is not None:
            self.check()
        return False


def _differences(
    one: Sequence[tuple[int, ...]], two: Sequence[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """Return small groups of variables whose parents differ, connected by arcs of one graph only."""
    arcs = [set(a) ^ set(b) for a, b in zip(one, two, strict=True)]
    remaining, groups = {v for v, parents in enumerate(arcs) if parents}, []
    while remaining:
        group, todo = set[int](), [min(remaining)]
        while todo:
            v = todo.pop()
            group.add(v)
            near = {u for u in remaining - group if u in arcs[v] or v in arcs[u]}
            todo += near
        remaining -= group
        if 1 < len(group) <= _MOVED:
            groups.append(tuple(sorted(group)))
    return groups


class _PieceReporter:
    """Reports progress of a run of several pieces, about ten times a second; records whether it must end."""

    def __init__(self, watch: KernelWatch | None) -> None:
        self.watch, self.ended, self.done = watch or _go_on, False, 0
        self.last = time.perf_counter()

    def __call__(self, steps: int, score: float) -> bool:
        self.last = time.perf_counter()
        self.ended = bool(self.watch(self.done + steps, score))
        return self.ended

    def between(self, steps: int, chain: PlaceChain) -> None:
        """Report progress after a piece of this many steps."""
        self.done += steps
        if not self.ended and time.perf_counter() - self.last > _EVERY:
            self(0, chain.total)


def _stack(states: Sequence[PlaceState]) -> State:
    return State(
        np.stack([state.parents for state in states]),
        np.stack([state.generator for state in states]),
        states[0].taken,
        np.stack([state.places for state in states]),
    )


def _order_of(graph: DAG) -> NDArray[np.int64]:
    places = np.empty(len(graph.nodes), dtype=np.int64)
    places[list(graph.order())] = np.arange(len(graph.nodes))
    return places


def _go_on(steps: int, score: float) -> bool:
    return False


def _nearest(lists: ParentLists, graph: DAG) -> DAG:
    """Return the graph with each parent set replaced by the best listed subset."""
    mine, rows = pack_rows(graph), []
    for child, (sets, scores) in enumerate(zip(lists.sets, lists.scores, strict=True)):
        fits = np.flatnonzero(~(sets & ~mine[child]).any(axis=1))
        if not len(fits):
            raise FitError(
                f"The start graph gives {graph.nodes[child]!r} parents that are not listed: use "
                "another start."
            )
        bits = sets[fits[np.argmax(scores[fits])]]
        flat = np.unpackbits(bits.view(np.uint8), bitorder="little")
        rows.append(tuple(np.flatnonzero(flat).tolist()))
    return DAG.make_unchecked(graph.nodes, tuple(rows))


@dataclass(eq=False)
class PartitionSampler(OrderSampler):
    """A chain over ordered partitions, in which every graph counts once."""

    target: ClassVar[str] = UNIFORM
    levels: ClassVar[bool] = True

    def _places(self, graph: DAG) -> NDArray[np.int64]:
        """Return the element of each variable: one after the last of its parents."""
        places = np.zeros(len(graph.nodes), dtype=np.int64)
        for v in graph.order():
            places[v] = max((places[u] + 1 for u in graph.parents[v]), default=0)
        return places
