"""Local models, one file a kind. `FAMILIES` is the register: word to family."""

from arcwise.conditionals.base import Conditional, Family, Fits, HeldOut
from arcwise.conditionals.gaussian import Gaussian, GaussianConditional

__all__ = [
    "FAMILIES",
    "Conditional",
    "Family",
    "Fits",
    "Gaussian",
    "GaussianConditional",
    "HeldOut",
]

FAMILIES: dict[str, Family] = {family.name: family for family in (Gaussian(),)}
