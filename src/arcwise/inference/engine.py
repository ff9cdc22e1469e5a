"""The seam: which engine answers.

A directed network whose local models are all linear-Gaussian has closed forms (``query``, ``rows``),
and so has an undirected one with a normal distribution, written as a directed one by the chain rule.
Every other network is simulated (``questions``, ``tables``, ``weighting``). `closed` decides, here and
nowhere else. Naming a ``method`` asks for the simulation of a Gaussian network, too.

Options of simulations, all by name: chains, sweeps, burn_in, scan ("fixed" or "random"), draws,
seed, method ("blankets", "gibbs", "grid", "importance", "stacked"). The same seed gives the same answer.
Of ``do`` in a learned network: max_graphs, the most equivalent graphs that its range is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import networks
from arcwise.conditionals import GaussianConditional
from arcwise.data import Table
from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, GraphError, unknown
from arcwise.inference.belief import Belief, Beliefs
from arcwise.inference.chained import chain_sample
from arcwise.inference.normal import generator
from arcwise.inference.options import Options, read_options, refuse_setting
from arcwise.inference.query import no_setting
from arcwise.inference.query import query as exact_query
from arcwise.inference.questions import simulated_query
from arcwise.inference.rows import Predictions
from arcwise.inference.rows import impute as exact_impute
from arcwise.inference.rows import marginal_log_density as exact_log_density
from arcwise.inference.rows import predict as exact_predict
from arcwise.inference.rows import residuals as exact_residuals
from arcwise.inference.setting import Equivalents, with_range
from arcwise.inference.simulate import SAMPLE_SWEEPS, gibbs_sample
from arcwise.inference.stacked import stackable
from arcwise.inference.tables import point_errors, simulated_impute, simulated_predict
from arcwise.inference.weighting import weighted_density
from arcwise.networks import BayesNet, Fixed, MarkovNet, Net, align, ancestral

__all__ = [
    "closed",
    "impute",
    "marginal_log_density",
    "predict",
    "pseudo_log_density",
    "query",
    "residuals",
    "sample",
]

Array = NDArray[np.float64]


def closed(net: Net) -> bool:
    """Tell whether a network answers in closed form: linear-Gaussian, with a joint distribution."""
    return _directed(net) is not None


def _directed(net: Net) -> BayesNet | None:
    """The linear-Gaussian directed network that answers for a network; None where there is none.

    An undirected network with a normal distribution is directed along any order of its variables.
    """
    if isinstance(net, MarkovNet):
        return net.chained
    linear = all(isinstance(model, GaussianConditional | Fixed) for model in net.conditionals)
    return net if linear else None


def _exactly(net: Net, options: Options) -> BayesNet | None:
    return _directed(net) if options.method is None else None


def query(
    net: Net,
    targets: str | Sequence[str],
    given: Mapping[str, Any] | None = None,
    do: Mapping[str, Any] | None = None,
    *,
    equivalents: Equivalents | None = None,
    **options: Any,
) -> Belief | Beliefs:
    """Ask what is to be believed of variables, given what is known.

    Parameters
    ----------
    net : any network.
    targets : a name, or several for a joint answer.
    given : values seen, by name.
    do : values set from outside, by name; directed networks only.
    equivalents : the class of a learned graph, which gives answers to ``do`` a range; None where the
        graph is known.
    options : of simulations, see the module.

    Returns
    -------
    A Belief for one name, Beliefs for a list of names. Each says its error, 0 if exact.

    Raises
    ------
    DataError : an unknown or doubly used name, evidence that is no finite number, unknown levels.
    GraphError : ``do`` in an undirected network.
    FitError : evidence that contradicts a deterministic relation, or that too few draws agree with.

    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> a = GaussianConditional(1.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.array([2.0]), 1.0, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> round(query(net, "a", {"b": 4.5}).mean, 6)
    2.0
    >>> round(query(net, "a", {"b": 4.5}, method="grid").mean, 3)
    2.0
    """
    chosen = read_options(options)
    if do and isinstance(net, MarkovNet):
        raise no_setting()

    def ask(asked: Net) -> Belief | Beliefs:
        if exact := _exactly(asked, chosen):
            return exact_query(exact, targets, given, do)
        return simulated_query(asked, targets, given, do, chosen)

    answer = ask(net)
    if not do or equivalents is None or not isinstance(net, BayesNet):
        return answer
    forced = [net.index(name) for name in do]
    rng = generator(chosen.seed)
    return with_range(answer, net, forced, ask, equivalents, chosen.max_graphs, rng)


def predict(net: Net, table: Table, target: str, **options: Any) -> Predictions:
    """Predict one variable in every row from all that is known of the others.

    Parameters
    ----------
    net : any network.
    table : the rows; any cells may be missing, columns too. The target's own values are ignored.
    target : the variable to predict.
    options : of simulations, see the module; rows without gaps need none.

    Returns
    -------
    Predictions, one per row: mean, sd, error, quantiles, intervals, log densities.

    Raises
    ------
    DataError : no column in common, an unknown target, or columns that are no numbers.
    FitError : a row that contradicts a deterministic relation of the network.
    """
    chosen = read_options(options)
    if exact := _exactly(net, chosen):
        return exact_predict(exact, table, target)
    return simulated_predict(net, table, target, chosen)


def impute(net: Net, table: Table, rng: np.random.Generator | None = None, **options: Any) -> Table:
    """Fill the gaps of a table.

    Parameters
    ----------
    net : any network.
    table : the rows; any cells may be missing, columns too.
    rng : None fills in expected values given all that is known of a row (the most probable level of
        a discrete variable); with a generator, the gaps of a row are drawn together.
    options : of simulations, see the module.

    Returns
    -------
    A table of the network's variables without gaps.
    """
    chosen = read_options(options)
    if exact := _exactly(net, chosen):
        return exact_impute(exact, table, rng)
    return simulated_impute(net, table, rng, chosen)


def sample(
    net: Net,
    rng: np.random.Generator,
    draws: int,
    *,
    burn_in: int | None = None,
    **options: Any,
) -> Table:
    """Draw rows: each variable after its parents; in a Markov network without a joint, one Gibbs chain a row.

    A Markov network of Parzen windows is drawn from by the chain rule (``chained``), unless a burn-in asks
    for Gibbs sampling.

    Parameters
    ----------
    net : any network.
    rng : where chance comes from.
    draws : how many rows.
    burn_in : sweeps of each chain before its row is taken; an undirected network is then asked by
        chains even where it has a joint distribution.
    options : there are no others; they are refused in a sentence.
    """
    refuse_setting(options)
    for word in options:
        raise unknown("option of sampling", word, ("burn_in",))
    if not isinstance(net, MarkovNet):
        return ancestral(net, rng, draws)
    if net.chained is not None and burn_in is None:
        return ancestral(net.chained, rng, draws)
    if burn_in is None and stackable(net):
        return chain_sample(net, rng, networks.whole("number of draws", draws))
    sweeps = SAMPLE_SWEEPS if burn_in is None else networks.whole("burn-in", burn_in)
    return gibbs_sample(net, rng, draws, sweeps)


def marginal_log_density(net: Net, table: Table, **options: Any) -> Array:
    """Log density of what is known of each row; unknown variables are integrated out.

    Exact for rows without gaps and for linear-Gaussian networks; otherwise by likelihood weighting.

    Parameters
    ----------
    net : a directed network, or an undirected one with a joint distribution.
    table : the rows; any cells may be missing, columns too.
    options : seed and draws of the simulation.

    Returns
    -------
    One number per row, in nats; 0 for a row of which nothing is known, minus infinity for one that
    is too far out for the numbers of a computer.

    Raises
    ------
    GraphError : an undirected network without a joint density; the sentence says what it has.
    FitError : a row whose gaps cannot be integrated by simulation.
    """
    chosen = read_options(options)
    if exact := _directed(net):
        return exact_log_density(exact, table)
    if isinstance(net, MarkovNet):
        raise GraphError(
            "The local models of this undirected network belong to no joint density. What it has is a "
            "pseudo-likelihood, each variable given its neighbours: for rows without gaps "
            "pseudo_logpdf gives it (pseudo_log_density in arcwise.inference), for held-out rows "
            "validate."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = weighted_density(net, table, generator(chosen.seed), chosen.draws)
    return np.where(np.isnan(total), -np.inf, total)


def pseudo_log_density(net: Net, table: Table) -> Array:
    """Log pseudo-likelihood of rows: each variable given its neighbours, summed.

    Parameters
    ----------
    net : an undirected network.
    table : rows without gaps.

    Returns
    -------
    One number per row, in nats. It is no density, and compares only with its own kind.

    Raises
    ------
    GraphError : a directed network, which has a density.
    DataError : rows with gaps.
    """
    if not isinstance(net, MarkovNet):
        raise GraphError("A directed network has a density: ask for it instead.")
    rows = align(net, table)
    gaps = rows.missing()
    if gaps.any():
        holes = [rows.names[i] for i in np.flatnonzero(gaps.any(axis=0))]
        raise DataError(
            "A pseudo-likelihood needs rows without gaps, and there are some in "
            f"{sentence_list(holes)}: fill them with impute, or leave the rows out."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = networks.pseudo_log_density(net, rows.columns)
    return np.where(np.isnan(total), -np.inf, total)


def residuals(net: Net, table: Table, **options: Any) -> Array:
    """Errors of predicting each variable from all the others.

    Parameters
    ----------
    net : any network; undirected ones predict from the neighbours, directed ones by their blanket
        models, by the product rule where there are none, and in closed form where there is one.
    table : rows of exactly the network's variables; without gaps, unless answers are exact.
    options : seed and method.

    Returns
    -------
    Rows by variables: value minus prediction; NaN for levels that are no numbers, and in gaps.
    """
    chosen = read_options(options)
    if exact := _exactly(net, chosen):
        return exact_residuals(exact, table)
    return point_errors(net, table, chosen)
