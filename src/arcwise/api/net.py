"""What users hold: a network with how it came about, and every question one can put to it.

The methods are short calls of functions in the rooms below; the logic lives there.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise import graphs, inference, io
from arcwise.api import describe
from arcwise.api.asking import AskedNetwork, OneNetwork
from arcwise.api.figures import Figures
from arcwise.api.options import Method
from arcwise.api.progress import CertaintyBudget
from arcwise.api.unknown_parameters import with_advice
from arcwise.conditionals import Fits
from arcwise.data import Source, Variable
from arcwise.errors import FitError, GraphError
from arcwise.evaluate import (
    EdgeTable,
    Validation,
    edge_table,
    refit_losses,
    unpack_edges,
)
from arcwise.graphs import DAG, PDAG, Limits, Rules, UGraph
from arcwise.learners import Specification
from arcwise.networks import LocalModel, Net, local_model
from arcwise.notes import NOT_STOPPED, Note, Stop
from arcwise.results import GraphDistribution, Step
from arcwise.scores import Score
from arcwise.values import clear_methods

if TYPE_CHECKING:
    from arcwise.api.document import Document
    from arcwise.api.sensitivity import Sensitivity


@clear_methods
@dataclass(frozen=True, eq=False, repr=False)
class Network(AskedNetwork, Figures):
    """A fitted network, ready for queries.

    Attributes
    ----------
    net : the plain value: variables, graph, fitted local models.
    score : the score of the graph without the penalty; None if it was not scored. `settings["score"]` is its
        name. For undirected graphs it is that of the joint distribution, unless the name is "pseudo-...".
    trace : the steps of the search.
    stopped : why the search ended. `stopped.reason` is a `StopReason`; printed, it is a message.
    optimal : whether the graph is proved to be the best of all graphs that were compared; `stopped` names
        these if they are not all graphs.
    settings : model, score, search and all other choices that affect the result, with their defaults.
    notes : facts about the data and the choices made.
    order : the variables in the order of the data.
    rules : the rules of learning; None if the graph was given or the file does not contain them.
    specification, data : the choices and the data of learning; None if the network is from a file.
    posterior : the distribution over graphs behind the certainty of edges, if it was computed.

    Examples
    --------
    >>> import arcwise as aw
    >>> net = aw.learn(aw.example("boston").select(["RM", "LSTAT", "MEDV"]), model="gaussian")
    >>> net.parents("MEDV"), round(net.query("MEDV", given={"RM": 7.0}).mean, 1)
    (('LSTAT',), 29.0)
    """

    net: Net
    score: float | None = None
    trace: tuple[Step, ...] = ()
    stopped: Stop = NOT_STOPPED
    optimal: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    order: tuple[str, ...] = ()
    rows: float | None = None
    fingerprint: str = ""
    scorer: Score | None = None
    limits: Limits | None = None
    rules: Rules | None = None
    fits: Fits | None = None
    tuning: tuple[Mapping[str, float], ...] = ()
    _saved_edges: Mapping[str, Any] = field(default_factory=dict)
    _saved_graphs: inference.OtherGraphs | None = None
    _edge_seconds: float | None = None  # strengths of edges that take longer are NaN
    specification: Specification | None = None
    data: Source | None = None
    posterior: GraphDistribution | None = None
    _certainty_budget: CertaintyBudget | None = (
        None  # of the quick certainty, with first use of the edges
    )

    # -- the graph ------------------------------------------------------------------------------

    @property
    def graph(self) -> DAG | UGraph:
        """The graph: a DAG, or a UGraph where edges have no direction."""
        return self.net.graph

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self.net.directed

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the variables in the order of the graph, which is alphabetical if it was learned."""
        return self.graph.nodes

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """Arcs as pairs (parent, child) of names; directed networks only."""
        return self._dag("arcs", "use graph.edges").arcs

    def _dag(self, what: str, instead: str) -> DAG:
        """The graph where it is directed; else say that edges have no direction."""
        if self.graph.directed:
            return self.graph
        raise GraphError(f"An undirected network has no {what}: {instead}.")

    @cached_property
    def cpdag(self) -> PDAG:
        """The equivalence class: arcs that data or rules can orient are directed, the others are not."""
        dag = self._dag("class of equivalent directions", "use its graph")
        return graphs.cpdag(dag, self.limits)

    @cached_property
    def edges(self) -> EdgeTable:
        """The table of edges: one row per pair, with direction, strength and certainty."""
        from arcwise.api.edge_certainty import checked_edges

        kept = None if self.scorer else unpack_edges(self.net, self._saved_edges, self.limits)
        found = kept or edge_table(
            self.net, self.scorer, self.limits, self.rows, self._edge_seconds
        )
        return checked_edges(self, found)

    @cached_property
    def _quick(self) -> tuple[GraphDistribution | None, Note | None]:
        """The distribution over graphs behind the certainty of edges, or why there is none."""
        from arcwise.api.edge_certainty import quick_certainty

        return quick_certainty(self)

    @with_advice
    def certainty(
        self,
        method: str | Method = "auto",
        *,
        draws: int | None = None,
        prior: Any = None,
        seed: int | None = None,
        n_jobs: int = 1,
        time_limit: float | None = None,
        progress: bool | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> "Network":
        """Return the network with the certainty of each edge, for the table of edges, figures and files.

        Parameters
        ----------
        method : "bootstrap" (how often resampled tables give the edge), "exact" or "mcmc" (posterior), an
            object such as `aw.MCMC(chains=2)`, or "auto": the posterior if the score has one.
        draws : replicates, 100 by default (20 of neural networks and mixtures of experts), or draws of each
            chain.
        prior : the distribution over graphs of a posterior, as for `posterior`.
        seed : by default that of learning.
        n_jobs, time_limit, progress, checkpoint : as for `posterior`.
        """
        from arcwise.api.edge_certainty import made_certain

        return made_certain(
            self, method, draws, prior, seed, n_jobs, time_limit, progress, checkpoint
        )

    @with_advice
    def sensitivity(
        self,
        column: str,
        *,
        shifts: Iterable[float] = (-1.0, -0.5, 0.5, 1.0),
        target: str | None = None,
        given: Mapping[str, Any] | None = None,
        time_limit: float | None = None,
        progress: bool | None = None,
    ) -> "Sensitivity":
        """Return what changes if the missing values of a column differ from what the observed ones suggest.

        Missing values are drawn given all others, shifted, and the network is learned again from each table.

        Parameters
        ----------
        column : the variable whose missing values are shifted.
        shifts : in standard deviations of its observed values. For ordered or two levels, what the log odds
            of a level rise by for each standard deviation that it is higher.
        target, given : also answer `query(target, given)` for each shift.
        time_limit : seconds; the shifts done until then are returned, small ones first.
        progress : as for `learn`.
        """
        from arcwise.api.sensitivity import shift_missing

        return shift_missing(self, column, shifts, target, given, time_limit, progress)

    def refit_losses(self) -> EdgeTable:
        """Return the edges with the loss of likelihood per row without each, all others refitted.

        Undirected Gaussian networks only, fitted without a penalty.
        """
        if self.settings.get("numbers") == "penalised":
            raise FitError(
                "The parameters of this network are shrunk by the penalty: learn it with "
                "refit=True to get the refit losses."
            )
        return refit_losses(self.net, self.edges.present)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in the order of the data."""
        return self.order or self.net.names

    @property
    def factorisation(self) -> str:
        """The joint density as a product: of local densities, or of potentials on cliques."""
        return graphs.factorisation(self.graph)

    def parents(self, name: str) -> tuple[str, ...]:
        """Return the variables with an arc into this one."""
        return self._dag("parents", "use neighbours(name)").parents_of(self._known(name))

    def children(self, name: str) -> tuple[str, ...]:
        """Return the variables that this one has an arc into."""
        return self._dag("children", "use neighbours(name)").children_of(self._known(name))

    def neighbours(self, name: str) -> tuple[str, ...]:
        """Return the variables with an edge to this one, in either direction."""
        node = self.net.index(name)
        if not self.graph.directed:
            return self.graph.neighbours_of(node)
        beside = {*self.graph.parents[node], *self.graph.children[node]}
        return graphs.node_names(self.graph, sorted(beside))

    def blanket(self, name: str) -> tuple[str, ...]:
        """Return the Markov blanket: given it, the variable is independent of all others."""
        self._known(name)
        return self.graph.blanket_of(name)

    markov_blanket = blanket

    def separated(
        self, first: str | Iterable[str], second: str | Iterable[str], given: Iterable[str] = ()
    ) -> bool:
        """Return whether the graph separates two (sets of) variables given others."""
        return graphs.separated(self.graph, first, second, given)

    def separator(self, first: str, second: str) -> tuple[str, ...] | None:
        """Return a minimal set that separates two variables; None if there is none."""
        return graphs.minimal_separator(self.graph, first, second)

    def _known(self, name: str) -> str:
        self.net.index(name)
        return name

    # -- the numbers ----------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what answers to `do` leave behind, for copies and other processes."""
        return {name: value for name, value in self.__dict__.items() if name != "_equivalents"}

    def __contains__(self, name: object) -> bool:
        """Whether there is a variable of that name."""
        return name in self.variables

    def __iter__(self) -> Iterator[str]:
        """The names of the variables."""
        return iter(self.variables)

    def __len__(self) -> int:
        """The number of variables."""
        return len(self.variables)

    def __getitem__(self, name: str) -> LocalModel:
        """The fitted local model of a variable: a table or coefficients to print, `to_pandas()`, ..."""
        return local_model(self.net, name)

    def local(self, name: str) -> str:
        """Return the fitted local model of a variable as text."""
        return str(self[name])

    def with_local(self, name: str, model: Any) -> "Network":
        """Return the network with another local model of one variable.

        Or by a fitted one, ``other[name]``. The result has no score and no certainty, which are of the data.
        """
        from arcwise.api.handmade import with_local

        return with_local(self, name, model)

    @property
    def precision(self) -> inference.NamedMatrix:
        """The precision matrix, inverse of the covariances; of Gaussian networks.

        ``net.precision["a", "b"]`` is the entry of a pair, ``np.asarray(net.precision)`` the numbers alone.
        """
        return inference.precision(self.net, self.variables)

    @property
    def covariance(self) -> inference.NamedMatrix:
        """The covariance matrix of a Gaussian network."""
        return inference.covariance(self.net, self.variables)

    @property
    def partial_correlations(self) -> inference.NamedMatrix:
        """The correlations of pairs given all other variables, of a Gaussian network."""
        return inference.partial_correlations(self.net, self.variables)

    def _equivalents_of(self, do: Any) -> inference.Equivalents | None:
        """The other graphs that an answer to `do` is taken over; None where the graph was given."""
        return self._equivalents if self._values(do) else None

    @cached_property
    def _equivalents(self) -> inference.Equivalents | None:
        from arcwise.api.edge_certainty import other_graphs

        if not self.directed or "search" not in self.settings:
            return None
        refit = None if self.fits is None else cache(self.fits.conditional)
        return inference.Equivalents(self.cpdag, refit, self.rules is not None, other_graphs(self))

    def _answers(self, do: Any = None) -> OneNetwork:
        return OneNetwork(self.net, self._equivalents_of(do))

    def _columns(self) -> tuple[Variable, ...]:
        return self.net.variables

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the network to a file in the format of its extension (.json, .arcwise, ...).

        A .dot file contains the graph with the heads that pictures have (see `edges`).
        """
        place = describe.checked_place(Path(path))
        whole = not io.is_figure(place)
        io.save(io.StoredNet.of(self.net, self.about()) if whole else self.drawn, place)
        return place

    @property
    def drawn(self) -> io.StoredNet:
        """The graph with the heads of print and figures, and a caption if they are unchecked."""
        graph = self.edges.drawn(self.graph)
        unchecked = self.edges.unchecked and self.directed
        about = {"caption": "heads are unchecked: no certainty"} if unchecked else {}
        return io.StoredNet(graph, about=about)

    def about(self) -> dict[str, Any]:
        """Return facts about the network other than its parameters, as plain values."""
        return describe.about(self)

    def save_tuning(self, path: str | PathLike[str]) -> Path:
        """Write how the penalty was chosen: as a table (.csv, .json) or a figure (.png, .pdf, .svg).

        The rows are those of `tuning_rows`; errors: FitError without a curve, FileError for a place that
        cannot be written to.
        """
        return describe.save_tuning(self, Path(path))

    def tuning_rows(self) -> list[dict[str, float | int | None]]:
        """Return the curve that chose the penalty, as rows with equal columns.

        What is not known at a penalty is None; the column `chosen` marks the penalty that was taken.
        """
        return describe.tuning_rows(self)

    def to_networkx(self) -> Any:
        """Return the graph as a networkx DiGraph, or a Graph if edges have no direction.

        Its edges have what the table of edges knows of them as attributes: strength, partial_correlation,
        certainty, direction_support, reversible, head, ... (see `edges`).
        """
        made = graphs.to_networkx(self.graph)
        for tail, head, attributes in made.edges(data=True):
            attributes.update(self.edges[tail, head].attributes)
        return made

    def report(
        self,
        path: str | PathLike[str],
        title: str = "",
        *,
        validation: Validation | None = None,
        rows: bool = False,
    ) -> Path:
        """Write an interactive page to a .html file, which answers queries offline.

        `validation`, from `aw.validate`, shows how well the network predicts; without it, the parameters
        alone are validated if that is quick. Only with `rows` does the file contain rows of the data.
        """
        return describe.write_report(self, Path(path), title, validation, rows)

    def document(
        self, title: str = "", *, validation: Validation | None = None, rows: bool = False
    ) -> "Document":
        """Return the contents of a report, as plain values for JSON."""
        return describe.document(self, title, validation, rows)

    def describe(self, seconds: float | None = None) -> list[tuple[str, str]]:
        """Return facts about the network: pairs of a label (data, note, model, ...) and a text."""
        return describe.describe(self, seconds)

    def to_dict(self) -> dict[str, Any]:
        """Return facts and edges as plain values for JSON; `save` keeps the local models, too."""
        return describe.to_dict(self)

    def __repr__(self) -> str:
        kinds, count = ", ".join(sorted(set(self.net.models))), len(self.net.names)
        return f"<Network of {count} variables, {describe.edge_count(self)} ({kinds})>"

    def _repr_html_(self) -> str:
        return describe.html(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return describe.mimebundle(self)

    def __str__(self) -> str:
        return describe.summary(self)
