"""Results can be copied and sent to other processes, whatever was asked of them before."""

import copy
import pickle

import pytest

import arcwise as aw

HOMES = aw.example("boston").select(["RM", "LSTAT", "MEDV", "AGE"])
WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "copy": copy.copy, "deep": copy.deepcopy}


def asked(net, given, do, target):
    """Results of every verb, made for themselves and for what they leave behind in the network."""
    _ = net.edges, net.cpdag, str(net)
    results = [
        net.query(target, given),
        net.query([target, next(name for name in net if name != target)], do=do),
        net.marginals(given),
        net.marginals(do=do),
        net.conflict(given),
        net.impact(target, given),
        net.predict(net.sample(5), target),
    ]
    return [*results, *(str(result) for result in results)]


@pytest.fixture(scope="module")
def gaussian():
    net = aw.learn(HOMES)
    return net, asked(net, {"RM": 6.0, "AGE": 50.0}, {"LSTAT": 10.0}, "MEDV")


@pytest.fixture(scope="module")
def discrete():
    net = aw.learn(aw.load(aw.network_file("asia")).sample(500))
    results = asked(net, {"smoke": "yes", "xray": "yes"}, {"bronc": "yes"}, "lung")
    given, do = {"smoke": "yes"}, {"bronc": "yes"}
    return net, [*results, net.explain(given), net.explain(do=do), net.probability(given, do)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["gaussian", "discrete"])
def test_networks_and_answers_after_every_question(kind, way, request):
    net, results = request.getfixturevalue(kind)
    for result in results:
        assert str(WAYS[way](result)) == str(result)
    other = WAYS[way](net)
    assert str(other) == str(net)
    assert other.arcs == net.arcs
    target, do = ("MEDV", {"LSTAT": 10.0}) if kind == "gaussian" else ("lung", {"bronc": "yes"})
    assert str(other.query(target, do=do)) == str(net.query(target, do=do))


@pytest.mark.parametrize("method", ["exact", "mcmc", "bootstrap"])
def test_distributions_over_graphs_after_every_question(method):
    post = aw.posterior(HOMES, method=method, **({} if method == "exact" else {"draws": 30}))
    wanted = str(post.query("MEDV", {"RM": 6.0})), str(post.query("MEDV", do={"RM": 6.0}))
    _ = post.best, post.averaged(), post.edges
    for other in (way(post) for way in WAYS.values()):
        results = other.query("MEDV", {"RM": 6.0}), other.query("MEDV", do={"RM": 6.0})
        assert (str(results[0]), str(results[1])) == wanted
        assert str(other) == str(post)


def test_paths_and_comparisons():
    path, net = aw.path(HOMES), aw.learn(HOMES, model="gaussian")
    results = path, aw.compare(net, net), aw.audit(HOMES), net.precision, net.edges
    for way in WAYS.values():
        assert [str(way(result)) for result in results] == [str(result) for result in results]
