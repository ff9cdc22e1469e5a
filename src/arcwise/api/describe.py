"""A network in words and in plain values, so that the shell, a report and a page say the same.

Draws of chains are given in the form of other libraries.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import io
from arcwise.conditionals.glm import GlmConditional
from arcwise.data import Source, Table
from arcwise.errors import FileError, FitError, plural
from arcwise.evaluate import EdgeTable, Validation, pack_edges
from arcwise.frame import LONGEST_CELL, escaped, html_block
from arcwise.learners.parameters import is_pseudo
from arcwise.learners.posteriors.plan import no_chains
from arcwise.notes import Note

if TYPE_CHECKING:
    from arcwise.api.document import Document
    from arcwise.api.net import Network
    from arcwise.api.posteriors import Posterior
    from arcwise.plot import Axes

# Rules that choose a penalty, beside cross-validation.
_RULES = {"ebic": "EBIC", "stars": "stability (StARS)", "ric": "rotations (RIC)"}


def describe(
    net: Network, seconds: float | None = None, words: Callable[[Note], str] = str
) -> list[tuple[str, str]]:
    """What is known of a network, as pairs of a label and a sentence; labels may repeat.

    `seconds` are those that learning took, where that is to be told; `words` writes notes.

    >>> import arcwise as aw
    >>> net = aw.learn(aw.example("boston").select(["RM", "LSTAT", "MEDV"]), model="gaussian")
    >>> for label, text in net.describe()[:4]:
    ...     print(f"{label}: {text}")
    data: 506 rows, 3 columns
    graph: directed, 3 arcs
    model: gaussian
    score: ebic -3745.8928, proved to be the best of all graphs
    """
    found = [
        ("data", _data(net)),
        *(("note", words(note)) for note in all_notes(net)),
        ("graph", f"{'directed' if net.directed else 'undirected'}, {edge_count(net)}"),
        ("model", str(net.settings.get("model", ""))),
        ("forms", _forms(net)),
        ("score", _score(net)),
        ("options", _score_options(net)),
        ("penalty", _penalty(net)),
        ("search", _search(net, seconds)),
        *(("edges", line) for line in legend(net.edges.present, words) or [no_edges(net)]),
    ]
    return [(label, text) for label, text in found if text]


def all_notes(net: Network) -> list[Note]:
    """What was guessed, left out and decided on the way from the data to the network, each once."""
    if net.data is None:
        return list(dict.fromkeys(net.notes))
    return list(dict.fromkeys([*net.data.notes, *net.notes]))


def legend(edges: EdgeTable, words: Callable[[Note], str] = str) -> list[str]:
    """What the columns of a table of edges mean."""
    if not len(edges):
        return []
    lines = [f"Strength (nats): {edges.meaning}."]
    if any(math.isfinite(row.partial_correlation) for row in edges):
        lines.append("Partial r: correlation of the two given all other variables.")
    if "certainty" in edges.more:
        lines.append(f"Certainty of an edge between the two: {edges.certainty_meaning}.")
    if "direction_support" in edges.more:
        lines.append("Direction: share of these graphs whose equivalence class compels this arrow.")
        if any(row.head_origin == "shape" for row in edges):
            lines.append("Direction of heads by shape: share of these graphs that have the arrow.")
    if "reversal_loss" in edges.more and np.isfinite(edges.more["reversal_loss"]).any():
        lines += [
            "Reversed (nats): loss of the best equivalent graph with the arrow reversed.",
            "From 4 nats on, the shape of the local models determines the head.",
        ]
    if edges.unchecked:
        lines.append(f"Certainty: none, {words(edges.unchecked)}.")
        lines += ["Arrow heads are unchecked."] if edges.directed else []
    if "refit_loss" in edges.more:
        said = "Refit loss (nats per row): the loss in likelihood without the edge, all others"
        lines.append(f"{said} fitted again.")
    if any(row.strength < 0 for row in edges):
        lines.append("Strength below 0: the score is better without the edge.")
    if "first_side" in edges.more:
        lines.append(
            "At its ends: the gain of the models of the first and of the second "
            "variable by the edge."
        )
    if any(row.direction and not row.head for row in edges):
        lines.append(_headless(edges))
    return lines


def _headless(edges: EdgeTable) -> str:
    """What an edge without an arrow head means."""
    if "direction_support" not in edges.more:
        return "--  data alone do not determine the direction of this edge."
    return "--  the direction is open, or under half of the graphs support it."


def tuning_rows(net: Network) -> list[dict[str, float | int | None]]:
    """The curve that the penalty was chosen by, one row per penalty, all with all columns."""
    if not net.tuning:
        raise FitError(
            "There is no tuning curve: the penalty of this network was given, or it has none "
            "(stepwise), or its choice was stopped early."
        )
    names = dict.fromkeys(name for row in net.tuning for name in row)
    chosen = [row["penalty"] for row in net.tuning].index(net.settings["penalty"])
    return [
        {**{name: row.get(name) for name in names}, "chosen": int(number == chosen)}
        for number, row in enumerate(net.tuning)
    ]


def checked_place(place: Path) -> Path:
    """Return the path of a network file; pictures are drawn, not saved."""
    if place.suffix.lower() in (".png", ".pdf", ".svg", ".jpg"):
        raise FileError(
            f"{str(place)!r} is a figure, not a network file: write "
            f"net.plot().figure.savefig({str(place)!r})."
        )
    return place


def save_tuning(net: Network, place: Path) -> Path:
    """Write how the penalty was chosen: its figures or a picture, by the file extension."""
    from arcwise.plot import PICTURES, save_picture

    rows = net.tuning_rows()
    if Path(place.name.lower().removesuffix(".gz")).suffix in PICTURES:
        save_picture(net.plot_tuning, place)
    else:
        io.write_figures(rows, place)
    return place


def plot_tuning(net: Network, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the criterion that chose the penalty against the penalty."""
    from arcwise.plot import plot_tuning as draw

    usual = f"nats per {'arc' if net.directed else 'edge'} and row"
    unit = str(net.settings.get("penalty_unit", usual))
    chosen = float(net.settings.get("penalty", 0.0))
    return draw(net.tuning, chosen, unit=unit, ax=ax, title=title)


def document(net: Network, title: str, validation: Validation | None, rows: bool) -> Document:
    """Return the contents of a report, as plain values for JSON."""
    from arcwise.api import document as module

    return module.document(net, title, validation, rows=rows)


def write_report(
    net: Network, path: Path, title: str, validation: Validation | None, rows: bool
) -> Path:
    """Write a report to a .html file."""
    from arcwise.api.reports import write_report

    return write_report(net, path, title, validation, rows=rows)


def mimebundle(net: Network) -> dict[str, str]:
    """What notebooks show: the page itself, or the summary for large networks."""
    from arcwise.api.reports import live_html

    return {"text/plain": repr(net), "text/html": live_html(net) or html(net)}


def about(net: Network) -> dict[str, Any]:
    """What a file contains of a network beside its local models, as plain values."""
    from arcwise.api.edge_certainty import packed_graphs

    measured = net.scorer or "certainty" in net.edges.more
    return {
        "score": net.score,
        "stopped": net.stopped.to_dict(),
        "optimal": net.optimal,
        "settings": dict(net.settings),
        "notes": [note.stored() for note in net.notes],
        "order": list(net.variables),
        "rows": net.rows,
        "fingerprint": net.fingerprint,
        "tuning": [dict(row) for row in net.tuning],
        "edges": pack_edges(net.edges) if measured else dict(net._saved_edges),
        **({"rules": net.rules.to_dict()} if net.rules and net.directed else {}),
        **packed_graphs(net),
    }


def to_dict(net: Network) -> dict[str, Any]:
    """All that is told of a network, as plain values: no trace, no local models."""
    told = ("score", "rows", "optimal")
    return {
        "variables": list(net.variables),
        "directed": net.directed,
        "settings": dict(net.settings),
        **{name: getattr(net, name) for name in told},
        "stopped": str(net.stopped),
        "stop_reason": net.stopped.reason.value,
        "steps": len(net.trace),
        "tuning": [dict(row) for row in net.tuning],
        "notes": [note.to_dict() for note in all_notes(net)],
        "strength": net.edges.meaning,
        **({"certainty": net.edges.certainty_meaning} if net.edges.certainty_meaning else {}),
        **({"unchecked": str(net.edges.unchecked)} if net.edges.unchecked else {}),
        "edges": net.edges.present.sorted().to_records(),
    }


def summary(net: Network) -> str:
    """A few lines a person likes to read."""
    lines = [*_head_lines(net), *(f"note: {note}" for note in net.notes)]
    shown = net.edges.present
    return "\n".join([*lines, "", str(shown)] if len(shown) else lines)


def html(net: Network) -> str:
    """The same for a notebook: the lines, the graph, and its strongest edges."""
    from arcwise.plot import graph_svg

    edges = net.edges.present
    drawn = graph_svg(edges.drawn(net.graph), edges) or ""
    table = edges.to_html(_EDGES) if len(edges) else ""
    lines = [*(f"<p>{escaped(line)}</p>" for line in _head_lines(net)), *notes_html(net.notes)]
    return html_block(*lines, drawn, table)


def posterior_html(post: Posterior) -> str:
    """A distribution over graphs for a notebook: its lines, its best graph, and the most probable edges."""
    from arcwise.plot import graph_svg

    drawn = graph_svg(post.drawn.graph) or ""
    first, *rest = (f"<p>{escaped(line)}</p>" for line in post.heading())
    lines = (first, *notes_html(post.notes), *rest)
    return html_block(*lines, drawn, post.edges.to_html(_EDGES))


def notes_html(notes: Iterable[Note]) -> list[str]:
    """Notes as paragraphs, escaped, with what to type as code."""
    sentences = (
        note.html() if len(str(note)) <= LONGEST_CELL else escaped(str(note)) for note in notes
    )
    return [f"<p>note: {sentence}</p>" for sentence in sentences]


_EDGES = 12
"""Edges that are listed under a picture."""


def _head_lines(net: Network) -> list[str]:
    lines = [repr(net)[1:-1]]
    if net.score is not None:
        proof = _proof(net)
        word = net.settings.get("score", "score")
        rows = "" if net.rows is None else f" on {net.rows:g} rows"
        lines.append(f"{word} {net.score:.4f}{rows}{proof}")
    if net.stopped:
        steps = len(net.trace)  # a file keeps none of them
        taken = f", {plural(steps, 'step')}" if steps else ""
        lines.append(f"search: {net.settings.get('search', 'search')}{taken}; {net.stopped}")
    return lines


def _data(net: Network) -> str:
    if net.data is None:
        return "" if net.rows is None else plural(net.rows, "row")
    return data_said(net.data, net.rows, len(net.variables))


def data_said(data: Source, counted: float | None, taken: int | None = None) -> str:
    """How much data there are: rows, those that counted, columns, those that were taken."""
    rows, there = data.rows if isinstance(data, Table) else data.total, len(data.variables)
    all_count = counted is None or counted == rows
    used = "" if all_count else f" ({counted:.1f} counted)".replace(".0 ", " ")
    columns = plural(there, "column")
    return f"{plural(rows, 'row')}{used}, {columns if taken in (None, there) else f'{taken} of {columns}'}"


def _forms(net: Network) -> str:
    """The forms that local models were chosen among, and the closest choice."""
    named = zip(net.net.names, net.net.conditionals, strict=True)
    chosen = [(name, each) for name, each in named if isinstance(each, GlmConditional)]
    close = [(each.lead, name, each) for name, each in chosen if each.runner_up]
    if not close:
        return ""
    counts = Counter(each.form for _, each in chosen)
    listed = ", ".join(f"{form} {count}" for form, count in counts.most_common())
    lead, name, each = min(close, key=lambda one: one[:2])
    return f"{listed}; closest: {name} ({each.runner_up} -{lead:.1f} nats)"


def edge_count(net: Network) -> str:
    """How many arcs or edges a network has."""
    return plural(net.net.n_edges, "arc" if net.directed else "edge")


def _score(net: Network) -> str:
    if net.score is None:
        return ""
    proof = _proof(net)
    word = net.settings.get("score", "score")
    if is_pseudo(word):
        proof = ", summed over all variables given their neighbours"
    return f"{word} {net.score:.4f}{proof}"


def _score_options(net: Network) -> str:
    """The options of the score, and what they take off for a parent."""
    given = net.settings.get("score_options", {})
    texts = [f"{name} {value}" for name, value in given.items() if value is not None]
    cost = net.settings.get("parent_penalty", 0.0)
    each = "parent" if net.directed else "edge"
    return ", ".join(texts) + (f": {cost:.3g} nats per {each}" if cost else "")


def _proof(net: Network) -> str:
    """The claim that a graph is the best, which names the graphs that were compared."""
    if not net.optimal:
        return ""
    among = net.stopped.detail.removeprefix("among ") or "all graphs"
    return f", proved to be the best of {among}"


def _penalty(net: Network) -> str:
    if "penalty" not in net.settings:
        return ""
    tuned, rule = "", str(net.settings.get("penalty_rule") or "")
    if net.tuning:
        tuned = f", found by {_RULES.get(rule, 'cross-validation')}"
    elif rule:
        tuned = "; tuning was stopped early"
    unit = f"({net.settings['penalty_unit']})" if "penalty_unit" in net.settings else ""
    usual = f"nats per {'arc' if net.directed else 'edge'} and row"
    return f"{net.settings['penalty']:.4g} {unit or usual}{tuned}"


def _search(net: Network, seconds: float | None) -> str:
    if not net.stopped:
        return ""
    took = "" if seconds is None else f" in {seconds:.1f} s"
    reason = "" if net.optimal else f"; {net.stopped}"
    return f"{net.settings.get('search', '')}, {plural(len(net.trace), 'step')}{took}{reason}"


def no_edges(net: Network) -> str:
    """Say why there are none; only a search that came to its end tells something of the data."""
    if len(net.variables) == 1:
        return f"No edges: there is only one variable, {net.variables[0]}."
    if net.stopped.early:
        return f"No edges: the search was stopped before it found any ({net.stopped})."
    if not net.stopped:
        return "No edges: the graph has none."
    if net.settings.get("penalty", 0) > 0:
        more = "" if net.settings.get("penalty_rule") else " A smaller penalty keeps more."
        return f"No edges: none is worth this penalty.{more}"
    return "No edges: no dependence between variables found."


# -- draws ---------------------------------------------------------------------------------------


def arc_draws(post: Posterior) -> NDArray[np.bool_]:
    """Whether each arc was there: (chain, draw, parent, child)."""
    ends = [name for name in post.kept if name.endswith("_parents") and "state" not in name]
    names = sorted(name for name in ends if len(post.kept[name]))
    if not names or not post.directed:
        raise no_chains("drawn graphs")
    least, p = min(len(post.kept[name]) for name in names), len(post.found.nodes)
    found = []
    for name in names:
        bits = np.ascontiguousarray(post.kept[name][-least:], dtype="<u8")
        flat = np.unpackbits(bits.view(np.uint8).reshape(least, p, -1), axis=2, bitorder="little")
        found.append(flat[:, :, :p].transpose(0, 2, 1).astype(bool))
    return np.stack(found)


def to_arviz(post: Posterior) -> Any:
    """The draws of chains as an ArviZ InferenceData; without ArviZ, a dictionary in its layout."""
    draws = {"score": post.log_scores(), "arc": arc_draws(post)}
    names = list(post.found.nodes)
    coordinates = {"parent": names, "child": names}
    dimensions = {"arc": ["parent", "child"]}
    try:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how its next version will look is its own matter
            import arviz
    except ImportError:
        return {"posterior": draws, "coords": coordinates, "dims": dimensions}
    return arviz.from_dict(posterior=draws, coords=coordinates, dims=dimensions)
