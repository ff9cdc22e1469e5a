"""Gaussian Markov networks by every verb: known graphs, the lasso, paths, rules for the penalty."""

import json

import numpy as np
import pytest
from contracts.cases import linear
from scipy.stats import multivariate_normal

import arcwise as aw
from arcwise.undirected.ebic import by_ebic
from arcwise.undirected.fixed_graph import fixed_graph
from arcwise.undirected.glasso import glasso, largest_penalty
from arcwise.undirected.stepwise import stepwise

SOURCE = linear(3, rows=150, p=6)
WORDS = {"graph": "undirected", "model": "gaussian"}
CYCLE = aw.ug("v0:v1 + v1:v2 + v2:v3 + v0:v3 + v4 + v5")


def correlations(table):
    return np.corrcoef(table.matrix().T)


@pytest.fixture(scope="module")
def fitted():
    return aw.fit(CYCLE, SOURCE, model="gaussian")


@pytest.fixture(scope="module")
def found():
    return aw.learn(SOURCE, **WORDS)


# -- known graphs ----------------------------------------------------------------------------------


def test_a_known_graph_agrees_with_the_data_on_its_edges(fitted):
    joint, cov = fitted.net.joint, np.cov(SOURCE.matrix().T, bias=True)
    np.testing.assert_allclose(joint.mean, SOURCE.matrix().mean(axis=0))
    for i in range(6):
        for j in range(6):
            if i == j or j in fitted.graph.neighbours[i]:
                assert joint.covariance[i, j] == pytest.approx(cov[i, j], rel=1e-9)
            else:
                assert joint.precision[i, j] == 0


def test_moments_by_hand_give_the_same(fitted):
    cov = np.cov(SOURCE.matrix().T, bias=True)
    given = aw.Moments.given(SOURCE.names, SOURCE.rows, SOURCE.matrix().mean(axis=0), cov)
    again = aw.fit(CYCLE, given, model="gaussian")
    np.testing.assert_allclose(again.net.joint.precision, fitted.net.joint.precision, atol=1e-10)
    assert again.score == pytest.approx(fitted.score)


def test_densities_are_those_of_the_joint(fitted):
    joint, x = fitted.net.joint, SOURCE.matrix()
    wanted = multivariate_normal(joint.mean, joint.covariance).logpdf(x)
    np.testing.assert_allclose(fitted.logpdf(SOURCE), wanted)
    loglik = wanted.sum()
    assert fitted.score == pytest.approx(loglik - 0.5 * (2 * 6 + 4) * np.log(SOURCE.rows))
    gaps = {name: list(column) for name, column in zip(SOURCE.names, x.T, strict=True)}
    gaps["v1"][0] = gaps["v4"][0] = None
    kept = [0, 2, 3, 5]
    part = multivariate_normal(joint.mean[kept], joint.covariance[np.ix_(kept, kept)])
    assert fitted.logpdf(gaps)[0] == pytest.approx(part.logpdf(x[0, kept]))


def test_answers_are_conditional_normals(fitted):
    joint = fitted.net.joint
    hidden, seen, values = [0, 2], [1, 3], np.array([0.3, -0.4])
    cov = joint.covariance
    gain = cov[np.ix_(hidden, seen)] @ np.linalg.inv(cov[np.ix_(seen, seen)])
    mean = joint.mean[hidden] + gain @ (values - joint.mean[seen])
    left = cov[np.ix_(hidden, hidden)] - gain @ cov[np.ix_(seen, hidden)]
    both = fitted.query(["v0", "v2"], given={"v1": 0.3, "v3": -0.4})
    np.testing.assert_allclose(both.mean, mean)
    np.testing.assert_allclose(both.covariance, left, atol=1e-12)
    one = fitted.query("v0", given={"v1": 0.3, "v3": -0.4})
    assert (one.mean, one.sd) == pytest.approx((mean[0], np.sqrt(left[0, 0])))
    assert one.error == 0
    assert fitted.predict({"v1": [0.3], "v3": [-0.4]}, "v0").mean[0] == pytest.approx(mean[0])
    assert fitted.impute({"v1": [0.3], "v3": [-0.4]}).column("v0")[0] == pytest.approx(mean[0])
    with pytest.raises(aw.GraphError, match="do="):
        fitted.query("v0", do={"v1": 1.0})


def test_local_models_are_those_of_the_joint(fitted):
    model = fitted["v1"]
    theta = fitted.net.joint.precision
    np.testing.assert_allclose(model.coefficients, -theta[1, [0, 2]] / theta[1, 1])
    assert "(se" not in fitted.local("v1")
    x, mean = SOURCE.matrix(), model.mean((SOURCE.columns[0], SOURCE.columns[2]), SOURCE.rows)
    asked = fitted.predict(SOURCE, "v1").mean
    np.testing.assert_allclose(asked, mean)
    from arcwise.inference import misses

    np.testing.assert_allclose(misses(fitted.net, SOURCE).errors[:, 1], x[:, 1] - mean)


def test_draws_have_the_moments_and_repeat(fitted):
    drawn = fitted.sample(40_000, seed=3).select(SOURCE.names).matrix()
    sd = np.sqrt(np.diag(fitted.net.joint.covariance))
    ours = fitted.net.joint.covariance / np.outer(sd, sd)
    np.testing.assert_allclose(np.cov(drawn.T) / np.outer(sd, sd), ours, atol=0.03)
    again = fitted.sample(5, seed=3).matrix()
    np.testing.assert_array_equal(again, fitted.sample(5, seed=3).matrix())
    by_chains = fitted.sample(2000, seed=3, burn_in=30).matrix()
    assert by_chains.shape == (2000, 6)


def test_chains_are_not_needed(fitted):
    with pytest.raises(aw.GraphError, match="directed"):
        fitted.query("v0", method="blankets")


@pytest.mark.parametrize("ending", [".json", ".arcwise"])
def test_files_keep_the_joint(fitted, found, ending, tmp_path):
    for number, net in enumerate((fitted, found)):
        again = aw.load(net.save(tmp_path / f"{number}{ending}"))
        np.testing.assert_array_equal(again.net.joint.precision, net.net.joint.precision)
        assert str(again.edges) == str(net.edges)
        assert again.edges.rows == net.edges.rows
        np.testing.assert_array_equal(again.logpdf(SOURCE), net.logpdf(SOURCE))


@pytest.mark.parametrize(
    "harm",
    [
        lambda joint: joint.pop("mean"),
        lambda joint: (
            joint["mean"].update(data=[1.0]) if "data" in joint["mean"] else joint.clear()
        ),
        lambda joint: joint.update(precision=joint["mean"]),
        lambda joint: joint.update(precision=3),
    ],
)
def test_damaged_joints_are_rejected(fitted, harm, tmp_path):
    place = fitted.save(tmp_path / "net.json")
    document = json.loads(place.read_text())
    harm(document["joint"])
    place.write_text(json.dumps(document))
    with pytest.raises(aw.FileError):
        aw.load(place)


# -- edges -----------------------------------------------------------------------------------------


def test_edges_have_strength_partial_correlation_and_sign(fitted):
    theta = fitted.net.joint.precision
    for row in fitted.edges:
        i, j = (fitted.net.index(name) for name in (row.first, row.second))
        r = -theta[i, j] / np.sqrt(theta[i, i] * theta[j, j])
        assert row.partial_correlation == pytest.approx(r)
        assert row.strength == pytest.approx(-0.5 * np.log(1 - r**2))
        assert row.sign == np.sign(r)
        assert row.total == pytest.approx(row.strength * SOURCE.rows)
        assert row.first_side is None


def test_losses_after_refitting(fitted):
    losses = fitted.refit_losses()
    assert len(losses) == 4
    loglik = fitted.logpdf(SOURCE).sum()
    for row in losses:
        without = fitted.graph.without_edge(*map(fitted.net.index, (row.first, row.second)))
        other = aw.fit(without, SOURCE, model="gaussian").logpdf(SOURCE).sum()
        assert row.refit_loss == pytest.approx((loglik - other) / SOURCE.rows, abs=1e-10)
        assert row.refit_loss >= row.strength - 1e-12
    assert "refit loss" in str(losses)
    shrunk = aw.learn(SOURCE, penalty=0.1, search=aw.Glasso(refit=False), **WORDS)
    with pytest.raises(aw.FitError, match="refit=True"):
        shrunk.refit_losses()
    with pytest.raises(aw.FitError, match="joint"):
        aw.learn(SOURCE).refit_losses()


# -- edge by edge ----------------------------------------------------------------------------------


def test_auto_is_stepwise_and_says_so(found):
    wanted = stepwise(correlations(SOURCE), SOURCE.rows)
    np.testing.assert_array_equal(
        [[j in row for j in range(6)] for row in found.graph.neighbours], wanted.adjacency
    )
    assert found.settings["search"] == "stepwise"
    assert "penalty" not in found.settings
    assert found.graph == aw.learn(SOURCE, **WORDS, search="stepwise").graph
    note = f"by the extended BIC, gamma 0.6: {wanted.edges} edges (EBIC {wanted.ebic:.6g})"
    assert note in found.notes[-1]
    assert [step.edges for step in found.trace][-1] == wanted.edges
    cov = np.cov(SOURCE.matrix().T, bias=True)
    fit = fixed_graph(cov, found.graph)
    np.testing.assert_allclose(found.net.joint.precision, fit.precision, rtol=1e-7, atol=1e-9)
    assert aw.learn(SOURCE, graph="undirected", score="bic").settings["search"] == "boundary"
    assert aw.learn(SOURCE, graph="undirected").graph == found.graph


def test_a_penalty_or_an_option_of_the_lasso_means_the_lasso(found):
    for words in ({"penalty": 0.1}, {"penalty": "ebic"}, {"penalty": "cv"}):
        assert aw.learn(SOURCE, **WORDS, **words).settings["search"] == "glasso"
    loose = aw.learn(SOURCE, search=aw.Glasso(n_penalties=10, min_ratio=0.05), **WORDS)
    assert loose.settings["penalty_rule"] == "ebic"
    assert aw.path(SOURCE, **WORDS).grid
    for words in ({"penalty": 0.1}, {"penalty": "cv"}, {"penalty": "ebic"}):
        with pytest.raises(aw.OptionError, match="search='stepwise' uses the extended BIC"):
            aw.learn(SOURCE, **WORDS, search="stepwise", **words)
    with pytest.raises(aw.OptionError, match="search='stepwise' uses the extended BIC"):
        aw.path(SOURCE, **WORDS, search="stepwise")
    with pytest.raises(aw.OptionError, match="needs model='gaussian'"):
        aw.learn(SOURCE, graph="undirected", model="parzen", search="stepwise")
    with pytest.raises(aw.FitError, match="no tuning curve"):
        found.tuning_rows()


def test_stepwise_takes_what_the_lasso_takes():
    wide = aw.learn(SOURCE, search=aw.Stepwise(gamma=0.0), **WORDS)
    assert wide.settings["search"] == "stepwise"
    assert (
        wide.graph.n_edges >= aw.learn(SOURCE, search=aw.Stepwise(gamma=5.0), **WORDS).graph.n_edges
    )
    rules = aw.Rules(required=["v0 -- v5"], forbidden=["v1 -- v2"])
    bound = aw.learn(SOURCE, **WORDS, rules=rules)
    assert ("v0", "v5") in bound.graph.edges
    assert ("v1", "v2") not in bound.graph.edges
    twice = aw.learn(aw.table(SOURCE, weights=np.full(SOURCE.rows, 2.0)), **WORDS)
    copied = {n: np.tile(c, 2) for n, c in zip(SOURCE.names, SOURCE.columns, strict=True)}
    assert twice.graph == aw.learn(copied, **WORDS).graph
    bent = {
        n: np.exp((c - c.mean()) / c.std())
        for n, c in zip(SOURCE.names, SOURCE.columns, strict=True)
    }
    ranked = aw.learn(bent, search=aw.Stepwise(nonparanormal=True), **WORDS)
    assert ranked.graph == aw.learn(SOURCE, search=aw.Stepwise(nonparanormal=True), **WORDS).graph
    assert ranked.settings["search"] == "stepwise"


# -- the lasso -------------------------------------------------------------------------------------


def test_the_lasso_finds_its_penalty_by_ebic():
    found = aw.learn(SOURCE, **WORDS, search="glasso")
    assert found.settings["search"] == "glasso"
    assert found.settings["penalty_rule"] == "ebic"
    R = correlations(SOURCE)
    penalties = np.geomspace(largest_penalty(R), 0.01 * largest_penalty(R), 30)
    choice = by_ebic(R, SOURCE.rows, penalties)
    assert found.settings["penalty"] == pytest.approx(choice.penalty)
    assert str(found.notes[-1]).startswith("EBIC (gamma 0.5) is highest")
    assert [row["edges"] for row in found.tuning] == list(choice.edges)
    assert [row["ebic"] for row in found.tuning] == pytest.approx(choice.curve)
    assert len(choice.curve) == 30
    assert found.graph.n_edges == choice.edges[int(np.argmax(choice.curve))]
    assert "EBIC" in str(found)


@pytest.mark.parametrize("diagonal", [True, False])
def test_a_number_is_rho_on_the_scale_of_correlations(diagonal):
    net = aw.learn(SOURCE, penalty=0.15, search=aw.Glasso(diagonal=diagonal, refit=False), **WORDS)
    sd = SOURCE.matrix().std(axis=0)
    wanted = glasso(correlations(SOURCE), 0.15, penalise_diagonal=diagonal)
    theta = net.net.joint.precision * np.outer(sd, sd)
    np.testing.assert_allclose(theta, wanted.precision, atol=1e-6)
    assert net.graph.n_edges == wanted.n_edges
    assert any("shrunk" in note for note in net.notes)


def test_refitting_is_the_known_graphs_fit():
    net = aw.learn(SOURCE, **WORDS, penalty=0.15)
    wanted = fixed_graph(np.cov(SOURCE.matrix().T, bias=True), net.graph)
    np.testing.assert_allclose(net.net.joint.precision, wanted.precision, rtol=1e-7, atol=1e-9)
    assert any("without a penalty" in note for note in net.notes)


def test_the_scale_of_covariances():
    cov = np.cov(SOURCE.matrix().T, bias=True)
    rho = 0.3 * largest_penalty(cov)
    net = aw.learn(SOURCE, penalty=rho, search=aw.Glasso(scale="covariance", refit=False), **WORDS)
    np.testing.assert_allclose(net.net.joint.precision, glasso(cov, rho).precision, atol=1e-6)
    assert net.settings["penalty_unit"] == "rho, covariance units"


def test_pairs_without_an_edge_are_counted_and_not_listed():
    net = aw.fit(aw.ug("v0:v1 + v1:v2 + v3 + v4 + v5"), SOURCE)
    text = str(net.edges)
    assert text.endswith("\n13 pairs without an edge")
    assert text.splitlines()[1:3] == str(net.edges.present).splitlines()[1:]
    assert len(text.splitlines()) == 4
    assert len(net.edges) == 15
    scored = aw.learn(SOURCE, graph="undirected", score="bic", penalty=0.05)
    assert "without an edge" not in str(
        scored.edges
    )  # what an edge would bring is told of each pair


@pytest.mark.parametrize("word", ["aic", "bic", "bge", "loo"])
def test_a_score_is_no_rule_for_the_penalty(word):
    with pytest.raises(
        aw.OptionError, match=f"is a score, .* write score='{word}'; the rules are cv,"
    ):
        aw.learn(SOURCE, **WORDS, penalty=word)


@pytest.mark.parametrize("truth", [True, False])
def test_a_truth_value_is_no_penalty(truth):
    with pytest.raises(
        aw.FitError, match=f"non-negative number, or a rule such as 'cv', got {truth}"
    ):
        aw.learn(SOURCE, **WORDS, penalty=truth)


def test_rules_read_edges_as_results_print_them():
    triangle = ["v0 -- v5", "v5 - v4", "v4:v0"]
    for search in ("glasso", "neighbourhood", "boundary", "deletion"):
        words = {**WORDS, "search": search, "penalty": 0.3}
        net = aw.learn(SOURCE, **words, rules=aw.Rules(triangle, ["v1 -- v2"]))
        shown = [row.shown for row in net.edges.present]
        assert {"v0 -- v4", "v0 -- v5", "v4 -- v5"} <= set(shown)
        assert "v1 -- v2" not in shown
        again = aw.learn(SOURCE, **words, rules=aw.Rules(required=shown))
        assert set(net.graph.edges) <= set(again.graph.edges)
    with pytest.raises(aw.GraphError, match="edge v0 -- v5 without a direction"):
        aw.learn(SOURCE, rules=aw.Rules(triangle))
    first, second = aw.learn(SOURCE).graph.arcs[0]
    apart = aw.learn(SOURCE, rules=aw.Rules(forbidden=[f"{first} -- {second}"])).graph
    assert not apart.has_arc(first, second)
    assert not apart.has_arc(second, first)


def test_rules_free_and_forbid_edges():
    rules = aw.Rules(required=["v0 -> v5"], forbidden=["v1 -> v2"])
    for search in ("glasso", "neighbourhood"):
        strict = aw.learn(SOURCE, **WORDS, search=search, penalty=0.9, rules=rules)
        assert strict.graph.edges == (("v0", "v5"),)
        loose = aw.learn(SOURCE, **WORDS, search=search, penalty=0.001, rules=rules)
        assert ("v1", "v2") not in loose.graph.edges
        assert loose.graph.n_edges > 8


@pytest.mark.parametrize("rule", ["ebic", "stars", "ric", "cv", "cv-1se"])
def test_every_rule_gives_a_network_with_its_reason(rule):
    net = aw.learn(SOURCE, **WORDS, penalty=rule, seed=1)
    assert net.settings["penalty_rule"] == rule
    assert net.tuning
    assert f"{net.settings['penalty']:.4g}" in net.notes[-1]
    assert net.net.joint is not None
    again = aw.learn(SOURCE, **WORDS, penalty=rule, seed=1, n_jobs=2)
    assert again.graph == net.graph
    assert again.tuning == net.tuning


@pytest.mark.parametrize("rule", ["ebic", "stars", "ric", "cv-1se"])
def test_how_the_penalty_was_chosen_is_written_and_drawn(rule, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    net = aw.learn(SOURCE, **WORDS, penalty=rule)
    net.save_tuning(tmp_path / "curve.json")
    rows = json.loads((tmp_path / "curve.json").read_text())
    assert [row["penalty"] for row in rows if row["chosen"]] == [net.settings["penalty"]]
    assert [{k: v for k, v in row.items() if k != "chosen"} for row in rows] == list(net.tuning)
    assert net.save_tuning(tmp_path / "curve.PNG").read_bytes().startswith(b"\x89PNG")
    net.save(tmp_path / "net.json")
    again = aw.load(tmp_path / "net.json")
    assert again.tuning_rows() == net.tuning_rows()
    with pytest.raises(aw.FileError, match="must end in"):
        net.save_tuning(tmp_path / "curve.txt")


def test_stability_goes_with_rules_weights_and_neighbourhoods():
    rules = aw.Rules(required=["v0 -> v5"], forbidden=["v1 -> v2"])
    for search in (aw.Glasso(subsamples=8), aw.Neighbourhood(subsamples=8)):
        words = {**WORDS, "search": search, "penalty": "stars", "rules": rules}
        net = aw.learn(SOURCE, **words)
        assert ("v0", "v5") in net.graph.edges
        assert ("v1", "v2") not in net.graph.edges
        assert aw.learn(SOURCE, **words, n_jobs=2).tuning == net.tuning
        turned = aw.learn(SOURCE.select(SOURCE.names[::-1]), **words)
        assert turned.graph == net.graph
        assert aw.learn(SOURCE, **{**words, "rules": aw.Rules()}).tuning != net.tuning
    heavy = np.random.default_rng(0).uniform(0, 3, SOURCE.rows)
    weighted = aw.learn(aw.table(SOURCE, weights=heavy), penalty="stars", **WORDS)
    assert weighted.tuning != aw.learn(SOURCE, **WORDS, penalty="stars").tuning
    assert aw.learn(
        aw.table(SOURCE, weights=np.full(SOURCE.rows, 2.0)), penalty="stars", **WORDS
    ).graph == (aw.learn(SOURCE, **WORDS, penalty="stars").graph)
    with pytest.raises(aw.FitError, match="rows must have no weights"):
        aw.learn(aw.table(SOURCE, weights=heavy), penalty="ric", **WORDS)


def test_a_column_that_does_not_vary_does_not_matter_to_rules():
    flat = {**dict(zip(SOURCE.names, SOURCE.columns, strict=True)), "a": np.full(SOURCE.rows, 2.5)}
    rules = aw.Rules(forbidden=["v1 -> v2"])
    for rule in ("stars", "ric", "ebic"):
        plain = aw.learn(SOURCE, **WORDS, penalty=rule, rules=rules)
        net = aw.learn(flat, **WORDS, penalty=rule, rules=rules)
        assert net.graph.edges == plain.graph.edges
        assert net.settings["penalty"] == pytest.approx(plain.settings["penalty"])


def test_a_penalty_that_was_given_has_no_curve(tmp_path):
    net = aw.learn(SOURCE, **WORDS, penalty=0.2)
    for ask in (net.tuning_rows, net.plot_tuning, lambda: net.save_tuning(tmp_path / "a.csv")):
        with pytest.raises(aw.FitError, match="no tuning curve: "):
            ask()


def test_searches_that_are_not_the_lasso_get_a_joint_too():
    for search in ("boundary", "deletion", "neighbourhood"):
        net = aw.learn(SOURCE, **WORDS, search=search)
        wanted = fixed_graph(np.cov(SOURCE.matrix().T, bias=True), net.graph)
        np.testing.assert_allclose(net.net.joint.precision, wanted.precision, rtol=1e-7, atol=1e-9)
    sided = aw.learn(SOURCE, **WORDS, search="boundary").edges.present.rows[0]
    assert sided.first_side is not None
    assert sided.sign in (-1, 1)


def test_moments_will_do_where_no_rows_are_needed(found):
    moments = aw.Moments.of(SOURCE)
    assert aw.learn(moments, **WORDS).graph == found.graph
    assert aw.learn(moments, **WORDS, penalty=0.1).graph.n_edges > 0
    for words in (
        {"penalty": "stars"}, {"penalty": "ric"}, {"penalty": "cv"},
        {"search": aw.Stepwise(nonparanormal=True)},
    ):  # fmt: skip
        with pytest.raises(aw.FitError, match="rows"):
            aw.learn(moments, **WORDS, **words)


def test_ranks_do_not_mind_the_shape_of_columns():
    bent = {
        name: np.exp((column - column.mean()) / column.std())
        for name, column in zip(SOURCE.names, SOURCE.columns, strict=True)
    }
    plain = aw.learn(SOURCE, penalty=0.2, search=aw.Glasso(nonparanormal=True), **WORDS)
    again = aw.learn(bent, penalty=0.2, search=aw.Glasso(nonparanormal=True), **WORDS)
    assert again.graph == plain.graph
    np.testing.assert_allclose(again.edges.partial, plain.edges.partial, atol=1e-9)
    mean = np.array([np.mean(bent[name]) for name in SOURCE.names])
    np.testing.assert_allclose(again.net.joint.mean, mean)
    assert any("ranks" in note for note in again.notes)


def test_correlations_of_columns_with_gaps_are_estimated_by_em():
    x = SOURCE.matrix().copy()
    x[np.random.default_rng(0).random(x.shape) < 0.3] = np.nan
    net = aw.learn(x, **WORDS)
    assert any("used, by EM" in note for note in net.notes)
    assert net.graph.n_edges > 0
    assert aw.learn(x, **WORDS, missing="drop").rows < 30 <= net.rows


# -- paths -----------------------------------------------------------------------------------------


def test_a_path_of_the_lasso():
    path = aw.path(SOURCE, **WORDS)
    assert len(path.knots) == 30
    assert path.unit == "rho"
    penalties, edges = map(np.array, zip(*path.curve(), strict=True))
    assert (np.diff(penalties) > 0).all()
    assert penalties[-1] == pytest.approx(largest_penalty(correlations(SOURCE)))
    assert penalties[0] == pytest.approx(0.01 * penalties[-1])
    assert edges[-1] == 0
    for penalty in (penalties[10], 0.2345):
        net = aw.learn(SOURCE, **WORDS, penalty=penalty)
        assert path.at(penalty) == net.graph == path.network(penalty).graph
        np.testing.assert_allclose(
            path.network(penalty).net.joint.precision, net.net.joint.precision, atol=1e-6
        )
    assert path.path.at(penalties[10]) == path.knots[10].graph
    assert path.path.at(0.5 * (penalties[9] + penalties[10])) == path.knots[10].graph
    assert path.path.at(9.0).n_edges == 0
    with pytest.raises(aw.FitError, match="solved down to"):
        path.path.at(1e-6)
    assert path.network(0.0).graph.n_edges == 15
    assert "at penalty" in str(path)
    assert json.loads(json.dumps(path.document()))["grid"] is True
    few = aw.path(SOURCE, search=aw.Neighbourhood(n_penalties=5, min_ratio=0.1), **WORDS)
    assert len(few.knots) == 5


def test_it_is_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert aw.path(SOURCE, search=aw.Glasso(n_penalties=5), **WORDS).plot(at=0.3) is not None


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ({"penalty": -0.1}, "non-negative number"),
        ({"penalty": float("nan")}, "non-negative number"),
        ({"penalty": "ebicc"}, "Did you mean 'ebic'"),
        ({"scale": "covariance"}, "search=aw.Glasso(scale='covariance')"),
        ({"search": "glass"}, "Did you mean 'glasso'"),
        ({"search": "glasso", "score": "bic"}, "penalised likelihood"),
        ({"search": "boundary", "penalty": "ebic"}, "lasso"),
        ({"model": "parzen", "search": "glasso"}, "model='gaussian'"),
        ({"search": "neighbourhood", "refit": True}, "search=aw.Glasso(refit=True)"),
        ({"penalty": "ric", "search": aw.Glasso(scale="covariance")}, "scale='covariance'"),
        ({"search": aw.Glasso(min_ratio=0.0)}, "min_ratio="),
        ({"search": aw.Auto(start="complete")}, "complete graph"),
        ({"rules": aw.Rules(tiers=[["v0"], ["v1"]])}, "directed arcs"),
    ],
    ids=str,
)
def test_words_that_make_no_sense_are_rejected(words, hint):
    with pytest.raises(aw.ArcwiseError) as caught:
        aw.learn(SOURCE, **{**WORDS, **words})
    assert hint in str(caught.value)


def test_a_directed_graph_has_no_rule_of_the_lasso():
    with pytest.raises(aw.FitError, match="lasso"):
        aw.learn(SOURCE, penalty="ebic")


def test_far_more_columns_than_rows():
    wide = np.random.default_rng(0).normal(size=(20, 60))
    net = aw.learn(wide, **WORDS)
    assert net.net.joint is not None
    own = aw.learn(wide, **WORDS, penalty=0.2)
    assert any("the noise of few rows" in note for note in own.notes)
    assert np.isfinite(own.logpdf(wide)).all()
    # A maximum exists with fewer rows than columns, and with fewer than neighbours; not on any graph.
    forced = aw.learn(wide, penalty=0.2, search=aw.Glasso(refit=True), **WORDS).net
    edges = np.array([[j in row for j in range(60)] for row in forced.graph.neighbours]) | np.eye(
        60, dtype=bool
    )
    sample = np.cov(wide.T, bias=True)
    numbers = [int("".join(filter(str.isdigit, name))) for name in forced.names]
    numbers = np.argsort(np.argsort(numbers))
    there = sample[np.ix_(numbers, numbers)]
    np.testing.assert_allclose(forced.joint.covariance[edges], there[edges], atol=1e-7)
    with pytest.raises(aw.FitError, match="no maximum"):
        aw.learn(wide, penalty=0.02, search=aw.Glasso(refit=True), **WORDS)
    with pytest.raises(aw.FitError, match="larger penalty"):
        aw.learn(wide, **WORDS, penalty=0)


def test_constant_columns_and_copies():
    x = SOURCE.matrix()
    flat = {"a": x[:, 0], "b": x[:, 1], "flat": np.full(150, 2.0), "copy": x[:, 0]}
    net = aw.learn(flat, **WORDS)
    assert net.neighbours("flat") == ()
    assert any("'flat' does not vary" in note for note in net.notes)
    assert net.query("flat").mean == pytest.approx(2.0)
    pair = aw.fit(aw.ug("a:copy + b + flat"), flat, model="gaussian")
    assert any("'a' and 'copy' determine each other" in note for note in pair.notes)
    told = pair.query("a", given={"copy": 0.5})
    assert told.mean == pytest.approx(0.5, abs=1e-3)
    assert told.sd < 0.01 * x[:, 0].std()
    few = dict(zip("abcd", x[:3, :4].T, strict=True))
    triple = aw.fit(aw.ug("a:b:c:d"), few, model="gaussian")
    assert triple.net.joint is None  # three rows are too few for a clique of four
    assert any("each variable is regressed" in note for note in triple.notes)


def test_errors_name_columns():
    x = dict(zip(SOURCE.names, SOURCE.columns, strict=True))
    rare = {**x, "rare": np.eye(SOURCE.rows)[3]}
    with pytest.raises(aw.FitError, match="Column 'rare' does not vary in the 122 rows used"):
        aw.learn(rare, **WORDS, penalty="stars")
    with pytest.raises(aw.FitError, match="Column 'rare' does not vary in the 122 rows used"):
        aw.learn(rare, **WORDS, penalty="stars", n_jobs=2)
    for words in (WORDS, {"model": "gaussian"}, {**WORDS, "search": "boundary"}):
        with pytest.raises(aw.FitError, match="column 'rare' is constant: drop"):
            aw.learn(rare, **words, penalty="cv")
    few = {name: column[:4] for name, column in x.items()}
    for ask in (
        lambda: aw.learn(few, **WORDS, penalty=0.0),
        lambda: aw.path(few, **WORDS).network(0.0),
    ):
        with pytest.raises(aw.FitError, match=r"columns 'v0', 'v1', .* is singular"):
            ask()
    gaps = np.full((20, 3), np.nan)
    gaps[:10, 0], gaps[10:, 1], gaps[:, 2] = np.arange(10), np.arange(10), np.arange(20)
    net = aw.learn(dict(zip("abc", gaps.T, strict=True)), **WORDS)
    assert any("Never observed in the same row: 'a' and 'b'" in note for note in net.notes)


def test_matrices_that_are_no_covariance():
    for cov, hint in (
        ([[1.0, 0.5], [0.2, 1.0]], "symmetric"),
        ([[1.0, 1.5], [1.5, 1.0]], "indefinite|correlation"),
        ([[1.0, np.nan], [np.nan, 1.0]], "finite|number"),
    ):
        with pytest.raises(aw.ArcwiseError, match=hint):
            aw.learn(aw.Moments.given(["a", "b"], 50, [0.0, 0.0], cov), **WORDS, penalty=0.1)
