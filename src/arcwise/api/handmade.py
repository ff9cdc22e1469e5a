"""Networks made without data: by hand, from a graph and the numbers of every local model, or at random."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from arcwise.api.net import Network
from arcwise.conditionals import Conditional, DiscreteConditional, GaussianConditional
from arcwise.data import Variable
from arcwise.errors import DataError, FitError, GraphError, unknown
from arcwise.graphs import DAG, graph_of, parents_as_written
from arcwise.graphs.nodes import given_names
from arcwise.graphs.parser import has_links
from arcwise.io.tables import normalise
from arcwise.networks import (
    BayesNet,
    LocalModel,
    random_graph,
    random_regressions,
    random_tables,
    whole,
)
from arcwise.values import are_texts, clear_calls, is_number, is_several

_LINEAR = ("intercept", "coefficients", "sd", "variance")
_TABLE = ("levels", "table", "parents")


@clear_calls
def network(graph: Any, numbers: Mapping[str, Mapping[Any, Any]]) -> Network:
    """Make a network from a graph and its parameters.

    Parameters
    ----------
    graph : a DAG in any form that `dag` takes, such as "a -> b <- c" or "[a][c][b|a:c]".
    numbers : the parameters, a mapping per variable.

        * Linear-Gaussian: "sd" or "variance"; "intercept" (0 by default); "coefficients", a mapping from each
          parent to its coefficient.
        * Discrete: a probability for each level, ``{"yes": 0.2, "no": 0.8}``. With parents, such a mapping
          for each of their states: ``{"rain=yes, sprinkler=no": {"yes": 0.9, "no": 0.1}, ...}``. A state may
          also be the level of a single parent, or a tuple of levels.
        * Discrete, as an array: "levels", and a "table" with one axis for each parent and the levels last;
          "parents" names the axes.

        Axes and tuples are in the order of the parents in the graph: b before a in "[c|b:a]". For a DAG
        object, a set or a matrix they are in the order of their names.

    Returns
    -------
    Network.

    Raises
    ------
    FitError : a parameter is missing, has an unknown name, or is not a number.
    DataError : probabilities do not sum to one, or a table has another shape.

    >>> import arcwise as aw
    >>> rain = {"rain": {"sd": 1.0}, "wet": {"coefficients": {"rain": 2.0}, "sd": 0.5}}
    >>> net = aw.network("[rain][wet|rain]", rain)
    >>> round(net.query("rain", given={"wet": 2.0}).mean, 3)
    0.941
    >>> wet = {"yes": {"yes": 0.9, "no": 0.1}, "no": {"yes": 0.2, "no": 0.8}}
    >>> net = aw.network("[rain][wet|rain]", {"rain": {"yes": 0.3, "no": 0.7}, "wet": wet})
    >>> round(float(net.query("rain", given={"wet": "yes"}).probability("yes")), 4)
    0.6585
    """
    known = _as_dag(graph)
    known = known.over(sorted(known.nodes))
    missing = sorted(set(known.nodes) ^ set(numbers))
    if missing:
        raise FitError(
            f"Graph and parameters must have the same variables; {missing[0]!r} is in one only."
        )
    variables = {
        name: _variable(name, known.parents_of(name), numbers[name]) for name in known.nodes
    }
    models, written = list[Conditional](), parents_as_written(graph)
    for name in known.nodes:
        inputs = known.parents_of(name)
        parents = [variables[parent] for parent in inputs]
        if variables[name].discrete:
            order = written.get(name, inputs)
            models.append(_table(variables[name], parents, numbers[name], order))
        else:
            models.append(_regression(variables[name], parents, numbers[name]))
    net = BayesNet(tuple(variables.values()), known, tuple(models))
    return Network(
        net, settings={"model": ", ".join(sorted(set(net.models)))}, order=tuple(numbers)
    )


def with_local(net: Network, name: str, model: Any) -> Network:
    """The network with another local model of one variable.

    Parameters
    ----------
    net : any directed network.
    name : the variable.
    model : parameters as for `network`, or a fitted local model over the same inputs.

    Raises
    ------
    GraphError : an undirected network, whose local models belong to one joint.
    FitError, DataError : parameters that do not fit the variable and its parents.

    >>> import arcwise as aw
    >>> net = aw.network("[rain]", {"rain": {"yes": 0.2, "no": 0.8}})
    >>> net.with_local("rain", {"yes": 0.5, "no": 0.5})["rain"]
    <LocalModel: rain: yes 0.500, no 0.500>
    """
    own = net.net
    if not own.directed:
        raise GraphError(
            "Local models can be replaced in directed networks only, got an undirected one."
        )
    node = own.index(name)
    variable, parents = own.variables[node], [own.variables[i] for i in own.inputs[node]]
    if isinstance(model, LocalModel):
        if (model.variable, list(model.parents)) != (variable, parents):
            raise FitError(
                f"The local model of {model.variable.name!r} has other variables or levels than {name!r}."
            )
        new = model.model
    elif not isinstance(model, Mapping):
        raise FitError(f"The parameters of variable {name!r} must be a mapping, got {model!r}.")
    elif variable.discrete:
        order = [parent.name for parent in parents]
        given = {"levels": list(variable.levels or ()), **model} if "table" in model else model
        new = _table(variable, parents, given, order)
    else:
        new = _regression(variable, parents, model)
    conditionals = (*own.conditionals[:node], new, *own.conditionals[node + 1 :])
    changed = BayesNet(own.variables, own.graph, conditionals)
    return Network(
        changed,
        settings={"model": ", ".join(sorted(set(changed.models)))},
        notes=net.notes,
        order=net.order,
    )


def _variable(name: str, parents: Sequence[str], given: Mapping[Any, Any]) -> Variable:
    """A variable with the levels that its numbers name; a number if they name none."""
    if not isinstance(given, Mapping):
        raise FitError(f"The parameters of variable {name!r} must be a mapping, got {given!r}.")
    if "levels" in given:
        return Variable(name, tuple(given["levels"]))
    if len(given) < 2 - bool(parents) or set(given) & set(_LINEAR):  # one level is no distribution
        return Variable(name)
    row = next(iter(given.values())) if parents else given
    if not isinstance(row, Mapping):
        raise FitError(
            f"Variable {name!r} has parents, so its parameters must be a mapping from levels to "
            f"probabilities for each state of {', '.join(parents)}, got {row!r}."
        )
    return Variable(name, tuple(row))


def _regression(
    child: Variable, parents: Sequence[Variable], given: Mapping[str, Any]
) -> GaussianConditional:
    name, inputs = child.name, [parent.name for parent in parents]
    for word in given:
        if word not in _LINEAR:
            raise unknown(f"parameter of variable {name!r} called", word, _LINEAR)
    if discrete := [parent.name for parent in parents if parent.discrete]:
        raise FitError(f"Variable {name!r} is linear, and its parent {discrete[0]!r} has levels.")
    slopes: Mapping[str, float] = given.get("coefficients", {})
    if set(slopes) != set(inputs):
        raise FitError(
            f"Variable {name!r} has the parents {', '.join(inputs) or 'none'}, got coefficients for "
            f"{', '.join(slopes) or 'none'}."
        )
    if ("sd" in given) == ("variance" in given):
        raise FitError(f"Variable {name!r} must have one of 'sd' and 'variance'.")
    width = _number(name, given["variance"] if "variance" in given else given["sd"])
    if not width > 0:
        raise FitError(f"The sd or variance of {name!r} must be positive, got {width}.")
    variance = width if "variance" in given else width**2
    weights = np.array([_number(name, slopes[parent]) for parent in inputs])
    size = len(inputs) + 1
    intercept = _number(name, given.get("intercept", 0.0))
    return GaussianConditional(
        intercept, weights, variance, np.zeros((size, size)), 0.0, redundant=(False,) * len(inputs)
    )


def _table(
    child: Variable, parents: Sequence[Variable], given: Mapping[Any, Any], order: Sequence[str]
) -> DiscreteConditional:
    """The table of a variable; `order` is that of the parents in tuples and axes."""
    if numbers := [parent.name for parent in parents if not parent.discrete]:
        raise FitError(
            f"Variable {child.name!r} has levels, and its parent {numbers[0]!r} has none."
        )
    if "levels" not in given:
        states = _by_state(child, parents, given, order)
        return DiscreteConditional(normalise(child, parents, states))
    for word in given:
        if word not in _TABLE:
            raise unknown(f"parameter of variable {child.name!r} called", word, _TABLE)
    names = [parent.name for parent in parents]
    axes = list(given.get("parents", order))
    if sorted(axes) != sorted(names):
        raise FitError(
            f"Variable {child.name!r} has the parents {', '.join(names) or 'none'}, got a table for "
            f"{', '.join(map(str, axes)) or 'none'}."
        )
    by_axis = [parents[names.index(axis)] for axis in axes]
    table = normalise(child, by_axis, given.get("table", ()))
    places = [axes.index(name) for name in names]
    return DiscreteConditional(np.ascontiguousarray(table.transpose(*places, len(axes))))


def _by_state(
    child: Variable, parents: Sequence[Variable], given: Mapping[Any, Any], order: Sequence[str]
) -> Any:
    """The table of probabilities that are given state by state."""
    if not parents:
        return _row(child, given, child.name)
    shape = [len(parent.levels or ()) for parent in parents]
    table = np.full((*shape, len(child.levels or ())), np.nan)
    rows = {_state(child, parents, state, order): row for state, row in given.items()}
    for codes in product(*map(range, shape)):
        state = tuple(
            (parent.levels or ())[code] for parent, code in zip(parents, codes, strict=True)
        )
        said = ", ".join(f"{p.name}={level}" for p, level in zip(parents, state, strict=True))
        if tuple(map(str, state)) not in rows:
            raise FitError(f"Variable {child.name!r} has no probabilities for {said}.")
        table[codes] = _row(child, rows[tuple(map(str, state))], f"{child.name} given {said}")
    return table


def _state(
    child: Variable, parents: Sequence[Variable], state: Any, order: Sequence[str]
) -> tuple[str, ...]:
    """A state of the parents, as the texts of their levels in the order of names."""
    names = [parent.name for parent in parents]
    if isinstance(state, str) and "=" in state:
        pairs = dict(part.split("=", 1) for part in state.split(",") if "=" in part)
        found = {name.strip(): level.strip() for name, level in pairs.items()}
    else:
        levels = state if isinstance(state, tuple) else (state,)
        found = (
            dict(zip(order, map(str, levels), strict=False)) if len(levels) == len(names) else {}
        )
    known = {parent.name: set(map(str, parent.levels or ())) for parent in parents}
    if set(found) != set(names) or any(level not in known[name] for name, level in found.items()):
        raise FitError(
            f"A state of the parents of {child.name!r} must be written as "
            f"'{', '.join(f'{p.name}={(p.levels or (None,))[0]}' for p in parents)}', got "
            f"{state!r}."
        )
    return tuple(found[name] for name in names)


def _row(child: Variable, given: Any, where: str) -> list[float]:
    levels = child.levels or ()
    if not isinstance(given, Mapping) or set(given) != set(levels):
        raise DataError(
            f"The probabilities of {where} must be a mapping from {', '.join(map(str, levels))} to numbers, "
            f"got {given!r}."
        )
    return [_number(child.name, given[level]) for level in levels]


def _number(name: str, value: object) -> float:
    if not is_number(value):
        raise FitError(f"Variable {name!r} must have numbers as parameters, got {value!r}.")
    return float(value)


@clear_calls
def random_network(
    nodes: Any,
    *,
    model: str = "discrete",
    levels: int | tuple[int, int] = 2,
    arcs: int | None = None,
    max_parents: int = 3,
    alpha: float = 1.0,
    seed: int = 0,
) -> Network:
    """Draw a random network: its parameters, and its graph if none is given.

    Parameters
    ----------
    nodes : the number of variables (x1, x2, ...), or their names, or a DAG in any form that `dag` takes. For
        a DAG only the parameters are drawn.
    model : "discrete", or "gaussian": linear regressions, scaled so that every variable has mean 0 and
        variance 1. So variances are not informative about directions.
    levels : the number of levels of each variable, or the smallest and the largest number.
    arcs : the number of arcs; by default 1.5 per variable. Not allowed with a graph.
    max_parents : the largest number of parents of a variable in a drawn graph.
    alpha : the parameter of the Dirichlet distributions of table rows: 1 draws them uniformly, smaller values
        give probabilities near 0 and 1.
    seed : the same seed gives the same network.

    Returns
    -------
    Network.

    Raises
    ------
    GraphError : there are more arcs than the graph can have.
    DataError : a number is not positive, or a table would be too large.

    >>> import arcwise as aw
    >>> aw.random_network(5, levels=(2, 4), arcs=6, seed=1)
    <Network of 5 variables, 6 arcs (discrete)>
    >>> aw.random_network("rain -> wet <- sprinkler", model="gaussian")
    <Network of 3 variables, 2 arcs (gaussian)>
    """
    names = _names_alone(nodes)
    rng = np.random.default_rng(whole("seed", seed))
    if model not in ("discrete", "gaussian"):
        raise unknown("model of a random network", model, ("discrete", "gaussian"))
    if names is None:
        graph = _as_dag(nodes)
        names = graph.nodes
        if arcs is not None:
            raise GraphError(
                "arcs= is for random graphs: leave it out, since graph= has its own arcs."
            )
        graph = graph.over(sorted(names))
    else:
        graph = random_graph(names, rng, arcs=arcs, max_parents=max_parents)
    if not names:
        raise DataError("A random network must have at least one variable, got none.")
    both = (levels, levels) if isinstance(levels, int) else levels
    discrete = model == "discrete"
    net = (
        random_tables(graph, both, rng, alpha=alpha) if discrete else random_regressions(graph, rng)
    )
    return Network(net, settings={"model": model}, order=tuple(names))


def _names_alone(nodes: Any) -> tuple[str, ...] | None:
    """The names of nodes if they are given by their number or names; None if a graph is."""
    if isinstance(nodes, int):
        return given_names(nodes)
    if isinstance(nodes, str | Mapping) or hasattr(nodes, "graph") or hasattr(nodes, "columns"):
        return None  # networks, graphs of this package and of networkx; frames
    if not is_several(nodes):
        return None
    names = list(nodes)
    return given_names(names) if are_texts(names) and not any(map(has_links, names)) else None


def _as_dag(given: Any) -> DAG:
    """A DAG in any form."""
    graph = graph_of(given)
    if not graph.directed:
        raise GraphError("The graph of aw.network must be a DAG, got an undirected graph.")
    return graph
