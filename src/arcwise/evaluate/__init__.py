"""How good, how sure, how strong: edge tables and cross-validation."""

from arcwise.evaluate.accuracy import Classified, Reliability
from arcwise.evaluate.conflict import Conflict, Impact, conflict, impact
from arcwise.evaluate.consensus import (
    PathCertainty,
    Stability,
    averaged_graph,
    inclusion_threshold,
    stability,
    supported_graph,
    supported_heads,
    threshold_of,
    with_certainty,
)
from arcwise.evaluate.curvature import Bend, bend_notes, bends, middle_graph
from arcwise.evaluate.divergence import (
    Difference,
    Divergence,
    divergence,
    entropy,
    parameter_differences,
)
from arcwise.evaluate.edges import Edge, EdgeTable
from arcwise.evaluate.probabilities import Pair, PairTable, pair_table
from arcwise.evaluate.search_curve import SearchCurve, search_curve
from arcwise.evaluate.strengths import edge_table, pack_edges, refit_losses, unpack_edges
from arcwise.evaluate.validate import (
    Judged,
    Learner,
    Validation,
    judged,
    mean_error,
    validate_folds,
)

__all__ = [
    "Bend",
    "Classified",
    "Conflict",
    "Difference",
    "Divergence",
    "Edge",
    "EdgeTable",
    "Impact",
    "Judged",
    "Learner",
    "Pair",
    "PairTable",
    "PathCertainty",
    "Reliability",
    "SearchCurve",
    "Stability",
    "Validation",
    "averaged_graph",
    "bend_notes",
    "bends",
    "conflict",
    "divergence",
    "edge_table",
    "entropy",
    "impact",
    "inclusion_threshold",
    "judged",
    "mean_error",
    "middle_graph",
    "pack_edges",
    "pair_table",
    "parameter_differences",
    "refit_losses",
    "search_curve",
    "stability",
    "supported_graph",
    "supported_heads",
    "threshold_of",
    "unpack_edges",
    "validate_folds",
    "with_certainty",
]
