"""BIF, the Bayesian Interchange Format of the mid nineties, the common tongue of network repositories.

::

    network asia { }
    variable tub { type discrete [ 2 ] { yes, no }; }
    probability ( tub | asia ) { (yes) 0.05, 0.95; (no) 0.01, 0.99; }

Blocks come in any order. Names may be quoted, commas are optional, ``//`` and ``/* */`` are
comments, ``property`` lines are free text. A row gives the child's probabilities for the levels of
the parents in parentheses, in any order of rows; ``default`` is the row of all combinations that
are not named. ``table`` gives all numbers at once, the child's level changing slowest and the last
parent's fastest: ``table 0.05, 0.01, 0.95, 0.99;`` says the same as the two rows above.

Source: Cozman (1996), The Interchange Format for Bayesian Networks, version 0.15.
"""

import re
from collections import Counter
from itertools import product
from math import prod

import numpy as np

from arcwise.errors import FileError
from arcwise.io.scanner import Scanner, error_at, quote, unquote
from arcwise.io.tables import DiscreteNet, Draft, Numbers, level_texts, numbers, rows

MARKS = r"{}\[\]();|"
TEXT, COMMENT = r'[^"/]++|/(?![/*])', r"//[^\n]*+|/\*.*?\*/"
PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*")
KEYWORDS = {
    "network", "variable", "probability", "property", "type", "discrete", "table", "default",
}  # fmt: skip


def read_bif(content: bytes) -> DiscreteNet:
    r"""Read a BIF file.

    Parameters
    ----------
    content : the bytes of the (unpacked) file.

    Returns
    -------
    The network; levels are text, in the file's order.

    Raises
    ------
    FileError : the text is not BIF, is cut off, or contradicts itself.

    >>> text = b'''network n { }
    ... variable a { type discrete [ 2 ] { yes, no }; }
    ... variable b { type discrete [ 2 ] { yes, no }; }
    ... probability ( a ) { table 0.5, 0.5; }
    ... probability ( b | a ) { (yes) 0.1, 0.9; default 0.2, 0.8; }'''
    >>> read_bif(text).tables[1]
    array([[0.1, 0.9],
           [0.2, 0.8]])
    """
    scanner, draft = Scanner(content, MARKS, TEXT, COMMENT), Draft("BIF")
    bodies: dict[str, tuple[int, int]] = {}
    while word := scanner.take():
        if word == "variable":
            _variable(scanner, draft)
        elif word == "probability":
            child = _head(scanner, draft)
            bodies[child] = scanner.until("}")
        elif word == "network":
            scanner.until("{")
            scanner.until("}")
        else:
            raise scanner.wrong(f"expected 'network', 'variable' or 'probability', found {word!r}")
    draft.settle()
    return draft.net({child: _table(scanner, draft, child, bodies[child]) for child in bodies})


def _variable(scanner: Scanner, draft: Draft) -> None:
    """Read ``NAME { type discrete [ 2 ] { yes, no }; ... }``."""
    line, name = scanner.line, scanner.name()
    scanner.expect("{")
    levels: list[str] = []
    while (word := scanner.take()) != "}":
        if word == "property":
            scanner.until(";")
        elif word == "type":
            levels = _levels(scanner, name)
        else:
            got = word or "the end of the file"
            raise scanner.wrong(f"expected 'type', 'property' or '}}', found {got!r}")
    draft.declare(name, levels, line)


def _levels(scanner: Scanner, name: str) -> list[str]:
    """Read ``discrete [ 2 ] { yes, no };``."""
    for mark in ("discrete", "["):
        scanner.expect(mark)
    count = scanner.take()
    for mark in ("]", "{"):
        scanner.expect(mark)
    levels, _ = scanner.names("}")
    scanner.expect(";")
    if str(len(levels)) != count:
        raise scanner.wrong(f"variable {name!r} must have {count} states, got {len(levels)}")
    return levels


def _head(scanner: Scanner, draft: Draft) -> str:
    """Read ``( child | parent, parent ) {``; old files have no bar."""
    line = scanner.line
    scanner.expect("(")
    names, mark = scanner.names("|)")
    if not names or (mark == "|" and len(names) > 1):
        raise scanner.wrong("a probability block must name one child before its parents")
    if mark == "|":
        names += scanner.names(")")[0]
    scanner.expect("{")
    draft.define(names[0], names[1:], line)
    return names[0]


class _Body:
    """One probability block: its statements become the rows of a table.

    At most as many words are read from a statement as a correct one has.
    """

    def __init__(self, scanner: Scanner, draft: Draft, child: str) -> None:
        self.scanner, self.child, self.shape = scanner, child, draft.shape(child)
        self.width, self.count = self.shape[-1], prod(self.shape[:-1])
        self.levels = [draft.levels[parent] for parent in draft.parents[child]]
        self.codes = [{name: code for code, name in enumerate(levels)} for levels in self.levels]
        self.rows: list[int] = []
        self.starts: list[int] = []
        self.words: list[str] = []
        self.default: list[str] = []
        self.default_start = 0

    def wrong(self, start: int, what: str) -> FileError:
        """Return the error for a statement."""
        return error_at(
            self.scanner.line_after(start), f"{what} in the probabilities of {self.child!r}"
        )

    def add(self, start: int, end: int) -> None:
        """Read one statement."""
        closed = self.scanner.text[end - 1 : end] == ";"
        words = self.scanner.words(start, end - closed, len(self.codes) + self.width + 3)
        if not words or words[0] == "property":
            return
        if not closed:
            raise self.wrong(start, "there is no ';' after the last statement")
        if words[0] == "(":
            self.rows.append(self.row_number(words, start))
            self.words += self._check_count(words[len(self.codes) + 2 :], self.width, start)
            self.starts.append(start)
        elif words[0] == "table" and not self.rows:
            size = self.width * self.count
            words = self._check_count(self.scanner.words(start, end - 1, size + 2)[1:], size, start)
            # The child's level changes slowest.
            self.words = [word for row in range(self.count) for word in words[row :: self.count]]
            self.rows, self.starts = list(range(self.count)), [start] * self.count
        elif words[0] == "default" and not self.default:
            self.default = self._check_count(words[1:], self.width, start)
            self.default_start = start
        else:
            raise self.wrong(start, f"expected one 'table', 'default' or '(', found {words[0]!r}")

    def _check_count(self, words: list[str], size: int, start: int) -> list[str]:
        """Return the numbers of a statement, of which there must be this many."""
        if len(words) != size:
            got = f"got {len(words)}" if len(words) < size else "there are more"
            raise self.wrong(start, f"expected {size} numbers, {got}")
        return words

    def row_number(self, words: list[str], start: int) -> int:
        """Return the number of the row whose parents' levels stand in parentheses."""
        if len(words) <= len(self.codes) + 1 or words[len(self.codes) + 1] != ")":
            raise self.wrong(start, f"expected {len(self.codes)} levels in parentheses")
        number = 0
        for codes, word in zip(self.codes, words[1:], strict=False):
            name = unquote(word) if word[0] == '"' else word
            if name not in codes:
                raise self.wrong(start, f"{name!r} is not a level of its parent")
            number = number * len(codes) + codes[name]
        return number

    def table(self, end: int) -> Numbers:
        """Return the table, once all statements up to the end of the block are taken."""
        lines = self.scanner.line_after
        out = np.empty((self.count, self.width))
        defined = set(self.rows)
        if len(defined) < len(self.rows):
            twice = Counter(self.rows).most_common(1)[0][0]
            start = [s for s, row in zip(self.starts, self.rows, strict=True) if row == twice][1]
            raise self.wrong(start, "there is a second row for the same levels")
        if self.default:
            out[:] = numbers(self.default, lambda position: lines(self.default_start))
        elif len(defined) < self.count:
            missing = next(row for row in range(self.count) if row not in defined)
            codes = np.unravel_index(missing, self.shape[:-1])
            names = ", ".join(levels[code] for levels, code in zip(self.levels, codes, strict=True))
            raise self.wrong(end, f"there is no row for ({names})")
        values = numbers(self.words, lambda position: lines(self.starts[position // self.width]))
        out[self.rows] = values.reshape(-1, self.width)
        return out.reshape(self.shape)


def _table(scanner: Scanner, draft: Draft, child: str, span: tuple[int, int]) -> Numbers:
    """Read the body of a probability block."""
    body = _Body(scanner, draft, child)
    for start, end in scanner.statements(*span):
        body.add(start, end)
    return body.table(span[1])


def write_bif(net: DiscreteNet) -> bytes:
    r"""Write a BIF file, parents before their children.

    Names are quoted where they are not plain words; the numbers are the shortest that give back the
    same bits.

    >>> from arcwise.data import Variable
    >>> net = DiscreteNet((Variable("a", ("yes", "no")),), ((),), ([0.5, 0.5],))
    >>> print(write_bif(net).decode())
    network unknown {
    }
    variable a {
      type discrete [ 2 ] { yes, no };
    }
    probability ( a ) {
      table 0.5, 0.5;
    }
    <BLANKLINE>
    """
    names = [_word(name, name) for name in net.names]
    pairs = zip(net.names, level_texts(net), strict=True)
    levels = [[_word(level, name) for level in texts] for name, texts in pairs]
    parts = ["network unknown {\n}\n"]
    for node in net.graph.order():
        listed = ", ".join(levels[node])
        kind = f"type discrete [ {len(levels[node])} ]"
        parts.append(f"variable {names[node]} {{\n  {kind} {{ {listed} }};\n}}\n")
    for node in net.graph.order():
        above = ", ".join(names[parent] for parent in net.parents[node])
        head = f"{names[node]} | {above}" if above else names[node]
        parts.append(f"probability ( {head} ) {{\n")
        parent_levels = product(*(levels[parent] for parent in net.parents[node]))
        for names_given, row in zip(parent_levels, rows(net, node), strict=True):
            start = f"({', '.join(names_given)})" if above else "table"
            parts.append(f"  {start} {', '.join(map(repr, row))};\n")
        parts.append("}\n")
    return "".join(parts).encode()


def _word(text: str, name: str) -> str:
    """Return a name as BIF has it."""
    plain = PLAIN.fullmatch(text) and text not in KEYWORDS
    return text if plain else quote(text, name)
