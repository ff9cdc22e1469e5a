"""Draws by the chain rule: hidden variables one after the other, each given what is known by then.

p(a, b | known) = p(a | known) p(b | known, a), each factor a stack of Parzen conditionals (``stacked``).
Every row is an independent draw, without burn-in. Gibbs sampling over conditionals that were fitted one by
one may drift away from the data where they do not agree, and its diagnostics cannot tell; these draws cannot
drift. They do depend on the order of the variables, which is that of their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table
from arcwise.inference.laws import RowLaw
from arcwise.inference.rows import patterns
from arcwise.inference.stacked import Stacker, first_met
from arcwise.networks import MarkovNet

__all__ = ["chain_sample", "chained", "expected"]

Array = NDArray[np.float64]
Columns = list[NDArray[Any]]
Mask = NDArray[np.bool_]

_BLOCK = 512
"""Rows whose laws are held at once."""


def chained(
    net: MarkovNet,
    columns: Sequence[NDArray[Any]],
    gaps: Mask,
    rng: np.random.Generator,
    nodes: Sequence[int] | None = None,
) -> Columns:
    """Fill gaps with draws, those of a row together.

    Parameters
    ----------
    net : a network of Parzen windows.
    columns : the rows, in the coding of the network; what stands in gaps is not looked at.
    gaps : rows by variables, true where hidden.
    rng : where chance comes from.
    nodes : which hidden variables to draw, in this order; None for all.
    """

    def draw(law: RowLaw) -> Array:
        return law.sample(rng, 1)[:, 0]

    filled = [column.copy() for column in columns]
    wanted = range(len(net.names)) if nodes is None else nodes
    stackers = {node: Stacker(net, node) for node in wanted}
    for places, known in patterns(gaps):
        mask = np.zeros(len(net.names), dtype=bool)
        mask[list(known)] = True
        for node in wanted:
            if not mask[node]:
                filled[node][places] = _values(stackers[node], filled, places, mask, draw)
                mask[node] = True
    return filled


def chain_sample(net: MarkovNet, rng: np.random.Generator, draws: int) -> Table:
    """Draw whole rows from a network of Parzen windows.

    Parameters
    ----------
    net : the network.
    rng : where chance comes from.
    draws : how many rows.
    """
    blank = [np.repeat(column[:1], draws) for column in net.starts]
    everything = np.ones((draws, len(net.names)), dtype=bool)
    return Table(net.variables, tuple(chained(net, blank, everything, rng)))


def expected(net: MarkovNet, columns: Sequence[NDArray[Any]], gaps: Mask) -> Columns:
    """Fill gaps with expected values given what is known of a row; levels with the most probable one."""

    def middle(law: RowLaw) -> Array:
        chances = getattr(law, "chances", None)
        return law.mean if chances is None else np.asarray(chances).argmax(axis=1).astype(float)

    filled = [column.copy() for column in columns]
    for node in np.flatnonzero(gaps.any(axis=0)).tolist():
        stacker = Stacker(net, node)
        for places, known in patterns(gaps):
            if node not in known:
                mask = np.zeros(len(net.names), dtype=bool)
                mask[list(known)] = True
                filled[node][places] = _values(stacker, columns, places, mask, middle)
    return filled


def _values(
    stacker: Stacker,
    columns: Sequence[NDArray[Any]],
    places: NDArray[np.intp],
    known: Mask,
    of: Any,
) -> Array:
    """Values of one variable in some rows that know the same variables, in blocks of rows."""
    met = first_met(stacker.net, stacker.node, known)
    stack = stacker.given(met)
    pieces = []
    for low in range(0, len(places), _BLOCK):
        part = places[low : low + _BLOCK]
        xs = tuple(columns[other][part] for other in met)
        pieces.append(of(stack.laws(xs, len(part))))
    return np.concatenate(pieces) if pieces else np.zeros(0)
