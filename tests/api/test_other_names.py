"""Names, calls and values as users of other packages write them are understood, or answered with ours."""

import numpy as np
import pandas as pd
import pytest

import arcwise as aw
from arcwise.api.choices import specification

SOURCE = aw.table(np.random.default_rng(0).normal(size=(30, 3)), names=["a", "b", "c"])


@pytest.mark.parametrize(
    ("what", "name", "ours"),
    [
        ("search", "hc", "greedy"),
        ("search", "hill_climb", "greedy"),
        ("search", "fges", "ges"),
        ("search", "chow_liu", "chow-liu"),
        ("search", "Tabu", "tabu"),
        ("search", "best_of", "best_of"),
        ("score", "bde", "bdeu"),
        ("score", "bic-g", "bic"),
        ("score", "BIC", "bic"),
        ("model", "kde", "parzen"),
        ("model", "lingauss", "gaussian"),
        ("model", {"a": "KDE", "*": "auto"}, {"a": "parzen", "*": "auto"}),
    ],
)
def test_names_of_other_packages_are_understood(what, name, ours):
    assert getattr(specification(**{what: name}), what) == ours


@pytest.mark.parametrize("name", ["pc", "mmhc", "PC_stable", "iamb"])
def test_searches_by_tests_of_independence_are_answered(name):
    with pytest.raises(aw.OptionError, match="maximise a score"):
        specification(search=name)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: aw.learn(SOURCE, whitelist=["a -> b"]), "rules=aw.Rules(required=['a -> b'])"),
        (lambda: aw.learn(SOURCE, maxp=2), "rules=aw.Rules(max_parents=2)"),
        (lambda: aw.learn(SOURCE, "gaussian"), "learn takes data by position"),
        (lambda: aw.fit("a -> b", SOURCE, weights=[1.0]), "aw.table(data, weights=[1.0])"),
        (lambda: aw.fit("a -> b", SOURCE).sample(3, sed=1), "Did you mean 'seed'?"),
        (lambda: aw.fit("a -> b", SOURCE).certainty(drwas=3), "Did you mean 'draws'?"),
        (lambda: aw.path(SOURCE, penalty=0.1), ".at(penalty)"),
        (lambda: aw.posterior(SOURCE, resume=False), "delete the file to start over"),
        (lambda: aw.posterior(SOURCE, sampler="order"), "method=aw.MCMC(sampler='order')"),
        (lambda: aw.Tabu(1, 2, 3, 4, 5, 6), "Tabu takes 5 settings by position, got 6"),
    ],
)
def test_calls_of_other_forms_are_answered_with_the_call_that_works(call, said):
    with pytest.raises(aw.OptionError) as caught:
        call()
    assert said in str(caught.value)


def test_kinds_have_other_names_and_may_list_levels():
    rows = {"x": [1, 2, 2, 1], "y": ["b", "a", "b", None]}
    table = aw.table(rows, kinds={"x": "numeric", "y": ["a", "b", "c"]})
    assert table.variable("x").kind == "continuous"
    assert table.variable("y").levels == ("a", "b", "c")
    assert table.values("y").tolist() == ["b", "a", "b", None]
    assert aw.table(table, kinds={"x": [3, 2, 1]}).variable("x").levels == (3, 2, 1)
    assert aw.table(table, kinds={"x": [3, 2, 1]}).values("x").tolist() == [1, 2, 2, 1]
    assert aw.table(rows, kinds={"x": "categorical"}).variable("x").levels == (1, 2)
    net = aw.fit("[y]", aw.table(rows, kinds={"y": ["a", "b", "c"]}))
    assert float(net.query("y").probability("c")) > 0
    with pytest.raises(aw.DataError, match="'b', which is not among the levels"):
        aw.table(rows, kinds={"y": ["a", "c"]})
    with pytest.raises(aw.DataError, match="must differ"):
        aw.table(rows, kinds={"y": ["a", "b", "a"]})
    with pytest.raises(aw.OptionError, match="no kind of column 'numbers'"):
        aw.table(rows, kinds={"x": "numbers"})


def test_numbers_are_levels_of_files_that_write_all_levels_as_text(tmp_path):
    coin = {1: 0.25, 2: 0.75}
    net = aw.network(
        "[x][y|x]", {"x": coin, "y": {1: {"a": 0.5, "b": 0.5}, 2: {"a": 0.1, "b": 0.9}}}
    )
    again = aw.load(net.save(tmp_path / "coin.bif"))
    for value in (1, "1", 1.0, np.int64(1)):
        assert float(again.query("y", given={"x": value}).probability("a")) == pytest.approx(0.5)
    rows = pd.DataFrame({"x": [1, 2, 1]})
    assert again.predict(rows, "y").probabilities[:, 0] == pytest.approx([0.5, 0.1, 0.5])
    with pytest.raises(aw.DataError, match="not in the training data"):
        again.query("y", given={"x": 3})
