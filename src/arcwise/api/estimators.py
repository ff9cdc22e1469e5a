"""Estimators in scikit-learn's form, for its pipelines, searches and checks: graphical lasso, classifiers."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from arcwise.api.classification import loss_matrix, net_of
from arcwise.api.learning import learn
from arcwise.api.net import Network
from arcwise.api.options import Glasso
from arcwise.data import Table, Variable, table
from arcwise.data.variable import code_type
from arcwise.errors import DataError, FitError, close_to
from arcwise.graphs import UGraph
from arcwise.learners.classifiers import Classifier, ClassifierSpec, decide, learn_classifier
from arcwise.networks.joint import normal_of
from arcwise.undirected.given_matrices import factors_of
from arcwise.values import clear_methods

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

    def __sklearn_tags__(self) -> Any:
        """Missing values are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Fit to rows; `y` is not used."""
        checks: dict[str, Any] = {"ensure_min_samples": 2, "ensure_all_finite": "allow-nan"}
        x = validate_data(self, X, dtype=np.float64, **checks)
        width = len(str(x.shape[1]))
        names = [f"x{i:0{width}d}" for i in range(x.shape[1])]  # sorted as the columns are
        shown = tuple(
            map(str, getattr(self, "feature_names_in_", map("x{}".format, range(len(names)))))
        )
        own = dict(zip(shown, names, strict=True))
        given = {word: _rename(getattr(self, word), own) for word in ("penalty", "factors")}
        settings = {
            word: each for word, each in self.get_params().items() if word not in _NOT_OPTIONS
        }
        net = learn(
            table(dict(zip(names, x.T, strict=True)), kinds=dict.fromkeys(names, "continuous")),
            graph="undirected",
            model="gaussian",
            search=Glasso(factors=given["factors"], **settings),
            penalty=given["penalty"],
            seed=self.random_state,
            n_jobs=self.n_jobs,
            progress=False,
        )
        joint = normal_of(net.net.joint)
        if joint is None:
            raise FitError(
                "The graphical lasso found no joint distribution: use a larger penalty, or more rows."
            )
        self.network_ = net
        self.penalty_ = float(net.settings["penalty"])
        self.location_, self.precision_ = joint.mean.copy(), joint.precision.copy()
        self.covariance_ = joint.covariance.copy()
        self.graph_ = UGraph.make_unchecked(shown, net.net.inputs)
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


def _rename(value: Any, names: Mapping[str, str]) -> Any:
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


# -- classifiers ------------------------------------------------------------------------------------


class _ClassError(DataError, ValueError):
    """No classes to learn: scikit-learn looks for a ValueError."""


@clear_methods
class BayesClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier by a Bayesian network in which nothing points to the class.

    Features may be numbers, text, categories and truth values, in an array or a data frame, and may have
    gaps (NaN, None), in learning and in new rows: they are summed out. A level that was not there when it
    was learned counts as a gap, with a warning.

    Parameters
    ----------
    structure : "naive"; "tan", a tree over the features (Friedman, Geiger and Goldszmidt 1997); "kdb", up to
        k feature parents each (Sahami 1996); "aode", an average over networks in which one feature is parent
        of all others (Webb, Boughton and Wang 2005); "free", the best network by a score; "averaged", the
        mean over networks of that kind drawn from their posterior.
    features : what becomes of continuous features: "discretise" (by entropy, Fayyad and Irani 1993; what
        "auto" means), "gaussian" (a normal distribution in each class, linear in feature parents) or "parzen"
        (kernel densities). Numbers with at most 10 whole values are levels, but for "gaussian" and "parzen".
    k : the most feature parents, of kdb; of free the class counts, and None is no bound.
    arc_score : what an arc between features has to raise: "bic", "aic" or "bdeu" make a forest of tan's tree
        and leave out arcs of kdb; of free, any score of discrete networks.
    search : of free: a search of directed graphs.
    select : how features are chosen by cross-validated accuracy: "forward" or "backward"; "forward-joining"
        and "backward-joining" also take two features of naive Bayes as one (Pazzani 1996). None takes all.
    alpha : pseudo-count of each cell of a table, 1 being Laplace's rule.
    equivalent_sample_size : pseudo-counts of a whole table instead, as of BDeu.
    min_count : rows that a level must have for its feature to be the parent of all others, of aode.
    loss : a matrix of the loss of deciding for class j where class i is true, in the order of `classes_`, or
        a mapping of pairs (true, decided) to losses. By default the most probable class is decided for.
    random_state : of a search, and of folds.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ : as everywhere in scikit-learn.
    classifier_ : the networks and the class, a plain value.
    network_ : the network, with all its methods; of aode, that of the parent which tells most of the class.

    Examples
    --------
    >>> links = np.array([["few"], ["few"], ["many"], ["many"]])
    >>> model = BayesClassifier("naive").fit(links, ["ham", "ham", "spam", "ham"])
    >>> model.predict_proba([["many"]]).round(3).tolist()
    [[0.545, 0.455]]
    """

    def __init__(
        self,
        structure: str = "tan",
        *,
        features: str = "auto",
        k: int | None = 2,
        arc_score: str | None = None,
        search: str = "auto",
        select: str | None = None,
        alpha: float = 1.0,
        equivalent_sample_size: float | None = None,
        min_count: float = 30,
        loss: Any = None,
        random_state: int = 0,
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
        """Learn from rows and their classes; weights count rows several times."""
        x = checked_rows(self, X, y)
        classes = column_or_1d(y, warn=True)
        check_classification_targets(classes)
        self.classes_, codes = np.unique(classes, return_inverse=True)
        weights = None
        if len(codes) != len(x):
            raise _ClassError(f"{len(x)} rows must have as many classes, got {len(codes)}.")
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, x, dtype=np.float64, ensure_non_negative=True
            )
        if len(np.unique(codes if weights is None else codes[weights > 0])) < 2:
            raise _ClassError(
                "A classifier needs rows of at least two classes, got one class only."
            )
        features = table(raw_columns(x, column_names(self)))
        own = Variable(free_name(y, features.names), _levels(self.classes_))
        rows = Table(
            (*(features.variable(n) for n in features.order), own),
            (
                *(features.column(n) for n in features.order),
                codes.astype(code_type(len(own.levels or ()))),
            ),
            weights,
            notes=features.notes,
            fixed=features.fixed,
        )
        words = self.get_params()
        rng = np.random.default_rng(words.pop("random_state"))
        self.loss_ = loss_matrix(words.pop("loss"), self.classes_.tolist())
        spec = ClassifierSpec(rng, **words)
        self.classifier_: Classifier = learn_classifier(rows, own.name, spec)
        return self

    @property
    def network_(self) -> Network:
        """The classifier as a network."""
        check_is_fitted(self)
        kept = self.classifier_.table
        if kept is None:
            raise AttributeError("The rows of the classifier were not kept.")
        settings = {w: v for w, v in self.get_params().items() if isinstance(v, str | int | float)}
        return net_of(self.classifier_, kept, settings)

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the probabilities of all classes."""
        check_is_fitted(self)
        rows = self.classifier_.rows_of(
            raw_columns(checked_rows(self, X, reset=False), column_names(self))
        )
        return self.classifier_.log_proba(rows)

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of all classes, in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of least expected loss, by default the most probable one."""
        codes = decide(self.predict_proba(X), self.loss_)
        found: NDArray[Any] = self.classes_[codes]
        return found


def _levels(classes: NDArray[Any]) -> tuple[Any, ...]:
    return tuple(each.item() if hasattr(each, "item") else each for each in classes)


def checked_rows(estimator: Any, X: Any, y: Any = None, reset: bool = True, **checks: Any) -> Any:
    """X after scikit-learn's checks, and further ones by name: a data frame as it is, else an array."""
    if hasattr(X, "columns") and hasattr(X, "shape"):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if len(X) < 1:
            raise _ClassError(f"Found array with 0 sample(s) (shape={X.shape}), where 1 is needed.")
        return X
    given = {"dtype": None, "ensure_all_finite": "allow-nan", "reset": reset}
    if y is None and reset is False:
        x = validate_data(estimator, X, **given)
    else:
        x, _ = validate_data(estimator, X, y, **given, **checks)
    if x.dtype.kind == "O":
        try:
            x = x.astype(np.float64)
        except ValueError:
            return x
        if np.isinf(x).any():
            raise _ClassError("Input X contains infinity; a missing value is NaN.")
    return x


def column_names(estimator: Any) -> list[str]:
    """The names of the features, or x0, x1, ... where they have none."""
    if hasattr(estimator, "feature_names_in_"):
        return [str(name) for name in estimator.feature_names_in_]
    count = estimator.n_features_in_
    return [f"x{i:0{len(str(count - 1))}d}" for i in range(count)]


def free_name(y: Any, taken: tuple[str, ...], default: str = "class") -> str:
    """The name of the target: that of a series, else a default; with a sign where a feature has it."""
    name = str(getattr(y, "name", None) or default)
    while name in taken:
        name += "_"
    return name


def raw_columns(x: Any, names: list[str]) -> Any:
    """Columns by name; what is not a number in an array of objects is as it is."""
    if hasattr(x, "columns"):
        return x
    columns = list(np.asfortranarray(x).T)
    if x.dtype.kind == "O":
        columns = [np.where(column == column, column, None) for column in columns]
    return dict(zip(names, columns, strict=True))
