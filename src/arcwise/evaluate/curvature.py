"""Tests for curved relations in linear networks, and the gain of Parzen windows.

This is a cheap check of the local models of a Gaussian graph. For a child with linear inputs X and a column z
let Z be the nonlinear part of a cubic spline of z. The regressions of the child on X and on X with Z are
compared by the errors of held-out rows, in closed form: the mean is *curved* in z where both the squares and
the sizes of the errors fall by more than chance explains. Noise of any shape that is the same for all rows
does not look curved by this, nor do a few outlying rows.

Only then Parzen windows with the same inputs are fitted. What they gain is the mean over rows of

    log density of a row left out, by Parzen windows - the same by the linear Gaussian model,

and it is reported if it is large next to its standard error over rows, and above log n / n. It is the gain
of the whole local model: Parzen windows follow the shape of the noise, too.

Pairs of columns without an edge are looked at in the same way, since the linear graph misses what is
curved and has no slope; the gain is then that of Parzen windows with the column on those without it. Arcs
that may as well run the other way are looked at from both ends: the mean may be curved in one direction
only. Products of inputs, and noise whose spread depends on inputs, are not looked for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import FAMILIES, Fits
from arcwise.data import Statistics, Table
from arcwise.distributions import log_sum
from arcwise.errors import join_words
from arcwise.graphs import DAG, Limits, UGraph, cpdag
from arcwise.notes import Fix, Note, NoteKind
from arcwise.results import Path

Array = NDArray[np.float64]
Set = tuple[int, ...]

_ROWS = 1_000  # rows that are looked at, evenly spread
_FEWEST = 60  # rows below which nothing can be told
_MODELS = 8  # fits of Parzen windows, to the most curved local models
_CHILDREN = 200  # columns that are looked at, evenly spread
_INPUTS = 12  # inputs up to which Parzen windows are fitted
_PAIRS = 60  # pairs without an edge that are looked at closely
_KNOTS = (0.05, 0.23, 0.41, 0.59, 0.77, 0.95)  # of the splines, as shares of the rows
_CURVED, _MISSED = 3.0, 5.0  # standard errors by which errors must fall: on edges, and elsewhere
_PART = 0.02  # share of the noise's variance that must be explained
_GAIN = 3.0  # standard errors by which Parzen windows must gain
_SINGLE = 0.1  # share of values occurring once below which Parzen windows gain by ties alone
_LOG_2PI = float(np.log(2 * np.pi))


class Bend(NamedTuple):
    """A local model with a curved mean, and the gain of Parzen windows with these inputs.

    `child`, its `inputs` and those that are `curved` are column numbers; `gain` is in nats per row, `error`
    its standard error; `missed` says that the curved input is none of the graph's: the gain is its own;
    `turned` that its arc runs the other way in the graph.
    """

    child: int
    inputs: Set
    curved: Set
    gain: float
    error: float
    missed: bool = False
    turned: bool = False


def bends(
    table: Table, inputs: Sequence[Set], reversible: Sequence[tuple[int, int]] = ()
) -> list[Bend]:
    """Return the local models that are curved, those first that gain most.

    Parameters
    ----------
    table : complete rows of continuous columns.
    inputs : of each column's local model: parents, or neighbours.
    reversible : arcs (tail, head) among these that may as well run the other way.

    Returns
    -------
    Curved local models, none if rows are few or weighted. At most a thousand rows, 200 models, 60 other
    pairs and eight fits of Parzen windows are looked at, whatever the table.

    >>> from arcwise.data import table
    >>> x = np.linspace(-2, 2, 200)
    >>> y = x + x**2 + np.random.default_rng(1).normal(size=200)
    >>> [(bend.child, bend.curved) for bend in bends(table({"x": x, "y": y}), [(), (0,)])]
    [(1, (0,))]
    """
    if table.rows < _FEWEST or table.weights is not None:
        return []
    look = _Look(table.take(_spread(table.rows, _ROWS)), tuple(inputs), tuple(reversible))
    suspects = look.suspects()[:_MODELS]
    candidates = [look.bend(suspect) for suspect in suspects]
    least = np.log(look.rows) / look.rows
    clear_bends = [bend for bend in candidates if bend.gain > max(_GAIN * bend.error, least)]
    return sorted(clear_bends, key=lambda bend: -bend.gain)


class _Suspect(NamedTuple):
    """A local model that looks curved, with the share of its noise that the curves explain."""

    part: float
    child: int
    curved: Set
    missed: bool = False
    turned: bool = False


@dataclass(frozen=True, eq=False)
class _Look:
    """Some rows of a table, the inputs of its columns' local models, and arcs without a sure direction."""

    table: Table
    inputs: tuple[Set, ...]
    reversible: tuple[tuple[int, int], ...] = ()

    @property
    def rows(self) -> int:
        return self.table.rows

    @cached_property
    def columns(self) -> tuple[Array, ...]:
        return tuple(_standardise(column) for column in self.table.columns)

    @cached_property
    def curves(self) -> tuple[Array, ...]:
        """The nonlinear part of a spline of each column."""
        return tuple(map(_nonlinear, self.columns))

    @cached_property
    def _windows(self) -> Fits:
        """Parzen windows bound to the standardised columns: what they gain does not depend on units."""
        return FAMILIES["parzen"].bind(replace(self.table, columns=self.columns))

    @cached_property
    def children(self) -> list[int]:
        """Return the columns whose local models are looked at."""
        able = [
            child
            for child, row in enumerate(self.inputs)
            if len(row) <= _INPUTS and not _has_ties(self.columns[child])
        ]
        return [able[i] for i in _spread(len(able), _CHILDREN)] if able else []

    def regression(self, child: int, *more: int) -> "_Regression":
        xs = [self.columns[j] for j in (*self.inputs[child], *more)]
        return _Regression(self.columns[child], xs)

    def suspects(self) -> list[_Suspect]:
        """Return the local models that look curved, the most curved first."""
        suspects, straight = [], {}
        for child in self.children:
            regression = self.regression(child)
            parts = {j: regression.explained(self.curves[j], _CURVED) for j in self.inputs[child]}
            curved = tuple(j for j, part in parts.items() if part > _PART)
            if curved:
                suspects.append(_Suspect(max(parts.values()), child, curved))
            else:
                straight[child] = regression
        suspects += [*self._turned(suspects), *self._missed(straight)]
        return sorted(suspects, key=lambda suspect: -suspect.part)

    def _turned(self, suspects: Sequence[_Suspect]) -> Iterator[_Suspect]:
        """Return the tails of reversible arcs that are curved in the head, where the head is straight
        in the tail.
        """
        curved_arcs = {(j, suspect.child) for suspect in suspects for j in suspect.curved}
        able = set(self.children)
        open_arcs = [arc for arc in self.reversible if arc[0] in able and arc not in curved_arcs]
        for index in _spread(len(open_arcs), _CHILDREN) if open_arcs else ():
            child, j = open_arcs[index]
            part = self.regression(child, j).explained(self.curves[j], _CURVED)
            if part > _PART:
                yield _Suspect(part, child, (j,), turned=True)

    def _missed(self, straight: dict[int, "_Regression"]) -> list[_Suspect]:
        """Return the columns that depend on another without an edge, for each child the one that
        explains most.
        """
        best: dict[int, _Suspect] = {}
        for child, j in self._pairs(straight):
            part = self.regression(child, j).explained(self.curves[j], _MISSED)
            if part > max(_PART, best[child].part if child in best else 0.0):
                best[child] = _Suspect(part, child, (j,), missed=True)
        return list(best.values())

    def _pairs(self, straight: dict[int, "_Regression"]) -> list[tuple[int, int]]:
        """Return the pairs (child, other) without an edge, those whose curves explain most of the
        residuals.
        """
        order = list(straight)
        if not order:
            return []
        rest = np.column_stack([straight[child].unit for child in order])
        shares = np.zeros((len(order), len(self.columns)))
        for j in range(len(self.columns)):
            basis, _ = _basis(self.curves[j] - self.curves[j].mean(axis=0))
            shares[:, j] = ((basis.T @ rest) ** 2).sum(axis=0)
        for row, child in enumerate(order):
            near = [child, *self.inputs[child]]
            shares[
                row, [*near, *(j for j, inputs in enumerate(self.inputs) if child in inputs)]
            ] = 0.0
        largest = np.argsort(-shares, axis=None, kind="stable")[:_PAIRS]
        cells = zip(*np.unravel_index(largest, shares.shape), strict=True)
        return [(order[row], int(j)) for row, j in cells if shares[row, j] > _PART]

    def bend(self, suspect: _Suspect) -> Bend:
        """Return what Parzen windows gain on the linear model, or with a missed input on those without it."""
        child, own = suspect.child, self.inputs[suspect.child]
        inputs = tuple(sorted({*own, *suspect.curved}))
        more = [j for j in suspect.curved if j not in own]
        linear = self.regression(child, *more)
        before = self._parzen(child, own) if suspect.missed else linear.log_densities()
        gains = self._parzen(child, inputs) - before
        gain, error = float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))
        return Bend(child, inputs, suspect.curved, gain, error, suspect.missed, suspect.turned)

    def _parzen(self, child: int, inputs: Set) -> Array:
        """Return the log density of each row under Parzen windows on all others."""
        model = self._windows.conditional(child, inputs)
        h_in, h_out = map(float, model.bandwidths)  # type: ignore[attr-defined]
        logs = np.zeros((self.rows, self.rows))
        for j in inputs:
            logs -= 0.5 * (np.subtract.outer(self.columns[j], self.columns[j]) / h_in) ** 2
        np.fill_diagonal(logs, -np.inf)
        near = -0.5 * (np.subtract.outer(self.columns[child], self.columns[child]) / h_out) ** 2
        constant = float(np.log(h_out)) + 0.5 * _LOG_2PI
        return log_sum(logs + near) - log_sum(logs) - constant


class _Regression:
    """Least squares of a column on others: errors of held-out rows, in closed form."""

    def __init__(self, y: Array, xs: Sequence[Array]) -> None:
        self.basis, self.leverage = _basis(np.column_stack([np.ones(len(y)), *xs]))
        self.rest = y - self.basis @ (self.basis.T @ y)
        self.errors = _left_out(self.rest, self.leverage)

    @property
    def unit(self) -> Array:
        """Residuals, scaled to a sum of squares of one."""
        return self.rest / max(float(np.linalg.norm(self.rest)), 1e-150)

    def explained(self, terms: Array, enough: float) -> float:
        """Return the share of the error variance that further terms explain; 0 if chance may do as much.

        The squares or the sizes of errors must fall by `enough` standard errors, the other by one less.
        """
        more, height = _basis(terms - self.basis @ (self.basis.T @ terms))
        errors = _left_out(self.rest - more @ (more.T @ self.rest), self.leverage + height)
        squares, sizes = self.errors**2 - errors**2, np.abs(self.errors) - np.abs(errors)
        smaller, larger = sorted((_in_errors(squares), _in_errors(sizes)))
        if smaller < enough - 1.0 or larger < enough:
            return 0.0
        return float(squares.mean() / (self.errors**2).mean())

    def log_densities(self) -> Array:
        """Return the log density of each row under the regression on all others."""
        total, rows = float(self.rest @ self.rest), len(self.rest)
        variance = np.maximum((total - self.rest * self.errors) / (rows - 1), 1e-10)
        return -0.5 * (_LOG_2PI + np.log(variance) + self.errors**2 / variance)


def _spread(rows: int, most: int) -> NDArray[np.intp]:
    """Return the numbers of at most this many rows, evenly spread."""
    return np.unique(np.linspace(0, rows - 1, min(rows, most)).astype(np.intp))


def _standardise(column: NDArray[np.float64]) -> Array:
    off = column - column.mean()
    spread = float(off.std())
    return off / spread if spread > 1e-13 * float(np.abs(column).max()) else np.zeros(len(off))


def _has_ties(column: Array) -> bool:
    counts = np.unique(column, return_counts=True)[1]
    return bool((counts == 1).sum() < _SINGLE * len(column))


def _nonlinear(column: Array) -> Array:
    """Return the nonlinear part of a natural cubic spline (rows by terms), constant beyond the outer
    knots.
    """
    knots = np.unique(np.quantile(column, _KNOTS))
    if len(knots) < 3:
        return np.zeros((len(column), 0))
    x, last, width = np.clip(column, knots[0], knots[-1]), knots[-1], knots[-1] - knots[0]
    cubes = [
        np.maximum((x - knot) / width, 0.0) ** 3 * width / (last - knot) for knot in knots[:-1]
    ]
    return np.column_stack([cube - cubes[-1] for cube in cubes[:-1]])


def _basis(matrix: Array) -> tuple[Array, Array]:
    """Return an orthonormal basis of a matrix's columns, and the leverage of each row."""
    if not matrix.shape[1]:
        return matrix, np.zeros(len(matrix))
    basis_columns, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    basis = basis_columns[:, sizes > 1e-7 * max(float(sizes[0]), 1e-150)]
    return basis, (basis**2).sum(axis=1)


def _left_out(residuals: Array, leverage: Array) -> Array:
    return residuals / np.maximum(1.0 - leverage, 1e-6)


def _in_errors(values: Array) -> float:
    """Return the mean in its standard errors."""
    spread = float(values.std(ddof=1))
    return float(values.mean()) / spread * len(values) ** 0.5 if spread > 0 else 0.0


# -- sentences ------------------------------------------------------------------------------------


_SAID = 3  # sentences, of the largest gains
_NAMED = 4  # inputs that are named; of more, the number is
_TAKEN = 4_000  # rows, evenly spread, among which complete ones are looked for


def bend_notes(
    source: Statistics, graph: DAG | UGraph, limits: Limits | None = None
) -> tuple[Note, ...]:
    """Notes on local models of a linear graph that are curved; none without rows of numbers.

    Parameters
    ----------
    source : what the graph was learned from, without missing values; many rows are thinned out evenly.
    graph : over the columns.
    limits : rules that it was learned under.
    """
    if not source.has_rows or any(variable.levels for variable in source.variables):
        return ()
    candidates = bends(
        _some_rows(source.rows("Curves need")), graph.inputs, _reversible(graph, limits)
    )
    shown_bends = candidates if graph.directed else _each_edge_once(candidates)
    notes = [_note(bend, graph) for bend in shown_bends[:_SAID]]
    if len(shown_bends) > _SAID:
        more = len(shown_bends) - _SAID
        text = f"{notes[-1].text} {more} more local model{'s are' if more > 1 else ' is'} curved."
        notes[-1] = replace(notes[-1], text=text)
    return tuple(notes)


def _reversible(graph: DAG | UGraph, limits: Limits | None) -> list[tuple[int, int]]:
    """Return the arcs of a directed graph that data and rules let run either way."""
    if not graph.directed:
        return []
    free = cpdag(graph, limits).neighbours
    return [(j, child) for child, row in enumerate(graph.parents) for j in row if j in free[child]]


def middle_graph(path: Path) -> UGraph:
    """Return the sparsest graph of a path with as many edges as variables, or else the densest."""
    graphs = [knot.graph for knot in path.knots]
    enough = [graph for graph in graphs if graph.n_edges >= len(graph.nodes)]
    return min(enough or graphs, key=lambda graph: graph.n_edges if enough else -graph.n_edges)


def _some_rows(table: Table) -> Table:
    """Evenly spread rows, where they are many."""
    if table.rows <= _TAKEN:
        return table
    return table.take(np.linspace(0, table.rows - 1, _TAKEN).astype(np.intp))


def _each_edge_once(found_bends: Sequence[Bend]) -> list[Bend]:
    """Without models whose curved edges are reported from the other end."""
    covered: set[frozenset[int]] = set()
    fresh = []
    for bend in found_bends:
        edges = {frozenset((bend.child, j)) for j in bend.curved}
        if edges - covered:
            fresh.append(bend)
        covered |= edges
    return fresh


def _note(bend: Bend, graph: DAG | UGraph) -> Note:
    name = graph.nodes
    child, several = name[bend.child], len(bend.curved) > 1
    about = [name[j] for j in bend.curved]
    gain = f"+{bend.gain:.2f} nats per row (se {bend.error:.2g})"
    if bend.missed:
        what = (
            f"{child} depends on {name[bend.curved[0]]} nonlinearly; a linear graph has no "
            "such edge"
        )
    else:
        arrow = graph.directed and not bend.turned
        edges = [_edge(name[j], child, arrow) for j in bend.curved]
        what = f"{join_words(edges)} {'are' if several else 'is'} curved"
    context = f" for {child} given {_inputs(bend, graph)}" if len(bend.inputs) > 1 else ""
    text = f"{what}: {gain}{context}; {{model=}} would follow {'them' if several else 'it'}."
    return Note(NoteKind.MODEL, text, (child, *about), (Fix("model", "parzen"),))


def _edge(other: str, child: str, arrow: bool) -> str:
    return f"{other} -> {child}" if arrow else " -- ".join(sorted((other, child)))


def _inputs(bend: Bend, graph: DAG | UGraph) -> str:
    if len(bend.inputs) <= _NAMED:
        return ", ".join(graph.nodes[j] for j in bend.inputs)
    return f"{len(bend.inputs)} {'parents' if graph.directed else 'neighbours'}"
