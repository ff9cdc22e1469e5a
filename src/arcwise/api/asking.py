"""What networks and distributions over graphs are asked: one set of methods for both."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise import evaluate, inference
from arcwise.data import Table, Variable, conform
from arcwise.data.frames import index_of, raw_of
from arcwise.errors import DataError
from arcwise.networks import Net, whole
from arcwise.values import as_tuple

Array = NDArray[np.float64]


class AnswerSource(Protocol):
    """What answers: one fitted network, or several that are averaged over."""

    def query(self, targets: Any, given: Any = None, do: Any = None, **options: Any) -> Any:
        """Return a belief."""

    def predict(self, table: Table, target: str, **options: Any) -> Any:
        """Return predictions of a variable for all rows."""

    def logpdf(self, table: Table, **options: Any) -> Array:
        """Return the log density of each row."""

    def sample(self, rng: np.random.Generator, draws: int, **options: Any) -> Table:
        """Return drawn rows."""


@dataclass(frozen=True, eq=False)
class OneNetwork:
    """The answers of one network; `equivalents` are the other graphs that answers to `do` range over."""

    net: Net
    equivalents: inference.Equivalents | None

    def query(self, targets: Any, given: Any = None, do: Any = None, **options: Any) -> Any:
        """Return a belief."""
        ways = {"equivalents": self.equivalents, **options}
        return inference.query(self.net, targets, given, do, **ways)

    def predict(self, table: Table, target: str, **options: Any) -> Any:
        """Return predictions of a variable for all rows."""
        return inference.predict(self.net, table, target, **options)

    def logpdf(self, table: Table, **options: Any) -> Array:
        """Return the log density of each row."""
        return inference.marginal_log_density(self.net, table, **options)

    def sample(self, rng: np.random.Generator, draws: int, **options: Any) -> Table:
        """Return drawn rows, with a note if other graphs would give others."""
        drawn = inference.sample(self.net, rng, draws, **options)
        note = () if self.equivalents is None else (inference.ONE_GRAPH,)
        return replace(drawn, notes=(*drawn.notes, *note))


class Asked(ABC):
    """The methods of asking, for whatever has an `AnswerSource`."""

    @property
    @abstractmethod
    def variables(self) -> tuple[str, ...]:
        """Names of the variables, in the order the user gave them."""

    @abstractmethod
    def _answers(self, do: Any = None) -> AnswerSource:
        """Return what answers, given the variables that are set."""

    @abstractmethod
    def _columns(self) -> tuple[Variable, ...]:
        """Return the variables that rows are brought into the form of."""

    def query(
        self, targets: str | Sequence[str], given: Any = None, do: Any = None, **options: Any
    ) -> Any:
        """What to believe of one or several variables, given what was seen or set.

        Of a distribution over graphs, answers are averages; what is given changes the weights of graphs, too.

        Parameters
        ----------
        targets : a name, or several for a joint answer.
        given : values seen, a mapping, or a row of a data frame: of that, what is known of variables other
            than the targets. Of numbers also an interval (low, high), None for an open end; of levels a list
            of them, an interval where they are ordered, or a weight for each, in discrete networks.
        do : values set from outside: arcs into these variables are cut; directed networks only.
        options : where the answer is not of closed form: seed, chains, sweeps, burn_in, method; of
            `do` in a learned network: max_graphs.

        Returns
        -------
        A belief. In a learned graph, an answer to `do` has a `range` over equivalent and over other graphs.
        """
        seen, changed = self._values(given, targets), self._values(do)
        answer = self._answers(changed).query(targets, seen, changed, **options)
        return replace(answer, before=partial(self.query, targets)) if seen or changed else answer

    def predict(self, rows: Any, target: str | Sequence[str], **options: Any) -> Any:
        """Predict a variable in every row from all that is known of the others.

        Of several targets, a dictionary: each is predicted from what is known of all variables but itself.
        Of a pandas data frame, predictions have its index.
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
        **options: Any,
    ) -> inference.Estimate:
        """The entropy of one variable, of several or of all together, in nats; of numbers, of their density.

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
        **options: Any,
    ) -> float:
        """What two variables, or two sets of them, tell of each other beyond the evidence, in nats.

        Exact where `query` is; of simulated answers it is estimated from the draws by nearest neighbours.
        """
        names = tuple(dict.fromkeys((*as_tuple(first), *as_tuple(second))))
        return float(self.query(names, given, do, **options).mutual_information(first, second))

    def logpdf(self, rows: Any, **options: Any) -> Array:
        """Log density of each row, gaps integrated out; nats. Networks with a joint density only."""
        return self._answers().logpdf(self._rows(rows), **options)

    def sample(self, draws: int, seed: int = 0, **options: Any) -> Table:
        """Draw rows; after `do` in a learned network, those of its graph alone, as a note reports."""
        rng = np.random.default_rng(whole("seed", seed))
        for word in {"given", "do"}.intersection(options):
            options[word] = self._values(options[word])
        found = self._answers(options.get("do")).sample(rng, draws, **options)
        return found.select(self.variables)

    def _values(self, given: Any, targets: str | Sequence[str] = ()) -> Any:
        """Values by name; of a row of a data frame, those that are present and not asked for."""
        values = _row_values(given)
        if values is None:
            return given
        names = set(self.variables).difference(as_tuple(targets))
        return {name: value for name, value in values.items() if name in names}

    def _rows(self, rows: Any) -> Table:
        return conform(rows, self._columns())


def _row_values(row: Any) -> dict[str, Any] | None:
    """The values of a row of a data frame that are not missing, by name; None for anything else."""
    if hasattr(row, "columns") and hasattr(row, "shape"):  # a frame, which must have one row
        if row.shape[0] != 1:
            raise DataError(
                f"Evidence is one row of a data frame, got {row.shape[0]} rows: "
                "predict(rows, target) answers for many."
            )
        table = raw_of(row)
        cells = zip(table.names, (column[0].as_py() for column in table.arrays), strict=True)
        return {name: value for name, value in cells if value is not None and value == value}
    if hasattr(row, "dropna"):
        return {str(name): value for name, value in row.dropna().items()}
    return None
