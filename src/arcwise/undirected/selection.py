"""Choice of the penalty of the graphical lasso by rows; `ebic` uses their correlations.

* `by_stability` (StARS; Liu, Roeder and Wasserman 2010): the smallest penalty at which graphs from
  subsamples still agree.
* `by_rotation` (RIC; Lysen 2009): the smallest penalty that gives no edge after the columns are shifted
  against each other, which destroys all that was between them.

Rows are standardised first: penalties are on the scale of correlations. Each answer holds the whole
curve and the reason in a sentence.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import FitError
from arcwise.results import Trail, Watch
from arcwise.undirected.given_matrices import checked_covariance
from arcwise.undirected.glasso import glasso_path, largest_penalty
from arcwise.undirected.lasso_problem import Pairs, neighbourhood_path

Array = NDArray[np.float64]
Run = Callable[[Callable[[int], Any], int], Sequence[Any]]
"""How to do pieces of work: a function of a number, and how many numbers."""

Graphs = Callable[..., Iterator[NDArray[np.bool_]]]
"""Graphs along a path: of correlations, penalties, required and forbidden pairs."""

# A column whose standard deviation is below this share of its mean does not vary.
_STILL = 1e-12


class PenaltyChoice(NamedTuple):
    """A penalty and the reason for its choice.

    `curve` has the rule's figure at each of the `penalties` (its name is `figure`), `edges` how many
    edges the graph of all rows has there; for rotations both represent the rotations. `allowed` is the
    largest accepted figure, if a rule has one.
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


def lasso_graphs(
    correlation: Array, penalties: Sequence[float], **options: Any
) -> Iterator[NDArray[np.bool_]]:
    """Return which pairs the graphical lasso joins at each penalty; options are those of `glasso_path`."""
    for _, fit in glasso_path(correlation, penalties, **options):
        linked = fit.precision != 0
        np.fill_diagonal(linked, False)
        yield linked


def neighbour_graphs(
    correlation: Array, penalties: Sequence[float], **options: Any
) -> Iterator[NDArray[np.bool_]]:
    """Return which pairs neighbourhood selection joins; options are those of `neighbourhood_path`."""
    return (near.adjacency for _, near in neighbourhood_path(correlation, penalties, **options))


def correlations(rows: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Return the correlations of the columns of a matrix of rows, which may count differently.

    Raises
    ------
    FitError : missing values, fewer than two rows, or a column that does not vary.

    Examples
    --------
    >>> correlations([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    sample = _Sample.of(rows, weights)
    return replace(sample, still=np.zeros_like(sample.still)).correlations()


def penalties_for(
    correlation: ArrayLike, *, count: int = 30, ratio: float = 0.05
) -> tuple[float, ...]:
    """Return the penalties from the smallest that leaves no edge down to a share of it, in equal ratios.

    Examples
    --------
    >>> [round(each, 3) for each in penalties_for([[1.0, 0.8], [0.8, 1.0]], count=3, ratio=0.25)]
    [0.8, 0.4, 0.2]
    """
    if count < 1 or not 0 < ratio <= 1:
        raise FitError(
            "The count of penalties must be positive and the ratio above 0 and at most "
            f"1, got {count}, {ratio}."
        )
    most = largest_penalty(checked_covariance(correlation)) or 1.0
    return tuple(float(value) for value in np.geomspace(most, ratio * most, count))


def by_stability(
    rows: ArrayLike,
    rng: np.random.Generator,
    penalties: Sequence[float] | None = None,
    *,
    weights: ArrayLike | None = None,
    graphs: Graphs = lasso_graphs,
    required: Pairs | None = None,
    forbidden: Pairs | None = None,
    subsamples: int = 20,
    threshold: float = 0.05,
    run: Run = serially,
    **options: Any,
) -> PenaltyChoice:
    """Choose the smallest penalty at which graphs of subsamples agree.

    An edge that a share s of the subsamples has is unstable by 2 s (1 - s); the figure is the mean over
    all pairs that data decide on, made monotone from the largest penalty on. Subsamples have 10 sqrt(n)
    rows, or four fifths where there are up to 144.

    Parameters
    ----------
    rows : complete, one column per variable; one that does not vary is unrelated to all others.
    rng : draws the subsamples.
    penalties : the path, descending; `penalties_for` the correlations by default.
    weights : row weights in the correlations of a subsample; which rows it has does not depend
        on them.
    graphs : how graphs are found along the path: `lasso_graphs` or `neighbour_graphs`.
    required, forbidden : pairs of column numbers; they are not among the pairs that have to agree.
    subsamples : how many.
    threshold : the largest instability that counts as agreement, 0.05 as the authors have it (R's huge
        measures twice this figure, so its 0.1 is the same).
    run : does the pieces of work, one a subsample; where it is stopped early, those done are compared, and
        edges counted in them.
    options : for `graphs`.
    """
    if subsamples < 2 or not 0 < threshold < 0.5:
        raise FitError(
            "Stability needs at least two subsamples and a threshold between 0 and 0.5, got "
            f"{subsamples} and {threshold}."
        )
    sample = _Sample.of(rows, weights)
    whole = sample.correlations()
    grid = tuple(sorted(penalties_for(whole) if penalties is None else penalties, reverse=True))
    constraints = {"required": list(required or ()), "forbidden": list(forbidden or ())}
    find = partial(graphs, penalties=grid, **constraints, **options)
    work = partial(_graph_of, sample, sample.draws(rng, subsamples), find)
    runs = [
        replicate for replicate in run(work, subsamples) if len(replicate) == len(grid)
    ]  # cut ones do not count
    if len(runs) < 2:
        return cut_short("stars", usual_penalty(len(sample.rows), sample.rows.shape[1], grid))
    shares = _counts(runs, len(grid)) / len(runs)
    fixed_pairs = [
        *constraints["required"],
        *constraints["forbidden"],
        *_fixed_pairs(options.get("factors")),
    ]
    pairs = max(1, _open_pairs(sample.still, fixed_pairs))
    instability = np.maximum.accumulate((2.0 * shares * (1.0 - shares)).sum(axis=1) / pairs)
    edges = tuple(int(linked.sum()) // 2 for linked in find(whole))
    missed = "" if len(edges) == len(grid) else " Edges are counted in subsamples, on average."
    if missed:  # there was no time for all rows
        edges = tuple(np.mean([list(map(len, one)) for one in runs], axis=0).round().astype(int))
    choice = _steady(grid, instability, edges, threshold, (len(runs), subsamples))
    return choice._replace(reason=choice.reason + missed)


def by_rotation(
    rows: ArrayLike,
    rng: np.random.Generator,
    *,
    rotations: int = 20,
    factors: Array | None = None,
    on_step: Watch | None = None,
) -> PenaltyChoice:
    """Choose the smallest penalty that leaves no edge between columns shifted against each other.

    Rows are put into random order first: neighbours in a table are often alike (stacked experiments,
    time), and what shifted columns share by that would pass for chance.

    Parameters
    ----------
    rows : complete, one column per variable; one that does not vary is unrelated to all others.
    rng : draws the order and the shifts.
    rotations : how often all columns are shifted; the smallest of their penalties is taken.
    factors : what the penalty of each pair is multiplied with.
    on_step : called with each turn; returning True ends with the rotations made so far.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(200, 4))
    >>> by_rotation(x, np.random.default_rng(2), rotations=5).penalty < 0.25
    True
    """
    if rotations < 1:
        raise FitError(f"rotations must be positive, got {rotations}.")
    z, peaks, trail = _Sample.of(rows).standardise(), list[float](), Trail(on_step)
    while len(peaks) < rotations and not (peaks and trail.stopped):
        z = z[rng.permutation(len(z))]
        across = np.roll(z, rng.integers(1, len(z)), axis=0).T @ z / len(z)
        peaks.append(largest_penalty(across, factors))
        trail.tick(f"shift {len(peaks)} of {rotations}", 0.0, 0)
    least = min(peaks)
    shifts = f"one of {len(peaks)} shifts" if len(peaks) > 1 else "a shift"
    reason = (
        f"Penalty {least:.4g} is the smallest that leaves no edge after {shifts} of the columns against "
        "each other."
    )
    if len(peaks) < rotations:
        reason += f" The run was stopped early: {rotations} shifts were planned."
    return PenaltyChoice(
        "ric", least, tuple(peaks), tuple(peaks), "penalty without edges", (), reason
    )


@dataclass(frozen=True, eq=False)
class _Sample:
    """Rows with their weights, and which columns do not vary: these are unrelated to all others."""

    rows: Array
    weights: Array
    still: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: ArrayLike, weights: ArrayLike | None = None) -> "_Sample":
        """Return the rows that count."""
        x = _checked_rows(rows)
        counts = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
        x, counts = x[counts > 0], counts[counts > 0]
        mean, sd = _spread(x, counts)
        return cls(x, counts, ~(sd > _STILL * np.abs(mean)))

    def draws(self, rng: np.random.Generator, count: int) -> list[NDArray[np.int64]]:
        """Return the numbers of the rows of subsamples, each row with the same chance."""
        n = len(self.rows)
        size = int(10 * np.sqrt(n)) if n > 144 else int(0.8 * n)
        return [np.sort(rng.choice(n, size, replace=False)) for _ in range(count)]

    def standardise(self) -> Array:
        """Return the columns less their means over their standard deviations; zeros where they do not
        vary.
        """
        mean, sd = _spread(self.rows, self.weights)
        stuck = ~(sd > _STILL * np.abs(mean)) & ~self.still
        if stuck.any():
            raise FitError(
                f"{{columns}} does not vary in the {len(self.rows)} rows used: drop it, or use "
                "larger subsamples.",
                np.flatnonzero(stuck)[:1].tolist(),
            )
        scaled: Array = (self.rows - mean) / np.where(self.still, 1.0, sd)
        scaled[:, self.still] = 0.0
        return scaled

    def correlations(self, rows: NDArray[np.int64] | None = None) -> Array:
        """Return the correlations, of some of the rows if requested."""
        here = self
        if rows is not None:
            here = _Sample(self.rows[rows], self.weights[rows], self.still)
        z = here.standardise()
        matrix: Array = (z * (here.weights / here.weights.sum())[:, None]).T @ z
        np.fill_diagonal(matrix, 1.0)
        return matrix


def _checked_rows(rows: ArrayLike) -> Array:
    x: Array = np.ascontiguousarray(rows, dtype=np.float64)
    if x.ndim != 2 or len(x) < 2 or not x.shape[1]:
        raise FitError(f"The data must have at least two rows and one column, got shape {x.shape}.")
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0].tolist()
        raise FitError(
            f"Row {row} has {x[row, column]} in {{columns}}, but the choice of a penalty needs "
            "complete rows: drop the others.",
            [column],
        )
    return x


def _spread(x: Array, weights: Array) -> tuple[Array, Array]:
    """Return the mean and standard deviation of each column."""
    part = weights / weights.sum()
    mean = part @ x
    return mean, np.sqrt(part @ (x - mean) ** 2)


def _graph_of(
    sample: _Sample, draws: list[NDArray[np.int64]], find: Callable[[Array], Any], number: int
) -> list[NDArray[np.int64]]:
    """Return the edges at each penalty, from one subsample, as numbers in the upper triangle."""
    upper = np.triu_indices(sample.rows.shape[1], 1)
    graphs_found = find(sample.correlations(draws[number]))
    return [np.flatnonzero(linked[upper]) for linked in graphs_found]


def _counts(graphs: Sequence[list[NDArray[np.int64]]], steps: int) -> Array:
    """Return how many subsamples have each pair, at each penalty; pairs after the last one met left out."""
    pairs = 1 + max((int(graph.max()) for one in graphs for graph in one if len(graph)), default=0)
    counts = np.zeros((steps, pairs))
    for one in graphs:
        for step, edges in enumerate(one):
            counts[step, edges] += 1
    return counts


def _fixed_pairs(factors: Array | None) -> list[tuple[int, int]]:
    """Return the pairs whose penalty is none or infinite, whatever it is multiplied with."""
    if factors is None:
        return []
    fixed = np.argwhere(np.triu(np.isinf(factors) | (factors == 0), 1))
    return [(int(one), int(two)) for one, two in fixed]


def _open_pairs(still: NDArray[np.bool_], fixed: Sequence[tuple[int, int]]) -> int:
    """Return how many pairs data decide on: both vary, and nothing is known of them beforehand."""
    varying = int(np.count_nonzero(~still))
    ruled = {(min(pair), max(pair)) for pair in fixed if not still[list(pair)].any()}
    return varying * (varying - 1) // 2 - len(ruled)


def usual_penalty(rows: float, variables: int, penalties: Sequence[float]) -> float:
    """Return a default penalty: sqrt(log p / n), the size of the largest chance correlations.

    Penalties of that order find the graph of a large sample (Ravikumar, Wainwright, Raskutti and Yu
    2011); of the given ones the nearest is taken.

    Examples
    --------
    >>> usual_penalty(100, 50, [0.8, 0.4, 0.2, 0.1])
    0.2
    """
    guess = np.sqrt(np.log(max(variables, 2)) / rows)
    return min(penalties, key=lambda penalty: abs(float(np.log(penalty / guess))))


def cut_short(rule: str, penalty: float) -> PenaltyChoice:
    """Return a guess, without a curve, if there was no time to choose."""
    reason = (
        f"The choice of the penalty was stopped early: {penalty:.4g} is a guess from "
        "rows and columns."
    )
    return PenaltyChoice(rule, penalty, (), (), "", (), reason)


def _steady(
    penalties: tuple[float, ...],
    instability: Array,
    edges: tuple[int, ...],
    threshold: float,
    counts: tuple[int, int],
) -> PenaltyChoice:
    """Return the last penalty that is stable; `counts` has how many subsamples there are, and were meant."""
    instability = instability[: len(penalties)]
    steady = np.flatnonzero(instability <= threshold)
    best = int(steady[-1]) if len(steady) else 0
    if not len(steady):
        reason = f"No penalty is stable ({threshold:g}); the largest, {penalties[0]:.4g}, is used."
    else:
        reason = (
            f"Penalty {penalties[best]:.4g} is the smallest whose graphs agree over {counts[0]} "
            f"subsamples: instability {instability[best]:.3g}, at most {threshold:g} is allowed."
        )
        if best == 0:
            reason += " It is the largest of all: graphs with edges do not agree."
    if counts[0] < counts[1]:
        reason += f" The run was stopped early: {counts[1]} subsamples were planned."
    curve = tuple(float(value) for value in instability)
    return PenaltyChoice(
        "stars", penalties[best], penalties, curve, "instability", edges, reason, threshold
    )
