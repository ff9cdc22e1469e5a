"""A recipe: all choices of a learning run, in words, apart from the data.

`Recipe.run` turns words and a seed into objects, the one place where that happens, and learns a network
from a table. Cross-validation and the tuning of a penalty run the same recipe on parts of the rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from arcwise.api.options import options_of, split_options
from arcwise.conditionals import FAMILIES, Fits
from arcwise.data import Moments, Table
from arcwise.data.prepare import folds
from arcwise.errors import DataError, FitError, GraphError, WordError, unknown
from arcwise.graphs import DAG, Limits, Rules, random_dag
from arcwise.networks import BayesNet
from arcwise.results import Result, Watch
from arcwise.scores import SCORES, ArcPenalty, Cached, ExpertPrior, Score, Sum
from arcwise.search import SEARCHES

__all__ = ["Learned", "Recipe", "bound", "fit_network", "prepared", "prepared_table"]

_PARTS = {"all": ("folds",), "one": ("fraction",), "none": ()}


@dataclass(frozen=True)
class Learned:
    """What a recipe made of a table: the network, how it was found, and what was said on the way.

    `score` is the score without any penalty per arc: the one that edge strengths are measured in.
    """

    net: BayesNet
    result: Result
    score: Score
    limits: Limits
    words: Mapping[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Recipe:
    """The choices of a learning run; see `learn` for their meaning."""

    model: str = "auto"
    score: str | None = None
    search: str = "auto"
    start: str | DAG = "empty"
    penalty: float = 0.0
    rules: Rules = field(default_factory=Rules)
    expert: DAG | None = None
    expert_weight: float = 0.1
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check what no register can."""
        if not isinstance(self.rules, Rules):
            raise GraphError(f"Rules are made by Rules(required=[...], ...), not {self.rules!r}.")
        if not isinstance(self.expert, DAG | None):
            raise GraphError(f"The expert's graph must be a DAG, but {self.expert!r} came.")
        if not isinstance(self.seed, int | np.integer | None) or (self.seed or 0) < 0:
            raise WordError(f"The seed must be a whole number from 0 on, but {self.seed!r} came.")

    def run(self, source: Table | Moments, watch: Watch | None = None) -> Learned:
        """Learn a network from a table or from moments."""
        model, data, notes = prepared(source, self.model)
        fits = FAMILIES[model].bind(data)
        word, why = self._score_word(model, fits)
        search = self._search()
        for_search, for_score = split_options(
            self.options,
            (f"the search {self.search!r}", options_of(search)),
            (f"the score {word!r}", (*options_of(SCORES[word].bind), *_PARTS[SCORES[word].parts])),
        )
        streams = np.random.default_rng(self.seed).spawn(3)
        base = bound(word, fits, data, for_score, streams[0])
        if not base.lattice:  # local scores are dear: keep each one that was asked for
            base = Cached(base)
        limits = self.rules.on(fits.nodes)
        begin = self._start_graph(limits, streams[1])
        if _takes_rng(search):
            for_search["rng"] = streams[2]
        result = search(self._whole(base), begin, limits=limits, on_step=watch, **for_search)
        words = {"model": model, "score": word, "search": self.search}
        net = fit_network(result.graph, {model: fits}, (model,) * len(fits.nodes), data)
        return Learned(net, result, base, limits, words, (*notes, *why))

    def _score_word(self, model: str, fits: Fits) -> tuple[str, tuple[str, ...]]:
        """The score's word, and a sentence where the choice may surprise."""
        if self.score is not None:
            if not isinstance(self.score, str) or self.score not in SCORES:
                raise unknown("score", self.score, SCORES)
            return self.score, ()
        p, n = len(fits.nodes), fits.rows
        if p > np.sqrt(n):
            return "ebic", (
                f"With {p} columns for {n:g} rows (more than their square root) the score "
                "is the extended BIC, which keeps fewer false arcs; score='bic' takes the plain one.",
            )
        return "bic", ()

    def _search(self) -> Any:
        if not isinstance(self.search, str) or self.search not in SEARCHES:
            raise unknown("search", self.search, SEARCHES)
        return SEARCHES[self.search]

    def _whole(self, base: Score) -> Score:
        """The score with its priors over graphs."""
        parts = [base]
        if self.penalty:
            parts.append(ArcPenalty(base.nodes, base.rows, self.penalty))
        if self.expert is not None:
            expert = _over(self.expert, base.nodes, "expert's graph")
            parts.append(ExpertPrior(expert, base.rows, self.expert_weight))
        return base if len(parts) == 1 else Sum(parts)

    def _start_graph(self, limits: Limits, rng: np.random.Generator) -> DAG | None:
        """The graph that the search starts from; None for the required arcs alone."""
        if isinstance(self.start, DAG):
            return _over(self.start, limits.nodes, "start graph")
        if self.start == "empty":
            return None
        if self.start == "complete":
            return _complete(limits, rng)
        if self.start == "random":
            graph = random_dag(limits.nodes, min(2.0, len(limits.nodes) - 1), rng)
            return graph if limits.allows_graph(graph) else None
        raise unknown("start", self.start, ("empty", "complete", "random"))

    def but(self, **changes: Any) -> "Recipe":
        """The same recipe with some other choices."""
        return replace(self, **changes)


def _takes_rng(function: Any) -> bool:
    import inspect

    return "rng" in inspect.signature(function).parameters


def _over(graph: DAG, nodes: tuple[str, ...], what: str) -> DAG:
    extra = sorted(set(graph.nodes) - set(nodes))
    if extra:
        raise GraphError(f"The {what} has variables that the data lack: {', '.join(extra[:5])}.")
    return graph.over(nodes)


def _complete(limits: Limits, rng: np.random.Generator) -> DAG:
    """A complete DAG in random order, as far as the rules allow."""
    if limits.max_parents is not None:
        raise GraphError("A complete start has no room for max_parents: start empty.")
    order = _order(limits, rng)
    place = {node: i for i, node in enumerate(order)}
    parents = []
    for child in range(len(limits.nodes)):
        allowed = np.flatnonzero(limits.allowed_mask(child)).tolist()
        parents.append(tuple(x for x in allowed if place[x] < place[child]))
    return DAG(limits.nodes, tuple(parents))


def _order(limits: Limits, rng: np.random.Generator) -> list[int]:
    """A random order in which required parents come first."""
    key = rng.permutation(len(limits.nodes))
    required, placed = limits.start(), list[int]()
    waiting = [len(row) for row in required.parents]
    ready = [v for v, count in enumerate(waiting) if not count]
    while ready:
        node = min(ready, key=lambda v: key[v])
        ready.remove(node)
        placed.append(node)
        for child in required.children[node]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return placed


def prepared(source: Table | Moments, model: str) -> tuple[str, Table | Moments, tuple[str, ...]]:
    """Settle the model's word and bring the data into its form: kinds, complete rows, notes."""
    if model != "auto" and model not in FAMILIES:
        raise unknown("model", model, FAMILIES)
    if isinstance(source, Moments):
        if model not in ("auto", "gaussian"):
            raise FitError(
                f"Moments carry Gaussian models only, but model={model!r} was asked for."
            )
        return "gaussian", source, source.notes
    table = prepared_table(source, model)
    return "gaussian" if model == "auto" else model, table, table.notes


def prepared_table(source: Table, model: str) -> Table:
    """Bring a table into the form of a model: numbers where it takes numbers, complete rows."""
    if model == "auto" and all(v.discrete for v in source.variables):
        _refuse_discrete(source)
    table = source.continuous().complete()
    if table.rows < 2:
        raise DataError("Learning needs at least two rows, but the table has one.")
    fixed = [v.name for v in table.variables if v.discrete]
    if fixed and model in ("auto", "gaussian"):
        raise DataError(
            f"Column {fixed[0]!r} is discrete because its kind was asked for, and Gaussian models "
            "take numbers only: leave the column out, or do not name its kind."
        )
    return table


def _refuse_discrete(table: Table) -> None:
    """All columns discrete: only numeric levels can be taken as numbers."""
    if not all(v.numeric for v in table.variables):
        raise DataError(
            "All columns are discrete, and this version has no models for discrete variables yet: "
            "give it columns of numbers."
        )


def bound(
    word: str,
    fits: Fits,
    data: Table | Moments,
    options: Mapping[str, Any],
    rng: np.random.Generator,
) -> Score:
    """Bind a score by its word; scores of held-out rows get their parts here."""
    entry, rest = SCORES[word], dict(options)
    if entry.parts == "none":
        return entry.bind(fits, **rest)
    if isinstance(data, Moments):
        raise FitError(
            f"The score {word!r} needs the rows of the table, but only means and covariances were "
            "given: take bic, or read the file as a table."
        )
    if entry.parts == "all":
        parts = folds(data.rows, int(rest.pop("folds", 10)), rng)
        return entry.bind(fits, parts, **rest)
    fraction = float(rest.pop("fraction", 1 / 3))
    if not 0 < fraction < 1:
        raise WordError(f"fraction is the share of rows held out, between 0 and 1, not {fraction}.")
    part = np.sort(rng.permutation(data.rows)[: max(1, round(fraction * data.rows))])
    weight = float(len(part)) if data.weights is None else float(data.weights[part].sum())
    return entry.bind(fits, part, weight, **rest)


def fit_network(
    graph: DAG, fits: Mapping[str, Fits], models: tuple[str, ...], data: Table | Moments
) -> BayesNet:
    """Fit the local models of a graph."""
    conditionals = tuple(
        fits[model].conditional(child, graph.parents[child]) for child, model in enumerate(models)
    )
    return BayesNet(data.variables, graph, conditionals, models)
