import json

import numpy as np
import pytest
from all_graphs import TableScore, arcs_of, distribution, random_score
from shared_scores import shared_score

from arcwise.errors import FitError, GraphError, NoTimeError
from arcwise.graphs import DAG, HasChild, Limits, Rules
from arcwise.mcmc import ORDERS, UNIFORM, exact, exact_memory, tabulate_scores
from arcwise.scores import ArcPenalty, ArcProbabilities, FairParents, Sum

RULES = {
    "free": lambda nodes: Limits.none(nodes),
    "bounded": lambda nodes: Rules(max_parents=1).on(nodes),
    "arcs": lambda nodes: Rules(required=["a -> b"], forbidden=["c -> a"]).on(nodes),
    "all": lambda nodes: Rules(["a -> b"], ["c -> a"], [["a", "c"], ["d"]], 2).on(nodes),
    "child": lambda nodes: Limits.none(nodes).where(HasChild(2)),
    "class": lambda nodes: (
        Rules(forbidden=["b -> a", "c -> a", "d -> a"], max_parents=2).on(nodes).where(HasChild(0))
    ),
}


@pytest.mark.parametrize("target", [UNIFORM, ORDERS])
@pytest.mark.parametrize("rules", RULES)
def test_sums_by_enumeration(rules, target):
    score = random_score(4, seed=2, spread=3.0)
    limits = RULES[rules](score.nodes)
    found = exact(score, limits, target=target)
    shares = distribution(score, limits, orders=target == ORDERS)
    assert np.allclose(found.arcs, arcs_of(shares), atol=1e-11)
    if target == UNIFORM:
        graph = max(shares, key=shares.get)
        assert np.exp(found.log_probability(score, graph)) == pytest.approx(shares[graph], rel=1e-9)
    else:
        with pytest.raises(FitError, match="need the uniform target"):
            found.log_probability(score, DAG.empty(score.nodes))


PRIORS = {
    "penalty": lambda nodes: ArcPenalty(nodes, 1.0, 0.7),
    "fair": FairParents,
    "arcs": lambda nodes: ArcProbabilities(
        nodes, np.random.default_rng(1).uniform(0.1, 0.9, (len(nodes), len(nodes)))
    ),
}


@pytest.mark.parametrize("prior", PRIORS)
def test_priors_over_graphs(prior):
    score = random_score(4, seed=5)
    whole = Sum((score, PRIORS[prior](score.nodes)))
    limits = Limits.none(score.nodes)
    assert np.allclose(exact(whole).arcs, arcs_of(distribution(whole, limits)), atol=1e-12)


ORACLES = [
    ("lizards", "bdeu_ess1"), ("asia", "bdeu_ess1"), ("learning.test", "bdeu_ess1"),
    ("marks", "bge_am1_awn+2"), ("gaussian.test", "bge_am1_awn+2"),
    ("eustockmarkets_changes", "bge_am1_awn+2"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "word"), ORACLES)
def test_published_posteriors(shared_data, name, word):
    """Exact arc posteriors of the reference data, to 1e-8."""
    text = (shared_data / "oracles" / "exact_structure.json").read_text()
    reference = json.loads(text)[name][word]
    score = shared_score(shared_data, name, word)
    found = exact(score)
    assert found.log_total == pytest.approx(reference["log_sum_over_all_dags"], abs=1e-7)
    place = {node: i for i, node in enumerate(score.nodes)}
    for arc, probability in reference["arc_posterior_uniform_dag_prior"].items():
        tail, head = arc.split("->")
        assert found.arcs[place[tail], place[head]] == pytest.approx(probability, abs=1e-8)


def test_columns_in_another_order():
    score = random_score(4, seed=8)
    order = [2, 0, 3, 1]
    weights = np.empty((4, 8))
    for child in range(4):
        for mask in range(8):
            others = [u for u in range(4) if u != child]
            members = tuple(sorted(order[u] for i, u in enumerate(others) if mask >> i & 1))
            weights[child, mask] = score.local(order[child], members)
    turned = exact(TableScore(weights)).arcs
    assert np.allclose(turned, exact(score).arcs[np.ix_(order, order)], atol=1e-12)


def test_sizes_are_reported_beforehand():
    assert exact_memory(20) < 500e6
    assert exact_memory(24) < 8 * 2**30 < exact_memory(25)
    with pytest.raises(FitError, match=r"of 4 variables needs .* GiB and may use .* use a sampler"):
        exact(random_score(4), memory=100)
    with pytest.raises(FitError, match="use a sampler"):
        exact(Many(), memory=1e30)


class Many(TableScore):
    def __init__(self):
        self.nodes = tuple(f"x{i}" for i in range(30))


def test_what_cannot_be_summed_is_reported():
    score = random_score(3)
    odd = Limits.none(score.nodes).where(lambda dag: dag.n_arcs % 2 == 1)
    with pytest.raises(FitError, match="one condition on whole graphs"):
        exact(score, odd)
    with pytest.raises(FitError, match="got 'dags'"):
        exact(score, target="dags")
    rules = Rules(forbidden=["a -> b", "a -> c"]).on(score.nodes).where(HasChild(0))
    with pytest.raises((FitError, GraphError)):
        exact(score, rules)
    with pytest.raises(FitError, match="stopped"):
        exact(score, on_step=lambda step: True)


def test_sums_end_when_they_are_asked_to():
    """In the midst of the sums themselves, not only between local scores; nothing half-done comes out."""
    score = ArcPenalty(tuple(f"x{i:02d}" for i in range(15)), 1.0, 0.5)
    looks, late = [], 3

    def watch(step):
        scored = looks or step.what == "15 of 15 variables"
        looks.extend([step.what] if scored else [])
        return len(looks) == late

    with pytest.raises(NoTimeError, match="stopped early"):
        exact(score, on_step=watch)
    assert looks[0] == "15 of 15 variables"
    assert all(each.startswith("sums over all graphs, ") for each in looks[1:])
    looks, late = [], -1
    exact(score, on_step=watch)
    assert len(looks) > 6
    assert looks[-1] == "sums over all graphs, 99%"


def test_known_local_scores_are_looked_up():
    score = random_score(5, seed=3)
    for rules in (Rules(), Rules(["a -> b"], ["c -> a"], max_parents=2)):
        limits = rules.on(score.nodes)
        table = tabulate_scores(score, limits)
        assert np.array_equal(exact(table, limits).arcs, exact(score, limits).arcs)
        allowed = [s for s in ((), (0,), (0, 2), (0, 2, 3)) if limits.allows(1, s)]
        assert table.many(1, allowed).tolist() == score.many(1, allowed).tolist()
    table, always = tabulate_scores(score), (4,)
    for most in (1, 2, 9):
        found = table.subsets(1, [0, 3], always, most)
        assert found.tolist() == score.subsets(1, [0, 3], always, most).tolist()
    child = Limits.none(score.nodes).where(HasChild(2))
    assert np.array_equal(exact(table, child).arcs, exact(score, child).arcs)
    assert np.array_equal(exact(table).arcs, exact(score).arcs)  # and is left as it was
    with pytest.raises(NoTimeError):
        tabulate_scores(score, on_step=lambda step: True)
