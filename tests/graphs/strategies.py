"""Random graphs for hypothesis, and all DAGs of a few nodes."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graphs import DAG, PDAG, UGraph

LETTERS = "abcdefghij"


@st.composite
def dags(draw, min_nodes=1, max_nodes=7):
    size = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(range(size)))
    pairs = list(combinations(order, 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    arcs = [ends for ends, keep in zip(pairs, kept, strict=True) if keep]
    return DAG.from_arcs(arcs, list(LETTERS[:size]))


@st.composite
def ugraphs(draw, min_nodes=1, max_nodes=7):
    size = draw(st.integers(min_nodes, max_nodes))
    pairs = list(combinations(range(size), 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    edges = [ends for ends, keep in zip(pairs, kept, strict=True) if keep]
    return UGraph.from_edges(edges, list(LETTERS[:size]))


@st.composite
def pdags(draw, max_nodes=6):
    dag = draw(dags(max_nodes=max_nodes))
    arcs = dag.numbered_arcs
    kept = draw(st.lists(st.booleans(), min_size=len(arcs), max_size=len(arcs)))
    directed = [arc for arc, keep in zip(arcs, kept, strict=True) if keep]
    undirected = [arc for arc, keep in zip(arcs, kept, strict=True) if not keep]
    return PDAG.from_edges(directed, undirected, dag.nodes)


@st.composite
def disjoint_sets(draw, size):
    """Two non-empty sides and a given set, as sets of numbers."""
    place = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    sets = [{node for node in range(size) if place[node] == which} for which in range(3)]
    if not sets[0] or not sets[1]:
        return {0}, {1}, sets[2] - {0, 1}
    return tuple(sets)


@cache
def all_dags(size: int) -> tuple[DAG, ...]:
    """Every labelled DAG, by trying all relations of all pairs."""
    return tuple(_try_all(size))


def _try_all(size: int) -> Iterator[DAG]:
    pairs = list(combinations(range(size), 2))
    for relations in product((None, 0, 1), repeat=len(pairs)):
        ends = zip(pairs, relations, strict=True)
        arcs = [pair[::-1] if turned else pair for pair, turned in ends if turned is not None]
        try:
            yield DAG.from_arcs(arcs, list(LETTERS[:size]))
        except GraphError:
            continue
