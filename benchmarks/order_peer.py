"""One learner of a peer on one table, in a process of its own (run by the peers' Python): a line of JSON."""

import json
import random
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def boss(x):
    """causal-learn's BOSS with its defaults; a CPDAG."""
    from causallearn.search.PermutationBased.BOSS import boss as search

    random.seed(1)
    marks = search(x, verbose=False).graph  # [j, i] = 1 and [i, j] = -1: i -> j
    tails = (marks == -1) & (marks.T == 1)
    loose = np.triu((marks == -1) & (marks.T == -1))
    return np.argwhere(tails).tolist(), np.argwhere(loose).tolist()


def hill_climbing(x):
    """PyBNesian's hill climbing by BIC; a DAG."""
    import pandas as pd
    import pybnesian as pb

    names = [f"X{i}" for i in range(x.shape[1])]
    net = pb.hc(
        pd.DataFrame(x, columns=names),
        start=pb.GaussianNetwork(names),
        score="bic",
        operators=["arcs"],
    )
    return [[names.index(a), names.index(b)] for a, b in net.arcs()], []


PEERS = {"boss": boss, "hc": hill_climbing}


if __name__ == "__main__":
    data = np.load(sys.argv[1])["x"]
    began = time.process_time()
    arcs, edges = PEERS[sys.argv[2]](data)
    print(json.dumps({"arcs": arcs, "edges": edges, "cpu": time.process_time() - began}))
