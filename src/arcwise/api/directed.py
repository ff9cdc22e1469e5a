"""Learning a directed graph: a search for the best score, then a local model at every node."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.api.built import blanket_note, directed_net
from arcwise.api.recipe import FEW, Bench, Learned, Recipe, foretell, laid_out
from arcwise.api.start import over, start_graph
from arcwise.data import Moments, Table
from arcwise.graphs import DAG, Limits, Rules
from arcwise.inference import marginal_log_density
from arcwise.networks import Net
from arcwise.results import ASKED, Interrupted, Result, Trail, Watch, patient
from arcwise.scores import ArcPenalty, ExpertPrior, Score, Sum
from arcwise.search import SEARCHES

__all__ = ["along", "bench", "grid", "learn_on", "log_density"]

_EXPERT_WEIGHT = 0.1  # nats per difference and row, where no other price is given
_ROUNDS = 10  # of searching and tuning what local models share
_SMALL = 20  # columns up to which complete graphs are harmless


def bench(recipe: Recipe, source: Table | Moments) -> Bench:
    """Turn words into objects, and tie them to data."""
    return laid_out(recipe, source, SEARCHES)


def learn_on(bench: Bench, watch: Watch | None = None) -> Learned:
    """Search for the graph, and fit its local models."""
    found = _found(bench, watch)
    return _fitted(found, Trail(patient(watch)).check)


class _Found(NamedTuple):
    """What a search found, on which bench, within which rules, and sentences on these."""

    bench: Bench
    result: Result
    limits: Limits
    said: tuple[str, ...]


def _found(bench: Bench, watch: Watch | None) -> _Found:
    limits, bounded = _limits(bench)
    begin = start_graph(bench.recipe.start, limits, bench.chance[0])
    foretell(bench, len(limits.nodes) ** 2, watch, least=True)
    kept, result = _searched(bench, begin, limits, watch)
    return _Found(
        kept,
        result,
        limits,
        (bounded, _unmoved(result, limits.start() if begin is None else begin)),
    )


def _fitted(found: _Found, check: Callable[[], None]) -> Learned:
    bench, result, limits, said = found
    net = directed_net(
        result.graph, {bench.model: bench.fits}, bench.models, bench.data, check=check
    )
    return Learned(
        net,
        result.score,
        result.trace,
        result.stopped,
        result.optimal,
        bench.score,
        limits,
        bench.penalty,
        bench.words,
        tuple(filter(None, (*bench.notes, *said, _small(bench, result), blanket_note(net)))),
        fits=bench.fits,
    )


def _unmoved(result: Result, begin: DAG) -> str:
    """A sentence where a search was stopped before it found anything."""
    if result.stopped != ASKED or result.graph != begin:
        return ""
    return "Learning was stopped, and the graph is still the one that it began with: give it more time."


def _small(bench: Bench, result: Result) -> str:
    """A sentence where a graph is the best of all, and has more parameters than there are rows."""
    parameters, rows = 2 * len(result.graph.nodes) + result.graph.n_arcs, bench.fits.rows
    if not result.optimal or rows >= parameters or rows < FEW:
        return ""
    return (
        f"The best graph by its score need not be the true one: it has {parameters} numbers to be estimated "
        f"(means, variances, arcs) and {rows:g} rows to do it."
    )


def _searched(
    bench: Bench, begin: DAG | None, limits: Limits, watch: Watch | None
) -> tuple[Bench, Result]:
    """Search; where local models share a width, tune it to the graph found and search again."""
    result = best = _search(bench, begin, limits, watch)
    kept, trace = bench, result.trace
    for _ in range(_ROUNDS):
        if bench.fits.shared and Trail(watch).tick("tune", result.score, result.graph.n_arcs):
            best = replace(best, stopped=ASKED)
            break
        fresh = None if result.stopped == ASKED else bench.retuned(result.graph)
        if fresh is None:
            break
        bench, result = fresh, _search(fresh, result.graph, limits, watch)
        trace += tuple(replace(s, number=s.number + len(trace)) for s in result.trace)
        if result.score > best.score:
            kept, best = bench, result
    proved = best.optimal and not bench.fits.shared  # for one width only
    return kept, replace(best, trace=trace, optimal=proved)


def _search(bench: Bench, begin: DAG | None, limits: Limits, watch: Watch | None) -> Result:
    found: Result = bench.search(
        _whole(bench), begin, limits=limits, on_step=watch, **bench.options
    )
    return found


def _limits(bench: Bench) -> tuple[Limits, str]:
    """The rules on these columns; few rows bound the number of parents, and it is said."""
    rules, start, fits = bench.recipe.rules, bench.recipe.start, bench.fits
    most = bench.family.default_parents(fits.rows)
    given = start.parents if isinstance(start, DAG) else ()
    least = max(map(len, (*given, *rules.on(fits.nodes).required)), default=0)
    if rules.max_parents is not None or most is None or most >= len(fits.nodes) - 1:
        return rules.on(fits.nodes), ""
    bounded = Rules(rules.required, rules.forbidden, rules.tiers, max(most, least))
    plural = "s" * (most != 1)
    note = f"Rows are few ({fits.rows:g}): a variable may have {most} parent{plural} at most."
    return bounded.on(fits.nodes), f"{note} A rule max_parents=N sets another bound."


def _whole(bench: Bench) -> Score:
    """The score with its priors over graphs."""
    base, recipe = bench.score, bench.recipe
    parts = [base]
    if bench.penalty:
        parts.append(ArcPenalty(base.nodes, base.rows, bench.penalty))
    if recipe.expert is not None:
        expert = over(recipe.expert, base.nodes, "expert's graph")
        parts.append(_expert_prior(expert, base.rows, recipe.expert_weight))
    return base if len(parts) == 1 else Sum(parts)


def _expert_prior(
    expert: DAG, rows: float, weight: float | Mapping[tuple[str, str], float]
) -> ExpertPrior:
    """The prior around an expert's graph: one price for all arcs, or a confidence for some."""
    if not isinstance(weight, Mapping):
        return ExpertPrior(expert, rows, weight)
    p = len(expert.nodes)
    prices = np.full((p, p), _EXPERT_WEIGHT)
    for (tail, head), price in weight.items():
        prices[expert.index(tail), expert.index(head)] = price
    return ExpertPrior(expert, rows, _EXPERT_WEIGHT, prices)


# -- choosing a penalty ----------------------------------------------------------------------------


def grid(columns: int, rows: float, usual: float) -> NDArray[np.float64]:
    """Penalties worth trying, nats per arc and row; `usual` is the family's own.

    In total an arc is worth its own estimation error from about half a nat (AIC charges 1, BIC half of
    log n), so the grid lies around these, up to 30 nats, or to three times the usual price. No penalty
    at all means complete graphs: it is tried only where these are small.
    """
    totals = np.geomspace(0.5, max(30.0, 3 * usual * rows), 12)
    return np.concatenate([[0.0], totals] if columns <= _SMALL else [totals]) / rows


def along(
    recipe: Recipe, source: Table, penalties: NDArray[np.float64], watch: Watch | None
) -> list[Net] | None:
    """A network for each penalty, one search each; None where the watcher cut one short."""
    if recipe.search == "auto":  # choosing a penalty needs no rounds beyond the first optimum
        recipe = recipe.but(options={"patience": 0, **recipe.options})
    found: list[Net] = []
    for penalty in penalties.tolist():
        each = _found(bench(recipe.but(penalty=penalty), source), watch)
        if each.result.stopped == ASKED:
            return None
        found.append(_fitted(each, _no_blankets).net)
    return found


def _no_blankets() -> None:
    """Rows without gaps are judged: nothing is asked of blanket models."""
    raise Interrupted


def log_density(net: Net, rows: Table) -> NDArray[np.float64]:
    """Log density of rows that were held out."""
    return marginal_log_density(net, rows)
