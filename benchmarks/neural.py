"""Neural networks and mixtures of experts beside other models: structures, and predictions of one variable.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/neural.py structures [--graphs 3] [--rows 300]
    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/neural.py mixed [--graphs 2] [--rows 300]
    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/neural.py predictions [--splits 1]

"structures": skeleton F1 on the six families of families.py, 8, 10 and 12 columns in turn. "mixed": the
same on the five families of mixed tables (mixed.py of the shared data), 10 columns. Learning is greedy, since
this compares scores, not searches. "predictions": one variable given all others, two thirds of the rows for
training. Held-out log density per row and R2, beside scikit-learn's MLPRegressor of the same width, random
forest, gradient boosting and Gaussian process. These have normal noise, with the standard deviation of
residuals in 3-fold cross-validation. Seeds are 9000 and up; CPU seconds are of one fit. The simulated tables
have 300 rows and the child of most parents as the target.
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
STRUCTURES = ("neural", "experts", "parzen", "glm", "gaussian")
SIMULATED = (
    ("additive", 0), ("additive", 1), ("multiplicative", 0), ("multiplicative", 1), ("monotone", 0),
    ("linear", 0),
)  # fmt: skip
MIXED = ("neural", "glm", "parzen")


def learn_skeleton(table: aw.Table, model: str) -> tuple[UGraph, float]:
    """The skeleton that a model finds, and CPU seconds."""
    began = time.process_time()
    words: dict[str, Any] = {"certainty": False, "progress": False, "seed": 1}
    graph = aw.learn(table, model=model, search="greedy", **words).graph
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
    print(
        f"| {model} | {' | '.join(means)} | {np.mean(cells):.2f} | {np.mean(spent):.2f} |",
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
    parser.add_argument("what", choices=("structures", "mixed", "predictions"))
    parser.add_argument("--graphs", type=int, default=3, help="graphs of each family")
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--splits", type=int, default=1)
    options = parser.parse_args()
    if options.what == "predictions":
        predictions(options.splits)
    else:
        {"structures": structures, "mixed": mixed}[options.what](options.graphs, options.rows)


if __name__ == "__main__":
    main()
