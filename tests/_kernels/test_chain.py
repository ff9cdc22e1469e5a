from itertools import combinations

import numpy as np
import pytest
from naive import posterior as naive
from scipy.stats import chi2

from arcwise._kernels.chain import (
    ChainState,
    ParentSets,
    PlaceChain,
    PlaceState,
    StructureChain,
    packed_rows,
    unpacked_rows,
)


def begin(p, seed=1, start=None, **options):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2**63, 4, dtype=np.uint64)
    allowed = options.pop("allowed", [tuple(u for u in range(p) if u != v) for v in range(p)])
    kept = options.pop("kept", [()] * p)
    chain = StructureChain(allowed, kept, **{"max_parents": p, **options})
    chain.go_to(ChainState(packed_rows(start or [()] * p), words, 0))
    return chain


def from_table(weights):
    """A callback for weights by packed masks, as a search asks."""

    def rows(child, base, among):
        sets = [set(base), *({*base} ^ {x} for x in among)]
        return np.array([weights[child, naive.packed(s, child)] for s in sets])

    return rows


def go_on(steps, score):
    return False


@pytest.mark.parametrize(
    ("options", "beta"),
    [({}, 1.0), ({}, 0.5), ({"max_parents": 1}, 1.0), ({"allowed": [(1,), (0, 2), (0,)]}, 1.0),
     ({"kept": [(), (0,), ()], "start": [(), (0,), ()]}, 1.0)],
)  # fmt: skip
def test_graphs_are_visited_as_often_as_they_weigh(options, beta):
    """Chi-square over all graphs of three nodes that the rules allow, draws far apart."""
    p, weights = 3, np.random.default_rng(3).standard_normal((3, 4))
    chain = begin(p, beta=beta, **options)
    visited = chain.run(from_table(weights), 600_000, 60, go_on)
    allowed = options.get("allowed", [(1, 2), (0, 2), (0, 1)])
    kept = options.get("kept", [()] * p)
    logs = {}
    for graph in naive.all_dags(p):
        fits = all(
            set(kept[v]) <= graph[v] <= set(allowed[v])
            and len(graph[v]) <= options.get("max_parents", p)
            for v in range(p)
        )
        if fits:
            key = tuple(tuple(sorted(row)) for row in graph)
            logs[key] = beta * sum(weights[v, naive.packed(graph[v], v)] for v in range(p))
    shares = np.exp(list(logs.values())) / np.exp(list(logs.values())).sum()
    seen = dict.fromkeys(logs, 0)
    for state in visited.parents:
        seen[tuple(unpacked_rows(state))] += 1  # a graph that rules forbid would be a KeyError
    expected = shares * len(visited.parents)
    statistic = ((np.array(list(seen.values())) - expected) ** 2 / expected).sum()
    assert statistic < chi2.ppf(0.999, len(logs) - 1)
    assert 0 < visited.accepted < visited.steps == 600_000


def test_a_run_in_pieces_is_the_run_in_one():
    weights = np.random.default_rng(1).standard_normal((4, 8))
    whole = begin(4).run(from_table(weights), 5000, 7, go_on)
    first = begin(4)
    one = first.run(from_table(weights), 1234, 7, go_on)
    allowed = [tuple(u for u in range(4) if u != v) for v in range(4)]
    again = StructureChain(allowed, [()] * 4, max_parents=4)
    again.go_to(first.state)
    two = again.run(from_table(weights), 5000 - 1234, 7, go_on)
    assert np.array_equal(np.concatenate([one.parents, two.parents]), whole.parents)
    assert np.array_equal(np.concatenate([one.scores, two.scores]), whole.scores)


def test_scores_are_those_of_the_states_and_sets_are_asked_for_once():
    weights, asked = np.random.default_rng(2).standard_normal((4, 8)), []
    plain = from_table(weights)

    def rows(child, base, among):
        asked.append((child, base, tuple(among)))
        return plain(child, base, among)

    chain = begin(4)
    visited = chain.run(rows, 2000, 1, go_on)
    for state, score in zip(visited.parents, visited.scores, strict=True):
        sets = unpacked_rows(state)
        assert score == pytest.approx(
            sum(weights[v, naive.packed(sets[v], v)] for v in range(4)), abs=1e-12
        )
    assert len(asked) == len(set(asked))
    assert chain.known <= 32


def test_many_variables_stay_acyclic_and_legal_changes_are_counted():
    p = 130  # three words
    rng = np.random.default_rng(5)

    def rows(child, base, among):
        return rng.standard_normal(1 + len(among))

    chain = begin(p, max_parents=4)
    assert chain.legal == p * (p - 1)
    visited = chain.run(rows, 3000, 500, go_on)
    for state in visited.parents:
        sets = [set(row) for row in unpacked_rows(state)]
        assert naive.acyclic(sets)
        assert max(map(len, sets)) <= 4
    last = [set(row) for row in unpacked_rows(chain.state.parents)]
    legal = sum(len(row) for row in last)
    for v in range(p):
        below, waiting = set(), [v]
        while waiting:
            node = waiting.pop()
            more = {c for c in range(p) if node in last[c]} - below
            below |= more
            waiting += more
        legal += (len(last[v]) < 4) * len(set(range(p)) - {v} - last[v] - below)
    assert chain.legal == legal


def test_a_watcher_and_a_callback_can_end_it():
    weights = np.zeros((3, 4))
    visited = begin(3).run(from_table(weights), 10**9, 10**9, lambda steps, score: steps >= 100_000)
    assert visited.ended
    assert 100_000 <= visited.steps < 10**9
    ended = begin(3).run(lambda child, base, among: None, 100, 1, go_on)
    assert ended.ended
    assert ended.steps == 0


def test_impossible_sets_are_never_entered():
    weights = np.zeros((3, 4))
    weights[2, 3] = -np.inf
    visited = begin(3).run(from_table(weights), 20_000, 1, go_on)
    assert all(len(unpacked_rows(state)[2]) < 2 for state in visited.parents)


def test_a_start_with_a_cycle_is_rejected():
    with pytest.raises(ValueError, match="cycle"):
        begin(2, start=[(1,), (0,)])


def all_sets(weights):
    """Every parent set of every variable, with its weight."""
    p = len(weights)
    sets, logs = [], []
    for v in range(p):
        others = [u for u in range(p) if u != v]
        members = [
            tuple(u for i, u in enumerate(others) if mask >> i & 1) for mask in range(2 ** (p - 1))
        ]
        sets.append(packed_rows(members, p))
        logs.append(weights[v].copy())
    return ParentSets(sets, logs)


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("spread", [1.0, 400.0])
def test_an_order_or_partition_weighs_what_its_graphs_weigh(levels, spread):
    """Against sums over all graphs, also where weights differ by more than a double can hold."""
    p, rng = 4, np.random.default_rng(4)
    weights = spread * rng.standard_normal((p, 8))
    chain = PlaceChain(all_sets(weights), levels=levels)
    words = rng.integers(0, 2**63, 4, dtype=np.uint64)
    chain.go_to(PlaceState(np.arange(p), packed_rows([()] * p), words, 0))
    for _ in range(30):
        chain.run(1, 1, go_on)
        places = chain.state.places
        logs = [
            sum(weights[v, naive.packed(graph[v], v)] for v in range(p))
            for graph in naive.all_dags(p)
            if fits(graph, places, levels)
        ]
        assert chain.total == pytest.approx(np.logaddexp.reduce(logs), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("p", [20, 64, 70, 128, 130])  # sets of one, two and three words
@pytest.mark.parametrize("spread", [1.0, 40.0, 400.0])
@pytest.mark.parametrize("table", [True, False])
def test_an_order_weighs_all_sets_that_agree_with_it(p, spread, table):
    """Sets of six candidates, which have a table of sums, and many others; or pairs and triples of all."""
    rng = np.random.default_rng([p, table])
    sets, logs = [], []
    for v in range(p):
        near = rng.permutation([u for u in range(p) if u != v])
        inner = [each for size in range(7) for each in combinations(near[:6].tolist(), size)]
        outer = [(int(a), int(b)) for a, b in rng.choice(near[6:], (60, 2)) if a != b]
        more = [tuple(rng.choice(near, 3, replace=False).tolist()) for _ in range(300)]
        sets.append(list({*inner, *map(tuple, map(sorted, outer)), *(() if table else more)}))
        logs.append(spread * rng.standard_normal(len(sets[-1])) - 10.0)
    native = ParentSets([packed_rows(each, p) for each in sets], logs)
    chain = PlaceChain(native, levels=False)
    for _ in range(3):
        places = rng.permutation(p)
        words = rng.integers(0, 2**63, 4, dtype=np.uint64)
        chain.go_to(PlaceState(places, packed_rows([()] * p), words, 0))
        total = 0.0
        for v in range(p):
            inside = [all(places[u] < places[v] for u in each) for each in sets[v]]
            total += np.logaddexp.reduce(logs[v][inside])
        assert chain.total == pytest.approx(total, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("spread", [1.0, 400.0])
def test_a_partition_weighs_tables_and_other_sets_together(spread):
    """One variable after two elements: sets that meet the second, of five candidates and of others."""
    p, rng = 70, np.random.default_rng(3)
    near = rng.permutation(np.arange(1, p))
    inner = [each for size in range(6) for each in combinations(near[:5].tolist(), size)]
    outer = [(int(u), int(w)) for u in near[5:45] for w in near[:2]]
    sets = [inner + outer, *([()] for _ in range(1, p))]
    logs = [spread * rng.standard_normal(len(each)) for each in sets]
    for roots in (set(near[:3]), set(near[3:]), set(near[::2])):
        listed = [sets[0], *([()] if v in roots else [(min(roots),)] for v in range(1, p))]
        native = ParentSets([packed_rows(each, p) for each in listed], logs)
        chain = PlaceChain(native, levels=True)
        places = np.array([2, *(0 if v in roots else 1 for v in range(1, p))])
        words = rng.integers(0, 2**63, 4, dtype=np.uint64)
        chain.go_to(PlaceState(places, packed_rows([()] * p), words, 0))
        meeting = [bool(set(each) - roots) for each in sets[0]]
        total = np.logaddexp.reduce(logs[0][meeting]) + sum(each[0] for each in logs[1:])
        assert chain.total == pytest.approx(total, rel=1e-9, abs=1e-7)


def fits(graph, places, levels):
    """Whether a graph agrees with an order, or is one of a partition."""
    if not levels:
        return all(places[u] < places[v] for v, row in enumerate(graph) for u in row)
    return all(
        places[v] == max((places[u] + 1 for u in row), default=0) for v, row in enumerate(graph)
    )


def test_places_in_many_words_and_in_pieces():
    p, rng = 70, np.random.default_rng(2)
    sets = [packed_rows([(), *((u,) for u in range(p) if u != v)], p) for v in range(p)]
    logs = [rng.standard_normal(p) * 3 for _ in range(p)]
    for levels in (False, True):
        chains = [PlaceChain(ParentSets(sets, logs), levels=levels) for _ in range(2)]
        words = np.array([1, 2, 3, 4], dtype=np.uint64)
        for chain in chains:
            places = np.zeros(p, dtype=np.int64) if levels else np.arange(p)
            chain.go_to(PlaceState(places, packed_rows([()] * p), words, 0))
        whole = chains[0].run(300, 10, go_on)
        parts = [chains[1].run(steps, 10, go_on) for steps in (7, 93, 200)]
        assert np.array_equal(whole.parents, np.concatenate([part.parents for part in parts]))
        for state in whole.parents:
            assert naive.acyclic([set(row) for row in unpacked_rows(state)])


def test_a_start_without_a_graph_is_rejected():
    sets = ParentSets([packed_rows([(1,)], 2), packed_rows([()], 2)], [np.zeros(1), np.zeros(1)])
    chain = PlaceChain(sets, levels=False)
    with pytest.raises(ValueError, match="has no graph"):
        chain.go_to(PlaceState(np.arange(2), packed_rows([(), ()]), np.ones(4, dtype=np.uint64), 0))
