"""Commands that give rows from a network: ``predict``, ``impute``, ``sample``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from arcwise.cli import flags, inputs, outputs
from arcwise.cli.flags import option, switch
from arcwise.cli.query import Do, Given, evidence
from arcwise.cli.terminal import list_names, print_aside, show
from arcwise.errors import DataError, OptionError, plural
from arcwise.notes import NoteKind

if TYPE_CHECKING:
    from arcwise.api import Network
    from arcwise.data import Table
    from arcwise.data.frames import Raw
    from arcwise.inference import Predictions


def predict(
    *,
    net: flags.NetFile,
    data: flags.RowsFile,
    target: flags.Target,
    level: Annotated[float, option("SHARE", panel="Write and print")] = 0.95,
    keep: Annotated[bool, switch("--keep", panel="Write and print")] = False,
    na_values: flags.NaValues = None,
    effort: flags.Simulation,
    output: flags.TableOut = None,
) -> None:
    """Predict one variable in every row, with an interval.

    For a discrete variable, gives the most probable level and the probability of each. Cells and whole
    columns may be missing. The column of the target is not used; if present, the prediction error is
    reported.

    Example: arcwise predict wine.json new.csv quality -o predicted.csv

    Parameters
    ----------
    level : the probability of the interval.
    keep : keep the columns of ROWS next to the predictions.
    """
    network, raw = _open_inputs(net, data, na_values, output)
    network.net.index(target)
    marks = na_values or []
    table = inputs.read_rows(raw, network, marks, unread=[target])
    found = network.predict(table, target, **effort.settings())
    said = [note for note in found.notes if note.kind is not NoteKind.ROWS]
    for note in [*_absent(raw, network, target), *said, *_error(raw, network, found, marks)]:
        print_aside(note)
    answer = _predictions(raw, found, level, keep)
    outputs.give_table(answer, output, f"{target} in {plural(len(found), 'row')}")


def _open_inputs(
    net: Path, data: Path, na_values: list[str] | None, output: Path | None
) -> tuple[Network, Raw]:
    """Read a network and rows, where the answer can be written."""
    outputs.check([(output, outputs.TABLES)], [net, data])
    return inputs.load_network(net), inputs.read_raw(data, na_values or [])


def _predictions(raw: Raw, found: Any, level: float, keep: bool) -> Any:
    """Give the predictions by columns, beside the columns of the rows where these are kept."""
    import pyarrow as pa

    columns = found.at_level(level).to_arrow()
    if not keep:
        return columns
    kept = pa.table(dict(zip(raw.names, raw.arrays, strict=True)))
    for name, column in zip(columns.column_names, columns.columns, strict=True):
        kept = kept.append_column(f"{found.name}_{name}", column)
    return kept


def _absent(raw: Raw, network: Network, target: str) -> list[str]:
    absent = [name for name in network.variables if name not in raw.names and name != target]
    if not absent:
        return []
    word = "column" if len(absent) == 1 else "columns"
    return [f"The rows have no {word} {list_names(absent)}: treated as missing."]


def _error(raw: Raw, network: Network, found: Predictions, na_values: list[str]) -> list[str]:
    """Say how far off the predictions are, where the target is known."""
    import numpy as np

    if found.name not in raw.names:
        return []
    if found.levels is not None:
        return _share_right(raw, network, found, na_values)
    truth = _numbers(raw, found.name, na_values)
    there = np.isfinite(truth)
    if there.sum() < 2:
        return []
    off = truth[there] - found.mean[there]
    error, spread = float(np.sqrt(np.mean(off**2))), float(truth[there].std())
    share = f", R2 {1 - error**2 / spread**2:.3f}" if spread > 0 else ""
    counted = plural(int(there.sum()), "row")
    return [f"{found.name} is present in {counted}: root mean square error {error:.4g}{share}."]


def _share_right(raw: Raw, network: Network, found: Predictions, na_values: list[str]) -> list[str]:
    """Say how many levels are predicted right, where the target is known."""
    array = raw.arrays[raw.names.index(found.name)]
    try:
        column = replace(raw, names=(found.name,), arrays=(array,))
        table = inputs.read_rows(column, network, na_values)
    except DataError:  # a level that the network has never seen: the column is not used
        return []
    truth = table.values(found.name)
    there = [level is not None for level in truth]
    right = sum(a == b for a, b in zip(truth, found.labels, strict=True))
    if not any(there):
        return []
    counted = plural(sum(there), "row")
    return [f"{found.name} is present in {counted}: {right / sum(there):.1%} predicted right."]


def _numbers(raw: Raw, name: str, na_values: list[str]) -> Any:
    import numpy as np
    import pyarrow as pa

    from arcwise.data import Variable, conform

    array = raw.arrays[raw.names.index(name)]
    try:
        table = conform(pa.table({name: inputs.blank_marks(array, na_values)}), (Variable(name),))
    except DataError:  # the target's own column need not be numbers: it is not used
        return np.full(raw.rows, np.nan)
    return table.columns[0]


def impute(
    net: flags.NetFile,
    data: flags.RowsFile,
    draw: Annotated[int | None, option("SEED", panel="Choose the answer", least=0)] = None,
    completions: Annotated[int | None, option("NUMBER", panel="Choose the answer", least=1)] = None,
    na_values: flags.NaValues = None,
    output: flags.TableOut = None,
) -> None:
    """Fill in the missing values of a table by a network.

    Keeps all columns in their order, also those that are not in the network. Variables of the network that
    the table lacks are added at its end.

    Example: arcwise impute wine.json gaps.csv -o filled.csv

    Parameters
    ----------
    draw : fill in random draws instead of expected values, which keeps spreads and correlations.
    completions : write this many tables with different draws, FILE-1 and so on.
    """
    if completions is not None and output is None:
        raise OptionError("--completions writes several files: name them with --output.")
    network, raw = _open_inputs(net, data, na_values, output)
    table = inputs.read_rows(raw, network, na_values or [])
    if completions is not None and output is not None:
        _write_completions(network, raw, table, draw or 0, _numbered(output, completions))
        return
    filled = network.impute(table, seed=draw)
    (print_aside if output is None else show)(_filled_gaps(raw, table))
    outputs.give_table(_fill_columns(raw, table, filled), output, plural(raw.rows, "row"))


def _numbered(path: Path, count: int) -> list[Path]:
    """Paths with a number at the end of the stem each."""
    stem, dot, ending = path.name.partition(".")
    return [path.with_name(f"{stem}-{number}{dot}{ending}") for number in range(1, count + 1)]


def _write_completions(
    network: Network, raw: Raw, table: Table, seed: int, places: list[Path]
) -> None:
    """Write several tables, each with its own draws of the missing values."""
    outputs.check([(place, outputs.TABLES) for place in places])
    filled = network.impute(table, seed=seed, completions=len(places))
    show(_filled_gaps(raw, table))
    for place, each in zip(places, filled, strict=True):
        outputs.give_table(_fill_columns(raw, table, each), place, plural(raw.rows, "row"))


def _fill_columns(raw: Raw, table: Table, filled: Table) -> Any:
    """Put filled columns into the place of those with gaps; all others stay as they are."""
    import pyarrow as pa

    answer = dict(zip(raw.names, raw.arrays, strict=True))
    columns = filled.to_arrow()
    gaps = table.missing()
    for name in table.names:
        if name not in answer or gaps[:, table.index(name)].any():
            answer[name] = columns.column(name)
    return pa.table(answer)


def _filled_gaps(raw: Raw, table: Table) -> str:
    there = [table.index(name) for name in table.names if name in raw.names]
    added = [name for name in table.names if name not in raw.names]
    gaps = table.missing()[:, there]
    rows = f"{int(gaps.any(axis=1).sum())} of {plural(len(gaps), 'row')}"
    said = f"Filled {plural(int(gaps.sum()), 'gap')} in {rows}."
    return f"{said} Added: {list_names(added)}." if added else said


def sample(
    net: flags.NetFile,
    draws: Annotated[
        int, option("NUMBER", "-n", "--draws", panel="Choose the answer", least=1)
    ] = 1000,
    seed: Annotated[int, option("NUMBER", panel="Choose the answer", least=0)] = 0,
    given: Given = None,
    do: Do = None,
    output: flags.TableOut = None,
) -> None:
    """Draw random rows from a network.

    Example: arcwise sample wine.json -n 1000 --seed 1 -o drawn.parquet

    Parameters
    ----------
    draws : the number of rows.
    seed : the same seed gives the same rows.
    """
    outputs.check([(output, outputs.TABLES)], [net])
    network = inputs.load_network(net)
    known: Any = evidence(network, given, do)
    drawn = network.sample(draws, seed=seed, **known)
    for note in drawn.notes:
        print_aside(note)
    table = drawn.to_arrow()
    outputs.give_table(table, output, plural(draws, "row"))
