"""The options of questions, typed: keywords of `query`, `predict`, `impute`, `sample` and their kin.

They are keyword arguments of many methods, and `read_options` checks them.
"""

from typing import TypedDict

from arcwise.inference.belief import Seed

__all__ = ["AskOptions", "EffortOptions", "SeedlessOptions"]


class EffortOptions(TypedDict, total=False):
    """Options of a simulation, by name.

    Parameters
    ----------
    method : the name of an engine; by default the best one that accepts the question.
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
    """Options of a question whose seed is a parameter.

    Parameters
    ----------
    draws : weighted draws for each row, 4000 by default.
    max_graphs : most equivalent graphs that the range of an answer to ``do`` is over.
    """

    draws: int
    max_graphs: int | None


class AskOptions(SeedlessOptions, total=False):
    """Options of a question; they matter if the answer has no closed form.

    Parameters
    ----------
    seed : the same seed gives the same answer; 0 by default.
    """

    seed: Seed
