"""How good an answer is: exact, or simulated with an error, R-hat and an effective sample size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["FEWEST_STATES", "HIGHEST_RHAT", "Quality"]

HIGHEST_RHAT = 1.05
"""R-hat above which chains are said to disagree."""

FEWEST_STATES = 100.0
"""Effective sample size below which an answer is said to be rough."""


@dataclass(frozen=True)
class Quality:
    """How an answer came about and how good it is.

    Parameters
    ----------
    error : standard error of the mean; 0 if exact.
    rhat : split R-hat of the chains; 1 if exact.
    ess : effective sample size; infinite if exact.
    way : what was simulated, in words.
    notes : sentences for the reader.

    >>> Quality().lines()
    []
    """

    error: float = 0.0
    rhat: float = 1.0
    ess: float = math.inf
    way: str = "simulated"
    notes: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether nothing was simulated."""
        return math.isinf(self.ess)

    def warnings(self) -> list[str]:
        """Sentences about chains that disagree or are short."""
        if self.exact:
            return []
        said = []
        if self.rhat > HIGHEST_RHAT:
            said.append(
                f"The chains disagree (R-hat {self.rhat:.3f}, above {HIGHEST_RHAT:g}): take more "
                "sweeps and a longer burn-in."
            )
        if self.ess < FEWEST_STATES:
            said.append(
                f"The simulation is worth only {self.ess:.0f} independent draws: the answer is rough."
            )
        return said

    def lines(self, what: str = "the mean") -> list[str]:
        """What the text of a belief says below its numbers."""
        said = [f"  note: {note}" for note in (*self.notes, *self.warnings())]
        if self.exact:
            return said
        hat = f", R-hat {self.rhat:.3f}" if np.isfinite(self.rhat) else ""
        line = f"  {self.way}: error of {what} {self.error:.2g}{hat}, worth {self.ess:.0f} draws"
        return [line, *said]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers; what is exact has no R-hat and no size."""
        if self.exact:
            return {"error": 0.0, "rhat": None, "ess": None, "notes": list(self.notes)}
        notes = [*self.notes, *self.warnings()]
        rhat = self.rhat if np.isfinite(self.rhat) else None
        return {"error": self.error, "rhat": rhat, "ess": self.ess, "notes": notes}
