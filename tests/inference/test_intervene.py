"""Ranges of ``do`` over equivalent graphs, against every member of the class fitted by itself."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import arcwise as aw
from arcwise import inference
from arcwise.conditionals import ConditionalGaussianModel, DiscreteConditional
from arcwise.data import Variable
from arcwise.errors import DataError, FitError, GraphError, OptionError
from arcwise.graphs import DAG, cpdag, equivalent, random_dag, skeleton
from arcwise.inference import Equivalents, query
from arcwise.inference.intervene import turn, with_range
from arcwise.networks import BayesNet, cut


def every_member(graph: DAG) -> list[DAG]:
    """All DAGs equivalent to one, by trying all directions of all edges."""
    found, edges = [], skeleton(graph).edges
    for turned in product([False, True], repeat=len(edges)):
        arcs = [edge[::-1] if turn else edge for edge, turn in zip(edges, turned, strict=True)]
        try:
            other = DAG.from_arcs(arcs, graph.nodes)
        except GraphError:
            continue
        if equivalent(graph, other):
            found.append(other)
    return found


def chain(n: int = 400, seed: int = 0) -> aw.Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = 0.8 * x + 0.6 * rng.normal(size=n) + 3
    z = 0.5 * y + 0.7 * rng.normal(size=n) - 1
    return aw.table({"x": x, "y": y, "z": z})


CHAIN = chain()


@pytest.fixture(scope="module")
def learned() -> aw.Network:
    net = aw.learn(CHAIN)
    assert str(net.cpdag) == "x - y, y - z"
    return net


def slope(table: aw.Table, of: str, on: str) -> float:
    pair = np.cov(table.column(of), table.column(on))
    return float(pair[0, 1] / pair[1, 1])


def test_setting_the_middle_of_a_chain_does_all_of_the_regression_or_nothing(learned):
    belief = learned.query("z", do={"y": 4.0})
    nothing = float(CHAIN.column("z").mean())
    all_of_it = nothing + slope(CHAIN, "z", "y") * (4.0 - float(CHAIN.column("y").mean()))
    low, high = sorted([nothing, all_of_it])
    assert belief.range.mean == pytest.approx((low, high), abs=1e-9)
    known = query(plug_in(learned), "z", do={"y": 4.0}, equivalents=Equivalents(learned.cpdag))
    assert known.range.sd[1] == pytest.approx(float(CHAIN.column("z").std()), abs=1e-9)
    assert 1.0 < belief.range.sd[1] / known.range.sd[1] < 1.01
    assert belief.range.mean[0] <= belief.mean <= belief.range.mean[1]
    assert (len(belief.range), belief.range.complete) == (3, True)
    assert belief.range.edges == (("x", "y"), ("y", "z"))


def test_setting_the_end_of_a_chain(learned):
    belief = learned.query("x", do={"z": 2.0})
    nothing = float(CHAIN.column("x").mean())
    off = 2.0 - float(CHAIN.column("z").mean())
    # All of it: x follows z through y, the product of the two regressions.
    through = nothing + slope(CHAIN, "x", "y") * slope(CHAIN, "y", "z") * off
    assert belief.range.mean == pytest.approx(tuple(sorted([nothing, through])), abs=1e-9)
    assert belief.range.edges == (("y", "z"),)


def test_the_text_says_why_and_how_far(learned):
    *_, line, others, note = str(learned.query("z", do={"y": 4.0})).splitlines()
    assert others.startswith("  over ")
    assert " bootstrap graphs, each with equivalent ones: mean between " in others
    low, high = learned.query("z", do={"y": 4.0}).range.mean
    assert line.startswith(
        f"  over all equivalent graphs: mean between {low:.4g} and {high:.4g}, sd b"
    )
    assert note == (
        "  note: Data alone do not determine the direction of x -- y and y -- z: the range is over "
        "the 3 sets of parents that 'y' can have in equivalent graphs."
    )


def random_table(rng: np.random.Generator, size: int) -> tuple[DAG, aw.Table]:
    """Rows of a random linear network, and its graph."""
    names = [f"v{i}" for i in range(size)]
    graph = random_dag(names, float(rng.uniform(1.0, size - 1)), rng)
    columns = rng.normal(size=(60, size))
    for node in graph.order():
        for parent in graph.parents[node]:
            columns[:, node] += rng.uniform(0.3, 1.5) * columns[:, parent]
    scale, origin = rng.uniform(0.1, 100, size), rng.uniform(-50, 50, size)
    rows = columns * scale + origin
    return graph, aw.table({name: rows[:, i] for i, name in enumerate(names)})


def asked(fitted: aw.Network, equivalents: Equivalents | None, *question, **options):
    return query(fitted.net, *question, equivalents=equivalents, **options)


def questions(rng: np.random.Generator, names: list[str]):
    """One set variable, two, and one with evidence."""
    a, b, c, *_ = rng.permutation(names).tolist()
    yield a, None, {b: 1.5}
    yield a, None, {b: 1.5, c: -2.0}
    yield a, {c: 0.3}, {b: 1.5}


def plug_in(net: aw.Network) -> BayesNet:
    """The network with its parameters taken as known: equivalent graphs then have one joint distribution.

    How uncertain parameters are depends on the graph a little: the degrees of freedom do.
    """
    models = [replace(m, rows=0.0, spread=np.zeros_like(m.spread)) for m in net.net.conditionals]
    return BayesNet(net.net.variables, net.net.graph, tuple(models))


def check_against_all(
    graph: DAG, table: aw.Table, rng: np.random.Generator, rules: aw.Rules
) -> int:
    """Compare the range of answers with the extremes over all permitted members, each fitted."""
    fitted, limits = plug_in(aw.fit(graph, table)), rules.on(graph.nodes)
    legal = [each for each in every_member(graph) if limits.allows_graph(each)]
    nets = [plug_in(aw.fit(each, table)) for each in legal]
    ranged = 0
    for target, given, do in questions(rng, list(graph.nodes)):
        answers = [query(net, target, given, do) for net in nets]
        belief = query(fitted, target, given, do, equivalents=Equivalents(cpdag(graph, limits)))
        size = max(answer.sd for answer in answers)
        for number in ("mean", "sd"):
            values = [getattr(answer, number) for answer in answers]
            own = getattr(belief, number)
            ends = getattr(belief.range, number) if belief.range else (own, own)
            assert ends == pytest.approx((min(values), max(values)), abs=1e-9 * size, rel=1e-9)
        ranged += belief.range is not None
    return ranged


def test_the_range_is_that_of_all_equivalent_graphs():
    rng = np.random.default_rng(5)
    found = [
        check_against_all(*random_table(rng, size), rng, aw.Rules()) for size in [4] * 12 + [5] * 8
    ]
    assert sum(found) > 30


def test_rules_restrict_the_range():
    rng, ranged, narrower = np.random.default_rng(6), 0, 0
    for _ in range(15):
        graph, table = random_table(rng, 4)
        if not graph.n_arcs:
            continue
        order = [graph.nodes[i] for i in graph.order()]
        rules = rng.choice([
            aw.Rules(required=[graph.arcs[0]]),
            aw.Rules(forbidden=[graph.arcs[-1][::-1]]),
            aw.Rules(tiers=[order[:2], order[2:]]),
        ])  # fmt: skip
        ranged += check_against_all(graph, table, rng, rules)
        narrower += cpdag(graph, rules.on(graph.nodes)) != cpdag(graph)
    assert ranged > 5
    assert narrower > 5


def test_a_required_arc_pins_the_arcs_beside_it():
    net = aw.learn(CHAIN, rules=aw.Rules(required=["x -> y"]))
    assert str(net.cpdag) == "x -> y, y -> z"
    assert not any(row.reversible for row in net.edges.present)
    belief = net.query("z", do={"y": 4.0})
    assert (len(belief.range), belief.range.edges) == (1, ())
    assert "over all equivalent" not in str(belief)


def test_tiers_and_forbidden_arcs_count_as_well():
    tiers = aw.learn(CHAIN, rules=aw.Rules(tiers=[["x"], ["y", "z"]]))
    forbidden = aw.learn(CHAIN, rules=aw.Rules(forbidden=["y -> x"]))
    partly = aw.learn(CHAIN, rules=aw.Rules(forbidden=["z -> y"]))
    assert tiers.query("z", do={"y": 4.0}).range.edges == ()
    assert forbidden.query("z", do={"y": 4.0}).range.edges == ()
    assert partly.query("z", do={"y": 4.0}).range.edges == (("x", "y"),)
    assert partly.query("x", do={"z": 4.0}).range.edges == ()


def test_joint_answers_have_a_range_for_each_variable(learned):
    both = learned.query(["x", "z"], do={"y": 4.0})
    for place, name in enumerate(both.names):
        single = learned.query(name, do={"y": 4.0})
        assert both[name].range.mean == pytest.approx(single.range.mean)
        assert (both.range.mean[0][place], both.range.mean[1][place]) == single.range.mean
    assert "  over all equivalent graphs:\n    x  mean between" in str(both)
    assert set(both.document()["range"]["variables"]) == {"x", "z"}


def test_any_number_of_an_answer_has_a_range(learned):
    belief = learned.query("z", do={"y": 4.0})
    shares = [answer.probability((1.0, None)) for answer in belief.range.answers]
    assert belief.range.probability((1.0, None)) == (min(shares), max(shares))
    ends = [answer.interval(0.5) for answer in belief.range.answers]
    assert belief.range.interval(0.5) == (min(a for a, _ in ends), max(b for _, b in ends))
    assert belief.range.answers[0].mean == belief.mean


@pytest.mark.parametrize(
    "ask",
    [
        lambda net: net.predict({"x": [1.0]}, "z", do={"y": 1.0}),
        lambda net: net.impute({"x": [1.0]}, do={"y": 1.0}),
    ],
)
def test_tables_of_rows_take_no_do_and_say_what_does(learned, ask):
    with pytest.raises(OptionError, match=r"do= is for single queries: query\(target, do="):
        ask(learned)


def test_sampling_has_no_other_options(learned):
    with pytest.raises(OptionError, match="no parameter 'draw'"):
        learned.sample(3, draw=1)


def test_a_limit_is_said(learned):
    belief = learned.query("z", do={"y": 4.0}, max_graphs=2)
    assert (len(belief.range), belief.range.complete) == (2, False)
    assert "over 2 equivalent graphs" in str(belief)
    assert "over 2 of the sets of parents" in str(belief)
    assert "max_graphs=" in str(belief)
    with pytest.raises(DataError, match="max_graphs must be positive"):
        learned.query("z", do={"y": 4.0}, max_graphs=0)


def test_a_limited_range_lies_within_the_whole_one_and_follows_the_seed():
    rng = np.random.default_rng(3)
    names = [f"v{i}" for i in range(9)]
    graph = DAG.from_arcs([(a, b) for i, a in enumerate(names) for b in names[i + 1 :]])
    root = rng.normal(size=(9, 9))
    table = aw.table(dict(zip(names, (rng.normal(size=(300, 9)) @ root).T, strict=True)))
    fitted, equivalents = aw.fit(graph, table), Equivalents(cpdag(graph))
    whole = asked(fitted, equivalents, "v0", None, {"v4": 1.0})
    some = [
        asked(fitted, equivalents, "v0", None, {"v4": 1.0}, max_graphs=20, seed=1) for _ in range(2)
    ]
    assert (len(whole.range), whole.range.complete, len(some[0].range)) == (256, True, 20)
    assert some[0].range.mean == some[1].range.mean
    assert (
        whole.range.mean[0] <= some[0].range.mean[0] < some[0].range.mean[1] <= whole.range.mean[1]
    )
    share = np.subtract(*some[0].range.mean) / np.subtract(*whole.range.mean)
    assert share > 0.5  # members far apart are among the first


def test_equivalent_graphs_agree_where_nothing_at_the_set_variable_is_reversible():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 500))
    z = x + y + 0.5 * rng.normal(size=500)
    net = aw.learn({"x": x, "y": y, "z": z, "w": z + 0.5 * rng.normal(size=500)})
    assert str(net.cpdag) == "x -> z, y -> z, z -> w"
    for name in ("x", "y", "z"):
        belief = net.query("w", do={name: 1.0})
        assert belief.range.mean == (belief.mean, belief.mean)
        assert "equivalent to the learned one give the same answer" in str(belief)
    assert net.query("w", given={"z": 1.0}).range is None


def test_a_graph_that_was_given_is_taken_as_it_is(tmp_path):
    fitted = aw.fit("[x][y|x][z|y]", CHAIN)
    numbers = {"x": {"sd": 1.0}, "y": {"coefficients": {"x": 2.0}, "sd": 0.5}}
    by_hand = aw.network("[x][y|x]", numbers)
    assert fitted.query("z", do={"y": 4.0}).range is None
    assert by_hand.query("y", do={"x": 1.0}).range is None
    assert aw.load(fitted.save(tmp_path / "fitted.json")).query("z", do={"y": 4.0}).range is None
    assert aw.load(by_hand.save(tmp_path / "hand.json")).query("y", do={"x": 1.0}).range is None


def test_means_that_are_the_same_in_all_graphs_are_called_so():
    rng = np.random.default_rng(4)
    x, other = rng.normal(size=(2, 500))
    net = aw.learn({"x": x, "y": x + 0.5 * rng.normal(size=500), "other": other})
    belief = net.query("other", do={"y": 1.0})
    assert belief.range.same
    assert "over all" not in str(belief)
    assert "but mean and sd are the same for all 2 sets of parents" in str(belief)


def test_answers_of_a_loaded_network_are_the_same(learned, tmp_path):
    question = {"targets": "z", "given": {"x": 0.3}, "do": {"y": 4.0}}
    for name in ("net.json", "net.arcwise"):
        again = aw.load(learned.save(tmp_path / name))
        assert again.query(**question).range.mean == learned.query(**question).range.mean
        own = [line for line in str(learned.query(**question)).splitlines() if "boot" not in line]
        *said, note = str(again.query(**question)).splitlines()
        assert said == own
        assert note.endswith("needs the training data: load(path, data=).")
        whole = aw.load(tmp_path / name, data=CHAIN)
        assert str(whole.query(**question)) == str(learned.query(**question))


def test_the_origin_and_the_scale_of_columns_do_not_matter(learned):
    moved = aw.learn({n: CHAIN.column(n) * 1e-3 + 1e6 for n in CHAIN.names})
    belief = moved.query("z", do={"y": 4e-3 + 1e6})
    ends = (np.array(belief.range.mean) - 1e6) * 1e3
    assert ends == pytest.approx(learned.query("z", do={"y": 4.0}).range.mean, abs=1e-5)


def test_columns_that_determine_each_other_have_a_range_too():
    copy = {**{n: CHAIN.column(n) for n in CHAIN.names}, "twice": 2 * CHAIN.column("y")}
    net = aw.learn(copy)
    belief = net.query("z", do={"y": 4.0})
    assert np.isfinite(belief.range.mean).all()
    assert belief.range.mean[0] <= belief.mean <= belief.range.mean[1]


def test_two_rows_have_an_answer():
    belief = aw.learn({"x": [0.0, 1.0], "y": [1.0, 3.0]}).query("y", do={"x": 0.5})
    assert np.isfinite(belief.mean)
    assert belief.range is None or np.isfinite(belief.range.mean).all()


# -- models without a closed form ------------------------------------------------------------------


@pytest.fixture(scope="module")
def bent() -> aw.Network:
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    y = x**2 + 0.3 * rng.normal(size=200)
    net = aw.learn({"x": x, "y": y, "z": np.sin(y) + 0.2 * rng.normal(size=200)}, model="parzen")
    assert str(net.cpdag) == "x - y, y - z"
    return net


def test_parzen_windows_are_fitted_again_for_other_members(bent):
    belief = bent.query("z", do={"y": 1.0})
    answers = [
        cutoff.query("z", do={"y": 1.0})
        for cutoff in (
            aw.fit(graph, bent.fits.table, model="parzen")
            for graph in ("[x][y|x][z|y]", "[y][x|y][z|y]", "[z][y|z][x|y]")
        )
    ]
    means = [answer.mean for answer in answers]
    assert belief.range.mean == pytest.approx((min(means), max(means)), abs=1e-9)
    assert (len(belief.range), belief.range.complete) == (3, True)


def test_joint_questions_to_parzen_windows_have_a_range(bent):
    both = bent.query(["x", "z"], do={"y": 1.0})
    assert both["z"].range.mean == pytest.approx(
        bent.query("z", do={"y": 1.0}).range.mean, abs=0.05
    )
    assert "    z  mean between" in str(both)


def test_levels_have_a_range_of_their_probabilities():
    rng = np.random.default_rng(0)
    kind = np.where(rng.random(150) < 0.4, "red", "blue")
    rows = {"kind": kind, "x": 2.0 * (kind == "red") + rng.normal(size=150)}
    net = aw.learn(rows, model="parzen")
    assert str(net.cpdag) == "kind - x"
    belief = net.query("kind", do={"x": 1.0})
    assert net.graph.arcs == (("x", "kind"),)
    other = aw.fit("[kind][x|kind]", rows, model="parzen").query("kind").probability(["red"])
    assert float(other) == pytest.approx((kind == "red").mean(), abs=0.02)
    own = belief.probability(["red"])
    low, high = belief.range.probabilities["red"]
    assert (low, high) == pytest.approx(
        (float(other), float(own))
    )  # the other way x does nothing to it
    assert f"red between {low:.4g} and {high:.4g}" in str(belief)
    assert belief.document()["range"]["probabilities"]["red"] == (low, high)
    both = net.query(["kind"], do={"x": 1.0})
    assert "    kind  blue between" in str(both)


def test_errors_of_simulated_answers_are_said(bent):
    found = bent.query("z", do={"x": 0.5}).range
    assert found.error > 1e-6
    assert found.lines()[0].startswith(
        f"  over all equivalent graphs (errors of the means up to {found.error:.2g}): mean between"
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bandwidths": "shared"},
        {"tail_weight": 0.01, "min_bandwidth": 0.2},
    ],
)
def test_windows_from_a_file_have_the_same_range(options, tmp_path):
    rng = np.random.default_rng(1)
    x = rng.normal(size=100)
    net = aw.learn({"x": x, "y": x**2 + 0.3 * rng.normal(size=100)}, model=aw.Parzen(**options))
    assert str(net.cpdag) == "x - y"
    again = aw.load(net.save(tmp_path / "bent.json"))
    found, kept = (each.query("y", do={"x": 1.0}).range for each in (again, net))
    assert (len(found), found.complete) == (2, True)
    assert (found.mean, found.sd) == (kept.mean, kept.sd)


def test_without_rows_the_range_of_parzen_windows_is_not_known(bent):
    without = Equivalents(bent.cpdag)
    belief = query(bent.net, "z", None, {"y": 1.0}, equivalents=without)
    assert belief.mean == pytest.approx(bent.query("z", do={"y": 1.0}).mean)
    assert (len(belief.range), belief.range.complete) == (0, False)
    assert np.isnan(belief.range.mean).all()
    assert "its range over equivalent graphs needs the training data" in str(belief)
    assert "over all" not in str(belief)
    assert belief.document()["range"]["graphs"] == 0


def test_a_named_method_asks_the_members_by_it(learned):
    exact = learned.query("z", do={"y": 4.0}).range
    drawn = learned.query("z", do={"y": 4.0}, method="importance").range
    assert drawn.mean == pytest.approx(exact.mean, abs=0.1)
    assert len(drawn) == len(exact)


def test_a_member_without_an_answer_is_left_out_and_counted(learned):
    calls = []

    def ask(net):
        calls.append(net.graph)
        if len(calls) == 1:
            raise FitError("too few draws")
        return query(net, "z", None, {"y": 4.0})

    own = query(learned.net, "z", None, {"y": 4.0})
    rng = np.random.default_rng(0)
    found = with_range(own, learned.net, [1], ask, Equivalents(learned.cpdag), None, rng).range
    assert (len(found), found.complete, len(calls)) == (2, False, 2)
    assert "The question has no answer for one of them" in found.notes[1]


def test_members_have_the_joint_distribution_of_the_learned_network(learned):
    asked_nets = []

    def ask(net):
        asked_nets.append(net)
        return query(net, "z", None, {"y": 4.0})

    own = query(learned.net, "z", None, {"y": 4.0})
    rng = np.random.default_rng(0)
    with_range(own, learned.net, [1], ask, Equivalents(learned.cpdag), None, rng)
    for net in asked_nets:
        seen = query(net, "x", {"z": 0.7})
        assert seen.mean == pytest.approx(learned.query("x", {"z": 0.7}).mean, abs=1e-12)
        assert cut(net, {1: 4.0}).graph.parents[1] == ()
    assert len(asked_nets) == 2


def test_setting_a_variable_far_from_all_rows_is_said_to_be_a_guess():
    rng = np.random.default_rng(1)
    x = rng.normal(size=120)
    rows = {"x": x, "y": np.sin(x) + 0.1 * rng.normal(size=120), "z": rng.normal(size=120)}
    net = aw.fit("[x][y|x][z]", rows, model="parzen")
    away = float((50.0 - x.max()) / x.std())
    assert f"'x' is set {away:.3g} standard deviations away" in str(net.query("y", do={"x": 50.0}))
    assert "guess" not in str(net.query("y", do={"x": 1.0}))
    assert "guess" not in str(net.query("z", do={"x": 50.0}))  # x does nothing to it


# -- tables of probabilities -----------------------------------------------------------------------


def hub(children: int, rows: int = 2000) -> dict[str, np.ndarray]:
    """One column and noisy copies of it, all of two levels."""
    rng = np.random.default_rng(0)
    middle, words = rng.integers(0, 2, rows), np.array(["no", "yes"])
    noisy = [np.where(rng.random(rows) < 0.25, 1 - middle, middle) for _ in range(children)]
    return {"hub": words[middle], **{f"c{i}": words[each] for i, each in enumerate(noisy)}}


def test_the_range_of_a_hub_is_over_all_its_sets_of_parents(tmp_path):
    net = aw.learn(hub(60))
    assert net.cpdag.n_edges == 60
    for each in (net, aw.load(net.save(tmp_path / "hub.json"))):
        ends = [each.query(f"c{i}", do={"hub": "yes"}).range for i in range(0, 60, 7)]
        assert {(len(found), found.complete) for found in ends} == {(61, True)}
        alone = [float(net.query(f"c{i}").probability(["yes"])) for i in range(0, 60, 7)]
        assert [found.probability(["yes"])[0] for found in ends] == pytest.approx(alone, abs=1e-12)


def random_tables(graph: DAG, rng: np.random.Generator) -> BayesNet:
    """A network of random tables of three levels; some cells are impossible."""
    models = []
    for row in graph.parents:
        cells = rng.dirichlet(np.ones(3), [3] * len(row)) + 0.01
        cells[..., 0] *= rng.random(cells.shape[:-1]) < 0.8
        models.append(DiscreteConditional(cells / cells.sum(axis=-1, keepdims=True)))
    variables = tuple(Variable(name, ("l0", "l1", "l2")) for name in graph.nodes)
    return BayesNet(variables, graph, tuple(models))


def random_regressions(graph: DAG, rng: np.random.Generator) -> BayesNet:
    """A network of conditional Gaussian models: two discrete roots, numbers below."""
    variables, models = [], []
    for node, row in enumerate(graph.parents):
        if node < 2:
            variables.append(Variable(graph.nodes[node], ("a", "b")))
            models.append(DiscreteConditional(rng.dirichlet([1, 1], [2] * len(row))))
            continue
        discrete = tuple(parent < 2 for parent in row)
        shape = (2,) * discrete.count(True)
        variables.append(Variable(graph.nodes[node]))
        slopes = rng.normal(size=(*shape, discrete.count(False)))
        spread = rng.uniform(0.5, 2, shape)
        models.append(
            ConditionalGaussianModel(discrete, rng.normal(size=shape), slopes, np.array(spread))
        )
    return BayesNet(tuple(variables), graph, tuple(models))


def log_joint(net: BayesNet, columns: list[np.ndarray]) -> np.ndarray:
    parts = zip(net.conditionals, columns, net.graph.parents, strict=True)
    return sum(model.logpdf(y, tuple(columns[i] for i in row)) for model, y, row in parts)


def test_turning_arcs_keeps_the_joint_distribution():
    rng, members = np.random.default_rng(9), 0
    cells = [np.array(each) for each in zip(*product(range(3), repeat=4), strict=True)]
    for _ in range(15):
        net = random_tables(random_dag(list("abcd"), 3.0, rng), rng)
        wanted = np.exp(log_joint(net, cells))
        for graph in every_member(net.graph):
            other = BayesNet(net.variables, graph, turn(net, graph))
            assert np.exp(log_joint(other, cells)) == pytest.approx(wanted, abs=1e-14)
            members += 1
    assert members > 60


def test_turning_arcs_among_numbers_keeps_the_density():
    rng, members = np.random.default_rng(10), 0
    for _ in range(40):
        dag = random_dag(list("abcde"), 4.0, rng)
        rows = tuple(
            tuple(p for p in row if p < max(node, 2)) for node, row in enumerate(dag.parents)
        )
        net = random_regressions(DAG(dag.nodes, (rows[0], (), *rows[2:])), rng)
        columns = [rng.integers(0, 2, 50), rng.integers(0, 2, 50), *rng.normal(size=(3, 50))]
        for graph in every_member(net.graph):
            if any(graph.has_arc(high, low) for low in range(2) for high in range(2, 5)):
                continue  # numbers are no parents of levels
            other = BayesNet(net.variables, graph, turn(net, graph))
            assert log_joint(other, columns) == pytest.approx(log_joint(net, columns), abs=1e-10)
            members += 1
    assert members > 60


def test_ranges_of_tables_are_those_of_all_equivalent_graphs():
    rng, ranged = np.random.default_rng(11), 0
    for _ in range(12):
        net = random_tables(random_dag(list("abcd"), 3.0, rng), rng)
        target, forced = (str(name) for name in rng.choice(list("abcd"), 2, replace=False))
        do = {forced: "l1"}
        belief = query(net, target, None, do, equivalents=Equivalents(cpdag(net.graph)))
        values = [
            float(
                query(
                    BayesNet(net.variables, graph, turn(net, graph)), target, None, do
                ).probability(["l2"])
            )
            for graph in every_member(net.graph)
        ]
        own = float(belief.probability(["l2"]))
        ends = belief.range.probability(["l2"]) if belief.range else (own, own)
        assert ends == pytest.approx((min(values), max(values)), abs=1e-12)
        ranged += belief.range is not None
    assert ranged > 5


def test_networks_of_the_model_clg_have_the_same_range_from_a_file(tmp_path):
    net = aw.learn(CHAIN, model="clg")
    gaussian = aw.learn(CHAIN).query("z", do={"y": 4.0}).range
    again = aw.load(net.save(tmp_path / "clg.json"))
    for each in (net, again):
        found = each.query("z", do={"y": 4.0}).range
        assert (len(found), found.complete) == (3, True)
        assert found.mean == pytest.approx(gaussian.mean, abs=0.01)
    assert again.query("z", do={"y": 4.0}).range.mean == net.query("z", do={"y": 4.0}).range.mean


# -- every number that answers do= -----------------------------------------------------------------


@pytest.fixture(scope="module")
def links() -> aw.Network:
    """A learned chain of three variables with two levels each, whose directions are open."""
    rng = np.random.default_rng(0)
    a = rng.random(400) < 0.4
    b = np.where(a, rng.random(400) < 0.8, rng.random(400) < 0.3)
    c = np.where(b, rng.random(400) < 0.7, rng.random(400) < 0.2)
    rows = {name: np.where(x, "yes", "no") for name, x in (("a", a), ("b", b), ("c", c))}
    net = aw.learn(rows)
    assert str(net.cpdag) == "a - b, b - c"
    return net


def members_of(net: aw.Network) -> list[BayesNet]:
    return [BayesNet(net.net.variables, g, turn(net.net, g)) for g in every_member(net.graph)]


def test_the_probability_of_an_event_has_the_range_of_its_belief(links, learned):
    for net, target, do, event in (
        (links, "c", {"b": "yes"}, "yes"),
        (learned, "z", {"y": 4.0}, (1, None)),
        (learned, "z", {"y": 4.0}, lambda drawn: drawn["z"] > 1.0),
        (learned, ["x", "z"], {"y": 4.0}, {"x": (None, 1.0), "z": (0.0, None)}),
    ):
        belief = net.query(target, do=do)
        chance = belief.probability(event)
        assert chance == belief.range.answers[0].probability(event)
        assert tuple(chance.range) == belief.range.probability(event)
        assert tuple(chance.range.graphs) == belief.range.graphs.probability(event)
        low, high = chance.range
        assert low < high
        assert f"over all equivalent graphs between {low:.4g} and {high:.4g}" in str(chance)
        assert " with equivalent ones between " in str(chance)
    every = links.query("c", do={"b": "yes"}).probabilities
    assert all(low < high for low, high in (chance.range for chance in every.values()))


def test_the_probability_of_evidence_after_do_has_a_range(links):
    given, do = {"c": "yes"}, {"b": "yes"}
    alone = [float(inference.probability(net, given, do)) for net in members_of(links)]
    chance = links.probability(given, do=do)
    assert tuple(chance.range) == pytest.approx((min(alone), max(alone)), abs=1e-12)
    assert chance.range.graphs is not None
    logs = links.probability(given, do=do, log=True)
    assert [*logs.range] == pytest.approx(np.log([*chance.range]).tolist())
    assert links.probability(given).range is None
    assert links.probability(given, do=do, max_graphs=2).range.over == "2 equivalent graphs"


def test_the_explanation_after_do_has_a_range(links):
    given, do = {"c": "yes"}, {"b": "yes"}
    alone = [inference.explain(net, given, do) for net in members_of(links)]
    found = links.explain(given, do=do)
    chances = [each.probability for each in alone]
    assert found.range.of(lambda each: each.probability) == pytest.approx(
        (min(chances), max(chances)), abs=1e-12
    )
    assert set(found.range.levels["a"]) == {each["a"] for each in alone} == {"no", "yes"}
    assert "a no or yes; probability between" in str(found)
    assert found.range.graphs is not None
    assert found.document()["range"]["levels"]["a"] == ["no", "yes"]
    assert links.explain(given).range is None


def test_all_beliefs_after_do_show_their_range_in_print(links):
    found = links.marginals(do={"b": "yes"})
    low, high = found["c"].probability("yes").range.widest
    assert f"over graphs yes {low:.4g} to {high:.4g}" in str(found)


def test_rows_drawn_after_do_are_said_to_be_those_of_one_graph(links):
    assert "learned graph only" in links.sample(5, do={"b": "yes"}).notes[-1]
    assert not links.sample(5).notes


def test_a_graph_that_was_given_answers_do_with_single_numbers():
    asia = aw.example("asia", "network")
    do, given = {"smoke": "yes"}, {"xray": "yes"}
    assert asia.query("lung", do=do).probability("yes").range is None
    assert asia.probability(given, do=do).range is None
    assert asia.explain(given, do=do).range is None
    assert "over graphs" not in str(asia.marginals(do=do))
    assert not asia.sample(5, do=do).notes
