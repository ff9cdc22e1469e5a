"""What is done about kinds and gaps before a model looks at a table.

Two steps come before each family's own check of its columns. Columns of numeric levels become numbers,
unless their kind was asked for by name: then a new number is no unseen state. And gaps are dealt with by a
policy. `POLICIES` is the register: word to what becomes of a table.
"""

from collections.abc import Callable, Iterable

from arcwise.data.table import Table
from arcwise.data.variable import sentence_list
from arcwise.errors import DataError

POLICIES: dict[str, Callable[[Table], Table]] = {"drop": Table.complete}


def as_numbers(table: Table) -> Table:
    """Turn columns of numeric levels into numbers, except those fixed by name; a note names them.

    >>> from arcwise.data.frames import table
    >>> as_numbers(table({"count": [1, 2, 2, 3], "colour": ["red", "blue", "red", "red"]}))
    Table(4 rows, 1 continuous, 1 discrete: count, colour)
    """
    numeric = [v.name for v in table.variables if v.numeric and v.name not in table.fixed]
    if not numeric:
        return table
    several = len(numeric) > 1
    note = (
        f"{sentence_list(numeric)} {'have' if several else 'has'} few distinct whole values and "
        f"{'are' if several else 'is'} treated as numbers; kinds={{{numeric[0]!r}: 'discrete'}} "
        f"changes that{f' for {numeric[0]!r}' * several}."
    )
    return table.recast(dict.fromkeys(numeric, "continuous")).with_notes(note)


def checked_policy(missing: object) -> str:
    """The policy for gaps, after checking that there is one of that name.

    Raises
    ------
    DataError : another word, or values that mean a gap, which ``na_values=`` takes.

    >>> checked_policy(["?"])
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: missing= says what to do about gaps ('drop'), got ['?']: values that mean \
a gap are given as na_values=['?'].
    """
    if isinstance(missing, str) and missing in POLICIES:
        return missing
    raise DataError(
        f"missing= says what to do about gaps ({', '.join(map(repr, POLICIES))}), got {missing!r}: "
        f"values that mean a gap are given as na_values={_signs(missing)!r}."
    )


def refuse_missing(missing: object) -> None:
    """Refuse a policy where a table is made, which keeps its gaps; values that mean one have another name."""
    if missing is not None:
        raise DataError(
            f"Values that mean a gap are given as na_values={_signs(missing)!r}; a table keeps its gaps, and "
            "what to do about them (missing='drop') is said where a network is learned."
        )


def _signs(missing: object) -> list[object]:
    return (
        [missing] if isinstance(missing, str) or not isinstance(missing, Iterable) else [*missing]
    )


def without_gaps(table: Table, missing: str = "drop") -> Table:
    """Deal with the gaps of a table by a policy; "drop" leaves out the rows that have some.

    >>> from arcwise.data.frames import table
    >>> without_gaps(table({"x": [0.5, None, 2.5]})).notes[-1]
    "1 of 3 rows left out because of gaps (most in 'x': 1)."
    """
    return POLICIES[checked_policy(missing)](table)
