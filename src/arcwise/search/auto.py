"""Automatic choice of the search by the size of the problem.

* If exact search takes seconds (about 20 variables, or rules that allow few parents), it is used: no graph
  can be better. If local scores are expensive, as for Parzen windows of many rows, nearly all of that time
  is spent on sets that are not in the best graph, and the rounds below find the same graph sooner: then the
  result reports the time of a proof.
* Otherwise, for scores that treat equivalent graphs alike, two searches alternate, each starting from the
  result of the other: equivalence search (GES), quick and strong for sparse graphs, and the search over
  orders (BOSS), strong for dense ones. Then the best graph is perturbed and improved repeatedly, and the
  better one is kept. Perturbations are, in turn, displacing up to a quarter of the variables
  (fewer than 60) in the order, thinning (a random tenth to half of the arcs is removed), and displacing
  with decreasing penalties: on networks of degree 2 to 20, simulated and published, they gave better graphs
  together than each alone (benchmarks/dense.py). From each new best graph, tabu walks and larger families are
  tried first, which add parents one after the other even at a loss: a child that needs five parents at once
  gains by none alone (on andes with 10 000 rows both gain 150 to 330 nats).
* For other scores greedy search is used instead, and perturbations clear the surroundings of one to three
  variables, every other time with two random changes: on Boston housing (Parzen windows of one bandwidth)
  this raised 3.956 to 4.158 nats per row from every seed, whereas random changes needed thousands of local
  models, and thinning did not help. If local scores are expensive, as those of Parzen windows, moves are
  evaluated as late as possible, and most rounds reverse an arc and clear its ends (`lazy_climb`).

It ends after many rounds in a row without success, so that easy problems end early.

Two steps of it add several parents at once.

Pairs: dependences of three variables, such as parity, that no two of them show.

Searches that change one arc at a time have no gain by the first of two such arcs. So every child is tried
with all pairs of further parents, p^3 / 2 sets for p variables.

Larger families: parents added one after the other even at a loss, and kept if they gain together.

A child may need several parents at once: of five causes that are all necessary, one alone explains little
and does not pay its penalty. Single additions stop there. `grow_families` adds the best parent
repeatedly, even at a loss, keeps the best set on the way, and then removes superfluous parents.
"""

import numpy as np

from arcwise.graphs import DAG, Limits
from arcwise.results import Result, Watch
from arcwise.scores import Score
from arcwise.scores.score import Array, Parents
from arcwise.search.boss import OrderSearch, displace
from arcwise.search.climb import Climb, Peak, least_gain
from arcwise.search.equivalence import ges_within
from arcwise.search.exact import exact
from arcwise.search.lazy_climb import Found, LazyArcs, clear_nodes, remove_arcs
from arcwise.search.local_search import ascend, climb_and_walk
from arcwise.search.run import Run

__all__ = ["auto", "best_pair", "grow_families"]


def best_pair(score: Score, graph: DAG, limits: Limits) -> DAG | None:
    """Return the graph with the two further parents of one child that raise its score most; None if no pair
    does.

    Ties go to the child, and then to the parents, with the lowest column numbers.
    """
    least, best = least_gain(score), (0.0, -1, (0, 0))
    for child, parents in enumerate(graph.parents):
        free = [x for x in _candidates(graph, limits, child) if x not in parents]
        if len(free) < 2 or not _room(limits, len(parents) + 2):
            continue
        among = np.zeros((len(free), len(graph.nodes)), dtype=bool)
        for row, one in enumerate(free):
            among[row, [two for two in free if two > one]] = True
        bases = [tuple(sorted((*parents, one))) for one in free]
        gains = score.sweep((child,) * len(free), bases, among)[1] - score.local(child, parents)
        gains[~among] = -np.inf
        top = float(gains.max())
        if top > best[0] + least:
            row, two = divmod(int(np.argmax(gains >= top - least)), len(graph.nodes))
            best = (top, child, (free[row], two))
    if best[1] < 0:
        return None
    rows = list(graph.parents)
    rows[best[1]] = tuple(sorted((*rows[best[1]], *best[2])))
    return DAG.make_unchecked(graph.nodes, tuple(rows))


def _candidates(graph: DAG, limits: Limits, child: int) -> list[int]:
    """Return parents that a child has, or may get without a cycle."""
    below = {child, *(graph.index(name) for name in graph.descendants_of(child))}
    return [x for x in limits.candidates(child).tolist() if x not in below]


def _room(limits: Limits, size: int) -> bool:
    return limits.max_parents is None or size <= limits.max_parents


_DEPTH = 6  # parents that are added in a row


def grow_families(run: Run, graph: DAG) -> DAG:
    """Return the graph with larger families where they score higher; one pass over all children.

    Parents come from the non-descendants of a child, so the graph stays acyclic.
    """
    score, limits = run.score, run.limits
    for child in range(run.p):
        if run.tick("grow", np.nan, graph.n_arcs):
            break
        others = _candidates(graph, limits, child)
        family = _grow(score, child, graph.parents[child], others, limits)
        if family != graph.parents[child]:
            rows = list(graph.parents)
            rows[child] = family
            graph = DAG(graph.nodes, tuple(rows))
    return graph


def _grow(score: Score, child: int, parents: Parents, others: list[int], limits: Limits) -> Parents:
    """Return the best family on the way from `parents` through the best additions; `parents` if none is
    better.
    """
    least = least_gain(score)
    best, top, current = parents, score.local(child, parents) + least, parents
    for _ in range(_DEPTH):
        outside = [x for x in others if x not in current]
        if not outside or not limits.allows(child, (*current, outside[0])):
            break
        values = score.toggles(child, current, outside)
        best_column = _first_best(values, least)
        if not np.isfinite(values[best_column]):
            break
        current = tuple(sorted((*current, outside[best_column])))
        if values[best_column] > top and limits.allows(child, current):
            best, top = current, float(values[best_column])
    return parents if best == parents else _shrink(score, child, best, top, limits)


def _shrink(score: Score, child: int, family: Parents, value: float, limits: Limits) -> Parents:
    """Return the family without the parents whose removal raises the score, worst first."""
    spare = [x for x in family if x not in limits.required[child]]
    while spare:
        values = score.toggles(child, family, spare)
        worst = _first_best(values, least_gain(score))
        if not values[worst] > value + least_gain(score):
            break
        value = float(values[worst])
        gone = spare.pop(worst)
        family = tuple(x for x in family if x != gone)
    return family


def _first_best(values: Array, least: float) -> int:
    """Return the first of the largest values; differences up to `least` are ties."""
    return int(np.argmax(values >= values.max() - least))


_QUICK_COLUMNS = 22  # beyond, the program's one number for each set of variables takes seconds
_QUICK_SETS = {True: 1 << 24, False: 1 << 12}  # parent sets that the exact program may score
_PROOF = 5e8  # parent sets x rows^2 that are a few seconds for Parzen windows; a longer proof is not begun
_UNPROVED = 2  # times as many rounds without success where a proof is possible and not begun
_WALKED = 1000  # variables up to which there are tabu walks: these keep the gains of all pairs
_GROWN = 4e6  # sets scored, in units of quick ones, up to which larger families are tried: about a second
# Rounds without success: at least this many, and this many per variable.
_FEWEST, _ROUNDS = 10, 10_000
# Parent sets that the search over orders may score without success, in at least a few rounds, and in all:
# seconds, and about a minute, in closed form; fewer if they are slower (`Score.work`).
_SETS, _TRIED, _ALL_SETS = 300_000, 4, 2_000_000
_PAIR_SETS = (
    3_000_000.0  # sets with two more parents that may be scored; fewer where they are dearer
)


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
    """Return the best graph of the search that suits the size of the problem.

    Parameters
    ----------
    score : the score to maximise.
    start : graph to start from; the required arcs alone by default.
    rng : random generator of the perturbations.
    limits : rules bound to the score's columns.
    patience : rounds in a row without a better graph before the search ends; by default 100 (if
        equivalent graphs differ in score 40, or 30 if local scores are expensive), fewer for many
        variables (10 000 / variables, but 10 at least) or expensive rounds (300 000 parent sets scored
        without success, or two million in all; of counted ones 600 / (600 + rows) times as many).
    max_steps, on_step : as in `greedy`.

    Returns
    -------
    Result : `optimal` is True if exact search was used.
    """
    run = Run(score, start, limits, on_step, max_steps)
    classes = score.equivalent and run.limits.condition is None
    kind = _Classes if classes else _Arcs if score.lattice else LazyArcs
    way = kind(run, rng)
    best, top = way.found
    sets = _parent_sets(run)
    provable = max_steps is None and sets * score.work.subset <= _QUICK_SETS[score.lattice]
    quick = score.lattice or sets * score.rows**2 <= _PROOF
    if provable and quick and not run.is_over:
        return exact(score, best, limits=run.limits, on_step=on_step)
    failures = rounds = 0
    before, most = way.asked, _ALL_SETS / score.work.sweep
    usual = way.patience * (_UNPROVED if provable else 1)
    while not run.is_over:
        if failures >= (usual if patience is None else patience):
            break
        dear = failures >= _TRIED and way.asked - before > _SETS / score.work.sweep
        if patience is None and (dear or way.asked > most):
            break
        round_best, value = way.again((best, top), rounds)
        rounds, failures = rounds + 1, failures + 1
        if value > top + run.least:
            best, top, failures, before = round_best, value, 0, way.asked
    if score.interacting and patience is None and not run.is_over:
        best, top = _with_pairs(run, (best, top), way)
    end = f"{failures} rounds in a row had no improvement"
    if patience is None and way.asked > most:
        end = f"{way.asked} parent sets were scored"
    if provable:
        end += f"; a proof by the exact search would score all {sets:.0f} parent sets"
    return run.result(best, end)


def _with_pairs(run: Run, best: Found, way: "_Classes | _Arcs | LazyArcs") -> Found:
    """Return the graph with pairs of parents that are useful only together, if trying them all takes
    about a second.
    """
    sweeps = run.p**3 * run.score.work.sweep
    budget = _PAIR_SETS
    while sweeps <= budget and run.limits.condition is None:
        budget -= sweeps
        paired = best_pair(run.score, best[0], run.limits)
        if paired is None or run.tick("pairs", best[1], best[0].n_arcs):
            break
        refined = way.refine(paired)
        if run.is_over or not refined[1] > best[1] + run.least:
            break
        best = refined
    return best


def _parent_sets(run: Run) -> float:
    if run.p > _QUICK_COLUMNS or run.limits.condition is not None:
        return np.inf
    return float(sum(2.0 ** len(row) for row in run.candidates))


class _Classes:
    """Equivalence classes and orders in turn, from a graph and from perturbed graphs."""

    walked: DAG | None = None  # the graph that tabu walks started from last
    climb: Climb | None = None  # made by the first of them

    def __init__(self, run: Run, rng: np.random.Generator) -> None:
        self.run, self.rng = run, rng
        self.patience = min(100, max(_FEWEST, _ROUNDS // run.p))
        self.orders = OrderSearch(run, rng)
        self.found = self._by_classes(run.start)
        fallen = None if run.is_over else self.orders.fall(run.start.order())
        if fallen is not None and not run.is_over:
            fallen = self._by_classes(fallen[0])
        if fallen is not None and fallen[1] > self.found[1] + run.least:
            self.found = fallen
        self.found = self._by_orders(self.found)

    @property
    def asked(self) -> int:
        """Return the number of parent sets scored by the search over orders."""
        return self.orders.asked

    def again(self, best: Found, number: int) -> Found:
        """Return a round from the best graph so far: walks if it is new; if they fail, displaced or
        thinned.
        """
        if self.walked != best[0] and self.run.p <= _WALKED:
            self.walked = best[0]
            walked = self._by_walks(best[0])
            if self.run.is_over or walked[1] > best[1] + self.run.least:
                return walked
        if number % 3 == 1:
            thin = _thin(best[0], self.run.limits, self.rng)
            return self._by_orders(self._by_classes(thin))
        climb = self.orders.climb if number % 3 == 0 else self.orders.fall
        climbed = climb(displace(best[0].order(), self.run.limits, self.rng))
        if climbed is None or self.run.is_over:
            return climbed or best
        return self._by_classes(climbed[0])

    def refine(self, graph: DAG) -> Found:
        """Return the result of classes and orders from a graph."""
        return self._by_orders(self._by_classes(graph))

    def _by_classes(self, graph: DAG) -> Found:
        return ges_within(self.run, graph)

    def _by_walks(self, graph: DAG) -> Found:
        """Return the result of tabu walks, larger families and then classes from a graph."""
        if self.climb is None:
            self.climb = self.run.climb(graph)
        self.climb.go_to(graph)
        peak = Peak(self.climb)
        climb_and_walk(self.climb, self.run, peak)
        graph = peak.graph
        if self.run.p**2 * self.run.score.work.sweep <= _GROWN and not self.run.is_over:
            graph = grow_families(self.run, graph)
        return self._by_classes(graph)

    def _by_orders(self, best: Found) -> Found:
        """Return the result of orders and classes in turn from a graph."""
        while not self.run.is_over:
            climbed = self.orders.climb(best[0].order())
            if climbed is None or not climbed[1] > best[1] + self.run.least:
                break
            best = climbed if self.run.is_over else self._by_classes(climbed[0])
        return best


class _Arcs:
    """Changes of single arcs, from a graph and from graphs with some variables cleared."""

    asked = 0

    def __init__(self, run: Run, rng: np.random.Generator) -> None:
        self.run, self.rng = run, rng
        self.patience = min(40, max(_FEWEST, _ROUNDS // run.p))
        self.climb = run.climb()
        self.found = self._climb()

    def again(self, best: Found, number: int) -> Found:
        """Return a round from the best graph so far with one to three variables cleared."""
        start = clear_nodes(best[0], self.run.limits, self.rng)
        if not self.run.limits.allows_graph(start):
            return best
        self.climb.go_to(start)
        if number % 2:
            self.climb.shake(self.rng, 2)
        return self._climb()

    def refine(self, graph: DAG) -> Found:
        """Return the result of changes of single arcs from a graph."""
        self.climb.go_to(graph)
        return self._climb()

    def _climb(self) -> Found:
        ascend(self.climb, self.run)
        return self.climb.graph(), self.climb.total


def _thin(graph: DAG, limits: Limits, rng: np.random.Generator) -> DAG:
    """Return the graph without a random tenth to half of its arcs; required ones stay."""
    share = rng.uniform(0.1, 0.5)
    return remove_arcs(graph, limits, lambda tail, head: rng.random() < share)
