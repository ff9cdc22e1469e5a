"""``arcwise impute``: fill the gaps of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli import choices, rows, shown, words

if TYPE_CHECKING:
    from arcwise.data import Table
    from arcwise.data.raw import Raw

__all__ = ["impute"]


def impute(
    net: choices.NetFile,
    data: choices.RowsFile,
    draw: Annotated[
        int | None,
        typer.Option(
            "--draw",
            metavar="SEED",
            min=0,
            help="Fill in draws instead of expected values, so that spreads stay right.",
        ),
    ] = None,
    missing: choices.Missing = None,
    output: choices.TableOut = None,
) -> None:
    """Fill the gaps of a table by what a network expects there.

    All columns stay, in their order, also those that the network does not know; variables of the
    network that the table lacks are added at its end.

    Example: arcwise impute wine.json gaps.csv -o filled.csv
    """
    if output is not None:
        rows.destination(output, [net, data], rows.TABLES)
    network = words.load_network(net)
    marks = missing or []
    raw = rows.read_raw(data, marks)
    table = rows.read_rows(raw, network, marks)
    filled = network.impute(table, seed=draw)
    answer, gaps = _filled(raw, table, filled), table.missing()
    added = [name for name in network.variables if name not in raw.names]
    said = _said(raw, table)
    if added:
        said += f" Added: {shown.listed(added)}."
    if output is None:
        shown.aside(said)
        rows.print_table(answer)
    else:
        rows.write_table(answer, output)
        shown.show(said, shown.wrote(output, shown.plural(len(gaps), "row")))


def _filled(raw: Raw, table: Table, filled: Table) -> Any:
    """Put filled columns into the place of those with gaps; all others stay as they are."""
    import pyarrow as pa

    answer = dict(zip(raw.names, raw.arrays, strict=True))
    columns = filled.to_arrow()
    gaps = table.missing()
    for name in table.names:
        if name not in answer or gaps[:, table.index(name)].any():
            answer[name] = columns.column(name)
    return pa.table(answer)


def _said(raw: Raw, table: Table) -> str:
    there = [table.index(name) for name in table.names if name in raw.names]
    gaps = table.missing()[:, there]
    cells = shown.plural(int(gaps.sum()), "gap")
    return f"Filled {cells} in {int(gaps.any(axis=1).sum())} of {shown.plural(len(gaps), 'row')}."
