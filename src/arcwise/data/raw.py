"""Raw columns: what files and frames have in common before kinds are settled.

A `Raw` is a list of names and of Arrow arrays of any type, with the notes made so far. Names are
tidied here, once for all sources: they are text, without blanks around them; a column without a
name is called after its position, x1, x2, ...; two columns of one name are refused.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from arcwise.data.variable import sentence_list
from arcwise.errors import DataError


@dataclass(frozen=True)
class Raw:
    """Columns as they came.

    Parameters
    ----------
    names : tidy, distinct.
    arrays : Arrow arrays of equal length, one per name.
    notes : sentences so far.
    whole : whether numbers with gaps may have been whole numbers (pandas turns those into floats).
    own : whether the arrays belong to nobody else and need not be copied.
    """

    names: tuple[str, ...]
    arrays: tuple[Any, ...]
    notes: tuple[str, ...] = ()
    whole: bool = False
    own: bool = False

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.arrays[0]) if self.arrays else 0


def tidy_names(names: Iterable[object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Make names usable.

    Parameters
    ----------
    names : as they came; empty ones (or None) have no name.

    Returns
    -------
    The names, and a note if some had to be invented.

    Raises
    ------
    DataError : a name occurs twice.

    >>> tidy_names(["a", " b ", ""])
    (('a', 'b', 'x3'), ("A column without a name is called by its position: 'x3'.",))
    """
    given = ["" if name is None else str(name).strip() for name in names]
    taken, invented, tidy = set(given), [], []
    for position, name in enumerate(given, start=1):
        if not name:
            name = f"x{position}"
            while name in taken:
                name += "_"
            invented.append(name)
        tidy.append(name)
    _refuse_repeats(tidy)
    plural = "Columns without a name are" if len(invented) > 1 else "A column without a name is"
    note = f"{plural} called by {'their' if len(invented) > 1 else 'its'} position: "
    return tuple(tidy), (note + sentence_list(invented) + ".",) if invented else ()


def _refuse_repeats(names: Sequence[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if not twice:
        return
    numbers = all(name.replace(".", "").lstrip("-").isdigit() for name in twice)
    hint = "is the first line of names missing" if numbers else "give each column its own name"
    end = "?" if numbers else "."
    raise DataError(f"Column names occur more than once ({sentence_list(twice)}): {hint}{end}")
