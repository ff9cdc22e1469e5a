"""Tables and scores for the laws of undirected learning; no word of the api is needed."""

import numpy as np

from arcwise.conditionals import GaussianFamily
from arcwise.data import Table, Variable
from arcwise.scores import Score, bic, leave_one_out, loglik

SCORES = {"loo": leave_one_out, "bic": bic, "loglik": loglik}


def table(columns):
    return Table(
        tuple(Variable(name) for name in columns),
        tuple(np.array(c, dtype=float) for c in columns.values()),
    )


def linear(seed, rows=60, p=6):
    """Rows of a random linear network."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.6), 1)
    x = rng.standard_t(5, size=(rows, p)) @ np.linalg.inv(np.eye(p) - weights)
    return table({f"v{i}": x[:, i] for i in rng.permutation(p)})


def bound(word, source):
    return SCORES[word](GaussianFamily().bind(source))


class Counted(Score):
    """A score that writes down all it is asked."""

    def __init__(self, score):
        self.score, self.nodes, self.rows = score, score.nodes, score.rows
        self.asked = []

    def many(self, child, sets):
        self.asked += [(child, each) for each in sets]
        return self.score.many(child, sets)


class Listed(Score):
    """A score given as a function of child and parents."""

    def __init__(self, nodes, rows, value):
        self.nodes, self.rows, self.value = nodes, rows, value

    def many(self, child, sets):
        return np.array([float(self.value(child, each)) for each in sets])
