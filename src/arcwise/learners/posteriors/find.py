"""Posterior over graphs from a specification and data: the method, its task, and a checkpoint.

A posterior, the certainty of a network and the quick certainty differ only in their plans and budgets.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, Protocol

from arcwise.data import Source, Table, fingerprint
from arcwise.data.memory import available
from arcwise.errors import ChainsError, NoTimeError
from arcwise.io.checkpoint import Checkpoint, option_text
from arcwise.io.files import check_writable
from arcwise.learners.directed import DirectedProblem
from arcwise.learners.posteriors import METHODS
from arcwise.learners.posteriors.exact_sums import MEMORY_SHARE
from arcwise.learners.posteriors.graph_chains import REVERSAL
from arcwise.learners.posteriors.plan import (
    ONE_WAY,
    Arrays,
    Plan,
    PosteriorRun,
    Task,
    constant_note,
    settled_prior,
    with_score,
)
from arcwise.learners.problem import Problem
from arcwise.learners.specification import Specification
from arcwise.mcmc import choose_way
from arcwise.notes import Fix, Note, NoteKind, Stop, notes_of
from arcwise.results import Step, Watch
from arcwise.scores import SCORES

_SUMS = 0.5  # of the time limit: what "auto" gives to sums over all graphs before it runs chains
_LONG = "The sums over all graphs took more than half of the time limit: chains were run instead."


class Budget(Protocol):
    """A callback that records why it stopped a run, and makes callbacks for a part of its time."""

    stopped: Stop

    def __call__(self, step: Step) -> bool:
        """Return whether the run must stop."""

    def share(self, part: float) -> Watch:
        """Return a callback that stops when this part of the time is used up."""


def find_posterior(
    spec: Specification,
    source: Source,
    plan: Plan,
    watch: Budget,
    *,
    checkpoint: str | PathLike[str] | None = None,
    own_score: bool = False,
    kept: Arrays | None = None,
) -> PosteriorRun:
    """Return a distribution over graphs.

    If the method is chosen automatically and chains fail, replicates replace them.

    Parameters
    ----------
    spec, source : the specification and the data.
    plan : the method and its options.
    watch : may stop the run.
    checkpoint : a file for the work so far; if it exists, the work is continued.
    own_score : keep the score of learning, also where another one would weigh graphs by default.
    kept : arrays of an earlier run to continue.
    """
    find = partial(_find, spec, source, watch=watch, own_score=own_score)
    try:
        return find(plan, checkpoint, kept=kept)
    except ChainsError as error:
        free = plan.method == "auto" and plan.prior is None and isinstance(source, Table)
        if not free or watch.stopped:
            raise
        failure = error.failure
    run = find(replace(plan, method="bootstrap"), None)
    return _with_notes(
        run, f"{failure}, so certainty is estimated by resampling.", *run.found.notes
    )


def _find(
    spec: Specification,
    source: Source,
    plan: Plan,
    path: str | PathLike[str] | None,
    *,
    watch: Budget,
    own_score: bool,
    kept: Arrays | None = None,
) -> PosteriorRun:
    """Return the run: choose the method if needed, and continue from a checkpoint if there is one."""
    automatic = plan.method == "auto"
    resolved, plan, problem, why = _resolve(spec, source, plan, own_score)
    hurried = automatic and plan.method == "exact"
    file = None if path is None else Checkpoint(path, _about(resolved, source, plan, problem))
    kept = (file.read() if file is not None else None) or kept
    if file is not None:
        check_writable(file.path)
    keep = None if file is None else file.offer
    rng = resolved.generator().spawn(5)[4]
    task = Task(resolved, source, problem, plan, rng, kept, watch, keep)
    ways = {"longer": 0} if automatic and plan.method == "mcmc" else {}
    try:
        part = replace(task, watch=watch.share(_SUMS)) if hurried else task
        run = METHODS[plan.method](part, **ways)
    except NoTimeError:
        if not hurried or watch.stopped:
            raise
        # Partitions need all local scores, too; structure MCMC only those that it visits.
        plan, why = replace(plan, method="mcmc", sampler=plan.sampler or REVERSAL), _LONG
        run = METHODS["mcmc"](replace(task, plan=plan), longer=0)
    had, has = (len((arrays or {}).get("sizes", ())) for arrays in (kept, run.kept))
    if file is not None and has >= had:  # more replicates than are asked for stay in the file
        file.keep(run.kept)
    file_note = "" if file is None else file.note
    return _with_notes(run, file_note, why, *run.found.notes, *_meanings(run.task))


def _resolve(
    spec: Specification, source: Source, plan: Plan, own_score: bool
) -> tuple[Specification, Plan, Problem, Note | str]:
    """Return the specification with its score, the plan with its method, the problem, and a note on the
    choice.
    """
    from arcwise.learners import bind  # the registry of learners imports their files

    trial = spec if own_score else with_score(spec, source, plan)
    why: Note | str = ""
    problem = bind(trial, source)
    if plan.method == "auto":
        method, why = method_for(problem, plan.prior)
        if problem.graph == "directed" and not SCORES[problem.score_word].log_probability:
            why = Note(
                NoteKind.CERTAINTY,
                f"{why} {{method=}} gives its pseudo-posterior.",
                fixes=(Fix("method", "exact"),),
            )
        plan = replace(plan, method=method)
        if method == "bootstrap":
            trial = with_score(spec, source, plan)
            problem = bind(trial, source)
    plan = plan.resampled(problem.family)
    if plan.method != "bootstrap":
        plan = replace(plan, prior=settled_prior(plan.prior, problem))
    return trial, plan, problem, why


def method_for(problem: Problem, prior: Any = None) -> tuple[str, Note | str]:
    """Return the method for a distribution over graphs that suits a problem, and a note if it may surprise.

    Beyond the sizes of exact sums, short chains rank the edges of discrete networks better than resampling,
    and resampling ranks those of linear models better than chains (benchmarks/methods.py); resampling needs
    rows and has no prior over graphs.
    """
    if not isinstance(problem, DirectedProblem):
        return (
            "bootstrap",
            "Undirected graphs have no posterior: their certainty is estimated by resampling.",
        )
    if not SCORES[problem.score_word].log_probability:
        word = problem.score_word
        return (
            "bootstrap",
            (
                f"The score {word!r} is not a log probability of the data, so certainty is "
                "estimated by resampling."
            ),
        )
    way = choose_way(problem.score, problem.limits, memory=MEMORY_SHARE * available())
    if way.word == "exact":
        return "exact", ""
    if problem.model != "gaussian" or prior is not None or not problem.data.has_rows:
        return "mcmc", ""
    return "bootstrap", Note(
        NoteKind.CERTAINTY,
        f"{len(problem.fits.nodes)} variables are too many for sums over all graphs, so certainty is "
        "resampled; {method=} runs chains.",
        fixes=(Fix("method", "mcmc"),),
    )


def _with_notes(run: PosteriorRun, *notes: Note | str) -> PosteriorRun:
    return replace(run, found=replace(run.found, notes=notes_of(NoteKind.CERTAINTY, *notes)))


def _meanings(task: Task) -> tuple[str, ...]:
    """Return notes on the meaning of the probabilities."""
    problem = task.problem
    one_way = problem.graph == "directed" and not problem.score.equivalent
    constant = constant_note(task.source) if task.plan.method != "bootstrap" else ""
    return (ONE_WAY if one_way else "", constant)


def _about(spec: Specification, source: Source, plan: Plan, problem: Problem) -> Mapping[str, Any]:
    """Return the key of a run for checkpoints: every choice that shapes its result."""
    seeded: Any = spec.rng.bit_generator.seed_seq
    used = {**problem.words, "options of the score": option_text(problem.score_options)}
    choices = {
        **spec.about,
        **plan.about,
        **{f"{name} in use": word for name, word in used.items()},
    }
    rows = fingerprint(problem.data)  # with an expert's rows, and without gaps
    return {**choices, "seed": seeded.entropy, "data": fingerprint(source), "rows": rows}
