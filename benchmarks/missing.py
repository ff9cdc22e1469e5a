"""Graphs from tables with missing values: wrong and missing edges of several treatments, by cell.

    python benchmarks/missing.py gaussian --tables 5
    python benchmarks/missing.py discrete --tables 5
    python benchmarks/missing.py mixed --tables 5
    python benchmarks/missing.py impute --tables 3
    python benchmarks/missing.py speed

A cell is a network, a number of rows and a way of losing values: a share of all cells completely at random
(mcar), at random (mar: two observed columns decide) or not at random (mnar: large values are missing). The
simulator is gaps.py of the shared data, the mixed tables are those of its mixed.py. The number is that of
edges too many and too few, without directions, as a mean over tables with its standard error; seeds begin at
1000.

Treatments: all values (complete), the first n (1 - share)^2 of the complete rows (fewer), `missing="auto"`
(auto), complete rows alone (drop), means or modes (fill), one completion by regressions (single; numbers
only), node-average likelihood (local), which scores each family by the rows that have its columns, weighted
to all rows, and the moments of EM with a number of rows that differs by family (families; numbers only).

`impute` hides 15 % of the cells of real tables of numbers and prints the root mean squared error of the
filled values, in standard deviations of their columns: of `aw.BayesImputer`, and of scikit-learn's means,
IterativeImputer and KNNImputer.
"""

import argparse
import sys
import time

import numpy as np
from data import shared_folder
from linear import network

import arcwise as aw
from arcwise.conditionals import choose
from arcwise.data import Available, Incomplete
from arcwise.data.normal_em import fit_normal
from arcwise.data.statistics.incomplete import pair_counts
from arcwise.graphs import DAG, Rules, compare
from arcwise.scores.score import Score
from arcwise.search import SEARCHES

CELLS = (("mcar", 0.05), ("mcar", 0.1), ("mcar", 0.3), ("mar", 0.2), ("mnar", 0.2))
SIZES = {
    "gaussian": (("random 20/3", 500), ("random 50/3", 1000), ("random 100/3", 1000)),
    "discrete": (("asia", 1000), ("insurance", 1000), ("alarm", 1000), ("alarm", 5000)),
    "mixed": (("glm", 500), ("cg", 500), ("curved", 500)),
}
TREATMENTS = ("complete", "fewer", "auto", "drop", "fill", "single", "local", "families")
_MIXED_COLUMNS = 12


class NodeAverage(Score):
    """The mean log-likelihood of the rows that have the columns of a family, times all rows, less BIC."""

    def __init__(self, table):
        self.source = Available(table)
        self.fits = choose("auto", table.variables).bind(self.source)
        self.nodes, self.rows = table.names, float(table.rows)

    def many(self, child, sets):
        """Local scores; sets without rows in common have none."""
        values = np.full(len(sets), -np.inf)
        for i, parents in enumerate(sets):
            rows = self.source.view(child, parents).total
            if rows >= 2 * len(parents) + 5:
                loglik = self.fits.loglik(child, [parents])[0] / rows * self.rows
                count = self.fits.n_params(child, [parents])[0]
                values[i] = loglik - 0.5 * np.log(self.rows) * count
        return values


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
    if kind == "discrete":
        net = aw.load(shared_folder() / "networks" / "discrete" / f"{name}.bif")
        return net.sample(rows, seed=seed).to_pandas(), net.graph
    import mixed  # of the shared data

    frame, arcs = mixed.table(name, _MIXED_COLUMNS, rows, seed)
    return frame, DAG.from_arcs(arcs, sorted(frame.columns))


def learned(frame, **words):
    """The graph of a quick search."""
    return aw.learn(frame, certainty=False, search="greedy", progress=False, **words).graph


def treated(kind, treatment, frame, gappy, share, seed):
    """The graph by one treatment; None if it does not apply."""
    words = {"model": "discrete"} if kind == "discrete" else {}
    if treatment == "complete":
        return learned(frame, **words)
    if treatment == "fewer":
        return learned(frame.iloc[: int(len(frame) * (1 - share) ** 2)], **words)
    if treatment in ("auto", "drop"):
        return learned(gappy, missing=treatment, **words)
    if treatment == "fill":
        filled = gappy.copy()
        for name in filled:
            number = filled[name].dtype.kind == "f"
            value = filled[name].mean() if number else filled[name].mode().iloc[0]
            filled[name] = filled[name].fillna(value)
        return learned(filled, **words)
    if treatment == "single":
        if kind != "gaussian":
            return None
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        filled = gappy.copy()
        filled[:] = IterativeImputer(random_state=seed).fit_transform(gappy)
        return learned(filled)
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


def run_cell(kind, name, rows, way, share, tables, treatments):
    """Print one line of a cell."""
    from gaps import with_gaps  # of the shared data

    found = {treatment: [] for treatment in treatments}
    for seed in range(1000, 1000 + tables):
        frame, truth = simulated(kind, name, rows, seed)
        gappy = with_gaps(frame, share, way, seed)
        for treatment in treatments:
            try:
                graph = treated(kind, treatment, frame, gappy, share, seed)
            except aw.ArcwiseError:  # no complete row is left
                graph = None
            found[treatment].append(np.nan if graph is None else distance(graph, truth))
    shown = "".join(f"{_mean(found[treatment]):>14}" for treatment in treatments)
    print(f"{name:>14} {rows:>5} {way} {share:.0%}".ljust(34), shown, flush=True)


def _mean(values):
    if np.isnan(values).any():
        return "-"
    error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{np.mean(values):.1f} +- {error:.1f}"


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=[*SIZES, "impute", "speed"])
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--network", action="append", help="one of the networks; default all")
    parser.add_argument("--treatment", action="append", choices=TREATMENTS)
    given = parser.parse_args()
    sys.path.insert(0, str(shared_folder()))
    if given.kind == "speed":
        return run_speed()
    if given.kind == "impute":
        return run_imputation(given.tables)
    treatments = given.treatment or TREATMENTS
    print(" " * 34, "".join(f"{word:>14}" for word in treatments))
    for name, rows in SIZES[given.kind]:
        if given.network and name not in given.network:
            continue
        for way, share in CELLS:
            run_cell(given.kind, name, rows, way, share, given.tables, treatments)
    return None


if __name__ == "__main__":
    main()
