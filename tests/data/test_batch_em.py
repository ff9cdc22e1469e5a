"""Moments of files with missing values, by EM in several passes."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arcwise as aw
from arcwise.data import Incomplete
from arcwise.data.batch_em import ObservedSums, fit_batches
from arcwise.data.normal_em import fit_normal
from arcwise.errors import DataError


def rows(seed, many=600, share=0.2):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(many, 3)) @ np.array([[1.0, 0.8, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    x = x * [1.0, 100.0, 0.01] + [5.0, 1e6, -3.0]
    x[rng.random(x.shape) < share] = np.nan
    return x


def written(path: Path, x, **more) -> Path:
    columns = {name: pa.array(x[:, i], from_pandas=True) for i, name in enumerate("abc")}
    pq.write_table(pa.table({**columns, **more}), path, row_group_size=97)
    return path


def test_batches_have_the_moments_of_the_table(tmp_path):
    x = rows(1)
    path = written(tmp_path / "x.parquet", x)
    found, whole = aw.moments(path), Incomplete(aw.read(path)).moments()
    assert found.n == whole.n
    sd = np.sqrt(np.diag(whole.scatter) / whole.n)
    assert (found.mean - whole.mean) / sd == pytest.approx(np.zeros(3), abs=1e-3)
    ratio = np.outer(sd, sd) * whole.n
    assert found.scatter / ratio == pytest.approx(whole.scatter / ratio, abs=1e-3)
    (note,) = found.notes
    assert "All observed values are used, by EM in" in note
    assert "passes over the file" in note
    one, two = aw.learn(found), aw.learn(path, certainty=False, model="gaussian")
    assert one.graph == two.graph
    dropped = aw.moments(path, missing="drop")
    assert dropped.n == (~np.isnan(x).any(axis=1)).sum()


def test_weights_count_and_rows_without_values_do_not(tmp_path):
    x = rows(2, many=120)
    times = np.random.default_rng(2).integers(1, 4, 120)
    one = aw.moments(written(tmp_path / "w.parquet", x, n=pa.array(times)), weights="n")
    repeated = np.vstack([np.repeat(x, times, axis=0), np.full((7, 3), np.nan)])
    two = aw.moments(written(tmp_path / "r.parquet", repeated))
    assert one.n == two.n
    assert one.mean == pytest.approx(two.mean, rel=1e-6)
    assert one.scatter == pytest.approx(two.scatter, rel=1e-3)


def test_the_likelihood_never_falls_and_constant_columns_stay_apart():
    x = rows(3, many=200, share=0.4)
    x[:, 2] = np.where(np.isnan(x[:, 2]), np.nan, 4.5)
    parts = [x[:50], x[50:51], x[51:]]
    sums = ObservedSums(3)
    for part in parts:
        sums.add(part, None)
    fit = fit_batches(lambda: iter((part, None) for part in parts), sums, None, 1.0)
    assert fit.converged
    assert (np.diff(fit.logliks) > -1e-9).all()
    whole = fit_normal(x, np.ones(200), prior=1.0)
    assert fit.mean == pytest.approx(whole.mean, rel=1e-4)
    assert (fit.covariance[2] == 0).all()


def test_what_cannot_be_estimated_is_a_sentence(tmp_path):
    x = rows(4, many=50)
    x[:, 1] = np.nan
    with pytest.raises(DataError, match="'b' must have values, got none"):
        aw.moments(written(tmp_path / "empty.parquet", x))
    with pytest.raises(DataError, match="must be 'auto' or 'drop' for files read in batches"):
        aw.moments(written(tmp_path / "x.parquet", rows(5)), missing="impute")
    with pytest.raises(DataError, match="na_values="):
        aw.moments(tmp_path / "x.parquet", missing=["?"])
