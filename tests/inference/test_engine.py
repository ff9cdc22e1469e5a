"""Contracts of every engine: what they take, that they agree, impossible evidence, draws with evidence."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from inference.kernels import bent_points, kernel_answer, kernel_bayes, kernel_markov
from shared_networks import gaussian_net

import arcwise as aw
from arcwise.conditionals import DiscreteConditional
from arcwise.data import Table, Variable
from arcwise.distributions import Categorical
from arcwise.errors import DataError, FitError, GraphError
from arcwise.graphs import DAG
from arcwise.inference import (
    ENGINES,
    Cost,
    Engine,
    impute,
    marginal_log_density,
    predict,
    query,
    sample,
)
from arcwise.inference.engine import EXACT, Answer, Reply
from arcwise.networks import BayesNet

POINTS, BANDWIDTHS = bent_points(), np.array([0.6, 0.7, 0.5])
NORMAL = gaussian_net({"a": (1, {}, 2), "b": (0, {"a": 2}, 1), "c": (-1, {"b": 0.5}, 0.5)})


@dataclass(frozen=True)
class Tables:
    """A toy discrete local model: probabilities of levels for each set of codes of the parents."""

    word: ClassVar[str] = "table"

    probabilities: np.ndarray
    n_params = None

    def _rows(self, xs, size):
        codes = tuple(np.asarray(x, dtype=int) for x in xs)
        return np.broadcast_to(self.probabilities[codes], (size, self.probabilities.shape[-1]))

    def logpdf(self, y, xs):
        with np.errstate(divide="ignore"):
            return np.log(self._rows(xs, len(y))[np.arange(len(y)), np.asarray(y, dtype=int)])

    def sample(self, xs, rng, size):
        heap = np.cumsum(self._rows(xs, size), axis=1)
        return (heap[:, :-1] <= rng.random(size)[:, None]).sum(axis=1)

    def distribution(self, xs, size):
        return Categorical(self._rows(xs, size))


def fuel():
    """The fuel gauge: battery and fuel set the gauge; an empty tank with a dead battery never reads full."""
    level = ("empty", "full")
    variables = (
        Variable("battery", ("dead", "good")),
        Variable("fuel", level),
        Variable("gauge", level),
    )
    gauge = np.array([[[1.0, 0.0], [0.8, 0.2]], [[0.8, 0.2], [0.1, 0.9]]])
    models = (Tables(np.array([0.1, 0.9])), Tables(np.array([0.1, 0.9])), Tables(gauge))
    graph = DAG.from_arcs([("battery", "gauge"), ("fuel", "gauge")])
    return BayesNet(variables, graph, models)


FUEL = fuel()


def joint_table():
    shares = np.einsum("b,f,bfg->bfg", *(model.probabilities for model in FUEL.conditionals))
    return shares


def exact(target, given):
    """The probabilities of a target's levels, by summing the whole table."""
    shares = joint_table()
    for name, level in given.items():
        node = FUEL.index(name)
        keep = np.arange(2) == FUEL.variables[node].levels.index(level)
        shares = shares * keep.reshape([2 if i == node else 1 for i in range(3)])
    found = shares.sum(axis=tuple(i for i in range(3) if i != FUEL.index(target)))
    return found / found.sum()


# -- contracts -----------------------------------------------------------------------------------

NETS = {
    "gaussian": NORMAL,
    "kernels": kernel_bayes(POINTS, BANDWIDTHS, blankets=True),
    "undirected": kernel_markov(POINTS, BANDWIDTHS),
    "levels": FUEL,
    "tables": BayesNet(
        FUEL.variables,
        FUEL.graph,
        tuple(DiscreteConditional(model.probabilities) for model in FUEL.conditionals),
    ),
}


TAKES = {
    "gaussian": {"gaussian"},
    "intervals": set(),  # takes intervals alone; see test_intervals
    "junction": {"tables"},
    "elimination": {"tables"},
    "conditional-gaussian": {"gaussian", "levels", "tables"},
    "importance": {"gaussian", "kernels", "levels", "tables"},
    "stacked": set(),  # these keep no rows; tests of Parzen windows are in test_stacked
    "gibbs": {"kernels", "undirected"},
    "blankets": {"kernels"},
    "grid": {"gaussian", "kernels", "levels", "tables"},
}


@pytest.mark.parametrize("word", ENGINES)
@pytest.mark.parametrize("kind", NETS)
def test_every_engine_answers_or_says_why_not(word, kind):
    net, rng = NETS[kind], np.random.default_rng(1)
    levels = kind in ("levels", "tables")
    known = "full" if levels else 0.5
    last, target = net.names[-1], net.names[0]
    column = np.array([1, 1], dtype=np.uint8) if levels else np.zeros(2)
    rows = Table((net.variables[-1],), (column,))
    options = {"method": word, "sweeps": 10, "burn_in": 2}
    if kind not in TAKES[word]:
        for ask in (
            lambda: query(net, target, **options),
            lambda: predict(net, rows, target, **options),
        ):
            with pytest.raises((FitError, GraphError), match=r"^[^\n]+\.$"):
                ask()
        return
    belief = query(net, target, {last: known}, **options)
    share = belief.probability("good") if levels else belief.probability((0, None))
    assert 0 < share < 1
    both = query(net, net.names[:2], {last: known}, **options)
    assert both.names == net.names[:2]
    assert len(both.draws(20)[target]) == 20
    assert len(predict(net, rows, target, **options)) == 2
    assert not impute(net, rows, **options).missing().any()
    drawn = impute(net, rows, rng, **options)
    assert (drawn.columns[-1] == rows.columns[0]).all()
    assert not drawn.missing().any()
    assert sample(net, rng, 5, {last: known}, method=word, burn_in=3).rows == 5


@pytest.mark.parametrize("word", ["importance", "grid", "blankets", None])
def test_engines_agree_on_a_nonlinear_network(word):
    net = NETS["kernels"]
    mean, sd, _ = kernel_answer(POINTS, BANDWIDTHS, 0, {2: 0.5})
    answer = query(net, "a", {"c": 0.5}, method=word)
    assert abs(answer.mean - mean) < 4 * answer.error + 1e-3
    assert answer.sd == pytest.approx(sd, rel=0.1)
    row = predict(net, Table((Variable("c"),), (np.array([0.5]),)), "a", method=word)
    assert abs(row.mean[0] - mean) < 4 * row.error[0] + 1e-3


def test_weighted_draws_of_tables_are_those_of_single_questions():
    rows = Table((Variable("c"),), (np.array([0.5, -0.4]),))
    found = predict(NETS["kernels"], rows, "a", method="importance")
    for row, value in enumerate((0.5, -0.4)):
        mean, sd, _ = kernel_answer(POINTS, BANDWIDTHS, 0, {2: value})
        assert 0 < found.error[row] < 0.1
        assert abs(found.mean[row] - mean) < 4 * found.error[row]
        assert found.sd[row] == pytest.approx(sd, rel=0.1)


def test_a_new_engine_is_one_class_and_one_line(monkeypatch):
    class Oracle(Engine):
        name = "oracle"

        def accepts(self, question):
            fits = all(variable.discrete for variable in question.net.variables)
            return Cost(EXACT, 0.0) if fits else FitError("The oracle knows levels only.")

        def ask(self, question):
            variable = question.net.variables[question.asked[0]]
            shares = np.full((question.size, 2), 0.5)
            found = Categorical(shares, variable.levels, variable.name)
            return Reply((Answer.exact(found, question.size),))

        def complete(self, question, draw):
            return question.columns

    monkeypatch.setitem(ENGINES, "oracle", Oracle())
    assert query(FUEL, "fuel", {"gauge": "empty"}).probability("full") == 0.5
    assert query(NORMAL, "a", {"b": 1.0}).mean != 0.5
    with pytest.raises(FitError, match="oracle knows levels only"):
        query(NORMAL, "a", method="oracle")
    monkeypatch.setattr(Oracle, "accepts", lambda self, question: Cost(EXACT, 0.0, 1e12))
    assert query(FUEL, "fuel", {"gauge": "empty"}).probability("full") != 0.5  # too large
    with pytest.raises(FitError, match=r"needs 1e\+12 numbers at once"):
        query(FUEL, "fuel", method="oracle")


# -- a discrete network --------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{}, {"gauge": "empty"}, {"gauge": "empty", "battery": "dead"}])
def test_levels_go_through_questions_and_tables(given):
    expected = exact("fuel", given)
    belief = query(FUEL, "fuel", given, draws=20_000)
    for level, share in zip(("empty", "full"), expected, strict=True):
        found = belief.probability(level)
        assert abs(found - share) <= 4 * found.error + 1e-12
    if not belief.quality.exact:
        assert "largest standard error of a probability" in str(belief)
    columns = {
        name: [FUEL.variables[FUEL.index(name)].levels.index(v)] for name, v in given.items()
    }
    rows = Table(
        tuple(FUEL.variables[FUEL.index(n)] for n in columns) or FUEL.variables[1:2],
        tuple(np.array(c, dtype=np.uint8) for c in columns.values()) or (np.array([2], np.uint8),),
    )
    found = predict(FUEL, rows, "fuel", sweeps=400)
    assert found.probabilities[0] == pytest.approx(expected, abs=0.05 if found.error[0] else 1e-12)
    assert found.labels.tolist() == [("empty", "full")[expected.argmax()]]
    assert found.log_loss(["full"]) == pytest.approx(-np.log(found.probabilities[0, 1]))
    assert "most probable levels" in str(found)
    with pytest.raises(DataError, match=r"'fuel' are not numbers, .* use its probabilities"):
        _ = found.mean


def test_joint_answers_of_levels():
    both = query(FUEL, ["battery", "fuel"], {"gauge": "empty"}, draws=20_000)
    with pytest.raises(DataError, match="'battery' are not numbers"):
        _ = both.mean
    plain = both.document()
    assert plain["variables"]["fuel"]["probabilities"]["empty"] == pytest.approx(
        exact("fuel", {"gauge": "empty"})[0], abs=0.02
    )
    assert "most likely" in str(both)
    assert "correlations" not in str(both)
    shares = joint_table()[:, :, 0]
    dead = both.probability(lambda drawn: (drawn["battery"] == "dead") & (drawn["fuel"] == "empty"))
    assert abs(dead - shares[0, 0] / shares.sum()) < 4 * dead.error


def test_densities_of_levels():
    rows = Table(
        FUEL.variables, tuple(np.array(c, dtype=np.uint8) for c in ([0, 2], [0, 2], [1, 1]))
    )
    found = marginal_log_density(FUEL, rows, draws=20_000)
    assert found[0] == -np.inf
    assert found[1] == pytest.approx(np.log(joint_table()[:, :, 1].sum()), abs=0.05)


# -- impossible evidence -------------------------------------------------------------------------

IMPOSSIBLE = {"battery": "dead", "fuel": "empty", "gauge": "full"}


def test_impossible_evidence_is_an_error():
    other = Variable("other", ("no", "yes"))
    graph = DAG.from_arcs([("battery", "gauge"), ("fuel", "gauge")], [*FUEL.names, "other"])
    models = (*FUEL.conditionals, Tables(np.array([0.5, 0.5])))
    net = BayesNet((*FUEL.variables, other), graph, models)
    said = "The evidence is impossible: gauge = full has probability zero where battery = dead, fuel = empty"
    for method in (None, "grid", "importance"):
        with pytest.raises(FitError, match=said):
            query(net, "other", IMPOSSIBLE, method=method)
    rows = Table(
        FUEL.variables, tuple(np.array(c, dtype=np.uint8) for c in ([1, 0], [1, 0], [1, 1]))
    )
    wide = Table((*FUEL.variables, other), (*rows.columns, np.array([2, 2], dtype=np.uint8)))
    with pytest.raises(FitError, match="The evidence of row 2 is impossible"):
        predict(net, wide, "other")
    with pytest.raises(FitError, match="The evidence is impossible"):
        sample(net, np.random.default_rng(1), 5, IMPOSSIBLE)
    assert query(net, "other", {"gauge": "full"}).probability("yes") == 0.5


def never(code):
    """a -> b where b is never `code`."""
    shares = np.zeros((2, 3))
    shares[:, [c for c in range(3) if c != code]] = 0.5
    variables = (Variable("a", ("no", "yes")), Variable("b", (0, 1, 2)))
    graph = DAG.from_arcs([("a", "b")])
    return BayesNet(variables, graph, (Tables(np.array([0.5, 0.5])), Tables(shares)))


def test_evidence_that_no_hidden_value_allows_is_an_error():
    with pytest.raises(
        FitError, match="impossible: with it, every level of 'a' has probability zero"
    ):
        query(never(2), "a", {"b": 2})
    with pytest.raises(FitError, match=r"None of the 4000 draws agrees .* impossible or too rare"):
        query(never(2), "a", {"b": 2}, method="importance")
    with pytest.raises(FitError, match="impossible"):
        predict(never(2), Table((Variable("b", (0, 1, 2)),), (np.array([2], np.uint8),)), "a")
    assert query(never(2), "a", {"b": 1}).probability("yes") == pytest.approx(0.5)


def test_rare_evidence_is_answered_from_impossible_starts():
    variables = tuple(Variable(name, ("no", "yes")) for name in "abc")
    both = np.array(
        [[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 0.5]]]
    )  # c only where a and b are
    models = (Tables(np.array([0.999, 0.001])), Tables(np.array([0.5, 0.5])), Tables(both))
    net = BayesNet(variables, DAG.from_arcs([("a", "c"), ("b", "c")]), models)
    assert query(net, "a", {"c": "yes"}).probability("yes") == 1.0
    rows = Table(variables[2:], (np.array([1], np.uint8),))
    assert predict(net, rows, "a").probabilities.tolist() == [[0.0, 1.0]]


def test_tiny_densities_are_answered():
    belief = query(NORMAL, "a", {"c": 1e6})
    assert np.isfinite([belief.mean, belief.sd]).all()
    grid = query(NORMAL, "c", {"a": 0.0, "b": 3000.0}, method="grid")
    assert grid.mean == pytest.approx(1499.0, rel=1e-3)
    assert marginal_log_density(NORMAL, Table((Variable("c"),), (np.array([1e6]),)))[0] < -1e9


# -- draws with evidence -------------------------------------------------------------------------


def test_gaussian_draws_with_evidence_have_the_right_moments():
    rng = np.random.default_rng(3)
    drawn = sample(NORMAL, rng, 40_000, {"c": 2.0})
    answer = query(NORMAL, ["a", "b"], {"c": 2.0})
    assert (drawn.column("c") == 2.0).all()
    both = np.stack([drawn.column("a"), drawn.column("b")])
    np.testing.assert_allclose(both.mean(axis=1), answer.mean, atol=0.03)
    np.testing.assert_allclose(np.cov(both), answer.covariance, rtol=0.04)
    forced = sample(NORMAL, rng, 40_000, do={"b": 3.0})
    assert forced.column("a").mean() == pytest.approx(1.0, abs=0.05)
    assert forced.column("c").mean() == pytest.approx(0.5, abs=0.02)
    seen = sample(NORMAL, rng, 40_000, {"a": 2.0}, {"b": 3.0})
    assert (seen.column("a") == 2.0).all()
    assert seen.column("c").std() == pytest.approx(0.5, rel=0.03)


@pytest.mark.parametrize("kind", ["kernels", "undirected"])
def test_draws_of_other_networks_follow_the_answer(kind):
    mean, sd, _ = kernel_answer(POINTS, BANDWIDTHS, 0, {2: 0.5})
    drawn = sample(NETS[kind], np.random.default_rng(2), 3000, {"c": 0.5})
    assert (drawn.column("c") == 0.5).all()
    assert drawn.column("a").mean() == pytest.approx(mean, abs=0.12)
    assert drawn.column("a").std() == pytest.approx(sd, rel=0.1)
    assert len(np.unique(drawn.column("a"))) > 1000
    assert sample(NETS[kind], np.random.default_rng(2), 0, {"c": 0.5}).rows == 0


def test_draws_of_levels_with_evidence():
    drawn = sample(FUEL, np.random.default_rng(1), 8000, {"gauge": "empty"})
    share = (drawn.column("fuel") == 0).mean()
    assert share == pytest.approx(exact("fuel", {"gauge": "empty"})[0], abs=0.03)
    forced = sample(FUEL, np.random.default_rng(1), 8000, do={"gauge": "empty"})
    assert (forced.column("fuel") == 0).mean() == pytest.approx(0.1, abs=0.015)


def test_draws_without_evidence_are_those_of_old():
    from arcwise.networks import ancestral

    for net in (NORMAL, NETS["kernels"], FUEL):
        drawn = sample(net, np.random.default_rng(5), 40)
        plain = ancestral(net, np.random.default_rng(5), 40)
        for one, two in zip(drawn.columns, plain.columns, strict=True):
            assert (one == two).all()


def test_parzen_networks_draw_with_evidence_too():
    rng = np.random.default_rng(4)
    x = rng.normal(size=150)
    rows = {"x": x, "y": np.sin(2 * x) + 0.2 * rng.normal(size=150)}
    for net in (
        aw.fit("[x][y|x]", rows, model="parzen"),
        aw.fit(aw.ug("x:y"), rows, model="parzen"),
    ):
        drawn = net.sample(1500, seed=1, given={"x": 0.7})
        assert drawn.column("y").mean() == pytest.approx(
            net.query("y", given={"x": 0.7}).mean, abs=0.06
        )
    directed = aw.fit("[x][y|x]", rows, model="parzen")
    forced = directed.sample(1500, seed=1, do={"y": 3.0})
    assert forced.column("x").mean() == pytest.approx(x.mean(), abs=0.1)
    with pytest.raises(GraphError, match="need a directed network"):
        aw.fit(aw.ug("x:y"), rows, model="parzen").sample(3, do={"y": 1.0})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"q": 1.0},), "no variable 'q'"),
        (({"a": np.inf},), "'a' must be a finite number"),
        (({"a": 1.0}, {"a": 1.0}), "'a' is both in given and in do"),
        (("a",), "as in given="),
    ],
)
def test_evidence_of_draws_is_checked(arguments, message):
    with pytest.raises(DataError, match=message):
        sample(NORMAL, np.random.default_rng(1), 3, *arguments)
