"""Posteriors over directed graphs: exact sums, or chains, with a prior over graphs.

Chains run side by side (`rounds`); where they disagree they are run again, longer and at several powers of
the score.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Moments, Table
from arcwise.data.memory import available
from arcwise.errors import DataError, FitError, GraphError, NoTimeError, WordError, unknown
from arcwise.graphs import DAG, Limits
from arcwise.learners.directed import Directed
from arcwise.learners.problem import Problem
from arcwise.learners.rounds import LONGER, Length, filled, freer, packed, unpacked
from arcwise.learners.sampling import POSTERIORS, Arrays, Keep, Plan, Run, meaning_of
from arcwise.learners.specification import Specification
from arcwise.mcmc import SAMPLERS, UNIFORM, Chain, choose, diagnose, run
from arcwise.mcmc import exact as summed
from arcwise.results import Posterior, Watch
from arcwise.scores import ArcPenalty, Score, Sum, total
from arcwise.scores.graph_priors import ArcProbabilities, FairParents
from arcwise.search import SEARCHES
from arcwise.undirected.factors import factors_of

PRIORS = ("uniform", "fair")
"""Words for distributions over graphs before any data."""

Array = NDArray[np.float64]

_SHOWN = 1000  # graphs drawn beside exact sums, to have some to average over
_COUNTED = 16  # variables up to which graphs that obey rules are counted
_NEARLY = 0.95  # probability of the graphs held from which on their exact weights are averaged by
_SHARE = 0.5  # of the memory that is free


def method_for(problem: Problem) -> tuple[str, str]:
    """The way to a distribution over graphs that suits a problem, and a sentence where it may surprise."""
    if not isinstance(problem, Directed):
        return (
            "bootstrap",
            "Undirected graphs have no posterior here: their certainty is resampled.",
        )
    if meaning_of(problem.score_word) == "pseudo-posterior":
        return "bootstrap", (
            f"The score {problem.score_word!r} is no log probability of the data, so certainty is resampled; "
            "method='exact' or 'mcmc' gives its pseudo-posterior."
        )
    found = choose(problem.score, problem.limits, memory=_SHARE * available())
    return "exact" if found.word == "exact" else "mcmc", ""


class Weighed(NamedTuple):
    """A score of graphs with its prior, the prior alone, and the prior in words."""

    score: Score
    prior: Score
    words: str


def weighed(problem: Problem, prior: Any) -> Weighed:
    """A problem's score with a prior over graphs.

    Raises
    ------
    WordError : another word, or something that is no prior.
    """
    if not isinstance(problem, Directed):
        raise GraphError(
            "A posterior is over directed graphs: leave graph='undirected' out, or take method='bootstrap'."
        )
    base = problem.penalised(problem.penalty)
    nodes = base.nodes
    own, words = _prior(prior, nodes, problem.source.order)
    flat: Score = ArcPenalty(nodes, 1.0, 0.0) if own is None else own
    gamma = float(problem.score_options.get("gamma", 0.0))
    if gamma and problem.score_word in POSTERIORS:
        each = gamma * math.log(len(nodes))
        flat = Sum([flat, ArcPenalty(nodes, 1.0, each)])
        words += f", with {each:.3g} nats off for each arc (gamma {gamma:g})"
    if problem.penalty:
        flat = Sum([flat, ArcPenalty(nodes, base.rows, problem.penalty)])
        words += f", with {problem.penalty * base.rows:.3g} nats off for each arc (penalty)"
    if problem.spec.expert is not None:
        words += ", around the expert's graph"
    return Weighed(base if own is None else Sum([base, own]), flat, words)


def _prior(prior: Any, nodes: tuple[str, ...], order: tuple[str, ...]) -> tuple[Score | None, str]:
    if prior is None or (isinstance(prior, str) and prior == "uniform"):
        return None, "uniform over graphs"
    if isinstance(prior, str) and prior == "fair":
        return FairParents(nodes), "each number of parents equally probable"
    if isinstance(prior, str) and not prior.lower().endswith((".csv", ".tsv", ".txt")):
        raise unknown("prior over graphs", prior, PRIORS)
    if isinstance(prior, int | float | np.number) and not isinstance(prior, bool):
        if not 0 <= float(prior) < np.inf:
            raise WordError(f"A prior that is a number is nats per arc, 0 or more, got {prior!r}.")
        return ArcPenalty(nodes, 1.0, float(prior)), f"{float(prior):g} nats off for each arc"
    return ArcProbabilities(nodes, _chances(prior, nodes, order)), "a probability for each arc"


def _chances(prior: Any, nodes: tuple[str, ...], order: tuple[str, ...]) -> Array:
    """Probabilities of arcs by (parent, child); pairs that a mapping does not name have one half."""
    if isinstance(prior, Mapping):
        found = np.full((len(nodes), len(nodes)), 0.5)
        for pair, chance in prior.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise WordError(f"A prior by arcs names each as (parent, child), got {pair!r}.")
            for name in pair:
                if name not in nodes:
                    raise unknown("variable", name, nodes)
            found[nodes.index(pair[0]), nodes.index(pair[1])] = chance
        return found
    try:
        given = factors_of(prior)
    except (DataError, FitError) as error:
        said = str(error).replace("The penalties", "The probabilities of arcs")
        raise WordError(
            f"prior= is 'uniform', 'fair', a number of nats per arc, or probabilities of arcs: {said}"
        ) from None
    names = order if given.names is None else given.names
    missing = [name for name in nodes if name not in names]
    if missing or len(names) != len(given.values):
        who = repr(missing[0]) if missing else f"each of {len(names)} columns"
        raise DataError(f"The prior has no row for {who}: it needs one for every variable.")
    chosen = [names.index(name) for name in nodes]
    return given.values[np.ix_(chosen, chosen)]


# -- exact ---------------------------------------------------------------------------------------


def of_all_graphs(
    spec: Specification,
    source: Table | Moments,
    problem: Problem,
    plan: Plan,
    rng: np.random.Generator,
    *,
    kept: Arrays | None = None,
    watch: Watch | None = None,
    keep: Keep | None = None,
) -> Run:
    """The posterior of every arc by sums over all graphs; parameters as of `of_replicates`.

    Graphs to average over are drawn beside, and have their exact probabilities.
    """
    own, limits = weighed(problem, plan.prior), problem.limits  # type: ignore[attr-defined]
    memory = _SHARE * available()
    found = summed(own.score, limits, memory=memory, on_step=watch)
    drawn = _drawn(own.score, limits, found.log_total, rng, watch)
    zeros = np.zeros_like(found.arcs)
    return Run(
        Posterior(
            own.score.nodes,
            drawn.graphs,
            drawn.weights,
            found.arcs,
            np.clip(found.arcs + found.arcs.T, 0.0, 1.0),
            zeros,
            zeros.copy(),
            meaning=meaning_of(problem.score_word),
            prior=own.words,
            shares=drawn.shares,
            graph_ess=drawn.ess,
            log_evidence=_evidence(problem.score_word, own, limits, found.log_total),
            notes=() if problem.score.equivalent else (_ONE_WAY,),
        ),
        {},
    )


_ONE_WAY = "Equivalent graphs differ in this score: directions are the score's opinion, too."


class _Drawn(NamedTuple):
    """Graphs with their exact probabilities, what they count in averages, and the draws behind that."""

    graphs: tuple[DAG, ...]
    weights: Array
    shares: Array
    ess: float


def _drawn(
    score: Score,
    limits: Limits,
    log_total: float,
    rng: np.random.Generator,
    watch: Watch | None,
) -> _Drawn:
    """The best graph and graphs that a chain visits, with their exact probabilities.

    Where these make up nearly all, they are what graphs count; else how often the chain was there.
    """
    counts: dict[DAG, int] = {}
    if limits.condition is None:
        counts[SEARCHES["exact"](score, None, limits=limits, on_step=watch).graph] = 0
    sampler, p = SAMPLERS["partition"](score, limits), len(score.nodes)
    chain = run(sampler, None, rng, _SHOWN, burn_in=100 * p, thin=5 * p, on_step=watch)
    for graph, count in chain.counts().items():
        counts[graph] = counts.get(graph, 0) + count
    graphs = list(counts)
    logs = np.array([total(score, graph) for graph in graphs]) - log_total
    order = np.argsort(-logs, kind="stable")
    weights = np.exp(np.minimum(logs[order], 0.0))
    weights /= max(1.0, float(weights.sum()))
    drawn = np.array([counts[graphs[i]] for i in order], dtype=float)
    if weights.sum() >= _NEARLY or not len(chain):
        shares, size = weights / weights.sum(), math.inf
    else:
        size = diagnose([chain]).score_ess
        shares = drawn / drawn.sum()
    return _Drawn(tuple(graphs[i] for i in order), weights, shares, size)


def _evidence(word: str, own: Weighed, limits: Limits, log_total: float) -> float | None:
    """Log probability of the data: the sum over graphs less that of the prior alone."""
    if word not in (*POSTERIORS, "bic"):
        return None
    p = len(own.prior.nodes)
    if limits.free and isinstance(own.prior, ArcPenalty) and own.prior.cost == 0:
        return log_total - _log_graphs(p)
    return log_total - summed(own.prior, limits).log_total if p <= _COUNTED else None


def _log_graphs(p: int) -> float:
    """Log of the number of directed acyclic graphs (Robinson 1973).

    >>> round(math.exp(_log_graphs(4)))
    543
    """
    counts = [1]
    for n in range(1, p + 1):
        terms = (
            (-1) ** (k + 1) * math.comb(n, k) * 2 ** (k * (n - k)) * counts[n - k]
            for k in range(1, n + 1)
        )
        counts.append(sum(terms))
    return math.log(counts[p])


# -- chains --------------------------------------------------------------------------------------


def of_chains(
    spec: Specification,
    source: Table | Moments,
    problem: Problem,
    plan: Plan,
    rng: np.random.Generator,
    *,
    kept: Arrays | None = None,
    watch: Watch | None = None,
    keep: Keep | None = None,
) -> Run:
    """The posterior by chains over graphs; parameters as of `of_replicates`.

    Raises
    ------
    FitError : there was no time for the first draws.
    """
    own, limits = weighed(problem, plan.prior), problem.limits  # type: ignore[attr-defined]
    word, why = _sampler(own.score, limits, plan.sampler)
    thin = plan.thin or _thin(word, len(own.score.nodes))
    burn_in = 100 * thin if plan.burn_in is None else plan.burn_in
    sampler = SAMPLERS[word](own.score, limits)
    level = int(kept["chain_0_level"]) if kept and "chain_0_level" in kept else 0
    length = Length(freer(sampler) if level else sampler, thin, burn_in, level)
    chains, ended = filled(length, unpacked(kept, sampler) if kept else [], plan, rng, watch, keep)
    while not ended and plan.draws is None and length.level < LONGER:
        if diagnose(chains).agree:
            break
        length, begun = length.doubled(chains)
        chains, ended = filled(length, begun, plan, rng, watch, keep)
    found = _judged(chains, own, problem)
    settings = {"sampler": word, "thin": length.every, "burn_in": burn_in, "chains": plan.chains}
    diagnostics = {**found.diagnostics, **settings, "doublings": length.level}
    notes = (*why, *length.words, *found.notes)
    found = replace(found, diagnostics=diagnostics, notes=notes)
    return Run(found, packed(chains, length.level))


def _sampler(score: Score, limits: Limits, asked: str | None) -> tuple[str, tuple[str, ...]]:
    """The word of a sampler, and a sentence where it was chosen."""
    if asked is not None:
        if asked not in SAMPLERS:
            raise unknown("sampler", asked, SAMPLERS)
        return asked, ()
    found = choose(score, limits)
    word = "partition" if found.word == "exact" else found.word
    return word, (f"Sampler: {word}, as {found.why}.",) if found.word != "exact" else ()


def _thin(word: str, p: int) -> int:
    """Steps between two draws: about as many as it takes to change all of a graph."""
    return max(10, p) if word in ("order", "partition") else max(50, 5 * p * p)


def _judged(chains: Sequence[Chain], own: Weighed, problem: Problem) -> Posterior:
    """What chains say together."""
    if not chains or min(map(len, chains)) < 1:
        raise NoTimeError("There was no time for the first draws of every chain: give it more.")
    judged = diagnose(chains)
    counts: dict[DAG, int] = {}
    least = min(map(len, chains))
    for chain in chains:
        for graph, count in replace(chain, parents=chain.parents[-least:]).counts().items():
            counts[graph] = counts.get(graph, 0) + count
    order = sorted(counts, key=lambda graph: -counts[graph])
    number = sum(counts.values())
    upper = np.triu_indices(len(own.score.nodes), 1)
    sizes = np.append(judged.pairs.ess[upper], judged.score_ess)
    size = float(np.nanmin(np.where(np.isfinite(sizes), sizes, np.nan))) if len(sizes) else 1.0
    target = chains[0].target
    words = (
        own.words if target == UNIFORM else f"{own.words}, times the orders of a graph ({target})"
    )
    adjacent = judged.pairs.probabilities.copy()
    np.fill_diagonal(adjacent, 0.0)
    taken = sum(info.steps for chain in chains for info in chain.infos)
    moved = sum(info.accepted for chain in chains for info in chain.infos)
    return Posterior(
        own.score.nodes,
        tuple(order),
        np.array([counts[graph] / number for graph in order]),
        judged.arcs.probabilities.copy(),
        adjacent,
        judged.arcs.errors.copy(),
        judged.pairs.errors.copy(),
        meaning=meaning_of(problem.score_word),
        prior=words,
        draws=number,
        ess=max(1.0, min(size, float(number))),
        diagnostics={
            "target": target,
            "rhat": judged.largest_rhat,
            "score_rhat": judged.score_rhat,
            "score_ess": judged.score_ess,
            "acceptance": moved / max(1, taken),
            "steps": taken,
        },
        notes=tuple(filter(None, (judged.warning,))),
    )
