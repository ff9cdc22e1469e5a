"""Typed wrappers of the compiled loops, on plain arrays.

Each wrapper documents shapes, units and cost; each loop has a slow, simple reference in ``tests/naive``.
"""

__all__: list[str] = []
