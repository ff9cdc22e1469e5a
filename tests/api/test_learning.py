"""`learn`: words, options, rules, seeds, budgets, awkward data."""

import inspect
import time

import numpy as np
import pytest
from contracts.cases import applicable, levels, linear, nasty, nasty_levels, table
from contracts.laplace import Laplace

import arcwise as aw
from arcwise.api.options import Search
from arcwise.conditionals import FAMILIES
from arcwise.data import folds
from arcwise.graphs import random_dag
from arcwise.scores import SCORES, ArcPenalty, bic, loglik, total
from arcwise.search import SEARCHES

SOURCE = linear(1, rows=80, p=6)
SHORT = {"annealing": aw.Annealing(steps=1000)}


NUMBERS = applicable(FAMILIES["gaussian"], SOURCE)
"""The scores of columns of numbers; the others are of levels, or of neural models."""

OF_LEVELS = applicable(FAMILIES["discrete"], levels(1, rows=80, p=4))


def bic_of(source):
    return bic(FAMILIES["gaussian"].bind(source))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("score", [s for s in SCORES if s in NUMBERS or s in OF_LEVELS])
def test_every_score_works_with_every_search(score, search):
    source = SOURCE if score in NUMBERS else levels(1, rows=80, p=4)
    net = aw.learn(source, score=score, search=SHORT.get(search, search))
    assert net.settings["score"] == score
    assert net.settings["search"] == search
    assert net.score == pytest.approx(total(net.scorer, net.graph))
    assert net.graph.nodes == source.names


def test_defaults_are_the_extended_bic_and_the_best_graph():
    net = aw.learn(SOURCE)
    assert net.settings["score"] == "ebic"
    assert net.optimal
    assert net.rows == 80
    charged = total(bic_of(SOURCE), net.graph) - 1.1 * net.graph.n_arcs * np.log(len(SOURCE.names))
    assert net.score == pytest.approx(charged)
    assert net.notes == ()
    assert aw.learn(SOURCE, score="bic").settings["score"] == "bic"


def made(words):
    """Options that raise errors when they are made, made inside a test."""
    return {name: value() if inspect.isfunction(value) else value for name, value in words.items()}


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ({"model": "gausian"}, "Did you mean 'gaussian'"),
        ({"score": "bicc"}, "Did you mean 'bic'"),
        ({"search": "greddy"}, "Did you mean 'greedy'"),
        ({"search": lambda: aw.Auto(start="emty")}, "Did you mean 'empty'"),
        ({"graph": "undirectd"}, "Did you mean 'undirected'"),
        ({"penalty": "cvv"}, "Did you mean 'cv'"),
        ({"search": "tabu", "restart": 3}, "Did you mean 'restarts'"),
        ({"search": lambda: aw.Tabu(restart=3)}, "Did you mean 'restarts'"),
        ({"score": "bic", "gama": 1}, "no parameter 'gama'"),
        ({"score": lambda: aw.EBIC(gama=1)}, "Did you mean 'gamma'"),
        ({"search": "greedy", "restarts": 3}, "search=aw.Greedy(restarts=3)"),
        ({"score": aw.HeldOut(fraction=1.5)}, "between 0 and 1"),
    ],
)
def test_unknown_words_and_options_are_answered_with_close_ones(words, hint):
    with pytest.raises(aw.OptionError) as caught:
        aw.learn(SOURCE, **made(words))
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [
        {"penalty": [0.1]},
        {"penalty": -0.1},
        {"penalty": np.nan},
        {"seed": -1},
        {"seed": "one"},
        {"n_jobs": 0, "penalty": "cv"},
        {"rules": [("v0", "v1")]},
        {"prior": "v0 -> v1"},
        {"prior": aw.Prior(arcs="fair")},
        {"score": ["bic"]},
        {"search": ["greedy"]},
        {"score": aw.KFold(folds=1)},
        {"search": aw.Tabu},
        {"search": aw.Auto(start=aw.DAG.from_arcs([("v0", "z")]))},
        {"prior": aw.Prior(graph=aw.DAG.from_arcs([("v0", "z")]))},
        {"rules": aw.Rules(required=[("v0", "z")])},
    ],
    ids=str,
)
def test_values_that_make_no_sense_are_errors_in_a_sentence(words):
    with pytest.raises(aw.ArcwiseError) as caught:
        aw.learn(SOURCE, **words)
    assert str(caught.value).endswith((".", "?"))


def test_a_penalty_is_nats_per_arc_and_row():
    fits = FAMILIES["gaussian"].bind(SOURCE)
    net = aw.learn(SOURCE, score="loglik", penalty=0.05)
    expected = total(loglik(fits), net.graph) - 0.05 * 80 * net.graph.n_arcs
    assert net.score == pytest.approx(expected)
    assert net.settings["penalty"] == 0.05
    counts = [
        aw.learn(SOURCE, score="loglik", penalty=p).graph.n_arcs for p in (0.0, 0.01, 0.1, 10.0)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 15  # nothing is charged: the complete graph
    assert counts[-1] == 0
    dear = total(ArcPenalty(SOURCE.names, 80, 0.05), net.graph)
    assert dear == pytest.approx(-0.05 * 80 * net.graph.n_arcs)


def test_a_penalty_by_cross_validation_is_the_best_of_its_curve():
    net = aw.learn(SOURCE, penalty="cv", search="greedy")
    assert net.settings["score"] == "loglik"
    best = max(net.tuning, key=lambda row: (row["mean"], row["penalty"]))  # ties: fewer arcs
    assert net.settings["penalty"] == best["penalty"]
    assert net.settings["penalty_rule"] == "cv"
    edges = [row["edges"] for row in net.tuning]
    assert edges[0] > edges[-1]
    assert len(net.tuning) > 5
    assert aw.learn(SOURCE, penalty="cv", score="bic", search="greedy").settings["score"] == "bic"
    sparse = aw.learn(SOURCE, penalty="cv-1se", search="greedy")
    assert sparse.graph.n_arcs <= net.graph.n_arcs


def test_the_curve_of_a_penalty_is_held_out_likelihood():
    """At the largest penalty the graph is empty: each column's own normal, fold by fold."""
    independent = table({n: np.random.default_rng(i).normal(size=50) for i, n in enumerate("abc")})
    net = aw.learn(independent, penalty="cv", search="greedy")
    row = net.tuning[-1]
    assert row["edges"] == 0
    parts = folds(independent, 10, np.random.default_rng(0)).rows
    logs = np.zeros(50)
    for part in parts:
        rest = np.setdiff1d(np.arange(50), part)
        for x in independent.columns:
            variance = x[rest].var()
            logs[part] -= 0.5 * (
                np.log(2 * np.pi * variance) + (x[part] - x[rest].mean()) ** 2 / variance
            )
    assert row["mean"] == pytest.approx(logs.mean(), rel=1e-9)


def test_rules_hold_in_every_word():
    rules = aw.Rules(
        required=[("v5", "v0")],
        forbidden=[("v1", "v2"), ("v2", "v1")],
        max_parents=2,
        tiers=[["v3", "v4"], ["v1"]],
    )
    limits = rules.on(SOURCE.names)
    for search in SEARCHES:
        for start in ("empty", "random"):
            steps = {"steps": 1000} if search == "annealing" else {}
            started = Search.named(search, {"start": start, **steps})
            net = aw.learn(SOURCE, rules=rules, search=started)
            assert limits.allows_graph(net.graph)
    tuned = aw.learn(SOURCE, rules=rules, penalty="cv", search="greedy")
    assert limits.allows_graph(tuned.graph)
    free = aw.Rules(required=[("v5", "v0")], tiers=[["v3", "v4"], ["v1"]])
    full = aw.learn(SOURCE, rules=free, search=aw.Greedy(start="complete"), score="loglik")
    assert free.on(SOURCE.names).allows_graph(full.graph)


def test_starts_are_where_the_search_begins():
    graph = aw.DAG.from_arcs([("v0", "v1"), ("v2", "v1")])
    for start in ("empty", "complete", "random", graph):
        net = aw.learn(SOURCE, search=aw.Greedy(max_steps=1, start=start))
        assert net.graph.nodes == SOURCE.names
        if start == "complete":
            assert net.graph.n_arcs >= 14
        if start is graph:
            assert abs(net.graph.n_arcs - 2) <= 1
    assert graph.nodes == ("v0", "v1", "v2")  # unchanged


def test_an_experts_graph_pulls_learning_towards_it():
    expert = random_dag(SOURCE.names, 2.0, np.random.default_rng(5))
    distances = []
    for weight in (0.0, 0.05, 0.3, 10.0):
        net = aw.learn(SOURCE, score="bic", prior=aw.Prior(graph=expert, weight=weight))
        wrong = sum(
            len(set(a) ^ set(b)) for a, b in zip(net.graph.parents, expert.parents, strict=True)
        )
        distances.append(wrong)
        assert net.score == pytest.approx(
            total(bic_of(SOURCE), net.graph) - weight * 80 * wrong, rel=1e-9
        )
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] == 0
    assert distances[0] > 0
    some = aw.learn(SOURCE, prior=aw.Prior(graph=aw.DAG.from_arcs([("v5", "v2")]), weight=10.0))
    assert some.graph.arcs == (("v5", "v2"),)  # variables it does not name stay free nodes


def test_weights_count_rows_several_times():
    counts = np.random.default_rng(1).integers(0, 4, size=80)
    once = aw.learn(aw.table(SOURCE, weights=counts))
    several = aw.learn(SOURCE.take(np.repeat(np.arange(80), counts)))
    assert once.cpdag == several.cpdag  # members of a class tie, and rounding chooses
    assert once.score == pytest.approx(several.score, rel=1e-10)
    assert once.rows == several.rows == counts.sum()
    columns = dict(zip(SOURCE.names, SOURCE.columns, strict=True))
    named = aw.learn(aw.table({**columns, "times": counts}, weights="times"))
    assert named.graph == once.graph
    assert "times" not in named.variables


def test_rows_with_gaps_are_left_out_and_said():
    rows = SOURCE.matrix()
    rows[[3, 7], 2] = np.nan
    rows[5, 0] = np.nan
    gappy = aw.table(rows, names=SOURCE.names)
    net = aw.learn(gappy, missing="drop")
    kept = aw.learn(SOURCE.take(np.setdiff1d(np.arange(80), [3, 5, 7])))
    assert net.cpdag == kept.cpdag
    assert net.score == pytest.approx(kept.score)
    assert net.rows == 77
    assert any("3 of 80 rows" in note and "'v2': 2" in note for note in net.notes)
    with pytest.raises(aw.DataError, match="complete"):
        aw.learn({"a": [1.5, np.nan], "b": [np.nan, 2.5]}, missing="drop")


def test_moments_are_data_like_any_other():
    net, other = aw.learn(SOURCE), aw.learn(aw.Moments.of(SOURCE))
    assert net.cpdag == other.cpdag
    assert net.score == pytest.approx(other.score)
    covariance = np.cov(SOURCE.matrix().T, bias=True)
    by_hand = aw.Moments.given(SOURCE.names, 80, SOURCE.matrix().mean(axis=0), covariance)
    assert aw.learn(by_hand, score="bge").cpdag == aw.learn(SOURCE, score="bge").cpdag
    for words in ({"score": "loo"}, {"score": "kfold"}, {"score": "heldout"}, {"penalty": "cv"}):
        with pytest.raises(aw.FitError, match="rows"):
            aw.learn(by_hand, **words)
    with pytest.raises(aw.DataError, match="A table must be made from"):
        aw.learn(aw.table(by_hand, weights=[1.0]))


def test_numbers_with_few_values_count_as_numbers_and_text_has_tables():
    x = np.random.default_rng(1).normal(size=40)
    columns = {"x": x, "steps": np.arange(40) % 3, "half": x + np.arange(40) % 3}
    net = aw.learn(columns)
    assert not any(v.discrete for v in net.net.variables)
    assert net.logpdf({"x": [0.1], "steps": [17], "half": [1.0]}).shape == (1,)  # no unseen state
    with pytest.raises(aw.DataError, match="'colour'"):
        aw.learn({**columns, "colour": ["red", "blue"] * 20}, model="gaussian")
    several = {**columns, "colour": ["red", "blue"] * 20, "warm": [True, False] * 20}
    with pytest.raises(aw.DataError, match=r"'colour', 'steps' and 'warm' hold .*model='parzen'"):
        aw.learn(aw.table(several, kinds={"steps": "discrete"}), model="gaussian")
    mixed = aw.learn(aw.table(several, kinds={"steps": "discrete"}), certainty=False)
    found = dict(zip(mixed.net.names, mixed.net.models, strict=True))
    assert found == dict.fromkeys(("x", "half", "colour", "steps", "warm"), "glm")
    assert {v.name for v in mixed.net.variables if v.discrete} == {"steps", "colour", "warm"}
    assert aw.learn({"colour": ["red", "blue"] * 20}).settings["model"] == "discrete"


def test_data_come_in_many_forms(tmp_path):
    import pandas as pd
    import polars as pl

    columns = dict(zip(SOURCE.names, SOURCE.columns, strict=True))
    path = tmp_path / "rows.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    expected = aw.learn(SOURCE)
    for data in (columns, pd.DataFrame(columns), pl.DataFrame(columns), path, str(path)):
        net = aw.learn(data)
        assert net.cpdag == expected.cpdag
        assert net.score == pytest.approx(expected.score)


@pytest.mark.parametrize("search", SEARCHES)
def test_the_order_of_columns_and_the_seed_decide_nothing_they_should_not(search):
    way = SHORT.get(search, search)
    turned = SOURCE.select(SOURCE.names[::-1])
    a, b = (aw.learn(s, search=way, seed=3) for s in (SOURCE, turned))
    assert a.graph == b.graph
    assert a.score == b.score
    assert a.fingerprint == b.fingerprint
    assert a.variables == b.variables[::-1]
    again = aw.learn(SOURCE, search=way, seed=3)
    assert again.graph == a.graph


def test_two_processes_give_what_one_gives():
    small = linear(3, rows=40, p=4)
    one, two = (aw.learn(small, penalty="cv", search="greedy", n_jobs=n) for n in (1, 2))
    assert one.graph == two.graph
    assert one.tuning == two.tuning
    a, b = (aw.validate(small, folds=3, search="greedy", n_jobs=n) for n in (1, 2))
    assert (a.log_density == b.log_density).all()
    assert (a.rmse == b.rmse).all()


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(1)
    names = [f"v{i:03d}" for i in range(150)]
    graph = random_dag(names, 4.0, rng)
    rows = np.zeros((400, 150))
    for node in graph.order():
        rows[:, node] = rows[:, list(graph.parents[node])].sum(axis=1) * 0.6 + rng.normal(size=400)
    return aw.table(rows, names=names)


@pytest.mark.parametrize("search", [s for s in SEARCHES if s != "exact"])
def test_a_time_budget_returns_the_best_so_far(large, search):
    begun = time.monotonic()
    way = aw.Tabu(restarts=99) if search == "tabu" else search
    net = aw.learn(large, search=way, score="bic", time_limit=0.2)
    assert time.monotonic() - begun < 3.0
    assert net.score >= total(net.scorer, aw.DAG.empty(net.graph.nodes)) - 1e-6
    if search in ("annealing", "tabu", "auto"):
        assert "time budget of 0.2 s" in str(net.stopped)
        assert net.graph.n_arcs > 0


def test_a_time_budget_holds_while_a_penalty_is_tuned(large):
    begun = time.monotonic()
    try:
        net = aw.learn(large.select(large.names[:40]), search="tabu", penalty="cv", time_limit=0.3)
    except KeyboardInterrupt:
        pytest.fail("a time budget is no Ctrl-C: the best so far is returned")
    assert time.monotonic() - begun < 3.0
    # The search itself may end in the time that tuning leaves it; that the tuning did not is said.
    assert any("no time to choose" in note or "stopped early" in note for note in net.notes)


@pytest.mark.parametrize("score", SCORES)
def test_awkward_columns_never_raise(score):
    source = nasty(1) if score in NUMBERS else nasty_levels(1)
    model = "neural" if score == "marginal" else "auto"  # the only family that has this score
    net = aw.learn(source, model=model, score=score, search="greedy")
    assert np.isfinite(net.score)
    assert np.isfinite(net.logpdf(source)).all()
    str(net)
    for name in net.variables:
        net.local(name)


def test_one_row_is_rejected_with_a_message():
    with pytest.raises(aw.DataError, match="two rows"):
        aw.learn(linear(1, rows=1, p=4))


@pytest.mark.parametrize("rows", [2, 3])
def test_few_rows_never_raise(rows):
    for score in ("bic", "ebic", "bge", "aic"):
        net = aw.learn(linear(1, rows=rows, p=4), score=score)
        assert np.isfinite(net.score)


def test_one_column_and_only_constants():
    for start in ("empty", "complete", "random"):
        assert aw.learn({"a": np.arange(20.0) ** 2}, search=aw.Auto(start=start)).graph.n_arcs == 0
        assert aw.learn(linear(1, p=2), search=aw.Greedy(start=start)).graph.n_arcs <= 1
    assert aw.learn({"a": np.arange(20.0) ** 2}).graph.n_arcs == 0
    assert aw.learn({"a": np.ones(20), "b": np.zeros(20)}).graph.n_arcs == 0


def test_a_hundred_thousand_columns_are_rejected_with_the_size_they_need():
    column, names = np.arange(3.0), [f"v{i}" for i in range(100_000)]
    wide = aw.Table(tuple(map(aw.Variable, names)), (column,) * 100_000)
    with pytest.raises(aw.DataError, match=r"100000 columns need 80\.0 GB"):
        aw.learn(wide)


def test_a_second_family_needs_no_change_elsewhere(monkeypatch, tmp_path):
    """From the register on: learning, tables of edges, words, files."""
    monkeypatch.setitem(FAMILIES, "laplace", Laplace())
    small = linear(5, rows=30, p=3)
    net = aw.learn(small, model="laplace", score="bic")
    assert net.net.models == ("laplace",) * 3
    assert net.optimal
    assert np.isfinite(net.sample(10, seed=1).matrix()).all()
    assert "laplace" in repr(net)
    str(net), net.local("v0")
    again = aw.load(net.save(tmp_path / "net.json"))
    rows = (
        net.net.conditionals[0].logpdf(small.columns[0], ())[:3] if not net.parents("v0") else None
    )
    assert again.graph == net.graph
    if rows is not None:
        assert (again["v0"].logpdf(small.columns[0], ())[:3] == rows).all()
    net.logpdf(small)


@pytest.mark.parametrize(("rows", "columns"), [(50, 120), (10, 15), (30, 40)])
def test_columns_of_noise_get_hardly_any_arcs_by_default(rows, columns):
    """With few rows a regression on many columns explains anything: the defaults must not."""
    noise = np.random.default_rng(0).normal(size=(rows, columns))
    net = aw.learn(noise, search="ges")
    assert net.graph.n_arcs <= max(6, columns // 20)
    assert any("parent" in note for note in net.notes)
    assert max(map(len, net.graph.parents)) <= max(1, rows // 10)


def test_a_complete_start_obeys_the_bound_on_parents():
    net = aw.learn(SOURCE, rules=aw.Rules(max_parents=2), search=aw.Greedy(start="complete"))
    assert max(map(len, net.graph.parents)) <= 2


def test_weights_that_are_shares_are_rejected():
    shares = np.full(SOURCE.rows, 1 / SOURCE.rows)
    with pytest.raises(aw.DataError, match="counts of rows"):
        aw.learn(SOURCE.with_weights(shares))


def test_arcs_that_rules_direct_are_not_called_reversible():
    rules = aw.Rules(required=[(SOURCE.names[0], SOURCE.names[1])])
    net = aw.learn(SOURCE, rules=rules)
    assert not net.edges[SOURCE.names[0], SOURCE.names[1]].reversible


def test_ctrl_c_ends_a_validation_without_a_result():
    import signal
    import threading

    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    slow = np.random.default_rng(1).normal(size=(300, 60))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        aw.validate(slow, folds=50, progress=False)


def test_a_validation_that_runs_out_of_time_says_so():
    slow = np.random.default_rng(1).normal(size=(300, 60))
    with pytest.raises(aw.FitError, match="fold"):
        aw.validate(slow, folds=50, time_limit=0.3, progress=False)


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_numbers_whose_squares_do_not_exist_are_rejected(unit):
    x = np.random.default_rng(0).normal(size=30)
    with pytest.raises(aw.DataError, match="change the unit"):
        aw.learn({"a": x, "b": x * unit})


def test_rows_of_weight_zero_are_no_rows():
    weights = np.where(np.arange(SOURCE.rows) < SOURCE.rows // 2, 1.0, 0.0)
    half = SOURCE.take(np.arange(SOURCE.rows // 2))
    for score in ("bic", "kfold", "loo"):
        some = aw.learn(SOURCE.with_weights(weights), score=score, search="greedy")
        assert some.score == pytest.approx(aw.learn(half, score=score, search="greedy").score)


def test_an_expert_may_be_sure_of_some_arcs_only():
    first, second = SOURCE.names[:2]
    expert = aw.DAG.from_arcs([(first, second)], nodes=SOURCE.names)
    reverse = aw.Rules(forbidden=[(second, first)])
    sure = {(first, second): 1e4}
    net = aw.learn(SOURCE, rules=reverse, prior=aw.Prior(graph=expert, weight=sure))
    assert net.graph.has_arc(first, second)
    with pytest.raises(aw.GraphError):
        aw.learn(SOURCE, prior=aw.Prior(graph=expert, weight={("nobody", second): 1.0}))
