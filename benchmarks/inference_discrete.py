"""Exact inference in discrete networks beside pyAgrum: CPU seconds, sizes of trees, and equal numbers.

    .venv/bin/python benchmarks/inference_discrete.py [--alone] [NETWORK ...]

Five findings are taken from a row that the network draws, and all marginals are asked: time of planning and
compiling the junction tree and its memory apart, then the least time of several calls of
`net.marginals(given=...)` with the tree compiled, Python included. pyAgrum (lazy propagation) gets the same
findings: the least time of setting them, propagating and reading all posteriors. The last column is the
largest difference of a probability. Figures in brackets are given facts, measured elsewhere. Then come many
rows of ALARM: the same five variables known in each, and another five in each. ``ARCWISE_PEERS`` names
another Python with pyAgrum.
"""

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from data import shared_folder
from run import ONE_CORE, PEER_PYTHON

import arcwise as aw
from arcwise.data import Table
from arcwise.inference.exact_tables import trees_of

NETWORKS = (
    "alarm", "hailfinder", "win95pts", "andes", "pathfinder", "water", "barley", "pigs", "diabetes", "munin",
    "link", "munin1",
)  # fmt: skip
FACTS = {"alarm": 0.0028, "andes": 0.087, "pathfinder": 0.107, "munin": 1.9, "diabetes": 0.314}
GOALS = {"alarm": 1 / 4, "andes": 1 / 3, "pathfinder": 1 / 2, "munin": 1 / 2, "diabetes": 1 / 2}
TOO_LARGE_FOR_PEERS = ("link", "munin1")  # more than ten minutes
FINDINGS = 5


def timed(function, repeats=1):
    """What a function gives, and the least CPU seconds of several calls."""
    least, found = float("inf"), None
    for _ in range(repeats):
        began = time.process_time()
        found = function()
        least = min(least, time.process_time() - began)
    return found, least


def findings(net, seed=1):
    """Levels of five variables in a row that the network draws."""
    row = net.sample(1, seed=seed)
    names = sorted(np.random.default_rng(seed).choice(net.net.names, FINDINGS, replace=False))
    return {
        name: net.net.variables[net.net.index(name)].levels[int(row.columns[row.index(name)][0])]
        for name in names
    }


def ours(place):
    """Times, sizes and marginals of one network."""
    net = aw.load(place)
    given = findings(net)
    trees = trees_of(net.net)
    plan, planning = timed(trees.plan)
    tree, compiling = timed(trees.tree)
    repeats = 20 if plan.entries < 1e6 else 5 if plan.entries < 1e8 else 2
    every, asking = timed(lambda: net.marginals(given=given), repeats)
    _, single = timed(lambda: net.query(next(iter(every)), given=given), repeats)
    return {
        "given": given,
        "planning": planning,
        "compiling": compiling,
        "bytes": 8 * tree.entries,
        "asking": asking,
        "single": single,
        "marginals": {
            name: each.distribution.probabilities[0].tolist() for name, each in every.items()
        },
    }


def peer(place, found, repeats):
    """The same with pyAgrum, in its own environment."""
    python = os.environ.get("ARCWISE_PEERS", str(PEER_PYTHON))
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "net.bif")
        content = place.read_bytes()
        plain.write_bytes(gzip.decompress(content) if place.suffix == ".gz" else content)
        Path(folder, "given.json").write_text(json.dumps(found["given"]))
        script = str(Path(__file__).with_name("inference_discrete_peer.py"))
        words = [python, script, folder, str(repeats)]
        done = subprocess.run(words, env=ONE_CORE, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1:]}
    return json.loads(done.stdout.splitlines()[-1])


def line(name, place, alone):
    """A line of the table."""
    found = ours(place)
    cells = [
        f"{name:<11}",
        f"{found['planning'] * 1e3:8.1f}",
        f"{found['compiling'] * 1e3:9.1f}",
        f"{found['bytes'] / 1e6:9.2f}",
        f"{found['asking'] * 1e3:9.2f}",
        f"{found['single'] * 1e3:9.2f}",
    ]
    other = {} if alone or name in TOO_LARGE_FOR_PEERS else peer(place, found, 5)
    if "asking" in other:
        apart = max(
            np.abs(np.array(other["marginals"][each]) - np.array(shares)).max()
            for each, shares in found["marginals"].items()
        )
        cells += [f"{other['asking'] * 1e3:9.2f}", f"{apart:9.1e}"]
    else:
        cells += [f"{'-':>9}", f"{'-':>9}"]
    fact = FACTS.get(name)
    if fact is not None:
        kept = "yes" if found["asking"] <= GOALS[name] * fact else "no"
        cells += [f"({fact * 1e3:.1f})", f"goal {GOALS[name] * fact * 1e3:.1f}: {kept}"]
    print(" ".join(cells), flush=True)


def rows_of_alarm(place, rows=10_000):
    """Predictions of one variable from five others in many rows."""
    net = aw.load(place)
    drawn, rng = net.sample(rows, seed=1), np.random.default_rng(1)
    names = [str(name) for name in rng.choice(net.variables, FINDINGS + 1, replace=False)]
    target, same = names[-1], drawn.select(names[:FINDINGS])
    net.predict(same.take(np.arange(2)), target)
    _, first = timed(lambda: net.predict(same, target), 5)
    others = [name for name in drawn.names if name != target]
    hidden = np.ones((rows, len(others)), dtype=bool)
    for row in hidden:
        row[rng.choice(len(others), FINDINGS, replace=False)] = False
    part = drawn.select(others)
    columns = tuple(
        np.where(hidden[:, i], len(variable.levels), column).astype(column.dtype)
        for i, (variable, column) in enumerate(zip(part.variables, part.columns, strict=True))
    )
    scattered = Table(part.variables, columns)
    _, second = timed(lambda: net.predict(scattered, target), 3)
    _, third = timed(lambda: net.logpdf(scattered), 3)
    print(f"\n{rows} rows of ALARM, five known, one target (goal 0.3 s):")
    print(f"  the same five in each row {first:.3f} s, another five in each {second:.3f} s")
    print(f"  probability of five levels in each row {third:.3f} s")


def main(words):
    alone, chosen = "--alone" in words, [word for word in words if not word.startswith("-")]
    folder = shared_folder() / "networks" / "discrete"
    print("all marginals with five findings; milliseconds of CPU, megabytes of clique tables")
    print("network         plan   compile    memory       all    single   pyAgrum      apart")
    for name in chosen or NETWORKS:
        place = next((each for each in sorted(folder.glob(f"{name}.bif*"))), None)
        if place is None:
            print(f"{name:<11} is not among the shared networks")
        else:
            line(name, place, alone)
    if not chosen or "alarm" in chosen:
        rows_of_alarm(folder / "alarm.bif")
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main(sys.argv[1:])
