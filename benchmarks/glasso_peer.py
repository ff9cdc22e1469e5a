"""One measurement of the graphical lasso in a process of its own, ours or a Python peer's: a line of JSON.

python glasso_peer.py FILE NAME PENALTY REPEATS

FILE holds the covariance as doubles; with .edges beside it, the pairs of a known graph.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np


def arcwise(S, penalty):
    from arcwise.undirected.glasso import glasso

    return lambda: glasso(S, penalty)


def arcwise_path(S, penalty):
    from arcwise.undirected.glasso import glasso_path, largest_penalty

    penalties = np.geomspace(largest_penalty(S), penalty, 30)

    def walk():
        for _, found in glasso_path(S, penalties):
            last = found  # the others are let go, as whoever looks for a graph does
        return last

    return walk


def arcwise_known(S, _penalty):
    from arcwise.graphs import UGraph
    from arcwise.undirected.fixed_graph import fixed_graph

    pairs = np.loadtxt(sys.argv[1] + ".edges", dtype=int)
    graph = UGraph.from_edges(
        [tuple(pair) for pair in pairs.tolist()], [f"X{i}" for i in range(len(S))]
    )
    return lambda: fixed_graph(S, graph)


def sklearn_peer(S, penalty):
    from sklearn.covariance import graphical_lasso

    # scikit-learn leaves the diagonal alone: the same problem is S with its diagonal raised.
    raised = S + penalty * np.eye(len(S))
    return lambda: graphical_lasso(raised, penalty)[1]


def gglasso_peer(S, penalty):
    from gglasso.solver.single_admm_solver import ADMM_SGL, block_SGL

    _ = ADMM_SGL
    raised = S + penalty * np.eye(len(S))  # here, too, the diagonal is not penalised
    return lambda: block_SGL(raised, penalty, Omega_0=np.eye(len(S)), tol=1e-7, rtol=1e-4)["Theta"]


MAKERS = {
    "arcwise": arcwise,
    "arcwise path": arcwise_path,
    "arcwise known": arcwise_known,
    "scikit-learn": sklearn_peer,
    "GGLasso": gglasso_peer,
}


def violation(S, penalty, T):
    """The largest breach of a condition for the maximum, relative to the penalty; written apart."""
    G = S - np.linalg.inv((T + T.T) / 2)
    breach = np.where(T != 0, np.abs(G + penalty * np.sign(T)), np.maximum(np.abs(G) - penalty, 0))
    return float(breach.max() / penalty) if penalty else float("nan")


def main(path, name, penalty, repeats):
    warnings.filterwarnings("ignore")
    numbers = np.fromfile(path)
    S = numbers.reshape(int(np.sqrt(len(numbers))), -1)
    work = MAKERS[name](S, penalty)
    if name == "GGLasso":
        MAKERS[name](np.eye(20) + 0.5, 0.1)()  # compiles itself at its first call
    times = []
    for _ in range(repeats):
        before = time.process_time()
        found = work()
        times.append(time.process_time() - before)
    T = getattr(found, "precision", found)
    report = {"cpu": min(times), "first": times[0], "kkt": violation(S, penalty, T)}
    report["edges"] = int(np.count_nonzero(np.triu(T, 1)))
    if hasattr(found, "gap"):
        report["gap"], report["own"] = found.gap, found.violation
    if hasattr(found, "iterations"):
        report["own"] = found.violation
    print(json.dumps(report))


if __name__ == "__main__":
    main(str(Path(sys.argv[1])), sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
