"""Mixtures of experts: linear regressions of a number, with weights that depend on its parents."""

from arcwise.conditionals.experts.experts_family import ExpertsFamily
from arcwise.conditionals.experts.experts_model import ExpertsConditional

__all__ = ["ExpertsConditional", "ExpertsFamily"]
