import numpy as np
import pytest
from all_graphs import TableScore, distribution, random_score
from scipy.sparse.csgraph import connected_components

from arcwise.errors import FitError
from arcwise.graphs import DAG, HasChild, Limits, Rules
from arcwise.mcmc import StructureSampler, run

RULES = {
    "free": lambda nodes: Limits.none(nodes),
    "bounded": lambda nodes: Rules(max_parents=1).on(nodes),
    "arcs": lambda nodes: Rules(required=["a -> b"], forbidden=["c -> a"]).on(nodes),
    "tiers": lambda nodes: Rules(tiers=[["a"], ["b", "c"]]).on(nodes),
    "class has a child": lambda nodes: Rules(forbidden=["b -> a", "c -> a"]).on(nodes).where(HasChild(0)),
}  # fmt: skip


def chain_of(p, rules, beta=1.0):
    score = random_score(p, seed=p, spread=0.7)
    limits = RULES[rules](score.nodes)
    shares = distribution(score, limits, beta=beta)
    sampler = StructureSampler(score, limits, beta=beta)
    graphs = list(shares)
    number = {graph: i for i, graph in enumerate(graphs)}
    matrix = np.zeros((len(graphs), len(graphs)))
    for graph in graphs:
        for other, probability in sampler.transitions(graph).items():
            matrix[number[graph], number[other]] += probability
    return np.array(list(shares.values())), matrix, graphs


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("p", [3, 4])
def test_the_transition_matrix_over_all_graphs(p, rules):
    """Stationary, irreducible, aperiodic; a graph returns after 1 / its probability steps on average."""
    shares, matrix, graphs = chain_of(p, rules)
    if rules == "free":
        assert len(graphs) == {3: 25, 4: 543}[p]
    assert np.allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
    assert np.abs(shares @ matrix - shares).max() < 1e-12
    flow = shares[:, None] * matrix
    assert np.abs(flow - flow.T).max() < 1e-13  # reversible
    assert connected_components(matrix > 0, connection="strong")[0] == 1
    assert (np.diag(matrix) > 0).any()
    for target in range(0, len(graphs), 1 + len(graphs) // 8):
        assert mean_return_time(matrix, target) * shares[target] == pytest.approx(1.0, rel=1e-9)


def mean_return_time(matrix, target):
    """By first-step analysis: one step, and then the mean time from there back."""
    others = np.delete(np.arange(len(matrix)), target)
    inner = np.eye(len(others)) - matrix[np.ix_(others, others)]
    return 1.0 + matrix[target, others] @ np.linalg.solve(inner, np.ones(len(others)))


def test_a_power_of_the_score():
    shares, matrix, _ = chain_of(3, "free", beta=0.4)
    assert np.abs(shares @ matrix - shares).max() < 1e-12


def test_steps_are_drawn_from_the_transition_matrix():
    """Frequencies of single steps out of one graph."""
    score = random_score(3, seed=3, spread=1.0)
    sampler = StructureSampler(score)
    graph = DAG.from_arcs(["a -> b", "b -> c"])
    rng, counts, draws = np.random.default_rng(1), {}, 4000
    for _ in range(draws):
        last = run(sampler, graph, rng, 1).graphs[0]
        counts[last] = counts.get(last, 0) + 1
    wanted = sampler.transitions(graph)
    assert set(counts) <= set(wanted)
    for other, probability in wanted.items():
        error = np.sqrt(probability * (1 - probability) / draws)
        assert counts.get(other, 0) / draws == pytest.approx(probability, abs=4 * error + 1e-9)


def test_dear_scores_are_asked_for_each_set_once():
    class Counting(TableScore):
        def many(self, child, sets):
            asked.extend((child, s) for s in sets)
            return super().many(child, sets)

    asked = []
    score = Counting(np.random.default_rng(1).standard_normal((4, 8)), lattice=False)
    sampler = StructureSampler(score)
    state = sampler.init(np.random.default_rng(2))
    asked.clear()
    for _ in range(3):  # the memory outlives a call
        state, _ = sampler.advance(state, 500)
    assert len(asked) == len(set(asked)) <= 32


def test_wrong_options_are_reported():
    score = random_score(3)
    with pytest.raises(FitError, match="shares of the steps"):
        StructureSampler(score, flips=0.6, redraws=0.5)
    with pytest.raises(FitError, match="must be positive"):
        StructureSampler(score, beta=0.0)
    bounded = Rules(forbidden=["a -> b"]).on(score.nodes)
    with pytest.raises(FitError, match="must obey the rules"):
        StructureSampler(score, bounded).init(
            np.random.default_rng(1), DAG.from_arcs(["a -> b"], score.nodes)
        )
    with pytest.raises(FitError, match="bound to the variables"):
        StructureSampler(score, Limits.none(("x", "y", "z")))
    impossible = Limits.none(score.nodes).where(lambda dag: False)
    with pytest.raises(FitError, match="give a start graph"):
        StructureSampler(score, impossible).init(np.random.default_rng(1))
