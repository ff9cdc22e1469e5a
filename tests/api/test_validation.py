import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.data import folds

SOURCE = linear(1, rows=60, p=4)


def test_every_choice_of_words_can_be_validated():
    found = aw.validate(SOURCE, folds=4, search="greedy", score="bic", seed=2)
    assert len(found.edges) == 4
    assert found.log_density.shape == (60,)
    again = aw.validate(SOURCE, folds=4, search="greedy", score="bic", seed=2)
    assert (found.log_density == again.log_density).all()
    other = aw.validate(SOURCE, folds=4, search="greedy", score="bic", seed=3)
    assert (found.log_density != other.log_density).any()


def test_held_out_rows_are_scored_by_learning_without_them():
    found = aw.validate(SOURCE, folds=3, search="exact", score="bic", seed=1)
    parts = folds(SOURCE, 3, np.random.default_rng(1)).rows
    for part in parts:
        net = aw.learn(SOURCE.take(np.setdiff1d(np.arange(60), part)), search="exact", score="bic")
        np.testing.assert_allclose(found.log_density[part], net.logpdf(SOURCE.take(part)))


def test_a_needless_penalty_costs_likelihood():
    dear = aw.validate(SOURCE, folds=4, search="greedy", penalty=100.0)
    plain = aw.validate(SOURCE, folds=4, search="greedy", score="bic")
    assert set(dear.edges) == {0}
    assert plain.mean > dear.mean
    assert (plain.r2 > -0.5).all()


def test_gaps_and_weights():
    rows = SOURCE.matrix()
    rows[0, 0] = np.nan
    table = aw.table(rows)
    assert aw.validate(table, folds=3, search="greedy").log_density.shape == (60,)
    dropped = aw.validate(table, folds=3, search="greedy", missing="drop")
    assert dropped.log_density.shape == (59,)
    weighted = aw.validate(
        aw.table(SOURCE, weights=np.arange(60) % 3 + 1.0), folds=3, search="greedy"
    )
    assert weighted.weights.sum() == np.sum(np.arange(60) % 3 + 1)


@pytest.mark.parametrize(
    "words",
    [
        {"scor": "bic"},
        {"score": "bicc"},
        {"folds": 1},
        {"folds": 61},
        {"graph": "undirectd"},
        {"n_jobs": 0},
        {"model": "parzn"},
    ],
)
def test_wrong_words_are_rejected(words):
    with pytest.raises(aw.ArcwiseError):
        aw.validate(SOURCE, **{"folds": 3, **words})


def test_moments_have_no_rows_to_hold_out():
    with pytest.raises(aw.FitError, match="rows"):
        aw.validate(aw.Moments.of(SOURCE))


ROWS = np.arange(60)
LABELS = ROWS % 3
LISTS = [np.flatnonzero(label == LABELS) for label in range(3)]


class Splitter:
    def split(self, rows):
        assert len(rows) == 60
        return [(np.setdiff1d(ROWS, part), part) for part in LISTS]


@pytest.mark.parametrize(
    "own",
    [LABELS, LABELS.tolist(), [f"part {label}" for label in LABELS], LISTS, Splitter()],
    ids=["array", "numbers", "texts", "rows", "splitter"],
)
def test_own_folds_are_taken_in_every_form(own):
    found = aw.validate(SOURCE, folds=own, search="greedy", score="bic")
    for part in LISTS:
        net = aw.learn(SOURCE.take(np.setdiff1d(ROWS, part)), search="greedy", score="bic")
        np.testing.assert_allclose(found.log_density[part], net.logpdf(SOURCE.take(part)))


def test_a_column_of_folds_is_not_learned_from_and_dropped_rows_keep_their_folds():
    frame = {name: SOURCE.values(name).copy() for name in SOURCE.names}
    labels = np.where(LABELS == 0, "first", "others").astype(object)
    frame["v1"][4] = np.nan
    words = {"search": "greedy", "score": "bic", "missing": "drop"}
    found = aw.validate({**frame, "part": labels}, folds="part", **words)
    assert found.names == SOURCE.names
    keep = np.delete(ROWS, 4)
    wanted = aw.validate(SOURCE.take(keep), folds=labels[keep], search="greedy", score="bic")
    np.testing.assert_array_equal(found.log_density, wanted.log_density)


def test_rows_to_train_on_and_rows_without_a_fold():
    pairs = [(ROWS[:20], ROWS[20:25]), (ROWS[:40], ROWS[40:45])]
    found = aw.validate(SOURCE, folds=pairs, search="greedy", score="bic")
    first = aw.learn(SOURCE.take(ROWS[:20]), search="greedy", score="bic")
    assert found.rows == 10
    np.testing.assert_allclose(found.log_density[:5], first.logpdf(SOURCE.take(ROWS[20:25])))


@pytest.mark.parametrize("graph", ["v1 -> v2 <- v3", "v1 -- v2, v2 -- v3"])
@pytest.mark.parametrize("model", ["gaussian", "parzen"])
def test_of_a_fixed_graph_only_parameters_are_learned_again(graph, model):
    found = aw.validate(SOURCE, folds=LISTS, graph=graph, model=model)
    assert found.edges == (2, 2, 2)
    assert found.names == ("v1", "v2", "v3")
    net = aw.fit(graph, SOURCE.take(np.setdiff1d(ROWS, LISTS[0])), model=model)
    log = net.logpdf if found.measure == "log density" else net.pseudo_logpdf
    np.testing.assert_allclose(found.log_density[LISTS[0]], log(SOURCE.take(LISTS[0])))


def test_one_target_is_predicted_from_the_others():
    found = aw.validate(SOURCE, folds=LISTS, target="v2", search="greedy", score="bic")
    every = aw.validate(SOURCE, folds=LISTS, search="greedy", score="bic")
    place = every.names.index("v2")
    assert found.names == ("v2",)
    assert found.rmse[0] == pytest.approx(every.rmse[place], rel=1e-3)
    rest = np.setdiff1d(ROWS, LISTS[0])
    net = aw.learn(SOURCE.take(rest), search="greedy", score="bic")
    belief = net.predict(SOURCE.take(LISTS[0]), "v2")
    logs = belief.distribution.logpdf(SOURCE.take(LISTS[0]).column("v2")[:, None])[:, 0]
    np.testing.assert_allclose(found.log_density[LISTS[0]], logs)
    assert "log density of v2 given the others" in str(found)


def test_the_log_probability_of_a_level_is_measured():
    drawn = aw.example("asia", kind="network").sample(120, seed=1)
    found = aw.validate(drawn, folds=3, target="dysp", graph="bronc -> dysp")
    assert found.mean == pytest.approx(-found.log_loss[0])
    assert -0.7 < found.mean < -0.2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"folds": [[1, 2], [99]]}, "Row numbers of folds must be from 0 to 59, got 99"),
        ({"folds": [[1, 2]]}, "two or more"),
        ({"folds": [[1, 2], []]}, "list of row numbers|none of them empty"),
        ({"folds": 2.5}, "got 2.5"),
        ({"folds": [1, 2, 1]}, "one per row, got 3 for 60"),
        ({"folds": "part"}, "no column 'part'"),
        ({"graph": "a -> b"}, "variable 'a' that is not in the data"),
        ({"graph": "v1 -> v2", "search": "tabu"}, "leave out search"),
        ({"target": "v9"}, "no variable 'v9'"),
    ],
)
def test_wrong_folds_graphs_and_targets_are_errors(words, said):
    with pytest.raises(aw.ArcwiseError, match=said):
        aw.validate(SOURCE, **words)
