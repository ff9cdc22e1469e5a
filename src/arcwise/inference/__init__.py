"""Inference: distributions of variables given evidence or interventions. `ENGINES` is the registry."""

from arcwise.inference.ask import (
    ENGINES,
    has_closed_form,
    impute,
    marginal_log_density,
    predict,
    query,
    sample,
)
from arcwise.inference.ask_options import AskOptions, EffortOptions, SeedlessOptions
from arcwise.inference.belief import Belief, Estimate, Probability
from arcwise.inference.engine import Cost, DeclinedError, Effort, Engine, Question
from arcwise.inference.ensemble import Ensemble, GraphOrigin, Spread
from arcwise.inference.explanation import Explanation, explain
from arcwise.inference.intervene import ONE_GRAPH, Equivalents, OtherGraphs
from arcwise.inference.joint_belief import Beliefs
from arcwise.inference.linear_gaussian import (
    covariance,
    joint,
    partial_correlations,
    precision,
)
from arcwise.inference.marginals import (
    Marginals,
    Misses,
    marginals,
    misses,
    probability,
    pseudo_log_density,
    target_misses,
)
from arcwise.inference.normal_joint import GaussianJoint, NamedMatrix, condition
from arcwise.inference.predictions import Predictions
from arcwise.inference.ranges import Range

__all__ = [
    "ENGINES",
    "ONE_GRAPH",
    "AskOptions",
    "Belief",
    "Beliefs",
    "Cost",
    "DeclinedError",
    "Effort",
    "EffortOptions",
    "Engine",
    "Ensemble",
    "Equivalents",
    "Estimate",
    "Explanation",
    "GaussianJoint",
    "GraphOrigin",
    "Marginals",
    "Misses",
    "NamedMatrix",
    "OtherGraphs",
    "Predictions",
    "Probability",
    "Question",
    "Range",
    "SeedlessOptions",
    "Spread",
    "condition",
    "covariance",
    "explain",
    "has_closed_form",
    "impute",
    "joint",
    "marginal_log_density",
    "marginals",
    "misses",
    "partial_correlations",
    "precision",
    "predict",
    "probability",
    "pseudo_log_density",
    "query",
    "sample",
    "target_misses",
]
