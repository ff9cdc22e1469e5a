"""What a climb has visited: the totals of all graphs on its way, beside what a search hands back."""

import numpy as np

from arcwise.conditionals import FAMILIES
from arcwise.data import table
from arcwise.scores import Score, bic
from arcwise.search.climb import Climb


def visited(monkeypatch) -> list[float]:
    """A list that every move of every climb from now on adds its total to."""
    totals, apply = [], Climb.apply

    def told(self, move):
        apply(self, move)
        totals.append(self.total)

    monkeypatch.setattr(Climb, "apply", told)
    return totals


def dense_bic(seed: int, p: int, rows: int = 100) -> Score:
    """The BIC of columns each of which depends on all before it: many local optima."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, p)) @ (np.eye(p) + np.triu(rng.normal(size=(p, p)), 1))
    return bic(FAMILIES["gaussian"].bind(table({f"v{i:02}": x[:, i] for i in range(p)})))
