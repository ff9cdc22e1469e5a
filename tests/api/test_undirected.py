"""Undirected networks: learned, fitted, asked, and what they refuse."""

import numpy as np
import pytest
from contracts.cases import linear, nasty
from contracts.laplace import Laplace

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.graphs import numbered_cliques
from arcwise.learners.boundary import BoundaryLearner
from arcwise.networks import MarkovNet
from arcwise.scores import ebic, leave_one_out, loglik
from arcwise.undirected import boundary, edge_limits

SOURCE = linear(1, rows=80, p=6)


def curved(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    a, e, c = rng.normal(size=(3, rows))
    return aw.table({"a": a, "b": a**2 + 0.3 * e, "c": c})


@pytest.fixture(scope="module")
def net():
    return aw.learn(SOURCE, graph="undirected", search="boundary", penalty=0.01)


@pytest.fixture(scope="module")
def parzen():
    return aw.learn(curved(), graph="undirected", model="parzen")


def test_the_graph_is_that_of_the_path(net):
    path = boundary(ebic(FAMILIES["gaussian"].bind(SOURCE)))
    assert net.graph == path.at(0.01)
    own = [net.scorer.local(i, row) for i, row in enumerate(net.graph.neighbours)]
    assert net.trace[-1].score == pytest.approx(sum(own))
    assert net.score == pytest.approx(aw.score(net.graph, SOURCE, score="ebic"))  # of the joint
    assert net.settings["graph"] == "undirected"
    assert net.settings["penalty"] == 0.01
    assert net.notes == ()
    assert str(net.stopped) == "every edge left is worth its penalty"
    assert net.trace[-1].edges == net.graph.n_edges
    assert not net.optimal
    assert isinstance(net.net, MarkovNet)
    assert net.net.typical == ()
    for row in net.edges.present:
        assert row.strength >= 0.01


@pytest.mark.parametrize("search", BoundaryLearner.searches)
@pytest.mark.parametrize("score", ["bic", "loo", "kfold", "heldout", "bge"])
def test_every_search_takes_every_score(search, score):
    found = aw.learn(SOURCE, graph="undirected", search=search, score=score, penalty=0.02)
    assert found.settings["search"] == ("boundary" if search == "auto" else search)
    assert found.graph.nodes == SOURCE.names
    assert np.isfinite(found.score)


def test_rules_bind_edges_whatever_their_direction():
    rules = aw.Rules(required=[("v5", "v0")], forbidden=[("v1", "v2")])
    free = aw.learn(SOURCE, graph="undirected", search="boundary")
    bound = aw.learn(SOURCE, graph="undirected", search="boundary", rules=rules)
    assert ("v0", "v5") in bound.graph.edges
    assert ("v1", "v2") not in bound.graph.edges
    assert free.graph != bound.graph
    limits = edge_limits(rules, SOURCE.names)
    score = ebic(FAMILIES["gaussian"].bind(SOURCE))
    assert bound.graph == boundary(score, limits=limits).at(0.0)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ({"search": aw.Auto(start="complete")}, "starts from the complete graph"),
        (
            {"search": aw.Auto(start=aw.DAG.from_arcs([("v0", "v1")]))},
            "starts from the complete graph",
        ),
        ({"prior": aw.Prior(graph=aw.DAG.from_arcs([("v0", "v1")]))}, "by rules"),
        ({"rules": aw.Rules(tiers=[["v0"], ["v1"]])}, "directed arcs"),
        ({"rules": aw.Rules(max_parents=2)}, "directed arcs"),
        ({"search": "bondary"}, "Did you mean 'boundary'"),
        ({"search": "tabu"}, "'boundary'"),
        ({"penalty": -1}, "non-negative number"),
        ({"penalty": "cvv"}, "Did you mean 'cv'"),
        ({"restarts": 3}, "no parameter 'restarts'"),
        ({"threads": 2}, "no parameter 'threads'"),
        ({"model": lambda: aw.Parzen(bandwidths="on")}, "Did you mean 'one'"),
        ({"model": lambda: aw.Parzen(bandwidths=2)}, "has no value 2"),
    ],
    ids=lambda each: each if isinstance(each, str) else ",".join(each),
)
def test_what_concerns_directions_or_makes_no_sense_is_rejected(words, hint):
    made = {
        name: value if callable(value) else lambda each=value: each for name, value in words.items()
    }
    with pytest.raises(aw.ArcwiseError) as caught:
        aw.learn(SOURCE, graph="undirected", **{name: make() for name, make in made.items()})
    assert hint in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


def test_a_search_for_undirected_graphs_is_none_for_directed_ones():
    with pytest.raises(aw.OptionError, match="'greedy'"):
        aw.learn(SOURCE, search="boundary")


# -- penalties -----------------------------------------------------------------------------------


def test_no_penalty_means_the_models_own(parzen):
    rows, pairs = 60, 3
    own = np.log(rows * (10 + pairs) / 100) / rows
    assert parzen.settings["penalty"] == pytest.approx(own)
    assert parzen.settings["score"] == "pseudo-loo"
    said = f"The penalty per edge is {own:.3g} nats per row, the default of parzen networks with 60 rows"
    assert any(said in n for n in parzen.notes)
    given = aw.learn(
        curved(), graph="undirected", model="parzen", penalty=parzen.settings["penalty"]
    )
    assert given.graph == parzen.graph == aw.ug("a:b + c")
    assert given.settings == parzen.settings
    assert not any("default" in note for note in given.notes)
    directed = aw.learn(curved(), model="parzen")
    assert directed.settings["penalty"] == parzen.settings["penalty"]
    assert "penalty" not in aw.learn(SOURCE).settings
    assert "penalty" not in aw.learn(SOURCE, graph="undirected", search="boundary").settings


@pytest.mark.parametrize("rule", ["cv", "cv-1se"])
def test_a_penalty_by_held_out_pseudo_likelihood(rule):
    net = aw.learn(SOURCE, graph="undirected", search="boundary", penalty=rule)
    assert net.settings["score"] == "loglik"
    assert net.settings["penalty_rule"] == rule
    best = max(net.tuning, key=lambda row: (row["mean"], row["penalty"]))
    if rule == "cv":
        assert net.settings["penalty"] == best["penalty"]
    assert net.graph == boundary(loglik(FAMILIES["gaussian"].bind(SOURCE))).at(
        net.settings["penalty"]
    )
    edges = [row["edges"] for row in net.tuning]
    assert edges[0] == 15
    assert edges[-1] < 3
    assert edges == sorted(edges, reverse=True)
    two = aw.learn(SOURCE, graph="undirected", search="boundary", penalty=rule, n_jobs=2)
    assert two.tuning == net.tuning
    assert str(net.notes[-1]).startswith(f"Penalty {net.settings['penalty']:.4g} is the ")
    assert "(likelihood of held-out rows" in net.notes[-1]


def test_one_edge_on_average_is_no_edges():
    pair = linear(1, p=2)
    for rule in ("cv", "cv-1se"):
        net = aw.learn(pair, graph="undirected", search="boundary", penalty=rule)
        assert "1 edge on average" in net.notes[-1]


def test_a_tuned_parzen_penalty_keeps_leave_one_out():
    # With fewer rows, a few held-out ones far from all others rule the mean.
    net = aw.learn(curved(150), graph="undirected", model="parzen", penalty="cv")
    assert net.settings["score"] == "pseudo-loo"
    assert ("a", "b") in net.graph.edges
    assert "(pseudo-likelihood of held-out rows" in net.notes[-1]


# -- the network ---------------------------------------------------------------------------------


def test_neighbours_and_separation(net):
    for name in net.variables:
        assert net.neighbours(name) == net.blanket(name) == net.graph.neighbours_of(name)
        rest = [v for v in net.variables if v != name and v not in net.blanket(name)]
        assert not rest or net.separated(name, rest, given=net.blanket(name))
    cliques = net.factorisation.removeprefix("(1/Z)").count("g(")
    assert cliques == len(numbered_cliques(net.graph))
    assert net.factorisation.startswith("(1/Z)g(")
    assert f"{net.graph.n_edges} edges" in repr(net)
    assert not net.directed
    assert {frozenset(edge) for edge in net.to_networkx().edges} == {
        frozenset(edge) for edge in net.graph.edges
    }


def test_it_is_drawn(net):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert net.plot(target="v0") is not None
    assert net.plot_trace() is not None


@pytest.mark.parametrize("ending", [".json", ".arcwise"])
def test_files_keep_it_with_its_edges(net, parzen, ending, tmp_path):
    for number, each in enumerate((net, parzen)):
        again = aw.load(each.save(tmp_path / f"{number}{ending}"))
        assert again.graph == each.graph
        assert (again.score, again.settings, again.notes) == (each.score, each.settings, each.notes)
        assert str(again.edges) == str(each.edges)
        asked = {"given": {each.variables[1]: 0.3}, "sweeps": 20, "chains": 2}
        first = each.variables[0]
        assert again.query(first, **asked).mean == each.query(first, **asked).mean


def test_a_directed_network_has_neighbours_too():
    net = aw.learn(SOURCE)
    for name in net.variables:
        assert set(net.neighbours(name)) == {*net.parents(name), *net.children(name)}
    assert net.directed


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda net: net.parents("v0"), "neighbours"),
        (lambda net: net.children("v0"), "neighbours"),
        (lambda net: net.cpdag, "graph"),
        (lambda net: net.query("v0", do={"v1": 1.0}), "given="),
        (lambda net: net.neighbours("v9"), "'v9'"),
        (lambda net: net.pseudo_logpdf({"v0": [1.0]}), "values are missing"),
        (lambda net: aw.learn(SOURCE).pseudo_logpdf(SOURCE), "density"),
    ],
)
def test_what_an_undirected_network_cannot_do_is_said_with_what_it_can(net, call, hint):
    with pytest.raises(aw.ArcwiseError) as caught:
        call(net)
    assert hint in str(caught.value)


def test_pseudo_likelihood_is_the_sum_over_local_models(net):
    expected = np.zeros(SOURCE.rows)
    for i, row in enumerate(net.graph.neighbours):
        xs = tuple(SOURCE.columns[j] for j in row)
        expected += net[SOURCE.names[i]].logpdf(SOURCE.columns[i], xs)
    np.testing.assert_allclose(net.pseudo_logpdf(SOURCE), expected)


@pytest.mark.parametrize("which", ["net", "parzen"])
def test_it_answers_predicts_fills_and_draws(which, request):
    net = request.getfixturevalue(which)
    first, second = net.variables[:2]
    belief = net.query(first, given={second: 0.5}, seed=1, chains=4, sweeps=50)
    assert np.isfinite(belief.mean)
    assert (
        belief.document()
        == net.query(first, given={second: 0.5}, seed=1, chains=4, sweeps=50).document()
    )
    drawn = net.sample(20, seed=2)
    assert drawn.order == net.variables
    rows = {name: list(drawn.column(name)) for name in drawn.names}
    rows[first][3] = None
    filled = net.impute(rows)
    assert not filled.missing().any()
    assert np.isfinite(net.predict(rows, second).mean).all()
    with pytest.raises(aw.ArcwiseError, match="chain"):
        net.query(first, given={second: 0.5}, chain=4)


def test_words_of_local_models(net, parzen):
    assert net.local("v1").startswith("v1 = ")
    assert all(name in net.local("v1") for name in net.neighbours("v1"))
    assert "Parzen windows" in parzen.local("b")
    assert "given a:" in parzen.local("b")


def test_a_model_without_words_shows_itself(monkeypatch):
    monkeypatch.setitem(FAMILIES, "laplace", Laplace())
    net = aw.learn(linear(5, rows=30, p=3), graph="undirected", model="laplace", score="bic")
    assert net.local("v0").startswith("v0: LaplaceConditional(")


def test_the_summary_has_both_sides(net):
    text = str(net)
    assert "second side" in text
    assert "->" not in text


def test_moments_will_do_for_gaussian_networks():
    moments = aw.Moments.of(SOURCE)
    words = {"graph": "undirected", "search": "boundary", "penalty": 0.01}
    net = aw.learn(moments, **words)
    assert net.graph == aw.learn(SOURCE, **words).graph
    assert net.net.joint is not None
    with pytest.raises(aw.FitError, match="rows"):
        aw.learn(moments, graph="undirected", model="parzen")
    with pytest.raises(aw.FitError, match="rows"):
        aw.learn(moments, graph="undirected", penalty="cv")


def test_chains_start_at_rows_of_the_data():
    few, many = linear(1, rows=80, p=3), linear(1, rows=2000, p=3)
    graph = aw.ug("v0:v1 + v1:v2")
    starts = aw.fit(graph, few, model="parzen").net.starts
    np.testing.assert_array_equal(starts, few.columns)
    rows = np.column_stack(aw.fit(graph, many, model="parzen").net.starts)
    assert rows.shape == (512, 3)
    assert {tuple(row) for row in rows} <= {tuple(row) for row in many.matrix()}
    np.testing.assert_array_equal(rows[[0, -1]], many.matrix()[[0, -1]])


def test_chains_of_a_normal_distribution_start_at_points_with_its_moments():
    source = linear(1, rows=80, p=3)
    net = aw.fit(aw.ug("v0:v1 + v1:v2"), source)
    rows = np.column_stack(net.net.starts)
    assert rows.shape == (4, 3)
    assert not np.isin(rows, source.matrix()).any()
    np.testing.assert_allclose(rows.mean(axis=0), net.net.joint.mean)
    np.testing.assert_allclose(np.cov(rows.T, bias=True), net.net.joint.covariance)
    seen = float(net.net.joint.mean[2])
    sure, drawn = (net.query("v0", {"v2": seen}, method=how) for how in (None, "gibbs"))
    assert drawn.mean == pytest.approx(sure.mean, abs=5 * drawn.error)
    assert drawn.quality.notes == ()  # no evidence far from the data


def test_few_rows_for_the_columns_are_said():
    noise = np.random.default_rng(0).normal(size=(20, 12))
    words = {"graph": "undirected", "search": "boundary"}
    assert any("Rows are few (20 for 12" in n for n in aw.learn(noise, **words).notes)
    assert any("Rows are few" in n for n in aw.path(noise, search="boundary").notes)
    assert aw.learn(noise[:, :4], **words).notes == ()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "words",
    [{}, {"score": "loo"}, {"model": "parzen"}, {"model": aw.Parzen(bandwidths="shared")}],
)
def test_awkward_columns_never_raise(words, tmp_path):
    net = aw.learn(nasty(1), graph="undirected", **words)
    assert np.isfinite(net.score)
    assert np.isfinite(net.pseudo_logpdf(nasty(1))).all()
    str(net)
    for name in net.variables:
        net.local(name)
    assert aw.load(net.save(tmp_path / "net.json")).graph == net.graph


# -- budgets -------------------------------------------------------------------------------------


def test_where_time_is_up_the_graph_reached_is_returned_and_said():
    wide = np.random.default_rng(1).normal(size=(200, 60))
    rules = aw.Rules(required=["x1 -- x2"])
    net = aw.learn(
        wide, graph="undirected", search="boundary", penalty=5.0, rules=rules, time_limit=0.0
    )
    assert "time budget" in str(net.stopped)
    assert net.graph.n_edges == 1  # no edge was judged: only the required one stands
    assert any("was stopped before" in note for note in net.notes)
    path = aw.path(wide, search="boundary", time_limit=0.0)
    assert "time budget" in str(path.stopped)
    with pytest.raises(aw.FitError, match=r"ended early .* no step yet: allow more time\.$"):
        path.at(5.0)


# -- shared bandwidths, threads ----------------------------------------------------------------------


@pytest.mark.parametrize("graph", ["directed", "undirected"])
def test_a_shared_width_is_tuned_between_runs(graph):
    table = curved(50)
    net = aw.learn(table, graph=graph, model=aw.Parzen(bandwidths="shared"))
    bandwidths = {float(width) for model in net.net.conditionals for width in model.bandwidths}
    assert len(bandwidths) == 1
    before = FAMILIES["parzen"].bind(table, bandwidths="shared")
    assert bandwidths != {before.width}
    rows = [net.net.inputs[i] for i in range(3)]
    as_before = sum(leave_one_out(before).local(i, row) for i, row in enumerate(rows))
    assert sum(net.scorer.local(i, row) for i, row in enumerate(rows)) >= as_before
    if graph == "directed":
        assert [step.number for step in net.trace] == list(range(1, len(net.trace) + 1))
        assert not net.optimal


def test_threads_are_handed_to_families_that_take_them(monkeypatch):
    asked = []

    class Threaded(Laplace):
        def fits(self, statistics, *, threads: int = 1):
            asked.append(threads)
            return super().fits(statistics)

    monkeypatch.setitem(FAMILIES, "laplace", Threaded())
    small = linear(5, rows=30, p=3)
    for jobs in (1, 3):
        aw.learn(small, model="laplace", score="bic", n_jobs=jobs)
        aw.path(small, model="laplace", score="bic", n_jobs=jobs)
    assert asked == [1, 1, 3, 3]
    with pytest.raises(aw.OptionError, match="threads"):
        aw.learn(small, model="laplace", threads=2)
    for wrong in (0, -2, 1.5, True):
        with pytest.raises(aw.OptionError, match="n_jobs"):
            aw.learn(small, n_jobs=wrong)


def test_results_are_the_same_for_any_number_of_threads():
    one, two = (aw.learn(curved(), graph="undirected", model="parzen", n_jobs=n) for n in (1, 2))
    assert one.graph == two.graph
    assert one.score == two.score


# -- blankets of directed networks ---------------------------------------------------------------


def test_directed_networks_without_closed_form_carry_blanket_models():
    net = aw.learn(curved(), model="parzen")
    blankets = net.net.blankets
    for name in net.variables:
        assert blankets.graph.neighbours_of(name) == net.blanket(name)
    assert aw.learn(SOURCE).net.blankets is None
    mixed = aw.fit("[a][b|a][c]", curved(), model={"a": "gaussian", "b": "parzen", "c": "gaussian"})
    assert mixed.net.blankets.models == ("gaussian", "parzen", "gaussian")


# -- known graphs --------------------------------------------------------------------------------


def test_a_known_undirected_graph_is_fitted():
    net = aw.fit(aw.ug("v0:v1 + v1:v2"), SOURCE)
    assert net.variables == ("v0", "v1", "v2")
    assert net.graph == aw.ug("v0:v1 + v1:v2")
    assert net["v1"].variance == pytest.approx(1 / net.net.joint.precision[1, 1])
    assert net.settings["score"] == "bic"
    directed = aw.fit("[v0][v1|v0][v2|v1]", SOURCE)  # the same model, as a chain
    assert net.score == pytest.approx(directed.score)
    np.testing.assert_allclose(net.logpdf(SOURCE), directed.logpdf(SOURCE))


def test_all_others_without_any_structure():
    names = ("a", "b", "c")
    net = aw.fit(
        aw.UGraph.complete(names), curved(), model=aw.Parzen(bandwidths="one", min_bandwidth=0.05)
    )
    assert all(len(model.inputs) == 2 for model in net.net.conditionals)
    assert net.settings["score"] == "pseudo-loo"
    assert net.settings["model_options"] == {"parzen": {"bandwidths": "one", "min_bandwidth": 0.05}}
    assert all(model.bandwidths[0] == model.bandwidths[1] for model in net.net.conditionals)
    assert np.isfinite(net.query("b", given={"a": 1.0}, sweeps=20, chains=4).mean)
    mixed = aw.fit(aw.UGraph.complete(names), curved(), model={"b": "parzen"})
    assert mixed.net.models == ("gaussian", "parzen", "gaussian")
    own = [aw.fit(aw.UGraph.complete(names), curved(), model=m) for m in ("gaussian", "parzen")]
    leave = [leave_one_out(FAMILIES[m].bind(curved())) for m in ("gaussian", "parzen")]
    assert mixed["b"].loo == own[1]["b"].loo
    assert mixed.settings["score"] == "pseudo-loo"
    expected = [leave[name == "b"].local(i, net.net.inputs[i]) for i, name in enumerate(names)]
    assert mixed.score == pytest.approx(sum(expected))
    with pytest.raises(aw.OptionError, match="widht"):
        aw.fit(aw.UGraph.complete(names), curved(), model="parzen", widht="one")


# -- artificial rows -----------------------------------------------------------------------------


@pytest.mark.parametrize("words", [{}, {"model": "parzen"}, {"graph": "undirected"}], ids=str)
def test_artificial_rows_count_like_real_ones(words):
    table = curved(40)
    rows = {"a": [0.5, 1.5], "b": [9.0, 8.0], "c": [0.0, 0.0], "more": [1, 2]}
    net = aw.learn(table, prior=aw.Prior(rows=rows), **words)
    joined = {n: [*table.column(n), *rows[n]] for n in table.names}
    same = aw.learn(joined, **words)
    assert net.graph == same.graph
    assert net.score == pytest.approx(same.score)
    assert net.rows == 42
    assert "2 artificial rows count like real ones." in map(str, net.notes)
    assert aw.learn(table, **words).score != pytest.approx(net.score)


def test_artificial_rows_may_lie_in_a_file(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b,c\n0.5,9,0\n1.5,8,0\n")
    net = aw.learn(curved(40), prior=aw.Prior(rows=tmp_path / "rows.csv"))
    assert net.rows == 42
    with pytest.raises(aw.ArcwiseError, match="nowhere"):
        aw.learn(curved(40), prior=aw.Prior(rows=str(tmp_path / "nowhere.csv")))


def test_artificial_rows_with_weights():
    table = curved(40).with_weights(np.full(40, 2.0))
    one = {"a": [0.5], "b": [9.0], "c": [0.0]}
    net = aw.learn(table, prior=aw.Prior(rows=one))
    assert net.rows == 81
    assert "1 artificial row counts like real ones." in map(str, net.notes)


@pytest.mark.parametrize(
    ("rows", "hint"),
    [
        ({"a": [1.0], "b": [2.0]}, "'c' is missing or has missing values"),
        (
            {"a": [1.0, None], "b": [2.0, 2.0], "c": [0.0, 0.0]},
            "'a' is missing or has missing values",
        ),
        ({"a": ["x"], "b": [2.0], "c": [0.0]}, "'a'"),
        ({"x": [1.0]}, "'a'"),
        ({"a": [], "b": [], "c": []}, "no row"),
    ],
)
def test_artificial_rows_that_do_not_fit_are_rejected(rows, hint):
    with pytest.raises(aw.DataError, match=hint):
        aw.learn(curved(40), prior=aw.Prior(rows=rows))


def test_artificial_rows_go_with_moments_and_are_never_held_out():
    both = aw.learn(aw.Moments.of(SOURCE), prior=aw.Prior(rows=SOURCE))
    assert both.rows == 2 * SOURCE.rows
    found = aw.validate(
        curved(40), folds=3, search="greedy", prior=aw.Prior(rows=curved(30, seed=1))
    )
    assert found.log_density.shape == (40,)
    plain = aw.validate(curved(40), folds=3, search="greedy")
    assert found.mean != plain.mean
    tuned = aw.learn(
        curved(40), penalty="cv", search="greedy", prior=aw.Prior(rows=curved(30, seed=1))
    )
    assert tuned.rows == 70


@pytest.mark.parametrize(
    ("model", "measure"), [("gaussian", "log density"), ("parzen", "log pseudo-likelihood")]
)
def test_cross_validation_names_what_it_measures(model, measure):
    found = aw.validate(curved(40), graph="undirected", folds=3, model=model)
    assert found.measure == measure
    assert measure in str(found)
    assert len(found.edges) == 3
