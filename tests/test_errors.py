"""Errors and the sentences they are made of."""

import pickle
import sys

import pytest

import arcwise as aw
from arcwise import errors
from arcwise.errors import close_to, columns_named, unknown


def test_every_error_is_an_arcwise_error() -> None:
    kinds = [value for name, value in vars(errors).items() if name.endswith("Error")]
    assert len(kinds) == 9
    assert all(issubclass(kind, errors.ArcwiseError) for kind in kinds)


def test_unknown_words_get_close_matches() -> None:
    error = unknown("score", "BIK", ["bic", "aic", "loglik"])
    assert isinstance(error, errors.OptionError)
    assert str(error).startswith("There is no score 'BIK'. Did you mean 'bic'")


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("zzz", ["bic", "aic"], "Choose from 'bic', 'aic'."),
        ("zzz", [], "There are none."),
        (3, ["bic"], "Choose from 'bic'."),
        ("Ph", ["pH", "alcohol"], "Did you mean 'pH'?"),
    ],
)
def test_close_to(word: object, known: list[str], said: str) -> None:
    assert close_to(word, known) == said


def test_long_lists_are_cut() -> None:
    assert close_to("zzz", [f"v{i}" for i in range(100)]).endswith("and 88 more.")


def test_columns_are_numbered_until_somebody_knows_their_names() -> None:
    error = errors.FitError("The covariance of {columns} is {odd}.", range(8))
    assert str(error) == "The covariance of columns 0, 1, 2, 3, 4, 5, ... (8 in all) is {odd}."
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.columns) == (str(error), error.columns)
    with pytest.raises(errors.FitError) as caught, columns_named("abcdefgh"):
        raise error
    assert str(caught.value).startswith("The covariance of columns 'a', 'b', 'c'")
    assert not caught.value.columns
    plain = errors.DataError("{columns} is text here.")
    assert str(plain) == "{columns} is text here."
    with pytest.raises(errors.DataError) as caught_plain, columns_named("ab"):
        raise plain
    assert caught_plain.value is plain


FIGURES = {
    "graph": lambda net: net.plot(),
    "local": lambda net: net.plot_local("LSTAT"),
    "belief": lambda net: net.query("MEDV").plot(),
    "beliefs": lambda net: net.query(["MEDV", "LSTAT"]).plot(),
    "pairs": lambda net: net.plot_pairs("LSTAT", "MEDV"),
    "differences": lambda net: net.plot_differences(net),
    "trace": lambda net: net.plot_trace(),
    "graphs": lambda net: aw.plot_graphs([net]),
    "missing": lambda net: aw.table({"a": [1.5, None], "b": [1.0, 2.0]}).plot_missing(),
}


@pytest.fixture(scope="module")
def net():
    table = aw.example("boston").select(["LSTAT", "MEDV"])
    return aw.learn(table, model="gaussian", certainty=False)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_without_matplotlib_name_what_to_install(net, name, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(errors.LibraryError, match=r"pip install 'arcwise\[plot\]'"):
        FIGURES[name](net)
