"""Everything that is shown runs: code blocks of pages, examples in docstrings, scripts."""

import contextlib
import doctest
import importlib
import io
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from arcwise.inference import ENGINES

HERE = Path(__file__).resolve().parents[1]
PACKAGE = HERE / "src" / "arcwise"
PAGES = sorted([*HERE.glob("*.md"), *(HERE / "docs").rglob("*.md")])
SCRIPTS = sorted(p for p in (HERE / "examples").glob("*.py") if "__main__" in p.read_text())
MODULES = sorted(
    ".".join(("arcwise", *p.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for p in PACKAGE.rglob("*.py")
)
MOST_SECONDS = 60.0
"""Of processor time, so that a busy machine is no failure."""

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```[ \t]*\n(?:\s*^```text\n(?P<shown>.*?)^```)?",
    re.MULTILINE | re.DOTALL,
)


def blocks(text: str):
    """Python blocks with their line and, where a text block follows directly, its content."""
    for found in BLOCK.finditer(text):
        yield text.count("\n", 0, found.start("code")) + 1, found["code"], found["shown"]


def test_blocks_are_found_with_what_follows_them():
    first = "a\n```python\nprint(1)\n```\n\n```text\n1\n```\n"
    page = first + "\n```python\nx = 2\n```\nwords\n```text\nno\n```\n"
    assert [(line, shown) for line, _, shown in blocks(page)] == [(3, "1\n"), (11, None)]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder of its own, so that pages and scripts leave nothing behind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("ARCWISE_QUICK", "1")
    engines = dict(ENGINES)
    yield tmp_path
    ENGINES.clear()  # pages may add to the register
    ENGINES.update(engines)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(HERE)))
def test_the_code_of_a_page_runs_from_top_to_bottom(page, elsewhere):
    names: dict = {"__name__": "page"}
    for line, code, shown in blocks(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        # Blank lines put errors on the page's own lines.
        program = compile("\n" * (line - 1) + code, str(page), "exec")
        with contextlib.redirect_stdout(printed):
            exec(program, names)
        if shown is not None:
            assert stripped(printed.getvalue()) == stripped(shown), f"{page.name}, line {line}"
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def stripped(text: str) -> str:
    """Text without blanks at the ends of its lines and of itself."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_the_readme_shows_code():
    assert list(blocks((HERE / "README.md").read_text(encoding="utf-8")))


CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]: (\S+)", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def test_the_shell_lines_of_the_readme_can_be_pasted(elsewhere):
    """A part after the first comment sign is an explanation."""
    blocks_of_shell = re.findall(
        r"^```bash\n(.*?)^```", (HERE / "README.md").read_text(), re.M | re.S
    )
    lines = [line for block in blocks_of_shell for line in block.splitlines()]
    lines = [line for line in lines if line.startswith("arcwise ")]
    assert len(lines) > 3
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for line in lines:
        done = subprocess.run(
            line, shell=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
        )
        assert done.returncode == 0, f"{line}: {done.stderr}"


def test_links_between_pages_lead_to_a_file_and_its_heading():
    offenders = []
    for page in PAGES:
        prose = CODE.sub("", page.read_text(encoding="utf-8"))
        for target in ("".join(each) for each in LINK.findall(prose)):
            name, _, anchor = target.partition("#")
            other = page.parent / name if name else page
            if re.match(r"\w+:", target):
                continue
            if not other.exists() or (anchor and anchor not in anchors(other)):
                offenders.append(f"{page.name} points to {target}")
    assert not offenders


def test_pages_avoid_phrases_that_have_a_plainer_form():
    """And long lines; `scripts/english --list` shows the phrases and what to write instead."""
    check = [sys.executable, str(HERE / "scripts" / "english"), "--check"]
    result = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.strip()) == (0, ""), result.stderr


@pytest.mark.parametrize("room", sorted({"".join(each.split(".")[1:2]) for each in MODULES}))
def test_examples_in_docstrings(room, elsewhere):
    modules = [each for each in MODULES if "".join(each.split(".")[1:2]) == room]
    found = {each: doctest.testmod(importlib.import_module(each)) for each in modules}
    assert not [each for each, result in found.items() if result.failed]


def test_public_functions_show_an_example():
    """All that the facade has."""
    import arcwise

    public = {
        name: getattr(arcwise, name)
        for name in sorted(
            {*arcwise.__all__, *(name for names in arcwise._HOMES.values() for name in names)}
        )
        if not name.endswith("Error")
    }
    assert not [
        name for name, each in public.items() if callable(each) and ">>>" not in each.__doc__
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.name)
def test_examples_run_on_small_data(script, elsewhere):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = [sys.executable, "-W", "error", str(script), str(elsewhere)]
    environment = {**os.environ, "PYTHONWARNINGS": ""}
    done = subprocess.run(
        run,
        capture_output=True,
        text=True,
        cwd=elsewhere,
        env=environment,
        timeout=5 * MOST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip(), "an example says what it found"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert used < MOST_SECONDS
