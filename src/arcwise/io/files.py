"""Files of networks: their content, the interface of formats, and safe reading and writing.

A format converts bytes to a ``StoredNet`` value and back, without access to files. This module opens,
compresses and replaces files safely, so a new format is one pure function in each direction.

A regular file is written under a temporary name in the same folder, forced to the disk and then renamed
over its final name, which the operating system does in one step. Other programs see the old
file or the new one, never a part of one; if anything fails the temporary file is removed. The new
file has the mode and, if allowed, the owner of the old one. Devices, FIFOs and the standard streams are
written to directly and never replaced. A file named ``.gz`` is compressed.
"""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
import os
import secrets
import stat
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from arcwise.data import Variable
from arcwise.data.memory import unpack
from arcwise.errors import DataError, FileError
from arcwise.graphs import DAG, Graph
from arcwise.networks import Net

GZIP_MAGIC = b"\x1f\x8b"
# Bytes that a compressed file of a network may unpack to; munin, with 1041 variables, has 1.2 MB.
UNPACKED = 1e9
# Bytes that are written and deleted again to test whether a folder is writable.
PROBE = 1 << 16
FIGURES = (".csv", ".json")
"""File extensions of figures, apart from ``.gz``."""

Rows = Sequence[Mapping[str, float | int | None]]


@dataclass(frozen=True, eq=False)
class StoredNet:
    """The content of a network file: always a graph, often more.

    Parameters
    ----------
    graph : the structure.
    variables : the variables with their levels, or None if the format has names only.
    net : the fitted network, or None if the file has no parameters.
    about : further information: score, options, origin of the data.

    >>> from arcwise.graphs import DAG
    >>> StoredNet(DAG.from_arcs([("a", "b")])).net is None
    True
    """

    graph: Graph
    variables: tuple[Variable, ...] | None = None
    net: Net | None = None
    about: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, net: Net, about: Mapping[str, object] | None = None) -> StoredNet:
        """Return the stored value of a fitted network."""
        return cls(net.graph, net.variables, net, dict(about or {}))

    def directed(self, format_name: str) -> DAG:
        """Return the graph if it is directed; else raise an error that names the format."""
        if not self.graph.directed:
            raise FileError(
                f"{format_name} files contain directed acyclic graphs only, got a "
                f"{type(self.graph).__name__}: save it as .dot instead"
            )
        return self.graph


Content = TypeVar("Content")


@dataclass(frozen=True)
class Format(Generic[Content]):
    """A file format: its name, and functions from bytes and to bytes.

    Parameters
    ----------
    name : its name in messages.
    read : bytes of a whole file to its content, or None if it can only be written; raises
        FileError whose text continues the sentence "... cannot be read:".
    write : content to bytes, or None if it can only be read.
    """

    name: str
    read: Callable[[bytes], Content] | None
    write: Callable[[Content], bytes] | None


def read_bytes(path: Path) -> bytes:
    """Read a whole file, unpacked if it is gzip-compressed (whatever its name says).

    Parameters
    ----------
    path : the file.

    Returns
    -------
    Its content.

    Raises
    ------
    FileError : it is not there, not readable, or its compressed content is damaged or too large.

    >>> read_bytes(Path("no such file.json"))
    Traceback (most recent call last):
    ...
    arcwise.errors.FileError: 'no such file.json' cannot be read: No such file or directory.
    """
    try:
        content = path.read_bytes()
        return unpack(content, UNPACKED) if content.startswith(GZIP_MAGIC) else content
    except DataError as error:
        raise FileError(
            f"{str(path)!r} cannot be read: {str(error)[0].lower()}{str(error)[1:]}"
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise FileError(
            f"{str(path)!r} cannot be read: its compressed content is damaged or cut off."
        ) from None
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r} cannot be read: {_reason(error)}.") from None


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file in one step; an old file of that name stays until the new one is complete.

    Devices, FIFOs and the standard streams are written to directly.

    Parameters
    ----------
    path : where to; a name ending in ``.gz`` is compressed (without a time stamp, so that equal
        content gives equal files).
    content : what.

    Raises
    ------
    FileError : the folder is missing, not writable or full; nothing is left behind.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder, "a.txt.gz"), b"hello")
    ...     read_bytes(Path(folder, "a.txt.gz"))
    b'hello'
    """
    packed = gzip.compress(content, mtime=0) if path.suffix == ".gz" else content
    try:
        if is_special(path):
            _write_directly(path, packed)
        else:
            # Through a link, the file it points to is replaced, and not the link.
            _write_and_rename(Path(os.path.realpath(path)), packed)
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r} cannot be written: {_reason(error)}.") from None


def check_writable(path: Path) -> None:
    """Test whether a file can be written, by a small temporary one in its folder.

    Raises
    ------
    FileError : the folder is missing, not writable or full, or the file is write-protected.

    >>> check_writable(Path("no such folder", "a.json"))
    Traceback (most recent call last):
    ...
    arcwise.errors.FileError: 'no such folder/a.json' cannot be written: No such file or directory.
    """
    try:
        if is_special(path):
            _check_access(path)
            return
        final = Path(os.path.realpath(path))
        if final.exists():
            _check_access(final)
        temporary = _temporary(final)
        try:
            _write_new(temporary, bytes(PROBE))
        finally:
            with suppress(OSError):
                temporary.unlink()
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r} cannot be written: {_reason(error)}.") from None


def is_special(path: Path) -> bool:
    """Return whether a path leads to a device, a FIFO, a socket or a standard stream of this process.

    >>> is_special(Path(os.devnull)), is_special(Path("no such file"))
    (True, False)
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return False
    regular = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return not regular or _stream_number(status) is not None


def _stream_number(status: os.stat_result) -> int | None:
    """Return the number of the standard stream, output or error, that a file is."""
    for number in (1, 2):
        with suppress(OSError):
            if os.path.samestat(status, os.fstat(number)):
                return number
    return None


def _write_directly(path: Path, content: bytes) -> None:
    number = _stream_number(os.stat(path))
    handle = os.open(path, os.O_WRONLY) if number is None else os.dup(number)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def _write_and_rename(final: Path, content: bytes) -> None:
    old = final.stat() if final.exists() else None
    if old is not None:
        _check_access(final)
    temporary = _temporary(final)
    try:
        _write_new(temporary, content)
        if old is not None:
            with suppress(OSError):  # only the owner's own groups, unless the user is root
                os.chown(temporary, old.st_uid, old.st_gid)
            os.chmod(temporary, stat.S_IMODE(old.st_mode))
        os.replace(temporary, final)
    finally:
        with suppress(OSError):  # after success, or in a folder that is not there
            temporary.unlink()


def _check_access(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _temporary(final: Path) -> Path:
    return final.with_name(f".arcwise-{secrets.token_hex(6)}.part")


def _write_new(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _reason(error: Exception) -> str:
    """Return the reason of an error of the operating system."""
    return getattr(error, "strerror", None) or str(error)


def write_figures(rows: Rows, path: Path) -> None:
    r"""Write rows of figures as CSV or JSON, by the file extension.

    Numbers are written with all their digits; unknown values are empty cells, or
    null.

    Parameters
    ----------
    rows : all with the same names.
    path : where to, .csv or .json, compressed if it ends in ``.gz``.

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
        text = _write_separated(rows)
    else:
        formats = " or ".join(FIGURES)
        raise FileError(f"{str(path)!r} must end in {formats}, got {ending!r}.")
    write_bytes(path, text.encode())


def _write_separated(rows: Rows) -> str:
    out = io.StringIO()
    names = list(rows[0]) if rows else []
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
