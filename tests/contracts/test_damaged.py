"""Damaged files: an error of ours in one sentence, or a valid object that answers; never a crash."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from contracts import damage

import arcwise as aw
from arcwise.errors import FileError

FILES = 26
MAX_SLOW = 1e-3
"""Share of cases that may take longer than the worker allows."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    damage.make_files(folder)
    return folder


def test_whole_files_of_every_kind_are_read_and_used(files):
    whole = sorted(path for path in files.iterdir() if path.is_file())
    assert len(whole) == FILES
    for path in whole:
        damage.use(path)


def failures(files: Path, count: int, seed: int) -> list[str]:
    """Run the worker; start it again behind a case that kills it."""
    found, slow, at = [], [], seed
    while at < seed + count:
        command = [sys.executable, damage.__file__, str(files), str(seed + count - at), str(at)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
        found += re.findall(r"^FAILED .*$", done.stdout, re.MULTILINE)
        slow += re.findall(r"^SLOW .*$", done.stdout, re.MULTILINE)
        if done.returncode == 0:
            assert done.stdout.count("\ncase ") + 1 == seed + count - at
            break
        last = re.findall(r"^case (\d+) (.*)$", done.stdout, re.MULTILINE)[-1]
        found.append(f"case {last} ended the process: {done.returncode} {done.stderr[:300]}")
        at = int(last[0]) + 1
    return found + (slow if len(slow) > MAX_SLOW * count else [])


def test_damaged_files_are_rejected_or_answer(files):
    assert failures(files, 25 * FILES, 0) == []


@pytest.mark.slow
def test_many_damaged_files_are_rejected_or_answer(files):
    assert failures(files, 1000 * FILES, 10**6) == []


# -- the faults that began this ---------------------------------------------------------------------


def changed(files: Path, tmp_path: Path, name: str, path: tuple, value: object) -> Path:
    """A file with one entry changed; an ellipsis takes the entry out."""
    document = copy.deepcopy(json.loads((files / name).read_text()))
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    if value is ...:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    place = tmp_path / name
    place.write_text(json.dumps(document))
    return place


@pytest.mark.parametrize("levels", [[], ["only"], ["a", "b", "c"], [{"$float": "nan"}, 1]])
def test_other_levels_than_the_tables_have_do_not_reach_a_kernel(files, tmp_path, levels):
    place = changed(files, tmp_path, "discrete.json", ("nodes", 0, "levels"), levels)
    with pytest.raises(FileError, match=r"cannot be read: .*\.$"):
        aw.load(place)
    shell = "from arcwise.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", shell, "query", str(place), "w"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("arcwise: ")


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("weights", "nan", "weights must be .* numbers from 0 to 1"),
        ("weights", -0.25, "weights must be .* numbers from 0 to 1"),
        ("weights", 7.0, "weights must be .* numbers from 0 to 1"),
        ("weights", 1.0, "weights must sum to 1 at most"),
        ("shares", "nan", "shares must be .* numbers from 0 to 1"),
        ("shares", 0.9999, "shares must sum to 1"),
    ],
)
def test_weights_that_are_no_probabilities(files, tmp_path, entry, value, message):
    where = ("about", "found", entry, "$array", 1)
    place = changed(files, tmp_path, "posterior-exact.json", where, value)
    with pytest.raises(FileError, match=f"damaged posterior .its {message}"):
        aw.load(place)


@pytest.mark.parametrize("entry", ["weights", "shares", "arcs", "adjacent", "arc_errors"])
def test_cut_arrays(files, tmp_path, entry):
    array = json.loads((files / "posterior-exact.json").read_text())["about"]["found"][entry]
    where = ("about", "found", entry, "$array")
    place = changed(files, tmp_path, "posterior-exact.json", where, array["$array"][:-1])
    with pytest.raises(FileError, match="damaged posterior"):
        aw.load(place)


@pytest.mark.parametrize("value", ["nan", -0.1, 1.5])
def test_probabilities_of_edges(files, tmp_path, value):
    where = ("about", "found", "adjacent", "$array", 0, 1)
    place = changed(files, tmp_path, "posterior-exact.json", where, value)
    with pytest.raises(FileError, match="its adjacent must be numbers from 0 to 1"):
        aw.load(place)
