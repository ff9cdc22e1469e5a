"""What comes in: tables, networks and graphs, from files, standard input or texts.

The columns of a file are taken as they are, before kinds are settled, so that columns can be left out
before anything in them can be refused, and so that a file with filled gaps keeps all others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.cli.terminal import STANDARD_INPUT, file_name, list_names
from arcwise.errors import DataError, FileError, GraphError, close_to

if TYPE_CHECKING:
    from arcwise.api import Network
    from arcwise.data import Kind, Moments, Table
    from arcwise.data.frames import Raw
    from arcwise.graphs import DAG, PDAG, UGraph

GRAPH_FORMS = (
    "a model file, a .bif file, a .csv table of arcs or edges, a model string: '[a][b|a]', arcs: 'a -> b"
    " <- c; c -> d', or 'a -- b, b -- c' or 'ug a:b + b:c' for an undirected graph"
)
"""How a graph may be given."""


# -- tables --------------------------------------------------------------------------------------


def read_raw(path: Path, na_values: Sequence[str] = ()) -> Raw:
    """Read the columns of a file as Arrow arrays, with notes of what was guessed."""
    from arcwise.data import source

    if path == STANDARD_INPUT:
        with source.name_file_in_errors(Path(file_name(path))):
            return source.raw_bytes(sys.stdin.buffer.read(), tuple(na_values))
    place = source.check_file(path)
    with source.name_file_in_errors(place):
        return source.raw(place, tuple(na_values))


def read_table(
    path: Path,
    *,
    kinds: Mapping[str, Kind] | None = None,
    na_values: Sequence[str] = (),
    weights: str | None = None,
    copies: str = "apart",
    only: Sequence[str] = (),
    drop: Sequence[str] = (),
    make: Callable[..., Table] | None = None,
) -> Table:
    """Read a table as `arcwise.read` does, columns left out before they are looked at.

    `make` turns the columns that are left into a table; by default kinds are settled by the usual rules.
    """
    from arcwise.data import with_copies
    from arcwise.data.kinds import settle
    from arcwise.data.source import name_file_in_errors

    raw = read_raw(path, na_values)
    with name_file_in_errors(Path(file_name(path))):
        left = _chosen_columns(raw, weights, only, drop)
        made = (make or settle)(left, kinds=kinds, na_values=na_values, weights=weights)
        return with_copies(made, copies)


def _chosen_columns(raw: Raw, weights: str | None, only: Sequence[str], drop: Sequence[str]) -> Raw:
    """Keep the columns that were asked for, and that of the weights."""
    wanted = [*only, weights] if only and weights else only
    columns = dict(zip(raw.names, raw.arrays, strict=True))
    names = tuple(_choose_columns(raw.names, wanted, drop))
    return replace(raw, names=names, arrays=tuple(columns[name] for name in names))


def read_batches(
    path: Path,
    *,
    model: str = "auto",
    na_values: Sequence[str] = (),
    weights: str | None = None,
    copies: str = "apart",
    only: Sequence[str] = (),
    drop: Sequence[str] = (),
    missing: str = "auto",
) -> Table | Moments:
    """Gather the counts of levels, or the moments of numbers, of a file that may be larger than memory."""
    from arcwise.data import gather_file
    from arcwise.data.source import read_once

    if path == STANDARD_INPUT:
        raise read_once(f"{file_name(path)}: ")
    return gather_file(
        path,
        columns=only or None,
        drop=drop,
        na_values=na_values,
        weights=weights,
        copies=copies,
        missing=missing,
        levels=None if model == "auto" else model == "discrete",
    )


def _choose_columns(there: Sequence[str], only: Sequence[str], drop: Sequence[str]) -> list[str]:
    """Choose columns: some only, or all but some, in the file's order.

    >>> _choose_columns(["a", "b", "c"], [], ["b"])
    ['a', 'c']
    """
    for name in (*only, *drop):
        if name not in there:
            raise DataError(f"There is no column {name!r}. {close_to(name, there)}")
    return [name for name in there if name not in drop and (not only or name in only)]


def read_rows(
    raw: Raw, net: Network, na_values: Sequence[str] = (), unread: Iterable[str] = ()
) -> Table:
    """Bring the columns of a file into the form that a network knows; others are passed over."""
    import pyarrow as pa

    from arcwise.data import conform

    skipped = set(unread)
    columns = {
        name: blank_marks(array, na_values)
        for name, array in zip(raw.names, raw.arrays, strict=True)
        if name not in skipped and name in net.net.names
    }
    if not columns:
        if skipped.isdisjoint(raw.names):
            raise DataError(
                f"The file has no column of the network: it has {list_names(raw.names)}, the network "
                f"{list_names(net.variables)}."
            )
        # Only the target itself is there: nothing is known of any row.
        columns = {net.net.names[0]: pa.nulls(raw.rows, pa.float64())}
    return conform(pa.table(columns), net.net.variables)


def blank_marks(array: Any, na_values: Sequence[str]) -> Any:
    """Turn numbers that mean a gap into gaps; text is taken care of when read."""
    import pyarrow as pa

    from arcwise.data.kinds import number_array

    numeric = pa.types.is_integer(array.type) or pa.types.is_floating(array.type)
    if not (na_values and numeric):
        return array
    return pa.array(number_array(array, na_values), from_pandas=True)


# -- networks and graphs -------------------------------------------------------------------------


def load_network(path: Path, data: Path | None = None) -> Network:
    """Read a model file; with the data that it was learned from."""
    from arcwise import api

    found = api.load(path, data)
    if not isinstance(found, api.Network):
        raise FileError(
            f"{str(path)!r} must contain a network, got a distribution over graphs: 'arcwise "
            "posterior --averaged FILE' writes a network."
        )
    return found


def any_graph(text: str) -> DAG | UGraph | PDAG:
    """Give the graph of a file (model, BIF, table of arcs), or of a model string or formula.

    A formula for an undirected graph begins with ``ug``.
    """
    from arcwise import io
    from arcwise.graphs import either, graph_of, ug
    from arcwise.graphs.parser import plain

    if Path(text).exists():
        return io.load(text).graph
    if text.startswith("ug "):
        return ug(text.removeprefix("ug ").strip())
    if plain(text):
        raise FileError(f"There is no file {text!r}; a graph is {GRAPH_FORMS}.")
    if either(text):
        raise GraphError(
            f"{text!r} is ambiguous about directions: write 'ug {text.strip()}' for an "
            "undirected graph; for a directed one arcs such as 'parent -> child', or a model "
            "string such as '[a][b|a]'."
        )
    return graph_of(text.strip())


def directed_graph(text: str) -> DAG:
    """Give the directed graph of a file, a model string or a formula."""

    graph = any_graph(text)
    if not graph.directed:
        raise DataError(f"{text!r} must contain a directed graph, got an undirected one.")
    return graph
