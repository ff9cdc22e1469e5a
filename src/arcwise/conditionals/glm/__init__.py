"""Generalised linear models of numbers and categories given any parents, in the form that suits them."""

from arcwise.conditionals.glm.glm_family import MARGIN, CurvedFamily, GlmFamily
from arcwise.conditionals.glm.glm_model import FORMS, GlmConditional

__all__ = ["FORMS", "MARGIN", "CurvedFamily", "GlmConditional", "GlmFamily"]
