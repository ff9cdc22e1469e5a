"""Neural networks bound to a table: the evidence of many parent sets."""

from dataclasses import replace

import numpy as np

from arcwise.conditionals.base import Array, HeldOutFits, ParentSets, Parts
from arcwise.conditionals.distinct_rows import count_rows
from arcwise.conditionals.neural.category_evidence import fit_category
from arcwise.conditionals.neural.hidden_layer import LayerInputs
from arcwise.conditionals.neural.neural_family import NeuralFamily
from arcwise.conditionals.neural.number_evidence import fit_number
from arcwise.conditionals.rowwise import RowFits, RowHeldOut
from arcwise.data import Statistics, Table

__all__ = ["NeuralFits"]


class NeuralFits(RowFits):
    """The family bound to the rows of a table."""

    family: NeuralFamily

    def __init__(self, family: NeuralFamily, statistics: Statistics) -> None:
        super().__init__(family, statistics)
        self.inputs = LayerInputs(count_rows(self.table), family.width, family.spread)

    def marginal(self, child: int, sets: ParentSets) -> Array:
        """Return the log marginal likelihood for each parent set."""
        fit = fit_category if self.inputs.levels[child] else fit_number
        return np.array([fit(self.inputs, child, s).evidence for s in sets], dtype=float)

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Return the leave-one-out log-likelihood of random layers."""
        return self._random.loo(child, sets) if self.family.trained else super().loo(child, sets)

    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOutFits:
        """Bind random layers to parts of the rows that are held out in turn; each is fitted once per part."""
        return RowHeldOut(self._random.family, table or self.table, tuple(parts))

    @property
    def _random(self) -> "NeuralFits":
        """Return the same fits without training."""
        return NeuralFits(replace(self.family, trained=False), self.statistics)
