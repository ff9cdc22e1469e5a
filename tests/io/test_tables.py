"""The value between files and models: what it accepts, and what it says of the rest."""

import numpy as np
import pytest
from discrete_nets import random_tables
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Variable
from arcwise.errors import DataError, GraphError
from arcwise.io import DiscreteNet
from arcwise.io.tables import IDENTIFIER, identifiers, normalise

A, B = Variable("a", ("x", "y")), Variable("b", ("u", "v", "w"))
GOOD = ([0.5, 0.5], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])


def test_a_network_keeps_its_numbers_and_locks_them():
    net = DiscreteNet((A, B), ((), (0,)), GOOD)
    assert net.tables[1].tolist() == GOOD[1]
    assert not net.tables[1].flags.writeable
    assert repr(net) == "<DiscreteNet 2 variables, 1 arcs, 5 free parameters>"
    assert net.graph.arcs == (("a", "b"),)


@pytest.mark.parametrize(
    ("variables", "parents", "tables", "error", "message"),
    [
        ((B, A), ((), (0,)), GOOD, DataError, "sorted by name"),
        ((A, Variable("b")), ((), (0,)), GOOD, DataError, "'b' must have at least one level"),
        ((A, Variable("b", ())), ((), (0,)), GOOD, DataError, "'b' must have at least one level"),
        ((A, A), ((), ()), GOOD, GraphError, "'a' occurs twice"),
        ((A, B), ((1,), (0,)), GOOD, GraphError, "cycle: a -> b -> a"),
        ((A, B), ((), (0,)), GOOD[:1], DataError, "2 variables must have as many tables"),
        ((A, B), ((), ()), GOOD, DataError, r"'b' must have shape \(3,\) .* got \(2, 3\)"),
        ((A, B), ((), (0,)), (GOOD[0], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.5]]), DataError,
         "'b' given a = 'y' must sum to 1, got 1.1"),
        ((A, B), ((), (0,)), (GOOD[0], [[0.1, 0.2, 0.7], [1.3, -0.3, 0.0]]), DataError,
         "'b' given a = 'y' must be from 0 to 1, got -0.3"),
        ((A, B), ((), (0,)), ([np.nan, 1.0], GOOD[1]), DataError, "'a' must be from 0 to 1, got nan"),
        ((A, B), ((), (0,)), ([np.inf, -np.inf], GOOD[1]), DataError, "'a' must be from 0 to 1, got inf"),
    ],
)  # fmt: skip
def test_what_is_rejected(variables, parents, tables, error, message):
    with pytest.raises(error, match=message):
        DiscreteNet(variables, parents, tables)


def test_parents_must_be_in_the_order_of_columns():
    c = Variable("c", ("x", "y"))
    table = np.full((3, 2, 2), 0.5)
    with pytest.raises(DataError, match="ascending"):
        DiscreteNet((A, B, c), ((), (), (1, 0)), (GOOD[0], GOOD[1][0], table))
    net = DiscreteNet((A, B, c), ((), (), (0, 1)), (GOOD[0], GOOD[1][0], table.transpose(1, 0, 2)))
    assert net.tables[2].shape == (2, 3, 2)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40), st.floats(-1e-4, 1e-4))
def test_normalising_again_changes_no_bit(weights, off):
    rows = np.array(weights) + 1e-9
    rows *= (1.0 + off) / rows.sum()
    variable = Variable("a", tuple(range(len(rows))))
    once = normalise(variable, (), rows)
    assert once.sum() == pytest.approx(1.0, abs=1e-14 if abs(rows.sum() - 1) > 1e-12 else 2e-12)
    assert normalise(variable, (), once).tobytes() == once.tobytes()


@given(st.lists(st.text(max_size=4), unique=True, max_size=8))
def test_identifiers_are_different_words_and_keep_those_that_are_words(texts):
    words = identifiers(texts, {"node", "net"})
    assert len(set(words)) == len(texts)
    for text, word in zip(texts, words, strict=True):
        assert IDENTIFIER.fullmatch(word)
        assert word not in ("node", "net")
        assert word == text or not IDENTIFIER.fullmatch(text) or text in ("node", "net")


def test_many_texts_that_are_all_alike_take_no_time():
    texts = [chr(0x4E00 + number) for number in range(20_000)]
    assert len(set(identifiers(texts))) == len(texts)


def test_random_networks_of_the_tests_are_networks():
    net = random_tables(np.random.default_rng(0), 30)
    assert any(list(parents) != sorted(parents, reverse=True) for parents in net.parents)
    assert net.graph.order() != tuple(range(30))
