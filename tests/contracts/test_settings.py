"""Whatever shapes a result is in its settings: runs that differ in a choice differ in their settings."""

import json
from itertools import combinations

import numpy as np
import pytest

import arcwise as aw


def levels(rows=150, seed=3):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.6, a, rng.integers(0, 2, rows))
    c = np.where(rng.random(rows) < 0.3, b, rng.integers(0, 3, rows))
    d = np.where(rng.random(rows) < 0.2, a, rng.integers(0, 2, rows))
    return aw.table({k: [f"l{x}" for x in v] for k, v in zip("abcd", (a, b, c, d), strict=True)})


def numbers(rows=60, seed=3):
    x = np.random.default_rng(seed).normal(size=(rows, 4)) @ np.triu(
        np.full((4, 4), 0.6) + np.eye(4)
    )
    return aw.table(dict(zip("abcd", x.T, strict=True)))


RULES = {"rules": aw.Rules(forbidden=["a -> b"])}
CHOICES = {
    "levels": [
        {}, {"score": "bdeu"}, {"score": aw.BDeu(gamma=1.5)}, {"score": aw.BDeu(gamma=0.5)},
        {"score": aw.BDeu(cells_per_row=0.1)},
        {"score": aw.BDeu(gamma=1.5, cells_per_row=10.0)}, {"score": aw.BDeu(5.0)},
        {"score": "bic"}, {"score": "kfold"}, {"score": aw.KFold(5)}, {"penalty": 0.01},
        {"model": aw.Discrete(alpha=2.0)},
        {"graph": "undirected"}, {"graph": "undirected", "score": "bdeu"}, RULES,
        {"rules": {"max_parents": 1}},
        {"search": "greedy"}, {"search": "tabu"}, {"search": aw.Tabu(tabu_length=5)}, {"seed": 4},
        {"graph": "undirected", "search": "deletion"}, {"graph": "undirected", "search": "grow-shrink"},
    ],
    "numbers": [
        {}, {"score": "bic"}, {"score": aw.EBIC(gamma=0.5)}, {"score": "bge"},
        {"score": aw.BGe(alpha_mu=3.0)},
        {"graph": "undirected"}, {"graph": "undirected", "search": aw.Stepwise(gamma=0.0)},
        {"graph": "undirected", "score": "ebic"},
        {"graph": "undirected", "penalty": 0.1}, {"graph": "undirected", "penalty": 0.2},
        {"graph": "undirected", "search": "neighbourhood", "penalty": 0.2},
        {"prior": aw.Prior(graph="[a][b|a][c][d]")}, {"prior": aw.Prior(graph="[a][b|a][c][d]", weight=0.5)},
        {"search": aw.Auto(start="complete")},
        {"search": aw.Auto(start="[b|a][a][c][d]")}, {"model": "parzen"}, {"model": "parzen", "penalty": 0.2},
        {"prior": aw.Prior(rows={"a": [1.0], "b": [1.0], "c": [1.0], "d": [1.0]})}, RULES, {"penalty": "cv"},
    ],
}  # fmt: skip
SOURCES = {"levels": levels(), "numbers": numbers()}


@pytest.mark.parametrize("kind", SOURCES)
def test_other_choices_have_other_settings(kind):
    found = [aw.learn(SOURCES[kind], **words).settings for words in CHOICES[kind]]
    texts = [json.dumps(dict(each), sort_keys=True) for each in found]
    same = [
        (CHOICES[kind][i], CHOICES[kind][j])
        for i, j in combinations(range(len(texts)), 2)
        if texts[i] == texts[j]
    ]
    assert not same


@pytest.mark.parametrize("kind", SOURCES)
def test_the_same_choices_have_the_same_settings(kind):
    for words in ({}, {"graph": "undirected"}):
        first, second = (aw.learn(SOURCES[kind], **words) for _ in range(2))
        assert first.settings == second.settings


def test_the_penalty_per_parent_is_reported():
    """The default of discrete networks takes 1.5 log p off for each parent: 2.08 nats for four columns."""
    plain, default = aw.learn(levels(), score="bdeu"), aw.learn(levels())
    assert default.settings["parent_penalty"] == pytest.approx(1.5 * np.log(4))
    assert default.settings["score_options"]["cells_per_row"] == 10.0
    assert "parent_penalty" not in plain.settings
    assert plain.settings["score_options"]["gamma"] == 0.0
    assert any("2.08 nats per parent" in text for _, text in default.describe())


def test_bounds_that_few_rows_set_are_reported():
    few = aw.learn(numbers(rows=12), model="parzen")
    assert few.settings.get("max_parents") == few.limits.max_parents
    rng = np.random.default_rng(1)
    rows = {"a": rng.integers(0, 2, 50), "b": rng.integers(0, 2, 50), "name": np.arange(50) % 40}
    texts = {k: [f"l{x}" for x in v] for k, v in rows.items()}
    table = aw.table(texts, kinds={"name": "discrete"})
    assert aw.learn(table).settings["without_arcs"] == ["name"]


def test_paths_and_posteriors_tell_their_options():
    path = aw.path(levels())
    assert path.settings["score_options"]["gamma"] == 1.5
    assert path.settings["criterion"] == "pseudo-bdeu"
    post = aw.posterior(levels(), score=aw.BDeu(gamma=0.5))
    assert post.settings["score_options"]["gamma"] == 0.5
    assert (
        aw.fit("[a][b|a][c][d]", levels(), score="bdeu").settings["score_options"]["gamma"] == 0.0
    )
