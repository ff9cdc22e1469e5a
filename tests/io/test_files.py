"""Files are written whole or not at all, and unreadable ones are named."""

import gzip
import json
import os
import stat
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from arcwise.errors import FileError
from arcwise.graphs import DAG
from arcwise.io import DISCRETE, FORMATS, StoredNet, load, save, write_figures
from arcwise.io import files as files_module
from arcwise.io.files import check_writable, read_bytes, write_bytes

SMALL = StoredNet(DAG.from_arcs([("a", "b")]))


def test_bytes_there_and_back(tmp_path):
    for name in ("plain.txt", "packed.txt.gz"):
        write_bytes(tmp_path / name, b"some text" * 100)
        assert read_bytes(tmp_path / name) == b"some text" * 100
    assert gzip.decompress((tmp_path / "packed.txt.gz").read_bytes()) == b"some text" * 100


def test_compression_is_seen_in_the_content_not_in_the_name(tmp_path):
    (tmp_path / "odd.json").write_bytes(gzip.compress(b"text"))
    assert read_bytes(tmp_path / "odd.json") == b"text"


def test_equal_content_gives_equal_files(tmp_path):
    for name in ("one.json.gz", "two.json.gz"):
        write_bytes(tmp_path / name, b"text")
    assert (tmp_path / "one.json.gz").read_bytes() == (tmp_path / "two.json.gz").read_bytes()


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step, error):
    place = tmp_path / "net.json"
    place.write_bytes(b"old")

    def fail(*arguments):
        raise error

    monkeypatch.setattr(files_module.os, step, fail)
    expected = FileError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        save(SMALL, place)
    assert place.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["net.json"]


def test_the_reason_is_said(tmp_path, monkeypatch):
    with pytest.raises(FileError, match=r"gone.* cannot be written: No such file or directory\."):
        save(SMALL, tmp_path / "gone" / "net.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(FileError, match="cannot be written: Is a directory"):
        save(SMALL, tmp_path / "folder.json")
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        load(tmp_path / "folder.json")
    with pytest.raises(FileError, match="cannot be read: No such file"):
        load(tmp_path / "gone.json")
    with pytest.raises(FileError, match="cannot be written: embedded null"):
        save(SMALL, "a\0b.json")
    assert os.listdir(tmp_path) == ["folder.json"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.json").write_bytes(b"old")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    save(SMALL, tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert load(tmp_path / "real.json").graph == SMALL.graph


def device(folder, name):
    """A device of its own, so that a fault cannot harm that of the system; else the system's."""
    made, minor = folder / f"{name}.json", {"null": 3, "full": 7}[name]
    try:
        os.mknod(made, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        made.open("wb").close()
    except OSError:
        if os.getuid() == 0:
            pytest.skip("root without the right to make devices")
        return Path(f"/dev/{name}")
    return made


def test_a_device_is_written_to_and_stays(tmp_path):
    null, full = device(tmp_path, "null"), device(tmp_path, "full")
    for number, place in enumerate((null, full)):
        (tmp_path / f"link{number}.json").symlink_to(place)
    before = sorted(os.listdir(tmp_path))
    save(SMALL, null)
    save(SMALL, tmp_path / "link0.json")
    with pytest.raises(FileError, match="No space left on device"):
        save(SMALL, tmp_path / "link1.json")
    assert stat.S_ISCHR(null.stat().st_mode)
    assert stat.S_ISCHR(full.stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("through", ["pipe.json", "link.json", "link"])
def test_a_fifo_gets_the_bytes_and_stays(tmp_path, through):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / through).exists() or (tmp_path / through).symlink_to(tmp_path / "pipe.json")
    received: list[bytes] = []
    reader = threading.Thread(
        target=lambda: received.append((tmp_path / "pipe.json").read_bytes()), daemon=True
    )
    reader.start()
    save(SMALL, tmp_path / through)
    reader.join(20)
    assert stat.S_ISFIFO((tmp_path / "pipe.json").stat().st_mode)
    (tmp_path / "copy.json").write_bytes(received[0])
    assert load(tmp_path / "copy.json").graph == SMALL.graph


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_the_mode_of_a_file_is_kept(tmp_path, mode):
    (tmp_path / "net.json").write_bytes(b"old")
    (tmp_path / "net.json").chmod(mode)
    (tmp_path / "link.json").symlink_to("net.json")
    for name in ("net.json", "link.json"):
        save(SMALL, tmp_path / name)
        assert stat.S_IMODE((tmp_path / "net.json").stat().st_mode) == mode


def test_the_standard_output_is_written_to_in_place(tmp_path):
    code = (
        "import arcwise as aw; net = aw.network('[a]', {'a': {'x': 0.5, 'y': 0.5}});"
        "print('before', flush=True); net.save('/dev/stdout'); print('after')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    with (tmp_path / "out.txt").open("w") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    for text in (done.stdout, (tmp_path / "out.txt").read_text()):
        assert text.startswith("before\n{")
        assert text.endswith("after\n")
        json.loads(text.removeprefix("before").removesuffix("after\n"))


def test_writability_is_tested_without_a_trace(tmp_path, monkeypatch):
    check_writable(tmp_path / "new.json")
    check_writable(Path("/dev/full"))
    assert os.listdir(tmp_path) == []
    with pytest.raises(FileError, match="No such file or directory"):
        check_writable(tmp_path / "gone" / "new.json")

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files_module.os, "fsync", fail)
    with pytest.raises(FileError, match="No space left"):
        check_writable(tmp_path / "new.json")
    assert os.listdir(tmp_path) == []


def test_permissions_follow_the_users_mask(tmp_path):
    save(SMALL, tmp_path / "net.json")
    plain = tmp_path / "plain"
    plain.write_text("x")
    assert (tmp_path / "net.json").stat().st_mode == plain.stat().st_mode


def test_unknown_endings_are_answered_with_close_ones(tmp_path):
    with pytest.raises(FileError, match=r"'\.jsn', which is not a network format.*'\.json'"):
        save(SMALL, tmp_path / "net.jsn")
    with pytest.raises(FileError, match="not a network format"):
        load(tmp_path / "net")
    assert os.listdir(tmp_path) == []


def test_one_way_formats_say_so(tmp_path):
    (tmp_path / "a.dot").write_text("digraph {}")
    with pytest.raises(FileError, match="DOT files can only be written"):
        load(tmp_path / "a.dot")
    with pytest.raises(FileError, match="UAI files can only be read"):
        save(SMALL, tmp_path / "a.uai")


@pytest.mark.parametrize("suffix", sorted(FORMATS))
@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n\0\0\0", b"{}", b"[1, 2]", b"a,b\n1,2\n"]
)
def test_foreign_content_is_rejected_in_one_sentence(tmp_path, suffix, content):
    place = tmp_path / f"foreign{suffix}"
    place.write_bytes(content)
    with pytest.raises(FileError, match=r"cannot be read: .*\.$") as caught:
        load(place)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", sorted(FORMATS))
def test_cut_off_compression_is_rejected(tmp_path, suffix):
    place = tmp_path / f"half{suffix}.gz"
    place.write_bytes(gzip.compress(b"x" * 1000)[:20])
    with pytest.raises(FileError, match=r"damaged or cut off|only be written"):
        load(place)


@pytest.mark.parametrize(
    "suffix", [s for s, f in FORMATS.items() if f.read and f.write and s not in DISCRETE]
)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_graphs_there_and_back_in_every_two_way_format(tmp_path, suffix, packed):
    names = ["plain", "with space", 'quo"te', "комма,", "a:b|c", "back\\slash", "alone"]
    graph = DAG.from_arcs(pairwise(names[:-1]), sorted(names))
    place = tmp_path / f"graph{suffix}{packed}"
    save(StoredNet(graph), str(place))
    assert load(place).graph == graph
    assert isinstance(load(Path(place)).graph, DAG)


def test_what_unpacks_to_too_much_is_rejected(tmp_path, monkeypatch):
    place = tmp_path / "bomb.bif.gz"
    place.write_bytes(gzip.compress(bytes(3_000_000)))
    monkeypatch.setattr(files_module, "UNPACKED", 1e6)
    with pytest.raises(
        FileError, match=r"bomb.bif.gz' cannot be read: its .* unpack to more than 1.0 MB"
    ):
        load(place)
    place.write_bytes(gzip.compress(b"network x { }") + gzip.compress(b" ") * 3)
    assert read_bytes(place) == b"network x { }   "


ROWS = [
    {"penalty": 0.1 + 0.2, "edges": None, "chosen": 0},
    {"penalty": 1e-9, "edges": 3, "chosen": 1},
]


def test_numbers_keep_every_digit_and_gaps_are_gaps(tmp_path):
    place = tmp_path / "curve.json"
    write_figures(ROWS, place)
    assert json.loads(place.read_text()) == ROWS
    write_figures(ROWS, tmp_path / "curve.csv.gz")
    text = gzip.decompress((tmp_path / "curve.csv.gz").read_bytes()).decode()
    head, first, second = text.splitlines()
    assert head == "penalty,edges,chosen"
    assert first == "0.30000000000000004,,0"
    assert float(second.split(",")[0]) == 1e-9


def test_other_endings_are_rejected(tmp_path):
    with pytest.raises(FileError, match=r"must end in .csv or .json"):
        write_figures(ROWS, tmp_path / "curve.txt")
    assert not list(Path(tmp_path).iterdir())
