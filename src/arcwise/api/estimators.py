"""Estimators in scikit-learn's form, for its pipelines, searches and checks."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from arcwise.api.learning import learn
from arcwise.data import table
from arcwise.errors import FitError
from arcwise.graphs import UGraph
from arcwise.networks import MarkovNet

__all__ = ["GraphLasso"]

Array = NDArray[np.float64]


class GraphLasso(BaseEstimator):  # type: ignore[misc]
    """Sparse inverse covariance by the graphical lasso.

    Parameters
    ----------
    penalty : rho, a number, or the rule that chooses it: "ebic", "stars", "cv", "cv-1se" or "ric".
    scale : what rho is measured in, "correlation" or "covariance".
    diagonal : whether variances are penalised, too.
    refit : fit again on the graph without a penalty; False keeps the lasso's own numbers, as
        scikit-learn's GraphicalLasso does.
    nonparanormal : correlations from ranks.
    gamma : of the rule "ebic".
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
        gamma: float = 0.5,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        self.penalty = penalty
        self.scale = scale
        self.diagonal = diagonal
        self.refit = refit
        self.nonparanormal = nonparanormal
        self.gamma = gamma
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Fit to rows; `y` is not used."""
        x = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        width = len(str(x.shape[1]))
        names = [f"x{i:0{width}d}" for i in range(x.shape[1])]  # sorted as the columns are
        net = learn(
            table(dict(zip(names, x.T, strict=True)), kinds=dict.fromkeys(names, "continuous")),
            graph="undirected",
            model="gaussian",
            search="glasso",
            penalty=self.penalty,
            scale=self.scale,
            diagonal=self.diagonal,
            refit=self.refit,
            nonparanormal=self.nonparanormal,
            gamma=self.gamma,
            seed=self.random_state,
            n_jobs=self.n_jobs,
            progress=False,
        )
        if not isinstance(net.net, MarkovNet) or net.net.joint is None:
            raise FitError("The graphical lasso found no joint distribution.")
        joint = net.net.joint
        self.network_ = net
        self.penalty_ = float(net.words["penalty"])
        self.location_, self.precision_ = joint.mean.copy(), joint.precision.copy()
        self.covariance_ = joint.covariance.copy()
        shown = getattr(self, "feature_names_in_", [f"x{i}" for i in range(x.shape[1])])
        self.graph_ = UGraph.unchecked(tuple(map(str, shown)), net.net.graph.neighbours)
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
