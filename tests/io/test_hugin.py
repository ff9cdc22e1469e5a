"""Hugin NET: the order of numbers, comments and attributes, names that are no identifiers, damage."""

import numpy as np
import pytest

from arcwise.data import Variable
from arcwise.errors import FileError
from arcwise.io import DiscreteNet, load_tables, read_hugin, write_hugin

TEXT = """% written by hand } "
net
{
  node_size = (80 40); name = "with ; and }";
}
node y { label = "the % y"; states = ("low" "mid" "top"); position = (1 2); HR_State_0 = "a\\"b"; }
discrete node x { states = (no yes); }
node z { states = ("u" "v"); }
potential ( x ) { data = (0.5 0.5); }
potential ( y | ) { data = ( 0.2 0.3 0.5 ); }
potential ( z | y x )
{
  model_nodes = ();
  data = (((0.01 0.99)	% y=low x=no "
           (0.04 0.96))
          ((0.02 0.98) (0.05 0.95))
          ((0.03 0.97) (6e-2 .94)));
}
"""


def test_the_child_changes_fastest_then_the_last_parent():
    net = read_hugin(TEXT.encode())
    assert net.names == ("x", "y", "z")
    assert net.variables[1].levels == ("low", "mid", "top")
    expected = [[0.01, 0.02, 0.03], [0.04, 0.05, 0.06]]
    np.testing.assert_array_equal(net.tables[2][..., 0], expected)


def test_parentheses_are_nested_by_parents():
    written = write_hugin(read_hugin(TEXT.encode())).decode()
    data = written[written.index("potential ( z | x y )") :]
    assert "".join(data.split()) == (
        "potential(z|xy){data=(((0.010.99)(0.020.98)(0.030.97))((0.040.96)(0.050.95)(0.060.94)));}"
    )


def test_names_that_are_no_identifiers_are_kept_beside_the_nearest_ones():
    variables = tuple(
        Variable(name, ("a b", '"')) for name in sorted(["node", "wine pH", "wine_pH"])
    )
    net = DiscreteNet(variables, ((), (0,), ()), ([0.5, 0.5], [[1, 0], [0, 1]], [0.25, 0.75]))
    written = write_hugin(net)
    assert b"node node_2\n" in written
    assert b"node wine_pH_2\n" in written
    assert b'arcwise_name = "wine pH";' in written
    assert read_hugin(written).variables == variables


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("node z", "utility z", "line 8: expected 'net', 'node' or 'potential', found 'utility'"),
        ("discrete node x", "continuous node x", "found 'continuous'"),
        ('states = ("u" "v");', "", "line 8: variable 'z' has no states"),
        (
            "( z | y x )",
            "( z y | x )",
            "line 11: a potential must have one child, got 2",
        ),
        ("( z | y x )", "( z | y w )", "line 11: the table of 'z' names 'w'"),
        ("( x )", "( x | z )", "cycle"),
        ("data = (0.5 0.5);", "", "line 9: the potential of 'x' has no data"),
        ("(0.5 0.5)", "(0.5 0.5", "the parentheses in the data of 'x' do not match"),
        ("(0.5 0.5)", "(0.5 0.5 0.5)", "the table of 'x' needs 2 numbers, there are more"),
        ("(0.5 0.5)", "(0.5 half)", "line 9: expected a number, got 'half'"),
        ("(0.5 0.5)", "(0.5 0.6)", "line 9: the probabilities of 'x' must sum to 1, got 1.1"),
        ("label = ", "label ", "line 6: expected '='"),
        (".94)));\n}", ".94)));", "line 18: expected '=', found 'the end of the file'"),
    ],
)
def test_the_line_and_the_reason_are_said(old, new, message, tmp_path):
    assert old in TEXT
    place = tmp_path / "a.net"
    place.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(FileError, match=message):
        load_tables(place)


def test_an_open_quotation_mark_is_found_where_it_stands():
    with pytest.raises(FileError, match="line 2: a quotation mark is not closed"):
        read_hugin(b'net { } % one "\nnode a { states = ("x "y"); }')
