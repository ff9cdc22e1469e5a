"""Searches for the graph with the best score, one file per kind. `SEARCHES` is the registry.

All have one form: ``search(score, start=None, *, limits, on_step, ...) -> Result``; random ones take
`rng` too. They obey the limits, do not change the start, and return the best graph so far if the callback
stops them.
"""

from collections.abc import Callable

from arcwise.results import Result
from arcwise.search.auto import auto
from arcwise.search.boss import boss
from arcwise.search.climb import Climb, Gain, least_gain
from arcwise.search.equivalence import ges
from arcwise.search.exact import exact, exact_memory
from arcwise.search.local_search import anneal, greedy, iterate_climbs, tabu
from arcwise.search.run import Run, starting_graph

__all__ = [
    "SEARCHES",
    "Climb",
    "Gain",
    "Run",
    "anneal",
    "auto",
    "boss",
    "exact",
    "exact_memory",
    "ges",
    "greedy",
    "iterate_climbs",
    "least_gain",
    "starting_graph",
    "tabu",
]

SEARCHES: dict[str, Callable[..., Result]] = {
    "auto": auto,
    "greedy": greedy,
    "tabu": tabu,
    "annealing": anneal,
    "ils": iterate_climbs,
    "ges": ges,
    "boss": boss,
    "exact": exact,
}
