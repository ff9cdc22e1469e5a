"""Which words of learning take an option: searches of all kinds of graphs, scores, models."""

from collections.abc import Callable, Mapping
from typing import Any

from arcwise.api import undirected
from arcwise.api.lasso import LASSO
from arcwise.api.options import options_of
from arcwise.api.recipe import score_options
from arcwise.conditionals import FAMILIES
from arcwise.scores import SCORES
from arcwise.search import SEARCHES

__all__ = ["takers_of"]


def takers_of(option: str) -> list[str]:
    """The words that take an option, as they are written.

    >>> takers_of("combine")
    ["search='neighbourhood'"]
    >>> takers_of("nonsense")
    []
    """
    searches: Mapping[str, Callable[..., Any]] = {
        **SEARCHES,
        **undirected.SEARCHES,
        **LASSO,
    }
    found = {
        f"search={word!r}": options_of(each) for word, each in searches.items() if word != "auto"
    }
    found |= {f"score={word!r}": score_options(word) for word in SCORES}
    found |= {f"model={word!r}": options_of(family.bind) for word, family in FAMILIES.items()}
    return [word for word, kinds in found.items() if option in kinds]
