"""Every result that is a table is printed, shown, exported, sorted and filtered by the same code."""

import csv
import io
import json
import pickle
from importlib import import_module

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from test_frame import Tags

import arcwise as aw
from arcwise.frame import Frame, Framed
from arcwise.networks import LocalModel

WRITTEN_ONCE = {
    "__str__", "_repr_html_", "filter", "head", "select", "sort", "to_arrow", "to_csv", "to_dict", "to_html",
    "to_pandas", "to_polars", "to_records", "to_text",
}  # fmt: skip


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(90, 1))
    columns = np.hstack([x, x + rng.normal(size=(90, 1)), rng.normal(size=(90, 1))])
    numbers = aw.table(columns, names=["a", "b", "c"])
    codes = rng.integers(0, 2, size=(120, 2))
    codes[:, 1] = np.where(rng.random(120) < 0.9, codes[:, 0], codes[:, 1])
    levels = aw.table({"u": np.array(["no", "yes"])[codes[:, 0]], "v": codes[:, 1] > 0})
    net = aw.learn(numbers, model="gaussian", search="greedy", certainty=False)
    tables = aw.learn(levels, certainty=False)
    post = aw.posterior(numbers, model="gaussian", method=aw.Bootstrap(), draws=5)
    path = aw.path(numbers, model="gaussian")
    gaps = {
        name: np.where(rng.random(len(x)) < 0.2, np.nan, x) for name, x in numbers.to_dict().items()
    }
    sensitivity = aw.learn(aw.table(gaps), model="gaussian", certainty=False).sensitivity("a")
    boundary = aw.path(numbers, model="gaussian", search="boundary")
    found = [
        *(net.edges, net["b"], net.covariance, net.query("a", {"b": 1.0}), net.query(["a", "b"])),
        *(net.marginals(), net.predict(numbers, "a"), net.explain({"a": 0.0})),
        *(net.conflict({"a": 1.0, "b": 2.0}), net.impact("a", {"b": 1.0, "c": 0.0})),
        *(
            tables["v"],
            tables.query("u", {"v": True}),
            tables.query(["u", "v"]),
            tables.marginals(),
        ),
        *(tables.explain(), tables.predict(levels.to_pandas(), "u"), tables.predict(levels, "v")),
        *(numbers.audit(), levels.audit(), post.edges, post.stability()),
        *(path, path.path, boundary, boundary.path, path.certainty(draws=2, progress=False)),
        *(
            aw.validate(numbers, folds=3, model="gaussian"),
            aw.prune(numbers, "a", model="gaussian"),
        ),
        *(aw.compare(net, "a -> b"), aw.divergence(net, net), aw.classify(levels, "v", folds=3)),
        *(aw.classify(levels, "v", folds=0), aw.classify(levels, "v", folds=3).validated),
        *(sensitivity, net.edges.frame, post.query("a", {"b": 1.0}), net.search_curve(numbers)),
    ]
    return found


def subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def test_results_define_frames_and_no_printing():
    for room in ("api", "evaluate", "inference", "learners", "undirected", "mcmc", "io", "plot"):
        import_module(f"arcwise.{room}")
    ours = [each for each in subclasses(Framed) if each.__module__.startswith("arcwise.")]
    assert len(ours) > 20
    assert {each.__repr__ for each in ours if each is not Frame} == {Framed.__repr__}
    assert not {
        each.__name__: WRITTEN_ONCE & {*vars(each)} for each in ours if WRITTEN_ONCE & {*vars(each)}
    }


def test_all_kinds_of_results_are_here(results):
    ours = {each for each in subclasses(Framed) if each.__module__.startswith("arcwise.")}
    abstract = {each for each in ours if each.__subclasses__() or each.__abstractmethods__}
    named = {each.__name__ for each in ours - abstract - {type(each) for each in results}}
    assert not named


def test_reprs_and_texts_and_html(results):
    for each in results:
        name = type(each).__name__
        assert repr(each).startswith(f"<{name}"), name
        assert "\n" not in repr(each), name
        assert len(repr(each)) < 200, name
        assert str(each) == each.to_text()
        tags = Tags(each._repr_html_())
        assert tags.seen[:2] == ["div", "style"]
        assert not {"script", "b"} & {*tags.seen}


def test_columns_are_the_same_in_every_form(results):
    for each in results:
        plain, names = each.to_dict(), list(each.frame.names)
        assert list(plain) == names
        assert json.loads(json.dumps(plain, allow_nan=False, default=str)).keys() == plain.keys()
        json.dumps(each.document(), allow_nan=False, default=str)
        assert [list(row) for row in each.to_records()] == [names] * len(each.frame)
        frame = each.to_pandas()
        indexed = each.frame.labels is not None or bool(each.frame.index)
        assert [name for name in names if name != each.frame.index or not indexed] == [
            *frame.columns
        ]
        assert len(frame) == len(each.frame)
        assert isinstance(frame, pd.DataFrame)
        if names:
            assert next(csv.reader(io.StringIO(each.to_csv()))) == names
            assert pa.table(each).column_names == names == each.to_polars().columns


def test_rows_are_sorted_filtered_and_chosen(results):
    for each in results:
        frame = each.frame
        if not frame.names or (isinstance(each, LocalModel) and not len(frame)):
            continue
        name = frame.names[0]
        rising, falling = each.sort(name), each.sort(name, descending=True)
        assert isinstance(rising, Frame)
        assert sorted(map(str, rising[name])) == sorted(map(str, falling[name]))
        assert len(each.head(1)) == min(1, len(frame))
        assert each.select([name]).names == (name,)
        value = frame.column(name).plain[0] if len(frame) else None
        assert (
            len(each.filter(**{name: value})) >= bool(len(frame)) if name.isidentifier() else True
        )
        with pytest.raises(aw.OptionError, match="no column"):
            each.sort("no such column")


def test_results_are_pickled(results):
    for each in results:
        if not isinstance(each, aw.Posterior) and "Path" not in type(each).__name__:
            assert str(pickle.loads(pickle.dumps(each))) == str(each)


def test_predictions_sorted_keep_the_index_of_their_rows():
    net = aw.fit("a -> b", {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.5, 2.5, 2.0, 5.0]})
    rows = pd.DataFrame({"a": [3.0, 1.0, 2.0]}, index=pd.Index(["x", "y", "z"], name="home"))
    found = net.predict(rows, "b").sort("mean").to_pandas()
    assert found.index.tolist() == ["y", "z", "x"]
    assert found.index.name == "home"
    assert net.predict(rows, "b").select(["mean"]).to_pandas().index.tolist() == [0, 1, 2]
