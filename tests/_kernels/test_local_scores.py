import itertools
import pickle

import numpy as np
import pytest
from naive import discrete as naive

from arcwise._kernels.local_scores import EACH, DiscreteScores, DiscreteTable

NEAR = {"rtol": 1e-10, "atol": 1e-9}
KINDS = [("likelihood", "table"), ("loo", "row"), ("loo", "table")]
KINDS += [("marginal", each) for each in EACH]
every_kind = pytest.mark.parametrize(("kind", "each"), KINDS)


def cases(kind="likelihood"):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        codes, levels = naive.random_table(rng, n=[1, 2, 40, 64, 65, 200][seed])
        for weights in (
            None,
            rng.integers(0, 4, codes.shape[1]).astype(float),
            rng.random(codes.shape[1]),
        )[: 2 if kind == "loo" else 3]:
            yield codes, levels, weights


@every_kind
def test_scores_are_the_plain_sums(kind, each):
    for codes, levels, weights in cases(kind):
        scores = DiscreteScores(DiscreteTable(codes, levels, weights), kind, each=each, alpha=2.5)
        sets = [(), (1,), (3, 1), (1, 2, 3), (1, 2, 3, 4, 5)]
        wanted = [naive.score(codes, levels, weights, 0, s, kind, each, 2.5) for s in sets]
        assert np.allclose(scores.many(0, sets), wanted, **NEAR)


@every_kind
def test_toggles_are_scores_of_the_sets(kind, each):
    for codes, levels, weights in cases(kind):
        table, p = DiscreteTable(codes, levels, weights), len(levels)
        options = {"each": each, "alpha": 0.7, "per_param": 0.3, "by_size": np.arange(p + 1.0)}
        scores = DiscreteScores(table, kind, **options)
        for base in [(), (1,), (1, 4), (0, 2, 4, 5)]:
            found = scores.toggles(3, base, range(p))
            assert found[4] == -np.inf
            sets = [tuple(sorted({*base} ^ {x})) for x in range(p) if x != 3]
            plain = DiscreteScores(table, kind, **options)
            assert np.allclose(np.delete(found, 4), plain.many(3, [base, *sets]), **NEAR)


@every_kind
@pytest.mark.parametrize("n", [1000, 9001])
def test_sweeps_of_all_children_are_scores_of_the_sets(n, kind, each):
    """Pairs are counted once for both; cells few and many, counts beyond what is tabulated."""
    rng = np.random.default_rng(n)
    levels = (2, 3, 5, 9, 1, 70)
    codes = [rng.choice(r, n, p=rng.dirichlet(np.full(r, 0.3))) for r in levels]
    codes[1] = (codes[0] + (rng.random(n) < 0.1)) % 3
    table, everyone = DiscreteTable(np.array(codes, dtype=np.uint16), levels, None), range(6)
    scores = DiscreteScores(table, kind, each=each, alpha=1.3)
    for base in [(), (1,), (1, 2), (1, 2, 3)]:
        for child in rng.permutation(6):
            if child in base:
                continue
            found = np.delete(scores.toggles(child, base, everyone), child + 1)
            sets = [tuple(sorted({*base} ^ {x})) for x in everyone if x != child]
            plain = DiscreteScores(table, kind, each=each, alpha=1.3)
            np.testing.assert_allclose(found, plain.many(child, [base, *sets]), rtol=1e-11)


def test_subsets_are_scores_of_the_sets():
    for codes, levels, weights in cases():
        scores = DiscreteScores(DiscreteTable(codes, levels, weights), "marginal")
        found = scores.subsets(2, (0, 1, 4, 5), (3,), 3)
        for mask, chosen in enumerate(itertools.product((0, 1), repeat=4)):
            chosen = chosen[::-1]  # bit i is candidate i
            members = [c for c, taken in zip((0, 1, 4, 5), chosen, strict=True) if taken]
            if len(members) + 1 > 3:
                assert np.isnan(found[mask])
            else:
                own = scores.many(2, [tuple(sorted([3, *members]))])[0]
                assert found[mask] == pytest.approx(own, rel=1e-10, abs=1e-9)


def test_large_tables_are_sparse_and_still_right():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 900, (5, 400)).astype(np.uint16)
    levels = np.full(5, 900)
    scores = DiscreteScores(DiscreteTable(codes, levels, None), "marginal", each="seen", alpha=3.0)
    found = scores.toggles(0, (1, 2), range(5))
    wanted = [
        naive.score(codes, levels, None, 0, s, "marginal", "seen", 3.0)
        for s in [(1, 2), (2,), (1,), (1, 2, 3), (1, 2, 4)]
    ]
    assert np.allclose(np.delete(found, 1), wanted, **NEAR)


@pytest.mark.parametrize(("n", "levels"), [(1, (2, 2)), (7, (3, 2)), (12, (2, 3)), (30, (2, 2))])
def test_regrets_of_normalised_maximum_likelihood(n, levels):
    codes = np.random.default_rng(n).integers(0, 2, (2, n)).astype(np.uint16)
    table = DiscreteTable(codes, levels, None)
    both = (DiscreteScores(table, "likelihood", nml=nml) for nml in (False, True))
    plain, charged = (scores.many(0, [(), (1,)]) for scores in both)
    cells, groups = levels[0] * levels[1], levels[1]
    wanted = [naive.regret(n, levels[0]), naive.regret(n, cells) - naive.regret(n, groups)]
    assert np.allclose(plain - charged, wanted, rtol=1e-9, atol=1e-9)


def test_regrets_of_very_many_cells_go_on_without_a_jump():
    """The exact recurrence ends at 100 000 cells; beyond, the approximation agrees with it."""
    codes = np.zeros((2, 500), dtype=np.uint16)
    regrets = []
    for levels in (49_999, 50_000, 50_001, 50_002):
        table = DiscreteTable(codes, [2, levels], None)
        pair = [
            DiscreteScores(table, "likelihood", nml=nml).many(0, [(1,)])[0] for nml in (False, True)
        ]
        regrets.append(pair[0] - pair[1])
    steps = np.diff(regrets)
    assert np.abs(steps).max() < 2e-3


def test_codes_beyond_their_levels_and_other_sizes_are_rejected():
    codes = np.array([[0, 1, 2]], dtype=np.uint16)
    with pytest.raises(ValueError, match="beyond the levels"):
        DiscreteTable(codes, [2], None)
    with pytest.raises(ValueError, match="different sizes"):
        DiscreteTable(codes, [3, 3], None)
    with pytest.raises(ValueError, match="different sizes"):
        DiscreteTable(codes, [3], np.ones(2))
    with pytest.raises(ValueError, match="charge by the number of parents"):
        DiscreteScores(DiscreteTable(codes, [3], None), "marginal", by_size=np.zeros(1))


def test_tables_that_are_too_large_score_minus_infinity_and_scores_can_be_sent_away():
    codes, levels = naive.random_table(np.random.default_rng(3), n=50)
    table = DiscreteTable(codes, levels, np.arange(50.0))
    wanted = DiscreteScores(table, "marginal", alpha=2.0)
    few = DiscreteScores(table, "marginal", alpha=2.0, most_cells=float(levels[0] * levels[1]))
    assert few.many(0, [(1,)])[0] == wanted.many(0, [(1,)])[0]
    assert few.many(0, [(1, 2, 3, 4, 5)])[0] == -np.inf
    more = few.with_charges(np.arange(len(levels) + 1.0))
    again = pickle.loads(pickle.dumps(more))
    assert again.many(0, [(1,), (1, 2, 3, 4, 5)]).tolist() == [few.many(0, [(1,)])[0] + 1, -np.inf]


@every_kind
def test_what_is_remembered_is_what_was_asked(kind, each):
    """In any order, twice, by parts, and under other charges."""
    codes, levels = naive.random_table(np.random.default_rng(5), n=300)
    table, p = DiscreteTable(codes, levels, None), len(levels)
    first = DiscreteScores(table, kind, each=each, alpha=1.5, per_param=0.2)
    inside = first.toggles(2, (0, 4), [0, 4])
    outside = first.toggles(2, (4, 0), [5, 1, 3])
    whole = first.toggles(2, (0, 4), range(p))
    fresh = DiscreteScores(table, kind, each=each, alpha=1.5, per_param=0.2)
    assert np.allclose(whole, fresh.toggles(2, (0, 4), range(p)), **NEAR)
    assert whole[[1, 5]].tolist() == inside[1:].tolist()
    assert whole[[6, 2, 4]].tolist() == outside[1:].tolist()
    extra = np.arange(p + 1.0) ** 2
    more = first.with_charges(extra).toggles(2, (0, 4), range(p))
    sizes = np.array([2, *(1 if x in (0, 4) else 3 for x in range(p))])
    kept = np.arange(p + 1) != 3
    assert np.allclose(more[kept], (whole + extra[sizes])[kept], **NEAR)
    assert first.many(2, [(0, 4), (4, 0)]).tolist() == [whole[0]] * 2


def test_counts_beyond_the_tables_of_gamma_functions():
    rng = np.random.default_rng(2)
    codes = (rng.random((2, 12_000)) < 0.1).astype(np.uint16)
    codes[1] ^= codes[0] & (rng.random(12_000) < 0.5)
    for weights in (None, np.full(12_000, 2.0), np.full(12_000, 0.3)):
        scores = DiscreteScores(DiscreteTable(codes, [2, 2], weights), "marginal", alpha=0.7)
        wanted = [
            naive.score(codes, [2, 2], weights, 0, s, "marginal", "table", 0.7) for s in [(), (1,)]
        ]
        assert np.allclose(scores.many(0, [(), (1,)]), wanted, rtol=1e-10)


def test_many_columns_are_forgotten_and_counted_again():
    """Sums of 2000 columns with their toggles fill the memory several times."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (2000, 3)).astype(np.uint16)
    scores = DiscreteScores(DiscreteTable(codes, [2] * 2000, None), "marginal")
    before = scores.toggles(0, (1,), range(2000))
    for child in range(2, 2000):
        for base in ((), (0,), (1,), (0, 1), (child - 1,))[: 5 if child % 2 else 4]:
            scores.toggles(child, tuple(x for x in base if x != child), [0])
    assert np.array_equal(scores.toggles(0, (1,), range(2000)), before)


def test_the_influence_of_one_row_is_the_gain_without_it():
    for codes, levels, weights in cases():
        table, everyone = DiscreteTable(codes, levels, weights), range(len(levels))
        plain = DiscreteScores(table, "marginal", alpha=2.5)
        for limit in (5.0, 1e9):
            scores = DiscreteScores(table, "marginal", alpha=2.5, jackknife=limit)
            total = float(codes.shape[1] if weights is None else weights.sum())
            if total == 0:
                continue
            least = [min(filter(None, np.bincount(c, weights).tolist())) for c in codes]
            wanted = np.array(
                [
                    naive.influence(codes, levels, weights, x, 3, 2.5)
                    if x != 3 and least[x] * least[3] < limit * total
                    else 0.0
                    for x in everyone
                ]
            )
            base = (1, 4)
            charged = plain.many(3, [base])[0] - scores.many(3, [base])[0]
            assert charged == pytest.approx(wanted[1] + wanted[4], abs=1e-9)
            toggled = plain.toggles(3, base, (0, 1, 2)) - scores.toggles(3, base, (0, 1, 2))
            assert toggled[1:] == pytest.approx(
                [charged + wanted[0], charged - wanted[1], charged + wanted[2]], abs=1e-9
            )
            subsets = [each.subsets(3, (0, 1, 2), (4,), 4) for each in (plain, scores)]
            sums = [wanted[4] + sum(wanted[i] for i in range(3) if m >> i & 1) for m in range(8)]
            assert subsets[0] - subsets[1] == pytest.approx(sums, abs=1e-9)


def test_the_influence_of_one_row_is_the_same_both_ways():
    rng = np.random.default_rng(5)
    codes = (rng.random((5, 300)) < 0.01).astype(np.uint16)
    pair = {}
    for limit in (0.0, 5.0):
        scores = DiscreteScores(DiscreteTable(codes, [2] * 5, None), "marginal", jackknife=limit)
        pair[limit] = np.array([scores.many(child, [(4 - child,)])[0] for child in (0, 4)])
    assert pair[0.0][0] != pair[5.0][0]
    drops = pair[0.0] - pair[5.0]
    assert drops[0] == pytest.approx(drops[1], abs=1e-10)
