"""Tables of independent columns and of random networks, and how true stated probabilities are on them."""

from typing import Any

import numpy as np
from scipy.stats import rankdata

import arcwise as aw

BINS = np.linspace(0.0, 1.0, 6)


def table_of(columns: Any) -> aw.Table:
    """Columns as a table: whole numbers are levels."""
    names = [f"v{number:02d}" for number in range(columns.shape[1])]
    if columns.dtype.kind == "f":
        return aw.table(dict(zip(names, columns.T, strict=True)))
    texts = dict(zip(names, columns.T.astype(str), strict=True))
    return aw.table(texts, kinds=dict.fromkeys(names, "discrete"))


def noise(kind: str, rows: int, rng: np.random.Generator, columns: int = 8) -> aw.Table:
    """Independent columns: of numbers, or of so many levels, evenly probable or not."""
    if kind == "numbers":
        return table_of(rng.normal(size=(rows, columns)))
    counts = rng.integers(2, 21, columns) if kind == "2-20" else np.full(columns, int(kind))
    uneven = rng.random() < 0.5
    chances = [rng.dirichlet(np.full(r, 2.0)) if uneven else np.full(r, 1 / r) for r in counts]
    return table_of(np.column_stack([rng.choice(len(q), rows, p=q) for q in chances]))


def network(kind: str, columns: int, rows: int, rng: np.random.Generator) -> tuple[aw.Table, Any]:
    """Rows of a random network, and which pairs are joined in it."""
    pairs = [(i, j) for j in range(columns) for i in range(j)]
    count = int(rng.integers(columns // 2, 3 * columns // 2 + 1))
    places, parents = rng.permutation(columns), [[] for _ in range(columns)]
    for one in rng.permutation(len(pairs))[:count]:
        parents[pairs[one][1]].append(pairs[one][0])
    x = np.zeros((rows, columns), dtype=float if kind == "numbers" else int)
    levels, even = rng.integers(2, 5, columns), rng.choice([0.5, 1.0])
    for child, above in enumerate(parents):
        if kind == "numbers":
            weights = rng.uniform(0.2, 1.0, len(above)) * rng.choice([-1, 1], len(above))
            x[:, child] = x[:, above] @ weights + rng.normal(size=rows)
            continue
        state = np.zeros(rows, dtype=int)
        for one in above:
            state = state * levels[one] + x[:, one]
        size = int(np.prod(levels[above])) if above else 1
        chances = rng.dirichlet(np.full(levels[child], even if above else 1.0), size)
        heap = np.cumsum(chances, axis=1)[state]
        x[:, child] = (rng.random(rows)[:, None] > heap[:, :-1]).sum(axis=1)
    joined = np.zeros((columns, columns), dtype=bool)
    for child, above in enumerate(parents):
        joined[places[child], places[above]] = joined[places[above], places[child]] = True
    shuffled = np.empty_like(x)
    shuffled[:, places] = x
    return table_of(shuffled), joined[np.triu_indices(columns, 1)]


def area(said: Any, true: Any) -> float:
    """Area under the curve (ROC): the share of couples, one joined and one not, in the right order."""
    m = true.sum()
    ranks = rankdata(said)[true].sum() - m * (m + 1) / 2
    return float(ranks / (m * (len(true) - m)))


def reliability(
    cases: list[tuple[Any, Any]], least: int = 50
) -> list[tuple[float, float, float, int]]:
    """For each bin of pairs: stated mean, true share, its standard error clustered by table, and pairs."""
    said, true = (np.concatenate(each) for each in zip(*cases, strict=True))
    owner = np.repeat(np.arange(len(cases)), [len(each[0]) for each in cases])
    bins = np.clip(np.digitize(said, BINS) - 1, 0, len(BINS) - 2)
    lines = []
    for number in range(len(BINS) - 1):
        here = bins == number
        if here.sum() < least:
            continue
        off = np.bincount(owner[here], (true - said)[here] - (true - said)[here].mean())
        error = np.sqrt((off**2).sum()) / here.sum()
        lines.append((said[here].mean(), true[here].mean(), error, int(here.sum())))
    return lines
