"""Shipped data: there, readable, described, and equal to its origin."""

import gzip
from pathlib import Path

import pytest

from arcwise.data import example, examples, network_file, read
from arcwise.errors import WordError

TABLES = [each for each in examples() if each.kind == "table"]


@pytest.mark.parametrize("entry", TABLES, ids=lambda entry: entry.name)
def test_tables_are_as_described(entry) -> None:  # type: ignore[no-untyped-def]
    found = example(entry.name)
    left_out = sum(note.startswith("Left out") for note in found.notes)
    assert found.rows == entry.rows
    assert len(found.variables) + left_out == entry.columns


def test_every_entry_has_a_file_an_origin_and_terms() -> None:
    for entry in examples():
        assert entry.path.stat().st_size > 100
        assert entry.what
        assert entry.origin
        assert entry.terms


def test_the_date_is_left_out() -> None:
    assert "Left out: 'date' (dates or times)." in example("us_markets").notes


@pytest.mark.parametrize(("name", "nodes"), [("asia", 8), ("alarm", 37), ("sachs", 11)])
def test_networks_are_there(name: str, nodes: int) -> None:
    text = gzip.decompress(network_file(name).read_bytes()).decode()
    assert text.count("\nvariable ") == nodes


def test_unknown_names() -> None:
    with pytest.raises(WordError, match=r"no example table 'bosten'. Did you mean 'boston'"):
        example("bosten")
    with pytest.raises(WordError, match="no example network 'boston'"):
        network_file("boston")


def test_files_are_reproducible() -> None:
    """No time of packing is stored in the archives."""
    for entry in examples():
        assert entry.path.read_bytes()[4:8] == b"\0\0\0\0"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("boston", "boston/boston.csv"),
        ("sachs", "sachs/sachs_all_7466x11.csv.gz"),
        ("us_markets", "finance/us_markets_2014_2018.csv"),
    ],
)
def test_equal_to_the_shared_files(shared_data: Path, name: str, file: str) -> None:
    one, other = example(name), read(shared_data / file)
    assert one.variables == other.variables
    assert all((a == b).all() for a, b in zip(one.columns, other.columns, strict=True))
