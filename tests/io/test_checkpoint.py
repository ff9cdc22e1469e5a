"""Checkpoints: written whole, read back exactly, refused where they belong to another run."""

import numpy as np
import pytest

from arcwise.errors import FileError
from arcwise.graphs import DAG, UGraph
from arcwise.io import Checkpoint, pack_graphs, unpack_graphs
from arcwise.notes import Fix, Note, NoteKind


def test_arrays_come_back_as_they_were(tmp_path):
    place = tmp_path / "run.npz"
    arrays = {"x": np.arange(5), "y": np.array([np.nan, 1e300]), "z": np.zeros((0, 2), np.uint64)}
    assert Checkpoint(place, {"seed": 1}).read() is None
    Checkpoint(place, {"seed": 1}).write(arrays)
    found = Checkpoint(place, {"seed": 1}).read()
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert np.array_equal(found[name], array, equal_nan=array.dtype.kind == "f")
        assert found[name].dtype == array.dtype
    assert [each.name for each in tmp_path.iterdir()] == ["run.npz"]


def test_the_checkpoint_of_another_run_is_named(tmp_path):
    Checkpoint(tmp_path / "run.npz", {"seed": 1, "method": "mcmc"}).write({})
    with pytest.raises(FileError, match="its seed is 1, and 2 is requested"):
        Checkpoint(tmp_path / "run.npz", {"seed": 2, "method": "mcmc"}).read()
    with pytest.raises(FileError, match="another run"):
        Checkpoint(tmp_path / "run.npz", {"seed": 1}).read()


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04"])
def test_damaged_files_are_rejected(tmp_path, content):
    (tmp_path / "run.npz").write_bytes(content)
    with pytest.raises(FileError, match="not a checkpoint"):
        Checkpoint(tmp_path / "run.npz", {}).read()


def test_offers_wait_for_dear_writing(tmp_path):
    file = Checkpoint(tmp_path / "run.npz", {})
    file.offer(lambda: {"x": np.arange(1)})
    file._next += 1000
    file.offer(lambda: pytest.fail("too soon"))
    assert file.read()["x"].tolist() == [0]


class Clock:
    """The time, as told; writing takes some of it."""

    def __init__(self, monkeypatch, takes: float):
        self.now, self.takes, self.written, self.fails = 100.0, takes, 0, False
        monkeypatch.setattr("arcwise.io.checkpoint.time.monotonic", lambda: self.now)
        monkeypatch.setattr("arcwise.io.checkpoint.write_bytes", self.write)

    def write(self, path, content):
        self.now += self.takes
        if self.fails:
            raise FileError("the disk is full.")
        self.written += 1


def test_ten_times_as_long_passes_as_the_last_writing_took(tmp_path, monkeypatch):
    clock, file = Clock(monkeypatch, takes=3.0), Checkpoint(tmp_path / "run.npz", {})
    file.offer(lambda: {"x": np.arange(1)})
    assert clock.written == 1
    clock.now += 29.99
    file.offer(lambda: pytest.fail("too soon"))
    clock.now += 0.01
    file.offer(lambda: {"x": np.arange(2)})
    assert clock.written == 2
    clock.now += 1.0
    file.keep({"x": np.arange(3)})  # the end of a run does not wait
    assert clock.written == 3


def test_a_writing_that_failed_is_tried_again_after_ten_seconds(tmp_path, monkeypatch):
    clock, file = Clock(monkeypatch, takes=0.5), Checkpoint(tmp_path / "run.npz", {})
    clock.fails = True
    file.offer(lambda: {"x": np.arange(1)})
    assert file.note == (
        "The last checkpoint was not written: the disk is full; the result is complete without it."
    )
    clock.now += 9.99
    file.offer(lambda: pytest.fail("too soon"))
    clock.now, clock.fails = clock.now + 0.01, False
    file.offer(lambda: {"x": np.arange(1)})
    assert clock.written == 1
    assert not file.note


@pytest.mark.parametrize("directed", [True, False])
def test_graphs_come_back(directed):
    names = ("a", "b", "c")
    if directed:
        graphs = [DAG.from_arcs(["a -> b", "c -> b"], names), DAG.empty(names)]
    else:
        graphs = [UGraph.from_edges([("a", "c")], names), UGraph.empty(names)]
    failure = Note(NoteKind.CERTAINTY, "no rows: take {missing=}", (), (Fix("missing", "auto"),))
    pieces = [(graphs[0],), failure, (graphs[1], graphs[0]), ()]
    assert unpack_graphs(pack_graphs(pieces), names, directed) == pieces
    assert unpack_graphs(pack_graphs([]), names, directed) == []


def test_failures_of_older_files_are_sentences():
    packed = pack_graphs([Note(NoteKind.CERTAINTY, "x")])
    packed = {**packed, "said": np.frombuffer(b'["no rows"]', dtype=np.uint8)}
    assert unpack_graphs(packed, ("a", "b"), True) == [Note(NoteKind.CERTAINTY, "no rows")]


def test_damaged_graphs_are_rejected():
    packed = pack_graphs([(DAG.from_arcs(["a -> b"]),)])
    for wrong in ({}, {**packed, "pairs": np.array([[0, 7]])}, {**packed, "sizes": np.array([3])}):
        with pytest.raises(FileError, match="damaged"):
            unpack_graphs(wrong, ("a", "b"), True)
