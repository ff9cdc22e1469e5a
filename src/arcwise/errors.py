"""The exception hierarchy of Arcwise.

Every error that Arcwise raises on purpose is an ``ArcwiseError``; its text is one sentence that
names the variable or file, what was expected, what came and what to do::

    ArcwiseError
    |-- DataError    a table, a column or a data file that cannot be used; also a ValueError
    |-- GraphError   a graph or a rule about graphs that makes no sense; also a ValueError
    |-- FitError     a local model, score or search that cannot work with what it was given
    |   |-- ChainsError  chains over graphs that have not come together
    |   `-- NoTimeError  a run whose time limit was too short for any result at all
    |-- FileError    a network file that is damaged, foreign or unreadable; also an OSError
    `-- OptionError  an option or a value of one that there is not; also a ValueError

Not converging is no error: searches say why they stopped in their result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Self

from arcwise.notes import Fix, Idiom, worded

# More words than this are not listed in full in a message.
LISTED = 12
# More columns than this are not named in full.
NAMED = 6


class ArcwiseError(Exception):
    """The parent of all errors that Arcwise raises on purpose.

    Functions of matrices know columns by number only. They say ``{columns}`` in the sentence and give the
    numbers next to it; those who know the names say it again with them.

    >>> error = ArcwiseError("{columns} does not vary.", [2])
    >>> print(error)
    Column 2 does not vary.
    >>> print(error.named(["a", "b", "c"]))
    Column 'c' does not vary.
    """

    def __init__(
        self, sentence: object = "", columns: Iterable[int] = (), fixes: Iterable[Fix] = ()
    ) -> None:
        self.columns, self.fixes = tuple(columns), tuple(fixes)
        # Errors travel between processes by their arguments.
        more = [self.columns, self.fixes] if self.fixes else [self.columns] if self.columns else []
        super().__init__(sentence, *more)

    def __str__(self) -> str:
        return self.worded(Idiom.PYTHON)

    @property
    def text(self) -> str:
        """The sentence with places for fixes."""
        return self._said(list(map(str, self.columns)))

    @property
    def fix(self) -> Fix | None:
        """The first fix that says all that is to be typed."""
        return next((fix for fix in self.fixes if fix.complete), None)

    def worded(self, idiom: Idiom) -> str:
        """Return the sentence, with fixes as one types them there."""
        return worded(self.text, self.fixes, idiom)

    def named(self, names: Sequence[str]) -> ArcwiseError:
        """Return the same error, with names in place of the numbers of columns."""
        return type(self)(
            self._said([repr(names[column]) for column in self.columns]), (), self.fixes
        )

    def within(self, before: str, after: str = "") -> Self:
        """Return the same error with words around its sentence."""
        return type(self)(f"{before}{self.text}{after}", (), self.fixes)

    def _said(self, columns: list[str]) -> str:
        sentence = str(self.args[0])
        if not columns:
            return sentence
        names = join_words(columns)
        if len(columns) > NAMED:
            names = f"{', '.join(columns[:NAMED])}, ... ({len(columns)} in all)"
        said = f"{'column' if len(columns) == 1 else 'columns'} {names}"
        before, place, after = sentence.partition("{columns}")
        if not before:
            said = f"C{said[1:]}"
        return f"{before}{said}{after}" if place else sentence


class DataError(ArcwiseError, ValueError):
    """A table, a column or a data file that cannot be used as it is."""


class GraphError(ArcwiseError, ValueError):
    """A graph, or a rule about graphs, that contradicts itself or the data."""


class FitError(ArcwiseError):
    """A local model, a score or a search that cannot work with what it was given."""


class ChainsError(FitError):
    """Chains over graphs that have not come together: their shares say nothing.

    >>> ChainsError.of("The chains have not converged", "allow more time").failure
    'The chains have not converged'
    """

    failure = "The chains have not converged"

    @classmethod
    def of(cls, failure: str, remedy: str, fixes: Iterable[Fix] = ()) -> ChainsError:
        """Return the error of a failure that a note may report, with what to change."""
        error = cls(f"{failure}: {remedy}.", fixes=fixes)
        error.failure = failure
        return error


class NoTimeError(FitError):
    """A run whose time limit was too short for any result at all."""


class FileError(ArcwiseError, OSError):
    """A network file that is damaged, foreign or unreadable."""


class LibraryError(ArcwiseError, ImportError):
    """A library that is not installed, and is part of an extra."""


class OptionError(ArcwiseError, ValueError):
    """An option, or a value of one, that does not exist or is not allowed."""


def join_words(words: Iterable[str], most: int | None = None) -> str:
    """Return words for a sentence: the first few, and how many more there are.

    >>> join_words(["a", "b", "c"]), join_words(["a", "b", "c"], most=2), join_words([])
    ('a, b and c', 'a, b and 1 more', '')
    """
    every = list(words)
    if most is not None and len(every) > most:
        return f"{', '.join(every[:most])} and {len(every) - most} more"
    return " and ".join(filter(None, [", ".join(every[:-1]), *every[-1:]]))


def plural(count: float, word: str, many: str = "") -> str:
    """Write a count and its word.

    >>> plural(1, "row"), plural(3, "row"), plural(2, "penalty", "penalties")
    ('1 row', '3 rows', '2 penalties')
    """
    return f"{count:.10g} {word if count == 1 else many or word + 's'}"


@contextmanager
def columns_named(names: Sequence[str]) -> Iterator[None]:
    """Call columns by their names in errors that know them by number.

    >>> with columns_named(["a", "b"]):
    ...     raise FitError("There is no maximum: {columns} are copies of each other.", [0, 1])
    Traceback (most recent call last):
    ...
    arcwise.errors.FitError: There is no maximum: columns 'a' and 'b' are copies of each other.
    """
    try:
        yield
    except ArcwiseError as error:
        if not error.columns:
            raise
        raise error.named(names) from None


def close_to(word: object, known: Iterable[str]) -> str:
    """Return which known words are meant or possible, as the end of an error message.

    Parameters
    ----------
    word : the word that was not found.
    known : the words there are.

    Returns
    -------
    A sentence: the close matches if there are any, else the (first) known words.

    >>> close_to("greddy", ["greedy", "tabu"])
    "Did you mean 'greedy'?"
    >>> close_to("simplex", ["greedy", "tabu"])
    "Choose from 'greedy', 'tabu'."
    """
    words = [str(each) for each in known]
    # Case is a common slip that difflib would count as several wrong letters.
    folded = {each.casefold(): each for each in reversed(words)}
    close = get_close_matches(str(word).casefold(), list(folded), n=3)
    if close:
        return f"Did you mean {' or '.join(repr(folded[each]) for each in close)}?"
    if not words:
        return "There are none."
    rest = f" and {len(words) - LISTED} more" if len(words) > LISTED else ""
    return f"Choose from {', '.join(repr(each) for each in words[:LISTED])}{rest}."


def unknown(kind: str, word: object, known: Iterable[str]) -> OptionError:
    """Make the error for an option's value that does not exist.

    Parameters
    ----------
    kind : what the word should have named, such as ``"search"``.
    word : what was given.
    known : the words there are.

    Returns
    -------
    The error, to be raised by the caller.

    >>> unknown("search", "tabo", ["greedy", "tabu"])
    OptionError("There is no search 'tabo'. Did you mean 'tabu'?")
    """
    return OptionError(f"There is no {kind} {word!r}. {close_to(word, known)}")
