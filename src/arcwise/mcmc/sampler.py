"""Samplers of graphs: the interface, states and chains.

A sampler visits directed acyclic graphs in proportion to exp(score) times a weight: one if the target is
"uniform over DAGs", or the number of orders of the variables that agree with the graph if it is
"order-modular". A prior over graphs that is a sum over parent sets is a part of the score (`scores.Sum`).

A state has everything that the next step needs, including the random generator, as plain arrays. So a run in
pieces, saved to a file in between, equals a single run, bit for bit.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.chain import RunStates, packed_rows, unpacked_rows
from arcwise.errors import FitError
from arcwise.graphs import DAG, Limits, complete_dag
from arcwise.notes import NOT_STOPPED, Stop
from arcwise.results import ASKED, Step, Watch

__all__ = [
    "ORDERS",
    "UNIFORM",
    "Chain",
    "Info",
    "KernelWatch",
    "RunStates",
    "Sampler",
    "State",
    "bound_limits",
    "generator",
    "join_pieces",
    "pack_rows",
    "permits",
    "random_start",
    "run",
]  # fmt: skip

UNIFORM = "uniform over DAGs"
"""The target in which every graph counts once."""

ORDERS = "order-modular"
"""The target in which a graph counts once for each order of the variables that agrees with it."""

Words = NDArray[np.uint64]
KernelWatch = Callable[[int, float], bool]

_TRIES = 1000  # random starts before a condition on graphs is given up
_NEVER = 1 << 62  # a thinning that records nothing


@dataclass(frozen=True)
class State:
    """The state of a chain.

    Parameters
    ----------
    parents : (p, words) bits of the graph; for several temperatures (n, p, words), the coldest first.
    generator : (4,) words of the random generator, or a row for each of several.
    taken : number of steps so far.
    places : (n, p) each variable's position in the orders or partitions; empty for chains over graphs.
    """

    parents: Words
    generator: Words
    taken: int
    places: NDArray[np.int64]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return plain arrays, for a file."""
        return {
            "parents": self.parents,
            "generator": self.generator,
            "taken": np.array(self.taken),
            "places": self.places,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Undo `to_arrays`."""
        return cls(
            np.ascontiguousarray(arrays["parents"], dtype=np.uint64),
            np.ascontiguousarray(arrays["generator"], dtype=np.uint64),
            int(arrays["taken"]),
            np.ascontiguousarray(arrays["places"], dtype=np.int64),
        )


class Info(NamedTuple):
    """Record of a piece of a run: steps, and how many of them changed the state."""

    steps: int
    accepted: int


class Sampler(Protocol):
    """A Markov chain over graphs. It can be sent to other processes; threads need one each."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the variables."""
        ...

    @property
    def target(self) -> str:
        """`UNIFORM` or `ORDERS`."""
        ...

    @property
    def settings(self) -> dict[str, Any]:
        """Return the options, as plain values that make the same sampler again."""
        ...

    def init(self, rng: np.random.Generator, start: DAG | None = None) -> State:
        """Return the initial state, at a random graph by default."""
        ...

    def advance(
        self, state: State, steps: int, *, thin: int = 1, watch: KernelWatch | None = None
    ) -> tuple[State, RunStates]:
        """Take steps, and record the graph after every `thin`-th step since the chain began.

        `watch` is called with (steps, log score) regularly, and True ends the run.
        """
        ...


@dataclass(frozen=True, repr=False)
class Chain:
    """The draws of a sampler.

    Parameters
    ----------
    nodes : names of the variables.
    target : a description of the distribution.
    parents : (draws, p, words) bits of the graphs' parents.
    log_scores : (draws,) their scores.
    infos : of each piece of the run.
    state : the final state, from which `run` continues.
    stopped : the reason for an early end.
    """

    nodes: tuple[str, ...]
    target: str
    parents: Words
    log_scores: NDArray[np.float64]
    infos: tuple[Info, ...]
    state: State
    stopped: Stop = NOT_STOPPED

    def __len__(self) -> int:
        return len(self.parents)

    def __repr__(self) -> str:
        return f"<Chain of {len(self)} graphs of {len(self.nodes)} variables, {self.target}>"

    @cached_property
    def graphs(self) -> list[DAG]:
        """Return the graphs in the order of the draws; the same graph is the same object."""
        by_bits: dict[bytes, DAG] = {}
        visited = []
        for bits in self.parents:
            key = bits.tobytes()
            if key not in by_bits:
                by_bits[key] = DAG.make_unchecked(self.nodes, tuple(unpacked_rows(bits)))
            visited.append(by_bits[key])
        return visited

    def counts(self) -> dict[DAG, int]:
        """Return the number of draws of each graph, the most frequent first."""
        flat = self.parents.reshape(len(self), -1)
        rows, first, number = np.unique(flat, axis=0, return_index=True, return_counts=True)
        order = np.lexsort((first, -number)).tolist()
        shape = self.parents.shape[1:]
        return {
            DAG.make_unchecked(self.nodes, tuple(unpacked_rows(rows[i].reshape(shape)))): int(
                number[i]
            )
            for i in order
        }

    def indicators(self, first: int = 0, last: int | None = None) -> NDArray[np.bool_]:
        """Return whether each arc is in each draw: (draws, tail, head), for an interval of the draws."""
        bits = self.parents[first:last]
        p = len(self.nodes)
        flat = np.unpackbits(
            np.ascontiguousarray(bits).view(np.uint8).reshape(len(bits), p, -1),
            axis=2,
            bitorder="little",
        )
        return flat[:, :, :p].transpose(0, 2, 1).astype(bool)

    def arcs(self) -> NDArray[np.float64]:
        """Return the share of draws with each arc: (tail, head)."""
        p = len(self.nodes)
        shares = np.zeros((p, p))
        for first in range(0, len(self), 4096):
            shares += self.indicators(first, first + 4096).sum(axis=0)
        return shares / max(1, len(self))

    def join(self, later: "Chain") -> "Chain":
        """Return this chain extended by one that continued from its state."""
        if (later.nodes, later.target) != (self.nodes, self.target):
            raise FitError("Chains of different variables or targets cannot be joined.")
        return Chain(
            self.nodes,
            self.target,
            np.concatenate((self.parents, later.parents)),
            np.concatenate((self.log_scores, later.log_scores)),
            (*self.infos, *later.infos),
            later.state,
            later.stopped,
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return plain arrays, for a file."""
        state = {f"state_{name}": array for name, array in self.state.to_arrays().items()}
        return {
            "nodes": np.array(self.nodes),
            "target": np.array(self.target),
            "parents": self.parents,
            "log_scores": self.log_scores,
            "infos": np.array(self.infos, dtype=np.int64).reshape(-1, 2),
            "stopped": np.array(self.stopped.reason.value),
            **state,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Undo `to_arrays`."""
        state = {
            name.removeprefix("state_"): arrays[name]
            for name in arrays
            if name.startswith("state_")
        }
        return cls(
            tuple(str(name) for name in arrays["nodes"]),
            str(arrays["target"]),
            np.asarray(arrays["parents"], dtype=np.uint64),
            np.asarray(arrays["log_scores"], dtype=float),
            tuple(Info(int(steps), int(accepted)) for steps, accepted in arrays["infos"]),
            State.from_arrays(state),
            Stop.from_dict({"reason": str(arrays["stopped"]), "detail": ""}) or NOT_STOPPED,
        )


def run(
    sampler: Sampler,
    start: DAG | State | None,
    rng: np.random.Generator | None,
    draws: int,
    *,
    burn_in: int = 0,
    thin: int = 1,
    on_step: Watch | None = None,
) -> Chain:
    """Run a sampler, and keep every `thin`-th graph after `burn_in` steps.

    Parameters
    ----------
    sampler : the sampler.
    start : a graph, None for a random one, or the state of an earlier chain to continue from.
    rng : random generator; may be None if `start` is a state, which has its own.
    draws : graphs to record.
    burn_in, thin : steps.
    on_step : called with the progress about ten times a second; True ends the run with the draws so far.

    Raises
    ------
    FitError : an invalid number, or no generator for a new chain.
    """
    for name, value, least in (("draws", draws, 0), ("burn_in", burn_in, 0), ("thin", thin, 1)):
        if value < least:
            raise FitError(f"{name} must be an integer of {least} or more, got {value}.")
    if isinstance(start, State):
        state = start
    elif rng is None:
        raise FitError("A new chain needs a random generator, got None.")
    else:
        state = sampler.init(rng, start)
    watch = _ChainReporter(on_step, burn_in + draws * thin)
    pieces = [(burn_in, _NEVER)] if burn_in else []
    visits: list[RunStates] = []
    for steps, every in (*pieces, (draws * thin, thin)):
        state, visited = sampler.advance(state, steps, thin=every, watch=watch)
        watch.before += visited.steps
        visits.append(visited)
        if visited.ended:
            break
    return Chain(
        sampler.nodes,
        sampler.target,
        np.concatenate([piece.parents for piece in visits]),
        np.concatenate([piece.scores for piece in visits]),
        tuple(Info(piece.steps, piece.accepted) for piece in visits),
        state,
        ASKED if visits[-1].ended else NOT_STOPPED,
    )


class _ChainReporter:
    """Reports the progress of a chain to a callback of searches."""

    def __init__(self, watch: Watch | None, steps: int) -> None:
        self.watch, self.steps, self.before = watch, steps, 0
        self.began = time.perf_counter()

    def __call__(self, steps_done: int, score: float) -> bool:
        if self.watch is None:
            return False
        what = f"{self.before + steps_done} of {self.steps} steps"
        elapsed = time.perf_counter() - self.began
        return bool(self.watch(Step(self.before + steps_done, what, -1, -1, score, 0, elapsed)))


def join_pieces(pieces: Sequence[RunStates], shape: tuple[int, ...], ended: bool) -> RunStates:
    """Return pieces of a run as one; `shape` is that of a graph's bits."""
    if not pieces:
        empty = np.zeros((0, *shape), dtype=np.uint64)
        return RunStates(empty, np.zeros(0), 0, 0, ended)
    return RunStates(
        np.concatenate([piece.parents for piece in pieces]),
        np.concatenate([piece.scores for piece in pieces]),
        sum(piece.accepted for piece in pieces),
        sum(piece.steps for piece in pieces),
        ended,
    )


def generator(rng: np.random.Generator) -> Words:
    """Return four random words, the state of a compiled generator."""
    return rng.integers(1, 1 << 64, 4, dtype=np.uint64)


def bound_limits(nodes: tuple[str, ...], limits: Limits | None) -> Limits:
    """Return the limits, or none; they must be bound to the same variables."""
    result = Limits.none(nodes) if limits is None else limits
    if result.nodes != nodes:
        raise FitError("The rules must be bound to the variables of the score: bind them again.")
    return result


def permits(limits: Limits) -> Callable[[Words], bool] | None:
    """Return the condition on whole graphs for compiled chains, which pass bits; None if there is none."""
    condition = limits.condition
    if condition is None:
        return None

    def asked(bits: Words) -> bool:
        rows = unpacked_rows(bits.reshape(len(limits.nodes), -1))
        return bool(condition(DAG.make_unchecked(limits.nodes, tuple(rows))))

    return asked


def random_start(
    limits: Limits, rng: np.random.Generator, candidates: Sequence[Sequence[int]] | None = None
) -> DAG:
    """Return a graph that the rules allow: arcs along a random order, about one per variable.

    `candidates` are the possible parents, by default all that the rules allow.

    Raises
    ------
    FitError : no draw met the condition on whole graphs.
    """
    for _ in range(_TRIES):
        graph = _random_graph(limits, rng, candidates)
        if limits.condition is None or limits.condition(graph):
            return graph
    raise FitError(
        f"No random graph of {_TRIES} meets the condition on graphs: give a start graph that does."
    )


def _random_graph(
    limits: Limits, rng: np.random.Generator, candidates: Sequence[Sequence[int]] | None
) -> DAG:
    p = len(limits.nodes)
    whole = complete_dag(replace(limits, max_parents=None), rng)
    rows = []
    for child, before in enumerate(whole.parents):
        required = limits.required[child]
        among = before if candidates is None else set(before).intersection(candidates[child])
        free = rng.permutation(sorted(set(among).difference(required)))
        picks = free[rng.random(len(free)) < min(0.5, 2.0 / max(1, p - 1))]
        room = p if limits.max_parents is None else limits.max_parents - len(required)
        rows.append(tuple(sorted({*picks[:room].astype(int).tolist(), *required})))
    return DAG(limits.nodes, tuple(rows))


def pack_rows(graph: DAG) -> Words:
    """Return the bits of a graph's parents."""
    return packed_rows(graph.parents)
