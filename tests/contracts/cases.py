"""Tables of every kind of columns, scores and rules that all contracts share.

Nothing here names a registered thing.
"""

from dataclasses import replace

import numpy as np
from contracts import corrected_aic

from arcwise.conditionals import FAMILIES
from arcwise.data import Table, Variable
from arcwise.errors import ArcwiseError, FitError
from arcwise.graphs import DAG, Rules
from arcwise.scores import SCORES, ArcPenalty, CachedScore, ExpertPrior, Score, Sum

EVERY_SCORE = {**SCORES, "corrected aic": corrected_aic.ENTRY}
"""What is registered, and a score that is not."""


def table(columns: dict, weights=None) -> Table:
    """A table of numbers."""
    variables = tuple(Variable(name) for name in columns)
    return Table(variables, tuple(np.array(c, dtype=float) for c in columns.values()), weights)


def linear(seed: int, rows: int = 80, p: int = 5) -> Table:
    """Rows of a random linear network with heavy-tailed noise; far from zero, of unlike units."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.6), 1)
    noise = rng.standard_t(5, size=(rows, p))
    x = noise @ np.linalg.inv(np.eye(p) - weights)
    x = (x * 10.0 ** rng.integers(-2, 3, size=p) + rng.normal(size=p) * 10)[:, rng.permutation(p)]
    return table({f"v{i}": x[:, i] for i in range(p)})


def levels(seed: int, rows: int = 80, p: int = 5) -> Table:
    """Columns of two to four levels, each drawn by two earlier ones; text, or numbers in their order."""
    rng = np.random.default_rng(seed)
    counts, columns = rng.integers(2, 5, size=p), []
    for j in range(p):
        push = sum(columns[max(0, j - 2) : j], np.zeros(rows, dtype=int))
        stray = rng.integers(0, counts[j], size=rows)
        columns.append(np.where(rng.random(rows) < 0.6, push % counts[j], stray).astype(np.uint8))
    order = rng.permutation(p)
    names = [("low", "middle", "high", "top"), (1, 2, 3, 4)]
    variables = [
        Variable(f"v{i}", names[i % 2][: counts[j]], ordered=bool(i % 2))
        for i, j in enumerate(order)
    ]
    return Table(tuple(variables), tuple(columns[j] for j in order))


def mixed(seed: int, rows: int = 80, p: int = 5, discrete: int = 0) -> Table:
    """Numbers and levels by turns that depend on each other; `discrete` tells where levels begin."""
    numbers, codes = linear(seed, rows, p), levels(seed, rows, p)
    turn = [(i + discrete) % 2 == 0 for i in range(p)]
    columns = []
    for i in range(p):
        shift = codes.columns[(i + 1) % p] * numbers.columns[i].std()  # the neighbours are levels
        columns.append(codes.columns[i] if turn[i] else numbers.columns[i] + shift)
    variables = [(codes if turn[i] else numbers).variables[i] for i in range(p)]
    return Table(tuple(variables), tuple(columns))


def mixed_numbers(seed: int, rows: int = 80, p: int = 5) -> Table:
    """A mixed table whose first column holds numbers."""
    return mixed(seed, rows, p, discrete=1)


TABLES = {
    "continuous": linear,
    "discrete": levels,
    "mixed, levels first": mixed,
    "mixed, numbers first": mixed_numbers,
}

KINDS = {kind: [variable.kind for variable in make(1).variables] for kind, make in TABLES.items()}
"""The kind of each column of a table."""


def kinds_of(family) -> list[str]:
    """The tables whose first column a family takes as a child, and all others as parents."""
    return [
        kind
        for kind, (first, *others) in KINDS.items()
        if first in family.kinds and family.parent_kinds.issuperset(others)
    ]


def whole_kinds_of(family) -> list[str]:
    """The tables whose every column a family takes, as a child and as a parent."""
    return [kind for kind in kinds_of(family) if family.kinds.issuperset(KINDS[kind])]


def nasty_levels(seed: int = 0, rows: int = 40) -> Table:
    """One level only, a copy, a level that never occurs, many levels, and two plain columns."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, size=(2, rows))
    columns = {
        "a": (a, 2),
        "b": (b, 3),  # the last never occurs
        "copy": (a, 2),
        "constant": (0 * a, 1),
        "many": (rng.integers(0, 30, size=rows), 30),
        "sum": (a + b, 3),
    }
    variables = [Variable(name, tuple(range(n)), ordered=True) for name, (_, n) in columns.items()]
    return Table(tuple(variables), tuple(c.astype(np.uint8) for c, _ in columns.values()))


def awkward(family) -> list[Table]:
    """Awkward tables of the kinds that a family takes: each kind alone, and children of one among parents of
    both."""
    both = {"continuous": nasty(), "discrete": nasty_levels()}
    found = [both[kind] for kind in sorted(family.kinds & family.parent_kinds)]
    if len(family.parent_kinds) == 2:
        found.append(side_by_side(nasty(1), nasty_levels(1).select(["b", "constant", "many"])))
    return found


def side_by_side(one: Table, other: Table) -> Table:
    """The columns of both; those of the second have longer names."""
    named = [replace(variable, name=f"{variable.name} too") for variable in other.variables]
    columns = sorted(
        zip([*one.variables, *named], [*one.columns, *other.columns], strict=True),
        key=lambda pair: pair[0].name,
    )
    return Table(*map(tuple, zip(*columns, strict=True)))


def nasty(seed: int = 0, rows: int = 40) -> Table:
    """A constant, a copy, a sum of two others, two values only, and two plain columns."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, rows))
    columns = {
        "a": a,
        "b": b,
        "copy": a,
        "constant": np.full(rows, 7.0),
        "sum": a + b,
        "two": (rng.random(rows) < 0.5) * 1.0,
    }
    return table(columns)


def rowed(source: Table, part) -> Table:
    """Rows of a table, each counted once."""
    return source.take(part)


def bind(word: str, family, source: Table, seed: int = 1, **options) -> Score:
    """A score; parts of the rows come from the seed."""
    rng = np.random.default_rng(seed)
    return EVERY_SCORE[word].tie(family.bind(source), rng, **options)


def applicable(family, source: Table) -> dict[str, Score]:
    """Every score that takes this family."""
    found = {}
    for word in EVERY_SCORE:
        try:
            found[word] = bind(word, family, source)
        except FitError as error:
            if "model" not in str(error):  # a refusal is a sentence about models
                raise
    return found


def composed(source: Table, seed: int = 0) -> dict[str, Score]:
    """Scores made of others: sums, priors, caches."""
    family = next(iter(FAMILIES.values()))
    base = next(iter(applicable(family, source).values()))
    nodes, rows = base.nodes, base.rows
    expert = random_graph(nodes, np.random.default_rng(seed))
    p = len(nodes)
    confidence = np.random.default_rng(seed).random((p, p))
    penalty = ArcPenalty(nodes, rows, 0.01)
    return {
        "penalty": penalty,
        "expert": ExpertPrior(expert, rows, 0.02),
        "confident expert": ExpertPrior(expert, rows, 0.02, confidence),
        "sum": Sum((base, penalty)),
        "sum of three": Sum((base, penalty, ExpertPrior(expert, rows, 0.02))),
        "cached": CachedScore(base),
        "cached sum": CachedScore(Sum((base, penalty))),
    }


def random_graph(nodes, rng: np.random.Generator, density: float = 0.4, limits=None) -> DAG:
    """A random graph within the limits, if there are any."""
    graph = DAG.empty(nodes) if limits is None else limits.start()
    pairs = [(a, b) for a in range(len(nodes)) for b in range(len(nodes)) if a != b]
    for i in rng.permutation(len(pairs)):
        if rng.random() >= density:
            continue
        try:
            longer = graph.with_arc(*pairs[i])
        except ArcwiseError:
            continue
        if limits is None or limits.allows_graph(longer):
            graph = longer
    return graph


def random_rules(names, rng: np.random.Generator) -> Rules:
    """Some of every kind of rule; always possible, since all follows one order of the names."""
    order = [names[i] for i in rng.permutation(len(names))]
    place = {name: i for i, name in enumerate(order)}
    pairs = [(a, b) for a in names for b in names if a != b]
    required = [(a, b) for a, b in pairs if place[a] < place[b] and rng.random() < 0.1]
    forbidden = [pair for pair in pairs if pair not in required and rng.random() < 0.15]
    tiers: list[list[str]] = []
    if rng.random() < 0.6 and len(names) > 2:
        cut = int(rng.integers(1, len(names) - 1))
        tiers = [order[:cut], order[cut:-1]]  # the last is in no tier
    most = max(sum(b == name for _, b in required) for name in names)
    bound = int(max(most, rng.integers(1, 4))) if rng.random() < 0.6 else None
    return Rules(required=required, forbidden=forbidden, tiers=tiers, max_parents=bound)
