"""The interface of engines: queries, costs and answers.

``given`` is evidence, ``do`` an intervention. Evidence changes beliefs about causes and effects; an
intervention those about effects only, since the arcs into a set variable are removed (Pearl 2009). Every
query is a table of rows in the network's coding with missing values; a single query has one row.

An engine is one method of inference; the registry is in ``ask``. It returns the cost of an answer, or the
reason why it does not accept the query, and the cheapest one is used: exact engines first, then simulations
of the network's distribution, then other estimates of it. An engine that cannot give a useful answer after
all raises `DeclinedError`, and the next one is used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table
from arcwise.distributions import Distribution
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import ArcwiseError, DataError, FitError, GraphError, OptionError, unknown
from arcwise.inference.belief import Probability, Quality, Seed, generator
from arcwise.inference.evidence import DistinctRows, Evidence, fold_rows
from arcwise.networks import BayesNet, MarkovNet, Net, cut, whole
from arcwise.notes import Fix, Note

if TYPE_CHECKING:
    from arcwise.inference.joint_answers import Cells

__all__ = [
    "ESTIMATED",
    "EXACT",
    "SIMULATED",
    "Answer",
    "Cost",
    "DeclinedError",
    "Effort",
    "Engine",
    "JointAnswer",
    "Options",
    "Question",
    "Reply",
    "read_options",
]


Array = NDArray[np.float64]
Columns = tuple[NDArray[Any], ...]
Mask = NDArray[np.bool_]

DRAWS = 4000
"""Weighted draws per row."""

_EFFORT = ("chains", "sweeps", "burn_in", "scan")


@dataclass(frozen=True)
class Effort:
    """The length of a simulation.

    Parameters
    ----------
    chains : number of parallel chains for each row.
    sweeps : rounds over all hidden variables after burn-in.
    burn_in : rounds before these, which are discarded.
    scan : "fixed" draws variables in the order of their numbers, "random" in a new order each round.
    """

    chains: int = 32
    sweeps: int = 300
    burn_in: int = 60
    scan: str = "fixed"

    def __post_init__(self) -> None:
        for word in ("chains", "sweeps"):
            if whole(f"number of {word}", getattr(self, word)) < 1:
                raise DataError(f"The number of {word} must be positive, got 0.")
        whole("burn-in", self.burn_in)
        if self.scan not in ("fixed", "random"):
            raise unknown("scan order", self.scan, ("fixed", "random"))


@dataclass(frozen=True)
class Options:
    """Checked options.

    Parameters
    ----------
    method : the name of an engine; None for the best one.
    seed : a non-negative integer, or a generator.
    draws : number of weighted draws.
    effort : the given chains, sweeps, burn_in and scan.
    max_graphs : largest number of equivalent graphs in the range of an answer to ``do``, or None.
    """

    method: str | None = None
    seed: Seed = 0
    draws: int = DRAWS
    effort: Mapping[str, Any] = field(default_factory=dict)
    max_graphs: int | None = None

    def over(self, default: Effort) -> Effort:
        """Return a default effort with the given values replaced."""
        return replace(default, **self.effort)


def read_options(
    options: Mapping[str, Any], methods: Iterable[str], what: str = "option of a question"
) -> Options:
    """Check options by name.

    Raises
    ------
    OptionError : an unknown option or method, or ``do`` for rows of a table.
    DataError : not a number, or too small.

    >>> read_options({"chains": 4, "seed": 1}, ["grid"]).over(Effort()).chains
    4
    """
    if "do" in options:
        raise OptionError(
            "{do=} is for single queries: query(target, do={...}) gives a belief with a range "
            "over equivalent graphs, and sample(draws, do={...}) rows; predict and impute use "
            "the rows as evidence.",
            fixes=[Fix("do")],
        )
    words = (*_EFFORT, "method", "seed", "draws", "max_graphs")
    for word in options:
        if word not in words:
            raise unknown(what, word, ("given", *words))
    method = options.get("method")
    if method is not None and method not in methods:
        raise unknown("method", method, methods)
    effort = {word: options[word] for word in _EFFORT if options.get(word) is not None}
    draws = whole("number of draws", options.get("draws", DRAWS))
    most = options.get("max_graphs")
    if most is not None and whole("number max_graphs", most) == 0:
        raise DataError("max_graphs must be positive, got 0.")
    result = Options(method, options.get("seed", 0), max(draws, 1), effort, most)
    result.over(Effort())  # refuses what is no number
    return result


@dataclass(frozen=True, eq=False)
class Question:
    """A checked query, by column numbers.

    Parameters
    ----------
    net : the network, without arcs into set variables.
    asked : the targets; all variables for imputation, draws and densities.
    columns : one array per variable in the network's coding; entries at missing values are arbitrary.
    gaps : rows by variables, true for missing values.
    options : options of the answer.
    rng : the random generator.
    task : "belief" (a single query), "marginals" (each variable separately), "rows", "completion",
        "draws" (rows with the same evidence) or "density".
    forced : set values, by column number.
    soft, ranges : weights of levels and intervals of numbers as evidence, the same in all rows.
    """

    net: Net
    asked: tuple[int, ...]
    columns: Columns
    gaps: Mask
    options: Options
    rng: np.random.Generator
    task: str = "belief"
    forced: Mapping[int, float] = field(default_factory=dict)
    soft: Mapping[int, Array] = field(default_factory=dict)
    ranges: Mapping[int, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, net: Net, targets: Sequence[int], evidence: Evidence, options: Options,
        rng: np.random.Generator, rows: int = 1,
    ) -> Question:  # fmt: skip
        """Return a query with the same evidence in all its rows, by default a single one."""
        seen_values, forced, soft, ranges = evidence
        if forced:
            if not net.directed:
                raise no_setting()
            net = cut(net, forced)
        values = {**seen_values, **forced}
        columns = tuple(
            np.array([values.get(node, 0)], dtype=variable.dtype)
            for node, variable in enumerate(net.variables)
        )
        gaps = np.array([[node not in values for node in range(len(columns))]])
        if rows > 1:
            columns = tuple(np.broadcast_to(column, rows) for column in columns)
            gaps = np.broadcast_to(gaps, (rows, len(columns)))
        return cls(net, tuple(targets), columns, gaps, options, rng, "belief", forced, soft, ranges)

    @classmethod
    def of_rows(
        cls, net: Net, rows: Table, options: Options, task: str, target: int | None = None
    ) -> Question:
        """Return a query for the rows of an aligned table; values of the target are ignored."""
        gaps = rows.missing()
        if target is not None:
            gaps[:, target] = True
        targets = tuple(range(len(net.names))) if target is None else (target,)
        return cls(net, targets, rows.columns, gaps, options, generator(options.seed), task)

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.gaps)

    def values(self, row: int) -> dict[int, NDArray[Any]]:
        """Return the observed values of one row, by node."""
        observed = np.flatnonzero(~self.gaps[row]).tolist()
        return {node: self.columns[node][row : row + 1] for node in observed}

    @property
    def distinct(self) -> DistinctRows:
        """The distinct rows of codes."""
        return fold_rows(self.columns, self.gaps)

    @property
    def single(self) -> bool:
        """Whether it is a single query, which may take longer than one of many rows."""
        return self.task in ("belief", "marginals")

    @property
    def together(self) -> bool:
        """Whether a joint answer is requested."""
        return self.task == "belief" and len(self.asked) > 1

    @property
    def known(self) -> set[int]:
        """The observed variables of the first row, or of all rows if they have the same evidence."""
        return set(np.flatnonzero(~self.gaps[0]).tolist())

    @property
    def directed(self) -> BayesNet:
        """The network, if it is directed."""
        if not self.net.directed:
            raise needs_arrows(str(self.options.method))
        return self.net

    @property
    def field(self) -> MarkovNet:
        """Conditionals given all others: an undirected network, or the blanket models of a directed one."""
        if self.net.as_field is None:
            raise no_blankets()
        return self.net.as_field

    def check_possible(self) -> None:
        """Raise an error for a level that is impossible given its observed parents."""
        for node, parents in enumerate(self.net.graph.parents if self.net.directed else ()):
            if not self.net.variables[node].discrete or node in self.forced:
                continue
            complete_rows = np.flatnonzero(~self.gaps[:, [node, *parents]].any(axis=1))
            xs = tuple(self.columns[parent][complete_rows] for parent in parents)
            logs = self.net.conditionals[node].logpdf(self.columns[node][complete_rows], xs)
            for row in complete_rows[np.isneginf(logs)][:1].tolist():
                raise FitError(_impossible(self, row, node, parents))


def _impossible(question: Question, row: int, node: int, parents: tuple[int, ...]) -> str:
    """Return the error message for an impossible level."""

    def value(variable: int) -> str:
        levels, cell = question.net.variables[variable].levels, question.columns[variable][row]
        text = f"{cell:.6g}" if levels is None else levels[int(cell)]
        return f"{question.net.names[variable]} = {text}"

    where = "" if question.size == 1 or question.task == "draws" else f" of row {row + 1}"
    beside = f" where {', '.join(map(value, parents))}" if parents else ""
    return f"The evidence{where} is impossible: {value(node)} has probability zero{beside}."


def needs_arrows(method: str) -> GraphError:
    """Return the error of a method for directed networks if the network is undirected."""
    return GraphError(
        f"The method {method!r} is for directed networks: use gibbs, or stacked for Parzen windows."
    )


def no_blankets() -> FitError:
    """Return the error of a method that needs blanket models if there are none."""
    return FitError(
        "This network has no blanket models (they are fitted in learning, and invalid after "
        "{do=}): leave the method out, or use grid or importance.",
        fixes=[Fix("do")],
    )


def no_setting() -> GraphError:
    """Return the error for interventions in an undirected network."""
    return GraphError(
        "Interventions ({do=}) need a directed network, got an undirected one: use {given=} for "
        "observations, or learn a directed network.",
        fixes=[Fix("do"), Fix("given")],
    )


EXACT, SIMULATED, ESTIMATED = range(3)


class Cost(NamedTuple):
    """The cost of an answer; smaller is better, in this order.

    `error` is EXACT, SIMULATED (the network's distribution, with a Monte-Carlo error) or ESTIMATED (other
    models of it); `work` is the approximate number of evaluations of local models per row; `memory` the
    number of values held at once.
    """

    error: int
    work: float
    memory: float = 0.0


class DeclinedError(FitError):
    """Raised by an engine that accepted a query and then cannot give a useful answer."""


class JointAnswer(Protocol):
    """The joint distribution of several variables; columns in the order requested, codes for levels."""

    @property
    def cells(self) -> Cells | None:
        """The table itself, if the distribution is one."""
        ...

    @property
    def correlation(self) -> Array:
        """The correlation matrix."""
        ...

    @property
    def mode(self) -> Array:
        """The most probable joint values; codes for levels."""
        ...

    @property
    def entropy(self) -> float:
        """The entropy in nats; for numbers, the differential entropy."""
        ...

    def mutual_information(self, a: Sequence[int], b: Sequence[int]) -> float:
        """Return the mutual information of two groups of variables in nats, by their positions."""
        ...

    def logpdf(self, columns: Array) -> Array:
        """Return the log density of rows."""
        ...

    def box(self, limits: dict[int, Any]) -> Probability:
        """Return the probability of bounds (of marked levels) of several variables, by their positions."""
        ...

    def share(
        self, holds: Callable[[Array], NDArray[np.bool_]], draws: int, rng: np.random.Generator
    ) -> Probability:
        """Return the probability of an event given as a function of draws."""
        ...

    def sample(self, rng: np.random.Generator, draws: int) -> Array:
        """Return draws, one per row."""
        ...


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer for one variable in all rows: distributions and their accuracy.

    `by_chain` are the distributions of single chains, if a single query was simulated; `way` is a description
    of the simulation.
    """

    distribution: Distribution
    mixing: Mixing
    by_chain: Distribution | None = None
    way: str = ""

    @classmethod
    def exact(cls, distribution: Distribution, rows: int) -> Answer:
        """Return an answer without error."""
        return cls(distribution, Mixing.exact(rows))

    def quality(self, notes: tuple[Note, ...]) -> Quality:
        """Return the accuracy of the answer to a single query."""
        error, rhat, ess = (float(number[0]) for number in self.mixing)
        return Quality(error, rhat, ess, self.way, notes)


class Reply(NamedTuple):
    """Answers for all targets, their joint distribution if requested, and notes."""

    answers: tuple[Answer, ...]
    joint: JointAnswer | None = None
    notes: Callable[[], list[Note]] = list


class Engine(ABC):
    """A method of inference; `name` is its name in the registry.

    `soft` is whether it accepts weights of levels as evidence, `ranged` whether it accepts intervals of
    numbers, `thorough` whether it detects impossible evidence.
    """

    name: str
    soft: bool = False
    ranged: bool = False
    thorough: bool = False

    @abstractmethod
    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Return the cost of an answer, or the error with the reason why there is none."""

    @abstractmethod
    def ask(self, question: Question) -> Reply:
        """Return the distributions of the targets, in all rows."""

    @abstractmethod
    def complete(self, question: Question, draw: bool) -> Columns:
        """Return columns with missing values imputed: expected values (modes of levels), or joint draws."""

    def logpdf(self, question: Question) -> Array:
        """Return the log density of the observed values of each row, if the task "density" is accepted."""
        raise FitError(f"The method {self.name!r} gives no densities.")
