"""The same results on every processor: graphs exactly, numbers to 1e-9 of their size.

Each kind of processor is a process of its own with an environment that forces its variants: those of OpenBLAS
(OPENBLAS_CORETYPE), of numpy's loops (NPY_DISABLE_CPU_FEATURES), and of our own kernels (ARCWISE_PLAIN).
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

JOBS = Path(__file__).with_name("processor_jobs.py")
CLOSE = 1e-9
TUNED = {"parzen answers": 1e-5}
"""Answers from bandwidths, which lie on a flat maximum: they differ by 1e-6, the score by 1e-13."""

FORCED = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "ARCWISE_PLAIN")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64",
    reason="variants of x86-64 processors",
)


def numpy_features() -> dict[str, bool]:
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return {name: bool(__cpu_features__.get(name)) for name in __cpu_dispatch__}


def processors() -> dict[str, dict[str, str]]:
    """Environments by name; those that this machine cannot run are left out."""
    from numpy._core._multiarray_umath import __cpu_features__ as has

    there = " ".join(name for name, known in numpy_features().items() if known)
    found: dict[str, dict[str, str]] = {
        "this one": {},
        "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    }
    if has.get("AVX2"):
        found["Haswell"] = {"OPENBLAS_CORETYPE": "Haswell"}
    if has.get("AVX512F") and has.get("AVX512VL"):
        found["SkylakeX"] = {"OPENBLAS_CORETYPE": "SkylakeX"}
    if there:
        found["plain numpy"] = {"NPY_DISABLE_CPU_FEATURES": there}
    found["plain kernels"] = {"ARCWISE_PLAIN": "1"}
    found["all plain"] = {
        **found["Prescott"],
        **found.get("plain numpy", {}),
        **found["plain kernels"],
    }
    return found


def run(forced: dict[str, str], seeds: range) -> dict:
    environment = {k: v for k, v in os.environ.items() if k not in FORCED}
    environment |= {"OPENBLAS_NUM_THREADS": "1", **forced}
    program = [sys.executable, str(JOBS), *map(str, seeds)]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (forced, done.stderr[-2000:])
    return json.loads(done.stdout)


QUICK = ("this one", "Haswell", "all plain")
"""Between them every kind of variant is forced; one by one they are in the slow law."""


def run_all(seeds: range, names: tuple[str, ...] = ()) -> dict[str, dict]:
    kinds = {name: forced for name, forced in processors().items() if not names or name in names}
    with ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda forced: run(forced, seeds), kinds.values())
        return dict(zip(kinds, answers, strict=True))


def differences(one: dict, two: dict) -> list[str]:
    """Jobs whose graphs differ, or whose numbers differ by more than rounding."""
    found = []
    for job, mine in one.items():
        other = two[job]
        if mine["graph"] != other["graph"]:
            found.append(f"{job}: {mine['graph']} and {other['graph']}")
            continue
        close = TUNED.get(job.rpartition(",")[0], CLOSE)
        a, b = np.array(mine["numbers"], dtype=float), np.array(other["numbers"], dtype=float)
        if a.shape != b.shape:
            found.append(f"{job}: {a.shape} and {b.shape}")
        elif a.size and np.nanmax(np.abs(a - b)) > close * np.nanmax(np.abs(a)):
            found.append(f"{job}: numbers differ by {np.nanmax(np.abs(a - b)):.3g}")
    return found


def compare(answers: dict[str, dict]) -> None:
    mine = answers["this one"]["jobs"]
    assert len(mine) >= 30
    apart = {
        kind: found
        for kind, answer in answers.items()
        if (found := differences(mine, answer["jobs"]))
    }
    assert not apart, "\n".join(
        f"{kind}: {each}" for kind, found in apart.items() for each in found
    )


@pytest.fixture(scope="module")
def answers():
    return run_all(range(1, 2), QUICK)


def test_graphs_and_numbers_are_those_of_every_processor(answers):
    compare(answers)


def check_evidence(answers: dict[str, dict]) -> None:
    """What was forced did run; without this `compare` could compare a processor with itself."""
    told = {kind: answer["evidence"] for kind, answer in answers.items()}
    for kind, forced in processors().items():
        if kind not in told:
            continue
        core = forced.get("OPENBLAS_CORETYPE")
        if core == "Prescott":  # OpenBLAS has one set of loops for both
            assert told[kind]["openblas"] in (["Prescott"], ["Katmai"])
        elif core:
            assert told[kind]["openblas"] == [core]
        if "NPY_DISABLE_CPU_FEATURES" in forced:
            assert told[kind]["numpy"] == []
        if "ARCWISE_PLAIN" in forced:
            assert not told[kind]["fused"]
    assert told["this one"]["numpy"] == [k for k, known in numpy_features().items() if known]
    if "Haswell" in told:
        assert told["this one"]["fused"], "this build has no variants of its kernels to compare"


def test_the_variants_that_were_forced_did_run(answers):
    forced = [name for kind in QUICK for name in processors().get(kind, {})]
    assert {"OPENBLAS_CORETYPE", "ARCWISE_PLAIN"} <= set(forced)
    check_evidence(answers)


@pytest.mark.slow
def test_many_tables_have_the_same_results_on_every_processor():
    answers = run_all(range(2, 12))
    check_evidence(answers)
    compare(answers)
