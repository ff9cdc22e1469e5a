"""Slow, obvious twins of generalised linear models: designs written out, fitted by generic routines."""

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm

FLOOR = 1e-4


def standardised(x: np.ndarray) -> np.ndarray:
    return (x - x.mean()) / x.std()


def indicators(codes: np.ndarray) -> list[np.ndarray]:
    """All levels that occur but for the first."""
    return [(codes == level).astype(float) for level in np.unique(codes)[1:]]


def design(*blocks) -> np.ndarray:
    """An intercept and columns; a block is a column of numbers, codes, or several columns."""
    columns = [np.ones(len(blocks[0]) if isinstance(blocks[0], np.ndarray) else len(blocks[0][0]))]
    for block in blocks:
        if isinstance(block, list):
            columns += block
        else:
            columns += indicators(block) if block.dtype.kind in "iu" else [block]
    return np.column_stack(columns)


def normal_loglik(y: np.ndarray, x: np.ndarray, weights: np.ndarray | None = None) -> float:
    """The largest likelihood of a regression, its standard deviation at least a hundredth of that of y."""
    w = np.ones(len(y)) if weights is None else weights
    root = np.sqrt(w)
    beta = np.linalg.lstsq(x * root[:, None], y * root, rcond=1e-10)[0]
    mean = np.average(y, weights=w)
    least = FLOOR * np.average((y - mean) ** 2, weights=w)
    variance = max(np.average((y - x @ beta) ** 2, weights=w), least)
    return float(w @ norm.logpdf(y, x @ beta, np.sqrt(variance)))


def logit_loglik(codes: np.ndarray, x: np.ndarray, levels: int, pseudo: float = 1.0) -> float:
    """The likelihood of the logit that is best for the rows and one imaginary row spread over them."""
    n, d = x.shape
    counts = np.bincount(codes, minlength=levels)
    usual = (counts + 0.5) / (n + 0.5 * levels)
    share = pseudo / (n + pseudo)
    targets = (1 - share) * np.eye(levels)[codes] + share * usual

    def logs(flat):
        eta = np.hstack([x @ flat.reshape(d, levels - 1), np.zeros((n, 1))])
        eta -= eta.max(axis=1, keepdims=True)
        return eta - np.log(np.exp(eta).sum(axis=1, keepdims=True))

    def loss(flat):
        own = logs(flat)
        slope = x.T @ (np.exp(own) - targets)[:, :-1]
        return -(targets * own).sum(), slope.ravel()

    start = np.zeros(d * (levels - 1))
    found = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-7, "maxiter": 5000})
    return float(logs(found.x)[np.arange(n), codes].sum())


def table_loglik(codes: np.ndarray, places: np.ndarray, levels: int, total: int) -> float:
    """The likelihood of shares of levels in each of `total` configurations, smoothed by one row in all."""
    counts = np.bincount(codes, minlength=levels)
    usual = (counts + 0.5) / (len(codes) + 0.5 * levels)
    value = 0.0
    for code, place in zip(codes, places, strict=True):
        inside = codes[places == place]
        share = (np.sum(inside == code) + usual[code] / total) / (len(inside) + 1 / total)
        value += np.log(share)
    return float(value)


def spread_loglik(y: np.ndarray, x: np.ndarray, v: np.ndarray) -> float:
    """The largest likelihood of a normal regression on x whose log variance is linear in v."""
    d = x.shape[1]
    beta = np.linalg.lstsq(x, y, rcond=1e-10)[0]
    first = np.concatenate([beta, [np.log((y - x @ beta).var())], np.zeros(v.shape[1] - 1)])

    def loss(flat):
        logs, rest = v @ flat[d:], y - x @ flat[:d]
        ratio = rest**2 * np.exp(-logs)
        slope = np.concatenate([-x.T @ (rest * np.exp(-logs)), 0.5 * v.T @ (1 - ratio)])
        return 0.5 * (np.log(2 * np.pi) + logs + ratio).sum(), slope

    found = minimize(loss, first, jac=True, method="BFGS", options={"gtol": 1e-6, "maxiter": 5000})
    return -float(found.fun)
