"""The first verb: learn a network from data."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.api.curved import curve_notes
from arcwise.api.factors import Factors, factors_of
from arcwise.api.kinds import kind_for, kind_of, run
from arcwise.api.lasso import as_judged
from arcwise.api.net import Network
from arcwise.api.parallel import cores, one_thread
from arcwise.api.progress import Progress
from arcwise.api.recipe import Learned, Recipe
from arcwise.api.tuning import RULES, Tuned, tune
from arcwise.data import Moments, Table, read, table
from arcwise.errors import DataError, FitError, WordError, unknown
from arcwise.graphs import DAG, Rules
from arcwise.results import Watch
from arcwise.scores import SCORES

__all__ = ["Plan", "fingerprint", "learn", "network_of", "plan", "settled"]

_TUNING = 0.8  # share of a time budget that tuning the penalty may use


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
    penalty: Any = None,
    rules: Rules | None = None,
    expert: DAG | None = None,
    expert_weight: float | Mapping[tuple[str, str], float] = 0.1,
    prior_rows: Any = None,
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
    graph : "directed", or "undirected": each variable joined to those that it depends on directly.
    model : "gaussian" (linear), "parzen" (any shape), or "auto" by the kinds of columns: linear for
        numbers, with a note where relations are curved and what "parzen" would gain.
    score : "bic" (default of linear models), "ebic" (default where columns are many for the rows),
        "aic", "bge", "loglik", "loo" (leave-one-out, default of Parzen models), "kfold", "heldout".
    search : "auto", "greedy", "tabu", "annealing", "ils", "ges", "exact"; for undirected graphs
        "auto", "boundary", "deletion", and for Gaussian ones "stepwise" (edges added and taken out one by
        one; it is what "auto" means there unless a score or a penalty is given), "glasso" (the graphical
        lasso; "auto" where a penalty is given) and "neighbourhood".
    start : "empty", "complete" (in random order), "random", or a graph; directed only.
    penalty : price of an edge, in nats per row, taken off the score; None is the model's own (0 for
        Gaussian models by a score; log(n (10 + pairs) / 100) / n for Parzen ones of n rows). "cv" tunes it by
        cross-validated likelihood, "cv-1se" takes the largest one within a standard error of the
        best: a sparser graph that predicts as well. (A linear model's score is then the likelihood
        unless one is given.) For the lasso it is rho, on the scale of correlations: a number, or a rule:
        "ebic" (default of "glasso"), "stars", "cv", "ric". The reason is told in the notes, the curve is
        `tuning`. A matrix (data frame, array, or the path of a CSV file with names) has one for each pair of
        variables.
    rules : required and forbidden arcs, tiers, the largest number of parents. Undirected learning
        ignores directions and refuses tiers.
    expert, expert_weight : a graph that arcs should not differ from, and the price of each difference
        in nats per row: one for all arcs, or a mapping of arcs (parent, child) to their prices, 0.1
        for those it does not name.
    prior_rows : artificial rows that say what an expert would expect to see, as a table or a file's
        path; they count like real ones.
    kinds, weights, missing : as for `table`.
    seed : the same seed gives the same result.
    n_jobs : processes or threads for work that can be shared out; -1 for all cores.
    time : seconds after which the best so far is returned.
    progress : show a progress line; by default where a person is looking.
    options : options of the search (tolerance, restarts, tabu_length, walk_length, rounds, steps, ...),
        of the score (gamma, alpha_mu, alpha_w, folds, fraction) and of the model (Parzen: widths, floor,
        tail, ...); of the lasso: scale ("correlation" or "covariance"), diagonal, refit, nonparanormal,
        gaps, gamma, ... (see docs/undirected.md).

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
    >>> field = aw.learn(aw.shipped("boston").select(["RM", "LSTAT", "MEDV"]), graph="undirected")
    >>> field.neighbours("MEDV")
    ('LSTAT', 'RM')
    """
    source = settled(data, kinds, weights, missing)
    chosen = plan(
        graph=graph,
        model=model,
        score=score,
        search=search,
        start=start,
        penalty=penalty,
        rules=rules,
        expert=expert,
        expert_weight=expert_weight,
        prior_rows=prior_rows,
        seed=seed,
        **options,
    )
    with one_thread(source):
        with Progress("learning", time, progress) as watch:
            learned, recipe, tuned = chosen.run(source, watch, watch.share(_TUNING), n_jobs)
            found = (learned.net.graph, learned.limits)
            curves = () if watch.reason else curve_notes(chosen.recipe, source, *found)
        learned = replace(learned, notes=(*learned.notes, *curves))
        return network_of(learned, source, recipe, watch.reason, tuned, watch.left)


@dataclass(frozen=True)
class Plan:
    """A recipe, and the rule by which its penalty is to be found (None: it is a number)."""

    recipe: Recipe
    rule: str | None = None

    def run(
        self,
        source: Table | Moments,
        watch: Watch | None = None,
        tuning_watch: Watch | None = None,
        n_jobs: int = 1,
    ) -> tuple[Learned, Recipe, Tuned | None]:
        """Find the penalty where a rule asks for it, then learn."""
        threads, tuned = cores(n_jobs), None
        recipe, rule = self.recipe.but(threads=threads), self.rule
        own = kind_for(recipe, source).rule
        if rule is None and recipe.penalty is None:
            rule = own
        if own is not None:
            recipe = as_judged(recipe, rule)
        elif recipe.options.get("factors") is not None:
            raise WordError(
                "Penalties for single pairs of variables are for the lasso: graph='undirected', "
                "model='gaussian', search='glasso' or 'neighbourhood'; here take one number."
            )
        if rule is not None:
            tuned = tune(recipe, source, rule, n_jobs, tuning_watch)
            tuned = tuned._replace(reason=f"{tuned.reason}{_why_the_lasso(self, own)}")
            recipe = recipe.but(penalty=tuned.penalty)
        return run(recipe, source, watch), recipe, tuned


def _why_the_lasso(plan: Plan, rule: str | None) -> str:
    """A sentence where options alone made the lasso of `auto`."""
    if rule is None or plan.rule is not None or plan.recipe.search != "auto":
        return ""
    names = " and ".join(f"{name}=" for name in plan.recipe.options)
    return (
        f" The graphical lasso was taken because of {names}; by default edges are found stepwise."
    )


def plan(
    *,
    graph: str = "directed",
    penalty: Any = None,
    rules: Rules | None = None,
    **words: Any,
) -> Plan:
    """Turn the words of `learn` into a plan; words that a recipe does not know are options."""
    kind_of(graph)
    if isinstance(words.get("prior_rows"), str | os.PathLike):
        words["prior_rows"] = read(words["prior_rows"])
    if words.get("factors", ...) is None:  # none are none, whatever is learned
        del words["factors"]
    if _a_matrix(penalty):
        if words.get("factors") is not None:
            raise WordError("Give a matrix of penalties, or a penalty and its factors, not both.")
        penalty, words["factors"] = 1.0, replace(factors_of(penalty), alone=True)
    rule = _rule(penalty)
    known = {field.name for field in fields(Recipe)} - {"tuned", "threads", "options"}
    recipe = Recipe(
        graph=graph,
        penalty=None if rule else _number(penalty),
        tuned=rule is not None,
        rules=Rules() if rules is None else rules,
        options={name: value for name, value in words.items() if name not in known},
        **{name: value for name, value in words.items() if name in known},
    )
    return Plan(recipe, rule)


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
        raise WordError(
            f"penalty={penalty!r} is a score, no rule for the penalty: write score={penalty!r}; the rules "
            f"are {', '.join(RULES)}."
        )
    if penalty not in RULES:
        raise unknown("rule for the penalty", penalty, RULES)
    return penalty


def _number(penalty: object) -> float | None:
    """A penalty that was given; None for the model's own."""
    if penalty is None:
        return None
    truth = isinstance(penalty, bool)
    if truth or not isinstance(penalty, Real) or not 0 <= float(penalty) < np.inf:
        raise FitError(
            f"The penalty must be a number from 0 on, or a rule such as 'cv', but {penalty!r} came."
        )
    return float(penalty)


def network_of(
    learned: Learned,
    source: Table | Moments,
    recipe: Recipe,
    reason: str = "",
    tuned: Tuned | None = None,
    edge_seconds: float | None = None,
) -> Network:
    """What users hold, from what was learned.

    `reason` is why a watcher ended it, where one did; `edge_seconds` bounds the time for strengths of edges.
    """
    words: dict[str, Any] = {**learned.words, "seed": recipe.seed}
    if learned.penalty or tuned or "penalty_unit" in words:
        words["penalty"] = learned.penalty
    if tuned:
        words["penalty_rule"] = tuned.rule
    if recipe.options:
        words["options"] = {
            name: str(value) if name == "factors" else value
            for name, value in recipe.options.items()
        }
    return Network(
        learned.net,
        score=learned.total,
        trace=learned.trace,
        stopped=learned.stopped if learned.settled else reason or learned.stopped,
        optimal=learned.optimal,
        words=words,
        notes=tuple(filter(None, (*learned.notes, tuned.reason if tuned else ""))),
        order=source.order,
        rows=learned.score.rows,
        fingerprint=fingerprint(source),
        measure=learned.score if learned.scored else None,
        limits=learned.limits,
        rules=recipe.rules,
        fits=learned.fits,
        tuning=tuned.curve if tuned else (),
        edge_seconds=edge_seconds,
    )


def fingerprint(source: Table | Moments) -> str:
    """A short name of the data: the same for the same columns and numbers, in any order."""
    digest = hashlib.sha256()
    for variable in source.variables:
        digest.update(repr((variable.name, variable.levels)).encode())
    arrays = (
        (np.array([source.n]), source.mean, source.scatter)
        if isinstance(source, Moments)
        else (*source.columns, *(() if source.weights is None else (source.weights,)))
    )
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]
