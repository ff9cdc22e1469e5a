"""Estimators in scikit-learn's form, for its pipelines, searches and checks."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from arcwise.api.learning import learn
from arcwise.data import table
from arcwise.errors import FitError, close_to
from arcwise.graphs import UGraph
from arcwise.networks import NormalJoint
from arcwise.undirected.penalties import factors_of

Array = NDArray[np.float64]

_NOT_OPTIONS = ("penalty", "factors", "random_state", "n_jobs")  # all other parameters are


class GraphLasso(BaseEstimator):  # type: ignore[misc]
    """Sparse inverse covariance by the graphical lasso.

    Its defaults are not those of scikit-learn's GraphicalLasso: the penalty is found by EBIC and not 0.01, it
    is measured on correlations, so that units do not matter, and variances are penalised, too. The numbers
    of ``GraphicalLasso(alpha)`` are those of ``GraphLasso(alpha, scale="covariance", diagonal=False)``, but
    for its tolerance. Both keep the lasso's own numbers (`refit`), where `learn` fits again.

    Parameters
    ----------
    penalty : rho, a number, or the rule that chooses it: "ebic", "stars", "cv", "cv-1se" or "ric"; or a
        matrix with one for each pair of columns.
    scale : what rho is measured in, "correlation" or "covariance".
    diagonal : whether variances are penalised, too.
    refit : fit again on the graph without a penalty; False keeps the lasso's own numbers, as
        scikit-learn's GraphicalLasso does.
    nonparanormal : correlations from ranks.
    gaps : "complete" refuses rows with gaps (NaN), "pairwise" takes for each pair of columns the rows with
        both.
    factors : what rho is multiplied with, pair by pair: a matrix in the order of the columns, a data frame
        with their names, or a mapping of pairs of names (x0, x1, ... where the columns have none).
    n_penalties, min_ratio : penalties that rules try, and the smallest as a share of the largest.
    gamma : of the rule "ebic".
    subsamples, threshold : of the rule "stars".
    rotations : of the rule "ric".
    random_state : the seed of rules that draw.
    n_jobs : processes for rules that fit many graphs.

    Attributes
    ----------
    location_, covariance_, precision_ : of the fitted normal distribution, in the order of the columns.
    penalty_ : the penalty used.
    graph_ : a UGraph over the columns' names, or x0, x1, ... where they have none.
    network_ : the network, with all its methods; None for a single column.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(200, 3))
    >>> x[:, 1] += x[:, 0]
    >>> model = GraphLasso().fit(x)
    >>> print(model.graph_)
    x0:x1 + x2
    """

    def __init__(
        self,
        penalty: float | str = "ebic",
        *,
        scale: str = "correlation",
        diagonal: bool = True,
        refit: bool = False,
        nonparanormal: bool = False,
        gaps: str = "complete",
        factors: Any = None,
        n_penalties: int = 30,
        min_ratio: float | None = None,
        gamma: float = 0.5,
        subsamples: int = 20,
        threshold: float = 0.05,
        rotations: int = 20,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        given = locals()
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Fit to rows; `y` is not used."""
        finite: Any = "allow-nan" if self.gaps == "pairwise" else True
        x = validate_data(self, X, dtype=np.float64, ensure_min_samples=2, ensure_all_finite=finite)
        width = len(str(x.shape[1]))
        names = [f"x{i:0{width}d}" for i in range(x.shape[1])]  # sorted as the columns are
        shown = tuple(
            map(str, getattr(self, "feature_names_in_", map("x{}".format, range(len(names)))))
        )
        own = dict(zip(shown, names, strict=True))
        given = {word: _renamed(getattr(self, word), own) for word in ("penalty", "factors")}
        net = learn(
            table(dict(zip(names, x.T, strict=True)), kinds=dict.fromkeys(names, "continuous")),
            graph="undirected",
            model="gaussian",
            search="glasso",
            **{word: value for word, value in given.items() if value is not None},
            **{word: each for word, each in self.get_params().items() if word not in _NOT_OPTIONS},
            seed=self.random_state,
            n_jobs=self.n_jobs,
            progress=False,
        )
        joint = getattr(net.net, "joint", None)
        if not isinstance(joint, NormalJoint):
            raise FitError("The graphical lasso found no joint distribution.")
        self.network_ = net
        self.penalty_ = float(net.settings["penalty"])
        self.location_, self.precision_ = joint.mean.copy(), joint.precision.copy()
        self.covariance_ = joint.covariance.copy()
        self.graph_ = UGraph.unchecked(shown, net.net.inputs)
        return self

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Mean log density of rows, in nats."""
        return float(np.mean(self.score_samples(X)))

    def score_samples(self, X: ArrayLike) -> Array:
        """Log density of each row, in nats."""
        check_is_fitted(self)
        x = validate_data(self, X, dtype=np.float64, reset=False)
        off = x - self.location_
        logdet = float(np.linalg.slogdet(self.precision_)[1])
        square = np.einsum("ij,jk,ik->i", off, self.precision_, off)
        found: Array = 0.5 * (logdet - square - x.shape[1] * np.log(2 * np.pi))
        return found

    def error_norm(self, comp_cov: ArrayLike) -> float:
        """Frobenius norm of the difference to another covariance matrix."""
        return float(np.linalg.norm(np.asarray(comp_cov) - self.covariance_))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Penalties or factors with the names that columns have inside; numbers and words as they are."""
    word = isinstance(value, str) and not Path(value).suffix
    if value is None or word or isinstance(value, Real):
        return value
    found = factors_of(value)
    if found.names is None:
        return found
    for name in found.names:
        if name not in names:
            raise FitError(f"There is no column {name!r} to penalise. {close_to(name, names)}")
    return replace(found, names=tuple(names[name] for name in found.names))
