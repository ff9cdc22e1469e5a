"""Undirected graphs from data. `UNDIRECTED` is the registry: name to learner.

All have one form: ``learner(score, *, limits=None, on_step=None) -> Path``. One run gives the graph
at every penalty: ``path.at(penalty)``. `edge_limits` binds rules for them. Growing and shrinking is boundary
learning that begins with `candidates` instead of the complete graph.
"""

from collections.abc import Callable

from arcwise.results import Path
from arcwise.undirected.edge_losses import EdgeBounds, edge_bounds, edge_limits
from arcwise.undirected.edge_removal import boundary, candidates, deletion

__all__ = [
    "UNDIRECTED", "EdgeBounds", "boundary", "candidates", "deletion", "edge_bounds", "edge_limits",
]  # fmt: skip

UNDIRECTED: dict[str, Callable[..., Path]] = {
    "boundary": boundary,
    "deletion": deletion,
    "grow-shrink": boundary,
}
