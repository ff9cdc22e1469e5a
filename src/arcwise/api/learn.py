"""The verbs: learn a network, fit a known graph, write one by hand, validate a choice of words."""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.api.network import Network
from arcwise.api.progress import Progress
from arcwise.api.recipe import Learned, Recipe, fit_network, prepared
from arcwise.api.tuning import tune
from arcwise.conditionals import FAMILIES, GaussianConditional
from arcwise.data import Moments, Table, Variable, read, table
from arcwise.data.prepare import folds as cut
from arcwise.errors import DataError, FitError, GraphError, close_to, unknown
from arcwise.evaluate import Validation, validate_folds
from arcwise.graphs import DAG, Rules, dag
from arcwise.networks import BayesNet
from arcwise.results import Step

__all__ = ["fit", "learn", "network", "settled", "validate"]

GRAPHS = ("directed",)


def settled(
    data: Any,
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    missing: Iterable[object] = (),
) -> Table | Moments:
    """Make a table of whatever holds one: a file's path, a frame, an array, a table, moments."""
    if isinstance(data, Moments):
        if kinds or weights is not None:
            raise DataError("Moments have neither kinds nor weights: give them to the table.")
        return data
    if isinstance(data, str | os.PathLike):
        return read(data, kinds=kinds, missing=missing, weights=weights)
    return table(data, kinds=kinds, missing=missing, weights=weights)


def learn(
    data: Any,
    *,
    graph: str = "directed",
    model: str = "auto",
    score: str | None = None,
    search: str = "auto",
    start: str | DAG = "empty",
    penalty: float | str = 0.0,
    rules: Rules | None = None,
    expert: DAG | None = None,
    expert_weight: float = 0.1,
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    missing: Iterable[object] = (),
    seed: int = 0,
    n_jobs: int = 1,
    time: float | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Network:
    """Learn a network from data: the graph, and a fitted local model at every node.

    Parameters
    ----------
    data : a table (`read`, `table`), moments, a file's path, a data frame, an array or a dict.
    graph : "directed".
    model : "gaussian", or "auto" by the kinds of columns.
    score : "bic" (default), "ebic" (default where columns are many for the rows), "aic", "bge",
        "loglik", "loo", "kfold", "heldout".
    search : "auto", "greedy", "tabu", "annealing", "ils", "ges", "exact".
    start : "empty", "complete" (in random order), "random", or a graph.
    penalty : nats per arc and row, taken off the score; "cv" tunes it by cross-validated likelihood
        (the score is then the likelihood unless one is given).
    rules : required and forbidden arcs, tiers, the largest number of parents.
    expert, expert_weight : a graph that arcs should not differ from, and the price of each difference
        in nats per row.
    kinds, weights, missing : as for `table`.
    seed : the same seed gives the same result.
    n_jobs : processes for work that can be shared out.
    time : seconds after which the best so far is returned.
    progress : show a progress line; by default where a person is looking.
    options : options of the search (tolerance, restarts, tabu_length, walk_length, rounds, steps, ...)
        and of the score (gamma, alpha_mu, alpha_w, folds, fraction).

    Returns
    -------
    Network.

    Raises
    ------
    DataError, GraphError, FitError, WordError : one sentence each: what was expected, what came.

    >>> import arcwise as aw
    >>> net = aw.learn(aw.shipped("boston").select(["RM", "LSTAT", "MEDV"]))
    >>> net.separated("RM", "LSTAT"), net.optimal
    (False, True)
    """
    if graph not in GRAPHS:
        raise unknown("kind of graph", graph, GRAPHS)
    source = settled(data, kinds, weights, missing)
    number = _penalty(penalty)
    word = "loglik" if number is None and score is None else score
    recipe = Recipe(
        model=model,
        score=word,
        search=search,
        start=start,
        penalty=number or 0.0,
        rules=rules or Rules(),
        expert=expert,
        expert_weight=expert_weight,
        seed=seed,
        options=options,
    )
    with Progress("learning", time, progress) as watch:
        tuning: tuple[Mapping[str, float], ...] = ()
        if number is None:
            chosen, tuning = tune(recipe, source, runner(n_jobs), watch)
            recipe = recipe.but(penalty=chosen)
        learned = recipe.run(source, watch)
    return _network(learned, source, recipe, watch.reason, tuning)


def _penalty(penalty: float | str) -> float | None:
    """A number, or None for cross-validation."""
    if isinstance(penalty, str):
        if penalty != "cv":
            raise unknown("rule for the penalty", penalty, ("cv",))
        return None
    if not 0 <= penalty < np.inf:
        raise FitError(f"The penalty must be a number from 0 on, or 'cv', but {penalty!r} came.")
    return float(penalty)


def _network(
    learned: Learned,
    source: Table | Moments,
    recipe: Recipe,
    reason: str,
    tuning: tuple[Mapping[str, float], ...],
) -> Network:
    words: dict[str, Any] = {**learned.words, "seed": recipe.seed}
    if recipe.penalty:
        words["penalty"] = recipe.penalty
    if recipe.options:
        words["options"] = {key: value for key, value in recipe.options.items()}
    return Network(
        learned.net,
        score=learned.result.score,
        trace=learned.result.trace,
        stopped=reason or learned.result.stopped,
        optimal=learned.result.optimal,
        words=words,
        notes=learned.notes,
        order=source.order,
        rows=learned.score.rows,
        fingerprint=fingerprint(source),
        measure=learned.score,
        limits=learned.limits,
        tuning=tuning,
    )


def fingerprint(source: Table | Moments) -> str:
    """A short name of the data: the same for the same columns and numbers, in any order."""
    digest = hashlib.sha256()
    for variable in source.variables:
        digest.update(repr((variable.name, variable.levels)).encode())
    arrays = (
        (source.mean, source.scatter)
        if isinstance(source, Moments)
        else (*source.columns, *(() if source.weights is None else (source.weights,)))
    )
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def fit(
    graph: DAG | str,
    data: Any,
    *,
    model: str | Mapping[str, str] = "auto",
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    missing: Iterable[object] = (),
) -> Network:
    """Fit the local models of a graph that is known.

    Parameters
    ----------
    graph : a DAG over (some of) the data's columns, or a formula or model string for one.
    data : as for `learn`.
    model : one word for all, or a word for each variable.
    kinds, weights, missing : as for `table`.

    Returns
    -------
    Network : its score is the BIC of the graph.

    >>> import arcwise as aw
    >>> net = aw.fit("[RM][MEDV|RM]", aw.shipped("boston"))
    >>> net["MEDV"].coefficients.round(3).tolist()
    [9.102]
    """
    known = dag(graph) if isinstance(graph, str) else graph
    source = settled(data, kinds, weights, missing)
    lacking = sorted(set(known.nodes) - set(source.names))
    if lacking:
        raise GraphError(
            f"The graph has a variable {lacking[0]!r} that the data lack. "
            f"{close_to(lacking[0], source.names)}"
        )
    chosen = source.select([name for name in source.order if name in set(known.nodes)])
    words = _models(model, chosen.names)
    common = next(iter(set(words)))  # until families can be mixed, one word prepares the data
    _, ready, notes = prepared(chosen, common)
    fits = {word: FAMILIES[_settle(word)].bind(ready) for word in set(words)}
    full = known.over(ready.names)
    net = fit_network(full, fits, words, ready)
    settled_words = tuple(_settle(word) for word in words)
    net = BayesNet(net.variables, net.graph, net.conditionals, settled_words)
    measure, value = _bic(fits, words, full)
    return Network(
        net,
        score=value,
        words={"model": ", ".join(sorted(set(settled_words))), "score": "bic"},
        notes=notes,
        order=chosen.order,
        rows=ready.total,
        fingerprint=fingerprint(chosen),
        measure=measure,
    )


def _settle(word: str) -> str:
    return "gaussian" if word == "auto" else word


def _models(model: str | Mapping[str, str], names: tuple[str, ...]) -> tuple[str, ...]:
    """The model's word for each variable."""
    if isinstance(model, str):
        found = dict.fromkeys(names, model)
    else:
        for name in model:
            if name not in names:
                raise DataError(f"There is no variable {name!r}. {close_to(name, names)}")
        found = {name: model.get(name, "auto") for name in names}
    for word in found.values():
        if word != "auto" and word not in FAMILIES:
            raise unknown("model", word, FAMILIES)
    return tuple(found[name] for name in names)


def _bic(fits: Mapping[str, Any], words: tuple[str, ...], graph: DAG) -> tuple[Any, float | None]:
    from arcwise.scores import bic, total

    if len(set(words)) > 1:
        return None, None
    score = bic(fits[words[0]])
    return score, total(score, graph)


def network(graph: DAG | str, numbers: Mapping[str, Mapping[str, Any]]) -> Network:
    """Make a Gaussian network by hand: structure and numbers given.

    Parameters
    ----------
    graph : a DAG, or a formula or model string for one.
    numbers : for each variable a mapping with "sd" or "variance", "intercept" (0 by default) and
        "coefficients": a mapping from each parent to its number.

    Returns
    -------
    Network.

    >>> import arcwise as aw
    >>> rain = {"rain": {"sd": 1.0}, "wet": {"coefficients": {"rain": 2.0}, "sd": 0.5}}
    >>> net = aw.network("[rain][wet|rain]", rain)
    >>> round(net.query("rain", given={"wet": 2.0}).mean, 3)
    0.941
    """
    known = dag(graph) if isinstance(graph, str) else graph
    known = known.over(sorted(known.nodes))
    missing = sorted(set(known.nodes) ^ set(numbers))
    if missing:
        raise FitError(f"Graph and numbers need the same variables; {missing[0]!r} is in one only.")
    models = tuple(_by_hand(name, known.parents_of(name), numbers[name]) for name in known.nodes)
    variables = tuple(Variable(name) for name in known.nodes)
    net = BayesNet(variables, known, models, ("gaussian",) * len(models))
    return Network(net, words={"model": "gaussian"}, order=tuple(numbers))


def _by_hand(
    name: str, parents: tuple[str, ...], given: Mapping[str, Any]
) -> GaussianConditional:
    words = ("intercept", "coefficients", "sd", "variance")
    for word in given:
        if word not in words:
            raise unknown(f"number of variable {name!r} called", word, words)
    slopes: Mapping[str, float] = given.get("coefficients", {})
    if set(slopes) != set(parents):
        raise FitError(
            f"Variable {name!r} has the parents {', '.join(parents) or 'none'}, but coefficients for "
            f"{', '.join(slopes) or 'none'} came."
        )
    if ("sd" in given) == ("variance" in given):
        raise FitError(f"Variable {name!r} needs one of 'sd' and 'variance'.")
    variance = float(given["variance"]) if "variance" in given else float(given["sd"]) ** 2
    weights = np.array([float(slopes[parent]) for parent in parents])
    size = len(parents) + 1
    intercept = float(given.get("intercept", 0.0))
    return GaussianConditional(
        intercept, weights, variance, np.zeros((size, size)), 0.0, passed=(False,) * len(parents)
    )


def validate(
    data: Any,
    *,
    folds: int = 10,
    seed: int = 0,
    n_jobs: int = 1,
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    missing: Iterable[object] = (),
    progress: bool | None = None,
    **words: Any,
) -> Validation:
    """Cross-validate a choice of words: held-out likelihood and prediction errors.

    Parameters
    ----------
    data : as for `learn`, but rows are needed.
    folds : number of parts; each is left out once.
    seed, n_jobs, kinds, weights, missing, progress : as for `learn`.
    words : everything else that `learn` takes: model, score, search, penalty, rules, ...

    Returns
    -------
    Validation : prints as a table.
    """
    source = settled(data, kinds, weights, missing)
    if isinstance(source, Moments):
        raise FitError("Cross-validation needs the rows of a table, but moments were given.")
    if "graph" in words and words["graph"] not in GRAPHS:
        raise unknown("kind of graph", words["graph"], GRAPHS)
    ready = source.continuous().complete()
    parts = cut(ready.rows, folds, np.random.default_rng(seed))
    learner = _Learner({**words, "seed": seed})
    with Progress("validating", None, progress) as watch:
        return validate_folds(ready, parts, learner, runner(n_jobs, watch))


@dataclass(frozen=True)
class _Learner:
    """`learn` with its words: an object that can be sent to other processes."""

    words: Mapping[str, Any]

    def __call__(self, training: Table) -> BayesNet:
        return learn(training, progress=False, **self.words).net


Runner = Callable[[Callable[[int], Any], int], Sequence[Any]]


def runner(n_jobs: int, watch: Callable[[Step], bool] | None = None) -> Runner:
    """How to do `count` independent pieces of work: here, or shared out to processes."""

    def run(work: Callable[[int], Any], count: int) -> list[Any]:
        if n_jobs == 1:
            return list(_one_by_one(work, count, watch))
        from joblib import Parallel, delayed

        return list(Parallel(n_jobs=n_jobs)(delayed(work)(i) for i in range(count)))

    return run


def _one_by_one(
    work: Callable[[int], Any], count: int, watch: Callable[[Step], bool] | None
) -> Iterable[Any]:
    for number in range(count):
        yield work(number)
        if watch is not None and watch(Step(number + 1, f"part {number + 1} of {count}", -1, -1, 0.0, 0, 0.0)):
            raise KeyboardInterrupt
