"""A throw-away second family, in one file: linear regression with Laplace noise.

p(y | x) = exp(-|y - b - w'x| / s) / (2 s). The lines are fitted by least absolute deviations,
rounded off near zero so that the minimum is unique, by weighted least squares again and again; s is
the weighted mean of the absolute residuals.

It has no method `distribution`: its densities are tabulated.

It exists to prove the seam: nothing but `Family` and `Conditional` is written here, and scores,
searches, networks, sampling and saving must work.
"""

from dataclasses import dataclass

import numpy as np

from arcwise.conditionals import Family

ROUNDS = 40


@dataclass(frozen=True, eq=False)
class LaplaceConditional:
    word = "laplace"
    intercept: float
    coefficients: np.ndarray
    scale: float

    @property
    def n_params(self) -> int:
        return len(self.coefficients) + 2

    def middle(self, xs, size):
        out = np.full(size, self.intercept)
        for weight, column in zip(self.coefficients, xs, strict=True):
            out += weight * column
        return out

    def logpdf(self, y, xs):
        return -np.log(2 * self.scale) - np.abs(y - self.middle(xs, len(y))) / self.scale

    def sample(self, xs, rng, size):
        return self.middle(xs, size) + rng.laplace(scale=self.scale, size=size)


class Laplace(Family):
    name = "laplace"
    conditional = LaplaceConditional

    def fit(self, y, xs, child, parents, weights=None):
        # Remembered, since the contracts ask for the same fits again and again.
        key = tuple(
            np.asarray(c).tobytes() for c in (y, *xs, np.zeros(0) if weights is None else weights)
        )
        if key not in _KNOWN:
            _KNOWN[key] = _fitted(y, xs, weights)
        return _KNOWN[key]


_KNOWN: dict[tuple[bytes, ...], LaplaceConditional] = {}


def _fitted(y, xs, weights):
    w = np.ones(len(y)) if weights is None else weights
    (middle, edge), *known = (_moments(column, w) for column in (y, *xs))
    columns = [(x - m) / s for x, (m, s) in zip(xs, known, strict=True)]
    design = np.column_stack([np.ones(len(y)), *columns])
    edge *= 0.01
    beta, root = np.zeros(design.shape[1]), np.sqrt(w)
    for _ in range(ROUNDS):
        beta = np.linalg.lstsq(root[:, None] * design, root * y, rcond=1e-9)[0]
        root = np.sqrt(w / np.sqrt((y - design @ beta) ** 2 + edge**2))
    slopes = beta[1:] / np.array([s for _, s in known])
    intercept = beta[0] - sum(w * m for w, (m, _) in zip(slopes, known, strict=True))
    scale = max(float(w @ np.abs(y - design @ beta) / w.sum()), 1e-9 * max(1.0, abs(middle)))
    return LaplaceConditional(float(intercept), slopes, scale)


def _moments(column, w):
    """Weighted mean and standard deviation, the latter above zero."""
    mean = w @ column / w.sum()
    return mean, max(float(np.sqrt(w @ (column - mean) ** 2 / w.sum())), 1e-9)
