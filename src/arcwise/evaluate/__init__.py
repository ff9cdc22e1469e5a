"""How good, how sure, how strong: edge tables and cross-validation."""

from arcwise.evaluate.curvature import Bend, bends
from arcwise.evaluate.edges import Edge, EdgeTable
from arcwise.evaluate.refitting import refit_losses
from arcwise.evaluate.strengths import edge_table, pack_edges, unpack_edges
from arcwise.evaluate.validate import Judged, Learner, Validation, judged, validate_folds

__all__ = [
    "Bend",
    "Edge",
    "EdgeTable",
    "Judged",
    "Learner",
    "Validation",
    "bends",
    "edge_table",
    "judged",
    "pack_edges",
    "refit_losses",
    "unpack_edges",
    "validate_folds",
]
