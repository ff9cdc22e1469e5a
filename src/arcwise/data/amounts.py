"""Numbers in other notations: amounts of money, percentages, dates and times."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["days_of", "written_numbers"]

_AMOUNT = re.compile(r"[-+]?[$€£¥]? ?([0-9]{1,3}(,[0-9]{3})+|[0-9]+)?(\.[0-9]+)? ?[%$€£¥]?")


def _floats(array: Any) -> NDArray[np.float64]:
    """Return an Arrow array of integers as float64, missing values NaN."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.fill_null(array.cast(pa.float64(), safe=False), np.nan)
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def days_of(array: Any) -> NDArray[np.float64]:
    """Return dates and times as days since 1970, and times of day as fractions of a day; missing is NaN."""
    import pyarrow as pa

    if pa.types.is_time(array.type) or pa.types.is_duration(array.type):
        unit = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[array.type.unit]
        whole = pa.int32() if array.type.bit_width == 32 else pa.int64()
        return _floats(array.cast(whole)) / (86_400 * unit)
    stamps = array.cast(pa.timestamp("us"), safe=False)
    return _floats(stamps.cast(pa.int64())) / 86_400e6


def written_numbers(values: Any) -> NDArray[np.float64] | None:
    """Parse Arrow text of amounts or dates into numbers; None if some values are neither.

    Amounts are numbers with a currency sign, a percent sign or commas between thousands. Dates in the form
    2024-02-01, with or without a time, become days since 1970.

    >>> import pyarrow as pa
    >>> written_numbers(pa.array(["$1,250.50", "-3%"])), written_numbers(pa.array(["1970-01-03"]))
    (array([1250.5,   -3. ]), array([2.]))
    """
    import pyarrow as pa

    texts = values.to_pylist()
    if all(map(_AMOUNT.fullmatch, texts)):
        digits = ["".join(c for c in text if c in "+-.0123456789") for text in texts]
        try:
            return np.array(list(map(float, digits)))
        except ValueError:
            return None
    try:
        return days_of(values.cast(pa.string()).cast(pa.timestamp("us")))
    except pa.ArrowInvalid:
        return None
