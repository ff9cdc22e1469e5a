"""Networks beside networks: how far apart they are, where their numbers differ, and networks at random."""

from collections.abc import Iterable

import numpy as np

from arcwise import evaluate, networks
from arcwise.api.net import Network
from arcwise.errors import DataError
from arcwise.evaluate import Difference, Divergence
from arcwise.graphs.nodes import numbered_names
from arcwise.networks import Net, whole


def divergence(
    p: Network | Net, q: Network | Net, *, draws: int = 10_000, seed: int = 0
) -> Divergence:
    """The Kullback-Leibler divergence D(p || q): what rows of p lose per row if taken for rows of q.

    Parameters
    ----------
    p, q : networks with the same variables, on any graphs.
    draws, seed : of a simulation, where local models are neither tables nor linear regressions, or tables
        would not fit into memory.

    Returns
    -------
    The divergence in nats, with what each variable contributes; exact for networks of tables and for Gaussian
    ones. Infinite where q gives probability zero to what can be in p.

    Raises
    ------
    DataError : other variables, or other levels.
    GraphError : an undirected network without a joint distribution.

    >>> import arcwise as aw
    >>> fair = aw.network("[coin]", {"coin": {"head": 0.5, "tail": 0.5}})
    >>> bent = aw.network("[coin]", {"coin": {"head": 0.9, "tail": 0.1}})
    >>> print(aw.divergence(fair, bent))
    0.510826 nats per row
    """
    rng = np.random.default_rng(whole("seed", seed))
    return evaluate.divergence(_plain(p), _plain(q), rng, max(whole("number of draws", draws), 2))


def parameter_differences(
    p: Network | Net, q: Network | Net, most: int | None = 20
) -> tuple[Difference, ...]:
    """The parameters of two networks on the same graph that differ most, largest first.

    Parameters
    ----------
    p, q : networks of tables or of linear regressions.
    most : how many at most; None for all that differ.

    >>> import arcwise as aw
    >>> one = aw.network("[x]", {"x": {"sd": 1.0}})
    >>> two = aw.network("[x]", {"x": {"sd": 3.0, "intercept": 0.5}})
    >>> [(each.number, each.difference) for each in aw.parameter_differences(one, two)]
    [('sd', 2.0), ('intercept', 0.5)]
    """
    return evaluate.parameter_differences(_plain(p), _plain(q), most)


def _plain(net: Network | Net) -> Net:
    return net.net if isinstance(net, Network) else net


def random_network(
    nodes: int | Iterable[str],
    *,
    levels: int | tuple[int, int] = 2,
    arcs: int | None = None,
    max_parents: int = 3,
    alpha: float = 1.0,
    seed: int = 0,
) -> Network:
    """Draw a discrete network at random.

    Parameters
    ----------
    nodes : how many variables (x1, x2, ...), or their names.
    levels : how many levels each has, or the least and the most.
    arcs : how many; by default 1.5 for each variable.
    max_parents : of a variable.
    alpha : rows of the tables are drawn from Dirichlet distributions with this parameter: 1 draws them
        evenly, smaller ones are nearer to certainty.
    seed : the same seed gives the same network.

    Returns
    -------
    Network.

    Raises
    ------
    GraphError : more arcs than there is place for.
    DataError : sizes that are none, or too large.

    >>> import arcwise as aw
    >>> aw.random_network(5, levels=(2, 4), arcs=6, seed=1)
    <Network of 5 variables, 6 arcs (discrete)>
    """
    names = list(numbered_names(nodes)) if isinstance(nodes, int) else list(nodes)
    if not names:
        raise DataError("A random network needs at least one variable, got none.")
    both = (levels, levels) if isinstance(levels, int) else levels
    rng = np.random.default_rng(whole("seed", seed))
    net = networks.random_tables(names, both, rng, arcs=arcs, max_parents=max_parents, alpha=alpha)
    return Network(net, settings={"model": "discrete"}, order=tuple(names))
