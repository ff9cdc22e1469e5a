"""Global optima over all graphs (oracles/exact_structure.json, and the five of the issue)."""

import json

import numpy as np
import pytest
from naive.gaussian import parent_sets
from naive.subsets import all_graphs
from scipy.special import logsumexp

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.scores import bge

REL = 1e-6
PLACES = {
    "marks": "bnlearn/marks.csv",
    "gaussian.test": "bnlearn/gaussian.test.csv.gz",
    "sachs_observational_853x11": "sachs/sachs_observational_853x11.csv",
    "sachs_all_7466x11": "sachs/sachs_all_7466x11.csv.gz",
    "wine_red": "wine/winequality_red.csv",
    "wine_white": "wine/winequality_white.csv",
    "eustockmarkets_changes": "finance/eustockmarkets_changes.csv",
    "boston": "boston/boston.csv",
}
WORDS = {"bic_gaussian_mle": "bic", "bge_am1_awn+2": "bge"}
# Printed in the issue: BIC, every numeric column continuous.
PRINTED = {
    "boston": -19924.1752,
    "wine_red": -7518.2808,
    "wine_white": -21572.8924,
    "sachs_observational_853x11": -46827.3591,
    "sachs_all_7466x11": -503003.9298,
}


@pytest.fixture(scope="module")
def oracle(shared_data):
    return json.loads((shared_data / "oracles" / "exact_structure.json").read_text())


@pytest.fixture(scope="module")
def tables(shared_data):
    """Each data set, read once, with its columns in another order than the file's."""
    found = {}
    for name, place in PLACES.items():
        table = aw.read(shared_data / place)
        found[name] = table.select(sorted(table.names, key=lambda n: n[::-1]))
    return found


def test_all_gaussian_entries_are_known_here(oracle):
    gaussian = {name for name, entry in oracle.items() if "bic_gaussian_mle" in entry}
    assert gaussian == set(PLACES)
    for name, expected in PRINTED.items():
        found = oracle[name]["bic_gaussian_mle"]["optimal_score"]
        assert found == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize("key", WORDS)
@pytest.mark.parametrize("name", PLACES)
def test_the_optimum_is_reached_and_named_as_such(oracle, tables, name, key):
    entry, table = oracle[name], tables[name]
    assert (table.rows, set(table.names)) == (entry["n"], set(entry["variables"]))
    expected = entry[key]["optimal_score"]
    for search in ("exact", "auto"):
        net = aw.learn(table, score=WORDS[key], search=search)
        assert net.score == pytest.approx(expected, rel=1e-10)
        assert net.optimal
        assert "optimal" in str(net.stopped)
    arcs = [(p, c) for c, parents in entry[key]["one_optimal_dag"].items() for p in parents]
    given = aw.DAG.from_arcs(arcs, net.graph.nodes)
    if WORDS[key] == "bic":
        assert aw.fit(given, table).score == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("name", ["boston", "wine_red", "sachs_all_7466x11"])
def test_no_search_is_above_the_optimum_and_auto_is_below_none(oracle, tables, name):
    """Also where a bound on steps, never met, sends auto the way of large problems."""
    top = oracle[name]["bic_gaussian_mle"]["optimal_score"]
    found = {
        search: aw.learn(tables[name], score="bic", search=search).score
        for search in ("greedy", "tabu", "ils", "ges", "auto")
    }
    assert max(found.values()) == pytest.approx(found["auto"], rel=REL)
    assert max(found.values()) <= top + 1e-6
    large = aw.learn(tables[name], score="bic", search=aw.Auto(max_steps=10**9, patience=10))
    assert not large.optimal
    assert found["ges"] <= large.score <= top + 1e-6


@pytest.mark.parametrize("name", ["marks", "eustockmarkets_changes"])
def test_bge_of_every_graph_adds_up_to_the_exact_sum(oracle, tables, name):
    """log of the sum of exp(BGe) over all 29 281 (543) graphs, and the arcs' probabilities."""
    entry = oracle[name]["bge_am1_awn+2"]
    score = bge(FAMILIES["gaussian"].bind(tables[name]))
    p, values, arcs = len(score.nodes), [], []
    local = {(c, s): score.local(c, s) for c in range(p) for s in parent_sets(p, c)}
    for rows in all_graphs(p):
        values.append(sum(local[c, row] for c, row in enumerate(rows)))
        arcs.append([[x in row for x in range(p)] for row in rows])
    weights = np.array(values)
    sum_of_all = logsumexp(weights)
    assert sum_of_all == pytest.approx(entry["log_sum_over_all_dags"], rel=1e-9)
    chance = np.einsum("g,gcx->cx", np.exp(weights - sum_of_all), np.array(arcs, dtype=float))
    for arc, expected in entry["arc_posterior_uniform_dag_prior"].items():
        tail, head = (score.nodes.index(end) for end in arc.split("->"))
        assert chance[head, tail] == pytest.approx(expected, abs=1e-8)


def test_arc_posteriors_of_all_graphs_by_sinks(oracle, tables):
    """The compiled sum over all graphs gives the printed evidence and posteriors."""
    from arcwise._kernels.sets import dag_posterior

    found_any = 0
    for name, entry in oracle.items():
        wanted = entry.get("bge_am1_awn+2", {}) if isinstance(entry, dict) else {}
        if "arc_posterior_uniform_dag_prior" not in wanted:
            continue
        score = bge(FAMILIES["gaussian"].bind(tables[name].continuous()))
        p = len(score.nodes)
        others = [[u for u in range(p) if u != v] for v in range(p)]
        found = dag_posterior(np.array([score.subsets(v, others[v]) for v in range(p)]))
        assert found.log_total == pytest.approx(wanted["log_sum_over_all_dags"], rel=1e-9)
        number = {node: i for i, node in enumerate(score.nodes)}
        for arc, probability in wanted["arc_posterior_uniform_dag_prior"].items():
            u, v = arc.split("->")
            assert found.arcs[number[u], number[v]] == pytest.approx(probability, abs=1e-8)
        found_any += 1
    assert found_any >= 3
