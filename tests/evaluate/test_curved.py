"""What learning says of curves: in notes, where no model was asked for."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.data import Moments
from arcwise.evaluate import bend_notes


def curved_table(rows=300):
    rng = np.random.default_rng(1)
    x = rng.normal(size=rows)
    return aw.table({"x": x, "y": x + 0.7 * x**2 + 0.5 * rng.normal(size=rows)})


def learned_notes(table, **options):
    """The notes on curves of a linear network."""
    net = aw.learn(table, model="gaussian", certainty=False, **options)
    return bend_notes(net.fits.statistics, net.graph, net.limits)


def said(notes):
    return [str(note) for note in notes if "curve" in str(note) or "nonlinearly" in note]


def test_a_curved_arc_is_reported_with_its_gain():
    rng = np.random.default_rng(2)
    x = rng.normal(size=400)
    table = {"x": x, "y": x + 0.7 * x**2 + 0.5 * rng.normal(size=400)}
    rules = aw.Rules(required=[("x", "y")])
    [note] = said(learned_notes(table, rules=rules))
    assert str(note).startswith("x -> y is curved: +0.6")
    assert note.endswith("; model='parzen' would follow it.")
    assert "nats per row (se 0.0" in note


@pytest.mark.parametrize("search", ["glasso", "boundary"])
def test_undirected_networks_and_paths_tell_each_edge_once(search):
    table = aw.example("boston")
    found = aw.path(table, search=search)
    told = said(found.notes)
    assert any("MEDV -- RM" in note and "for MEDV given" in note for note in told)
    assert len(told) == 3
    assert "more local model" in told[-1]
    assert found.document()["notes"] == [note.to_dict() for note in found.notes]
    assert told[0] in str(found)


def test_boston_by_default():
    told = said(learned_notes(aw.example("boston")))
    assert len(told) == 3
    assert told[0].startswith("NOX -> DIS is curved: +0.5")
    assert "for DIS given AGE, INDUS, MEDV, NOX; model='parzen' would follow it." in told[0]


def test_names_do_not_decide_whether_a_curve_is_reported():
    x, y = curved_table().column("x"), curved_table().column("y")
    [forward], [back] = (said(learned_notes(each)) for each in ({"a": x, "b": y}, {"b": x, "a": y}))
    assert forward.startswith("a -> b is curved: +0.")
    assert back == forward.replace(
        "a -> b", "a -- b"
    )  # learned as a -> b, and curved against the arrow
    pinned = aw.Rules(required=[("a", "b")])
    assert not said(learned_notes({"b": x, "a": y}, rules=pinned))


def test_a_curve_without_a_slope_is_reported_though_it_has_no_edge():
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    table = {"x": x, "y": x**2 + 0.5 * rng.normal(size=300)}
    assert not aw.learn(table, model="gaussian", certainty=False).graph.n_arcs
    [note] = said(learned_notes(table))
    assert str(note).startswith("y depends on x nonlinearly; a linear graph has no such edge: +0.")


def test_nothing_is_said_where_a_model_was_named_or_rows_are_not_there():
    table = curved_table()
    assert said(aw.path(table).notes)
    assert not said(aw.learn(table, model="gaussian").notes)
    assert not said(aw.learn(table, model="parzen").notes)
    assert not said(aw.path(table, model="gaussian").notes)
    assert not said(
        aw.learn(table, graph="undirected", search=aw.Stepwise(nonparanormal=True)).notes
    )
    moments = Moments.of(table)
    assert not said(aw.learn(moments).notes)
    assert not said(aw.learn(curved_table(5)).notes)


def test_gaps_do_not_hinder():
    table = curved_table()
    y = table.column("y").copy()
    y[::7] = np.nan
    assert said(aw.path({"x": table.column("x"), "y": y}, missing="drop").notes)
