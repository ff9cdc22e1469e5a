"""The plan of a posterior over graphs, its prior, and the task of each method.

A score is a log probability of the data (BGe, BDeu and similar), an approximation of one (BIC), or a measure
of prediction (leave-one-out, cross-validation). Graphs weighted by its exponential are accordingly a
posterior, an approximate one, or a *pseudo-posterior*, which is not a probability and overconfident: in this
case resampling is the default.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import DefaultScore, Family
from arcwise.data import Source, statistics_of
from arcwise.errors import DataError, FitError, GraphError, OptionError, unknown
from arcwise.graphs import Limits
from arcwise.io.checkpoint import option_text
from arcwise.learners.directed import DirectedProblem
from arcwise.learners.parallel import BACKENDS
from arcwise.learners.problem import Problem
from arcwise.learners.specification import Specification
from arcwise.notes import Fix, mention
from arcwise.results import GraphDistribution, Watch
from arcwise.scores import SCORES, ArcPenalty, ArcProbabilities, FairParents, Score, Sum
from arcwise.undirected.given_matrices import Factors, factors_of
from arcwise.values import is_integer, is_number, is_pair

PRIORS = ("uniform", "fair")
"""Names of prior distributions over graphs."""

Array = NDArray[np.float64]


class WeighedScore(NamedTuple):
    """A score of graphs with its prior, the prior alone, a description of the prior, and the rules."""

    score: Score
    prior: Score
    words: str
    limits: Limits


def no_chains(what: str) -> FitError:
    """Return the error for a posterior without chains."""
    return FitError(
        f"Only chains ({{method=}}) have a sequence of {what}.", fixes=[mention("method", "mcmc")]
    )


def weigh_problem(problem: Problem, prior: Any) -> WeighedScore:
    """Return a problem's score with a prior over graphs.

    Raises
    ------
    OptionError : an unknown name, or not a prior.
    """
    if not isinstance(problem, DirectedProblem):
        raise GraphError(
            "A posterior is over directed graphs: leave {graph=} out, or use {method=}.",
            fixes=[mention("graph", "undirected"), Fix("method", "bootstrap")],
        )
    base = problem.penalised(problem.penalty)
    nodes = base.nodes
    graph_prior, words = _prior(prior, nodes, problem.source.order)
    flat: Score = ArcPenalty(nodes, 1.0, 0.0) if graph_prior is None else graph_prior
    entry = SCORES[problem.score_word]
    parent_cost = entry.per_parent(len(nodes), problem.score_options)
    if parent_cost and entry.meaning == "posterior":
        flat = Sum([flat, ArcPenalty(nodes, 1.0, parent_cost)])
        words = "" if graph_prior is None else f"{words}, with "
        words += f"{parent_cost:.3g} nats per arc (gamma {parent_cost / math.log(len(nodes)):g})"
    if problem.penalty:
        flat = Sum([flat, ArcPenalty(nodes, base.rows, problem.penalty)])
        words += f", with {problem.penalty * base.rows:.3g} nats per arc (penalty)"
    if problem.spec.expert is not None:
        words += ", around the expert's graph"
    limits = _rule_out(problem.limits, graph_prior)
    return WeighedScore(
        base if graph_prior is None else Sum([base, graph_prior]), flat, words, limits
    )


def _rule_out(limits: Limits, prior: Score | None) -> Limits:
    """Return the rules, with those implied by arcs of prior probability 0 and 1."""
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
    text = prior if isinstance(prior, str) else None
    if prior is None or text == "uniform":
        return None, "uniform over graphs"
    if text == "fair":
        return FairParents(nodes), "each number of parents equally probable"
    if text is not None and not text.lower().endswith((".csv", ".tsv", ".txt")):
        raise unknown("prior over graphs", prior, PRIORS)
    if is_number(prior):
        if not 0 <= float(prior) < np.inf:
            raise OptionError(f"A prior in nats per arc must be non-negative, got {prior!r}.")
        return ArcPenalty(nodes, 1.0, float(prior)), f"{float(prior):g} nats per arc"
    return ArcProbabilities(nodes, _chances(prior, nodes, order)), "a probability for each arc"


def settled_prior(prior: Any, problem: Problem) -> Any:
    """Return a prior for files and checkpoints: probabilities of arcs as a matrix with names."""
    nodes = problem.fits.nodes
    if not isinstance(_prior(prior, nodes, problem.source.order)[0], ArcProbabilities):
        return prior
    return Factors(_chances(prior, nodes, problem.source.order), nodes)


def _chances(prior: Any, nodes: tuple[str, ...], order: tuple[str, ...]) -> Array:
    """Return the probabilities of arcs by (parent, child); pairs that a mapping does not name have one
    half.
    """
    if isinstance(prior, Mapping):
        chances = np.full((len(nodes), len(nodes)), 0.5)
        for pair, chance in prior.items():
            if not is_pair(pair):
                raise OptionError(
                    f"A prior by arcs must name each as (parent, child), got {pair!r}."
                )
            for name in pair:
                if name not in nodes:
                    raise unknown("variable", name, nodes)
            chances[nodes.index(pair[0]), nodes.index(pair[1])] = chance
        return chances
    try:
        factors = factors_of(prior, "The probabilities of arcs")
    except (DataError, FitError) as error:
        raise OptionError(
            "prior must be 'uniform', 'fair', a number of nats per arc, or "
            f"probabilities of arcs: {error}"
        ) from None
    names = order if factors.names is None else factors.names
    missing = [name for name in nodes if name not in names]
    if missing or len(names) != len(factors.values):
        who = repr(missing[0]) if missing else f"each of {len(names)} columns"
        raise DataError(f"The prior must have a row for every variable, and has none for {who}.")
    order_of = [names.index(name) for name in nodes]
    return factors.values[np.ix_(order_of, order_of)]


RESAMPLING = {"bootstrap": "bootstrap", "subsample": "subsampling", "none": "run"}
"""Methods of resampling, and the names of their frequencies."""

Arrays = Mapping[str, NDArray[Any]]
Keep = Callable[[Callable[[], Arrays]], None]


_OWN_CHARGE = 1.35  # nats that BGe takes off for an arc beyond what true probabilities ask for
_MOST_ROWS, _HALF = 0.8, 0.5  # shares of rows of a subsample


@dataclass(frozen=True)
class Plan:
    """The method for a distribution over graphs, with its options.

    Parameters
    ----------
    method : "exact", "mcmc" or "bootstrap".
    draws : replicates, or draws of each chain.
    chains : number of parallel chains.
    burn_in, thin : steps before the first draw and between two; None depends on the number of variables.
    sampler : its name; None depends on the problem.
    resampling : "bootstrap" (rows drawn with replacement), "subsample", or "none" (repeated searches on
        the same rows); "auto" depends on the model.
    fraction : share of rows of a subsample; None depends on the method.
    prior : over graphs, "uniform" by default.
    n_jobs, backend : number of processes, and their backend.
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
        for what, word, names in (
            ("method", self.method, ("auto", *_methods())),
            ("way of resampling", self.resampling, ("auto", *RESAMPLING)),
            ("backend", self.backend, BACKENDS),
        ):
            if word not in names:
                raise unknown(what, word, names)
        for name in ("draws", "chains", "burn_in", "thin"):
            value, least = getattr(self, name), 0 if name == "burn_in" else 1
            if value is not None and (not is_integer(value) or value < least):
                raise OptionError(f"{name} must be an integer of at least {least}, got {value!r}.")
        self._settle()

    def _settle(self) -> None:
        """Select the method of method-specific options; raise an error if they contradict each other."""
        meant = {"mcmc": ("sampler", "burn_in", "thin"), "bootstrap": ("resampling",)}
        for method, words in meant.items():
            for word in words:
                usual = "auto" if self.method == "auto" else "bootstrap"  # as older files have it
                if getattr(self, word) in (None, "auto", usual):
                    continue
                if self.method not in ("auto", method):
                    raise OptionError(
                        f"{{{word}=}} is for {{method=}}: leave it out, or use that instead of "
                        f"{self.method!r}.",
                        fixes=[mention(word), mention("method", method)],
                    )
                object.__setattr__(self, "method", method)

    def resampled(self, family: Family) -> "Plan":
        """Return the plan with a method of resampling, if it uses replicates.

        Rows drawn twice look like dependence if cells of tables have few rows: with four independent columns
        of four levels each, a third of the pairs are adjacent in bootstrap graphs
        (benchmarks/reliability.py). In this case replicates have four fifths of the rows, each once.
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
        """Return the key of checkpoints, without the number of draws, which may increase."""
        choices = {"method": self.method}
        if self.method == "bootstrap":
            share = {"fraction": self.fraction} if self.resampling == "subsample" else {}
            return {**choices, "resampling": self.resampling, **share}
        words = ("chains", "burn_in", "thin", "sampler")
        return (
            choices
            | {word: getattr(self, word) for word in words}
            | {"prior": option_text(self.prior)}
        )


def _methods() -> tuple[str, ...]:
    """Return the names of methods; imported on demand, as their registry imports this module."""
    from arcwise.learners.posteriors import METHODS

    return tuple(METHODS)


@dataclass(frozen=True, eq=False)
class Task:
    """The input of every method.

    Parameters
    ----------
    spec, source, problem : the specification, the data, and the problem that binds them.
    plan : the method and its options.
    rng : random generator; each chain or replicate has a child of it.
    kept : arrays of an earlier run, which this one continues.
    watch : the callback, which may stop the run.
    keep : called with intermediate arrays.
    """

    spec: Specification
    source: Source
    problem: Problem
    plan: Plan
    rng: np.random.Generator
    kept: Arrays | None = None
    watch: Watch | None = None
    keep: Keep | None = None


@dataclass(frozen=True, eq=False)
class PosteriorRun:
    """The distribution computed by a task, and the arrays from which it can be continued."""

    task: Task
    found: GraphDistribution
    kept: Arrays


def meaning_of(score: str) -> str:
    """Return the meaning of graphs weighted by a score.

    >>> meaning_of("bge"), meaning_of("loo")
    ('posterior', 'pseudo-posterior')
    """
    meanings = {"posterior": "posterior", "approximate": f"approximate posterior ({score.upper()})"}
    return meanings.get(SCORES[score].meaning, "pseudo-posterior")


ONE_WAY = "This score is not score-equivalent, so arc directions partly reflect the score."
"""Note on directions under a score that is not score-equivalent."""


def constant_note(source: Source) -> str:
    """Return a sentence if columns are constant, so that the data have no information on their edges."""
    names = statistics_of(source).constant()
    if not names:
        return ""
    text = ", ".join(map(repr, names[:5])) + (" and others" if len(names) > 5 else "")
    return f"Constant columns, whose edge probabilities come from the prior alone: {text}."


def posterior_score(family: Family, data: Source) -> DefaultScore:
    """Return the default score that weighs
    graphs.

    Two families have a marginal likelihood, with a penalty per arc that calibrates probabilities, by about
    2000 simulated networks of 8 and 12 columns (benchmarks/reliability.py). With r levels in a typical
    column, BDeu has r^2 equivalent rows, or 2.5 (r - 1)^2 if that is less, as for binary columns; with one
    row, true arcs between columns of several levels have probabilities near 0. BGe uses standardised columns,
    since a prior in the units of the data would depend on them; about 1.35 of the log p nats per arc are part
    of it.
    """
    columns = len(data.names)
    if family.name == "gaussian":
        charge = max(0.0, 1.0 - _OWN_CHARGE / np.log(columns)) if columns > 1 else 0.0
        return DefaultScore("bge", {"standardise": True, "gamma": round(charge, 3)})
    default = family.default_score(columns, data.total)
    if not family.counts:
        return default
    r = float(np.exp(np.mean([np.log(max(1, len(v.levels or ()))) for v in data.variables])))
    size = max(1.0, min(r**2, 2.5 * (r - 1.0) ** 2))
    changes = {"equivalent_sample_size": float(f"{size:.6g}"), "gamma": 0.6}
    return default._replace(options={**default.options, **changes})


def with_score(spec: Specification, source: Source, plan: Plan) -> Specification:
    """Return the specification with the default score that weighs graphs, unless one is requested.

    It is that of learning, with the same guards and prior over graphs; a requested prior replaces that prior.
    """
    family = spec.chosen(source.variables).family
    searched = plan.method == "bootstrap" and not family.counts
    if spec.score is not None or spec.graph != "directed" or searched:
        return spec
    default = posterior_score(family, source)
    if plan.prior is not None and SCORES[default.word].meaning == "posterior":
        default = default._replace(options={**default.options, "gamma": 0.0})
    return spec.but(score_default=default)
