"""Rows of figures, such as a curve, as a CSV or a JSON file."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from arcwise.errors import FileError
from arcwise.io.files import write_bytes

FIGURES = (".csv", ".json")
"""What the name of a file of figures may end in, ``.gz`` aside."""

Rows = Sequence[Mapping[str, float | int | None]]


def write_figures(rows: Rows, path: Path) -> None:
    r"""Write rows of figures; the end of the name decides between CSV and JSON.

    Numbers are written in as many digits as tell them exactly; what is not known is an empty cell, or
    null.

    Parameters
    ----------
    rows : all with the same names.
    path : where to, .csv or .json, compressed where it ends in ``.gz``.

    Raises
    ------
    FileError : another ending, or a place that cannot be written to.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder, "curve.csv")
    ...     write_figures([{"penalty": 0.1, "edges": 3}, {"penalty": 0.2, "edges": None}], place)
    ...     place.read_text()
    'penalty,edges\n0.1,3\n0.2,\n'
    """
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending == ".json":
        text = json.dumps([dict(row) for row in rows], indent=2, allow_nan=False) + "\n"
    elif ending == ".csv":
        text = _separated(rows)
    else:
        known = " or ".join(FIGURES)
        raise FileError(f"{str(path)!r} should end in {known}, but ends in {ending!r}.")
    write_bytes(path, text.encode())


def _separated(rows: Rows) -> str:
    out = io.StringIO()
    names = list(rows[0]) if rows else []
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
