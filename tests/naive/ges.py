"""Greedy equivalence search by the letter: every operator tried, in plain Python on sets.

A graph here is a set of pairs: (a, b) alone is the arc a -> b, with (b, a) an undirected edge.
Operators: Chickering (2002), theorems 15 to 17; Hauser and Buehlmann (2012), section 4.3.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, combinations, permutations

Pairs = frozenset[tuple[int, int]]
Local = Callable[[int, tuple[int, ...]], float]


def subsets(items: Iterable[int]) -> Iterator[set[int]]:
    pool = sorted(items)
    return map(set, chain.from_iterable(combinations(pool, k) for k in range(len(pool) + 1)))


def nodes(graph: Pairs) -> set[int]:
    return {a for pair in graph for a in pair}


def adjacent(graph: Pairs, a: int) -> set[int]:
    return {b for b in nodes(graph) if (a, b) in graph or (b, a) in graph}


def neighbours(graph: Pairs, a: int) -> set[int]:
    return {b for b in nodes(graph) if (a, b) in graph and (b, a) in graph}


def parents(graph: Pairs, a: int) -> set[int]:
    return {b for b in nodes(graph) if (b, a) in graph and (a, b) not in graph}


def is_clique(graph: Pairs, members: set[int]) -> bool:
    return all(b in adjacent(graph, a) for a, b in combinations(members, 2))


def path_exists(graph: Pairs, start: int, end: int, blocked: set[int]) -> bool:
    """Is there a path that never goes against an arc and avoids the blocked nodes?"""
    seen, todo = {start}, [start]
    while todo:
        a = todo.pop()
        for b in nodes(graph):
            if (a, b) in graph and b not in seen | blocked:
                seen.add(b)
                todo.append(b)
    return end in seen


def directed(graph: Pairs, arcs: Iterable[tuple[int, int]]) -> Pairs:
    """Direct some of the edges."""
    return graph - {(b, a) for a, b in arcs}


def extension(graph: Pairs) -> Pairs | None:
    """A DAG with the same edges, arcs and v-structures: take off sinks (Dor and Tarsi 1992)."""
    found: set[tuple[int, int]] = set()
    rest, left = graph, nodes(graph)
    while left:
        sink = next((a for a in sorted(left, reverse=True) if _may_be_sink(rest, a)), None)
        if sink is None:
            return None
        found |= {(b, sink) for b in adjacent(rest, sink)}
        rest = frozenset(pair for pair in rest if sink not in pair)
        left.remove(sink)
    return frozenset(found)


def _may_be_sink(graph: Pairs, a: int) -> bool:
    near = adjacent(graph, a)
    if any((a, b) in graph and (b, a) not in graph for b in near):
        return False
    return all(near - {b} <= adjacent(graph, b) for b in neighbours(graph, a))


def v_structures(dag: Pairs) -> set[tuple[int, int, int]]:
    return {
        (a, c, b)
        for c in nodes(dag)
        for a, b in combinations(sorted(parents(dag, c)), 2)
        if b not in adjacent(dag, a)
    }


def essential(dag: Pairs) -> Pairs:
    """Direct what v-structures and Meek's (1995) rules force; the rest is undirected."""
    forced = {arc for a, c, b in v_structures(dag) for arc in ((a, c), (b, c))}
    graph = frozenset(dag | {(b, a) for a, b in dag if (a, b) not in forced})
    while True:
        arc = next((arc for arc in sorted(graph) if _forced(graph, *arc)), None)
        if arc is None:
            return graph
        graph = directed(graph, [arc])


def _forced(graph: Pairs, a: int, b: int) -> bool:
    if a not in neighbours(graph, b):
        return False
    if any(b not in adjacent(graph, c) for c in parents(graph, a)):
        return True
    if any(a in parents(graph, c) for c in parents(graph, b)):
        return True
    mates = neighbours(graph, a) & parents(graph, b)
    return any(d not in adjacent(graph, c) for c, d in combinations(mates, 2))


@dataclass(frozen=True)
class Operator:
    """One valid operator: what it does, what it gains, the class it leads to."""

    kind: str
    tail: int
    head: int
    clique: tuple[int, ...]  # the neighbours of the head that point at it
    gain: float
    change: Callable[[], Pairs]

    @cached_property
    def after(self) -> Pairs:
        return self.change()


def _gain(local: Local, child: int, before: set[int], after: set[int]) -> float:
    return local(child, tuple(sorted(after))) - local(child, tuple(sorted(before)))


def inserts(graph: Pairs, p: int, local: Local) -> Iterator[Operator]:
    """Insert(X, Y, T)."""
    for x, y in permutations(range(p), 2):
        if x in adjacent(graph, y):
            continue
        common = neighbours(graph, y) & adjacent(graph, x)
        for t in subsets(neighbours(graph, y) - adjacent(graph, x)):
            if not is_clique(graph, common | t) or path_exists(graph, y, x, common | t):
                continue
            base = parents(graph, y) | common | t
            changed = directed(graph, [(z, y) for z in t]) | {(x, y)}
            gain, clique = _gain(local, y, base, base | {x}), tuple(sorted(common | t))
            yield Operator("insert", x, y, clique, gain, partial(_complete, changed))


def deletes(graph: Pairs, p: int, local: Local) -> Iterator[Operator]:
    """Delete(X, Y, H)."""
    for x, y in permutations(range(p), 2):
        if x not in parents(graph, y) | neighbours(graph, y):
            continue
        common = neighbours(graph, y) & adjacent(graph, x)
        for h in subsets(common):
            if not is_clique(graph, common - h):
                continue
            base = (parents(graph, y) | (common - h)) - {x}
            arcs = [(y, z) for z in h] + [(x, z) for z in h & neighbours(graph, x)]
            changed = directed(graph, arcs) - {(x, y), (y, x)}
            gain, clique = _gain(local, y, base | {x}, base), tuple(sorted(common - h))
            yield Operator("delete", x, y, clique, gain, partial(_complete, changed))


def turns(graph: Pairs, p: int, local: Local) -> Iterator[Operator]:
    """Turn(X, Y, C): y -> x or y - x becomes x -> y; C are the neighbours that point at y."""
    for x, y in permutations(range(p), 2):
        for c in subsets(neighbours(graph, y) - {x}):
            if not is_clique(graph, c):
                continue
            if y in parents(graph, x) and _may_turn_arc(graph, x, y, c):
                before, first = parents(graph, x), [(x, z) for z in neighbours(graph, x)]
            elif y in neighbours(graph, x) and _may_turn_edge(graph, x, y, c):
                common = c & adjacent(graph, x)
                before = parents(graph, x) | common | {y}
                first = [(z, x) for z in common] + [(y, x)]
                first += [(x, z) for z in neighbours(graph, x) - common - {y}]
            else:
                continue
            first += [(z, y) for z in c] + [(y, z) for z in neighbours(graph, y) - c]
            base = parents(graph, y) | c
            gain = _gain(local, y, base, base | {x}) + _gain(local, x, before, before - {y})
            change = partial(_turned, directed(graph, first), x, y)
            yield Operator("turn", x, y, tuple(sorted(c)), gain, change)


def _may_turn_arc(graph: Pairs, x: int, y: int, c: set[int]) -> bool:
    blocked = c | neighbours(graph, x)
    common = neighbours(graph, y) & adjacent(graph, x)
    return common <= c and not path_exists(graph - {(y, x)}, y, x, blocked)


def _may_turn_edge(graph: Pairs, x: int, y: int, c: set[int]) -> bool:
    near = neighbours(graph, y)
    common = near & adjacent(graph, x)
    within = frozenset(pair for pair in graph if set(pair) <= near)
    linked = any(path_exists(within, a, b, c & common) for a in c - common for b in common - c)
    return bool(c - common) and not linked


def _complete(graph: Pairs) -> Pairs:
    member = extension(graph)
    assert member is not None
    return essential(member)


def _turned(graph: Pairs, x: int, y: int) -> Pairs:
    member = extension(graph)
    assert member is not None
    return essential(member - {(y, x)} | {(x, y)})


PHASES = {"forward": inserts, "backward": deletes, "turning": turns}


def best(operators: Iterable[Operator], least: float) -> Operator | None:
    """The operator that gains most; of those within `least` of it the first by head, tail and clique."""
    good = [operator for operator in operators if operator.gain > least]
    top = max((operator.gain for operator in good), default=0.0)
    tied = (operator for operator in good if operator.gain >= top - least)
    return min(tied, key=lambda o: (o.head, o.tail, o.clique), default=None)


def ges(dag: Pairs, p: int, local: Local, least: float) -> tuple[Pairs, list[Operator]]:
    """Run the three phases until none of them finds a step; give the class and the way there."""
    graph, trace, quiet = essential(dag), [], 0
    while quiet < len(PHASES):
        for operators in PHASES.values():
            quiet += 1
            while step := best(operators(graph, p, local), least):
                graph, quiet = step.after, 1
                trace.append(step)
            if quiet == len(PHASES):
                break
    return graph, trace
