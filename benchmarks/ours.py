"""One measurement of Arcwise in a process of its own: prints a line of JSON."""

import json
import resource
import sys
import time

import numpy as np

WORDS = {"ebic1": ("ebic", {"gamma": 1.0}), "bic": ("bic", {}), "bge": ("bge", {})}


def timed(work, repeats):
    """CPU and wall seconds: of the first call, and the least of all."""
    found = []
    for _ in range(repeats):
        cpu, wall = time.process_time(), time.perf_counter()
        result = work()
        found.append((time.process_time() - cpu, time.perf_counter() - wall))
    least = min(found)
    return result, {"cpu": least[0], "wall": least[1], "first": found[0][0]}


def main(path, search, score, columns, repeats):
    from arcwise.conditionals import FAMILIES
    from arcwise.data import Table, Variable
    from arcwise.graphs import DAG, shd_cpdag
    from arcwise.scores import SCORES
    from arcwise.search import SEARCHES

    loaded = np.load(path)
    x, p = loaded["x"], loaded["x"].shape[1] if columns == 0 else columns
    names = [f"X{i:05d}" for i in range(p)]
    table = Table(
        tuple(Variable(name) for name in names),
        tuple(np.ascontiguousarray(x[:, i]) for i in range(p)),
    )
    word, options = WORDS[score]
    random = {"rng": np.random.default_rng(0)} if search in ("auto", "tabu", "ils") else {}

    def work():
        fits = FAMILIES["gaussian"].bind(table)
        return SEARCHES[search](SCORES[word].bind(fits, **options), **random)

    result, times = timed(work, repeats)
    out = {"score": result.score, "arcs": result.graph.n_arcs, **times}
    if columns == 0:
        truth = DAG.from_arcs([(names[a], names[b]) for a, b in loaded["edges"]], nodes=names)
        out["shd"] = shd_cpdag(result.graph, truth)
    out["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(out))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
