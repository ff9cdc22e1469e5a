"""Every registered format of discrete networks obeys the same laws, without being named."""

import csv
import itertools
import json

import numpy as np
import pytest
from discrete_nets import assert_same, random_tables, renamed, words
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.data import Variable
from arcwise.errors import FileError
from arcwise.io import DISCRETE, DiscreteNet, load, load_tables, save_tables

FORMATS = {each.name: each for each in DISCRETE.values()}
WRITTEN = [each for each in FORMATS.values() if each.write]
ENDINGS = [suffix for suffix, each in DISCRETE.items() if each.write]

both_ways = pytest.mark.parametrize("format", WRITTEN, ids=lambda f: f.name)


@both_ways
@pytest.mark.parametrize("seed", range(5))
def test_a_random_network_is_the_same_to_the_last_bit(format, seed):
    net = random_tables(np.random.default_rng(seed), 12)
    assert_same(format.read(format.write(net)), net)
    assert format.write(net) == format.write(format.read(format.write(net)))


@both_ways
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_hostile_names_come_back_or_are_rejected_by_name(format, data):
    net = random_tables(np.random.default_rng(data.draw(st.integers(0, 5))), 4)
    names = sorted(data.draw(st.lists(words, min_size=4, max_size=4, unique=True)))
    levels = data.draw(st.lists(words | st.just(""), min_size=4, max_size=4, unique=True))
    odd = renamed(net, names, levels)
    written, said = outcome(format.write, odd)
    if said:  # control signs and halves of signs, and blanks at the ends in one format
        assert said.startswith("variable ")
        assert any(repr(name) in said for name in names)
        assert any(text != text.strip() or not text.isprintable() for text in [*names, *levels])
    else:
        assert_same(format.read(written), odd)


def outcome(function, value):
    """What a function gives, and what it says where it refuses."""
    try:
        return function(value), ""
    except FileError as error:
        return None, str(error)


@both_ways
def test_levels_that_are_not_text_become_text(format):
    net = DiscreteNet((Variable("a", (1, 2.5, "x")),), ((),), ([0.25, 0.25, 0.5],))
    assert format.read(format.write(net)).variables[0].levels == ("1", "2.5", "x")
    twice = DiscreteNet((Variable("a", (1, "1")),), ((),), ([0.5, 0.5],))
    with pytest.raises(FileError, match="'a' has levels that are equal as text"):
        format.write(twice)


@both_ways
def test_ten_thousand_levels(format):
    levels = tuple(f"{i} é" for i in range(10_000))
    table = np.random.default_rng(1).dirichlet(np.ones(10_000), 2)
    variables = (Variable("a", ("x", "y")), Variable("b", levels))
    net = DiscreteNet(variables, ((), (0,)), ([0.5, 0.5], table))
    assert_same(format.read(format.write(net)), net)


@pytest.mark.parametrize("suffix", ENDINGS)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_files_there_and_back(suffix, packed, tmp_path):
    net = random_tables(np.random.default_rng(1), 6)
    place = tmp_path / f"net{suffix}{packed}"
    save_tables(net, place)
    assert (place.read_bytes()[:2] == b"\x1f\x8b") == bool(packed)
    assert_same(load_tables(place), net)
    stored = load(place)
    assert stored.graph == net.graph
    assert stored.variables == net.variables


def test_an_unknown_ending_and_a_format_that_is_only_read(tmp_path):
    net = random_tables(np.random.default_rng(1), 2)
    with pytest.raises(FileError, match=r"'.biff', which is not a network format. Did you mean"):
        save_tables(net, tmp_path / "a.biff")
    with pytest.raises(FileError, match="UAI files can only be read"):
        save_tables(net, tmp_path / "a.uai")


SMALL = random_tables(np.random.default_rng(3), 4)
TEXTS = {each.name: each.write(SMALL) for each in WRITTEN} | {
    "UAI": b"BAYES\n3\n2 2 3\n3\n1 0\n2 0 1\n2 1 2\n2\n0.4 0.6\n4\n0.2 0.8 0.7 0.3\n6 .2 .3 .5 .1 .1 .8\n"
}


@pytest.mark.parametrize("format", FORMATS.values(), ids=lambda f: f.name)
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_bytes_give_a_network_or_one_sentence(format, data):
    content = TEXTS[format.name]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        length = data.draw(st.integers(0, 12))
        fresh = data.draw(
            st.binary(max_size=4)
            | st.sampled_from([b'"', b"(", b")", b"{", b"}", b";", b"|", b"0.1", b"-1", b"nan"])
            | st.sampled_from([content[i : i + 20] for i in range(0, len(content), 20)])
        )
        content = content[:at] + fresh + content[at + length :]
    net, said = outcome(format.read, content)
    if net is None:
        assert 0 < len(said) < 600
    else:
        assert all(np.allclose(table.sum(axis=-1), 1.0, atol=1e-9) for table in net.tables)


@pytest.mark.parametrize("format", FORMATS.values(), ids=lambda f: f.name)
def test_a_cut_file_is_rejected(format):
    content = TEXTS[format.name].rstrip()
    tail = {"XMLBIF": b"</DEFINITION>", "XDSL": b"</genie>"}.get(format.name, content[-8:])
    for end in range(0, content.rindex(tail), 7):
        with pytest.raises(FileError):
            format.read(content[:end])


@pytest.mark.parametrize("format", FORMATS.values(), ids=lambda f: f.name)
@pytest.mark.parametrize(
    "sign", ["a", "0", "(", "{", '"', '""', "\\", "/*", "%\n", "<a>", "<", "#", "1 "]
)
def test_long_lines_are_rejected_quickly(format, sign):
    start = TEXTS[format.name][: len(TEXTS[format.name]) // 2]
    for content in (sign.encode() * (2_000_000 // len(sign)), start + sign.encode() * 1_000_000):
        with pytest.raises(FileError) as caught:
            format.read(content)
        assert len(str(caught.value)) < 600


# -- the published networks -------------------------------------------------------------------------


NETWORKS = [
    "alarm", "andes", "asia", "barley", "cancer", "diabetes", "earthquake", "hailfinder", "insurance",
    "link", "munin", "munin1", "pathfinder", "sachs", "survey", "water", "win95pts",
]  # fmt: skip
LONG = [pytest.param(name, marks=pytest.mark.slow) for name in ("munin2", "munin3", "munin4")]


@pytest.mark.parametrize("name", [*NETWORKS, *LONG])
def test_the_networks_of_the_repository_in_all_formats(shared_data, name):
    with (shared_data / "networks" / "summary.csv").open(newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["name"] == name)
    place = next((shared_data / "networks" / "discrete").glob(f"{name}.bif*"))
    net = load_tables(place)
    assert len(net.variables) == int(row["nodes"])
    assert net.graph.n_arcs == int(row["arcs"])
    free = sum(table.size - table.size // table.shape[-1] for table in net.tables)
    assert free == int(row["free_parameters"])
    assert max(len(v.levels) for v in net.variables) == int(row["max_levels"])
    assert max(map(len, net.parents)) == int(row["max_parents"])
    for format in WRITTEN:
        assert_same(format.read(format.write(net)), net)


@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey"])
def test_marginals_by_enumeration_are_those_of_the_oracle(shared_data, name):
    oracle = json.loads((shared_data / "oracles" / "inference_networks.json").read_text())[name]
    net = load_tables(next((shared_data / "networks" / "discrete").glob(f"{name}.bif*")))
    joint = enumerated(net)
    for place, variable in enumerate(net.variables):
        assert list(variable.levels) == oracle["levels"][variable.name]
        others = tuple(axis for axis in range(joint.ndim) if axis != place)
        found = joint.sum(axis=others)
        np.testing.assert_allclose(found, oracle["marginals"][variable.name], atol=1e-6)
    for query in oracle["queries"]:
        cut = joint
        for name_seen, level in query["evidence"].items():
            column = net.names.index(name_seen)
            cut = np.take(cut, [net.variables[column].levels.index(level)], axis=column)
        assert cut.sum() == pytest.approx(query["p_evidence"], abs=1e-6)


def enumerated(net: DiscreteNet) -> np.ndarray:
    """The joint distribution as one table, by its definition."""
    shape = [len(variable.levels) for variable in net.variables]
    joint = np.ones(shape)
    for codes in itertools.product(*map(range, shape)):
        for child, table in enumerate(net.tables):
            joint[codes] *= table[tuple(codes[p] for p in net.parents[child])][codes[child]]
    return joint
