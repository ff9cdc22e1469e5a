"""What the Parzen kernels cost: a pair of rows, a fit by the size of its set, a draw.

    .venv/bin/python benchmarks/parzen_kernel.py [rows ...]

One core, best of several runs, in processor time of this process; pairs are ordered ones, so n rows have n^2.
Beside them stands plain numpy (value alone, with the distances given). Columns are standard normal noise,
bandwidths 1 and 0.5.
"""

import sys
from time import process_time

import numpy as np

from arcwise._kernels import parzen_sums as parzen

COLUMNS = 14


def best(ask, runs=25):
    """Least processor time of some runs."""
    times = []
    for _ in range(runs):
        start = process_time()
        ask()
        times.append(process_time() - start)
    return min(times)


def table(rows):
    columns = np.random.default_rng(0).normal(size=(COLUMNS, rows))
    return columns, np.zeros(COLUMNS, np.uint8), np.ones(rows)


def numpy_score(distance, other):
    """The score by whole matrices, as one would write it first."""
    weights = np.exp(-0.5 * distance)
    np.fill_diagonal(weights, 0.0)
    return np.mean(np.log((weights * np.exp(-2.0 * other)).sum(axis=1) / weights.sum(axis=1)))


def pairs(rows):
    columns, apart, weights = table(rows)
    scale = 1e9 / rows**2
    print(f"\n{rows} rows: ns an ordered pair    2 inputs   5 inputs  13 inputs")
    at = np.array([[1.0, 0.5]])
    for name, single in (("single", True), ("double", False)):
        costs = [
            best(lambda k=k, s=single: parzen.loo(
                columns, apart, weights, 13, 0, [tuple(range(k))], at, single=s))
            for k in (2, 5, 13)
        ]  # fmt: skip
        print(f"  value and derivatives, {name} " + "".join(f"{c * scale:11.2f}" for c in costs))
    costs = [
        best(lambda k=k: parzen.joint(columns, apart, weights, [tuple(range(k))], 1.0))
        for k in (2, 5, 13)
    ]
    print("  joint value, double          " + "".join(f"{c * scale:11.2f}" for c in costs))
    other = (columns[13][:, None] - columns[13]) ** 2
    distance = sum((columns[j][:, None] - columns[j]) ** 2 for j in range(5))
    cost = best(lambda: numpy_score(distance, other), runs=5)
    print(f"  value, numpy, distances given           {cost * scale:11.2f}")


def fits(rows):
    columns, apart, weights = table(rows)
    columns[13] += columns[0] - 0.5 * columns[1]
    print(f"\n{rows} rows: milliseconds a fit   two bandwidths (passes)    one width (passes)")
    for k in (0, 1, 2, 5, 13):
        line = []
        for one in (False, True):
            ask = (columns, apart, weights, 13, 0, [tuple(range(k))])
            box = {"one": one, "min_bandwidth": 0.01, "ceiling": 30.0}
            passes = parzen.fit(*ask, **box).evaluations[0]
            line.append(
                f"{1e3 * best(lambda a=ask, b=box: parzen.fit(*a, **b), 5):12.2f} ({passes:2.0f})"
            )
        print(f"  {k:2d} inputs                " + "      ".join(line))


def draws(rows=337, inputs=2, count=100_000):
    rng = np.random.default_rng(1)
    centres, queries = rng.normal(size=(inputs, rows)), rng.normal(size=(inputs, count))
    ask = (centres, np.zeros(inputs, np.uint8), np.ones(rows), queries, rng.random(count), 0.3)
    cost = best(lambda: parzen.draw(*ask), 5)
    print(f"\ndraws a second, {rows} centres, {inputs} inputs: {count / cost:,.0f}")


def main():
    for rows in [int(word) for word in sys.argv[1:]] or [506, 2000]:
        pairs(rows)
        fits(rows)
    draws()


if __name__ == "__main__":
    main()
