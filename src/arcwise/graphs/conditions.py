"""Conditions on a graph as a whole, for `Limits.where`, that exact forms know how to count."""

from dataclasses import dataclass

from arcwise.graphs.dag import DAG


@dataclass(frozen=True)
class HasChild:
    """A variable, by its number, has a child: of a class, that some feature depends on it.

    >>> HasChild(0)(DAG.from_arcs(["a -> b"])), HasChild(1)(DAG.from_arcs(["a -> b"]))
    (True, False)
    """

    node: int

    def __call__(self, dag: DAG) -> bool:
        """Whether it has one."""
        return any(self.node in row for row in dag.parents)
