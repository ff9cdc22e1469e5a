"""Arcwise: which variables depend directly on which, how sure one can be, and answers from the model.

>>> import arcwise as aw
>>> net = aw.learn(aw.shipped("boston"))
>>> "LSTAT" in net.blanket("MEDV")
True
"""

from arcwise import graphs
from arcwise.api import Network, fit, learn, load, load_graph, network, validate
from arcwise.data import (
    Moments,
    Table,
    Variable,
    audit,
    catalogue,
    changes,
    moments,
    network_file,
    read,
    shipped,
    split,
    standardise,
    table,
)
from arcwise.errors import (
    ArcwiseError,
    DataError,
    FileError,
    FitError,
    GraphError,
    WordError,
)
from arcwise.graphs import DAG, PDAG, Rules, UGraph, compare, dag, separated, ug

__version__ = "0.1.0"

__all__ = [
    "DAG",
    "PDAG",
    "ArcwiseError",
    "DataError",
    "FileError",
    "FitError",
    "GraphError",
    "Moments",
    "Network",
    "Rules",
    "Table",
    "UGraph",
    "Variable",
    "WordError",
    "audit",
    "catalogue",
    "changes",
    "compare",
    "dag",
    "fit",
    "graphs",
    "learn",
    "load",
    "load_graph",
    "moments",
    "network",
    "network_file",
    "read",
    "separated",
    "shipped",
    "split",
    "standardise",
    "table",
    "ug",
    "validate",
]
