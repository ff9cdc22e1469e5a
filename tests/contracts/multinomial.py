"""A throw-away family of discrete variables, in one file: a table of probabilities for every row of parents.

p(y = k | parents in state c) = (count of k in c + 1) / (count of c + levels): add-one smoothing.

It exists to prove the contract: nothing but `Family` and `Conditional` is written here, and scores, searches,
boundary learning, networks, sampling and saving must work.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arcwise.conditionals import Family


@dataclass(frozen=True, eq=False)
class MultinomialConditional:
    word: ClassVar[str] = "multinomial"

    table: np.ndarray  # one axis for each parent, the child's last

    @property
    def n_params(self) -> int:
        return self.table.size // self.table.shape[-1] * (self.table.shape[-1] - 1)

    def probabilities(self, xs, size):
        return np.broadcast_to(self.table[tuple(xs)], (size, self.table.shape[-1]))

    def logpdf(self, y, xs):
        return np.log(self.table[(*xs, y)])

    def sample(self, xs, rng, size):
        below = np.cumsum(self.probabilities(xs, size), axis=1)
        codes = (rng.random((size, 1)) > below[:, :-1]).sum(axis=1)
        return codes.astype(np.min_scalar_type(self.table.shape[-1]))


class Multinomial(Family):
    name = "multinomial"
    conditional = MultinomialConditional
    kinds = parent_kinds = frozenset({"discrete"})

    def fit(self, y, xs, child, parents, weights=None):
        counts = np.ones([len(v.levels) for v in (*parents, child)])
        np.add.at(counts, (*xs, y), 1.0 if weights is None else weights)
        return MultinomialConditional(counts / counts.sum(axis=-1, keepdims=True))
