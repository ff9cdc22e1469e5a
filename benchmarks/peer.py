"""One measurement of a peer in a process of its own (run by the peers' Python): a line of JSON."""

import json
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def pybnesian_hc(x, repeats):
    import pandas as pd
    import pybnesian as pb

    frame = pd.DataFrame(x, columns=[f"X{i}" for i in range(x.shape[1])])
    start = pb.GaussianNetwork(list(frame.columns))
    return timed(
        lambda: len(pb.hc(frame, start=start, score="bic", operators=["arcs"]).arcs()), repeats
    )


def causal_learn_ges(x, repeats):
    from causallearn.search.ScoreBased.GES import ges

    return timed(lambda: int((ges(x.copy())["G"].graph != 0).sum() // 2), repeats)


def causal_learn_exact(x, repeats):
    from causallearn.search.ScoreBased.ExactSearch import bic_exact_search

    return timed(lambda: int(np.sum(bic_exact_search(x.copy())[0])), repeats)


def pgmpy_hc(x, repeats):
    import pandas as pd
    from pgmpy.estimators import HillClimbSearch

    frame = pd.DataFrame(x, columns=[f"X{i}" for i in range(x.shape[1])])
    search = HillClimbSearch(frame)
    return timed(
        lambda: len(search.estimate(scoring_method="bic-g", show_progress=False).edges()), repeats
    )


def timed(work, repeats):
    """Least CPU and wall seconds of several calls."""
    found = []
    for _ in range(repeats):
        cpu, wall = time.process_time(), time.perf_counter()
        arcs = work()
        found.append((time.process_time() - cpu, time.perf_counter() - wall))
    return {"cpu": min(found)[0], "wall": min(found)[1], "arcs": arcs}


PEERS = {
    "PyBNesian hc": pybnesian_hc,
    "causal-learn GES": causal_learn_ges,
    "causal-learn exact": causal_learn_exact,
    "pgmpy hc": pgmpy_hc,
}


if __name__ == "__main__":
    path, peer, columns, repeats = sys.argv[1:]
    data = np.load(path)["x"]
    kept = data if columns == "0" else data[:, : int(columns)]
    print(json.dumps(PEERS[peer](kept, int(repeats))))
