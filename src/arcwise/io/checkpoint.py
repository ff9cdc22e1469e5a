"""Checkpoints: files with the finished part of a long run, from which it can continue.

A checkpoint is a NumPy archive (.npz, no pickle) of named arrays and of a JSON text that identifies their
run. It is written under another name, forced to the disk and renamed (`files`), so that a run that is killed
at any moment leaves the last complete checkpoint. Writing may become expensive in long runs: it is repeated
only after ten times the duration of the last writing, and at the end.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FileError, GraphError
from arcwise.graphs import DAG, UGraph
from arcwise.io.files import read_bytes, write_bytes
from arcwise.notes import Note, NoteKind
from arcwise.values import is_number

Arrays = dict[str, NDArray[Any]]
Graph = DAG | UGraph

_ABOUT, _DIGEST = "about", "digest"
_SHOWN = 60  # letters of a value in an error
_SELDOM = 10.0  # times the seconds that a writing takes
_AGAIN = 10.0  # seconds until the next attempt after a writing that failed


class Checkpoint:
    """The file of one run.

    Parameters
    ----------
    path : its path.
    about : the key of the run, as plain values: method, settings, seed, fingerprint of the data.

    Attributes
    ----------
    note : the reason why the last attempt to write failed; else empty.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Checkpoint(Path(folder, "run.npz"), {"seed": 1})
    ...     file.write({"x": np.arange(3)})
    ...     Checkpoint(Path(folder, "run.npz"), {"seed": 1}).read()["x"].tolist()
    [0, 1, 2]
    """

    def __init__(self, path: str | PathLike[str], about: Mapping[str, Any]) -> None:
        self.path, self.about = Path(path), json.loads(json.dumps(dict(about), default=str))
        self._next = 0.0
        self.note = ""

    def read(self) -> Arrays | None:
        """Return the saved arrays; None if there is no file yet.

        Raises
        ------
        FileError : it is damaged, or belongs to another run.
        """
        if not self.path.exists():
            return None
        try:
            with np.load(io.BytesIO(read_bytes(self.path)), allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            about = json.loads(arrays.pop(_ABOUT).tobytes())
            if arrays.pop(_DIGEST).tobytes() != digest(arrays) or not isinstance(about, dict):
                raise ValueError("numbers that differ from the checksum")
        except FileError:
            raise
        except Exception:  # bytes from anywhere go through zipfile, numpy and json here
            raise FileError(
                f"{str(self.path)!r} cannot be read: it is not a checkpoint, or it is damaged."
            ) from None
        for name in {**self.about, **about}:
            if self.about.get(name) != about.get(name):
                old, new = repr(about.get(name)), repr(self.about.get(name))
                is_short = max(len(old), len(new)) <= _SHOWN
                both = f"{old}, and {new}" if is_short else "not the one that"
                raise FileError(
                    f"{str(self.path)!r} is the checkpoint of another run: its {name} is {both} "
                    "is requested: give another file, or delete this one to start over."
                )
        return arrays

    def write(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write arrays, completely or not at all."""
        began = time.monotonic()
        content, about = io.BytesIO(), np.frombuffer(json.dumps(self.about).encode(), np.uint8)
        seal = np.frombuffer(digest(arrays), np.uint8)
        np.savez(content, allow_pickle=False, **{_ABOUT: about, _DIGEST: seal}, **arrays)
        write_bytes(self.path, content.getvalue())
        now = time.monotonic()
        self._next = now + _SELDOM * (now - began)

    def offer(self, arrays: Callable[[], Mapping[str, NDArray[Any]]]) -> None:
        """Write the arrays that a function returns, unless the last writing was recent; see `keep`."""
        if time.monotonic() >= self._next:
            self.keep(arrays())

    def keep(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write arrays; a failure does not end the run, and `note` reports it."""
        try:
            self.write(arrays)
            self.note = ""
        except FileError as error:
            message = str(error).rstrip(".")
            self.note = (
                f"The last checkpoint was not written: {message}; the result is complete "
                "without it."
            )
            self._next = time.monotonic() + _AGAIN


def digest(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return a checksum of named arrays, their types and their shapes.

    Chains do not check the state that they continue from, so a file has its checksum.

    >>> digest({"x": np.arange(3)}) == digest({"x": np.arange(3.0)})
    False
    """
    checksum = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        checksum.update(repr((name, array.dtype.str, array.shape)).encode())
        checksum.update(array.tobytes())
    return checksum.digest()


def option_text(value: Any) -> str:
    """Return an option as text that is different for every value, with all numbers of arrays and
    frames.

    >>> option_text(np.arange(5000.0)) == option_text(np.arange(5000.0))
    True
    >>> option_text({"b": 1, "a": 2.0}) == option_text({"a": 2, "b": 1.0})
    True
    >>> option_text(np.zeros(5000)) == option_text(np.ones(5000))
    False
    """
    if is_number(value):
        return repr(float(value))
    if isinstance(value, Mapping):
        return option_text({(option_text(k), option_text(v)) for k, v in value.items()})
    if isinstance(value, Set):
        return "{" + ", ".join(sorted(map(option_text, value))) + "}"
    if isinstance(value, list | tuple):
        return "(" + ", ".join(map(option_text, value)) + ")"
    if is_dataclass(value):
        return option_text({field.name: getattr(value, field.name) for field in fields(value)})
    if isinstance(value, np.ndarray) or hasattr(value, "to_numpy"):
        names = [
            option_text(list(map(str, getattr(value, axis, ())))) for axis in ("index", "columns")
        ]
        numbers = option_text(np.asarray(value).tolist())
        return hashlib.sha256("".join((*names, numbers)).encode()).hexdigest()
    return repr(value)


def pack_graphs(pieces: Sequence[tuple[Graph, ...] | Note]) -> Arrays:
    """Return pieces of work as arrays: each has some graphs over the same variables, or a note instead.

    >>> graph, note = DAG.from_arcs(["a -> b"]), Note(NoteKind.CERTAINTY, "no rows")
    >>> unpack_graphs(pack_graphs([(graph, graph), note]), ("a", "b"), directed=True)[1]
    <Note: no rows>
    """
    graphs = [graph for piece in pieces if not isinstance(piece, Note) for graph in piece]
    rows = [graph.inputs for graph in graphs]
    pairs = [
        (head, tail)
        for rows_of_graph in rows
        for head, row in enumerate(rows_of_graph)
        for tail in row
    ]
    messages = json.dumps([piece.stored() for piece in pieces if isinstance(piece, Note)]).encode()
    return {
        "sizes": np.array([-1 if isinstance(p, Note) else len(p) for p in pieces], dtype=np.int32),
        "counts": np.array(
            [sum(map(len, rows_of_graph)) for rows_of_graph in rows], dtype=np.int32
        ),
        "pairs": np.array(pairs, dtype=np.int32).reshape(-1, 2),
        "said": np.frombuffer(messages, dtype=np.uint8),
    }


def unpack_graphs(
    arrays: Mapping[str, NDArray[Any]], nodes: tuple[str, ...], directed: bool
) -> list[tuple[Graph, ...] | Note]:
    """Return pieces of work from arrays; a FileError if these are not graphs."""
    try:
        counts, sizes, pairs = (arrays[name] for name in ("counts", "sizes", "pairs"))
        messages = json.loads(arrays["said"].tobytes())
        stored = [Note.from_stored(message, NoteKind.CERTAINTY) for message in messages]
        notes = [note for note in stored if note is not None]
        whole = all(array.dtype.kind in "iu" for array in (counts, sizes, pairs))
        if not whole or counts.min(initial=0) < 0 or counts.sum() != len(pairs):
            raise FileError("its graphs are damaged")
        if sizes[sizes > 0].sum() != len(counts) or (sizes < 0).sum() != len(notes):
            raise FileError("its graphs are damaged")
        parts = np.split(pairs, np.cumsum(counts)[:-1]) if len(counts) else []
        kind = DAG if directed else UGraph
        graphs = iter([kind(nodes, _rows(part.tolist(), nodes)) for part in parts])
        failures = iter(notes)
        return [
            next(failures) if size < 0 else tuple(next(graphs) for _ in range(size))
            for size in sizes.tolist()
        ]
    except (AttributeError, KeyError, ValueError, IndexError, TypeError, RuntimeError, GraphError):
        raise FileError("its graphs are damaged") from None


def pack_alternatives(graphs: Sequence[DAG]) -> Arrays:
    """Return directed graphs over the same variables in few bytes: all arcs once, and bits for each graph.

    >>> graphs = [DAG.from_arcs(["a -> b"]), DAG.from_arcs(["b -> a"])]
    >>> unpack_alternatives(pack_alternatives(graphs), ("a", "b")) == tuple(graphs)
    True
    """
    every = [
        {(tail, head) for head, row in enumerate(graph.parents) for tail in row} for graph in graphs
    ]
    arcs = sorted(set().union(*every))
    bits = np.array([[arc in arcs_of_graph for arc in arcs] for arcs_of_graph in every], dtype=bool)
    kind = np.uint8 if len(graphs[0].nodes) <= 256 else np.uint32
    return {
        "arcs": np.array(arcs, dtype=kind).reshape(-1, 2),
        "bits": np.packbits(bits.reshape(len(graphs), -1), axis=1),
    }


def unpack_alternatives(
    arrays: Mapping[str, NDArray[Any]], nodes: tuple[str, ...]
) -> tuple[DAG, ...]:
    """Return directed graphs from arrays; a FileError if these are not graphs."""
    try:
        arcs = arrays["arcs"].astype(np.intp, casting="same_kind").reshape(-1, 2)
        bits = np.unpackbits(arrays["bits"], axis=1, count=len(arcs)).astype(bool)
        return tuple(DAG(nodes, _rows(arcs[row][:, ::-1].tolist(), nodes)) for row in bits)
    except (AttributeError, KeyError, ValueError, TypeError, GraphError):
        raise FileError("its graphs are damaged") from None


def _rows(pairs: list[list[int]], nodes: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    rows: list[list[int]] = [[] for _ in nodes]
    for head, tail in pairs:
        if not (0 <= head < len(nodes) and 0 <= tail < len(nodes)):
            raise FileError("its graphs are damaged")
        rows[head].append(tail)
    return tuple(tuple(sorted(row)) for row in rows)
