"""Neural networks and mixtures of experts beside other models: structures, and predictions of one variable.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/neural.py structures [--graphs 3] [--rows 300]
    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/neural.py mixed [--graphs 2] [--rows 300]
    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/neural.py predictions [--splits 1]
    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/neural.py networks [--splits 2]
    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/neural.py growth

"structures": skeleton F1 on the six families of families.py, 8, 10 and 12 columns in turn. "mixed": the
same on the five families of mixed tables (mixed.py of the shared data), 10 columns. Learning is greedy, since
this compares scores, not searches. "predictions": one variable given all others, two thirds of the rows for
training. Held-out log density per row and R2, beside scikit-learn's MLPRegressor of the same width, random
forest, gradient boosting and Gaussian process. These have normal noise, with the standard deviation of
residuals in 3-fold cross-validation. Seeds are 9000 and up; CPU seconds are of one fit. The simulated tables
have 300 rows and the child of most parents as the target. "networks": held-out log density per row of whole
networks, median over rows and mean, beside the default with and without its other local models. "growth":
CPU seconds of greedy neural searches by rows and columns. The column "mean" of F1 has its standard error.
"""

import argparse
import runpy
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from data import shared_folder
from families import FAMILIES, draw, f1

import arcwise as aw
from arcwise.conditionals import FAMILIES as MODELS
from arcwise.graphs import DAG, UGraph, skeleton

FIRST_SEED, WIDTH, MOST_ROWS = 9000, 40, 1000
STRUCTURES = ("neural", "experts", "parzen", "glm", "gaussian", "auto")
SIMULATED = (
    ("additive", 0), ("additive", 1), ("multiplicative", 0), ("multiplicative", 1), ("monotone", 0),
    ("linear", 0),
)  # fmt: skip
MIXED = ("neural", "glm", "parzen", "auto")
NETWORKS = ("gaussian", "parzen", "curved", "auto", "neural", "experts")
GROWTH = ((500, 10), (500, 20), (500, 40), (2000, 10), (2000, 20), (5000, 20))


def learn_skeleton(table: aw.Table, model: str) -> tuple[UGraph, float]:
    """The skeleton that a model finds, and CPU seconds."""
    began = time.process_time()
    words: dict[str, Any] = {"certainty": False, "progress": False, "seed": 1}
    if model != "auto":  # which is a model and a search
        words["search"] = "greedy"
    graph = aw.learn(table, model=model, **words).graph
    return skeleton(graph), time.process_time() - began


def structures(graphs: int, rows: int) -> None:
    """F1 on tables of numbers."""
    print_header(rows, FAMILIES)
    for model in STRUCTURES:
        cells, spent = [], []
        for family in FAMILIES:
            values = []
            for i in range(graphs):
                drawn = draw(family, (8, 10, 12)[i % 3], rows, FIRST_SEED + i)
                found, cpu = learn_skeleton(aw.table(drawn.x, names=drawn.names), model)
                values.append(f1(found, drawn.skeleton))
                spent.append(cpu)
            cells.append(values)
        print_line(model, cells, spent)


def mixed(graphs: int, rows: int) -> None:
    """F1 on mixed tables."""
    maker = runpy.run_path(str(shared_folder() / "mixed.py"))
    print_header(rows, maker["FAMILIES"])
    for model in MIXED:
        cells, spent = [], []
        for family in maker["FAMILIES"]:
            values = []
            for i in range(graphs):
                frame, arcs = maker["table"](family, 10, rows, FIRST_SEED + i)
                found, cpu = learn_skeleton(aw.table(frame), model)
                values.append(f1(found, skeleton(DAG.from_arcs(arcs, found.nodes))))
                spent.append(cpu)
            cells.append(values)
        print_line(model, cells, spent)


def print_header(rows: int, families: tuple[str, ...]) -> None:
    print(f"| n = {rows} | {' | '.join(families)} | mean | CPU s |")
    print("|---" * (len(families) + 3) + "|")


def print_line(model: str, cells: list[list[float]], spent: list[float]) -> None:
    means = [f"{np.mean(values):.2f}" for values in cells]
    errors = [np.var(values, ddof=1) / len(values) for values in cells if len(values) > 1]
    error = f" ± {np.sqrt(np.sum(errors)) / len(cells):.3f}" if errors else ""
    print(
        f"| {model} | {' | '.join(means)} | {np.mean(cells):.2f}{error} | {np.mean(spent):.2f} |",
        flush=True,
    )


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, inputs and target of each table."""
    from sklearn.datasets import load_diabetes

    boston = aw.example("boston")
    x = np.column_stack([column.astype(float) for column in boston.columns])
    target = boston.names.index("MEDV")
    yield "Boston", np.delete(x, target, axis=1), x[:, target]
    yield "diabetes", *load_diabetes(return_X_y=True)
    for colour in ("red", "white"):
        wine = aw.read(shared_folder() / "wine" / f"winequality_{colour}.csv")
        x = np.column_stack([column.astype(float) for column in wine.columns])
        target = wine.names.index("alcohol")
        yield f"{colour} wine", np.delete(x, target, axis=1), x[:, target]
    for family, seed in SIMULATED:
        yield simulated(family, FIRST_SEED + seed)


def simulated(family: str, seed: int) -> tuple[str, np.ndarray, np.ndarray]:
    drawn = draw(family, 8, 450, seed)
    target = int(np.argmax([len(row) for row in drawn.skeleton.neighbours]))
    return f"{family} {seed}", np.delete(drawn.x, target, axis=1), drawn.x[:, target]


Density = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def fit_model(model: str, x: np.ndarray, y: np.ndarray) -> Density:
    """Log density and mean of held-out rows under a local model."""
    columns = {f"x{j:02}": column for j, column in enumerate(x.T)} | {"y": y}
    table = aw.table({name: column.astype(float) for name, column in columns.items()},
                     kinds=dict.fromkeys(columns, "continuous"))  # fmt: skip
    child = table.names.index("y")
    parents = tuple(j for j in range(len(table.names)) if j != child)
    options = {"width": WIDTH} if model == "neural" else {}
    fitted = MODELS[model].bind(table, **options).conditional(child, parents)

    def density(rows: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        xs = tuple(rows.T)
        return fitted.logpdf(targets, xs), fitted.distribution(xs, len(targets)).mean

    return density


def fit_other(make: Callable[[], Any], x: np.ndarray, y: np.ndarray) -> Density:
    """The same of a regression of scikit-learn with normal noise."""
    from sklearn.model_selection import cross_val_predict

    errors = y - cross_val_predict(make(), x, y, cv=3)
    sd, fitted = float(np.sqrt(np.mean(errors**2))), make().fit(x, y)

    def density(rows: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        means = fitted.predict(rows)
        logs = -0.5 * np.log(2 * np.pi) - np.log(sd) - 0.5 * ((targets - means) / sd) ** 2
        return logs, means

    return density


def others() -> dict[str, Callable[[], Any]]:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def scaled(model: Any) -> Any:
        whole = make_pipeline(StandardScaler(), model)
        return TransformedTargetRegressor(whole, transformer=StandardScaler())

    return {
        "MLPRegressor": lambda: scaled(
            MLPRegressor(hidden_layer_sizes=(WIDTH,), max_iter=500, random_state=0)
        ),
        "random forest": lambda: RandomForestRegressor(200, random_state=0),
        "gradient boosting": lambda: GradientBoostingRegressor(random_state=0),
        "Gaussian process": lambda: scaled(
            GaussianProcessRegressor(RBF(3.0) + WhiteKernel(0.1), random_state=0)
        ),
    }


def predictions(splits: int) -> None:
    """Held-out log density per row, R2 and CPU seconds, a line for each table and model."""
    warnings.simplefilter("ignore")  # of iterations that did not converge
    fits = {
        name: (lambda x, y, m=name: fit_model(m, x, y)) for name in ("neural", "experts", "parzen")
    }
    fits |= {name: (lambda x, y, m=make: fit_other(m, x, y)) for name, make in others().items()}
    print(f"| log density, R2 | {' | '.join(fits)} |")
    print("|---" * (len(fits) + 1) + "|")
    spent: dict[str, list[float]] = {name: [] for name in fits}
    for name, x, y in tables():
        cells = []
        for word, fit in fits.items():
            results = [judged(fit, x, y, FIRST_SEED + i) for i in range(splits)]
            log, r2, cpu = np.mean(results, axis=0)
            spent[word].append(cpu)
            cells.append(f"{log:.2f}, {r2:.2f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"| CPU s | {' | '.join(f'{np.mean(each):.2f}' for each in spent.values())} |")


def whole_tables() -> Iterator[tuple[str, aw.Table]]:
    """Tables of numbers for whole networks."""
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

    yield "Boston", aw.example("boston")
    for name, load in (("diabetes", load_diabetes), ("wine", load_wine)):
        both = load()
        names = [f"x{j}" for j in range(both.data.shape[1])]
        yield name, aw.table(both.data, names=names)
    cancer = load_breast_cancer()
    yield "breast cancer", aw.table(cancer.data[:, :10], names=[f"x{j}" for j in range(10)])
    for colour in ("red", "white"):
        wine = aw.read(shared_folder() / "wine" / f"winequality_{colour}.csv")
        rows = np.random.default_rng(FIRST_SEED).permutation(wine.rows)[:MOST_ROWS]
        yield f"{colour} wine", wine.take(rows)


def networks(splits: int) -> None:
    """Held-out log density per row of whole networks: median, mean, CPU seconds."""
    from arcwise.learners import refits

    print(f"| median, mean | {' | '.join(NETWORKS)} | auto, no refits |")
    print("|---" * (len(NETWORKS) + 2) + "|")
    usual, spent = refits.MIN_GAIN, {}
    for name, table in whole_tables():
        cells = []
        for model in (*NETWORKS, "bare"):
            refits.MIN_GAIN = np.inf if model == "bare" else usual
            word, results = "auto" if model == "bare" else model, []
            for i in range(splits):
                rows = np.random.default_rng(FIRST_SEED + i).permutation(table.rows)
                train, test = (table.take(part) for part in np.split(rows, [2 * len(rows) // 3]))
                began = time.process_time()
                net = aw.learn(train, model=word, certainty=False, progress=False)
                spent.setdefault(model, []).append(time.process_time() - began)
                logs = net.logpdf(test)
                results.append((np.median(logs), np.mean(logs)))
            cells.append(", ".join(f"{each:.2f}" for each in np.mean(results, axis=0)))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"| CPU s | {' | '.join(f'{np.mean(each):.1f}' for each in spent.values())} |")


def growth() -> None:
    """CPU seconds of greedy neural searches on additive tables."""
    print("| rows | columns | arcs | CPU s | trained, CPU s |\n|---|---|---|---|---|")
    for rows, columns in GROWTH:
        drawn = draw("additive", columns, rows, FIRST_SEED)
        table = aw.table(drawn.x, names=drawn.names)
        spent = []
        for trained in (False, True):
            began = time.process_time()
            options: dict[str, Any] = {"search": "greedy", "certainty": False, "progress": False}
            net = aw.learn(table, model=aw.Neural(trained=trained), **options)
            spent.append(time.process_time() - began)
        print(
            f"| {rows} | {columns} | {net.graph.n_arcs} | {spent[0]:.1f} | {spent[1]:.1f} |",
            flush=True,
        )


def judged(
    fit: Callable[[np.ndarray, np.ndarray], Density], x: np.ndarray, y: np.ndarray, seed: int
) -> tuple[float, float, float]:
    """Held-out log density per row, R2 and CPU seconds of a fit."""
    rows = np.random.default_rng(seed).permutation(len(y))[:MOST_ROWS]
    train, test = rows[: 2 * len(rows) // 3], rows[2 * len(rows) // 3 :]
    began = time.process_time()
    density = fit(x[train], y[train])
    cpu = time.process_time() - began
    logs, means = density(x[test], y[test])
    r2 = 1 - np.sum((y[test] - means) ** 2) / np.sum((y[test] - y[test].mean()) ** 2)
    return float(np.mean(logs)), float(r2), cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "what", choices=("structures", "mixed", "predictions", "networks", "growth")
    )
    parser.add_argument("--graphs", type=int, default=3, help="graphs of each family")
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--splits", type=int, default=1)
    options = parser.parse_args()
    if options.what == "predictions":
        predictions(options.splits)
    elif options.what == "networks":
        networks(options.splits)
    elif options.what == "growth":
        growth()
    else:
        {"structures": structures, "mixed": mixed}[options.what](options.graphs, options.rows)


if __name__ == "__main__":
    main()
