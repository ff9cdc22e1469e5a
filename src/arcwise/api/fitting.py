"""Networks on graphs that are known: fitted to data, or written down by hand."""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from arcwise.api.built import directed_net, joint_bic, markov_net, noise_note
from arcwise.api.learning import fingerprint, settled
from arcwise.api.net import Network
from arcwise.api.options import options_of, split_options
from arcwise.api.recipe import prepared, settled_model
from arcwise.conditionals import FAMILIES, Assigned, Family, Fits, GaussianConditional
from arcwise.conditionals.gaussian import GaussianFits
from arcwise.data import Moments, Table, Variable
from arcwise.errors import DataError, FitError, GraphError, close_to, unknown
from arcwise.graphs import DAG, UGraph, dag, either
from arcwise.networks import BayesNet, MarkovNet, Net
from arcwise.scores import SCORES, Score

__all__ = ["fit", "network"]


def fit(
    graph: DAG | UGraph | str,
    data: Any,
    *,
    model: str | Mapping[str, str] = "auto",
    kinds: Mapping[str, Any] | None = None,
    weights: Any = None,
    missing: Iterable[object] = (),
    **options: Any,
) -> Network:
    """Fit the local models of a graph that is known.

    Parameters
    ----------
    graph : a DAG over (some of) the data's columns, or a formula or model string for one; or a
        UGraph, such as `ug("a:b + b:c")`. `UGraph.complete(names)` fits each variable given all
        others, without any structure.
    data : as for `learn`.
    model : one word for all, or a word for each variable; each column is prepared for its own model.
    kinds, weights, missing : as for `table`.
    options : options of the models.

    Returns
    -------
    Network : its score is BIC where the parameters of every local model can be counted, else the
    leave-one-out likelihood; either is the same for models of several kinds, and edge strengths are
    differences of it. An undirected Gaussian network is the normal distribution of largest likelihood on
    its graph; other undirected networks are scored by each variable given its neighbours, summed.

    >>> import arcwise as aw
    >>> net = aw.fit("[RM][MEDV|RM]", aw.shipped("boston"))
    >>> net["MEDV"].coefficients.round(3).tolist()
    [9.102]
    """
    known = graph if isinstance(graph, UGraph) else _directed(graph)
    source = settled(data, kinds, weights, missing)
    lacking = sorted(set(known.nodes) - set(source.names))
    if lacking:
        raise GraphError(
            f"The graph has a variable {lacking[0]!r} that the data lack. "
            f"{close_to(lacking[0], source.names)}"
        )
    chosen = source.select([name for name in source.order if name in set(known.nodes)])
    words = tuple(settled_model(word, chosen) for word in _models(model, chosen.names))
    ready = prepared(chosen, _family(words, chosen.names))
    on = known.over(ready.names)
    fits = _tuned(_bound(words, ready, options), on)
    net = _fitted(on, dict.fromkeys(words, fits), words, ready)
    measure, score = _measured(fits)
    said = {"model": ", ".join(sorted(set(words))), "score": score}
    total, own = None, fits
    if isinstance(net, MarkovNet) and net.joint is not None and isinstance(own, GaussianFits):
        total, measure = joint_bic(net, own), None  # edges are measured by the joint
    if total is None and measure is not None:
        total = float(sum(measure.local(node, row) for node, row in enumerate(net.inputs)))
    return Network(
        net,
        score=total,
        words={**said, **({"options": dict(options)} if options else {})},
        notes=tuple(filter(None, (*ready.notes, _no_joint(net), noise_note(net, own)))),
        order=chosen.order,
        rows=ready.total,
        fingerprint=fingerprint(chosen),
        measure=measure,
    )


def _no_joint(net: Net) -> str:
    """A sentence where an undirected Gaussian network has no joint distribution."""
    if not isinstance(net, MarkovNet) or net.joint is not None or set(net.models) != {"gaussian"}:
        return ""
    return (
        "There is no normal distribution of largest likelihood on this graph (too few rows for its "
        "cliques, or columns that determine each other): each variable is regressed on its neighbours "
        "by itself, and answers are simulated."
    )


def _family(words: tuple[str, ...], names: tuple[str, ...]) -> Family:
    """One family for all variables, or one for each."""
    if len(set(words)) == 1:
        return FAMILIES[words[0]]
    return Assigned(dict(zip(names, map(FAMILIES.__getitem__, words), strict=True)))


def _bound(words: tuple[str, ...], data: Table | Moments, options: Mapping[str, Any]) -> Fits:
    """Tie the families that are used to the data, with the options that they take."""
    used, family = sorted(set(words)), _family(words, data.names)
    takers = [(f"the model {word!r}", options_of(FAMILIES[word].bind)) for word in used]
    dealt = split_options(options, *takers)
    if isinstance(family, Assigned):
        return family.bind(data, options=dict(zip(used, dealt, strict=True)))
    return family.bind(data, **dealt[0])


def _tuned(fits: Fits, graph: DAG | UGraph) -> Fits:
    """The same with what local models share, such as one width for all, tuned to the graph."""
    inputs = graph if isinstance(graph, DAG) else DAG.unchecked(graph.nodes, graph.neighbours)
    return fits.retuned(inputs) or fits


def _fitted(
    graph: DAG | UGraph, fits: Mapping[str, Fits], words: tuple[str, ...], data: Table | Moments
) -> Net:
    if isinstance(graph, UGraph):
        return markov_net(graph, fits, words, data)
    return directed_net(graph, fits, words, data)


def _directed(graph: DAG | str) -> DAG:
    if isinstance(graph, str) and either(graph):
        raise GraphError(
            f"The formula {graph!r} does not say whether its edges have a direction: write "
            f"ug({graph!r}) for an undirected graph; for a directed one arcs such as 'parent -> child', or a "
            "model string such as '[a][b|a]'."
        )
    known = dag(graph) if isinstance(graph, str) else graph
    if not isinstance(known, DAG):
        raise GraphError(
            f"A DAG or a UGraph is needed, or a formula for a DAG, but a {type(known).__name__} came."
        )
    return known


def _models(model: str | Mapping[str, str], names: tuple[str, ...]) -> tuple[str, ...]:
    """The model's word for each variable."""
    if isinstance(model, str):
        found = dict.fromkeys(names, model)
    else:
        for name in model:
            if name not in names:
                raise DataError(f"There is no variable {name!r}. {close_to(name, names)}")
        found = {name: model.get(name, "auto") for name in names}
    return tuple(found[name] for name in names)


def _measured(fits: Fits) -> tuple[Score | None, str]:
    """The score that the local models are compared by, whatever their kinds, and its word."""
    counts = (fits.conditional(child, ()).n_params for child in range(len(fits.nodes)))
    word = "loo" if None in counts else "bic"
    return SCORES[word].bind(fits), word


def network(graph: DAG | str, numbers: Mapping[str, Mapping[str, Any]]) -> Network:
    """Make a Gaussian network by hand: structure and numbers given.

    Parameters
    ----------
    graph : a DAG, or a formula or model string for one.
    numbers : for each variable a mapping with "sd" or "variance", "intercept" (0 by default) and
        "coefficients": a mapping from each parent to its number.

    Returns
    -------
    Network.

    >>> import arcwise as aw
    >>> rain = {"rain": {"sd": 1.0}, "wet": {"coefficients": {"rain": 2.0}, "sd": 0.5}}
    >>> net = aw.network("[rain][wet|rain]", rain)
    >>> round(net.query("rain", given={"wet": 2.0}).mean, 3)
    0.941
    """
    known = _directed(graph)
    known = known.over(sorted(known.nodes))
    missing = sorted(set(known.nodes) ^ set(numbers))
    if missing:
        raise FitError(f"Graph and numbers need the same variables; {missing[0]!r} is in one only.")
    models = tuple(_by_hand(name, known.parents_of(name), numbers[name]) for name in known.nodes)
    variables = tuple(Variable(name) for name in known.nodes)
    net = BayesNet(variables, known, models)
    return Network(net, words={"model": "gaussian"}, order=tuple(numbers))


def _by_hand(name: str, parents: tuple[str, ...], given: Mapping[str, Any]) -> GaussianConditional:
    words = ("intercept", "coefficients", "sd", "variance")
    for word in given:
        if word not in words:
            raise unknown(f"number of variable {name!r} called", word, words)
    slopes: Mapping[str, float] = given.get("coefficients", {})
    if set(slopes) != set(parents):
        raise FitError(
            f"Variable {name!r} has the parents {', '.join(parents) or 'none'}, but coefficients for "
            f"{', '.join(slopes) or 'none'} came."
        )
    if ("sd" in given) == ("variance" in given):
        raise FitError(f"Variable {name!r} needs one of 'sd' and 'variance'.")
    width = _number(name, given["variance"] if "variance" in given else given["sd"])
    if not width > 0:
        raise FitError(f"The sd or variance of {name!r} must be positive, but {width} came.")
    variance = width if "variance" in given else width**2
    weights = np.array([_number(name, slopes[parent]) for parent in parents])
    size = len(parents) + 1
    intercept = _number(name, given.get("intercept", 0.0))
    return GaussianConditional(
        intercept, weights, variance, np.zeros((size, size)), 0.0, passed=(False,) * len(parents)
    )


def _number(name: str, value: object) -> float:
    if not isinstance(value, Real):
        raise FitError(f"Variable {name!r} needs numbers, but {value!r} came.")
    return float(value)
