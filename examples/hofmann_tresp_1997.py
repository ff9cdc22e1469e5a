"""Nonlinear Markov networks: every experiment of Hofmann and Tresp (1997), repeated.

    python examples/hofmann_tresp_1997.py [FOLDER]

1. Boston housing: edges against the penalty (fig. 1), the graph at 0.2 (fig. 2), and the scatter
   plots that go with it (fig. 3): size and status are dependent, but separated by the price.
2. Finance: 500 business days. The paper's data are not public; daily changes of US markets (shipped)
   and of world markets (12 columns, if the shared data are available) replace them.
3. The edge deletion method, for comparison: each pair tested given all others.

The figures of the paper are printed next to the results. Source: R. Hofmann and V. Tresp, Nonlinear
Markov networks for continuous variables, Advances in Neural Information Processing Systems 10.
"""

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

NAMED = [
    ("LSTAT", "MEDV", "present"),
    ("RM", "MEDV", "present"),
    ("NOX", "MEDV", "absent"),
    ("RM", "LSTAT", "absent"),
]
WORLD = [
    "DAX", "EURSTOXX", "FTSE", "DJ", "SP500", "NASDAQ",
    "NIKKEI", "VIX", "GOLD", "OIL_Brent", "EUR_USD", "USD_10Y",
]  # fmt: skip


def boston() -> aw.Table:
    """Boston housing, all numbers; fewer rows and columns for a quick run."""
    table = aw.example("boston").continuous()
    chosen = table.select(["CRIM", "NOX", "RM", "LSTAT", "MEDV"]) if quick() else table
    return chosen.take(np.arange(0, 506, 4 if quick() else 1))


def housing(folder: Path) -> None:
    """Figures 1 to 3."""
    print("1. Boston housing")
    table = boston()
    path = aw.path(table, model="parzen")
    curve: list[Row] = [{"penalty": p, "edges": e} for p, e in path.curve()]
    write_csv(folder / "t1_fig1_edges.csv", curve)
    print_table(
        [
            {"penalty": 0.0, "edges": path.at(0.0).n_edges, "paper": 68},
            {"penalty": 0.2, "edges": path.at(0.2).n_edges, "paper": None},
        ]
    )
    graph = path.at(0.2)
    rows: list[Row] = [
        {
            "pair": f"{a} - {b}",
            "here": "present" if graph.has_edge(a, b) else "absent",
            "paper": said,
        }
        for a, b, said in NAMED
    ]
    print_table(rows)
    net = path.network(0.2)
    print(
        "RM and LSTAT given all others are separated:",
        net.separated("RM", "LSTAT", given=sorted(set(net.variables) - {"RM", "LSTAT"})),
        "- given nothing:",
        net.separated("RM", "LSTAT"),
    )
    write_csv(folder / "t1_fig2_graph.csv", edge_rows(net))
    write_csv(folder / "t1_fig3_scatter.csv", scatter_rows(table))
    draw_housing(path, net, table, folder)


def edge_rows(net: aw.Network) -> list[Row]:
    """The edges with their strengths, strongest first."""
    return [
        {"edge": f"{e.first} - {e.second}", "strength": round(e.strength, 4)}
        for e in net.edges.present.sorted()
    ]


def scatter_rows(table: aw.Table) -> list[Row]:
    columns = {name: table.values(name) for name in ("RM", "LSTAT", "MEDV")}
    return [
        dict(zip(columns, map(float, row), strict=True))
        for row in zip(*columns.values(), strict=True)
    ]


def draw_housing(path: Any, net: aw.Network, table: aw.Table, folder: Path) -> None:
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    path.plot(ax=axes, at=0.2)
    save_figure(figure, folder / "t1_fig1_edges.png")
    figure, axes = plt.subplots(figsize=(8, 6), layout="constrained")
    net.plot(ax=axes)
    save_figure(figure, folder / "t1_fig2_graph.png")
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    for axes, (x, y) in zip(
        panels, [("LSTAT", "MEDV"), ("RM", "MEDV"), ("RM", "LSTAT")], strict=True
    ):
        axes.plot(table.values(x), table.values(y), ".", markersize=3, color="#30638e")
        axes.set_xlabel(x)
        axes.set_ylabel(y)
    save_figure(figure, folder / "t1_fig3_scatter.png")
    plt.close("all")


def markets() -> dict[str, aw.Table]:
    """Return 500 business days of each replacement."""
    days = 100 if quick() else 500
    us = aw.example("us_markets").continuous()
    found = {"US markets": us.take(np.arange(us.rows - days, us.rows))}
    if not quick() and (file := shared_file("finance", "world_changes_2000_2015.csv.gz")):
        world = aw.read(file).select(WORLD).continuous()
        found["world markets"] = world.take(np.arange(world.rows - days, world.rows))
    return found


def finance(folder: Path) -> None:
    """Edges at 0.2 and at 0.025, with their strengths (fig. 4)."""
    print("\n2. Finance, 500 business days (paper: 12 variables, 3 edges at 0.2)")
    plt = pyplot()
    for name, table in markets().items():
        path = aw.path(table, model="parzen")
        print(f"{name}: {len(table.names)} variables")
        counts = [{"penalty": p, "edges": path.at(p).n_edges} for p in (0.2, 0.1, 0.05, 0.025)]
        print_table(counts)
        rows = edge_rows(path.network(0.025))
        print_table(rows)
        stem = f"t1_fig4_{name.replace(' ', '_')}"
        write_csv(folder / f"{stem}.csv", rows)
        if plt is not None:
            figure, axes = plt.subplots(figsize=(8, 6), layout="constrained")
            path.network(0.025).plot(ax=axes, numbers=True)
            save_figure(figure, folder / f"{stem}.png")
            plt.close(figure)


def deletion(folder: Path) -> None:
    """Each pair tested given all others, one by one, compared with boundary learning."""
    print("\n3. The edge deletion method on Boston housing")
    table = boston()
    rows: list[Row] = []
    paths = {word: aw.path(table, model="parzen", search=word) for word in ("boundary", "deletion")}
    for penalty in (0.0, 0.05, 0.1, 0.2):
        graphs = {word: path.at(penalty) for word, path in paths.items()}
        both = set(graphs["boundary"].edges) & set(graphs["deletion"].edges)
        rows.append(
            {"penalty": penalty}
            | {word: graph.n_edges for word, graph in graphs.items()}
            | {"in both": len(both)}
        )
    print_table(rows)
    print("If either of two edges would be enough, deletion removes both: it keeps too few.")
    write_csv(folder / "t1_deletion.csv", rows)


if __name__ == "__main__":
    place = output_folder()
    housing(place)
    finance(place)
    deletion(place)
