"""Local models, one file a kind.

`FAMILIES` is the register: word to family. `CONDITIONALS` follows from it: word to the type of fitted models.
"""

from collections.abc import Iterator, Mapping, Sequence

from arcwise.conditionals.assigned import Assigned
from arcwise.conditionals.base import (
    Conditional,
    DefaultScore,
    Family,
    Fits,
    HeldOut,
    distribution_of,
)
from arcwise.conditionals.clg import ConditionalGaussian, ConditionalGaussianModel
from arcwise.conditionals.discrete import Discrete, DiscreteConditional
from arcwise.conditionals.gaussian import Gaussian
from arcwise.conditionals.parzen import Parzen, ParzenConditional
from arcwise.conditionals.regression import GaussianConditional
from arcwise.data import Variable

__all__ = [
    "CONDITIONALS",
    "FAMILIES",
    "Assigned",
    "Conditional",
    "ConditionalGaussian",
    "ConditionalGaussianModel",
    "DefaultScore",
    "Discrete",
    "DiscreteConditional",
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
    """The word of the family that suits columns of these kinds: tables where all have levels."""
    return "discrete" if all(variable.discrete for variable in variables) else "gaussian"


FAMILIES: dict[str, Family] = {
    family.name: family for family in (Gaussian(), Parzen(), Discrete(), ConditionalGaussian())
}


class _Conditionals(Mapping[str, type[Conditional]]):
    """Types of fitted local models by their words: those of all registered families."""

    def _types(self) -> dict[str, type[Conditional]]:
        return {family.conditional.word: family.conditional for family in FAMILIES.values()}

    def __getitem__(self, word: str) -> type[Conditional]:
        return self._types()[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._types())

    def __len__(self) -> int:
        return len(self._types())


CONDITIONALS: Mapping[str, type[Conditional]] = _Conditionals()
