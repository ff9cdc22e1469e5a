"""A recipe: all choices of a learning run, in words, apart from the data; and its bench.

`laid_out` turns words and a seed into objects, the one place where that happens: what every kind of graph
needs of the data stands on the `Bench`. What is done on it is the kind's own (`directed`, `undirected`).
Cross-validation and the tuning of a penalty run the same recipe on parts of the rows.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from arcwise.api.options import options_of, split_options
from arcwise.conditionals import FAMILIES, DefaultScore, Family, Fits, suited
from arcwise.data import Moments, Table, conform
from arcwise.data.prepare import folds
from arcwise.errors import DataError, FitError, GraphError, WordError, unknown
from arcwise.graphs import DAG, Rules
from arcwise.networks import Net
from arcwise.results import Step, Watch
from arcwise.scores import SCORES, Cached, Score

__all__ = [
    "FEW",
    "Bench",
    "Learned",
    "Recipe",
    "bound",
    "foretell",
    "laid_out",
    "prepared",
    "rows_for",
    "settled_model",
]

FEW = 10
"""With fewer rows than this no graph means much, and it is said."""

_LONG = 10.0  # seconds that deserve a word beforehand
_PARTS: dict[str, dict[str, type]] = {"all": {"folds": int}, "one": {"fraction": float}, "none": {}}
_CHARGING = ("aic", "bic", "ebic")  # scores with a price of their own for parameters


@dataclass(frozen=True)
class Recipe:
    """The choices of a learning run; see `learn` for their meaning.

    `penalty` None is the family's own; `tuned` says that it will be found by cross-validation, and
    `threads` how many of them a family may use inside.
    """

    graph: str = "directed"
    model: str = "auto"
    score: str | None = None
    search: str = "auto"
    start: str | DAG = "empty"
    penalty: float | None = None
    rules: Rules = field(default_factory=Rules)
    expert: DAG | None = None
    expert_weight: float | Mapping[tuple[str, str], float] = 0.1
    prior_rows: Any = None
    seed: int = 0
    tuned: bool = False
    threads: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check what no register can."""
        if not isinstance(self.rules, Rules):
            raise GraphError(f"Rules are made by Rules(required=[...], ...), not {self.rules!r}.")
        if not isinstance(self.expert, DAG | None):
            raise GraphError(f"The expert's graph must be a DAG, but {self.expert!r} came.")
        if not isinstance(self.seed, int | np.integer | None) or (self.seed or 0) < 0:
            raise WordError(f"The seed must be a whole number from 0 on, but {self.seed!r} came.")

    def settled_score(self, family: Family, columns: int, rows: float) -> DefaultScore:
        """The score's word, its options, and a sentence where the choice may surprise.

        Where the penalty is tuned, it takes the place of a score's own price for parameters.
        """
        if self.score is None:
            chosen = family.default_score(columns, rows)
            return DefaultScore("loglik") if self.tuned and chosen.word in _CHARGING else chosen
        if not isinstance(self.score, str) or self.score not in SCORES:
            raise unknown("score", self.score, SCORES)
        return DefaultScore(self.score)

    def but(self, **changes: Any) -> "Recipe":
        """The same recipe with some other choices."""
        return replace(self, **changes)


@dataclass(frozen=True)
class Learned:
    """What a recipe made of a table: the network, how it was found, and what was said on the way.

    `total` is the graph's score with its penalties; `score` is the score without any penalty per edge,
    the one that edge strengths are measured in; `limits` are the rules on these columns; `settled` says
    that nothing would change had the run gone on; `scored` that the score made the graph, so that edges
    are measured by it; `fits` are the local models tied to the data, to fit others of a directed graph.
    """

    net: Net
    total: float
    trace: tuple[Step, ...]
    stopped: str
    optimal: bool
    score: Score
    limits: Any
    penalty: float
    words: Mapping[str, str]
    notes: tuple[str, ...]
    settled: bool = False
    scored: bool = True
    fits: Fits | None = None


@dataclass(frozen=True)
class Bench:
    """All that a learning run needs of its data, whatever the kind of graph.

    `score` has no priors in it; `search` is the function behind the word, with its `options`;
    `chance` are streams of random numbers for starts and for searches.
    """

    recipe: Recipe
    model: str
    data: Table | Moments
    fits: Fits
    score: Score
    score_word: str
    score_options: Mapping[str, Any]
    search: Callable[..., Any]
    options: Mapping[str, Any]
    penalty: float
    chance: tuple[np.random.Generator, np.random.Generator]
    notes: tuple[str, ...]

    @property
    def family(self) -> Family:
        """The kind of local models."""
        return FAMILIES[self.model]

    @property
    def models(self) -> tuple[str, ...]:
        """The model's word, for each variable."""
        return (self.model,) * len(self.fits.nodes)

    @property
    def words(self) -> dict[str, str]:
        """What was chosen, in words."""
        return {"model": self.model, "score": self.score_word, "search": self.recipe.search}

    def retuned(self, graph: DAG) -> "Bench | None":
        """The same with what local models share tuned to a graph; None where nothing changes."""
        fits = self.fits.retuned(graph)
        if fits is None:
            return None
        score = _scored(self.score_word, fits, self.data, self.score_options, self.recipe.seed)
        return replace(self, fits=fits, score=score)


def laid_out(
    recipe: Recipe,
    source: Table | Moments,
    searches: Mapping[str, Callable[..., Any]],
) -> Bench:
    """Turn words into objects, and tie them to data.

    Parameters
    ----------
    recipe : the choices.
    source : the data.
    searches : the register of searches for this kind of graph.
    """
    model = settled_model(recipe.model, source)
    family, data = FAMILIES[model], prepared(source, model)
    data, added = _with_prior(data, recipe.prior_rows)
    word, given, why = recipe.settled_score(family, len(data.names), data.total)
    if not isinstance(recipe.search, str) or recipe.search not in searches:
        raise unknown("search", recipe.search, searches)
    search = searches[recipe.search]
    for_search, for_score, for_model = split_options(
        {**given, **recipe.options},
        (f"the search {recipe.search!r}", options_of(search)),
        (f"the score {word!r}", score_options(word)),
        (f"the model {model!r}", options_of(family.bind)),
        elsewhere=_elsewhere,
    )
    _, *chance, for_family = np.random.default_rng(recipe.seed).spawn(4)
    inner = {"threads": recipe.threads, "rng": for_family}
    for_model |= {word: each for word, each in inner.items() if _takes(family.bind, word)}
    fits = family.bind(data, **for_model)
    if _takes(search, "rng"):
        for_search["rng"] = chance[1]
    penalty, price = _priced(recipe, family, data)
    return Bench(
        recipe,
        model,
        data,
        fits,
        _scored(word, fits, data, for_score, recipe.seed),
        word,
        for_score,
        search,
        for_search,
        penalty,
        (chance[0], chance[1]),
        tuple(filter(None, (*data.notes, added, why, price, _few(data.total)))),
    )


def _few(rows: float) -> str:
    if rows >= FEW:
        return ""
    return f"With {rows:g} rows almost any columns look related: no edge means anything, whatever its score."


def score_options(word: str) -> dict[str, Any]:
    """The options of a score, with those that say which rows it holds out."""
    entry = SCORES[word]
    return options_of(entry.bind) | _PARTS[entry.parts]


def _elsewhere(option: str) -> list[str]:
    """Words that take an option; asked for late, as the registers of searches lie above."""
    from arcwise.api.takers import takers_of

    return takers_of(option)


def foretell(bench: Bench, models: int, watch: Watch | None, least: bool = False) -> None:
    """Say how long a run will take, before it, where that is long: `models` are to be fitted."""
    if watch is None:
        return
    each = bench.fits.seconds(len(bench.fits.nodes) // 2)
    total = each * models
    if total < _LONG:
        return
    said = f"{total:.0f} s" if total < 120 else f"{total / 60:.0f} min"
    more = "at least " if least else "about "
    what = f"{more}{said} expected ({models} local models, {each:.2g} s each)"
    watch(Step(-1, what, -1, -1, float("nan"), 0, 0.0))


def _priced(recipe: Recipe, family: Family, data: Table | Moments) -> tuple[float, str]:
    """The penalty, and a sentence where it is the family's own."""
    if recipe.penalty is not None:
        return recipe.penalty, ""
    weighted = isinstance(data, Table) and data.weights is not None
    rows = data.effective_rows if isinstance(data, Table) else data.total
    own = 0.0 if recipe.tuned else family.default_penalty(len(data.names), rows)
    known = f"weights worth {rows:.0f} equal rows" if weighted else f"{rows:.0f} rows"
    note = (
        f"The penalty per edge is {own:.3g} nats per row, the default of {family.name} networks with "
        f"{known} and {len(data.names)} columns; penalty=NUMBER sets another, 'cv' tunes it."
    )
    return own, note if own else ""


def _scored(
    word: str, fits: Fits, data: Table | Moments, options: Mapping[str, Any], seed: int
) -> Score:
    """The score by its word; local scores that are dear are kept once they were asked for."""
    score = bound(word, fits, data, options, np.random.default_rng(seed).spawn(3)[0])
    return score if score.lattice else Cached(score)


def _takes(function: Callable[..., Any], parameter: str) -> bool:
    return parameter in inspect.signature(function).parameters


def settled_model(model: str, source: Table | Moments) -> str:
    """The family's word; "auto" goes by the kinds of columns."""
    if model == "auto":
        return suited(source.variables)
    if not isinstance(model, str) or model not in FAMILIES:
        raise unknown("model", model, FAMILIES)
    return model


@overload
def prepared(source: Table, model: str | Family) -> Table: ...
@overload
def prepared(source: Moments, model: str | Family) -> Moments: ...
def prepared(source: Table | Moments, model: str | Family) -> Table | Moments:
    """Bring data into the form that a family takes; moments are in it already."""
    if isinstance(source, Moments):
        return source
    table = (FAMILIES[model] if isinstance(model, str) else model).prepare(source)
    if table.weights is None:
        return table
    table = table.take(np.flatnonzero(table.weights > 0))  # a row that never happened is no row
    if table.total < 2:
        raise DataError(
            f"Weights say how often rows count, and these sum to {table.total:g}: give numbers of "
            "rows, not shares."
        )
    return table


def rows_for(recipe: Recipe, source: Table) -> Table:
    """The rows that learning takes its numbers from: those without gaps, unless pairs of columns do."""
    if recipe.options.get("gaps") == "pairwise":
        return source.continuous()
    return prepared(source, settled_model(recipe.model, source))


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


def _with_prior(data: Table | Moments, rows: Any) -> tuple[Table | Moments, str]:
    """The data with an expert's artificial rows among them, and a sentence about these.

    They count exactly like real ones: fitted to, used as centres, and scored.
    """
    if rows is None:
        return data, ""
    if isinstance(data, Moments):
        raise FitError("prior_rows are added to the rows of a table, but moments were given.")
    given = conform(rows, data.variables)
    empty = [name for name, gaps in zip(data.names, given.missing().T, strict=True) if gaps.any()]
    if empty:
        raise DataError(
            f"prior_rows need a value in every row of each column; {empty[0]!r} has gaps, or is not "
            "there at all."
        )
    if not given.rows:
        raise DataError("prior_rows hold no row.")
    weights = None
    if data.weights is not None or given.weights is not None:
        weights = np.concatenate([_weights(data), _weights(given)])
    columns = tuple(map(np.concatenate, zip(data.columns, given.columns, strict=True)))
    many = given.rows != 1
    said = f"{given.rows} artificial row{'s' * many} count{'s' * (not many)} like real ones."
    return replace(data, columns=columns, weights=weights), said


def _weights(table: Table) -> NDArray[np.float64]:
    return np.ones(table.rows) if table.weights is None else table.weights
