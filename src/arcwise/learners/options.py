"""Options by name: the functions that have them, and their types.

The type of an option is the annotation of the parameter. Numbers are finite and not
negative, booleans are not numbers, and None is valid only if the annotation has it. A text is one
of the literals of the annotation. Options of other types, such as lists of texts, are checked by the
function itself.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from numbers import Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from arcwise.errors import OptionError, close_to
from arcwise.notes import Fix

_INNER = {"rng", "limits", "on_step", "threads", "until"}  # given by the library, not by the user
_SAID: dict[Any, str] = {
    int: "a non-negative integer",
    float: "a non-negative number",
    bool: "True or False",
    str: "a text",
}


def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the keyword-only parameters that a user may give, each with its annotation.

    >>> def search(score, *, rng, restarts: int = 0): ...
    >>> options_of(search)
    {'restarts': <class 'int'>}
    """
    return {
        p.name: p.annotation
        for p in _parameters(function)
        if p.kind is p.KEYWORD_ONLY and p.name not in _INNER
    }


@cache
def _parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function, eval_str=True).parameters.values())


def has_parameter(function: Callable[..., Any], name: str) -> bool:
    """Return whether a function has a parameter of that name."""
    return any(name == parameter.name for parameter in _parameters(function))


def is_random(function: Callable[..., Any]) -> bool:
    """Return whether a function must have a random generator, not only for one of its options."""
    return any(
        parameter.name == "rng" and parameter.default is parameter.empty
        for parameter in _parameters(function)
    )


def subset(function: Callable[..., Any], *left_out: str) -> Callable[..., Any]:
    """Return a function without some of its options.

    >>> def search(*, steps: int = 1, combine: str = "or"): ...
    >>> options_of(subset(search, "combine"))
    {'steps': <class 'int'>}
    """
    signature = inspect.signature(function)
    parameters = [
        parameter for name, parameter in signature.parameters.items() if name not in left_out
    ]

    def call(**options: Any) -> Any:
        return function(**options)

    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call


def checked_options(
    taker: str, options: Mapping[str, Any], kinds: Mapping[str, Any], fixes: Sequence[Fix] = ()
) -> dict[str, Any]:
    """Return checked options, converted to their types.

    Parameters
    ----------
    taker : the name of the search, score or model, for messages, with places for `fixes`.
    options : values by name.
    kinds : the valid options, each with its annotation.

    Raises
    ------
    OptionError : an unknown option, or a value of another type.

    >>> checked_options("the search", {"restarts": 2.0}, {"restarts": int})
    {'restarts': 2}
    """
    for name in options:
        if name not in kinds:
            advice = close_to(name, kinds)
            who = f"{taker[:1].upper()}{taker[1:]}"
            raise OptionError(f"{who} has no option {name!r}. {advice}", fixes=fixes)
    return {name: check_option(name, value, kinds[name]) for name, value in options.items()}


def check_option(option: str, value: Any, kind: Any) -> Any:
    """Return the value of an option, converted to its type, or raise an error.

    Parameters
    ----------
    option : its name.
    value : its value.
    kind : an annotation, such as ``int`` or ``float | None``.

    Raises
    ------
    OptionError : the value is of another type, not finite, below 0, or not one of the literals.

    >>> check_option("steps", 1e5, int | None), check_option("gamma", 1, float)
    (100000, 1.0)
    >>> check_option("bandwidths", "on", Literal["one", "two"])
    Traceback (most recent call last):
    ...
    arcwise.errors.OptionError: The option 'bandwidths' has no value 'on'. Did you mean 'one'?
    """
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if words := [word for part in kinds if get_origin(part) is Literal for word in get_args(part)]:
        return _word(option, value, words, NoneType in kinds)
    expected = next((part for part in kinds if part in _SAID), None)
    if expected is None:
        return _no_text(option, value) if kind is inspect.Parameter.empty else value
    if value is None and NoneType in kinds:
        return None
    if not _fits(value, expected):
        none = ", or None" if NoneType in kinds else ""
        raise OptionError(f"The option {option!r} must be {_SAID[expected]}{none}, got {value!r}.")
    return expected(value)


def _word(option: str, value: Any, words: Sequence[Any], none: bool) -> Any:
    """Return one of the literals of an option; the error for another value has close ones."""
    if value is None and none:
        return None
    if not isinstance(value, str) or value not in words:
        raise OptionError(f"The option {option!r} has no value {value!r}. {close_to(value, words)}")
    return value


def _fits(value: Any, expected: type) -> bool:
    """Return whether a value is of a type; a float without a fraction, such as 1e5, is an integer."""
    if expected is str:
        return isinstance(value, str)
    truth = isinstance(value, bool | np.bool_)
    if expected is bool or truth:
        return truth and expected is bool
    if not isinstance(value, Real) or not math.isfinite(value) or value < 0:
        return False
    return expected is float or float(value).is_integer()


def _no_text(option: str, value: Any) -> Any:
    """Raise an error for text if the annotation has no literals."""
    if isinstance(value, str):
        raise OptionError(f"The option {option!r} must not be text, got {value!r}.")
    return value
