"""The command report."""

from pathlib import Path


def test_rows_are_in_the_page_only_on_request(run, table, folder):
    assert run("learn", table, "--model", "gaussian", "--no-certainty").code == 0
    sizes = []
    for words in ([], ["--data", table], ["--data", table, "--rows"]):
        done = run("report", "boston.json", *words, "-o", "page.html")
        assert done.code == 0, done.err
        sizes.append(Path("page.html").stat().st_size)
    assert sizes[0] < sizes[1] < sizes[2] - 506 * 5 * 2
    done = run("report", "boston.json", "--rows", "-o", "other.html")
    assert (done.code, done.out) == (1, "")
    assert done.err == "arcwise: --rows needs the data of the network: add --data FILE.\n"
    assert not Path("other.html").exists()
