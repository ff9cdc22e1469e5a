"""The family of mixtures of experts: a number given any parents, with as many experts as the data support."""

from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from arcwise.conditionals.base import Array, Columns, DefaultScore, Family, Fits
from arcwise.conditionals.experts.experts_model import ExpertsConditional
from arcwise.conditionals.refusals import check_sizes
from arcwise.data import Statistics, Table, Variable
from arcwise.data.variable import KINDS
from arcwise.errors import DataError, FitError, OptionError

__all__ = ["ExpertsFamily"]


@dataclass(frozen=True)
class ExpertsFamily(Family):
    """The family of mixtures of linear experts; its fields are the options of `fits`."""

    name = "experts"
    conditional = ExpertsConditional
    parent_kinds = frozenset(KINDS)
    replicates = 20

    max_experts: int = 4
    margin: float = 2.0

    def fit(
        self,
        y: NDArray[Any],
        xs: Columns,
        child: Variable,
        parents: tuple[Variable, ...],
        weights: Array | None = None,
    ) -> ExpertsConditional:
        """Fit the mixture of column `y` given the columns `xs`."""
        if weights is not None and not weights.sum() > 0:
            raise FitError(f"A model of {child.name!r} needs at least one row with weight.")
        from arcwise.conditionals.experts.experts_fits import fit_mixture

        table = Table((child, *parents), (y, *xs), weights)  # columns by their names
        target, *others = (table.names.index(variable.name) for variable in (child, *parents))
        return fit_mixture(table, target, tuple(others), self.max_experts, self.margin)

    def prepare(self, table: Table) -> Table:
        """Check that there are two rows, and that squares of the numbers can be computed."""
        if table.units < 2:
            raise DataError("Learning needs at least two rows, but there is one.")
        check_sizes(table)
        return table

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """Return the extended BIC."""
        return DefaultScore("ebic", {"gamma": 1.0})

    def default_parents(self, rows: float) -> int:
        """Return a tenth of the rows: with fewer rows per parent, a regression explains noise."""
        return max(1, int(rows // 10))

    def fits(self, statistics: Statistics, *, max_experts: int = 4, margin: float = 2.0) -> Fits:
        """Bind the family to the rows of a table.

        Parameters
        ----------
        statistics : with rows.
        max_experts : largest number of experts of a local model.
        margin : least gain of a further expert beyond BIC, in nats.
        """
        from arcwise.conditionals.experts.experts_fits import ExpertsFits

        if max_experts < 1:
            raise OptionError(f"max_experts must be a positive number, got {max_experts}.")
        return ExpertsFits(replace(self, max_experts=max_experts, margin=margin), statistics)
