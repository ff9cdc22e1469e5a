"""Tables of probabilities: smoothing, what was never seen, sizes, held-out likelihoods, words."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.conditionals import FAMILIES, DiscreteConditional
from arcwise.conditionals.discrete import MOST_CELLS, PseudoCounts
from arcwise.data import Table, Variable
from arcwise.errors import DataError, FitError

ROWS = aw.table({"x": list("aaabbb"), "y": list("uuvvvv")})
THREE = Variable("y", ("u", "v", "never"))


def fit(**options):
    table = Table((ROWS.variables[0], THREE), ROWS.columns)
    return FAMILIES["discrete"].bind(table, **options)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"alpha": 0.0}, [[2 / 3, 1 / 3, 0], [0, 1, 0]]),
        ({"alpha": 1.0}, [[3 / 6, 2 / 6, 1 / 6], [1 / 6, 4 / 6, 1 / 6]]),
        ({"equivalent_sample_size": 6.0}, [[3 / 6, 2 / 6, 1 / 6], [1 / 6, 4 / 6, 1 / 6]]),
        ({"equivalent_sample_size": 2.0}, [[7 / 12, 4 / 12, 1 / 12], [1 / 12, 10 / 12, 1 / 12]]),
        ({"row_alpha": 1.0}, [[7 / 12, 4 / 12, 1 / 12], [1 / 12, 10 / 12, 1 / 12]]),
        ({"row_alpha": 3.0}, [[3 / 6, 2 / 6, 1 / 6], [1 / 6, 4 / 6, 1 / 6]]),
        ({}, [[17 / 33, 11 / 33, 5 / 33], [5 / 33, 23 / 33, 5 / 33]]),
    ],
)
def test_pseudo_counts_of_a_cell_of_a_table_and_of_a_row(options, wanted):
    np.testing.assert_allclose(fit(**options).conditional(1, (0,)).table, wanted)


def test_two_kinds_of_pseudo_counts_are_rejected():
    with pytest.raises(FitError, match="give one of them"):
        fit(alpha=1.0, equivalent_sample_size=1.0)
    with pytest.raises(FitError, match="give one of them"):
        fit(alpha=1.0, row_alpha=1.0)


@pytest.mark.parametrize(
    "smoothing", [PseudoCounts(0.0), PseudoCounts(1.0, "row"), PseudoCounts(1.0, "table")]
)
def test_a_configuration_that_never_occurred_has_even_probabilities(smoothing):
    rows = smoothing.rows(np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]), 2.0)
    np.testing.assert_allclose(rows[0], 1 / 3)
    assert rows[1, 0] > 0.7


def test_equivalent_graphs_have_one_joint_distribution_where_a_table_is_smoothed_as_a_whole():
    rng = np.random.default_rng(1)
    source = aw.table(
        {"a": rng.integers(0, 3, 40).astype(str), "b": rng.integers(0, 2, 40).astype(str)}
    )
    for options, same in (
        ({"equivalent_sample_size": 5.0}, True),
        ({}, True),
        ({"row_alpha": 1.0}, False),
        ({"alpha": 0.0}, True),
    ):
        fits = FAMILIES["discrete"].bind(source, **options)
        forth = fits.conditional(0, ()).table[:, None] * fits.conditional(1, (0,)).table
        back = fits.conditional(1, ()).table[None, :] * fits.conditional(0, (1,)).table.T
        assert np.allclose(forth, back, rtol=1e-12) == fits.same_joint == same


def test_tables_that_are_too_large_are_rejected_with_their_size_and_not_searched():
    rng = np.random.default_rng(2)
    names = [f"v{i}" for i in range(8)]
    variables = tuple(Variable(name, tuple(range(12))) for name in names)
    source = Table(variables, tuple(rng.integers(0, 12, 200).astype(np.uint8) for _ in names))
    fits = FAMILIES["discrete"].bind(source)
    everything = tuple(range(1, 8))
    assert fits.cells(0, everything) == 12**8 > MOST_CELLS
    assert not fits.takes(0, everything)
    assert fits.loglik(0, [everything, (1,)])[0] == -np.inf
    with pytest.raises(FitError, match=r"'v0' given 'v1', .* has 4\.3e\+08 probabilities"):
        fits.conditional(0, everything)
    net = aw.learn(source, score="loglik", search="greedy")
    assert max(fits.cells(child, row) for child, row in enumerate(net.graph.parents)) <= MOST_CELLS


def test_many_levels_are_counted_and_too_many_rejected():
    codes = np.arange(10_000)
    source = Table(
        (Variable("id", tuple(range(10_000))), Variable("y", ("u", "v"))),
        (codes.astype(np.uint16), (codes % 2).astype(np.uint8)),
    )
    assert aw.learn(source).graph.n_arcs == 0
    wide = Table((Variable("id", tuple(range(70_000))),), (np.arange(70_000, dtype=np.uint32),))
    with pytest.raises(DataError, match="'id' has 70000 levels"):
        aw.learn(wide)


def test_rows_folded_into_weights_score_the_same():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (3, 500)).astype(np.uint8)
    variables = tuple(Variable(name, ("n", "y")) for name in "abc")
    fits = FAMILIES["discrete"].bind(Table(variables, tuple(codes)))
    assert fits.counted.shape[1] == 8
    unfolded = np.array([fits.held_out([np.arange(500)]).loglik(0, [()])[0]])
    assert unfolded == pytest.approx(-500 * np.log(2))  # nothing is left to learn from
    plain = [fits.conditional(0, s) for s in [(), (1,), (1, 2)]]
    logs = [
        model.logpdf(codes[0], tuple(codes[list(s)])).sum()
        for model, s in zip(plain, [(), (1,), (1, 2)], strict=True)
    ]
    assert (fits.loglik(0, [(), (1,), (1, 2)]) >= logs).all()
    assert fits.loglik(0, [(), (1,), (1, 2)]) == pytest.approx(logs, abs=0.3)


def test_numbers_of_a_table_are_checked():
    with pytest.raises(FitError, match="sum to 1"):
        DiscreteConditional(np.array([[0.5, 0.6]]))
    with pytest.raises(FitError, match="at least one level"):
        DiscreteConditional(np.zeros((2, 0)))


def test_a_table_in_words_has_a_line_for_each_state_of_the_parents():
    net = aw.example("fuel")
    assert net.local("fuel") == "fuel: empty 0.100, full 0.900"
    lines = net.local("gauge").splitlines()
    assert lines[0] == "gauge given battery, fuel:"
    assert lines[1].split() == ["battery", "fuel", "empty", "full"]
    assert lines[4].split() == ["charged", "empty", "0.800", "0.200"]
    many = DiscreteConditional(np.full((40, 2), 0.5))
    said = many.words(Variable("y", (0, 1)), [Variable("x", tuple(range(40)))])
    assert said.splitlines()[-1].strip() == "... and 8 more rows"
