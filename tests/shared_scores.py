"""Scores of the shared data sets, as the oracles have them."""

import csv
import gzip

import numpy as np

from arcwise._kernels.discrete import DiscreteScores, DiscreteTable
from arcwise.conditionals import FAMILIES
from arcwise.data import read
from arcwise.scores import SCORES, Score

FOLDERS = {"eustockmarkets_changes": "finance"}


class Counted(Score):
    """BDeu of codes, by the compiled sums."""

    equivalent = lattice = True

    def __init__(self, nodes, codes, levels, alpha=1.0):
        self.nodes, self.rows = tuple(nodes), float(codes.shape[1])
        self.given = codes, levels, alpha
        self.kernel = DiscreteScores(DiscreteTable(codes, levels, None), "bdeu", alpha=alpha)

    def __reduce__(self):
        return Counted, (self.nodes, *self.given)

    def many(self, child, sets):
        return self.kernel.many(child, sets)

    def subsets(self, child, others, always=(), most=1 << 30):
        found = self.kernel.subsets(child, others, always, min(most, len(self.nodes)))
        return np.where(np.isnan(found), -np.inf, found)

    def compiled(self, extra=None):
        return self.kernel if extra is None else None


def shared_score(folder, name, word="bdeu_ess1", rows=None):
    """The score of a data set of the shared folder, by the oracle's word for it."""
    place = folder / FOLDERS.get(name, "bnlearn") / f"{name}.csv"
    place = place if place.exists() else place.with_name(place.name + ".gz")
    if word.startswith("bge"):
        return SCORES["bge"].bind(FAMILIES["gaussian"].bind(read(place)))
    opened = gzip.open if place.suffix == ".gz" else open
    with opened(place, "rt") as lines:
        head, *body = csv.reader(lines)
    columns = np.array(body[:rows]).T
    found = [np.unique(column, return_inverse=True) for column in columns]
    codes = np.array([inverse for _, inverse in found], dtype=np.uint16)
    alpha = float(word.removeprefix("bdeu_ess"))
    return Counted(head, codes, [len(levels) for levels, _ in found], alpha)
