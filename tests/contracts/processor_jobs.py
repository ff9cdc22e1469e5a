"""Jobs over all verbs, run as a program: prints their graphs and numbers as JSON, for one kind of processor.

Data are made by sums and products alone, which every processor rounds alike; what differs then is our own.
`python processor_jobs.py 1 2 3` runs every job with each of these seeds.
"""

import json
import sys
import warnings
from typing import Any

import numpy as np

import arcwise as aw
from arcwise._kernels import _native

Found = dict[str, Any]


def numbers(seed: int, rows: int = 120, p: int = 8) -> aw.Table:
    """Columns that each depend on up to two before them."""
    rng = np.random.default_rng(seed)
    columns: list[Any] = []
    for i in range(p):
        column = rng.standard_normal(rows)
        for other in rng.permutation(i)[:2].tolist():
            column = column + float(rng.uniform(-1, 1)) * columns[other]
        columns.append(column)
    return aw.table({f"v{i}": column for i, column in enumerate(columns)})


def curved(seed: int, rows: int = 70) -> aw.Table:
    rng = np.random.default_rng(seed)
    a, b, c, d = rng.standard_normal((4, rows))
    return aw.table({"a": a, "b": a * a + 0.4 * b, "c": a * b + 0.5 * c, "d": d})


def levels(seed: int, rows: int = 250, p: int = 7, most: int = 4) -> aw.Table:
    rng = np.random.default_rng(seed)
    codes: list[Any] = []
    for i in range(p):
        k = int(rng.integers(2, most))
        column = rng.integers(0, k, rows)
        if i:
            column = np.where(rng.random(rows) < 0.6, codes[int(rng.integers(i))] % k, column)
        codes.append(column)
    return aw.table({f"v{i}": [f"l{x}" for x in column] for i, column in enumerate(codes)})


def mixed(seed: int, rows: int = 150) -> aw.Table:
    rng = np.random.default_rng(seed)
    k = rng.integers(0, 3, rows)
    x, y = rng.standard_normal((2, rows))
    return aw.table({"k": [f"l{i}" for i in k], "x": x + k, "y": y + 0.7 * x - k})


def holes(table: aw.Table, seed: int) -> dict[str, Any]:
    """The first twelve rows with missing values; the first column is whole."""
    rng = np.random.default_rng(seed)
    out: dict[str, Any] = {}
    for name in table.names:
        named = table.variable(name).levels
        column = [named[int(x)] if named else float(x) for x in table.column(name)[:12]]
        if name != table.names[0]:
            column = [None if rng.random() < 0.3 else each for each in column]
        out[name] = column
    return out


def net_of(net: Any) -> Found:
    return {"graph": str(net.graph), "numbers": [net.score]}


def path_of(path: Any) -> Found:
    ends = [path.at(knot.penalty) for knot in path.knots]
    return {"graph": [str(each) for each in ends], "numbers": [knot.penalty for knot in path.knots]}


def edges_of(post: Any) -> Found:
    return {"graph": "", "numbers": [row.adjacent for row in post.edges]}


def matrix_of(table: Any) -> list[float]:
    return [float(x) for name in table.names for x in np.asarray(table.column(name), dtype=float)]


def words_of(table: Any) -> list[str]:
    return [str(x) for name in table.names for x in table.column(name)]


def searched(seed: int, **words: Any) -> Found:
    return net_of(aw.learn(numbers(seed), **words))


def asked_gaussian(seed: int) -> Found:
    net = aw.learn(numbers(seed))
    belief = net.query("v0", given={"v7": 1.0, "v3": -0.5})
    rows = numbers(seed + 1, rows=10)
    logs = net.logpdf(rows).tolist()
    return {
        "graph": "",
        "numbers": [belief.mean, belief.sd, *logs, *net.predict(rows, "v1").mean.tolist()],
    }


def asked_discrete(seed: int) -> Found:
    net = aw.learn(levels(seed))
    belief = net.query("v0", given={"v6": "l0"})
    shares = belief.distribution.probabilities.ravel().tolist()
    return {"graph": str(net.explain({"v6": "l0"})), "numbers": shares}


def asked_parzen(seed: int) -> Found:
    net = aw.learn(curved(seed), model="parzen")
    belief = net.query("b", given={"a": 0.5}, seed=1)
    return {"graph": str(net.graph), "numbers": [belief.mean, belief.sd]}


def imputed(seed: int) -> Found:
    net, field = aw.learn(numbers(seed)), aw.learn(levels(seed))
    filled = net.impute(holes(numbers(seed), seed))
    texts = field.impute(holes(levels(seed), seed))
    return {"graph": words_of(texts), "numbers": matrix_of(filled)}


def sampled(seed: int) -> Found:
    drawn = aw.learn(numbers(seed)).sample(20, seed=3)
    texts = aw.learn(levels(seed)).sample(20, seed=3)
    return {"graph": words_of(texts), "numbers": matrix_of(drawn)}


def scored(seed: int) -> Found:
    ring, table = aw.ug("v0:v1 + v1:v2 + v2:v3 + v0:v3"), levels(seed)
    values = [aw.score(ring, table, score=score) for score in ("bic", "pseudo-bdeu")]
    values += [aw.score(ring, numbers(seed), score=score) for score in ("bic", "pseudo-loo")]
    values += [aw.score("v0 -> v1 -> v2", numbers(seed), score=s) for s in ("bge", "loo", "kfold")]
    return {"graph": "", "numbers": values}


def cut_up(seed: int) -> Found:
    table = aw.discretise(numbers(seed), bins=3)
    dearer = aw.discretise(numbers(seed), "kmeans", bins=3)
    return {"graph": words_of(table) + words_of(dearer), "numbers": []}


def classified(seed: int) -> Found:
    found = aw.classify(levels(seed), "v0", folds=5)
    return {
        "graph": str(found.network.graph),
        "numbers": found.predict_proba(levels(seed)).ravel().tolist(),
    }


def validated(seed: int) -> Found:
    found = aw.validate(numbers(seed), folds=3, seed=1)
    return {"graph": "", "numbers": [found.mean]}


def pruned(seed: int) -> Found:
    found = aw.prune(curved(seed), "b", model="parzen")
    steps = found.stages
    return {
        "graph": [str(each.removed) for each in steps],
        "numbers": [each.score for each in steps],
    }


def apart(seed: int) -> Found:
    one, two = aw.learn(numbers(seed)), aw.fit("[v0][v1][v2][v3][v4][v5][v6][v7]", numbers(seed))
    return {
        "graph": "",
        "numbers": [float(aw.divergence(one, two)), float(aw.divergence(two, one))],
    }


def averaged(seed: int) -> Found:
    post = aw.posterior(numbers(seed, p=5), score="bge")
    return {"graph": str(post.averaged().graph), "numbers": [row.adjacent for row in post.edges]}


JOBS = {
    "default gaussian": lambda s: searched(s),
    "default discrete": lambda s: net_of(aw.learn(levels(s))),
    "default mixed": lambda s: net_of(aw.learn(mixed(s), certainty=False)),
    "default curved": lambda s: net_of(aw.learn(curved(s), certainty=False)),
    "mixed": lambda s: net_of(aw.learn(mixed(s), model="parzen")),
    "greedy": lambda s: searched(s, search="greedy", score="bic"),
    "tabu": lambda s: searched(s, search="tabu", score="bic"),
    "ils": lambda s: searched(s, search="ils", score="bic"),
    "ges": lambda s: searched(s, search="ges", score="bic"),
    "boss": lambda s: searched(s, search="boss", score="bic"),
    "exact": lambda s: searched(s, search="exact", score="bge"),
    "annealing": lambda s: searched(s, search=aw.Annealing(steps=5000), score="bic"),
    "chow-liu": lambda s: net_of(aw.learn(levels(s), search="chow-liu", score="bic")),
    "many columns": lambda s: net_of(aw.learn(numbers(s, p=24), search=aw.Auto(patience=3))),
    "tuned penalty": lambda s: net_of(aw.learn(numbers(s, p=5), penalty="cv")),
    "parzen": lambda s: net_of(aw.learn(curved(s), model="parzen")),
    "stepwise": lambda s: searched(s, graph="undirected"),
    "stepwise, many": lambda s: net_of(aw.learn(numbers(s, p=40, rows=200), graph="undirected")),
    "glasso": lambda s: searched(s, graph="undirected", search="glasso"),
    "glasso, stars": lambda s: searched(s, graph="undirected", penalty="stars"),
    "neighbourhood": lambda s: searched(s, graph="undirected", search="neighbourhood", penalty=0.2),
    "boundary": lambda s: searched(s, graph="undirected", score="bic"),
    "deletion": lambda s: searched(s, graph="undirected", search="deletion", score="loo"),
    "grow-shrink": lambda s: net_of(aw.learn(levels(s, p=12), graph="undirected", search="grow-shrink")),
    "undirected parzen": lambda s: net_of(aw.learn(curved(s), graph="undirected", model="parzen")),
    "path": lambda s: path_of(aw.path(numbers(s), search="boundary", score="bic")),
    "path of the lasso": lambda s: path_of(aw.path(numbers(s), search=aw.Glasso(n_penalties=8))),
    "exact posterior": lambda s: edges_of(aw.posterior(numbers(s, p=6), score="bge", method="exact")),
    "chains": lambda s: edges_of(aw.posterior(numbers(s, p=6), method=aw.MCMC(chains=2), draws=200)),
    "bootstrap": lambda s: edges_of(aw.posterior(levels(s), method="bootstrap", draws=10)),
    "averaged": averaged,
    "classifier": classified,
    "gaussian answers": asked_gaussian,
    "discrete answers": asked_discrete,
    "parzen answers": asked_parzen,
    "imputed": imputed,
    "sampled": sampled,
    "scored": scored,
    "cut": cut_up,
    "validated": validated,
    "pruned": pruned,
    "divergence": apart,
}  # fmt: skip


def evidence() -> dict[str, Any]:
    """Which variants ran: ours have fused instructions or not, numpy names its own, OpenBLAS too."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
    from threadpoolctl import threadpool_info

    np.linalg.inv(np.eye(3))  # loads OpenBLAS
    return {
        "fused": _native.multiply_add(1 + 2.0**-30, 1 - 2.0**-30, -1.0) != 0.0,
        "numpy": [name for name in __cpu_dispatch__ if __cpu_features__.get(name)],
        "openblas": sorted({str(each.get("architecture")) for each in threadpool_info()}),
    }


def main() -> None:
    warnings.simplefilter("ignore")
    found = {
        f"{name}, {seed}": job(int(seed)) for seed in sys.argv[1:] for name, job in JOBS.items()
    }
    print(json.dumps({"evidence": evidence(), "jobs": found}))


if __name__ == "__main__":
    main()
