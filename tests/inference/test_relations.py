"""Relations without noise in the data: evidence that breaks them is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise as aw
from arcwise.conditionals import GaussianFamily
from arcwise.data import Moments, Table, Variable
from arcwise.errors import FitError
from arcwise.graphs import dag
from arcwise.inference import predict, query
from arcwise.networks import BayesNet


def fitted(text, columns):
    """A network fitted to columns by name."""
    names = tuple(sorted(columns))
    table = Table(tuple(map(Variable, names)), tuple(np.array(columns[name]) for name in names))
    graph, fits = dag(text, nodes=names), GaussianFamily().bind(Moments.of(table))
    models = tuple(fits.conditional(child, graph.parents[child]) for child in range(len(names)))
    return BayesNet(table.variables, graph, models)


def noise(seed, rows=200):
    return np.random.default_rng(seed).normal(size=rows)


A = 3.0 + noise(0)
TWINS = fitted("b:a + c:a + k", {"a": A, "b": A, "c": A + noise(1), "k": np.full(200, 5.0)})
# The cause of two exact effects may stay unknown.
EFFECTS = fitted("b:a + c:a + d:a", {"a": A, "b": 2 * A, "c": 1 - 3 * A, "d": A + noise(2)})


def test_a_broken_relation_is_rejected_whether_or_not_it_matters():
    with pytest.raises(FitError, match="determine 'b' as 1, but 2 was given"):
        query(TWINS, "c", given={"a": 1, "b": 2})
    assert query(TWINS, "c", given={"a": 1, "b": 1}).mean == query(TWINS, "c", given={"a": 1}).mean


def test_the_floor_itself_is_no_excuse_and_rounding_is_one():
    sd = float(np.std(A))
    for miss in (0.0, 0.5e-3, -0.9e-3):
        query(TWINS, "c", given={"a": 1, "b": 1 + miss * sd})
    for miss in (1.1e-3, -2e-3, 1e6):
        with pytest.raises(FitError, match="'b' as 1, but"):
            query(TWINS, "c", given={"a": 1, "b": 1 + miss * sd})


def test_a_constant_has_its_value():
    assert query(TWINS, "c", given={"k": 5}).sd > 0
    with pytest.raises(FitError, match=r"'k' is always 5, but 5\.001 was given"):
        query(TWINS, "c", given={"k": 5.001})
    assert query(TWINS, "c", do={"k": 7.0}).mean == query(TWINS, "c").mean


@pytest.mark.parametrize("target", ["a", "d"])
def test_relations_through_unknown_variables(target):
    assert query(EFFECTS, target, given={"b": 2, "c": -2}).mean == pytest.approx(1, abs=0.3)
    with pytest.raises(FitError, match=r"determine '(b|c)' as"):
        query(EFFECTS, target, given={"b": 2, "c": -1})


def test_setting_breaks_the_relations_into_it_only():
    assert query(EFFECTS, "a", given={"b": 2}, do={"c": 100}).mean == pytest.approx(1.0, abs=1e-3)
    with pytest.raises(FitError, match="determine 'b' as 10, but 2 was given"):
        query(EFFECTS, "d", given={"b": 2}, do={"a": 5})


def test_tables_are_rejected_where_the_answer_depends_on_it():
    rows = Table((Variable("b"), Variable("c")), (np.full(2, 2.0), np.array([-2.0, -1.0])))
    with pytest.raises(FitError, match="contradicts itself"):
        predict(EFFECTS, rows, "d")
    apart = Table((Variable("a"), Variable("b")), (np.ones(1), np.full(1, 2.0)))
    assert predict(TWINS, apart, "c").mean[0] == query(TWINS, "c", given={"a": 1}).mean


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.floats(-1e6, 1e6), st.floats(1e-3, 1e3))
def test_no_row_of_the_data_is_rejected(seed, shift, size):
    rng = np.random.default_rng(seed)
    x, y = shift + size * rng.normal(size=(2, 50))
    total = x + y
    total[0] += 5e-5 * np.std(total)  # the relation is as good as it must be, but for one row
    net = fitted(
        "t:x:y + u:t + z:x", {"t": total, "x": x, "y": y, "u": -total, "z": noise(seed, 50)}
    )
    for row in range(5):
        known = {"t": total[row], "x": x[row], "y": y[row], "u": -total[row]}
        assert np.isfinite(query(net, "z", given=known).mean)


def test_a_model_with_as_many_coefficients_as_rows_proves_nothing():
    columns = {name: noise(i, 3) for i, name in enumerate("abc")}
    net = fitted("c:a:b", columns)
    assert net.conditionals[2].at_floor
    assert net.conditionals[2].rows == 3
    query(net, "a", given={"b": 1.0, "c": 9.0})
    net = fitted("c:a:b + d:a", {**columns, "d": noise(9, 3)})
    query(net, "d", given={"a": 1.0, "b": 1.0, "c": 9.0})


def test_a_learned_network_refuses_as_well():
    net = aw.learn({"a": A, "b": A.copy(), "c": A + noise(3)})
    with pytest.raises(FitError, match="contradicts itself"):
        net.query("c", given={"a": 1, "b": 2})
