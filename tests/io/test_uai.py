"""UAI: the order of numbers, names, comments and damaged files."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import FileError
from arcwise.io import load_tables, read_uai

# Variables 0 (two levels), 1 (three) and 2 (two); p(2 | 1, 0) with the level of 2 changing fastest.
TEXT = """BAYES
3
2 3 2
3
1 0
1 1
3 1 0 2

2
 0.5 0.5
3
 0.2 0.3 0.5
12
 .01 .99 .04 .96
 .02 .98 .05 .95
 .03 .97 .06 .94
"""


def test_the_last_of_a_scope_is_the_child_and_changes_fastest():
    net = read_uai(TEXT.encode())
    assert net.names == ("x0", "x1", "x2")
    assert net.variables[1].levels == ("0", "1", "2")
    assert net.parents == ((), (), (0, 1))
    np.testing.assert_array_equal(net.tables[2][..., 0], [[0.01, 0.02, 0.03], [0.04, 0.05, 0.06]])


def test_layout_and_comment_lines_do_not_matter():
    one_line = "c made by hand\nc\n" + " ".join(TEXT.split())
    np.testing.assert_array_equal(
        read_uai(one_line.encode()).tables[2], read_uai(TEXT.encode()).tables[2]
    )


def test_scopes_with_names_beside_them_are_those_of_pyagrum():
    """pyAgrum 3.3.1 writes p(c | b, a) so: the level of b, its first parent, returns before that of a."""
    text = """BAYES\n3\n3 2 2\n3\n1 0   # a\n1 1   # b\n3 1 0 2   # c\n
    3\n 0.2 0.3 0.5\n2\n 0.1 0.9\n12\n 0.01 0.99\n 0.02 0.98\n 0.03 0.97
     0.04 0.96\n 0.05 0.95\n 1e-05 0.99999"""
    expected = [[0.01, 0.02], [0.03, 0.04], [0.05, 1e-05]]
    np.testing.assert_array_equal(read_uai(text.encode()).tables[2][..., 0], expected)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("BAYES", "BAYES # made by hand"),
        ("BAYES\n", "# made by hand\nBAYES\n"),
        ("3 1 0 2\n", "3 1 0 2   # x2\n"),
        ("1 0\n1 1\n3 1 0 2\n", "1 0 # a\n1 1 # b\n3 1 0 2 # c\n"),
        ("12\n", "12 # cells\n"),
        (".06 .94\n", ".06 .94\n# the end\n"),
    ],
)
def test_a_comment_does_not_reverse_the_parents(old, new):
    net = read_uai(TEXT.replace(old, new, 1).encode())
    np.testing.assert_array_equal(net.tables[2], read_uai(TEXT.encode()).tables[2])
    assert net.notes == ()


def test_a_comment_more_than_pyagrum_writes_is_only_a_comment():
    scopes = "1 0   # a\n1 1   # b\n3 1 0 2   # c\n"
    agrum = TEXT.replace("1 0\n1 1\n3 1 0 2\n", scopes)
    more = agrum.replace("12\n", "12 # cells\n")
    tables = [read_uai(text.encode()).tables[2] for text in (TEXT, agrum, more)]
    assert not np.array_equal(tables[1], tables[0])
    np.testing.assert_array_equal(tables[2], tables[0])


def test_the_order_of_pyagrum_is_noted_where_it_matters(tmp_path):
    scopes = "1 0   # a\n1 1   # b\n3 1 0 2   # c\n"
    path = tmp_path / "agrum.uai"
    for end in ("\n", "\r\n"):
        path.write_bytes(TEXT.replace("1 0\n1 1\n3 1 0 2\n", scopes).replace("\n", end).encode())
        (note,) = aw.load(path).notes
        assert "pyAgrum's order" in note
    path.write_text("BAYES\n1\n2\n1\n1 0   # a\n\n2\n 0.5 0.5\n")
    assert aw.load(path).notes == ()


def test_names_are_sorted_like_numbers():
    count = 12
    head = f"BAYES {count} " + "1 " * count + f"{count} " + " ".join(f"1 {i}" for i in range(count))
    net = read_uai((head + " 1 1" * count).encode())
    assert net.names[:2] == ("x00", "x01")
    assert net.names[-1] == "x11"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "BAYES",
            "MARKOV",
            "holds a Markov network, but a UAI file must contain a Bayesian network",
        ),
        ("BAYES", "NET", "does not begin with 'BAYES'"),
        (
            "BAYES\n3",
            "BAYES\n0",
            "line 2: expected a number of variables from 1 to 1000000, got '0'",
        ),
        ("2 3 2", "2 -3 2", "line 3: expected the number of levels of 'x1' .* got '-3'"),
        (
            "2 3 2",
            "2 99999999 2",
            "line 3: expected the number of levels of 'x1' from 1 to 4000000",
        ),
        ("2 3 2", "2 3 2 2", "line 3: expected the number of tables, .* from 3 to 3, got '2'"),
        ("3 1 0 2", "3 1 0 7", "line 7: expected the number of a variable from 0 to 2, got '7'"),
        ("3 1 0 2", "3 1 0 1", "line 7: there is a second table for 'x1'"),
        ("3 1 0 2", "3 1 1 2", "line 7: the table of 'x2' names a parent twice"),
        ("1 0\n", "2 2 0\n", "cycle"),
        ("12\n", "10\n", "line 13: expected the size of the table of 'x2' from 12 to 12, got '10'"),
        (".06 .94\n", "", "line 7: the table of 'x2' needs 12 numbers, got 10"),
        (".06 .94\n", ".06 x", "line 7: expected a number, got 'x'"),
        (
            ".06 .94\n",
            ".06 .9",
            "line 7: the probabilities of 'x2' given x0 = '1', x1 = '2' must sum to 1, got 0.96",
        ),
        (".06 .94\n", ".06 .94 7", "there is more after the last table, from '7' on"),
    ],
)
def test_the_line_and_the_reason_are_said(old, new, message, tmp_path):
    assert old in TEXT
    place = tmp_path / "a.uai"
    place.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(FileError, match=message):
        load_tables(place)
