"""`prune`: one target from fewer and fewer inputs."""

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.scores import ebic

SOURCE = linear(1, rows=80, p=5)


def test_every_step_takes_away_the_input_that_is_missed_least():
    found = aw.prune(SOURCE, "v2")
    score = ebic(FAMILIES["gaussian"].bind(SOURCE))
    inputs = (0, 1, 3, 4)
    assert [len(stage.inputs) for stage in found.stages] == [4, 3, 2, 1, 0]
    for stage in found.stages[1:]:
        without = {x: score.local(2, tuple(y for y in inputs if y != x)) for x in inputs}
        gone = max(without, key=without.__getitem__)
        assert stage.removed == SOURCE.names[gone]
        assert stage.score == pytest.approx(without[gone] / 80)
        inputs = tuple(x for x in inputs if x != gone)
    assert "best score" in str(found)


def test_other_rows_are_scored_too():
    found = aw.prune(SOURCE.take(range(60)), "v2", test=SOURCE.take(range(60, 80)), score="loo")
    assert np.isfinite([stage.test for stage in found.stages]).all()
    nonlinear = aw.prune(SOURCE, "v2", model=aw.Parzen(bandwidths="one"), n_jobs=2)
    assert len(nonlinear.stages) == 5


@pytest.mark.parametrize(
    ("target", "words", "hint"),
    [
        ("v9", {}, "'v9'"),
        (["v1"], {}, "v1"),
        ("v1", {"model": "parzn"}, "Did you mean 'parzen'"),
        ("v1", {"restarts": 2}, "no parameter 'restarts'"),
        ("v1", {"search": "tabu"}, "no parameter 'search'"),
        ("v1", {"test": {"x": [1.0]}}, "v1"),
        ("v1", {"n_jobs": 0}, "n_jobs"),
    ],
)
def test_what_makes_no_sense_is_rejected(target, words, hint):
    with pytest.raises(aw.ArcwiseError) as caught:
        aw.prune(SOURCE, target, **words)
    assert hint in str(caught.value)
