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
