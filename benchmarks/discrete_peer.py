"""A discrete learner of a peer on one table, in a process of its own with bounds: a line of JSON."""

import json
import resource
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def pybnesian(x, search, score):
    import pandas as pd
    import pybnesian as pb

    names = [f"X{i}" for i in range(x.shape[1])]
    frame = pd.DataFrame(
        {name: pd.Categorical(x[:, i].astype(str)) for i, name in enumerate(names)}
    )
    start = pb.DiscreteBN(names)

    def run():
        if score == "bic":
            net = pb.hc(frame, start=start, score="bic", operators=["arcs"])
        else:
            own = pb.BDe(frame, iss=1.0)
            net = pb.GreedyHillClimbing().estimate(pb.ArcOperatorSet(), own, start)
        return [[names.index(a), names.index(b)] for a, b in net.arcs()]

    return run


def pyagrum(x, search, score):
    import pandas as pd
    import pyagrum as gum

    names = [f"X{i}" for i in range(x.shape[1])]
    frame = pd.DataFrame(x.astype(str), columns=names)

    def run():
        learner = gum.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.useScoreBIC() if score == "bic" else learner.useScoreBDeu()
        if search == "hc":
            learner.useGreedyHillClimbing()
        else:
            learner.useLocalSearchWithTabuList()
        return [list(map(int, arc)) for arc in learner.learnDAG().arcs()]

    return run


if __name__ == "__main__":
    path, words, repeats, seconds, size = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (int(size), int(size)))
    table = np.load(path)["x"]
    who, search, score = words.split()
    run = {"pybnesian": pybnesian, "pyagrum": pyagrum}[who](table, search, score)
    least = float("inf")
    for _ in range(int(repeats)):
        began = time.process_time()
        arcs = run()
        least = min(least, time.process_time() - began)
    print(json.dumps({"arcs": arcs, "cpu": least}), flush=True)
