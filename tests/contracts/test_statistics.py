"""The contract of statistics: whatever the source, local models are those refitted to the rows that count."""

import numpy as np
import pytest
from contracts.cases import levels, linear, mixed
from contracts.sources import Expected, Intervened, partial_sums

import arcwise as aw
from arcwise.conditionals import FAMILIES, choose
from arcwise.conditionals.rowwise import ViewFits
from arcwise.data import (
    Available,
    Complete,
    GatheredMoments,
    Moments,
    Statistics,
    Table,
    statistics_of,
)
from arcwise.errors import FitError
from arcwise.graphs import DAG
from arcwise.learners import Specification, bind
from arcwise.scores import bic, total

TABLES = {"gaussian": linear, "discrete": levels, "clg": mixed, "parzen": linear}


def holes(table: Table, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    columns = []
    for variable, column in zip(table.variables, table.columns, strict=True):
        missing, full = rng.random(table.rows) < 0.15, column.copy()
        full[missing] = len(variable.levels) if variable.discrete else np.nan
        columns.append(full)
    return Table(table.variables, tuple(columns))


def families(word: str, table: Table):
    return choose("auto" if word == "clg" else word, table.variables)


def children(family, table: Table) -> list[int]:
    return [i for i, v in enumerate(table.variables) if v.kind in family.kinds_of(v.name)]


@pytest.mark.parametrize("word", TABLES)
def test_rows_set_from_outside_are_dropped_for_that_child_alone(word):
    table = TABLES[word](3, rows=60, p=3)
    family, rows = families(word, table), np.arange(60) % 4 == 0
    name = table.names[children(family, table)[0]]
    fits = family.bind(Intervened(table, {name: rows}))
    assert isinstance(fits, ViewFits)
    for child in children(family, table):
        seen = table.take(~rows) if table.names[child] == name else table
        sets = _sets(child)
        expected = family.bind(seen).loglik(child, sets)
        assert fits.loglik(child, sets) == pytest.approx(expected, rel=1e-12)
        assert fits.loo(child, sets) == pytest.approx(family.bind(seen).loo(child, sets), rel=1e-12)


def _sets(child: int) -> list[tuple[int, ...]]:
    others = [i for i in range(3) if i != child]
    return [(), (others[0],), (others[1],), tuple(others)]


@pytest.mark.parametrize("word", TABLES)
def test_every_model_sees_the_rows_that_have_all_of_its_variables(word):
    table = holes(TABLES[word](4, rows=80, p=3), 1)
    family, source = families(word, table), Available(table)
    fits = family.bind(source)
    for child in children(family, table):
        for parents in _sets(child):
            seen = table.select([table.names[i] for i in (child, *parents)]).complete()
            place = {name: i for i, name in enumerate(seen.names)}
            own = tuple(sorted(place[table.names[i]] for i in parents))
            given = [table.variables[i] for i in parents]
            value = fits.loglik(child, [parents])[0]
            if not family.takes(table.variables[child], given):
                assert value == -np.inf
                continue
            alone = choose({n: family.models_of([n])[0] for n in seen.names}, seen.variables).bind(
                seen
            )
            assert value == pytest.approx(alone.loglik(place[table.names[child]], [own])[0])


@pytest.mark.parametrize("word", ["gaussian", "discrete"])
def test_expected_statistics_need_no_rows(word):
    table = TABLES[word](5, rows=70, p=3)
    family = FAMILIES[word]
    fits, whole = family.bind(Expected(table)), family.bind(table)
    for child in range(3):
        assert fits.loglik(child, _sets(child)) == pytest.approx(whole.loglik(child, _sets(child)))
        model, same = (each.conditional(child, _sets(child)[3]) for each in (fits, whole))
        assert model.logpdf(table.columns[child][:5], _first(table, child)) == pytest.approx(
            same.logpdf(table.columns[child][:5], _first(table, child))
        )
    with pytest.raises(FitError, match="rows of the table, got only expected statistics"):
        fits.loo(0, [()])
    graph = DAG.from_arcs([(table.names[0], table.names[1])], table.names)
    assert total(bic(fits), graph) == pytest.approx(total(bic(whole), graph))


def _first(table: Table, child: int) -> tuple[np.ndarray, ...]:
    return tuple(table.columns[i][:5] for i in _sets(child)[3])


def test_a_source_of_ones_own_is_learned_from():
    table = linear(6, rows=200, p=5)
    for source in (Expected(table), partial_sums(table)):
        learned = bind(Specification(np.random.default_rng(0)), source).learn(0.0)
        assert learned.net.graph == aw.learn(table, certainty=False).graph
    rows = np.arange(200) % 2 == 0
    problem = bind(Specification(np.random.default_rng(0)), Intervened(table, {"v1": rows}))
    assert not problem.score.equivalent
    assert problem.learn(0.0).net.models == ("gaussian",) * 5


def test_merged_parts_far_from_zero_lose_no_digits():
    """Finished means lose 2e-10 of a variance at an offset of 1e8 in 200 parts; a shift and a rest do not."""
    rng = np.random.default_rng(7)
    near = rng.normal(size=(2000, 2)) @ np.array([[1.0, 0.5], [0.0, 1.0]])
    exact = np.cov(near.T, bias=True)
    far = aw.table({"a": near[:, 0] + 1e8, "b": near[:, 1] + 1e8})
    stored = np.column_stack([far.column("a") - 1e8, far.column("b") - 1e8])  # what doubles hold
    expected = np.cov(stored.T, bias=True)
    merged = partial_sums(far, 200).moments()
    assert merged.n == 2000
    assert np.abs(merged.covariance - expected).max() < 1e-13
    assert np.abs(exact - expected).max() > 1e-13  # the offset itself costs digits


def test_artificial_rows_are_merged_with_moments_and_with_rows():
    table = linear(8, rows=40, p=3)
    more = table.take(np.arange(5))
    both = Complete(table).merged(Complete(more))
    assert both.total == 45
    moments = GatheredMoments(Moments.of(table)).merged(Complete(more)).moments()
    assert moments.covariance == pytest.approx(both.moments().covariance)
    by_rows = aw.learn(table, certainty=False, prior=aw.Prior(rows=more))
    by_moments = aw.learn(Moments.of(table), certainty=False, prior=aw.Prior(rows=more))
    assert by_moments.score == pytest.approx(by_rows.score)


def test_every_source_says_what_it_lacks():
    class Empty(Statistics):
        variables, names, order, notes, content = (), (), (), (), "sketches"
        total = effective_rows = 0.0

        def typical(self, most):
            return ()

        def constant(self):
            return ()

    for ask in (
        lambda s: s.rows("A test needs"),
        lambda s: s.moments(),
        lambda s: s.counts((0,)),
        lambda s: s.reweighted([1.0]),
        lambda s: s.merged(s),
    ):
        with pytest.raises(FitError, match=r"only sketches|to sketches"):
            ask(Empty())
    source = Empty()
    assert statistics_of(source) is source
    assert source.view(0, ()) is source
