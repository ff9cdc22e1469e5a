"""Arcwise's own network files: versioned JSON, readable by people and exact for machines.

::

    {"format": "arcwise-network", "version": 3,
     "about": {"score": -7518.28, ...},
     "nodes": [
      {"name": "alcohol", "model": "gaussian", "parents": ["density"], "fields": {...}},
      ...]}

There is one line per node: its name, levels if it is discrete, family, parents, and the fields of
its fitted local model. Where they are needed there are also ``neighbours`` in the place of parents where
edges have no direction, ``typical`` rows of the data that chains start from, ``blankets`` (models of each
variable given its Markov blanket, with their typical rows), ``joint`` (mean and precision matrix of
an undirected network that is a normal distribution; it has no typical rows, and those of older files are
ignored), and ``arrays`` that several places share. Files of earlier versions are read through a table of the
names that have changed since.

``.json`` holds everything as text, ``.json.gz`` the same compressed, and ``.arcwise`` is a zip archive
of ``network.json`` with the large arrays next to it in NumPy's format. Nothing is ever pickled, and
nothing in a file is executed when it is read.

Reading trusts nothing: names, types, lengths, the version and the graph are checked, and every
local model must fit the levels of its variables and give a density at each of them (`checks`).
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import (
    CONDITIONALS,
    Conditional,
)
from arcwise.data import Variable
from arcwise.data.variable import is_complete
from arcwise.errors import ArcwiseError, FileError
from arcwise.graphs import DAG, UGraph, node_names
from arcwise.io.checks import check_blankets, check_joint, check_models
from arcwise.io.codec import (
    Codec,
    each_of_type,
    fits,
    of_type,
    read_variable,
    shared_arrays,
    write_variable,
)
from arcwise.io.files import Format, StoredNet
from arcwise.networks import BayesNet, FixedValue, Joint, MarkovNet, NormalJoint, TableJoint
from arcwise.networks.joint import factors_of, normal_of
from arcwise.values import is_count

FORMAT = "arcwise-network"
DOCUMENT = "network.json"
VERSION = 3
"""The version that is written."""
# Zip archives carry times; a constant one makes equal networks give equal files.
EPOCH = (1980, 1, 1, 0, 0, 0)


def write_json(stored: StoredNet) -> bytes:
    """Write a network as JSON text.

    >>> from arcwise.graphs import DAG
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> read_json(write_json(StoredNet(graph, about={"by": "hand"}))).about
    {'by': 'hand'}
    """
    return _document(stored, Codec(_types()))


def read_json(content: bytes) -> StoredNet:
    """Read a network from JSON text; FileError if it is damaged, foreign or too new."""
    return _guard(lambda: _stored_net(_parse(content), Codec(_types())))


def write_bundle(stored: StoredNet) -> bytes:
    """Write a network as a zip archive with its large arrays next to the JSON."""
    members: list[NDArray[Any]] = []

    def store(array: NDArray[Any]) -> str:
        members.append(array)
        return f"arrays/{len(members) - 1}.npy"

    document = _document(stored, Codec(_types(), store=store))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, DOCUMENT, document)
        for number, array in enumerate(members):
            raw = io.BytesIO()
            np.save(raw, array, allow_pickle=False)
            _add(archive, f"arrays/{number}.npy", raw.getvalue())
    return packed.getvalue()


def read_bundle(content: bytes) -> StoredNet:
    """Read a network from a zip archive; FileError if it is damaged, foreign or too new."""

    def read() -> StoredNet:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:

            def fetch(name: str) -> NDArray[Any]:
                raw = io.BytesIO(archive.read(name))
                return np.asarray(np.load(raw, allow_pickle=False))

            return _stored_net(_parse(archive.read(DOCUMENT)), Codec(_types(), fetch=fetch))

    return _guard(read)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def _types() -> dict[str, type]:
    """Classes that may appear in files, by name; requested late, since families may be added."""
    return {**CONDITIONALS, FixedValue.word: FixedValue}


def _guard(parse: Callable[[], StoredNet]) -> StoredNet:
    """Turn whatever a damaged file makes the parsers raise into one FileError."""
    try:
        return parse()
    except FileError:
        raise
    except ArcwiseError as error:
        raise FileError(f"it is inconsistent: {error}") from None
    except zipfile.BadZipFile:
        raise FileError("it is not an Arcwise bundle, or it is cut off") from None
    except Exception as error:  # bytes from anywhere go through json, zipfile and numpy here
        raise FileError(f"it is damaged ({type(error).__name__}: {error})") from None


# -- writing ---------------------------------------------------------------------------------------


def _document(stored: StoredNet, codec: Codec) -> bytes:
    """Return the JSON text, one line per node."""
    shared = shared_arrays(stored.net)
    head = {"format": FORMAT, "version": VERSION, "about": codec.encode(dict(stored.about))}
    parts = [_text(head)[:-1]]
    if shared:
        parts.append(f'"arrays": {_lines([codec.encode(array) for array in shared])}')
        codec = replace(codec, numbers={id(array): k for k, array in enumerate(shared)})
    parts.append(f'"nodes": {_lines(_nodes(stored, codec))}')
    parts += [
        f"{_text(key)}: {_text(value)}" for key, value in _beyond_plain(stored, codec).items()
    ]
    return (",\n ".join(parts) + "}\n").encode()


def _lines(entries: Sequence[Any]) -> str:
    """Return a JSON list with one line per entry."""
    lines = ",\n  ".join(_text(entry) for entry in entries)
    return f"[\n  {lines}]"


def _beyond_plain(stored: StoredNet, codec: Codec) -> dict[str, Any]:
    """Return what a network holds next to its nodes."""
    net = stored.net
    if net is None:
        return {}
    if net.directed:
        if net.blankets is None:
            return {}
        inner = StoredNet.of(net.blankets)
        return {"blankets": {"nodes": _nodes(inner, codec), **_beyond_plain(inner, codec)}}
    if tables := factors_of(net.joint):
        return {"joint": codec.encode({"scopes": tables.scopes, "tables": tables.tables})}
    if normal := normal_of(net.joint):
        return {"joint": codec.encode({"mean": normal.mean, "precision": normal.precision})}
    return {"typical": codec.encode(net.typical)}


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _nodes(stored: StoredNet, codec: Codec) -> list[dict[str, Any]]:
    graph = stored.graph if stored.graph.directed is False else stored.directed("Arcwise")
    variables = stored.variables or tuple(Variable(name) for name in graph.nodes)
    entries = [write_variable(variable, codec) for variable in variables]
    for i, entry in enumerate(entries):
        entry["parents" if graph.directed else "neighbours"] = list(
            node_names(graph, graph.inputs[i])
        )
        if stored.net is not None:
            entry["model"], entry["fields"] = codec.encode_object(stored.net.conditionals[i])
    return entries


# -- reading ---------------------------------------------------------------------------------------


def _parse(content: bytes) -> dict[str, Any]:
    """Return the JSON object, if it is one of ours."""
    if not content.strip():
        raise FileError("it is empty")
    try:
        document = json.loads(content.decode("utf-8-sig"), parse_constant=_no_constant)
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise FileError("it is not JSON text, or it is cut off") from None
    if b"\\u" in content:  # an escape may spell half a character, which no file could hold again
        json.dumps(document, ensure_ascii=False).encode()
    if not fits(document, dict) or document.get("format") != FORMAT:
        raise FileError(f"it is not an Arcwise network (its format entry is not {FORMAT!r})")
    version = document.get("version")
    if not is_count(version) or version < 1:
        raise FileError(f"its version must be a positive integer, got {version!r:.60}")
    if version > VERSION:
        raise FileError(
            f"a newer Arcwise wrote it (version {version} of the format, this one reads up to "
            f"{VERSION}); update Arcwise to open it"
        )
    return translate(document)


def _no_constant(name: str) -> float:
    raise FileError(f"it must have JSON numbers, got {name}")


def _stored_net(document: Mapping[str, Any], codec: Codec) -> StoredNet:
    about = codec.decode(document.get("about", {}))
    if not fits(about, dict):
        raise FileError("its 'about' entry must have named entries")
    # Read without shared arrays available, so that none of them can refer to another.
    arrays = codec.decode(of_type(document.get("arrays", []), list, "arrays"))
    codec = replace(codec, shared=each_of_type(arrays, np.ndarray, "shared array"))
    variables, graph, models = nodes = _read_nodes(document, codec)
    if not models:
        return StoredNet(graph, variables, None, about)
    if not graph.directed:
        return StoredNet(graph, variables, _markov(nodes, document, codec), about)
    inner = None
    if document.get("blankets") is not None:
        beside = of_type(document["blankets"], dict, "set of blanket models")
        inner = _markov(_read_nodes(beside, codec), beside, codec)
    net = BayesNet(variables, graph, models, inner)
    check_blankets(net)
    check_models(net)
    return StoredNet(graph, variables, net, about)


Nodes = tuple[tuple[Variable, ...], DAG | UGraph, tuple[Conditional, ...]]


def _read_nodes(document: Mapping[str, Any], codec: Codec) -> Nodes:
    """Variables, graph, and fitted models; of a graph alone there are none."""
    entries = document["nodes"]
    if not fits(entries, list) or not entries:
        raise FileError("it has no nodes")
    variables = tuple(read_variable(entry, codec) for entry in entries)
    graph = _graph(tuple(variable.name for variable in variables), entries)
    if not any("model" in entry for entry in entries):
        return variables, graph, ()
    models = tuple(
        codec.decode_fields(of_type(entry["model"], str, "model"), entry["fields"])
        for entry in entries
    )
    return variables, graph, models


def _markov(nodes: Nodes, document: Mapping[str, Any], codec: Codec) -> MarkovNet:
    """Return an undirected network, or the blanket models of a directed one."""
    variables, graph, models = nodes
    if graph.directed or not models:
        raise FileError("its blanket models must have neighbours and parameters")
    joint = _joint(document, codec, variables)
    typical = () if joint is not None else _typical(variables, document, codec)
    net = MarkovNet(variables, graph, models, typical, joint)
    check_models(net)
    check_joint(net)
    return net


def _typical(
    variables: tuple[Variable, ...], document: Mapping[str, Any], codec: Codec
) -> tuple[NDArray[Any], ...]:
    """Return the rows that chains start from."""
    typical: tuple[NDArray[Any], ...] = of_type(
        codec.decode(document["typical"]), tuple, "set of typical rows"
    )
    each_of_type(typical, np.ndarray, "typical column")
    for variable, column in zip(variables, typical, strict=True):
        if not is_complete(variable, column):
            raise FileError(f"the typical rows must have values of {variable.name!r}")
    return typical


def _joint(
    document: Mapping[str, Any], codec: Codec, variables: tuple[Variable, ...]
) -> Joint | None:
    """Return the joint distribution of an undirected network, where it has one."""
    if document.get("joint") is None:
        return None
    numbers = of_type(codec.decode(document["joint"]), dict, "joint distribution")
    if "tables" in numbers:
        scopes, tables = (
            of_type(numbers[key], tuple, f"{key} of the joint") for key in ("scopes", "tables")
        )
        each_of_type(tables, np.ndarray, "table of the joint")
        levels = tuple(len(variable.levels or ()) for variable in variables)
        return TableJoint(levels, tuple(tuple(scope) for scope in scopes), tables)
    mean, precision = (
        of_type(numbers[key], np.ndarray, f"{key} of the joint") for key in ("mean", "precision")
    )
    if mean.dtype != np.float64 or precision.dtype != np.float64:
        raise FileError("its joint distribution must have numbers")
    return NormalJoint(mean, precision)


def _graph(names: tuple[str, ...], entries: Sequence[Mapping[str, Any]]) -> DAG | UGraph:
    number = {name: i for i, name in enumerate(names)}
    undirected = "neighbours" in entries[0]
    key, one = ("neighbours", "neighbour") if undirected else ("parents", "parent")
    rows = []
    for entry in entries:
        others = of_type(entry[key], list, key)
        for other in others:
            if other not in number:
                raise FileError(f"{entry['name']!r} has the {one} {other!r}, which is not a node")
        if len(set(others)) != len(others):
            raise FileError(f"{entry['name']!r} names a {one} twice")
        rows.append(tuple(sorted(number[other] for other in others)))
    return UGraph(names, tuple(rows)) if undirected else DAG(names, tuple(rows))


# -- what earlier versions called things ----------------------------------------------------------

# Files of versions 1 and 2 are read for ever. Where a name stood is the name of what it stood in: ``nodes``
# (also those of blanket models), ``about``, ``words`` and ``options`` inside that, ``edges``, ``tuning``,
# ``joint``; of the fields of a fitted local model it is the model's word, such as ``parzen``.
# The names on the left are history and never change. When a field or an option gets a new name, only the
# right side of its line does, or a line is added; what has no line is called today what it was called then.
_FIRST = {
    "about.words": "settings",
    "options.widths": "bandwidths",
    "options.floor": "min_bandwidth",
    "options.tail": "tail_weight",
    "options.count": "n_penalties",
    "options.least": "min_ratio",
    "options.turns": "rotations",
    "parzen.widths": "bandwidths",
    "parzen.tail": "tail_weight",
    "parzen.at_floor": "at_minimum",
    "gaussian.at_floor": "at_floor",
    "gaussian.passed": "redundant",
}

EARLIER: dict[int, Mapping[str, str]] = {1: _FIRST, 2: _FIRST}
"""Of each earlier version: where.name to the name of today."""


def translate(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document of any version in the names of today.

    >>> old = {"version": 1, "about": {"words": {"model": "parzen"}}, "nodes": []}
    >>> translate(old) == old | {"about": {EARLIER[1]["about.words"]: {"model": "parzen"}}}
    True
    """
    names = EARLIER.get(document["version"])
    return document if names is None else _rename("", document, names)


def _rename(kind: str, value: Any, names: Mapping[str, str]) -> Any:
    """Return a value with every name in it that of today; numbers of arrays are not looked at."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [_rename(kind, item, names) for item in value]
    if not isinstance(value, dict) or "$array" in value:
        return value
    model = str(value.get("model"))
    return {
        names.get(f"{kind}.{name}", name): _rename(
            model if name == "fields" else name, inner, names
        )
        for name, inner in value.items()
    }


JSON = Format("Arcwise JSON", read_json, write_json)
BUNDLE = Format("Arcwise bundle", read_bundle, write_bundle)
