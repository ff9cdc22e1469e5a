"""How good, how sure, how strong: edge tables and cross-validation."""

from arcwise.evaluate.edges import Edge, EdgeTable
from arcwise.evaluate.refitting import refit_losses
from arcwise.evaluate.strengths import edge_table, pack_edges, unpack_edges
from arcwise.evaluate.validate import Learner, Validation, validate_folds

__all__ = [
    "Edge",
    "EdgeTable",
    "Learner",
    "Validation",
    "edge_table",
    "pack_edges",
    "refit_losses",
    "unpack_edges",
    "validate_folds",
]
