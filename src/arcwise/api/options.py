"""Options as objects: local models, scores, searches and methods with their own settings.

Wherever a name such as ``search="tabu"`` is accepted, so is an object, ``search=aw.Tabu(restarts=10)``. The
name is the object with its defaults. An object is frozen, is checked when it is made, and prints as one types
it. Its fields are the keyword options of the function behind the name, with the same types and defaults; a
test compares the two.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from arcwise.api.option_object import Option
from arcwise.api.search_options import (
    BOSS,
    GES,
    ILS,
    MCMC,
    Annealing,
    Auto,
    Bootstrap,
    Boundary,
    ChowLiu,
    Deletion,
    Exact,
    Glasso,
    Greedy,
    GrowShrink,
    Method,
    Neighbourhood,
    Search,
    StartedSearch,
    Stepwise,
    Tabu,
)
from arcwise.errors import GraphError
from arcwise.graphs import DAG, dag
from arcwise.graphs.parser import plain
from arcwise.values import clear_methods

__all__ = [
    "AIC",
    "BDS",
    "BIC",
    "BOSS",
    "CLG",
    "EBIC",
    "GES",
    "GLM",
    "ILS",
    "K2",
    "LOO",
    "MCMC",
    "QNML",
    "Annealing",
    "Auto",
    "BDeu",
    "BGe",
    "Bootstrap",
    "Boundary",
    "ChowLiu",
    "Curved",
    "DegenerateGaussian",
    "Deletion",
    "Discrete",
    "Exact",
    "Experts",
    "Gaussian",
    "Glasso",
    "Greedy",
    "GrowShrink",
    "HeldOut",
    "KFold",
    "LogLik",
    "Marginal",
    "Method",
    "Model",
    "Neighbourhood",
    "Neural",
    "Option",
    "Parzen",
    "Prior",
    "ScoreOption",
    "Search",
    "StartedSearch",
    "Stepwise",
    "Tabu",
    "TruncatedBasis",
]  # fmt: skip


# -- local models ---------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Model(Option):
    """A kind of local model."""

    what: ClassVar[str] = "model"


@dataclass(frozen=True, repr=False)
class Gaussian(Model):
    """Linear regressions with normal noise."""

    word: ClassVar[str] = "gaussian"


@dataclass(frozen=True, repr=False)
class Parzen(Model):
    """Parzen windows, a kernel density estimate: dependence of any shape.

    Parameters
    ----------
    bandwidths : "two" for each local model (one for the variable, one for its parents), "one", or "shared" by
        all local models.
    min_bandwidth : smallest bandwidth, in standard deviations.
    tail_weight : weight of a wide normal distribution that is mixed in, for outlying rows.
    """

    word: ClassVar[str] = "parzen"
    bandwidths: Literal["two", "one", "shared"] = "two"
    min_bandwidth: float = 0.01
    tail_weight: float = 0.0


@dataclass(frozen=True, repr=False)
class Discrete(Model):
    """Tables of probabilities.

    Parameters
    ----------
    equivalent_sample_size : imaginary rows, spread evenly over each table.
    row_alpha : imaginary rows for each configuration of the parents, instead.
    alpha : imaginary rows for each cell, instead.
    """

    word: ClassVar[str] = "discrete"
    equivalent_sample_size: float | None = None
    row_alpha: float | None = None
    alpha: float | None = None


@dataclass(frozen=True, repr=False)
class CLG(Model):
    """Conditional linear-Gaussian: a regression for each configuration of the discrete parents."""

    word: ClassVar[str] = "clg"


@dataclass(frozen=True, repr=False)
class GLM(Model):
    """Generalised linear models of numbers and categories given any parents: for each variable the best form.

    The forms are main effects, curves and products of parents, a regression for each configuration of the
    categories, and tables.

    Parameters
    ----------
    margin : nats that a form other than main effects and tables has to gain.
    """

    word: ClassVar[str] = "glm"
    margin: float = 2.0


@dataclass(frozen=True, repr=False)
class Curved(Model):
    """The models of `GLM` for tables of numbers: straight lines, curves, products, spreads that vary.

    Parameters
    ----------
    margin : nats that a form other than a straight line has to gain.
    """

    word: ClassVar[str] = "curved"
    margin: float = 2.0


@dataclass(frozen=True, repr=False)
class Neural(Model):
    """Neural networks with one hidden layer, for the mean and the spread of numbers and for categories.

    Parameters
    ----------
    width : hidden units.
    trained : whether all weights are trained after the search; else those into hidden units stay random.
    spread : whether the standard deviation of a number may depend on its parents.
    """

    word: ClassVar[str] = "neural"
    width: int = 40
    trained: bool = True
    spread: bool = True


@dataclass(frozen=True, repr=False)
class Experts(Model):
    """Mixtures of linear experts: densities of any shape of a number given any parents.

    Parameters
    ----------
    max_experts : largest number of experts of a local model.
    margin : nats that a further expert has to gain beyond BIC.
    """

    word: ClassVar[str] = "experts"
    max_experts: int = 4
    margin: float = 2.0


# -- scores ---------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class ScoreOption(Option):
    """A score of graphs."""

    what: ClassVar[str] = "score"


@dataclass(frozen=True, repr=False)
class LogLik(ScoreOption):
    """The log-likelihood without any penalty for parameters."""

    word: ClassVar[str] = "loglik"


@dataclass(frozen=True, repr=False)
class AIC(ScoreOption):
    """Log-likelihood minus one nat per parameter (Akaike 1974)."""

    word: ClassVar[str] = "aic"


@dataclass(frozen=True, repr=False)
class BIC(ScoreOption):
    """Log-likelihood minus half of log n per parameter (Schwarz 1978)."""

    word: ClassVar[str] = "bic"


@dataclass(frozen=True, repr=False)
class EBIC(ScoreOption):
    """Extended BIC (Chen and Chen 2008): BIC minus gamma log p per parent, for p variables."""

    word: ClassVar[str] = "ebic"
    gamma: float = 1.1


@dataclass(frozen=True, repr=False)
class BGe(ScoreOption):
    """Marginal likelihood of linear-Gaussian models (Geiger and Heckerman 1994).

    Parameters
    ----------
    alpha_mu, alpha_w : imaginary rows behind the prior means and the prior covariance; `alpha_w` is p + 2 by
        default, for p variables.
    prior_mean : prior means at those of the rows ("sample") or at 0.
    standardise : whether columns are standardised first.
    gamma : gamma log p nats are taken off per parent.
    """

    word: ClassVar[str] = "bge"
    alpha_mu: float = 1.0
    alpha_w: float | None = None
    prior_mean: Literal["sample", "zero"] = "sample"
    standardise: bool = False
    gamma: float = 0.0


@dataclass(frozen=True, repr=False)
class BDeu(ScoreOption):
    """Marginal likelihood of tables under a uniform prior (Heckerman, Geiger and Chickering 1995).

    Parameters
    ----------
    equivalent_sample_size : imaginary rows behind the prior, spread evenly over each table.
    gamma : gamma log p nats are taken off per parent.
    cells_per_row : tables with more cells per row than this have no score.
    jackknife : how far a parent has to pay for what its most influential row gains.
    """

    word: ClassVar[str] = "bdeu"
    equivalent_sample_size: float = 1.0
    gamma: float = 0.0
    cells_per_row: float | None = None
    jackknife: float = 0.0


@dataclass(frozen=True, repr=False)
class BDS(ScoreOption):
    """BDeu whose imaginary rows lie on observed configurations of the parents only (Scutari 2016)."""

    word: ClassVar[str] = "bds"
    equivalent_sample_size: float = 1.0
    gamma: float = 0.0


@dataclass(frozen=True, repr=False)
class Marginal(ScoreOption):
    """Marginal likelihood of neural networks; gamma log p nats are taken off per parent, for p variables."""

    word: ClassVar[str] = "marginal"
    gamma: float = 1.0


@dataclass(frozen=True, repr=False)
class K2(ScoreOption):
    """Marginal likelihood of tables with one imaginary row per cell (Cooper and Herskovits 1992)."""

    word: ClassVar[str] = "k2"
    gamma: float = 0.0


@dataclass(frozen=True, repr=False)
class QNML(ScoreOption):
    """Quotient normalised maximum likelihood of tables (Silander et al. 2018)."""

    word: ClassVar[str] = "qnml"
    gamma: float = 0.0


@dataclass(frozen=True, repr=False)
class LOO(ScoreOption):
    """Leave-one-out likelihood: each row under the model of all others."""

    word: ClassVar[str] = "loo"


@dataclass(frozen=True, repr=False)
class KFold(ScoreOption):
    """Cross-validated likelihood: each of several folds under the model of all others."""

    word: ClassVar[str] = "kfold"
    folds: int = 10


@dataclass(frozen=True, repr=False)
class HeldOut(ScoreOption):
    """Likelihood of one part of the rows under the model of the others; `fraction` is its share."""

    word: ClassVar[str] = "heldout"
    fraction: float = 1 / 3


@dataclass(frozen=True, repr=False)
class DegenerateGaussian(ScoreOption):
    """Categories as indicators and numbers as they are, scored as normal (Andrews and others 2019)."""

    word: ClassVar[str] = "degenerate-gaussian"
    gamma: float = 0.5


@dataclass(frozen=True, repr=False)
class TruncatedBasis(ScoreOption):
    """Categories as indicators and polynomials of numbers, scored as normal (Ramsey and others 2025)."""

    word: ClassVar[str] = "truncated-basis"
    degree: int = 3
    gamma: float = 0.5


# -- knowledge of graphs ----------------------------------------------------------------------------


@clear_methods
@dataclass(frozen=True, eq=False)
class Prior:
    """What is known of a graph before any data, beyond rules that it has to obey.

    Parameters
    ----------
    graph : an expert's directed graph, in any form that `dag` takes; arcs that differ from it are penalised.
    weight : the penalty of each difference in nats per row: one number, or a mapping of arcs (parent, child)
        to their penalties, 0.1 for those that it does not name.
    rows : artificial rows that an expert would expect to see, as a table or a file's path; they count like
        real ones.
    arcs : the distribution over graphs of a posterior: "uniform", "fair" (every number of parents is equally
        probable), a number of nats per arc, or probabilities of arcs, as a matrix with names or a mapping of
        (parent, child).

    >>> Prior(graph="a -> b", weight=0.2).graph
    <DAG [a][b|a]>
    """

    graph: Any = None
    weight: float | Mapping[tuple[str, str], float] = 0.1
    rows: Any = None
    arcs: Any = None

    def __post_init__(self) -> None:
        """Read the graph."""
        if self.graph is not None:
            object.__setattr__(self, "graph", _graph(self.graph))

    @classmethod
    def of(cls, value: Any) -> "Prior":
        """A prior as it is, none, or the distribution over graphs alone."""
        return value if isinstance(value, Prior) else cls(arcs=value)


def _graph(value: Any) -> DAG:
    """An expert's graph; a single word is none."""
    if isinstance(value, str) and plain(value):
        raise GraphError(
            f"The graph of a Prior must be a graph such as 'a -> b' or '[a][b|a]', got {value!r}."
        )
    return dag(value)
