r"""Means and covariances given by hand, and normal scores of columns.

A covariance matrix is one of data where the correlations lie between -1 and 1 and no weighted sum of the
variables has a negative variance: where the correlation matrix has no negative eigenvalue. It may be
singular, and eigenvalues that are negative by rounding are accepted.

The *nonparanormal* model says that each column is an unknown increasing function of a Gaussian one (Liu,
Lafferty and Wasserman 2009). The normal scores of a column, normal quantiles of its ranks, estimate the
Gaussian column. Ranks are cut off at

.. math:: \delta_n = \frac{1}{4 n^{1/4} \sqrt{\pi \log n}}
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, close_to
from arcwise.values import is_integer, is_number

Floats = NDArray[np.float64]

_ROUNDING = 1e-6
_INVOLVED = 0.1  # variables with at least this share of an eigenvector's largest entry are named


def floats(what: str, numbers: ArrayLike) -> Floats:
    """Return a copy of the numbers as an array, or raise an error if they are not numbers.

    >>> floats("means", [1, 2])
    array([1., 2.])
    """
    try:
        return np.array(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"The {what} must be numbers, got {numbers!r}.") from None


def in_order(what: str, numbers: Any, names: Sequence[str]) -> Any:
    """Return labelled numbers, such as a data frame, in the order of the names.

    >>> import pandas as pd
    >>> in_order("means", pd.Series({"a": 1.0, "b": 2.0}), ["b", "a"]).tolist()
    [2.0, 1.0]
    """
    labelled = numbers
    for axis in ("index", "columns"):
        labels = getattr(numbers, axis, None)
        if labels is None or callable(labels) or all(map(is_integer, labels)):
            continue
        label_texts = [str(label) for label in labels]
        missing = [name for name in names if name not in label_texts]
        if missing:
            raise DataError(
                f"The {what} have no {missing[0]!r}. {close_to(missing[0], label_texts)}"
            )
        positions = [label_texts.index(name) for name in names]
        labelled = labelled.iloc[positions] if axis == "index" else labelled.iloc[:, positions]
    return labelled


def positive(n: object) -> float:
    """Return a number of cases as a float, or raise an error if it is not positive."""
    number = float(n) if is_number(n) else np.nan
    if not (np.isfinite(number) and number > 0):
        raise DataError(f"The number of cases must be above 0, got {n!r}.")
    return number


def check_given(names: Sequence[str], mean: Floats, covariance: Floats) -> None:
    """Raise an error if no data can have these means and covariances; it names the variables.

    >>> check_given(["a", "b"], np.zeros(2), np.array([[1.0, 2.0], [2.0, 1.0]]))
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: The covariance of 'a' and 'b' is 2, but with the variances 1 and 1 it is at \
most 1: a correlation of 2 is impossible.
    """
    _check_form(names, mean, covariance)
    scale = np.sqrt(np.abs(np.diag(covariance)))
    if (np.abs(covariance - covariance.T) > _ROUNDING * np.outer(scale, scale) + 1e-300).any():
        raise DataError("A covariance matrix must be symmetric, and this one is not.")
    negative = [
        name for name, variance in zip(names, np.diag(covariance), strict=True) if variance < 0
    ]
    if negative:
        raise DataError(f"The variance of {sentence_list(negative)} is negative.")
    _check_pairs(names, covariance, scale)
    _check_sums(names, covariance, scale)


def _check_form(names: Sequence[str], mean: Floats, covariance: Floats) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"The name {twice[0]!r} occurs more than once: names must be unique.")
    size = len(names)
    if mean.shape != (size,) or covariance.shape != (size, size):
        raise DataError(
            f"{size} names need {size} means and a {size} by {size} covariance matrix, got "
            f"shapes {mean.shape} and {covariance.shape}."
        )
    if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
        raise DataError("Means and covariances must be finite numbers.")


def _check_pairs(names: Sequence[str], covariance: Floats, scale: Floats) -> None:
    """Raise an error for correlations beyond 1, the largest first."""
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
    """Raise an error for a correlation matrix with a negative eigenvalue."""
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
        f"The correlations of {sentence_list(blamed)} are impossible together: the smallest "
        f"eigenvalue of the correlation matrix is {values[0]:.4g}, and must not be below 0."
    )


# -- ranks and missing values ------------------------------------------------------------------------------


# The smallest eigenvalue of correlations after a repair.
def normal_scores(column: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Replace numbers by normal quantiles of their ranks, with mean 0 and variance 1.

    Parameters
    ----------
    column : numbers; NaN is missing and stays NaN. Equal numbers share the mean of their ranks.
    weights : row weights.

    Raises
    ------
    DataError : fewer than two different numbers.

    Examples
    --------
    >>> normal_scores([1.0, 10.0, 1000.0]).round(3)
    array([-1.225,  0.   ,  1.225])
    """
    from scipy.special import ndtri

    values = np.asarray(column, dtype=np.float64)
    count = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    observed = ~np.isnan(values) & (count > 0)
    _, group = np.unique(values[observed], return_inverse=True)
    if group.max(initial=0) < 1:
        raise DataError("Normal scores need at least two different numbers in a column.")
    inside = count[observed]
    total = float(inside.sum())
    mass = np.bincount(group, inside)
    share = (np.cumsum(mass) - 0.5 * mass) / total  # the mean rank of a group, less a half
    # From the article; at most what a small sample allows.
    cut = 1.0 / (4.0 * total**0.25 * np.sqrt(np.pi * np.log(max(total, 2.0))))
    scores = ndtri(np.clip(share, cut, 1.0 - cut))[group]
    mean = float(inside @ scores) / total
    sd = float(np.sqrt(inside @ (scores - mean) ** 2 / total))
    z_scores = np.full(len(values), np.nan)
    z_scores[observed] = (scores - mean) / sd
    return z_scores
