"""Prediction of mixed tables: networks next to forests and linear models, and held-out densities.

    python benchmarks/mixed_prediction.py [FILE ...] [--folds 5] [--rows 1000] [--targets 6]

By default the tables are ksl, rats, cleve, iris and BodyFat of the shared data, and one simulated table per
family of shared/data/mixed.py. Rows are dealt into folds, and each way learns on all folds but one:

    ours      the default
    linear    model="gaussian"; columns of text are left out
    cut       all numbers are cut into four levels of equal counts, model="discrete"; the density of a number
              is even within its level, and the outer levels end at the ends of the training data
    forest    scikit-learn's random forest, if installed
    lines     its ridge or logistic regression on indicators and standardised numbers

The targets are the first columns that are text or numbers, each predicted from all other columns: R^2 of
numbers (R2), log loss in nats (loss) and accuracy (hit) of categories; and of networks the median log density
of a held-out row. CPU seconds are those of learning and predicting. Rows with missing values are dropped.
"""

import argparse
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from data import shared_folder

import arcwise as aw

FILES = (
    "deal/ksl.csv", "grbase/rats.csv", "classification/cleve.csv", "classification/iris.csv",
    "grbase/BodyFat.csv",
)  # fmt: skip
LEAST = 1e-6  # probability of a level that a method calls impossible
_LEVELS = 4


def tables(files: list[str], rows: int) -> dict[str, aw.Table]:
    """Tables by name, without missing values."""
    folder = shared_folder()
    found = {Path(name).stem: aw.read(name) for name in files}
    if not files:
        found = {Path(name).stem: aw.read(folder / name) for name in FILES}
        sys.path.insert(0, str(folder))
        import mixed

        for family in mixed.FAMILIES:
            found[family] = aw.table(mixed.table(family, 10, rows, 2000)[0])
    return {name: table.complete().take(np.arange(min(table.complete().rows, rows)))
            for name, table in found.items()}  # fmt: skip


class Ours:
    """A network of some model."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def fit(self, train: aw.Table) -> "Ours":
        """Learn a network."""
        if self.options.get("model") == "gaussian":
            train = train.select([v.name for v in train.variables if not v.discrete or v.numeric])
        self.net = aw.learn(train, progress=False, time_limit=60, **self.options)
        self.names = self.net.nodes
        return self

    def predict(self, test: aw.Table, target: str) -> Any:
        """Expected numbers, or probabilities of levels by name; None for a column left out."""
        if target not in self.names:
            return None
        found = self.net.predict(test, target)
        levels = found.distribution.categorical
        if levels is None:
            return found.mean
        return {str(level): levels.probabilities[:, k] for k, level in enumerate(found.levels)}

    def density(self, test: aw.Table) -> np.ndarray:
        """Log densities of rows."""
        return np.asarray(self.net.logpdf(test.select(self.names)))


class Cut(Ours):
    """A discrete network of levels of equal counts."""

    def fit(self, train: aw.Table) -> "Cut":
        """Cut numbers, learn, and keep the means and widths of levels."""
        self.numbers = [v.name for v in train.variables if not v.discrete]
        self.edges, self.means = {}, {}
        for name in self.numbers:
            column = train.column(name)
            edges = np.unique(np.quantile(column, np.linspace(0, 1, _LEVELS + 1)))
            codes = self._codes(edges, column)
            self.edges[name] = edges
            self.means[name] = np.array(
                [column[codes == k].mean() if (codes == k).any() else column.mean()
                 for k in range(max(1, len(edges) - 1))]
            )  # fmt: skip
        super().fit(self._cut(train))
        return self

    @staticmethod
    def _codes(edges: np.ndarray, column: np.ndarray) -> np.ndarray:
        return np.searchsorted(edges[1:-1], column, side="right")

    def _cut(self, table: aw.Table) -> aw.Table:
        columns = {}
        for variable in table.variables:
            name = variable.name
            if name in self.edges:
                codes = self._codes(self.edges[name], table.column(name))
                columns[name] = [f"level {code}" for code in codes]
            else:
                columns[name] = [str(value) for value in table.values(name)]
        return aw.table(columns, kinds=dict.fromkeys(columns, "discrete"))

    def predict(self, test: aw.Table, target: str) -> Any:
        """Probabilities of levels, or their average of means."""
        found = super().predict(self._cut(test), target)
        if target not in self.edges or not isinstance(found, dict):
            return found
        return sum(self.means[target][int(level[6:])] * share for level, share in found.items())

    def density(self, test: aw.Table) -> np.ndarray:
        """Log probabilities of levels minus the logarithms of their widths; -inf outside all levels."""
        total = super().density(self._cut(test))
        for name, edges in self.edges.items():
            column = test.column(name)
            width = np.diff(edges)[self._codes(edges, column)] if len(edges) > 1 else np.inf
            outside = (column < edges[0]) | (column > edges[-1])
            total = total - np.log(np.where(outside, np.inf, width))
        return total


class Sklearn:
    """A forest or a linear model for each target, on numbers and indicators."""

    def __init__(self, forest: bool) -> None:
        self.forest = forest

    def fit(self, train: aw.Table) -> "Sklearn":
        """Keep the rows."""
        self.train = train
        return self

    def _features(self, table: aw.Table, target: str) -> np.ndarray:
        blocks = []
        for variable in self.train.variables:
            if variable.name == target:
                continue
            column = table.column(variable.name)
            if variable.discrete:
                blocks.append(np.eye(len(variable.levels) + 1)[column.astype(int)])
            else:
                mean, sd = (
                    self.train.column(variable.name).mean(),
                    self.train.column(variable.name).std(),
                )
                blocks.append(((column - mean) / (sd or 1.0))[:, None])
        return np.hstack(blocks)

    def predict(self, test: aw.Table, target: str) -> Any:
        """Expected numbers, or probabilities of levels by name."""
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
        from sklearn.linear_model import LogisticRegression, Ridge

        variable, y = self.train.variable(target), self.train.column(target)
        x, xt = self._features(self.train, target), self._features(test, target)
        if not variable.discrete:
            model = RandomForestRegressor(100, random_state=1) if self.forest else Ridge(1.0)
            return model.fit(x, y).predict(xt)
        if len(np.unique(y)) < 2:
            return {str(variable.levels[int(y[0])]): np.ones(len(xt))}
        model = (
            RandomForestClassifier(100, random_state=1)
            if self.forest
            else LogisticRegression(max_iter=2000)
        )
        shares = model.fit(x, y.astype(int)).predict_proba(xt)
        return {str(variable.levels[k]): shares[:, j] for j, k in enumerate(model.classes_)}


def judged(predicted: Any, test: aw.Table, target: str) -> dict[str, np.ndarray]:
    """Squared errors, or log losses and hits, row by row."""
    variable = test.variable(target)
    if isinstance(predicted, dict) and not variable.discrete:
        return {}
    if not isinstance(predicted, dict):
        truth = np.asarray(test.values(target), dtype=float)
        return {"square": (np.asarray(predicted) - truth) ** 2}
    truth = [str(value) for value in test.values(target)]
    zero = np.zeros(len(truth))
    names = list(predicted)
    shares = np.stack([predicted[name] for name in names])
    own = np.array([predicted.get(value, zero)[i] for i, value in enumerate(truth)])
    hits = np.array([names[k] for k in shares.argmax(axis=0)]) == np.array(truth)
    return {"loss": -np.log(np.maximum(own, LEAST)), "hit": hits.astype(float)}


def ways() -> dict[str, Any]:
    """The methods that can run here."""
    found = {
        "ours": Ours,
        "linear": lambda: Ours(model="gaussian"),
        "cut": lambda: Cut(model="discrete"),
    }
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return found
    return {
        **found,
        "forest": lambda: Sklearn(forest=True),
        "lines": lambda: Sklearn(forest=False),
    }


def examine(table: aw.Table, folds: int, targets: int) -> dict[str, dict[str, float]]:
    """The measures of each way, averaged over rows, targets and folds."""
    part = np.random.default_rng(1).permutation(table.rows) % folds
    # Numeric levels are numbers to some models and categories to others: targets are what all agree on.
    names = [v.name for v in table.variables if not v.numeric][:targets]
    result = {}
    for way, make in ways().items():
        rows, densities, begin = defaultdict(list), [], time.process_time()
        for fold in range(folds):
            train, test = table.take(part != fold), table.take(part == fold)
            method = make().fit(train)
            for name in names:
                predicted = method.predict(test, name)
                for word, each in (
                    {} if predicted is None else judged(predicted, test, name)
                ).items():
                    rows[word, name].append(each)
            if isinstance(method, Ours) and way != "linear":
                densities.append(method.density(test))
        spent = time.process_time() - begin
        measures = defaultdict(list)
        for (word, name), lists in rows.items():
            mean = float(np.concatenate(lists).mean())
            if word == "square":
                measures["R2"].append(1 - mean / float(table.column(name).var()))
            else:
                measures[word].append(mean)
        found = {word: float(np.mean(each)) for word, each in measures.items()}
        if densities:
            whole = np.concatenate(densities)
            found["density"] = float(np.median(whole))
        result[way] = {**found, "seconds": spent}
    return result


def main() -> None:
    """A line per table and way, and medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--targets", type=int, default=6)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    words = ("R2", "loss", "hit", "density", "seconds")
    print(f"{'table':14} {'way':8}" + "".join(f"{word:>9}" for word in words))
    everything: dict[str, list[dict[str, float]]] = defaultdict(list)
    for name, table in tables(given.files, given.rows).items():
        for way, measures in examine(table, given.folds, given.targets).items():
            everything[way].append(measures)
            line = "".join(f"{measures.get(word, np.nan):9.3f}" for word in words)
            print(f"{name[:14]:14} {way:8}{line}", flush=True)
    for what, of in (("mean", np.nanmean), ("median", np.nanmedian)):
        for way, each in everything.items():
            line = "".join(f"{of([m.get(word, np.nan) for m in each]):9.3f}" for word in words)
            print(f"{what:14} {way:8}{line}")


if __name__ == "__main__":
    main()
