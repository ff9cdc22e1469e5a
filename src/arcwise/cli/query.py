"""Commands that ask a network: ``edges``, ``query`` and ``explain``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from arcwise.cli import flags, outputs, terminal
from arcwise.cli.arguments import event, level, names, values
from arcwise.cli.flags import argument, main_output, option, output_option, switch
from arcwise.cli.inputs import load_network
from arcwise.errors import DataError, OptionError, plural

if TYPE_CHECKING:
    from arcwise.evaluate import EdgeTable


_shown = partial(option, panel="Choose what is shown")
_evidence = partial(option, "NAME=VALUE", panel="Set the evidence")
Given = Annotated[
    list[str] | None,
    _evidence(help="Observe a value, an interval (6..7) or one of several levels ('a|b')."),
]
Do = Annotated[
    list[str] | None,
    _evidence(help="Set a value by intervention, which cuts arcs into the variable."),
]
_range = partial(option, panel="Compute the range of an intervention over other graphs")
MaxGraphs = Annotated[
    int | None, _range("NUMBER", least=1, help="Use at most this number of equivalent graphs.")
]
GraphData = Annotated[
    Path | None, _range("FILE", help="Use the graphs that the table of the network supports, too.")
]


def edges(
    net: flags.NetFile,
    every: Annotated[bool, switch("--all", panel="Choose what is shown")] = False,
    sort: Annotated[str, _shown("strength|partial_correlation|names|refit_loss")] = "strength",
    refit: Annotated[bool, switch("--refit", panel="Choose what is shown")] = False,
    local: Annotated[list[str] | None, _shown("VARIABLES")] = None,
    csv: Annotated[bool, switch("--csv", panel="Write and print")] = False,
    plot: flags.Plot = None,
    top: Annotated[int | None, option("NUMBER", panel="Write and print", least=0)] = None,
    json: flags.Json = False,
) -> None:
    """Print the edges of a network, strongest first; plot it.

    Example: arcwise edges wine.json --plot wine.png --top 20

    Parameters
    ----------
    every : show all pairs, also those without an edge.
    sort : the column to sort by.
    refit : show the loss of likelihood without each edge, for undirected gaussian networks.
    local : show the local models of these variables, too.
    csv : print a CSV table.
    top : plot only this number of the strongest edges.
    """
    from arcwise.plot import PICTURES

    outputs.check([(plot, PICTURES)], [net])
    if plot is None and top is not None:
        raise OptionError("--top needs --plot FILE: it sets the number of edges drawn.")
    if sort == "refit_loss" and not refit:
        raise OptionError("--sort refit_loss needs --refit, which computes the losses.")
    network = load_network(net)
    found = network.refit_losses() if refit else network.edges
    table = (found if every else found.present).sorted(sort)
    models = [line for name in names(local or ()) for line in network.local(name).splitlines()]
    if json:
        terminal.show_json({"strength": table.meaning, "edges": table.to_records()})
    elif csv:
        outputs.print_table(_columns(table))
    else:
        terminal.show_edges(table, network)
        terminal.show(*models, *([""] if models else []))
    written = outputs.write([(plot, outputs.draw(lambda: network.plot(top=top)), "a plot")])
    if not (json or csv):
        outputs.say_written(written)


def _columns(table: EdgeTable) -> Any:
    """Give the table of edges as an Arrow table."""
    ends = ("from", "to") if table.directed else ("first", "second")
    more = {"present": "bool", "reversible": "bool"} if table.directed else {"present": "bool"}
    more |= {"strength": "float64", "partial_correlation": "float64"}
    if not table.directed and table.sides is None:
        more["sign"] = "int64"
    if "refit_loss" in table.more:
        more["refit_loss"] = "float64"
    if table.sides is not None:
        more |= {"first_side": "float64", "second_side": "float64"}
    rows = [
        (tail, head, *(getattr(row, word) for word in more))
        for row, (tail, _, head) in ((row, terminal.arrow(row)) for row in table)
    ]
    return outputs.arrow(rows, {**dict.fromkeys(ends, "string"), **more})


def query(
    *,
    net: flags.NetFile,
    targets: Annotated[list[str], argument("TARGET...")],
    given: Given = None,
    do: Do = None,
    probability: Annotated[list[str] | None, option("EVENT", panel="Choose the answer")] = None,
    draws: Annotated[int | None, option("NUMBER", panel="Choose the answer", least=1)] = None,
    max_graphs: MaxGraphs = None,
    data: GraphData = None,
    effort: flags.Simulation,
    output: Annotated[Path | None, main_output()] = None,
    plot: Annotated[Path | None, output_option()] = None,
    json: flags.Json = False,
) -> None:
    """Compute the distribution of variables given evidence.

    Several targets are answered together, with their correlations. An answer without a closed form is
    simulated and printed with its standard error, R-hat (near 1 if the chains agree) and effective sample
    size.

    Example: arcwise query wine.json quality --given alcohol=11.5,pH=3..3.3

    Parameters
    ----------
    targets : the variables to predict.
    probability : print the probability of this event, too, such as '5 < pH < 7'.
    draws : print this number of draws instead.
    output : write the draws: {tables}; by default CSV to standard output.
    plot : plot the answer, and in grey the one without evidence: {pictures}.
    """
    from arcwise.plot import PICTURES

    if output is not None and draws is None:
        raise DataError("Only draws can be written to a file: set their number with --draws.")
    places = [(output, outputs.TABLES), (plot, PICTURES)]
    outputs.check(places, [net, *([data] if data else [])])
    network = load_network(net, data)
    known = {
        **evidence(network, given, do),
        **effort.settings(),
        **({} if max_graphs is None else {"max_graphs": max_graphs}),
    }
    belief = network.query(targets[0] if len(targets) == 1 else targets, **known)
    chances = [(text, _chance(network, text, known)) for text in probability or ()]
    if draws is not None:
        import pyarrow as pa

        _say_graph(belief)
        drawn = belief.draws(draws, effort.seed)
        columns = {targets[0]: drawn} if len(targets) == 1 else dict(drawn)
        outputs.give_table(pa.table(columns), output, plural(draws, "draw"))
    elif json:
        plain = [_plain(*each) for each in chances]
        terminal.show_json({**belief.document(), "probabilities": plain})
    else:
        for line in str(belief).splitlines():  # what is asked stands out, the answer below does not
            terminal.show(terminal.style_text(line, "" if line.startswith(" ") else "bold"))
        for text, chance in chances:
            terminal.show(f"  probability of {text}: {_share(chance)}")
    written = outputs.write([(plot, outputs.draw(belief.plot), "a figure")])
    if not json and draws is None:
        outputs.say_written(written)


def _say_graph(belief: Any) -> None:
    """Say that draws are from one graph where the answer has a range over several."""
    if belief.range is not None:
        terminal.print_aside("The draws are from the learned graph only.")
        for note in belief.range.notes:
            terminal.print_aside(note)


def explain(
    *,
    net: flags.NetFile,
    given: Given = None,
    do: Do = None,
    of: Annotated[list[str] | None, option("VARIABLES", panel="Choose the answer")] = None,
    max_graphs: MaxGraphs = None,
    data: GraphData = None,
    json: flags.Json = False,
) -> None:
    """Find the most probable values of variables given evidence.

    They are most probable together. 'arcwise query' gives the most probable value of one variable.

    Example: arcwise explain asia.bif --of lung,bronc --given xray=yes,dysp=yes

    Parameters
    ----------
    of : explain these variables only, and sum out the others.
    """
    network = load_network(net, data)
    targets = None if of is None else names(of)
    known: Any = evidence(network, given, do)
    found = network.explain(**known, of=targets, max_graphs=max_graphs)
    if json:
        terminal.show_json(found.document())
        return
    head, *lines = str(found).splitlines()
    terminal.show(terminal.style_text(head, "bold"))
    for line in lines:
        terminal.show(line)


def _levels(network: Any) -> dict[str, tuple[Any, ...]]:
    """The levels of the discrete variables, by name."""
    return {each.name: each.levels for each in network.net.variables if each.levels is not None}


def evidence(
    network: Any, given: Sequence[str] | None, do: Sequence[str] | None
) -> dict[str, dict[str, Any]]:
    """What was typed of evidence, by the words of a question."""
    levels = _levels(network)
    return {
        "given": values(given or (), "--given", levels),
        "do": values(do or (), "--do", levels),
    }


def _chance(network: Any, text: str, known: Mapping[str, Any]) -> Any:
    """The probability of an event; of an answer to --do in a learned network, with its range."""
    levels, bounds = _levels(network), event(text)
    for name, each in bounds.items():
        if isinstance(each, str):
            found = level(each, levels.get(name, ()))
            bounds[name] = found if isinstance(found, list) else [found]
    return network.query(list(bounds), **known).probability(bounds)


def _share(chance: Any) -> str:
    """Write a probability with its range; an error that no digit shows is omitted."""
    error = f" ± {chance.error:.1g}" if chance.error > 1e-6 else ""
    over = "" if chance.range is None else f"; {chance.range}"
    return f"{float(chance):.4g}{error}{over}"


def _plain(text: str, chance: Any) -> dict[str, Any]:
    plain = {"event": text, "probability": float(chance), "error": chance.error}
    return plain if chance.range is None else {**plain, **chance.range.to_dict()}
