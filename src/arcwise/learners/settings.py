"""The settings of a run: every choice that shapes its result, given or by default, as plain values."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from arcwise.graphs import DAG, Rules
from arcwise.learners.problem import Problem
from arcwise.learners.specification import Specification
from arcwise.scores import SCORES

__all__ = ["resolved_options", "score_settings", "settings_of"]

_NO_RULES = Rules()


def settings_of(problem: Problem) -> dict[str, Any]:
    """Return all choices of a learning problem but the data and the seed.

    Options of the score include their defaults, since those of a default score and of the same score by name
    differ. Options of the search and of the model are as given.
    """
    spec = problem.spec
    settings: dict[str, Any] = {
        **problem.words,
        **score_settings(problem.score_word, problem.score_options, len(problem.fits.nodes)),
        **problem.bounds,
        **_knowledge(spec),
    }
    if spec.pseudo_rows is not None:
        settings["pseudo_rows"] = problem.data.total - problem.source.total
    if options := dict(spec.search_options):
        if "factors" in options:
            options["factors"] = str(options["factors"])
        settings["search_options"] = options
    if spec.model_options:
        settings["model_options"] = {
            name: dict(options) for name, options in spec.model_options.items()
        }
    return settings


def score_settings(word: str, given: Mapping[str, Any], columns: int) -> dict[str, Any]:
    """Return the options of a score with their defaults, and the cost of a parent beyond its parameters, in
    nats.

    >>> score_settings("ebic", {}, 8)  # doctest: +ELLIPSIS
    {'score_options': {'gamma': 1.1}, 'parent_penalty': 2.287...}
    """
    entry = SCORES[word]
    options = resolved_options(entry.bind, given)
    options |= {name: given.get(name, usual) for name, usual in entry.part_options.items()}
    if not options:
        return {}
    cost = entry.per_parent(columns, options)
    return {"score_options": options, **({"parent_penalty": cost} if cost else {})}


def resolved_options(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword-only parameters of a function: with given or default values.

    >>> def search(score, *, restarts: int = 0, steps: int = 5): ...
    >>> resolved_options(search, {"steps": 9})
    {'restarts': 0, 'steps': 9}
    """
    parameters = inspect.signature(function).parameters.values()
    return {p.name: given.get(p.name, p.default) for p in parameters if p.kind is p.KEYWORD_ONLY}


def _knowledge(spec: Specification) -> dict[str, Any]:
    """Return the prior knowledge and the policy for missing values, if not the default."""
    settings: dict[str, Any] = {}
    if spec.start != "empty":
        settings["start"] = str(spec.start)
    if isinstance(spec.expert, DAG):
        weight = spec.expert_weight
        settings["expert"] = str(spec.expert)
        settings["expert_weight"] = (
            {f"{tail} -> {head}": price for (tail, head), price in weight.items()}
            if isinstance(weight, Mapping)
            else weight
        )
    if spec.rules != _NO_RULES:
        settings["rules"] = spec.rules.to_dict() | (
            {"joined": [list(pair) for pair in spec.rules.joined]} if spec.rules.joined else {}
        )
    if spec.missing != "auto":
        settings["missing"] = spec.missing
    return settings
