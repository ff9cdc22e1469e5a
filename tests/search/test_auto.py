import numpy as np
import pytest
from contracts.cases import bind, linear

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.data import Table, Variable
from arcwise.graphs import DAG, Rules
from arcwise.scores import ExpertPrior, Sum, bdeu
from arcwise.search import auto, exact, ges, greedy

SMALL = bind("bic", FAMILIES["gaussian"], linear(1, p=6))
LARGE = bind("bic", FAMILIES["gaussian"], linear(2, rows=200, p=25))


def run(score, **options):
    return auto(score, rng=np.random.default_rng(1), **options)


def test_small_problems_are_solved_exactly():
    result = run(SMALL)
    assert result.optimal
    assert result.score == exact(SMALL).score


def near(names):
    """Rules that leave each variable its three neighbours in line as parents."""
    numbered = list(enumerate(names))
    pairs = [(a, b) for i, a in numbered for j, b in numbered if a != b and not 0 < j - i < 4]
    return Rules(forbidden=pairs).on(names)


def test_rules_that_leave_few_parents_make_a_problem_small():
    score = bind("bic", FAMILIES["gaussian"], linear(2, rows=200, p=22))
    limits = near(score.nodes)
    result = run(score, limits=limits)
    assert result.optimal
    assert limits.allows_graph(result.graph)
    free = Rules(tiers=[score.nodes[:2], score.nodes[2:]]).on(score.nodes)
    assert not run(score, patience=0, limits=free).optimal


@pytest.mark.parametrize("p", [30, 40, 64, 65])
def test_few_parents_of_many_variables_are_no_reason_to_give_up(p):
    """The exact program also needs a number for each set of variables: not for so many."""
    score = bind("bic", FAMILIES["gaussian"], linear(2, rows=100, p=p))
    limits = near(score.nodes)
    result = run(score, patience=0, limits=limits)
    assert limits.allows_graph(result.graph)


def test_large_problems_are_searched_by_equivalence_classes_and_more():
    result = run(LARGE, patience=3)
    assert not result.optimal
    assert result.score >= ges(LARGE).score - 1e-9
    assert {step.what for step in result.trace} >= {"insert"}


def test_scores_that_split_classes_are_climbed():
    expert = DAG.from_arcs([(LARGE.nodes[1], LARGE.nodes[0])], LARGE.nodes)
    score = Sum((LARGE, ExpertPrior(expert, LARGE.rows, 0.01)))
    result = run(score, patience=3)
    assert result.score >= greedy(score).score - 1e-9
    assert {step.what for step in result.trace} >= {"add"}


def test_patience_zero_is_one_climb_over_classes_and_orders():
    result = run(LARGE, patience=0)
    assert result.score > ges(LARGE).score + 100  # dense: classes alone end far below
    assert {step.what for step in result.trace} >= {"insert", "move"}


def counted(p, rows, seed=3):
    """BDeu of binary columns in a line, each the one before with errors."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 2, rows)]
    for _ in range(p - 1):
        codes.append(np.where(rng.random(rows) < 0.3, 1 - codes[-1], codes[-1]))
    variables = tuple(Variable(f"v{i:02}", ("no", "yes")) for i in range(p))
    table = Table(variables, tuple(c.astype(np.uint8) for c in codes))
    return bdeu(FAMILIES["discrete"].bind(table))


def test_what_counting_costs_decides_whether_a_problem_is_small():
    """Fourteen columns are solved exactly with 200 rows, and searched with 20 000 that differ."""
    assert run(counted(14, 200)).optimal
    assert counted(14, 200).work < counted(14, 20_000).work
    assert not run(counted(16, 20_000), patience=0).optimal
    assert run(counted(8, 20_000)).optimal  # folded into 256 rows at most


def test_a_long_proof_is_not_begun_and_the_result_says_so():
    table = aw.example("us_markets").select(list(aw.example("us_markets").order)[:7])
    long = aw.learn(table, model="parzen", certainty=False)
    assert not long.optimal
    assert "a proof by the exact search would score all 448 parent sets" in str(long.stopped)
    few = aw.learn(table.take(range(100)), model="parzen", certainty=False)
    assert few.optimal
    assert aw.learn(table, model="gaussian", certainty=False).optimal


@pytest.mark.slow
def test_what_is_not_proved_is_the_optimum_all_the_same():
    table = aw.example("us_markets").select(list(aw.example("us_markets").order)[:7])
    best = aw.learn(table, model="parzen", certainty=False, search="exact").score
    for seed in range(5):
        found = aw.learn(table, model="parzen", certainty=False, seed=seed).score
        assert found == pytest.approx(best)
