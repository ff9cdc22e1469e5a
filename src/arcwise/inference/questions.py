"""Single questions to networks without a closed form.

A Markov network is asked by Gibbs sampling over its conditionals; one of Parzen windows, which keeps its
rows, by stacked conditionals on what is known. A directed network is asked by ancestral draws weighted by
the evidence, and where too few of these agree with it, by its fitted models of each variable given its Markov
blanket, in the same two ways. Without such models, and after ``do``, the product rule answers: exactly on a
grid where one variable is hidden, else by weighted draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.variable import code_type
from arcwise.errors import FitError, GraphError
from arcwise.inference.averaging import averaged, centre, costly, law_of, refuse_beyond
from arcwise.inference.chained import chained
from arcwise.inference.chances import LevelsBelief
from arcwise.inference.diagnose import Mixing
from arcwise.inference.gibbs import Effort, beside, far, reached
from arcwise.inference.grid import POINTS
from arcwise.inference.joined import ModelRows
from arcwise.inference.laws import RowLaw
from arcwise.inference.levels import LevelRows
from arcwise.inference.mixture import MixtureBelief
from arcwise.inference.normal import generator
from arcwise.inference.options import TABULATED, Options
from arcwise.inference.product import FEWER, product_net
from arcwise.inference.quality import Quality
from arcwise.inference.query import check_roles, coded_evidence, names_of, no_setting
from arcwise.inference.relevance import relevant
from arcwise.inference.samples import SampleBeliefs
from arcwise.inference.setting import set_far
from arcwise.inference.simulate import answer, exact_law, field_of, open_rows
from arcwise.inference.stacked import asked, stackable, stacked_parts
from arcwise.inference.weighting import FEWEST, Weighted, effective, weighted_draws
from arcwise.networks import BayesNet, MarkovNet, Net, cut

__all__ = ["Single", "simulated_query"]

Array = NDArray[np.float64]
Single = MixtureBelief | LevelsBelief

GIBBS = "by Gibbs sampling"
GRID = "by Gibbs sampling with the product rule"
DRAWN = "by weighted draws"

ENOUGH = 200.0
"""Effective sample size from which on weighted draws answer for a directed network."""

CHAINED = 2000
"""Draws by the chain rule for a joint answer."""

EXACT_DRAWS = 4000
"""Draws that stand for the states of chains where a law is exact."""

STARTED = Effort(chains=60, sweeps=10, burn_in=2)
"""Effort where every draw costs a grid, and chains start at draws from the answer."""

RESAMPLED = 400
"""Weighted draws at which the product rule of a target is averaged."""


@dataclass(frozen=True, eq=False)
class Question:
    """A checked question: what is asked, known and set, by column numbers."""

    net: Net
    names: tuple[str, ...]
    asked: tuple[int, ...]
    values: Mapping[int, float]
    given: Mapping[str, Any]
    do: Mapping[str, Any]

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """One row: true for what is not known."""
        return np.array([[node not in self.values for node in range(len(self.net.names))]])

    @property
    def columns(self) -> list[NDArray[Any]]:
        """One row of values in the coding of the network; what stands in gaps has no meaning."""
        return [
            np.array([self.values.get(node, 0)], dtype=_type(levels))
            for node, levels in enumerate(v.levels for v in self.net.variables)
        ]

    def single(self, node: int, law: RowLaw, by_chain: RowLaw | None, quality: Quality) -> Single:
        """The belief about one variable."""
        variable = self.net.variables[node]
        refuse_beyond(law, variable.name)
        forced = {name: self.values[self.net.index(name)] for name in self.do}
        guess = () if isinstance(self.net, MarkovNet) else set_far(self.net, forced, variable.name)
        quality = replace(quality, notes=(*quality.notes, *guess))
        if isinstance(law, LevelRows):
            chains = by_chain if isinstance(by_chain, LevelRows) else None
            return LevelsBelief(variable, law, quality, chains, self.given, self.do)
        return MixtureBelief(variable.name, law, quality, by_chain, self.given, self.do)


def _type(levels: Any) -> Any:
    return np.float64 if levels is None else code_type(len(levels))


def simulated_query(
    net: Net,
    targets: str | Sequence[str],
    given: Mapping[str, Any] | None,
    do: Mapping[str, Any] | None,
    options: Options,
) -> Single | SampleBeliefs:
    """Ask what is to be believed of variables in a network without a closed form.

    Parameters
    ----------
    net : any network.
    targets : a name, or several for a joint answer.
    given, do : values seen, and set from outside, by name.
    options : how to simulate.

    Returns
    -------
    MixtureBelief or LevelsBelief for a name, SampleBeliefs for a list of names.

    Raises
    ------
    GraphError : ``do`` in an undirected network.
    FitError : weighted draws that hardly agree with the evidence.
    """
    question = _question(net, targets, given, do)
    rng = generator(options.seed)
    field = None if options.method == "stacked" else field_of(question.net, options)
    if options.method == "stacked":
        found = _stacked(question, asked(question.net), rng)
    elif field is not None and isinstance(question.net, BayesNet) and options.method is None:
        found = _by_model(question, question.net, field, options, rng)
    elif field is not None and options.method is None and stackable(field):
        found = _from_rows(question, field, rng)
    elif field is not None:
        found = _by_gibbs(question, field, options.over(Effort()), rng, GIBBS)
    else:
        found = _by_product(question, options, rng)
    return found.singles[0] if isinstance(targets, str) else found


def _stacked(question: Question, field: MarkovNet, rng: np.random.Generator) -> SampleBeliefs:
    """Beliefs from stacked conditionals on what is known; together, by the chain rule."""
    if question.do:
        raise GraphError(
            "method='stacked' answers given what was seen: leave do= out, or the method."
        )
    gaps, columns = question.gaps, question.columns
    notes = far(field, columns, beside(field, reached(field, gaps, question.asked), gaps))
    singles = tuple(
        question.single(node, _stacked_law(field, columns, gaps, node), None, Quality(notes=notes))
        for node in question.asked
    )
    if len(singles) == 1:
        return _beliefs(question, singles, singles[0].law.sample(rng, EXACT_DRAWS)[:, :, None])
    many = [np.repeat(column, CHAINED) for column in columns]
    drawn = chained(field, many, np.repeat(gaps, CHAINED, axis=0), rng, question.asked)
    states = np.stack([drawn[node].astype(float) for node in question.asked])
    return _beliefs(question, singles, states[:, :, None])


def _stacked_law(
    net: MarkovNet, columns: list[NDArray[Any]], gaps: NDArray[np.bool_], node: int
) -> RowLaw:
    [(_, law)] = stacked_parts(net, columns, gaps, node)
    return law.laws() if isinstance(law, ModelRows) else law


def _from_rows(question: Question, field: MarkovNet, rng: np.random.Generator) -> SampleBeliefs:
    """A network of Parzen windows: its own conditional where all that it takes is known, else stacked."""
    node = question.asked[0]
    if len(question.asked) == 1 and not open_rows(field, question.gaps, node)[0]:
        return _by_gibbs(question, field, Effort(), rng, GIBBS)  # which is exact then
    return _stacked(question, field, rng)


def _question(
    net: Net,
    targets: str | Sequence[str],
    given: Mapping[str, Any] | None,
    do: Mapping[str, Any] | None,
) -> Question:
    if do and isinstance(net, MarkovNet):
        raise no_setting()
    seen, forced = coded_evidence(net, "given", given), coded_evidence(net, "do", do)
    names = names_of(targets)
    asked = tuple(net.index(name) for name in names)
    check_roles(net, asked, seen, forced)
    after = cut(net, forced) if forced and isinstance(net, BayesNet) else net
    return Question(after, names, asked, {**seen, **forced}, dict(given or {}), dict(do or {}))


def _by_gibbs(
    question: Question,
    net: MarkovNet,
    effort: Effort,
    rng: np.random.Generator,
    way: str,
    starts: Mapping[int, NDArray[Any]] | None = None,
) -> SampleBeliefs:
    """Simulate, unless one variable is asked whose inputs are all known."""
    gaps, columns, asked = question.gaps, question.columns, question.asked
    hidden = reached(net, gaps, asked)
    notes = far(net, columns, beside(net, hidden, gaps))
    closed = [not open_rows(net, gaps, node)[0] for node in asked]
    if all(closed) and len(asked) == 1:
        law = exact_law(net, columns, asked[0], 1)
        single = question.single(asked[0], law, None, Quality(notes=notes))
        return _beliefs(question, (single,), law.sample(rng, EXACT_DRAWS)[:, :, None])
    found = answer(net, columns, gaps, asked, effort, rng, keep=True, starts=starts)
    singles = tuple(
        question.single(asked[i], exact_law(net, columns, asked[i], 1), None, Quality(notes=notes))
        if closed[i]
        else question.single(
            asked[i], found.laws[i], found.by_chain[i], _quality(found.mixing[i], way, notes)
        )
        for i in range(len(asked))
    )
    return _beliefs(question, singles, found.states)


def _by_model(
    question: Question,
    net: BayesNet,
    field: MarkovNet,
    options: Options,
    rng: np.random.Generator,
) -> SampleBeliefs:
    """Ask a directed network that has blanket models, in the way that tells most.

    Where a variable's blanket is known, its model answers. Otherwise draws of the network itself,
    weighted by the evidence, if enough of them agree with it: blanket models are fitted one by one, need
    not agree with each other, and Gibbs sampling over them can be far off. It is what is left where
    evidence and draws do not meet.
    """
    if len(question.asked) > 1 or open_rows(field, question.gaps, question.asked[0])[0]:
        # Draws of the network itself are the network's own answer, where they meet the evidence.
        members = relevant(net.graph, question.asked, set(question.values))
        found = _weighted(question, net, members - set(question.values), options, rng)
        if float(effective(found.logs)[0]) >= ENOUGH:
            return _by_weights(question, net, members, found, rng)
    if stackable(field):
        return _from_rows(question, field, rng)
    return _by_gibbs(question, field, options.over(Effort()), rng, GIBBS)


def _beliefs(question: Question, singles: tuple[Single, ...], states: Array) -> SampleBeliefs:
    variables = tuple(question.net.variables[node] for node in question.asked)
    return SampleBeliefs(variables, singles, states, question.given, question.do)


def _quality(mixing: Mixing, way: str, notes: tuple[str, ...]) -> Quality:
    error, rhat, ess = (float(each[0]) for each in mixing)
    return Quality(error, rhat, ess, way, notes)


# -- the product rule -----------------------------------------------------------------------------


def _by_product(question: Question, options: Options, rng: np.random.Generator) -> SampleBeliefs:
    """The product rule: on a grid, or by weighted draws where several variables are hidden."""
    net = question.net
    if not isinstance(net, BayesNet):
        raise GraphError("The product rule needs a directed network.")
    members = relevant(net.graph, question.asked, set(question.values))
    hidden = members - set(question.values)
    if len(hidden) == 1 and options.method != "importance":
        rule = product_net(net, rng, members, POINTS)
        return _by_gibbs(question, rule, options.over(TABULATED), rng, GRID)  # which is exact then
    found = _weighted(question, net, hidden, options, rng)
    size = float(effective(found.logs)[0])
    if options.method != "grid":
        if size >= FEWEST:
            return _by_weights(question, net, members, found, rng)
        if question.do or options.method is not None:
            raise FitError(
                f"The {options.draws} draws weighted by the evidence are worth {size:.1f} "
                f"independent ones, and {FEWEST:g} are needed: take more draws=, or method='grid'."
            )
    return _by_grids(question, net, members, found, options, rng)


def _by_grids(
    question: Question,
    net: BayesNet,
    members: set[int],
    found: Weighted,
    options: Options,
    rng: np.random.Generator,
) -> SampleBeliefs:
    """Gibbs sampling with the product rule, many chains that start at weighted draws.

    Where local models are sharp, or have a tail, single chains hardly get from one mode to another; begun
    at draws from the answer, they need not. Where hardly any draw agrees with the evidence, fewer and
    longer chains start at rows near it.
    """
    rule = product_net(net, rng, members, FEWER)
    if effective(found.logs)[0] < FEWEST:
        return _by_gibbs(question, rule, options.over(TABULATED), rng, GRID)
    effort = options.over(STARTED)
    # Even steps along the sorted draws of what is asked: starts that spread as the answer does.
    order = np.argsort(found.columns[question.asked[0]], kind="stable")
    chosen = order[_resampled(found.weights[0][order], effort.chains, rng)]
    starts = {node: column[chosen] for node, column in found.columns.items()}
    return _by_gibbs(question, rule, effort, rng, GRID, starts)


def _weighted(
    question: Question,
    net: BayesNet,
    hidden: set[int],
    options: Options,
    rng: np.random.Generator,
) -> Weighted:
    columns = question.columns
    known = {node: columns[node] for node in question.values}
    # Known variables outside the members have the same weight in every draw.
    return weighted_draws(net, known, hidden, rng, max(options.draws, 1))


def _by_weights(
    question: Question,
    net: BayesNet,
    members: set[int],
    found: Weighted,
    rng: np.random.Generator,
) -> SampleBeliefs:
    """Beliefs from weighted draws: conditionals of the targets, averaged over them."""
    weights, size = found.weights[0], float(effective(found.logs)[0])
    rule = product_net(net, rng, members, FEWER)
    gaps = question.gaps
    notes = far(rule, question.columns, beside(rule, reached(rule, gaps, question.asked), gaps))
    singles = tuple(
        _weighted_single(question, net, rule, node, members, found, notes, rng)
        for node in question.asked
    )
    # As many states as the draws are worth, so that events get honest errors.
    chosen = _resampled(weights, max(int(size), 1), rng)
    states = np.stack([found.columns[node][chosen].astype(float) for node in question.asked])
    return _beliefs(question, singles, states[:, :, None])


def _weighted_single(
    question: Question,
    net: BayesNet,
    rule: MarkovNet,
    node: int,
    members: set[int],
    found: Weighted,
    notes: tuple[str, ...],
    rng: np.random.Generator,
) -> Single:
    weights, size = found.weights[0], float(effective(found.logs)[0])
    below = members.intersection(net.graph.children[node])
    # What hangs on the target weighs its values: then the product rule is its law.
    source: Net = rule if below else net
    inputs, model = source.inputs[node], source.conditionals[node]
    some = costly(model, net.variables[node])
    chosen = _resampled(weights, RESAMPLED, rng) if some else np.arange(len(weights))
    even = None if some else weights
    xs = tuple(_drawn(question, found, other)[chosen] for other in inputs)
    law = law_of(model, net.variables[node], xs, len(chosen))
    middle = averaged(law, len(chosen), even)
    off = centre(law) - float(centre(middle)[0])
    share = np.full(len(chosen), 1.0 / len(chosen)) if even is None else even
    variance = float((share**2) @ off**2)
    if some:  # draws that were taken stand for all of them
        own = found.columns[node].astype(float)
        variance += float(weights @ (own - weights @ own) ** 2) / size
    error = 0.0 if variance == 0.0 else float(np.sqrt(variance))
    quality = Quality(error, float("nan"), size, DRAWN, notes)
    return question.single(node, middle, None, quality)


def _drawn(question: Question, found: Weighted, node: int) -> NDArray[Any]:
    """A variable's draws, or its known value as often."""
    if node in found.columns:
        return found.columns[node]
    return np.repeat(question.columns[node], found.logs.shape[1])


def _resampled(weights: Array, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draws chosen by their weights, at even steps of their sum from a random place."""
    steps = (np.arange(size) + rng.random()) / size
    chosen = np.searchsorted(np.cumsum(weights), steps * weights.sum(), side="right")
    return rng.permutation(np.minimum(chosen, len(weights) - 1))
