"""Files of discrete networks between Arcwise, pyAgrum and pgmpy: equal numbers, and CPU seconds.

    .venv/bin/python benchmarks/formats.py [--alone] [NETWORK ...]

For each format a network of the shared data is written and read by Arcwise and by pyAgrum, and each reads
what the other wrote; pgmpy reads what Arcwise wrote, for the smaller networks. The table has CPU seconds of
one process and the largest difference of a probability. pyAgrum keeps some formats in single precision
(differences near 3e-8) and writes others with six digits (near 6e-7). In XDSL and UAI it takes the first
parent's level as the one that changes fastest, where GeNIe and the UAI format have the last one's: its files
are read as they are meant, but it reads ours, like GeNIe's own, with the levels of several parents exchanged.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from data import shared_folder
from run import ONE_CORE, PEER_PYTHON

from arcwise import io

NETWORKS = ("asia", "survey", "alarm", "hailfinder", "pathfinder", "link", "munin", "diabetes")
ENDINGS = {".bif": "BIF", ".bifxml": "XMLBIF", ".net": "Hugin NET", ".xdsl": "XDSL", ".uai": "UAI"}


def timed(function, *given):
    """What a function gives, and its CPU seconds."""
    began = time.process_time()
    found = function(*given)
    return found, time.process_time() - began


def ours(net, folder):
    """CPU seconds of writing and reading each format; files are left in the folder."""
    seconds = {}
    for ending in ENDINGS:
        place = folder / f"ours{ending}"
        if io.DISCRETE[ending].write is None:
            seconds[ending] = [float("nan"), float("nan")]
            continue
        _, writing = timed(io.save_tables, net, place)
        _, reading = timed(io.load_tables, place)
        seconds[ending] = [writing, reading]
    return seconds


def peers(folder, largest):
    """What the peers found in our files, and wrote: see formats_peer.py."""
    python = os.environ.get("ARCWISE_PEERS", str(PEER_PYTHON))
    words = [python, str(Path(__file__).parent / "formats_peer.py"), str(folder), str(largest)]
    done = subprocess.run(words, env=ONE_CORE, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def tables_of(place):
    """Tables that a peer read, by name: parents and child by name, one axis each."""
    with np.load(place) as found:
        heads = json.loads(str(found["heads"]))
        return {child: (names, found[f"t{n}"]) for n, (child, names) in enumerate(heads.items())}


def difference(net, tables, called=None):
    """The largest difference between our tables and a peer's; infinity where shapes differ."""
    called = called or {name: name for name in net.names}
    worst = 0.0
    for child, (names, table) in tables.items():
        column = net.names.index(called[child])
        axes = [*(net.names[p] for p in net.parents[column]), net.names[column]]
        theirs = [called[name] for name in names]
        if sorted(axes) != sorted(theirs):
            return float("inf")
        arranged = table.transpose([theirs.index(name) for name in axes])
        if arranged.shape != net.tables[column].shape:
            return float("inf")
        worst = max(worst, float(np.abs(arranged - net.tables[column]).max()))
    return worst


def crossed(net, folder, report, ending):
    """The largest differences of ours read by pyAgrum, of its file read by us, and CPU seconds of reading."""
    read = folder / f"agrum{ending}.npz"
    out = difference(net, tables_of(read)) if read.is_file() else float("nan")
    place = folder / f"agrum{ending}"
    if not place.is_file():
        return out, float("nan"), float("nan")
    found, seconds = timed(io.load_tables, place)
    names = report["names"] if ending == ".uai" else None
    width = len(str(len(net.names) - 1))
    called = {name: f"x{names.index(name):0{width}d}" for name in names} if names else None
    # Their file is compared with the tables that they wrote it from.
    return out, difference(found, tables_of(folder / "agrum.npz"), called), seconds


def main(words):
    alone = "--alone" in words
    names = [word for word in words if not word.startswith("--")] or NETWORKS
    print("network     format      CPU s: ours write, read | pyAgrum write, read, our reading of it | "
          "largest difference: pyAgrum reads ours, we read its, pgmpy reads ours")  # fmt: skip
    for name in names:
        place = next((shared_folder() / "networks" / "discrete").glob(f"{name}.bif*"))
        net = io.load_tables(place)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            seconds = ours(net, folder)
            report = {} if alone else peers(folder, 10_000)
            for ending, format in ENDINGS.items():
                writing, reading = seconds[ending]
                line = f"{name:11s} {format:10s} {writing:8.3f} {reading:8.3f}"
                if not alone:
                    theirs = report["seconds"].get(ending, [float("nan")] * 2)
                    out, back, beside = crossed(net, folder, report, ending)
                    pgmpy = folder / f"pgmpy{ending}.npz"
                    third = difference(net, tables_of(pgmpy)) if pgmpy.is_file() else float("nan")
                    line += f" | {theirs[0]:8.3f} {theirs[1]:8.3f} {beside:8.3f}"
                    line += f" | {out:8.1e} {back:8.1e} {third:8.1e}"
                    line += "  " + "; ".join(report["said"].get(ending, []))
                print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
