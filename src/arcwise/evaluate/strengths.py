"""Strengths of edges: the loss of the score without the edge, in nats per row.

`strength` is (score with the edge - score without it) / rows, the rest of the graph unchanged and any
penalty per edge left out. In a directed network a pair without an edge has what the better legal
direction would bring. In an undirected network the edge belongs to two local models, one at each end:
both differences are reported, and the strength is the larger (Hofmann and Tresp 1997, fig. 4), so that an
edge which boundary learning keeps is at least as strong as the penalty.

Without a score (the graphical lasso, a known undirected Gaussian graph, a network made by hand, or read
from a file without one) the strength of a pair is -1/2 log(1 - r^2), r its partial correlation given all
others in the fitted joint: the mutual information of both given the others, in nats. In a network of
tables it is the conditional mutual information of child and parent given the other parents, in its own
distribution: what the difference of scores per row comes to with many rows. What the
likelihood loses when the *other edges of the graph are fitted again* is at least that. For a normal
distribution of largest likelihood on a graph, tr(S Theta) is the number of variables, so that loss is half
the difference of the log determinants of two precision matrices; it needs the covariance on the edges only,
where the fitted one agrees with the data's: a saved network is enough.
"""

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import graph_moves as kernel
from arcwise.conditionals import linear_of
from arcwise.errors import FitError
from arcwise.evaluate.edges import CERTAINTY, Array, EdgeTable, Integers
from arcwise.evaluate.effects import effect_signs
from arcwise.evaluate.reversals import with_reversals
from arcwise.graphs import Limits, cpdag
from arcwise.inference.factors import potentials, tree_with
from arcwise.networks import BayesNet, MarkovNet, Net, NormalJoint, normal_of
from arcwise.results import SearchEnd
from arcwise.scores import Score
from arcwise.scores.score import ParentSets
from arcwise.search import Climb
from arcwise.undirected import edge_bounds
from arcwise.undirected.fixed_graph import fixed_graph

SAVED_PAIRS = 200
"""Up to this many variables the strengths of all pairs are saved with a network."""

_BY_SCORE = "score with the edge minus score without it, per row"
_BY_SIDES = f"{_BY_SCORE}, at the end of the edge where that is larger"
_BY_JOINT = "-1/2 log(1 - r^2) of the fitted partial correlation"
_BY_TABLES = "the information of the parent about the child given its other parents"
_UNKNOWN = "none, since the network has no data"


def edge_table(
    net: Net,
    score: Score | None = None,
    limits: Limits | None = None,
    rows: float | None = None,
    seconds: float | None = None,
) -> EdgeTable:
    """Make the table of edges of a network.

    Parameters
    ----------
    net : the network, directed or undirected.
    score : what strengths are measured by, without penalties; None for the fitted joint alone.
    limits : the rules, which say what is legal for pairs without an edge, and direct arcs that data
        alone could not.
    rows : how many rows there were, for the totals of strengths that need no score.
    seconds : after this many no local model is fitted any more, and strengths that are not known are NaN.

    Returns
    -------
    EdgeTable : every pair up to `pairs.ALL_PAIRS` variables, beyond only the edges present.
    """
    table = bare_table(net, *pairs_of(net), limits)
    if score is None and net.joint is not None:
        count = float("nan") if rows is None else rows
        return replace(table, strength=_information(table), count=count, meaning=_BY_JOINT)
    if score is not None and seconds is not None and not score.lattice:
        score = _Hasty(score, net, seconds)
    if net.directed:
        return _count_missing(_with_strengths(table, net, score, limits))
    return _count_missing(_with_sides(table, net, score, limits))


class _Hasty(Score):
    """A expensive score for a while: local scores that are not known by then are NaN.

    Those of edges that are present come first.
    """

    def __init__(self, score: Score, net: Net, seconds: float) -> None:
        self.nodes, self.rows, self.until = score.nodes, score.rows, time.monotonic() + seconds
        self.score = score.interruptible(self._check)
        for node, row in enumerate(net.inputs):
            self.many(node, [row, *(tuple(x for x in row if x != other) for other in row)])

    def _check(self) -> None:
        if time.monotonic() > self.until:
            raise SearchEnd

    def many(self, child: int, sets: ParentSets) -> Array:
        """Return the local scores; NaN if there was no time."""
        return np.array([self._one(child, parents) for parents in sets])

    def _one(self, child: int, parents: tuple[int, ...]) -> float:
        try:
            return self.score.local(child, parents)
        except SearchEnd:
            return float("nan")


def _count_missing(table: EdgeTable) -> EdgeTable:
    """Return the table, which says how many strengths there was no time for."""
    missed = int(np.isnan(table.strength).sum())
    if not missed or not np.isfinite(table.count):
        return table
    pairs = f"{missed} pair{'s' * (missed != 1)}"
    return replace(table, meaning=f"{table.meaning}; time ran out for {pairs}")


def _information(table: EdgeTable) -> Array:
    """-1/2 log(1 - r^2) of the partial correlations."""
    return -0.5 * np.log1p(-np.minimum(table.partial**2, 1 - 1e-16)) + 0.0


# -- directed ------------------------------------------------------------------------------------


def _with_strengths(
    table: EdgeTable, net: BayesNet, score: Score | None, limits: Limits | None
) -> EdgeTable:
    if score is None and potentials(net) is not None:
        return _with_information(table, net)
    if score is None:
        return replace(table, strength=_information(table), meaning=_BY_JOINT)
    # Of an arc that is required the loss is told, too, so here no arc is.
    bounds = replace(limits or Limits.none(score.nodes), required=((),) * len(score.nodes))
    climb = Climb(score, net.graph, bounds)
    strength = _differences(climb, table) / score.rows
    table = with_reversals(table, score, net, limits)
    return replace(table, strength=strength, count=score.rows, meaning=_BY_SCORE)


def _with_information(table: EdgeTable, net: BayesNet) -> EdgeTable:
    """Return the table with strengths of a discrete network without a score; 0 for absent edges."""
    information = _arc_information(net)
    if not information and net.graph.n_arcs:
        return replace(table, meaning=_UNKNOWN)
    strength = [
        information.get((a, b), information.get((b, a), 0.0))
        for a, b in zip(table.first.tolist(), table.second.tolist(), strict=True)
    ]
    return replace(table, strength=np.array(strength), meaning=_BY_TABLES)


def _differences(climb: Climb, table: EdgeTable) -> Array:
    """Loss without a present arc; gain of the better legal direction for an absent one."""
    head = np.where(table.tail == table.first, table.second, table.first)
    out = np.where(table.joined, -climb.gains[head, table.tail], -np.inf)
    for i in np.flatnonzero(~table.joined).tolist():
        a, b = int(table.first[i]), int(table.second[i])
        if np.isnan(climb.gains[a, b]) or np.isnan(climb.gains[b, a]):
            out[i] = np.nan
            continue
        moves = (climb.legal(kernel.ADD, a, b), climb.legal(kernel.ADD, b, a))
        out[i] = max((move.gain for move in moves if move is not None), default=-np.inf)
    return out


# -- undirected ----------------------------------------------------------------------------------


def _with_sides(
    table: EdgeTable, net: MarkovNet, score: Score | None, limits: Limits | None
) -> EdgeTable:
    if score is None:
        return replace(table, meaning=_UNKNOWN)
    sides = _sides(table, net, score, limits) / score.rows
    strength = sides.max(axis=1, initial=-np.inf)
    table = table.with_columns(first_side=sides[:, 0], second_side=sides[:, 1])
    return replace(table, strength=strength, count=score.rows, meaning=_BY_SIDES)


def _sides(table: EdgeTable, net: MarkovNet, score: Score, limits: Limits | None) -> Array:
    """Return the score with the edge minus score without it at both ends; -inf for a forbidden pair."""
    out = np.full((len(table), 2), -np.inf)
    for node, places in enumerate(_places(table, limits)):
        if not places:
            continue
        rows, ends, partners = map(list, zip(*places, strict=True))
        local_score = score.local(node, net.inputs[node])
        change = score.toggles(node, net.inputs[node], partners) - local_score
        out[rows, ends] = np.where(table.joined[rows], -change, change)
    return out


def _places(table: EdgeTable, limits: Limits | None) -> list[list[tuple[int, int, int]]]:
    """Return for each variable the rows that it is in, at which end, and with whom; not the forbidden."""
    allowed = None if limits is None else [*map(frozenset, edge_bounds(limits).largest.neighbours)]
    places: list[list[tuple[int, int, int]]] = [[] for _ in table.nodes]
    pairs = zip(table.first.tolist(), table.second.tolist(), table.joined.tolist(), strict=True)
    for row, (one, two, adjacent) in enumerate(pairs):
        if adjacent or allowed is None or two in allowed[one]:
            places[one].append((row, 0, two))
            places[two].append((row, 1, one))
    return places


# -- saved with a network ------------------------------------------------------------------------


def pack_edges(table: EdgeTable) -> dict[str, Any]:
    """Return the strengths as plain values to be saved with a network, since they need the data.

    Every pair up to `SAVED_PAIRS` variables, beyond only the edges that are present.
    """
    table_part = table.present if len(table.nodes) > SAVED_PAIRS else table
    packed = {
        "first": table_part.first.tolist(),
        "second": table_part.second.tolist(),
        "strength": table_part.strength.tolist(),
        "count": table.count,
        "meaning": table.meaning,
    }
    if table_part.sides is not None:
        packed["sides"] = table_part.sides.tolist()
    sure = {name: table_part.more[name].tolist() for name in CERTAINTY if name in table_part.more}
    return {**packed, **sure, "certainty_meaning": table_part.certainty_meaning} if sure else packed


def unpack_edges(
    net: Net, packed: Mapping[str, Any], limits: Limits | None = None
) -> EdgeTable | None:
    """Return the table of edges of a loaded network; None if what was saved does not fit it."""
    try:
        first = np.array(packed["first"], dtype=np.intp)
        second = np.array(packed["second"], dtype=np.intp)
        strength = np.array(packed["strength"], dtype=float)
        sides = np.array(packed["sides"], dtype=float) if "sides" in packed else None
        count, meaning = float(packed["count"]), str(packed["meaning"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if not _are_pairs(first, second, len(net.names)) or strength.shape != first.shape:
        return None
    table = bare_table(net, first, second, limits)
    if table.joined.sum() != net.n_edges or not _fits_sides(net, table, sides):
        return None
    if sides is not None:
        table = table.with_columns(first_side=sides[:, 0], second_side=sides[:, 1])
    table = table.with_columns(**_sure(packed, first.shape))
    text = str(packed.get("certainty_meaning", ""))
    return replace(table, strength=strength, count=count, meaning=meaning, certainty_meaning=text)


def _sure(packed: Mapping[str, Any], shape: tuple[int, ...]) -> dict[str, Array]:
    """Return the columns of certainty that were saved and fit."""
    columns = {}
    for name in CERTAINTY:
        try:
            column = np.array(packed.get(name, ()), dtype=float)
        except (TypeError, ValueError):
            continue
        if name in packed and column.shape == shape:
            columns[name] = column
    return columns


def _fits_sides(net: Net, table: EdgeTable, sides: Array | None) -> bool:
    """Return whether strengths at both ends are there just where they can be."""
    if sides is None:
        return net.directed or net.joint is not None
    return not net.directed and sides.shape == (len(table), 2)


def _are_pairs(first: Integers, second: Integers, p: int) -> bool:
    """Return whether two arrays hold pairs of p columns, the smaller first."""
    if first.ndim != 1 or first.shape != second.shape:
        return False
    return bool(((first >= 0) & (first < second) & (second < p)).all())


# -- pairs without strengths ----------------------------------------------------------------------


ALL_PAIRS = 1000
"""Up to this many variables the table has every pair; beyond, only the edges that are present."""


def pairs_of(net: Net) -> tuple[Integers, Integers]:
    """Return the pairs of a network's table, as two arrays of column numbers, the smaller first."""
    p = len(net.names)
    if p <= ALL_PAIRS:
        return np.triu_indices(p, 1)
    ends = {(min(x, node), max(x, node)) for node, row in enumerate(net.inputs) for x in row}
    columns = np.array(sorted(ends), dtype=np.intp).reshape(-1, 2).T
    return columns[0], columns[1]


def bare_table(
    net: Net, first: Integers, second: Integers, limits: Limits | None = None
) -> EdgeTable:
    """Return the table of pairs with all that needs no score; strengths are not known yet.

    `limits` are the rules in force: what they direct is not reversible.
    """
    table = _of_arcs(net, first, second, limits) if net.directed else _of_edges(net, first, second)
    forms = tuple(str(getattr(model, "form", "")) for model in net.conditionals)
    signs = effect_signs(net, first, second, table.partial)
    return replace(table, signs=signs, forms=forms if net.directed else ())


def _of_edges(net: MarkovNet, first: Integers, second: Integers) -> EdgeTable:
    nothing, none = np.full(len(first), np.nan), np.zeros(len(first), dtype=bool)
    joined = _hits(net.graph.neighbours, first, second)
    nowhere = np.full(len(first), -1, dtype=np.intp)
    partial = nothing if net.joint is None else net.joint.partial(first, second)
    table = EdgeTable(
        net.names, first, second, joined, nowhere, none, partial, nothing, directed=False
    )
    if normal_of(net.joint) is not None:
        return table
    return table.with_columns(first_side=nothing, second_side=nothing)


def _of_arcs(net: BayesNet, first: Integers, second: Integers, limits: Limits | None) -> EdgeTable:
    forward = _hits(net.graph.parents, second, first)
    joined = forward | _hits(net.graph.parents, first, second)
    tail = np.where(forward, first, np.where(joined, second, -1))
    reversible = _hits(cpdag(net.graph, limits).neighbours, first, second)
    partial, nothing = _partial(net, first, second), np.full(len(first), np.nan)
    return EdgeTable(net.names, first, second, joined, tail, reversible, partial, nothing)


def _hits(rows: tuple[tuple[int, ...], ...], one: Integers, two: Integers) -> NDArray[np.bool_]:
    """Return which pairs (one, two) have `two` in the row of `one`."""
    sets = [frozenset(row) for row in rows]
    pairs = zip(one.tolist(), two.tolist(), strict=True)
    return np.fromiter((b in sets[a] for a, b in pairs), dtype=bool, count=len(one))


def _partial(net: BayesNet, first: Integers, second: Integers) -> Array:
    """Return the partial correlations of pairs given all others, from K = (I - W)' V^-1 (I - W).

    K_ab = [a = b] / v_a - (w_ba / v_b + w_ab / v_a) + sum over common children c of w_ca w_cb / v_c
    has entries only between neighbours in the moral graph, so it is gathered child by child. Only
    where all local models are linear with normal noise is there such a joint.
    """
    models = [m for m in map(linear_of, net.conditionals) if m is not None and m.variance > 0]
    if len(models) < len(net.names):
        return np.full(len(first), np.nan)
    entries: dict[tuple[int, int], float] = defaultdict(float)
    diagonal = np.array([1.0 / model.variance for model in models])
    for child, (parents, model) in enumerate(zip(net.graph.parents, models, strict=True)):
        scaled = model.coefficients / model.variance
        for i, (a, weight) in enumerate(zip(parents, scaled.tolist(), strict=True)):
            entries[min(a, child), max(a, child)] -= weight
            diagonal[a] += weight * model.coefficients[i]
            for b, other in zip(parents[i + 1 :], model.coefficients[i + 1 :], strict=True):
                entries[a, b] += weight * float(other)
    ends = zip(first.tolist(), second.tolist(), strict=True)
    values = np.array([entries.get(pair, 0.0) for pair in ends])
    scale = np.sqrt(diagonal)
    partial: Array = -values / (scale[first] * scale[second])
    return partial


# -- losses after refitting -----------------------------------------------------------------------


def refit_losses(net: Net, table: EdgeTable) -> EdgeTable:
    """Put the losses after refitting into a table of a network's edges.

    Parameters
    ----------
    net : an undirected network with the normal distribution of largest likelihood on its graph.
    table : some of its pairs; pairs without an edge get no loss.

    Raises
    ------
    FitError : a network of another kind.
    """
    if net.directed or (joint := normal_of(net.joint)) is None:
        raise FitError(
            "refit_losses() needs an undirected Gaussian network with a joint distribution: use "
            "the strength of the edges instead."
        )
    losses = np.full(len(table), np.nan)
    for i in np.flatnonzero(table.joined).tolist():
        losses[i] = _loss(net, joint, int(table.first[i]), int(table.second[i]))
    return table.with_columns(refit_loss=losses)


def _loss(net: MarkovNet, joint: NormalJoint, first: int, second: int) -> float:
    without = fixed_graph(joint.covariance, net.graph.without_edge(first, second)).precision
    return 0.5 * (_logdet(joint.precision) - _logdet(without))


def _logdet(precision: Array) -> float:
    scale = np.sqrt(precision.diagonal())
    inner = float(np.linalg.slogdet(precision / scale[:, None] / scale)[1])
    return inner + 2.0 * float(np.log(scale).sum())


def _arc_information(net: BayesNet) -> dict[tuple[int, int], float]:
    """Return the mutual information of each arc of a discrete network, given the other parents.

    That is I(child; parent | other parents) in nats, exactly: what the likelihood of a row loses on average
    when the arc is removed and the table fitted again. Empty where the tree does not fit into memory.
    """
    try:
        tree = tree_with(net)
    except FitError:
        return {}
    families = [(*parents, node) for node, parents in enumerate(net.graph.parents)]
    _, tables = tree.ask(np.full((1, len(families)), -1), families)
    out = {}
    for family, (shares,) in zip(families, tables, strict=True):
        for axis, parent in enumerate(family[:-1]):
            less = shares.sum(axis=axis, keepdims=True)
            others = less.sum(axis=-1, keepdims=True)
            totals = shares.sum(axis=-1, keepdims=True)
            positive = shares > 0
            ratio = np.broadcast_to(others / np.where(less > 0, less, 1.0), shares.shape)
            logs = np.log((shares / np.where(totals > 0, totals, 1.0) * ratio)[positive])
            out[parent, family[-1]] = max(float(shares[positive] @ logs), 0.0)
    return out
