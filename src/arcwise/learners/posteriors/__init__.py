"""Posteriors over graphs: `METHODS` is the registry of methods, name to function of a task."""

from collections.abc import Callable

from arcwise.learners.posteriors.exact_sums import of_all_graphs
from arcwise.learners.posteriors.graph_chains import of_chains
from arcwise.learners.posteriors.plan import PosteriorRun
from arcwise.learners.posteriors.replicates import of_replicates

__all__ = ["METHODS"]

METHODS: dict[str, Callable[..., PosteriorRun]] = {
    "exact": of_all_graphs,
    "mcmc": of_chains,
    "bootstrap": of_replicates,
}
