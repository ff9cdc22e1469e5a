"""A local model: the distribution of one variable given its parents.

Three notions keep data, models and search apart:

* a `Family` is a kind of local model (linear-Gaussian, later Parzen windows, tables, ...);
* a `Conditional` is one fitted local model, a frozen dataclass of numbers and arrays;
* `Fits` is a family tied to one data set: the place of sufficient statistics and of closed forms.

A new family writes `Family.fit` and its `Conditional`; every other method has a default that loops
over `fit`, and is overridden where the family knows a faster way. Scores ask only `Fits`. `Family.bind` is
the only way from data to `Fits`.
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
"""Draws a row that show where the mass of a model without a `distribution` lies."""


class Conditional(Protocol):
    """One fitted local model; works on whole columns at once.

    `xs` holds the parents' columns in the order of their column numbers. `size` is the number of
    rows, which a model without parents could not know otherwise. `word` is what files, messages and
    `net.models` call such a model.
    """

    word: ClassVar[str]

    @property
    def n_params(self) -> int | None:
        """Free parameters; None where counting them has no meaning."""
        ...

    def logpdf(self, y: NDArray[Any], xs: Columns) -> Array:
        """Log density (or log probability) of each row."""
        ...

    def sample(self, xs: Columns, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw one value for each row."""
        ...

    def distribution(self, xs: Columns, size: int) -> Distribution:
        """Return the distribution of each row; of a discrete variable, a Categorical of codes.

        It may be left out: `distribution_of` then tabulates `logpdf`.
        """
        ...

    # Two methods say what else a model can be read as, and are left out where it cannot (see
    # `capabilities`): `as_table(levels)` gives its table, `linear` its regression. A third one,
    # `matches(variable, parents)`, lets files be checked before the model is used.


def distribution_of(model: Conditional, variable: Variable, xs: Columns, size: int) -> Distribution:
    """Return the distribution of a variable in each row, given the columns that its model takes.

    A model without a method `distribution` is tabulated: its `logpdf` at the levels of a discrete variable,
    or on a grid around values that it draws.

    Parameters
    ----------
    model : the variable's local model.
    variable : its levels and name are given to distributions of codes.
    xs : the inputs' columns.
    size : number of rows.
    """
    own = getattr(model, "distribution", None)
    if own is None:
        return _tabulate(model, variable, xs, size)
    found: Distribution = own(xs, size)
    if isinstance(found, Categorical) and variable.levels is not None:
        return found.with_levels(variable.levels, variable.name)
    return found


def _tabulate(model: Conditional, variable: Variable, xs: Columns, size: int) -> Distribution:
    """Distributions from log densities alone; hints are drawn by a fixed seed: nothing is left to chance."""

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
    """A family tied to a data set and to parts of its rows that are left out in turn."""

    @abstractmethod
    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Log-likelihood of the parts, each under the model fitted to the rows outside it."""


class Fits(ABC):
    """A family tied to one data set; arrays over many parent sets of one child.

    `statistics` are what models are fitted from, `nodes` the names of their columns, `rows` the sum of the
    row weights, `models` the word of each variable's family; `closed` says that directed networks of these
    models answer in closed form, without blanket models; `normal` are the same fits where all models are
    linear-Gaussian, `tabular` where all are tables; `equivalent` says that
    equivalent graphs have the same largest likelihood, `same_joint` that they have the same fitted joint
    density; `smoothed` that fitted models are not those of largest likelihood, which `loglik` still is;
    `lattice` that `subsets` has a closed form;
    `shared` that local models have a number in common, tuned to a graph by `retuned`; `threads` how many
    sets are worked on at the same time; `start_score` names the quick score whose best graph the default
    search starts from, if there is one.
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
        """The same where all models are linear-Gaussian."""
        return None

    @property
    def tabular(self) -> "DiscreteFits | None":
        """The same where all models are tables."""
        return None

    @property
    def same_joint(self) -> bool:
        """Whether equivalent graphs have the same fitted joint density."""
        return self.equivalent

    @abstractmethod
    def conditional(self, child: int, parents: tuple[int, ...]) -> Conditional:
        """Return the fitted local model of `child` given `parents`."""

    def takes(self, child: int, parents: tuple[int, ...]) -> bool:
        """Return whether there is such a model; where not, all likelihoods of the set are -inf."""
        return True

    def never(self, child: int) -> frozenset[int]:
        """Variables that no model of `child` takes as a parent."""
        return frozenset()

    @abstractmethod
    def loglik(self, child: int, sets: ParentSets) -> Array:
        """Largest log-likelihood of the data under a model of the family, for each parent set."""

    @abstractmethod
    def n_params(self, child: int, sets: ParentSets) -> Array:
        """Free parameters of the model for each parent set; FitError where they have no meaning."""

    def choice(self, child: int, sets: ParentSets) -> Array | None:
        """Nats that choosing among forms of a model costs, next to its parameters; None for a single form."""
        return None

    @abstractmethod
    def loo(self, child: int, sets: ParentSets) -> Array:
        """Leave-one-out log-likelihood for each parent set: each unit under the model of all others.

        A row of weight 3 is three units, unless the table's copies go together.
        """

    def marginal(self, child: int, sets: ParentSets) -> Array:
        """Log marginal likelihood for each parent set; FitError for families without a prior."""
        raise no_marginal(self.models)

    @abstractmethod
    def held_out(self, parts: Parts, table: Table | None = None) -> HeldOutFits:
        """Tie the family to parts of the rows that are left out in turn.

        Parameters
        ----------
        parts : row numbers.
        table : whose rows they are: the same units in other rows; by default the table it is tied to.
        """

    def sweep(self, children: Sequence[int], bases: ParentSets) -> tuple[Array, Array] | None:
        """Log-likelihoods of bases and of all their toggles, where there is a faster way."""
        return None

    def compiled(self, charges: Array, per_param: float = 0.0) -> NativeScores | None:
        """Log-likelihoods minus charges, for compiled searches.

        `charges` (p + 1,) go by the number of parents, `per_param` for each parameter where these are counted
        set by set.
        """
        return None

    def retuned(self, graph: "DAG") -> Self | None:
        """Return the same with what all local models share tuned to a graph; None where nothing changes."""
        return None

    def resampled(self, weights: Array, graph: "DAG") -> "tuple[Fits, ...] | None":
        """The family tied to replicates of the rows by a fast approximation, None if there is none.

        Parameters
        ----------
        weights : (replicates, rows).
        graph : that searches in the replicates start from.
        """
        return None

    def seconds(self, inputs: int) -> float:
        """Roughly how long one local model with this many inputs takes; 0 where nobody will wait."""
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


_NO_OPTIONS: Mapping[str, float] = {}  # not a mapping proxy, which cannot be pickled


class DefaultScore(NamedTuple):
    """A score's word, its options, and a sentence where the choice may surprise."""

    word: str
    options: Mapping[str, float] = _NO_OPTIONS
    note: str = ""


class Defaults(NamedTuple):
    """What a family chooses for data where the user does not: score, penalty per edge, bounds on graphs.

    `max_parents` is the largest number of parents that the rows can carry, if any, and no arc touches the
    columns `apart` under the default score.
    """

    score: DefaultScore
    penalty: float
    max_parents: int | None
    apart: tuple[str, ...]


class Family(ABC):
    """A kind of local model.

    `name` is its word in the register, `conditional` the type of its fitted models (a dataclass, so
    that saving and loading need no code of their own). `kinds` are the kinds of columns that it has
    models of, `parent_kinds` those that it takes as parents.
    """

    name: str
    conditional: type[Conditional]
    kinds: frozenset[Kind] = frozenset({"continuous"})
    parent_kinds: frozenset[Kind] = frozenset({"continuous"})
    closed: bool = False
    """Whether directed networks of such models answer in closed form, without blanket models."""
    takes_gaps: bool = False
    """Whether models are fitted from rows with missing values, by statistics of `with_gaps`."""
    counts: bool = False
    """Whether models are tables of counts, for which copies of a row look like dependence."""

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
        """Return whether there is a model of a variable given such parents; where not, a set scores -inf."""
        return child.kind in self.kinds and all(p.kind in self.parent_kinds for p in parents)

    def kinds_of(self, name: str) -> frozenset[Kind]:
        """Return the kinds of columns that there are models of for a variable."""
        return self.kinds

    def recast(self, table: Table) -> Table:
        """Return the columns with kinds that suit the family: numeric levels are numbers if levels have no
        model.
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
        """What the family chooses for data where the user does not."""
        columns, rows = len(statistics.names), statistics.total
        apart = self.set_apart(self.rows_of(statistics)) if statistics.has_rows else ()
        return Defaults(
            self.default_score(columns, rows),
            self.default_penalty(columns, statistics.effective_rows),
            self.default_parents(rows),
            apart,
        )

    def default_score(self, columns: int, rows: float) -> DefaultScore:
        """Return the score that fits the family best where none is requested."""
        return DefaultScore("loo")

    def default_penalty(self, columns: int, rows: float) -> float:
        """Return the penalty per edge, in nats per row, where none is requested."""
        return 0.0

    def set_apart(self, table: Table) -> tuple[str, ...]:
        """Columns that no arc touches under the default score, such as row numbers."""
        return ()

    def default_parents(self, rows: float) -> int | None:
        """Return the largest number of parents that this many rows can carry; None for no bound."""
        return None

    def bind(self, source: Source, **options: Any) -> Fits:
        """Tie the family to data; `options` are those of `fits`.

        Statistics that are not the same for all parent sets are tied view by view.
        """
        statistics = statistics_of(source)
        if statistics.uniform:
            return self.fits(statistics, **options)
        from arcwise.conditionals.rowwise import ViewFits

        return ViewFits(self, statistics, options)

    @property
    def members(self) -> "tuple[Family, ...]":
        """The families of which there are models."""
        return (self,)

    def bind_members(self, source: Source, options: Mapping[str, Mapping[str, Any]]) -> Fits:
        """Tie the family to data, with options of each member by its name."""
        return self.bind(source, **options.get(self.name, {}))

    def fits(self, statistics: Statistics) -> Fits:
        """Tie the family to uniform statistics.

        Keyword-only parameters of an overriding method are options that `learn` hands through, but for
        `threads` (how many it may use) and `rng` (the random generator, for families that draw numbers).
        """
        from arcwise.conditionals.rowwise import RowFits

        return RowFits(self, statistics)

    def rows_of(self, statistics: Statistics) -> Table:
        """Return the rows of statistics; an error where there are none."""
        return statistics.rows(f"A {self.name} model needs")

    def models_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the word of each variable's family."""
        return (self.name,) * len(names)
