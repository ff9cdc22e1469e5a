"""Options reach those that take them, and only values of the right kind do."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import OptionError
from arcwise.learners.options import checked, options_of, split_options

ROWS = {name: np.random.default_rng(i).normal(size=30) for i, name in enumerate("abc")}


def sample(
    score, start=None, *, rng, limits=None, on_step=None, rounds: int = 3, shake: "int | None" = 1
):
    """A function of the form of a search."""


def test_only_what_a_user_may_give_is_an_option():
    assert options_of(sample) == {"rounds": int, "shake": int | None}


def test_options_go_to_those_that_take_them():
    takers = (("search", {"rounds": int, "both": int}), ("score", {"gamma": float, "both": float}))
    found = split_options({"rounds": 1, "both": 2, "gamma": 3}, *takers)
    assert found == [{"rounds": 1, "both": 2}, {"gamma": 3.0, "both": 2.0}]
    with pytest.raises(OptionError, match="Did you mean 'rounds'"):
        split_options({"round": 1}, *takers)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"graph": "undirected", "combine": "and"}, "'combine': it is an option of search='neighb"),
        (
            {"graph": "undirected", "score": "bic", "scale": "covariance"},
            "option of search='glasso'.",
        ),
        ({"search": "greedy", "restarts": 3}, "of search='tabu'"),
        ({"score": "bic", "folds": 3}, "it is an option of score='kfold'."),
        ({"bandwidths": "one"}, "it is an option of model='parzen'."),
        ({"search": "greedy", "tolerence": 0.1}, "Did you mean 'tolerance'"),
    ],
)
def test_an_option_of_another_word_names_that_word(words, said):
    with pytest.raises(OptionError, match=said):
        aw.learn(ROWS, **words)


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (3, int, 3),
        (np.int32(3), int, 3),
        (1e5, int, 100_000),
        (0, float, 0.0),
        (Fraction(1, 4), float, 0.25),
        (np.float32(0.5), float | None, 0.5),
        (None, int | None, None),
        (np.True_, bool, True),
        (("forward",), Sequence[str], ("forward",)),
        ("forward", Sequence[str], "forward"),
        ("word", str, "word"),
    ],
)
def test_values_of_the_right_kind_are_taken(value, kind, expected):
    found = checked("option", value, kind)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (1.5, int, "a non-negative integer, got 1.5"),
        (-1, int, "non-negative integer, got -1"),
        (None, int, "a non-negative integer, got None"),
        ("3", int | None, "non-negative integer, or None, got '3'"),
        (True, int, "got True"),
        (True, float, "got True"),
        ([1], float, r"a non-negative number, got \[1\]"),
        (float("nan"), float, "got nan"),
        (float("inf"), float | None, "got inf"),
        (float("inf"), int, "got inf"),
        (-0.5, float, "got -0.5"),
        (1j, float, "got 1j"),
        (1, bool, "True or False, got 1"),
    ],
)
def test_values_of_another_kind_are_refused(value, kind, words):
    with pytest.raises(OptionError, match=f"The option 'option' is .*{words}"):
        checked("option", value, kind)


@pytest.mark.parametrize(
    "options",
    [
        {"search": "tabu", "restarts": 1.5},
        {"search": "tabu", "restarts": -1},
        {"search": "tabu", "tabu_length": None},
        {"search": "annealing", "steps": -1},
        {"search": "greedy", "max_steps": -1},
        {"search": "greedy", "tolerance": -1},
        {"search": "ges", "iterate": 3},
        {"score": "ebic", "gamma": [1]},
        {"score": "bge", "alpha_mu": "one"},
        {"score": "kfold", "folds": 2.5},
        {"score": "heldout", "fraction": None},
    ],
    ids=str,
)
def test_learning_refuses_options_of_another_kind(options):
    with pytest.raises(OptionError, match="The option"):
        aw.learn(ROWS, **options)


def test_lists_of_words_reach_the_search():
    assert aw.learn(ROWS, search="ges", phases=["forward"]).graph.n_arcs >= 0
    with pytest.raises(aw.ArcwiseError, match="list such as"):
        aw.learn(ROWS, search="ges", phases="forward")
