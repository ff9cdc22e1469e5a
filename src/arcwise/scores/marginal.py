"""Marginal likelihoods: BGe of Gaussian networks; K2, BDeu and BDs of discrete ones; others; and qNML.

BGe: the marginal likelihood of a Gaussian network under a normal-Wishart prior.

Prior: mean ~ N(nu, (alpha_mu W)^-1), W ~ Wishart(alpha_w, T^-1) with T = t I and
t = alpha_mu (alpha_w - p - 1) / (alpha_mu + 1). The posterior matrix is

    R = T + scatter + n alpha_mu / (n + alpha_mu) (mean - nu)(mean - nu)'.

By default nu is the sample mean, so that the last term vanishes; a prior that does not depend on the data
has nu = 0 (`prior_mean="zero"`). T has the units of the columns: `standardise` uses standardised
columns and their density, so that units do not matter.

For a set Y of l variables, with a = alpha_w - p + l,

    log p(Y) = -l n / 2 log pi + l / 2 log(alpha_mu / (n + alpha_mu)) + log G_l((n + a) / 2)
               - log G_l(a / 2) + a / 2 log det T_YY - (n + a) / 2 log det R_YY,

G_l the multivariate gamma function; the local score is log p(child, parents) - log p(parents).
Sources: Geiger and Heckerman 2002; the form corrected by Kuipers, Moffa and Heckerman 2014.
Defaults alpha_mu = 1 and alpha_w = p + 2: the least informative prior that is proper for any graph.

Scores of discrete networks from counts: K2, BDeu, BDs and qNML.

With N_jk rows that have the child's level k (of r) and the parents' configuration j (of q), N_j = sum_k
N_jk:

* K2, BDeu, BDs: the marginal likelihood under Dirichlet priors with pseudo-counts a_jk, a_j = r a_jk,

      sum_j log G(a_j) - log G(a_j + N_j) + sum_k log G(a_jk + N_jk) - log G(a_jk);

  a_jk = 1 for K2 (Cooper and Herskovits 1992), alpha / (r q) for BDeu (Heckerman, Geiger and Chickering
  1995), alpha the equivalent sample size, and alpha / (r s) for BDs (Scutari 2016), where s configurations
  occur. Of these BDeu alone gives equivalent graphs the same score.
* qNML (Silander, Leppa-aho, Jaasaari and Roos 2018): the largest log-likelihood minus
  regret(n, r q) - regret(n, q), the regrets of multinomial distributions with this many cells. It has no
  parameter, and equivalent graphs tie.

All of them take `gamma`, a prior over graphs in which each parent costs gamma log p with p variables, as
in the extended BIC: a marginal likelihood, too, forgets that a parent was chosen among many.
"""

from math import lgamma
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import regressions as kernel
from arcwise._kernels.local_scores import DiscreteScores, GaussianScores, Work
from arcwise.conditionals import Fits
from arcwise.conditionals.discrete import MOST_CELLS
from arcwise.conditionals.discrete_fits import DiscreteFits
from arcwise.data import Moments
from arcwise.errors import FitError
from arcwise.notes import Fix
from arcwise.scores.score import (
    ALL,
    Array,
    BatchedScore,
    Mask,
    Numbers,
    Parents,
    ParentSets,
    Score,
    Sweep,
)

__all__ = ["BGeScore", "MarginalScore", "bdeu", "bds", "bge", "k2", "marginal", "qnml"]

_SLOW = 300.0  # how many times longer a model of a few rows takes than one in closed form
_TINY = 1e-15  # the prior makes R positive definite; only rounding can take a pivot below this


class BGeScore(Score):
    """Bayesian Gaussian equivalent score; minus `log_units` it is that of the columns in their units."""

    equivalent = True
    lattice = True

    def __init__(
        self,
        moments: Moments,
        alpha_mu: float,
        alpha_w: float,
        zero: bool = False,
        standardise: bool = False,
        gamma: float = 0.0,
    ) -> None:
        p, rows = len(moments.names), moments.n
        self.nodes, self.rows = moments.names, rows
        t = alpha_mu * (alpha_w - p - 1) / (alpha_mu + 1)
        posterior, mean, unit = np.array(moments.scatter), np.array(moments.mean), np.ones(p)
        if standardise:
            unit = np.sqrt(np.diag(posterior) / rows)
            unit[unit == 0] = 1.0
            posterior, mean = posterior / np.outer(unit, unit), mean / unit
        self.log_units = float(rows * np.log(unit).sum())
        posterior[np.diag_indices(p)] += t
        if zero:
            off = mean * np.sqrt(rows * alpha_mu / (rows + alpha_mu))
            posterior += np.outer(off, off)
        self.log_sd = 0.5 * np.log(np.diag(posterior))
        sd = np.exp(self.log_sd)
        self.matrix = posterior / np.outer(sd, sd)
        np.fill_diagonal(self.matrix, 1.0)
        self.offset, self.degrees = _constants(p, rows, alpha_mu, alpha_w, t)
        self.offset -= gamma * np.log(p) * np.arange(p + 1.0)

    def _local(
        self, size: NDArray[np.intp] | int, child: int, residual: Array, logdet: Array
    ) -> Array:
        """Return offset(m) - (d + m + 1)/2 log s - 1/2 log det R_PP, s the child's Schur complement."""
        schur = np.log(residual) + 2 * self.log_sd[child]
        out: Array = self.offset[size] - 0.5 * (self.degrees + size + 1) * schur - 0.5 * logdet
        return out

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return log marginal likelihoods."""
        residual, logdet = kernel.many(self.matrix, child, sets, _TINY, _TINY)
        sizes = np.fromiter(map(len, sets), dtype=np.intp, count=len(sets))
        scale = np.array([2 * self.log_sd[list(s)].sum() for s in sets])
        return self._local(sizes, child, residual, logdet + scale)

    def sweep(self, children: Numbers, bases: ParentSets, among: Mask | None = None) -> Sweep:
        """Return scores of bases and all toggles in one compiled call."""
        swept = kernel.sweep(self.matrix, children, bases, _TINY, _TINY)
        base_scores, toggled = np.empty(len(children)), swept.toggled
        change = np.log(swept.pivots) + 2 * self.log_sd
        for row, (child, base) in enumerate(zip(children, bases, strict=True)):
            members = list(base)
            logdet = swept.logdet[row] + 2 * self.log_sd[members].sum()
            sign = np.ones(len(self.nodes), dtype=np.intp)
            sign[members] = -1
            base_scores[row] = self._local(len(base), child, swept.residual[row], logdet)
            toggled[row] = self._local(
                len(base) + sign, child, toggled[row], logdet + sign * change[row]
            )
            toggled[row, child] = -np.inf
        if among is not None:
            toggled[~among] = -np.inf
        return base_scores, toggled

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Return scores of all subsets in one compiled call."""
        residual, logdet = kernel.subsets(self.matrix, child, others, always, most, _TINY, _TINY)
        masks = np.arange(len(residual), dtype=np.uint32)
        sizes = np.bitwise_count(masks).astype(np.intp) + len(always)
        logdet += 2 * self.log_sd[list(always)].sum()
        for bit, candidate in enumerate(others):
            logdet += 2 * self.log_sd[candidate] * (masks >> bit & 1)
        out = self._local(sizes, child, residual, logdet)
        return np.nan_to_num(out, copy=False, nan=-np.inf, neginf=-np.inf, posinf=np.inf)

    def compiled(self, extra: Array | None = None) -> GaussianScores:
        """Return the compiled formula, with the scale of the columns in its tables."""
        sizes = np.arange(len(self.nodes) + 1.0)
        return GaussianScores(
            self.matrix,
            tolerance=_TINY,
            floor=_TINY,
            knee=_TINY,
            offset=self.offset if extra is None else self.offset + extra,
            slope=-0.5 * (self.degrees + sizes + 1),
            shift=2 * self.log_sd,
            weight=-0.5,
            spread=2 * self.log_sd,
        )


def _constants(p: int, n: float, alpha_mu: float, alpha_w: float, t: float) -> tuple[Array, float]:
    """Return offsets by the number of parents m, and d such that (d + m + 1)/2 multiplies log s.

    These are the terms of log p(child, parents) - log p(parents) that do not depend on the data: one
    ordinary gamma for each multivariate gamma, and powers of t for det T.
    """
    m = np.arange(p + 1)
    a = alpha_w - p + m + 1  # degrees of freedom of (child, parents)
    offset = (
        -0.5 * n * np.log(np.pi)
        + 0.5 * np.log(alpha_mu / (n + alpha_mu))
        + _log_gamma(0.5 * (n + a))
        - _log_gamma(0.5 * a)
        + 0.5 * (a * (m + 1) - (a - 1) * m) * np.log(t)
    )
    return offset, n + alpha_w - p


def _log_gamma(values: NDArray[np.floating]) -> Array:
    """Return log Gamma by the standard library; scipy would take longer to import."""
    return np.array([lgamma(value) for value in values])


def bge(
    fits: Fits,
    *,
    alpha_mu: float = 1.0,
    alpha_w: float | None = None,
    prior_mean: Literal["sample", "zero"] = "sample",
    standardise: bool = False,
    gamma: float = 0.0,
) -> Score:
    """Return the marginal likelihood of a Gaussian network; `alpha_w` defaults to p + 2.

    With `standardise` columns are in standard deviations, so that their units do not matter. `gamma` log p is
    subtracted per parent for p variables, a prior over graphs.
    """
    if fits.normal is None:
        raise FitError(
            "bge is a score of Gaussian models: use {model=}, or another score.",
            fixes=[Fix("model", "gaussian")],
        )
    p = len(fits.nodes)
    degrees = p + 2 if alpha_w is None else alpha_w
    if not (alpha_mu > 0 and degrees > p + 1):
        raise FitError(
            f"bge must have alpha_mu > 0 and alpha_w > p + 1 = {p + 1}, got {alpha_mu} "
            f"and {degrees}."
        )
    if not 0 <= gamma < np.inf:
        raise FitError(f"The gamma of bge must be a non-negative number, got {gamma}.")
    return BGeScore(
        fits.normal.moments, alpha_mu, degrees, prior_mean == "zero", standardise, gamma
    )


class MarginalScore(Score):
    """The marginal likelihood of a family's local models, minus `gamma` log p per parent.

    Two parents may explain what neither does alone, such as a product of both.
    """

    interacting = True

    def __init__(self, fits: Fits, gamma: float) -> None:
        self.fits, self.nodes, self.rows, self.threads = fits, fits.nodes, fits.rows, fits.threads
        self.work = Work(*(2 * (_SLOW * (1 + fits.rows / 1000),)))
        self.price = gamma * float(np.log(len(fits.nodes)))

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return log marginal likelihoods minus penalties."""
        sizes = np.fromiter(map(len, sets), dtype=float, count=len(sets))
        return self.fits.marginal(child, sets) - self.price * sizes


def marginal(fits: Fits, *, gamma: float = 1.0) -> Score:
    """Return the marginal likelihood of local models with a prior of their parameters, such as neural
    networks.

    `gamma` log p is subtracted per parent for p variables, a prior over graphs.
    """
    fits.marginal(0, ())
    if not 0 <= gamma < np.inf:
        raise FitError(f"The gamma of marginal must be a non-negative number, got {gamma}.")
    return MarginalScore(fits, gamma)


def k2(fits: Fits, *, gamma: float = 0.0) -> Score:
    """Return the marginal likelihood with one pseudo-count for each cell."""
    return _bind_counts("k2", fits, gamma, "marginal", equivalent=False, each="cell", alpha=1.0)


def bdeu(
    fits: Fits,
    *,
    equivalent_sample_size: float = 1.0,
    gamma: float = 0.0,
    cells_per_row: float | None = None,
    jackknife: float = 0.0,
) -> Score:
    """Return the marginal likelihood with pseudo-counts shared among all cells of a table.

    Tables of more than `cells_per_row` cells for each row score -inf: if no two rows share a
    configuration, the uniform prior makes any parents good for a child with uniform levels.

    `jackknife` is an expected count, 0 for none. A parent whose rarest level and the child's rarest level
    coincide by chance in fewer rows than that is penalised by the largest gain of the pair from one row.
    So no arc rests on a single row; with rare levels such arcs are the common false ones.
    """
    size, most = _positive("bdeu", equivalent_sample_size), float(MOST_CELLS)
    if cells_per_row is not None:
        levels = _tables("bdeu", fits).levels
        most = min(most, max(cells_per_row * fits.rows, *levels, 1.0))
    options = {"each": "table", "alpha": size, "most_cells": most, "jackknife": jackknife}
    return _bind_counts("bdeu", fits, gamma, "marginal", equivalent=True, **options)


def bds(fits: Fits, *, equivalent_sample_size: float = 1.0, gamma: float = 0.0) -> Score:
    """Return the marginal likelihood with pseudo-counts shared among the rows of a table that occur."""
    size = _positive("bds", equivalent_sample_size)
    return _bind_counts("bds", fits, gamma, "marginal", equivalent=False, each="seen", alpha=size)


def qnml(fits: Fits, *, gamma: float = 0.0) -> Score:
    """Return the quotient of normalised maximum likelihoods."""
    return _bind_counts("qnml", fits, gamma, "likelihood", equivalent=True, nml=True)


def _bind_counts(
    word: str, fits: Fits, gamma: float, kind: str, equivalent: bool, **options: Any
) -> Score:
    tables = _tables(word, fits)
    if not 0 <= gamma < np.inf:
        raise FitError(f"The gamma of {word} must be a non-negative number, got {gamma}.")
    p = len(fits.nodes)
    charges = gamma * float(np.log(p)) * np.arange(p + 1.0)
    options.setdefault("most_cells", MOST_CELLS)
    batches = DiscreteScores(tables.counted, kind, by_size=charges, **options)
    return BatchedScore(fits.nodes, fits.rows, batches, equivalent=equivalent)


def _tables(word: str, fits: Fits) -> DiscreteFits:
    if fits.tabular is None:
        raise FitError(
            f"{word} is a score of discrete models: use {{model=}}, or another score.",
            fixes=[Fix("model", "discrete")],
        )
    return fits.tabular


def _positive(word: str, size: float) -> float:
    if not size > 0:
        raise FitError(f"The equivalent sample size of {word} must be above 0, got {size}.")
    return size
