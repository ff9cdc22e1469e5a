"""A fitted network as a person likes to read it: what it was made from, its edges, how to go on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.cli.inputs import file_name
from arcwise.cli.syntax import shell_words, typed
from arcwise.cli.terminal import bar, facts, grid, listed, plural, show, styled, unbroken

if TYPE_CHECKING:
    from arcwise.api import Network
    from arcwise.data import Moments, Table
    from arcwise.evaluate import Edge, EdgeTable

__all__ = [
    "arrow", "decided", "document", "go_on", "said_notes", "said_of", "show_edges", "show_go_on",
    "show_network",
]  # fmt: skip

# More edges than this are not printed after learning; `arcwise edges` prints all.
PRINTED = 40
# Words in the reason why a search ended that tell that it might have gone on.
CUT_SHORT = ("time budget", "Ctrl-C", "asked to stop", "largest number of steps")
# Rules that choose a penalty, beside cross-validation.
RULES = {"ebic": "EBIC", "stars": "stability (StARS)", "ric": "rotations (RIC)"}


def show_network(
    net: Network, source: Table | Moments, path: Path, seconds: float | None = None
) -> None:
    """Print what was learned or fitted: data, decisions, score, search, edges."""
    show(facts(_about(net, source, path, seconds)), "")
    show_edges(net.edges.present.sorted(), net, most=PRINTED)


def _about(
    net: Network, source: Table | Moments, path: Path, seconds: float | None
) -> list[tuple[str, object]]:
    used, there = len(net.variables), plural(len(source.variables), "column")
    variables = there if used == len(source.variables) else f"{used} of {there}"
    lines: list[tuple[str, object]] = [
        ("data", styled(f"{file_name(path)}: {_rows(source, net.rows)}, {variables}")),
        *(("note", note) for note in said_notes(decided(net, source))),
        ("graph", "" if net.directed else "undirected"),
        ("model", str(net.words.get("model", ""))),
        ("score", _score(net)),
        ("penalty", _penalty(net)),
    ]
    if net.stopped:
        lines.append(("search", _search(net, seconds)))
    return lines


def said_of(source: Table | Moments, path: Path, counted: float | None) -> str:
    """Say where data came from, and how much there is."""
    return f"{file_name(path)}: {_rows(source, counted)}, {plural(len(source.variables), 'column')}"


def said_notes(notes: Iterable[str]) -> list[str]:
    """Notes as one would type what they advise, each once."""
    return [shell_words(note) for note in dict.fromkeys(notes)]


def _rows(source: Table | Moments, counted: float | None) -> str:
    from arcwise.data import Moments

    rows = source.n if isinstance(source, Moments) else source.rows
    used = "" if counted is None or counted == rows else f" ({_count(counted)} counted)"
    return plural(rows, "row") + used


def _count(rows: float) -> str:
    """A sum of weights, to a tenth of a row."""
    return f"{rows:.1f}".removesuffix(".0")


def _score(net: Network) -> str:
    if net.score is None:
        return ""
    proof = ", proved to be the best of all graphs" if net.optimal else ""
    if not net.directed and net.measure is not None:
        proof = ", summed over all variables given their neighbours"
    return f"{net.words.get('score', 'score')} {net.score:.4f}{proof}"


def _penalty(net: Network) -> str:
    if "penalty" not in net.words:
        return ""
    tuned, rule = "", str(net.words.get("penalty_rule") or "")
    if net.tuning:
        tuned = f", found by {RULES.get(rule, 'cross-validation')}"
    elif net.words.get("penalty_rule"):
        tuned = "; tuning was cut short"
    if "penalty_unit" in net.words:
        return f"{net.words['penalty']:.4g} ({net.words['penalty_unit']}){tuned}"
    edge = "arc" if net.directed else "edge"
    return f"{net.words['penalty']:.4g} nats per {edge} and row{tuned}"


def _search(net: Network, seconds: float | None) -> str:
    steps = plural(len(net.trace), "step")
    took = "" if seconds is None else f" in {seconds:.1f} s"
    reason = "" if net.optimal else f"; {net.stopped}"
    return f"{net.words.get('search', '')}, {steps}{took}{reason}"


def decided(net: Network, source: Table | Moments) -> list[str]:
    """Say what was guessed, left out and decided on the way from the file to the network."""
    notes = list(dict.fromkeys([*source.notes, *net.notes]))
    numbers = {variable.name for variable in net.net.variables if not variable.discrete}
    order = source.order or source.names
    levels = {variable.name for variable in source.variables if variable.discrete}
    recast = [name for name in order if name in numbers and name in levels]
    if recast:
        verb = "takes" if len(recast) == 1 else "take"
        notes.append(f"{listed(recast)} {verb} few whole values, which are treated as numbers.")
    return notes


# -- edges ---------------------------------------------------------------------------------------


def show_edges(edges: EdgeTable, net: Network, most: int | None = None) -> None:
    """Print edges in their order, with what their strength means."""
    if not len(edges):
        show(_no_edges(net), "")
        return
    rows = list(edges)[: most or len(edges)]
    show(edge_grid(rows))
    if len(edges) > len(rows):
        show(f"... and {plural(len(edges) - len(rows), 'more edge')}")
    show("", *_legend(edges, rows), "")


def _no_edges(net: Network) -> str:
    """Say why there are none; only a search that came to its end tells something of the data."""
    if len(net.variables) == 1:
        return f"No edges: there is only one variable, {net.variables[0]}."
    if any(words in net.stopped for words in CUT_SHORT):
        return f"No edges: the search was stopped before it found any ({net.stopped})."
    if not net.stopped:
        return "No edges: the graph has none."
    if net.words.get("penalty", 0) > 0:
        more = "" if net.words.get("penalty_rule") else " A smaller one leaves more."
        return f"No edges: no edge is left at this penalty.{more}"
    return "No edges: no variable tells anything of another."


def _legend(edges: EdgeTable, rows: Sequence[Edge]) -> list[Any]:
    count = plural(len(edges), "edge")
    lines = [styled(f"{count}. Strength (nats): {edges.meaning}.", "dim")]
    if any(math.isfinite(row.partial_correlation) for row in rows):
        lines.append(styled("Partial r: correlation of the two given all other variables.", "dim"))
    if any(row.refit_loss is not None for row in rows):
        said = "Refit loss (nats per row): what the likelihood loses without the edge when all others are"
        lines.append(styled(f"{said} fitted again.", "dim"))
    if any(row.strength < 0 for row in rows):
        lines.append(styled("Strength below 0: the score is better without the edge.", "dim"))
    if any(row.first_side is not None for row in rows):
        said = "At its ends: what the edge does for the model of the first and of the second."
        lines.append(styled(said, "dim"))
    if any(row.reversible for row in rows):
        lines.append(styled("--  data alone cannot tell the direction of this edge.", "dim"))
    return lines


def arrow(row: Edge) -> tuple[str, str, str]:
    """Give a pair as it is read: from, sign, to."""
    if not row.present:
        return row.first, "", row.second
    forward = not row.direction or row.direction.startswith(f"{row.first} -> ")
    tail, head = (row.first, row.second) if forward else (row.second, row.first)
    return tail, "--" if row.reversible or not row.direction else "->", head


def edge_grid(rows: Sequence[Edge]) -> Any:
    """Lay edges out, with bars for their strengths and colours for their signs."""
    top = max((row.strength for row in rows if math.isfinite(row.strength)), default=0.0)
    more = _more_columns(rows)
    lines = []
    for row in rows:
        tail, sign, head = arrow(row)
        colour = "red" if row.partial_correlation < 0 else "blue"
        share = row.strength / top if top > 0 else 0.0
        lines.append(
            (
                styled(tail),
                styled(sign, "dim" if row.reversible else ""),
                styled(head),
                styled(_number(row.strength, 4)),
                bar(share, colour),
                *(styled(write(row)) for write in more.values()),
            )
        )
    ends = ("from", "to") if any(row.direction for row in rows) else ("first", "second")
    return grid([ends[0], "", ends[1], ">strength", "", *more], lines)


def _more_columns(rows: Sequence[Edge]) -> dict[str, Callable[[Edge], str]]:
    """Further columns that say something of these edges, each with how a row is written in it."""
    columns: dict[str, Callable[[Edge], str]] = {}
    if any(math.isfinite(row.partial_correlation) for row in rows):
        columns[">partial r"] = lambda row: _number(row.partial_correlation, 3)
    if any(row.refit_loss is not None for row in rows):
        columns[">refit loss"] = lambda row: _number(row.refit_loss, 4)
    if any(row.first_side is not None for row in rows):
        columns[">at first"] = lambda row: _number(row.first_side, 4)
        columns[">at second"] = lambda row: _number(row.second_side, 4)
    return columns


def _number(value: float | None, digits: int) -> str:
    return f"{value:.{digits}f}" if value is not None and math.isfinite(value) else ""


# -- for machines, and what to do next -----------------------------------------------------------


def document(
    net: Network, source: Table | Moments, path: Path, written: Iterable[Path]
) -> dict[str, Any]:
    """Give all that `show_network` prints, and more, as plain values."""
    from arcwise.data import Moments

    rows = source.n if isinstance(source, Moments) else source.rows
    return {
        "data": {"file": str(path), "rows": rows, "columns": list(source.order or source.names)},
        "words": dict(net.words),
        "score": net.score,
        "rows_used": net.rows,
        "stopped": net.stopped,
        "optimal": net.optimal,
        "steps": len(net.trace),
        "tuning": [dict(row) for row in net.tuning],
        "notes": decided(net, source),
        "strength": net.edges.meaning,
        "edges": net.edges.present.sorted().to_dict(),
        "written": [str(each) for each in written],
    }


def show_go_on(net: Network, source: Table | Moments, model: Path) -> None:
    """Print a command to go on with, on one line, so that it can be copied."""
    show(unbroken(f"Go on with: {go_on(net, source, model)}"))


def go_on(net: Network, source: Table | Moments, model: Path) -> str:
    """Give a command that asks the model something sensible: the last connected column."""
    strongest = net.edges.present.sorted().rows
    touched = {name for row in strongest for name in row[:2]}
    target = next((name for name in reversed(net.variables) if name in touched), None)
    if target is None:
        return _query(model, net.variables[-1])
    beside = next(row for row in strongest if target in row[:2])
    other = beside.second if beside.first == target else beside.first
    return _query(model, target, f"{other}={_typical(net, source, other)}")


def _query(model: Path, target: str, seen: str = "") -> str:
    """Write the command; after ``--`` nothing that begins with a minus is taken for an option."""
    plain = not any(word.startswith("-") for word in (str(model), target, seen))
    asked = f"{typed(str(model))} {typed(target)}"
    if plain:
        return f"arcwise query {asked}" + (f" --given {typed(seen)}" if seen else "")
    given = f"--given={typed(seen)} " if seen else ""
    return f"arcwise query {given}-- {asked}"


def _typical(net: Network, source: Table | Moments, name: str) -> str:
    """A value that one may well see: the mean, or the level that is most often there."""
    import numpy as np

    from arcwise.data import Moments

    if isinstance(source, Moments):
        return f"{source.mean[source.index(name)]:.3g}"
    if net.net.variables[net.net.index(name)].discrete:
        levels = source.variable(name).levels or ()
        counts = np.bincount(source.column(name), minlength=len(levels) + 1)[: len(levels)]
        return str(levels[int(counts.argmax())])
    return f"{np.nanmean(source.select([name]).matrix()):.3g}"
