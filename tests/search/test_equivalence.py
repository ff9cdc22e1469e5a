"""Greedy equivalence search: its operators by brute force, its kernel against the naive twin."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pytest
from naive import ges as naive

from arcwise._kernels import graph_moves as kernel
from arcwise.errors import ArcwiseError, GraphError, OptionError
from arcwise.graphs import DAG, Limits, Rules, cpdag
from arcwise.scores import Score, total
from arcwise.search import equivalence
from arcwise.search.equivalence import ges

NAMES = tuple("abcdefghij")


class Bic(Score):
    """BIC of linear regressions, from a covariance, without constants: ties equivalent graphs."""

    equivalent = True

    def __init__(self, covariance: np.ndarray, rows: int) -> None:
        self.covariance, self.rows = covariance, rows
        self.nodes = NAMES[: len(covariance)]

    def many(self, child, sets):
        return np.array([self._one(child, list(parents)) for parents in sets])

    def _one(self, child, parents):
        s = self.covariance
        slope = np.linalg.solve(s[np.ix_(parents, parents)], s[parents, child]) if parents else 0.0
        variance = s[child, child] - np.sum(s[parents, child] * slope)
        return -0.5 * self.rows * np.log(variance) - 0.5 * np.log(self.rows) * len(parents)


class Chance(Score):
    """A random number for each parent set: every operator has its turn of being the best."""

    def __init__(self, p: int, seed: int) -> None:
        self.nodes, self.rows = NAMES[:p], 1.0
        self.table = np.random.default_rng(seed).normal(size=(p, 1 << p))

    def many(self, child, sets):
        return self.table[child, [sum(1 << x for x in parents) for parents in sets]]


def random_bic(p: int, seed: int) -> Bic:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.5), 1)
    order = rng.permutation(p)
    weights = weights[np.ix_(order, order)]
    x = rng.normal(size=(60, p)) @ np.linalg.inv(np.eye(p) - weights)
    return Bic(np.cov(x.T, bias=True), 60)


def random_dag(p: int, rng: np.random.Generator, density: float) -> DAG:
    order = rng.permutation(p)
    arcs = [(int(a), int(b)) for a, b in combinations(order, 2) if rng.random() < density]
    return DAG.from_arcs(arcs, nodes=NAMES[:p])


def pairs(dag: DAG) -> naive.Pairs:
    return frozenset((x, y) for y, row in enumerate(dag.parents) for x in row)


def as_dag(arcs: naive.Pairs, p: int) -> DAG:
    return DAG.from_arcs(sorted(arcs), nodes=NAMES[:p])


@cache
def all_dags(p: int) -> tuple[naive.Pairs, ...]:
    found = []
    for ways in product((0, 1, 2), repeat=p * (p - 1) // 2):
        both = zip(ways, combinations(range(p), 2), strict=True)
        arcs = frozenset((a, b) if way == 1 else (b, a) for way, (a, b) in both if way)
        if acyclic(arcs, p):
            found.append(arcs)
    return tuple(found)


def acyclic(arcs: naive.Pairs, p: int) -> bool:
    left = set(range(p))
    while left:
        sources = {b for b in left if not any((a, b) in arcs for a in left)}
        if not sources:
            return False
        left -= sources
    return True


@cache
def classes(p: int) -> dict[naive.Pairs, list[naive.Pairs]]:
    """Members of every class, keyed by essential graph: the union of their arcs."""
    groups: dict[object, list[naive.Pairs]] = {}
    for dag in all_dags(p):
        skeleton = frozenset(frozenset(arc) for arc in dag)
        groups.setdefault((skeleton, frozenset(naive.v_structures(dag))), []).append(dag)
    return {frozenset().union(*members): members for members in groups.values()}


@cache
def class_of(p: int) -> dict[naive.Pairs, naive.Pairs]:
    return {dag: key for key, members in classes(p).items() for dag in members}


def changes(dag: naive.Pairs, p: int) -> Iterator[tuple[str, naive.Pairs]]:
    for a, b in permutations(range(p), 2):
        if (a, b) in dag:
            yield "delete", dag - {(a, b)}
            yield "turn", dag - {(a, b)} | {(b, a)}
        elif (b, a) not in dag:
            yield "insert", dag | {(a, b)}


def permitted(graph: naive.Pairs, limits: Limits) -> bool:
    p = len(limits.nodes)
    return any(limits.allows_graph(as_dag(dag, p)) for dag in classes(p)[graph])


def best_operator(graph, score, phase, limits=None):
    """The twin's best operator; with limits, of those into a class with a permitted member."""
    p = len(score.nodes)
    operators = list(naive.PHASES[phase](graph, p, score.local))
    if limits is not None:
        kept = {frozenset((x, y)) for y, row in enumerate(limits.required) for x in row}
        operators = [o for o in operators if o.kind != "delete" or {o.tail, o.head} not in kept]
        operators = [o for o in operators if permitted(o.after, limits)]
    return naive.best(operators, 1e-9)


def same_step(result, expected, p) -> None:
    if expected is None:
        assert not result.trace
        return
    assert [step.what for step in result.trace] == [expected.kind]
    assert naive.essential(pairs(result.graph)) == expected.after


def gain_of(score, start, phase, **options) -> tuple[object, float]:
    """One step of the kernel and its gain, as the watcher is told it."""
    result = ges(score, start, phases=(phase,), max_steps=1, **options)
    return result, result.trace[0].score - total(score, start) if result.trace else 0.0


# --- the twin is right ---


def test_twin_makes_essential_graphs():
    assert len(classes(4)) == 185
    for graph, members in classes(4).items():
        assert {naive.essential(dag) for dag in members} == {graph}
        assert naive.extension(graph) in members


@pytest.mark.parametrize("p", [3, 4])
def test_twin_reaches_what_one_arc_reaches(p):
    score = random_bic(p, 5)
    for graph, members in classes(p).items():
        reached = {(kind, class_of(p).get(d)) for m in members for kind, d in changes(m, p)}
        reached = {(kind, to) for kind, to in reached if to is not None and to != graph}
        before = total(score, as_dag(members[0], p))
        found = set()
        for operators in naive.PHASES.values():
            for operator in operators(graph, p, score.local):
                found.add((operator.kind, operator.after))
                member = as_dag(classes(p)[operator.after][0], p)
                assert operator.gain == pytest.approx(total(score, member) - before, abs=1e-8)
        assert found == reached


# --- the kernel is the twin ---


@pytest.mark.parametrize("phase", naive.PHASES)
@pytest.mark.parametrize("seed", range(3))
def test_one_step_from_every_class_of_four(phase, seed):
    for number, (graph, members) in enumerate(classes(4).items()):
        score = Chance(4, 1000 * seed + number)
        start = as_dag(members[seed % len(members)], 4)
        expected = best_operator(graph, score, phase)
        result, gain = gain_of(score, start, phase)
        assert gain == pytest.approx(expected.gain if expected else 0.0, abs=1e-12)
        if total(score, result.graph) > total(score, start):
            same_step(result, expected, 4)


@pytest.mark.parametrize("phase", naive.PHASES)
@pytest.mark.parametrize("seed", range(25))
def test_one_step_in_random_graphs(phase, seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(5, 9))
    start = random_dag(p, rng, rng.uniform(0.2, 0.8))
    score = Chance(p, seed)
    expected = best_operator(naive.essential(pairs(start)), score, phase)
    result, gain = gain_of(score, start, phase)
    assert gain == pytest.approx(expected.gain if expected else 0.0, abs=1e-12)
    assert bool(result.trace) == bool(expected)


@pytest.mark.parametrize("seed", range(40))
def test_whole_runs(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 8))
    score = random_bic(p, seed)
    start = random_dag(p, rng, rng.choice([0.0, 0.3, 1.0 if p < 6 else 0.6]))
    graph, trace = naive.ges(pairs(start), p, score.local, 1e-8)
    result = ges(score, start)
    assert [step.what for step in result.trace] == [step.kind for step in trace]
    assert naive.essential(pairs(result.graph)) == graph
    assert result.score == pytest.approx(total(score, start) + sum(o.gain for o in trace))
    assert result.trace == () or result.trace[-1].score == pytest.approx(result.score)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_remembered_between_steps_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(6, 11))
    score, limits, start = Chance(p, seed), Limits.none(NAMES[:p]), random_dag(p, rng, 0.2)
    if seed % 4 == 0:
        limits, start = random_limits(p, rng)
    steps = bare(score, start, limits, naive.PHASES, 1000)[0]
    graph = start
    for kind, tail, head in steps:
        again, graph = bare(score, graph, limits, [list(naive.PHASES)[kind]], 1)
        assert again == [(kind, tail, head)]


def bare(score, start, limits, phases, most):
    """Steps and graph of the kernel itself, which goes on whatever the members of a class score."""
    steps = []

    def watch(*step):
        if step[0] == kernel.TICK:
            return False
        steps.append(step[:3])
        return len(steps) == most

    parents, *_ = kernel.ges(
        score.sweep,
        watch,
        start.parents,
        equivalence._barred_parents(limits),
        limits.required,
        phases=equivalence._numbers(tuple(phases)),
        iterate=True,
        max_parents=len(score.nodes) if limits.max_parents is None else limits.max_parents,
        max_clique=len(score.nodes),
        tolerance=1e-9,
    )
    return steps, DAG(score.nodes, tuple(parents))


@pytest.mark.parametrize("phase", naive.PHASES)
@pytest.mark.parametrize("seed", range(60))
def test_one_step_under_rules(phase, seed):
    rng = np.random.default_rng(seed)
    limits, start = random_limits(4, rng)
    score = Chance(4, seed)
    expected = best_operator(naive.essential(pairs(start)), score, phase, limits)
    result, gain = gain_of(score, start, phase, limits=limits)
    assert gain == pytest.approx(expected.gain if expected else 0.0, abs=1e-12)
    assert limits.allows_graph(result.graph)


def random_limits(p: int, rng: np.random.Generator) -> tuple[Limits, DAG]:
    """Random rules and a random graph that obeys them."""
    start = random_dag(p, rng, rng.uniform(0, 0.9))
    arcs = [arc for arc in start.arcs if rng.random() < 0.2]
    others = [(a, b) for a, b in permutations(start.nodes, 2) if not start.has_arc(a, b)]
    forbidden = [arc for arc in others if arc not in start.arcs and rng.random() < 0.3]
    most = int(rng.integers(max(map(len, start.parents)), p + 1)) if rng.random() < 0.5 else None
    return Rules(required=arcs, forbidden=forbidden, max_parents=most).on(start.nodes), start


# --- what every search promises ---


@pytest.mark.parametrize("seed", range(30))
def test_rules_are_obeyed(seed):
    rng = np.random.default_rng(seed)
    limits, start = random_limits(int(rng.integers(2, 8)), rng)
    score = random_bic(len(start.nodes), seed)
    for begin in (None, start):
        result = ges(score, begin, limits=limits)
        assert limits.allows_graph(result.graph)
        assert result.score == pytest.approx(total(score, result.graph))
        assert result.score >= total(score, limits.start() if begin is None else begin) - 1e-9
        assert DAG(result.graph.nodes, result.graph.parents) == result.graph


@pytest.mark.parametrize("seed", range(8))
def test_tiers_are_obeyed(seed):
    score = random_bic(8, seed)
    limits = Rules(tiers=[NAMES[:3], NAMES[3:6]]).on(score.nodes)
    assert limits.allows_graph(ges(score, limits=limits).graph)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_number_of_parents_is_bounded(most):
    score = random_bic(7, 3)
    result = ges(score, limits=Rules(max_parents=most).on(score.nodes))
    assert max(map(len, result.graph.parents)) <= most


@pytest.mark.parametrize("seed", range(20))
def test_a_score_that_splits_classes_ends_and_is_no_worse(seed):
    rng = np.random.default_rng(seed)
    score, start = Chance(6, seed), random_dag(6, rng, 0.4)
    result = ges(score, start)
    assert result.score == pytest.approx(total(score, result.graph))
    assert result.score >= total(score, start)


@pytest.mark.parametrize("seed", range(10))
def test_every_member_of_a_class_leads_to_the_same_graph(seed):
    score = random_bic(4, seed)
    members = list(classes(4).values())[seed * 18]
    results = {ges(score, as_dag(member, 4)).graph for member in members}
    assert len({cpdag(graph) for graph in results}) == 1


def test_result_is_optimal_for_single_steps():
    score = random_bic(7, 11)
    graph = naive.essential(pairs(ges(score).graph))
    assert all(best_operator(graph, score, phase) is None for phase in naive.PHASES)


def test_watcher_sees_each_step_and_stops_the_search():
    score, seen = random_bic(7, 1), []
    whole = ges(score, on_step=lambda step: seen.append(step))
    seen = [step for step in seen if step.what != "look"]  # it is asked within long steps, too
    assert tuple(seen) == whole.trace
    assert [step.number for step in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].edges == whole.graph.n_arcs
    stopped = ges(score, on_step=lambda step: step.number == 2)
    assert len(stopped.trace) == 2
    assert str(stopped.stopped) == "asked to stop"
    assert stopped.graph.n_arcs == 2


def test_number_of_steps_is_bounded():
    assert len(ges(random_bic(6, 2), max_steps=3).trace) == 3


def test_an_error_in_the_score_comes_through():
    class Broken(Bic):
        def many(self, child, sets):
            if any(sets):
                raise ZeroDivisionError("no score today")
            return super().many(child, sets)

    with pytest.raises(ZeroDivisionError, match="no score today"):
        ges(Broken(np.eye(3), 50))


def test_scores_that_are_not_numbers_are_never_taken():
    class Gaps(Bic):
        def many(self, child, sets):
            return np.where([len(s) > 1 for s in sets], np.nan, super().many(child, sets))

    score = Gaps(random_bic(6, 4).covariance, 60)
    assert max(map(len, ges(score).graph.parents)) <= 1


@pytest.mark.parametrize("p", [0, 1])
def test_hardly_any_variables(p):
    result = ges(Chance(p, 0))
    assert result.graph.n_arcs == 0
    assert not result.trace


def test_more_columns_than_a_word_has_bits():
    p = 70
    x = np.random.default_rng(0).normal(size=(300, p))
    for child in range(1, p):
        x[:, child] += 0.8 * x[:, child - 1]
    score = Bic(np.cov(x.T, bias=True), 300)
    score.nodes = tuple(f"x{i:03d}" for i in range(p))
    graph = ges(score, limits=Rules(max_parents=1).on(score.nodes)).graph
    links = {frozenset((i, j)) for i, row in enumerate(graph.parents) for j in row}
    assert links == {frozenset((i, i + 1)) for i in range(p - 1)}


def test_bad_phases_and_starts():
    score = random_bic(3, 0)
    with pytest.raises(ArcwiseError, match="max_clique"):
        ges(score, max_clique=-1)
    with pytest.raises(OptionError, match="Did you mean 'forward'"):
        ges(score, phases=("foward",))
    with pytest.raises(ArcwiseError, match="list"):
        ges(score, phases="forward")
    limits = Rules(forbidden=["a -> b"]).on(score.nodes)
    with pytest.raises(GraphError, match="must obey the rules"):
        ges(score, DAG.from_arcs(["a -> b"], nodes=score.nodes), limits=limits)
