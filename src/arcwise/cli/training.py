"""Commands from a table to a network: ``learn``, ``fit``, ``validate``."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from arcwise.cli import options, outputs, summary, terminal
from arcwise.cli.categories import Categories
from arcwise.cli.inputs import any_graph
from arcwise.cli.options import argument, learning_option, output_option, switch
from arcwise.cli.syntax import options as settings_of
from arcwise.errors import DataError, WordError

if TYPE_CHECKING:
    from arcwise.api import Network
    from arcwise.evaluate import Validation


def learn(
    source: options.Source,
    search: options.Search,
    scoring: options.Scoring,
    known: options.Knowledge,
    categories: Categories,
    stream: options.Stream = False,
    certainty: Annotated[
        bool | None, switch("--certainty/--no-certainty", panel="Learning")
    ] = None,
    time_limit: options.TimeLimit = None,
    output: options.ModelOut = None,
    dot: Annotated[Path | None, output_option()] = None,
    plot: options.Plot = None,
    tuning: Annotated[list[Path] | None, output_option()] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn a network from a table, and write it to a file.

    Prints what was decided, the score, and the edges, strongest first. Ctrl-C stops the search and
    keeps the best graph so far. With --graph undirected --model parzen it finds dependences of any
    shape.

    Example: arcwise learn wine.csv --search tabu --option restarts=10 --forbid 'quality -> pH'

    Parameters
    ----------
    certainty : find the certainty of edges and directions in full: a posterior where the score has one, else
        100 tables with resampled rows; or not at all. By default, as many resampled tables as fit into the
        time of learning, or 2 s (arcwise posterior says more).
    dot : write the graph for Graphviz, too.
    tuning : write how a rule chose the penalty, too: its figures to {figures}, or a picture to {pictures}.
    """
    from arcwise import api
    from arcwise.io import FIGURES
    from arcwise.plot import PICTURES

    target, curves = outputs.model_file(output, source.data), tuning or []
    places = [(target, outputs.MODELS), (dot, (".dot", ".gv")), (plot, PICTURES)]
    outputs.check([*places, *((each, (*FIGURES, *PICTURES)) for each in curves)], [source.data])
    settings = {**search.settings(), **scoring.settings(), **known.settings(source)}
    if curves:
        _check_tuning(settings["penalty"], search.graph)
    data = categories.table(source, stream, scoring.model)
    began = clock.monotonic()
    settings["certainty"] = certainty
    net = api.learn(data, **settings, time_limit=time_limit, progress=False if quiet else None)
    seconds = clock.monotonic() - began
    written = outputs.write(
        [
            (target, net.save, "the model"),
            (dot, net.save, "the graph for Graphviz"),
            (plot, outputs.draw(net.plot), "a picture"),
            *_tuning(net, curves),
        ]
    )
    if json:
        terminal.show_json(summary.document(net, data, source.data, written))
    elif not quiet:
        summary.show_network(net, source.data, seconds)
        outputs.say_written(written)
        summary.show_go_on(net, data, next(iter(written)))
    terminal.end_if_interrupted(net.stopped)


def _check_tuning(penalty: object, graph: str) -> None:
    """See, before any work is done, that there will be a choice to write."""
    if isinstance(penalty, float):
        raise WordError(
            f"--tuning writes how a rule chose the penalty, but --penalty {penalty:g} gives it: take a "
            "rule such as cv, or leave --tuning out."
        )
    if penalty is None and graph == "directed":
        raise WordError(
            "--tuning writes how a rule chose the penalty, and directed graphs have none unless it is "
            "given: add --penalty cv."
        )


def _tuning(net: Network, places: list[Path]) -> list[outputs.Wish]:
    if net.tuning:
        return [(place, net.save_tuning, "how the penalty was chosen") for place in places]
    for place in places:
        terminal.aside(f"{place} is not written: no rule chose the penalty, or it had no time to.")
    return []


def fit(
    graph: Annotated[str, argument("GRAPH")],
    source: options.Source,
    categories: Categories,
    model: options.Model = "auto",
    option: options.Settings = None,
    output: options.ModelOut = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit the local models of a known graph to a table, and write the network to a file.

    Prints the local model of every variable; of a linear one in a directed graph, with standard errors in
    brackets. An undirected gaussian network is fitted as one normal distribution, by maximum likelihood.

    Example: arcwise fit '[RM][LSTAT|RM][MEDV|RM:LSTAT]' boston.csv -o small.json

    Parameters
    ----------
    graph : the graph: {graph}.
    """
    from arcwise import api
    from arcwise.graphs import PDAG

    known = any_graph(graph)
    if isinstance(known, PDAG):
        raise DataError(f"{graph!r} holds a graph that is directed in part only.")
    target = outputs.model_file(output, source.data)
    outputs.check([(target, outputs.MODELS)], [source.data])
    table = categories.table(source)
    further = settings_of(option or ())
    net = api.fit(known, table, model=model, missing=source.missing, **further)
    written = outputs.write([(target, net.save, "the model")])
    if json:
        terminal.show_json(summary.document(net, table, source.data, written))
    elif not quiet:
        summary.show_network(net, source.data)
        local = (line for name in net.variables for line in net.local(name).splitlines())
        terminal.show(*local, "")
        outputs.say_written(written)
        summary.show_go_on(net, table, next(iter(written)))


def validate(
    source: options.Source,
    search: options.Search,
    scoring: options.Scoring,
    known: options.Knowledge,
    categories: Categories,
    folds: Annotated[int, learning_option("NUMBER", least=2)] = 10,
    json: options.Json = False,
) -> None:
    """Cross-validate a way of learning: likelihood and prediction errors on rows left out.

    Every row is scored by the network learned from the other folds.

    Example: arcwise validate wine.csv --score bge --folds 5

    Parameters
    ----------
    folds : parts of the rows, each left out once.
    """
    from arcwise import api

    settings = {**search.settings(), **scoring.settings(), **known.settings(source)}
    found = api.validate(categories.table(source), folds=folds, **settings)
    if json:
        terminal.show_json(found.to_dict())
    else:
        _show_validation(found)


def _show_validation(found: Validation) -> None:
    fewest, most = min(found.edges), max(found.edges)
    mean = f"{found.mean:.4f} ± {found.error:.4f} nats per unseen row"
    about = (
        ("rows", f"{found.rows} in {len(found.edges)} parts"),
        (found.measure, f"{mean} (median {found.median:.4f})"),
        ("edges", f"{fewest}" if fewest == most else f"{fewest} to {most}"),
    )
    heads, rows = found.table()
    gains = dict(zip(found.names, found.gains, strict=True))
    lines = [(*row, terminal.bar(max(float(gains[row[0]]), 0.0), "blue")) for row in rows]
    terminal.show(terminal.facts(about), "")
    terminal.show(terminal.grid([heads[0], *(f">{head}" for head in heads[1:]), ""], lines), "")
    majority = " Majority: the share of the most frequent level." * ("majority" in heads)
    terminal.show(terminal.styled(f"Each variable predicted from all the others.{majority}", "dim"))
