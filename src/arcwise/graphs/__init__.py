"""Graphs: directed, undirected, partially directed; what they imply and how they differ.

| file | content |
|---|---|
| `dag` | directed acyclic graphs, immutable values like all graphs |
| `ugraph` | undirected graphs; cliques, decomposability, spanning trees |
| `pdag` | partially directed graphs: equivalence classes, Meek's rules, members |
| `nodes` | names and numbers of nodes, rows of numbers |
| `moves`, `rules` | one-arc changes of a DAG, random DAGs; prior knowledge about arcs |
| `independence` | skeleton, v-structures, moral graph, CPDAG, consistent extension; separation, separators |
| `parser` | every form of a graph, read into arcs and edges |
| `formula` | graphs from and to texts: `dag`, `ug`, formulas, model strings, factorisations |
| `matrix` | adjacency matrices, networkx, path counts |
| `compare` | distances between graphs |

Nodes may be given by name or by number everywhere. The methods ending in `_of` and the properties
`arcs` and `edges` return names, and so do functions; `numbered_...`, orders and path counts return
numbers, which `node_names` turns into names.
"""

from arcwise.graphs.compare import Comparison, compare, difference, shd, shd_cpdag, skeleton_scores
from arcwise.graphs.dag import DAG
from arcwise.graphs.formula import (
    any_graph,
    dag,
    dag_from_adjacency,
    either,
    factorisation,
    formula,
    from_model_string,
    from_networkx,
    graph_of,
    model_string,
    parents_as_written,
    pdag_from_adjacency,
    ug,
    ug_from_adjacency,
)
from arcwise.graphs.independence import (
    cpdag,
    d_separated_from,
    equivalent,
    extension,
    minimal_separator,
    moral,
    separated,
    skeleton,
    v_structures,
)
from arcwise.graphs.matrix import adjacency, path_counts, to_networkx
from arcwise.graphs.moves import Move, all_dags, complete_dag, legal_moves, random_dag
from arcwise.graphs.nodes import Node, Nodes, node_names
from arcwise.graphs.pdag import PDAG, Graph, Members, directed_by, members, some_members
from arcwise.graphs.rules import HasChild, Limits, Rules
from arcwise.graphs.ugraph import (
    UGraph,
    cardinality_order,
    decomposable,
    numbered_cliques,
    root_forest,
    spanning_forest,
)

__all__ = [
    "DAG",
    "PDAG",
    "Comparison",
    "Graph",
    "HasChild",
    "Limits",
    "Members",
    "Move",
    "Node",
    "Nodes",
    "Rules",
    "UGraph",
    "adjacency",
    "all_dags",
    "any_graph",
    "cardinality_order",
    "compare",
    "complete_dag",
    "cpdag",
    "d_separated_from",
    "dag",
    "dag_from_adjacency",
    "decomposable",
    "difference",
    "directed_by",
    "either",
    "equivalent",
    "extension",
    "factorisation",
    "formula",
    "from_model_string",
    "from_networkx",
    "graph_of",
    "legal_moves",
    "members",
    "minimal_separator",
    "model_string",
    "moral",
    "node_names",
    "numbered_cliques",
    "parents_as_written",
    "path_counts",
    "pdag_from_adjacency",
    "random_dag",
    "root_forest",
    "separated",
    "shd",
    "shd_cpdag",
    "skeleton",
    "skeleton_scores",
    "some_members",
    "spanning_forest",
    "to_networkx",
    "ug",
    "ug_from_adjacency",
    "v_structures",
]
