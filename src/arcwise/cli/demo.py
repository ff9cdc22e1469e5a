"""``arcwise demo``: a network learned from the shipped Boston data, shown and written."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli import rows, shown, summary
from arcwise.errors import FileError

if TYPE_CHECKING:
    from arcwise.api import Network

__all__ = ["demo"]

NAME = "boston"


def demo(
    folder: Annotated[
        Path,
        typer.Option(
            "--folder", metavar="FOLDER", help="Where to write the files; made if it is missing."
        ),
    ] = Path("demo"),
) -> None:
    """Learn a network from the shipped Boston data, show it and write it.

    Writes the model, the graph for Graphviz and, where matplotlib is installed, a picture.
    """
    from arcwise.api import learn
    from arcwise.data import shipped

    _make(folder)
    model, dot, picture = (folder / f"{NAME}.{ending}" for ending in ("json", "dot", "png"))
    for path in (model, dot, picture):
        rows.destination(path)
    table = shipped(NAME)
    began = clock.monotonic()
    net = learn(table)
    summary.show_network(
        net, table, Path(f"{NAME} (shipped with Arcwise)"), clock.monotonic() - began
    )
    net.save(model)
    net.save(dot)
    shown.show(shown.wrote(model, "the model"), shown.wrote(dot, "the graph for Graphviz"))
    shown.show(_draw(net, picture))
    summary.show_go_on(net, table, model)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {str(folder)!r} cannot be made: {error.strerror}.") from None


def _draw(net: Network, picture: Path) -> str:
    """Draw the graph where that is possible, and say what happened."""
    from io import BytesIO

    from arcwise.io.files import write_bytes

    try:
        axes = net.plot()
    except ImportError:
        return "No picture was drawn: pip install 'arcwise[plot]' brings what it needs."
    content = BytesIO()
    axes.figure.savefig(content, format="png", dpi=150, bbox_inches="tight")
    write_bytes(picture, content.getvalue())
    return shown.wrote(picture, "a picture")
