"""Searches for graphs, and methods for distributions over graphs, as objects with their settings."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from arcwise.api.option_object import Option
from arcwise.errors import unknown
from arcwise.graphs import DAG, dag
from arcwise.graphs.parser import plain

__all__ = [
    "BOSS", "GES", "ILS", "MCMC", "Annealing", "Auto", "Bootstrap", "Boundary", "ChowLiu", "Deletion",
    "Exact", "Glasso", "Greedy", "GrowShrink", "Method", "Neighbourhood", "Search", "StartedSearch",
    "Stepwise", "Tabu",
]  # fmt: skip

_GIB = 1 << 30


# -- searches -------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Search(Option):
    """A search for a graph."""

    what: ClassVar[str] = "search"


STARTS = ("empty", "complete", "random")


@dataclass(frozen=True, repr=False)
class StartedSearch(Search):
    """A search for a directed graph.

    Parameters
    ----------
    start : "empty", "complete" (in random order), "random", or a graph in any form that `dag` takes.
    """

    start: Any = field(default="empty", kw_only=True)

    def __post_init__(self) -> None:
        """Read the start, too."""
        super().__post_init__()
        object.__setattr__(self, "start", _start(self.start))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that differ from their defaults, without the start."""
        return {name: value for name, value in super().settings.items() if name != "start"}

    def __repr__(self) -> str:
        text = super().__repr__()
        if self.start == "empty":
            return text
        start = str(self.start)
        return f"{text[:-1]}{', ' * (text[-2] != '(')}start={start!r})"


def _start(value: Any) -> str | DAG:
    """Where a search begins: a name, or a graph."""
    if not isinstance(value, str) or not plain(value):
        return dag(value)
    if value not in STARTS:
        raise unknown("start", value, STARTS)
    return value


@dataclass(frozen=True, repr=False)
class Auto(StartedSearch):
    """The search by the size of the problem: exact, or equivalence classes and orders in turn.

    Parameters
    ----------
    patience : rounds in a row without a better graph before the search ends.
    max_steps : largest number of steps.
    """

    word: ClassVar[str] = "auto"
    patience: int | None = None
    max_steps: int | None = None


@dataclass(frozen=True, repr=False)
class Greedy(StartedSearch):
    """The best change of one arc until none helps.

    Parameters
    ----------
    tolerance : nats per row; smaller changes count as zero.
    restarts : further searches, each from a random graph.
    max_steps : largest number of steps.
    """

    word: ClassVar[str] = "greedy"
    tolerance: float = 0.0
    restarts: int = 0
    max_steps: int | None = None


@dataclass(frozen=True, repr=False)
class Tabu(StartedSearch):
    """Greedy search that walks on through worse graphs (Glover 1989).

    Parameters
    ----------
    tabu_length : steps for which a changed pair of variables stays forbidden.
    walk_length : steps of one walk.
    walks : walks in a row without a better graph before the search ends.
    restarts : further searches, each from a random graph.
    max_steps : largest number of steps.
    """

    word: ClassVar[str] = "tabu"
    tabu_length: int = 15
    walk_length: int = 30
    walks: int = 5
    restarts: int = 0
    max_steps: int | None = None


@dataclass(frozen=True, repr=False)
class Annealing(StartedSearch):
    """Simulated annealing: random changes at a falling temperature.

    Parameters
    ----------
    steps : draws in all; by default 40 for each ordered pair of variables, 20 000 to 100 000.
    hot, cold : first and last temperature, in nats of total score.
    restarts : further searches, each from a random graph.
    """

    word: ClassVar[str] = "annealing"
    steps: int | None = None
    hot: float | None = None
    cold: float | None = None
    restarts: int = 0


@dataclass(frozen=True, repr=False)
class ILS(StartedSearch):
    """Iterated local search: greedy search again and again from a changed best graph.

    Parameters
    ----------
    rounds : how often the best graph is changed.
    shake : random changes in each round.
    restarts : further searches, each from a random graph.
    max_steps : largest number of steps.
    """

    word: ClassVar[str] = "ils"
    rounds: int = 25
    shake: int = 8
    restarts: int = 0
    max_steps: int | None = None


@dataclass(frozen=True, repr=False)
class GES(StartedSearch):
    """Greedy equivalence search (Chickering 2002).

    Parameters
    ----------
    phases : in this order.
    iterate : whether phases are repeated until none finds a step.
    max_clique : cliques of up to this many neighbours have every subset tried.
    restarts : further searches, each from a random graph.
    max_steps : largest number of steps.
    """

    word: ClassVar[str] = "ges"
    phases: Sequence[Literal["forward", "backward", "turning"]] = ("forward", "backward", "turning")
    iterate: bool = True
    max_clique: int | None = 12
    restarts: int = 0
    max_steps: int | None = None


@dataclass(frozen=True, repr=False)
class BOSS(StartedSearch):
    """Best order score search (Andrews et al. 2023).

    Parameters
    ----------
    restarts : further climbs from disturbed orders.
    memory : bytes for parent sets that are remembered.
    max_steps : largest number of moves.
    """

    word: ClassVar[str] = "boss"
    restarts: int = 5
    memory: float = _GIB / 2
    max_steps: int | None = None


@dataclass(frozen=True, repr=False)
class Exact(StartedSearch):
    """The best of all graphs by dynamic programming, in at most `memory` bytes."""

    word: ClassVar[str] = "exact"
    memory: float = 8 * _GIB


@dataclass(frozen=True, repr=False)
class ChowLiu(Search):
    """The best tree (Chow and Liu 1968), directed away from `root`."""

    word: ClassVar[str] = "chow-liu"
    root: str | None = None


@dataclass(frozen=True, repr=False)
class Stepwise(Search):
    """Edges of a Gaussian undirected graph, added and removed one by one.

    Parameters
    ----------
    gamma : weight of the number of possible graphs in the extended BIC.
    nonparanormal : correlations from ranks, for columns whose shape is not normal.
    """

    word: ClassVar[str] = "stepwise"
    nonparanormal: bool = False
    gamma: float | None = None


@dataclass(frozen=True, repr=False)
class Glasso(Search):
    """The graphical lasso (Friedman, Hastie and Tibshirani 2008).

    Parameters
    ----------
    scale : what the penalty is measured in, "correlation" or "covariance".
    diagonal : whether variances are penalised, too.
    refit : whether the network is fitted again on its graph without a penalty; None where it can be.
    nonparanormal : as of `Stepwise`.
    factors : multipliers of the penalty of each pair.
    n_penalties, min_ratio : of a path: how many penalties, and the smallest as a share of the largest.
    gamma : of the rule "ebic".
    subsamples, threshold : of the rule "stars".
    rotations : of the rule "ric".
    """

    word: ClassVar[str] = "glasso"
    scale: Literal["correlation", "covariance"] = "correlation"
    diagonal: bool = True
    refit: bool | None = None
    nonparanormal: bool = False
    factors: Any = None
    n_penalties: int = 30
    min_ratio: float | None = None
    gamma: float | None = None
    subsamples: int = 20
    threshold: float = 0.05
    rotations: int = 20


@dataclass(frozen=True, repr=False)
class Neighbourhood(Search):
    """A lasso regression of each variable on all others (Meinshausen and Buehlmann 2006).

    `combine` is "or" (an edge if one variable picks the other) or "and" (if both do); the other settings are
    those of `Glasso`.
    """

    word: ClassVar[str] = "neighbourhood"
    nonparanormal: bool = False
    factors: Any = None
    n_penalties: int = 30
    min_ratio: float | None = None
    gamma: float | None = None
    subsamples: int = 20
    threshold: float = 0.05
    rotations: int = 20
    combine: Literal["or", "and"] = "or"


@dataclass(frozen=True, repr=False)
class Boundary(Search):
    """Edges removed from the complete undirected graph, the least missed first."""

    word: ClassVar[str] = "boundary"


@dataclass(frozen=True, repr=False)
class Deletion(Search):
    """Edges removed from the complete undirected graph until each loss exceeds the penalty."""

    word: ClassVar[str] = "deletion"


@dataclass(frozen=True, repr=False)
class GrowShrink(Search):
    """The Markov boundary of each variable, grown and shrunk: for large tables."""

    word: ClassVar[str] = "grow-shrink"


# -- methods of posteriors -----------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Method(Option):
    """A way to a distribution over graphs."""

    what: ClassVar[str] = "method"


@dataclass(frozen=True, repr=False)
class MCMC(Method):
    """Chains over graphs.

    Parameters
    ----------
    chains : chains that run next to each other.
    burn_in, thin : steps before the first draw, and between two.
    sampler : "structure", "reversal" (the same with steps that reverse arcs), "order", "partition" or
        "tempering".
    backend : what shares work out to processes: "joblib", or "dask" (its current client's workers).
    """

    word: ClassVar[str] = "mcmc"
    chains: int = 4
    burn_in: int | None = None
    thin: int | None = None
    sampler: str | None = None
    backend: str = "joblib"


@dataclass(frozen=True, repr=False)
class Bootstrap(Method):
    """The graphs that searches find in resampled tables.

    Parameters
    ----------
    resampling : rows drawn with replacement ("bootstrap"), a "subsample" of a share of them, or "none": the
        search again and again on the same rows, from random starts. "auto" is "bootstrap", but four fifths of
        the rows for discrete tables, where copies of a row would look like dependence.
    fraction : share of the rows of a subsample, one half by default.
    backend : what shares work out to processes: "joblib", or "dask" (its current client's workers).
    """

    word: ClassVar[str] = "bootstrap"
    resampling: Literal["auto", "bootstrap", "subsample", "none"] = "auto"
    fraction: float | None = None
    backend: str = "joblib"
