"""BIF: the dialects, ways to write a table, and damaged text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.errors import FileError
from arcwise.io import load, load_tables, read_bif

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
    net = read_bif(TEXT.encode())
    assert net.graph.arcs == (("rain", "wet grass"),)
    assert net.names == ("rain", "wet grass")
    assert net.variables[0].levels == ("yes", "no")
    assert net.variables[1].levels == ("very wet", 'a "bit"', "dry")
    assert net.tables[0].tolist() == [0.2, 0.8]
    assert net.tables[1].tolist() == [[0.8, 0.1, 0.1], [0.1, 0.2, 0.7]]
    with pytest.raises(ValueError, match="read-only"):
        net.tables[0][0] = 1.0


def test_old_heads_without_a_bar_and_latin_letters():
    text = """variable é { type discrete [ 1 ] { a }; } variable b { type discrete [ 1 ] { a }; }
    probability ( b é ) { table 1.0; } probability ( é ) { table 1; }"""
    assert read_bif(text.encode("latin-1")).graph.arcs == (("é", "b"),)


# z has levels u, v; its parents in the file are y (three levels) and then x (two).
ABOVE = """
variable x { type discrete [ 2 ] { no, yes }; } probability ( x ) { table 0.5 0.5; }
variable y { type discrete [ 3 ] { low, mid, top }; } probability ( y ) { table 0.2 0.3 0.5; }
variable z { type discrete [ 2 ] { u, v }; }
"""
TRUTH = np.array([[0.01, 0.02, 0.03], [0.04, 0.05, 0.06]])  # p(z = u) by x and y


@pytest.mark.parametrize(
    "body",
    [
        "(low, no) .01 .99; (low, yes) .04 .96; (mid, no) .02 .98; (mid, yes) .05 .95; (top, no) .03 .97;"
        "(top, yes) .06 .94;",
        "(top yes) 6e-2, 0.94; (mid, yes) .05 .95; (low, no) .01 .99; (low, yes) .04 .96; (mid, no) .02 .98;"
        "property a (b) c; default .03 .97;",
        # The child's level changes slowest, then that of the first parent.
        "table .01 .04 .02 .05 .03 .06  .99 .96 .98 .95 .97 .94;",
    ],
)
def test_ways_to_write_a_table(body):
    net = read_bif(f"{ABOVE} probability ( z | y, x ) {{ {body} }}".encode())
    assert net.parents[2] == (0, 1)
    np.testing.assert_array_equal(net.tables[2][..., 0], TRUTH)
    np.testing.assert_allclose(net.tables[2].sum(axis=-1), 1.0, atol=1e-12)


def test_the_dog_problem_of_the_format_s_author():
    """p(light-on | family-out) is 0.6 and 0.05 in Charniak (1991), Bayesian networks without tears."""
    text = """variable "light-on" { type discrete[2] { "true" "false" }; }
    variable "family-out" { type discrete[2] { "true" "false" }; }
    probability ( "light-on" "family-out" ) { table 0.6 0.05 0.4 0.95; }
    probability ( "family-out" ) { table 0.15 0.85; }"""
    assert read_bif(text.encode()).tables[1].tolist() == [[0.6, 0.4], [0.05, 0.95]]


def test_rows_near_one_are_normalised_and_exact_ones_are_left_alone():
    head = "variable a { type discrete [ 3 ] { x, y, z }; } probability ( a ) "
    found = read_bif(f"{head} {{ table 0.3333, 0.3333, 0.3333; }}".encode()).tables[0]
    np.testing.assert_allclose(found, 1 / 3, rtol=1e-15)
    found = read_bif(f"{head} {{ table 0.3333, 0.3334, 0.3334; }}".encode()).tables[0]
    assert found.sum() == pytest.approx(1.0, abs=1e-15)
    assert read_bif(f"{head} {{ table 0.1, 0.2, 0.7; }}".encode()).tables[0].tolist() == [
        0.1,
        0.2,
        0.7,
    ]
    with pytest.raises(
        FileError, match=r"line 1: the probabilities of 'a' must sum to 1, got 0.9997"
    ):
        read_bif(f"{head} {{ table 0.3332, 0.3332, 0.3333; }}".encode())


ONE = "variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table 1, 0; }"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no variables"),
        ("network x { }", "no variables"),
        ("hello", "line 1: expected 'network'"),
        ("\n\nvariable a {", "line 3: expected 'type'"),
        (ONE.replace("[ 2 ]", "[ 3 ]"), "line 1: variable 'a' must have 3 states, got 2"),
        (ONE.replace("x, y", "x, x"), "has the state 'x' twice"),
        (ONE.replace("discrete", "continuous"), "expected 'discrete', found 'continuous'"),
        (ONE[:60], "expected"),
        (ONE[:-1], "there is no '}' to close"),
        (ONE + ONE, "'a' is declared a second time"),
        (ONE + ONE[44:], "a second table for 'a'"),
        (ONE[:44], "'a' has no probabilities; the file may be cut off"),
        (ONE.replace("( a )", "( a | b )"), "names 'b', which is not a variable"),
        (ONE.replace("( a )", "( )"), "must name one child"),
        (ONE.replace("( a )", "( a b | c )"), "must name one child"),
        (ONE.replace("( a )", "( a | a )"), "its own parents"),
        (ONE.replace("x, y", 'x, "y'), "not closed"),
        ("variable a { }", "has no states"),
        (ONE + "\n/* open", "line 2: a comment is not closed"),
        ("\0\0", "it must be text"),
        (ONE.replace("1, 0", "1, 0, 0"), "expected 2 numbers, there are more in .* of 'a'"),
        (ONE.replace("1, 0", "1"), "expected 2 numbers, got 1"),
        (ONE.replace("1, 0", "1, x"), "line 1: expected a number, got 'x'"),
        (ONE.replace("1, 0", "1, 0_0"), "expected a number, got '0_0'"),
        (ONE.replace("1, 0", "2, -1"), "must be from 0 to 1, got -1"),
        (ONE.replace("1, 0", "nan, 0"), "must be from 0 to 1, got nan"),
        (ONE.replace("1, 0", "inf, 0"), "must be from 0 to 1, got inf"),
        (ONE.replace("1, 0;", "1, 0"), "there is no ';' after the last statement"),
        (ONE.replace("table", "tablet"), "expected one 'table', 'default' or"),
        (ONE.replace("table", "table 1, 0; table"), "expected one 'table'"),
        (ONE.replace("table 1, 0;", ""), "there is no row for"),
        (ONE.replace("table", "(x)"), "expected 0 levels in parentheses"),
    ],
)
def test_damaged_text_is_rejected(text, message, tmp_path):
    place = tmp_path / "a.bif"
    place.write_text(text)
    with pytest.raises(FileError, match=message):
        load(place)


TWO = (
    ONE
    + """
variable b { type discrete [ 2 ] { x, y }; }
probability ( b | a ) {
  (x) 0.5, 0.5;
  (y) 0.25, 0.75;
}"""
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(y) 0.25", "(z) 0.25", "line 5: 'z' is not a level of its parent"),
        ("(y) 0.25", "(x) 0.25", "line 5: there is a second row for the same levels"),
        ("(y) 0.25, 0.75;", "", r"line 6: there is no row for \(y\) in the probabilities of 'b'"),
        (
            "(y) 0.25",
            "(y) 0.5",
            "line 3: the probabilities of 'b' given a = 'y' must sum to 1, got 1.25",
        ),
        ("(y) 0.25", "default x", "line 5: expected a number, got 'x'"),
        ("0.25", "0.2.5", "line 5: expected a number, got '0.2.5'"),
        ("(y)", "(y, y)", "line 5: expected 1 levels in parentheses"),
        ("( a )", "( a | b )", "The arcs form a cycle"),
        ("( b | a )", "( b | a, a )", "line 3: the table of 'b' names a parent twice"),
    ],
)
def test_the_line_and_the_reason_are_said(old, new, message, tmp_path):
    place = tmp_path / "two.bif"
    place.write_text(TWO.replace(old, new) + "\n" * 5)
    with pytest.raises(FileError, match=message) as caught:
        load_tables(place)
    assert str(caught.value).startswith(f"'{place}' cannot be read: ")


def test_tables_that_do_not_fit_are_rejected_with_their_size():
    head = "variable v{0} {{ type discrete [ 2 ] {{ x, y }}; }} probability ( v{0} ) {{ table 1, 0; }}\n"
    above = "".join(head.format(number) for number in range(40))
    names = ", ".join(f"v{number}" for number in range(40))
    child = "variable z { type discrete [ 2 ] { x, y }; } probability ( z | " + names
    with pytest.raises(FileError, match=r"got 2.2e\+12 \(17.6 TB\)"):
        read_bif(f"{above} {child} ) {{ default 0.5, 0.5; }}".encode())


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(TEXT)), st.integers(0, 12), st.binary(max_size=4))
def test_mutated_text_gives_a_network_or_one_of_our_errors(at, length, fresh):
    content = TEXT.encode()
    try:
        net = read_bif(content[:at] + fresh + content[at + length :])
    except FileError:
        return
    assert net.variables


def test_a_long_unclosed_block_is_rejected_quickly():
    with pytest.raises(FileError, match="there is no ';' to close"):
        read_bif(("variable a { property " + '/"x" ' * 100_000).encode())
