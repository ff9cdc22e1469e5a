"""A frame, the file written from it and any other form of the same columns have the same kinds."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arcwise as aw

ROWS = 60
rng = np.random.default_rng(8)
COLUMNS = {
    "few": rng.integers(0, 2, ROWS),
    "codes": rng.integers(1, 8, ROWS),
    "many": rng.permutation(1000)[:ROWS],
    "measured": rng.normal(size=ROWS).round(3),
    "whole": rng.integers(0, 3, ROWS).astype(float) + 0.5,
    "truth": rng.random(ROWS) < 0.5,
    "words": rng.choice(["red", "blue", "green"], ROWS),
}
MISSING = rng.random(ROWS) < 0.2
MISSING[:2] = False, True


def listed(gaps):
    return {
        name: [None if gap else value for value, gap in zip(column.tolist(), gaps, strict=True)]
        for name, column in COLUMNS.items()
    }


def kinds_of(data, **options):
    table = aw.read(data) if options.get("file") else aw.table(data)
    found = {}
    for name in table.names:
        variable = table.variable(name)
        levels = variable.levels and tuple(str(level) for level in variable.levels)
        found[name] = (variable.kind, levels)
    return found


def forms(folder, gaps):
    """The same columns in every form that can hold them."""
    columns = listed(gaps)
    frame = pd.DataFrame(columns)
    polars, arrow = pl.DataFrame(columns), pa.table(columns)
    frame.to_csv(folder / "pandas.csv", index=False)
    polars.write_csv(folder / "polars.csv")
    frame.to_parquet(folder / "pandas.parquet")
    pq.write_table(arrow, folder / "arrow.parquet")
    return {
        "dict": kinds_of(columns),
        "pandas": kinds_of(frame),
        "nullable": kinds_of(frame.convert_dtypes()),
        "polars": kinds_of(polars),
        "pyarrow": kinds_of(arrow),
        **{
            path.name: kinds_of(path, file=True)
            for path in sorted(folder.iterdir())
            if path.suffix in (".csv", ".parquet")
        },
    }


@pytest.mark.parametrize("gaps", [np.zeros(ROWS, bool), MISSING], ids=["complete", "missing"])
def test_every_form_has_the_same_kinds(tmp_path, gaps):
    found = forms(tmp_path, gaps)
    assert found["dict"]["codes"] == ("discrete", tuple("1234567"))
    assert found["dict"]["few"] == ("discrete", ("0", "1"))
    assert found["dict"]["many"][0] == found["dict"]["measured"][0] == "continuous"
    assert {name: kinds for name, kinds in found.items() if kinds != found["dict"]} == {}


def test_text_of_numbers_is_text_where_a_type_can_say_so(tmp_path):
    """A CSV file has no types: there the same column holds numbers, with the same levels as text."""
    columns = {"code": ["1", "2", "3", "2"] * 10, "x": list(range(100, 140))[::-1] * 1}
    for data in (columns, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert aw.table(data).variable("code").levels == ("1", "2", "3")
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    assert aw.read(tmp_path / "t.csv").variable("code").levels == (1, 2, 3)


# -- codes ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def coded():
    x = np.random.default_rng(2).normal(size=200)
    noise = np.random.default_rng(3).normal(size=(2, 200))
    return aw.table({"alive": (x + noise[0] > 0).astype(int), "x": x, "y": x + noise[1]})


@pytest.mark.parametrize("model", ["gaussian", "clg"])
def test_codes_used_as_numbers_are_named(coded, model):
    for net in (
        aw.learn(coded, model=model),
        aw.fit("[x][y|x][alive|x]", coded, model=model),
        aw.learn(coded.select(["alive", "x", "y"]), model=model, rules=aw.Rules(max_parents=1)),
    ):
        (note,) = [each for each in net.notes if "treated as numbers" in each]
        assert str(note).startswith("'alive' has few distinct integers")
    fixed = aw.table(coded, kinds={"alive": "continuous"})
    assert not [each for each in aw.learn(fixed, model=model).notes if "treated" in each]


@pytest.mark.parametrize("graph", ["directed", "undirected"])
def test_parzen_windows_keep_codes_as_levels(coded, graph):
    net = aw.learn(coded, model="parzen", graph=graph)
    assert net.net.variables[0].levels == (0, 1)
    assert set(net.sample(50, seed=1).to_dict()["alive"]) <= {0, 1}
    shares = net.query("alive", given={"x": 1.0}, draws=2000, seed=1).probabilities
    assert sum(map(float, shares.values())) == pytest.approx(1.0)
    assert float(shares[1]) > 0.6
    numbers = aw.learn(aw.table(coded, kinds={"alive": "continuous"}), model="parzen", graph=graph)
    assert numbers.net.variables[0].levels is None
