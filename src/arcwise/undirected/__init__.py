"""Undirected graphs from data. `UNDIRECTED` is the register: word to way of learning.

All have one form: ``learner(score, *, limits=None, on_step=None) -> Path``. One run gives the graph
at every penalty: ``path.at(penalty)``. `edge_limits` binds rules for them. Growing and shrinking is boundary
learning that begins with `candidates` instead of the complete graph.
"""

from collections.abc import Callable

from arcwise.results import Path
from arcwise.undirected.boundary import boundary, candidates, deletion
from arcwise.undirected.edges import Bounds, edge_bounds, edge_limits

__all__ = [
    "UNDIRECTED", "Bounds", "boundary", "candidates", "deletion", "edge_bounds", "edge_limits",
]  # fmt: skip

UNDIRECTED: dict[str, Callable[..., Path]] = {
    "boundary": boundary,
    "deletion": deletion,
    "grow-shrink": boundary,
}
