import numpy as np
import pytest
from contracts.cases import levels, linear, table
from contracts.multinomial import Multinomial
from naive import gaussian as naive

from arcwise.conditionals import FAMILIES, Fits
from arcwise.errors import FitError
from arcwise.scores import aic, bic, ebic, loglik

SOURCE = linear(1)
FITS = FAMILIES["gaussian"].bind(SOURCE)


def by_hand(child, parents, charge):
    return naive.loglik(SOURCE.matrix(), child, parents) - charge * (len(parents) + 2)


@pytest.mark.parametrize(("score", "charge"), [(loglik, 0.0), (aic, 1.0), (bic, 0.5 * np.log(80))])
def test_each_charges_its_price_per_parameter(score, charge):
    for child in range(5):
        sets = list(naive.parent_sets(5, child))
        expected = [by_hand(child, s, charge) for s in sets]
        assert score(FITS).many(child, sets) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 3.0])
def test_extended_bic_charges_for_the_choice_of_parents(gamma):
    score = ebic(FITS, gamma=gamma)
    for child in range(5):
        sets = list(naive.parent_sets(5, child))
        expected = [by_hand(child, s, 0.5 * np.log(80)) - gamma * len(s) * np.log(5) for s in sets]
        assert score.many(child, sets) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("gamma", [-0.1, np.nan, np.inf])
def test_a_gamma_that_makes_no_sense_is_rejected(gamma):
    with pytest.raises(FitError, match="gamma"):
        ebic(FITS, gamma=gamma)


def test_weights_set_the_number_of_rows_in_the_price():
    doubled = FAMILIES["gaussian"].bind(SOURCE.with_weights(np.full(80, 2.0)))
    charge = bic(doubled).local(0, ()) - 2 * naive.loglik(SOURCE.matrix(), 0, ())
    assert charge == pytest.approx(-np.log(160))


def test_every_further_parent_costs_the_same_so_that_noise_keeps_no_complete_graph():
    rng = np.random.default_rng(3)
    columns = {f"v{i:02}": rng.normal(size=300) for i in range(30)}
    noise = FAMILIES["gaussian"].bind(table(columns))
    for gamma in (0.5, 1.0):
        score, everyone = ebic(noise, gamma=gamma), tuple(range(1, 30))
        assert score.local(0, everyone) < score.local(0, everyone[1:]) < score.local(0, ())


class Fast(Fits):
    """A discrete family with sweeps and subsets of its own, and counts that follow the levels."""

    lattice = True

    def __init__(self, source):
        self.rowwise, self.nodes, self.rows = Multinomial().bind(source), source.names, source.total
        self.swept = 0

    def conditional(self, child, parents):
        return self.rowwise.conditional(child, parents)

    def loglik(self, child, sets):
        return self.rowwise.loglik(child, sets)

    def n_params(self, child, sets):
        return self.rowwise.n_params(child, sets)

    def loo(self, child, sets):
        return self.rowwise.loo(child, sets)

    def held_out(self, parts):
        return self.rowwise.held_out(parts)

    def sweep(self, children, bases):
        self.swept += 1
        return loglik(self.rowwise).sweep(children, bases)

    def subsets(self, child, candidates, always, most):
        self.swept += 1
        found = loglik(self.rowwise).subsets(child, candidates, always, most)
        return np.where(np.isneginf(found), np.nan, found)


@pytest.mark.parametrize("make", [loglik, aic, bic, ebic])
def test_counts_by_levels_are_charged_set_by_set_in_sweeps_and_lattices(make):
    source = levels(1, rows=40, p=4)
    fits = Fast(source)
    fast, slow = make(fits), make(fits.rowwise)
    assert fast.lattice
    assert not slow.lattice
    children, bases = [0, 1, 3], [(), (0, 2), (1,)]
    mask = np.random.default_rng(1).random((3, 4)) < 0.7
    for among in (None, mask):
        for one, two in zip(
            fast.sweep(children, bases, among), slow.sweep(children, bases, among), strict=True
        ):
            assert one == pytest.approx(two, rel=1e-12)
    assert fast.subsets(2, [0, 3], (1,), 2) == pytest.approx(slow.subsets(2, [0, 3], (1,), 2))
    assert fits.swept == 3
