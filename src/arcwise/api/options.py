"""Options by name: which function takes which, and a clear word where none does."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arcwise.errors import WordError, close_to

__all__ = ["options_of", "split_options"]

_INNER = {"rng", "limits", "on_step"}  # given by the library, not by the user


def options_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the keyword-only parameters that a user may give."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in _INNER)


def split_options(
    given: Mapping[str, Any], *takers: tuple[str, Iterable[str]]
) -> list[dict[str, Any]]:
    """Deal options out to those that take them.

    Parameters
    ----------
    given : all options.
    takers : pairs of a taker's name and the options it takes.

    Returns
    -------
    One dictionary a taker.

    Raises
    ------
    WordError : an option that nobody takes, or text where a number belongs.
    """
    known = {name: set(options) for name, options in takers}
    for option, value in given.items():
        if not any(option in options for options in known.values()):
            everything = sorted(set().union(*known.values()))
            who = " and ".join(known)
            taken = close_to(option, everything)
            raise WordError(f"{who[:1].upper()}{who[1:]} take no option {option!r}. {taken}")
        if isinstance(value, str):  # all of them are numbers, or lists of words
            raise WordError(f"The option {option!r} takes no text, but {value!r} came.")
    return [{k: v for k, v in given.items() if k in options} for options in known.values()]
