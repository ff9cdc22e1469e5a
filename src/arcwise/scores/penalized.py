"""Penalised likelihood scores: loglik, AIC, BIC and extended BIC.

    loglik - penalty;    AIC: k,    BIC: (k / 2) log n,    extended BIC: (k / 2) log n + gamma m log p

with k free parameters, n rows, p variables and m parents of the child. Higher is better and all
constants are kept. Sources: Akaike 1974; Schwarz 1978; Chen and Chen 2008 for the extended form,
whose extra term penalises the choice of parents among many: with many columns for the rows, plain
BIC keeps nearly twice the true arcs.

The penalty of Chen and Chen is gamma log C(p-1, m), which for small m is about m log p, but falls again once
m is above p / 2: a search that begins with all variables as parents would be rewarded for keeping them. So
each parent costs the same here. Equivalent graphs have equal numbers of arcs, so their terms are equal.
"""

from itertools import chain
from typing import NamedTuple

import numpy as np

from arcwise._kernels.local_scores import Batches, NativeScores
from arcwise.conditionals import Fits
from arcwise.errors import FitError
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
    members,
    toggle,
)

__all__ = [
    "Charges", "PenalizedScore", "aic", "aic_charges", "bic", "bic_charges", "ebic", "ebic_charges", "loglik",
    "no_charges", "penalise_fits",
]  # fmt: skip


class PenalizedScore(Score):
    """Log-likelihood of fitted local models minus a penalty.

    The penalty is `per_param` nats per free parameter, and `by_size[m]` for m parents. Parameters are counted
    for each set; if only the number of parents matters (`sized`), the whole penalty depends on it.
    """

    def __init__(self, fits: Fits, per_param: float = 0.0, by_size: Array | None = None) -> None:
        self.fits, self.nodes, self.rows = fits, fits.nodes, fits.rows
        self.by_size = np.zeros(len(fits.nodes) + 1) if by_size is None else by_size
        counts = fits.params_by_size()
        self.sized = counts is not None
        self.per_param = 0.0 if self.sized else per_param  # of what is counted set by set
        if self.per_param:
            fits.n_params(0, ((),))  # refused here, before any search, where nothing can be counted
        elif counts is not None:
            self.by_size = self.by_size + per_param * counts
        self.equivalent, self.lattice = fits.equivalent, fits.lattice
        self.threads = fits.threads

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return log-likelihoods minus penalties."""
        sizes = np.fromiter(map(len, sets), dtype=np.intp, count=len(sets))
        out = self.fits.loglik(child, sets)
        out -= self.by_size[sizes]
        if self.per_param:
            out -= self.per_param * self.fits.n_params(child, sets)
            choice = self.fits.choice(child, sets)
            if choice is not None:
                out -= choice
        return out

    def sweep(self, children: Numbers, bases: ParentSets, among: Mask | None = None) -> Sweep:
        """Return the family's sweep minus penalties, if it has one."""
        swept = self.fits.sweep(children, bases)
        if swept is None:
            return super().sweep(children, bases, among)
        base_scores, toggled = swept
        if self.per_param:
            self._charge(children, bases, base_scores, toggled)
        sizes = np.fromiter(map(len, bases), dtype=np.intp, count=len(bases))
        base_scores -= self.by_size[sizes]
        toggled -= self.by_size[sizes + 1][:, None]
        toggled[np.arange(len(bases)), np.asarray(children, dtype=np.intp)] = -np.inf
        excess = self.by_size[sizes + 1] - self.by_size[sizes - 1]  # unused where a base is empty
        inside = np.fromiter(chain.from_iterable(bases), dtype=np.intp, count=int(sizes.sum()))
        rows = np.repeat(np.arange(len(bases)), sizes)
        toggled[rows, inside] += excess[rows]
        if among is not None:
            toggled[~among] = -np.inf
        return base_scores, toggled

    def _charge(
        self, children: Numbers, bases: ParentSets, base_scores: Array, toggled: Array
    ) -> None:
        """Subtract the penalty of parameters that are counted for each set."""
        for row, (child, base) in enumerate(zip(children, bases, strict=True)):
            rest = [x for x in range(len(self.nodes)) if x != child]
            counts = self.fits.n_params(child, [base, *(toggle(base, x) for x in rest)])
            base_scores[row] -= self.per_param * counts[0]
            toggled[row, rest] -= self.per_param * counts[1:]

    def subsets(self, child: int, others: Numbers, always: Parents = (), most: int = ALL) -> Array:
        """Return scores of all subsets in one call, if the family has one."""
        out = self.fits.subsets(child, others, always, most)
        if out is None:
            return super().subsets(child, others, always, most)
        sizes = np.bitwise_count(np.arange(len(out), dtype=np.uint32)).astype(np.intp)
        out -= self.by_size[sizes + len(always)]
        if self.per_param:
            small_enough = np.flatnonzero(sizes + len(always) <= most).tolist()
            sets = [members(mask, others, always) for mask in small_enough]
            out[small_enough] -= self.per_param * self.fits.n_params(child, sets)
        return np.nan_to_num(out, copy=False, nan=-np.inf, neginf=-np.inf, posinf=np.inf)

    def compiled(self, extra: Array | None = None) -> NativeScores | None:
        """Return the family's closed form minus penalties, if it has one."""
        charges = self.by_size if extra is None else self.by_size - extra
        return self.fits.compiled(charges, self.per_param)


def penalise_fits(fits: Fits, per_param: float = 0.0, by_size: Array | None = None) -> Score:
    """Return the log-likelihood minus penalties, in batches if the family has them; see `PenalizedScore`."""
    score = PenalizedScore(fits, per_param, by_size)
    batches = None if score.sized else score.compiled()
    if isinstance(batches, Batches):
        return BatchedScore(fits.nodes, fits.rows, batches, equivalent=fits.equivalent)
    return score


class Charges(NamedTuple):
    """Penalties of a score: nats per free parameter, and per parent or edge."""

    per_param: float = 0.0
    per_parent: float = 0.0


def no_charges(rows: float, columns: int) -> Charges:
    """Return the penalties of the plain log-likelihood: none."""
    return Charges()


def aic_charges(rows: float, columns: int) -> Charges:
    """Return one nat per parameter."""
    return Charges(1.0)


def bic_charges(rows: float, columns: int) -> Charges:
    """Return half of log n per parameter."""
    return Charges(0.5 * float(np.log(rows)))


def ebic_charges(rows: float, columns: int, *, gamma: float = 1.1) -> Charges:
    """Return half of log n per parameter, and `gamma` log p per parent."""
    if not 0 <= gamma < np.inf:
        raise FitError(f"The gamma of ebic must be a non-negative number, got {gamma}.")
    return Charges(0.5 * float(np.log(rows)), gamma * float(np.log(columns)))


def _charge_fits(fits: Fits, charges: Charges) -> Score:
    """Return the family's log-likelihood minus penalties."""
    sizes = np.arange(len(fits.nodes) + 1.0)
    return penalise_fits(fits, charges.per_param, charges.per_parent * sizes)


def loglik(fits: Fits) -> Score:
    """Return the plain log-likelihood; add an arc penalty for a likelihood penalised by the number of
    arcs.
    """
    return penalise_fits(fits)


def aic(fits: Fits) -> Score:
    """Return Akaike's criterion: log-likelihood minus the number of free parameters."""
    return _charge_fits(fits, aic_charges(fits.rows, len(fits.nodes)))


def bic(fits: Fits) -> Score:
    """Return Schwarz's criterion: log-likelihood minus half of log n for each free parameter."""
    return _charge_fits(fits, bic_charges(fits.rows, len(fits.nodes)))


def ebic(fits: Fits, *, gamma: float = 1.1) -> Score:
    """Return the extended BIC: BIC minus `gamma` log p for each parent."""
    return _charge_fits(fits, ebic_charges(fits.rows, len(fits.nodes), gamma=gamma))
