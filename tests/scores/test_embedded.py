"""Scores of embedded columns: the plain definition, ties of equivalent graphs, and awkward columns."""

import itertools

import numpy as np
import pytest

import arcwise as aw
from arcwise.conditionals import FAMILIES
from arcwise.scores import SCORES
from arcwise.scores.embedded import TOLERANCE, EmbeddedScore, log_determinants


def mixed(seed: int = 0, rows: int = 300) -> dict:
    rng = np.random.default_rng(seed)
    a = rng.choice(["x", "y", "z"], rows, p=[0.5, 0.3, 0.2])
    b = rng.normal(size=rows) + (a == "x")
    c = np.where(rng.random(rows) < 1 / (1 + np.exp(-b)), "yes", "no")
    d = b**2 + (c == "yes") + rng.normal(size=rows)
    e = rng.integers(0, 4, rows)
    return {"a": a, "b": b, "c": c, "d": d, "e": e}


def bound(data: dict, word: str = "degenerate-gaussian", **options) -> EmbeddedScore:
    kinds = {"e": "discrete"} if "e" in data else {}
    table = aw.table(data, kinds=kinds)
    return SCORES[word].tie(FAMILIES["glm"].bind(table), np.random.default_rng(0), **options)


def plain(data: dict, child: str, parents: tuple[str, ...], gamma: float = 0.5) -> float:
    """Indicators of all levels but the most frequent, standardised numbers, three determinants."""
    blocks = {}
    for name, column in data.items():
        if column.dtype.kind == "f":
            blocks[name] = [column - column.mean()]
        else:
            levels, counts = np.unique(column, return_counts=True)
            kept = [x for x in levels if x != levels[counts.argmax()]]
            blocks[name] = [(column == x) - (column == x).mean() for x in kept]
    n, p = len(column), len(data)

    def logdet(names) -> float:
        rows = [row for name in names for row in blocks[name]]
        return float(np.linalg.slogdet(np.corrcoef(rows))[1]) if len(rows) > 1 else 0.0

    child_size = len(blocks[child])
    parent_size = sum(len(blocks[name]) for name in parents)
    likelihood = -n / 2 * (logdet((child, *parents)) - logdet(parents) - logdet((child,)))
    parameters = child_size * parent_size + child_size * (child_size + 3) / 2
    own = data[child]
    if own.dtype.kind == "f":
        likelihood -= n * (np.log(own.std()) + 0.5 * np.log(2 * np.pi) + 0.5)
    else:
        counts = np.unique(own, return_counts=True)[1]
        likelihood += counts @ np.log(counts / n)
    return likelihood - parameters / 2 * np.log(n) - gamma * len(parents) * np.log(p)


def test_scores_are_those_of_the_definition():
    data = mixed()
    score = bound(data)
    names = score.nodes
    for child in range(len(names)):
        others = [i for i in range(len(names)) if i != child]
        sets = [s for k in range(4) for s in itertools.combinations(others, k)]
        expected = [plain(data, names[child], tuple(names[i] for i in s)) for s in sets]
        np.testing.assert_allclose(score.many(child, sets), expected, rtol=1e-10, atol=1e-8)


def test_the_score_of_numbers_is_bic():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    data = {"x": x, "y": 3 * x + rng.normal(size=200), "z": rng.normal(size=200) * 50 + 1e3}
    score = bound(data, gamma=0.0)
    bic = SCORES["bic"].tie(FAMILIES["gaussian"].bind(aw.table(data)), rng)
    for child in range(3):
        sets = [(), tuple(i for i in range(3) if i != child)]
        np.testing.assert_allclose(score.many(child, sets), bic.many(child, sets), atol=1e-8)


@pytest.mark.parametrize("word", ["degenerate-gaussian", "truncated-basis"])
def test_equivalent_graphs_tie(word):
    data = mixed(1)
    data["f"] = data["b"].copy()  # determined columns, too
    data["g"] = np.where(data["a"] == "x", "u", "v")
    score = bound(data, word)
    rng = np.random.default_rng(2)
    assert score.equivalent
    reversals = 0
    for _ in range(60):
        order = rng.permutation(len(score.nodes)).tolist()
        rows: list[tuple[int, ...]] = [()] * len(order)
        for k, child in enumerate(order):
            rows[child] = tuple(sorted(p for p in order[:k] if rng.random() < 0.4))
        before = sum(score.local(i, row) for i, row in enumerate(rows))
        for head, row in enumerate(rows):
            for tail in row:
                if set(row) == {tail, *rows[tail]}:  # a covered arc: its reverse is equivalent
                    other = list(rows)
                    other[head], other[tail] = rows[tail], tuple(sorted((*rows[tail], head)))
                    after = sum(score.local(i, each) for i, each in enumerate(other))
                    assert abs(after - before) < 1e-9 * max(1.0, abs(before))
                    reversals += 1
    assert reversals > 50


@pytest.mark.parametrize("word", ["degenerate-gaussian", "truncated-basis"])
def test_units_names_and_order_of_rows_change_nothing(word):
    data = mixed(3)
    order = np.random.default_rng(0).permutation(300)
    names = {"x": "third", "y": "first", "z": "second"}
    other = {name: column[order] for name, column in data.items()}
    other["a"] = np.array([names[x] for x in other["a"]])
    other["b"] = 1e9 - 7.0 * other["b"]
    one, two = bound(data, word), bound(other, word)
    for child in range(5):
        sets = [tuple(i for i in range(5) if i != child), ((child + 1) % 5,), ()]
        scale = 300 * np.log(7.0) if score_of_b(one, child) else 0.0
        np.testing.assert_allclose(one.many(child, sets), two.many(child, sets) + scale, atol=1e-4)


def score_of_b(score: EmbeddedScore, child: int) -> bool:
    return score.nodes[child] == "b"  # the column in other units


def test_weights_count_as_rows():
    data = mixed(4, 120)
    counts = np.random.default_rng(1).integers(1, 4, 120)
    repeated = {name: np.repeat(column, counts) for name, column in data.items()}
    table = aw.table(data, kinds={"e": "discrete"}, weights=counts)
    weighted = SCORES["truncated-basis"].tie(FAMILIES["glm"].bind(table), np.random.default_rng(0))
    plainly = bound(repeated, "truncated-basis")
    for child in range(5):
        sets = [(), tuple(i for i in range(5) if i != child)]
        np.testing.assert_allclose(weighted.many(child, sets), plainly.many(child, sets), atol=1e-6)


def test_awkward_columns_have_finite_scores():
    rng = np.random.default_rng(5)
    n = 60
    x = rng.normal(size=n)
    data = {
        "x": x,
        "copy": x * 2 + 1,
        "constant": np.zeros(n),
        "one": np.array(["same"] * n),
        "rare": np.array(["a"] * (n - 2) + ["b", "c"]),
        "sign": np.where(np.arange(n) % 2, 1.0, -1.0),  # its square is constant
        "sum": x + rng.integers(0, 2, n),
    }
    table = aw.table(data, kinds={"constant": "continuous", "sign": "continuous"})
    for word in ("degenerate-gaussian", "truncated-basis"):
        score = SCORES[word].tie(FAMILIES["glm"].bind(table), np.random.default_rng(0))
        p = len(score.nodes)
        for child in range(p):
            others = [i for i in range(p) if i != child]
            sets = [s for k in range(p) for s in itertools.combinations(others, k)]
            assert np.isfinite(score.many(child, sets)).all()
        i, j = score.nodes.index("copy"), score.nodes.index("x")
        gain = score.local(i, (j,)) - score.local(i, ())
        assert gain > 0
        net = aw.learn(table, model="glm", score=word)
        assert net.graph.n_arcs >= 1


def test_a_determined_dimension_adds_the_tolerance_and_no_rank():
    matrices = np.array([np.eye(3), [[1, 1, 0], [1, 1, 0], [0, 0, 1.0]]])
    logs, ranks = log_determinants(matrices)
    np.testing.assert_allclose(logs, [0.0, np.log(TOLERANCE)])
    assert ranks.tolist() == [3.0, 2.0]


@pytest.mark.parametrize("search", ["greedy", "tabu", "ges", "boss", "exact", "auto"])
def test_all_searches_take_the_score(search):
    net = aw.learn(mixed(6), model="glm", score="degenerate-gaussian", search=search)
    assert {frozenset(arc) for arc in net.graph.arcs} >= {frozenset("ab"), frozenset("bc")}
    assert net.query("c", given={"a": "x"}, seed=1).probabilities["yes"] > 0.5


def test_options_are_checked():
    with pytest.raises(aw.ArcwiseError, match="gamma must be"):
        bound(mixed(), gamma=-1.0)
    with pytest.raises(aw.ArcwiseError, match="degree must be"):
        bound(mixed(), "truncated-basis", degree=0)
    numbers = {"x": np.arange(9.0), "y": np.arange(9.0) ** 2}
    assert np.isfinite(bound(numbers, "truncated-basis", degree=2).local(0, (1,)))
