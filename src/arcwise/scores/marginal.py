"""Scores of discrete networks that look at the counts themselves: K2, BDeu, BDs and qNML.

With N_jk rows that have the child's level k (of r) and the parents' configuration j (of q), N_j = sum_k N_jk:

* K2, BDeu, BDs: the marginal likelihood under Dirichlet priors with pseudo-counts a_jk, a_j = r a_jk,

      sum_j log G(a_j) - log G(a_j + N_j) + sum_k log G(a_jk + N_jk) - log G(a_jk);

  a_jk = 1 for K2 (Cooper and Herskovits 1992), alpha / (r q) for BDeu (Heckerman, Geiger and Chickering
  1995), alpha the equivalent sample size, and alpha / (r s) for BDs (Scutari 2016), where s configurations
  occur. Of these BDeu alone gives equivalent graphs the same score.
* qNML (Silander, Leppa-aho, Jaasaari and Roos 2018): the largest log-likelihood minus
  regret(n, r q) - regret(n, q), the regrets of multinomial distributions with so many cells. It has no
  parameter, and equivalent graphs tie.

All of them take `gamma`, a prior over graphs in which each parent costs gamma log p with p variables, as
in the extended BIC: a marginal likelihood, too, forgets that a parent was chosen among many.
"""

from typing import Any

import numpy as np

from arcwise._kernels.local_scores import DiscreteScores
from arcwise.conditionals import Fits
from arcwise.conditionals.discrete import MOST_CELLS
from arcwise.conditionals.discrete_fits import DiscreteFits
from arcwise.errors import FitError
from arcwise.scores.base import Batched, Score

__all__ = ["bdeu", "bds", "k2", "qnml"]


def k2(fits: Fits, *, gamma: float = 0.0) -> Score:
    """Marginal likelihood with one pseudo-count for each cell."""
    return _counted("k2", fits, gamma, "marginal", equivalent=False, each="cell", alpha=1.0)


def bdeu(
    fits: Fits,
    *,
    equivalent_sample_size: float = 1.0,
    gamma: float = 0.0,
    cells_per_row: float | None = None,
    jackknife: float = 0.0,
) -> Score:
    """Marginal likelihood with pseudo-counts shared among all cells of a table.

    Tables of more than `cells_per_row` cells for each row score -inf: where no two rows share a
    configuration, the even prior takes any parents for good ones of a child whose levels are even.

    `jackknife` is an expected count, 0 for none. A parent whose rarest level and the child's rarest level
    meet by chance in fewer rows than that is penalised by the largest gain that one row gives to the pair.
    So no arc rests on a single row; with rare levels such arcs are the common false ones.
    """
    size, most = _positive("bdeu", equivalent_sample_size), float(MOST_CELLS)
    if cells_per_row is not None:
        levels = _tables("bdeu", fits).levels
        most = min(most, max(cells_per_row * fits.rows, *levels, 1.0))
    options = {"each": "table", "alpha": size, "most_cells": most, "jackknife": jackknife}
    return _counted("bdeu", fits, gamma, "marginal", equivalent=True, **options)


def bds(fits: Fits, *, equivalent_sample_size: float = 1.0, gamma: float = 0.0) -> Score:
    """Marginal likelihood with pseudo-counts shared among the rows of a table that occur."""
    size = _positive("bds", equivalent_sample_size)
    return _counted("bds", fits, gamma, "marginal", equivalent=False, each="seen", alpha=size)


def qnml(fits: Fits, *, gamma: float = 0.0) -> Score:
    """Quotient of normalised maximum likelihoods."""
    return _counted("qnml", fits, gamma, "likelihood", equivalent=True, nml=True)


def _counted(
    word: str, fits: Fits, gamma: float, kind: str, equivalent: bool, **options: Any
) -> Score:
    tables = _tables(word, fits)
    if not 0 <= gamma < np.inf:
        raise FitError(f"The gamma of {word} must be a non-negative number, got {gamma}.")
    p = len(fits.nodes)
    charges = gamma * float(np.log(p)) * np.arange(p + 1.0)
    options.setdefault("most_cells", MOST_CELLS)
    batches = DiscreteScores(tables.counted, kind, by_size=charges, **options)
    return Batched(fits.nodes, fits.rows, batches, equivalent=equivalent)


def _tables(word: str, fits: Fits) -> DiscreteFits:
    if fits.tabular is None:
        raise FitError(
            f"{word} is a score of discrete models: take model='discrete', or another score."
        )
    return fits.tabular


def _positive(word: str, size: float) -> float:
    if not size > 0:
        raise FitError(f"The equivalent sample size of {word} must be above 0, got {size}.")
    return size
