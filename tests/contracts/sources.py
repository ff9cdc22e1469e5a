"""Statistics sources that the library does not have yet, each as small as it gets: toys for the contract."""

from functools import cached_property, reduce

import numpy as np

from arcwise.data import Complete, GatheredMoments, Moments, Statistics, Table


class Intervened(Complete):
    """Rows in which some variables were set from outside: these rows are dropped for those children alone."""

    uniform = False

    def __init__(self, table: Table, targets: dict[str, np.ndarray]) -> None:
        super().__init__(table)
        self.targets = targets

    @cached_property
    def _views(self) -> list[Statistics]:
        whole = Complete(self.table)
        held = [self.targets.get(name) for name in self.names]
        return [whole if rows is None else Complete(self.table.take(~rows)) for rows in held]

    def view(self, child: int, parents: tuple[int, ...]) -> Statistics:
        return self._views[child]

    def prepared(self, change) -> "Intervened":
        return Intervened(change(self.table), self.targets)


class Expected(Statistics):
    """Moments or counts that were filled from outside, as by expectation maximisation: no rows."""

    content = "expected statistics"

    def __init__(self, table: Table) -> None:
        self._inner = Complete(table)
        self.variables, self.names = table.variables, table.names
        self.order, self.notes = table.order, ()
        self.total = self.effective_rows = table.total

    def moments(self) -> Moments:
        return self._inner.moments()

    def counts(self, members: tuple[int, ...]) -> np.ndarray:
        return self._inner.counts(members)

    def typical(self, most: int):
        return self._inner.typical(most)

    def constant(self):
        return self._inner.constant()


def partial_sums(table: Table, parts: int = 7) -> GatheredMoments:
    """Moments of parts of the rows, as the machines of a cluster would send them, merged in their order."""
    rows = np.array_split(np.arange(table.rows), parts)
    return reduce(GatheredMoments.merged, [GatheredMoments.of(table.take(part)) for part in rows])
