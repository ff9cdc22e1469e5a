"""Are stated probabilities of edges those of edges that are there? Noise, and simulated networks.

    python benchmarks/reliability.py --noise [--seed 1] [--sets 10]     independent columns
    python benchmarks/reliability.py --nets [--seed 1] [--sets 20]      networks of 8 and 12 columns
    python benchmarks/reliability.py --replicates [--sets 8]            ways of resampling, on both

Networks: arcs between half and one and a half times as many as columns, at random; tables of 2 to 4 levels
whose rows are Dirichlet(1) or Dirichlet(1/2), linear models with weights of 0.2 to 1 and either sign; 100,
300, 1000 and 2000 rows. Ways: the default; the same with other equivalent rows and charges; plain BDeu of one
row and BGe, both uniform over graphs. For each fifth of stated probability the mean that is stated, the share
that is true, its standard error clustered by data set, and the number of pairs; mean area under the curve
(ROC) of pairs, and its paired difference from the last way.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from simulated import area, network, noise, reliability

import arcwise as aw
from arcwise.api.options import ScoreOption
from arcwise.conditionals import choose
from arcwise.learners.posteriors.plan import posterior_score

ROWS = (100, 300, 1000, 2000)
NOISE_ROWS = (50, 200, 1000, 10_000)
PLAIN = {"levels": {"score": "bdeu"}, "numbers": {"score": aw.BGe(standardise=True)}}
WAYS: dict[str, dict[str, dict[str, Any]]] = {
    "levels": {
        "default": {},
        "log p / 2": {"changes": {"gamma": 0.5}},
        "3/2 log p": {"changes": {"gamma": 1.5}},
        "fair": {"prior": "fair"},
        "uniform": {"prior": "uniform"},
        "one row": {"changes": {"equivalent_sample_size": 1.0}},
        "one row, 3/2 log p": {"changes": {"equivalent_sample_size": 1.0, "gamma": 1.5}},
        "plain": PLAIN["levels"],
    },
    "numbers": {
        "default": {},
        "log p / 2": {"changes": {"gamma": 0.5}},
        "3/2 log p": {"changes": {"gamma": 1.5}},
        "fair": {"prior": "fair"},
        "uniform": {"prior": "uniform"},
        "plain": PLAIN["numbers"],
    },
}
REPLICATES: dict[str, dict[str, Any]] = {
    "bootstrap": {"method": aw.Bootstrap(resampling="bootstrap")},
    "half": {"method": aw.Bootstrap(resampling="subsample", fraction=0.5)},
    "0.632": {"method": aw.Bootstrap(resampling="subsample", fraction=0.632)},
    "0.8": {"method": aw.Bootstrap(resampling="subsample", fraction=0.8)},
}


def stated(table: aw.Table, **words: Any) -> Any:
    """Probabilities of all pairs; `changes` are settings of the default score."""
    if changes := words.pop("changes", None):
        usual = posterior_score(choose("auto", table.variables), table)
        words["score"] = ScoreOption.named(usual.word, {**usual.options, **changes})
    found = aw.posterior(table, progress=False, **{"method": "exact", **words}).found.adjacent
    return found[np.triu_indices(len(found), 1)]


def shown(cases: list[tuple[Any, Any]]) -> str:
    """The reliability table in a line."""
    return " | ".join(f"{x:.3f} {t:.3f} ({error:.3f}) {n}" for x, t, error, n in reliability(cases))


def of_noise(seed: int, sets: int) -> None:
    """Mean probability of pairs of independent columns, and the share above 0.9, by way."""
    rng = np.random.default_rng(seed)
    for kind in ("2", "4", "8", "20", "2-20", "numbers"):
        ways = {"default": {}, "plain": PLAIN["numbers" if kind == "numbers" else "levels"]}
        for rows in NOISE_ROWS:
            tables = [noise(kind, rows, rng) for _ in range(sets)]
            said = {way: [stated(each, **words) for each in tables] for way, words in ways.items()}
            numbers = ", ".join(
                f"{way} {np.mean(x):.3f} above .9: {np.mean(np.array(x) > 0.9):.4f}"
                for way, x in said.items()
            )
            print(f"{kind:8s} {rows:6d} rows: {numbers}", flush=True)


def of_networks(seed: int, sets: int, columns: tuple[int, ...]) -> None:
    """Reliability and area by way."""
    rng = np.random.default_rng(seed)
    for kind, ways in WAYS.items():
        for p in columns:
            drawn = [network(kind, p, rows, rng) for rows in ROWS for _ in range(sets)]
            areas: dict[str, Any] = {}
            said = {}
            for way, words in ways.items():
                said[way] = [(stated(table, **words), true) for table, true in drawn]
                areas[way] = np.array([area(x, true) for x, true in said[way]])
            for way, cases in said.items():
                gain = areas[way] - areas["plain"]
                error = gain.std() / np.sqrt(len(gain))
                squared = np.mean([(x - true) ** 2 for x, true in cases])
                print(
                    f"{kind}, {p} columns, {way}: area {areas[way].mean():.4f} ({gain.mean():+.4f} "
                    f"+- {error:.4f}), squared error {squared:.4f}\n    {shown(cases)}",
                    flush=True,
                )


def of_replicates(seed: int, sets: int) -> None:
    """Ways of resampling: mean and largest frequency on noise, area and squared error on networks."""
    rng = np.random.default_rng(seed)
    for kind in ("2", "4", "8", "numbers"):
        for rows in (50, 100, 1000):
            tables = [noise(kind, rows, rng) for _ in range(sets)]
            for way, words in REPLICATES.items():
                x = np.array([stated(each, draws=100, **words) for each in tables])
                print(
                    f"noise {kind}, {rows} rows, {way}: {x.mean():.3f}, {x.max():.2f}", flush=True
                )
    for kind in WAYS:
        for rows in (100, 500, 2000):
            drawn = [network(kind, 8, rows, rng) for _ in range(sets)]
            for way, words in REPLICATES.items():
                said = [(stated(table, draws=100, **words), true) for table, true in drawn]
                areas = np.mean([area(*each) for each in said])
                squared = np.mean([(x - true) ** 2 for x, true in said])
                line = f"area {areas:.4f}, squared error {squared:.4f}"
                print(f"{kind}, {rows} rows, {way}: {line}", flush=True)


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for what in ("noise", "nets", "replicates"):
        words.add_argument(f"--{what}", action="store_true")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--sets", type=int, default=10)
    words.add_argument("--columns", default="8,12")
    asked = words.parse_args()
    if asked.noise:
        of_noise(asked.seed, asked.sets)
    if asked.nets:
        of_networks(asked.seed, asked.sets, tuple(map(int, asked.columns.split(","))))
    if asked.replicates:
        of_replicates(asked.seed, asked.sets)
