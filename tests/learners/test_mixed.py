"""Tables that mix numbers and levels are learned without an option: asked, saved and loaded."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.conditionals import choose
from arcwise.data import Variable
from arcwise.errors import DataError, OptionError


@pytest.mark.parametrize(
    ("path", "model"),
    [("deal/ksl.csv", "curved"), ("grbase/rats.csv", "glm"), ("grbase/cad1.csv", "discrete")],
)
def test_a_real_mixed_table_needs_no_option(path, model, tmp_path, shared_data):
    table = aw.read(shared_data / path)
    net = aw.learn(table, certainty=False)
    kinds = {v.name: v.discrete for v in net.net.variables}
    assert net.settings["model"] == model
    again = aw.load(net.save(tmp_path / "net.json"))
    rows = table.complete()
    assert again.net.models == net.net.models
    assert np.isfinite(net.logpdf(rows)).all()
    assert (again.logpdf(rows) == net.logpdf(rows)).all()
    for name in (name for name, discrete in kinds.items() if not discrete):
        alone, values = net.query(name, seed=1), np.asarray(rows.values(name), dtype=float)
        assert abs(alone.mean - values.mean()) < values.std() / 2
        assert alone.sd < 2 * values.std()
    others = {name: rows.values(name)[0] for name in rows.names}
    for name, discrete in kinds.items():
        given = {other: value for other, value in others.items() if other != name}
        answer = net.query(name, given=given, seed=1)
        known = sum(answer.probabilities.values()) if discrete else answer.mean
        assert known == pytest.approx(1.0) if discrete else np.isfinite(known)


def homes_with_towns() -> aw.Table:
    homes = aw.example("boston")
    numbers = {name: homes.values(name) for name in ("RM", "LSTAT", "MEDV", "NOX")}
    dear = np.where(homes.values("MEDV") > 21, "hill", "dale")
    return aw.table({**numbers, "town": dear})


def test_numbers_depend_on_levels():
    net = aw.learn(homes_with_towns(), certainty=False)
    assert net.settings["model"] == "glm"
    assert set(net.net.models) >= {
        "glm"
    }  # others may predict held-out rows better and replace some
    assert "town" in net.blanket("MEDV")
    assert not any("no time" in note for note in net.notes)
    hill, dale = (net.query("MEDV", given={"town": t}, seed=1).mean for t in ("hill", "dale"))
    assert hill > dale + 5


def test_names_and_order_of_columns_change_nothing():
    table = homes_with_towns()
    net = aw.learn(table, certainty=False)
    turned = aw.learn(table.select(tuple(reversed(table.order))), certainty=False)
    assert turned.graph == net.graph
    assert turned.score == net.score


def test_few_rows_bound_the_parents_of_mixed_tables_as_of_numbers():
    net = aw.learn(homes_with_towns().head(24), certainty=False)
    assert net.settings["max_parents"] == 2
    assert max(map(len, net.graph.parents)) <= 2


def test_undirected_graphs_take_parzen_windows():
    net = aw.learn(homes_with_towns().head(60), graph="undirected", certainty=False)
    assert set(net.net.models) == {"parzen"}


@pytest.mark.parametrize(
    ("kinds", "model", "expected"),
    [
        ("xx", "auto", "gaussian gaussian"),
        ("xn", "auto", "gaussian gaussian"),
        ("nt", "auto", "discrete discrete"),
        ("xt", "auto", "glm glm"),
        ("xnt", "auto", "glm glm glm"),
        ("xxt", {"a": "parzen"}, "parzen glm glm"),
        ("xxt", {"a": "parzen", "*": "auto"}, "parzen glm glm"),
        ("xxt", {"b": "gaussian", "*": "parzen"}, "parzen gaussian parzen"),
        ("xx", "kde", "parzen parzen"),
    ],
)
def test_every_variable_gets_its_family(kinds, model, expected):
    levels = {"x": None, "n": (0, 1, 2), "t": ("u", "v")}
    variables = [Variable(name, levels[kind]) for name, kind in zip("abc", kinds, strict=False)]
    family = choose(model, variables)
    assert " ".join(family.models_of([v.name for v in variables])) == expected
    assert choose(family, variables) is family


def test_unknown_models_and_variables_are_errors():
    variables = [Variable("price")]
    with pytest.raises(OptionError, match="model"):
        choose("gausian", variables)
    with pytest.raises(DataError, match=r"no variable 'prise'. Did you mean 'price'"):
        choose({"prise": "parzen"}, variables)


def test_no_search_meets_a_parent_that_no_model_takes():
    """Twelve columns are beyond the exact search; turned arcs used to end in an error there."""
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(120, 6)) @ (np.eye(6) + np.triu(rng.normal(size=(6, 6)), 1))
    columns = {f"x{i}": numbers[:, i] for i in range(6)}
    columns |= {
        f"t{i}": np.where(numbers[:, i] + rng.normal(size=120) > 0, "u", "v") for i in range(6)
    }
    table = aw.table(columns)
    model = {f"x{i}": "clg" for i in range(6)} | {"*": "discrete"}
    for search in ("auto", "greedy", "tabu", "ges", "boss"):
        net = aw.learn(table, model=model, search=search, certainty=False)
        into_levels = [tail for tail, head in net.graph.arcs if head.startswith("t")]
        assert all(tail.startswith("t") for tail in into_levels)
