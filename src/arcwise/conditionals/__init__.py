"""Local models, one file per kind.

`FAMILIES` is the registry: name to family; `choose` picks one for each variable. `CONDITIONALS` maps
names to the types of fitted models.
"""

from collections.abc import Iterator, Mapping

from arcwise.conditionals.base import (
    Conditional,
    Defaults,
    DefaultScore,
    Family,
    Fits,
    HeldOutFits,
    distribution_of,
)
from arcwise.conditionals.capabilities import (
    Linear,
    linear_of,
    regressions_of,
    slopes_of,
    table_of,
)
from arcwise.conditionals.choose import FAMILIES, Choice, MixedFamily, choose, prepare
from arcwise.conditionals.clg import ConditionalGaussian, ConditionalGaussianModel
from arcwise.conditionals.discrete import DiscreteConditional, DiscreteFamily
from arcwise.conditionals.experts import ExpertsConditional, ExpertsFamily
from arcwise.conditionals.gaussian import GaussianFamily
from arcwise.conditionals.glm import CurvedFamily, GlmConditional, GlmFamily
from arcwise.conditionals.neural import NeuralConditional, NeuralFamily
from arcwise.conditionals.parzen import ParzenConditional, ParzenFamily
from arcwise.conditionals.regression import GaussianConditional

__all__ = [
    "CONDITIONALS",
    "FAMILIES",
    "Choice",
    "Conditional",
    "ConditionalGaussian",
    "ConditionalGaussianModel",
    "CurvedFamily",
    "DefaultScore",
    "Defaults",
    "DiscreteConditional",
    "DiscreteFamily",
    "ExpertsConditional",
    "ExpertsFamily",
    "Family",
    "Fits",
    "GaussianConditional",
    "GaussianFamily",
    "GlmConditional",
    "GlmFamily",
    "HeldOutFits",
    "Linear",
    "MixedFamily",
    "NeuralConditional",
    "NeuralFamily",
    "ParzenConditional",
    "ParzenFamily",
    "choose",
    "distribution_of",
    "linear_of",
    "prepare",
    "regressions_of",
    "slopes_of",
    "table_of",
]


class _Conditionals(Mapping[str, type[Conditional]]):
    """Types of fitted local models by name: those of all registered families."""

    def _types(self) -> dict[str, type[Conditional]]:
        return {family.conditional.word: family.conditional for family in FAMILIES.values()}

    def __getitem__(self, word: str) -> type[Conditional]:
        return self._types()[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._types())

    def __len__(self) -> int:
        return len(self._types())


CONDITIONALS: Mapping[str, type[Conditional]] = _Conditionals()
