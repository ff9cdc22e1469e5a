r"""Sums over the configurations of hidden categories, with hidden numbers integrated out in closed form.

In a conditional Gaussian network numbers are normal given their parents, linear in numbers, with coefficients
that depend on categories (Lauritzen and Wermuth 1989). Numbers are integrated out first, then categories are
summed out: the strong elimination orders of Lauritzen (1992) and Lauritzen and Jensen (2001).

Hidden numbers form *blocks* that share local models. Given a configuration of the hidden categories
that these depend on, a block is jointly normal, and so is the evidence below it: its density is a factor over
these categories, and its distribution given the evidence has one normal component per configuration. All
other local models have no hidden numbers among their parents. Each is a factor over its hidden categories,
for any model: a logit with observed numbers, Parzen windows with an observed child.

Many rows with the same missing cells are computed together; factors are logarithms, rows on the first axis.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import distribution_of, slopes_of
from arcwise.distributions import Normal
from arcwise.errors import FitError
from arcwise.inference.evidence import relevant, upward
from arcwise.networks import BayesNet

__all__ = ["BlockFit", "ConfigurationRows", "NumberBlock", "Pieces", "pieces_of"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

_LOG_2PI = float(np.log(2 * np.pi))

_PART = 1 << 14  # configurations at which a local model is evaluated at once

DETERMINED = 1e-9
"""An observed number with at most this share of its standard deviation left given the others is determined.
"""


class NumberBlock(NamedTuple):
    """Jointly normal hidden numbers, and their observed descendants.

    `nodes` are both in topological order, `hidden` and `seen` their positions in it, `levels` the hidden
    categories that their local models depend on.
    """

    nodes: tuple[int, ...]
    hidden: tuple[int, ...]
    seen: tuple[int, ...]
    levels: tuple[int, ...]


class Pieces(NamedTuple):
    """Relevant parts of a query: blocks of numbers, local models that are factors, hidden categories."""

    blocks: tuple[NumberBlock, ...]
    factors: tuple[int, ...]
    levels: tuple[int, ...]

    def block_of(self, node: int) -> NumberBlock:
        """Return the block of a hidden number."""
        return next(block for block in self.blocks if node in block.nodes)


def pieces_of(
    net: BayesNet, targets: Iterable[int], known: Collection[int], everything: bool = False
) -> Pieces | FitError:
    """Return the relevant pieces of a network for some targets, or the reason why there is no closed form.

    Parameters
    ----------
    net : the network.
    targets : hidden variables that are requested.
    known : observed variables.
    everything : whether all observed variables are relevant, as in the density of the evidence.
    """
    members = relevant(net.graph, targets, known)
    if everything:
        members |= set(known) | upward(net.graph, known, known)
    order = [node for node in net.graph.order() if node in members]
    hidden = {node for node in order if node not in known}
    numbers = {node for node in hidden if not net.variables[node].discrete}
    groups = _Groups(numbers)
    factors: list[int] = []
    below: dict[int, list[int]] = {}
    for node in order:
        above = [parent for parent in net.graph.parents[node] if parent in numbers]
        reason = _unsuitable(net, node, above, node in numbers)
        if reason:
            return FitError(f"No closed form: {reason}")
        if node in numbers or above:
            groups.join([*above, node] if node in numbers else above)
            below.setdefault((above or [node])[0], []).append(node)
        else:
            factors.append(node)
    blocks = [
        _block(net, [node for start in group for node in below.get(start, ())], hidden)
        for group in groups.sets()
    ]
    rank = {node: i for i, node in enumerate(order)}
    sorted_blocks = tuple(_sort_numbers(block, rank, numbers) for block in blocks)
    return Pieces(sorted_blocks, tuple(factors), tuple(sorted(hidden - numbers)))


class _Groups:
    """Sets of hidden numbers, merged step by step."""

    def __init__(self, members: Iterable[int]) -> None:
        self.of = {member: {member} for member in sorted(members)}

    def join(self, members: Sequence[int]) -> None:
        """Merge the sets of some members."""
        union = set().union(*(self.of[member] for member in members))
        for member in union:
            self.of[member] = union

    def sets(self) -> list[list[int]]:
        """Return the sets, each once."""
        return [sorted(group) for member, group in self.of.items() if member == min(group)]


def _unsuitable(net: BayesNet, node: int, above: list[int], is_number: bool) -> str:
    """Return why a local model has no closed form in this query; empty if it has one."""
    _model, name = net.conditionals[node], net.names[node]
    if above and net.variables[node].discrete:
        return f"{name!r} is a category and {net.names[above[0]]!r}, one of its parents, is a hidden number."
    if above and not _is_linear(net, node, above):
        return f"{name!r} is not linear in {net.names[above[0]]!r}, which is hidden."
    if is_number and not above and not _is_normal(net, node):
        return f"{name!r} is hidden and its local model is not normal."
    return ""


def _one_row(net: BayesNet, node: int) -> tuple[NDArray[np.float64], ...]:
    """Return any values of the parents of a variable."""
    parents = net.graph.parents[node]
    return tuple(np.zeros(1, dtype=net.variables[parent].dtype) for parent in parents)


def _is_normal(net: BayesNet, node: int) -> bool:
    model, variable = net.conditionals[node], net.variables[node]
    return isinstance(distribution_of(model, variable, _one_row(net, node), 1), Normal)


def _is_linear(net: BayesNet, node: int, above: Sequence[int]) -> bool:
    """Return whether a local model is normal, and linear in some of its parents."""
    positions = [net.graph.parents[node].index(parent) for parent in above]
    slopes = slopes_of(net.conditionals[node], positions, _one_row(net, node), 1)
    return slopes is not None and _is_normal(net, node)


def _block(net: BayesNet, nodes: list[int], hidden: set[int]) -> NumberBlock:
    parents = {parent for node in nodes for parent in net.graph.parents[node]}
    levels = sorted(p for p in parents if p in hidden and net.variables[p].discrete)
    return NumberBlock(tuple(nodes), (), (), tuple(levels))


def _sort_numbers(block: NumberBlock, rank: dict[int, int], numbers: set[int]) -> NumberBlock:
    nodes = tuple(sorted(block.nodes, key=rank.__getitem__))
    hidden = tuple(i for i, node in enumerate(nodes) if node in numbers)
    seen = tuple(i for i, node in enumerate(nodes) if node not in numbers)
    return NumberBlock(nodes, hidden, seen, block.levels)


class BlockFit(NamedTuple):
    """A block given the evidence: one normal distribution per row and configuration.

    `logs` (rows, configurations) are log densities of the observed numbers; `mean` (rows, configurations,
    hidden) and `root` (groups, configurations, hidden, sources) describe the hidden ones, and `group` is
    the index of a row's root.
    """

    logs: Array
    mean: Array
    root: Array
    group: Codes

    def spread(self, position: int) -> Array:
        """Return the standard deviation of a hidden number, (rows, configurations)."""
        sd: Array = np.linalg.norm(self.root[:, :, position], axis=2)
        return sd[self.group]


@dataclass(frozen=True)
class ConfigurationRows:
    """The rows of a query with the same missing cells.

    Parameters
    ----------
    net : the network.
    values : the values of observed variables in these rows, by node.
    rows : number of rows.
    soft : weights of the levels of hidden categories.
    """

    net: BayesNet
    values: dict[int, NDArray[np.float64]]
    rows: int
    soft: dict[int, Array]

    def sizes(self, nodes: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers of levels."""
        return tuple(len(self.net.variables[node].levels or ()) for node in nodes)

    def factors(self, pieces: Pieces) -> list[tuple[tuple[int, ...], Array]]:
        """Return local models and soft evidence as factors over hidden categories."""
        listed = [self._factor(node) for node in pieces.factors]
        for node in pieces.levels:
            if node in self.soft:
                with np.errstate(divide="ignore"):
                    listed.append(((node,), np.log(self.soft[node])[None]))
        return listed

    def _factor(self, node: int) -> tuple[tuple[int, ...], Array]:
        """Return one local model as a factor: (rows or 1, levels of its hidden categories)."""
        net, parents = self.net, self.net.graph.parents[node]
        above = [parent for parent in parents if parent not in self.values]
        rows = self.rows if any(n in self.values for n in (node, *parents)) else 1
        shape = self.sizes(above)
        xs, size = self._grid(parents, above, rows)
        model, variable = net.conditionals[node], net.variables[node]
        parts = [slice(low, min(low + _PART, size)) for low in range(0, size, _PART)]
        if node in self.values:
            y = np.repeat(self.values[node][:rows], prod(shape))
            pieces = [model.logpdf(y[part], tuple(x[part] for x in xs)) for part in parts]
            return tuple(above), np.concatenate(pieces).reshape(rows, *shape)
        count = len(variable.levels or ())
        logs = np.empty((size, count))
        with np.errstate(divide="ignore"):
            for part in parts:
                some = tuple(x[part] for x in xs)
                distribution = distribution_of(model, variable, some, part.stop - part.start)
                logs[part] = np.log(distribution.chances(count))
        return (*above, node), logs.reshape(rows, *shape, count)

    def _grid(
        self, parents: Sequence[int], levels: Sequence[int], rows: int
    ) -> tuple[tuple[NDArray[np.float64], ...], int]:
        """Return columns of parents, each row with all configurations of `levels`; hidden numbers are 0."""
        shape = self.sizes(levels)
        count = prod(shape)
        codes = dict(zip(levels, np.indices(shape).reshape(len(shape), count), strict=True))
        columns = []
        for parent in parents:
            if parent in self.values:
                columns.append(np.repeat(self.values[parent][:rows], count))
            elif parent in codes:
                columns.append(np.tile(codes[parent], rows))
            else:
                columns.append(np.zeros(rows * count))
        return tuple(columns), rows * count

    # -- numbers -------------------------------------------------------------------------------------

    def fit(self, block: NumberBlock) -> BlockFit:
        """Return the distribution of the hidden numbers of a block, and the density of those observed.

        Raises
        ------
        FitError : an observed number is determined by others, up to rounding.
        """
        mean, root, group = self._moments(block)
        hidden, seen = list(block.hidden), list(block.seen)
        if not seen:
            return BlockFit(np.zeros(mean.shape[:2]), mean, root, group)
        observed = np.column_stack([self.values[block.nodes[i]] for i in seen])
        off = observed[:, None, :] - mean[:, :, seen]
        above = np.swapaxes(root[:, :, seen], 2, 3)
        basis, upper = np.linalg.qr(above)
        diagonal = np.abs(np.diagonal(upper, axis1=2, axis2=3))
        if (diagonal <= DETERMINED * np.linalg.norm(above, axis=2)).any():
            names = ", ".join(self.net.names[block.nodes[i]] for i in seen)
            raise FitError(f"The observed numbers {names} determine each other.")
        inverse = np.linalg.inv(np.swapaxes(upper, 2, 3))
        z = np.einsum("rkij,rkj->rki", inverse[group], off)
        logs = -0.5 * (z**2).sum(axis=2) - np.log(diagonal).sum(axis=2)[group]
        logs -= 0.5 * _LOG_2PI * len(seen)
        gain = root[:, :, hidden] @ basis
        left = root[:, :, hidden] - gain @ np.swapaxes(basis, 2, 3)
        middle = mean[:, :, hidden] + np.einsum("rkdm,rkm->rkd", gain[group], z)
        return BlockFit(logs, middle, left, group)

    def _moments(self, block: NumberBlock) -> tuple[Array, Array, Codes]:
        """Return means (rows, configurations, nodes), roots (groups, configurations, nodes, nodes), groups.

        Rows are in one group if all slopes and standard deviations are the same.
        """
        count, size = prod(self.sizes(block.levels)), len(block.nodes)
        hidden = [block.nodes[i] for i in block.hidden]
        mean, spread = np.empty((2, self.rows, count, size))
        slopes = np.zeros((self.rows, count, size, size))
        for i, node in enumerate(block.nodes):
            parents, model = self.net.graph.parents[node], self.net.conditionals[node]
            xs, rows = self._grid(parents, block.levels, self.rows)
            middle, sd = _normal(distribution_of(model, self.net.variables[node], xs, rows))
            mean[:, :, i] = middle.reshape(self.rows, count)
            spread[:, :, i] = sd.reshape(self.rows, count)
            above = [parent for parent in parents if parent in hidden]
            if above:
                found = slopes_of(model, [parents.index(parent) for parent in above], xs, rows)
                if found is None:
                    raise FitError(f"{self.net.names[node]!r} is not linear in its parents.")
                positions = [block.nodes.index(parent) for parent in above]
                slopes[:, :, i, positions] = found.reshape(self.rows, count, len(above))
        for i in range(size):
            mean[:, :, i] += np.einsum("rkj,rkj->rk", slopes[:, :, i], mean)
        first, group = _groups(np.concatenate([slopes, spread[..., None]], axis=3))
        slopes, spread = slopes[first], spread[first]
        root = np.zeros_like(slopes)
        for i in range(size):
            root[:, :, i] = np.einsum("gkj,gkjs->gks", slopes[:, :, i], root)
            root[:, :, i, i] += spread[:, :, i]
        return mean, root, group


def _groups(numbers: Array) -> tuple[Codes, Codes]:
    """Return groups of rows with equal numbers: the first row of each, and the group of each row."""
    flat = numbers.reshape(len(numbers), -1)
    if not len(flat) or (flat == flat[:1]).all():
        return np.zeros(min(len(flat), 1), dtype=np.intp), np.zeros(len(flat), dtype=np.intp)
    _, first, group = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    return first, group.ravel()


def _normal(distribution: object) -> tuple[Array, Array]:
    """Return mean and standard deviation of normal distributions."""
    if not isinstance(distribution, Normal):
        raise FitError("A local model is not normal.")
    return distribution.mean, distribution.sd
