"""Questions to a network: what is asked, known and set, and how it is to be answered.

``given`` is what one has seen; ``do`` is what one sets. Seeing tells of causes and of effects, setting tells
of effects only, since the arcs into a variable that is set are cut (Pearl 2009). Every question is a table of
rows in the network's coding with gaps; a single question is a table of one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table, Variable
from arcwise.data.variable import code_type
from arcwise.errors import DataError, FitError, GraphError, WordError, unknown
from arcwise.inference.belief import Seed, generator
from arcwise.inference.evidence import Evidence
from arcwise.networks import BayesNet, MarkovNet, Net, cut, whole

__all__ = ["Effort", "Options", "Question", "read_options"]

Array = NDArray[np.float64]
Columns = tuple[NDArray[Any], ...]
Mask = NDArray[np.bool_]

DRAWS = 4000
"""Weighted draws for a row."""

_EFFORT = ("chains", "sweeps", "burn_in", "scan")


@dataclass(frozen=True)
class Effort:
    """How long to simulate.

    Parameters
    ----------
    chains : how many run side by side for each row.
    sweeps : rounds over all hidden variables that count.
    burn_in : rounds before these, which are forgotten.
    scan : "fixed" draws variables in the order of their numbers, "random" in a new order each round.
    """

    chains: int = 32
    sweeps: int = 300
    burn_in: int = 60
    scan: str = "fixed"

    def __post_init__(self) -> None:
        for word in ("chains", "sweeps"):
            if whole(f"number of {word}", getattr(self, word)) < 1:
                raise DataError(f"A simulation needs at least one of its {word}, got 0.")
        whole("burn-in", self.burn_in)
        if self.scan not in ("fixed", "random"):
            raise unknown("scan order", self.scan, ("fixed", "random"))


@dataclass(frozen=True)
class Options:
    """Checked options.

    Parameters
    ----------
    method : the word of an engine; None takes the best there is.
    seed : a non-negative integer, or a generator.
    draws : for weighted draws.
    effort : what was said of chains, sweeps, burn_in and scan.
    max_graphs : most equivalent graphs that the range of an answer to ``do`` is over; None for the usual.
    """

    method: str | None = None
    seed: Seed = 0
    draws: int = DRAWS
    effort: Mapping[str, Any] = field(default_factory=dict)
    max_graphs: int | None = None

    def over(self, default: Effort) -> Effort:
        """A default effort with what was said in its place."""
        return replace(default, **self.effort)


def read_options(
    options: Mapping[str, Any], methods: Iterable[str], what: str = "option of a question"
) -> Options:
    """Check options by name.

    Raises
    ------
    WordError : an unknown option or method, or ``do`` where rows of a table are asked.
    DataError : a number that is none, or too small.

    >>> read_options({"chains": 4, "seed": 1}, ["grid"]).over(Effort()).chains
    4
    """
    if "do" in options:
        raise WordError(
            "do= belongs to single questions: query(target, do={...}) gives a belief with a range over "
            "equivalent graphs, and sample(draws, do={...}) rows; predict and impute take rows as seen."
        )
    known = (*_EFFORT, "method", "seed", "draws", "max_graphs")
    for word in options:
        if word not in known:
            raise unknown(what, word, known)
    method = options.get("method")
    if method is not None and method not in methods:
        raise unknown("method", method, methods)
    said = {word: options[word] for word in _EFFORT if options.get(word) is not None}
    draws = whole("number of draws", options.get("draws", DRAWS))
    most = options.get("max_graphs")
    if most is not None and whole("number max_graphs", most) == 0:
        raise DataError("max_graphs must be 1 or more, got 0.")
    found = Options(method, options.get("seed", 0), max(draws, 1), said, most)
    found.over(Effort())  # refuses what is no number
    return found


@dataclass(frozen=True, eq=False)
class Question:
    """A checked question, by column numbers.

    Parameters
    ----------
    net : the network, arcs into what is set cut.
    asked : the variables asked for; all of them where rows are filled, drawn or judged.
    columns : one array a variable in the network's coding; what stands in gaps has no meaning.
    gaps : rows by variables, true for what is not known.
    options : how to answer.
    rng : the random generator.
    task : "belief" (a single question), "marginals" (one about each variable by itself), "rows",
        "completion", "draws" (as many rows, all with the same evidence) or "density".
    forced : values set from outside, by column number.
    soft : weights of the levels of variables of which no more is known, the same in all rows.
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

    @classmethod
    def of(
        cls, net: Net, asked: Sequence[int], evidence: Evidence, options: Options,
        rng: np.random.Generator, rows: int = 1,
    ) -> Question:  # fmt: skip
        """A question with the same evidence in all its rows, by default a single one."""
        seen, forced, soft = evidence
        directed = net.as_directed
        if forced and directed is None:
            raise no_setting()
        after = cut(directed, forced) if forced and directed is not None else net
        values = {**seen, **forced}
        columns = tuple(
            np.array([values.get(node, 0)], dtype=_type(variable))
            for node, variable in enumerate(net.variables)
        )
        gaps = np.array([[node not in values for node in range(len(columns))]])
        if rows > 1:
            columns = tuple(np.broadcast_to(column, rows) for column in columns)
            gaps = np.broadcast_to(gaps, (rows, len(columns)))
        return cls(after, tuple(asked), columns, gaps, options, rng, forced=forced, soft=soft)

    @classmethod
    def of_rows(
        cls, net: Net, rows: Table, options: Options, task: str, target: int | None = None
    ) -> Question:
        """A question to the rows of an aligned table; the target's own values are not looked at."""
        gaps = rows.missing()
        if target is not None:
            gaps[:, target] = True
        asked = tuple(range(len(net.names))) if target is None else (target,)
        return cls(net, asked, rows.columns, gaps, options, generator(options.seed), task)

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.gaps)

    @property
    def single(self) -> bool:
        """Whether it is a single question, which may take longer than one of many rows."""
        return self.task in ("belief", "marginals")

    @property
    def together(self) -> bool:
        """Whether a joint answer is wanted."""
        return self.task == "belief" and len(self.asked) > 1

    @property
    def known(self) -> set[int]:
        """The variables known in the first row, which are known in all where these have the same evidence."""
        return set(np.flatnonzero(~self.gaps[0]).tolist())

    @property
    def directed(self) -> BayesNet:
        """The network, if it has arrows."""
        if self.net.as_directed is None:
            raise needs_arrows(str(self.options.method))
        return self.net.as_directed

    @property
    def field(self) -> MarkovNet:
        """Conditionals given all others: an undirected network, or the blanket models of a directed one."""
        if self.net.as_field is None:
            raise no_blankets()
        return self.net.as_field

    def check_possible(self) -> None:
        """Refuse evidence of probability zero: a level that cannot be with known values of its parents."""
        net = self.net.as_directed
        for node, parents in enumerate(net.graph.parents if net is not None else ()):
            if not self.net.variables[node].discrete or node in self.forced:
                continue
            places = np.flatnonzero(~self.gaps[:, [node, *parents]].any(axis=1))
            xs = tuple(self.columns[parent][places] for parent in parents)
            logs = self.net.conditionals[node].logpdf(self.columns[node][places], xs)
            for row in places[np.isneginf(logs)][:1].tolist():
                raise FitError(_impossible(self, row, node, parents))


def _impossible(question: Question, row: int, node: int, parents: tuple[int, ...]) -> str:
    """A sentence about a level that cannot be."""

    def value(place: int) -> str:
        levels, cell = question.net.variables[place].levels, question.columns[place][row]
        shown = f"{cell:.6g}" if levels is None else levels[int(cell)]
        return f"{question.net.names[place]} = {shown}"

    where = "" if question.size == 1 or question.task == "draws" else f" of row {row + 1}"
    beside = f" where {', '.join(map(value, parents))}" if parents else ""
    return f"The evidence{where} is impossible: {value(node)} has probability zero{beside}."


def _type(variable: Variable) -> Any:
    return np.float64 if variable.levels is None else code_type(len(variable.levels))


def needs_arrows(method: str) -> GraphError:
    """What is said to a method for directed networks, asked of an undirected one."""
    return GraphError(
        f"The method {method!r} is for directed networks; an undirected one is asked by "
        "gibbs, or stacked where it has Parzen windows."
    )


def no_blankets() -> FitError:
    """What is said to a method that takes blanket models, where there are none."""
    return FitError(
        "There are no blanket models here (they are fitted when a network is learned, and do "
        "not hold after do=): leave the method out, or take grid or importance."
    )


def no_setting() -> GraphError:
    """What is said to a question that sets variables of an undirected network."""
    return GraphError(
        "Setting variables from outside (do=) needs the arrows of a directed network, and this "
        "one is undirected: ask with given= what was seen, or learn a directed network."
    )


# -- names and values ------------------------------------------------------------------------------


def names_of(targets: str | Sequence[str]) -> tuple[str, ...]:
    """What is asked for, as names."""
    if isinstance(targets, str):
        return (targets,)
    if not isinstance(targets, Iterable):
        raise DataError(f"A question is for a name or a list of names, got {targets!r}.")
    return tuple(targets)


def check_roles(net: Net, asked: Sequence[int], evidence: Evidence) -> None:
    """Refuse a variable that is asked twice, or asked and known, or seen and set."""
    seen, forced, soft = evidence
    for node in asked:
        if node in seen or node in forced:
            raise DataError(f"{net.names[node]!r} is asked for, and its value is given as well.")
        if list(asked).count(node) > 1:
            raise DataError(f"{net.names[node]!r} is asked for twice.")
    for node in (*seen, *soft):
        if node in forced:
            raise DataError(f"{net.names[node]!r} is both in given and in do: choose one.")
