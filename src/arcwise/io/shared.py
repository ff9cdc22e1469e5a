"""Arrays that several parts of a network hold: written once, and shared again when read.

A model that keeps the rows it was fitted to holds its own column and those of its inputs; with p
variables every column would otherwise be written up to 2 p times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.networks import BayesNet, Net

SMALL = 16
"""Arrays of so few numbers are written where they stand."""


def shared_arrays(net: Net | None) -> list[NDArray[Any]]:
    """List the arrays that several places hold, each once, in the order of their first places.

    The same array means the same object: equal numbers elsewhere stay apart.

    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import UGraph
    >>> from arcwise.networks import Fixed, MarkovNet
    >>> x = np.arange(20.0)
    >>> variables = (Variable("a"), Variable("b"))
    >>> models = (Fixed(1.0), Fixed(2.0))
    >>> net = MarkovNet(variables, UGraph.empty(["a", "b"]), models, (x, x))
    >>> [array is x for array in shared_arrays(net)]
    [True]
    """
    parts = [] if net is None else [net.conditionals, _rows(net)]
    if isinstance(net, BayesNet) and net.blankets is not None:
        parts += [net.blankets.conditionals, net.blankets.typical]
    found = {id(array): array for array in _arrays(tuple(parts))}
    places = Counter(id(array) for array in _arrays(tuple(parts)))
    return [array for key, array in found.items() if places[key] > 1 and array.size > SMALL]


def _rows(net: Net) -> tuple[NDArray[Any], ...]:
    """The typical rows that are written: those of a network without a joint distribution."""
    return () if isinstance(net, BayesNet) or net.joint is not None else net.typical


def _arrays(value: object) -> Iterator[NDArray[Any]]:
    """Every array inside a value, as often as it stands there."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _arrays(item)
    elif is_dataclass(value):
        for field in fields(value):
            if field.init:
                yield from _arrays(getattr(value, field.name))
