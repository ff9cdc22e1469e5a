"""How a question is to be answered: options by name, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arcwise.errors import DataError, WordError, unknown
from arcwise.inference.belief import Seed
from arcwise.inference.gibbs import Effort
from arcwise.inference.weighting import DRAWS
from arcwise.networks import whole

__all__ = ["METHODS", "ROWS", "TABULATED", "Options", "read_options", "refuse_setting"]

METHODS = ("blankets", "gibbs", "grid", "importance", "stacked")
"""Ways to ask: Gibbs sampling (over blanket models, in directed networks); the product rule in two ways,
for directed networks; stacked conditionals on what is known, for networks of Parzen windows."""

ROWS = Effort(chains=8, sweeps=100, burn_in=40)
"""Default effort where many rows are answered together."""

TABULATED = Effort(chains=8, sweeps=60, burn_in=20)
"""Default effort where every draw costs a grid."""

_EFFORT = ("chains", "sweeps", "burn_in", "scan")


@dataclass(frozen=True)
class Options:
    """Checked options.

    Parameters
    ----------
    method : one of `METHODS`; None takes the best there is.
    seed : a whole number, or a generator.
    draws : for weighted draws.
    effort : what was said of chains, sweeps, burn_in and scan.
    max_graphs : most equivalent graphs that the range of an answer to ``do`` is over; None for the usual.
    """

    method: str | None = None
    seed: Seed = 0
    draws: int = DRAWS
    effort: Mapping[str, Any] = field(default_factory=dict)
    max_graphs: int | None = None

    def over(self, default: Effort) -> Effort:
        """A default effort with what was said in its place."""
        return replace(default, **self.effort)


def read_options(options: Mapping[str, Any]) -> Options:
    """Check options by name.

    Raises
    ------
    WordError : an unknown option or method.
    DataError : a number that is none, or too small.

    >>> read_options({"chains": 4, "seed": 1}).over(ROWS).chains
    4
    """
    known = (*_EFFORT, "method", "seed", "draws", "max_graphs")
    refuse_setting(options)
    for word in options:
        if word not in known:
            raise unknown("option of a question", word, known)
    method = options.get("method")
    if method is not None and method not in METHODS:
        raise unknown("method", method, METHODS)
    said = {word: options[word] for word in _EFFORT if options.get(word) is not None}
    found = Options(
        method,
        options.get("seed", 0),
        whole("number of draws", options.get("draws", DRAWS)),
        said,
        _most(options.get("max_graphs")),
    )
    found.over(ROWS)  # refuses what is no number
    return found


def refuse_setting(options: Mapping[str, Any]) -> None:
    """Say where variables can be set: in single questions, not in tables of rows."""
    if "do" in options:
        raise WordError(
            "do= belongs to single questions: query(target, do={...}) gives a belief, which has draws and a "
            "range over equivalent graphs; rows are predicted, filled and drawn as they are seen."
        )


def _most(number: object) -> int | None:
    """The largest number of graphs; one at least."""
    if number is None:
        return None
    if whole("number max_graphs", number) == 0:
        raise DataError("max_graphs must be 1 or more, got 0.")
    return whole("number max_graphs", number)
