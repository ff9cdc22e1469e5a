"""UAI, the numbers-only format of the inference competitions; it is read, not written.

::

    BAYES
    2              two variables
    2 2            with two levels each
    2              two tables
    1 0            of variable 0
    2 0 1          of variable 1 given variable 0: the child is the last of its scope
    2  0.2 0.8     the numbers of the first table
    4  0.9 0.1  0.05 0.95

The level of the last variable of a scope changes fastest. There are no names: variable 7 of twelve
is called x07, and its levels 0, 1, ... Files of Markov networks (``MARKOV``) are rejected.

A comment, ``# ...`` or a line beginning with ``c``, changes nothing, with one exception. pyAgrum (up
to 3.3.1 at least) writes the level of the *first* parent changing fastest among the parents. Its files
have one layout: one scope per line, each followed by three spaces and ``# name``, and no other comment.
Files in exactly that layout are read in pyAgrum's order, and a note reports it.

Source: UAI 2008 evaluation of probabilistic reasoning systems, file formats.
"""

import re
from itertools import islice
from math import prod

from arcwise.errors import FileError
from arcwise.io.scanner import WHOLE, Lines, decode, error_at
from arcwise.io.tables import MOST_LEVELS, MOST_VARIABLES, DiscreteNet, Draft
from arcwise.notes import Note, NoteKind

COMMENT = re.compile(r"^c(?:[ \t\r][^\n]*)?$|#[^\n]*", re.MULTILINE)
PYAGRUM = re.compile(
    r"BAYES\n[0-9]++\n[0-9 ]++\n([0-9]++)\n((?:[0-9]++(?: [0-9]++)*+   # [^\n]++\n)++)\s"
)
PYAGRUM_NOTE = Note(
    NoteKind.FILE,
    "Every scope of the file is followed by '# name', as only pyAgrum writes it, so tables are "
    "read in pyAgrum's order: the first parent's level changes fastest among the parents. "
    "Remove these comments if another program wrote the file.",
)


class _Words:
    """The words of a text one after another."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        self.position = 0
        self._found = re.finditer(r"\S+", text)

    @property
    def line(self) -> int:
        """The number of the line of the last integer."""
        return self.lines.at(self.position)

    def some(self, count: int) -> list[str]:
        """Return the next words, at most this many."""
        return list(islice(map(WHOLE, self._found), count))

    def whole(self, what: str, least: int, most: int) -> int:
        """Return the next word as an integer between two bounds."""
        match = next(self._found, None)
        word = "" if match is None else match[0]
        self.position = len(self.text) if match is None else match.start()
        if not re.fullmatch("[0-9]{1,18}", word) or not least <= int(word) <= most:
            got = word or "the end of the file"
            raise error_at(self.line, f"expected {what} from {least} to {most}, got {got!r}")
        return int(word)


def read_uai(content: bytes) -> DiscreteNet:
    """Read the Bayesian network in a UAI file.

    Parameters
    ----------
    content : the bytes of the (unpacked) file.

    Returns
    -------
    The network; variables are x0, x1, ... and levels 0, 1, ..., as text.

    Raises
    ------
    FileError : the text is not UAI, is cut off, contradicts itself, or has a Markov network.

    >>> net = read_uai(b"BAYES 2  2 2  2  1 0  2 0 1  2 0.2 0.8  4 0.9 0.1 0.05 0.95")
    >>> str(net.graph), net.tables[1][1].tolist()
    ('[x0][x1|x0]', [0.05, 0.95])
    """
    text = decode(content)
    words, draft = _Words(COMMENT.sub("", text)), Draft("UAI")
    kind = "".join(words.some(1))
    if kind != "BAYES":
        markov = "holds a Markov network" if kind == "MARKOV" else "does not begin with 'BAYES'"
        raise FileError(f"it {markov}, but a UAI file must contain a Bayesian network")
    names = _variables(words, draft)
    count = words.whole("the number of tables, one for each variable,", len(names), len(names))
    scopes = [_scope(words, draft, names) for _ in range(count)]
    if _is_pyagrum(text):
        draft.reverse_parents()
    draft.settle()
    tables = {}
    for child in scopes:
        size = prod(draft.shape(child))
        words.whole(f"the size of the table of {child!r}", size, size)
        tables[child] = draft.fill_table(child, words.some(size))
    if more := words.some(1):
        raise FileError(f"there is more after the last table, from {more[0][:20]!r} on")
    several = any(len(parents) > 1 for parents in draft.parents.values())
    return draft.net(tables, notes=(PYAGRUM_NOTE,) if several and _is_pyagrum(text) else ())


def _is_pyagrum(text: str) -> bool:
    """Return whether the file has the layout of pyAgrum, comments included.

    >>> _is_pyagrum("BAYES\\n1\\n2 \\n1\\n1 0   # a\\n\\n2\\n 0.5 0.5\\n")
    True
    >>> _is_pyagrum("BAYES\\n1\\n2 \\n1\\n1 0   # a\\n\\n2 # two cells\\n 0.5 0.5\\n")
    False
    """
    head = PYAGRUM.match(text.replace("\r\n", "\n"))
    return head is not None and int(head[1]) == head[2].count("\n") == text.count("#")


def _variables(words: _Words, draft: Draft) -> list[str]:
    """Read the number of variables and their numbers of levels."""
    count = words.whole("a number of variables", 1, MOST_VARIABLES)
    names = [f"x{number:0{len(str(count - 1))}d}" for number in range(count)]
    for name in names:
        levels = words.whole(f"the number of levels of {name!r}", 1, MOST_LEVELS)
        draft.declare(name, tuple(map(str, range(levels))), words.line)
    return names


def _scope(words: _Words, draft: Draft, names: list[str]) -> str:
    """Read the size of a scope, the numbers of the parents and that of the child."""
    size = words.whole("the size of a scope", 1, len(names))
    *parents, child = (
        names[words.whole("the number of a variable", 0, len(names) - 1)] for _ in range(size)
    )
    draft.define(child, parents, words.line)
    return child
