"""Which edges come first: certainty by resampling, posteriors, and the strengths of one graph.

    .venv/bin/python benchmarks/ranking.py [--samples 20] [--rows 500] [--networks alarm,insurance,...]
        [--ways 'one graph;bootstrap;chains;chains, two rows']

Pairs of variables are ranked, and the area under the curve of precision against recall (average precision)
is taken against the true skeleton, and against the arcs that every equivalent graph has. Means over samples;
differences to the single graph are paired. Chains are two of 500 draws; "charged" is a prior of 1.5 log p
nats off for each arc, which the default score of discrete tables has, and "two rows" and "five rows" are
equivalent sample sizes for discrete tables, 1 by default. Networks are read from the folder in ARCWISE_DATA.
"""

import argparse
import time

import numpy as np
from linear import PUBLISHED, network, shared_folder
from sklearn.metrics import average_precision_score

import arcwise as aw
from arcwise.graphs import cpdag


def source(name):
    """The true graph, and a function from (rows, seed) to a table."""
    if name in PUBLISHED:
        net = network(name, 0)
        return net.graph, lambda rows, seed: net.sample(rows, np.random.default_rng(seed))
    found = shared_folder() / "networks" / "discrete" / f"{name}.bif"
    net = aw.load(found if found.exists() else found.with_suffix(".bif.gz"))
    return net.graph, lambda rows, seed: net.sample(rows, seed=seed)


def single(table):
    """Strengths of one graph: of pairs, and of arcs (half of it each way where data cannot tell)."""
    net, pairs, arcs = aw.learn(table, progress=False), {}, {}
    for edge in net.edges.rows:
        pair = (edge.first, edge.second)
        pairs[pair] = edge.strength + 1e3 * edge.present  # what the graph has comes first
        for way in (pair, pair[::-1]):
            there = edge.present and (edge.reversible or edge.direction == " -> ".join(way))
            arcs[way] = edge.strength * (0.5 if edge.reversible else 1.0) if there else 0.0
    return pairs, arcs


def resampled(table, **words):
    """Frequencies of edges over resampled rows, or probabilities from chains."""
    post, pairs, arcs = aw.posterior(table, progress=False, **words), {}, {}
    for row in post.edges.rows:
        pairs[row.first, row.second] = row.adjacent
        arcs[row.first, row.second], arcs[row.second, row.first] = row.forward, row.backward
    return pairs, arcs


def chains(table, **words):
    """Probabilities from two chains."""
    return resampled(table, method=aw.MCMC(chains=2), draws=500, **words)


WAYS = {
    "one graph": single,
    "bootstrap": lambda table: resampled(table, method="bootstrap", draws=100),
    "chains": chains,
    "chains, charged": lambda table: chains(table, prior=1.5 * np.log(len(table.variables))),
    "chains, two rows": lambda table: chains(table, score=aw.BDeu(2)),
    "chains, five rows": lambda table: chains(table, score=aw.BDeu(5)),
}


def areas(graph, found):
    """Average precision for the skeleton, and for the arcs that all equivalent graphs have."""
    pairs, arcs = found
    joined = {frozenset(arc) for arc in graph.arcs}
    compelled = set(cpdag(graph).arcs)
    skeleton = [frozenset(pair) in joined for pair in pairs]
    return (
        average_precision_score(skeleton, list(pairs.values())),
        average_precision_score([arc in compelled for arc in arcs], list(arcs.values())),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--networks", default="alarm,insurance,ecoli70,arth150")
    parser.add_argument("--ways", default="one graph;bootstrap")
    given = parser.parse_args()
    ways = given.ways.split(";")
    print(
        f"{given.samples} samples of {given.rows} rows: area for the skeleton, for compelled arcs, CPU s"
    )
    for name in given.networks.split(","):
        graph, draw = source(name)
        found, spent = {way: [] for way in ways}, dict.fromkeys(ways, 0.0)
        for seed in range(given.samples):
            table = draw(given.rows, 900 + seed)
            for way in ways:
                begun = time.process_time()
                found[way].append(areas(graph, WAYS[way](table)))
                spent[way] += time.process_time() - begun
        base = np.array(found[ways[0]])
        for way in ways:
            here = np.array(found[way])
            gain = here - base
            error = gain.std(axis=0, ddof=1) / np.sqrt(len(gain))
            more = (
                ""
                if way == ways[0]
                else "  gain "
                + ", ".join(
                    f"{g:+.3f} +- {e:.3f}" for g, e in zip(gain.mean(axis=0), error, strict=True)
                )
            )
            mean = here.mean(axis=0)
            print(
                f"{name:10} {way:10} {mean[0]:.3f} {mean[1]:.3f} {spent[way]:7.1f}{more}",
                flush=True,
            )


if __name__ == "__main__":
    main()
