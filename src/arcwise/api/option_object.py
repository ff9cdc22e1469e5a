"""An option as an object: a name with settings that are checked when it is made."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, get_type_hints

from arcwise.errors import OptionError
from arcwise.learners.options import checked

__all__ = ["Option"]


@dataclass(frozen=True)
class Option:
    """A name with settings; `word` is the name, `what` the parameter that takes it.

    >>> from arcwise.api.options import Search, Tabu
    >>> Tabu(restarts=10)
    Tabu(restarts=10)
    >>> Tabu(restarts=-1)
    Traceback (most recent call last):
    ...
    arcwise.errors.OptionError: The option 'restarts' is a non-negative integer, got -1.
    """

    word: ClassVar[str]
    what: ClassVar[str]

    def __post_init__(self) -> None:
        """Check each setting against its type."""
        kinds = get_type_hints(type(self))
        for each in fields(self):
            value = checked(each.name, getattr(self, each.name), kinds[each.name])
            object.__setattr__(self, each.name, value)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that differ from their defaults."""
        values = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        return {name: value for name, (value, usual) in values.items() if value != usual}

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__name__}({said})"

    @classmethod
    def named(cls, word: str, settings: Mapping[str, Any]) -> Self:
        """Make the object of a name, as the shell does.

        >>> from arcwise.api.options import Search
        >>> Search.named("tabu", {"restarts": 10})
        Tabu(restarts=10)
        """
        kinds = {each.word: each for each in cls.__subclasses__()}
        if word not in kinds:
            raise OptionError(f"{cls.what}={word!r} has no options.")
        known = [each.name for each in fields(kinds[word])]
        for name in settings:
            if name not in known:
                has = f"its options are {', '.join(known)}" if known else "it has none"
                raise OptionError(f"{cls.what}={word!r} has no option {name!r}: {has}.")
        return kinds[word](**settings)
