"""Local models, one file a kind. `FAMILIES` is the register: word to family."""

from collections.abc import Sequence

from arcwise.conditionals.base import (
    Conditional,
    DefaultScore,
    Family,
    Fits,
    HeldOut,
    distribution_of,
)
from arcwise.conditionals.gaussian import Gaussian, GaussianConditional
from arcwise.conditionals.parzen import Parzen, ParzenConditional
from arcwise.data import Variable
from arcwise.errors import DataError

__all__ = [
    "FAMILIES",
    "Conditional",
    "DefaultScore",
    "Family",
    "Fits",
    "Gaussian",
    "GaussianConditional",
    "HeldOut",
    "Parzen",
    "ParzenConditional",
    "distribution_of",
    "suited",
]


def suited(variables: Sequence[Variable]) -> str:
    """The word of the family that suits columns of these kinds.

    Raises
    ------
    DataError : all columns hold text or truth values, for which there is no family yet.
    """
    if all(variable.discrete and not variable.numeric for variable in variables):
        raise DataError(
            "All columns hold text or truth values, and there are no models for these yet: give "
            "columns of numbers."
        )
    return "gaussian"


FAMILIES: dict[str, Family] = {family.name: family for family in (Gaussian(), Parzen())}
