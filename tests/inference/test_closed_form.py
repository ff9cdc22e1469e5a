"""Intervals include the uncertainty of fitted parameters: exact forms, draws of parameters, coverage."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

import arcwise as aw
from arcwise.conditionals import GaussianConditional
from arcwise.distributions import Normal
from arcwise.graphs import DAG
from arcwise.inference import query
from arcwise.networks import BayesNet


def plug_in(net: BayesNet) -> BayesNet:
    """The network with its parameters taken as known, as if made by hand."""
    models = [replace(m, rows=0.0, spread=np.zeros_like(m.spread)) for m in net.conditionals]
    return BayesNet(net.variables, net.graph, tuple(models))


class Linear:
    """A linear network with standard normal noise: the true graph, and rows of it."""

    def __init__(self, arcs, seed):
        self.graph = DAG.from_arcs(arcs)
        self.rng = np.random.default_rng(seed)
        self.weights = {arc: self.rng.normal() for arc in self.graph.arcs}

    def rows(self, n):
        columns = {}
        for node in (self.graph.nodes[i] for i in self.graph.order()):
            parents = self.graph.parents_of(node)
            mean = sum(self.weights[parent, node] * columns[parent] for parent in parents)
            columns[node] = mean + self.rng.normal(size=n)
        return columns


def parents(k):
    return [(f"p{i:02d}", "y") for i in range(k)]


def children(k):
    return [("y", f"c{i:02d}") for i in range(k)]


QUESTIONS = {
    "5 parents": (parents(5), lambda name: name != "y"),
    "20 parents": (parents(20), lambda name: name != "y"),
    "5 children": (children(5), lambda name: name != "y"),
    "20 children": (children(20), lambda name: name != "y"),
    "both": ([*parents(5), *children(3), ("p00", "c00")], lambda name: name != "y"),
    "half of the parents": (parents(6), lambda name: name < "p03"),
    "a grandparent and a child": (
        [("g", "p"), ("p", "y"), ("y", "c")],
        lambda name: name in ("g", "c"),
    ),
}


def coverage(word, n, samples, fresh=100, level=0.95):
    """Shares of fresh values within the intervals, of the network and with its parameters as known."""
    arcs, chosen = QUESTIONS[word]
    shares = []
    for seed in range(samples):
        truth = Linear(arcs, [seed, n, len(arcs)])
        fitted = aw.fit(truth.graph, truth.rows(n)).net
        rows = truth.rows(fresh)
        given = {name: rows[name] for name in truth.graph.nodes if chosen(name)}
        table = aw.table(given)
        for net in (fitted, plug_in(fitted)):
            low, high = aw.inference.predict(net, table, "y").interval(level)
            shares.append(((low < rows["y"]) & (rows["y"] < high)).mean())
    return np.reshape(shares, (-1, 2)).mean(axis=0)


def test_with_all_parents_known_it_is_the_t_interval_of_a_regression():
    rng, n = np.random.default_rng(1), 12
    for add, scale in ((0.0, 1.0), (1e9, 1.0), (-3.0, 1e6)):
        x = rng.normal(size=(n, 3)) * scale + add
        y = (x - add) @ [1.0, 2.0, -1.0] / scale + rng.normal(size=n) + add
        net = aw.fit("[a][b][c][y|a:b:c]", {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y})
        point = np.array([1.0, -0.5, 2.0])
        given = dict(zip("abc", (point * scale + add).tolist(), strict=True))
        design = np.column_stack([np.ones(n), (x - add) / scale])
        here = np.array([1.0, *point])
        best, rss, *_ = np.linalg.lstsq(design, y - add, rcond=None)
        leverage = here @ np.linalg.inv(design.T @ design) @ here
        half = t.ppf(0.975, n - 4) * np.sqrt(rss[0] / (n - 4) * (1 + leverage))
        low, high = net.query("y", given=given).interval()
        assert low - add == pytest.approx(here @ best - half, abs=1e-5)
        assert high - add == pytest.approx(here @ best + half, abs=1e-5)
        rows = net.predict({name: [value] for name, value in given.items()}, "y")
        assert (rows.interval()[0][0], rows.interval()[1][0]) == (low, high)


def drawn(net: BayesNet, rng: np.random.Generator) -> BayesNet:
    """The network with parameters from their posterior."""
    models = []
    for model in net.conditionals:
        noise = model.variance * model.rows / model.freedom
        variance = noise * model.freedom / rng.chisquare(model.freedom)
        both = np.concatenate([[model.intercept], model.coefficients])
        both = rng.multivariate_normal(both, model.spread * variance / noise)
        size = len(model.coefficients)
        nothing = np.zeros((size + 1, size + 1))
        models.append(GaussianConditional(both[0], both[1:], variance, nothing, 0.0))
    return BayesNet(net.variables, net.graph, tuple(models))


@pytest.mark.parametrize(
    "word", ["5 children", "both", "half of the parents", "a grandparent and a child"]
)
def test_other_evidence_agrees_with_draws_of_the_parameters(word):
    arcs, chosen = QUESTIONS[word]
    truth, rng = Linear(arcs, 3), np.random.default_rng(4)
    fitted = aw.fit(truth.graph, truth.rows(60)).net
    given = {k: float(v[0]) for k, v in truth.rows(1).items() if chosen(k)}
    belief = query(fitted, "y", given)
    known = query(plug_in(fitted), "y", given)
    answers = [query(drawn(fitted, rng), "y", given) for _ in range(1500)]
    means, sds = (np.array([getattr(a, w) for a in answers]) for w in ("mean", "sd"))
    sd = np.sqrt((sds**2).mean() + means.var())
    assert belief.mean == known.mean
    assert belief.sd == pytest.approx(sd, rel=0.02)
    assert sd > 1.01 * known.sd


def test_means_do_not_change_and_hand_made_networks_stay_plug_in():
    truth = Linear(QUESTIONS["both"][0], 5)
    rows = truth.rows(30)
    fitted = aw.fit(truth.graph, rows).net
    known = plug_in(fitted)
    for target in ("y", "p00", "c01"):
        given = {name: float(rows[name][0]) for name in truth.graph.nodes if name != target}
        one, two = query(fitted, target, given), query(known, target, given)
        assert isinstance(two.distribution, Normal)
        assert one.mean == two.mean
        assert one.sd > two.sd
    everything = query(fitted, list(truth.graph.nodes))
    plain = query(known, list(truth.graph.nodes))
    np.testing.assert_allclose(everything.mean, plain.mean)
    np.testing.assert_allclose(everything.correlation, plain.correlation, atol=1e-12)
    np.testing.assert_allclose(
        everything.sd, np.sqrt(np.diag(everything.joint.covariance)), rtol=1e-9
    )


def test_a_saved_network_keeps_its_intervals(tmp_path):
    net = aw.fit("[a][b|a]", Linear([("a", "b")], 1).rows(9))
    net.save(tmp_path / "net.json")
    one, two = (each.query("a", given={"b": 1.0}) for each in (net, aw.load(tmp_path / "net.json")))
    assert one.interval() == pytest.approx(two.interval(), rel=1e-12)
    assert one.sd > query(plug_in(net.net), "a", {"b": 1.0}).sd


def test_few_rows():
    rows = {"a": [0.0, 1.0, 3.0], "b": [1.0, 2.5, 2.0]}
    belief = aw.fit("[a][b|a]", rows).query("b", given={"a": 1.0})
    low, high = belief.interval()
    assert high - low > 10
    assert "sd inf" in str(belief)
    assert belief.document()["sd"] is None
    two = aw.fit("[a][b|a]", {name: column[:2] for name, column in rows.items()})
    (note,) = two.query("b", given={"a": 1.0}).quality.notes
    assert str(note).startswith("'b' has as many coefficients as rows")


def test_a_redundant_parent_and_a_constant_column_change_nothing():
    rng = np.random.default_rng(2)
    a = rng.normal(size=15)
    rows = {"a": a, "b": a + rng.normal(size=15), "copy": 2 * a + 1, "flat": np.full(15, 3.0)}
    plain = aw.fit("[a][b|a]", {"a": a, "b": rows["b"]}).query("b", given={"a": 0.5})
    wide = aw.fit("[a][copy|a][flat][b|a:copy:flat]", rows)
    found = wide.query("b", given={"a": 0.5, "copy": 2.0, "flat": 3.0})
    assert found.interval() == pytest.approx(plain.interval(), rel=1e-9)


@pytest.mark.parametrize(
    ("word", "n"),
    [("5 parents", 20), ("20 parents", 50), ("5 children", 20), ("20 children", 20), ("both", 50)],
)
def test_coverage(word, n):
    share, known = coverage(word, n, 120)
    assert share == pytest.approx(0.95, abs=0.02)
    assert known < share


@pytest.mark.slow
@pytest.mark.parametrize("word", QUESTIONS)
@pytest.mark.parametrize("n", [20, 50, 200, 1000])
def test_coverage_is_that_of_the_level(word, n):
    if word == "20 parents" and n == 20:
        pytest.skip("as many coefficients as rows")
    for level in (0.5, 0.8, 0.95):
        assert coverage(word, n, 200, 200, level)[0] == pytest.approx(level, abs=0.02)
