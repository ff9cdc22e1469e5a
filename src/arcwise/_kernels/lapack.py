"""Cholesky routines of LAPACK, loaded with the first call: models without them start sooner.

Arguments and results are those of `scipy.linalg.lapack`.
"""

from functools import cache
from typing import Any

__all__ = ["dposv", "dpotrf", "dpotrs"]


@cache
def _lapack() -> Any:
    from scipy.linalg import lapack

    return lapack


def dposv(*arrays: Any, **settings: Any) -> Any:
    """Factor a positive definite matrix and solve with it: (factor, solution, info)."""
    return _lapack().dposv(*arrays, **settings)


def dpotrf(*arrays: Any, **settings: Any) -> Any:
    """Factor a positive definite matrix: (factor, info)."""
    return _lapack().dpotrf(*arrays, **settings)


def dpotrs(*arrays: Any, **settings: Any) -> Any:
    """Solve with the factor of a positive definite matrix: (solution, info)."""
    return _lapack().dpotrs(*arrays, **settings)
