"""What is reported to users, as values: notes, what to change (fixes), and why a run ended.

A `Note` is a sentence with its kind, the columns that it is about, and what to change. What to change is a
`Fix`: an option with a value, or a function with arguments. Python, the shell and notebooks each write a fix
in their own way; a sentence has a place for it, ``{option=}`` or ``{function()}``.

>>> fix = Fix("kinds", {"RAD": "discrete"})
>>> note = Note(NoteKind.DATA, "RAD is treated as numeric; {kinds=} changes that.", ("RAD",), (fix,))
>>> print(note)
RAD is treated as numeric; aw.table(data, kinds={'RAD': 'discrete'}) changes that.
>>> print(note.shell())
RAD is treated as numeric; --kind RAD=discrete changes that.

A `Stop` is a reason of the enumeration `StopReason` with its detail. Programs compare kinds and reasons; no
program reads a sentence.

>>> stop = Stop(StopReason.TIME_LIMIT, "2.5")
>>> stop.reason is StopReason.TIME_LIMIT, stop.early
(True, True)
>>> print(stop)
the time budget of 2.5 s is used up
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from html import escape
from typing import Any, Final


class _Open(Enum):
    VALUE = "open"
    NAME = "name"


UNSET: Final = _Open.VALUE
"""The value of a fix that names an option and leaves its value open."""
NAME: Final = _Open.NAME
"""The value of a mention of an option by its name alone, without an equals sign."""


class Blank(str):
    """A value that the reader has to fill in, such as NUMBER."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


_FLAGS = {"kinds": "kind", "levels": "level"}
"""Options that have another name in the shell."""

_CHOICES = {"columns": "only"}
"""Options that have another name in the shell if their value is a choice of columns, [...]."""

_OF_TABLES = frozenset({"kinds", "weights", "copies"})
"""Options of `aw.table` and `aw.read`."""

_COMMANDS = {
    "select": "--drop",
    "discretise": "'arcwise discretise'",
    "fit": "'arcwise fit'",
    "learn": "'arcwise learn'",
    "posterior": "'arcwise posterior'",
    "counts": "--stream",
    "moments": "--stream",
    "load": "--data",
}
"""The name of a function in the shell."""

_APART = {
    "in categories": ("discretise()", "--discretise quantiles"),
    "in batches": ("counts() or moments()", "--stream"),
    "at once": ("use read()", "leave --stream out"),
    "as a pair": ("a pair (tail, head)", """'"tail","head"' in quotes"""),
}
"""What is typed in Python, and what in the shell, if neither is a form of the other."""


@dataclass(frozen=True)
class Fix:
    """What to change: an option and its value, or a function and its arguments.

    Parameters
    ----------
    option : the name of an option as in Python.
    value : its value; left open if there is none.
    verb : the name of a function, instead of an option, or a way of `_APART`.
    arguments : those of the function, as one types them.
    advice : whether it is to be typed; False for an option that a sentence only names (see `mention`).

    >>> Fix("model", "parzen").python(), Fix("model", "parzen").shell()
    ("model='parzen'", '--model parzen')
    >>> Fix("na_values", ["inf", "-inf"]).shell(), Fix("certainty", False).shell()
    ('--na-values=inf --na-values=-inf', '--no-certainty')
    >>> Fix(verb="discretise").python(), Fix(verb="discretise").shell()
    ('discretise()', "'arcwise discretise'")
    """

    option: str = ""
    value: Any = UNSET
    verb: str = ""
    arguments: str = ""
    advice: bool = True

    def __hash__(self) -> int:
        return hash(self.python())  # values may be lists and mappings

    @property
    def place(self) -> str:
        """The placeholder of the fix in a sentence."""
        return f"{{{self.option}=}}" if self.option else f"{{{self.verb}()}}"

    @property
    def complete(self) -> bool:
        """Whether it says all that is to be typed."""
        return self.advice and (bool(self.verb) or self.value is not UNSET)

    def python(self) -> str:
        """Return the fix as one types it in Python."""
        if self.verb:
            return _APART[self.verb][0] if self.verb in _APART else f"{self.verb}({self.arguments})"
        if self.value is NAME:
            return self.option
        text = f"{self.option}={'' if self.value is UNSET else _literal(self.value)}"
        of_table = self.advice and self.option in _OF_TABLES and self.value is not UNSET
        return f"aw.table(data, {text})" if of_table else text

    def shell(self) -> str:
        """Return the fix as one types it in the shell."""
        if self.verb:
            apart = _APART.get(self.verb)
            return apart[1] if apart else _COMMANDS.get(self.verb, f"{self.verb}()")
        name = _FLAGS.get(self.option, self.option).replace("_", "-")
        if self.value is True or isinstance(self.value, _Open):
            return f"--{name}"
        if self.value is False:
            return f"--no-{name}"
        if isinstance(self.value, Mapping):
            pairs = (f"{key}={value}" for key, value in self.value.items())
            return " ".join(f"--{name} {shlex.quote(pair)}" for pair in pairs)
        if isinstance(self.value, list | tuple | set | frozenset):
            if ... in self.value:
                return f"--{_CHOICES.get(self.option, name)}"
            return " ".join(f"--{name}={shlex.quote(str(each))}" for each in self.value)
        return f"--{name} {shlex.quote(str(self.value))}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fix as plain values."""
        if self.verb:
            return {"verb": self.verb, "arguments": self.arguments}
        return {
            "option": self.option,
            **({} if isinstance(self.value, _Open) else {"value": self.value}),
        }


def mention(option: str, value: Any = UNSET) -> Fix:
    """Return an option that a sentence names without advising it, to be written like a fix.

    >>> mention("search", "stepwise").shell(), mention("search", "stepwise").complete
    ('--search stepwise', False)
    >>> mention("max_parents", NAME).python(), mention("max_parents", NAME).shell()
    ('max_parents', '--max-parents')
    """
    return Fix(option, value, advice=False)


def _literal(value: Any) -> str:
    if isinstance(value, list) and ... in value:
        return "[...]"
    return repr(value)


class Idiom(Enum):
    """How fixes are written."""

    PYTHON = "python"
    SHELL = "shell"
    HTML = "html"


def worded(sentence: str, fixes: Iterable[Fix], idiom: Idiom = Idiom.PYTHON) -> str:
    """Write fixes into a sentence that has places for them.

    Several fixes of one option fill its places in their order.

    >>> worded("take {search=}, or fewer columns.", [Fix("search", "auto")], Idiom.SHELL)
    'take --search auto, or fewer columns.'
    >>> worded("a < b: take {search=}.", [Fix("search", "auto")], Idiom.HTML)
    'a &lt; b: take <code>search=&#x27;auto&#x27;</code>.'
    >>> worded("{model=} and {model=} differ.", [Fix("model", "linear"), Fix("model", "curved")])
    "model='linear' and model='curved' differ."
    """
    html = idiom is Idiom.HTML
    text = escape(sentence) if html else sentence
    rest = list(fixes)
    places = [fix.place for fix in rest]
    for i, fix in enumerate(rest):
        words = fix.shell() if idiom is Idiom.SHELL else fix.python()
        many = 1 if fix.place in places[i + 1 :] else -1
        text = text.replace(fix.place, f"<code>{escape(words)}</code>" if html else words, many)
    return text


class NoteKind(Enum):
    """What a note is about."""

    DATA = "data"
    ROWS = "rows"
    """Columns of new rows that a network does not have, or that they lack."""
    MODEL = "model"
    SEARCH = "search"
    PENALTY = "penalty"
    CERTAINTY = "certainty"
    ANSWER = "answer"
    FILE = "file"


@dataclass(frozen=True)
class Note:
    """Something that a user should know of a result. It prints as a sentence.

    Parameters
    ----------
    kind : what programs compare.
    text : the sentence, with places for the fixes.
    about : the columns that it concerns.
    fixes : what to change.
    """

    kind: NoteKind
    text: str
    about: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()

    def __str__(self) -> str:
        return worded(self.text, self.fixes)

    def __repr__(self) -> str:
        return f"<Note: {self}>"

    def __contains__(self, words: str) -> bool:
        """Return whether the sentence has these words."""
        return words in str(self)

    @property
    def fix(self) -> Fix | None:
        """The first fix that says all that is to be typed."""
        return next((fix for fix in self.fixes if fix.complete), None)

    def shell(self) -> str:
        """Return the sentence with fixes as one types them in the shell."""
        return worded(self.text, self.fixes, Idiom.SHELL)

    def html(self) -> str:
        """Return the sentence in HTML, escaped, with fixes as code."""
        return worded(self.text, self.fixes, Idiom.HTML)

    def _repr_html_(self) -> str:
        return f"<p>{self.html()}</p>"

    def to_dict(self) -> dict[str, Any]:
        """Kind, sentence, columns and what to change as plain values."""
        return {
            "kind": self.kind.value,
            "text": str(self),
            "about": list(self.about),
            "fix": None if self.fix is None else self.fix.to_dict(),
        }

    def stored(self) -> dict[str, Any]:
        """Return all of the note as plain values, for a file."""
        fixes = [fix.to_dict() for fix in self.fixes]
        return {**self.to_dict(), "text": self.text, "fix": fixes}

    @classmethod
    def from_stored(cls, stored: object, kind: NoteKind = NoteKind.FILE) -> Note | None:
        """Undo `stored`; None if it is something else. Files of version 0.1 have the sentence alone."""
        match stored:
            case str(sentence):
                return cls(kind, sentence)
            case {"kind": str(word), "text": str(text), "about": [*about], "fix": [*fixes]}:
                kinds = {each.value: each for each in NoteKind}
                parsed = tuple(map(_stored_fix, fixes))
                if (
                    word in kinds
                    and all(isinstance(name, str) for name in about)
                    and None not in parsed
                ):
                    return cls(kinds[word], text, tuple(about), tuple(filter(None, parsed)))
        return None


data_note = partial(Note, NoteKind.DATA)
"""A note on data."""

answer_note = partial(Note, NoteKind.ANSWER)
"""A note on an answer."""


def notes_of(kind: NoteKind, *said: Note | str | None) -> tuple[Note, ...]:
    """Notes of those that say something; a bare sentence becomes a note of this kind.

    >>> notes_of(NoteKind.SEARCH, "", None, "Rows are few.")
    (<Note: Rows are few.>,)
    """
    return tuple(Note(kind, each) if isinstance(each, str) else each for each in said if each)


def _stored_fix(stored: object) -> Fix | None:
    match stored:
        case {"verb": str(verb), "arguments": str(arguments)}:
            return Fix(verb=verb, arguments=arguments)
        case {"option": str(option), "value": value}:
            return Fix(option, value)
        case {"option": str(option)}:
            return Fix(option)
    return None


class StopReason(Enum):
    """Why a search, a path or a chain ended."""

    NONE = "none"
    """It has not ended, or did all there was to do."""
    CONVERGED = "converged"
    """Its own rule: nothing better was found, or all that was planned is done."""
    OPTIMAL = "proved optimal"
    """All graphs were compared."""
    MAX_STEPS = "max steps"
    """It was allowed no more steps."""
    TIME_LIMIT = "time limit"
    """The seconds of `time_limit=` are used up."""
    INTERRUPTED = "interrupted"
    """Ctrl-C was pressed."""
    CALLBACK = "callback"
    """The callback stopped the run."""


_EARLY = frozenset(
    {StopReason.MAX_STEPS, StopReason.TIME_LIMIT, StopReason.INTERRUPTED, StopReason.CALLBACK}
)
_SENTENCES = {
    StopReason.MAX_STEPS: "reached the largest number of steps",
    StopReason.TIME_LIMIT: "the time budget of {detail} s is used up",
    StopReason.INTERRUPTED: "stopped by Ctrl-C",
    StopReason.CALLBACK: "asked to stop",
}


@dataclass(frozen=True)
class Stop:
    """Why a run ended: a reason and what is to be added to it. It prints as a sentence.

    Parameters
    ----------
    reason : what programs compare.
    detail : the rule by which a run converged, the graphs that were compared for a proof, the seconds of
        a time limit.

    >>> bool(Stop()), str(Stop()), str(Stop(StopReason.OPTIMAL, "among the graphs that the rules allow"))
    (False, '', 'proved optimal among the graphs that the rules allow')
    """

    reason: StopReason = StopReason.NONE
    detail: str = ""

    def __bool__(self) -> bool:
        """Return whether the run has ended for some reason."""
        return self.reason is not StopReason.NONE

    def __repr__(self) -> str:
        return f"<Stop: {self or 'not stopped'}>"

    def __str__(self) -> str:
        if self.reason is StopReason.OPTIMAL:
            return f"{self.reason.value} {self.detail}".rstrip()
        return _SENTENCES.get(self.reason, "{detail}").format(detail=self.detail)

    @property
    def early(self) -> bool:
        """Whether the run might have gone on."""
        return self.reason in _EARLY

    def to_dict(self) -> dict[str, str]:
        """Return the reason and its detail as plain texts."""
        return {"reason": self.reason.value, "detail": self.detail}

    @classmethod
    def converged(cls, detail: str) -> Stop:
        """Return the end of a run by its own rule."""
        return cls(StopReason.CONVERGED, detail)

    @classmethod
    def from_dict(cls, stored: object) -> Stop | None:
        """Undo `to_dict`; None if it is something else. Files of version 0.1 have the sentence alone.

        >>> Stop.from_dict({"reason": "max steps", "detail": ""}) == Stop(StopReason.MAX_STEPS)
        True
        >>> Stop.from_dict("cooled down") == Stop.converged("cooled down")
        True
        """
        match stored:
            case {"reason": str(reason), "detail": str(detail)}:
                reasons = {each.value: each for each in StopReason}
                return cls(reasons[reason], detail) if reason in reasons else None
            case str(sentence):
                return _from_sentence(sentence)
        return None


def _from_sentence(sentence: str) -> Stop:
    for reason in (StopReason.NONE, *_SENTENCES):
        if sentence == str(Stop(reason)):
            return Stop(reason)
    proof, mark, graphs = sentence.partition(StopReason.OPTIMAL.value)
    if mark and not proof:
        return Stop(StopReason.OPTIMAL, graphs.strip())
    return Stop.converged(sentence)


NOT_STOPPED = Stop()
"""A run that has not ended, or that did all there was to do."""
