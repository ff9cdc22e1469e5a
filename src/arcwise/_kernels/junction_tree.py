"""Trees of cliques: exact answers of factors over discrete variables."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.sets import pack

Array = NDArray[np.float64]
Sets = Sequence[tuple[int, ...]]


class EliminationOrder(NamedTuple):
    """An order of elimination; how many numbers all tables would hold, and the largest of them."""

    order: NDArray[np.int64]
    entries: float
    largest: float


def plan(levels: Sequence[int], scopes: Sets) -> EliminationOrder:
    """Return the best of several greedy orders in which variables can be summed out; quick, and holds no
    table.

    Parameters
    ----------
    levels : number of levels of each variable.
    scopes : the variables of each factor, and sets that are to lie in one clique.
    """
    return EliminationOrder(
        *_native.elimination_plan(np.asarray(levels, dtype=np.int64), *pack(scopes))
    )


class JunctionTree:
    """A calibrated tree of cliques.

    Parameters
    ----------
    levels : number of levels of each variable.
    scopes : the variables of each factor, then sets without factors that are to lie in one clique.
    tables : the factors, one axis for each variable of the scope; non-negative numbers.
    order : from `plan`.

    `log_total` is the log of the sum over everything: 0 for a Bayesian network.
    """

    def __init__(
        self, levels: Sequence[int], scopes: Sets, tables: Sequence[Array], order: NDArray[np.int64]
    ) -> None:
        self.levels = tuple(levels)
        flat = [np.ravel(table) for table in tables]
        self._native = _native.JunctionTree(
            np.asarray(levels, dtype=np.int64),
            *pack(scopes),
            np.concatenate(flat) if flat else np.zeros(0),
            order,
        )

    @property
    def log_total(self) -> float:
        """Return the log of the sum of the product of all factors."""
        return float(self._native.log_total)

    @property
    def entries(self) -> int:
        """Return the numbers held in the tables of cliques."""
        return int(self._native.entries)

    def ask(
        self, rows: NDArray[np.int64], targets: Sets, soft: Array | None = None
    ) -> tuple[Array, list[Array]]:
        """Return joint distributions of sets of variables, for rows of evidence.

        Parameters
        ----------
        rows : (rows, variables) levels, -1 if missing; rows with the same missing columns are quickest
            if adjacent.
        targets : sets, each inside one clique; sets of several variables must not be observed.
        soft : a weight from 0 on for each level of each variable, one after the other.

        Returns
        -------
        Log probability of each row's evidence, -inf where it is impossible; for each target an array of
        (rows, levels of its variables ...), zeros where evidence is impossible.
        """
        codes = np.ascontiguousarray(rows, dtype=np.int64)
        logs, flat = self._native.ask(codes, _weights(soft), *pack(targets))
        shapes = [tuple([self.levels[v] for v in target]) for target in targets]
        ends = list(accumulate(map(prod, shapes), initial=0))
        wide = flat.reshape(len(codes), ends[-1])
        parts = (wide[:, low:high] for low, high in pairwise(ends))
        return logs, [part.reshape(-1, *shape) for part, shape in zip(parts, shapes, strict=True)]

    def draw(
        self,
        evidence: Sequence[int],
        rows: NDArray[np.int64],
        rng: np.random.Generator,
        *,
        times: int = 1,
        soft: Array | None = None,
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return joint draws of the levels of all variables, `times` for each row of evidence.

        Returns
        -------
        Log probability of each row's evidence, -inf where it is impossible; (rows x times, variables) levels,
        those of a row one after the other.
        """
        codes = np.ascontiguousarray(rows, dtype=np.int64).reshape(len(rows), len(evidence))
        chances = rng.random((len(codes) * times, int(self._native.cliques)))
        variables = np.asarray(evidence, dtype=np.int64)
        logs, flat = self._native.draw(variables, codes, _weights(soft), chances)
        return logs, flat.reshape(-1, len(self.levels))

    def explain(
        self,
        evidence: Sequence[int],
        row: Sequence[int] | NDArray[np.int64],
        soft: Array | None = None,
    ) -> tuple[NDArray[np.int64], float]:
        """Return the most probable levels of all variables given those seen, and their joint log weight."""
        both = (np.asarray(values, dtype=np.int64) for values in (evidence, row))
        levels, log = self._native.explain(*both, _weights(soft))
        return levels, float(log)


def _weights(soft: Array | None) -> Array:
    return np.zeros(0) if soft is None else np.ascontiguousarray(soft, dtype=float)
