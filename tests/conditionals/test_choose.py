"""Networks whose local models are of several kinds."""

import numpy as np
import pytest
from contracts.cases import mixed, table
from contracts.laplace import Laplace
from contracts.multinomial import Multinomial

import arcwise as aw
from arcwise.conditionals import FAMILIES, MixedFamily, prepare
from arcwise.data import Complete, Moments
from arcwise.errors import DataError, FitError
from arcwise.graphs import DAG
from arcwise.networks import log_density
from arcwise.scores import bic, kfold, leave_one_out, total

SOURCE = mixed(1, rows=40)  # v0, v2, v4 hold levels, v1 and v3 numbers
OWN = {"v0": "multinomial", "v1": "laplace", "v2": "parzen", "v3": "parzen", "v4": "multinomial"}
GRAPH = DAG.from_arcs([("v0", "v4"), ("v3", "v1"), ("v0", "v2"), ("v1", "v2")], SOURCE.names)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    for family in (Laplace(), Multinomial()):
        monkeypatch.setitem(FAMILIES, family.name, family)


def families() -> MixedFamily:
    return MixedFamily({name: FAMILIES[word] for name, word in OWN.items()})


@pytest.mark.parametrize("make", [bic, leave_one_out, "kfold"], ids=["bic", "loo", "kfold"])
def test_local_scores_are_those_of_each_variables_own_family(make):
    parts = np.array_split(np.random.default_rng(1).permutation(40), 5)
    bind = (lambda fits: kfold(fits, parts)) if make == "kfold" else make
    together = dict(OWN)
    if make is bic:
        together |= dict.fromkeys(("v2", "v3"), "laplace") | {"v2": "multinomial"}
    family = MixedFamily({name: FAMILIES[word] for name, word in together.items()})
    score = bind(family.bind(SOURCE))
    for child, name in enumerate(SOURCE.names):
        own = FAMILIES[together[name]]
        fit = own.bind(
            SOURCE.select([v.name for v in SOURCE.variables if v.kind in own.parent_kinds])
        )
        alone = bind(fit)
        for parents in ((), *((x,) for x in range(5) if x != child)):
            value = score.local(child, parents)
            if not {SOURCE.variables[x].kind for x in parents} <= own.parent_kinds:
                assert value == -np.inf
                continue
            places = tuple(fit.nodes.index(SOURCE.names[x]) for x in parents)
            assert value == pytest.approx(alone.local(fit.nodes.index(name), places), rel=1e-12)


def test_a_mixed_network_is_fitted_scored_saved_loaded_and_asked(tmp_path):
    net = aw.fit(GRAPH, SOURCE, model=OWN)
    assert net.net.models == tuple(OWN.values())
    assert net.settings["score"] == "loo"  # Parzen windows count no parameters
    score = leave_one_out(families().bind(SOURCE))
    assert net.score == pytest.approx(total(score, GRAPH), rel=1e-12)
    for tail, head in GRAPH.numbered_arcs:
        row = GRAPH.parents[head]
        loss = score.local(head, row) - score.local(head, tuple(x for x in row if x != tail))
        edge = net.edges[SOURCE.names[tail], SOURCE.names[head]]
        assert edge.strength == pytest.approx(loss / 40)
    assert not np.isnan(net.edges.strength).any()
    assert net.edges["v0", "v1"].strength == -np.inf  # neither has a model given the other
    for ending in (".json", ".arcwise"):
        again = aw.load(net.save(tmp_path / f"net{ending}"))
        assert again.net.models == net.net.models
        columns = SOURCE.columns
        assert (log_density(again.net, columns) == log_density(net.net, columns)).all()
        assert [e.strength for e in again.edges] == [e.strength for e in net.edges]
        answer = again.query("v1", given={"v3": float(columns[3][0])}, seed=1)
        own = net["v1"].middle((columns[3][:1],), 1)[0]
        assert answer.mean == pytest.approx(own, abs=5 * answer.error + 0.1 * answer.sd)


def test_where_all_parameters_count_the_score_is_bic():
    words = {"v0": "multinomial", "v2": "multinomial", "v4": "multinomial"}
    words |= {"v1": "laplace", "v3": "gaussian"}
    net = aw.fit("[v0][v2|v0][v4][v3][v1|v3]", SOURCE, model=words)
    assert net.settings["score"] == "bic"
    families = MixedFamily({name: FAMILIES[word] for name, word in words.items()})
    assert net.score == pytest.approx(total(bic(families.bind(SOURCE)), net.graph))


def test_each_column_is_prepared_for_its_own_model():
    rng = np.random.default_rng(1)
    data = {"n": rng.integers(0, 4, size=60), "x": rng.normal(size=60), "text": ["a", "b"] * 30}
    source = aw.table(data)
    assert source.variable("n").discrete
    numbers = aw.fit("[n][text][x|n]", source, model={"text": "multinomial", "n": "gaussian"})
    assert [v.kind for v in numbers.net.variables] == ["continuous", "discrete", "continuous"]
    kept = aw.fit("[n|text][text][x]", source, model={"text": "multinomial", "n": "multinomial"})
    assert [v.kind for v in kept.net.variables] == ["discrete", "discrete", "continuous"]
    auto = aw.fit("[n][text][x|n]", source, model={"n": "parzen"})
    assert auto.net.models == ("parzen", "glm", "glm")
    with pytest.raises(DataError, match=r"'text' holds levels .*gaussian models take numbers only"):
        aw.fit("[n][text][x|n]", source, model="gaussian")


def test_rows_with_gaps_are_left_out_for_all_of_them():
    source = table({"a": [1.0, 2.0, np.nan, 4.0, 3.0, 7.0], "b": [2.0, np.nan, 1.0, 0.0, 5.0, 6.0]})
    family = MixedFamily({"a": FAMILIES["gaussian"], "b": Laplace()})
    both = prepare(family, Complete(source)).rows("The test needs")
    assert both.rows == 4
    assert both.columns[1].tolist() == [2.0, 0.0, 5.0, 6.0]


def test_what_is_not_possible_is_rejected_with_a_message():
    with pytest.raises(FitError, match=r"no laplace model of 'v1' .*given 'v0' \(discrete\)"):
        aw.fit("[v0][v1|v0]", SOURCE, model={"v0": "multinomial", "v1": "laplace"})
    with pytest.raises(FitError, match="needs the rows of the table"):
        MixedFamily({"a": FAMILIES["gaussian"], "b": Laplace()}).bind(
            Moments.of(table({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
        )


def test_where_a_blanket_has_no_model_answers_come_from_the_product_rule():
    """v1 given v3 alone is a regression, but its blanket holds levels, too."""
    words = {"v0": "multinomial", "v1": "laplace", "v3": "parzen"}
    net = aw.fit("[v0][v1][v3|v0:v1]", SOURCE, model=words)
    assert net.net.blankets is None
    belief = net.query("v1", given={"v3": float(np.median(SOURCE.columns[3]))}, seed=1)
    assert np.isfinite(belief.mean)
    whole = aw.fit("[v0][v1][v3|v0:v1]", SOURCE, model=words | {"v1": "parzen", "v0": "parzen"})
    assert whole.net.blankets is not None


def test_a_shared_width_is_tuned_to_the_graph():
    source = SOURCE.select(["v1", "v3"])
    words = {"v1": "gaussian", "v3": aw.Parzen(bandwidths="shared")}
    net = aw.fit("[v1][v3]", source, model=words)
    width = net["v3"].bandwidths
    assert width[0] == width[1]
    assert width[0] != FAMILIES["parzen"].bind(source, bandwidths="shared").width
    alone = aw.fit("[v1][v3]", source, model=aw.Parzen(bandwidths="shared"))
    assert width.tolist() == alone["v3"].bandwidths.tolist()
