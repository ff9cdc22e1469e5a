"""Networks of tables in XML: XDSL, and XMLBIF.

XDSL is the format of GeNIe and SMILE.

::

    <nodes>
      <cpt id="tub"><state id="yes" /><state id="no" /><parents>asia</parents>
        <probabilities>0.05 0.95 0.01 0.99</probabilities></cpt>
    </nodes>

In the probabilities the child's level changes fastest, then that of the last parent. Nodes of
certain outcome (``deterministic``) become tables of zeros and ones. Variables and states are called
by identifiers, so names that are none are written as the nearest ones, and the true name and levels
in a user property of the node, ``arcwise``, which other programs ignore.

Files of pyAgrum (up to 3.3.1 at least) have the *first* parent's level changing fastest among the
parents. Such files say that they come from aGrUM, and are read accordingly.

XMLBIF, the Interchange Format in XML, is what Weka, JavaBayes, SamIam and others exchange.

::

    <VARIABLE TYPE="nature"><NAME>tub</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
    <DEFINITION><FOR>tub</FOR><GIVEN>asia</GIVEN><TABLE>0.05 0.95 0.01 0.99</TABLE></DEFINITION>

In a table the child's level changes fastest, then that of the last GIVEN. Blanks around names do
not count, so names that begin or end with one cannot be written.

Source: Cozman (1998), The Interchange Format for Bayesian Networks, XMLBIF version 0.3.
"""

import json
from collections.abc import Mapping
from html import escape
from math import prod

import numpy as np

from arcwise.errors import FileError
from arcwise.io.codec import fits
from arcwise.io.scanner import FORBIDDEN, content_of, error_at, walk
from arcwise.io.tables import DiscreteNet, Draft, Numbers, identifiers, level_texts, rows

XDSL_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<smile version="1.0" id="network">\n<nodes>\n'
# GeNIe shows these names; some programs do not read files without them.
GENIE = '<genie version="1.0" app="Arcwise" name="network">'
NUMBERS = {"cpt": "probabilities", "deterministic": "resultingstates"}


class _Xdsl:
    """What was found, and the texts of the node that is open."""

    def __init__(self) -> None:
        self.draft = Draft("XDSL")
        self.texts: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.called: dict[str, list[str]] = {}
        self.inside = False
        self.reverse = False
        self.node = self.kind = self.property = ""
        self.line = 0
        self.levels: list[str] = []
        self.found: dict[str, str] = {}

    def open_element(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        """Take the start of an element."""
        name = attributes.get("id", "")
        self.property = name if tag == "property" else ""
        if tag == "nodes":
            self.inside = True
        elif tag == "genie":
            self.reverse = attributes.get("app", "").startswith("aGrUM")
        elif self.inside and not self.kind:
            if tag not in NUMBERS:
                kinds = " and ".join(f"<{kind}>" for kind in NUMBERS)
                raise error_at(line, f"node {name!r} must be one of {kinds}, got <{tag}>")
            self.node, self.kind, self.line, self.levels, self.found = name, tag, line, [], {}
        elif self.kind and tag == "state":
            self.levels.append(name)

    def close_element(self, tag: str, text: str, line: int) -> None:
        """Take the end of an element."""
        if tag == "nodes":
            self.inside = False
        elif self.kind and tag == self.kind:
            self.finish()
        elif self.kind:
            self.found["arcwise" if self.property == "arcwise" else tag] = text
        self.property = ""

    def finish(self) -> None:
        """Take the node that was closed."""
        node, tag = self.node, NUMBERS[self.kind]
        if tag not in self.found:
            raise error_at(self.line, f"node {node!r} has no <{tag}>")
        self.draft.declare(node, self.levels, self.line)
        self.draft.define(node, self.found.get("parents", "").split(), self.line)
        self.texts[node], self.kinds[node] = self.found[tag], self.kind
        if "arcwise" in self.found:
            self.called[node] = self.true_names(self.found["arcwise"])
        self.kind = ""

    def true_names(self, text: str) -> list[str]:
        """Name and levels as we write them where identifiers cannot hold them."""
        try:
            names = json.loads(text)
        except (ValueError, RecursionError):
            names = None
        count = len(self.levels)
        if not fits(names, list[str]) or len(names) != count + 1 or len(set(names[1:])) < count:
            raise error_at(
                self.line, f"the property 'arcwise' of node {self.node!r} does not match it"
            )
        return list(names)

    def table(self, node: str) -> Numbers:
        """Return the table of a node, once all nodes are known."""
        if self.kinds[node] == "cpt":
            return self.draft.flat(node, self.texts[node])
        codes = {name: code for code, name in enumerate(self.draft.levels[node])}
        *above, width = self.draft.shape(node)
        words = self.texts[node].split(None, prod(above))
        if len(words) != prod(above) or not codes.keys() >= set(words):
            what = f"node {node!r} needs one of its states for each of {prod(above)} cases"
            raise error_at(self.draft.lines[node], what)
        return np.eye(width)[[codes[word] for word in words]].reshape(*above, width)


def read_xdsl(content: bytes) -> DiscreteNet:
    """Read an XDSL file.

    Parameters
    ----------
    content : the bytes of the (unpacked) file.

    Returns
    -------
    The network; levels are text, in the file's order.

    Raises
    ------
    FileError : the text is not XDSL, is cut off, contradicts itself, or has nodes without a table
        of probabilities (decisions, utilities, equations, noisy gates).

    >>> node = b'<cpt id="a"><state id="x"/><probabilities>1</probabilities></cpt>'
    >>> read_xdsl(b"<smile><nodes>" + node + b"</nodes></smile>").tables
    (array([1.]),)
    """
    reader = _Xdsl()
    walk(content, reader.open_element, reader.close_element)
    if reader.reverse:
        reader.draft.reverse_parents()
    reader.draft.settle()
    return reader.draft.net({node: reader.table(node) for node in reader.texts}, reader.called)


def write_xdsl(net: DiscreteNet) -> bytes:
    """Write an XDSL file, parents before their children, which GeNIe requires.

    >>> from arcwise.data import Variable
    >>> net = DiscreteNet((Variable("a", ("x", "5 - 7")),), ((),), ([0.5, 0.5],))
    >>> print(write_xdsl(net).decode())
    <?xml version="1.0" encoding="UTF-8"?>
    <smile version="1.0" id="network">
    <nodes>
      <cpt id="a">
        <state id="x" />
        <state id="x5___7" />
        <probabilities>0.5 0.5</probabilities>
        <property id="arcwise">["a", "x", "5 - 7"]</property>
      </cpt>
    </nodes>
    <extensions>
    <genie version="1.0" app="Arcwise" name="network">
      <node id="a"><name>a</name></node>
    </genie>
    </extensions>
    </smile>
    <BLANKLINE>
    """
    words, texts = identifiers(net.names), level_texts(net)
    parts = [XDSL_HEAD]
    for node in net.graph.order():
        names, levels = [net.names[node], *texts[node]], identifiers(texts[node])
        parts.append(f'  <cpt id="{words[node]}">\n')
        parts += [f'    <state id="{level}" />\n' for level in levels]
        if net.parents[node]:
            above = " ".join(words[parent] for parent in net.parents[node])
            parts.append(f"    <parents>{above}</parents>\n")
        numbers = " ".join(repr(number) for row in rows(net, node) for number in row)
        parts.append(f"    <probabilities>{numbers}</probabilities>\n")
        if names != [words[node], *levels]:
            parts.append(
                f'    <property id="arcwise">{escape(json.dumps(names), quote=False)}</property>\n'
            )
        parts.append("  </cpt>\n")
    parts.append(f"</nodes>\n<extensions>\n{GENIE}\n")
    for node in net.graph.order():
        name = escape(FORBIDDEN.sub("?", net.names[node]), quote=False)
        parts.append(f'  <node id="{words[node]}"><name>{name}</name></node>\n')
    return "".join([*parts, "</genie>\n</extensions>\n</smile>\n"]).encode()


# -- XMLBIF -----------------------------------------------------------------------------------------


XMLBIF_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
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

    def open_element(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        if tag == "VARIABLE" and attributes.get("TYPE", "nature").lower() != "nature":
            kind = attributes["TYPE"]
            raise error_at(line, f"the type of a variable must be 'nature', got {kind!r}")
        if tag in BLOCKS:
            self.found, self.line = {}, line

    def close_element(self, tag: str, text: str, line: int) -> None:
        if self.found is None:
            return
        if tag not in BLOCKS:
            self.found.setdefault(tag, []).append(text.strip() if tag != "TABLE" else text)
            return
        block, self.found = self.found, None
        if tag == "VARIABLE":
            self.draft.declare(self.one(block, "NAME"), block.get("OUTCOME", []), self.line)
        else:
            child = self.one(block, "FOR")
            self.draft.define(child, block.get("GIVEN", []), self.line)
            self.texts[child] = self.one(block, "TABLE")

    def one(self, block: Mapping[str, list[str]], tag: str) -> str:
        """Return the text of an element that a block has once."""
        texts = block.get(tag, [])
        if len(texts) != 1:
            raise error_at(self.line, f"a block must have one {tag}, got {len(texts)}")
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
    walk(content, reader.open_element, reader.close_element)
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
    parts = [XMLBIF_HEAD]
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
    """Return a name as XMLBIF has it."""
    if text != text.strip():
        raise FileError(
            f"variable {name!r} has the text {text!r}, but XMLBIF drops spaces at the ends"
        )
    return content_of(text, name)
