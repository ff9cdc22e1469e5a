"""``arcwise sample``: draw rows from a network."""

from __future__ import annotations

from typing import Annotated

import typer

from arcwise.cli import choices, rows, shown, words

__all__ = ["sample"]


def sample(
    net: choices.NetFile,
    draws: Annotated[
        int, typer.Option("-n", "--draws", metavar="NUMBER", min=1, help="How many rows.")
    ] = 1000,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="NUMBER", min=0, help="The same seed gives the same rows."),
    ] = 0,
    output: choices.TableOut = None,
) -> None:
    """Draw rows from a network.

    Example: arcwise sample wine.json -n 1000 --seed 1 -o drawn.parquet
    """
    if output is not None:
        rows.destination(output, [net], rows.TABLES)
    table = words.load_network(net).sample(draws, seed=seed).to_arrow()
    if output is None:
        rows.print_table(table)
    else:
        rows.write_table(table, output)
        shown.show(shown.wrote(output, shown.plural(draws, "row")))
