"""Structures, tables and choices of classifiers against plain twins."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from naive.classify import aode, best_tree, conditional_information

import arcwise as aw
from arcwise.conditionals.discrete import PseudoCounts
from arcwise.data import Table
from arcwise.graphs import Rules
from arcwise.learners import Learner, Specification
from arcwise.learners.classifiers import (
    ClassifierSpec,
    decide,
    learn_classifier,
    leave_one_out,
)


def columns(seed=1, rows=150, features=5, gaps=0.0):
    """Levels in which features depend on the class and on each other; None is a gap."""
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 3, rows)
    found, last = {"kind": [f"k{v}" for v in c]}, np.zeros(rows, dtype=int)
    for i in range(features):
        last = (np.where(rng.random(rows) < 0.5, c, last) + rng.integers(0, 2, rows)) % (2 + i % 3)
        there = rng.random(rows) >= gaps
        found[f"f{i}"] = [f"l{v}" if t else None for v, t in zip(last, there, strict=True)]
    return found


def spec(structure="naive", **words):
    return ClassifierSpec(np.random.default_rng(0), structure, **words)


def problem_of(table, structure="tan", target="kind", **words):
    return spec(structure, **words).problem(table, target, structure)


def learned(data, *args, **words):
    return learn_classifier(aw.table(data), "kind", spec(*args, **words))


def codes_of(table, name):
    size = len(table.variable(name).levels)
    return [None if v == size else int(v) for v in table.column(name)]


# -- structures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_information_of_pairs_given_the_class(gaps):
    table = aw.table(columns(gaps=gaps))
    problem = problem_of(table)
    gains, names, c = problem.gains, table.names, codes_of(table, "kind")
    for place, i in enumerate(problem.features):
        for j in problem.features[:place]:
            x, y = codes_of(table, names[i]), codes_of(table, names[j])
            rows = sum(None not in pair for pair in zip(x, y, strict=True))
            assert gains[i, j] == pytest.approx(rows * conditional_information(x, y, c), abs=1e-9)
            assert gains[i, j] == gains[j, i]


def test_tan_is_the_best_of_all_trees():
    table = aw.table(columns(seed=3))
    target = table.index("kind")
    problem = problem_of(table)
    graph, features = problem.structure(0.0), list(problem.features)
    arcs = [(t, h) for t, h in graph.numbered_arcs if target not in (t, h)]
    best = best_tree(problem.gains[np.ix_(features, features)])
    assert sum(problem.gains[arc] for arc in arcs) == pytest.approx(best)
    assert all(target in graph.parents[f] for f in features)
    assert graph.parents[target] == ()


@pytest.mark.parametrize("score", ["aic", "bic", "bdeu"])
def test_gains_are_differences_of_scores(score):
    """An arc between two features is worth what the score of the whole network says."""
    table = aw.table(columns(seed=4))
    problem = problem_of(table, arc_score=score)
    names = [table.names[i] for i in problem.features]
    naive = "[kind]" + "".join(f"[{n}|kind]" for n in names)
    one, two = names[0], names[3]
    joined = naive.replace(f"[{two}|kind]", f"[{two}|kind:{one}]")
    wanted = aw.score(joined, table, score=score) - aw.score(naive, table, score=score)
    pair = tuple(problem.features[i] for i in (0, 3))
    least = 1e-9 * table.total  # an arc that gains nothing has no weight
    assert problem.gains[pair] == problem.gains[pair[::-1]]
    assert problem.gains[pair] == pytest.approx(wanted if wanted > least else -np.inf, abs=1e-8)


def test_a_score_makes_a_forest():
    data = columns(seed=5, rows=120) | {"noise": [f"n{i % 4}" for i in range(120)]}
    tree = learned(data, "tan").net.graph
    forest = learned(data, "tan", arc_score="bic").net.graph
    assert sum("kind" not in arc for arc in tree.arcs) == 5
    assert 0 < sum("kind" not in arc for arc in forest.arcs) < 5
    assert forest.parents_of("noise") == ("kind",)


@pytest.mark.parametrize("k", [0, 1, 2, 9])
def test_kdb_by_its_definition(k):
    table = aw.table(columns(seed=6))
    problem = problem_of(table, "kdb", k=k)
    graph, c = problem.structure(0.0), codes_of(table, "kind")
    names = [table.names[i] for i in problem.features]
    constant = [0] * len(c)
    tell = {n: conditional_information(codes_of(table, n), c, constant) for n in names}
    order = sorted(names, key=lambda n: -tell[n])
    for place, name in enumerate(order):
        x = codes_of(table, name)
        before = sorted(
            order[:place], key=lambda n: -conditional_information(x, codes_of(table, n), c)
        )
        assert set(graph.parents_of(name)) == {"kind", *before[:k]}


def test_free_obeys_the_rules_of_a_class():
    """Nothing points to the class, and it has a child even where no feature tells anything about it."""
    rng = np.random.default_rng(3)
    noise = {"kind": rng.choice(["a", "b"], 60)} | {
        f"f{i}": rng.choice(["0", "1"], 60) for i in range(4)
    }
    for data in (noise, columns(seed=7)):
        graph = learned(data, "free", arc_score="bic", k=None).net.graph
        assert graph.parents_of("kind") == ()
        assert graph.children_of("kind")


def test_free_with_a_required_child_is_the_best_of_all():
    rng = np.random.default_rng(3)
    data = {"kind": rng.choice(["a", "b"], 60)} | {
        f"f{i}": rng.choice(["0", "1"], 60) for i in range(4)
    }
    table = aw.table(data)
    chosen = spec("free", k=None, arc_score="bic", search="exact")
    graph = learn_classifier(table, "kind", chosen).net.graph
    own = aw.score(graph, table, score="bic")
    barred = [(f, "kind") for f in data if f != "kind"]
    each = [
        aw.learn(
            table,
            search="exact",
            score="bic",
            rules=aw.Rules(required=[("kind", f)], forbidden=barred),
        ).score
        for f in data
        if f != "kind"
    ]
    assert own == pytest.approx(max(each))


def test_shapes_are_learners_of_any_table_with_a_class():
    table = aw.table(columns(seed=18))
    for structure in ("naive", "tan", "kdb"):
        net = aw.learn(table, search=structure, rules=Rules(target="kind"))
        assert net.graph == learned(columns(seed=18), structure).net.graph
        assert net.parents("kind") == ()
        words = {
            "search": structure,
            "rules": Rules(target="kind"),
            "model_options": {"discrete": {"alpha": 1.0}},
        }
        plain = Learner(Specification(np.random.default_rng(0), **words))(table)
        for one, two in zip(
            plain.conditionals, learned(table, structure).net.conditionals, strict=True
        ):
            assert one.table == pytest.approx(two.table, abs=1e-15)
    with pytest.raises(aw.GraphError, match=r"name the class by rules=Rules\(target="):
        aw.learn(table, search="tan")
    with pytest.raises(aw.GraphError, match="kin"):
        aw.learn(table, search="tan", rules=Rules(target="kin"))


def test_rules_hold_for_a_tree_around_a_class():
    table = aw.table(columns(seed=3))
    free = aw.learn(table, search="tan", rules=Rules(target="kind")).graph
    arc = next(arc for arc in free.arcs if "kind" not in arc)
    rules = Rules(forbidden=[arc], target="kind")
    turned = aw.learn(table, search="tan", rules=rules).graph
    assert arc not in turned.arcs
    assert turned.n_arcs == free.n_arcs


def test_copies_of_a_feature_are_ties_that_go_by_name():
    data = columns(seed=6)
    twins = {**data, **{f"{name}_copy": data[name] for name in ("f0", "f1", "f2")}}
    turn = np.random.default_rng(2).permutation(150)
    again = {name: [twins[name][i] for i in turn] for name in reversed(list(twins))}
    for structure in ("tan", "kdb"):
        assert learned(twins, structure).net.graph == learned(again, structure).net.graph


# -- probabilities ---------------------------------------------------------------------------------


@pytest.mark.parametrize("gaps", [0.0, 0.25])
@pytest.mark.parametrize("min_count", [0, 30, 10_000])
def test_aode_by_its_definition(gaps, min_count):
    data = columns(seed=8, rows=90, features=4, gaps=gaps)
    table = aw.table(data)
    classifier = learned(data, "aode", min_count=min_count)
    found = np.exp(classifier.log_proba(classifier.rows_of(table)))
    levels = {name: range(len(table.variable(name).levels)) for name in data}
    by_name = {name: codes_of(table, name) for name in data}
    rows = [{name: by_name[name][i] for name in data} for i in range(table.rows)]
    for i in (0, 17, 55, 89):
        assert found[i] == pytest.approx(aode(rows, "kind", levels, rows[i], min_count), abs=1e-12)


def test_smoothing_is_as_stated():
    data = {"kind": ["a", "a", "a", "b"], "f": ["x", "x", "y", "x"]}
    plain = learned(data)
    table = {
        name: model.table
        for name, model in zip(plain.net.names, plain.net.conditionals, strict=True)
    }
    assert table["kind"] == pytest.approx([4 / 6, 2 / 6])
    assert table["f"] == pytest.approx(np.array([[3 / 5, 2 / 5], [2 / 3, 1 / 3]]))
    shared = learned(data, equivalent_sample_size=1.0).net.conditionals[0].table
    assert shared[0] == pytest.approx([2.25 / 3.5, 1.25 / 3.5])
    assert shared[1] == pytest.approx([1.25 / 1.5, 0.25 / 1.5])


@pytest.mark.parametrize("structure", ["naive", "tan", "kdb", "aode"])
def test_features_that_no_row_knows_together(structure):
    """Their arc tells nothing, and their table is even."""
    data = columns(seed=19, rows=80, features=3)
    for i in range(80):
        data[f"f{i % 2}"][i] = None
    classifier = learned(data, structure, min_count=0)
    assert (
        all(frozenset(arc) != {"f0", "f1"} for arc in classifier.net.graph.arcs)
        or structure == "aode"
    )
    rows = {"f0": ["l0", "l1"], "f1": ["l1", None], "f2": ["l1", "l0"]}
    proba = np.exp(classifier.log_proba(classifier.rows_of(rows)))
    assert proba.sum(axis=1) == pytest.approx([1.0, 1.0])
    if structure == "aode":
        tables = [model.table for net in classifier.nets for model in net.conditionals]
        assert any(table.ndim == 3 and (table == 1 / table.shape[-1]).all() for table in tables)


@pytest.mark.parametrize("structure", ["naive", "tan", "kdb"])
def test_leaving_one_row_out_is_learning_again(structure):
    data = columns(seed=9, rows=40)
    table = aw.table(data)
    graph = problem_of(table, structure).structure(0.0)
    logs = leave_one_out(table, graph, "kind", PseudoCounts(1.0, "cell"))
    for row in (0, 13, 39):
        rest = table.take(np.setdiff1d(np.arange(40), [row]))
        net = aw.fit(graph, rest, model=aw.Discrete(alpha=1.0))
        for code in range(3):
            columns_ = [each[row : row + 1] for each in table.columns]
            columns_[table.index("kind")] = np.array([code], dtype=np.uint8)
            one = Table(table.variables, tuple(columns_))
            assert logs[row, code] == pytest.approx(net.logpdf(one)[0], abs=1e-12)


def test_rows_count_by_their_weights():
    data = columns(seed=10, rows=60, gaps=0.1)
    table = aw.table(data)
    counts = np.random.default_rng(1).integers(0, 4, 60)
    twice = table.take(np.repeat(np.arange(60), counts))
    for structure in ("naive", "tan", "kdb", "aode"):
        one = learn_classifier(table.with_weights(counts), "kind", spec(structure))
        two = learn_classifier(twice, "kind", spec(structure))
        rows = one.rows_of(table)
        assert one.net.graph == two.net.graph
        assert one.log_proba(rows) == pytest.approx(two.log_proba(rows), abs=1e-12)


@pytest.mark.parametrize("structure", ["naive", "tan", "kdb", "aode", "free"])
def test_the_order_of_columns_and_rows_does_not_matter(structure):
    data = columns(seed=11, rows=80, gaps=0.0 if structure == "free" else 0.1)
    first = learned(data, structure)
    turn = np.random.default_rng(2).permutation(80)
    turned = {name: [data[name][i] for i in turn] for name in reversed(list(data))}
    second = learned(turned, structure)
    table = aw.table(data)
    assert [net.graph for net in first.nets] == [net.graph for net in second.nets]
    one, two = (c.log_proba(c.rows_of(table)) for c in (first, second))
    assert one == pytest.approx(two, abs=1e-12)


# -- new rows --------------------------------------------------------------------------------------


def test_a_level_that_is_not_known_is_a_gap_with_a_warning():
    classifier = learned(columns(seed=12), "tan")
    with pytest.warns(UserWarning, match=r"count as missing: 'f1' \('never'\)"):
        strange = classifier.rows_of({"f0": ["l0"], "f1": ["never"], "f2": ["l1"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gap = classifier.rows_of({"f0": ["l0"], "f1": [None], "f2": ["l1"]})
    assert classifier.log_proba(strange).tolist() == classifier.log_proba(gap).tolist()
    with pytest.raises(aw.DataError, match="is not in the training data"):
        aw.fit("[f0][f1|f0]", columns()).logpdf({"f0": "l0", "f1": "never"})


def test_levels_are_declared_before_folds():
    """A level that occurs once is known to the classifier that was learned without its row."""
    data = columns(seed=13, rows=60)
    data["f0"][7] = "rare"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        aw.classify(data, "kind", folds=5)


def test_nothing_known_gives_the_shares_of_the_classes():
    classifier = learned(columns(seed=14), "tan")
    table = aw.table(columns(seed=14))
    rows = classifier.rows_of({"f0": [None]})
    counts = np.bincount(table.column("kind"))
    wanted = (counts + 1) / (counts.sum() + 3)
    assert np.exp(classifier.log_proba(rows))[0] == pytest.approx(wanted)


# -- numbers ---------------------------------------------------------------------------------------


def numbers(seed=1, rows=300):
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 2, rows)
    x = rng.normal(size=rows) * (1 + c) + 2 * c
    return {"kind": np.where(c, "yes", "no"), "x": x, "y": x * np.where(c, 1, -1) + rng.normal(size=rows),
            "z": rng.normal(size=rows), "colour": rng.choice(["red", "blue"], rows)}  # fmt: skip


def test_gaussian_naive_bayes_is_that_of_scikit_learn():
    from sklearn.naive_bayes import GaussianNB

    data = {name: column for name, column in numbers().items() if name != "colour"}
    classifier = learned(data, features="gaussian", alpha=0.0)
    found = np.exp(classifier.log_proba(classifier.rows_of(aw.table(data))))
    x = np.column_stack([data[n] for n in ("x", "y", "z")])
    wanted = GaussianNB().fit(x, data["kind"]).predict_proba(x)
    assert np.abs(found - wanted).max() < 0.02  # variances here have one pseudo-row


@pytest.mark.parametrize("features", ["gaussian", "parzen", "discretise"])
@pytest.mark.parametrize("structure", ["naive", "tan", "kdb"])
def test_features_of_every_kind(features, structure):
    data = numbers()
    data["x"][::7] = np.nan
    classifier = learned(data, structure, features=features)
    kinds = {v.name: v.kind for v in classifier.net.variables}
    assert kinds["x"] == ("discrete" if features == "discretise" else "continuous")
    assert kinds["colour"] == "discrete"
    rows = classifier.rows_of(aw.table(data))
    proba = np.exp(classifier.log_proba(rows))
    assert np.isfinite(proba).all()
    assert proba.sum(axis=1) == pytest.approx(np.ones(300))
    right = np.array(classifier.classes)[proba.argmax(axis=1)] == data["kind"]
    assert right.mean() > 0.75
    if structure == "tan" and features != "discretise":
        assert {"x", "y"} in [set(arc) for arc in classifier.net.graph.arcs]


def test_aode_and_free_want_levels():
    for structure in ("aode", "free"):
        with pytest.raises(aw.FitError, match="features='discretise'"):
            learned(numbers(), structure, features="gaussian")


# -- choices of features ---------------------------------------------------------------------------


def xor(rows=200):
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, rows), rng.integers(0, 2, rows)
    flip = rng.random(rows) < 0.05
    noise = {f"n{i}": rng.choice(["0", "1"], rows) for i in range(3)}
    return {
        "kind": np.where((a ^ b) ^ flip, "odd", "even"),
        "a": a.astype(str),
        "b": b.astype(str),
        **noise,
    }


def test_joining_finds_what_naive_bayes_cannot():
    data = xor()
    plain = learned(data)
    joined = learned(data, select="backward-joining")
    arcs = {frozenset(arc) for arc in joined.net.graph.arcs}
    assert frozenset("ab") in arcs
    assert any("joined: a with b" in note for note in joined.notes)
    table = aw.table(data)
    own = table.column("kind")
    right = [(c.log_joint(c.rows_of(table)).argmax(axis=1) == own).mean() for c in (plain, joined)]
    assert right[0] < 0.7 < 0.9 < right[1]


@pytest.mark.parametrize("select", ["forward", "backward"])
@pytest.mark.parametrize("structure", ["naive", "tan"])
def test_selection_leaves_noise_out(select, structure):
    data = columns(seed=15, rows=200, features=3)
    rng = np.random.default_rng(1)
    data |= {f"noise{i}": list(rng.choice(list("abcdefgh"), 200)) for i in range(3)}
    chosen = learned(data, structure, select=select)
    kept = set(chosen.net.names)
    assert "kind" in kept
    assert sum(name.startswith("noise") for name in kept) < 3
    assert any("features kept" in note for note in chosen.notes)


def test_each_step_of_a_selection_is_the_best_one():
    """Forward selection with one step left is the best single feature, by leave-one-out accuracy."""
    data = columns(seed=16, rows=100, features=3)
    table = aw.table(data)
    target = table.index("kind")

    def accuracy(names):
        part = table.select([*names, "kind"])
        graph = problem_of(part, "naive").structure(0.0)
        logs = leave_one_out(part, graph, "kind", PseudoCounts(1.0, "cell"))
        return (logs.argmax(axis=1) == table.columns[target]).mean()

    chosen = [n for n in learned(data, select="forward").net.names if n != "kind"]
    best = accuracy(chosen)
    others = [n for n in table.names if n not in (*chosen, "kind")]
    assert all(accuracy([*chosen, n]) <= best for n in others)
    assert best >= max(accuracy([n]) for n in table.names if n != "kind")


# -- decisions and errors --------------------------------------------------------------------------


def test_decisions_by_losses():
    proba = np.array([[0.9, 0.1], [0.6, 0.4]])
    assert decide(proba, None).tolist() == [0, 0]
    assert decide(proba, np.array([[0.0, 1.0], [5.0, 0.0]])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            {"kind": ["a", "a"], "f": ["x", "y"]},
            "at least two classes; the class 'kind' .* only 'a'",
        ),
        ({"kind": [0.5, 1.5, 2.25], "f": ["x", "y", "x"]}, "class 'kind' is continuous"),
        ({"kind": ["a", "b"]}, "no feature besides the class"),
    ],
)
def test_what_is_no_class(data, said):
    with pytest.raises(aw.DataError, match=said):
        learned(data)


def test_unknown_words():
    for words, said in (
        ({"structure": "tam"}, "tan"),
        ({"features": "gausian"}, "gaussian"),
        ({"structure": "tan", "arc_score": "bci"}, "bic"),
        ({"select": "foward"}, "forward"),
    ):
        with pytest.raises(aw.OptionError, match=said):
            learned(columns(), **words)
    with pytest.raises(aw.FitError, match="needs naive Bayes"):
        learned(columns(), "tan", select="forward-joining")
    with pytest.raises(aw.FitError, match="'k2' depends on directions"):
        learned(columns(), "tan", arc_score="k2")


def test_rows_without_a_class_and_features_without_a_value():
    data = columns(seed=17, rows=50)
    data["kind"][3] = None
    table = replace(aw.table(data), fixed=frozenset())
    empty = aw.table({**data, "gone": ["x"] * 50})
    gap = np.full(50, 1, np.uint8)
    gone = tuple(gap if n == "gone" else empty.column(n) for n in empty.names)
    classifier = learn_classifier(replace(empty, columns=gone), "kind", spec("tan"))
    assert "gone" not in classifier.net.names
    assert any("1 of 50 rows dropped because their class" in note for note in classifier.notes)
    assert any("all their values are missing: 'gone'" in note for note in classifier.notes)
    same = learn_classifier(table, "kind", spec("tan"))
    assert same.net.graph == classifier.net.graph


def test_a_table_that_would_not_fit_is_rejected_with_its_size():
    rng = np.random.default_rng(1)
    wide = {f"f{i}": rng.permutation([f"v{j % 300}" for j in range(900)]) for i in range(3)}
    data = {"kind": rng.choice(["a", "b"], 900), **wide}
    with pytest.raises(aw.FitError, match=r"5\.4e\+07 probabilities"):
        learned(data, "kdb", k=2)


def test_aode_of_very_many_features_is_rejected():
    rng = np.random.default_rng(1)
    wide = {f"f{i:04d}": rng.choice(["x", "y"], 20) for i in range(1500)}
    with pytest.raises(aw.FitError, match="tables of all pairs of features"):
        learned({"kind": ["a", "b"] * 10, **wide}, "aode")


def test_forward_selection_passes_a_plateau():
    """One class is so frequent that no feature alone changes a decision; two together do."""
    rng = np.random.default_rng(3)
    a, b, noise = rng.random((3, 3000)) < 0.3
    rare = (a & b) ^ (rng.random(3000) < 0.02)
    data = {"a": a, "b": b, "noise": noise, "kind": np.where(rare, "rare", "usual")}
    alone = aw.classify({k: data[k] for k in ("a", "kind")}, "kind", structure="naive").validated
    assert alone.accuracy == pytest.approx((~rare).mean())
    chosen = learned(data, select="forward")
    assert chosen.net.names == ("a", "b", "kind")
