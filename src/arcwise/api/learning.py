"""Learn a network from data."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypedDict

from arcwise.api.choices import specification
from arcwise.api.net import Network
from arcwise.api.options import Method, Model, Prior, ScoreOption, Search
from arcwise.api.progress import CertaintyBudget, Progress
from arcwise.api.unknown_parameters import with_advice
from arcwise.data import Source, Statistics, any_table, fingerprint
from arcwise.data.functions import function_notes
from arcwise.errors import NoTimeError
from arcwise.evaluate import bend_notes
from arcwise.graphs import DAG, Limits, Rules, UGraph
from arcwise.learners import LearnedNetwork, Learner, Specification
from arcwise.learners.parallel import one_thread
from arcwise.learners.settings import settings_of
from arcwise.notes import NOT_STOPPED, Fix, Note, NoteKind, Stop, notes_of

QUICK_SECONDS = 2.0  # seconds that a quick certainty may take in any case
_BUSY = 10.0  # times as many by the clock, where other programs keep the processor busy
_TUNING = 0.8  # share of a time budget that tuning the penalty may use


class LearnOptions(TypedDict, total=False):
    """The keywords of `learn`, for functions that pass them on."""

    graph: str
    model: str | Model | Mapping[str, str | Model]
    score: str | ScoreOption | None
    search: str | Search
    penalty: Any
    rules: Rules | Mapping[str, Any] | None
    prior: Prior | None
    missing: str
    certainty: bool | str | Method | None
    seed: int
    n_jobs: int
    time_limit: float | None
    progress: bool | None


@with_advice
def learn(
    data: Any,
    *,
    graph: str = "directed",
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    search: str | Search = "auto",
    penalty: Any = None,
    rules: Rules | Mapping[str, Any] | None = None,
    prior: Prior | None = None,
    missing: str = "auto",
    certainty: bool | str | Method | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> Network:
    """Learn a network from data: the graph, and a fitted local model at every node.

    Names of models, scores and searches are strings; objects of the same kind have settings:
    `aw.Parzen(bandwidths="shared")`, `aw.EBIC(gamma=0.5)`, `aw.Tabu(restarts=10)`.

    Parameters
    ----------
    data : a table (`read`, `table`), moments, the path of a file, a data frame, an array or a dict. Kinds of
        columns, weights of rows and markers of missing values belong to the table:
        `aw.table(frame, kinds={"RAD": "discrete"})`.
    graph : the kind of graph.

        * "directed": a Bayesian network.
        * "undirected": each variable is adjacent to those that it depends on directly.
    model : the local models. A mapping sets one per variable: {"x": "parzen", "*": "auto"}.

        * "auto": "discrete" if all columns have levels; "gaussian" for numbers, or "curved" if the data
          support it, with a note; "glm" for mixed tables.
        * "gaussian": linear regressions.
        * "discrete": probability tables.
        * "glm": generalised linear models, each in the form that the data support; "curved" for numbers.
        * "clg": a linear regression for each configuration of the discrete parents.
        * "parzen": conditional kernel densities, of any shape.
        * "neural", "experts": neural networks and mixtures of linear regressions.
    score : the score to maximise.

        * "ebic" (extended BIC, the default of linear models), "bic", "aic", "loglik", "bge".
        * "loo" (leave-one-out, the default of Parzen models), "kfold", "heldout".
        * "bdeu" (the default of discrete models), "bds", "k2", "qnml": for discrete models.
        * "degenerate-gaussian", "truncated-basis": for mixed tables.
    search : the search algorithm.

        * Directed: "auto", "greedy", "tabu", "annealing", "ils", "ges", "boss", "exact".
        * Undirected: "auto", "boundary", "grow-shrink" (for large tables), "deletion".
        * Undirected Gaussian: also "stepwise" ("auto" without a score and a penalty), "glasso" (the graphical
          lasso, "auto" with a penalty) and "neighbourhood".
    penalty : the penalty per edge, in nats per row; for the lasso rho, on the scale of correlations. None is
        the default of the model. `tuning` has the curve of a rule.

        * A number, or for the lasso a matrix with a value per pair: a data frame, an array or a CSV file.
        * "cv": the penalty with the best cross-validated likelihood; "cv-1se": the largest one within a
          standard error of the best. (A linear model then maximises the likelihood unless `score` is set.)
        * "ebic" (the default of "glasso"), "stars", "ric": for the lasso.
    rules : restrictions of the graph, as `Rules` or a mapping of their parts, such as
        {"required": ["a -> b"], "max_parents": 3}. Undirected learning ignores directions and rejects tiers.
    prior : expert knowledge as `aw.Prior`: a graph, or artificial rows.
    missing : the treatment of missing values.

        * "auto": use all observed values, by EM or by draws.
        * "impute": always draw the missing values.
        * "weights": weight complete rows by the inverse probability of being complete.
        * "drop": use complete rows only.
    certainty : the certainty of edges and directions.

        * None: a bootstrap of up to 100 replicates on first use of the edges (`edges`, print, `plot`, `save`,
          a query with do=). It takes at most as long as learning, or 2 s. If not all replicates fit, 60 or 30
          count; otherwise the table of edges gives the reason for having none.
        * False: none.
        * True, or a method ("bootstrap", "exact", "mcmc"): computed at once, within the time limit; see
          `Network.certainty`.
    seed : the same seed gives the same result.
    n_jobs : the number of processes or threads; -1 for all cores.
    time_limit : the number of seconds after which the best result so far is returned.
    progress : whether to show a progress line; by default in interactive use.

    Returns
    -------
    Network.

    Raises
    ------
    DataError, GraphError, FitError, OptionError : with a message that states the requirement and the value.

    >>> import arcwise as aw
    >>> net = aw.learn(aw.example("boston").select(["RM", "LSTAT", "MEDV"]))
    >>> net.separated("RM", "LSTAT"), net.optimal
    (False, True)
    >>> field = aw.learn(aw.example("boston").select(["RM", "LSTAT", "MEDV"]), graph="undirected")
    >>> field.neighbours("MEDV")
    ('LSTAT', 'RM')
    """
    began = _clock(n_jobs)
    spec = specification(
        graph=graph, model=model, score=score, search=search, penalty=penalty, rules=rules, prior=prior,
        missing=missing, seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    source, watching = any_table(data), Progress("learning", time_limit, progress)
    with one_thread(source):
        with watching as watch:
            learned = Learner(spec, n_jobs, watch, watch.share(_TUNING)).learn(source)
            found = (learned.net.graph, learned.limits)
            linear = learned.problem.model == "gaussian"
            bends = linear and not watch.stopped
            curves = curve_notes(spec, learned.problem.source, *found) if bends else ()
        result = learned.net.graph
        pairs = result.links
        functions = function_notes(source, pairs)
        learned = replace(learned, notes=(*learned.notes, *curves, *functions))
        net = network_of(learned, source, seed, watch.stopped, watch.left)
    if certainty:
        return _certain(net, certainty, watch, n_jobs, progress)
    budget = _budget(_clock(n_jobs) - began, watch, n_jobs, progress)
    off = CertaintyBudget(why=_OFF)
    return replace(net, _certainty_budget=budget if certainty is None else off)


def _clock(n_jobs: int) -> float:
    """Seconds of the processor, which a busy machine does not change; by the clock with other processes."""
    return time.thread_time() if n_jobs == 1 else time.monotonic()


def _budget(took: float, watch: Progress, n_jobs: int, progress: bool | None) -> CertaintyBudget:
    """What a quick certainty may cost: as much as learning did, or 2 s, within the time limit."""
    if watch.stopped:
        return CertaintyBudget(
            why=Note(NoteKind.CERTAINTY, f"learning ended early: {watch.stopped}")
        )
    allowed = max(took, QUICK_SECONDS)
    wall = allowed if n_jobs != 1 else _BUSY * allowed
    if watch.limit is not None:
        wall = max(0.0, min(wall, watch.limit - (time.monotonic() - watch.began)))
    return CertaintyBudget(min(allowed, wall), wall, n_jobs, progress)


_OFF = Note(
    NoteKind.CERTAINTY, "it was turned off by {certainty=}", fixes=(Fix("certainty", False),)
)
_NO_TIME = Note(NoteKind.CERTAINTY, "There was no time for the certainty of edges.")


def _certain(
    net: Network,
    certainty: bool | str | Method,
    watch: Progress,
    n_jobs: int,
    progress: bool | None,
) -> Network:
    """The network with certainty, unless there is no time for it."""
    method = "auto" if isinstance(certainty, bool) else certainty
    left = watch.left if watch.limit is not None else None
    try:
        if not watch.stopped:
            return net.certainty(method, n_jobs=n_jobs, time_limit=left, progress=progress)
    except NoTimeError:
        pass
    return replace(net, notes=(*net.notes, _NO_TIME))


def curve_notes(
    spec: Specification, source: Statistics, graph: DAG | UGraph, limits: Limits | None = None
) -> tuple[Note, ...]:
    """Notes on curves that a linear graph does not follow; none where a model was asked for."""
    if spec.model != "auto" or spec.search_options.get("nonparanormal"):
        return ()
    return bend_notes(source, graph, limits)


def network_of(
    learned: LearnedNetwork,
    source: Source,
    seed: int | None,
    stopped: Stop = NOT_STOPPED,
    edge_seconds: float | None = None,
) -> Network:
    """What users hold, from what was learned.

    `stopped` is why a watcher ended it, where one did; `edge_seconds` bounds the time for strengths of edges.
    """
    problem, tuned = learned.problem, learned.tuned
    settings: dict[str, Any] = {**settings_of(problem), **learned.words, "seed": seed}
    if learned.penalty or tuned or "penalty_unit" in settings:
        settings["penalty"] = learned.penalty
    if tuned:
        settings["penalty_rule"] = tuned.rule
    return Network(
        learned.net,
        score=learned.total,
        trace=learned.trace,
        stopped=learned.stopped if learned.settled else stopped or learned.stopped,
        optimal=learned.optimal,
        settings=settings,
        notes=(
            *problem.notes,
            *learned.notes,
            *notes_of(NoteKind.PENALTY, tuned.reason if tuned else None),
        ),
        order=source.order,
        rows=problem.score.rows,
        fingerprint=fingerprint(source),
        scorer=problem.score if learned.scored else None,
        limits=learned.limits,
        rules=problem.spec.rules,
        fits=problem.fits,
        tuning=tuned.curve if tuned else (),
        _edge_seconds=edge_seconds,
        specification=problem.spec,
        data=source,
    )
