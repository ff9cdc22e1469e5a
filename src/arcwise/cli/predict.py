"""``arcwise predict``: one variable in every row of a table, from what is known of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli import choices, rows, shown, words
from arcwise.errors import DataError

if TYPE_CHECKING:
    from arcwise.api import Network
    from arcwise.data.raw import Raw
    from arcwise.inference import Predictions

__all__ = ["predict"]

# Notes of the library that the shell has its own words for.
_ALIGNED = ("The table has no ", "The network has no ")


def predict(
    net: choices.NetFile,
    data: choices.RowsFile,
    target: Annotated[
        str,
        typer.Argument(metavar="TARGET", help="The variable to predict.", show_default=False),
    ],
    level: Annotated[
        float,
        typer.Option(
            "--level", metavar="SHARE", help="What share of cases lies between low and high."
        ),
    ] = 0.95,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the columns of the rows beside the predictions.")
    ] = False,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", metavar="NUMBER", min=0, help="The seed where gaps have to be simulated."
        ),
    ] = 0,
    method: choices.Method = None,
    chains: choices.Chains = None,
    sweeps: choices.Sweeps = None,
    burn_in: choices.BurnIn = None,
    missing: choices.Missing = None,
    output: choices.TableOut = None,
) -> None:
    """Predict one variable in every row: mean, sd, low and high.

    Of a variable with levels, the most probable one and the probability of each. Where gaps have to
    be simulated, the error of the mean stands beside it.

    Cells and whole columns may be missing; the target's own column is not looked at, and where it
    is there, the error of the predictions is told.

    Example: arcwise predict wine.json new.csv quality -o predicted.csv
    """
    if output is not None:
        rows.destination(output, [net, data], rows.TABLES)
    network = words.load_network(net)
    network.net.index(target)
    marks = missing or []
    raw = rows.read_raw(data, marks)
    table = rows.read_rows(raw, network, marks, unread=[target])
    effort = words.said(method=method, chains=chains, sweeps=sweeps, burn_in=burn_in, seed=seed)
    found = network.predict(table, target, **effort)
    answer = _columns(raw, found, level, keep)
    said = [note for note in found.notes if not note.startswith(_ALIGNED)]
    for note in [*_absent(raw, network, target), *said, *_error(raw, found, marks)]:
        shown.aside(note)
    if output is None:
        rows.print_table(answer)
    else:
        rows.write_table(answer, output)
        shown.show(shown.wrote(output, f"{target} in {shown.plural(len(found), 'row')}"))


def _columns(raw: Raw, found: Predictions, level: float, keep: bool) -> Any:
    """Give the predictions by columns, beside the columns of the rows where these are kept."""
    import pyarrow as pa

    if found.levels is not None:
        columns = _levels(found, found.levels)
    else:
        low, high = found.interval(level)
        columns = {"mean": found.mean, "sd": found.sd, "low": low, "high": high}
        if found.error.any():
            columns["error"] = found.error
    if not keep:
        return pa.table(columns)
    kept = dict(zip(raw.names, raw.arrays, strict=True))
    added = {f"{found.name}_{word}": column for word, column in columns.items()}
    return pa.table({**kept, **added})


def _levels(found: Predictions, levels: Sequence[object]) -> dict[str, Any]:
    """The most probable level of each row, and the probability of each."""
    shares = found.probabilities
    each = {f"p({level})": shares[:, i] for i, level in enumerate(levels)}
    return {"level": list(map(str, found.labels)), **each}


def _absent(raw: Raw, network: Network, target: str) -> list[str]:
    absent = [name for name in network.variables if name not in raw.names and name != target]
    if not absent:
        return []
    word = "column" if len(absent) == 1 else "columns"
    return [f"The rows have no {word} {shown.listed(absent)}: taken as unknown."]


def _error(raw: Raw, found: Predictions, missing: list[str]) -> list[str]:
    """Say how far off the predictions are, where the target is known."""
    import numpy as np

    if found.name not in raw.names:
        return []
    truth = _numbers(raw, found.name, missing)
    there = np.isfinite(truth)
    if there.sum() < 2:
        return []
    off = truth[there] - found.mean[there]
    error, spread = float(np.sqrt(np.mean(off**2))), float(truth[there].std())
    share = f", R2 {1 - error**2 / spread**2:.3f}" if spread > 0 else ""
    counted = shown.plural(int(there.sum()), "row")
    return [f"{found.name} is known in {counted}: root mean square error {error:.4g}{share}."]


def _numbers(raw: Raw, name: str, missing: list[str]) -> Any:
    import numpy as np
    import pyarrow as pa

    from arcwise.data import Variable, conform

    array = raw.arrays[raw.names.index(name)]
    try:
        table = conform(pa.table({name: rows.unmarked(array, missing)}), (Variable(name),))
    except DataError:  # the target's own column need not be numbers: it is not used
        return np.full(raw.rows, np.nan)
    return table.columns[0]
