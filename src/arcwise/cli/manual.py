"""The manual: what a command is for, and its options under headings, in plain columns.

The same text is printed by ``--help`` and written into docs/cli.md by scripts/cli_page, so that the
two cannot differ, whatever the version of the library for commands.
"""

import shutil
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import typer
from typer.core import TyperCommand

from arcwise.cli import inputs
from arcwise.cli.outputs import TABLES
from arcwise.cli.syntax import either

Style = Callable[[str], str]

# Wider lines are hard to read.
WIDEST = 100
# Where the second column begins at most; a longer first cell has its text below it.
FARTHEST = 28


class Command(TyperCommand):
    """A command that writes its own help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help text."""
        formatter.write(help_text(self, ctx))


def help_text(command: Any, context: Any, width: int | None = None) -> str:
    """Write the help of a command or of the whole program.

    Parameters
    ----------
    command, context : as the library for commands has them.
    width : of the lines, without any bold letters; None for a terminal's.
    """
    bold: Style = (lambda text: text) if width else (lambda text: typer.style(text, bold=True))
    wide = width or min(shutil.get_terminal_size().columns, WIDEST)
    params = [each for each in command.get_params(context) if not getattr(each, "hidden", False)]
    arguments = [each for each in params if each.param_type_name == "argument"]
    usage = " ".join([context.command_path, "[OPTIONS]", *map(_shown, arguments)])
    if hasattr(command, "commands"):
        usage += " COMMAND ..."
    rows = [("", _shown(each), each.help or "") for each in arguments]
    rows += _commands(command) if hasattr(command, "commands") else []
    rows += _options(params)
    if any("{" in text for _, _, text in rows):
        words = _registers()
        rows = [(heading, left, text.format_map(words)) for heading, left, text in rows]
    parts = [f"{bold('Usage:')} {usage}", *_paragraphs(command.help or "", wide)]
    parts += _sections(rows, wide, bold)
    if command.epilog:
        parts += _paragraphs(command.epilog, wide)
    return "\n\n".join(parts) + "\n"


def _registers() -> dict[str, str]:
    """Words that help texts name, by the name of their register."""
    from arcwise.conditionals import FAMILIES
    from arcwise.data import KINDS, METHODS
    from arcwise.data.prepare import POLICIES
    from arcwise.inference import ENGINES
    from arcwise.io import FIGURES, FORMATS
    from arcwise.learners import RULES, Lasso, graphs, replicates, sampling
    from arcwise.learners.chains import REVERSAL
    from arcwise.mcmc import SAMPLERS
    from arcwise.plot import PICTURES
    from arcwise.scores import SCORES
    from arcwise.search import SEARCHES
    from arcwise.undirected import UNDIRECTED

    found: dict[str, Iterable[str]] = {
        "figures": FIGURES,
        "formats": [ending for ending, form in FORMATS.items() if form.write is not None],
        "graph": [inputs.GRAPH_FORMS],
        "graphs": graphs(),
        "cutters": METHODS,
        "kinds": KINDS,
        "lasso": [word for word in Lasso.searches if word != "auto"],
        "methods": ENGINES,
        "models": FAMILIES,
        "pictures": PICTURES,
        "posteriors": sampling.METHODS,
        "policies": POLICIES,
        "resampling": replicates.RESAMPLING,
        "rules": RULES,
        "samplers": [*SAMPLERS, REVERSAL],
        "scores": SCORES,
        "searches": SEARCHES,
        "tables": TABLES,
        "undirected": UNDIRECTED,
    }
    return {name: either(words) for name, words in found.items()}


def _shown(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _paragraphs(text: str, width: int) -> list[str]:
    blocks = textwrap.dedent(text).strip().split("\n\n")
    return [_flow(" ".join(block.split()), width) for block in blocks]


def _flow(text: str, width: int, indent: str = "") -> str:
    return textwrap.fill(
        text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _commands(group: Any) -> list[tuple[str, str, str]]:
    """Heading, name and first sentence of each command."""
    return [
        (each.rich_help_panel, name, _paragraphs(each.help, 1000)[0])
        for name, each in group.commands.items()
    ]


def _options(params: Iterable[Any]) -> list[tuple[str, str, str]]:
    """Heading, flags and help of each option; --help joins whatever comes last."""
    found: list[tuple[str, str, str]] = []
    for option in params:
        if option.param_type_name != "option":
            continue
        # What is short comes first, as one reads.
        flags = ", ".join(sorted(option.opts, key=len))
        many = " ..." if option.multiple else ""
        shown = "" if option.is_flag or not option.metavar else f" {option.metavar}{many}"
        panel = getattr(option, "rich_help_panel", None) or "Options"
        if "--help" in option.opts and found:
            panel = found[-1][0]
        found.append((panel, flags + shown, (option.help or "") + _default(option)))
    return found


def _default(option: Any) -> str:
    default = option.default
    if option.is_flag or default is None or callable(default) or not str(default):
        return ""
    return "" if isinstance(default, list | tuple) else f" [default: {default}]"


def _sections(rows: Sequence[tuple[str, str, str]], width: int, bold: Style) -> list[str]:
    """Lay rows out in two columns under their headings: what to type, and what it does."""
    indent = min(max(len(left) for _, left, _ in rows) + 4, FARTHEST)
    under: dict[str, list[str]] = {}
    for heading, left, right in rows:
        first, text = f"  {left}", _flow(right, width, " " * indent)
        # At least two blanks part the columns.
        fits = len(first) <= indent - 2
        line = first.ljust(indent) + text[indent:] if fits else f"{first}\n{text}"
        under.setdefault(heading, [bold(heading)] if heading else []).append(line)
    return ["\n".join(lines) for lines in under.values()]
