"""One learner of a peer on one table, in a process of its own (run by the peers' Python): a line of JSON.

    python benchmarks/nonlinear_peer.py TABLE.npy LEARNER CPU_SECONDS

Prints the edges of the skeleton as pairs of column numbers, the CPU seconds and the peer's version. The
system ends the process when it has used up its seconds.
"""

import json
import resource
import sys
import time
import warnings
from importlib.metadata import version

import numpy as np

warnings.filterwarnings("ignore")


def pybnesian(x, kind):
    """Hill climbing by validated likelihood: 10 folds of 80 % of the rows, the rest says when to stop."""
    import pandas as pd
    import pybnesian as pb

    names = [f"v{i:02d}" for i in range(x.shape[1])]
    types = {"semiparametric": pb.SemiparametricBNType(), "kde": pb.KDENetworkType()}
    moves = {"semiparametric": ["arcs", "node_type"], "kde": ["arcs"]}
    net = pb.hc(
        pd.DataFrame(x, columns=names),
        bn_type=types[kind],
        score="validated-lik",
        operators=moves[kind],
        patience=5,
        seed=1,
    )
    return [(names.index(a), names.index(b)) for a, b in net.arcs()]


def kernel_pc(x):
    """The PC algorithm with the randomised conditional independence test (RCIT) at 0.05."""
    from causallearn.search.ConstraintBased.PC import pc

    np.random.seed(1)  # noqa: NPY002 (the generator that RCIT draws from)
    marks = pc(x, alpha=0.05, indep_test="rcit", show_progress=False).G.graph
    return list(zip(*np.nonzero(np.triu((marks != 0) | (marks.T != 0))), strict=True))


PEERS = {
    "semiparametric": ("pybnesian", lambda x: pybnesian(x, "semiparametric")),
    "kde": ("pybnesian", lambda x: pybnesian(x, "kde")),
    "pc": ("causal-learn", kernel_pc),
}


if __name__ == "__main__":
    place, learner, seconds = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    package, work = PEERS[learner]
    began = time.process_time()
    edges = sorted({(int(min(pair)), int(max(pair))) for pair in work(np.load(place))})
    found = {"edges": edges, "cpu": time.process_time() - began, "version": version(package)}
    print(json.dumps(found))
