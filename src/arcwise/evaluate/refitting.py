r"""What the likelihood loses without an edge when the other edges are fitted again.

For a normal distribution of largest likelihood on a graph, tr(S Theta) is the number of variables, so the
loss is half the difference of the log determinants of two precision matrices, in nats per row. It needs the
covariance on the edges only, where the fitted one agrees with the data's: a saved network is enough.

It is at least the strength, -1/2 log(1 - r^2), which is what is lost if all edges may be used to make up for
the one that goes; here only those of the graph may.
"""

import numpy as np

from arcwise.errors import FitError
from arcwise.evaluate.edges import Array, EdgeTable
from arcwise.networks import MarkovNet, Net, NormalJoint
from arcwise.undirected.known import known


def refit_losses(net: Net, table: EdgeTable) -> EdgeTable:
    """Put the losses after refitting into a table of a network's edges.

    Parameters
    ----------
    net : an undirected network with the normal distribution of largest likelihood on its graph.
    table : some of its pairs; pairs without an edge get no loss.

    Raises
    ------
    FitError : a network of another kind.
    """
    if not isinstance(net, MarkovNet) or not isinstance(net.joint, NormalJoint):
        raise FitError(
            "Losses after refitting are for undirected Gaussian networks with a joint distribution; "
            "for others the strength is what the score loses without the edge."
        )
    losses = np.full(len(table), np.nan)
    for i in np.flatnonzero(table.joined).tolist():
        losses[i] = _loss(net, net.joint, int(table.first[i]), int(table.second[i]))
    return table.with_columns(refit_loss=losses)


def _loss(net: MarkovNet, joint: NormalJoint, first: int, second: int) -> float:
    without = known(joint.covariance, net.graph.without_edge(first, second)).precision
    return 0.5 * (_logdet(joint.precision) - _logdet(without))


def _logdet(precision: Array) -> float:
    scale = np.sqrt(precision.diagonal())
    inner = float(np.linalg.slogdet(precision / scale[:, None] / scale)[1])
    return inner + 2.0 * float(np.log(scale).sum())
