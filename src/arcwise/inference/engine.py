"""Engines: ways to answer questions. One file each; the register is in ``ranking``.

An engine says of a question what answering would cost, or why it does not take it. The cheapest one that
accepts is asked: exact ones first, then those that simulate the network's own distribution, then other
estimates of it. An engine that finds out on the way that its answer would be worthless raises
`DeclinedError`, and the next is asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.distributions import Distribution
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.belief import Probability, Quality
from arcwise.inference.question import Array, Columns, Question

__all__ = [
    "ESTIMATED",
    "EXACT",
    "SIMULATED",
    "Answer",
    "Cost",
    "DeclinedError",
    "Engine",
    "Found",
    "Joint",
]

EXACT, SIMULATED, ESTIMATED = range(3)


class Cost(NamedTuple):
    """What an answer costs; smaller is better, in this order.

    `error` is EXACT, SIMULATED (the network's own distribution, with a Monte-Carlo error) or ESTIMATED
    (other models of it); `work` counts evaluations of local models for a row, roughly; `memory` numbers
    held at once.
    """

    error: int
    work: float
    memory: float = 0.0


class DeclinedError(FitError):
    """Raised by an engine that accepted a question and then could not answer it well."""


class Joint(Protocol):
    """The joint distribution of several variables; columns in the order asked for, codes for levels."""

    @property
    def correlation(self) -> Array:
        """Correlation matrix."""
        ...

    def mutual_information(self, a: Sequence[int], b: Sequence[int]) -> float:
        """Nats that knowing some variables tells of others, by their places."""
        ...

    def logpdf(self, columns: Array) -> Array:
        """Log density of rows."""
        ...

    def box(self, limits: dict[int, Any]) -> Probability:
        """Probability of bounds (of marked levels) of several variables, by their places."""
        ...

    def share(
        self, holds: Callable[[Array], NDArray[np.bool_]], draws: int, rng: np.random.Generator
    ) -> Probability:
        """Probability of an event given as a function of draws."""
        ...

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Draws, one a row."""
        ...


@dataclass(frozen=True, eq=False)
class Answer:
    """What is found of one variable in all rows: distributions, and how good each is.

    `by_chain` are the distributions of single chains, where a single question was simulated; `way` says what
    was simulated.
    """

    distribution: Distribution
    mixing: Mixing
    by_chain: Distribution | None = None
    way: str = ""

    @classmethod
    def exact(cls, distribution: Distribution, rows: int) -> Answer:
        """An answer without error."""
        return cls(distribution, Mixing.exact(rows))

    def quality(self, notes: tuple[str, ...]) -> Quality:
        """How good the answer to a single question is."""
        error, rhat, ess = (float(each[0]) for each in self.mixing)
        return Quality(error, rhat, ess, self.way, notes)


def _nothing() -> list[str]:
    return []


class Found(NamedTuple):
    """Answers for all that is asked, the joint distribution where one was wanted, and what is to be said."""

    answers: tuple[Answer, ...]
    joint: Joint | None = None
    notes: Callable[[], list[str]] = _nothing


class Engine(ABC):
    """A way to answer questions; `name` is its word in the register.

    `soft` tells whether it takes weights of levels as evidence, `thorough` whether it finds impossible
    evidence by itself.
    """

    name: str
    soft: bool = False
    thorough: bool = False

    @abstractmethod
    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """What answering would cost, or the error that says why it cannot be asked."""

    @abstractmethod
    def ask(self, question: Question) -> Found:
        """The distributions of what is asked, in all rows."""

    @abstractmethod
    def complete(self, question: Question, draw: bool) -> Columns:
        """The columns with gaps filled: by expected values (most probable levels), or drawn together."""

    def logpdf(self, question: Question) -> Array:
        """Log density of what is known of each row; of engines that accept the task "density"."""
        raise FitError(f"The method {self.name!r} gives no densities.")
