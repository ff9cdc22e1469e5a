"""Gadget of sumu (Viinikka and others 2020) on a table of codes: arc probabilities and CPU seconds as JSON.

    PEERS/bin/python benchmarks/posterior_peer.py CODES.csv ITERATIONS SEED

Run by `posterior.py --sumu PEERS/bin/python`. BDeu of one equivalent row, at most three parents, prior "fair"
(each number of parents equally probable); all parent sets count, those of the 12 candidates of a variable in
one table. A quarter of the iterations is burn-in, and every tenth of the rest is kept.
"""

import json
import sys
import time

import numpy as np
import sumu


def main(path, iterations, seed):
    np.random.seed(seed)  # noqa: NPY002 (what sumu draws from)
    codes = np.loadtxt(path, dtype=np.int32, delimiter=",")
    began = time.process_time()
    sampler = sumu.Gadget(
        data=sumu.Data(codes),
        scoref="bdeu",
        ess=1,
        max_id=3,
        K=12,
        d=3,
        cp_algo="greedy-lite",
        mc3_chains=4,
        burn_in=iterations // 4,
        iterations=iterations,
        thinning=10,
        tolerance=2**-32,
    )
    graphs, _ = sampler.sample()
    arcs = np.zeros((codes.shape[1], codes.shape[1]))
    for graph in graphs:
        for family in graph:
            for parent in family[1]:
                arcs[parent, family[0]] += 1
    print(
        json.dumps({"seconds": time.process_time() - began, "arcs": (arcs / len(graphs)).tolist()})
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
