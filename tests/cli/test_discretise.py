"""`arcwise discretise`, and categories in the commands that learn."""

import json
from pathlib import Path

import pytest

MAIL = """spam,sender,links,sent
1,a@x.example,12,2024-01-01 03:00:00
0,b@u.edu,1,2024-01-01 13:00:00
0,c@u.EDU,3,2024-01-01 14:00:00
1,d@x.example,6,2024-01-01 05:00:00
0,,4,
"""
LEVELS = [
    "--level", "links:Low=0..4", "--level", "links:Medium=5..10", "--level", "links:High=11..",
    "--level", "sender:edu=*.edu", "--level", "sender:other",
    "--level", "sent:AM=0:00..6:00", "--level", "sent:later",
]  # fmt: skip


@pytest.fixture
def mail(folder):
    Path("mail.csv").write_text(MAIL)
    return "mail.csv"


def test_levels_by_hand(run, mail):
    done = run("discretise", mail, *LEVELS, "-o", "levels.csv")
    assert done.code == 0
    assert "3 columns cut into levels" in done.out
    assert Path("levels.csv").read_text().splitlines() == [
        "spam,sender,links,sent",
        "1,other,High,AM",
        "0,edu,Low,later",
        "0,edu,Low,later",
        "1,other,Medium,AM",
        "0,,Low,",
    ]


def test_cuts_with_names_and_an_expression(run, mail):
    given = ["--cuts", "links=5,11", "--names", "links=Low,Medium,High"]
    done = run("discretise", mail, *given, "--level", "sender:edu=/[.](edu|EDU)$/", "--level",
               "sender:other", "--drop", "sent", "--method", "none")  # fmt: skip
    assert done.out.splitlines()[1:3] == ["1,other,High", "0,edu,Low"]


def test_a_method(run, table):
    done = run("discretise", table, "--method", "kmeans", "--bins", "2", "--columns", "RM,AGE")
    assert {line.split(",")[0][:5] for line in done.out.splitlines()[1:]} == {"below", "from "}
    assert "Cut by kmeans: 'RM' and 'AGE'." in done.err


def test_a_learned_model_takes_raw_values(run, mail, folder):
    assert run("learn", mail, *LEVELS, "-q").code == 0
    known = ["--given", "sender=x@y.edu", "--given", "links=30", "--given", "sent=3:00"]
    raw = run("query", "mail.json", "spam", *known, "--json")
    known = ["--given", "sender=edu", "--given", "links=High", "--given", "sent=AM"]
    assert json.loads(raw.out) == json.loads(
        run("query", "mail.json", "spam", *known, "--json").out
    )
    told = run("predict", "mail.json", mail, "links")
    assert "links is present in 5 rows" in told.err


def test_fit_and_validate_make_categories_too(run, table):
    given = ["--discretise", "quantiles", "--bins", "2"]
    assert run("fit", "[RM][AGE][DIS][LSTAT|RM][MEDV|LSTAT]", table, *given, "-q").code == 0
    assert len(json.loads(Path("boston.json").read_text())["nodes"][0]["cuts"]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["discretise", "mail.csv", "--method", "entropy"], "give its column as --target."),
        (["discretise", "mail.csv", "--method", "entropi"], "Did you mean 'entropy'"),
        (["discretise", "mail.csv", "--level", "sender=a"], "--level must be written as"),
        (["discretise", "mail.csv", "--level", "links:=3"], "--level must be written as"),
        (["discretise", "mail.csv", "--level", "sender:a=/(/"], "not a regular expression"),
        (["discretise", "mail.csv", "--cuts", "links=a"], "--cuts links must have numbers"),
        (["discretise", "mail.csv", "--cuts", "link=3"], "mail.csv: There is no column 'link'"),
        (["learn", "mail.csv", "--bins", "4"], "need --discretise"),
        (["learn", "mail.csv", "--discretise", "width", "--stream"], "do not go with --stream"),
    ],
)
def test_what_is_written_wrongly(run, mail, arguments, said):
    done = run(*arguments)
    assert done.code == 1
    assert said in done.err
