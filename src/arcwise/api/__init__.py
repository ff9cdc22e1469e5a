"""What users touch: verbs, and the network they give."""

from arcwise.api.fitting import fit, score
from arcwise.api.handmade import network
from arcwise.api.learning import learn
from arcwise.api.loading import example, load, load_graph
from arcwise.api.net import Network
from arcwise.api.paths import PenaltyPath, path
from arcwise.api.posteriors import Posterior
from arcwise.api.uncertainty import posterior
from arcwise.api.validation import prune, validate

__all__ = [
    "Network",
    "PenaltyPath",
    "Posterior",
    "example",
    "fit",
    "learn",
    "load",
    "load_graph",
    "network",
    "path",
    "posterior",
    "prune",
    "score",
    "validate",
]
