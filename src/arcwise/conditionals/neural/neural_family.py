"""The family of neural networks: evidence of random layers in the search, then fitted networks."""

from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from arcwise.conditionals.base import Array, Columns, DefaultScore, Family, Fits
from arcwise.conditionals.neural.network_model import NeuralConditional
from arcwise.conditionals.refusals import check_sizes
from arcwise.data import Statistics, Table, Variable
from arcwise.data.variable import KINDS
from arcwise.errors import DataError, FitError, OptionError

__all__ = ["NeuralFamily"]


@dataclass(frozen=True)
class NeuralFamily(Family):
    """The family of neural networks with one hidden layer; its fields are the options of `fits`."""

    name = "neural"
    conditional = NeuralConditional
    kinds = parent_kinds = frozenset(KINDS)
    replicates = 20

    width: int = 40
    trained: bool = True
    spread: bool = True

    def fit(
        self,
        y: NDArray[Any],
        xs: Columns,
        child: Variable,
        parents: tuple[Variable, ...],
        weights: Array | None = None,
    ) -> NeuralConditional:
        """Fit the network of column `y` given the columns `xs`."""
        if weights is not None and not weights.sum() > 0:
            raise FitError(f"A model of {child.name!r} needs at least one row with weight.")
        from arcwise.conditionals.neural.network_fit import fit_network

        table = Table((child, *parents), (y, *xs), weights)  # columns by their names
        target, *others = (table.names.index(variable.name) for variable in (child, *parents))
        return fit_network(
            table,
            target,
            tuple(others),
            width=self.width,
            trained=self.trained,
            spread=self.spread,
        )

    def prepare(self, table: Table) -> Table:
        """Check that there are two rows, and that squares of the numbers can be computed."""
        if table.units < 2:
            raise DataError("Learning needs at least two rows, but there is one.")
        check_sizes(table)
        return table

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """Return the marginal likelihood."""
        return DefaultScore("marginal")

    def default_parents(self, rows: float) -> int:
        """Return a tenth of the rows: with fewer rows per parent, a regression explains noise."""
        return max(1, int(rows // 10))

    def fits(
        self,
        statistics: Statistics,
        *,
        width: int = 40,
        trained: bool = True,
        spread: bool = True,
    ) -> Fits:
        """Bind the family to the rows of a table.

        Parameters
        ----------
        statistics : with rows.
        width : hidden units.
        trained : whether all weights are trained after the search; else those into hidden units stay random.
        spread : whether the standard deviation of a number may depend on its parents.
        """
        from arcwise.conditionals.neural.neural_fits import NeuralFits

        if width < 1:
            raise OptionError(f"width must be a positive number of hidden units, got {width}.")
        return NeuralFits(replace(self, width=width, trained=trained, spread=spread), statistics)
