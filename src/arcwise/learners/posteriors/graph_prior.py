"""Distributions over directed graphs before the data, and a problem's score with one of them."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError, FitError, GraphError, OptionError, unknown
from arcwise.graphs import Limits
from arcwise.learners.directed import Directed
from arcwise.learners.problem import Problem
from arcwise.scores import SCORES, ArcPenalty, ArcProbabilities, FairParents, Score, Sum
from arcwise.undirected.given_matrices import Factors, factors_of
from arcwise.values import is_number, is_pair

PRIORS = ("uniform", "fair")
"""Words for distributions over graphs before any data."""

Array = NDArray[np.float64]


class Weighed(NamedTuple):
    """A score of graphs with its prior, the prior alone, the prior in words, and the rules in force."""

    score: Score
    prior: Score
    words: str
    limits: Limits


def weighed(problem: Problem, prior: Any) -> Weighed:
    """A problem's score with a prior over graphs.

    Raises
    ------
    OptionError : another word, or something that is no prior.
    """
    if not isinstance(problem, Directed):
        raise GraphError(
            "A posterior is over directed graphs: leave graph='undirected' out, or take method='bootstrap'."
        )
    base = problem.penalised(problem.penalty)
    nodes = base.nodes
    own, words = _prior(prior, nodes, problem.source.order)
    flat: Score = ArcPenalty(nodes, 1.0, 0.0) if own is None else own
    entry = SCORES[problem.score_word]
    each = entry.per_parent(len(nodes), problem.score_options)
    if each and entry.meaning == "posterior":
        flat = Sum([flat, ArcPenalty(nodes, 1.0, each)])
        words = "" if own is None else f"{words}, with "
        words += f"{each:.3g} nats off for each arc (gamma {each / math.log(len(nodes)):g})"
    if problem.penalty:
        flat = Sum([flat, ArcPenalty(nodes, base.rows, problem.penalty)])
        words += f", with {problem.penalty * base.rows:.3g} nats off for each arc (penalty)"
    if problem.spec.expert is not None:
        words += ", around the expert's graph"
    limits = _ruled(problem.limits, own)
    return Weighed(base if own is None else Sum([base, own]), flat, words, limits)


def _ruled(limits: Limits, prior: Score | None) -> Limits:
    """The rules, and those that a prior makes by arcs of probability 0 and 1."""
    if not isinstance(prior, ArcProbabilities):
        return limits
    barred, required = [], []
    for child in range(len(limits.nodes)):
        never, always = np.isneginf(prior.there[child]), np.isneginf(prior.absent[child])
        before = limits.barred[child] if limits.barred is not None else frozenset[int]()
        barred.append((before | {*np.flatnonzero(never).tolist()}) - {child})
        required.append(tuple(sorted({*limits.required[child], *np.flatnonzero(always).tolist()})))
    if limits.barred is None and not any(barred):
        return replace(limits, required=tuple(required))
    return replace(limits, barred=tuple(barred), required=tuple(required))


def _prior(prior: Any, nodes: tuple[str, ...], order: tuple[str, ...]) -> tuple[Score | None, str]:
    if prior is None or (isinstance(prior, str) and prior == "uniform"):
        return None, "uniform over graphs"
    if isinstance(prior, str) and prior == "fair":
        return FairParents(nodes), "each number of parents equally probable"
    if isinstance(prior, str) and not prior.lower().endswith((".csv", ".tsv", ".txt")):
        raise unknown("prior over graphs", prior, PRIORS)
    if is_number(prior):
        if not 0 <= float(prior) < np.inf:
            raise OptionError(
                f"A prior that is a number is nats per arc, 0 or more, got {prior!r}."
            )
        return ArcPenalty(nodes, 1.0, float(prior)), f"{float(prior):g} nats off for each arc"
    return ArcProbabilities(nodes, _chances(prior, nodes, order)), "a probability for each arc"


def settled_prior(prior: Any, problem: Problem) -> Any:
    """A prior as files and checkpoints hold it: probabilities of arcs as a matrix with names."""
    nodes = problem.fits.nodes
    if not isinstance(_prior(prior, nodes, problem.source.order)[0], ArcProbabilities):
        return prior
    return Factors(_chances(prior, nodes, problem.source.order), nodes)


def _chances(prior: Any, nodes: tuple[str, ...], order: tuple[str, ...]) -> Array:
    """Probabilities of arcs by (parent, child); pairs that a mapping does not name have one half."""
    if isinstance(prior, Mapping):
        found = np.full((len(nodes), len(nodes)), 0.5)
        for pair, chance in prior.items():
            if not is_pair(pair):
                raise OptionError(f"A prior by arcs names each as (parent, child), got {pair!r}.")
            for name in pair:
                if name not in nodes:
                    raise unknown("variable", name, nodes)
            found[nodes.index(pair[0]), nodes.index(pair[1])] = chance
        return found
    try:
        given = factors_of(prior)
    except (DataError, FitError) as error:
        said = str(error).replace("The penalties", "The probabilities of arcs")
        raise OptionError(
            f"prior= is 'uniform', 'fair', a number of nats per arc, or probabilities of arcs: {said}"
        ) from None
    names = order if given.names is None else given.names
    missing = [name for name in nodes if name not in names]
    if missing or len(names) != len(given.values):
        who = repr(missing[0]) if missing else f"each of {len(names)} columns"
        raise DataError(f"The prior has no row for {who}: it needs one for every variable.")
    chosen = [names.index(name) for name in nodes]
    return given.values[np.ix_(chosen, chosen)]
