"""Example data: small tables and networks inside the package, with their origin and terms.

They are for examples, tests and first steps, and are read like any other file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from arcwise.data.source import read
from arcwise.data.table import Table
from arcwise.errors import unknown

__all__ = ["Example", "example", "examples", "network_file"]

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


PGMPY = "bnlearn network repository, through pgmpy 1.0.0, pgmpy/utils/example_models/"
SHARE_ALIKE = "CC BY-SA 3.0 (network); MIT (package)"

REGISTER = (
    Example(
        "boston",
        "table",
        "Housing in 506 districts of Boston (Harrison and Rubinfeld 1978): crime, air, price."
        " Column B is a questionable construct, and MEDV is cut off at 50.",
        506,
        14,
        "scikit-learn 1.1.3, sklearn/datasets/data/boston_house_prices.csv",
        "BSD 3-clause",
    ),
    Example(
        "sachs",
        "table",
        "Eleven proteins in 7466 cells under nine conditions (Sachs et al., Science 308, 2005),"
        " raw fluorescence, very skewed.",
        7466,
        11,
        "cdt 0.6.0, cdt/data/resources/cyto_full_data.csv",
        "MIT",
    ),
    Example(
        "us_markets",
        "table",
        "Daily changes of S&P 500, Nasdaq, oil and volatility, with ranges and volumes,"
        " 2014 to 2018; the date is left out when read.",
        1248,
        9,
        "derived from arch 8.0.0, arch/data (sp500, nasdaq, wti, vix)",
        "NCSA",
    ),
    Example(
        "asia",
        "network",
        "The chest clinic (Lauritzen and Spiegelhalter 1988).",
        None,
        8,
        PGMPY + "asia.bif.gz",
        SHARE_ALIKE,
    ),
    Example(
        "alarm",
        "network",
        "Monitoring of patients in anaesthesia (Beinlich et al. 1989).",
        None,
        37,
        PGMPY + "alarm.bif.gz",
        SHARE_ALIKE,
    ),
    Example(
        "sachs",
        "network",
        "Protein signalling in three levels, 17 arcs (Sachs et al. 2005).",
        None,
        11,
        PGMPY + "sachs.bif.gz",
        SHARE_ALIKE,
    ),
    Example(
        "fuel",
        "network",
        "Battery, fuel tank and the gauge that shows it (Bishop 2006, section 8.2.1).",
        None,
        3,
        "the numbers of the book",
        "facts",
    ),
    Example(
        "student",
        "network",
        "Difficulty, intelligence, grade, SAT and letter (Koller and Friedman 2009, figure 3.4).",
        None,
        5,
        "the numbers of the book",
        "facts",
    ),
)


def examples() -> tuple[Example, ...]:
    """List the example data and networks.

    Returns
    -------
    One entry per file, tables first.

    >>> [each.name for each in examples() if each.kind == "network"]
    ['asia', 'alarm', 'sachs', 'fuel', 'student']
    """
    return REGISTER


def example(name: str) -> Table:
    """Read a table of example data.

    Parameters
    ----------
    name : ``"boston"``, ``"sachs"`` or ``"us_markets"``.

    Returns
    -------
    The table.

    Raises
    ------
    WordError : there is no such table.

    >>> example("boston").rows
    506
    """
    return read(_entry(name, "table").path)


def network_file(name: str) -> Path:
    """Find the file of an example network, in BIF, compressed by gzip.

    Parameters
    ----------
    name : such as ``"asia"`` or ``"alarm"``.

    Raises
    ------
    WordError : there is no such network.

    >>> network_file("asia").name
    'asia.bif.gz'
    """
    return _entry(name, "network").path


def _entry(name: str, kind: Literal["table", "network"]) -> Example:
    entries = {each.name: each for each in REGISTER if each.kind == kind}
    if name not in entries:
        raise unknown(f"example {kind}", name, entries)
    return entries[name]
