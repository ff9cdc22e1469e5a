"""What was typed, into what the library takes: data, words of learning, networks, graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from arcwise.cli.rows import read_moments, read_table
from arcwise.cli.shell import arcs, assignments, names, number, options
from arcwise.errors import DataError, FileError, GraphError, WordError, unknown

if TYPE_CHECKING:
    from arcwise.data import Kind, Moments, Table
    from arcwise.graphs import DAG, PDAG, UGraph

__all__ = [
    "any_graph",
    "directed_graph",
    "fitted_graph",
    "learning_words",
    "load_network",
    "moments",
    "table",
]

STARTS = ("empty", "complete", "random")
# Words of `learn` that have an option of their own, so that --option does not take them.
OWN = ("seed", "n_jobs", "time", "kinds", "weights", "missing", "progress")


# -- data ----------------------------------------------------------------------------------------


def table(asked: Mapping[str, Any]) -> Table:
    """Read a table by the options of a command, given by name."""
    return read_table(asked["data"], kinds=_kinds(asked["kind"]), **_reading(asked))


def moments(asked: Mapping[str, Any]) -> Moments:
    """Gather the moments of a file by the options of a command, given by name."""
    if asked["kind"]:
        raise DataError("--kind does not go with --stream: a stream takes all columns as numbers.")
    return read_moments(asked["data"], **_reading(asked))


def _reading(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "missing": asked["missing"] or [],
        "weights": asked["weights"],
        "only": names(asked["only"] or []),
        "drop": names(asked["drop"] or []),
    }


def _kinds(texts: Sequence[str] | None) -> dict[str, Kind]:
    """Give the kinds asked for, by column."""
    from arcwise.data import KINDS

    found = assignments(texts or (), "--kind")
    for kind in found.values():
        if kind not in KINDS:
            raise unknown("kind of column", kind, KINDS)
    return cast("dict[str, Kind]", found)


# -- learning ------------------------------------------------------------------------------------


def learning_words(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Give what `learn` and `validate` take, from the options of a command, given by name."""
    from arcwise.graphs import Rules

    rules = Rules(
        required=arcs(asked["require"] or ()),
        forbidden=arcs(asked["forbid"] or ()),
        tiers=[names([text]) for text in asked["tier"] or ()],
        max_parents=asked["max_parents"],
    )
    words = {
        **{word: asked[word] for word in ("graph", "model", "score", "search", "seed")},
        "rules": rules,
        "n_jobs": asked["jobs"],
        "prior_rows": _prior(asked),
        **{word: read(asked[word]) for word, read in _SETTLED.items() if word in asked},
    }
    extra = options(asked["option"] or ())
    for name in extra:
        if name in words or name in OWN or name in _SETTLED:
            raise WordError(f"{name!r} is no --option: it has an option of its own, see --help.")
    return {**words, **extra}


def pruning_words(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Give what `prune` takes, from the options of its command, given by name."""
    words = {word: asked[word] for word in ("model", "score", "seed")}
    return {**words, "n_jobs": asked["jobs"], **options(asked["option"] or ())}


def _prior(asked: Mapping[str, Any]) -> Table | None:
    """Artificial rows from a file, read like the data."""
    if asked["prior_rows"] is None:
        return None
    return read_table(
        asked["prior_rows"],
        kinds={},
        missing=asked["missing"] or [],
        weights=None,
        only=[],
        drop=[],
    )


def _penalty(text: str | None) -> float | str | None:
    return None if text is None else number(text)


def _expert(text: str | None) -> DAG | None:
    return None if text is None else directed_graph(text)


def _start(text: str) -> str | DAG:
    if text in STARTS:
        return text
    # A misspelt word has neither an ending nor a sign of formulas.
    if not any(sign in text for sign in ".[:+|~*/") and not Path(text).exists():
        raise unknown("start", text, STARTS)
    return directed_graph(text)


# Words that not every command which learns has, each with what becomes of its text.
_SETTLED: Mapping[str, Callable[[Any], Any]] = {
    "penalty": _penalty,
    "start": _start,
    "expert": _expert,
    "expert_weight": float,
}


# -- networks and graphs -------------------------------------------------------------------------


def load_network(path: Path) -> Any:
    """Read a model file."""
    from arcwise.api import load

    return load(path)


def any_graph(text: str) -> DAG | UGraph | PDAG:
    """Give the graph of a file (model, BIF, table of arcs), or of a model string or formula.

    A formula for an undirected graph begins with ``ug``.
    """
    from arcwise import io
    from arcwise.graphs import dag, either, ug

    if Path(text).exists():
        return io.load(text).graph
    if text.startswith("ug "):
        return ug(text.removeprefix("ug ").strip())
    if any(sign in text for sign in ("->", *"[:+|*~")):
        if either(text):
            raise GraphError(
                f"{text!r} does not say whether its edges have a direction: write 'ug {text.strip()}' for an"
                " undirected graph; for a directed one arcs such as 'parent -> child', or a model string"
                " such as '[a][b|a]'."
            )
        return dag(text.strip())
    raise FileError(
        f"There is no file {text!r}; a graph is a model file, a .bif file, a .csv table of arcs or"
        " edges, a model string such as '[a][b|a]', arcs such as 'a -> b, b -> c', or 'ug a:b + b:c' for an"
        " undirected one."
    )


def fitted_graph(text: str) -> DAG | UGraph:
    """Give a graph that local models can be fitted to."""
    from arcwise.graphs import PDAG

    graph = any_graph(text)
    if isinstance(graph, PDAG):
        raise DataError(f"{text!r} holds a graph that is directed in part only.")
    return graph


def directed_graph(text: str) -> DAG:
    """Give the directed graph of a file, a model string or a formula."""
    from arcwise.graphs import DAG

    graph = any_graph(text)
    if not isinstance(graph, DAG):
        raise DataError(f"{text!r} holds a graph that is not directed.")
    return graph


def said(**options: Any) -> dict[str, Any]:
    """Options that were given; answers in closed form take no notice of them."""
    return {word: value for word, value in options.items() if value is not None}
