"""What a file keeps of how a network came about."""

import json

import numpy as np
import pytest

import arcwise as aw


def test_rules_are_saved_and_old_files_are_read_without_them(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = x + 0.5 * rng.normal(size=200)
    table = aw.table({"x": x, "y": y, "z": y + 0.5 * rng.normal(size=200)})
    rules = aw.Rules(required=["x -> y"], tiers=[["x", "y"], ["z"]], max_parents=2)
    net = aw.learn(table, rules=rules)
    place = net.save(tmp_path / "net.json")
    again = aw.load(place)
    assert again.rules == rules
    assert again.cpdag == net.cpdag
    assert not any(row.reversible for row in again.edges.present)
    assert again.query("z", do={"y": 1.0}).range.edges == ()
    assert aw.load(again.save(tmp_path / "again.json")).rules == rules

    document = json.loads(place.read_text())
    assert document["version"] == 3
    del document["about"]["rules"]
    place.write_text(json.dumps(document))
    old = aw.load(place)
    assert old.rules is None
    belief = old.query("z", do={"y": 1.0})
    assert len(belief.range) == 3
    assert belief.range.notes[1] == (
        "The file does not say which rules the graph was learned under; they may rule out some of these "
        "graphs."
    )


@pytest.mark.parametrize(
    "wrong",
    [5, {"required": 5}, {"required": [["x", "q"]]}, {"other": []}, {"forbidden": [["x", "y"]]}],
)
def test_rules_in_a_file_that_do_not_fit_its_graph_are_not_known(tmp_path, wrong):
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    net = aw.learn({"x": x, "y": x + 0.5 * rng.normal(size=100)})
    assert net.graph.arcs == (("x", "y"),)
    place = net.save(tmp_path / "net.json")
    document = json.loads(place.read_text())
    document["about"]["rules"] = wrong
    place.write_text(json.dumps(document))
    assert aw.load(place).rules is None


def test_documents_of_another_kind_are_refused_by_name(tmp_path):
    place = aw.network("[a]", {"a": {"sd": 1.0}}).save(tmp_path / "net.json")
    document = json.loads(place.read_text())
    document["about"]["kind"] = "poem"
    place.write_text(json.dumps(document))
    with pytest.raises(aw.FileError, match="holds a poem, and known are network, posterior"):
        aw.load(place)
