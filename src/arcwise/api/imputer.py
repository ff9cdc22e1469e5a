"""An imputer in scikit-learn's form: missing values filled by a learned network."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from arcwise.api.estimators import checked_rows, column_names, raw_columns
from arcwise.api.learning import learn
from arcwise.api.options import Model, Search
from arcwise.data import Table, table
from arcwise.values import clear_methods

__all__ = ["BayesImputer"]


@clear_methods
class BayesImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Missing values filled by a Bayesian network over all columns.

    The network is learned from all observed values (`learn`). A missing number becomes its expected value
    given the observed values of its row, a missing level the most probable one. Data frames keep their kind,
    index, column types and the cells that are not missing; a missing integer becomes an integer. A column
    without any value when the network is learned stays as it is.

    Parameters
    ----------
    model, search : as of `learn`.
    draw : whether values are drawn from their distribution, which keeps spreads and correlations. Repeat with
        other values of `random_state` for multiple imputation.
    random_state : the seed of the search and of draws.
    n_jobs : processes for learning.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.
    network_ : the network, with all its methods.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(200, 2))
    >>> x[:, 1] = 2 * x[:, 0] + 0.1 * x[:, 1]
    >>> imputer = BayesImputer().fit(x)
    >>> imputer.transform([[1.5, np.nan]]).round(1).tolist()
    [[1.5, 3.0]]
    """

    def __init__(
        self,
        model: str | Model | dict[str, Any] = "auto",
        *,
        search: str | Search = "auto",
        draw: bool = False,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        given = locals()
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def __sklearn_tags__(self) -> Any:
        """Missing values are taken, and text in data frames."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the network from rows with missing values."""
        x = self._checked(X, reset=True)
        rows = _numbers_kept(raw_columns(x, column_names(self)))
        self.network_ = learn(
            rows,
            model=self.model,
            search=self.search,
            seed=self.random_state,
            n_jobs=self.n_jobs,
            certainty=False,
            progress=False,
        )
        return self

    def transform(self, X: Any) -> Any:
        """Return the rows with their missing values filled."""
        check_is_fitted(self)
        x = self._checked(X, reset=False)
        raw = raw_columns(x, column_names(self))
        seed = self.random_state if self.draw else None
        if hasattr(x, "columns"):
            return _integers_kept(x, self.network_.impute(_floats(x), seed=seed))
        filled = self.network_.impute(raw, seed=seed)
        columns = dict(zip(column_names(self), np.array(x, copy=True).T, strict=True))
        for name in filled.names:
            own = columns[name]
            columns[name] = np.where(_is_missing(own), filled.values(name), own)
        return np.column_stack(list(columns.values())).astype(x.dtype)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """The rows after scikit-learn's checks."""
        if not reset or (hasattr(X, "columns") and hasattr(X, "shape")):
            return checked_rows(self, X, reset=reset)
        return validate_data(
            self,
            X,
            dtype="numeric",
            ensure_all_finite="allow-nan",
            ensure_min_samples=2,
            reset=True,
        )


def _is_missing(column: NDArray[Any]) -> NDArray[np.bool_]:
    marks: NDArray[np.bool_] = np.asarray(column != column)
    return marks


def _numbers_kept(columns: Any) -> Table:
    """A table of columns, in which numbers that look like row numbers stay numbers."""
    rows = table(columns)
    names = columns.columns if hasattr(columns, "columns") else columns
    lost = [name for name in names if str(name) not in rows.names and _is_numeric(columns[name])]
    return table(columns, kinds=dict.fromkeys(map(str, lost), "continuous")) if lost else rows


def _is_numeric(column: Any) -> bool:
    """Whether a column has numbers, and not only missing values."""
    try:
        values = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return bool(np.isfinite(values).any())


def _floats(frame: Any) -> Any:
    """A pandas frame whose nullable integers are floats, so that filled values need not be whole."""
    if not hasattr(frame, "astype") or not hasattr(frame, "dtypes"):
        return frame
    whole = [name for name, kind in frame.dtypes.items() if _is_nullable_integer(kind)]
    return frame.astype(dict.fromkeys(whole, "float64")) if whole else frame


def _is_nullable_integer(kind: Any) -> bool:
    return str(kind) in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")


def _integers_kept(frame: Any, filled: Any) -> Any:
    """The filled frame with the columns and types of the first one; integers are rounded."""
    if not hasattr(frame, "astype") or not hasattr(frame, "dtypes"):
        return filled
    filled = filled[list(frame.columns)]
    for name, kind in frame.dtypes.items():
        if _is_nullable_integer(kind):
            filled[name] = filled[name].round().astype(kind)
    return filled
