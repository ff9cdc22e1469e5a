"""Learning problem: a specification bound to data, with its family and score.

`Problem.bind` resolves kinds of columns, missing values, the family's check, sufficient statistics and the
score. Learners are subclasses (`directed`, `boundary`, `correlations`, `lasso`): they learn at a penalty, or
at many, without another binding.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Defaults, DefaultScore, Family, Fits
from arcwise.data import Complete, Statistics, pseudo_rows
from arcwise.errors import FitError, GraphError, plural, unknown
from arcwise.graphs import DAG, Limits, UGraph
from arcwise.learners.options import checked_options, has_parameter, options_of
from arcwise.learners.specification import Specification, prepare_data
from arcwise.networks import Net
from arcwise.notes import Blank, Fix, Note, NoteKind, Stop, notes_of
from arcwise.results import ASKED, Path, SearchEnd, Step, Trail, Watch
from arcwise.scores import SCORES, CachedScore, Score

__all__ = [
    "FEW",
    "LearnedNetwork",
    "Problem",
    "TunedPenalty",
    "score_options",
]

Array = NDArray[np.float64]

FEW = 10
"""Number of rows below which a note warns that no graph means much."""

_LONG = 10.0  # seconds that deserve a word beforehand


@dataclass(frozen=True)
class TunedPenalty:
    """A penalty with the rule that chose it, its curve, and the reason as a sentence."""

    penalty: float
    curve: tuple[Mapping[str, float], ...] = ()
    rule: str | None = None
    reason: str = ""


def _no_search() -> None:
    """Search of a problem without a learner: it has no options."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A specification bound to data; each learner is a subclass that learns a graph.

    `family` is that of each variable, `source` the prepared data, and `data` the same with the artificial
    rows of an expert; `options` are those of the search; `penalty` is the requested one, or the family's
    default.

    A learner has a kind of `graph` and the names of its `searches`, each with the function whose keyword-only
    parameters are its options.
    """

    graph: ClassVar[str] = "directed"
    searches: ClassVar[Mapping[str, Callable[..., Any]]] = {"auto": _no_search}
    own_score: ClassVar[str | None] = None
    default_rule: ClassVar[str | None] = None

    spec: Specification
    family: Family
    source: Statistics
    data: Statistics
    fits: Fits
    defaults: Defaults
    score_word: str
    score_options: Mapping[str, Any]
    options: Mapping[str, Any]
    penalty: float
    notes: tuple[Note, ...]

    # -- binding ---------------------------------------------------------------------------------

    @classmethod
    def takes(cls, spec: Specification) -> bool:
        """Return whether this learner accepts a specification with its kind of graph; its family is
        chosen.
        """
        return spec.search in cls.searches

    @classmethod
    def bind(cls, spec: Specification, statistics: Statistics, watch: Watch | None = None) -> Self:
        """Bind a specification to data; `watch` may stop the estimation of missing values."""
        spec, rows = prepare_data(spec, statistics, watch=watch)
        return cls.bind_prepared(spec, rows)

    @classmethod
    def bind_prepared(cls, spec: Specification, rows: Statistics) -> Self:
        """Bind a specification to prepared data."""
        family, data = spec.family, rows
        if spec.pseudo_rows is not None:
            data = rows.merged(Complete(pseudo_rows(spec.pseudo_rows, rows.variables)))
        defaults = family.defaults(data)
        word, options, why = cls._settled_score(spec, defaults.score)
        if spec.search not in list(cls.searches):
            raise unknown("search", spec.search, sorted(cls.searches))
        for_search = checked_options(
            f"the search {spec.search!r}",
            spec.search_options,
            options_of(cls.searches[spec.search]),
        )
        for_score = {**options, **spec.score_options}
        inner: dict[str, Callable[[], Any]] = {
            "threads": lambda: spec.threads,
            "rng": lambda: spec.stream(3),
        }
        for_family = {
            member.name: {**spec.model_options.get(member.name, {})}
            | {name: give() for name, give in inner.items() if has_parameter(member.fits, name)}
            for member in family.members
        }
        penalty, price = _default_penalty(spec, defaults.penalty, data)
        return cls(
            spec,
            family,
            rows,
            data,
            family.bind_members(data, for_family),
            defaults,
            word,
            for_score,
            for_search,
            penalty,
            notes_of(NoteKind.MODEL, *data.notes, why, price, _few(data.total)),
        )

    @classmethod
    def _settled_score(cls, spec: Specification, default: DefaultScore) -> DefaultScore:
        """Return the score's name, its options, and a sentence if the choice may surprise.

        A tuned penalty replaces a score's penalty for parameters.
        """
        word = cls.own_score or spec.score
        if word is None:
            score = spec.score_default or default
            return _without_charges(score) if spec.rule else score
        if not isinstance(word, str) or word not in SCORES:
            raise unknown("score", word, SCORES)
        return DefaultScore(word)

    def said(self, *notes: Note | str | None) -> Self:
        """Return the problem with further notes, if any."""
        return replace(self, notes=(*self.notes, *notes_of(NoteKind.MODEL, *notes)))

    def retuned(self, graph: DAG) -> Self | None:
        """Return the problem with shared parameters tuned to a graph; None if nothing changes."""
        fits = self.fits.retuned(graph) if self.fits.shared else None
        return None if fits is None else replace(self, fits=fits)

    @cached_property
    def score(self) -> Score:
        """The score, without priors; slow local scores are cached."""
        entry, rng = SCORES[self.score_word], self.spec.stream(0)
        score = entry.tie(self.fits, rng, **self.score_options)
        return score if score.lattice else CachedScore(score)

    @property
    def search(self) -> Callable[..., Any]:
        """The function of the search."""
        return self.searches[self.spec.search]

    @property
    def model(self) -> str:
        """The names of the kinds of local models."""
        return self.family.name

    @property
    def usual_penalty(self) -> float:
        """The family's default penalty per edge for these rows."""
        return self.family.default_penalty(len(self.source.names), self.source.effective_rows)

    @property
    def words(self) -> dict[str, str]:
        """Return the choices as text."""
        choices = {"model": self.model, "score": self.score_word, "search": self.spec.search}
        return choices if self.graph == "directed" else {"graph": self.graph, **choices}

    @property
    def bounds(self) -> dict[str, Any]:
        """Return bounds on graphs that no rule set, as plain values."""
        return {}

    def foretell(self, models: int, watch: Watch | None, least: bool = False) -> None:
        """Return a note on the time of a run of this many models, if it is long."""
        seconds = self.fits.seconds(len(self.fits.nodes) // 2)
        total = seconds * models
        if watch is None or total < _LONG:
            return
        text = f"{total:.0f} s" if total < 120 else f"{total / 60:.0f} min"
        more = "at least " if least else "about "
        what = f"{more}{text} expected ({models} local models, {seconds:.2g} s each)"
        watch(Step(-1, what, -1, -1, float("nan"), 0, 0.0))

    # -- learning --------------------------------------------------------------------------------

    def learn(self, penalty: float, watch: Watch | None = None) -> "LearnedNetwork":
        """Return the learned network: search for the graph at a penalty, and fit its local models."""
        raise NotImplementedError("local models and scores have no search")

    def structure(self, penalty: float, watch: Watch | None = None) -> DAG | UGraph:
        """Return only the graph at a penalty, as quickly as possible: for many similar
        tables.

        Raises
        ------
        Interrupted : the callback stopped it before there was a graph.
        """
        graph = self.learn(penalty, watch).net.graph
        Trail(watch).check()
        return graph

    def structures(
        self, penalties: Sequence[float], watch: Watch | None = None
    ) -> tuple[UGraph, ...]:
        """Return only the graphs at several penalties, from one path.

        Raises
        ------
        Interrupted : the callback stopped it before the end of the path.
        """
        path = self.path(watch)
        if path.stopped == ASKED:
            raise SearchEnd
        return tuple(path.at(penalty) for penalty in penalties)

    def grid(self) -> Array:
        """Return a grid of penalties, for rules that choose one."""
        raise FitError(
            f"The search {self.spec.search!r} has no penalty to choose: leave {{penalty=}} out.",
            fixes=[Fix("penalty")],
        )

    def along(self, penalties: Array, watch: Watch | None) -> list[Net] | None:
        """Return a network for each penalty; None if the callback stopped a run early."""
        return [self.learn(penalty, watch).net for penalty in penalties.tolist()]

    def path(self, watch: Watch | None = None) -> Path:
        """Return the graphs at all penalties, if one run gives them."""
        raise GraphError(
            "A path removes edges from the complete undirected graph one by one: for directed "
            "graphs call learn(..., penalty=...) for each penalty."
        )

    def graph_at(self, path: Path, penalty: float) -> UGraph:
        """Return the graph at a penalty of a path."""
        return path.at(penalty)

    def learn_at(self, path: Path, penalty: float) -> "LearnedNetwork":
        """Return the network at a penalty of a path."""
        return self.learn(penalty)


@dataclass(frozen=True, eq=False)
class LearnedNetwork:
    """The result of a problem: the network, the result of the search, and notes.

    `total` is the graph's score with its penalties; `limits` are the rules on these columns; `decided` is
    whether the run was complete; `scored` whether the problem's score without a penalty per edge selected the
    graph, so that edges are measured by it.
    """

    problem: Problem
    net: Net
    total: float
    penalty: float
    trace: tuple[Step, ...]
    stopped: Stop
    limits: Limits
    optimal: bool = False
    settled: bool = False
    scored: bool = True
    words: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    tuned: TunedPenalty | None = None


def _without_charges(default: DefaultScore) -> DefaultScore:
    """Return the score's options without penalties for parameters or parents."""
    if SCORES[default.word].charges is not None:
        return DefaultScore("loglik")
    return default._replace(options={k: v for k, v in default.options.items() if k != "gamma"})


def _few(rows: float) -> str:
    if rows >= FEW:
        return ""
    return (
        f"With {rows:g} rows almost any columns look related: edges are meaningless, "
        "whatever the score."
    )


def _default_penalty(
    spec: Specification, default: float, data: Statistics
) -> tuple[float, Note | None]:
    """Return the penalty, and a note if it is the family's default."""
    if spec.penalty is not None or spec.rule is not None or not default:
        return spec.penalty or 0.0, None
    rows = data.effective_rows
    weighted = rows != data.total
    size = f"weights worth {rows:.0f} equal rows" if weighted else f"{rows:.0f} rows"
    text = (
        f"The penalty per edge is {default:.3g} nats per row, the default of {spec.family.name} networks "
        f"with {size} and {plural(len(data.names), 'column')}; {{penalty=}} sets another, 'cv' tunes it."
    )
    return default, Note(NoteKind.PENALTY, text, fixes=(Fix("penalty", Blank("NUMBER")),))


def score_options(word: str) -> dict[str, Any]:
    """Return the options of a score, with those that select held-out rows."""
    entry = SCORES[word]
    return options_of(entry.bind) | {
        word: type(usual) for word, usual in entry.part_options.items()
    }
