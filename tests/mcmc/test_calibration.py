"""Stated probabilities are frequencies: simulation-based calibration of exact posteriors.

Graphs are drawn uniformly over all DAGs of five variables, parameters from the score's own prior, rows from
the network; then the exact posterior of every pair and arc is compared with the truth (Cook, Gelman and Rubin
2006). In each tenth of stated probabilities the share of true pairs must agree with their mean, within three
standard errors clustered by data set, since the pairs of one data set err together.
"""

import numpy as np
import pytest
from scipy.stats import wishart

from arcwise.conditionals import FAMILIES, DiscreteConditional, GaussianConditional
from arcwise.data import Table, Variable
from arcwise.errors import GraphError
from arcwise.graphs import DAG
from arcwise.mcmc import exact
from arcwise.networks import BayesNet, ancestral
from arcwise.scores import bdeu, bge

P, SIZE = 5, 10.0
NAMES = tuple(f"v{i}" for i in range(P))


def uniform_graph(rng) -> DAG:
    """Each pair joined one way, the other or not at all, until there is no cycle: uniform over DAGs."""
    while True:
        arcs = []
        for i in range(P):
            for j in range(i):
                arcs += [[], [(NAMES[i], NAMES[j])], [(NAMES[j], NAMES[i])]][rng.integers(3)]
        try:
            return DAG.from_arcs(arcs, NAMES)
        except GraphError:
            continue


def tables(graph: DAG, rng) -> BayesNet:
    """Tables from Dirichlet distributions, an equivalent sample size shared among the cells of each."""
    levels = rng.integers(2, 4, P)
    variables = tuple(
        Variable(name, tuple(range(r))) for name, r in zip(NAMES, levels, strict=True)
    )
    models = []
    for child, parents in enumerate(graph.parents):
        shape = levels[[*parents, child]]
        alpha = np.full(levels[child], SIZE / np.prod(shape))
        rows = rng.dirichlet(alpha, int(np.prod(shape[:-1])))
        models.append(DiscreteConditional((rows / rows.sum(axis=1, keepdims=True)).reshape(shape)))
    return BayesNet(variables, graph, tuple(models))


def regressions(graph: DAG, rng) -> BayesNet:
    """Each child's regression from a normal-Wishart draw of its own (global independence, modularity)."""
    alpha_mu, alpha_w = 1.0, P + 2.0
    t = alpha_mu * (alpha_w - P - 1) / (alpha_mu + 1)
    models = []
    for child, parents in enumerate(graph.parents):
        covariance = np.linalg.inv(wishart.rvs(alpha_w, np.eye(P) / t, random_state=rng))
        mean = rng.multivariate_normal(np.zeros(P), covariance / alpha_mu)
        inside = list(parents)
        slopes = np.linalg.solve(covariance[np.ix_(inside, inside)], covariance[inside, child])
        variance = covariance[child, child] - slopes @ covariance[inside, child]
        size = len(inside) + 1
        models.append(
            GaussianConditional(
                float(mean[child] - slopes @ mean[inside]),
                slopes,
                variance,
                np.zeros((size, size)),
                0.0,
            )
        )
    return BayesNet(tuple(map(Variable, NAMES)), graph, tuple(models))


def by_tables(table: Table):
    return bdeu(FAMILIES["discrete"].bind(table), equivalent_sample_size=SIZE)


def by_regressions(table: Table):
    return bge(FAMILIES["gaussian"].bind(table), prior_mean="zero")


KINDS = {"bdeu": (tables, by_tables), "bge": (regressions, by_regressions)}


def stated(kind: str, sets: int, seed: int):
    """For each data set the stated probabilities of pairs and arcs, and whether they are there."""
    draw, bind = KINDS[kind]
    first, second = np.triu_indices(P, 1)
    off = ~np.eye(P, dtype=bool)
    pairs, arcs = [], []
    for rng in np.random.default_rng(seed).spawn(sets):
        net = draw(uniform_graph(rng), rng)
        found = exact(bind(ancestral(net, rng, int(rng.integers(20, 200))))).arcs
        truth = np.zeros((P, P))
        for child, parents in enumerate(net.graph.parents):
            truth[list(parents), child] = 1.0
        both, real = (x + x.T for x in (found, truth))
        pairs.append((both[first, second], real[first, second]))
        arcs.append((found[off], truth[off]))
    return {"pairs": pairs, "arcs": arcs}


def reliability(cases):
    """A line for each tenth: its start, cases, mean stated, share that is true, distance in errors."""
    for low in np.arange(10) / 10:
        parts = []
        for said, true in cases:
            inside = (said >= low) & ((said < low + 0.1) | (low > 0.85))
            if inside.any():
                parts.append((inside.sum(), said[inside].sum(), true[inside].sum()))
        if len(parts) < 10:
            continue
        n, said, true = np.array(parts, dtype=float).T
        off = (true - said).sum() / n.sum()
        error = np.sqrt(((true - said - off * n) ** 2).sum()) / n.sum()
        yield low, int(n.sum()), said.sum() / n.sum(), true.sum() / n.sum(), off / error


@pytest.mark.parametrize("kind", KINDS)
def test_stated_probabilities_are_frequencies(kind):
    """2000 data sets, since of 500 with seed 1 one of forty lines is 3.1 errors off, and of 5000 none is."""
    for what, cases in stated(kind, 2000, seed=11).items():
        lines = list(reliability(cases))
        assert len(lines) == 10
        for low, count, said, true, distance in lines:
            assert abs(distance) < 3, (what, low, count, said, true)


def test_a_wrong_prior_is_found_out():
    """The law can fail: scores of another prior than the data's are not calibrated."""
    cases = stated("bdeu", 60, seed=1)["pairs"]
    bold = [(np.clip(1.6 * said - 0.3, 0.0, 1.0), true) for said, true in cases]
    assert max(abs(line[-1]) for line in reliability(bold)) > 4
