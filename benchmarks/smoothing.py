"""Held-out density of discrete networks by the kind of pseudo-counts.

    .venv/bin/python benchmarks/smoothing.py [--kind drawn|real] [--rows 50,200] [--seeds 800:803]

BDeu spreads one imaginary sample over the cells of the joint distribution: equivalent graphs then have one
joint. The table shows nats per held-out row minus those of one pseudo-count per row of each table, which
does not have this property, on learned graphs and (rows drawn from published networks) on the true ones.
`n^1/3` is an equivalent sample size that depends on the number of rows, `levels` the mean number of levels.
`best` is the size of largest leave-one-out likelihood of the whole network, which equivalent graphs share.
"""

import argparse
from functools import cache

import numpy as np
from data import shared_folder
from discrete import Drawn, drawn

import arcwise as aw
from arcwise.conditionals.discrete import PseudoCounts
from arcwise.conditionals.discrete_fits import DiscreteFits
from arcwise.data import Complete
from arcwise.graphs import DAG

NETWORKS = ("asia", "sachs", "insurance", "alarm", "water", "hailfinder", "win95pts", "barley")
REAL = (
    "balance_scale", "breast_w", "car", "chess", "cleve", "glass", "iris", "letter", "mofn_3_7_10",
    "nursery", "pima", "primary_tumor", "segment", "soybean", "tic_tac_toe", "vote", "vowel",
)  # fmt: skip
GRID = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
MOST = 5000  # held-out rows


def sizes(n, levels):
    """Equivalent sample sizes, by name."""
    return {**{f"{size:g}": size for size in GRID}, "n^1/3": np.cbrt(n), "levels": levels}


@cache
def real(name):
    """A table of levels; numbers are cut into three levels of equal frequency."""
    path = next((shared_folder() / "classification").glob(f"{name}.csv*"))
    table = aw.read(path)
    table = table.take(np.flatnonzero(~table.missing().any(axis=1)))
    numeric = any(not v.discrete for v in table.variables)
    return aw.discretise(table, bins=3) if numeric else table


def split(name, n, seed):
    """Rows to learn from and held-out rows of a real table; None if it is too short."""
    table = real(name)
    if table.rows < n + max(100, n // 4):
        return None
    order = np.random.default_rng([seed, n]).permutation(table.rows)
    rows, fresh = table.take(order[:n]), table.take(order[n : n + MOST])
    return Drawn(rows, rows, fresh, DAG.from_arcs([], rows.names))


def total(model_of, graph, fresh):
    """Nats per held-out row."""
    logs = sum(
        model_of(child, parents).logpdf(
            fresh.columns[child], tuple(fresh.columns[i] for i in parents)
        )
        for child, parents in enumerate(graph.parents)
    )
    return float(np.mean(logs))


def judged(data, graph):
    """Held-out density by pseudo-counts, minus that of one pseudo-count per row."""
    by_row = DiscreteFits(Complete(data.whole), PseudoCounts(1.0, "row"))
    base = total(by_row.conditional, graph, data.fresh)
    out, left_out = {}, {}
    for word, size in sizes(data.whole.rows, np.mean(by_row.levels)).items():
        fits = DiscreteFits(Complete(data.whole), PseudoCounts(float(size), "table"))
        out[word] = total(fits.conditional, graph, data.fresh) - base
        if word in map("{:g}".format, GRID):
            left_out[word] = sum(fits.loo(i, [s])[0] for i, s in enumerate(graph.parents))
    return {**out, "best": out[max(left_out, key=left_out.__getitem__)]}


def line(name, n, kind, results):
    """Print mean differences."""
    if results:
        words = list(results[0])
        means = [np.mean([one[word] for one in results]) for word in words]
        print(f"{name:13} {n:6d} {kind:8}" + "".join(f"{v:9.3f}" for v in means), flush=True)


def main():
    """Print the table, then its means by number of rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", default="drawn", choices=("drawn", "real"))
    parser.add_argument("--names", default="")
    parser.add_argument("--rows", default="50,200,1000,10000")
    parser.add_argument("--seeds", default="800:803")
    args = parser.parse_args()
    seeds = range(*map(int, args.seeds.split(":")))
    names = args.names.split(",") if args.names else NETWORKS if args.kind == "drawn" else REAL
    draw = drawn if args.kind == "drawn" else split
    print(f"{'':29}" + "".join(f"{word:>9}" for word in [*sizes(1, 1), "best"]))
    for n in map(int, args.rows.split(",")):
        every = {"learned": [], "true": []}
        for name in names:
            cases = [data for seed in seeds if (data := draw(name, n, seed)) is not None]
            for kind in every if args.kind == "drawn" else ("learned",):
                graphs = [
                    one.truth if kind == "true" else aw.learn(one.whole, seed=1).graph
                    for one in cases
                ]
                results = [judged(one, graph) for one, graph in zip(cases, graphs, strict=True)]
                line(name, n, kind, results)
                every[kind] += results
        for kind, results in every.items():
            line("mean", n, kind, results)


if __name__ == "__main__":
    main()
