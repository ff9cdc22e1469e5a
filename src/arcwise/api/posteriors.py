"""What users hold of a distribution over graphs: how sure each edge is, and answers averaged over graphs.

The methods are short calls of functions in the rooms below; the logic lives there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise import results
from arcwise.api.learning import network_of
from arcwise.api.net import Network
from arcwise.data import Moments, Table
from arcwise.errors import FitError, GraphError
from arcwise.evaluate import PairTable, averaged_graph, pair_table, threshold_of
from arcwise.graphs import DAG, UGraph
from arcwise.inference import Probability
from arcwise.learners import Learned, Specification, bind
from arcwise.learners.parameters import directed_net, markov_net
from arcwise.learners.sampling import Plan

__all__ = ["Posterior", "Weighted"]

Graph = DAG | UGraph
Array = NDArray[np.float64]


class Weighted(NamedTuple):
    """A graph with its probability; of classes, that of all graphs equivalent to it."""

    graph: Graph
    probability: float


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """A distribution over graphs, ready to be asked.

    Attributes
    ----------
    found : the plain value: weighted graphs, probabilities of edges, their errors and meaning.
    plan : how it was found.
    settings : which model, score and method were used.
    order : the variables in the order the user gave them.
    rows : the sum of the weights of the rows.
    fingerprint : of the data.
    specification, data : the choices it was found by, and the data; None where a file holds neither.
    words : the choices as plain words, for files.
    kept : the arrays that the run can go on from.
    """

    found: results.Posterior
    plan: Plan
    settings: Mapping[str, Any] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    rows: float | None = None
    fingerprint: str = ""
    specification: Specification | None = None
    data: Table | Moments | None = None
    words: Mapping[str, Any] = field(default_factory=dict)
    kept: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    seed: int | None = 0

    # -- what is known ---------------------------------------------------------------------------

    @cached_property
    def edges(self) -> PairTable:
        """One row a pair: the probability of each direction, of an edge at all, and its error."""
        return pair_table(self.found)

    @property
    def graphs(self) -> list[Weighted]:
        """The graphs that are held, the most probable first."""
        pairs = zip(self.found.graphs, self.found.weights.tolist(), strict=True)
        return [Weighted(graph, weight) for graph, weight in pairs]

    @property
    def meaning(self) -> str:
        """What the probabilities are: posterior, pseudo-posterior, bootstrap frequency, ..."""
        return self.found.meaning

    @property
    def prior(self) -> str:
        """The distribution over graphs before the data, in words."""
        return self.found.prior

    @property
    def verdict(self) -> str:
        """Whether one graph stands out (select it), or several are alike (average), in a sentence."""
        return self.found.verdict

    @property
    def log_evidence(self) -> float | None:
        """Log probability of the data over all graphs; where it was computed exactly."""
        return self.found.log_evidence

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the data and the choices made."""
        return self.found.notes

    @property
    def stopped(self) -> str:
        """Why the run ended, in words."""
        return self.found.stopped

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables, in the order the user gave them."""
        return self.order or self.found.nodes

    @property
    def directed(self) -> bool:
        """Whether edges have directions."""
        return self.found.directed

    # -- features --------------------------------------------------------------------------------

    def probability(self, feature: Callable[[Any], Any]) -> Probability:
        """Probability that a function of the graph is true, with its error.

        >>> import arcwise as aw
        >>> homes = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
        >>> post = aw.posterior(homes, method="bootstrap", draws=20)
        >>> float(post.probability(lambda graph: graph.n_arcs >= 2))
        1.0
        """
        return Probability(*self.found.probability(feature))

    def arc(self, tail: str, head: str) -> Probability:
        """Probability of the arc from one variable to another."""
        if not self.directed:
            raise GraphError("Undirected graphs have no arcs: ask for edge(first, second).")
        a, b = self._number(tail), self._number(head)
        return Probability(float(self.found.arcs[a, b]), float(self.found.arc_errors[a, b]))

    def edge(self, first: str, second: str) -> Probability:
        """Probability of an edge between two variables, whatever its direction."""
        a, b = self._number(first), self._number(second)
        return Probability(
            float(self.found.adjacent[a, b]), float(self.found.adjacent_errors[a, b])
        )

    def path(self, start: str, end: str) -> Probability:
        """Probability that a directed path leads from one variable to another; undirected: any path."""
        self._number(start), self._number(end)

        def leads(graph: Graph) -> bool:
            if isinstance(graph, DAG):
                return end in graph.descendants_of(start)
            return graph.index(end) in _connected(graph, graph.index(start))

        return self.probability(leads)

    def blanket(self, name: str) -> dict[str, Probability]:
        """Probability of each other variable to be in the Markov blanket of this one."""
        self._number(name)
        inside = {
            graph: frozenset(
                graph.blanket_of(name) if isinstance(graph, DAG) else graph.neighbours_of(name)
            )
            for graph in self.found.graphs
        }
        others = [each for each in self.variables if each != name]
        return {
            other: self.probability(lambda graph, other=other: other in inside[graph])
            for other in others
        }

    def _number(self, name: str) -> int:
        return self.found.best.index(name)

    # -- single networks -------------------------------------------------------------------------

    @cached_property
    def best(self) -> Network:
        """The most probable graph as a fitted network."""
        share = float(self.found.weights[0])
        return self._network(self.found.best, f"most probable graph ({self.meaning} {share:.3g})")

    def averaged(self, threshold: float | str = "auto") -> Network:
        """The graph of all edges that are more probable than a threshold, as a fitted network.

        "auto" is the threshold of Scutari and Nagarajan (2013).
        """
        level = threshold_of(self.found, threshold)
        graph, left = averaged_graph(self.found, level, self.problem.limits)
        own = "the automatic threshold" if threshold == "auto" else "the threshold given"
        said = [f"Edges have a {self.meaning} above {level:.3g}, {own}."]
        if left:
            pairs = ", ".join(f"{one} - {two}" for one, two in left[:5])
            said.append(f"Rules and other arcs allow no direction for {pairs}: left out.")
        return self._network(graph, f"averaged ({self.meaning} above {level:.3g})", *said)

    def _network(self, graph: Graph, search: str, *notes: str) -> Network:
        problem = self.problem
        net = (
            directed_net(graph, problem.bound)
            if isinstance(graph, DAG)
            else markov_net(graph, problem.bound)
        )
        total = sum(problem.score.local(node, row) for node, row in enumerate(net.inputs))
        learned = Learned(
            problem,
            net,
            float(total),
            problem.penalty,
            (),
            "",
            problem.limits,
            scored=isinstance(graph, DAG) or getattr(net, "joint", None) is None,
            words={"search": search},
            notes=notes,
        )
        made = network_of(learned, self._source("fitted networks"), self.seed)
        return replace(made, posterior=self.found)

    @cached_property
    def problem(self) -> Any:
        """The specification tied to the data."""
        source = self._source("fitted networks and averaged answers")
        if self.specification is None:
            raise FitError("The file does not say how the graphs were found.")
        return bind(self.specification, source)

    def _source(self, what: str) -> Table | Moments:
        if self.data is None:
            raise FitError(
                f"The file was saved without its data, which {what} need: save it with data=True."
            )
        return self.data

    # -- in and out ------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """All that is known, as plain values."""
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
            "stopped": self.stopped,
            "notes": list(self.notes),
            "diagnostics": {
                name: value
                for name, value in self.found.diagnostics.items()
                if not isinstance(value, np.ndarray)
            },
            "edges": self.edges.sorted().to_dict(),
            "graphs": [
                {"graph": str(graph), "probability": weight} for graph, weight in self.graphs[:20]
            ],
        }

    def __repr__(self) -> str:
        return repr(self.found)

    def __str__(self) -> str:
        lines = [repr(self)[1:-1], *(f"note: {note}" for note in self.notes), self.verdict]
        if self.log_evidence is not None:
            lines.append(f"log evidence {self.log_evidence:.4f}")
        return "\n".join([*lines, "", str(self.edges)])


def _connected(graph: UGraph, node: int) -> set[int]:
    from arcwise.graphs.walks import reach

    return reach(graph.neighbours, [node])
