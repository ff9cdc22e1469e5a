"""Posteriors over directed graphs by sums over all of them."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data.memory import available
from arcwise.errors import NoTimeError
from arcwise.graphs import DAG, Limits, all_dags
from arcwise.learners.posteriors.plan import (
    PosteriorRun,
    Task,
    WeighedScore,
    meaning_of,
    weigh_problem,
)
from arcwise.learners.problem import Problem
from arcwise.mcmc import SAMPLERS, diagnose, run, tabulate_scores
from arcwise.mcmc import exact as summed
from arcwise.notes import Note, NoteKind
from arcwise.results import GraphDistribution, Watch, patient
from arcwise.scores import SCORES, ArcPenalty, Score, total
from arcwise.search import SEARCHES

Array = NDArray[np.float64]

MEMORY_SHARE = 0.5
"""Share of the free memory that sums over all graphs may use."""

_LATER = 5.0  # seconds for the best graph where the sums took all the time
_SHOWN = (
    1000  # graphs drawn beside exact sums, to have some to average over, where no number is given
)
_ALL = 4  # variables up to which all graphs are held: 543 of four
_COUNTED = 16  # variables up to which graphs that obey rules are counted
_NEARLY = 0.95  # probability of the graphs held from which on their exact weights are averaged by


def of_all_graphs(task: Task) -> PosteriorRun:
    """Return the posterior of every arc by sums over all graphs.

    Graphs for model averages are drawn in addition, with their exact probabilities.
    """
    problem, plan, watch = task.problem, task.plan, task.watch
    weighed = weigh_problem(problem, plan.prior)
    limits = weighed.limits
    memory = MEMORY_SHARE * available()
    table = tabulate_scores(weighed.score, limits, memory=memory, on_step=watch)
    sums = summed(table, limits, memory=memory, on_step=watch)
    if plan.draws is None and len(weighed.score.nodes) <= _ALL:
        drawn = _all(table, limits, sums.log_total)
    else:
        drawn = _draw_graphs(table, limits, sums.log_total, task.rng, watch, plan.draws or _SHOWN)
    zeros = np.zeros_like(sums.arcs)
    return PosteriorRun(
        task,
        GraphDistribution(
            weighed.score.nodes,
            drawn.graphs,
            drawn.weights,
            sums.arcs,
            np.clip(sums.arcs + sums.arcs.T, 0.0, 1.0),
            zeros,
            zeros.copy(),
            meaning=meaning_of(problem.score_word),
            prior=weighed.words,
            shares=drawn.shares,
            graph_ess=drawn.ess,
            ties=weighed.score.equivalent,
            log_evidence=_evidence(problem, weighed, limits, sums.log_total, watch),
            notes=drawn.notes,
        ),
        {},
    )


_ALONE = Note(
    NoteKind.CERTAINTY,
    "Edge probabilities are exact, but there was no time to draw graphs: features and averaged "
    "answers use the best graph only.",
)


class _GraphSample(NamedTuple):
    """Graphs with their exact probabilities, their weights in averages, and the draws behind these."""

    graphs: tuple[DAG, ...]
    weights: Array
    shares: Array
    ess: float
    notes: tuple[Note, ...]


def _all(score: Score, limits: Limits, log_total: float) -> _GraphSample:
    """Return every graph that the rules allow, with its probability."""
    graphs = list(all_dags(limits))
    logs = np.array([total(score, graph) for graph in graphs]) - log_total
    order = np.argsort(-logs, kind="stable")
    order = order[np.isfinite(logs[order])]
    weights = np.exp(logs[order])
    shares = weights / weights.sum()
    return _GraphSample(tuple(graphs[i] for i in order), shares, shares.copy(), math.inf, ())


def _draw_graphs(
    score: Score,
    limits: Limits,
    log_total: float,
    rng: np.random.Generator,
    watch: Watch | None,
    count: int,
) -> _GraphSample:
    """Return the best graph and graphs drawn by a chain, with their exact probabilities.

    If these sum to nearly one, they are the weights of graphs, else the numbers of draws. The sums are done,
    so the chain gets a little time even if time is up.
    """
    counts: dict[DAG, int] = {}
    if limits.condition is None:
        best = SEARCHES["exact"](score, None, limits=limits, on_step=patient(watch, _LATER))
        counts |= {best.graph: 0} if best.optimal else {}
    sampler, p = SAMPLERS["partition"](score, limits), len(score.nodes)
    later = patient(watch)
    chain = run(sampler, None, rng, count, burn_in=100 * p, thin=5 * p, on_step=later)
    for graph, count in chain.counts().items() if len(chain) else ():
        counts[graph] = counts.get(graph, 0) + count
    if not counts:
        raise NoTimeError("Time ran out before a graph was drawn: allow more.")
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
    notes = () if len(chain) else (_ALONE,)
    return _GraphSample(tuple(graphs[i] for i in order), weights, shares, size, notes)


def _evidence(
    problem: Problem, weighed: WeighedScore, limits: Limits, log_total: float, watch: Watch | None
) -> float | None:
    """Return the log evidence: the sum over graphs minus that of the prior alone; None if unknown."""
    if not SCORES[problem.score_word].log_probability:
        return None
    log_total -= problem.score.log_units
    p = len(weighed.prior.nodes)
    if limits.free and isinstance(weighed.prior, ArcPenalty) and weighed.prior.cost == 0:
        return log_total - _log_graphs(p)
    if p > _COUNTED:
        return None
    try:
        return log_total - summed(weighed.prior, limits, on_step=watch).log_total
    except NoTimeError:
        return None


def _log_graphs(p: int) -> float:
    """Return the log of the number of directed acyclic graphs (Robinson 1973).

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
