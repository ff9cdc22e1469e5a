"""``arcwise query``: what to believe of variables, given what was seen or set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from arcwise.cli import choices, rows, shown, words
from arcwise.cli.shell import event, values
from arcwise.errors import DataError

__all__ = ["query"]


def query(
    net: choices.NetFile,
    targets: Annotated[
        list[str],
        typer.Argument(metavar="TARGET...", help="The variables asked for.", show_default=False),
    ],
    given: Annotated[
        list[str] | None,
        typer.Option("--given", metavar="NAME=VALUE", help="A value that was seen."),
    ] = None,
    do: Annotated[
        list[str] | None,
        typer.Option(
            "--do",
            metavar="NAME=VALUE",
            help="A value that is set: arcs into it are cut. Directed networks only; of a learned one the"
            " answer has a range where data cannot tell the direction of arcs at it.",
        ),
    ] = None,
    probability: Annotated[
        list[str] | None,
        typer.Option(
            "--probability",
            metavar="EVENT",
            help="Also the probability of an event: 'quality > 6', '5 < quality < 7',"
            " 'pH < 3 and quality > 6'.",
        ),
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option("--draws", metavar="NUMBER", min=1, help="Draw so many values instead."),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", metavar="NUMBER", min=0, help="The seed of draws and of simulation."
        ),
    ] = 0,
    method: choices.Method = None,
    chains: choices.Chains = None,
    sweeps: choices.Sweeps = None,
    burn_in: choices.BurnIn = None,
    max_graphs: Annotated[
        int | None,
        typer.Option(
            "--max-graphs",
            metavar="NUMBER",
            min=1,
            help="Most equivalent graphs that the range of an answer to --do is over: by default 500, or 50"
            " where answers are simulated.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the draws to a file: .csv, .tsv or .parquet; by default CSV to standard"
            " output.",
        ),
    ] = None,
    json: choices.Json = False,
) -> None:
    """Ask what to believe of variables, given what is known of others.

    Several targets are answered together, with their correlations. With --draws the answer is a
    table of draws. What has no closed form is simulated: the answer then has an error, R-hat (near 1
    where the chains agree) and an effective sample size.

    Example: arcwise query wine.json quality --given alcohol=11.5 --probability 'quality > 6'
    """
    if output is not None:
        _check_output(output, net, draws)
    network = words.load_network(net)
    known = {
        "given": values(given or (), "--given"),
        "do": values(do or (), "--do"),
        **words.said(method=method, chains=chains, sweeps=sweeps, burn_in=burn_in, seed=seed),
        **words.said(max_graphs=max_graphs),
    }
    belief = network.query(targets[0] if len(targets) == 1 else targets, **known)
    chances = [(text, *_chance(network, text, known)) for text in probability or ()]
    if draws is not None:
        _draw(belief, targets, draws, seed, output)
    elif json:
        shown.show_json({**belief.to_dict(), "probabilities": [_plain(*each) for each in chances]})
    else:
        shown.show(*map(_line, str(belief).splitlines()))
        for text, chance, ends in chances:
            shown.show(shown.styled(f"  probability of {text}: {_share(chance)}{_over(ends)}"))


def _check_output(output: Path, net: Path, draws: int | None) -> None:
    if draws is None:
        raise DataError("Only draws are written to a file: say how many with --draws.")
    rows.destination(output, [net], rows.TABLES)


def _line(text: str) -> Any:
    """What is asked stands out, the answer below it does not."""
    return shown.styled(text, "" if text.startswith(" ") else "bold")


def _chance(network: Any, text: str, known: Mapping[str, Any]) -> tuple[Any, Any]:
    """The probability of an event, and its ends over the equivalent graphs where there are some."""
    bounds = event(text)
    belief = network.query(list(bounds), **known)
    ends = belief.range.probability(bounds) if belief.range else None
    return belief.probability(bounds), ends


def _over(ends: tuple[float, float] | None) -> str:
    """What is said of the ends of a probability; nothing where all graphs agree."""
    low, high = (f"{end:.4g}" for end in ends or (0.0, 0.0))
    return "" if low == high else f"; over equivalent graphs between {low} and {high}"


def _share(chance: Any) -> str:
    """Write a probability; an error that no digit shows is not worth a word."""
    error = f" ± {chance.error:.1g}" if chance.error > 1e-6 else ""
    return f"{float(chance):.4g}{error}"


def _plain(text: str, chance: Any, ends: tuple[float, float] | None) -> dict[str, Any]:
    plain = {"event": text, "probability": float(chance), "error": chance.error}
    return {**plain, "range": list(ends)} if ends else plain


def _draw(belief: Any, targets: Sequence[str], draws: int, seed: int, output: Path | None) -> None:
    """Write draws of the belief, one column a target."""
    import pyarrow as pa

    if belief.range is not None:
        shown.aside("The draws are those of the learned graph alone.")
        for note in belief.range.notes:
            shown.aside(note)
    drawn = belief.draws(draws, seed)
    table = pa.table({targets[0]: drawn} if len(targets) == 1 else dict(drawn))
    if output is None:
        rows.print_table(table)
    else:
        rows.write_table(table, output)
        shown.show(shown.wrote(output, shown.plural(draws, "draw")))
