"""Commands that learn: ``learn``, ``fit``, ``validate``; ``path`` and ``prune``, which remove one by one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from arcwise.cli import flags, outputs, terminal
from arcwise.cli.datasets import Categories
from arcwise.cli.flags import (
    argument,
    data_option,
    learning_option,
    main_output,
    output_option,
    switch,
    validation_option,
)
from arcwise.cli.inputs import any_graph
from arcwise.errors import DataError, OptionError, plural

if TYPE_CHECKING:
    from arcwise.api import Network, PenaltyPath
    from arcwise.data import Moments, Table
    from arcwise.evaluate import Validation


def learn(
    source: flags.Source,
    search: flags.Search,
    scoring: flags.ScoreFlags,
    known: flags.Knowledge,
    categories: Categories,
    stream: flags.Stream = False,
    certainty: Annotated[
        bool | None, switch("--certainty/--no-certainty", panel="Run the search")
    ] = None,
    time_limit: flags.TimeLimit = None,
    output: flags.ModelOut = None,
    dot: Annotated[Path | None, output_option()] = None,
    plot: flags.Plot = None,
    report: Annotated[Path | None, output_option()] = None,
    tuning: Annotated[list[Path] | None, output_option()] = None,
    json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Learn a network from a table and write it to a file.

    Prints the choices made, the score, and the edges, strongest first. Ctrl-C stops the search and keeps
    the best graph so far.

    Example: arcwise learn wine.csv --search tabu --forbid 'quality -> pH'

    Parameters
    ----------
    certainty : estimate edge certainty in full, or not at all.
    dot : write the graph for Graphviz.
    report : write an interactive page that works offline: .html.
    tuning : write or plot how a rule chose the penalty: {figures}, {pictures}.
    """
    from arcwise import api
    from arcwise.api.reports import PAGES
    from arcwise.io import FIGURES
    from arcwise.plot import PICTURES

    target, curves = outputs.model_file(output, source.data), tuning or []
    places = [(target, outputs.MODELS), (dot, (".dot", ".gv")), (plot, PICTURES), (report, PAGES)]
    outputs.check([*places, *((each, (*FIGURES, *PICTURES)) for each in curves)], [source.data])
    settings = flags.learning_options(search, scoring) | known.settings(source)
    if curves:
        _check_tuning(settings["penalty"], search.graph)
    data = categories.table(source, stream, scoring.model)
    settings |= {"certainty": certainty, "time_limit": time_limit}
    settings["progress"] = False if quiet else None
    net, seconds = terminal.time_work(lambda: api.learn(data, **settings))
    written = outputs.write(
        [
            (target, net.save, "the model"),
            (dot, net.save, "the graph for Graphviz"),
            (plot, outputs.draw(net.plot), "a plot"),
            (report, lambda to: net.report(to, source.data.name), "the report"),
            *_tuning_wishes(net, curves),
        ]
    )
    if json:
        terminal.show_json(terminal.document(net, data, source.data, written))
    elif not quiet:
        terminal.show_network(net, source.data, seconds)
        outputs.say_written(written)
        terminal.show_go_on(net, data, next(iter(written)), source.data)
    terminal.end_if_interrupted(net.stopped)


def _check_tuning(penalty: object, graph: str) -> None:
    """See, before any work is done, that there will be a choice to write."""
    if isinstance(penalty, float):
        raise OptionError(
            f"--tuning writes how a rule chose the penalty, but --penalty {penalty:g} gives a "
            "number: use a rule such as cv, or leave --tuning out."
        )
    if penalty is None and graph == "directed":
        raise OptionError(
            "--tuning writes how a rule chose the penalty, and directed graphs have none unless it is "
            "given: add --penalty cv."
        )


def _tuning_wishes(net: Network, places: list[Path]) -> list[outputs.Wish]:
    if net.tuning:
        return [(place, net.save_tuning, "how the penalty was chosen") for place in places]
    for place in places:
        terminal.print_aside(
            f"{place} is not written: no rule chose the penalty, or it had no time to."
        )
    return []


def fit(
    graph: Annotated[str, argument("GRAPH")],
    source: flags.Source,
    categories: Categories,
    model: flags.Model = "auto",
    option: flags.Settings = None,
    output: flags.ModelOut = None,
    json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Fit the local models of a known graph to a table.

    Prints the local model of each variable, with standard errors of linear coefficients.

    Example: arcwise fit '[RM][LSTAT|RM][MEDV|RM:LSTAT]' boston.csv -o small.json

    Parameters
    ----------
    graph : a graph file, or a graph such as '[a][b|a]' or 'a -- b'.
    """
    from arcwise import api
    from arcwise.api.options import Model

    known = any_graph(graph)
    if known.directed is None:
        raise DataError(
            f"{graph!r} must contain a directed or an undirected graph, got one with both "
            "kinds of edges."
        )
    target = outputs.model_file(output, source.data)
    outputs.check([(target, outputs.MODELS)], [source.data])
    table = categories.table(source)
    choices = flags.with_options(option, {"model": Model.of_name(model)})
    net = api.fit(known, table, missing=source.missing, **choices)
    written = outputs.write([(target, net.save, "the model")])
    if json:
        terminal.show_json(terminal.document(net, table, source.data, written))
    elif not quiet:
        terminal.show_network(net, source.data)
        local = (line for name in net.variables for line in net.local(name).splitlines())
        terminal.show(*local, "")
        outputs.say_written(written)
        terminal.show_go_on(net, table, next(iter(written)), source.data)


def validate(
    source: flags.Source,
    search: flags.Search,
    scoring: flags.ScoreFlags,
    known: flags.Knowledge,
    categories: Categories,
    folds: Annotated[str, validation_option("NUMBER|COLUMN")] = "10",
    predict: Annotated[str | None, validation_option("VARIABLE")] = None,
    json: flags.Json = False,
) -> None:
    """Cross-validate: likelihood and prediction errors.

    Scores every row by the network learned from the other folds. If --graph is a graph, such as 'a -> b' or a
    file, only its parameters are fitted again.

    Example: arcwise validate wine.csv --score bge --folds 5

    Parameters
    ----------
    folds : the number of folds, or a column that names the fold of each row.
    predict : predict this variable only, from all others.
    """
    from arcwise import api
    from arcwise.learners import graphs

    settings = flags.learning_options(search, scoring) | known.settings(source)
    if search.graph not in graphs():
        settings["graph"] = any_graph(search.graph)
    parts = int(folds) if folds.lstrip("-").isdigit() else folds
    found = api.validate(categories.table(source), folds=parts, target=predict, **settings)
    if json:
        terminal.show_json(found.document())
    else:
        _show_validation(found)


def _show_validation(found: Validation) -> None:
    import numpy as np

    fewest, most = min(found.edges), max(found.edges)
    mean = f"{found.mean:.4f} ± {found.error:.4f} nats per held-out row"
    about = (
        ("rows", f"{found.rows} in {len(found.edges)} folds"),
        (found.measure, f"{mean} (median {found.median:.4f})"),
        ("edges", f"{fewest}" if fewest == most else f"{fewest} to {most}"),
    )
    gains = dict(zip(found.names, np.maximum(found.gains, 0.0), strict=True))
    bars = [float(gains[name]) for name in found.frame["variable"]]
    terminal.show(terminal.facts(about), "")
    terminal.show(terminal.frame_grid(found.frame, bars), "")
    majority = " Majority: the share of the most frequent level." * bool(
        np.isfinite(found.majority).any()
    )
    what = "Each variable" if len(found.names) > 1 else found.names[0]
    terminal.show(terminal.style_text(f"{what} is predicted from all others.{majority}", "dim"))


# -- edges or inputs removed one by one --------------------------------------------------------------


# So many removals are printed: the last ones, of the strongest edges.
PRINTED = 40


def path(
    *,
    source: flags.Source,
    stream: flags.Stream = False,
    search: Annotated[str, learning_option("auto|{undirected}|{lasso}")] = "auto",
    scoring: flags.ScoreFlags,
    known: flags.EdgeRules,
    categories: Categories,
    time_limit: flags.TimeLimit = None,
    output: Annotated[Path | None, main_output()] = None,
    plot: Annotated[Path | None, output_option()] = None,
    edges: Annotated[Path | None, output_option()] = None,
    plot_edges: Annotated[Path | None, output_option()] = None,
    json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Learn undirected graphs at every penalty per edge.

    Prints each removed edge, the penalty from which it is absent, and the loss of the models at its ends,
    in nats per row. For gaussian models, prints the edges of the graphical lasso at 30 penalties. Ctrl-C
    ends the run with the path so far.

    Example: arcwise path boston.csv --model parzen -o curve.csv --plot curve.png

    Parameters
    ----------
    search : the search algorithm; auto depends on the model.
    output : write the number of edges at each penalty: {tables}.
    plot : plot the number of edges at each penalty: {pictures}.
    edges : write the edges at each penalty, with partial correlations for the lasso: {tables}.
    plot_edges : plot the partial correlations of the lasso: {pictures}.
    """
    from arcwise import api
    from arcwise.api.options import Search
    from arcwise.plot import PICTURES

    tables = [(output, outputs.TABLES), (edges, outputs.TABLES)]
    outputs.check([*tables, (plot, PICTURES), (plot_edges, PICTURES)], [source.data])
    choices = {"search": Search.of_name(search), **scoring.choices()}
    settings = flags.with_options(scoring.option, choices)
    settings |= {"graph": "undirected", "time_limit": time_limit}
    settings |= {"progress": False if quiet else None, **known.settings(source)}
    data = categories.table(source, stream, scoring.model)
    found, seconds = terminal.time_work(lambda: api.path(data, **settings))
    written = outputs.write(
        [
            (output, lambda to: outputs.write_table(_curve(found), to), "edges against penalty"),
            (edges, lambda to: outputs.write_table(_edges(found), to), "edges at each penalty"),
            (plot, outputs.draw(found.plot), "a plot"),
            (plot_edges, outputs.draw(found.plot_edges), "a plot of partial correlations"),
        ]
    )
    if json:
        terminal.show_json({**found.document(), "written": [str(each) for each in written]})
    elif not quiet:
        _show_path(found, data, source.data, seconds)
        outputs.say_written(written)
    terminal.end_if_interrupted(found.stopped)


def _curve(found: PenaltyPath) -> Any:
    return outputs.arrow(found.curve(), {"penalty": "float64", "edges": "int64"})


def _edges(found: PenaltyPath) -> Any:
    ends = {"penalty": "float64", "first": "string", "second": "string"}
    return outputs.arrow(found.edge_rows(), {**ends, "partial_correlation": "float64"})


def _show_path(found: PenaltyPath, data: Table | Moments, name: Path, seconds: float) -> None:
    words, gone = found.settings, found.removals
    about = [
        *terminal.origin(data, name, found.rows, found.notes),
        ("model", str(words["model"])),
        ("score", "" if found.unit.startswith("rho") else str(words["score"])),
        ("search", f"{words['search']} in {seconds:.1f} s; {found.stopped}"),
    ]
    terminal.show(terminal.facts(about), "")
    if gone:
        head = [">edges left", ">from penalty", "edge removed", ">first loses", ">second loses"]
        terminal.show(terminal.grid(head, [_cells(found, each) for each in gone[-PRINTED:]]))
    else:
        curve = [(str(edges), f"{penalty:.4f}") for penalty, edges in found.curve()]
        at = ">at penalty" if found.path.grid else ">from penalty"
        terminal.show(terminal.grid([">edges left", at], curve))
    if len(gone) > PRINTED:
        more = plural(len(gone) - PRINTED, "removal")
        terminal.show(f"... after {more} of weaker edges")
    what = "Penalties" if found.path.grid else "Penalties and losses"
    terminal.show("", terminal.style_text(f"{what} in {found.unit}.", "dim"), "")


def _cells(found: PenaltyPath, each: Any) -> list[str]:
    names = found.path.nodes
    losses = [f"{loss:.4f}" for loss in each.losses]
    edge = f"{names[each.first]} -- {names[each.second]}"
    return [str(each.edges), f"{max(each.penalty, 0.0):.4f}", edge, *losses]


def prune(
    source: flags.Source,
    target: flags.Target,
    scoring: flags.ScoreFlags,
    test: Annotated[Path | None, data_option("FILE")] = None,
    time_limit: flags.TimeLimit = None,
    output: Annotated[Path | None, main_output()] = None,
    json: flags.Json = False,
) -> None:
    """Remove inputs of one variable, the least useful first.

    Prints the score after each removal, which shows how many inputs matter, and which (backward
    elimination).

    Example: arcwise prune boston.csv INDUS --model parzen --option bandwidths=one

    Parameters
    ----------
    test : also score the rows of this table.
    output : write one row per removal: {tables}.
    """
    from arcwise import api
    from arcwise.data import read

    outputs.check([(output, outputs.TABLES)], [source.data])
    settings = {**scoring.settings(), "missing": source.missing}
    other = None if test is None else read(test)
    found = api.prune(source.table(), target, test=other, time_limit=time_limit, **settings)
    what = f"{plural(len(found.stages), 'stage')} of {target}"
    outputs.give_result(found, output, what, json=json)
    if output is not None and not json and found.stopped:
        terminal.show(str(found).splitlines()[-1])
