"""What `model="auto"` makes of local models after its search: neural networks and mixtures of experts.

The graph stays. A local model is replaced if another one gives held-out rows a higher density, by more than
two standard errors, and predicts means no worse. Two quick tests choose what is compared: the evidence of a
hidden layer with random weights against that of the present form, and the normality of standardised
residuals, without which a mixture of experts gains nothing (Jarque and Bera 1980). Networks whose answers are
exact stay as they are. Models given blankets, from which means are predicted far from the data, too, may
become neural networks, but not mixtures; nor do variables with fewer than 20 different values.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from arcwise.conditionals import FAMILIES, Conditional, Family, GlmConditional, NeuralFamily
from arcwise.conditionals.base import Array, distribution_of
from arcwise.conditionals.distinct_rows import count_rows
from arcwise.data import Table
from arcwise.errors import join_words, plural
from arcwise.learners.directed import DirectedProblem
from arcwise.learners.problem import LearnedNetwork
from arcwise.learners.specification import Specification
from arcwise.networks import BayesNet, Net
from arcwise.notes import Fix, Note, NoteKind
from arcwise.results import SearchEnd, Trail, Watch

__all__ = ["with_refits"]

MIN_GAIN = 4.0
"""Nats by which another local model must exceed the present one on held-out rows."""
_ERRORS = 2.0  # standard errors of this gain
_FOLDS = 3
_FEWEST = 100  # rows
_FEWEST_VALUES = 20  # different ones, for a mixture
_MAX_SECONDS = 5.0  # forecast of all comparisons, which begin with the most promising ones
_SECONDS = {"neural": 8e-4, "experts": 3e-4}  # a row
_NORMAL = (
    9.21  # 1 % of the squares of normal residuals' standardised skewness and kurtosis exceed it
)
_TAIL, _WIDE = 1e-4, 3.0  # a normal distribution that is mixed in, so that no single row decides
_QUICK: dict[str, Family] = {"neural": NeuralFamily(trained=False), "experts": FAMILIES["experts"]}
_EXACT = frozenset({"marginal", "additive", "configurations", "table"})
_WORSE = 0.01  # share by which squared errors may grow
_NAMED = 3


class _Family(NamedTuple):
    """A variable and the inputs of one of its models."""

    child: int
    inputs: tuple[int, ...]


class _Candidate(NamedTuple):
    """Another model of a variable, and the nats that a quick test promises."""

    family: _Family
    name: str
    promise: float


class _Result(NamedTuple):
    """The model that won, and the nats per row that it gains on held-out rows."""

    name: str
    gain: float
    model: Conditional


def with_refits(
    learned: LearnedNetwork, spec: Specification, watch: Watch | None
) -> LearnedNetwork:
    """Return the network with other local models where these predict held-out rows better.

    Parameters
    ----------
    learned : what `model="auto"` led to.
    spec : as the user gave it: nothing is tried if it names a model, score, search or rule for the penalty.
    watch : may stop the run; local models that were not compared by then stay.
    """
    if not _is_open(learned, spec):
        return learned
    work = _Comparison(learned, watch)
    best, late = work.results()
    notes = tuple(filter(None, (_choice_note(learned, best), _late_note(late))))
    if not best:
        return replace(learned, notes=(*learned.notes, *notes))
    names = {learned.net.names[f.child]: r.name for f, r in best.items() if f in work.local}
    words = {**learned.words, "refits": names} if names else learned.words
    return replace(
        learned, net=_replaced(learned.net, best), words=words, notes=(*learned.notes, *notes)
    )


def _is_open(learned: LearnedNetwork, spec: Specification) -> bool:
    """Return whether no choice was made, answers are not exact anyway, and there are rows enough."""
    problem, net = learned.problem, learned.net
    chosen = spec.model != "auto" or spec.score is not None or spec.rule is not None
    if chosen or spec.search != "auto" or type(problem) is not DirectedProblem:
        return False
    forms = [each.form for each in net.conditionals if isinstance(each, GlmConditional)]
    bent = any(form not in _EXACT for form in forms)
    rows = problem.fits.statistics
    return bent and rows.has_rows and rows.uniform and rows.effective_rows >= _FEWEST


class _Comparison:
    """The local models of a network, and of its variables given their blankets, next to others."""

    def __init__(self, learned: LearnedNetwork, watch: Watch | None) -> None:
        self.problem, self.net = learned.problem, learned.net
        self.table = count_rows(learned.problem.family.rows_of(self.problem.fits.statistics))
        self.trail = Trail(watch)
        self.size = self.table.total

    @cached_property
    def local(self) -> dict[_Family, Conditional]:
        """The local models of variables with parents."""
        return _models_of(self.net)

    @cached_property
    def present(self) -> dict[_Family, Conditional]:
        """The same with those given blankets."""
        blankets = getattr(self.net, "blankets", None)
        return (_models_of(blankets) if blankets else {}) | self.local

    def results(self) -> tuple[dict[_Family, _Result], int]:
        """Return what won for each family, and how many candidates there was no time for."""
        best: dict[_Family, _Result] = {}
        left, late = _MAX_SECONDS, 0
        candidates: list[_Candidate] = []
        try:
            candidates = sorted(self._candidates(), key=lambda c: (-c.promise, c.family, c.name))
            for number, each in enumerate(candidates):
                self.trail.check()
                left -= _SECONDS[each.name] * self.size
                if left < 0:
                    late = len(candidates) - number
                    break
                gain = self._gain(each)
                if gain > best[each.family].gain if each.family in best else gain > 0:
                    model = _fit(FAMILIES[each.name], self.table, each.family)
                    best[each.family] = _Result(each.name, gain, model)
        except SearchEnd:
            late = max(1, len(candidates))
        return best, late

    def _candidates(self) -> Iterator[_Candidate]:
        """Return the models that quick tests propose."""
        random = FAMILIES["neural"].bind(self.table)
        for family, model in self.present.items():
            self.trail.check()
            child, inputs = family
            if not isinstance(model, GlmConditional) or 10 * len(inputs) > self.size:
                continue
            evidence = random.marginal(child, [tuple(sorted(inputs))])[0]
            xs = tuple(self.table.columns[j] for j in inputs)
            logs = model.logpdf(self.table.columns[child], xs)
            own = float(self._weights @ logs) - 0.5 * model.n_params * np.log(self.size)
            if evidence > own + MIN_GAIN:
                yield _Candidate(family, "neural", float(evidence) - own)
            if family not in self.local or model.levels or self._has_few_values(child):
                continue
            if (shape := self._shape(family, model)) > _NORMAL:
                yield _Candidate(family, "experts", shape)

    def _has_few_values(self, child: int) -> bool:
        """Return whether a mixture would describe a column by one spike for each value."""
        return len(np.unique(self.table.columns[child])) < _FEWEST_VALUES

    @property
    def _weights(self) -> Array:
        weights = self.table.weights
        return np.ones(self.table.rows) if weights is None else weights

    def _shape(self, family: _Family, model: GlmConditional) -> float:
        """Return the test of Jarque and Bera of a model's standardised residuals."""
        xs = tuple(self.table.columns[j] for j in family.inputs)
        normal = model.distribution(xs, self.table.rows)
        off = (self.table.columns[family.child] - normal.mean) / np.asarray(normal.sd)
        share = self._weights / self.size
        off = off - share @ off
        spread = float(share @ off**2)
        skew, tails = share @ off**3 / spread**1.5, share @ off**4 / spread**2 - 3
        return self.size * float(skew**2 / 6 + tails**2 / 24)

    def _gain(self, candidate: _Candidate) -> float:
        """Nats per row that another model gains on held-out rows; 0 if that may be chance."""
        family = candidate.family
        other = _QUICK[candidate.name]
        fold = np.arange(self.table.rows) % _FOLDS
        gains, errors, weights = np.zeros(len(fold)), np.zeros((2, len(fold))), self._weights
        for number in range(_FOLDS):
            held = fold == number
            inside, outside = (self.table.take(np.flatnonzero(part)) for part in (~held, held))
            models = [_fit(each, inside, family) for each in (self.problem.family, other)]
            old, new = (_guarded_logs(model, inside, outside, family) for model in models)
            gains[held] = new - old
            errors[:, held] = [_squares(model, outside, family) for model in models]
            if not number and not weights[held] @ gains[held] > 0:  # hopeless
                return 0.0
        if _predicts_worse(errors[0], errors[1], weights):
            return 0.0
        return _sure_gain(gains, weights)


def _predicts_worse(old: Array, new: Array, weights: Array) -> bool:
    """Return whether squared errors grow by a share that matters, and by more than a standard error."""
    growth = new - old
    mean = float(weights @ growth) / float(weights.sum())
    error = np.sqrt(float(weights @ (growth - mean) ** 2)) / float(weights.sum())
    return mean * float(weights.sum()) > _WORSE * float(weights @ old) and mean > error


def _sure_gain(gains: Array, weights: Array) -> float:
    """Return the mean gain, 0 if it may be chance."""
    total = float(weights.sum())
    mean = float(weights @ gains) / total
    error = np.sqrt(float(weights @ (gains - mean) ** 2)) / total
    return mean if mean > _ERRORS * error and mean * total > MIN_GAIN else 0.0


def _models_of(net: Net) -> dict[_Family, Conditional]:
    """Return the local models of variables with inputs."""
    pairs = zip(net.inputs, net.conditionals, strict=True)
    return {_Family(child, row): model for child, (row, model) in enumerate(pairs) if row}


def _fit(family: Family, table: Table, which: _Family) -> Conditional:
    child, inputs = which
    xs = tuple(table.columns[j] for j in inputs)
    variables = table.variables
    parents = tuple(variables[j] for j in inputs)
    return family.fit(table.columns[child], xs, variables[child], parents, table.weights)


def _guarded_logs(model: Conditional, inside: Table, outside: Table, which: _Family) -> Array:
    """Return the log densities of held-out rows, with a wide distribution mixed in."""
    y, xs = outside.columns[which.child], tuple(outside.columns[j] for j in which.inputs)
    logs = np.asarray(model.logpdf(y, xs))
    levels = inside.variables[which.child].levels
    if levels:
        wide = np.full(len(logs), -np.log(len(levels)))
    else:
        known = inside.columns[which.child]
        scale = _WIDE * max(float(known.std()), 1e-300)
        wide = -0.5 * ((y - known.mean()) / scale) ** 2 - np.log(scale) - 0.919
    mixed: Array = np.logaddexp(np.log1p(-_TAIL) + logs, np.log(_TAIL) + wide)
    return mixed


def _squares(model: Conditional, outside: Table, which: _Family) -> Array:
    """Squared errors of the predicted means of held-out rows; 0 for categories."""
    y, xs = outside.columns[which.child], tuple(outside.columns[j] for j in which.inputs)
    if outside.variables[which.child].discrete:
        return np.zeros(len(y))
    off: Array = y - np.asarray(
        distribution_of(model, outside.variables[which.child], xs, len(y)).mean
    )
    return off * off


def _replaced(net: Net, best: dict[_Family, _Result]) -> Net:
    """Return the network with the models that won, and its blanket models likewise."""

    def models(own: Net) -> tuple[Conditional, ...]:
        pairs = zip(own.inputs, own.conditionals, strict=True)
        rows = ((_Family(child, row), model) for child, (row, model) in enumerate(pairs))
        return tuple(best[f].model if f in best else model for f, model in rows)

    changed = replace(net, conditionals=models(net))
    if not isinstance(changed, BayesNet) or changed.blankets is None:
        return changed
    blankets = replace(changed.blankets, conditionals=models(changed.blankets))
    return replace(changed, blankets=blankets)


def _choice_note(learned: LearnedNetwork, best: dict[_Family, _Result]) -> Note | None:
    """Return which variables have which other model, and how to keep the present ones."""
    local = set(_models_of(learned.net))
    parts, names = [], []
    for word, what in (("neural", "Neural networks"), ("experts", "mixtures of experts")):
        own = sorted(
            learned.net.names[f.child] for f, r in best.items() if f in local and r.name == word
        )
        if own:
            parts.append(f"{what} predict {join_words(own, _NAMED)}")
            names += own
    if not names:
        return None
    gain = sum(r.gain for f, r in best.items() if f in local)
    said = " and ".join(parts)
    model = learned.problem.model
    text = (
        f"{said[0].upper()}{said[1:]} better on held-out rows than the forms of {model!r}: +{gain:.2g} nats "
        "per row; {model=} keeps these."
    )
    return Note(NoteKind.MODEL, text, tuple(names), (Fix("model", model),))


def _late_note(late: int) -> Note | None:
    if not late:
        return None
    were = "was" if late == 1 else "were"
    text = (
        f"{plural(late, 'comparison')} with neural networks or mixtures of experts {were} omitted: they "
        f"are limited to a forecast of {_MAX_SECONDS:g} s, and to the time limit."
    )
    return Note(NoteKind.MODEL, text)
