"""Graphs from tables with missing values: wrong and missing edges of several treatments, by cell.

    python benchmarks/missing.py graphs --tables 20 --lines FILE
    python benchmarks/missing.py graphs --network asia --network "random 20/3" --lines FILE
    python benchmarks/missing.py table --lines FILE
    python benchmarks/missing.py impute --tables 3
    python benchmarks/missing.py speed

A cell is a network, a number of rows and a way of losing values: a share of all cells completely at random
(mcar), at random (mar: two observed columns decide) or not at random (mnar: large values are missing). The
simulator is gaps.py of the shared data, the mixed tables are those of its mixed.py. The number is that of
edges too many and too few, without directions; seeds begin at 1000. `graphs` appends a line to FILE for each
graph, and skips those that FILE has. `table` prints means with standard errors; a number is starred where the
one of `auto` is higher by more than two standard errors of their paired difference.

Treatments: all values (complete), the first n (1 - share)^2 of the complete rows (fewer), `missing="auto"`
(auto), complete rows alone (drop), means or modes (fill), one completion by regressions (single; numbers
only), node-average likelihood (local), which scores each family by the rows that have its columns, weighted
to all rows, structural EM with one completion by expected or most probable values and up to five rounds from
the empty graph (hard; Friedman 1997, as in bnlearn), and the moments of EM with a number of rows that differs
by family (families; numbers only).

`impute` hides 15 % of the cells of real tables of numbers and prints the root mean squared error of the
filled values, in standard deviations of their columns: of `aw.BayesImputer`, and of scikit-learn's means,
IterativeImputer and KNNImputer. `speed` prints processor time: of EM, and of learning a network in units of
the time that the table takes without missing values.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
from data import shared_folder
from linear import network, random_graph

import arcwise as aw
from arcwise.conditionals import choose
from arcwise.data import Available, Incomplete
from arcwise.data.normal_em import fit_normal
from arcwise.data.statistics.incomplete import pair_counts
from arcwise.graphs import DAG, Rules, compare
from arcwise.scores.score import Score
from arcwise.search import SEARCHES

CELLS = (("mcar", 0.05), ("mcar", 0.1), ("mcar", 0.3), ("mar", 0.2), ("mnar", 0.2))
NETWORKS = (
    ("gaussian", "random 20/3", 500),
    ("discrete", "asia", 1000),
    ("mixed", "glm", 500),
    ("discrete", "random 12 tables", 1000),
    ("gaussian", "random 50/3", 1000),
    ("discrete", "insurance", 1000),
    ("discrete", "alarm", 1000),
    ("mixed", "cg", 500),
    ("mixed", "curved", 500),
    ("gaussian", "random 100/3", 1000),
    ("discrete", "asia", 5000),
    ("discrete", "alarm", 5000),
)
TREATMENTS = ("complete", "fewer", "auto", "drop", "fill", "single", "local", "hard")
_MIXED_COLUMNS = 12
_ROUNDS = 5  # of structural EM


class NodeAverage(Score):
    """The mean log-likelihood of the rows that have the columns of a family, times all rows, less BIC."""

    def __init__(self, table):
        self.source = Available(table)
        self.fits = choose("auto", table.variables).bind(self.source)
        self.nodes, self.rows = table.names, float(table.rows)
        numbers = not any(variable.discrete for variable in table.variables)
        self.matrix = table.matrix() if numbers else None

    def many(self, child, sets):
        """Local scores; sets without rows in common have none."""
        own = self._levels if self.matrix is None else self._numbers
        return np.array([own(child, parents) for parents in sets])

    def _levels(self, child, parents):
        rows = self.source.view(child, parents).total
        if rows < 2 * len(parents) + 5:
            return -np.inf
        loglik = self.fits.loglik(child, [parents])[0] / rows * self.rows
        return loglik - 0.5 * np.log(self.rows) * self.fits.n_params(child, [parents])[0]

    def _numbers(self, child, parents):
        family = self.matrix[:, [child, *parents]]
        there = family[~np.isnan(family).any(axis=1)]
        if len(there) < 2 * len(parents) + 5:
            return -np.inf
        inputs = np.column_stack([np.ones(len(there)), there[:, 1:]])
        rest = there[:, 0] - inputs @ np.linalg.lstsq(inputs, there[:, 0])[0]
        loglik = -0.5 * self.rows * (np.log(2 * np.pi * np.mean(rest**2)) + 1)
        return loglik - 0.5 * np.log(self.rows) * (len(parents) + 2)


class FamilyRows(Score):
    """Gains over no parents by the moments of EM, times a number of rows that differs by family, less BIC.

    The number is the harmonic mean of the rows that have both columns of the pairs in a family.
    """

    def __init__(self, table):
        source = Incomplete(table)
        self.fits = choose("gaussian", table.variables).bind(source)
        self.nodes, self.rows = table.names, source.total
        self.costs = 1 / np.maximum(pair_counts(table), 1)

    def many(self, child, sets):
        """Local scores."""
        gains = (self.fits.loglik(child, sets) - self.fits.loglik(child, [()])) / self.rows
        values = np.zeros(len(sets))
        for i, parents in enumerate(sets):
            if parents:
                family = [child, *parents]
                pairs = self.costs[np.ix_(family, family)][np.triu_indices(len(family), 1)]
                rows = 1 / pairs.mean()
                charge = 0.5 * np.log(rows) + 1.1 * np.log(len(self.nodes))
                values[i] = rows * gains[i] - len(parents) * charge
        return values


def simulated(kind, name, rows, seed):
    """A complete data frame and the graph that it is from."""
    rng = np.random.default_rng(seed)
    if kind == "gaussian":
        net = network(name, seed)
        return net.sample(rows, rng).to_pandas(), net.graph
    if name.startswith("random "):
        return random_tables(int(name.split()[1]), rows, rng)
    if kind == "discrete":
        net = aw.load(shared_folder() / "networks" / "discrete" / f"{name}.bif")
        return net.sample(rows, seed=seed).to_pandas(), net.graph
    import mixed  # of the shared data

    frame, arcs = mixed.table(name, _MIXED_COLUMNS, rows, seed)
    return frame, DAG.from_arcs(arcs, sorted(frame.columns))


def random_tables(columns, rows, rng):
    """Rows of a random network: average degree 2.5, two to four levels, rows of tables uniform."""
    graph = random_graph(columns, 2.5, rng)
    levels = rng.integers(2, 5, columns)
    x = np.zeros((rows, columns), dtype=int)
    for node in graph.order():
        row = list(graph.parents[node])
        shape = tuple(levels[row])
        shares = rng.dirichlet(np.ones(levels[node]), int(np.prod(shape)))
        cell = np.ravel_multi_index(x[:, row].T, shape) if row else np.zeros(rows, dtype=int)
        x[:, node] = (rng.random(rows)[:, None] > shares[cell].cumsum(axis=1)).sum(axis=1)
    x = np.minimum(x, levels - 1)
    words = np.array(list("abcd"), dtype=object)
    return pd.DataFrame({name: words[x[:, i]] for i, name in enumerate(graph.nodes)}), graph


def learned(frame, **words):
    """A network by a quick search."""
    return aw.learn(frame, certainty=False, search="greedy", progress=False, **words)


def filled_once(gappy):
    """Means in place of missing numbers, most frequent levels in place of missing ones."""
    filled = gappy.copy()
    for name in filled:
        number = filled[name].dtype.kind == "f"
        value = filled[name].mean() if number else filled[name].mode().iloc[0]
        filled[name] = filled[name].fillna(value)
    return filled


def hard_em(gappy, words):
    """The graph of structural EM: rows filled by a network that is learned from them, again and again."""
    filled, before = filled_once(gappy), None
    for _ in range(_ROUNDS):
        net = learned(filled, **words)
        if net.graph == before:
            break
        before, filled = net.graph, net.impute(gappy)
    return before


def treated(kind, treatment, frame, gappy, share, seed):
    """The graph by one treatment; None if it does not apply."""
    words = {"model": "discrete"} if kind == "discrete" else {}
    if treatment == "complete":
        return learned(frame, **words).graph
    if treatment == "fewer":
        return learned(frame.iloc[: int(len(frame) * (1 - share) ** 2)], **words).graph
    if treatment in ("auto", "drop"):
        return learned(gappy, missing=treatment, **words).graph
    if treatment == "fill":
        return learned(filled_once(gappy), **words).graph
    if treatment == "hard":
        return hard_em(gappy, words)
    if treatment == "single":
        if kind != "gaussian":
            return None
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        filled = gappy.copy()
        filled[:] = IterativeImputer(random_state=seed).fit_transform(gappy)
        return learned(filled).graph
    if kind == "mixed":
        return None
    if treatment == "families" and kind != "gaussian":
        return None
    score = (NodeAverage if treatment == "local" else FamilyRows)(aw.table(gappy))
    return SEARCHES["greedy"](score, None, limits=Rules(max_parents=5).on(score.nodes)).graph


def distance(graph, truth):
    """Edges too many and too few."""
    found = compare(graph, truth)
    return found.extra + found.missing


def run_graphs(networks, tables, treatments, lines):
    """Append a line for each network, way of losing values, table and treatment that is not there yet."""
    there = {key for key, _ in read_lines(lines)}
    for kind, name, rows in networks:
        for seed in range(1000, 1000 + tables):
            frame, truth = simulated(kind, name, rows, seed)
            for treatment in treatments:
                for way, share in CELLS:
                    once = treatment == "complete" and (way, share) != CELLS[0]
                    key = (kind, name, rows, way, share, treatment, seed)
                    if key not in there and not once:
                        run_graph(key, frame, truth, lines)


def run_graph(key, frame, truth, lines):
    """Append the line of one graph: its distance, and the seconds of the processor."""
    from gaps import with_gaps  # of the shared data

    kind, _, _, way, share, treatment, seed = key
    gappy = with_gaps(frame, share, way, seed)
    began = time.process_time()
    try:
        graph = treated(kind, treatment, frame, gappy, share, seed)
    except aw.ArcwiseError:  # no complete row is left
        graph = None
    took = time.process_time() - began
    off = None if graph is None else distance(graph, truth)
    with lines.open("a") as file:
        file.write(json.dumps([*key, off, round(took, 3)]) + "\n")


def read_lines(lines):
    """Yield the key of each line, with its distance and seconds."""
    if lines.exists():
        for line in lines.read_text().splitlines():
            *key, off, took = json.loads(line)
            yield tuple(key), (off, took)


def print_table(lines):
    """Print a line of Markdown for each cell: means, standard errors and stars."""
    cells, seconds = defaultdict(dict), defaultdict(list)
    for (_, name, rows, way, share, treatment, seed), (off, took) in read_lines(lines):
        for each in CELLS if treatment == "complete" else [(way, share)]:
            cells[name, rows, *each].setdefault(treatment, {})[seed] = off
        seconds[name, rows, treatment].append(took)
    print("| network, rows, values missing | tables |", " | ".join(TREATMENTS), "|")
    for (name, rows, way, share), found in cells.items():
        own = found.get("auto", {})
        shown = " | ".join(_cell(found.get(word, {}), own) for word in TREATMENTS)
        print(f"| {name}, {rows}, {share:.0%} {way} | {len(own)} | {shown} |")
    for (name, rows, treatment), took in seconds.items():
        print(f"{name}, {rows}, {treatment}: {np.mean(took):.2f} s a graph")


def _cell(one, own):
    """Mean and standard error, starred where `own` is higher by more than two standard errors."""
    values = [each for each in one.values() if each is not None]
    if not values or len(values) < len(one):
        return "-"
    error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0
    both = [own[s] - one[s] for s in own if one.get(s) is not None]
    gap = np.mean(both) if both else 0.0
    worse = len(both) > 1 and gap > 2 * np.std(both, ddof=1) / len(both) ** 0.5
    return f"{np.mean(values):.1f} ± {error:.1f}{'*' if worse else ''}"


def real_tables():
    """Columns of numbers of real tables, by name."""
    for name in ("boston", "us_markets", "sachs"):
        yield name, aw.example(name).to_pandas()
    for name in ("glass", "pima", "iris", "vowel", "segment"):
        found = list((shared_folder() / "classification").glob(f"{name}.csv*"))
        if found:
            yield name, aw.read(found[0]).to_pandas()


def run_imputation(tables):
    """Print the error of filled values, a line for each table."""
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

    ways = {
        "network": lambda seed: aw.BayesImputer(random_state=seed),
        "mean": lambda seed: SimpleImputer(),
        "iterative": lambda seed: IterativeImputer(random_state=seed),
        "neighbours": lambda seed: KNNImputer(),
    }
    print(" " * 12, "".join(f"{way:>16}" for way in ways))
    for name, frame in real_tables():
        x = frame.select_dtypes("number").dropna().to_numpy(float)[:1000]
        x = x[:, x.std(axis=0) > 0]
        x = (x - x.mean(axis=0)) / x.std(axis=0)
        errors = {way: [] for way in ways}
        for seed in range(1000, 1000 + tables):
            hidden = np.random.default_rng(seed).random(x.shape) < 0.15
            gappy = np.where(hidden, np.nan, x)
            for way, make in ways.items():
                filled = make(seed).fit_transform(gappy)
                errors[way].append(np.sqrt(np.mean((filled - x)[hidden] ** 2)))
        shown = "".join(f"{np.mean(errors[way]):>16.3f}" for way in ways)
        print(f"{name:>12} {shown}  ({x.shape[0]} x {x.shape[1]})", flush=True)


def run_speed():
    """Print the processor time of EM, best of three."""
    for columns, rows, share in ((50, 10_000, 0.1), (200, 10_000, 0.1), (50, 1000, 0.3)):
        rng = np.random.default_rng(1)
        x = network(f"random {columns}/3", 1).sample(rows, rng).matrix().copy()
        x[rng.random(x.shape) < share] = np.nan
        took = []
        for _ in range(3):
            began = time.process_time()
            fit = fit_normal(x, np.ones(rows), prior=1.0)
            took.append(time.process_time() - began)
        print(f"{columns} x {rows}, {share:.0%}: {min(took):.2f} s, {len(fit.logliks)} rounds")
    for kind, name, rows in (("gaussian", "random 50/3", 1000), ("discrete", "alarm", 1000)):
        print_ratio(kind, name, rows)


def print_ratio(kind, name, rows):
    """Print how many times as long as without missing values learning takes, with 10 % of them missing."""
    from gaps import with_gaps  # of the shared data

    words = {"model": "discrete"} if kind == "discrete" else {}
    frame = simulated(kind, name, rows, 1000)[0]
    took = []
    for table in (frame, with_gaps(frame, 0.1, "mcar", 1000)):
        learned(table, **words)
        began = time.process_time()
        learned(table, **words)
        took.append(time.process_time() - began)
    ratio = took[1] / took[0]
    print(f"learning {name}, {rows} rows: {took[0]:.2f} s, with missing values {ratio:.1f} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["graphs", "table", "impute", "speed"])
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--lines", type=Path, default=Path("missing.jsonl"))
    parser.add_argument("--network", action="append", help="one of the networks; default all")
    parser.add_argument("--rows", type=int, help="a number of rows; default all")
    parser.add_argument("--treatment", action="append", choices=[*TREATMENTS, "families"])
    given = parser.parse_args()
    sys.path.insert(0, str(shared_folder()))
    if given.what == "speed":
        return run_speed()
    if given.what == "impute":
        return run_imputation(given.tables)
    if given.what == "table":
        return print_table(given.lines)
    chosen = [
        each
        for each in NETWORKS
        if (not given.network or each[1] in given.network)
        and (not given.rows or each[2] == given.rows)
    ]
    return run_graphs(chosen, given.tables, given.treatment or TREATMENTS, given.lines)


if __name__ == "__main__":
    main()
