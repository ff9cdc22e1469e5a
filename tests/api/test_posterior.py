"""aw.posterior: what it says, in which ways, and what becomes of odd input."""

import json
import os
import signal
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import DataError, FileError, FitError, GraphError, NoTimeError, OptionError
from arcwise.graphs import members
from arcwise.learners.posteriors import exact_sums, graph_chains
from arcwise.mcmc import run
from arcwise.results import ASKED, Result

NAMES = ["RM", "LSTAT", "MEDV", "AGE", "CRIM"]


@pytest.fixture(scope="module")
def homes():
    table = aw.example("boston").select(NAMES)
    return table.take(np.arange(0, table.rows, 4))


@pytest.fixture(scope="module")
def exact(homes):
    return aw.posterior(homes)


@pytest.fixture(scope="module")
def narrow(homes):
    """A posterior on fewer graphs than answers are averaged over."""
    return aw.posterior(homes, score="bge")


@pytest.fixture(scope="module")
def boot(homes):
    return aw.posterior(homes, method="bootstrap", draws=60)


@pytest.fixture(scope="module")
def chains(homes):
    return aw.posterior(homes, method=aw.MCMC(chains=4), draws=400)


# -- what it says ----------------------------------------------------------------------------------


def test_frequencies_are_those_of_a_plain_loop(homes):
    """The same weights, one learning run after the other, counted by hand."""
    found = aw.posterior(homes, method="bootstrap", draws=8, search="greedy", seed=5)
    counts = np.zeros((5, 5))
    for number in range(8):
        rng = np.random.default_rng(5).spawn(5)[4].spawn(8)[number]
        weights = rng.multinomial(homes.rows, np.full(homes.rows, 1 / homes.rows))
        net = aw.learn(homes.with_weights(weights), model="gaussian", search="greedy")
        for tail, head in net.graph.numbered_arcs:
            counts[tail, head] += 1
            counts[head, tail] += 1
    assert found.found.adjacent.tolist() == (counts / 8).tolist()


def test_a_small_posterior_is_the_sum_over_all_graphs(homes):
    """Every graph of three variables scored by itself."""
    three = homes.select(["RM", "LSTAT", "MEDV"])
    found = aw.posterior(three, prior="uniform")
    graphs = all_graphs(three.names)
    assert len(graphs) == 25
    logs = np.array([aw.score(graph, three, score=aw.BGe(standardise=True)) for graph in graphs])
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    for tail in range(3):
        for head in range(3):
            has = np.array([tail in graph.parents[head] for graph in graphs])
            assert found.found.arcs[tail, head] == pytest.approx(weights @ has, abs=1e-9)
    best = int(np.argmax(weights))
    assert found.graphs[0].probability == pytest.approx(weights[best])
    evidence = logs.max() + np.log(np.exp(logs - logs.max()).sum()) - np.log(25)
    evidence -= (
        three.rows * np.log(three.matrix().std(axis=0)).sum()
    )  # of the columns in their own units
    assert found.log_evidence == pytest.approx(evidence)
    assert float(found.path("RM", "MEDV")) == pytest.approx(
        sum(w for g, w in zip(graphs, weights, strict=True) if "MEDV" in g.descendants_of("RM")),
        abs=1e-3,
    )


def all_graphs(names):
    from itertools import product

    pairs = [(0, 1), (0, 2), (1, 2)]
    found = []
    for ways in product((None, 0, 1), repeat=3):
        rows = [set(), set(), set()]
        for (a, b), way in zip(pairs, ways, strict=True):
            if way is not None:
                rows[(b, a)[way]].add((a, b)[way])
        try:
            found.append(aw.DAG(tuple(names), tuple(tuple(sorted(row)) for row in rows)))
        except GraphError:
            continue
    return found


def test_chains_agree_with_sums(exact, chains):
    apart = np.abs(exact.found.adjacent - chains.found.adjacent)
    assert (apart <= 4 * chains.found.adjacent_errors + 1e-12)[~np.eye(5, dtype=bool)].all()
    assert chains.found.diagnostics["rhat"] < 1.1
    assert 0 < chains.found.ess <= 1600


def test_meanings_are_named(homes, exact, boot):
    assert exact.meaning == "posterior"
    assert exact.prior == "0.259 nats per arc (gamma 0.161)"  # log 5 less 1.35
    assert aw.posterior(homes, prior="uniform").prior == "uniform over graphs"
    assert boot.meaning == "bootstrap frequency"
    assert not boot.prior
    assert "bootstrap frequency" in str(boot)
    assert "posterior" in str(exact.edges)
    two = homes.select(["RM", "MEDV"])
    assert "BIC" in aw.posterior(two, score="bic").meaning
    loo = aw.posterior(two, score="loo", draws=5)
    assert loo.meaning == "bootstrap frequency"
    assert "resampling" in loo.notes[0]
    assert aw.posterior(two, score="loo", method="exact").meaning == "pseudo-posterior"
    sub = aw.posterior(two, method=aw.Bootstrap(resampling="subsample"), draws=5)
    assert sub.meaning == "subsampling frequency"
    assert aw.posterior(two, model="parzen", draws=3).meaning == "bootstrap frequency"


def test_errors_are_never_zero_but_for_sums(exact, boot, chains):
    off = ~np.eye(5, dtype=bool)
    assert (boot.found.adjacent_errors[off] > 0).all()
    assert (chains.found.adjacent_errors[off] > 0).all()
    assert (chains.found.arc_errors[off] > 0).all()
    assert (exact.found.adjacent_errors == 0).all()


def test_a_row_is_read_in_the_direction_asked(exact):
    forth, back = exact.edges["RM", "MEDV"], exact.edges["MEDV", "RM"]
    assert forth.forward == back.backward
    assert forth.first == "RM"
    assert back.first == "MEDV"
    assert forth.adjacent == pytest.approx(forth.forward + forth.backward)
    assert float(exact.arc("RM", "MEDV")) == forth.forward
    assert float(exact.edge("RM", "MEDV")) == forth.adjacent
    with pytest.raises(OptionError, match="RMM"):
        exact.edges["RMM", "RM"]


def test_blankets_and_features(boot):
    inside = boot.blanket("MEDV")
    assert set(inside) == set(NAMES) - {"MEDV"}
    for name, chance in inside.items():
        assert float(chance) >= float(boot.edge(name, "MEDV")) - 1e-12
    assert float(boot.probability(lambda graph: graph.n_arcs >= 0)) == 1.0


def test_priors_are_obeyed(homes):
    flat = aw.posterior(homes)
    costly = aw.posterior(homes, prior=5.0)
    assert costly.found.adjacent.sum() < flat.found.adjacent.sum()
    sure = aw.posterior(homes, prior={("AGE", "CRIM"): 0.999999})
    assert float(sure.arc("AGE", "CRIM")) > 0.9 > float(flat.arc("AGE", "CRIM"))
    fair = aw.posterior(homes, prior="fair")
    assert "number of parents" in fair.prior
    for wrong in ("flat", -1, {"a": 1}, [[1, 2]]):
        with pytest.raises((OptionError, DataError)):
            aw.posterior(homes, prior=wrong)
    with pytest.raises(OptionError, match="prior"):
        aw.posterior(homes, prior="fair", method="bootstrap")


def test_rules_are_obeyed(homes):
    rules = aw.Rules(required=["AGE -> RM"], forbidden=["LSTAT -- MEDV"], max_parents=2)
    for method in ("exact", aw.MCMC(chains=2), "bootstrap"):
        found = aw.posterior(homes, method=method, rules=rules, draws=30)
        assert float(found.arc("AGE", "RM")) == pytest.approx(1.0)
        assert float(found.edge("LSTAT", "MEDV")) == 0.0
        for graph, _ in found.graphs:
            assert rules.on(graph.nodes).allows_graph(graph)


def test_column_order_does_not_matter(homes, boot, exact):
    turned = homes.select(NAMES[::-1])
    again = aw.posterior(turned, method="bootstrap", draws=60)
    assert np.array_equal(again.found.adjacent, boot.found.adjacent)
    assert again.found.graphs == boot.found.graphs
    assert again.variables == tuple(NAMES[::-1])
    assert np.array_equal(aw.posterior(turned).found.arcs, exact.found.arcs)


def test_processes_do_not_matter(homes, boot, chains):
    two = aw.posterior(homes, method="bootstrap", draws=60, n_jobs=2)
    assert np.array_equal(two.found.arcs, boot.found.arcs)
    assert two.found.graphs == boot.found.graphs
    side = aw.posterior(homes, method=aw.MCMC(chains=4), draws=400, n_jobs=2)
    assert np.array_equal(side.found.arcs, chains.found.arcs)


def test_undirected_paths_of_learning(homes):
    found = aw.posterior(homes, graph="undirected", draws=15)
    assert not found.directed
    assert found.meaning == "bootstrap frequency"
    assert found.edges["RM", "MEDV"].forward is None
    assert not found.averaged().directed
    with pytest.raises(GraphError, match="no arcs"):
        found.arc("RM", "MEDV")
    with pytest.raises(GraphError, match="directed"):
        aw.posterior(homes, graph="undirected", method="exact")


# -- networks and answers ----------------------------------------------------------------------------


def test_the_averaged_network_says_how_sure_it_is(boot):
    net = boot.averaged()
    assert net.edges.certainty_meaning == "bootstrap frequency"
    assert net.edges["RM", "MEDV"].certainty == float(boot.edge("RM", "MEDV"))
    assert "automatic threshold" in net.notes[-1]
    assert boot.averaged(0.99).graph.n_arcs <= net.graph.n_arcs
    assert boot.best.graph == boot.graphs[0].graph


def test_answers_are_sums_by_hand(homes, narrow):
    """p(y | e) = sum p(G) p(e | G) p(y | e, G) / sum p(G) p(e | G), graph by graph."""
    given = {"RM": 7.0, "AGE": 40.0}
    weights, means, seconds, below = [], [], [], []
    for graph, weight in zip(narrow.found.graphs, narrow.found.shares, strict=True):
        net = aw.fit(graph, homes)
        belief = net.query("MEDV", given)
        weights.append(weight * np.exp(net.logpdf({name: [x] for name, x in given.items()})[0]))
        means.append(belief.mean)
        seconds.append(belief.variance + belief.mean**2)
        below.append(float(belief.probability((None, 25.0))))
    shares = np.array(weights) / np.sum(weights)
    belief = narrow.query("MEDV", given)
    mean = shares @ means
    assert belief.mean == pytest.approx(mean)
    assert belief.sd == pytest.approx(np.sqrt(shares @ seconds - mean**2))
    assert float(belief.probability((None, 25.0))) == pytest.approx(shares @ below)
    row = {"RM": [7.0], "AGE": [40.0]}
    assert narrow.predict(row, "MEDV").mean[0] == pytest.approx(mean)
    assert narrow.predict(row, "MEDV").quantiles(0.5)[0] == pytest.approx(
        belief.quantile(0.5), rel=1e-6
    )


def test_densities_and_draws_are_averages(homes, narrow):
    logs = np.array([aw.fit(graph, homes).logpdf(homes.head(5)) for graph in narrow.found.graphs])
    plain = np.log(narrow.found.shares @ np.exp(logs))
    assert narrow.logpdf(homes.head(5)) == pytest.approx(plain)
    drawn = narrow.sample(4000, seed=1)
    assert drawn.order == tuple(NAMES)
    assert drawn.column("MEDV").mean() == pytest.approx(homes.column("MEDV").mean(), abs=0.8)
    assert np.array_equal(
        narrow.sample(10, seed=3).column("RM"), narrow.sample(10, seed=3).column("RM")
    )


def test_effects_show_how_far_graphs_are_apart(homes, narrow, boot):
    effect = narrow.query("MEDV", do={"RM": 7.0})
    assert len(effect.range) == len(narrow.graphs)
    assert effect.range.between > 0
    low, high = effect.range.mean
    assert low < effect.mean < high
    assert "over" in str(effect)
    assert "sd of the means over graphs" in str(effect)
    by_hand = sum(
        weight * aw.fit(graph, homes).query("MEDV", do={"RM": 7.0}).mean
        for graph, weight in zip(narrow.found.graphs, narrow.found.shares, strict=True)
    )
    assert effect.mean == pytest.approx(by_hand)
    # Of a class, every direction counts: a graph that only bootstrap's search chose does not.
    classes = boot.query("MEDV", do={"RM": 7.0})
    assert len(classes.range) >= len(boot.graphs)
    one = boot.found.graphs[0]
    ways = {
        graph.parents_of("RM") for graph in members(aw.graphs.cpdag(one), one, [one.index("RM")])
    }
    assert len(ways) >= 1


def test_joint_answers(exact):
    both = exact.query(["MEDV", "LSTAT"], {"RM": 7.0})
    assert both["MEDV"].mean == pytest.approx(exact.query("MEDV", {"RM": 7.0}).mean)
    assert both.correlation[0, 1] < -0.3


def test_undirected_answers(homes):
    found = aw.posterior(homes, graph="undirected", draws=10)
    assert np.isfinite(found.query("MEDV", {"RM": 7.0}).mean)
    with pytest.raises(GraphError, match="do"):
        found.query("MEDV", do={"RM": 7.0})


# -- files and more draws --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".json", ".json.gz", ".arcwise"])
def test_files_give_back_all(tmp_path, homes, boot, exact, chains, ending):
    for post in (boot, exact, chains):
        place = post.save(tmp_path / f"post{ending}")
        again = aw.load(place)
        assert again.found.graphs == post.found.graphs
        assert str(again) == str(post)
        assert np.array_equal(again.found.arcs, post.found.arcs)
        assert np.array_equal(again.logpdf(homes.head(3)), post.logpdf(homes.head(3)))
        assert again.query("MEDV", {"RM": 7.0}).mean == post.query("MEDV", {"RM": 7.0}).mean
        for name, array in post.kept.items():
            assert np.array_equal(again.kept[name], array)
            assert again.kept[name].dtype == array.dtype


def test_files_without_data_say_what_is_missing(tmp_path, homes, boot):
    again = aw.load(boot.save(tmp_path / "bare.json", data=False))
    assert str(again.edges) == str(boot.edges)
    for ask in (again.averaged, lambda: again.query("MEDV")):
        with pytest.raises(FitError, match="without its data"):
            ask()
    assert again.more(5, data=homes).found.draws == 65
    with pytest.raises(DataError, match="need the data"):
        again.more(5, data=homes.head(50))


def test_more_draws_are_those_of_one_run(tmp_path, homes, boot, chains):
    more = aw.load(boot.save(tmp_path / "b.arcwise")).more(20)
    once = aw.posterior(homes, method="bootstrap", draws=80)
    assert np.array_equal(more.found.arcs, once.found.arcs)
    assert more.found.graphs == once.found.graphs
    longer = aw.load(chains.save(tmp_path / "c.arcwise")).more(100)
    whole = aw.posterior(homes, method=aw.MCMC(chains=4), draws=500)
    assert np.array_equal(longer.found.arcs, whole.found.arcs)
    assert all(np.array_equal(longer.kept[name], whole.kept[name]) for name in whole.kept)


def test_an_exact_posterior_has_no_more_draws(exact):
    with pytest.raises(FitError, match="cannot be extended"):
        exact.more(10)


def test_damaged_files_are_rejected(tmp_path, boot):
    place = boot.save(tmp_path / "post.json")
    document = json.loads(place.read_text())
    for key in ("found", "graphs", "plan", "kept"):
        broken = {**document, "about": {**document["about"], key: {"x": 1}}}
        (tmp_path / "broken.json").write_text(json.dumps(broken))
        with pytest.raises(FileError, match="cannot be read"):
            aw.load(tmp_path / "broken.json")


def test_draws_for_other_libraries(chains, boot):
    scores = chains.log_scores()
    assert scores.shape == (4, 400)
    told = chains.to_arviz()
    arcs = told["posterior"]["arc"] if isinstance(told, dict) else told.posterior["arc"].values
    assert arcs.shape == (4, 400, 5, 5)
    assert np.allclose(np.asarray(arcs).mean(axis=(0, 1)), chains.found.arcs)
    with pytest.raises(FitError, match="chains"):
        boot.to_arviz()


# -- odd input -------------------------------------------------------------------------------------


def test_two_rows_are_enough_to_run():
    table = aw.table({"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [0.5, 0.7]})
    found = aw.posterior(table, method="bootstrap", draws=10, model="gaussian")
    assert found.found.draws >= 1
    assert (found.found.adjacent <= 1).all()


def test_one_variable_has_no_pairs():
    table = aw.table({"a": np.random.default_rng(1).normal(size=30)})
    for method in ("bootstrap", "exact"):
        found = aw.posterior(table, method=method, draws=3)
        assert len(found.edges) == 0
        assert "1 variable" in repr(found)


def test_a_constant_column_has_no_edges(homes):
    table = aw.table(
        {"a": homes.column("RM"), "b": homes.column("MEDV"), "k": np.full(homes.rows, 1.0)}
    )
    found = aw.posterior(table, method="bootstrap", draws=10, model="gaussian")
    assert float(found.edge("a", "k")) == 0.0


@pytest.mark.parametrize(
    "words",
    [
        {"method": "guess"},
        {"draws": 0},
        {"draws": 2.5},
        {"method": aw.MCMC(chains=0)},
        {"method": aw.Bootstrap(backend="threads")},
        {"method": aw.BIC()},
        {"chains": 2},
        {"method": aw.MCMC(sampler="slice")},
        {"n_jobs": 0},
        {"nonsense": 1},
        {"seed": -1},
    ],
)
def test_odd_words_are_rejected(homes, words):
    with pytest.raises(OptionError):
        aw.posterior(homes, **words)


def test_hostile_names_survive(tmp_path, homes):
    names = ["a -> b", "[x|y]", "ünï\ncode", "$array"]
    table = aw.table(dict(zip(names, (homes.column(n) for n in NAMES[:4]), strict=True)))
    post = aw.posterior(table, method="bootstrap", draws=5)
    again = aw.load(post.save(tmp_path / "odd.json"))
    assert again.found.nodes == post.found.nodes
    assert str(again.edges) == str(post.edges)


def test_a_time_limit_gives_what_is_done(homes):
    found = aw.posterior(homes, model="parzen", method="bootstrap", draws=100_000, time_limit=1.0)
    assert 1 <= found.found.draws < 100_000
    assert "time budget" in str(found.stopped)
    found = aw.posterior(homes, method=aw.MCMC(chains=2), draws=10_000_000, time_limit=1.0)
    assert found.found.draws >= 2
    assert "time budget" in str(found.stopped)


def test_no_time_at_all_is_an_error(homes):
    with pytest.raises(FitError, match="Time ran out"):
        aw.posterior(homes, model="parzen", method="bootstrap", time_limit=0.0)


# -- levels, and paths -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lawn():
    rng = np.random.default_rng(1)
    rain = rng.random(400) < 0.3
    sprinkler = np.where(rain, rng.random(400) < 0.05, rng.random(400) < 0.5)
    wet = np.where(rain | sprinkler, rng.random(400) < 0.95, rng.random(400) < 0.02)
    words = {"rain": rain, "sprinkler": sprinkler, "wet": wet}
    return aw.table({name: np.where(column, "yes", "no") for name, column in words.items()})


def test_levels_have_posteriors_and_averaged_answers(tmp_path, lawn):
    post = aw.posterior(lawn)
    assert post.meaning == "posterior"
    assert post.prior == "0.659 nats per arc (gamma 0.6)"  # of log 3
    assert float(post.edge("rain", "wet")) > 0.99
    belief = post.query("wet", {"rain": "yes"})
    shares, chances = [], []
    for graph, weight in zip(post.found.graphs, post.found.shares, strict=True):
        net = aw.fit(graph, lawn)
        shares.append(weight * np.exp(net.logpdf({"rain": ["yes"]})[0]))
        chances.append(float(net.query("wet", {"rain": "yes"}).probability("yes")))
    by_hand = np.average(chances, weights=shares)
    assert float(belief.probability("yes")) == pytest.approx(by_hand)
    predicted = post.predict({"rain": ["yes"]}, "wet")
    assert predicted.probabilities[0, 1] == pytest.approx(by_hand)
    again = aw.load(post.save(tmp_path / "lawn.json"))
    assert again.predict({"rain": ["yes"]}, "wet").probabilities[0, 1] == pytest.approx(by_hand)
    drawn = post.sample(3000, seed=1)
    assert (drawn.values("wet") == "yes").mean() == pytest.approx(
        (lawn.values("wet") == "yes").mean(), abs=0.05
    )


def test_the_charge_of_a_learned_network_is_a_prior_that_is_named(lawn):
    net = aw.learn(lawn, certainty=True)
    assert net.settings["score"] == "bdeu"
    assert "nats per arc" in net.edges.certainty_meaning


def test_levels_can_be_resampled(lawn):
    found = aw.posterior(lawn, method="bootstrap", draws=20)
    assert found.meaning == "subsampling frequency"  # copies of rows would look like dependence
    assert found.plan.fraction == 0.8
    assert (
        aw.posterior(lawn, draws=5, method=aw.Bootstrap(resampling="bootstrap")).meaning
        == "bootstrap frequency"
    )
    assert float(found.edge("rain", "wet")) == 1.0


@pytest.mark.parametrize("search", ["glasso", "boundary", "neighbourhood"])
def test_certainty_at_every_penalty_is_that_at_one(homes, search):
    words = {"score": "bic"} if search == "boundary" else {}
    found = aw.path(homes, search=search, **words)
    sure = found.certainty(draws=12)
    assert sure.meaning == "bootstrap frequency"
    assert sure.probabilities.shape == (len(sure.penalties), 5, 5)
    middle = sure.penalties[len(sure.penalties) // 2]
    one = aw.posterior(
        homes,
        graph="undirected",
        search=search,
        penalty=middle,
        draws=12,
        method="bootstrap",
        **words,
    )
    assert np.array_equal(sure.at(middle).adjacent, one.found.adjacent)
    rows = sure.rows
    assert all(0 < row.probability <= 1 and row.error > 0 for row in rows)
    assert "bootstrap frequency" in str(sure)


def test_halves_of_the_rows_are_stability_selection(homes):
    sure = aw.path(homes).certainty(draws=6, n_jobs=2, resampling="subsample")
    again = aw.path(homes).certainty(draws=6, resampling="subsample")
    assert sure.meaning == "subsampling frequency"
    assert np.array_equal(sure.probabilities, again.probabilities)


# -- what is asked for ----------------------------------------------------------------------------


def test_units_of_columns_do_not_matter(homes, exact):
    scaled = {v.name: homes.column(v.name) * 10.0 ** (2 * i) for i, v in enumerate(homes.variables)}
    assert np.abs(aw.posterior(scaled).found.arcs - exact.found.arcs).max() < 1e-9
    assert exact.settings["score_options"].items() >= {"standardise": True, "gamma": 0.161}.items()
    evidence = exact.log_evidence - homes.rows * 20 * np.log(
        10
    )  # a density: 10^(0 + 2 + 4 + 6 + 8) units
    assert aw.posterior(scaled).log_evidence == pytest.approx(evidence, abs=1e-6)
    assert (
        abs(exact.log_evidence - aw.posterior(homes, score="bge").log_evidence) < 60
    )  # other prior
    plain = aw.posterior(homes, prior="uniform", score=aw.BGe())
    assert np.array_equal(plain.found.arcs, aw.posterior(homes, score="bge").found.arcs)
    assert np.abs(plain.found.arcs - exact.found.arcs).max() > 0.1


def test_methods_have_settings_of_their_own(homes):
    chains = aw.posterior(homes, draws=20, method=aw.MCMC(sampler="order", chains=2))
    assert chains.plan.method == "mcmc"
    few = aw.posterior(homes, draws=3, method=aw.Bootstrap(resampling="subsample"))
    assert few.meaning == "subsampling frequency"
    with pytest.raises(OptionError, match=r"method=aw.MCMC\(sampler='order'\)"):
        aw.posterior(homes, method="exact", sampler="order")
    with pytest.raises(OptionError, match="no option 'thin'"):
        aw.Bootstrap(thin=3)


def test_draws_beside_exact_sums(homes, exact):
    few = aw.posterior(homes, draws=10)
    assert len(few.graphs) <= 11 < len(exact.graphs)
    assert np.array_equal(few.found.arcs, exact.found.arcs)


def test_fewer_replicates_leave_a_checkpoint_whole(homes, tmp_path):
    words = {"method": "bootstrap", "checkpoint": tmp_path / "run.npz", "search": "greedy"}
    many = aw.posterior(homes, draws=12, **words)
    few = aw.posterior(homes, draws=4, **words)
    assert few.found.draws == 4
    again = aw.posterior(homes, draws=12, time_limit=60.0, **words)
    assert np.array_equal(again.found.adjacent, many.found.adjacent)
    with np.load(tmp_path / "run.npz") as file:
        assert len(file["sizes"]) == 12


def test_constant_columns_and_opinions_on_directions_are_named(homes):
    table = {
        **{v.name: homes.column(v.name) for v in homes.variables[:2]},
        "c": np.ones(homes.rows),
    }
    assert any("'c'" in note and "prior" in note for note in aw.posterior(table).notes)
    levels = {"a": ["x", "y"] * 50, "b": ["u", "v", "v", "u"] * 25, "c": ["k"] * 100}
    assert any("'c'" in note for note in aw.posterior(levels).notes)
    for method in ("exact", "bootstrap"):
        post = aw.posterior(homes.take(range(60)), method=method, model="parzen", draws=3)
        assert any("directions partly reflect the score" in note for note in post.notes)
    assert exact_free(aw.posterior(homes, method="bootstrap", draws=3).notes)


def exact_free(notes):
    return not any("reflect the score" in note for note in notes)


def test_features_that_are_none_are_errors_in_words(exact):
    for wrong in (3, lambda graph: None, lambda graph: "x"):
        with pytest.raises(OptionError, match="feature"):
            exact.probability(wrong)
    exact.plot("reliability", truth="[RM][AGE][CRIM][LSTAT|RM][MEDV|LSTAT]")


# -- time -----------------------------------------------------------------------------------------


def noise(columns, rows=300):
    rng = np.random.default_rng(1)
    return {f"v{i:02d}": rng.normal(size=rows) for i in range(columns)}


def test_sums_that_take_too_long_are_an_error_in_words():
    began = time.monotonic()
    with pytest.raises(NoTimeError, match=r"no partial result.*method='mcmc'"):
        aw.posterior(noise(20), method="exact", time_limit=1.0)
    assert time.monotonic() - began < 6  # the whole takes minutes


def test_auto_turns_to_chains_where_sums_take_too_long():
    rng = np.random.default_rng(1)
    levels = {f"v{i:02d}": rng.choice(["a", "b"], 4000) for i in range(16)}
    found = aw.posterior(levels, time_limit=2.0)
    assert found.plan.method == "mcmc"
    assert any("half of the time limit" in note for note in found.notes)
    assert found.settings["method"] == "mcmc"


def test_a_burn_in_that_takes_too_long_is_an_error_in_words():
    chains = aw.MCMC(sampler="reversal", chains=2)
    with pytest.raises(
        NoTimeError, match=r"after [1-9]\d* of the 1000000000000 steps before the first"
    ):
        aw.posterior(noise(6), time_limit=1.0, method=replace(chains, burn_in=10**12))


def test_a_run_goes_on_with_the_sampler_that_it_turned_to(tmp_path, monkeypatch):
    """A limit makes a run turn to single arcs; without one it goes on with these."""
    words = {"method": aw.MCMC(chains=2, burn_in=100), "checkpoint": tmp_path / "run.npz"}
    monkeypatch.setattr(
        "arcwise.learners.posteriors.graph_chains._LISTING", 0.0
    )  # of the time limit: none
    short = aw.posterior(noise(8), **words, draws=20, time_limit=60.0)
    assert short.found.diagnostics["sampler"] == "structure"
    monkeypatch.undo()
    more = aw.posterior(noise(8), **words, draws=40)
    assert more.found.diagnostics["sampler"] == "structure"
    assert np.array_equal(more.log_scores()[:, :20], short.log_scores())
    assert any("chains over single graphs" in note for note in more.notes)


def test_draws_that_are_done_stay_where_longer_chains_have_no_time(monkeypatch):
    true = graph_chains.fill_chains

    def filled(length, *rest):
        found, ended = true(length, *rest)
        if not length.level:
            return found, ended
        few = [(each, each.parents[:3], each.log_scores[:3]) for each in found]
        return [replace(each, parents=bits, log_scores=logs) for each, bits, logs in few], True

    monkeypatch.setattr(graph_chains, "fill_chains", filled)
    monkeypatch.setattr(sys.modules["arcwise.mcmc.diagnostics"], "AGREE", 0.0)
    post = aw.posterior(noise(5), method=aw.MCMC(chains=2))
    assert post.found.diagnostics["doublings"] == 0
    assert post.found.draws == 2000


def test_ctrl_c_ends_sums():
    threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(NoTimeError, match="stopped early"):
        aw.posterior(noise(20), method="exact")
    assert time.monotonic() - began < 8


def test_steps_that_turn_arcs_mix_where_single_arcs_do_not():
    """Three columns, of which one is nearly the sum of the others: directions lock each other in."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 400))
    table = {"a": a, "b": b, "c": a + b + 0.05 * rng.normal(size=400), "d": rng.normal(size=400)}
    whole = aw.posterior(table)
    turning = aw.posterior(table, method=aw.MCMC(sampler="reversal"), draws=500)
    assert turning.found.diagnostics["rhat"] < 1.05
    assert np.abs(turning.found.arcs - whole.found.arcs).max() < 0.08
    stuck = aw.posterior(table, method=aw.MCMC(sampler="structure"), draws=500)
    assert "The chains disagree (largest R-hat" in stuck.notes[-1]
    assert len(str(stuck.notes[-1])) < 160  # an R-hat beyond all bounds is not told in full
    with pytest.raises(OptionError, match="'reversal'"):
        aw.posterior(table, method=aw.MCMC(sampler="gibbs"))


ARCS = {("RM", "MEDV"): 0.9, ("AGE", "CRIM"): 0.2}


@pytest.mark.parametrize("prior", [ARCS, 3.0, "fair", "frame"])
def test_a_saved_posterior_goes_on_under_its_prior(tmp_path, homes, prior):
    if prior == "frame":
        pandas = pytest.importorskip("pandas")
        prior = pandas.DataFrame(np.full((5, 5), 0.2), index=NAMES, columns=NAMES)
        prior.loc["RM", "MEDV"] = 0.9
    words = {"method": aw.MCMC(chains=2), "seed": 3, "prior": prior}
    first = aw.posterior(homes, draws=60, checkpoint=tmp_path / "run.npz", **words)
    again = aw.load(first.save(tmp_path / "post.json")).more(40)
    whole = aw.posterior(homes, draws=100, **words)
    assert np.array_equal(again.found.arcs, whole.found.arcs)
    assert again.prior == whole.prior
    other = {"prior": {**ARCS, ("AGE", "CRIM"): 0.3}}
    with pytest.raises(FileError, match="another run"):
        aw.posterior(homes, draws=60, checkpoint=tmp_path / "run.npz", **{**words, **other})


@pytest.mark.parametrize("sampler", ["exact", "structure", "order", "partition", "tempering"])
def test_arcs_of_probability_zero_and_one_are_rules(homes, sampler):
    words = {} if sampler == "exact" else {"method": aw.MCMC(sampler=sampler), "draws": 40}
    prior = {("AGE", "CRIM"): 1.0, ("LSTAT", "MEDV"): 0.0, ("MEDV", "LSTAT"): 0.0}
    found = aw.posterior(homes, prior=prior, **words)
    assert float(found.arc("AGE", "CRIM")) == pytest.approx(1.0)
    assert float(found.edge("LSTAT", "MEDV")) == 0.0
    if sampler == "exact":
        rules = aw.Rules(required=["AGE -> CRIM"], forbidden=["LSTAT -- MEDV"])
        ruled = aw.posterior(homes, prior="uniform", rules=rules)
        assert np.allclose(found.found.arcs, ruled.found.arcs)
    with pytest.raises(FitError, match=r"got 1.5 for AGE -> CRIM"):
        aw.posterior(homes, prior={("AGE", "CRIM"): 1.5}, **words)


def test_numbers_of_graphs_have_means(exact):
    arcs = np.array([graph.n_arcs for graph in exact.found.graphs])
    assert float(exact.probability(lambda graph: graph.n_arcs)) == pytest.approx(
        exact.found.shares @ arcs
    )


def test_joint_effects_show_how_far_graphs_are_apart(exact):
    both = exact.query(["MEDV", "LSTAT"], do={"RM": 7.0})
    one = exact.query("MEDV", do={"RM": 7.0})
    assert both["MEDV"].range.between == pytest.approx(one.range.between)
    assert both["MEDV"].range.mean == pytest.approx(one.range.mean)
    assert str(both).count("sd of the means over graphs") == 2
    assert both.document()["range"]["variables"]["MEDV"]["between"] == one.range.between
    assert one.document()["range"]["between"] == one.range.between
    assert "sd of the means" not in str(exact.query(["MEDV", "LSTAT"], {"RM": 7.0}))


def test_reliability_needs_the_truth(exact):
    pytest.importorskip("matplotlib")
    with pytest.raises(OptionError, match="truth=graph"):
        exact.plot("reliability")


def test_a_distribution_is_not_saved_as_one_graph(tmp_path, boot):
    for ending in (".csv", ".dot", ".bif"):
        with pytest.raises(FileError, match=r"saved as .json or .arcwise"):
            boot.save(tmp_path / f"post{ending}")


def test_a_few_draws_select_no_graph(homes):
    few = aw.posterior(homes, method=aw.MCMC(chains=1), draws=1)
    assert "1 draw (effective sample size 1) are too few to judge" in few.verdict
    assert "1 draw," in str(few)


def test_time_that_ends_after_the_sums_leaves_the_best_graph(homes, exact, monkeypatch):
    monkeypatch.setattr(
        exact_sums, "run", lambda sampler, start, rng, *_, **__: run(sampler, start, rng, 0)
    )
    found = aw.posterior(homes)
    assert found.graphs == exact.graphs[:1]
    assert np.array_equal(found.found.arcs, exact.found.arcs)
    assert "use the best graph only" in found.notes[0]
    cut_short = Result(aw.DAG.empty(sorted(NAMES)), 0.0, (), ASKED)
    monkeypatch.setitem(exact_sums.SEARCHES, "exact", lambda *_, **__: cut_short)
    with pytest.raises(NoTimeError, match="before a graph was drawn"):
        aw.posterior(homes, method="exact")


def test_lists_that_take_too_long_make_way_for_single_graphs(homes, monkeypatch):
    words = {"draws": 50, "time_limit": 60.0}
    assert aw.posterior(homes, method="mcmc", **words).found.diagnostics["sampler"] == "partition"
    monkeypatch.setattr(graph_chains, "_LISTING", 0.0)
    found = aw.posterior(homes, method="mcmc", **words)
    assert found.found.diagnostics["sampler"] == "structure"
    assert "half of the time limit" in found.notes[0]
    asked = aw.posterior(homes, method=aw.MCMC(sampler="partition"), **words)
    assert asked.found.diagnostics["sampler"] == "partition"
