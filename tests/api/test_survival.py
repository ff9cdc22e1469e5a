"""Long runs survive: killed at random moments, gone on with, on other processes and on dask."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import FileError

PROGRAM = """
import sys
import arcwise as aw
from arcwise.api.options import *

table = aw.example("boston").select(["RM", "LSTAT", "MEDV", "AGE", "CRIM"])
words = {words}
post = aw.posterior(table, checkpoint=sys.argv[1], **words)
post.save(sys.argv[2])
"""
BOOT = {"method": "bootstrap", "draws": 200, "model": "gaussian"}
CHAINS = {"method": aw.MCMC(chains=2, thin=200), "draws": 3000}


def table():
    return aw.example("boston").select(["RM", "LSTAT", "MEDV", "AGE", "CRIM"])


def begin(tmp_path, words):
    code = PROGRAM.replace("{words}", repr(words))
    place = [str(tmp_path / "run.npz"), str(tmp_path / "post.arcwise")]
    return subprocess.Popen([sys.executable, "-c", code, *place], stderr=subprocess.PIPE)


def held(tmp_path):
    """How much a checkpoint holds; reading it raises if it is not whole."""
    place = tmp_path / "run.npz"
    if not place.exists():
        return 0
    with np.load(place, allow_pickle=False) as found:
        return len(found["sizes"] if "sizes" in found.files else found["chain_0_log_scores"])


def killed_and_resumed(tmp_path, words, kills, rng):
    """Kill the run some time after its checkpoint grew, several times; then let it end."""
    before = 0
    for _ in range(kills):
        process = begin(tmp_path, words)
        until = time.monotonic() + 120
        while process.poll() is None and held(tmp_path) <= before and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(float(rng.random()) * 0.3)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        now = held(tmp_path)
        assert now >= before, "what was finished is lost"
        before = now
    process = begin(tmp_path, words)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said.decode()
    return aw.load(tmp_path / "post.arcwise")


@pytest.mark.parametrize("words", [BOOT, CHAINS], ids=["bootstrap", "chains"])
def test_a_killed_run_goes_on_as_if_nothing_had_been(tmp_path, words):
    found = killed_and_resumed(tmp_path, words, 1, np.random.default_rng(1))
    whole = aw.posterior(table(), **words)
    same(found, whole)
    assert not [each for each in tmp_path.iterdir() if each.name.endswith(".npz.tmp")]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("words", [BOOT, CHAINS], ids=["bootstrap", "chains"])
def test_killed_again_and_again(tmp_path, words, seed):
    found = killed_and_resumed(tmp_path, words, 6, np.random.default_rng(seed))
    same(found, aw.posterior(table(), **words))


def same(one, two):
    assert one.found.graphs == two.found.graphs
    for name in ("weights", "arcs", "adjacent", "arc_errors", "adjacent_errors"):
        assert np.array_equal(getattr(one.found, name), getattr(two.found, name), equal_nan=True)
    assert one.kept.keys() == two.kept.keys()
    for name, array in two.kept.items():
        assert np.array_equal(one.kept[name], array), name


def test_a_checkpoint_ends_with_all_that_was_done(tmp_path):
    words = {**BOOT, "draws": 20}
    first = aw.posterior(table(), checkpoint=tmp_path / "run.npz", **words)
    assert held(tmp_path) == 20
    more = aw.posterior(table(), checkpoint=tmp_path / "run.npz", **{**words, "draws": 30})
    same(more, aw.posterior(table(), **{**words, "draws": 30}))
    again = aw.posterior(table(), checkpoint=tmp_path / "run.npz", **words)
    same(again, first)


def test_a_time_limit_leaves_a_checkpoint(tmp_path):
    words = {**BOOT, "draws": 3000}
    short = aw.posterior(table(), checkpoint=tmp_path / "run.npz", time_limit=0.5, **words)
    assert held(tmp_path) == short.found.draws < 3000
    few = {**BOOT, "draws": short.found.draws + 5}
    longer = aw.posterior(table(), checkpoint=tmp_path / "run.npz", **few)
    same(longer, aw.posterior(table(), **few))


def test_the_checkpoint_of_another_run_is_rejected(tmp_path):
    place = tmp_path / "run.npz"
    words = {**BOOT, "draws": 5}
    aw.posterior(table(), checkpoint=place, **words)
    for other in (
        {"seed": 3},
        {"score": "bic"},
        {"rules": aw.Rules(max_parents=1)},
        {"method": aw.Bootstrap(resampling="subsample")},
    ):
        with pytest.raises(FileError, match="another run"):
            aw.posterior(table(), checkpoint=place, **{**words, **other})
    with pytest.raises(FileError, match="another run"):
        aw.posterior(table().head(100), checkpoint=place, **words)
    place.unlink()
    aw.posterior(table(), checkpoint=place, seed=3, **words)


def test_ctrl_c_gives_what_is_done(tmp_path):
    code = """
import arcwise as aw
aw.posterior(aw.example("boston"), method="bootstrap", draws=1, model="gaussian")
print("begins", flush=True)
post = aw.posterior(aw.example("boston"), method="bootstrap", draws=100000, model="gaussian")
print(post.stopped, post.found.draws)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"begins\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=120)
    assert b"Ctrl-C" in said
    assert int(said.split()[-1]) > 0


@pytest.mark.slow
def test_dask_gives_the_same_even_if_a_worker_dies():
    distributed = pytest.importorskip("distributed")
    words = {"method": "bootstrap", "draws": 60, "model": "gaussian"}
    here = aw.posterior(table(), **words)
    settings = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=2, **settings) as cluster,
        distributed.Client(cluster) as client,
    ):
        same(aw.posterior(table(), **{**words, "method": aw.Bootstrap(backend="dask")}), here)
        pid = next(iter(client.run(os.getpid).values()))
        import threading

        threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
        same(
            aw.posterior(
                table(), **{**words, "method": aw.Bootstrap(backend="dask"), "draws": 300}
            ),
            aw.posterior(table(), **{**words, "draws": 300}),
        )
