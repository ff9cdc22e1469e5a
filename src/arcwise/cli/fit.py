"""``arcwise fit``: the numbers of a graph that is known."""

from __future__ import annotations

from typing import Annotated

import typer

from arcwise.cli import choices, rows, shown, summary, words
from arcwise.cli.shell import options

__all__ = ["fit"]


def fit(
    graph: Annotated[
        str,
        typer.Argument(
            metavar="GRAPH",
            help="A model file, a .bif file, a .csv table of arcs or edges, a model string:"
            " '[a][b|a]', arcs: 'a -> b, b -> c', or 'ug a:b + b:c' for an undirected graph.",
            show_default=False,
        ),
    ],
    data: choices.DataFile,
    only: choices.Only = None,
    drop: choices.Drop = None,
    kind: choices.Kinds = None,
    weights: choices.Weights = None,
    missing: choices.Missing = None,
    model: choices.Model = "auto",
    option: choices.Options = None,
    output: choices.ModelOut = None,
    json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Fit a graph that is known to a table, and write the network to a file.

    Prints the local model of every variable; of a linear one in a directed graph, with standard errors in
    brackets. An undirected gaussian network is fitted as one normal distribution, by maximum likelihood.

    Example: arcwise fit '[RM][LSTAT|RM][MEDV|RM:LSTAT]' boston.csv -o small.json
    """
    asked = dict(locals())
    from arcwise import api

    known = words.fitted_graph(graph)
    target = rows.model_file(output, data)
    table = words.table(asked)
    net = api.fit(known, table, model=model, **options(option or ()))
    net.save(target)
    if json:
        shown.show_json(summary.document(net, table, data, [target]))
    elif not quiet:
        summary.show_network(net, table, data)
        shown.show(*(net.local(name) for name in net.variables), "")
        shown.show(shown.wrote(target, "the model"))
        summary.show_go_on(net, table, target)
