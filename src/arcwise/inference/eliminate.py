"""Variable elimination: an exact answer to one question, summed over what matters for it and nothing else.

What is neither asked nor known nor above such a variable is barren and left out, and so is what the evidence
separates from the question (Shachter 1998), unless it is so small that impossible evidence can be looked
for in it. Tables are cut down to the levels seen before anything is planned, so a question may be small in a
network whose junction tree is too large. Each hidden variable in turn is summed out of the product of the
tables it is in (Zhang and Poole 1996; Dechter 1999): along the best of several orders, turned so that what is
asked is left at the end. Rows with the same gaps share the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from arcwise._kernels.junction_tree import EliminationOrder, plan
from arcwise.distributions import Categorical
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.engine import EXACT, Cost, Engine, Found
from arcwise.inference.junction import folded, trees_of
from arcwise.inference.potentials import (
    Potentials,
    exact_found,
    impossible,
    needs_tables,
)
from arcwise.inference.question import Array, Columns, Question
from arcwise.inference.relevance import patterns, relevant
from arcwise.inference.scaled import Scaled
from arcwise.networks import BayesNet, MarkovNet

__all__ = ["Elimination"]

_OVERHEAD = 1e6
"""Work, in cells, that setting up the sum for a row costs."""

Part = tuple[tuple[int, ...], Array]

_PATTERNS = 20
"""Patterns of gaps up to which tables of rows are taken without being named."""


class Step(NamedTuple):
    """A product of tables, summed over all but the `kept` variables.

    `clique` are the variables of the product, `tables` the numbers of those that enter here, and `after` is
    the step that takes the result, -1 where none does.
    """

    clique: tuple[int, ...]
    tables: tuple[int, ...]
    kept: tuple[int, ...]
    after: int


class Sum(NamedTuple):
    """How a question is summed: steps before those that take their results; the last keeps what is asked.

    `constants` are the numbers of tables all of whose variables are known.
    """

    steps: tuple[Step, ...]
    constants: tuple[int, ...]
    plan: EliminationOrder


def _product(question: Question) -> Potentials:
    trees = trees_of(question.net)
    if trees is None:
        raise needs_tables(Elimination.name)
    return trees.product


def _members(question: Question, asked: Iterable[int], known: set[int]) -> list[int]:
    """The tables that matter: those of a density are of all that is known, and of what is above."""
    net = question.net
    if not isinstance(net, BayesNet):
        return list(range(len(_product(question).scopes)))
    soft = [node for node in question.soft if node not in known]
    wanted = {*asked, *soft}
    if question.task == "density":
        wanted |= {p for node in known for p in net.graph.parents[node] if p not in known}
        return sorted(relevant(net.graph, wanted, known) | known)
    return sorted(relevant(net.graph, wanted, known))


def planned(question: Question, asked: tuple[int, ...], known: set[int]) -> Sum:
    """EliminationOrder the sum for what is asked, given which variables are known."""
    if (
        asked and question.task != "density"
    ):  # all that is known, where that is cheap: it may be impossible
        found = planned(replace(question, task="density"), asked, known)
        if found.plan.entries < _OVERHEAD:
            return found
    product = _product(question)
    scopes = {
        n: tuple(v for v in product.scopes[n] if v not in known)
        for n in _members(question, asked, known)
    }
    free = sorted({v for scope in scopes.values() for v in scope})
    together = [scope for scope in (*scopes.values(), asked) if scope]
    place = {v: i for i, v in enumerate(free)}
    local = [tuple(place[v] for v in scope) for scope in together]
    best = plan([product.levels[v] for v in free], local)
    order = [free[i] for i in best.order.tolist()]
    cliques, after = _cliques(order, together)
    when = {v: i for i, v in enumerate(order)}
    entering: list[list[int]] = [[] for _ in cliques]
    for n, scope in scopes.items():
        if scope:
            entering[min(when[v] for v in scope)].append(n)
    constants = tuple(n for n, scope in scopes.items() if not scope)
    last = min((when[v] for v in asked), default=-1)
    return Sum(_turned(cliques, entering, after, (last, asked)), constants, best)


def _cliques(
    order: Sequence[int], scopes: Iterable[tuple[int, ...]]
) -> tuple[list[tuple[int, ...]], list[int]]:
    """For each variable summed out what it is multiplied with, and the step that takes the result."""
    near: dict[int, set[int]] = {v: set() for v in order}
    for scope in scopes:
        for v in scope:
            near[v].update(scope)
    when = {v: i for i, v in enumerate(order)}
    cliques, after = [], []
    for v in order:
        others = near[v] - {v}
        for other in others:
            near[other] |= others
            near[other].discard(v)
        cliques.append(tuple(sorted({v, *others})))
        after.append(min((when[other] for other in others), default=-1))
    return cliques, after


def _turned(
    cliques: Sequence[tuple[int, ...]],
    entering: Sequence[Sequence[int]],
    after: Sequence[int],
    end: tuple[int, tuple[int, ...]],
) -> tuple[Step, ...]:
    """The steps in an order that ends where the asked variables are: `end` is that step and what it keeps."""
    last, asked = end
    towards, at = list(after), last
    before = -1
    while at >= 0:  # the way from there to the root is walked backwards
        towards[at], before, at = before, at, after[at]
    rank = {i: n for n, i in enumerate(_leaves_first(towards, last))}
    steps: list[Step | None] = [None] * len(cliques)
    for i, to in enumerate(towards):
        kept = tuple(v for v in cliques[i] if v in cliques[to]) if to >= 0 else ()
        kept = asked if i == last else kept
        steps[rank[i]] = Step(cliques[i], tuple(entering[i]), kept, rank[to] if to >= 0 else -1)
    return tuple(step for step in steps if step is not None)


def _leaves_first(towards: Sequence[int], last: int) -> list[int]:
    """Steps before those that take their results, and one that nothing takes at the end."""
    inward: list[list[int]] = [[] for _ in towards]
    for i, to in enumerate(towards):
        if to >= 0:
            inward[to].append(i)
    reached = sorted((i for i, to in enumerate(towards) if to < 0), key=lambda i: i != last)
    for i in reached:  # grows on the way
        reached.extend(inward[i])
    return reached[::-1]


def summed(
    found: Sum, product: Potentials, values: Mapping[int, int], soft: Mapping[int, Array]
) -> tuple[Array, float]:
    """The table of what is asked, and the log of the sum over everything; zeros and -inf where it is zero."""
    try:
        with np.errstate(under="raise"):
            return _summed(found, product, values, soft)
    except FloatingPointError:  # doubles do not reach
        return _summed_scaled(found, product, values, soft)


def _summed(
    found: Sum, product: Potentials, values: Mapping[int, int], soft: Mapping[int, Array]
) -> tuple[Array, float]:
    """The sum by doubles, each table divided by its own."""
    with np.errstate(divide="ignore"):
        logs = [float(np.log(_cut(product, n, values)[1])) for n in found.constants]
    table = np.ones(())
    for step, parts, waiting in _walk(found, product, values, soft):
        table = _multiplied(parts, step, product.levels)
        size = float(table.sum())
        if not size > 0.0:
            return np.zeros(table.shape), -np.inf
        table = table / size
        logs.append(float(np.log(size)))
        if waiting is not None:
            waiting.append((step.kept, table))
    return table, fsum(logs) if -np.inf not in logs else -np.inf


def _summed_scaled(
    found: Sum, product: Potentials, values: Mapping[int, int], soft: Mapping[int, Array]
) -> tuple[Array, float]:
    """The same by numbers of any size; tables that nothing takes are factors of the whole."""
    whole = Scaled.of(np.ones(()))
    for n in found.constants:
        whole = whole.times(Scaled.of(_cut(product, n, values)[1]))
    table = Scaled.of(np.ones(()))
    for step, parts, waiting in _walk(found, product, values, soft):
        table = _multiplied_scaled(parts, step, product.levels)
        if waiting is not None:
            waiting.append((step.kept, table))
        else:
            whole = whole.times(table.total(tuple(range(table.digits.ndim))))
    return table.shares(), float(whole.log())


def _walk(
    found: Sum, product: Potentials, values: Mapping[int, int], soft: Mapping[int, Array]
) -> Iterator[tuple[Step, list[Any], list[Any] | None]]:
    """Each step with the tables that enter it, and the list of the step that takes its result, if any."""
    waiting: list[list[Any]] = [[] for _ in found.steps]
    weighed = dict(soft)
    for step, parts in zip(found.steps, waiting, strict=True):
        parts += [_cut(product, n, values) for n in step.tables]
        parts += [((v,), weighed.pop(v)) for v in step.clique if v in weighed]
        yield step, parts, waiting[step.after] if step.after >= 0 else None


def _cut(product: Potentials, number: int, values: Mapping[int, int]) -> Part:
    """A table at the levels that are known, over its other variables."""
    scope, table = product.scopes[number], product.tables[number]
    at = tuple(values.get(v, slice(None)) for v in scope)
    return tuple(v for v in scope if v not in values), table[at]


def _multiplied(parts: list[Part], step: Step, levels: Sequence[int]) -> Array:
    """The product of tables, summed over all but the variables that are kept, in their order."""
    product = np.ones((1,) * len(step.clique))
    for scope, table in sorted(parts, key=lambda part: part[1].size):
        axes, shape = _place(scope, step, levels)
        product = product * table.transpose(axes).reshape(shape)
    full = np.broadcast_to(product, [levels[v] for v in step.clique])
    sums: Array = full.sum(axis=_summed_axes(step))
    return sums.transpose(_turn(step))


def _multiplied_scaled(
    parts: list[tuple[tuple[int, ...], Array | Scaled]], step: Step, levels: Sequence[int]
) -> Scaled:
    """The same with numbers of any size."""
    product = Scaled.of(np.ones([levels[v] for v in step.clique]))
    for scope, table in parts:
        own = table if isinstance(table, Scaled) else Scaled.of(table)
        product = product.times(own.shaped(*_place(scope, step, levels)))
    sums = product.total(_summed_axes(step))
    return sums.shaped(_turn(step), [levels[v] for v in step.kept])


def _place(
    scope: tuple[int, ...], step: Step, levels: Sequence[int]
) -> tuple[list[int], list[int]]:
    """How a table is turned, and its shape beside the clique of a step."""
    inside = set(scope)
    axes = sorted(range(len(scope)), key=lambda i: scope[i])
    return axes, [levels[v] if v in inside else 1 for v in step.clique]


def _summed_axes(step: Step) -> tuple[int, ...]:
    return tuple(i for i, v in enumerate(step.clique) if v not in step.kept)


def _turn(step: Step) -> list[int]:
    left = [v for v in step.clique if v in step.kept]
    return [left.index(v) for v in step.kept]


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
        if isinstance(question.net, MarkovNet) and not named:
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
        plans = [planned(question, asked, known).plan for _, known in rows]
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
                found, before = planned(question, asked, set(values)), values.keys()
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
