"""Options reach those that take them, and only values of the right kind do."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import OptionError
from arcwise.learners.options import check_option, checked_options, options_of

ROWS = {name: np.random.default_rng(i).normal(size=30) for i, name in enumerate("abc")}


def sample(
    score, start=None, *, rng, limits=None, on_step=None, rounds: int = 3, shake: "int | None" = 1
):
    """A function of the form of a search."""


def test_only_what_a_user_may_give_is_an_option():
    assert options_of(sample) == {"rounds": int, "shake": int | None}


def test_options_exist_and_are_of_their_kind():
    kinds = {"rounds": int, "gamma": float}
    assert checked_options("the search", {"rounds": 1.0, "gamma": 3}, kinds) == {
        "rounds": 1,
        "gamma": 3.0,
    }
    with pytest.raises(OptionError, match="Did you mean 'rounds'"):
        checked_options("the search", {"round": 1}, kinds)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"graph": "undirected", "combine": "and"}, "search=aw.Neighbourhood(combine='and')"),
        ({"score": "bic", "scale": "covariance"}, "search=aw.Glasso(scale='covariance')"),
        ({"search": "greedy", "restarts": 3}, "search=aw.Greedy(restarts=3)"),
        ({"search": "boss", "restarts": 3}, "write search=aw.BOSS(restarts=3)."),
        ({"score": "bic", "folds": 3}, "score=aw.KFold(folds=3)"),
        ({"bandwidths": "one"}, "model=aw.Parzen(bandwidths='one')"),
        ({"search": "greedy", "tolerence": 0.1}, "Did you mean 'tolerance'"),
        ({"max_parents": 2}, "rules=aw.Rules(max_parents=2)"),
        ({"blacklist": ["a -> b"]}, "rules=aw.Rules(forbidden=['a -> b'])"),
        ({"max_indegree": 3}, "rules=aw.Rules(max_parents=3)"),
        ({"expert": "a -> b"}, "prior=aw.Prior(graph='a -> b')"),
        ({"kinds": {"a": "discrete"}}, "aw.table(data, kinds={'a': 'discrete'})"),
        ({"start": "complete"}, "search=aw.Auto(start='complete')"),
        ({"nonsense": 3}, "no parameter 'nonsense'"),
    ],
)
def test_an_option_given_as_a_parameter_shows_the_new_call(words, said):
    with pytest.raises(OptionError) as caught:
        aw.learn(ROWS, **words)
    assert said in str(caught.value)


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
    found = check_option("option", value, kind)
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
def test_values_of_another_kind_are_rejected(value, kind, words):
    with pytest.raises(OptionError, match=f"The option 'option' must be .*{words}"):
        check_option("option", value, kind)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (aw.Tabu, {"restarts": 1.5}),
        (aw.Tabu, {"restarts": -1}),
        (aw.Tabu, {"tabu_length": None}),
        (aw.Annealing, {"steps": -1}),
        (aw.Greedy, {"max_steps": -1}),
        (aw.Greedy, {"tolerance": -1}),
        (aw.GES, {"iterate": 3}),
        (aw.EBIC, {"gamma": [1]}),
        (aw.BGe, {"alpha_mu": "one"}),
        (aw.KFold, {"folds": 2.5}),
        (aw.HeldOut, {"fraction": None}),
    ],
    ids=str,
)
def test_objects_refuse_settings_of_another_kind(kind, settings):
    with pytest.raises(OptionError, match="The option"):
        kind(**settings)


def test_lists_of_words_reach_the_search():
    assert aw.learn(ROWS, search=aw.GES(phases=["forward"])).graph.n_arcs >= 0
    with pytest.raises(aw.ArcwiseError, match="list such as"):
        aw.learn(ROWS, search=aw.GES(phases="forward"))
