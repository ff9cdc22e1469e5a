"""Networks made by hand: tables in three forms, and what is refused."""

import json

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import ArcwiseError, DataError, FitError, OptionError

YES = {"yes": 0.3, "no": 0.7}
BY_STATE = {
    "rain=yes, sprinkler=yes": {"wet": 0.99, "dry": 0.01},
    "rain=yes, sprinkler=no": {"wet": 0.9, "dry": 0.1},
    "sprinkler=yes, rain=no": {"wet": 0.8, "dry": 0.2},
    "rain=no, sprinkler=no": {"wet": 0.0, "dry": 1.0},
}
GRAPH = "[rain][sprinkler][grass|rain:sprinkler]"


def lawn(grass):
    return aw.network(GRAPH, {"rain": YES, "sprinkler": {"yes": 0.5, "no": 0.5}, "grass": grass})


def test_a_table_by_states_by_tuples_or_as_an_array_is_the_same_network():
    tuples = {
        ("yes", "yes"): BY_STATE["rain=yes, sprinkler=yes"],
        ("yes", "no"): BY_STATE["rain=yes, sprinkler=no"],
    }
    tuples |= {
        ("no", "yes"): BY_STATE["sprinkler=yes, rain=no"],
        ("no", "no"): BY_STATE["rain=no, sprinkler=no"],
    }
    array = [[[0.99, 0.01], [0.8, 0.2]], [[0.9, 0.1], [0.0, 1.0]]]  # sprinkler, then rain
    given = {"levels": ["wet", "dry"], "parents": ["sprinkler", "rain"], "table": array}
    wanted = lawn(BY_STATE)["grass"].table
    assert wanted.tolist() == [[[0.99, 0.01], [0.9, 0.1]], [[0.8, 0.2], [0.0, 1.0]]]
    for other in (tuples, given):
        assert (lawn(other)["grass"].table == wanted).all()


@pytest.mark.parametrize(
    ("grass", "error", "message"),
    [
        (dict(list(BY_STATE.items())[:3]), FitError, "no probabilities for rain=no, sprinkler=no"),
        (BY_STATE | {"rain=no, sprinkler=no": {"wet": 0.5, "dry": 0.6}}, DataError, "must sum to 1, got 1.1"),
        (BY_STATE | {"rain=no, sprinkler=no": {"wet": 0.5}}, DataError, "mapping from wet, dry"),
        (BY_STATE | {"rain=maybe, sprinkler=no": {"wet": 1, "dry": 0}}, FitError, "be written as 'rain=yes"),
        (BY_STATE | {"yes": {"wet": 1, "dry": 0}}, FitError, "be written as 'rain=yes"),
        ({"wet": 0.5, "dry": 0.5}, FitError, "for each state of rain, sprinkler"),
        ({"levels": ["wet"], "table": [1.0]}, DataError, "shape"),
        ({"levels": ["wet"], "parents": ["rain"], "table": [1.0]}, FitError, "got a table for rain"),
        ({"levels": ["wet"], "tabel": [1.0]}, OptionError, "tabel"),
        ({"sd": 1.0}, FitError, "its parent 'rain' has levels"),
        (3, FitError, "must be a mapping"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_rejected_with_a_message(grass, error, message):
    with pytest.raises(error, match=message):
        lawn(grass)


def test_a_table_below_a_number_is_rejected():
    with pytest.raises(ArcwiseError, match="its parent 'x' has none"):
        aw.network("[x][y|x]", {"x": {"sd": 1.0}, "y": {"levels": ["a", "b"], "table": [0.5, 0.5]}})


@pytest.mark.parametrize("name", ["asia", "alarm", "fuel", "student"])
@pytest.mark.parametrize("ending", [".bif", ".xmlbif.gz", ".net", ".xdsl", ".json"])
def test_example_networks_are_saved_and_read_back_with_their_numbers(name, ending, tmp_path):
    net = aw.example(name)
    net.save(tmp_path / f"net{ending}")
    again = aw.load(tmp_path / f"net{ending}")
    assert again.graph == net.graph
    assert again.net.variables == net.net.variables
    for one, other in zip(net.net.conditionals, again.net.conditionals, strict=True):
        assert (one.table == other.table).all()


def test_examples_by_name_and_kind():
    assert aw.example("sachs").rows == 7466
    assert aw.example("sachs", kind="network").graph.n_arcs == 17
    with pytest.raises(OptionError, match=r"asai.*asia"):
        aw.example("asai")


def test_a_learned_network_of_levels_is_written_for_other_programs(tmp_path):
    drawn = aw.example("asia").sample(2000, seed=1)
    net = aw.learn(drawn)
    assert net.settings["model"] == "discrete"
    net.save(tmp_path / "asia.bif")
    again = aw.load(tmp_path / "asia.bif")
    np.testing.assert_allclose(again.logpdf(drawn), net.logpdf(drawn), rtol=1e-12)
    json.dumps(net.to_dict())
    with pytest.raises(ArcwiseError, match="discrete networks only"):
        aw.learn(aw.example("boston").select(["RM", "MEDV"])).save(tmp_path / "boston.bif")


BY_HAND = {"a": {"yes": 0.5, "no": 0.5}, "b": {"low": 0.3, "middle": 0.3, "high": 0.4}}
TABLE = np.linspace(0.1, 0.9, 6).reshape(3, 2)  # b, then a


@pytest.mark.parametrize(
    "graph",
    ["[a][b][c|b:a]", "[c|b:a][a][b]", "b -> c <- a", {"c": ["b", "a"]}, [("b", "c"), ("a", "c")]],
    ids=str,
)
@pytest.mark.parametrize("way", ["table", "square", "tuples"])
def test_parents_are_taken_in_the_order_written(graph, way):
    levels = {"a": list(BY_HAND["a"]), "b": list(BY_HAND["b"])}
    if way == "square":  # where a table of another order would fit as well
        levels["b"] = ["low", "high"]
    probabilities = TABLE[: len(levels["b"])]
    full = np.stack([probabilities, 1 - probabilities], axis=-1)
    numbers = {"levels": ["t", "f"], "table": full}
    if way == "tuples":
        numbers = {
            (b, a): {"t": probabilities[i, j], "f": 1 - probabilities[i, j]}
            for i, b in enumerate(levels["b"])
            for j, a in enumerate(levels["a"])
        }
    b = BY_HAND["b"] if way != "square" else {"low": 0.5, "high": 0.5}
    net = aw.network(graph, {"a": BY_HAND["a"], "b": b, "c": numbers})
    for i, level in enumerate(levels["b"]):
        for j, other in enumerate(levels["a"]):
            found = net.query("c", given={"b": level, "a": other}).probability("t")
            assert found == pytest.approx(probabilities[i, j])


def test_a_graph_without_an_order_takes_that_of_names():
    full = np.stack([TABLE.T, 1 - TABLE.T], axis=-1)
    numbers = {**BY_HAND, "c": {"levels": ["t", "f"], "table": full}}
    net = aw.network(aw.dag("[a][b][c|b:a]"), numbers)
    assert net.query("c", given={"b": "high", "a": "yes"}).probability("t") == pytest.approx(
        TABLE[2, 0]
    )
    with pytest.raises(DataError):
        aw.network("[a][b][c|b:a]", numbers)
