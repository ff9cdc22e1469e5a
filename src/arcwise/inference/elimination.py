"""Variable elimination: an exact answer to one question, summed over what matters for it and nothing else.

What is neither asked nor known nor above such a variable is barren and left out, and so is what the evidence
separates from the question (Shachter 1998), unless it is so small that impossible evidence can be looked
for in it. Tables are cut down to the levels seen before anything is planned, so a question may be small in a
network whose junction tree is too large. Rows with the same gaps share the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from arcwise.distributions import Categorical
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.engine import EXACT, Cost, Engine, Found
from arcwise.inference.factors import Potentials, Sum, planned, summed
from arcwise.inference.junction import exact_found, folded, impossible, needs_tables, trees_of
from arcwise.inference.question import Array, Columns, Question
from arcwise.inference.relevance import patterns, relevant

__all__ = ["Elimination"]

_OVERHEAD = 1e6
"""Work, in cells, that setting up the sum for a row costs."""

_PATTERNS = 20
"""Patterns of gaps up to which tables of rows are taken without being named."""


def _product(question: Question) -> Potentials:
    trees = trees_of(question.net)
    if trees is None:
        raise needs_tables(Elimination.name)
    return trees.product


def _members(question: Question, asked: Iterable[int], known: set[int]) -> list[int]:
    """The tables that matter: those of a density are of all that is known, and of what is above."""
    net = question.net.as_directed
    if net is None:
        return list(range(len(_product(question).scopes)))
    soft = [node for node in question.soft if node not in known]
    wanted = {*asked, *soft}
    if question.task == "density":
        wanted |= {p for node in known for p in net.graph.parents[node] if p not in known}
        return sorted(relevant(net.graph, wanted, known) | known)
    return sorted(relevant(net.graph, wanted, known))


def _sum_for(question: Question, asked: tuple[int, ...], known: set[int]) -> Sum:
    """The sum for what is asked; over all that is known, where that is cheap: it may be impossible."""
    if asked and question.task != "density":
        found = _sum_for(replace(question, task="density"), asked, known)
        if found.plan.entries < _OVERHEAD:
            return found
    return planned(_product(question), _members(question, asked, known), asked, known)


class Elimination(Engine):
    """Variable elimination for one question, or for each row of a table."""

    name = "elimination"
    soft = True
    thorough = True

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Questions to discrete networks; whole rows are filled or drawn only where it is named."""
        named = question.options.method is not None
        if trees_of(question.net) is None:
            return needs_tables(self.name)
        if not question.net.directed and not named:
            return FitError(
                "Nothing is barren in an undirected network: name method='elimination'."
            )
        if question.task in ("completion", "draws", "marginals") and not named:
            return FitError(
                "Variable elimination sums for one variable at a time: name method='elimination'."
            )
        if named and question.task in ("completion", "draws", "marginals"):
            return Cost(EXACT, _OVERHEAD)
        rows = list(patterns(question.gaps))
        if len(rows) > _PATTERNS and not named:
            return FitError(
                f"Variable elimination plans for each of {len(rows)} patterns of gaps: name "
                "method='elimination'."
            )
        asked = question.asked if question.task != "density" else ()
        plans = [_sum_for(question, asked, known).plan for _, known in rows]
        work = max((each.entries for each in plans), default=0.0)
        return Cost(
            EXACT, work + _OVERHEAD, 3.0 * max((each.largest for each in plans), default=0.0)
        )

    def ask(self, question: Question) -> Found:
        """The table of what is asked, row by row."""
        if question.together:
            table = self._tables(question, question.asked)[0]
            axes = range(table.ndim)
            singles = [table.sum(axis=tuple(j for j in axes if j != i))[None] for i in axes]
            return exact_found(question, singles, table)
        singles = [self._tables(question, (node,)) for node in question.asked]
        return exact_found(question, singles, singles[0][0] if question.task == "belief" else None)

    def _tables(self, question: Question, asked: tuple[int, ...]) -> Array:
        """The joint distribution of some variables in each row."""
        product, tables = _product(question), []
        shape = tuple(product.levels[node] for node in asked)
        for row, (table, log) in self._rows(question, asked):
            if np.isneginf(log):
                raise impossible(question, row)
            tables.append(table)
        return np.array(tables).reshape(-1, *shape)[folded(question).which]

    def _rows(
        self, question: Question, asked: tuple[int, ...]
    ) -> Iterator[tuple[int, tuple[Array, float]]]:
        """The sum for each combination of what is known, and the first row that has it."""
        product, rows, before, found = _product(question), folded(question), None, None
        for first, codes in zip(rows.first.tolist(), rows.codes.tolist(), strict=True):
            values = {node: code for node, code in enumerate(codes) if code >= 0}
            if found is None or values.keys() != before:
                found, before = _sum_for(question, asked, set(values)), values.keys()
            yield first, summed(found, product, values, question.soft)

    def logpdf(self, question: Question) -> Array:
        """Log probability of what is known of each row; minus infinity where it is impossible."""
        logs = [log for _, (_, log) in self._rows(question, ())]
        return np.array(logs)[folded(question).which]

    def complete(self, question: Question, draw: bool) -> Columns:
        """The most probable level of each gap by itself, or the gaps of a row drawn one after the other."""
        columns = [column.copy() for column in question.columns]
        for node in np.flatnonzero(question.gaps.any(axis=0)).tolist():
            rows = np.flatnonzero(question.gaps[:, node])
            gaps = question.gaps[rows].copy()
            if draw:  # what was drawn before is known
                gaps[:, :node] = False
            source = columns if draw else question.columns
            part = replace(question, columns=tuple(c[rows] for c in source), gaps=gaps, task="rows")
            shares = self._tables(part, (node,))
            found = Categorical(shares / shares.sum(axis=1, keepdims=True))
            codes = found.sample(question.rng, 1)[:, 0] if draw else found.codes
            columns[node][rows] = codes.astype(columns[node].dtype)
        return tuple(columns)
