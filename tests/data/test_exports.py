"""The public list of the data room, and what importing it costs."""

import subprocess
import sys

import arcwise.data as room


def test_the_list_is_what_is_there() -> None:
    assert sorted(room.__all__) == sorted(set(room.__all__))
    for name in room.__all__:
        assert hasattr(room, name)


def test_heavy_libraries_wait_until_they_are_used() -> None:
    heavy = ("pyarrow", "narwhals", "pandas", "polars", "scipy")
    code = f"import sys, arcwise.data; print([name for name in {heavy!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"
