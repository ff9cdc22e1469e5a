"""Inference functions: each makes a query and passes it to the best engine of the registry.

The cheapest engine that accepts a query is used: closed forms first, then other exact engines, then
simulation (see ``engine``). ``method`` selects an engine by name.

Options of simulations, all by name: chains, sweeps, burn_in, scan ("fixed" or "random"), draws, seed, method.
The same seed gives the same answer. For ``do`` in a learned network: max_graphs, the largest number of
equivalent graphs of its range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table
from arcwise.data.memory import available, size_words
from arcwise.distributions import refuse_beyond
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import ArcwiseError, DataError, FitError, GraphError
from arcwise.inference.ask_options import AskOptions, EffortOptions
from arcwise.inference.belief import Belief, generator
from arcwise.inference.closed_form import ClosedForm
from arcwise.inference.conditional_gaussian import ConditionalGaussianEngine
from arcwise.inference.engine import (
    EXACT,
    Cost,
    DeclinedError,
    Engine,
    Options,
    Question,
    Reply,
    read_options,
)
from arcwise.inference.evidence import Evidence, check_roles, names_of, plain, read_evidence
from arcwise.inference.exact_tables import Elimination, Junction
from arcwise.inference.gibbs import Gibbs
from arcwise.inference.intervals import Intervals
from arcwise.inference.intervene import Equivalents, set_far, with_range
from arcwise.inference.joint_answers import States
from arcwise.inference.joint_belief import Beliefs
from arcwise.inference.linear_gaussian import linear_net
from arcwise.inference.predictions import Predictions
from arcwise.inference.product_rule import ProductRule
from arcwise.inference.quality import HIGHEST_RHAT
from arcwise.inference.stacked import StackedWindows
from arcwise.inference.weighting import Importance
from arcwise.networks import Net, align, whole
from arcwise.notes import Note, answer_note
from arcwise.values import is_several

__all__ = [
    "ENGINES",
    "RankedEngines",
    "answer_with_notes",
    "beliefs_of",
    "found_of",
    "has_closed_form",
    "impute",
    "marginal_log_density",
    "predict",
    "query",
    "rank_engines",
    "sample",
]


T = TypeVar("T")

CHEAP = 1e6
"""Work below which an exact answer is used without comparison."""

MEMORY = 5e8
"""Largest number of values that an engine may hold at once."""

_SMALL = 1e7
"""Number of values that fit into any memory."""

_ROOM = 0.5
"""Share of the available memory that an answer may use."""

ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        ClosedForm(),
        Intervals(),
        Junction(),
        Elimination(),
        ConditionalGaussianEngine(),
        Importance(),
        StackedWindows(),
        Gibbs(),
        Gibbs("blankets"),
        ProductRule(),
    )
}


class RankedEngines(NamedTuple):
    """Engines that accept a query, the best first, and notes on exact ones that are too large."""

    engines: list[Engine]
    notes: tuple[Note, ...] = ()


def rank_engines(question: Question) -> RankedEngines:
    """Return the engines that accept a query, the best first; with `method`, only that one.

    Raises
    ------
    ArcwiseError : none does; the message has the reason.
    """
    method = question.options.method
    accepted: list[tuple[Cost, Engine]] = []
    reasons: list[ArcwiseError] = []
    large: list[Note] = []
    for engine in ENGINES.values() if method is None else [ENGINES[method]]:
        cost = _cost(engine, question)
        if isinstance(cost, ArcwiseError):
            reasons.append(cost)
        elif cost.memory > _limit(cost.memory):
            size = f"{cost.memory:.2g} numbers at once ({size_words(8 * cost.memory)})"
            text = (
                f"The answer needs {size}, above {_limit(cost.memory):.2g}: query fewer variables."
            )
            reasons.insert(0, FitError(text))
            if cost.error == EXACT:
                text = f"An exact answer by {engine.name} needs {size}: this one is simulated."
                large.append(answer_note(text))
        elif cost.error == EXACT and cost.work < CHEAP:
            return RankedEngines([engine])
        else:
            accepted.append((cost, engine))
    if not accepted:
        raise reasons[0]
    accepted.sort(key=lambda candidate: candidate[0])
    notes = () if accepted[0][0].error == EXACT else tuple(large)
    return RankedEngines([engine for _, engine in accepted], notes)


def _limit(size: float) -> float:
    """Return the largest number of values held at once; small numbers are not compared with the memory."""
    return MEMORY if size < _SMALL else min(MEMORY, _ROOM * available() / 8)


def _cost(engine: Engine, question: Question) -> Cost | ArcwiseError:
    if question.soft and not engine.soft:
        return FitError(
            f"The method {engine.name!r} takes values as evidence only: sets, intervals and "
            "weights of levels need a network of probability tables."
        )
    if question.ranges and not engine.ranged:
        return FitError(
            "Intervals of numbers need a directed or a Gaussian network; the method "
            f"{engine.name!r} takes numbers."
        )
    return engine.accepts(question)


def answer_with_notes(question: Question, ask: Callable[[Engine], T]) -> tuple[T, tuple[Note, ...]]:
    """Return the answer of the best engine, and notes on better ones; if one declines, the next is used."""
    refused: DeclinedError | None = None
    engines, notes = rank_engines(question)
    for engine in engines:
        if not engine.thorough:
            question.check_possible()
        try:
            return ask(engine), notes
        except DeclinedError as error:
            refused = refused or error
    raise FitError(" ".join(map(str, [refused, *notes])))


def found_of(question: Question) -> Reply:
    """Return the answers of the best engine."""
    reply, notes = answer_with_notes(question, lambda engine: engine.ask(question))
    return reply._replace(notes=lambda: [*notes, *reply.notes()]) if notes else reply


Array = NDArray[np.float64]

EXACT_DRAWS = 4000
"""Draws that represent the joint distribution of a single variable."""


def _options(options: Mapping[str, Any], what: str = "option of a question") -> Options:
    return read_options(options, ENGINES, what)


def has_closed_form(net: Net) -> bool:
    """Return whether a network has closed-form inference: linear-Gaussian, with a joint distribution."""
    return linear_net(net) is not None


def query(
    net: Net,
    targets: str | Sequence[str],
    given: Mapping[str, Any] | None = None,
    do: Mapping[str, Any] | None = None,
    *,
    equivalents: Equivalents | None = None,
    **options: Unpack[AskOptions],
) -> Belief | Beliefs:
    """Return the distribution of variables given evidence.

    Parameters
    ----------
    net : any network.
    targets : a name, or several for a joint distribution.
    given : the evidence: observed values by name.
    do : an intervention: set values by name, in directed networks only.
    equivalents : the class of a learned graph, which gives answers to ``do`` a range; None if the
        graph is known.
    options : of simulations, see the module.

    Returns
    -------
    A Belief for one name, Beliefs for a list of names. Each has its error, 0 if exact.

    Raises
    ------
    DataError : an unknown or repeated name, evidence that is not finite, unknown levels.
    GraphError : ``do`` in an undirected network.
    FitError : impossible evidence, or too few draws that agree with it.

    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> from arcwise.networks import BayesNet
    >>> a = GaussianConditional(1.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.array([2.0]), 1.0, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> round(query(net, "a", {"b": 4.5}).mean, 6)
    2.0
    >>> round(query(net, "a", {"b": 4.5}, method="grid").mean, 3)
    2.0
    """
    settings = _options(options)
    evidence = read_evidence(net, given, do)
    names = names_of(targets)
    nodes = [net.index(name) for name in names]
    if not nodes:
        raise DataError("A query must have at least one target variable.")
    check_roles(net, nodes, evidence)

    def ask(other: Net) -> Belief | Beliefs:
        question = Question.of(other, nodes, evidence, settings, generator(settings.seed))
        both = beliefs_of(question, found_of(question), evidence)
        return both if is_several(targets) else both.singles[0]

    answer = ask(net)
    if not do or equivalents is None or not net.directed:
        return answer
    rng = generator(settings.seed)
    return with_range(
        answer, net, list(evidence.forced), ask, equivalents, settings.max_graphs, rng
    )


def beliefs_of(question: Question, reply: Reply, evidence: Evidence) -> Beliefs:
    """Return the beliefs about each variable of a single query, and their joint belief."""
    net = question.net
    evidence_values, do = evidence.given(net), plain(net, evidence.forced)
    notes, singles = reply.notes(), []
    for node, answer in zip(question.asked, reply.answers, strict=True):
        name = net.names[node]
        refuse_beyond(answer.distribution, name)
        guess = set_far(net, question.forced, node) if net.directed else ()
        quality = answer.quality((*notes, *guess))
        singles.append(
            Belief(name, answer.distribution, quality, answer.by_chain, evidence_values, do)
        )
    joint = reply.joint
    if joint is None:
        variables = tuple(net.variables[node] for node in question.asked)
        values = singles[0].distribution.sample(question.rng, EXACT_DRAWS)
        joint = States(variables, values[:, :, None])
    return Beliefs(tuple(singles), joint, evidence_values, do)


def predict(net: Net, table: Table, target: str, **options: Unpack[AskOptions]) -> Predictions:
    """Predict one variable in every row from all observed values of the others.

    Parameters
    ----------
    net : any network.
    table : the rows; any cells may be missing, columns too. Values of the target are ignored.
    target : the variable to predict.
    options : of simulations, see the module; rows without missing values need none.

    Returns
    -------
    Predictions, one per row: mean, sd, error, quantiles, intervals, log densities.

    Raises
    ------
    DataError : no column in common, an unknown target, or columns that are not numbers.
    FitError : a row that violates a deterministic relation of the network.
    """
    node, settings = net.index(target), _options(options)
    rows = align(net, table, unread=(target,))
    question = Question.of_rows(net, rows, settings, "rows", node)
    reply = found_of(question)
    answer, levels = reply.answers[0], net.variables[node].levels
    if levels is None:
        refuse_beyond(answer.distribution, target)
    notes = [note for note in rows.notes if note not in table.notes]
    notes += [*reply.notes(), *_disagreement_notes(answer.mixing)]
    messages = tuple(dict.fromkeys(notes))
    return Predictions(target, answer.distribution, answer.mixing, messages, levels)


def _disagreement_notes(mixing: Mixing) -> Iterator[Note]:
    """Return a note on rows whose chains disagree."""
    simulated = int(np.isfinite(mixing.ess).sum())
    if count := int((mixing.rhat > HIGHEST_RHAT).sum()):
        yield answer_note(
            f"In {count} of {simulated} simulated rows the chains disagree (R-hat above "
            f"{HIGHEST_RHAT:g}): use more sweeps.",
        )


def impute(
    net: Net, table: Table, rng: np.random.Generator | None = None, **options: Unpack[AskOptions]
) -> Table:
    """Return a table with its missing values imputed.

    Parameters
    ----------
    net : any network.
    table : the rows; any cells may be missing, columns too.
    rng : None imputes expected values given the observed values of a row (the most probable level of a
        discrete variable); with a generator, the missing values of a row are drawn jointly.
    options : of simulations, see the module.

    Returns
    -------
    A table of the network's variables without missing values.
    """
    rows, settings = align(net, table), _options(options)
    question = Question.of_rows(net, rows, settings, "completion")
    if rng is not None:
        question = replace(question, rng=rng)
    filled, notes = answer_with_notes(
        question, lambda engine: engine.complete(question, rng is not None)
    )
    return replace(rows, columns=filled, notes=(*rows.notes, *notes))


def sample(
    net: Net,
    rng: np.random.Generator,
    draws: int,
    given: Mapping[str, Any] | None = None,
    do: Mapping[str, Any] | None = None,
    **options: Unpack[EffortOptions],
) -> Table:
    """Return a table of draws, all with the same evidence if there is any.

    Without evidence, each variable is drawn after its parents; in a Markov network of Parzen windows by the
    chain rule; in others by one Gibbs chain per row. With evidence, by the engines of `query`: in closed
    form, by weighted draws, from the rows that Parzen windows keep, or by chains.

    Parameters
    ----------
    net : any network.
    rng : the random generator.
    draws : how many rows.
    given : the evidence: observed values by name.
    do : an intervention: set values by name, in directed networks only.
    options : method; burn_in, the sweeps of each chain before its draw: with it, chains are used for
        undirected networks even if they have a joint distribution.

    Raises
    ------
    FitError : impossible evidence, or too few draws that agree with it.
    """
    settings = _options(options, "option of sampling")
    if "burn_in" in settings.effort and not net.directed:
        settings = replace(settings, method=settings.method or "gibbs")
    evidence = read_evidence(net, given, do)
    check_roles(net, (), evidence)
    rows, everything = whole("number of draws", draws), range(len(net.names))
    single = Question.of(net, everything, evidence, settings, rng, max(rows, 1))
    question = replace(single, task="draws")
    columns, notes = answer_with_notes(question, lambda engine: engine.complete(question, True))
    return Table(net.variables, tuple(column[:rows] for column in columns), notes=notes)


def marginal_log_density(net: Net, table: Table, **options: Unpack[AskOptions]) -> Array:
    """Return the log density of the observed values of each row; missing values are integrated out.

    Exact for rows without missing values and for linear-Gaussian networks; otherwise by likelihood weighting.

    Parameters
    ----------
    net : a directed network, or an undirected one with a joint distribution.
    table : the rows; any cells may be missing, columns too.
    options : seed and draws of the simulation.

    Returns
    -------
    One number per row, in nats; 0 for a row without observed values, minus infinity if the density
    underflows.

    Raises
    ------
    GraphError : an undirected network without a joint density; the message names its alternative.
    FitError : a row whose missing values cannot be integrated by simulation.
    """
    if not net.directed and net.joint is None:
        raise GraphError(
            "The local models of this undirected network have no joint density, only a "
            "pseudo-likelihood (each variable given its neighbours): use pseudo_logpdf for "
            "complete rows (pseudo_log_density in arcwise.inference), or validate for held-out "
            "rows."
        )
    question = Question.of_rows(net, align(net, table), _options(options), "density")
    engine = rank_engines(question).engines[0]
    with np.errstate(over="ignore", invalid="ignore"):
        total = engine.logpdf(question)
    return np.where(np.isnan(total), -np.inf, total)
