"""Judging models by rows that were left out, the inputs of one variable, and two networks by each other."""

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from arcwise import evaluate
from arcwise.api.choices import specification
from arcwise.api.net import Network
from arcwise.api.options import Model, Prior, ScoreOption, Search
from arcwise.api.progress import Progress
from arcwise.api.search_options import Auto
from arcwise.api.unknown_parameters import with_advice
from arcwise.data import Source, Table, any_table, conform, statistics_of
from arcwise.data import folds as cut
from arcwise.data.folds import Folds, given_folds
from arcwise.errors import DataError, FitError, GraphError, OptionError, close_to, unknown
from arcwise.evaluate import Difference, Divergence, Validation, validate_folds
from arcwise.evaluate.validate import PruningPath, prune_inputs
from arcwise.graphs import DAG, Rules, UGraph, graph_of
from arcwise.graphs.parser import plain
from arcwise.learners import GraphFitter, Learner, Problem, graphs, prepared_cases
from arcwise.learners.parallel import one_thread, runner, watch_inside
from arcwise.networks import Net, whole
from arcwise.notes import Fix, StopReason
from arcwise.results import SearchEnd
from arcwise.values import clear_calls, is_integer


@with_advice
def validate(
    data: Any,
    *,
    folds: Any = 10,
    graph: Any = "directed",
    target: str | None = None,
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    search: str | Search = "auto",
    penalty: Any = None,
    rules: Rules | Mapping[str, Any] | None = None,
    prior: Prior | None = None,
    missing: str = "auto",
    seed: int = 0,
    n_jobs: int = 1,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> Validation:
    """Cross-validate a choice of options: held-out likelihood and prediction errors.

    Parameters
    ----------
    data : as for `learn`, but rows are needed.
    folds : the folds of the rows, each held out once.

        * A number of folds.
        * The name of a column of labels, which is not learned from, or a label for each row.
        * A list of arrays of row numbers, or of pairs of them (rows to train on, rows to hold out).
        * A splitter of scikit-learn.
    graph : "directed" or "undirected"; or a graph in any form that `fit` takes, whose parameters alone are
        fitted again.
    target : the only variable to predict, from all others; the measure is then the log probability (density)
        of its values given the others.
    model, score, search, penalty, rules, prior, missing, seed, n_jobs, progress : as for `learn`.
    time_limit : the number of seconds for all folds together; a longer run is an error.

    Returns
    -------
    Validation : prints as a table.

    Examples
    --------
    >>> import arcwise as aw
    >>> homes = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    >>> checked = aw.validate(homes, folds=5, model="gaussian")
    >>> checked.rows, checked.edges
    (506, (3, 3, 3, 3, 3))
    """
    fixed = (
        None
        if isinstance(graph, str) and graph in graphs()
        else _graph_learner(graph, search, penalty)
    )
    kind = graph if fixed is None else "directed" if fixed.directed else "undirected"
    spec = specification(
        graph=kind, model=model, score=score, search=search, penalty=penalty, rules=rules, prior=prior,
        missing=missing, seed=seed,
    )  # fmt: skip
    source = any_table(data)
    if isinstance(folds, str):
        labels, source = _labels(source, folds)
    source = source if fixed is None else _columns(source, fixed)
    open_choice = spec.model == "auto"
    spec, rows = prepared_cases(spec, statistics_of(source), "Cross-validation needs")
    if target is not None and target not in rows.names:
        raise DataError(f"There is no variable {target!r}. {close_to(target, rows.names)}")
    if target is not None:
        rows = rows.take(~rows.missing()[:, rows.index(target)])
    dealt = _dealt(source, rows, labels if isinstance(folds, str) else folds, seed, target)
    with one_thread(source), Progress("validating", time_limit, progress) as watch:
        away, result = watch_inside(n_jobs, watch), None
        with contextlib.suppress(SearchEnd):
            learning = (
                spec.but(model="auto") if open_choice else spec
            )  # each fold chooses for itself
            learner = Learner(learning, watch=away, tuning_watch=away)
            fitter = learner if fixed is None else GraphFitter(spec, fixed.over(rows.names))
            result = validate_folds(dealt, fitter, runner(n_jobs, watch), target)
    return _complete(result, watch)


def _complete(result: Validation | None, watch: Progress) -> Validation:
    """A validation of every fold; half a cross-validation has no meaning."""
    if result is not None and not watch.stopped:
        return result
    if watch.stopped.reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    raise FitError(
        f"Not every fold was finished in {watch.limit:g} s: allow more time, or use fewer folds."
    )


def _graph_learner(graph: Any, search: str | Search, penalty: Any) -> DAG | UGraph:
    """A graph whose parameters alone are learned; a single word is none."""
    if isinstance(graph, str) and plain(graph):
        raise unknown("kind of graph", graph, graphs())
    if search not in ("auto", Auto()):
        raise OptionError(
            "With {graph=} there is no search: leave out search.", fixes=[Fix("graph")]
        )
    if penalty is not None:
        raise OptionError(
            "With {graph=} there is no search: leave out penalty.", fixes=[Fix("graph")]
        )
    return graph_of(graph)


def _columns(source: Source, graph: DAG | UGraph) -> Source:
    """The columns that a graph names."""
    for name in graph.nodes:
        if name not in source.names:
            raise GraphError(
                f"The graph has a variable {name!r} that is not in the data. {close_to(name, source.names)}"
            )
    nodes = set(graph.nodes)
    return source.select([name for name in source.order if name in nodes])


def _labels(source: Source, name: str) -> tuple[list[Any], Source]:
    """The labels in a column, and the data without it."""
    if name not in source.names:
        raise DataError(f"There is no column {name!r} of folds. {close_to(name, source.names)}")
    if not isinstance(source, Table):
        raise DataError("A column of folds needs a table of rows.")
    others = source.select([each for each in source.order if each != name])
    return source.values(name).tolist(), others


def _dealt(source: Source, rows: Table, folds: Any, seed: int, target: str | None) -> Folds:
    """The folds: dealt at random, or as given, with the numbers of the rows that were not dropped."""
    if is_integer(folds):
        return Folds(*cut(rows, int(folds), np.random.default_rng(seed)))
    if not isinstance(source, Table):
        raise DataError("Folds given by rows need a table of rows.")
    if source.rows == rows.rows:
        return given_folds(rows, folds, None)
    holes = source.select(rows.names).missing()
    dropped = holes.all(axis=1) if rows.missing().any() else holes.any(axis=1)
    if target is not None:
        dropped = dropped | holes[:, rows.index(target)]
    return given_folds(rows, folds, np.asarray(~dropped))


@with_advice
def prune(
    data: Any,
    target: str,
    *,
    test: Any = None,
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    missing: str = "auto",
    seed: int = 0,
    n_jobs: int = 1,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> PruningPath:
    """Remove the inputs of one variable one by one, the least important first (Hofmann and Tresp 1995).

    Parameters
    ----------
    data : as for `learn`.
    target : the variable to predict from all others.
    test : further rows that every model scores; rows with missing values are dropped.
    model, score, missing, seed, n_jobs, time_limit, progress : as for `learn`.

    Returns
    -------
    Pruning : the scores of data and test rows against the number of inputs left; prints as a table.

    >>> import arcwise as aw
    >>> homes = aw.example("boston").select(["RM", "DIS", "LSTAT", "MEDV"])
    >>> aw.prune(homes, "MEDV", model="gaussian").best.inputs
    ('DIS', 'LSTAT', 'RM')
    """
    spec = specification(
        model=model, score=score, penalty=0.0, missing=missing, seed=seed, n_jobs=n_jobs
    )
    source, watching = any_table(data), Progress("pruning", time_limit, progress)
    if target not in source.names:
        raise DataError(f"There is no variable {target!r}. {close_to(target, source.names)}")
    problem = Problem.bind(spec, statistics_of(source))
    unseen = None if test is None else conform(test, problem.data.variables).complete()
    with watching as watch:
        found = prune_inputs(
            problem.fits, problem.score, problem.data.names.index(target), unseen, watch
        )
    return replace(found, stopped=watch.stopped) if found.stopped else found


@clear_calls
def divergence(
    p: Network | Net, q: Network | Net, *, draws: int = 10_000, seed: int = 0
) -> Divergence:
    """Compute the Kullback-Leibler divergence D(p || q) of two networks.

    It is the mean loss of log-likelihood per row if q is used in place of p.

    Parameters
    ----------
    p, q : networks with the same variables, on any graphs.
    draws, seed : the number and the seed of simulated rows, if there is no closed form.

    Returns
    -------
    Divergence : in nats, with the contribution of each variable. It is exact for Gaussian networks, and for
    discrete ones whose tables fit into memory. It is infinite if q gives probability zero to a possible row.

    Raises
    ------
    DataError : the variables or levels differ.
    GraphError : an undirected network has no joint distribution.

    >>> import arcwise as aw
    >>> fair = aw.network("[coin]", {"coin": {"head": 0.5, "tail": 0.5}})
    >>> bent = aw.network("[coin]", {"coin": {"head": 0.9, "tail": 0.1}})
    >>> print(aw.divergence(fair, bent))
    0.510826 nats per row
    """
    rng = np.random.default_rng(whole("seed", seed))
    return evaluate.divergence(_plain(p), _plain(q), rng, max(whole("number of draws", draws), 2))


@clear_calls
def parameter_differences(
    p: Network | Net, q: Network | Net, most: int | None = 20
) -> tuple[Difference, ...]:
    """List the parameters that differ most between two networks on the same graph, largest difference first.

    Parameters
    ----------
    p, q : networks of probability tables or of linear regressions.
    most : the largest number of parameters to return; None for all that differ.

    >>> import arcwise as aw
    >>> one = aw.network("[x]", {"x": {"sd": 1.0}})
    >>> two = aw.network("[x]", {"x": {"sd": 3.0, "intercept": 0.5}})
    >>> [(each.number, each.difference) for each in aw.parameter_differences(one, two)]
    [('sd', 2.0), ('intercept', 0.5)]
    """
    return evaluate.parameter_differences(_plain(p), _plain(q), most)


def _plain(net: Network | Net) -> Net:
    return net.net if isinstance(net, Network) else net
