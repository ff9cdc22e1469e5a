"""Discrete networks for tests: at random, with hostile names, and equality to the last bit."""

import numpy as np
from hypothesis import strategies as st

from arcwise.data import Variable
from arcwise.io import DiscreteNet

# Words that mean something in one of the formats, and signs that do.
KEYWORDS = [
    "network", "variable", "probability", "property", "type", "discrete", "table", "default", "net", "node",
    "potential", "states", "data", "BIF", "NAME", "cpt", "state", "parents", "BAYES", "NaN", "inf", "1e5",
    "1_1", "007",
]  # fmt: skip
SIGNS = "{}[]()|;,=%\"'\\/*#<>&:.- \t\n\r_aé漢\u00a0\u2028\ud7ff😀"


def random_tables(rng: np.random.Generator, nodes: int, most_parents: int = 3) -> DiscreteNet:
    """A random network whose arcs do not follow the order of names, with zeros in its tables."""
    order = rng.permutation(nodes)
    sizes = rng.integers(1, 5, nodes)
    parents: list[tuple[int, ...]] = [()] * nodes
    tables: list[np.ndarray] = [np.ones(1)] * nodes
    for place, node in enumerate(order):
        count = min(place, int(rng.integers(0, most_parents + 1)))
        parents[node] = tuple(sorted(int(p) for p in rng.choice(order[:place], count, False)))
        shape = (*(sizes[p] for p in parents[node]), sizes[node])
        weights = rng.gamma(0.5, size=shape) * (rng.random(shape) < 0.9) + 1e-300
        tables[node] = weights / weights.sum(axis=-1, keepdims=True)
    variables = tuple(
        Variable(f"v{node:03d}", tuple(f"s{level}" for level in range(sizes[node])))
        for node in range(nodes)
    )
    return DiscreteNet(variables, tuple(parents), tuple(tables))


def renamed(net: DiscreteNet, names: list[str], levels: list[str]) -> DiscreteNet:
    """The same network with other names, which must be sorted, and other levels."""
    variables = tuple(
        Variable(name, tuple(levels[: len(variable.levels)]))
        for name, variable in zip(names, net.variables, strict=True)
    )
    return DiscreteNet(variables, net.parents, net.tables)


def assert_same(one: DiscreteNet, other: DiscreteNet) -> None:
    """Equal to the last bit."""
    assert one.variables == other.variables
    assert one.parents == other.parents
    for name, a, b in zip(one.names, one.tables, other.tables, strict=True):
        assert a.tobytes() == b.tobytes(), name


words = st.one_of(
    st.sampled_from(KEYWORDS),
    st.text(st.sampled_from(SIGNS), min_size=1, max_size=6),
    st.text(min_size=1, max_size=6),
)
