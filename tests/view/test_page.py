"""The page as text: its policy names its own scripts and styles, and the document in it is inert."""

import hashlib
import json
import re
from base64 import b64encode
from importlib.resources import files

from arcwise.view import page

DOCUMENT = {"title": "</title><script>1</script>", "text": "<!-- </script> & \u2028 'quotes\" 🙂"}


def part(text, tag):
    return re.search(rf"<{tag}>(.*?)</{tag.split()[0]}>", text, re.DOTALL)[1]


def test_the_policy_allows_the_scripts_and_styles_of_the_page_alone():
    text = page(DOCUMENT)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    for tag, word in (('script type="module"', "script-src"), ("style", "style-src")):
        content = part(text, tag)
        assert len(content) > 1000
        expected = b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{word} 'sha256-{expected}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_the_document_is_in_the_page_and_runs_nothing():
    text = page(DOCUMENT)
    inside = part(text, 'script type="application/json" id="document"')
    assert json.loads(inside) == DOCUMENT
    assert not set(inside) & set("<>&\u2028")
    assert len(re.findall(r"<script", text)) == 2
    assert page(DOCUMENT) == text


def test_modules_use_nothing_that_runs_text_or_asks_the_network():
    words = ("eval(", "Function(", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write")
    words += ("fetch(", "import(", "XMLHttpRequest", "http://", "https://")
    modules = list((files("arcwise.view") / "modules").iterdir())
    assert len(modules) > 8
    for module in modules:
        text = module.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not [word for word in words if word in text], module.name
