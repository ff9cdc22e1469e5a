"""Networks in files: formats by the end of a file's name, and the two doors ``load`` and ``save``.

``FORMATS`` is the register. Every format may have ``.gz`` added to its ending.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from arcwise.errors import ArcwiseError, FileError, close_to
from arcwise.io.arcs import ARCS, read_arcs, write_arcs
from arcwise.io.base import Format, Stored
from arcwise.io.bif import BIF, read_bif
from arcwise.io.dot import DOT, dot
from arcwise.io.figures import FIGURES, write_figures
from arcwise.io.files import read_bytes, write_bytes
from arcwise.io.native import BUNDLE, JSON

__all__ = [
    "FIGURES",
    "FORMATS",
    "Format",
    "Stored",
    "dot",
    "load",
    "read_arcs",
    "read_bif",
    "save",
    "write_arcs",
    "write_figures",
]

FORMATS: dict[str, Format] = {
    ".json": JSON,
    ".arcwise": BUNDLE,
    ".bif": BIF,
    ".csv": ARCS,
    ".dot": DOT,
    ".gv": DOT,
}


def format_of(path: Path) -> Format:
    """Find the format by the end of the name; an unknown one is a FileError with close matches.

    >>> format_of(Path("alarm.bif.gz")).name
    'BIF'
    """
    stem = path.name.lower().removesuffix(".gz")
    suffix = Path(stem).suffix
    if suffix not in FORMATS:
        raise FileError(
            f"{str(path)!r} has the ending {suffix!r}, which is no network format. "
            + close_to(suffix, FORMATS)
        )
    return FORMATS[suffix]


def load(path: str | PathLike[str]) -> Stored:
    """Read a network file.

    Parameters
    ----------
    path : a file in one of the ``FORMATS``, compressed or not.

    Returns
    -------
    What it holds: at least a graph.

    Raises
    ------
    FileError : the file is missing, damaged, foreign, or from a newer Arcwise.

    >>> load("wine.jsno")
    Traceback (most recent call last):
    ...
    arcwise.errors.FileError: 'wine.jsno' has the ending '.jsno', which is no network format. \
Did you mean '.json'?
    """
    place = Path(path)
    format = format_of(place)
    if format.read is None:
        raise FileError(f"{str(place)!r} cannot be read: {format.name} files are only written.")
    content = read_bytes(place)
    try:
        return format.read(content)
    except ArcwiseError as error:
        raise FileError(f"{str(place)!r} cannot be read: {str(error).rstrip('.')}.") from None


def save(stored: Stored, path: str | PathLike[str]) -> None:
    """Write a network file, whole or not at all.

    Parameters
    ----------
    stored : what to write.
    path : where to; the end of the name decides on the format.

    Raises
    ------
    FileError : an unknown ending, content that the format cannot hold, or a place that cannot be
        written to.

    >>> import tempfile
    >>> from arcwise.graphs import DAG
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Stored(DAG.from_arcs([("a", "b")])), Path(folder, "small.json"))
    ...     str(load(Path(folder, "small.json")).graph)
    '[a][b|a]'
    """
    place = Path(path)
    format = format_of(place)
    if format.write is None:
        raise FileError(f"{str(place)!r} cannot be written: {format.name} files are only read.")
    try:
        content = format.write(stored)
    except ArcwiseError as error:
        raise FileError(f"{str(place)!r} cannot be written: {str(error).rstrip('.')}.") from None
    except UnicodeEncodeError as error:
        odd = error.object[max(error.start - 10, 0) : error.end]
        raise FileError(f"{str(place)!r} cannot be written: {odd!a} is no valid text.") from None
    write_bytes(place, content)
