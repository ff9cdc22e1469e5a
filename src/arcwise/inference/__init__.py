"""Inference: what is to be believed of some variables once others are known. `ENGINES` is the register."""

from arcwise.inference.averaged import Ensemble, Spread
from arcwise.inference.base import Cost, DeclinedError, Engine
from arcwise.inference.belief import Belief, Estimate, Probability
from arcwise.inference.beliefs import Beliefs
from arcwise.inference.drawn import Drawn
from arcwise.inference.engine import (
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
from arcwise.inference.findings import Explanation, Marginals, explain, marginals, probability
from arcwise.inference.gaussian import joint
from arcwise.inference.matrices import NamedMatrix, covariance, partial_correlations, precision
from arcwise.inference.normal import GaussianJoint, condition
from arcwise.inference.predictions import Predictions
from arcwise.inference.questions import Effort, Question
from arcwise.inference.ranges import Range
from arcwise.inference.ranking import ENGINES
from arcwise.inference.setting import ONE_GRAPH, Equivalents, OtherGraphs

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
