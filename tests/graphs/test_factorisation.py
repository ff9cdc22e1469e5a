import re

import pytest
from graphs.strategies import dags
from hypothesis import given

from arcwise.errors import GraphError
from arcwise.graphs import DAG, UGraph, cpdag, dag, factorisation, ug


def test_the_lectures_factorisation():
    graph = dag("x1 + x2 + x3 + x4:x1:x2:x3 + x5:x1:x3 + x6:x4 + x7:x4:x5")
    wanted = "p(x1)p(x2)p(x3)p(x4|x1,x2,x3)p(x5|x1,x3)p(x6|x4)p(x7|x4,x5)"
    assert factorisation(graph) == wanted


def test_undirected_graphs_are_products_over_cliques():
    graph = ug("a:b:c + c:d + e")
    assert factorisation(graph) == "(1/Z)g(a,b,c)g(c,d)g(e)"
    assert factorisation(UGraph.empty(["a"])) == "(1/Z)g(a)"
    with pytest.raises(GraphError, match="got PDAG"):
        factorisation(cpdag(dag("a")))


@given(dags())
def test_the_graph_can_be_read_off(graph):
    arcs = [
        (parent, child)
        for child, row in re.findall(r"p\((\w)\|?([\w,]*)\)", factorisation(graph))
        for parent in row.split(",")
        if parent
    ]
    assert DAG.from_arcs(arcs, graph.nodes) == graph
