"""Example data: tables and networks that are part of the package."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from arcwise.data.source import read
from arcwise.data.table import Table
from arcwise.errors import unknown
from arcwise.frame import Frame, Series

FOLDER = Path(__file__).parent / "files"


@dataclass(frozen=True)
class Example:
    """A file of example data: what it is, where it is from and on what terms.

    Parameters
    ----------
    name, kind : ``example(name)`` reads a table, ``network_file(name)`` finds a network.
    what : one sentence.
    rows, columns : size of a table (with columns that are left out); nodes of a network.
    origin, terms : where it was taken from, and the licence.
    """

    name: str
    kind: Literal["table", "network"]
    what: str
    rows: int | None
    columns: int
    origin: str
    terms: str

    @property
    def path(self) -> Path:
        """Where the file is."""
        return FOLDER / f"{self.name}.{'csv' if self.kind == 'table' else 'bif'}.gz"


class ExampleList(tuple[Example, ...]):
    """The example data and networks; a table in notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        fields = ("name", "kind", "rows", "columns", "what", "terms")
        columns = (Series(name, [getattr(each, name) for each in self]) for name in fields)
        return Frame(tuple(columns)).to_html()


@cache
def examples() -> ExampleList:
    """List the example data and networks.

    Returns
    -------
    One entry per file, tables first; in notebooks a table.

    >>> [each.name for each in examples() if each.kind == "network"]
    ['asia', 'alarm', 'sachs', 'fuel', 'student']
    """
    listed = tomllib.loads((FOLDER / "examples.toml").read_text(encoding="utf-8"))["example"]
    return ExampleList(Example(**{"rows": None, **each}) for each in listed)


def example(name: str) -> Table:
    """Read a table of example data: ``"boston"``, ``"sachs"`` or ``"us_markets"``.

    Raises
    ------
    OptionError : there is no such table.

    >>> example("boston").rows
    506
    """
    return read(_entry(name, "table").path)


def network_file(name: str) -> Path:
    """Find the file of an example network, in BIF, compressed by gzip: ``"asia"``, ``"alarm"``, ...

    Raises
    ------
    OptionError : there is no such network.

    >>> network_file("asia").name
    'asia.bif.gz'
    """
    return _entry(name, "network").path


def _entry(name: str, kind: Literal["table", "network"]) -> Example:
    entries = {each.name: each for each in examples() if each.kind == kind}
    if name not in entries:
        raise unknown(f"example {kind}", name, entries)
    return entries[name]
