"""The edge deletion method: every edge is tested given all other variables, each on its own.

All tests start from the complete graph and know nothing of each other. So where either of two edges
would do, both look needless and both go; boundary learning, which scores again after each removal,
keeps one of them. The method is here for comparison (Hofmann and Tresp 1997 name it so).
"""

import contextlib
from itertools import accumulate

import numpy as np

from arcwise.graphs import Limits
from arcwise.results import Interrupted, Path, Removal, Trail, Watch
from arcwise.scores import Score
from arcwise.undirected.limits import bounds_for
from arcwise.undirected.losses import ROUNDING, UNIT, Losses
from arcwise.undirected.stepwise import descending


def deletion(score: Score, *, limits: Limits | None = None, on_step: Watch | None = None) -> Path:
    """Test every edge given all other variables: those weaker than the penalty go.

    Parameters
    ----------
    score : what local models are compared by.
    limits : rules bound by `edge_limits`, as for `boundary`.
    on_step : told of each variable whose models are scored, and asked between small batches of local fits
        where these are dear; returning True ends the run, and the graph is then known at no penalty.

    Returns
    -------
    Path : the graph at every penalty; its removals are in the order of strength, with the losses of
        both sides in the complete graph.

    Examples
    --------
    >>> import numpy as np
    >>> from arcwise.conditionals import Gaussian
    >>> from arcwise.data import Table, Variable
    >>> from arcwise.scores import leave_one_out
    >>> a, noise, c = np.random.default_rng(1).normal(size=(3, 200))
    >>> copies = Table(tuple(map(Variable, "abc")), (a, a, a + noise))
    >>> deletion(leave_one_out(Gaussian().bind(copies))).at(0.05)    # a or b would do for c
    <UGraph a:b + c>
    """
    bounds = bounds_for(score.nodes, limits)
    trail = Trail(on_step)
    state = Losses(score.watched(trail.check), bounds)
    whole = not state.free.any()
    with contextlib.suppress(Interrupted):
        whole = (state.enter(trail) and state.fill(trail)) or whole
    return Path.of_removals(
        bounds.largest,
        _by_strength(state) if whole else (),
        UNIT,
        stopped="every pair was tested" if whole else trail.stopped,
        whole=whole,
    )


def _by_strength(state: Losses) -> list[Removal]:
    """All edges that may go, weakest first; ties by column numbers."""
    free = [(one, two) for one, two in np.argwhere(state.free).tolist() if one < two]
    losses = [state.sides(*pair) for pair in free]
    order = descending(-np.array([max(both) for both in losses]), ROUNDING).tolist()
    prices = accumulate((max(losses[place]) for place in order), max)
    return [
        Removal(free[place][0], free[place][1], losses[place], price, state.edges - gone)
        for gone, (place, price) in enumerate(zip(order, prices, strict=True), 1)
    ]
