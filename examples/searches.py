"""Every search on every kind of data: score, distance to the true graph, CPU time.

    python examples/searches.py [FOLDER]

Samples are drawn from published Gaussian networks (ecoli70, magic-niab, arth150) and from random
sparse ones (average degree 3, weights +-[0.3, 0.9], standard deviations from 0.5 to 1.5), so their
true graphs are available. Real data (Boston, wine, Sachs) follow. Each search runs with its default options
and one fixed seed, and maximises BIC. SHD counts the pairs on which the CPDAGs of the learned and
the true graph differ. Columns are shuffled first, since some programs do better with causes
on the left. At the end the script checks three claims.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
from arcwise.search import SEARCHES

SEED = 1
PUBLISHED = ("ecoli70", "magic-niab", "arth150")
SIMULATED = ((50, 1000), (50, 10_000), (200, 1000), (200, 10_000))
REAL = {
    "wine red": ("wine", "winequality_red.csv"),
    "wine white": ("wine", "winequality_white.csv"),
    "sachs": ("sachs", "sachs_all_7466x11.csv.gz"),
}
SLOW = {"annealing": 20} if quick() else {}
"""Searches that are skipped beyond this many variables."""
UNKNOWN = {"bic": None, "arcs": None, "shd": None, "cpu": None}


@dataclass(frozen=True)
class Problem:
    """A table to learn from, and the true graph if there is one."""

    name: str
    table: aw.Table
    truth: aw.DAG | None = None


def published(file: Path) -> aw.Network:
    """A network of the shared data: intercept, coefficients and sd of each variable."""
    numbers, arcs = {}, []
    for entry in json.loads(file.read_text())["variables"]:
        slopes = dict(zip(entry["parents"], entry["coefficients"], strict=True))
        numbers[entry["name"]] = {
            "intercept": entry["intercept"],
            "coefficients": slopes,
            "sd": entry["sd"],
        }
        arcs += [(parent, entry["name"]) for parent in slopes]
    return aw.network(aw.DAG.from_arcs(arcs, sorted(numbers)), numbers)


def simulated(variables: int, rng: np.random.Generator) -> aw.Network:
    """A random sparse network: average degree 3, weights +-[0.3, 0.9], sds in [0.5, 1.5]."""
    names = [f"X{i:03d}" for i in range(variables)]
    graph = aw.graphs.random_dag(names, 3.0, rng)
    numbers = {}
    for name in names:
        parents = graph.parents_of(name)
        weights = rng.choice([-1, 1], len(parents)) * rng.uniform(0.3, 0.9, len(parents))
        slopes = dict(zip(parents, weights.tolist(), strict=True))
        numbers[name] = {"coefficients": slopes, "sd": rng.uniform(0.5, 1.5)}
    return aw.network(graph, numbers)


def shuffled(table: aw.Table) -> aw.Table:
    """The same table with its columns in another order."""
    return table.select(np.random.default_rng(SEED).permutation(table.order).tolist())


def drawn(name: str, net: aw.Network, rows: int) -> Problem:
    """Return a sample from a network, with the graph of the network as the true graph."""
    return Problem(name, shuffled(net.sample(rows, seed=SEED)), net.graph)


def problems() -> Iterator[Problem]:
    """All data sets, or two small ones for a quick run."""
    for name in PUBLISHED[:1] if quick() else PUBLISHED:
        if file := shared_file("networks", "gaussian", f"{name}.json"):
            yield drawn(name, published(file), 1000)
    for p, n in SIMULATED[:1] if quick() else SIMULATED:
        yield drawn(f"gauss {p} x {n}", simulated(p, np.random.default_rng(1000 + p)), n)
    yield Problem("boston", aw.example("boston"))
    for name, place in {} if quick() else REAL.items():
        if file := shared_file(*place):
            yield Problem(name, aw.read(file))


def run(problem: Problem, word: str) -> dict[str, Any]:
    """One search on one data set."""
    row: dict[str, Any] = {"data": problem.name, "search": word}
    if len(problem.table.names) > SLOW.get(word, np.inf):
        return row | UNKNOWN | {"note": "left out: slow"}
    began = time.process_time()
    try:
        net = aw.learn(problem.table, score="bic", search=word, seed=SEED, progress=False)
    except aw.FitError:
        return row | UNKNOWN | {"note": "left out: too large"}
    cpu = time.process_time() - began
    distance = None
    if problem.truth is not None:
        distance = aw.graphs.shd_cpdag(net.graph, problem.truth)
    note = "proved optimal" if net.optimal else ""
    found = {"bic": net.score, "arcs": net.graph.n_arcs, "shd": distance, "cpu": cpu}
    return row | found | {"note": note}


def compare(problem: Problem) -> list[Row]:
    """Run all searches on one data set, with the true graph in the first row."""
    rows = [run(problem, word) for word in SEARCHES]
    if problem.truth is not None:
        score = aw.fit(problem.truth, problem.table, model="gaussian").score
        first = {"data": problem.name, "search": "(truth)", "bic": score}
        rows.insert(0, first | {"arcs": problem.truth.n_arcs, "shd": 0, "cpu": None, "note": ""})
    size = f"{len(problem.table.names)} variables, {problem.table.rows} rows"
    print(f"\n{problem.name}: {size}")
    hidden = {"data"} if problem.truth is not None else {"data", "shd"}
    print_table([{k: v for k, v in row.items() if k not in hidden} for row in rows])
    return rows


def scores_of(rows: list[Row]) -> dict[str, dict[str, float]]:
    """Data set to search to score."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["bic"] is not None and row["search"] != "(truth)":
            found.setdefault(row["data"], {})[row["search"]] = row["bic"]
    return found


def say(claim: str, holds: bool, detail: str) -> None:
    """Print one claim, whether it holds, and where."""
    print(f"{'yes' if holds else 'NO '}  {claim}: {detail}")


def check(rows: list[Row]) -> None:
    """The claims: tabu leaves greedy's optimum, auto is never worse, column order is irrelevant."""
    scores = scores_of(rows)
    left = [d for d, s in scores.items() if s["tabu"] > s["greedy"] + 1e-6 * abs(s["greedy"])]
    say("tabu leaves greedy's optimum at least once", bool(left), ", ".join(left) or "nowhere")
    worse = []
    for data, found in scores.items():
        best = max(found, key=lambda word: found[word])
        if found["auto"] < found[best] - 1e-6 * abs(found[best]):
            worse.append(f"{data} ({best} is {found[best] - found['auto']:.2f} better)")
    detail = "; ".join(worse) or f"on all {len(scores)} data sets"
    say("auto is no worse than any other search", not worse, detail)
    table = aw.example("boston")
    graphs = {aw.learn(t, search="tabu", seed=SEED).graph for t in (table, shuffled(table))}
    say("the order of columns is irrelevant", len(graphs) == 1, "tabu on boston")


def markdown(rows: list[Row]) -> str:
    """Two tables for a page: loss of score and distance, and seconds."""
    best = {data: max(found.values()) for data, found in scores_of(rows).items()}
    done = {(row["data"], row["search"]): row for row in rows if row["bic"] is not None}

    def quality(row: Row) -> str:
        loss = f"{best[row['data']] - row['bic']:.1f}"
        return loss if row["shd"] is None else f"{loss}, {row['shd']}"

    def table(cell: Callable[[Row], str]) -> str:
        lines = ["| data | " + " | ".join(SEARCHES) + " |", "|---" * (len(SEARCHES) + 1) + "|"]
        for data in best:
            found = [done.get((data, word)) for word in SEARCHES]
            lines.append(f"| {data} | " + " | ".join(cell(r) if r else "-" for r in found) + " |")
        return "\n".join(lines)

    return f"{table(quality)}\n\n{table(lambda row: format(row['cpu'], '.2f'))}\n"


def draw(rows: list[Row], path: Path) -> None:
    """Plot nats below the best score and the distance to the true graph, one line per data set."""
    plt = pyplot()
    if plt is None:
        return
    scores = scores_of(rows)
    names = list(scores)
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9, 0.42 * len(names) + 1.6), sharey=True, layout="constrained"
    )
    for shift, word in zip(np.linspace(-0.3, 0.3, len(SEARCHES)), SEARCHES, strict=True):
        style = {"marker": "o", "linestyle": "", "markersize": 5, "label": word}
        done = [i for i, name in enumerate(names) if word in scores[name]]
        below = [max(scores[names[i]].values()) - scores[names[i]][word] for i in done]
        (dots,) = left.plot(below, np.array(done) + shift, **style)
        found = [r for r in rows if r["search"] == word and r["shd"] is not None]
        places = [names.index(r["data"]) + shift for r in found]
        right.plot([r["shd"] for r in found], places, color=dots.get_color(), **style)
    left.set_xscale("symlog", linthresh=1)
    left.set_xlim(-0.1, None)
    left.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    left.set_xlabel("nats below the best BIC found")
    right.set_xlabel("SHD between CPDAGs, to the truth")
    known = {row["data"] for row in rows if row["shd"] is not None}
    for place, name in enumerate(names):
        if name not in known:
            right.text(0, place, "no true graph", color="#999999", va="center", fontsize=9)
    left.set_yticks(range(len(names)), names)
    left.invert_yaxis()
    for axes in (left, right):
        axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
        axes.set_axisbelow(True)
        for i in range(len(names) - 1):
            axes.axhline(i + 0.5, color="#EEEEEE", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(
        *left.get_legend_handles_labels(), loc="outside upper center", ncols=7, frameon=False
    )
    save_figure(figure, path)
    plt.close(figure)


def main() -> None:
    """Run, print, check, and write CSV file and figure."""
    folder = output_folder()
    rows = [row for problem in problems() for row in compare(problem)]
    print()
    check(rows)
    write_csv(folder / "searches.csv", rows)
    (folder / "searches.md").write_text(markdown(rows), encoding="utf-8")
    print(f"written: {folder / 'searches.md'}")
    draw(rows, folder / "searches.png")


if __name__ == "__main__":
    main()
