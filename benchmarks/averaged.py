"""Whether the errors of averaged answers cover: averages over drawn graphs against sums over all graphs.

    .venv/bin/python benchmarks/averaged.py

Six tables of 60 rows (a weak linear network; numbers, or cut into two levels) of three and four columns, and
for each 15 pairs of chains of 300 draws. A mean, or the probability of a level, is asked given
two others and after one is set. Columns: answers, the share of them within one and two of their errors (.68
and .95 of normal errors), the root mean square of what they are off by, and the mean error.
"""

import numpy as np

import arcwise as aw

TABLES, SEEDS, DRAWS = 6, 15, 300


def rows(seed, columns, levels):
    """A table in which several graphs are alike."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(0, 0.35, (columns, columns)), 1)
    drawn = rng.normal(size=(60, columns)) @ np.linalg.inv(np.eye(columns) - weights)
    drawn = np.array(["no", "yes"])[(drawn > 0).astype(int)] if levels else drawn
    return {f"v{i}": drawn[:, i] for i in range(columns)}


def number(belief):
    """What is asked, and its error."""
    chance = belief.probability(["yes"]) if belief.levels else None
    return (belief.mean, belief.error) if chance is None else (float(chance), chance.error)


def main():
    print("variables  kind     question  answers   one   two      off    error")
    for columns in (3, 4):
        for levels in (False, True):
            value = "yes" if levels else 1.0
            asked = {
                "given": {"given": {"v1": value, "v2": value}},
                "do": {"do": {"v1": value}},
            }
            found = {word: [] for word in asked}
            for table in range(TABLES):
                data = rows(table, columns, levels)
                exact = aw.posterior(data, method="exact")
                for seed in range(SEEDS):
                    chains = aw.posterior(data, method=aw.MCMC(chains=2), draws=DRAWS, seed=seed)
                    for word, question in asked.items():
                        mean, error = number(chains.query("v0", **question))
                        found[word].append((mean - number(exact.query("v0", **question))[0], error))
            for word, pairs in found.items():
                off, error = np.abs(np.array(pairs)).T
                print(
                    f"{columns:<9}  {'levels' if levels else 'numbers':<7}  {word:<8}  {len(off):7d}  "
                    f"{(off < error).mean():.2f}  {(off < 2 * error).mean():.2f}  "
                    f"{np.sqrt((off**2).mean()):.5f}  {error.mean():.5f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
