"""XDSL and XMLBIF: the order of numbers, kinds of nodes, names, dialects and damaged files."""

import numpy as np
import pytest

from arcwise.data import Variable
from arcwise.errors import FileError
from arcwise.io import DiscreteNet, load_tables, read_xdsl, read_xmlbif, write_xdsl

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
            "line 4: node 'either' must be one of",
        ),
        ('id="either"', "", "line 4: a variable has no name"),
        (
            "<probabilities>0.94 0.06</probabilities>",
            "",
            "line 4: node 'either' has no <probabilities>",
        ),
        ("0.94 0.06", "0.94", "line 4: the table of 'either' needs 2 numbers, got 1"),
        ("0.94 0.06", "0.94 0.6", "line 4: the probabilities of 'either' must sum to 1, got 1.54"),
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


DECLARED = """<?xml version="1.0" encoding="US-ASCII"?>
<!-- DTD for the XMLBIF 0.3 format -->
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
  <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NAME (#PCDATA)>
]>
"""
BODY = """<BIF VERSION="0.3"><NETWORK><NAME>Dog-Problem</NAME>
<VARIABLE TYPE="nature"><NAME>y</NAME><OUTCOME>low</OUTCOME><OUTCOME>mid</OUTCOME><OUTCOME>top</OUTCOME>
  <PROPERTY>position = (73, 165)</PROPERTY></VARIABLE>
<VARIABLE TYPE="nature"><NAME> x </NAME><OUTCOME>no</OUTCOME><OUTCOME>&lt; yes</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>z</NAME><OUTCOME>u</OUTCOME><OUTCOME>v</OUTCOME></VARIABLE>
<DEFINITION><FOR>x</FOR><TABLE>0.5 0.5</TABLE></DEFINITION>
<DEFINITION><FOR>y</FOR><TABLE>0.2 0.3 0.5</TABLE></DEFINITION>
<DEFINITION><FOR>z</FOR><GIVEN>y</GIVEN><GIVEN>x</GIVEN><TABLE>
  .01 .99  .04 .96 <!-- low, by x -->
  .02 .98  .05 .95
  .03 .97  .06 .94</TABLE></DEFINITION>
</NETWORK></BIF>
"""


@pytest.mark.parametrize("head", ["", DECLARED])
def test_in_xmlbif_the_child_changes_fastest_then_the_last_parent(head):
    net = read_xmlbif((head + BODY).encode())
    assert net.names == ("x", "y", "z")
    assert net.variables[0].levels == ("no", "< yes")
    assert net.parents[2] == (0, 1)
    expected = [[0.01, 0.02, 0.03], [0.04, 0.05, 0.06]]
    np.testing.assert_array_equal(net.tables[2][..., 0], expected)


def test_the_encoding_that_a_file_names_is_used():
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>' + BODY.replace(">z<", ">é<")
    assert read_xmlbif(text.encode("latin-1")).names == ("x", "y", "é")
    assert read_xmlbif(text.replace("ISO-8859-1", "UTF-16").encode("utf-16")).names[-1] == "é"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</NETWORK>", "", "line 12: it is not well-formed XML .mismatched tag"),
        ("<FOR>z</FOR>", "", "line 8: a block must have one FOR, got 0"),
        ("<FOR>z</FOR>", "<FOR>z</FOR><FOR>y</FOR>", "must have one FOR, got 2"),
        ("<NAME>z</NAME>", "", "line 5: a block must have one NAME"),
        ("<TABLE>0.5 0.5</TABLE>", "", "line 6: a block must have one TABLE"),
        (".06 .94", "", "line 8: the table of 'z' needs 12 numbers, got 10"),
        (".06 .94", ".06 .94 1", "the table of 'z' needs 12 numbers, there are more"),
        (".06 .94", ".06 x", "line 8: expected a number, got 'x'"),
        (
            ".06 .94",
            ".06 .95",
            "line 8: the probabilities of 'z' given x = '< yes', y = 'top' must sum to 1, got 1.01",
        ),
        (
            "<GIVEN>x</GIVEN>",
            "<GIVEN>w</GIVEN>",
            "line 8: the table of 'z' names 'w', which is not",
        ),
        ("<FOR>x</FOR>", "<FOR>x</FOR><GIVEN>z</GIVEN>", "The arcs form a cycle"),
        (
            'TYPE="nature"',
            'TYPE="decision"',
            "line 2: the type of a variable must be 'nature', got 'decision'",
        ),
        ("<OUTCOME>u</OUTCOME><OUTCOME>v</OUTCOME>", "", "line 5: variable 'z' has no states"),
        ("<BIF VERSION", "<BIFF VERSION", "mismatched tag"),
    ],
)
def test_in_xmlbif_the_line_and_the_reason_are_said(old, new, message, tmp_path):
    place = tmp_path / "a.xmlbif"
    place.write_text(BODY.replace(old, new, 1))
    with pytest.raises(FileError, match=message):
        load_tables(place)


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/hostname">',
        '<!ENTITY % a SYSTEM "http://localhost/a.dtd"> %a;',
    ],
)
def test_entities_are_not_allowed(declared):
    with pytest.raises(FileError, match="line 1: it must not declare an XML entity"):
        read_xmlbif(f"<!DOCTYPE BIF [{declared}]>{BODY.replace('Dog', '&b;')}".encode())


def test_a_declaration_elsewhere_is_not_fetched():
    text = '<!DOCTYPE BIF SYSTEM "file:///nowhere/bif.dtd">' + BODY
    assert read_xmlbif(text.encode()).names == ("x", "y", "z")


def test_deep_nesting_and_other_xml_are_rejected():
    with pytest.raises(FileError, match="nested at most 100 deep"):
        read_xmlbif(b"<a>" * 1000)
    with pytest.raises(FileError, match="it has no variables, so it is not a XMLBIF network"):
        read_xmlbif(b"<svg><text>hello</text></svg>")
    with pytest.raises(FileError, match="encoding"):
        read_xmlbif(b'<?xml version="1.0" encoding="klingon"?><BIF/>')
