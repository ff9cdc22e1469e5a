"""Learning an undirected graph: one way through all penalties, read off at the one that was asked for.

A learner of the register takes edges out of the complete graph, the weakest first (TEXTS, T1). What it
returns is a path, and the graph at any penalty is on it; each variable is then fitted given its neighbours.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arcwise.api.built import markov_net, noise_note
from arcwise.api.recipe import Bench, Learned, Recipe, foretell, laid_out
from arcwise.data import Moments, Table
from arcwise.errors import GraphError
from arcwise.graphs import DAG, Limits, UGraph
from arcwise.inference import marginal_log_density, pseudo_log_density
from arcwise.networks import MarkovNet, Net
from arcwise.results import ASKED, Interrupted, Path, Trail, Watch, patient
from arcwise.undirected import UNDIRECTED, boundary, edge_bounds, edge_limits

__all__ = [
    "SEARCHES", "Walked", "along", "bench", "grid", "learn_on", "log_density", "read_off",
    "refuse_directions", "walk",
]  # fmt: skip

SEARCHES: dict[str, Callable[..., Path]] = {"auto": boundary, **UNDIRECTED}

_ROUNDS = 10  # of walking and tuning what local models share
_LOOKED_AT = 2 / 3  # share of the local models that are fitted on the way, on Boston housing
_EACH = 2  # rows for each column below which a regression on all others means nothing


@dataclass(frozen=True)
class Walked:
    """A path, with the bench it was found on and the rules it obeyed."""

    bench: Bench
    path: Path
    limits: Limits

    def at(self, penalty: float) -> UGraph:
        """The graph at a penalty."""
        return self.path.at(penalty)

    def reached(self, penalty: float) -> UGraph:
        """The graph at a penalty; where the path ended before it, the graph it had come to.

        A path that ended before its first removal has come nowhere: then it is the required edges alone.
        """
        if penalty <= self.path.reach:
            return self.path.at(penalty)
        if self.path.removals:
            return self.path.last
        return edge_bounds(self.limits).smallest

    def learned(self, penalty: float) -> Learned:
        """The network at a penalty."""
        self.path.at(penalty)
        return read_off(self, penalty)


def bench(recipe: Recipe, source: Table | Moments) -> Bench:
    """Turn words into objects, and tie them to data; refuse what speaks of directions."""
    refuse_directions(recipe)
    named = recipe.but(search="boundary") if recipe.search == "auto" else recipe
    made = laid_out(named, source, SEARCHES)
    return replace(made, notes=tuple(filter(None, (*made.notes, _few_rows(made)))))


def refuse_directions(recipe: Recipe) -> None:
    """Refuse what speaks of directions."""
    if recipe.start != "empty":
        raise GraphError(
            "start= is where a search for a directed graph begins; undirected learning always "
            "begins with the complete graph: leave it out, or forbid edges by rules."
        )
    if recipe.expert is not None:
        raise GraphError(
            "expert= pulls a directed graph towards an expert's; for an undirected one say what is "
            "known by rules: required and forbidden edges."
        )


def _few_rows(bench: Bench) -> str:
    """A sentence where the complete graph, which learning begins with, has too many inputs."""
    columns, rows = len(bench.fits.nodes), bench.fits.rows
    if bench.family.default_parents(rows) is None or rows >= _EACH * columns:
        return ""
    return (
        f"Rows are few ({rows:g} for {columns} columns): a {bench.model} model of each variable given "
        "all others explains noise, so edges may stay for no reason; take fewer columns, or learn a "
        "directed graph."
    )


def walk(bench: Bench, watch: Watch | None = None, until: float | None = None) -> Walked:
    """Find the path, up to the graph at the penalty `until` where the search can end there."""
    limits = edge_limits(bench.recipe.rules, bench.fits.nodes)
    p = len(limits.nodes)
    foretell(bench, round(_LOOKED_AT * p * (1 + p * (p - 1) / 2)), watch)
    options = {"until": until} if bench.search is boundary else {}
    path: Path = bench.search(
        bench.score, limits=limits, on_step=watch, **{**options, **bench.options}
    )
    return Walked(bench, path, limits)


def learn_on(bench: Bench, watch: Watch | None = None) -> Learned:
    """Find the path, read the graph off at the penalty, and fit its local models.

    Where local models share a width, it is tuned to the graph found, and the path walked again.
    """
    walked = walk(bench, watch, bench.penalty)
    for _ in range(_ROUNDS):
        graph = walked.reached(bench.penalty)
        # What is shared is tuned to a model for each variable given some others: its neighbours here.
        inputs = DAG.unchecked(graph.nodes, graph.neighbours)
        fresh = None if walked.path.stopped == ASKED else walked.bench.retuned(inputs)
        if fresh is None:
            break
        walked = walk(fresh, watch, bench.penalty)
    return read_off(walked, bench.penalty, watch)


def read_off(walked: Walked, penalty: float, watch: Watch | None = None) -> Learned:
    """Read the graph off a path at a penalty, and fit its local models."""
    bench, path = walked.bench, walked.path
    graph, reached = walked.reached(penalty), penalty <= path.reach
    net, late = _fitted(bench, graph, watch)
    return Learned(
        net,
        _total(walked, graph),
        tuple(step for step in path.trace if step.edges >= graph.n_edges),
        "every edge left is worth its penalty" if reached else path.stopped,
        False,
        bench.score,
        walked.limits,
        penalty,
        {"graph": "undirected", **bench.words},
        tuple(
            filter(
                None, (*bench.notes, noise_note(net, bench.fits), late, _cut_short(path, penalty))
            )
        ),
        settled=reached,
    )


def _fitted(bench: Bench, graph: UGraph, watch: Watch | None) -> tuple[MarkovNet, str]:
    """The network on a graph; a sentence where there was no time for the joint distribution."""
    fits = {bench.model: bench.fits}
    if not bench.family.closed:  # local models alone, and without them there is no network
        return markov_net(graph, fits, bench.models, bench.data), ""
    try:
        check = Trail(patient(watch)).check
        return markov_net(graph, fits, bench.models, bench.data, check=check), ""
    except Interrupted:
        said = (
            "There was no time to fit the joint normal distribution on this graph: each variable is "
            "regressed on its neighbours by itself, and answers are simulated; fit(graph, data) fits it."
        )
        return markov_net(graph, fits, bench.models, bench.data, joint=False), said


def _total(walked: Walked, graph: UGraph) -> float:
    """Sum of local scores; where the path was cut short at this graph, its last step tells it."""
    last = walked.path.trace[-1] if walked.path.trace else None
    if walked.path.stopped == ASKED and last is not None and last.edges == graph.n_edges:
        return last.score
    score = walked.bench.score
    return float(sum(score.local(node, row) for node, row in enumerate(graph.neighbours)))


def _cut_short(path: Path, penalty: float) -> str:
    if penalty <= path.reach:
        return ""
    if not path.removals:
        return (
            "Learning was stopped before the first edge was judged: nothing was learned, and this graph has "
            "no edges but required ones; give it more time."
        )
    far = f"as far as a penalty of {path.reach:.4g}" if path.reach > 0 else "to no penalty at all"
    return (
        f"Learning was stopped before the graph at penalty {penalty:g} was reached: it came {far}, "
        "and this graph has more edges than it should."
    )


# -- choosing a penalty ----------------------------------------------------------------------------


def grid(columns: int, rows: float, usual: float) -> NDArray[np.float64]:
    """Penalties worth trying, nats per edge and row: the path tells the graphs of them all."""
    return np.concatenate([[0.0], np.geomspace(0.5 / rows, max(1.0, 3 * usual), 24)])


def along(
    recipe: Recipe, source: Table, penalties: NDArray[np.float64], watch: Watch | None
) -> list[Net] | None:
    """A network for each penalty, all from one path; None where the watcher cut it short."""
    walked = walk(bench(recipe, source), watch)
    if walked.path.stopped == ASKED:
        return None
    here, check = walked.bench, Trail(watch).check
    known: dict[UGraph, MarkovNet] = {}
    for graph in map(walked.path.at, penalties.tolist()):
        if graph not in known:
            try:
                fits = {here.model: here.fits}
                known[graph] = markov_net(graph, fits, here.models, here.data, check=check)
            except Interrupted:
                return None
    return [known[walked.path.at(penalty)] for penalty in penalties.tolist()]


def log_density(net: Net, rows: Table) -> NDArray[np.float64]:
    """Log density of rows that were held out, or log pseudo-likelihood where there is no joint."""
    if isinstance(net, MarkovNet) and net.joint is not None:
        return marginal_log_density(net, rows)
    return pseudo_log_density(net, rows)
