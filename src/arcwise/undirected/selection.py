r"""Choosing the penalty of the graphical lasso, along a path of them.

* `by_ebic`: the extended Bayesian information criterion (Foygel and Drton 2010), to be maximised:
  loglik - |E|/2 log n - 2 gamma |E| log p, the likelihood being the largest on each graph.
* `by_folds`: cross-validated likelihood. Made for prediction, it keeps more edges than are there.
* `by_stability` (StARS; Liu, Roeder and Wasserman 2010): the smallest penalty at which graphs from
  subsamples still agree.
* `by_rotation` (RIC; Lysen 2009): the smallest penalty that finds nothing once the columns are shifted
  against each other, which destroys all that was between them.

All take correlations, or rows that are standardised first: penalties are on the scale of
correlations. Each answer holds the whole curve and the reason in a sentence.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import FitError
from arcwise.undirected.glasso import glasso_path, largest_penalty
from arcwise.undirected.known import refitted
from arcwise.undirected.penalties import checked_covariance

__all__ = [
    "Choice",
    "by_ebic",
    "by_folds",
    "by_rotation",
    "by_stability",
    "correlations",
    "penalties_for",
]

Array = NDArray[np.float64]
Run = Callable[[Callable[[int], Any], int], Sequence[Any]]
"""How to do pieces of work: a function of a number, and how many numbers."""


class Choice(NamedTuple):
    """A penalty and why it was chosen.

    `curve` has the rule's figure at each of the `penalties` (its name is `figure`), `edges` how many
    edges the graph of all rows has there; for rotations both stand for the turns. `allowed` is the
    largest figure that will do, where a rule has one.
    """

    rule: str
    penalty: float
    penalties: tuple[float, ...]
    curve: tuple[float, ...]
    figure: str
    edges: tuple[int, ...]
    reason: str
    allowed: float | None = None


def serially(work: Callable[[int], Any], count: int) -> list[Any]:
    """Do pieces of work one after the other."""
    return [work(number) for number in range(count)]


def correlations(rows: ArrayLike) -> Array:
    """Correlations of the columns of a matrix of rows.

    Raises
    ------
    FitError : gaps, fewer than two rows, or a column that does not vary.

    Examples
    --------
    >>> correlations([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    z = _standardised(_checked_rows(rows))
    found: Array = z.T @ z / len(z)
    np.fill_diagonal(found, 1.0)
    return found


def penalties_for(
    correlation: ArrayLike, *, count: int = 30, ratio: float = 0.05
) -> tuple[float, ...]:
    """Penalties from the smallest that leaves no edge down to a share of it, in equal ratios.

    Examples
    --------
    >>> [round(each, 3) for each in penalties_for([[1.0, 0.8], [0.8, 1.0]], count=3, ratio=0.25)]
    [0.8, 0.4, 0.2]
    """
    if count < 1 or not 0 < ratio <= 1:
        raise FitError(
            f"A path needs at least one penalty and a ratio above 0 up to 1, not {count}, {ratio}."
        )
    most = largest_penalty(checked_covariance(correlation)) or 1.0
    return tuple(float(each) for each in np.geomspace(most, ratio * most, count))


def by_ebic(
    correlation: ArrayLike,
    rows: float,
    penalties: Sequence[float] | None = None,
    *,
    gamma: float = 0.5,
    refit: bool = True,
    **options: Any,
) -> Choice:
    """Choose by the extended Bayesian information criterion.

    Parameters
    ----------
    correlation : of the columns.
    rows : how many rows it is from.
    penalties : the path; `penalties_for` the correlations if left out.
    gamma : how much the number of possible graphs counts; 0 is the ordinary criterion.
    refit : whether the likelihood is each graph's largest, as the criterion wants it, or that of the
        penalised estimate, which is quicker, but chooses worse.
    options : for `glasso_path`.

    Examples
    --------
    >>> R = np.array([[1.0, 0.6, 0.0], [0.6, 1.0, 0.05], [0.0, 0.05, 1.0]])
    >>> print(by_ebic(R, 100, [0.7, 0.3, 0.1, 0.01]).reason)
    EBIC (gamma 0.5) is highest, -406.8, at penalty 0.3: 1 edge.
    """
    if not (gamma >= 0 and rows > 0):
        raise FitError(f"EBIC needs gamma from 0 on and some rows, not {gamma} and {rows}.")
    matrix = checked_covariance(correlation)
    asked = tuple(penalties_for(matrix) if penalties is None else penalties)
    found = [fit.precision for _, fit in glasso_path(matrix, asked, **options)]
    edges = tuple((int(np.count_nonzero(each)) - len(each)) // 2 for each in found)
    likelihoods = (
        _refitted(matrix, rows, found)
        if refit
        else [_likelihood(matrix, rows, each) for each in found]
    )
    price = 0.5 * np.log(rows) + 2.0 * gamma * np.log(len(matrix))
    curve = [value - price * count for value, count in zip(likelihoods, edges, strict=True)]
    return _highest("ebic", f"EBIC (gamma {gamma:g})", asked[: len(found)], curve, edges)


def by_folds(
    rows: ArrayLike,
    folds: Sequence[NDArray[np.int64]],
    penalties: Sequence[float] | None = None,
    *,
    run: Run = serially,
    **options: Any,
) -> Choice:
    """Choose by the likelihood of rows left out.

    Parameters
    ----------
    rows : complete, one column per variable.
    folds : the numbers of the rows that are left out in turn.
    penalties : the path; `penalties_for` the correlations if left out.
    run : does the pieces of work, one a fold.
    options : for `glasso_path`.
    """
    x = _checked_rows(rows)
    whole = correlations(x)
    asked = tuple(penalties_for(whole) if penalties is None else penalties)
    work = partial(_held_out, x, list(folds), asked, options)
    curve = np.sum(run(work, len(folds)), axis=0) / sum(map(len, folds))
    edges = tuple(fit.n_edges for _, fit in glasso_path(whole, asked, **options))
    name = f"likelihood of rows left out ({len(folds)} folds; nats per row)"
    return _highest("cv", name, asked, list(curve), edges)


def by_stability(
    rows: ArrayLike,
    rng: np.random.Generator,
    penalties: Sequence[float] | None = None,
    *,
    subsamples: int = 20,
    threshold: float = 0.05,
    run: Run = serially,
    **options: Any,
) -> Choice:
    """Choose the smallest penalty at which graphs of subsamples agree.

    An edge that a share s of the subsamples has is unstable by 2 s (1 - s); the figure is the mean over
    all pairs, made monotone from the largest penalty on. Subsamples have 10 sqrt(n) rows, or four fifths
    where there are up to 144.

    Parameters
    ----------
    rows : complete, one column per variable.
    rng : draws the subsamples.
    penalties : the path, descending; `penalties_for` the correlations if left out.
    subsamples : how many.
    threshold : the largest instability that counts as agreement, 0.05 as the authors have it (R's huge
        measures twice this figure, so its 0.1 is the same).
    run : does the pieces of work, one a subsample.
    options : for `glasso_path`.
    """
    x = _checked_rows(rows)
    if subsamples < 2 or not 0 < threshold < 0.5:
        raise FitError(
            "Stability needs two subsamples or more and a threshold between 0 and 0.5, not "
            f"{subsamples} and {threshold}."
        )
    whole = correlations(x)
    asked = tuple(sorted(penalties_for(whole) if penalties is None else penalties, reverse=True))
    size = int(10 * np.sqrt(len(x))) if len(x) > 144 else int(0.8 * len(x))
    draws = [np.sort(rng.choice(len(x), size, replace=False)) for _ in range(subsamples)]
    counts = _agreement(run(partial(_graphs, x, draws, asked, options), subsamples), len(asked))
    shares = counts / subsamples
    pairs = max(1, x.shape[1] * (x.shape[1] - 1) // 2)
    instability = np.maximum.accumulate((2.0 * shares * (1.0 - shares)).sum(axis=1) / pairs)
    edges = tuple(fit.n_edges for _, fit in glasso_path(whole, asked, **options))
    return _steady(asked, instability, edges, threshold, subsamples)


def by_rotation(rows: ArrayLike, rng: np.random.Generator, *, turns: int = 20) -> Choice:
    """Choose the smallest penalty that leaves no edge between columns shifted against each other.

    Parameters
    ----------
    rows : complete, one column per variable.
    rng : draws the shifts.
    turns : how often all columns are shifted; the smallest of their penalties is taken.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(200, 4))
    >>> by_rotation(x, np.random.default_rng(2), turns=5).penalty < 0.25
    True
    """
    x = _checked_rows(rows)
    if turns < 1:
        raise FitError(f"At least one turn is needed, not {turns}.")
    z, found = _standardised(x), []
    off = ~np.eye(x.shape[1], dtype=bool)
    for _ in range(turns):
        shift = rng.integers(1, len(z))
        across = np.abs(np.roll(z, shift, axis=0).T @ z) / len(z)
        found.append(float(np.max(across, where=off, initial=0.0)))
    least = min(found)
    reason = (
        f"Penalty {least:.4g} is the smallest that leaves no edge after one of {turns} shifts of the "
        "columns against each other."
    )
    return Choice("ric", least, tuple(found), tuple(found), "penalty without edges", (), reason)


def _checked_rows(rows: ArrayLike) -> Array:
    x: Array = np.ascontiguousarray(rows, dtype=np.float64)
    if x.ndim != 2 or len(x) < 2 or not x.shape[1]:
        raise FitError(f"Two rows or more of some columns are needed, but shape {x.shape} came.")
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise FitError(
            f"Row {row} has {x[row, column]} in column {column}; choosing a penalty by rows needs "
            "complete ones: leave out those with gaps."
        )
    return x


def _standardised(x: Array, by: Array | None = None) -> Array:
    """Columns less their means over their standard deviations, both taken from `by` if given."""
    source = x if by is None else by
    mean, sd = source.mean(axis=0), source.std(axis=0)
    if not (sd > 1e-12 * np.abs(mean)).all():
        column = int(np.argmax(sd <= 1e-12 * np.abs(mean)))
        raise FitError(
            f"Column {column} does not vary in the {len(source)} rows used; leave it out, or use "
            "fewer folds or larger subsamples."
        )
    found: Array = (x - mean) / sd
    return found


def _refitted(matrix: Array, rows: float, path: list[Array]) -> list[float]:
    """The largest likelihood of each graph on a path; minus infinity from where there is none."""
    found: list[float] = []
    last, value = path[0][:0], -np.inf
    for precision in path:
        if last.shape != precision.shape or ((last != 0) != (precision != 0)).any():
            best = refitted(matrix, precision) if value > -np.inf or not found else None
            value = -np.inf if best is None else _likelihood(matrix, rows, best)
        found.append(value)
        last = precision
    return found


def _likelihood(matrix: Array, rows: float, precision: Array) -> float:
    """Log-likelihood of moments in the units of the matrix."""
    trace = float(np.sum(matrix * precision))
    logdet = float(np.linalg.slogdet(precision)[1])
    return 0.5 * rows * (logdet - trace - len(matrix) * float(np.log(2.0 * np.pi)))


def _held_out(
    x: Array,
    folds: list[NDArray[np.int64]],
    penalties: tuple[float, ...],
    options: dict[str, Any],
    number: int,
) -> Array:
    """Log-likelihood of one fold at each penalty, fitted to the other rows; in the data's units."""
    rest = np.delete(x, folds[number], axis=0)
    unseen = _standardised(x[folds[number]], rest)
    jacobian = len(unseen) * float(np.log(rest.std(axis=0)).sum())
    moments = unseen.T @ unseen / len(unseen)
    path = glasso_path(correlations(rest), penalties, **options)
    return np.array(
        [_likelihood(moments, len(unseen), fit.precision) - jacobian for _, fit in path]
    )


def _graphs(
    x: Array,
    draws: list[NDArray[np.int64]],
    penalties: tuple[float, ...],
    options: dict[str, Any],
    number: int,
) -> list[NDArray[np.int64]]:
    """The edges at each penalty, from one subsample, as numbers in the upper triangle."""
    size = x.shape[1]
    found = glasso_path(correlations(x[draws[number]]), penalties, **options)
    rows, columns = np.triu_indices(size, 1)
    return [np.flatnonzero(fit.precision[rows, columns]) for _, fit in found]


def _agreement(graphs: Sequence[list[NDArray[np.int64]]], steps: int) -> Array:
    """How many subsamples have each pair, at each penalty; pairs after the last one met left out."""
    pairs = 1 + max((int(each.max()) for one in graphs for each in one if len(each)), default=0)
    counts = np.zeros((steps, pairs))
    for one in graphs:
        for step, edges in enumerate(one):
            counts[step, edges] += 1
    return counts


def _highest(
    rule: str, name: str, penalties: tuple[float, ...], curve: list[float], edges: tuple[int, ...]
) -> Choice:
    best = int(np.argmax(curve))
    count = f"{edges[best]} edge{'s' * (edges[best] != 1)}"
    at_end = best == len(curve) - 1 and len(curve) > 1
    reason = (
        f"{name[0].upper()}{name[1:]} is highest, {curve[best]:.4g}, at penalty "
        f"{penalties[best]:.4g}: {count}."
    )
    if at_end and penalties[best] == min(penalties) and edges[best] < max(edges, default=0):
        reason += " That is the end of the path; a longer one may do better."
    return Choice(rule, penalties[best], penalties, tuple(curve), name, edges, reason)


def _steady(
    penalties: tuple[float, ...],
    instability: Array,
    edges: tuple[int, ...],
    threshold: float,
    subsamples: int,
) -> Choice:
    steady = np.flatnonzero(instability <= threshold)
    best = int(steady[-1]) if len(steady) else 0
    if len(steady):
        reason = (
            f"Penalty {penalties[best]:.4g} is the smallest whose graphs agree over {subsamples} "
            f"subsamples: instability {instability[best]:.3g}, at most {threshold:g} is allowed."
        )
    else:
        reason = f"No penalty is stable ({threshold:g}); the largest, {penalties[0]:.4g}, is taken."
    curve = tuple(float(each) for each in instability)
    return Choice(
        "stars", penalties[best], penalties, curve, "instability", edges, reason, threshold
    )
