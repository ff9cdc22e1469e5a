"""Sensitivity to missing values that depend on what is missing.

No data tell whether values are missing because of what they are. So missing values of one column are drawn
given all others, then moved by multiples of the column's standard deviation, and the network is learned again
from each of these tables (a pattern-mixture model; Little 1993; van Buuren 2018, section 9.2). All shifts
have the same draws, so differences come from the shift alone. Values of other columns that are missing in the
same row are those drawn without a shift.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.api.learning import network_of
from arcwise.api.progress import Progress
from arcwise.data import statistics_of
from arcwise.errors import DataError, FitError, NoTimeError, OptionError, close_to, join_words
from arcwise.frame import Frame, Framed, Series
from arcwise.inference import Belief
from arcwise.learners import Learner
from arcwise.learners.completion import draw_missing
from arcwise.learners.parallel import one_thread
from arcwise.learners.specification import recast_rows
from arcwise.values import is_number

if TYPE_CHECKING:
    from arcwise.api.net import Network

__all__ = ["Sensitivity", "shift_missing"]

_NAMED = 6  # edges that a cell names
_SHARE = 0.8  # of the time for drawing


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Framed):
    """Networks learned with the missing values of a column shifted; a row per shift.

    Parameters
    ----------
    column : the variable whose missing values are shifted.
    share : how many of its values are missing, between 0 and 1.
    shifts : in standard deviations of its observed values, ascending, with 0 among them.
    networks : one for each shift.
    beliefs : one for each shift, if there is a target.
    """

    column: str
    share: float
    shifts: tuple[float, ...]
    networks: tuple[Network, ...]
    beliefs: tuple[Belief, ...] = ()

    @property
    def changes(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """For each shift the edges that are new and those that are gone, next to no shift."""
        edges = [_edges(net) for net in self.networks]
        before = edges[self.shifts.index(0.0)]
        return tuple((tuple(sorted(e - before)), tuple(sorted(before - e))) for e in edges)

    @property
    def frame(self) -> Frame:
        """Shift, number of edges, edges that are new and gone, and the answer."""
        new, gone = zip(*self.changes, strict=True)
        columns = [
            Series("shift", np.array(self.shifts), ".3g"),
            Series("edges", [len(_edges(net)) for net in self.networks]),
            Series("new", [join_words(each, _NAMED) if each else "" for each in new]),
            Series("gone", [join_words(each, _NAMED) if each else "" for each in gone]),
        ]
        return Frame((*columns, *self._answers()), title=self._title, notes=(self._verdict,))

    def _answers(self) -> list[Series]:
        if not self.beliefs:
            return []
        levels = self.beliefs[0].levels
        if not levels:
            words = {"mean": [b.mean for b in self.beliefs], "sd": [b.sd for b in self.beliefs]}
            return [Series(word, np.array(values), ".4g") for word, values in words.items()]
        return [
            Series(f"p({level})", np.array([b.probability(level) for b in self.beliefs]), ".3f")
            for level in levels
        ]

    @property
    def _title(self) -> str:
        return f"Missing values of {self.column!r} ({100 * self.share:.2g} %) shifted, in standard deviations"

    @property
    def _verdict(self) -> str:
        pairs = [edge for change in self.changes for side in change for edge in side]
        changed = list(dict.fromkeys(pairs))
        span = f"shifts from {self.shifts[0]:g} to {self.shifts[-1]:g}"
        if not changed:
            return f"No edge changes for {span}."
        return f"Edges that change for {span}: {join_words(changed, _NAMED)}."


def shift_missing(
    net: Network,
    column: str,
    shifts: Iterable[float],
    target: str | None,
    given: Mapping[str, Any] | None,
    time_limit: float | None,
    progress: bool | None,
) -> Sensitivity:
    """Learn a network again with the missing values of a column shifted; see `Network.sensitivity`."""
    spec, source = net.specification, net.data
    if spec is None or source is None:
        raise FitError(
            "A sensitivity run needs the training data: learn the network, or read it with data=."
        )
    steps = _checked_shifts(shifts)
    if column not in source.names:
        raise DataError(f"There is no variable {column!r}. {close_to(column, source.names)}")
    rows = recast_rows(spec, statistics_of(source))
    number = rows.index(column)
    gaps = rows.missing()[:, number]
    if not gaps.any():
        raise DataError(f"{column!r} has no missing values to shift: name a column that has some.")
    watching = Progress("sensitivity", time_limit, progress)
    found: list[Network] = []
    with one_thread(source), watching as watch:
        drawn = draw_missing(spec, rows, watch=watch.share(_SHARE))
        for shift in steps:
            shifted = drawn.shifted(number, shift).rows()
            learned = Learner(spec, 1, watch, watch).learn(shifted)
            if watch.stopped:
                break
            found.append(network_of(learned, source, None))
    done = steps[: len(found)]
    if 0.0 not in done:
        raise NoTimeError("Time ran out before the shifts were done: allow more.")
    beliefs = tuple(each.query(target, given) for each in found) if target is not None else ()
    order = np.argsort(done)
    return Sensitivity(
        column,
        float(gaps.mean()),
        tuple(done[i] for i in order),
        tuple(found[i] for i in order),
        tuple(beliefs[i] for i in order) if beliefs else (),
    )


def _checked_shifts(shifts: Iterable[float]) -> tuple[float, ...]:
    """Different numbers, zero first, then by size."""
    given = tuple(shifts)
    for shift in given:
        if not is_number(shift) or not np.isfinite(float(shift)):
            raise OptionError(f"shifts must be numbers of standard deviations, got {shift!r}.")
    return tuple(sorted({0.0, *map(float, given)}, key=abs))


def _edges(net: Network) -> set[str]:
    return {" -- ".join(sorted(pair)) for pair in net.graph.links}
