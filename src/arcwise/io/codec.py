"""Plain values, arrays and variables as JSON, exactly and without guessing.

JSON has no arrays of a type, no tuples and no NaN, so these are objects with one marked key::

    {"$array": [[1.0, 0.5], [0.5, 2.0]]}      float64; other types add "type", empty ones "shape"
    {"$member": "arrays/0.npy"}               an array that lies beside the JSON in a bundle
    {"$same": 3}                              one of the arrays that several places share
    {"$tuple": [1, "two"]}
    {"$float": "nan"}                         also "inf" and "-inf", inside arrays as bare text
    {"$object": "gaussian", "fields": {...}}  a frozen dataclass from a register

A float is written with the fewest digits that give back the same bits. Nothing read from a file is
ever executed: classes come from a register given by the caller, never from the file.

Arrays that several parts of a network hold are written once, and shared again when read. A model that keeps
the rows it was fitted to holds its own column and those of its inputs; with p variables every column would
otherwise be written up to 2 p times.

A variable is its name, and of a discrete one its levels and what makes them::

    {"name": "links", "levels": ["Low", "High"], "ordered": true, "cuts": [5.0],
     "ends": [[0.0, 4.0], [5.0, null]]}
    {"name": "sender", "levels": ["edu", "other"], "ordered": false,
     "coding": {"reads": "text", "marks": ["(?is)^.*\\.edu$", ""], "codes": [0, 1]}}
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import chain, pairwise
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Coding, Variable
from arcwise.errors import FileError
from arcwise.networks import Net
from arcwise.values import is_count

NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
# Types an array in a file may have: booleans, signed and unsigned integers, floats.
ARRAY_KINDS = "biuf"
TYPES: dict[Any, tuple[type, ...]] = {
    float: (float, int),
    **{each: (each,) for each in (int, bool, str, NoneType, tuple, list, np.ndarray)},
    dict: (Mapping,),
}
"""Valid types of values for the types of annotations."""


@dataclass(frozen=True)
class Codec:
    """How values are written to and read from JSON.

    Parameters
    ----------
    types : the dataclasses that may appear, by the name they have in files.
    store : puts a large array elsewhere and returns its member name; None keeps all in the JSON.
    fetch : gives back the array of a member name.
    large : arrays with more numbers than this are stored elsewhere if ``store`` is given.
    numbers : which of the shared arrays an array is, by its identity; for writing.
    shared : the arrays that several places share; for reading.

    >>> codec = Codec({})
    >>> codec.encode({"x": np.array([1.0, np.nan]), "y": (1, "a")})
    {'x': {'$array': [1.0, 'nan']}, 'y': {'$tuple': [1, 'a']}}
    >>> codec.decode({"$tuple": [1, "a"]})
    (1, 'a')
    """

    types: Mapping[str, type]
    store: Callable[[NDArray[Any]], str] | None = None
    fetch: Callable[[str], NDArray[Any]] | None = None
    large: int = 64
    numbers: Mapping[int, int] = field(default_factory=dict)
    shared: Sequence[NDArray[Any]] = ()

    # -- values to JSON ---------------------------------------------------------------------------

    def encode(self, value: object) -> Any:
        """Return a value in the types of ``json``; a FileError if it has no form."""
        if isinstance(value, np.generic):
            return self.encode(value.item())
        if isinstance(value, float) and not math.isfinite(value):
            return {"$float": _spell(value)}
        if value is None or isinstance(value, str | bool | int | float):
            return value
        if isinstance(value, np.ndarray):
            return self._encode_array(value)
        if isinstance(value, list | tuple):
            items = [self.encode(item) for item in value]
            return items if isinstance(value, list) else {"$tuple": items}
        if isinstance(value, Mapping):
            return self._encode_mapping(value)
        name, entries = self.encode_object(value)
        return {"$object": name, "fields": entries}

    def _encode_mapping(self, value: Mapping[Any, object]) -> dict[str, Any]:
        for key in value:
            if not isinstance(key, str):
                raise FileError(f"a mapping in a file must have texts as keys, got {key!r}")
        # A key that looks like one of our marks gets a second dollar sign.
        return {f"${k}" if k[:1] == "$" else k: self.encode(v) for k, v in value.items()}

    def _encode_array(self, array: NDArray[Any]) -> dict[str, Any]:
        if id(array) in self.numbers:
            return {"$same": self.numbers[id(array)]}
        if array.dtype.kind not in ARRAY_KINDS:
            raise FileError(f"an array of type {array.dtype} cannot be written to a file")
        if self.store is not None and array.size > self.large:
            return {"$member": self.store(array)}
        out: dict[str, Any] = {"$array": _nest(array)}
        if array.dtype != np.float64:
            out["type"] = array.dtype.name
        if array.size == 0:
            out["shape"] = list(array.shape)
        return out

    def encode_object(self, value: object) -> tuple[str, dict[str, Any]]:
        """Return the registered name of a dataclass, and its fields as what ``json`` can write."""
        for name, kind in self.types.items():
            if type(value) is kind and is_dataclass(value):
                names = [field.name for field in fields(value) if field.init]
                return name, {field: self.encode(getattr(value, field)) for field in names}
        raise FileError(f"a {type(value).__name__} cannot be written to a file")

    # -- JSON to values ---------------------------------------------------------------------------

    def decode(self, value: Any) -> Any:
        """Return the value of an entry in the types of ``json``."""
        if isinstance(value, list):
            return [self.decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "$array" in value:
            return _array(value)
        if "$tuple" in value:
            return tuple(self.decode(item) for item in value["$tuple"])
        if "$float" in value:
            return NOT_FINITE[value["$float"]]
        if "$member" in value:
            return self._member(value["$member"])
        if "$same" in value:
            return self._same(value["$same"])
        if "$object" in value:
            return self.decode_fields(value["$object"], value["fields"])
        return {k[1:] if k[:2] == "$$" else k: self.decode(v) for k, v in value.items()}

    def _member(self, name: Any) -> NDArray[Any]:
        if self.fetch is None or not fits(name, str):
            raise FileError(f"it names an array {name!r} that it does not have")
        array = self.fetch(name)
        if array.dtype.kind not in ARRAY_KINDS:
            raise FileError(f"its array {name!r} has the type {array.dtype}")
        return _lock(array)

    def _same(self, number: object) -> NDArray[Any]:
        if not is_count(number) or number >= len(self.shared):
            raise FileError(f"it names a shared array {number!r} that it does not have")
        return self.shared[number]

    def decode_fields(self, name: str, entries: Mapping[str, Any]) -> Any:
        """Make the object of a registered name from its fields, checking their names and types."""
        if name not in self.types:
            raise FileError(f"its model {name!r} is unknown")
        if not fits(entries, dict):
            raise FileError(f"the entries of a {name} model are not named")
        expected = {field.name for field in fields(self.types[name]) if field.init}
        if set(entries) != expected:
            differing = ", ".join(sorted(set(entries) ^ expected))
            raise FileError(f"the entries of a {name} model are not as expected ({differing})")
        values = {key: self.decode(entry) for key, entry in entries.items()}
        hints = get_type_hints(self.types[name])
        for key, value in values.items():
            if not fits(value, hints[key]):
                raise FileError(
                    f"the entry {key!r} of a {name} model must be of type "
                    f"{_type_name(hints[key])}, not "
                    f"{getattr(value, 'dtype', type(value).__name__)}"
                )
            values[key] = float(value) if hints[key] is float else value
        return self.types[name](**values)


def _spell(value: float) -> str:
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def _nest(array: NDArray[Any]) -> Any:
    """Nested lists of an array, with text in place of what JSON cannot say."""
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return array.tolist()
    if array.ndim == 0:
        return _spell(float(array))
    return [
        _nest(item) if array.ndim > 1 else item if math.isfinite(item) else _spell(item)
        for item in (array if array.ndim > 1 else array.tolist())
    ]


def _array(entry: Mapping[str, Any]) -> NDArray[Any]:
    kind = np.dtype(entry.get("type", "float64"))
    if kind.kind not in ARRAY_KINDS:
        raise FileError(f"an array in it has the type {kind}")
    listed = _numbers(entry["$array"])
    array = np.array(listed, dtype=kind)
    if not np.array_equal(array, np.array(listed), equal_nan=kind.kind == "f"):
        raise FileError(f"an array in it does not fit its type {kind}")
    return _lock(array.reshape(entry["shape"]) if "shape" in entry else array)


def _numbers(entry: Any) -> Any:
    """Nested lists of numbers, with the spelled ones replaced; anything else is rejected."""
    if isinstance(entry, list):
        return [_numbers(item) for item in entry]
    if isinstance(entry, str):
        return NOT_FINITE[entry]
    if not isinstance(entry, int | float):
        raise FileError(f"an array in it must have numbers, got {entry!r}")
    return entry


def _lock(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _type_name(hint: Any) -> str:
    """Return a type as messages call it."""
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(map(_type_name, get_args(hint)))
    if hint is NoneType:
        return "None"
    return str(getattr(hint, "__name__", hint))


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value from a file has the type of a simple annotation.

    >>> fits(1, float), fits(True, float), fits((1.0, None), tuple[float | None, ...])
    (True, False, True)
    >>> fits(["a", 1], list[str]), fits({"a": 1}, dict[str, int])
    (False, True)
    """
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if kind is Literal:
        return value in parts
    if kind not in TYPES:
        return True
    if not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind in (int, float)):
        return False
    return not parts or _parts_fit(value, kind, parts)


def _parts_fit(value: Any, kind: Any, parts: tuple[Any, ...]) -> bool:
    """Return whether the items of a container have the types of its annotation."""
    if kind is np.ndarray:
        return _numbers_fit(value, parts)
    if kind is tuple and parts[-1] is not ...:
        return len(value) == len(parts) and all(map(fits, value, parts))
    items, part = (value.values(), parts[1]) if kind is dict else (value, parts[0])
    return all(fits(item, part) for item in items)


def _numbers_fit(array: NDArray[Any], parts: tuple[Any, ...]) -> bool:
    """Return whether an array holds what its annotation says: NDArray[np.float64] holds float64."""
    dtype = get_args(parts[1])[0] if len(parts) == 2 and get_args(parts[1]) else Any
    return dtype is Any or bool(np.issubdtype(array.dtype, dtype))


# -- shared arrays --------------------------------------------------------------------------------


SMALL = 16
"""Arrays with at most this many numbers are not shared."""


def shared_arrays(net: Net | None) -> list[NDArray[Any]]:
    """Return the arrays that occur several times, each once, in the order of their first occurrence.

    The same array means the same object: equal arrays are not shared.

    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import UGraph
    >>> from arcwise.networks import FixedValue, MarkovNet
    >>> x = np.arange(20.0)
    >>> variables = (Variable("a"), Variable("b"))
    >>> models = (FixedValue(1.0), FixedValue(2.0))
    >>> net = MarkovNet(variables, UGraph.empty(["a", "b"]), models, (x, x))
    >>> [array is x for array in shared_arrays(net)]
    [True]
    """
    parts = [] if net is None else [net.conditionals, _rows(net)]
    if net is not None and net.directed and net.blankets is not None:
        parts += [net.blankets.conditionals, net.blankets.typical]
    arrays = {id(array): array for array in _arrays(tuple(parts))}
    places = Counter(id(array) for array in _arrays(tuple(parts)))
    return [array for key, array in arrays.items() if places[key] > 1 and array.size > SMALL]


def _rows(net: Net) -> tuple[NDArray[Any], ...]:
    """Return the typical rows that are written: those of a network without a joint distribution."""
    return () if net.directed or net.joint is not None else net.typical


def _arrays(value: object) -> Iterator[NDArray[Any]]:
    """Yield every array inside a value, as often as it occurs."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _arrays(item)
    elif is_dataclass(value):
        for field in fields(value):
            if field.init:
                yield from _arrays(getattr(value, field.name))


# -- variables ---------------------------------------------------------------------------------


def write_variable(variable: Variable, codec: Codec) -> dict[str, Any]:
    """Return a variable as what ``json`` can write."""
    entry: dict[str, Any] = {"name": variable.name}
    if variable.levels is not None:
        entry["levels"] = codec.encode(list(variable.levels))
        entry["ordered"] = variable.ordered
    if variable.cuts is not None:
        entry["cuts"] = codec.encode(list(variable.cuts))
    if variable.ends is not None:
        entry["ends"] = [
            [None if math.isinf(end) else end for end in interval] for interval in variable.ends
        ]
    if variable.coding is not None:
        marks, codes = list(variable.coding.marks), list(variable.coding.codes)
        entry["coding"] = {"reads": variable.coding.reads, "marks": marks, "codes": codes}
    return entry


def read_variable(entry: Any, codec: Codec) -> Variable:
    """Make a variable from what ``json`` read; FileError or DataError for what is none."""
    name = of_type(of_type(entry, dict, "node")["name"], str, "name")
    if "levels" not in entry:
        return Variable(name)
    levels = tuple(codec.decode(of_type(entry["levels"], list, "levels")))
    if not fits(levels, tuple[str | int | float | bool, ...]):
        raise FileError(f"a level of {name!r} is neither text nor a number")
    if not levels or any(level != level for level in levels):  # NaN
        raise FileError(f"the levels of {name!r} must be one or more texts or numbers")
    ordered = of_type(entry.get("ordered", False), bool, "ordered")
    cuts = codec.decode(entry["cuts"]) if "cuts" in entry else None
    bounds = None if cuts is None else tuple(map(float, cuts))
    if bounds and not all(low < high for low, high in pairwise((-math.inf, *bounds, math.inf))):
        raise FileError(f"the cuts of {name!r} must be finite and ascending")
    coding, ends = _read_coding(entry.get("coding")), _read_ends(entry.get("ends"), name)
    if ends is not None and (bounds is None or len(ends) != len(bounds) + 1):
        raise FileError(f"the ends of the levels of {name!r} do not match its cuts")
    return Variable(name, levels, ordered, bounds, coding, ends)


def _read_ends(entry: Any, name: str) -> tuple[tuple[float, float], ...] | None:
    """Return the ends of user-defined levels; None in a file for an open one."""
    if entry is None:
        return None
    pairs = of_type(entry, list, "list of ends")
    if not fits(pairs, list[list[Any]]) or not all(len(interval) == 2 for interval in pairs):
        raise FileError(f"the ends of the levels of {name!r} must be pairs")
    if not fits(pairs, list[list[float | None]]) or any(end != end for end in chain(*pairs)):
        raise FileError(f"the ends of the levels of {name!r} must be numbers")
    return tuple(
        (-math.inf if low is None else float(low), math.inf if high is None else float(high))
        for low, high in pairs
    )


def _read_coding(entry: Any) -> Coding | None:
    if entry is None:
        return None
    fields = of_type(entry, dict, "coding")
    reads = of_type(fields["reads"], str, "coding's entry 'reads'")
    marks = each_of_type(of_type(fields["marks"], list, "marks"), str, "mark")
    codes = each_of_type(of_type(fields["codes"], list, "codes"), int, "code")
    return Coding(reads, tuple(marks), tuple(codes))


def of_type(value: Any, hint: Any, what: str) -> Any:
    """Return a value of the type of an annotation; else raise an error that names the fault of the file."""
    if not fits(value, hint):
        raise FileError(f"a {what} in it is of type {type(value).__name__}, not {_type_name(hint)}")
    return value


def each_of_type(values: Iterable[Any], hint: Any, what: str) -> list[Any]:
    """Return values that all have the type of an annotation; else raise an error that names the fault."""
    return [of_type(value, hint, what) for value in values]
