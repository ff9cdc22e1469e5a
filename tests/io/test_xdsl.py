"""XDSL: the order of numbers, kinds of nodes, names that are no identifiers, damage."""

import numpy as np
import pytest

from arcwise.data import Variable
from arcwise.errors import FileError
from arcwise.io import DiscreteNet, load_tables, read_xdsl, write_xdsl

TEXT = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="Asia" numsamples="10000" discsamples="10000">
<nodes>
<cpt id="either" diagtype="observation"><state id="no"/><state id="yes" label="F5" fault="true"/>
  <probabilities>0.94 0.06</probabilities></cpt>
<cpt id="bronc"><state id="no"/><state id="yes"/><probabilities>0.55 0.45</probabilities></cpt>
<cpt id="dysp"><state id="Absent"/><state id="Present"/><parents>either bronc</parents>
  <property id="note">free text</property>
  <probabilities>0.9 0.1 0.2 0.8 0.3 0.7 0.1 0.9</probabilities></cpt>
<deterministic id="same"><state id="off"/><state id="on"/><parents>dysp</parents>
  <resultingstates>off on</resultingstates></deterministic>
</nodes>
<extensions><genie version="1.0" app="GeNIe 2.1" name="Asia">
<submodel id="s"><node id="dysp"><name>Dyspnea</name></node></submodel></genie></extensions>
</smile>
"""


def test_the_child_changes_fastest_then_the_last_parent():
    """Dyspnea is likelier with bronchitis alone, 0.8, than with the rest alone, 0.7."""
    net = read_xdsl(TEXT.encode())
    assert net.names == ("bronc", "dysp", "either", "same")
    assert net.parents[1] == (0, 2)
    np.testing.assert_array_equal(net.tables[1][..., 1], [[0.1, 0.7], [0.8, 0.9]])
    assert net.tables[3].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_files_of_agrum_have_the_first_parent_fastest():
    """What pyAgrum 3.3.1 writes for p(c = u | b, a) = 0.01 ... 0.06, first b and then a changing."""
    net = read_xdsl(TEXT.replace("GeNIe 2.1", "aGrUM 3.3.1").encode())
    np.testing.assert_array_equal(net.tables[1][..., 1], [[0.1, 0.8], [0.7, 0.9]])


def test_names_that_are_no_identifiers_are_kept_in_a_property():
    variables = (Variable("1st", ("< 5", "x", "5-7")), Variable("b", ("x", "y")))
    table = [[1, 0], [0.5, 0.5], [0, 1]]
    net = DiscreteNet(variables, ((), (0,)), ([0.5, 0.25, 0.25], table))
    written = write_xdsl(net)
    assert b'<cpt id="x1st">' in written
    assert b"<parents>x1st</parents>" in written
    assert read_xdsl(written).variables == variables
    assert b"<name>1st</name>" in written
    assert written.count(b"<property") == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "<parents>dysp</parents>",
            "<parents>w</parents>",
            "line 10: the table of 'same' names 'w'",
        ),
        (
            '<cpt id="either"',
            '<noisymax id="either"',
            "line 4: node 'either' is of the kind <noisymax>",
        ),
        ('id="either"', "", "line 4: a variable has no name"),
        (
            "<probabilities>0.94 0.06</probabilities>",
            "",
            "line 4: node 'either' has no <probabilities>",
        ),
        ("0.94 0.06", "0.94", "line 4: the table of 'either' needs 2 numbers, got 1"),
        ("0.94 0.06", "0.94 0.6", "line 4: the probabilities of 'either' sum to 1.54"),
        ("off on", "off up", "line 10: node 'same' needs one of its states for each of 2 cases"),
        ("off on", "off on on", "line 10: node 'same' needs one of its states for each of 2 cases"),
        ('id="bronc"', 'id="either"', "line 6: variable 'either' is declared a second time"),
        ('id="note">free text', 'id="arcwise">[1, 2]', "the property 'arcwise' of node 'dysp'"),
        ("</smile>", "", "line 16: it is not well-formed XML .no element found"),
        (
            '<state id="no"/>',
            '<state id="yes"/>',
            "line 4: variable 'either' has the state 'yes' twice",
        ),
    ],
)
def test_the_line_and_the_reason_are_said(old, new, message, tmp_path):
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    if "noisymax" in new:
        text = text.replace("</cpt>", "</noisymax>", 1)
    place = tmp_path / "a.xdsl"
    place.write_text(text)
    with pytest.raises(FileError, match=message):
        load_tables(place)
