"""Data for the benchmarks: the simulated sets, made once and kept in a folder beside the results."""

import os
import runpy
from pathlib import Path

import numpy as np


def shared_folder() -> Path:
    """The folder of shared data, which holds the script that makes the simulated sets."""
    places = [os.environ.get("ARCWISE_DATA"), Path(__file__).parents[2] / "shared" / "data"]
    for place in places:
        if place and (Path(place) / "simulate.py").is_file():
            return Path(place)
    raise SystemExit("bench: the shared data are needed; set ARCWISE_DATA to their folder.")


def simulated(folder: Path, p: int, n: int) -> Path:
    """Path of the Gaussian set with p columns and n rows, made if it is not there."""
    path = folder / f"gauss_p{p}_n{n}.npz"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        maker = runpy.run_path(str(shared_folder() / "simulate.py"))
        _, x, edges = maker["gauss"](p, n)
        np.savez(path, x=x, edges=edges)
    return path


def wide(folder: Path, p: int, n: int) -> Path:
    """A sparse Gaussian set of many columns, by the same law but drawn pair by pair at random."""
    path = folder / f"wide_p{p}_n{n}.npz"
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(p + n)
    order = rng.permutation(p)
    ends = np.sort(rng.integers(0, p, (round(1.5 * p), 2)), axis=1)
    ends = np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0)
    arcs = order[ends]
    weights = rng.choice([-1, 1], len(arcs)) * rng.uniform(0.3, 0.9, len(arcs))
    sd = rng.uniform(0.5, 1.5, p)
    parents: list[list[int]] = [[] for _ in range(p)]
    for number, (_, head) in enumerate(arcs):
        parents[head].append(number)
    x = np.zeros((n, p))
    for node in order:
        into = parents[node]
        x[:, node] = x[:, arcs[into, 0]] @ weights[into] + sd[node] * rng.standard_normal(n)
    np.savez(path, x=x, edges=arcs)
    return path


def parquet(folder: Path, rows: int, columns: int, groups: int) -> Path:
    """A Parquet file of normal numbers in several row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"stream_{rows}x{columns}.parquet"
    if path.is_file():
        return path
    rng = np.random.default_rng(0)
    names = [f"x{i:02d}" for i in range(columns)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(groups):
            block = rng.normal(size=(columns, rows // groups))
            writer.write_table(pa.table(list(block), schema=schema))
    return path
