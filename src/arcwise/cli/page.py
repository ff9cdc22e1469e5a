"""The page about the command line: what all commands have in common, and the help of each."""

from __future__ import annotations

from typing import Any

__all__ = ["page"]

WIDTH = 80

INTRODUCTION = """\
# Command line

`arcwise` does on the command line what the library does in Python, in the same words. This page is
made from the program's own help by `scripts/cli_page`.

```text
arcwise learn wine.csv
arcwise query wine.json quality --given alcohol=11.5 --probability 'quality > 6'
arcwise predict wine.json new.csv quality -o predicted.csv
arcwise learn boston.csv --graph undirected --model parzen --penalty 0.2
arcwise path boston.csv --model parzen
```

- **Input.** Tables are CSV, TSV or Parquet, also compressed as `.gz`, from a file, a pipe, or as `-`
  from standard input; separator, decimal sign and encoding are guessed and told. A graph is a model
  file, a `.bif` file, a `.csv` table of arcs (`parent,child`) or of edges without direction
  (`first,second`), a model string such as `'[a][b|a]'`, or `'ug a:b + b:c'` for an undirected
  graph.
- **Names.** Lists of names are separated by commas; a name that holds a comma stands in double
  quotes inside the list. Options shown with `...` may be given several times.
- **Output.** What was asked for goes to standard output, notes and progress to standard error. In a
  pipe there are no colours, and `--json` prints one document and nothing else. Files are written
  whole or not at all; the file that is being read is never overwritten.
- **Ctrl-C** ends a search with the best graph so far, which is written as usual; pressed again, it
  ends the program. Other commands, such as `validate`, end without a result.
- **Exit codes.** 0: done. 1: something in the input has to change, and one sentence says what.
  2: the command is written wrongly. 3: a fault of Arcwise; with `ARCWISE_DEBUG=1` in the
  environment the traceback is shown. 130: interrupted by Ctrl-C.
"""


def page() -> str:
    """Write the page, in Markdown."""
    from typer.main import get_command

    from arcwise.cli.program import app

    group: Any = get_command(app)
    parts = [INTRODUCTION, _block("arcwise", group, group)]
    for name, command in group.commands.items():
        parts.append(_block(f"arcwise {name}", command, group))
    return "\n".join(parts)


def _block(path: str, command: Any, group: Any) -> str:
    from arcwise.cli.help import help_text

    context = command.context_class(command, info_name=path, **group.context_settings)
    return f"## {path}\n\n```text\n{help_text(command, context, WIDTH).rstrip()}\n```\n"
