"""Means and covariances given by hand: whether any data could have them.

A covariance matrix is one of data where the correlations lie between -1 and 1 and no weighted sum of the
variables has a negative variance: where the correlation matrix has no negative eigenvalue. It may be
singular, and eigenvalues below zero by rounding are let pass.
"""

from collections import Counter
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, close_to

Floats = NDArray[np.float64]

_ROUNDING = 1e-6
_INVOLVED = 0.1  # variables with at least this share of an eigenvector's largest entry are named


def floats(what: str, numbers: ArrayLike) -> Floats:
    """Return a copy of the numbers as an array, or refuse what is none.

    >>> floats("means", [1, 2])
    array([1., 2.])
    """
    try:
        return np.array(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"The {what} have to be numbers, got {numbers!r}.") from None


def in_order(what: str, numbers: Any, names: Sequence[str]) -> Any:
    """Numbers with labels of their own, as of a data frame, put in the order of the names.

    >>> import pandas as pd
    >>> in_order("means", pd.Series({"a": 1.0, "b": 2.0}), ["b", "a"]).tolist()
    [2.0, 1.0]
    """
    found = numbers
    for axis in ("index", "columns"):
        labels = getattr(numbers, axis, None)
        if labels is None or callable(labels) or all(isinstance(each, Integral) for each in labels):
            continue
        known = [str(each) for each in labels]
        missing = [name for name in names if name not in known]
        if missing:
            raise DataError(f"The {what} have no {missing[0]!r}. {close_to(missing[0], known)}")
        places = [known.index(name) for name in names]
        found = found.iloc[places] if axis == "index" else found.iloc[:, places]
    return found


def positive(n: object) -> float:
    """Return a number of cases as a float, or refuse what is none."""
    number = float(n) if isinstance(n, Real) and not isinstance(n, bool) else np.nan
    if not (np.isfinite(number) and number > 0):
        raise DataError(f"The number of cases has to be a number above 0, got {n!r}.")
    return number


def check_given(names: Sequence[str], mean: Floats, covariance: Floats) -> None:
    """Refuse names, means and covariances that no data can have, with the names to blame.

    >>> check_given(["a", "b"], np.zeros(2), np.array([[1.0, 2.0], [2.0, 1.0]]))
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: The covariance of 'a' and 'b' is 2, but with the variances 1 and 1 it is at \
most 1: a correlation of 2 is impossible.
    """
    _check_form(names, mean, covariance)
    scale = np.sqrt(np.abs(np.diag(covariance)))
    if (np.abs(covariance - covariance.T) > _ROUNDING * np.outer(scale, scale) + 1e-300).any():
        raise DataError("A covariance matrix has to be symmetric, and this one is not.")
    negative = [name for name, each in zip(names, np.diag(covariance), strict=True) if each < 0]
    if negative:
        raise DataError(f"The variance of {sentence_list(negative)} is negative.")
    _check_pairs(names, covariance, scale)
    _check_sums(names, covariance, scale)


def _check_form(names: Sequence[str], mean: Floats, covariance: Floats) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(
            f"The name {twice[0]!r} is given more than once: each variable needs its own."
        )
    size = len(names)
    if mean.shape != (size,) or covariance.shape != (size, size):
        raise DataError(
            f"{size} names need {size} means and a {size} by {size} covariance matrix, not shapes"
            f" {mean.shape} and {covariance.shape}."
        )
    if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
        raise DataError("Means and covariances have to be finite numbers.")


def _check_pairs(names: Sequence[str], covariance: Floats, scale: Floats) -> None:
    """Refuse correlations beyond 1, the largest first."""
    most = np.outer(scale, scale)
    beyond = np.triu(np.abs(covariance) > (1 + _ROUNDING) * most + 1e-300, k=1)
    if not beyond.any():
        return
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(beyond, np.abs(covariance) / most, 0.0)
    one, two = divmod(int(np.argmax(excess)), len(names))
    value, (first, second) = float(covariance[one, two]), (covariance[i, i] for i in (one, two))
    size = most[one, two]
    bound = f"at most {size:.6g}" if value > 0 else f"at least {-size:.6g}"
    why = (
        f"a correlation of {value / size:.6g} is impossible" if size else "one of them is constant"
    )
    raise DataError(
        f"The covariance of {names[one]!r} and {names[two]!r} is {value:.6g}, but with the variances "
        f"{first:.6g} and {second:.6g} it is {bound}: {why}."
    )


def _check_sums(names: Sequence[str], covariance: Floats, scale: Floats) -> None:
    """Refuse correlations that cannot all hold at once."""
    varying = np.flatnonzero(scale > 0)
    if len(varying) < 2:
        return
    inner = scale[varying]
    values, vectors = np.linalg.eigh(covariance[np.ix_(varying, varying)] / np.outer(inner, inner))
    if values[0] >= -_ROUNDING * len(varying):
        return
    share = np.abs(vectors[:, 0])
    order = np.argsort(-share, kind="stable")
    blamed = [names[varying[i]] for i in order if share[i] >= _INVOLVED * share.max()]
    raise DataError(
        f"The correlations of {sentence_list(blamed)} cannot all hold at once: the smallest eigenvalue of "
        f"the correlation matrix is {values[0]:.4g}, and no data have one below 0."
    )
