"""Estimators in scikit-learn's form."""

import numpy as np
import pytest

import arcwise as aw

sklearn = pytest.importorskip("sklearn")


def rows():
    x = np.random.default_rng(1).normal(size=(120, 5))
    x[:, 1] += x[:, 0]
    x[:, 3] -= x[:, 1]
    return x


@pytest.mark.filterwarnings("ignore")
def test_it_passes_the_checks_of_scikit_learn():
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(aw.GraphLasso())


def test_it_agrees_with_scikit_learn():
    from sklearn.covariance import GraphicalLasso
    from sklearn.preprocessing import StandardScaler

    x = StandardScaler().fit_transform(rows())
    named = {f"x{i}": x[:, i] for i in range(5)}
    ours = aw.GraphLasso(0.2, diagonal=False).fit(x)
    theirs = GraphicalLasso(0.2, tol=1e-10, enet_tol=1e-10, max_iter=1000).fit(x)
    np.testing.assert_allclose(ours.precision_, theirs.precision_, atol=1e-5)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-5)
    assert ours.score(x) == pytest.approx(np.mean(ours.network_.logpdf(named)))


def test_the_numbers_of_scikit_learn_in_the_units_of_the_data():
    from sklearn.covariance import GraphicalLasso

    x = rows() * np.array([1.0, 3.0, 0.5, 2.0, 1.0])
    alpha = 0.3
    ours = aw.GraphLasso(alpha, scale="covariance", diagonal=False).fit(x)
    theirs = GraphicalLasso(alpha, tol=1e-10, enet_tol=1e-10, max_iter=1000).fit(x)
    np.testing.assert_allclose(ours.location_, theirs.location_)
    np.testing.assert_allclose(ours.precision_, theirs.precision_, atol=1e-6)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-6)
    other = aw.GraphLasso(alpha).fit(x)
    assert np.abs(other.precision_ - theirs.precision_).max() > 0.01


def test_every_option_of_the_lasso_can_be_given():
    from arcwise.learners import searches
    from arcwise.learners.options import options_of

    assert set(options_of(searches("undirected")["glasso"])) <= set(aw.GraphLasso().get_params())
    x = rows()
    words = {"graph": "undirected", "model": "gaussian", "refit": False}
    for options in (
        {"penalty": "ebic", "n_penalties": 5, "min_ratio": 0.2, "gamma": 1.0},
        {"penalty": "stars", "subsamples": 5, "threshold": 0.1},
        {"penalty": "ric", "rotations": 3},
        {"penalty": 0.1, "factors": np.where(np.eye(5), 1.0, 2.0)},
    ):
        wanted = aw.learn(x, **words, **options)
        found = aw.GraphLasso(**options).fit(x)
        assert found.penalty_ == wanted.settings["penalty"]
        np.testing.assert_allclose(found.precision_, wanted.precision, atol=1e-12)


def test_factors_and_penalties_go_by_the_names_of_columns(tmp_path):
    import pandas

    frame = pandas.DataFrame(rows(), columns=list("zyxwv"))
    names = list("vwxyz")
    prices = pandas.DataFrame(0.1, index=names, columns=names)
    prices.loc["z", "y"] = prices.loc["y", "z"] = np.inf
    prices.to_csv(tmp_path / "prices.csv")
    for model in (
        aw.GraphLasso(prices),
        aw.GraphLasso(str(tmp_path / "prices.csv")),
        aw.GraphLasso(0.1, factors={("y", "z"): np.inf}),
    ):
        graph = model.fit(frame).graph_
        assert not graph.has_edge("z", "y")
        assert graph.has_edge("y", "w")
    assert not aw.GraphLasso(0.1, factors={("x0", "x1"): np.inf}).fit(rows()).graph_.has_edge(0, 1)
    with pytest.raises(aw.FitError, match="no column 'q' to penalise"):
        aw.GraphLasso(0.1, factors={("y", "q"): 2.0}).fit(frame)


def test_gaps_are_taken_pair_by_pair_where_asked_for():
    x = rows()
    x[::7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        aw.GraphLasso(0.1).fit(x)
    found = aw.GraphLasso(0.1, gaps="pairwise").fit(x)
    assert np.isfinite(found.precision_).all()
    assert found.network_.rows > 103  # more than the rows without gaps


def test_it_chooses_keeps_names_and_sits_in_a_search():
    import pandas
    from sklearn.model_selection import GridSearchCV

    frame = pandas.DataFrame(rows(), columns=list("zyxwv"))
    found = aw.GraphLasso().fit(frame)
    assert found.graph_.nodes == ("z", "y", "x", "w", "v")
    assert ("z", "y") in found.graph_.edges
    assert ("z", "x") not in found.graph_.edges
    search = GridSearchCV(aw.GraphLasso(refit=True), {"penalty": [0.05, 0.2, 0.5]}, cv=3).fit(frame)
    assert search.best_score_ == pytest.approx(max(search.cv_results_["mean_test_score"]))
    assert search.best_estimator_.graph_.n_edges >= 2
