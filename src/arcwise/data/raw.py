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
    own : whether the arrays belong to nobody else and need not be copied.
    """

    names: tuple[str, ...]
    arrays: tuple[Any, ...]
    notes: tuple[str, ...] = ()
    own: bool = False

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.arrays[0]) if self.arrays else 0


def tidy_names(
    names: Iterable[object], *, numbered: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Make names usable.

    Parameters
    ----------
    names : as they came; empty ones (or None) have no name.
    numbered : a name that occurs again gets a number, as in a.1: what to do about the names of a file that
        somebody else wrote. Names that are numbers never do: then the line of names is missing.

    Returns
    -------
    The names, and notes if some had to be invented or numbered.

    Raises
    ------
    DataError : a name occurs twice.

    >>> tidy_names(["a", " b ", ""])
    (('a', 'b', 'x3'), ("A column without a name is called by its position: 'x3'.",))
    >>> tidy_names(["a", "b", "a"], numbered=True)
    (('a', 'b', 'a.1'), ("Column names that occur again were numbered: 'a.1'.",))
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
    again = _number_repeats(tidy) if numbered else []
    _refuse_repeats(tidy)
    repeats = f"Column names that occur again were numbered: {sentence_list(again)}."
    plural = "Columns without a name are" if len(invented) > 1 else "A column without a name is"
    note = f"{plural} called by {'their' if len(invented) > 1 else 'its'} position: "
    notes = [note + sentence_list(invented) + "."] if invented else []
    return tuple(tidy), (*notes, *([repeats] if again else []))


def _number_repeats(names: list[str]) -> list[str]:
    """Give names that occur again a number of their own, in place; say which."""
    taken, again = set(names), []
    seen: set[str] = set()
    times: Counter[str] = Counter()
    for place, name in enumerate(names):
        if name in seen and not _is_number(name):
            times[name] += 1
            while f"{name}.{times[name]}" in taken:
                times[name] += 1
            names[place] = f"{name}.{times[name]}"
            taken.add(names[place])
            again.append(names[place])
        seen.add(names[place])
    return again


def _is_number(name: str) -> bool:
    return name.replace(".", "").lstrip("-").isdigit()


def _refuse_repeats(names: Sequence[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if not twice:
        return
    numbers = all(map(_is_number, twice))
    hint = "is the first line of names missing" if numbers else "give each column its own name"
    end = "?" if numbers else "."
    raise DataError(f"Column names occur more than once ({sentence_list(twice)}): {hint}{end}")
