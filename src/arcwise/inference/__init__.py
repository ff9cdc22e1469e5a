"""Inference: what is to be believed of some variables once others are known."""

from arcwise.inference.belief import Belief, Beliefs, Probability
from arcwise.inference.chances import LevelsBelief
from arcwise.inference.engine import (
    closed,
    impute,
    marginal_log_density,
    predict,
    pseudo_log_density,
    query,
    residuals,
    sample,
)
from arcwise.inference.gaussian import GaussianJoint, condition, joint
from arcwise.inference.gibbs import Effort
from arcwise.inference.matrices import NamedMatrix, covariance, partial_correlations, precision
from arcwise.inference.mixture import MixtureBelief
from arcwise.inference.normal import NormalBelief, NormalBeliefs
from arcwise.inference.ranges import Range
from arcwise.inference.rows import Predictions
from arcwise.inference.samples import SampleBeliefs
from arcwise.inference.setting import Equivalents
from arcwise.inference.tables import SimulatedPredictions

__all__ = [
    "Belief",
    "Beliefs",
    "Effort",
    "Equivalents",
    "GaussianJoint",
    "LevelsBelief",
    "MixtureBelief",
    "NamedMatrix",
    "NormalBelief",
    "NormalBeliefs",
    "Predictions",
    "Probability",
    "Range",
    "SampleBeliefs",
    "SimulatedPredictions",
    "closed",
    "condition",
    "covariance",
    "impute",
    "joint",
    "marginal_log_density",
    "partial_correlations",
    "precision",
    "predict",
    "pseudo_log_density",
    "query",
    "residuals",
    "sample",
]
