"""Predictions with missing values: house prices with five of thirteen other columns missing in every row.

    python examples/missing_values.py [FOLDER]

Random splits of Boston housing into 337 training and 169 test rows. Structure and bandwidths come from the
training rows alone, columns are standardised by these, and MEDV is predicted twice: from complete rows, and
with five random other columns missing (others in each row; the same for all models). R2 and the mean log
density of the true value, in training standard deviations; differences are paired over splits. The error of
a mean over splits of one table is too small by about three, as splits overlap (Nadeau and Bengio 2003).

Models: boundary learning without a penalty, with Gibbs sampling and with stacking; the graph at 0.2; all 13
inputs; a directed network by its blanket models; and for comparison the joint Parzen density (one width,
missing values integrated out exactly), a joint Gaussian, a Gaussian mixture (with scikit-learn) and the
five nearest rows.
"""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray
from places import Row, output_folder, print_table, quick, write_csv

import arcwise as aw
from arcwise.conditionals import FAMILIES

Array = NDArray[np.float64]
Answer = tuple[
    Array, Array | None
]  # means, and log densities of the true values if a model has them
TARGET, GAPS = "MEDV", 5
SPLITS = 1 if quick() else 10
EFFORT = {"chains": 2, "sweeps": 20, "burn_in": 5} if quick() else {"chains": 4, "sweeps": 100}


def data() -> aw.Table:
    """Boston housing; fewer rows and columns for a quick run."""
    table = aw.example("boston").continuous()
    if quick():
        names = ["CRIM", "NOX", "RM", "AGE", "DIS", "PTRATIO", "LSTAT", "MEDV"]
        return table.select(names).take(np.arange(0, 506, 5))
    return table


def with_gaps(test: aw.Table, rng: np.random.Generator) -> dict[str, aw.Table]:
    """Return the test rows without the target: complete, and with random missing values."""
    others = [name for name in test.names if name != TARGET]
    columns = {name: test.values(name).astype(float) for name in others}
    holes = {name: column.copy() for name, column in columns.items()}
    for row in range(test.rows):
        for name in rng.choice(others, min(GAPS, len(others) - 2), replace=False):
            holes[name][row] = np.nan
    return {"complete": aw.table(columns), "five missing": aw.table(holes)}


# -- models ------------------------------------------------------------------------------------


def asked(net: aw.Network, **options: Any) -> Callable[[aw.Table, Array], Answer]:
    """A network as a predictor."""

    def answer(rows: aw.Table, truth: Array) -> Answer:
        found = net.predict(rows, TARGET, **options)
        return found.mean, found.logdensity(truth)

    return answer


def joint_parzen(train: aw.Table) -> Callable[[aw.Table, Array], Answer]:
    """One density of all columns with one width; missing values are integrated out exactly."""
    fits = FAMILIES["parzen"].bind(train, bandwidths="shared")
    target = train.index(TARGET)

    def answer(rows: aw.Table, truth: Array) -> Answer:
        known = ~np.isnan(np.column_stack([rows.values(name) for name in rows.names]))
        means, logs = np.empty(rows.rows), np.empty(rows.rows)
        for row in range(rows.rows):
            names = [name for name, there in zip(rows.names, known[row], strict=True) if there]
            model = fits.conditional(target, tuple(sorted(map(train.index, names))))
            xs = tuple(rows.values(name)[[row]] for name in sorted(names))
            means[row] = model.mean(xs, 1)[0]
            logs[row] = model.logpdf(truth[[row]], xs)[0]
        return means, logs

    return answer


def nearest(train: aw.Table, k: int = 5) -> Callable[[aw.Table, Array], Answer]:
    """Return the mean of the nearest rows, by the observed columns."""

    def answer(rows: aw.Table, truth: Array) -> Answer:
        x = np.column_stack([rows.values(name) for name in rows.names])
        centres = np.column_stack([train.values(name) for name in rows.names])
        apart = np.nansum((x[:, None, :] - centres[None]) ** 2, axis=2)
        near = np.argsort(apart, axis=1, kind="stable")[:, :k]
        return train.values(TARGET)[near].mean(axis=1), None

    return answer


def gaussian_mixture(train: aw.Table) -> Callable[[aw.Table, Array], Answer] | None:
    """A joint mixture of normals, as many as BIC selects; None without scikit-learn."""
    try:
        from sklearn.mixture import GaussianMixture
    except ImportError:
        return None
    names = [name for name in train.names if name != TARGET]
    z = np.column_stack([*(train.values(name) for name in names), train.values(TARGET)])
    fits = [
        GaussianMixture(k, random_state=0, reg_covar=1e-3, n_init=2).fit(z) for k in range(1, 7)
    ]
    best = min(fits, key=lambda fit: fit.bic(z))

    def answer(rows: aw.Table, truth: Array) -> Answer:
        x = np.column_stack([rows.values(name) for name in names])
        found = [_conditioned(best, row, y) for row, y in zip(x, truth, strict=True)]
        means, logs = zip(*found, strict=True)
        return np.array(means), np.array(logs)

    return answer


def _conditioned(mixture: Any, row: Array, y: float) -> tuple[float, float]:
    """Return mean and log density of the last column given the observed values of a row."""
    known = np.flatnonzero(~np.isnan(row))
    logs, means, spreads = [], [], []
    for weight, centre, spread in zip(
        mixture.weights_, mixture.means_, mixture.covariances_, strict=True
    ):
        own = spread[np.ix_(known, known)]
        off, gain = row[known] - centre[known], np.linalg.solve(own, spread[known, -1])
        logs.append(
            np.log(weight) - 0.5 * (off @ np.linalg.solve(own, off) + np.linalg.slogdet(own)[1])
        )
        means.append(centre[-1] + gain @ off)
        spreads.append(spread[-1, -1] - gain @ spread[known, -1])
    share = np.exp(np.array(logs) - np.max(logs))
    share /= share.sum()
    m, v = np.array(means), np.array(spreads)
    density = share @ (np.exp(-0.5 * (y - m) ** 2 / v) / np.sqrt(2 * np.pi * v))
    return float(share @ m), float(np.log(density))


def models(train: aw.Table, seed: int) -> dict[str, Callable[[aw.Table, Array], Answer] | None]:
    """Every model, fitted to the training rows."""
    path = aw.path(train, model=aw.Parzen(min_bandwidth=0.05), progress=False)
    everyone = aw.UGraph.complete(train.names)
    directed = aw.learn(train, model=aw.Parzen(min_bandwidth=0.05), progress=False)
    effort = {**EFFORT, "seed": seed, "method": "gibbs"}
    return {
        "boundary, penalty 0, stacked": asked(path.network(0.0), method="stacked"),
        "boundary, penalty 0, Gibbs": asked(path.network(0.0), **effort),
        "boundary, penalty 0.2, Gibbs": asked(path.network(0.2), **effort),
        "all others, Gibbs": asked(
            aw.fit(everyone, train, model=aw.Parzen(min_bandwidth=0.05)), **effort
        ),
        "directed, blankets, Gibbs": asked(directed, **effort),
        "joint Parzen, one width": joint_parzen(train),
        "joint Gaussian": asked(aw.fit(aw.DAG.complete(train.names), train, model="gaussian")),
        "joint Gaussian mixture": gaussian_mixture(train),
        "five nearest rows": nearest(train),
    }


# -- the comparison ----------------------------------------------------------------------------


def split_results(seed: int) -> list[Row]:
    """R2 and log density of every model on one split."""
    rng = np.random.default_rng(seed)
    train, test = aw.split(data(), 2 / 3, rng)
    train, scaling = aw.standardise(train)
    test = scaling.apply(test)
    truth = test.values(TARGET).astype(float)
    questions = with_gaps(test, rng)
    rows: list[Row] = []
    for name, answer in models(train, seed).items():
        if answer is None:
            continue
        row: dict[str, Any] = {"split": seed, "model": name}
        for kind, question in questions.items():
            began = time.process_time()
            means, logs = answer(question, truth)
            row[f"R2 {kind}"] = (
                1 - ((truth - means) ** 2).mean() / ((truth - truth.mean()) ** 2).mean()
            )
            row[f"density {kind}"] = None if logs is None else float(logs.mean())
            row[f"seconds {kind}"] = time.process_time() - began
        rows.append(row)
    return rows


def summary(rows: list[Row]) -> list[Row]:
    """Means over splits, and paired differences of the first model to each other one."""
    names = list(dict.fromkeys(row["model"] for row in rows))
    columns = [name for name in rows[0] if name.startswith(("R2", "density"))]
    out: list[Row] = []
    for name in names:
        own = [row for row in rows if row["model"] == name]
        first = [row for row in rows if row["model"] == names[0]]
        line: dict[str, Any] = {"model": name}
        for column in columns:
            values = [row[column] for row in own]
            line[column] = None if None in values else round(mean(values), 3)
        for column in ("R2 five missing", "density five missing"):
            pairs = [
                (a[column], b[column])
                for a, b in zip(first, own, strict=True)
                if b[column] is not None
            ]
            line[f"stacked minus this, {column.split()[0]}"] = (
                _difference(pairs) if name != names[0] else ""
            )
        out.append(line)
    return out


def _difference(pairs: list[tuple[float, float]]) -> str:
    gains = [a - b for a, b in pairs]
    if not gains:
        return ""
    error = stdev(gains) / np.sqrt(len(gains)) if len(gains) > 1 else float("nan")
    return f"{mean(gains):+.3f} +- {error:.3f}"


def main(folder: Path) -> None:
    rows = [row for seed in range(SPLITS) for row in split_results(seed)]
    print(
        f"{TARGET} of {SPLITS} random splits; earlier: R2 0.677 and density -0.56, not in one model"
    )
    lines = summary(rows)
    print_table(lines)
    write_csv(folder / "missing_values_splits.csv", rows)
    write_csv(folder / "missing_values.csv", lines)


if __name__ == "__main__":
    main(output_folder())
