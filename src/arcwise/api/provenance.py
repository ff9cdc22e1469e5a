"""How a network came about: settings, versions, and the Python lines and the command that make it again."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from arcwise import __version__
from arcwise.api.describe import describe
from arcwise.api.options import Model, Option, ScoreOption, Search
from arcwise.errors import ArcwiseError

if TYPE_CHECKING:
    from arcwise.api.net import Network

__all__ = ["Provenance", "provenance_of"]

_OPTIONS = ("model", "score", "search", "missing")
_APART = ("note", "edges")


class Provenance(TypedDict):
    """How a network came about: facts as pairs of a label and a text, and what makes it again."""

    facts: list[list[str]]
    settings: dict[str, Any]
    seed: int | None
    fingerprint: str
    versions: dict[str, str]
    written: str
    python: str
    command: str


def provenance_of(net: Network) -> Provenance:
    """Describe how a network came about."""
    learned = "search" in net.settings
    return {
        "facts": [[label, text] for label, text in describe(net) if label not in _APART],
        "settings": {name: plain_value(value) for name, value in net.settings.items()},
        "seed": net.settings.get("seed"),
        "fingerprint": net.fingerprint,
        "versions": {
            "arcwise": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "python": _python(net, learned),
        "command": _command(net) if learned else "",
    }


def plain_value(value: Any) -> Any:
    """A setting as JSON: texts, numbers, lists and mappings; anything else as text."""
    if isinstance(value, Mapping):
        return {str(name): plain_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_value(each) for each in value]
    if isinstance(value, np.generic):
        return plain_value(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _choices(net: Network) -> dict[str, Any]:
    """Options of `learn` that give the same network; the model is a mapping where several are in it."""
    settings, models = net.settings, net.net.models
    found: dict[str, Any] = {} if net.directed else {"graph": "undirected"}
    found |= {name: settings[name] for name in _OPTIONS if name in settings}
    if len(set(models)) > 1:
        found["model"] = dict(zip(net.net.names, models, strict=True))
    if "refits" in settings:  # chosen by "auto" for the graph, with its own score
        found["model"] = "auto"
        found.pop("score", None)
    if "penalty" in settings:
        found["penalty"] = settings.get("penalty_rule") or settings["penalty"]
    return found


def _python(net: Network, learned: bool) -> str:
    if not learned:
        return 'import arcwise as aw\n\nnet = aw.load("model.json")\nnet.report("report.html")'
    words = [f"{name}={value}" for name, value in _calls(net).items()]
    arguments = "".join(f"    {word},\n" for word in ['aw.read("data.csv")', *words])
    return f'import arcwise as aw\n\nnet = aw.learn(\n{arguments})\nnet.report("report.html")'


def _calls(net: Network) -> dict[str, str]:
    """The arguments of `learn` that give the same network, as they are typed."""
    settings = net.settings
    typed = {name: repr(value) for name, value in _choices(net).items()}
    if "search" in typed:
        typed["search"] = _as_typed(Search, settings["search"], _search_settings(settings))
    if "score" in typed:
        typed["score"] = _as_typed(
            ScoreOption, settings["score"], settings.get("score_options", {})
        )
    models = settings.get("model_options", {})
    if set(models) == {settings.get("model")}:
        typed["model"] = _as_typed(Model, settings["model"], models[settings["model"]])
    if "rules" in settings:
        typed["rules"] = repr(settings["rules"])
    if "expert" in settings:
        weight = settings["expert_weight"]
        typed["prior"] = f"aw.Prior(graph={settings['expert']!r}, weight={weight!r})"
    return {**typed, "seed": repr(settings.get("seed"))}


def _search_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    start = {"start": settings["start"]} if "start" in settings else {}
    return {**settings.get("search_options", {}), **start}


def _as_typed(kind: type[Option], name: Any, settings: Mapping[str, Any]) -> str:
    """An option as one types it: its object if it has settings, else its name."""
    try:
        option = kind.named(name, settings)
    except ArcwiseError:
        return repr(name)
    return f"aw.{option!r}" if repr(option) != f"{type(option).__name__}()" else repr(name)


def _command(net: Network) -> str:
    """The command that gives the same network; empty where options cannot be written in a shell."""
    words, choices, settings = ["arcwise", "learn", "data.csv"], _choices(net), net.settings
    if "rules" in settings or isinstance(choices.get("model"), dict):
        return ""
    for name, value in choices.items():
        words += [f"--{name}", str(value)]
    own = settings.get("search_options", {}), *settings.get("model_options", {}).values()
    for name, value in {name: value for each in own for name, value in each.items()}.items():
        words += ["--option", f"{name}={value}"]
    words += ["--seed", str(settings.get("seed")), "--report", "report.html"]
    return shlex.join(words)
