"""Partial correlations against penalty, drawn."""

from itertools import combinations

import numpy as np
import pytest

import arcwise as aw
from arcwise.graphs import UGraph
from arcwise.plot import plot_edge_path
from arcwise.results import Knot, Path

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def lasso():
    return aw.path(aw.example("boston"), graph="undirected", model="gaussian", n_penalties=12)


def lines(ax):
    """The lines by their pairs of names."""
    named = {line.get_gid(): line for line in ax.lines if line.get_gid()}
    return {tuple(name.removeprefix("edge ").split(" – ")): line for name, line in named.items()}


def test_every_edge_has_a_line_through_its_partial_correlations(lasso):
    rows = lasso.edge_rows()
    count = len({(row.first, row.second) for row in rows})
    drawn = lines(lasso.plot_edges(top=1000))
    assert set(drawn) == {(row.first, row.second) for row in rows}
    for row in rows:
        line = drawn[row.first, row.second]
        (place,) = np.flatnonzero(line.get_xdata() == row.penalty)
        assert line.get_ydata()[place] == row.partial_correlation
    ax = lasso.plot_edges(top=3)
    grey = [part[:, 1] for part in ax.collections[0].get_segments()]
    assert len(lines(ax)) == 3
    assert len(grey) == count - 3
    weaker = [line.get_ydata() for pair, line in drawn.items() if pair not in lines(ax)]
    known = sorted(value for line in weaker for value in line if np.isfinite(value))
    assert sorted(value for line in grey for value in line if np.isfinite(value)) == known


def test_a_line_ends_at_the_zero_beside_its_edge():
    names = ("a", "b")
    pair, none = UGraph.complete(names), UGraph.empty(names)
    knots = [Knot(x, pair, (0.6 - x,)) for x in (0.1, 0.3)]
    knots += [Knot(x, none, ()) for x in (0.5, 0.7)]
    path = Path(tuple(knots), "rho", (), "", grid=True)
    (line,) = lines(plot_edge_path(path)).values()
    np.testing.assert_allclose(line.get_ydata(), [0.5, 0.3, 0.0, np.nan])


def test_the_strongest_have_names_that_do_not_overlap(lasso):
    ax = lasso.plot_edges(top=8)
    strongest: dict[tuple[str, str], float] = {}
    for row in lasso.edge_rows():
        pair = row.first, row.second
        strongest[pair] = max(strongest.get(pair, 0.0), abs(row.partial_correlation))
    wanted = sorted(strongest, key=lambda pair: -strongest[pair])[:8]
    assert {text.get_text() for text in ax.texts} == {" – ".join(pair) for pair in wanted}
    colours = {line.get_color() for pair, line in lines(ax).items() if pair in wanted}
    assert len(colours) == 8
    assert set(lines(ax)) == set(wanted)
    ax.figure.canvas.draw()
    boxes = [matplotlib.text.Text.get_window_extent(text) for text in ax.texts]
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))
    assert all(box.x0 >= 0 and box.x1 <= ax.get_window_extent().x0 for box in boxes)


def test_penalties_are_marked(lasso):
    ax = lasso.plot_edges(top=0, at={"ebic": 0.06, "stars": 0.5}, title="$x_1$")
    assert [text.get_text() for text in ax.texts] == ["ebic", "stars"]
    assert [text.get_text() for text in lasso.plot_edges(top=0, at=0.3).texts] == ["0.3"]


def test_without_edges_there_is_an_empty_picture():
    path = Path((Knot(0.5, UGraph.empty(["a", "b"]), ()),), "rho", (), "", grid=True)
    ax = plot_edge_path(path)
    ax.figure.canvas.draw()
    assert lines(ax) == {}
    assert not [text for text in ax.texts if text.get_text()]


@pytest.mark.parametrize("search", ["boundary", "neighbourhood"])
def test_paths_without_partial_correlations_say_so(search):
    table = aw.example("boston").select(["RM", "LSTAT", "MEDV"])
    path = aw.path(table, graph="undirected", model="gaussian", search=search)
    with pytest.raises(aw.FitError, match="search='glasso'"):
        path.plot_edges()
    assert {row.partial_correlation for row in path.edge_rows()} == {None}
