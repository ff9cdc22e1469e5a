"""Items of lectures on Gaussian networks, in our sign: higher is better."""

import numpy as np
import pytest
from contracts.cases import linear, random_graph
from shared_networks import published_net

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.graphs import Move, legal_moves
from arcwise.networks import ancestral
from arcwise.scores import ArcPenalty, Sum, bic, loglik, total
from arcwise.search import greedy, tabu


def lecture_bic(rows: np.ndarray, parents) -> float:
    """Sum over nodes of N log(RSS / N) + |parents| log N; smallest is best."""
    n, value = len(rows), 0.0
    for child, row in enumerate(parents):
        x = np.column_stack([np.ones(n), rows[:, list(row)]])
        residual = rows[:, child] - x @ np.linalg.lstsq(x, rows[:, child], rcond=None)[0]
        value += n * np.log(residual @ residual / n) + len(row) * np.log(n)
    return float(value)


def test_the_lectures_bic_and_ours_order_graphs_alike():
    """theirs = -2 x ours - K N (1 + log 2 pi) - 2 K log N."""
    source = linear(1, rows=40, p=4)
    score, rng = bic(FAMILIES["gaussian"].bind(source)), np.random.default_rng(1)
    n, k = source.rows, 4
    for _ in range(20):
        graph = random_graph(source.names, rng)
        theirs = lecture_bic(source.matrix(), graph.parents)
        ours = total(score, graph)
        shifted = -2 * ours - k * n * (1 + np.log(2 * np.pi)) - 2 * k * np.log(n)
        assert theirs == pytest.approx(shifted, rel=1e-10)


def test_the_conversion_on_numbers_small_enough_for_paper():
    """x = (0, 0, 2, 2), y = (0, 2, 2, 4): variances 1 and 2; y = 1 + x + e with RSS 4."""
    table = aw.table(
        {"x": [0.0, 0, 2, 2], "y": [0.0, 2, 2, 4]}, kinds=dict.fromkeys("xy", "continuous")
    )
    net = aw.fit("[x][y|x]", table)
    assert net["y"].intercept == pytest.approx(1.0)
    assert net["y"].coefficients == pytest.approx([1.0])
    assert net["y"].variance == pytest.approx(1.0)
    theirs = 4 * np.log(1.0) + 4 * np.log(1.0) + 1 * np.log(4)
    ours = -4 * np.log(2 * np.pi) - 4 - 5 / 2 * np.log(4)
    assert net.score == pytest.approx(ours)
    assert theirs == pytest.approx(
        -2 * net.score - 2 * 4 * (1 + np.log(2 * np.pi)) - 2 * 2 * np.log(4)
    )
    empty = aw.fit("[x][y]", table)
    assert lecture_bic(table.matrix(), ((), ())) == pytest.approx(4 * np.log(2.0))
    assert (empty.score > net.score) == (4 * np.log(2.0) < theirs)


def test_a_gaussian_dag_is_drawn_from_and_found_again_by_least_squares():
    """x_k = sum w_kj x_j + b_k + sqrt(v_k) e_k."""
    numbers = {
        "x1": {"intercept": 1.0, "sd": 1.0},
        "x2": {"intercept": -2.0, "variance": 4.0},
        "x3": {"intercept": 0.5, "coefficients": {"x1": 2.0, "x2": -1.0}, "sd": 0.5},
    }
    net = aw.network("[x1][x2][x3|x1:x2]", numbers)
    drawn = net.sample(20_000, seed=1)
    again = aw.fit(net.graph, drawn)
    for name in net.variables:
        model, truth = again[name], net[name]
        errors = model.standard_errors
        assert abs(model.intercept - truth.intercept) < 4 * errors[0]
        assert (np.abs(model.coefficients - truth.coefficients) < 4 * errors[1:]).all()
        assert model.variance == pytest.approx(truth.variance, rel=0.05)


def test_factorisation_and_separation_of_the_lectures_graph():
    graph = aw.dag("[x1][x2][x3][x4|x1:x2:x3][x5|x1:x3][x6|x4][x7|x4:x5]")
    rows = np.random.default_rng(1).normal(size=(30, 7))
    net = aw.fit(graph, {f"x{i + 1}": rows[:, i] for i in range(7)})
    expected = "p(x1)p(x2)p(x3)p(x4|x1,x2,x3)p(x5|x1,x3)p(x6|x4)p(x7|x4,x5)"
    assert net.factorisation.replace(" ", "") == expected
    assert net.separated("x6", "x7", given=["x4"])
    assert not net.separated("x1", "x2", given=["x6"])
    other = aw.fit("[a][f][e|a:f][b|f][c|e]", {n: rows[:, i] for i, n in enumerate("abcef")})
    assert not other.separated("a", "b", given=["c"])
    assert other.separated("a", "b", given=["f"])


def wine_score(rows: np.ndarray, child: int, parents) -> float:
    """S_i = -n log s_i - 1/2 sum (residual / s_i)^2 with maximum-likelihood s_i."""
    x = np.column_stack([np.ones(len(rows)), rows[:, list(parents)]])
    residual = rows[:, child] - x @ np.linalg.lstsq(x, rows[:, child], rcond=None)[0]
    sd = np.sqrt(np.mean(residual**2))
    return float(-len(rows) * np.log(sd) - 0.5 * np.sum((residual / sd) ** 2))


@pytest.fixture(scope="module")
def red(shared_data):
    return aw.read(shared_data / "wine" / "winequality_red.csv").continuous()


def test_the_wine_score_is_our_likelihood_but_for_a_constant(red):
    score, n = loglik(FAMILIES["gaussian"].bind(red)), red.rows
    for child, parents in ((0, ()), (3, (0, 5)), (11, (1, 2, 8))):
        theirs = wine_score(red.matrix(), child, parents)
        assert theirs == pytest.approx(score.local(child, parents) + n / 2 * np.log(2 * np.pi))


@pytest.mark.parametrize("price", [2.0, 25.0])
def test_a_move_is_taken_where_its_gain_beats_lambda_times_the_change_of_arcs(red, price):
    """dS > lambda dE with dE = +1, -1, 0; lambda = penalty x rows."""
    fits = FAMILIES["gaussian"].bind(red)
    plain = loglik(fits)
    penalised = Sum((plain, ArcPenalty(fits.nodes, fits.rows, price / fits.rows)))
    change = {"add": 1, "drop": -1, "flip": 0}
    result = greedy(penalised)
    graph = aw.DAG.empty(fits.nodes)
    for step in result.trace:
        move = Move(step.what, step.tail, step.head)
        after = move.apply(graph)
        gain = total(plain, after) - total(plain, graph)
        assert gain > price * change[step.what]
        graph = after
    assert graph == result.graph
    for move in legal_moves(graph):
        gain = total(plain, move.apply(graph)) - total(plain, graph)
        assert gain <= price * change[move.kind] + 1e-6
    net = aw.learn(red, score="loglik", search="greedy", penalty=price / red.rows)
    assert net.graph == graph
    assert net.score == pytest.approx(total(plain, graph) - price * graph.n_arcs)


def test_tabu_leaves_the_optimum_of_greedy_search(red):
    score = bic(FAMILIES["gaussian"].bind(red))
    climbed = greedy(score)
    walked = tabu(score, rng=np.random.default_rng(1), restarts=2)
    assert walked.score >= climbed.score
    words = {step.what for step in walked.trace}
    assert {"walk add", "walk drop", "restart"} <= words | {"walk flip"}
    values = [s.score for s in walked.trace if s.what.startswith("walk")]
    assert min(np.diff(values)) < 0, "walks go through worse graphs"


@pytest.mark.parametrize("name", ["ecoli70", "magic-niab", "arth150"])
def test_searches_on_published_networks(shared_data, name):
    """On samples auto is behind no other search, nor behind the true graph."""
    truth = published_net(shared_data, name)
    drawn = ancestral(truth, np.random.default_rng(1), 500)
    words = ("greedy", "tabu", "ges", "auto")
    scores = {word: aw.learn(drawn, score="bic", search=word).score for word in words}
    assert max(scores.values()) == pytest.approx(scores["auto"], rel=1e-6)
    assert scores["auto"] > aw.fit(truth.graph, drawn).score
