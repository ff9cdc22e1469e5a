"""Reports: a network as one interactive page, in a file or in a notebook."""

from __future__ import annotations

from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from arcwise.api.document import document
from arcwise.errors import FileError
from arcwise.io.files import write_bytes
from arcwise.view import page

if TYPE_CHECKING:
    from arcwise.api.learning import LearnOptions
    from arcwise.api.net import Network
    from arcwise.evaluate import Validation
    from arcwise.results import Path as GraphPath

__all__ = ["PAGES", "live_html", "report", "write_report"]

PAGES = (".html", ".htm")
"""What the name of a report may end in, .gz aside."""

MAX_LIVE = 60
"""Variables up to which notebooks show the page itself."""

HEIGHT = 720
"""Pixels of the page in a notebook."""


def report(
    data: Any,
    path: str | PathLike[str] = "report.html",
    *,
    title: str = "",
    validation: Validation | None = None,
    rows: bool = False,
    **options: Unpack[LearnOptions],
) -> Path:
    """Learn a network from data and write its report.

    Parameters
    ----------
    data : as for `learn`.
    path : the .html file to write.
    title : the heading of the page; by default the name of the file.
    validation : a result of `validate` for these data, shown under "How well it predicts".
    rows : whether the file contains rows of the data, up to 2000, which its plots show.
    options : options of `learn`: model, score, search, rules, seed, ...

    Returns
    -------
    The path of the file.

    Raises
    ------
    FileError : the file does not end in .html, or cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import arcwise as aw
    >>> with TemporaryDirectory() as folder:
    ...     page = aw.report(aw.example("asia").sample(200, seed=1), Path(folder, "asia.html"))
    ...     page.name, page.stat().st_size > 10_000
    ('asia.html', True)
    """
    from arcwise.api.learning import learn

    check_extension(Path(path))
    return write_report(learn(data, **options), Path(path), title, validation, rows=rows)


def write_report(
    net: Network,
    path: Path,
    title: str = "",
    validation: Validation | None = None,
    graphs: tuple[GraphPath, float] | None = None,
    rows: bool = False,
) -> Path:
    """Write the page of a network to a file, whole or not at all.

    `graphs` is the path over penalties that the network is from, with its own penalty. With `rows` the file
    contains rows of the data.

    Raises
    ------
    FileError : another file extension than .html, or a place that cannot be written to.
    """
    check_extension(path)
    heading = title or path.name.partition(".")[0]
    write_bytes(path, page(document(net, heading, validation, graphs, rows)).encode())
    return path


def check_extension(path: Path) -> None:
    """Raise an error unless a report can be written to a file of this name."""
    if Path(path.name.lower().removesuffix(".gz")).suffix not in PAGES:
        raise FileError(f"A report must be written to a .html file, got {str(path)!r}.")


def live_html(net: Network) -> str | None:
    """Return the page in a sandboxed frame for notebooks; None for large networks.

    The frame contains the page as text, so that an exported notebook still answers.
    """
    if len(net.variables) > MAX_LIVE:
        return None
    text = page(document(net, "Network"))
    return (
        f'<iframe sandbox="allow-scripts allow-downloads" title="Network" loading="lazy" '
        f'style="width:100%;height:{HEIGHT}px;border:0" srcdoc="{escape(text)}"></iframe>'
    )
