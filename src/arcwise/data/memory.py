"""Memory: needs of a square matrix or of a compressed file, and the available memory.

Learning a Gaussian network keeps at least one p x p matrix of 8-byte numbers: 100 000 columns need
80 GB, whatever the number of rows. This is checked before any computation. A compressed file may
unpack to a thousand times its size, so unpacking has a limit.
"""

import gzip
import io
import os

from arcwise.errors import DataError


def available() -> float:
    """Return the bytes of memory available; infinity if the system does not report it."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            fields = dict(line.split(":", 1) for line in lines)
        return float(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return _installed_memory()


def _installed_memory() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def check_square(columns: int, memory: float | None = None) -> None:
    """Raise an error if a square matrix of all columns does not fit into memory.

    Parameters
    ----------
    columns : number of variables p; the matrix takes p x p x 8 bytes.
    memory : bytes that may be used; None for the available memory.

    Raises
    ------
    DataError : the matrix does not fit.

    >>> check_square(100_000, memory=16e9)
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: 100000 columns need 80.0 GB for the matrix of their covariances, and \
16.0 GB of memory are available: select fewer columns.
    """
    needed = 8.0 * columns * columns
    limit = available() if memory is None else memory
    if needed > limit:
        raise DataError(
            f"{columns} columns need {size_words(needed)} for the matrix of their covariances, "
            f"and {size_words(limit)} of memory are available: select fewer columns."
        )


def unpack(content: bytes, limit: float) -> bytes:
    """Unpack gzip data, up to `limit` bytes.

    Raises
    ------
    DataError : the data are larger; no more than the limit is unpacked.

    >>> unpack(gzip.compress(b"text"), 1e6)
    b'text'
    >>> unpack(gzip.compress(bytes(10_000_000)), 1e6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: Its 9... kB unpack to more than 1.0 MB.
    """
    most = int(min(limit, 1 << 62))
    unpacked = gzip.GzipFile(fileobj=io.BytesIO(content)).read(most + 1)
    if len(unpacked) > most:
        raise DataError(f"Its {size_words(len(content))} unpack to more than {size_words(most)}.")
    return unpacked


def size_words(size: float) -> str:
    """Format a number of bytes.

    >>> size_words(2_500_000)
    '2.5 MB'
    """
    if size >= 1e15:
        return f"{size / 1e9:.2g} GB"
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size:.0f} bytes"
