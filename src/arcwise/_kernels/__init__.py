"""Thin typed faces of the compiled loops: plain arrays in, plain arrays out.

Each face says shapes, units and cost; each loop has a slow, obvious twin in ``tests/naive``.
"""

__all__: list[str] = []
