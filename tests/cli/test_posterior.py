"""arcwise posterior, and certainty in arcwise learn."""

import json

import pytest

import arcwise as aw


@pytest.fixture
def homes(folder):
    names = ["RM", "LSTAT", "MEDV", "AGE"]
    aw.example("boston").select(names).to_pandas().to_csv("homes.csv", index=False)
    return folder


def test_the_table_has_its_meaning_and_its_error(homes, run):
    done = run("posterior", "homes.csv")
    assert done.code == 0, done.err
    for words in (
        "posterior",
        "0.036 nats per arc (gamma 0.026)",
        "adjacent",
        "error",
        "LSTAT",
        "exact",
        "average",
    ):
        assert words in done.out


def test_the_bootstrap(homes, run):
    done = run("posterior", "homes.csv", "--method", "bootstrap", "--draws", "20")
    assert done.code == 0
    assert "bootstrap frequency" in done.out
    assert "20 replicates" in done.out
    assert "% of all pairs" in done.out


def test_files_come_out(homes, run):
    words = ["--method", "bootstrap", "--draws", "10", "-o", "post.json", "--table", "edges.csv"]
    done = run("posterior", "homes.csv", *words, "--plot", "graph.png", "--checkpoint", "run.npz")
    assert done.code == 0, done.err
    assert aw.load("post.json").found.draws == 10
    lines = (homes / "edges.csv").read_text().splitlines()
    assert lines[0].startswith("first,second,forward,backward,adjacent,error")
    assert len(lines) == 7
    assert (homes / "graph.png").stat().st_size > 1000
    assert (homes / "run.npz").exists()


def test_json_for_machines(homes, run):
    done = run("posterior", "homes.csv", "--json", "--prior", "2")
    document = json.loads(done.out)
    assert document["meaning"] == "posterior"
    assert "2 nats" in document["prior"]
    assert {"first", "second", "adjacent", "error"} <= set(document["edges"][0])


def test_learn_shows_certainty(homes, run):
    done = run("learn", "homes.csv", "--certainty")
    assert done.code == 0, done.err
    assert "certainty" in done.out
    assert "bootstrap frequency" in done.out
    assert aw.load("homes.json").edges["LSTAT", "MEDV"].certainty == 1.0
    plain = run("edges", "homes.json")
    assert "bootstrap frequency" in plain.out


def test_a_posterior_is_no_network(homes, run):
    run("posterior", "homes.csv", "-o", "post.json")
    done = run("query", "post.json", "MEDV")
    assert done.code == 1
    assert "distribution over graphs" in done.err
