"""Posteriors over directed graphs by chains, with a prior over graphs.

Chains run side by side, in rounds: each advances by some draws, then all of them are written down. A chain
carries its random generator in its state, so that neither the rounds nor the processes matter.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Moments, Table
from arcwise.data.memory import available
from arcwise.errors import DataError, FitError, GraphError, NoTimeError, WordError, unknown
from arcwise.graphs import DAG, Limits
from arcwise.learners.directed import Directed
from arcwise.learners.parallel import inside, pieces
from arcwise.learners.problem import Problem
from arcwise.learners.replicates import child_of
from arcwise.learners.sampling import POSTERIORS, Arrays, Keep, Plan, Run, meaning_of
from arcwise.learners.specification import Specification
from arcwise.mcmc import (
    SAMPLERS,
    UNIFORM,
    Chain,
    Info,
    Sampler,
    State,
    choose,
    diagnose,
    run,
)
from arcwise.results import Interrupted, Posterior, Step, Trail, Watch
from arcwise.scores import ArcPenalty, Score, Sum
from arcwise.scores.graph_priors import ArcProbabilities, FairParents
from arcwise.undirected.factors import Factors, factors_of

PRIORS = ("uniform", "fair")
"""Words for distributions over graphs before any data."""

REVERSAL = "reversal"
"""The word for the structure sampler, some of whose steps turn an arc."""

Array = NDArray[np.float64]

_FLIPS = 0.1  # share of these steps
_DRAWS = 1000  # of each chain
_ROUNDS = 20  # in which these are drawn
_FEW = 50  # draws of the first rounds at most, so that every chain has some when time is up
SHARE = 0.5
"""How much of the memory that is free sums over all graphs may use."""


def method_for(problem: Problem) -> tuple[str, str]:
    """The way to a distribution over graphs that suits a problem, and a sentence where it may surprise."""
    if not isinstance(problem, Directed):
        return (
            "bootstrap",
            "Undirected graphs have no posterior here: their certainty is resampled.",
        )
    if meaning_of(problem.score_word) == "pseudo-posterior":
        word = problem.score_word
        return (
            "bootstrap",
            f"The score {word!r} is not a log probability of the data, so certainty is resampled.",
        )
    found = choose(problem.score, problem.limits, memory=SHARE * available())
    return "exact" if found.word == "exact" else "mcmc", ""


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
    own = weighed(problem, plan.prior)
    limits = own.limits
    word, why, options = _sampler(own.score, limits, plan.sampler)
    share, p = getattr(watch, "share", None), len(own.score.nodes)
    try:
        part = share(_LISTING) if share is not None and plan.sampler is None else watch
        sampler = _made(word, own.score, limits, options, part)
    except NoTimeError:
        if part is watch or Trail(watch).tick("start", math.nan, 0):
            raise
        word, _, options = _sampler(own.score, limits, REVERSAL)
        sampler, why = _made(word, own.score, limits, options, watch), (_LONG,)
    thin = plan.thin or _thin(word, p)
    burn_in = max(200 * thin, 20 * p) if plan.burn_in is None else plan.burn_in
    draws = _DRAWS if plan.draws is None else plan.draws
    away = inside(plan.n_jobs if plan.backend == "joblib" else 0, watch)
    chains = _unpacked(kept, sampler) if kept else []
    while not chains or min(map(len, chains)) < draws:
        work = _Round(sampler, tuple(chains), rng, draws, burn_in, thin, away)
        chains = list(pieces(work, range(plan.chains), plan.n_jobs, plan.backend))
        if keep is not None:
            keep(partial(_packed, chains))
        least = min(len(chain) for chain in chains)
        score = float(chains[0].log_scores[-1]) if least else float("nan")
        step = Step(least, f"{least} of {draws} draws", -1, -1, score, 0, 0.0)
        if watch is not None and watch(step):
            break
    found = _judged([chain for chain in chains if len(chain)], own, problem)
    settings = {"sampler": word, "thin": thin, "burn_in": burn_in, "chains": plan.chains}
    diagnostics = {**found.diagnostics, **settings}
    late = plan.chains - sum(map(bool, map(len, chains)))
    left_out = (f"{late} of {plan.chains} chains had no time for a draw and do not count.",)
    notes = (*why, *(left_out * bool(late)), *found.notes)
    return Run(replace(found, diagnostics=diagnostics, notes=notes), _packed(chains))


_LISTING = (
    0.5  # of the time limit: what listing parent sets may take where no sampler was asked for
)
_LONG = "Listing parent sets did not end within half of the time limit: graphs were drawn one by one instead."
_LATE = "There was no time for the first draws of a chain: give it more."


def _made(
    word: str, score: Score, limits: Limits, options: Mapping[str, Any], watch: Watch | None
) -> Sampler:
    """A sampler; where it lists parent sets, which may take a while, the watcher is asked on the way."""
    if word not in ("order", "partition"):
        return SAMPLERS[word](score, limits, **options)
    try:
        sampler: Any = SAMPLERS[word](_Looking(score, Trail(watch).check), limits, **options)
    except Interrupted:
        raise NoTimeError(_LATE) from None
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
    return max(10, 5 * p) if word in ("order", "partition") else max(50, 5 * p * p)


@dataclass(frozen=True, eq=False)
class _Round:
    """Some more draws of one chain, by its number: an object that can be sent to other processes."""

    sampler: Sampler
    chains: tuple[Chain, ...]
    rng: np.random.Generator
    draws: int
    burn_in: int
    thin: int
    watch: Watch | None

    def __call__(self, number: int) -> Chain:
        begun = number < len(self.chains)
        if not begun and number == 0 and Trail(self.watch).tick("start", math.nan, 0):
            raise NoTimeError(_LATE)
        rng = child_of(self.rng, number)
        before = self.chains[number] if begun else run(self.sampler, None, rng, 0)
        left = self.burn_in - before.state.taken
        if left > 0:  # in one piece: it takes no more than a fifth of a run
            warm = run(self.sampler, before.state, None, 0, burn_in=left, on_step=self.watch)
            before = before.join(warm)
            if warm.stopped:
                return before
        some = min(max(1, self.draws // _ROUNDS), max(_FEW, len(before) // 4))
        more = min(some, self.draws - len(before))
        if more <= 0:
            return before
        return before.join(
            run(self.sampler, before.state, None, more, thin=self.thin, on_step=self.watch)
        )


def _judged(chains: Sequence[Chain], own: Weighed, problem: Problem) -> Posterior:
    """What chains say together."""
    if not chains:
        raise NoTimeError(_LATE)
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


def _packed(chains: Sequence[Chain]) -> dict[str, NDArray[Any]]:
    """Chains as arrays of numbers."""
    found: dict[str, NDArray[Any]] = {}
    for number, chain in enumerate(chains):
        state = {f"state_{name}": array for name, array in chain.state.to_arrays().items()}
        own = {"parents": chain.parents, "log_scores": chain.log_scores, **state}
        # Summed, so that a run in pieces leaves the same arrays as one in one.
        own["infos"] = np.array(chain.infos, dtype=np.int64).reshape(-1, 2).sum(axis=0)[None]
        found |= {f"chain_{number}_{name}": array for name, array in own.items()}
    return found


def _unpacked(arrays: Arrays, sampler: Sampler) -> list[Chain]:
    """Chains from arrays."""
    count = 1 + max(int(name.split("_")[1]) for name in arrays)
    found: list[Chain] = []
    for number in range(count):
        start = f"chain_{number}_"
        own = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
        state = {n.removeprefix("state_"): a for n, a in own.items() if n.startswith("state_")}
        infos = tuple(Info(int(steps), int(moved)) for steps, moved in own["infos"])
        parents = np.asarray(own["parents"], dtype=np.uint64)
        scores = np.asarray(own["log_scores"], dtype=float)
        ended = State.from_arrays(state)
        found.append(Chain(sampler.nodes, sampler.target, parents, scores, infos, ended))
    return found
