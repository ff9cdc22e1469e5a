"""``arcwise learn``: from a table to a fitted network in a file."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from arcwise.cli import choices, rows, shown, summary, words

if TYPE_CHECKING:
    from arcwise.api import Network

__all__ = ["learn"]

INTERRUPTED = 130


def learn(
    data: choices.DataFile,
    only: choices.Only = None,
    drop: choices.Drop = None,
    kind: choices.Kinds = None,
    weights: choices.Weights = None,
    missing: choices.Missing = None,
    stream: choices.Stream = False,
    graph: choices.Graph = "directed",
    model: choices.Model = "auto",
    score: choices.Score = None,
    search: choices.Search = "auto",
    penalty: choices.Penalty = None,
    start: choices.Start = "empty",
    option: choices.Options = None,
    seed: choices.Seed = 0,
    jobs: choices.Jobs = 1,
    time: choices.Time = None,
    require: choices.Require = None,
    forbid: choices.Forbid = None,
    tier: choices.Tier = None,
    max_parents: choices.MaxParents = None,
    expert: choices.Expert = None,
    expert_weight: choices.ExpertWeight = 0.1,
    prior_rows: choices.PriorRows = None,
    output: choices.ModelOut = None,
    dot: choices.Dot = None,
    plot: choices.Plot = None,
    tuning: choices.Tuning = None,
    json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Learn a network from a table, and write it to a file.

    Prints what was decided, the score, and the edges, strongest first. Ctrl-C stops the search and
    keeps the best graph so far. With --graph undirected --model parzen it finds dependences of any
    shape.

    Example: arcwise learn wine.csv --search tabu --option restarts=10 --forbid 'quality -> pH'
    """
    asked = dict(locals())
    from arcwise import api

    target = rows.model_file(output, data)
    if dot is not None:
        rows.destination(dot, [data, target], (".dot", ".gv"))
    if plot is not None:
        rows.picture(plot, [data, target])
    chosen = {**words.learning_words(asked), "time": time, "progress": False if quiet else None}
    others = [data, target, *(each for each in (dot, plot) if each)]
    _check_tuning(tuning or [], others, chosen["penalty"], graph)
    source = words.moments(asked) if stream else words.table(asked)
    began = clock.monotonic()
    net = api.learn(source, **chosen)
    seconds = clock.monotonic() - began
    written = _write(net, target, dot, tuning or [])
    if plot is not None:
        rows.draw(net.plot, plot)
        written[plot] = "a picture"
    if json:
        shown.show_json(summary.document(net, source, data, written))
    elif not quiet:
        summary.show_network(net, source, data, seconds)
        shown.show(*(shown.wrote(path, what) for path, what in written.items()))
        summary.show_go_on(net, source, target)
    if net.stopped.endswith("Ctrl-C"):
        raise typer.Exit(INTERRUPTED)


def _check_tuning(places: list[Path], others: list[Path], penalty: object, graph: str) -> None:
    """See, before any work is done, that there will be something to write, and that it can be."""
    if not places:
        return
    from arcwise.errors import FileError, WordError
    from arcwise.io import FIGURES
    from arcwise.plot import PICTURES

    taken = {other.resolve() for other in others}
    for place in places:
        rows.destination(place, others, (*FIGURES, *PICTURES))
        if place.resolve() in taken:
            raise FileError(f"{str(place)!r} is written twice: give --tuning a name of its own.")
        taken.add(place.resolve())
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


def _write(net: Network, target: Path, dot: Path | None, tuning: list[Path]) -> dict[Path, str]:
    """Write the model and what else is asked for; say what is where."""
    written = {net.save(target): "the model"}
    if dot is not None:
        written[net.save(dot)] = "the graph for Graphviz"
    for place in tuning:
        if net.tuning:
            written[net.save_tuning(place)] = "how the penalty was chosen"
        else:
            shown.aside(f"{place} is not written: no rule chose the penalty, or it had no time to.")
    return written
