"""The program: its commands, and how it ends.

Every way to end passes through ``Program.main``: what a user can mend is one sentence on standard
error and exit code 1, whatever was expected to be written is written whole or not at all, and a
traceback is shown only where ``ARCWISE_DEBUG`` asks for it.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from arcwise.cli.answers import edges, explain, query
from arcwise.cli.categories import discretise
from arcwise.cli.certainty import posterior
from arcwise.cli.classifying import classify
from arcwise.cli.completion import impute, predict, sample
from arcwise.cli.datasets import audit, data, demo
from arcwise.cli.graph_files import compare, convert
from arcwise.cli.manual import Command, help_text
from arcwise.cli.options import flat
from arcwise.cli.outputs import MISPLACED
from arcwise.cli.removals import path, prune
from arcwise.cli.syntax import shell_words
from arcwise.cli.terminal import INTERRUPTED, printable
from arcwise.cli.training import fit, learn, validate
from arcwise.errors import ArcwiseError

USER, USAGE, FAULT = 1, 2, 3

# Commands by the heading they stand under in the help.
COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "Learn a network": (learn, fit, path, posterior, prune, classify, validate),
    "Ask it": (edges, query, explain, predict, impute, sample),
    "Graphs and files": (compare, convert),
    "Data": (audit, discretise, data, demo),
}


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
            code = _say(shell_words(str(error)), USER)
        except MemoryError:
            code = _say("There is not enough memory: take fewer columns or rows.", USER)
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
        text += "; values that mean a gap are given with --na-values"
    end = "" if text.endswith("?") else "."
    return _say(f"{text}{end} See '{command} --help'.", USAGE)


def _fault(error: Exception) -> int:
    if os.environ.get("ARCWISE_DEBUG"):
        raise error
    said = " ".join(str(error).split())
    return _say(
        f"Something went wrong that is not your fault ({type(error).__name__}: {said}). "
        "Run the command again with ARCWISE_DEBUG=1 to see where.",
        FAULT,
    )


def _reader_left() -> int:
    """End quietly where the reader of a pipe has seen enough, as ``head`` does."""
    with suppress(OSError, ValueError):
        # Otherwise the interpreter would try to flush the rest and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


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
    epilog="Begin with 'arcwise demo', or with 'arcwise learn' and a table of your own.",
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
    """Learn from a table which variables depend directly on which, and ask the model."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for _panel, _commands in COMMANDS.items():
    for _command in _commands:
        app.command(cls=Command, rich_help_panel=_panel)(flat(_command))
