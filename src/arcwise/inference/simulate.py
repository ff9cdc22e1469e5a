"""Answers by simulation: chains over the hidden variables of rows, averaged into laws.

One function, `answer`, serves single questions and whole tables: rows with any gaps, several chains
each, all advancing together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table
from arcwise.errors import FitError, GraphError
from arcwise.inference.averaging import average_of, averaged, law_of
from arcwise.inference.diagnose import Mixing, diagnose
from arcwise.inference.gibbs import Chains, Effort, begin, beside, reached, run, sweep
from arcwise.inference.grid import POINTS
from arcwise.inference.laws import RowLaw
from arcwise.inference.options import Options
from arcwise.inference.product import FEWER, product_net
from arcwise.inference.relevance import relevant
from arcwise.inference.rows import patterns
from arcwise.networks import BayesNet, MarkovNet, Net, whole

__all__ = ["Answer", "answer", "field_of", "fields", "gibbs_sample", "open_rows", "row_blocks"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]
Mask = NDArray[np.bool_]

SLOTS = 16_384
"""Most rows x chains that advance together."""

CELLS = 8_000_000
"""Most numbers of a table of weights, rows x chains x typical rows."""

SAMPLE_SWEEPS = 100
"""Sweeps before a row drawn from a Markov network is taken."""


class Answer(NamedTuple):
    """Laws of targets: of rows, and of the chains of rows; how they mixed; states if kept.

    `states` are targets by sweeps by rows x chains.
    """

    laws: tuple[RowLaw, ...]
    by_chain: tuple[RowLaw, ...]
    mixing: tuple[Mixing, ...]
    states: Array


def answer(
    net: MarkovNet,
    columns: Sequence[NDArray[Any]],
    gaps: Mask,
    targets: Sequence[int],
    effort: Effort,
    rng: np.random.Generator,
    keep: bool = False,
    starts: Mapping[int, NDArray[Any]] | None = None,
) -> Answer:
    """Simulate rows and average the laws of targets that are hidden in all of them.

    Parameters
    ----------
    net : conditionals of all variables given their neighbours.
    columns : one array a variable, one entry a row; what stands in gaps is not looked at.
    gaps : rows by variables, true where hidden.
    targets : numbers of the variables asked for.
    effort : how long.
    rng : where chance comes from.
    keep : whether the states of the targets are wanted.
    starts : where chains begin, by node; None takes rows of the data.
    """
    hidden = reached(net, gaps, targets)
    known = beside(net, hidden, gaps)
    chains = begin(net, columns, hidden, known, effort.chains, rng, starts)
    averages = [average_of(net.conditionals[t], net.variables[t], effort.sweeps) for t in targets]
    history: list[list[Array]] = [[] for _ in targets]
    states: list[Array] = []
    # A single row can afford to look at every hidden variable: one that is stuck spoils all answers.
    watched = np.flatnonzero(hidden[0]).tolist() if len(gaps) == 1 else []
    others: list[Array] = []

    def watch(now: Chains) -> None:
        for target, average, seen in zip(targets, averages, history, strict=True):
            xs = tuple([now.columns[other] for other in net.graph.neighbours[target]])
            number = average.add(xs, now.size)
            if number is not None:
                seen.append(number)
        if watched:
            others.append(np.stack([now.columns[node].astype(float) for node in watched]))
        if keep:
            states.append(np.stack([now.columns[t].astype(float) for t in targets]))

    run(net, chains, rng, effort, watch)
    by_chain = tuple(average.law() for average in averages)
    shape = (-1, len(gaps), effort.chains)
    worst = diagnose(np.stack(others)).rhat.max() if others else 1.0
    found = [diagnose(np.stack(seen).reshape(shape)) for seen in history]
    return Answer(
        tuple(averaged(law, effort.chains) for law in by_chain),
        by_chain,
        tuple(each._replace(rhat=np.fmax(each.rhat, worst)) for each in found),
        np.stack(states, axis=1) if keep else np.zeros((len(targets), 0, 0)),
    )


def open_rows(net: MarkovNet, gaps: Mask, target: int) -> Mask:
    """Rows in which something is hidden that the target's conditional takes."""
    inputs = list(net.graph.neighbours[target])
    return np.asarray(gaps[:, inputs].any(axis=1))


def row_blocks(net: MarkovNet, places: Integers, chains: int) -> Iterator[Integers]:
    """Rows in pieces whose chains, and the weights of whose laws, fit into memory."""
    slots = min(SLOTS, CELLS // len(net.starts[0]))
    step = max(1, slots // chains)
    return (places[low : low + step] for low in range(0, len(places), step))


def field_of(net: Net, options: Options) -> MarkovNet | None:
    """The conditionals that Gibbs sampling takes as they are; None where the product rule is needed.

    Raises
    ------
    GraphError : a method for directed networks, asked of an undirected one.
    FitError : blanket models are asked for, and there are none.
    """
    if isinstance(net, MarkovNet):
        if options.method not in (None, "gibbs"):
            raise GraphError(
                f"The method {options.method!r} is for directed networks; an undirected one is asked by "
                "gibbs, or stacked where it has Parzen windows."
            )
        return net
    if options.method in ("blankets", "gibbs") and net.blankets is None:
        raise FitError(
            "There are no blanket models here (they are fitted when a network is learned, and do "
            "not hold after do=): take the method grid or importance."
        )
    return net.blankets if options.method in (None, "blankets", "gibbs") else None


def fields(
    net: Net, gaps: Mask, options: Options, rng: np.random.Generator, target: int | None = None
) -> Iterator[tuple[MarkovNet, Integers]]:
    """Conditionals for rows with gaps, and the rows they serve.

    Fitted ones serve all rows; the product rule is set up for each pattern of gaps, with what
    matters there for the target (None: for all that is hidden).
    """
    fitted = field_of(net, options)
    if fitted is not None:
        yield fitted, np.arange(len(gaps))
        return
    if not isinstance(net, BayesNet):
        raise GraphError("The product rule needs a directed network.")
    for places, known in patterns(gaps):
        hidden = [node for node in range(len(net.names)) if node not in known]
        asked = hidden if target is None else [target]
        if asked and len(places):
            members = relevant(net.graph, asked, known)
            points = POINTS if len(members - known) == 1 else FEWER
            yield product_net(net, rng, members, points), places


def gibbs_sample(net: MarkovNet, rng: np.random.Generator, draws: int, sweeps: int) -> Table:
    """Draw rows from a Markov network: one chain each, started at a row of the data.

    Parameters
    ----------
    net : the network.
    rng : where chance comes from.
    draws : how many rows.
    sweeps : rounds before a row is taken.
    """
    size, p = whole("number of draws", draws), len(net.names)
    blank = [np.repeat(column[:1], size) for column in net.starts]
    pieces = [_sample(net, blank, part, p, rng, sweeps) for part in _pieces(net, size)]
    columns = tuple(np.concatenate([piece[i] for piece in pieces]) for i in range(p))
    return Table(net.variables, columns)


def _pieces(net: MarkovNet, size: int) -> list[Integers]:
    return list(row_blocks(net, np.arange(size), 1)) or [np.arange(0)]


def _sample(
    net: MarkovNet,
    blank: Sequence[NDArray[Any]],
    part: Integers,
    p: int,
    rng: np.random.Generator,
    sweeps: int,
) -> list[NDArray[Any]]:
    everything = np.ones((len(part), p), dtype=bool)
    columns = [column[part] for column in blank]
    chains = begin(net, columns, everything, ~everything, 1, rng)
    for _ in range(sweeps):
        sweep(net, chains, rng)
    return chains.columns


def exact_law(net: MarkovNet, columns: Sequence[NDArray[Any]], target: int, size: int) -> RowLaw:
    """Laws of a target in rows in which all that its conditional takes is known."""
    xs = tuple(columns[other] for other in net.graph.neighbours[target])
    return law_of(net.conditionals[target], net.variables[target], xs, size)
