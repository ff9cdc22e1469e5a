"""The imputer in scikit-learn's form."""

import numpy as np
import pandas as pd
import pytest

import arcwise as aw

pytest.importorskip("sklearn")


def numbers(seed=1, rows=200):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    x[:, 1] += 2 * x[:, 0]
    gaps = rng.random(x.shape) < 0.15
    return x, np.where(gaps, np.nan, x), gaps


@pytest.mark.filterwarnings("ignore")
def test_it_passes_the_checks_of_scikit_learn():
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(aw.BayesImputer())


def test_missing_numbers_become_their_expected_values():
    full, gappy, gaps = numbers()
    filled = aw.BayesImputer().fit_transform(gappy)
    assert (filled[~gaps] == gappy[~gaps]).all()
    means = np.where(gaps, np.nanmean(gappy, axis=0), gappy)
    ours, plain = (np.sqrt(np.mean((each - full)[gaps] ** 2)) for each in (filled, means))
    assert ours < 0.85 * plain


def test_draws_keep_the_spread():
    full, gappy, gaps = numbers(2)
    drawn = aw.BayesImputer(draw=True, random_state=3).fit_transform(gappy)
    again = aw.BayesImputer(draw=True, random_state=3).fit_transform(gappy)
    assert (drawn == again).all()
    assert drawn[gaps[:, 2], 2].std() == pytest.approx(full[:, 2].std(), rel=0.4)
    assert aw.BayesImputer().fit_transform(gappy)[gaps[:, 2], 2].std() < 0.5


def test_frames_keep_their_names_index_and_types():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "count": pd.array(rng.poisson(40, 120), dtype="Int64"),
            "town": rng.choice(["u", "v"], 120),
            "x": rng.normal(size=120),
        },
        index=np.arange(120) + 1000,
    )
    frame["flag"] = pd.Categorical(np.where(frame["town"] == "u", "yes", "no"))
    gappy = frame.mask(rng.random(frame.shape) < 0.1)
    before = gappy.copy()
    filled = aw.BayesImputer().fit_transform(gappy)
    pd.testing.assert_frame_equal(gappy, before)
    assert list(filled.columns) == list(frame.columns)
    assert (filled.index == frame.index).all()
    assert filled.dtypes["count"] == "Int64"
    assert filled.dtypes["x"] == "float64"
    assert not filled.isna().any().any()
    seen = ~gappy.isna()
    for name in frame:
        kept = filled.loc[seen[name], name].tolist()
        assert kept == gappy.loc[seen[name], name].tolist()
    both = gappy["town"].isna() & ~gappy["flag"].isna()
    assert (filled.loc[both, "town"] == frame.loc[both, "town"]).all()


def test_row_numbers_and_empty_columns():
    _, gappy, _ = numbers(5, rows=60)
    rows = np.column_stack([np.arange(60.0), np.full(60, np.nan), gappy])
    filled = aw.BayesImputer().fit_transform(rows)
    assert np.isnan(filled[:, 1]).all()
    assert not np.isnan(np.delete(filled, 1, axis=1)).any()
    assert (filled[:, 0] == np.arange(60)).all()
