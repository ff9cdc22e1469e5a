"""Sampling of graphs, and exact sums over all of them. `SAMPLERS` is the registry: name to sampler.

| name | chain over | target |
|---|---|---|
| `structure` | graphs, one arc at a time | uniform over DAGs |
| `tempering` | graphs, at several temperatures | uniform over DAGs |
| `partition` | ordered partitions | uniform over DAGs |
| `order` | orders | order-modular |
"""

from collections.abc import Callable

from arcwise.mcmc.diagnostics import Certainty, Diagnosis, diagnose
from arcwise.mcmc.graph_sums import (
    ExactSums,
    ScoreTable,
    Way,
    choose_way,
    exact,
    exact_memory,
    tabulate_scores,
)
from arcwise.mcmc.order import OrderSampler, PartitionSampler
from arcwise.mcmc.parents import ParentLists, parent_lists
from arcwise.mcmc.sampler import ORDERS, UNIFORM, Chain, Info, Sampler, State, run
from arcwise.mcmc.structure import StructureSampler, TemperedSampler

__all__ = [
    "ORDERS",
    "SAMPLERS",
    "UNIFORM",
    "Certainty",
    "Chain",
    "Diagnosis",
    "ExactSums",
    "Info",
    "OrderSampler",
    "ParentLists",
    "PartitionSampler",
    "Sampler",
    "ScoreTable",
    "State",
    "StructureSampler",
    "TemperedSampler",
    "Way",
    "choose_way",
    "diagnose",
    "exact",
    "exact_memory",
    "parent_lists",
    "run",
    "tabulate_scores",
]

SAMPLERS: dict[str, Callable[..., Sampler]] = {
    "structure": StructureSampler,
    "order": OrderSampler,
    "partition": PartitionSampler,
    "tempering": TemperedSampler,
}
