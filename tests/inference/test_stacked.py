"""Stacked conditionals: a mixture again, its weights the best, gaps of every pattern, plain refusals."""

import numpy as np
import pytest
from scipy.integrate import quad

import arcwise as aw
from arcwise.errors import ArcwiseError
from arcwise.inference.stacked import Stacker, _mix, first_met


def bent(seed: int = 1, rows: int = 150) -> aw.Table:
    rng = np.random.default_rng(seed)
    x, z = rng.uniform(-2, 2, (2, rows))
    y = np.sin(2 * x) + 0.5 * z + 0.2 * rng.normal(size=rows)
    return aw.table({"x": x, "y": y, "z": z, "noise": rng.normal(size=rows)})


@pytest.fixture(scope="module")
def net() -> aw.Network:
    return aw.learn(bent(), graph="undirected", model="parzen", penalty=0.0)


def test_a_belief_is_a_density(net):
    belief = net.query("y", given={"x": 0.7}, method="stacked")
    total, _ = quad(lambda v: float(belief.density(v)), -6, 6, limit=400)
    assert total == pytest.approx(1.0, abs=1e-5)
    mean, _ = quad(lambda v: v * float(belief.density(v)), -6, 6, limit=400)
    assert mean == pytest.approx(belief.mean, abs=1e-4)
    assert belief.error == 0.0
    assert belief.mean == pytest.approx(np.sin(1.4), abs=0.35)


def test_predictions_are_the_beliefs_of_single_rows(net):
    rows = aw.table({"x": [0.5, np.nan, -1.0], "z": [1.0, 1.0, np.nan], "noise": [0.0, 0.1, 0.2]})
    found = net.predict(rows, "y", method="stacked")
    for i, given in enumerate(({"x": 0.5, "z": 1.0}, {"z": 1.0}, {"x": -1.0})):
        noise = {"noise": (0.0, 0.1, 0.2)[i]}
        belief = net.query("y", given={**given, **noise}, method="stacked")
        assert found.mean[i] == pytest.approx(belief.mean, rel=1e-9)
        assert found.sd[i] == pytest.approx(belief.sd, rel=1e-9)


def test_with_gaps_predictions_gain_on_gibbs_sampling(net):
    test = bent(2, 200)
    rows = aw.table({"x": test.values("x"), "noise": test.values("noise")})
    truth = test.values("y")
    stacked = net.predict(rows, "y", method="stacked")
    gibbs = net.predict(rows, "y", seed=1)
    assert stacked.logdensity(truth).mean() > gibbs.logdensity(truth).mean() - 0.05
    assert ((stacked.mean - truth) ** 2).mean() < 0.6 * truth.var()


def test_weights_are_those_of_greatest_likelihood():
    rng = np.random.default_rng(3)
    densities = rng.gamma(1.0, size=(4, 400))
    densities[2] += 1.0
    weights = np.ones(400)
    best = _mix(densities, weights)
    assert best.sum() == pytest.approx(1.0)

    def value(shares):
        prior = 5 / 4 * np.log(np.maximum(shares, 1e-9)).sum()
        return np.log(shares @ densities).sum() + prior

    even = np.full(4, 0.25)
    for step in rng.dirichlet(np.ones(4), 30):
        assert value(best) >= value(0.9 * best + 0.1 * step) - 1e-3
    assert value(best) > value(even)


def test_the_densities_are_those_of_rows_left_out(net):
    y = net.net.index("y")
    stacker = Stacker(net.net, y)
    inputs = (net.net.index("x"),)
    found = stacker._densities(inputs)
    fits, rows = stacker._fits, stacker._rows
    column = fits.block.columns
    place = 0
    for h_in in stacker._grid[0]:
        for h_out in stacker._grid[1]:
            for n in (0, 17, 149):
                rest = np.delete(np.arange(150), rows[n])
                near = np.exp(-0.5 * ((column[inputs[0]][rest] - column[inputs[0]][n]) / h_in) ** 2)
                own = np.exp(-0.5 * ((column[y][rest] - column[y][n]) / h_out) ** 2)
                expected = (near * own).sum() / near.sum() / (h_out * np.sqrt(2 * np.pi))
                assert found[place, n] == pytest.approx(expected, rel=1e-4, abs=1e-12)
            place += 1


def test_only_what_is_met_first_counts():
    graph = aw.ug("a:b + b:c + c:d")
    rng = np.random.default_rng(1)
    a = rng.normal(size=60)
    table = aw.table({"a": a, "b": a + rng.normal(size=60), "c": rng.normal(size=60), "d": a**2})
    net = aw.fit(graph.over(["a", "b", "c", "d"]), table, model="parzen").net
    known = np.array([False, False, True, True])
    assert first_met(net, 0, known) == (2,)
    assert first_met(net, 0, np.array([False, True, True, True])) == (1,)
    assert first_met(net, 0, np.zeros(4, dtype=bool)) == ()


def test_nothing_and_everything_known(net):
    nothing = net.query("y", method="stacked")
    column = bent().values("y")
    assert nothing.mean == pytest.approx(column.mean(), abs=0.05)
    assert nothing.sd == pytest.approx(column.std(), rel=0.1)
    given = {"x": 0.3, "z": 0.0, "noise": 0.0}
    assert np.isfinite(net.query("y", given=given, method="stacked").sd)
    assert np.isfinite(net.query("y", given={"x": 1e12}, method="stacked").mean)


def test_levels():
    rng = np.random.default_rng(4)
    x = rng.normal(size=150)
    side = np.where(x + 0.3 * rng.normal(size=150) > 0, "right", "left")
    net = aw.learn(aw.table({"x": x, "side": side}), graph="undirected", model="parzen")
    belief = net.query("side", given={"x": 1.5}, method="stacked")
    assert sum(belief.probability(level) for level in ("left", "right")) == pytest.approx(1.0)
    assert belief.probability("right") > 0.8
    found = net.predict(aw.table({"x": [1.5, -1.5]}), "side", method="stacked")
    assert found.probabilities.argmax(axis=1).tolist() == [1, 0]


def test_a_directed_network_is_asked_by_its_blankets():
    net = aw.learn(bent(), model="parzen")
    assert net.query("y", given={"x": 0.7}, method="stacked").mean == pytest.approx(0.98, abs=0.4)


def test_refusals(net):
    with pytest.raises(ArcwiseError, match="stacked"):
        net.query("y", method="staked")
    directed = aw.learn(bent(), model="parzen")
    with pytest.raises(ArcwiseError, match="takes no do="):
        directed.query("y", do={"x": 1.0}, method="stacked")


def test_stacking_is_the_way_where_no_method_is_named(net):
    assert (
        net.query("y", given={"z": 0.5}).mean
        == net.query("y", given={"z": 0.5}, method="stacked").mean
    )
    gibbs = net.query("y", given={"z": 0.5}, method="gibbs")
    assert gibbs.error > 0
    assert gibbs.rhat > 0.9


def test_a_joint_question_is_drawn_by_the_chain_rule(net):
    both = net.query(["y", "x"], given={"z": 0.0})
    assert both.names == ("y", "x")
    drawn = both.draws(2000, seed=1)
    for name in ("x", "y"):
        assert drawn[name].mean() == pytest.approx(both[name].mean, abs=0.15)
        assert drawn[name].std() == pytest.approx(both[name].sd, rel=0.15)
    assert both.mutual_information("x", "y") > 0.2  # a sine that correlation hardly sees
    turned = net.query(["x", "y"], given={"z": 0.0})
    assert turned["x"].mean == pytest.approx(both["x"].mean, rel=1e-9)


def test_rows_drawn_and_filled_look_like_the_data(net):
    data = bent()
    drawn = net.sample(1500, seed=2)
    for name in data.names:
        assert drawn.values(name).mean() == pytest.approx(data.values(name).mean(), abs=0.15)
        # windows widen what they are put on
        assert drawn.values(name).std() == pytest.approx(data.values(name).std(), rel=0.25)
    near = np.abs(drawn.values("x") - 0.7) < 0.2
    assert drawn.values("y")[near].mean() == pytest.approx(np.sin(1.4), abs=0.3)
    gaps = {name: data.values(name).copy() for name in data.names}
    gaps["y"][::2] = np.nan
    filled = net.impute(aw.table(gaps))
    off = filled.values("y")[::2] - data.values("y")[::2]
    assert off.std() < 0.5 * data.values("y").std()
    once, again, other = (net.impute(aw.table(gaps), seed=s).values("y") for s in (1, 1, 2))
    assert (once == again).all()
    assert (once != other).any()


def test_other_models_have_no_rows_to_ask():
    net = aw.learn(bent(), graph="undirected", model="gaussian")
    with pytest.raises(ArcwiseError, match="needs Parzen windows"):
        net.query("y", given={"x": 0.7}, method="stacked")


def test_variables_that_do_not_matter_may_stay_unknown():
    rng = np.random.default_rng(5)
    a = rng.normal(size=80)
    table = aw.table({"a": a, "b": a + 0.3 * rng.normal(size=80), "c": rng.normal(size=80)})
    net = aw.fit(aw.ug("a:b + c").over(["a", "b", "c"]), table, model="parzen")
    rows = aw.table({"a": [0.1, np.nan], "c": [np.nan, np.nan]})
    found = net.predict(rows, "b", chains=2, sweeps=20, burn_in=5)
    assert np.isfinite(found.mean).all()
