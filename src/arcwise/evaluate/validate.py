"""Cross-validation of a learner: likelihood and prediction of held-out rows.

A learner is any function from a table to a network. Every row is scored once, by the network learned
from the other folds: by its density where the network has one; an undirected one without a joint
distribution has none, and its *pseudo-likelihood*, each variable given its neighbours, is another
measure, comparable only with other pseudo-likelihoods. Means come with standard errors over rows, and medians
next to them, since a few outlying rows can dominate a mean of log densities.

*Pruning* predicts one target from fewer and fewer inputs (Hofmann and Tresp 1995, fig. 1). Starting from all
other variables, the input whose loss costs least is removed, the model is tuned again, and so on until
none is left. The score against the number of inputs shows how many are useful; a predictive score rises as
long as useless inputs are removed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Fits
from arcwise.data import Table
from arcwise.data.folds import Folds
from arcwise.data.variable import numbers_of
from arcwise.frame import Frame, Framed, Series
from arcwise.inference import (
    Misses,
    marginal_log_density,
    misses,
    pseudo_log_density,
    target_misses,
)
from arcwise.networks import Net
from arcwise.notes import NOT_STOPPED, Stop
from arcwise.results import SearchEnd, Trail, Watch
from arcwise.scores import Score

Array = NDArray[np.float64]
Learner = Callable[[Table], Net]

MEASURES = {
    "rmse": "rmse", "r2": "R2", "accuracy": "accuracy", "log_loss": "log loss", "majority": "majority",
}  # fmt: skip
"""Measures of each variable, with their headings in a table."""

DENSITY, PSEUDO = "log density", "log pseudo-likelihood"

_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")  # both middles of a tie


@dataclass(frozen=True, eq=False)
class Validation(Framed):
    """The result of cross-validation.

    `log_density` has one number a row of the table (nats); a row of weight 3 has one for each fold that its
    copies are in, and `weights` are their numbers. `measure` says what it is the logarithm
    of: "log density", or "log pseudo-likelihood" for undirected networks without a joint. All else has one
    number a variable, each predicted from all the others: `rmse` and `r2` (NaN for levels that are not
    numbers); `accuracy`, `log_loss` (nats) and `majority`, the share of the most frequent level (NaN for
    numbers). `edges` is one number of edges a fold.
    """

    names: tuple[str, ...]
    log_density: Array
    rmse: Array
    r2: Array
    accuracy: Array
    log_loss: Array
    majority: Array
    edges: tuple[int, ...]
    weights: Array
    measure: str = DENSITY

    @property
    def rows(self) -> int:
        """The number of rows, copies counted where weights are whole."""
        return n_rows(self.weights)

    @property
    def mean(self) -> float:
        """Return the mean held-out measure, nats per row."""
        return float(np.average(self.log_density, weights=self.weights))

    @property
    def error(self) -> float:
        """Return the standard error of the mean."""
        return mean_error(self.log_density, self.weights)

    @property
    def median(self) -> float:
        """Return the median of the held-out measure, nats per row."""
        order = np.argsort(self.log_density)
        below = np.cumsum(self.weights[order]) / self.weights.sum()
        middle = [int(np.searchsorted(below, 0.5, side=side)) for side in _SIDES]
        return float(self.log_density[order][middle].mean())

    def document(self) -> dict[str, Any]:
        """Return plain numbers, for JSON: those of all rows, and those of each variable that has them."""
        measured = {"mean": self.mean, "error": self.error, "median": self.median}
        return {
            "rows": self.rows,
            "folds": len(self.edges),
            "measure": self.measure,
            self.measure.replace(" ", "_").replace("-", "_"): measured,
            "edges": list(self.edges),
            "variables": {
                row["variable"]: {name: row[name] for name in MEASURES if row[name] is not None}
                for row in self.to_records()
            },
        }

    def _summary(self) -> str:
        folds = f"{len(self.edges)}-fold cross-validation of {self.rows} rows"
        return f"{folds}, held-out {self.measure} {self.mean:.4f} +- {self.error:.4f} nats per row"

    @property
    def gains(self) -> Array:
        """The share of errors that a prediction avoids: R2, or of levels against the most frequent one."""
        errors = np.maximum(1 - self.majority, 1e-12)
        gains: Array = np.where(
            np.isfinite(self.r2), self.r2, (self.accuracy - self.majority) / errors
        )
        return gains

    @property
    def frame(self) -> Frame:
        """How well each variable is predicted from the others, the best predicted first."""
        title = (
            f"{len(self.edges)}-fold cross-validation of {self.rows} rows\n"
            f"held-out {self.measure}: {self.mean:.4f} +- {self.error:.4f} nats per row "
            f"(median {self.median:.4f})\n"
            f"edges: {min(self.edges)} to {max(self.edges)}\n\n"
            f"{'each variable' if len(self.names) > 1 else self.names[0]} predicted from the others"
        )
        measures = (
            Series(name, values, ".4g" if name == "rmse" else ".3f", head, _any(values))
            for name, head, values in ((n, head, getattr(self, n)) for n, head in MEASURES.items())
        )
        order = np.argsort(-np.nan_to_num(self.gains, nan=-np.inf), kind="stable")
        return Frame((Series("variable", self.names), *measures), title).take(order)


def _any(values: Array) -> bool:
    return bool(np.isfinite(values).any())


def n_rows(weights: Array) -> int:
    """Return the number of rows that weights represent: their sum where they are whole."""
    whole = bool((weights == np.round(weights)).all())
    return round(float(weights.sum())) if whole else len(weights)


def mean_error(values: Array, weights: Array) -> float:
    """Return the standard error of a weighted mean."""
    mean = np.average(values, weights=weights)
    spread = np.average((values - mean) ** 2, weights=weights)
    return float(np.sqrt(spread / max(weights.sum() - 1, 1.0)))


class HeldOutScores(NamedTuple):
    """Log scores of held-out rows, the name of the measure, and the number of edges."""

    logs: Array
    measure: str
    edges: int


def score_rows(net: Net, rows: Table) -> HeldOutScores:
    """Score rows by a network: by its density, or by the pseudo-likelihood where it has none."""
    if not net.directed and net.joint is None:
        return HeldOutScores(pseudo_log_density(net, rows), PSEUDO, net.n_edges)
    return HeldOutScores(marginal_log_density(net, rows), DENSITY, net.n_edges)


def validate_folds(
    dealt: Folds,
    learner: Learner,
    run: Callable[[Callable[[int], Any], int], Sequence[Any]] | None = None,
    target: str | None = None,
) -> Validation | None:
    """Score every row by the network learned from the folds it is not in.

    Parameters
    ----------
    dealt : the folds; a row with missing values is scored by its observed ones.
    learner : from a training table to a network.
    run : how to do independent pieces of work, one after the other by default.
    target : the only variable to predict, whose log probability given the others is then the measure.

    Returns
    -------
    Validation; None if the work was stopped before every fold was done.
    """
    work, parts = _FoldWork(dealt, learner, target), dealt.rows
    results = list(map(work, range(len(parts)))) if run is None else run(work, len(parts))
    if len(results) < len(parts):
        return None
    rows = np.concatenate(parts)
    order = np.argsort(rows, kind="stable")
    table = dealt.table.take(rows[order])
    table = table if target is None else table.select([target])
    density = np.concatenate([fold.logs for fold, _ in results])[order]
    off = Misses(
        *(np.concatenate(columns)[order] for columns in zip(*(m for _, m in results), strict=True))
    )
    weights = np.ones(table.rows) if table.weights is None else table.weights
    numbers = _numbers(table)
    spread = _mean((numbers - _mean(numbers, weights)) ** 2, weights)
    mse = _mean(off.errors**2, weights)
    r2 = np.where(spread > 0, 1 - mse / np.where(spread > 0, spread, 1.0), 0.0 * mse)
    accuracy = _mean(off.hits, weights)
    edges, measure = tuple(fold.edges for fold, _ in results), results[0][0].measure
    return Validation(
        table.names, density, np.sqrt(mse), r2, accuracy, -_mean(off.logs, weights),
        np.where(np.isnan(accuracy), np.nan, _majority(table, weights)), edges, weights, measure,
    )  # fmt: skip


def _majority(table: Table, weights: Array) -> Array:
    """Return the share of each column's most frequent level; NaN for numbers."""
    shares = []
    for variable, column in zip(table.variables, table.columns, strict=True):
        many = len(variable.levels or ())
        counts = np.bincount(column, weights, many + 1)[:many] if variable.discrete else np.ones(1)
        shares.append(counts.max() / counts.sum() if variable.discrete else np.nan)
    return np.array(shares)


def _numbers(table: Table) -> Array:
    """Return the columns as numbers, those of text as NaN."""
    columns = [
        np.full(table.rows, np.nan) if v.discrete and not v.numeric else numbers_of(v, column)
        for v, column in zip(table.variables, table.columns, strict=True)
    ]
    return np.column_stack(columns)


def _mean(x: Array, weights: Array) -> Array:
    """Return the weighted means of columns over the cells that are known; NaN if none is."""
    finite = np.isfinite(x)
    total = weights @ np.where(finite, x, 0.0)
    counted = weights @ finite
    means: Array = np.divide(total, counted, out=np.full(x.shape[1], np.nan), where=counted > 0)
    return means


@dataclass(frozen=True)
class _FoldWork:
    """The work of one fold, by its number: an object that can be sent to other processes."""

    dealt: Folds
    learner: Learner
    target: str | None

    def __call__(self, number: int) -> tuple[HeldOutScores, Misses]:
        table = self.dealt.table
        net = self.learner(table.take(self.dealt.rest(number)))
        unseen = table.take(self.dealt.rows[number])
        if self.target is None:
            return score_rows(net, unseen), misses(net, unseen)
        logs, missed = target_misses(net, unseen, self.target)
        return HeldOutScores(
            logs, f"{DENSITY} of {self.target} given the others", net.n_edges
        ), missed


# -- pruning -------------------------------------------------------------------------------------


class Stage(NamedTuple):
    """A stage of pruning: the inputs of the model, the removed input, and the score.

    `score` is per row; `test` and `test_median` are log densities per row of other rows (NaN if
    there are none).
    """

    inputs: tuple[str, ...]
    removed: str
    score: float
    test: float
    test_median: float


@dataclass(frozen=True)
class PruningPath(Framed):
    """The stages of pruning from all inputs to none."""

    target: str
    stages: tuple[Stage, ...]
    stopped: Stop = NOT_STOPPED

    @property
    def best(self) -> Stage:
        """The stage with the best score; ties go to fewer inputs."""
        return max(self.stages, key=lambda stage: (stage.score, -len(stage.inputs)))

    def document(self) -> dict[str, Any]:
        """Return the plain values, for JSON."""
        return {"target": self.target, "stages": self.to_records(), "stopped": str(self.stopped)}

    @property
    def frame(self) -> Frame:
        """Return one row per stage: how many inputs there are, how good they are, and which was removed."""
        stages, best = self.stages, self.best
        test = [stage.test for stage in stages], [stage.test_median for stage in stages]
        tested = not np.isnan(test[0][0])
        notes = [
            f"* best score, with {len(best.inputs)} inputs: {', '.join(best.inputs) or 'none'}"
        ]
        if self.stopped:
            n_inputs = len(stages[-1].inputs)
            notes.append(f"{self.stopped}: models with fewer than {n_inputs} inputs were not tried")
        columns = (
            Series("inputs", [len(stage.inputs) for stage in stages]),
            Series("score", [stage.score for stage in stages], "8.4f"),
            Series("test", test[0], "8.4f", shown=tested),
            Series("test_median", test[1], "8.4f", "(median)", tested),
            Series("removed", [stage.removed for stage in stages], head="without"),
            Series("best", [stage is best for stage in stages], "*", " "),
            Series("names", [", ".join(stage.inputs) for stage in stages], shown=False),
        )
        title = f"{self.target} from fewer and fewer inputs; scores in nats per row"
        return Frame(columns, title, tuple(notes))


def prune_inputs(
    fits: Fits, score: Score, target: int, test: Table | None = None, on_step: Watch | None = None
) -> PruningPath:
    """Remove inputs of a target one at a time, the least useful first.

    Parameters
    ----------
    fits : the fits of the local models.
    score : the score that measures the loss of an input.
    target : column number of the variable to predict.
    test : other rows of the same columns, to be scored by each model.
    on_step : called with each step, and between small batches of local fits where these are expensive;
        returning True ends the way early.

    Returns
    -------
    Pruning.
    """
    names = score.nodes

    def stage(inputs: tuple[int, ...], value: float, removed: str = "") -> Stage:
        mean = median = float("nan")
        if test is not None:
            model = fits.conditional(target, inputs)
            logs = model.logpdf(test.columns[target], tuple(test.columns[j] for j in inputs))
            mean, median = float(logs.mean()), float(np.median(logs))
        return Stage(tuple(names[j] for j in inputs), removed, value / score.rows, mean, median)

    inputs = tuple(x for x in range(len(names)) if x != target)
    stages = [stage(inputs, score.local(target, inputs))]
    trail = Trail(on_step)
    careful = score.interruptible(trail.check)
    while inputs and not trail.stopped:
        try:
            without = careful.toggles(target, inputs, inputs)
        except SearchEnd:
            break
        # ties within rounding go to the lower column number
        worst = int((without >= without.max() - 1e-10 * max(1.0, score.rows)).argmax())
        removed, value = inputs[worst], float(without[worst])
        inputs = inputs[:worst] + inputs[worst + 1 :]
        stages.append(stage(inputs, value, names[removed]))
        trail.add("drop", value, len(inputs), removed, target)
    return PruningPath(names[target], tuple(stages), trail.stopped)
