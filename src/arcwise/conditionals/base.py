"""A local model: the distribution of one variable given its parents.

Three notions keep data, models and search apart:

* a `Family` is a kind of local model (linear-Gaussian, later Parzen windows, tables, ...);
* a `Conditional` is one fitted local model, a frozen dataclass of numbers and arrays;
* `Fits` is a family tied to one data set: the place of sufficient statistics and of closed forms.

A new family writes `Family.fit` and its `Conditional`; every other method has a default that loops
over `fit`, and is overridden where the family knows a faster way. Scores ask only `Fits`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.orders import GaussianScores
from arcwise.data import Kind, Moments, Table, Variable
from arcwise.errors import DataError, FitError

if TYPE_CHECKING:
    from arcwise.graphs import DAG

__all__ = [
    "Array",
    "Chances",
    "Columns",
    "Conditional",
    "DefaultScore",
    "Family",
    "Fits",
    "HeldOut",
    "Mixes",
    "Mixture",
    "ParentSets",
    "Parts",
    "check_sizes",
]

Array = NDArray[np.float64]
Columns = tuple[NDArray[Any], ...]
ParentSets = Sequence[tuple[int, ...]]
Parts = Sequence[NDArray[np.intp]]

_LARGEST = 1e140  # squares, and sums of squares, stay within floating-point numbers


class Conditional(Protocol):
    """One fitted local model; works on whole columns at once.

    `xs` holds the parents' columns in the order of their column numbers. `size` is the number of
    rows, which a model without parents could not know otherwise.
    """

    @property
    def n_params(self) -> int | None:
        """Free parameters; None where counting them has no meaning."""
        ...

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Log density (or log probability) of each row."""
        ...

    def mean(self, xs: Columns, size: int) -> Array:
        """Expected value of each row."""
        ...

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw one value for each row."""
        ...


class Mixture(NamedTuple):
    """Distributions of rows as mixtures of the same normals: row r has weights[r, k] of centre k.

    `centres` (k,), `sd` (k,) and `weights` (rows, k), each row of which sums to one.
    """

    centres: Array
    sd: Array
    weights: Array


@runtime_checkable
class Mixes(Protocol):
    """A conditional whose rows are mixtures of common normals, so that their averages are, too."""

    def mixture(self, xs: Columns, size: int) -> Mixture:
        """The mixtures of all rows."""
        ...


@runtime_checkable
class Chances(Protocol):
    """A conditional of a discrete variable."""

    def probabilities(self, xs: Columns, size: int) -> Array:
        """Probability of each level (columns) in each row."""
        ...


class HeldOut(ABC):
    """A family tied to a data set and to parts of its rows that are left out in turn."""

    @abstractmethod
    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihood of the parts, each under the model fitted to the rows outside it."""


class Fits(ABC):
    """A family tied to one data set; arrays over many parent sets of one child.

    `nodes` are the names of the columns, `rows` the sum of the row weights; `equivalent` says that
    equivalent graphs have the same fitted joint density, `lattice` that `subsets` has a closed form;
    `shared` that local models have a number in common, tuned to a graph by `retuned`; `threads` how many
    sets are worked on at the same time.
    """

    nodes: tuple[str, ...]
    rows: float
    equivalent: bool = False
    lattice: bool = False
    shared: bool = False
    threads: int = 1

    @abstractmethod
    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """The fitted local model of `child` given `parents`."""

    @abstractmethod
    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihood of the data under the fitted model, for each parent set."""

    @abstractmethod
    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Free parameters of the model for each parent set; FitError where they have no meaning."""

    @abstractmethod
    def loo(self, child: int, sets: ParentSets) -> Array:
        """Leave-one-out log-likelihood for each parent set; every copy of a row is left out."""

    @abstractmethod
    def held_out(self, parts: Parts) -> HeldOut:
        """Tie the family to parts of the rows that are left out in turn."""

    def sweep(self, children: Sequence[int], bases: ParentSets) -> tuple[Array, Array] | None:
        """Log-likelihoods of bases and of all their toggles, where there is a faster way."""
        return None

    def compiled(self, charges: Array) -> GaussianScores | None:
        """Log-likelihoods minus charges by the number of parents (p + 1,), for compiled searches."""
        return None

    def retuned(self, graph: "DAG") -> Self | None:
        """The same with what all local models share tuned to a graph; None where nothing changes."""
        return None

    def seconds(self, inputs: int) -> float:
        """Roughly how long one local model with so many inputs takes; 0 where nobody will wait."""
        return 0.0

    def params_by_size(self) -> Array | None:
        """Free parameters with 0, 1, ..., p parents, where only their number matters; else None."""
        return None

    def subsets(
        self, child: int, candidates: Sequence[int], always: tuple[int, ...], most: int
    ) -> Array | None:
        """Log-likelihoods of `always` with all subsets of candidates, where there is a faster way.

        Indexed by bit mask; NaN for sets larger than `most`.
        """
        return None


class DefaultScore(NamedTuple):
    """A score's word, its options, and a sentence where the choice may surprise."""

    word: str
    options: Mapping[str, float] = MappingProxyType({})
    note: str = ""


class Family(ABC):
    """A kind of local model.

    `name` is its word in the register, `conditional` the type of its fitted models (a dataclass, so
    that saving and loading need no code of their own). `kinds` are the kinds of columns that it has
    models of.
    """

    name: str
    conditional: type
    kinds: frozenset[Kind] = frozenset({"continuous"})
    closed: bool = False
    """Whether directed networks of such models answer in closed form, without blanket models."""

    @abstractmethod
    def fit(
        self,
        y: NDArray[Any],
        xs: Columns,
        child: Variable,
        parents: tuple[Variable, ...],
        weights: Array | None = None,
    ) -> Conditional:
        """Fit the model of column `y` given the columns `xs`."""

    def prepare(self, table: Table) -> Table:
        """Check columns of kinds that the family takes, without gaps; notes say what may surprise."""
        return table

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """The score that fits the family best where none is asked for."""
        return DefaultScore("loo")

    def default_penalty(self, columns: int, rows: float) -> float:
        """The penalty per edge, in nats per row, where none is asked for."""
        return 0.0

    def default_parents(self, rows: float) -> int | None:
        """The largest number of parents that so many rows can carry; None for no bound."""
        return None

    def bind(self, source: Table | Moments) -> Fits:
        """Tie the family to a data set.

        Keyword-only parameters of an overriding method are options that `learn` hands through.
        """
        if isinstance(source, Moments):
            raise FitError(
                f"A {self.name} model needs the rows of the table, but only means and "
                "covariances were given: read the file as a table."
            )
        return RowFits(self, source)


@dataclass(frozen=True)
class RowFits(Fits):
    """The default: each parent set is fitted from the rows."""

    family: Family
    table: Table

    @property
    def nodes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the columns."""
        return self.table.names

    @property
    def rows(self) -> float:  # type: ignore[override]
        """Sum of the row weights."""
        return self.table.total

    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """The fitted local model of `child` given `parents`."""
        return _fit(self.family, self.table, child, parents)

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihood of the data under the fitted model, for each parent set."""
        return np.array([_loglik(self.conditional(child, s), self.table, child, s) for s in sets])

    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Free parameters of the model for each parent set."""
        counts = [self.conditional(child, s).n_params for s in sets]
        if any(count is None for count in counts):
            raise FitError(
                f"A {self.family.name} model has no number of free parameters, so scores that "
                "count them (aic, bic, ebic) cannot be used: take loo or kfold."
            )
        return np.array(counts, dtype=float)

    def loo(self, child: int, sets: ParentSets) -> Array:
        """Leave-one-out log-likelihood by fitting again without each row in turn."""
        parts = [np.array([row]) for row in range(self.table.rows)]
        return self.held_out(parts).loglik(child, sets)

    def held_out(self, parts: Parts) -> HeldOut:
        """Tie the family to parts of the rows that are left out in turn."""
        return RowHeldOut(self.family, self.table, tuple(parts))


@dataclass(frozen=True)
class RowHeldOut(HeldOut):
    """The default: each part's model is fitted from the rows outside it."""

    family: Family
    table: Table
    parts: tuple[NDArray[np.intp], ...]

    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihood of the parts, each under the model fitted to the rows outside it."""
        out = np.zeros(len(sets))
        for part in self.parts:
            rest = self.table.take(np.setdiff1d(np.arange(self.table.rows), part))
            inside = self.table.take(part)
            models = (_fit(self.family, rest, child, s) for s in sets)
            out += [_loglik(m, inside, child, s) for m, s in zip(models, sets, strict=True)]
        return out


def _fit(family: Family, table: Table, child: int, parents: tuple[int, ...]) -> Conditional:
    xs = tuple(table.columns[j] for j in parents)
    variables = tuple(table.variables[j] for j in parents)
    return family.fit(
        table.columns[child], xs, table.variables[child], variables, weights=table.weights
    )


def _loglik(model: Conditional, table: Table, child: int, parents: tuple[int, ...]) -> float:
    logs = model.logpdf(table.columns[child], tuple(table.columns[j] for j in parents))
    return float(logs.sum() if table.weights is None else table.weights @ logs)


def check_sizes(table: Table) -> None:
    """Refuse columns of numbers so large, or so close to each other, that squares have no number."""
    for variable, column in zip(table.variables, table.columns, strict=True):
        if variable.discrete:
            continue
        size, spread = np.abs(column).max(), column.max() / 2 - column.min() / 2
        if size > _LARGEST or 0 < spread < 1 / _LARGEST:
            raise DataError(
                f"The numbers of column {variable.name!r} are of the size {size:.3g} with a spread of "
                f"{2 * spread:.3g}; their squares cannot be computed: take another unit."
            )
