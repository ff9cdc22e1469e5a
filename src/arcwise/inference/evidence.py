"""Evidence and interventions: names and values as column numbers and codes.

Evidence on a continuous variable is a number or an interval. On a discrete one it is a level, or weights of
levels: a set of levels; an interval, if levels are numbers or ordered; or *soft* evidence, the likelihood of
an observation under each level (Pearl 1988, section 2.2.2). Only the ratios of such weights matter for a
belief; the probability of the evidence is the sum over levels of weight x p(level).

Evidence also determines the relevant part of a network. An observed variable is a constant for its children,
so every arc out of it can be removed. A variable that is then neither a target, nor observed, nor an ancestor
of such a variable integrates to one (it is *barren*), and only the connected component of the targets is
relevant. This is the pruning of Bayes-ball (Shachter 1998), in linear time; with everything else observed, a
query about one variable needs only its Markov blanket.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Variable
from arcwise.data.variable import cut_codes
from arcwise.errors import DataError, close_to
from arcwise.graphs import DAG
from arcwise.networks import Net
from arcwise.values import are_texts, as_tuple, is_number, is_pair, is_several, written

Array = NDArray[np.float64]


class Evidence(NamedTuple):
    """Evidence by column numbers: numbers, and levels as their codes.

    `soft` has weights of the levels of a variable whose level is not observed exactly, `ranges` the ends of
    an interval with a number, infinite if open.
    """

    seen: Mapping[int, float]
    forced: Mapping[int, float]
    soft: Mapping[int, Array]
    ranges: Mapping[int, tuple[float, float]] = {}

    def given(self, net: Net) -> dict[str, Any]:
        """Return the evidence as users give it: numbers, levels, lists of levels, weights by level,
        intervals.
        """
        weights = {n: _plain_weights(net.variables[n], weight) for n, weight in self.soft.items()}
        pairs = {node: tuple(map(_plain_end, ends)) for node, ends in self.ranges.items()}
        return plain(net, self.seen) | {net.names[n]: x for n, x in {**weights, **pairs}.items()}


def plain(net: Net, values: Mapping[int, float]) -> dict[str, Any]:
    """Return values as users give them: numbers, or levels."""
    values_by_name: dict[str, Any] = {}
    for node, value in values.items():
        levels = net.variables[node].levels
        values_by_name[net.names[node]] = value if levels is None else levels[int(value)]
    return values_by_name


def _plain_end(end: float) -> float | None:
    return end if np.isfinite(end) else None


def _plain_weights(variable: Variable, weights: Array) -> Any:
    levels = variable.levels or ()
    if set(weights.tolist()) <= {0.0, 1.0}:
        return [level for level, weight in zip(levels, weights, strict=True) if weight]
    return dict(zip(levels, weights.tolist(), strict=True))


def read_evidence(
    net: Net, given: Mapping[str, Any] | None = None, do: Mapping[str, Any] | None = None
) -> Evidence:
    """Return evidence by column numbers from evidence by names.

    Raises
    ------
    DataError : an unknown name, a number that is not finite, an unknown level, weights that are negative or
        all zero, an empty set or interval; a variable that is set to more than one level.
    """
    values: dict[int, float] = {}
    soft: dict[int, Array] = {}
    ranges: dict[int, tuple[float, float]] = {}
    for node, value in _by_number(net, "given", given).items():
        variable = net.variables[node]
        if not is_several(value):
            values[node] = _code(variable, value)
            continue
        if variable.levels is None and is_pair(value):
            low, high = _ends(variable, *value)
            if low == high:
                values[node] = low
            elif np.isfinite([low, high]).any():
                ranges[node] = low, high
            continue
        weights = _weights(variable, value)
        if not isinstance(value, Mapping) and weights.sum() == 1.0:
            values[node] = float(weights.argmax())
        else:
            soft[node] = weights
    forced = {
        node: _code(net.variables[node], value) for node, value in _by_number(net, "do", do).items()
    }
    return Evidence(values, forced, soft, ranges)


def _by_number(net: Net, word: str, values: Mapping[str, Any] | None) -> dict[int, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise DataError(
            f"Evidence in {word} must be values by name, as in {word}={{{net.names[0]!r}: 1.5}}, "
            f"got {values!r}."
        )
    return {net.index(name): value for name, value in values.items()}


# -- levels ----------------------------------------------------------------------------------------


def _code(variable: Variable, value: Any) -> float:
    """Return a number unchanged, or a level as its code."""
    if variable.levels is None:
        return _number(variable.name, value)
    if variable.cuts is not None and is_number(value):
        return float(cut_codes(variable, np.array([_number(variable.name, value)]))[0])
    for code, level in enumerate(variable.levels):
        same_kind = isinstance(level, bool) == isinstance(value, bool)
        if (level == value and same_kind) or str(level) == value or written(value) == level:
            return float(code)
    if variable.coding is not None:
        return float(variable.coding.of_values(variable.name, [value])[0])
    raise DataError(
        f"{variable.name!r} has the value {value!r}, which is not in the training data. "
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


def _ends(variable: Variable, low: Any, high: Any) -> tuple[float, float]:
    """Return the ends of an interval of numbers, infinite for None."""
    ends = [
        sign * np.inf if end is None or end == sign * np.inf else _number(variable.name, end)
        for end, sign in ((low, -1), (high, 1))
    ]
    if ends[0] > ends[1]:
        raise DataError(
            f"The interval of {variable.name!r} must have a lower end below the upper, "
            f"got ({low!r}, {high!r})."
        )
    return ends[0], ends[1]


def _weights(variable: Variable, value: Any) -> Array:
    """Return a weight for each level: given ones, or 1 for the levels of a set or an interval."""
    if variable.levels is None:
        raise DataError(
            f"The value of {variable.name!r} must be a finite number or an interval (low, high), "
            f"got {value!r}: sets and weights are for variables with levels."
        )
    if isinstance(value, Mapping):
        return _likelihood(variable, value)
    weights = np.zeros(len(variable.levels))
    if is_pair(value) and (variable.numeric or variable.ordered):
        weights[_levels_between(variable, *value)] = 1.0
    else:
        weights[[int(_code(variable, level)) for level in value]] = 1.0
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
                f"Soft evidence about {variable.name!r} must have a weight for every level, and "
                f"has none for {level!r}."
            )
    if (weights < 0).any() or not weights.any():
        raise DataError(
            f"Weights of the levels of {variable.name!r} must be non-negative and not all zero, "
            f"got {value!r}."
        )
    return weights


def _levels_between(variable: Variable, low: Any, high: Any) -> NDArray[np.bool_]:
    """Return the levels of an interval, None for an open end; for cut numbers, all that overlap it."""
    levels = variable.levels or ()
    if variable.numeric and variable.cuts is None:
        scale = np.array(levels, dtype=float)
        ends = [None if end is None else _number(variable.name, end) for end in (low, high)]
    else:
        scale = np.arange(float(len(levels)))
        ends = [None if end is None else _code(variable, end) for end in (low, high)]
    first, last = (-np.inf if ends[0] is None else ends[0], np.inf if ends[1] is None else ends[1])
    return (scale >= first) & (scale <= last)


def upward(graph: DAG, starts: Iterable[int], observed: Collection[int]) -> set[int]:
    """Return unobserved ancestors of the starts, reached through unobserved variables only.

    Parameters
    ----------
    graph : the network's graph.
    starts : the first nodes; not in the result unless reached.
    observed : numbers of the observed variables.

    Returns
    -------
    Numbers of the ancestors whose values have to be integrated over.

    >>> sorted(upward(DAG.from_arcs([("a", "b"), ("b", "c"), ("c", "d")]), [3], {1}))
    [2]
    """
    result: set[int] = set()
    stack = list(starts)
    while stack:
        for parent in graph.parents[stack.pop()]:
            if parent not in result and parent not in observed:
                result.add(parent)
                stack.append(parent)
    return result


def relevant(graph: DAG, targets: Iterable[int], observed: Collection[int]) -> set[int]:
    """Return the variables whose local models are relevant for the targets given the evidence.

    Parameters
    ----------
    graph : the network's graph.
    targets : numbers of the targets; none of them observed.
    observed : numbers of the observed variables.

    Returns
    -------
    The targets, the unobserved variables to integrate over, and the observed ones among their children.

    >>> graph = DAG.from_arcs([("a", "b"), ("b", "c"), ("c", "d")])
    >>> sorted(relevant(graph, [1], {0, 2, 3}))
    [1, 2]
    """
    roots = set(targets)
    hidden = roots | upward(graph, [*roots, *observed], observed)

    def joined(node: int) -> Iterator[int]:
        yield from (parent for parent in graph.parents[node] if parent in hidden)
        if node in hidden:
            yield from (c for c in graph.children[node] if c in hidden or c in observed)

    members, stack = set(roots), list(roots)
    while stack:
        for other in joined(stack.pop()):
            if other not in members:
                members.add(other)
                stack.append(other)
    return members


def patterns(gaps: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.intp], set[int]]]:
    """Yield groups of rows with the same missing columns: the rows' numbers, and the observed columns.

    >>> mask = np.array([[True, False], [False, False], [True, False]])
    >>> [(rows.tolist(), known) for rows, known in patterns(mask)]
    [([1], {0, 1}), ([0, 2], {1})]
    """
    if len(gaps) and (gaps == gaps[:1]).all():
        yield np.arange(len(gaps)), set(np.flatnonzero(~gaps[:1].all(axis=0)).tolist())
        return
    packed = np.packbits(gaps, axis=1)
    _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(group.ravel(), minlength=len(first)))[:-1]
    # Not strict: split makes one (empty) piece of no rows.
    for start, places in zip(first, np.split(order, ends), strict=False):
        yield places, set(np.flatnonzero(~gaps[start]).tolist())


class DistinctRows(NamedTuple):
    """Distinct combinations of observed values in rows, sorted by their missing columns.

    `codes` has a level for every variable, -1 if missing; `first` is the first row of a combination, and
    `which` the number of each row's combination.
    """

    codes: NDArray[np.int64]
    first: NDArray[np.intp]
    which: NDArray[np.intp]


def fold_rows(columns: Sequence[NDArray[Any]], gaps: NDArray[np.bool_]) -> DistinctRows:
    """Return the distinct rows of codes."""
    size = len(gaps)
    codes = np.empty((size, gaps.shape[1]), dtype=np.int64)
    for node, column in enumerate(columns):
        codes[:, node] = column
    codes[gaps] = -1
    if size < 2:
        return DistinctRows(codes, np.zeros(size, dtype=np.intp), np.zeros(size, dtype=np.intp))
    # The mask comes first, then levels: so rows with the same missing columns are adjacent.
    keys = np.concatenate(
        [np.packbits(gaps, axis=1), codes.astype(np.uint16).view(np.uint8)], axis=1
    )
    rows = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1]))).ravel()
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    return DistinctRows(codes[first], first, which.ravel())


def check_roles(net: Net, targets: Sequence[int], evidence: Evidence) -> None:
    """Raise an error for a repeated target, or a variable in two roles: target, evidence or intervention."""
    observed, forced, soft, ranges = evidence
    for node in targets:
        if node in observed or node in forced or node in ranges:
            raise DataError(f"{net.names[node]!r} is both a target and evidence: choose one.")
        if list(targets).count(node) > 1:
            raise DataError(f"{net.names[node]!r} is a target twice: name it once.")
    for node in (*observed, *soft, *ranges):
        if node in forced:
            raise DataError(f"{net.names[node]!r} is both in given and in do: choose one.")


def names_of(targets: str | Sequence[str]) -> tuple[str, ...]:
    """Return the targets as names."""
    if not is_several(targets) and not are_texts([targets]):
        raise DataError(f"The target must be a name or a list of names, got {targets!r}.")
    return as_tuple(targets)


def sentence(names: Sequence[str], given: Mapping[str, object], do: Mapping[str, object]) -> str:
    """Return a query as one line.

    >>> sentence(["y"], {"a": 1.5}, {"b": 2})
    'y given a = 1.5, do b = 2'
    """
    evidence_text = ", ".join(f"{name} = {show_value(value)}" for name, value in given.items())
    forced = ", ".join(f"{name} = {show_value(value)}" for name, value in do.items())
    parts = [f"given {evidence_text}" if evidence_text else "", f"do {forced}" if forced else ""]
    return " ".join([", ".join(names), ", ".join(filter(None, parts))]).strip()


def show_value(value: object) -> str:
    """Return a value of evidence as text: a number, an interval, a level, several, or weights of levels."""
    if isinstance(value, tuple):
        return "..".join("" if end is None else show_value(end) for end in value)
    if isinstance(value, list):
        return " or ".join(map(show_value, value))
    if isinstance(value, Mapping):
        weights = (f"{show_value(level)} {show_value(weight)}" for level, weight in value.items())
        return f"({', '.join(weights)})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
