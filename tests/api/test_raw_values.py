"""Networks of levels that were made from raw values are asked about raw values."""

import datetime
import json

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import DataError, FileError

LEVELS = {
    "links": {"Low": (0, 4), "Medium": (5, 10), "High": (11, None)},
    "sender": {"edu": "*.edu", "other": None},
    "sent": {"AM": ("0:00", "6:00"), "later": None},
}


def mail(rows=400, seed=1):
    rng = np.random.default_rng(seed)
    spam = rng.random(rows) < 0.4
    edu = rng.random(rows) < np.where(spam, 0.02, 0.3)
    hours = np.where(spam, rng.uniform(0, 24, rows), rng.uniform(7, 22, rows))
    start = datetime.datetime(2024, 1, 1)
    return {
        "spam": spam.astype(int),
        "links": rng.poisson(np.where(spam, 9, 3)),
        "sender": [f"u{i}@{'uni.edu' if each else 'web.example'}" for i, each in enumerate(edu)],
        "sent": [start + datetime.timedelta(hours=float(hour)) for hour in hours],
    }


@pytest.fixture(scope="module")
def net():
    return aw.learn(aw.discretise(mail(), levels=LEVELS), model="discrete")


def shares(net, **given):
    return net.query("spam", given=given).probabilities


@pytest.mark.parametrize(
    ("raw", "level"),
    [
        ({"links": 3}, {"links": "Low"}),
        ({"links": 10.0}, {"links": "Medium"}),
        ({"links": np.int64(300)}, {"links": "High"}),
        ({"sender": "Ann@MIT.EDU"}, {"sender": "edu"}),
        ({"sender": "edu@web.example"}, {"sender": "other"}),
        ({"sent": "2025-12-24 05:30"}, {"sent": "AM"}),
        ({"sent": datetime.time(6)}, {"sent": "later"}),
        ({"sent": np.datetime64("2025-12-24T23:00")}, {"sent": "later"}),
    ],
)
def test_a_raw_value_is_its_level(net, raw, level):
    assert shares(net, **raw) == shares(net, **level)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"links": "many"}, "not in the training data"),
        ({"links": np.inf}, "finite number"),
        ({"links": 10.9}, "in none of its levels"),
        ({"sent": "noon"}, "time of day such as"),
        ({"sent": 3}, "time of day such as"),
    ],
)
def test_raw_values_that_are_none(net, raw, said):
    with pytest.raises(DataError, match=said):
        shares(net, **raw)


def test_raw_rows_are_rows_of_levels(net):
    new = mail(50, seed=2)
    levels = aw.discretise(new, levels=LEVELS)
    assert np.array_equal(net.logpdf(new), net.logpdf(levels))
    assert np.array_equal(net.logpdf(new), net.logpdf(levels.to_pandas()))
    raw = net.predict(new, "spam").probabilities
    assert np.array_equal(raw, net.predict(levels, "spam").probabilities)


def test_rows_may_mix_levels_and_raw_text(net):
    mixed = {"links": ["3", "Low", "11"], "sender": ["edu", "b@c.edu", "b@c.example"]}
    plain = {"links": ["Low", "Low", "High"], "sender": ["edu", "edu", "other"]}
    assert np.array_equal(net.logpdf(mixed), net.logpdf(plain))


def test_gaps_of_a_raw_frame_are_filled_with_levels(net):
    frame = aw.table({"links": [3.0, 5.0, None]}).to_pandas()
    filled = net.impute(frame)
    assert set(filled["links"]) <= {"Low", "Medium", "High"}


@pytest.mark.parametrize("ending", [".json", ".arcwise", ".json.gz"])
def test_files_keep_what_makes_levels(net, tmp_path, ending):
    net.save(tmp_path / f"net{ending}")
    back = aw.load(tmp_path / f"net{ending}")
    assert back.net.variables == net.net.variables
    new = mail(20, seed=3)
    assert np.array_equal(back.logpdf(new), net.logpdf(new))
    assert shares(back, sender="a@b.edu") == shares(net, sender="edu")


def test_numbers_as_names_are_levels_in_a_table_and_raw_in_a_question():
    x = np.random.default_rng(1).normal(size=300)
    found = aw.discretise({"x": x, "y": x + 1}, bins=2, names={"x": [1, 2], "y": [1, 2]})
    net = aw.fit("[x][y|x]", found, model="discrete")
    assert net.net.variables == found.variables
    assert np.array_equal(net.logpdf(found), net.logpdf({"x": x, "y": x + 1}))


def broken(net, path, change):
    net.save(path)
    document = json.loads(path.read_text())
    entry = next(each for each in document["nodes"] if each["name"] == "sender")
    change(entry["coding"])
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda coding: coding.update(reads="minds"), "must read text or time"),
        (lambda coding: coding.update(reads=3), "of type int"),
        (lambda coding: coding.update(codes=[0]), "2 marks of a coding have 1 codes"),
        (lambda coding: coding.update(codes=[0, 9]), "levels that it does not have"),
        (lambda coding: coding.update(marks=["(", ""]), "not a regular expression"),
        (lambda coding: coding.update(marks=[1, ""]), "of type int"),
        (lambda coding: coding.pop("marks"), "marks"),
    ],
)
def test_codings_in_files_are_checked(net, tmp_path, change, said):
    with pytest.raises(FileError, match=said):
        aw.load(broken(net, tmp_path / "net.json", change))


def test_a_hostile_pattern_takes_no_time(net, tmp_path):
    """Of backtracking engines this one would take longer than the universe has existed."""
    place = broken(
        net, tmp_path / "net.json", lambda coding: coding.update(marks=["(a|aa|a*)*b$", ""])
    )
    assert shares(aw.load(place), sender="a" * 5000 + "c")


CODES = {"x": [1, 2, 3] * 40, "y": [1, 2, 3] * 30 + [3, 1, 2] * 10, "b": [True, False, False] * 40}


@pytest.mark.parametrize("file", [None, "net.json", "net.bif"])
@pytest.mark.parametrize("lib", ["pandas", "polars", "pyarrow"])
def test_numeric_levels_are_filled_with_numbers(tmp_path, lib, file):
    """Gaps alone, added columns, and levels that a file holds as text are filled with numbers."""
    frames = pytest.importorskip(lib)
    make = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[lib]
    net = aw.learn(CODES)
    if file:
        net.save(tmp_path / file)
        net = aw.load(tmp_path / file)
    filled = net.impute(getattr(frames, make)({"x": [1, None, 3], "y": [None, 2, 3]}))
    columns = {name: list(aw.table(filled).to_dict()[name]) for name in ("x", "y")}
    assert columns == {"x": [1, 2, 3], "y": [1, 2, 3]}
    if file != "net.bif":  # where the type of a column is open, it is that of the levels
        empty = net.impute(getattr(frames, make)({"x": [None, None], "y": [2, 3]}))
        assert aw.table(empty, kinds={"x": "discrete"}).to_dict()["x"] == [2, 3]
        assert aw.table(empty).to_dict()["b"] == [False, False]


def test_a_frame_of_objects_keeps_its_numbers(tmp_path):
    frames = pytest.importorskip("pandas")
    aw.learn(CODES).save(tmp_path / "net.bif")
    net = aw.load(tmp_path / "net.bif")
    filled = net.impute(frames.DataFrame({"x": [1, None, 3], "y": [1, 2, 3]}, dtype=object))
    assert filled["x"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("value", [-1, 4.5, 11])
def test_levels_by_hand_are_not_extended(tmp_path, value):
    """A number that was given to no level is in none, in evidence and in rows, before and after saving."""
    ranges = {"low": (0, 4), "high": (5, 10)}
    data = {"x": [0, 1, 7, 9, 2, 8] * 10, "y": list("aabbab") * 10}
    net = aw.learn(aw.discretise(data, levels={"x": ranges}))
    net.save(tmp_path / "net.json")
    for each in (net, aw.load(tmp_path / "net.json")):
        assert each.query("y", given={"x": 4}).probability("a") > 0.5
        for ask in (
            lambda own=each: own.query("y", given={"x": value}),
            lambda own=each: own.predict({"x": [1, value]}, "y"),
            lambda own=each: own.impute({"x": [1, value]}),
        ):
            with pytest.raises(
                DataError, match=r"in none of its levels \(low: 0 to 4, high: 5 to 10"
            ):
                ask()


def test_levels_that_cover_all_numbers_take_all():
    ranges = {"low": (None, 5), "high": (5, None)}
    data = {"x": [0, 1, 7, 9, 2, 8] * 10, "y": list("aabbab") * 10}
    table = aw.discretise(data, levels={"x": ranges})
    assert table.variable("x").ends is None
    net = aw.learn(table)
    assert net.query("y", given={"x": 4.99}).probability("a") > 0.5
    assert net.query("y", given={"x": 5}).probability("a") < 0.5


@pytest.mark.parametrize(
    "ends", [3, [[0, 4]], [[0], [5, 10]], [[0, "x"], [5, 10]], [[0, True], [5, 10]]]
)
def test_wrong_ends_in_a_file_are_rejected(tmp_path, ends):
    data = {"x": [0, 1, 7, 9, 2, 8] * 10, "y": list("aabbab") * 10}
    table = aw.discretise(data, levels={"x": {"low": (0, 4), "high": (5, 10)}})
    aw.learn(table).save(tmp_path / "net.json")
    found = json.loads((tmp_path / "net.json").read_text())
    text = json.dumps(found).replace("[[0.0, 4.0], [5.0, 10.0]]", json.dumps(ends))
    (tmp_path / "net.json").write_text(text)
    with pytest.raises(FileError):
        aw.load(tmp_path / "net.json")
