"""Chains where a bound on the cells of tables leaves most parent sets without a score."""

import numpy as np
import pytest

import arcwise as aw


def levels(seed=2, rows=40, p=6):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, int(rng.integers(2, 6)), rows) for _ in range(p)]
    codes[1] = np.where(rng.random(rows) < 0.8, codes[0] % 2, codes[1] % 2)
    return aw.table({f"v{i}": [f"l{x}" for x in column] for i, column in enumerate(codes)})


@pytest.mark.parametrize("bound", [0.0, 0.01, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("sampler", ["order", "partition", "structure"])
def test_chains_start_where_there_is_a_score(bound, sampler):
    table = levels()
    words = {"score": aw.BDeu(cells_per_row=bound)}
    chains = aw.posterior(table, method=aw.MCMC(sampler=sampler), draws=300, seed=1, **words)
    sizes = [len(variable.levels) for variable in table.variables]
    most = max(bound * table.rows, *sizes)
    for row in chains.edges:
        one, two = (sizes[table.names.index(name)] for name in (row.first, row.second))
        if one * two > most:  # no table has both
            assert row.adjacent == 0.0
    if sampler == "partition":
        exact = aw.posterior(table, method="exact", **words)
        apart = [a.adjacent - b.adjacent for a, b in zip(chains.edges, exact.edges, strict=True)]
        assert np.abs(apart).max() < 0.2
