"""How alike the graphs of several runs are: the table of R. Hofmann and V. Tresp, "Discovering structure in
continuous variables using Bayesian networks", Advances in Neural Information Processing Systems 8 (1995).

They ran a search fifteen times from complete graphs in random order and gave the standard deviation of the
final scores, the mean difference between structures (pairs joined in exactly one of two graphs, of all
pairs), the arcs left and the arcs reversed from the start. The runs may as well be those of resampled tables;
scores are those of the graphs on all rows, so that they compare.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.graphs import DAG, UGraph
from arcwise.results import Posterior


@dataclass(frozen=True)
class Stability:
    """How alike graphs are that were found in several runs.

    Parameters
    ----------
    draws : runs, replicates or draws; 0 where all graphs were summed over.
    difference : share of all pairs that are joined in exactly one of two graphs, mean over couples of runs.
    edges, edges_sd : their number, mean and standard deviation over runs.
    score, score_sd, score_best : of the graphs on all rows, nats per row with penalties off; None where
        graphs have no such score.
    reversals : mean number of arcs that point against the graph the search began with; None where it began
        without arcs.
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dict(vars(self))

    def __str__(self) -> str:
        lines = [("graphs differ in", f"{100 * self.difference:.1f} % of pairs")]
        lines.append(("edges", f"{self.edges:.2f}, sd {self.edges_sd:.2f}"))
        if self.reversals is not None:
            lines.append(("reversed", f"{self.reversals:.2f} arcs of the start"))
        if self.score is not None:
            spread = f"sd {self.score_sd:.3f}, best {self.score_best:.3f}"
            lines.append(("score per row", f"{self.score:.3f}, {spread}"))
        lines.append(("runs", f"{self.draws or 'all graphs'} ({self.meaning})"))
        return "\n".join(f"{name:<17}  {text}" for name, text in lines)


def stability(found: Posterior, score: Callable[[Any], float] | None = None) -> Stability:
    """How alike the graphs of a distribution are.

    Parameters
    ----------
    found : a distribution over graphs; replicates and runs count alike, as independent draws.
    score : of a graph on all rows, per row; None where there is none.
    """
    chosen = np.flatnonzero(found.shares)
    graphs, shares = [found.graphs[i] for i in chosen], found.shares[chosen]
    couples = 1.0 if found.exact or found.draws == 1 else found.draws / (found.draws - 1)

    def spread(values: Any) -> tuple[float, float]:
        mean = float(shares @ values)
        return mean, float(np.sqrt(couples * (shares @ (values - mean) ** 2)))

    edges, edges_sd = spread(np.array([_edges(graph) for graph in graphs], dtype=float))
    mean = sd = best = None
    if score is not None:
        scores = np.array([score(graph) for graph in graphs])
        (mean, sd), best = spread(scores), float(scores.max())
    turned = found.diagnostics.get("reversed")
    return Stability(
        found.draws, found.difference, edges, edges_sd, mean, sd, best, turned, found.meaning
    )


def _edges(graph: DAG | UGraph) -> int:
    return graph.n_arcs if isinstance(graph, DAG) else graph.n_edges
