"""What trying pairs of parents at once does to the default: parity found, noise, known networks, CPU time.

Prints one table: arcs in independent columns (30 tables each), parity among p columns (10 tables each), and
structural distance and score on networks with known graphs, without and with pairs.
"""

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from data import shared_folder

import arcwise as aw
import arcwise.search.auto

AUTO = sys.modules["arcwise.search.auto"]
WITH = AUTO._PAIR_SETS


def noise(seed: int, p: int, rows: int, most: int) -> aw.Table:
    rng = np.random.default_rng([1, seed])
    sizes = rng.integers(2, most + 1, p)
    return named([rng.integers(0, k, rows) for k in sizes])


def parity(seed: int, p: int, rows: int) -> aw.Table:
    codes = list(np.random.default_rng([2, seed]).integers(0, 2, (p, rows)))
    codes[2] = codes[0] ^ codes[1]
    return named(codes)


def named(codes: list) -> aw.Table:
    return aw.table({f"v{i:03d}": [f"l{x}" for x in c] for i, c in enumerate(codes)})


def learned(table: aw.Table, pairs: bool) -> tuple[aw.Network, float]:
    AUTO._PAIR_SETS = WITH if pairs else -1.0
    began = time.process_time()
    net = aw.learn(table)
    return net, time.process_time() - began


def main() -> None:
    print("case                               without: figure  CPU s   with: figure  CPU s")
    for p, rows, most in ((20, 200, 2), (20, 1000, 20), (50, 200, 2), (50, 1000, 20)):
        line = [
            learned_all([noise(s, p, rows, most) for s in range(30)], k, arcs)
            for k in (False, True)
        ]
        show(f"noise, {p} columns, {rows} rows, 2-{most} levels: arcs", line)
    for p, rows in ((21, 200), (50, 200), (50, 1000)):
        line = [
            learned_all([parity(s, p, rows) for s in range(10)], k, joined) for k in (False, True)
        ]
        show(f"parity, {p} columns, {rows} rows: of 10", line)
    for name, rows in (
        ("insurance", 1000),
        ("alarm", 1000),
        ("hailfinder", 1000),
        ("alarm", 10_000),
    ):
        truth = known(name)
        tables = [truth.sample(rows, seed=seed) for seed in range(3)]
        distance = partial(distance_to, truth)
        show(
            f"{name}, {rows} rows: distance, sum of 3",
            [learned_all(tables, k, distance) for k in (False, True)],
        )


def distance_to(truth: aw.Network, net: aw.Network) -> int:
    return aw.compare(net, truth).shd_cpdag


def known(name: str) -> aw.Network:
    folder = shared_folder() / "networks" / "discrete"
    return aw.load(next(folder.glob(f"{name}.bif*")))


def arcs(net: aw.Network) -> int:
    return net.graph.n_arcs


def joined(net: aw.Network) -> int:
    """Whether two of the three columns are parents of the third."""
    inside = {"v000", "v001", "v002"}
    return int(any(len(inside & set(net.parents(name))) == 2 for name in inside))


def learned_all(
    tables: list[aw.Table], pairs: bool, figure: Callable[[aw.Network], int]
) -> tuple[float, float]:
    found = [learned(table, pairs) for table in tables]
    return sum(figure(net) for net, _ in found), sum(seconds for _, seconds in found)


def show(case: str, line: list[tuple[float, float]]) -> None:
    print(
        f"{case:58}" + "".join(f"{figure:8g} {seconds:7.2f}" for figure, seconds in line),
        flush=True,
    )


if __name__ == "__main__":
    main()
