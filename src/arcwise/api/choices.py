"""The choices of a run: the parameters that `learn`, `path`, `validate` and `posterior` share, as one value.

Names and option objects become a `Specification` here, a seed its random generator, and knowledge of users
rules and priors.
"""

import os
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arcwise.api.option_object import kinds_of
from arcwise.api.options import Model, Option, Prior, ScoreOption, Search, StartedSearch
from arcwise.conditionals import FAMILIES, Choice
from arcwise.data import read
from arcwise.errors import FitError, OptionError, unknown
from arcwise.graphs import Rules
from arcwise.learners import RULES, Specification, searches
from arcwise.notes import Fix, mention
from arcwise.scores import SCORES
from arcwise.undirected.given_matrices import Factors, factors_of
from arcwise.values import is_count, is_number

__all__ = ["Models", "ScoreChoice", "models_of", "score_of", "specification"]


def specification(
    *,
    graph: str = "directed",
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    search: str | Search = "auto",
    penalty: Any = None,
    rules: Rules | Mapping[str, Any] | None = None,
    prior: Prior | None = None,
    missing: str = "auto",
    seed: int | None = 0,
    n_jobs: int = 1,
) -> Specification:
    """The specification of a run; the parameters are those of `learn`."""
    if seed is not None and not is_count(seed):
        raise OptionError(f"The seed must be a non-negative integer, got {seed!r}.")
    models, scored, searched = models_of(model), score_of(score), _search_of(search)
    prices = _penalty_of(penalty, searched.options)
    known = _knowledge_of(prior)
    return Specification(
        np.random.default_rng(seed),
        graph=graph,
        model=models.choice,
        score=scored.name,
        search=searched.name,
        start=searched.start,
        penalty=prices.number,
        rule=prices.rule,
        rules=_rules_of(rules),
        expert=known.graph,
        expert_weight=known.weight,
        pseudo_rows=read(known.rows) if isinstance(known.rows, str | os.PathLike) else known.rows,
        missing=missing,
        threads=n_jobs,
        search_options=prices.search_options,
        score_options=scored.options,
        model_options=models.options,
    )


# -- names and objects ---------------------------------------------------------------------------


class Models(NamedTuple):
    """The choice of local models by name, and the settings of each kind of model."""

    choice: Choice
    options: dict[str, dict[str, Any]]


def models_of(model: Any) -> Models:
    """The names of local models apart from their settings; variables of one kind share them.

    >>> from arcwise.api.options import Parzen
    >>> models_of({"x": Parzen(bandwidths="one"), "*": "auto"})
    Models(choice={'x': 'parzen', '*': 'auto'}, options={'parzen': {'bandwidths': 'one'}})
    """
    if isinstance(model, Mapping):
        each = {name: _check(value, "model") for name, value in model.items()}
        names = {
            name: value.word if isinstance(value, Option) else value for name, value in each.items()
        }
        return Models(
            names, _shared_settings([value for value in each.values() if isinstance(value, Model)])
        )
    only = _check(model, "model")
    return (
        Models(only.word, _shared_settings([only])) if isinstance(only, Model) else Models(only, {})
    )


def _shared_settings(models: Sequence[Model]) -> dict[str, dict[str, Any]]:
    settings: dict[str, dict[str, Any]] = {}
    for model in models:
        if settings.setdefault(model.word, model.settings) != model.settings:
            raise OptionError(
                f"All {model.word} models share their settings: give one {type(model).__name__}(...) only."
            )
    return {name: values for name, values in settings.items() if values}


class ScoreChoice(NamedTuple):
    """The name of a score, None for the default, and its settings."""

    name: str | None
    options: dict[str, Any]


def score_of(score: Any) -> ScoreChoice:
    """The name of a score apart from its settings."""
    given = _check(score, "score")
    return (
        ScoreChoice(given.word, given.settings)
        if isinstance(given, Option)
        else ScoreChoice(given, {})
    )


class _SearchChoice(NamedTuple):
    name: str
    start: Any
    options: dict[str, Any]


def _search_of(search: Any) -> _SearchChoice:
    """The name of a search apart from its start and its settings."""
    given = _check(search, "search")
    if not isinstance(given, Option):
        return _SearchChoice(given, "empty", {})
    start = given.start if isinstance(given, StartedSearch) else "empty"
    return _SearchChoice(given.word, start, given.settings)


def _check(value: Any, what: str) -> Any:
    """A value, by our name if it is one of another package, unless another parameter takes such an object."""
    if isinstance(value, str):
        return _our_name(value, what)
    if isinstance(value, type) and issubclass(value, Option):
        raise OptionError(f"{what}={value.__name__} is a class: write {what}={value.__name__}().")
    if isinstance(value, Option) and value.what != what:
        raise OptionError(
            f"{value!r} is a {value.what}, not a {what}: give {value.what}={value!r}."
        )
    return value


_OTHER_NAMES = {
    "search": {
        "hc": "greedy", "hill-climb": "greedy", "hill-climbing": "greedy", "fges": "ges", "dp": "exact",
        "chowliu": "chow-liu", "simulated-annealing": "annealing", "graphical-lasso": "glasso",
    },
    "score": {
        "bde": "bdeu", "bic-g": "bic", "bic-d": "bic", "bic-cg": "bic", "aic-g": "aic", "aic-cg": "aic",
        "loglik-g": "loglik", "loglik-cg": "loglik", "cv": "kfold", "holdout": "heldout",
    },
    "model": {
        "kde": "parzen", "linear": "gaussian", "lingauss": "gaussian", "multinomial": "discrete",
        "categorical": "discrete", "numeric": "gaussian",
    },
}  # fmt: skip
"""Names in other packages, in lower case and with dashes."""

_TESTS = (
    "pc",
    "pc-stable",
    "gs",
    "iamb",
    "fast-iamb",
    "inter-iamb",
    "fci",
    "mmhc",
    "mmpc",
    "rsmax2",
    "h2pc",
)
"""Searches of other packages that test independences."""

_BASES: dict[str, type[Option]] = {"search": Search, "score": ScoreOption, "model": Model}


_REGISTRIES: dict[str, Callable[[], Container[str]]] = {
    "search": lambda: {**searches("directed"), **searches("undirected")},
    "score": lambda: SCORES,
    "model": lambda: FAMILIES,
}


def _our_name(name: str, what: str) -> str:
    """The name of a search, a score or a model, whatever its case, or as another package has it."""
    folded = name.casefold().replace("_", "-")
    if what == "search" and folded in _TESTS:
        raise OptionError(
            f"There is no search {name!r}: it tests independences, and searches here maximise a score. "
            "{search=} takes the best one for the size of the table.",
            fixes=[Fix("search", "auto")],
        )
    if name in _REGISTRIES[what]():
        return name
    words: dict[str, str] = {kind.word.casefold(): kind.word for kind in kinds_of(_BASES[what])}
    return {**words, **_OTHER_NAMES[what]}.get(folded, name)


# -- the penalty ---------------------------------------------------------------------------------


class _Penalty(NamedTuple):
    number: float | None
    rule: str | None
    search_options: dict[str, Any]


def _penalty_of(penalty: Any, search_options: dict[str, Any]) -> _Penalty:
    """A penalty as a number, or the rule that chooses it; a matrix is a penalty of 1 with factors."""
    if _is_matrix(penalty):
        if search_options.get("factors") is not None:
            raise OptionError("Give a matrix of penalties, or a penalty and its factors, not both.")
        factors = replace(factors_of(penalty), alone=True)
        return _Penalty(1.0, None, {**search_options, "factors": factors})
    if isinstance(penalty, str):
        return _Penalty(None, _rule(penalty), search_options)
    return _Penalty(_number(penalty), None, search_options)


def _is_matrix(penalty: Any) -> bool:
    """Whether penalties come one for each pair of variables, as a matrix or as the file of one."""
    if isinstance(penalty, str):
        return Path(penalty).suffix.lower() in (".csv", ".tsv", ".txt")
    return isinstance(penalty, os.PathLike | Factors | list | tuple) or np.ndim(penalty) > 0


def _rule(penalty: str) -> str:
    """The name of a rule that chooses the penalty."""
    if penalty in SCORES and penalty not in RULES:
        raise OptionError(
            f"{{penalty=}} is a score, not a rule for the penalty: write {{score=}}; the rules "
            f"are {', '.join(RULES)}.",
            fixes=[mention("penalty", penalty), Fix("score", penalty)],
        )
    if penalty not in RULES:
        raise unknown("rule for the penalty", penalty, RULES)
    return penalty


def _number(penalty: Any) -> float | None:
    """A penalty as a number; None for the model's default."""
    if penalty is None:
        return None
    if not is_number(penalty) or not 0 <= float(penalty) < np.inf:
        raise FitError(
            f"The penalty must be a non-negative number, or a rule such as 'cv', got {penalty!r}."
        )
    return float(penalty)


# -- knowledge of users --------------------------------------------------------------------------

_RULES = ("required", "forbidden", "tiers", "max_parents", "target")


def _rules_of(rules: Any) -> Rules:
    """Rules as they are, or made of a mapping of their parts."""
    if rules is None:
        return Rules()
    if not isinstance(rules, Mapping):
        if isinstance(rules, Rules):
            return rules
        raise OptionError(
            "rules= must be Rules or a mapping such as {'required': ['a -> b'], 'max_parents': 3}, "
            f"got {rules!r}."
        )
    for name in rules:
        if name not in _RULES:
            raise unknown("part of rules", name, _RULES)
    return Rules(**rules)


def _knowledge_of(prior: Prior | None) -> Prior:
    """The prior, whose distribution over graphs is for posteriors."""
    known = Prior() if prior is None else prior
    if not isinstance(known, Prior):
        raise OptionError(
            "prior= must be a Prior, such as aw.Prior(graph='a -> b') or aw.Prior(rows=table), "
            f"got {prior!r}."
        )
    if known.arcs is not None:
        raise OptionError(
            "Prior(arcs=...) is a distribution over graphs, for posterior(data, prior=...); a single graph "
            "is learned with Prior(graph=...), Prior(rows=...) or rules."
        )
    return known
