"""What a file keeps of how a network came about."""

import json

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import DataError, FileError, FitError


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
    assert str(belief.range.notes[1]) == (
        "The file lacks the rules of learning; they may exclude some of these graphs."
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


def test_documents_of_another_kind_are_rejected_by_name(tmp_path):
    place = aw.network("[a]", {"a": {"sd": 1.0}}).save(tmp_path / "net.json")
    document = json.loads(place.read_text())
    document["about"]["kind"] = "poem"
    place.write_text(json.dumps(document))
    with pytest.raises(aw.FileError, match="holds a poem, but must hold one of network, posterior"):
        aw.load(place)


# -- the data of a loaded network ------------------------------------------------------------------


def linear_rows(seed=1, n=300):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = x + rng.normal(size=n)
    return {"x": x, "y": y, "z": 0.3 * y + 0.2 * x + rng.normal(size=n), "w": rng.normal(size=n)}


def level_rows(seed=1, n=300):
    return {name: np.where(x > 0.2, "yes", "no") for name, x in linear_rows(seed, n).items()}


@pytest.mark.parametrize("rows", [linear_rows, level_rows])
@pytest.mark.parametrize("ending", [".json", ".arcwise"])
def test_with_its_data_a_loaded_network_has_the_ranges_of_the_learned_one(tmp_path, rows, ending):
    net = aw.learn(rows())
    path = net.save(tmp_path / f"net{ending}")
    alone = aw.load(path).query("z", do={"y": rows()["y"][0]})
    assert alone.range.graphs is None
    assert "load(path, data=)" in str(alone)
    for source in (rows(), aw.table(rows())):
        again = aw.load(path, data=source)
        for question in ("z", ["x", "z"]):
            own = net.query(question, do={"y": rows()["y"][0]})
            assert str(again.query(question, do={"y": rows()["y"][0]})) == str(own)
            assert own.range.graphs is not None
    again.save(tmp_path / f"again{ending}")
    assert (tmp_path / f"again{ending}").read_bytes() == path.read_bytes()


def test_files_without_graphs_have_the_certainty_found_again(tmp_path):
    net = aw.learn(linear_rows())
    plain = aw.learn(linear_rows(), certainty=False)
    path = plain.save(tmp_path / "net.json")
    again = aw.load(path, data=linear_rows())
    assert str(again.query("z", do={"y": 1.0})) == str(net.query("z", do={"y": 1.0}))
    assert again.edges["x", "y"].certainty == net.edges["x", "y"].certainty


def test_other_data_are_rejected(tmp_path):
    path = aw.learn(linear_rows()).save(tmp_path / "net.json")
    with pytest.raises(DataError, match=r"not the data that the network was learned from: .* 'w'"):
        aw.load(path, data=linear_rows(seed=2))
    with pytest.raises(DataError, match="no variable 'w'"):
        aw.load(path, data={name: linear_rows()[name] for name in "xyz"})
    given = aw.fit("[x][y|x]", linear_rows()).save(tmp_path / "given.json")
    with pytest.raises(FitError, match="learned directed networks"):
        aw.load(given, data=linear_rows())


def test_damaged_graphs_in_a_file_are_rejected(tmp_path):
    path = aw.learn(linear_rows()).save(tmp_path / "net.json")
    document = json.loads(path.read_text())
    document["about"]["graphs"]["arcs"] = "nonsense"
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match="its graphs are damaged"):
        aw.load(path)
