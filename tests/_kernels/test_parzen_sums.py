"""The compiled Parzen windows against the printed sums, on plain and on nasty input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import parzen as naive

from arcwise._kernels import parzen_sums as kernel

BOX = {"floor": 0.01, "ceiling": 30.0}


class Case:
    """A table with flags, weights, and which columns are discrete targets."""

    def __init__(self, name, columns, apart=None, weights=None, levels=None):
        p, n = columns.shape
        self.name, self.columns = name, np.ascontiguousarray(columns, dtype=float)
        self.apart = np.zeros(p, np.uint8) if apart is None else np.array(apart, np.uint8)
        self.weights = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
        self.levels = dict.fromkeys(range(p), 0) | (levels or {})

    @property
    def data(self):
        return self.columns, self.apart, self.weights

    def sets(self, child):
        others = [x for x in range(len(self.columns)) if x != child]
        return [(), tuple(others), *[(x,) for x in others], tuple(others[1:])]


def plain(seed, n, p):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(p, p)) @ rng.normal(size=(p, n))
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


def cases():
    rng = np.random.default_rng(5)
    ties = rng.integers(0, 3, size=(3, 40)).astype(float)
    outliers = plain(2, 30, 3)
    outliers[:, 4] += 400.0
    outliers[1, 9] = -1e4
    mixed = np.vstack([plain(3, 60, 3), rng.integers(0, 4, 60), rng.integers(0, 2, 60)])
    copies = np.repeat(plain(4, 12, 3), 3, axis=1)
    weights = rng.uniform(0.0, 3.0, 50) * (rng.random(50) < 0.8)
    return [
        Case("plain", plain(1, 67, 4)),
        Case("longer than a tile", plain(6, 530, 2)),
        Case("ties", ties),
        Case("constant column", np.vstack([plain(7, 20, 2), np.zeros(20)])),
        Case("two rows", plain(8, 2, 2)),
        Case("three rows", plain(9, 3, 3)),
        Case("copies", copies),
        Case("outliers", outliers),
        Case("weights with zeros", plain(10, 50, 3), weights=weights),
        Case("uneven weights", plain(11, 33, 3), weights=10.0 ** rng.uniform(-6, 6, 33)),
        Case("unordered levels", mixed, apart=[0, 0, 0, 1, 1], levels={3: 4, 4: 2}),
        Case("weighted levels", mixed, [0, 0, 0, 1, 0], rng.uniform(0, 2, 60), {3: 4, 4: 2}),
    ]


CASES = cases()
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
BANDWIDTHS = [(0.3, 0.2), (0.02, 0.5), (2.0, 0.011), (0.01, 0.01), (30.0, 30.0), (1.0, 1.0)]


def questions(case):
    for child in range(len(case.columns)):
        for members in case.sets(child):
            for bandwidths in BANDWIDTHS:
                yield child, members, bandwidths


def test_the_naive_twin_is_a_density_that_leaves_one_out():
    case = CASES[0]
    value = naive.loo(*case.data, 0, 0, (1,), (0.4, 0.3))
    terms = []
    for n in range(67):
        rest = np.delete(np.arange(67), n)
        x, y = case.columns[1], case.columns[0]
        kernel_x = np.exp(-((x[n] - x[rest]) ** 2) / (2 * 0.4**2))
        kernel_y = np.exp(-((y[n] - y[rest]) ** 2) / (2 * 0.3**2)) / (0.3 * np.sqrt(2 * np.pi))
        terms.append(np.log(np.sum(kernel_x * kernel_y) / np.sum(kernel_x)))
    assert value == pytest.approx(np.mean(terms), rel=1e-12)


@every_case
def test_loo_is_the_printed_sum(case):
    for child, members, bandwidths in questions(case):
        levels = case.levels[child]
        found = kernel.loo(*case.data, child, levels, [members], np.array([bandwidths]))
        expected = naive.loo(*case.data, child, levels, members, bandwidths)
        assert found.value[0] == pytest.approx(expected, rel=1e-9, abs=1e-9), (
            child,
            members,
            bandwidths,
        )


@every_case
def test_loo_in_single_precision_is_close(case):
    for child, members, bandwidths in questions(case):
        levels = case.levels[child]
        at = np.array([bandwidths])
        double = kernel.loo(*case.data, child, levels, [members], at)
        single = kernel.loo(*case.data, child, levels, [members], at, single=True)
        coarse = 3e-6 / min(*bandwidths, 1.0)  # columns themselves are rounded to single precision
        assert single.value[0] == pytest.approx(
            double.value[0], rel=1e-6, abs=max(1e-6, 1e-2 * coarse)
        )


@pytest.mark.parametrize("case", [c for c in CASES if c.name != "outliers"], ids=lambda c: c.name)
@pytest.mark.parametrize("single", [False, True])
def test_derivatives_are_those_of_the_printed_sum(case, single):
    step = 1e-4
    for child in range(len(case.columns)):
        for members in case.sets(child)[:3]:
            for bandwidths in [(0.4, 0.3), (0.05, 0.2), (1.5, 1.1)]:
                ask = (*case.data, child, case.levels[child])
                moves = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]) * step
                at = np.exp(np.log(bandwidths) + moves)
                found = kernel.loo(*ask, [members] * 5, at)
                mine = kernel.loo(*ask, [members], np.array([bandwidths]), single=single)
                slope = (found.value[[1, 3]] - found.value[[2, 4]]) / (2 * step)
                bend = (found.gradient[[1, 3]] - found.gradient[[2, 4]]) / (2 * step)
                size = 1.0 + np.abs(bend).max()
                exact = 3e-4 if single else 2e-5
                np.testing.assert_allclose(mine.gradient[0], slope, rtol=1e-4, atol=exact * size)
                expected = [bend[0, 0], bend[0, 1], bend[1, 1]]
                np.testing.assert_allclose(mine.hessian[0], expected, rtol=1e-4, atol=exact * size)
                assert bend[0, 1] == pytest.approx(bend[1, 0], abs=1e-4 * size)


@every_case
def test_joint_is_the_printed_sum_and_gives_scores_by_difference(case):
    p = len(case.columns)
    sets = [(), (0,), tuple(range(p)), tuple(range(1, p))]
    for width in (0.05, 0.4, 3.0):
        found = kernel.joint(*case.data, sets, width)
        expected = [naive.joint(*case.data, s, width) for s in sets]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
        if case.levels[0] == 0 and not case.apart[0]:
            ask = (*case.data, 0, 0, [sets[3]], np.array([[width, width]]))
            score = found[2] - found[3] + naive.log_normaliser(width, 0)
            assert kernel.loo(*ask).value[0] == pytest.approx(score, rel=1e-9, abs=1e-9)


def test_joint_slopes_are_derivatives_by_log_width():
    case = CASES[8]
    sets, step = [(0, 1, 2), (1,), ()], 1e-4
    value, slope, bend = kernel.joint_slope(*case.data, sets, 0.5)
    up, down = (kernel.joint_slope(*case.data, sets, 0.5 * np.exp(s)) for s in (step, -step))
    np.testing.assert_array_equal(value, kernel.joint(*case.data, sets, 0.5))
    np.testing.assert_allclose(slope, (up[0] - down[0]) / (2 * step), atol=1e-6)
    np.testing.assert_allclose(bend, (up[1] - down[1]) / (2 * step), atol=1e-6)


def dense_best(case, child, members, one):
    """The greatest score on a dense grid of bandwidths, in double precision."""
    hs = np.geomspace(BOX["floor"], 5.0, 24)
    at = np.array([(h, h) for h in hs] if one else [(g, h) for g in hs for h in hs])
    ask = (*case.data, child, case.levels[child], [members] * len(at), at)
    return kernel.loo(*ask).value.max()


@every_case
@pytest.mark.parametrize("one", [False, True])
def test_fitted_widths_are_no_worse_than_a_dense_grid(case, one):
    if case.name == "longer than a tile":
        pytest.skip("long")
    for child in range(len(case.columns)):
        sets, levels = case.sets(child)[:3], case.levels[child]
        found = kernel.fit(*case.data, child, levels, sets, one=one, **BOX)
        assert (found.bandwidths >= BOX["floor"]).all()
        assert (found.bandwidths <= BOX["ceiling"]).all()
        again = kernel.loo(*case.data, child, levels, sets, found.bandwidths)
        np.testing.assert_allclose(found.value, again.value, rtol=1e-12, atol=1e-12)
        for members, value, bandwidths in zip(sets, found.value, found.bandwidths, strict=True):
            best = dense_best(case, child, members, one)
            slack = 0.1 if case.name == "uneven weights" else 1e-4  # one row in charge: sharp peaks
            assert value >= best - slack, (child, members, bandwidths, value - best)
            assert not one or bandwidths[0] == bandwidths[1]
            assert one or members or bandwidths[0] == BOX["ceiling"]


def test_a_fit_is_a_function_of_child_and_set_alone():
    case = Case("rows", plain(20, 300, 6), weights=np.random.default_rng(1).uniform(0, 2, 300))
    sets = [(1, 2), (), (3,), (1, 2, 3, 4, 5), (2, 5), (4,)]
    for one in (False, True):
        whole = kernel.fit(*case.data, 0, 0, sets, one=one, **BOX)
        turned = kernel.fit(*case.data, 0, 0, sets[::-1], one=one, **BOX)
        shared = kernel.fit(*case.data, 0, 0, sets, one=one, **BOX, threads=2)
        alone = [kernel.fit(*case.data, 0, 0, [s], one=one, **BOX) for s in sets]
        for part in range(3):
            assert np.array_equal(whole[part], turned[part][::-1])
            assert np.array_equal(whole[part], shared[part])
            assert np.array_equal(whole[part], np.concatenate([fit[part] for fit in alone]))
    joints = [kernel.joint(*case.data, sets, 0.7, threads) for threads in (1, 2)]
    assert np.array_equal(*joints)


def test_rows_of_weight_zero_and_the_scale_of_weights_change_nothing():
    rng = np.random.default_rng(3)
    columns, weights = plain(21, 90, 4), rng.uniform(0.5, 2, 90)
    weights[::7] = 0.0
    used = np.ascontiguousarray(columns[:, weights > 0])
    flags = np.zeros(4, np.uint8)
    whole = kernel.fit(columns, flags, weights, 1, 0, [(0, 2)], one=False, **BOX)
    part = kernel.fit(used, flags, weights[weights > 0], 1, 0, [(0, 2)], one=False, **BOX)
    scaled = kernel.fit(columns, flags, 4.0 * weights, 1, 0, [(0, 2)], one=False, **BOX)
    assert np.array_equal(whole.value, part.value)
    assert np.array_equal(whole.bandwidths, part.bandwidths)
    assert np.array_equal(whole.value, scaled.value)


def test_more_rows_than_are_kept_give_the_same_sums():
    """Beyond 5000 rows distances are computed anew in every pass."""
    columns, flags = plain(22, 5003, 2), np.zeros(2, np.uint8)
    weights = np.ones(5003)
    found = kernel.fit(columns, flags, weights, 0, 0, [(1,)], one=False, **BOX)
    rows = np.arange(0, 5003, 50)
    part = kernel.loo_rows(columns, flags, weights, 0, 0, (1,), tuple(found.bandwidths[0]), rows)
    at = kernel.loo(columns, flags, weights, 0, 0, [(1,)], found.bandwidths)
    assert found.value[0] == pytest.approx(
        at.value[0], abs=2e-7
    )  # beyond 4096 rows in single precision
    assert np.abs(at.gradient).max() < 2e-3
    assert abs(part.mean() - found.value[0]) < 5 * part.std() / np.sqrt(len(rows))


@every_case
def test_the_mesh_gives_the_printed_sum(case):
    """For any bandwidths, ties, outliers and weights; rows that are nearly alone are summed pair by pair."""
    seen = 0
    for child, members, bandwidths in questions(case):
        ask = (*case.data, child, case.levels[child], [members], np.array([bandwidths]))
        found = kernel.loo_mesh(*ask)[0]
        continuous = not (case.levels[child] or case.apart[list(members)].any())
        assert (continuous and len(members) < 3) or np.isnan(found)
        if not np.isnan(found):
            want = naive.loo(*case.data, child, 0, members, bandwidths)
            assert found == pytest.approx(want, abs=1e-6, rel=1e-6), (child, members, bandwidths)
            seen += 1
    assert seen >= len(case.columns)


@pytest.mark.parametrize("shape", ["normal", "skewed", "rounded", "far apart"])
def test_fits_of_many_rows_have_the_exact_score(shape):
    """Beyond 4096 rows sums go over a mesh where there is one: value and optimum are those of all pairs."""
    rng = np.random.default_rng(14)
    x = rng.normal(size=(3, 4500))
    x[1] = np.sin(2 * x[0]) + 0.3 * x[1]
    if shape == "skewed":
        x = np.exp(x)
    if shape == "rounded":
        x = np.round(x, 1)
    if shape == "far apart":
        x[:, ::7] += 40.0
    columns = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    weights, flags = rng.uniform(0.5, 1.5, 4500), np.zeros(3, np.uint8)
    for child, members in [(1, ()), (1, (0,)), (0, (1, 2)), (2, (0,))]:
        found = kernel.fit(columns, flags, weights, child, 0, [members], one=False, **BOX)
        at = kernel.loo(columns, flags, weights, child, 0, [members], found.bandwidths)
        assert found.value[0] == pytest.approx(at.value[0], abs=3e-7)
        inside = (found.bandwidths[0] > BOX["floor"]) & (found.bandwidths[0] < BOX["ceiling"])
        assert np.abs(at.gradient[0][inside]).max(initial=0.0) < 5e-3


@every_case
def test_some_rows_against_all(case):
    rows = np.flatnonzero(case.weights > 0)[::3]
    for child in range(len(case.columns)):
        for members in case.sets(child)[:3]:
            ask = (*case.data, child, case.levels[child], members, (0.2, 0.05))
            expected = naive.log_ratios(*ask)[rows]
            np.testing.assert_allclose(kernel.loo_rows(*ask, rows), expected, rtol=1e-9, atol=1e-9)


def model(case, child, members):
    inputs = np.ascontiguousarray(case.columns[list(members)])
    return inputs, case.apart[list(members)], case.weights


def asked(case, members, q=40):
    rng = np.random.default_rng(6)
    rows = rng.integers(case.columns.shape[1], size=q)
    spread = rng.normal(size=(len(members), q)) * rng.choice([0, 0.3, 30.0], size=q)
    near = case.columns[list(members)][:, rows] + np.where(
        case.apart[list(members)][:, None], 0, spread
    )
    return np.ascontiguousarray(near)


@every_case
def test_predictions_are_the_printed_sums(case):
    rng = np.random.default_rng(7)
    for child in range(len(case.columns)):
        for members in case.sets(child)[:3]:
            data, queries = model(case, child, members), asked(case, members)
            output, levels = case.columns[child], case.levels[child]
            y = output[rng.integers(len(output), size=40)] + (
                0.0 if levels else rng.normal(size=40)
            )
            for h_in, h_out in [(0.3, 0.2), (0.01, 0.02), (5.0, 1.0)]:
                share = kernel.shares(*data, queries, h_in)
                expected = naive.shares(*data, queries, h_in)
                np.testing.assert_allclose(share, expected, rtol=1e-6, atol=1e-9)
                mean, variance = kernel.means(*data, output, queries, h_in)
                size = 1.0 + np.abs(output).max()
                np.testing.assert_allclose(mean, expected @ output, rtol=1e-6, atol=1e-8 * size)
                around = ((output[None, :] - mean[:, None]) ** 2 * expected).sum(axis=1)
                np.testing.assert_allclose(variance, around, rtol=1e-6, atol=1e-8 * size**2)
                ask = (*data, output, levels, queries, y, h_in, h_out)
                density = kernel.log_density(*ask)
                np.testing.assert_allclose(density, naive.log_density(*ask), rtol=1e-9, atol=1e-9)


def test_far_evidence_is_ruled_by_the_nearest_centres():
    inputs = np.array([[0.0, 1.0, 3.0]])
    ask = (inputs, np.zeros(1, np.uint8), np.array([1.0, 1.0, 0.0]))
    share = kernel.shares(*ask, np.array([[1e5, -1e5]]), 0.1)
    np.testing.assert_allclose(share, [[0, 1, 0], [1, 0, 0]], atol=1e-12)
    drawn = kernel.draw(*ask, np.array([[1e5, -1e5]]), np.array([0.999, 0.0]), 0.1)
    assert drawn.tolist() == [1, 0]
    output = np.array([0.0, 1.0, 2.0])
    density = kernel.log_density(*ask, output, 0, np.array([[1e5]]), np.array([-1e4]), 0.1, 0.1)
    assert np.isfinite(density).all()


def test_draws_are_inverse_transforms_of_the_shares():
    rng = np.random.default_rng(8)
    for case in (CASES[0], CASES[8], CASES[10]):
        for members in ((0,), (0, 2), ()):
            data, queries = model(case, 1, members), asked(case, members, 400)
            uniforms = rng.random(400)
            drawn = kernel.draw(*data, queries, uniforms, 0.4)
            share = naive.shares(*data, queries, 0.4)
            running = np.cumsum(share, axis=1)
            low = np.take_along_axis(running - share, drawn[:, None], axis=1)[:, 0]
            high = np.take_along_axis(running, drawn[:, None], axis=1)[:, 0]
            assert (uniforms >= low - 1e-5).all()
            assert (uniforms <= high + 1e-5).all()
            assert (case.weights[drawn] > 0).all()


def test_draws_come_as_often_as_the_shares_say():
    case, rng = CASES[0], np.random.default_rng(9)
    query = np.tile(case.columns[:2, [5]], 40_000)
    drawn = kernel.draw(*model(case, 3, (0, 1)), query, rng.random(40_000), 0.7)
    share = naive.shares(*model(case, 3, (0, 1)), query[:, :1], 0.7)[0]
    often = np.bincount(drawn, minlength=67) / 40_000
    assert np.abs(often - share).max() < 5 * np.sqrt(share.max() / 40_000)


def test_no_inputs_leave_the_weights_alone():
    weights = np.array([1.0, 0.0, 3.0])
    ask = (np.zeros((0, 3)), np.zeros(0, np.uint8), weights)
    assert kernel.shares(*ask, np.zeros((0, 2)), 1.0).tolist() == [[0.25, 0.0, 0.75]] * 2
    drawn = kernel.draw(*ask, np.zeros((0, 3)), np.array([0.0, 0.2499, 0.2501]), 1.0)
    assert drawn.tolist() == [0, 0, 2]
    mean, variance = kernel.means(*ask, np.array([4.0, 9.0, 0.0]), np.zeros((0, 1)), 1.0)
    assert (mean[0], variance[0]) == (1.0, 3.0)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 4), st.booleans())
def test_scores_agree_whatever_the_table(seed, n, p, grid):
    rng = np.random.default_rng(seed)
    columns = rng.integers(-2, 3, size=(p, n)) * 1.0 if grid else rng.normal(size=(p, n)) * 3
    apart, weights = rng.integers(0, 2, p).astype(np.uint8), rng.exponential(size=n)
    child = int(rng.integers(p))
    members = tuple(x for x in range(p) if x != child and rng.random() < 0.7)
    levels = int(rng.choice([0, 5])) if grid else 0
    bandwidths = np.exp(rng.uniform(-5, 4, size=2))
    ask = (columns, apart, weights, child, levels)
    expected = naive.loo(*ask, members, bandwidths)
    found = kernel.loo(*ask, [members], bandwidths[None, :])
    assert found.value[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    fitted = kernel.fit(*ask, [members], one=bool(seed % 2), floor=0.005, ceiling=60.0)
    own = bandwidths if seed % 2 == 0 else np.array([bandwidths[0], bandwidths[0]])
    assert np.isfinite(fitted.value[0])
    assert fitted.value[0] >= naive.loo(*ask, members, own) - 0.3  # other optima are not ruled out


GOOD = {
    "columns": plain(30, 20, 3),
    "apart": np.zeros(3, np.uint8),
    "weights": np.ones(20),
    "child": 0,
    "levels": 0,
    "sets": [(1, 2)],
    "bandwidths": np.array([[1.0, 1.0]]),
}


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"sets": [(0, 1)]}, ValueError, "own input"),
        ({"sets": [(2, 1)]}, ValueError, "sorted"),
        ({"sets": [(1, 1)]}, ValueError, "sorted"),
        ({"sets": [(1, 3)]}, IndexError, "no column"),
        ({"sets": [(-1,)]}, IndexError, "no column"),
        ({"child": 3}, IndexError, "no column"),
        ({"levels": -1}, ValueError, "levels"),
        ({"bandwidths": np.array([[0.0, 1.0]])}, ValueError, "widths"),
        ({"bandwidths": np.array([[1.0, np.nan]])}, ValueError, "widths"),
        ({"weights": -np.ones(20)}, ValueError, "weights"),
        ({"weights": np.ones(19)}, ValueError, "weight"),
        ({"weights": np.eye(20)[3]}, ValueError, "two rows"),
        ({"columns": np.full((3, 20), np.nan)}, ValueError, "finite"),
    ],
)
def test_what_makes_no_sense_is_rejected(change, error, words):
    ask = GOOD | change
    with pytest.raises(error, match=words):
        kernel.loo(**ask)
    if "bandwidths" not in change:
        del ask["bandwidths"]
        with pytest.raises(error, match=words):
            kernel.fit(**ask, one=False, **BOX)


def test_bad_boxes_and_queries_are_rejected():
    data = (GOOD["columns"], GOOD["apart"], GOOD["weights"], 0, 0)
    with pytest.raises(ValueError, match="above"):
        kernel.fit(*data, [(1,)], one=False, floor=2.0, ceiling=1.0)
    with pytest.raises(IndexError, match="no row"):
        kernel.loo_rows(*data, (1,), (1.0, 1.0), np.array([20]))
    model_data = (GOOD["columns"][1:], GOOD["apart"][1:], GOOD["weights"])
    with pytest.raises(ValueError, match="finite"):
        kernel.shares(*model_data, np.full((2, 1), np.nan), 1.0)
    with pytest.raises(ValueError, match="one value for each input"):
        kernel.shares(*model_data, np.zeros((1, 1)), 1.0)
    with pytest.raises(ValueError, match="positive weight"):
        kernel.shares(*model_data[:2], np.zeros(20), np.zeros((2, 1)), 1.0)


def test_no_sets_give_empty_answers():
    data = (GOOD["columns"], GOOD["apart"], GOOD["weights"], 0, 0)
    assert kernel.fit(*data, [], one=False, **BOX).bandwidths.shape == (0, 2)
    assert kernel.loo(*data, [], np.zeros((0, 2))).hessian.shape == (0, 3)
    assert kernel.joint(*data[:3], [], 1.0).shape == (0,)
