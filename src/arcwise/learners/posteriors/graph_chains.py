"""Posteriors over directed graphs by chains.

Chains run in parallel (`chain_lengths`); if they disagree they are run again, longer and at several powers
of the score.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ChainsError, NoTimeError, unknown
from arcwise.graphs import DAG, Limits
from arcwise.learners.posteriors.chain_lengths import (
    LATE,
    LONGER,
    Length,
    fill_chains,
    freer,
    pack_chains,
    sampler_of,
    unpack_chains,
)
from arcwise.learners.posteriors.plan import (
    Plan,
    PosteriorRun,
    Task,
    WeighedScore,
    meaning_of,
    weigh_problem,
)
from arcwise.learners.problem import Problem
from arcwise.mcmc import SAMPLERS, UNIFORM, Chain, Sampler, choose_way, diagnose
from arcwise.notes import Blank, Fix, NoteKind, notes_of
from arcwise.results import GraphDistribution, SearchEnd, Trail, Watch
from arcwise.scores import Score

REVERSAL = "reversal"
"""Name of the structure sampler with steps that reverse an arc."""

Array = NDArray[np.float64]

_FAILED, _UNKNOWN = 1.5, 0.1  # R-hat, and error of an edge, from which chains have failed
_FAR = 100  # R-hat that is not told in figures
_FLIPS = 0.1  # share of these steps


def of_chains(task: Task, longer: int | None = None) -> PosteriorRun:
    """Return the posterior by chains over graphs.

    Chains that disagree are run again up to `longer` times (4 by default).

    Raises
    ------
    FitError : there was no time for the first draws.
    ChainsError : the chains disagree.
    """
    problem, plan, earlier, watch = task.problem, task.plan, task.kept, task.watch
    weighed = weigh_problem(problem, plan.prior)
    limits, p = weighed.limits, len(weighed.score.nodes)
    before = sampler_of(earlier)
    word, why, options = _sampler(weighed.score, limits, plan.sampler)
    if before not in (None, _label(word, options)):  # a run that had turned to another one
        (word, _, options), why = _sampler(weighed.score, limits, before), (_LONG,)
    share = getattr(watch, "share", None)
    free = share is not None and plan.sampler is None and before is None
    try:
        part = share(_LISTING) if share is not None and free else watch
        sampler = _make_sampler(word, weighed.score, limits, options, part)
    except NoTimeError:
        if not free or Trail(watch).tick("start", math.nan, 0):
            raise
        word, _, options = _sampler(weighed.score, limits, REVERSAL)
        sampler, why = _make_sampler(word, weighed.score, limits, options, watch), (_LONG,)
    why += (_HURRIED,) * getattr(sampler, "hurried", False)
    thin = plan.thin or _thin(word, p)
    burn_in = 100 * thin if plan.burn_in is None else plan.burn_in
    level = int(earlier["chain_0_level"]) if earlier and "chain_0_level" in earlier else 0
    length = Length(sampler, _label(word, options), thin, burn_in)
    length, chains = _follow(length, level, task, LONGER if longer is None else longer)
    result = _judge(chains, length, weighed, problem)
    _check_together(result, plan)
    settings = {"sampler": word, "thin": length.every, "burn_in": burn_in, "chains": plan.chains}
    diagnostics = {**result.diagnostics, **settings, "doublings": length.level}
    late = plan.chains - sum(map(bool, map(len, chains)))
    left_out = (f"{late} of {plan.chains} chains had no time for a draw and are ignored.",)
    messages = (*why, *length.words, *(left_out * bool(late)))
    notes = (*notes_of(NoteKind.CERTAINTY, *messages), *result.notes)
    result = replace(result, diagnostics=diagnostics, notes=notes)
    return PosteriorRun(task, result, pack_chains(chains, length))


def _check_together(result: GraphDistribution, plan: Plan) -> None:
    """Raise an error if chains that disagree have a length that the user did not set."""
    rhat, error = float(result.diagnostics["rhat"]), float(result.adjacent_errors.max(initial=0.0))
    if plan.draws is not None or rhat < _FAILED or error < _UNKNOWN:
        return
    text = f"{rhat:.2f}" if rhat < _FAR else f"over {_FAR}"
    raise ChainsError.of(
        f"The chains have not converged after {result.diagnostics['steps']} steps (R-hat {text}, "
        f"and the probability of an edge has an error of {error:.2f})",
        "use {method=}, allow more time, or accept this result with {draws=}",
        fixes=[Fix("method", "bootstrap"), Fix("draws", Blank("NUMBER"))],
    )


def _follow(
    length: Length,
    level: int,
    task: Task,
    longer: int,
) -> tuple[Length, list[Chain]]:
    """Return chains that agree, or have the largest length; if time is up before, the longest so far."""
    try:
        for _ in range(min(level, 1)):
            length = replace(length, sampler=freer(length.sampler, task.watch), level=level)
    except SearchEnd:
        raise NoTimeError(LATE) from None
    begun = unpack_chains(task.kept, length.sampler) if task.kept else []
    chains, ended = fill_chains(length, begun, task)
    while not ended and task.plan.draws is None and length.level < longer:
        if diagnose(chains).agree:
            break
        try:
            further, begun = length.doubled(chains, task.watch)
            fresh, ended = fill_chains(further, begun, task)
        except (SearchEnd, NoTimeError):
            break
        if ended and min(map(len, fresh)) < min(map(len, chains)):
            break
        length, chains = further, fresh
    return length, chains


def _label(word: str, options: Mapping[str, Any]) -> str:
    """Return the name that selects a sampler with these options."""
    return REVERSAL if word == "structure" and options else word


_LISTING = (
    0.5  # of the time limit: what listing parent sets may take where no sampler was asked for
)
_HURRIED = "There was no time to choose variables to move together: chains may need more steps."
_LONG = (
    "Listing parent sets took more than half of the time limit: chains over single graphs "
    "were run instead."
)


def _make_sampler(
    word: str, score: Score, limits: Limits, options: Mapping[str, Any], watch: Watch | None
) -> Sampler:
    """Return a sampler; while it lists parent sets, which may be slow, the callback is called."""
    if word not in ("order", "partition"):
        return SAMPLERS[word](score, limits, **options)
    try:
        check = Trail(watch).check
        sampler: Any = SAMPLERS[word](_CheckedScore(score, check), limits, check=check, **options)
    except SearchEnd:
        raise NoTimeError(LATE) from None
    sampler.score = score  # the watcher stays in this process
    checked: Sampler = sampler
    return checked


class _CheckedScore(Score):
    """A score that calls `check` before each computation."""

    def __init__(self, score: Score, check: Callable[[], None]) -> None:
        self.score, self.check = score, check
        self.nodes, self.rows, self.threads = score.nodes, score.rows, score.threads
        self.equivalent, self.lattice, self.work = score.equivalent, score.lattice, score.work

    def many(self, child: int, sets: Sequence[tuple[int, ...]]) -> Array:
        """Return local scores of parent sets."""
        self.check()
        return self.score.many(child, sets)

    def sweep(self, *arguments: Any) -> Any:
        """Return the sweep of the score."""
        self.check()
        return self.score.sweep(*arguments)

    def subsets(self, *arguments: Any) -> Array:
        """Return the subsets of the score."""
        self.check()
        return self.score.subsets(*arguments)


def _sampler(
    score: Score, limits: Limits, word: str | None
) -> tuple[str, tuple[str, ...], Mapping[str, Any]]:
    """Return the name of a sampler; a sentence and options if it was chosen automatically."""
    if word == REVERSAL:
        return "structure", (), {"flips": _FLIPS}
    if word is not None:
        if word not in SAMPLERS:
            raise unknown("sampler", word, (*SAMPLERS, REVERSAL))
        return word, (), {}
    way = choose_way(score, limits)
    if way.word == "exact":
        return "partition", (), {}
    return way.word, (f"Sampler: {way.word}, as {way.why}.",), way.options


def _thin(word: str, p: int) -> int:
    """Return the steps between two draws: about as many as change all of a graph."""
    return max(10, p) if word in ("order", "partition") else max(50, 5 * p * p)


def _judge(
    every: Sequence[Chain], length: Length, weighed: WeighedScore, problem: Problem
) -> GraphDistribution:
    """Return the joint diagnosis of chains."""
    chains = [chain for chain in every if len(chain)]
    if not chains:
        steps = max(chain.state.taken for chain in every)
        raise NoTimeError(
            f"Time ran out after {steps} of the {length.burn_in} steps before the first draw of "
            "a chain: allow more, or use a shorter burn_in."
        )
    judged = diagnose(chains)
    counts: dict[DAG, int] = {}
    least = min(map(len, chains))
    for chain in chains:
        for graph, count in replace(chain, parents=chain.parents[-least:]).counts().items():
            counts[graph] = counts.get(graph, 0) + count
    order = sorted(counts, key=lambda graph: -counts[graph])
    number = sum(counts.values())
    upper = np.triu_indices(len(weighed.score.nodes), 1)
    sizes = np.append(judged.pairs.ess[upper], judged.score_ess)
    size = float(np.nanmin(np.where(np.isfinite(sizes), sizes, np.nan))) if len(sizes) else 1.0
    target = chains[0].target
    orders = "" if target == UNIFORM else f", times the orders of a graph ({target})"
    adjacent = judged.pairs.probabilities.copy()
    np.fill_diagonal(adjacent, 0.0)
    steps = sum(info.steps for chain in chains for info in chain.infos)
    moved = sum(info.accepted for chain in chains for info in chain.infos)
    return GraphDistribution(
        weighed.score.nodes,
        tuple(order),
        np.array([counts[graph] / number for graph in order]),
        judged.arcs.probabilities.copy(),
        adjacent,
        judged.arcs.errors.copy(),
        judged.pairs.errors.copy(),
        meaning=meaning_of(problem.score_word),
        prior=weighed.words + orders,
        draws=number,
        ess=max(1.0, min(size, float(number))),
        ties=weighed.score.equivalent,
        diagnostics={
            "target": target,
            "rhat": judged.largest_rhat,
            "score_rhat": judged.score_rhat,
            "score_ess": judged.score_ess,
            "acceptance": moved / max(1, steps),
            "steps": steps,
        },
        notes=notes_of(NoteKind.CERTAINTY, judged.warning),
    )
