"""What networks and distributions over graphs are asked: one set of methods for both."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise import evaluate, inference
from arcwise.api.unknown_parameters import with_advice
from arcwise.data import Table, Variable, conform
from arcwise.data.frames import filled_frame, index_of, raw_of
from arcwise.errors import DataError, close_to
from arcwise.evaluate import Conflict, Impact
from arcwise.inference import AskOptions, EffortOptions, SeedlessOptions
from arcwise.networks import Net, whole
from arcwise.values import as_tuple, clear_methods

Array = NDArray[np.float64]


class AnswerSource(Protocol):
    """What answers: one fitted network, or several that are averaged over."""

    def query(
        self, targets: Any, given: Any = None, do: Any = None, **options: Unpack[AskOptions]
    ) -> Any:
        """Return a belief."""

    def predict(self, table: Table, target: str, **options: Unpack[AskOptions]) -> Any:
        """Return predictions of a variable for all rows."""

    def logpdf(self, table: Table, **options: Unpack[AskOptions]) -> Array:
        """Return the log density of each row."""

    def sample(
        self,
        rng: np.random.Generator,
        draws: int,
        given: Any = None,
        do: Any = None,
        **options: Unpack[EffortOptions],
    ) -> Table:
        """Return drawn rows."""


@dataclass(frozen=True, eq=False)
class OneNetwork:
    """The answers of one network; `equivalents` are the other graphs that answers to `do` range over."""

    net: Net
    equivalents: inference.Equivalents | None

    def query(
        self, targets: Any, given: Any = None, do: Any = None, **options: Unpack[AskOptions]
    ) -> Any:
        """Return a belief."""
        others = self.equivalents
        return inference.query(self.net, targets, given, do, equivalents=others, **options)

    def predict(self, table: Table, target: str, **options: Unpack[AskOptions]) -> Any:
        """Return predictions of a variable for all rows."""
        return inference.predict(self.net, table, target, **options)

    def logpdf(self, table: Table, **options: Unpack[AskOptions]) -> Array:
        """Return the log density of each row."""
        return inference.marginal_log_density(self.net, table, **options)

    def sample(
        self,
        rng: np.random.Generator,
        draws: int,
        given: Any = None,
        do: Any = None,
        **options: Unpack[EffortOptions],
    ) -> Table:
        """Return drawn rows, with a note if other graphs would give others."""
        drawn = inference.sample(self.net, rng, draws, given, do, **options)
        note = () if self.equivalents is None else (inference.ONE_GRAPH,)
        return replace(drawn, notes=(*drawn.notes, *note))


@clear_methods
class QueryMethods(ABC):
    """The methods of asking, for whatever has an `AnswerSource`."""

    @property
    @abstractmethod
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in the order of the data."""

    @abstractmethod
    def _answers(self, do: Any = None) -> AnswerSource:
        """Return what answers, given the variables that are set."""

    @abstractmethod
    def _columns(self) -> tuple[Variable, ...]:
        """Return the variables that rows are brought into the form of."""

    def query(
        self,
        targets: str | Sequence[str],
        given: Any = None,
        do: Any = None,
        **options: Unpack[AskOptions],
    ) -> Any:
        """Compute the distribution of one or several variables given evidence or an intervention.

        A distribution over graphs averages its answers, and evidence changes the weights of the graphs.

        Parameters
        ----------
        targets : a name, or several for a joint answer.
        given : observed values: a mapping, or a row of a data frame, whose missing values and targets are
            ignored. A number may be an interval (low, high) with None for an open end. In discrete networks
            a value may be a list of levels, an interval of ordered levels, or a weight for each level.
        do : values set by intervention, which cuts the arcs into these variables; directed networks only.
        options : method, seed, draws, chains, sweeps, burn_in and scan, if the answer has no closed form; and
            max_graphs, for `do` in a learned network (see `arcwise.inference.AskOptions`).

        Returns
        -------
        A belief. In a learned graph, an answer to `do` has a `range` over equivalent and over other graphs.
        """
        seen, changed = self._values(given, targets), self._values(do)
        answer = self._answers(changed).query(targets, seen, changed, **options)
        return replace(answer, before=partial(self.query, targets)) if seen or changed else answer

    def predict(self, rows: Any, target: str | Sequence[str], **options: Unpack[AskOptions]) -> Any:
        """Predict a variable in every row from the observed values of the others.

        For several targets, returns a dictionary: each is predicted from all other observed values.
        For a pandas data frame, predictions have its index.
        """
        if isinstance(target, str):
            found = self._answers().predict(self._rows(rows), target, **options)
            return replace(found, index=index_of(rows))
        return {name: self.predict(rows, name, **options) for name in target}

    def entropy(
        self,
        of: str | Sequence[str] | None = None,
        given: Any = None,
        do: Any = None,
        *,
        seed: int = 0,
        **options: Unpack[SeedlessOptions],
    ) -> inference.Estimate:
        """Compute the entropy of one, several or all variables in nats; for numbers, that of their density.

        Exact for networks of tables and for Gaussian ones. That of other whole networks is simulated, with
        an error; that of several of their variables does not exist, as their joint density is unknown.
        """
        known, source = {*(self._values(given) or ()), *(self._values(do) or ())}, self._answers()
        if of is None and not known and isinstance(source, OneNetwork):
            return evaluate.entropy(source.net, np.random.default_rng(whole("seed", seed)))
        names = [name for name in self.variables if name not in known] if of is None else of
        return inference.Estimate(
            self.query(as_tuple(names), given, do, seed=seed, **options).entropy
        )

    def mutual_information(
        self,
        first: str | Sequence[str],
        second: str | Sequence[str],
        given: Any = None,
        do: Any = None,
        **options: Unpack[AskOptions],
    ) -> float:
        """Compute the mutual information of two variables, or two sets of them, given evidence, in nats.

        Exact where `query` is; of simulated answers it is estimated from the draws by nearest neighbours.
        """
        names = tuple(dict.fromkeys((*as_tuple(first), *as_tuple(second))))
        return float(self.query(names, given, do, **options).mutual_information(first, second))

    def logpdf(self, rows: Any, **options: Unpack[AskOptions]) -> Array:
        """Compute the log density of each row in nats, with missing values integrated out."""
        return self._answers().logpdf(self._rows(rows), **options)

    @with_advice
    def sample(
        self,
        draws: int,
        seed: int = 0,
        *,
        given: Any = None,
        do: Any = None,
        method: str | None = None,
        burn_in: int | None = None,
    ) -> Table:
        """Draw rows given evidence or an intervention; `do=` uses the learned graph only.

        Parameters
        ----------
        draws, seed : the number of rows, and the seed.
        given, do : as for `query`.
        method, burn_in : the engine, and the number of sweeps of each chain before its row.
        """
        rng = np.random.default_rng(whole("seed", seed))
        seen, changed = self._values(given), self._values(do)
        ways: EffortOptions = {"method": method, "burn_in": burn_in}
        rows = self._answers(changed).sample(rng, draws, seen, changed, **ways)
        return rows.select(self.variables)

    def _values(self, given: Any, targets: str | Sequence[str] = ()) -> Any:
        """Values by name; of a row of a data frame, those that are present and not asked for."""
        values = _row_values(given)
        if values is None:
            return given
        names = set(self.variables).difference(as_tuple(targets))
        return {name: value for name, value in values.items() if name in names}

    def _rows(self, rows: Any) -> Table:
        return conform(rows, self._columns())


_ELSEWHERE = {
    "adjacency": "aw.graphs.adjacency(net.graph)",
    "bic": "aw.score(net, data, score='bic')",
    "cpd": "net[name]",
    "cpds": "net[name]",
    "cpt": "net[name]",
    "dag": "net.graph",
    "fit": "aw.fit(net, data)",
    "learn": "aw.learn(data)",
    "load": "aw.load(path)",
    "log_likelihood": "net.logpdf(rows).sum()",
    "mmap": "net.explain(of=[...])",
    "to_dot": "net.save('net.dot')",
    "to_pandas": "net.edges.to_pandas()",
    "validate": "aw.validate(data)",
}
"""What users of other packages look for on a network, and how to write it."""


@clear_methods
class AskedNetwork(QueryMethods):
    """The methods of asking that one network alone has."""

    net: Net

    if not TYPE_CHECKING:  # the type checker knows all attributes

        def __getattr__(self, name: str) -> Any:
            """Report an unknown attribute with what to write instead."""
            if hasattr(type(self), name):  # a property whose own work failed: show that
                return object.__getattribute__(self, name)
            hint = "" if name.startswith("_") else f". {close_to(name, dir(type(self)))}"
            if name in _ELSEWHERE:
                hint = f": write {_ELSEWHERE[name]}"
            raise AttributeError(f"A network has no attribute {name!r}{hint}")

    @abstractmethod
    def _equivalents_of(self, do: Any) -> inference.Equivalents | None:
        """Return the other graphs that an answer to `do` is taken over."""

    def marginals(
        self, given: Any = None, do: Any = None, **options: Unpack[AskOptions]
    ) -> inference.Marginals:
        """Compute the distribution of every variable without evidence, by name; see `query`."""
        found = inference.marginals(self.net, self._values(given), self._values(do), **options)
        found.before = self.marginals if given is not None or do is not None else None
        if self._equivalents_of(do) is None:
            return found
        return found.asked_by(partial(self.query, given=given, do=do, **options))

    def explain(
        self,
        given: Any = None,
        do: Any = None,
        *,
        of: str | Sequence[str] | None = None,
        **options: Unpack[AskOptions],
    ) -> inference.Explanation:
        """Find the most probable values of all variables together given evidence; ``of=[...]`` selects some.

        Variables that are neither observed nor explained are summed out. In a learned graph, an answer to
        `do`
        has a `range` over other graphs, at most `max_graphs`.
        """
        seen, changed, others = self._values(given), self._values(do), self._equivalents_of(do)
        return inference.explain(self.net, seen, changed, of=of, equivalents=others, **options)

    mpe = explain

    def probability(
        self, given: Any, do: Any = None, *, log: bool = False, **options: Unpack[AskOptions]
    ) -> Any:
        """Compute the probability of evidence: values, sets or intervals; ``log=True`` for its logarithm.

        In a learned graph, an answer to `do` has a `range` over other graphs.
        """
        seen, changed, others = self._values(given), self._values(do), self._equivalents_of(do)
        return inference.probability(
            self.net, seen, changed, log=log, equivalents=others, **options
        )

    def impute(
        self,
        rows: Any,
        seed: int | None = None,
        *,
        completions: int | None = None,
        **options: Unpack[SeedlessOptions],
    ) -> Any:
        """Fill missing values: by expected values, or by draws if a seed is given.

        For a data frame, returns the same kind of frame: complete columns, columns outside of the network,
        and the index do not change. Otherwise, returns a table of the network's variables. With
        `completions`, a list of this many results with different draws, for multiple imputation.
        """
        if completions is not None:
            return self._completions(rows, seed or 0, completions, options)
        rng = None if seed is None else np.random.default_rng(whole("seed", seed))
        return self._filled(rows, rng, options)

    def _completions(self, rows: Any, seed: int, count: int, options: SeedlessOptions) -> list[Any]:
        """Results with different draws, each by a generator of its own."""
        rng = np.random.default_rng(whole("seed", seed))
        spawned = rng.spawn(whole("number of completions", count))
        return [self._filled(rows, each, options) for each in spawned]

    def _filled(self, rows: Any, rng: np.random.Generator | None, options: SeedlessOptions) -> Any:
        """The rows filled by expected values, or by draws of a generator."""
        known = self._rows(rows)
        filled = inference.impute(self.net, known, rng, **options).select(self.variables)
        frame = hasattr(rows, "columns") and not isinstance(rows, Table)
        return filled_frame(rows, filled, known) if frame else filled

    def conflict(self, given: Any, **options: Unpack[AskOptions]) -> Conflict:
        """Measure whether findings contradict each other, by their joint and single probabilities.

        It is the log of the product of the probabilities of the findings over their joint probability, in
        nats. Above 0 they are rarer together than if they were independent.
        """
        return evaluate.conflict(self.net, self._values(given), **options)

    def impact(self, target: str, given: Any, **options: Unpack[AskOptions]) -> Impact:
        """Measure the impact of each finding: the change of a belief without it."""
        return evaluate.impact(self.net, target, self._values(given, target), **options)

    def pseudo_logpdf(self, rows: Any) -> NDArray[np.float64]:
        """Compute the log pseudo-likelihood of each row: all variables given their neighbours, in nats.

        Undirected networks whose local models belong to no joint density are compared by it.
        """
        return inference.pseudo_log_density(self.net, self._rows(rows))


def _row_values(row: Any) -> dict[str, Any] | None:
    """The values of a row of a data frame that are not missing, by name; None for anything else."""
    if hasattr(row, "columns") and hasattr(row, "shape"):  # a frame, which must have one row
        if row.shape[0] != 1:
            raise DataError(
                f"Evidence must be one row of a data frame, got {row.shape[0]} rows: "
                "predict(rows, target) answers for many rows."
            )
        table = raw_of(row)
        cells = zip(table.names, (column[0].as_py() for column in table.arrays), strict=True)
        return {name: value for name, value in cells if value is not None and value == value}
    if hasattr(row, "dropna"):
        return {str(name): value for name, value in row.dropna().items()}
    return None
