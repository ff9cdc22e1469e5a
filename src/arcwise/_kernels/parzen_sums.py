"""Conditional Parzen windows: leave-one-out scores, bandwidths, and predictions.

Target i, inputs B, squared distances D = sum over j in B of (x_nj - x_mj)^2 (or [x_nj != x_mj] where
`apart` says that a column has unordered levels), a = 1/(2 h_in^2), b = 1/(2 h_out^2), weights w:

    T_n = sum_{m != n} w_m exp(-a D),     S_n = sum_{m != n} w_m exp(-a D) K(x_ni, x_mi)
    L(i, B) = sum_n w_n (log S_n - log T_n) / W + log of K's normaliser

K is the Gaussian exp(-b (x - x')^2) of a continuous target (`levels` 0), or exp(-b [x != x']) of a target
with `levels` >= 2 levels, normalised by 1 + (levels - 1) exp(-b). No input: T_n = W - w_n.

Common arguments: `columns` (p, n) standardised; `apart` (p,) of 0 and 1; `weights` (n,), not negative;
`sets` of sorted column numbers without the child. All scores are weighted means: nats per unit of weight,
in units of the standardised columns. With derivatives an ordered pair of rows costs about 1 ns
(single precision) or 2 ns (double).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels import _native
from arcwise._kernels.sets import pack

Array = NDArray[np.float64]
Flags = NDArray[np.uint8]
Integers = NDArray[np.int64]
Sets = Sequence[tuple[int, ...]]
Values = TypeVar("Values")


class Loo(NamedTuple):
    """Scores (m,) with gradient (m, 2) and Hessian (m, 3: 00, 01, 11) by (log h_in, log h_out)."""

    value: Array
    gradient: Array
    hessian: Array


class Fit(NamedTuple):
    """Widths (m, 2: h_in, h_out) of greatest score, the scores (m,), and passes over all pairs (m,)."""

    bandwidths: Array
    value: Array
    evaluations: Array


def loo(
    columns: Array,
    apart: Flags,
    weights: Array,
    child: int,
    levels: int,
    sets: Sets,
    bandwidths: Array,
    *,
    single: bool = False,
) -> Loo:
    """Leave-one-out scores of one child for m sets at given bandwidths (m, 2): O(n^2 k) a set of size k.

    In double precision, or in `single` precision (relative error about 1e-6) at twice the speed.
    """
    at = np.ascontiguousarray(bandwidths, dtype=np.float64).reshape(len(sets), 2)
    result = Loo(np.empty(len(sets)), np.empty((len(sets), 2)), np.empty((len(sets), 3)))
    data = (columns, apart, weights, child, levels, *pack(sets))
    _native.parzen_loo(*data, at, single, *result)
    return result


def loo_mesh(
    columns: Array,
    apart: Flags,
    weights: Array,
    child: int,
    levels: int,
    sets: Sets,
    bandwidths: Array,
) -> Array:
    """Leave-one-out scores (m,) as of `loo`, by a mesh: O(n) for one to three continuous columns in all.

    The error is about 1e-7 nats per row; NaN for sets that have no mesh: more columns, unordered levels, or
    bandwidths so small next to the columns' ranges that it would have more than four million points.
    """
    result, at = np.empty(len(sets)), np.ascontiguousarray(bandwidths, dtype=np.float64)
    data = (columns, apart, weights, child, levels, *pack(sets))
    _native.parzen_loo_mesh(*data, at.reshape(len(sets), 2), result)
    return result


def fit(
    columns: Array,
    apart: Flags,
    weights: Array,
    child: int,
    levels: int,
    sets: Sets,
    *,
    one: bool,
    floor: float,
    ceiling: float,
    threads: int = 1,
) -> Fit:
    """Widths in [floor, ceiling] of greatest leave-one-out score, for m sets of one child.

    A grid on some rows, then Newton's method, from several peaks, in single precision. Up to 4096 rows every
    step is on all rows, and the value in double precision. Beyond, sums are taken by a mesh (`loo_mesh`)
    where that is quicker: three continuous columns in all. Otherwise peaks are sought on 1024 rows
    (then 8192) against all centres, and a last climb and the value are on all rows in single precision
    (relative error about 1e-6). A function of child and set alone: other sets and `threads` change no bit
    of it. `one` keeps h_in = h_out. Without inputs h_in has no meaning and is the ceiling (or h_out).
    Memory O(n^2) up to 5000 rows, O(n) beyond.
    """
    options = (one, float(floor), float(ceiling))

    def part(some: Sets) -> Fit:
        m = len(some)
        result = Fit(np.empty((m, 2)), np.empty(m), np.empty(m))
        _native.parzen_fit(columns, apart, weights, child, levels, *pack(some), *options, *result)
        return result

    parts = _shared_out(part, sets, threads)
    return Fit(*(np.concatenate(pieces) for pieces in zip(*parts, strict=True)))


def loo_rows(
    columns: Array,
    apart: Flags,
    weights: Array,
    child: int,
    levels: int,
    inputs: tuple[int, ...],
    bandwidths: tuple[float, float],
    queries: Integers,
) -> Array:
    """log S_n - log T_n + log normaliser (q,) of some rows against all others: O(q n k), double precision."""
    out, members = np.empty(len(queries)), np.asarray(inputs, dtype=np.int64)
    data = (columns, apart, weights, child, levels, members, *map(float, bandwidths))
    _native.parzen_loo_rows(*data, queries, out)
    return out


def joint(
    columns: Array, apart: Flags, weights: Array, sets: Sets, width: float, threads: int = 1
) -> Array:
    """sum_n w_n log T_n / W (m,) of m sets under one width: O(n^2 k) a set of size k.

    Where target and inputs share a width, L(i, B) = joint(B + i) - joint(B) + log normaliser.
    """
    return joint_slope(columns, apart, weights, sets, width, threads, slopes=False)[0]


def joint_slope(
    columns: Array,
    apart: Flags,
    weights: Array,
    sets: Sets,
    width: float,
    threads: int = 1,
    *,
    slopes: bool = True,
) -> tuple[Array, Array, Array]:
    """`joint` with its first and second derivative by log width, each (m,)."""

    def part(some: Sets) -> tuple[Array, Array, Array]:
        result = (np.empty(len(some)), np.empty(len(some)), np.empty(len(some)))
        _native.parzen_joint(columns, apart, weights, *pack(some), float(width), slopes, *result)
        return result

    value, slope, bend = zip(*_shared_out(part, sets, threads), strict=True)
    return np.concatenate(value), np.concatenate(slope), np.concatenate(bend)


def _shared_out(part: Callable[[Sets], Values], sets: Sets, threads: int) -> list[Values]:
    """Answers for all sets in order, from a pool of threads when there is more than one."""
    if threads <= 1 or len(sets) < 2:
        return [part(sets)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(part, [[some] for some in sets]))


def shares(inputs: Array, apart: Flags, weights: Array, queries: Array, width: float) -> Array:
    """Return the shares (q, n) of the n centres in the prediction at queries (k, q): rows sum to 1. O(q n k).

    `inputs` (k, n) are the centres' standardised inputs, `apart` (k,) and `weights` (n,) theirs. Far
    from all centres the nearest ones rule: the result is always finite.
    """
    out = np.empty((queries.shape[1], inputs.shape[1]))
    _native.parzen_shares(inputs, apart, weights, queries, float(width), out)
    return out


def means(
    inputs: Array, apart: Flags, weights: Array, output: Array, queries: Array, width: float
) -> tuple[Array, Array]:
    """Return the mean and variance (q,) of the centres' `output` (n,) under the shares at queries (k, q)."""
    mean, variance = np.empty(queries.shape[1]), np.empty(queries.shape[1])
    _native.parzen_means(inputs, apart, weights, output, queries, float(width), mean, variance)
    return mean, variance


def log_density(
    inputs: Array,
    apart: Flags,
    weights: Array,
    output: Array,
    levels: int,
    queries: Array,
    y: Array,
    h_in: float,
    h_out: float,
) -> Array:
    """Return the log density (q,), or log probability, of y (q,) given queries (k, q), in standardised units.

    `output` (n,) are the centres' targets. Finite everywhere: both sums are taken relative to their
    greatest term.
    """
    out, centres = np.empty(len(y)), (inputs, apart, weights, output, levels)
    _native.parzen_log_density(*centres, queries, y, float(h_in), float(h_out), out)
    return out


def draw(
    inputs: Array, apart: Flags, weights: Array, queries: Array, uniforms: Array, width: float
) -> Integers:
    """Return the numbers (q,) of centres drawn by their shares at queries (k, q), from `uniforms` (q,) in [0,
    1).

    Inverse transform in the order of the centres, in single precision.
    """
    out = np.empty(len(uniforms), dtype=np.int64)
    _native.parzen_draw(inputs, apart, weights, queries, uniforms, float(width), out)
    return out
