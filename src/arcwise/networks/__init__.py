"""Networks: a graph with a fitted local model at every node, as plain values."""

from arcwise.networks.align import align
from arcwise.networks.draws import ancestral, random_graph, random_regressions, random_tables
from arcwise.networks.joint import Joint, NormalJoint, TableJoint, factors_of, normal_of
from arcwise.networks.local_model import LocalModel, local_model
from arcwise.networks.nets import (
    BayesNet,
    FixedValue,
    MarkovNet,
    Net,
    cut,
    log_density,
    pseudo_log_density,
    whole,
)

__all__ = [
    "BayesNet",
    "FixedValue",
    "Joint",
    "LocalModel",
    "MarkovNet",
    "Net",
    "NormalJoint",
    "TableJoint",
    "align",
    "ancestral",
    "cut",
    "factors_of",
    "local_model",
    "log_density",
    "normal_of",
    "pseudo_log_density",
    "random_graph",
    "random_regressions",
    "random_tables",
    "whole",
]
