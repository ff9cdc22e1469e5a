"""What users guess works."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.scores import total

SOURCE = linear(1, rows=80, p=4)
NAMES = SOURCE.names


@pytest.fixture(scope="module")
def net():
    return aw.learn(SOURCE)


def test_the_score_of_a_known_graph_is_that_of_learning(net):
    assert aw.score(net.graph, SOURCE, score="ebic") == pytest.approx(net.score)
    measured = aw.fit(net.graph, SOURCE, score="aic")
    assert measured.settings["score"] == "aic"
    assert measured.score == pytest.approx(aw.score(net.graph, SOURCE, score="aic"))
    assert measured.score == pytest.approx(total(measured.scorer, net.graph))
    assert aw.score("v0 -> v1", SOURCE) == aw.fit("v0 -> v1", SOURCE).score  # BIC by default
    one, two = (aw.score("v0 -> v1", SOURCE, score=aw.KFold(5), seed=s) for s in (0, 1))
    assert one != two
    assert (
        aw.score("v0 -> v1", SOURCE, model="parzen")
        == aw.fit("v0 -> v1", SOURCE, model="parzen").score
    )


def test_an_undirected_graph_has_the_score_of_its_joint_unless_another_name_is_given():
    whole = aw.fit("v0 -- v1, v1 -- v2", SOURCE)
    assert whole.graph == aw.ug("v0:v1 + v1:v2")
    assert aw.score(whole.graph, SOURCE) == pytest.approx(whole.score)
    chain = aw.score("v0 -> v1 -> v2", SOURCE)
    assert whole.score == pytest.approx(chain)  # decomposable: the same distribution and parameters
    assert aw.score(whole.graph, SOURCE, score="bic") == pytest.approx(chain)
    assert aw.score(whole.graph, SOURCE, score="pseudo-bic") != pytest.approx(chain)


def test_scores_that_make_no_sense_are_rejected():
    with pytest.raises(aw.OptionError, match="no score 'bik'"):
        aw.score("v0 -> v1", SOURCE, score="bik")
    with pytest.raises(aw.FitError, match="no number of free parameters"):
        aw.score("v0 -> v1", SOURCE, model={"v0": "gaussian", "v1": "parzen"}, score="bic")
    with pytest.raises(aw.OptionError, match=r"score=aw.EBIC\(gamma=1.0\)"):
        aw.fit("v0 -> v1", SOURCE, score="bic", gamma=1.0)


def test_models_of_several_families_have_a_score_in_common():
    words = ("gaussian", "parzen")
    mixed = [
        aw.score("v0 -> v1", SOURCE, model={"v0": a, "v1": b}) for a, b in (words, words[::-1])
    ]
    alone = [aw.score("v0 -> v1", SOURCE, model=word, score="loo") for word in words]
    assert sum(mixed) == pytest.approx(sum(alone), rel=1e-12)
    assert mixed[0] != mixed[1]


def test_networks_are_compared_by_their_graphs(net):
    other = aw.learn(SOURCE, search="greedy", penalty=0.2)
    assert aw.compare(net, other) == aw.compare(net.graph, other.graph)
    assert aw.compare(net, net.graph).shd == 0


def test_an_audit_takes_frames_and_files(tmp_path):
    place = tmp_path / "rows.csv"
    SOURCE.to_pandas().to_csv(place, index=False)
    for data in (SOURCE.to_pandas(), SOURCE.to_dict(), place, str(place)):
        assert aw.audit(data).findings == aw.audit(SOURCE).findings
    with pytest.raises(aw.FitError, match="An audit needs the rows"):
        aw.audit(aw.moments(place))


def test_a_row_of_a_frame_is_evidence(net):
    frame = SOURCE.to_pandas()
    frame["other"] = "text"
    frame.loc[0, "v2"] = np.nan
    row = frame.loc[0]
    seen = {name: row[name] for name in ("v1", "v3")}
    assert net.query("v0", given=row).mean == net.query("v0", given=seen).mean
    assert net.query("v0", given=row[["v1", "v3"]]).mean == net.query("v0", given=seen).mean
    assert net.query(["v0", "v1"], given=row).mean.tolist() == (
        net.query(["v0", "v1"], given={"v3": row["v3"]}).mean.tolist()
    )
    assert net.query("v0", do=row[["v1"]]).mean == net.query("v0", do={"v1": row["v1"]}).mean


def test_several_targets_are_predicted_each_by_itself(net):
    both = net.predict(SOURCE, ["v0", "v2"])
    assert list(both) == ["v0", "v2"]
    for name, found in both.items():
        np.testing.assert_array_equal(found.mean, net.predict(SOURCE, name).mean)


def test_graphs_may_be_written_down():
    for expert in (
        "[v0][v1][v2|v0:v1][v3]",
        "v0 -> v2, v1 -> v2, v3",
        aw.dag("v0 -> v2, v1 -> v2, v3"),
    ):
        assert (
            str(aw.learn(SOURCE, prior=aw.Prior(expert, weight=5.0), penalty=0.5).graph)
            == "[v0][v1][v3][v2|v0:v1]"
        )
    start = "[v0][v1|v0][v2|v1][v3|v2]"
    one, two, other = (
        aw.learn(SOURCE, search=aw.Greedy(start=each)).trace[0]
        for each in (start, aw.dag(start), "empty")
    )
    assert one.score == two.score
    assert other.edges == 1 < one.edges
    with pytest.raises(aw.OptionError, match=r"no start 'compleet'. Did you mean 'complete'"):
        aw.learn(SOURCE, search=aw.Auto(start="compleet"))
    with pytest.raises(aw.GraphError, match="must be a graph such as"):
        aw.learn(SOURCE, prior=aw.Prior(graph="v0"))


def test_rules_may_be_given_by_their_parts():
    parts = {
        "required": ["v0 -> v1"], "forbidden": [("v1", "v2")], "tiers": [["v0", "v1"], ["v2", "v3"]],
        "max_parents": 1,
    }  # fmt: skip
    one, two = aw.learn(SOURCE, rules=parts), aw.learn(SOURCE, rules=aw.Rules(**parts))
    assert one.graph == two.graph
    assert one.rules == two.rules
    assert one.graph.has_arc("v0", "v1")
    assert aw.validate(SOURCE, rules={"max_parents": 0}).edges == (0,) * 10
    with pytest.raises(aw.OptionError, match=r"rules=aw.Rules\(max_parents=1\)"):
        aw.learn(SOURCE, rules=aw.Rules(), max_parents=1)
    with pytest.raises(aw.OptionError, match="Did you mean 'max_parents'"):
        aw.learn(SOURCE, rules={"max_parent": 1})


def test_of_a_frame_with_gaps_all_else_stays(net):
    frame = pd.DataFrame(
        {
            "who": ["u", "v", "w"],
            "v0": [0.5, np.nan, -0.25],
            "v1": pd.array([1, 2, 3], dtype="Int32"),
            "v2": np.array([0.5, 1.5, 2.5], dtype="float32"),
            "rank": [3, 1, 2],
        },
        index=["a", "b", "c"],
    )
    filled = net.impute(frame)
    known = net.impute(aw.table({name: frame[name].tolist() for name in ("v0", "v1", "v2")}))
    assert filled.index.tolist() == ["a", "b", "c"]
    assert filled.columns.tolist() == ["who", "v0", "v1", "v2", "rank", "v3"]
    assert filled.dtypes.astype(str).to_dict() | {"who": ""} == {
        "who": "", "v0": "float64", "v1": "Int32", "v2": "float32", "rank": "int64", "v3": "float64",
    }  # fmt: skip
    np.testing.assert_allclose(filled["v0"], known.values("v0"))
    np.testing.assert_allclose(filled["v3"], known.values("v3"))
    assert np.isnan(frame.loc["b", "v0"])  # the given frame is not changed
    other = net.impute(pl.from_pandas(frame))
    assert isinstance(other, pl.DataFrame)
    assert other["who"].to_list() == ["u", "v", "w"]
    np.testing.assert_allclose(other["v0"], known.values("v0"))
    drawn = net.impute(frame, seed=1)
    assert drawn.loc["b", "v0"] != filled.loc["b", "v0"]


def test_whole_numbers_stay_whole_where_levels_are_filled_in():
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    rows = pd.DataFrame({"x": x, "k": (x > 0).astype(int) + 1})
    net = aw.learn(aw.table(rows, kinds={"k": "discrete"}), model="parzen")
    gappy = rows.astype({"k": "Int64"}).head(4)
    gappy.loc[1, "k"] = pd.NA
    filled = net.impute(gappy)
    assert pd.api.types.is_integer_dtype(filled["k"])
    assert filled.loc[1, "k"] == (2 if x[1] > 0 else 1)


def test_a_network_says_the_same_in_sentences_and_as_values(net, tmp_path):
    told, plain = dict(net.describe()), net.to_dict()
    assert told["data"] == "80 rows, 4 columns"
    assert told["score"].startswith(f"ebic {net.score:.4f}")
    assert told["graph"] == f"directed, {net.graph.n_arcs} arcs"
    assert plain["rows"] == 80
    assert len(plain["edges"]) == net.graph.n_arcs
    assert plain["edges"][0]["strength"] == max(row.strength for row in net.edges.present)
    assert net.specification.search == "auto"
    assert net.data is SOURCE
    loaded = aw.load(net.save(tmp_path / "net.json"))
    assert loaded.data is loaded.specification is None
    assert loaded.to_dict() == {**plain, "steps": 0}
    assert dict(loaded.describe())["data"] == "80 rows"


def test_a_description_tells_the_penalty_and_why_there_are_no_edges():
    words = {"graph": "undirected", "model": "gaussian"}
    found = dict(aw.learn(SOURCE, **words, penalty=0.9).describe())
    assert found["penalty"] == "0.9 (rho)"
    assert found["edges"] == "No edges: none is worth this penalty. A smaller penalty keeps more."
    found = dict(aw.learn(SOURCE, **words, penalty="ebic").describe())
    assert found["penalty"].endswith("(rho), found by EBIC")
    one = aw.learn(SOURCE.select(["v0"])).describe()
    assert ("edges", "No edges: there is only one variable, v0.") in one


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("time", "time_limit"),
        ("prior_rows", "Prior(rows=1)"),
        ("widths", "bandwidths"),
        ("turns", "rotations"),
    ],
)
def test_earlier_names_of_options_are_errors_that_name_the_new_one(old, new):
    with pytest.raises(aw.OptionError, match=f"no parameter {old!r}") as caught:
        aw.learn(SOURCE, **{old: 1})
    assert new in str(caught.value)


def test_earlier_names_of_functions_are_errors_that_name_the_new_one():
    with pytest.raises(AttributeError, match="'shipped': it is called example"):
        aw.shipped("boston")


def test_words_of_other_libraries_are_understood(net):
    assert aw.learn(SOURCE, search="hc").settings["search"] == "greedy"
    assert aw.fit("v0 -> v1", SOURCE, model="kde").net.models == ("parzen", "parzen")
    assert net.markov_blanket("v1") == net.blanket("v1")


def test_predictions_are_frames_with_the_index_of_the_rows(net):
    frame = SOURCE.to_pandas().iloc[5:9]
    frame.index = pd.Index(["a", "b", "b", "d"], name="home")
    found = net.predict(frame, SOURCE.order[0])
    made = found.to_pandas()
    assert made.index.equals(frame.index)
    assert made.index.name == "home"
    assert made["mean"].tolist() == found.mean.tolist()
    assert found.to_dict()["row"] == ["a", "b", "b", "d"]
    assert list(found.at_level(0.5)["low"]) == found.interval(0.5)[0].tolist()
    several = frame.set_index([["x", "x", "y", "y"], [1, 2, 1, 2]])
    assert net.predict(several, SOURCE.order[0]).to_pandas().index.equals(several.index)
    plain = net.predict(SOURCE.head(4), SOURCE.order[0])
    assert plain.to_pandas().index.tolist() == [0, 1, 2, 3]
    assert "row" not in plain.to_dict()
