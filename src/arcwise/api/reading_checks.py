"""Checks of a posterior read from a file: probabilities are probabilities, and errors are errors."""

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FileError
from arcwise.results import Posterior

ROUNDING = 1e-6
"""How far sums of probabilities may be from one."""


def check_posterior(found: Posterior) -> None:
    """Reject a posterior whose numbers cannot be.

    Raises
    ------
    FileError : names the entry.
    """
    _check_weights("weights", found.weights, len(found.graphs))
    _check_weights("shares", found.shares, len(found.graphs))
    if found.graphs and abs(found.shares.sum() - 1.0) > ROUNDING:
        raise FileError(f"its shares must sum to 1, got {found.shares.sum():g}")
    size = len(found.nodes)
    pairs = ~np.eye(size, dtype=bool)
    for name in ("arcs", "adjacent", "arc_errors", "adjacent_errors"):
        matrix = getattr(found, name)
        absent = name.startswith("arc") and not found.directed and bool(np.isnan(matrix).all())
        top = 1.0 + ROUNDING if name in ("arcs", "adjacent") else np.inf
        if not absent and not _between(matrix[pairs], top):
            raise FileError(f"its {name} must be numbers from 0{' to 1' * (top < 2)}")
    if not np.allclose(found.adjacent, found.adjacent.T, atol=ROUNDING, equal_nan=True):
        raise FileError("its probabilities of edges must be symmetric")
    _check_plain(found)


def _check_weights(name: str, weights: NDArray[np.float64], count: int) -> None:
    if weights.shape != (count,) or not _between(weights, 1.0 + ROUNDING):
        raise FileError(f"its {name} must be {count} numbers from 0 to 1")
    if weights.sum() > 1.0 + ROUNDING:
        raise FileError(f"its {name} must sum to 1 at most, got {weights.sum():g}")


def _between(numbers: NDArray[np.float64], top: float) -> bool:
    return bool(((numbers >= 0.0) & (numbers <= top)).all())


def _check_plain(found: Posterior) -> None:
    """Reject entries of other types, or numbers out of range."""
    texts = (found.meaning, found.prior, found.stopped)
    if not all(isinstance(text, str) for text in texts) or not isinstance(found.classes, bool):
        raise FileError("its meaning, prior and end must be texts, and classes a truth value")
    draws = found.draws
    if not isinstance(draws, int) or isinstance(draws, bool) or draws < 0:
        raise FileError(
            f"its draws must be a non-negative integer, got a value of type {type(draws).__name__}"
        )
    for name in ("ess", "graph_ess", "log_evidence"):
        value = getattr(found, name)
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        good = plain and not np.isnan(value) and (name == "log_evidence" or value >= 0)
        if not (good or (value is None and name != "ess")):
            raise FileError(
                f"its {name} must be a number from 0, got a value of type {type(value).__name__}"
            )
