"""Slow, obvious twins of the graphical lasso: proximal gradient steps, regressions, cliques."""

import numpy as np


def objective(S, P, T):
    """The penalised log-likelihood, to be maximised."""
    values = np.linalg.eigvalsh(T)
    if values[0] <= 0:
        return -np.inf
    finite = np.where(T != 0, P, 0.0)
    return np.log(values).sum() - np.sum(S * T) - np.sum(finite * np.abs(T))


def violation(S, P, T):
    """The largest breach of the conditions for a maximum, relative to the penalty (or 0.001)."""
    G = np.linalg.inv(T) - S
    with np.errstate(invalid="ignore"):
        on = np.abs(G - np.where(P > 0, P, 0.0) * np.sign(T))
    breach = np.where(T != 0, on, np.maximum(np.abs(G) - P, 0.0))
    scale = np.sqrt(np.outer(np.diag(S), np.diag(S)))
    return float(np.max(breach / np.maximum(P, 1e-3 * scale)))


def full(S, penalty, diagonal=True):
    """Penalties as a matrix."""
    P = np.broadcast_to(np.asarray(penalty, dtype=float), S.shape).copy()
    if not diagonal:
        np.fill_diagonal(P, 0.0)
    return P


def soft(T, P):
    held = np.where(np.isinf(P), 0.0, np.sign(T) * np.maximum(np.abs(T) - P, 0.0))
    return (held + held.T) / 2


def proximal(S, P, steps=3000, tolerance=1e-9):
    """Gradient steps with soft thresholding, halved until they help (Beck and Teboulle 2009)."""
    T = np.diag(1.0 / (np.diag(S) + np.diag(P)))
    size = 1.0
    for _ in range(steps):
        gradient, here = S - np.linalg.inv(T), objective(S, 0 * S, T)
        while True:
            new = soft(T - size * gradient, size * P)
            move = new - T
            bound = here - np.sum(gradient * move) - np.sum(move**2) / (2 * size)
            if objective(S, 0 * S, new) >= bound - 1e-13:
                break
            size *= 0.5
        T = new
        if np.abs(move).max() < tolerance * size:
            return T
        size *= 1.5
    return T


def components(S, P):
    """Smallest member of each variable's component in the graph |S| > P."""
    labels = list(range(len(S)))
    for _ in labels:
        for i in range(len(S)):
            for j in range(len(S)):
                if i != j and abs(S[i, j]) > P[i, j]:
                    labels[i] = labels[j] = min(labels[i], labels[j])
    return labels


def modified_regression(S, edges, sweeps=2000):
    """The Elements of Statistical Learning, algorithm 17.1: W and Theta for a known graph."""
    p = len(S)
    near = [[k for k in range(p) if (j, k) in edges or (k, j) in edges] for j in range(p)]
    W, B = S.copy(), np.zeros((p, p))
    for _ in range(sweeps):
        for j in range(p):
            others = [k for k in range(p) if k != j]
            B[j] = 0.0
            if near[j]:
                B[j, near[j]] = np.linalg.solve(W[np.ix_(near[j], near[j])], S[near[j], j])
            W[j, others] = W[others, j] = W[np.ix_(others, others)] @ B[j, others]
    own = 1.0 / (np.diag(S) - np.sum(W * B, axis=1))
    return W, np.diag(own) - (B * own[:, None])


def clique_form(S, cliques, separators):
    """Theta of a decomposable graph: the cliques' inverse covariances less the separators'."""
    T = np.zeros_like(S)
    for sets, sign in ((cliques, 1.0), (separators, -1.0)):
        for members in map(list, sets):
            T[np.ix_(members, members)] += sign * np.linalg.inv(S[np.ix_(members, members)])
    return T


def lasso(R, j, penalty, passes=5000):
    """Coordinate descent for the lasso of column j on the others, from their correlations."""
    b = np.zeros(len(R))
    for _ in range(passes):
        for k in range(len(R)):
            if k != j:
                rest = R[k, j] - R[k] @ b + R[k, k] * b[k]
                b[k] = np.sign(rest) * max(abs(rest) - penalty, 0.0) / R[k, k]
    return b
