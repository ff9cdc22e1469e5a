"""What `model="auto"` makes of local models after its search: networks, mixtures, or the forms it had."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.data import Table
from arcwise.learners import refits
from arcwise.notes import NoteKind


def wave_table(rows: int = 300, seed: int = 1) -> Table:
    """w is a wave of x, b has two branches, and q is a parabola, for which a curve suffices."""
    rng = np.random.default_rng(seed)
    x, z, one, two, three = rng.normal(size=(5, rows))
    w = np.sin(3 * x) + 0.2 * one
    b = rng.choice([-1, 1], rows) * (1 + z) + 0.2 * two
    return aw.table({"x": x, "z": z, "w": w, "b": b, "q": x**2 + 0.3 * three})


ORDER = aw.Rules(tiers=[["x", "z"], ["w", "b", "q"]])


@pytest.fixture(scope="module")
def net():
    return aw.learn(wave_table(), rules=ORDER, certainty=False)


def test_waves_are_networks_and_branches_are_mixtures(net, monkeypatch):
    assert dict(zip(net.net.names, net.net.models, strict=True))["w"] == "neural"
    assert net.settings["model"] == "curved"
    assert net.settings["refits"]["w"] == "neural"
    assert net.settings["refits"] == {"b": "experts", "w": "neural"}
    said = [str(note) for note in net.notes if note.kind is NoteKind.MODEL]
    assert any(
        "Neural networks predict w and mixtures of experts predict b" in text for text in said
    )
    fresh = wave_table(seed=2)
    monkeypatch.setattr(refits, "_is_open", lambda *_: False)
    before = aw.learn(wave_table(), rules=ORDER, certainty=False)
    assert net.graph == before.graph
    assert net.logpdf(fresh).mean() > before.logpdf(fresh).mean() + 1


def test_blankets_are_replaced_too_and_files_have_all(net, tmp_path):
    assert net.net.blankets.models == net.net.models  # nothing has a child of two parents here
    again = aw.load(net.save(tmp_path / "net.json"))
    assert again.settings["refits"] == net.settings["refits"]
    rows = wave_table(seed=3)
    assert (again.logpdf(rows) == net.logpdf(rows)).all()
    assert net.query("w", given={"x": 0.5}).mean == pytest.approx(np.sin(1.5), abs=0.2)


def test_rows_units_and_order_of_columns_do_not_decide(net):
    table = wave_table()
    rows = np.random.default_rng(2).permutation(table.rows)
    turned = aw.table({name: 2.0 * table.values(name)[rows] for name in reversed(table.order)})
    assert (
        aw.learn(turned, rules=ORDER, certainty=False).settings["refits"] == net.settings["refits"]
    )


@pytest.mark.parametrize("options", [{"model": "curved"}, {"score": "ebic"}, {"search": "greedy"}])
def test_nothing_is_tried_if_a_choice_was_made(options):
    assert "refits" not in aw.learn(wave_table(120), certainty=False, **options).settings


def test_forms_that_fit_stay():
    rng = np.random.default_rng(4)
    x, z = rng.normal(size=(2, 300))
    y = x**2 + 0.5 * rng.normal(size=300)
    found = aw.learn({"x": x, "y": y, "z": z - x + rng.normal(size=300)}, certainty=False)
    assert found.settings["model"] == "curved"
    assert "refits" not in found.settings


def test_a_bound_on_time_is_reported(monkeypatch):
    monkeypatch.setattr(refits, "_MAX_SECONDS", 0.0)
    found = aw.learn(wave_table(150), certainty=False)
    assert "refits" not in found.settings
    assert any(
        "omitted: they are limited to a forecast of 0 s" in str(note) for note in found.notes
    )


def test_the_call_that_gives_the_same_network_again_names_auto(net):
    from arcwise.api.provenance import provenance_of

    text = provenance_of(net)["python"]
    assert "model='auto'" in text
    assert "score=" not in text
