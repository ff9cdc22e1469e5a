"""Exact inference in conditional Gaussian networks, and for every query that reduces to one.

Hidden numbers are integrated out in closed form for each configuration of the hidden categories that they
depend on, then categories are summed out (see ``configurations``). So a number is a mixture of normals, a
category has probabilities, and densities are exact. Rows with the same missing cells are computed together.

The conditions apply to the query, not to the network: a category may have numeric parents, and a model may be
curved, if these numbers are observed. Evidence on levels may be a set or weights. A number with an interval
as evidence is integrated over it, by Gauss-Legendre rules between the quantiles of its
components: the answer is the average over the points, and its error the difference to a rule of fewer points.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.distributions import Distribution, RowParts
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.engine import (
    EXACT,
    Answer,
    Array,
    Columns,
    Cost,
    Engine,
    Question,
    Reply,
    needs_arrows,
)
from arcwise.inference.evidence import patterns, upward
from arcwise.inference.interval_average import average_over_interval
from arcwise.inference.joint_answers import Cells, States
from arcwise.inference.linear_gaussian import linear_net
from arcwise.inference.mixture_joint import MixtureJoint
from arcwise.inference.mixture_rows import SLOTS, answers_of, cost_of, needed_pieces, row_sums
from arcwise.notes import answer_note, mention

__all__ = ["ConditionalGaussianEngine"]

MAX_NUMBERS = 1 << 22
"""Largest number of cells of a table, and of covariances in all configurations of a block: 32 MB."""

_OVERHEAD = 2e4
"""Work of setting up the sums for a pattern of missing cells."""

_STATES = 4000
"""Draws that represent a joint distribution."""

_MOST_CELLS = 1 << 16
"""Largest number of cells or components of a joint distribution; larger ones are represented by draws."""


class ConditionalGaussianEngine(Engine):
    """Sums over configurations of categories, with numbers integrated out in closed form."""

    name = "conditional-gaussian"
    soft = True
    ranged = True

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Accept queries whose hidden variables are conditional Gaussian given the evidence."""
        if not question.net.directed:
            return needs_arrows(self.name)
        if question.options.method is None and _is_pure(question):
            return FitError("Networks of one kind of variables have their own engines.")
        if question.ranges and question.task not in ("belief", "marginals"):
            return FitError(
                "{method=} takes intervals in single queries.", fixes=[mention("method", self.name)]
            )
        if question.ranges and (question.together or len(question.ranges) > 1):
            return FitError(
                "{method=} takes one interval, and one variable at a time.",
                fixes=[mention("method", self.name)],
            )
        if question.task == "draws" and not question.soft and not _above(question):
            return FitError("Draws without evidence below them need no sums.")
        work = memory = 0.0
        for places, known in _patterns(question):
            for targets in _targets(question, known):
                pieces = needed_pieces(question, targets, known)
                if isinstance(pieces, FitError):
                    return pieces
                cells, one = cost_of(question, pieces, targets)
                if cells > MAX_NUMBERS:
                    return FitError(
                        f"An exact answer needs {cells:.2g} numbers for all configurations of categories, "
                        f"and at most {MAX_NUMBERS} are allowed: leave the method out to simulate."
                    )
                work += _OVERHEAD + one * len(places)
                memory = max(memory, one * min(len(places), max(1.0, SLOTS / one)))
        return Cost(EXACT, work, memory)

    def ask(self, question: Question) -> Reply:
        """Return mixtures of normals and probabilities of levels, in all rows."""
        if question.ranges:
            return average_over_interval(question)
        parts: list[list[tuple[NDArray[np.intp], Distribution]]] = [[] for _ in question.asked]
        for places, known in patterns(question.gaps):
            for answer_parts, node in zip(parts, question.asked, strict=True):
                answer_parts += answers_of(question, node, places, known)
        size = question.size
        answers = tuple(
            Answer.exact(RowParts.of(answer_parts, size), size) for answer_parts in parts
        )
        if not question.together:
            return Reply(answers)
        return Reply(answers, *_joint(question))

    def logpdf(self, question: Question) -> Array:
        """Return the log density of the observed cells of each row."""
        total = np.zeros(question.size)
        for places, known in patterns(question.gaps):
            for part, sums in row_sums(question, places, known, ()):
                total[part] = sums.density()
        return total

    def complete(self, question: Question, draw: bool) -> Columns:
        """Return expected values and most probable levels, or joint draws of all missing cells of each
        row.
        """
        if question.task == "draws":
            return _draw_rows(question)
        columns = [column.copy() for column in question.columns]
        for places, known in patterns(question.gaps):
            hidden = tuple(node for node in range(len(columns)) if node not in known)
            if draw and hidden:
                for part, sums in row_sums(question, places, known, hidden):
                    filled = sums.draw(np.arange(len(part)))
                    for node in hidden:
                        columns[node][part] = filled[node]
            for node in () if draw else hidden:
                for part, answer in answers_of(question, node, places, known):
                    levels = answer.nominal or answer.categorical
                    columns[node][part] = answer.mean if levels is None else levels.codes
        return tuple(columns)


def _is_pure(question: Question) -> bool:
    net = question.net
    return all(v.discrete for v in net.variables) or linear_net(net) is not None


def _above(question: Question) -> set[int]:
    """Return hidden ancestors of the evidence."""
    return upward(question.directed.graph, question.known, question.known)


def _patterns(question: Question) -> Iterator[tuple[NDArray[np.intp], set[int]]]:
    """Group rows by their observed variables; numbers with an interval as evidence count as observed."""
    for places, known in patterns(question.gaps):
        yield places, known | set(question.ranges)


def _targets(question: Question, known: set[int]) -> Iterator[tuple[int, ...]]:
    """Return groups of variables that are computed together."""
    if question.task == "density":
        yield ()
    elif question.task in ("completion", "draws"):
        yield tuple(node for node in range(len(question.net.names)) if node not in known)
    else:
        yield from ((node,) for node in question.asked if node not in known)
        if question.together:
            yield question.asked


def _joint(question: Question) -> tuple[Cells | MixtureJoint | States, Any]:
    """Return the joint distribution of the targets: a table of categories, a mixture, or exact draws."""
    targets = question.asked
    ((_, rows),) = row_sums(question, np.arange(1), question.known, targets)
    variables = tuple(question.net.variables[node] for node in targets)
    if all(variable.discrete for variable in variables):
        cells = prod([len(variable.levels or ()) for variable in variables])
        if cells <= _MOST_CELLS:
            logs = rows.table(targets)[0]
            table = np.exp(logs - logs.max())
            return Cells(variables, table / table.sum()), list
    elif mixture := rows.joint(targets, _MOST_CELLS):
        return mixture, list
    columns = rows.draw(np.zeros(_STATES, dtype=np.intp))
    drawn_rows = np.stack([columns[node].astype(float) for node in targets])
    text = f"Correlations and joint probabilities are those of {_STATES} independent draws."
    return States(variables, drawn_rows[:, :, None]), lambda: [answer_note(text)]


def _draw_rows(question: Question) -> Columns:
    """Draw rows that all have the same evidence."""
    columns = list(question.columns)
    hidden = tuple(node for node in range(len(columns)) if node not in question.known)
    ((_, rows),) = row_sums(question, np.arange(1), question.known, hidden)
    filled = rows.draw(np.zeros(question.size, dtype=np.intp))
    for node in hidden:
        columns[node] = filled[node].astype(question.net.variables[node].dtype)
    return tuple(columns)
