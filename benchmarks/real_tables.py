"""Whether any table is learned without options: every file of a folder, and a query of each column.

    python benchmarks/real_tables.py FOLDER [--limit 30] [--only NAME] [--model auto]

FOLDER holds tables (CSV, TSV or Parquet, also .gz), such as the data files of Python packages. Each is read
and learned with the defaults and a time limit. Then every column, of wide tables a hundred, is queried, alone
and given the value of another column in the middle row. A line per table has its size, the edges, the CPU
seconds of learning and of queries, and how many queries are exact; the last line is a summary.
"""

import argparse
import math
import time
import traceback
from pathlib import Path
from typing import Any

import arcwise as aw

MOST = 100  # columns of a wide table that are asked for, evenly taken
PATTERNS = ("*.csv", "*.csv.gz", "*.tsv", "*.tsv.gz", "*.parquet")


def values_of(table: aw.Table, row: int) -> dict[str, Any]:
    """The values of a row that are there, by name."""
    values = {name: table.values(name)[row] for name in table.names}
    return {
        name: value
        for name, value in values.items()
        if value is not None and not (isinstance(value, float) and math.isnan(value))
    }


def queries(net: Any, table: aw.Table) -> tuple[int, int, list[str]]:
    """The number of queries, of exact answers, and what failed."""
    count = exact = 0
    failures = []
    values = values_of(table.select(net.nodes), table.rows // 2)
    step = -(-len(net.nodes) // MOST)
    for i, name in list(enumerate(net.nodes))[::step]:
        other = net.nodes[i - 1]
        for evidence in ({}, {other: values[other]} if other in values and other != name else {}):
            count += 1
            try:
                belief = net.query(name, given=evidence)
            except aw.ArcwiseError as error:
                failures.append(f"{name} given {evidence}: {error}")
                continue
            exact += belief.error == 0
            levels = belief.distribution.categorical
            reading = belief.sd if levels is None else max(belief.probabilities.values())
            if not math.isfinite(reading):
                failures.append(f"{name} given {evidence}: {reading}")
    return count, exact, failures


def examine(path: Path, limit: float, model: str) -> dict[str, Any]:
    """What became of one file."""
    begin = time.process_time()
    result: dict[str, Any] = {"file": path.name}
    try:
        table = aw.read(path)
        result |= {"rows": table.rows, "columns": len(table.names)}
        net = aw.learn(table, model=model, time_limit=limit, progress=False)
        result |= {"learn": time.process_time() - begin, "edges": len(list(net.graph.arcs))}
        begin = time.process_time()
        count, exact, failures = queries(net, table)
        result |= {"queries": count, "exact": exact, "ask": time.process_time() - begin}
        notes = [*table.notes, *net.notes]
        result |= {"failures": failures, "notes": list(dict.fromkeys(map(str, notes)))}
    except aw.ArcwiseError as error:
        result["refused"] = str(error)
    except Exception:
        result["broken"] = traceback.format_exc()
    return result


def show(result: dict[str, Any], verbose: bool) -> None:
    """A line for a table."""
    name = f"{result['file'][:48]:48}"
    size = f"{result.get('rows', 0):7} x {result.get('columns', 0):4}"
    if "broken" in result:
        print(name, size, "BROKEN", result["broken"].strip().splitlines()[-1])
        if verbose:
            print(result["broken"])
    elif "refused" in result:
        print(name, size, "refused:", result["refused"])
    else:
        print(
            name,
            size,
            f"{result['edges']:5} edges, {result['learn']:6.2f} s to learn, {result['queries']:4} queries"
            f" in {result['ask']:6.2f} s, {result['exact']:4} exact, {len(result['failures'])} failed",
        )
        for line in result["failures"][:3]:
            print("    failed:", line)
        for line in result["notes"] if verbose else ():
            print("    note:", line)


def main() -> None:
    """All files of the folder, and a summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=30.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--model", default="auto")
    parser.add_argument("--verbose", action="store_true", help="print notes and tracebacks")
    given = parser.parse_args()
    paths = sorted({path for pattern in PATTERNS for path in given.folder.glob(pattern)})
    results = []
    for path in paths:
        if given.only in path.name:
            results.append(examine(path, given.limit, given.model))
            show(results[-1], given.verbose)
    learned = [each for each in results if "learn" in each]
    queries_in_all = sum(each.get("queries", 0) for each in learned)
    print(
        f"{len(results)} tables: {len(learned)} learned,"
        f" {sum('refused' in each for each in results)} refused,"
        f" {sum('broken' in each for each in results)} broken;"
        f" {sum(each['learn'] > given.limit for each in learned)} took longer than {given.limit:g} s;"
        f" {queries_in_all} queries, {sum(each.get('exact', 0) for each in learned)} exact,"
        f" {sum(len(each.get('failures', ())) for each in learned)} failed"
    )


if __name__ == "__main__":
    main()
