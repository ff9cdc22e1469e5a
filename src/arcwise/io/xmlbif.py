"""XMLBIF, the Interchange Format in XML: what Weka, JavaBayes, SamIam and others exchange.

::

    <VARIABLE TYPE="nature"><NAME>tub</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
    <DEFINITION><FOR>tub</FOR><GIVEN>asia</GIVEN><TABLE>0.05 0.95 0.01 0.99</TABLE></DEFINITION>

In a table the child's level changes fastest, then that of the last GIVEN. Blanks around names do
not count, so names that begin or end with one cannot be written.

Source: Cozman (1998), The Interchange Format for Bayesian Networks, XMLBIF version 0.3.
"""

from collections.abc import Mapping

from arcwise.errors import FileError
from arcwise.io.scanner import at, content_of, walk
from arcwise.io.tables import DiscreteNet, Draft, level_texts, rows

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<BIF VERSION="0.3">
<NETWORK>
<NAME>unknown</NAME>
"""
BLOCKS = ("VARIABLE", "DEFINITION")


class _Xmlbif:
    """What was found in the block that is open."""

    def __init__(self) -> None:
        self.draft = Draft("XMLBIF")
        self.texts: dict[str, str] = {}
        self.found: dict[str, list[str]] | None = None
        self.line = 0

    def opened(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        if tag == "VARIABLE" and attributes.get("TYPE", "nature").lower() != "nature":
            kind = attributes["TYPE"]
            raise at(line, f"it has a variable of type {kind!r}, and only 'nature' is known here")
        if tag in BLOCKS:
            self.found, self.line = {}, line

    def closed(self, tag: str, text: str, line: int) -> None:
        if self.found is None:
            return
        if tag not in BLOCKS:
            self.found.setdefault(tag, []).append(text.strip() if tag != "TABLE" else text)
            return
        found, self.found = self.found, None
        if tag == "VARIABLE":
            self.draft.declare(self.one(found, "NAME"), found.get("OUTCOME", []), self.line)
        else:
            child = self.one(found, "FOR")
            self.draft.define(child, found.get("GIVEN", []), self.line)
            self.texts[child] = self.one(found, "TABLE")

    def one(self, found: Mapping[str, list[str]], tag: str) -> str:
        """The text of an element that a block has once."""
        texts = found.get(tag, [])
        if len(texts) != 1:
            raise at(self.line, f"a block should have one {tag}, and this one has {len(texts)}")
        return texts[0]


def read_xmlbif(content: bytes) -> DiscreteNet:
    """Read an XMLBIF file.

    Parameters
    ----------
    content : the bytes of the (unpacked) file.

    Returns
    -------
    The network; levels are text, in the file's order.

    Raises
    ------
    FileError : the text is not XMLBIF, is cut off, or contradicts itself.

    >>> head = b"<BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME></VARIABLE>"
    >>> tail = b"<DEFINITION><FOR>a</FOR><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>"
    >>> read_xmlbif(head + tail).variables
    (Variable(name='a', levels=('x',), ordered=False, cuts=None),)
    """
    reader = _Xmlbif()
    walk(content, reader.opened, reader.closed)
    reader.draft.settle()
    tables = {child: reader.draft.flat(child, text) for child, text in reader.texts.items()}
    return reader.draft.net(tables)


def write_xmlbif(net: DiscreteNet) -> bytes:
    """Write an XMLBIF file, parents before their children.

    Raises
    ------
    FileError : a name or level that XML cannot hold (a control sign), or with blanks around it.

    >>> from arcwise.data import Variable
    >>> net = DiscreteNet((Variable("a", ("x", "y")),), ((),), ([0.5, 0.5],))
    >>> b"<TABLE>0.5 0.5</TABLE>" in write_xmlbif(net)
    True
    """
    names = [_text(name, name) for name in net.names]
    texts = level_texts(net)
    parts = [HEAD]
    for node in net.graph.order():
        parts.append(f'<VARIABLE TYPE="nature">\n  <NAME>{names[node]}</NAME>\n')
        levels = [_text(level, net.names[node]) for level in texts[node]]
        parts += [f"  <OUTCOME>{level}</OUTCOME>\n" for level in levels]
        parts.append("</VARIABLE>\n")
    for node in net.graph.order():
        parts.append(f"<DEFINITION>\n  <FOR>{names[node]}</FOR>\n")
        parts += [f"  <GIVEN>{names[parent]}</GIVEN>\n" for parent in net.parents[node]]
        lines = [" ".join(map(repr, row)) for row in rows(net, node)]
        parts.append("  <TABLE>" + "\n    ".join(lines) + "</TABLE>\n</DEFINITION>\n")
    return "".join([*parts, "</NETWORK>\n</BIF>\n"]).encode()


def _text(text: str, name: str) -> str:
    """A name as XMLBIF has it."""
    if text != text.strip():
        raise FileError(f"variable {name!r} has the text {text!r}, and XMLBIF drops blanks at ends")
    return content_of(text, name)
