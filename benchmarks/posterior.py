"""Speed of posteriors over graphs: steps of chains, exact sums, and what they need in memory.

    .venv/bin/python benchmarks/posterior.py [--large] [--sumu PEERS/bin/python]

CPU seconds of one process (`time.process_time`), the best of three for chains. A step of the structure
chain is one proposal among the eta(G) legal graphs, rejections counted; the memory of local scores is warm.
The figures of R structmcmc (2 700 steps a second) and BiDAG (partition, 3 400) are given facts, measured
elsewhere (2-core x86-64). Samples are drawn with a fixed seed from the networks of the shared data;
`--large` adds 20 variables, which takes minutes. `--sumu` is a Python that has sumu;
only the error of arc probabilities on insurance for the CPU time it takes is then shown, ours beside it (sumu
0.1.2 as it is built today stops with an error). Both sum over all sets of up to three parents, with BDeu
of one equivalent row and the prior "fair"; the reference is a long run of ours.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "tests"))

from conftest import shared_folder  # noqa: E402
from shared_scores import shared_score  # noqa: E402

from arcwise.conditionals import FAMILIES  # noqa: E402
from arcwise.data import read, table  # noqa: E402
from arcwise.graphs import Rules  # noqa: E402
from arcwise.mcmc import SAMPLERS, diagnose, exact, exact_memory, run  # noqa: E402
from arcwise.scores import SCORES, FairParents, Sum  # noqa: E402

MIB = 1 << 20


def cpu(work):
    """CPU seconds, and what came out."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def chain_speed(score, word, limits, steps, **options):
    """Steps a second once local scores are known."""
    sampler = SAMPLERS[word](score, limits, **options)
    state = sampler.init(np.random.default_rng(1))
    state, _ = sampler.advance(state, steps, thin=steps)
    return steps / min(cpu(lambda: sampler.advance(state, steps, thin=steps))[0] for _ in range(3))


def binary_sample(p, rows=1000, seed=1):
    """Noisy copies: each column depends on two before it."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (p, rows)).astype(bool)
    for v in range(2, p):
        one, two = rng.choice(v, 2, replace=False)
        codes[v] = (codes[one] & codes[two]) ^ (rng.random(rows) < 0.15)
    data = table({f"x{v:02d}": np.where(codes[v], "yes", "no") for v in range(p)})
    return SCORES["bdeu"].bind(FAMILIES["discrete"].bind(data))


def main(large):
    folder = shared_folder()
    print(f"{'what':<58}{'ours':>14}{'goal':>14}{'peer':>24}")
    for name, rows, most, goal in (
        ("asia", 500, None, "> 1 000 000"),
        ("insurance", 500, 3, "> 500 000"),
    ):
        score = shared_score(folder, name, rows=rows)
        limits = Rules(max_parents=most).on(score.nodes)
        ways = {
            "structure": {},
            "structure, 5 % flips, 5 % redraws": {"flips": 0.05, "redraws": 0.05},
            "order": {},
            "partition": {},
        }
        for way, options in ways.items():
            word = way.split(",")[0]
            steps = 1_000_000 if word == "structure" else 20_000
            speed = chain_speed(score, word, limits, steps, **options)
            peer = {"structure": "2 700 (structmcmc)", "partition": "3 400 (BiDAG)"}.get(way, "")
            shown = goal if way == "structure" else ""
            print(f"{name}, {rows} rows, {way}: steps a second".ljust(58), end="")
            print(f"{speed:>14,.0f}{shown:>14}{peer:>24}")
    for p in (14, 17, *((20,) if large else ())):
        score = binary_sample(p)
        seconds, _ = cpu(lambda score=score: exact(score))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MIB
        goal = {14: "< 5 s", 20: "< 600 s"}.get(p, "")
        print(f"exact arc posterior, {p} binary variables, 1000 rows".ljust(58), end="")
        print(
            f"{seconds:>12.2f} s{goal:>14}   peak {peak:.0f} MiB, foretold {exact_memory(p) / MIB:.0f}"
        )
    errors(folder)


def errors(folder):
    """Error of arc probabilities per CPU second on asia, against the exact posterior."""
    score = shared_score(folder, "asia")
    truth = exact(score).arcs
    for word, thin in (("structure", 200), ("partition", 10)):
        options = {"flips": 0.05, "redraws": 0.05} if word == "structure" else {}
        sampler = SAMPLERS[word](score, **options)
        rngs = np.random.default_rng(1).spawn(4)
        seconds, chains = cpu(
            lambda rngs=rngs, sampler=sampler, thin=thin: [
                run(sampler, None, rng, 5000, burn_in=1000, thin=thin) for rng in rngs
            ]
        )
        found = diagnose(chains)
        gap = np.abs(found.arcs.probabilities - truth).max()
        print(
            f"asia, 5000 rows, {word}: largest error {gap:.4f} in {seconds:.2f} CPU seconds, "
            f"R-hat {found.largest_rhat:.3f}, least effective size {found.arcs.ess.min():.0f}"
        )


def beside_sumu(folder, python):
    """Largest and root mean square error of arc probabilities on insurance, ours and sumu's."""
    rows = read(folder / "bnlearn" / "insurance.csv.gz").head(500)
    codes = [np.unique(np.asarray(column), return_inverse=True)[1] for column in rows.columns]
    data = table({v.name: c.astype(str) for v, c in zip(rows.variables, codes, strict=True)})
    score = SCORES["bdeu"].bind(FAMILIES["discrete"].bind(data), equivalent_sample_size=1.0)
    score = Sum((score, FairParents(score.nodes)))
    limits = Rules(max_parents=3).on(score.nodes)

    def ours(draws, seed, count=4):
        sampler = SAMPLERS["partition"](score, limits)
        rngs = np.random.default_rng(seed).spawn(count)
        return [run(sampler, None, rng, draws, burn_in=2700, thin=27) for rng in rngs]

    long = ours(4000, 100)
    found = diagnose(long)
    truth = found.arcs.probabilities
    halves = [np.mean([chain.arcs() for chain in part], axis=0) for part in (long[:2], long[2:])]
    apart = np.abs(halves[0] - halves[1]).max()
    print(f"reference: R-hat {found.largest_rhat:.3f}, its halves differ by {apart:.3f} at most")

    def show(what, seconds, arcs):
        gap = np.abs(arcs - truth)[~np.eye(len(truth), dtype=bool)]
        root = np.sqrt((gap**2).mean())
        print(
            f"{what:<28}{seconds:>8.1f} CPU s  largest {gap.max():.3f}  rms {root:.4f}", flush=True
        )

    for draws in (100, 500, 2000):
        seconds, chains = cpu(lambda draws=draws: ours(draws, 1))
        show(f"ours, 4 chains of {draws}", seconds, np.mean([c.arcs() for c in chains], axis=0))
    with tempfile.TemporaryDirectory() as place:
        np.savetxt(f"{place}/codes.csv", np.array(codes).T, fmt="%d", delimiter=",")
        for iterations in (1000, 4000):
            peer = Path(__file__).with_name("posterior_peer.py")
            words = [python, str(peer), f"{place}/codes.csv", str(iterations), "1"]
            said = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
            show(f"sumu, {iterations} iterations", said["seconds"], np.array(said["arcs"]))


if __name__ == "__main__":
    if "--sumu" in sys.argv:
        beside_sumu(shared_folder(), sys.argv[sys.argv.index("--sumu") + 1])
    else:
        main("--large" in sys.argv)
