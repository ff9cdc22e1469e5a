"""Posteriors in files: how they are written, and checks of what a file says of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from math import isnan
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import io, results
from arcwise.api.choices import specification
from arcwise.api.options import Model, Option, Prior, ScoreOption, Search
from arcwise.api.posteriors import Posterior
from arcwise.api.search_options import STARTS
from arcwise.conditionals import DefaultScore
from arcwise.data import Moments, Source, Table, statistics_of
from arcwise.errors import ArcwiseError, FileError
from arcwise.graphs import DAG, Rules, dag
from arcwise.io.checkpoint import digest
from arcwise.io.codec import fits
from arcwise.learners import Specification
from arcwise.learners.posteriors.plan import Plan
from arcwise.notes import NOT_STOPPED, Note, NoteKind, Stop, notes_of
from arcwise.scores import SCORES
from arcwise.undirected.given_matrices import Factors
from arcwise.values import is_count


def save_posterior(post: Posterior, place: Path, with_data: bool) -> Path:
    """Write a posterior to a file; other formats would hold no more than one of its graphs."""
    if not place.name.lower().removesuffix(".gz").endswith((".json", ".arcwise")):
        raise FileError(
            f"A distribution over graphs must be saved as .json or .arcwise, got {place.name!r}; "
            "best.save() or averaged().save() write one network."
        )
    io.save(_stored_posterior(post, with_data), place)
    return place


def _stored_posterior(post: Posterior, with_data: bool) -> io.StoredNet:
    """A posterior as a document holds it: the best graph, and all else beside it."""
    found = post.found
    about: dict[str, Any] = {
        "kind": "posterior",
        "found": {
            **{name: getattr(found, name) for name in _MATRICES},
            **{name: getattr(found, name) for name in _PLAIN},
            "diagnostics": dict(found.diagnostics),
            "stopped": found.stopped.to_dict(),
            "notes": [note.stored() for note in found.notes],
        },
        "graphs": io.pack_graphs([tuple(found.graphs)]),
        "plan": _plain_plan(post.plan),
        "settings": dict(post.settings),
        "order": list(post.variables),
        "rows": post.rows,
        "fingerprint": post.fingerprint,
        "seed": post.seed,
        "kept": dict(post.kept),
        "kept_digest": digest(post.kept).hex(),
    }
    choices = _plain_choices(post)
    if choices is not None:
        about["choices"] = choices
    source = post.data
    if with_data and source is not None:
        about["data"] = _plain_data(source)
    return io.StoredNet(found.best, None if source is None else source.variables, None, about)


_MATRICES = ("weights", "arcs", "adjacent", "arc_errors", "adjacent_errors", "shares")
_PLAIN = (
    "meaning", "prior", "draws", "ess", "graph_ess", "classes", "ties", "log_evidence",
)  # fmt: skip


def _plain_plan(plan: Plan) -> dict[str, Any]:
    """The plan as plain values; probabilities of arcs are a matrix with names."""
    own = {each.name: getattr(plan, each.name) for each in fields(plan)}
    prior = plan.prior
    if isinstance(prior, Factors):
        own["prior"] = {"names": list(prior.names or ()), "values": prior.values}
    return {**own, "n_jobs": 1, "backend": "joblib"}


def _read_plan(held: Mapping[str, Any]) -> Plan:
    prior = held["prior"]
    if fits(prior, dict):
        prior = Factors(np.asarray(prior["values"], dtype=float), tuple(prior["names"]))
    fraction = held["fraction"]
    if not fits(fraction, float | None) or (fraction is not None and not 0 < fraction <= 1):
        raise FileError("its fraction of rows must be a number from 0 to 1")
    if not fits(held["sampler"], str | None):
        raise FileError("its sampler must be text")
    return Plan(**{**held, "prior": prior, "n_jobs": 1, "backend": "joblib"})


_FORMS: dict[type, Callable[[Any], Any]] = {
    Rules: Rules.to_dict,
    DAG: str,
    DefaultScore: lambda score: {"word": score.word, "options": dict(score.options)},
}
"""Values of a specification that are no plain ones, with how they are written."""

PLAIN = str | bool | int | float | None
_OPTIONS = ("search_options", "score_options", "model_options")
_CHOICES = (
    "graph", "model", "score", "search", "start", "penalty", "rule", "rules", "expert", "expert_weight",
    "missing", "score_default", *_OPTIONS,
)  # fmt: skip
"""The choices of a specification that a file holds; artificial rows have no plain form."""


def _plain_choices(post: Posterior) -> dict[str, Any] | None:
    """The choices of a specification as plain values; None if some have none."""
    spec = post.specification
    if spec is None or spec.pseudo_rows is not None:
        return None
    choices: dict[str, Any] = {}
    for name in _CHOICES:
        value = getattr(spec, name)
        plain = _FORMS[type(value)](value) if type(value) in _FORMS else value
        if not (fits(plain, PLAIN) or type(value) in _FORMS or _is_plain(plain)):
            return None
        choices[name] = plain
    return choices


def _is_plain(value: object) -> bool:
    """Whether a value consists of mappings with text keys, lists and plain values."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return fits(value, PLAIN)


def _plain_data(source: Source) -> dict[str, Any]:
    if isinstance(source, Moments):
        return {"n": source.n, "mean": source.mean, "scatter": source.scatter}
    table = statistics_of(source).rows("A saved posterior needs")
    plain = {"columns": list(table.columns), "fixed": sorted(table.fixed)}
    return {**plain, "weights": table.weights, "notes": [note.stored() for note in table.notes]}


def read_posterior(stored: io.StoredNet, path: str | PathLike[str]) -> Posterior:
    """A posterior from what a file holds."""
    about: Mapping[str, Any] = stored.about
    try:
        return _read_posterior(stored, about)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArcwiseError) as error:
        why = shorten(str(error).strip().rstrip("."), 300)
        raise FileError(
            f"{str(path)!r} cannot be read: it is a damaged posterior ({why})."
        ) from None


def _read_posterior(stored: io.StoredNet, about: Mapping[str, Any]) -> Posterior:
    nodes, own = stored.graph.nodes, {"ties": False, **about["found"]}
    graphs: Any = io.unpack_graphs(about["graphs"], nodes, bool(stored.graph.directed))[0]
    values: dict[str, Any] = {name: np.asarray(own[name], dtype=float) for name in _MATRICES}
    values |= {name: own[name] for name in _PLAIN}
    values |= {"diagnostics": as_mapping(own["diagnostics"]), "stopped": as_stop(own["stopped"])}
    found = results.GraphDistribution(
        nodes, graphs, **values, notes=as_notes(own["notes"], NoteKind.CERTAINTY)
    )
    check_posterior(found)
    kept = as_mapping(about["kept"])
    if not fits(kept, dict[str, np.ndarray]):
        raise FileError("the state to continue from is not an array")
    if about.get("kept_digest", digest(kept).hex()) != digest(kept).hex():  # older files have none
        raise FileError("the state to continue from was changed")
    plan = _read_plan(about["plan"])
    if ("sizes" in kept) != (plan.method == "bootstrap"):
        raise FileError("the state to continue from is of another method")
    spec = _read_choices(about.get("choices"), about["seed"])
    order = as_order(about.get("order"), nodes)
    rows, mark = as_number(about.get("rows"), "rows"), str(about["fingerprint"])
    source = _read_data(about.get("data"), stored.variables, order)
    settings = as_mapping(about["settings"])
    return Posterior(found, plan, settings, order, rows, mark, spec, source, kept, about["seed"])


def _read_choices(held: Any, seed: Any) -> Specification | None:
    """The specification in a file, as `_plain_choices` writes it."""
    if held is None:
        return None
    choices = dict(as_mapping(held))
    for name, value in choices.items():
        nested = dict if name in ("rules", "score_default", "model", *_OPTIONS) else None
        if name not in _CHOICES or not fits(value, PLAIN | nested):
            raise FileError(
                f"its choice {name!r} must be a plain value, got {shorten(repr(value))}"
            )
    default = choices["score_default"]
    _check_default(default)
    for what, objects in (("score", ScoreOption), ("search", Search)):
        _check_settings(objects, choices[what], choices[f"{what}_options"])
    for name, settings in as_mapping(choices["model_options"]).items():
        _check_settings(Model, name, settings)
    made = specification(
        graph=choices["graph"], model=choices["model"], score=choices["score"], search=choices["search"],
        penalty=choices["penalty"] if choices["rule"] is None else choices["rule"],
        rules=Rules(**choices["rules"]), missing=choices["missing"], seed=seed,
        prior=Prior(graph=choices["expert"], weight=choices["expert_weight"]),
    )  # fmt: skip
    start = choices["start"]
    return made.but(
        start=start if start in STARTS else dag(start),
        score_default=None if default is None else DefaultScore(**default),
        **{name: choices[name] for name in _OPTIONS},
    )


def _check_settings(objects: type[Option], name: Any, settings: Any) -> None:
    """Reject settings that the object of a name does not have, if the name has an object."""
    if as_mapping(settings):
        objects.named(name, settings)


def _check_default(value: object) -> None:
    """Reject a default score that is not named, or whose options are no plain values."""
    if value is None:
        return
    held = as_mapping(value)
    known = fits(held.get("word"), str) and held["word"] in SCORES
    if not known or not fits(as_mapping(held.get("options")), dict[str, PLAIN]):
        raise FileError("its default score is damaged")


def _read_data(held: Any, variables: Any, order: tuple[str, ...]) -> Source | None:
    if held is None or variables is None:
        return None
    if "scatter" in held:
        return Moments(variables, float(held["n"]), held["mean"], held["scatter"], order)
    notes, fixed = as_notes(held["notes"], NoteKind.DATA), frozenset(held["fixed"])
    return Table(variables, tuple(held["columns"]), held["weights"], order, notes, fixed)


# -- checks --------------------------------------------------------------------------------------


ROUNDING = 1e-6
"""How far sums of probabilities may be from one."""


def check_posterior(found: results.GraphDistribution) -> None:
    """Reject a posterior whose numbers cannot be.

    Raises
    ------
    FileError : names the entry.
    """
    _check_weights("weights", found.weights, len(found.graphs))
    _check_weights("shares", found.shares, len(found.graphs))
    if found.graphs and abs(found.shares.sum() - 1.0) > ROUNDING:
        raise FileError(f"its shares must sum to 1, got {found.shares.sum():g}")
    size = len(found.nodes)
    pairs = ~np.eye(size, dtype=bool)
    for name in ("arcs", "adjacent", "arc_errors", "adjacent_errors"):
        matrix = getattr(found, name)
        absent = name.startswith("arc") and not found.directed and bool(np.isnan(matrix).all())
        top = 1.0 + ROUNDING if name in ("arcs", "adjacent") else np.inf
        if not absent and not _between(matrix[pairs], top):
            raise FileError(f"its {name} must be numbers from 0{' to 1' * (top < 2)}")
    if not np.allclose(found.adjacent, found.adjacent.T, atol=ROUNDING, equal_nan=True):
        raise FileError("its probabilities of edges must be symmetric")
    _check_plain(found)


def _check_weights(name: str, weights: NDArray[np.float64], count: int) -> None:
    if weights.shape != (count,) or not _between(weights, 1.0 + ROUNDING):
        raise FileError(f"its {name} must be {count} numbers from 0 to 1")
    if weights.sum() > 1.0 + ROUNDING:
        raise FileError(f"its {name} must sum to 1 at most, got {weights.sum():g}")


def _between(numbers: NDArray[np.float64], top: float) -> bool:
    return bool(((numbers >= 0.0) & (numbers <= top)).all())


def _check_plain(found: results.GraphDistribution) -> None:
    """Reject entries of other types, or numbers out of range."""
    texts = (found.meaning, found.prior)
    if not fits(texts, tuple[str, ...]) or not fits(found.classes, bool):
        raise FileError("its meaning and prior must be texts, and classes a boolean")
    draws = found.draws
    if not is_count(draws):
        raise FileError(
            f"its draws must be a non-negative integer, got a value of type {type(draws).__name__}"
        )
    for name in ("ess", "graph_ess", "log_evidence"):
        value = getattr(found, name)
        known = fits(value, float) and not np.isnan(value)
        good = known and (name == "log_evidence" or value >= 0)
        if not (good or (value is None and name != "ess")):
            raise FileError(
                f"its {name} must be a number from 0, got a value of type {type(value).__name__}"
            )


# -- entries of documents ---


def as_number(value: Any, name: str) -> float | None:
    """A number, or None where there is none."""
    if value is None:
        return None
    if not fits(value, float) or isnan(value):
        raise FileError(f"its {name} must be a number, got {shorten(repr(value))}")
    return float(value)


def as_mapping(value: object) -> Mapping[str, Any]:
    """Named entries; none if there are none."""
    return _entry(value, dict, {}, "named entries")  # type: ignore[no-any-return]


def as_sequence(value: object) -> Sequence[Any]:
    """A list; empty if there is none."""
    return _entry(value, list | tuple, (), "a list")  # type: ignore[no-any-return]


def _entry(value: Any, hint: Any, empty: Any, what: str) -> Any:
    if not fits(value, hint | None):
        raise FileError(f"an entry of its 'about' must be {what}, got {shorten(repr(value))}")
    return empty if value is None else value


def as_text(value: object) -> str:
    """Text; empty if there is none."""
    return str(_entry(value, str, "", "text"))


def as_notes(value: object, kind: NoteKind) -> tuple[Note, ...]:
    """Notes; those of older files are sentences, which get this kind."""
    notes = [Note.from_stored(each, kind) for each in as_sequence(value)]
    if None in notes:
        raise FileError("its notes must be texts, or have a kind, a text, columns and fixes")
    return notes_of(kind, *notes)


def as_stop(value: object) -> Stop:
    """Why a run ended."""
    stop = NOT_STOPPED if value is None else Stop.from_dict(value)
    if stop is None:
        raise FileError(f"its end must have a reason and a detail, got {shorten(repr(value))}")
    return stop


def shorten(text: str, most: int = 60) -> str:
    """A text inside a message: short, and on one line."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[:most]} ..."


def as_order(value: object, names: tuple[str, ...]) -> tuple[str, ...]:
    """The order of columns: each name once."""
    found = tuple(map(str, as_sequence(value)))
    if found and sorted(found) != list(names):
        raise FileError("its order of columns does not name each variable once")
    return found or names
