"""What people read."""

import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

from arcwise.cli import terminal as out


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    screen = Terminal()
    monkeypatch.setattr(out, "sys", SimpleNamespace(stdout=screen))
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    return screen


def test_a_terminal_gets_colours_and_bars_within_its_width(terminal):
    rows = [("a long name of a variable that goes on", out.bar(0.5, "red"))]
    out.show(out.grid(["name", "bar"], rows), "word " * 20)
    text = terminal.getvalue()
    assert "█████" in text
    assert "\x1b[31m" in text
    plain = text.replace("\x1b[31m", "").replace("\x1b[0m", "").replace("\x1b[1m", "")
    assert max(map(len, plain.splitlines())) <= 40
    assert "goes on" in " ".join(plain.split())


def test_names_cannot_change_the_terminal(terminal):
    out.show("[red]x[/red] \x1b[31m")
    assert terminal.getvalue() == "[red]x[/red] \\x1b[31m\n"


def test_a_pipe_gets_whole_lines(capsys):
    out.show(out.grid(["name"], [("x" * 500,)]), "word " * 100)
    lines = capsys.readouterr().out.splitlines()
    assert [len(line) for line in lines] == [4, 500, 499]


def test_json_is_strict_whatever_comes(capsys):
    out.show_json({"a": np.float64(1.5), "b": float("nan"), "c": (np.int64(2), None, True, "ü")})
    assert json.loads(capsys.readouterr().out) == {"a": 1.5, "b": None, "c": [2, None, True, "ü"]}


@pytest.mark.parametrize(
    ("share", "length"), [(0.0, 0), (-1.0, 0), (0.001, 1), (1.0, 10), (9.0, 10)]
)
def test_bars(terminal, share, length):
    assert len(out.bar(share).plain) == length


def test_lists_of_names():
    assert out.list_names([]) == ""
    assert out.list_names(["a"]) == "a"
    assert out.list_names(["a", "b", "c"]) == "a, b and c"
