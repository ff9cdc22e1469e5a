"""Stacked Parzen windows: conditionals on any observed variables, as mixtures.

With missing values, Gibbs sampling must impute variables that are not targets, by conditionals that were
fitted separately and need not be consistent. A network of Parzen windows keeps its rows, so a variable can
also be predicted directly from the observed values of a row. The best number of inputs and the best
bandwidths then depend on the evidence. Instead of choosing, all candidates are mixed (Breiman 1996; for
densities Smyth and Wolpert 1999):

* inputs: the observed variables nearest to the target in the graph, then these without the weakest, and so
  on down to none, which acts as a tail;
* bandwidths: 1/2, 1 and 2 times those of the network's own model of the target, for inputs and output.

The weights maximise the leave-one-out likelihood of the rows, with a flat Dirichlet prior worth five rows
(EM). The answer is one mixture of normals around the rows, without simulation. On Boston housing it
is compared with Gibbs sampling and the joint Parzen density in examples/missing_values.py.

Several variables are drawn by the chain rule, one after the other, each given the values so
far: p(a, b | known) = p(a | known) p(b | known, a). Every row is an
independent draw, without burn-in, and cannot drift away from the data, unlike Gibbs sampling. The draws
depend on the order of the variables, which is that of their names.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import parzen_sums as kernel
from arcwise.conditionals import ParzenConditional, ParzenFamily
from arcwise.conditionals.capabilities import windows_of
from arcwise.conditionals.parzen.window_family import CEILING
from arcwise.conditionals.parzen.window_fits import ParzenFits
from arcwise.data import Complete, Table
from arcwise.distributions import Categorical, Mixture
from arcwise.errors import ArcwiseError, FitError, GraphError
from arcwise.inference.engine import (
    ESTIMATED,
    EXACT,
    Columns,
    Cost,
    Engine,
    Mask,
    Question,
    Reply,
    no_blankets,
)
from arcwise.inference.evidence import patterns
from arcwise.inference.gibbs import RowAnswers, answers_itself, far_notes, model_parts, open_rows
from arcwise.networks import MarkovNet
from arcwise.notes import Fix, mention

Integers = NDArray[np.intp]

CHAINED = 2000
"""Draws by the chain rule for a joint answer."""

_BLOCK = 512
"""Rows whose distributions are held at once for draws."""


class StackedWindows(Engine):
    """Stacked conditionals on the evidence, if all models (or blanket models) are Parzen windows."""

    name = "stacked"

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Accept queries with evidence only, if all conditionals given the others keep their rows."""
        net, is_named = question.net, question.options.method is not None
        if question.forced:
            return GraphError(
                "{method=} takes no {do=}: leave out one of them.",
                fixes=[mention("method", "stacked"), Fix("do")],
            )
        if net.as_field is None:
            return no_blankets()
        field = question.field
        for name, model in zip(field.names, field.conditionals, strict=True):
            if windows_of(model) is None:
                return FitError(
                    f"{{method=}} needs Parzen windows, and the model of {name!r} is of "
                    "another kind: leave the method out.",
                    fixes=[mention("method", "stacked")],
                )
        if question.task == "density":
            return FitError("The method 'stacked' gives no densities: leave the method out.")
        alone = question.single and not question.together and not is_named
        if alone and answers_itself(field, question):
            return Cost(EXACT, 2.0)
        return Cost(ESTIMATED, 9.0 * len(field.names))

    def ask(self, question: Question) -> Reply:
        """Return stacks for rows with missing values; for others the local model itself, unless the
        method is named.
        """
        field, gaps = question.field, question.gaps
        places, answers = np.arange(question.size), RowAnswers(question)
        for i, node in enumerate(question.asked):
            waiting = np.ones(question.size, dtype=bool)
            if question.options.method is None and not question.together:
                waiting = open_rows(field, gaps, node)
                answers.own(field, i, places[~waiting])
            answers.parts[i] += _parts(field, question.columns, gaps, places[waiting], node)
        answers.notes.append(partial(far_notes, field, question, places))
        if question.together:
            many = tuple(np.repeat(column, CHAINED) for column in question.columns)
            draws = _draw_chain(
                field, many, np.repeat(gaps, CHAINED, axis=0), question.rng, question.asked
            )
            answers.states = np.stack([draws[node].astype(float) for node in question.asked])[
                :, :, None
            ]
        return answers.found()

    def complete(self, question: Question, draw: bool) -> Columns:
        """Return missing values drawn by the chain rule, or expected values (most probable levels)."""
        field, columns = question.field, question.columns
        if draw:
            return tuple(_draw_chain(field, columns, question.gaps, question.rng))
        filled = [column.copy() for column in columns]
        for node in np.flatnonzero(question.gaps.any(axis=0)).tolist():
            holes = np.flatnonzero(question.gaps[:, node])
            for places, part in _parts(field, columns, question.gaps, holes, node):
                distribution = part()
                levels = distribution.categorical
                filled[node][places] = distribution.mean if levels is None else levels.codes
        return tuple(filled)


def _parts(
    field: MarkovNet, columns: Columns, gaps: Mask, rows: Integers, node: int
) -> Iterator[Any]:
    """Yield distributions of one variable in some rows, for each pattern of missing values, computed on
    demand.
    """
    stacker, stacks = Stacker(field, node), dict[tuple[int, ...], Any]()
    for places, observed in patterns(gaps[rows]):
        met = first_met(field, node, _mask(field, observed - {node}))
        if met not in stacks:
            stacks[met] = stacker.given(met)
        yield from model_parts(stacks[met], field.variables[node], met, columns, rows[places])


def _mask(field: MarkovNet, observed: set[int]) -> Mask:
    mask = np.zeros(len(field.names), dtype=bool)
    mask[list(observed)] = True
    return mask


def _draw_chain(
    field: MarkovNet,
    columns: Columns,
    gaps: Mask,
    rng: np.random.Generator,
    nodes: Sequence[int] | None = None,
) -> list[NDArray[Any]]:
    """Impute draws, joint ones in each row; `nodes` are drawn in this order, None for all."""
    filled = [column.copy() for column in columns]
    targets = range(len(field.names)) if nodes is None else nodes
    stackers = {node: Stacker(field, node) for node in targets}
    for places, observed in patterns(gaps):
        mask = _mask(field, observed)
        for node in targets:
            if mask[node]:
                continue
            met = first_met(field, node, mask)
            stack = stackers[node].given(met)
            for low in range(0, len(places), _BLOCK):
                part = places[low : low + _BLOCK]
                xs = tuple(filled[other][part] for other in met)
                distribution = stack.distribution(xs, len(part))
                filled[node][part] = distribution.sample(rng, 1)[:, 0]
            mask[node] = True
    return filled


# -- stacks ---------------------------------------------------------------------------------------


Array = NDArray[np.float64]
Set = tuple[int, ...]

FACTORS = (0.5, 1.0, 2.0)
"""Bandwidths that are tried, relative to those of the network's model."""

_PRIOR = 5.0  # rows that an even mixture is worth
_STEPS = 100  # of EM
_LEAST = 1e-3  # share below which a component is left out
_LEFT_OUT = 1_000  # rows that are left out in turn, evenly spread
_KEPT = 2_000  # sets whose densities are kept


@dataclass(frozen=True, eq=False)
class Stack:
    """The distribution of one variable given certain others: components with their shares.

    Each component is a set of inputs (positions in `inputs`), their bandwidth, the position of the output's
    bandwidth in `bandwidths`, and its share.
    """

    model: ParzenConditional
    parts: tuple[tuple[Set, float, int, float], ...]
    bandwidths: Array

    def distribution(self, xs: tuple[NDArray[Any], ...], size: int) -> Mixture | Categorical:
        """Return the distribution of each row, given the columns of the inputs."""
        weights = self._weights(xs, size)
        if self.model.levels:
            return Categorical(self._probabilities(weights))
        n = len(self.model.output)
        centres = np.tile(np.asarray(self.model.output, dtype=float), len(self.bandwidths))
        sd = np.repeat(self.bandwidths * self.model.scales[0], n)
        flat = np.concatenate(list(weights), axis=1)
        return Mixture(centres[None, :], sd[None, :], flat)

    def _weights(self, xs: tuple[NDArray[Any], ...], size: int) -> Array:
        """Return the weight of each row of the data, for each bandwidth of the output and each query row."""
        weights = np.zeros((len(self.bandwidths), size, len(self.model.output)))
        for (inputs, h_in), places in self._by_inputs():
            share = self._shares(xs, inputs, h_in, size)
            for index, part in places:
                weights[index] += part * share
        return weights

    def _by_inputs(self) -> Iterator[tuple[tuple[Set, float], list[tuple[int, float]]]]:
        """Return groups of components with the same inputs and input bandwidth."""
        together: dict[tuple[Set, float], list[tuple[int, float]]] = {}
        for inputs, h_in, index, part in self.parts:
            together.setdefault((inputs, h_in), []).append((index, part))
        yield from together.items()

    def _shares(self, xs: tuple[NDArray[Any], ...], inputs: Set, h_in: float, size: int) -> Array:
        queries = np.empty((len(inputs), size))
        centres = np.empty((len(inputs), len(self.model.output)))
        for i, j in enumerate(inputs):
            queries[i] = self.model.scaled(xs[j], j + 1)
            centres[i] = self.model.scaled(self.model.inputs[j], j + 1)
        apart = np.array([self.model.unordered[j] for j in inputs], dtype=np.uint8)
        return kernel.shares(centres, apart, self.model.weights, queries, h_in)

    def _probabilities(self, weights: Array) -> Array:
        """Return probabilities of levels (rows by levels)."""
        indicators = np.eye(self.model.levels)[self.model.output.astype(np.intp)]
        out = np.zeros((weights.shape[1], self.model.levels))
        for index, width in enumerate(self.bandwidths.tolist()):
            apart = np.exp(-0.5 / width**2)
            stay = 1.0 / (1.0 + (self.model.levels - 1) * apart)
            near = weights[index] @ indicators
            out += stay * apart * weights[index].sum(axis=1)[:, None] + stay * (1 - apart) * near
        chances: Array = out / out.sum(axis=1, keepdims=True)
        return chances


@dataclass(frozen=True, eq=False)
class Stacker:
    """Makes stacks for one variable of a network; shared results are cached.

    Parameters
    ----------
    net : a Markov network (or the blanket models of a directed one) of Parzen windows.
    node : the variable's number.
    """

    net: MarkovNet
    node: int
    _known: dict[Set, Array] = field(default_factory=dict)

    @cached_property
    def _fits(self) -> ParzenFits:
        """The rows of the data, from the local models that keep them."""
        columns = tuple(model.output for model in self._models)
        return ParzenFits(
            ParzenFamily(), Complete(Table(self.net.variables, columns, self._model.weights))
        )

    @cached_property
    def _models(self) -> tuple[ParzenConditional, ...]:
        return tuple(m for m in map(windows_of, self.net.conditionals) if m is not None)

    @property
    def _model(self) -> ParzenConditional:
        return self._models[self.node]

    @cached_property
    def _order(self) -> tuple[int, ...]:
        """Return variables from the least to the most useful: non-neighbours by their gain, then
        neighbours.
        """
        near = self.net.graph.neighbours[self.node]
        others = [x for x in range(len(self.net.names)) if x != self.node]
        base = float(self._fits.loo(self.node, (near,))[0])
        toggled = self._fits.loo(self.node, [tuple(sorted(set(near) ^ {x})) for x in others])
        usefulness = {
            x: (x in near, base - value if x in near else value - base)
            for x, value in zip(others, toggled.tolist(), strict=True)
        }
        return tuple(sorted(others, key=lambda x: (*usefulness[x], x)))

    @cached_property
    def _grid(self) -> tuple[Array, Array]:
        """Return the bandwidths of the inputs and of the output that are tried."""
        h_in, h_out = (float(width) for width in self._model.bandwidths)
        h_in = min(h_in, 1.0) if not self.net.graph.neighbours[self.node] else h_in
        tried = (np.array(FACTORS) * width for width in (h_in, h_out))
        first, second = (np.unique(np.minimum(bandwidths, CEILING)) for bandwidths in tried)
        return first, second

    @cached_property
    def _rows(self) -> NDArray[np.intp]:
        n = len(self._model.output)
        return np.unique(np.linspace(0, n - 1, min(n, _LEFT_OUT)).astype(np.intp))

    @cached_property
    def _kernels(self) -> Array:
        """Return output kernels (bandwidths, held-out rows, rows), each normalised."""
        block, bandwidths = self._fits.block, self._grid[1]
        y, levels = block.columns[self.node], block.levels[self.node]
        apart = y[self._rows, None] - y[None, :]
        square = (apart != 0).astype(float) if levels else apart**2
        out = np.empty((len(bandwidths), *square.shape), dtype=np.float32)
        for i, width in enumerate(bandwidths.tolist()):
            scale = (
                1 + (levels - 1) * np.exp(-0.5 / width**2) if levels else width * np.sqrt(2 * np.pi)
            )
            out[i] = np.exp(-0.5 * square / width**2) / scale
        return out

    def _densities(self, inputs: Set) -> Array:
        """Return leave-one-out densities of the rows under all bandwidths (inputs' x output's, rows)."""
        if inputs not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[inputs] = self._computed(inputs)
        return self._known[inputs]

    def _computed(self, inputs: Set) -> Array:
        block, weights, rows = self._fits.block, self._fits.weights, self._rows
        square = np.zeros((len(rows), len(weights)), dtype=np.float32)
        for j in inputs:
            column = block.columns[j].astype(np.float32)
            off = column[rows, None] - column[None, :]
            square += (off != 0) if block.apart[j] else off * off
        square[np.arange(len(rows)), rows] = np.inf  # a row is not near itself
        square -= square.min(axis=1, keepdims=True)
        kernels = []
        for h_in in self._grid[0].tolist() if inputs else [1.0]:
            near = np.exp(square * np.float32(-0.5 / h_in**2)) * weights.astype(np.float32)
            near /= near.sum(axis=1, keepdims=True)
            kernels += [np.einsum("nm,nm->n", near, kernel) for kernel in self._kernels]
        return np.array(kernels, dtype=float)

    def given(self, observed: Set) -> Stack:
        """Return the stack of the variable given some others."""
        nested = [observed]
        for weakest in (x for x in self._order if x in observed):
            nested.append(tuple(x for x in nested[-1] if x != weakest))
        candidates = [
            (s, h, output) for s in nested for h in self._inputs(s) for output in self._outputs
        ]
        shares = _mix(
            np.concatenate([self._densities(s) for s in nested]), self._fits.weights[self._rows]
        )
        positions = {x: i for i, x in enumerate(observed)}
        parts = tuple(
            (tuple(positions[x] for x in s), h, output, float(share))
            for (s, h, output), share in zip(candidates, shares, strict=True)
            if share > 0
        )
        return Stack(self._centred(observed), parts, self._grid[1])

    def _inputs(self, inputs: Set) -> list[float]:
        widths: list[float] = self._grid[0].tolist()
        return widths if inputs else [1.0]

    @property
    def _outputs(self) -> range:
        return range(len(self._grid[1]))

    def _centred(self, observed: Set) -> ParzenConditional:
        """Return the rows with the columns of the inputs, with the bandwidths of the network's model."""
        block, columns = self._fits.block, self._fits.table.columns
        members = [self.node, *observed]
        return ParzenConditional(
            columns[self.node],
            tuple(columns[j] for j in observed),
            self._model.weights,
            block.scales[members],
            self._model.bandwidths,
            block.levels[self.node],
            tuple(bool(block.apart[j]) for j in observed),
        )


def _mix(densities: Array, weights: Array) -> Array:
    """Return the shares of components (c,) that maximise the likelihood of rows (c, n), with a flat
    prior (EM).
    """
    count, rows = len(densities), weights.sum()
    shares = np.full(count, 1.0 / count)
    scaled = densities / np.maximum(densities.max(axis=0), 1e-300)
    for _ in range(_STEPS):
        joint = shares[:, None] * scaled
        joint /= np.maximum(joint.sum(axis=0), 1e-300)
        shares = (joint @ weights + _PRIOR / count) / (rows + _PRIOR)
        shares /= shares.sum()
    shares[shares < min(_LEAST, 0.5 / count)] = 0.0
    result: Array = shares / shares.sum()
    return result


def first_met(net: MarkovNet, node: int, observed: NDArray[np.bool_]) -> Set:
    """Return the first observed variables on the paths from a variable through unobserved ones."""
    visited, stack, met = {node}, [node], set[int]()
    while stack:
        for other in net.graph.neighbours[stack.pop()]:
            if observed[other]:
                met.add(other)
            elif other not in visited:
                visited.add(other)
                stack.append(other)
    return tuple(sorted(met))
