"""Bayesian classifiers beside scikit-learn: speed, and accuracy with log-loss on held-out rows.

    python benchmarks/classifiers.py speed
    python benchmarks/classifiers.py accuracy [SET ...]

`speed`: CPU seconds (least of three calls) to learn from 100 000 rows of 20 features with four levels
each and to predict them all, from an array of whole numbers; pyAgrum's where it is installed. `accuracy`:
ten folds with equal shares of classes, the same for all, of the shared classification sets
(`ARCWISE_DATA`, else `../shared/data` beside the clone). Cut points, imputed values, scales and codes are
learned inside the folds.

scikit-learn's naive Bayes is CategoricalNB (alpha = 1) where all features are categories and GaussianNB
otherwise; it, logistic regression (standardised, C = 1) and the random forest (500 trees) get one-hot
categories, and medians or the commonest level in place of gaps.
"""

import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import arcwise as aw
from arcwise.data import Table, folds

SETS = (
    "australian", "balance_scale", "breast_w", "car", "chess", "cleve", "glass", "iris", "letter",
    "mofn_3_7_10", "nursery", "pima", "primary_tumor", "segment", "shuttle", "sonar", "soybean", "spambase",
    "tic_tac_toe", "vote", "vowel", "waveform21_esl",
)  # fmt: skip
LEFT_OUT = {"waveform21_esl": {"part"}, "vowel": {"Train_or_Test"}}
OURS = (
    ("naive", {}),
    ("tan", {}),
    ("tan, forest", {"structure": "tan", "arc_score": "aic"}),
    ("kdb", {}),
    ("kdb, forest", {"structure": "kdb", "arc_score": "aic"}),
    ("aode", {}),
    ("gaussian naive", {"structure": "naive", "features": "gaussian"}),
)
PEERS = ("NB", "logistic", "forest")
FOLDS, LEAST = 10, 1e-15


def simulated(rows: int = 100_000, features: int = 20, levels: int = 4):
    """Whole numbers that depend on the class and on the feature before."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    x = np.empty((rows, features), dtype=np.int64)
    last = np.zeros(rows, dtype=np.int64)
    for j in range(features):
        pull = np.where(rng.random(rows) < 0.3, y, np.where(rng.random(rows) < 0.5, last, 0))
        x[:, j] = last = (pull + rng.integers(0, levels, rows) * (rng.random(rows) < 0.7)) % levels
    return x, y


def seconds(call: Callable[[], object], times: int = 3) -> float:
    least = np.inf
    for _ in range(times):
        began = time.process_time()
        call()
        least = min(least, time.process_time() - began)
    return least


def speed() -> None:
    x, y = simulated()
    print(f"{'100 000 x 20':24} {'fit':>7} {'predict':>8} {'both':>7}  CPU seconds")
    models = [(name, aw.BayesClassifier(name)) for name in ("naive", "tan", "kdb", "aode")]
    models.append(("scikit-learn's NB", CategoricalNB()))
    try:
        from pyagrum.skbn import BNClassifier

        models += [(f"pyAgrum {w}", BNClassifier(learningMethod=w)) for w in ("NaiveBayes", "TAN")]
    except ImportError:
        print("pyAgrum is not installed here")
    for name, model in models:
        fit = seconds(lambda: model.fit(x, y))  # noqa: B023
        predict = seconds(lambda: model.predict(x))  # noqa: B023
        print(f"{name:24} {fit:7.3f} {predict:8.3f} {fit + predict:7.3f}", flush=True)


def folder() -> Path:
    return Path(os.environ.get("ARCWISE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def loaded(name: str) -> tuple[Table, str]:
    table = aw.read(next((folder() / "classification").glob(f"{name}.csv*")))
    kept = [column for column in table.order if column not in LEFT_OUT.get(name, ())]
    table = table.select(kept)
    return table, "class" if "class" in table.names else table.order[-1]


def peers(table: Table, target: str) -> dict[str, object]:
    """Pipelines of scikit-learn for these columns."""
    names = [n for n in table.order if n != target]
    words = [i for i, n in enumerate(names) if table.variable(n).discrete]
    numbers = [i for i, n in enumerate(names) if not table.variable(n).discrete]
    common = SimpleImputer(strategy="most_frequent")
    hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)

    def columns(*scale: object) -> ColumnTransformer:
        middle = make_pipeline(SimpleImputer(strategy="median"), *scale)
        return ColumnTransformer([("w", make_pipeline(common, hot), words), ("n", middle, numbers)])

    levels = [len(table.variable(names[i]).levels or ()) for i in words]
    plain = make_pipeline(common, CategoricalNB(min_categories=levels))
    trees = RandomForestClassifier(500, n_jobs=1, random_state=0)
    return {
        "NB": make_pipeline(columns(), GaussianNB()) if numbers else plain,
        "logistic": make_pipeline(columns(StandardScaler()), LogisticRegression(max_iter=2000)),
        "forest": make_pipeline(columns(), trees),
    }


def array(table: Table, target: str) -> np.ndarray:
    """Rows for scikit-learn: numbers, and codes of levels; NaN is a gap."""
    out = np.empty((table.rows, len(table.names) - 1))
    for i, name in enumerate(n for n in table.order if n != target):
        column, levels = table.column(name), table.variable(name).levels
        out[:, i] = column if levels is None else np.where(column == len(levels), np.nan, column)
    return out


def judged(proba: np.ndarray, truth: np.ndarray) -> str:
    own = np.maximum(proba[np.arange(len(truth)), truth], LEAST)
    return f"{100 * (proba.argmax(axis=1) == truth).mean():6.2f} {-np.log(own).mean():6.3f}"


def of_peer(model: object, table: Table, target: str) -> np.ndarray:
    x, truth = array(table, target), table.column(target).astype(np.intp)
    proba = np.zeros((len(truth), len(table.variable(target).levels or ())))
    for part in folds(table, FOLDS, np.random.default_rng(0), by=target).rows:
        rest = np.setdiff1d(np.arange(len(truth)), part)
        model.fit(x[rest], truth[rest])
        proba[np.ix_(part, model.classes_)] = model.predict_proba(x[part])
    return proba


def accuracy(names: list[str]) -> None:
    heads = [name for name, _ in OURS] + [f"sklearn {name}" for name in PEERS]
    print(f"{'percent right, log-loss':30} " + " ".join(f"{head:>14}" for head in heads))
    for name in names or SETS:
        table, target = loaded(name)
        table = table.take(table.column(target) < len(table.variable(target).levels or ()))
        truth = table.column(target).astype(np.intp)
        cells = []
        for word, options in OURS:
            found = aw.classify(table, target, **{"structure": word, **options}, folds=FOLDS)
            cells.append(judged(np.exp(found.validated.log_proba), truth))
        for model in peers(table, target).values():
            cells.append(judged(of_peer(model, table, target), truth))
        size = f"{name} {table.rows} x {len(table.names) - 1}"
        print(f"{size:30} " + " ".join(f"{cell:>14}" for cell in cells), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["speed"]:
        speed()
    else:
        accuracy(sys.argv[2:])
