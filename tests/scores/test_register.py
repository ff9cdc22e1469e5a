"""What a score says of itself in the register is all that the rest of the library asks."""

import json
import math

import pytest
from contracts import corrected_aic

import arcwise as aw
from arcwise.scores import SCORES, Entry

BOSTON = aw.example("boston").select(["LSTAT", "MEDV", "RM", "TAX"])


@pytest.fixture(params=["posterior", "approximate", "predictive", "penalised"])
def toy(request, monkeypatch):
    """A new score of each meaning."""
    entry = Entry(corrected_aic.CorrectedAic, request.param)
    monkeypatch.setitem(SCORES, "toy", entry)
    return entry


def test_a_posterior_is_called_what_the_score_is(toy):
    found = aw.posterior(BOSTON, score="toy", method="exact")
    names = {"posterior": "posterior", "approximate": "approximate posterior (TOY)"}
    assert found.meaning == names.get(toy.meaning, "pseudo-posterior")
    auto = aw.posterior(BOSTON, score="toy", draws=5, seed=1)
    assert (auto.settings["method"] == "bootstrap") == (not toy.log_probability)


def test_a_charge_for_parents_is_part_of_the_settings(toy, monkeypatch):
    monkeypatch.setitem(SCORES, "ebic", toy)  # a name whose option object has a gamma
    net = aw.learn(BOSTON, score=aw.EBIC(gamma=2.0), certainty=False)
    assert net.settings["parent_penalty"] == pytest.approx(2 * math.log(4))
    assert toy.per_parent(4, {}) == 0
    json.dumps(net.settings)


def test_options_of_parts_are_those_of_the_entry():
    assert {word: entry.part_options for word, entry in SCORES.items() if entry.part_options} == {
        "kfold": {"folds": 10},
        "heldout": {"fraction": 1 / 3},
    }


def test_what_a_score_needs_of_fits_is_rejected_with_a_message():
    with pytest.raises(aw.FitError, match="bdeu is a score of discrete models"):
        aw.learn(BOSTON, score="bdeu")
    with pytest.raises(aw.FitError, match="bge is a score of Gaussian models"):
        aw.learn(aw.example("asia").sample(50, seed=1), score="bge")
