"""Errors for parameters that a function does not have: they show the call that means the same.

Options of searches, scores, models and methods are settings of their objects, rules are in ``rules=``, what
experts know is in ``prior=``, and how a table is read belongs to the table.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from arcwise.api.option_object import Option, kinds_of, objects_with
from arcwise.errors import OptionError, close_to, join_words
from arcwise.values import clear_calls

__all__ = ["with_advice"]

P = ParamSpec("P")
R = TypeVar("R")

_RULES = {
    "required": "required",
    "whitelist": "required",
    "forbidden": "forbidden",
    "blacklist": "forbidden",
    "tiers": "tiers",
    "max_parents": "max_parents",
    "max_indegree": "max_parents",
    "maxp": "max_parents",
    "black_list": "forbidden",
    "white_list": "required",
    "target": "target",
}
"""Parts of rules, with the names that other packages have for them."""

_PRIOR = {"expert": "graph", "expert_weight": "weight", "pseudo_rows": "rows"}
_TABLE = ("kinds", "weights", "na_values", "copies")
_EARLIER = {
    "time": "time_limit",
    "prior_rows": "pseudo_rows",
    "widths": "bandwidths",
    "floor": "min_bandwidth",
    "tail": "tail_weight",
    "count": "n_penalties",
    "least": "min_ratio",
    "turns": "rotations",
    "random_state": "seed",
    "verbose": "progress",
    "cv": "folds",
    "n": "draws",
    "n_samples": "draws",
}
"""Earlier names of parameters, and those of other packages."""

_RENAMED = ("cv", "n", "n_samples", "random_state", "verbose")

_MOVED = {
    "penalty": "a path has every penalty: use .at(penalty)",
    "resume": "a checkpoint that is there is continued; delete the file to start over",
    "algorithm": "write search=",
    "method": "write search=",
    "columns": "choose them before: aw.table(data).select([...])",
    "drop": "choose columns before: aw.table(data).select([...])",
    "estimator": "write search=",
}


def with_advice(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, whose errors for parameters that it does not have show how to write the call."""
    every = signature(function).parameters
    parameters = tuple(name for name in every if name != "self")
    first = [name for name, each in every.items() if each.kind is not each.KEYWORD_ONLY]

    checked = clear_calls(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if len(args) > len(first):
            named = [name for name in first if name != "self"]
            raise OptionError(
                f"{function.__name__} takes {join_words(named)} by position: write the name of any other "
                f"parameter, as in {function.__name__}({', '.join(named)}, {parameters[-1]}=...)."
            )
        for name, value in kwargs.items():
            if name not in parameters:
                advice = _advice(name, value, kwargs, parameters)
                end = "" if advice.endswith("?") else "."
                raise OptionError(f"{function.__name__} has no parameter {name!r}{advice}{end}")
        return checked(*args, **kwargs)

    return call


def _advice(name: str, value: Any, call: Mapping[str, Any], parameters: tuple[str, ...]) -> str:
    """What to write instead of a parameter that does not exist, as the end of a sentence."""
    if name in _EARLIER and (_EARLIER[name] in parameters or name not in _RENAMED):
        later = _EARLIER[name]
        told = "" if later in parameters else _advice(later, value, call, parameters)
        return f", which is called {later!r}{told}"
    if name in _RULES and "rules" in parameters:
        return f": write rules=aw.Rules({_RULES[name]}={_short(value)})"
    if name in _PRIOR and "prior" in parameters:
        return f": write prior=aw.Prior({_PRIOR[name]}={_short(value)})"
    if name in _TABLE:
        return f": it belongs to the table: aw.table(data, {name}={_short(value)})"
    if name in _MOVED:
        return f": {_MOVED[name]}"
    objects = _objects(name, value, call, parameters)
    if objects:
        return f": it is a setting of an object, write {' or '.join(objects)}"
    known = [each for each in parameters if each != "data"]
    settings = (each.name for kind in _named_kinds(call, parameters) for each in fields(kind))
    return f". {close_to(name, [*settings, *known])}".rstrip(".")


def _objects(
    name: str, value: Any, call: Mapping[str, Any], parameters: tuple[str, ...]
) -> list[str]:
    """Calls with the objects that have such a setting; of those that the call names, these alone."""
    kinds = [kind for kind in objects_with(name) if kind.what in parameters]
    named = [kind for kind in _named_kinds(call, parameters) if kind in kinds]
    return [f"{kind.what}=aw.{kind.__name__}({name}={_short(value)})" for kind in named or kinds][
        :4
    ]


def _named_kinds(call: Mapping[str, Any], parameters: tuple[str, ...]) -> list[Any]:
    """The kinds of option objects that a call names or has."""
    words = {place: getattr(call.get(place), "word", call.get(place)) for place in parameters}
    return [kind for kind in kinds_of(Option) if words.get(kind.what) == kind.word]


def _short(value: Any) -> str:
    """A value as one types it, if it is short."""
    text = repr(value)
    return text if len(text) <= 40 and "\n" not in text else "..."
