"""Questions to discrete networks from the shell: levels as evidence and events, and explanations."""

import json

import numpy as np
import pytest

import arcwise as aw

ASIA = """network asia {}
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 2 ] { yes, no }; }
variable code { type discrete [ 2 ] { 0, 1 }; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
probability ( code | lung ) { (yes) 1.0, 0.0; (no) 0.5, 0.5; }
"""


@pytest.fixture
def asia(folder):
    (folder / "asia.bif").write_text(ASIA)
    return "asia.bif"


def test_evidence_in_one_word_or_in_several(run, asia):
    expected = str(aw.load(asia).query("lung", given={"smoke": "yes", "code": "0"}))
    assert run("query", asia, "lung", "--given", "smoke=yes,code=0").out.strip() == expected
    done = run("query", asia, "lung", "--given", "smoke=yes", "--given", "code=0")
    assert done.out.strip() == expected
    either = run("query", asia, "lung", "--given", "smoke=yes|no")
    assert "lung given smoke = yes or no" in either.out
    assert "0.055" in either.out


def test_probabilities_of_levels(run, asia):
    done = run(
        "query",
        asia,
        "lung",
        "--probability",
        "lung = yes",
        "--probability",
        "lung=yes and code = 0",
    )
    assert "probability of lung = yes: 0.055" in done.out
    assert "probability of lung=yes and code = 0: 0.055" in done.out
    done = run("query", asia, "lung", "--probability", "lung = maybe")
    assert done.code == 1
    assert "'lung' has no level 'maybe'" in done.err


def test_the_explanation(run, asia):
    found = aw.load(asia).explain({"smoke": "yes"})
    assert run("explain", asia, "--given", "smoke=yes").out.strip() == str(found)
    plain = json.loads(run("explain", asia, "--given", "smoke=yes", "--json").out)
    assert plain["levels"] == dict(found)
    assert plain["given"] == {"smoke": "yes"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--given", "lung=yes,code=1"], "code = 1 has probability zero where lung = yes"),
        (["--given", "smoke=mybe"], "'smoke' has the value 'mybe'"),
        (["--given", "somke=yes"], "Did you mean 'smoke'?"),
    ],
)
def test_user_errors(run, asia, arguments, sentence):
    done = run("explain", asia, *arguments)
    assert (done.code, done.out) == (1, "")
    assert sentence in done.err


def test_gaussian_networks_are_explained_by_numbers(run, net):
    done = run("explain", net, "--json")
    found = aw.load(net).explain()
    assert json.loads(done.out)["levels"] == pytest.approx(dict(found))
    assert "density given the evidence" in run("explain", net).out


def test_some_variables_are_explained(run, asia):
    done = run("explain", asia, "--of", "lung,code", "--given", "smoke=yes", "--json")
    found = json.loads(done.out)
    assert found["levels"] == dict(aw.load(asia).explain({"smoke": "yes"}, of=["lung", "code"]))
    assert set(found["levels"]) == {"lung", "code"}
    assert run("explain", asia, "--of", "lungs").code == 1


def test_draws_with_evidence(run, asia):
    done = run("sample", asia, "-n", 200, "--given", "lung=yes", "--do", "smoke=no")
    head, *rows = done.out.splitlines()
    cells = [dict(zip(head.split(","), row.split(","), strict=True)) for row in rows]
    assert {(cell["lung"], cell["smoke"], cell["code"]) for cell in cells} == {("yes", "no", "0")}
    assert len(cells) == 200


def test_an_explanation_after_do_has_the_range_of_the_library(run, folder):
    rng = np.random.default_rng(0)
    a = rng.random(400) < 0.4
    b = np.where(a, rng.random(400) < 0.8, rng.random(400) < 0.3)
    net = aw.learn({"a": np.where(a, "yes", "no"), "b": np.where(b, "yes", "no")})
    net.save("net.json")
    found = aw.load("net.json").explain(do={"b": "yes"})
    assert "over all equivalent graphs: " in str(found)
    out = run("explain", "net.json", "--do", "b=yes").out
    assert out.strip() == str(found)
