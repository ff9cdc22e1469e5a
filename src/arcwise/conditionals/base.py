"""A local model: the distribution of one variable given its parents.

Three notions keep data, models and search apart:

* a `Family` is a kind of local model (linear-Gaussian, Parzen windows, tables, ...);
* a `Conditional` is one fitted local model, a frozen dataclass of numbers and arrays;
* `Fits` is a family bound to one data set, with sufficient statistics and closed forms.

A new family implements `Family.fit` and its `Conditional`; every other method has a default that loops
over `fit` and may be overridden by a faster one. Scores use `Fits` only, and `Family.bind` makes them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.local_scores import NativeScores
from arcwise.conditionals.refusals import no_marginal
from arcwise.data import Kind, Source, Statistics, Table, Variable, statistics_of
from arcwise.data.prepare import as_numbers
from arcwise.distributions import Categorical, Distribution, tabulate
from arcwise.errors import FitError

if TYPE_CHECKING:
    from arcwise.conditionals.discrete_fits import DiscreteFits
    from arcwise.conditionals.gaussian import GaussianFits
    from arcwise.graphs import DAG

__all__ = [
    "Array",
    "Columns",
    "Conditional",
    "DefaultScore",
    "Defaults",
    "Family",
    "Fits",
    "HeldOutFits",
    "ParentSets",
    "Parts",
    "distribution_of",
]

Array = NDArray[np.float64]
Columns = tuple[NDArray[Any], ...]
ParentSets = Sequence[tuple[int, ...]]
Parts = Sequence[NDArray[np.intp]]

_HINTS = 48
"""Draws per row that locate the mass of a model without a `distribution`."""


class Conditional(Protocol):
    """One fitted local model; works on whole columns at once.

    `xs` are the parents' columns in the order of their column numbers. `size` is the number of rows, which
    models without parents need. `word` is the name of the model in files, messages and `net.models`.
    """

    word: ClassVar[str]

    @property
    def n_params(self) -> int | None:
        """The number of free parameters; None if it has no meaning."""
        ...

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Return the log density (or log probability) of each row."""
        ...

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw one value for each row."""
        ...

    def distribution(self, xs: Columns, size: int) -> Distribution:
        """Return the distribution of each row; for a discrete variable, a Categorical of codes.

        This method is optional: without it `distribution_of` tabulates `logpdf`.
        """
        ...

    # Two optional methods give a model in another form (see
    # `capabilities`): `as_table(levels)` is its table, `linear` its regression. A third one,
    # `matches(variable, parents)`, checks models from files before use.


def distribution_of(model: Conditional, variable: Variable, xs: Columns, size: int) -> Distribution:
    """Return the distribution of a variable in each row, given the inputs of its model.

    A model without a method `distribution` is tabulated: its `logpdf` at the levels of a discrete variable,
    or on a grid around values that it draws.

    Parameters
    ----------
    model : the variable's local model.
    variable : supplies levels and name for distributions of codes.
    xs : the inputs' columns.
    size : number of rows.
    """
    method = getattr(model, "distribution", None)
    if method is None:
        return _tabulate(model, variable, xs, size)
    distribution: Distribution = method(xs, size)
    if isinstance(distribution, Categorical) and variable.levels is not None:
        return distribution.with_levels(variable.levels, variable.name)
    return distribution


def _tabulate(model: Conditional, variable: Variable, xs: Columns, size: int) -> Distribution:
    """Return distributions computed from log densities alone, at draws with a fixed seed."""

    def logs(points: NDArray[Any]) -> Array:
        wide = tuple(np.repeat(column, points.shape[1]) for column in xs)
        return model.logpdf(points.ravel(), wide).reshape(points.shape)

    if variable.levels is not None:
        codes = np.broadcast_to(np.arange(len(variable.levels)), (size, len(variable.levels)))
        return Categorical.from_logs(logs(codes), variable.levels, variable.name)
    wide = tuple(np.repeat(column, _HINTS) for column in xs)
    drawn = model.sample(wide, np.random.default_rng(0), size * _HINTS)
    hints = np.asarray(drawn, dtype=float).reshape(size, _HINTS)
    low, high = hints.min(axis=1), hints.max(axis=1)
    reach = np.maximum(high - low, 1e-9 * np.maximum(1.0, np.abs(high)))
    return tabulate(logs, low - 3 * reach, high + 3 * reach, hints)


class HeldOutFits(ABC):
    """A family bound to a data set and to parts of its rows that are held out in turn."""

    @abstractmethod
    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return the log-likelihood of the parts, each under the model fitted to the rows outside it."""


class Fits(ABC):
    """A family bound to one data set; arrays over many parent sets of one child.

    `statistics` are the data, `nodes` the names of their columns, `rows` the sum of the row weights and
    `models` the name of each variable's family. `normal` are the same fits if all models are
    linear-Gaussian, `tabular` if all are tables. `threads` is the number of sets computed in parallel, and
    `start_score` the quick score whose best graph starts the default search, if any. Booleans are `closed`
    (directed networks of these models have closed-form inference, without blanket models), `equivalent`
    (equivalent graphs have the same largest likelihood), `same_joint` (and the same fitted joint density),
    `smoothed` (fitted models are not the maximum of `loglik`), `lattice` (`subsets` has a closed form) and
    `shared` (local models share a parameter, which `retuned` tunes to a graph).
    """

    statistics: Statistics
    models: tuple[str, ...]
    closed: bool = False
    nodes: tuple[str, ...]
    rows: float
    equivalent: bool = False
    lattice: bool = False
    shared: bool = False
    smoothed: bool = False
    threads: int = 1
    start_score: str = ""

    @property
    def normal(self) -> "GaussianFits | None":
        """The same fits if all models are linear-Gaussian; else None."""
        return None

    @property
    def tabular(self) -> "DiscreteFits | None":
        """The same fits if all models are tables; else None."""
        return None

    @property
    def same_joint(self) -> bool:
        """Whether equivalent graphs have the same fitted joint density."""
        return self.equivalent

    @abstractmethod
    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """Return the fitted local model of `child` given `parents`."""

    def takes(self, child: int, parents: tuple[int, ...]) -> bool:
        """Return whether there is such a model; if not, all likelihoods of the set are -inf."""
        return True

    def never(self, child: int) -> frozenset[int]:
        """Return the variables that no model of `child` accepts as a parent."""
        return frozenset()

    @abstractmethod
    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Return the largest log-likelihood of the data under a model of the family, for each parent set."""

    @abstractmethod
    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Return the number of free parameters of the model for each parent set; a FitError if they
        have no meaning.
        """

    def choice(self, child: int, sets: ParentSets) -> Array | None:
        """Return the cost in nats of choosing among forms of a model, besides its parameters; None for
        a single form.
        """
        return None

    @abstractmethod
    def loo(self, child: int, sets: ParentSets) -> Array:
        """Return the leave-one-out log-likelihood for each parent set: each unit under the model of all
        others.

        A row of weight 3 is three units, unless the table's copies stay together.
        """

    def marginal(self, child: int, sets: ParentSets) -> Array:
        """Return the log marginal likelihood for each parent set; a FitError for families without a prior."""
        raise no_marginal(self.models)

    @abstractmethod
    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOutFits:
        """Bind the family to parts of the rows that are held out in turn.

        Parameters
        ----------
        parts : row numbers.
        table : the table of these rows, with the same units; by default the bound one.
        """

    def sweep(self, children: Sequence[int], bases: ParentSets) -> tuple[Array, Array] | None:
        """Return log-likelihoods of bases and of all their toggles, or None without a faster way."""
        return None

    def compiled(self, charges: Array, per_param: float = 0.0) -> NativeScores | None:
        """Return log-likelihoods minus penalties, for compiled searches.

        `charges` (p + 1,) are penalties by the number of parents, `per_param` is the penalty per parameter if
        these are counted for each set.
        """
        return None

    def retuned(self, graph: "DAG") -> Self | None:
        """Return fits with the shared parameter tuned to a graph; None if nothing changes."""
        return None

    def resampled(self, weights: Array, graph: "DAG") -> "tuple[Fits, ...] | None":
        """Return the family bound to replicates of the rows by a fast approximation, None if there is none.

        Parameters
        ----------
        weights : (replicates, rows).
        graph : that searches in the replicates start from.
        """
        return None

    def seconds(self, inputs: int) -> float:
        """Return the approximate time of one local model with this many inputs; 0 if negligible."""
        return 0.0

    def params_by_size(self) -> Array | None:
        """Return the free parameters with 0, 1, ..., p parents if only that number matters; else None."""
        return None

    def subsets(
        self, child: int, candidates: Sequence[int], always: tuple[int, ...], most: int
    ) -> Array | None:
        """Return log-likelihoods of `always` with all subsets of candidates, or None without a faster way.

        Indexed by bit mask; NaN for sets larger than `most`.
        """
        return None


_NO_OPTIONS: Mapping[str, float] = {}  # not a mapping proxy, which cannot be pickled


class DefaultScore(NamedTuple):
    """The name and the options of a score, and a note if the choice may surprise."""

    word: str
    options: Mapping[str, float] = _NO_OPTIONS
    note: str = ""


class Defaults(NamedTuple):
    """Defaults of a family for some data: score, penalty per edge, bounds on graphs.

    `max_parents` is the largest number of parents that the rows support, if bounded. Columns in `apart` have
    no arcs under the default score.
    """

    score: DefaultScore
    penalty: float
    max_parents: int | None
    apart: tuple[str, ...]


class Family(ABC):
    """A kind of local model.

    `name` is its name in the registry, `conditional` the type of its fitted models (a dataclass, so
    that files need no further code). `kinds` are the kinds of columns that it has models of, `parent_kinds`
    those that it accepts as parents.
    """

    name: str
    conditional: type[Conditional]
    kinds: frozenset[Kind] = frozenset({"continuous"})
    parent_kinds: frozenset[Kind] = frozenset({"continuous"})
    closed: bool = False
    """Whether directed networks of such models have closed-form inference, without blanket models."""
    takes_gaps: bool = False
    """Whether models can be fitted from rows with missing values, by the statistics of `with_gaps`."""
    counts: bool = False
    """Whether models are tables of counts, in which copies of a row look like dependence."""
    replicates: int = 100
    """Replicates for the certainty of edges by default; fewer for families whose searches take long."""

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

    def takes(self, child: Variable, parents: Sequence[Variable]) -> bool:
        """Return whether there is a model of a variable given such parents; if not, a set scores -inf."""
        return child.kind in self.kinds and all(p.kind in self.parent_kinds for p in parents)

    def kinds_of(self, name: str) -> frozenset[Kind]:
        """Return the kinds of columns that the variable's models accept."""
        return self.kinds

    def recast(self, table: Table) -> Table:
        """Return the table with kinds that suit the family: numeric levels become numbers if levels
        have no model.
        """
        suits = "discrete" in self.kinds or not any(v.levels for v in table.variables)
        return table if suits else as_numbers(table)

    def prepare(self, table: Table) -> Table:
        """Check columns of kinds that the family takes, without missing values; notes say what may
        surprise.
        """
        return table

    def with_gaps(self, table: Table) -> Statistics:
        """Return the statistics of rows with missing values, if the family takes them."""
        raise FitError(f"A {self.name} model needs rows without missing values.")

    def defaults(self, statistics: Statistics) -> Defaults:
        """Return the defaults of the family for some data."""
        columns, rows = len(statistics.names), statistics.total
        apart = self.set_apart(self.rows_of(statistics)) if statistics.has_rows else ()
        return Defaults(
            self.default_score(columns, rows),
            self.default_penalty(columns, statistics.effective_rows),
            self.default_parents(rows),
            apart,
        )

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """Return the default score of the family."""
        return DefaultScore("loo")

    def default_penalty(self, columns: int, rows: float) -> float:
        """Return the default penalty per edge, in nats per row."""
        return 0.0

    def set_apart(self, table: Table) -> tuple[str, ...]:
        """Return the columns that have no arcs under the default score, such as row numbers."""
        return ()

    def default_parents(self, rows: float) -> int | None:
        """Return the largest number of parents that this many rows support; None for no bound."""
        return None

    def bind(self, source: Source, **options: Any) -> Fits:
        """Bind the family to data; `options` are those of `fits`.

        Statistics that differ between parent sets are bound view by view.
        """
        statistics = statistics_of(source)
        if statistics.uniform:
            return self.fits(statistics, **options)
        from arcwise.conditionals.rowwise import ViewFits

        return ViewFits(self, statistics, options)

    @property
    def members(self) -> "tuple[Family, ...]":
        """Return the families that have models here."""
        return (self,)

    def bind_members(self, source: Source, options: Mapping[str, Mapping[str, Any]]) -> Fits:
        """Bind the family to data, with options of each member by its name."""
        return self.bind(source, **options.get(self.name, {}))

    def fits(self, statistics: Statistics) -> Fits:
        """Bind the family to uniform statistics.

        Keyword-only parameters of an overriding method are options that `learn` passes on, except
        `threads` (the number of threads) and `rng` (the random generator, for families that need one).
        """
        from arcwise.conditionals.rowwise import RowFits

        return RowFits(self, statistics)

    def rows_of(self, statistics: Statistics) -> Table:
        """Return the rows of statistics; an error if there are none."""
        return statistics.rows(f"A {self.name} model needs")

    def models_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the name of each variable's family."""
        return (self.name,) * len(names)
