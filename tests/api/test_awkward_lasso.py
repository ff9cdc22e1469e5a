"""Lasso networks where data are awkward: copies, gaps, few rows, order, and runs that are cut short."""

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.undirected.selection import by_stability

SOURCE = linear(3, rows=150, p=6)
WORDS = {"graph": "undirected", "model": "gaussian"}


def test_a_copy_is_named_and_spoils_nothing():
    """A chain of six, and the same with a copy, a unit conversion, or a rounded copy of one."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, 6))
    for k in range(1, 6):
        x[:, k] += 0.8 * x[:, k - 1]
    table = dict(zip("abcdef", x.T, strict=True))
    plain = {frozenset(edge) for edge in aw.learn(table, **WORDS).graph.edges}
    chain = {frozenset(pair) for pair in ("ab", "bc", "cd", "de", "ef")}
    assert chain <= plain
    for copy in (x[:, 2], 0.3937 * x[:, 2], x[:, 2].round(4)):
        for search in ("glasso", "neighbourhood"):
            net = aw.learn({**table, "z": copy}, **WORDS, search=search)
            found = {frozenset(edge) for edge in net.graph.edges}
            assert frozenset("cz") in found
            merged = {frozenset(str(n).replace("z", "c") for n in edge) for edge in found}
            assert chain <= merged
            assert len(found) <= len(plain) + 3  # c's two neighbours are z's, too
            assert any("'c' and 'z' determine each other" in note for note in net.notes)
            assert net.edges["c", "z"].partial_correlation > 0.99


def test_constant_columns_cost_no_likelihood():
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=50), "b": rng.normal(size=50), "c": np.ones(50)}
    undirected = aw.fit(aw.ug("a + b + c"), table, model="gaussian")
    directed = aw.fit("[a][b][c]", table)
    assert undirected.score == pytest.approx(directed.score, abs=1e-6)


def test_required_edges_are_there_even_at_zero():
    design = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    table = dict(zip("abc", design.T, strict=True))
    for search in ("glasso", "neighbourhood"):
        rules = aw.Rules(required=[("a", "b")])
        net = aw.learn(table, **WORDS, search=search, penalty=0.3, rules=rules)
        assert [set(edge) for edge in net.graph.edges] == [{"a", "b"}]


def test_rows_with_gaps_are_held_out_as_they_are():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(120, 3))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1]
    x[np.arange(120), np.arange(120) % 3] = np.nan  # no row is complete
    table = dict(zip("abc", x.T, strict=True))
    net = aw.learn(table, **WORDS, penalty="cv")
    assert len(net.tuning) == 30
    assert net.graph.n_edges >= 2
    judged = aw.validate(table, folds=4, penalty=0.05, **WORDS)
    assert np.isfinite(judged.mean)
    assert np.isfinite(judged.rmse).all()
    assert judged.r2[1] > 0.2
    for rule in ("stars", "ric"):
        with pytest.raises(aw.FitError, match="needs rows without missing values"):
            aw.learn(table, **WORDS, penalty=rule)


def test_a_run_that_is_cut_short_says_so():
    rng = np.random.default_rng(1)
    wide = rng.normal(size=(40, 150))
    quick = aw.learn(wide, **WORDS, time_limit=1e-3)
    assert "stopped early" in quick.notes[-1]
    for rule in ("stars", "cv"):
        net = aw.learn(wide, **WORDS, penalty=rule, time_limit=1e-3)
        assert "stopped early" in net.notes[-1] or "no time" in net.notes[-1]
    path = aw.path(wide, **WORDS, time_limit=1e-3)
    assert len(path.knots) < 30


def test_rows_in_order_do_not_fool_rotations():
    """Stacked experiments: neighbours in the table are alike."""
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(8), 50)
    x = rng.normal(size=(400, 6)) + rng.normal(size=(8, 6))[group]
    stacked = aw.learn(x, **WORDS, penalty="ric").settings["penalty"]
    mixed = aw.learn(x[rng.permutation(400)], **WORDS, penalty="ric").settings["penalty"]
    assert stacked == pytest.approx(mixed, rel=0.35)


def test_few_rows_are_reported():
    net = aw.learn({"a": [1.0, 2.0], "b": [2.0, 1.0]}, **WORDS)
    assert any("edges are meaningless" in note for note in net.notes)


def test_a_choice_at_the_end_of_the_path_is_reported():
    boston = aw.example("boston")
    net = aw.learn(boston, penalty="cv", search=aw.Glasso(n_penalties=6), **WORDS)
    assert net.settings["penalty"] == min(row["penalty"] for row in net.tuning)
    assert "smallest one tried" in net.notes[-1]


def test_a_crowded_neighbourhood_is_not_fitted_jointly():
    wide = np.random.default_rng(3).normal(size=(30, 80))
    net = aw.learn(wide, **WORDS, search="neighbourhood", penalty=0.03)
    assert 2 * net.graph.n_edges > 0.5 * 30 * 80
    assert net.net.joint is None
    assert "too many edges for the rows" in net.notes[-1]


def test_subsamples_that_were_done_are_compared_over_the_whole_path():
    """A watcher that says stop after some subsamples: these tell of every penalty, and edges are theirs."""
    x = np.random.default_rng(6).normal(size=(60, 5))
    x[:, 1] += x[:, 0]
    asked = [0.6, 0.3, 0.1]
    seen = []

    def watch(step):
        seen.append(step.what)
        return sum(what == "penalty 0.1" for what in seen) >= 4

    def run(work, count):
        return [work(number) for number in range(count)]

    choice = by_stability(x, np.random.default_rng(0), asked, subsamples=8, run=run, on_step=watch)
    assert len(choice.edges) == len(choice.curve) == 3
    assert "stopped early: 8 subsamples were planned" in choice.reason
    assert "Edges are counted in subsamples" in choice.reason
    assert choice.edges == tuple(sorted(choice.edges))


@pytest.mark.parametrize("time", [-1, "x", float("nan")])
def test_time_is_a_number(time):
    with pytest.raises(aw.OptionError, match="non-negative number of seconds"):
        aw.learn(SOURCE, **WORDS, time_limit=time)


def test_no_time_at_all_gives_a_guess_and_says_so():
    for rule in ("ebic", "stars", "cv"):
        net = aw.learn(SOURCE, **WORDS, penalty=rule, time_limit=0)
        assert "guess" in net.notes[-1]
        assert "-inf" not in " ".join(map(str, net.notes))


def test_a_known_graph_that_joins_copies_has_a_joint():
    rng = np.random.default_rng(8)
    x = rng.normal(size=(90, 3))
    x[:, 1] += x[:, 0]
    table = {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "inches": x[:, 1] / 2.54}
    net = aw.fit(aw.ug("a:b + b:inches + a:inches + c"), table, model="gaussian")
    assert net.net.joint is not None
    assert "'b' and 'inches' determine each other" in net.notes[-1]
    told = net.query("b", given={"inches": 0.5})
    assert told.mean == pytest.approx(1.27, abs=0.01)
    assert told.sd < 0.02
    apart = aw.fit(aw.ug("a:b + c + inches"), table, model="gaussian")
    assert not any("determine each other" in note for note in apart.notes)
    walked = aw.learn(table, graph="undirected", model="gaussian", search="boundary", score="bic")
    assert walked.net.joint is not None
