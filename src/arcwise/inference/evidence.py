"""Evidence: what was seen and what was set, by names, as numbers and codes.

Of a continuous variable a number is seen. Of a discrete one it is a level, or something weaker, which
weighs its levels: several of them, one of which it is; an interval, where levels are numbers or have an
order; or *soft* evidence, the likelihood of what was seen under each level (Pearl 1988, section 2.2.2). Only
the ratios of such weights change a belief; the probability of the evidence is the sum over levels of
weight x p(level).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.data.variable import cut_codes
from arcwise.errors import DataError, close_to
from arcwise.networks import Net

__all__ = ["Evidence", "read_evidence"]

Array = NDArray[np.float64]


class Evidence(NamedTuple):
    """Evidence by column numbers: numbers as they are, levels as their codes.

    `soft` has a weight for each level of a variable of which less than its level is known.
    """

    seen: Mapping[int, float]
    forced: Mapping[int, float]
    soft: Mapping[int, Array]

    def given(self, net: Net) -> dict[str, Any]:
        """What was seen as users know it: numbers, levels, lists of levels, weights by level."""
        return plain(net, self.seen) | {
            net.names[node]: _plain_weights(net.variables[node], weights)
            for node, weights in self.soft.items()
        }


def plain(net: Net, values: Mapping[int, float]) -> dict[str, Any]:
    """Values as users know them: numbers, or levels."""
    shown: dict[str, Any] = {}
    for node, value in values.items():
        levels = net.variables[node].levels
        shown[net.names[node]] = value if levels is None else levels[int(value)]
    return shown


def _plain_weights(variable: Variable, weights: Array) -> Any:
    levels = variable.levels or ()
    if set(weights.tolist()) <= {0.0, 1.0}:
        return [level for level, weight in zip(levels, weights, strict=True) if weight]
    return dict(zip(levels, weights.tolist(), strict=True))


def read_evidence(
    net: Net, given: Mapping[str, Any] | None = None, do: Mapping[str, Any] | None = None
) -> Evidence:
    """Evidence by names as evidence by column numbers.

    Raises
    ------
    DataError : an unknown name, no finite number, a level that the network has never seen, weights that are
        negative or all zero, an empty set or interval; a variable that is set to more than one level.
    """
    seen: dict[int, float] = {}
    soft: dict[int, Array] = {}
    for node, value in _by_number(net, "given", given).items():
        variable = net.variables[node]
        if not isinstance(value, Mapping | list | tuple | set | frozenset | range | np.ndarray):
            seen[node] = _code(variable, value)
            continue
        weights = _weights(variable, value)
        if not isinstance(value, Mapping) and weights.sum() == 1.0:
            seen[node] = float(weights.argmax())
        else:
            soft[node] = weights
    forced = {
        node: _code(net.variables[node], value) for node, value in _by_number(net, "do", do).items()
    }
    return Evidence(seen, forced, soft)


def _by_number(net: Net, word: str, values: Mapping[str, Any] | None) -> dict[int, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise DataError(
            f"Evidence in {word} is a value by name, as in {word}={{{net.names[0]!r}: 1.5}}, "
            f"got {values!r}."
        )
    return {net.index(name): value for name, value in values.items()}


# -- levels ----------------------------------------------------------------------------------------


def _code(variable: Variable, value: Any) -> float:
    """A number as it is, a level as its code."""
    if variable.levels is None:
        return _number(variable.name, value)
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if variable.cuts is not None and number:
        return float(cut_codes(variable, np.array([_number(variable.name, value)]))[0])
    for code, level in enumerate(variable.levels):
        same_kind = isinstance(level, bool) == isinstance(value, bool)
        if (level == value and same_kind) or (isinstance(value, str) and str(level) == value):
            return float(code)
    if variable.coding is not None:
        return float(variable.coding.of_values(variable.name, [value])[0])
    raise DataError(
        f"{variable.name!r} has the value {value!r}, which the network has never seen. "
        + close_to(value, map(str, variable.levels))
    )


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number) or isinstance(value, str | bool):
        raise DataError(f"The value of {name!r} must be a finite number, got {value!r}.")
    return number


def _weights(variable: Variable, value: Any) -> Array:
    """A weight for each level: given ones, or 1 for the levels of a set or an interval."""
    if variable.levels is None:
        raise DataError(
            f"The value of {variable.name!r} must be a finite number, got {value!r}: sets, intervals and "
            "weights are evidence about variables with levels."
        )
    if isinstance(value, Mapping):
        return _likelihood(variable, value)
    weights = np.zeros(len(variable.levels))
    if isinstance(value, tuple) and len(value) == 2 and (variable.numeric or variable.ordered):
        weights[_between(variable, *value)] = 1.0
    else:
        weights[[int(_code(variable, each)) for each in value]] = 1.0
    if not weights.any():
        raise DataError(f"No level of {variable.name!r} is in {value!r}: name at least one.")
    return weights


def _likelihood(variable: Variable, value: Mapping[Any, Any]) -> Array:
    weights = np.full(len(variable.levels or ()), np.nan)
    for level, weight in value.items():
        weights[int(_code(variable, level))] = _number(variable.name, weight)
    for level, weight in zip(variable.levels or (), weights.tolist(), strict=True):
        if np.isnan(weight):
            raise DataError(
                f"Soft evidence about {variable.name!r} has no weight for {level!r}: give one for every "
                "level."
            )
    if (weights < 0).any() or not weights.any():
        raise DataError(
            f"Weights of the levels of {variable.name!r} must not be negative, and not all zero, got "
            f"{value!r}."
        )
    return weights


def _between(variable: Variable, low: Any, high: Any) -> NDArray[np.bool_]:
    """The levels of an interval, None for an open end; of cut numbers, all that it touches."""
    levels = variable.levels or ()
    if variable.numeric and variable.cuts is None:
        places = np.array(levels, dtype=float)
        ends = [None if end is None else _number(variable.name, end) for end in (low, high)]
    else:
        places = np.arange(float(len(levels)))
        ends = [None if end is None else _code(variable, end) for end in (low, high)]
    first, last = (-np.inf if ends[0] is None else ends[0], np.inf if ends[1] is None else ends[1])
    return (places >= first) & (places <= last)
