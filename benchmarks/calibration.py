"""Are stated probabilities frequencies? Exact posteriors and bootstrap frequencies on the same data sets.

    python benchmarks/calibration.py [--sets 500] [--replicates 100] [--seed 21] [--picture FILE]

Data sets of five variables and 20 to 200 rows: graphs uniform over all DAGs, parameters from the score's
own prior (tests/calibration.py). The bootstrap counts the best graphs of resampled tables under the same
score, or under the score that `aw.learn` takes by default. One line for each tenth of stated probability: its
start, how many were said, their mean, the share that is true, and the distance in standard errors, clustered
by data set.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from calibration import SIZE, reliability, simulated, stated, summed

import arcwise as aw

SCORES: dict[str, dict[str, Any]] = {
    "bdeu": {"score": aw.BDeu(equivalent_sample_size=SIZE, gamma=0.0)},
    "bge": {"score": aw.BGe(prior_mean="zero")},
}
WAYS = ("exact", "bootstrap", "bootstrap, default score")


def found_by(way: str, kind: str, replicates: int) -> Any:
    """A function from a table to probabilities of arcs."""
    if way == "exact":
        return summed(kind)
    words = SCORES[kind] if way == "bootstrap" else {}
    return lambda table: (
        aw.posterior(
            table, method="bootstrap", draws=replicates, progress=False, **words
        ).found.arcs
    )


def lines_of(sets: int, replicates: int, seed: int) -> dict[tuple[str, str, str], list[Any]]:
    """Reliability by kind of data, way, and pairs or arcs."""
    found = {}
    for kind in SCORES:
        cases = list(simulated(kind, sets, seed))
        for way in WAYS:
            said = stated(cases, found_by(way, kind, replicates))
            for what, each in said.items():
                found[kind, way, what] = list(reliability(each))
                error = np.concatenate([(p - t) ** 2 for p, t in each]).mean()
                print(f"\n{kind}, {way}, {what}: mean squared error {error:.4f}")
                for low, count, mean, true, distance in found[kind, way, what]:
                    print(
                        f"{low:.1f}  {count:6d}  {mean:.3f}  {true:.3f}  {distance:6.1f}",
                        flush=True,
                    )
    return found


def draw(found: dict[tuple[str, str, str], list[Any]], place: str) -> None:
    """The reliability figure: stated against true, by kind of data and of statement."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, rows = plt.subplots(
        2, 2, figsize=(7.4, 7.2), sharex=True, sharey=True, layout="constrained"
    )
    marks = dict(zip(WAYS, (("o-", "#1f5fa8"), ("s--", "#d1495b"), ("^:", "0.45")), strict=True))
    names = {"bdeu": "discrete (BDeu)", "bge": "linear (BGe)"}
    for (kind, way, what), lines in found.items():
        axes = rows[("pairs", "arcs").index(what)][list(names).index(kind)]
        _, _, said, true, distance = np.array(lines).T
        spread = np.abs(true - said) / np.maximum(np.abs(distance), 1e-9)
        mark, colour = marks[way]
        axes.errorbar(said, true, yerr=spread, fmt=mark, color=colour, ms=4, lw=1.0, label=way)
        axes.plot([0, 1], [0, 1], color="0.75", lw=0.8, zorder=0)
        axes.set_title(f"{names[kind]}, {what}", loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in rows[1]:
        axes.set_xlabel("stated")
    for axes in rows[:, 0]:
        axes.set_ylabel("share that is true")
    rows[0][0].legend(frameon=False, fontsize=8, loc="lower right")
    figure.savefig(place, dpi=110)


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("--sets", type=int, default=500)
    words.add_argument("--replicates", type=int, default=100)
    words.add_argument("--seed", type=int, default=21)
    words.add_argument("--picture")
    asked = words.parse_args()
    table = lines_of(asked.sets, asked.replicates, asked.seed)
    if asked.picture:
        draw(table, asked.picture)
