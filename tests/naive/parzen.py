"""Slow, obvious twins of the Parzen kernels: sums over rows by logsumexp, as the formulas are printed."""

import math

import numpy as np


def distances(columns, apart, inputs, at):
    """Squared distances (q, n) of points `at` (k, q) to the rows over some columns."""
    total = np.zeros((at.shape[1], columns.shape[1]))
    for place, j in enumerate(inputs):
        off = at[place][:, None] - columns[j][None, :]
        total += (off != 0.0) if apart[j] else off**2
    return total


def log_sum(exponents, weights):
    """log of sum_m w_m exp(exponent_m) for each row, zero weights left out."""
    x = np.where(weights > 0, exponents, -np.inf)
    top = x.max(axis=1)
    return top + np.log(np.sum(weights * np.exp(x - top[:, None]), axis=1))


def apart_from(y, z, levels):
    return (y[:, None] != z[None, :]).astype(float) if levels else (y[:, None] - z[None, :]) ** 2


def log_normaliser(width, levels):
    b = 0.5 / width**2
    return -math.log1p((levels - 1) * math.exp(-b)) if levels else 0.5 * math.log(b / math.pi)


def log_ratios(columns, apart, weights, child, levels, inputs, bandwidths):
    """log S_n - log T_n + log normaliser of every row."""
    h_in, h_out = bandwidths
    d = distances(columns, apart, inputs, columns[list(inputs)]) / (2 * h_in**2)
    o = apart_from(columns[child], columns[child], levels) / (2 * h_out**2)
    others = np.where(np.eye(len(weights), dtype=bool), 0.0, weights[None, :])
    d -= np.where(others > 0, d, np.inf).min(axis=1, keepdims=True)  # far rows keep their digits
    ratio = log_sum(-d - o, others) - log_sum(-d, others)
    return ratio + log_normaliser(h_out, levels)


def loo(columns, apart, weights, child, levels, inputs, bandwidths):
    used = weights > 0
    ratio = log_ratios(columns[:, used], apart, weights[used], child, levels, inputs, bandwidths)
    return float(np.average(ratio, weights=weights[used]))


def joint(columns, apart, weights, inputs, width):
    used = weights > 0
    columns, weights = columns[:, used], weights[used]
    d = distances(columns, apart, inputs, columns[list(inputs)]) / (2 * width**2)
    others = np.where(np.eye(len(weights), dtype=bool), 0.0, weights[None, :])
    return float(np.average(log_sum(-d, others), weights=weights))


def shares(inputs, apart, weights, queries, width):
    d = distances(inputs, apart, range(len(inputs)), queries) / (2 * width**2)
    w = np.broadcast_to(weights, d.shape)
    d = np.where(w > 0, d, np.inf)
    return w * np.exp(-d - log_sum(-d, w)[:, None])


def log_density(inputs, apart, weights, output, levels, queries, y, h_in, h_out):
    d = distances(inputs, apart, range(len(inputs)), queries) / (2 * h_in**2)
    o = apart_from(y, output, levels) / (2 * h_out**2)
    w = np.broadcast_to(weights, d.shape)
    d -= np.where(w > 0, d, np.inf).min(axis=1, keepdims=True)
    return log_sum(-d - o, w) - log_sum(-d, w) + log_normaliser(h_out, levels)
