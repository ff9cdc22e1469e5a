"""What a network file holds, and what a file format is.

A format turns bytes into a ``Stored`` value and back; it never touches a file itself. Opening,
compressing and replacing files safely is written once, in ``files``, so a new format is one pure
function in each direction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from arcwise.data import Variable
from arcwise.errors import FileError
from arcwise.graphs import DAG, PDAG, UGraph
from arcwise.networks import Net

Graph = DAG | UGraph | PDAG


@dataclass(frozen=True, eq=False)
class Stored:
    """What a network file held: always a graph, often more.

    Parameters
    ----------
    graph : the structure.
    variables : the variables with their levels, or None where the format has names only.
    net : the fitted network, or None where the file has no parameters.
    about : anything else said of the network: score, options, origin of the data.

    >>> from arcwise.graphs import DAG
    >>> Stored(DAG.from_arcs([("a", "b")])).net is None
    True
    """

    graph: Graph
    variables: tuple[Variable, ...] | None = None
    net: Net | None = None
    about: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, net: Net, about: Mapping[str, object] | None = None) -> Stored:
        """Make the value for a fitted network."""
        return cls(net.graph, net.variables, net, dict(about or {}))

    def directed(self, format_name: str) -> DAG:
        """Give the graph if it is directed; else say that the format cannot hold it."""
        if not isinstance(self.graph, DAG):
            raise FileError(
                f"{format_name} files hold directed acyclic graphs only, and this one is a "
                f"{type(self.graph).__name__}; save it as .dot instead"
            )
        return self.graph


Content = TypeVar("Content")


@dataclass(frozen=True)
class Format(Generic[Content]):
    """A file format: its name, and functions from bytes and to bytes.

    Parameters
    ----------
    name : how messages call it.
    read : bytes of a whole file to its content, or None if it can only be written; raises
        FileError whose text continues the sentence "... cannot be read:".
    write : content to bytes, or None if it can only be read.
    """

    name: str
    read: Callable[[bytes], Content] | None
    write: Callable[[Content], bytes] | None
