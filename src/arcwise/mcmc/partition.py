"""Partition MCMC: a chain over ordered partitions of the variables (Kuipers and Moffa 2017).

A graph has one partition: its roots are the first element, the roots of what is left without them the
second, and so on. A variable of a later element has a parent in the element just before it, and its other
parents further before. A partition weighs the sum over its graphs, which is a product over the variables,
and since every graph is in one partition, graphs drawn from the partitions that the chain visits are
sampled with every graph counting once.

A step moves a variable into another element, or alone between two, drawn among all such places in
proportion to their weights; splits an element or joins two; swaps two variables; turns an arc of a graph
(Grzegorczyk and Husmeier 2008); or moves a variable in an order that agrees with a graph.

Groups of variables, chosen as in `order`, also get new parents all at once while all others keep theirs
(Goudie and Mukherjee 2016). The chains of a ladder are over graphs and move in the last three ways.
Conditions on whole graphs are obeyed by rejection, as in `order`.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs import DAG
from arcwise.mcmc.base import UNIFORM
from arcwise.mcmc.order import OrderSampler

__all__ = ["PartitionSampler"]


@dataclass(eq=False)
class PartitionSampler(OrderSampler):
    """A chain over ordered partitions, with every graph counting once."""

    target: ClassVar[str] = UNIFORM
    levels: ClassVar[bool] = True

    def _places(self, graph: DAG) -> NDArray[np.int64]:
        """The element of each variable: one after the last of its parents."""
        places = np.zeros(len(graph.nodes), dtype=np.int64)
        for v in graph.order():
            places[v] = max((places[u] + 1 for u in graph.parents[v]), default=0)
        return places
