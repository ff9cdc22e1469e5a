"""Questions to directed networks by the product rule, on grids (see ``product_rule``).

With one hidden variable the answer is exact, up to the grid. With more, the product rule is the conditional
of a Gibbs sampler: each draw costs a grid of evaluations.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.distributions import POINTS
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.engine import EXACT, SIMULATED, Cost, Engine, Found
from arcwise.inference.gibbs import Gathered, fill, gather
from arcwise.inference.product_rule import FEWER, product_net
from arcwise.inference.question import Columns, Effort, Question, needs_arrows
from arcwise.inference.relevance import patterns, relevant
from arcwise.inference.weighting import (
    FEWEST,
    Weighted,
    effective,
    question_values,
    resampled,
    weighted_draws,
)
from arcwise.networks import BayesNet, MarkovNet

STARTED = Effort(chains=60, sweeps=10, burn_in=2)
"""Effort where every draw costs a grid, and chains start at draws from the answer."""

TABULATED = Effort(chains=8, sweeps=60, burn_in=20)
"""Effort where every draw costs a grid, and chains start at typical rows."""


class ProductRule(Engine):
    """The product rule on grids: exact for one hidden variable, a Gibbs step where there are more.

    Where local models are sharp, or have a tail, single chains hardly get from one mode to another; many that
    begin at weighted draws of the answer need not. Where hardly any draw agrees with the evidence, fewer and
    longer chains start at rows near it.
    """

    name = "grid"

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Questions to directed networks; by default only where no blanket models answer."""
        net, named = question.net.as_directed, question.options.method is not None
        if net is None:
            return needs_arrows(self.name)
        if question.task == "density" or (net.blankets is not None and not named):
            return FitError("The product rule is slow, and others answer: name method='grid'.")
        count = len(_members(net, question) - question.known) if question.size else 0
        if question.single and count == 1:
            return Cost(EXACT, POINTS)
        if question.forced and not named:
            return FitError("The product rule is slow after do=: name method='grid'.")
        return Cost(SIMULATED, STARTED.chains * STARTED.sweeps * FEWER * max(count, 1))

    def ask(self, question: Question) -> Found:
        """Averages of the product rule of what is asked over the states of chains."""
        net = question.directed
        found = Gathered(question, "by Gibbs sampling with the product rule")
        if question.single:
            members = _members(net, question)
            drawn = _draws(net, question, members)
            rule = product_net(net, question.rng, members, POINTS if drawn is None else FEWER)
            effort, starts = _starts(drawn, question)
            gather(found, rule, np.arange(1), question.options.over(effort), starts)
            return found.found()
        for rule, places in _rules(net, question):
            gather(found, rule, places, question.options.over(TABULATED))
        return found.found()

    def complete(self, question: Question, draw: bool) -> Columns:
        """Averages over chains, or one state of a chain for each row."""
        columns = [column.copy() for column in question.columns]
        for rule, places in _rules(question.directed, question, everything=True):
            fill(columns, rule, question, places, question.options.over(TABULATED), draw)
        return tuple(columns)


def _members(net: BayesNet, question: Question) -> set[int]:
    """What matters for a single question."""
    asked = [node for node in question.asked if question.gaps[0, node]]
    return relevant(net.graph, asked, question.known)


def _draws(net: BayesNet, question: Question, members: set[int]) -> Weighted | None:
    """Weighted draws of what is hidden; None where it is one variable, which needs no chains."""
    values, hidden = question_values(question), members - question.known
    if len(hidden) == 1:
        return None
    return weighted_draws(net, values, hidden, question.rng, question.options.draws)


def _starts(
    found: Weighted | None, question: Question
) -> tuple[Effort, dict[int, NDArray[Any]] | None]:
    """How long chains run, and where they start; None for rows near the evidence."""
    if found is None or effective(found.logs)[0] < FEWEST:
        return TABULATED, None
    # Even steps along the sorted draws of what is asked: starts that spread as the answer does.
    order = np.argsort(found.columns[question.asked[0]], kind="stable")
    chains = question.options.over(STARTED).chains
    chosen = order[resampled(found.weights[0][order], chains, question.rng)]
    return STARTED, {node: column[chosen] for node, column in found.columns.items()}


def _rules(
    net: BayesNet, question: Question, everything: bool = False
) -> Iterator[tuple[MarkovNet, NDArray[np.intp]]]:
    """The product rule for each pattern of gaps, with what matters there, and the rows it serves."""
    for places, known in patterns(question.gaps):
        hidden = [node for node in range(len(net.names)) if node not in known]
        asked = hidden if everything else question.asked
        if asked and len(places):
            members = relevant(net.graph, asked, known)
            points = POINTS if len(members - known) == 1 else FEWER
            yield product_net(net, question.rng, members, points), places
