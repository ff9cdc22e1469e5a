"""Accuracy of an answer: exact, or simulated with an error, R-hat and an effective sample size."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.notes import Note, answer_note

HIGHEST_RHAT = 1.05
"""R-hat above which a note reports that chains disagree."""

FEWEST_STATES = 100.0
"""Effective sample size below which a note reports that an answer is rough."""


@dataclass(frozen=True)
class Quality:
    """The method and the accuracy of an answer.

    Parameters
    ----------
    error : standard error of the mean; 0 if exact.
    rhat : split R-hat of the chains; 1 if exact.
    ess : effective sample size; infinite if exact.
    way : a description of the simulation.
    notes : further notes.

    >>> Quality().lines("error of the mean", 0.0)
    []
    """

    error: float = 0.0
    rhat: float = 1.0
    ess: float = math.inf
    way: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether nothing was simulated."""
        return math.isinf(self.ess)

    def said(self) -> list[Note]:
        """Return the notes, with those on chains that disagree or are short."""
        notes = list(self.notes)
        if not self.exact and self.rhat > HIGHEST_RHAT:
            disagree = f"The chains disagree (R-hat {self.rhat:.3f}, above {HIGHEST_RHAT:g})"
            text = f"{disagree}: use more sweeps and a longer burn-in."
            notes.append(answer_note(text))
        if self.ess < FEWEST_STATES:
            text = f"The effective sample size is only {self.ess:.0f}: the answer is rough."
            notes.append(answer_note(text))
        return notes

    def lines(self, what: str, error: float, most: str = "") -> list[str]:
        """Return lines for the text of a belief."""
        notes = [f"  note: {note}" for note in self.said()]
        if self.exact:
            return notes
        hat = f", R-hat {most}{self.rhat:.3f}" if np.isfinite(self.rhat) else ""
        size = f"effective sample size {'at least ' if most else ''}{self.ess:.0f}"
        return [f"  {self.way}: {what} {most}{error:.2g}{hat}, {size}", *notes]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; an exact answer has no R-hat and no size."""
        rhat = self.rhat if np.isfinite(self.rhat) and not self.exact else None
        ess = None if self.exact else self.ess
        notes = [*map(Note.to_dict, self.said())]
        return {"error": self.error, "rhat": rhat, "ess": ess, "notes": notes}
