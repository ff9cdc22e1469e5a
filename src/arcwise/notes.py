"""What is reported to users, as values: why a run ended.

A `Stop` is a reason of the enumeration `StopReason` with its detail. Programs compare the reason; the
sentence for people is made here and nowhere else, and no program reads it.

>>> stop = Stop(StopReason.TIME_LIMIT, "2.5")
>>> stop.reason is StopReason.TIME_LIMIT, stop.early
(True, True)
>>> print(stop)
the time budget of 2.5 s is used up
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class StopReason(Enum):
    """Why a search, a path or a chain ended."""

    NONE = "none"
    """It has not ended, or did all there was to do."""
    CONVERGED = "converged"
    """Its own rule: nothing better was found, or all that was planned is done."""
    OPTIMAL = "proved optimal"
    """All graphs were compared."""
    MAX_STEPS = "max steps"
    """It was allowed no more steps."""
    TIME_LIMIT = "time limit"
    """The seconds of `time_limit=` are used up."""
    INTERRUPTED = "interrupted"
    """Ctrl-C was pressed."""
    CALLBACK = "callback"
    """The function that is called at each step asked for an end."""


_EARLY = frozenset(
    {StopReason.MAX_STEPS, StopReason.TIME_LIMIT, StopReason.INTERRUPTED, StopReason.CALLBACK}
)
_SENTENCES = {
    StopReason.MAX_STEPS: "reached the largest number of steps",
    StopReason.TIME_LIMIT: "the time budget of {detail} s is used up",
    StopReason.INTERRUPTED: "stopped by Ctrl-C",
    StopReason.CALLBACK: "asked to stop",
}


@dataclass(frozen=True)
class Stop:
    """Why a run ended: a reason and what is to be added to it. It prints as a sentence.

    Parameters
    ----------
    reason : what programs compare.
    detail : the rule by which a run converged, the graphs that were compared for a proof, the seconds of
        a time limit.

    >>> bool(Stop()), str(Stop()), str(Stop(StopReason.OPTIMAL, "among the graphs that the rules allow"))
    (False, '', 'proved optimal among the graphs that the rules allow')
    """

    reason: StopReason = StopReason.NONE
    detail: str = ""

    def __bool__(self) -> bool:
        """Whether the run has ended for some reason."""
        return self.reason is not StopReason.NONE

    def __str__(self) -> str:
        if self.reason is StopReason.OPTIMAL:
            return f"{self.reason.value} {self.detail}".rstrip()
        return _SENTENCES.get(self.reason, "{detail}").format(detail=self.detail)

    @property
    def early(self) -> bool:
        """Whether the run might have gone on."""
        return self.reason in _EARLY

    def to_dict(self) -> dict[str, str]:
        """The reason and its detail as plain texts."""
        return {"reason": self.reason.value, "detail": self.detail}

    @classmethod
    def converged(cls, detail: str) -> Stop:
        """The end of a run by its own rule."""
        return cls(StopReason.CONVERGED, detail)

    @classmethod
    def from_dict(cls, stored: object) -> Stop | None:
        """Undo `to_dict`; None if it is something else. Files of version 0.1 have the sentence alone.

        >>> Stop.from_dict({"reason": "max steps", "detail": ""}) == Stop(StopReason.MAX_STEPS)
        True
        >>> Stop.from_dict("cooled down") == Stop.converged("cooled down")
        True
        """
        match stored:
            case {"reason": str(reason), "detail": str(detail)}:
                known = {each.value: each for each in StopReason}
                return cls(known[reason], detail) if reason in known else None
            case str(sentence):
                return _from_sentence(sentence)
        return None


def _from_sentence(sentence: str) -> Stop:
    for reason in (StopReason.NONE, *_SENTENCES):
        if sentence == str(Stop(reason)):
            return Stop(reason)
    proof, found, graphs = sentence.partition(StopReason.OPTIMAL.value)
    if found and not proof:
        return Stop(StopReason.OPTIMAL, graphs.strip())
    return Stop.converged(sentence)


NOT_STOPPED = Stop()
"""A run that has not ended, or that did all there was to do."""
