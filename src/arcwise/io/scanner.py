"""Scanners of the formats: a place in a text of blocks, and XML as a stream of elements.

BIF and Hugin files are made of words, quoted texts and a few marks; commas count as blanks. Comments are
blanked out before anything is read. All patterns are possessive and fail at the first fault, so
that time grows with the length of the text and not with its square, whatever the text is.

Of an XML file nothing is kept but what its reader keeps. Entities may not be declared: a few of them can
represent gigabytes of text, or for files of the machine. Element and attribute declarations, which XMLBIF
files carry, are skipped; nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from itertools import islice
from operator import itemgetter
from xml.parsers import expat

from arcwise.errors import FileError

QUOTED = r'"(?:\\.|[^"\\])*+"'
MOST_NAMES = 10**6
UNTIL = {mark: re.compile(rf'(?:[^"{mark}]++|{QUOTED})*+{mark}', re.DOTALL) for mark in "{};"}
STATEMENT = re.compile(rf'[;\s]*+((?:[^";]++|{QUOTED})*+(?:;|\Z))', re.DOTALL)
WHOLE: itemgetter[int] = itemgetter(0)
SHOWN = 400
"""Longer messages are cut: a name in a damaged file may be of any length."""
DEEPEST = 100
"""No format nests so deep; each level costs memory."""
FORBIDDEN = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def error_at(line: int, what: str) -> FileError:
    """Make the error for a line of a file.

    >>> error_at(3, "expected '{'")
    FileError("line 3: expected '{'")
    """
    return FileError(f"line {line}: {what if len(what) <= SHOWN else what[:SHOWN] + ' ...'}")


class Lines:
    """The numbers of lines at positions of a text, quick if they are requested from front to back.

    >>> lines = Lines("a\\nb\\nc")
    >>> lines.at(2), lines.at(4), lines.at(0)
    (2, 3, 1)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._position, self._line = 0, 1

    def at(self, position: int) -> int:
        """Return the number of the line at a position."""
        if position < self._position:
            self._position, self._line = 0, 1
        self._line += self.text.count("\n", self._position, position)
        self._position = position
        return self._line


class Scanner:
    """A place in a text.

    Parameters
    ----------
    content : the bytes of the file: UTF-8, or Latin-1 as old files are.
    marks : the signs that represent themselves, as the inside of a character class.
    plain : pattern of what is neither quoted nor a comment.
    comment : pattern of a comment.

    >>> scanner = Scanner(b"node a { % one\\n states", r"{}", '[^"%]++', "%[^\\n]*+")
    >>> [scanner.take() for _ in range(5)], scanner.line
    (['node', 'a', '{', 'states', ''], 2)
    """

    def __init__(self, content: bytes, marks: str, plain: str, comment: str) -> None:
        self.text = _blank_comments(decode(content), plain, comment)
        self.lines = Lines(self.text)
        self.position = 0
        self._token = re.compile(rf'{QUOTED}|[{marks}]|[^\s,"{marks}]++', re.DOTALL)
        self._marks = re.compile(rf"[{marks}]?")

    @property
    def line(self) -> int:
        """The number of the line reached."""
        return self.lines.at(self.position)

    def line_after(self, position: int) -> int:
        """Return the number of the line of the first word from a position on."""
        match = self._token.search(self.text, position)
        return self.lines.at(position if match is None else match.start())

    def wrong(self, what: str) -> FileError:
        """Return the error for this place in the text."""
        return error_at(self.line, what)

    def take(self) -> str:
        """Return the next mark, word or quoted text with its quotes; an empty text at the end."""
        match = self._token.search(self.text, self.position)
        self.position = len(self.text) if match is None else match.end()
        return "" if match is None else match[0]

    def expect(self, mark: str) -> None:
        """Take the next mark or word, which must be this one."""
        got = self.take()
        if got != mark:
            raise self.wrong(f"expected {mark!r}, found {got or 'the end of the file'!r}")

    def name(self) -> str:
        """Return the next word or quoted text, without its quotes."""
        word = self.take()
        if self._marks.fullmatch(word):
            raise self.wrong(f"expected a name, found {word or 'the end of the file'!r}")
        return unquote(word)

    def names(self, closing: str) -> tuple[list[str], str]:
        """Return the names up to one of some closing marks, and that mark."""
        names: list[str] = []
        while (word := self.take()) == "" or word not in closing:
            if self._marks.fullmatch(word):
                expected = " or ".join(map(repr, closing))
                raise self.wrong(f"expected {expected}, found {word or 'the end of the file'!r}")
            names.append(unquote(word))
            if len(names) > MOST_NAMES:
                raise self.wrong(f"there are more than {MOST_NAMES} names in one list")
        return names, word

    def until(self, closing: str) -> tuple[int, int]:
        """Skip everything up to a closing mark outside quotes; give where it began and ended."""
        start = self.position
        match = UNTIL[closing].match(self.text, start)
        if match is None:
            raise self.wrong(f"there is no {closing!r} to close this")
        self.position = match.end()
        return start, match.end() - 1

    def statements(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Return the parts of a stretch of text that semicolons close; the last one may be open."""
        for match in STATEMENT.finditer(self.text, start, end):
            yield match.span(1)

    def words(self, start: int, end: int, most: int) -> list[str]:
        """Return the first marks, words and quoted texts of a stretch of text, at most this many."""
        return list(islice(map(WHOLE, self._token.finditer(self.text, start, end)), most))


def decode(content: bytes) -> str:
    """Return the text of a file in UTF-8, or in Latin-1 as old files are."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if "\0" in text:
        raise FileError("it must be text")
    return text


def _blank_comments(text: str, plain: str, comment: str) -> str:
    """Return the text without its comments, on as many lines; quotes and comments must be closed."""
    pattern = re.compile(
        rf"(?P<plain>(?:{plain}|{QUOTED})++)|(?:(?:{comment})\s*+)++|(?P<open>.)", re.DOTALL
    )
    pieces = []
    for match in pattern.finditer(text):
        if match["open"]:
            what = "a quotation mark" if match[0] == '"' else "a comment"
            raise error_at(Lines(text).at(match.start()), f"{what} is not closed")
        pieces.append(match["plain"] or "\n" * match[0].count("\n") or " ")
    return pieces[0] if len(pieces) == 1 else "".join(pieces)


def unquote(word: str) -> str:
    r"""Take quotes and escapes from a quoted text; other words stay as they are.

    >>> unquote(r'"a \"bit\""'), unquote("dry")
    ('a "bit"', 'dry')
    """
    if word[:1] != '"':
        return word
    return re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.DOTALL) if "\\" in word else word[1:-1]


def quote(text: str, name: str) -> str:
    r"""Put a text between quotes.

    Parameters
    ----------
    text : what to write.
    name : the variable that it belongs to, for the error where no file of text can hold it.

    >>> quote('a "bit"', "x")
    '"a \\"bit\\""'
    """
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise FileError(f"variable {name!r} has the text {text!a}, which is not valid in a file")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# -- XML -----------------------------------------------------------------------------------------


def walk(
    content: bytes,
    opened: Callable[[str, Mapping[str, str], int], None],
    closed: Callable[[str, str, int], None],
) -> None:
    """Go through an XML file.

    Parameters
    ----------
    content : the bytes of the file.
    opened : called with the tag, the attributes and the line where an element begins.
    closed : called with the tag, the text since the last tag, and the line where it ends.

    Raises
    ------
    FileError : not well-formed, entities declared, elements nested too deep.

    >>> walk(b"<a><b>text</b></a>", lambda *start: None, lambda *end: print(*end))
    b text 1
    a  1
    """
    parser = expat.ParserCreate()
    text: list[str] = []
    depth = 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise error_at(
                parser.CurrentLineNumber, f"elements must be nested at most {DEEPEST} deep"
            )
        text.clear()
        opened(tag, attributes, parser.CurrentLineNumber)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        closed(tag, "".join(text), parser.CurrentLineNumber)
        text.clear()

    def refuse(*_: object) -> None:
        raise error_at(parser.CurrentLineNumber, "it must not declare an XML entity")

    parser.buffer_text, parser.buffer_size = True, 1 << 16
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text.append, refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise error_at(error.lineno, f"it is not well-formed XML ({message})") from None
    except (ValueError, LookupError):
        raise FileError("its encoding is unknown") from None


def content_of(text: str, name: str) -> str:
    """Write text between two tags.

    Parameters
    ----------
    text : what to write.
    name : the variable that it belongs to, for the error where XML cannot hold it.

    >>> content_of("a < b", "x")
    'a &lt; b'
    """
    if FORBIDDEN.search(text):
        raise FileError(f"variable {name!r} has the text {text!a}, which XML cannot hold")
    return escape(text, quote=False).replace("\r", "&#13;")
