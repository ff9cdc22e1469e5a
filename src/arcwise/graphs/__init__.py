"""Graphs: directed, undirected, partially directed; what they imply and how they differ.

| file | notion |
|---|---|
| `dag`, `ugraph`, `pdag` | the three kinds of graphs, immutable values |
| `moves`, `rules` | one-arc changes of a DAG; prior knowledge about arcs |
| `convert` | skeleton, v-structures, moral graph, CPDAG, consistent extension |
| `orient` | edges of a class that knowledge directs; its members |
| `separation` | d-separation, separation, minimal separators |
| `cliques`, `words`, `counts` | maximal cliques, decomposability, factorisation, path counts |
| `notation`, `reading` | the characters of graphs in texts; arcs and edges from every form |
| `formula`, `matrix` | graphs from and to texts, matrices, networkx |
| `compare`, `random` | distances between graphs; random sparse DAGs |
| `spanning` | trees and forests of largest weight |

Nodes may be given by name or by number everywhere. The methods ending in `_of` and the properties
`arcs` and `edges` answer with names; functions answer with numbers, and `named` turns these into
names.
"""

from arcwise.graphs.cliques import cardinality_order, decomposable, factorisation, maximal_cliques
from arcwise.graphs.compare import Comparison, compare, difference, shd, shd_cpdag, skeleton_scores
from arcwise.graphs.convert import (
    Graph,
    cpdag,
    equivalent,
    extension,
    moral,
    skeleton,
    v_structures,
)
from arcwise.graphs.dag import DAG
from arcwise.graphs.formula import (
    dag,
    either,
    formula,
    from_model_string,
    graph_of,
    model_string,
    parents_as_written,
    ug,
)
from arcwise.graphs.matrix import (
    adjacency,
    dag_from_adjacency,
    from_networkx,
    path_counts,
    pdag_from_adjacency,
    to_networkx,
    ug_from_adjacency,
)
from arcwise.graphs.moves import Move, legal_moves
from arcwise.graphs.nodes import Node, Nodes, named
from arcwise.graphs.orient import Members, directed_by, members, some_members
from arcwise.graphs.pdag import PDAG
from arcwise.graphs.random import complete_dag, random_dag
from arcwise.graphs.rules import HasChild, Limits, Rules
from arcwise.graphs.separation import d_separated_from, minimal_separator, separated
from arcwise.graphs.spanning import rooted, spanning_forest
from arcwise.graphs.ugraph import UGraph

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
    "maximal_cliques",
    "members",
    "minimal_separator",
    "model_string",
    "moral",
    "named",
    "parents_as_written",
    "path_counts",
    "pdag_from_adjacency",
    "random_dag",
    "rooted",
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
