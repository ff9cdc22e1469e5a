"""The command ``report``: a network as one interactive page."""

from pathlib import Path
from typing import Annotated

from arcwise.cli import flags, outputs
from arcwise.cli.flags import main_output, option, switch
from arcwise.cli.inputs import load_network
from arcwise.errors import OptionError


def report(
    net: flags.NetFile,
    title: Annotated[str, option("TEXT", panel="Write and print")] = "",
    data: Annotated[Path | None, option("FILE", panel="Use the data")] = None,
    rows: Annotated[bool, switch("--rows", panel="Use the data")] = False,
    output: Annotated[Path | None, main_output()] = None,
) -> None:
    """Write a network as an interactive page that works offline.

    Readers set values by click, drag or keys and see all other distributions change. Without --rows the
    page contains no row of the data.

    Example: arcwise report wine.json -o wine.html

    Parameters
    ----------
    title : the heading of the page; by default the name of NET.
    data : the table of the network, for summaries of variables, validation and ranges of interventions.
    rows : show up to 2000 rows of the data in plots.
    output : write the page to this .html file; by default NET's name with .html.
    """
    from arcwise.api.reports import PAGES

    if rows and data is None:
        raise OptionError("--rows needs the data of the network: add --data FILE.")
    target = output or Path(f"{net.name.removesuffix('.gz').rpartition('.')[0] or net.name}.html")
    outputs.check([(target, PAGES)], [net, *([data] if data else [])])
    network = load_network(net, data)
    heading = title or net.name.partition(".")[0]
    page = (target, lambda to: network.report(to, heading, rows=rows), "the report")
    outputs.say_written(outputs.write([page]))
