"""The audit finds what it should, and nothing in clean data."""

import json

import numpy as np
import pytest

from arcwise.data import audit, example, table


def clean(rows: int = 200, columns: int = 4) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return {f"x{i}": rng.normal(size=rows) for i in range(columns)}


def said(columns: dict[str, object], **options: object) -> str:
    return "\n".join(map(str, audit(table(columns, **options)).findings))  # type: ignore[arg-type]


def test_clean_data_has_no_findings() -> None:
    assert said(dict(clean())) == ""


def test_rows_say_kind_and_why() -> None:
    made = table(
        {
            "y": [0.5, 1.5, None, 2.5],
            "k": [1, 2, 2, 2],
            "t": ["a", "b", "b", None],
            "f": [True, False, True, True],
            "r": [1, 2, 1, 2],
        },
        kinds={"r": "continuous"},
    )
    report = made.audit()
    assert [row.name for row in report.rows] == ["y", "k", "t", "f", "r"]
    assert [row.why for row in report.rows] == [
        "numbers",
        "few distinct integers",
        "text",
        "booleans",
        "as requested",
    ]
    assert [row.gaps for row in report.rows] == [1, 0, 1, 0, 0]
    assert [row.distinct for row in report.rows] == [3, 2, 2, 2, 2]
    assert (report.rows[0].low, report.rows[0].high) == (0.5, 2.5)
    assert report.rows[1].smallest == 1
    assert "2 of 4 rows are complete; most missing values are in 'y': 1, 't': 1." in map(
        str, report.findings
    )


def test_constants() -> None:
    assert "Constant: 'c' and 'd'" in said({**clean(), "c": [1.5] * 200, "d": ["u"] * 200})


def test_copies_and_near_copies() -> None:
    columns = clean()
    noise = 1e-4 * np.random.default_rng(0).normal(size=200)
    found = said({"b": columns["x0"], **columns, "near": -2 * columns["x1"] + noise})
    assert "Copies (all values equal): 'b' and 'x0'." in found
    assert "Near-copies (correlation beyond 0.9999): 'x1' and 'near'." in found
    assert "linear function" not in found


def test_copies_of_text() -> None:
    words = np.random.default_rng(0).choice(["u", "v"], 200)
    assert "'p' and 'q'" in said({**clean(), "p": words, "q": words})


def test_a_sum_is_a_linear_function() -> None:
    columns = clean()
    columns["total"] = columns["x0"] + 2 * columns["x2"] + 7
    found = said(dict(columns))
    assert "is a linear function of" in found
    assert found.count("1 - R^2") == 1
    assert "x1" not in found
    assert "x3" not in found


def test_nearly_a_sum_is_not_one() -> None:
    columns = clean()
    noise = 1e-3 * np.random.default_rng(0).normal(size=200)
    columns["total"] = columns["x0"] + columns["x2"] + noise
    assert "linear" not in said(dict(columns))


def test_dependence_is_found_whatever_the_units() -> None:
    columns = clean()
    scaled = {"a": 1e9 + columns["x0"], "b": 1e-9 * columns["x1"], "c": columns["x2"]}
    scaled["d"] = columns["x0"] * 1e3 - 1e3 * columns["x1"]
    assert "linear function" in said(dict(scaled))


def test_ties_tails_and_tiny_cells() -> None:
    columns = clean()
    columns["ties"] = np.repeat(np.arange(50) * 0.3, 4)
    columns["tail"] = columns["x0"].copy()
    columns["tail"][3] = 500.0
    found = said({**columns, "t": ["a"] * 3 + ["b"] * 197})
    assert "Mostly ties: 'ties'" in found
    assert "Heavy tails: 'tail'" in found
    assert "Tiny cells: 't'" in found


def test_weights_count_in_tiny_cells() -> None:
    columns = {"t": ["a", "b", "a"], "s": ["u", "u", "v"]}
    assert "Tiny cells" in said(columns)
    assert "Tiny cells" not in said(columns, weights=[10, 20, 30])


def test_rows_against_columns() -> None:
    rng = np.random.default_rng(0)
    assert "more than the square root of 100 cases" in said(dict(clean(100, 11)))
    wide = audit(table(rng.normal(size=(10, 20))))
    assert "20 columns and only 10 cases" in wide.findings[0]
    assert "square root" not in said(dict(clean(100, 10)))


def test_many_columns_are_not_correlated() -> None:
    wide = audit(table(np.random.default_rng(0).normal(size=(10, 2001))))
    assert any("not computed" in finding for finding in wide.findings)
    assert "... and 1961 more rows" in str(wide)


def test_no_complete_row_is_no_obstacle() -> None:
    report = audit(table({"a": [1.5, None, 2.5], "b": [None, 2.5, None], "c": [0.5, 1.5, 2.5]}))
    assert any("0 of 3 rows are complete" in finding for finding in report.findings)


@pytest.mark.parametrize("rows", [1, 2])
def test_tiny_tables(rows: int) -> None:
    assert audit(table({"a": [1.5, 2.5][:rows], "b": ["x", "y"][:rows]})).size == (rows, 2)


def test_text_and_dictionary() -> None:
    report = example("boston").audit()
    lines = str(report).splitlines()
    assert lines[0] == "506 rows, 14 columns"
    assert lines[2].split() == ["column", "kind", "why", "missing", "values", "range"]
    assert "CRIM" in lines[3]
    plain = json.loads(json.dumps(report.document()))
    assert plain["rows"] == 506
    assert len(plain["columns"]) == 14
    assert plain["columns"][3]["kind"] == "discrete"
    weighted = audit(table({"a": [0.5, 1.5]}, weights=[2, 3]))
    assert "(5 cases by weight)" in str(weighted)


def test_findings_begin_at_the_numbers_that_they_name():
    """Four cases of a level are few, five are not; 3 of 200 values that occur once are, 4 are not."""
    levels = {f"level_{n}": ["rare"] * n + ["usual"] * (200 - n) for n in (4, 5)}
    ties = {
        f"once_{n}": [*(0.5 + np.arange(n)), *np.repeat([1000.5, 2000.25], [100, 100 - n])]
        for n in (3, 4)
    }
    found = audit(table({**levels, **ties})).findings
    (tied,) = [each for each in found if str(each).startswith("Mostly ties")]
    (tiny,) = [each for each in found if str(each).startswith("Tiny cells")]
    assert [name in tied for name in ties] == [True, False]
    assert [name in tiny for name in levels] == [True, False]
