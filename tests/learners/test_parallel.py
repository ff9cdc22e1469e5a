"""Threads of linear algebra while networks are learned."""

import os
import subprocess
import sys

SCRIPT = """
import numpy as np
from threadpoolctl import threadpool_info
from arcwise.data.frames import table
from arcwise.learners.parallel import one_thread
threads = lambda: [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
before = threads()
assert "scipy.linalg" not in __import__("sys").modules
with one_thread(table({"x": [0.5, 1.5, 2.5]})):
    import scipy.linalg
    inside = threads()
print(before, inside, threads())
"""


def test_libraries_that_are_loaded_inside_have_one_thread_too():
    """SciPy brings its own: with threads it took seven times the CPU time on a busy machine."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, timeout=120
    )
    before, inside, after = (part.strip(" []") for part in done.stdout.split("]")[:3])
    assert before == str(os.cpu_count()), done.stderr
    assert set(inside.split(", ")) == {"1"}
    assert set(after.split(", ")) == {before}
