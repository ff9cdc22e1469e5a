"""Discrete networks as one table of all variables: every expectation by enumeration."""

import itertools
import math

import numpy as np


def whole(net):
    """The joint probabilities, one axis a variable."""
    sizes = [len(v.levels) for v in net.variables]
    out = np.zeros(sizes)
    for state in itertools.product(*map(range, sizes)):
        share = 1.0
        for node, parents in enumerate(net.graph.parents):
            cell = (*(state[p] for p in parents), state[node])
            share *= float(net.conditionals[node].table[cell])
        out[state] = share
    return out


def divergence(p, q):
    """Sum of p log(p / q) over all states, matched by the names of their levels."""
    total, ours, theirs = 0.0, whole(p), whole(q)
    for state in itertools.product(*map(range, ours.shape)):
        other = tuple(
            b.levels.index(a.levels[code])
            for a, b, code in zip(p.variables, q.variables, state, strict=True)
        )
        if ours[state] > 0:
            if theirs[other] == 0:
                return math.inf
            total += ours[state] * math.log(ours[state] / theirs[other])
    return total


def probability(net, given):
    """Of levels by name, added up over all states that agree with them."""
    found = whole(net)
    total = 0.0
    for state in itertools.product(*map(range, found.shape)):
        levels = {v.name: v.levels[code] for v, code in zip(net.variables, state, strict=True)}
        if all(levels[name] == level for name, level in given.items()):
            total += found[state]
    return total
