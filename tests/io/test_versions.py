"""Files of earlier versions are read through tables of the names that have changed since."""

import gzip
import json
import zipfile
from dataclasses import fields
from pathlib import Path

import pytest

import arcwise as aw
from arcwise.api.posterior_files import as_stop
from arcwise.conditionals import CONDITIONALS
from arcwise.io import native
from arcwise.io.native import read_json

SAVED = Path(__file__).parent / "saved"


def document(file: Path) -> dict:
    if file.suffix == ".arcwise":
        return json.loads(zipfile.ZipFile(file).read("network.json"))
    content = file.read_bytes()
    return json.loads(gzip.decompress(content) if file.suffix == ".gz" else content)


DOCUMENTS = {
    path.name: document(path) for path in sorted(SAVED.iterdir()) if path.name != "answers.json"
}


def nodes(found: dict) -> list[dict]:
    return [*found["nodes"], *found.get("blankets", {}).get("nodes", [])]


def test_the_saved_files_are_of_both_versions_and_new_ones_of_the_third(tmp_path):
    assert {found["version"] for found in DOCUMENTS.values()} == set(native.EARLIER) == {1, 2}
    aw.load(SAVED / "parzen.json.gz").save(tmp_path / "net.json")
    again = document(tmp_path / "net.json")
    assert again["version"] == native.VERSION == 3
    old = native.translate(DOCUMENTS["parzen.json.gz"])
    new, earlier = again["about"], old["about"]
    assert as_stop(new.pop("stopped")) == as_stop(earlier.pop("stopped"))
    assert [note["text"] for note in new.pop("notes")] == earlier.pop("notes")
    assert {**again, "version": 2} == old


def test_what_the_tables_call_old_is_what_the_saved_files_say():
    """The left side is history: a renaming of today's names must not touch it."""
    old = native.EARLIER[2]
    written = {"gaussian": set(), "parzen": set(), "options": set(), "about": set()}
    for found in DOCUMENTS.values():
        for node in nodes(found):
            if "model" in node:
                written[node["model"]] |= set(node["fields"])
        written["about"] |= set(found["about"])
        written["options"] |= set(found["about"].get("words", {}).get("options", ()))
    assert written["parzen"] == {
        *("output", "inputs", "weights", "scales", "widths", "levels", "unordered", "tail"),
        *("loo", "at_floor"),
    }
    assert written["gaussian"] == {
        *("intercept", "coefficients", "variance", "spread", "rows", "at_floor", "passed"),
    }
    assert written["options"] == {"refit", "widths", "tail"}
    for entry in old:
        place, name = entry.split(".")
        assert place == "options" or name in written[place], entry


@pytest.mark.parametrize("version", native.EARLIER)
def test_every_field_has_the_name_that_it_has_today(version):
    """What has no line kept its name; so all old fields, renamed, are those of today's models."""
    for found in DOCUMENTS.values():
        if found["version"] != version:
            continue
        for node in nodes(native.translate(found)):
            if "model" in node:
                today = {each.name for each in fields(CONDITIONALS[node["model"]]) if each.init}
                assert set(node["fields"]) == today


def test_a_renaming_is_one_entry(monkeypatch):
    """As if fields, options and parts of what is said had other names today."""
    new = {"parzen.widths": "bandwidths", "options.widths": "bandwidths", "about.words": "settings"}
    monkeypatch.setitem(native.EARLIER, 2, new)
    old = DOCUMENTS["parzen_shared.json.gz"]
    found = native.translate(old)
    assert found["about"]["settings"]["options"] == {"bandwidths": "shared"}
    assert "words" not in found["about"]
    for before, after in zip(nodes(old), nodes(found), strict=True):
        assert after["fields"]["bandwidths"] == before["fields"]["widths"]
        assert set(after["fields"]) == set(before["fields"]) - {"widths"} | {"bandwidths"}
        assert after["parents" if "parents" in after else "neighbours"] is not None
    assert found["arrays"] == old["arrays"]
    assert old["about"]["words"]["options"] == {"widths": "shared"}  # what was read stays as it was


def test_a_variable_with_the_name_of_a_field_keeps_it(monkeypatch):
    monkeypatch.setitem(native.EARLIER, 1, {"about.words": "x", "nodes.widths": "y"})
    text = {
        "format": "arcwise-network",
        "version": 1,
        "about": {"origin": {"words": 1, "widths": 2}},
        "nodes": [{"name": "widths", "parents": []}, {"name": "words", "parents": ["widths"]}],
    }
    found = read_json(json.dumps(text).encode())
    assert found.graph.nodes == ("widths", "words")
    assert found.graph.arcs == (("widths", "words"),)
    assert found.about == {"origin": {"words": 1, "widths": 2}}


def test_documents_of_today_are_not_touched():
    text = {"version": 3, "about": {"words": {}}, "nodes": []}
    assert native.translate(text) is text
