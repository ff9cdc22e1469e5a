"""Resampling against a loop that is plain: tables written out row by row, learned one by one."""

from dataclasses import replace

import numpy as np
import pytest

import arcwise as aw
from arcwise.api.choices import specification
from arcwise.errors import FitError, OptionError
from arcwise.learners import bind
from arcwise.learners.posteriors.replicates import (
    Replicates,
    child_of,
    gather_results,
    resolve,
    row_weights,
)

WAYS = {
    "gaussian": {"model": "gaussian"},
    "gaussian greedy": {"model": "gaussian", "search": "greedy"},
    "parzen": {"model": "parzen", "search": "greedy"},
    "stepwise": {"graph": "undirected", "model": "gaussian"},
    "glasso": {"graph": "undirected", "model": "gaussian", "penalty": 0.2},
    "neighbourhood": {"graph": "undirected", "search": "neighbourhood", "penalty": 0.2},
    "nonparanormal": {
        "graph": "undirected",
        "penalty": 0.2,
        "search": aw.Glasso(nonparanormal=True),
    },
    "boundary": {"graph": "undirected", "model": "gaussian", "score": "bic"},
    "parzen undirected": {"graph": "undirected", "model": "parzen"},
}


@pytest.fixture(scope="module")
def homes():
    table = aw.example("boston").select(["RM", "LSTAT", "MEDV", "AGE", "CRIM"])
    return table.take(np.arange(0, table.rows, 6))


def replicates(table, **words):
    spec = specification(**words)
    choices = resolve(spec, bind(spec, table), 1, None)
    return Replicates.of(choices, np.random.default_rng(7)), choices


@pytest.mark.parametrize("way", WAYS)
def test_weights_give_the_graph_of_rows_written_out(homes, way):
    work, choices = replicates(homes, **WAYS[way])
    for number in range(3):
        counts = row_weights(homes, child_of(work.rng, number)).astype(int)
        assert counts.sum() == homes.rows
        (found,) = work(number)
        if (
            "parzen" in way
        ):  # copies must be left out together, and only weights know what a copy is
            again = bind(choices.spec, homes.with_weights(counts.astype(float), "together"))
        else:
            again = bind(choices.spec, homes.take(np.repeat(np.arange(homes.rows), counts)))
        assert found == again.structure(choices.penalty)


def test_children_are_those_of_spawn():
    spawned = np.random.default_rng(3).spawn(4)
    for number in range(4):
        own = child_of(np.random.default_rng(3), number)
        assert own.random(5).tolist() == spawned[number].random(5).tolist()


def test_copies_of_a_row_are_left_out_together(homes):
    """With the copies left in, a Parzen model predicts a row from itself and joins everything."""
    few = homes.take(np.arange(30))
    weights = np.full(30, 2.0)
    spec = specification(model="parzen", search="greedy", penalty=0.1)
    doubled = bind(spec, few.with_weights(weights, "together"))
    written = bind(spec, few.take(np.repeat(np.arange(30), 2)))
    plain = bind(spec, few)
    local = [
        problem.score.local(0, (1, 2)) / problem.score.rows for problem in (plain, doubled, written)
    ]
    assert local[1] == pytest.approx(local[0], abs=0.05)
    assert local[2] > local[0] + 0.2


def test_tables_of_frequencies_draw_as_many_cases(homes):
    weighted = homes.with_weights(np.arange(homes.rows) % 3 + 0.0)
    drawn = row_weights(weighted, np.random.default_rng(1))
    assert drawn.sum() == weighted.total
    assert (drawn[weighted.weights == 0] == 0).all()
    shares = homes.with_weights(np.random.default_rng(1).random(homes.rows))
    assert row_weights(shares, np.random.default_rng(1)).sum() == pytest.approx(shares.total)


def test_a_subsample_of_counted_rows_has_some_of_the_copies(homes):
    counted = homes.with_weights(np.full(homes.rows, 8.0))
    kept = row_weights(counted, np.random.default_rng(1), "subsample", 0.25)
    assert kept.sum() == 2 * homes.rows
    assert (kept < 8).any()
    assert (kept > 0).mean() > 0.8


def test_replicates_of_counted_rows_hold_out_units():
    """A distinct row of a thousand cases is not one unit: taken out whole, its cell would be empty."""
    levels = {"a": ["x", "x", "y", "y"], "b": ["x", "y", "x", "y"]}
    counted = aw.table(levels, weights=[40, 10, 10, 40])
    work, _ = replicates(counted, model="discrete", score="loo", search="greedy")
    assert work.table.rows == 100
    assert work.table_of(0).copies == "together"
    assert all(work(number)[0].n_arcs == 1 for number in range(5))


def test_a_subsample_has_rows_once(homes):
    kept = row_weights(homes, np.random.default_rng(1), "subsample", 0.25)
    assert set(kept) == {0.0, 1.0}
    assert kept.sum() == round(0.25 * homes.rows)


def test_a_subsample_is_counted_as_rows_without_weights():
    """Weights of ones would keep compiled counts from 64 rows at a time: replicates took twice as long."""
    alarm = aw.example("alarm").sample(500, seed=4)
    work = replace(replicates(alarm)[0], resampling="subsample", fraction=0.8)
    table, kept = work.table_of(3), row_weights(alarm, child_of(work.rng, 3), "subsample", 0.8)
    assert table.weights is None
    assert table.rows == 400
    weighted = bind(work.spec_of(3), alarm.with_weights(kept, "together"))
    assert weighted.structure(0.0) == work(3)[0]


def test_choices_by_all_rows_are_made_once(homes):
    _, tuned = replicates(homes, graph="undirected", penalty="ebic")
    assert tuned.spec.rule is None
    assert tuned.spec.penalty == tuned.penalty > 0
    assert "chosen by 'ebic' on all rows" in tuned.notes[0]
    _, own = replicates(homes, model="parzen")
    assert own.spec.penalty == bind(specification(model="parzen"), homes).penalty > 0
    _, cross = replicates(homes, model="gaussian", penalty="cv")
    assert cross.spec.score_default.word == "loglik"


def test_moments_and_odd_words_are_rejected(homes):
    moments = aw.Moments.of(homes)
    spec = specification(model="gaussian")
    choices = resolve(spec, bind(spec, moments), 1, None)
    with pytest.raises(FitError, match="needs the rows"):
        Replicates.of(choices, np.random.default_rng(0))
    rows = resolve(spec, bind(spec, homes), 1, None)
    with pytest.raises(OptionError, match="resampling"):
        Replicates.of(rows, np.random.default_rng(0), resampling="jackknife")
    with pytest.raises(OptionError, match="fraction"):
        Replicates.of(rows, np.random.default_rng(0), fraction=1.5)


def test_pieces_go_on_from_those_done():
    asked = []

    def work(number):
        asked.append(number)
        return number

    assert gather_results(work, 5, done=[0, 1]) == [0, 1, 2, 3, 4]
    assert asked == [2, 3, 4]
    assert gather_results(work, 2, done=[0, 1]) == [0, 1]


def test_a_watcher_ends_it_with_what_is_done():
    found = gather_results(lambda number: number, 100, watch=lambda step: step.number >= 3)
    assert found == [0, 1, 2]
    assert gather_results(lambda number: None if number == 2 else number, 10) == [0, 1]
