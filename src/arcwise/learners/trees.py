"""Trees and forests: every variable has at most one parent, and the graph has the best score of all such
graphs.

A score that is equal for equivalent graphs does not depend on the directions of a tree, so the graph of
best score is the spanning forest of largest weight, where the weight of a pair is the gain of its arc. With
the likelihood as score that gain is the number of rows times the mutual information, and the
forest is the tree of Chow and Liu (1968); with a penalised score, such as BIC, arcs that do
not pay are omitted (Edwards, de Abreu and Labouriau 2010).
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Statistics
from arcwise.errors import DataError, FitError, GraphError, close_to
from arcwise.graphs import DAG, Limits, root_forest, spanning_forest
from arcwise.learners.parameters import directed_net
from arcwise.learners.problem import LearnedNetwork, Problem
from arcwise.learners.specification import Specification
from arcwise.notes import Fix, Stop
from arcwise.results import ASKED, SearchEnd, Trail, Watch
from arcwise.scores import ArcPenalty, Score, Sum, total

__all__ = ["ChowLiuLearner", "forest"]

Array = NDArray[np.float64]

_REQUIRED = 1e300  # the weight of an arc that must be there


def chow_liu(*, root: str | None = None) -> str | None:
    """Options of the search: the variable from which arcs are directed away."""
    return root


class ChowLiuLearner(Problem):
    """Learner of the best tree or forest by a score."""

    searches = {"chow-liu": chow_liu}  # noqa: RUF012

    @classmethod
    def bind(cls, spec: Specification, statistics: Statistics, watch: Watch | None = None) -> Self:
        """Bind a specification to data; raise an error for options that trees do not have."""
        if spec.start != "empty" or spec.expert is not None:
            raise GraphError(
                "The best tree needs no start graph and no expert graph: leave them out."
            )
        problem = super().bind(spec, statistics, watch)
        if not problem.score.equivalent:
            raise FitError(
                f"The score {problem.score_word!r} depends on directions, but the best tree "
                "needs one that does not: use {score=} (mutual information) or 'bic'.",
                fixes=[Fix("score", "loglik")],
            )
        return problem

    @cached_property
    def limits(self) -> Limits:
        """The rules on these columns."""
        return self.spec.rules.on(self.fits.nodes)

    def learn(self, penalty: float, watch: Watch | None = None) -> LearnedNetwork:
        """Return the network of the best forest: its arcs directed, its local models fitted."""
        trail = Trail(watch)
        score = self._penalised(penalty)
        try:
            weights = self._gains(score.interruptible(trail.check), trail)
            graph, end = self._directed(weights), Stop.converged("the best forest by its score")
        except SearchEnd:
            graph, end = self.limits.start(), ASKED
        value = total(score, graph)
        trail.add("forest", value, graph.n_arcs)
        net = directed_net(graph, self.fits)
        return LearnedNetwork(self, net, value, penalty, tuple(trail.steps), end, self.limits)

    def _penalised(self, penalty: float) -> Score:
        base = self.score
        if not penalty:
            return base
        return Sum([base, ArcPenalty(base.nodes, base.rows, penalty)])

    def _gains(self, score: Score, trail: Trail) -> Array:
        """Return the gain of each pair's arc; minus infinity without a gain, or if rules forbid both
        directions.
        """
        size, limits = len(score.nodes), self.limits
        may = np.array([limits.allowed_mask(child) for child in range(size)])
        gains = np.full((size, size), -np.inf)
        for child in range(1, size):
            parents = [j for j in range(child) if may[child, j] or may[j, child]]
            if parents:
                scores = score.many(child, [(), *((j,) for j in parents)])
                gains[child, parents] = scores[1:] - scores[0]
            if trail.tick(f"{child + 1} of {size} variables", -np.inf, 0):
                raise SearchEnd
        least = 1e-9 * max(1.0, score.rows)  # rounding is no gain
        gains[gains <= least] = -np.inf
        for child, row in enumerate(limits.required):
            for parent in row:
                gains[max(child, parent), min(child, parent)] = _REQUIRED
        symmetric: Array = np.maximum(gains, gains.T)
        return symmetric

    def _directed(self, weights: Array) -> DAG:
        """Return the forest of largest weight, with the requested root."""
        nodes, root = self.fits.nodes, self.search(**self.options)
        if root is not None and root not in nodes:
            raise DataError(f"There is no column {root!r} for the root. {close_to(root, nodes)}")
        graph = forest(weights, self.limits, [] if root is None else [nodes.index(root)])
        if not self.limits.allows_graph(graph):
            raise GraphError(
                f"The best forest leaves the target {self.spec.rules.target!r} without a child: "
                "use {score=}, or require an arc.",
                fixes=[Fix("score", "loglik")],
            )
        return graph


def forest(
    weights: Array, limits: Limits, roots: Sequence[int], given: tuple[int, ...] = ()
) -> DAG:
    """Return the forest of largest weight that obeys rules.

    Parameters
    ----------
    weights : of the pairs, minus infinity if two nodes must not be adjacent.
    limits : the rules on the directed graph.
    roots : nodes of which the first that the rules allow is the root of its tree; in a tree without such
        nodes any may be the root.
    given : nodes outside the forest that all others have as parents.

    Raises
    ------
    GraphError : the rules allow no root of a tree.
    """
    edges, size = spanning_forest(weights), len(limits.nodes)
    parents: list[tuple[int, ...]] = [()] * size
    for tree in _trees(size, edges):
        if set(tree) <= set(given):
            continue
        inside = [edge for edge in edges if edge[0] in tree]
        for root in [node for node in roots if node in tree] or tree:
            rooted = root_forest(size, inside, [root])
            rows = {node: tuple(sorted((*given, *rooted[node]))) for node in tree}
            if all(limits.allows(node, row) for node, row in rows.items()):
                break
        else:
            raise GraphError(
                "The rules allow no direction of the best tree over "
                f"{', '.join(repr(limits.nodes[i]) for i in tree[:5])}: use another search, or "
                "fewer rules."
            )
        for node, row in rows.items():
            parents[node] = row
    return DAG(limits.nodes, tuple(parents))


def _trees(size: int, edges: list[tuple[int, int]]) -> list[list[int]]:
    """Return the nodes of each tree of a forest."""
    rows = root_forest(size, edges, [])
    label = list(range(size))
    for node in range(size):
        while rows[label[node]]:
            label[node] = rows[label[node]][0]
    return [[n for n in range(size) if label[n] == root] for root in sorted(set(label))]
