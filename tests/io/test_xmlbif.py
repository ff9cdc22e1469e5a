"""XMLBIF: the order of numbers, declarations, dialects and damaged files."""

import numpy as np
import pytest

from arcwise.errors import FileError
from arcwise.io import load_tables, read_xmlbif

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
def test_the_child_changes_fastest_then_the_last_parent(head):
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
        ("<FOR>z</FOR>", "", "line 8: a block should have one FOR, and this one has 0"),
        ("<FOR>z</FOR>", "<FOR>z</FOR><FOR>y</FOR>", "should have one FOR, and this one has 2"),
        ("<NAME>z</NAME>", "", "line 5: a block should have one NAME"),
        ("<TABLE>0.5 0.5</TABLE>", "", "line 6: a block should have one TABLE"),
        (".06 .94", "", "line 8: the table of 'z' needs 12 numbers, got 10"),
        (".06 .94", ".06 .94 1", "the table of 'z' needs 12 numbers, there are more"),
        (".06 .94", ".06 x", "line 8: expected a number, got 'x'"),
        (
            ".06 .94",
            ".06 .95",
            "line 8: the probabilities of 'z' given x = '< yes', y = 'top' sum to 1.01",
        ),
        (
            "<GIVEN>x</GIVEN>",
            "<GIVEN>w</GIVEN>",
            "line 8: the table of 'z' names 'w', which is not",
        ),
        ("<FOR>x</FOR>", "<FOR>x</FOR><GIVEN>z</GIVEN>", "The arcs form a cycle"),
        ('TYPE="nature"', 'TYPE="decision"', "line 2: it has a variable of type 'decision'"),
        ("<OUTCOME>u</OUTCOME><OUTCOME>v</OUTCOME>", "", "line 5: variable 'z' has no states"),
        ("<BIF VERSION", "<BIFF VERSION", "mismatched tag"),
    ],
)
def test_the_line_and_the_reason_are_said(old, new, message, tmp_path):
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
    with pytest.raises(FileError, match="line 1: it declares an XML entity, which is not allowed"):
        read_xmlbif(f"<!DOCTYPE BIF [{declared}]>{BODY.replace('Dog', '&b;')}".encode())


def test_a_declaration_elsewhere_is_not_fetched():
    text = '<!DOCTYPE BIF SYSTEM "file:///nowhere/bif.dtd">' + BODY
    assert read_xmlbif(text.encode()).names == ("x", "y", "z")


def test_deep_nesting_and_other_xml_are_refused():
    with pytest.raises(FileError, match="nested more than 100 deep"):
        read_xmlbif(b"<a>" * 1000)
    with pytest.raises(FileError, match="it has no variables, so it is not a XMLBIF network"):
        read_xmlbif(b"<svg><text>hello</text></svg>")
    with pytest.raises(FileError, match="encoding"):
        read_xmlbif(b'<?xml version="1.0" encoding="klingon"?><BIF/>')
