"""An option as an object: a name with settings that are checked when it is made."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, get_type_hints

from arcwise.errors import OptionError, join_words
from arcwise.learners.options import check_option, checked_options
from arcwise.notes import mention

__all__ = ["Option", "kinds_of", "objects_with", "with_settings"]


@dataclass(frozen=True)
class Option:
    """A name with settings; `word` is the name, `what` the parameter that takes it.

    >>> from arcwise.api.options import Search, Tabu
    >>> Tabu(restarts=10)
    Tabu(restarts=10)
    >>> Tabu(restarts=-1)
    Traceback (most recent call last):
    ...
    arcwise.errors.OptionError: The option 'restarts' must be a non-negative integer, got -1.
    """

    word: ClassVar[str]
    what: ClassVar[str]

    def __new__(cls, *values: object, **settings: object) -> Self:
        """Make an object whose settings exist; dataclasses would raise a bare TypeError."""
        checked_options(f"The {cls.what} {cls.__name__}", settings, _settings_of(cls))
        count = sum(not each.kw_only for each in fields(cls))
        if len(values) > count:
            raise OptionError(
                f"{cls.__name__} takes {count} settings by position, got {len(values)}."
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Check each setting against its type."""
        kinds = get_type_hints(type(self))
        for each in fields(self):
            value = check_option(each.name, getattr(self, each.name), kinds[each.name])
            object.__setattr__(self, each.name, value)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that differ from their defaults."""
        values = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        return {name: value for name, (value, usual) in values.items() if not _same(value, usual)}

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__name__}({settings})"

    @classmethod
    def named(cls, word: str, settings: Mapping[str, Any]) -> Self:
        """Make the object of a name.

        >>> from arcwise.api.options import Search
        >>> Search.named("tabu", {"restarts": 10})
        Tabu(restarts=10)
        """
        option = mention(cls.what, word)
        kind = next((each for each in kinds_of(cls) if each.word == word), None)
        if kind is None:
            raise OptionError(f"{option.place} has no options.", fixes=[option])
        made: Self = kind(**checked_options(option.place, settings, _settings_of(kind), [option]))
        return made

    @classmethod
    def of_name(cls, name: str | None) -> Self | str | None:
        """The object of a name with its defaults; the name itself if it has none, such as "auto"."""
        return next((each() for each in kinds_of(cls) if each.word == name), name)


def _settings_of(kind: type[Option]) -> dict[str, Any]:
    """The names of the settings of a kind of object; values are checked against its types later."""
    return {each.name: Any for each in fields(kind)}


def _same(value: object, usual: object) -> bool:
    """Whether a setting is its default; an array or a mapping never is."""
    return value is usual or (isinstance(value, str | int | float | tuple) and value == usual)


def kinds_of(base: type[Option]) -> Iterator[Any]:
    """All kinds of option objects with a name below a base, in the order of their definition."""
    for kind in base.__subclasses__():
        if "word" in vars(kind):
            yield kind
        yield from kinds_of(kind)


def objects_with(setting: str) -> list[type[Option]]:
    """The kinds of option objects that have a setting.

    >>> from arcwise.api.options import Tabu
    >>> [kind.__name__ for kind in objects_with("tabu_length")]
    ['Tabu']
    """
    return [kind for kind in kinds_of(Option) if setting in {each.name for each in fields(kind)}]


def with_settings(
    options: Iterable[Option | str | None], settings: Mapping[str, Any]
) -> list[Option | str | None]:
    """The option objects with settings by name, as the shell takes them: each object takes those that it has.

    Raises
    ------
    OptionError : a setting that none of the objects has, with those that have it.

    >>> from arcwise.api.options import BIC, Tabu
    >>> with_settings([Tabu(), BIC()], {"restarts": 2})
    [Tabu(restarts=2), BIC()]
    """
    changed = []
    taken = set[str]()
    for option in options:
        names = {each.name for each in fields(option)} if isinstance(option, Option) else set()
        fitting = {name: value for name, value in settings.items() if name in names}
        taken |= set(fitting)
        changed.append(replace(option, **fitting) if isinstance(option, Option) else option)
    for name in settings:
        if name not in taken:
            raise _without_taker(name)
    return changed


def _without_taker(name: str) -> OptionError:
    """The error for a setting that no object here has."""
    having = [mention(kind.what, kind.word) for kind in objects_with(name)]
    if having:
        places = join_words(option.place for option in having)
        return OptionError(
            f"{name!r} is no option here: it is an option of {places}.", fixes=having
        )
    return OptionError(
        f"{name!r} is not a setting of a search, score, model or method: see --help for flags."
    )
