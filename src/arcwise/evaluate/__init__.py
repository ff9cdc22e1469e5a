"""How good, how certain, how strong: edge tables and cross-validation."""

from arcwise.evaluate.accuracy import ClassProbabilities, Reliability
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
from arcwise.evaluate.probabilities import (
    Pair,
    PairTable,
    WeightedGraph,
    WeightedGraphs,
    pair_table,
)
from arcwise.evaluate.search_curve import SearchCurve, search_curve
from arcwise.evaluate.strengths import edge_table, pack_edges, refit_losses, unpack_edges
from arcwise.evaluate.validate import (
    HeldOutScores,
    Learner,
    Validation,
    mean_error,
    score_rows,
    validate_folds,
)

__all__ = [
    "Bend",
    "ClassProbabilities",
    "Conflict",
    "Difference",
    "Divergence",
    "Edge",
    "EdgeTable",
    "HeldOutScores",
    "Impact",
    "Learner",
    "Pair",
    "PairTable",
    "PathCertainty",
    "Reliability",
    "SearchCurve",
    "Stability",
    "Validation",
    "WeightedGraph",
    "WeightedGraphs",
    "averaged_graph",
    "bend_notes",
    "bends",
    "conflict",
    "divergence",
    "edge_table",
    "entropy",
    "impact",
    "inclusion_threshold",
    "mean_error",
    "middle_graph",
    "pack_edges",
    "pair_table",
    "parameter_differences",
    "refit_losses",
    "score_rows",
    "search_curve",
    "stability",
    "supported_graph",
    "supported_heads",
    "threshold_of",
    "unpack_edges",
    "validate_folds",
    "with_certainty",
]
