"""Likelihood weighting: ancestral draws of hidden variables, weighted by the evidence.

Hidden variables are drawn after their parents; every observed variable multiplies the weight of the
draw by its density given its parents (Fung and Chang 1990; Shachter and Peot 1990). The mean weight
is the density of the evidence. For one hidden variable with observed parents this is the importance
sampling of the product rule, with p(x_i | P_i) as the proposal.

The *effective sample size* of the draws is (sum w)^2 / sum w^2. Below `FEWEST` a few draws dominate the
answer, and the engine declines.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import distribution_of
from arcwise.distributions import Distribution, RowParts, centre, log_sum
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.engine import (
    EXACT,
    SIMULATED,
    Answer,
    Array,
    Columns,
    Cost,
    DeclinedError,
    Engine,
    Question,
    Reply,
    needs_arrows,
)
from arcwise.inference.evidence import patterns, relevant, upward
from arcwise.inference.gibbs_chains import far_evidence_notes, known_neighbours, reach_hidden
from arcwise.inference.joint_answers import States
from arcwise.inference.product_rule import FEWER, product_net
from arcwise.networks import BayesNet, Net, log_density
from arcwise.networks.draws import FEWEST, WeightedDraws, effective, resample, weighted_draws
from arcwise.notes import Fix, Note

ENOUGH = 200.0
"""Effective sample size above which weighted draws are preferred to fitted blanket models."""

RESAMPLED = 400
"""Weighted draws at which distributions that must be tabulated are averaged."""

ROUNDS = 50
"""Largest number of rounds of draws until enough are independent."""

_SLOTS = 200_000
"""Rows times draws held at once."""


class Importance(Engine):
    """Weighted draws of a directed network; plain ancestral draws without evidence below them."""

    name = "importance"
    ranged = True

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Accept single queries, draws and densities of directed networks; tables of rows if it is named."""
        net, is_named = question.net, question.options.method is not None
        if not net.directed:
            return needs_arrows(self.name)
        if question.task in ("rows", "completion") and not is_named:
            return FitError(
                "Weighted draws for every row are slow: name {method=}.",
                fixes=[Fix("method", "importance")],
            )
        above = upward(net.graph, question.known, question.known)
        if question.task == "draws" and not (above or question.ranges):
            return Cost(EXACT, float(len(net.names)))
        return Cost(SIMULATED, float(question.options.draws * len(net.names)))

    def ask(self, question: Question) -> Reply:
        """Return conditionals of the targets, averaged over weighted draws, row by row."""
        net = question.directed
        rows = [_Row(net, question, row) for row in range(question.size)]
        row_answers = [row.answers() for row in rows]
        answers = tuple(_together(column) for column in zip(*row_answers, strict=True))
        if not question.together:
            return Reply(answers, None, lambda: [note for row in rows for note in row.notes])
        variables = tuple(net.variables[node] for node in question.asked)
        return Reply(answers, States(variables, rows[0].states()), lambda: list(rows[0].notes))

    def complete(self, question: Question, draw: bool) -> Columns:
        """Return draws chosen by their weights, or weighted means (most probable levels), row by row."""
        net, columns = question.directed, list(question.columns)
        if question.task == "draws":
            hidden = set(range(len(columns))) - question.known
            pool = _pool(net, question, 0, hidden, question.size)
            picks = _choose_draws(pool, question.size, question.rng)
            for node in hidden:
                columns[node] = pool.columns[node] if picks is None else pool.columns[node][picks]
            return tuple(columns)
        columns = [column.copy() for column in columns]
        for row in np.flatnonzero(question.gaps.any(axis=1)).tolist():
            hidden = set(np.flatnonzero(question.gaps[row]).tolist())
            pool = _pool(net, question, row, hidden)
            one = resample(pool.weights[0], 1, question.rng)[0] if draw else None
            for node, column in pool.columns.items():
                columns[node][row] = (
                    _middle(net, node, column, pool) if one is None else column[one]
                )
        return tuple(columns)

    def logpdf(self, question: Question) -> Array:
        """Return the log density of the observed values of each row; exact if they have no hidden ancestors.

        Raises
        ------
        FitError : too few draws agree with a row; the message has its number and the effective sample size.
        """
        net, columns, draws = question.directed, question.columns, question.options.draws
        if not question.gaps.any():
            return log_density(net, columns)
        total = np.zeros(question.size)
        for places, observed in patterns(question.gaps):
            hidden = upward(net.graph, observed, observed)
            step = max(1, _SLOTS // draws) if hidden else len(places)
            for low in range(0, len(places), step):
                part = places[low : low + step]
                values = {node: columns[node][part] for node in observed}
                if values:
                    total[part] = _densities(net, values, hidden, question.rng, draws, part)
        return total


def _together(answers: tuple[Answer, ...]) -> Answer:
    """Return the answers of single rows as one of all rows."""
    if len(answers) == 1:
        return answers[0]
    numbers = (np.concatenate(answer) for answer in zip(*(a.mixing for a in answers), strict=True))
    parts = [(np.array([row]), answer.distribution) for row, answer in enumerate(answers)]
    return Answer(RowParts.of(parts, len(parts)), Mixing(*numbers))


def _pool(
    net: BayesNet, question: Question, row: int, hidden: set[int], enough: int | None = None
) -> WeightedDraws:
    """Return weighted draws for a row, more of them as long as too few are independent.

    Raises
    ------
    DeclinedError : too few draws agree with the evidence.
    """
    values, draws = question.values(row), question.options.draws
    draw = partial(weighted_draws, net, values, hidden, question.rng, ranges=question.ranges)
    if not (question.ranges or upward(net.graph, values, values)):
        return draw(enough or draws)  # no evidence below what is drawn: all count the same
    pools = [draw(draws)]
    size = float(effective(pools[0].logs)[0])
    is_named = question.options.method is not None
    minimum = ENOUGH if net.blankets is not None and not is_named else FEWEST
    if size < minimum:
        raise _too_few(question, row, size, minimum)
    while len(pools) * size < (enough or 0) and len(pools) < ROUNDS:
        pools.append(draw(draws))
    columns = {node: np.concatenate([pool.columns[node] for pool in pools]) for node in hidden}
    return WeightedDraws(columns, np.concatenate([pool.logs for pool in pools], axis=1))


def _too_few(question: Question, row: int, size: float, minimum: float) -> DeclinedError:
    where = "" if question.size == 1 or question.task == "draws" else f" of row {row + 1}"
    fixes = [Fix("draws"), Fix("method", "grid")]
    if size == 0.0:
        return DeclinedError(
            f"None of the {question.options.draws} draws agrees with the evidence{where}, which "
            "is impossible or too rare: use more {draws=}, or {method=}.",
            fixes=fixes,
        )
    return DeclinedError(
        f"The {question.options.draws} draws weighted by the evidence{where} have an effective "
        f"sample size of {size:.1f}, and {minimum:g} are needed: use more {{draws=}}, or "
        "{method=}.",
        fixes=fixes,
    )


def _choose_draws(
    pool: WeightedDraws, size: int, rng: np.random.Generator
) -> NDArray[np.intp] | None:
    """Return the numbers of chosen draws; None for all, if there are enough of equal weight."""
    logs = pool.logs[0]
    even = len(logs) == size and bool((logs == logs[0]).all())
    return None if even else resample(pool.weights[0], size, rng)


def _middle(net: BayesNet, node: int, column: NDArray[Any], pool: WeightedDraws) -> float:
    """Return the weighted mean of draws, or the level of largest weight."""
    weights = pool.weights[0]
    if net.variables[node].discrete:
        return float(np.bincount(column.astype(np.intp), weights).argmax())
    return float(weights @ column)


class _Row:
    """Weighted draws for one row, and the answers from them."""

    def __init__(self, net: BayesNet, question: Question, row: int) -> None:
        self.net, self.question, self.row = net, question, row
        self.known = question.values(row)
        self.members = relevant(net.graph, question.asked, self.known)
        if ranges := question.ranges:  # these stay hidden, and what is above them matters
            starts = {*question.asked, *self.known, *ranges}
            self.members = starts | upward(net.graph, starts, self.known)
        self.found = _pool(net, question, row, self.members - set(self.known))
        self.weights, self.size = self.found.weights[0], float(effective(self.found.logs)[0])
        self.rule = product_net(net, question.rng, self.members, FEWER)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return notes on evidence that is far from all draws of the network."""
        gaps = self.question.gaps[[self.row]]
        columns = [column[[self.row]] for column in self.question.columns]
        hidden = reach_hidden(self.rule, gaps, self.question.asked)
        return far_evidence_notes(self.rule, columns, known_neighbours(self.rule, hidden, gaps))

    def answers(self) -> list[Answer]:
        """Return the answer for each target."""
        return [self._answer(node) for node in self.question.asked]

    def _answer(self, node: int) -> Answer:
        """Return the conditional of a variable, averaged over the draws."""
        below = self.members.intersection(self.net.graph.children[node])
        # With descendants of the target, the product rule is its conditional.
        source: Net = self.rule if below else self.net
        some = self._conditional(source, node, np.arange(1)).tabulated
        picks = np.arange(len(self.weights))
        if some:
            picks = resample(self.weights, RESAMPLED, self.question.rng)
        share = np.full(RESAMPLED, 1.0 / RESAMPLED) if some else self.weights
        part = self._conditional(source, node, picks)
        middle = part.pool_rows(len(picks), None if some else share)
        variance = float((share**2) @ (centre(part) - float(centre(middle)[0])) ** 2)
        if some:  # draws that were taken stand for all of them
            values = self.found.columns[node].astype(float)
            variance += float(self.weights @ (values - self.weights @ values) ** 2) / self.size
        numbers = (np.array([x]) for x in (np.sqrt(variance), np.nan, self.size))
        return Answer(middle, Mixing(*numbers), way="by weighted draws")

    def _conditional(self, source: Net, node: int, picks: NDArray[np.intp]) -> Distribution:
        xs = tuple(self._drawn(other)[picks] for other in source.inputs[node])
        model, variable = source.conditionals[node], self.net.variables[node]
        return distribution_of(model, variable, xs, len(picks))

    def _drawn(self, node: int) -> NDArray[Any]:
        """Return a variable's draws, or its observed value repeated."""
        if node in self.found.columns:
            return self.found.columns[node]
        return np.repeat(self.known[node], self.found.logs.shape[1])

    def states(self) -> Array:
        """Return as many states as the effective sample size, for correct errors of events."""
        picks = resample(self.weights, max(int(self.size), 1), self.question.rng)
        values = [self.found.columns[node][picks].astype(float) for node in self.question.asked]
        return np.stack(values)[:, :, None]


def _densities(
    net: BayesNet,
    values: dict[int, NDArray[Any]],
    hidden: set[int],
    rng: np.random.Generator,
    draws: int,
    numbers: NDArray[np.intp],
) -> Array:
    pool = weighted_draws(net, values, hidden, rng, draws if hidden else 1)
    sizes = effective(pool.logs)
    weak = np.flatnonzero(sizes < FEWEST)
    if hidden and len(weak):
        raise FitError(
            f"The density of row {numbers[weak[0]] + 1} cannot be simulated: the {draws} draws "
            f"of its missing values have an effective sample size of {sizes[weak[0]]:.1f}, and "
            f"{FEWEST:g} are needed. Fill it with impute, or drop the row."
        )
    means: Array = log_sum(pool.logs) - np.log(pool.logs.shape[1])
    return means
