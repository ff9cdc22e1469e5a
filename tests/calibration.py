"""Data sets from the priors of scores, and stated probabilities against what is true.

Graphs are drawn uniformly over all DAGs of five variables, parameters from the score's own prior, rows from
the network (Cook, Gelman and Rubin 2006).
"""

import numpy as np
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


def simulated(kind: str, sets: int, seed: int):
    """Data sets with the graphs that they are from."""
    draw, _ = KINDS[kind]
    for rng in np.random.default_rng(seed).spawn(sets):
        net = draw(uniform_graph(rng), rng)
        yield net.graph, ancestral(net, rng, int(rng.integers(20, 200)))


def summed(kind: str):
    """The exact posterior of arcs, from a table."""
    return lambda table: exact(KINDS[kind][1](table)).arcs


def stated(cases, arcs_of):
    """For each data set the stated probabilities of pairs and arcs, and whether they are there.

    `cases` are graphs with their tables, `arcs_of` gives the probabilities of arcs from a table.
    """
    first, second = np.triu_indices(P, 1)
    off = ~np.eye(P, dtype=bool)
    pairs, arcs = [], []
    for graph, table in cases:
        found, truth = arcs_of(table), np.zeros((P, P))
        for child, parents in enumerate(graph.parents):
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
