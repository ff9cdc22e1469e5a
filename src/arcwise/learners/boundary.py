"""Learning of undirected graphs: a path of graphs over all penalties, evaluated at the requested one.

A registered search removes edges from the complete graph, the weakest first (Hofmann and Tresp 1997), or
from a grown graph if the complete one is infeasible. The result is a path with the graph at any penalty; each
variable is then fitted given its neighbours.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Statistics
from arcwise.errors import GraphError
from arcwise.graphs import DAG, Limits, UGraph
from arcwise.learners.parameters import (
    PSEUDO,
    Total,
    fitting_note,
    markov_net,
    noise_note,
    undirected_total,
)
from arcwise.learners.problem import LearnedNetwork, Problem
from arcwise.learners.specification import Specification
from arcwise.networks import MarkovNet, Net
from arcwise.notes import Fix, Note, NoteKind, Stop, notes_of
from arcwise.results import ASKED, Knot, Path, SearchEnd, Trail, Watch, patient_check
from arcwise.undirected import UNDIRECTED, boundary, candidates, edge_bounds, edge_limits
from arcwise.undirected.edge_losses import UNIT

_ROUNDS = 10  # of walking and tuning what local models share
_LOOKED_AT = 2 / 3  # share of the local models that are fitted on the way, on Boston housing
_LARGE = (
    5e10  # rows^2 columns^3 from which local models by pairs of rows would take a minute or more
)
_EACH = 2  # rows for each column below which a regression on all others means nothing


class UndirectedProblem(Problem):
    """Base of the learners of undirected graphs."""

    graph = "undirected"

    @classmethod
    def bind_prepared(cls, spec: Specification, rows: Statistics) -> Self:
        """Bind a specification to prepared data; raise an error for options of directed graphs."""
        if spec.start != "empty":
            raise GraphError(
                "{start=} is for directed graphs: undirected learning starts from the complete graph; leave "
                "it out, or forbid edges by rules.",
                fixes=[Fix("start")],
            )
        if spec.expert is not None:
            raise GraphError(
                "The graph of a prior is for directed graphs: require and forbid edges of an undirected one "
                "by rules."
            )
        return super().bind_prepared(spec, rows)

    @cached_property
    def limits(self) -> Limits:
        """The rules on these columns, without directions."""
        return edge_limits(self.spec.rules, self.fits.nodes)


class BoundaryLearner(UndirectedProblem):
    """Learner of an undirected graph by removing edges, with any score."""

    searches = {"auto": boundary, **UNDIRECTED}  # noqa: RUF012

    @classmethod
    def bind(cls, spec: Specification, statistics: Statistics, watch: Watch | None = None) -> Self:
        """Bind a specification to data; choose the search, and report if it has too few rows."""
        problem = super().bind(spec, statistics, watch)
        word, note = problem._settled_search()
        problem = replace(problem, spec=spec.but(search=word)).said(note)
        columns, rows = len(problem.fits.nodes), problem.fits.rows
        if note or problem.defaults.max_parents is None or rows >= _EACH * columns:
            return problem
        return problem.said(
            f"Rows are few ({rows:g} for {columns} columns): a {problem.model} model of each "
            "variable given all others fits noise, so edges may be spurious; use fewer columns, "
            "or learn a directed graph."
        )

    @property
    def words(self) -> dict[str, str]:
        """Return the choices as text; graphs are compared by local scores given neighbours, even if
        there is a joint.
        """
        return {**super().words, "criterion": f"{PSEUDO}{self.score_word}"}

    def _settled_search(self) -> tuple[str, Note | None]:
        """Return the name of the search, and a note if the complete graph is infeasible."""
        word = "boundary" if self.spec.search == "auto" else self.spec.search
        if self._too_large:
            return "grow-shrink" if word == "boundary" else word, _CELLS
        dear = not self.family.closed and self.fits.rows**2 * len(self.fits.nodes) ** 3 > _LARGE
        if dear and self.spec.search == "auto" and self.spec.rule is None:
            return "grow-shrink", _PAIRS
        return word, None

    @cached_property
    def _too_large(self) -> bool:
        """Return whether local models given all other variables have no score, such as tables with too
        many cells.
        """
        if not self.score.lattice:  # then asking is dear, and models of rows always have a score
            return False
        rows = edge_bounds(self.limits).largest.neighbours
        return any(np.isneginf(self.score.local(node, row)) for node, row in enumerate(rows))

    def path(self, watch: Watch | None = None, until: float | None = None) -> Path:
        """Return the path, up to the graph at the penalty `until` if the search can end there.

        A search that begins with a grown graph grows it at the penalty. Its path then has a separate search
        at each penalty, as by `learn`.
        """
        p, grown = len(self.limits.nodes), self._grown
        models = p * p if grown else round(_LOOKED_AT * p * (1 + p * (p - 1) / 2))
        self.foretell(models, watch, least=grown)
        return self._grid_path(watch) if grown and until is None else self._walk(watch, until)

    def _walk(self, watch: Watch | None, until: float | None) -> Path:
        """Remove edges from the complete graph, or from one that was grown at a penalty."""
        limits = self.limits
        try:
            if self._grown:
                limits = candidates(self.score, limits, until or 0.0, watch)
        except SearchEnd:
            start = edge_bounds(limits).smallest
            return Path.of_removals(start, (), UNIT, stopped=ASKED, whole=False)
        options = {"until": until} if self.search is boundary else {}
        path: Path = self.search(
            self.score, limits=limits, on_step=watch, **{**options, **self.options}
        )
        return path

    @property
    def _grown(self) -> bool:
        """Return whether edges are removed from a graph that was grown at a penalty."""
        return self._too_large or self.spec.search == "grow-shrink"

    def _grid_path(self, watch: Watch | None) -> Path:
        """Return the graphs at a grid of penalties, each from a graph that was grown at its penalty."""
        knots: list[Knot] = []
        for penalty in self.grid().tolist():
            walk = self._walk(watch, penalty)
            if walk.stopped == ASKED:
                break
            knots.append(Knot(penalty, walk.at(penalty)))
        if not knots:
            start = edge_bounds(self.limits).smallest
            return Path.of_removals(start, (), UNIT, stopped=ASKED, whole=False)
        whole = len(knots) == len(self.grid())
        stopped = Stop.converged(f"searched at {len(knots)} penalties") if whole else ASKED
        return Path(tuple(knots), UNIT, (), stopped, grid=True)

    def graph_at(self, path: Path, penalty: float) -> UGraph:
        """Return the graph at a penalty: from the path, or by a search if it depends on a grown graph."""
        if not self._grown:
            return path.at(penalty)
        knots = (knot.graph for knot in path.knots if knot.penalty == penalty)
        return next(knots, None) or self._walk(None, penalty).at(penalty)

    def structures(
        self, penalties: Sequence[float], watch: Watch | None = None
    ) -> tuple[UGraph, ...]:
        """Return only the graphs at several penalties, from one path or each from its own grown graph."""
        if not self._grown:
            return super().structures(penalties, watch)
        walks = {penalty: self._walk(watch, penalty) for penalty in dict.fromkeys(penalties)}
        if any(walk.stopped == ASKED for walk in walks.values()):
            raise SearchEnd
        return tuple(walks[penalty].at(penalty) for penalty in penalties)

    def learn(self, penalty: float, watch: Watch | None = None) -> LearnedNetwork:
        """Return the network at a penalty: compute the path, take its graph, and fit the local models.

        If local models share a bandwidth, it is tuned to this graph, and the path computed again.
        """
        problem, path = self, self.path(watch, penalty)
        for _ in range(_ROUNDS):
            graph = self._reached(path, penalty)
            # Shared parameters are tuned to a model for each variable given its neighbours.
            inputs = DAG.make_unchecked(graph.nodes, graph.neighbours)
            fresh = None if path.stopped == ASKED else problem.retuned(inputs)
            if fresh is None:
                break
            problem, path = fresh, fresh.path(watch, penalty)
        return problem._read_off(path, penalty, watch)

    def learn_at(self, path: Path, penalty: float) -> LearnedNetwork:
        """Return the network at a penalty of a path."""
        if self._grown:
            return self.learn(penalty)
        path.at(penalty)
        return self._read_off(path, penalty)

    def _reached(self, path: Path, penalty: float) -> UGraph:
        """Return the graph at a penalty; if the path was stopped before it, the last graph.

        If it was stopped before its first removal, the graph has only the required edges.
        """
        if penalty <= path.reach:
            return path.at(penalty)
        return path.last if path.removals else edge_bounds(self.limits).smallest

    def _read_off(self, path: Path, penalty: float, watch: Watch | None = None) -> LearnedNetwork:
        """Return the network with the graph of a path at a penalty."""
        graph, reached = self._reached(path, penalty), penalty <= path.reach
        net, late = self._fitted(graph, watch)
        short = "" if reached else _cut_short(path, penalty)
        messages = (noise_note(net, self.fits), fitting_note(net), late, short)
        total = self._total(path, net, watch)
        return LearnedNetwork(
            self,
            net,
            total.value,
            penalty,
            tuple(step for step in path.trace if step.edges >= graph.n_edges),
            Stop.converged("every edge left is worth its penalty") if reached else path.stopped,
            self.limits,
            settled=reached,
            words={"score": total.word},
            notes=notes_of(NoteKind.SEARCH, *messages),
        )

    def _fitted(self, graph: UGraph, watch: Watch | None) -> tuple[MarkovNet, str]:
        """Return the network on a graph, and a sentence if there was no time for the joint distribution."""
        if not self.family.closed:  # local models alone, and without them there is no network
            return markov_net(graph, self.fits), ""
        try:
            return markov_net(graph, self.fits, check=patient_check(watch)), ""
        except SearchEnd:
            messages = (
                "There was no time to fit the joint distribution on this graph, so answers are "
                "simulated from models of each variable given its neighbours; fit(graph, data) "
                "fits it."
            )
            return markov_net(graph, self.fits, joint=False), messages

    def _total(self, path: Path, net: MarkovNet, watch: Watch | None) -> Total:
        """Return the score of the joint if there is one, else the sum of local scores.

        If the path was stopped early at this graph, its last step has that sum.
        """
        last = path.trace[-1] if path.trace else None
        late = path.stopped == ASKED and last is not None and last.edges == net.graph.n_edges
        if late and last is not None and net.joint is None:
            return Total(last.score, f"{PSEUDO}{self.score_word}")
        check = patient_check(watch)
        return undirected_total(
            net, self.fits, self.score, self.score_word, self.score_options, check=check
        )

    def grid(self) -> NDArray[np.float64]:
        """Return a grid of penalties, in nats per edge and row; the path has the graphs of all of them."""
        most = max(1.0, 3 * self.usual_penalty)
        return np.concatenate([[0.0], np.geomspace(0.5 / self.source.total, most, 24)])

    def along(self, penalties: NDArray[np.float64], watch: Watch | None) -> list[Net] | None:
        """Return a network for each penalty; None if the callback stopped it early."""
        check, nets = Trail(watch).check, dict[UGraph, MarkovNet]()
        try:
            graphs = self.structures(penalties.tolist(), watch)
            for graph in dict.fromkeys(graphs):
                nets[graph] = markov_net(graph, self.fits, check=check)
        except SearchEnd:
            return None
        return [nets[graph] for graph in graphs]


_CELLS = Note(
    NoteKind.SEARCH,
    "Rows are too few for models given all other variables (tables would have more cells than "
    "they can fill): forward selection for each variable gave a smaller graph, and edges were "
    "removed from that graph instead of the complete one.",
)
_PAIRS = Note(
    NoteKind.SEARCH,
    "There are too many rows and columns for boundary learning from the complete graph: forward "
    "selection for each variable gave a smaller graph, and edges were removed from that. A "
    "dependence visible only in three variables together may be missed; {search=} would find it.",
    fixes=(Fix("search", "boundary"),),
)


def _cut_short(path: Path, penalty: float) -> str:
    if not path.removals:
        return (
            "Learning was stopped before the first edge was tested, so this graph has only the "
            "required edges: allow more time."
        )
    far = f"a penalty of {path.reach:.4g}" if path.reach > 0 else "no penalty at all"
    return (
        f"Learning was stopped before the graph at penalty {penalty:g} was found: it reached "
        f"{far}, so this graph has too many edges."
    )
