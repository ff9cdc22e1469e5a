"""What `model="auto"` does for tables of numbers: straight lines first, then further forms where they gain.

The linear graph is learned as if it had been chosen. A short search from it, in which each variable may have
curves and products of its parents (`conditionals.glm`), tells whether these forms have more evidence: both
totals are extended BICs with the same penalty. If they have, a full search replaces the linear network. If
no form but straight lines is chosen, the linear network stays, with its exact answers.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from arcwise.conditionals import FAMILIES, GlmConditional
from arcwise.data import Source, Table
from arcwise.errors import DataError, join_words
from arcwise.graphs import DAG
from arcwise.learners.directed import DirectedProblem
from arcwise.learners.problem import LearnedNetwork
from arcwise.learners.specification import Specification
from arcwise.notes import Fix, Note, NoteKind
from arcwise.results import ASKED, Watch
from arcwise.scores import total

__all__ = ["MIN_GAIN", "further_forms_of_rows", "with_further_forms"]

MIN_GAIN = 4.0
"""Nats by which a graph with further forms must exceed the linear one."""

_MAX_SECONDS = 10.0  # forecast of the short search, beyond which it is not begun
_SHORT_SECONDS = 1.0  # forecast up to which a full search follows it
_STEPS = 10**9  # no bound, but no proof by the exact search either
_FEWEST = 30  # rows, with fewer of which no curve is looked for
_COMPLETE = 0.5  # share of rows without missing values, with fewer of which these do not decide
_NAMED = 3  # variables with further forms that are named
_STRAIGHT = frozenset({"marginal", "additive"})


def with_further_forms(
    learned: LearnedNetwork, spec: Specification, watch: Watch | None
) -> LearnedNetwork:
    """The linear network, or the one with further forms if it has more evidence.

    Parameters
    ----------
    learned : what linear models led to.
    spec : as the user gave it: nothing is tried if it names a model, score, search or rule for the penalty.
    watch : may ask to stop; the linear network is the result then.
    """
    if not _is_open(learned, spec):
        return learned
    linear: Any = learned.problem
    curved = DirectedProblem.bind_prepared(linear.spec.but(model=FAMILIES["curved"]), linear.source)
    if (seconds := _forecast(curved)) > _MAX_SECONDS:
        return replace(learned, notes=(*learned.notes, _late(seconds)))
    start: Any = learned.net.graph  # directed, as its problem is
    fits: Any = curved.fits
    if not curved.limits.allows_graph(start) or not fits.may_gain(start, MIN_GAIN):
        return learned
    first = curved.learn_from(start, learned.penalty, watch, patience=0, max_steps=_STEPS)
    gain = first.total - _straight_total(curved, start, learned.penalty)
    if first.stopped == ASKED or not gain > MIN_GAIN or not _bent(first):
        return learned
    found: Any = first.net.graph
    whole = seconds < _SHORT_SECONDS
    best = curved.learn_from(found, learned.penalty, watch) if whole else first
    best = best if best.total >= first.total else first
    gain += best.total - first.total
    return replace(best, notes=(*best.notes, _choice_note(best, gain / curved.fits.rows)))


def further_forms_of_rows(
    learned: LearnedNetwork,
    spec: Specification,
    source: Source,
    learn: Callable[[Specification, Source], LearnedNetwork],
) -> LearnedNetwork:
    """The same for tables with missing values, whose linear networks are learned from moments alone.

    Complete rows decide: if their network has further forms, these are learned from all rows.

    Parameters
    ----------
    learned : what linear models led to.
    spec : as the user gave it.
    source : with missing values.
    learn : from a specification and data to a network.
    """
    if not isinstance(source, Table) or not _is_default(learned, spec):
        return learned
    try:
        complete = source.complete()
    except DataError:  # no row is complete
        return learned
    if complete.rows == source.rows or complete.rows < max(_FEWEST, _COMPLETE * source.rows):
        return learned
    trial = learn(spec, complete)
    if trial.problem.model != "curved":
        return learned
    best = learn(spec.but(model=FAMILIES["curved"]), source)
    return replace(best, notes=(*best.notes, trial.notes[-1]))


def _is_default(learned: LearnedNetwork, spec: Specification) -> bool:
    """Whether no choice was made that means linear models."""
    problem = learned.problem
    return (
        spec.model == "auto"
        and spec.score is None
        and spec.rule is None
        and spec.search == "auto"
        and type(problem) is DirectedProblem
        and problem.family.name == "gaussian"
        and learned.stopped != ASKED
    )


def _is_open(learned: LearnedNetwork, spec: Specification) -> bool:
    """Whether no choice was made that means linear models, and there are rows to look for curves in."""
    data = learned.problem.data
    return (
        _is_default(learned, spec)
        and data.has_rows
        and data.uniform
        and data.effective_rows >= _FEWEST
    )


def _forecast(problem: DirectedProblem) -> float:
    """Seconds that a first sweep over all pairs, and as much again, will take."""
    columns = len(problem.fits.nodes)
    return 2.0 * columns**2 * problem.fits.seconds(3)


def _straight_total(curved: DirectedProblem, graph: DAG, penalty: float) -> float:
    """The score of the linear graph with straight lines alone."""
    options = {"curved": {"margin": np.inf}}
    straight = DirectedProblem.bind_prepared(curved.spec.but(model_options=options), curved.source)
    return total(straight.penalised(penalty), graph)


def _bent(learned: LearnedNetwork) -> list[str]:
    """The variables whose form is not a straight line."""
    pairs = zip(learned.net.names, learned.net.conditionals, strict=True)
    return [
        n for n, each in pairs if isinstance(each, GlmConditional) and each.form not in _STRAIGHT
    ]


def _choice_note(learned: LearnedNetwork, gain: float) -> Note:
    bent = _bent(learned)
    names = join_words(bent, _NAMED)
    text = (
        f"Curves, products or other forms describe {names} better than straight lines: +{gain:.2g} nats per "
        "row for the network; {model=} keeps straight lines, with exact answers."
    )
    return Note(NoteKind.MODEL, text, tuple(bent), (Fix("model", "gaussian"),))


def _late(seconds: float) -> Note:
    text = f"Curves were not tested, which would take about {seconds:.0f} s or more: {{model=}} does so."
    return Note(NoteKind.MODEL, text, fixes=(Fix("model", "curved"),))
