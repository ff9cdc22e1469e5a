"""How sure edges are: the verb `posterior`, the certainty of a network, and the quick one of a learned
network.

The quick certainty is found when edges are first looked at, so that learning is as fast as without it and
queries cost nothing; a file has it, since `save` looks at the edges. The graph, its score and its numbers do
not depend on it. Words and seeds become objects here.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any

import numpy as np

from arcwise import io
from arcwise.api.choices import specification
from arcwise.api.net import Network
from arcwise.api.options import Method, Model, Option, Prior, ScoreOption, Search
from arcwise.api.paths import PenaltyPath
from arcwise.api.posteriors import Posterior
from arcwise.api.progress import CertaintyBudget, Progress
from arcwise.api.unknown_parameters import with_advice
from arcwise.data import CompletedRows, Source, any_table, fingerprint, statistics_of
from arcwise.errors import ArcwiseError, DataError, FitError, NoTimeError, OptionError, plural
from arcwise.evaluate import EdgeTable, PathCertainty, supported_heads, with_certainty
from arcwise.graphs import Limits, Rules
from arcwise.inference import OtherGraphs
from arcwise.learners import Problem, Specification, bind
from arcwise.learners.parallel import cores, one_thread, watch_inside
from arcwise.learners.posteriors.find import find_posterior, method_for
from arcwise.learners.posteriors.near_replicates import NearReplicates, near_distribution
from arcwise.learners.posteriors.plan import RESAMPLING, Plan
from arcwise.learners.posteriors.replicates import (
    Replicates,
    ResolvedSpecification,
    gather_results,
    resolve,
)
from arcwise.learners.settings import settings_of
from arcwise.networks import Net, whole
from arcwise.notes import Fix, Note, NoteKind, StopReason, notes_of
from arcwise.results import GraphDistribution


@with_advice
def posterior(
    data: Any,
    *,
    method: str | Method = "auto",
    graph: str = "directed",
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    search: str | Search = "auto",
    penalty: Any = None,
    rules: Rules | Mapping[str, Any] | None = None,
    prior: Any = None,
    missing: str = "auto",
    draws: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    time_limit: float | None = None,
    progress: bool | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> Posterior:
    """Estimate the certainty of edges: a distribution over graphs.

    Parameters
    ----------
    data : as for `learn`.
    method : how the distribution is computed. Objects have settings: `aw.MCMC(chains=2)`,
        `aw.Bootstrap(resampling="subsample")`.

        * "auto": "exact" if memory and time allow it, else "mcmc" for discrete models. "bootstrap" for linear
          models, undirected graphs and held-out scores, and if chains fail.
        * "exact": sums over all graphs, for few variables.
        * "mcmc": Markov chains over graphs.
        * "bootstrap": the graphs that a search finds in resampled tables.
    graph, model, search, penalty, rules : as for `learn`; `search` and `penalty` are for replicates.
    score : as for `learn`. The default is "bge" for Gaussian and "bdeu" for discrete models, which have a
        posterior; for a bootstrap of Gaussian models it is that of `learn`.
    prior : the prior over graphs, for "exact" and "mcmc".

        * None: gamma log p nats per arc with p variables; gamma is 0.6 for discrete models and
          1 - 1.35 / log p, at least 0, for Gaussian ones. If `score` is set, all graphs are equally probable.
        * "uniform", or "fair": every number of parents is equally probable.
        * A number: this many nats per arc.
        * Probabilities of arcs: a matrix with names, or a mapping of (parent, child).
        * `aw.Prior`, whose `arcs` are one of these, with an expert's graph or artificial rows.
    draws : the number of replicates (200), or of draws per chain (1000); for "exact", of graphs to average
        over. If `draws` is None, chains that disagree are run again with up to 16 times as many steps.
    missing, seed, n_jobs, time_limit, progress : as for `learn`.
    checkpoint : a file for finished work, from which the same call resumes. Delete the file to start over.

    Returns
    -------
    Posterior : prints as a table; has `.edges`, `.graphs`, `.best` and `.averaged()`.

    Raises
    ------
    DataError, GraphError, FitError, OptionError, FileError.

    >>> import arcwise as aw
    >>> homes = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    >>> post = aw.posterior(homes, method="bootstrap", draws=50)
    >>> post.edges["LSTAT", "MEDV"].adjacent, post.meaning
    (1.0, 'bootstrap frequency')
    """
    known = Prior.of(prior)
    plan = plan_of(method, draws, known.arcs, n_jobs)
    spec = specification(
        graph=graph, model=model, score=score, search=search, penalty=penalty, rules=rules,
        prior=replace(known, arcs=None), missing=missing, seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    source, watching = any_table(data), Progress("posterior", time_limit, progress)
    cores(n_jobs)
    with one_thread(source), watching as watch:
        run = find_posterior(spec, source, plan, watch, checkpoint=checkpoint)
    problem, result = run.task.problem, run.found
    notes, end = (*problem.notes, *result.notes), watch.stopped or result.stopped
    settings = {**settings_of(problem), "method": run.task.plan.method, "seed": seed}
    return Posterior(
        replace(result, notes=notes, stopped=end),
        run.task.plan,
        settings,
        source.order,
        problem.score.rows,
        fingerprint(source),
        replace(problem.spec, model=spec.model),
        source,
        run.kept,
        seed,
    )


def plan_of(method: str | Method, draws: int | None, prior: Any, n_jobs: int) -> Plan:
    """The plan that a method and its settings mean."""
    if isinstance(method, Method):
        name, settings = method.word, method.settings
    elif isinstance(method, Option):
        raise OptionError(
            f"{method!r} is a {method.what}, not a method: give {method.what}={method!r}."
        )
    else:
        name, settings = method, {}
    return Plan(method=name, draws=draws, prior=prior, n_jobs=n_jobs, **settings)


def more_draws(
    post: Posterior,
    draws: int,
    data: Any,
    n_jobs: int,
    time_limit: float | None,
    progress: bool | None,
    checkpoint: str | PathLike[str] | None,
) -> Posterior:
    """A posterior with more draws or replicates, as if all had been requested at once."""
    if post.plan.method == "exact":
        raise FitError(
            "An exact posterior cannot be extended: posterior(data, draws=N) has N "
            "graphs to average over."
        )
    spec, source = post.specification, post.data if data is None else any_table(data)
    if spec is None or source is None:
        raise FitError(
            "More draws need the data and the settings of the search, and the file was saved "
            "without these: give data=, or call posterior(data, ...) again."
        )
    if fingerprint(source) != post.fingerprint:
        raise DataError("More draws need the data of the posterior, and these are different.")
    there = (
        len(post.kept["sizes"]) if post.plan.method == "bootstrap" else len(post.log_scores()[0])
    )
    plan = replace(post.plan, draws=there + whole("number of draws", draws), n_jobs=n_jobs)
    with one_thread(source), Progress("posterior", time_limit, progress) as watch:
        run = find_posterior(
            spec, source, plan, watch, own_score=True, checkpoint=checkpoint, kept=post.kept
        )
    plan, notes = run.task.plan, (*run.task.problem.notes, *run.found.notes)
    result = replace(run.found, notes=notes, stopped=watch.stopped)
    return replace(post, found=result, plan=plan, kept=run.kept, data=source)


def path_certainty(
    path: PenaltyPath,
    draws: int,
    seed: int,
    n_jobs: int,
    watch: Progress,
    ways: Mapping[str, Any],
) -> PathCertainty:
    """How sure edges are along a path."""
    problem = path.problem
    penalties = tuple(sorted({max(knot.penalty, 0.0) for knot in path.knots}))
    choices = resolve(problem.spec.but(penalty=0.0), problem, n_jobs, watch)
    rng = np.random.default_rng(whole("seed", seed)).spawn(5)[4]
    away = watch_inside(n_jobs, watch)
    work = Replicates.of(choices, rng, penalties=penalties, watch=away, **ways)
    pieces = gather_results(work, whole("number of draws", draws), n_jobs=n_jobs, watch=watch)
    found = tuple(piece for piece in pieces if not isinstance(piece, Note))
    if not found:
        raise NoTimeError("Time ran out before one path was done: allow more.")
    word = RESAMPLING[ways["resampling"]]
    notes = notes_of(NoteKind.CERTAINTY, str(watch.stopped))
    return PathCertainty(penalties, found, path.unit, f"{word} frequency", notes)


def made_certain(
    net: Network,
    method: str | Method,
    draws: int | None,
    prior: Any,
    seed: int | None,
    n_jobs: int,
    time_limit: float | None,
    progress: bool | None,
    checkpoint: str | PathLike[str] | None,
) -> Network:
    """A network that was learned, with how sure each edge is; the parameters are those of `posterior`."""
    spec, source = net.specification, net.data
    if spec is None or source is None:
        raise FitError(
            "The certainty of edges needs the training data: learn the network, or call "
            "posterior(data)."
        )
    if seed is not None:
        spec = spec.but(rng=np.random.default_rng(whole("seed", seed)))
    plan = plan_of(method, draws, prior, n_jobs)
    why: Note | str = ""
    problem = bind(spec, source)
    if plan.method == "auto":
        chosen, why = method_for(problem, plan.prior)
        plan = replace(plan, method=chosen)
    if plan.draws is None and plan.method == "bootstrap":
        plan = replace(plan, draws=problem.family.replicates)
    with one_thread(source), Progress("certainty", time_limit, progress) as watch:
        searched = plan.method == "bootstrap"  # again what was learned, by its own score
        run = find_posterior(spec, source, plan, watch, own_score=searched, checkpoint=checkpoint)
    notes = (*net.notes, *notes_of(NoteKind.CERTAINTY, why), *run.found.notes)
    if watch.stopped:
        short = f"Certainty rests on {plural(run.found.draws, 'draw')}: {watch.stopped}."
        notes = (*notes, Note(NoteKind.CERTAINTY, short))
    return replace(net, posterior=run.found, notes=notes)


# -- the quick certainty of a learned network -------------------------------------------------------


_RUNGS = (100, 60, 30)
"""Replicates of a quick certainty: as many as fit into its budget, so that chance in timing rarely shows."""

_GRAPHS = 100  # graphs that a range of an answer to do= is over
_TRIED = 5  # replicates after which it is known whether the fewest will fit
_MOST_COLUMNS = 1000  # beyond, tables of edges have no rows for pairs without one


def checked_edges(net: Network, table: EdgeTable) -> EdgeTable:
    """A network's edges with certainty where there is one, and the heads that arrows have.

    A graph that was given keeps all of its heads. In a learned one a head needs a direction that the class
    compels and that at least half of the replicates support.
    """
    if "search" not in net.settings:
        return replace(table, heads=table.tail >= 0)
    if "certainty" in table.more:  # from a file
        return replace(table, heads=supported_heads(table))
    found, why = net._quick
    if found is None:
        return replace(table, unchecked=why, heads=supported_heads(table))
    return with_certainty(table, found, net.limits)


def quick_certainty(net: Network) -> tuple[GraphDistribution | None, Note | None]:
    """The certainty that was asked for, or a quick bootstrap; or None and why there is none."""
    budget, spec, source = net._certainty_budget, net.specification, net.data
    if net.posterior is not None:
        return net.posterior, None
    if spec is None or source is None:
        return None, _none("the file has none")
    if budget is None or budget.why:
        return None, budget.why if budget else _none("it was not requested")
    if not statistics_of(source).has_rows:
        return None, _none("there are no rows to resample")
    if len(net.net.names) > _MOST_COLUMNS:
        return None, _none(f"there are more than {_MOST_COLUMNS} variables")
    try:
        return _quick_replicates(net, spec, source, budget)
    except NoTimeError:
        return None, _too_slow(budget, _rungs(bind(spec, source))[-1])
    except ArcwiseError as error:
        return None, _none(
            f"networks cannot be learned from resampled rows: {error.text}", *error.fixes
        )


def _rungs(problem: Problem) -> tuple[int, ...]:
    """The numbers of replicates that count; families of fewer have all of them or none."""
    usual = problem.family.replicates
    return tuple(rung for rung in _RUNGS if rung <= usual) or (usual,)


def _quick_replicates(
    net: Network, spec: Specification, source: Source, budget: CertaintyBudget
) -> tuple[GraphDistribution | None, Note | None]:
    """Replicates as far as the budget goes: one of the numbers that count, or none.

    A few are tried first, at the pace at which the others of the fewest that count fit into the budget.
    """
    if net.fits is not None and isinstance(net.fits.statistics, CompletedRows):
        source = net.fits.statistics  # missing values are not drawn from the start again
    plan = Plan(method="bootstrap", draws=_TRIED, n_jobs=budget.n_jobs)
    problem = bind(spec, source)
    rungs = _rungs(problem)
    with one_thread(source), budget.watch(_TRIED / (rungs[-1] - _TRIED)) as watch:
        chosen = net.settings.get("penalty") if net.settings.get("penalty_rule") else None
        choices = resolve(spec, problem, budget.n_jobs, watch, chosen)
        spec = choices.spec
        rng = spec.generator().spawn(5)[4]  # that of `find_posterior`
        near = NearReplicates.of(choices, net.graph, net.fits, rng, _RUNGS[0])
    if near is not None:
        return _near_replicates(near, choices, budget)
    with one_thread(source), budget.watch(_TRIED / (rungs[-1] - _TRIED)) as watch:
        find = partial(find_posterior, spec, source, own_score=True)
        run = find(plan, watch)
    if watch.stopped:
        return None, _end_note(watch, budget, rungs[-1])
    with one_thread(source), budget.watch() as watch:
        run = find(replace(plan, draws=rungs[0]), watch, kept=run.kept)
    there = len(run.kept["sizes"])
    if there < rungs[-1]:
        return None, _end_note(watch, budget, rungs[-1])
    counted = next(rung for rung in rungs if rung <= there)
    if counted < there:
        few, at_ease = replace(plan, draws=counted), Progress("certainty", show=False)
        run = find(few, at_ease, kept=run.kept)
    many = f"{run.found.meaning}, {plural(run.found.draws, 'replicate')}"
    return replace(run.found, meaning=many), None


def _near_replicates(
    work: NearReplicates, choices: ResolvedSpecification, budget: CertaintyBudget
) -> tuple[GraphDistribution | None, Note | None]:
    """The same by replicates that begin at the graph of all rows.

    They share their local models, so that one process is as quick as several.
    """
    budget = replace(budget, n_jobs=1)
    with one_thread(work.problem.source), budget.watch() as watch:
        pieces = gather_results(replace(work, watch=watch), _RUNGS[0], watch=watch)
    if len(pieces) < _RUNGS[-1]:
        return None, _end_note(watch, budget, _RUNGS[-1])
    counted = next(rung for rung in _RUNGS if rung <= len(pieces))
    found = near_distribution(work, pieces[:counted], choices.notes)
    return replace(found, meaning=f"{found.meaning}, {plural(found.draws, 'replicate')}"), None


def _end_note(watch: Progress, budget: CertaintyBudget, fewest: int) -> Note:
    return (
        _none(str(watch.stopped))
        if watch.stopped.reason is StopReason.INTERRUPTED
        else _too_slow(budget, fewest)
    )


def _too_slow(budget: CertaintyBudget, fewest: int) -> Note:
    text = f"{fewest} replicates take more than {budget.seconds:.3g} s (see {{certainty=}})"
    return _none(text, Fix("certainty", True))


def _none(text: str, *fixes: Fix) -> Note:
    """Why there is no certainty."""
    return Note(NoteKind.CERTAINTY, text, fixes=fixes)


def other_graphs(net: Network) -> OtherGraphs:
    """The graphs that a learned network's certainty rests on, for the ranges of its answers."""
    if net._saved_graphs is not None:
        return net._saved_graphs
    found, why = net._quick
    if found is None:
        return OtherGraphs(why=why)
    graphs = tuple(graph for graph in found.some(_GRAPHS).graphs if graph.directed)
    what = found.meaning.partition(",")[0].removesuffix(" frequency")
    return OtherGraphs(graphs, net.limits, f"{what} graph")


def packed_graphs(net: Network) -> dict[str, Any]:
    """The same as plain values for a file; nothing for a graph that was given, or without certainty."""
    known = other_graphs(net) if net.directed and "search" in net.settings else OtherGraphs()
    if not known.graphs:
        return {}
    return {"graphs": {"over": known.over, **io.pack_alternatives(known.graphs)}}


def unpacked_graphs(held: Mapping[str, Any], net: Net, limits: Limits | None) -> OtherGraphs | None:
    """The graphs of a file; None if it has none."""
    if not held or not net.directed:
        return None
    graphs = io.unpack_alternatives(held, net.names)
    return OtherGraphs(graphs, limits, str(held.get("over", "graph")))
