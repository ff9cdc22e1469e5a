"""Inference: what is to be believed of some variables once others are known."""

from arcwise.inference.belief import Belief, Beliefs, Probability
from arcwise.inference.gaussian import GaussianJoint, condition, joint
from arcwise.inference.normal import NormalBelief, NormalBeliefs
from arcwise.inference.query import query
from arcwise.inference.rows import (
    Predictions,
    impute,
    marginal_log_density,
    predict,
    residuals,
)

__all__ = [
    "Belief",
    "Beliefs",
    "GaussianJoint",
    "NormalBelief",
    "NormalBeliefs",
    "Predictions",
    "Probability",
    "condition",
    "impute",
    "joint",
    "marginal_log_density",
    "predict",
    "query",
    "residuals",
]
