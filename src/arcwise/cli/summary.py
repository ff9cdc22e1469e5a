"""A fitted network as a person likes to read it: what it was made from, its edges, how to go on."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.cli.shell import shell_words
from arcwise.cli.shown import bar, facts, grid, listed, plural, show, styled

if TYPE_CHECKING:
    from arcwise.api import Network
    from arcwise.data import Moments, Table
    from arcwise.evaluate import Edge, EdgeTable

__all__ = ["arrow", "decided", "document", "edge_grid", "go_on", "show_edges", "show_network"]

# More edges than this are not printed after learning; `arcwise edges` prints all.
PRINTED = 40


def show_network(
    net: Network, source: Table | Moments, path: Path, seconds: float | None = None
) -> None:
    """Print what was learned or fitted: data, decisions, score, search, edges."""
    show(facts(_about(net, source, path, seconds)), "")
    show_edges(net.edges.present.sorted(), most=PRINTED)


def _about(
    net: Network, source: Table | Moments, path: Path, seconds: float | None
) -> list[tuple[str, object]]:
    used, there = len(net.variables), plural(len(source.variables), "column")
    variables = there if used == len(source.variables) else f"{used} of {there}"
    lines: list[tuple[str, object]] = [
        ("data", styled(f"{path.name}: {_rows(net, source)}, {variables}")),
        *(("note", shell_words(note)) for note in decided(net, source)),
        ("model", str(net.words.get("model", ""))),
        ("score", _score(net)),
    ]
    if net.words.get("penalty"):
        tuned = ", found by cross-validation" if net.tuning else ""
        lines.append(("penalty", f"{net.words['penalty']:.4g} nats per arc and row{tuned}"))
    if net.stopped:
        lines.append(("search", _search(net, seconds)))
    return lines


def _rows(net: Network, source: Table | Moments) -> str:
    from arcwise.data import Moments

    rows = source.n if isinstance(source, Moments) else source.rows
    used = "" if net.rows is None or net.rows == rows else f" ({net.rows:.10g} counted)"
    return plural(rows, "row") + used


def _score(net: Network) -> str:
    if net.score is None:
        return ""
    proof = ", proved to be the best of all graphs" if net.optimal else ""
    return f"{net.words.get('score', 'score')} {net.score:.4f}{proof}"


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
        verb = (
            "has few whole numbers and counts"
            if len(recast) == 1
            else "have few whole numbers and count"
        )
        notes.append(f"{listed(recast)} {verb} as numbers here.")
    return notes


# -- edges ---------------------------------------------------------------------------------------


def show_edges(edges: EdgeTable, most: int | None = None) -> None:
    """Print edges in their order, with what their strength means."""
    if not len(edges):
        show("No edges: no variable tells anything of another.", "")
        return
    rows = list(edges)[: most or len(edges)]
    show(edge_grid(rows))
    if len(edges) > len(rows):
        show(f"... and {plural(len(edges) - len(rows), 'more edge')}")
    show("", *_legend(edges, rows), "")


def _legend(edges: EdgeTable, rows: Sequence[Edge]) -> list[Any]:
    count = plural(len(edges), "edge")
    lines = [styled(f"{count}. Strength (nats): {edges.meaning}.", "dim")]
    if any(row.reversible for row in rows):
        lines.append(styled("--  data alone cannot tell the direction of this edge.", "dim"))
    return lines


def arrow(row: Edge) -> tuple[str, str, str]:
    """Give a pair as it is read: from, sign, to."""
    if not row.present:
        return row.first, "", row.second
    forward = row.direction.startswith(f"{row.first} -> ")
    tail, head = (row.first, row.second) if forward else (row.second, row.first)
    return tail, "--" if row.reversible else "->", head


def edge_grid(rows: Sequence[Edge]) -> Any:
    """Lay edges out, with bars for their strengths and colours for their signs."""
    top = max((row.strength for row in rows if math.isfinite(row.strength)), default=0.0)
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
                styled(_number(row.partial_correlation, 3)),
            )
        )
    return grid(["from", "", "to", ">strength", "", ">partial r"], lines)


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else ""


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


def go_on(net: Network, source: Table | Moments, model: Path) -> str:
    """Give a command that asks the model something sensible: the last connected column."""
    strongest = net.edges.present.sorted().rows
    touched = {name for row in strongest for name in row[:2]}
    target = next((name for name in reversed(net.variables) if name in touched), None)
    if target is None:
        return f"arcwise query {shlex.quote(str(model))} {shlex.quote(net.variables[-1])}"
    beside = next(row for row in strongest if target in row[:2])
    other = beside.second if beside.first == target else beside.first
    seen = shlex.quote(f"{other}={_typical(source, other):.3g}")
    return f"arcwise query {shlex.quote(str(model))} {shlex.quote(target)} --given {seen}"


def _typical(source: Table | Moments, name: str) -> float:
    import numpy as np

    from arcwise.data import Moments

    if isinstance(source, Moments):
        return float(source.mean[source.index(name)])
    return float(np.nanmean(source.select([name]).matrix()))
