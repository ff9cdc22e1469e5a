"""Functions of other columns and identifiers are named by learning where they have edges."""

import numpy as np
import pytest

import arcwise as aw


@pytest.fixture
def numbers():
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=120), rng.normal(size=(2, 120))
    return {"x": x, "y": x + noise[0], "z": noise[1]}


def about(notes, word):
    return [note for note in notes if word in note]


@pytest.mark.parametrize("graph", ["directed", "undirected"])
def test_linear_functions_and_copies(numbers, graph):
    total = {**numbers, "total": numbers["x"] + numbers["y"] + numbers["z"]}
    assert about(aw.learn(total, graph=graph).notes, "is a linear function of")
    twice = {**numbers, "twice": 2 * numbers["x"] + 1e3}
    assert about(aw.learn(twice, graph=graph).notes, "'x' and 'twice'")
    copy = {**numbers, "copy": numbers["x"]}
    assert about(aw.learn(copy, graph=graph).notes, "Copies (all values equal): 'x' and 'copy'")
    plain = aw.learn(numbers, graph=graph).notes
    assert not about(plain, "function") + about(plain, "opies") + about(plain, "identifier")


def test_identifiers_with_edges_are_named(numbers):
    order = np.argsort(numbers["x"])
    ordered = {name: column[order] for name, column in numbers.items()}
    rownames = np.sort(np.random.default_rng(2).choice(5000, 120, replace=False))
    net = aw.learn({"rownames": rownames, **ordered})
    (note,) = about(net.notes, "an identifier")
    assert str(note).startswith("'rownames' has a different integer in each row")
    net = aw.learn({"rownames": rownames, **numbers})
    if not any("rownames" in row[:2] for row in net.edges.present.rows):
        assert not about(net.notes, "an identifier")


def test_recodings_of_levels():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 4, 300)
    data = {
        "town": np.array(["a", "b", "c", "d"])[codes],
        "code": np.array(["4", "2", "9", "7"])[codes],
        "side": np.array(["north", "north", "south", "south"])[codes],
        "other": np.where(rng.random(300) < 0.5, "yes", "no"),
    }
    notes = aw.learn({name: data[name] for name in ("town", "code", "other")}).notes
    assert "'code' and 'town' are the same levels under other names." in map(str, notes)
    notes = aw.learn({name: data[name] for name in ("town", "side", "other")}).notes
    assert "'side' is a function of 'town': each level of 'town' has one of 'side'." in map(
        str, notes
    )
    assert not about(aw.learn({name: data[name] for name in ("side", "other")}).notes, "function")
