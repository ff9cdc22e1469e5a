"""``arcwise prune``: one variable predicted from fewer and fewer others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli import choices, rows, shown, words

if TYPE_CHECKING:
    from arcwise.evaluate.pruning import Pruning

__all__ = ["prune"]


def prune(
    data: choices.DataFile,
    target: Annotated[
        str,
        typer.Argument(metavar="TARGET", help="The variable to predict.", show_default=False),
    ],
    only: choices.Only = None,
    drop: choices.Drop = None,
    kind: choices.Kinds = None,
    weights: choices.Weights = None,
    missing: choices.Missing = None,
    test: Annotated[
        Path | None,
        typer.Option("--test", metavar="FILE", help="Other rows, to be scored by every model."),
    ] = None,
    model: choices.Model = "auto",
    score: choices.Score = None,
    option: choices.Options = None,
    seed: choices.Seed = 0,
    jobs: choices.Jobs = 1,
    time: choices.Time = None,
    output: choices.TableOut = None,
    json: choices.Json = False,
) -> None:
    """Take the inputs of one variable away one by one, the least missed first.

    Prints the score against the number of inputs left: how many of them matter, and which. With
    -o the stages are written as a table.

    Example: arcwise prune boston.csv INDUS --model parzen --option widths=one
    """
    asked = dict(locals())
    from arcwise import api
    from arcwise.data import read

    if output is not None:
        rows.destination(output, [data], rows.TABLES)
    chosen = words.pruning_words(asked)
    other = None if test is None else read(test)
    found = api.prune(words.table(asked), target, test=other, time=time, **chosen)
    if output is not None:
        _write(found, output)
    if json:
        shown.show_json(found.to_dict())
    elif output is None:
        shown.show(*str(found).splitlines())
    else:
        shown.show(shown.wrote(output, f"{shown.plural(len(found.stages), 'stage')} of {target}"))
        if found.stopped:
            shown.show(str(found).splitlines()[-1])


def _write(found: Pruning, output: Path) -> None:
    import pyarrow as pa

    columns = {
        "inputs": [len(stage.inputs) for stage in found.stages],
        "removed": [stage.removed for stage in found.stages],
        "score": [stage.score for stage in found.stages],
        "test": [stage.test for stage in found.stages],
        "test_median": [stage.test_median for stage in found.stages],
        "names": [" ".join(stage.inputs) for stage in found.stages],
    }
    rows.write_table(pa.table(columns), output)
