r"""Information: how far two networks are apart (the Kullback-Leibler divergence, and the numbers that differ
most), and the entropy of one.

.. math:: D(p \| q) = \sum_x p(x) \log \frac{p(x)}{q(x)}
          = \sum_i \bigl( E_p \log p(x_i \mid pa_i) - E_p \log q(x_i \mid pa'_i) \bigr)

is what rows of p lose per row in log-likelihood if taken to be rows of q (Kullback and Leibler 1951). Each
term needs a marginal of p alone: of a variable with its parents in p, and with its parents in q. In networks
of tables these come from one junction tree of p in which both sets lie in a clique; of normal distributions,
from means and covariances. Other networks, and those whose tree would not fit into memory, are compared by
rows drawn from p, with an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import table_of
from arcwise.conditionals.capabilities import linear_of
from arcwise.data import Variable
from arcwise.data.prepare import word_of
from arcwise.data.variable import sentence_list
from arcwise.errors import DataError, FitError, GraphError
from arcwise.frame import Frame, Framed, Series
from arcwise.inference import Estimate, has_closed_form, joint, query
from arcwise.inference.factors import Potentials, potentials, tree_with
from arcwise.inference.linear_gaussian import linear_model, linear_net
from arcwise.networks import BayesNet, Net, ancestral, log_density

Array = NDArray[np.float64]

DRAWS = 10_000
"""Rows drawn where there is no closed form."""


@dataclass(frozen=True)
class Divergence(Framed):
    """A Kullback-Leibler divergence.

    Parameters
    ----------
    nats : per row; infinite if q gives probability zero to what can be in p.
    error : standard error; 0 if exact.
    terms : what each variable contributes, by name: the first network's expected log probability of it given
        its parents, minus the second's given those there. They sum to the divergence; on graphs that differ
        some may be negative. None if there is no such sum.

    >>> print(Divergence(0.25))
    0.25 nats per row
    """

    nats: float
    error: float = 0.0
    terms: dict[str, float] = field(default_factory=dict)

    @property
    def bits(self) -> float:
        """The same in bits."""
        return self.nats / float(np.log(2))

    def __float__(self) -> float:
        return self.nats

    @property
    def frame(self) -> Frame:
        """Return one row per variable with its term, the largest first."""
        order = sorted(self.terms, key=lambda name: -self.terms[name])
        terms = Series("nats", [self.terms[name] for name in order], ".4g", head="nats per row")
        return Frame((Series("variable", order), terms), self._summary(), index="variable")

    @property
    def brief(self) -> Frame:
        """The divergence alone."""
        return Frame((), self._summary())

    def _summary(self) -> str:
        error = f" ± {self.error:.2g}" if self.error else ""
        return f"{self.nats:.6g}{error} nats per row"


def divergence(
    one: Net, two: Net, rng: np.random.Generator | None = None, draws: int = DRAWS
) -> Divergence:
    """Return the Kullback-Leibler divergence of the second network from the first.

    Parameters
    ----------
    one, two : networks with the same variables; levels may be in another order.
    rng : random generator for networks that have no closed form, or whose junction tree would not fit into
        memory; without one they are rejected.
    draws : rows drawn from the first of them.

    Raises
    ------
    DataError : other variables, or other levels.
    FitError : tables that would not fit into memory, with their size; a variable without any spread.
    GraphError : an undirected network without a joint distribution.
    """
    _check_variables(one, two)
    if _tables(one) and _tables(two):
        try:
            return _of_tables(one, two)
        except FitError:  # tables that do not fit into memory
            if rng is None:
                raise
    first, second = linear_net(one), linear_net(two)
    if first is not None and second is not None:
        return _of_normals(first, second)
    for net in (one, two):
        if not net.directed and not has_closed_form(net):
            raise GraphError(
                "The local models of this undirected network have no joint density, so there is "
                "no divergence."
            )
    if rng is None or not one.directed or not two.directed:
        raise FitError("There is no closed form of the divergence of these networks.")
    return _by_draws(one, two, rng, draws)


def entropy(net: Net, rng: np.random.Generator, draws: int = DRAWS) -> Estimate:
    """Return the entropy of the joint distribution of a network in nats; of numbers, that of their density.

    Exact for networks of tables and for Gaussian ones, else from rows drawn from the network, with an error.

    Raises
    ------
    GraphError : an undirected network without a joint distribution.
    FitError : an undirected network of tables that are too large.
    """
    if _tables(net) is not None:
        families = [(*net.inputs[i], i) for i in range(len(net.names))]
        _, shares = tree_with(net, families).ask(np.full((1, len(net.names)), -1), families)
        pairs = zip(shares, range(len(net.names)), strict=True)
        return Estimate(
            -sum(_expected_log(tables_of_pair[0], _table(net, i)) for tables_of_pair, i in pairs)
        )
    if not net.directed or has_closed_form(net):
        return Estimate(query(net, list(net.names)).entropy)
    logs = log_density(net, ancestral(net, rng, draws).columns)
    return Estimate(-float(logs.mean()), float(logs.std(ddof=1) / np.sqrt(draws)))


def _check_variables(one: Net, two: Net) -> None:
    other = sorted(set(one.names) ^ set(two.names))
    if other:
        raise DataError(
            f"Both networks must have the same variables, but {sentence_list(other)} "
            f"{'is' if len(other) == 1 else 'are'} in one of them only."
        )
    for a, b in zip(one.variables, two.variables, strict=True):
        if (a.levels is None) != (b.levels is None) or set(_codes(a)) != set(_codes(b)):
            raise DataError(
                f"{a.name!r} has other levels in the second network: {list(a.levels or ['numbers'])!r} and "
                f"{list(b.levels or ['numbers'])!r}."
            )


def _codes(variable: Variable) -> dict[str, int]:
    """Return the codes of levels by what they are called: files of other programs have words for numbers."""
    return {word_of(level): code for code, level in enumerate(variable.levels or ())}


def _theirs(one: Net, two: Net, node: int) -> NDArray[np.intp]:
    """Return for each level of a variable of the first network, its code in the second."""
    codes = _codes(two.variables[node])
    return np.array([codes[word] for word in _codes(one.variables[node])], dtype=np.intp)


def _sum_terms(names: Sequence[str], terms: Sequence[float]) -> Divergence:
    total = float(np.sum(terms))
    if -1e-9 < total < 0:  # rounding
        total = 0.0
    return Divergence(total, terms=dict(zip(names, terms, strict=True)))


# -- tables ----------------------------------------------------------------------------------------


def _tables(net: Net) -> Potentials | None:
    """Return the tables of a directed network; None if it has other local models."""
    return potentials(net) if net.directed else None


def _table(net: Net, node: int) -> Array:
    """Return the table of a node: one axis for each parent, the node's own last."""
    table = table_of(net.conditionals[node], len(net.variables[node].levels or ()))
    if table is None:
        raise FitError(f"The local model of {net.names[node]!r} is not a probability table.")
    return table


def _of_tables(one: Net, two: Net) -> Divergence:
    first, second = ([(*net.inputs[i], i) for i in range(len(net.names))] for net in (one, two))
    tree = tree_with(one, second)
    nothing = np.full((1, len(one.names)), -1)
    _, tables = tree.ask(nothing, [*first, *second])
    terms = []
    for node, family in enumerate(second):
        expected = _expected_log(tables[node][0], _table(one, node))
        theirs = tables[len(first) + node][0]
        terms.append(expected - _expected_log(theirs, _recode(one, two, node, family)))
    return _sum_terms(one.names, terms)


def _recode(one: Net, two: Net, node: int, family: Sequence[int]) -> Array:
    """Return a table of the second network, its levels in the order of the first."""
    table = _table(two, node)
    for axis, member in enumerate(family):
        table = np.take(table, _theirs(one, two, member), axis=axis)
    return table


def _expected_log(shares: Array, table: Array) -> float:
    """Return the expected log of a table under the probabilities of its cells; what cannot be does not
    count.
    """
    positive = shares > 0
    with np.errstate(divide="ignore"):
        return float((shares[positive] * np.log(table[positive])).sum())


# -- normal distributions --------------------------------------------------------------------------


def _of_normals(one: BayesNet, two: BayesNet) -> Divergence:
    normal = joint(one)
    terms = []
    for node, name in enumerate(one.names):
        logs = []
        for net in (one, two):
            model = linear_model(net, node)
            intercept, slopes, sd = model.intercept, model.coefficients, model.sd
            above = list(net.graph.parents[node])
            off = normal.mean[node] - intercept - slopes @ normal.mean[above]
            spread = normal.root[node] - slopes @ normal.root[above]
            if not sd > 0:
                raise FitError(f"{name!r} has no noise, so the divergence is infinite.")
            size = (off**2 + spread @ spread) / sd**2
            logs.append(-0.5 * (np.log(2 * np.pi) + size) - np.log(sd))
        terms.append(float(logs[0] - logs[1]))
    return _sum_terms(one.names, terms)


def _by_draws(one: BayesNet, two: BayesNet, rng: np.random.Generator, draws: int) -> Divergence:
    rows = ancestral(one, rng, draws)
    columns = tuple(_translate(one, two, i, column) for i, column in enumerate(rows.columns))
    lost = log_density(one, rows.columns) - log_density(two, columns)
    if np.isinf(lost).any():
        return Divergence(np.inf)
    return Divergence(float(lost.mean()), float(lost.std(ddof=1) / np.sqrt(draws)))


def _translate(one: Net, two: Net, node: int, column: NDArray[Any]) -> NDArray[Any]:
    levels = one.variables[node].levels
    if levels is None or levels == two.variables[node].levels:
        return column
    return np.take(_theirs(one, two, node).astype(column.dtype), column)


# -- parameters ------------------------------------------------------------------------------------


class Difference(NamedTuple):
    """A number that differs: of which variable, which of its numbers, and what it is in each network."""

    variable: str
    number: str
    first: float
    second: float

    @property
    def difference(self) -> float:
        """The second minus the first."""
        return self.second - self.first


def parameter_differences(one: Net, two: Net, most: int | None = 20) -> tuple[Difference, ...]:
    """Return the parameters of two networks on the same graph that differ most.

    Parameters
    ----------
    one, two : networks of tables or of linear regressions, with the same variables and the same graph.
    most : how many at most; None for all that differ.

    Returns
    -------
    Numbers that are not equal, largest differences first: probabilities of levels given states of the
    parents; intercepts, coefficients and standard deviations.

    Raises
    ------
    DataError : other variables or levels.
    GraphError : another graph.
    FitError : local models of another kind.
    """
    _check_variables(one, two)
    if one.inputs != two.inputs or type(one.graph) is not type(two.graph):
        raise GraphError(
            "Both networks must have the same graph to compare parameters: compare the graphs, "
            "or use the divergence."
        )
    differences: list[Difference] = []
    for node, models in enumerate(zip(one.conditionals, two.conditionals, strict=True)):
        if one.variables[node].discrete and all(table_of(m, 1) is not None for m in models):
            differences += _cells(one, two, node, most)
        elif all(linear_of(model) is not None for model in models):
            differences += _numbers(one, two, node)
        else:
            raise FitError(
                f"The local models of {one.names[node]!r} have no parameters that can be compared: "
                f"{one.models[node]} and {two.models[node]}."
            )
    differences.sort(key=lambda difference: -abs(difference.difference))
    return tuple(differences[:most])


def _cells(one: Net, two: Net, node: int, most: int | None) -> list[Difference]:
    """Return the cells of two tables that differ, the largest differences of each table only."""
    family = (*one.inputs[node], node)
    first, second = _table(one, node), _recode(one, two, node, family)
    apart = np.abs(second - first).ravel()
    largest = np.argsort(-apart, kind="stable")[: np.count_nonzero(apart)][:most]
    differences = []
    for cell in zip(*np.unravel_index(largest, first.shape), strict=True):
        texts = [
            f"{one.names[v]} = {(one.variables[v].levels or ())[code]}"
            for v, code in zip(family, cell, strict=True)
        ]
        condition = f" given {', '.join(texts[:-1])}" if texts[:-1] else ""
        numbers = float(first[cell]), float(second[cell])
        differences.append(Difference(one.names[node], f"p({texts[-1]}{condition})", *numbers))
    return differences


def _numbers(one: Net, two: Net, node: int) -> list[Difference]:
    labels = [
        "intercept",
        "sd",
        *(f"coefficient of {one.names[parent]}" for parent in one.inputs[node]),
    ]
    pairs = zip(labels, *(_parts(net, node) for net in (one, two)), strict=True)
    return [Difference(one.names[node], label, a, b) for label, a, b in pairs if a != b]


def _parts(net: Net, node: int) -> list[float]:
    model = linear_of(net.conditionals[node])
    if model is None:
        raise FitError(f"The local model of {net.names[node]!r} is not a linear regression.")
    return [float(model.intercept), float(model.sd), *map(float, model.coefficients)]
