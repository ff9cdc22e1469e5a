r"""Summaries of many graphs: an averaged graph, and the stability of structures.

The automatic threshold of M. Scutari and R. Nagarajan, "Identifying significant edges in graphical models of
molecular networks", Artificial Intelligence in Medicine 57 (2013): if every edge were certain, the
distribution of the probabilities of all pairs would have a step of height t at 0 and the rest at 1. The t
nearest to the observed distribution F minimises

.. math:: L_1(t) = \int_0^1 |F(x) - t| \, dx,

that is, it is the median of F over [0, 1]; a share t of the pairs has no edge, and the threshold is the
smallest probability x with F(x) >= t. Edges have a probability above it.

*How alike* they are is the table of R. Hofmann and V. Tresp, "Discovering structure in continuous variables
using Bayesian networks", Advances in Neural Information Processing Systems 8 (1995). They ran a search
fifteen times from complete graphs in random order and gave the standard deviation of the final scores, the
mean difference between structures (pairs adjacent in exactly one of two graphs, of all pairs), the arcs left
and the arcs reversed from the start. The runs may as well be those of resampled tables; scores are those of
the graphs on all rows, so that they compare.

*How certain* the edges and the arrows of one graph are is what share of the others has them, or compels them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import OptionError
from arcwise.evaluate.edges import SHAPED_LOSS, SHAPED_SHARE, SUPPORTED, EdgeTable
from arcwise.frame import Frame, Framed, Series
from arcwise.graphs import DAG, PDAG, Limits, UGraph, cpdag
from arcwise.graphs.nodes import reach
from arcwise.notes import Note
from arcwise.results import GraphDistribution, draw_errors, of_draws
from arcwise.values import is_number

Array = NDArray[np.float64]


def inclusion_threshold(probabilities: ArrayLike) -> float:
    """Return the automatic threshold for probabilities of all pairs.

    >>> inclusion_threshold([0.02, 0.05, 0.1, 0.9, 0.95])
    0.1
    >>> inclusion_threshold([1.0, 1.0])
    0.0
    """
    values = np.sort(np.asarray(probabilities, dtype=float))
    if not len(values):
        return 0.0
    knots = np.concatenate([[0.0], values, [1.0]])
    lengths = np.diff(knots)  # F is k / n on the piece after k values
    heights = np.arange(len(lengths)) / len(values)
    below = np.cumsum(lengths)
    share = float(heights[int(np.searchsorted(below, 0.5))])  # the median of F
    count = round(share * len(values))
    return float(values[count - 1]) if count else 0.0


def threshold_of(posterior: GraphDistribution, threshold: float | str) -> float:
    """Return a threshold as a number: as given, or the automatic one.

    Raises
    ------
    OptionError : neither a share nor "auto".
    """
    if threshold == "auto":
        return inclusion_threshold(posterior.adjacent[np.triu_indices(len(posterior.nodes), 1)])
    if not is_number(threshold) or not 0 <= float(threshold) < 1:
        raise OptionError(
            f"The threshold must be a probability from 0 to below 1, or 'auto', got {threshold!r}."
        )
    return float(threshold)


def averaged_graph(
    posterior: GraphDistribution, threshold: float, limits: Limits | None = None
) -> tuple[DAG | UGraph, list[tuple[str, str]]]:
    """Return the graph of all edges whose probability is above a threshold, and the excluded
    pairs.

    In a directed graph each edge has its more probable direction (for ties, that of the most probable graph
    with the edge). Edges are added in the order of these probabilities, and one that would close a cycle is
    reversed. An edge is excluded if the rules allow neither direction.
    """
    if not posterior.directed:
        edges = (posterior.adjacent > threshold) | _required_edges(posterior, limits)
        np.fill_diagonal(edges, False)
        rows = tuple(tuple(np.flatnonzero(row).tolist()) for row in edges)
        return UGraph.make_unchecked(posterior.nodes, rows), []
    bounds = Limits.none(posterior.nodes) if limits is None else limits
    parents = [set(row) for row in bounds.start().parents]
    excluded: list[tuple[str, str]] = []
    for tail, head in _by_direction(posterior, threshold):
        if tail in parents[head] or head in parents[tail]:
            continue
        for one, two in ((tail, head), (head, tail)):
            if _fits(parents, one, two, bounds):
                parents[two].add(one)
                break
        else:
            excluded.append((posterior.nodes[tail], posterior.nodes[head]))
    return DAG(posterior.nodes, tuple(tuple(sorted(row)) for row in parents)), excluded


def _required_edges(posterior: GraphDistribution, limits: Limits | None) -> NDArray[np.bool_]:
    """Return the edges that rules require."""
    required = np.zeros_like(posterior.adjacent, dtype=bool)
    for node, row in enumerate(() if limits is None else limits.required):
        required[node, list(row)] = required[list(row), node] = True
    return required


def _fits(parents: list[set[int]], tail: int, head: int, limits: Limits) -> bool:
    """Return whether an arc may be added: the rules allow it, and it closes no cycle."""
    above = reach(parents, [tail])  # type: ignore[arg-type]
    return head not in above and limits.allows(head, tuple(sorted({*parents[head], tail})))


def _by_direction(posterior: GraphDistribution, threshold: float) -> Iterator[tuple[int, int]]:
    """Return the pairs above the threshold in their more probable direction, the most probable one first."""
    pairs = []
    for a, b in zip(*np.triu_indices(len(posterior.nodes), 1), strict=True):
        if posterior.adjacent[a, b] > threshold:
            forth, back = posterior.arcs[a, b], posterior.arcs[b, a]
            tied = abs(forth - back) <= 1e-12
            forward = _in_best(posterior, int(a), int(b)) if tied else forth > back
            pair = (int(a), int(b)) if forward else (int(b), int(a))
            pairs.append((-max(forth, back), pair))
    return (pair for _, pair in sorted(pairs))


def _in_best(posterior: GraphDistribution, a: int, b: int) -> bool:
    """Return whether the most probable graph with an edge between two variables has the arc from the
    first.
    """
    for graph in posterior.graphs:
        if graph.directed and (a in graph.parents[b] or b in graph.parents[a]):
            return a in graph.parents[b]
    return True


# -- stability -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stability(Framed):
    """The stability of the graphs of several runs.

    Parameters
    ----------
    draws : runs, replicates or draws; 0 if all graphs were summed over.
    difference : share of all pairs that are adjacent in exactly one of two graphs, mean over pairs of runs.
    edges, edges_sd : their number, mean and standard deviation over runs.
    score, score_sd, score_best : of the graphs on all rows, nats per row with penalties off; None if
        graphs have no such score.
    reversals : mean number of arcs opposite to the start graph of the search; None if it had no
        arcs.
    meaning : what graphs were counted.

    >>> from arcwise.graphs import DAG
    >>> from arcwise.results import of_draws
    >>> one, two = (DAG.from_arcs([arc], list("abc")) for arc in ("a -> b", "b -> c"))
    >>> print(stability(of_draws([one, two], meaning="run frequency")))
    graphs differ in   66.7 % of pairs
    edges              1.00, sd 0.00
    runs               2 (run frequency)
    """

    draws: int
    difference: float
    edges: float
    edges_sd: float
    score: float | None
    score_sd: float | None
    score_best: float | None
    reversals: float | None
    meaning: str

    def document(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return dict(vars(self))

    @property
    def frame(self) -> Frame:
        """Return one row per number."""
        numbers = {name: value for name, value in vars(self).items() if name != "meaning"}
        columns = Series("measure", list(numbers)), Series("value", [*numbers.values()])
        return Frame(columns, f"stability of graphs ({self.meaning})", index="measure")

    @property
    def brief(self) -> Frame:
        """Return a line per number, with its spread."""
        lines = [("graphs differ in", f"{100 * self.difference:.1f} % of pairs")]
        lines.append(("edges", f"{self.edges:.2f}, sd {self.edges_sd:.2f}"))
        if self.reversals is not None:
            lines.append(("reversed", f"{self.reversals:.2f} arcs of the start"))
        if self.score is not None:
            spread = f"sd {self.score_sd:.3f}, best {self.score_best:.3f}"
            lines.append(("score per row", f"{self.score:.3f}, {spread}"))
        lines.append(("runs", f"{self.draws or 'all graphs'} ({self.meaning})"))
        return Frame((), "\n".join(f"{name:<17}  {text}" for name, text in lines))


def stability(
    distribution: GraphDistribution, score: Callable[[Any], float] | None = None
) -> Stability:
    """Return the stability of the graphs of a distribution.

    Parameters
    ----------
    distribution : a distribution over graphs; replicates and runs count alike, as independent draws.
    score : of a graph on all rows, per row; None if there is none.
    """
    indices = np.flatnonzero(distribution.shares)
    graphs, shares = [distribution.graphs[i] for i in indices], distribution.shares[indices]
    couples = (
        1.0
        if distribution.exact or distribution.draws == 1
        else distribution.draws / (distribution.draws - 1)
    )

    def spread(values: Any) -> tuple[float, float]:
        mean = float(shares @ values)
        return mean, float(np.sqrt(couples * (shares @ (values - mean) ** 2)))

    edges, edges_sd = spread(np.array([_edges(graph) for graph in graphs], dtype=float))
    mean = sd = best = None
    if score is not None:
        scores = np.array([score(graph) for graph in graphs])
        (mean, sd), best = spread(scores), float(scores.max())
    turned = distribution.diagnostics.get("reversed")
    return Stability(
        distribution.draws,
        distribution.difference,
        edges,
        edges_sd,
        mean,
        sd,
        best,
        turned,
        distribution.meaning,
    )


def _edges(graph: DAG | UGraph) -> int:
    return len(graph.links)


_CLASSES = 500
"""Number of graphs whose classes are computed to count compelled arrows."""


class EdgeShare(NamedTuple):
    """An edge at a penalty, with the share of replicates that have it there."""

    penalty: float
    first: str
    second: str
    probability: float
    error: float


@dataclass(frozen=True, eq=False, repr=False)
class PathCertainty(Framed):
    """Certainty of edges at every penalty: one path for each resampled table.

    Parameters
    ----------
    penalties : ascending.
    draws : for each replicate its graphs, one per penalty.
    unit : the penalty's.
    meaning : what the shares are.
    notes : further notes.
    """

    penalties: tuple[float, ...]
    draws: tuple[tuple[Any, ...], ...]
    unit: str
    meaning: str
    notes: tuple[Note, ...] = ()

    def at(self, penalty: float) -> GraphDistribution:
        """Return the distribution of graphs at a penalty, or at the next larger one of the path."""
        index = min(int(np.searchsorted(self.penalties, penalty)), len(self.penalties) - 1)
        return of_draws([row[index] for row in self.draws], meaning=self.meaning)

    @cached_property
    def probabilities(self) -> Array:
        """Return the share of replicates that have each edge (penalties, variables, variables)."""
        return np.stack([self.at(penalty).adjacent for penalty in self.penalties])

    @property
    def rows(self) -> list[EdgeShare]:
        """Return one row for each penalty and each edge that some replicate has there."""
        names, size, shares = self.draws[0][0].nodes, float(len(self.draws)), []
        for step, one, two in np.argwhere(np.triu(self.probabilities) > 0).tolist():
            share = self.probabilities[step, one, two]
            error = float(draw_errors(np.array([share]), size)[0])
            shares.append(
                EdgeShare(self.penalties[step], names[one], names[two], float(share), error)
            )
        return shares

    @property
    def frame(self) -> Frame:
        """The rows as a long table."""
        rows = self.rows
        return Frame(
            tuple(Series(name, [getattr(row, name) for row in rows]) for name in EdgeShare._fields)
        )

    @property
    def display(self) -> Frame:
        """Return the shares of each edge at some of the penalties, the most certain edges first."""
        names, most = self.draws[0][0].nodes, np.triu(self.probabilities).max(axis=0)
        pairs = sorted(np.argwhere(most > 0).tolist(), key=lambda pair: -most[pair[0], pair[1]])
        one, two = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        indices = np.linspace(0, len(self.penalties) - 1, min(6, len(self.penalties))).astype(int)
        shares = (
            Series(str(k), self.probabilities[k, one, two], "6.3f", f"{self.penalties[k]:6.3g}")
            for k in indices
        )
        edges = [f"{names[a]} -- {names[b]}" for a, b in pairs]
        notes = (f"numbers: {self.meaning}; penalties in {self.unit}",)
        return Frame((Series("edge", edges, head="at penalty"), *shares), notes=notes)

    def _summary(self) -> str:
        return f"{len(self.draws)} paths, {len(self.penalties)} penalties"


def with_certainty(
    table: EdgeTable, distribution: GraphDistribution, limits: Limits | None = None
) -> EdgeTable:
    """Return a table of edges with the certainty of each, and its meaning.

    `limits` are the rules in force, which compel directions, too.
    """
    first, second = table.first, table.second
    columns = {
        "certainty": distribution.adjacent[first, second],
        "certainty_error": distribution.adjacent_errors[first, second],
    }
    if distribution.directed and table.directed:
        other = np.where(table.tail == first, second, first)
        ways = distribution.arcs[np.maximum(table.tail, 0), other]
        columns["direction_certainty"] = np.where(table.tail >= 0, ways, np.nan)
        compelled = compelled_shares(distribution, limits)[np.maximum(table.tail, 0), other]
        columns["direction_support"] = np.where(table.tail >= 0, compelled, np.nan)
    meaning = (
        distribution.meaning
        if not distribution.prior
        else f"{distribution.meaning}, prior {distribution.prior}"
    )
    sure = replace(table.with_columns(**columns), certainty_meaning=meaning)
    heads = supported_heads(sure)
    if (
        shaped := heads & sure.reversible
    ).any():  # the share of graphs that have the arrow supports these
        support = np.where(shaped, sure.more["direction_certainty"], sure.more["direction_support"])
        sure = sure.with_columns(direction_support=support)
    return replace(sure, heads=heads)


def supported_heads(table: EdgeTable) -> NDArray[np.bool_]:
    """Which arrows have a head: compelled ones that at least half of the graphs support.

    Others have one by the shape of their local models, if their reversal loses much and most graphs agree.
    """
    heads, support = ~table.reversible, table.more.get("direction_support")
    shaped = np.nan_to_num(table.more.get("reversal_loss", np.zeros(len(heads)))) >= SHAPED_LOSS
    if support is None:
        return heads | shaped
    ways = np.nan_to_num(table.more["direction_certainty"])
    agreed = ways >= np.maximum(SHAPED_SHARE * table.more["certainty"], SUPPORTED)
    return (heads & (np.nan_to_num(support) >= SUPPORTED)) | (shaped & agreed)


def supported_graph(
    distribution: GraphDistribution, limits: Limits | None = None
) -> DAG | UGraph | PDAG:
    """Return the best graph; edges whose direction is not compelled, or too rarely, are undirected."""
    best = distribution.best
    if not best.directed:
        return best
    shares, essential = compelled_shares(distribution, limits), cpdag(best, limits)
    pairs = [(tail, head) for head, row in enumerate(best.parents) for tail in row]
    heads = [t in essential.parents[h] and shares[t, h] >= SUPPORTED for t, h in pairs]
    arcs = [pair for pair, head in zip(pairs, heads, strict=True) if head]
    edges = [pair for pair, head in zip(pairs, heads, strict=True) if not head]
    return PDAG.from_edges(arcs, edges, best.nodes) if edges else best


def compelled_shares(distribution: GraphDistribution, limits: Limits | None = None) -> Array:
    """Return the share of graphs whose equivalence class compels the arc from each variable to each other.

    >>> from arcwise.graphs import DAG
    >>> from arcwise.results import of_draws
    >>> collider, chain = DAG.from_arcs(["a -> b", "c -> b"]), DAG.from_arcs(["a -> b", "b -> c"])
    >>> compelled_shares(of_draws([collider, chain], meaning="bootstrap frequency")).tolist()
    [[0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 0.5, 0.0]]
    """
    shares = np.zeros((len(distribution.nodes),) * 2)
    sample = distribution.some(_CLASSES)
    for graph, weight in zip(sample.graphs, sample.shares, strict=True):
        if graph.directed:
            for head, row in enumerate(cpdag(graph, limits).parents):
                shares[list(row), head] += weight
    return shares
