"""A recipe: all choices of a learning run, in words, apart from the data.

`Recipe.run` turns words and a seed into objects, the one place where that happens, and learns a network
from a table. Cross-validation and the tuning of a penalty run the same recipe on parts of the rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np

from arcwise.api.options import options_of, split_options
from arcwise.api.start import over, start_graph
from arcwise.conditionals import FAMILIES, Family, Fits, suited
from arcwise.data import Moments, Table
from arcwise.data.prepare import folds
from arcwise.errors import DataError, FitError, GraphError, WordError, unknown
from arcwise.graphs import DAG, Limits, Rules
from arcwise.networks import BayesNet
from arcwise.results import Result, Watch
from arcwise.scores import SCORES, ArcPenalty, Cached, ExpertPrior, Score, Sum
from arcwise.search import SEARCHES

__all__ = ["Learned", "Recipe", "bound", "fit_network", "prepared", "settled_model"]

_PARTS: dict[str, dict[str, type]] = {"all": {"folds": int}, "one": {"fraction": float}, "none": {}}


_EXPERT_WEIGHT = 0.1  # nats per difference and row, where no other price is given


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
    expert_weight: float | Mapping[tuple[str, str], float] = 0.1
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
        model = settled_model(self.model, source)
        family, data = FAMILIES[model], prepared(source, model)
        word, given, why = self._settled_score(family, len(data.names), data.total)
        search, entry = self._search(), SCORES[word]
        for_search, for_score, for_model = split_options(
            {**given, **self.options},
            (f"the search {self.search!r}", options_of(search)),
            (f"the score {word!r}", options_of(entry.bind) | _PARTS[entry.parts]),
            (f"the model {model!r}", options_of(family.bind)),
        )
        fits = family.bind(data, **for_model)
        streams = np.random.default_rng(self.seed).spawn(3)
        base = bound(word, fits, data, for_score, streams[0])
        if not base.lattice:  # local scores are dear: keep each one that was asked for
            base = Cached(base)
        limits, bounded = self._limits(family, fits)
        begin = start_graph(self.start, limits, streams[1])
        if _takes_rng(search):
            for_search["rng"] = streams[2]
        result = search(self._whole(base), begin, limits=limits, on_step=watch, **for_search)
        words = {"model": model, "score": word, "search": self.search}
        net = fit_network(result.graph, {model: fits}, (model,) * len(fits.nodes), data)
        notes = tuple(filter(None, (*data.notes, why, bounded)))
        return Learned(net, result, base, limits, words, notes)

    def _settled_score(
        self, family: Family, columns: int, rows: float
    ) -> tuple[str, Mapping[str, float], str]:
        """The score's word, its options, and a sentence where the choice may surprise."""
        if self.score is None:
            return family.default_score(columns, rows)
        if not isinstance(self.score, str) or self.score not in SCORES:
            raise unknown("score", self.score, SCORES)
        return self.score, {}, ""

    def _limits(self, family: Family, fits: Fits) -> tuple[Limits, str]:
        """The rules on these columns; few rows bound the number of parents, and it is said."""
        most = family.default_parents(fits.rows)
        given = self.start.parents if isinstance(self.start, DAG) else ()
        least = max(map(len, (*given, *self.rules.on(fits.nodes).required)), default=0)
        if self.rules.max_parents is not None or most is None or most >= len(fits.nodes) - 1:
            return self.rules.on(fits.nodes), ""
        rules = replace_rules(self.rules, max(most, least))
        plural = "s" * (most != 1)
        note = f"Rows are few ({fits.rows:g}): a variable may have {most} parent{plural} at most."
        return rules.on(fits.nodes), f"{note} A rule max_parents=N sets another bound."

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
            expert = over(self.expert, base.nodes, "expert's graph")
            parts.append(_expert_prior(expert, base.rows, self.expert_weight))
        return base if len(parts) == 1 else Sum(parts)

    def but(self, **changes: Any) -> "Recipe":
        """The same recipe with some other choices."""
        return replace(self, **changes)


def _takes_rng(function: Any) -> bool:
    import inspect

    return "rng" in inspect.signature(function).parameters


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


def replace_rules(rules: Rules, max_parents: int) -> Rules:
    """The same rules with a bound on the number of parents."""
    return Rules(rules.required, rules.forbidden, rules.tiers, max_parents)


def settled_model(model: str, source: Table | Moments) -> str:
    """The family's word; "auto" goes by the kinds of columns."""
    if model == "auto":
        return suited(source.variables)
    if not isinstance(model, str) or model not in FAMILIES:
        raise unknown("model", model, FAMILIES)
    return model


@overload
def prepared(source: Table, model: str) -> Table: ...
@overload
def prepared(source: Moments, model: str) -> Moments: ...
def prepared(source: Table | Moments, model: str) -> Table | Moments:
    """Bring data into the form that a family takes; moments are in it already."""
    if isinstance(source, Moments):
        return source
    table = FAMILIES[model].prepare(source)
    if table.weights is None:
        return table
    table = table.take(np.flatnonzero(table.weights > 0))  # a row that never happened is no row
    if table.total < 2:
        raise DataError(
            f"Weights say how often rows count, and these sum to {table.total:g}: give numbers of "
            "rows, not shares."
        )
    return table


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
