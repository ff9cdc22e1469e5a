"""Resampling: the graphs that a specification learns from resampled tables.

A bootstrap replicate is the same table with other weights: a row drawn twice counts twice. Weights belong to
the binding, so sufficient statistics are weighted sums, and a leave-one-out score holds out all copies of a
row at once (`copies="together"`; the remaining copies would make a Parzen model overconfident). With such a
score, counted rows are first expanded to units. Subsampling keeps a
share of the units. With "none" the rows are unchanged, and runs differ in the random
start or the random moves of the search.

Choices that depend on all rows are made once: the prepared table, the score, and a penalty by a rule. Each
replicate has a random generator, the child of the run's with its number, so results depend neither on the
number of processes nor on interruptions.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import DefaultScore
from arcwise.data import Complete, CompletedRows, Statistics, Table
from arcwise.errors import ArcwiseError, FitError, NoTimeError, OptionError, unknown
from arcwise.graphs import DAG, UGraph
from arcwise.io.checkpoint import pack_graphs, unpack_graphs
from arcwise.learners.directed import DirectedProblem
from arcwise.learners.options import is_random
from arcwise.learners.parallel import pieces, watch_inside
from arcwise.learners.penalty import choose
from arcwise.learners.posteriors.plan import RESAMPLING, Plan, PosteriorRun, Task
from arcwise.learners.problem import Problem
from arcwise.learners.specification import Specification
from arcwise.notes import Fix, Note, NoteKind, mention, notes_of
from arcwise.results import GraphDistribution, SearchEnd, Step, Watch, of_draws
from arcwise.scores import SCORES

Graph = DAG | UGraph
Array = NDArray[np.float64]


def child_of(rng: np.random.Generator, number: int) -> np.random.Generator:
    """Return the child of this number that `rng.spawn` of a fresh generator would return.

    >>> import numpy as np
    >>> one, two = np.random.default_rng(1), np.random.default_rng(1)
    >>> bool(child_of(one, 5).random() == two.spawn(6)[5].random())
    True
    """
    bits = rng.bit_generator
    seed: Any = bits.seed_seq
    child = type(seed)(seed.entropy, spawn_key=(*seed.spawn_key, number), pool_size=seed.pool_size)
    return type(rng)(type(bits)(child))


def row_weights(
    table: Table, rng: np.random.Generator, resampling: str = "bootstrap", fraction: float = 0.5
) -> Array:
    """Return the row weights of a replicate.

    If weights are integers, their sum is the number of draws; otherwise it is Kish's effective number of
    rows, scaled to the same total.
    """
    weights = np.ones(table.rows) if table.weights is None else table.weights
    cases = float(weights.sum())
    whole = bool((weights == np.round(weights)).all())
    if (
        resampling == "subsample" and whole and table.units > table.rows
    ):  # counted: some of the units
        size = max(2, round(fraction * table.units))
        drawn = rng.multivariate_hypergeometric(table.counted_copies(), size, method="marginals")
        return drawn.astype(np.float64)
    if resampling == "subsample":
        in_sample = np.zeros(table.rows)
        in_sample[rng.permutation(table.rows)[: max(2, round(fraction * table.rows))]] = 1.0
        return in_sample * weights
    size = max(round(cases if whole else table.effective_rows), 2)
    counts = rng.multinomial(size, weights / cases)
    return np.asarray(counts * (cases / size), dtype=np.float64)


class ResolvedSpecification(NamedTuple):
    """A specification with the choices that depend on all rows, the problem they were made for, and notes."""

    spec: Specification
    problem: Problem
    penalty: float
    notes: tuple[Note, ...]


def resolve(
    spec: Specification,
    problem: Problem,
    n_jobs: int,
    watch: Watch | None,
    chosen: float | None = None,
) -> ResolvedSpecification:
    """Make the choices that depend on all rows once, so that replicates differ only in their rows.

    `chosen` is the penalty that the rule chose before, if it did.
    """
    rule = spec.rule or (problem.default_rule if spec.penalty is None else None)
    notes: tuple[Note, ...] = ()
    penalty = problem.penalty
    if rule is not None:
        penalty = choose(problem, rule, n_jobs, watch).penalty if chosen is None else chosen
        text = (
            f"The penalty, {penalty:.4g}, was chosen by {rule!r} on all rows, and is the same in all "
            "replicates."
        )
        notes = (Note(NoteKind.PENALTY, text),)
    changes: dict[str, Any] = {"rule": None, "threads": 1 if n_jobs != 1 else spec.threads}
    if rule is not None or penalty:
        changes["penalty"] = penalty
    if problem.own_score is None:
        changes["score_default"] = DefaultScore(problem.score_word, problem.score_options)
    return ResolvedSpecification(spec.but(**changes), problem, penalty, notes)


@dataclass(frozen=True, eq=False)
class Replicates:
    """The work of one replicate, by its number: an object that can be sent to other processes.

    `table` is prepared; `binds` is the learner; `penalties`, if any, ask for a graph at each
    of them; `redraw` draws missing values again for the weights of a replicate.
    """

    spec: Specification
    table: Table
    binds: type[Problem]
    penalty: float
    rng: np.random.Generator
    resampling: str = "bootstrap"
    fraction: float = 0.5
    penalties: tuple[float, ...] = ()
    watch: Watch | None = None
    redraw: Callable[[Array, np.random.Generator], CompletedRows] | None = None

    @classmethod
    def of(
        cls, choices: ResolvedSpecification, rng: np.random.Generator, **more: Any
    ) -> "Replicates":
        """Return the replicates of a problem with resolved choices.

        Raises
        ------
        FitError : there are no rows to draw from.
        OptionError : an unknown method, an invalid fraction, or runs that cannot differ.
        """
        way, share = more.get("resampling", "bootstrap"), more.get("fraction", 0.5)
        if way not in RESAMPLING:
            raise unknown("way of resampling", way, RESAMPLING)
        if not isinstance(share, int | float) or not 0 < share < 1:
            raise OptionError(
                f"fraction, the share of rows, must be between 0 and 1, got {share!r}."
            )
        if way == "none":
            _check_chance(choices.problem)
        table = choices.problem.source.cases(
            "Resampling needs",
            "read the file as a table, or use {method=} or 'mcmc'",
            [Fix("method", "exact")],
        )
        if SCORES[choices.problem.score_word].meaning == "predictive" and table.units > table.rows:
            table = table.expanded()  # copies of a unit go together, not those of a distinct row
        source = choices.problem.source
        redraw = source.redraw if isinstance(source, CompletedRows) else None
        redraw = redraw if way != "none" and table is source.cases("") else None
        kind, penalty = type(choices.problem), choices.penalty
        return cls(choices.spec, table, kind, penalty, rng, redraw=redraw, **more)

    def spec_of(self, number: int) -> Specification:
        """Return the specification of a replicate, with its random generator of starts and moves."""
        return self.spec.but(rng=child_of(self.rng, number).spawn(1)[0])

    def table_of(self, number: int) -> Table:
        """Return the table of a replicate."""
        if self.resampling == "none":
            return self.table
        rng = child_of(self.rng, number)
        weights = row_weights(self.table, rng, self.resampling, self.fraction)
        once = self.table.weights is None and weights.max() <= 1  # rows alone are counted faster
        if once:
            return self.table.take(np.repeat(np.arange(self.table.rows), weights.astype(np.intp)))
        return self.table.with_weights(weights, "together")

    def statistics_of(self, number: int) -> Statistics:
        """Return the data of a replicate, with missing values drawn again if any."""
        if self.redraw is None:
            return Complete(self.table_of(number))
        rng = child_of(self.rng, number)
        weights = row_weights(self.table, rng, self.resampling, self.fraction)
        return self.redraw(weights, rng)

    def __call__(self, number: int) -> tuple[Graph, ...] | Note | None:
        """Return the graphs of a replicate; a note if nothing can be learned, None if time was up."""
        try:
            problem = self.binds.bind(self.spec_of(number), self.statistics_of(number))
            if not self.penalties:
                return (problem.structure(self.penalty, self.watch),)
            return problem.structures(self.penalties, self.watch)
        except SearchEnd:
            return None
        except ArcwiseError as error:
            return Note(NoteKind.CERTAINTY, error.text, fixes=error.fixes)


def _check_chance(problem: Problem) -> None:
    """Raise an error if runs on the same rows cannot differ: the search has no random start or moves."""
    begun = problem.spec.start in ("complete", "random")
    options = problem.spec.search_options
    if not begun and not is_random(problem.search) and not options.get("restarts"):
        raise OptionError(
            f"{{resampling=}} repeats the search on the same rows, and {problem.spec.search!r} finds the "
            "same graph each time: take search=Greedy({start=}), or resample the rows.",
            fixes=[mention("resampling", "none"), Fix("start", "random")],
        )


Piece = Any


def gather_results(
    work: Callable[[int], Piece],
    count: int,
    *,
    done: Sequence[Piece] = (),
    n_jobs: int = 1,
    backend: str = "joblib",
    watch: Watch | None = None,
    keep: Callable[[Sequence[Piece]], None] | None = None,
    what: str = "replicate",
) -> list[Piece]:
    """Return the results of pieces of work, up to an early stop by the callback.

    Parameters
    ----------
    work : from a piece's number to its result; None if stopped early.
    count : the total number of pieces.
    done : the existing results.
    n_jobs, backend : as of `pieces`.
    watch : called after each piece.
    keep : called after each piece with all results so far, to save them.
    what : the name of a piece.
    """
    results = list(done)
    numbers = range(len(results), count)
    if not numbers:
        return results
    with contextlib.closing(pieces(work, numbers, n_jobs, backend)) as coming:
        for result in coming:
            if result is None:
                break
            results.append(result)
            if keep is not None:
                keep(results)
            message = f"{what} {len(results)} of {count}"
            if watch is not None and watch(
                Step(len(results), message, -1, -1, float("nan"), 0, 0.0)
            ):
                break
    return results


def of_replicates(task: Task) -> PosteriorRun:
    """Return the frequencies of graphs over resampled tables.

    Raises
    ------
    FitError : no replicate could be learned, or there was no time for one.
    """
    problem, plan, watch = task.problem, task.plan, task.watch
    if plan.prior is not None:
        raise OptionError(
            "A prior over graphs is for {method=} and 'mcmc': resampling counts the graphs that a "
            "search finds; guide it by {penalty=}, prior=Prior(graph=...) or rules.",
            fixes=[mention("method", "exact"), Fix("penalty")],
        )
    choices = resolve(task.spec, problem, plan.n_jobs, watch)
    away = watch_inside(plan.n_jobs if plan.backend == "joblib" else 0, watch)
    ways = {"resampling": plan.resampling, "fraction": plan.fraction}
    work = Replicates.of(choices, task.rng, watch=away, **ways)
    keep, directed = task.keep, task.spec.graph == "directed"
    done = unpack_graphs(task.kept, problem.fits.nodes, directed) if task.kept else []
    count = 200 if plan.draws is None else plan.draws
    pieces = gather_results(
        work,
        count,
        done=done[:count],
        n_jobs=plan.n_jobs,
        backend=plan.backend,
        watch=watch,
        keep=None if keep is None else lambda found: keep(lambda: pack_graphs(found)),
    )
    graphs = [piece[0] for piece in pieces if not isinstance(piece, Note)]
    failed = [piece for piece in pieces if isinstance(piece, Note)]
    if not graphs:
        if failed:
            raise no_replicate(failed[0])
        raise NoTimeError("Time ran out before one replicate was done: allow more.")
    messages: tuple[Note | str, ...] = (*failure_notes(failed, len(pieces)), *_subsample_note(plan))
    notes = (*choices.notes, *notes_of(NoteKind.CERTAINTY, *messages))
    about = {"penalty": choices.penalty, **_reversals(work, problem, pieces)}
    distribution = count_graphs(graphs, problem, plan, notes, about)
    return PosteriorRun(task, distribution, pack_graphs(pieces))


def _reversals(work: Replicates, problem: Problem, pieces: Sequence[Any]) -> dict[str, float]:
    """Return the mean number of arcs opposite to the start graph, over replicates."""
    if not isinstance(problem, DirectedProblem) or problem.spec.start == "empty":
        return {}
    counts = []
    for number, piece in enumerate(pieces):
        begun = None if isinstance(piece, Note) else problem.begin(work.spec_of(number))
        if begun is not None:
            arcs = piece[0].numbered_arcs
            counts.append(sum(head in begun.parents[tail] for tail, head in arcs))
    return {"reversed": sum(counts) / len(counts)} if counts else {}


def count_graphs(
    graphs: Sequence[DAG | UGraph],
    problem: Problem,
    plan: Plan,
    notes: tuple[Note, ...],
    about: Mapping[str, float],
) -> GraphDistribution:
    """Return the frequencies of graphs of replicates; classes are counted if equivalent graphs have
    equal scores.
    """
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


def no_replicate(failure: Note) -> FitError:
    """Return the error for replicates of which none could be learned."""
    return FitError(f"No replicate could be learned: {failure.text}", fixes=failure.fixes)


def failure_notes(failures: Sequence[Note], count: int) -> list[Note]:
    """Return a note on replicates that could not be learned."""
    if not failures:
        return []
    text = (
        f"{len(failures)} of {count} replicates could not be learned and are not counted: "
        f"{failures[0].text}"
    )
    return [Note(NoteKind.CERTAINTY, text, fixes=failures[0].fixes)]


def _subsample_note(plan: Plan) -> list[str]:
    if plan.resampling != "subsample":
        return []
    return [
        f"Each replicate has {plan.fraction:g} of the rows, so weak edges are missed more often "
        "than with all rows."
    ]
