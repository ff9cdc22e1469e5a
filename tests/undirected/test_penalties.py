"""Penalties that differ from pair to pair, from Python and from files."""

import numpy as np
import pandas as pd
import pytest

import arcwise as aw
from arcwise.errors import ArcwiseError, DataError, FitError, OptionError
from arcwise.undirected.given_matrices import factors_of
from arcwise.undirected.glasso import glasso

NAMES = ["d", "b", "a", "c"]  # not in order, as files are


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(120, 4)) @ (np.eye(4) + 0.5 * rng.normal(size=(4, 4)))
    return pd.DataFrame(x * [1.0, 10.0, 0.1, 3.0], columns=NAMES)


@pytest.fixture(scope="module")
def prices():
    rng = np.random.default_rng(4)
    values = rng.uniform(0.02, 0.5, (4, 4))
    values = (values + values.T) / 2
    return pd.DataFrame(values, index=NAMES, columns=NAMES)


def lasso(data, factors=None, **words):
    search = aw.Glasso(refit=False, factors=factors)
    return aw.learn(data, graph="undirected", model="gaussian", search=search, **words)


def test_a_matrix_gives_the_solution_at_those_penalties(table, prices):
    net = lasso(table, penalty=prices)
    expected = glasso(table.corr().to_numpy(), prices.to_numpy())
    assert {frozenset(e) for e in net.graph.edges} == {
        frozenset((NAMES[i], NAMES[j])) for i, j in expected.edges
    }
    sd = table.std(ddof=0).to_numpy()
    order = [net.net.graph.nodes.index(name) for name in NAMES]
    found = net.net.joint.covariance[np.ix_(order, order)] / np.outer(sd, sd)
    np.testing.assert_allclose(found, expected.covariance, atol=1e-6)
    assert net.settings["penalty"] == 1.0
    assert net.settings["penalty_unit"] == "rho, times the matrix given"
    assert net.settings["search_options"]["factors"].startswith("a matrix of 4 x 4")


def test_every_form_of_a_matrix_is_the_same(table, prices, tmp_path):
    file = tmp_path / "prices.csv"
    prices.to_csv(file)
    shuffled = prices.loc[["a", "c", "b", "d"], ["c", "d", "a", "b"]]
    forms = [prices.to_numpy(), prices.to_numpy().tolist(), str(file), file, shuffled]
    wanted = lasso(table, penalty=prices).net.joint.covariance
    for form in forms:
        assert (lasso(table, penalty=form).net.joint.covariance == wanted).all()
    factors = lasso(table, penalty=0.5, factors=prices * 2)
    np.testing.assert_allclose(factors.net.joint.covariance, wanted, rtol=1e-12)
    saved = lasso(table, penalty=prices).save(tmp_path / "net.json")
    assert (aw.load(saved).net.joint.covariance == wanted).all()


def test_columns_in_another_order_change_nothing_but_plain_matrices(table, prices):
    turned = table[["a", "b", "c", "d"]]
    one, two = lasso(table, penalty=prices), lasso(turned, penalty=prices)
    assert (one.net.joint.covariance == two.net.joint.covariance).all()
    plain = prices.loc[turned.columns, turned.columns].to_numpy()
    assert (lasso(turned, penalty=plain).net.joint.covariance == one.net.joint.covariance).all()


def test_pairs_without_penalty_and_pairs_ruled_out(table):
    free, barred = {("a", "b"): 0.0}, {("a", "c"): np.inf, ("d", "b"): np.inf}
    path = aw.path(
        table, graph="undirected", model="gaussian", search=aw.Glasso(factors={**free, **barred})
    )
    assert all(frozenset("ab") in map(frozenset, knot.graph.edges) for knot in path.knots)
    assert len(path.knots[-1].graph.edges) == 1
    for knot in path.knots:
        assert not {frozenset("ac"), frozenset("db")} & set(map(frozenset, knot.graph.edges))
    assert path.unit == "rho, times factors"
    rules = aw.Rules(required=[("a", "b")], forbidden=[("a", "c"), ("d", "b")])
    by_rules = lasso(table, penalty=0.05, rules=rules)
    by_factors = lasso(table, penalty=0.05, factors={**free, **barred})
    np.testing.assert_allclose(by_factors.net.joint.covariance, by_rules.net.joint.covariance)


@pytest.mark.parametrize("rule", ["ebic", "cv"])
@pytest.mark.parametrize("search", [aw.Glasso, aw.Neighbourhood])
def test_rules_choose_with_factors(table, rule, search):
    words = {"graph": "undirected", "model": "gaussian", "penalty": rule}
    plain = aw.learn(table, search=search(), **words)
    doubled = aw.learn(table, search=search(factors=np.full((4, 4), 2.0)), **words)
    assert doubled.graph == plain.graph
    assert doubled.settings["penalty"] == pytest.approx(plain.settings["penalty"] / 2)


@pytest.mark.parametrize(
    ("penalty", "said"),
    [
        (np.ones((3, 3)), "row for each of the 4 columns"),
        (np.ones((3, 4)), "square matrix, got shape"),
        (-np.ones((4, 4)), "non-negative number, got -1"),
        (np.full((4, 4), np.nan), "non-negative number, got nan"),
        ([["x"] * 4] * 4, "other content"),
        (pd.DataFrame(np.ones((4, 4)), index=NAMES, columns=list("abce")), "same names for rows"),
        (pd.DataFrame(np.ones((3, 3)), index=list("abc"), columns=list("abc")), "no row for 'd'"),
        ("nowhere.csv", "cannot be read from nowhere.csv"),
    ],
)
def test_bad_matrices_are_rejected_with_a_message(table, penalty, said):
    with pytest.raises((FitError, DataError), match=said):
        lasso(table, penalty=penalty)


def test_asymmetric_matrices_name_the_pair(table, prices):
    wrong = prices.copy()
    wrong.loc["a", "b"] = 3.0
    with pytest.raises(FitError, match=r"'a' and 'b' is 3 one way"):
        lasso(table, penalty=wrong)


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ({("a", "z"): 1.0}, "no column 'z'"),
        ({"ab": 1.0}, "pairs of variables"),
        ({("a", "a"): 1.0}, "pairs of variables"),
        ({("a", "b"): 1.0, ("b", "a"): 2.0}, "got two"),
    ],
)
def test_bad_pairs_are_rejected_with_a_message(table, factors, said):
    with pytest.raises(FitError, match=said):
        lasso(table, penalty=0.1, factors=factors)


def test_other_models_and_searches_say_whom_it_is_for(table, prices):
    for words in ({"graph": "directed"}, {"graph": "undirected", "search": "boundary"}):
        with pytest.raises(OptionError, match="are for the lasso"):
            aw.learn(table, penalty=prices, model="gaussian", **words)
    with pytest.raises(OptionError, match="not both"):
        lasso(table, penalty=prices, factors=prices)
    with pytest.raises(ArcwiseError):
        aw.path(table, graph="undirected", model="gaussian", penalty=prices)


def test_factors_print_short(prices):
    assert str(factors_of({("a", "b"): 2.0})) == "for 1 pair"
    assert factors_of(factors_of(prices)).names == tuple(NAMES)


def test_frames_without_names_of_rows_go_by_their_columns(table, prices):
    import polars as pl
    import pyarrow as pa

    turned = prices.loc[sorted(NAMES), sorted(NAMES)]
    wanted = lasso(table, penalty=prices).net.joint.covariance
    for form in (
        pl.from_pandas(turned),
        pa.table({n: turned[n].to_numpy() for n in sorted(NAMES)}),
    ):
        assert (lasso(table, penalty=form).net.joint.covariance == wanted).all()


@pytest.mark.parametrize("value", ["x", [1, 2], float("nan"), -1.0, True])
def test_factors_of_pairs_are_numbers(table, value):
    with pytest.raises(FitError, match="'a' and 'b' must be a non-negative number"):
        lasso(table, penalty=0.1, factors={("a", "b"): value})


@pytest.mark.parametrize("rule", ["stars", "ric"])
def test_rules_and_factors_say_the_same(rule):
    """All pairs but those of a chain are ruled out, one way or the other."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 8))
    x[:, 1:] += 0.5 * x[:, :-1]
    rows = pd.DataFrame(x, columns=list("abcdefgh"))
    out = [(a, b) for a in "abcdefgh" for b in "abcdefgh" if ord(b) - ord(a) > 1]
    words = {"graph": "undirected", "model": "gaussian", "penalty": rule}
    ruled = aw.learn(rows, rules=aw.Rules(forbidden=[f"{a} -- {b}" for a, b in out]), **words)
    priced = aw.learn(rows, search=aw.Glasso(factors=dict.fromkeys(out, np.inf)), **words)
    assert ruled.settings["penalty"] == pytest.approx(priced.settings["penalty"], rel=1e-9)
    assert ruled.graph == priced.graph


def test_no_factors_are_none(table):
    words = {"graph": "undirected", "penalty": 0.1}
    assert (
        aw.learn(table, search=aw.Glasso(factors=None), **words).graph
        == aw.learn(table, **words).graph
    )
