"""Networks on graphs that are known: fitted to data, and scored."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from arcwise.api.net import Network
from arcwise.api.options import Model, ScoreOption, plain_words
from arcwise.conditionals import Fits, choose
from arcwise.data import Source, any_table, fingerprint, statistics_of
from arcwise.errors import FitError, GraphError, close_to, unknown
from arcwise.graphs import DAG, UGraph, graph_of
from arcwise.learners.options import split_options
from arcwise.learners.parameters import (
    PSEUDO,
    Total,
    directed_net,
    fitting_note,
    is_pseudo,
    markov_net,
    noise_note,
    pseudo_total,
    retuned,
    undirected_total,
)
from arcwise.learners.problem import model_takers, score_options
from arcwise.learners.settings import score_settings
from arcwise.learners.specification import Specification, prepared
from arcwise.networks import Net
from arcwise.notes import NoteKind, notes_of
from arcwise.scores import SCORES, Score

__all__ = ["fit", "score"]


def fit(
    graph: Any,
    data: Any,
    *,
    model: str | Model | Mapping[str, str | Model] = "auto",
    score: str | ScoreOption | None = None,
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    na_values: Iterable[object] = (),
    missing: str = "auto",
    seed: int = 0,
    **options: Any,
) -> Network:
    """Fit the local models of a graph that is known.

    Parameters
    ----------
    graph : a DAG over (some of) the data's columns in any form that `dag` takes: "a -> b <- c", pairs
        (parent, child), a mapping from children to parents, a model string, a matrix, a networkx DiGraph; or
        a UGraph, such as `ug("a:b + b:c")`, or its edges, such as "a -- b, b -- c".
        `UGraph.complete(names)` fits each variable given all others, without any structure.
    data : as for `learn`.
    model : one word for all, or a word for each variable; each column is prepared for its own model.
    score : what the graph and its edges are measured by; by default BIC if the parameters of every local
        model can be counted, else the leave-one-out likelihood, whatever the kinds of models. For undirected
        graphs also "pseudo-bic", "pseudo-loo", ...: variables given their neighbours, summed.
    kinds, weights, na_values, missing : as for `learn`.
    seed : of scores that hold out rows.
    options : options of the models, and of the score.

    Returns
    -------
    Network : an undirected Gaussian one is the normal distribution of largest likelihood on its graph. The
    score of an undirected network is that of its joint distribution, and compares with scores of directed
    graphs. Without a joint, or if the score has no form for it, the local scores of all variables given their
    neighbours are summed, and `settings["score"]` says so: "pseudo-loo".

    >>> import arcwise as aw
    >>> net = aw.fit("[RM][MEDV|RM]", aw.example("boston"))
    >>> net["MEDV"].coefficients.round(3).tolist()
    [9.102]
    """
    known = _known(locals())
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
        settings={**said, **({"options": dict(options)} if options else {})},
        notes=(*fits.statistics.notes, *notes_of(NoteKind.MODEL, *found)),
        order=known.source.order,
        rows=fits.statistics.total,
        fingerprint=fingerprint(known.source),
        scorer=None if own and fits.normal else known.measure,
        data=known.whole,
    )


def score(graph: Any, data: Any, **words: Any) -> float:
    """Score a graph that is known, higher is better; without any penalty per edge.

    For an undirected graph it is the score of the joint distribution, which compares with scores of directed
    graphs. The sum over variables given their neighbours, which compares undirected graphs of the same
    variables only, has another name: score="pseudo-bic", "pseudo-loo", ...

    Parameters
    ----------
    graph, data : as for `fit`.
    words : all else that `fit` takes: model, score, kinds, weights, na_values, missing, seed, options.

    >>> import arcwise as aw
    >>> homes = aw.example("boston")
    >>> aw.score("RM -> MEDV", homes) > aw.score("[RM][MEDV]", homes)
    True
    """
    asked = inspect.signature(fit).bind(graph, data, **words)
    asked.apply_defaults()
    known = _known(asked.arguments)
    on = known.graph
    total = known.total(on if on.directed else markov_net(on, known.fits))
    if is_pseudo(total.word) and not known.pseudo:
        raise FitError(
            f"The score {known.score!r} has no value for the joint distribution of this undirected graph: "
            f"write score={total.word!r} for the sum over variables given their neighbours, which compares "
            "undirected graphs of the same variables only."
        )
    return total.value


class _Known(NamedTuple):
    """A known graph over columns (`source`) of the `whole` data, what its local models are fitted from, and
    its score.

    `score` is the score's word, `options` are its own; `default` says that it was not requested, and `pseudo`
    that its sum over variables given their neighbours was.
    """

    graph: DAG | UGraph
    source: Source
    whole: Source
    fits: Fits
    score: str
    measure: Score
    options: Mapping[str, Any]
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
        "There is no normal distribution of largest likelihood on this graph (too few rows for its "
        "cliques, or columns that determine each other): each variable is regressed on its neighbours "
        "by itself, and answers are simulated."
    )


def _known(given: Mapping[str, Any]) -> _Known:
    """Tie families and a score to the data; `given` are the parameters of `fit` by name."""
    asked = plain_words(given)
    known, score = graph_of(asked["graph"]), asked["score"]
    pseudo = not known.directed and is_pseudo(score)
    score = score.removeprefix(PSEUDO) if pseudo else score
    whole = any_table(*(asked[word] for word in ("data", "kinds", "weights", "na_values")))
    lacking = sorted(set(known.nodes) - set(whole.names))
    if lacking:
        raise GraphError(
            f"The graph has a variable {lacking[0]!r} that the data lack. "
            f"{close_to(lacking[0], whole.names)}"
        )
    wanted = [name for name in whole.order if name in set(known.nodes)]
    source = whole if len(wanted) == len(whole.names) else whole.select(wanted)
    family = choose(
        asked["model"],
        source.variables,
        graph="directed" if known.directed else "undirected",
    )
    working = Specification(
        np.random.default_rng(asked["seed"]), model=family, score=score, missing=asked["missing"]
    )
    inputs = known.over(source.names) if isinstance(known, DAG) else None
    _, ready = prepared(working, statistics_of(source), inputs)
    if score is not None and score not in SCORES:
        raise unknown("score", score, SCORES)
    members = family.members
    takers = model_takers(members)
    takers += [] if score is None else [(f"the score {score!r}", score_options(score))]
    dealt = split_options(asked["options"], *takers)
    for_score = {} if score is None else {**dealt.pop(), **asked.get("score_options", {})}
    names = [member.name for member in members]
    own = asked.get("model_options", {})
    for_models = {n: {**o, **own.get(n, {})} for n, o in zip(names, dealt, strict=True)}
    fits = family.bind_members(ready, for_models)
    on, rng = (
        known.over(ready.names),
        np.random.default_rng(asked["seed"]).spawn(4)[0],
    )  # that of `learn`
    fits, named = retuned(fits, on), score or _own_score(fits)
    measure = SCORES[named].tie(fits, rng, **for_score)
    return _Known(on, source, whole, fits, named, measure, for_score, score is None, pseudo)


def _own_score(fits: Fits) -> str:
    """The score's word where none is asked for, whatever the kinds of models."""
    counts = (fits.conditional(child, ()).n_params for child in range(len(fits.nodes)))
    return "loo" if None in counts else "bic"
