"""`arcwise convert`: from one format into another."""

from pathlib import Path

import pytest

import arcwise as aw


@pytest.mark.parametrize("name", ["other.json", "other.arcwise", "other.json.gz"])
def test_all_there_is_goes_along(run, net, learned, name):
    done = run("convert", net, name)
    assert done.out == f"Wrote {name} (the network).\n"
    assert aw.load(name).score == learned.score
    assert aw.load(name)["MEDV"].sd == learned["MEDV"].sd


def test_numbers_that_are_lost_are_reported(run, net):
    assert (
        run("convert", net, "net.dot").out == "Wrote net.dot (the graph without its parameters).\n"
    )


@pytest.mark.parametrize("name", ["asia.bif", "asia.xmlbif", "asia.net", "asia.xdsl.gz"])
def test_tables_go_along(run, folder, name):
    aw.example("asia").save("asia.json")
    assert run("convert", "asia.json", name).out == f"Wrote {name} (the network).\n"
    assert (
        run("convert", name, "graph.dot").out
        == "Wrote graph.dot (the graph without its parameters).\n"
    )
    assert "  yes  0.1\n" in run("query", name, "lung", "--given", "smoke=yes").out


def test_a_model_string(run, folder):
    assert run("convert", "[a][b|a]", "ab.csv").out == "Wrote ab.csv (a graph).\n"
    assert Path("ab.csv").read_text() == "parent,child\na,b\n"


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("net.json", "is read by this command"),
        ("other.jsno", "Did you mean '.json'?"),
        ("missing/net.json", "There is no folder 'missing'"),
    ],
)
def test_user_errors(run, net, target, sentence):
    content = net.read_bytes()
    done = run("convert", net, target)
    assert (done.code, done.out) == (1, "")
    assert sentence in done.err
    assert net.read_bytes() == content


def test_a_link_to_the_input_is_the_input(run, net):
    Path("link.json").symlink_to(net)
    assert run("convert", net, "link.json").code == 1


def test_graphviz_has_the_heads_that_print_and_pictures_have(run, net, learned):
    run("convert", net, "net.dot")
    learned.save("drawn.dot")
    assert Path("net.dot").read_text() == Path("drawn.dot").read_text()


def test_graphviz_has_the_supported_heads_of_a_posterior(run, folder, small):
    post = aw.posterior(small, method="bootstrap", draws=40)
    post.save("post.json")
    run("convert", "post.json", "post.dot")
    lines = Path("post.dot").read_text().splitlines()
    edges = [line for line in lines if "->" in line]
    assert len(edges) == post.best.graph.n_arcs
    compelled = sum("dir=none" not in line for line in edges)
    assert compelled <= len([arc for arc in str(post.best.cpdag).split(", ") if "->" in arc])
