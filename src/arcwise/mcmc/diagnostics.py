"""Diagnosis of chains over graphs: mixing, and errors of the probabilities of arcs.

R-hat and effective sample size (ESS) of the score and of the indicator of each arc and each pair, over
several chains split in halves (`distributions.mixing`). The Monte-Carlo error of a probability is its
standard deviation over the square root of the ESS. The error of an arc that is in no draw, or in all, is not
zero: it is the bound of about 3 / ESS, which 19 of 20 runs would contradict if it were exceeded (the rule of
three; Hanley and Lippman-Hand 1983). An indicator that never or rarely changes has no reliable ESS; it gets
the least ESS of the score and of those that change often.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.distributions.chain_diagnostics import diagnose as mixing
from arcwise.errors import FitError
from arcwise.mcmc.sampler import Chain

__all__ = ["Certainty", "Diagnosis", "diagnose"]

Array = NDArray[np.float64]

AGREE = 1.01
"""R-hat above which chains disagree (Vehtari and others 2021)."""

_BLOCK = 64  # indicators judged at a time
_FAR = 100  # an R-hat beyond it is not told as a number
_RARE = 0.05  # share of draws, or of the others, below which an indicator's own ESS is not to be trusted


class Certainty(NamedTuple):
    """Probabilities (p, p), their Monte-Carlo errors, R-hat and effective sample sizes."""

    probabilities: Array
    errors: Array
    rhat: Array
    ess: Array


class Diagnosis(NamedTuple):
    """Joint diagnosis of several chains.

    `arcs` is by (tail, head); `pairs`, adjacent in either direction, is symmetric; `score_rhat` and
    `score_ess` are those of the log score; `draws` counts all draws.
    """

    arcs: Certainty
    pairs: Certainty
    score_rhat: float
    score_ess: float
    draws: int

    @property
    def largest_rhat(self) -> float:
        """The largest R-hat of all pairs and of the score; NaN if chains are too short for one."""
        every = np.array([self.pairs.rhat.max(), self.arcs.rhat.max(), self.score_rhat])
        return (
            float(every[~np.isnan(every)].max(initial=-np.inf))
            if np.isfinite(every).any()
            else np.nan
        )

    @property
    def agree(self) -> bool:
        """Whether the chains agree."""
        return bool(self.largest_rhat < AGREE)

    @property
    def warning(self) -> str:
        """A sentence if chains disagree or are too short, else empty."""
        if not np.isfinite(self.score_rhat):
            return "The chains are too short to judge their agreement: use more draws."
        if self.agree:
            return ""
        rhat = f"{self.largest_rhat:.3f}" if self.largest_rhat < _FAR else f"over {_FAR}"
        return (
            f"The chains disagree (largest R-hat {rhat}, above {AGREE}): use more draws, a "
            "longer burn-in or another sampler."
        )


def diagnose(chains: Sequence[Chain]) -> Diagnosis:
    """Return the diagnosis of chains of one sampler; longer ones lose their first draws.

    Raises
    ------
    FitError : no chains, no draws, or chains of different variables or targets.
    """
    length = min((len(chain) for chain in chains), default=0)
    if not length or len({(chain.nodes, chain.target) for chain in chains}) != 1:
        raise FitError("Chains must have draws of the same variables and target.")
    p = len(chains[0].nodes)
    scores = np.stack([chain.log_scores[-length:] for chain in chains], axis=1)[:, None, :]
    judged = mixing(scores)
    arcs = np.stack([chain.indicators(len(chain) - length) for chain in chains], axis=3)
    flat = arcs.reshape(length, p * p, -1)
    upper, lower = np.triu_indices(p, 1)
    either = arcs[:, upper, lower] | arcs[:, lower, upper]
    whole, half = _judge(flat), _judge(either)
    least = min(float(judged.ess[0]), _slowest(whole), _slowest(half))
    matrices = [part.reshape(p, p) for part in _with_least_errors(whole, least)]
    np.fill_diagonal(matrices[1], 0.0)
    pairs = []
    for part, blank in zip(_with_least_errors(half, least), (0, 0, 1, np.inf), strict=True):
        square = np.full((p, p), float(blank))
        square[upper, lower] = square[lower, upper] = part
        pairs.append(square)
    draws = length * len(chains)
    return Diagnosis(
        Certainty(*matrices), Certainty(*pairs), float(judged.rhat[0]), float(judged.ess[0]), draws
    )


Judgement = tuple[Array, Array, Array, Array]


def _judge(values: NDArray[np.bool_]) -> Judgement:
    """Return shares, errors, R-hat and ESS of indicators (draws, n, chains), in batches."""
    shares = values.mean(axis=(0, 2))
    errors, rhat, ess = np.zeros(len(shares)), np.ones(len(shares)), np.full(len(shares), np.inf)
    moving = np.flatnonzero((shares > 0) & (shares < 1))
    for first in range(0, len(moving), _BLOCK):
        part = moving[first : first + _BLOCK]
        errors[part], rhat[part], ess[part] = mixing(values[:, part].astype(float))
    return shares, errors, rhat, ess


def _rare(shares: Array) -> NDArray[np.bool_]:
    rare: NDArray[np.bool_] = np.minimum(shares, 1.0 - shares) < _RARE
    return rare


def _slowest(parts: Judgement) -> float:
    """Return the least ESS of indicators that change often enough to have one."""
    return float(np.min(parts[3], initial=np.inf, where=~_rare(parts[0])))


def _with_least_errors(parts: Judgement, least: float) -> list[Array]:
    """Return errors above zero: about 3 / ESS for an indicator that never changed, one event more for a
    rare one.
    """
    shares, errors, rhat, ess = parts
    rare, still = _rare(shares), ~np.isfinite(ess)
    size = np.where(rare, np.minimum(ess, least), ess)
    event = np.sqrt((shares * (1.0 - shares) + 1.0 / size) / size)
    errors = np.where(still, np.minimum(1.0, 3.0 / size), np.where(rare, event, errors))
    return [shares, errors, rhat, size]
