"""Walks over plain rows of numbers, the form in which every graph keeps its arcs.

`rows[i]` holds the nodes that one step leads to from node i (or from which one comes). All
functions take time linear in nodes and arcs, save a logarithm for the heap.
"""

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush


def reach(rows: Sequence[Sequence[int]], starts: Iterable[int]) -> set[int]:
    """Return all nodes that can be reached along `rows`, the starts included."""
    found = set(starts)
    todo = list(found)
    while todo:
        fresh = [node for node in rows[todo.pop()] if node not in found]
        found.update(fresh)
        todo.extend(fresh)
    return found


def transpose(rows: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Turn parents into children, or children into parents."""
    turned: list[list[int]] = [[] for _ in rows]
    for head, row in enumerate(rows):
        for tail in row:
            turned[tail].append(head)
    return tuple(map(tuple, turned))


def topological(
    parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """Kahn's algorithm with a heap, so that among free nodes the smallest number comes first."""
    waiting = [len(row) for row in parents]
    ready = [node for node, count in enumerate(waiting) if count == 0]
    heapify(ready)
    order = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heappush(ready, child)
    return tuple(order)


def find_cycle(parents: Sequence[Sequence[int]], placed: Iterable[int]) -> list[int]:
    """Return a cycle, first node repeated at the end, among nodes that could not be placed."""
    stuck = set(range(len(parents))).difference(placed)
    walk = [min(stuck)]
    while walk[-1] not in walk[:-1]:
        walk.append(next(node for node in parents[walk[-1]] if node in stuck))
    return walk[walk.index(walk[-1]) :][::-1]


def path(parents: Sequence[Sequence[int]], start: int, goal: int) -> list[int]:
    """Return the nodes of a directed path from start to goal, or nothing if there is none."""
    onward = {goal: goal}
    todo = [goal]
    while todo and start not in onward:
        node = todo.pop()
        fresh = [parent for parent in parents[node] if parent not in onward]
        onward.update(dict.fromkeys(fresh, node))
        todo.extend(fresh)
    if start not in onward:
        return []
    way = [start]
    while way[-1] != goal:
        way.append(onward[way[-1]])
    return way
