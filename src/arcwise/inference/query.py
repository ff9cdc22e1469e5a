"""Questions to a network, by names.

``given`` is what one has seen; ``do`` is what one sets. Seeing tells of causes and of effects,
setting tells of effects only, since the arcs into a variable that is set are cut (Pearl 2009).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from arcwise.errors import DataError
from arcwise.inference.gaussian import check_relations, posterior
from arcwise.inference.normal import NormalBelief, NormalBeliefs
from arcwise.networks import BayesNet, cut

__all__ = ["query"]


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
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b), ("gaussian",) * 2)
    >>> round(query(net, "a", given={"b": 4.5}).mean, 6), query(net, "a", do={"b": 4.5}).mean
    (2.0, 1.0)
    """
    seen, forced = evidence(net, "given", given), evidence(net, "do", do)
    names = _names(targets)
    asked = [net.index(name) for name in names]
    _check_roles(net, asked, seen, forced)
    values = {node: np.array([value]) for node, value in (seen | forced).items()}
    after = cut(net, forced) if forced else net
    check_relations(after, values, values.__getitem__)
    mean, root = posterior(after, asked, values, values.__getitem__)
    known = {net.names[node]: value for node, value in seen.items()}
    set_by_hand = {net.names[node]: value for node, value in forced.items()}
    both = NormalBeliefs(names, mean[0].copy(), root, known, set_by_hand)
    return both[targets] if isinstance(targets, str) else both


def evidence(net: BayesNet, word: str, values: Mapping[str, float] | None) -> dict[int, float]:
    """Turn evidence by names into evidence by column numbers, checked."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise DataError(
            f"Evidence in {word} is a value by name, as in {word}={{{net.names[0]!r}: 1.5}}, "
            f"but {values!r} came."
        )
    return {net.index(name): _number(name, value) for name, value in values.items()}


def _names(targets: str | Sequence[str]) -> tuple[str, ...]:
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


def _check_roles(
    net: BayesNet, asked: Sequence[int], seen: Mapping[int, float], forced: Mapping[int, float]
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
