"""The search for people who do not want to choose one.

* Where the exact program takes seconds (about 20 variables, or rules that leave few parents), it is run:
  no graph can be better.
* Otherwise, for scores that treat equivalent graphs alike, two searches take turns, each going on from where
  the other ended: equivalence search (GES), quick and strong where graphs are sparse, and the search over
  orders (BOSS), strong where they are dense. Then the best graph is disturbed and improved again, and the
  better one is kept. Disturbing means displacing up to a quarter of the variables in the order, or thinning
  (a random tenth to half of the arcs is taken out), in turn: on networks of degree 2 to 20, simulated and
  published, the two together led further than either alone, in a third of the time of shaken arcs
  (benchmarks/dense.py).
* For other scores greedy search takes their place, and disturbing means clearing the surroundings of one to
  three variables, every other time with two random changes: on Boston housing (Parzen windows of one width)
  this led from 3.956 to 4.158 nats per row from every seed, where shaking needed thousands of local models,
  and thinning led nowhere. Where local scores are dear, as those of Parzen windows, moves are judged as late
  as possible (`arcwise.search.lazy`).

It ends when many rounds in a row have brought nothing. A round that comes back to the very score that it
started from counts three times: where all ways lead to one graph, a few rounds tell as much as many that end
at worse ones.
"""

from collections.abc import Callable

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.results import ASKED, FULL, Result, Trail, Watch
from arcwise.scores import Score, total
from arcwise.search.climb import Climb, least_gain, starting_graph
from arcwise.search.equivalence import ges
from arcwise.search.exact import exact
from arcwise.search.greedy import ascend
from arcwise.search.lazy import Found, Round, by_arcs, cleared
from arcwise.search.orders import Ordered, displaced

__all__ = ["auto"]

_QUICK_COLUMNS = 22  # beyond, the program's one number for each set of variables takes seconds
_QUICK_SETS = {True: 1 << 24, False: 1 << 12}  # parent sets that the exact program may score
_RETURN = 3  # rounds without success that one counts as which comes back to where it began


def auto(
    score: Score,
    start: DAG | None = None,
    *,
    rng: np.random.Generator,
    limits: Limits | None = None,
    patience: int | None = None,
    max_steps: int | None = None,
    on_step: Watch | None = None,
) -> Result:
    """Choose the search by the size of the problem.

    Parameters
    ----------
    score : what to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : source of the random disturbances.
    limits : rules bound to the score's columns.
    patience : rounds in a row without a better graph before the search ends, where one that comes back
        to the same score counts three times; by default 100, and fewer for more variables than that
        (10 000 / variables, but 10 at least); 40 at most where equivalent graphs differ in score.
    max_steps, on_step : as in `greedy`.

    Returns
    -------
    Result : `optimal` is True where the exact program was run.
    """
    graph, bounds = starting_graph(score, start, limits)
    trail = Trail(on_step, max_steps)
    ways = _classes if score.equivalent else _arcs if score.lattice else by_arcs
    first, again = ways(score, bounds, rng, trail)
    best, top = first(graph)
    if (
        max_steps is None
        and _parent_sets(bounds) <= _QUICK_SETS[score.lattice]
        and not trail.stopped
    ):
        return exact(score, best, limits=bounds, on_step=on_step)
    tries = _patience(score) if patience is None else patience
    failures = rounds = 0
    while failures < tries and not trail.stopped:
        found, value = again((best, top), rounds)
        rounds += 1
        gain = value - top
        failures += _RETURN if score.equivalent and abs(gain) <= least_gain(score) else 1
        if gain > least_gain(score):
            best, top, failures = found, value, 0
    stopped = trail.stopped or f"{tries} rounds in a row found nothing better"
    return Result(best, total(score, best), tuple(trail.steps), stopped)


def _parent_sets(limits: Limits) -> float:
    p = len(limits.nodes)
    if p > _QUICK_COLUMNS:
        return np.inf
    return float(sum(2.0 ** len(limits.candidates(child)) for child in range(p)))


def _patience(score: Score) -> int:
    """Rounds in a row without success: a budget that keeps the whole search to seconds."""
    return min(100 if score.equivalent else 40, max(10, 10_000 // len(score.nodes)))


def _classes(
    score: Score, limits: Limits, rng: np.random.Generator, trail: Trail
) -> tuple[Callable[[DAG], Found], Round]:
    """Equivalence classes and orders in turn, and the same from disturbed graphs."""
    orders = Ordered(score, limits, trail, rng)

    def by_classes(graph: DAG) -> Found:
        left, watch = trail.left, trail.passing
        result = ges(score, graph, limits=limits, max_steps=left, on_step=watch)
        if result.stopped in (ASKED, FULL):
            trail.stopped = result.stopped
        trail.steps.extend(result.trace)
        return result.graph, result.score

    def by_both(found: Found) -> Found:
        while not trail.stopped:
            climbed = orders.climb(found[0].order())
            if climbed is None or not climbed[1] > found[1] + least_gain(score):
                break
            found = climbed if trail.stopped else by_classes(climbed[0])
        return found

    def again(best: Found, round_: int) -> Found:
        if round_ % 2:
            return by_both(by_classes(_thinned(best[0], limits, rng)))
        climbed = orders.climb(displaced(best[0].order(), limits, rng))
        if climbed is None or trail.stopped:
            return best if climbed is None else climbed
        return by_classes(climbed[0])

    return lambda graph: by_both(by_classes(graph)), again


def _arcs(
    score: Score, limits: Limits, rng: np.random.Generator, trail: Trail
) -> tuple[Callable[[DAG], Found], Round]:
    """Changes of single arcs, and the same from graphs with some variables cleared."""
    climb: Climb | None = None

    def first(graph: DAG) -> Found:
        nonlocal climb
        climb = Climb(score.watched(trail.check), graph, limits)
        ascend(climb, trail)
        return climb.graph(), climb.total

    def again(best: Found, round_: int) -> Found:
        assert climb is not None
        climb.go_to(cleared(best[0], limits, rng))
        if round_ % 2:
            climb.shake(rng, 2)
        ascend(climb, trail)
        return climb.graph(), climb.total

    return first, again


def _thinned(graph: DAG, limits: Limits, rng: np.random.Generator) -> DAG:
    """The graph without a random tenth to half of its arcs; required ones stay."""
    share = rng.uniform(0.1, 0.5)
    rows = []
    for child, parents in enumerate(graph.parents):
        kept = rng.random(len(parents)) >= share
        required = limits.required[child]
        rows.append(
            tuple(p for p, stay in zip(parents, kept, strict=True) if stay or p in required)
        )
    return DAG.unchecked(graph.nodes, tuple(rows))
