"""Mixture distributions of the hidden variables in rows with the same observed variables."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.distributions import Categorical, Distribution, Mixture, Normal
from arcwise.errors import FitError
from arcwise.inference.configurations import (
    BlockFit,
    ConfigurationRows,
    NumberBlock,
    Pieces,
    pieces_of,
)
from arcwise.inference.engine import Array, DeclinedError, Question
from arcwise.inference.exact_tables import impossible
from arcwise.inference.level_sums import LevelSums, elimination_order
from arcwise.inference.mixture_joint import MixtureJoint

__all__ = ["RowSums", "answers_of", "cost_of", "needed_pieces", "row_sums"]

SLOTS = 1 << 21
"""Numbers that are held at once."""

_NEGLIGIBLE = 600.0
"""Nats below the largest weight beyond which a component of a joint distribution is dropped."""

_SMALLEST = 1e-12
"""Width of a component that is certain, relative to the spread of the others."""


def needed_pieces(question: Question, targets: Sequence[int], known: set[int]) -> Pieces | FitError:
    """Return the relevant pieces for some variables; without variables, for all evidence."""
    soft = [node for node in question.soft if node not in known]
    return pieces_of(question.directed, [*targets, *soft], known, everything=not targets)


def cost_of(question: Question, pieces: Pieces, targets: Sequence[int]) -> tuple[float, float]:
    """Return the largest number of values held at once, and the work per row."""
    variables, parents = question.directed.variables, question.directed.graph.parents
    sizes = {node: len(variables[node].levels or ()) for node in pieces.levels}
    scopes = [tuple(n for n in (node, *parents[node]) if n in sizes) for node in pieces.factors]
    scopes += [block.levels for block in pieces.blocks]
    blocks = [(prod([float(sizes[n]) for n in b.levels]), len(b.nodes)) for b in pieces.blocks]
    keep: tuple[int, ...] = ()
    if len(targets) == 1:
        is_level = targets[0] in sizes
        keep = (targets[0],) if is_level else pieces.block_of(targets[0]).levels
    _, largest = elimination_order(scopes, keep, sizes)
    work = largest * (len(sizes) + 1) + sum(cells * size**2 for cells, size in blocks)
    held = [largest, *(cells * size**2 for cells, size in blocks)]
    return max(held), work + len(pieces.factors)


class RowSums:
    """The pieces of a query with the evidence of some rows with the same observed variables."""

    def __init__(
        self, question: Question, places: NDArray[np.intp], known: set[int], pieces: Pieces
    ) -> None:
        net, self.question = question.directed, question
        self.places, self.pieces = places, pieces
        values = {node: question.columns[node][places] for node in known}
        self.sums = ConfigurationRows(net, values, len(places), dict(question.soft))
        self.sizes = {n: len(net.variables[n].levels or ()) for n in pieces.levels}
        try:
            self.fits = [self.sums.fit(block) for block in pieces.blocks]
        except FitError as error:
            raise DeclinedError(error.text, fixes=error.fixes) from None
        self.factors = self.sums.factors(pieces)
        for block, fit in zip(pieces.blocks, self.fits, strict=True):
            shape = tuple(self.sizes[node] for node in block.levels)
            self.factors.append((block.levels, fit.logs.reshape(len(fit.logs), *shape)))

    def table(self, keep: tuple[int, ...]) -> Array:
        """Return log weights of the configurations of some categories, (rows, configurations)."""
        logs = LevelSums(self.factors, keep, self.sizes).table(keep)
        logs = np.broadcast_to(logs, (len(self.places), *logs.shape[1:]))
        if np.isneginf(logs.reshape(len(logs), -1).max(axis=1, initial=-np.inf)).any():
            row = int(np.isneginf(logs.reshape(len(logs), -1).max(axis=1)).argmax())
            raise impossible(self.question, int(self.places[row]))
        return logs

    def density(self) -> Array:
        """Return the log density of the evidence in each row."""
        logs = LevelSums(self.factors, (), self.sizes).table(())
        return np.broadcast_to(logs, len(self.places))

    def answer(self, node: int) -> Distribution:
        """Return the distribution of a hidden variable."""
        variable = self.question.net.variables[node]
        if variable.levels is not None:
            return Categorical.from_logs(self.table((node,)), variable.levels, variable.name)
        block, fit = self._block(node)
        position = [block.nodes[i] for i in block.hidden].index(node)
        logs = self.table(block.levels).reshape(len(self.places), -1)
        return _mixture(logs, fit.mean[:, :, position], fit.spread(position))

    def _block(self, node: int) -> tuple[NumberBlock, BlockFit]:
        pairs = zip(self.pieces.blocks, self.fits, strict=True)
        return next((block, fit) for block, fit in pairs if node in block.nodes)

    def joint(self, asked: Sequence[int], most: int) -> MixtureJoint | None:
        """Return the joint distribution of hidden variables, of which some are numbers, in a single row.

        None if it has more than `most` components, or if some numbers determine others.
        """
        variables = tuple(self.question.net.variables[node] for node in asked)
        blocks = [
            (block, fit)
            for block, fit in zip(self.pieces.blocks, self.fits, strict=True)
            if set(block.nodes).intersection(asked)
        ]
        categories = [node for node in asked if node in self.sizes]
        others = {node for block, _ in blocks for node in block.levels}
        scope = (*categories, *sorted(others - set(categories)))
        shape = tuple(self.sizes[node] for node in scope)
        if prod(shape) > most:
            return None
        logs = self.table(scope)[0].ravel()
        codes = np.indices(shape).reshape(len(shape), logs.size)
        kept = np.flatnonzero(logs > logs.max() - _NEGLIGIBLE)
        codes, weights = codes[:, kept], np.exp(logs[kept] - logs.max())
        numbers = [node for node in asked if node not in self.sizes]
        means = np.empty((len(kept), len(numbers)))
        covariance = np.zeros((len(kept), len(numbers), len(numbers)))
        for block, fit in blocks:
            block_codes = tuple(codes[scope.index(node)] for node in block.levels)
            sizes = [self.sizes[node] for node in block.levels]
            configuration = (
                np.ravel_multi_index(block_codes, sizes)
                if block_codes
                else np.zeros(len(kept), np.intp)
            )
            pairs = [
                (numbers.index(block.nodes[i]), d)
                for d, i in enumerate(block.hidden)
                if block.nodes[i] in numbers
            ]
            places, positions = (list(pair) for pair in zip(*pairs, strict=True))
            root = fit.root[fit.group[0], configuration][:, positions]
            means[:, places] = fit.mean[0, configuration][:, positions]
            covariance[np.ix_(np.arange(len(kept)), places, places)] = root @ np.swapaxes(
                root, 1, 2
            )
        try:
            factors = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
        shares: Array = weights / weights.sum()
        levels = np.ascontiguousarray(codes[: len(categories)].T)
        return MixtureJoint(variables, shares, levels, means, factors)

    def draw(self, which: NDArray[np.intp]) -> dict[int, NDArray[Any]]:
        """Draw all hidden variables jointly; `which` is the row of each draw."""
        rng, sums = self.question.rng, LevelSums(self.factors, (), self.sizes)
        if np.isneginf(total := sums.table(())).any():
            raise impossible(self.question, int(self.places[int(np.isneginf(total).argmax())]))
        columns: dict[int, NDArray[Any]] = dict(sums.draw({}, which, rng))
        for block, fit in zip(self.pieces.blocks, self.fits, strict=True):
            shape = [self.sizes[node] for node in block.levels]
            codes = tuple(columns[node] for node in block.levels)
            configuration = (
                np.ravel_multi_index(codes, shape) if codes else np.zeros(len(which), np.intp)
            )
            noise = rng.standard_normal((len(which), fit.root.shape[3]))
            roots = fit.root[fit.group[which], configuration]
            values = fit.mean[which, configuration] + np.einsum("rds,rs->rd", roots, noise)
            columns |= {block.nodes[i]: values[:, d] for d, i in enumerate(block.hidden)}
        return columns


def _mixture(logs: Array, centres: Array, widths: Array) -> Distribution:
    """Return a mixture of normals by log weights (rows by components)."""
    if centres.shape[1] == 1:
        return Normal(centres[:, 0], widths[:, 0])
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    least = _SMALLEST * max(float(widths.max()), float(np.ptp(centres)), 1e-300)
    return Mixture(centres, np.maximum(widths, least), weights)


def row_sums(
    question: Question, places: NDArray[np.intp], known: set[int], targets: Sequence[int]
) -> Iterator[tuple[NDArray[np.intp], RowSums]]:
    """Yield the sums for some variables, in blocks of rows that fit into memory.

    Raises
    ------
    FitError : there is no closed form.
    """
    pieces = needed_pieces(question, targets, known)
    if isinstance(pieces, FitError):
        raise pieces
    _, work = cost_of(question, pieces, targets)
    step = max(1, int(SLOTS / max(work, 1.0)))
    for low in range(0, len(places), step):
        part = places[low : low + step]
        yield part, RowSums(question, part, known, pieces)


def answers_of(
    question: Question, node: int, places: NDArray[np.intp], known: set[int]
) -> Iterator[tuple[NDArray[np.intp], Distribution]]:
    """Yield the distribution of a hidden variable in rows with the same observed ones."""
    for part, sums in row_sums(question, places, known, (node,)):
        yield part, sums.answer(node)
