"""The graphical lasso on the proteins of Sachs et al. (2005), as in a lecture on graphical models.

    python examples/sachs_lasso.py [FOLDER]

The first part repeats the lecture's figure: covariance (divisor n - 1) / 1000 at penalties 36, 27 and 7,
after Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, figure 17.5. The second part
learns from the logarithms of the same data, with penalties chosen by rules.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from places import Row, output_folder, print_table, pyplot, save_figure, write_csv

import arcwise as aw

PENALTIES = (36.0, 27.0, 7.0)


def lecture(table: aw.Table, folder: Path) -> list[aw.Network]:
    """The graphs at the lecture's three penalties, as a table of edges."""
    moments = aw.Moments.of(table)
    covariance = moments.scatter / (moments.n - 1) / 1000
    thousands = aw.Moments.given(moments.names, moments.n, moments.mean, covariance)
    nets = [
        aw.learn(
            thousands,
            graph="undirected",
            penalty=rho,
            search=aw.Glasso(scale="covariance", refit=False),
        )
        for rho in PENALTIES
    ]
    rows: list[Row] = [
        {
            "penalty": rho,
            "first": edge.first,
            "second": edge.second,
            "partial_correlation": round(edge.partial_correlation, 6),
        }
        for rho, net in zip(PENALTIES, nets, strict=True)
        for edge in net.edges.present
    ]
    write_csv(folder / "sachs_lasso_edges.csv", rows)
    print_table(
        [
            {"penalty": rho, "edges": net.graph.n_edges}
            for rho, net in zip(PENALTIES, nets, strict=True)
        ]
    )
    return nets


def pictures(nets: list[aw.Network], order: Sequence[str], folder: Path) -> None:
    """The three graphs side by side, the proteins on a circle as in the book."""
    if pyplot() is None:
        return
    named = {
        f"rho = {rho:g}: {net.graph.n_edges} edges": net
        for rho, net in zip(PENALTIES, nets, strict=True)
    }
    axes = aw.plot_graphs(named, positions=order)
    save_figure(axes[0].figure, folder / "sachs_lasso.png")


def on_logs(table: aw.Table, folder: Path) -> None:
    """Learn from logarithms by several rules for the penalty; return the whole path."""
    logs = aw.table(
        {name: np.log(column) for name, column in zip(table.names, table.columns, strict=True)}
    )
    rows: list[Row] = []
    for rule in ("ebic", "cv", "ric", "stars"):
        net = aw.learn(logs, graph="undirected", model="gaussian", penalty=rule)
        rows.append({"rule": rule, "penalty": net.settings["penalty"], "edges": net.graph.n_edges})
        print(net.notes[-1])
    print_table(rows)
    write_csv(folder / "sachs_lasso_rules.csv", rows)
    path = aw.path(logs, graph="undirected", model="gaussian")
    curve: list[Row] = [{"penalty": rho, "edges": edges} for rho, edges in path.curve()]
    write_csv(folder / "sachs_lasso_path.csv", curve)
    write_csv(folder / "sachs_lasso_path_edges.csv", [row._asdict() for row in path.edge_rows()])
    plt = pyplot()
    if plt is None:
        return
    figure, (above, below) = plt.subplots(2, 1, figsize=(7.5, 7.5), layout="constrained")
    chosen = {str(row["rule"]): float(row["penalty"]) for row in rows}
    path.plot(ax=above, at=chosen, title="Sachs, logarithms: edges, and what rules choose")
    path.plot_edges(ax=below, at=chosen)
    save_figure(figure, folder / "sachs_lasso_path.png")


def main() -> None:
    """Run all."""
    folder, table = output_folder(), aw.example("sachs")
    print("Covariance / 1000, graphical lasso:")
    pictures(lecture(table, folder), table.order, folder)
    print("\nLogarithms, with penalties chosen by rules:")
    on_logs(table, folder)


if __name__ == "__main__":
    main()
