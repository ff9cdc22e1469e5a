"""Networks and graphs from files, with what a file says of how they came about; and the data beside them.

A file keeps the graphs of a certainty, but not their parameters, which `load(path, data=...)` fits again.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

import numpy as np

from arcwise import data as tables
from arcwise import io
from arcwise.api.choices import specification
from arcwise.api.edge_certainty import unpacked_graphs
from arcwise.api.learning import QUICK_SECONDS
from arcwise.api.net import Network
from arcwise.api.options import Prior
from arcwise.api.posterior_files import (
    as_mapping,
    as_notes,
    as_number,
    as_order,
    as_sequence,
    as_stop,
    as_text,
    read_posterior,
)
from arcwise.api.progress import CertaintyBudget
from arcwise.api.search_options import STARTS
from arcwise.conditionals import DefaultScore, Fits
from arcwise.conditionals.parzen import kept_fits
from arcwise.data import Source, Table, any_table
from arcwise.errors import (
    ArcwiseError,
    DataError,
    FileError,
    FitError,
    GraphError,
    OptionError,
    unknown,
)
from arcwise.graphs import DAG, Rules, UGraph, dag
from arcwise.io.codec import fits
from arcwise.learners import Specification, bind
from arcwise.learners.settings import settings_of
from arcwise.networks import Net
from arcwise.notes import Fix, Note, NoteKind
from arcwise.values import clear_calls


@clear_calls
def example(name: str, kind: Literal["table", "network"] | None = None) -> Any:
    """Read an example table or network.

    Parameters
    ----------
    name : a name in `aw.examples()`.
    kind : "table" or "network", if both have the name; by default the table.

    Returns
    -------
    Table or Network.

    Raises
    ------
    OptionError : there is no example of this name.

    >>> example("boston").rows
    506
    >>> example("fuel")["gauge"].table[1, 1].tolist()
    [0.2, 0.8]
    """
    if kind is None:
        named = sorted(each.kind for each in tables.examples() if each.name == name)
        if not named:
            raise unknown("example", name, sorted({each.name for each in tables.examples()}))
        kind = "table" if "table" in named else "network"
    return tables.example(name) if kind == "table" else load(tables.network_file(name))


@clear_calls
def load(path: str | PathLike[str], data: Any = None) -> Any:
    """Read a network or a posterior from a file.

    Parameters
    ----------
    path : a file in any format of networks.
    data : the data that the network was learned from, in any form that `learn` takes. Answers to `do` then
        have their range over the graphs of the certainty, too; the file has no parameters of these.

    Raises
    ------
    FileError : the file is missing, damaged, of another program, or contains a graph without parameters.
    DataError : the network was not learned from these data.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = example("fuel").save(Path(folder, "fuel.json"))
    ...     print(load(path).graph)
    [battery][fuel][gauge|battery:fuel]
    """
    found = _load(path)
    if data is None:
        return found
    if not isinstance(found, Network):
        raise OptionError(
            "{data=} is for learned networks: leave it out, since a posterior is saved with its data.",
            fixes=[Fix("data")],
        )
    return _with_data(found, data)


def _load(path: str | PathLike[str]) -> Any:
    stored = io.load(path)
    kind = stored.about.get("kind", "network")
    if not isinstance(kind, str):
        raise FileError(f"{str(path)!r} cannot be read: its kind must be text.")
    if kind not in READERS:
        raise FileError(
            f"{str(path)!r} holds a {kind:.60}, but must hold one of {', '.join(READERS)}."
        )
    return READERS[kind](stored, path)


def _network(stored: io.StoredNet, path: str | PathLike[str]) -> Network:
    if stored.net is None:
        raise FileError(
            f"{str(path)!r} contains a graph without parameters: fit it to a table with {{fit()}}.",
            fixes=[Fix(verb="fit", arguments="load_graph(path), data")],
        )
    try:
        return _read_network(stored.net, stored.about)
    except ArcwiseError as error:
        raise FileError(
            f"{str(path)!r} cannot be read: {error.text.rstrip('.')}.", fixes=error.fixes
        ) from None


def _read_network(net: Net, about: Mapping[str, Any]) -> Network:
    rules = _rules(about.get("rules"), net)
    limits = None if rules is None else rules.on(net.names)
    settings = as_mapping(about.get("settings"))
    earlier = as_mapping(settings.get("options"))  # of files before settings had objects
    windows = {**earlier, **as_mapping(as_mapping(settings.get("model_options")).get("parzen"))}
    return Network(
        net,
        score=as_number(about.get("score"), "score"),
        stopped=as_stop(about.get("stopped")),
        optimal=about.get("optimal") is True,
        settings=settings,
        notes=as_notes(about.get("notes"), NoteKind.MODEL),
        order=as_order(about.get("order"), net.names),
        rows=as_number(about.get("rows"), "rows"),
        fingerprint=as_text(about.get("fingerprint")),
        tuning=tuple(as_mapping(row) for row in as_sequence(about.get("tuning"))),
        _saved_edges=as_mapping(about.get("edges")),
        rules=rules,
        limits=limits,
        _saved_graphs=unpacked_graphs(as_mapping(about.get("graphs")), net, limits),
        fits=kept_fits(net.variables, net.conditionals, windows),
    )


@clear_calls
def load_graph(path: str | PathLike[str]) -> DAG | UGraph:
    """Read a graph from any network file, or from a table of arcs or edges.

    Raises
    ------
    FileError : the file is missing, damaged or of another program, or the graph has both arcs and edges.

    Examples
    --------
    >>> from arcwise.data import network_file
    >>> load_graph(network_file("asia")).parents_of("lung")
    ('smoke',)
    """
    graph = io.load(path).graph
    if graph.directed is None:
        raise FileError(f"{str(path)!r} contains a graph with both arcs and undirected edges.")
    return graph


def _rules(value: Any, net: Net) -> Rules | None:
    """The rules that a directed graph was learned under; None where they are not known."""
    if not fits(value, dict) or not net.directed:
        return None
    try:
        rules = Rules(**value)
        return rules if rules.on(net.names).allows_graph(net.graph) else None
    except (GraphError, TypeError, ValueError):
        return None


READERS: dict[str, Callable[[io.StoredNet, str | PathLike[str]], Any]] = {
    "network": _network,
    "posterior": read_posterior,
}
"""Kinds of documents, each with how it becomes what users hold."""


# -- the data of a loaded network ---

_COMPARED = 100  # rows on which local models have to agree
_LOST = ("pseudo_rows", "expert_weight")  # what a file keeps no plain value of


def _with_data(net: Network, data: Any) -> Network:
    """A loaded network with the data that it was learned from.

    Raises
    ------
    DataError : other data: their local models differ from those of the file.
    FitError : a network whose graph was given, or choices that a file does not keep.
    """
    if not net.graph.directed or "search" not in net.settings:
        raise FitError(
            "{data=} is for learned directed networks: the graph of this one was given or is "
            "undirected, so answers have no range.",
            fixes=[Fix("data")],
        )
    source, spec = _source(net, data), _specification(net)
    problem = bind(spec, source)
    fits = (problem.retuned(net.graph) or problem).fits
    _check_same(net, fits)
    known = {**settings_of(problem), "seed": net.settings.get("seed")}
    again = all(net.settings.get(name) == value for name, value in known.items())
    unknown_way = Note(NoteKind.CERTAINTY, "the file lacks some settings of learning")
    why = None if again else unknown_way
    limits = net.limits or spec.rules.on(net.net.names)
    budget = CertaintyBudget(QUICK_SECONDS, 2.0 * QUICK_SECONDS, why=why)
    return replace(
        net, fits=fits, data=source, specification=spec, _certainty_budget=budget, limits=limits
    )


def _source(net: Network, data: Any) -> Source:
    """The network's columns of the data, of its kinds."""
    source = any_table(data)
    for name in net.variables:
        if name not in source.names:
            raise DataError(f"The data have no variable {name!r} of the network.")
    if not isinstance(source, Table):
        return source
    kinds = {variable.name: variable.kind for variable in net.net.variables}
    table = source.select(net.variables)
    return table.recast({v.name: kinds[v.name] for v in table.variables if v.kind != kinds[v.name]})


def _specification(net: Network) -> Specification:
    """The choices that the network was learned by, from its settings."""
    settings = net.settings
    lost = [name for name in _LOST if name in settings]
    options = as_mapping(settings.get("search_options"))
    if lost or "factors" in options:
        raise FitError(
            f"The file does not contain {(*lost, 'factors')[0]}: learn the network again."
        )
    made = specification(
        graph=settings.get("graph", "directed"),
        model=dict(zip(net.net.names, net.net.models, strict=True)),
        search=settings.get("search", "auto"),
        penalty=settings.get("penalty_rule", settings.get("penalty")),
        rules=net.rules,
        prior=Prior(graph=settings.get("expert")),
        missing=settings.get("missing", "auto"),
        seed=settings.get("seed"),
    )
    start = settings.get("start", "empty")
    return made.but(
        start=start if start in STARTS else dag(start),
        score_default=DefaultScore(str(settings.get("score")), settings.get("score_options") or {}),
        search_options=options,
        model_options=as_mapping(settings.get("model_options")),
    )


def _check_same(net: Network, fits: Fits) -> None:
    """Refuse data from which other local models follow, on some typical rows."""
    rows = fits.statistics.typical(_COMPARED)
    for node, parents in enumerate(net.graph.parents if net.graph.directed else ()):
        own, fitted = net.net.conditionals[node], fits.conditional(node, parents)
        ys, xs = rows[node], tuple(rows[parent] for parent in parents)
        try:
            logs = own.logpdf(ys, xs), fitted.logpdf(ys, xs)
        except (IndexError, ValueError):  # other levels
            logs = np.zeros(1), np.ones(1)
        same = own.n_params == fitted.n_params and np.allclose(*logs, rtol=1e-6, atol=1e-6)
        if not same:
            raise DataError(
                f"These are not the data that the network was learned from: the local model of "
                f"{net.net.names[node]!r} differs."
            )
