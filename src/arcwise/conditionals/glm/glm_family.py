"""Generalised linear models: for each variable the form that suits it, whatever its parents are.

A number has a regression with normal noise, a category a multinomial logit or a table, and the parents are
numbers and categories. Each family of a variable and its parents takes the best of a few forms by

    loglik - (k / 2) log n - c,

with k free parameters, n rows, and c = 0 for the plain forms. These are main effects, and tables if all
variables are categories. The other forms pay c = log(number of choices) + margin:

* main effects with curves of numbers (a square, or a cubic with a bend) and products of two parents, added
  one by one;
* a regression with a variance of its own for each configuration of the categories (conditional Gaussian).

Stated rules keep every likelihood finite. A level of a parent with fewer than 5 rows counts as the most
frequent one. A form with more parameters than half the rows is not fitted; if this holds for main effects,
the parents have no effect. Columns that follow from others are left out and not counted. The variance of a
model is at least that of a hundredth of its variable's standard deviation. Logits and tables count one
imaginary row with the shares of the levels.
"""

from typing import Any

from numpy.typing import NDArray

from arcwise.conditionals.base import Array, Columns, DefaultScore, Family, Fits
from arcwise.conditionals.glm.glm_model import GlmConditional
from arcwise.conditionals.refusals import check_sizes
from arcwise.data import Complete, Statistics, Table, Variable
from arcwise.data.variable import KINDS
from arcwise.errors import DataError, FitError

__all__ = ["MARGIN", "CurvedFamily", "GlmFamily"]

MARGIN = 2.0
"""Nats that a form other than a plain one has to gain, by default."""


class GlmFamily(Family):
    """The family of generalised linear models."""

    name = "glm"
    conditional = GlmConditional
    kinds = parent_kinds = frozenset(KINDS)

    def fit(
        self,
        y: NDArray[Any],
        xs: Columns,
        child: Variable,
        parents: tuple[Variable, ...],
        weights: Array | None = None,
    ) -> GlmConditional:
        """Fit the best form of the model of column `y` given the columns `xs`."""
        if weights is not None and not weights.sum() > 0:
            raise FitError(f"A model of {child.name!r} needs at least one row with weight.")
        return _fit_model((child, *parents), (y, *xs), weights, MARGIN)

    def prepare(self, table: Table) -> Table:
        """At least two rows, of numbers whose squares can be computed."""
        if table.units < 2:
            raise DataError("Learning needs at least two rows, but there is one.")
        check_sizes(table)
        return table

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """The extended BIC."""
        return DefaultScore("ebic", {"gamma": 1.0})

    def default_parents(self, rows: float) -> int:
        """Ten rows for each parent: with fewer, a regression explains noise."""
        return max(1, int(rows // 10))

    def fits(self, statistics: Statistics, *, margin: float = MARGIN) -> Fits:
        """Tie the family to the rows of a table.

        Parameters
        ----------
        statistics : with rows.
        margin : nats that a form other than a plain one has to gain.
        """
        from arcwise.conditionals.glm.glm_fits import GlmFits

        return GlmFits(self, statistics, margin)


class CurvedFamily(GlmFamily):
    """The same models for tables of numbers: numeric levels count as numbers, as for linear models."""

    name = "curved"
    kinds = parent_kinds = frozenset({"continuous"})


def _fit_model(
    variables: tuple[Variable, ...],
    columns: Columns,
    weights: Array | None,
    margin: float,
) -> GlmConditional:
    """The model of the first of some columns given the others."""
    from arcwise.conditionals.glm.glm_fits import GlmFits

    table = Table(variables, columns, weights)
    child, *parents = (table.names.index(variable.name) for variable in variables)
    return GlmFits(GlmFamily(), Complete(table), margin).model(child, tuple(parents))
