"""Which structures does the default find? The default next to every single model, on simulated tables.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/mixed.py mixed [--tables 4] [--columns 12] [--rows 500]
    ... benchmarks/mixed.py numbers [--tables 4] [--columns 10] [--rows 300]
    ... benchmarks/mixed.py noise [--tables 20] [--columns 12] [--rows 100]
    ... benchmarks/mixed.py linear [--tables 20] [--columns 8] [--rows 300]

"mixed" has the five families of shared/data/mixed.py, "numbers" the six of families.py. A line per way and
family has the F1 of the skeleton with its standard error, precision and recall of arrow heads (by the
equivalence class or by the shape of local models, without certainty), and CPU seconds. The last line of a
way has means over families, and the paired difference of the F1 to the default with its standard error.

"noise" counts false edges per column of independent columns, half of them categories for "--kind mixed";
"linear" counts tables whose graph is that of model="gaussian". Ways are chosen by --ways, such as
default,glm,parzen. Seeds start at --seed (30000), which no default was chosen by.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from data import shared_folder
from families import FAMILIES, draw

import arcwise as aw

Arcs = list[tuple[str, str]]
Learned = tuple[Any, float]


def options(**words: Any) -> Callable[[aw.Table], Any]:
    """A way to learn with these words."""
    return lambda table: aw.learn(table, certainty=False, progress=False, time_limit=120, **words)


def cut(table: aw.Table) -> Any:
    """A discrete network of four levels of equal counts for each number."""
    columns = {}
    for variable in table.variables:
        values = table.values(variable.name)
        if not variable.discrete:
            edges = np.unique(np.quantile(values, [0.25, 0.5, 0.75]))
            values = [f"level {code}" for code in np.searchsorted(edges, values)]
        columns[variable.name] = values
    return options(model="discrete")(aw.table(columns))


def by_kind(table: aw.Table) -> Any:
    """Conditional Gaussian models of numbers, tables of categories."""
    kinds = {v.name: "discrete" if v.discrete else "clg" for v in table.variables}
    return options(model=kinds)(table)


WAYS: dict[str, dict[str, Callable[[aw.Table], Any]]] = {
    "mixed": {
        "default": options(),
        "clg": by_kind,
        "discrete": cut,
        "degenerate": options(score="degenerate-gaussian"),
        "basis": options(score="truncated-basis"),
        "parzen": options(model="parzen"),
    },
    "numbers": {
        "default": options(),
        "gaussian": options(model="gaussian"),
        "curved": options(model="curved"),
        "discrete": cut,
        "parzen": options(model="parzen"),
    },
}


def mixed_table(family: str, columns: int, rows: int, seed: int) -> tuple[aw.Table, Arcs]:
    """A table of numbers and categories, and its arcs."""
    import mixed

    frame, arcs = mixed.table(family, columns, rows, seed)
    return aw.table(frame), arcs


def numeric_table(family: str, columns: int, rows: int, seed: int) -> tuple[aw.Table, Arcs]:
    """A table of numbers, and its arcs; a Markov field has edges without a direction."""
    from arcwise.graphs import random_dag

    drawn = draw(family, columns, rows, seed)
    table = aw.table(drawn.x, names=drawn.names)
    if family == "markov":
        return table, list(drawn.skeleton.edges)
    rng = np.random.default_rng([seed, columns, rows, FAMILIES.index(family)])
    names = [f"v{i:02d}" for i in range(columns)]
    return table, list(random_dag(names, min(2.5, columns - 1), rng).arcs)


def judge(net: Any, arcs: Arcs) -> tuple[float, float, float]:
    """F1 of the skeleton, and precision and recall of arrows."""
    found = list(net.graph.arcs)
    true, edges = {frozenset(arc) for arc in arcs}, {frozenset(arc) for arc in found}
    f1 = 2 * len(true & edges) / max(1, len(true) + len(edges))
    heads = {arc for arc in found if net.edges[arc].head}
    right = len(heads & set(arcs))
    return f1, right / len(heads) if heads else np.nan, right / max(1, len(arcs))


def compare(kind: str, given: argparse.Namespace) -> None:
    """The tables of all families and ways."""
    families = sys.modules["mixed"].FAMILIES if kind == "mixed" else FAMILIES
    make = mixed_table if kind == "mixed" else numeric_table
    ways = {name: way for name, way in WAYS[kind].items() if name in given.ways or not given.ways}
    found = np.full((len(ways), len(families), given.tables, 4), np.nan)
    for f, family in enumerate(families):
        for t in range(given.tables):
            table, arcs = make(family, given.columns, given.rows, given.seed + t)
            for w, way in enumerate(ways.values()):
                begin = time.process_time()
                net = way(table)
                seconds = time.process_time() - begin
                found[w, f, t] = (*judge(net, arcs), seconds)
        for w, name in enumerate(ways):
            line(name, family, found[w, f])
    for w, name in enumerate(ways):
        gap = found[w, :, :, 0] - found[0, :, :, 0]
        line(name, "mean", found[w].reshape(-1, 4), f"  {gap.mean():+.3f} ± {error(gap):.3f}")


def error(values: np.ndarray) -> float:
    """The standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else float("nan")


def line(way: str, family: str, runs: np.ndarray, more: str = "") -> None:
    headed = runs[np.isfinite(runs[:, 1]), 1]
    precision = headed.mean() if len(headed) else float("nan")
    f1, _, recall, seconds = (runs[:, k].mean() for k in range(4))
    print(
        f"{way:11} {family:15} F1 {f1:.3f} ± {error(runs[:, 0]):.3f}  arrows: precision {precision:.2f}"
        f" recall {recall:.2f}  CPU s {seconds:.2f}{more}",
        flush=True,
    )


def noise(given: argparse.Namespace) -> None:
    """False edges of independent columns."""
    counts = []
    for seed in range(given.seed, given.seed + given.tables):
        rng = np.random.default_rng(seed)
        columns: dict[str, Any] = {}
        for j in range(given.columns):
            if given.kind == "mixed" and j % 2:
                levels = int(rng.integers(2, 5))
                codes = rng.choice(levels, given.rows, p=rng.dirichlet(np.full(levels, 4.0)))
                columns[f"v{j}"] = [f"l{code}" for code in codes]
            else:
                size = given.rows
                draws = (rng.normal(size=size), rng.exponential(size=size), rng.standard_t(3, size))
                columns[f"v{j}"] = draws[j % 3]
        counts.append(options()(aw.table(columns)).graph.n_arcs)
    edges = np.array(counts)
    print(
        f"{given.tables} tables of {given.kind} noise, {given.rows} x {given.columns}:"
        f" {edges.mean() / given.columns:.4f} false edges per column, none in {(edges == 0).sum()}"
    )


def linear(given: argparse.Namespace) -> None:
    """Linear tables whose graph and model are those of straight lines."""
    same = graphs = 0
    for seed in range(given.seed, given.seed + given.tables):
        table, _ = numeric_table("linear", given.columns, given.rows, seed)
        net, straight = options()(table), options(model="gaussian")(table)
        same += net.settings["model"] == "gaussian"
        graphs += net.graph == straight.graph
    print(
        f"{given.tables} linear tables, {given.rows} x {given.columns}: {same} have the linear network,"
        f" {graphs} the same graph"
    )


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("mixed", "numbers", "noise", "linear"))
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--seed", type=int, default=30000)
    parser.add_argument("--kind", choices=("mixed", "numbers"), default="mixed")
    parser.add_argument("--ways", type=lambda text: text.split(","), default=[])
    given = parser.parse_args()
    sys.path.insert(0, str(shared_folder()))
    if given.what == "mixed":
        import mixed  # noqa: F401
    if given.what in ("mixed", "numbers"):
        compare(given.what, given)
    else:
        (noise if given.what == "noise" else linear)(given)


if __name__ == "__main__":
    main()
