"""What findings say of a whole network: all beliefs, their own probability, their explanation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from arcwise.distributions import refuse_beyond
from arcwise.errors import DataError, FitError
from arcwise.inference import questions
from arcwise.inference.base import Answer, Found
from arcwise.inference.belief import Belief, Probability, generator, sentence
from arcwise.inference.evidence import plain, read_evidence
from arcwise.inference.junction import Junction
from arcwise.inference.questions import Question
from arcwise.inference.ranking import ENGINES, found_of, ranked
from arcwise.networks import Net

__all__ = ["Explanation", "Marginals", "explain", "marginals", "probability"]


class Marginals(Mapping[str, Belief]):
    """The belief about every variable that is neither seen nor set, by name; made when looked at."""

    def __init__(self, question: Question, found: Found, given: Mapping[str, Any]) -> None:
        names = question.net.names
        self._answers = {
            names[node]: answer for node, answer in zip(question.asked, found.answers, strict=True)
        }
        self._found, self._kept = found, dict[str, Belief]()
        self.given, self.do = given, plain(question.net, question.forced)
        self._ask: Callable[[str], Belief] | None = None

    def asked_by(self, ask: Callable[[str], Belief]) -> Self:
        """The same, each belief made by a question of its own: answers to ``do`` have a range then."""
        self._ask = ask
        return self

    def __getitem__(self, name: str) -> Belief:
        if name not in self._kept:
            made = self._belief(name, self._answers[name])
            self._kept[name] = made if self._ask is None else self._ask(name)
        return self._kept[name]

    def _belief(self, name: str, answer: Answer) -> Belief:
        refuse_beyond(answer.distribution, name)
        quality = answer.quality(tuple(self._found.notes()))
        return Belief(name, answer.distribution, quality, answer.by_chain, self.given, self.do)

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for machines."""
        return {name: belief.to_dict() for name, belief in self.items()}

    def __str__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [f"  {name:<{width}}  {belief.words()}" for name, belief in self.items()]
        head = sentence([f"{len(self)} variables"], self.given, self.do)
        notes = [f"  note: {note}" for note in self._found.notes()]
        if self._ask is not None:
            notes.append("  note: Each answer has a range over graphs: print one by its name.")
        return "\n".join([head, *lines, *notes])

    __repr__ = __str__


def marginals(
    net: Net,
    given: Mapping[str, Any] | None = None,
    do: Mapping[str, Any] | None = None,
    **options: Any,
) -> Marginals:
    """The belief about every variable that is neither seen nor set.

    Parameters
    ----------
    net : any network.
    given, do, options : as for `query`.

    Raises
    ------
    As of `query`.
    """
    chosen, evidence = questions.read_options(options, ENGINES), read_evidence(net, given, do)
    questions.check_roles(net, (), evidence)
    known = {*evidence.seen, *evidence.forced}
    asked = [node for node in range(len(net.names)) if node not in known]
    question = Question.of(net, asked, evidence, chosen, generator(chosen.seed))
    question = replace(question, task="marginals")
    return Marginals(question, found_of(question), evidence.given(net))


def probability(
    net: Net,
    given: Mapping[str, Any],
    do: Mapping[str, Any] | None = None,
    *,
    log: bool = False,
    **options: Any,
) -> Probability | float:
    """Probability of what was seen, all of it together; 0 where it is impossible.

    Parameters
    ----------
    net : a network of discrete variables with a joint distribution.
    given : levels, sets of levels, intervals or weights by name.
    do : levels set from outside.
    log : the natural logarithm instead, which does not underflow.
    options : of simulations, where the tables of an exact answer would be too large.
    """
    chosen, evidence = questions.read_options(options, ENGINES), read_evidence(net, given, do)
    questions.check_roles(net, (), evidence)
    for node in evidence.seen:
        if not net.variables[node].discrete:
            raise FitError(
                f"{net.names[node]!r} is a number: it has a density (logpdf), and its intervals have a "
                "probability by query(...).probability((low, high))."
            )
    question = Question.of(net, (), evidence, chosen, generator(chosen.seed))
    question = replace(question, task="density")
    found = float(ranked(question).engines[0].logpdf(question)[0])
    if log:
        return found
    for node, weights in evidence.soft.items():
        if weights.max() > 1.0:
            raise DataError(
                f"Weights of the levels of {net.names[node]!r} are above one, so there is no probability: "
                "divide them by the largest, or ask for the logarithm of the weighted sum by log=True."
            )
    return Probability(math.exp(found))


@dataclass(frozen=True)
class Explanation(Mapping[str, Any]):
    """The most probable level of all variables together, by name; those that were seen or set are among them.

    Parameters
    ----------
    levels : by name.
    log_probability : natural logarithm of the probability of the levels together, with the weights of soft
        evidence.
    probability : the share of that in the probability of the evidence.
    given, do : the question, for the text.
    """

    levels: Mapping[str, Any]
    log_probability: float
    probability: float
    given: Mapping[str, Any] = field(default_factory=dict)
    do: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.levels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.levels)

    def __len__(self) -> int:
        return len(self.levels)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for machines."""
        return {
            "given": dict(self.given),
            "do": dict(self.do),
            "levels": dict(self.levels),
            "log_probability": self.log_probability,
            "probability": self.probability,
        }

    def __str__(self) -> str:
        known = {**self.given, **self.do}  # of which weights and sets leave the level open
        width = max(map(len, self.levels), default=0)
        rows = [
            f"  {name:<{width}}  {x}" for name, x in self.levels.items() if known.get(name) != x
        ]
        head = sentence(["most probable explanation"], self.given, self.do)
        return "\n".join([head, *rows, f"  probability given the evidence: {self.probability:.4g}"])


def explain(
    net: Net, given: Mapping[str, Any] | None = None, do: Mapping[str, Any] | None = None
) -> Explanation:
    """The most probable levels of all variables together, given what was seen (MPE).

    They need not be the most probable levels of each variable by itself. Of several equally probable
    explanations, one.

    Parameters
    ----------
    net : a discrete network.
    given, do : as for `query`.

    Raises
    ------
    FitError : another kind of network, tables that are too large, or impossible evidence.
    """
    chosen, evidence = (
        questions.read_options({"method": "junction"}, ENGINES),
        read_evidence(net, given, do),
    )
    questions.check_roles(net, (), evidence)
    everything = range(len(net.names))
    question = replace(
        Question.of(net, everything, evidence, chosen, generator(0)), task="completion"
    )
    ranked(question)  # refuses what does not fit
    codes, log, total = Junction().explain(question)
    found = plain(net, dict(enumerate(np.asarray(codes).tolist())))
    share = min(math.exp(log - total), 1.0)
    return Explanation(found, log, share, evidence.given(net), plain(net, evidence.forced))
