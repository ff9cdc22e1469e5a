"""Slow, obvious twins of the Gaussian kernels: regressions on the rows by least squares."""

import math
from itertools import combinations

import numpy as np

LEAST = 1e-10


def standardised(rows: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and variance 1 (constant ones with variance 0)."""
    centred = rows - rows.mean(axis=0)
    sd = centred.std(axis=0)
    constant = sd <= 1e-12 * np.abs(rows.mean(axis=0))
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, sd))


def correlations(rows: np.ndarray) -> np.ndarray:
    """The matrix that the kernels read: unit diagonal, constant columns unrelated to others."""
    z = standardised(rows)
    matrix = z.T @ z / len(z)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def left_over(z: np.ndarray, child: int, parents) -> float:
    """Mean square of what least squares on the parents' columns leaves of the child's column."""
    x = z[:, list(parents)]
    beta = np.linalg.lstsq(x, z[:, child], rcond=1e-9)[0] if x.shape[1] else np.zeros(0)
    return float(np.mean((z[:, child] - x @ beta) ** 2))


def independent(z: np.ndarray, members) -> list[int]:
    """Members that are no linear combination of those before them."""
    kept: list[int] = []
    for member in members:
        if left_over(z, member, kept) >= LEAST:
            kept.append(member)
    return kept


def residual(rows: np.ndarray, child: int, parents) -> float:
    """Share of the child's variance that the parents leave unexplained, at least the floor."""
    z = standardised(rows)
    own = 1.0 if not z[:, child].any() else left_over(z, child, independent(z, parents))
    return max(own, LEAST)


def logdet(rows: np.ndarray, members) -> float:
    """log det of the correlations of the members that count."""
    z = standardised(rows)
    constant = [m for m in members if not z[:, m].any()]
    kept = independent(z, [m for m in members if m not in constant])
    return float(np.linalg.slogdet(correlations(rows)[np.ix_(kept, kept)])[1]) if kept else 0.0


def toggled(parents, x: int) -> tuple[int, ...]:
    return tuple(sorted(set(parents) ^ {x}))


def all_subsets(members):
    """Subsets in the order of bit masks over the members."""
    for mask in range(1 << len(members)):
        yield tuple(m for bit, m in enumerate(members) if mask >> bit & 1)


def loglik(rows, child, parents, weights=None) -> float:
    """Log-likelihood of a regression with intercept, at its maximum-likelihood variance."""
    w = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=float)
    mean, variance = regression(rows, child, parents, w)
    return float(np.sum(w * normal(rows[:, child], mean(rows), variance)))


def regression(rows, child, parents, weights):
    """Mean function and variance of a weighted regression."""
    root = np.sqrt(weights)[:, None]
    x = np.column_stack([np.ones(len(rows)), rows[:, list(parents)]])
    beta = np.linalg.lstsq(root * x, root[:, 0] * rows[:, child], rcond=None)[0]
    variance = np.sum(weights * (rows[:, child] - x @ beta) ** 2) / weights.sum()

    def mean(new):
        return np.column_stack([np.ones(len(new)), new[:, list(parents)]]) @ beta

    return mean, variance


def normal(y, mean, variance):
    return -0.5 * (np.log(2 * np.pi * variance) + (y - mean) ** 2 / variance)


def held_out(rows, child, parents, parts, weights=None) -> float:
    """Log-likelihood of each part under the regression fitted to the other rows."""
    w = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=float)
    total = 0.0
    for part in parts:
        rest = np.setdiff1d(np.arange(len(rows)), part)
        mean, variance = regression(rows[rest], child, parents, w[rest])
        unseen = rows[part]
        total += float(np.sum(w[part] * normal(unseen[:, child], mean(unseen), variance)))
    return total


def log_gamma(dimension: int, x: float) -> float:
    """Logarithm of the multivariate gamma function."""
    terms = (math.lgamma(x - j / 2) for j in range(dimension))
    return dimension * (dimension - 1) / 4 * math.log(math.pi) + sum(terms)


def bge_set(rows, members, p, alpha_mu=1.0, alpha_w=None, prior_mean="sample") -> float:
    """Log marginal likelihood of some columns under the normal-Wishart prior, as printed."""
    alpha_w = p + 2 if alpha_w is None else alpha_w
    n, size = len(rows), len(members)
    if not size:
        return 0.0
    t = alpha_mu * (alpha_w - p - 1) / (alpha_mu + 1)
    x = rows[:, list(members)] - rows[:, list(members)].mean(axis=0)
    a = alpha_w - p + size
    posterior = t * np.eye(size) + x.T @ x
    if prior_mean == "zero":
        mean = rows[:, list(members)].mean(axis=0)
        posterior += n * alpha_mu / (n + alpha_mu) * np.outer(mean, mean)
    return float(
        -size * n / 2 * math.log(math.pi)
        + size / 2 * math.log(alpha_mu / (n + alpha_mu))
        + log_gamma(size, (n + a) / 2)
        - log_gamma(size, a / 2)
        + a / 2 * size * math.log(t)
        - (n + a) / 2 * np.linalg.slogdet(posterior)[1]
    )


def bge(rows, child, parents, **prior) -> float:
    p = rows.shape[1]
    whole = bge_set(rows, [child, *parents], p, **prior)
    return whole - bge_set(rows, list(parents), p, **prior)


def parent_sets(p: int, child: int, most: int | None = None):
    """All parent sets of a child, small ones first."""
    others = [x for x in range(p) if x != child]
    for size in range(min(len(others), p if most is None else most) + 1):
        yield from combinations(others, size)
