r"""Distributions over graphs: weighted graphs, and the probabilities of edges between all pairs.

The source is an exact sum, chains or resampling; `meaning` is the meaning of the probabilities. For draws,
the standard error of a share f among draws worth n independent ones is

.. math:: \sqrt{f (1 - f) / n},

and a pair that is adjacent in all draws or in none has the bound 3 / n instead (the rule of three: a larger
probability would show in 95 of 100 runs; Hanley and Lippman-Hand 1983).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import GraphError, OptionError, plural
from arcwise.graphs import DAG, PDAG, Limits, UGraph, cpdag
from arcwise.notes import NOT_STOPPED, Note, Stop

Array = NDArray[np.float64]
Graph = DAG | UGraph
Feature = Callable[[Any], Any]

_ROUNDING = 1e-9
_FAINT = 5e-4  # of a rival that is not worth a word
_LEFT = 0.05  # probability of graphs that may be left out of averages
_ENOUGH = 5.0  # independent draws, below which no graph stands out
_ALIKE = 3.0
"""The second graph is no rival where the first is this many times as probable (Kass and Raftery 1995)."""


class GraphSample(NamedTuple):
    """Graphs to average over, the weight of each, the draws behind that, and the probability of all others.

    The draws are infinite if weights are exact, and only then is something known to be left.
    """

    graphs: tuple[Graph, ...]
    shares: Array
    size: float
    left: float


@dataclass(frozen=True, eq=False, repr=False)
class GraphDistribution:
    """Weighted graphs, and the probability of every edge.

    Parameters
    ----------
    nodes : the variables' names.
    graphs : distinct graphs, the most probable first.
    weights : their probabilities; they sum to less than one if other graphs are known to exist.
    arcs : probability of the arc from each variable (row) to each other (column); NaN in undirected graphs.
    adjacent : probability of an edge between two variables, whatever its direction.
    arc_errors, adjacent_errors : their Monte-Carlo errors; 0 only where they were computed exactly.
    meaning : meaning of the probabilities: "posterior", "pseudo-posterior", "bootstrap frequency", ...
    prior : a description of the prior over graphs; empty if there is none.
    draws : draws or replicates behind the numbers; 0 if they are exact.
    ess : effective number of draws, for the least certain pair; infinite if exact.
    shares : weights of graphs in averages, summing to one; by default `weights`. If the stored graphs are
        only few of very many, these are frequencies among draws.
    graph_ess : effective number of draws behind the shares; infinite if the weights are
        exact.
    classes : whether a graph represents its class of equivalent ones.
    ties : whether equivalent graphs are equally probable, so that the verdict is on their classes.
    log_evidence : log probability of the data over all graphs, where it was computed exactly.
    diagnostics : diagnostics of a sampler: R-hat, effective sample sizes, acceptance.
    stopped : the reason for the end of the run.
    notes : the choices made.

    >>> chain, fork = DAG.from_arcs(["a -> b"]), DAG.empty(["a", "b"])
    >>> found = of_draws([chain, chain, chain, fork], meaning="bootstrap frequency")
    >>> found.weights.tolist(), float(found.adjacent[0, 1])
    ([0.75, 0.25], 0.75)
    """

    nodes: tuple[str, ...]
    graphs: tuple[Graph, ...]
    weights: Array
    arcs: Array
    adjacent: Array
    arc_errors: Array
    adjacent_errors: Array
    meaning: str = "posterior"
    prior: str = ""
    draws: int = 0
    ess: float = float("inf")
    shares: Array = field(default_factory=lambda: np.zeros(0))
    graph_ess: float | None = None
    classes: bool = False
    ties: bool = False
    log_evidence: float | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    stopped: Stop = NOT_STOPPED
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        size, count = len(self.nodes), len(self.graphs)
        for name in ("arcs", "adjacent", "arc_errors", "adjacent_errors"):
            if getattr(self, name).shape != (size, size):
                raise GraphError(
                    f"The {name} of {size} variables must be a square matrix of that size."
                )
            getattr(self, name).setflags(write=False)
        if self.weights.shape != (count,) or any(
            graph.nodes != self.nodes for graph in self.graphs
        ):
            raise GraphError(
                "Every graph of a posterior must have a weight and the same variables."
            )
        self.weights.setflags(write=False)
        if not len(self.shares) and count:
            object.__setattr__(self, "shares", self.weights / self.weights.sum())
        if self.graph_ess is None:
            object.__setattr__(self, "graph_ess", self.ess)

    @property
    def directed(self) -> bool:
        """Whether edges have directions."""
        return not self.graphs or bool(self.graphs[0].directed)

    @property
    def exact(self) -> bool:
        """Whether probabilities of edges were computed and not estimated."""
        return self.draws == 0

    @property
    def best(self) -> Graph:
        """The most probable graph."""
        if not self.graphs:
            raise GraphError("No graph was drawn: allow more time.")
        return self.graphs[0]

    @property
    def held(self) -> float:
        """The probability of all graphs that are held."""
        return float(self.weights.sum())

    def some(self, most: int, alike: Callable[[Graph], Any] | None = None) -> GraphSample:
        """Return the graphs to average over, this many at most, and the weight of each.

        Where there are more, those that are `alike` are taken as one. Of still more, the most probable where
        they are nearly all; else graphs at even steps of the cumulated shares: probable ones come more
        often, and averages are those over all but for chance.

        Parameters
        ----------
        most : how many graphs are enough.
        alike : what graphs that answer alike have in common, such as their class; None if none do.
        """
        weighted, size = np.flatnonzero(self.shares), self.graph_ess or self.ess
        graphs, shares = tuple(self.graphs[i] for i in weighted), self.shares[weighted]
        weights = self.weights[weighted] if np.isinf(size) else shares
        if len(graphs) > most and alike is not None:
            graphs, weights, shares = _merge_alike(graphs, weights, shares, alike)
        top = np.argsort(-weights, kind="stable")[:most]
        missing_mass = max(0.0, 1.0 - float(weights[top].sum())) if np.isinf(size) else 0.0
        missing_mass = missing_mass if missing_mass > _ROUNDING else 0.0
        if len(graphs) <= most:
            return GraphSample(graphs, shares, size, missing_mass)
        if np.isinf(size) and missing_mass <= _LEFT:
            return GraphSample(
                tuple(graphs[i] for i in top), weights[top] / weights[top].sum(), size, missing_mass
            )
        positions = np.searchsorted(np.cumsum(shares), (np.arange(most) + 0.5) / most)
        drawn_indices, times = np.unique(np.minimum(positions, len(graphs) - 1), return_counts=True)
        fewer = 1.0 / (1.0 / size + 1.0 / most)
        return GraphSample(tuple(graphs[i] for i in drawn_indices), times / most, fewer, 0.0)

    def probability(self, feature: Feature) -> tuple[float, float]:
        """Return the probability (or mean) of a function of the graph, and its error.

        Where the weights are exact, the error is bounded by the probability of the graphs that are not
        stored.
        """
        if not callable(feature):
            raise OptionError(f"A feature must be a function of a graph, got {feature!r}.")
        values = np.array([_number(feature(graph)) for graph in self.graphs])
        if not len(values):
            raise GraphError("No graph was drawn: allow more time.")
        mean = float(self.shares @ values)
        spread = float(values.max() - values.min())
        size = self.graph_ess or self.ess
        if np.isinf(size):
            missing_mass = max(0.0, 1.0 - self.held)
            return mean, missing_mass * (spread or 1.0) if missing_mass > _ROUNDING else 0.0
        if spread == 0:
            return float(values[0]), min(3.0 / size, 1.0)
        variance = float(self.shares @ (values - mean) ** 2)
        return mean, float(np.sqrt(variance / size))

    @property
    def difference(self) -> float:
        r"""Return the share of pairs that are joined in exactly one of two graphs, on average over two draws.

        Of n draws a share f of which joins a pair, n f (n - n f) couples of draws differ there, so that the
        mean over all couples is that of 2 f (1 - f) n / (n - 1) over the pairs; of exact probabilities,
        of 2 f (1 - f).

        >>> one, two = (DAG.from_arcs([arc], list("abc")) for arc in ("a -> b", "b -> c"))
        >>> round(of_draws([one, two], meaning="run frequency").difference, 3)  # two pairs of three
        0.667
        """
        shares = self.adjacent[np.triu_indices(len(self.nodes), 1)]
        if not len(shares) or self.draws == 1:
            return 0.0
        couples = 1.0 if self.exact else self.draws / (self.draws - 1)
        return float(2.0 * couples * np.mean(shares * (1.0 - shares)))

    @cached_property
    def class_weights(self) -> dict[Any, float]:
        """Return the probability of each class, by its completed PDAG, the most probable first; of graphs if
        none tie.

        Of a class, the graphs that are held count.

        >>> one, two = DAG.from_arcs(["a -> b"]), DAG.from_arcs(["b -> a"])
        >>> list(of_draws([one, two], meaning="posterior", ties=True).class_weights.values())
        [1.0]
        """
        sums: dict[Any, float] = {}
        for graph, weight in zip(self.graphs, self.weights.tolist(), strict=True):
            key = cpdag(graph) if self.ties and graph.directed else graph
            sums[key] = sums.get(key, 0.0) + weight
        return dict(sorted(sums.items(), key=lambda entry: -entry[1]))

    @property
    def verdict(self) -> str:
        """Return whether one graph, or class of equivalent ones, stands out, as a message."""
        if not self.graphs:
            return "No graph was drawn: allow more time."
        grouped = self.classes or self.ties
        weights = np.array(list(self.class_weights.values()))
        first, second = float(weights[0]), float(weights[1]) if len(weights) > 1 else 0.0
        what = "class of equivalent graphs" if grouped else "graph"
        many = "classes of equivalent graphs" if grouped else "graphs"
        if first >= 0.5 and first >= _ALIKE * second:
            if not self.exact and self.ess < _ENOUGH:
                start = f"{plural(self.draws, 'draw')} (effective sample size {self.ess:.0f})"
                return f"{start} are too few to judge whether one {what} stands out: use more."
            rival = f", the next has {second:.3g}" if second >= _FAINT else ""
            return (
                f"One {what} stands out ({self.meaning} {first:.3g}{rival}): select it{self._open}."
            )
        return self._several(weights, many)

    @property
    def _open(self) -> str:
        """Return a sentence on what the most probable class does not determine, if anything."""
        best = next(iter(self.class_weights))
        graph = cpdag(best) if self.classes and best.directed else best
        if graph.directed is not None or not graph.n_edges:
            return ""
        count = graph.n_edges
        return f"; data do not determine the direction of {plural(count, 'edge')} in it"

    def _several(self, weights: Array, many: str) -> str:
        """Return the message if none stands out."""
        first, total = float(weights[0]), np.cumsum(weights)
        if self.held < 0.9:
            share = f"all {len(total)} have {self.held:.3g}"
        else:
            bound = "at most " if self.exact and self.held < 1.0 - _ROUNDING else ""
            share = f"{bound}{int(np.searchsorted(total, 0.9)) + 1} have 0.9"
        return (
            f"Several {many} are probable (the first has {self.meaning} {first:.3g}; {share} together): "
            "do not select one, average over them."
        )

    def __repr__(self) -> str:
        count = f"{len(self.graphs)} graph{'s' * (len(self.graphs) != 1)}"
        how = "exact" if self.exact else plural(self.draws, "draw")
        over = plural(len(self.nodes), "variable")
        return f"<Posterior over graphs of {over}: {self.meaning}, {how}, {count}>"


def _merge_alike(
    graphs: Sequence[Graph], weights: Array, shares: Array, alike: Callable[[Graph], Any]
) -> tuple[tuple[Graph, ...], Array, Array]:
    """Merge graphs that are alike into the first of them, with the sum of their weights."""
    number_of: dict[Any, int] = {}
    first: list[Graph] = []
    where = np.empty(len(graphs), dtype=np.intp)
    for i, graph in enumerate(graphs):
        where[i] = number_of.setdefault(alike(graph), len(number_of))
        if where[i] == len(first):
            first.append(graph)
    sums = [np.bincount(where, values).astype(float) for values in (weights, shares)]
    return tuple(first), sums[0], sums[1]


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise OptionError(
            f"A feature must return True, False or a number, got {value!r}."
        ) from None


def draw_errors(shares: Array, size: Array | float) -> Array:
    """Return the monte-Carlo errors of shares among this many independent draws; never zero.

    >>> draw_errors(np.array([0.0, 0.5, 1.0]), 100.0).tolist()
    [0.03, 0.05, 0.03]
    """
    sizes = np.broadcast_to(np.asarray(size, dtype=float), shares.shape)
    plain = np.sqrt(np.clip(shares * (1.0 - shares), 0.0, None) / sizes)
    seen_both = (shares > 0) & (shares < 1)
    errors: Array = np.where(seen_both, plain, np.minimum(3.0 / sizes, 1.0))
    return errors


def undecided_sides(graph: Graph | PDAG) -> tuple[Array, Array]:
    """Return the arcs and adjacencies of a graph as matrices; an edge without a direction is half an arc each
    way.

    >>> undecided_sides(PDAG.from_edges([], [("a", "b")]))[0].tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    size = len(graph.nodes)
    arcs = np.zeros((size, size))
    if graph.directed is False:
        arcs[:] = np.nan
        return arcs, _matrix(graph.neighbours, size)
    parents = _matrix(graph.parents, size)
    arcs += parents.T
    if graph.directed is None:
        arcs += 0.5 * _matrix(graph.neighbours, size)
    return arcs, arcs + arcs.T


def _matrix(rows: tuple[tuple[int, ...], ...], size: int) -> Array:
    """Return the rows of numbers as a matrix of ones."""
    matrix = np.zeros((size, size))
    for number, row in enumerate(rows):
        matrix[number, list(row)] = 1.0
    return matrix


def of_draws(
    draws: Sequence[Graph],
    *,
    meaning: str,
    classes: bool = False,
    limits: Limits | None = None,
    **more: Any,
) -> GraphDistribution:
    """Return the distribution of graphs that were drawn independently, such as those of bootstrap
    replicates.

    Parameters
    ----------
    draws : the graphs, all over the same variables.
    meaning : what their shares are.
    classes : count equivalent graphs as one; arcs that data and `limits` leave open count half each way.
    limits : the rules in force.
    more : further fields of the posterior.
    """
    if not draws:
        raise GraphError("No graph was drawn: allow more time.")
    nodes, size = draws[0].nodes, len(draws[0].nodes)
    counts: dict[Any, int] = {}
    first: dict[Any, Graph] = {}
    keys: dict[Graph, Any] = {}
    for graph in draws:
        if graph not in keys:
            keys[graph] = cpdag(graph, limits) if classes and graph.directed else graph
        key = keys[graph]
        counts[key] = counts.get(key, 0) + 1
        first.setdefault(key, graph)
    arcs, adjacent = np.zeros((size, size)), np.zeros((size, size))
    for key, count in counts.items():
        one, both = undecided_sides(key)
        arcs += count * one
        adjacent += count * both
    arcs, adjacent = arcs / len(draws), np.clip(adjacent / len(draws), 0.0, 1.0)
    order = sorted(counts, key=lambda key: -counts[key])  # stable: of ties, the first drawn
    return GraphDistribution(
        nodes,
        tuple(first[key] for key in order),
        np.array([counts[key] / len(draws) for key in order]),
        arcs,
        adjacent,
        _diagonal_free(draw_errors(arcs, float(len(draws)))),
        _diagonal_free(draw_errors(adjacent, float(len(draws)))),
        meaning=meaning,
        draws=len(draws),
        ess=float(len(draws)),
        classes=classes,
        **more,
    )


def _diagonal_free(errors: Array) -> Array:
    """Return a variable is no pair with itself."""
    np.fill_diagonal(errors, 0.0)
    return errors
