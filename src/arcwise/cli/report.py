"""The command ``report``: a network as one interactive page."""

from pathlib import Path
from typing import Annotated

from arcwise.cli import flags, outputs
from arcwise.cli.flags import main_output, option
from arcwise.cli.inputs import load_network


def report(
    net: flags.NetFile,
    title: Annotated[str, option("TEXT", panel="Write and print")] = "",
    output: Annotated[Path | None, main_output()] = None,
) -> None:
    """Write a network as an interactive page that works offline.

    Readers set values by click, drag or keys and see all other distributions change. The page contains no
    row of the data.

    Example: arcwise report wine.json -o wine.html

    Parameters
    ----------
    title : the heading of the page; by default the name of NET.
    output : write the page to this .html file; by default NET's name with .html.
    """
    from arcwise.api.reports import PAGES

    target = output or Path(f"{net.name.removesuffix('.gz').rpartition('.')[0] or net.name}.html")
    outputs.check([(target, PAGES)], [net])
    network = load_network(net)
    heading = title or net.name.partition(".")[0]
    written = outputs.write([(target, lambda to: network.report(to, heading), "the report")])
    outputs.say_written(written)
