"""Order MCMC: a chain over orders of the variables (Friedman and Koller 2003).

An order weighs the sum over all graphs whose arcs go along it, which is a product over the variables:

    prod_v sum_{S before v} exp(score(v, S)).

A step moves a variable to a place drawn among all in proportion to their weights, or swaps two variables.
For each draw a graph is drawn from the order. Since a graph agrees with many orders, graphs are sampled
from the ORDER-MODULAR distribution, exp(score) times the number of orders that agree with the graph, which
favours graphs with few arcs. For graphs that each count once see `partition`.

A condition on whole graphs is obeyed by rejection: a graph is drawn after every step, and the step is
undone if it does not fulfil it.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.chain import PlaceChain, PlaceState, unpacked_rows
from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits
from arcwise.mcmc.base import (
    ORDERS,
    KernelWatch,
    State,
    Visited,
    bound,
    generator,
    packed,
    permits,
    random_start,
)
from arcwise.mcmc.parents import ParentLists, grown, parent_lists
from arcwise.scores import Score

__all__ = ["OrderSampler"]

Words = NDArray[np.uint64]

_ROUNDS = 6  # in which lists of candidates may grow
_SETTLING, _DRAWS = 10, 50  # steps for each variable before, and graphs, in each
_BETAS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)  # powers of the score on the way to a random start,
_COOLING, _COOLED = 30, 1500  # and steps for each variable at each of them, at most so many in all
_WORDS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 1], dtype=np.uint64)


@dataclass(eq=False)
class OrderSampler:
    """A chain over orders, which draws a graph from the present one for each draw.

    Parameters
    ----------
    score : local scores, priors over graphs included.
    limits : rules bound to the score's columns.
    candidates : for each variable the parents to choose from where not all sets can be listed; by default
        chosen by the score, and grown until a chain takes hardly any from outside.
    """

    score: Score
    limits: Limits | None = None
    candidates: tuple[tuple[int, ...], ...] | None = None
    target: ClassVar[str] = ORDERS
    levels: ClassVar[bool] = False  # whether places are elements of a partition
    _chain: PlaceChain | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.bounds = bound(self.score.nodes, self.limits)
        self.lists = parent_lists(self.score, self.bounds, self.candidates)
        if self.candidates is None:
            self._grow()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_chain": None}

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.score.nodes

    @property
    def settings(self) -> dict[str, Any]:
        """What it was told, and the candidate parents that it found."""
        return {"candidates": self.candidates}

    def init(self, rng: np.random.Generator, start: DAG | None = None) -> State:
        """The state to begin with: the order or partition of a graph, a random one if none is given."""
        graph = random_start(self.bounds, rng, self.candidates) if start is None else start
        if start is not None and not self.bounds.allows_graph(start):
            raise FitError("The start graph of a chain must obey the rules, but this one does not.")
        words = generator(rng)
        if start is None and self.bounds.condition is None:
            graph, words = self._cooled(graph, words)
        return self._state(graph, words)

    def _cooled(self, graph: DAG, words: Words) -> tuple[DAG, Words]:
        """The graph after steps over orders at falling temperatures: fewer chains begin in a poor mode."""
        here = PlaceState(_order_of(graph), packed(graph), words, 0)
        for beta in _BETAS:
            chain = PlaceChain(self.lists.kernel(beta), levels=False)
            chain.go_to(here)
            steps = min(_COOLING * len(self.nodes), _COOLED)
            chain.run(steps, steps, _go_on)  # the last draws a graph
            here = chain.state._replace(taken=0)
        return DAG.unchecked(self.nodes, tuple(unpacked_rows(here.parents))), here.generator

    def advance(
        self, state: State, steps: int, *, thin: int = 1, watch: KernelWatch | None = None
    ) -> tuple[State, Visited]:
        """Take steps from a state, see `Sampler`."""
        if self._chain is None:
            self._chain = PlaceChain(self.lists.kernel(), levels=self.levels)
        self._chain.go_to(PlaceState(state.places, state.parents, state.generator, state.taken))
        asked = permits(self.bounds)
        visited = self._chain.run(steps, thin, watch or _go_on, asked)
        places, parents, words, taken = self._chain.state
        return State(parents, words, taken, places), visited

    def _state(self, graph: DAG, words: Words) -> State:
        inside = graph if self.candidates is None else _nearest(self.lists, graph)
        return State(packed(inside), words, 0, self._places(inside))

    def _places(self, graph: DAG) -> NDArray[np.int64]:
        return _order_of(graph)

    def _grow(self) -> None:
        """Let candidates in that a short chain keeps taking from outside."""
        self.candidates, p = self.lists.candidates, len(self.nodes)
        here = self._state(self.bounds.start(), _WORDS)
        for _ in range(_ROUNDS if self.candidates is not None else 0):
            chain = PlaceChain(self.lists.kernel(), levels=self.levels)
            chain.go_to(PlaceState(here.places, here.parents, here.generator, 0))
            chain.run(_SETTLING * p, 1 << 62, _go_on)
            visited = chain.run(_DRAWS * p, p, _go_on)
            flat = np.unpackbits(visited.parents.view(np.uint8), axis=2, bitorder="little")
            wider = grown(self.lists, flat[:, :, :p].mean(axis=0).T, self.bounds)
            if wider is None:
                break
            self.candidates = wider
            self.lists = parent_lists(self.score, self.bounds, wider)
            last = DAG.unchecked(self.nodes, tuple(unpacked_rows(chain.state.parents)))
            here = self._state(last, chain.state.generator)


def _order_of(graph: DAG) -> NDArray[np.int64]:
    places = np.empty(len(graph.nodes), dtype=np.int64)
    places[list(graph.order())] = np.arange(len(graph.nodes))
    return places


def _go_on(steps: int, score: float) -> bool:
    return False


def _nearest(lists: ParentLists, graph: DAG) -> DAG:
    """The graph with parents left out until each variable's are listed: the best set inside them."""
    mine, rows = packed(graph), []
    for child, (sets, scores) in enumerate(zip(lists.sets, lists.scores, strict=True)):
        fits = np.flatnonzero(~(sets & ~mine[child]).any(axis=1))
        if not len(fits):
            raise FitError(
                f"The start graph gives {graph.nodes[child]!r} no parents that are listed: "
                "take another start."
            )
        bits = sets[fits[np.argmax(scores[fits])]]
        flat = np.unpackbits(bits.view(np.uint8), bitorder="little")
        rows.append(tuple(np.flatnonzero(flat).tolist()))
    return DAG.unchecked(graph.nodes, tuple(rows))
