"""The product rule: grids and weighted draws against exact answers, and cut graphs."""

import numpy as np
import pytest
from contracts.laplace import LaplaceConditional
from inference.kernels import bent_points, kernel_answer, kernel_bayes
from scipy.integrate import quad
from scipy.stats import norm
from shared_networks import gaussian_net, linear, random_net

import arcwise as aw
from arcwise.data import Table, Variable
from arcwise.errors import FitError, GraphError
from arcwise.graphs import DAG
from arcwise.inference import marginal_log_density, predict, query
from arcwise.inference.product_rule import FEWER, product_net
from arcwise.inference.weighting import effective
from arcwise.networks import BayesNet, log_density

POINTS, BANDWIDTHS = bent_points(), np.array([0.6, 0.7, 0.5])
BENT = kernel_bayes(POINTS, BANDWIDTHS)
CONFOUNDED = gaussian_net({"z": (0, {}, 1), "x": (0, {"z": 1}, 1), "y": (0, {"x": 1, "z": 2}, 1)})


class Noisy:
    """y = f(x) + noise, for relations of any shape."""

    word = "noisy"

    n_params = None

    def __init__(self, function, sd):
        self.function, self.sd = function, sd

    def mean(self, xs, size):
        return np.broadcast_to(self.function(*xs), (size,)).astype(float)

    def logpdf(self, y, xs):
        z = (y - self.mean(xs, len(y))) / self.sd
        return -0.5 * z**2 - np.log(self.sd * np.sqrt(2 * np.pi))

    def sample(self, xs, rng, size):
        return self.mean(xs, size) + self.sd * rng.standard_normal(size)


def square_net(noise=0.5):
    """z -> x, z -> y, x -> y with y = x^2 + z + noise and x = sin z + noise."""
    graph = DAG.from_arcs([("z", "x"), ("x", "y"), ("z", "y")])
    models = (
        Noisy(np.sin, 0.5),
        Noisy(lambda x, z: x**2 + z, noise),
        Noisy(lambda: np.zeros(1), 1.0),
    )
    return BayesNet(tuple(map(Variable, "xyz")), graph, models)


@pytest.mark.parametrize("seed", range(4))
def test_the_grid_gives_the_exact_gaussian_answer(seed):
    net = random_net(np.random.default_rng(seed), 5)
    names, rng = net.names, np.random.default_rng(100 + seed)
    for target in names:
        known = {name: float(rng.normal()) for name in names if name != target}
        exact = query(net, target, known)
        grid = query(net, target, known, method="grid")
        assert grid.error == 0.0
        assert grid.mean == pytest.approx(exact.mean, abs=2e-3 * exact.sd)
        assert grid.sd == pytest.approx(exact.sd, rel=2e-3)
        shares = [0.05, 0.5, 0.95]
        np.testing.assert_allclose(
            grid.quantile(shares), exact.quantile(shares), atol=0.01 * exact.sd
        )
        x = np.linspace(*exact.interval(), 7)
        np.testing.assert_allclose(grid.logdensity(x), exact.logdensity(x), atol=0.01)


def test_the_grid_gives_the_exact_answer_of_a_nonlinear_network():
    for target, known in ((0, {1: 0.2, 2: 0.5}), (1, {0: -1.0, 2: 0.0}), (2, {0: 0.3, 1: 2.0})):
        given = {"abc"[i]: x for i, x in known.items()}
        mean, sd, _ = kernel_answer(POINTS, BANDWIDTHS, target, known)
        answer = query(BENT, "abc"[target], given)
        assert answer.mean == pytest.approx(mean, abs=1e-3)
        assert answer.sd == pytest.approx(sd, abs=1e-3)


def test_the_product_rule_is_a_conditional_on_the_blanket():
    net = square_net()
    rule = product_net(net, np.random.default_rng(1)).conditionals[0]
    y, z = np.array([1.5, 3.0]), np.array([0.2, 1.0])
    x = np.linspace(-4, 4, 4001)
    for row in range(2):
        logs = log_density(net, (x, np.full(4001, y[row]), np.full(4001, z[row])))
        density = np.exp(logs - logs.max())
        density /= density.sum() * (x[1] - x[0])
        mean = (x * density).sum() * (x[1] - x[0])
        assert rule.distribution((y, z), 2).mean[row] == pytest.approx(mean, abs=2e-3)
        at = np.array([0.7, 0.7])
        assert rule.logpdf(at, (y, z))[row] == pytest.approx(
            np.log(np.interp(0.7, x, density)), abs=0.01
        )
    drawn = rule.sample(
        tuple(np.repeat(c[:1], 4000) for c in (y, z)), np.random.default_rng(2), 4000
    )
    assert (drawn > 0).mean() == pytest.approx(
        1 - rule.distribution((y, z), 2).cdf(np.zeros(2))[0], abs=0.03
    )


def test_importance_sampling_agrees_with_the_exact_answer():
    exact = query(CONFOUNDED, ["x", "z"], {"y": 2.0})
    drawn = query(CONFOUNDED, ["x", "z"], {"y": 2.0}, method="importance", draws=20_000)
    for name in "xz":
        assert 100 < drawn[name].ess <= 20_000
        assert abs(drawn[name].mean - exact[name].mean) < 4 * drawn[name].error
        assert drawn[name].sd == pytest.approx(exact[name].sd, rel=0.1)
    assert drawn.correlation[0, 1] == pytest.approx(exact.correlation[0, 1], abs=0.1)
    assert "weighted draws" in str(drawn["x"])
    assert "R-hat" not in str(drawn["x"])


def test_weighted_draws_over_seeds_have_the_spread_they_state():
    exact = query(CONFOUNDED, "y", {"x": 1.0}).mean
    answers = [query(CONFOUNDED, "y", {"x": 1.0}, method="importance", seed=s) for s in range(30)]
    z = np.array([(answer.mean - exact) / answer.error for answer in answers])
    assert abs(z.mean()) < 0.75
    assert 0.6 < z.std() < 1.5


def test_too_few_draws_that_agree_are_rejected():
    sharp = gaussian_net({"a": (0, {}, 1), "b": (0, {}, 1), "c": (0, {"a": 1, "b": 1}, 1e-5)})
    with pytest.raises(
        FitError,
        match=r"4000 draws weighted by the evidence have an effective sample size of [\d.]+,",
    ):
        query(sharp, "a", {"c": 4.0}, method="importance")
    with pytest.raises(FitError, match="method='grid'"):
        query(square_net(1e-5), "x", do={"z": 0.3}, given={"y": 30.0}, method="importance")


def test_setting_is_not_seeing_in_a_nonlinear_network():
    net = square_net()
    forced = query(net, "y", do={"x": 1.5}, seed=1)
    assert forced.mean == pytest.approx(1.5**2, abs=4 * forced.error + 1e-3)
    assert forced.variance == pytest.approx(1 + 0.5**2, rel=0.1)

    def weight(z):
        return np.exp(-0.5 * z**2 - 0.5 * ((1.5 - np.sin(z)) / 0.5) ** 2)

    total = quad(weight, -8, 8)[0]
    expected = 1.5**2 + quad(lambda z: z * weight(z), -8, 8)[0] / total
    seen = query(net, "y", {"x": 1.5}, seed=1)
    assert seen.mean == pytest.approx(expected, abs=4 * seen.error + 1e-3)
    assert abs(seen.mean - forced.mean) > 0.3
    assert "y do x = 1.5" in str(forced)


def test_one_hidden_variable_after_setting_is_exact():
    answer = query(square_net(), "y", {"z": 0.5}, do={"x": 2.0})
    assert answer.error == 0.0
    assert answer.mean == pytest.approx(4.5, abs=1e-4)
    assert answer.sd == pytest.approx(0.5, abs=1e-4)


def test_setting_agrees_with_the_closed_form_of_gaussian_networks():
    for method in ("grid", "importance"):
        forced = query(CONFOUNDED, "y", do={"x": 2.0}, method=method)
        assert forced.mean == pytest.approx(2.0, abs=max(4 * forced.error, 0.2))
        assert forced.variance == pytest.approx(5.0, rel=0.25)
    with pytest.raises(FitError, match="no blanket models"):
        query(CONFOUNDED, "y", do={"x": 2.0}, method="blankets")


def test_gibbs_with_the_product_rule_agrees():
    exact = query(CONFOUNDED, "z", {"y": 2.0})
    answer = query(CONFOUNDED, "z", {"y": 2.0}, method="grid", sweeps=100)
    assert abs(answer.mean - exact.mean) < 4 * answer.error
    assert answer.sd == pytest.approx(exact.sd, rel=0.1)
    assert "product rule" in str(answer)


def test_draws_of_the_network_come_before_blanket_models_unless_they_miss_the_evidence():
    net = kernel_bayes(POINTS, BANDWIDTHS, blankets=True)
    truth = kernel_answer(POINTS, BANDWIDTHS, 0, {2: 0.5})[0]
    for method, said in ((None, "by weighted draws: "), ("blankets", "by Gibbs sampling: ")):
        answer = query(net, "a", {"c": 0.5}, method=method)
        assert said in str(answer)
        assert abs(answer.mean - truth) < 4 * answer.error
    assert "by Gibbs sampling: " in str(query(net, "a", {"c": 0.5}, draws=100))  # worth too little
    assert "weighted draws" in str(query(net, "c", do={"a": 0.5}))


def test_draws_that_fail_without_setting_give_way_to_gibbs():
    net = square_net(0.01)
    answer = query(net, "x", {"y": 6.0}, sweeps=8, burn_in=4, chains=4, draws=200)
    assert "product rule" in str(answer)


def test_levels_in_the_product_rule_are_summed():
    class Coin:
        word = "coin"
        n_params = 1

        def logpdf(self, y, xs):
            return np.log(np.array([0.3, 0.7]))[y.astype(int)]

        def sample(self, xs, rng, size):
            return (rng.random(size) < 0.7).astype(np.uint8)

    shift = Noisy(lambda c: 2.0 * c, 1.0)
    graph = DAG.from_arcs([("c", "x")])
    variables = (Variable("c", ("no", "yes")), Variable("x"))
    net = BayesNet(variables, graph, (Coin(), shift))
    answer = query(net, "c", {"x": 1.5})
    odds = 0.7 * np.exp(-0.125) / (0.3 * np.exp(-0.5 * 1.5**2))
    assert answer.probability("yes") == pytest.approx(odds / (1 + odds))
    assert query(net, "x", {"c": "yes"}).mean == pytest.approx(2.0, abs=1e-3)
    found = predict(net, Table((variables[1],), (np.array([1.5, -1.0]),)), "c")
    assert found.probabilities[0, 1] == pytest.approx(odds / (1 + odds))
    rows = Table(variables, (np.array([2, 1], dtype=np.uint8), np.array([1.5, 1.5])))
    density = marginal_log_density(net, rows)
    mixed = 0.3 * np.exp(-0.5 * 1.5**2) + 0.7 * np.exp(-0.125)
    assert density[0] == pytest.approx(np.log(mixed / np.sqrt(2 * np.pi)), abs=0.05)
    assert density[1] == pytest.approx(log_density(net, rows.take([1]).columns)[0])


def test_densities_with_gaps_are_integrals():
    rows = Table(
        BENT.variables,
        (
            np.array([np.nan, 0.1, np.nan]),
            np.array([np.nan, 0.3, 0.3]),
            np.array([0.5, 0.2, np.nan]),
        ),
    )
    found = marginal_log_density(BENT, rows, draws=20_000)
    for row, seen in ((0, [2]), (1, [0, 1, 2]), (2, [1])):
        logs = sum(
            -0.5 * ((rows.columns[i][row] - POINTS[i]) / BANDWIDTHS[i]) ** 2
            - np.log(BANDWIDTHS[i] * np.sqrt(2 * np.pi))
            for i in seen
        )
        expected = np.log(np.exp(logs).mean())
        assert found[row] == pytest.approx(expected, abs=1e-9 if row == 1 else 0.05)
    assert marginal_log_density(BENT, Table(BENT.variables, (np.array([np.nan]),) * 3)) == [0.0]


def test_a_row_whose_gaps_cannot_be_drawn_is_named():
    net = square_net(1e-6)
    rows = Table(
        net.variables, (np.full(2, np.nan), np.array([np.nan, 40.0]), np.array([0.1, 0.1]))
    )
    said = r"density of row 2 cannot be simulated.* effective sample size of [\d.]+,"
    with pytest.raises(FitError, match=said):
        marginal_log_density(net, rows)


def test_effective_sizes():
    logs = np.array([[0.0, -np.inf, -np.inf], [0.0, 0.0, 0.0], [-np.inf] * 3])
    assert effective(logs).tolist() == pytest.approx([1.0, 3.0, 0.0])


def test_other_kinds_of_local_models_work_too():
    graph = DAG.from_arcs([("a", "b")])
    models = (LaplaceConditional(0.0, np.zeros(0), 1.0), linear(0.0, [1.0], 1.0))
    net = BayesNet((Variable("a"), Variable("b")), graph, models)

    def weight(a):
        return np.exp(-abs(a) - 0.5 * (2.0 - a) ** 2)

    expected = quad(lambda a: a * weight(a), -20, 20)[0] / quad(weight, -20, 20)[0]
    assert query(net, "a", {"b": 2.0}).mean == pytest.approx(expected, abs=2e-3)
    assert query(net, "b", {"a": 2.0}).mean == pytest.approx(2.0, abs=1e-4)


def test_undirected_networks_refuse_what_needs_arrows():
    net = kernel_bayes(POINTS, BANDWIDTHS, blankets=True).blankets
    with pytest.raises(GraphError, match=r"do=\) need a directed network"):
        query(net, "a", do={"b": 1.0})
    with pytest.raises(GraphError, match="'grid' is for directed networks"):
        query(net, "a", {"b": 1.0}, method="grid")


# -- narrow kernels with a tail ------------------------------------------------------------------


def narrow_chain(tail):
    """a -> b -> c of Parzen windows on rounded columns, which have narrow kernels, and a wide component."""
    rng = np.random.default_rng(5)
    a = rng.normal(size=120)
    b = np.sin(2 * a) + 0.1 * rng.normal(size=120)
    c = b**2 + 0.3 * rng.normal(size=120)
    table = {"a": (2 * a).round() / 2, "b": (4 * b).round() / 4, "c": c}
    return aw.fit("[a][b|a][c|b]", table, model=aw.Parzen(tail_weight=tail))


def plain_density(model, y, x=None):
    """p(y | x) by the formula, x by y."""
    weights = np.full((1, len(model.output)), 1.0)
    if x is not None:
        width = model.bandwidths[0] * model.scales[1]
        logs = -0.5 * ((x[:, None] - model.inputs[0]) / width) ** 2
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights = weights / weights.sum(axis=1, keepdims=True)
    kernels = norm.pdf(y[None, :], model.output[:, None], model.bandwidths[1] * model.scales[0])
    wide = norm.pdf(y, model.output.mean(), 2 * model.output.std())
    return (1 - model.tail_weight) * weights @ kernels + model.tail_weight * wide


def moments_on(points, density):
    share = density / density.sum()
    mean = share @ points
    return mean, np.sqrt(share @ (points - mean) ** 2)


def points_of(model, count=4001):
    return model.output.mean() + model.output.std() * np.linspace(-9, 9, count)


@pytest.mark.parametrize("tail", [0.0, 0.05])
def test_grids_that_are_drawn_from_resolve_narrow_kernels(tail):
    net = narrow_chain(tail)
    assert net["b"].bandwidths[1] < 0.05
    b = points_of(net["b"], 20_001)
    x, c = np.array([0.2, -1.0, 1.1, 0.4]), np.array([0.1, 0.9, 0.5, 2.0])
    rule = product_net(net.net, np.random.default_rng(1), points=FEWER).conditionals[1]
    law = rule.distribution((x, c), len(x))
    for row in range(len(x)):
        seen = plain_density(net["c"], c[[row]], b)[:, 0]
        mean, sd = moments_on(b, plain_density(net["b"], b, x[[row]])[0] * seen)
        assert law.sd[row] == pytest.approx(sd, rel=0.02)
        assert law.mean[row] == pytest.approx(mean, abs=0.02 * sd)


@pytest.mark.parametrize("tail", [0.01, 0.05])
def test_grids_of_several_hidden_variables_with_a_tail_give_the_exact_spread(tail):
    rng = np.random.default_rng(3)
    a = rng.normal(size=150)
    b = np.sin(2 * a) + 0.05 * rng.normal(size=150)
    table = {"a": a, "b": b, "c": b**2 + 0.05 * rng.normal(size=150)}  # b has two signs given c
    net = aw.fit("[a][b|a][c|b]", table, model=aw.Parzen(tail_weight=tail))
    a, b = points_of(net["a"]), points_of(net["b"])
    seen = plain_density(net["c"], np.array([0.5]), b)[:, 0]
    joint = plain_density(net["a"], a)[0][:, None] * plain_density(net["b"], b, a) * seen
    for name, points, density in (("a", a, joint.sum(axis=1)), ("b", b, joint.sum(axis=0))):
        mean, sd = moments_on(points, density)
        answers = [net.query(name, given={"c": 0.5}, method="grid", seed=seed) for seed in range(3)]
        assert all(abs(each.mean - mean) < 4 * each.error for each in answers)
        assert all(each.sd == pytest.approx(sd, rel=0.07) for each in answers)
