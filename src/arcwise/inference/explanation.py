"""Most probable explanations: the joint most probable values of all or some variables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Unpack

import numpy as np

from arcwise.errors import DataError
from arcwise.frame import Frame, Framed, Series
from arcwise.inference.ask import ENGINES, beliefs_of, found_of, rank_engines
from arcwise.inference.ask_options import AskOptions
from arcwise.inference.belief import generator
from arcwise.inference.engine import Options, Question, read_options
from arcwise.inference.evidence import (
    Evidence,
    check_roles,
    names_of,
    plain,
    read_evidence,
    sentence,
)
from arcwise.inference.exact_tables import Junction
from arcwise.inference.intervene import Equivalents, range_over
from arcwise.inference.ranges import Range, plain_range, range_lines
from arcwise.networks import Net

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation(Framed, Mapping[str, Any]):
    """The joint most probable values of variables, by name.

    If all variables are explained, observed and set ones are included.

    Parameters
    ----------
    levels : a level or, for a continuous variable, a number by name.
    log_probability : natural logarithm of the probability (or density, with numbers) of the values
        and the evidence, with the weights of soft evidence.
    probability : the probability (or density) of the values given the evidence.
    has_density : whether there are numbers among the values.
    given, do : the query, for the text.
    range : the explanations of other graphs, if data do not identify the effect of an intervention.
    """

    levels: Mapping[str, Any]
    log_probability: float
    probability: float
    given: Mapping[str, Any] = field(default_factory=dict)
    do: Mapping[str, Any] = field(default_factory=dict)
    range: Range | None = field(default=None, compare=False, repr=False)
    has_density: bool = False

    error: ClassVar[float] = 0.0

    def __getitem__(self, name: str) -> Any:
        return self.levels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.levels)

    def __len__(self) -> int:
        return len(self.levels)

    def document(self) -> dict[str, Any]:
        """Return the numbers, for machines."""
        return {
            "given": dict(self.given),
            "do": dict(self.do),
            "levels": dict(self.levels),
            "log_probability": self.log_probability,
            "probability": self.probability,
            **plain_range(self.range),
        }

    @property
    def frame(self) -> Frame:
        """Return one row per variable with its value."""
        columns = Series("variable", list(self.levels)), Series("level", list(self.levels.values()))
        title = sentence(["most probable explanation"], self.given, self.do)
        notes = self._share, *range_lines(self.range)
        return Frame(columns, title, tuple(map(str.strip, notes)), "variable")

    @property
    def _share(self) -> str:
        kind = "density" if self.has_density else "probability"
        return f"{kind} given the evidence: {self.probability:.4g}"

    @property
    def brief(self) -> Frame:
        """Return one line per variable that was not seen."""
        evidence = {**self.given, **self.do}  # of which weights and sets leave the level open
        open_ones = {name: x for name, x in self.levels.items() if evidence.get(name) != x}
        texts = [f"{x:.5g}" if isinstance(x, float) else str(x) for x in open_ones.values()]
        columns = Series("variable", list(open_ones)), Series("level", texts)
        head = sentence(["most probable explanation"], self.given, self.do)
        notes = f"  {self._share}", *range_lines(self.range)
        return Frame(columns, head, notes, headed=False)


class ExplanationRange(Range):
    """The explanations of several graphs: levels that differ, and their probabilities."""

    @property
    def levels(self) -> dict[str, tuple[Any, ...]]:
        """The levels of each variable, those of the first answer first."""
        names = self.answers[0].levels if self.answers else ()
        return {
            name: tuple(dict.fromkeys(answers[name] for answers in self.answers)) for name in names
        }

    def _numbers(self) -> dict[str, Any]:
        levels = {name: list(answer) for name, answer in self.levels.items()}
        chances = self.of(lambda answer: answer.probability)
        return {
            "levels": levels,
            "log_probability": self.of(lambda answer: answer.log_probability),
            "probability": chances,
        }

    def _said(self) -> str:
        differing = [
            f"{name} {' or '.join(map(str, levels))}"
            for name, levels in self.levels.items()
            if len(levels) > 1
        ]
        low, high = self.of(lambda explanation: explanation.probability)
        levels = "; ".join(differing) if differing else "the same levels"
        return f"{levels}; probability between {low:.4g} and {high:.4g}"


def explain(
    net: Net,
    given: Mapping[str, Any] | None = None,
    do: Mapping[str, Any] | None = None,
    *,
    of: str | Sequence[str] | None = None,
    equivalents: Equivalents | None = None,
    **options: Unpack[AskOptions],
) -> Explanation:
    """Return the joint most probable values of all variables given the evidence (MPE), or of some (MAP).

    They need not be the most probable values of each variable separately. One of several equally probable
    explanations is returned.

    Parameters
    ----------
    net : any network with a joint distribution.
    given, do, equivalents, options : as for `query`.
    of : the variables to explain; all other unobserved ones are summed out (MAP). All by default.

    Raises
    ------
    FitError : tables that are too large, or impossible evidence.
    DataError : numbers with a simulated joint distribution.
    """
    settings, evidence = read_options(options, ENGINES), read_evidence(net, given, do)
    names = None if of is None else names_of(of)
    targets = () if names is None else tuple(map(net.index, names))
    if names is not None and not names:
        raise DataError("An explanation must have at least one target variable, got none.")
    check_roles(net, targets, evidence)
    if evidence.ranges:
        raise DataError("Evidence of an explanation must be values, got an interval.")

    def ask(other: Net) -> Explanation:
        if names is None and all(variable.discrete for variable in net.variables):
            return _of_all(other, evidence, settings)
        fixed = {*evidence.seen, *evidence.forced}
        open_ = [node for node in range(len(net.names)) if node not in fixed]
        return _of_some(other, targets or open_, evidence, settings)

    answer = ask(net)
    if not do or equivalents is None or not net.directed:
        return answer
    forced, rng = list(evidence.forced), generator(settings.seed)
    limit = settings.max_graphs
    range_ = range_over(answer, net, forced, ask, equivalents, limit, rng, ExplanationRange)
    return replace(answer, range=range_)


def _of_all(net: Net, evidence: Evidence, settings: Options) -> Explanation:
    """Return the most probable levels of all variables, on a junction tree."""
    settings = replace(settings, method=settings.method or "junction")
    question = Question.of(net, range(len(net.names)), evidence, settings, generator(0))
    question = replace(question, task="completion")
    rank_engines(question)  # refuses what does not fit
    codes, log, total = Junction().explain(question)
    levels = plain(net, dict(enumerate(np.asarray(codes).tolist())))
    share = min(math.exp(log - total), 1.0)
    return Explanation(levels, log, share, evidence.given(net), plain(net, evidence.forced))


def _of_some(
    net: Net, targets: Sequence[int], evidence: Evidence, settings: Options
) -> Explanation:
    """Return the most probable values of some variables, from their joint distribution."""
    if not targets:
        raise DataError("All variables are evidence: leave at least one out to explain.")
    names = [net.names[node] for node in targets]
    question = Question.of(net, targets, evidence, settings, generator(settings.seed))
    both = beliefs_of(question, found_of(question), evidence)
    alone, mode, total = len(targets) == 1, both.mode, 0.0
    share = float(
        (both.singles[0] if alone else both).logdensity(mode[names[0]] if alone else mode)
    )
    if evidence.seen or evidence.soft:
        density = Question.of(net, (), evidence, settings, generator(settings.seed))
        density = replace(density, task="density")
        total = float(rank_engines(density).engines[0].logpdf(density)[0])
    return Explanation(
        mode,
        share + total,
        math.exp(min(share, _LARGEST)),
        both.given,
        both.do,
        has_density=not all(net.variables[node].discrete for node in targets),
    )


_LARGEST = 700.0  # the exponential of more is infinite
