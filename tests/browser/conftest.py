"""A real browser, headless and offline: Debian's chromium, driven by playwright."""

import shutil

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    """One browser for all tests of a file."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no browser: apt-get install chromium")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="no playwright: scripts/install dev"
    )
    with playwright.sync_playwright() as run:
        made = run.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield made
        made.close()


class Tab:
    """A page of the browser without a network, with what it asked for and what went wrong in it."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(offline=True, accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.requests, self.errors = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._on_console)
        self.page.on("dialog", lambda dialog: self.errors.append(dialog.message))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", timeout=10_000)
        self.requests.remove(path.as_uri())

    def _on_console(self, message):
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def settle(self):
        """Wait for the next frame, and bring cards that are out of sight up to date, too."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        self.page.evaluate("dispatchEvent(new Event('beforeprint'))")

    def pause(self):
        """Wait until what takes longer than a frame is shown, too."""
        self.settle()
        self.page.wait_for_timeout(250)

    def card(self, net, name):
        """The card of a variable among all cards."""
        return self.page.locator(f".cards .card[data-variable='{net.net.index(name)}']")

    def node(self, net, name):
        """The box of a variable in the graph."""
        return self.page.locator(".graph .node").nth(net.net.index(name))

    def set(self, net, name, value):
        """Set evidence on a card: a level by its button, a number by its field."""
        card = self.card(net, name)
        if net.net.variables[net.net.index(name)].levels is not None:
            card.locator("button.level").nth(value).click()
        else:
            card.locator("input[type=number]").fill(repr(float(value)))
            card.locator("input[type=number]").press("Enter")


@pytest.fixture
def visit(browser):
    """Open pages; afterwards nothing went wrong in them and nothing was requested."""
    tabs = []

    def opened(path, **options):
        tabs.append(Tab(browser, path, **options))
        return tabs[-1]

    yield opened
    for tab in tabs:
        tab.context.close()
        assert (tab.errors, tab.requests) == ([], [])
