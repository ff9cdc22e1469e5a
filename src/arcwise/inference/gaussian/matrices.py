r"""The matrices of a joint normal distribution, with the names of their rows and columns.

An undirected Gaussian network has its precision matrix :math:`\Theta`; a directed one with coefficients W and
noise variances V has

.. math:: \Theta = (I - W)^T V^{-1} (I - W).

Partial correlations given all other variables are :math:`-\theta_{ij} / \sqrt{\theta_{ii} \theta_{jj}}`
(Lauritzen 1996, section 5.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from arcwise.conditionals import Linear, linear_of
from arcwise.errors import DataError, FitError, close_to
from arcwise.inference.gaussian.roots import joint
from arcwise.networks import BayesNet, MarkovNet, Net, NormalJoint, normal_of

Array = NDArray[np.float64]

_PRINTED = 10
"""Most rows and columns that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class NamedMatrix:
    """A square matrix whose rows and columns have the names of variables.

    Parameters
    ----------
    names : of rows and columns.
    values : the numbers, in the order of the names.

    >>> found = NamedMatrix(("b", "a"), np.array([[2.0, -0.5], [-0.5, 1.0]]))
    >>> found["a", "b"], found["a"]
    (-0.5, {'b': -0.5, 'a': 1.0})
    >>> print(found)
          b     a
    b     2  -0.5
    a  -0.5     1
    >>> np.linalg.inv(found).shape
    (2, 2)
    """

    names: tuple[str, ...]
    values: Array

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.names),) * 2:
            raise DataError(
                f"A matrix of {len(self.names)} variables has as many rows and columns, got the shape "
                f"{self.values.shape}."
            )
        self.values.flags.writeable = False

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def _place(self, name: object) -> int:
        place = self._places.get(name) if isinstance(name, str) else None
        if place is None:
            raise DataError(f"The matrix has no variable {name!r}. {close_to(name, self.names)}")
        return place

    def __getitem__(self, names: str | tuple[str, str]) -> Any:
        """The number of a pair of names; of one name, its row by names."""
        if isinstance(names, tuple):
            if len(names) != 2:
                raise DataError(f"An entry is asked for by two names, got {names!r}.")
            return float(self.values[self._place(names[0]), self._place(names[1])])
        return dict(zip(self.names, self.values[self._place(names)].tolist(), strict=True))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Rows by names, each by names."""
        return {name: self[name] for name in self.names}

    def to_pandas(self) -> Any:
        """The matrix as a pandas data frame."""
        import pandas

        return pandas.DataFrame(self.values, index=list(self.names), columns=list(self.names))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        """The numbers alone, for numpy."""
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        shown = self.names[:_PRINTED]
        cells = [
            [f"{value:.4g}" for value in row[:_PRINTED]] for row in self.values[:_PRINTED] + 0.0
        ]
        first = max(map(len, shown), default=0)
        wide = [max(len(name), *(len(row[i]) for row in cells)) for i, name in enumerate(shown)]
        heads = "  ".join(name.rjust(size) for name, size in zip(shown, wide, strict=True))
        lines = [f"{'':<{first}}  {heads}"]
        for name, row in zip(shown, cells, strict=True):
            entries = "  ".join(cell.rjust(size) for cell, size in zip(row, wide, strict=True))
            lines.append(f"{name:<{first}}  {entries}")
        if len(self.names) > _PRINTED:
            lines.append(f"... {len(self.names)} rows and columns")
        return "\n".join(lines)


def covariance(net: Net, names: Sequence[str] = ()) -> NamedMatrix:
    """The covariance matrix of the variables of a Gaussian network.

    Parameters
    ----------
    net : a network with a joint normal distribution, directed or not.
    names : the order of rows and columns; the network's own if left out.

    Raises
    ------
    FitError : the network has no joint normal distribution.
    """
    if isinstance(net, MarkovNet):
        return _named(net, _normal(net, "covariance matrix").covariance, names)
    _linear(net, "covariance matrix")
    return _named(net, joint(net).covariance, names)


def precision(net: Net, names: Sequence[str] = ()) -> NamedMatrix:
    """The inverse of the covariance matrix; parameters as for `covariance`.

    >>> from arcwise.data import Variable
    >>> from arcwise.graphs import DAG
    >>> from arcwise.conditionals import GaussianConditional
    >>> a = GaussianConditional(1.0, np.zeros(0), 1.0, np.zeros((1, 1)), 0.0)
    >>> b = GaussianConditional(0.0, np.array([2.0]), 0.25, np.zeros((2, 2)), 0.0)
    >>> graph = DAG.from_arcs([("a", "b")])
    >>> net = BayesNet((Variable("a"), Variable("b")), graph, (a, b))
    >>> precision(net).values.tolist()
    [[17.0, -8.0], [-8.0, 4.0]]
    """
    return _named(net, _precision(net, "precision matrix"), names)


def partial_correlations(net: Net, names: Sequence[str] = ()) -> NamedMatrix:
    """Correlations of pairs given all other variables, 1 on the diagonal; parameters as for `covariance`."""
    own = _precision(net, "matrix of partial correlations")
    scale = 1.0 / np.sqrt(own.diagonal())
    partial = 0.0 - own * np.outer(scale, scale)
    np.fill_diagonal(partial, 1.0)
    return _named(net, partial, names)


def _precision(net: Net, what: str) -> Array:
    if isinstance(net, MarkovNet):
        return _normal(net, what).precision
    models = _linear(net, what)
    inward = np.eye(len(net.names))
    for child, (parents, model) in enumerate(zip(net.graph.parents, models, strict=True)):
        inward[child, list(parents)] = -model.coefficients
    scaled = inward / np.sqrt([[model.variance] for model in models])
    return scaled.T @ scaled


def _normal(net: MarkovNet, what: str) -> NormalJoint:
    normal = normal_of(net.joint)
    if normal is None:
        raise FitError(
            f"This undirected network has no {what}: its local models belong to no joint normal "
            "distribution."
        )
    return normal


def _linear(net: BayesNet, what: str) -> list[Linear]:
    """The local models, if all are linear with noise."""
    models = []
    for name, kind, own in zip(net.names, net.models, net.conditionals, strict=True):
        model = linear_of(own)
        if model is None or not model.variance > 0:
            raise FitError(
                f"Only Gaussian networks have a {what}, and the local model of {name!r} is {kind}."
            )
        models.append(model)
    return models


def _named(net: Net, matrix: Array, names: Sequence[str]) -> NamedMatrix:
    places = [net.index(name) for name in names or net.names]
    chosen = matrix[np.ix_(places, places)]
    mirrored = 0.5 * (chosen + chosen.T)  # rounding apart, it is symmetric
    return NamedMatrix(tuple(names or net.names), mirrored)
