"""The part of benchmarks/formats.py that runs with the peers: pyAgrum and pgmpy.

    python formats_peer.py FOLDER MOST

Reads ours.* in the folder with both, writes what they found as .npz files and pyAgrum's own files beside
them, and prints a report as JSON: CPU seconds of writing and reading, what was refused, names by number.
pgmpy reads only networks of at most MOST numbers.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")


def kept(place, tables):
    """Write tables by name, with the names of their axes."""
    heads = {child: names for child, (names, _) in tables.items()}
    arrays = {f"t{number}": table for number, (_, table) in enumerate(tables.values())}
    np.savez(place, heads=json.dumps(heads), **arrays)


def agrum_tables(net):
    """The tables of a network of pyAgrum; its arrays have the child first in names and last in axes."""
    found = {}
    for name in net.names():
        table = net.cpt(name)
        found[name] = (list(table.names)[::-1], table.toarray())
    return found


def pgmpy_tables(model, reference):
    """The tables of a model of pgmpy, levels in the order that the reference has."""
    found = {}
    for cpd in model.get_cpds():
        table, names = np.asarray(cpd.values), list(cpd.variables)
        for axis, name in enumerate(names):
            states = [str(state) for state in cpd.state_names[name]]
            if sorted(states) == sorted(reference[name]):
                table = np.take(
                    table, [states.index(level) for level in reference[name]], axis=axis
                )
        found[cpd.variable] = (names, table)
    return found


def timed(function, *given):
    began = time.process_time()
    found = function(*given)
    return found, time.process_time() - began


def with_agrum(folder, report):
    """Read ours and write its own in every format."""
    import pyagrum as gum

    # The format that it keeps in double precision and with all names.
    source = gum.loadBN(str(folder / "ours.bifxml"))
    kept(folder / "agrum.npz", agrum_tables(source))
    report["names"] = [source.variable(node).name() for node in sorted(source.nodes())]
    levels = {name: list(source.variable(name).labels()) for name in source.names()}
    for ending in (".bif", ".bifxml", ".net", ".xdsl", ".uai"):
        seconds = [float("nan"), float("nan")]
        place = folder / f"agrum{ending}"
        try:
            _, seconds[0] = timed(gum.saveBN, source, str(place))
        except gum.GumException as error:
            place.unlink(missing_ok=True)
            report["said"].setdefault(ending, []).append(
                f"pyAgrum does not write it: {reason(error)}"
            )
        mine = folder / f"ours{ending}"
        mine = mine if mine.is_file() else place
        try:
            net, seconds[1] = timed(gum.loadBN, str(mine))
            if ending != ".uai":
                kept(folder / f"agrum{ending}.npz", agrum_tables(net))
        except gum.GumException as error:
            report["said"].setdefault(ending, []).append(
                f"pyAgrum does not read it: {reason(error)}"
            )
        report["seconds"][ending] = seconds
    return levels


def with_pgmpy(folder, report, levels):
    """Read ours in every format that it has."""
    from pgmpy.readwrite import BIFReader, NETReader, XDSLReader, XMLBIFReader

    readers = {".bif": BIFReader, ".bifxml": XMLBIFReader, ".net": NETReader, ".xdsl": XDSLReader}
    for ending, reader in readers.items():
        try:
            model = reader(str(folder / f"ours{ending}")).get_model()
            kept(folder / f"pgmpy{ending}.npz", pgmpy_tables(model, levels))
        except Exception as error:
            said = f"pgmpy does not read it: {reason(error)}"
            report["said"].setdefault(ending, []).append(said)


def reason(error):
    return f"{type(error).__name__} {str(error).splitlines()[0][:80] if str(error) else ''}"


def main(folder, most):
    report = {"seconds": {}, "said": {}}
    levels = with_agrum(folder, report)
    with np.load(folder / "agrum.npz") as found:
        size = sum(found[key].size for key in found.files if key != "heads")
    if size <= most:
        with_pgmpy(folder, report, levels)
    print(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
