"""Networks at random, for simulations and tests: graphs of given size, rows of tables from Dirichlet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcwise.conditionals import DiscreteConditional
from arcwise.data import Variable
from arcwise.errors import DataError, GraphError
from arcwise.graphs import DAG
from arcwise.networks.nets import BayesNet

ARCS_PER_NODE = 1.5
MOST_CELLS = 1 << 24


def random_tables(
    names: Sequence[str],
    levels: tuple[int, int],
    rng: np.random.Generator,
    *,
    arcs: int | None = None,
    max_parents: int = 3,
    alpha: float = 1.0,
) -> BayesNet:
    """Draw a network of tables.

    Variables are put in a random order; arcs fall at random on the places for parents that each of them has,
    and a variable's parents are drawn from those before it. Every row of a table is drawn from a Dirichlet
    distribution with all parameters alpha.

    Parameters
    ----------
    names : of the variables.
    levels : least and most levels of a variable, drawn evenly.
    rng : random generator.
    arcs : how many; by default 1.5 for each variable, or as many as there is place for.
    max_parents : of a variable.
    alpha : 1 draws rows evenly, smaller ones are nearer to certainty.

    Raises
    ------
    GraphError : more arcs than there is place for.
    DataError : sizes that are none, or a table that would be too large.

    >>> net = random_tables(["a", "b", "c"], (2, 4), np.random.default_rng(1), arcs=2)
    >>> net.graph.n_arcs, all(2 <= len(v.levels) <= 4 for v in net.variables)
    (2, True)
    """
    low, high = levels
    if not 1 <= low <= high or max_parents < 0 or not alpha > 0 or not np.isfinite(alpha):
        raise DataError(
            "A random network needs levels from 1 on, max_parents from 0 on and a positive alpha, got "
            f"levels={levels!r}, max_parents={max_parents!r}, alpha={alpha!r}."
        )
    cells = float(high) ** (max_parents + 1)
    if cells > MOST_CELLS:
        raise DataError(
            f"A table of {max_parents} parents with {high} levels would have {cells:.3g} "
            f"probabilities, above {MOST_CELLS:.3g}: take fewer of either."
        )
    ordered = sorted(names)
    graph = DAG(tuple(ordered), _parents(len(ordered), arcs, max_parents, rng))
    sizes = rng.integers(low, high + 1, len(ordered)).tolist()
    variables = tuple(
        Variable(name, tuple(f"s{code}" for code in range(size)))
        for name, size in zip(ordered, sizes, strict=True)
    )
    models = tuple(
        DiscreteConditional(_rows([sizes[p] for p in parents], sizes[node], alpha, rng))
        for node, parents in enumerate(graph.parents)
    )
    return BayesNet(variables, graph, models)


def _parents(
    count: int, arcs: int | None, max_parents: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """Parents of each node, so many arcs in all."""
    places = np.minimum(np.arange(count), max_parents)  # for parents, along a random order
    room = int(places.sum())
    wanted = min(round(ARCS_PER_NODE * count), room) if arcs is None else arcs
    if not 0 <= wanted <= room:
        raise GraphError(
            f"{count} variables with at most {max_parents} parents have place for 0 to {room} arcs, got "
            f"{arcs}."
        )
    owners = np.repeat(np.arange(count), places)
    numbers = np.bincount(owners[rng.choice(room, wanted, replace=False)], minlength=count)
    order = rng.permutation(count)
    rows: list[tuple[int, ...]] = [()] * count
    for place, number in enumerate(numbers.tolist()):
        drawn = rng.choice(place, number, replace=False) if number else []
        rows[order[place]] = tuple(sorted(int(order[each]) for each in drawn))
    return tuple(rows)


def _rows(
    parents: Sequence[int], levels: int, alpha: float, rng: np.random.Generator
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Rows of a table, each from a Dirichlet distribution."""
    shape = (*parents, levels)
    rows = rng.dirichlet(np.full(levels, alpha), int(np.prod(parents))).reshape(shape)
    # Of tiny alphas all weights of a row may underflow.
    even = np.full(shape, 1.0 / levels)
    sums = rows.sum(axis=-1, keepdims=True)
    good = np.isfinite(sums) & (sums > 0)
    return np.where(good, np.divide(rows, sums, out=even.copy(), where=good), even)
