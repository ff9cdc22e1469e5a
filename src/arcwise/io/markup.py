"""XML as a stream of elements, for the formats that are written in it.

Nothing is kept but what a reader keeps. Entities may not be declared: a few of them can stand for
gigabytes of text, or for files of the machine. Element and attribute declarations, which XMLBIF
files carry, are passed over; nothing is ever fetched.
"""

import re
from collections.abc import Callable, Mapping
from xml.parsers import expat
from xml.sax.saxutils import escape

from arcwise.errors import FileError
from arcwise.io.draft import at

DEEPEST = 100
"""No format nests so deep; each level costs memory."""
FORBIDDEN = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
            raise at(parser.CurrentLineNumber, f"elements are nested more than {DEEPEST} deep")
        text.clear()
        opened(tag, attributes, parser.CurrentLineNumber)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        closed(tag, "".join(text), parser.CurrentLineNumber)
        text.clear()

    def refuse(*_: object) -> None:
        raise at(parser.CurrentLineNumber, "it declares an XML entity, which is not allowed")

    parser.buffer_text, parser.buffer_size = True, 1 << 16
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text.append, refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code)
        raise at(error.lineno, f"it is not well-formed XML ({said})") from None
    except (ValueError, LookupError):
        raise FileError("it names an encoding that is not known") from None


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
    return escape(text, {"\r": "&#13;"})
