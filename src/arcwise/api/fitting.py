"""Networks on graphs that are known: fitted to data, and scored."""

import contextlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from arcwise.api.choices import Models, ScoreChoice, models_of, score_of
from arcwise.api.net import Network
from arcwise.api.options import Model, ScoreOption
from arcwise.api.unknown_parameters import with_advice
from arcwise.conditionals import Fits, choose
from arcwise.data import Source, any_table, fingerprint, statistics_of
from arcwise.errors import FitError, GraphError, close_to, unknown
from arcwise.graphs import DAG, UGraph, graph_of
from arcwise.learners.parameters import (
    PSEUDO,
    Total,
    directed_net,
    fitting_note,
    is_pseudo,
    markov_net,
    noise_note,
    pseudo_total,
    retune,
    undirected_total,
)
from arcwise.learners.settings import score_settings
from arcwise.learners.specification import Specification, prepare_data
from arcwise.networks import Net
from arcwise.notes import Fix, NoteKind, notes_of
from arcwise.scores import SCORES, Score

__all__ = ["fit", "fit_conditionals", "score"]


@with_advice
def fit(
    graph: Any,
    data: Any,
    *,
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    missing: str = "auto",
    seed: int = 0,
) -> Network:
    """Fit the local models of a given graph.

    Parameters
    ----------
    graph : a graph over (some of) the columns, in any form that `dag` or `ug` takes.

        * Directed: "a -> b <- c", pairs (parent, child), a mapping from children to parents, a model string,
          a matrix, a networkx DiGraph.
        * Undirected: a UGraph such as `ug("a:b + b:c")`, or edges such as "a -- b, b -- c".
        * `UGraph.complete(names)`: each variable given all others, without any structure.
    data : as for `learn`.
    model : as for `learn`; each column is prepared for its own model.
    score : the score of the graph and its edges. The default is BIC if all local models have a number of
        parameters, else "marginal" for neural networks, or "loo". "pseudo-bic", "pseudo-loo" and so on are
        the sum over variables given their neighbours, for undirected graphs.
    missing : as for `learn`.
    seed : the seed of scores that hold out rows.

    Returns
    -------
    Network : an undirected Gaussian network is the normal distribution of largest likelihood on the graph.
    The score of an undirected network is that of its joint distribution, comparable with directed graphs.
    If there is none, it is the pseudo-score, and `settings["score"]` has a name such as "pseudo-loo".

    >>> import arcwise as aw
    >>> net = aw.fit("[RM][MEDV|RM]", aw.example("boston"))
    >>> net["MEDV"].coefficients.round(3).tolist()
    [9.102]
    """
    known = _bind(graph, data, models_of(model), score_of(score), missing, seed)
    on, fits = known.graph, known.fits
    net = directed_net(on, fits) if on.directed else markov_net(on, fits)
    total = known.total(net)
    said = {"model": ", ".join(sorted(set(fits.models))), "score": total.word}
    said |= score_settings(known.score, known.options, len(net.names))
    own = not net.directed and net.joint is not None and known.default
    found = (_no_joint(net), noise_note(net, fits), fitting_note(net))
    return Network(
        net,
        score=total.value,
        settings=said | ({"model_options": known.model_options} if known.model_options else {}),
        notes=(*fits.statistics.notes, *notes_of(NoteKind.MODEL, *found)),
        order=known.source.order,
        rows=fits.statistics.total,
        fingerprint=fingerprint(known.source),
        scorer=None if own and fits.normal else known.measure,
        data=known.whole,
    )


@with_advice
def fit_conditionals(
    data: Any,
    *,
    model: str | Model | Mapping[str, str | Model] = "auto",
    missing: str = "auto",
    seed: int = 0,
) -> Network:
    """Fit a model of each variable given all others, without any structure.

    The network predicts any variables from any others (Hofmann and Tresp 1995, Heckerman et al. 2000); Gibbs
    sampling replaces missing values of the others.

    Parameters
    ----------
    data, model, missing : as for `learn`.
    seed : of scores that hold out rows.

    Returns
    -------
    Network : on the complete undirected graph.

    >>> import arcwise as aw
    >>> homes = aw.example("boston").select(["LSTAT", "MEDV", "RM"])
    >>> net = aw.fit_conditionals(homes, model=aw.Neural(trained=False))
    >>> net.parents("MEDV") if net.directed else net.blanket("MEDV")
    ('LSTAT', 'RM')
    """
    table = any_table(data)
    graph = UGraph.complete(table.names)
    return fit(graph, table, model=model, missing=missing, seed=seed)


@with_advice
def score(
    graph: Any,
    data: Any,
    *,
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    missing: str = "auto",
    seed: int = 0,
) -> float:
    """Score a given graph; higher is better, and no penalty per edge is included.

    The score of an undirected graph is that of its joint distribution, comparable with directed graphs. The
    sum over variables given their neighbours compares undirected graphs of the same variables only; it is
    score="pseudo-bic", "pseudo-loo" and so on.

    Parameters
    ----------
    graph, data, model, score, missing, seed : as for `fit`.

    >>> import arcwise as aw
    >>> homes = aw.example("boston")
    >>> aw.score("RM -> MEDV", homes) > aw.score("[RM][MEDV]", homes)
    True
    """
    known = _bind(graph, data, models_of(model), score_of(score), missing, seed)
    on = known.graph
    total = known.total(on if on.directed else markov_net(on, known.fits))
    if is_pseudo(total.word) and not known.pseudo:
        raise FitError(
            f"The score {known.score!r} has no value for the joint distribution of this "
            f"undirected graph: use {{score=}} for the sum over variables given their "
            "neighbours, which compares undirected graphs of the same variables only.",
            fixes=[Fix("score", total.word)],
        )
    return total.value


class _BoundFit(NamedTuple):
    """A known graph over columns (`source`) of the `whole` data, what its local models are fitted from, and
    its score.

    `score` is the name of the score, `options` are its settings, `model_options` those of the models;
    `default` says that the score was not requested, and `pseudo` that its sum over variables given their
    neighbours was.
    """

    graph: DAG | UGraph
    source: Source
    whole: Source
    fits: Fits
    score: str
    measure: Score
    options: Mapping[str, Any]
    model_options: Mapping[str, Mapping[str, Any]]
    default: bool
    pseudo: bool

    def total(self, net: Net | DAG) -> Total:
        """The score of the whole graph, with its name."""
        if self.pseudo and not net.directed:
            return pseudo_total(net, self.measure, self.score)
        if not net.directed:
            return undirected_total(net, self.fits, self.measure, self.score, self.options)
        total = sum(self.measure.local(node, row) for node, row in enumerate(net.inputs))
        return Total(float(total), self.score)


def _no_joint(net: Net) -> str:
    """A sentence where an undirected Gaussian network has no joint distribution."""
    if net.directed or net.joint is not None or set(net.models) != {"gaussian"}:
        return ""
    return (
        "The likelihood has no maximum on this graph (too few rows for its cliques, or columns "
        "that determine each other): each variable is regressed on its neighbours separately, "
        "and answers are simulated."
    )


def _bind(
    graph: Any, data: Any, models: Models, scored: ScoreChoice, missing: str, seed: int
) -> _BoundFit:
    """Tie families and a score to the data; the parameters are those of `fit`."""
    known = graph_of(graph)
    pseudo = not known.directed and is_pseudo(scored.name)
    score = scored.name.removeprefix(PSEUDO) if pseudo and scored.name else scored.name
    if score is not None and score not in SCORES:
        raise unknown("score", score, SCORES)
    whole = any_table(data)
    source = _columns_of(known, whole)
    family = choose(
        models.choice, source.variables, graph="directed" if known.directed else "undirected"
    )
    working = Specification(np.random.default_rng(seed), model=family, score=score, missing=missing)
    inputs = known.over(source.names) if isinstance(known, DAG) else None
    _, ready = prepare_data(working, statistics_of(source), inputs)
    on = known.over(ready.names)
    rng = np.random.default_rng(seed).spawn(4)[0]  # that of `learn`
    fits = retune(family.bind_members(ready, models.options), on)
    name = score or _default_score(fits)
    measure = SCORES[name].tie(fits, rng, **scored.options)
    return _BoundFit(
        on,
        source,
        whole,
        fits,
        name,
        measure,
        scored.options,
        models.options,
        score is None,
        pseudo,
    )


def _columns_of(graph: DAG | UGraph, data: Source) -> Source:
    """The columns of the data that a graph has, in their order."""
    lacking = sorted(set(graph.nodes) - set(data.names))
    if lacking:
        raise GraphError(
            f"The graph has a variable {lacking[0]!r} that is not in the data. "
            f"{close_to(lacking[0], data.names)}"
        )
    nodes = set(graph.nodes)
    columns = [name for name in data.order if name in nodes]
    return data if len(columns) == len(data.names) else data.select(columns)


def _default_score(fits: Fits) -> str:
    """The name of the score if none is requested, whatever the kinds of models."""
    counts = (fits.conditional(child, ()).n_params for child in range(len(fits.nodes)))
    if None not in counts:
        return "bic"
    with contextlib.suppress(FitError):
        for child in range(len(fits.nodes)):
            fits.marginal(child, ())
        return "marginal"
    return "loo"
