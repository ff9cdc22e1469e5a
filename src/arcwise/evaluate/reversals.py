"""What reversing an arrow loses, if the shape of local models distinguishes equivalent graphs."""

from itertools import islice

import numpy as np

from arcwise.conditionals import GlmConditional
from arcwise.evaluate.edges import EdgeTable
from arcwise.graphs import Limits, cpdag, directed_by, members
from arcwise.networks import BayesNet
from arcwise.scores import Score, total

__all__ = ["with_reversals"]

_REVERSED = 64  # equivalent graphs that are scored at most for the reversal of an arc


def with_reversals(
    table: EdgeTable, score: Score, net: BayesNet, limits: Limits | None
) -> EdgeTable:
    """The table with the nats that the best equivalent graph with an arc reversed loses.

    They are of arcs that can be reversed; NaN if too many graphs would have to be scored. The table is
    unchanged if shapes of local models say nothing of directions: if equivalent graphs tie, or if local
    models are not regressions whose forms were chosen by evidence.
    """
    shaped = any(isinstance(model, GlmConditional) for model in net.conditionals)
    if score.equivalent or not shaped:
        return table
    graph, essential = net.graph, cpdag(net.graph, limits)
    out, value = np.full(len(table), np.nan), total(score, graph)
    for i in np.flatnonzero(table.joined & table.reversible).tolist():
        tail = int(table.tail[i])
        head = int(table.second[i] if tail == table.first[i] else table.first[i])
        others = members(directed_by(essential, [(head, tail)]), graph)
        graphs = list(islice(others, _REVERSED + 1))
        if 0 < len(graphs) <= _REVERSED:
            out[i] = value - max(total(score, other) for other in graphs)
    return table.with_columns(reversal_loss=out)
