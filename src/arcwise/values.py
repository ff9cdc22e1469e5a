"""What a value from outside is: a number, an integer, one name or several; and calls with wrong parameters.

Booleans are numbers to Python, and are none here; numbers of NumPy are. Callers report in their words
what they needed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from types import FunctionType
from typing import Any, ParamSpec, TypeGuard, TypeVar

from arcwise.errors import OptionError, close_to, join_words

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number, of Python or NumPy, and not a boolean.

    >>> is_number(1), is_number(1.5), is_number(True), is_number("1")
    (True, True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer, of Python or NumPy, and not a boolean.

    >>> is_integer(1), is_integer(1.0), is_integer(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_count(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer that is not negative."""
    return is_integer(value) and value >= 0


def are_texts(values: Iterable[object]) -> bool:
    """Return whether all of some values are texts."""
    return all(isinstance(value, str) for value in values)


def is_pair(value: object) -> TypeGuard[tuple[Any, Any]]:
    """Return whether a value is a tuple of two."""
    return isinstance(value, tuple) and len(value) == 2


def is_several(value: object) -> TypeGuard[Iterable[Any]]:
    """Return whether a value can be gone through; a text is one value.

    >>> is_several(["a", "b"]), is_several("ab"), is_several(1)
    (True, False, False)
    """
    return isinstance(value, Iterable) and not isinstance(value, str)


def as_tuple(given: Any) -> tuple[Any, ...]:
    """Return one value, or several, as a tuple; a text is one value.

    >>> as_tuple("ab"), as_tuple(["a", "b"]), as_tuple(3)
    (('ab',), ('a', 'b'), (3,))
    """
    return tuple(given) if is_several(given) else (given,)


def written(value: object) -> str | None:
    """Return a number as a text level, as files without types write it; None for anything else.

    >>> written(1), written(2.0), written(0.5), written("1"), written(True)
    ('1', '2', '0.5', None, None)
    """
    return f"{value:.15g}" if is_number(value) else None


def clear_calls(function: Callable[P, R]) -> Callable[P, R]:
    """Return the same function, which answers a call with wrong parameters by an OptionError with the nearest
    name.

    >>> @clear_calls
    ... def learn(data, *, search="auto"): ...
    >>> learn([], serach="tabu")
    Traceback (most recent call last):
    ...
    arcwise.errors.OptionError: learn has no parameter 'serach'. Did you mean 'search'?
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError:
            _check_call(function, args, kwargs)
            raise

    return call


def clear_methods(kind: type[C]) -> type[C]:
    """Return the same class, whose constructor and methods answer wrong calls as `clear_calls` does."""
    for name, member in list(vars(kind).items()):
        if isinstance(member, FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, clear_calls(member))
    return kind


def _check_call(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Raise an OptionError if a call has wrong parameters."""
    parameters = dict(signature(function).parameters)
    name = function.__name__
    if next(iter(parameters), "") in ("self", "cls"):
        del parameters[next(iter(parameters))]
        name = type(args[0]).__name__ if name == "__init__" else name
        args = args[1:]
    kinds = {each.kind for each in parameters.values()}
    positional = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    if len(args) > len(positional) and Parameter.VAR_POSITIONAL not in kinds:
        first = join_words(positional)
        raise OptionError(
            f"{name} takes {first or 'no value'} by position, got {len(args)} values."
        ) from None
    for word in kwargs:
        if word not in parameters and Parameter.VAR_KEYWORD not in kinds:
            raise OptionError(
                f"{name} has no parameter {word!r}. {close_to(word, parameters)}"
            ) from None
    given = {*positional[: len(args)], *kwargs}
    open_ones = [n for n, p in parameters.items() if p.default is p.empty and n not in given]
    missing = [n for n in open_ones if parameters[n].kind not in _ANY_NUMBER]
    if missing:
        raise OptionError(
            f"{name} must have a value for {join_words(map(repr, missing))}."
        ) from None


_ANY_NUMBER = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
