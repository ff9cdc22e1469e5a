"""Arcwise: which variables depend directly on which, how sure one can be, and answers from the model."""

__version__ = "0.1.0"
