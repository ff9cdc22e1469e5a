"""A checkpoint goes on under the choices that it was made with, and is refused under any other."""

import inspect
from dataclasses import fields

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import FileError
from arcwise.learners import Specification
from arcwise.learners.posteriors.plan import Plan

COLUMNS = ["RM", "LSTAT", "MEDV"]
FRAME = np.full((3, 3), 0.3)
ROWS = {name: [0.0, 1.0] for name in COLUMNS}

# Everything that shapes a result, with a run to begin with and another value.
BOOT = {"method": "bootstrap", "model": "gaussian", "search": "greedy", "draws": 2}
MCMC = {"method": "mcmc", "draws": 2, "chains": 2, "burn_in": 4, "thin": 2}
LASSO = {
    "method": "bootstrap",
    "graph": "undirected",
    "search": "glasso",
    "draws": 2,
    "penalty": 0.3,
}
EXPERT = {**BOOT, "expert": "[RM][LSTAT|RM][MEDV|LSTAT]"}
CHANGES = [
    (BOOT, {"method": "mcmc", "search": "auto"}),
    (BOOT, {"graph": "undirected", "search": "boundary"}),
    (BOOT, {"model": "parzen", "max_parents": 1}),
    (BOOT, {"score": "bic"}),
    (BOOT, {"score": "ebic"}),
    (BOOT, {"search": "tabu"}),
    (BOOT, {"penalty": 0.1}),
    (BOOT, {"rules": aw.Rules(forbidden=["RM -> MEDV"])}),
    (BOOT, {"required": ["RM -> MEDV"]}),
    (BOOT, {"forbidden": ["RM -> MEDV"]}),
    (BOOT, {"tiers": [["RM"], ["LSTAT", "MEDV"]]}),
    (BOOT, {"max_parents": 1}),
    (BOOT, {"resampling": "subsample"}),
    ({**BOOT, "resampling": "subsample"}, {"fraction": 0.7}),
    (BOOT, {"kinds": dict.fromkeys(COLUMNS, "discrete"), "model": "auto"}),
    (BOOT, {"weights": np.arange(1.0, 507.0)}),
    (BOOT, {"na_values": [50.0]}),
    (BOOT, {"seed": 1}),
    (BOOT, {"expert": "[RM][LSTAT|RM][MEDV|LSTAT]"}),
    (EXPERT, {"expert": "[MEDV][LSTAT|MEDV][RM|LSTAT]"}),
    (EXPERT, {"expert_weight": 0.7}),
    (EXPERT, {"expert_weight": {("RM", "LSTAT"): 0.7}}),
    (BOOT, {"start": "complete"}),
    (BOOT, {"start": "[RM][LSTAT|RM][MEDV|LSTAT]"}),
    (BOOT, {"pseudo_rows": ROWS}),
    ({**BOOT, "pseudo_rows": ROWS}, {"pseudo_rows": {**ROWS, "RM": [1.0, 0.0]}}),
    ({**BOOT, "score": "ebic"}, {"gamma": 0.3}),
    (LASSO, {"factors": 2 * np.ones((3, 3))}),
    ({**LASSO, "factors": np.ones((3, 3))}, {"factors": np.ones((3, 3)) + 1e-9 * np.eye(3)}),
    (MCMC, {"chains": 3}),
    (MCMC, {"burn_in": 5}),
    (MCMC, {"thin": 3}),
    (MCMC, {"sampler": "order"}),
    (MCMC, {"prior": "fair"}),
    ({**MCMC, "prior": 1.0}, {"prior": 1.5}),
    ({**MCMC, "prior": FRAME}, {"prior": FRAME + 1e-9}),
]  # fmt: skip

HARMLESS = {
    "data", "draws", "n_jobs", "backend", "time_limit", "progress", "checkpoint", "resume", "options",
}  # fmt: skip
# A policy that drops nothing is no change, a rule is a penalty, and the default score goes by the others.
# Settings of option objects are those of `options`.
CHECKED_ALONE = {"missing", "rule", "score_default", "score_options", "model_options"}


@pytest.fixture(scope="module")
def homes():
    return aw.example("boston").select(COLUMNS)


def test_every_option_is_changed_by_some_case():
    changed = {name for _, change in CHANGES for name in change}
    known = set(inspect.signature(aw.posterior).parameters)
    known |= {field.name for field in fields(Specification)} - {"rng", "threads"}
    known |= {field.name for field in fields(Plan)}
    assert known - changed == HARMLESS | CHECKED_ALONE


@pytest.mark.parametrize(("first", "change"), CHANGES, ids=lambda each: ",".join(each))
def test_a_checkpoint_under_another_option_is_refused(homes, tmp_path, first, change):
    place = tmp_path / "run.npz"
    frame = not {"kinds", "na_values"}.isdisjoint(change)
    words = {"data": homes.to_pandas() if frame else homes, "progress": False}
    aw.posterior(**words, **first, checkpoint=place)
    with pytest.raises(FileError, match="another run"):
        aw.posterior(**{**words, **first, **change}, checkpoint=place)


@pytest.mark.parametrize("first", [BOOT, EXPERT, LASSO, MCMC, {**MCMC, "prior": FRAME}])
def test_a_checkpoint_under_the_same_options_goes_on(homes, tmp_path, first):
    words = {"data": homes, "progress": False, **first}
    part = aw.posterior(**words, checkpoint=tmp_path / "run.npz")
    went_on = aw.posterior(**{**words, "draws": 4}, checkpoint=tmp_path / "run.npz")
    whole = aw.posterior(**{**words, "draws": 4})
    assert np.array_equal(went_on.found.adjacent, whole.found.adjacent)
    assert part.found.draws < whole.found.draws


def test_a_change_of_the_rule_for_gaps_counts_where_there_are_gaps(homes, tmp_path):
    gaps = homes.to_pandas()
    gaps.iloc[:40, 0] = np.nan
    aw.posterior(gaps, **BOOT, checkpoint=tmp_path / "run.npz")
    with pytest.raises(FileError, match="another run"):
        aw.posterior(gaps.dropna(), **BOOT, checkpoint=tmp_path / "run.npz")


def test_certainty_is_found_anew_for_another_expert(homes, tmp_path):
    words = {"method": "bootstrap", "draws": 4, "checkpoint": tmp_path / "run.npz"}
    aw.learn(homes, expert="[RM][LSTAT|RM][MEDV|LSTAT]").certainty(**words)
    with pytest.raises(FileError, match="its expert is not the one that is asked for"):
        aw.learn(homes, expert="[MEDV][LSTAT|MEDV][RM|LSTAT]").certainty(**words)
