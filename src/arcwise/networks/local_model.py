"""The local model of one variable with the names of its inputs, as text and as a frame."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from arcwise.conditionals import Conditional, linear_of, table_of
from arcwise.conditionals.base import Array
from arcwise.conditionals.capabilities import Linear
from arcwise.data import Variable
from arcwise.frame import Frame, Framed, Series, unused
from arcwise.networks.nets import Net

__all__ = ["LocalModel", "local_model"]


@dataclass(frozen=True, eq=False, repr=False)
class LocalModel(Framed):
    """A fitted local model with its variables; it has all attributes of the model, too.

    Parameters
    ----------
    model : the model itself, in numbers of columns and codes of levels.
    variable, parents : its variable, and its inputs (in an undirected network the neighbours).

    >>> from arcwise.conditionals import DiscreteConditional
    >>> wet, rain = Variable("wet", ("no", "yes")), Variable("rain", ("no", "yes"))
    >>> table = DiscreteConditional(np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> LocalModel(table, wet, (rain,)).to_dict()
    {'rain': ['no', 'yes'], 'no': [0.9, 0.2], 'yes': [0.1, 0.8]}
    """

    model: Conditional
    variable: Variable
    parents: tuple[Variable, ...]

    def __getattr__(self, name: str) -> Any:
        """Attributes of the model: coefficients, table, bandwidths, ..."""
        if name.startswith("__") or "model" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.model, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.model)})

    @property
    def frame(self) -> Frame:
        """A row per configuration of the inputs with the probabilities, or a row per coefficient."""
        table = table_of(self.model, len(self.variable.levels or ()))
        line, own_frame = linear_of(self.model), getattr(self.model, "frame_of", None)
        if self.variable.discrete and table is not None:
            frame = self._table(table)
        elif line is not None:
            frame = self._coefficients(line)
        elif own_frame is not None:
            frame = own_frame(self.variable, self.parents)
        else:
            frame = Frame((Series("model", [self.model.word]),))
        condition = (
            f" given {', '.join(parent.name for parent in self.parents)}" if self.parents else ""
        )
        return Frame(frame.columns, f"{self.variable.name}{condition}", frame.notes, frame.index)

    def _table(self, table: Array) -> Frame:
        names, columns = [parent.name for parent in self.parents], list[Series]()
        states = list(product(*(parent.levels or () for parent in self.parents)))
        for name, values in zip(names, zip(*states, strict=True), strict=False):
            columns.append(Series(name, list(values)))
        shares = table.reshape(len(states), -1).T
        for level, share in zip(self.variable.levels or (), shares, strict=True):
            columns.append(Series(unused(str(level), names), share))
        return Frame(tuple(columns))

    def _coefficients(self, line: Linear) -> Frame:
        terms = ["intercept", *(parent.name for parent in self.parents), "sd"]
        errors = [*np.sqrt(np.diag(line.spread)), np.nan] if line.rows else [np.nan] * len(terms)
        columns = (
            Series("term", terms),
            Series("value", [line.intercept, *line.coefficients, line.sd], ".5g"),
            Series("error", errors, ".2g", shown=line.rows > 0),
        )
        return Frame(columns, index="term")

    def _summary(self) -> str:
        return self.brief.title.partition("\n")[0]

    @property
    def brief(self) -> Frame:
        """Return the model as formulas or as a table."""
        words = getattr(self.model, "words", None)
        if words is None:
            return Frame((), f"{self.variable.name}: {self.model!r}")
        return Frame((), str(words(self.variable, list(self.parents))))


def local_model(net: Net, name: str) -> LocalModel:
    """Return the local model of a variable of a network.

    Raises
    ------
    DataError : an unknown name.
    """
    node = net.index(name)
    inputs = tuple(net.variables[i] for i in net.inputs[node])
    return LocalModel(net.conditionals[node], net.variables[node], inputs)
