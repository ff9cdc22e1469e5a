"""Mixtures of experts bound to a table."""

import numpy as np

from arcwise.conditionals.base import Array, ParentSets
from arcwise.conditionals.distinct_rows import count_rows
from arcwise.conditionals.experts.expectation import ExpertsFit, fit_experts
from arcwise.conditionals.experts.experts_family import ExpertsFamily
from arcwise.conditionals.experts.experts_model import ExpertsConditional
from arcwise.conditionals.glm.design import Design
from arcwise.conditionals.glm.least_squares import independent
from arcwise.conditionals.rowwise import RowFits
from arcwise.data import Statistics, Table

__all__ = ["ExpertsFits", "fit_mixture"]


class ExpertsFits(RowFits):
    """The family bound to the rows of a table."""

    family: ExpertsFamily

    def __init__(self, family: ExpertsFamily, statistics: Statistics) -> None:
        super().__init__(family, statistics)
        self._experts: dict[tuple[int, tuple[int, ...]], int] = {}

    def conditional(self, child: int, parents: tuple[int, ...]) -> ExpertsConditional:
        """Return the fitted model of `child` given `parents`."""
        model = super().conditional(child, parents)
        if not isinstance(model, ExpertsConditional):
            raise TypeError("the family fits mixtures of experts")
        self._experts[child, parents] = len(model.sds)
        return model

    def choice(self, child: int, sets: ParentSets) -> Array:
        """Return the cost of choosing the number of experts, for each parent set."""
        for s in sets:
            if (child, s) not in self._experts:
                self.conditional(child, s)
        return self.family.margin * np.array([self._experts[child, s] - 1.0 for s in sets])


def fit_mixture(
    table: Table, child: int, parents: tuple[int, ...], most: int, margin: float
) -> ExpertsConditional:
    """Return the mixture of best BIC; neither the order of parents nor of rows matters.

    Parents have no effect if there are too few rows for their linear effects.
    """
    design = Design(count_rows(table))
    columns = [c for j in sorted(parents) for c in design.main(j)]
    independent_columns = independent(design.products[np.ix_([0, *columns], [0, *columns])])
    columns = [[0, *columns][k] for k in independent_columns.tolist() if k]
    if 2 * (len(columns) + 2) > design.total:
        columns = []
    values = np.ascontiguousarray(design.columns[[0, *columns]].T)
    y = design.columns[design.number(child)]
    mixing = fit_experts(values, y, design.weights, most, margin)
    return _model_of(design, child, parents, columns, mixing)


def _model_of(
    design: Design, child: int, parents: tuple[int, ...], columns: list[int], mixing: ExpertsFit
) -> ExpertsConditional:
    """Return the mixture in the units of the data."""
    members, scale = list(parents), float(design.scales[child])
    coefficients = mixing.coefficients * scale
    coefficients[0] += design.centres[child]
    described = [design.describe(c) for c in columns]
    return ExpertsConditional(
        design.centres[members],
        design.scales[members],
        tuple(design.groups[j].copy() for j in members),
        np.array([(members.index(j), g) for j, g in described], dtype=np.int64).reshape(-1, 2),
        mixing.gates.copy(),
        coefficients,
        mixing.sds * scale,
        design.weights @ mixing.shares / design.total,
        mixing.parameters,
        design.total,
        design.limits(members),
    )
