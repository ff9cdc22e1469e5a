"""Product rule: one variable given all others in a directed network.

    p(x_i | rest) is proportional to p(x_i | P_i) x prod over children j of p(x_j | P_j)

(Hofmann and Tresp 1995, eq. 5). In general one cannot draw from it directly. On a grid of one
variable it is exact up to the grid, or a plain sum for levels. By importance sampling, values drawn
from p(x_i | P_i) are weighted by the product over the children (see ``weighting``).

`product_net` gives every variable such a conditional on its Markov blanket: a Markov network for
Gibbs sampling. It needs no fitted blanket models, and is valid for a cut graph, too; each draw costs
a grid of evaluations.

With one hidden variable the answer is exact, up to the grid. With more, the product rule is the conditional
of the Gibbs sampler.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional
from arcwise.distributions import POINTS, Categorical, Grid, Mixture, blocks, tabulate
from arcwise.errors import ArcwiseError, FitError
from arcwise.graphs import UGraph
from arcwise.inference.belief import generator
from arcwise.inference.engine import (
    EXACT,
    SIMULATED,
    Array,
    Columns,
    Cost,
    Effort,
    Engine,
    Question,
    Reply,
    needs_arrows,
)
from arcwise.inference.evidence import patterns, relevant
from arcwise.inference.gibbs import RowAnswers, fill, gather
from arcwise.networks import BayesNet, MarkovNet, ancestral
from arcwise.networks.draws import FEWEST, WeightedDraws, effective, resample, weighted_draws
from arcwise.notes import Fix

TYPICAL = 400
"""Rows drawn from the network, for the range of variables and as starts of chains."""

FEWER = 160
"""Points of a grid that is only drawn from, or averaged with others, unless kernels are narrow."""

NARROW = 0.1
"""Standard deviations of a variable below which its kernels are narrow, so that this number of points
misses them.
"""

PROPOSALS = 16
"""Draws of p(x | parents) that are points of the coarse grid."""


@dataclass(frozen=True, eq=False)
class _Rule:
    """Eq. 5 of one node: the local models that it multiplies, and their inputs."""

    net: BayesNet
    node: int
    children: tuple[int, ...]
    inputs: tuple[int, ...]

    def logs(self, points: NDArray[Any], xs: Columns) -> Array:
        """Return the unnormalised log density at points (rows by points)."""
        count = points.shape[1]
        columns = {n: np.repeat(x, count) for n, x in zip(self.inputs, xs, strict=True)}
        columns[self.node] = points.ravel()
        total = self._own(points, xs).ravel()
        for factor in self.children:
            above = tuple(columns[parent] for parent in self.net.graph.parents[factor])
            total += self.net.conditionals[factor].logpdf(columns[factor], above)
        return total.reshape(points.shape)

    def _own(self, points: NDArray[Any], xs: Columns) -> Array:
        """Return the log density given the parents."""
        count = points.shape[1]
        wide = tuple(np.repeat(x, count) for x in self.parents(xs))
        model = self.net.conditionals[self.node]
        return model.logpdf(points.ravel(), wide).reshape(points.shape)

    def parents(self, xs: Columns) -> Columns:
        """Return the columns of the node's parents."""
        by_node = dict(zip(self.inputs, xs, strict=True))
        return tuple(by_node[parent] for parent in self.net.graph.parents[self.node])


@dataclass(frozen=True, eq=False)
class Product:
    """Eq. 5 of one variable as a conditional on its Markov blanket: xs are the blanket's columns, ascending.

    Parameters
    ----------
    rule : the factors.
    low, high : the range of a continuous variable in the network.
    points : number of grid points; the levels of a discrete variable are summed exactly.
    """

    word: ClassVar[str] = "product"

    rule: _Rule
    low: float = 0.0
    high: float = 0.0
    points: int = POINTS

    @property
    def n_params(self) -> None:
        """The number of fitted parameters: none."""
        return None

    def distribution(self, xs: Columns, size: int) -> Grid | Categorical:
        """Return the distribution of each row."""
        return self._distribution(xs, size, strict=True)

    def _distribution(self, xs: Columns, size: int, strict: bool) -> Grid | Categorical:
        variable = self.rule.net.variables[self.rule.node]
        if variable.levels is not None:
            codes = np.broadcast_to(np.arange(len(variable.levels)), (size, len(variable.levels)))
            weights = self.rule.logs(codes, xs)
            if not strict:
                weights[np.isneginf(weights).all(axis=1)] = 0.0
            return Categorical.from_logs(weights, variable.levels, variable.name)
        points, logs = zip(*(self._block(xs, rows) for rows in blocks(size, 1000)), strict=True)
        return Grid(np.concatenate(points), np.concatenate(logs))

    def _block(self, xs: Columns, rows: slice) -> tuple[Array, Array]:
        xs, size = tuple(column[rows] for column in xs), rows.stop - rows.start
        hints = self._hints(xs, size)
        reach = np.ptp(hints, axis=1)
        low = np.minimum(self.low, hints.min(axis=1) - reach)
        high = np.maximum(self.high, hints.max(axis=1) + reach)
        table = tabulate(lambda points: self.rule.logs(points, xs), low, high, hints, self.points)
        return table.points, table.logs

    def _hints(self, xs: Columns, size: int) -> Array:
        """Return values drawn from the parents' model by a fixed seed."""
        rng, model = generator(0), self.rule.net.conditionals[self.rule.node]
        above = self.rule.parents(xs)
        wide = tuple(np.repeat(column, PROPOSALS) for column in above)
        values = model.sample(wide, rng, size * PROPOSALS)
        return np.asarray(values, dtype=float).reshape(size, PROPOSALS)

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Return the log density (log probability of a level) of each row."""
        return self.distribution(xs, len(y)).logpdf(np.asarray(y, dtype=float))

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw one value for each row; a random level if the present states of the others allow none."""
        return self._distribution(xs, size, strict=False).sample(rng, 1)[:, 0]


def product_net(
    net: BayesNet,
    rng: np.random.Generator,
    members: Collection[int] | None = None,
    points: int = POINTS,
) -> MarkovNet:
    """Return a Markov network whose conditionals are the product rule of a directed one.

    Parameters
    ----------
    net : the directed network; local models of any kind.
    rng : the random generator of typical rows, for the range of variables and the starts of chains.
    members : the relevant variables of a query (see ``evidence``); children outside are omitted, since
        barren variables integrate to one.
    points : of the grids; a draw needs fewer than a density.

    Returns
    -------
    The network on the moral graph of the members; it has no new fitted parameters.
    """
    inside = set(range(len(net.names)) if members is None else members)
    typical = ancestral(net, rng, TYPICAL).columns
    children = [tuple(c for c in row if c in inside) for row in net.graph.children]
    blankets = [_blanket(net, node, children[node]) for node in range(len(net.names))]
    # Only the blankets of members are needed; the graph must have an edge at both its ends.
    rows = [set(blanket) if node in inside else set() for node, blanket in enumerate(blankets)]
    for node, row in enumerate(list(map(tuple, rows))):
        for other in row:
            rows[other].add(node)
    graph = UGraph.make_unchecked(net.names, tuple(tuple(sorted(row)) for row in rows))
    models = tuple(
        _conditional(_Rule(net, node, children[node], graph.neighbours[node]), typical, points)
        for node in range(len(net.names))
    )
    return MarkovNet(net.variables, graph, models, typical)


def _blanket(net: BayesNet, node: int, children: tuple[int, ...]) -> set[int]:
    """Return parents, children, and the children's other parents."""
    spouses = {parent for child in children for parent in net.graph.parents[child]}
    return ({*net.graph.parents[node], *children} | spouses) - {node}


def _conditional(rule: _Rule, typical: Columns, points: int) -> Conditional:
    if rule.net.variables[rule.node].discrete:
        return Product(rule)
    values = typical[rule.node]
    low, high = float(values.min()), float(values.max())
    reach = max(high - low, 1e-9 * max(1.0, abs(high)))
    enough = max(points, POINTS) if _narrow(rule, typical) else points
    return Product(rule, low - reach, high + reach, enough)


def _narrow(rule: _Rule, typical: Columns) -> bool:
    """Return whether a variable is a mixture of normals that are narrow relative to its spread."""
    model = rule.net.conditionals[rule.node]
    above = tuple(typical[parent][:1] for parent in rule.net.graph.parents[rule.node])
    if not hasattr(model, "distribution"):
        return False
    distribution = model.distribution(above, 1)
    spread = NARROW * typical[rule.node].std()
    return isinstance(distribution, Mixture) and bool(distribution.widths.min() < spread)


STARTED = Effort(chains=60, sweeps=10, burn_in=2)
"""Effort if every draw costs a grid, and chains start at draws from the answer."""

TABULATED = Effort(chains=8, sweeps=60, burn_in=20)
"""Effort if every draw costs a grid, and chains start at typical rows."""


class ProductRule(Engine):
    """The product rule on grids: exact for one hidden variable, a Gibbs step for several.

    If local models are sharp or have a tail, single chains rarely move between modes; many chains that start
    at weighted draws of the answer need not. If few draws agree with the evidence, fewer and longer chains
    start at rows near it.
    """

    name = "grid"

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Accept queries to directed networks; by default only without blanket models."""
        net, is_named = question.net, question.options.method is not None
        if not net.directed:
            return needs_arrows(self.name)
        if question.task == "density" or (net.blankets is not None and not is_named):
            return FitError(
                "The product rule is slow and other methods apply: name {method=}.",
                fixes=[Fix("method", "grid")],
            )
        count = len(_members(net, question) - question.known) if question.size else 0
        if question.single and count == 1:
            return Cost(EXACT, POINTS)
        if question.forced and not is_named:
            return FitError(
                "The product rule is slow after {do=}: name {method=}.",
                fixes=[Fix("do"), Fix("method", "grid")],
            )
        return Cost(SIMULATED, STARTED.chains * STARTED.sweeps * FEWER * max(count, 1))

    def ask(self, question: Question) -> Reply:
        """Return averages of the product rule of the targets over the states of chains."""
        net = question.directed
        answers = RowAnswers(question, "by Gibbs sampling with the product rule")
        if question.single:
            members = _members(net, question)
            draws = _draws(net, question, members)
            rule = product_net(net, question.rng, members, POINTS if draws is None else FEWER)
            effort, starts = _starts(draws, question)
            gather(answers, rule, np.arange(1), question.options.over(effort), starts)
            return answers.found()
        for rule, places in _rules(net, question):
            gather(answers, rule, places, question.options.over(TABULATED))
        return answers.found()

    def complete(self, question: Question, draw: bool) -> Columns:
        """Return averages over chains, or one state of a chain for each row."""
        columns = [column.copy() for column in question.columns]
        for rule, places in _rules(question.directed, question, everything=True):
            fill(columns, rule, question, places, question.options.over(TABULATED), draw)
        return tuple(columns)


def _members(net: BayesNet, question: Question) -> set[int]:
    """Return the relevant variables of a single query."""
    targets = [node for node in question.asked if question.gaps[0, node]]
    return relevant(net.graph, targets, question.known)


def _draws(net: BayesNet, question: Question, members: set[int]) -> WeightedDraws | None:
    """Return weighted draws of the hidden variables; None for a single one, which needs no chains."""
    values, hidden = question.values(0), members - question.known
    if len(hidden) == 1:
        return None
    return weighted_draws(net, values, hidden, question.rng, question.options.draws)


def _starts(
    draws: WeightedDraws | None, question: Question
) -> tuple[Effort, dict[int, NDArray[Any]] | None]:
    """Return the length of chains, and their starts; None for rows near the evidence."""
    if draws is None or effective(draws.logs)[0] < FEWEST:
        return TABULATED, None
    # Even steps along the sorted draws of the targets: starts as dispersed as the answer.
    order = np.argsort(draws.columns[question.asked[0]], kind="stable")
    chains = question.options.over(STARTED).chains
    picks = order[resample(draws.weights[0][order], chains, question.rng)]
    return STARTED, {node: column[picks] for node, column in draws.columns.items()}


def _rules(
    net: BayesNet, question: Question, everything: bool = False
) -> Iterator[tuple[MarkovNet, NDArray[np.intp]]]:
    """Yield the product rule for each pattern of missing values, with its relevant variables and its rows."""
    for places, observed in patterns(question.gaps):
        hidden = [node for node in range(len(net.names)) if node not in observed]
        targets = hidden if everything else question.asked
        if targets and len(places):
            members = relevant(net.graph, targets, observed)
            points = POINTS if len(members - observed) == 1 else FEWER
            yield product_net(net, question.rng, members, points), places
