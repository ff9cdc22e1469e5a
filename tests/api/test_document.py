"""The document of a network: its fields are those of its types and of docs/report.md, and fit JSON."""

import json
import re
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.api.document import Document, document

PAGE = Path(__file__).parents[2] / "docs" / "report.md"


def mixed(**options):
    rng = np.random.default_rng(4)
    town = rng.choice(["a", "b"], 90)
    price = rng.normal(size=90) + 3.0 * (town == "b")
    return aw.learn({"town": town, "price": price, "size": price + rng.normal(size=90)}, **options)


NETS = {
    "regressions": lambda: aw.learn(linear(1, rows=80, p=5)),
    "undirected": lambda: aw.learn(linear(1, rows=80, p=5), graph="undirected"),
    "tables": lambda: aw.example("asia"),
    "mixture": mixed,
    "parzen": lambda: aw.learn(linear(1, rows=60, p=3), model="parzen"),
    "empty": lambda: aw.fit("[x]", {"x": np.arange(5.0)}),
}


@pytest.mark.parametrize("name", NETS)
def test_documents_have_the_fields_of_their_type_and_are_json(name):
    found = document(NETS[name](), "a title")
    faults: list[str] = []
    check(found, Document, "document", faults)
    assert not faults
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def check(value: Any, kind: Any, path: str, faults: list[str]) -> None:
    """Compare a value with a type: TypedDicts, lists, literals, unions and plain types."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        tries = [[] for _ in parts]
        for each, found in zip(parts, tries, strict=True):
            check(value, each, path, found)
        faults += min(tries, key=len)
    elif is_typeddict(kind):
        hints = get_type_hints(kind)
        if not isinstance(value, dict) or set(value) != set(hints):
            faults.append(f"{path} does not have the fields {sorted(hints)}")
            return
        for name, hint in hints.items():
            check(value[name], hint, f"{path}.{name}", faults)
    elif origin in (list, dict) and not isinstance(value, origin):
        faults.append(f"{path} is {value!r}, not {kind}")
    elif origin is list:
        for i, each in enumerate(value):
            check(each, parts[0], f"{path}[{i}]", faults)
    elif origin is dict:
        for key, each in value.items():
            check(each, parts[1], f"{path}[{key!r}]", faults)
    elif origin is Literal:
        faults += [] if value in parts else [f"{path} is {value!r}"]
    elif kind is not Any and type(value) is not kind and not (kind is type(None) and value is None):
        faults.append(f"{path} is {value!r}, not {kind}")


def typed_dicts(kind: Any) -> set[Any]:
    """A TypedDict with all that are inside it."""
    inside = {kind} if is_typeddict(kind) else set()
    parts = get_type_hints(kind).values() if inside else get_args(kind)
    return inside.union(*(typed_dicts(each) for each in parts))


def test_every_field_is_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    for kind in typed_dicts(Document):
        section = re.search(rf"^### {kind.__name__}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
        assert section, kind.__name__
        names = re.findall(r"^\| `(\w+)` \|", section[1], re.MULTILINE)
        assert names == list(get_type_hints(kind)), kind.__name__


def test_summaries_are_of_the_data_and_contain_no_rows():
    table = linear(2, rows=200, p=3)
    found = document(aw.learn(table))
    for entry in found["variables"]:
        values = table.column(entry["name"])
        summary = entry["summary"]
        assert summary["mean"] == pytest.approx(values.mean(), rel=1e-4)
        assert sum(summary["histogram"]["counts"]) == 200
        assert entry["axis"][0] <= np.quantile(values, 0.05) < entry["axis"][1]
    text = json.dumps(found)
    assert not [v for column in table.columns for v in column[:50] if repr(float(v)) in text]


def test_the_python_lines_make_the_same_network_again():
    table = linear(3, rows=80, p=4)
    net = aw.learn(
        table, score="bic", search=aw.Tabu(restarts=2), seed=4, rules=aw.Rules(max_parents=1)
    )
    code = document(net)["making"]["python"]
    code = code.replace('aw.read("data.csv")', "table").rpartition("\n")[0]
    names = {"table": table}
    exec(code, names)
    assert names["net"].graph == net.graph
    assert names["net"].score == net.score
