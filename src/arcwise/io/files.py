"""Files in and out, whole or not at all.

A regular file is written under a temporary name in the same folder, forced to the disk and then renamed
over its final name, which the operating system does in one step. Whoever reads the folder sees the
old file or the new one, never half of one; when anything fails the temporary file is removed. The new
file has the mode and, if allowed, the owner of the old one. Devices, FIFOs and the standard streams are
written to directly and never replaced. A name ending in ``.gz`` is compressed on the way.
"""

import errno
import gzip
import os
import secrets
import stat
import zlib
from contextlib import suppress
from pathlib import Path

from arcwise.data.memory import unpack
from arcwise.errors import DataError, FileError

GZIP_MAGIC = b"\x1f\x8b"
# Bytes that a compressed file of a network may unpack to; munin, with 1041 variables, has 1.2 MB.
UNPACKED = 1e9
# Bytes that are written and deleted again to test whether a folder takes a file.
PROBE = 1 << 16


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
    """Say in words why the operating system refused."""
    return getattr(error, "strerror", None) or str(error)
