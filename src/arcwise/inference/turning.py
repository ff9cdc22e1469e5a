"""Local models of an equivalent graph, with the joint distribution of a network: no data are needed.

Any graph of a class leads to any other by turning covered arcs, one after the other (Chickering 1995): an arc
x -> y is covered where the parents of y are x and those of x. Turning it takes p(x | P) p(y | x, P) apart the
other way, as p(y | P) p(x | y, P), and leaves all other local models as they are. Tables stay tables, and
regressions linear.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Conditional, ConditionalGaussianModel, DiscreteConditional
from arcwise.graphs import DAG
from arcwise.graphs.nodes import topological, transpose
from arcwise.networks import BayesNet

__all__ = ["turn", "turnable"]

Array = NDArray[np.float64]
Rows = tuple[tuple[int, ...], ...]


def turnable(net: BayesNet) -> bool:
    """Tell whether the local models of equivalent graphs follow from those of the network."""
    kinds = (DiscreteConditional, ConditionalGaussianModel)
    return all(isinstance(model, kinds) for model in net.conditionals)


def turn(net: BayesNet, graph: DAG) -> tuple[Conditional, ...]:
    """The local models of an equivalent graph that give it the joint distribution of a network.

    Parameters
    ----------
    net : a network whose local models are tables or conditional Gaussian ones (see `turnable`).
    graph : an equivalent graph of the same nodes; an arc from levels to numbers stays one.

    >>> from arcwise.data import Variable
    >>> levels = ("no", "yes")
    >>> tables = (np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.6, 0.4]]))
    >>> models = tuple(map(DiscreteConditional, tables))
    >>> variables = (Variable("a", levels), Variable("b", levels))
    >>> net = BayesNet(variables, DAG.from_arcs(["a -> b"]), models)
    >>> first, second = turn(net, DAG.from_arcs(["b -> a"]))
    >>> second.table.round(3).tolist(), first.table.round(3).tolist()
    ([0.8, 0.2], [[0.625, 0.375], [0.0, 1.0]])
    """
    models = list(net.conditionals)
    for x, y, shared in _covered(net.graph.parents, graph.parents):
        first, second = models[x], models[y]
        places = sum(node < x for node in shared), sum(node < y for node in shared)
        if isinstance(first, DiscreteConditional) and isinstance(second, DiscreteConditional):
            models[x], models[y] = _tables(first.table, second.table, *places)
        elif isinstance(first, ConditionalGaussianModel) and isinstance(
            second, ConditionalGaussianModel
        ):
            models[x], models[y] = _regressions(first, second, *places)
        else:
            raise TypeError("An arc between a table and a regression cannot be turned.")
    return tuple(models)


def _covered(own: Rows, other: Rows) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Arcs (x, y) to turn, each covered when its turn comes, with the parents that both share."""
    parents = [set(row) for row in own]
    turned = sum(len(row - set(wanted)) for row, wanted in zip(parents, other, strict=True))
    for _ in range(turned):
        rows = tuple(tuple(sorted(row)) for row in parents)
        order = topological(rows, transpose(rows))
        place = {node: i for i, node in enumerate(order)}
        y = next(node for node in order if parents[node] - set(other[node]))
        x = max(parents[y] - set(other[y]), key=place.__getitem__)
        parents[y].discard(x)
        yield x, y, tuple(sorted(parents[y]))
        parents[x].add(y)


def _tables(
    first: Array, second: Array, at: int, to: int
) -> tuple[DiscreteConditional, DiscreteConditional]:
    """p(x | y, P) and p(y | P) of p(x | P) and p(y | x, P); x is parent `at` of y, y becomes `to` of x.

    Where the parents are impossible together, x is even: no answer depends on it.
    """
    joint = np.moveaxis(second, at, -1) * first[..., None, :]  # P, y, x
    total = joint.sum(axis=-1)
    levels = joint.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(total[..., None] > 0, joint / total[..., None], 1.0 / levels)
    shares /= shares.sum(axis=-1, keepdims=True)
    alone = total / total.sum(axis=-1, keepdims=True)
    return DiscreteConditional(np.moveaxis(shares, -2, to)), DiscreteConditional(alone)


def _regressions(
    first: ConditionalGaussianModel, second: ConditionalGaussianModel, at: int, to: int
) -> tuple[ConditionalGaussianModel, ConditionalGaussianModel]:
    """The same for regressions, in each configuration of the discrete parents."""
    at_number, to_number = second.discrete[:at].count(False), first.discrete[:to].count(False)
    slope = second.slopes[..., at_number]
    rest = np.delete(second.slopes, at_number, axis=-1)
    variance = second.variances + slope**2 * first.variances
    intercept = second.intercepts + slope * first.intercepts
    slopes = rest + slope[..., None] * first.slopes
    gain = slope * first.variances / variance
    own = first.slopes - gain[..., None] * slopes
    parts = (own[..., :to_number], gain[..., None], own[..., to_number:])
    alone = ConditionalGaussianModel(first.discrete, intercept, slopes, variance)
    given = ConditionalGaussianModel(
        (*first.discrete[:to], False, *first.discrete[to:]),
        first.intercepts - gain * intercept,
        np.concatenate(parts, axis=-1),
        first.variances * second.variances / variance,
    )
    return given, alone
