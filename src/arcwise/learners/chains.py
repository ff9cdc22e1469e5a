"""Posteriors over directed graphs by chains, with a prior over graphs.

Chains run side by side (`rounds`); where they disagree they are run again, longer and at several powers of
the score.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Source
from arcwise.data.memory import available
from arcwise.errors import (
    ChainsError,
    DataError,
    FitError,
    GraphError,
    NoTimeError,
    WordError,
    unknown,
)
from arcwise.graphs import DAG, Limits
from arcwise.learners.directed import Directed
from arcwise.learners.problem import Problem
from arcwise.learners.rounds import (
    LATE,
    LONGER,
    Length,
    filled,
    freer,
    packed,
    sampler_of,
    unpacked,
)
from arcwise.learners.sampling import Arrays, Keep, Plan, Run, meaning_of
from arcwise.learners.specification import Specification
from arcwise.mcmc import SAMPLERS, UNIFORM, Chain, Sampler, choose, diagnose
from arcwise.results import Interrupted, Posterior, Trail, Watch
from arcwise.scores import SCORES, ArcPenalty, ArcProbabilities, FairParents, Score, Sum
from arcwise.undirected.penalties import Factors, factors_of

PRIORS = ("uniform", "fair")
"""Words for distributions over graphs before any data."""

REVERSAL = "reversal"
"""The word for the structure sampler, some of whose steps turn an arc."""

Array = NDArray[np.float64]

_FAILED, _UNKNOWN = 1.5, 0.1  # R-hat, and error of an edge, from which chains have failed
_FAR = 100  # R-hat that is not told in figures
_FLIPS = 0.1  # share of these steps
SHARE = 0.5
"""How much of the memory that is free sums over all graphs may use."""


def method_for(problem: Problem, prior: Any = None) -> tuple[str, str]:
    """The way to a distribution over graphs that suits a problem, and a sentence where it may surprise.

    Beyond the sizes for which all graphs can be summed, short chains rank the edges of tables better than
    resampling does, and resampling those of linear models better than chains (benchmarks/methods.py); it
    needs rows, and takes no prior over graphs.
    """
    if not isinstance(problem, Directed):
        return (
            "bootstrap",
            "Undirected graphs have no posterior here: their certainty is resampled.",
        )
    if not SCORES[problem.score_word].log_probability:
        word = problem.score_word
        return (
            "bootstrap",
            f"The score {word!r} is not a log probability of the data, so certainty is resampled.",
        )
    found = choose(problem.score, problem.limits, memory=SHARE * available())
    if found.word == "exact":
        return "exact", ""
    if problem.model != "gaussian" or prior is not None or not problem.data.has_rows:
        return "mcmc", ""
    return "bootstrap", (
        f"{len(problem.fits.nodes)} variables are too many for sums over all graphs, so certainty is "
        "resampled; method='mcmc' runs chains."
    )


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
    if isinstance(prior, int | float | np.number) and not isinstance(prior, bool):
        if not 0 <= float(prior) < np.inf:
            raise WordError(f"A prior that is a number is nats per arc, 0 or more, got {prior!r}.")
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


# -- chains --------------------------------------------------------------------------------------


def of_chains(
    spec: Specification,
    source: Source,
    problem: Problem,
    plan: Plan,
    rng: np.random.Generator,
    *,
    kept: Arrays | None = None,
    watch: Watch | None = None,
    keep: Keep | None = None,
    longer: int | None = None,
) -> Run:
    """The posterior by chains over graphs; parameters as of `of_replicates`.

    Chains that disagree are run again up to `longer` times.

    Raises
    ------
    FitError : there was no time for the first draws.
    ChainsError : the chains have not come together.
    """
    own = weighed(problem, plan.prior)
    limits, p = own.limits, len(own.score.nodes)
    before = sampler_of(kept)
    word, why, options = _sampler(own.score, limits, plan.sampler)
    if before not in (None, _label(word, options)):  # a run that had turned to another one
        (word, _, options), why = _sampler(own.score, limits, before), (_LONG,)
    share = getattr(watch, "share", None)
    free = share is not None and plan.sampler is None and before is None
    try:
        part = share(_LISTING) if share is not None and free else watch
        sampler = _made(word, own.score, limits, options, part)
    except NoTimeError:
        if not free or Trail(watch).tick("start", math.nan, 0):
            raise
        word, _, options = _sampler(own.score, limits, REVERSAL)
        sampler, why = _made(word, own.score, limits, options, watch), (_LONG,)
    why += (_HURRIED,) * getattr(sampler, "hurried", False)
    thin = plan.thin or _thin(word, p)
    burn_in = 100 * thin if plan.burn_in is None else plan.burn_in
    level = int(kept["chain_0_level"]) if kept and "chain_0_level" in kept else 0
    length = Length(sampler, _label(word, options), thin, burn_in)
    length, chains = _followed(
        length, level, kept, plan, rng, watch, keep, LONGER if longer is None else longer
    )
    found = _judged(chains, length, own, problem)
    _check_together(found, plan)
    settings = {"sampler": word, "thin": length.every, "burn_in": burn_in, "chains": plan.chains}
    diagnostics = {**found.diagnostics, **settings, "doublings": length.level}
    late = plan.chains - sum(map(bool, map(len, chains)))
    left_out = (f"{late} of {plan.chains} chains had no time for a draw and do not count.",)
    notes = (*why, *length.words, *(left_out * bool(late)), *found.notes)
    found = replace(found, diagnostics=diagnostics, notes=notes)
    return Run(found, packed(chains, length))


def _check_together(found: Posterior, plan: Plan) -> None:
    """Refuse chains of a length that is not asked for which have not met: their numbers say nothing."""
    rhat, error = float(found.diagnostics["rhat"]), float(found.adjacent_errors.max(initial=0.0))
    if plan.draws is not None or rhat < _FAILED or error < _UNKNOWN:
        return
    said = f"{rhat:.2f}" if rhat < _FAR else f"over {_FAR}"
    raise ChainsError(
        f"The chains have not come together after {found.diagnostics['steps']} steps (R-hat {said}, and an "
        f"edge is known to +- {error:.2f} only): take method='bootstrap', give them more time, or take what "
        "there is with draws=NUMBER."
    )


def _followed(
    length: Length,
    level: int,
    kept: Arrays | None,
    plan: Plan,
    rng: np.random.Generator,
    watch: Watch | None,
    keep: Keep | None,
    longer: int,
) -> tuple[Length, list[Chain]]:
    """Chains that agree, or are as long as is tried; where time is up before, the longest that were done."""
    try:
        for _ in range(min(level, 1)):
            length = replace(length, sampler=freer(length.sampler, watch), level=level)
    except Interrupted:
        raise NoTimeError(LATE) from None
    begun = unpacked(kept, length.sampler) if kept else []
    chains, ended = filled(length, begun, plan, rng, watch, keep)
    while not ended and plan.draws is None and length.level < longer:
        if diagnose(chains).agree:
            break
        try:
            further, begun = length.doubled(chains, watch)
            fresh, ended = filled(further, begun, plan, rng, watch, keep)
        except (Interrupted, NoTimeError):
            break
        if ended and min(map(len, fresh)) < min(map(len, chains)):
            break
        length, chains = further, fresh
    return length, chains


def _label(word: str, options: Mapping[str, Any]) -> str:
    """The word that asks for a sampler with these options."""
    return REVERSAL if word == "structure" and options else word


_LISTING = (
    0.5  # of the time limit: what listing parent sets may take where no sampler was asked for
)
_HURRIED = "There was no time to find which variables to move together: chains may need more steps."
_LONG = "Listing parent sets did not end within half of the time limit: graphs were drawn one by one instead."


def _made(
    word: str, score: Score, limits: Limits, options: Mapping[str, Any], watch: Watch | None
) -> Sampler:
    """A sampler; where it lists parent sets, which may take a while, the watcher is asked on the way."""
    if word not in ("order", "partition"):
        return SAMPLERS[word](score, limits, **options)
    try:
        check = Trail(watch).check
        sampler: Any = SAMPLERS[word](_Looking(score, check), limits, check=check, **options)
    except Interrupted:
        raise NoTimeError(LATE) from None
    sampler.score = score  # the watcher stays in this process
    made: Sampler = sampler
    return made


class _Looking(Score):
    """A score that calls `check` before it works."""

    def __init__(self, score: Score, check: Callable[[], None]) -> None:
        self.score, self.check = score, check
        self.nodes, self.rows, self.threads = score.nodes, score.rows, score.threads
        self.equivalent, self.lattice, self.work = score.equivalent, score.lattice, score.work

    def many(self, child: int, sets: Sequence[tuple[int, ...]]) -> Array:
        """Local scores of parent sets."""
        self.check()
        return self.score.many(child, sets)

    def sweep(self, *asked: Any) -> Any:
        """The score's own sweep."""
        self.check()
        return self.score.sweep(*asked)

    def subsets(self, *asked: Any) -> Array:
        """The score's own subsets."""
        self.check()
        return self.score.subsets(*asked)


def _sampler(
    score: Score, limits: Limits, asked: str | None
) -> tuple[str, tuple[str, ...], Mapping[str, Any]]:
    """The word of a sampler; a sentence and options where it was chosen."""
    if asked == REVERSAL:
        return "structure", (), {"flips": _FLIPS}
    if asked is not None:
        if asked not in SAMPLERS:
            raise unknown("sampler", asked, (*SAMPLERS, REVERSAL))
        return asked, (), {}
    found = choose(score, limits)
    if found.word == "exact":
        return "partition", (), {}
    return found.word, (f"Sampler: {found.word}, as {found.why}.",), found.options


def _thin(word: str, p: int) -> int:
    """Steps between two draws: about as many as it takes to change all of a graph."""
    return max(10, p) if word in ("order", "partition") else max(50, 5 * p * p)


def _judged(every: Sequence[Chain], length: Length, own: Weighed, problem: Problem) -> Posterior:
    """What chains say together."""
    chains = [chain for chain in every if len(chain)]
    if not chains:
        taken = max(chain.state.taken for chain in every)
        raise NoTimeError(
            f"Time was up after {taken} of the {length.burn_in} steps before the first draw of a chain: "
            "give it more, or a shorter burn_in."
        )
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
        ties=own.score.equivalent,
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
