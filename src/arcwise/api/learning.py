"""The first verb: learn a network from data. Words and seeds become objects here."""

import inspect
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.api.net import Network
from arcwise.api.options import Model, ScoreOption, Search, plain_words
from arcwise.api.progress import CertaintyBudget, Progress
from arcwise.data import Source, Statistics, any_table, fingerprint, read
from arcwise.data.functions import function_notes
from arcwise.errors import FitError, GraphError, NoTimeError, OptionError, unknown
from arcwise.evaluate import bend_notes
from arcwise.graphs import DAG, Limits, Rules, UGraph, dag
from arcwise.graphs.parser import plain
from arcwise.learners import (
    RULES,
    Learned,
    Learner,
    Specification,
)
from arcwise.learners.parallel import one_thread
from arcwise.learners.settings import settings_of
from arcwise.notes import NOT_STOPPED, Fix, Note, NoteKind, Stop, notes_of
from arcwise.scores import SCORES
from arcwise.undirected.given_matrices import Factors, factors_of
from arcwise.values import is_count, is_number

QUICK_SECONDS = 2.0  # seconds that a quick certainty may take in any case
_BUSY = 10.0  # times as many by the clock, where other programs keep the processor busy
_TUNING = 0.8  # share of a time budget that tuning the penalty may use
_STARTS = ("empty", "complete", "random")


def learn(
    data: Any,
    *,
    graph: str = "directed",
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    search: str | Search = "auto",
    start: Any = "empty",
    penalty: Any = None,
    rules: Rules | None = None,
    required: Any = (),
    forbidden: Any = (),
    tiers: Iterable[Iterable[str]] = (),
    max_parents: int | None = None,
    expert: Any = None,
    expert_weight: float | Mapping[tuple[str, str], float] = 0.1,
    pseudo_rows: Any = None,
    certainty: bool | str | None = None,
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    na_values: Iterable[object] = (),
    missing: str = "auto",
    seed: int = 0,
    n_jobs: int = 1,
    time_limit: float | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Network:
    """Learn a network from data: the graph, and a fitted local model at every node.

    Parameters
    ----------
    data : a table (`read`, `table`), moments, a file's path, a data frame, an array or a dict.
    graph : "directed", or "undirected": each variable joined to those that it depends on directly.
    model : "gaussian" (linear), "parzen" (any shape), "discrete" (tables), "clg" (a regression for each
        configuration of discrete parents), "glm" (any of these forms and curves, for any columns), or "auto"
        by the kinds of columns: linear for numbers, with a note where relations are curved; tables for
        levels; "glm" for tables that mix them. A mapping has one for each variable: {"x": "parzen", "*":
        "auto"}. A name, or an object with options: `aw.Parzen(bandwidths="shared")`; so for score and search,
        `aw.BDeu(10)`, `aw.Tabu(restarts=10)`.
    score : "ebic" (extended BIC, default of linear models), "bic", "aic", "bge", "loglik", "loo"
        (leave-one-out, default of Parzen models), "kfold", "heldout"; of discrete models also "bdeu"
        (their default), "bds", "k2", "qnml"; of mixed tables also "degenerate-gaussian" and
        "truncated-basis".
    search : "auto", "greedy", "tabu", "annealing", "ils", "ges", "boss", "exact"; for undirected graphs
        "auto", "boundary", "grow-shrink" (for large tables), "deletion", and for Gaussian ones "stepwise"
        (edges added and taken out one by one; it is what "auto" means there unless a score or a penalty is
        given), "glasso" (the graphical lasso; "auto" where a penalty is given) and "neighbourhood".
    start : "empty", "complete" (in random order), "random", or a graph in any form that `dag` takes, such as
        "a -> b" or "[a][b|a]"; directed only.
    penalty : penalty per edge, in nats per row, taken off the score; None is the model's own (0 for
        Gaussian models by a score; log(n (10 + pairs) / 100) / n for Parzen ones of n rows). "cv" tunes it by
        cross-validated likelihood, "cv-1se" takes the largest one within a standard error of the
        best: a sparser graph that predicts as well. (A linear model's score is then the likelihood
        unless one is given.) For the lasso it is rho, on the scale of correlations: a number, or a rule:
        "ebic" (default of "glasso"), "stars", "cv", "ric". The reason is told in the notes, the curve is
        `tuning`. A matrix (data frame, array, or the path of a CSV file with names) has one for each pair of
        variables.
    required, forbidden, tiers, max_parents : what the graph has to obey, as for `Rules`: arcs it must
        or must not have (in any form that `dag` takes), groups of variables in the order of time, the largest
        number of parents.
        Undirected learning ignores directions and refuses tiers.
    rules : the same as a `Rules` object.
    expert, expert_weight : a graph (in any form that `dag` takes) that arcs should not differ from, and the
        penalty of each difference in nats per row: one for all arcs, or a mapping of arcs (parent, child)
        to their penalties, 0.1 for those it does not name.
    pseudo_rows : artificial rows that say what an expert would expect to see, as a table or a file's
        path; they count like real ones.
    certainty : how sure each edge and direction is. By default a quick bootstrap of 100 replicates, found
        where edges are first looked at (`edges`, print, `plot`, `save`, a query with do=), in at most the
        time that learning took, or 2 s; of those that fit in, 100, 60 or 30 count, and the table says how
        many, or why there are none. False: none. True, or the method, "bootstrap", "exact" or "mcmc" (see
        `Network.certainty`): in full, now, within the time limit.
    kinds, weights, na_values : as for `table`.
    missing : what to do about missing values: "auto" uses all observed values, "drop" only complete rows.
    seed : the same seed gives the same result.
    n_jobs : processes or threads for work that can be shared out; -1 for all cores.
    time_limit : seconds after which the best so far is returned.
    progress : show a progress line; by default where a person is looking.
    options : options of the search (tolerance, restarts, tabu_length, walk_length, rounds, steps, ...),
        of the score (gamma, equivalent_sample_size, alpha_mu, folds, ...) and of the model (Parzen:
        bandwidths, min_bandwidth, tail_weight; tables: equivalent_sample_size, row_alpha, alpha); of the
        lasso: scale ("correlation" or "covariance"), diagonal, refit, nonparanormal, gaps, gamma, ... (see
        docs/undirected.md).

    Returns
    -------
    Network.

    Raises
    ------
    DataError, GraphError, FitError, OptionError : one sentence each: what was expected, what was given.

    >>> import arcwise as aw
    >>> net = aw.learn(aw.example("boston").select(["RM", "LSTAT", "MEDV"]))
    >>> net.separated("RM", "LSTAT"), net.optimal
    (False, True)
    >>> field = aw.learn(aw.example("boston").select(["RM", "LSTAT", "MEDV"]), graph="undirected")
    >>> field.neighbours("MEDV")
    ('LSTAT', 'RM')
    """
    asked = dict(locals())
    asked.pop("certainty")
    began = _clock(n_jobs)
    source, spec, watching = settle("learning", asked)
    with one_thread(source):
        with watching as watch:
            learned = Learner(spec, n_jobs, watch, watch.share(_TUNING)).learn(source)
            found = (learned.net.graph, learned.limits)
            curves = () if watch.stopped else curve_notes(spec, learned.problem.source, *found)
        result = learned.net.graph
        pairs = result.links
        functions = function_notes(source, pairs)
        learned = replace(learned, notes=(*learned.notes, *curves, *functions))
        net = network_of(learned, source, seed, watch.stopped, watch.left)
    if certainty:
        return _certain(net, certainty, watch, n_jobs, progress)
    budget = _budget(_clock(n_jobs) - began, watch, n_jobs, progress)
    off = CertaintyBudget(why=_OFF)
    return replace(net, certainty_budget=budget if certainty is None else off)


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
_NO_TIME = Note(NoteKind.CERTAINTY, "There was no time to find how sure edges are.")


def _certain(
    net: Network, certainty: bool | str, watch: Progress, n_jobs: int, progress: bool | None
) -> Network:
    """The network with certainty, unless there is no time for it."""
    method = certainty if isinstance(certainty, str) else "auto"
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
    if spec.model != "auto" or spec.options.get("nonparanormal"):
        return ()
    return bend_notes(source, graph, limits)


def words_of(data: Any, words: Mapping[str, Any], **fixed: Any) -> dict[str, Any]:
    """All words of `learn` by name, for a verb that takes the same: as given, fixed, or the default."""
    found = inspect.signature(learn).bind(data, **words)
    found.apply_defaults()
    if not found.arguments["certainty"]:
        del found.arguments["certainty"]  # of learn alone
    return {**found.arguments, **fixed}


def settle(label: str, asked: Mapping[str, Any]) -> tuple[Source, Specification, Progress]:
    """The data, the specification and the watcher that a verb's parameters, by name, ask for."""
    asked = plain_words(asked)
    words = {**asked["options"], **asked}
    del words["options"]
    source = any_table(*(words.pop(word) for word in ("data", "kinds", "weights", "na_values")))
    watching = Progress(label, words.pop("time_limit"), words.pop("progress"))
    return source, specify(**words), watching


def specify(
    *,
    graph: str = "directed",
    penalty: Any = None,
    rules: Rules | None = None,
    start: Any = "empty",
    expert: Any = None,
    seed: int | None = 0,
    n_jobs: int = 1,
    **words: Any,
) -> Specification:
    """Turn the words of `learn` into a specification; words that it does not know are options."""
    if seed is not None and not is_count(seed):
        raise OptionError(f"The seed must be a non-negative integer, got {seed!r}.")
    if isinstance(words.get("pseudo_rows"), str | os.PathLike):
        words["pseudo_rows"] = read(words["pseudo_rows"])
    if words.get("factors", ...) is None:  # none are none, whatever is learned
        del words["factors"]
    if _a_matrix(penalty):
        if words.get("factors") is not None:
            raise OptionError("Give a matrix of penalties, or a penalty and its factors, not both.")
        penalty, words["factors"] = 1.0, replace(factors_of(penalty), alone=True)
    rule, obeyed = _rule(penalty), _rules(rules, words)
    known = {field.name for field in fields(Specification)} - {"rng", "rule", "threads", "options"}
    return Specification(
        np.random.default_rng(seed),
        graph=graph,
        penalty=None if rule else _number(penalty),
        rule=rule,
        rules=obeyed,
        start=start if isinstance(start, str) and start in _STARTS else _dag(start, "start"),
        expert=None if expert is None else _dag(expert, "expert"),
        threads=n_jobs,
        options={name: value for name, value in words.items() if name not in known},
        **{name: value for name, value in words.items() if name in known},
    )


def _rules(rules: Rules | None, words: dict[str, Any]) -> Rules:
    """Rules as they came, or made of their parts, which are taken out of the words."""
    parts = {
        name: words.pop(name, None) for name in ("required", "forbidden", "tiers", "max_parents")
    }
    given = {
        name: part
        for name, part in parts.items()
        if part is not None and not (isinstance(part, tuple) and not part)
    }
    if rules is not None and given:
        raise OptionError(
            f"Give rules=Rules(...), or {', '.join(f'{n}=' for n in given)}, not both."
        )
    return Rules(**given) if rules is None else rules


def _dag(given: Any, option: str) -> DAG:
    """A directed graph in any form that `dag` takes; a single word is none."""
    if isinstance(given, str) and plain(given):
        if option == "start":
            raise unknown("start", given, _STARTS)
        raise GraphError(
            f"{option}= must be a graph such as 'a -> b' or '[a][b|a]', got {given!r}."
        )
    return dag(given)


def _a_matrix(penalty: Any) -> bool:
    """Whether penalties come one for each pair of variables, as a matrix or as the file of one."""
    if isinstance(penalty, str):
        return Path(penalty).suffix.lower() in (".csv", ".tsv", ".txt")
    return isinstance(penalty, os.PathLike | Factors | list | tuple) or np.ndim(penalty) > 0


def _rule(penalty: float | str | None) -> str | None:
    """The rule by which the penalty is to be found; None where it is a number."""
    if not isinstance(penalty, str):
        return None
    if penalty in SCORES and penalty not in RULES:
        raise OptionError(
            f"penalty={penalty!r} is a score, not a rule for the penalty: write score={penalty!r}; the rules "
            f"are {', '.join(RULES)}."
        )
    if penalty not in RULES:
        raise unknown("rule for the penalty", penalty, RULES)
    return penalty


def _number(penalty: Any) -> float | None:
    """A penalty that was given; None for the model's own."""
    if penalty is None:
        return None
    if not is_number(penalty) or not 0 <= float(penalty) < np.inf:
        raise FitError(
            f"The penalty must be a non-negative number, or a rule such as 'cv', got {penalty!r}."
        )
    return float(penalty)


def network_of(
    learned: Learned,
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
        edge_seconds=edge_seconds,
        specification=problem.spec,
        data=source,
    )
