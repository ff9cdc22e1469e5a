"""Arcwise: which variables depend directly on which, how sure one can be, and answers from the model.

>>> import arcwise as aw
>>> net = aw.learn(aw.example("boston"))
>>> "LSTAT" in net.blanket("MEDV")
True

Public names are loaded from their rooms when they are first asked for, so that a program that only
wants to say its version, or to read a table, does not wait for the rest.
"""

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
    "DAG",
    "PDAG",
    "ArcwiseError",
    "DataError",
    "FileError",
    "FitError",
    "GraphError",
    "Moments",
    "Network",
    "OptionError",
    "Posterior",
    "Rules",
    "Table",
    "UGraph",
    "Variable",
    "audit",
    "classify",
    "compare",
    "counts",
    "dag",
    "discretise",
    "divergence",
    "example",
    "examples",
    "fit",
    "fit_conditionals",
    "graphs",
    "learn",
    "load",
    "load_graph",
    "moments",
    "network",
    "network_file",
    "options",
    "parameter_differences",
    "path",
    "plot_edge_path",
    "plot_graph",
    "plot_graphs",
    "plot_path",
    "plot_trace",
    "posterior",
    "prune",
    "random_network",
    "read",
    "report",
    "returns",
    "score",
    "separated",
    "split",
    "standardise",
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
}  # every other name is the data room's


_RENAMED = {"shipped": "example", "catalogue": "examples", "changes": "returns"}
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
    """Load a public name from its room."""
    if name in _EXTRA:
        return getattr(import_module(_EXTRA[name]), name)
    if name in _OPTIONS or name == "options":
        options = import_module("arcwise.api.options")
        return options if name == "options" else getattr(options, name)
    if name not in __all__:
        today = f": it is called {_RENAMED[name]}" if name in _RENAMED else ""
        raise AttributeError(f"module 'arcwise' has no attribute {name!r}{today}")
    if name == "graphs":
        return import_module("arcwise.graphs")
    room = next((home for home, names in _HOMES.items() if name in names), "data")
    value = globals()[name] = getattr(import_module(f"arcwise.{room}"), name)
    return value


def __dir__() -> list[str]:
    """Public names, for completion."""
    return sorted({*__all__, *_OPTIONS, *_EXTRA, "__version__"})
