"""`arcwise classify`: as in Python."""

import json

import numpy as np
import pytest

import arcwise as aw


@pytest.fixture
def mail(tmp_path):
    rng = np.random.default_rng(1)
    spam = rng.random(200) < 0.4
    links = np.where(rng.random(200) < 0.2 + 0.6 * spam, "many", "few")
    words = rng.gamma(2.0, 50.0, 200) * np.where(spam, 3.0, 1.0)
    lines = [
        f"{a},{b:.3f},{'spam' if c else 'ham'}" for a, b, c in zip(links, words, spam, strict=True)
    ]
    lines[3] = lines[3].replace(lines[3].split(",")[0], "", 1)
    place = tmp_path / "mail.csv"
    place.write_text("\n".join(["links,words,kind", *lines]) + "\n")
    return place


def test_json_is_what_python_gives(run, mail):
    done = run("classify", mail, "kind", "--folds", 4, "--seed", 2, "--json")
    wanted = aw.classify(aw.read(mail), "kind", folds=4, seed=2)
    found = json.loads(done.out)
    assert found["accuracy"]["mean"] == pytest.approx(wanted.validated.accuracy)
    assert found["log_loss"]["mean"] == pytest.approx(wanted.validated.log_loss)
    assert found["confusion"] == wanted.validated.confusion.tolist()
    assert found["arcs"] == [list(arc) for arc in wanted.network.graph.arcs]


def test_for_people_with_files(run, mail, tmp_path):
    model, picture = tmp_path / "spam.json", tmp_path / "spam.png"
    done = run(
        "classify",
        mail,
        "kind",
        "--structure",
        "naive",
        "--folds",
        3,
        "-o",
        model,
        "--plot",
        picture,
    )
    for words in (
        "accuracy",
        "log-loss",
        "200 in 3 folds",
        "ham",
        "predicted",
        "observed",
        "naive",
    ):
        assert words in done.out
    assert picture.stat().st_size > 1000
    net = aw.load(model)
    assert net.parents("kind") == ()
    belief = net.query("kind", given={"links": "many", "words": 500.0})
    assert belief.probability("spam") > 0.5


def test_losses_change_decisions(run, mail):
    words = ("classify", mail, "kind", "--folds", 3, "--json")
    plain, careful = (
        json.loads(run(*words, *extra).out) for extra in ((), ("--loss", "ham,spam=20"))
    )
    assert careful["confusion"][0][1] < plain["confusion"][0][1]
    assert careful["log_loss"] == plain["log_loss"]
    done = run(*words, "--loss", "ham,eggs=20")
    assert done.code == 1
    assert "TRUE,DECIDED=NUMBER" in done.err


def test_what_is_wrong(run, mail):
    assert "no column 'kin'" in run("classify", mail, "kin").err
    assert "is continuous" in run("classify", mail, "words").err
    assert "Did you mean 'tan'" in run("classify", mail, "kind", "--structure", "tam").err
    done = run("classify", mail, "kind", "--folds", 0)
    assert done.code == 0
    assert "accuracy" not in done.out


def test_spam(run, shared_data):
    """The done-when of the discrete issue: names that repeat, numbers cut inside each part."""
    place = shared_data / "classification" / "spambase.csv.gz"
    done = run("classify", place, "class", "--structure", "naive", "--folds", 3, "--json")
    assert json.loads(done.out)["accuracy"]["mean"] > 0.88


def test_of_an_average_the_file_holds_one_network_and_that_is_said(run, mail, tmp_path):
    done = run(
        "classify", mail, "kind", "--structure", "aode", "--folds", 0, "-o", tmp_path / "a.json"
    )
    assert "(one network of the average, with the most informative parent)" in done.out
    (tmp_path / "rare.csv").write_text("x,kind\n" + "u,a\nv,a\n" * 10 + "u,b\n")
    done = run("classify", tmp_path / "rare.csv", "kind", "--folds", 5)
    assert "Without one of the 5 folds, all rows are of class 'a'" in done.err
    assert "use --folds 0" in done.err
