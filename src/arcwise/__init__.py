"""Arcwise learns Bayesian and Markov networks from tables, measures their certainty and queries them.

>>> import arcwise as aw
>>> net = aw.learn(aw.example("boston"))
>>> "LSTAT" in net.blanket("MEDV")
True

Read a table with `read` (a file) or `table` (a frame, an array, a dictionary); `audit` and `discretise`
check and cut it. Learn with `learn`, `posterior` (a distribution over graphs), `path` (all penalties) or
`classify`; `fit` takes a graph, and `network` parameters, too. Then ``print(net)``, ``net.edges``,
``net.query(...)``, ``net.predict(...)``, ``net.plot()``, ``net.report("net.html")`` and
``net.save("net.json")``; `load` reads it again. `validate`, `prune`, `score` and `compare` judge models and
graphs. `dag`, `ug` and `Rules` write graphs and prior knowledge.

Settings of models, scores, searches and methods are objects in `aw.options`, also reachable here:
``aw.learn(data, search=aw.Tabu(restarts=10))``. Further functions are in `aw.graphs`, `aw.data`, `aw.plot`,
`aw.errors` and `aw.api`, and reachable here, too: ``dir(aw)`` lists all.

Names are loaded with their first use, so that a program which only reads a table starts quickly.
"""

# ruff: noqa: F401 - names that are reachable here, for editors

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arcwise.view import figures_by, pictures_by

if TYPE_CHECKING:
    from arcwise import graphs
    from arcwise.api import (
        Network,
        Posterior,
        classify,
        divergence,
        example,
        fit,
        fit_conditionals,
        learn,
        load,
        load_graph,
        network,
        options,
        parameter_differences,
        path,
        posterior,
        prune,
        random_network,
        score,
        validate,
    )
    from arcwise.api.options import *  # noqa: F403 - option objects, reachable here too
    from arcwise.api.reports import report
    from arcwise.data import (
        Moments,
        Table,
        Variable,
        audit,
        counts,
        discretise,
        examples,
        moments,
        network_file,
        read,
        returns,
        split,
        standardise,
        table,
    )
    from arcwise.errors import (
        ArcwiseError,
        DataError,
        FileError,
        FitError,
        GraphError,
        OptionError,
    )
    from arcwise.graphs import DAG, PDAG, Rules, UGraph, compare, dag, separated, ug
    from arcwise.plot import plot_edge_path, plot_graph, plot_graphs, plot_path, plot_trace

__version__ = "0.1.0"

__all__ = [
    "ArcwiseError",
    "Network",
    "Posterior",
    "Rules",
    "Table",
    "audit",
    "classify",
    "compare",
    "dag",
    "discretise",
    "example",
    "examples",
    "fit",
    "learn",
    "load",
    "network",
    "options",
    "path",
    "posterior",
    "prune",
    "random_network",
    "read",
    "report",
    "score",
    "table",
    "ug",
    "validate",
]

_HOMES = {
    "api": (
        "Network",
        "Posterior",
        "classify",
        "divergence",
        "example",
        "fit",
        "fit_conditionals",
        "learn",
        "load",
        "load_graph",
        "network",
        "parameter_differences",
        "path",
        "posterior",
        "prune",
        "random_network",
        "score",
        "validate",
    ),
    "errors": ("ArcwiseError", "DataError", "FileError", "FitError", "GraphError", "OptionError"),
    "graphs": ("DAG", "PDAG", "Rules", "UGraph", "compare", "dag", "separated", "ug"),
    "plot": ("plot_edge_path", "plot_graph", "plot_graphs", "plot_path", "plot_trace"),
    "data": (
        "Moments",
        "Table",
        "Variable",
        "audit",
        "counts",
        "discretise",
        "examples",
        "moments",
        "network_file",
        "read",
        "returns",
        "split",
        "standardise",
        "table",
    ),
}
"""Packages by the names that they give to this one."""

_PACKAGES = ("api", "data", "errors", "graphs", "plot")


_RENAMED = {
    "shipped": "example", "catalogue": "examples", "changes": "returns", "load_data": "example",
    "read_csv": "read", "hc": "learn", "bootstrap": "posterior", "cross_validate": "validate",
    "BayesNet": "network", "BayesianNetwork": "network", "MarkovNet": "network",
}  # fmt: skip
"""Earlier names, and names of other packages."""

_OPTIONS = (
    "AIC", "BDS", "BIC", "BOSS", "CLG", "EBIC", "GES", "GLM", "ILS", "K2", "LOO", "MCMC", "QNML",
    "Annealing", "Auto", "BDeu", "BGe", "Bootstrap", "Boundary", "ChowLiu", "Curved",
    "DegenerateGaussian", "Deletion", "Discrete", "Exact", "Experts", "Gaussian", "Glasso", "Greedy",
    "GrowShrink", "HeldOut", "KFold", "LogLik", "Marginal", "Neighbourhood", "Neural", "Parzen", "Prior",
    "Stepwise", "Tabu", "TruncatedBasis",
)  # fmt: skip
"""Local models, scores, searches and methods with settings; `arcwise.options` has them all."""

_EXTRA = {
    "BayesClassifier": "arcwise.api.estimators",
    "BayesImputer": "arcwise.api.imputer",
    "BayesRegressor": "arcwise.api.regressor",
    "GraphLasso": "arcwise.api.estimators",
    "report": "arcwise.api.reports",
}  # names that need a library of their own, or much of this one


figures_by(lambda: import_module("arcwise.plot"))
pictures_by(lambda graph: import_module("arcwise.plot").graph_html(graph))


def __getattr__(name: str) -> Any:
    """Load a public name from its package."""
    if name in _EXTRA:
        return getattr(import_module(_EXTRA[name]), name)
    if name in _OPTIONS or name == "options":
        options = import_module("arcwise.api.options")
        return options if name == "options" else getattr(options, name)
    if name in _PACKAGES:
        return import_module(f"arcwise.{name}")
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'arcwise' has no attribute {name!r}{_hint(name)}")
    value = globals()[name] = getattr(import_module(f"arcwise.{home}"), name)
    return value


def _hint(name: str) -> str:
    """What to write instead of a name that there is not, as the end of a sentence."""
    if name.startswith("_"):
        return ""
    if name in _RENAMED:
        return f": it is called {_RENAMED[name]}"
    if hasattr(import_module("arcwise.api").Network, name):
        return f": it belongs to networks, as in net.{name}"
    return f". {import_module('arcwise.errors').close_to(name, __dir__())}"


def __dir__() -> list[str]:
    """All names that are reachable here, for completion."""
    more = (name for names in _HOMES.values() for name in names)
    return sorted({*__all__, *more, *_PACKAGES, *_OPTIONS, *_EXTRA, "__version__"})
