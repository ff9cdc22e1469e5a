"""Networks and graphs from files, with what a file says of how they came about."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from arcwise import data, io
from arcwise.api.net import Network
from arcwise.errors import FileError, GraphError, unknown
from arcwise.graphs import DAG, Rules, UGraph
from arcwise.networks import Net

__all__ = ["READERS", "example", "load", "load_graph"]


def example(name: str, kind: Literal["table", "network"] | None = None) -> Any:
    """Read example data: a table, or a network.

    Parameters
    ----------
    name : one of `aw.examples()`.
    kind : "table" or "network" where there are both of a name; by default the table.

    Returns
    -------
    Table or Network.

    Raises
    ------
    WordError : there is no such example.

    >>> example("boston").rows
    506
    >>> example("fuel")["gauge"].table[1, 1].tolist()
    [0.2, 0.8]
    """
    if kind is None:
        named = sorted(each.kind for each in data.examples() if each.name == name)
        if not named:
            raise unknown("example", name, sorted({each.name for each in data.examples()}))
        kind = "table" if "table" in named else "network"
    return data.example(name) if kind == "table" else load(data.network_file(name))


def load(path: str | PathLike[str]) -> Network:
    """Read a network from a file; what a document says it holds decides on how it is read (`READERS`).

    Raises
    ------
    FileError : missing, damaged or foreign files, and files that hold a graph without numbers.
    """
    stored = io.load(path)
    kind = str(stored.about.get("kind", "network"))
    if kind not in READERS:
        raise FileError(f"{str(path)!r} holds a {kind}, and known are {', '.join(READERS)}.")
    return READERS[kind](stored, path)


def _network(stored: io.Stored, path: str | PathLike[str]) -> Network:
    if stored.net is None:
        raise FileError(
            f"{str(path)!r} holds a graph without fitted numbers: read it with load_graph, and fit it "
            "to a table with fit."
        )
    about: Mapping[str, Any] = stored.about
    rules = _rules(about.get("rules"), stored.net)
    return Network(
        stored.net,
        score=_number(about.get("score")),
        stopped=str(about.get("stopped") or ""),
        optimal=bool(about.get("optimal", False)),
        settings=_mapping(about.get("settings")),
        notes=tuple(map(str, _sequence(about.get("notes")))),
        order=_order(about.get("order"), stored.net.names),
        rows=_number(about.get("rows")),
        fingerprint=str(about.get("fingerprint") or ""),
        tuning=tuple(_mapping(row) for row in _sequence(about.get("tuning"))),
        saved_edges=_mapping(about.get("edges")),
        rules=rules,
        limits=None if rules is None else rules.on(stored.net.names),
    )


def load_graph(path: str | PathLike[str]) -> DAG | UGraph:
    """Read a graph from any network file or table of arcs or edges.

    Raises
    ------
    FileError : missing, damaged or foreign files, and files whose graph is directed in part only.
    """
    graph = io.load(path).graph
    if not isinstance(graph, DAG | UGraph):
        raise FileError(
            f"{str(path)!r} holds a graph with edges that have no direction beside arcs."
        )
    return graph


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _rules(value: object, net: Net) -> Rules | None:
    """The rules that a directed graph was learned under; None where they are not known."""
    if not isinstance(value, Mapping) or not isinstance(net.graph, DAG):
        return None
    try:
        rules = Rules(**value)
        return rules if rules.on(net.names).allows_graph(net.graph) else None
    except (GraphError, TypeError):
        return None


def _order(value: object, names: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(map(str, _sequence(value)))
    return found if sorted(found) == list(names) else names


READERS: dict[str, Callable[[io.Stored, str | PathLike[str]], Network]] = {"network": _network}
"""Kinds of documents, each with how it becomes what users hold."""
