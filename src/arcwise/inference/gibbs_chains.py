"""Chains of Gibbs sampling over the conditionals of a Markov network.

Observed values are fixed; every hidden variable in turn is drawn from its conditional given the present
values of its neighbours (Geman and Geman 1984). Many chains, of many rows, advance together: a
variable's state is one column over rows x chains, and one call of its conditional draws it for all.

Only relevant variables are drawn: those that the observed ones separate from the targets are skipped,
row by row. Chains start at rows of the data, nearer ones more often: of the T rows ordered by
standardised distance over the observed columns, number T u^3 with u uniform, so that starts are near the
evidence and still overdispersed, as R-hat requires.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError
from arcwise.inference.engine import Array, Effort, Mask
from arcwise.networks import MarkovNet
from arcwise.notes import Note, answer_note

Integers = NDArray[np.intp]
Columns = list[NDArray[Any]]

FAR = 5.0
"""Standard deviations from every typical row beyond which evidence counts as far."""

FAR_CELLS = 20_000_000
"""Largest table of distances that is checked for rows far from all data."""


class Chains(NamedTuple):
    """States that advance together, and the variables to draw.

    `columns` has one array per variable over rows times chains (chains of a row are adjacent), `steps`
    the variables to draw with the rows in which they are hidden (None: all).
    """

    columns: Columns
    steps: tuple[tuple[int, Integers | None], ...]
    size: int


def reach_hidden(net: MarkovNet, gaps: Mask, targets: Sequence[int]) -> Mask:
    """Return the relevant hidden variables for the targets, row by row.

    Parameters
    ----------
    net : the network.
    gaps : rows by variables, true where hidden; targets included.
    targets : numbers of the targets.

    Returns
    -------
    Rows by variables: hidden ones that are connected to a target by a path of hidden ones.

    >>> from arcwise.conditionals import GaussianConditional
    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import UGraph
    >>> model = GaussianConditional(0.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> graph = UGraph.from_edges([("a", "b"), ("b", "c")])
    >>> names = tuple(Variable(name) for name in "abc")
    >>> net = MarkovNet(names, graph, (model,) * 3, (np.zeros(1),) * 3)
    >>> reach_hidden(net, np.array([[True, False, True]]), [0]).tolist()
    [[True, False, False]]
    """
    result = np.zeros_like(gaps)
    result[:, list(targets)] = gaps[:, list(targets)]
    stack = list(targets)
    while stack:
        node = stack.pop()
        for other in net.graph.neighbours[node]:
            fresh = gaps[:, other] & result[:, node] & ~result[:, other]
            if fresh.any():
                result[:, other] |= fresh
                stack.append(other)
    return result


def known_neighbours(net: MarkovNet, hidden: Mask, gaps: Mask) -> Mask:
    """Return observed variables that are neighbours of hidden ones, row by row."""
    result = np.zeros_like(hidden)
    for node in np.flatnonzero(hidden.any(axis=0)).tolist():
        for other in net.graph.neighbours[node]:
            result[:, other] |= hidden[:, node]
    return result & ~gaps


def distances(
    net: MarkovNet, columns: Sequence[NDArray[Any]], observed: Mask
) -> tuple[Array, Array]:
    """Return distances of rows from the typical rows over the observed columns: squared Euclidean, and
    largest.

    Numbers count in standard deviations of the typical rows, levels as 0 or 1. In a constant
    column any other value is infinitely far.

    Returns
    -------
    Two arrays, rows by typical rows.
    """
    rows, count = len(observed), len(net.starts[0])
    squares, largest = np.zeros((rows, count)), np.zeros((rows, count))
    for node in np.flatnonzero(observed.any(axis=0)).tolist():
        apart = _distances_to_typical(net, node, columns[node])
        apart[~observed[:, node]] = 0.0
        with np.errstate(over="ignore"):
            squares += np.minimum(apart, 1e150) ** 2
        np.maximum(largest, apart, out=largest)
    return squares, largest


def _distances_to_typical(net: MarkovNet, node: int, column: NDArray[Any]) -> Array:
    """Return the distance of each value from each typical one (rows by typical rows)."""
    typical = net.starts[node]
    if net.variables[node].discrete:
        differ: Array = (column[:, None] != typical[None, :]).astype(float)
        return differ
    spread = float(typical.std())
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        apart: Array = np.abs(column[:, None] - typical[None, :]) / spread
    return np.where(np.isnan(apart), 0.0, apart)


def far_evidence_notes(
    net: MarkovNet, columns: Sequence[NDArray[Any]], observed: Mask
) -> tuple[Note, ...]:
    """Return notes on evidence of one row that is far from every row of the data."""
    if not observed.any():
        return ()
    squares, largest = distances(net, columns, observed)
    nearest = int(squares[0].argmin())
    if largest[0].min() <= FAR:
        return ()
    apart = {
        node: float(_distances_to_typical(net, node, columns[node])[0, nearest])
        for node in np.flatnonzero(observed[0]).tolist()
    }
    worst = max(apart, key=lambda node: apart[node])
    how = (
        f"{net.names[worst]!r} is {apart[worst]:.3g} standard deviations away in the nearest row"
        if np.isfinite(apart[worst])
        else f"there {net.names[worst]!r} never varies"
    )
    return (
        answer_note(
            f"The evidence is far from all rows of the data ({how}): the answer is unreliable.",
            (net.names[worst],),
        ),
    )


def far_rows(net: MarkovNet, columns: Sequence[NDArray[Any]], gaps: Mask, node: int) -> list[Note]:
    """Return a note on rows in which the neighbours of a variable are far from all the data."""
    if len(gaps) * len(net.starts[0]) > FAR_CELLS or not len(gaps):
        return []
    hidden = np.zeros_like(gaps)
    hidden[:, node] = True
    nearby = known_neighbours(net, hidden, gaps)
    _, largest = distances(net, columns, nearby)
    count = int((nearby.any(axis=1) & (largest.min(axis=1) > FAR)).sum())
    if not count:
        return []
    which = "1 row lies" if count == 1 else f"{count} rows lie"
    return [
        answer_note(
            f"{which} more than {FAR:g} standard deviations from all rows of the data: unreliable."
        )
    ]


def begin(
    net: MarkovNet,
    columns: Sequence[NDArray[Any]],
    hidden: Mask,
    observed: Mask,
    chains: int,
    rng: np.random.Generator,
    starts: Mapping[int, NDArray[Any]] | None = None,
) -> Chains:
    """Return chains at their starts.

    Parameters
    ----------
    net : the network.
    columns : one array per variable, one entry per row.
    hidden : rows by variables, true if a variable is drawn.
    observed : rows by variables, true if its value may select the start.
    chains : number of chains per row.
    rng : the random generator.
    starts : values of hidden variables by node, one per chain; None for rows of the data.
    """
    rows, size = len(hidden), len(hidden) * chains
    squares, _ = distances(net, columns, observed)
    order = np.argsort(squares, axis=1, kind="stable")
    # Without evidence all rows are equally near, and equally good starts.
    power = np.where(observed.any(axis=1), 3.0, 1.0)[:, None]
    indices = (squares.shape[1] * rng.random((rows, chains)) ** power).astype(np.intp)
    start = np.take_along_axis(order, indices, axis=1).ravel()
    states: Columns = []
    steps: list[tuple[int, Integers | None]] = []
    for node, column in enumerate(columns):
        state = np.repeat(column, chains)
        gap = np.repeat(hidden[:, node], chains)
        if gap.any():
            state[gap] = net.starts[node][start[gap]] if starts is None else starts[node][gap]
            steps.append((node, None if gap.all() else np.flatnonzero(gap)))
        states.append(state)
    return Chains(states, tuple(steps), size)


def sweep(net: MarkovNet, chains: Chains, rng: np.random.Generator, scan: str = "fixed") -> None:
    """Draw every hidden variable once, in place."""
    steps = chains.steps
    if scan == "random":
        steps = tuple(steps[i] for i in rng.permutation(len(steps)))
    columns = chains.columns
    for node, places in steps:
        inputs = net.graph.neighbours[node]
        if places is None:
            xs = tuple([columns[other] for other in inputs])
            columns[node][:] = net.conditionals[node].sample(xs, rng, chains.size)
        else:
            xs = tuple([columns[other][places] for other in inputs])
            columns[node][places] = net.conditionals[node].sample(xs, rng, len(places))


def run(
    net: MarkovNet,
    chains: Chains,
    rng: np.random.Generator,
    effort: Effort,
    watch: Callable[[Chains], None],
) -> None:
    """Run sweeps, and call `watch` with every state after burn-in.

    Raises
    ------
    FitError : a drawn value is not a finite number.
    """
    for number in range(effort.burn_in + effort.sweeps):
        sweep(net, chains, rng, effort.scan)
        if number >= effort.burn_in:
            watch(chains)
    for node, places in chains.steps:  # elsewhere a variable may be unknown and not matter
        values = chains.columns[node] if places is None else chains.columns[node][places]
        if not np.isfinite(values).all():
            raise FitError(
                f"Draws of {net.names[node]!r} are not finite: the evidence is too extreme for "
                "its local model."
            )
