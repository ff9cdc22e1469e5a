"""Reports in a real browser, from disk, without a network: what they show is what Python answers."""

import os
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import arcwise as aw
from arcwise.api.document import document
from arcwise.view import page

NUMBER = r"(-?[\d.]+(?:e[+-]\d+)?)"
BELIEF = re.compile(
    rf"mean {NUMBER}(?: \(standard error {NUMBER}\))?, sd {NUMBER}; 95 % between {NUMBER} and {NUMBER}"
)
HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "'; alert(3); '",
    "🙂 ${alert(4)} `",
    "שלום מחיר",
    "<!-- &lt; ]]>",
    "abc \u202e txet",
    "x" * 10_000,
)


@pytest.fixture(scope="module")
def boston():
    return aw.learn(aw.example("boston"), model="gaussian", certainty=False)


@pytest.fixture(scope="module")
def alarm():
    return aw.example("alarm")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def boston_file(boston, folder):
    return boston.report(folder / "boston.html")


@pytest.fixture(scope="module")
def alarm_file(alarm, folder):
    return alarm.report(folder / "alarm.html")


def shares(tab, net, name):
    texts = tab.card(net, name).locator("button.level .value").all_text_contents()
    return np.array([float(text.removesuffix(" %")) for text in texts])


def belief(tab, net, name):
    """Mean, standard error, sd and interval as a card shows them."""
    found = BELIEF.fullmatch(tab.card(net, name).locator(".belief").text_content())
    return [float(text or 0) for text in found.groups()]


def test_beliefs_of_tables_are_those_of_python_to_the_digits_shown(visit, alarm, alarm_file):
    tab, rng = visit(alarm_file), np.random.default_rng(3)
    row = {name: int(column[0]) for name, column in sampled(alarm, rng)}
    for count in (0, 2, 6):
        known = {name: row[name] for name in rng.choice(list(row), count, replace=False)}
        levels = {v.name: v.levels for v in alarm.net.variables}
        exact = alarm.marginals({name: levels[name][code] for name, code in known.items()})
        for name, code in known.items():
            tab.set(alarm, name, code)
        tab.settle()
        for name, answer in exact.items():
            expected = 100 * np.array(list(answer.probabilities.values()))
            assert shares(tab, alarm, name) == pytest.approx(expected, abs=0.0501), name
        for name in known:
            tab.card(alarm, name).locator("button.clear").click()
        tab.settle()


def sampled(net, rng):
    table = net.sample(1, seed=int(rng.integers(1000)))
    return [(name, table.column(name)) for name in net.variables]


def test_beliefs_of_regressions_are_those_of_python_to_the_digits_shown(visit, boston, boston_file):
    tab, rng = visit(boston_file), np.random.default_rng(5)
    values = dict(sampled(boston, rng))
    for count in (0, 1, 5):
        known = {n: float(values[n][0]) for n in rng.choice(list(values), count, replace=False)}
        for name, value in known.items():
            tab.set(boston, name, value)
        tab.settle()
        for name, answer in boston.marginals(known).items():
            mean, _, sd, low, high = belief(tab, boston, name)
            expected = [answer.mean, answer.sd, *answer.interval(0.95)]
            assert [mean, sd, low, high] == pytest.approx(expected, rel=5.01e-4), name
        for name in known:
            tab.card(boston, name).locator("button.clear").click()
        tab.settle()


def mixed_net(required, rows=600):
    rng = np.random.default_rng(8)
    town = rng.choice(["a", "b", "c"], rows)
    size = rng.normal(3.0 + (town == "b"), 1.0)
    price = 2.0 * size + 3.0 * (town == "c") + rng.normal(0.0, 1.0, rows)
    data = {"town": town, "size": size, "price": price}
    return aw.learn(data, certainty=False, rules=aw.Rules(required=required))


@pytest.mark.parametrize(
    ("kind", "required"), [("mixture", "town -> size"), ("draws", "size -> town")]
)
def test_beliefs_of_mixed_tables_are_those_of_python_within_three_errors(
    visit, folder, kind, required
):
    net = mixed_net(required)
    assert net.document()["answers"]["kind"] == kind
    tab = visit(net.report(folder / f"{kind}.html"))
    for known in ({}, {"town": "c"}, {"size": 4.0}, {"price": 7.0, "town": "a"}):
        for name, value in known.items():
            levels = net.net.variables[net.net.index(name)].levels
            tab.set(net, name, levels.index(value) if levels else value)
        tab.settle()
        for name, answer in net.marginals(known, seed=1).items():
            if net.net.variables[net.net.index(name)].levels is None:
                mean, error, sd, *_ = belief(tab, net, name)
                assert abs(mean - answer.mean) <= 3 * np.hypot(error, answer.error) + 6e-4 * abs(
                    mean
                )
                assert sd == pytest.approx(answer.sd, rel=0.15)
            else:
                expected = 100 * np.array(list(answer.probabilities.values()))
                allowed = 2.0 if kind == "mixture" else 8.0
                assert shares(tab, net, name) == pytest.approx(expected, abs=allowed)
        for name in known:
            tab.card(net, name).locator("button.clear").click()
        tab.settle()


def test_evidence_is_set_by_mouse_and_keyboard_in_the_graph(visit, boston, boston_file):
    tab = visit(boston_file)
    before = tab.node(boston, "MEDV").get_attribute("aria-label")
    curve = tab.node(boston, "LSTAT").locator(".drag")
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    tab.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 10)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 10, steps=3)
    tab.page.mouse.up()
    tab.pause()
    low = tab.node(boston, "MEDV").get_attribute("aria-label")
    assert low != before
    assert tab.page.locator(".chip").count() == 1
    tab.node(boston, "LSTAT").focus()
    for _ in range(30):
        tab.page.keyboard.press("ArrowLeft")
    tab.pause()
    shown = float(tab.page.locator(".chip").inner_text().split("=")[1].split()[0])
    after = tab.node(boston, "MEDV").get_attribute("aria-label")
    expected = boston.query("MEDV", {"LSTAT": shown})
    assert after == f"MEDV: {expected.mean:.4g} ± {expected.sd:.4g}"
    tab.page.keyboard.press("Delete")
    tab.pause()
    assert tab.node(boston, "MEDV").get_attribute("aria-label") == before


def test_levels_are_clicked_in_the_graph_and_impossible_evidence_is_reported(visit, folder):
    numbers = {
        "rain": {"no": 0.8, "yes": 0.2},
        "grass": {"no": {"dry": 1.0, "wet": 0.0}, "yes": {"dry": 0.1, "wet": 0.9}},
    }
    net = aw.network("rain -> grass", numbers)
    tab = visit(net.report(folder / "rain.html"))
    tab.node(net, "grass").locator(".level").nth(1).click()
    tab.settle()
    assert shares(tab, net, "rain").tolist() == [0.0, 100.0]
    tab.node(net, "rain").locator(".level").nth(0).click()
    tab.settle()
    assert "impossible" in tab.page.locator(".status").inner_text()
    tab.page.get_by_role("button", name="Clear all").click()
    tab.settle()
    assert shares(tab, net, "rain").tolist() == [80.0, 20.0]


def test_a_node_shows_its_blanket_and_local_model(visit, boston, boston_file):
    tab = visit(boston_file)
    tab.page.get_by_label("Find a variable").fill("medv")
    tab.page.keyboard.press("Enter")
    tab.settle()
    panel = tab.page.locator(".panel")
    assert panel.locator("h3").inner_text() == "MEDV"
    assert boston.local("MEDV") in panel.locator("pre").text_content()
    clear = {
        name
        for name in boston.variables
        if "faint" not in tab.node(boston, name).get_attribute("class").split()
    }
    assert clear == {"MEDV", *boston.blanket("MEDV")}


def test_the_graph_shows_what_a_variable_depends_on_given_the_evidence(visit, alarm, alarm_file):
    tab = visit(alarm_file)
    tab.node(alarm, "HISTORY").locator(".title").click()
    tab.page.get_by_label("Show in the graph what it depends on").check()
    given = []
    for more in ([], ["BP"], ["LVFAILURE"], ["SHUNT", "PAP"]):
        for name in more:
            tab.set(alarm, name, 0)
        given += more
        tab.settle()
        shown = {
            name
            for name in alarm.variables
            if "faint" in tab.node(alarm, name).get_attribute("class").split()
        }
        others = set(alarm.variables) - {"HISTORY", *given}
        assert shown == {name for name in others if alarm.separated("HISTORY", name, given)}


def test_a_slider_hides_uncertain_or_weak_edges(visit, alarm, alarm_file, folder):
    certain = aw.learn(aw.example("boston"), model="gaussian")
    files = {0.95: certain.report(folder / "certain.html"), 10: alarm_file}
    for value, path in files.items():
        tab = visit(path)
        tab.page.locator(".filter input").fill(str(value))
        tab.settle()
        left = tab.page.locator(".graph .line:not(.away)").count()
        sure = [row for row in certain.edges.present if row.certainty >= value]
        assert left == (len(sure) if value < 1 else value)
        assert f"{left} of " in tab.page.locator(".filter output").inner_text()


def test_a_slider_redraws_the_graphs_of_a_path(visit, folder):
    path = aw.path(aw.example("boston"), search="boundary")
    tab = visit(path.report(folder / "path.html", 0.05))
    for position in (2, len(path.knots) // 2, len(path.knots) - 2):
        tab.page.locator(".filter input").fill(str(position))
        tab.settle()
        expected = path.path.knots[position].graph
        drawn = tab.page.locator(".graph .line:not(.away)").count()
        more = tab.page.locator(".graph .more").count()
        assert drawn + more == len(expected.edges)
        assert more or position > 2


def test_a_notebook_shows_a_page_that_answers(browser, boston):
    page = browser.new_page()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.set_content(f"<p>a notebook</p>{boston._repr_mimebundle_()['text/html']}")
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready=yes]").wait_for(timeout=10_000)
    card = frame.locator(f".cards .card[data-variable='{boston.net.index('LSTAT')}']")
    card.locator("input[type=number]").fill("5")
    card.locator("input[type=number]").press("Enter")
    frame.locator(".chip").wait_for()
    page.wait_for_timeout(250)
    shown = frame.locator(".graph .node").nth(boston.net.index("MEDV")).get_attribute("aria-label")
    answer = boston.query("MEDV", {"LSTAT": 5.0})
    assert shown == f"MEDV: {answer.mean:.4g} ± {answer.sd:.4g}"
    page.close()
    assert not [url for url in requests if not url.startswith("about:")]


def test_edges_are_sorted_filtered_and_saved(visit, boston, boston_file, tmp_path):
    tab = visit(boston_file)
    table = tab.page.locator("[aria-label=Edges] table")
    rows = list(boston.edges.present.sorted())
    shown = table.locator("tbody tr")
    assert shown.count() == len(rows)
    assert {*shown.nth(0).locator("bdi").all_inner_texts()} == {rows[0].first, rows[0].second}
    table.get_by_role("button", name="from").click()
    froms = [row.split("\t")[0].strip() for row in shown.all_inner_texts()]
    assert froms == sorted(froms)
    tab.page.get_by_label("Filter edges by name").fill("medv")
    assert shown.count() == len(boston.neighbours("MEDV"))
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="CSV").click()
    waiting.value.save_as(tmp_path / "edges.csv")
    saved = aw.read(tmp_path / "edges.csv")
    assert saved.rows == len(boston.neighbours("MEDV"))


def test_hostile_names_run_nothing_and_request_nothing(visit, folder):
    rng = np.random.default_rng(2)
    data = {name: rng.normal(size=60).cumsum() for name in HOSTILE}
    levels = ["<script>alert(5)</script>", "'\"&", "y" * 10_000]
    data["</style><b>level"] = rng.choice(levels, 60)
    net = aw.learn(data, certainty=False)
    path = folder / "hostile.html"
    path.write_text(page(document(net, "</title><script>alert(6)</script>")), encoding="utf-8")
    tab = visit(path)
    for name in data:
        tab.node(net, name).focus()
        tab.page.keyboard.press("ArrowDown")
        tab.page.keyboard.press("Enter")
        tab.settle()
    assert tab.page.title() == "</title><script>alert(6)</script>"
    assert tab.page.locator("img, main script, main style, iframe, object").count() == 0
    assert {*tab.page.locator(".cards h3").all_text_contents()} >= {*HOSTILE[:-1]}
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert tab.page.evaluate("document.documentElement.scrollHeight") < 12_000


@pytest.mark.filterwarnings("ignore")  # of other packages
def test_an_exported_notebook_still_answers(visit, boston, folder):
    export = pytest.importorskip("nbconvert").HTMLExporter()
    notebook = pytest.importorskip("nbformat").v4
    output = notebook.new_output("display_data", boston._repr_mimebundle_())
    cell = notebook.new_code_cell("net", outputs=[output])
    text, _ = export.from_notebook_node(notebook.new_notebook(cells=[cell]))
    frame = re.search(r"<iframe.*?</iframe>", text, re.DOTALL)[0]
    path = folder / "exported.html"
    path.write_text(f"<html data-ready=yes><body>{frame}</body></html>", encoding="utf-8")
    tab = visit(path)
    inner = tab.page.frame_locator("iframe")
    inner.locator("html[data-ready=yes]").wait_for(timeout=10_000)
    inner.locator(".graph .node .title").nth(boston.net.index("MEDV")).click()
    assert inner.locator(".panel h3").inner_text() == "MEDV"
    tab.requests[:] = [url for url in tab.requests if not url.startswith("about:")]


AXE = "ARCWISE_AXE"  # the path of axe.min.js


@pytest.fixture(scope="module")
def axe():
    """The script that finds what keeps people from using a page (axe-core)."""
    if AXE in os.environ:
        return Path(os.environ[AXE]).read_text(encoding="utf-8")
    place = find_spec("axe_playwright_python")
    if place is None or place.origin is None:
        pytest.skip(f"no axe-core: pip install axe-playwright-python, or set {AXE} to axe.min.js")
    return (Path(place.origin).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["boston", "alarm"])
def test_pages_can_be_used_by_everyone(visit, axe, request, name, scheme):
    path = request.getfixturevalue(f"{name}_file")
    tab = visit(path, color_scheme=scheme, bypass_csp=True)
    tab.page.locator(".graph .node .title").first.click()
    tab.pause()
    tab.page.evaluate(axe)
    faults = tab.page.evaluate("axe.run()")["violations"]
    assert not [fault["id"] for fault in faults if fault["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_the_page_without_scrolling_sideways(visit, alarm_file, scheme):
    tab = visit(alarm_file, viewport={"width": 400, "height": 800}, color_scheme=scheme)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 400
    tab.page.emulate_media(media="print")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 400
