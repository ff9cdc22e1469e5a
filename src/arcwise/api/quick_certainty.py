"""The quick certainty of a learned network, found when its edges are first looked at.

It is lazy, so that learning is as fast as without it and queries cost nothing; a file has it, since `save`
looks at the edges. The graph, its score and its numbers do not depend on it.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from arcwise import io
from arcwise.api.net import Network
from arcwise.api.progress import CertaintyBudget, Progress
from arcwise.data import Source, statistics_of
from arcwise.errors import ArcwiseError, NoTimeError, plural
from arcwise.evaluate import EdgeTable, supported_heads, with_certainty
from arcwise.graphs import DAG, Limits
from arcwise.inference import OtherGraphs
from arcwise.learners import Specification, bind
from arcwise.learners.parallel import one_thread
from arcwise.learners.posteriors.find import find_posterior
from arcwise.learners.posteriors.plan import Plan
from arcwise.learners.posteriors.replicates import resolve
from arcwise.networks import Net
from arcwise.results import Posterior

_RUNGS = (100, 60, 30)
"""Replicates of a quick certainty: as many as fit into its budget, so that chance in timing rarely shows."""

_GRAPHS = 100  # graphs that a range of an answer to do= is over
_TRIED = 5  # replicates after which it is known whether the fewest will fit
_MOST_COLUMNS = 1000  # beyond, tables of edges have no rows for pairs without one


def checked_edges(net: Network, table: EdgeTable) -> EdgeTable:
    """A network's edges with certainty where there is one, and the heads that arrows have.

    A graph that was given keeps all of its heads. In a learned one a head needs a direction that the class
    compels and that at least half of the replicates support.
    """
    if "search" not in net.settings:
        return replace(table, heads=table.tail >= 0)
    if "certainty" in table.more:  # from a file
        return replace(table, heads=supported_heads(table))
    found, why = net._quick
    return (
        replace(table, unchecked=why) if found is None else with_certainty(table, found, net.limits)
    )


def quick_certainty(net: Network) -> tuple[Posterior | None, str]:
    """The certainty that was asked for, or a quick bootstrap; or None and why there is none."""
    budget, spec, source = net.certainty_budget, net.specification, net.data
    if net.posterior is not None:
        return net.posterior, ""
    if spec is None or source is None:
        return None, "the file has none"
    if budget is None or budget.why:
        return None, budget.why if budget else "it was not asked for"
    if not statistics_of(source).has_rows:
        return None, "there are no rows to resample"
    if len(net.net.names) > _MOST_COLUMNS:
        return None, f"there are more than {_MOST_COLUMNS} variables"
    try:
        return _quick_replicates(net, spec, source, budget)
    except NoTimeError:
        return None, _too_slow(budget)
    except ArcwiseError as error:
        return None, f"replicates cannot be learned: {error}"


def _quick_replicates(
    net: Network, spec: Specification, source: Source, budget: CertaintyBudget
) -> tuple[Posterior | None, str]:
    """Replicates as far as the budget goes: one of the numbers in `_RUNGS`, or none.

    A few are tried first, at the pace at which the others of the fewest that count fit into the budget.
    """
    plan = Plan(method="bootstrap", draws=_TRIED, n_jobs=budget.n_jobs)
    with one_thread(source), budget.watch(_TRIED / (_RUNGS[-1] - _TRIED)) as watch:
        chosen = net.settings.get("penalty") if net.settings.get("penalty_rule") else None
        spec = resolve(spec, bind(spec, source), budget.n_jobs, watch, chosen).spec
        find = partial(find_posterior, spec, source, own_score=True)
        run = find(plan, watch)
    if watch.reason:
        return None, _ended(watch, budget)
    with one_thread(source), budget.watch() as watch:
        run = find(replace(plan, draws=_RUNGS[0]), watch, kept=run.kept)
    there = len(run.kept["sizes"])
    if there < _RUNGS[-1]:
        return None, _ended(watch, budget)
    counted = next(rung for rung in _RUNGS if rung <= there)
    if counted < there:
        few, at_ease = replace(plan, draws=counted), Progress("certainty", show=False)
        run = find(few, at_ease, kept=run.kept)
    many = f"{run.found.meaning}, {plural(run.found.draws, 'replicate')}"
    return replace(run.found, meaning=many), ""


def _ended(watch: Progress, budget: CertaintyBudget) -> str:
    return watch.reason if "Ctrl-C" in watch.reason else _too_slow(budget)


def _too_slow(budget: CertaintyBudget) -> str:
    return f"{_RUNGS[-1]} replicates take more than {budget.seconds:.3g} s (see certainty=True)"


def other_graphs(net: Network) -> OtherGraphs:
    """The graphs that a learned network's certainty rests on, for the ranges of its answers."""
    if net.saved_graphs is not None:
        return net.saved_graphs
    found, why = net._quick
    if found is None:
        return OtherGraphs(why=why)
    graphs = tuple(graph for graph in found.some(_GRAPHS).graphs if isinstance(graph, DAG))
    what = found.meaning.partition(",")[0].removesuffix(" frequency")
    return OtherGraphs(graphs, net.limits, f"{what} graph")


def packed_graphs(net: Network) -> dict[str, Any]:
    """The same as plain values for a file; nothing for a graph that was given, or without certainty."""
    known = other_graphs(net) if net.directed and "search" in net.settings else OtherGraphs()
    if not known.graphs:
        return {}
    return {"graphs": {"over": known.over, **io.pack_alternatives(known.graphs)}}


def unpacked_graphs(held: Mapping[str, Any], net: Net, limits: Limits | None) -> OtherGraphs | None:
    """The graphs of a file; None if it has none."""
    if not held or not isinstance(net.graph, DAG):
        return None
    graphs = io.unpack_alternatives(held, net.names)
    return OtherGraphs(graphs, limits, str(held.get("over", "graph")))
