"""The register of engines, and which of them answers a question.

The cheapest engine that accepts a question is asked: closed forms first, then whatever is exact, then
simulation (see ``engine``). Naming a ``method`` asks for an engine by its word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from arcwise.data.memory import available, size_words
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.elimination import Elimination
from arcwise.inference.engine import EXACT, Cost, DeclinedError, Engine, Found
from arcwise.inference.gaussian.closed_form import Closed
from arcwise.inference.gibbs import Gibbs
from arcwise.inference.junction import Junction
from arcwise.inference.product_sampling import ProductRule
from arcwise.inference.question import Question
from arcwise.inference.stacked import Stacked
from arcwise.inference.weighting import Importance

__all__ = ["ENGINES", "Ranking", "answered", "found_of", "ranked"]

T = TypeVar("T")

CHEAP = 1e6
"""Work below which an exact answer is taken at once."""

MEMORY = 5e8
"""Most numbers that an engine may hold at once."""

_SMALL = 1e7
"""Numbers that any machine holds."""

_ROOM = 0.5
"""Share of the memory that can be had now which an answer may take."""

ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        Closed(),
        Junction(),
        Elimination(),
        Importance(),
        Stacked(),
        Gibbs(),
        Gibbs("blankets"),
        ProductRule(),
    )
}


class Ranking(NamedTuple):
    """Engines that accept a question, the best first, and sentences about exact ones that are too large."""

    engines: list[Engine]
    notes: tuple[str, ...] = ()


def ranked(question: Question) -> Ranking:
    """The engines that accept a question, the best first; of a named method, this one.

    Raises
    ------
    ArcwiseError : none does; the sentence says why.
    """
    method = question.options.method
    taken: list[tuple[Cost, Engine]] = []
    reasons: list[ArcwiseError] = []
    large: list[str] = []
    for engine in ENGINES.values() if method is None else [ENGINES[method]]:
        cost = _cost(engine, question)
        if isinstance(cost, ArcwiseError):
            reasons.append(cost)
        elif cost.memory > _limit(cost.memory):
            size = f"{cost.memory:.2g} numbers at once ({size_words(8 * cost.memory)})"
            said = f"The answer needs {size}, above {_limit(cost.memory):.2g}: ask for less."
            reasons.insert(0, FitError(said))
            if cost.error == EXACT:
                large.append(
                    f"An exact answer by {engine.name} needs {size}: this one is simulated."
                )
        elif cost.error == EXACT and cost.work < CHEAP:
            return Ranking([engine])
        else:
            taken.append((cost, engine))
    if not taken:
        raise reasons[0]
    taken.sort(key=lambda each: each[0])
    notes = () if taken[0][0].error == EXACT else tuple(large)
    return Ranking([engine for _, engine in taken], notes)


def _limit(wanted: float) -> float:
    """Most numbers that may be held at once; what is small is not compared with the memory of the machine."""
    return MEMORY if wanted < _SMALL else min(MEMORY, _ROOM * available() / 8)


def _cost(engine: Engine, question: Question) -> Cost | ArcwiseError:
    if question.soft and not engine.soft:
        return FitError(
            f"The method {engine.name!r} takes values as evidence, and no sets, intervals or weights of "
            "levels: these are for networks whose local models are all tables of probabilities."
        )
    return engine.accepts(question)


def answered(question: Question, ask: Callable[[Engine], T]) -> tuple[T, tuple[str, ...]]:
    """What the best engine says, and sentences about better ones; the next is asked where one declines."""
    refused: DeclinedError | None = None
    engines, notes = ranked(question)
    for engine in engines:
        if not engine.thorough:
            question.check_possible()
        try:
            return ask(engine), notes
        except DeclinedError as error:
            refused = refused or error
    raise FitError(" ".join([str(refused), *notes]))


def found_of(question: Question) -> Found:
    """The answers of the best engine."""
    found, notes = answered(question, lambda engine: engine.ask(question))
    return found._replace(notes=lambda: [*notes, *found.notes()]) if notes else found
