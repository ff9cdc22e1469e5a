"""The program: its commands, how it ends, and its manual.

Every way to end passes through ``Program.main``: what a user can mend is one sentence on standard
error and exit code 1, whatever was expected to be written is written whole or not at all, and a
traceback is shown only where ``ARCWISE_DEBUG`` asks for it.

The manual, what a command is for and its options under headings, is printed by ``--help`` and written into
docs/cli.md by scripts/cli_page, so that the two cannot differ.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from arcwise.cli.arguments import either
from arcwise.cli.certainty import posterior, sensitivity
from arcwise.cli.classify import classify
from arcwise.cli.datasets import audit, data, demo, discretise
from arcwise.cli.flags import flat
from arcwise.cli.graph_files import compare, convert
from arcwise.cli.learn import fit, learn, path, prune, validate
from arcwise.cli.outputs import MISPLACED, TABLES
from arcwise.cli.predict import impute, predict, sample
from arcwise.cli.query import edges, explain, query
from arcwise.cli.report import report
from arcwise.cli.terminal import INTERRUPTED, printable
from arcwise.errors import ArcwiseError
from arcwise.notes import Idiom

USER, USAGE, FAULT = 1, 2, 3

# Commands by the heading they stand under in the help.
COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "Learn a network": (learn, fit, path, posterior, sensitivity, prune, classify, validate),
    "Query a network": (edges, query, explain, predict, impute, sample, report),
    "Graphs and files": (compare, convert),
    "Data": (audit, discretise, data, demo),
}

HEADINGS = (
    "Choose the model",
    "Run the search",
    "Sample graphs",
    "Use prior knowledge",
    "Validate",
    "Set the evidence",
    "Choose the answer",
    "Choose what is shown",
    "Compute the range of an intervention over other graphs",
    "Simulate answers without a closed form",
    "Read the table",
    "Make categories",
    "Options",
    "Write and print",
)
"""Headings of options in the order of the help."""
ALL_VALUES = "All values"

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


class Program(TyperGroup):
    """The group of all commands, with one place where every run ends."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help text."""
        formatter.write(help_text(self, ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; the library for commands has its own ideas of these two ends."""
        MISPLACED.set(False)
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            raise typer.Exit(_reader_left()) from None
        except KeyboardInterrupt:
            _say("Interrupted; nothing further was written.", INTERRUPTED)
            raise typer.Exit(INTERRUPTED) from None
        if MISPLACED.get():
            raise typer.Exit(USER)
        return answer

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command, turn what went wrong into a sentence and a code, and exit."""
        _careful_streams()
        code = FAULT
        try:
            fixed = {"prog_name": "arcwise", "standalone_mode": False}
            code = int(super().main(*args, **{**extra, **fixed}) or 0)
        except ArcwiseError as error:
            code = _say(error.worded(Idiom.SHELL), USER)
        except MemoryError:
            code = _say("There is not enough memory: use fewer columns or rows.", USER)
        except Exception as error:
            code = _usage(error) if hasattr(error, "exit_code") else _fault(error)
        sys.exit(code)


def _careful_streams() -> None:
    """A terminal that cannot show a letter gets an escape for it, not an error."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _say(sentence: str, code: int) -> int:
    with suppress(OSError):
        sys.stderr.write(f"arcwise: {printable(sentence)}\n")
    return code


def _usage(error: Any) -> int:
    """A command that is written wrongly: the library for commands knows what is wrong."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "arcwise"
    text = error.format_message().strip() if hasattr(error, "format_message") else str(error)
    text = text[:1].upper() + text[1:].rstrip(".")
    if getattr(error, "option_name", "") == "--missing":
        text += "; use --na-values for values that mean missing"
    end = "" if text.endswith("?") else "."
    return _say(f"{text}{end} See '{command} --help'.", USAGE)


def _fault(error: Exception) -> int:
    if os.environ.get("ARCWISE_DEBUG"):
        raise error
    said = " ".join(str(error).split())
    return _say(
        f"Arcwise failed with an internal error ({type(error).__name__}: {said}). Set "
        "ARCWISE_DEBUG=1 and run the command again for a traceback, and please report it.",
        FAULT,
    )


def _reader_left() -> int:
    """End quietly where the reader of a pipe has seen enough, as ``head`` does."""
    with suppress(OSError, ValueError):
        # Otherwise the interpreter would try to flush the rest and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


# -- the manual ----------------------------------------------------------------------------------


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
    usage = " ".join([context.command_path, "[OPTIONS]", *map(_show, arguments)])
    if hasattr(command, "commands"):
        usage += " COMMAND ..."
    rows = [("", _show(each), _resolve(each.help or "")) for each in arguments]
    rows += _commands(command) if hasattr(command, "commands") else []
    rows += _options(params, wide)
    about, _, example = (command.help or "").partition("Example: ")
    parts = [f"{bold('Usage:')} {usage}", *_paragraphs(about, wide)]
    parts += _sections(rows, wide, bold)
    if example:
        parts.append(f"{bold('Example')}\n  {' '.join(example.split())}")
    if command.epilog:
        parts += _paragraphs(command.epilog, wide)
    return "\n\n".join(parts) + "\n"


def option_values() -> dict[str, tuple[str, ...]]:
    """Return the values that help texts list, by the name of their registry."""
    from arcwise.conditionals import FAMILIES
    from arcwise.data import KINDS, METHODS
    from arcwise.data.prepare import POLICIES
    from arcwise.inference import ENGINES
    from arcwise.io import FIGURES, FORMATS
    from arcwise.learners import RULES, Lasso, graphs
    from arcwise.learners.classifiers import SELECTIONS, STRUCTURES
    from arcwise.learners.posteriors import METHODS as POSTERIORS
    from arcwise.learners.posteriors.graph_chains import REVERSAL
    from arcwise.learners.posteriors.plan import RESAMPLING
    from arcwise.mcmc import SAMPLERS
    from arcwise.plot import PICTURES
    from arcwise.scores import SCORES
    from arcwise.search import SEARCHES
    from arcwise.undirected import UNDIRECTED

    values: dict[str, Iterable[str]] = {
        "figures": FIGURES,
        "formats": [ending for ending, form in FORMATS.items() if form.write is not None],
        "graphs": graphs(),
        "cutters": METHODS,
        "kinds": KINDS,
        "lasso": [word for word in Lasso.searches if word != "auto"],
        "methods": ENGINES,
        "models": FAMILIES,
        "pictures": PICTURES,
        "posteriors": ("auto", *POSTERIORS),
        "policies": POLICIES,
        "resampling": RESAMPLING,
        "rules": RULES,
        "samplers": [*SAMPLERS, REVERSAL],
        "scores": SCORES,
        "selections": SELECTIONS,
        "structures": STRUCTURES,
        "searches": SEARCHES,
        "tables": TABLES,
        "undirected": UNDIRECTED,
    }
    return {name: tuple(words) for name, words in values.items()}


def _resolve(text: str, separator: str | None = None) -> str:
    """Put the values of registries into a text, as a choice or with a separator."""
    if "{" not in text:
        return text
    join = either if separator is None else separator.join
    return text.format_map({name: join(words) for name, words in option_values().items()})


def _placeholder(option: Any, width: int) -> tuple[str, str]:
    """Return what an option shows for its value within a width, and all values if these are too many."""
    if option.is_flag or not option.metavar:
        return "", ""
    values = list(dict.fromkeys(_resolve(option.metavar, "|").split("|")))
    many = " ..." if option.multiple else ""
    whole = f" {'|'.join(values)}{many}"
    if len(whole) <= width:
        return whole, ""
    shown = [*values[:-1]]
    while len(f" {'|'.join(shown)}|...{many}") > width:
        shown.pop()
    return f" {'|'.join(shown)}|...{many}", ", ".join(values)


def _show(argument: Any) -> str:
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


def _options(params: Iterable[Any], width: int) -> list[tuple[str, str, str]]:
    """Heading, flags and help of each option, in the order of the headings; then values that are too many."""
    options = [option for option in params if option.param_type_name == "option"]
    panels = {id(each): getattr(each, "rich_help_panel", None) or "Options" for each in options}
    order = {heading: number for number, heading in enumerate(HEADINGS)}
    options.sort(key=lambda each: ("--help" in each.opts, order.get(panels[id(each)], len(order))))
    rows: list[tuple[str, str, str]] = []
    lists: list[tuple[str, str, str]] = []
    for option in options:
        # What is short comes first, as one reads.
        flags = ", ".join([*sorted(option.opts, key=len), *option.secondary_opts])
        shown, values = _placeholder(option, width - len(flags) - 2)
        panel = panels[id(option)]
        if "--help" in option.opts and rows:
            panel = rows[-1][0]
        rows.append((panel, flags + shown, _resolve(option.help or "") + _default(option)))
        if values:
            lists.append((ALL_VALUES, flags, values))
    return rows + lists


def _default(option: Any) -> str:
    default = option.default
    if option.is_flag or default is None or callable(default) or str(default) in ("", "auto"):
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


# -- the commands --------------------------------------------------------------------------------


def _version(asked: bool) -> None:
    if asked:
        from arcwise import __version__

        sys.stdout.write(f"arcwise {__version__}\n")
        raise typer.Exit


app = typer.Typer(
    cls=Program,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(
    invoke_without_command=True,
    epilog="Start with 'arcwise demo', or with 'arcwise learn TABLE'.",
)
def arcwise(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Learn which variables in a table depend directly on others; query the model."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for _panel, _group in COMMANDS.items():
    for _command in _group:
        app.command(cls=Command, rich_help_panel=_panel)(flat(_command))
