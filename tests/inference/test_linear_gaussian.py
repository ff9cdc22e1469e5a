"""Exact Gaussian algebra against textbook formulas, and where those fail."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from shared_networks import (
    dense_conditional,
    dense_moments,
    gaussian_net,
    published_net,
    random_net,
)

from arcwise.data import Variable
from arcwise.errors import DataError, FitError
from arcwise.graphs import DAG
from arcwise.inference import GaussianJoint, condition, joint, query
from arcwise.inference.linear_gaussian import KnownRows, posterior
from arcwise.inference.normal_joint import log_normal, narrow
from arcwise.networks import BayesNet, cut

seeds = st.integers(0, 10**6)


def reader(values):
    return {node: np.array([value]) for node, value in values.items()}.__getitem__


@pytest.mark.parametrize("seed", range(5))
def test_joint_is_that_of_plain_matrix_algebra(seed):
    net = random_net(np.random.default_rng(seed), 8)
    mean, covariance = dense_moments(net)
    found = joint(net)
    assert found.names == net.names
    np.testing.assert_allclose(found.mean, mean, atol=1e-9)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-8, atol=1e-8)


def test_joint_of_two_thousand_nodes():
    rng = np.random.default_rng(0)
    names = [f"v{i:04d}" for i in range(2000)]
    parents = {i: rng.choice(i, size=min(i, 3), replace=False) for i in range(2000)}
    net = gaussian_net(
        {names[i]: (1.0, {names[j]: 0.3 for j in parents[i]}, 1.0) for i in range(2000)}
    )
    found = joint(net)
    child = 1999
    row = sum(0.3 * found.covariance[j] for j in parents[child])
    np.testing.assert_allclose(found.covariance[child, :child], row[:child], atol=1e-9)


@settings(max_examples=50, deadline=None)
@given(seeds, st.data())
def test_conditioning_is_the_textbook_formula(seed, data):
    net = random_net(np.random.default_rng(seed), 6)
    known = data.draw(st.dictionaries(st.integers(0, 5), st.floats(-5, 5), max_size=5))
    rest = [i for i in range(6) if i not in known]
    mean, covariance = dense_conditional(*dense_moments(net), rest, known)
    found = condition(joint(net), known)
    assert found.names == tuple(net.names[i] for i in rest)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-6, atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(seeds, st.permutations([0, 1, 2, 3]))
def test_order_and_grouping_of_evidence_do_not_matter(seed, order):
    start = joint(random_net(np.random.default_rng(seed), 6))
    values = dict(zip(range(4), (0.5, -1.0, 2.0, 0.0), strict=True))
    together = condition(start, {i: values[i] for i in order})
    names = start.names
    step = start
    for i in order:
        step = condition(step, {step.names.index(names[i]): values[i]})
    np.testing.assert_allclose(step.mean, together.mean, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(step.covariance, together.covariance, rtol=1e-6, atol=1e-6)


@settings(max_examples=50, deadline=None)
@given(seeds, st.data())
def test_pruned_posterior_equals_conditioning_the_whole_joint(seed, data):
    net = random_net(np.random.default_rng(seed), 7, 0.35)
    numbers = st.integers(0, 6)
    targets = data.draw(st.lists(numbers, unique=True, min_size=1, max_size=3))
    free = [i for i in range(7) if i not in targets]
    known = data.draw(st.dictionaries(st.sampled_from(free), st.floats(-5, 5)))
    mean, root = posterior(net, targets, KnownRows(known, reader(known)))
    expected = dense_conditional(*dense_moments(net), targets, known)
    np.testing.assert_allclose(mean[0], expected[0], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(root @ root.T, expected[1], rtol=1e-6, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(seeds, st.data())
def test_setting_is_observing_in_the_cut_network(seed, data):
    net = random_net(np.random.default_rng(seed), 6, 0.5)
    target, forced, seen = data.draw(st.permutations(range(6)))[:3]
    name, other, third = (net.names[node] for node in (target, forced, seen))
    answer = query(net, name, given={third: 1.5}, do={other: -2.0})
    whole = condition(joint(cut(net, {forced: -2.0})), {seen: 1.5})
    place = whole.names.index(name)
    assert answer.mean == pytest.approx(whole.mean[place], abs=1e-7)
    assert answer.variance == pytest.approx(whole.covariance[place, place], abs=1e-7)


def test_mean_given_the_parents_is_the_regression():
    net = random_net(np.random.default_rng(4), 6, 0.8)
    child = net.graph.order()[-1]
    values = {parent: float(parent) - 1.0 for parent in net.graph.parents[child]}
    mean, root = posterior(net, [child], KnownRows(values, reader(values)))
    xs = tuple(np.array([values[parent]]) for parent in net.graph.parents[child])
    assert mean[0, 0] == pytest.approx(net.conditionals[child].mean(xs, 1)[0])
    assert np.linalg.norm(root) == pytest.approx(net.conditionals[child].sd)


@pytest.mark.parametrize("name", ["ecoli70", "magic-niab", "arth150"])
def test_published_networks(shared_data, name):
    net = published_net(shared_data, name)
    rng = np.random.default_rng(1)
    moments = dense_moments(net)
    chosen = rng.permutation(len(net.names))
    targets = sorted(chosen[:3].tolist())
    known = {int(i): float(moments[0][i]) + rng.normal() for i in chosen[3:20]}
    mean, root = posterior(net, targets, KnownRows(known, reader(known)))
    expected = dense_conditional(*moments, targets, known)
    np.testing.assert_allclose(mean[0], expected[0], rtol=1e-6)
    np.testing.assert_allclose(root @ root.T, expected[1], rtol=1e-6, atol=1e-9)


# -- nearly and fully deterministic relations ----------------------------------------------------

SUM = {"a": (0, {}, 1), "b": (0, {}, 1)}


def sum_net(noise):
    return gaussian_net({**SUM, "total": (0, {"a": 1, "b": 1}, noise)})


@pytest.mark.parametrize("noise", [1e-3, 1e-6, 1e-9, 1e-12])
def test_tiny_noise_keeps_its_digits(noise):
    net = sum_net(noise)
    # Given a and the total, b is known up to the noise, of which a covariance would keep nothing.
    mean, root = posterior(net, [1], KnownRows({0, 2}, reader({0: 1.0, 2: 3.0})))
    assert mean[0, 0] == pytest.approx(2.0, rel=1e-6)
    assert np.linalg.norm(root) == pytest.approx(noise, rel=1e-3)


def test_noise_beyond_the_digits_counts_as_none():
    whole = joint(sum_net(1e-20))
    left = condition(whole, {0: 1.0, 2: 3.0})
    assert left.mean[0] == pytest.approx(2.0)
    assert left.covariance[0, 0] == 0.0


def test_superfluous_evidence_is_welcome_and_contradiction_is_not():
    whole = joint(
        gaussian_net({**SUM, "total": (0, {"a": 1, "b": 1}, 1e-20), "y": (0, {"total": 2}, 1)})
    )
    agreed = condition(whole, {0: 0.1, 1: 0.2, 2: 0.3})
    assert agreed.mean[0] == pytest.approx(0.6)
    with pytest.raises(FitError, match=r"determine '(a|b|total)' as .* but .* was given"):
        condition(whole, {0: 0.1, 1: 0.2, 2: 0.4})


def test_contradicting_a_value_that_was_set():
    after = joint(cut(sum_net(1.0), {0: 5.0}))
    assert condition(after, {0: 5.0}).mean[0] == 0.0
    with pytest.raises(FitError, match="determine 'a' as 5, but 6 was given"):
        condition(after, {0: 6.0})


def test_rows_that_cancel_are_zero():
    net = gaussian_net(
        {
            "x": (0, {}, 1),
            "y": (0, {"x": 3.0}, 1e-30),
            "z": (1, {"x": -0.3, "y": 0.1}, 1e-30),
        }
    )
    assert joint(net).covariance[2, 2] == 0.0


def test_columns_of_very_different_size():
    net = gaussian_net({"a": (0, {}, 1e-8), "b": (0, {"a": 1e16}, 1e8), "c": (0, {"b": 1e-8}, 1)})
    mean, root = posterior(net, [0], KnownRows({1, 2}, reader({1: 1e8, 2: 3.0})))
    assert mean[0, 0] == pytest.approx(0.5e-8)
    assert np.linalg.norm(root) == pytest.approx(1e-8 / np.sqrt(2))


# -- pieces --------------------------------------------------------------------------------------


def test_joint_from_a_covariance_and_back():
    covariance = np.array([[2.0, 1.0], [1.0, 2.0]])
    made = GaussianJoint.of(["a", "b"], np.array([1.0, 2.0]), covariance)
    np.testing.assert_allclose(made.covariance, covariance)
    part = made.take([1])
    assert part.names == ("b",)
    assert part.covariance[0, 0] == pytest.approx(2.0)
    with pytest.raises(ValueError, match="read-only"):
        made.mean[0] = 3.0
    with pytest.raises(DataError, match="one mean"):
        GaussianJoint(("a",), np.zeros(2), np.eye(2))


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 4), st.integers(1, 8))
def test_narrow_keeps_the_covariance(seed, height, width):
    root = np.random.default_rng(seed).normal(size=(height, width))
    slim = narrow(root)
    assert slim.shape[1] <= max(height, 1) or slim.shape == root.shape
    np.testing.assert_allclose(slim @ slim.T, root @ root.T, atol=1e-9)


def test_log_normal_is_scipys_and_says_where_there_is_no_density():
    rng = np.random.default_rng(2)
    root, off = rng.normal(size=(3, 4)), rng.normal(size=(5, 3))
    expected = multivariate_normal(np.zeros(3), root @ root.T).logpdf(off)
    np.testing.assert_allclose(log_normal(off, root), expected, rtol=1e-9)
    copies = np.array([[1.0], [2.0]])
    assert log_normal(np.array([[1.0, 2.0], [1.0, 2.1]]), copies).tolist() == [np.inf, -np.inf]


def test_other_local_models_are_rejected_by_name():
    class Odd:
        word = "parzen"
        n_params = 1

    net = BayesNet((Variable("x"),), DAG.empty(["x"]), (Odd(),))
    with pytest.raises(FitError, match="that of 'x' is parzen"):
        joint(net)
