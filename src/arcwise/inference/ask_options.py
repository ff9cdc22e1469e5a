"""Typed options of inference: keywords of `query`, `predict`, `impute`, `sample` and similar functions.

They are keyword arguments of many methods, and `read_options` checks them.
"""

from typing import TypedDict

from arcwise.inference.belief import Seed

__all__ = ["AskOptions", "EffortOptions", "SeedlessOptions"]


class EffortOptions(TypedDict, total=False):
    """Options of a simulation, by name.

    Parameters
    ----------
    method : the name of an engine; by default the best one that accepts the query.
    chains, sweeps, burn_in : Gibbs chains for each row, their rounds over all hidden variables, and the
        rounds before these that are discarded.
    scan : "fixed" draws variables in the order of their numbers, "random" in a new order each round.
    """

    method: str | None
    chains: int | None
    sweeps: int | None
    burn_in: int | None
    scan: str | None


class SeedlessOptions(EffortOptions, total=False):
    """Options of a query whose seed is a separate parameter.

    Parameters
    ----------
    draws : weighted draws for each row, 4000 by default.
    max_graphs : largest number of equivalent graphs in the range of an answer to ``do``.
    """

    draws: int
    max_graphs: int | None


class AskOptions(SeedlessOptions, total=False):
    """Options of a query; they are used if it has no closed form.

    Parameters
    ----------
    seed : the same seed gives the same answer; 0 by default.
    """

    seed: Seed
