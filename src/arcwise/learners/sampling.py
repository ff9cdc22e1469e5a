"""Distributions over graphs: which way to find one, what its numbers mean, and the ways themselves.

A score is a log probability of the data (BGe, BDeu and their kin), an approximation of one (BIC), or a
measure of prediction (leave-one-out, cross-validation). Graphs weighted by its exponential are accordingly
a posterior, an approximate one, or a *pseudo-posterior*, which is no statement of probability and rather too
sure of itself: there resampling is the default.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import DefaultScore, Family
from arcwise.data import Source, statistics_of
from arcwise.errors import FitError, NoTimeError, WordError, unknown
from arcwise.graphs import DAG, UGraph
from arcwise.io.checkpoint import pack_graphs, told, unpack_graphs
from arcwise.learners.directed import Directed
from arcwise.learners.parallel import BACKENDS, inside
from arcwise.learners.problem import Problem
from arcwise.learners.replicates import RESAMPLING, Replicates, gathered, settled
from arcwise.learners.specification import Specification
from arcwise.results import Posterior, Watch, of_draws
from arcwise.scores import SCORES

METHODS = ("auto", "exact", "mcmc", "bootstrap")
"""Words for ways to find a distribution over graphs."""

Arrays = Mapping[str, NDArray[Any]]
Keep = Callable[[Callable[[], Arrays]], None]


_OWN_CHARGE = 1.35  # nats that BGe takes off for an arc beyond what true probabilities ask for
_MOST_ROWS, _HALF = 0.8, 0.5  # shares of rows of a subsample


@dataclass(frozen=True)
class Plan:
    """How a distribution over graphs is found.

    Parameters
    ----------
    method : "exact", "mcmc" or "bootstrap".
    draws : replicates, or draws of each chain.
    chains : chains that run side by side.
    burn_in, thin : steps before the first draw and between two; None goes by the number of variables.
    sampler : which one; None goes by the problem.
    resampling : "bootstrap" (rows drawn with replacement), "subsample", or "none" (the search again and
        again on the same rows); "auto" goes by the model.
    fraction : share of rows of a subsample; None goes by the way.
    prior : over graphs, "uniform" by default.
    n_jobs, backend : processes, and what shares work out to them.
    """

    method: str = "auto"
    draws: int | None = None
    chains: int = 4
    burn_in: int | None = None
    thin: int | None = None
    sampler: str | None = None
    resampling: str = "auto"
    fraction: float | None = None
    prior: Any = None
    n_jobs: int = 1
    backend: str = "joblib"

    def __post_init__(self) -> None:
        for what, word, known in (
            ("method", self.method, METHODS),
            ("way of resampling", self.resampling, ("auto", *RESAMPLING)),
            ("backend", self.backend, BACKENDS),
        ):
            if word not in known:
                raise unknown(what, word, known)
        for name in ("draws", "chains", "burn_in", "thin"):
            value, least = getattr(self, name), 0 if name == "burn_in" else 1
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and (not whole or value < least):
                raise WordError(f"{name}= is a whole number, {least} or more, got {value!r}.")
        self._settle()

    def _settle(self) -> None:
        """Words that one method alone takes ask for it, and do not go with another."""
        meant = {"mcmc": ("sampler", "burn_in", "thin"), "bootstrap": ("resampling",)}
        for method, words in meant.items():
            for word in words:
                usual = "auto" if self.method == "auto" else "bootstrap"  # as older files have it
                if getattr(self, word) in (None, "auto", usual):
                    continue
                if self.method not in ("auto", method):
                    raise WordError(
                        f"{word}= is for method={method!r}: leave it out, or take that instead of "
                        f"{self.method!r}."
                    )
                object.__setattr__(self, "method", method)

    def resampled(self, family: Family) -> "Plan":
        """The plan with its way of resampling chosen, where it is one of replicates.

        Rows drawn twice look like dependence where cells of tables have few rows: of four independent columns
        of four levels each, bootstrap graphs join a third of the pairs (benchmarks/reliability.py). There
        replicates have four fifths of the rows, each once.
        """
        if self.method != "bootstrap":
            return self
        copied = self.resampling == "auto" and not family.counts
        way = (
            "bootstrap" if copied else "subsample" if self.resampling == "auto" else self.resampling
        )
        usual = _MOST_ROWS if self.resampling == "auto" else _HALF
        return replace(
            self, resampling=way, fraction=usual if self.fraction is None else self.fraction
        )

    @property
    def about(self) -> dict[str, Any]:
        """What a checkpoint has to agree with; more draws may be asked for than it has."""
        own = {"method": self.method}
        if self.method == "bootstrap":
            share = {"fraction": self.fraction} if self.resampling == "subsample" else {}
            return {**own, "resampling": self.resampling, **share}
        words = ("chains", "burn_in", "thin", "sampler")
        return own | {word: getattr(self, word) for word in words} | {"prior": told(self.prior)}


@dataclass(frozen=True, eq=False)
class Run:
    """What a run found: the distribution, and the arrays that it can go on from."""

    found: Posterior
    kept: Arrays


def meaning_of(score: str) -> str:
    """What graphs weighted by a score are.

    >>> meaning_of("bge"), meaning_of("loo")
    ('posterior', 'pseudo-posterior')
    """
    named = {"posterior": "posterior", "approximate": f"approximate posterior ({score.upper()})"}
    return named.get(SCORES[score].meaning, "pseudo-posterior")


ONE_WAY = "Equivalent graphs differ in this score: directions are the score's opinion, too."
"""What is said of directions under such a score."""


def constant_note(source: Source) -> str:
    """A sentence where columns are constant, so that data say nothing of their edges."""
    names = statistics_of(source).constant()
    if not names:
        return ""
    said = ", ".join(map(repr, names[:5])) + (" and others" if len(names) > 5 else "")
    return f"Constant, so that the data say nothing of its edges, and the prior all: {said}."


def posterior_score(family: Family, data: Source) -> DefaultScore:
    """The score that weighs graphs where none is asked for: that of learning, guards and a prior included.

    Two families have a marginal likelihood, with a charge for each arc that makes probabilities true, by
    about 2000 simulated networks of 8 and 12 columns (benchmarks/reliability.py). With r levels in a typical
    column, BDeu has r^2 equivalent rows, or 2.5 (r - 1)^2 where that is less, as of binary columns; with one
    row, arcs between several levels that are there get probabilities near 0. BGe takes columns in standard
    deviations, since a prior in their own units says one thing of grams and another of tons; of the log p
    nats for an arc it takes about 1.35 off by itself.
    """
    columns = len(data.names)
    if family.name == "gaussian":
        charge = max(0.0, 1.0 - _OWN_CHARGE / np.log(columns)) if columns > 1 else 0.0
        return DefaultScore("bge", {"standardise": True, "gamma": round(charge, 3)})
    own = family.default_score(columns, data.total)
    if not family.counts:
        return own
    r = float(np.exp(np.mean([np.log(max(1, len(v.levels or ()))) for v in data.variables])))
    size = max(1.0, min(r**2, 2.5 * (r - 1.0) ** 2))
    changes = {"equivalent_sample_size": float(f"{size:.6g}"), "gamma": 0.6}
    return own._replace(options={**own.options, **changes})


def with_score(spec: Specification, source: Source, plan: Plan) -> Specification:
    """The specification with the score that weighs graphs, where none is asked for.

    It is that of learning, with the same guards and prior over graphs; a prior that is asked for takes that
    one's place.
    """
    family = spec.chosen(source).family
    searched = plan.method == "bootstrap" and not family.counts
    if spec.score is not None or spec.graph != "directed" or searched:
        return spec
    chosen = posterior_score(family, source)
    if plan.prior is not None and SCORES[chosen.word].meaning == "posterior":
        chosen = chosen._replace(options={**chosen.options, "gamma": 0.0})
    return spec.but(score_default=chosen)


def of_replicates(
    spec: Specification,
    source: Source,
    problem: Problem,
    plan: Plan,
    rng: np.random.Generator,
    *,
    kept: Arrays | None = None,
    watch: Watch | None = None,
    keep: Keep | None = None,
) -> Run:
    """The frequencies of graphs over resampled tables.

    Parameters
    ----------
    spec, source, problem : what is learned from which data, and the two tied.
    plan : how many replicates, of what kind, and where they are worked on.
    rng : each replicate has its own child of it.
    kept : arrays of replicates that are there already.
    watch : may ask to stop.
    keep : is offered the arrays after each replicate.

    Raises
    ------
    FitError : no replicate could be learned, or there was no time for one.
    """
    if plan.prior is not None:
        raise WordError(
            "prior= is for method='exact' and 'mcmc': resampling counts the graphs that a search finds; pull "
            "it by penalty=, expert= or rules."
        )
    choices = settled(spec, problem, plan.n_jobs, watch)
    away = inside(plan.n_jobs if plan.backend == "joblib" else 0, watch)
    ways = {"resampling": plan.resampling, "fraction": plan.fraction}
    work = Replicates.of(choices, rng, watch=away, **ways)
    directed = spec.graph == "directed"
    done = unpack_graphs(kept, problem.fits.nodes, directed) if kept else []
    count = 200 if plan.draws is None else plan.draws
    pieces = gathered(
        work,
        count,
        done=done[:count],
        n_jobs=plan.n_jobs,
        backend=plan.backend,
        watch=watch,
        keep=None if keep is None else lambda found: keep(lambda: pack_graphs(found)),
    )
    graphs = [piece[0] for piece in pieces if not isinstance(piece, str)]
    failed = [piece for piece in pieces if isinstance(piece, str)]
    if not graphs:
        if failed:
            raise FitError(f"No replicate could be learned: {failed[0]}")
        raise NoTimeError("There was no time for a single replicate: give it more.")
    notes = (*choices.notes, *_failures(failed, len(pieces)), *_subsample_note(plan))
    about = {"penalty": choices.penalty, **_reversals(work, problem, pieces)}
    found = _counted(graphs, problem, plan, notes, about)
    return Run(found, pack_graphs(pieces))


def _reversals(work: Replicates, problem: Problem, pieces: Sequence[Any]) -> dict[str, float]:
    """How many arcs point against the graph that their search began with, on average over replicates."""
    if not isinstance(problem, Directed) or problem.spec.start == "empty":
        return {}
    counts = []
    for number, piece in enumerate(pieces):
        begun = None if isinstance(piece, str) else problem.begin(work.spec_of(number))
        if begun is not None:
            arcs = piece[0].numbered_arcs
            counts.append(sum(head in begun.parents[tail] for tail, head in arcs))
    return {"reversed": sum(counts) / len(counts)} if counts else {}


def _counted(
    graphs: Sequence[DAG | UGraph],
    problem: Problem,
    plan: Plan,
    notes: tuple[str, ...],
    about: Mapping[str, float],
) -> Posterior:
    """Graphs of replicates as frequencies; where equivalent graphs tie, classes are counted."""
    return of_draws(
        graphs,
        meaning=f"{RESAMPLING[plan.resampling]} frequency",
        classes=problem.graph == "directed"
        and problem.score.equivalent
        and problem.spec.expert is None,
        limits=getattr(problem, "limits", None),
        diagnostics=about,
        notes=notes,
    )


def _failures(said: Sequence[str], count: int) -> list[str]:
    if not said:
        return []
    return [
        f"{len(said)} of {count} replicates could not be learned and are not counted: {said[0]}"
    ]


def _subsample_note(plan: Plan) -> list[str]:
    if plan.resampling != "subsample":
        return []
    return [
        f"Each replicate has {plan.fraction:g} of the rows: edges that so few cannot show are missed more "
        "often than with all rows."
    ]
