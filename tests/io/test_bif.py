"""BIF structure: the repository's files, the dialects, and damaged text."""

import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.errors import ArcwiseError, FileError
from arcwise.io import load, read_bif

TEXT = """
// a comment with { braces } and "quotes
network "my net" { property author "someone }"; }
/* another
   comment */
variable rain { type discrete [ 2 ] { yes, no }; property position = (1, 2); }
variable "wet grass" {
  property free text; type discrete[3] { "very wet" "a \\"bit\\"" dry };
}
probability ( rain ) { table 0.2, 0.8; }
probability ("wet grass" | rain) { // nothing } here
  (yes) 0.8, 0.1, 0.1; (no) 0.1, 0.2, 0.7; }
"""


def test_dialects():
    stored = read_bif(TEXT.encode())
    assert stored.graph.arcs == (("rain", "wet grass"),)
    assert [v.name for v in stored.variables] == ["rain", "wet grass"]
    assert stored.variables[0].levels == ("yes", "no")
    assert stored.variables[1].levels == ("very wet", 'a "bit"', "dry")
    assert stored.net is None


def test_old_heads_without_a_bar_and_latin_letters():
    text = """variable é { type discrete [ 1 ] { a }; } variable b { type discrete [ 1 ] { a }; }
    probability ( b é ) { table 1.0; } probability ( é ) { }"""
    assert read_bif(text.encode("latin-1")).graph.arcs == (("é", "b"),)


def test_all_networks_of_the_repository(shared_data):
    with (shared_data / "networks" / "summary.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "discrete"]
    folder = shared_data / "networks" / "discrete"
    for row in rows:
        place = next(folder.glob(f"{row['name']}.bif*"))
        stored = load(place)
        assert len(stored.graph.nodes) == int(row["nodes"]), place
        assert stored.graph.n_arcs == int(row["arcs"]), place
        assert max(len(v.levels) for v in stored.variables) == int(row["max_levels"]), place
        assert max(map(len, stored.graph.parents)) == int(row["max_parents"]), place
        assert stored.graph.nodes == tuple(v.name for v in stored.variables)
    assert len(rows) == len(list(folder.iterdir()))


ONE = "variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table 1, 0; }"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no variables"),
        ("network x { }", "no variables"),
        ("hello", "line 1: expected 'network'"),
        ("\n\nvariable a {", "line 3: expected 'type'"),
        (ONE.replace("[ 2 ]", "[ 3 ]"), "should have 3 different states"),
        (ONE.replace("x, y", "x, x"), "should have 2 different states"),
        (ONE.replace("discrete", "continuous"), "expected 'discrete', found 'continuous'"),
        (ONE[:60], "expected"),
        (ONE[:-1], "not closed by '}'"),
        (ONE + ONE, "a second block for 'a'"),
        (ONE[:44], "no probability block"),
        (ONE.replace("( a )", "( a | b )"), "names 'b', which is no variable"),
        (ONE.replace("( a )", "( )"), "names no variable"),
        (ONE.replace("( a )", "( a | a )"), "its own parents"),
        (ONE.replace("x, y", 'x, "y'), "not closed"),
        ("variable a { }", "has no states"),
        (ONE + "/* open", "expected .* found '/\\*'"),
        ("\0\0", "no text"),
    ],
)
def test_damaged_text_is_refused(text, message, tmp_path):
    place = tmp_path / "a.bif"
    place.write_text(text)
    with pytest.raises(FileError, match=message):
        load(place)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(TEXT)), st.integers(0, 12), st.binary(max_size=4))
def test_mutated_text_gives_a_network_or_one_of_our_errors(at, length, fresh):
    content = TEXT.encode()
    try:
        stored = read_bif(content[:at] + fresh + content[at + length :])
    except ArcwiseError:
        return
    assert stored.variables


def test_a_long_unclosed_block_is_refused_quickly():
    with pytest.raises(FileError, match="not closed"):
        read_bif(("variable a { property " + '/"x" ' * 100_000).encode())
