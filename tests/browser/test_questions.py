"""What the page works out beyond beliefs: interventions, explanations, paths, plots, what would tell most."""

import re
from itertools import product
from operator import itemgetter

import numpy as np
import pytest

import arcwise as aw

NUMBER = r"(-?[\d.]+(?:e[+-]\d+)?)"
MEAN = re.compile(rf"mean {NUMBER}")
ENDS = re.compile(rf"mean between {NUMBER} and {NUMBER}$")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def boston(folder):
    net = aw.learn(aw.example("boston"), model="gaussian", certainty=False)
    return net, net.report(folder / "boston.html")


@pytest.fixture(scope="module")
def asia(folder):
    rows = aw.example("asia").sample(3000, seed=1)
    net = aw.learn(rows, certainty=False)
    return net, net.report(folder / "asia.html")


@pytest.fixture(scope="module")
def mixed(folder):
    rng = np.random.default_rng(8)
    town = rng.choice(["a", "b", "c"], 600)
    garden = rng.choice(["no", "yes"], 600)
    size = rng.normal(3.0 + (town == "b"), 1.0)
    price = 2.0 * size + 3.0 * (town == "c") + 2.0 * (garden == "yes") + rng.normal(0.0, 1.0, 600)
    data = {"town": town, "garden": garden, "size": size, "price": price}
    models = {"town": "discrete", "garden": "discrete", "size": "clg", "price": "clg"}
    net = aw.learn(data, model=models, certainty=False)
    return net, net.report(folder / "mixed.html")


def select(tab, net, name):
    tab.page.get_by_label("Find a variable").fill(name)
    tab.page.keyboard.press("Enter")
    tab.settle()


def set_by_intervention(tab, net, name, value):
    tab.set(net, name, value)
    tab.settle()
    tab.card(net, name).locator(".choice input").check()
    tab.pause()


def test_interventions_on_numbers_are_those_of_python_with_their_range(visit, boston):
    net, path = boston
    tab = visit(path)
    for name, value in (("NOX", 0.7), ("RAD", 5.0)):
        set_by_intervention(tab, net, name, value)
        for other in ("MEDV", "TAX", "DIS"):
            expected = net.query(other, do={name: value})
            card = tab.card(net, other)
            shown = card.locator(".belief").text_content()
            assert float(MEAN.match(shown)[1]) == pytest.approx(expected.mean, rel=5.01e-4)
            ends = ENDS.search(card.locator(".range").text_content())
            low, high = expected.range.mean
            if ends is None:
                assert f"{low:.4g}" == f"{high:.4g}"
            else:
                assert [float(x) for x in ends.groups()] == pytest.approx([low, high], rel=5.01e-4)
        tab.card(net, name).locator("button.clear").click()
        tab.settle()


def test_interventions_on_levels_are_those_of_python_with_their_range(visit, asia):
    net, path = asia
    tab = visit(path)
    ranges = 0
    for name in ("smoke", "bronc", "lung"):
        level = net.net.variables[net.net.index(name)].levels[1]
        set_by_intervention(tab, net, name, 1)
        for other in set(net.variables) - {name}:
            expected = net.query(other, do={name: level})
            texts = tab.card(net, other).locator("button.level .value").all_text_contents()
            shown = [float(text.removesuffix(" %")) for text in texts]
            probabilities = [100 * x for x in expected.probabilities.values()]
            assert shown == pytest.approx(probabilities, abs=0.0501), (name, other)
            text = tab.card(net, other).locator(".range").text_content()
            if text:
                low, high = next(iter(expected.range.probabilities.values()))
                label = next(iter(expected.range.probabilities))
                found = re.search(rf"{label} ([\d.]+) % to ([\d.]+) %", text)
                ends = [float(x) for x in found.groups()] if found else [shown[0], shown[0]]
                assert ends == pytest.approx([100 * low, 100 * high], abs=0.0501), (name, other)
                ranges += found is not None
        tab.card(net, name).locator("button.clear").click()
        tab.settle()
    assert ranges > 0


def test_interventions_in_mixed_tables_are_those_of_python(visit, mixed):
    net, path = mixed
    tab = visit(path)
    for name, value, code in (("town", "c", 2), ("size", 5.0, 5.0), ("price", 9.0, 9.0)):
        set_by_intervention(tab, net, name, code)
        for other in {"size", "price"} - {name}:
            shown = tab.card(net, other).locator(".belief").text_content()
            expected = net.query(other, do={name: value})
            assert float(MEAN.match(shown)[1]) == pytest.approx(expected.mean, rel=2e-3), name
        tab.card(net, name).locator("button.clear").click()
        tab.settle()


def densest(net, evidence):
    """The values of highest density: all levels tried, with the means of the numbers given them."""
    levels = {v.name: v.levels for v in net.net.variables}
    names = [name for name, each in levels.items() if each]
    tries = []
    for chosen in product(*(levels[name] for name in names)):
        known = {**dict(zip(names, chosen, strict=True)), **evidence}
        means = {name: answer.mean for name, answer in net.marginals(known).items()}
        row = {name: [value] for name, value in {**known, **means}.items()}
        tries.append((float(net.logpdf(row)[0]), {**known, **means}))
    return max(tries, key=itemgetter(0))[1]


@pytest.mark.parametrize("name", ["boston", "asia", "mixed"])
def test_the_most_probable_values_are_those_of_python(visit, request, name):
    net, path = request.getfixturevalue(name)
    tab = visit(path)
    known = {"boston": {"RM": 8.0}, "asia": {"dysp": 1}, "mixed": {"price": 12.0}}[name]
    for node, value in known.items():
        tab.set(net, node, value)
    tab.page.get_by_text("Most probable values").click()
    tab.pause()
    levels = {v.name: v.levels for v in net.net.variables}
    evidence = {n: levels[n][v] if levels[n] else v for n, v in known.items()}
    values = net.explain(evidence).levels if name != "mixed" else densest(net, evidence)
    shown = dict(
        zip(
            tab.page.locator(".values dt").all_inner_texts(),
            tab.page.locator(".values dd").all_inner_texts(),
            strict=True,
        )
    )
    for node, value in values.items():
        if levels[node]:
            assert shown[node] == str(value), node
        else:
            assert float(shown[node]) == pytest.approx(value, rel=6e-4), node
    if name == "asia":
        expected = net.explain(evidence)
        note = tab.page.locator(".panel .note").first.inner_text()
        assert f"{expected.probability:.4g}" in note


def telling(tab):
    """What would tell most about the selected variable, with its share in percent."""
    rows = tab.page.locator(".telling button").all()
    texts = [row.locator(".value").inner_text().removesuffix(" %") for row in rows]
    names = [row.locator("bdi").inner_text() for row in rows]
    return dict(zip(names, map(float, texts), strict=True))


def test_numbers_tell_of_numbers_what_their_partial_correlation_says(visit, boston):
    net, path = boston
    tab = visit(path)
    tab.set(net, "RAD", 24)
    select(tab, net, "MEDV")
    tab.pause()
    names = [name for name in net.variables if name != "RAD"]
    at = [list(net.covariance.names).index(name) for name in names]
    rad = list(net.covariance.names).index("RAD")
    whole = np.asarray(net.covariance)
    left = whole[np.ix_(at, at)] - np.outer(whole[at, rad], whole[rad, at]) / whole[rad, rad]
    k = names.index("MEDV")
    shares = left[:, k] ** 2 / (np.diag(left) * left[k, k])
    expected = {
        name: 100 * share for name, share in zip(names, shares, strict=True) if name != "MEDV"
    }
    shown = telling(tab)
    assert [*shown] == sorted(expected, key=expected.__getitem__, reverse=True)[:6]
    assert [*shown.values()] == pytest.approx([expected[name] for name in shown], abs=0.06)


def test_levels_tell_of_levels_their_mutual_information(visit, asia):
    net, path = asia
    tab = visit(path)
    select(tab, net, "lung")
    tab.pause()
    belief = np.array(list(net.query("lung").probabilities.values()))
    entropy = -(belief * np.log(belief)).sum()
    for name, share in telling(tab).items():
        joint = 0.0
        for level, p in net.query(name).probabilities.items():
            given = np.array(list(net.query("lung", {name: level}).probabilities.values()))
            logs = np.where(given > 0, np.log(np.where(given > 0, given, 1.0) / belief), 0.0)
            joint += p * (given * logs).sum()
        assert share == pytest.approx(100 * joint / entropy, abs=0.06), name


def test_levels_and_numbers_tell_of_each_other(visit, mixed):
    """Against the variance of expected values over many draws."""
    net, path = mixed
    tab = visit(path)
    select(tab, net, "price")
    tab.pause()
    shown = telling(tab)
    rows = net.sample(4000, seed=2)
    town = np.asarray(rows.column("town"))
    means = [net.query("price", {"town": level}).mean for level in ("a", "b", "c")]
    shares = np.bincount(town, minlength=3) / len(town)
    between = np.average((means - np.average(means, weights=shares)) ** 2, weights=shares)
    variance = net.query("price").sd ** 2
    assert shown["town"] == pytest.approx(100 * between / variance, abs=1.5)
    sizes = np.quantile(rows.column("size"), (np.arange(40) + 0.5) / 40)
    means = np.array([net.query("price", {"size": float(x)}).mean for x in sizes])
    assert shown["size"] == pytest.approx(100 * means.var() / variance, abs=2.5)


def test_paths_are_open_where_python_finds_variables_dependent(visit, asia):
    net, path = asia
    tab = visit(path)
    for given in ([], ["either", "dysp"]):
        for name in given:
            tab.set(net, name, 0)
        for start in ("asia", "bronc"):
            select(tab, net, start)
            for end in set(net.variables) - {start, *given}:
                tab.page.locator(".panel select").select_option(label=end)
                tab.settle()
                shown = tab.page.locator(".panel .path").inner_text()
                assert ("separated" in shown) == net.separated(start, end, given), (start, end)
                steps = tab.page.locator(".graph .line.step").count()
                assert steps == len(re.findall("[→←]", shown))
        for name in given:
            tab.card(net, name).locator("button.clear").click()
        tab.settle()


@pytest.mark.parametrize("name", ["boston", "asia", "mixed"])
def test_plots_show_model_and_data(visit, request, name):
    net, path = request.getfixturevalue(name)
    tab = visit(path)
    for node in net.variables[:4]:
        select(tab, net, node)
        tab.pause()
        count = min(6, len(net.neighbours(node)))
        assert tab.page.locator(".plot").count() == count
    marks = tab.page.locator(".plot").evaluate_all(
        "plots => plots.map(plot => plot.querySelectorAll('.model').length)"
    )
    assert all(marks)
    assert "NaN" not in tab.page.locator(".beside").inner_html()


def test_rows_are_points_and_the_page_states_them(visit, boston, folder):
    net, without = boston
    for path, shown in ((without, 0), (net.report(folder / "rows.html", rows=True), 1)):
        tab = visit(path)
        select(tab, net, "MEDV")
        tab.pause()
        points = tab.page.locator(".plot path.rows")
        assert bool(points.count()) == bool(shown)
        assert not shown or points.first.get_attribute("d").count("M") == 506
        states = "This file contains rows" if shown else "This file contains no row"
        assert states in tab.page.locator("main").text_content()


def test_draws_tell_what_they_share_and_nothing_about_noise(visit, folder):
    rng = np.random.default_rng(5)
    size, noise = rng.normal(size=(2, 800))
    price = size + rng.normal(size=800)
    town = np.where(size + rng.normal(size=800) > 0, "a", "b")
    data = {"size": size, "price": price, "town": town, "noise": noise}
    net = aw.learn(data, rules=aw.Rules(required="size -> town"), certainty=False)
    tab = visit(net.report(folder / "draws.html"))
    assert net.document()["answers"]["kind"] == "draws"
    select(tab, net, "price")
    tab.pause()
    shown = telling(tab)
    rows = net.sample(20_000, seed=3)
    r = np.corrcoef(rows.column("price"), rows.column("size"))[0, 1]
    assert shown["size"] == pytest.approx(100 * r**2, abs=4)
    assert shown.get("noise", 0.0) < 1
    assert 5 < shown["town"] < shown["size"]
    assert tab.page.locator(".panel .choice input").first.is_hidden()
