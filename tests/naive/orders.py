"""Search over orders as in the paper: every variable, every place, every set scored by itself."""


def family(score, child, before, kept=(), most=None, tolerance=1e-9):
    """Parents of a child grown and shrunk among the variables before it, and their score."""
    parents, most = tuple(sorted(kept)), len(score.nodes) if most is None else most
    value = score.local(child, parents)
    while len(parents) < most:
        grown = [tuple(sorted((*parents, x))) for x in before if x not in parents]
        best = max(grown, key=lambda s: score.local(child, s), default=None)
        if best is None or score.local(child, best) <= value + tolerance:
            break
        parents, value = best, score.local(child, best)
    while True:
        shrunk = [tuple(y for y in parents if y != x) for x in parents if x not in kept]
        best = max(shrunk, key=lambda s: score.local(child, s), default=None)
        if best is None or score.local(child, best) <= value + tolerance:
            return parents, value
        parents, value = best, score.local(child, best)


def graph_of(score, order):
    """Parents of each variable for an order, and the total score."""
    found = {x: family(score, x, order[:place]) for place, x in enumerate(order)}
    return [found[x][0] for x in range(len(order))], sum(value for _, value in found.values())


def best_place(score, order, x):
    """The largest total over all places of x."""
    rest = [y for y in order if y != x]
    return max(graph_of(score, [*rest[:i], x, *rest[i:]])[1] for i in range(len(order)))
