"""Undirected graphs against the penalty per edge, all from one run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Unpack

from arcwise.api.choices import specification
from arcwise.api.learning import curve_notes, network_of
from arcwise.api.net import Network
from arcwise.api.options import Model, Prior, ScoreOption, Search
from arcwise.api.progress import Progress
from arcwise.api.unknown_parameters import with_advice
from arcwise.data import Source, any_table
from arcwise.errors import FitError
from arcwise.evaluate import EdgeTable, PathCertainty, middle_graph
from arcwise.frame import Frame, Framed
from arcwise.graphs import Rules, UGraph
from arcwise.learners import Problem, bind
from arcwise.learners.parallel import one_thread
from arcwise.learners.settings import settings_of
from arcwise.notes import NOT_STOPPED, Note, Stop
from arcwise.results import EdgeAt, Knot, Path, Removal
from arcwise.values import is_number

if TYPE_CHECKING:
    from arcwise.plot import EdgePathFigure, PathFigure


@dataclass(frozen=True, eq=False, repr=False)
class PenaltyPath(Framed):
    """Undirected graphs against the penalty per edge, and a network at any of them.

    `path` is the plain value, with graphs at their penalties, and every removal with its losses; printed, it
    is a table of removals. `problem` is what it was learned from.
    """

    problem: Problem
    path: Path
    source: Source
    seed: int | None = 0
    watch_stopped: Stop = NOT_STOPPED
    curves: tuple[Note, ...] = ()
    _networks: dict[float, Network] = field(default_factory=dict)

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
    def settings(self) -> Mapping[str, Any]:
        """Which model, score and search were used."""
        return {**settings_of(self.problem), "seed": self.seed}

    @property
    def rows(self) -> float:
        """The sum of the weights of the rows that were learned from."""
        return self.problem.score.rows

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the data, the choices made, and curves that a linear model misses."""
        return (*self.problem.notes, *self.curves)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in the order of the data."""
        return self.source.order

    @property
    def stopped(self) -> Stop:
        """Why the run ended."""
        return self.watch_stopped or self.path.stopped

    def at(self, penalty: float | None = None) -> UGraph:
        """The graph at a penalty, the same as `learn` finds there.

        It is solved for if the path does not contain it (the lasso, grow-shrink).

        Raises
        ------
        FitError : the penalty is not a non-negative number, or the run was cut short before it.
        """
        return self.problem.graph_at(self.path, self._asked("at", penalty))

    def network(self, penalty: float | None = None) -> Network:
        """The network at a penalty, fitted and ready to be asked."""
        asked = self._asked("network", penalty)
        if asked not in self._networks:
            learned = self.problem.learn_at(self.path, asked)
            self._networks[asked] = network_of(learned, self.source, self.seed, self.watch_stopped)
        return self._networks[asked]

    def edges(self, penalty: float | None = None) -> EdgeTable:
        """The table of edges at a penalty: one row a pair, with its strength there."""
        return self.network(self._asked("edges", penalty)).edges

    def _asked(self, asked: str, penalty: object) -> float:
        """The penalty that was given, or a sentence where none was."""
        if penalty is None:
            low, high = self.knots[0].penalty, self.knots[-1].penalty
            raise FitError(
                "A path has a graph for each non-negative penalty: name one, as in "
                f"{asked}({(low + high) / 2:.2g}); graphs change between {low:.3g} and "
                f"{high:.3g} ({self.unit})."
            )
        if not is_number(penalty) or not penalty >= 0:
            raise FitError(f"The penalty must be a non-negative number, got {penalty!r}.")
        return float(penalty)

    def report(
        self, file: str | PathLike[str], penalty: float | None = None, title: str = ""
    ) -> FilePath:
        """Write the report of the network at a penalty, with a slider over all graphs of the path."""
        from arcwise.api.reports import write_report

        chosen = self._asked("report", penalty)
        return write_report(self.network(chosen), FilePath(file), title, graphs=(self.path, chosen))

    def curve(self) -> list[tuple[float, int]]:
        """Edges against penalty: from each of these penalties on (of the lasso: at it)."""
        return self.path.curve()

    def edge_rows(self) -> list[EdgeAt]:
        """A long table: one row for each penalty of the curve and each edge of the graph there."""
        return self.path.edge_rows()

    def certainty(
        self,
        draws: int = 100,
        *,
        resampling: str = "bootstrap",
        fraction: float = 0.5,
        seed: int = 0,
        n_jobs: int = 1,
        time_limit: float | None = None,
        progress: bool | None = None,
    ) -> PathCertainty:
        """How sure each edge is at every penalty: the same path for each of many resampled tables.

        Parameters
        ----------
        draws : how many tables.
        resampling, fraction : as for `posterior`; halves of the rows are stability selection (Meinshausen and
            Buehlmann 2010).
        seed, n_jobs, time_limit, progress : as for `learn`.

        >>> import arcwise as aw
        >>> found = aw.path(aw.example("boston").select(["RM", "LSTAT", "MEDV"]), search="boundary")
        >>> sure = found.certainty(draws=10)
        >>> float(sure.at(0.05).adjacent[0, 1])
        1.0
        """
        from arcwise.api.edge_certainty import path_certainty

        watch = Progress("certainty", time_limit, progress)
        ways = {"resampling": resampling, "fraction": fraction}
        with one_thread(self.source), watch:
            return path_certainty(self, draws, seed, n_jobs, watch, ways)

    def plot(self, **options: "Unpack[PathFigure]") -> Any:
        """Draw edges against penalty with the options of `aw.plot_path`; returns matplotlib's axes."""
        from arcwise.plot import plot_path

        # The path that can solve, and not the plain one: marks then lie at their own penalties.
        return plot_path(self, **options)

    def plot_edges(self, **options: "Unpack[EdgePathFigure]") -> Any:
        """Draw the partial correlation of each edge against the penalty; returns matplotlib's axes.

        The options are those of `aw.plot_edge_path`.

        Raises
        ------
        FitError : the path is not of the graphical lasso, and has no partial correlations.
        """
        from arcwise.plot import plot_edge_path

        return plot_edge_path(self, **options)

    def document(self) -> dict[str, Any]:
        """All that is known, as plain values for JSON."""
        path = replace(self.path, stopped=self.stopped)
        said = {"settings": dict(self.settings), "notes": [note.to_dict() for note in self.notes]}
        return {**path.document(), **said}

    @property
    def frame(self) -> Frame:
        """One row per removed edge; without removals, one per penalty."""
        return self._with_notes(replace(self.path, stopped=self.stopped).frame)

    @property
    def display(self) -> Frame:
        """The last removals, or the first penalties."""
        return self._with_notes(replace(self.path, stopped=self.stopped).display)

    def _with_notes(self, frame: Frame) -> Frame:
        notes = (f"note: {note}" for note in self.notes)
        return replace(frame, notes=(*frame.notes, *notes))

    def _summary(self) -> str:
        most, least = self.knots[0].graph.n_edges, self.path.last.n_edges
        return f"{len(self.variables)} variables: {most} to {least} edges"


@with_advice
def path(
    data: Any,
    *,
    graph: str = "undirected",
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    search: str | Search = "auto",
    rules: Rules | Mapping[str, Any] | None = None,
    prior: Prior | None = None,
    missing: str = "auto",
    seed: int = 0,
    n_jobs: int = 1,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> PenaltyPath:
    """Learn undirected graphs at all penalties, from the complete graph to the empty one.

    Parameters
    ----------
    data : as for `learn`.
    graph : "undirected".
    search : the search algorithm.

        * "auto": "glasso" for Gaussian models unless a score is set, else "boundary".
        * "boundary": remove edges one by one, the weakest first, and fit the local models again.
        * "deletion": test every pair given all others, for comparison.
        * "grow-shrink": remove edges from a graph that was grown at the same penalty, for 25 penalties and
          those requested later.
        * "glasso", "neighbourhood": for Gaussian models, solved at 30 penalties;
          `aw.Glasso(n_penalties=30, min_ratio=0.01)` sets these.
    model, score, rules, prior, missing, seed, n_jobs, progress : as for `learn`.
    time_limit : the number of seconds after which the path ends early; `reach` is then its largest penalty.

    Returns
    -------
    PenaltyPath : prints as a table. `.at(penalty)` is the graph at a penalty, and `.network(penalty)` the
    fitted network; `.curve()` is the number of edges against the penalty, and `.plot()` draws it.
    `.plot_edges()` draws the partial correlations of the graphical lasso.

    Raises
    ------
    DataError, GraphError, FitError, OptionError : with a message that states the requirement and the value.

    >>> import arcwise as aw
    >>> found = aw.path(aw.example("boston").select(["RM", "LSTAT", "MEDV"]), search="boundary")
    >>> [edges for _, edges in found.curve()]
    [3, 2, 1, 0]
    """
    spec = specification(
        graph=graph, model=model, score=score, search=search, penalty=0.0, rules=rules, prior=prior,
        missing=missing, seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    source = any_table(data)
    with one_thread(source), Progress("path", time_limit, progress) as watch:
        problem = bind(spec, source)
        result = problem.path(watch)
        curves = () if watch.stopped else curve_notes(spec, problem.source, middle_graph(result))
    return PenaltyPath(problem, result, source, seed, watch.stopped, curves)
