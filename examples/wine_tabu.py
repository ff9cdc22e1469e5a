"""Tabu search for Gaussian networks of Vinho Verde wine: scores, structures, the choice of lambda.

    python examples/wine_tabu.py [FOLDER]

Twelve variables, quality taken as continuous. The score is the log-likelihood minus lambda for each
arc, in nats; Arcwise's `penalty` is lambda divided by the rows. Three parts:

1. scores: greedy, tabu, tabu with restarts, and the proved optimum, for several lambda;
2. lambda: held-out likelihood against lambda, with paired differences to the best one;
3. structures: the learned graphs, and the arcs at quality.

Many rows of these data are copies of others. A copy on the other side of a split reveals the held-out
row and favours dense graphs. So in part 2 equal rows become one row with a weight: it is held out as a
whole, and still counts as often as it occurs.

Data: Cortez, Cerdeira, Almeida, Matos, Reis (2009), Modeling wine preferences by data mining from
physicochemical properties, Decision Support Systems 47.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
from places import (
    Row,
    output_folder,
    print_table,
    pyplot,
    quick,
    save_figure,
    shared_file,
    write_csv,
)

import arcwise as aw

SEED = 1
RESTARTS = 3 if quick() else 10
FOLDS = 3 if quick() else 10
TABU = aw.Tabu(walks=1, walk_length=5) if quick() else aw.Tabu()
SEARCHES: dict[str, dict[str, Any]] = {
    "greedy": {"search": "greedy"},
    "tabu": {"search": "tabu"},
    f"tabu, {RESTARTS} restarts": {"search": aw.Tabu(restarts=RESTARTS)},
    "exact": {"search": "exact"},
}


def wines() -> dict[str, aw.Table]:
    """Red and white, or a few hundred rows of red for a quick run."""
    found = {}
    for colour in ("red",) if quick() else ("red", "white"):
        if file := shared_file("wine", f"winequality_{colour}.csv"):
            table = aw.read(file).continuous()
            found[colour] = table.head(300) if quick() else table
    return found


def learn(table: aw.Table, charge: float, **words: Any) -> aw.Network:
    """Maximise log-likelihood - charge x arcs."""
    penalty = charge / table.total
    words = {"score": "loglik", "seed": SEED, "progress": False} | words
    return aw.learn(table, penalty=penalty, **words)


# -- 1. scores -----------------------------------------------------------------------------------


def charges(table: aw.Table) -> dict[str, float]:
    """Lambdas to try; those of AIC and BIC are named."""
    half_log = 0.5 * float(np.log(table.total))
    every = {"1 (AIC)": 1.0, f"{half_log:.2f} (BIC)": half_log, "10": 10.0, "30": 30.0}
    return every


def reached(colour: str, table: aw.Table) -> list[Row]:
    """Return the score of each search for each lambda."""
    rows: list[Row] = []
    for word, charge in charges(table).items():
        for name, words in SEARCHES.items():
            began = time.process_time()
            net = learn(table, charge, **words)
            cpu = time.process_time() - began
            row = {"wine": colour, "lambda": word, "search": name, "score": net.score}
            rows.append(row | {"arcs": net.graph.n_arcs, "cpu": cpu})
    best = {row["lambda"]: row["score"] for row in rows if row["search"] == "exact"}
    rows = [row | {"below optimum": best[row["lambda"]] - row["score"]} for row in rows]
    print(f"\n{colour}: scores reached on {table.rows} rows (log-likelihood - lambda x arcs)")
    print_table([{k: v for k, v in row.items() if k != "wine"} for row in rows])
    return rows


# -- 2. lambda -----------------------------------------------------------------------------------


def counted(table: aw.Table) -> aw.Table:
    """Each distinct row once, with the number of its copies as weight."""
    _, places, counts = np.unique(table.matrix(), axis=0, return_index=True, return_counts=True)
    order = np.argsort(places)
    return table.take(places[order]).with_weights(counts[order])


def paired(one: Any, other: Any) -> tuple[float, float]:
    """Mean difference of two cross-validations over the same rows, and its standard error."""
    difference, weights = one.log_density - other.log_density, one.weights
    mean = float(np.average(difference, weights=weights))
    return mean, float(np.sqrt(((weights * (difference - mean)) ** 2).sum()) / weights.sum())


def curve(colour: str, table: aw.Table) -> list[Row]:
    """Held-out likelihood against lambda, by tabu search.

    `tuning` has means and errors; `validate` with the same seed has the same folds and gives the
    density of each row, hence paired differences, whose errors are far smaller.
    """
    words: dict[str, Any] = {"search": TABU}
    net = aw.learn(table, penalty="cv", seed=SEED, progress=False, **words)
    tuning = net.tuning[::6] if quick() else net.tuning
    shared = {"score": "loglik", "seed": SEED, "folds": FOLDS, "progress": False} | words
    found = [aw.validate(table, penalty=row["penalty"], **shared) for row in tuning]
    best = max(found, key=lambda validation: validation.mean)
    rows: list[Row] = []
    for row, validation in zip(tuning, found, strict=True):
        loss, error = paired(validation, best)
        numbers = {"held out": validation.mean, "minus best": loss, "paired error": error}
        charge, arcs = row["penalty"] * table.total, float(np.mean(validation.edges))
        rows.append({"wine": colour, "lambda": charge} | numbers | {"arcs": arcs})
    print(f"\n{colour}: held-out log density per row, {FOLDS} folds, {table.rows} distinct rows")
    print_table([{k: v for k, v in row.items() if k != "wine"} for row in rows])
    return rows


def chosen(rows: list[Row], rows_in_all: float) -> dict[float, str]:
    """Return lambdas whose graphs are shown: the best, one not clearly worse, BIC's, a large one."""
    best = max(rows, key=lambda row: row["held out"])
    near = [row["lambda"] for row in rows if row["minus best"] >= -row["paired error"]]
    words = {
        "best held-out likelihood": best["lambda"],
        "largest within one paired error of the best": max(near),
        "as in BIC": 0.5 * float(np.log(rows_in_all)),
        "a sparse graph to look at": 30.0,
    }
    found: dict[float, str] = {}
    for why, charge in words.items():
        found[charge] = f"{found[charge]}; {why}" if charge in found else why
    return found


def rivals(colour: str, table: aw.Table) -> list[Row]:
    """Compare the predictions of tabu search with restarts and of greedy search."""
    rows: list[Row] = []
    for word, charge in list(charges(table).items())[2 if quick() else 1 :]:
        shared = {"score": "loglik", "penalty": charge / table.total, "seed": SEED, "folds": FOLDS}
        found = {
            name: aw.validate(table, progress=False, **shared, **words)
            for name, words in SEARCHES.items()
            if name != "tabu"
        }
        for name, other in found.items():
            gain, error = paired(other, found["greedy"])
            row = {"wine": colour, "lambda": word, "search": name, "held out": other.mean}
            rows.append(row | {"minus greedy": gain, "paired error": error})
    print(f"\n{colour}: held-out log density per row against greedy search")
    print_table([{k: v for k, v in row.items() if k != "wine"} for row in rows])
    return rows


# -- 3. structures -------------------------------------------------------------------------------


def structure(colour: str, table: aw.Table, why: str, charge: float) -> aw.Network:
    """Print the graph of tabu search with restarts, and the arcs at quality."""
    net = learn(table, charge, search=aw.Tabu(restarts=RESTARTS))
    p = len(net.variables)
    shown = "complete: every pair is joined" if net.graph.n_arcs == p * (p - 1) / 2 else net.graph
    print(f"\n{colour}, lambda {charge:.3g} ({why}): {net.graph.n_arcs} arcs\n{shown}")
    print("into quality:", ", ".join(net.parents("quality")) or "none")
    print("out of quality:", ", ".join(net.children("quality")) or "none")
    at_quality = net.edges.present.where(lambda edge: "quality" in (edge.first, edge.second))
    if len(at_quality):
        print(at_quality)
    return net


def draw_curves(curves: dict[str, list[Row]], path: Path) -> None:
    """Loss of held-out likelihood and number of arcs, against lambda."""
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(
        2,
        len(curves),
        figsize=(4.2 * len(curves), 5),
        sharex=True,
        squeeze=False,
        layout="constrained",
        height_ratios=(2, 1),
    )
    for (top, below), (colour, rows) in zip(axes.T, curves.items(), strict=True):
        charge = [row["lambda"] for row in rows]
        values, errors = ([row[k] for row in rows] for k in ("minus best", "paired error"))
        top.errorbar(charge, values, errors, fmt="o-", markersize=4, capsize=2, color="#0072B2")
        top.axhline(0, color="#BBBBBB", linewidth=0.8, zorder=0)
        top.set_title(f"{colour} wine")
        below.plot(charge, [row["arcs"] for row in rows], "o-", markersize=4, color="#D55E00")
        below.set_xscale("symlog", linthresh=0.25)
        ticks = [0, 0.3, 1, 3, 10, 30]
        below.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        below.set_xticks([], minor=True)
        below.set_xlabel("lambda, nats per arc")
        below.set_ylim(0, 70)
        for ax in (top, below):
            ax.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set_ylabel("held-out log density per row,\nminus the best (paired errors)")
    axes[1, 0].set_ylabel("arcs")
    save_figure(figure, path)
    plt.close(figure)


def draw_graph(colour: str, net: aw.Network, path: Path) -> None:
    """The network with quality and its Markov blanket highlighted."""
    plt = pyplot()
    if plt is not None:
        axes = net.plot(target="quality", title=f"{colour} wine, {net.graph.n_arcs} arcs")
        save_figure(axes.figure, path)
        plt.close(axes.figure)


def main() -> None:
    """Run all parts for each wine, and write CSV files and figures at the end."""
    folder, tables = output_folder(), wines()
    if not tables:
        print("The wine data are not available, so there is nothing to show.")
        return
    scores, curves, against = [], {}, []
    for colour, table in tables.items():
        scores += reached(colour, table)
        distinct = counted(table)
        curves[colour] = curve(colour, distinct)
        against += rivals(colour, distinct)
        for charge, why in chosen(curves[colour], table.rows).items():
            net = structure(colour, table, why, charge)
        draw_graph(colour, net, folder / f"wine_{colour}.png")
    print()
    write_csv(folder / "wine_scores.csv", scores)
    write_csv(folder / "wine_lambda.csv", [row for rows in curves.values() for row in rows])
    write_csv(folder / "wine_rivals.csv", against)
    draw_curves(curves, folder / "wine_lambda.png")


if __name__ == "__main__":
    main()
