"""Every registered file format obeys the same laws, without being named."""

import gzip

import numpy as np
import pytest
from shared_networks import random_net

from arcwise.errors import ArcwiseError, FileError
from arcwise.graphs import DAG, random_dag
from arcwise.io import DISCRETE, FORMATS, StoredNet, load, save

GRAPHS = {
    suffix: form for suffix, form in FORMATS.items() if suffix not in DISCRETE
}  # without numbers
BOTH = [suffix for suffix, format in GRAPHS.items() if format.read and format.write]
READ = [suffix for suffix, format in FORMATS.items() if format.read]
WRITTEN = [suffix for suffix, format in GRAPHS.items() if format.write]
ODD = DAG.from_arcs([("a b", 'q"uote'), ("ünï", "a b"), ("x|y", "[z]")])


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("suffix", BOTH)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_written_is_read_back(suffix, ending, seed, tmp_path):
    graph = random_dag(6, 2.0, np.random.default_rng(seed)) if seed else ODD
    path = tmp_path / f"graph{suffix}{ending}"
    save(StoredNet(graph), path)
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == (bool(ending) or suffix == ".gz")
    back = load(path).graph
    joined = {name for arc in graph.arcs for name in arc}
    assert set(back.arcs) == set(graph.arcs)
    assert joined <= set(back.nodes)


@pytest.mark.parametrize("suffix", READ)
@pytest.mark.parametrize(
    "content",
    [b"", b"\x89PNG\r\n\x1a\n\x00\x01", b"\x00" * 50, gzip.compress(b"\xff\xfe{{{", mtime=0), b'"'],
)
def test_foreign_content_is_one_sentence_or_a_graph(suffix, content, tmp_path):
    path = tmp_path / f"foreign{suffix}"
    path.write_bytes(content)
    try:
        found = load(path)
    except ArcwiseError as error:
        message = str(error)
        assert "foreign" in message
        assert "\n" not in message
    else:
        assert found.graph.nodes == tuple(found.graph.nodes)


@pytest.mark.parametrize("suffix", READ)
def test_a_missing_file_is_named(suffix, tmp_path):
    with pytest.raises(FileError, match="nowhere"):
        load(tmp_path / f"nowhere{suffix}")


@pytest.mark.parametrize("suffix", WRITTEN)
def test_a_fitted_network_is_written_whole_and_nothing_else_is_left(suffix, tmp_path):
    net = random_net(np.random.default_rng(1), 5)
    path = tmp_path / f"net{suffix}"
    save(StoredNet.of(net), path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    before = path.read_bytes()
    save(StoredNet.of(net), path)
    assert path.read_bytes() == before  # the same network gives the same bytes


@pytest.mark.parametrize("suffix", sorted(set(FORMATS) - set(READ)))
def test_a_format_that_is_only_written_says_so(suffix, tmp_path):
    path = tmp_path / f"graph{suffix}"
    save(StoredNet(ODD), path)
    with pytest.raises(FileError, match="only be written"):
        load(path)
