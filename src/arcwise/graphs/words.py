"""The factorisation of a joint density, in words.

A DAG says p(x) = prod_i p(x_i | parents of x_i); an undirected graph says p(x) = (1/Z) prod_c
g(x_c) over its maximal cliques, with potentials g >= 0 and the partition function Z (PRML,
chapter 8).
"""

from arcwise.errors import GraphError
from arcwise.graphs.cliques import maximal_cliques
from arcwise.graphs.dag import DAG
from arcwise.graphs.nodes import named
from arcwise.graphs.ugraph import UGraph


def factorisation(graph: DAG | UGraph) -> str:
    """Write how the joint density is put together.

    Parameters
    ----------
    graph : DAG, one factor per node in node order; or UGraph, one potential per maximal clique.

    Raises
    ------
    GraphError : another kind of graph; of a PDAG take its `extension` first.

    Examples
    --------
    >>> factorisation(DAG.from_arcs(["fuel -> gauge", "battery -> gauge"]))
    'p(battery)p(fuel)p(gauge|battery,fuel)'
    >>> factorisation(UGraph.from_edges([("a", "b"), ("b", "c")]))
    '(1/Z)g(a,b)g(b,c)'
    """
    if isinstance(graph, DAG):
        return "".join(_factor(graph, node) for node in range(len(graph.nodes)))
    if not isinstance(graph, UGraph):
        raise GraphError(f"A DAG or a UGraph was expected, but {type(graph).__name__} came.")
    cliques = [",".join(named(graph, clique)) for clique in maximal_cliques(graph)]
    return "(1/Z)" + "".join(f"g({clique})" for clique in cliques)


def _factor(dag: DAG, node: int) -> str:
    """Write one conditional density."""
    parents = ",".join(dag.parents_of(node))
    return f"p({dag.nodes[node]}|{parents})" if parents else f"p({dag.nodes[node]})"
