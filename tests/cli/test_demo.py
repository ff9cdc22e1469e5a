"""`arcwise demo`: files, and what is said of them."""

import sys
from pathlib import Path

import pytest

import arcwise as aw


def test_without_anything_to_draw_with(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("demo", "--folder", folder)
    assert done.code == 0, done.err
    assert sorted(path.name for path in folder.iterdir()) == [
        "boston.dot",
        "boston.html",
        "boston.json",
    ]
    assert "A figure needs matplotlib: pip install 'arcwise[plot]'" in done.out
    best = aw.learn(aw.example("boston"), certainty=False).score
    assert aw.load("boston.json").score == pytest.approx(best, abs=1e-3)
    assert "Wrote " in done.out
    assert "boston.html in a browser" in done.out.strip().splitlines()[-1]


def test_with_a_picture(run, folder):
    pytest.importorskip("matplotlib")
    pytest.importorskip("arcwise.plot")
    done = run("demo")
    assert done.code == 0, done.err
    assert "Wrote demo/boston.png (a plot)." in done.out
    assert Path("demo/boston.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in folder.iterdir()] == ["demo"]


def test_no_folder(run, folder):
    done = run("demo", "--folder", "missing/below")
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 1
    Path("demo").write_text("a file of this name")
    done = run("demo")
    assert (done.code, done.out) == (1, "")
    assert "The folder 'demo' cannot be made: File exists." in done.err
