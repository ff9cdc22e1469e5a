"""The third verb: undirected graphs against the price of an edge, all from one run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from arcwise.api.curved import curve_notes, middle_graph
from arcwise.api.kinds import kind_for, kind_of
from arcwise.api.learning import network_of, plan, settled
from arcwise.api.net import Network
from arcwise.api.parallel import cores, one_thread
from arcwise.api.progress import Progress
from arcwise.api.solved import Solved
from arcwise.api.undirected import Walked
from arcwise.data import Moments, Table
from arcwise.errors import FitError
from arcwise.evaluate import EdgeTable
from arcwise.graphs import Rules, UGraph
from arcwise.results import EdgeAt, Knot, Path, Removal

__all__ = ["PenaltyPath", "path"]


@dataclass(frozen=True, eq=False, repr=False)
class PenaltyPath:
    """Undirected graphs against the price of an edge, and a network at any of them.

    `path` is the plain value; printed, it is a table of removals.
    """

    walked: Walked | Solved
    source: Table | Moments
    reason: str = ""
    curves: tuple[str, ...] = ()
    _networks: dict[float, Network] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """Graphs at their penalties, and every removal with its losses."""
        return self.walked.path

    @property
    def knots(self) -> tuple[Knot, ...]:
        """Graphs with the penalties from which on they hold."""
        return self.path.knots

    @property
    def removals(self) -> tuple[Removal, ...]:
        """Edges in the order in which they went, with the losses of both sides."""
        return self.path.removals

    @property
    def reach(self) -> float:
        """The largest penalty whose graph is known; infinite unless the run was cut short."""
        return self.path.reach

    @property
    def grid(self) -> bool:
        """Whether knots are penalties that were solved for, as by the lasso."""
        return self.path.grid

    @property
    def unit(self) -> str:
        """The unit of penalties."""
        return self.path.unit

    @property
    def words(self) -> Mapping[str, Any]:
        """Which model, score and search were used."""
        recipe = self.walked.bench.recipe
        options = {"options": dict(recipe.options)} if recipe.options else {}
        return {"graph": "undirected", **self.walked.bench.words, "seed": recipe.seed, **options}

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the data, the choices made, and curves that a linear model misses."""
        return (*self.walked.bench.notes, *self.curves)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables, in the order the user gave them."""
        return self.source.order

    @property
    def stopped(self) -> str:
        """Why the run ended, in words."""
        return self.reason or self.path.stopped

    def at(self, penalty: float | None = None) -> UGraph:
        """The graph at a penalty; of the lasso, solved for where the path does not hold it.

        Raises
        ------
        FitError : the penalty is no number from 0 on, or the run was cut short before it.
        """
        return self.walked.at(self._price("at", penalty))

    def network(self, penalty: float | None = None) -> Network:
        """The network at a penalty, fitted and ready to be asked."""
        price = self._price("network", penalty)
        if price not in self._networks:
            learned = self.walked.learned(price)
            recipe = self.walked.bench.recipe
            self._networks[price] = network_of(learned, self.source, recipe, self.reason)
        return self._networks[price]

    def edges(self, penalty: float | None = None) -> EdgeTable:
        """The table of edges at a penalty: one row a pair, with its strength there."""
        return self.network(self._price("edges", penalty)).edges

    def _price(self, asked: str, penalty: object) -> float:
        """The penalty that was given, or a sentence where none was."""
        if penalty is None:
            low, high = self.knots[0].penalty, self.knots[-1].penalty
            raise FitError(
                "A path has a graph for each penalty from 0 on: say which, as in "
                f"{asked}({(low + high) / 2:.2g}); graphs change between {low:.3g} and {high:.3g} "
                f"({self.unit})."
            )
        return _checked(penalty)

    def curve(self) -> list[tuple[float, int]]:
        """Edges against penalty: from each of these penalties on (of the lasso: at it)."""
        return self.path.curve()

    def edge_rows(self) -> list[EdgeAt]:
        """A long table: one row for each penalty of the curve and each edge of the graph there."""
        return self.path.edge_rows()

    def plot(self, **options: Any) -> Any:
        """Draw edges against penalty; returns matplotlib's axes."""
        from arcwise.plot import plot_path

        # The path that can solve, and not the plain one: marks then lie at their own penalties.
        return plot_path(self, **options)

    def plot_edges(self, **options: Any) -> Any:
        """Draw the partial correlation of each edge against the penalty; returns matplotlib's axes.

        Raises
        ------
        FitError : the path is not of the graphical lasso, and has no partial correlations.
        """
        from arcwise.plot import plot_edge_path

        return plot_edge_path(self, **options)

    def to_dict(self) -> dict[str, Any]:
        """All that is known, as plain values."""
        said = {"words": dict(self.words), "notes": list(self.notes)}
        return {**self.path.to_dict(), "stopped": self.stopped, **said}

    def __repr__(self) -> str:
        return f"<Penalty{repr(self.path)[1:]}"

    def __str__(self) -> str:
        told = replace(self.path, stopped=self.stopped)
        return "\n".join([str(told), *(f"note: {note}" for note in self.notes)])


def _checked(penalty: object) -> float:
    number = isinstance(penalty, Real) and not isinstance(penalty, bool)
    if not isinstance(penalty, Real) or not number or not float(penalty) >= 0:
        raise FitError(f"A penalty is a number from 0 on, but {penalty!r} came.")
    return float(penalty)


def path(
    data: Any,
    *,
    graph: str = "undirected",
    model: str = "auto",
    score: str | None = None,
    search: str = "auto",
    rules: Rules | None = None,
    prior_rows: Any = None,
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    missing: Iterable[object] = (),
    seed: int = 0,
    n_jobs: int = 1,
    time: float | None = None,
    progress: bool | None = None,
    **options: Any,
) -> PenaltyPath:
    """Learn undirected graphs at all penalties at once, from the complete graph to none.

    Parameters
    ----------
    data : as for `learn`.
    graph : "undirected".
    search : "boundary" (edges go one by one, the weakest first, and local models are fitted again),
        "deletion" (every pair is tested given all others, for comparison); for Gaussian models also
        "glasso" and "neighbourhood", solved at 30 penalties (count=) down to a hundredth or a
        twentieth of the largest (least=). "auto" is glasso for Gaussian models unless a score is given,
        else boundary.
    model, score, rules, prior_rows, kinds, weights, missing, seed, n_jobs, time, progress, options :
        as for `learn`. Where time does not suffice, the path ends early and says how far it came.

    Returns
    -------
    PenaltyPath : prints as a table; `.at(penalty)` is the graph there, `.network(penalty)` the fitted
    network, `.curve()` edges against penalty, `.plot()` its picture, and `.plot_edges()` that of the partial
    correlations along the graphical lasso.

    Raises
    ------
    DataError, GraphError, FitError, WordError : one sentence each: what was expected, what came.

    >>> import arcwise as aw
    >>> found = aw.path(aw.shipped("boston").select(["RM", "LSTAT", "MEDV"]), search="boundary")
    >>> [edges for _, edges in found.curve()]
    [3, 2, 1, 0]
    """
    kind_of(graph)
    if graph != "undirected":
        kind_of(graph).walk(None, None)  # says why there is none
    if "penalty" in options:
        raise FitError("A path holds every penalty: leave penalty= out, and ask it .at(penalty).")
    source = settled(data, kinds, weights, missing)
    chosen = plan(
        graph=graph,
        model=model,
        score=score,
        search=search,
        penalty=0.0,
        rules=rules,
        prior_rows=prior_rows,
        seed=seed,
        **options,
    )
    with one_thread(source), Progress("path", time, progress) as watch:
        recipe = chosen.recipe.but(threads=cores(n_jobs))
        kind = kind_for(recipe, source)
        walked = kind.walk(kind.task(recipe, source), watch)
        curves = () if watch.reason else curve_notes(recipe, source, middle_graph(walked.path))
    return PenaltyPath(walked, source, watch.reason, curves)
