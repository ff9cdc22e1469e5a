"""The terms of a regression beyond main effects: curves of numbers, and products of two parents."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.design import Design, DesignColumn

__all__ = ["DesignTerm", "column_of", "described_rows", "further_terms", "rows_of"]

_ENOUGH = 60  # rows from which five functions of a number are told apart
_WIDEST = 16  # columns of a product, beyond which it is not tried


class DesignTerm(NamedTuple):
    """A block of columns: functions of one variable, or products of two variables' main effects."""

    pair: tuple[int, int] | None
    numbers: tuple[int, ...]
    columns: tuple[DesignColumn, ...]


def column_of(design: Design, number: int) -> DesignColumn:
    """How a single column is described."""
    return (*design.describe(number), -1, 0)


def described_rows(design: Design, columns: Sequence[DesignColumn]) -> Array:
    """(columns, rows) the values of columns that are described."""
    found = design.columns[[design.column(one, function) for one, function, _, _ in columns]]
    for k, (_, _, two, other) in enumerate(columns):
        if two >= 0:
            found[k] *= design.columns[design.column(two, other)]
    return found


def further_terms(design: Design, parents: Sequence[int]) -> list[DesignTerm]:
    """A square, three or five functions of each number; the product of each pair."""
    found = []
    for j in parents:
        if not design.levels[j]:
            block = design.blocks[j]
            curves = (block[1:2], block[1:4], block[1:])
            for curve in curves[: 3 if design.total >= _ENOUGH else 2]:
                found.append(DesignTerm(None, curve, tuple(column_of(design, c) for c in curve)))
    for i, j in combinations(parents, 2):
        one, two = design.main(i), design.main(j)
        if 0 < len(one) * len(two) <= _WIDEST:
            each = [(*design.describe(a), *design.describe(b)) for a in one for b in two]
            found.append(DesignTerm((i, j), (), tuple(each)))
    return found


def rows_of(design: Design, term: DesignTerm) -> Array:
    """(columns, rows) the values of a term."""
    if term.pair is None:
        return design.columns[list(term.numbers)]
    return design.pair(design.main(term.pair[0]), design.main(term.pair[1]))
