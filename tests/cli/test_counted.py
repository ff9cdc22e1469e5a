"""Counted tables from the shell: weights, streams, and copies of one measurement."""

import json

import numpy as np
import pytest


@pytest.fixture
def files(folder):
    """The same 600 cases as rows, as counts, and with weights that are not integers."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 3, 600)
    b = np.where(rng.random(600) < 0.8, a, rng.integers(0, 3, 600))
    c = np.where(rng.random(600) < 0.7, b, rng.integers(0, 3, 600))
    rows = [f"{'pqr'[x]},{'uvw'[y]},{'xyz'[z]}" for x, y, z in zip(a, b, c, strict=True)]
    (folder / "long.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    cells = {row: rows.count(row) for row in sorted(set(rows))}
    counted = [f"{row},{count}" for row, count in cells.items()]
    (folder / "counted.csv").write_text("\n".join(["a,b,c,n", *counted]) + "\n")
    odd = [f"{row},{count + 0.5}" for row, count in cells.items()]
    (folder / "odd.csv").write_text("\n".join(["a,b,c,n", *odd]) + "\n")
    return len(cells)


WAYS = (["long.csv"], ["counted.csv", "--weights", "n"], ["long.csv", "--stream"])


def pairs(found):
    return sorted(edge["direction"] for edge in found["edges"] if edge["present"])


def test_classify_is_the_same_of_rows_counts_and_streams(run, files):
    found = []
    for file, *more in WAYS:
        done = run("classify", file, "a", *more, "--json")
        assert done.code == 0, done.err
        found.append(json.loads(done.out))
    assert found[0]["accuracy"]["mean"] > 0.7
    for other in found[1:]:
        assert other["confusion"] == found[0]["confusion"]
        assert other["rows"] == 600
        assert other["log_loss"]["mean"] == pytest.approx(found[0]["log_loss"]["mean"], rel=1e-9)


@pytest.mark.parametrize("score", ["loo", "kfold", "heldout"])
def test_learn_is_the_same_of_rows_counts_and_streams(run, files, score):
    found = []
    for file, *more in WAYS:
        done = run("learn", file, *more, "--score", score, "--json")
        assert done.code == 0, done.err
        found.append(json.loads(done.out))
    for other in found[1:]:
        assert pairs(other) == pairs(found[0])
        assert other["score"] == pytest.approx(found[0]["score"], rel=1e-9)


def test_validate_is_the_same_of_rows_and_counts(run, files):
    found = [json.loads(run("validate", *way, "--json").out) for way in WAYS[:2]]
    for word in ("mean", "error", "median"):
        assert found[1]["log_density"][word] == pytest.approx(found[0]["log_density"][word])
    assert found[1]["rows"] == 600


def test_weights_that_are_not_integers_are_rejected_in_a_sentence(run, files):
    done = run("validate", "odd.csv", "--weights", "n")
    assert done.code != 0
    assert "Weights must be integers" in done.err
    assert "--copies together holds out a row" in done.err
    again = run("validate", "odd.csv", "--weights", "n", "--copies", "together", "--json")
    assert again.code == 0, again.err
    assert json.loads(again.out)["rows"] == files


def test_copies_of_one_measurement_are_left_out_at_once(run, files):
    """Counts, long tables and streams alike."""
    found = []
    for file, *more in WAYS:
        done = run("learn", file, *more, "--copies", "together", "--score", "loo", "--json")
        assert done.code == 0, done.err
        assert "one measurement" in done.out + done.err
        found.append(json.loads(done.out)["score"])
    assert found[1:] == pytest.approx([found[0]] * 2, rel=1e-9)
    apart = json.loads(run("learn", "long.csv", "--score", "loo", "--json").out)["score"]
    assert found[0] < apart - 100


def test_a_wrong_word_is_rejected(run, files):
    done = run("learn", "long.csv", "--copies", "togther")
    assert done.code != 0
    assert "Did you mean 'together'?" in done.err
