"""The structure of the networks in the data folder, read in the plainest way."""

import csv
import gzip
import json
import re
from pathlib import Path

from arcwise.graphs import DAG

_FAMILY = re.compile(r"probability\s*\(\s*(\S+?)\s*(?:\|\s*([^)]*?)\s*)?\)")


def structure(folder: Path, name: str) -> DAG:
    """Read nodes and parents of one network."""
    for path in sorted((folder / "networks").glob(f"*/{name}.*")):
        text = _text(path)
        if ".bif" in path.name:
            return _bif(text)
        if ".json" in path.name:
            return _graph({row["name"]: _parents(row) for row in json.loads(text)["variables"]})
    raise FileNotFoundError(name)


def rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _text(path: Path) -> str:
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
    return path.read_text(encoding="utf-8", errors="replace")


def _parents(row: dict[str, list[str]]) -> list[str]:
    both = row.get("discrete_parents", []) + row.get("continuous_parents", [])
    return row.get("parents", both)


def _bif(text: str) -> DAG:
    found = {
        child: re.split(r"\s*,\s*", row) if row else [] for child, row in _FAMILY.findall(text)
    }
    return _graph(found)


def _graph(families: dict[str, list[str]]) -> DAG:
    arcs = [(parent, child) for child, row in families.items() for parent in row]
    return DAG.from_arcs(arcs, sorted(families))
