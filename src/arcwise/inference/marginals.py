"""Marginals: every variable of a network separately.

It has the beliefs about all variables given evidence, the probability of the evidence, and the errors of
predicting each variable of a row from the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise import networks
from arcwise.data import Table
from arcwise.data.variable import gaps_of, numbers_of, sentence_list
from arcwise.distributions import Distribution, refuse_beyond
from arcwise.errors import DataError, FitError, GraphError, plural
from arcwise.frame import Frame, Framed, Series
from arcwise.inference.ask import ENGINES, found_of, query, rank_engines
from arcwise.inference.ask_options import AskOptions
from arcwise.inference.belief import (
    Belief,
    Estimate,
    Probability,
    belief_frame,
    generator,
)
from arcwise.inference.closed_form import residuals
from arcwise.inference.engine import Answer, Options, Question, Reply, read_options
from arcwise.inference.evidence import Evidence, check_roles, plain, read_evidence, sentence
from arcwise.inference.intervene import Equivalents, range_over
from arcwise.inference.linear_gaussian import linear_net
from arcwise.networks import Net, align
from arcwise.notes import Note
from arcwise.view import figure

__all__ = [
    "Marginals",
    "Misses",
    "marginals",
    "misses",
    "probability",
    "pseudo_log_density",
    "target_misses",
]


Array = NDArray[np.float64]


class _Notes(list[Note]):
    """Notes that are computed already, in place of a function that computes them."""

    def __call__(self) -> list[Note]:
        return self


class Marginals(Framed, Mapping[str, Belief]):
    """The belief about every variable that is neither observed nor set, by name; computed on demand."""

    def __init__(self, question: Question, reply: Reply, given: Mapping[str, Any]) -> None:
        names = question.net.names
        self._answers = {
            names[node]: answer for node, answer in zip(question.asked, reply.answers, strict=True)
        }
        self._found, self._kept = reply, dict[str, Belief]()
        self.given, self.do = given, plain(question.net, question.forced)
        self._ask: Callable[[str], Belief] | None = None
        self.before: Callable[[], Marginals] | None = None

    def plot(self, *, before: bool = True, columns: int = 4, title: str | None = None) -> list[Any]:
        """Draw the belief about each variable, and in grey that without the evidence.

        Parameters
        ----------
        before : whether to draw the beliefs without the evidence, too.
        columns : number of panels per row.
        title : a line above all; the evidence by default.
        """
        earlier = self.before() if before and self.before is not None else {}
        return list(figure("plot_beliefs")([*self.values()], earlier, columns=columns, title=title))

    def __getstate__(self) -> dict[str, Any]:
        """Return the values alone, for copies in other processes; pending notes are computed now."""
        notes = _Notes(self._found.notes())
        return {**self.__dict__, "_found": self._found._replace(notes=notes), "before": None}

    def asked_by(self, ask: Callable[[str], Belief]) -> Self:
        """Return marginals with a separate query for each belief: answers to ``do`` then have a range."""
        self._ask = ask
        return self

    def __getitem__(self, name: str) -> Belief:
        if name not in self._kept:
            belief = self._belief(name, self._answers[name])
            self._kept[name] = belief if self._ask is None else self._ask(name)
        return self._kept[name]

    def _belief(self, name: str, answer: Answer) -> Belief:
        refuse_beyond(answer.distribution, name)
        quality = answer.quality(tuple(self._found.notes()))
        return Belief(name, answer.distribution, quality, answer.by_chain, self.given, self.do)

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def document(self) -> dict[str, Any]:
        """Return the numbers, for machines."""
        return {name: belief.document() for name, belief in self.items()}

    @property
    def frame(self) -> Frame:
        """Return one row per variable: mean, sd and a 95 % interval, or the most probable level."""
        title = sentence([f"{len(self)} variables"], self.given, self.do)
        return replace(
            belief_frame([*self.values()]), title=title, notes=tuple(map(str, self._found.notes()))
        )

    @property
    def brief(self) -> Frame:
        """Return one line per variable."""
        lines = [f"{belief.words()}{_over_graphs(belief)}" for belief in self.values()]
        head = sentence([f"{len(self)} variables"], self.given, self.do)
        notes = [f"  note: {note}" for note in self._found.notes()]
        if self._ask is not None:
            notes.append("  note: The belief of one variable shows its whole range over graphs.")
        columns = Series("variable", [*self]), Series("belief", lines)
        return Frame(columns, head, tuple(notes), headed=False)

    def _summary(self) -> str:
        return sentence([plural(len(self), "variable")], self.given, self.do)


def _over_graphs(belief: Belief) -> str:
    """Return the range over graphs of the number in the line of a belief, if it has one."""
    range_ = belief.range
    if range_ is None:
        return ""
    mode = None if belief.numeric else belief.mode
    ends = range_.bounds(lambda answer: answer.mean if mode is None else answer.probability([mode]))
    low, high = ends.widest
    if np.isnan(low):
        return "; no range over graphs"
    what = "mean" if mode is None else f"{mode}"
    return f"; over graphs {what} {low:.4g} to {high:.4g}"


def marginals(
    net: Net,
    given: Mapping[str, Any] | None = None,
    do: Mapping[str, Any] | None = None,
    **options: Unpack[AskOptions],
) -> Marginals:
    """Return the belief about every variable that is neither observed nor set.

    Parameters
    ----------
    net : any network.
    given, do, options : as for `query`.

    Raises
    ------
    As of `query`.
    """
    settings, evidence = read_options(options, ENGINES), read_evidence(net, given, do)
    check_roles(net, (), evidence)
    fixed = {*evidence.seen, *evidence.forced, *evidence.ranges}
    targets = [node for node in range(len(net.names)) if node not in fixed]
    question = Question.of(net, targets, evidence, settings, generator(settings.seed))
    question = replace(question, task="marginals")
    return Marginals(question, found_of(question), evidence.given(net))


def probability(
    net: Net,
    given: Mapping[str, Any],
    do: Mapping[str, Any] | None = None,
    *,
    log: bool = False,
    equivalents: Equivalents | None = None,
    **options: Unpack[AskOptions],
) -> Probability | Estimate | float:
    """Return the joint probability of the evidence; 0 if it is impossible.

    Parameters
    ----------
    net : a network of discrete variables with a joint distribution.
    given : levels, sets of levels, intervals or weights by name.
    do : an intervention: levels by name.
    log : the natural logarithm instead, which does not underflow.
    equivalents : as for `query`: the probability then has a range.
    options : of simulations, if the tables of an exact answer would be too large.
    """
    settings, evidence = read_options(options, ENGINES), read_evidence(net, given, do)
    check_roles(net, (), evidence)
    if evidence.ranges:
        return _of_intervals(net, evidence, do, log, equivalents, options)
    for node in evidence.seen:
        if not net.variables[node].discrete:
            raise FitError(
                f"{net.names[node]!r} is a number: use logpdf for its density, or "
                "query(...).probability((low, high)) for an interval."
            )
    for node, weights in evidence.soft.items():
        if not log and weights.max() > 1.0:
            raise DataError(
                f"Weights of the levels of {net.names[node]!r} must not be above one: divide "
                "them by the largest, or use log=True for the logarithm of the weighted sum."
            )

    def ask(other: Net) -> Estimate:
        question = Question.of(other, (), evidence, settings, generator(settings.seed))
        question = replace(question, task="density")
        value = float(rank_engines(question).engines[0].logpdf(question)[0])
        return Estimate(value) if log else Probability(math.exp(value))

    answer = ask(net)
    if not do or equivalents is None or not net.directed:
        return float(answer) if log else answer
    rng, forced = generator(settings.seed), list(evidence.forced)
    return answer.over(
        range_over(answer, net, forced, ask, equivalents, settings.max_graphs, rng), float
    )


def _of_intervals(
    net: Net, evidence: Evidence, do: Any, log: bool, equivalents: Equivalents | None, options: Any
) -> Probability | Estimate | float:
    """Return the probability of intervals of numbers together with that of the other evidence."""
    events = {net.names[node]: ends for node, ends in evidence.ranges.items()}
    others = evidence._replace(ranges={}).given(net)
    ways = {"equivalents": equivalents, **options}
    share = query(net, [*events], others, do, **ways).probability(events)
    if others:
        before = probability(net, others, do, **ways)
        share = Probability(float(share) * float(before), share.error * float(before))
    return math.log(share) if log and share > 0 else -math.inf if log else share


class Misses(NamedTuple):
    """Errors of the predictions of each variable from all the others; rows by variables.

    `errors` are values minus predictions, NaN for levels that are not numbers; `hits` are 1 if the most
    probable level is the true one, `logs` the log probabilities of the true ones, both NaN for numbers.
    Missing values are NaN in all of them.
    """

    errors: Array
    hits: Array
    logs: Array


def misses(net: Net, table: Table, **options: Unpack[AskOptions]) -> Misses:
    """Return the errors of predicting each variable from all the others.

    Parameters
    ----------
    net : any network.
    table : rows of exactly the network's variables.
    options : as of `predict`.
    """
    settings, linear = read_options(options, ENGINES), linear_net(net)
    result = Misses(*(np.full((table.rows, len(net.names)), np.nan) for _ in Misses._fields))
    if linear is not None and settings.method is None and not table.missing().any():
        return result._replace(errors=residuals(linear, table))
    for node in range(len(net.names)):
        column, _ = _misses_of(net, table, node, settings)
        for whole, share in zip(result, column, strict=True):
            whole[:, node] = share[:, 0]
    return result


def target_misses(
    net: Net, table: Table, target: str, **options: Unpack[AskOptions]
) -> tuple[Array, Misses]:
    """Return log densities (probabilities) of one variable given all the others, and its `misses`."""
    result, answer = _misses_of(net, table, net.index(target), read_options(options, ENGINES))
    column = table.column(target).astype(float)
    return answer.logpdf(column[:, None])[:, 0], result


def _misses_of(net: Net, table: Table, node: int, settings: Options) -> tuple[Misses, Distribution]:
    """Return the errors of predicting one variable, one column each, and the predictions."""
    variable, column = net.variables[node], table.columns[node]
    is_present = ~gaps_of(variable, column)
    answer = found_of(Question.of_rows(net, table, settings, "rows", node)).answers[0].distribution
    result = Misses(*(np.full((table.rows, 1), np.nan) for _ in Misses._fields))
    if not variable.discrete or variable.numeric:
        result.errors[:, 0] = numbers_of(variable, column) - answer.mean
    if (levels := answer.categorical) is not None:
        codes = column[is_present].astype(float)
        result.hits[is_present, 0] = levels.codes[is_present] == codes
        result.logs[is_present, 0] = answer.take(is_present).logpdf(codes[:, None])[:, 0]
    return result, answer


def pseudo_log_density(net: Net, table: Table) -> Array:
    """Return the log pseudo-likelihood of rows: the sum over variables given their neighbours.

    Parameters
    ----------
    net : an undirected network.
    table : rows without missing values.

    Returns
    -------
    One number per row, in nats. It is not a density, and comparable only with other pseudo-likelihoods.

    Raises
    ------
    GraphError : a directed network, which has a density.
    DataError : rows with missing values.
    """
    if net.directed:
        raise GraphError("A directed network has a density: use logpdf instead.")
    rows = align(net, table)
    gaps = rows.missing()
    if gaps.any():
        holes = [rows.names[i] for i in np.flatnonzero(gaps.any(axis=0))]
        raise DataError(
            "A pseudo-likelihood needs complete rows, and values are missing in "
            f"{sentence_list(holes)}: fill them with impute, or drop the rows."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = networks.pseudo_log_density(net, rows.columns)
    return np.where(np.isnan(total), -np.inf, total)
