"""Every kind of bad table, end to end: one sentence or a stated rule, nothing half written."""

import random
from pathlib import Path

import pytest

from arcwise.data.memory import available

RANDOM = random.Random(1)
ROWS = [[round(RANDOM.gauss(0, 1), 3) for _ in range(3)] for _ in range(30)]


def lines(head: str, rows: list[list[object]]) -> str:
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n"


REFUSED = {
    "empty": ("", "The file is empty"),
    "blank": ("\n\n", "empty"),
    "header only": ("a,b,c\n", "The file has names, but no rows below them."),
    "all missing": ("a,b\n,\n,\n", "No column can be used."),
    "all NA": ("a,b\nNA,NA\nNA,NA\n", "No column can be used."),
    "no complete row": ("a,b\n1.5,\n,2\n2.5,\n", "No row of 3 has the values of two columns"),
    "infinite": ("a,b\n1.5,2\ninf,3\n2.5,9\n", "--na-values=inf --na-values=-inf"),
    "no names": (lines("1,2,1", ROWS), "is the first line of names missing"),
    "ragged": (lines("a,b,c", [*ROWS[:5], [1, 2]]), "Row 6 has 2 cells where 3 are expected"),
    "labels": (lines("a,b", [[r[0], "xy"[i % 2]] for i, r in enumerate(ROWS)]), "with --drop"),
    "binary": ("\x00\x01\x02" * 100, "binary"),
}

ACCEPTED = {
    "one column": ("a\n1.5\n2.5\n3.7\n", "There is only one column, 'a'"),
    "all constant": ("a,b\n1,2\n1,2\n1,2\n", "Every column is constant"),
    "text in a number column": (
        lines("a,b,c", [[r[0], r[1], "oops" if i == 7 else r[2]] for i, r in enumerate(ROWS)]),
        "such as 'oops' in row 8; if that means missing, give --na-values=oops.",
    ),
    "unnamed column": (lines("a,,c", ROWS), "A column without a name is called by its position"),
    "duplicate names": (lines("a,b,a", ROWS), "occur again were numbered: 'a.1'"),
    "gaps": (lines("a,b,c", [*ROWS, ["", 1, 2]]), "count as 30 complete rows"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("command", ["learn", "audit", "validate"])
def test_rejected(run, case, command):
    if command == "audit" and case in ("no complete row", "labels"):
        pytest.skip("an audit takes such tables")
    content, sentence = REFUSED[case]
    Path("in.csv").write_text(content)
    linear = ["--model", "gaussian"] if case == "labels" else []  # by default levels get tables
    done = run(command, "in.csv", *linear)
    assert done.code == 1
    assert done.out == ""
    assert done.err.startswith("arcwise: ")
    assert sentence in done.err
    assert done.err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["in.csv"]


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted_by_a_stated_rule(run, case):
    content, sentence = ACCEPTED[case]
    Path("in.csv").write_text(content)
    done = run("learn", "in.csv")
    assert done.code == 0, done.err
    assert sentence in done.out
    assert sorted(path.name for path in Path().iterdir()) == ["in.csv", "in.json"]
    assert run("edges", "in.json").code == 0


def test_one_row_can_be_looked_at_but_not_learned_from(run):
    Path("in.csv").write_text("a,b\n1,2\n")
    assert "There is only one row" in run("audit", "in.csv").out
    for command in ("learn", "validate"):
        done = run(command, "in.csv")
        assert (done.code, done.out) == (1, "")
        assert done.err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["in.csv"]


@pytest.mark.parametrize("command", ["learn", "audit", "validate"])
def test_no_file(run, command):
    done = run(command, "nowhere.csv")
    assert (done.code, done.out) == (1, "")
    assert done.err == "arcwise: There is no file 'nowhere.csv': check the name and the folder.\n"


@pytest.mark.parametrize("command", ["learn", "validate", "path"])
def test_a_policy_for_gaps_is_not_a_value_that_means_one(run, command):
    Path("in.csv").write_text("a,b\n1.5,2\n?,3\n2.5,9\n")
    done = run(command, "in.csv", "--missing", "?")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "arcwise: --missing must be a policy for missing values ('auto', 'impute', 'weights', 'drop'), got "
        "'?': give values that mean missing as --na-values='?'.\n"
    )


def test_commands_without_a_policy_name_the_option_for_gaps(run):
    Path("in.csv").write_text("a,b\n1.5,2\n?,3\n2.5,9\n")
    done = run("audit", "in.csv", "--missing", "?")
    assert (done.code, done.out) == (2, "")
    assert "use --na-values for values that mean missing. See 'arcwise audit --help'." in done.err


def test_all_observed_values_are_used_unless_rows_are_dropped(run):
    Path("in.csv").write_text("a,b\n1.5,2\n?,3\n2.5,9\n3.1,7\n4.4,1\n")
    found = [
        run("learn", "in.csv", "--na-values", "?", "--json", "-o", "out.json", *more).out
        for more in ([], ["--missing", "auto"], ["--missing", "drop"])
    ]
    assert found[0] == found[1] != found[2]
    assert "All observed values are used" in found[0]
    assert '"rows_used": 4' in found[2]


def test_folder_as_file(run, folder):
    Path("data").mkdir()
    assert "'data' is a folder" in run("learn", "data").err


def wide(columns: int) -> str:
    rows = [",".join(str(i % part / 10) for i in range(columns)) for part in (97, 89, 83)]
    return "\n".join([",".join(f"c{i}" for i in range(columns)), *rows]) + "\n"


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_more_columns_than_memory_holds(run, monkeypatch, how):
    monkeypatch.setattr("arcwise.data.memory.available", lambda: 1e6)
    Path("wide.csv").write_text(wide(500))
    done = run("learn", "wide.csv", *how)
    assert (done.code, done.out) == (1, "")
    assert "500 columns need 2.0 MB" in done.err
    assert [path.name for path in Path().iterdir()] == ["wide.csv"]


@pytest.mark.slow
def test_a_hundred_thousand_columns(run, folder):
    if available() > 8e10:
        pytest.skip("this machine has memory for that")
    Path("wide.csv").write_text(wide(100_000))
    done = run("learn", "wide.csv")
    assert done.code == 1
    assert "100000 columns need 80.0 GB" in done.err


@pytest.mark.parametrize("content", ["", "{}", "[1, 2]", "{", '{"format": "other"}', "\x00"])
def test_damaged_and_foreign_model_files(run, folder, content):
    Path("net.json").write_text(content)
    for arguments in (["edges", "net.json"], ["query", "net.json", "a"], ["sample", "net.json"]):
        done = run(*arguments)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("arcwise: 'net.json' cannot be read: ")
        assert done.err.count("\n") == 1


def test_cut_off_model_file(run, net):
    whole = net.read_text()
    for share in (0.1, 0.5, 0.99):
        net.write_text(whole[: int(len(whole) * share)])
        done = run("edges", net)
        assert done.code == 1
        assert "cannot be read" in done.err
