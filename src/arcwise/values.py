"""What a value from outside is: a number, an integer, one name or several.

Booleans are numbers to Python, and are none here; numbers of NumPy are. Callers report in words of their own
what they needed.
"""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, TypeGuard


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a value is a real number, of Python or NumPy, and not a boolean.

    >>> is_number(1), is_number(1.5), is_number(True), is_number("1")
    (True, True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def is_integer(value: object) -> TypeGuard[int]:
    """Tell whether a value is an integer, of Python or NumPy, and not a boolean.

    >>> is_integer(1), is_integer(1.0), is_integer(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_count(value: object) -> TypeGuard[int]:
    """Tell whether a value is an integer that is not negative."""
    return is_integer(value) and value >= 0


def are_texts(values: Iterable[object]) -> bool:
    """Tell whether all of some values are texts."""
    return all(isinstance(value, str) for value in values)


def is_pair(value: object) -> TypeGuard[tuple[Any, Any]]:
    """Tell whether a value is a tuple of two."""
    return isinstance(value, tuple) and len(value) == 2


def is_several(value: object) -> TypeGuard[Iterable[Any]]:
    """Tell whether a value can be gone through; a text is one value.

    >>> is_several(["a", "b"]), is_several("ab"), is_several(1)
    (True, False, False)
    """
    return isinstance(value, Iterable) and not isinstance(value, str)


def as_tuple(given: Any) -> tuple[Any, ...]:
    """Give one value, or several, as a tuple; a text is one value.

    >>> as_tuple("ab"), as_tuple(["a", "b"]), as_tuple(3)
    (('ab',), ('a', 'b'), (3,))
    """
    return tuple(given) if is_several(given) else (given,)


def written(value: object) -> str | None:
    """A number as a text level, as files without types write it; None for anything else.

    >>> written(1), written(2.0), written(0.5), written("1"), written(True)
    ('1', '2', '0.5', None, None)
    """
    return f"{value:.15g}" if is_number(value) else None
