"""Files in and out, whole or not at all.

A file is written under a temporary name in the same folder, forced to the disk and then renamed
over its final name, which the operating system does in one step. Whoever reads the folder sees the
old file or the new one, never half of one; when anything fails the temporary file is removed.
A name ending in ``.gz`` is compressed on the way.
"""

import gzip
import os
import secrets
import zlib
from contextlib import suppress
from pathlib import Path

from arcwise.data.memory import unpack
from arcwise.errors import DataError, FileError

GZIP_MAGIC = b"\x1f\x8b"
# Bytes that a compressed file of a network may unpack to; munin, with 1041 variables, has 1.2 MB.
UNPACKED = 1e9


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
        # Through a link, the file it points to is replaced, and not the link.
        _write_and_rename(Path(os.path.realpath(path)), packed)
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r} cannot be written: {_reason(error)}.") from None


def _write_and_rename(final: Path, content: bytes) -> None:
    temporary = final.with_name(f".arcwise-{secrets.token_hex(6)}.part")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, final)
    finally:
        with suppress(OSError):  # after success, or in a folder that is not there
            temporary.unlink()


def _reason(error: Exception) -> str:
    """Say in words why the operating system refused."""
    return getattr(error, "strerror", None) or str(error)
