"""Asking: the verbs, each a question that is put to the best engine (see ``ranking``).

Options of simulations, all by name: chains, sweeps, burn_in, scan ("fixed" or "random"), draws, seed, method.
The same seed gives the same answer. Of ``do`` in a learned network: max_graphs, the most equivalent graphs
that its range is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise import networks
from arcwise.data import Table
from arcwise.data.variable import gaps_of, numbers_of, sentence_list
from arcwise.distributions import Categorical, refuse_beyond
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.errors import DataError, GraphError
from arcwise.inference import question as questions
from arcwise.inference.belief import HIGHEST_RHAT, Belief, generator
from arcwise.inference.engine import Found
from arcwise.inference.evidence import Evidence, plain, read_evidence
from arcwise.inference.gaussian.closed_form import residuals as closed_residuals
from arcwise.inference.gaussian.roots import linear_net
from arcwise.inference.intervene import Equivalents, set_far, with_range
from arcwise.inference.joint_answers import States
from arcwise.inference.joint_belief import Beliefs
from arcwise.inference.predictions import Predictions
from arcwise.inference.question import Options, Question
from arcwise.inference.ranking import ENGINES, answered, found_of, ranked
from arcwise.networks import MarkovNet, Net, align, whole

__all__ = [
    "Misses",
    "closed",
    "impute",
    "marginal_log_density",
    "misses",
    "predict",
    "pseudo_log_density",
    "query",
    "sample",
]

Array = NDArray[np.float64]

EXACT_DRAWS = 4000
"""Draws that stand for the joint distribution of a single variable."""


def _options(options: Mapping[str, Any], what: str = "option of a question") -> Options:
    return questions.read_options(options, ENGINES, what)


def closed(net: Net) -> bool:
    """Tell whether a network answers in closed form: linear-Gaussian, with a joint distribution."""
    return linear_net(net) is not None


def query(
    net: Net,
    targets: str | Sequence[str],
    given: Mapping[str, Any] | None = None,
    do: Mapping[str, Any] | None = None,
    *,
    equivalents: Equivalents | None = None,
    **options: Any,
) -> Belief | Beliefs:
    """Ask what is to be believed of variables, given what is known.

    Parameters
    ----------
    net : any network.
    targets : a name, or several for a joint answer.
    given : values seen, by name.
    do : values set from outside, by name; directed networks only.
    equivalents : the class of a learned graph, which gives answers to ``do`` a range; None where the
        graph is known.
    options : of simulations, see the module.

    Returns
    -------
    A Belief for one name, Beliefs for a list of names. Each says its error, 0 if exact.

    Raises
    ------
    DataError : an unknown or doubly used name, evidence that is no finite number, unknown levels.
    GraphError : ``do`` in an undirected network.
    FitError : evidence that is impossible, or that too few draws agree with.

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
    chosen = _options(options)
    evidence = read_evidence(net, given, do)
    names = questions.names_of(targets)
    asked = [net.index(name) for name in names]
    if not asked:
        raise DataError("A question needs at least one variable to ask for.")
    questions.check_roles(net, asked, evidence)

    def ask(other: Net) -> Belief | Beliefs:
        question = Question.of(other, asked, evidence, chosen, generator(chosen.seed))
        both = _beliefs(question, found_of(question), evidence)
        return both.singles[0] if isinstance(targets, str) else both

    answer, directed = ask(net), net.as_directed
    if not do or equivalents is None or directed is None:
        return answer
    rng = generator(chosen.seed)
    return with_range(
        answer, directed, list(evidence.forced), ask, equivalents, chosen.max_graphs, rng
    )


def _beliefs(question: Question, found: Found, evidence: Evidence) -> Beliefs:
    """What the answers to a single question say of each variable, and of all together."""
    net = question.net
    given, do = evidence.given(net), plain(net, evidence.forced)
    notes, singles = found.notes(), []
    for node, answer in zip(question.asked, found.answers, strict=True):
        name = net.names[node]
        refuse_beyond(answer.distribution, name)
        guess = set_far(net.as_directed, question.forced, node) if net.as_directed else ()
        quality = answer.quality((*notes, *guess))
        singles.append(Belief(name, answer.distribution, quality, answer.by_chain, given, do))
    joint = found.joint
    if joint is None:
        variables = tuple(net.variables[node] for node in question.asked)
        drawn = singles[0].distribution.sample(question.rng, EXACT_DRAWS)
        joint = States(variables, drawn[:, :, None])
    return Beliefs(tuple(singles), joint, given, do)


def predict(net: Net, table: Table, target: str, **options: Any) -> Predictions:
    """Predict one variable in every row from all that is known of the others.

    Parameters
    ----------
    net : any network.
    table : the rows; any cells may be missing, columns too. The target's own values are ignored.
    target : the variable to predict.
    options : of simulations, see the module; rows without gaps need none.

    Returns
    -------
    Predictions, one per row: mean, sd, error, quantiles, intervals, log densities.

    Raises
    ------
    DataError : no column in common, an unknown target, or columns that are no numbers.
    FitError : a row that contradicts a deterministic relation of the network.
    """
    node, chosen = net.index(target), _options(options)
    rows = align(net, table, unread=(target,))
    question = Question.of_rows(net, rows, chosen, "rows", node)
    found = found_of(question)
    answer, levels = found.answers[0], net.variables[node].levels
    if levels is None:
        refuse_beyond(answer.distribution, target)
    notes = [note for note in rows.notes if note not in table.notes]
    notes += [*found.notes(), *_unsettled(answer.mixing)]
    said = tuple(dict.fromkeys(notes))
    return Predictions(target, answer.distribution, answer.mixing, said, levels)


def _unsettled(mixing: Mixing) -> Iterator[str]:
    """A sentence about rows whose chains disagree."""
    simulated = int(np.isfinite(mixing.ess).sum())
    if count := int((mixing.rhat > HIGHEST_RHAT).sum()):
        yield (
            f"In {count} of {simulated} simulated rows the chains disagree (R-hat above "
            f"{HIGHEST_RHAT:g}): take more sweeps."
        )


def impute(net: Net, table: Table, rng: np.random.Generator | None = None, **options: Any) -> Table:
    """Fill the gaps of a table.

    Parameters
    ----------
    net : any network.
    table : the rows; any cells may be missing, columns too.
    rng : None fills in expected values given all that is known of a row (the most probable level of
        a discrete variable); with a generator, the gaps of a row are drawn together.
    options : of simulations, see the module.

    Returns
    -------
    A table of the network's variables without gaps.
    """
    rows, chosen = align(net, table), _options(options)
    question = Question.of_rows(net, rows, chosen, "completion")
    if rng is not None:
        question = replace(question, rng=rng)
    filled, notes = answered(question, lambda engine: engine.complete(question, rng is not None))
    return replace(rows, columns=filled, notes=(*rows.notes, *notes))


def sample(
    net: Net,
    rng: np.random.Generator,
    draws: int,
    given: Mapping[str, Any] | None = None,
    do: Mapping[str, Any] | None = None,
    **options: Any,
) -> Table:
    """Draw rows, all with the same evidence if there is any.

    Without evidence, each variable is drawn after its parents; in a Markov network of Parzen windows by the
    chain rule; in others by one Gibbs chain a row. With it, as `query` would answer: in closed form, by
    weighted draws, from the rows that Parzen windows keep, or by chains.

    Parameters
    ----------
    net : any network.
    rng : the random generator.
    draws : how many rows.
    given : values seen, by name.
    do : values set from outside, by name; directed networks only.
    options : method; burn_in, the sweeps of each chain before its row is taken: an undirected network is then
        asked by chains even where it has a joint distribution.

    Raises
    ------
    FitError : evidence that is impossible, or that too few draws agree with.
    """
    chosen = _options(options, "option of sampling")
    if "burn_in" in chosen.effort and not net.directed:
        chosen = replace(chosen, method=chosen.method or "gibbs")
    evidence = read_evidence(net, given, do)
    questions.check_roles(net, (), evidence)
    rows, everything = whole("number of draws", draws), range(len(net.names))
    single = Question.of(net, everything, evidence, chosen, rng, max(rows, 1))
    question = replace(single, task="draws")
    drawn, notes = answered(question, lambda engine: engine.complete(question, True))
    return Table(net.variables, tuple(column[:rows] for column in drawn), notes=notes)


def marginal_log_density(net: Net, table: Table, **options: Any) -> Array:
    """Log density of what is known of each row; unknown variables are integrated out.

    Exact for rows without gaps and for linear-Gaussian networks; otherwise by likelihood weighting.

    Parameters
    ----------
    net : a directed network, or an undirected one with a joint distribution.
    table : the rows; any cells may be missing, columns too.
    options : seed and draws of the simulation.

    Returns
    -------
    One number per row, in nats; 0 for a row of which nothing is known, minus infinity for one that
    is too far out for the numbers of a computer.

    Raises
    ------
    GraphError : an undirected network without a joint density; the sentence says what it has.
    FitError : a row whose gaps cannot be integrated by simulation.
    """
    if not net.directed and net.joint is None:
        raise GraphError(
            "The local models of this undirected network belong to no joint density. What it has is a "
            "pseudo-likelihood, each variable given its neighbours: for rows without gaps "
            "pseudo_logpdf gives it (pseudo_log_density in arcwise.inference), for held-out rows "
            "validate."
        )
    question = Question.of_rows(net, align(net, table), _options(options), "density")
    engine = ranked(question).engines[0]
    with np.errstate(over="ignore", invalid="ignore"):
        total = engine.logpdf(question)
    return np.where(np.isnan(total), -np.inf, total)


def pseudo_log_density(net: Net, table: Table) -> Array:
    """Log pseudo-likelihood of rows: each variable given its neighbours, summed.

    Parameters
    ----------
    net : an undirected network.
    table : rows without gaps.

    Returns
    -------
    One number per row, in nats. It is no density, and compares only with its own kind.

    Raises
    ------
    GraphError : a directed network, which has a density.
    DataError : rows with gaps.
    """
    if not isinstance(net, MarkovNet):
        raise GraphError("A directed network has a density: ask for it instead.")
    rows = align(net, table)
    gaps = rows.missing()
    if gaps.any():
        holes = [rows.names[i] for i in np.flatnonzero(gaps.any(axis=0))]
        raise DataError(
            "A pseudo-likelihood needs rows without gaps, and there are some in "
            f"{sentence_list(holes)}: fill them with impute, or leave the rows out."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = networks.pseudo_log_density(net, rows.columns)
    return np.where(np.isnan(total), -np.inf, total)


class Misses(NamedTuple):
    """How far predictions of each variable from all the others are off; rows by variables.

    `errors` are values minus predictions, NaN for levels that are not numbers; `hits` are 1 where the most
    probable level is the true one, `logs` the log probabilities of the true ones, both NaN for numbers. Gaps
    are NaN in all of them.
    """

    errors: Array
    hits: Array
    logs: Array


def misses(net: Net, table: Table, **options: Any) -> Misses:
    """Predict each variable from all the others, and compare.

    Parameters
    ----------
    net : any network.
    table : rows of exactly the network's variables.
    options : as of `predict`.
    """
    chosen, linear = _options(options), linear_net(net)
    found = Misses(*(np.full((table.rows, len(net.names)), np.nan) for _ in Misses._fields))
    if linear is not None and chosen.method is None and not table.missing().any():
        return found._replace(errors=closed_residuals(linear, table))
    for node, variable in enumerate(net.variables):
        column, known = table.columns[node], ~gaps_of(variable, table.columns[node])
        answer = (
            found_of(Question.of_rows(net, table, chosen, "rows", node)).answers[0].distribution
        )
        if not variable.discrete or variable.numeric:
            found.errors[:, node] = numbers_of(variable, column) - answer.mean
        if isinstance(answer, Categorical):
            codes = column[known].astype(float)
            found.hits[known, node] = answer.codes[known] == codes
            found.logs[known, node] = answer.take(known).logpdf(codes[:, None])[:, 0]
    return found
