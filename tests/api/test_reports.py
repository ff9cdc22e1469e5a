"""Reports: learned and written in one step, of a path, with held-out errors, and in notebooks."""

import json
import re
from html import unescape

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.api.document import document, far_draws
from arcwise.api.predictive import predictive
from arcwise.api.summaries import pair
from arcwise.errors import DataError, FileError


def inside(text):
    """The document that a page contains."""
    found = re.search(
        r'<script type="application/json" id="document">(.*?)</script>', text, re.DOTALL
    )
    return json.loads(found[1])


def test_a_report_is_learned_and_written_in_one_step(tmp_path):
    data = linear(1, rows=80, p=4)
    path = aw.report(data, tmp_path / "four.html", score="bic", certainty=False, seed=3)
    shown = inside(path.read_text(encoding="utf-8"))
    assert shown["title"] == "four"
    assert shown["making"]["seed"] == 3
    assert shown["making"]["settings"]["score"] == "bic"


def test_a_wrong_file_extension_is_an_error_before_learning(tmp_path):
    with pytest.raises(FileError, match="html"):
        aw.report("no such data.csv", tmp_path / "four.pdf")


def test_held_out_errors_are_those_of_a_cross_validation_of_the_graph():
    data = linear(2, rows=120, p=4)
    net = aw.learn(data, certainty=False)
    checked = aw.validate(data, folds=5, graph=net.graph, model="gaussian", seed=0)
    shown = predictive(net)
    assert shown["mean"] == pytest.approx(checked.mean, rel=1e-5)
    errors = {net.net.names[row["variable"]]: row["rmse"] for row in shown["variables"]}
    expected = dict(zip(checked.names, checked.rmse, strict=True))
    assert errors == pytest.approx(expected, rel=1e-3)
    gains = [row["gain"] for row in shown["variables"]]
    assert gains == sorted(gains, reverse=True)
    assert "optimistic" in shown["text"]


def test_a_validation_takes_the_place_of_the_quick_one():
    data = linear(2, rows=120, p=4)
    checked = aw.validate(data, folds=3)
    shown = aw.learn(data, certainty=False).document(validation=checked)["held_out"]
    assert shown["text"].startswith("3-fold cross-validation of 120 rows")
    assert "optimistic" not in shown["text"]


@pytest.mark.parametrize("rows", [2, 30])
def test_few_rows_have_no_held_out_errors(rows):
    assert predictive(aw.learn(linear(2, rows=rows, p=2), certainty=False)) is None


def test_networks_without_data_have_no_held_out_errors():
    assert predictive(aw.example("asia")) is None


@pytest.mark.parametrize("search", ["boundary", "glasso"])
def test_the_report_of_a_path_has_its_graphs(tmp_path, search):
    path = aw.path(linear(3, rows=80, p=5), search=search)
    penalty = path.knots[len(path.knots) // 2].penalty
    shown = inside(path.report(tmp_path / "path.html", penalty).read_text(encoding="utf-8"))
    names = [entry["name"] for entry in shown["variables"]]
    for entry, knot in zip(shown["path"]["knots"], path.knots, strict=True):
        edges = {frozenset(names[i] for i in edge) for edge in entry["edges"]}
        assert edges == {frozenset(edge) for edge in knot.graph.edges}
        assert entry["penalty"] == knot.penalty
    assert shown["path"]["at"] == penalty


def test_notebooks_show_the_page_in_a_frame_that_is_shut_off():
    bundle = aw.learn(linear(1, rows=80, p=4), certainty=False)._repr_mimebundle_()
    assert bundle["text/plain"].startswith("<Network of 4 variables")
    frame = re.fullmatch(
        r'<iframe sandbox="([^"]+)".* srcdoc="([^"]+)"></iframe>', bundle["text/html"]
    )
    assert frame[1] == "allow-scripts allow-downloads"
    assert len(inside(unescape(frame[2]))["variables"]) == 4


def test_notebooks_show_a_summary_of_a_large_network():
    net = aw.fit(
        "".join(f"[x{i}]" for i in range(61)), {f"x{i}": np.arange(9.0) for i in range(61)}
    )
    assert "iframe" not in net._repr_mimebundle_()["text/html"]


def test_bins_of_pairs_have_no_single_rows_and_are_the_same_far_from_zero():
    rng = np.random.default_rng(4)
    x = rng.normal(size=203)
    y = x**2 + rng.normal(size=203)
    near, far = (
        document(aw.fit("x -> y", {"x": x + off, "y": y + off}))["edges"][0]["pair"]
        for off in (0.0, 1e9)
    )
    assert sum(near["rows"]) == 203
    assert min(near["rows"]) >= 5
    assert np.array(far["means"]) - 1e9 == pytest.approx(near["means"], abs=2e-3)
    order = np.argsort(x)
    first = order[: near["rows"][0]]
    assert near["means"][0] == pytest.approx(y[first].mean(), abs=1e-3)
    assert near["sds"][0] == pytest.approx(y[first].std(), abs=1e-3)


def test_levels_with_few_rows_are_in_no_bin():
    town = np.repeat(["a", "b", "c"], [30, 30, 3])
    price = np.arange(63.0)
    pair = document(aw.fit("town -> price", {"town": town, "price": price}))["edges"][0]["pair"]
    assert pair["rows"] == [30, 30]


def test_summaries_count_rows_by_their_weights():
    data = {"x": [0.5, 1.5, 2.5], "n": [1, 2, 5]}
    table = aw.table(data, weights="n")
    shown = document(aw.fit("[x]", table))["variables"][0]["summary"]
    assert shown["rows"] == 8
    assert shown["mean"] == pytest.approx((0.5 + 3.0 + 12.5) / 8)


def test_draws_far_outside_of_the_data_are_doubted():
    rng = np.random.default_rng(6)
    town = np.where(rng.normal(size=200) > 0, "a", "b")
    near = aw.learn({"x": rng.normal(size=200), "town": town}, model="parzen", certainty=False)
    shown = document(near)
    assert shown["answers"]["kind"] == "draws"
    assert not far_draws(shown["answers"], shown["variables"])
    for entry in shown["variables"]:
        if entry["summary"]["quantiles"]:
            entry["summary"]["quantiles"] = [x / 20 for x in entry["summary"]["quantiles"]]
    (doubt,) = far_draws(shown["answers"], shown["variables"])
    assert doubt["text"].startswith("Draws of the model lie far outside of the data: x (")


def test_rows_are_in_a_report_only_if_they_are_asked_for(tmp_path):
    rng = np.random.default_rng(7)
    x = rng.normal(size=60)
    data = {"x": x, "y": x + rng.normal(size=60), "z": np.where(x > 0, "up", "down")}
    net = aw.learn({**data, "y": np.where(np.arange(60) == 3, np.nan, data["y"])})
    assert net.document()["rows"] is None
    found = dict(zip(net.net.names, net.document(rows=True)["rows"], strict=True))
    np.testing.assert_allclose(found["x"], x, rtol=1e-5)
    assert found["y"][3] is None
    assert found["z"] == (x > 0).tolist()
    path = net.report(tmp_path / "rows.html", rows=True)
    assert inside(path.read_text(encoding="utf-8"))["rows"] == net.document(rows=True)["rows"]
    net.save(tmp_path / "net.json")
    with pytest.raises(DataError, match="rows=True needs rows"):
        aw.load(tmp_path / "net.json").document(rows=True)


def test_completed_rows_are_not_in_several_folds():
    rng = np.random.default_rng(6)
    x = rng.normal(size=200)
    data = {"x": np.where(np.arange(200) < 20, np.nan, x), "y": x + rng.normal(size=200)}
    net = aw.learn(data, model="gaussian", certainty=False)
    assert net.document()["held_out"]["text"].startswith(
        "5-fold cross-validation of 180 complete rows."
    )


@pytest.mark.parametrize("rows", [25, 3000])
def test_the_certainty_of_one_edge_is_a_sentence(rows):
    rng = np.random.default_rng(2)
    x = rng.normal(size=rows)
    net = aw.learn({"a": x, "b": x + rng.normal(size=rows)}, model="gaussian")
    certainty = net.edges["a", "b"].certainty
    text = f"Its certainty is {certainty:.2f}; the data leave its direction open."
    assert net.document()["sentences"][2] == text


def test_bins_of_pairs_count_rows_by_their_weights():
    x, y = np.repeat([0.5, 1.5, 2.5], 8), np.tile(np.arange(8.0), 3)
    weights = np.concatenate([1.0 + np.arange(8.0), np.ones(8), [1000.0, *np.ones(7)]])
    table = aw.table({"x": x, "y": y}).with_weights(weights)
    found = pair(table, table.variable("y"), table.variable("x"))
    assert found["at"] == [0.5, 1.5]  # in the last bin a single row has nearly all of the weight
    assert found["means"][0] == pytest.approx(
        np.average(np.arange(8.0), weights=weights[:8]), abs=1e-3
    )
    assert found["means"][1] == pytest.approx(3.5)
