"""No room on the disk: it is noticed before the work, and a result is never lost after it."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import arcwise as aw
from arcwise.io import Checkpoint


@pytest.fixture
def full(tmp_path: Path):
    """A file system of 64 kB without a free byte."""
    folder = tmp_path / "full"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no mount")
    if done.returncode:
        pytest.skip(f"no file system can be mounted: {done.stderr.strip()}")
    try:
        (folder / "filler").write_bytes(bytes(1 << 15))
        with (folder / "filler").open("ab") as file:
            while True:
                try:
                    os.write(file.fileno(), bytes(1 << 10))
                except OSError:
                    break
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def device(folder: Path) -> Path:
    """A link to the device that is always full."""
    link = folder / "device.json"
    link.symlink_to("/dev/full")
    return link


def kept(err: str) -> Path:
    match = re.search(r"was written to '(.*)'\.\n", err)
    assert match, err
    return Path(match[1])


def test_a_full_disk_is_noticed_before_the_work(run, table, full):
    ran = run("learn", table, "-o", full / "net.json")
    assert ran.code == 1
    assert ran.err == f"arcwise: '{full}/net.json' cannot be written: No space left on device.\n"
    assert ran.out == ""
    assert os.listdir(full) == ["filler"]


def test_a_disk_that_fills_up_costs_neither_result_nor_print(run, table, folder):
    good = run("learn", table, "-o", folder / "good.json")
    ran = run("learn", table, "-o", device(folder))
    assert ran.code == 1
    assert "device.json' cannot be written: No space left on device." in ran.err
    place = kept(ran.err)
    assert place.name == "device.json"
    assert aw.load(place).edges.to_dict() == aw.load(folder / "good.json").edges.to_dict()
    edges = [line for line in good.out.splitlines() if "->" in line]
    assert edges
    assert all(line in ran.out for line in edges)
    assert str(place) in ran.out
    assert run("query", place, "MEDV").code == 0
    place.unlink()
    place.parent.rmdir()


@pytest.mark.parametrize(
    "command",
    [
        ("posterior", "boston.csv", "--method", "exact", "--output"),
        ("fit", "[RM][MEDV|RM]", "boston.csv", "--output"),
    ],
)
def test_other_commands_keep_theirs(run, table, folder, command):
    ran = run(*command, device(folder))
    assert ran.code == 1
    place = kept(ran.err)
    aw.load(place)
    place.unlink()
    place.parent.rmdir()


def test_json_names_the_file_that_was_written(run, table, folder):
    ran = run("learn", table, "-o", device(folder), "--json")
    assert ran.code == 1
    assert str(kept(ran.err)) in json.dumps(json.loads(ran.out))


def test_devices_take_results(run, table, folder):
    assert run("learn", table, "-o", "/dev/null", "--quiet").code == 0
    assert run("sample", run_model(run, table), "-n", "3", "-o", "/dev/null").code == 0


def run_model(run, table) -> str:
    assert run("learn", table, "-o", "net.json", "--quiet").code == 0
    return "net.json"


def test_a_checkpoint_that_cannot_be_written_is_a_note(monkeypatch, small, tmp_path):
    def fail(self, arrays):
        from arcwise.errors import FileError

        raise FileError("'run.npz' cannot be written: No space left on device.")

    good = aw.posterior(small, method="bootstrap", draws=5, seed=1)
    monkeypatch.setattr(Checkpoint, "write", fail)
    found = aw.posterior(
        small, method="bootstrap", draws=5, seed=1, checkpoint=tmp_path / "run.npz"
    )
    assert found.edges.to_dict() == good.edges.to_dict()
    assert any("No space left on device; the result is complete" in note for note in found.notes)


def test_a_checkpoint_is_tried_before_the_run(small, tmp_path, full):
    for place in (tmp_path / "gone" / "run.npz", full / "run.npz"):
        with pytest.raises(aw.ArcwiseError, match=r"run\.npz' cannot be written"):
            aw.posterior(small, method="bootstrap", draws=10**6, seed=1, checkpoint=place)
