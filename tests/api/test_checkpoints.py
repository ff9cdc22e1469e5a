"""A checkpoint goes on under the choices that it was made with, and is refused under any other."""

import inspect
from dataclasses import fields

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import FileError

COLUMNS = ["RM", "LSTAT", "MEDV"]
FRAME = np.full((3, 3), 0.3)
ROWS = {name: [0.0, 1.0] for name in COLUMNS}

# Everything that shapes a result, with a run to begin with and another value.
BOOT = {"method": "bootstrap", "model": "gaussian", "search": "greedy", "draws": 2}
MCMC = {"method": aw.MCMC(chains=2, burn_in=4, thin=2), "draws": 2}
LASSO = {
    "method": "bootstrap",
    "graph": "undirected",
    "search": "glasso",
    "draws": 2,
    "penalty": 0.3,
}
GRAPH = "[RM][LSTAT|RM][MEDV|LSTAT]"
EXPERT = {**BOOT, "prior": aw.Prior(GRAPH)}
CHANGES = [
    (BOOT, {"method": "mcmc", "search": "auto"}),
    (BOOT, {"graph": "undirected", "search": "boundary"}),
    (BOOT, {"model": "parzen", "rules": aw.Rules(max_parents=1)}),
    (BOOT, {"score": "bic"}),
    (BOOT, {"score": "ebic"}),
    (BOOT, {"search": "tabu"}),
    (BOOT, {"penalty": 0.1}),
    (BOOT, {"rules": aw.Rules(forbidden=["RM -> MEDV"])}),
    (BOOT, {"rules": aw.Rules(required=["RM -> MEDV"])}),
    (BOOT, {"rules": aw.Rules(forbidden=["RM -> MEDV"])}),
    (BOOT, {"rules": aw.Rules(tiers=[["RM"], ["LSTAT", "MEDV"]])}),
    (BOOT, {"rules": aw.Rules(max_parents=1)}),
    (BOOT, {"method": aw.Bootstrap(resampling="subsample")}),
    (
        {**BOOT, "method": aw.Bootstrap(resampling="subsample")},
        {"method": aw.Bootstrap(resampling="subsample", fraction=0.7)},
    ),
    (BOOT, {"data": {"kinds": dict.fromkeys(COLUMNS, "discrete")}, "model": "auto"}),
    (BOOT, {"data": {"weights": np.arange(1.0, 507.0)}}),
    (BOOT, {"data": {"na_values": [50.0]}}),
    (BOOT, {"seed": 1}),
    (BOOT, {"prior": aw.Prior(graph="[RM][LSTAT|RM][MEDV|LSTAT]")}),
    (EXPERT, {"prior": aw.Prior(graph="[MEDV][LSTAT|MEDV][RM|LSTAT]")}),
    (EXPERT, {"prior": aw.Prior(GRAPH, weight=0.7)}),
    (EXPERT, {"prior": aw.Prior(GRAPH, weight={("RM", "LSTAT"): 0.7})}),
    (BOOT, {"search": aw.Greedy(start="complete")}),
    (BOOT, {"search": aw.Greedy(start="[RM][LSTAT|RM][MEDV|LSTAT]")}),
    (BOOT, {"prior": aw.Prior(rows=ROWS)}),
    ({**BOOT, "prior": aw.Prior(rows=ROWS)}, {"prior": aw.Prior(rows={**ROWS, "RM": [1.0, 0.0]})}),
    ({**BOOT, "score": "ebic"}, {"score": aw.EBIC(gamma=0.3)}),
    (LASSO, {"search": aw.Glasso(factors=2 * np.ones((3, 3)))}),
    (
        {**LASSO, "search": aw.Glasso(factors=np.ones((3, 3)))},
        {"search": aw.Glasso(factors=np.ones((3, 3)) + 1e-9 * np.eye(3))},
    ),
    (MCMC, {"method": aw.MCMC(chains=3, burn_in=4, thin=2)}),
    (MCMC, {"method": aw.MCMC(chains=2, burn_in=5, thin=2)}),
    (MCMC, {"method": aw.MCMC(chains=2, burn_in=4, thin=3)}),
    (MCMC, {"method": aw.MCMC(chains=2, burn_in=4, thin=2, sampler="order")}),
    (MCMC, {"prior": "fair"}),
    ({**MCMC, "prior": 1.0}, {"prior": 1.5}),
    ({**MCMC, "prior": FRAME}, {"prior": FRAME + 1e-9}),
]  # fmt: skip

HARMLESS = {"draws", "n_jobs", "time_limit", "progress", "checkpoint"}
# A policy that drops nothing is no change.
CHECKED_ALONE = {"missing"}


@pytest.fixture(scope="module")
def homes():
    return aw.example("boston").select(COLUMNS)


def test_every_parameter_is_changed_by_some_case():
    changed = {name for _, change in CHANGES for name in change}
    known = set(inspect.signature(aw.posterior).parameters)
    assert known - changed == HARMLESS | CHECKED_ALONE


@pytest.mark.parametrize("kind", [aw.MCMC, aw.Bootstrap, aw.Prior])
def test_every_setting_of_a_method_or_a_prior_is_changed_by_some_case(kind):
    """Backends, and the prior of a posterior in other forms, shape no result or have cases of their own."""
    values = [
        value for _, change in CHANGES for value in change.values() if isinstance(value, kind)
    ]
    usual = {each.name: each.default for each in fields(kind)}
    changed = {
        name for name in usual for value in values if getattr(value, name) is not usual[name]
    }
    assert set(usual) - changed <= {"backend", "arcs"}


@pytest.mark.parametrize(("first", "change"), CHANGES, ids=lambda each: ",".join(each))
def test_a_checkpoint_under_another_option_is_rejected(homes, tmp_path, first, change):
    place = tmp_path / "run.npz"
    reading, others = change.get("data", {}), {n: v for n, v in change.items() if n != "data"}
    frame = homes.to_pandas() if reading else homes
    words = {"progress": False, "checkpoint": place}
    aw.posterior(frame, **words, **first)
    with pytest.raises(FileError, match="another run"):
        aw.posterior(aw.table(frame, **reading), **{**words, **first, **others})


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
    aw.learn(homes, prior=aw.Prior(graph="[RM][LSTAT|RM][MEDV|LSTAT]")).certainty(**words)
    with pytest.raises(FileError, match="its expert is not the one that is requested"):
        aw.learn(homes, prior=aw.Prior(graph="[MEDV][LSTAT|MEDV][RM|LSTAT]")).certainty(**words)
