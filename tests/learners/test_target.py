"""Rules of a class: nothing points to it, and it has a child, whatever the search."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.graphs import DAG, Rules
from arcwise.search import SEARCHES


def noise(features=4, rows=60):
    rng = np.random.default_rng(3)
    own = {"kind": rng.choice(["a", "b"], rows)}
    return own | {f"f{i}": rng.choice(["0", "1"], rows) for i in range(features)}


def related(rows=300):
    rng = np.random.default_rng(4)
    cause = rng.integers(0, 2, rows)
    kind = np.where(rng.random(rows) < 0.8, cause, 1 - cause)
    other = np.where(rng.random(rows) < 0.8, kind, 1 - kind)
    return {
        name: [f"l{v}" for v in x]
        for name, x in (("cause", cause), ("kind", kind), ("other", other))
    }


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("data", [noise(), related()], ids=["noise", "related"])
def test_every_search_obeys(search, data):
    net = aw.learn(data, search=search, score="bic", rules=Rules(target="kind"), seed=1)
    assert net.parents("kind") == ()
    assert net.children("kind")
    best = aw.learn(data, search="exact", score="bic", rules=Rules(target="kind"))
    assert best.optimal
    assert net.score <= best.score + 1e-9
    assert net.cpdag is not None
    assert net.edges.present


def test_the_best_with_the_rule_is_the_best_of_all_that_obey():
    data = noise(3)
    table = aw.table(data)
    net = aw.learn(table, search="exact", score="bic", rules=Rules(target="kind"))
    barred = [(f, "kind") for f in table.names if f != "kind"]
    each = [
        aw.learn(
            table,
            search="exact",
            score="bic",
            rules=aw.Rules(required=[("kind", f)], forbidden=barred),
        ).score
        for f in table.names
        if f != "kind"
    ]
    assert net.score == pytest.approx(max(each))


def test_limits_for_samplers_know_the_whole_rule():
    limits = Rules(target="b").on(["a", "b", "c"])
    assert limits.allows_graph(DAG.from_arcs(["b -> c"], ["a", "b", "c"]))
    assert not limits.allows_graph(DAG.empty(["a", "b", "c"]))
    assert not limits.allows_graph(DAG.from_arcs(["a -> b", "b -> c"], ["a", "b", "c"]))
    assert not limits.allows(1, (0,))


def test_contradictions():
    with pytest.raises(
        aw.GraphError, match="a -> b is required, but a target must have no parents"
    ):
        Rules(required=["a -> b"], target="b")
    with pytest.raises(aw.GraphError, match="A target must have a child"):
        aw.learn(noise(1), rules=Rules(forbidden=["kind -> f0"], target="kind"))
    with pytest.raises(aw.GraphError, match="A target needs directed arcs"):
        aw.learn(
            aw.example("boston"), graph="undirected", search="boundary", rules=Rules(target="MEDV")
        )
    with pytest.raises(aw.GraphError, match="kin"):
        aw.learn(noise(), rules=Rules(target="kin"))
    with pytest.raises(aw.GraphError, match="leaves the target 'kind' without a child"):
        aw.learn(noise(), search="chow-liu", score="bic", rules=Rules(target="kind"))


def test_trees_run_away_from_a_target(tmp_path):
    net = aw.learn(related(), search="chow-liu", score="loglik", rules=Rules(target="kind"))
    assert net.parents("kind") == ()
    net.save(tmp_path / "tree.json")
    assert aw.load(tmp_path / "tree.json").rules == Rules(target="kind")


def test_a_stopped_search_obeys_still():
    net = aw.learn(noise(), search="tabu", rules=Rules(target="kind"), time_limit=0)
    assert net.children("kind")
    assert net.parents("kind") == ()
