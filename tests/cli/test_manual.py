"""Help texts and the page made from them."""

import subprocess
import sys
from pathlib import Path

import pytest

from arcwise.cli.program import COMMANDS

ROOT = Path(__file__).parents[2]
NAMES = [command.__name__ for commands in COMMANDS.values() for command in commands]


def test_the_page_is_up_to_date():
    script = ROOT / "scripts" / "cli_page"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(run, name):
    done = run(name, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: arcwise {name} ")
    assert "  -h, --help" in done.out
    assert max(map(len, done.out.splitlines())) <= 100
    assert f"## arcwise {name}" in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_explained(run, name):
    from typer.main import get_command

    from arcwise.cli.program import app

    for parameter in get_command(app).commands[name].params:
        assert parameter.help, parameter.name
        assert parameter.help.rstrip().endswith("."), parameter.help


def test_examples_in_the_help_are_well_formed(run, table, net):
    import shlex

    from typer.main import get_command

    from arcwise.cli.program import app

    group = get_command(app)
    for name, command in group.commands.items():
        if "Example: " in command.help:
            example = " ".join(command.help.split("Example: ")[1].split())
            parts = shlex.split(example.split(" > ")[0] if name == "edges" else example)
            assert parts[:2] == ["arcwise", name]
            command.make_context(name, parts[2:])
