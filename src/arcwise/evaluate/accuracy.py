"""Accuracy of a classifier on held-out rows: accuracy, log-loss, confusion, calibration.

Every row has the probabilities of all classes from a classifier learned without it. *Accuracy* is the share
of rows whose decided class is the true one; *log-loss* the mean of -log p(true class), in nats; the *Brier
score* the mean squared distance of the probabilities to the truth. A classifier is *calibrated* if a
share p of the rows with predicted probability p of a class has that class: the reliability table compares
both in bins of p, and the expected calibration error is their mean distance (Niculescu-Mizil and Caruana
2005).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.evaluate.validate import mean_error, n_rows
from arcwise.frame import Frame, Framed, Series
from arcwise.view import figure

__all__ = ["ClassProbabilities", "Reliability"]

Array = NDArray[np.float64]

_LEAST = 1e-15  # probability below which a logarithm says no more


class Reliability(NamedTuple):
    """A bin of predicted probabilities: bounds, rows in it, their mean probability and the true share."""

    low: float
    high: float
    rows: float
    predicted: float
    observed: float


@dataclass(frozen=True, eq=False)
class ClassProbabilities(Framed):
    """Rows with the probabilities of their classes, and the truth.

    Parameters
    ----------
    target : the name of the class.
    classes : its levels.
    truth : the code of the true class in each row.
    log_proba : rows by classes, natural logarithms.
    decided : the code of the class that was chosen in each row.
    weights : row weights; copies of a row that are in different folds have a row each.
    folds : number of parts that were held out in turn.

    >>> rows = ClassProbabilities("c", ("no", "yes"), np.array([0, 1]), np.log([[0.8, 0.2], [0.6, 0.4]]),
    ...                   np.array([0, 0]), np.ones(2), 2)
    >>> rows.accuracy, round(rows.log_loss, 3), rows.confusion.tolist()
    (0.5, 0.57, [[1.0, 0.0], [1.0, 0.0]])
    """

    target: str
    classes: tuple[Any, ...]
    truth: NDArray[np.intp]
    log_proba: Array
    decided: NDArray[np.intp]
    weights: Array
    folds: int = 0

    @property
    def _right(self) -> Array:
        return np.asarray(self.decided == self.truth, dtype=float)

    @property
    def _losses(self) -> Array:
        log_shares = self.log_proba[np.arange(len(self.truth)), self.truth]
        return np.asarray(-np.maximum(log_shares, np.log(_LEAST)))

    @property
    def rows(self) -> int:
        """The number of rows, copies counted where weights are whole."""
        return n_rows(self.weights)

    @property
    def accuracy(self) -> float:
        """Return the share of rows whose decided class is the true one."""
        return float(np.average(self._right, weights=self.weights))

    @property
    def accuracy_error(self) -> float:
        """Return the standard error of the accuracy, over rows."""
        return mean_error(self._right, self.weights)

    @property
    def log_loss(self) -> float:
        """Return the mean of -log p(true class), in nats; probabilities below 1e-15 count as that."""
        return float(np.average(self._losses, weights=self.weights))

    @property
    def log_loss_error(self) -> float:
        """Return the standard error of the log-loss, over rows."""
        return mean_error(self._losses, self.weights)

    @property
    def brier(self) -> float:
        """Return the mean squared distance of the probabilities to the truth, summed over classes."""
        off = np.exp(self.log_proba)
        off[np.arange(len(self.truth)), self.truth] -= 1.0
        return float(np.average((off**2).sum(axis=1), weights=self.weights))

    @property
    def confusion(self) -> Array:
        """Return the rows of each true class (first axis) that were given each class (second axis)."""
        size = len(self.classes)
        cells = np.bincount(self.truth * size + self.decided, self.weights, size * size)
        return np.asarray(cells, dtype=float).reshape(size, size)

    def calibration(self, bins: int = 10) -> tuple[Reliability, ...]:
        """Return the reliability table: all classes of all rows, in equal bins of their probability."""
        p = np.exp(self.log_proba).ravel()
        hit = (np.arange(len(self.classes)) == self.truth[:, None]).ravel()
        weights = np.repeat(self.weights, len(self.classes))
        bin_of = np.minimum((p * bins).astype(np.intp), bins - 1)
        rows = np.bincount(bin_of, weights, bins)
        expected, true = (np.bincount(bin_of, weights * values, bins) for values in (p, hit))
        return tuple(
            Reliability(b / bins, (b + 1) / bins, rows[b], expected[b] / rows[b], true[b] / rows[b])
            for b in range(bins)
            if rows[b] > 0
        )

    @property
    def calibration_error(self) -> float:
        """Return the expected calibration error: mean distance of predicted and observed shares over
        ten bins.
        """
        table = self.calibration()
        total = sum(cell.rows for cell in table)
        return float(sum(e.rows * abs(e.predicted - e.observed) for e in table) / total)

    def _summary(self) -> str:
        accuracy = f"accuracy {self.accuracy:.4f} +- {self.accuracy_error:.4f}"
        return f"{self.rows} rows of class {self.target}, {accuracy}, log-loss {self.log_loss:.4f} nats"

    def plot(self, *, bins: int = 10, ax: Any = None) -> Any:
        """Draw predicted probabilities against the share that came true; returns matplotlib's axes.

        Parameters
        ----------
        bins : of probability, equally wide.
        ax : the axes to draw on; a new figure by default.
        """
        return figure("plot_calibration")(self.calibration(bins), ax=ax)

    def document(self) -> dict[str, Any]:
        """Return plain numbers, for JSON."""
        return {
            "class": self.target,
            "classes": [
                entry.item() if hasattr(entry, "item") else entry for entry in self.classes
            ],
            "rows": self.rows,
            "folds": self.folds,
            "accuracy": {"mean": self.accuracy, "error": self.accuracy_error},
            "log_loss": {"mean": self.log_loss, "error": self.log_loss_error},
            "brier": self.brier,
            "calibration_error": self.calibration_error,
            "confusion": self.confusion.tolist(),
            "calibration": [entry._asdict() for entry in self.calibration()],
        }

    @property
    def frame(self) -> Frame:
        """The confusion matrix: a row per true class, a column per decided class, under the scores."""
        how = f"{self.folds}-fold cross-validation" if self.folds else "classification"
        title = (
            f"{how} of {self.rows} rows, class {self.target}\n"
            f"accuracy {self.accuracy:.4f} +- {self.accuracy_error:.4f}\n"
            f"log-loss {self.log_loss:.4f} +- {self.log_loss_error:.4f} nats\n"
            f"Brier score {self.brier:.4f}, calibration error {self.calibration_error:.4f}\n"
        )
        names = list(map(str, self.classes))
        decided = zip(names, self.confusion.T, strict=True)
        counts = (Series(name, column, "6g") for name, column in decided)
        return Frame((Series("true class", names, head="true"), *counts), title)
