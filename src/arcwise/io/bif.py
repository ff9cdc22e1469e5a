"""The structure in BIF files: variables, their states and their parents.

BIF, the Bayesian Interchange Format of the mid nineties, is the common tongue of discrete network
repositories::

    network asia { }
    variable tub { type discrete [ 2 ] { yes, no }; }
    probability ( tub | asia ) { (yes) 0.05, 0.95; (no) 0.01, 0.99; }

Blocks come in any order. Names may be quoted, commas are optional, ``//`` and ``/* */`` are
comments, ``property`` lines are free text. The probability tables are passed over here: only their
heads, which name the child and its parents, are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from arcwise.data import Variable
from arcwise.errors import FileError
from arcwise.graphs import DAG
from arcwise.io.base import Format, Stored

__all__ = ["BIF", "read_bif"]

SPACE = r"(?:\s+|//[^\n]*|/\*.*?\*/)*+"
TOKEN = re.compile(
    SPACE + r'(?:"(?P<quoted>(?:\\.|[^"\\])*)"|(?P<mark>[{}\[\]();,|])|(?P<word>[^\s{}\[\]();,|"]+)'
    r"|(?P<end>\Z))",
    re.DOTALL,
)
# Possessive, so that a file without the closing sign is refused in linear time.
INSIDE = r'(?:[^%s"/]++|"(?:\\.|[^"\\])*+"|//[^\n]*+|/\*.*?\*/|/)*+%s'
TO_BRACE = re.compile(INSIDE % ("}", "}"), re.DOTALL)
TO_SEMICOLON = re.compile(INSIDE % (";", ";"), re.DOTALL)


class _Reader:
    """A place in the text, with the few steps a parser takes from there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def take(self) -> str:
        """The next name or sign; an empty text at the end of the file."""
        match = TOKEN.match(self.text, self.position)
        if match is None:
            raise self.wrong("a quotation mark or comment is not closed")
        self.position = match.end()
        quoted = match["quoted"]
        return match["mark"] or match["word"] or "" if quoted is None else unquoted(quoted)

    def expect(self, sign: str) -> None:
        """Take the next sign, which must be this one."""
        found = self.take()
        if found != sign:
            raise self.wrong(f"expected {sign!r}, found {found or 'the end of the file'!r}")

    def until(self, closing: str) -> Iterator[str]:
        """The names up to a closing sign; commas between them do not matter."""
        while (found := self.take()) != closing:
            if found in ("", "{", "}", ";", "[", "("):
                raise self.wrong(f"expected {closing!r}, found {found or 'the end of the file'!r}")
            if found != ",":
                yield found

    def skip(self, over: re.Pattern[str], closing: str) -> None:
        """Pass over everything up to and with a closing sign."""
        match = over.match(self.text, self.position)
        if match is None:
            raise self.wrong(f"a block is not closed by {closing!r}")
        self.position = match.end()

    def wrong(self, what: str) -> FileError:
        """The error for this place in the text."""
        return FileError(f"line {1 + self.text.count(chr(10), 0, self.position)}: {what}")


def unquoted(text: str) -> str:
    """Undo the escapes inside a quoted name."""
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def read_bif(content: bytes) -> Stored:
    r"""Read variables and graph of a BIF file.

    Parameters
    ----------
    content : the bytes of the (unpacked) file.

    Returns
    -------
    Stored with graph and variables (states in the file's order, as text), without a network.

    Raises
    ------
    FileError : the text is not BIF, is cut off, or contradicts itself.

    >>> text = b'''network n { }
    ... variable a { type discrete [ 2 ] { yes, no }; }
    ... variable b { type discrete [ 2 ] { yes, no }; }
    ... probability ( a ) { table 0.5, 0.5; }
    ... probability ( b | a ) { (yes) 0.1, 0.9; (no) 0.2, 0.8; }'''
    >>> str(read_bif(text).graph)
    '[a][b|a]'
    """
    levels, parents = _blocks(_Reader(_decoded(content)))
    if not levels:
        raise FileError("it has no variables, so it is no BIF network")
    _check(levels, parents)
    variables = tuple(Variable(name, levels[name]) for name in sorted(levels))
    arcs = [(parent, child) for child, above in parents.items() for parent in above]
    return Stored(DAG.from_arcs(arcs, sorted(levels)), variables)


def _decoded(content: bytes) -> str:
    """Text of the file; files of that age may be in Latin-1."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if "\0" in text:
        raise FileError("it is no text, so it is no BIF network")
    return text


def _blocks(reader: _Reader) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """All variables with their levels, and all children with their parents."""
    levels: dict[str, tuple[str, ...]] = {}
    parents: dict[str, tuple[str, ...]] = {}
    while word := reader.take():
        if word == "variable":
            _add(levels, *_variable(reader), reader)
        elif word == "probability":
            _add(parents, *_probability(reader), reader)
        elif word == "network":
            reader.take()
            reader.expect("{")
            reader.skip(TO_BRACE, "}")
        else:
            raise reader.wrong(f"expected 'network', 'variable' or 'probability', found {word!r}")
    return levels, parents


def _add(
    known: dict[str, tuple[str, ...]], name: str, entry: tuple[str, ...], reader: _Reader
) -> None:
    if name in known:
        raise reader.wrong(f"there is a second block for {name!r}")
    known[name] = entry


def _variable(reader: _Reader) -> tuple[str, tuple[str, ...]]:
    """Read ``NAME { type discrete [ 2 ] { yes, no }; ... }``."""
    name = reader.take()
    reader.expect("{")
    levels: tuple[str, ...] = ()
    while (word := reader.take()) != "}":
        if word == "property":
            reader.skip(TO_SEMICOLON, ";")
        elif word == "type":
            levels = _levels(reader, name)
        else:
            raise reader.wrong(f"expected 'type', 'property' or '}}', found {word!r}")
    if not levels:
        raise reader.wrong(f"variable {name!r} has no states")
    return name, levels


def _levels(reader: _Reader, name: str) -> tuple[str, ...]:
    """Read ``discrete [ 2 ] { yes, no };``."""
    reader.expect("discrete")
    reader.expect("[")
    count = reader.take()
    reader.expect("]")
    reader.expect("{")
    levels = tuple(reader.until("}"))
    reader.expect(";")
    if str(len(levels)) != count or len(set(levels)) != len(levels):
        raise reader.wrong(f"variable {name!r} should have {count} different states, has {levels}")
    return levels


def _probability(reader: _Reader) -> tuple[str, tuple[str, ...]]:
    """Read the head ``( child | parent, parent )`` (old files have no bar), skip the table."""
    reader.expect("(")
    names = [name for name in reader.until(")") if name != "|"]
    if not names:
        raise reader.wrong("a probability block names no variable")
    reader.expect("{")
    reader.skip(TO_BRACE, "}")
    return names[0], tuple(names[1:])


def _check(levels: dict[str, tuple[str, ...]], parents: dict[str, tuple[str, ...]]) -> None:
    for name in levels:
        if name not in parents:
            raise FileError(f"variable {name!r} has no probability block; the file may be cut off")
    for child, above in parents.items():
        for name in (child, *above):
            if name not in levels:
                raise FileError(
                    f"the probability of {child!r} names {name!r}, which is no variable"
                )
        if len(set(above)) != len(above):
            raise FileError(f"the probability of {child!r} names a parent twice")


BIF = Format("BIF", read_bif, None)
