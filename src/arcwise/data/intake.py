"""Whatever holds a table, made into one; and a short name of what it holds."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arcwise.data.frames import table
from arcwise.data.moments import Moments
from arcwise.data.source import read
from arcwise.data.table import Table
from arcwise.data.variable import Kind
from arcwise.errors import DataError

__all__ = ["any_table", "fingerprint"]


def any_table(
    data: Any,
    kinds: Mapping[str, Kind] | None = None,
    weights: str | ArrayLike | None = None,
    na_values: Iterable[object] = (),
) -> Table | Moments:
    """Make a table of whatever holds one: a file's path, a frame, an array, a table; moments stay moments."""
    if isinstance(data, Moments):
        if kinds or weights is not None:
            raise DataError("Moments have neither kinds nor weights: give them to the table.")
        return data
    make = read if isinstance(data, str | os.PathLike) else table
    return make(data, kinds=kinds, na_values=na_values, weights=weights)


def fingerprint(source: Table | Moments) -> str:
    """A short name of the data: the same for the same columns and numbers, in any order."""
    digest = hashlib.sha256()
    for variable in source.variables:
        digest.update(repr((variable.name, variable.levels)).encode())
    arrays = (
        (np.array([source.n]), source.mean, source.scatter)
        if isinstance(source, Moments)
        else (*source.columns, *(() if source.weights is None else (source.weights,)))
    )
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]
