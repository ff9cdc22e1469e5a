r"""Inference averaged over several networks, such as those of the most probable graphs.

With p(G) the weight of a graph, the joint density of all variables is the average

.. math:: p(x) = \sum_G p(G) \, p(x | G),

and so is every answer: evidence e changes the weights of the graphs, so

.. math:: p(y | e) = \sum_G p(G | e) \, p(y | e, G), \qquad p(G | e) \propto p(G) \, p(e | G).

After ``do`` the densities are those of the cut graphs; an intervention does not change weights (Hoeting,
Madigan, Raftery and Volinsky 1999; for effects Maathuis, Kalisch and Buehlmann 2009).

With shares s_g of n independent draws, and weights w_g given the evidence, an
average m = sum w_g m_g is a ratio of two means over draws. Its standard error is, to first order,

.. math:: \sqrt{\frac{1}{n} \sum_g \frac{w_g^2}{s_g} (m_g - m)^2},

which is the usual sqrt(variance / n) without evidence. The square of 1 / n of the range of answers is added:
the change by one more draw of the farthest graph, for rare graphs with few draws. If only one graph was
drawn, others may have a share of 3 / n (the rule of three), and the answer may be off by this share of its
standard deviation. Exact weights have no such error: the error of an average is at most the share of the
omitted graphs, times the range of answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table, conform
from arcwise.distributions import Categorical, Distribution, log_sum
from arcwise.distributions.chain_diagnostics import Mixing
from arcwise.distributions.composites import blend
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.ask import marginal_log_density, predict, query, sample
from arcwise.inference.ask_options import AskOptions, EffortOptions
from arcwise.inference.belief import Belief, Quality, generator
from arcwise.inference.evidence import check_roles, plain, read_evidence
from arcwise.inference.joint_answers import States
from arcwise.inference.joint_belief import Beliefs
from arcwise.inference.predictions import Predictions
from arcwise.inference.ranges import Range
from arcwise.networks import Net, cut, whole
from arcwise.notes import Note, answer_note
from arcwise.values import is_several

__all__ = ["GraphOrigin"]

Array = NDArray[np.float64]

_NO_DENSITY = answer_note(
    "These networks have no density of the evidence, so it does not change the weights of graphs.",
)
_SOFT = answer_note("Sets, weights and intervals as evidence do not change the weights of graphs.")
_DRAWS = 4000
"""Draws that represent a joint answer."""


@dataclass(frozen=True, eq=False)
class GraphOrigin:
    """The origin of the weights of graphs.

    Parameters
    ----------
    size : number of independent draws behind the weights; infinite if they were computed.
    left : the probability of omitted graphs, for computed weights.
    groups : for each graph the number of the draw that it represents, if several represent one.

    >>> means, even = np.array([[1.0], [3.0]]), np.array([[0.5], [0.5]])
    >>> GraphOrigin(size=100.0).error(means, even[:, 0], even, np.ones(1)).round(4).tolist()
    [0.102]
    """

    size: float = math.inf
    left: float = 0.0
    groups: NDArray[np.intp] | None = None

    @property
    def exact(self) -> bool:
        """Whether averages are sums over all graphs."""
        return math.isinf(self.size) and self.left == 0.0

    def taken(self, picks: list[int]) -> GraphOrigin:
        """Return the origin for some of the graphs."""
        groups = None if self.groups is None else self.groups[picks]
        return GraphOrigin(self.size, self.left, groups)

    def error(self, values: Array, shares: Array, weights: Array, scale: Array) -> Array:
        """Return standard errors of averages.

        Parameters
        ----------
        values : values of each graph (graphs by numbers).
        shares : weights without evidence (graphs).
        weights : weights given the evidence (graphs by numbers, or by one).
        scale : standard deviation behind each mean; for a single graph.
        """
        if math.isinf(self.size):
            ratio = weights / np.where(shares > 0, shares, 1.0)[:, None]
            most = np.minimum(self.left * np.maximum(1.0, ratio.max(axis=0)), 1.0)
            bound: Array = most * (values.max(axis=0) - values.min(axis=0))
            return bound
        groups = np.arange(len(values)) if self.groups is None else self.groups
        _, group = np.unique(groups, return_inverse=True)
        if group.max() == 0:
            alone: Array = min(3.0 / self.size, 1.0) * np.asarray(scale, dtype=float)
            return alone
        off = weights * (values - (weights * values).sum(axis=0))
        sums = np.zeros((int(group.max()) + 1, off.shape[1]))
        np.add.at(sums, group, off)
        whole = np.bincount(group, shares)
        parts = sums**2 / np.where(whole > 0, whole, 1.0)[:, None]
        step = (
            values.max(axis=0) - values.min(axis=0)
        ) / self.size  # one more draw of the farthest
        errors: Array = np.sqrt(parts.sum(axis=0) / self.size + step**2)
        return errors


@dataclass(frozen=True, eq=False)
class Spread(Range):
    """The answers of the averaged graphs, with the weight of each.

    >>> from arcwise.distributions import Normal
    >>> beliefs = (Belief("y", Normal(2.0, 1.0)), Belief("y", Normal(0.0, 1.0)))
    >>> found = Spread(beliefs, (), weights=np.array([0.75, 0.25]))
    >>> found.between
    0.8660254037844386
    """

    weights: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def _graphs(self) -> str:
        return f"{len(self)} graph{'s' * (len(self) != 1)}"

    @property
    def between(self) -> float:
        """The standard deviation of the mean over graphs; for levels, the largest of a probability."""
        first = self.answers[0]
        if first.numeric:
            rows = np.array([answer.mean for answer in self.answers], dtype=float)
        else:
            rows = np.array([[*map(float, a.probabilities.values())] for a in self.answers])
        centre = np.average(rows, axis=0, weights=self.weights)
        squares = np.average((rows - centre) ** 2, axis=0, weights=self.weights)
        return float(np.sqrt(np.max(squares)))

    def lines(self) -> list[str]:
        """Return lines for the text of a belief."""
        notes = [f"  note: {note}" for note in self.notes]
        if self.same:
            return notes
        head = f"  over {self._graphs}:"
        names = getattr(self.answers[0], "names", None)
        if names is None:
            return [f"{head} {self._said()}", *notes]
        width = max(map(len, names))
        return [head, *(f"    {name:<{width}}  {self[name]._said()}" for name in names), *notes]

    def _said(self) -> str:
        what = "the means" if self.answers[0].numeric else "a probability"
        return f"{super()._said()}; sd of {what} over graphs {self.between:.3g}"

    def _numbers(self) -> dict[str, Any]:
        return {**super()._numbers(), "between": self.between}


class _Answers(NamedTuple):
    """Answers of single networks, with their weights given the evidence and without."""

    answers: tuple[Any, ...]
    weights: Array
    notes: tuple[Note, ...]
    shares: Array
    drawn: GraphOrigin

    def error(self, values: Any, scale: Any) -> Array:
        """Return errors of averages of numbers (networks by numbers)."""
        numbers = np.asarray(values, dtype=float).reshape(len(self.answers), -1)
        return self.drawn.error(numbers, self.shares, self.weights[:, None], np.atleast_1d(scale))


@dataclass(frozen=True, eq=False)
class AveragedBelief(Belief):
    """A belief averaged over graphs; its errors include those of drawing graphs.

    Parameters
    ----------
    parts : the beliefs of the single graphs.
    answered : their weights.
    """

    parts: tuple[Belief, ...] = ()
    answered: _Answers | None = field(default=None, repr=False)

    def _spread(self, share: float, event: Any) -> float:
        """Return the standard error of a probability."""
        if self.answered is None:
            return super()._spread(share, event)
        chances = [float(part.distribution.probability(event)[0]) for part in self.parts]
        errors = [part._spread(x, event) for part, x in zip(self.parts, chances, strict=True)]
        simulated = float(np.sqrt(np.sum((self.answered.weights * np.array(errors)) ** 2)))
        scale = np.sqrt(max(share * (1.0 - share), 0.0))
        return float(np.hypot(simulated, self.answered.error(chances, scale)[0]))


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Networks of the same variables, with weights that sum to one.

    Parameters
    ----------
    nets : the networks.
    weights : the weight of each.
    words : a description of the networks, for notes.
    drawn : the origin of the weights.
    """

    nets: tuple[Net, ...]
    weights: Array
    words: str = ""
    drawn: GraphOrigin = field(default_factory=GraphOrigin)

    def query(
        self,
        targets: str | Sequence[str],
        given: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        **options: Unpack[AskOptions],
    ) -> Belief | Beliefs:
        """Return beliefs about variables; parameters as of `arcwise.inference.query`."""
        answered = self._answered(targets, given, do, options)
        if not is_several(targets):
            belief = self._joined(list(answered.answers), answered)
            if not do:
                return belief
            return replace(belief, range=Spread(answered.answers, (), weights=answered.weights))
        singles = [
            self._joined([answer.singles[index] for answer in answered.answers], answered)
            for index in range(len(answered.answers[0].singles))
        ]
        net = self.nets[0]
        variables = tuple(net.variables[net.index(name)] for name in targets)
        rng = generator(options.get("seed", 0))
        parts = [
            answer.joint.sample(rng, int(count))
            for answer, count in zip(answered.answers, self._counts(answered.weights), strict=True)
            if count
        ]
        states = States(variables, np.concatenate(parts).T[:, :, None].copy())
        first = answered.answers[0]
        spread = Spread(answered.answers, (), weights=answered.weights) if do else None
        return Beliefs(tuple(singles), states, first.given, first.do, range=spread)

    @property
    def _over(self) -> tuple[Note, ...]:
        return (answer_note(self.words),) if self.words else ()

    def _counts(self, weights: Array) -> NDArray[np.intp]:
        """Return numbers of draws in proportion to weights."""
        ends = np.round(np.cumsum(weights) / weights.sum() * _DRAWS).astype(np.intp)
        counts: NDArray[np.intp] = np.diff(ends, prepend=0)
        return counts

    def _answered(self, targets: Any, given: Any, do: Any, options: Mapping[str, Any]) -> _Answers:
        """Return the answers of the networks that have one."""
        weights, notes = self._evidence(given, do)
        answers, picks = [], []
        refused: ArcwiseError | None = None
        for number in np.flatnonzero(weights > 0).tolist():
            try:
                answers.append(query(self.nets[number], targets, given, do, **options))
                picks.append(number)
            except FitError as error:
                refused = refused or error
        if not answers:
            raise refused or FitError("The evidence is impossible in every graph.")
        shares = weights[picks] / weights[picks].sum()
        return _Answers(tuple(answers), shares, notes, self.weights[picks], self.drawn.taken(picks))

    def _evidence(self, given: Any, do: Any) -> tuple[Array, tuple[Note, ...]]:
        """Return the weights of graphs given the evidence, and a note if the evidence cannot change them."""
        if not given:
            return self.weights, ()
        first = self.nets[0]
        evidence = read_evidence(first, given, do)
        check_roles(first, (), evidence)
        if not evidence.seen:
            return self.weights, (_SOFT,)
        values = plain(first, evidence.seen)
        row = conform({name: [value] for name, value in values.items()}, first.variables)
        forced = evidence.forced
        after = [cut(net, forced) if forced and net.directed else net for net in self.nets]
        lines, notes = self._seen(after, row)
        return lines[:, 0], (*notes, *((_SOFT,) if evidence.soft or evidence.ranges else ()))

    def _seen(self, nets: Sequence[Net], rows: Table) -> tuple[Array, tuple[Note, ...]]:
        """Return weights of graphs (graphs by rows) given observed rows."""
        plain = np.repeat(self.weights[:, None], rows.rows, axis=1)
        try:
            logs = np.stack([marginal_log_density(net, rows) for net in nets])
        except ArcwiseError:
            return plain, (_NO_DENSITY,)
        top = logs.max(axis=0)
        speaks = np.isfinite(top)  # a row that is impossible in all graphs leaves their weights
        posterior = plain * np.exp(np.where(speaks, logs - np.where(speaks, top, 0.0), 0.0))
        shares: Array = posterior / posterior.sum(axis=0)
        return shares, ()

    def _joined(self, answers: Sequence[Belief], found: _Answers) -> Belief:
        """Return the weighted average of several beliefs."""
        shape = blend([answer.distribution for answer in answers], found.weights)
        qualities = [answer.quality for answer in answers]
        notes = (*self._over, *found.notes, *(note for part in qualities for note in part.notes))
        errors = np.array([part.error for part in qualities])
        simulated = float(np.sqrt(np.sum((found.weights * errors) ** 2)))
        rhat = max(part.rhat for part in qualities)
        sure = all(part.exact for part in qualities)
        quality = Quality(
            float(np.hypot(simulated, np.max(found.error(*_numbers_of(answers, shape))))),
            math.nan if sure and not math.isinf(found.drawn.size) else rhat,
            min(found.drawn.size, *(part.ess for part in qualities)),
            next((part.way for part in qualities if part.way), "by drawn graphs"),
            tuple(dict.fromkeys(notes)),
        )
        first = answers[0]
        return AveragedBelief(
            first.name,
            shape,
            quality,
            given=first.given,
            do=first.do,
            parts=tuple(answers),
            answered=found,
        )

    def predict(self, table: Table, target: str, **options: Unpack[AskOptions]) -> Predictions:
        """Return predictions of a variable in every row; parameters as of `arcwise.inference.predict`."""
        others = [name for name in table.names if name != target]
        weights = np.repeat(self.weights[:, None], table.rows, axis=1)
        notes: tuple[Note, ...] = ()
        if others:
            weights, notes = self._seen(self.nets, table.select(others))
        parts = [predict(net, table, target, **options) for net in self.nets]
        first = parts[0]
        if first.levels is None:
            shape = blend([part.distribution for part in parts], weights)
        else:
            chances = np.stack([part.probabilities for part in parts])
            mean = np.einsum("kr,krl->rl", weights, chances)
            shape = Categorical(mean, first.levels, target)
        simulated = np.sqrt(
            np.sum((weights * np.stack([part.error for part in parts])) ** 2, axis=0)
        )
        mixing = Mixing(
            np.hypot(simulated, self._row_errors(parts, shape, weights)),
            np.max([part.rhat for part in parts], axis=0),
            np.minimum(np.min([part.ess for part in parts], axis=0), self.drawn.size),
        )
        messages = (*self._over, *notes, *(note for part in parts for note in part.notes))
        return Predictions(target, shape, mixing, tuple(dict.fromkeys(messages)), first.levels)

    def _row_errors(
        self, parts: Sequence[Predictions], shape: Distribution, weights: Array
    ) -> Array:
        """Return errors of the averages of rows by drawing graphs; for text levels, the largest."""
        if (levels := shape.nominal) is not None:
            chances = np.stack([part.probabilities for part in parts])
            spread = np.sqrt(levels.probabilities * (1.0 - levels.probabilities))
            errors = [
                self.drawn.error(chances[:, :, level], self.weights, weights, spread[:, level])
                for level in range(chances.shape[2])
            ]
            return np.asarray(np.max(errors, axis=0))
        means = np.stack([part.mean for part in parts])
        return self.drawn.error(means, self.weights, weights, shape.sd)

    def logpdf(self, table: Table, **options: Unpack[AskOptions]) -> Array:
        """Return the log density of each row, averaged over graphs, in nats."""
        logs = np.stack([marginal_log_density(net, table, **options) for net in self.nets], axis=1)
        with np.errstate(divide="ignore"):
            return log_sum(logs + np.log(self.weights))

    def sample(
        self,
        rng: np.random.Generator,
        draws: int,
        given: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        **options: Unpack[EffortOptions],
    ) -> Table:
        """Return draws: for each row a graph by its weight, then a row from its network."""
        rows = whole("number of draws", draws)
        weights = self.weights
        if given:
            weights, _ = self._evidence(given, do)
        picks = rng.choice(len(self.nets), size=rows, p=weights / weights.sum())
        columns: list[list[Any]] = [[] for _ in self.nets[0].variables]
        places: list[NDArray[np.intp]] = []
        for number in np.unique(picks).tolist():
            here = np.flatnonzero(picks == number)
            part = sample(self.nets[number], rng, len(here), given, do, **options)
            places.append(here)
            for column, values in zip(columns, part.columns, strict=True):
                column.append(values)
        if not places:
            return sample(self.nets[0], rng, 0, given, do, **options)
        back = np.argsort(np.concatenate(places), kind="stable")
        ordered = tuple(np.concatenate(column)[back] for column in columns)
        return Table(self.nets[0].variables, ordered)


def _numbers_of(answers: Sequence[Belief], shape: Distribution) -> tuple[list[Any], Array]:
    """Return means or probabilities of text levels of beliefs, and the standard deviations."""
    if (levels := shape.nominal) is not None:
        probabilities = levels.probabilities[0]
        chances = [answer.distribution.chances(len(probabilities))[0] for answer in answers]
        return chances, np.sqrt(probabilities * (1.0 - probabilities))
    return [answer.mean for answer in answers], shape.sd[:1]
