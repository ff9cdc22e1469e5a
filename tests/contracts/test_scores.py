"""Laws of every registered score, over every family that it takes, and of composed scores."""

import pickle
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from contracts.cases import (
    EVERY_SCORE,
    TABLES,
    applicable,
    composed,
    linear,
    nasty,
    random_graph,
    whole_kinds_of,
)
from contracts.laplace import Laplace
from contracts.multinomial import Multinomial

from arcwise.conditionals import FAMILIES
from arcwise.errors import FitError
from arcwise.graphs import DAG, cpdag, legal_moves
from arcwise.scores import CachedScore, Score, Sum, delta, total
from arcwise.scores.score import ALL

EVERY = [*FAMILIES.values(), Laplace(), Multinomial()]
NUMBERS = [family for family in FAMILIES.values() if "continuous" in family.kinds]
SEEN = {"plain": linear(1, rows=60, p=5), "nasty": nasty(2, rows=30)}
FEW = {"plain": linear(1, rows=14, p=5), "nasty": nasty(2, rows=14)}
"""For families without closed forms."""


@cache
def scores(kind: str) -> dict[str, Score]:
    found = {
        f"{family.name} {word}": score
        for family in NUMBERS
        for word, score in applicable(
            family, (SEEN if family.bind(SEEN[kind]).lattice else FEW)[kind]
        ).items()
    }
    found |= composed(SEEN[kind])
    if kind == "plain":  # of other kinds of columns, too
        for family in EVERY:
            each = whole_kinds_of(family)[-1]
            slow = applicable(family, TABLES[each](1, rows=12, p=4))
            found |= {f"{family.name} {word}, {each}": s for word, s in slow.items()}
    return found


CASES = [(kind, word) for kind in SEEN for word in scores(kind)]
score_law = pytest.mark.parametrize(("kind", "word"), CASES)


def dear(kind: str, word: str) -> bool:
    """Whether every number of a score is a fit of its own."""
    return any(
        word.startswith(f"{family.name} ") and not family.bind(SEEN[kind]).lattice
        for family in NUMBERS
    )


def swept():
    """Cases with the children that are looked at: of dear scores two, and in slow laws all."""
    for kind, word in CASES:
        last = len(scores(kind)[word].nodes) - 1
        if dear(kind, word):
            yield pytest.param(kind, word, (0, last), id=f"{kind}-{word}")
            yield pytest.param(
                kind,
                word,
                tuple(range(1, last)),
                id=f"{kind}-{word}, others",
                marks=pytest.mark.slow,
            )
        else:
            yield pytest.param(kind, word, tuple(range(last + 1)), id=f"{kind}-{word}")


children_law = pytest.mark.parametrize(("kind", "word", "children"), list(swept()))


def close(found, expected):
    scale = np.max(np.abs(np.asarray(expected)[np.isfinite(expected)]), initial=1.0)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-7 * scale)


def bases(score: Score, child: int):
    others = [x for x in range(len(score.nodes)) if x != child]
    return [(), (others[0],), (others[-1],), tuple(others[:2]), tuple(others[1:]), tuple(others)]


@children_law
def test_toggles_and_sweep_are_many_with_one_variable_changed(kind, word, children):
    score = scores(kind)[word]
    p = len(score.nodes)
    asked = [(child, base) for child in children for base in bases(score, child)]
    own, swept = score.sweep([c for c, _ in asked], [b for _, b in asked])
    assert own.shape == (len(asked),)
    assert swept.shape == (len(asked), p)
    for row, (child, base) in enumerate(asked):
        others = [x for x in range(p) if x != child]
        expected = np.full(p, -np.inf)
        expected[others] = score.many(child, [tuple(sorted(set(base) ^ {x})) for x in others])
        close(own[row], score.local(child, base))
        close(swept[row], expected)
        close(score.toggles(child, base), expected)
        among = [others[0], child, others[-1]]
        close(score.toggles(child, base, among), expected[among])
        close(score.toggles(child, base, [others[1]]), expected[[others[1]]])
        assert score.toggles(child, base, []).shape == (0,)
        if row % 6 != child % 6:  # one of the bases is enough
            continue
        wanted = np.random.default_rng(row).random(p) < 0.5
        alone, few = score.sweep([child], [base], wanted[None, :])
        close(alone[0], own[row])
        close(few[0], np.where(wanted, expected, -np.inf))


@score_law
def test_a_sweep_of_no_children_is_empty(kind, word):
    score = scores(kind)[word]
    own, rows = score.sweep([], [])
    assert own.shape == (0,)
    assert rows.shape == (0, len(score.nodes))


@children_law
def test_subsets_are_many_by_bit_mask(kind, word, children):
    score = scores(kind)[word]
    p = len(score.nodes)
    for child in children:
        others = [x for x in range(p) if x != child]
        for always, candidates in (
            ((), others),
            ((others[1],), [others[2], others[0]]),
            ((others[0],), []),
        ):
            chosen = [
                tuple(sorted([*always, *(c for b, c in enumerate(candidates) if mask >> b & 1)]))
                for mask in range(1 << len(candidates))
            ]
            everything = score.many(child, chosen)
            for most in (ALL, 0, 1, 2):
                found = score.subsets(child, candidates, always, most)
                few = [len(s) <= most for s in chosen]
                close(found, np.where(few, everything, -np.inf))


@score_law
def test_parts_sum_to_the_total_and_delta_is_the_difference_of_totals(kind, word):
    score = scores(kind)[word]
    rng = np.random.default_rng(1)
    for _ in range(3):
        graph = random_graph(score.nodes, rng)
        whole = total(score, graph)
        assert whole == pytest.approx(sum(score.local(c, r) for c, r in enumerate(graph.parents)))
        moves = list(legal_moves(graph))
        for i in rng.permutation(len(moves))[:8]:
            after = total(score, moves[i].apply(graph))
            assert delta(score, graph, moves[i]) == pytest.approx(
                after - whole, abs=1e-7 * abs(whole)
            )


@score_law
def test_a_score_is_a_pure_function_and_can_be_sent_away(kind, word):
    score = scores(kind)[word]
    sent = pickle.loads(pickle.dumps(score))
    for child in range(len(score.nodes)):
        asked = bases(score, child)
        first = score.many(child, asked)
        score.many(child, asked[::-1])
        assert (sent.many(child, asked) == first).all()
        assert (score.many(child, asked) == first).all()
        assert np.isfinite(first).all()
    assert sent.nodes == score.nodes
    assert sent.rows == score.rows


def classes(nodes):
    """All graphs over some nodes, by their equivalence class."""
    found: dict = {}
    for order in permutations(nodes):
        pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
        for mask in range(1 << len(pairs)):
            arcs = [pair for bit, pair in enumerate(pairs) if mask >> bit & 1]
            graph = DAG.from_arcs(arcs, nodes)
            found.setdefault(cpdag(graph), set()).add(graph)
    return found


CLASSES = classes(("v0", "v1", "v2", "v3"))


@pytest.mark.parametrize("word", EVERY_SCORE)
@pytest.mark.parametrize("family", EVERY, ids=lambda f: f.name)
def test_equivalent_graphs_tie_where_the_score_says_so(word, family):
    assert sum(map(len, CLASSES.values())) == 543
    assert len(CLASSES) == 185
    found = applicable(family, TABLES[whole_kinds_of(family)[0]](4, rows=30, p=4))
    if word not in found:
        pytest.skip("the score does not take this family")
    score = CachedScore(found[word])
    if not score.equivalent:
        pytest.skip("the score makes no such claim")
    for members in CLASSES.values():
        values = [total(score, graph) for graph in members]
        assert max(values) - min(values) < 1e-10 * abs(min(values))


@pytest.mark.parametrize("word", EVERY_SCORE)
@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda f: f.name)
def test_weights_are_repeated_rows(word, family):
    """The same score of a counted table and of the long one, its rows in another order."""
    source = TABLES[whole_kinds_of(family)[0]](5, rows=40)
    counts = np.random.default_rng(1).integers(0, 4, size=40)
    found = applicable(family, source.with_weights(counts))
    if word not in found:
        pytest.skip("the score does not take this family")
    once = found[word]
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(40), counts))
    several = applicable(family, source.take(rows))[word]
    assert once.rows == several.rows
    for child in range(5):
        assert once.many(child, bases(once, child)) == pytest.approx(
            several.many(child, bases(once, child)), rel=1e-9
        )


@pytest.mark.parametrize("word", EVERY_SCORE)
@pytest.mark.parametrize("family", NUMBERS, ids=lambda f: f.name)
def test_scores_are_in_the_units_of_the_data(word, family):
    """A column measured in other units changes a log-likelihood by rows x log of the factor."""
    source = linear(6)
    scaled = source.columns[0] * 1000.0
    other = type(source)(source.variables, (scaled, *source.columns[1:]))
    if word not in applicable(family, source):
        pytest.skip("the score does not take this family")
    before, after = applicable(family, source)[word], applicable(family, other)[word]
    if EVERY_SCORE[word].meaning == "posterior":
        pytest.skip("its prior has units")
    change = after.local(0, (1, 2)) - before.local(0, (1, 2))
    assert change == pytest.approx(-before.rows * np.log(1000.0), rel=1e-9)
    assert after.local(1, (0, 2)) == pytest.approx(before.local(1, (0, 2)), rel=1e-9)


def test_a_sum_is_the_sum_and_a_cache_is_what_it_caches():
    found = scores("plain")
    parts = [found["gaussian bic"], found["penalty"]]
    both = Sum(parts)
    assert both.local(0, (1,)) == pytest.approx(sum(part.local(0, (1,)) for part in parts))
    assert both.equivalent
    assert not Sum([*parts, found["expert"]]).equivalent
    cached = CachedScore(parts[0])
    assert cached.equivalent
    assert cached.local(0, (1,)) == parts[0].local(0, (1,)) == cached.local(0, (1,))
    assert list(cached.known) == [(0, (1,))]
    assert cached.many(0, []).shape == (0,)


def test_a_total_over_other_variables_is_rejected():
    with pytest.raises(FitError, match="same variables"):
        total(scores("plain")["gaussian bic"], DAG.empty(["a", "b"]))
