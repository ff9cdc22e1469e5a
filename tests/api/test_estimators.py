"""Estimators in scikit-learn's form."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import arcwise as aw
from arcwise.networks import log_density

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
    words = {"graph": "undirected", "model": "gaussian"}
    for options in (
        {"penalty": "ebic", "n_penalties": 5, "min_ratio": 0.2, "gamma": 1.0},
        {"penalty": "stars", "subsamples": 5, "threshold": 0.1},
        {"penalty": "ric", "rotations": 3},
        {"penalty": 0.1, "factors": np.where(np.eye(5), 1.0, 2.0)},
    ):
        search = aw.Glasso(refit=False, **{n: v for n, v in options.items() if n != "penalty"})
        wanted = aw.learn(x, **words, search=search, penalty=options["penalty"])
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


def test_rows_with_gaps_are_used():
    x = rows()
    x[::7, 2] = np.nan
    found = aw.GraphLasso(0.1).fit(x)
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


def mail(rows=400, seed=1):
    rng = np.random.default_rng(seed)
    spam = rng.random(rows) < 0.4
    return pd.DataFrame(
        {
            "links": pd.Categorical(np.where(rng.random(rows) < 0.3 + 0.4 * spam, "many", "few")),
            "words": rng.gamma(2.0, 50.0, rows) * np.where(spam, 2.0, 1.0),
            "edu": rng.random(rows) < np.where(spam, 0.1, 0.5),
            "night": np.where(rng.random(rows) < 0.2 + 0.3 * spam, "night", "day"),
        }
    ), pd.Series(np.where(spam, "spam", "ham"), name="kind")


@pytest.mark.parametrize("structure", ["naive", "tan", "kdb", "aode"])
def test_classifiers_pass_the_checks_of_scikit_learn(structure):
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(aw.BayesClassifier(structure), on_skip=None)


@pytest.mark.parametrize("features", ["gaussian"])
def test_numbers_without_cuts_pass_them_too(features):
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(aw.BayesClassifier("tan", features=features), on_skip=None)


def test_categorical_naive_bayes_is_that_of_scikit_learn():
    from sklearn.naive_bayes import CategoricalNB

    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 4, (200, 5)), rng.integers(0, 3, 200)
    x[:, 0] = (x[:, 0] + y) % 4
    ours = aw.BayesClassifier("naive").fit(x, y)
    theirs = CategoricalNB(alpha=1.0).fit(x, y)
    prior = np.log((np.bincount(y) + 1) / 203) - np.log(
        np.bincount(y) / 200
    )  # theirs is not smoothed
    wanted = theirs.predict_joint_log_proba(x) + prior
    wanted -= np.logaddexp.reduce(wanted, axis=1, keepdims=True)
    assert ours.predict_log_proba(x) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("structure", ["naive", "tan", "kdb", "aode", "free", "averaged"])
def test_data_frames_of_all_kinds_with_gaps(structure):
    x, y = mail()
    x.loc[::9, "words"] = np.nan
    x.loc[::11, "links"] = None
    model = aw.BayesClassifier(structure, random_state=1).fit(x, y)
    assert model.feature_names_in_.tolist() == ["links", "words", "edu", "night"]
    assert model.classes_.tolist() == ["ham", "spam"]
    proba = model.predict_proba(x)
    assert proba.sum(axis=1) == pytest.approx(np.ones(400))
    assert model.score(x, y) > 0.7
    assert np.log(proba) == pytest.approx(model.predict_log_proba(x))
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(x) == model.predict(x)).all()


def test_the_network_can_be_asked_plotted_and_saved(tmp_path):
    x, y = mail()
    model = aw.BayesClassifier("tan").fit(x, y)
    net = model.network_
    assert net.parents("kind") == ()
    assert set(net.children("kind")) == set(x.columns)
    net.save(tmp_path / "spam.json")
    again = aw.load(tmp_path / "spam.json")
    row = {"links": "many", "words": 312.5, "night": "night"}
    belief = again.query("kind", given=row).probability("spam")
    frame = pd.DataFrame([{**row, "edu": None}])[list(x.columns)]
    assert float(belief) == pytest.approx(
        model.predict_proba(frame)[0, 1], abs=0.03
    )  # may be simulated
    assert net.edges.present


def test_columns_in_another_order_change_nothing():
    x, y = mail()
    turned = x[["night", "edu", "words", "links"]]
    one, two = (aw.BayesClassifier("tan").fit(each, y) for each in (x, turned))
    assert one.predict_proba(x) == pytest.approx(two.predict_proba(turned), abs=1e-12)
    assert one.network_.graph == two.network_.graph


def test_levels_that_are_not_known_are_gaps_with_a_warning():
    x, y = mail()
    model = aw.BayesClassifier("tan").fit(x, y)
    new = x.iloc[:2].copy()
    new["night"] = ["never", "day"]
    gap = new.assign(night=[None, "day"])
    with pytest.warns(UserWarning, match=r"'night' \('never'\)"):
        found = model.predict_proba(new)
    assert found == pytest.approx(model.predict_proba(gap))
    codes = aw.BayesClassifier("naive").fit([[0], [1], [0], [1]], [0, 1, 0, 1])
    with pytest.warns(UserWarning, match=r"'x0' \('7.0'\)"):
        assert codes.predict_proba([[7]])[0] == pytest.approx([0.5, 0.5])


def test_weights_are_copies():
    x, y = mail()
    counts = np.random.default_rng(3).integers(0, 3, len(x))
    copies = np.repeat(np.arange(len(x)), counts)
    one = aw.BayesClassifier("tan").fit(x, y, sample_weight=counts)
    two = aw.BayesClassifier("tan").fit(x.iloc[copies], y.iloc[copies])
    assert one.predict_proba(x) == pytest.approx(two.predict_proba(x), abs=1e-9)


def test_decisions_by_losses():
    x, y = mail()
    plain = aw.BayesClassifier("naive").fit(x, y)
    # Good mail in the bin is ten times worse than spam in the box.
    careful = aw.BayesClassifier("naive", loss={("ham", "spam"): 10}).fit(x, y)
    matrix = aw.BayesClassifier("naive", loss=[[0, 10], [1, 0]]).fit(x, y)
    p = plain.predict_proba(x)[:, 1]
    assert (careful.predict(x) == np.where(p > 10 / 11, "spam", "ham")).all()
    assert (careful.predict(x) == matrix.predict(x)).all()
    assert (plain.predict(x) == np.where(p > 0.5, "spam", "ham")).all()
    for loss in ([[0, 1]], {("ham", "eggs"): 1}, {"ham": 1}):
        with pytest.raises(aw.FitError, match="Losses"):
            aw.BayesClassifier("naive", loss=loss).fit(x, y)


def test_one_class_and_other_errors():
    x, _ = mail()
    with pytest.raises(ValueError, match="at least two classes, got one class only"):
        aw.BayesClassifier().fit(x, ["ham"] * len(x))
    with pytest.raises(aw.OptionError, match="Did you mean 'tan'"):
        aw.BayesClassifier("tam").fit(x, mail()[1])
    with pytest.raises(aw.OptionError, match="k, the largest number"):
        aw.BayesClassifier("kdb", k=-1).fit(x, mail()[1])
    with pytest.raises(aw.FitError, match="Pseudo-counts"):
        aw.BayesClassifier(alpha=-1).fit(x, mail()[1])


def test_in_a_search_of_scikit_learn():
    from sklearn.model_selection import GridSearchCV

    x, y = mail(200)
    search = GridSearchCV(aw.BayesClassifier(), {"structure": ["naive", "tan"]}, cv=3).fit(x, y)
    assert search.best_score_ > 0.7


# -- the verb --------------------------------------------------------------------------------------


def test_classify_judges_on_rows_left_out():
    x, y = mail()
    found = aw.classify(x.assign(kind=y), "kind", structure="tan", folds=5, seed=3)
    assert found.validated.folds == 5
    assert 0.65 < found.validated.accuracy < 0.95
    assert found.validated.confusion.sum() == 400
    assert found.network.graph == aw.BayesClassifier("tan").fit(x, y).network_.graph
    assert "5-fold cross-validation of 400 rows, class kind" in str(found)
    new = found.predict(x.iloc[:3])
    assert set(new) <= {"ham", "spam"}
    assert found.predict_proba(x.iloc[:3]).shape == (3, 2)


def test_folds_have_the_same_shares_of_classes_and_do_not_see_each_other():
    """Every number is as if each part had been left out by hand, cut points included."""
    from arcwise.data import folds

    x, y = mail(120)
    table = aw.table(x.assign(kind=y))
    codes = table.column("kind")
    parts = folds(table, 4, np.random.default_rng(0), by="kind").rows
    shares = [codes[part].mean() for part in parts]
    assert max(shares) - min(shares) <= 1 / 29
    assert sorted(np.concatenate(parts).tolist()) == list(range(120))
    found = aw.classify(table, "kind", structure="naive", folds=4, seed=0).validated
    for part in parts:
        rest = np.setdiff1d(np.arange(120), part)
        model = aw.BayesClassifier("naive").fit(x.iloc[rest], y.iloc[rest])
        wanted = model.predict_log_proba(x.iloc[part])
        assert found.log_proba[part] == pytest.approx(wanted, abs=1e-9)


def test_classify_says_what_is_wrong():
    x, y = mail(50)
    data = x.assign(kind=y)
    with pytest.raises(aw.DataError, match=r"no column 'kin'.*'kind'"):
        aw.classify(data, "kin")
    with pytest.raises(aw.DataError, match="'words' is continuous"):
        aw.classify(data, "words")
    with pytest.raises(aw.DataError, match="2 to 50 folds"):
        aw.classify(data, "kind", folds=51)
    with pytest.raises(aw.DataError, match="got moments"):
        aw.classify(aw.Moments.of(aw.example("boston")), "CHAS")


def test_no_warning_without_a_reason():
    x, y = mail(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        aw.classify(x.assign(kind=y), "kind", folds=3)
        aw.BayesClassifier().fit(x, y).predict(x)


def test_graphs_drawn_from_their_posterior_are_averaged_by_their_shares():
    """Against the exact posterior: shares of graphs near their probabilities, answers the weighted mean."""
    x, y = mail()
    features = ["edu", "links", "night"]
    model = aw.BayesClassifier("averaged", random_state=1).fit(x[features], y)
    found = model.classifier_
    assert sum(found.weights) == pytest.approx(1.0)
    assert list(found.weights) == sorted(found.weights, reverse=True)
    target = found.net.index(found.target)
    for net in found.nets:
        assert net.graph.parents[target] == ()
        assert net.graph.children[target]
    rules = aw.Rules(target="kind", max_parents=3)
    post = aw.posterior(x[features].assign(kind=y), rules=rules, method="exact")
    for child in range(4):
        for parent in set(range(4)) - {child}:
            share = sum(
                weight
                for net, weight in zip(found.nets, found.weights, strict=True)
                if parent in net.graph.parents[child]
            )
            exact = float(post.arc(found.net.names[parent], found.net.names[child]))
            assert share == pytest.approx(exact, abs=0.2)
    rows = found.rows_of(x[features])
    joint = 0.0
    for net, weight in zip(found.nets, found.weights, strict=True):
        each = np.empty((rows.rows, 2))
        for code in range(2):
            columns = [*rows.columns]
            columns[target] = np.full(rows.rows, code)
            each[:, code] = np.exp(log_density(net, columns))
        joint = joint + weight * each
    wanted = joint / joint.sum(axis=1, keepdims=True)
    assert model.predict_proba(x[features]) == pytest.approx(wanted, abs=1e-12)
    again = aw.BayesClassifier("averaged", random_state=1).fit(x[features], y)
    assert (again.predict_proba(x[features]) == model.predict_proba(x[features])).all()


def test_regressors_pass_the_checks_of_scikit_learn():
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(aw.BayesRegressor(), on_skip=None)


def test_regressors_predict_as_the_network_of_all_columns():
    x, y = rows()[:, :4], pd.Series(rows()[:, 3] + rows()[:, 4], name="sum")
    model = aw.BayesRegressor(random_state=1).fit(x, y)
    net = aw.learn(dict(zip(("x0", "x1", "x2", "x3", "sum"), (*x.T, y), strict=True)))
    assert model.network_.graph == net.graph
    mean, sd = model.predict(x, return_std=True)
    answers = net.predict(dict(zip(("x0", "x1", "x2", "x3"), x.T, strict=True)), "sum")
    np.testing.assert_allclose(mean, answers.mean)
    np.testing.assert_allclose(sd, answers.sd)
    assert model.score(x, y) > 0.3
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(x), mean)
    low, high = model.predictions(x).interval(0.9)
    assert np.mean((low < y) & (y < high)) == pytest.approx(0.9, abs=0.07)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_regressors_take_frames_with_text_and_gaps(library):
    x, y = mail()
    words, x = x["words"] + 30.0 * (y == "spam"), x.assign(kind=y).drop(columns="words")
    x.loc[::11, "night"] = None
    frame = x
    if library != "pandas":
        other = pytest.importorskip(library)
        frame = other.from_pandas(x) if library == "polars" else other.Table.from_pandas(x)
    model = aw.BayesRegressor(missing="drop").fit(frame, words)
    assert model.score(frame, words) > 0.1
    assert model.network_.neighbours(model.target_)


def test_regressors_can_be_tuned_and_stay_in_pipelines():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = rows()[:, :4], np.sin(2 * rows()[:, 1])
    pipe = make_pipeline(StandardScaler(), aw.BayesRegressor())
    grid = GridSearchCV(pipe, {"bayesregressor__model": ["gaussian", "parzen"]}, cv=3).fit(x, y)
    assert grid.best_params_ == {"bayesregressor__model": "parzen"}
