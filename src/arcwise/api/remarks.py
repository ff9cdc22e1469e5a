"""What a report says in sentences: what was learned, and what to doubt with what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict
from unicodedata import bidirectional

from arcwise.api.describe import all_notes, edge_count, no_edges
from arcwise.errors import join_words, plural
from arcwise.evaluate import Edge

if TYPE_CHECKING:
    from arcwise.api.net import Network

__all__ = ["Doubt", "doubts", "sentences"]

CERTAIN, UNCERTAIN = 0.9, 0.5
ROWS_PER_VARIABLE = 10
MAX_NAME, MAX_NOTE = 80, 1500
"""Characters of a name and of a note that are shown."""

_OTHER_WAY = frozenset(("R", "AL", "RLE", "RLO", "LRE", "LRO", "RLI", "LRI", "FSI"))


class Doubt(TypedDict):
    """A reason for doubt: what it is about in a word or two, the fact, and what to do."""

    about: str
    text: str
    fix: str


def sentences(net: Network) -> list[str]:
    """Three sentences: what was learned from what, the strongest edges, and how certain they are."""
    rows = list(net.edges.present.sorted())
    if not rows:
        return [_origin(net), no_edges(net)]
    return [_origin(net), _strongest(rows), _certainty(rows, net.directed)]


def _origin(net: Network) -> str:
    kind = "a directed graph" if net.directed else "an undirected graph"
    size, edges = plural(len(net.variables), "variable"), edge_count(net)
    if net.rows is None:
        return f"The network has {size} and {kind} with {edges}."
    best = ""
    if net.optimal:
        score = net.settings.get("score", "score")
        among = net.stopped.detail.removeprefix("among ") or "all possible graphs"
        best = f"; it is proved to have the best {score} score of {among}"
    return f"From {net.rows:,.10g} rows of {size}, Arcwise learned {kind} with {edges}{best}."


def _strongest(rows: list[Edge]) -> str:
    count = min(3, len(rows))
    pairs = [_pair(row) for row in rows[:count]]
    if count == 1:
        return f"Its strongest edge is {pairs[0]}."
    return f"Its strongest edges are {', '.join(pairs[:-1])} and {pairs[-1]}."


def _pair(row: Edge) -> str:
    """An edge as people read it: a line without a head where its direction is open."""
    first, second = _in_text(row.first), _in_text(row.second)
    if not (row.direction and row.head):
        return f"{first} — {second}"
    forward = row.direction.startswith(f"{row.first} -> ")
    tail, head = (first, second) if forward else (second, first)
    return f"{tail} → {head}"


def _in_text(name: str) -> str:
    """A name inside a sentence: cut if very long, and isolated if it is written from right to left."""
    text = name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"
    turned = any(bidirectional(character) in _OTHER_WAY for character in text)
    return f"\u2068{text}\u2069" if turned else text


def _certainty(rows: list[Edge], directed: bool) -> str:
    levels = [row.certainty for row in rows if row.certainty is not None]
    headless = sum(not row.head for row in rows) if directed else 0
    text = _share(levels, len(rows)) if levels else "There is no certainty for its edges"
    if not directed:
        return f"{text}."
    if not headless:
        return f"{text}; {'it has' if len(rows) == 1 else 'all have'} a direction."
    if headless == len(rows):
        return (
            f"{text}; the data leave {'its direction' if headless == 1 else 'all directions'} open."
        )
    open_ones = "one of them" if headless == 1 else f"{headless} of them"
    return f"{text}; the data leave the direction of {open_ones} open."


def _share(levels: list[float], count: int) -> str:
    """How many edges are certain."""
    if count == 1:
        return f"Its certainty is {levels[0]:.2f}"
    sure = sum(level >= CERTAIN for level in levels)
    if sure == count:
        return f"All {count} edges have a certainty of at least {CERTAIN:g}"
    share = f"{sure or 'None'} of {count} edges"
    return f"{share} {'has' if sure < 2 else 'have'} a certainty of at least {CERTAIN:g}"


def doubts(net: Network) -> list[Doubt]:
    """Reasons for doubt: few rows, uncertain edges, open directions, and the notes of learning."""
    rows = list(net.edges.present.sorted())
    found = [_few_rows(net), _uncertain(rows), _open(rows, net.directed), _certainty_doubt(net)]
    notes: list[Doubt] = [
        {"about": note.kind.value, "text": _cut(str(note)), "fix": ""} for note in all_notes(net)
    ]
    return [*(each for each in found if each is not None), *notes]


def _cut(text: str) -> str:
    return text if len(text) <= MAX_NOTE else f"{text[: MAX_NOTE - 1]}…"


def _few_rows(net: Network) -> Doubt | None:
    if net.rows is None or net.rows >= ROWS_PER_VARIABLE * len(net.variables):
        return None
    return {
        "about": "few rows",
        "text": f"There are {net.rows:.6g} rows for {plural(len(net.variables), 'variable')}.",
        "fix": "Treat weak edges as suggestions, and learn from more rows or fewer columns.",
    }


def _uncertain(rows: list[Edge]) -> Doubt | None:
    weak = [row for row in rows if row.certainty is not None and row.certainty < UNCERTAIN]
    if not weak:
        return None
    names = join_words((_pair(row) for row in weak), 5)
    verb = "edge has" if len(weak) == 1 else "edges have"
    return {
        "about": "uncertain edges",
        "text": f"{len(weak)} {verb} a certainty below {UNCERTAIN:g}: {names}.",
        "fix": "Do not rely on them alone; more rows decide.",
    }


def _open(rows: list[Edge], directed: bool) -> Doubt | None:
    headless = [row for row in rows if not row.head] if directed else []
    if not headless:
        return None
    names = join_words((_pair(row) for row in headless), 5)
    return {
        "about": "open directions",
        "text": (
            f"The data do not determine the direction of {plural(len(headless), 'edge')}: {names}."
        ),
        "fix": "Give known directions by required= or tiers=, or run an experiment.",
    }


def _certainty_doubt(net: Network) -> Doubt | None:
    if not net.edges.unchecked or net.rows is None:
        return None
    return {
        "about": "certainty",
        "text": f"There is no certainty of edges: {net.edges.unchecked}.",
        "fix": "net.certainty() computes it.",
    }
