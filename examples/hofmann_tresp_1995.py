"""Nonlinear Bayesian networks: every experiment of Hofmann and Tresp (1995), repeated.

    python examples/hofmann_tresp_1995.py [FOLDER]

Boston housing, standardised; conditional Parzen windows with one width each (minimum 0.05), a penalty
of 0.1 nats per arc and row, greedy search from a complete graph in random order.

1. Fig. 1 left: leave-one-out and test log-likelihood per row at each step, over random splits with a
   third held out; the joint Parzen density (one shared width) as the baseline.
2. Fig. 1 right: INDUS from the other 13 variables, with inputs removed one by one.
3. Fifteen runs: how far scores and structures differ, on the same rows and on bootstrap replicates.
4. The queries of section 5: the variables that separate nitric oxides from prices, and the parents of prices.
5. Searches: from complete graphs, from the empty one, and iterated.

Source: R. Hofmann and V. Tresp, Discovering structure in continuous variables using Bayesian
networks, Advances in Neural Information Processing Systems 8.
"""

from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from places import Row, output_folder, print_table, pyplot, quick, save_figure, write_csv

import arcwise as aw
from arcwise.conditionals import FAMILIES

WORDS: dict[str, Any] = {
    "model": aw.Parzen(bandwidths="one", min_bandwidth=0.05),
    "penalty": 0.1,
}
SPLITS, RUNS = (2, 3) if quick() else (20, 15)


def boston() -> aw.Table:
    """Boston housing in standard deviations; fewer rows and columns for a quick run."""
    table = aw.example("boston").continuous()
    if quick():
        names = ["CRIM", "INDUS", "NOX", "LSTAT", "MEDV"]
        table = table.select(names).take(np.arange(0, 506, 5))
    return aw.standardise(table)[0]


def from_complete(table: aw.Table, seed: int) -> tuple[aw.Network, aw.DAG]:
    """Run greedy search from a complete graph in random order; return the result and that graph."""
    order = np.random.default_rng(seed).permutation(len(table.names)).tolist()
    start = aw.DAG.complete(table.names, order)
    return aw.learn(table, search=aw.Greedy(start=start), **WORDS), start


# -- figure 1, left ----------------------------------------------------------------------------


def replay(net: aw.Network, start: aw.DAG, train: aw.Table, test: aw.Table) -> list[Row]:
    """Leave-one-out and test log-likelihood per row after every step of a search."""
    fits = FAMILIES["parzen"].bind(train, bandwidths="one", min_bandwidth=0.05)
    own: dict[Any, float] = {}
    unseen: dict[Any, np.ndarray] = {}

    def local(child: int, parents: tuple[int, ...]) -> Any:
        key = (child, parents)
        if key not in own:
            model = fits.conditional(child, parents)
            xs = tuple(test.columns[j] for j in parents)
            own[key] = net.scorer.local(child, parents) / train.rows if net.scorer else np.nan
            unseen[key] = model.logpdf(test.columns[child], xs)
        return key

    parents = list(start.parents)
    rows: list[Row] = []
    for step in (None, *net.trace):
        if step is not None:
            _take(parents, step)
        keys = [local(child, row) for child, row in enumerate(parents)]
        logs = np.sum([unseen[key] for key in keys], axis=0)
        rows.append(
            {
                "step": len(rows),
                "leave-one-out": sum(own[key] for key in keys),
                "test": float(logs.mean()),
                "test median": float(np.median(logs)),
            }
        )
    return rows


def _take(parents: list[tuple[int, ...]], step: Any) -> None:
    """Make one step of a search."""

    def toggle(child: int, other: int) -> None:
        parents[child] = tuple(sorted(set(parents[child]) ^ {other}))

    toggle(step.head, step.tail)
    if step.what == "flip":
        toggle(step.tail, step.head)


def splits(folder: Path) -> None:
    print(f"1. {SPLITS} random splits, a third held out (paper: both curves rise, then stay level)")
    whole = aw.example("boston").continuous()
    table = whole.select(list(boston().names)).take(np.arange(0, 506, 5 if quick() else 1))
    curves, rows = [], []
    for seed in range(SPLITS):
        train, test = aw.split(table, 2 / 3, np.random.default_rng(seed))
        train, scaling = aw.standardise(train)
        test = scaling.apply(test)
        net, start = from_complete(train, seed)
        curve = replay(net, start, train, test)
        curves.append(curve)
        shared = FAMILIES["parzen"].bind(train, bandwidths="shared")
        joint = aw.fit(aw.DAG.complete(train.names), train, model=aw.Parzen(bandwidths="shared"))
        complete = sum(shared.loo(c, [row])[0] for c, row in enumerate(joint.graph.parents))
        first, last = curve[0], curve[-1]
        logs = joint.logpdf(test)
        rows.append(
            {
                "split": seed,
                "steps": len(curve) - 1,
                "arcs": net.graph.n_arcs,
                "loo first": first["leave-one-out"],
                "loo last": last["leave-one-out"],
                "test median first": first["test median"],
                "test median last": last["test median"],
                "test mean last": last["test"],
                "joint loo": complete / train.rows,
                "joint test median": float(np.median(logs)),
            }
        )
    print_table(rows)
    means = {name: mean(row[name] for row in rows) for name in rows[0] if name != "split"}
    print_table([means])
    write_csv(folder / "t2_fig1_left_splits.csv", rows)
    averaged = average(curves)
    write_csv(folder / "t2_fig1_left.csv", averaged)
    draw_curves(averaged, means, folder / "t2_fig1_left.png")


def average(curves: list[list[Row]]) -> list[Row]:
    """Return means over runs; a run that ended keeps its last value."""
    longest = max(map(len, curves))
    out: list[Row] = []
    for i in range(longest):
        at = [curve[min(i, len(curve) - 1)] for curve in curves]
        out.append({name: mean(row[name] for row in at) for name in at[0]} | {"step": i})
    return out


def draw_curves(rows: list[Row], means: Row, path: Path) -> None:
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    steps = [row["step"] for row in rows]
    axes.plot(steps, [row["leave-one-out"] for row in rows], label="leave-one-out")
    axes.plot(steps, [row["test median"] for row in rows], label="test rows (median)")
    axes.axhline(means["joint loo"], ls=":", color="0.3", label="joint Parzen, leave-one-out")
    axes.axhline(means["joint test median"], ls=":", color="0.6", label="joint Parzen, test rows")
    axes.set_xlabel("step of the search")
    axes.set_ylabel("log-likelihood per row (nats)")
    axes.legend(frameon=False)
    save_figure(figure, path)
    plt.close(figure)


# -- figure 1, right ---------------------------------------------------------------------------


def fewer_inputs(folder: Path) -> None:
    print("\n2. INDUS from fewer and fewer inputs (paper: the score rises until three are left)")
    table = aw.example("boston").continuous().select(list(boston().names))
    train, test = aw.split(table, 2 / 3, np.random.default_rng(1))
    train, scaling = aw.standardise(train)
    found = aw.prune(train, "INDUS", test=scaling.apply(test), model=WORDS["model"])
    print(found)
    rows: list[Row] = [
        {
            "inputs": len(stage.inputs),
            "removed": stage.removed,
            "leave-one-out": stage.score,
            "test": stage.test,
            "test median": stage.test_median,
        }
        for stage in found.stages
    ]
    write_csv(folder / "t2_fig1_right.csv", rows)
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    left = [row["inputs"] for row in rows]
    axes.plot(left, [row["leave-one-out"] for row in rows], "o-", label="leave-one-out")
    axes.plot(left, [row["test median"] for row in rows], "s--", label="test rows (median)")
    axes.invert_xaxis()
    axes.set_xlabel("inputs left")
    axes.set_ylabel("log density of INDUS per row (nats)")
    axes.legend(frameon=False)
    save_figure(figure, folder / "t2_fig1_right.png")
    plt.close(figure)


# -- fifteen runs, questions, searches ----------------------------------------------------------


def fifteen(folder: Path) -> None:
    print(
        f"\n3. {RUNS} runs from complete graphs in random order: on the same rows, and on resampled rows"
    )
    words = {**WORDS, "search": aw.Greedy(start="complete"), "draws": RUNS}
    same, other = (
        aw.posterior(boston(), method=aw.Bootstrap(resampling=way), **words).stability()
        for way in ("none", "bootstrap")
    )
    rows: list[Row] = [
        {
            "what": "score per row, sd",
            "here": same.score_sd,
            "resampled": other.score_sd,
            "paper": 0.4,
        },
        {"what": "structures differ by, %", "here": 100 * same.difference}
        | {"resampled": 100 * other.difference, "paper": 18},
        {"what": "arcs left, mean", "here": same.edges, "resampled": other.edges, "paper": 18},
        {
            "what": "arcs reversed, mean",
            "here": same.reversals,
            "resampled": other.reversals,
            "paper": 8,
        },
        {
            "what": "score per row, mean",
            "here": same.score,
            "resampled": other.score,
            "paper": None,
        },
        {"what": "score per row, best", "here": same.score_best, "resampled": other.score_best}
        | {"paper": None},
    ]
    print_table(rows)
    write_csv(folder / "t2_runs.csv", rows)


def questions(folder: Path) -> None:
    print("\n4. Queries to the best network")
    net = aw.learn(boston(), **WORDS)
    others = sorted(set(net.variables) - {"NOX", "MEDV"})
    without = [name for name in others if name != "LSTAT"]
    blanket = ", ".join(net.blanket("MEDV"))
    rows: list[Row] = [
        {
            "question": "NOX and MEDV separated given all others",
            "here": str(net.separated("NOX", "MEDV", given=others)),
            "paper": "False",
        },
        {
            "question": "the same without LSTAT",
            "here": str(net.separated("NOX", "MEDV", given=without)),
            "paper": "True",
        },
        {
            "question": "blanket of MEDV",
            "here": blanket,
            "paper": "NOX, RM, DIS, TAX, PTRATIO, LSTAT",
        },
    ]
    print_table(rows)
    write_csv(folder / "t2_questions.csv", rows)


def searches(folder: Path) -> None:
    print(
        "\n5. Searches (score per row minus 0.1 x arcs; earlier: 3.956 from empty, 4.061 iterated)"
    )
    table = boston()
    rows: list[Row] = []
    for name, search in {
        "greedy from empty": "greedy",
        "greedy from complete": aw.Greedy(start="complete"),
        "tabu": "tabu",
        "annealing": aw.Annealing(steps=500 if quick() else 5000),
        "iterated": "ils",
        "auto": "auto",
    }.items():
        net = aw.learn(table, search=search, **WORDS)
        score = (net.score or 0.0) / table.rows
        rows.append({"search": name, "score": score, "arcs": net.graph.n_arcs})
    print_table(rows)
    write_csv(folder / "t2_searches.csv", rows)


if __name__ == "__main__":
    place = output_folder()
    splits(place)
    fewer_inputs(place)
    fifteen(place)
    questions(place)
    searches(place)
