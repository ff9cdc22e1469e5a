"""Files of networks: registries of formats, and functions to load and save.

``FORMATS`` is the registry of ``load`` and ``save``. ``DISCRETE`` is that of ``load_tables`` and
``save_tables``: files of discrete networks with their parameters. Every format may have the further
extension ``.gz``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path

from arcwise.conditionals import DiscreteConditional
from arcwise.errors import ArcwiseError, FileError, close_to
from arcwise.io.bif import read_bif, write_bif
from arcwise.io.checkpoint import (
    Checkpoint,
    pack_alternatives,
    pack_graphs,
    unpack_alternatives,
    unpack_graphs,
)
from arcwise.io.files import (
    FIGURES,
    Content,
    Format,
    StoredNet,
    is_special,
    read_bytes,
    write_bytes,
    write_figures,
)
from arcwise.io.graph_texts import ARCS, DOT, dot, read_arcs, write_arcs
from arcwise.io.hugin import read_hugin, write_hugin
from arcwise.io.native import BUNDLE, JSON
from arcwise.io.tables import DiscreteNet
from arcwise.io.uai import read_uai
from arcwise.io.xml_formats import read_xdsl, read_xmlbif, write_xdsl, write_xmlbif
from arcwise.networks import BayesNet

__all__ = [
    "DISCRETE",
    "FIGURES",
    "FORMATS",
    "Checkpoint",
    "Content",
    "DiscreteNet",
    "Format",
    "StoredNet",
    "dot",
    "is_figure",
    "load",
    "load_tables",
    "pack_alternatives",
    "pack_graphs",
    "read_arcs",
    "read_bif",
    "read_hugin",
    "read_uai",
    "read_xdsl",
    "read_xmlbif",
    "save",
    "save_tables",
    "unpack_alternatives",
    "unpack_graphs",
    "write_arcs",
    "write_bif",
    "write_figures",
    "write_hugin",
    "write_xdsl",
    "write_xmlbif",
]

XMLBIF = Format("XMLBIF", read_xmlbif, write_xmlbif)

DISCRETE: dict[str, Format[DiscreteNet]] = {
    ".bif": Format("BIF", read_bif, write_bif),
    ".xmlbif": XMLBIF,
    ".bifxml": XMLBIF,
    ".xml": XMLBIF,
    ".net": Format("Hugin NET", read_hugin, write_hugin),
    ".xdsl": Format("XDSL", read_xdsl, write_xdsl),
    ".uai": Format("UAI", read_uai, None),
}


def _reader(parse: Callable[[bytes], DiscreteNet]) -> Callable[[bytes], StoredNet]:
    """Return a reader of networks of tables."""

    def stored(content: bytes) -> StoredNet:
        net = parse(content)
        models = tuple(map(DiscreteConditional, net.tables))
        about = {"settings": {"model": "discrete"}, "notes": [note.stored() for note in net.notes]}
        return StoredNet.of(BayesNet(net.variables, net.graph, models), about)

    return stored


def _tables(write: Callable[[DiscreteNet], bytes], name: str) -> Callable[[StoredNet], bytes]:
    """Return a writer of networks of tables."""

    def written(stored: StoredNet) -> bytes:
        graph, net = stored.directed(name), stored.net
        models = () if net is None else net.conditionals
        tables = tuple(model.table for model in models if isinstance(model, DiscreteConditional))
        if net is None or len(tables) < len(graph.nodes):
            raise FileError(
                f"{name} files contain discrete networks only: save it as .json instead"
            )
        return write(DiscreteNet(net.variables, graph.parents, tables))

    return written


FORMATS: dict[str, Format[StoredNet]] = {
    ".json": JSON,
    ".arcwise": BUNDLE,
    ".csv": ARCS,
    ".dot": DOT,
    ".gv": DOT,
    **{
        suffix: Format(
            each.name,
            each.read and _reader(each.read),
            each.write and _tables(each.write, each.name),
        )
        for suffix, each in DISCRETE.items()
    },
}


def format_of(path: Path, register: Mapping[str, Format[Content]]) -> Format[Content]:
    """Return the format by the file extension; an unknown one is a FileError with close matches.

    A device or FIFO has no extension: networks are written there as JSON.

    >>> format_of(Path("alarm.bif.gz"), FORMATS).name
    'BIF'
    """
    stem = path.name.lower().removesuffix(".gz")
    suffix = Path(stem).suffix
    if not suffix and ".json" in register and is_special(path):
        suffix = ".json"
    if suffix not in register:
        raise FileError(
            f"{str(path)!r} has the extension {suffix!r}, which is not a network format. "
            + close_to(suffix, register)
        )
    return register[suffix]


def is_figure(path: str | PathLike[str]) -> bool:
    """Return whether a file is to contain the graph as it is drawn, without parameters.

    >>> is_figure("alarm.dot"), is_figure("alarm.csv")
    (True, False)
    """
    return format_of(Path(path), FORMATS) is DOT


def load(path: str | PathLike[str]) -> StoredNet:
    """Read a network file.

    Parameters
    ----------
    path : a file in one of the ``FORMATS``, compressed or not.

    Returns
    -------
    Its content: at least a graph.

    Raises
    ------
    FileError : the file is missing, damaged, foreign, or from a newer Arcwise.

    >>> load("wine.jsno")
    Traceback (most recent call last):
    ...
    arcwise.errors.FileError: 'wine.jsno' has the extension '.jsno', which is not a network format. \
Did you mean '.json'?
    """
    return _read(Path(path), FORMATS)


def load_tables(path: str | PathLike[str]) -> DiscreteNet:
    """Read a discrete network with its numbers.

    Parameters
    ----------
    path : a file in one of the formats in ``DISCRETE``, compressed or not.

    Returns
    -------
    Variables, parents and tables.

    Raises
    ------
    FileError : the file is missing, damaged or foreign; says the line and the reason.

    >>> load_tables("asia.csv")
    Traceback (most recent call last):
    ...
    arcwise.errors.FileError: 'asia.csv' has the extension '.csv', which is not a network format. \
Choose from '.bif', '.xmlbif', '.bifxml', '.xml', '.net', '.xdsl', '.uai'.
    """
    return _read(Path(path), DISCRETE)


def _read(path: Path, register: Mapping[str, Format[Content]]) -> Content:
    format = format_of(path, register)
    if format.read is None:
        raise FileError(f"{str(path)!r} cannot be read: {format.name} files can only be written.")
    content = read_bytes(path)
    try:
        return format.read(content)
    except ArcwiseError as error:
        raise FileError(f"{str(path)!r} cannot be read: {str(error).rstrip('.')}.") from None


def save(stored: StoredNet, path: str | PathLike[str]) -> None:
    """Write a network file, completely or not at all.

    Parameters
    ----------
    stored : what to write.
    path : where to; the end of the name decides on the format.

    Raises
    ------
    FileError : an unknown ending, content that the format cannot hold, or a place that cannot be
        written to.

    >>> import tempfile
    >>> from arcwise.graphs import DAG
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(StoredNet(DAG.from_arcs([("a", "b")])), Path(folder, "small.json"))
    ...     str(load(Path(folder, "small.json")).graph)
    '[a][b|a]'
    """
    _write(stored, Path(path), FORMATS)


def save_tables(net: DiscreteNet, path: str | PathLike[str]) -> None:
    """Write a discrete network with its numbers, completely or not at all.

    Parameters
    ----------
    net : what to write.
    path : where to; the end of the name decides on the format.

    Raises
    ------
    FileError : an unknown ending, a name that the format cannot hold, or a place that cannot be
        written to.

    >>> import tempfile
    >>> from arcwise.data import Variable
    >>> net = DiscreteNet((Variable("a", ("x", "y")),), ((),), ([0.5, 0.5],))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_tables(net, Path(folder, "small.xdsl.gz"))
    ...     load_tables(Path(folder, "small.xdsl.gz"))
    <DiscreteNet 1 variables, 0 arcs, 1 free parameters>
    """
    _write(net, Path(path), DISCRETE)


def _write(content: Content, path: Path, register: Mapping[str, Format[Content]]) -> None:
    format = format_of(path, register)
    if format.write is None:
        raise FileError(f"{str(path)!r} cannot be written: {format.name} files can only be read.")
    try:
        written = format.write(content)
    except ArcwiseError as error:
        raise FileError(f"{str(path)!r} cannot be written: {str(error).rstrip('.')}.") from None
    except UnicodeEncodeError as error:
        odd = error.object[max(error.start - 10, 0) : error.end]
        raise FileError(f"{str(path)!r} cannot be written: {odd!a} is not valid text.") from None
    write_bytes(path, written)
