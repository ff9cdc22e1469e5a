"""A regressor in scikit-learn's form: predictions of a number by a learned network."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from arcwise.api.estimators import checked_rows, column_names, free_name, raw_columns
from arcwise.api.learning import learn
from arcwise.api.options import Model, ScoreOption, Search
from arcwise.data import table
from arcwise.data.frames import raw_of
from arcwise.errors import OptionError
from arcwise.graphs import Rules
from arcwise.inference import Predictions
from arcwise.values import clear_methods

Array = NDArray[np.float64]


@clear_methods
class BayesRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor by a Bayesian network over the features and the target.

    The network is that of `learn`. A prediction is the expected value of the target given all that a row
    knows: new rows may have gaps (NaN, None), which are integrated over. Features may be numbers, text,
    categories and booleans, in an array or a data frame.

    Parameters
    ----------
    model, search, rules, max_parents : as of `learn`.
    graph_score : the score of graphs, as `score` of `learn`.
    missing : what learning does with rows that have gaps, as of `learn`.
    random_state : the seed of searches and of simulated predictions.
    n_jobs : processes for learning.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.
    network_ : the network, with all its methods.
    target_ : the name of the target in the network: that of the series `y`, else "target".

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(200, 3))
    >>> model = BayesRegressor().fit(x, 2 * x[:, 0] + 1)
    >>> model.predict([[1.5, 0.0, np.nan]]).round(2).tolist()
    [4.0]
    """

    def __init__(
        self,
        model: str | Model | dict[str, Any] = "auto",
        *,
        graph_score: str | ScoreOption | None = None,
        search: str | Search = "auto",
        rules: Rules | None = None,
        max_parents: int | None = None,
        missing: str = "auto",
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        given = locals()
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def __sklearn_tags__(self) -> Any:
        """Gaps are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows and their numbers; weights count rows several times."""
        x = checked_rows(self, X, y, y_numeric=True, ensure_min_samples=2)
        numbers = column_or_1d(y, warn=True, dtype=np.float64)
        names = column_names(self)
        self.target_ = free_name(y, tuple(names), "target")
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, x, dtype=np.float64, ensure_non_negative=True
            )
        columns = raw_of(raw_columns(x, names))
        features = dict(zip(columns.names, columns.arrays, strict=True))
        target = {self.target_: numbers}
        rows = table(
            {**features, **target}, kinds=dict.fromkeys(target, "continuous"), weights=weights
        )
        if self.rules is not None and self.max_parents is not None:
            raise OptionError("Give rules=Rules(max_parents=...), or max_parents=, not both.")
        self.network_ = learn(
            rows,
            model=self.model,
            score=self.graph_score,
            search=self.search,
            rules=Rules(max_parents=self.max_parents) if self.rules is None else self.rules,
            missing=self.missing,
            certainty=False,
            seed=self.random_state,
            n_jobs=self.n_jobs,
            progress=False,
        )
        return self

    def predictions(self, X: Any) -> Predictions:
        """The distribution of the target in each row: means, standard deviations, quantiles, intervals."""
        check_is_fitted(self)
        rows = raw_columns(checked_rows(self, X, reset=False), column_names(self))
        found: Predictions = self.network_.predict(rows, self.target_, seed=self.random_state)
        return found

    def predict(self, X: Any, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Expected values of the target, with their standard deviations if `return_std`."""
        found = self.predictions(X)
        mean = np.array(found.mean)
        return (mean, np.array(found.sd)) if return_std else mean
