"""Inference by Gibbs sampling: chains over the hidden variables of rows, averaged into distributions.

If states of the other variables are drawn from their distribution, the average of p(x | state) is the
distribution of x, with less noise than draws of x itself (Rao-Blackwell; Gelfand and Smith 1990). If all
inputs of a variable's conditional are observed in a row, no chain is needed: the conditional is the answer.

The functions of this module take any *field*, conditionals of all variables given their neighbours: a Markov
network, the blanket models of a directed one, or its product rule (``product_rule``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import distribution_of
from arcwise.distributions import Average, Distribution, RowParts, centre
from arcwise.distributions.chain_diagnostics import Mixing, diagnose
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.engine import (
    ESTIMATED,
    EXACT,
    Answer,
    Array,
    Columns,
    Cost,
    Effort,
    Engine,
    Mask,
    Question,
    Reply,
    needs_arrows,
    no_blankets,
)
from arcwise.inference.gibbs_chains import (
    Chains,
    begin,
    far_evidence_notes,
    far_rows,
    known_neighbours,
    reach_hidden,
    run,
)
from arcwise.inference.joint_answers import States
from arcwise.networks import MarkovNet
from arcwise.notes import Note

Integers = NDArray[np.intp]

ROWS = Effort(chains=8, sweeps=100, burn_in=40)
"""Default effort for many rows."""

SAMPLE_SWEEPS = 100
"""Sweeps before a draw of a row."""

SLOTS = 16_384
"""Largest number of rows times chains that advance together."""

CELLS = 8_000_000
"""Largest number of values in a table of weights, rows times chains times typical rows."""

BLOCK = 1024
"""Rows whose distributions are computed at once."""

KEPT = 32
"""States kept per chain of conditionals whose distributions must be tabulated."""


class Gibbs(Engine):
    """Gibbs sampling with the local models of a Markov network, or a directed network's blanket models."""

    def __init__(self, name: str = "gibbs") -> None:
        self.name = name

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Accept queries other than densities, if there are conditionals given all others."""
        net = question.net
        if not net.directed and self.name != "gibbs":
            return needs_arrows(self.name)
        if net.as_field is None:
            return no_blankets()
        if question.task == "density":
            return FitError(f"The method {self.name!r} gives no densities: leave the method out.")
        if question.single and not question.together and answers_itself(question.field, question):
            return Cost(EXACT, 1.0)
        effort = _effort(question)
        hidden = float(question.gaps.sum(axis=1).max(initial=0))
        return Cost(ESTIMATED, effort.chains * (effort.sweeps + effort.burn_in) * hidden)

    def ask(self, question: Question) -> Reply:
        """Return averages of the conditionals of the targets over the states of chains."""
        answers = RowAnswers(question, "by Gibbs sampling")
        gather(answers, question.field, np.arange(question.size), _effort(question))
        return answers.found()

    def complete(self, question: Question, draw: bool) -> Columns:
        """Return averages over chains, or one state of a chain for each row."""
        columns = [column.copy() for column in question.columns]
        effort = _effort(question)
        fill(columns, question.field, question, np.arange(question.size), effort, draw)
        return tuple(columns)


def _effort(question: Question) -> Effort:
    if question.task != "draws":
        return question.options.over(Effort() if question.single else ROWS)
    sweeps = question.options.effort.get("burn_in", SAMPLE_SWEEPS)
    return Effort(1, 1, max(sweeps - 1, 0), question.options.over(ROWS).scan)


# -- rows ------------------------------------------------------------------------------------------


def open_rows(net: MarkovNet, gaps: Mask, target: int) -> Mask:
    """Return the rows with a hidden input of the target's conditional."""
    return np.asarray(gaps[:, list(net.graph.neighbours[target])].any(axis=1))


def answers_itself(net: MarkovNet, question: Question) -> bool:
    """Return whether the conditional of the single target has all its inputs."""
    return not open_rows(net, question.gaps, question.asked[0]).any()


def model_parts(
    model: Any, variable: Any, inputs: Sequence[int], columns: Columns, places: Integers
) -> list[Any]:
    """Yield distributions of rows with complete inputs, in blocks that are computed on demand."""
    blocks = (places[low : low + BLOCK] for low in range(0, len(places), BLOCK))
    return [
        (part, partial(distribution_of, model, variable, _inputs(columns, inputs, part), len(part)))
        for part in blocks
    ]


def _inputs(columns: Sequence[NDArray[Any]], nodes: Sequence[int], part: Any) -> Columns:
    return tuple([columns[node][part] for node in nodes])


@dataclass(eq=False)
class RowAnswers:
    """Answers of rows in parts: exact ones, and simulated ones."""

    question: Question
    way: str = ""
    notes: list[Any] = field(default_factory=list)
    states: Array | None = None

    def __post_init__(self) -> None:
        shape = (len(self.question.asked), self.question.size)
        self.parts: list[list[Any]] = [[] for _ in self.question.asked]
        self.mixing = Mixing.exact(*shape)
        self.by_chain: list[Distribution | None] = [None] * shape[0]

    def own(self, net: MarkovNet, i: int, places: Integers) -> None:
        """Add the conditional of a variable itself for some rows."""
        node = self.question.asked[i]
        model, variable, inputs = net.conditionals[node], net.variables[node], net.inputs[node]
        self.parts[i] += model_parts(model, variable, inputs, self.question.columns, places)

    def found(self) -> Reply:
        """Return the complete answer."""
        question = self.question
        answers = tuple(
            Answer(
                RowParts.of(self.parts[i], question.size),
                Mixing(*(array[i] for array in self.mixing)),
                self.by_chain[i] if question.single else None,
                self.way,
            )
            for i in range(len(question.asked))
        )
        variables = tuple(question.net.variables[node] for node in question.asked)
        joint = None if self.states is None else States(variables, self.states)
        return Reply(answers, joint, lambda: [note for notes in self.notes for note in notes()])


def gather(
    answers: RowAnswers,
    net: MarkovNet,
    places: Integers,
    effort: Effort,
    starts: Mapping[int, NDArray[Any]] | None = None,
) -> None:
    """Compute the answers of some rows of a query by a field.

    Parameters
    ----------
    answers : the answers are added to this object.
    net : conditionals of all variables given their neighbours.
    places : the rows.
    effort : length of the simulation.
    starts : starts of chains, by node; None for rows of the data.
    """
    question, waiting = answers.question, places[:0]
    gaps = question.gaps[places]
    for i, node in enumerate(question.asked):
        unclear = open_rows(net, gaps, node)
        answers.own(net, i, places[~unclear])
        waiting = np.union1d(waiting, places if question.together else places[unclear])
    for part in row_blocks(net, waiting, effort.chains):
        _simulate(answers, net, part, effort, starts)
    answers.notes.append(partial(far_notes, net, question, places))


def far_notes(net: MarkovNet, question: Question, places: Integers) -> list[Note]:
    """Return notes on evidence that is far from all the data."""
    columns, gaps = [column[places] for column in question.columns], question.gaps[places]
    if question.single:
        return list(
            far_evidence_notes(
                net, columns, known_neighbours(net, reach_hidden(net, gaps, question.asked), gaps)
            )
        )
    return far_rows(net, columns, gaps, question.asked[0])


def row_blocks(net: MarkovNet, places: Integers, chains: int) -> Iterator[Integers]:
    """Yield blocks of rows whose chains, and the weights of whose distributions, fit into memory."""
    slots = min(SLOTS, CELLS // len(net.starts[0]))
    step = max(1, slots // chains)
    return (places[low : low + step] for low in range(0, len(places), step))


class _Target:
    """Collects the conditionals of one target during a run."""

    def __init__(self, net: MarkovNet, node: int, start: Chains, sweeps: int) -> None:
        self.net, self.node, self.average, self.count = net, node, Average(), 0
        self.history: list[Array] = []
        costly = not net.variables[node].discrete
        costly = costly and self._conditional(start, slice(0, 1), 1).tabulated
        self.step = max(1, sweeps // KEPT) if costly else 1

    def _conditional(self, now: Chains, part: Any, size: int) -> Distribution:
        xs = _inputs(now.columns, self.net.inputs[self.node], part)
        model, variable = self.net.conditionals[self.node], self.net.variables[self.node]
        return distribution_of(model, variable, xs, size)

    def add(self, now: Chains) -> None:
        """Add the states of one sweep; of some sweeps only, if distributions are tables."""
        self.count += 1
        if self.count % self.step == 0:
            distribution = self._conditional(now, slice(None), now.size)
            self.average.add(distribution)
            self.history.append(centre(distribution))


def _simulate(
    answers: RowAnswers,
    net: MarkovNet,
    part: Integers,
    effort: Effort,
    starts: Mapping[int, NDArray[Any]] | None,
) -> None:
    """Simulate rows, and average the conditionals of all targets that are not answered otherwise."""
    question = answers.question
    gaps, asked = question.gaps[part], question.asked
    columns = [column[part] for column in question.columns]
    hidden = reach_hidden(net, gaps, asked)
    nearby = known_neighbours(net, hidden, gaps)
    chains = begin(net, columns, hidden, nearby, effort.chains, question.rng, starts)
    targets = [_Target(net, node, chains, effort.sweeps) for node in asked]
    # A single row can afford to check every hidden variable: one that mixes badly affects all answers.
    watched = np.flatnonzero(hidden[0]).tolist() if len(gaps) == 1 else []
    others: list[Array] = []
    states: list[Array] = []

    def watch(now: Chains) -> None:
        for target in targets:
            target.add(now)
        if watched:
            others.append(np.stack([now.columns[node].astype(float) for node in watched]))
        if question.together:
            states.append(np.stack([now.columns[node].astype(float) for node in asked]))

    run(net, chains, question.rng, effort, watch)
    worst = diagnose(np.stack(others)).rhat.max() if others else 1.0
    for i, target in enumerate(targets):
        if open_rows(net, gaps, target.node).any():
            answers.by_chain[i] = average = target.average.found()
            answers.parts[i].append((part, average.pool_rows(effort.chains)))
            mixing = diagnose(np.stack(target.history).reshape(-1, len(gaps), effort.chains))
            mixing = mixing._replace(rhat=np.fmax(mixing.rhat, worst))
            for array, values in zip(answers.mixing, mixing, strict=True):
                array[i, part] = values
    if question.together:
        answers.states = np.stack(states, axis=1)


# -- completion ------------------------------------------------------------------------------------


def fill(
    columns: list[NDArray[Any]],
    net: MarkovNet,
    question: Question,
    places: Integers,
    effort: Effort,
    draw: bool,
) -> None:
    """Impute the missing values of some rows in place: by averages over chains, or by one state of a
    chain each.
    """
    if draw and question.task != "draws":
        effort = replace(effort, chains=1, sweeps=1, burn_in=effort.burn_in + effort.sweeps)
    holes = places[question.gaps[places].any(axis=1)]
    for part in row_blocks(net, holes, effort.chains):
        hidden = question.gaps[part]
        nearby = known_neighbours(net, hidden, hidden)
        rows = [column[part] for column in question.columns]
        chains = begin(net, rows, hidden, nearby, effort.chains, question.rng)
        totals: dict[int, NDArray[Any]] = {}

        def watch(now: Chains, totals: dict[int, NDArray[Any]] = totals) -> None:
            for node, slots in now.steps:
                value = now.columns[node] if draw else _point(net, now, node, slots)
                totals[node] = value if draw or node not in totals else totals[node] + value

        run(net, chains, question.rng, effort, watch)
        for node, total in totals.items():
            gaps = np.flatnonzero(hidden[:, node])
            lines = total[gaps] if draw else total.reshape(len(gaps), effort.chains, -1).sum(axis=1)
            if not draw:
                discrete = net.variables[node].discrete
                size = effort.chains * effort.sweeps
                lines = lines.argmax(axis=1) if discrete else lines[:, 0] / size
            columns[node][part[gaps]] = lines


def _point(net: MarkovNet, now: Chains, node: int, slots: Integers | None) -> Array:
    """Return expected values, or probabilities of levels, of a variable in the rows in which it is hidden."""
    xs = _inputs(now.columns, net.inputs[node], slice(None) if slots is None else slots)
    size = now.size if slots is None else len(slots)
    distribution = distribution_of(net.conditionals[node], net.variables[node], xs, size)
    levels = distribution.categorical
    return distribution.mean if levels is None else levels.probabilities
