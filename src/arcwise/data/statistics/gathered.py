r"""Statistics of cases without rows: means and covariances.

Two parts are merged by the pairwise update of Chan, Golub and LeVeque (1983; see `moments`). A mean is
stored as a shift and a rest, so that similar means far from zero lose no digits: plain means of 200 parts
at an offset of 1e8 have an error of 2e-10 after merging, these of 1e-15.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.moments import Accumulator, Moments
from arcwise.data.statistics.protocol import Statistics
from arcwise.data.table import Table

__all__ = ["GatheredMoments"]

Floats = NDArray[np.float64]


class GatheredMoments(Statistics):
    """Number of cases, means and scatter of continuous variables.

    Parameters
    ----------
    moments : of all cases.
    shift : a point near the mean, from which `rest` leads to it; by default the mean itself.
    rest : the mean minus the shift.

    >>> one, two = (Moments.given(["x"], n, [mean], [[1.0]]) for n, mean in ((1, 0.0), (3, 2.0)))
    >>> GatheredMoments(one).merged(GatheredMoments(two)).moments().mean
    array([1.5])
    """

    content = "means and covariances"

    def __init__(
        self, moments: Moments, shift: Floats | None = None, rest: Floats | None = None
    ) -> None:
        self._moments = moments
        self.shift = moments.mean if shift is None else shift
        self.rest = np.zeros(len(moments.mean)) if rest is None else rest
        self.variables, self.names = moments.variables, moments.names
        self.order, self.notes = moments.order, moments.notes
        self.total = self.effective_rows = moments.n

    @classmethod
    def of(cls, table: Table) -> GatheredMoments:
        """Return the moments of a table, with its mean as a shift and a rest."""
        gathered = Accumulator(len(table.variables))
        gathered.add(table.matrix(), table.weights, own=True)
        shift, rest = gathered.mean_parts
        moments = gathered.moments(table.variables, order=table.order, notes=table.notes)
        return cls(moments, shift, rest)

    def moments(self) -> Moments:
        """Return number of cases, means and scatter matrix of all variables."""
        return self._moments

    def typical(self, most: int) -> tuple[NDArray[Any], ...]:
        """Return the means."""
        return tuple(np.array([mean]) for mean in self._moments.mean)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return number of cases, means and scatter matrix."""
        return np.array([self.total]), self._moments.mean, self._moments.scatter

    def constant(self) -> tuple[str, ...]:
        """Return the names of the variables without variance."""
        scatter = np.diag(self._moments.scatter)
        return tuple(name for name, x in zip(self.names, scatter, strict=True) if not x)

    def merged(self, other: Statistics) -> GatheredMoments:
        """Return the moments of both sets of cases."""
        part = (
            other
            if isinstance(other, GatheredMoments)
            else GatheredMoments.of(other.rows("Cases to add need"))
        )
        one, two = self._moments, part._moments
        total = one.n + two.n
        step = (part.shift - self.shift) + (part.rest - self.rest)
        between = np.outer(step, step) * (one.n * two.n / total)
        rest = self.rest + step * (two.n / total)
        moments = replace(
            one,
            n=total,
            mean=self.shift + rest,
            scatter=one.scatter + two.scatter + between,
        )
        return GatheredMoments(moments.with_notes(*two.notes), self.shift, rest)
