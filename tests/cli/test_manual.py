"""Help texts and the page made from them."""

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest

from arcwise.cli import flags
from arcwise.cli.program import COMMANDS
from arcwise.conditionals import FAMILIES
from arcwise.scores import SCORES
from arcwise.search import SEARCHES
from arcwise.undirected import UNDIRECTED

ROOT = Path(__file__).parents[2]
NAMES = [command.__name__ for commands in COMMANDS.values() for command in commands]


def test_the_page_is_up_to_date():
    script = ROOT / "scripts" / "cli_page"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_command_has_help(run):
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in NAMES:
        done = run(name, "--help")
        assert done.code == 0, name
        assert done.out.startswith(f"Usage: arcwise {name} ")
        assert "  -h, --help" in done.out
        assert max(map(len, done.out.splitlines())) <= 100, name
        assert f"## arcwise {name}" in page


def test_every_option_is_explained():
    from typer.main import get_command

    from arcwise.cli.program import app

    commands = get_command(app).commands
    every = [(name, each) for name in NAMES for each in commands[name].params]
    assert not [(name, each.name) for name, each in every if not (each.help or "").endswith(".")]


@pytest.mark.parametrize("name", NAMES)
def test_an_option_has_at_most_two_lines_on_a_narrow_terminal(name):
    import re

    from typer.main import get_command

    from arcwise.cli.program import app, help_text

    command = get_command(app).commands[name]
    context = command.context_class(command, info_name=f"arcwise {name}")
    text = help_text(command, context, 80)
    options = text.partition("\nAll values\n")[0].partition("\nExample\n")[0]
    blocks = [each.split("\n\n")[0] for each in re.split(r"\n(?=  -)", options)[1:]]
    assert not [each for each in blocks if each.count("\n") > 1]
    assert not [line for line in text.splitlines() if len(line) > 80]
    assert "WORD" not in text
    assert text.rstrip().splitlines()[-2] == "Example"


@pytest.mark.parametrize("register", [FAMILIES, SCORES, SEARCHES, UNDIRECTED])
def test_words_of_registers_are_in_the_help(run, monkeypatch, register):
    assert all(word in run("learn", "--help").out for word in register)
    monkeypatch.setitem(register, "brand-new", next(iter(register.values())))
    assert "brand-new" in run("learn", "--help").out


def test_no_braces_are_left_in_the_page():
    assert not set("{}") & set((ROOT / "docs" / "cli.md").read_text(encoding="utf-8"))


def test_a_group_of_options_becomes_single_ones_with_the_help_of_its_docstring():
    seen = []

    def command(source: flags.Source, seed: Annotated[int, flags.option("NUMBER")] = 3) -> None:
        """Say something.

        Parameters
        ----------
        seed : of the draws,
            in words.
        """
        seen.append((source, seed))

    single = flags.flat(command)
    parameters = inspect.signature(single).parameters
    own = ["data", "only", "drop", "kind", "weights", "copies", "na_values", "missing"]
    assert list(parameters) == [*own, "seed"]
    assert parameters["seed"].annotation.__metadata__[0].help == "Of the draws, in words."
    assert parameters["only"].annotation.__metadata__[0].help == "Use these columns only."
    assert single.__doc__.strip() == "Say something."
    given = {"data": Path("x.csv"), "only": ["a"], "copies": "apart", "missing": "auto", "seed": 4}
    asked = dict.fromkeys(parameters) | given
    single(**asked)
    assert seen == [(flags.Source(Path("x.csv"), ["a"]), 4)]


def test_examples_in_the_help_are_well_formed(run, table, net):
    import shlex

    from typer.main import get_command

    from arcwise.cli.program import app

    group = get_command(app)
    for name, command in group.commands.items():
        if "Example: " in command.help:
            example = " ".join(command.help.split("Example: ")[1].split())
            parts = shlex.split(example.split(" > ")[0] if name in ("edges", "data") else example)
            assert parts[:2] == ["arcwise", name]
            command.make_context(name, parts[2:])
