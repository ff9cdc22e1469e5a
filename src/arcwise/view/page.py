"""A document about a network as one page of HTML that needs nothing else.

The page contains the document as JSON, a style sheet, and scripts: small ES modules, put together in the
order of their imports, each inside a function of its own. Its policy allows these by their hashes and nothing
else: no requests, no evaluation of text, no scripts from the document. The same document gives the same page.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from typing import Any

__all__ = ["page"]

MAIN = "main.js"
"""The module that is run."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|const|let|class) (\w+)", re.MULTILINE)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="page"><noscript>This report needs JavaScript, which is switched off.</noscript></main>
<script type="application/json" id="document">{document}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def page(document: Mapping[str, Any]) -> str:
    r"""Write a document as a page.

    Parameters
    ----------
    document : plain values, as `document` of a network gives them; `title` is the page's title.

    >>> text = page({"title": "</title><script>alert(1)</script>"})
    >>> "<script>alert" in text, text.startswith("<!doctype html>")
    (False, True)
    """
    style, script = _text("page.css"), _script()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return _PAGE.format(
        policy=policy,
        title=escape(str(document.get("title", ""))),
        style=style,
        document=_inert(json.dumps(document, ensure_ascii=False, allow_nan=False)),
        script=script,
    )


def _inert(text: str) -> str:
    """JSON that ends no script and begins no tag or comment; it has these characters in texts alone."""
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _hash(text: str) -> str:
    from hashlib import sha256  # here, since importing arcwise need not wait for it

    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _text(name: str) -> str:
    from importlib.resources import files

    return (files("arcwise.view") / "modules" / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return all modules as one script, those that are imported before those that import them."""
    return "\n".join(_wrap(name) for name in dict.fromkeys(_needed_modules(MAIN)))


def _needed_modules(name: str) -> Iterator[str]:
    for other in _IMPORT.findall(_text(name)):
        yield from _needed_modules(other)
    yield name


def _wrap(name: str) -> str:
    """Return a module as a function that returns its exports."""
    text = _IMPORT.sub("", _text(name))
    exports = ", ".join(match[2] for match in _EXPORT.finditer(text))
    body = _EXPORT.sub(r"\1 \2", text)
    return f"const {{ {exports} }} = (() => {{\n{body}return {{ {exports} }};\n}})();"
