"""Neural networks tied to a table: the evidence of many parent sets."""

import numpy as np

from arcwise.conditionals.base import Array, ParentSets
from arcwise.conditionals.neural.category_evidence import fit_category
from arcwise.conditionals.neural.hidden_layer import LayerInputs, counted
from arcwise.conditionals.neural.neural_family import NeuralFamily
from arcwise.conditionals.neural.number_evidence import fit_number
from arcwise.conditionals.rowwise import RowFits
from arcwise.data import Statistics

__all__ = ["NeuralFits"]


class NeuralFits(RowFits):
    """The family tied to the rows of a table."""

    def __init__(self, family: NeuralFamily, statistics: Statistics) -> None:
        super().__init__(family, statistics)
        self.inputs = LayerInputs(counted(self.table), family.width)

    def marginal(self, child: int, sets: ParentSets) -> Array:
        """Log marginal likelihood for each parent set."""
        fit = fit_category if self.inputs.levels[child] else fit_number
        return np.array([fit(self.inputs, child, s).evidence for s in sets], dtype=float)
