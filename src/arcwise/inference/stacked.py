"""Questions to the rows that Parzen windows keep, by stacked conditionals (see ``stacks``).

A variable alone is asked for given what is known of a row. Several are drawn by the chain rule, one after the
other, each given what is known by then: p(a, b | known) = p(a | known) p(b | known, a). Every row is an
independent draw, without burn-in. Gibbs sampling over conditionals that were fitted one by one may drift away
from the data where they do not agree, and its diagnostics cannot tell; these draws cannot drift. They do
depend on the order of the variables, which is that of their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import ParzenConditional
from arcwise.distributions import Categorical
from arcwise.errors import ArcwiseError, FitError, GraphError
from arcwise.inference.base import ESTIMATED, EXACT, Cost, Engine, Found
from arcwise.inference.gibbs import Gathered, answers_itself, far_notes, model_parts, open_rows
from arcwise.inference.questions import Columns, Mask, Question, no_blankets
from arcwise.inference.relevance import patterns
from arcwise.inference.stacks import Stacker, first_met
from arcwise.networks import BayesNet, MarkovNet

Integers = NDArray[np.intp]

CHAINED = 2000
"""Draws by the chain rule for a joint answer."""

_BLOCK = 512
"""Rows whose distributions are held at once where they are drawn from."""


class Stacked(Engine):
    """Stacked conditionals on what is known, where all models (or blanket models) are Parzen windows."""

    name = "stacked"

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Questions about what was seen, where all conditionals given the others keep their rows."""
        net, named = question.net, question.options.method is not None
        if question.forced:
            return GraphError(
                "method='stacked' answers given what was seen: leave do= out, or the method."
            )
        if isinstance(net, BayesNet) and net.blankets is None:
            return no_blankets()
        field = question.field
        for name, model in zip(field.names, field.conditionals, strict=True):
            if not isinstance(model, ParzenConditional):
                return FitError(
                    f"method='stacked' asks the rows that Parzen windows keep, and the model of {name!r} "
                    "is of another kind: leave the method out."
                )
        if question.task == "density":
            return FitError("The method 'stacked' gives no densities: leave the method out.")
        alone = question.single and not question.together and not named
        if alone and answers_itself(field, question):
            return Cost(EXACT, 2.0)
        return Cost(ESTIMATED, 9.0 * len(field.names))

    def ask(self, question: Question) -> Found:
        """Stacks for rows with gaps; the local model itself for others, where the method is not named."""
        field, gaps = question.field, question.gaps
        places, found = np.arange(question.size), Gathered(question)
        for i, node in enumerate(question.asked):
            waiting = np.ones(question.size, dtype=bool)
            if question.options.method is None and not question.together:
                waiting = open_rows(field, gaps, node)
                found.own(field, i, places[~waiting])
            found.parts[i] += _parts(field, question.columns, gaps, places[waiting], node)
        found.notes.append(partial(far_notes, field, question, places))
        if question.together:
            many = tuple(np.repeat(column, CHAINED) for column in question.columns)
            drawn = _chained(
                field, many, np.repeat(gaps, CHAINED, axis=0), question.rng, question.asked
            )
            found.states = np.stack([drawn[node].astype(float) for node in question.asked])[
                :, :, None
            ]
        return found.found()

    def complete(self, question: Question, draw: bool) -> Columns:
        """Gaps drawn by the chain rule, or filled with expected values (most probable levels)."""
        field, columns = question.field, question.columns
        if draw:
            return tuple(_chained(field, columns, question.gaps, question.rng))
        filled = [column.copy() for column in columns]
        for node in np.flatnonzero(question.gaps.any(axis=0)).tolist():
            holes = np.flatnonzero(question.gaps[:, node])
            for places, part in _parts(field, columns, question.gaps, holes, node):
                found = part()
                discrete = isinstance(found, Categorical)
                filled[node][places] = found.codes if discrete else found.mean
        return tuple(filled)


def _parts(
    field: MarkovNet, columns: Columns, gaps: Mask, rows: Integers, node: int
) -> Iterator[Any]:
    """Distributions of one variable in some rows, for each pattern of gaps, worked out when asked for."""
    stacker, stacks = Stacker(field, node), dict[tuple[int, ...], Any]()
    for places, known in patterns(gaps[rows]):
        met = first_met(field, node, _mask(field, known - {node}))
        if met not in stacks:
            stacks[met] = stacker.given(met)
        yield from model_parts(stacks[met], field.variables[node], met, columns, rows[places])


def _mask(field: MarkovNet, known: set[int]) -> Mask:
    mask = np.zeros(len(field.names), dtype=bool)
    mask[list(known)] = True
    return mask


def _chained(
    field: MarkovNet,
    columns: Columns,
    gaps: Mask,
    rng: np.random.Generator,
    nodes: Sequence[int] | None = None,
) -> list[NDArray[Any]]:
    """Fill gaps with draws, those of a row together; `nodes` are drawn in this order, None for all."""
    filled = [column.copy() for column in columns]
    wanted = range(len(field.names)) if nodes is None else nodes
    stackers = {node: Stacker(field, node) for node in wanted}
    for places, known in patterns(gaps):
        mask = _mask(field, known)
        for node in wanted:
            if mask[node]:
                continue
            met = first_met(field, node, mask)
            stack = stackers[node].given(met)
            for low in range(0, len(places), _BLOCK):
                part = places[low : low + _BLOCK]
                xs = tuple(filled[other][part] for other in met)
                found = stack.distribution(xs, len(part))
                filled[node][part] = found.sample(rng, 1)[:, 0]
            mask[node] = True
    return filled
