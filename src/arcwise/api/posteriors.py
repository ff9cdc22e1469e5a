"""A distribution over graphs: certainty of edges, and answers averaged over graphs."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise import io, results
from arcwise.api.asking import QueryMethods
from arcwise.api.learning import network_of
from arcwise.api.net import Network
from arcwise.api.unknown_parameters import with_advice
from arcwise.data import Source, Variable
from arcwise.errors import FitError, GraphError, OptionError, plural, unknown
from arcwise.evaluate import (
    PairTable,
    WeightedGraph,
    WeightedGraphs,
    averaged_graph,
    pair_table,
    threshold_of,
)
from arcwise.evaluate.consensus import Stability, stability, supported_graph
from arcwise.graphs import DAG, UGraph, graph_of, separated
from arcwise.inference import Ensemble, GraphOrigin, Probability
from arcwise.learners import LearnedNetwork, Specification, bind
from arcwise.learners.parameters import alike, class_members, directed_net, fitted_nets, markov_net
from arcwise.learners.posteriors.plan import Plan, no_chains
from arcwise.networks import whole
from arcwise.notes import NOT_STOPPED, Note, NoteKind, Stop, notes_of
from arcwise.scores import total
from arcwise.values import clear_methods

if TYPE_CHECKING:
    from arcwise.plot import GraphFigure

Graph = DAG | UGraph
Array = NDArray[np.float64]

_CLOSED, _DEAR = 200, 20  # graphs that are averaged over
_EXACT = 600  # the same of exact probability: all of four variables are 543


@clear_methods
@dataclass(frozen=True, eq=False, repr=False)
class Posterior(QueryMethods):
    """A distribution over graphs, ready for queries.

    Attributes
    ----------
    found : the plain value: weighted graphs, probabilities of edges, their errors and meaning.
    plan : how it was computed.
    settings : the model, score and method.
    order : the variables in the order of the data.
    rows : the sum of the weights of the rows.
    fingerprint : a fingerprint of the data.
    specification, data : the choices of learning and the data; None if a file contains neither.
    kept : arrays from which the run can be continued.

    >>> import arcwise as aw
    >>> post = aw.posterior(aw.example("boston").select(["RM", "LSTAT", "MEDV"]))
    >>> post.meaning, round(float(post.edge("RM", "MEDV")), 3)
    ('posterior', 1.0)
    """

    found: results.GraphDistribution
    plan: Plan
    settings: Mapping[str, Any] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    rows: float | None = None
    fingerprint: str = ""
    specification: Specification | None = None
    data: Source | None = None
    kept: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    seed: int | None = 0

    # -- what is known ---------------------------------------------------------------------------

    @cached_property
    def edges(self) -> PairTable:
        """The table of pairs: the probability of each direction and of an edge, with its error."""
        return pair_table(self.found)

    @property
    def graphs(self) -> WeightedGraphs:
        """The graphs with their probabilities, the most probable first."""
        return WeightedGraphs(map(WeightedGraph, self.found.graphs, self.found.weights.tolist()))

    @property
    def meaning(self) -> str:
        """What the probabilities are: posterior, pseudo-posterior, bootstrap frequency, ..."""
        return self.found.meaning

    @property
    def prior(self) -> str:
        """The prior over graphs, as text."""
        return self.found.prior

    @property
    def verdict(self) -> str:
        """Return whether one graph stands out (select it) or several are probable (average), as a message."""
        return self.found.verdict

    @property
    def log_evidence(self) -> float | None:
        """The log probability of the data over all graphs, if it was computed exactly."""
        return self.found.log_evidence

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the data and the choices made."""
        return self.found.notes

    @property
    def stopped(self) -> Stop:
        """Why the run ended."""
        return self.found.stopped

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in the order of the data."""
        return self.order or self.found.nodes

    @property
    def directed(self) -> bool:
        """Whether edges have directions."""
        return self.found.directed

    # -- features --------------------------------------------------------------------------------

    def probability(self, feature: Callable[[Any], Any]) -> Probability:
        """Return the probability that a function of the graph is true, with its error, or its mean.

        >>> import arcwise as aw
        >>> homes = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
        >>> post = aw.posterior(homes, method="bootstrap", draws=20)
        >>> float(post.probability(lambda graph: graph.n_arcs >= 2))
        1.0
        """
        return Probability(*self.found.probability(feature))

    def arc(self, tail: str, head: str) -> Probability:
        """Return the probability of the arc from one variable to another."""
        if not self.directed:
            raise GraphError("Undirected graphs have no arcs: use edge(first, second).")
        a, b = self._number(tail), self._number(head)
        return Probability(float(self.found.arcs[a, b]), float(self.found.arc_errors[a, b]))

    def edge(self, first: str, second: str) -> Probability:
        """Return the probability of an edge between two variables, in either direction."""
        a, b = self._number(first), self._number(second)
        return Probability(
            float(self.found.adjacent[a, b]), float(self.found.adjacent_errors[a, b])
        )

    def path(self, start: str, end: str) -> Probability:
        """Return the probability of a directed path from one variable to another; undirected: of any path."""
        self._number(start), self._number(end)

        def leads(graph: Graph) -> bool:
            if graph.directed:
                return end in graph.descendants_of(start)
            return start == end or not separated(graph, start, end)

        return self.probability(leads)

    def blanket(self, name: str) -> dict[str, Probability]:
        """Return the probability of each other variable to be in the Markov blanket of this one."""
        self._number(name)
        inside = {graph: frozenset(graph.blanket_of(name)) for graph in self.found.graphs}

        def member(other: str) -> Probability:
            return self.probability(lambda graph: other in inside[graph])

        return {other: member(other) for other in self.variables if other != name}

    def _number(self, name: str) -> int:
        return self.found.best.index(name)

    def stability(self) -> Stability:
        """Return the stability table of Hofmann and Tresp (1995): differences of graphs, edges and scores.

        >>> import arcwise as aw
        >>> homes = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
        >>> post = aw.posterior(homes, method="bootstrap", draws=20)
        >>> round(post.stability().difference, 2)
        0.13
        """
        if not self.directed:
            return stability(self.found)
        problem, penalty = self.problem, self.found.diagnostics.get("penalty")
        score = problem.penalised(problem.penalty if penalty is None else penalty)
        return stability(self.found, lambda graph: total(score, graph) / score.rows)

    # -- single networks -------------------------------------------------------------------------

    @cached_property
    def best(self) -> Network:
        """The most probable graph as a fitted network."""
        name = f"most probable graph ({self.meaning} {float(self.found.weights[0]):.3g})"
        return self._network(self.found.best, name)

    def averaged(self, threshold: float | str = "auto") -> Network:
        """Return the graph of all edges with a probability above a threshold, as a fitted network.

        "auto" is the threshold of Scutari and Nagarajan (2013).
        """
        level = threshold_of(self.found, threshold)
        graph, left = averaged_graph(self.found, level, self.problem.limits)
        own = "the automatic threshold" if threshold == "auto" else "the threshold given"
        said = [f"Edges have a {self.meaning} above {level:.3g}, {own}."]
        if pairs := ", ".join(f"{one} - {two}" for one, two in left[:5]):
            said.append(f"Rules and other arcs allow no direction for {pairs}: dropped.")
        return self._network(graph, f"averaged ({self.meaning} above {level:.3g})", *said)

    def _network(self, graph: Graph, search: str, *notes: str) -> Network:
        problem = self.problem
        fits = problem.fits
        net = directed_net(graph, fits) if graph.directed else markov_net(graph, fits)
        total = sum(problem.score.local(node, row) for node, row in enumerate(net.inputs))
        learned = LearnedNetwork(
            problem,
            net,
            float(total),
            problem.penalty,
            (),
            NOT_STOPPED,
            problem.limits,
            scored=graph.directed or getattr(net, "joint", None) is None,
            words={"search": search},
            notes=notes_of(NoteKind.CERTAINTY, *notes),
        )
        made = network_of(learned, self._source("fitted networks"), self.seed)
        return replace(made, posterior=self.found)

    @cached_property
    def problem(self) -> Any:
        """The specification tied to the data."""
        source = self._source("fitted networks and averaged answers")
        if self.specification is None:
            raise FitError("The file lacks the settings of the search.")
        return bind(self.specification, source)

    def _source(self, what: str) -> Source:
        if self.data is None:
            raise FitError(
                f"The file was saved without its data, which {what} need: save it with data=True."
            )
        return self.data

    # -- answers averaged over graphs --------------------------------------------------------------

    def ensemble(self, most: int | None = None, do: Iterable[str] = ()) -> Ensemble:
        """Return the fitted networks to average over, with their weights.

        Parameters
        ----------
        most : graphs at most; by default 200 where models have a closed form (600 of exact probability),
            else 20.
        do : variables that are set: of a class, all directions that the edges at these can have count alike.
        """
        problem, found, groups = self.problem, self.found, None
        usual = _EXACT if found.graph_ess == math.inf else _CLOSED
        count = (usual if problem.family.closed else _DEAR) if most is None else most
        forced = [self._number(name) for name in do]
        chosen = found.some(whole("number of graphs", count) or 1, alike(problem.fits, forced))
        graphs, weights = chosen.graphs, chosen.shares
        if found.classes and forced:
            own = [graph for graph in graphs if graph.directed]
            graphs, weights, groups = class_members(own, weights, forced, problem.limits)
        nets = fitted_nets(graphs, problem.fits)
        said = f"Averaged over {plural(len(nets), 'graph')} ({self.meaning})."
        said += f" All others have probability {chosen.left:.2g}." * bool(chosen.left)
        return Ensemble(nets, weights, said, GraphOrigin(chosen.size, chosen.left, groups))

    @cached_property
    def _ensemble(self) -> Ensemble:
        return self.ensemble()

    def _answers(self, do: Any = None) -> Ensemble:
        return self.ensemble(do=do) if do else self._ensemble

    def _columns(self) -> tuple[Variable, ...]:
        return tuple(self.problem.data.variables)

    # -- in and out ------------------------------------------------------------------------------

    @with_advice
    def more(
        self,
        draws: int,
        data: Any = None,
        *,
        n_jobs: int = 1,
        time_limit: float | None = None,
        progress: bool | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> "Posterior":
        """Return the posterior with more draws or replicates, as if all had been requested at once.

        Parameters
        ----------
        draws : the number of further draws.
        data : the data, if a file was saved without them.
        n_jobs, time_limit, progress, checkpoint : as for `posterior`.
        """
        from arcwise.api.edge_certainty import more_draws

        return more_draws(self, draws, data, n_jobs, time_limit, progress, checkpoint)

    def save(self, path: str | PathLike[str], data: bool = True) -> Path:
        """Write to a file (.json, .arcwise) that `load` reads.

        `data` says whether the data go with it: answers and more draws need them.
        """
        from arcwise.api.posterior_files import save_posterior

        return save_posterior(self, Path(path), data)

    @property
    def drawn(self) -> io.StoredNet:
        """The best graph with heads where its class and at least half of the graphs compel them."""
        spec, found = self.specification, self.found
        limits = None if spec is None else spec.rules.on(found.nodes)
        return io.StoredNet(supported_graph(found, limits))

    def plot(
        self,
        kind: str = "graph",
        *,
        threshold: float | str = "auto",
        order: Sequence[str] | None = None,
        truth: Any = None,
        **options: "Unpack[GraphFigure]",
    ) -> Any:
        """Draw the posterior; returns matplotlib's axes.

        Parameters
        ----------
        kind : "graph" (the averaged graph with certain edges dark), "matrix" (the probabilities of arcs),
            "trace" (the scores of chains) or "reliability" (how often edges of a probability are in a true
            graph).
        threshold : of the averaged graph, as for `averaged`.
        order : of the variables of a matrix.
        truth : the true graph, of "reliability".
        options : `ax`; of a graph also those of `aw.plot_graph`.
        """
        from arcwise.plot import plot_graph, plot_probabilities, plot_reliability, plot_scores

        if kind == "graph":
            net = self.averaged(threshold)
            return plot_graph(net.graph, edges=net.edges, **options)
        ax = options.get("ax")
        if kind == "matrix":
            return plot_probabilities(self.found, order=order or self.variables, ax=ax)
        if kind == "trace":
            return plot_scores(self.log_scores(), ax=ax)
        if kind == "reliability":
            if truth is None:
                raise OptionError("A figure of reliability needs the true graph: truth=graph.")
            return plot_reliability([self.found], [graph_of(truth)], ax=ax)
        raise unknown("kind of plot", kind, ("graph", "matrix", "trace", "reliability"))

    def log_scores(self) -> Array:
        """The scores of the drawn graphs (chains by draws), for "mcmc" only."""
        names = sorted(n for n in self.kept if n.endswith("_log_scores") and len(self.kept[n]))
        if not names:
            raise no_chains("scores")
        least = min(len(self.kept[name]) for name in names)
        return np.stack([self.kept[name][-least:] for name in names])

    def to_arviz(self) -> Any:
        """Return the draws of chains for ArviZ: an InferenceData, or a dictionary without ArviZ.

        `score` is (chain, draw), `arc` (chain, draw, parent, child) of truth values.
        """
        from arcwise.api.describe import to_arviz

        return to_arviz(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all contents as plain values."""
        return {
            "meaning": self.meaning,
            "prior": self.prior,
            "variables": list(self.variables),
            "directed": self.directed,
            "settings": dict(self.settings),
            "draws": self.found.draws,
            "ess": self.found.ess,
            "log_evidence": self.log_evidence,
            "verdict": self.verdict,
            "threshold": threshold_of(self.found, "auto"),
            "stopped": str(self.stopped),
            "stop_reason": self.stopped.reason.value,
            "notes": [note.to_dict() for note in self.notes],
            "difference": self.found.difference,
            "diagnostics": dict(self.found.diagnostics),
            "edges": self.edges.sorted().to_records(),
            "graphs": [
                {"graph": str(graph), "probability": weight} for graph, weight in self.graphs[:20]
            ],
        }

    def __repr__(self) -> str:
        return repr(self.found)

    def _repr_html_(self) -> str:
        from arcwise.api.describe import posterior_html

        return posterior_html(self)

    def __str__(self) -> str:
        first, *rest = self.heading()
        notes = (f"note: {note}" for note in self.notes)
        return "\n".join([first, *notes, *rest, "", str(self.edges)])

    def heading(self) -> list[str]:
        """Return the lines above the table of edges."""
        lines = [repr(self)[1:-1], self.verdict]
        evidence = self.log_evidence
        return lines if evidence is None else [*lines, f"log evidence {evidence:.4f}"]
