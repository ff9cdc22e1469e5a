"""What users touch: verbs, and the network they give."""

from arcwise.api.classification import Classification, classify
from arcwise.api.edge_certainty import posterior
from arcwise.api.fitting import fit, fit_conditionals, score
from arcwise.api.handmade import network, random_network
from arcwise.api.learning import learn
from arcwise.api.loading import example, load, load_graph
from arcwise.api.net import Network
from arcwise.api.paths import PenaltyPath, path
from arcwise.api.posteriors import Posterior
from arcwise.api.validation import divergence, parameter_differences, prune, validate

__all__ = [
    "Classification",
    "Network",
    "PenaltyPath",
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
]
