"""The default penalty of Parzen networks against hindsight: the best fixed penalty of each cell.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/penalties.py [FILE] [SEED] [SECONDS]

A cell is a family (see `families`), a number of columns and a number of rows. In each, several graphs are
drawn and learned at every penalty of a grid: 0.125 to 16 times log(n) / n, and 0.005 to 0.2. Hindsight is the
penalty of the grid with the greatest mean F1 over the cell's graphs, which no rule can know; the default's
mean F1 is compared with it, graph by graph. With few graphs a cell, the best of twenty penalties is partly
luck; so each graph is also compared with the penalty that is best on the other graphs of its cell.

Results are kept in FILE, one line of JSON a graph, so that a run goes on where it ended; SEED is the first
seed (the rule was chosen on 100 to 107), SECONDS bounds the processor time.
"""

import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from families import FAMILIES, draw, f1

import arcwise as aw
from arcwise.api.choices import specification
from arcwise.conditionals.parzen import ParzenFamily
from arcwise.graphs import Rules, skeleton
from arcwise.learners import BoundaryLearner, DirectedProblem
from arcwise.scores import ArcPenalty, Sum
from arcwise.search import SEARCHES

CELLS = {
    (5, 100): 60, (10, 100): 40, (5, 300): 40, (10, 300): 24, (30, 100): 8, (5, 1000): 16, (10, 1000): 8,
    (30, 300): 4, (5, 3000): 4, (20, 1000): 3, (10, 3000): 3,
}  # fmt: skip
TIMES = (0.125, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 16.0)
FIXED = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
KINDS = ("undirected", "directed")


def penalties(p: int, n: int) -> list[float]:
    """The default first, then the grid."""
    own = ParzenFamily().default_penalty(p, n)
    return [own, *sorted({m * np.log(n) / n for m in TIMES} | set(FIXED))]


def one(family: str, p: int, n: int, seed: int, kind: str) -> dict[str, Any]:
    """F1 of one graph at each penalty."""
    drawn = draw(family, p, n, seed)
    table = aw.table({name: drawn.x[:, i] for i, name in enumerate(drawn.names)})
    spec = specification(graph=kind, model="parzen", penalty=0.0)
    began, tried = time.process_time(), penalties(p, n)
    if kind == "undirected":
        path = BoundaryLearner.bind(spec, table).path(None, 1.01 * max(tried))
        values = [f1(path.at(penalty), drawn.moral) for penalty in tried]
    else:
        score = DirectedProblem.bind(spec, table).score
        values = [f1(skeleton(searched(score, penalty)), drawn.skeleton) for penalty in tried]
    known = {"family": family, "p": p, "n": n, "seed": seed, "kind": kind}
    return {**known, "penalties": tried, "f1": values, "seconds": time.process_time() - began}


def searched(own: Any, penalty: float) -> aw.DAG:
    """The graph of a search at a penalty; local scores are kept from one penalty to the next."""
    score = Sum([own, ArcPenalty(own.nodes, own.rows, penalty)])
    rng = np.random.default_rng(0)
    return SEARCHES["auto"](score, None, rng=rng, limits=Rules().on(own.nodes)).graph


def jobs(first: int) -> list[tuple[str, int, int, int, str]]:
    """All graphs of all cells, small ones first; the largest only undirected."""
    return [
        (family, p, n, first + i, kind)
        for (p, n), graphs in CELLS.items()
        for i in range(graphs)
        for family in FAMILIES
        for kind in KINDS
        if kind == "undirected" or n * p <= 20_000
    ]


def report(rows: list[dict[str, Any]]) -> None:
    """Default and hindsight of each cell, and their paired differences over cells."""
    cells = defaultdict(list)
    for row in rows:
        cells[row["kind"], row["p"], row["n"], row["family"]].append(row["f1"])
    print("kind         p     n   graphs  default  hindsight   log n / n    old")
    for kind in KINDS:
        lost, spread, fair, fair_spread = [], [], [], []
        for p, n in CELLS:
            found = [np.array(cells[kind, p, n, f]) for f in FAMILIES if (kind, p, n, f) in cells]
            if not found:
                continue
            tried = penalties(p, n)
            usual = tried.index(min(tried[1:], key=lambda x: abs(x - np.log(n) / n)), 1)
            paper = tried.index(0.1 if kind == "directed" else 0.2, 1)
            best = [values[:, 1 + values[:, 1:].mean(axis=0).argmax()] for values in found]
            gaps = [values[:, 0] - top for values, top in zip(found, best, strict=True)]
            lost += [gap.mean() for gap in gaps]
            spread += [gap.var(ddof=1) / len(gap) for gap in gaps if len(gap) > 1]
            others = [
                values[:, 0] - elsewhere(values[:, 1:]) for values in found if len(values) > 2
            ]
            fair += [gap.mean() for gap in others]
            fair_spread += [gap.var(ddof=1) / len(gap) for gap in others]
            means = [np.mean([v[:, i].mean() for v in found]) for i in (0, usual, paper)]
            top = np.mean([values.mean() for values in best])
            print(
                f"{kind:<10} {p:>3} {n:>5} {len(found[0]):>6}   {means[0]:7.3f} {top:9.3f} "
                f"{means[1]:10.3f} {means[2]:9.3f}"
            )
        if lost:
            error = np.sqrt(np.sum(spread)) / max(len(spread), 1)
            print(
                f"{kind}: default - hindsight {np.mean(lost):+.4f} +- {error:.4f} over {len(lost)} cells"
            )
        if fair:
            error = np.sqrt(np.sum(fair_spread)) / len(fair)
            print(f"{kind}: default - best of the other graphs {np.mean(fair):+.4f} +- {error:.4f}")


def elsewhere(values: Any) -> Any:
    """F1 of each graph at the penalty that is best on the other graphs of its cell."""
    rest = values.sum(axis=0) - values
    return values[np.arange(len(values)), rest.argmax(axis=1)]


def main() -> None:
    file = Path(sys.argv[1] if len(sys.argv) > 1 else "penalties.jsonl")
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else np.inf
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows = [json.loads(line) for line in lines]
    done = {(r["family"], r["p"], r["n"], r["seed"], r["kind"]) for r in rows}
    with file.open("a", encoding="utf-8") as out:
        for job in jobs(first):
            if job in done or time.process_time() > seconds:
                continue
            rows.append(one(*job))
            out.write(json.dumps(rows[-1]) + "\n")
            out.flush()
    report(rows)


if __name__ == "__main__":
    main()
