"""The default of discrete networks: score, structure prior and search; and speed.

    .venv/bin/python benchmarks/discrete.py --scores [--search ges]   scores and charges per arc: distances
    .venv/bin/python benchmarks/discrete.py --noise                   false arcs on independent columns
    .venv/bin/python benchmarks/discrete.py --peers [--alone]         the default beside PyBNesian and pyAgrum
    .venv/bin/python benchmarks/discrete.py --searches                greedy, ges, boss and auto
    .venv/bin/python benchmarks/discrete.py --speed [--alone]         CPU seconds of searches

    --networks alarm,water   --rows 500,1000   --seeds 0:3            bound a run

Rows are drawn from published networks (shared/data/networks/discrete). Columns are renamed and shuffled for
everyone, so that no order of a file decides ties; levels that do not occur are left out, as in a file of
rows. Distances are structural Hamming distances of CPDAGs. Held-out likelihoods are nats per row on 5000
further rows.
"""

import argparse
import json
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from data import shared_folder
from run import ONE_CORE, PEER_PYTHON

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.conditionals.discrete import PseudoCounts
from arcwise.conditionals.discrete_fits import DiscreteFits
from arcwise.data import Complete, Table, Variable
from arcwise.graphs import DAG, compare
from arcwise.scores import SCORES, ArcPenalty, Sum, total
from arcwise.search import SEARCHES

NETWORKS = ("alarm", "insurance", "hailfinder", "win95pts", "andes", "water", "barley")
FRESH = 5000
SCORED = {
    "bic": ("bic", {}),
    "aic": ("aic", {}),
    "bdeu 1": ("bdeu", {"equivalent_sample_size": 1.0}),
    "bdeu 2": ("bdeu", {"equivalent_sample_size": 2.0}),
    "bdeu 3": ("bdeu", {"equivalent_sample_size": 3.0}),
    "bdeu 5": ("bdeu", {"equivalent_sample_size": 5.0}),
    "bdeu 10": ("bdeu", {"equivalent_sample_size": 10.0}),
    "bds 1": ("bds", {"equivalent_sample_size": 1.0}),
    "bds 10": ("bds", {"equivalent_sample_size": 10.0}),
    "qnml": ("qnml", {}),
}
CHARGES = (0.0, 0.5, 1.0, 1.5, 2.0)  # of log p for each arc
CHOSEN = ("bdeu 3", 1.5)


@dataclass(frozen=True)
class Drawn:
    """Rows from a network under new names: what is learned from, what is held out, and the truth."""

    rows: Table  # levels that occur
    whole: Table  # the same with all levels
    fresh: Table
    truth: DAG


@cache
def loaded(name):
    """A published network."""
    folder = shared_folder() / "networks" / "discrete"
    return aw.load(next(folder.glob(f"{name}.bif*")))


def renamed(table, names, observed=False):
    """The columns under new names; with `observed`, only levels that occur."""
    variables, columns = [], []
    for variable, column in zip(table.variables, table.columns, strict=True):
        levels, codes = variable.levels, np.asarray(column)
        if observed:
            kept, codes = np.unique(codes, return_inverse=True)
            levels = tuple(levels[i] for i in kept)
        variables.append(Variable(names[variable.name], levels))
        columns.append(codes.astype(column.dtype))
    return Table(tuple(variables), tuple(columns))


@cache
def drawn(name, n, seed):
    """Rows of a network with its columns shuffled."""
    net = loaded(name)
    nodes = net.graph.nodes
    places = np.random.default_rng(10_000 + seed).permutation(len(nodes))
    names = {node: f"c{place:03d}" for node, place in zip(nodes, places, strict=True)}
    rows, fresh = net.sample(n, seed=seed), net.sample(FRESH, seed=500_000 + seed)
    arcs = [(names[a], names[b]) for a, b in net.graph.arcs]
    whole = renamed(rows, names)
    truth = DAG.from_arcs(arcs, whole.names)
    return Drawn(renamed(rows, names, observed=True), whole, renamed(fresh, names), truth)


def bound(fits, word, charge=0.0):
    """A score with a charge of so many log p for each arc."""
    kind, options = SCORED[word]
    score = SCORES[kind].bind(fits, **options)
    if not charge:
        return score
    each = charge * np.log(len(fits.nodes)) / fits.rows
    return Sum([score, ArcPenalty(fits.nodes, fits.rows, each)])


def searched(score, search, seed=1):
    """The graph that a search finds, and CPU seconds."""
    began = time.process_time()
    random = {} if search in ("ges", "greedy") else {"rng": np.random.default_rng(seed)}
    graph = SEARCHES[search](score, **random).graph
    return graph, time.process_time() - began


def held_out(data, graph, smoothing):
    """Log-likelihood of fresh rows, nats per row, under tables fitted to the rows."""
    fits = DiscreteFits(Complete(data.whole), smoothing)
    sum_, fresh = 0.0, data.fresh
    for child, parents in enumerate(graph.parents):
        model = fits.conditional(child, parents)
        sum_ += model.logpdf(fresh.columns[child], [fresh.columns[i] for i in parents]).sum()
    return sum_ / fresh.rows


def judged(data, graph):
    """Distance, F1 of the skeleton, arcs, held-out likelihood."""
    found = compare(graph, data.truth)
    return found.shd_cpdag, found.f1, graph.n_arcs, held_out(data, graph, PseudoCounts())


def way(word):
    """Equivalent graphs differ under BDs: greedy search there."""
    return "greedy" if word.startswith("bds") else "ges"


def scores(args):
    """Distances of all scores and charges."""
    for name in args.networks:
        for n in args.rows:
            for seed in args.seeds:
                data = drawn(name, n, seed)
                fits = FAMILIES["discrete"].bind(data.rows)
                for word in args.words:
                    for charge in args.charges:
                        search = args.search if args.search != "ges" else way(word)
                        graph, cpu = searched(bound(fits, word, charge), search)
                        shd, f1, arcs, fresh = judged(data, graph)
                        said = {
                            "net": name, "n": n, "seed": seed, "score": word, "charge": charge,
                            "search": search, "shd": shd, "f1": round(f1, 4), "arcs": arcs,
                            "true": data.truth.n_arcs, "heldout": round(fresh, 4), "cpu": round(cpu, 3),
                        }  # fmt: skip
                        print(json.dumps(said), flush=True)


SHAPES = ("even", "uneven", "binary", "rare")


def independent(columns, n, seed, shape):
    """Independent columns of 2 to 20 levels, even or with random probabilities; or binary, even or rare."""
    rng = np.random.default_rng([seed, columns, n, SHAPES.index(shape)])
    variables, codes = [], []
    for i in range(columns):
        levels = int(rng.integers(2, 21)) if shape in ("even", "uneven") else 2
        shares = (
            rng.dirichlet(np.ones(levels)) if shape == "uneven" else np.full(levels, 1 / levels)
        )
        if shape == "rare":
            shares[0] = rng.uniform(0.005, 0.05)
            shares[1] = 1.0 - shares[0]
        kept, column = np.unique(rng.choice(levels, n, p=shares), return_inverse=True)
        variables.append(Variable(f"v{i:02d}", tuple(f"l{k}" for k in kept)))
        codes.append(column.astype(np.uint8))
    return Table(tuple(variables), tuple(codes))


def noise(args):
    """False arcs on independent columns: mean, and share of tables without any."""
    for columns in (5, 20, 50):
        for n in args.rows:
            for shape in args.shapes:
                tables = [independent(columns, n, seed, shape) for seed in args.seeds]
                bindings = [FAMILIES["discrete"].bind(table) for table in tables]
                for word in args.words:
                    for charge in args.charges:
                        arcs = np.array([
                            searched(bound(fits, word, charge), way(word))[0].n_arcs
                            for fits in bindings
                        ])  # fmt: skip
                        said = {
                            "columns": columns, "n": n, "shape": shape, "score": word,
                            "charge": charge, "mean": round(arcs.mean(), 3),
                            "none": round((arcs == 0).mean(), 3),
                        }  # fmt: skip
                        print(json.dumps(said), flush=True)


SECONDS, MEMORY = 300, 4 << 30  # CPU time and bytes after which a peer is given up


def peer(data, words, repeats=1):
    """What a peer finds and its CPU seconds, or the words for why it was given up; shuffled columns."""
    names = data.rows.names
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npz"
        np.savez(
            path, x=np.column_stack([np.asarray(c, dtype=np.int32) for c in data.rows.columns])
        )
        script = Path(__file__).parent / "discrete_peer.py"
        limits = [str(repeats), str(SECONDS), str(MEMORY)]
        command = [str(PEER_PYTHON), str(script), str(path), words, *limits]
        done = subprocess.run(command, env=ONE_CORE, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if lines:
        one = json.loads(lines[-1])
        return DAG.from_arcs([(names[a], names[b]) for a, b in one["arcs"]], names), one["cpu"]
    if done.returncode == -signal.SIGXCPU:
        return f"over {SECONDS} CPU s"
    if re.search("bad_alloc|memory", done.stderr, re.IGNORECASE):
        return f"over {MEMORY >> 30} GB"
    raise RuntimeError(f"{words}: {done.returncode} {done.stderr[-400:]}")


PEERS = (
    "pybnesian hc bic", "pybnesian hc bdeu", "pyagrum hc bic", "pyagrum hc bdeu", "pyagrum tabu bic",
    "pyagrum tabu bdeu",
)  # fmt: skip


def peers(args):
    """The default beside the peers: distance, held-out likelihood, CPU seconds.

    What a peer was given up for on one sample is not tried again on others of that network, nor with more
    rows.
    """
    given_up = {}
    for seed in args.seeds:
        for name in args.networks:
            for n in sorted(args.rows):
                data = drawn(name, n, seed)
                began = time.process_time()
                graph = aw.learn(data.rows, seed=1, progress=False).graph
                found = {"default": (graph, time.process_time() - began)}
                for words in () if args.alone else PEERS:
                    least, why = given_up.get((name, words), (np.inf, ""))
                    found[words] = why if least <= n else peer(data, words)
                    if isinstance(found[words], str):
                        given_up[name, words] = min(least, n), found[words]
                for words, outcome in found.items():
                    said = {"net": name, "n": n, "seed": seed, "who": words}
                    if isinstance(outcome, str):
                        said |= {"given_up": outcome}
                    else:
                        shd, f1, arcs, fresh = judged(data, outcome[0])
                        said |= {
                            "shd": shd, "f1": round(f1, 4), "arcs": arcs, "heldout": round(fresh, 4),
                            "cpu": round(outcome[1], 3),
                        }  # fmt: skip
                    print(json.dumps(said), flush=True)


def searches(args):
    """Searches under the default score: score below the best, distance, CPU seconds."""
    words = ("auto", "ges", "boss", "greedy")
    for name in args.networks:
        for n in args.rows:
            cells = []
            for seed in args.seeds:
                data = drawn(name, n, seed)
                nets = []
                for search in words:
                    began = time.process_time()
                    net = aw.learn(data.rows, search=search, seed=1, progress=False)
                    nets.append((net, time.process_time() - began))
                top = max(net.score for net, _ in nets)
                cells.append([
                    (top - net.score, compare(net.graph, data.truth).shd_cpdag, cpu) for net, cpu in nets
                ])  # fmt: skip
            parts = (f"{a:7.1f} {b:6.1f} {c:6.2f}" for a, b, c in np.mean(cells, axis=0))
            print(f"{name:10} {n:6d}  " + " | ".join(parts), flush=True)


def random_table(columns, levels, degree, n, seed=0):
    """Rows of a random sparse network with tables of probabilities far from even."""
    rng = np.random.default_rng(seed)
    graph = aw.graphs.random_dag(columns, degree=degree, rng=rng)
    kept = tuple(row[:3] for row in graph.parents)
    values = {}
    for node in graph.order():
        parents = kept[node]
        where = np.zeros(n, dtype=np.int64)
        for parent in parents:
            where = where * levels + values[parent]
        rows = rng.dirichlet(np.full(levels, 0.5), levels ** len(parents)).cumsum(axis=1)
        values[node] = (rng.random((n, 1)) > rows[where][:, :-1]).sum(axis=1)
    variables = tuple(Variable(f"c{i:04d}", tuple(map(str, range(levels)))) for i in range(columns))
    table = Table(variables, tuple(values[i].astype(np.uint8) for i in range(columns)))
    return Drawn(table, table, table, DAG(table.names, kept))


def climbed(data, repeats):
    """Greedy search by BIC from a table to a graph: the score, the graph, the least CPU seconds."""
    least = np.inf
    for _ in range(repeats):
        began = time.process_time()
        score = bound(FAMILIES["discrete"].bind(data.rows), "bic")
        graph = SEARCHES["greedy"](score).graph
        least = min(least, time.process_time() - began)
    return score, graph, least


def raced(data, repeats, alone):
    """CPU seconds and BIC of greedy search, CPU seconds of the default, and of a peer with its BIC."""
    score, graph, cpu = climbed(data, repeats)
    began = time.process_time()
    aw.learn(data.rows, seed=1, progress=False)
    line = [cpu, total(score, graph), time.process_time() - began]
    small = len(data.rows.names) < 300  # beyond, the peer takes too long
    other = peer(data, "pybnesian hc bic") if small and not alone else "not asked"
    return line if isinstance(other, str) else [*line, other[1], total(score, other[0])]


def speed(args):
    """CPU seconds, binding included, mean over seeds; BIC of greedy search minus the peer's."""
    print(
        "greedy search by BIC: CPU s | default | PyBNesian hc by BIC: CPU s, our BIC - its (+- error)"
    )
    named = (("alarm", 10_000), ("hailfinder", 10_000), ("andes", 10_000), ("alarm", 100_000))
    tasks = [
        (f"{name} {n}", [partial(drawn, name, n, seed) for seed in args.seeds], 3)
        for name, n in named
        if name in args.networks
    ]
    tasks += [
        ("441 of 3 levels, 10 000", [partial(random_table, 441, 3, 2.7, 10_000)], 1),
        ("1000 binary, 5000", [partial(random_table, 1000, 2, 3, 5000)], 1),
    ]
    for what, draws, repeats in tasks:
        lines = np.array([raced(draw(), repeats, args.alone) for draw in draws])
        means = lines.mean(axis=0)
        text = f"{what:26} {means[0]:8.3f} | {means[2]:7.2f}"
        if len(means) > 3:
            better = lines[:, 1] - lines[:, 4]
            error = better.std(ddof=1) / np.sqrt(len(better)) if len(better) > 1 else np.nan
            text += (
                f" | {means[3]:8.3f} {better.mean():+8.0f} +- {error:.0f} ({len(better)} samples)"
            )
        print(text, flush=True)


def whole(text):
    """0:3 as a range, 1,2 as a list."""
    first, _, last = text.partition(":")
    return list(range(int(first), int(last))) if last else [int(x) for x in text.split(",")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    ways = (scores, noise, peers, searches, speed)
    group = parser.add_mutually_exclusive_group(required=True)
    for each in ways:
        group.add_argument(f"--{each.__name__}", dest="way", action="store_const", const=each)
    parser.add_argument("--networks", type=lambda t: t.split(","), default=list(NETWORKS))
    parser.add_argument("--rows", type=whole, default=[500, 1000, 10_000])
    parser.add_argument("--seeds", type=whole, default=[0, 1, 2])
    parser.add_argument("--words", type=lambda t: t.split(","), default=list(SCORED))
    parser.add_argument(
        "--charges", type=lambda t: [float(x) for x in t.split(",")], default=list(CHARGES)
    )
    parser.add_argument("--shapes", type=lambda t: t.split(","), default=list(SHAPES))
    parser.add_argument("--search", default="ges")
    parser.add_argument("--alone", action="store_true")
    given = parser.parse_args()
    given.way(given)
