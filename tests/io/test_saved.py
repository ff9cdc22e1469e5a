"""Files written by earlier versions (tests/io/saved) load, and answer as they did when they were written.

They were written on 85 rows of the Boston data (every sixth) by versions 1 and 2 of the format, and are never
written again: what a person has saved must stay readable. ``answers.json`` holds what each said on that day.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import arcwise as aw
from arcwise.conditionals import GaussianConditional

SAVED = Path(__file__).parent / "saved"
ANSWERS = json.loads((SAVED / "answers.json").read_text())


def nearly(value, atol=1e-9):
    return pytest.approx(value, rel=1e-9, abs=atol, nan_ok=True)


@pytest.mark.parametrize("file", ANSWERS)
def test_saved_networks_say_what_they_said(file):
    net, then = aw.load(SAVED / file), ANSWERS[file]
    assert str(net.graph) == then["graph"]
    assert list(net.variables) == then["order"]
    assert (net.score, net.rows, net.optimal) == (then["score"], then["rows"], then["optimal"])
    assert (str(net.stopped), list(map(str, net.notes))) == (then["stopped"], then["notes"])
    assert [edge.strength for edge in net.edges.present] == nearly(
        [edge["strength"] for edge in then["strengths"]]
    )


def with_known_parameters(net):
    """The network with parameters of linear models taken as known, as they were when files were written."""
    models = tuple(
        replace(model, rows=0.0, spread=np.zeros_like(model.spread))
        if isinstance(model, GaussianConditional)
        else model
        for model in net.net.conditionals
    )
    return replace(net, net=replace(net.net, conditionals=models))


@pytest.mark.parametrize("file", ANSWERS)
def test_saved_networks_answer_as_they_did(file):
    loaded, then = aw.load(SAVED / file), ANSWERS[file]
    net = with_known_parameters(loaded)
    assert loaded.query(then["target"], then["given"], seed=1).sd >= 0.97 * then["sd"]
    belief = net.query(then["target"], then["given"], seed=1)
    # Simulated answers may take other random numbers: four of their own errors and a little are allowed.
    slack = 4 * belief.error + (0.03 * then["sd"] if belief.error else 0.0)
    assert belief.mean == nearly(then["mean"], atol=slack + 1e-9)
    assert belief.sd == nearly(then["sd"], atol=2 * slack + 1e-9)
    rows = aw.table(then["sample"])
    predicted = net.predict(rows, then["target"])
    assert np.asarray(predicted.mean) == nearly(np.array(then["predicted"]))
    assert np.asarray(predicted.sd) == nearly(np.array(then["predicted_sd"]))
    if "logpdf" in then:
        assert net.logpdf(rows) == nearly(np.array(then["logpdf"]))
    else:
        assert net.pseudo_logpdf(rows) == nearly(np.array(then["pseudo_logpdf"]))


@pytest.mark.parametrize("file", ANSWERS)
def test_saved_networks_are_saved_again_without_loss(file, tmp_path):
    net = aw.load(SAVED / file)
    once, twice = tmp_path / file, tmp_path / f"again_{file}"
    net.save(once)
    again = aw.load(once)
    again.save(twice)
    assert once.read_bytes() == twice.read_bytes()
    assert str(again) == str(net)
    target, rows = ANSWERS[file]["target"], aw.table(ANSWERS[file]["sample"])
    before, after = (each.predict(rows, target) for each in (net, again))
    assert np.array_equal(before.mean, after.mean)
    assert np.array_equal(before.sd, after.sd)


def test_saved_graphs():
    assert str(aw.load_graph(SAVED / "graph.json")) == "[a][b][c|a:b]"
    assert aw.load_graph(SAVED / "undirected_graph.json").edges == (("a", "b"), ("b", "c"))
