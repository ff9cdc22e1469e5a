"""Columns together: copies, near-copies and linear functions of other columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from arcwise.data.moments import Moments
from arcwise.data.table import Table
from arcwise.data.variable import sentence_list
from arcwise.errors import DataError

NEAR = 0.9999
# 1 - R^2 below this counts as an exact linear function.
EXACT = 1e-8
# Beyond so many columns of numbers their correlations are not looked at: time grows as the cube.
MOST = 2000

Floats = NDArray[np.float64]


def pair_findings(table: Table) -> list[str]:
    """Write sentences about copies and linear functions among a table's columns.

    Parameters
    ----------
    table : correlations are those of complete rows.

    Returns
    -------
    The sentences; one says so if there are too many columns to look at.
    """
    copies = _copies(table)
    said = [f"Copies (all values equal): {_groups(copies)}."] if copies else []
    repeated = {name for group in copies for name in group[1:]}
    numbers = [
        v.name for v in table.variables if (not v.discrete or v.numeric) and v.name not in repeated
    ]
    if len(numbers) > MOST:
        limit = f"Correlations were not looked at: there are over {MOST} columns of numbers."
        return [*said, limit]
    return said + _linear_findings(table, numbers)


def _groups(groups: Iterable[list[str]]) -> str:
    shown = [sentence_list(group) for group in groups]
    return "; ".join(shown[:5]) + (f"; and {len(shown) - 5} more" if len(shown) > 5 else "")


def _copies(table: Table) -> list[list[str]]:
    """Find columns with equal contents by their bytes, in the user's order."""
    groups: dict[tuple[object, bytes], list[str]] = defaultdict(list)
    for name in table.order:
        variable, column = table.variable(name), table.column(name)
        if not _constant(column):
            groups[(variable.levels, column.tobytes())].append(name)
    return [group for group in groups.values() if len(group) > 1]


def _constant(column: NDArray[np.generic]) -> bool:
    return bool((column == column[0]).all())


def _linear_findings(table: Table, numbers: list[str]) -> list[str]:
    if len(numbers) < 2:
        return []
    try:
        moments = Moments.of(table.select(numbers))
    except DataError:  # no complete row: nothing to correlate
        return []
    names, correlations = _correlations(moments)
    near = _near_copies(correlations, [table.order.index(name) for name in names])
    pairs = [[names[a], names[b]] for a, b in near]
    said = [f"Near-copies (correlation beyond {NEAR}): {_groups(pairs)}."] if pairs else []
    dropped = {b for _, b in near}
    keep = [number for number in range(len(names)) if number not in dropped]
    # As many columns as rows are linear functions of each other in any case.
    if len(keep) < 2 or len(keep) >= min(moments.n, table.rows):
        return said
    return said + _functions([names[i] for i in keep], correlations[np.ix_(keep, keep)])


def _correlations(moments: Moments) -> tuple[list[str], Floats]:
    """Give the correlations of the columns that vary."""
    spread = np.sqrt(np.diag(moments.scatter))
    size = np.abs(moments.mean) * np.sqrt(moments.n)
    keep = np.flatnonzero(spread > 1e-13 * size)
    scale = spread[keep]
    matrix = moments.scatter[np.ix_(keep, keep)] / np.outer(scale, scale)
    return [moments.names[i] for i in keep], matrix


def _near_copies(correlations: Floats, positions: list[int]) -> list[tuple[int, int]]:
    """Give pairs of near-copies, the first of each pair first in the user's order."""
    found = np.argwhere(np.triu(np.abs(correlations) > NEAR, 1)).tolist()
    pairs = [(a, b) if positions[a] < positions[b] else (b, a) for a, b in found]
    return sorted(pairs, key=lambda pair: (positions[pair[0]], positions[pair[1]]))


def _functions(names: list[str], correlations: Floats) -> list[str]:
    """Write a sentence for each column that is a linear function of others."""
    from scipy.linalg.lapack import dpstrf

    _, pivots, rank, _ = dpstrf(correlations, tol=EXACT, lower=1)
    chosen, dependent = np.sort(pivots[:rank] - 1), np.sort(pivots[rank:] - 1)
    said = [_function(names, correlations, chosen, int(each)) for each in dependent[:5]]
    if len(dependent) > 5:
        said.append(f"{len(dependent) - 5} more columns are linear functions of others.")
    return said


def _function(names: list[str], correlations: Floats, chosen: NDArray[np.intp], each: int) -> str:
    block = correlations[np.ix_(chosen, chosen)]
    weights = np.linalg.lstsq(block, correlations[chosen, each], rcond=None)[0]
    parts = [names[i] for i, weight in zip(chosen, weights, strict=True) if abs(weight) > 1e-4]
    return f"{names[each]!r} is a linear function of {sentence_list(parts)} (1 - R^2 < 1e-8)."
