"""Checkpoints: written whole, read back exactly, refused where they belong to another run."""

import numpy as np
import pytest

from arcwise.errors import FileError
from arcwise.graphs import DAG, UGraph
from arcwise.io import Checkpoint, pack_graphs, unpack_graphs


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
    with pytest.raises(FileError, match="its seed is 1, and 2 is asked for"):
        Checkpoint(tmp_path / "run.npz", {"seed": 2, "method": "mcmc"}).read()
    with pytest.raises(FileError, match="another run"):
        Checkpoint(tmp_path / "run.npz", {"seed": 1}).read()


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04"])
def test_damaged_files_are_refused(tmp_path, content):
    (tmp_path / "run.npz").write_bytes(content)
    with pytest.raises(FileError, match="no checkpoint"):
        Checkpoint(tmp_path / "run.npz", {}).read()


def test_offers_wait_for_dear_writing(tmp_path):
    file = Checkpoint(tmp_path / "run.npz", {})
    file.offer(lambda: {"x": np.arange(1)})
    file._next += 1000
    file.offer(lambda: pytest.fail("too soon"))
    assert file.read()["x"].tolist() == [0]


@pytest.mark.parametrize("directed", [True, False])
def test_graphs_come_back(directed):
    names = ("a", "b", "c")
    if directed:
        graphs = [DAG.from_arcs(["a -> b", "c -> b"], names), DAG.empty(names)]
    else:
        graphs = [UGraph.from_edges([("a", "c")], names), UGraph.empty(names)]
    pieces = [(graphs[0],), "no rows", (graphs[1], graphs[0]), ()]
    assert unpack_graphs(pack_graphs(pieces), names, directed) == pieces
    assert unpack_graphs(pack_graphs([]), names, directed) == []


def test_damaged_graphs_are_refused():
    packed = pack_graphs([(DAG.from_arcs(["a -> b"]),)])
    for wrong in ({}, {**packed, "pairs": np.array([[0, 7]])}, {**packed, "sizes": np.array([3])}):
        with pytest.raises(FileError, match="damaged"):
            unpack_graphs(wrong, ("a", "b"), True)
