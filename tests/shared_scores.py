"""Scores of the shared data sets, as the oracles have them."""

from arcwise.conditionals import FAMILIES
from arcwise.data import read
from arcwise.scores import SCORES

FOLDERS = {"eustockmarkets_changes": "finance"}


def shared_score(folder, name, word="bdeu_ess1", rows=None):
    """The score of a data set of the shared folder, by the oracle's word for it; of the first rows."""
    place = folder / FOLDERS.get(name, "bnlearn") / f"{name}.csv"
    table = read(place if place.exists() else place.with_name(place.name + ".gz"))
    table = table if rows is None else table.head(rows)
    if word.startswith("bge"):
        return SCORES["bge"].bind(FAMILIES["gaussian"].bind(table))
    size = float(word.removeprefix("bdeu_ess"))
    return SCORES["bdeu"].bind(FAMILIES["discrete"].bind(table), equivalent_sample_size=size)
