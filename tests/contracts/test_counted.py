"""A counted table is its long one: whatever leaves rows out gives the same of both."""

import numpy as np
import pytest
from contracts.cases import KINDS, TABLES, kinds_of, whole_kinds_of
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.data import Table
from arcwise.scores import SCORES

ON = [(family, kind) for family in FAMILIES.values() for kind in kinds_of(family)]
family_law = pytest.mark.parametrize(
    ("family", "kind"), ON, ids=[f"{family.name} {kind}" for family, kind in ON]
)
SETS = [(), (3,), (3, 4)]


def both(kind: str, seed: int, rows: int = 24, p: int = 5) -> tuple[Table, Table]:
    """A table with weights from 0 to 3, and its copies written out in another order."""
    rng, source = np.random.default_rng(seed), TABLES[kind](seed, rows=rows, p=p)
    counts = rng.integers(0, 4, size=rows)
    long = source.take(rng.permutation(np.repeat(np.arange(rows), counts)))
    return source.with_weights(counts), long


@family_law
@pytest.mark.parametrize(
    "word", [word for word, entry in SCORES.items() if entry.meaning == "predictive"]
)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_scores_of_rows_left_out(word, family, kind, seed):
    counted, long = both(kind, seed)
    one, other = (
        SCORES[word].tie(family.bind(source), np.random.default_rng(seed))
        for source in (counted, long)
    )
    assert one.rows == other.rows
    for child in [x for x in range(2) if KINDS[kind][x] in family.kinds]:
        a, b = one.many(child, SETS), other.many(child, SETS)
        several = family.name in ("glm", "curved")  # curves far beyond a few rows: sums differ most
        few = kind not in whole_kinds_of(family)
        near = 1e-9 if several else 1e-11 if few else 1e-13  # of regressions on a few rows each
        assert a == pytest.approx(b, rel=near, abs=100 * near)


@family_law
def test_validation(family, kind):
    if not family.takes(TABLES[kind](1).variables[0], TABLES[kind](1).variables[1:]):
        pytest.skip("the family has no networks of such columns")
    counted, long = both(kind, 3, rows=30, p=3)
    words = {"model": family.name, "search": "greedy", "folds": 4, "seed": 1}
    one, other = (aw.validate(source, **words) for source in (counted, long))
    assert one.rows == other.rows == long.rows
    assert one.edges == other.edges
    for word in ("mean", "error", "median"):
        assert getattr(one, word) == pytest.approx(getattr(other, word), rel=1e-9)
    for word in ("rmse", "r2", "accuracy", "log_loss", "majority"):
        assert getattr(one, word) == pytest.approx(getattr(other, word), rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("select", [None, "forward", "backward-joining"])
@pytest.mark.parametrize(
    ("kind", "features"), [("discrete", "auto"), ("mixed, levels first", "auto"),
                           ("mixed, levels first", "gaussian"), ("mixed, levels first", "parzen")],
)  # fmt: skip
def test_classifiers(kind, features, select):
    counted, long = both(kind, 5, rows=40)
    words = {"structure": "naive", "features": features, "folds": 4, "select": select}
    if features == "parzen" and select:
        pytest.skip("slow")
    if select == "backward-joining" and kind != "discrete":
        pytest.skip("only levels are joined")
    one, other = (aw.classify(source, "v0", **words) for source in (counted, long))
    assert one.network.graph == other.network.graph
    assert one.validated.rows == other.validated.rows == long.rows
    assert one.validated.accuracy == pytest.approx(other.validated.accuracy, rel=1e-12)
    assert one.validated.log_loss == pytest.approx(other.validated.log_loss, rel=1e-9)
    assert one.validated.confusion == pytest.approx(other.validated.confusion)


@pytest.mark.parametrize("kind", ["continuous", "discrete"])
@pytest.mark.parametrize(
    "words",
    [{"penalty": "cv", "search": "greedy"}, {"score": "loo"}, {"score": "kfold"}, {"score": "heldout"},
     {"graph": "undirected", "penalty": "cv"}, {}],
    ids=str,
)  # fmt: skip
def test_learning(kind, words):
    counted, long = both(kind, 7, rows=60, p=4)
    one, other = (aw.learn(source, **words) for source in (counted, long))
    assert one.graph == other.graph
    assert one.score == pytest.approx(other.score, rel=1e-9)


def test_one_unit_of_a_cell_is_left_out():
    """The figures of a table of counts: with a whole cell gone, no row is likely."""
    rng = np.random.default_rng(1)
    levels = np.array(["low", "middle", "high"])
    a = rng.integers(0, 3, 3000)
    b = np.where(rng.random(3000) < 0.85, a, rng.integers(0, 3, 3000))
    long = aw.table({"a": levels[a], "b": levels[b]})
    cells, counts = np.unique(3 * a + b, return_counts=True)
    counted = aw.table({"a": levels[cells // 3], "b": levels[cells % 3]}, weights=counts)
    found = aw.classify(counted, "a", structure="naive").validated
    assert found.accuracy == aw.classify(long, "a", structure="naive").validated.accuracy > 0.85
    assert aw.validate(counted).mean == pytest.approx(aw.validate(long).mean, rel=1e-12)
    together = aw.table(counted, copies="together")
    whole = aw.classify(together, "a", structure="naive", folds=9).validated
    assert whole.accuracy < 0.1  # each of the nine cells is left out as a whole
