"""Errors and the sentences they are made of."""

import ast
import pickle
import re
import sys
from pathlib import Path

import pytest

import arcwise as aw
from arcwise import errors
from arcwise.errors import close_to, columns_named, unknown
from arcwise.notes import Idiom


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


MIXED = {"x": [1.5, 2.25, 3.5, 4.75] * 5, "y": ["u", "v", "u", "v"] * 5}
NUMBERS = {"x": [1.5, 2.25, 3.5, 4.75, 9.5] * 4, "z": [0.5, 2.5, 1.25, 3.75, 1.5] * 4}

SHELL = {
    "kinds": (
        lambda _: aw.learn(MIXED, model="gaussian"),
        "'y' holds levels (text, booleans, or by --kind), and gaussian models take numbers only: leave it "
        "out with --drop, cut the numbers into levels with --discretise quantiles, or take --model ",
    ),
    "infinite": (
        lambda _: aw.table({"model='x'": [1.5, float("inf")]}),
        "Column \"model='x'\" has infinite values, 1 in all and the first in row 2: replace them, or treat "
        "them as missing with --na-values=inf --na-values=-inf.",
    ),
    "no number": (
        lambda _: aw.table({"x": ["1.5", "?"]}, kinds={"x": "continuous"}),
        "if it means missing, give --na-values='?'.",
    ),
    "missing": (
        lambda _: aw.learn(NUMBERS, missing="?"),
        "--missing must be a policy for missing values",
    ),
    "score": (
        lambda _: aw.learn(NUMBERS, score="bdeu", model="gaussian"),
        "is a score of discrete models: use --model discrete, or another score.",
    ),
    "penalty": (
        lambda _: aw.learn(NUMBERS, penalty="bic"),
        "--penalty bic is a score, not a rule for the penalty: write --score bic;",
    ),
    "two values": (
        lambda _: aw.discretise(NUMBERS, "quantiles", target="x"),
        "--target is for --method entropy, got --method quantiles.",
    ),
    "method": (
        lambda _: aw.posterior(NUMBERS, method=aw.Bootstrap(), prior="fair"),
        "A prior over graphs is for --method exact and 'mcmc'",
    ),
    "undirected": (
        lambda _: aw.posterior(NUMBERS, graph="undirected", method="exact"),
        "leave --graph undirected out, or use --method bootstrap.",
    ),
    "parents": (
        lambda _: aw.learn(NUMBERS, rules=aw.Rules(required=["x -> z"], max_parents=0)),
        "has 1 required parents, but --max-parents is 0: raise it, or require fewer.",
    ),
    "names with arrows": (
        lambda _: aw.learn(NUMBERS, rules=aw.Rules(required=["a:b:c"])),
        """write other names as '"tail","head"' in quotes.""",
    ),
    "levels in batches": (
        lambda path: aw.counts(path),
        "choose columns with --only, or cut the numbers into levels first, with 'arcwise discretise'.",
    ),
}


@pytest.mark.parametrize("name", SHELL)
def test_errors_name_options_as_one_types_them_in_the_shell(name, tmp_path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("a,b\n" + "1.5,2.25\n0.5,3.75\n" * 9)
    call, wanted = SHELL[name]
    with pytest.raises(errors.ArcwiseError) as caught:
        call(path)
    assert wanted in caught.value.worded(Idiom.SHELL)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.worded(Idiom.SHELL) == caught.value.worded(Idiom.SHELL)
    assert not re.search(r"\{[\w ]+(=|\(\))\}", str(caught.value))


PLACE = re.compile(r"(?<!\{)\{([a-z_ ]+)(=|\(\))\}(?!\})")


def test_every_place_in_a_sentence_has_its_fix() -> None:
    source = Path(aw.__file__).parent
    loose = []
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            fixes = [each.value for each in getattr(node, "keywords", ()) if each.arg == "fixes"]
            if not isinstance(node, ast.Call) or not node.args or not fixes:
                continue
            parts = [part for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)]
            places = PLACE.findall("".join(str(part.value) for part in parts))
            made = ast.unparse(fixes[0])
            if "'" in made:
                loose += [(path.name, name) for name, _ in places if repr(name) not in made]
    assert not loose


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
