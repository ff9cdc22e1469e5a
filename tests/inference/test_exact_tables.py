"""Exact answers of discrete networks: against sums over the whole table, published values and each other."""

import gc
import json
import weakref
from itertools import product

import numpy as np
import pytest
from discrete_nets import random_tables
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import junction as naive

import arcwise as aw
from arcwise.conditionals import DiscreteConditional
from arcwise.data import Table, Variable
from arcwise.data.variable import code_type
from arcwise.errors import DataError, FitError
from arcwise.graphs import DAG
from arcwise.inference import (
    ENGINES,
    explain,
    impute,
    marginal_log_density,
    marginals,
    predict,
    probability,
    query,
    sample,
)
from arcwise.inference import (
    ask as asking_verbs,
)
from arcwise.inference.exact_tables import trees_of
from arcwise.networks import BayesNet

METHODS = ("junction", "elimination")


def small_net(seed, nodes=6):
    """A random network with zeros in its tables, whose arcs do not follow the order of names."""
    made = random_tables(np.random.default_rng(seed), nodes)
    tables = [np.where(table < 1e-200, 0.0, table) for table in made.tables]
    models = tuple(DiscreteConditional(t / t.sum(axis=-1, keepdims=True)) for t in tables)
    return BayesNet(made.variables, DAG.make_unchecked(made.names, made.parents), models)


def whole_table(net, do=None):
    """The joint distribution as one table; of what is set, only that level."""
    levels = [len(variable.levels) for variable in net.variables]
    scopes = [(*parents, node) for node, parents in enumerate(net.graph.parents)]
    tables = [model.table for model in net.conditionals]
    for node, code in (do or {}).items():
        scopes[node], tables[node] = (node,), np.eye(levels[node])[code]
    return naive.product(levels, scopes, tables)


def weighed(whole, seen=None, soft=None):
    """The table with evidence multiplied in, not normalised."""
    for node, weights in {
        **{node: np.eye(whole.shape[node])[code] for node, code in (seen or {}).items()},
        **(soft or {}),
    }.items():
        whole = whole * weights.reshape([-1 if i == node else 1 for i in range(whole.ndim)])
    return whole


def by_name(net, codes):
    return {net.names[node]: net.variables[node].levels[code] for node, code in codes.items()}


@st.composite
def questions(draw):
    """A network, a target or two, levels seen, weights of levels, and levels set."""
    net = small_net(draw(st.integers(0, 10_000)), draw(st.integers(2, 6)))
    roles = draw(st.permutations(range(len(net.names))))
    sizes = [len(variable.levels) for variable in net.variables]
    asked = tuple(roles[: draw(st.integers(1, 2))])
    rest = list(roles[len(asked) :])
    seen, soft, do = {}, {}, {}
    for node in rest:
        role = draw(st.sampled_from(["hidden", "hidden", "seen", "soft", "do"]))
        if role == "seen":
            seen[node] = draw(st.integers(0, sizes[node] - 1))
        elif role == "do":
            do[node] = draw(st.integers(0, sizes[node] - 1))
        elif role == "soft":
            weights = [draw(st.sampled_from([0.0, 0.3, 1.0, 2.5])) for _ in range(sizes[node])]
            soft[node] = np.array(weights if any(weights) else [1.0] * sizes[node])
    return net, asked, seen, soft, do


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=80, deadline=None)
@given(asking=questions())
def test_answers_are_sums_over_the_whole_table(method, asking):
    net, asked, seen, soft, do = asking
    table = weighed(whole_table(net, do), seen, soft)
    given_values = by_name(net, seen) | {
        net.names[node]: dict(zip(net.variables[node].levels, weights.tolist(), strict=True))
        for node, weights in soft.items()
    }
    names = [net.names[node] for node in asked]
    words = {"given": given_values, "do": by_name(net, do), "method": method}
    if table.sum() == 0:
        with pytest.raises(FitError, match=r"impossible.*probability zero"):
            query(net, names, **words)
        assert probability(net, **words, log=True) == -np.inf
        return
    total = probability(net, **words, log=True)
    assert total == pytest.approx(np.log(table.sum()), abs=1e-9)
    both = query(net, names, **words)
    assert both.error == 0
    assert np.allclose(both.joint.table, naive.marginal(table, asked), atol=1e-12)
    for node, name in zip(asked, names, strict=True):
        single = query(net, name, **words).distribution.probabilities[0]
        assert np.allclose(single, naive.marginal(table, (node,)), atol=1e-12)
        assert np.allclose(both[name].distribution.probabilities[0], single, atol=1e-12)
    every = marginals(net, **words)
    assert set(every) == {n for i, n in enumerate(net.names) if i not in seen and i not in do}
    for name, belief in every.items():
        expected = naive.marginal(table, (net.index(name),))
        assert np.allclose(belief.distribution.probabilities[0], expected, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(asking=questions())
def test_the_explanation_is_the_largest_cell(asking):
    net, _, seen, soft, do = asking
    table = weighed(whole_table(net, do), seen, soft)
    weights = {
        net.names[node]: dict(zip(net.variables[node].levels, each.tolist(), strict=True))
        for node, each in soft.items()
    }
    words = {"given": by_name(net, seen) | weights, "do": by_name(net, do)}
    if table.sum() == 0:
        with pytest.raises(FitError, match="impossible"):
            explain(net, **words)
        return
    found = explain(net, **words)
    cell = tuple(v.levels.index(found[v.name]) for v in net.variables)
    assert table[cell] == pytest.approx(table.max(), rel=1e-9)
    assert found.log_probability == pytest.approx(np.log(table.max()), abs=1e-9)
    assert found.probability == pytest.approx(table.max() / table.sum(), rel=1e-9)
    assert {name: found[name] for name in by_name(net, seen)} == by_name(net, seen)
    assert "probability given the evidence" in str(found)
    assert found.document()["levels"] == dict(found)


def gappy(net, rng, rows, share=0.4):
    """Rows of a network with gaps in random places."""
    drawn = sample(net, rng, rows)
    columns = [column.copy() for column in drawn.columns]
    for column, variable in zip(columns, net.variables, strict=True):
        column[rng.random(rows) < share] = len(variable.levels)
    return Table(net.variables, tuple(columns))


def known_codes(table, row):
    gaps = table.missing()
    return {n: int(c[row]) for n, c in enumerate(table.columns) if not gaps[row, n]}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_a_table_are_single_questions(method, seed):
    net, rng = small_net(seed), np.random.default_rng(seed)
    table, whole = gappy(net, rng, 60), whole_table(net)
    target = net.names[seed]
    found = predict(net, table, target, method=method)
    logs = marginal_log_density(net, table, method=method)
    filled = impute(net, table, method=method)
    assert not filled.missing().any()
    assert (found.error == 0).all()
    for row in range(table.rows):
        seen = known_codes(table, row)
        assert logs[row] == pytest.approx(np.log(weighed(whole, seen).sum()), abs=1e-9)
        others = {node: code for node, code in seen.items() if node != seed}
        shares = naive.marginal(weighed(whole, others), (seed,))
        assert np.allclose(found.probabilities[row], shares, atol=1e-12)
        for node in range(len(net.names)):
            code = int(filled.columns[node][row])
            own = naive.marginal(weighed(whole, seen), (node,))
            assert own[code] == pytest.approx(own.max(), abs=1e-12)
            assert node not in seen or seen[node] == code


def test_rows_without_gaps_and_without_anything_known():
    net = small_net(3)
    rows = sample(net, np.random.default_rng(1), 20)
    cells = np.log([whole_table(net)[tuple(int(c[r]) for c in rows.columns)] for r in range(20)])
    assert np.allclose(marginal_log_density(net, rows), cells)
    empty = Table(
        net.variables,
        tuple(np.full(3, len(v.levels), code_type(len(v.levels))) for v in net.variables),
    )
    assert np.allclose(marginal_log_density(net, empty), 0.0, atol=1e-12)
    none = empty.take(np.zeros(0, dtype=int))
    assert len(predict(net, none, net.names[0])) == 0
    assert marginal_log_density(net, none).shape == (0,)
    assert impute(net, none).rows == 0


@pytest.mark.parametrize("method", METHODS)
def test_a_row_that_cannot_be_is_named(method):
    net = asia()
    rows = {"lung": ["no", "yes"], "either": ["no", "no"]}
    table = aw.table(rows, kinds={"lung": "discrete", "either": "discrete"})
    with pytest.raises(FitError, match=r"row 2 is impossible.*'either' and 'lung'"):
        predict(net, aw.data.conform(table, net.variables), "smoke", method=method)
    logs = marginal_log_density(net, aw.data.conform(table, net.variables), method=method)
    assert np.isfinite(logs[0])
    assert logs[1] == -np.inf


@pytest.mark.parametrize("method", METHODS)
def test_draws_have_the_frequencies_of_the_answer(method):
    net, rng = small_net(11, 5), np.random.default_rng(5)
    seen, size = {0: 0}, 20_000 if method == "junction" else 3000
    table = weighed(whole_table(net), seen)
    drawn = sample(net, rng, size, by_name(net, seen), method=method)
    counts = np.zeros(table.shape)
    np.add.at(counts, tuple(column.astype(int) for column in drawn.columns), 1)
    expected = size * table / table.sum()
    assert not counts[expected == 0].any()
    off = (counts - expected)[expected > 0] ** 2 / expected[expected > 0]
    cells = (expected > 0).sum()
    assert off[expected[expected > 0] > 5].sum() < cells + 5 * np.sqrt(2 * cells)


@pytest.mark.parametrize("method", METHODS)
def test_gaps_are_drawn_together_and_by_seed(method):
    net = asia()
    rows = aw.data.conform(aw.table({"dysp": ["yes"] * 400}), net.variables)
    filled = impute(net, rows, np.random.default_rng(1), method=method)
    again = impute(net, rows, np.random.default_rng(1), method=method)
    assert all((a == b).all() for a, b in zip(filled.columns, again.columns, strict=True))
    assert np.isfinite(
        marginal_log_density(net, filled)
    ).all()  # either is lung or tub in every row
    share = np.mean(filled.columns[net.index("bronc")] == 0)
    expected = query(net, "bronc", {"dysp": "yes"}).probability("yes")
    assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / 400)


def test_soft_evidence_in_draws():
    net = asia()
    weights = {"smoke": {"yes": 4.0, "no": 1.0}}
    drawn = sample(net, np.random.default_rng(1), 20_000, weights)
    assert np.mean(drawn.columns[net.index("smoke")] == 0) == pytest.approx(0.8, abs=0.01)


# -- evidence --------------------------------------------------------------------------------------


def asia():
    """The chest clinic (Lauritzen and Spiegelhalter 1988)."""
    yes = ("yes", "no")
    arcs = [
        ("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc"), ("tub", "either"), ("lung", "either"),
        ("either", "xray"), ("either", "dysp"), ("bronc", "dysp"),
    ]  # fmt: skip
    graph = DAG.from_arcs(arcs)
    sure = np.zeros((2, 2, 2))
    sure[..., 0] = [[1, 1], [1, 0]]
    sure[..., 1] = 1 - sure[..., 0]
    chances = {
        "asia": [0.01], "tub": [0.05, 0.01], "smoke": [0.5], "lung": [0.1, 0.01], "bronc": [0.6, 0.3],
        "xray": [0.98, 0.05], "dysp": [[0.9, 0.8], [0.7, 0.1]],  # of bronc, either
    }  # fmt: skip
    models = []
    for name in graph.nodes:
        if name == "either":
            models.append(DiscreteConditional(sure))
            continue
        first = np.array(chances[name])
        first = first[0] if name in ("asia", "smoke") else first
        models.append(DiscreteConditional(np.stack([first, 1 - first], axis=-1)))
    return BayesNet(tuple(Variable(name, yes) for name in graph.nodes), graph, tuple(models))


def dice():
    """A die with numeric levels, and whether it is high."""
    die = Variable("die", (1, 2, 3, 4, 5, 6), ordered=True)
    size = Variable("size", ("low", "middle", "high"), ordered=True)
    table = np.repeat(np.array([[0.9, 0.1, 0.0], [0.1, 0.8, 0.1], [0.0, 0.1, 0.9]]), 2, axis=0)
    graph = DAG.from_arcs([("die", "size")])
    return BayesNet(
        (die, size), graph, (DiscreteConditional(np.full(6, 1 / 6)), DiscreteConditional(table))
    )


@pytest.mark.parametrize("method", METHODS)
def test_sets_and_intervals_of_levels(method):
    net = dice()
    for event, levels in (
        ([1, 6], {1, 6}), ({2, 3}, {2, 3}), ((2, 5), {2, 3, 4, 5}), ((None, 2), {1, 2}),
        ((4.5, None), {5, 6}), ((1, 6), {1, 2, 3, 4, 5, 6}),
    ):  # fmt: skip
        assert probability(net, {"die": event}, method=method) == pytest.approx(len(levels) / 6)
        belief = query(net, "die", {"die": event, "size": "middle"}, method=method)
        raw = {x: [0.1, 0.1, 0.8, 0.8, 0.1, 0.1][x - 1] * (x in levels) for x in range(1, 7)}
        for level, weight in raw.items():
            assert belief.probability(level) == pytest.approx(weight / sum(raw.values()))
    between = query(net, "die", {"size": ("middle", "high")}, method=method)
    either = query(net, "die", {"size": ["middle", "high"]}, method=method)
    assert between.mean == pytest.approx(either.mean)
    assert str(either).splitlines()[0] == "die given size = middle or high"
    one = query(net, "die", {"size": ["low"]}, method=method)
    assert one.given == {"size": "low"}


def test_weights_count_by_their_ratios_and_enter_the_probability():
    net = asia()
    first = query(net, "lung", {"smoke": {"yes": 0.7, "no": 0.3}})
    second = query(net, "lung", {"smoke": {"yes": 7, "no": 3}})
    assert first.probability("yes") == pytest.approx(second.probability("yes"))
    assert first.probability("yes") == pytest.approx(0.7 * 0.1 + 0.3 * 0.01)
    assert probability(net, {"smoke": {"yes": 0.7, "no": 0.2}}) == pytest.approx(0.45)
    assert probability(net, {"smoke": {"yes": 7, "no": 2}}, log=True) == pytest.approx(np.log(4.5))
    with pytest.raises(DataError, match="above one"):
        probability(net, {"smoke": {"yes": 7, "no": 2}})
    hard = query(net, "lung", {"smoke": {"yes": 1, "no": 0}})
    assert hard.probability("yes") == pytest.approx(0.1)
    assert str(first).splitlines()[0] == "lung given smoke = (yes 0.7, no 0.3)"


BAD = [
    ({"die": []}, "No level of 'die'"),
    ({"die": (5, 2)}, "No level of 'die'"),
    ({"die": [1, 9]}, "'die' has the value 9"),
    ({"die": ("x", 3)}, "finite number"),
    ({"size": {"low": 0.5}}, "none for 'middle'"),
    ({"size": {"low": 1, "middle": -1, "high": 0}}, "must be non-negative"),
    ({"size": {"low": 0, "middle": 0, "high": 0}}, "not all zero"),
    ({"size": {"low": 1, "middle": np.nan, "high": 0}}, "finite number"),
    ({"size": {"low": 1, "middle": 1, "tall": 0}}, "'size' has the value 'tall'"),
]


@pytest.mark.parametrize(("evidence", "said"), BAD)
def test_bad_evidence_is_an_error_in_words(evidence, said):
    with pytest.raises(DataError, match=said):
        query(dice(), "die", evidence)


def test_do_takes_one_level_and_other_engines_refuse_weights():
    net = asia()
    with pytest.raises(DataError, match="'lung' has the value"):
        query(net, "smoke", do={"lung": ["yes", "no"]})
    with pytest.raises(DataError, match="both in given and in do"):
        query(net, "tub", given={"lung": ["yes", "no"]}, do={"lung": "yes"})
    with pytest.raises(FitError, match="'importance' takes values as evidence"):
        query(net, "lung", {"smoke": ["yes", "no"]}, method="importance")
    normal = aw.fit("[a][b|a]", {"a": [0.1, 0.5, 0.9, 1.4], "b": [0.3, 0.4, 1.1, 1.2]})
    with pytest.raises(DataError, match=r"'a' must be a finite number.*variables with levels"):
        normal.query("b", given={"a": {0: 1}})
    with pytest.raises(FitError, match="needs a network of probability tables"):
        normal.query("a", method="junction")
    with pytest.raises(FitError, match="'a' is a number"):
        normal.probability({"a": 0.5})


@pytest.mark.parametrize("method", METHODS)
def test_setting_is_not_seeing(method):
    net = asia()
    assert query(net, "smoke", do={"lung": "yes"}, method=method).probability("yes") == 0.5
    seen = query(net, "smoke", given={"lung": "yes"}, method=method)
    assert seen.probability("yes") == pytest.approx(0.05 / 0.055)
    both = query(net, "bronc", given={"dysp": "yes"}, do={"lung": "yes"}, method=method)
    raw = 0.45 * 0.9, 0.55 * 0.7
    assert both.probability("yes") == pytest.approx(raw[0] / sum(raw))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "evidence", [{"either": "no", "lung": "yes"}, {"lung": "yes", "either": "no", "asia": "no"}]
)
def test_impossible_evidence_says_so(method, evidence):
    with pytest.raises(FitError, match="impossible"):
        query(asia(), "smoke", evidence, method=method)
    assert probability(asia(), evidence, method=method) == 0.0
    assert probability(asia(), evidence, log=True, method=method) == -np.inf


def test_impossible_evidence_in_all_verbs():
    net, evidence = asia(), {"either": "no", "tub": "yes"}
    for ask in (
        lambda: marginals(net, evidence),
        lambda: explain(net, evidence),
        lambda: sample(net, np.random.default_rng(1), 3, evidence),
        lambda: query(net, ["smoke", "xray"], evidence),
    ):
        with pytest.raises(FitError, match=r"impossible: the evidence on 'either' and 'tub'"):
            ask()


# -- joint answers ---------------------------------------------------------------------------------


def test_a_joint_answer_is_exact_in_everything():
    net = dice()
    both = query(net, ["size", "die"])
    table = both.joint.table
    assert table.shape == (3, 6)
    event = both.probability({"die": (4, None), "size": ["high", "middle"]})
    assert event == pytest.approx(table[1:, 3:].sum())
    assert event.error == 0
    held = both.probability(lambda drawn: (drawn["die"] > 3) & (drawn["size"] == "high"))
    assert held == pytest.approx(table[2, 3:].sum())
    assert held.error == 0
    outer = np.outer(table.sum(axis=1), table.sum(axis=0))
    there = table > 0
    information = (table[there] * np.log(table[there] / outer[there])).sum()
    assert both.mutual_information("size", "die") == pytest.approx(information)
    drawn = both.draws(2000, seed=1)
    assert set(drawn) == {"size", "die"}
    assert np.mean(drawn["die"]) == pytest.approx(3.5, abs=0.2)
    assert both.logdensity({"die": 2, "size": "low"}) == pytest.approx(np.log(table[0, 1]))
    numbers = query(dice(), ["die"])
    assert numbers.correlation.tolist() == [[1.0]]


# -- invariances -----------------------------------------------------------------------------------


def permuted(net, rng):
    """The same network under other names, so that columns are in another order."""
    order = rng.permutation(len(net.names))
    names = {node: f"n{place:03d}" for place, node in enumerate(order)}
    sort = sorted(range(len(order)), key=lambda node: names[node])
    place = {node: i for i, node in enumerate(sort)}
    models, parents = [], []
    for node in sort:
        old = net.graph.parents[node]
        into = sorted(old, key=lambda p: place[p])
        axes = [*(old.index(p) for p in into), len(old)]
        models.append(DiscreteConditional(net.conditionals[node].table.transpose(axes)))
        parents.append(tuple(place[p] for p in into))
    variables = tuple(Variable(names[node], net.variables[node].levels) for node in sort)
    graph = DAG.make_unchecked(tuple(v.name for v in variables), tuple(parents))
    return BayesNet(variables, graph, tuple(models)), names


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_columns_does_not_matter(method, seed):
    net = small_net(seed, 8)
    other, names = permuted(net, np.random.default_rng(seed))
    seen = {1: 0}
    if probability(net, by_name(net, seen)) == 0:
        return
    renamed = {names[1]: net.variables[1].levels[0]}
    for node in (0, 2, 5):
        one = query(net, net.names[node], by_name(net, seen), method=method)
        two = query(other, names[node], renamed, method=method)
        assert np.allclose(
            one.distribution.probabilities, two.distribution.probabilities, atol=1e-12
        )


# -- size ------------------------------------------------------------------------------------------


def grid_net(side):
    """A grid of binary variables, each with arcs from left and above: its tree is exponential in its side."""
    rng, arcs = np.random.default_rng(1), []
    names = [[f"x{i:02d}y{j:02d}" for j in range(side)] for i in range(side)]
    for i, j in product(range(side), range(side)):
        arcs += [(names[i][j], names[i + 1][j])] if i + 1 < side else []
        arcs += [(names[i][j], names[i][j + 1])] if j + 1 < side else []
    graph = DAG.from_arcs(arcs, [name for row in names for name in row])
    models = []
    for parents in graph.parents:
        first = rng.uniform(0.2, 0.8, (2,) * len(parents))
        models.append(DiscreteConditional(np.stack([first, 1 - first], axis=-1)))
    return BayesNet(tuple(Variable(n, ("a", "b")) for n in graph.nodes), graph, tuple(models))


def test_what_does_not_fit_is_rejected_with_its_size_and_simulated_with_an_error():
    net = grid_net(40)
    last = net.names[-1]
    for method in METHODS:
        with pytest.raises(FitError, match=r"needs .*e\+\d\d numbers at once \(.* GB\)"):
            query(net, last, method=method)
    belief = query(net, last, {net.names[0]: "a"})
    assert 0 < belief.error < 0.02
    assert any("numbers at once" in note and "simulated" in note for note in belief.quality.notes)
    assert "note: An exact answer by" in str(belief)
    with pytest.raises(FitError, match="numbers at once"):
        explain(net, {})
    with pytest.raises(FitError, match="numbers at once"):
        query(net, last, {net.names[0]: ["a", "b"]})
    cost = ENGINES["junction"].accepts(_question(net))
    assert cost.memory > 1e11


def _question(net):
    from arcwise.inference.engine import Options, Question
    from arcwise.inference.evidence import Evidence

    return Question.of(net, (0,), Evidence({}, {}, {}), Options(), np.random.default_rng(1))


def test_a_small_question_to_a_wide_network_is_exact():
    net = grid_net(40)
    belief = query(net, net.names[0], {net.names[1]: "a"})  # the rest is barren
    assert belief.error == 0
    first, second = net.conditionals[0].table, net.conditionals[1].table
    raw = first * second[:, 0]
    assert np.allclose(belief.distribution.probabilities[0], raw / raw.sum())
    assert probability(net, {net.names[0]: "a"}) == pytest.approx(first[0])


def test_memory_of_the_machine_counts(monkeypatch):
    monkeypatch.setattr(asking_verbs, "available", lambda: 1e6)
    monkeypatch.setattr(asking_verbs, "_SMALL", 1.0)
    with pytest.raises(FitError, match=r"above 6\.2e"):
        query(grid_net(14), "x13y13", method="junction")


def test_a_tree_is_kept_with_its_network_and_no_longer():
    net = asia()
    query(net, "lung")
    kept = trees_of(net)
    query(net, "lung", {"smoke": "yes"})
    assert trees_of(net) is kept
    assert kept.tree() is kept.tree()
    for other in ("tub", "bronc", "xray", "dysp", "asia", "either", "lung"):
        query(net, ["smoke", other])
    assert len(kept._trees) <= 5
    assert () in kept._trees
    gone = weakref.ref(kept)
    del net, kept
    gc.collect()
    assert gone() is None


# -- published values ------------------------------------------------------------------------------


def oracle(shared_data, name):
    return json.loads((shared_data / "oracles" / name).read_text())


def test_the_chest_clinic(shared_data):
    found = oracle(shared_data, "inference_small.json")["chest_clinic"]
    net = asia()
    for name, share in found.pop("marginals_P(yes)").items():
        assert query(net, name).probability("yes") == pytest.approx(share, abs=1e-12)
    for text, shares in found.items():
        if not text.startswith("{"):
            continue
        evidence = json.loads(text)
        assert probability(net, evidence) == pytest.approx(shares.pop("P(evidence)"), rel=1e-9)
        every = marginals(net, evidence)
        for asked, share in shares.items():
            name = asked.removeprefix("P(").partition("=")[0]
            assert every[name].probability("yes") == pytest.approx(share, abs=1e-12)


def test_published_networks(shared_data):
    """Marginals and posteriors to 1e-6: rows of some tables miss one by 1e-7 and are normalised when read."""
    for name, facts in oracle(shared_data, "inference_networks.json").items():
        folder = shared_data / "networks" / "discrete"
        place = next(
            folder / f"{name}{end}"
            for end in (".bif", ".bif.gz")
            if (folder / f"{name}{end}").exists()
        )
        net = aw.load(place).net
        every = marginals(net)
        for variable, shares in facts["marginals"].items():
            levels = facts["levels"][variable]
            own = [float(every[variable].probability([level])) for level in levels]
            assert np.allclose(own, shares, atol=1e-6), (name, variable)
        for asking in facts["queries"]:
            target, evidence = asking["query"], asking["evidence"]
            for method in METHODS:
                if not asking["p_evidence"]:
                    continue
                belief = query(net, target, evidence, method=method)
                own = [float(belief.probability([level])) for level in facts["levels"][target]]
                assert np.allclose(own, asking["posterior"], atol=1e-6), (name, target, evidence)
            assert probability(net, evidence) == pytest.approx(
                asking["p_evidence"], rel=1e-5, abs=1e-12
            )


# -- large networks --------------------------------------------------------------------------------


def large(shared_data, name, findings=5):
    """A published network, and levels of some variables in a row that it draws."""
    net = aw.load(shared_data / "networks" / "discrete" / f"{name}.bif.gz").net
    row = sample(net, np.random.default_rng(1), 1)
    chosen = np.random.default_rng(2).choice(len(net.names), findings, replace=False)
    return net, by_name(net, {int(v): int(row.columns[v][0]) for v in chosen})


@pytest.mark.parametrize("name", ["munin", "link", "diabetes"])
def test_large_networks_from_end_to_end(shared_data, name):
    """The compiled tree and variable elimination in numpy are two programs: they agree."""
    net, evidence = large(shared_data, name)
    every = marginals(net, evidence)
    asked = np.random.default_rng(3).choice(sorted(every), 6, replace=False)
    for target in map(str, asked):
        belief = query(net, target, evidence, method="elimination")
        both = (each.distribution.probabilities for each in (belief, every[target]))
        assert np.allclose(*both, atol=1e-10)
    log = probability(net, evidence, log=True)
    assert log == pytest.approx(
        probability(net, evidence, log=True, method="elimination"), abs=1e-9
    )
    best = explain(net, evidence)
    assert best.log_probability <= log
    codes = tuple(np.array([v.levels.index(best[v.name])]) for v in net.variables)
    assert aw.networks.log_density(net, codes)[0] == pytest.approx(best.log_probability, abs=1e-8)


def test_munin_beside_an_independent_engine(shared_data, tmp_path):
    """All posteriors as of pyAgrum, which keeps numbers of files in single precision."""
    gum = pytest.importorskip("pyagrum")
    net, evidence = large(shared_data, "munin")
    place = tmp_path / "munin.bif"
    aw.load(shared_data / "networks" / "discrete" / "munin.bif.gz").save(place)
    engine = gum.LazyPropagation(gum.loadBN(str(place)))
    engine.setEvidence(evidence)
    for name, belief in marginals(net, evidence).items():
        other = engine.posterior(name).toarray()
        assert np.allclose(belief.distribution.probabilities[0], other, atol=1e-6), name
