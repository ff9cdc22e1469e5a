"""Inference: what is to be believed of some variables once others are known. `ENGINES` is the register."""

from arcwise.inference.asking import (
    Misses,
    closed,
    impute,
    marginal_log_density,
    misses,
    predict,
    pseudo_log_density,
    query,
    sample,
)
from arcwise.inference.belief import Belief, Estimate, Probability
from arcwise.inference.engine import Cost, DeclinedError, Engine
from arcwise.inference.ensemble import Drawn, Ensemble, Spread
from arcwise.inference.gaussian.matrices import (
    NamedMatrix,
    covariance,
    partial_correlations,
    precision,
)
from arcwise.inference.gaussian.normal_joint import GaussianJoint, condition
from arcwise.inference.gaussian.roots import joint
from arcwise.inference.intervene import ONE_GRAPH, Equivalents, OtherGraphs
from arcwise.inference.joint_belief import Beliefs
from arcwise.inference.marginals import Explanation, Marginals, explain, marginals, probability
from arcwise.inference.predictions import Predictions
from arcwise.inference.question import Effort, Question
from arcwise.inference.ranges import Range
from arcwise.inference.ranking import ENGINES

__all__ = [
    "ENGINES",
    "ONE_GRAPH",
    "Belief",
    "Beliefs",
    "Cost",
    "DeclinedError",
    "Drawn",
    "Effort",
    "Engine",
    "Ensemble",
    "Equivalents",
    "Estimate",
    "Explanation",
    "GaussianJoint",
    "Marginals",
    "Misses",
    "NamedMatrix",
    "OtherGraphs",
    "Predictions",
    "Probability",
    "Question",
    "Range",
    "Spread",
    "closed",
    "condition",
    "covariance",
    "explain",
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
]
