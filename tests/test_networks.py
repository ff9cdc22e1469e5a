"""Networks as values: density, ancestral samples, interventions, tables brought into form."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from shared_networks import dense_moments, gaussian_net, linear, published_net, random_net

import arcwise as aw
from arcwise.conditionals import GaussianConditional
from arcwise.data import Table, Variable
from arcwise.errors import DataError, FitError, GraphError
from arcwise.graphs import DAG, UGraph
from arcwise.networks import (
    BayesNet,
    FixedValue,
    MarkovNet,
    align,
    ancestral,
    cut,
    factors_of,
    log_density,
    normal_of,
    pseudo_log_density,
)

XY = (Variable("x"), Variable("y"))
CHAIN = gaussian_net({"a": (1, {}, 2), "b": (0, {"a": 2}, 1), "c": (-1, {"b": 0.5}, 0.5)})


def test_nodes_must_be_the_variables_in_order():
    models = (linear(0, [], 1), linear(0, [], 1))
    with pytest.raises(GraphError, match=r"'y' and 'z' differ"):
        BayesNet(XY, DAG.empty(["x", "z"]), models)
    with pytest.raises(GraphError, match="order differs"):
        BayesNet(XY, DAG.empty(["y", "x"]), models)
    with pytest.raises(GraphError, match="sorted"):
        BayesNet(XY[::-1], DAG.empty(["y", "x"]), models)


def test_one_conditional_per_node():
    with pytest.raises(FitError, match="one local model for each, got 1"):
        BayesNet(XY, DAG.empty(["x", "y"]), (linear(0, [], 1),))


def test_unknown_name_is_answered_with_close_ones():
    with pytest.raises(DataError, match="Did you mean 'v0001'"):
        random_net(np.random.default_rng(0), 3).index("v001")


def test_parameters_are_counted():
    assert CHAIN.n_params == 2 + 3 + 3


@pytest.mark.parametrize("seed", range(5))
def test_density_is_that_of_the_joint_normal(seed):
    rng = np.random.default_rng(seed)
    net = random_net(rng, 6)
    rows = rng.normal(size=(20, 6))
    expected = multivariate_normal(*dense_moments(net)).logpdf(rows)
    np.testing.assert_allclose(log_density(net, rows.T), expected, rtol=1e-9)


def test_ancestral_rows_have_the_right_moments():
    table = ancestral(CHAIN, np.random.default_rng(3), 200_000)
    mean, covariance = dense_moments(CHAIN)
    sd = np.sqrt(np.diag(covariance))
    assert table.names == CHAIN.names
    np.testing.assert_allclose(table.matrix().mean(axis=0), mean, atol=5 * sd.max() / 447)
    np.testing.assert_allclose(np.cov(table.matrix().T), covariance, rtol=0.03)


def test_ancestral_is_reproducible_and_may_be_empty():
    first = ancestral(CHAIN, np.random.default_rng(5), 10).matrix()
    second = ancestral(CHAIN, np.random.default_rng(5), 10).matrix()
    assert np.array_equal(first, second)
    assert ancestral(CHAIN, np.random.default_rng(5), 0).rows == 0
    for draws in (-1, 1.5, True, "3", None):
        with pytest.raises(DataError, match="draws must be a non-negative integer"):
            ancestral(CHAIN, np.random.default_rng(5), draws)


class Coin:
    """A discrete local model, to see that nothing here is about numbers only."""

    word = "coin"

    n_params = 1

    def sample(self, xs, rng, size):
        return rng.integers(0, 2, size)

    def logpdf(self, y, xs):
        return np.full(len(y), np.log(0.5))


def test_discrete_conditionals_fit_in():
    variable = Variable("coin", ("heads", "tails"))
    net = BayesNet((variable,), DAG.empty(["coin"]), (Coin(),))
    table = ancestral(net, np.random.default_rng(1), 50)
    assert set(table.values("coin")) == {"heads", "tails"}
    assert log_density(net, table.columns).sum() == pytest.approx(-50 * np.log(2))


def test_cut_fixes_a_value_and_removes_the_arcs_into_it():
    after = cut(CHAIN, {1: 7.0})
    assert after.graph.arcs == (("b", "c"),)
    assert after.models == ("gaussian", "fixed", "gaussian")
    table = ancestral(after, np.random.default_rng(2), 4000)
    assert (table.column("b") == 7.0).all()
    assert table.column("c").mean() == pytest.approx(2.5, abs=0.05)
    assert CHAIN.graph.n_arcs == 2


def test_fixed_has_probability_one_at_its_value():
    model = FixedValue(2.0)
    assert model.logpdf(np.array([2.0, 3.0]), ()).tolist() == [0.0, -np.inf]
    assert model.n_params == 0


def test_align_fills_absent_columns_and_ignores_others():
    rows = Table((Variable("b"), Variable("z")), (np.ones(2), np.ones(2)), np.array([1.0, 2.0]))
    aligned = align(CHAIN, rows)
    assert aligned.names == ("a", "b", "c")
    assert aligned.order == ("b", "a", "c")
    assert np.isnan(aligned.column("a")).all()
    assert aligned.total == 3.0
    assert tuple(map(str, aligned.notes)) == (
        "The network has no variable 'z': ignored.",
        "The table has no columns 'a' and 'c': missing in every row.",
    )


def test_align_does_not_read_what_is_excluded():
    rows = Table((Variable("a"), Variable("b")), (np.array([np.inf]), np.ones(1)))
    aligned = align(CHAIN, rows, unread=("a",))
    assert np.isnan(aligned.column("a")).all()
    assert tuple(map(str, aligned.notes)) == ("The table has no column 'c': missing in every row.",)
    with pytest.raises(DataError, match="'a' must be finite, got infinity in row 1"):
        align(CHAIN, rows)


def test_align_turns_numeric_levels_into_numbers_and_refuses_text():
    numeric = Variable("a", (1, 5), ordered=True)
    codes = np.array([0, 1, 2], dtype=np.uint8)
    assert align(CHAIN, Table((numeric,), (codes,))).column("a").tolist()[:2] == [1.0, 5.0]
    with pytest.raises(DataError, match="'a' holds text"):
        align(CHAIN, Table((Variable("a", ("p", "q")),), (codes,)))


def test_align_needs_something_in_common():
    with pytest.raises(DataError, match="must share a column"):
        align(CHAIN, Table((Variable("z"),), (np.ones(2),)))


@pytest.fixture
def weather():
    variables = (Variable("rain", ("no", "yes")), Variable("size", ("S", "L"), True, (10.0,)))
    return BayesNet(variables, DAG.empty(["rain", "size"]), (Coin(), Coin()))


def test_align_codes_levels_as_the_network_does(weather):
    given = Variable("rain", ("yes", "no", "maybe"))
    rows = Table((given,), (np.array([0, 1, 3], dtype=np.uint8),))
    assert align(weather, rows).column("rain").tolist() == [1, 0, 2]
    with pytest.raises(DataError, match="'rain' has the value 'maybe', which is not in the"):
        align(weather, Table((given,), (np.array([2], dtype=np.uint8),)))


def test_align_cuts_numbers_into_levels(weather):
    rows = Table((Variable("size"),), (np.array([3.0, 10.0, np.nan]),))
    assert align(weather, rows).column("size").tolist() == [0, 1, 2]


def test_numbers_are_looked_up_among_numeric_levels():
    variable = Variable("n", (1, 3))
    net = BayesNet((variable,), DAG.empty(["n"]), (Coin(),))
    assert align(net, Table((Variable("n"),), (np.array([3.0, 1.0, np.nan]),))).column(
        "n"
    ).tolist() == [1, 0, 2]
    with pytest.raises(DataError, match=r"'n' has the value 2\.0"):
        align(net, Table((Variable("n"),), (np.array([2.0]),)))


@pytest.mark.parametrize(("name", "nodes", "arcs"), [("ecoli70", 46, 70), ("magic-niab", 44, 66)])
def test_published_networks_have_their_sizes(shared_data, name, nodes, arcs):
    net = published_net(shared_data, name)
    assert (len(net.names), net.graph.n_arcs) == (nodes, arcs)


def markov(rows=4):
    graph = UGraph.from_edges([("x", "y")])
    models = (linear(0, [0.5], 1), linear(0, [0.5], 1))
    typical = (np.zeros(rows), np.zeros(rows))
    return MarkovNet(XY, graph, models, typical)


def test_a_pseudo_likelihood_takes_every_variable_given_its_neighbours():
    net, x, y = markov(), np.array([0.0, 1.0]), np.array([2.0, -1.0])
    parts = [multivariate_normal(0, 1).logpdf(a - 0.5 * b) for a, b in ((x, y), (y, x))]
    np.testing.assert_allclose(pseudo_log_density(net, (x, y)), sum(parts))
    assert net.inputs == ((1,), (0,))
    assert net.index("y") == 1


def test_networks_print_in_one_line():
    assert (
        repr(markov(rows=500)) == str(markov()) == "<MarkovNet of 2 variables, 1 edge (gaussian)>"
    )
    models = (linear(0, [], 1), linear(0, [1], 1))
    net = BayesNet(XY, DAG.from_arcs([("x", "y")]), models, markov())
    assert repr(net) == "<BayesNet of 2 variables, 1 arc (gaussian)>"


def test_chains_need_rows_to_start_from():
    with pytest.raises(FitError, match="Chains need start rows"):
        markov(rows=0)


def test_blanket_models_are_of_the_networks_own_variables():
    models = (linear(0, [], 1), linear(0, [1], 1))
    net = BayesNet(XY, DAG.from_arcs([("x", "y")]), models, markov())
    assert net.blankets is not None
    assert cut(net, {0: 1.0}).blankets is None
    with pytest.raises(GraphError, match="blanket models must be of the network's own"):
        BayesNet((Variable("z"),), DAG.empty(["z"]), models[:1], markov())


class Coins:
    """A joint distribution that is not normal: two coins that agree with probability 0.9."""

    def check(self, graph):
        assert graph.n_edges == 1

    def partial(self, first, second):
        return np.full(len(first), np.nan)

    def points(self):
        return np.array([[0.0, 0.0], [1.0, 1.0]])

    def local(self, node, inputs):
        return GaussianConditional(0.0, np.ones(len(inputs)), 1.0, np.eye(1 + len(inputs)), 0.0)

    def chain(self, graph):
        return ((), (0,)), (self.local(0, ()), self.local(1, (0,)))


def test_a_joint_need_not_be_normal(tmp_path):
    """What asks for a normal distribution refuses another one in words; all else takes it."""
    variables, graph = (Variable("a"), Variable("b")), UGraph.from_edges([("a", "b")])
    net = MarkovNet.normal(variables, graph, Coins())
    assert net.chained.graph.arcs == (("a", "b"),)
    assert [column.tolist() for column in net.starts] == [[0.0, 1.0], [0.0, 1.0]]
    held = aw.Network(net)
    assert np.isnan(held.edges["a", "b"].partial_correlation)
    for ask in (lambda: held.precision, held.refit_losses):
        with pytest.raises(FitError, match="joint"):
            ask()


def test_networks_say_what_they_can_be_read_as():
    tables = aw.example("asia", "network").net
    assert tables.as_field is None
    rows = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    field = aw.fit("RM -- LSTAT, LSTAT -- MEDV", rows).net
    assert field.as_field is field
    assert normal_of(field.joint) is field.joint
    assert factors_of(field.joint) is factors_of(None) is None
