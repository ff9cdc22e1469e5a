"""Answers averaged over graphs against sums over all graphs, and whether errors say how far off they are."""

import numpy as np
import pytest
from naive.posterior import all_dags

import arcwise as aw
from arcwise.graphs import DAG, cpdag
from arcwise.inference import Ensemble, GraphOrigin
from arcwise.learners.parameters import fitted_nets
from arcwise.learners.posteriors.plan import weigh_problem
from arcwise.results.posterior import of_draws

QUESTIONS = [
    {"given": {"v1": 1, "v2": 1}},
    {"do": {"v1": 1}},
]


def rows(seed: int, columns: int, *, levels: bool) -> dict[str, np.ndarray]:
    """Sixty rows of a weak linear network: several graphs are alike."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(0, 0.35, (columns, columns)), 1)
    drawn = rng.normal(size=(60, columns)) @ np.linalg.inv(np.eye(columns) - weights)
    if levels:
        drawn = np.array(["no", "yes"])[(drawn > 0).astype(int)]
    return {f"v{i}": drawn[:, i] for i in range(columns)}


def question(each: dict, *, levels: bool) -> dict:
    value = "yes" if levels else 1.0
    return {word: dict.fromkeys(known, value) for word, known in each.items()}


def number(belief) -> tuple[float, float]:
    """What is asked of a belief: a mean, or the probability of a level; and its error."""
    if belief.levels:
        chance = belief.probability(["yes"])
        return float(chance), chance.error
    return belief.mean, belief.error


def by_hand(post: aw.Posterior, asked: dict) -> float:
    """The average over all graphs, weighed by prior, data and what is given."""
    own = weigh_problem(post.problem, post.plan.prior)
    graphs = [
        DAG(post.found.nodes, tuple(tuple(sorted(row)) for row in parents))
        for parents in all_dags(len(post.found.nodes))
    ]
    logs = np.array([
        sum(own.score.local(node, row) for node, row in enumerate(graph.parents)) for graph in graphs
    ])  # fmt: skip
    nets = fitted_nets(graphs, post.problem.fits)
    if given := asked.get("given"):
        row = {name: [value] for name, value in given.items()}
        logs += np.array([aw.Network(net).logpdf(row)[0] for net in nets])
    weights = np.exp(logs - logs.max())
    answers = [number(aw.Network(net).query("v0", **asked))[0] for net in nets]
    return float(weights @ answers / weights.sum())


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("columns", [3, 4])
def test_of_few_variables_answers_are_sums_over_all_graphs(columns, levels):
    post = aw.posterior(rows(1, columns, levels=levels), method="exact")
    assert post.found.held == pytest.approx(1.0)
    for each in QUESTIONS:
        asked = question(each, levels=levels)
        belief = post.query("v0", **asked)
        assert number(belief) == (pytest.approx(by_hand(post, asked), abs=1e-10), 0.0)
        assert belief.quality.exact


def off(columns: int, tables: int, seeds: int, draws: int, *, levels: bool) -> np.ndarray:
    """Distances of averages over drawn graphs from the sums, in standard errors."""
    found = []
    for table in range(tables):
        data = rows(table, columns, levels=levels)
        exact = aw.posterior(data, method="exact")
        questions = [question(each, levels=levels) for each in QUESTIONS]
        wanted = [number(exact.query("v0", **asked))[0] for asked in questions]
        for seed in range(seeds):
            chains = aw.posterior(data, method=aw.MCMC(chains=2), draws=draws, seed=seed)
            for asked, value in zip(questions, wanted, strict=True):
                mean, error = number(chains.query("v0", **asked))
                assert error > 0
                found.append(abs(mean - value) / error)
    return np.array(found)


@pytest.mark.parametrize("levels", [False, True])
def test_errors_of_averaged_answers_cover(levels):
    apart = off(3, 3, 8, 150, levels=levels)
    assert 0.5 <= (apart < 1).mean() <= 0.92  # .68 of normal errors
    assert (apart < 2).mean() >= 0.87  # .95


@pytest.mark.slow
@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("columns", [3, 4])
def test_errors_of_averaged_answers_cover_at_their_rate(columns, levels):
    apart = off(columns, 4, 15, 300, levels=levels)
    assert 0.55 <= (apart < 1).mean() <= 0.9
    assert (apart < 2).mean() >= 0.91


def test_predictions_and_answers_have_the_same_errors():
    data = rows(2, 4, levels=False)
    post = aw.posterior(data, method=aw.MCMC(chains=2), draws=100)
    given = {"v1": 1.0, "v2": -0.5}
    belief = post.query("v0", given)
    row = {name: [value] for name, value in given.items()}
    found = post.predict(row, "v0")
    assert found.mean[0] == pytest.approx(belief.mean)
    assert found.error[0] == pytest.approx(belief.error)
    assert belief.error > 0
    assert "error of the mean" in str(belief)
    assert belief.document()["error"] == belief.error
    assert belief.probability((0.0, None)).error > 0
    assert post.query(["v0", "v3"], given)["v0"].error == pytest.approx(belief.error)
    words = aw.posterior(rows(2, 3, levels=True), method=aw.MCMC(chains=2), draws=100)
    both = words.query("v0", {"v1": "yes"}), words.predict({"v1": ["yes"]}, "v0")
    assert both[1].error[0] == pytest.approx(both[0].error)


def test_replicates_have_the_error_of_their_number():
    data = rows(3, 4, levels=False)
    few, many = (aw.posterior(data, method="bootstrap", draws=draws) for draws in (30, 120))
    errors = [post.query("v0", {"v1": 1.0}).error for post in (few, many)]
    assert 0.3 < errors[1] / errors[0] < 0.8  # a half
    effect = many.query("v0", do={"v1": 1.0})
    assert 0 < effect.error < effect.range.between  # directions within a class are no chance


def beliefs(*means: float) -> np.ndarray:
    return np.array(means)[:, None]


def test_members_of_a_class_that_was_drawn_count_as_one():
    means, shares = beliefs(0.0, 2.0, 1.0), np.array([0.25, 0.25, 0.5])
    alone = GraphOrigin(100.0).error(means, shares, shares[:, None], np.ones(1))[0]
    drawn = GraphOrigin(100.0, groups=np.array([0, 0, 1]))
    together = drawn.error(means, shares, shares[:, None], np.ones(1))[0]
    assert alone == pytest.approx(np.sqrt(0.5 / 100 + (2 / 100) ** 2))
    assert together == pytest.approx(2 / 100)  # both classes say 1 on average


def test_one_graph_that_was_always_drawn_is_not_certain():
    once = GraphOrigin(50.0).error(beliefs(1.0), np.ones(1), np.ones((1, 1)), np.array([2.0]))
    assert once[0] == pytest.approx(3 / 50 * 2.0)


def test_graphs_that_are_left_out_are_said():
    means, shares = beliefs(0.0, 1.0), np.array([0.5, 0.5])
    bound = GraphOrigin(left=0.02).error(means, shares, shares[:, None], np.ones(1))[0]
    assert bound == pytest.approx(0.02)
    assert GraphOrigin().error(means, shares, shares[:, None], np.ones(1))[0] == 0.0


def test_equivalent_graphs_are_averaged_as_one_where_there_are_many():
    chain, back = DAG.from_arcs(["a -> b"]), DAG.from_arcs(["b -> a"])
    none = DAG.empty(["a", "b"])
    found = of_draws([chain, back, back, none], meaning="posterior")
    assert len(found.some(3, cpdag).graphs) == 3
    two = found.some(2, cpdag)
    assert two.graphs == (back, none)
    assert two.shares.tolist() == [0.75, 0.25]
    assert two.size == 4.0
    one = found.some(1)
    assert one.size == pytest.approx(0.8)  # four draws, of which one is taken


def test_an_ensemble_of_networks_by_hand_is_exact():
    net = aw.network("[a][b|a]", {"a": {"sd": 1.0}, "b": {"coefficients": {"a": 2.0}, "sd": 0.5}})
    both = Ensemble((net.net, net.net), np.array([0.5, 0.5]))
    assert both.query("b", {"a": 1.0}).error == 0.0


def test_draws_after_do_are_those_of_the_averaged_answer():
    """Both count all directions that a class leaves open at the variable that is set."""
    homes = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    post = aw.posterior(homes, method="bootstrap", draws=20)
    belief, drawn = post.query("MEDV", do={"RM": 7.0}), post.sample(4000, do={"RM": 7.0})
    error = belief.sd / np.sqrt(drawn.rows)
    assert drawn.column("MEDV").mean() == pytest.approx(belief.mean, abs=4 * error)
