import pytest

from arcwise.api.options import options_of, split_options
from arcwise.errors import WordError


def sample(score, start=None, *, rng, limits=None, on_step=None, rounds=3, shake=1):
    """A function of the form of a search."""


def test_only_what_a_user_may_give_is_an_option():
    assert options_of(sample) == ("rounds", "shake")


def test_options_go_to_those_that_take_them():
    takers = (("search", ("rounds", "both")), ("score", ("gamma", "both")))
    found = split_options({"rounds": 1, "both": 2, "gamma": 3}, *takers)
    assert found == [{"rounds": 1, "both": 2}, {"gamma": 3, "both": 2}]
    with pytest.raises(WordError, match="Did you mean 'rounds'"):
        split_options({"round": 1}, *takers)
