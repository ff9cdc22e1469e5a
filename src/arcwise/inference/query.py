"""Questions to a network, by names.

``given`` is what one has seen; ``do`` is what one sets. Seeing tells of causes and of effects,
setting tells of effects only, since the arcs into a variable that is set are cut (Pearl 2009).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from arcwise.data import Variable
from arcwise.errors import DataError, GraphError, close_to
from arcwise.inference.gaussian import check_relations, posterior
from arcwise.inference.normal import NormalBelief, NormalBeliefs
from arcwise.networks import BayesNet, Net, cut

__all__ = ["check_roles", "coded_evidence", "evidence", "names_of", "no_setting", "query"]


def query(
    net: BayesNet,
    targets: str | Sequence[str],
    given: Mapping[str, float] | None = None,
    do: Mapping[str, float] | None = None,
) -> NormalBelief | NormalBeliefs:
    """Ask what is to be believed of variables, given what is known.

    Parameters
    ----------
    net : a network of linear-Gaussian local models.
    targets : a name, or several for a joint answer.
    given : values seen, by name.
    do : values set from outside, by name.

    Returns
    -------
    A NormalBelief for one name, NormalBeliefs for a list of names.

    Raises
    ------
    DataError : an unknown or doubly used name, or evidence that is no finite number.
    FitError : evidence that contradicts a deterministic relation, or local models of another kind.

    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> a = GaussianConditional(1.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.array([2.0]), 1.0, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> round(query(net, "a", given={"b": 4.5}).mean, 6), query(net, "a", do={"b": 4.5}).mean
    (2.0, 1.0)
    """
    seen, forced = evidence(net, "given", given), evidence(net, "do", do)
    names = names_of(targets)
    asked = [net.index(name) for name in names]
    check_roles(net, asked, seen, forced)
    values = {node: np.array([value]) for node, value in (seen | forced).items()}
    after = cut(net, forced) if forced else net
    check_relations(after, values, values.__getitem__)
    mean, root = posterior(after, asked, values, values.__getitem__)
    known = {net.names[node]: value for node, value in seen.items()}
    set_by_hand = {net.names[node]: value for node, value in forced.items()}
    both = NormalBeliefs(names, mean[0].copy(), root, known, set_by_hand)
    return both[targets] if isinstance(targets, str) else both


def no_setting() -> GraphError:
    """What is said to a question that sets variables of an undirected network."""
    return GraphError(
        "Setting variables from outside (do=) needs the arrows of a directed network, and this "
        "one is undirected: ask with given= what was seen, or learn a directed network."
    )


def evidence(net: BayesNet, word: str, values: Mapping[str, float] | None) -> dict[int, float]:
    """Turn evidence by names into evidence by column numbers, checked."""
    checked = _by_name(net, word, values)
    return {net.index(name): _number(name, value) for name, value in checked.items()}


def coded_evidence(net: Net, word: str, values: Mapping[str, Any] | None) -> dict[int, float]:
    """The same where variables may be discrete: levels become their codes.

    Raises
    ------
    DataError : a level that the network has never seen, with the ones it knows.
    """
    checked = _by_name(net, word, values)
    places = {name: net.index(name) for name in checked}
    return {place: _code(net.variables[place], checked[name]) for name, place in places.items()}


def _by_name(net: Net, word: str, values: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise DataError(
            f"Evidence in {word} is a value by name, as in {word}={{{net.names[0]!r}: 1.5}}, "
            f"but {values!r} came."
        )
    return values


def _code(variable: Variable, value: Any) -> float:
    """A number as it is, a level as its code."""
    if variable.levels is None:
        return _number(variable.name, value)
    if variable.cuts is not None and isinstance(value, int | float) and not isinstance(value, bool):
        return float(np.searchsorted(variable.cuts, _number(variable.name, value), side="right"))
    for code, level in enumerate(variable.levels):
        same_kind = isinstance(level, bool) == isinstance(value, bool)
        if (level == value and same_kind) or (isinstance(value, str) and str(level) == value):
            return float(code)
    raise DataError(
        f"{variable.name!r} has the value {value!r}, which the network has never seen. "
        + close_to(value, map(str, variable.levels))
    )


def names_of(targets: str | Sequence[str]) -> tuple[str, ...]:
    """What is asked for, as names."""
    if isinstance(targets, str):
        return (targets,)
    if not isinstance(targets, Iterable):
        raise DataError(f"A question is for a name or a list of names, but {targets!r} came.")
    return tuple(targets)


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number) or isinstance(value, str | bool):
        raise DataError(f"The value of {name!r} must be a finite number, but {value!r} came.")
    return number


def check_roles(
    net: Net, asked: Sequence[int], seen: Mapping[int, float], forced: Mapping[int, float]
) -> None:
    """Refuse a variable that is asked twice, or asked and known, or seen and set."""
    if not asked:
        raise DataError("A question needs at least one variable to ask for.")
    for node in asked:
        if node in seen or node in forced:
            raise DataError(f"{net.names[node]!r} is asked for, and its value is given as well.")
        if list(asked).count(node) > 1:
            raise DataError(f"{net.names[node]!r} is asked for twice.")
    for node in seen:
        if node in forced:
            raise DataError(f"{net.names[node]!r} is both in given and in do: choose one.")
