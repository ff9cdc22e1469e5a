"""What is found: the lasso's graph at a penalty, its network, paths of them, and a graph edge by edge.

The network is fitted again on the graph that was found, without a penalty, wherever that maximum exists
(`refit`). EBIC measures graphs by just that likelihood, standard deviations are then those of the data,
and rows not seen before are more likely, as the penalty that finds the graph is too large for its
numbers. ``refit=False`` keeps the lasso's own; so does "cv" unless told otherwise, as it judges these.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.api.built import joint_bic, markov_net, normal_net
from arcwise.api.lasso import Task, task
from arcwise.api.recipe import Bench, Learned, Recipe
from arcwise.data import Table
from arcwise.errors import FitError, columns_named
from arcwise.graphs import UGraph
from arcwise.networks import MarkovNet, Net
from arcwise.results import ASKED, Interrupted, Knot, Path, Trail, Watch, patient
from arcwise.undirected.glasso import glasso_path
from arcwise.undirected.known import known
from arcwise.undirected.neighbourhood import neighbourhood_path
from arcwise.undirected.partial import edge_partials
from arcwise.undirected.stepwise import Stepwise, stepwise

__all__ = ["Found", "Solved", "along", "found_at", "grid", "learn_on", "learn_stepwise", "walk"]

Array = NDArray[np.float64]

_LATE = "There was no time to fit the network on its graph without a penalty"
_LOOSE = 1e-5  # breaches of a condition above this are told


class Found(NamedTuple):
    """What the lasso finds at a penalty; its precision matrix is on the scale of correlations.

    `violation` is the largest breach of a condition for the maximum, relative to the penalty.
    """

    penalty: float
    graph: UGraph
    precision: Array | None
    violation: float = 0.0


def found_at(task: Task, penalties: Sequence[float], trail: Trail) -> Iterator[Found]:
    """What the lasso finds at each penalty; largest first is quickest."""
    with columns_named(task.fits.nodes):
        way = _neighbours(task, penalties) if task.joins else _lasso(task, penalties, trail)
        for found, score in way:
            stop = trail.add(f"penalty {found.penalty:.4g}", score, found.graph.n_edges)
            yield found
            if stop:
                return


def _neighbours(task: Task, penalties: Sequence[float]) -> Iterator[tuple[Found, float]]:
    solver: dict[str, Any] = {"rule": task.settings.combine, "factors": task.factors, **task.pairs}
    for penalty, near in neighbourhood_path(task.matrix, penalties, **solver):
        graph = _graph(task, near.adjacency)
        yield Found(penalty, graph, None, near.violation), float(graph.n_edges)


def _lasso(task: Task, penalties: Sequence[float], trail: Trail) -> Iterator[tuple[Found, float]]:
    scale = np.ones(len(task.matrix)) if task.settings.scale == "correlation" else task.fits.sd
    for penalty, each in glasso_path(task.scaled, penalties, on_step=trail.passing, **task.solver):
        precision = each.precision * scale[:, None] * scale
        graph = _graph(task, precision != 0)
        yield Found(penalty, graph, precision, each.violation), each.objective


def _graph(task: Task, linked: NDArray[np.bool_]) -> UGraph:
    """The graph of linked pairs; required ones are in it even where their number is just zero."""
    wanted = linked.copy()
    for one, two in task.pairs["required"]:
        wanted[one, two] = wanted[two, one] = True
    np.fill_diagonal(wanted, False)
    rows = tuple(tuple(np.flatnonzero(row).tolist()) for row in wanted)
    return UGraph.unchecked(task.fits.nodes, rows)


class Fitted(NamedTuple):
    """A network, a sentence on its numbers, and whether they are shrunk by the penalty."""

    net: MarkovNet
    said: str
    shrunk: bool = False


def fitted(task: Task, found: Found, watch: Watch | None = None) -> Fitted:
    """The network on a graph that was found; without the fit on its graph where the watcher ends that."""
    own, refit = found.precision, task.settings.refit
    crowded = refit is None and _crowded(task, found.graph)
    late = found.violation > _LOOSE and Trail(watch).tick(
        "fit", 0.0, 0
    )  # not yet the lasso's graph
    if not (late or crowded or (own is not None and refit is False)):
        try:
            check = Trail(patient(watch)).check
            precision = known(task.matrix, found.graph, check=check).precision
            said = "Fitted on its graph without a penalty"
            said += "." if own is None else " (refit=False keeps the lasso's own numbers)."
            return Fitted(normal_net(precision, found.graph, task.fits, task.bench.data), said)
        except Interrupted:
            late = True
        except FitError:
            if refit:
                raise
    if own is None:
        here = task.bench
        fits = {here.model: here.fits}
        net = markov_net(found.graph, fits, here.models, here.data, joint=False)
        why = "The graph has too many edges for the rows: there is no joint distribution."
        return Fitted(net, f"{_LATE}: there is no joint distribution." if late else why)
    said = "The numbers are the lasso's own, shrunk by the penalty"
    if late:
        said = f"{_LATE}: the numbers are the lasso's own, shrunk by the penalty"
    elif crowded:
        said += ": without it so many edges would fit the noise of so few rows (refit=True does)"
    elif refit is None:
        said += ": without it there is no maximum on this graph"
    net = normal_net(own, found.graph, task.fits, task.bench.data)
    return Fitted(net, f"{said}.", shrunk=True)


def _crowded(task: Task, graph: UGraph) -> bool:
    """Whether variables have more neighbours, on average, than half the rows."""
    return 2 * graph.n_edges > 0.5 * task.fits.rows * len(graph.nodes)


def learned_from(task: Task, found: Found, trail: Trail) -> Learned:
    """The network at a penalty, with how it came about."""
    net, said, shrunk = fitted(task, found, trail.watch)
    score = joint_bic(net, task.fits)
    words = {"graph": "undirected", **task.bench.words, "search": task.bench.recipe.search}
    return Learned(
        net,
        score,
        tuple(trail.steps),
        f"solved at penalty {found.penalty:.4g}",
        False,
        task.bench.score,
        task.limits,
        found.penalty,
        {**words, "penalty_unit": task.unit, **({"numbers": "penalised"} if shrunk else {})},
        tuple(filter(None, (*task.bench.notes, said, _breach(found)))),
        settled=not trail.stopped,
        scored=net.joint is None,
    )


def _breach(found: Found) -> str:
    """A sentence where the graph is not that of the maximum for certain."""
    if found.violation <= _LOOSE:
        return ""
    return (
        "The lasso was not solved to the end: a condition for its maximum is breached by "
        f"{found.violation:.2g} of the penalty (or of 0.001, where that is larger), and edges may be "
        "different."
    )


def learn_on(here: Task, watch: Watch | None = None) -> Learned:
    """Solve at the penalty that was asked for."""
    trail = Trail(watch)
    found = next(found_at(here, [here.bench.penalty], trail))
    return learned_from(here, found, trail)


def learn_stepwise(here: Task, watch: Watch | None = None) -> Learned:
    """Add and take out edges one by one, and fit the network on the graph found."""
    rows, gamma = here.fits.rows, here.settings.gamma
    with columns_named(here.fits.nodes):
        found = stepwise(here.matrix, rows, gamma=gamma, **here.pairs, on_step=watch)
        net, said, _ = fitted(here, Found(0.0, _graph(here, found.adjacency), None), watch)
    said = "" if net.joint is not None else said
    return Learned(
        net,
        joint_bic(net, here.fits),
        found.trace,
        found.stopped or "no edge more or less raises the criterion",
        False,
        here.bench.score,
        here.limits,
        0.0,
        {"graph": "undirected", **here.bench.words},
        tuple(filter(None, (*here.bench.notes, said, _steps_note(found)))),
        settled=not found.stopped,
        scored=net.joint is None,
    )


def _steps_note(found: Stepwise) -> str:
    """How edges were found, in a sentence."""
    many = f"{found.edges} edge{'s' * (found.edges != 1)}"
    if found.stopped:
        return f"Edges were added stepwise, and the run was cut short at {many}: others may be missing."
    value = "" if found.ebic is None else f" (EBIC {found.ebic:.6g})"
    return (
        f"Edges were added and taken out one by one (stepwise) by the extended BIC, gamma {found.gamma:.3g}: "
        f"{many}{value}; penalty='ebic' takes the graphical lasso instead."
    )


# -- paths -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Solved:
    """A path of penalties that were solved for, with the task it belongs to."""

    task: Task
    path: Path

    @property
    def bench(self) -> Bench:
        """The words and the data."""
        return self.task.bench

    def at(self, penalty: float) -> UGraph:
        """The graph at a penalty: solved for, whether or not the path holds it."""
        for knot in self.path.knots:
            if knot.penalty == penalty:
                return knot.graph
        return next(found_at(self.task, [penalty], Trail())).graph

    def learned(self, penalty: float) -> Learned:
        """The network at a penalty."""
        trail = Trail()
        found = next(found_at(self.task, [penalty], trail))
        return learned_from(self.task, found, trail)


def walk(here: Task, watch: Watch | None = None) -> Solved:
    """Solve for a grid of penalties, the largest first."""
    trail = Trail(watch)
    knots = [
        Knot(each.penalty, each.graph, edge_partials(each.graph, each.precision))
        for each in found_at(here, here.penalties(), trail)
    ]
    stopped = trail.stopped or f"solved at {len(knots)} penalties"
    path = Path(tuple(reversed(knots)), here.unit, tuple(trail.steps), stopped, grid=True)
    return Solved(here, path)


def grid(recipe: Recipe, table: Table) -> Array:
    """Penalties worth trying: a path's."""
    return np.array(task(recipe, table).penalties())


def along(recipe: Recipe, source: Table, penalties: Array, watch: Watch | None) -> list[Net] | None:
    """A network for each penalty, all from one path; None where the watcher cut it short."""
    here = task(recipe, source)
    trail = Trail(watch)
    nets: list[Net] = []
    for each in found_at(here, penalties.tolist(), trail):
        nets.append(fitted(here, each, watch).net)
        if trail.tick("fit", 0.0, each.graph.n_edges):
            return None
    return None if trail.stopped == ASKED else nets
