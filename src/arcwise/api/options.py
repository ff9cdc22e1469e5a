"""Options by name: which function takes which, of what kind, and a clear word where none does.

The kind of an option is the annotation of the parameter that takes it: whole numbers and numbers are
finite and not negative, `bool` is no number, and None is taken only where the annotation has it. Kinds
other than these (names, lists of names) are left to the function itself.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from types import NoneType
from typing import Any, get_args

import numpy as np

from arcwise.errors import WordError, close_to

__all__ = ["checked", "options_of", "split_options"]

_INNER = {"rng", "limits", "on_step"}  # given by the library, not by the user
_SHARED = {"folds": int, "fraction": float}  # taken by the recipe itself, for scores of held-out rows
_SAID = {int: "a whole number from 0 on", float: "a number from 0 on", bool: "True or False"}


class Kinds(tuple[str, ...]):
    """Names of options that remember what kind each one is."""

    kinds: Mapping[str, Any]

    def __new__(cls, kinds: Mapping[str, Any]) -> "Kinds":
        """Make the names from a mapping of names to annotations."""
        self = super().__new__(cls, tuple(kinds))
        self.kinds = dict(kinds)
        return self
