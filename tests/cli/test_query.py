"""`arcwise query`: answers, events, draws."""

import json

import numpy as np
import pytest

import arcwise as aw


def test_one_variable(run, net, learned):
    belief = learned.query("MEDV", given={"LSTAT": 5.0})
    assert run("query", net, "MEDV", "--given", "LSTAT=5").out.strip() == str(belief)


def test_several_variables_and_do(run, net):
    loaded = aw.load(net)
    beliefs = loaded.query(["MEDV", "RM"], given={"AGE": 50.0}, do={"LSTAT": 5.0})
    done = run("query", net, "MEDV", "RM", "--given", "AGE=50", "--do", "LSTAT=5")
    assert done.out.strip() == str(beliefs)


def test_probabilities(run, net, learned):
    belief = learned.query("MEDV", given={"LSTAT": 5.0})
    done = run("query", net, "MEDV", "--given", "LSTAT=5", "--json",
               "--probability", "MEDV > 30", "--probability", "20 < MEDV <= 30")  # fmt: skip
    first, second = json.loads(done.out)["probabilities"]
    assert first["probability"] == pytest.approx(belief.probability((30, None)))
    assert second["probability"] == pytest.approx(belief.probability((20, 30)))
    assert second["event"] == "20 < MEDV <= 30"


def test_a_joint_event_on_variables_that_are_not_asked_for(run, net, learned):
    both = learned.query(["RM", "AGE"]).probability({"RM": (6, None), "AGE": (None, 50)})
    done = run("query", net, "MEDV", "--probability", "RM > 6 and AGE < 50")
    assert f"probability of RM > 6 and AGE < 50: {float(both):.4g}" in done.out


def test_the_answer_is_drawn(run, net, tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    one, several = tmp_path / "one.png", tmp_path / "several.svg"
    done = run("query", net, "MEDV", "--given", "LSTAT=5", "--plot", one)
    assert done.out.splitlines()[-1] == f"Wrote {one} (a figure)."
    assert one.read_bytes().startswith(b"\x89PNG")
    done = run("query", net, "MEDV", "RM", "--plot", several, "--json")
    json.loads(done.out)  # nothing else is on standard output
    assert several.read_text().count("<svg") == 1


def test_draws(run, net, learned):
    done = run("query", net, "MEDV", "RM", "--draws", 20, "--seed", 3)
    drawn = learned.query(["MEDV", "RM"]).draws(20, 3)
    head, *rows = done.out.splitlines()
    assert head == "MEDV,RM"
    found = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    np.testing.assert_allclose(found, np.column_stack([drawn["MEDV"], drawn["RM"]]))


def test_draws_into_a_file(run, net):
    done = run("query", net, "MEDV", "--draws", 20, "-o", "drawn.parquet")
    assert done.out == "Wrote drawn.parquet (20 draws).\n"
    assert aw.read("drawn.parquet").rows == 20


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["MDEV"], "Did you mean 'MEDV'?"),
        (["MEDV", "--given", "LSTAT"], "--given must be written as name=value"),
        (["MEDV", "--given", "LSTAT=low"], "must be a finite number, got 'low'"),
        (["MEDV", "--given", "LSTAT=inf"], "must be a finite number"),
        (["MEDV", "--given", "LSTAT=1", "--given", "LSTAT=2"], "--given names 'LSTAT' twice"),
        (["MEDV", "--given", "RM=1", "--do", "RM=1"], "both in given and in do"),
        (["MEDV", "--given", "MEDV=1"], "is both a target and evidence"),
        (["MEDV", "MEDV"], "is a target twice"),
        (["MEDV", "--probability", "MEDV is high"], "An event must be written like"),
        (["MEDV", "--probability", "MDEV > 3"], "Did you mean 'MEDV'?"),
        (["MEDV", "-o", "x.csv"], "set their number with --draws"),
    ],
)
def test_user_errors(run, net, arguments, sentence):
    done = run("query", net, *arguments)
    assert (done.code, done.out) == (1, "")
    assert sentence in done.err


@pytest.fixture
def chain(folder):
    """A chain x, y, z as a CSV file, and learned."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = x + 0.5 * rng.normal(size=300)
    rows = np.column_stack([x, y, y + 0.5 * rng.normal(size=300)])
    np.savetxt(folder / "chain.csv", rows, delimiter=",", header="x,y,z", comments="", fmt="%.17g")
    return folder / "chain.csv"


def test_the_range_of_an_answer_to_do(run, chain):
    run("learn", chain, "-o", "chain.json")
    belief = aw.load("chain.json").query("z", do={"y": 1.0})
    low, high = belief.range.probability((1, None))
    done = run("query", "chain.json", "z", "--do", "y=1", "--probability", "z > 1")
    share = f"{float(belief.probability((1, None))):.4g}"
    said = f"  probability of z > 1: {share}; over all equivalent graphs between {low:.4g} and {high:.4g}"
    assert done.out.strip().startswith(f"{belief}\n{said}")
    assert "over all equivalent graphs: mean between" in done.out
    plain = json.loads(run("query", "chain.json", "z", "--do", "y=1", "--json",
                           "--probability", "z > 1").out)  # fmt: skip
    assert plain["range"]["mean"] == list(belief.range.mean)
    assert plain["probabilities"][0]["range"] == [low, high]
    few = run("query", "chain.json", "z", "--do", "y=1", "--max-graphs", 2)
    assert "over 2 equivalent graphs" in few.out
    drawn = run("query", "chain.json", "z", "--do", "y=1", "--draws", 3)
    assert len(drawn.out.splitlines()) == 4
    assert "The draws are from the learned graph only." in drawn.err


def test_rules_of_the_shell_pin_arcs_and_leave_no_range(run, chain):
    learned = run("learn", chain, "--require", "x -> y", "-o", "chain.json")
    assert " -- " not in learned.out
    assert " -- " not in run("edges", "chain.json").out
    done = run("query", "chain.json", "z", "--do", "y=1")
    assert "over all equivalent" not in done.out
    assert "equivalent to the learned one give the same answer" in " ".join(done.out.split())


@pytest.fixture
def clinic(folder):
    aw.example("asia").save(folder / "asia.bif")
    return "asia.bif"


def test_a_joint_answer_about_levels_is_a_table(run, clinic):
    out = run("query", clinic, "lung", "bronc", "--given", "smoke=yes").out
    assert "  lung  bronc  probability\n  yes   yes           0.06\n" in out
    found = json.loads(run("query", clinic, "lung", "bronc", "--given", "smoke=yes", "--json").out)
    assert found["joint"][1] == pytest.approx([0.54, 0.36])


def test_weights_sets_and_ranges_of_levels_as_evidence(run, clinic):
    """Soft evidence is a mean over hard evidence, and a set of levels is one of weights 0 and 1."""
    asia = aw.example("asia")
    weights = {"yes": 0.8, "no": 0.1}
    belief = asia.query("lung", given={"smoke": weights, "dysp": "yes"})
    out = run("query", clinic, "lung", "--given", "smoke=yes:0.8|no:0.1,dysp=yes").out
    assert f"  yes  {float(belief.probability('yes')):.4g}\n" in out
    mixed = {
        level: weight * float(asia.probability({"smoke": level, "dysp": "yes"}))
        for level, weight in weights.items()
    }
    expected = sum(
        share * float(asia.query("lung", given={"smoke": level, "dysp": "yes"}).probability("yes"))
        for level, share in mixed.items()
    ) / sum(mixed.values())
    assert float(belief.probability("yes")) == pytest.approx(expected, rel=1e-12)
    out = run("explain", clinic, "--given", "smoke=yes:1|no:9").out
    assert "\n  smoke   no\n" in out
    die = aw.fit(
        "[die][odd|die]",
        {"die": [1, 2, 3, 4] * 5, "odd": ["y", "n"] * 10},
        model=aw.Discrete(alpha=0),
    )
    die.save("die.json")
    assert (
        "odd given die = 2 or 3\n  n  0.5"
        in run("query", "die.json", "odd", "--given", "die=2..3").out
    )
    assert "odd given die = 1\n  n  0" in run("query", "die.json", "odd", "--given", "die=..1").out


def test_with_its_data_the_range_is_also_over_the_graphs_of_the_certainty(run, chain):
    run("learn", chain, "-o", "chain.json")
    belief = aw.load("chain.json", data=chain).query("z", do={"y": 1.0})
    assert belief.range.graphs is not None
    done = run("query", "chain.json", "z", "--do", "y=1", "--data", chain)
    assert done.out.strip() == str(belief)
    assert "needs the training data" in run("query", "chain.json", "z", "--do", "y=1").out


def test_intervals_of_numbers(run, net, learned):
    text = run("query", net, "MEDV", "--given", "RM=6..7,LSTAT=..10").out
    assert text.startswith("MEDV given RM = 6..7, LSTAT = ..10\n")
    found = json.loads(run("query", net, "MEDV", "--given", "RM=6..7", "--json").out)
    assert found["mean"] == pytest.approx(learned.query("MEDV", {"RM": (6, 7)}).mean)
    assert found["given"] == {"RM": [6.0, 7.0]}
    assert found["error"] == 0
