"""``arcwise convert``: a network or graph from one file format into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.cli import rows, shown, words

__all__ = ["convert"]


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="A model file, a .bif file, a .csv table of arcs or edges, a model string:"
            " '[a][b|a]', or 'ug a:b + b:c' for an undirected graph.",
            show_default=False,
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write, by its ending: .json or .arcwise (all there is), .csv (edges),"
            " .dot (Graphviz); also .gz.",
            show_default=False,
        ),
    ],
) -> None:
    """Convert a network or a graph into another file format.

    Example: arcwise convert alarm.bif.gz alarm.dot
    """
    from arcwise import io

    rows.destination(target, [Path(source)])
    there = Path(source).exists()
    stored = io.load(source) if there else io.Stored(words.any_graph(source))
    io.save(stored, target)
    whole = target.name.lower().removesuffix(".gz").endswith(rows.MODELS)
    fitted = "the network" if whole else "the graph without its numbers"
    shown.show(shown.wrote(target, "a graph" if stored.net is None else fitted))
