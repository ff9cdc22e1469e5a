"""Arcwise's own files: exact round trips, and nothing but errors of ours from damaged ones."""

import json
import math
import zipfile
from dataclasses import fields
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_networks import gaussian_net, published_net, random_net

from arcwise.conditionals import GaussianConditional, GaussianFamily
from arcwise.data import Table, Variable
from arcwise.errors import ArcwiseError, FileError
from arcwise.graphs import DAG
from arcwise.io import StoredNet, load, save
from arcwise.io.codec import Codec, read_variable
from arcwise.io.native import read_bundle, read_json, write_bundle, write_json
from arcwise.networks import BayesNet, ancestral, cut, log_density

ENDINGS = [".json", ".json.gz", ".arcwise"]


def fitted_net():
    """A network with standard errors and everything else that fitting leaves."""
    truth = random_net(np.random.default_rng(1), 9, 0.5)
    table = ancestral(truth, np.random.default_rng(2), 200)
    fits = GaussianFamily().bind(table)
    graph = truth.graph
    models = tuple(fits.conditional(i, graph.parents[i]) for i in range(9))
    return BayesNet(table.variables, graph, models), table


@pytest.mark.parametrize("ending", ENDINGS)
def test_densities_come_back_bit_for_bit(tmp_path, ending):
    net, table = fitted_net()
    save(StoredNet.of(net, {"score": -12.5}), tmp_path / f"net{ending}")
    back = load(tmp_path / f"net{ending}")
    assert back.about == {"score": -12.5}
    assert back.net.graph == net.graph
    assert back.net.variables == net.variables
    assert back.net.models == net.models
    assert np.array_equal(log_density(back.net, table.columns), log_density(net, table.columns))
    for before, after in zip(net.conditionals, back.net.conditionals, strict=True):
        assert np.array_equal(before.spread, after.spread)
        assert (before.rows, before.at_floor, before.redundant) == (
            after.rows,
            after.at_floor,
            after.redundant,
        )
        assert not after.coefficients.flags.writeable


@pytest.mark.parametrize("ending", ENDINGS)
def test_writing_again_gives_the_same_bytes(tmp_path, ending):
    net, _ = fitted_net()
    first, second = tmp_path / f"one{ending}", tmp_path / f"two{ending}"
    save(StoredNet.of(net), first)
    save(load(first), second)
    assert first.read_bytes() == second.read_bytes()


def test_bundles_hold_large_arrays_as_members(tmp_path):
    names = [f"p{i:02d}" for i in range(12)]
    recipe = {name: (0.0, {}, 1.0) for name in names}
    recipe["y"] = (0.0, dict.fromkeys(names, 0.1), 1.0)
    net = gaussian_net(recipe)
    save(StoredNet.of(net), tmp_path / "net.arcwise")
    with zipfile.ZipFile(tmp_path / "net.arcwise") as archive:
        assert archive.namelist() == ["network.json", "arrays/0.npy"]
    back = load(tmp_path / "net.arcwise").net
    assert np.array_equal(back.conditionals[-1].spread, net.conditionals[-1].spread)


def test_it_reads_as_text(tmp_path):
    net = gaussian_net({"a": (1, {}, 2), "b": (0.1, {"a": 2}, 1)})
    lines = write_json(StoredNet.of(net)).decode().splitlines()
    assert lines[0].startswith('{"format": "arcwise-network", "version": 3')
    assert lines[3].startswith('  {"name": "b", "parents": ["a"], "model": "gaussian"')
    assert json.loads("\n".join(lines))["nodes"][1]["fields"]["intercept"] == 0.1


def test_published_network(shared_data, tmp_path):
    net = published_net(shared_data, "magic-niab")
    save(StoredNet.of(net), tmp_path / "net.json")
    rows = ancestral(net, np.random.default_rng(0), 20).columns
    assert np.array_equal(
        log_density(load(tmp_path / "net.json").net, rows), log_density(net, rows)
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_levels_keep_their_types(tmp_path, ending):
    variables = (
        Variable("a", ("x", "y")),
        Variable("b", (1, 2, 3), ordered=True),
        Variable("c", (0.5, 1.0, math.inf), ordered=True, cuts=(1.0, 2.0)),
        Variable("d", (False, True)),
        Variable("e"),
    )
    graph = DAG.from_arcs([("a", "b")], [v.name for v in variables])
    save(StoredNet(graph, variables), tmp_path / f"net{ending}")
    back = load(tmp_path / f"net{ending}")
    assert back.variables == variables
    types = [[type(level) for level in v.levels or ()] for v in back.variables]
    assert types == [[type(level) for level in v.levels or ()] for v in variables]
    assert back.net is None


@pytest.mark.parametrize("cuts", [[2.0, 1.0], [1.0, 1.0], [1.0, math.inf], [-math.inf, 1.0]])
def test_cuts_of_a_file_must_be_finite_and_ascending(cuts):
    entry = {"name": "x", "levels": ["a", "b", "c"], "ordered": True}
    assert read_variable({**entry, "cuts": [1.0, 2.0]}, Codec({})).cuts == (1.0, 2.0)
    with pytest.raises(FileError, match="'x' must be finite and ascending"):
        read_variable({**entry, "cuts": cuts}, Codec({}))


def test_a_cut_network_is_saved_too(tmp_path):
    net = cut(gaussian_net({"a": (1, {}, 2), "b": (0.1, {"a": 2}, 1)}), {1: 4.0})
    save(StoredNet.of(net), tmp_path / "net.json")
    assert load(tmp_path / "net.json").net.conditionals[1].value == 4.0


texts = st.text(st.characters(codec="utf-8"))
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
abouts = st.dictionaries(
    texts,
    st.recursive(
        leaves,
        lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(texts, inner),
        max_leaves=8,
    ),
)


@settings(max_examples=100, deadline=None)
@given(abouts)
def test_anything_plain_may_be_said_about_a_network(about):
    stored = StoredNet(DAG.empty(["a"]), about=about)
    assert read_json(write_json(stored)).about == about


@pytest.mark.parametrize(
    "array",
    [
        np.array([1.0, math.nan, math.inf, -math.inf]),
        np.array([[0.1, 0.2], [0.3, math.nan]]),
        np.zeros((0, 3)),
        np.array(2.5),
        np.array(math.nan),
        np.arange(5, dtype=np.uint8),
        np.array([True, False]),
        np.array([[1, 2]], dtype=np.int32),
        np.array([0.1], dtype=np.float32),
        np.array([5e-324, -0.0, 1.7976931348623157e308]),
    ],
)
def test_arrays_come_back_with_type_shape_and_bits(array):
    codec = Codec({})
    back = codec.decode(json.loads(json.dumps(codec.encode(array), allow_nan=False)))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert np.array_equal(back, array, equal_nan=array.dtype.kind == "f")
    assert np.array_equal(np.signbit(back), np.signbit(array)) or array.dtype.kind != "f"


def test_what_has_no_form_is_rejected(tmp_path):
    for value in (object(), {1: 2}, np.array(["a"]), Table((Variable("x"),), (np.ones(1),))):
        with pytest.raises(FileError, match="cannot be written"):
            save(StoredNet(DAG.empty(["a"]), about={"x": value}), tmp_path / "net.json")
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_no_registered_family_is_rejected():
    class Odd(GaussianConditional):
        pass

    net = gaussian_net({"a": (1, {}, 2)})
    own = [Odd(**{f.name: getattr(m, f.name) for f in fields(m)}) for m in net.conditionals]
    with pytest.raises(FileError, match="a Odd cannot be written"):
        write_json(StoredNet.of(BayesNet(net.variables, net.graph, tuple(own))))


def test_text_that_is_no_unicode_is_rejected(tmp_path):
    with pytest.raises(FileError, match=r"\\udc80.* is not valid text"):
        save(StoredNet(DAG.empty(["a\udc80"])), tmp_path / "net.json")
    assert list(tmp_path.iterdir()) == []


# -- damaged, foreign and newer files ------------------------------------------------------------


def document():
    net = gaussian_net({"a": (1, {}, 2), "b": (0.1, {"a": 2}, 1), "c": (0, {"a": 1, "b": 1}, 1)})
    return json.loads(write_json(StoredNet.of(net)))


def changed(path, value):
    """The document with the entry at a path replaced (or removed, if value is ...)."""
    whole = document()
    place = whole
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(whole).encode()


FIELDS = ("nodes", 1, "fields")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "other", "not an Arcwise network"),
        (("format",), ..., "not an Arcwise network"),
        (("version",), 4, r"newer Arcwise wrote it \(version 4 .* up to 3\); update"),
        (("version",), "1", "version must be a positive integer"),
        (("version",), True, "version must be a positive integer"),
        (("version",), ..., "version must be a positive integer"),
        (("nodes",), [], "no nodes"),
        (("nodes",), ..., "damaged"),
        (("nodes", 0), 3, "a node in it is of type int"),
        (("nodes", 0, "name"), 3, "a name in it is of type int"),
        (("nodes", 0, "name"), "", "name of a variable must be text"),
        (("nodes", 0, "name"), "c", "inconsistent itself|not a node"),
        (("nodes", 0, "name"), "z", "not a node|sorted"),
        (("nodes", 0, "parents"), ["c"], "cycle"),
        (("nodes", 1, "parents"), ["q"], "parent 'q', which is not a node"),
        (("nodes", 1, "parents"), [["a"]], "damaged"),
        (("nodes", 1, "parents"), ["a", "a"], "parent twice"),
        (("nodes", 1, "parents"), "a", "parents in it is of type str"),
        (("nodes", 1, "parents"), [], "local model of 'b' does not work"),
        (("nodes", 1, "model"), "magic", "'magic' is unknown"),
        (("nodes", 1, "model"), ..., "damaged"),
        (("nodes", 1, "levels"), ["x", "x"], "must be distinct"),
        (("nodes", 1, "levels"), [None], "neither text nor a number"),
        (("about",), [1], "named entries"),
        ((*FIELDS, "intercept"), {"$float": "nan"}, "finite coefficients"),
        ((*FIELDS, "intercept"), "one", "'intercept' of a gaussian model must be of type float"),
        ((*FIELDS, "intercept"), True, "must be of type float"),
        ((*FIELDS, "intercept"), 10**400, "damaged"),
        ((*FIELDS, "variance"), -1.0, "positive variance"),
        ((*FIELDS, "coefficients"), {"$array": [1.0, 2.0]}, "needs a spread of shape"),
        ((*FIELDS, "coefficients"), {"$array": ["nan"]}, "finite coefficients"),
        ((*FIELDS, "coefficients"), {"$array": [[1.0], 2.0]}, "damaged"),
        ((*FIELDS, "coefficients"), {"$array": [None]}, "must have numbers, got"),
        ((*FIELDS, "coefficients"), {"$array": [1.5], "type": "int8"}, "does not fit its type"),
        ((*FIELDS, "coefficients"), {"$array": [1.0], "type": "object"}, "has the type object"),
        ((*FIELDS, "coefficients"), {"$array": [1.0], "shape": [5]}, "damaged"),
        ((*FIELDS, "coefficients"), {"$member": "arrays/0.npy"}, "that it does not have"),
        ((*FIELDS, "coefficients"), [1.0], "must be of type"),
        ((*FIELDS, "at_floor"), "no", "'at_floor' of a gaussian model must be of type bool"),
        ((*FIELDS, "at_floor"), ..., r"not as expected \(at_floor\)"),
        ((*FIELDS, "extra"), 1, r"not as expected \(extra\)"),
    ],
)
def test_a_wrong_entry_is_rejected_in_one_sentence(path, value, message, tmp_path):
    place = tmp_path / "net.json"
    place.write_bytes(changed(path, value))
    with pytest.raises(FileError, match=message) as caught:
        load(place)
    assert str(caught.value).startswith(f"{str(place)!r} cannot be read: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"format": NaN}',
        b"\xff\xfe",
        b'{"format": "arcwise-network"',
        b"9" * 5000,
        b'["\\ud800"]',
    ],
)
def test_odd_json_is_rejected(content):
    with pytest.raises(FileError):
        read_json(content)


@cache
def written(kind):
    net, _ = fitted_net()
    return {"json": write_json, "bundle": write_bundle}[kind](StoredNet.of(net, {"score": 1.5}))


@pytest.mark.parametrize("kind", ["json", "bundle"])
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_mutated_bytes_give_a_network_or_one_of_our_errors(kind, data):
    content = written(kind)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        length = data.draw(st.sampled_from([0, 1, 1, 1, 5, 50, 10**6]))
        fresh = data.draw(
            st.binary(max_size=3) | st.sampled_from([b"-", b"9", b"null", b'"', b"]"])
        )
        content = content[:at] + fresh + content[at + length :]
    try:
        stored = {"json": read_json, "bundle": read_bundle}[kind](content)
    except ArcwiseError:
        return
    if stored.net is not None:
        ones = tuple(np.ones(2) for _ in stored.net.variables)
        with np.errstate(all="ignore"):
            assert not np.isnan(log_density(stored.net, ones)).all()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6))
def test_every_truncation_is_rejected(cut_at):
    for kind, read in (("json", read_json), ("bundle", read_bundle)):
        content = written(kind)
        with pytest.raises(FileError):
            read(content[: cut_at % (len(content) - 2)])


def test_members_that_are_no_plain_arrays_are_rejected(tmp_path):
    whole = changed((*FIELDS, "coefficients"), {"$member": "arrays/0.npy"})
    for content in (b"junk", b"\x93NUMPY\x01\x00" + b"\xff" * 20):
        place = tmp_path / "net.arcwise"
        with zipfile.ZipFile(place, "w") as archive:
            archive.writestr("network.json", whole)
            archive.writestr("arrays/0.npy", content)
        with pytest.raises(FileError, match="damaged"):
            load(place)
